// palette.js - a precision has a colour, a shape and a dash: colour alone tells nothing (WCAG 1.4.1). charts.css has the colours, in light
// and dark, as --p-NAME.

import {svg} from './dom.js';

const FAMILIES = [
    [/^fp64/, 'fp64'],
    [/^fp32/, 'fp32'],
    [/^tf32/, 'tf32'],
    [/^bf16/, 'bf16'],
    [/^fp16/, 'fp16'],
    [/^(mx)?fp8/, 'fp8'],
    [/^nvfp4/, 'nvfp4'],
    [/^(mx)?fp4/, 'mxfp4'],
    [/^(mx)?fp6/, 'fp6'],
    [/^(mx)?int8|^q8/, 'int8'],
    [/^int4|^i?q4|^nf4/, 'int4'],
];

const LOOKS = {
    bf16: {shape: 'circle', dash: null},
    fp16: {shape: 'hexagon', dash: '9 3'},
    fp8: {shape: 'square', dash: '6 3'},
    nvfp4: {shape: 'diamond', dash: '2 3'},
    int8: {shape: 'up', dash: '8 3 2 3'},
    int4: {shape: 'down', dash: '4 4'},
    fp32: {shape: 'cross', dash: '12 4'},
    tf32: {shape: 'plus', dash: '10 3 3 3'},
    fp64: {shape: 'pentagon', dash: '1 4'},
    mxfp4: {shape: 'star', dash: '3 2'},
    fp6: {shape: 'right', dash: '7 2 1 2'},
    other: {shape: 'left', dash: '5 5'},
};

export const family = (format) => FAMILIES.find(([pattern]) => pattern.test(format ?? ''))?.[1] ?? 'other';
export const colour = (format) => `var(--p-${family(format)})`;
export const dash = (format) => LOOKS[family(format)].dash;

const polygon = (corners, turn, radius) =>
    Array.from({length: corners}, (unused, i) => {
        const angle = turn + (2 * Math.PI * i) / corners;
        return [radius * Math.sin(angle), -radius * Math.cos(angle)];
    });

function star(radius) {
    return polygon(5, 0, radius).flatMap((outer, i) => [outer, polygon(5, Math.PI / 5, radius * 0.45)[i]]);
}

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
    star: (r) => star(1.35 * r),
    plus: (r) => cross(1.15 * r, 0.4 * r, 0),
    cross: (r) => cross(1.15 * r, 0.4 * r, Math.PI / 4),
};

// a point of a format: filled what is predicted, hollow what is measured
export function point(format, x, y, {radius = 5, hollow = false, ...more} = {}) {
    const {shape} = LOOKS[family(format)];
    const look = {
        class: `point${hollow ? ' hollow' : ''}`,
        stroke: colour(format),
        fill: hollow ? 'var(--panel)' : colour(format),
        'stroke-width': hollow ? 2 : 1,
        ...more,
    };
    if (shape === 'circle') return svg('circle', {cx: x.toFixed(1), cy: y.toFixed(1), r: radius, ...look});
    return svg('path', {
        d: `M${CORNERS[shape](radius)
            .map(([dx, dy]) => `${(x + dx).toFixed(1)} ${(y + dy).toFixed(1)}`)
            .join('L')}Z`,
        'stroke-linejoin': 'round',
        ...look,
    });
}
