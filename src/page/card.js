// card.js - the answer in short: does it fit, how fast, what bounds it. It keeps its size while numbers change.

import {h, put} from './dom.js';
import {ask} from './api.js';
import {Latest} from './latest.js';
import {predict_of, generation_of, traits_of, model_of, devices_of} from './request.js';
import {message, warnings} from './message.js';
import {machine_name} from './machines.js';
import {calibrate} from './calibrate.js';
import * as units from './units.js';

const latest = new Latest({first: true});
let explain = () => {};

const PARTS = [
    ['weights', 'weights'],
    ['kv_cache', 'KV cache'],
    ['activations_peak', 'activations'],
    ['gradients', 'gradients'],
    ['optimizer', 'optimizer'],
];

function metric(name, value, note, {label, tone = '', what = null} = {}) {
    const content = [h('span', {class: 'metric-value'}, value), h('span', {class: 'metric-note'}, note)];
    return h(
        'div',
        {class: `metric ${tone}`, 'data-metric': name},
        h('dt', {class: 'metric-name'}, label),
        h(
            'dd',
            {},
            what
                ? h('button', {type: 'button', class: 'metric-button', title: 'Explain this number', onclick: () => explain(what)}, content)
                : content,
        ),
    );
}

function split_unit(text) {
    const [number, ...unit] = text.split(' ');
    return [number, unit.length > 0 ? h('span', {class: 'metric-unit'}, ` ${unit.join(' ')}`) : null];
}

// memory as a bar: what it is made of, beside what the device has
function meter(memory) {
    const most = Math.max(Number(memory.capacity ?? 0), Number(memory.total)) || 1;
    const parts = PARTS.filter(([key]) => memory[key] > 0);
    const text = parts.map(([key, name]) => `${name} ${units.bytes(memory[key])}`).join(', ');
    return h(
        'div',
        {class: 'meter'},
        h(
            'div',
            {class: 'meter-bar', role: 'img', 'aria-label': `Memory: ${text}; of ${units.bytes(memory.capacity)}`},
            parts.map(([key, name]) =>
                h('div', {
                    class: `meter-part ${key}`,
                    title: `${name}: ${units.bytes(memory[key])}`,
                    style: {width: `${(100 * Number(memory[key])) / most}%`},
                }),
            ),
            memory.capacity < memory.total ? h('div', {class: 'meter-limit', style: {left: `${(100 * Number(memory.capacity)) / most}%`}}) : null,
        ),
        h(
            'div',
            {class: 'meter-key'},
            parts.map(([key, name]) => h('span', {}, h('i', {class: key}), `${name} ${units.bytes(memory[key])}`)),
        ),
    );
}

function room(memory, several = false) {
    if (memory.fits === null || memory.fits === undefined) return 'the memory of the machine is not known';
    const needed = `${units.bytes(memory.total)} of ${units.capacity(memory.capacity)}${several ? ' on each' : ''}`;
    const most = memory.fits && memory.max_batch ? `up to batch ${units.exact(memory.max_batch)}` : '';
    return [needed, most].filter(Boolean).join(', ');
}

// how far it goes with what bounds it
function utilisation(p) {
    if (p.bound === 'compute') return `${units.share(p.mfu)} of the peak`;
    if (p.bound === 'link') return `${units.share(p.parallel.link_s / p.time_s)} of the time messages`;
    return `${units.share(p.bandwidth_utilisation)} of the bandwidth`;
}

function metrics(p) {
    const images = p.tokens_per_s === null && p.images_per_s !== null;
    const fits = p.memory.fits === null ? 'unknown' : p.memory.fits ? 'yes' : 'no';
    return [
        metric('fits', fits, room(p.memory, p.parallel?.devices > 1), {
            label: 'Fits',
            tone: p.memory.fits === false ? 'is-bad' : p.memory.fits ? 'is-good' : '',
            what: 'memory',
        }),
        metric(
            'rate',
            split_unit(images ? units.per_s(p.images_per_s, 'images/s') : units.tokens_per_s(p.tokens_per_s)),
            p.workload.batch > 1 ? `all ${units.exact(p.workload.batch)} sequences` : 'one sequence',
            {label: p.workload.phase === 'decode' ? 'Generation' : p.workload.phase === 'train' ? 'Training' : 'Throughput', what: 'rate'},
        ),
        metric('time', split_unit(units.seconds(p.time_s)), p.workload.phase === 'decode' ? 'a step' : 'a pass', {label: 'Time', what: 'time'}),
        metric('bound', p.bound, utilisation(p), {label: 'Bound by', what: 'bound'}),
        p.ttft_s !== undefined
            ? metric('ttft', split_unit(units.seconds(p.ttft_s)), `then ${units.seconds(p.tpot_s)} a token`, {label: 'First token', what: 'ttft'})
            : metric('energy', split_unit(units.joules(p.energy_j)), 'a pass, at the board’s power', {label: 'Energy'}),
    ];
}

