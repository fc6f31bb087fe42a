// menu.js - a button with a menu below it (ARIA's menu button): arrow keys, Escape, a click elsewhere closes it.

import {h, put, unique} from './dom.js';

export function menu(label, items, {title = null, small = false} = {}) {
    const id = unique('menu');
    const button = h(
        'button',
        {
            type: 'button',
            class: `button${small ? ' small' : ''}`,
            'aria-haspopup': 'menu',
            'aria-expanded': 'false',
            'aria-controls': id,
            'aria-label': title,
        },
        label,
    );
    const list = h('div', {role: 'menu', id, class: 'menu-list', 'aria-label': title ?? label, hidden: true});
    const root = h('div', {class: 'menu'}, button, list);
    const close = (back) => {
        list.hidden = true;
        button.setAttribute('aria-expanded', 'false');
        if (back) button.focus();
    };
    const open = () => {
        put(
            list,
            items().map(([text, act]) =>
                h(
                    'button',
                    {
                        type: 'button',
                        role: 'menuitem',
                        tabindex: '-1',
                        class: 'menu-item',
                        onclick: () => {
                            close(true);
                            act();
                        },
                    },
                    text,
                ),
            ),
        );
        list.hidden = false;
        button.setAttribute('aria-expanded', 'true');
        list.firstChild?.focus();
    };
    button.addEventListener('click', () => (list.hidden ? open() : close(false)));
    root.addEventListener('keydown', (event) => {
        const entries = [...list.children];
        const at = entries.indexOf(document.activeElement);
        const to = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: entries.length - 1}[event.key];
        if (event.key === 'Escape' && !list.hidden) {
            event.stopPropagation();
            close(true);
        } else if (to !== undefined && !list.hidden) {
            event.preventDefault();
            entries[(to + entries.length) % entries.length].focus();
        } else if (event.key === 'ArrowDown' && document.activeElement === button) {
            event.preventDefault();
            open();
        }
    });
    root.addEventListener('focusout', (event) => !root.contains(event.relatedTarget) && close(false));
    return root;
}
