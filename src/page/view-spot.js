// view-spot.js - the kernel spot check: a product or an attention, measured on the machine that serves, beside theory. Its results join the
// roofline as hollow points.

import {h, put, unique, announce} from './dom.js';
import {ask} from './api.js';
import {Latest} from './latest.js';
import {cost_of} from './request.js';
import {set, state} from './state.js';
import {job_bar} from './job-bar.js';
import {calibrate} from './calibrate.js';
import {figure} from './figure.js';
import {xy_chart, legend} from './xy.js';
import {table} from './table.js';
import {message, empty} from './message.js';
import {add_measured, history_rows, shape_text, tip_of} from './measured.js';
import {machine_name, is_measured} from './machines.js';
import * as units from './units.js';

const SHAPES = {gemm: ['m', 'n', 'k'], gemv: ['n', 'k'], attention: ['m', 'k', 'heads', 'kv_heads', 'head_dim']};
const LABELS = {m: 'M', n: 'N', k: 'K', heads: 'Heads', kv_heads: 'KV heads', head_dim: 'Head size'};
const ATTENTION_LABELS = {...LABELS, m: 'New tokens', k: 'Keys'};
const FORMATS = ['fp32', 'bf16', 'fp16', 'fp8_e4m3', 'int8', 'q8_0', 'q6_K', 'q5_K', 'q4_K', 'q4_0', 'mxfp4', 'nvfp4', 'int4'];
const theory_question = new Latest();
const presets_question = new Latest();
const accuracy_question = new Latest();
let parts;

// ---- what is asked ----

function shape_of() {
    if (state.spot === 'attention')
        return {seq: state.m, 'kv-len': Math.max(state.k, state.m), heads: state.heads, 'kv-heads': state.kv_heads, 'head-dim': state.head_dim};
    return state.spot === 'gemv' ? {n: state.n, k: state.k} : {m: state.m, n: state.n, k: state.k};
}

// short enough to wait for: `ridge bench` measures longer
const bench_options = () => ({
    kind: state.spot,
    ...shape_of(),
    dtype: state.format,
    budget: '500ms',
    'ceilings-budget': '1s',
    ...(state.formats ? {'all-formats': true} : {}),
});

// ---- presets: the products of the model that is chosen ----

async function presets(signal) {
    const options = await cost_of(state);
    const {rows} = await ask('cost', options, {signal});
    const linear = rows.filter((row) => /\.(Linear|Conv1D)$/.test(row.class)).slice(0, 24);
    const core = rows.find((row) => /(self_attn|attention|attn|self)$/.test(row.path));
    const asked = [...linear, ...(core ? [core] : [])];
    const answers = await Promise.all(asked.map((row) => ask('cost', {...options, explain: row.path}, {signal}).catch(() => null)));
    const found = answers
        .slice(0, linear.length)
        .map((answer, i) => product(answer, linear[i].path))
        .filter(Boolean);
    const names = Object.fromEntries((core ? (answers.at(-1)?.local_names ?? []) : []).map((name) => [name.name, name.value]));
    return [...merge(found), ...(names.H && names.d ? [attention(names)] : [])];
}

function product(answer, path) {
    const {rows, in_features: k, out_features: n} = answer?.arguments ?? {};
    return rows && k && n
        ? {text: path.replace(/^.*?\.(\*|\{[^}]*\})\./, ''), patch: {spot: 'gemm', m: Number(rows), n: Number(n), k: Number(k)}}
        : null;
}

// one preset per shape, with all its names
function merge(found) {
    const by_shape = new Map();
    for (const preset of found) {
        const key = Object.values(preset.patch).join();
        const first = by_shape.get(key);
        by_shape.set(key, first ? {...first, text: `${first.text}, ${preset.text.split('.').at(-1)}`} : preset);
    }
    return [...by_shape.values()];
}

function attention(names) {
    const decode = state.phase === 'decode';
    return {
        text: 'attention',
        patch: {
            spot: 'attention',
            m: decode ? 1 : state.prompt,
            k: decode ? state.context + 1 : state.prompt,
            heads: Number(names.H),
            kv_heads: Number(names.K ?? names.H),
            head_dim: Number(names.d),
        },
    };
}

function show_presets(list) {
    put(
        parts.presets,
        list.length > 0 ? h('span', {class: 'note'}, `From ${state.model}: `) : null,
        list.slice(0, 10).map((preset) =>
            h(
                'button',
                {
                    type: 'button',
                    class: 'chip',
                    'aria-pressed': String(Object.entries(preset.patch).every(([name, value]) => state[name] === value)),
                    onclick: () => set(preset.patch),
                },
                preset.text,
            ),
        ),
    );
}

// ---- theory ----

