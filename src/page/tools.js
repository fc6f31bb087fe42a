// tools.js - what is done with the whole page: pin it, copy its address, take it along as one file.

import {h, announce} from './dom.js';
import {menu} from './menu.js';
import {state, set, query} from './state.js';
import {page_as_html} from './export.js';

export const NOT_PINNED = ['pins', 'explain', 'open', 'find', 'order', 'zoom', 'hide', 'series', 'machines', 'sort', 'all'];

function pin() {
    const what = query(state, NOT_PINNED);
    if (!state.pins.includes(what)) set({pins: [...state.pins, what]});
    announce('Pinned');
}

async function copy() {
    await navigator.clipboard.writeText(location.href).then(
        () => announce('The address is copied'),
        () => announce('The address bar has the address'),
    );
}

export function tools() {
    return [
        h('button', {type: 'button', class: 'button', id: 'pin', title: 'Keep this workload beside others', onclick: pin}, 'Pin'),
        menu('Share', () => [
            ['Copy the address', copy],
            ['Save the view as one HTML file', page_as_html],
        ]),
    ];
}
