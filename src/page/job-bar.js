// job-bar.js - a button that starts what measures, how it goes, and a button that cancels it: what was done until then is the answer.
// In: the command, options() when it starts, done(answer), failed(error).

import {h, put} from './dom.js';
import {run_job} from './jobs.js';

export function job_bar(label, {command, options, done, failed, cls = 'primary'}) {
    const words = h('span', {class: 'note', role: 'status'});
    const progress = h('div', {class: 'progress'});
    const start = h('button', {type: 'button', class: `button ${cls}`, onclick: run}, label);
    const cancel = h(
        'button',
        {type: 'button', class: `button ${cls === 'small' ? cls : ''}`, hidden: true, onclick: () => running?.abort()},
        'Cancel',
    );
    let running = null;

    function show() {
        start.disabled = running !== null;
        cancel.hidden = running === null;
        put(progress, running ? [h('progress', {'aria-label': 'The measurement runs'}), words] : []);
    }

    async function run() {
        running = new AbortController();
        put(words, 'asked for');
        show();
        try {
            done(await run_job(command, options(), {signal: running.signal, progress: (line) => put(words, line)}));
        } catch (error) {
            failed(error);
        } finally {
            running = null;
            show();
        }
    }

    return {parts: [start, cancel, progress], is_running: () => running !== null};
}
