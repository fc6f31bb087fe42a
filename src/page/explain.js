// explain.js - any number explained: the formula, the values put in, where it stands. Modules are explained by the server (`ridge cost
// --explain`), numbers of the card by the prediction that they are from.

import {h, put} from './dom.js';
import {ask} from './api.js';
import {Latest} from './latest.js';
import {cost_of, predict_of, generation_of} from './request.js';
import {set} from './state.js';
import {message, loading} from './message.js';
import * as units from './units.js';

const latest = new Latest();
let root;
let body;
let heading;
let shown = null;
let came_from = null;
let first = true;

export function mount(element) {
    root = element;
    heading = h('h2', {id: 'explain-title', tabindex: '-1'}, 'Explained');
    body = h('div', {class: 'explain-body'});
    const close = h(
        'button',
        {type: 'button', class: 'button quiet-button close', 'aria-label': 'Close the explanation', onclick: () => set({explain: null})},
        '×',
    );
    put(root, h('div', {class: 'explain-head'}, heading, close), body);
    root.addEventListener('keydown', (event) => event.key === 'Escape' && set({explain: null}));
}

// ---- pieces ----

const place = (template) => (template ? h('span', {class: 'place mono'}, `${template.file}:${template.line}`) : null);
const value_text = (value) =>
    typeof value === 'number' || typeof value === 'bigint'
        ? units.exact(value)
        : value === true
          ? 'True'
          : value === false
            ? 'False'
            : value === null
              ? 'None'
              : JSON.stringify(value);

function step(name, formula, value, where) {
    return h(
        'div',
        {class: 'step'},
        h('div', {class: 'step-name'}, name),
        h('code', {class: 'step-formula'}, formula),
        h('div', {class: 'step-value'}, h('span', {}, `= ${value}`), where),
    );
}

function section(title, ...children) {
    return children.flat().filter(Boolean).length > 0 ? h('section', {class: 'explain-section'}, h('h3', {}, title), children) : null;
}

function facts(rows) {
    return h(
        'dl',
        {class: 'facts'},
        rows.filter(([, value]) => value !== null && value !== undefined).map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
    );
}

// ---- a module ----

function part(path, p) {
    const inner = `${path ? `${path}.` : ''}${p.name}`;
    return h(
        'div',
        {class: 'step'},
        h(
            'div',
            {class: 'step-name'},
            h('button', {type: 'button', class: 'link', onclick: () => set({explain: inner})}, p.name),
            p.calls > 1 ? ` × ${p.calls}` : '',
        ),
        h('code', {class: 'step-formula'}, p.formula),
        h('div', {class: 'step-value'}, h('span', {}, `${units.count(p.flops.total)} FLOPs · ${units.bytes(p.bytes.total)}`), place(p.template)),
    );
}

const sum = (of) => Object.values(of).reduce((a, b) => a + BigInt(b), 0n);

function module(e) {
    const {reads, writes} = e.bytes;
    return [
        h('p', {class: 'mono path'}, e.path || '(the model)'),
        facts([
            ['class', h('span', {class: 'mono'}, e.class)],
            ['template', place(e.template)],
            ['source', e.source ? h('span', {class: 'place mono'}, e.source) : null],
        ]),
        e.thinking ? h('p', {class: 'thinking'}, e.thinking) : null,
        section(
            'Arguments',
            Object.keys(e.arguments).length > 0 ? facts(Object.entries(e.arguments).map(([name, value]) => [name, value_text(value)])) : null,
        ),
        section(
            'Names',
            e.local_names.map((n) => step(n.name, n.formula, value_text(n.value))),
        ),
        section(
            'Its own formulas',
            e.formulas.map((f) => step(`${f.what === 'flops' ? 'FLOPs' : f.what}: ${f.kind}`, f.formula, value_text(f.value), place(f.template))),
        ),
        section(
            'Parts, summed',
            e.parts.map((p) => part(e.path, p)),
        ),
        section(
            'One call',
            facts([
                ['FLOPs', units.exact(e.flops.total)],
                ['of them matmul', units.exact(e.flops.matmul)],
                ['attention', units.exact(e.flops.attention)],
                ['bytes read', units.exact(sum(reads))],
                ['bytes written', units.exact(sum(writes))],
                ['of them weights', units.exact(reads.weights)],
                ['KV cache', units.exact(BigInt(reads.kv) + BigInt(writes.kv))],
            ]),
        ),
    ];
}

// the time of the same path on the machine, where the prediction has a row of it
function row_time(row) {
    if (!row) return null;
    return section(
        'Time on the machine',
        facts([
            ['computing', units.seconds(row.time_compute_s)],
            ['moving bytes', units.seconds(row.time_memory_s)],
            ['time', units.seconds(row.time_s)],
            ['bound by', row.bound],
            ['calls', units.exact(row.count)],
            ['intensity', `${units.ratio(row.arithmetic_intensity)} FLOP/byte`],
        ]),
        row.leaf
            ? h('p', {class: 'note'}, 'The longer of the two; FLOPs and bytes here are of all calls together.')
            : h('p', {class: 'note'}, 'The sum of the kernels below it.'),
    );
}

async function ask_module(state, path, signal) {
    const predicted = async () => ask('predict', {...(await predict_of(state)), advice: 'none'}, {signal});
    const [answer, times] = await Promise.all([ask('cost', {...(await cost_of(state)), explain: path}, {signal}), predicted().catch(() => null)]);
    return () => [module(answer), row_time(times?.rows.find((row) => row.path === path))];
}

// ---- a number of the card ----

const doc = (name) => h('p', {class: 'note'}, 'Method: ', h('span', {class: 'place mono'}, `docs/${name}.md`));

