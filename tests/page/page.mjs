// page.mjs - the page of `ridge serve` in a real browser, the whole way: choose a model, change the workload, numbers against the command
// line's, explain one, measure a kernel, see its point, export, reload from the address, lose and regain the server, post a config, add a
// machine; keyboard, accessibility (axe-core), small screens, speed.
//   node page.mjs RIDGE

import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Server, open_browser, settled, visit, check, equal, run, skip, CHROMIUM} from './lib.mjs';
import {looks} from './looks.mjs';

const VIEWS = ['overview', 'cost', 'roofline', 'memory', 'sweep', 'machines', 'pins', 'spot', 'history'];
const LLAMA = 'meta-llama/Llama-3.1-8B';
const DEEPSEEK = 'deepseek-ai/DeepSeek-V3';
const DECODE = ['--phase', 'decode', '--past', '4096', '--kernel', 'fused', '--attention', 'causal', '--lm-head', 'needed'];

if (!CHROMIUM) skip('there is no chromium here (./setup --page)');
const server = new Server(process.argv[2]);
await server.start();
const browser = await open_browser();
const context = await browser.newContext({viewport: {width: 1280, height: 900}, acceptDownloads: true, reducedMotion: 'reduce'});
const page = await context.newPage();
const complaints = [];
const hosts = new Set();
page.on('pageerror', (error) => complaints.push(error.stack));
page.on(
    'console',
    (message) =>
        message.type() === 'error' && !/Failed to load resource|EventSource|net::ERR/.test(message.text()) && complaints.push(message.text()),
);
page.on('request', (request) => /^https?:/.test(request.url()) && hosts.add(new URL(request.url()).host));

// ---- helpers ----

const text = async (selector) => (await page.locator(selector).first().innerText()).replace(/\s+/g, ' ').trim();
const metric = (name) => text(`[data-metric="${name}"] .metric-value`);
const commas = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const tab_is = (name) =>
    page.waitForFunction((wanted) => document.querySelector('[role=tab][aria-selected=true]').innerText === wanted, name, {timeout: 5000});
const hash = () => page.evaluate(() => location.hash);

async function choose(label, words, name) {
    const box = page.getByRole('combobox', {name: label});
    await box.click();
    await box.fill(words);
    await page.getByRole('option', {name}).first().click();
    await settled(page);
}

// an export as text
async function exported(figure, form) {
    const root = page.locator(`[data-figure="${figure}"]`);
    await root.getByRole('button', {name: /^Export/}).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', {name: form}).click()]);
    return readFileSync(await download.path());
}

async function slide(label, step) {
    await page.getByRole('slider', {name: label, exact: true}).evaluate((slider, value) => {
        slider.value = value;
        slider.dispatchEvent(new Event('input', {bubbles: true}));
    }, step);
    await settled(page);
}

const column_of = (csv, name) => {
    const [head, ...lines] = csv
        .trim()
        .split('\n')
        .map((line) => line.split(','));
    return lines.map((line) => line[head.indexOf(name)]);
};

// ---- the tests ----

async function first_view() {
    let bytes = 0;
    const client = await context.newCDPSession(page);
    await client.send('Network.enable');
    client.on('Network.loadingFinished', (event) => {
        bytes += event.encodedDataLength;
    });
    await page.goto(server.address);
    await settled(page);
    const ms = await page.evaluate(() => performance.getEntriesByName('answered')[0].startTime);
    check(bytes > 10_000 && bytes < 500_000, `${bytes} bytes were transferred for the first view`);
    check(ms < 5000, `the first answer came after ${ms} ms`);
    await client.detach();
    return `first answer after ${Math.round(ms)} ms, ${bytes} bytes in all`;
}

