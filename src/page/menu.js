// menu.js - a button with a menu below it (ARIA's menu button): arrow keys, Escape, a click elsewhere closes it.

import {h, put, unique} from './dom.js';

function entry([text, act], close) {
    const choose = () => {
        close(true);
        act();
    };
    return h('button', {type: 'button', role: 'menuitem', tabindex: '-1', class: 'menu-item', onclick: choose}, text);
}

// arrow keys within the list, round its ends
function walk(event, list) {
    const entries = [...list.children];
    const at = entries.indexOf(document.activeElement);
    const to = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: entries.length - 1}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    entries[(to + entries.length) % entries.length].focus();
}

// items() -> [[text, act]], when it opens
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
    const turn = (open) => {
        list.hidden = !open;
        button.setAttribute('aria-expanded', String(open));
    };
    const close = (back) => {
        turn(false);
        if (back) button.focus();
    };
    const open = () => {
        put(
            list,
            items().map((item) => entry(item, close)),
        );
        turn(true);
        list.firstChild?.focus();
    };
    button.addEventListener('click', () => (list.hidden ? open() : close(false)));
    root.addEventListener('keydown', (event) => {
        if (!list.hidden && event.key === 'Escape') {
            event.stopPropagation();
            close(true);
        } else if (!list.hidden) {
            walk(event, list);
        } else if (event.key === 'ArrowDown' && document.activeElement === button) {
            event.preventDefault();
            open();
        }
    });
    root.addEventListener('focusout', (event) => !root.contains(event.relatedTarget) && close(false));
    return root;
}
