// main.js - puts the page together: choosers, workload, card, tabs, the view that is chosen, explanations; and follows the state.

import * as theme from './theme.js';
import {put} from './dom.js';
import {ask, asking, connection, forget} from './api.js';
import {state, set, subscribe} from './state.js';
import {traits_of} from './request.js';
import {message} from './message.js';
import * as choosers from './choosers.js';
import * as workload from './workload.js';
import * as card from './card.js';
import * as explain from './explain.js';
import * as tabs from './tabs.js';
import {tools} from './tools.js';

const place = (id) => document.getElementById(id);

// what is explained of the card is asked of the model itself; a view explains paths
function explain_card(what) {
    set({explain: `card:${what}`});
}

// ---- the server, lost and found ----

let lost = false;

function watch() {
    connection.addEventListener('lost', () => {
        if (lost) return;
        lost = true;
        place('lost').hidden = false;
        look();
    });
    connection.addEventListener('there', () => {
        if (!lost) return;
        lost = false;
        place('lost').hidden = true;
        refresh();
    });
}

function look() {
    setTimeout(async () => {
        await fetch('healthz', {cache: 'no-store'}).then(
            (response) => response.ok && connection.dispatchEvent(new Event('there')),
            () => {},
        );
        if (lost) look();
    }, 2000);
}

// ---- following the state ----

let frame = 0;
const pending = new Set(); // for the card
const waiting = new Set(); // for the view below it: the card goes first

function draw() {
    const changed = [...pending];
    frame = 0;
    pending.clear();
    document.title = `${state.model} · Ridge`;
    choosers.update();
    workload.update(traits);
    if (state.on && card.concerns(changed)) card.update(state, draw_view);
    else if (state.on) draw_view();
    find_traits();
    asking(-1);
}

function draw_view() {
    const changed = [...waiting];
    waiting.clear();
    tabs.update(state, changed);
    explain.update(state);
}

function request_frame(changed) {
    for (const name of changed) {
        pending.add(name);
        waiting.add(name);
    }
    if (card.concerns(changed)) card.busy();
    if (frame === 0) {
        asking(1);
        frame = requestAnimationFrame(draw);
    }
}

// everything anew: at first, and when the server is back
async function refresh() {
    asking(1);
    try {
        await choosers.load();
        request_frame(Object.keys(state));
    } catch (error) {
        if (!error.lost) put(place('view'), message(error));
    } finally {
        asking(-1);
    }
}

let traits = null;
let traits_for = '';

async function find_traits() {
    const key = `${state.model}\n${state.config}`;
    if (traits_for === key) return;
    traits_for = key;
    asking(1);
    try {
        const found = await traits_of(state);
        if (traits_for !== key) return;
        traits = found;
        workload.update(traits);
    } catch {
        if (traits_for === key) traits_for = ''; // the card says why
    } finally {
        asking(-1);
    }
}

function start() {
    if (matchMedia('(max-width: 56rem)').matches) place('workload').open = false;
    choosers.mount(place('choosers'));
    workload.mount(place('controls'));
    card.mount(place('card'), state, explain_card);
    tabs.mount(place('tabs'), place('view'));
    explain.mount(place('explain'));
    put(place('tools'), tools(), theme.button());
    watch();
    traits_of(state).catch(() => {}); // asked beside what comes first
    addEventListener('machines', () => {
        forget();
        refresh();
    });
    subscribe((now, changed) => request_frame(changed));
    refresh();
    ask('formats').then(
        (answer) => put(place('version'), `Ridge ${answer.ridge}`),
        () => {},
    );
}

start();
