// dialogs.js - what one brings along: a config.json by paste or file, a machine as a file or by its numbers.

import {h, put, unique, announce} from './dom.js';
import {ask, post, tell} from './api.js';
import {set, state} from './state.js';
import {pack} from './pack.js';
import {message} from './message.js';

function open_dialog(title, body, actions) {
    const id = unique('title');
    const dialog = h(
        'dialog',
        {class: 'dialog', 'aria-labelledby': id, onclose: () => dialog.remove()},
        h('h2', {id}, title),
        body,
        h('div', {class: 'dialog-actions'}, h('button', {type: 'button', class: 'button', onclick: () => dialog.close()}, 'Cancel'), actions),
    );
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
}

// a text by paste, by a file that is chosen or dropped
function text_field(label, placeholder, {on_name = null, accept = '.json,application/json'} = {}) {
    const id = unique('text');
    const area = h('textarea', {id, class: 'area mono', rows: '12', spellcheck: 'false', placeholder});
    const file = h('input', {type: 'file', accept, class: 'file', 'aria-label': 'Open a file'});
    const take = async (chosen) => {
        area.value = await chosen.text();
        on_name?.(chosen.name);
    };
    file.addEventListener('change', () => file.files[0] && take(file.files[0]));
    area.addEventListener('dragover', (event) => event.preventDefault());
    area.addEventListener('drop', (event) => {
        if (event.dataTransfer.files[0]) {
            event.preventDefault();
            take(event.dataTransfer.files[0]);
        }
    });
    return {area, root: h('div', {class: 'field'}, h('label', {for: id}, label), area, file)};
}

function name_of(text) {
    try {
        const config = JSON.parse(text);
        return config._name_or_path || config.architectures?.[0] || config.model_type || 'config.json';
    } catch {
        return 'config.json';
    }
}

// the server says whether it is a model before the page turns to it; its sentence stays beside the text
export function config_dialog(type) {
    const field = text_field(
        'config.json',
        type ? `a config.json with "model_type": "${type}"` : 'Paste a config.json, drop a file here, or open one',
    );
    const answer = h('div', {class: 'dialog-answer', 'aria-live': 'polite'});
    const use = async () => {
        const text = field.area.value;
        try {
            await ask('cost', {config: text, depth: 0});
            const name = name_of(text);
            set({model: name, config: await pack(text), explain: null, open: [], find: ''});
            dialog.close();
            announce(`${name} is shown`);
        } catch (error) {
            put(answer, message(error, text));
        }
    };
    const dialog = open_dialog(
        'A model by its config.json',
        [field.root, answer],
        h('button', {type: 'button', class: 'button primary', onclick: use}, 'Use it'),
    );
    field.area.focus();
}

const EXAMPLE = `{
    "id": "my-gpu",
    "name": "My GPU",
    "vendor": "NVIDIA",
    "kind": "gpu",
    "arch": "Ada Lovelace",
    "year": 2024,
    "peak_flops_per_s": {"fp32": 40e12, "bf16": 160e12, "fp16": 160e12},
    "memory": [{"level": "dram", "bytes_per_s": 700e9, "capacity_bytes": 17179869184}],
    "sources": {"*": "written by hand"}
}`;

// the server keeps it among its own machines, so that its id is all that an address needs
export function machine_dialog(reload) {
    const field = text_field('A machine’s file, as docs/machines.md describes it', '');
    field.area.value = EXAMPLE;
    const answer = h('div', {class: 'dialog-answer', 'aria-live': 'polite'});
    const use = async () => {
        try {
            const content = JSON.parse(field.area.value);
            await post('machine/add', {file: {name: `${content.id}.json`, content}, force: force.checked});
            await reload();
            set({on: content.id});
            dialog.close();
            announce(`${content.name ?? content.id} is added`);
        } catch (error) {
            put(answer, message(error));
        }
    };
    const force = h('input', {type: 'checkbox', id: unique('force')});
    const again = h('label', {class: 'check', for: force.id}, force, 'replace one that was added before');
    const dialog = open_dialog(
        'Add a machine',
        [field.root, again, answer],
        h('button', {type: 'button', class: 'button primary', onclick: use}, 'Add it'),
    );
    field.area.focus();
}

const POINTS = `a list of points, as docs/history.md has them:
[{"shape": "4096x4096x4096", "format": "bf16", "time": "0.21 ms"}]
or CSV with such columns, or a file of ridge history export`;

const is_json = (text) => /^\s*[[{]/.test(text);
const is_points = (text) => !/"runs"\s*:|^run,/m.test(text);

// whole runs of another machine, or points that another program measured; `done` gets the server's sentence
export function measured_dialog(done) {
    const field = text_field('Measured points', POINTS, {accept: '.json,.csv,application/json,text/csv'});
    const where = h('input', {id: unique('where'), type: 'text', class: 'field-input', value: state.on, spellcheck: 'false'});
    const answer = h('div', {class: 'dialog-answer', 'aria-live': 'polite'});
    const use = async () => {
        const text = field.area.value;
        const machine = is_points(text) && where.value.trim() ? {machine: where.value.trim()} : {};
        try {
            const said = await tell('history/import', {file: {name: is_json(text) ? 'points.json' : 'points.csv', content: text}, ...machine});
            dialog.close();
            done(said.trim());
        } catch (error) {
            put(answer, message(error, text));
        }
    };
    const dialog = open_dialog(
        'Import measured points',
        [
            field.root,
            h(
                'div',
                {class: 'field'},
                h('label', {for: where.id}, 'Measured on: this, a machine’s id, or a name. Files of ridge say it themselves.'),
                where,
            ),
            answer,
        ],
        h('button', {type: 'button', class: 'button primary', onclick: use}, 'Import'),
    );
    field.area.focus();
}
