// combobox.js - a field that searches as one types: groups of items, chosen by arrow keys and Enter or by a click (ARIA's combobox with a listbox).
// In: label, prepare() -> when find() knows all, find(text) -> [{title, items: [{id, name, note}]}], chosen(item). The field shows what is chosen until somebody types.

import {h, put, unique, announce} from './dom.js';

const MOST = 60; // of a group: nobody reads on, and the list opens at once
const STEPS = {ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8};

const note = (text) => h('div', {class: 'combo-more', role: 'presentation'}, text);

function field(label, placeholder, list_id) {
    return h('input', {
        type: 'text',
        role: 'combobox',
        'aria-expanded': 'false',
        'aria-controls': list_id,
        'aria-autocomplete': 'list',
        'aria-label': label,
        autocomplete: 'off',
        spellcheck: 'false',
        placeholder,
        class: 'combo-input',
    });
}

class Combobox {
    #find;
    #prepare;
    #chosen;
    #list;
    #options = [];
    #active = -1;
    #shown = '';

    constructor({label, find, chosen, placeholder, prepare}) {
        const id = unique('list');
        this.#find = find;
        this.#prepare = prepare;
        this.#chosen = chosen;
        this.input = field(label, placeholder, id);
        this.#list = h('div', {id, role: 'listbox', 'aria-label': label, class: 'combo-list', hidden: true});
        this.root = h('div', {class: 'combo'}, h('span', {class: 'combo-label', 'aria-hidden': 'true'}, label), this.input, this.#list);
        this.#listen();
    }

    show(text) {
        this.#shown = text;
        this.input.title = text;
        if (document.activeElement !== this.input || this.#list.hidden) this.input.value = text;
    }

    #listen() {
        const {input} = this;
        input.addEventListener('input', () => this.#open(input.value));
        input.addEventListener('click', () => this.#list.hidden && (input.select(), this.#open('')));
        input.addEventListener('focus', () => input.select());
        input.addEventListener('blur', () => this.#close());
        input.addEventListener('keydown', (event) => this.#key(event));
        this.#list.addEventListener('pointerdown', (event) => event.preventDefault());
    }

    #activate(index) {
        this.#options[this.#active]?.element.setAttribute('aria-selected', 'false');
        this.#active = index;
        const option = this.#options[index];
        if (!option) {
            this.input.removeAttribute('aria-activedescendant');
            return;
        }
        option.element.setAttribute('aria-selected', 'true');
        this.input.setAttribute('aria-activedescendant', option.element.id);
        option.element.scrollIntoView({block: 'nearest'});
    }

    #close() {
        this.#list.hidden = true;
        this.input.setAttribute('aria-expanded', 'false');
        this.#activate(-1);
        this.input.value = this.#shown;
    }

    #choose(item) {
        this.#close();
        this.#chosen(item);
    }

    #option_of(item) {
        const element = h(
            'div',
            {
                role: 'option',
                id: unique('option'),
                'aria-selected': 'false',
                class: 'combo-option',
                onpointerdown: (event) => event.preventDefault(),
                onclick: () => this.#choose(item),
            },
            h('span', {class: 'combo-name'}, item.name),
            item.note ? h('span', {class: 'combo-note'}, item.note) : null,
        );
        this.#options.push({element, item});
        return element;
    }

    #group_of({title, items, more}) {
        const id = unique('group');
        const left_out = items.length - MOST + (more ?? 0);
        return h(
            'div',
            {role: 'group', 'aria-labelledby': id},
            h('div', {id, class: 'combo-group', role: 'presentation'}, title),
            items.slice(0, MOST).map((item) => this.#option_of(item)),
            left_out > 0 ? note(`${left_out} more: type to narrow`) : null,
        );
    }

    // what is found grows when all is known
    #open(text) {
        this.#search(text);
        this.#prepare().then(
            () => !this.#list.hidden && this.#active <= 0 && this.#search(this.input.value === this.#shown ? '' : this.input.value),
            () => {},
        );
    }

    #search(text) {
        const groups = this.#find(text.trim().toLowerCase()).filter((group) => group.items.length > 0);
        this.#options = [];
        this.#active = -1;
        put(this.#list, groups.length > 0 ? groups.map((group) => this.#group_of(group)) : note('Nothing of that name.'));
        this.#list.hidden = false;
        this.input.setAttribute('aria-expanded', 'true');
        announce(`${this.#options.length} found`);
        if (text && this.#options.length > 0) this.#activate(0);
    }

    // who types fast chooses of what is found when all is known
    async #take() {
        await this.#prepare().catch(() => {});
        const option = this.#options[this.#active];
        if (option) this.#choose(option.item);
    }

    #key(event) {
        const step = STEPS[event.key];
        if (step) {
            event.preventDefault();
            if (this.#list.hidden) this.#open('');
            else this.#activate(Math.max(0, Math.min(this.#options.length - 1, this.#active + step)));
        } else if (event.key === 'Enter' && !this.#list.hidden) {
            event.preventDefault();
            this.#take();
        } else if (event.key === 'Escape' && !this.#list.hidden) {
            event.stopPropagation();
            this.#close();
        }
    }
}

export const combobox = (options) => new Combobox(options);
