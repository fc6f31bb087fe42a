// grid.js - a workload over many machines, batches or formats: rows as `ridge sweep` has them, and what both pages that show them say of one.
// One device is one sweep; for several each point is a prediction, since a sweep is of one device.

import {ask} from './api.js';
import {predict_of, options_of, devices_of, replicas_of} from './request.js';
import * as units from './units.js';

const NOT_SWEPT = ['tensor-parallel', 'pipeline-parallel', 'expert-parallel', 'data-parallel'];

// every way to take one of each: {batch: [1, 2], weights: ['bf16']} -> [{batch: 1, weights: 'bf16'}, ...]
export function points_of(axes) {
    return Object.entries(axes).reduce((points, [name, values]) => points.flatMap((p) => values.map((value) => ({...p, [name]: value}))), [{}]);
}

function row_of({model, machine, workload: w, memory, rows, ...p}) {
    return {
        model,
        machine,
        phase: w.phase,
        batch: w.batch,
        seq: w.seq,
        past: w.past,
        weights: w.weights,
        activations: w.activations,
        kv: w.kv,
        flops: rows[0].flops,
        bytes: rows[0].bytes,
        time_s: p.time_s,
        tokens_per_s: p.tokens_per_s,
        bound: p.bound,
        memory_bytes: memory.total,
        fits: memory.fits,
        pareto: null,
        images_per_s: p.images_per_s,
    };
}

// the first point tells whether the devices can share the model at all; of the others, those that cannot are left out
async function on_several(options, axes, signal) {
    const one = (point) => ask('predict', {...options, ...point, advice: 'none', depth: 0}, {signal}).then(row_of);
    const [first, ...rest] = points_of(axes);
    const rows = [await one(first)];
    const others = await Promise.all(
        rest.map((point) =>
            one(point).catch((error) => {
                if (error.lost || error.name === 'AbortError') throw error;
                return null;
            }),
        ),
    );
    return [...rows, ...others.filter(Boolean)];
}

// `axes`: lists by the options' names, beside what the state says. Sizes that do not split among the replicas are left out.
export async function grid_of(state, axes, signal) {
    const options = await (axes.on ? options_of(state) : predict_of(state));
    if (devices_of(state) > 1) {
        const wanted = axes.batch?.filter((batch) => batch % replicas_of(state) === 0);
        return on_several(options, wanted ? {...axes, batch: wanted} : axes, signal);
    }
    const common = Object.fromEntries(Object.entries(options).filter(([name]) => !NOT_SWEPT.includes(name)));
    const lists = Object.fromEntries(Object.entries(axes).map(([name, values]) => [name, values.join(',')]));
    return (await ask('sweep', {...common, ...lists}, {signal})).rows.filter((row) => row.time_s !== null);
}

export const rate = (row) => Number(row.tokens_per_s ?? row.images_per_s);
export const rate_text = (row) => (row.tokens_per_s !== null ? units.tokens_per_s(row.tokens_per_s) : units.per_s(row.images_per_s, 'images/s'));
export const fits_text = (fits) => (fits === null || fits === undefined ? '-' : fits ? 'yes' : 'no');

// no other that fits is as short and as fast; of equal ones the first stands for all (docs/sweep.md)
export function front_of(rows) {
    const best = rows
        .filter((row) => row.fits !== false && row.time_s !== null)
        .map((row, i) => ({row, i}))
        .sort((a, b) => Number(a.row.time_s) - Number(b.row.time_s) || rate(b.row) - rate(a.row) || a.i - b.i);
    let fastest = 0;
    return best.filter(({row}) => rate(row) > fastest && (fastest = rate(row))).map(({row}) => row);
}

// what a row of all of them is in a file
export const as_table = (rows) => ({columns: Object.keys(rows[0] ?? {}), rows: rows.map((row) => Object.values(row))});