async function choose_model() {
    await choose('Model', 'mistral', 'mistralai/Mistral-7B-v0.1');
    await choose('Machine', 'l40s', 'L40S');
    const cli = server.json('predict', 'mistralai/Mistral-7B-v0.1', '--on', 'l40s', ...DECODE, '--advice', 'none');
    equal(await page.locator('#card').getAttribute('data-time'), String(cli.time_s), 'time');
    equal(await metric('fits'), cli.memory.fits ? 'yes' : 'no', 'fits');
    equal(await metric('bound'), cli.bound, 'bound');
    check((await hash()).includes('model=mistralai/Mistral-7B-v0.1') && (await hash()).includes('on=l40s'), `the address is ${await hash()}`);
}

// the page writes a number as the command line does
async function words_of_numbers() {
    await visit(page, server, `#overview?model=${LLAMA}&on=h100-sxm-80`);
    const cli = server.text('predict', LLAMA, '--on', 'h100-sxm-80', ...DECODE, '--advice', 'none');
    for (const name of ['rate', 'time']) check(cli.includes(await metric(name)), `${name} "${await metric(name)}" is not in:\n${cli}`);
}

async function change_workload() {
    await visit(page, server, `#overview?model=${LLAMA}&on=h100-sxm-80`);
    await page.getByText('Prefill', {exact: true}).click();
    await slide('Batch', 12);
    await slide('Prompt', 40);
    await page.getByLabel('Weights', {exact: true}).selectOption('q4_K');
    await settled(page);
    const cli = server.json(
        'predict',
        LLAMA,
        '--on',
        'h100-sxm-80',
        '--phase',
        'prefill',
        '--batch',
        '8',
        '--seq',
        '1024',
        '--weights',
        'q4_K',
        '--kernel',
        'fused',
        '--attention',
        'causal',
        '--lm-head',
        'needed',
        '--advice',
        'none',
    );
    equal(await page.locator('#card').getAttribute('data-time'), String(cli.time_s), 'time');
    const csv = String(await exported('time-by-module', 'CSV'));
    const leaves = cli.rows.filter((row) => row.leaf);
    equal(column_of(csv, 'time_s').join(), leaves.map((row) => String(row.time_s)).join(), 'times by module');
    equal(column_of(csv, 'flops').join(), leaves.map((row) => String(row.flops)).join(), 'FLOPs by module');
}

// from a change to its picture, as one drags
async function speed() {
    await visit(page, server, `#cost?model=${LLAMA}&on=h100-sxm-80`);
    const times = await page.evaluate(async () => {
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
        for (let step = 20; step < 50; step++) found.push(await one(step));
        return found.sort((a, b) => a - b);
    });
    const median = times[times.length >> 1];
    check(median < 250, `half of the changes took more than ${median} ms`);
    return `from change to picture: median ${median.toFixed(1)} ms, 90 % below ${times[Math.floor(times.length * 0.9)].toFixed(1)} ms (aim: 50)`;
}

async function cost_tree() {
    await visit(page, server, `#cost?model=${LLAMA}&on=h100-sxm-80`);
    const cli = server.json('cost', LLAMA, ...DECODE);
    const root = cli.rows[0];
    equal(
        await page.locator('.tree-inner .tree-row .flops').first().getAttribute('title'),
        `${commas(root.flops.total)} FLOPs`,
        'FLOPs of the model',
    );
    equal(
        await page.locator('.tree-inner .tree-row .bytes').first().getAttribute('title'),
        `${commas(root.bytes.total)} bytes`,
        'bytes of the model',
    );
    const before = await page.locator('.tree-inner .tree-row').count();
    await page.locator('.tree-row .name', {hasText: 'mlp'}).click();
    check((await page.locator('.tree-inner .tree-row').count()) > before, 'mlp does not open');
    check((await hash()).includes('open=model.layers.*.mlp'), `the address is ${await hash()}`);
    await page.getByRole('searchbox').fill('gate_proj');
    await page.waitForFunction(() => document.querySelectorAll('.tree-inner .tree-row').length === 5);
}

