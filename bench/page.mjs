#!/usr/bin/env node
// How fast the page of `ridge serve` is, on loopback: the first view, from a slider's change to its picture, and scrolling a tree of 75,338
// modules. Prints medians, the slowest of ten, and ratios to what they aim at. Not a test: figures belong to the machine they were taken on.
//   node bench/page.mjs RIDGE [--rounds 9]          after ./setup --page

import {parseArgs} from 'node:util';
import {Server, open_browser, settled, visit, CHROMIUM} from '../tests/page/lib.mjs';

const {positionals, values} = parseArgs({allowPositionals: true, options: {rounds: {type: 'string', default: '9'}}});
if (!CHROMIUM || positionals.length !== 1) {
    console.error('usage: node bench/page.mjs RIDGE [--rounds 9]; it wants chromium (./setup --page)');
    process.exit(2);
}
const LLAMA = 'model=meta-llama/Llama-3.1-8B&on=h100-sxm-80';
const DEEPSEEK = 'model=deepseek-ai/DeepSeek-V3&on=h100-sxm-80';
const server = new Server(positionals[0]);
await server.start();
const browser = await open_browser();

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

// aim in ms
function print(what, times, aim) {
    const sorted = [...times].sort((a, b) => a - b);
    const median = at(sorted, 0.5);
    const cells = [`${median.toFixed(1)} ms`, `${at(sorted, 0.9).toFixed(1)} ms`, `${aim} ms`, `${(median / aim).toFixed(3)} ×`];
    console.log(`${what.padEnd(46)}${cells.map((cell) => cell.padStart(12)).join('')}${String(times.length).padStart(6)}`);
}

// a browser that has nothing of the page; the time when the card's answer stands, from the start of the navigation
async function first_view() {
    const context = await browser.newContext({viewport: {width: 1280, height: 900}});
    const page = await context.newPage();
    await page.goto(server.address);
    await settled(page);
    const ms = await page.evaluate(() => performance.getEntriesByName('answered')[0].startTime);
    await context.close();
    return ms;
}

// every change is answered before the next: from the input event to the frame that shows the new number
const changes = (page, rounds) =>
    page.evaluate(async (times) => {
        const slider = [...document.querySelectorAll('input[type=range]')].find(
            (r) => document.querySelector(`label[for="${r.id}"]`).textContent === 'Context',
        );
        const card = document.getElementById('card');
        const one = (step) =>
            new Promise((done) => {
                const before = card.dataset.time;
                const start = performance.now();
                slider.value = step;
                slider.dispatchEvent(new Event('input', {bubbles: true}));
                const look = () => (card.dataset.time !== before ? done(performance.now() - start) : requestAnimationFrame(look));
                requestAnimationFrame(look);
            });
        const found = [];
        for (let i = 0; i < times; i++) for (let step = 20; step < 50; step++) found.push(await one(step));
        return found;
    }, rounds);

// 150 pixels a frame, as a wheel does, then far jumps
const frames = (page, rounds) =>
    page.evaluate(async (times) => {
        const tree = document.querySelector('.tree');
        const found = [];
        for (let i = 1; i <= 60 * times; i++) {
            const step = i % 60;
            tree.scrollTop = step < 50 ? tree.scrollTop + 150 : (tree.scrollHeight * step) / 60;
            const start = performance.now();
            await new Promise(requestAnimationFrame);
            found.push(performance.now() - start);
        }
        return found;
    }, rounds);

const rounds = Number(values.rounds);
console.log(`${''.padEnd(46)}${['median', '90 % below', 'aim', 'of the aim'].map((word) => word.padStart(12)).join('')}   of`);
const views = [];
for (let i = 0; i < rounds; i++) views.push(await first_view());
print('first view, nothing kept', views, 1000);

const page = await browser.newPage({viewport: {width: 1280, height: 900}});
for (const view of ['overview', 'cost']) {
    await visit(page, server, `#${view}?${LLAMA}`);
    print(`slider to picture, Llama-3.1-8B, ${view}`, await changes(page, Math.ceil(rounds / 3)), 50);
}
await visit(page, server, `#overview?${DEEPSEEK}`);
print('slider to picture, DeepSeek-V3, overview', await changes(page, Math.ceil(rounds / 3)), 50);

const start = performance.now();
await visit(page, server, `#cost?${DEEPSEEK}&all=1&open=model.layers.3.mlp.experts`);
await page.locator('.tree-inner .tree-row').first().waitFor();
const shown = performance.now() - start;
await page.getByRole('searchbox').fill('experts');
await page.waitForFunction(() => Number(document.querySelector('.tree').getAttribute('aria-rowcount')) > 40_000);
const rows = await page.locator('.tree').getAttribute('aria-rowcount');
print(`a frame while ${rows} rows scroll`, await frames(page, rounds), 16.7);
console.log(`\nDeepSeek-V3's modules, every layer: fetched and shown ${(shown / 1000).toFixed(2)} s after they were asked for`);
await browser.close();
await server.end();