function theory_facts(t) {
    return h(
        'dl',
        {class: 'facts'},
        [
            ['FLOPs', units.exact(t.flops)],
            ['bytes', units.exact(t.bytes.total)],
            ['intensity', `${units.ratio(t.arithmetic_intensity)} FLOP/byte`],
            ['time at best', units.seconds(t.time_s)],
            ['rate', units.flops_per_s(t.flops_per_s)],
            ['bound', t.bound ?? '-'],
        ].map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
    );
}

// on the machine that is chosen, where its rates are known
function theory() {
    const machine = is_measured(state.on) ? {on: state.on} : {};
    const unknown = 'What the machine that serves can do is not known yet: the card above measures it, and a spot check what it needs.';
    theory_question.run(
        (signal) => ask(`op/${state.spot}`, {...shape_of(), dtype: state.format, ...machine}, {signal}),
        (answer) =>
            put(
                parts.theory,
                h('h3', {}, answer.machine ? `Theory on ${machine_name(state.on)}` : 'Theory'),
                theory_facts(answer),
                [...(answer.warnings ?? []), ...(answer.machine ? [] : [unknown])].map((text) => h('p', {class: 'note'}, text)),
            ),
        (error) => put(parts.theory, message(error)),
    );
}

// ---- running ----

const COLUMNS = [
    {key: 'format', title: 'Format', text: (r) => r.format},
    {key: 'variant', title: 'Kernel', text: (r) => [r.variant, r.provider].filter(Boolean).join(', ')},
    {key: 'time', title: 'Time', number: true, text: (r) => units.seconds(r.time_s?.median)},
    {
        key: 'range',
        title: '95 % interval',
        number: true,
        text: (r) => (r.time_s ? `${units.seconds(r.time_s.low)} to ${units.seconds(r.time_s.high)}` : '-'),
    },
    {key: 'rate', title: 'Rate', number: true, text: (r) => units.flops_per_s(r.flops_per_s)},
    {key: 'bandwidth', title: 'Bandwidth', number: true, text: (r) => units.bytes_per_s(r.bytes_per_s)},
    {key: 'predicted', title: 'Predicted', number: true, text: (r) => units.seconds(r.predicted_s)},
    {key: 'error', title: 'Error', number: true, text: (r) => units.share(r.error)},
    {
        key: 'ceiling',
        title: 'Of the ceiling',
        number: true,
        text: (r) => (r.percent_of_ceiling === null ? '-' : `${units.percent(r.percent_of_ceiling)} %`),
    },
];

const text_of = (failed) =>
    typeof failed === 'string'
        ? failed
        : Object.values(failed)
              .filter((v) => typeof v === 'string')
              .join(': ');

function show_result(answer) {
    const failed = answer.failed ?? [];
    put(
        parts.result,
        h('h3', {}, `Measured: ${state.spot} ${shape_text(answer.rows[0]?.shape ?? {})}`),
        table('Measured', COLUMNS, answer.rows),
        h(
            'p',
            {class: 'note'},
            'The error is |predicted − measured| / measured; the prediction is the roofline of ceilings that were measured just before.',
        ),
        failed.length > 0
            ? h(
                  'ul',
                  {class: 'warnings'},
                  failed.map((one) => h('li', {}, text_of(one))),
              )
            : null,
        h('button', {type: 'button', class: 'button small', onclick: () => set({view: 'roofline', on: 'this'})}, 'Show in the roofline'),
    );
}

const measuring = job_bar('Measure', {
    command: 'bench',
    options: bench_options,
    done: (answer) => {
        add_measured(answer);
        show_result(answer);
        announce(`Measured ${units.plural(answer.rows.length, 'row')}`);
        accuracy();
    },
    failed: (error) => put(parts.result, message(error)),
});

// ---- what the machine does meanwhile ----

async function look_at_load() {
    if (!parts.load.isConnected || document.hidden) return;
    const live = await ask('machine/live', {}, {fresh: true}).catch(() => null);
    if (!live || live.load_1m === null) return;
    const busy = live.load_1m > 0.3 * live.cpus && !measuring.is_running();
    put(
        parts.load,
        `Load: ${live.load_1m.toFixed(1)} on ${units.plural(live.cpus, 'processor')}, ${units.bytes(live.memory_available_bytes)} of memory free.`,
        busy ? ' What else runs disturbs what is measured.' : '',
    );
}

// ---- measured against predicted ----

const accuracy_series = (rows) =>
    [...new Set(rows.map((row) => row.format))].map((format) => ({
        name: format,
        format,
        dots: true,
        hollow: true,
        points: rows
            .filter((row) => row.format === format)
            .map((row) => ({x: row.predicted_s, y: row.time_s.median, name: row.kernel, tip: tip_of(row)})),
    }));