async function explain_number() {
    await visit(page, server, `#cost?model=${LLAMA}&on=h100-sxm-80&open=model.layers.*.mlp`);
    await page.locator('.tree-row', {hasText: 'down_proj'}).locator('.flops').click();
    await page.locator('#explain .step').first().waitFor();
    const cli = server.json('cost', LLAMA, ...DECODE, '--explain', 'model.layers.*.mlp.down_proj');
    const shown = await text('#explain');
    for (const wanted of [
        cli.formulas[0].formula,
        commas(cli.formulas[0].value),
        `${cli.formulas[0].template.file}:${cli.formulas[0].template.line}`,
        cli.source,
        cli.class,
    ])
        check(shown.includes(wanted), `"${wanted}" is not in the explanation: ${shown}`);
    await page.keyboard.press('Escape');
    await page.locator('#explain').waitFor({state: 'hidden', timeout: 5000}); // Escape closes it
    await page.locator('[data-metric="rate"] button').click();
    await page.locator('#explain .step').first().waitFor();
    const rate = server.json('predict', LLAMA, '--on', 'h100-sxm-80', ...DECODE, '--advice', 'none');
    check((await text('#explain')).includes(`${rate.tokens_per_s} tokens/s`), `the rate is not explained: ${await text('#explain')}`);
}

async function large_tree() {
    await visit(page, server, `#cost?model=${DEEPSEEK}&on=h100-sxm-80&all=1`);
    await page.locator('.tree-inner .tree-row').first().waitFor({timeout: 60_000});
    const rows = await page.evaluate(() => Number(/of ([\d,]+) rows/.exec(document.querySelector('.view-cost').innerText)[1].replaceAll(',', '')));
    const cli =
        server
            .text('cost', DEEPSEEK, ...DECODE, '--all', '--csv')
            .trim()
            .split('\n').length - 1;
    equal(rows, cli, 'rows');
    await page.getByRole('searchbox').fill('experts');
    await page.waitForFunction(() => Number(document.querySelector('.tree').getAttribute('aria-rowcount')) > 40_000, undefined, {timeout: 20_000});
    const worst = await page.evaluate(async () => {
        const tree = document.querySelector('.tree');
        const frames = [];
        let last = performance.now();
        for (let i = 1; i <= 60; i++) {
            tree.scrollTop = i < 50 ? 150 * i : (tree.scrollHeight * i) / 60;
            await new Promise(requestAnimationFrame);
            frames.push(performance.now() - last);
            last = performance.now();
        }
        return {frame: frames.sort((a, b) => a - b)[30], rows: document.querySelectorAll('.tree-inner .tree-row').length};
    });
    check(worst.rows < 120, `${worst.rows} rows are in the document`);
    check(worst.frame < 100, `half of the frames took more than ${worst.frame} ms`);
    return `${rows} rows; ${worst.rows} in the document; scrolling, half of the frames took less than ${worst.frame.toFixed(1)} ms`;
}

async function roofline() {
    await visit(page, server, `#roofline?model=${LLAMA}&on=h100-sxm-80&phase=prefill&series=fp8_e4m3`);
    const cli = server.json(
        'predict',
        LLAMA,
        '--on',
        'h100-sxm-80',
        '--phase',
        'prefill',
        '--seq',
        '2048',
        '--kernel',
        'fused',
        '--attention',
        'causal',
        '--lm-head',
        'needed',
        '--advice',
        'none',
    );
    const points = cli.rows.filter((row) => row.leaf && row.flops > 0 && row.bytes > 0);
    const series = page.locator('.series[data-series="bf16, predicted"]');
    equal(await series.locator('.point').count(), points.length, 'points');
    const rows = JSON.parse(String(await exported('roofline', 'JSON'))).rows.filter((row) => row.series === 'bf16, predicted');
    equal(rows.map((row) => row.arithmetic_intensity).join(), points.map((row) => row.arithmetic_intensity).join(), 'intensities');
    await page.getByRole('button', {name: 'bf16, predicted'}).click();
    equal(await series.count(), 0, 'hidden series');
    await page.getByRole('button', {name: 'bf16, predicted'}).click();
    const chart = page.locator('.chart');
    await chart.hover();
    await chart.focus();
    await page.mouse.wheel(0, -400);
    await page.waitForFunction(() => location.hash.includes('zoom='));
    await chart.focus();
    await page.keyboard.press('0');
    await page.waitForFunction(() => !location.hash.includes('zoom='));
    await page.keyboard.press('ArrowRight');
    const tip = await text('.tip');
    for (const wanted of ['intensity', 'FLOP/s', 'time', 'bandwidth', 'bound'])
        check(tip.includes(wanted), `"${wanted}" is not said of a point: ${tip}`);
}

