// workload.js - what is run: phase, sequences, tokens, formats, counting, devices. Each control is a member of the state; those that the
// model does not take are not there.

import {h, put, unique} from './dom.js';
import {ask} from './api.js';
import {set, state} from './state.js';
import {exact} from './units.js';

// ---- sliders: powers of two and what lies between ----

const STEPS = 4; // of a slider within a doubling

function at_step(step, most) {
    const value = Math.round(2 ** (step / STEPS));
    return Math.min(most, value >= 64 ? Math.round(value / 16) * 16 : value);
}

const step_of = (value) => Math.round(Math.log2(Math.max(1, value)) * STEPS);

function slider({name, label, most, unit, help}) {
    const id = unique('slider');
    const number = h('input', {type: 'text', inputmode: 'numeric', class: 'number', 'aria-label': `${label}, exactly`});
    const range = h('input', {type: 'range', id, min: '0', step: '1', class: 'range'});
    const root = h('div', {class: 'control', title: help}, h('label', {for: id}, label), number, range);
    let limit = most;
    range.addEventListener('input', () => set({[name]: at_step(Number(range.value), limit)}, name));
    number.addEventListener('change', () => {
        const value = Number(number.value.replace(/[,\s]/g, '').replace(/k$/i, '000'));
        if (Number.isSafeInteger(value) && value > 0) set({[name]: value});
        show();
    });
    function show() {
        const value = Math.min(state[name], limit);
        range.max = String(step_of(limit));
        range.value = String(step_of(value));
        range.setAttribute('aria-valuetext', `${exact(value)} ${unit}`);
        if (document.activeElement !== number) number.value = exact(value);
    }
    return {
        root,
        name,
        show,
        limit(value) {
            limit = value;
        },
    };
}

// ---- choices ----

function choice({name, label, options, help}) {
    const id = unique('choice');
    const select = h('select', {id, class: 'select', onchange: () => set({[name]: select.value})});
    const root = h('div', {class: 'control line', title: help}, h('label', {for: id}, label), select);
    const fill = (list) => {
        if (!list.some(([value]) => value === state[name])) list = [...list, [state[name], state[name]]];
        put(
            select,
            list.map(([value, text]) => h('option', {value}, text)),
        );
        select.value = state[name];
    };
    fill(options);
    return {
        root,
        name,
        fill,
        show() {
            if (select.value !== state[name]) fill(options);
            select.value = state[name];
        },
    };
}

function phases() {
    const name = unique('phase');
    const legend = h('legend', {class: 'quiet'}, 'Phase');
    const buttons = [
        ['prefill', 'Prefill'],
        ['decode', 'Decode'],
        ['train', 'Train'],
    ].map(([value, text]) => {
        const input = h('input', {type: 'radio', name, value, class: 'quiet', onchange: () => set({phase: value})});
        return {value, input, root: h('label', {class: 'segment'}, input, h('span', {}, text))};
    });
    const root = h(
        'fieldset',
        {class: 'segments'},
        legend,
        buttons.map((button) => button.root),
    );
    return {
        root,
        show(traits) {
            const shown = state.phase === 'decode' && traits && !traits.generates ? 'prefill' : state.phase;
            for (const button of buttons) {
                button.input.checked = button.value === shown;
                button.input.disabled = button.value === 'decode' && traits !== null && !traits.generates;
            }
        },
    };
}

// ---- all of them ----

const FORMATS_FIRST = ['fp32', 'bf16', 'fp16', 'fp8_e4m3', 'int8', 'q8_0', 'q6_K', 'q5_K', 'mxfp4', 'nvfp4', 'q4_K', 'int4', 'q3_K', 'q2_K'];
const COMPUTE = ['fp64', 'fp32', 'tf32', 'bf16', 'fp16', 'fp8', 'int8', 'fp6', 'int4', 'mxfp4', 'nvfp4'];
const devices = [1, 2, 4, 8, 16, 32, 64].map((n) => [n, String(n)]);

const phase = phases();
const batch = slider({name: 'batch', label: 'Batch', most: 1024, unit: 'sequences', help: 'Sequences at once'});
const context = slider({
    name: 'context',
    label: 'Context',
    most: 131072,
    unit: 'tokens in the cache',
    help: 'Decode: tokens that are in the cache already',
});
const prompt = slider({
    name: 'prompt',
    label: 'Prompt',
    most: 131072,
    unit: 'tokens',
    help: 'New tokens of a sequence; in decode, of the request whose first token is timed',
});
const generate = slider({name: 'generate', label: 'Answer', most: 32768, unit: 'tokens generated', help: 'Tokens generated after the prompt'});
const image = slider({name: 'image', label: 'Image size', most: 4096, unit: 'pixels', help: 'Pixels of an image’s height and width'});
const weights = choice({name: 'weights', label: 'Weights', options: [['', 'own']], help: 'Number format of the weights'});
const activations = choice({name: 'activations', label: 'Activations', options: [['', 'own']], help: 'Number format of the activations'});
const kv = choice({name: 'kv', label: 'KV cache', options: [['', 'as activations']], help: 'Number format of the KV cache'});
const kernel = choice({
    name: 'kernel',
    label: 'Kernels',
    options: [
        ['fused', 'fused'],
        ['eager', 'eager'],
    ],
    help: 'Chains fused, or every operator’s traffic',
});
const attention = choice({
    name: 'attention',
    label: 'Attention',
    options: [
        ['causal', 'causal pairs'],
        ['full', 'all pairs'],
    ],
    help: 'What is counted of the scores',
});
const method = choice({
    name: 'method',
    label: 'Method',
    options: [
        ['roofline', 'roofline'],
        ['estimate', 'estimate'],
    ],
    help: 'Roofline: the bound itself; estimate: what such kernels reach',
});
const optimizer = choice({
    name: 'optimizer',
    label: 'Optimizer',
    options: [
        ['adam', 'Adam'],
        ['sgd', 'SGD'],
        ['none', 'none'],
    ],
});
const recompute = choice({
    name: 'recompute',
    label: 'Recompute',
    options: [
        ['none', 'none'],
        ['selective', 'selective'],
        ['full', 'full'],
    ],
});
const parallel = [
    ['tp', 'Tensor'],
    ['pp', 'Pipeline'],
    ['ep', 'Expert'],
    ['dp', 'Data'],
].map(([name, label]) => number_choice(name, label));

