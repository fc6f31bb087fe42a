// message.js - states of a view that has no figures: what went wrong and where, what is on its way, what there is to do.

import {h} from './dom.js';

// the line of a text that was sent, and a mark below the column
function underlined(text, line, column) {
    const found = text?.split('\n')[line - 1];
    return found === undefined ? [] : [found, `${' '.repeat(Math.max(0, (column ?? 1) - 1))}^`];
}

// the server's sentence as it is, with its place; `text`: what was sent, of which the place is shown
// no fault: there is something to do first
const unmeasured = () =>
    empty('No times are known here yet.', 'The bandwidth of the machine that serves was not measured. The card above can do it now.');

export function message(error, text = null) {
    if (error.unmeasured) return unmeasured();
    const lines = String(error.message ?? error).split('\n');
    const place = error.file ? `${error.file}${error.line ? `:${error.line}${error.col ? `:${error.col}` : ''}` : ''}` : null;
    const rest = [...lines.slice(1), ...(error.line ? underlined(text, error.line, error.col) : [])];
    return h(
        'div',
        {class: 'message bad', role: 'alert'},
        h('p', {class: 'message-title'}, lines[0]),
        place && !lines[0].includes(place) ? h('p', {class: 'mono'}, place) : null,
        rest.length > 0 ? h('pre', {class: 'message-rest', tabindex: '0'}, rest.join('\n')) : null,
    );
}

export function empty(title, text, action) {
    return h('div', {class: 'message'}, h('p', {class: 'message-title'}, title), text ? h('p', {}, text) : null, action ?? null);
}

// grey lines of the size of what comes
export function loading(rows = 6) {
    return h(
        'div',
        {class: 'loading', role: 'status', 'aria-label': 'Loading'},
        Array.from({length: rows}, () => h('div', {class: 'loading-row'})),
    );
}

export function warnings(list) {
    return list && list.length > 0
        ? h(
              'ul',
              {class: 'warnings', 'aria-label': 'Warnings'},
              list.map((text) => h('li', {}, text)),
          )
        : null;
}
