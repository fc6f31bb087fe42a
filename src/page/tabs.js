// tabs.js - the views: a tab each, loaded when it is first looked at. A view is a module with mount(root) and update(state, changed).

import {h, put} from './dom.js';
import {set, state} from './state.js';
import {loading, message} from './message.js';
import {asking, connection, Failure} from './api.js';

const VIEWS = [
    ['overview', 'Overview'],
    ['cost', 'Cost'],
    ['roofline', 'Roofline'],
    ['memory', 'Memory'],
    ['sweep', 'Throughput'],
    ['machines', 'Machines'],
    ['pins', 'What if'],
    ['spot', 'Measure'],
    ['history', 'History'],
];

const loaded = new Map();
let list;
let place;
let current = null;

export function mount(tabs, view) {
    list = tabs;
    place = view;
    put(
        list,
        VIEWS.map(([id, title]) =>
            h(
                'button',
                {
                    type: 'button',
                    role: 'tab',
                    id: `tab-${id}`,
                    class: 'tab',
                    'aria-controls': 'view',
                    'aria-selected': 'false',
                    tabindex: '-1',
                    onclick: () => set({view: id}),
                },
                title,
            ),
        ),
    );
    put(place, loading(14));
    mark(shown_id());
    list.addEventListener('keydown', (event) => {
        const at = VIEWS.findIndex(([id]) => id === shown_id());
        const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: VIEWS.length - 1}[event.key];
        if (to === undefined) return;
        event.preventDefault();
        const next = VIEWS[(to + VIEWS.length) % VIEWS.length][0];
        set({view: next});
        document.getElementById(`tab-${next}`).focus();
    });
}

const shown_id = () => (VIEWS.some(([id]) => id === state.view) ? state.view : 'overview');

function mark(id) {
    for (const tab of list.children) {
        const chosen = tab.id === `tab-${id}`;
        tab.setAttribute('aria-selected', String(chosen));
        tab.tabIndex = chosen ? 0 : -1;
    }
    place.setAttribute('aria-labelledby', `tab-${id}`);
    const tab = document.getElementById(`tab-${id}`);
    if (tab.offsetLeft < list.scrollLeft || tab.offsetLeft + tab.offsetWidth > list.scrollLeft + list.clientWidth)
        list.scrollLeft = tab.offsetLeft - 16;
}

// a module that does not come is a server that is away
function lost() {
    connection.dispatchEvent(new Event('lost'));
    throw new Failure('The server does not answer.', {lost: true});
}

async function load(id) {
    if (!loaded.has(id)) {
        const root = h('div', {class: `view-${id}`});
        put(root, loading(10));
        put(place, root);
        const view = await import(`./view-${id}.js`).catch(lost);
        put(root);
        view.mount(root);
        loaded.set(id, {view, root});
    }
    return loaded.get(id);
}

export async function update(now, changed) {
    const id = shown_id();
    mark(id);
    asking(1);
    try {
        const {view, root} = await load(id);
        if (shown_id() !== id) return;
        if (current !== id) put(place, root);
        view.update(state, current === id ? changed : Object.keys(state));
        current = id;
    } catch (error) {
        loaded.delete(id);
        current = null;
        put(place, message(error));
    } finally {
        asking(-1);
    }
}
