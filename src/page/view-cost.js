// view-cost.js - the tree of modules with FLOPs, bytes, intensity and time. Only the rows that are seen are in the document: a row has a
// fixed height, so where it stands is arithmetic. Keyboard as a treegrid: arrows, Home, End, Enter explains.

import {h, put, announce} from './dom.js';
import {ask, request_of, failure_of, Failure} from './api.js';
import {Latest} from './latest.js';
import {cost_of, predict_of} from './request.js';
import {set, state} from './state.js';
import {tree_of, visible, matching, has_children, name_of} from './tree.js';
import {message, loading, warnings} from './message.js';
import {menu} from './menu.js';
import {save_csv, save_json} from './export.js';
import * as units from './units.js';

const latest = new Latest();
const COLUMNS = [
    ['name', 'Module'],
    ['flops', 'FLOPs'],
    ['bytes', 'Bytes'],
    ['intensity', 'FLOP/B'],
    ['time', 'Time'],
];
const CELLS = COLUMNS.slice(1).map(([key]) => key);
const AROUND = 8; // rows above and below what is seen
let tree = null;
let times = new Map();
let total_time = 0;
let rows = [];
let active = 0;
let row_height = 28;
let parts;

// ---- what is open ----

// at first the upper levels are; the state has what differs
const open_at_first = (i) => tree.depths[i] < (state.all ? 1 : 3);
const is_open = (i) => open_at_first(i) !== state.open.includes(tree.paths[i]);

function toggle(i, wanted = !is_open(i)) {
    if (!has_children(tree, i) || is_open(i) === wanted) return;
    const path = tree.paths[i];
    set({open: state.open.includes(path) ? state.open.filter((p) => p !== path) : [...state.open, path]}, 'open');
}

// ---- rows ----

const short_class = (name) => name.split('.').at(-1);

const time_of = (i) => times.get(tree.paths[i]);
const of_root = (list, i) => Number(list[i]) / Number(list[0] || 1);

// a cell's text, its share of the whole, every digit
const CONTENT = {
    flops: (i) => [units.count(tree.flops[i]), of_root(tree.flops, i), `${units.exact(tree.flops[i])} FLOPs`],
    bytes: (i) => [units.bytes(tree.bytes[i]), of_root(tree.bytes, i), `${units.exact(tree.bytes[i])} bytes`],
    intensity: (i) => [Number.isNaN(tree.intensity[i]) ? '-' : units.ratio(tree.intensity[i]), 0, null],
    time: (i) => [time_of(i) === undefined ? '' : units.seconds(time_of(i)), (time_of(i) ?? 0) / (total_time || 1), null],
};

function number_cell(i, key, column) {
    const [text, share, full] = CONTENT[key](i);
    return h(
        'div',
        {role: 'gridcell', class: `tree-cell num ${key}`, 'aria-colindex': column, title: full},
        share > 0 ? h('span', {class: 'bar-fill', 'aria-hidden': 'true', style: {width: `${Math.max(0.5, Math.min(100, 100 * share))}%`}}) : null,
        h('span', {class: 'cell'}, text),
    );
}

// ---- order ----

const VALUES = {
    flops: (i) => tree.flops[i],
    bytes: (i) => tree.bytes[i],
    intensity: (i) => (Number.isNaN(tree.intensity[i]) ? null : tree.intensity[i]),
    time: (i) => time_of(i) ?? null,
};

// what has no value comes last, whichever way
function comparison() {
    const value = VALUES[state.order.replace(/^-/, '')];
    const sign = state.order.startsWith('-') ? -1 : 1;
    if (!value) return null;
    return (i, j) => {
        const [a, b] = [value(i), value(j)];
        if (a === null || b === null) return (a === null) - (b === null);
        return a < b ? -sign : a > b ? sign : 0;
    };
}

// largest first, smallest first; by the module's name: as the model has them
function order_by(key) {
    if (key === 'name') set({order: ''});
    else set({order: state.order === `-${key}` ? key : `-${key}`});
}

function head_cell([key, title], column) {
    const sorted = state.order.replace(/^-/, '') === key;
    const direction = state.order.startsWith('-') ? 'descending' : 'ascending';
    const mark = h('span', {'aria-hidden': 'true', class: 'sort-mark'}, sorted ? (direction === 'descending' ? ' ↓' : ' ↑') : '');
    return h(
        'div',
        {
            role: 'columnheader',
            class: `tree-cell ${key === 'name' ? 'name' : `num ${key}`}`,
            'aria-colindex': column + 1,
            'aria-sort': sorted ? direction : null,
        },
        h(
            'button',
            {
                type: 'button',
                class: 'link head',
                title: key === 'name' ? 'In the order of the model' : `Sort by ${title} within each module`,
                'data-key': key,
                onclick: () => order_by(key),
            },
            title,
            mark,
        ),
    );
}

