// theme.js - light, dark, or as the system has it; what was chosen stays for this browser.

import {h, announce} from './dom.js';

const ORDER = ['system', 'light', 'dark'];
const NAMES = {system: 'as the system', light: 'light', dark: 'dark'};
const dark = matchMedia('(prefers-color-scheme: dark)');

function kept() {
    const found = localStorage.getItem('theme');
    return ORDER.includes(found) ? found : 'system';
}

function apply() {
    const theme = kept();
    document.documentElement.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
}

apply();
dark.addEventListener('change', apply);

export function button() {
    const label = h('span', {}, NAMES[kept()]);
    const element = h(
        'button',
        {
            type: 'button',
            class: 'button quiet-button theme-button',
            onclick: () => {
                localStorage.setItem('theme', ORDER[(ORDER.indexOf(kept()) + 1) % ORDER.length]);
                apply();
                tell();
                announce(`Colours: ${NAMES[kept()]}`);
            },
        },
        h('span', {class: 'theme-icon', 'aria-hidden': 'true'}),
        label,
    );
    const tell = () => {
        label.textContent = kept() === 'system' ? 'Auto' : NAMES[kept()].replace(/^./, (c) => c.toUpperCase());
        element.setAttribute('aria-label', `${label.textContent}: colours of the page, change`);
    };
    tell();
    return element;
}
