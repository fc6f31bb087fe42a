// crowd.js - points that lie on each other: all of them are drawn, counted and told. Nothing is moved: a point stands where its numbers are.

import {svg} from './dom.js';

const SAME = 0.3; // rem: nearer than that, points cover each other

const near = (f, a, b) => Math.hypot(a.x - b.x, a.y - b.y) < SAME * f.em;

// all spots at the place of one, itself included, in their order
export const together = (f, spots, spot) => spots.filter((other) => near(f, other, spot));

// how much larger a point is drawn, so that those of later series leave a rim of it: point -> factor
export function rims(f, series) {
    const spots = series.flatMap((s, k) => (s.dots ? s.points.map((p) => ({x: f.sx.at(Number(p.x)), y: f.sy.at(Number(p.y)), p, k})) : []));
    return new Map(
        spots.map((spot) => {
            const above = new Set(spots.filter((other) => other.k > spot.k && near(f, other, spot)).map((other) => other.k));
            return [spot.p, 1 + 0.45 * Math.min(3, above.size)];
        }),
    );
}

// "×3" beside three points of one place: below it, or above where another stands below; none where there is no room
export function counts(f, spots) {
    const told = new Set();
    const taken = [];
    const is_free = ([x, y]) => taken.every(([u, v]) => Math.abs(u - x) > 1.6 * f.em || Math.abs(v - y) > 0.9 * f.em);
    return spots.map((spot) => {
        if (told.has(spot)) return null;
        const group = together(f, spots, spot);
        for (const one of group) told.add(one);
        const place = [
            [spot.x + 0.5 * f.em, spot.y + 1.05 * f.em],
            [spot.x - 1.7 * f.em, spot.y - 0.55 * f.em],
        ].find(is_free);
        if (group.length === 1 || !place) return null;
        taken.push(place);
        return svg('text', {x: place[0].toFixed(1), y: place[1].toFixed(1), class: 'tick halo'}, `×${group.length}`);
    });
}
