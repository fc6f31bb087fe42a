// latest.js - one place on the page, one question: a newer question waits for a young one, so that a slider that moves shows pictures on its
// way, and ends an old one. While something moves, places that were slow to answer let those go first that are quick: they ask when it rests.

import {asking} from './api.js';

const YOUNG = 80; // ms
const SLOW = 50;
const MOVES = 400; // a change so soon after another is one of a movement
const REST = 200;

// what is shown is of another workload than the one that is chosen
const look_old = (is_old) => document.getElementById('view').classList.toggle('is-old', is_old);

// a question is over when it is ended, whatever part of it still waits
const ended = (signal) => new Promise((unused, failed) => signal.addEventListener('abort', () => failed(new DOMException('ended', 'AbortError'))));
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// `show` gets answers in their order; `fail` what failed, and may ask for something instead. What is shown stays while the server is away.
// `first`: a place that is always asked at once, and tells by itself that it is old.
export class Latest {
    #running = null;
    #next = null;
    #shown = false;
    #patience = 0;
    #changed = -Infinity;
    #took = 0;
    #first;

    constructor({first = false} = {}) {
        this.#first = first;
    }

    run(question, show, fail) {
        const now = performance.now();
        const waits = !this.#first && this.#took > SLOW && now - this.#changed < MOVES;
        this.#changed = now;
        this.#next = {question: waits ? this.#rested(question) : question, show, fail};
        clearTimeout(this.#patience);
        if (!this.#running) this.#start();
        else this.#patience = setTimeout(() => this.#end_old(), Math.max(0, this.#running.since + YOUNG - now));
    }

    #rested(question) {
        return async (signal) => {
            await pause(REST);
            signal.throwIfAborted();
            this.#running.since = performance.now();
            return question(signal);
        };
    }

    #end_old() {
        if (this.#next) this.#running?.controller.abort();
    }

    async #start() {
        const {question, show, fail} = this.#next;
        const controller = new AbortController();
        const running = {controller, since: performance.now()};
        this.#next = null;
        this.#running = running;
        asking(1);
        try {
            const answer = await Promise.race([question(controller.signal), ended(controller.signal)]);
            this.#took = performance.now() - running.since;
            show(answer);
            this.#shown = true;
            if (!this.#first) look_old(false);
        } catch (error) {
            await this.#failed(error, fail, performance.now() - running.since);
        } finally {
            this.#running = null;
            if (this.#next) this.#start();
            asking(-1);
        }
    }

    async #failed(error, fail, took) {
        if (error.name === 'AbortError') {
            this.#took = Math.max(this.#took, took);
        } else if (error.lost && this.#shown && !this.#first) {
            look_old(true);
        } else {
            this.#shown = false;
            await fail(error);
        }
    }
}
