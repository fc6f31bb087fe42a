// view-roofline.js - the kernels of a pass below the roofs of the machine, log-log. Predicted points are filled, measured ones hollow.
// Wheel, drag and + - 0 keys zoom and move; the legend hides series; what is seen is in the address.

import {h, svg, put} from './dom.js';
import {ask} from './api.js';
import {Latest} from './latest.js';
import {predict_of, devices_of} from './request.js';
import {set, state} from './state.js';
import {figure} from './figure.js';
import {frame, axes, canvas, clip_of, interact, label, legend, all_series, spots_of} from './xy.js';
import {colour, dash, family} from './palette.js';
import {machine_record, machine_name} from './machines.js';
import {measured_points, measured_roofs} from './measured.js';
import * as units from './units.js';

const latest = new Latest();
const FORMATS = ['fp32', 'bf16', 'fp16', 'fp8_e4m3', 'int8', 'nvfp4', 'mxfp4', 'int4'];
let chart;
let chips;
let shown = null;
let drawn = null; // the frame of the picture that is seen

// for who has neither wheel nor keys
function zoom_buttons() {
    const button = (text, label, act) => h('button', {type: 'button', class: 'button small', 'aria-label': label, onclick: act}, text);
    return [
        button('−', 'Zoom out', () => drawn && zoom_at(drawn, 1.3)),
        button('+', 'Zoom in', () => drawn && zoom_at(drawn, 1 / 1.3)),
        button('All', 'Show all of the roofline', () => set({zoom: []})),
    ];
}

export function mount(root) {
    chips = h('div', {class: 'chips', role: 'group', 'aria-label': 'Formats beside the chosen one'});
    chart = figure('Roofline', {name: 'roofline', rems: 24, controls: zoom_buttons()});
    put(
        root,
        h('div', {class: 'view-head'}, h('p', {class: 'note'}, 'Weights and activations in other formats beside the chosen ones:'), chips),
        chart.root,
        h(
            'p',
            {class: 'note'},
            'A click on a point explains it; points at one place are chosen one after the other. Drag to move, Ctrl and wheel (the wheel alone once the chart was clicked) or + and − to zoom, Shift and arrows to move, 0 for all of it.',
        ),
    );
}

// ---- what is drawn ----

// what one device does: no point of all of them together would be below its roof
const flops_of = (row) => Number(row.device_flops ?? row.flops);
const bytes_of = (row) => Number(row.device_bytes ?? row.bytes);

function tip_of(row, format) {
    return {
        title: row.path || row.name,
        rows: [
            ['format', format],
            ['intensity', `${units.ratio(flops_of(row) / bytes_of(row))} FLOP/byte`],
            ['rate', units.flops_per_s(flops_of(row) / row.time_s)],
            ['time', units.seconds(row.time_s)],
            ['bandwidth', units.bytes_per_s(bytes_of(row) / row.time_s)],
            ['bound', row.bound],
            ['calls', units.exact(row.count)],
        ],
    };
}

// a kernel without FLOPs has no place on log axes
function predicted(answer, format) {
    const rows = answer.rows.filter((row) => row.leaf && flops_of(row) > 0 && bytes_of(row) > 0 && row.time_s > 0);
    return {
        name: `${format}, predicted`,
        format,
        dots: true,
        points: rows.map((row) => ({
            x: row.device_flops === undefined ? Number(row.arithmetic_intensity) : flops_of(row) / bytes_of(row),
            y: flops_of(row) / row.time_s,
            name: row.path,
            path: row.path,
            row: {...row, flops: flops_of(row), bytes: bytes_of(row)},
            tip: tip_of(row, format),
        })),
    };
}

function measured(points) {
    const formats = [...new Set(points.map((point) => point.format))];
    return formats.map((format) => ({
        name: `${format}, measured`,
        format,
        dots: true,
        hollow: true,
        points: points.filter((p) => p.format === format),
    }));
}

const LEVELS = {dram: 'memory', llc: 'last-level cache', l2: 'L2', l1: 'L1'};

function roofs_of(machine, wanted) {
    const peaks = Object.entries(machine.peak_flops_per_s).filter(([, rate]) => rate);
    const used = new Set(wanted.map((format) => family(format)));
    const seen = peaks.filter(([precision]) => used.has(family(precision)));
    return {
        peaks: (seen.length > 0 ? seen : peaks.filter(([precision]) => precision === 'fp32')).map(([precision, rate]) => ({
            precision,
            rate: Number(rate),
        })),
        levels: machine.memory.filter((m) => m.bytes_per_s).map((m) => ({level: LEVELS[m.level] ?? m.level, rate: Number(m.bytes_per_s)})),
    };
}