function number_choice(name, label) {
    const id = unique('choice');
    const select = h(
        'select',
        {id, class: 'select', onchange: () => set({[name]: Number(select.value)})},
        devices.map(([value, text]) => h('option', {value}, text)),
    );
    return {
        root: h('div', {class: 'control small'}, h('label', {for: id}, label), select),
        show() {
            if (!devices.some(([value]) => value === state[name])) select.append(h('option', {value: state[name]}, String(state[name])));
            select.value = String(state[name]);
        },
    };
}

// of devices that share a model, where the machine's file does not say it or another network joins them
function link_field() {
    const id = unique('link');
    const input = h('input', {
        id,
        type: 'text',
        inputmode: 'decimal',
        class: 'field-input',
        size: '6',
        placeholder: 'own',
        onchange: () => {
            const value = Math.round(Number(input.value.replace(/[,\s]/g, '')));
            if (Number.isSafeInteger(value) && value >= 0) set({link: value});
            link.show();
        },
    });
    const root = h(
        'div',
        {class: 'control', title: 'Bandwidth of a device’s link to the others, one direction'},
        h('label', {for: id}, 'Link, GB/s'),
        input,
    );
    return {
        root,
        show() {
            root.hidden = state.tp * state.pp * Math.max(state.dp, state.ep) === 1;
            if (document.activeElement !== input) input.value = state.link > 0 ? String(state.link) : '';
        },
    };
}

const link = link_field();
const controls = [
    batch,
    context,
    prompt,
    generate,
    image,
    weights,
    activations,
    kv,
    kernel,
    attention,
    method,
    optimizer,
    recompute,
    ...parallel,
    link,
];
const group = (title, ...rows) => h('section', {class: 'group'}, h('h2', {class: 'group-title'}, title), rows);

async function load_formats() {
    const {formats} = await ask('formats');
    const names = formats.map((format) => format.name);
    const first = FORMATS_FIRST.filter((name) => names.includes(name));
    const rest = names.filter((name) => !first.includes(name) && !/^[iuce]\d+|bool|complex/.test(name));
    const compute = [
        ...new Set(formats.filter((f) => COMPUTE.includes(f.compute) && f.bits_per_element && [...first].includes(f.name)).map((f) => f.name)),
    ].filter((name) => !/^q\d|^int4/.test(name));
    weights_formats = [...first, ...rest];
    show_formats(compute);
}

let weights_formats = [];
let compute_formats = [];
let own = null;

function show_formats(compute = compute_formats) {
    compute_formats = compute;
    const as_options = (names, first) => [['', first], ...names.map((name) => [name, name])];
    weights.fill(as_options(weights_formats, own ? `own: ${own.weights}` : 'own'));
    activations.fill(as_options(compute_formats, own ? `own: ${own.activations}` : 'own'));
    kv.fill(as_options(compute_formats, 'as activations'));
}

export function mount(root) {
    put(
        root,
        phase.root,
        group('Tokens', batch.root, context.root, prompt.root, generate.root, image.root),
        group('Formats', weights.root, activations.root, kv.root),
        group('Counting', kernel.root, attention.root, method.root, optimizer.root, recompute.root),
        group(
            'Devices',
            h(
                'div',
                {class: 'fours'},
                parallel.map((p) => p.root),
            ),
            link.root,
        ),
    );
    update(null);
    load_formats().catch(() => {});
}

// `traits`: what the model takes (request.js); null while it is not known
export function update(traits) {
    if (traits) {
        context.limit(Math.max(1, traits.longest - 1));
        prompt.limit(Math.max(1, traits.longest));
        generate.limit(Math.max(1, Math.min(32768, traits.longest - 1)));
        if (own !== traits) {
            own = traits;
            show_formats();
        }
        context.root.hidden = !traits.generates || state.phase !== 'decode';
        prompt.root.hidden = !traits.tokens;
        generate.root.hidden = !traits.generates || state.phase === 'train';
        image.root.hidden = !traits.images || traits.tokens;
        kv.root.hidden = !traits.generates;
        attention.root.hidden = !traits.attention;
    } else {
        image.root.hidden = true;
    }
    optimizer.root.hidden = recompute.root.hidden = state.phase !== 'train';
    phase.show(traits);
    for (const control of controls) control.show();
}