function title(state, model) {
    const devices = devices_of(state);
    return h(
        'div',
        {class: 'card-head'},
        h(
            'h1',
            {class: 'card-title'},
            state.model,
            h('span', {class: 'card-on'}, ' on '),
            devices > 1 ? `${devices} × ` : '',
            machine_name(state.on),
        ),
        h(
            'p',
            {class: 'card-facts'},
            model
                ? [
                      model.architecture,
                      `${units.count(model.parameters.total)} parameters`,
                      model.parameters.active < model.parameters.total ? `${units.count(model.parameters.active)} active` : null,
                  ]
                      .filter(Boolean)
                      .join(' · ')
                : '\u00a0',
        ),
    );
}

// what the card is about; other changes leave it alone
const MEMBERS = [
    'model',
    'config',
    'on',
    'phase',
    'batch',
    'prompt',
    'context',
    'generate',
    'image',
    'weights',
    'activations',
    'kv',
    'kernel',
    'attention',
    'head',
    'method',
    'optimizer',
    'recompute',
    'tp',
    'pp',
    'ep',
    'dp',
    'link',
];
export const concerns = (changed) => changed.some((name) => MEMBERS.includes(name));

const EMPTY = ['Fits', 'Generation', 'Time', 'Bound by', 'First token'];

let root;
const parts = {};

export function mount(element, state, on_explain) {
    root = element;
    explain = on_explain;
    parts.title = h('div', {}, title(state, null));
    parts.metrics = h(
        'dl',
        {class: 'metrics', 'aria-live': 'polite', 'aria-busy': 'true'},
        EMPTY.map((label) => metric('none', '\u00a0', '\u00a0', {label, tone: 'is-empty'})),
    );
    parts.meter = h('div', {class: 'meter-place'});
    parts.notes = h('div', {class: 'notes'});
    put(root, parts.title, parts.metrics, parts.meter, parts.notes);
}

export function busy() {
    parts.metrics.setAttribute('aria-busy', 'true');
}

async function question(state, signal) {
    const [traits, options, request] = await Promise.all([traits_of(state), predict_of(state), generation_of(state)]);
    return {traits, answer: await ask('predict', {...options, ...request, advice: 'none', depth: 1}, {signal})};
}

function show(state, {traits, answer}) {
    parts.metrics.setAttribute('aria-busy', 'false');
    root.classList.remove('is-old');
    put(parts.title, title(state, traits));
    put(parts.metrics, metrics(answer));
    put(parts.meter, meter(answer.memory));
    put(parts.notes, warnings(answer.warnings));
    root.dataset.time = answer.time_s;
    if (performance.getEntriesByName('answered').length === 0) performance.mark('answered');
}

// a machine of which no bandwidth is known: what fits is known all the same
async function show_without_times(state, error) {
    root.removeAttribute('data-time');
    const alone = devices_of(state) === 1; // what one device holds is nothing that several hold
    const here = state.on === 'this' ? {} : {on: state.on};
    const card = alone ? await ask('show', {...(await model_of(state)), ...here, context: state.context}).catch(() => null) : null;
    if (!card) {
        put(
            parts.metrics,
            EMPTY.map((label) => metric('none', '\u00a0', '\u00a0', {label, tone: 'is-empty'})),
        );
        put(parts.meter);
        put(parts.notes, message(error));
        return;
    }
    const memory = {
        ...card.own,
        weights: card.own.weights_bytes,
        kv_cache: card.own.kv_bytes,
        total: card.own.memory_bytes,
        capacity: card.capacity_bytes,
    };
    memory.activations_peak = memory.total - memory.weights - memory.kv_cache;
    put(parts.title, title(state, card));
    put(
        parts.metrics,
        metric('fits', memory.fits === null ? 'unknown' : memory.fits ? 'yes' : 'no', room(memory), {
            label: 'Fits',
            tone: memory.fits ? 'is-good' : 'is-bad',
        }),
        ...['Generation', 'Time', 'Bound by', 'First token'].map((label) => metric('unknown', '-', 'not known here', {label, tone: 'is-empty'})),
    );
    put(parts.meter, meter(memory));
    put(parts.notes, h('div', {class: 'message'}, h('p', {}, card.note ?? error.message), state.on === 'this' ? calibrate('Measure it now') : null));
}

// `shown`: called when the answer stands, or why there is none
export function update(state, shown) {
    latest.run(
        (signal) => question(state, signal),
        (answer) => {
            show(state, answer);
            shown();
        },
        async (error) => {
            root.classList.toggle('is-old', error.lost === true); // numbers of another workload than the one that is chosen
            if (!error.lost) {
                put(parts.title, title(state, null));
                await show_without_times(state, error);
            }
            parts.metrics.setAttribute('aria-busy', 'false');
            shown();
        },
    );
}
