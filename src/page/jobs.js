// jobs.js - what takes the machine for a while: made by POST, followed by server-sent events, read when it has ended. The stream comes back
// by itself where the link dropped, from the event on that was seen last; the job goes on meanwhile.

import {post, read, remove, Failure} from './api.js';

function wait_for_end(id, {progress, signal}) {
    return new Promise((done, failed) => {
        const events = new EventSource(`api/v1/jobs/${id}/events`);
        const stop = () => remove(`jobs/${id}`).catch(() => {});
        const words = (event) => JSON.parse(event.data);
        const end = (how, value) => {
            events.close();
            signal?.removeEventListener('abort', stop);
            how(value);
        };
        signal?.addEventListener('abort', stop);
        events.addEventListener('state', (event) => progress(words(event).state === 'queued' ? 'waits for its turn' : 'runs'));
        events.addEventListener('progress', (event) => words(event).line && progress(words(event).line));
        events.addEventListener('end', (event) => end(done, words(event).state));
        events.addEventListener(
            'error',
            () => events.readyState === EventSource.CLOSED && end(failed, new Failure('The server does not know this job any more.')),
        );
    });
}

// the answer of a command that measures; `signal` cancels: what was done until then is the answer
export async function run_job(command, options, {progress = () => {}, signal = null} = {}) {
    const {id} = await post(command, options);
    const state = await wait_for_end(id, {progress, signal});
    if (state === 'cancelled') progress('cancelled');
    return read(`jobs/${id}/result`);
}