async function charts() {
    await visit(page, server, `#memory?model=${LLAMA}&on=h100-sxm-80`);
    const memory = JSON.parse(String(await exported('memory-by-context', 'JSON'))).rows.at(-1);
    const last = server.json(
        'cost',
        LLAMA,
        '--phase',
        'decode',
        '--past',
        String(memory.context),
        '--kernel',
        'fused',
        '--attention',
        'causal',
        '--lm-head',
        'needed',
        '--depth',
        '0',
    );
    equal(memory.total, last.memory.total, 'memory at the longest context');
    await visit(page, server, `#sweep?model=${LLAMA}&on=h100-sxm-80`);
    const front = JSON.parse(String(await exported('throughput', 'JSON'))).rows.filter((row) => row.pareto);
    const words = ['sweep', LLAMA, '--on', 'h100-sxm-80', ...DECODE, '--batch', '1:1024:*2', '--weights', 'bf16,fp8_e4m3,int8,q4_K', '--summary'];
    equal(
        front
            .map((row) => row.time_s)
            .sort()
            .join(),
        server
            .json(...words)
            .pareto.map((row) => row.time_s)
            .sort()
            .join(),
        'Pareto front',
    );
    await visit(page, server, `#machines?model=${LLAMA}&on=h100-sxm-80`);
    const machines = JSON.parse(String(await exported('machines', 'JSON'))).rows;
    const one = server.json('sweep', LLAMA, '--on', 'mi300x', ...DECODE).rows[0];
    equal(machines.find((row) => row.machine === 'mi300x').tokens_per_s, one.tokens_per_s, 'rate of mi300x');
}

async function what_ifs() {
    await visit(page, server, `#pins?model=${LLAMA}&on=h100-sxm-80`);
    await page.getByRole('button', {name: 'Pin', exact: true}).click();
    await page.getByLabel('Weights', {exact: true}).selectOption('q4_K');
    await settled(page);
    equal(await page.locator('.pins thead th').count(), 2, 'columns');
    const rates = await page.locator('.pins tbody tr', {hasText: 'Rate'}).locator('td').allInnerTexts();
    for (const [i, weights] of ['bf16', 'q4_K'].entries())
        check(
            server
                .text('predict', LLAMA, '--on', 'h100-sxm-80', ...DECODE, '--weights', weights, '--advice', 'none')
                .includes(rates[i].split('\n')[0].trim()),
            `rate in ${weights}: ${rates[i]}`,
        );
    await page.reload();
    await settled(page);
    equal(await page.locator('.pins thead th').count(), 2, 'columns after a reload');
}

async function spot_check() {
    await visit(page, server, `#spot?model=${LLAMA}&on=this&m=32&n=256&k=256&format=fp32`);
    await page.getByRole('button', {name: 'gate_proj'}).click();
    equal(await page.getByLabel('N', {exact: true}).inputValue(), '14336', 'N of the preset');
    await visit(page, server, `#spot?model=${LLAMA}&on=this&m=32&n=256&k=256&format=fp32`);
    await page.getByRole('button', {name: 'Measure', exact: true}).click();
    await page.getByRole('button', {name: 'Cancel'}).waitFor();
    await page.locator('.result table').waitFor({timeout: 180_000});
    const kept = server.json('history').rows;
    check(kept.length > 0 && kept[0].kernel === 'gemm' && kept[0].shape.n === 256, `history has ${JSON.stringify(kept)}`);
    const shown = await text('.result');
    check(shown.includes('fp32') && /Error/.test(shown), `the result is ${shown}`);
    await page.getByRole('button', {name: 'Show in the roofline'}).click();
    await settled(page);
    check((await page.locator('.point.hollow').count()) >= 1, 'the measured point is not in the roofline');
    await visit(page, server, '#history');
    check((await page.locator('.point.hollow').count()) >= 1, 'the measured point is not in the history');
}

