// machines.js - what is known of machines: all of them once somebody asks for all, before that those of one's own and those that are looked at.

import {ask} from './api.js';

export const machines = {list: [], here: null, named: new Map()};

export const is_timed = (machine) => machine?.memory.some((level) => level.level === 'dram' && level.bytes_per_s) ?? false;

// can times be told for it? Of the machine that serves only after a measurement; all others have what their files say
export const is_measured = (id) => id !== 'this' || is_timed(machines.here);

export const machine_record = (id) => (id === 'this' ? machines.here : (machines.list.find((m) => m.id === id) ?? machines.named.get(id)));

export function machine_name(id) {
    return id === 'this' ? 'This machine' : (machine_record(id)?.name ?? id);
}

let list_asked = null;

export function all_machines() {
    list_asked ??= ask('machine/list', {}, {fresh: true}).then(
        (answer) => {
            machines.list = answer.machines;
            return answer.machines;
        },
        (error) => {
            list_asked = null;
            throw error;
        },
    );
    return list_asked;
}

// one may have been added
export function forget_machines() {
    list_asked = null;
}

export async function name_machine(id) {
    if (id && id !== 'this' && !machine_record(id))
        await ask('machine/show', {id}).then(
            (machine) => machines.named.set(id, machine),
            (error) => {
                if (error.lost) throw error;
            },
        );
}

// what was kept of it; where nothing was, what is detected, when it comes
export async function look_here() {
    const {machines: own} = await ask('machine/list', {own: true}, {fresh: true});
    machines.here = own.find((m) => m.id === 'this') ?? null;
    for (const machine of own) machines.named.set(machine.id, machine);
    if (!machines.here)
        ask('machine/detect', {}, {fresh: true}).then(
            (found) => {
                machines.here ??= found;
            },
            () => {},
        );
}
