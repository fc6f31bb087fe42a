// view-memory.js - what memory holds as the context grows, and how the cache grows in other formats.

import {h, svg, put} from './dom.js';
import {ask} from './api.js';
import {Latest} from './latest.js';
import {cost_of, predict_of, traits_of, devices_of} from './request.js';
import {figure} from './figure.js';
import {xy_chart, legend, label} from './xy.js';
import {machine_record, machine_name} from './machines.js';
import {empty} from './message.js';
import * as units from './units.js';

const latest = new Latest();
const PARTS = [
    ['weights', 'weights'],
    ['kv_cache', 'KV cache'],
    ['activations_peak', 'activations'],
];
const COLOURS = {weights: 'var(--m-weights)', kv_cache: 'var(--m-kv)', activations_peak: 'var(--m-activations)'};
const CACHES = ['fp32', 'bf16', 'fp8_e4m3', 'int4'];
let memory;
let growth;

export function mount(root) {
    memory = figure('Memory by context', {
        name: 'memory-by-context',
        rems: 21,
    });
    growth = figure('Growth of the KV cache', {name: 'kv-growth', rems: 21});
    put(root, memory.root, growth.root);
}

// contexts from 1 to the longest: enough for a line
function contexts(longest, number = 9) {
    const steps = Array.from({length: number}, (unused, i) => Math.round((longest * i) / (number - 1)));
    return [...new Set(steps.map((n) => Math.max(1, Math.min(longest - 1, n))))];
}

const powers = (longest) =>
    Array.from({length: 20}, (unused, i) => 2 ** (i + 5))
        .filter((n) => n < longest)
        .concat(longest - 1);

// of one device: with several it is the prediction that knows how they share the model
async function asker_of(state, signal) {
    const several = devices_of(state) > 1;
    const options = await (several ? predict_of(state) : cost_of(state));
    const step = {...options, optimizer: '', recompute: '', seq: '', phase: 'decode', depth: 0}; // of a step, whatever the phase
    return async (past, more) => {
        const answer = await (several
            ? ask('predict', {...step, advice: 'none', past, ...more}, {signal})
            : ask('cost', {...step, past, ...more}, {signal}));
        return {past, memory: answer.memory, kv: answer.workload.kv};
    };
}

async function question(state, signal) {
    const traits = await traits_of(state);
    if (!traits.generates) return {none: `${traits.architecture} keeps no cache: its memory is what the card shows.`};
    const at = await asker_of(state, signal);
    const linear = await Promise.all(contexts(traits.longest).map((past) => at(past, {})));
    const caches = [...new Set([linear[0].kv, ...CACHES])];
    const some = powers(traits.longest).filter((n, i, all) => i % 3 === 0 || i === all.length - 1);
    const grown = await Promise.all(caches.map(async (kv) => ({kv, points: await Promise.all(some.map((past) => at(past, {kv}))).catch(() => [])})));
    return {linear, grown: grown.filter((g) => g.points.length > 0), own: linear[0].kv, devices: devices_of(state)};
}

function stacked(linear) {
    return PARTS.map(([key, name], k) => {
        const below = (m) => PARTS.slice(0, k).reduce((sum, [before]) => sum + Number(m[before]), 0);
        return {
            name,
            colour: COLOURS[key],
            area: true,
            line: true,
            dash: 'none',
            points: linear.map(({past, memory: m}) => ({
                x: past,
                y0: below(m),
                y: below(m) + Number(m[key]),
                tip: {
                    title: `context ${units.exact(past)}`,
                    rows: [...PARTS.map(([part, text]) => [text, units.bytes(m[part])]), ['together', units.bytes(m.total)]],
                },
            })),
        };
    });
}

const of_what = (devices) => (devices > 1 ? `One of the ${devices} devices` : 'One device');

function limit_of(f, capacity, name) {
    const y = f.sy.at(capacity);
    return [
        svg('line', {class: 'limit', x1: f.box.left, x2: f.box.right, y1: y, y2: y}),
        label(f.box.left + 0.5 * f.em, y - 0.4 * f.em, `${name}: ${units.capacity(capacity)}`, {class: 'tick halo limit-label'}),
    ];
}

// the limit is drawn where it is near; far above, it would press all else to the ground
function show_memory({linear, devices}, state) {
    const capacity = Number(machine_record(state.on)?.memory.find((level) => level.level === 'dram')?.capacity_bytes ?? 0);
    const used = Math.max(...linear.map((p) => Number(p.memory.total)));
    const far = capacity > 5 * used;
    const most = far ? used : Math.max(capacity, used);
    const above = far ? ` The ${units.capacity(capacity)} of ${machine_name(state.on)} lie far above.` : '';
    const series = stacked(linear);
    const extra = (f) => (capacity > 0 && !far ? limit_of(f, capacity, machine_name(state.on)) : null);
    memory.note(`${of_what(devices)}, decode, at the batch that is chosen.${above}`);
    const x = {label: 'Context, tokens', format: units.size, domain: [0, linear.at(-1).past]};
    const y = {label: 'Memory', format: (v) => units.short(units.bytes(v)), domain: [0, most * 1.08]};
    memory.show((width) => xy_chart('Memory by context', {x, y, series, height: 21, extra}, width), {
        columns: ['context', ...PARTS.map(([key]) => key), 'total'],
        rows: linear.map(({past, memory: m}) => [past, ...PARTS.map(([key]) => m[key]), m.total]),
    });
    put(memory.under, legend(series.map((s) => ({...s, line: false}))));
}

function show_growth({grown, own, devices}) {
    growth.note(`${of_what(devices)}: the same cache in other formats, both axes logarithmic.`);
    const series = grown
        .filter((g) => g.points.some((p) => p.memory.kv_cache > 0))
        .map(({kv, points}) => ({
            name: kv === own ? `${kv}, chosen` : kv,
            end: kv,
            format: kv,
            line: true,
            dots: true,
            bold: kv === own,
            points: points
                .filter((p) => p.memory.kv_cache > 0)
                .map((p) => ({
                    x: p.past,
                    y: Number(p.memory.kv_cache),
                    tip: {
                        title: `${kv}, context ${units.exact(p.past)}`,
                        rows: [
                            ['cache', units.bytes(p.memory.kv_cache)],
                            ['a position', units.bytes(Math.round(Number(p.memory.kv_cache) / (p.past + 1)))],
                        ],
                    },
                })),
        }));
    if (series.length === 0) {
        growth.say(empty('The cache does not grow.', 'This model keeps a state of fixed size.'));
        return;
    }
    const x = {log: true, base: 2, label: 'Context, tokens', format: units.size};
    const y = {log: true, label: 'KV cache', format: (v) => units.short(units.bytes(v))};
    growth.show((width) => xy_chart('Growth of the KV cache', {x, y, series, height: 21}, width), {
        columns: ['format', 'context', 'kv_cache'],
        rows: grown.flatMap((g) => g.points.map((p) => [g.kv, p.past, p.memory.kv_cache])),
    });
    put(growth.under, legend(series));
}

export function update(state, changed) {
    if (changed.every((name) => ['explain', 'prompt', 'generate', 'method'].includes(name))) return;
    latest.run(
        (signal) => question(state, signal),
        (answer) => {
            if (answer.none) {
                memory.say(empty('No cache', answer.none));
                growth.say(h('span', {}));
                growth.root.hidden = true;
                return;
            }
            growth.root.hidden = false;
            show_memory(answer, state);
            show_growth(answer);
        },
        (error) => {
            memory.say(error);
            growth.root.hidden = true;
        },
    );
}
