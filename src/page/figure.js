// figure.js - a chart with its title, its exports and its numbers as a table; it is drawn anew when its width changes.
// show(draw, table): draw(width) -> an SVG element; table: {columns, rows} of what is drawn, every digit.

import {h, put} from './dom.js';
import {menu} from './menu.js';
import {save_svg, save_png, save_csv, save_json} from './export.js';
import {message, loading} from './message.js';

const TABLE_ROWS = 400;

function table_of({columns, rows}) {
    return h(
        'div',
        {class: 'table-scroll', tabindex: '0', role: 'group', 'aria-label': 'Numbers'},
        h(
            'table',
            {class: 'table plain'},
            h(
                'thead',
                {},
                h(
                    'tr',
                    {},
                    columns.map((name) => h('th', {scope: 'col'}, name)),
                ),
            ),
            h(
                'tbody',
                {},
                rows.slice(0, TABLE_ROWS).map((row) =>
                    h(
                        'tr',
                        {},
                        row.map((cell) => h('td', {}, cell === null || cell === undefined ? '-' : String(cell))),
                    ),
                ),
            ),
        ),
    );
}

function exports_of(title, name, place, table) {
    return menu(
        'Export',
        () => [
            ['SVG', () => save_svg(place.querySelector('svg'), name)],
            ['PNG', () => save_png(place.querySelector('svg'), name)],
            ['CSV', () => save_csv(table(), name)],
            ['JSON', () => save_json(table(), name)],
        ],
        {title: `Export: ${title}`, small: true},
    );
}

// `draw` is called again whenever the place has another width
function painter(place) {
    let draw = null;
    let width = 0;

    function paint() {
        if (!draw || width === 0) return;
        const chart = draw(width);
        const focused = place.contains(document.activeElement);
        put(place, chart);
        if (focused) place.querySelector('[tabindex="0"]')?.focus({preventScroll: true});
    }

    new ResizeObserver(([entry]) => {
        const now = Math.floor(entry.contentRect.width);
        if (now === width) return;
        width = now;
        paint();
    }).observe(place);
    return (how) => {
        draw = how;
        width ||= Math.floor(place.clientWidth);
        paint();
    };
}

export function figure(title, {name, note = '', rems = 22, controls = null} = {}) {
    const place = h('div', {class: 'figure-place', style: {'min-height': `${rems}rem`}}, loading(8));
    const under = h('div', {class: 'figure-under'});
    const details = h('details', {class: 'numbers', hidden: true}, h('summary', {}, 'Numbers'));
    const heading = h('h2', {}, title);
    const words = h('p', {class: 'note', hidden: note === ''}, note);
    let table = {columns: [], rows: []};
    const exports = exports_of(title, name, place, () => table);
    const paint = painter(place);
    const fill = () => details.open && put(details, details.firstChild, table_of(table));
    exports.hidden = true;
    details.addEventListener('toggle', fill);
    return {
        root: h(
            'figure',
            {class: 'figure', 'data-figure': name},
            h('figcaption', {class: 'figure-head'}, heading, h('div', {class: 'figure-tools'}, controls, exports)),
            words,
            place,
            under,
            details,
        ),
        under,
        heading,
        note(text) {
            words.hidden = text === '';
            put(words, text);
        },
        show(how, numbers) {
            place.style.setProperty('min-height', `${rems}rem`);
            table = numbers;
            exports.hidden = details.hidden = false;
            paint(how);
            fill();
        },
        // what there is instead of a chart: what follows moves up, and no empty ground stays
        say(content) {
            paint(null);
            exports.hidden = details.hidden = true;
            put(under);
            place.style.removeProperty('min-height');
            put(place, content instanceof Error ? message(content) : content);
        },
    };
}
