// view-overview.js - where the time goes, what would make it faster, and the model in other formats on this machine.

import {h, put} from './dom.js';
import {ask} from './api.js';
import {Latest} from './latest.js';
import {predict_of, model_of, traits_of, devices_of} from './request.js';
import {set} from './state.js';
import {figure} from './figure.js';
import {bars, bounds_legend} from './bars.js';
import {table} from './table.js';
import {grid_of, rate, rate_text, fits_text} from './grid.js';
import {message, loading} from './message.js';
import * as units from './units.js';

const MOST = 14;
const time_question = new Latest();
const fit_question = new Latest();
let time;
let advice;
let formats;
let formats_note;
let failure = null; // why there is no prediction: said once

export function mount(root) {
    time = figure('Time by module', {
        name: 'time-by-module',
        rems: 29,
        note: 'Kernels of one pass, longest first. Chosen by a click, a kernel is explained.',
    });
    advice = h('div', {}, loading(3));
    formats = h('div', {}, loading(8));
    formats_note = h('p', {class: 'note'}, '\u00a0');
    put(
        root,
        time.root,
        h(
            'div',
            {class: 'columns'},
            h('section', {class: 'panel'}, h('h2', {}, 'What would make it faster'), advice),
            h('section', {class: 'panel'}, h('h2', {}, 'In other formats'), formats_note, formats),
        ),
    );
}

// ---- time ----

function tip_of(row, total) {
    return {
        title: row.path || '(the model)',
        rows: [
            ['time', units.seconds(row.time_s)],
            ['share', units.share(row.time_s / total)],
            ['bound', row.bound],
            ['computing', units.seconds(row.time_compute_s)],
            ['moving bytes', units.seconds(row.time_memory_s)],
            ['intensity', `${units.ratio(row.arithmetic_intensity)} FLOP/byte`],
            ['calls', units.exact(row.count)],
        ],
    };
}

function rest_of(rows, total) {
    const time_s = rows.reduce((sum, row) => sum + row.time_s, 0);
    const tip = {
        title: `${units.plural(rows.length, 'smaller kernel')}`,
        rows: [
            ['time', units.seconds(time_s)],
            ['share', units.share(time_s / total)],
        ],
    };
    return {
        name: `${rows.length} more`,
        value: time_s,
        text: `${units.seconds(time_s)}\u2002${units.share(time_s / total)}`,
        cls: 'rest',
        tip,
        path: null,
    };
}

function time_bars(answer) {
    const total = Number(answer.time_s);
    const leaves = answer.rows.filter((row) => row.leaf && row.time_s > 0).sort((a, b) => b.time_s - a.time_s);
    const rows = leaves.slice(0, MOST).map((row) => ({
        name: row.path || '(the model)',
        value: row.time_s,
        text: `${units.seconds(row.time_s)}\u2002${units.share(row.time_s / total)}`,
        cls: row.bound,
        bound: row.bound,
        tip: tip_of(row, total),
        path: row.path,
    }));
    return leaves.length > MOST ? [...rows, rest_of(leaves.slice(MOST), total)] : rows;
}

function show_time(answer) {
    const rows = time_bars(answer);
    time.show(bars('Time by module', rows, {chosen: (row) => row.path !== null && set({explain: row.path})}), {
        columns: ['path', 'class', 'count', 'time_s', 'time_compute_s', 'time_memory_s', 'bound', 'flops', 'bytes', 'arithmetic_intensity'],
        rows: answer.rows
            .filter((row) => row.leaf)
            .map((row) => [
                row.path,
                row.class,
                row.count,
                row.time_s,
                row.time_compute_s,
                row.time_memory_s,
                row.bound,
                row.flops,
                row.bytes,
                row.arithmetic_intensity,
            ]),
    });
    put(time.under, bounds_legend(rows));
}

// ---- advice ----

// an advice's options as members of the state, where the page has a control for all of them
const MEMBERS = {weights: 'weights', activations: 'activations', kv: 'kv', batch: 'batch', 'tensor-parallel': 'tp', devices: 'tp', kernel: 'kernel'};

