// dom.js - elements made in one expression: h('p', {class: 'note'}, 'text'). Text is always text, never markup.
// Attributes by name; `on...` is a listener, `style` an object of properties (the page's policy forbids style attributes), null is left out.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes ?? {})) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
        else if (name === 'style') for (const [property, v] of Object.entries(value)) element.style.setProperty(property, v);
        else element.setAttribute(name, value === true ? '' : value);
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
    return element;
}

export function h(tag, attributes, ...children) {
    return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
    return fill(document.createElementNS(SVG, tag), attributes, children);
}

// what is on the page stays there until the new content is complete: no empty moment, so no jump
export function put(parent, ...children) {
    parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
}

let last_id = 0;

export function unique(prefix) {
    return `${prefix}-${++last_id}`;
}

// what a screen reader says of a change that it cannot see
export function announce(text) {
    document.getElementById('announcer').textContent = text;
}
