// table.js - a table whose rows may be sorted and chosen. columns: [{key, title, text(row), number, sort(row)}].

import {h} from './dom.js';

function head(column, sort, on_sort) {
    const sorted = sort?.replace(/^-/, '') === column.key;
    const direction = sorted ? (sort.startsWith('-') ? 'descending' : 'ascending') : null;
    const title =
        on_sort && column.sort
            ? h(
                  'button',
                  {type: 'button', class: 'link head', onclick: () => on_sort(sorted && sort.startsWith('-') ? column.key : `-${column.key}`)},
                  column.title,
                  h('span', {'aria-hidden': 'true', class: 'sort-mark'}, sorted ? (sort.startsWith('-') ? ' ↓' : ' ↑') : ''),
              )
            : column.title;
    return h('th', {scope: 'col', class: column.number ? 'num' : null, 'aria-sort': direction}, title);
}

function sorted_rows(columns, rows, sort) {
    const column = columns.find((c) => c.key === sort?.replace(/^-/, ''));
    if (!column?.sort) return rows;
    const sign = sort.startsWith('-') ? -1 : 1;
    const order = (a, b) => (a === null || a === undefined ? 1 : b === null || b === undefined ? -1 : a < b ? -sign : a > b ? sign : 0);
    return [...rows].sort((a, b) => order(column.sort(a), column.sort(b)));
}

export function table(caption, columns, rows, {sort = null, on_sort = null, row_class = null} = {}) {
    return h(
        'div',
        {class: 'table-scroll', tabindex: '0', role: 'group', 'aria-label': caption},
        h(
            'table',
            {class: 'table'},
            h('caption', {class: 'quiet'}, caption),
            h(
                'thead',
                {},
                h(
                    'tr',
                    {},
                    columns.map((column) => head(column, sort, on_sort)),
                ),
            ),
            h(
                'tbody',
                {},
                sorted_rows(columns, rows, sort).map((row) =>
                    h(
                        'tr',
                        {class: row_class?.(row)},
                        columns.map((column, i) => {
                            const content = column.text(row);
                            return i === 0 ? h('th', {scope: 'row'}, content) : h('td', {class: column.number ? 'num' : null}, content);
                        }),
                    ),
                ),
            ),
        ),
    );
}