function memory_of(p) {
    const m = p.memory;
    const parts = [
        ['weights', m.weights],
        ['KV cache', m.kv_cache],
        ['activations at their peak', m.activations_peak],
        ['gradients', m.gradients],
        ['optimizer', m.optimizer],
    ];
    return [
        step(
            'needed',
            parts
                .filter(([, v]) => v > 0)
                .map(([n]) => n)
                .join(' + '),
            `${units.exact(m.total)} bytes`,
        ),
        step('fits', 'needed + reserve <= capacity', m.fits === null ? 'unknown' : m.fits ? 'yes' : 'no'),
        section(
            'Values',
            facts([
                ...parts.map(([n, v]) => [n, units.exact(v)]),
                ['reserve', units.exact(m.reserve)],
                ['capacity', units.exact(m.capacity)],
                ['most sequences', units.exact(m.max_batch)],
                ['longest context', units.exact(m.max_context)],
            ]),
        ),
        doc('prediction'),
    ];
}

function rate_of(p) {
    const tokens = p.tokens_per_s === null ? null : Number(p.tokens_per_s) * Number(p.time_s);
    return [
        step(
            'rate',
            p.images_per_s !== null ? 'images / time' : 'batch * new tokens / time',
            p.tokens_per_s === null ? `${p.images_per_s} /s` : `${p.tokens_per_s} tokens/s`,
        ),
        section(
            'Values',
            facts([
                ['tokens of a pass', tokens === null ? null : units.exact(Math.round(tokens))],
                ['batch', units.exact(p.workload.batch)],
                ['time', `${p.time_s} s`],
            ]),
        ),
        doc('prediction'),
    ];
}

function time_of(p) {
    const slow = p.rows
        .filter((row) => row.leaf)
        .sort((a, b) => b.time_s - a.time_s)
        .slice(0, 8);
    return [
        step('time', 'sum over kernels of max(FLOPs / peak, bytes / bandwidth) + launches', `${p.time_s} s`),
        section(
            'Values',
            facts([
                ['peak of products', units.flops_per_s(p.rates.matmul.peak_flops_per_s)],
                ['precision', p.rates.matmul.used],
                ['bandwidth', units.bytes_per_s(p.rates.bytes_per_s)],
                ['ridge point', `${units.ratio(p.rates.ridge_point)} FLOP/byte`],
                ['launch', units.seconds(p.rates.launch_overhead_s)],
            ]),
        ),
        section(
            'The slowest',
            slow.map((row) =>
                h(
                    'div',
                    {class: 'step'},
                    h(
                        'div',
                        {class: 'step-name'},
                        h('button', {type: 'button', class: 'link mono', onclick: () => set({explain: row.path})}, row.path || '(the model)'),
                    ),
                    h(
                        'div',
                        {class: 'step-value'},
                        `max(${units.seconds(row.time_compute_s)}, ${units.seconds(row.time_memory_s)}) = ${units.seconds(row.time_s)}`,
                    ),
                ),
            ),
        ),
        doc('prediction'),
    ];
}

function bound_of(p) {
    return [
        step('bound', 'what most of the time is spent on', p.bound),
        section(
            'Values',
            facts([
                ['of the peak reached', units.share(p.mfu)],
                ['of the bandwidth used', units.share(p.bandwidth_utilisation)],
                ['ridge point', `${units.ratio(p.rates.ridge_point)} FLOP/byte`],
            ]),
        ),
        section(
            'Notes',
            (p.notes ?? []).map((note) => h('p', {class: 'note'}, note)),
        ),
        doc('prediction'),
    ];
}

function first_token(p) {
    return [
        step('first token', 'time of the prompt’s pass', `${p.ttft_s} s`),
        step('each after it', 'mean of the steps that follow', `${p.tpot_s} s`),
        step('whole answer', 'first token + the steps', `${p.latency_s} s`),
        section(
            'Values',
            facts([
                ['prompt', units.exact(p.generation.prompt)],
                ['generated', units.exact(p.generation.generate)],
                ['tokens a second', units.ratio(p.generation.tokens_per_s)],
                ['requests a second', units.ratio(p.requests_per_s)],
                ['memory at its end', units.exact(p.generation.memory_bytes)],
            ]),
        ),
        doc('prediction'),
    ];
}

const CARD = {
    memory: ['Does it fit?', memory_of],
    rate: ['Rate', rate_of],
    time: ['Time', time_of],
    bound: ['What bounds it', bound_of],
    ttft: ['First token', first_token],
};

async function ask_card(state, what, signal) {
    const [options, request] = await Promise.all([predict_of(state), generation_of(state)]);
    const answer = await ask('predict', {...options, ...request, advice: 'none'}, {signal});
    return () => CARD[what][1](answer);
}

// ---- showing ----

export function update(state) {
    show(state);
    first = false;
}

function show(state) {
    const path = state.explain;
    if (path === null || path === undefined) {
        if (!root.hidden) {
            root.hidden = true;
            came_from?.isConnected && came_from.focus();
        }
        shown = null;
        return;
    }
    const what = path.startsWith('card:') && CARD[path.slice(5)] ? path.slice(5) : null;
    if (shown !== path) {
        if (root.hidden) came_from = document.activeElement;
        root.hidden = false;
        heading.textContent = what ? CARD[what][0] : 'Explained';
        put(body, loading(8));
        root.scrollTop = 0;
        if (!first && (shown === null || root.contains(document.activeElement))) heading.focus({preventScroll: true});
        shown = path;
    }
    latest.run(
        (signal) => (what ? ask_card(state, what, signal) : ask_module(state, path, signal)),
        (make) => put(body, make()),
        (error) => put(body, message(error)),
    );
}
