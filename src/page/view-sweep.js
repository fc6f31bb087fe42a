// view-sweep.js - throughput against latency over batches, for several formats, with the Pareto front.

import {h, put} from './dom.js';
import {Latest} from './latest.js';
import {traits_of, devices_of} from './request.js';
import {set, state} from './state.js';
import {figure} from './figure.js';
import {xy_chart, legend} from './xy.js';
import {grid_of, front_of, rate, rate_text, fits_text, as_table} from './grid.js';
import * as units from './units.js';

const latest = new Latest();
const OTHERS = ['bf16', 'fp8_e4m3', 'int8', 'q4_K'];
const BATCHES = Array.from({length: 11}, (unused, i) => 2 ** i);
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
    const own = state.weights || (await traits_of(state)).weights;
    const rows = await grid_of(state, {weights: [...new Set([own, ...OTHERS])], batch: BATCHES}, signal);
    return {rows, front: front_of(rows), own};
}

function tip_of(row, front) {
    return {
        title: `${row.weights}, batch ${units.exact(row.batch)}`,
        rows: [
            ['latency', units.seconds(row.time_s)],
            ['throughput', rate_text(row)],
            ['bound', row.bound],
            [devices_of(state) > 1 ? 'memory of one device' : 'memory', units.bytes(row.memory_bytes)],
            ['fits', fits_text(row.fits)],
            ['Pareto front', front ? 'yes' : 'no'],
        ],
    };
}

function series_for(weights, {rows, front, own}) {
    const points = rows
        .filter((row) => row.weights === weights)
        .map((row) => {
            const best = front.includes(row);
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
    const chosen = weights === own;
    return {name: chosen ? `${weights}, chosen` : weights, end: weights, format: weights, line: true, dots: true, bold: chosen, points};
}

function axes_of(rows) {
    const images = rows.every((row) => row.tokens_per_s === null);
    return {
        x: {log: true, label: state.phase === 'decode' ? 'Time of a step' : 'Time of a pass', format: (v) => units.short(units.seconds(v))},
        y: {log: true, label: images ? 'Images a second' : 'Tokens a second', format: (v) => units.short(units.count_rate(v))},
    };
}

function show(answer) {
    const {rows, front} = answer;
    const series = [...new Set(rows.map((row) => row.weights))].map((weights) => series_for(weights, answer));
    const line = {
        name: 'Pareto front',
        colour: 'var(--ink)',
        line: true,
        dash: '2 4',
        points: front.map((row) => ({x: Number(row.time_s), y: rate(row)})),
    };
    const take = (p) => p.row && set({batch: p.row.batch, weights: p.row.weights});
    chart.show(
        (width) => xy_chart('Throughput against latency', {...axes_of(rows), series: [...series, line], height: 31, chosen: take}, width),
        as_table(rows.map((row) => ({...row, pareto: front.includes(row)}))),
    );
    put(
        chart.under,
        legend([...series, line]),
        h('p', {class: 'note'}, 'Hollow: does not fit into the memory. Points at one place lie in each other.'),
    );
}

// the batch is an axis, and a request of its own is timed by the card
export function update(now, changed) {
    const mine = changed.filter((name) => !['explain', 'batch', 'generate', ...(now.phase === 'decode' ? ['prompt'] : [])].includes(name));
    if (mine.length > 0) latest.run(question, show, (error) => chart.say(error));
}
