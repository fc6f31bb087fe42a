// xy.js - a chart of points and lines over two axes, each linear or logarithmic. Pointer and arrow keys walk through the points.
// In: {x, y: {log, label, short (where there is little room), format, domain, base}, series: [{name, format, points: [{x, y, tip}], line, area, dots, hollow, dash, end: a word at the line's end}], height}

import {h, svg, put, announce} from './dom.js';
import {linear, log, log_domain} from './scale.js';
import {point, colour, dash} from './palette.js';
import {counts, rims, together} from './crowd.js';

const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize);

function scale_of(axis, values, range, room) {
    const domain = axis.domain ?? (axis.log ? log_domain(values, room) : [Math.min(0, ...values), Math.max(...values, 1e-30) * 1.06]);
    return axis.log ? log(domain, range, axis.base ?? 10) : linear(domain, range);
}

// ---- the frame ----

export function frame({x, y, series, height, width}) {
    const em = rem();
    const ends = width > 34 * em ? Math.max(0, ...series.map((s) => s.end?.length ?? 0)) : 0;
    const values = (key) => series.flatMap((s) => s.points.map((p) => Number(p[key]))).filter(Number.isFinite);
    const margin = {left: (y.room ?? 4.9) * em, right: ends ? (0.55 * ends + 0.6) * em : 1.1 * em, top: 0.9 * em, bottom: 3.1 * em};
    const box = {left: margin.left, right: width - margin.right, top: margin.top, bottom: height - margin.bottom};
    return {
        em,
        box,
        width,
        height,
        ends,
        sx: scale_of(x, values('x'), [box.left, box.right], ends ? 0.03 : 0.15),
        sy: scale_of(y, values('y'), [box.bottom, box.top]),
    };
}

const line = (x1, y1, x2, y2, cls) => svg('line', {x1: x1.toFixed(1), y1: y1.toFixed(1), x2: x2.toFixed(1), y2: y2.toFixed(1), class: cls});
export const label = (x, y, text, attributes) => svg('text', {x: x.toFixed(1), y: y.toFixed(1), ...attributes}, text);

export function axes(f, x, y) {
    const {box, em, sx, sy} = f;
    const x_label = x.short && x.label.length * 0.5 * em > box.right - box.left ? x.short : x.label;
    const shown_x = sx
        .ticks(Math.max(2, Math.floor((box.right - box.left) / (5.2 * em))))
        .filter((t) => sx.at(t) >= box.left - 1 && sx.at(t) <= box.right + 1);
    const shown_y = sy
        .ticks(Math.max(2, Math.floor((box.bottom - box.top) / (2.6 * em))))
        .filter((t) => sy.at(t) >= box.top - 1 && sy.at(t) <= box.bottom + 1);
    return svg(
        'g',
        {class: 'axes'},
        shown_x.map((t) => [
            line(sx.at(t), box.top, sx.at(t), box.bottom, 'grid'),
            label(sx.at(t), box.bottom + 1.15 * em, x.format(t), {'text-anchor': 'middle', class: 'tick'}),
        ]),
        shown_y.map((t) => [
            line(box.left, sy.at(t), box.right, sy.at(t), 'grid'),
            label(box.left - 0.5 * em, sy.at(t) + 0.3 * em, y.format(t), {'text-anchor': 'end', class: 'tick'}),
        ]),
        line(box.left, box.bottom, box.right, box.bottom, 'axis'),
        line(box.left, box.top, box.left, box.bottom, 'axis'),
        label((box.left + box.right) / 2, f.height - 0.5 * em, x_label, {'text-anchor': 'middle', class: 'axis-label'}),
        svg(
            'text',
            {
                transform: `translate(${(0.95 * em).toFixed(1)} ${((box.top + box.bottom) / 2).toFixed(1)}) rotate(-90)`,
                'text-anchor': 'middle',
                class: 'axis-label',
            },
            y.label,
        ),
    );
}

// ---- series ----

function path_of(f, points) {
    return points.map((p, i) => `${i ? 'L' : 'M'}${f.sx.at(Number(p.x)).toFixed(1)} ${f.sy.at(Number(p.y)).toFixed(1)}`).join('');
}

function area_of(f, s) {
    const back = [...s.points].reverse().map((p) => ({x: p.x, y: p.y0 ?? f.sy.domain[0]}));
    return svg('path', {
        d: `${path_of(f, s.points)}${path_of(f, back).replace('M', 'L')}Z`,
        class: 'area',
        fill: s.colour ?? colour(s.format),
        'fill-opacity': s.opacity ?? 0.75,
    });
}

