// export.js - what is seen as a file: a chart as SVG or PNG, its numbers as CSV or JSON, the view as one HTML file that needs no server.

import {state} from './state.js';
import {stringify} from './json.js';
import {announce} from './dom.js';
import {draw_svg} from './raster.js';

function save(blob, name) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    announce(`Saved ${name}`);
}

const base = (name) => `ridge-${name}-${state.model.replace(/[^\w.-]+/g, '-')}`;

// ---- pictures ----

const PAINT = [
    'fill',
    'fill-opacity',
    'stroke',
    'stroke-width',
    'stroke-dasharray',
    'stroke-opacity',
    'stroke-linejoin',
    'opacity',
    'visibility',
    'font-size',
    'font-family',
    'font-weight',
    'text-anchor',
];

// style sheets stay on the page, so a picture that leaves it carries what they said
function dressed(element) {
    const copy = element.cloneNode(true);
    const [from, to] = [
        [element, ...element.querySelectorAll('*')],
        [copy, ...copy.querySelectorAll('*')],
    ];
    from.forEach((source, i) => {
        const style = getComputedStyle(source);
        for (const name of PAINT) if (style.getPropertyValue(name)) to[i].setAttribute(name, style.getPropertyValue(name));
        to[i].removeAttribute('class');
        to[i].removeAttribute('tabindex');
    });
    const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    for (const [name, value] of Object.entries({
        width: '100%',
        height: '100%',
        fill: getComputedStyle(document.body).getPropertyValue('--panel').trim(),
    }))
        ground.setAttribute(name, value);
    copy.prepend(ground);
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    copy.setAttribute('role', 'img');
    return copy;
}

export function save_svg(element, name) {
    save(new Blob([new XMLSerializer().serializeToString(dressed(element))], {type: 'image/svg+xml'}), `${base(name)}.svg`);
}

// drawn here, twice as fine: the page's policy loads no image that the page itself made
export async function save_png(element, name) {
    const canvas = draw_svg(element, 2);
    save(await new Promise((done) => canvas.toBlob(done, 'image/png')), `${base(name)}.png`);
}

// ---- numbers ----

const cell = (value) => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export function save_csv({columns, rows}, name) {
    save(new Blob([[columns, ...rows].map((row) => `${row.map(cell).join(',')}\n`).join('')], {type: 'text/csv'}), `${base(name)}.csv`);
}

export function save_json({columns, rows}, name) {
    const records = rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i] ?? null])));
    save(
        new Blob([stringify({ridge: document.getElementById('version').textContent, address: location.href, rows: records}, 2), '\n'], {
            type: 'application/json',
        }),
        `${base(name)}.json`,
    );
}

// ---- the view ----

function styles() {
    return [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText)).join('\n');
}

function without_controls(root) {
    for (const element of root.querySelectorAll('button, .menu, .figure-tools, .tip, input, select, .number'))
        element.replaceWith(...(element.matches('button.metric-button, button.link, button.legend-item, button.cell') ? element.childNodes : []));
    for (const element of root.querySelectorAll('details')) element.open = false;
    for (const element of root.querySelectorAll('[tabindex]')) element.removeAttribute('tabindex');
    return root;
}

const escaped = (text) => text.replace(/[&<>"]/g, (c) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[c]);

// written as text: the page's policy lets no document that it makes have styles
export function page_as_html() {
    const parts = ['card', 'view'].map((id) => without_controls(document.getElementById(id).cloneNode(true)));
    for (const element of parts) for (const name of ['role', 'aria-labelledby', 'aria-live']) element.removeAttribute(name);
    const from = `${document.getElementById('version').textContent}, ${new Date().toISOString().slice(0, 10)}: ${location.href}`;
    const page = `<!doctype html>
<html lang="en" data-theme="${document.documentElement.dataset.theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(document.title)}</title>
<style>
${styles()}
body { display: block; max-width: 80rem; margin: 0 auto; padding: 1.5rem; }
</style>
</head>
<body>
<main>${parts.map((element) => element.outerHTML).join('\n')}</main>
<p class="note">${escaped(from)}</p>
</body>
</html>
`;
    save(new Blob([page], {type: 'text/html'}), `${base(state.view)}.html`);
}
