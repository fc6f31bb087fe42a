// view-machines.js - this workload on every machine, side by side: rate, what bounds it, whether it fits, and what the machine can do.

import {h, put} from './dom.js';
import {ask, Latest} from './api.js';
import {predict_of} from './request.js';
import {set, state} from './state.js';
import {figure} from './figure.js';
import {bars} from './bars.js';
import {table} from './table.js';
import {all_machines, machine_name, machine_record} from './choosers.js';
import {message} from './message.js';
import * as units from './units.js';

const latest = new Latest();
const MOST = 24;
let chart;
let list;

export function mount(root) {
    chart = figure('Machines side by side', {
        name: 'machines',
        rems: 46,
        note: 'The workload that is chosen, on one device of each. Grey: it does not fit. A click takes the machine.',
    });
    list = h('section', {class: 'panel'}, h('h2', {}, 'What they can do'), h('div', {class: 'place'}));
    put(root, chart.root, list);
}

const TAKEN = [
    'config',
    'model',
    'phase',
    'batch',
    'seq',
    'past',
    'weights',
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

async function question(signal) {
    const options = await predict_of(state);
    const common = Object.fromEntries(Object.entries(options).filter(([name]) => TAKEN.includes(name)));
    const timed = (await all_machines()).filter((m) => m.memory.some((level) => level.level === 'dram' && level.bytes_per_s)).map((m) => m.id);
    const {rows} = await ask('sweep', {...common, on: timed.join(',')}, {signal});
    return rows.filter((row) => row.time_s !== null);
}

const rate = (row) => Number(row.tokens_per_s ?? row.images_per_s);
const rate_text = (row) => (row.tokens_per_s !== null ? units.tokens_per_s(row.tokens_per_s) : units.per_s(row.images_per_s, 'images/s'));
const chosen = (row) => state.machines.includes(row.machine);
const toggle = (id) => set({machines: state.machines.includes(id) ? state.machines.filter((m) => m !== id) : [...state.machines, id]});
const memory_of = (id) => machine_record(id)?.memory.find((level) => level.level === 'dram');
const peak_of = (id, precision) => machine_record(id)?.peak_flops_per_s[precision];

function show_bars(rows) {
    const some = state.machines.length > 0 ? rows.filter((row) => chosen(row) || row.machine === state.on) : rows;
    const best = [...some].sort((a, b) => (b.fits === true) - (a.fits === true) || rate(b) - rate(a)).slice(0, MOST);
    if (!best.some((row) => row.machine === state.on)) best.push(...some.filter((row) => row.machine === state.on));
    chart.show(
        bars(
            'Machines side by side',
            best.map((row) => ({
                name: row.machine,
                value: rate(row),
                text: `${rate_text(row)}${row.fits === false ? ', does not fit' : ''}`,
                cls: `${row.fits === false ? 'no-fit' : row.bound}${row.machine === state.on ? ' chosen' : ''}`,
                id: row.machine,
                tip: {
                    title: machine_name(row.machine),
                    rows: [
                        ['rate', rate_text(row)],
                        ['time', units.seconds(row.time_s)],
                        ['bound', row.bound],
                        ['memory', `${units.bytes(row.memory_bytes)} of ${units.capacity(memory_of(row.machine)?.capacity_bytes)}`],
                        ['fits', row.fits === null ? '-' : row.fits ? 'yes' : 'no'],
                    ],
                },
            })),
            {chosen: (row) => set({on: row.id})},
        ),
        {columns: Object.keys(rows[0] ?? {}), rows: rows.map((row) => Object.values(row))},
    );
    put(
        chart.under,
        h(
            'ul',
            {class: 'legend', 'aria-label': 'Legend'},
            h('li', {class: 'legend-item'}, h('i', {class: 'swatch memory'}), 'bound by memory'),
            h('li', {class: 'legend-item'}, h('i', {class: 'swatch compute'}), 'bound by computing'),
            some.length > best.length ? h('li', {class: 'legend-item'}, `${some.length - best.length} slower ones are in the table`) : null,
        ),
    );
}

const COLUMNS = [
    {
        key: 'name',
        title: 'Machine',
        sort: (r) => machine_name(r.machine),
        text: (r) =>
            h(
                'label',
                {class: 'check'},
                h('input', {
                    type: 'checkbox',
                    checked: chosen(r),
                    onchange: () => toggle(r.machine),
                    'aria-label': `Compare ${machine_name(r.machine)}`,
                }),
                h('button', {type: 'button', class: 'link', onclick: () => set({on: r.machine})}, machine_name(r.machine)),
            ),
    },
    {key: 'rate', title: 'Rate', number: true, sort: rate, text: rate_text},
    {key: 'time', title: 'Time', number: true, sort: (r) => r.time_s, text: (r) => units.seconds(r.time_s)},
    {key: 'bound', title: 'Bound', sort: (r) => r.bound, text: (r) => r.bound},
    {
        key: 'fits',
        title: 'Fits',
        sort: (r) => (r.fits ? 1 : 0),
        text: (r) => h('span', {class: r.fits ? 'good' : 'bad'}, r.fits === null ? '-' : r.fits ? 'yes' : 'no'),
    },
    {key: 'bf16', title: 'bf16', number: true, sort: (r) => peak_of(r.machine, 'bf16'), text: (r) => units.flops_per_s(peak_of(r.machine, 'bf16'))},
    {key: 'fp8', title: 'fp8', number: true, sort: (r) => peak_of(r.machine, 'fp8'), text: (r) => units.flops_per_s(peak_of(r.machine, 'fp8'))},
    {
        key: 'bandwidth',
        title: 'Bandwidth',
        number: true,
        sort: (r) => memory_of(r.machine)?.bytes_per_s,
        text: (r) => units.bytes_per_s(memory_of(r.machine)?.bytes_per_s),
    },
    {
        key: 'memory',
        title: 'Memory',
        number: true,
        sort: (r) => memory_of(r.machine)?.capacity_bytes,
        text: (r) => units.capacity(memory_of(r.machine)?.capacity_bytes),
    },
    {
        key: 'power',
        title: 'Power',
        number: true,
        sort: (r) => machine_record(r.machine)?.power_w,
        text: (r) => (machine_record(r.machine)?.power_w ? `${machine_record(r.machine).power_w} W` : '-'),
    },
];

let rows = [];

function show() {
    show_bars(rows);
    const scroll = list.querySelector('.table-scroll');
    const [left, focus] = [scroll?.scrollLeft ?? 0, list.contains(document.activeElement) ? document.activeElement.getAttribute('aria-label') : null];
    put(
        list.lastChild,
        table('Machines', COLUMNS, rows, {
            sort: state.sort || '-rate',
            on_sort: (sort) => set({sort}),
            row_class: (r) => (r.machine === state.on ? 'is-chosen' : null),
        }),
    );
    list.querySelector('.table-scroll').scrollLeft = left;
    if (focus) list.querySelector(`[aria-label="${CSS.escape(focus)}"]`)?.focus();
}

export function update(now, changed) {
    if (rows.length > 0 && changed.every((name) => ['machines', 'sort', 'explain', 'on'].includes(name))) {
        show();
        return;
    }
    latest.run(
        question,
        (answer) => {
            rows = answer;
            show();
        },
        (error) => {
            rows = [];
            chart.say(error);
            put(list.lastChild, message(error));
        },
    );
}
