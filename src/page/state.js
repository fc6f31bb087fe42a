// state.js - what the page shows, as one object that is also its address: #view?key=value&...
// Members that have their default stay out of the address, so it is short and can be sent to somebody.

export const DEFAULTS = Object.freeze({
    view: 'overview',
    model: 'meta-llama/Llama-3.1-8B',
    config: '', // a config.json that was posted, packed (pack.js); then `model` is its name
    on: '', // the machine; '': this one where it is known, else a well-known one
    phase: 'decode',
    batch: 1,
    prompt: 2048,
    context: 4096,
    generate: 256,
    image: 0,
    weights: '',
    activations: '',
    kv: '',
    kernel: 'fused',
    attention: 'causal',
    head: 'needed',
    method: 'roofline',
    optimizer: 'adam',
    recompute: 'none',
    tp: 1,
    pp: 1,
    ep: 1,
    dp: 1,
    link: 0, // GB/s of a device to the others, one direction; 0: the machine's own
    explain: null, // path of the module that is explained; '' is the model
    all: false, // cost: layers unfolded
    open: [], // cost: paths that are not as they are at first, open or closed
    find: '',
    order: '', // cost: the column that modules beside each other are sorted by, '-' before it: largest first
    series: [], // roofline: formats beside the own one
    hide: [], // roofline: series that are not shown
    zoom: [], // roofline: x0, x1, y0, y1 as exponents of ten
    machines: [], // machines side by side; none: all
    sort: '',
    pins: [], // what-ifs: addresses' queries
    spot: 'gemm',
    m: 1,
    n: 4096,
    k: 4096,
    heads: 32,
    kv_heads: 8,
    head_dim: 128,
    format: 'bf16',
    formats: false, // spot check: all formats
    past: '', // history: the kernel that is followed
});

function decode(name, text) {
    const like = DEFAULTS[name];
    if (Array.isArray(like)) return text === '' ? [] : text.split(',').map(decodeURIComponent);
    if (typeof like === 'boolean') return text === '1';
    if (typeof like === 'number') return Number.isSafeInteger(Number(text)) && Number(text) >= 0 ? Number(text) : like;
    return text;
}

function encode(value) {
    if (Array.isArray(value)) return value.map(encodeURIComponent).join(',');
    return typeof value === 'boolean' ? (value ? '1' : '') : String(value);
}

export function read(hash) {
    const [view, query] = hash.replace(/^#/, '').split('?', 2);
    const state = {...DEFAULTS, view: view || DEFAULTS.view};
    for (const [name, text] of new URLSearchParams(query ?? ''))
        if (Object.hasOwn(DEFAULTS, name) && name !== 'view') state[name] = decode(name, text);
    return state;
}

const same = (a, b) => encode(a ?? '\0') === encode(b ?? '\0');

// the query of the members of `state` that are not as by default
export function query(state, leave_out = []) {
    const q = new URLSearchParams();
    for (const name of Object.keys(DEFAULTS))
        if (name !== 'view' && !leave_out.includes(name) && !same(state[name], DEFAULTS[name]) && state[name] !== null)
            q.set(name, encode(state[name]));
    return q.toString().replaceAll('%2F', '/').replaceAll('%2C', ',');
}

export function address(state) {
    const q = query(state);
    return `#${state.view}${q ? `?${q}` : ''}`;
}

export const state = read(location.hash);
const listeners = [];
let timer = 0;
let last_gesture = null;

function write(push) {
    clearTimeout(timer);
    timer = 0;
    if (location.hash !== address(state)) history[push ? 'pushState' : 'replaceState'](null, '', address(state));
}

function tell(changed) {
    if (changed.length > 0) for (const listener of listeners) listener(state, changed);
}

// `gesture`: changes of one gesture, such as dragging a slider, are one step back. The address follows the picture, not every pixel.
export function set(patch, gesture = null) {
    const changed = Object.keys(patch).filter((name) => !same(patch[name], state[name]));
    if (changed.length === 0) return;
    const goes_on = gesture !== null && gesture === last_gesture;
    if (timer !== 0 && !goes_on) write(false);
    last_gesture = gesture;
    Object.assign(state, patch);
    if (goes_on) {
        clearTimeout(timer);
        timer = setTimeout(write, 200, false);
    } else {
        history.pushState(null, '', address(state));
    }
    tell(changed);
}

// what the page decides by itself is no step back
export function settle(patch) {
    const changed = Object.keys(patch).filter((name) => !same(patch[name], state[name]));
    Object.assign(state, patch);
    history.replaceState(null, '', address(state));
    tell(changed);
}

export function subscribe(listener) {
    listeners.push(listener);
}

function follow() {
    clearTimeout(timer);
    timer = 0;
    last_gesture = null;
    const next = read(location.hash);
    const changed = Object.keys(DEFAULTS).filter((name) => !same(next[name], state[name]));
    Object.assign(state, next);
    tell(changed);
}

addEventListener('popstate', follow);
