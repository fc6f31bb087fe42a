// calibrate.js - measures the ceilings of the machine that serves, so that predictions can be made for it.

import {h, put, announce} from './dom.js';
import {job_bar} from './job-bar.js';
import {message} from './message.js';

export function calibrate(label) {
    const failure = h('div', {});
    const bar = job_bar(label, {
        command: 'machine/calibrate',
        options: () => ({}),
        done: () => {
            announce('This machine is measured');
            dispatchEvent(new Event('machines'));
        },
        failed: (error) => put(failure, message(error)),
        cls: 'small',
    });
    return h('div', {class: 'calibrate'}, bar.parts, h('span', {class: 'note'}, 'About half a minute; best while nothing else runs.'), failure);
}
