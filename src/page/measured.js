// measured.js - what was measured: rows of `ridge history`, and of the spot checks of this page, as points for charts.

import {ask} from './api.js';
import {machine_name} from './machines.js';
import * as units from './units.js';

const fresh = []; // rows of spot checks, newest last
let ceilings = null; // of the last of them
const kept = new Map(); // answers of `ridge history`, by its --machine

export const forget_history = () => kept.clear();

export function add_measured(answer) {
    fresh.push(...answer.rows);
    ceilings = answer.ceilings;
    forget_history();
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

// where a run was measured: what its import said, or the processor
export const machine_of = (run) => /^(?:name|cpu): (.*)$/m.exec(run.machine_text ?? '')?.[1] ?? 'unknown machine';

const said_of = (run, on) => {
    const name = /^name: (.*)$/m.exec(run.machine_text ?? '')?.[1].toLowerCase();
    return name !== undefined && [on, machine_name(on)].some((known) => known.toLowerCase() === name);
};

function asked(machine) {
    if (!kept.has(machine))
        kept.set(
            machine,
            ask('history', {machine}, {fresh: true}).catch((error) => {
                kept.delete(machine);
                if (error.lost) throw error;
                return {runs: [], rows: []};
            }),
        );
    return kept.get(machine);
}

// rows that were measured on a machine: the one that serves by its fingerprint, others by the name that an import gave
export async function history_rows(on) {
    if (on === 'this') return (await asked('this')).rows;
    const {runs, rows} = await asked('all');
    const there = new Set(runs.filter((run) => said_of(run, on)).map((run) => run.run));
    return rows.filter((row) => there.has(row.run));
}

export async function measured_points(on) {
    const rows = await history_rows(on);
    const more = fresh.filter((row) => on === 'this' && !rows.some((k) => k.time_s.median === row.time_s.median));
    return [...rows, ...more]
        .filter((row) => row.flops > 0 && row.bytes > 0 && row.flops_per_s)
        .slice(-200)
        .map(point_of);
}