function draw_head() {
    const focused = parts.head.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    put(parts.head, h('div', {role: 'row', class: 'tree-row head', 'aria-rowindex': 1}, COLUMNS.map(head_cell)));
    if (focused) parts.head.querySelector(`[data-key="${focused}"]`).focus();
}

// ---- rows as they are seen ----

function row_of(place) {
    const i = rows[place];
    const inner = has_children(tree, i);
    const open = inner && (state.find !== '' || is_open(i));
    return h(
        'div',
        {
            role: 'row',
            id: `node-${i}`,
            class: `tree-row${place === active ? ' is-active' : ''}${tree.paths[i] === state.explain ? ' is-explained' : ''}`,
            'aria-rowindex': place + 2,
            'aria-level': tree.depths[i] + 1,
            'aria-expanded': inner ? String(open) : null,
            'data-place': place,
            style: {top: `${place * row_height}px`},
        },
        h(
            'div',
            {
                role: 'rowheader',
                class: 'tree-cell name',
                'aria-colindex': 1,
                title: tree.paths[i],
                style: {'padding-left': `${0.3 + Math.min(tree.depths[i], 12) * 0.95}rem`},
            },
            h('span', {class: `twist${inner ? '' : ' leaf'}${open ? ' open' : ''}`, 'aria-hidden': 'true'}),
            h('span', {class: 'node-name mono'}, name_of(tree, i)),
            tree.counts[i] > 1 ? h('span', {class: 'times'}, ` × ${units.exact(tree.counts[i])}`) : null,
            h('span', {class: 'node-class'}, short_class(tree.classes[i])),
        ),
        CELLS.map((key, column) => number_cell(i, key, column + 2)),
    );
}

let drawn = new Map(); // place to row: a row that stays seen is not made anew

function draw_anew() {
    drawn = new Map();
    put(parts.inner);
    draw();
}

function draw() {
    if (!tree) return;
    const {scroller, inner} = parts;
    const height = parseFloat(getComputedStyle(scroller).getPropertyValue('--row')) * parseFloat(getComputedStyle(document.documentElement).fontSize);
    if (height !== row_height) {
        row_height = height;
        drawn = new Map();
        put(inner);
    }
    const first = Math.max(0, Math.floor(scroller.scrollTop / row_height) - AROUND);
    const last = Math.min(rows.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / row_height) + AROUND);
    inner.style.height = `${rows.length * row_height}px`;
    const places = Array.from({length: last - first}, (unused, k) => first + k);
    const now = new Map(places.map((place) => [place, drawn.get(place) ?? row_of(place)]));
    for (const [place, row] of drawn) if (!now.has(place)) row.remove();
    inner.append(...places.filter((place) => !drawn.has(place)).map((place) => now.get(place)));
    drawn = now;
    scroller.style.setProperty('--rows', String(rows.length));
    scroller.setAttribute('aria-rowcount', String(rows.length + 1));
    if (document.getElementById(`node-${rows[active]}`)) scroller.setAttribute('aria-activedescendant', `node-${rows[active]}`);
}

let frame = 0;
const draw_soon = () => {
    frame ||= requestAnimationFrame(() => {
        frame = 0;
        draw();
    });
};

function lay_out() {
    const at = rows[active];
    draw_head();
    rows = state.find ? matching(tree, state.find, comparison()) : visible(tree, is_open, comparison());
    const again = rows.indexOf(at);
    active = again >= 0 ? again : Math.min(active, Math.max(0, rows.length - 1));
    put(parts.count, `${units.exact(rows.length)} of ${units.plural(tree.count, 'row')}`);
    draw_anew();
}

function go(place) {
    active = Math.max(0, Math.min(rows.length - 1, place));
    const {scroller} = parts;
    const head = parts.head.offsetHeight;
    const top = active * row_height;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top + row_height > scroller.scrollTop + scroller.clientHeight - head)
        scroller.scrollTop = top + row_height - scroller.clientHeight + head;
    draw_anew();
}

// ---- keys and pointer ----

function key(event) {
    if (!tree || event.target !== parts.scroller) return;
    const i = rows[active];
    const page = Math.floor(parts.scroller.clientHeight / row_height) - 2;
    const moves = {ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: rows.length - 1};
    if (event.key in moves) go(moves[event.key]);
    else if (event.key === 'ArrowRight') is_open(i) || !has_children(tree, i) ? go(active + 1) : toggle(i, true);
    else if (event.key === 'ArrowLeft')
        is_open(i) && has_children(tree, i) ? toggle(i, false) : tree.parents[i] >= 0 && go(rows.indexOf(tree.parents[i]));
    else if (event.key === 'Enter' || event.key === ' ') set({explain: tree.paths[i]});
    else return;
    event.preventDefault();
}