async function exports() {
    await visit(page, server, `#roofline?model=${LLAMA}&on=h100-sxm-80`);
    const svg = String(await exported('roofline', 'SVG'));
    check(svg.startsWith('<svg') && svg.includes('TFLOP/s') && !svg.includes('var('), 'the SVG does not stand alone');
    const png = await exported('roofline', 'PNG');
    equal(png.subarray(0, 8).toString('hex'), '89504e470d0a1a0a', 'signature of the PNG');
    check(png.length > 20_000, `the PNG has ${png.length} bytes`);
    await page.getByRole('button', {name: 'Share'}).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', {name: /HTML/}).click()]);
    const html = readFileSync(await download.path(), 'utf8');
    check(!/<script|<link|src=/.test(html) && html.includes('<svg') && html.includes(LLAMA), 'the HTML does not stand alone');
    const alone = await context.newPage();
    const asked = [];
    alone.on('request', (request) => asked.push(request.url()));
    await download.saveAs(join(server.data, 'view.html'));
    await alone.goto(`file://${join(server.data, 'view.html')}`);
    check(asked.filter((url) => url.startsWith('http')).length === 0, `the HTML asks for ${asked}`);
    check(await alone.locator('.chart').isVisible(), 'the HTML has no chart');
    await alone.close();
}

async function addresses() {
    const where = `#cost?model=google/gemma-2-2b&on=l4&phase=prefill&batch=4&prompt=512&weights=q8_0&find=mlp`;
    await visit(page, server, where);
    const before = await text('#card');
    await page.reload();
    await settled(page);
    equal(await text('#card'), before, 'the card after a reload');
    equal(await page.getByRole('searchbox').inputValue(), 'mlp', 'the search after a reload');
    await page.getByRole('tab', {name: 'Memory'}).click();
    await settled(page);
    await page.getByText('Decode', {exact: true}).click();
    await settled(page);
    await page.goBack();
    await page.goBack();
    await tab_is('Cost');
    await settled(page);
    equal(await text('#card'), before, 'the card after going back');
    await page.goForward();
    await tab_is('Memory');
}

async function lost_and_found() {
    await visit(page, server, `#overview?model=${LLAMA}&on=h100-sxm-80`);
    const before = await text('#card');
    await server.stop();
    await page.getByText('Prefill', {exact: true}).click();
    await page.locator('#lost').waitFor({state: 'visible'});
    equal((await text('#card')).slice(0, 60), before.slice(0, 60), 'what is shown while the server is away');
    await server.start();
    await page.locator('#lost').waitFor({state: 'hidden', timeout: 15_000});
    await settled(page);
    await page.waitForFunction(() => document.querySelector('#card').innerText.includes('Throughput'));
}

async function post_config() {
    const config = readFileSync(new URL('../../examples/openai-community--gpt2/config.json', import.meta.url), 'utf8');
    await visit(page, server, `#overview?model=${LLAMA}&on=h100-sxm-80&context=512`);
    await page.getByRole('combobox', {name: 'Model'}).click();
    await page.getByRole('option', {name: /Paste or open/}).click();
    await page.getByLabel('config.json', {exact: true}).fill(config.replace('"n_layer": 12', '"n_layer": 1x'));
    await page.getByRole('button', {name: 'Use it'}).click();
    check(/config\.json:\d+:\d+.*"n_layer": 1x.*\^/.test(await text('.dialog .message')), `the place is not told: ${await text('.dialog .message')}`);
    await page.getByLabel('config.json', {exact: true}).fill(config);
    await page.getByRole('button', {name: 'Use it'}).click();
    await page.locator('.dialog').waitFor({state: 'detached'});
    await settled(page);
    const cli = server.json(
        'predict',
        'openai-community/gpt2',
        '--on',
        'h100-sxm-80',
        '--phase',
        'decode',
        '--past',
        '512',
        '--kernel',
        'fused',
        '--lm-head',
        'needed',
        '--advice',
        'none',
    );
    equal(await page.locator('#card').getAttribute('data-time'), String(cli.time_s), 'time');
    const fits = server.json('fit', 'openai-community/gpt2', '--on', 'h100-sxm-80', '--context', '512');
    equal(await page.locator('#view .columns tbody tr').count(), fits.rows.length, 'formats of a posted config');
    await page.reload();
    await settled(page);
    equal(await page.locator('#card').getAttribute('data-time'), String(cli.time_s), 'time after a reload');
}

