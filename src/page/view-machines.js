// view-machines.js - this workload on every machine, side by side: rate, what bounds it, whether it fits, and what the machine can do.

import {h, put} from './dom.js';
import {Latest} from './latest.js';
import {devices_of} from './request.js';
import {set, state} from './state.js';
import {figure} from './figure.js';
import {bars, bounds_legend} from './bars.js';
import {table} from './table.js';
import {all_machines, machine_name, machine_record} from './machines.js';
import {grid_of, rate, rate_text, fits_text, as_table} from './grid.js';
import * as units from './units.js';

const latest = new Latest();
const MOST = 24;
let chart;
let list;

export function mount(root) {
    chart = figure('Machines side by side', {name: 'machines', rems: 46});
    list = h('section', {class: 'panel'}, h('h2', {}, 'What they can do'), h('div', {class: 'place'}));
    put(root, chart.root, list);
}

const has_bandwidth = (m) => m.memory.some((level) => level.level === 'dram' && level.bytes_per_s);
const has_link = (m) => m.links.some((link) => link.kind === 'device' && link.bytes_per_s);

async function question(signal) {
    const devices = devices_of(state);
    const timed = (await all_machines()).filter(has_bandwidth);
    const able = devices > 1 && state.link === 0 ? timed.filter(has_link) : timed;
    const ids = able.map((m) => m.id).sort((a, b) => (b === state.on) - (a === state.on)); // the chosen one tells whether it can be done
    return {rows: await grid_of(state, {on: ids}, signal), left_out: timed.length - able.length, devices};
}

const on_each = ({left_out, devices}) =>
    devices > 1
        ? `on ${devices} devices of each${left_out > 0 ? `; ${left_out} are left out: how fast their devices are linked is not known` : ''}`
        : 'on one device of each';
const note_of = (found) => `The workload that is chosen, ${on_each(found)}. Grey: it does not fit. A click takes the machine.`;

const chosen = (row) => state.machines.includes(row.machine);
const toggle = (id) => set({machines: state.machines.includes(id) ? state.machines.filter((m) => m !== id) : [...state.machines, id]});
const memory_of = (id) => machine_record(id)?.memory.find((level) => level.level === 'dram');
const peak_of = (id, precision) => machine_record(id)?.peak_flops_per_s[precision];

function bar_of(row) {
    return {
        name: row.machine,
        value: rate(row),
        text: `${rate_text(row)}${row.fits === false ? ', does not fit' : ''}`,
        cls: `${row.fits === false ? 'no-fit' : row.bound}${row.machine === state.on ? ' chosen' : ''}`,
        bound: row.bound,
        id: row.machine,
        tip: {
            title: machine_name(row.machine),
            rows: [
                ['rate', rate_text(row)],
                ['time', units.seconds(row.time_s)],
                ['bound', row.bound],
                ['memory', `${units.bytes(row.memory_bytes)} of ${units.capacity(memory_of(row.machine)?.capacity_bytes)}`],
                ['fits', fits_text(row.fits)],
            ],
        },
    };
}

// those that are compared, or the best; the chosen one in any case
function shown_rows(rows) {
    const some = state.machines.length > 0 ? rows.filter((row) => chosen(row) || row.machine === state.on) : rows;
    const best = [...some].sort((a, b) => (b.fits === true) - (a.fits === true) || rate(b) - rate(a)).slice(0, MOST);
    const own = some.filter((row) => row.machine === state.on && !best.includes(row));
    return {best: [...best, ...own], more: some.length - best.length - own.length};
}

function show_bars(found) {
    const {best, more} = shown_rows(found.rows);
    const drawn = best.map(bar_of);
    chart.note(note_of(found));
    chart.show(bars('Machines side by side', drawn, {chosen: (row) => set({on: row.id})}), as_table(found.rows));
    put(chart.under, bounds_legend(drawn, more > 0 ? `${more} slower ones are in the table` : null));
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
        text: (r) => h('span', {class: r.fits === false ? 'bad' : r.fits ? 'good' : null}, fits_text(r.fits)),
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

let found = null;

function show() {
    show_bars(found);
    const scroll = list.querySelector('.table-scroll');
    const [left, focus] = [scroll?.scrollLeft ?? 0, list.contains(document.activeElement) ? document.activeElement.getAttribute('aria-label') : null];
    put(
        list.lastChild,
        table('Machines', COLUMNS, found.rows, {
            sort: state.sort || '-rate',
            on_sort: (sort) => set({sort}),
            row_class: (r) => (r.machine === state.on ? 'is-chosen' : null),
        }),
    );
    list.querySelector('.table-scroll').scrollLeft = left;
    if (focus) list.querySelector(`[aria-label="${CSS.escape(focus)}"]`)?.focus();
}

export function update(now, changed) {
    if (found && changed.every((name) => ['machines', 'sort', 'explain', 'on'].includes(name))) {
        show();
        return;
    }
    latest.run(
        question,
        (answer) => {
            found = answer;
            show();
        },
        (error) => {
            found = null;
            chart.say(error);
            put(list.lastChild, h('p', {class: 'note'}, 'Nothing is known of them.'));
        },
    );
}
