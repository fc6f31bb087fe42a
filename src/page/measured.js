// measured.js - what was measured: rows of `ridge history`, and of the spot checks of this page, as points for charts.

import {ask} from './api.js';
import * as units from './units.js';

const fresh = []; // rows of spot checks, newest last
let ceilings = null; // of the last of them
let from_history = null;

export function add_measured(answer) {
    fresh.push(...answer.rows);
    ceilings = answer.ceilings;
    from_history = null;
}

const best = (list, of, rate) => [...new Set(list.map(of))].map((name) => [name, Math.max(...list.filter((c) => of(c) === name).map(rate))]);

// of the machine that serves, as a spot check measured them: roofs where its record has none
export function measured_roofs() {
    return ceilings
        ? {
              peaks: best(
                  ceilings.flops,
                  (c) => c.precision,
                  (c) => c.flops_per_s,
              ).map(([precision, rate]) => ({precision, rate})),
              levels: best(
                  ceilings.bandwidth.filter((c) => c.operation === 'read'),
                  (c) => c.level,
                  (c) => c.bytes_per_s,
              ).map(([level, rate]) => ({level, rate})),
          }
        : {peaks: [], levels: []};
}

export const shape_text = (shape) =>
    Object.entries(shape)
        .filter(([, v]) => v !== null)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ');

export function tip_of(row) {
    return {
        title: `${row.kernel} ${shape_text(row.shape)}`,
        rows: [
            ['measured in', row.format],
            ['intensity', `${units.ratio(Number(row.flops) / Number(row.bytes))} FLOP/byte`],
            ['rate', units.flops_per_s(row.flops_per_s)],
            ['time', units.seconds(row.time_s.median)],
            ['bandwidth', units.bytes_per_s(row.bytes_per_s)],
            ['bound', row.bound ?? '-'],
            ['predicted', units.seconds(row.predicted_s)],
            ['error', units.share(row.error)],
            ['threads', units.exact(row.threads)],
        ],
    };
}

export function point_of(row) {
    const flops = Number(row.flops);
    const bytes = Number(row.bytes);
    return {
        x: flops / bytes,
        y: Number(row.flops_per_s),
        format: row.format,
        name: `${row.kernel} ${shape_text(row.shape)}`,
        hollow: true,
        tip: tip_of(row),
        row: {...row, time_s: row.time_s.median},
    };
}

export async function history_rows(options = {}) {
    from_history ??= ask('history', options, {fresh: true}).catch((error) => {
        from_history = null;
        if (error.lost) throw error;
        return {runs: [], rows: []};
    });
    return from_history;
}

// of the machine where the server runs: there is nothing measured of others
export async function measured_points(on) {
    if (on !== 'this' && fresh.length === 0) return [];
    const kept = on === 'this' ? (await history_rows()).rows : [];
    const rows = [...kept, ...fresh.filter((row) => !kept.some((k) => k.time_s.median === row.time_s.median))];
    return rows
        .filter((row) => row.flops > 0 && row.bytes > 0 && row.flops_per_s)
        .slice(-200)
        .map(point_of);
}