function series_of(f, s, larger = new Map()) {
    const stroke = s.colour ?? colour(s.format);
    return svg(
        'g',
        {class: 'series', 'data-series': s.name},
        s.area ? area_of(f, s) : null,
        s.line && s.points.length > 1
            ? svg('path', {
                  d: path_of(f, s.points),
                  class: 'curve',
                  stroke,
                  fill: 'none',
                  'stroke-width': s.bold ? 3 : 2,
                  'stroke-dasharray': s.dash ?? (s.format ? dash(s.format) : null),
              })
            : null,
        s.dots
            ? s.points.map((p) =>
                  point(s.format, f.sx.at(Number(p.x)), f.sy.at(Number(p.y)), {
                      hollow: p.hollow ?? s.hollow,
                      radius: (p.size ?? 0.33) * f.em * (larger.get(p) ?? 1),
                      'data-name': p.name,
                  }),
              )
            : null,
    );
}

// all of them, and how many points a place has
export function all_series(f, series) {
    const larger = rims(f, series);
    return [
        series.map((s) => series_of(f, s, larger)),
        counts(
            f,
            spots_of(
                f,
                series.filter((s) => s.dots && !s.line),
            ),
        ),
    ];
}

// words at the ends of lines, one above the other where lines end together
function end_words(f, series) {
    if (!f.ends) return null;
    const words = series
        .filter((s) => s.end && s.points.length > 0)
        .map((s) => ({s, p: s.points.at(-1)}))
        .map(({s, p}) => ({s, x: f.sx.at(Number(p.x)), y: f.sy.at(Number(p.y))}))
        .sort((a, b) => a.y - b.y);
    let above = -Infinity;
    return words.map(({s, x, y}) => {
        above = Math.max(y + 0.3 * f.em, above + 1.05 * f.em);
        return label(x + 1.1 * f.em, above, s.end, {class: 'tick halo'});
    });
}

// ---- hover and keys ----

// the nearest point to a place in pixels
function nearest(spots, x, y, reach) {
    let best = null;
    for (const spot of spots) {
        const distance = Math.hypot(spot.x - x, spot.y - y);
        if (distance < (best?.distance ?? reach)) best = {spot, distance};
    }
    return best?.spot ?? null;
}

export function spots_of(f, series) {
    return series
        .filter((s) => s.dots || s.line)
        .flatMap((s) => s.points.filter((p) => p.tip).map((p) => ({x: f.sx.at(Number(p.x)), y: f.sy.at(Number(p.y)), tip: p.tip, p, s})))
        .filter((spot) => spot.x >= f.box.left - 2 && spot.x <= f.box.right + 2 && spot.y >= f.box.top - 2 && spot.y <= f.box.bottom + 2)
        .sort((a, b) => a.x - b.x || b.y - a.y);
}

const MORE = 6; // of one place that a tip tells

function tip_of(spot, others) {
    const time = ({tip}) => tip.rows.find(([name]) => name === 'time' || name === 'latency')?.[1] ?? '';
    const facts = (rows) =>
        h(
            'dl',
            {class: 'tip-rows'},
            rows.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
        );
    return [
        h('p', {class: 'tip-title'}, spot.tip.title),
        facts(spot.tip.rows),
        others.length > 0
            ? [
                  h('p', {class: 'tip-more'}, `${others.length} more at this place`),
                  facts(
                      others
                          .slice(0, MORE)
                          .map((other) => [`${other.tip.title}${other.s.name === spot.s.name ? '' : `, ${other.s.name}`}`, time(other)]),
                  ),
                  others.length > MORE ? h('p', {class: 'note'}, `and ${others.length - MORE} others`) : null,
              ]
            : null,
    ];
}

const said = (spot) => `${spot.tip.title}: ${spot.tip.rows.map((row) => row.join(' ')).join(', ')}`;

// a chart is drawn anew when what was chosen makes it narrower: who was chosen last stays known
let last_chosen = null;
const key_of = (spot) => `${spot.s?.name}\n${spot.p.name}`;

