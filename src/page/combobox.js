// combobox.js - a field that searches as one types: groups of items, chosen by arrow keys and Enter or by a click (ARIA's combobox with a listbox).
// In: label, prepare() -> when find() knows all, find(text) -> [{title, items: [{id, name, note}]}], chosen(item). The field shows what is chosen until somebody types.

import {h, put, unique, announce} from './dom.js';

const MOST = 60; // of a group: nobody reads on, and the list opens at once

export function combobox({label, find, chosen, placeholder, prepare}) {
    const list_id = unique('list');
    const input = h('input', {
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
    const list = h('div', {id: list_id, role: 'listbox', 'aria-label': label, class: 'combo-list', hidden: true});
    const root = h('div', {class: 'combo'}, h('span', {class: 'combo-label', 'aria-hidden': 'true'}, label), input, list);
    let options = [];
    let active = -1;
    let shown = '';

    function activate(index) {
        options[active]?.element.setAttribute('aria-selected', 'false');
        active = index;
        const option = options[active];
        if (!option) {
            input.removeAttribute('aria-activedescendant');
            return;
        }
        option.element.setAttribute('aria-selected', 'true');
        input.setAttribute('aria-activedescendant', option.element.id);
        option.element.scrollIntoView({block: 'nearest'});
    }

    function close() {
        list.hidden = true;
        input.setAttribute('aria-expanded', 'false');
        activate(-1);
        input.value = shown;
    }

    function choose(item) {
        close();
        chosen(item);
    }

    function option_of(item) {
        const element = h(
            'div',
            {
                role: 'option',
                id: unique('option'),
                'aria-selected': 'false',
                class: 'combo-option',
                onpointerdown: (event) => event.preventDefault(),
                onclick: () => choose(item),
            },
            h('span', {class: 'combo-name'}, item.name),
            item.note ? h('span', {class: 'combo-note'}, item.note) : null,
        );
        options.push({element, item});
        return element;
    }

    function group_of({title, items, more}) {
        const id = unique('group');
        const left_out = items.length - MOST + (more ?? 0);
        return h(
            'div',
            {role: 'group', 'aria-labelledby': id},
            h('div', {id, class: 'combo-group', role: 'presentation'}, title),
            items.slice(0, MOST).map(option_of),
            left_out > 0 ? h('div', {class: 'combo-more', role: 'presentation'}, `${left_out} more: type to narrow`) : null,
        );
    }

    // what is found grows when all is known
    function open(text) {
        search(text);
        prepare().then(
            () => !list.hidden && active <= 0 && search(input.value === shown ? '' : input.value),
            () => {},
        );
    }

    function search(text) {
        const groups = find(text.trim().toLowerCase()).filter((group) => group.items.length > 0);
        options = [];
        active = -1;
        put(list, groups.length > 0 ? groups.map(group_of) : h('div', {class: 'combo-more', role: 'presentation'}, 'Nothing of that name.'));
        list.hidden = false;
        input.setAttribute('aria-expanded', 'true');
        announce(`${options.length} found`);
        if (text && options.length > 0) activate(0);
    }

    function key(event) {
        const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8};
        if (event.key in steps) {
            event.preventDefault();
            if (list.hidden) open('');
            else activate(Math.max(0, Math.min(options.length - 1, active + steps[event.key])));
        } else if (event.key === 'Enter' && !list.hidden) {
            event.preventDefault();
            // who types fast chooses of what is found when all is known
            prepare()
                .catch(() => {})
                .then(() => options[active] && choose(options[active].item));
        } else if (event.key === 'Escape' && !list.hidden) {
            event.stopPropagation();
            close();
        }
    }

    input.addEventListener('input', () => open(input.value));
    input.addEventListener('click', () => list.hidden && (input.select(), open('')));
    input.addEventListener('focus', () => input.select());
    input.addEventListener('blur', close);
    input.addEventListener('keydown', key);
    list.addEventListener('pointerdown', (event) => event.preventDefault());

    return {
        root,
        input,
        show(text, title) {
            shown = text;
            input.title = title ?? text;
            if (document.activeElement !== input || list.hidden) input.value = text;
        },
    };
}
