// view-sweep.js - throughput against latency over batches, for several formats; the Pareto front is the server's.

import {h, put} from './dom.js';
import {ask, Latest} from './api.js';
import {predict_of, traits_of} from './request.js';
import {set, state} from './state.js';
import {figure} from './figure.js';
import {xy_chart, legend} from './xy.js';
import * as units from './units.js';

const latest = new Latest();
const OTHERS = ['bf16', 'fp8_e4m3', 'int8', 'q4_K'];
let chart;

export function mount(root) {
    chart = figure('Throughput against latency', {
        name: 'throughput',
        rems: 31,
        note: 'A point per batch from 1 to 1,024; the line joins one format. Larger: on the Pareto front, where nothing that fits is both faster and serves more. A click takes its batch and format.',
    });
    put(root, chart.root);
}

async function question(signal) {
    const traits = await traits_of(state);
    const options = await predict_of(state);
    const names = [
        'config',
        'model',
        'on',
        'phase',
        'seq',
        'past',
        'activations',
        'kv',
        'kernel',
        'attention',
        'lm-head',
        'optimizer',
        'recompute',
        'method',
        'image-size',
    ];
    const common = Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));
    const own = state.weights || traits.weights;
    const grid = {...common, batch: '1:1024:*2', weights: [...new Set([own, ...OTHERS])].join(',')};
    const [all, best] = await Promise.all([ask('sweep', grid, {signal}), ask('sweep', {...grid, summary: true}, {signal})]);
    return {rows: all.rows, front: best.pareto, own};
}

const is_same = (a, b) => a.batch === b.batch && a.weights === b.weights;
const rate = (row) => Number(row.tokens_per_s ?? row.images_per_s);

function tip_of(row, front) {
    return {
        title: `${row.weights}, batch ${units.exact(row.batch)}`,
        rows: [
            ['latency', units.seconds(row.time_s)],
            ['throughput', row.tokens_per_s !== null ? units.tokens_per_s(row.tokens_per_s) : units.per_s(row.images_per_s, 'images/s')],
            ['bound', row.bound],
            ['memory', units.bytes(row.memory_bytes)],
            ['fits', row.fits === null ? '-' : row.fits ? 'yes' : 'no'],
            ['Pareto front', front ? 'yes' : 'no'],
        ],
    };
}

function series_for(weights, {rows, front, own}) {
    const points = rows
        .filter((row) => row.weights === weights && row.time_s !== null)
        .map((row) => {
            const best = front.some((p) => is_same(p, row));
            return {
                x: Number(row.time_s),
                y: rate(row),
                row,
                name: `${weights} ${row.batch}`,
                size: best ? 0.42 : 0.28,
                hollow: row.fits === false,
                tip: tip_of(row, best),
            };
        });
    return {name: weights === own ? `${weights}, chosen` : weights, format: weights, line: true, dots: true, bold: weights === own, points};
}

function show(answer) {
    const weights = [...new Set(answer.rows.map((row) => row.weights))];
    const series = weights.map((w) => series_for(w, answer));
    const front = {
        name: 'Pareto front',
        colour: 'var(--ink)',
        line: true,
        dash: '2 4',
        points: answer.front.map((row) => ({x: Number(row.time_s), y: rate(row)})).sort((a, b) => a.x - b.x),
    };
    const images = answer.rows.every((row) => row.tokens_per_s === null);
    const x = {
        log: true,
        label: state.phase === 'decode' ? 'Time of a step' : 'Time of a pass',
        format: (v) => units.seconds(v).replace(/\.0+ /, ' '),
    };
    const y = {log: true, label: images ? 'Images a second' : 'Tokens a second', format: (v) => units.count_rate(v).replace(/\.0+( |$)/, '$1')};
    chart.show(
        (width) =>
            xy_chart(
                'Throughput against latency',
                {x, y, series: [...series, front], height: 31, chosen: (p) => p.row && set({batch: p.row.batch, weights: p.row.weights})},
                width,
            ),
        {
            columns: Object.keys(answer.rows[0] ?? {}),
            rows: answer.rows.map((row) =>
                Object.entries(row).map(([key, value]) => (key === 'pareto' ? answer.front.some((p) => is_same(p, row)) : value)),
            ),
        },
    );
    put(chart.under, legend([...series, {...front, dots: false}]), h('p', {class: 'note'}, 'Hollow: does not fit into the memory.'));
}

export function update(now, changed) {
    if (changed.every((name) => ['explain', 'batch', 'prompt', 'generate'].includes(name)) && !(changed.includes('prompt') && now.phase !== 'decode'))
        return;
    latest.run(question, show, (error) => chart.say(error));
}