// `chosen(point)`: a click or Enter on it; a click on several at one place chooses one after the other. `pick(x, y)`: the spot that is meant
// by a place in pixels, if not the nearest
export function interact(chart, f, spots, {chosen = null, pick = (x, y) => nearest(spots, x, y, 2.4 * f.em)} = {}) {
    const tip = h('div', {class: 'tip', hidden: true});
    const ring = svg('circle', {class: 'ring', r: (0.6 * f.em).toFixed(1), visibility: 'hidden'});
    chart.append(ring);
    let at = null;

    const others_of = (spot) => together(f, spots, spot).filter((other) => other !== spot);

    function show(spot) {
        at = spot;
        tip.hidden = !spot;
        ring.setAttribute('visibility', spot ? 'visible' : 'hidden');
        if (!spot) return;
        ring.setAttribute('cx', spot.x.toFixed(1));
        ring.setAttribute('cy', spot.y.toFixed(1));
        put(tip, tip_of(spot, others_of(spot)));
        const left = spot.x + tip.offsetWidth + 20 < f.width;
        tip.style.left = `${Math.max(0, left ? spot.x + 14 : spot.x - tip.offsetWidth - 14)}px`;
        tip.style.top = `${Math.max(0, Math.min(f.height - tip.offsetHeight, spot.y - tip.offsetHeight / 2))}px`;
    }

    // who is shown already stays, of several at one place
    const from = (event) => {
        const r = chart.getBoundingClientRect();
        const spot = pick(event.clientX - r.left, event.clientY - r.top);
        return spot && at && together(f, spots, spot).includes(at) ? at : spot;
    };
    const next_of = (spot) => {
        const group = together(f, spots, spot);
        const before = group.findIndex((one) => key_of(one) === last_chosen);
        return before < 0 ? spot : group[(before + 1) % group.length];
    };
    chart.addEventListener('pointermove', (event) => event.buttons === 0 && show(from(event)));
    chart.addEventListener('pointerleave', () => show(null));
    chart.addEventListener('blur', () => show(null));
    chart.addEventListener('click', (event) => {
        const spot = from(event);
        if (!spot) return;
        const next = next_of(spot);
        last_chosen = key_of(next);
        show(next);
        chosen?.(next.p);
    });
    chart.addEventListener('keydown', (event) => {
        const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
        if (step && !event.shiftKey && spots.length > 0) {
            event.preventDefault();
            const before = at ? spots.indexOf(at) : step > 0 ? -1 : 0;
            show(spots[(before + step + spots.length) % spots.length]);
            announce([said(at), ...others_of(at).map((other) => `also ${other.tip.title}`)].join('; '));
        } else if (event.key === 'Escape' && at) {
            event.stopPropagation();
            show(null);
        } else if (event.key === 'Enter' && at && chosen) {
            chosen(at.p);
        }
    });
    return tip;
}

// ---- together ----

export function canvas(f, title, ...children) {
    return svg(
        'svg',
        {
            class: 'chart',
            width: f.width,
            height: f.height,
            viewBox: `0 0 ${f.width} ${f.height}`,
            role: 'application',
            'aria-roledescription': 'chart',
            tabindex: '0',
            'aria-label': `${title}. Arrow keys walk through its points.`,
        },
        children,
    );
}

let clips = 0;

export function clip_of(f) {
    const id = `clip-${++clips}`;
    return {
        id,
        element: svg(
            'clipPath',
            {id},
            svg('rect', {
                x: f.box.left,
                y: f.box.top - 1,
                width: Math.max(0, f.box.right - f.box.left),
                height: Math.max(0, f.box.bottom - f.box.top + 2),
            }),
        ),
    };
}

export function xy_chart(title, {x, y, series, height, chosen = null, extra = () => null}, width) {
    const f = frame({x, y, series, height: height * rem(), width});
    const clip = clip_of(f);
    const chart = canvas(
        f,
        title,
        clip.element,
        axes(f, x, y),
        svg('g', {'clip-path': `url(#${clip.id})`}, extra(f), all_series(f, series)),
        end_words(f, series),
    );
    return h('div', {class: 'chart-box'}, chart, interact(chart, f, spots_of(f, series), {chosen}));
}

// what the colours, shapes and dashes mean; pressed: shown
export function legend(series, {hidden = null, toggle = null} = {}) {
    const mark = (s) =>
        svg(
            'svg',
            {width: '1.8em', height: '1em', viewBox: '0 0 28 16', 'aria-hidden': 'true'},
            s.area ? svg('rect', {x: 4, y: 2, width: 20, height: 12, fill: s.colour}) : null,
            s.line
                ? svg('line', {
                      x1: 0,
                      y1: 8,
                      x2: 28,
                      y2: 8,
                      stroke: s.colour ?? colour(s.format),
                      'stroke-width': 2,
                      'stroke-dasharray': s.dash ?? (s.format ? dash(s.format) : null),
                  })
                : null,
            s.dots ? point(s.format, 14, 8, {radius: 5, hollow: s.hollow}) : null,
        );
    return h(
        'ul',
        {class: 'legend', 'aria-label': 'Legend'},
        series.map((s) =>
            h(
                'li',
                {},
                toggle
                    ? h(
                          'button',
                          {type: 'button', class: 'legend-item', 'aria-pressed': String(!hidden.includes(s.name)), onclick: () => toggle(s.name)},
                          mark(s),
                          s.name,
                      )
                    : h('span', {class: 'legend-item'}, mark(s), s.name),
            ),
        ),
    );
}
