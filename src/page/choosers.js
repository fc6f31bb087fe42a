// choosers.js - what is looked at: the model, the machine. Both search as one types; a model may be a config.json, a machine a file of one's own.

import {put} from './dom.js';
import {ask} from './api.js';
import {set, settle, state} from './state.js';
import {machines, all_machines, machine_name, machine_record, name_machine, look_here, forget_machines, is_timed} from './machines.js';
import {combobox} from './combobox.js';
import {config_dialog, machine_dialog} from './dialogs.js';
import {count, capacity} from './units.js';

const DEFAULT_MACHINE = 'h100-sxm-80';
const has = (text, ...where) => text.split(/\s+/).every((word) => where.some((w) => (w ?? '').toLowerCase().includes(word)));

// ---- models ----

let models = {models: [], cached: [], model_types: []};
let models_asked = null;

// a hundred kilobytes that the first view can do without
function load_models() {
    models_asked ??= ask('models').then(
        (answer) => {
            models = answer;
        },
        () => {
            models_asked = null;
        },
    );
    return models_asked;
}

function model_item(model) {
    return {id: model.id, name: model.id, note: [model.architecture, model.parameters ? count(model.parameters) : null].filter(Boolean).join(' · ')};
}

function find_models(text) {
    const fits = (m) => has(text, m.id, m.architecture, m.model_type);
    const types = text ? models.model_types.filter((t) => t.model_type && has(text, t.model_type, ...t.classes)) : [];
    const groups = [
        {title: 'Your own', items: [{id: '', name: 'Paste or open a config.json …', act: () => config_dialog()}]},
        {title: 'Shipped', items: models.models.filter(fits).map(model_item)},
        {title: 'In the cache', items: (models.cached ?? []).filter(fits).map(model_item)},
        {
            title: 'Types of the catalog: any config.json of these',
            items: types.map((t) => ({
                id: t.model_type,
                name: t.model_type,
                note: t.classes[0],
                act: () => config_dialog(t.model_type),
            })),
        },
    ];
    // any other id is the server's to find: on the hub, where it may
    if (/^[\w.-]+\/[\w.@-]+$/.test(text) && !models.models.some((m) => m.id.toLowerCase() === text))
        groups.splice(1, 0, {
            title: 'By its id',
            items: [{id: text, name: model_box.input.value.trim(), note: 'asks the hub, where the server may'}],
        });
    return text ? [...groups.slice(1), groups[0]] : groups;
}

const model_box = combobox({
    label: 'Model',
    placeholder: 'Search models',
    find: find_models,
    prepare: load_models,
    chosen: (item) => (item.act ? item.act() : set({model: item.name, config: '', explain: null, open: [], find: ''})),
});

// ---- machines ----

const VENDORS = ['NVIDIA', 'AMD', 'Intel', 'Apple', 'Google', 'AWS'];

function machine_item(machine) {
    const memory = machine.memory.find((level) => level.level === 'dram');
    return {id: machine.id, name: machine.name, note: [machine.id, memory ? capacity(memory.capacity_bytes) : null].filter(Boolean).join(' · ')};
}

function here_item() {
    if (!machines.here) return {id: 'this', name: 'This machine', note: 'not detected'};
    return {id: 'this', name: `This machine: ${machines.here.name}`, note: is_timed(machines.here) ? 'known' : 'bandwidth not known: calibrate it'};
}

function find_machines(text) {
    const fits = (m) => has(text, m.id, m.name, m.vendor, m.arch);
    const rest = machines.list.filter((m) => m.id !== 'this' && fits(m));
    const vendors = [...new Set([...VENDORS, ...rest.map((m) => m.vendor)])];
    const own = [here_item()].filter((item) => has(text, item.name));
    return [
        {title: 'Where the server runs', items: own},
        ...vendors.map((vendor) => ({
            title: vendor,
            items: rest
                .filter((m) => m.vendor === vendor)
                .sort((a, b) => b.year - a.year)
                .map(machine_item),
        })),
        {title: 'Another', items: [{id: '', name: 'Add a machine …', act: () => machine_dialog(load)}]},
    ];
}

const machine_box = combobox({
    label: 'Machine',
    placeholder: 'Search machines',
    find: find_machines,
    prepare: () => all_machines(),
    chosen: (item) => (item.act ? item.act() : set({on: item.id})),
});

// ---- together ----

function show() {
    model_box.show(state.config ? `${state.model} (config.json)` : state.model);
    machine_box.show(state.on ? machine_name(state.on) : '');
}

// this machine where predictions can be made for it, else a machine that everybody knows
export async function load() {
    forget_machines();
    await Promise.all([look_here(), name_machine(state.on || DEFAULT_MACHINE)]);
    if (!state.on) settle({on: is_timed(machines.here) ? 'this' : DEFAULT_MACHINE});
    show();
}

export function mount(root) {
    put(root, model_box.root, machine_box.root);
    show();
}

export function update() {
    show();
    if (state.on && state.on !== 'this' && !machine_record(state.on)) name_machine(state.on).then(show, () => {});
}
