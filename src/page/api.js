// api.js - questions to the server: /api/v1/COMMAND with the command line's options; the answer is what the command line prints with --json.
// A question that failed is a Failure with the server's sentence; `lost` where there was no server to answer.

import {parse} from './json.js';

const BASE = '/api/v1/';
const KEPT = 120;
const kept = new Map(); // question to answer: the same question has the same answer

// what was measured or added changes answers
export const forget = () => kept.clear();

export class Failure extends Error {
    constructor(message, details = {}) {
        super(message);
        Object.assign(this, {lost: false, status: 0}, details);
    }
}

function as_query(options) {
    const q = new URLSearchParams();
    for (const [name, value] of Object.entries(options))
        for (const one of Array.isArray(value) ? value : [value])
            if (one !== null && one !== undefined && one !== '') q.append(name, one === true ? 'true' : String(one));
    return q.toString();
}

export function failure_of(status, text) {
    try {
        const {error} = parse(text);
        return new Failure(error.message, {...error, status});
    } catch {
        return new Failure(`the server answered ${status}`, {status});
    }
}

// what a request tells of the connection: main.js shows whether the server is there
export const connection = new EventTarget();

async function transfer(url, init) {
    try {
        const response = await fetch(url, init);
        const text = await response.text();
        connection.dispatchEvent(new Event('there'));
        return {response, text};
    } catch (error) {
        if (error.name === 'AbortError') throw error;
        connection.dispatchEvent(new Event('lost'));
        throw new Failure('The server does not answer.', {lost: true});
    }
}

// texts such as a config.json go in the body, so does all else of that question
export function request_of(command, options) {
    return options.config ? posted(command, options) : {url: `${BASE}${command}?${as_query(options)}`, init: {}};
}

function posted(command, options) {
    const body = Object.fromEntries(Object.entries(options).filter(([, v]) => v !== null && v !== undefined && v !== ''));
    return {url: BASE + command, init: {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)}};
}

async function checked(url, init) {
    const {response, text} = await transfer(url, init);
    if (!response.ok) throw failure_of(response.status, text);
    return text;
}

// what changes or measures something, and what is read of it later: never kept
export const post = async (command, options) => parse(await tell(command, options));

// of commands that answer with a sentence
export function tell(command, options) {
    const {url, init} = posted(command, options);
    return checked(url, init);
}

export const read = async (path) => parse(await checked(BASE + path, {cache: 'no-store'}));
export const remove = (path) => checked(BASE + path, {method: 'DELETE'});

export async function ask(command, options = {}, {signal = null, fresh = false} = {}) {
    const {url, init} = request_of(command, options);
    const key = url + (init.body ?? '');
    if (!fresh && kept.has(key)) return kept.get(key);
    const text = await checked(url, {...init, signal});
    const answer = parse(text);
    if (text.length < 400_000) {
        kept.set(key, answer);
        if (kept.size > KEPT) kept.delete(kept.keys().next().value);
    }
    return answer;
}

// how much is on its way: what looks at the page from outside can wait until it stands still
export function asking(step) {
    const root = document.documentElement;
    root.dataset.asking = Number(root.dataset.asking ?? 0) + step;
}
