// calibrate.js - measures the ceilings of the machine that serves, so that predictions can be made for it.

import {h, put, announce} from './dom.js';
import {run_job} from './jobs.js';
import {message} from './message.js';

export function calibrate() {
    const words = h('span', {class: 'note', role: 'status'});
    const root = h('div', {class: 'calibrate'});
    const button = h(
        'button',
        {
            type: 'button',
            class: 'button small',
            onclick: async () => {
                button.disabled = true;
                try {
                    await run_job('machine/calibrate', {}, {progress: (line) => put(words, line)});
                    announce('This machine is calibrated');
                    dispatchEvent(new Event('machines'));
                } catch (error) {
                    put(root, message(error));
                }
            },
        },
        'Measure it now',
    );
    put(root, button, words);
    return root;
}
