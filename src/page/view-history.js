// view-history.js - what was measured over time: one kernel followed through its runs, with its interval, and the runs themselves.

import {h, svg, put, unique} from './dom.js';
import {ask} from './api.js';
import {Latest} from './latest.js';
import {set, state} from './state.js';
import {log_domain} from './scale.js';
import {figure} from './figure.js';
import {xy_chart, legend} from './xy.js';
import {table} from './table.js';
import {empty, message} from './message.js';
import {shape_text, machine_of, forget_history} from './measured.js';
import {measured_dialog} from './dialogs.js';
import * as units from './units.js';

const latest = new Latest();
let chart;
let select;
let runs_place;
let answer = null;
let runs = new Map();
let several = false; // machines
let say;

// what is followed: a kernel of one shape on one machine
function followed(row) {
    const where = several && runs.has(row.run) ? `, ${machine_of(runs.get(row.run))}` : '';
    return `${row.kernel} ${shape_text(row.shape)}, ${units.plural(row.threads, 'thread')}, ${row.cache}${where}`;
}

const code_of = (row) => [...new Set([row.variant, row.provider === 'ridge' ? null : row.provider])].filter(Boolean).join(', ');
const when = (text) => text.replace('T', ' ').replace(/:\d\dZ$/, '');

export function mount(root) {
    const id = unique('kernel');
    select = h('select', {id, class: 'select', onchange: () => set({past: select.value})});
    chart = figure('A kernel over time', {
        name: 'history',
        rems: 24,
        note: 'Median of each run with its 95 % interval; lower is faster.',
        controls: h('div', {class: 'control wide-select'}, h('label', {for: id, class: 'quiet'}, 'Kernel'), select),
    });
    runs_place = h('section', {class: 'panel'}, h('h2', {}, 'Runs'), h('div', {}));
    say = h('span', {class: 'note', role: 'status'});
    put(
        root,
        h('div', {class: 'view-tools'}, h('button', {type: 'button', class: 'button small', onclick: take}, 'Import measured points'), say),
        chart.root,
        runs_place,
    );
}

function take() {
    measured_dialog((said) => {
        forget_history();
        put(say, said);
        ask_runs();
    });
}