// with the rates that the prediction used, where the machine's record has none of them
function roofs(answer, formats) {
    const machine = machine_record(state.on);
    const found = machine ? roofs_of(machine, formats) : {peaks: [], levels: []};
    if (!answer) return found.levels.length > 0 ? found : measured_roofs_of(formats);
    const {matmul, bytes_per_s} = answer.rates;
    if (matmul.peak_flops_per_s && !found.peaks.some((peak) => peak.precision === matmul.used))
        found.peaks.push({precision: matmul.used, rate: Number(matmul.peak_flops_per_s)});
    if (found.levels.length === 0 && bytes_per_s) found.levels.push({level: 'memory', rate: Number(bytes_per_s)});
    return found;
}

// what a spot check measured, where nothing else is known of the machine
function measured_roofs_of(formats) {
    const {peaks, levels} = measured_roofs();
    const used = new Set(formats.map(family));
    const seen = peaks.filter((peak) => used.has(family(peak.precision)));
    return {
        peaks: seen.length > 0 ? seen : peaks.filter((peak) => peak.precision === 'fp32'),
        levels: levels.map((l) => ({...l, level: LEVELS[l.level] ?? l.level})),
    };
}

// ---- the picture ----

const around = (low, high) => [low / 2.5, high * 8];

function whole(series, {peaks, levels}) {
    const points = series.flatMap((s) => s.points);
    const knees = peaks.flatMap((peak) => levels.map((level) => peak.rate / level.rate));
    const x = around(Math.min(...points.map((p) => p.x), ...knees), Math.max(...points.map((p) => p.x), ...knees));
    const top = Math.max(...peaks.map((p) => p.rate), ...points.map((p) => p.y));
    const bottom = Math.min(...points.map((p) => p.y), top / 100);
    return {x, y: [bottom / 2, top * 3]};
}

const zoom_of = () => (state.zoom.length === 4 ? state.zoom.map(Number) : null);

function domains(series, found) {
    const zoom = zoom_of();
    return zoom && zoom.every(Number.isFinite) && zoom[0] < zoom[1] && zoom[2] < zoom[3]
        ? {x: [10 ** zoom[0], 10 ** zoom[1]], y: [10 ** zoom[2], 10 ** zoom[3]]}
        : whole(series, found);
}

// to the highest of the roofs
function slanted(f, level, peaks) {
    const x0 = f.sx.domain[0];
    const x1 = peaks.length > 0 ? Math.max(...peaks.map((peak) => peak.rate)) / level.rate : f.sx.domain[1];
    return svg('line', {
        class: 'level',
        x1: f.sx.at(x0).toFixed(1),
        y1: f.sy.at(x0 * level.rate).toFixed(1),
        x2: f.sx.at(x1).toFixed(1),
        y2: f.sy.at(x1 * level.rate).toFixed(1),
    });
}

// where a roof has most room between the points on it, in pixels from the left; null: nothing is on it
function widest_gap(f, level, spots, right) {
    const on_it = spots.filter((p) => Math.abs(f.sy.at(p.x * level.rate) - f.sy.at(p.y)) < 1.5 * f.em).map((p) => f.sx.at(p.x));
    if (on_it.length === 0) return null;
    const stops = [f.box.left, ...on_it.filter((x) => x > f.box.left && x < right).sort((a, b) => a - b), right];
    const widths = stops.slice(1).map((stop, i) => stop - stops[i]);
    return stops[widths.indexOf(Math.max(...widths))];
}

function slanted_label(f, level, place, {peaks}, spots) {
    const angle = (-Math.atan2(f.sy.at(1) - f.sy.at(10), f.sx.at(10) - f.sx.at(1)) * 180) / Math.PI;
    const low = Math.max(f.sx.domain[0], f.sy.domain[0] / level.rate);
    const right = peaks.length > 0 ? Math.min(f.box.right, f.sx.at(Math.max(...peaks.map((peak) => peak.rate)) / level.rate)) : f.box.right;
    const gap = widest_gap(f, level, spots, right);
    const x = gap === null ? low * 10 ** (0.35 + 0.2 * place) : Math.max(low, f.sx.back(gap + 1.2 * f.em));
    return svg(
        'text',
        {
            class: 'tick halo',
            transform: `translate(${f.sx.at(x).toFixed(1)} ${f.sy.at(x * level.rate).toFixed(1)}) rotate(${angle.toFixed(1)})`,
            dy: -0.6 * f.em,
        },
        `${level.level} ${units.bytes_per_s(level.rate)}`,
    );
}

