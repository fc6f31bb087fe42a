// bars.js - a bar per row, longest first: the name, a bar of its parts, the number. Arrow keys walk; a click or Enter chooses a row.
// In: rows [{name, title, value, text, note, cls, tip, key}].

import {h, svg} from './dom.js';
import {canvas, interact, label} from './xy.js';

const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize);

// the end of a path says more than its beginning
function shorten(text, room) {
    return text.length <= room ? text : `…${text.slice(text.length - room + 1)}`;
}

function geometry(width, rows) {
    const em = rem();
    const narrow = width < 34 * em;
    const row = narrow ? 3 * em : 1.9 * em;
    const names = narrow ? 0 : Math.min(22 * em, Math.max(...rows.map((r) => r.name.length)) * 0.52 * em + 1.6 * em, width * 0.42);
    const texts = Math.max(...rows.map((r) => r.text.length), 4) * 0.54 * em + 0.6 * em;
    return {
        em,
        narrow,
        row,
        names,
        texts,
        width,
        height: Math.ceil(rows.length * row + 0.4 * em),
        most: Math.max(...rows.map((r) => r.value), 1e-30),
    };
}

function bar(g, r, i) {
    const top = i * g.row + 0.2 * g.em;
    const middle = top + (g.narrow ? 2.1 * g.em : g.row / 2);
    const room = Math.max(10, g.width - g.names - g.texts);
    const length = r.value === null ? 0 : Math.max(1, (r.value / g.most) * room);
    const chars = Math.floor((g.narrow ? g.width : g.names - g.em) / (0.52 * g.em));
    return svg(
        'g',
        {class: `bar-row ${r.cls ?? ''}`},
        g.narrow
            ? label(0, top + 0.95 * g.em, shorten(r.name, chars), {class: 'bar-name'})
            : label(g.names - 0.6 * g.em, middle + 0.32 * g.em, shorten(r.name, chars), {class: 'bar-name', 'text-anchor': 'end'}),
        svg('rect', {
            x: g.names.toFixed(1),
            y: (middle - 0.5 * g.em).toFixed(1),
            width: length.toFixed(1),
            height: g.em.toFixed(1),
            rx: 2,
            class: `bar ${r.cls ?? ''}`,
        }),
        /compute|link|launch/.test(r.cls ?? '')
            ? svg('line', {
                  x1: g.names,
                  x2: (g.names + length).toFixed(1),
                  y1: (middle + 0.5 * g.em).toFixed(1),
                  y2: (middle + 0.5 * g.em).toFixed(1),
                  class: `bar-edge ${r.cls}`,
              })
            : null,
        label(g.names + length + 0.5 * g.em, middle + 0.32 * g.em, r.text, {class: 'bar-text'}),
    );
}

export function bars(title, rows, {chosen = null} = {}) {
    return (width) => {
        const g = geometry(width, rows);
        const f = {em: g.em, width, height: g.height};
        const chart = canvas(
            f,
            title,
            rows.map((r, i) => bar(g, r, i)),
        );
        const spots = rows.map((r, i) => ({
            x: g.names + ((r.value ?? 0) / g.most) * (g.width - g.names - g.texts),
            y: (i + (g.narrow ? 0.7 : 0.5)) * g.row + 0.2 * g.em,
            tip: r.tip,
            p: r,
        }));
        // a row is met anywhere along it, not only at its end
        const pick = (x, y) => spots[Math.floor((y - 0.2 * g.em) / g.row)] ?? null;
        return h('div', {class: `chart-box${chosen ? ' can-choose' : ''}`}, chart, interact(chart, f, spots, {chosen, pick}));
    };
}

// what the colours of bars mean: those that are there
const BOUNDS = [
    ['memory', 'memory', 'bound by memory'],
    ['compute', 'compute', 'bound by computing'],
    ['link', 'link', 'messages between devices'],
    ['launch', 'link', 'launches'],
];

export function bounds_legend(rows, ...more) {
    const there = new Set(['memory', 'compute', ...rows.map((row) => row.bound)]);
    return h(
        'ul',
        {class: 'legend', 'aria-label': 'Legend'},
        BOUNDS.filter(([bound]) => there.has(bound)).map(([, look, text]) =>
            h('li', {class: 'legend-item'}, h('i', {class: `swatch ${look}`}), text),
        ),
        more.filter(Boolean).map((text) => h('li', {class: 'legend-item'}, text)),
    );
}
