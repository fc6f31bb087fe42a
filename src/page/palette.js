// palette.js - a precision has a colour, a shape and a dash: colour alone tells nothing (WCAG 1.4.1). charts.css has the colours, in light
// and dark, as --p-NAME.

import {svg} from './dom.js';

// the first pattern that fits a format; what a chart shows together differs in shape and dash
const FAMILIES = [
    [/^fp64/, 'fp64'],
    [/^fp32/, 'fp32'],
    [/^tf32/, 'tf32'],
    [/^bf16/, 'bf16'],
    [/^fp16/, 'fp16'],
    [/^fp8_e5m2|^mxfp8/, 'fp8_wide'],
    [/^fp8/, 'fp8'],
    [/^nvfp4/, 'nvfp4'],
    [/^(mx)?fp4/, 'mxfp4'],
    [/^(mx)?fp6/, 'fp6'],
    [/^(mx)?int8/, 'int8'],
    [/^q8/, 'q8'],
    [/^q6/, 'q6'],
    [/^q5/, 'q5'],
    [/^int4/, 'int4'],
    [/^q4_K/, 'q4_k'],
    [/^i?q4/, 'q4'],
    [/^nf4/, 'nf4'],
    [/^i?q3|^int3/, 'q3'],
    [/^i?q2|^tq2|^int2/, 'q2'],
];

const LOOKS = {
    bf16: {shape: 'circle', dash: null},
    fp16: {shape: 'hexagon', dash: '9 3'},
    fp8: {shape: 'square', dash: '6 3'},
    fp8_wide: {shape: 'ell', dash: '6 2 6 4', colour: 'fp8'},
    nvfp4: {shape: 'diamond', dash: '2 3'},
    int8: {shape: 'up', dash: '8 3 2 3'},
    q8: {shape: 'trapezoid', dash: '8 2 2 2 2 2', colour: 'int8'},
    int4: {shape: 'down', dash: '4 4'},
    q4_k: {shape: 'bowtie', dash: '4 2 1 2', colour: 'int4'},
    q4: {shape: 'hourglass', dash: '4 6', colour: 'int4'},
    nf4: {shape: 'chevron', dash: '2 6', colour: 'int4'},
    fp32: {shape: 'cross', dash: '12 4'},
    tf32: {shape: 'plus', dash: '10 3 3 3'},
    fp64: {shape: 'pentagon', dash: '1 4'},
    mxfp4: {shape: 'star', dash: '3 2'},
    fp6: {shape: 'right', dash: '7 2 1 2'},
    q6: {shape: 'spark', dash: '14 3 3 3'},
    q5: {shape: 'tee', dash: '14 3'},
    q3: {shape: 'pillar', dash: '3 6'},
    q2: {shape: 'plank', dash: '1 6'},
    other: {shape: 'left', dash: '5 5'},
};

export const family = (format) => FAMILIES.find(([pattern]) => pattern.test(format ?? ''))?.[1] ?? 'other';
export const look = (format) => LOOKS[family(format)];
export const colour = (format) => `var(--p-${look(format).colour ?? family(format)})`;
export const dash = (format) => look(format).dash;

const polygon = (corners, turn, radius) =>
    Array.from({length: corners}, (unused, i) => {
        const angle = turn + (2 * Math.PI * i) / corners;
        return [radius * Math.sin(angle), -radius * Math.cos(angle)];
    });

function star(points, radius) {
    return polygon(points, 0, radius).flatMap((outer, i) => [outer, polygon(points, Math.PI / points, radius * 0.45)[i]]);
}

const scaled = (corners) => (r) => corners.map(([x, y]) => [x * r, y * r]);
const box = (w, h) =>
    scaled([
        [-w, -h],
        [w, -h],
        [w, h],
        [-w, h],
    ]);

function cross(r, t, turn) {
    const corners = [
        [-t, -r],
        [t, -r],
        [t, -t],
        [r, -t],
        [r, t],
        [t, t],
        [t, r],
        [-t, r],
        [-t, t],
        [-r, t],
        [-r, -t],
        [-t, -t],
    ];
    return corners.map(([x, y]) => [x * Math.cos(turn) - y * Math.sin(turn), x * Math.sin(turn) + y * Math.cos(turn)]);
}

const CORNERS = {
    square: (r) => polygon(4, Math.PI / 4, 1.2 * r),
    diamond: (r) => polygon(4, 0, 1.25 * r),
    up: (r) => polygon(3, 0, 1.25 * r),
    down: (r) => polygon(3, Math.PI, 1.25 * r),
    right: (r) => polygon(3, Math.PI / 2, 1.25 * r),
    left: (r) => polygon(3, -Math.PI / 2, 1.25 * r),
    pentagon: (r) => polygon(5, 0, 1.15 * r),
    hexagon: (r) => polygon(6, 0, 1.15 * r),
    star: (r) => star(5, 1.35 * r),
    spark: (r) => star(4, 1.5 * r),
    pillar: box(0.5, 1.3),
    plank: box(1.3, 0.5),
    trapezoid: scaled([
        [-0.5, -0.9],
        [0.5, -0.9],
        [1.25, 0.9],
        [-1.25, 0.9],
    ]),
    bowtie: scaled([
        [-1.25, -1],
        [0, -0.2],
        [1.25, -1],
        [1.25, 1],
        [0, 0.2],
        [-1.25, 1],
    ]),
    hourglass: scaled([
        [-1, -1.25],
        [1, -1.25],
        [0.2, 0],
        [1, 1.25],
        [-1, 1.25],
        [-0.2, 0],
    ]),
    chevron: scaled([
        [0, -1],
        [1.2, 0.2],
        [1.2, 1.1],
        [0, 0],
        [-1.2, 1.1],
        [-1.2, 0.2],
    ]),
    ell: scaled([
        [-1, -1.2],
        [-0.2, -1.2],
        [-0.2, 0.4],
        [1.1, 0.4],
        [1.1, 1.2],
        [-1, 1.2],
    ]),
    tee: scaled([
        [-1.2, -1.1],
        [1.2, -1.1],
        [1.2, -0.3],
        [0.4, -0.3],
        [0.4, 1.2],
        [-0.4, 1.2],
        [-0.4, -0.3],
        [-1.2, -0.3],
    ]),
    plus: (r) => cross(1.15 * r, 0.4 * r, 0),
    cross: (r) => cross(1.15 * r, 0.4 * r, Math.PI / 4),
};

// a point of a format: filled what is predicted, hollow what is measured
export function point(format, x, y, {radius = 5, hollow = false, ...more} = {}) {
    const {shape} = look(format);
    const paint = {
        class: `point${hollow ? ' hollow' : ''}`,
        stroke: colour(format),
        fill: hollow ? 'var(--panel)' : colour(format),
        'stroke-width': hollow ? 2 : 1,
        ...more,
    };
    if (shape === 'circle') return svg('circle', {cx: x.toFixed(1), cy: y.toFixed(1), r: radius, ...paint});
    return svg('path', {
        d: `M${CORNERS[shape](radius)
            .map(([dx, dy]) => `${(x + dx).toFixed(1)} ${(y + dy).toFixed(1)}`)
            .join('L')}Z`,
        'stroke-linejoin': 'round',
        ...paint,
    });
}