function show_accuracy(rows) {
    const known = rows.filter((row) => row.predicted_s > 0 && row.time_s?.median > 0).slice(-300);
    if (known.length === 0) {
        parts.accuracy.say(
            empty('Nothing was measured yet.', 'A spot check above is the first; ridge bench and ridge compare add to the same history.'),
        );
        return;
    }
    const all = known.flatMap((row) => [row.predicted_s, row.time_s.median]);
    const domain = [Math.min(...all) / 1.5, Math.max(...all) * 1.5];
    const diagonal = {name: 'as predicted', colour: 'var(--line-strong)', line: true, dash: '5 4', points: domain.map((v) => ({x: v, y: v}))};
    const series = [diagonal, ...accuracy_series(known)];
    const axis = {log: true, domain, format: (v) => units.short(units.seconds(v))};
    const [x, y] = [
        {...axis, label: 'Predicted'},
        {...axis, label: 'Measured', room: 5.4},
    ];
    parts.accuracy.show((width) => xy_chart('Measured against predicted', {x, y, series, height: 26}, width), {
        columns: ['kernel', 'shape', 'format', 'threads', 'predicted_s', 'measured_s', 'error'],
        rows: known.map((row) => [row.kernel, shape_text(row.shape), row.format, row.threads, row.predicted_s, row.time_s.median, row.error]),
    });
    put(parts.accuracy.under, legend(series));
}

function accuracy() {
    accuracy_question.run(
        () => history_rows('this'),
        show_accuracy,
        (error) => parts.accuracy.say(error),
    );
}

// ---- the panel ----

function number_field(name) {
    const id = unique('shape');
    const input = h('input', {
        id,
        type: 'text',
        inputmode: 'numeric',
        class: 'field-input',
        size: '7',
        onchange: () => {
            const value = Number(input.value.replace(/[,\s]/g, ''));
            if (Number.isSafeInteger(value) && value > 0) set({[name]: value});
            input.value = state[name];
        },
    });
    const label = h('label', {for: id});
    return {
        name,
        root: h('div', {class: 'control'}, label, input),
        show() {
            label.textContent = (state.spot === 'attention' ? ATTENTION_LABELS : LABELS)[name];
            if (document.activeElement !== input) input.value = state[name];
            this.root.hidden = !SHAPES[state.spot]?.includes(name);
        },
    };
}

function select_field(name, text, options) {
    const id = unique('select');
    const select = h(
        'select',
        {id, class: 'select', onchange: () => set({[name]: select.value})},
        options.map(([value, title]) => h('option', {value}, title)),
    );
    return {
        root: h('div', {class: 'control wide'}, h('label', {for: id}, text), select),
        show() {
            select.value = state[name];
        },
    };
}

function fields_of() {
    return [
        select_field('spot', 'Kernel', [
            ['gemm', 'product (GEMM)'],
            ['gemv', 'matrix times vector'],
            ['attention', 'attention'],
        ]),
        ...Object.keys(LABELS).map(number_field),
        select_field(
            'format',
            'Format',
            FORMATS.map((f) => [f, f]),
        ),
    ];
}

function panel({load, presets, fields, all, theory, result}) {
    return h(
        'section',
        {class: 'panel spot'},
        h('h2', {}, 'Kernel spot check'),
        h('p', {class: 'note'}, 'Runs on the machine that serves this page, one measurement at a time, and is kept in its history.'),
        load,
        presets,
        h(
            'div',
            {class: 'fields'},
            fields.map((f) => f.root),
        ),
        h('div', {class: 'view-tools'}, h('label', {class: 'check', for: all.id}, all, 'all formats that have a kernel'), measuring.parts),
        theory,
        result,
        h('details', {class: 'numbers'}, h('summary', {}, 'Ceilings of the machine that serves'), calibrate('Measure the ceilings')),
    );
}

export function mount(root) {
    parts = {
        all: h('input', {type: 'checkbox', id: unique('all'), onchange: (event) => set({formats: event.target.checked})}),
        fields: fields_of(),
        load: h('p', {class: 'note load'}, '\u00a0'),
        presets: h('div', {class: 'chips'}),
        theory: h('div', {class: 'theory'}),
        result: h('div', {class: 'result', 'aria-live': 'polite'}),
        accuracy: figure('Measured against predicted', {
            name: 'accuracy',
            rems: 26,
            note: 'All that was measured on the machine that serves; on the line, the prediction is exact.',
        }),
    };
    put(root, panel(parts), parts.accuracy.root);
    setInterval(look_at_load, 5000);
    accuracy();
}

export function update(now) {
    for (const field of parts.fields) field.show();
    parts.all.checked = now.formats;
    presets_question.run(presets, show_presets, () => put(parts.presets));
    theory();
    look_at_load();
}