function click(event) {
    const row = event.target.closest('.tree-inner > .tree-row');
    if (!row) return;
    active = Number(row.dataset.place);
    const i = rows[active];
    if (event.target.closest('.name') && has_children(tree, i) && state.find === '') toggle(i);
    else set({explain: tree.paths[i]});
    draw_anew();
}

// ---- the answer ----

function in_worker(options, signal) {
    const {url, init} = request_of('cost', options);
    return new Promise((done, failed) => {
        const worker = new Worker(new URL('./tree-worker.js', import.meta.url), {type: 'module'});
        const end = () => worker.terminate();
        signal.addEventListener('abort', () => {
            end();
            failed(new DOMException('aborted', 'AbortError'));
        });
        worker.addEventListener('message', ({data}) => {
            end();
            if (data.tree) done(data);
            else failed(data.lost ? new Failure('The server does not answer.', {lost: true}) : failure_of(data.status, data.text));
        });
        worker.postMessage({url: new URL(url, location.href).href, init});
    });
}

async function question(signal) {
    const options = await cost_of(state);
    const predicted = predict_of(state)
        .then((p) => ask('predict', {...p, advice: 'none'}, {signal}))
        .catch(() => null);
    const answer = state.all
        ? await in_worker({...options, all: true}, signal)
        : await ask('cost', options, {signal}).then((a) => ({tree: tree_of(a.rows), warnings: a.warnings}));
    return {...answer, predicted: await predicted};
}

function show(answer) {
    tree = answer.tree;
    times = new Map((answer.predicted?.rows ?? []).map((row) => [row.path, row.time_s]));
    total_time = Number(answer.predicted?.time_s ?? 0);
    parts.scroller.hidden = false;
    put(parts.say, warnings(answer.warnings));
    lay_out();
    announce(`${units.exact(tree.count)} rows`);
}

function numbers() {
    return {
        columns: ['path', 'class', 'count', 'flops', 'bytes', 'arithmetic_intensity', 'time_s'],
        rows: Array.from({length: tree.count}, (unused, i) => [
            tree.paths[i],
            tree.classes[i],
            tree.counts[i],
            tree.flops[i],
            tree.bytes[i],
            Number.isNaN(tree.intensity[i]) ? null : tree.intensity[i],
            times.get(tree.paths[i]),
        ]),
    };
}

function tree_grid() {
    const head = h('div', {role: 'rowgroup', class: 'tree-head'});
    const inner = h('div', {role: 'rowgroup', class: 'tree-inner'});
    const scroller = h(
        'div',
        {
            role: 'treegrid',
            class: 'tree',
            tabindex: '0',
            'aria-label': 'Cost by module',
            'aria-colcount': COLUMNS.length,
            hidden: true,
            onkeydown: key,
            onclick: click,
            onscroll: draw_soon,
        },
        head,
        inner,
    );
    new ResizeObserver(draw_soon).observe(scroller);
    return {head, inner, scroller};
}

function tools() {
    const all = h('input', {type: 'checkbox', id: 'cost-all', onchange: () => set({all: all.checked, open: []})});
    const find = h('input', {
        type: 'search',
        class: 'field-input',
        placeholder: 'Find a module or class',
        'aria-label': 'Find a module or class',
        oninput: () => set({find: find.value}, 'find'),
    });
    const exports = menu(
        'Export',
        () => [
            ['CSV', () => tree && save_csv(numbers(), 'cost')],
            ['JSON', () => tree && save_json(numbers(), 'cost')],
        ],
        {title: 'Export: cost by module', small: true},
    );
    return {all, find, bar: h('div', {class: 'view-tools'}, find, h('label', {class: 'check', for: 'cost-all'}, all, 'every layer'), exports)};
}

export function mount(root) {
    parts = {...tools(), ...tree_grid(), count: h('span', {class: 'note'}), say: h('div', {}, loading(14))};
    put(
        root,
        h('div', {class: 'view-head'}, h('h2', {}, 'Cost by module'), parts.bar),
        h('p', {class: 'note'}, 'A name opens and closes; any number is explained; a column’s title sorts. ', parts.count),
        parts.say,
        parts.scroller,
    );
}

export async function update(now, changed) {
    parts.all.checked = now.all;
    if (document.activeElement !== parts.find) parts.find.value = now.find;
    const shape_only = changed.every((name) => ['open', 'find', 'order', 'explain'].includes(name));
    if (shape_only && tree) {
        lay_out();
        return;
    }
    latest.run(question, show, (error) => {
        tree = null;
        parts.scroller.hidden = true;
        put(parts.say, message(error));
    });
}