function flat(f, peak, levels) {
    const knee = Math.max(f.sx.domain[0], peak.rate / Math.max(...levels.map((l) => l.rate), 1e-30));
    return svg('line', {
        class: 'ceiling',
        stroke: colour(peak.precision),
        'stroke-dasharray': dash(peak.precision),
        x1: f.sx.at(levels.length > 0 ? knee : f.sx.domain[0]).toFixed(1),
        x2: f.box.right,
        y1: f.sy.at(peak.rate).toFixed(1),
        y2: f.sy.at(peak.rate).toFixed(1),
    });
}

// one above the other where peaks are close
function flat_labels(f, peaks) {
    const sorted = [...peaks].sort((a, b) => b.rate - a.rate);
    const same = new Map();
    for (const peak of sorted) same.set(peak.rate, [...(same.get(peak.rate) ?? []), peak.precision]);
    const room = (f.box.right - f.box.left) / (0.5 * f.em); // characters
    return [...same].map(([rate, names]) => {
        const text = `${names.join(', ')} ${units.flops_per_s(rate)}`;
        const place = [f.box.right - 0.3 * f.em, f.sy.at(rate) - 0.4 * f.em];
        return label(...place, text.length < room ? text : names.join(', '), {'text-anchor': 'end', class: 'tick halo'});
    });
}

function move(f, x0, x1, y0, y1) {
    set({zoom: [x0, x1, y0, y1].map((v) => v.toFixed(3))}, 'zoom');
}

const exponents = (f) => [...f.sx.domain, ...f.sy.domain].map(Math.log10);

function zoom_at(f, factor, x = (f.box.left + f.box.right) / 2, y = (f.box.top + f.box.bottom) / 2) {
    const [x0, x1, y0, y1] = exponents(f);
    const [cx, cy] = [Math.log10(f.sx.back(x)), Math.log10(f.sy.back(y))];
    if ((x1 - x0) * factor < 0.05 || (x1 - x0) * factor > 30) return;
    move(f, cx + (x0 - cx) * factor, cx + (x1 - cx) * factor, cy + (y0 - cy) * factor, cy + (y1 - cy) * factor);
}

function pan(f, from, dx, dy) {
    const [x0, x1, y0, y1] = from;
    const sx = (dx / (f.box.right - f.box.left)) * (x1 - x0);
    const sy = (dy / (f.box.bottom - f.box.top)) * (y1 - y0);
    move(f, x0 - sx, x1 - sx, y0 + sy, y1 + sy);
}

// a drag goes on over the charts that it makes: it is followed on the window
function drag(f, event) {
    const start = [event.clientX, event.clientY];
    const from = exponents(f);
    let moved = false;
    const follow = (e) => {
        moved ||= Math.hypot(e.clientX - start[0], e.clientY - start[1]) > 4;
        if (moved) pan(f, from, e.clientX - start[0], e.clientY - start[1]);
    };
    const end = () => {
        removeEventListener('pointermove', follow);
        removeEventListener('pointerup', end);
        removeEventListener('pointercancel', end);
    };
    addEventListener('pointermove', follow);
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
}

function listen(element, f) {
    // who scrolls past the chart scrolls the page
    element.addEventListener(
        'wheel',
        (event) => {
            if (!event.ctrlKey && document.activeElement !== element) return;
            event.preventDefault();
            const r = element.getBoundingClientRect();
            zoom_at(f, event.deltaY > 0 ? 1.15 : 1 / 1.15, event.clientX - r.left, event.clientY - r.top);
        },
        {passive: false},
    );
    element.addEventListener('pointerdown', (event) => event.button === 0 && event.pointerType !== 'touch' && drag(f, event));
    element.addEventListener('keydown', (event) => {
        const steps = {ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60]};
        if (event.key === '+' || event.key === '=') zoom_at(f, 1 / 1.3);
        else if (event.key === '-') zoom_at(f, 1.3);
        else if (event.key === '0') set({zoom: []});
        else if (event.shiftKey && steps[event.key]) pan(f, exponents(f), ...steps[event.key]);
        else return;
        event.preventDefault();
    });
}