function patch_of(options) {
    const entries = Object.entries(options ?? {});
    return entries.length > 0 && entries.every(([name]) => MEMBERS[name])
        ? Object.fromEntries(entries.map(([name, value]) => [MEMBERS[name], value]))
        : null;
}

function advice_item(item) {
    const patch = patch_of(item.options);
    return h(
        'li',
        {},
        h(
            'div',
            {class: 'advice-head'},
            h('strong', {}, item.action),
            item.speedup ? h('span', {class: 'gain'}, `${units.ratio(item.speedup)} × as fast`) : null,
        ),
        h(
            'p',
            {class: 'note'},
            item.why,
            '.',
            item.lossy ? ' Changes results.' : '',
            item.fits === false && item.to_fit ? ` To fit: ${item.to_fit}.` : '',
        ),
        patch
            ? h('button', {type: 'button', class: 'button small', 'aria-label': `Try it: ${item.action}`, onclick: () => set(patch)}, 'Try it')
            : null,
    );
}

function show_advice(list) {
    put(advice, list.length > 0 ? h('ol', {class: 'advice'}, list.slice(0, 6).map(advice_item)) : h('p', {class: 'note'}, 'Nothing that is known.'));
}

// ---- formats ----

const WEIGHTS = {
    key: 'weights',
    title: 'Weights',
    text: (r) => h('button', {type: 'button', class: 'link', onclick: () => set({weights: r.weights})}, r.weights),
};
const MEMORY = {key: 'memory', title: 'Memory', number: true, text: (r) => units.bytes(r.memory_bytes)};
const FITS = {key: 'fits', title: 'Fits', text: (r) => h('span', {class: r.fits === false ? 'bad' : r.fits ? 'good' : null}, fits_text(r.fits))};
const ON_ONE = [
    WEIGHTS,
    MEMORY,
    FITS,
    {key: 'context', title: 'Longest', number: true, text: (r) => units.exact(r.max_context)},
    {key: 'prompt', title: 'Prompt/s', number: true, text: (r) => units.count_rate(r.prompt_tokens_per_s)},
    {key: 'generate', title: 'Answer/s', number: true, text: (r) => units.count_rate(r.generate_tokens_per_s)},
];
const ON_SEVERAL = [
    WEIGHTS,
    MEMORY,
    FITS,
    {key: 'rate', title: 'Rate', number: true, sort: rate, text: rate_text},
    {key: 'time', title: 'Time', number: true, text: (r) => units.seconds(r.time_s)},
];

async function fits_of(state, signal) {
    const traits = await traits_of(state);
    const machine = state.on === 'this' ? {} : {on: state.on};
    const context = traits.generates ? {context: Math.min(state.context, traits.longest)} : {};
    const {rows} = await ask('fit', {...(await model_of(state)), ...machine, ...context}, {signal});
    const own = state.weights || rows[0]?.weights;
    if (devices_of(state) === 1) return {rows, own, columns: ON_ONE, note: 'One sequence at the context; a format is tried by its name.'};
    const names = [...new Set([own, ...rows.map((row) => row.weights)])];
    return {
        rows: await grid_of(state, {weights: names}, signal),
        own,
        columns: ON_SEVERAL,
        note: `The workload on ${devices_of(state)} devices, memory of one of them; a format is tried by its name.`,
    };
}

function show_formats({rows, own, columns, note}) {
    put(formats_note, note);
    put(formats, table('The model in other formats', columns, rows, {row_class: (r) => (r.weights === own ? 'is-chosen' : null)}));
}

export function update(state) {
    time_question.run(
        async (signal) => ask('predict', await predict_of(state), {signal}),
        (answer) => {
            failure = null;
            show_time(answer);
            show_advice(answer.advice);
        },
        (error) => {
            failure = error.message;
            time.say(error);
            put(advice, h('p', {class: 'note'}, 'There is no prediction to go by.'));
        },
    );
    fit_question.run(
        (signal) => fits_of(state, signal),
        show_formats,
        (error) => {
            put(formats_note, '');
            put(formats, error.message === failure ? h('p', {class: 'note'}, 'Nothing is known of them.') : message(error));
        },
    );
}