// the kernel that was measured most is followed at first
function kernels() {
    const times = new Map();
    for (const row of answer.rows) times.set(followed(row), (times.get(followed(row)) ?? 0) + 1);
    return [...times].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

function interval(f, p, colour_of) {
    const x = f.sx.at(p.x);
    return svg('line', {
        x1: x.toFixed(1),
        x2: x.toFixed(1),
        y1: f.sy.at(p.low).toFixed(1),
        y2: f.sy.at(p.high).toFixed(1),
        stroke: colour_of,
        'stroke-width': 2,
        'stroke-opacity': 0.5,
    });
}

function point_of(row, run) {
    return {
        x: Date.parse(run.started) / 1000,
        y: row.time_s.median,
        low: row.time_s.low,
        high: row.time_s.high,
        name: run.uuid,
        tip: {
            title: `${row.format}, ${when(run.started)}`,
            rows: [
                ['time', units.seconds(row.time_s.median)],
                ['interval', `${units.seconds(row.time_s.low)} to ${units.seconds(row.time_s.high)}`],
                ['rate', units.flops_per_s(row.flops_per_s)],
                ['bandwidth', units.bytes_per_s(row.bytes_per_s)],
                ['of the ceiling', `${units.percent(row.percent_of_ceiling)} %`],
                ['code', code_of(row)],
                ['ridge', run.ridge],
                ['build', run.build],
            ],
        },
    };
}

// a line for each format, and for each code of it where several ran
function series_of(rows) {
    const codes = new Map();
    for (const row of rows) codes.set(row.format, new Set([...(codes.get(row.format) ?? []), code_of(row)]));
    const name_of = (row) => (codes.get(row.format).size > 1 ? `${row.format}, ${code_of(row)}` : row.format);
    return [...new Set(rows.map(name_of))].map((name) => {
        const mine = rows.filter((row) => name_of(row) === name);
        const points = mine.map((row) => point_of(row, runs.get(row.run))).sort((a, b) => a.x - b.x);
        return {name, end: name, format: mine[0].format, dots: true, line: true, hollow: true, points};
    });
}

function time_axis(times) {
    const [first, last] = [Math.min(...times), Math.max(...times)];
    const room = Math.max(60, (last - first) * 0.05);
    const days = last - first > 2 * 86400;
    const until = days ? 10 : last - first > 7200 ? 16 : 19;
    return {
        label: 'Time of the run, UTC',
        domain: [first - room, last + room],
        format: (v) => new Date(v * 1000).toISOString().slice(days ? 0 : 11, until),
    };
}

const numbers_of = (rows) => ({
    columns: ['started', 'kernel', 'shape', 'format', 'variant', 'time_s', 'low_s', 'high_s', 'flops_per_s', 'bytes_per_s'],
    rows: rows.map((row) => [
        runs.get(row.run).started,
        row.kernel,
        shape_text(row.shape),
        row.format,
        row.variant,
        row.time_s.median,
        row.time_s.low,
        row.time_s.high,
        row.flops_per_s,
        row.bytes_per_s,
    ]),
});

function show_chart() {
    const names = kernels();
    const chosen = names.includes(state.past) ? state.past : names[0];
    put(
        select,
        names.map((name) => h('option', {value: name}, name)),
    );
    select.value = chosen;
    const rows = answer.rows.filter((row) => followed(row) === chosen && runs.has(row.run) && row.time_s?.median > 0);
    const series = series_of(rows);
    const points = series.flatMap((s) => s.points);
    const x = time_axis(points.map((p) => p.x));
    const y = {
        log: true,
        domain: log_domain(points.flatMap((p) => [p.low, p.high])),
        label: 'Time',
        room: 5.4,
        format: (v) => units.short(units.seconds(v)),
    };
    const extra = (f) => points.map((p) => interval(f, p, 'var(--soft)'));
    chart.show((width) => xy_chart('A kernel over time', {x, y, series, height: 24, extra}, width), numbers_of(rows));
    put(chart.under, legend(series));
}

const COLUMNS = [
    {key: 'run', title: 'Run', text: (r) => units.exact(r.run)},
    {key: 'started', title: 'Started, UTC', text: (r) => when(r.started)},
    {key: 'rows', title: 'Rows', number: true, text: (r) => units.exact(r.row_count)},
    {key: 'ridge', title: 'Ridge', text: (r) => r.ridge},
    {key: 'machine', title: 'Machine', text: machine_of},
    {key: 'command', title: 'Command', text: (r) => (r.command ? h('code', {}, r.command) : r.build)},
];

function show(found) {
    answer = found;
    runs = new Map(answer.runs.map((run) => [run.run, run]));
    several = new Set(answer.runs.map(machine_of)).size > 1;
    if (answer.rows.length === 0) {
        chart.say(
            empty(
                'Nothing was measured here yet.',
                'The spot check of the tab Measure keeps its results here, as ridge bench does.',
                h('button', {type: 'button', class: 'button', onclick: () => set({view: 'spot'})}, 'Measure a kernel'),
            ),
        );
        select.hidden = true;
        runs_place.hidden = true;
        return;
    }
    runs_place.hidden = select.hidden = false;
    show_chart();
    put(runs_place.lastChild, table('Runs', COLUMNS, [...answer.runs].reverse().slice(0, 100)));
}

function ask_runs() {
    latest.run(
        (signal) => ask('history', {}, {signal, fresh: true}),
        show,
        (error) => {
            chart.say(error);
            put(runs_place.lastChild, message(error));
        },
    );
}

export function update(now, changed) {
    if (answer && answer.rows.length > 0 && changed.every((name) => ['past', 'explain'].includes(name))) {
        show_chart();
        return;
    }
    ask_runs();
}