async function add_machine() {
    await visit(page, server, `#overview?model=${LLAMA}&on=h100-sxm-80`);
    await page.getByRole('combobox', {name: 'Machine'}).click();
    await page.getByRole('option', {name: /Add a machine/}).click();
    const area = page.getByLabel(/machine’s file/);
    const example = await area.inputValue();
    await area.fill(example.replace('"dram"', '"drum"'));
    await page.getByRole('button', {name: 'Add it'}).click();
    await page.locator('.dialog .message').waitFor();
    await area.fill(example.replace('my-gpu', 'tern-9'));
    await page.getByRole('button', {name: 'Add it'}).click();
    await page.locator('.dialog').waitFor({state: 'detached'});
    await settled(page);
    const cli = server.json('predict', LLAMA, '--on', 'tern-9', ...DECODE, '--advice', 'none');
    equal(await page.locator('#card').getAttribute('data-time'), String(cli.time_s), 'time');
}

async function keyboard() {
    await visit(page, server, `#cost?model=${LLAMA}&on=h100-sxm-80`);
    await page.getByRole('combobox', {name: 'Model'}).focus();
    await page.keyboard.type('qwen3-8b');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.includes('Qwen3-8B'));
    await settled(page);
    equal(await page.getByRole('combobox', {name: 'Model'}).inputValue(), 'Qwen/Qwen3-8B', 'the model by keys');
    await page.locator('.tree').focus();
    for (const key of ['End', 'Home', 'ArrowDown', 'ArrowRight', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await page.locator('#explain').waitFor({state: 'visible'});
    await page.keyboard.press('Escape');
    await page.locator('#explain').waitFor({state: 'hidden'});
    check((await page.evaluate(() => document.activeElement.getAttribute('role'))) === 'treegrid', 'the focus does not return to the tree');
    await page.getByRole('tab', {selected: true}).focus();
    await page.keyboard.press('ArrowRight');
    await tab_is('Roofline');
}

async function quiet() {
    equal(complaints.join('\n'), '', 'errors in the console');
    equal([...hosts].join(), new URL(server.address).host, 'hosts that were asked');
}

const failed = await run(
    [
        ['the first view', first_view],
        ['choose a model and a machine', choose_model],
        ['numbers as the command line writes them', words_of_numbers],
        ['change the workload', change_workload],
        ['from change to picture', speed],
        ['the cost tree', cost_tree],
        ['explain a number', explain_number],
        ['every module of DeepSeek-V3', large_tree],
        ['the roofline', roofline],
        ['charts', charts],
        ['what-ifs', what_ifs],
        ['a spot check', spot_check],
        ['exports', exports],
        ['addresses', addresses],
        ['the server lost and found', lost_and_found],
        ['post a config', post_config],
        ['add a machine', add_machine],
        ['by keyboard alone', keyboard],
        ...looks({page, server, text, metric, commas, VIEWS, LLAMA, DEEPSEEK}),
        ['nothing else is asked or complained of', quiet],
    ].filter(([name]) => !process.argv[3] || name.includes(process.argv[3])),
);
await browser.close();
await server.end();
process.exit(failed > 0 ? 1 : 0);