function picture(series, found) {
    return (width) => {
        const em = parseFloat(getComputedStyle(document.documentElement).fontSize);
        const {x: dx, y: dy} = domains(series, found);
        const x = {
            log: true,
            label: 'Arithmetic intensity, FLOP/byte',
            short: 'FLOP/byte',
            format: (v) => (v >= 999 ? units.exact(Math.round(v)) : units.short(units.ratio(v))),
            domain: dx,
        };
        const y = {log: true, label: 'Rate', room: 6.6, format: (v) => units.short(units.flops_per_s(v)), domain: dy};
        const f = frame({x, y, series, height: Math.max(24 * em, Math.min(38 * em, width * 0.58)), width});
        f.sx.domain = dx;
        f.sy.domain = dy;
        drawn = f;
        const clip = clip_of(f);
        const seen = series.filter((s) => !state.hide.includes(s.name));
        const element = canvas(
            f,
            'Roofline',
            clip.element,
            axes(f, x, y),
            svg(
                'g',
                {'clip-path': `url(#${clip.id})`},
                found.levels.map((level) => slanted(f, level, found.peaks)),
                found.peaks.map((peak) => flat(f, peak, found.levels)),
                all_series(f, seen),
                found.levels.map((level, i) =>
                    slanted_label(
                        f,
                        level,
                        i,
                        found,
                        seen.flatMap((s) => s.points),
                    ),
                ),
                flat_labels(f, found.peaks),
            ),
        );
        const tip = interact(element, f, spots_of(f, seen), {chosen: (p) => p.path !== undefined && set({explain: p.path})});
        listen(element, f);
        return h('div', {class: 'chart-box'}, element, tip);
    };
}

// ---- asking ----

async function question(signal) {
    const points = await measured_points(state.on);
    const predict = async (more) => ask('predict', {...(await predict_of(state)), ...more, advice: 'none'}, {signal});
    const own = await predict({}).catch((error) => {
        if (points.length === 0 || error.lost || error.name === 'AbortError') throw error;
        return null;
    });
    if (!own) return {own, others: [], points};
    const others = await Promise.all(
        state.series.map((format) =>
            predict({weights: format, activations: format, kv: ''}).then(
                (answer) => ({answer, format}),
                () => null,
            ),
        ),
    );
    return {own, others: others.filter(Boolean), points};
}

function show({own, others, points}) {
    const own_format = own?.workload.weights;
    const series = [
        ...(own ? [predicted(own, own_format)] : []),
        ...others.filter((o) => o.format !== own_format).map((o) => predicted(o.answer, o.format)),
        ...measured(points),
    ];
    const formats = [
        ...(own ? [own_format, own.rates.matmul.used] : []),
        ...others.flatMap((o) => [o.format, o.answer.rates.matmul.used]),
        ...points.map((p) => p.format),
    ];
    const devices = devices_of(state);
    shown = {series, found: roofs(own, formats)};
    chart.heading.textContent = `Roofline of ${devices > 1 ? `one of ${devices} × ` : ''}${state.on === 'this' ? 'this machine' : machine_name(state.on)}`;
    draw();
}

function draw() {
    const {series, found} = shown;
    chart.show(picture(series, found), {
        columns: ['series', 'name', 'arithmetic_intensity', 'flops_per_s', 'time_s', 'bytes', 'flops', 'bound'],
        rows: series.flatMap((s) => s.points.map((p) => [s.name, p.name, p.x, p.y, p.row?.time_s, p.row?.bytes, p.row?.flops, p.row?.bound])),
    });
    put(
        chart.under,
        legend(series, {
            hidden: state.hide,
            toggle: (name) => set({hide: state.hide.includes(name) ? state.hide.filter((n) => n !== name) : [...state.hide, name]}),
        }),
    );
}

function show_chips() {
    put(
        chips,
        FORMATS.map((format) =>
            h(
                'button',
                {
                    type: 'button',
                    class: 'chip',
                    'aria-pressed': String(state.series.includes(format)),
                    onclick: () =>
                        set({series: state.series.includes(format) ? state.series.filter((s) => s !== format) : [...state.series, format]}),
                },
                format,
            ),
        ),
    );
}

export function update(now, changed) {
    const focused = chips.contains(document.activeElement) ? [...chips.children].indexOf(document.activeElement) : -1;
    show_chips();
    chips.children[focused]?.focus();
    if (shown && changed.every((name) => ['zoom', 'hide', 'explain'].includes(name))) {
        if (!changed.every((name) => name === 'explain')) draw();
        return;
    }
    latest.run(question, show, (error) => {
        shown = null;
        chart.say(error);
    });
}
