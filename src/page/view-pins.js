// view-pins.js - what-ifs beside each other: workloads that were pinned, and the one that is on the page, with ratios to the first.

import {h, put} from './dom.js';
import {ask} from './api.js';
import {Latest} from './latest.js';
import {predict_of, generation_of} from './request.js';
import {read, set, state, query, DEFAULTS} from './state.js';
import {machine_name, name_machine} from './machines.js';
import {NOT_PINNED} from './tools.js';
import {message, loading} from './message.js';
import {save_csv, save_json} from './export.js';
import {menu} from './menu.js';
import * as units from './units.js';

const latest = new Latest();
let place;
let numbers = {columns: [], rows: []};

export function mount(root) {
    place = h('div', {}, loading(10));
    put(
        root,
        h(
            'div',
            {class: 'view-head'},
            h('h2', {}, 'What if'),
            h(
                'div',
                {class: 'view-tools'},
                h('button', {type: 'button', class: 'button small', onclick: () => document.getElementById('pin').click()}, 'Pin what is chosen'),
                menu(
                    'Export',
                    () => [
                        ['CSV', () => save_csv(numbers, 'what-if')],
                        ['JSON', () => save_json(numbers, 'what-if')],
                    ],
                    {title: 'Export: what if', small: true},
                ),
            ),
        ),
        h('p', {class: 'note'}, 'Pin a workload, change something, pin again. Ratios are to the first column.'),
        place,
    );
}

const pinned = (pin) => ({...read(`#overview?${pin}`), pins: []});

async function column(what, signal) {
    try {
        const [options, request] = await Promise.all([predict_of(what), generation_of(what), name_machine(what.on)]);
        return {what, answer: await ask('predict', {...options, ...request, advice: 'none', depth: 0}, {signal})};
    } catch (error) {
        if (error.name === 'AbortError' || error.lost) throw error;
        return {what, error};
    }
}

const ROWS = [
    ['Fits', (p) => (p.memory.fits === null ? '-' : p.memory.fits ? 'yes' : 'no'), null],
    [
        'Rate',
        (p) => (p.tokens_per_s !== null ? units.tokens_per_s(p.tokens_per_s) : units.per_s(p.images_per_s, 'images/s')),
        (p) => p.tokens_per_s ?? p.images_per_s,
    ],
    ['Time', (p) => units.seconds(p.time_s), (p) => p.time_s],
    ['Bound by', (p) => p.bound, null],
    ['First token', (p) => units.seconds(p.ttft_s), (p) => p.ttft_s],
    ['Each token after', (p) => units.seconds(p.tpot_s), (p) => p.tpot_s],
    ['Requests', (p) => units.per_s(p.requests_per_s, '/s'), (p) => p.requests_per_s],
    ['Memory', (p) => units.bytes(p.memory.total), (p) => p.memory.total],
    ['of it weights', (p) => units.bytes(p.memory.weights), (p) => p.memory.weights],
    ['of it KV cache', (p) => units.bytes(p.memory.kv_cache), (p) => p.memory.kv_cache],
    ['Most sequences', (p) => units.exact(p.memory.max_batch), (p) => p.memory.max_batch],
    ['Of the peak', (p) => units.share(p.mfu), null],
    ['Of the bandwidth', (p) => units.share(p.bandwidth_utilisation), null],
    ['Energy of a pass', (p) => units.joules(p.energy_j), (p) => p.energy_j],
];

// what differs between the columns, so that a title says only that
const NAMES = {
    model: 'model',
    on: 'machine',
    phase: 'phase',
    batch: 'batch',
    context: 'context',
    prompt: 'prompt',
    generate: 'answer',
    weights: 'weights',
    activations: 'activations',
    kv: 'KV',
    kernel: 'kernels',
    attention: 'attention',
    method: 'method',
    tp: 'tensor',
    pp: 'pipeline',
    ep: 'expert',
    dp: 'data',
    link: 'link, GB/s',
    image: 'image',
    optimizer: 'optimizer',
    recompute: 'recompute',
};

function title_of(what, all) {
    const differs = Object.keys(NAMES).filter((name) => new Set(all.map((other) => String(other[name]))).size > 1);
    const shown = (name) =>
        name === 'on' ? machine_name(what.on) : what[name] === '' ? 'own' : typeof what[name] === 'number' ? units.exact(what[name]) : what[name];
    return differs.length > 0
        ? differs.map((name) => h('div', {}, h('span', {class: 'note'}, `${NAMES[name]} `), shown(name)))
        : h('div', {}, what.model);
}

function cell(row, value, first) {
    const [, text, number] = row;
    if (!value) return h('td', {class: 'num'}, '-');
    const ratio = number && first && number(value) > 0 && number(first) > 0 && value !== first ? Number(number(value)) / Number(number(first)) : 1;
    return h('td', {class: 'num'}, text(value), h('div', {class: 'note'}, ratio === null || ratio === 1 ? '\u00a0' : `${units.ratio(ratio)} ×`));
}

const SHOWN = Object.keys(DEFAULTS).filter((name) => ![...NOT_PINNED, 'view'].includes(name));

function pin_tools(what, i) {
    const button = (text, label, act) => h('button', {type: 'button', class: 'link', 'aria-label': label, onclick: act}, text);
    return h(
        'div',
        {class: 'pin-tools'},
        button('show', `Show pin ${i + 1} on the page`, () => set(Object.fromEntries(SHOWN.map((name) => [name, what[name]])))),
        ' ',
        button('remove', `Remove pin ${i + 1}`, () => set({pins: state.pins.filter((unused, k) => k !== i)})),
    );
}

function head(c, i, columns) {
    const last = i === state.pins.length;
    const title = title_of(
        c.what,
        columns.map((other) => other.what),
    );
    return h('th', {scope: 'col', class: 'num pin-head'}, title, last ? h('div', {class: 'note'}, 'on the page') : pin_tools(c.what, i));
}

function comparison(columns) {
    const first = columns.find((c) => c.answer)?.answer;
    const row_of = (row) =>
        h(
            'tr',
            {},
            h('th', {scope: 'row'}, row[0]),
            columns.map((c) => cell(row, c.answer, first)),
        );
    const heads = columns.map((c, i) => head(c, i, columns));
    return h('table', {class: 'table pins'}, h('thead', {}, h('tr', {}, h('td', {}), heads)), h('tbody', {}, ROWS.map(row_of)));
}

const numbers_of = (columns) => ({
    columns: ['what', 'model', 'machine', 'time_s', 'tokens_per_s', 'bound', 'memory_total', 'fits', 'ttft_s', 'tpot_s'],
    rows: columns.map(({what, answer}) => [
        query(what, NOT_PINNED),
        what.model,
        what.on,
        answer?.time_s,
        answer?.tokens_per_s,
        answer?.bound,
        answer?.memory.total,
        answer?.memory.fits,
        answer?.ttft_s,
        answer?.tpot_s,
    ]),
});

function show(columns) {
    const scroll = h('div', {class: 'table-scroll', tabindex: '0', role: 'group', 'aria-label': 'What-ifs'}, comparison(columns));
    put(
        place,
        h('div', {class: 'panel'}, scroll),
        columns.filter((c) => c.error).map((c) => message(c.error)),
    );
    numbers = numbers_of(columns);
}

export function update(now, changed) {
    if (changed.every((name) => name === 'explain')) return;
    latest.run(
        (signal) => Promise.all([...now.pins.map(pinned), now].map((what) => column({...what, on: what.on || now.on}, signal))),
        show,
        (error) => put(place, message(error)),
    );
}
