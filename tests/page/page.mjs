// page.mjs - the page of `ridge serve` in a real browser, the whole way: choose a model, change the workload, numbers against the command
// line's, explain one, export, reload from the address, lose and regain the server, post a config, add a machine, use several devices; by
// keyboard. measuring.mjs measures and imports, looks.mjs looks. Nothing here depends on how fast the machine is: bench/page.mjs takes times.
//   node page.mjs RIDGE [PART OF A TEST'S NAME]

import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Server, Hands, COUNTED, DECODE, PREFILL, open_browser, check, column_of, commas, equal, run, skip, CHROMIUM, LONG} from './lib.mjs';
import {looks} from './looks.mjs';
import {measuring} from './measuring.mjs';

const LLAMA = 'meta-llama/Llama-3.1-8B';
const DEEPSEEK = 'deepseek-ai/DeepSeek-V3';
const H100 = 'h100-sxm-80';
const ON_H100 = `model=${LLAMA}&on=${H100}`;

if (!CHROMIUM) skip('there is no chromium here (./setup --page)');
const browser = await open_browser();
const server = new Server(process.argv[2]);
await server.start();
const context = await browser.newContext({viewport: {width: 1280, height: 900}, acceptDownloads: true, reducedMotion: 'reduce'});
context.setDefaultTimeout(LONG);
const page = await context.newPage();
const hands = new Hands(page, server);

// ---- the first view ----

// what is transferred, how often it is asked, and whether what is shown jumps
async function first_view() {
    let bytes = 0;
    let requests = 0;
    const client = await context.newCDPSession(page);
    await client.send('Network.enable');
    client.on('Network.loadingFinished', (event) => {
        bytes += event.encodedDataLength;
        requests++;
    });
    await page.addInitScript(() => {
        window.jumps = 0;
        new PerformanceObserver((list) => list.getEntries().forEach((entry) => (window.jumps += entry.value))).observe({
            type: 'layout-shift',
            buffered: true,
        });
    });
    await page.goto(server.address);
    await hands.settled();
    const jumps = await page.evaluate(() => window.jumps);
    check(bytes > 10_000 && bytes < 500_000, `${bytes} bytes were transferred for the first view`);
    check(requests < 80, `${requests} requests were made for the first view`);
    check(jumps < 0.1, `what is shown jumps: ${jumps}`);
    equal(hands.refused.join(), '', 'refusals on the first visit of a machine that nothing is known of');
    await client.detach();
    return `${requests} requests, ${bytes} bytes, layout shift ${jumps.toFixed(4)}`;
}

// ---- choose, change ----

async function choose_model() {
    await hands.visit('');
    await hands.choose('Model', 'mistral', 'mistralai/Mistral-7B-v0.1');
    await hands.choose('Machine', 'l40s', 'L40S');
    const cli = hands.predict('mistralai/Mistral-7B-v0.1', 'l40s', ...DECODE);
    equal(await hands.time(), String(cli.time_s), 'time');
    equal(await hands.metric('fits'), cli.memory.fits ? 'yes' : 'no', 'fits');
    equal(await hands.metric('bound'), cli.bound, 'bound');
    const hash = await hands.hash();
    check(hash.includes('model=mistralai/Mistral-7B-v0.1') && hash.includes('on=l40s'), `the address is ${hash}`);
}

// the page writes a number as the command line does
async function words_of_numbers() {
    await hands.visit(`#overview?${ON_H100}`);
    const cli = server.text('predict', LLAMA, '--on', H100, ...DECODE, '--advice', 'none');
    for (const name of ['rate', 'time']) {
        const found = await hands.metric(name);
        check(cli.includes(found), `${name} "${found}" is not in:\n${cli}`);
    }
}

async function change_workload() {
    await hands.visit(`#overview?${ON_H100}`);
    await page.getByText('Prefill', {exact: true}).click();
    await hands.slide('Batch', 12);
    await hands.slide('Prompt', 40);
    await page.getByLabel('Weights', {exact: true}).selectOption('q4_K');
    await hands.settled();
    const cli = hands.predict(LLAMA, H100, '--phase', 'prefill', '--batch', '8', '--seq', '1024', '--weights', 'q4_K', ...COUNTED);
    equal(await hands.time(), String(cli.time_s), 'time');
    const csv = String(await hands.exported('time-by-module', 'CSV'));
    const leaves = cli.rows.filter((row) => row.leaf);
    for (const name of ['time_s', 'flops']) equal(column_of(csv, name).join(), leaves.map((row) => String(row[name])).join(), `${name} by module`);
}

// a slider that moves faster than answers come ends at the picture of its last place
async function drag() {
    await hands.visit(`#overview?${ON_H100}`);
    const pictures = await page.evaluate(async () => {
        const slider = [...document.querySelectorAll('input[type=range]')].find(
            (r) => document.querySelector(`label[for="${r.id}"]`).textContent === 'Context',
        );
        const card = document.getElementById('card');
        const seen = new Set();
        const watch = new MutationObserver(() => seen.add(card.dataset.time));
        watch.observe(card, {attributes: true, attributeFilter: ['data-time']});
        for (let step = 20; step <= 40; step++) {
            slider.value = step;
            slider.dispatchEvent(new Event('input', {bubbles: true}));
            await new Promise(requestAnimationFrame);
        }
        return new Promise((done) => {
            const look = () => (document.documentElement.dataset.asking === '0' ? done([...seen]) : requestAnimationFrame(look));
            look();
        });
    });
    const cli = hands.predict(LLAMA, H100, '--phase', 'decode', '--past', '1024', ...COUNTED);
    equal(await hands.time(), String(cli.time_s), 'time at the last place');
    equal(pictures.at(-1), String(cli.time_s), 'the last picture');
}

// ---- the tree ----

async function cost_tree() {
    await hands.visit(`#cost?${ON_H100}`);
    const root = server.json('cost', LLAMA, ...DECODE).rows[0];
    const cell = (name) => page.locator(`.tree-inner .tree-row .${name}`).first().getAttribute('title');
    equal(await cell('flops'), `${commas(root.flops.total)} FLOPs`, 'FLOPs of the model');
    equal(await cell('bytes'), `${commas(root.bytes.total)} bytes`, 'bytes of the model');
    const before = await page.locator('.tree-inner .tree-row').count();
    await page.locator('.tree-inner .tree-row .name', {hasText: 'mlp'}).click();
    await hands.until((n) => document.querySelectorAll('.tree-inner .tree-row').length > n, before);
    check((await hands.hash()).includes('open=model.layers.*.mlp'), `the address is ${await hands.hash()}`);
    await page.getByRole('searchbox').fill('gate_proj');
    await hands.until(() => document.querySelectorAll('.tree-inner .tree-row').length === 5);
}

const names_shown = () =>
    page
        .locator('.tree-inner .tree-row')
        .evaluateAll((rows) =>
            rows
                .sort((a, b) => a.dataset.place - b.dataset.place)
                .map((row) => [row.getAttribute('aria-level'), row.querySelector('.node-name').textContent].join(' ')),
        );

// modules beside each other, by a column's title
async function sorted_tree() {
    await hands.visit(`#cost?${ON_H100}`);
    const as_model = (await names_shown()).join();
    const cli = server.json('cost', LLAMA, ...DECODE);
    const layer = cli.rows.filter((row) => /^model\.layers\.\*\.[^.]+$/.test(row.path));
    const by_bytes = [...layer].sort((a, b) => b.bytes.total - a.bytes.total).map((row) => row.path.split('.').at(-1));
    const shown = async () => (await names_shown()).filter((name) => name.startsWith('4 ')).map((name) => name.slice(2));
    await page.getByRole('button', {name: 'Bytes', exact: true}).click();
    await page.getByRole('columnheader', {name: 'Bytes'}).and(page.locator('[aria-sort="descending"]')).waitFor();
    equal((await shown()).join(), by_bytes.join(), 'modules of a layer by bytes');
    await page.keyboard.press('Enter'); // the title keeps the focus
    await page.locator('[aria-sort="ascending"]').waitFor();
    equal((await shown()).at(-1), by_bytes[0], 'the last one, smallest first');
    check((await hands.hash()).includes('order=bytes'), `the address is ${await hands.hash()}`);
    await page.getByRole('button', {name: 'Module', exact: true}).click();
    await hands.until(() => !document.querySelector('[aria-sort]'));
    equal((await names_shown()).join(), as_model, 'the order of the model');
}

async function explain_number() {
    await hands.visit(`#cost?${ON_H100}&open=model.layers.*.mlp`);
    await page.locator('.tree-row', {hasText: 'down_proj'}).locator('.flops').click();
    await page.locator('#explain .step').first().waitFor();
    const cli = server.json('cost', LLAMA, ...DECODE, '--explain', 'model.layers.*.mlp.down_proj');
    const shown = await hands.text('#explain');
    const {formula, value, template} = cli.formulas[0];
    for (const wanted of [formula, commas(value), `${template.file}:${template.line}`, cli.source, cli.class])
        check(shown.includes(wanted), `"${wanted}" is not in the explanation: ${shown}`);
    await page.keyboard.press('Escape');
    await page.locator('#explain').waitFor({state: 'hidden'});
    await page.locator('[data-metric="rate"] button').click();
    await page.locator('#explain .step').first().waitFor();
    const rate = hands.predict(LLAMA, H100, ...DECODE);
    check((await hands.text('#explain')).includes(`${rate.tokens_per_s} tokens/s`), `the rate is not explained: ${await hands.text('#explain')}`);
}

// a bar is met anywhere along it; near its beginning the end of the short one below it is nearer than its own
async function explain_bar() {
    await hands.visit(`#overview?${ON_H100}`);
    const row = page.locator('.bar-row', {hasText: 'self_attn.v_proj'});
    const bar = await row.locator('rect').boundingBox();
    const before = await page.evaluate(() => history.length);
    await page.mouse.click(bar.x + 2, bar.y + bar.height / 2);
    await page.locator('#explain .path', {hasText: 'self_attn.v_proj'}).waitFor();
    equal(await page.evaluate(() => history.length), before + 1, 'steps back for one click');
}

// all modules are there, few of them in the document, wherever one looks
async function large_tree() {
    await hands.visit(`#cost?model=${DEEPSEEK}&on=${H100}&all=1`);
    await page.locator('.tree-inner .tree-row').first().waitFor();
    const rows = await page.evaluate(() => Number(/of ([\d,]+) rows/.exec(document.querySelector('.view-cost').innerText)[1].replaceAll(',', '')));
    const lines = server
        .text('cost', DEEPSEEK, ...DECODE, '--all', '--csv')
        .trim()
        .split('\n');
    equal(rows, lines.length - 1, 'rows');
    await page.getByRole('searchbox').fill('experts');
    await hands.until(() => Number(document.querySelector('.tree').getAttribute('aria-rowcount')) > 40_000);
    const most = await page.evaluate(async () => {
        const tree = document.querySelector('.tree');
        const counts = [];
        for (let i = 1; i <= 40; i++) {
            tree.scrollTop = i < 30 ? 150 * i : (tree.scrollHeight * i) / 40;
            await new Promise(requestAnimationFrame);
            await new Promise(requestAnimationFrame);
            counts.push(document.querySelectorAll('.tree-inner .tree-row').length);
        }
        return Math.max(...counts);
    });
    check(most < 120, `${most} rows are in the document`);
    const last = await page.locator('.tree').getAttribute('aria-rowcount');
    await page.locator(`.tree-inner .tree-row[aria-rowindex="${last}"]`).waitFor();
    return `${rows} rows; at most ${most} in the document`;
}

// ---- charts ----

async function roofline() {
    await hands.visit(`#roofline?${ON_H100}&phase=prefill&series=fp8_e4m3`);
    const cli = hands.predict(LLAMA, H100, ...PREFILL);
    const points = cli.rows.filter((row) => row.leaf && row.flops > 0 && row.bytes > 0);
    const series = page.locator('.series[data-series="bf16, predicted"]');
    equal(await series.locator('.point').count(), points.length, 'points');
    const rows = (await hands.rows_of('roofline')).filter((row) => row.series === 'bf16, predicted');
    equal(rows.map((row) => row.arithmetic_intensity).join(), points.map((row) => row.arithmetic_intensity).join(), 'intensities');
    await page.getByRole('button', {name: 'bf16, predicted'}).click();
    await series.waitFor({state: 'detached'});
    await page.getByRole('button', {name: 'bf16, predicted'}).click();
    await series.first().waitFor();
    const chart = page.locator('.chart');
    await chart.hover();
    await chart.focus();
    await page.mouse.wheel(0, -400);
    await hands.until(() => location.hash.includes('zoom='));
    await chart.focus();
    await page.keyboard.press('0');
    await hands.until(() => !location.hash.includes('zoom='));
    await page.getByRole('button', {name: 'Zoom in'}).click();
    await hands.until(() => location.hash.includes('zoom='));
    await page.getByRole('button', {name: 'Show all of the roofline'}).click();
    await hands.until(() => !location.hash.includes('zoom='));
    await chart.focus();
    await page.keyboard.press('ArrowRight');
    const tip = await hands.text('.tip');
    for (const wanted of ['intensity', 'FLOP/s', 'time', 'bandwidth', 'bound'])
        check(tip.includes(wanted), `"${wanted}" is not said of a point: ${tip}`);
}

// where a point is that the arrow keys come to
async function place_of(name) {
    await page.locator('.chart').focus();
    while (!(await hands.text('.tip')).includes(name)) await page.keyboard.press('ArrowRight');
    return page.locator('.chart .ring').evaluate((ring) => {
        const r = ring.getBoundingClientRect();
        return {x: r.x + r.width / 2, y: r.y + r.height / 2};
    });
}

// bf16 and fp16 have the same peak and the same bytes: every point of one lies on one of the other
async function points_of_one_place() {
    await hands.visit(`#roofline?${ON_H100}&phase=prefill&series=fp16`);
    await page.locator('.chart').focus();
    await page.keyboard.press('ArrowRight');
    const [tip, said] = [await hands.text('.tip'), await hands.text('#announcer')];
    check(/more at this place/.test(tip) && tip.includes('fp16, predicted'), `the other point is not told: ${tip}`);
    check(said.includes('also '), `nor to who does not see: ${said}`);
    check((await page.locator('.chart text', {hasText: /^×\d+$/}).count()) > 0, 'no place says how many points it has');
    // the two norms of a layer: clicks at their place explain one after the other
    await hands.visit(`#roofline?${ON_H100}&phase=prefill`);
    const seen = new Set();
    for (let i = 0; i < 2; i++) {
        const place = await place_of('input_layernorm');
        await page.mouse.click(place.x, place.y);
        await page.locator('#explain .path').waitFor();
        await hands.settled();
        seen.add(await hands.text('#explain .path'));
    }
    check([...seen].every((path) => path.endsWith('layernorm')) && seen.size === 2, `what two clicks at one place explain: ${[...seen]}`);
}

async function charts() {
    await hands.visit(`#memory?${ON_H100}`);
    const memory = (await hands.rows_of('memory-by-context')).at(-1);
    const last = server.json('cost', LLAMA, '--phase', 'decode', '--past', String(memory.context), ...COUNTED, '--depth', '0');
    equal(memory.total, last.memory.total, 'memory at the longest context');
    await hands.visit(`#sweep?${ON_H100}`);
    const front = (await hands.rows_of('throughput')).filter((row) => row.pareto);
    const words = ['--batch', '1:1024:*2', '--weights', 'bf16,fp8_e4m3,int8,q4_K', '--summary'];
    const {pareto} = server.json('sweep', LLAMA, '--on', H100, ...DECODE, ...words);
    const of = (rows) => rows.map((row) => [row.time_s, row.weights, row.batch].join(' ')).sort();
    equal(of(front).join(), of(pareto).join(), 'Pareto front');
    await hands.visit(`#machines?${ON_H100}`);
    const machines = await hands.rows_of('machines');
    const one = server.json('sweep', LLAMA, '--on', 'mi300x', ...DECODE).rows[0];
    equal(machines.find((row) => row.machine === 'mi300x').tokens_per_s, one.tokens_per_s, 'rate of mi300x');
}

// ---- several devices ----

const SHARED = ['--tensor-parallel', '4', '--data-parallel', '2'];
const ON_EIGHT = `${ON_H100}&tp=4&dp=2&batch=8`;
const shared = (on, ...words) => hands.predict(LLAMA, on, ...DECODE, ...SHARED, ...words);

async function several_devices() {
    await hands.visit(`#overview?${ON_EIGHT}`);
    const cli = shared(H100, '--batch', '8');
    equal(await hands.time(), String(cli.time_s), 'time');
    const times = column_of(String(await hands.exported('time-by-module', 'CSV')), 'time_s');
    equal(
        times.join(),
        cli.rows
            .filter((row) => row.leaf)
            .map((row) => String(row.time_s))
            .join(),
        'time by module, messages too',
    );
    check(await page.getByText('messages between devices').isVisible(), 'what messages look like is not told');
    const narrow = shared(H100, '--batch', '8', '--weights', 'q4_K');
    const told = server.text('predict', LLAMA, '--on', H100, ...DECODE, ...SHARED, '--batch', '8', '--weights', 'q4_K', '--advice', 'none');
    const row = await page.locator('#view .table tr', {hasText: 'q4_K'}).locator('td').allInnerTexts();
    check(
        told.includes(row[0]) && told.includes(row[2]),
        `q4_K on eight: ${row}, want ${narrow.memory.total} bytes, ${narrow.tokens_per_s} tokens/s`,
    );

    await hands.visit(`#memory?${ON_EIGHT}`);
    const memory = (await hands.rows_of('memory-by-context')).at(-1);
    const longest = hands.predict(LLAMA, H100, '--phase', 'decode', '--past', String(memory.context), ...COUNTED, ...SHARED, '--batch', '8');
    for (const part of ['weights', 'kv_cache', 'total']) equal(memory[part], longest.memory[part], `${part} of one device at the longest context`);
    const cache = (await hands.rows_of('kv-growth')).find((r) => r.format === 'fp8_e4m3' && r.context === memory.context);
    const narrow_cache = ['--past', String(memory.context), ...COUNTED, ...SHARED, '--batch', '8', '--kv', 'fp8_e4m3'];
    equal(cache.kv_cache, hands.predict(LLAMA, H100, '--phase', 'decode', ...narrow_cache).memory.kv_cache, 'cache of one device in fp8');

    await hands.visit(`#sweep?${ON_EIGHT}`);
    const rows = await hands.rows_of('throughput');
    equal([...new Set(rows.map((r) => r.batch))].join(), '2,4,8,16,32,64,128,256,512,1024', 'batches that two replicas share');
    const one = rows.find((r) => r.batch === 64 && r.weights === 'int8');
    const same = shared(H100, '--batch', '64', '--weights', 'int8');
    equal(
        [one.time_s, one.tokens_per_s, one.memory_bytes].join(),
        [same.time_s, same.tokens_per_s, same.memory.total].join(),
        'a point of the sweep',
    );
    check(rows.some((r) => r.pareto) && rows.some((r) => !r.pareto), 'there is no Pareto front');

    await hands.visit(`#machines?${ON_EIGHT}`);
    const machines = await hands.rows_of('machines');
    equal(machines.find((r) => r.machine === 'mi300x').tokens_per_s, shared('mi300x', '--batch', '8').tokens_per_s, 'rate of eight mi300x');
    check(!machines.some((r) => r.machine === 'l4'), 'a machine whose link nobody knows is there');
    equal(hands.refused.join(), '', 'refusals');
}

// no point is above the roof of one device; together they would be
async function roofline_of_one() {
    await hands.visit(`#roofline?${ON_H100}&tp=8&phase=prefill`);
    const cli = hands.predict(LLAMA, H100, ...PREFILL, '--tensor-parallel', '8');
    const rows = await hands.rows_of('roofline');
    const leaf = cli.rows.find((row) => row.path.endsWith('mlp.down_proj'));
    const point = rows.find((row) => row.name === leaf.path);
    equal(Number(point.flops), leaf.device_flops, 'FLOPs of one device');
    equal(Number(point.flops_per_s), leaf.device_flops / leaf.time_s, 'its rate');
    const peak = cli.rates.matmul.peak_flops_per_s;
    check(leaf.flops / leaf.time_s > 2 * peak, 'the devices together are not above one roof: the test shows nothing');
    for (const row of rows) check(Number(row.flops_per_s) <= peak * 1.000001, `${row.name} is above the roof: ${row.flops_per_s}`);
    check((await hands.text('[data-figure="roofline"] h2')).includes('one of 8 ×'), 'the title does not say of what it is');
}

// a link that no file tells, told by hand
async function a_link() {
    await hands.visit(`#overview?model=${LLAMA}&on=l4&tp=2`);
    check((await hands.text('#card')).includes('link between devices of l4 is not known'), 'an unknown link is not told');
    check(!(await hands.text('#card')).includes('GiB'), 'memory of one device is told for two');
    hands.take_refusals();
    await page.getByLabel('Link, GB/s').fill('32');
    await page.keyboard.press('Tab');
    await page.locator('[data-metric="rate"]').waitFor();
    await hands.settled();
    const cli = hands.predict(LLAMA, 'l4', ...DECODE, '--tensor-parallel', '2', '--link-bandwidth', '32e9');
    equal(await hands.time(), String(cli.time_s), 'time');
    await page.getByRole('tab', {name: 'Machines'}).click();
    await hands.settled();
    const row = (await hands.rows_of('machines')).find((r) => r.machine === 'l4');
    equal(row.time_s, cli.time_s, 'time among the machines');
}

// ---- what-ifs, exports, addresses ----

async function what_ifs() {
    await hands.visit(`#pins?${ON_H100}`);
    await page.getByRole('button', {name: 'Pin', exact: true}).click();
    await page.getByLabel('Weights', {exact: true}).selectOption('q4_K');
    await hands.settled();
    equal(await page.locator('.pins thead th').count(), 2, 'columns');
    const rates = await page.locator('.pins tbody tr', {hasText: 'Rate'}).locator('td').allInnerTexts();
    for (const [i, weights] of ['bf16', 'q4_K'].entries()) {
        const told = server.text('predict', LLAMA, '--on', H100, ...DECODE, '--weights', weights, '--advice', 'none');
        check(told.includes(rates[i].split('\n')[0].trim()), `rate in ${weights}: ${rates[i]}`);
    }
    await page.reload();
    await hands.settled();
    equal(await page.locator('.pins thead th').count(), 2, 'columns after a reload');
}

async function exports() {
    await hands.visit(`#roofline?${ON_H100}`);
    const svg = String(await hands.exported('roofline', 'SVG'));
    check(svg.startsWith('<svg') && svg.includes('TFLOP/s') && !svg.includes('var('), 'the SVG does not stand alone');
    const png = await hands.exported('roofline', 'PNG');
    equal(png.subarray(0, 8).toString('hex'), '89504e470d0a1a0a', 'signature of the PNG');
    check(png.length > 20_000, `the PNG has ${png.length} bytes`);
    await page.getByRole('button', {name: 'Share'}).click();
    const {download, bytes} = await hands.download(() => page.getByRole('menuitem', {name: /HTML/}).click());
    const html = String(bytes);
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
    await hands.visit('#cost?model=google/gemma-2-2b&on=l4&phase=prefill&batch=4&prompt=512&weights=q8_0&find=mlp');
    const before = await hands.text('#card');
    await page.reload();
    await hands.settled();
    equal(await hands.text('#card'), before, 'the card after a reload');
    equal(await page.getByRole('searchbox').inputValue(), 'mlp', 'the search after a reload');
    await page.getByRole('tab', {name: 'Memory'}).click();
    await hands.settled();
    await page.getByText('Decode', {exact: true}).click();
    await hands.settled();
    await page.goBack();
    await page.goBack();
    await hands.tab_is('Cost');
    await hands.settled();
    equal(await hands.text('#card'), before, 'the card after going back');
    await page.goForward();
    await hands.tab_is('Memory');
}

// what is shown stays, in the card and in the view, and the page goes on by itself
async function lost_and_found() {
    await hands.visit(`#overview?${ON_H100}`);
    const [card, bars] = [await hands.text('#card'), await page.locator('.bar-row').count()];
    await server.stop();
    await page.getByText('Prefill', {exact: true}).click();
    await page.locator('#lost').waitFor({state: 'visible'});
    await page.locator('.view.is-old').waitFor();
    equal((await hands.text('#card')).slice(0, 60), card.slice(0, 60), 'the card while the server is away');
    equal(await page.locator('.bar-row').count(), bars, 'bars while the server is away');
    await page.getByRole('tab', {name: 'Memory'}).click();
    await page.locator('#view .message', {hasText: 'does not answer'}).waitFor();
    await server.start();
    await page.locator('#lost').waitFor({state: 'hidden'});
    await page.locator('[data-figure="kv-growth"] .chart').waitFor();
    await hands.until(() => document.querySelector('#card').innerText.includes('Throughput'));
    await hands.settled();
    equal(await page.locator('.is-old').count(), 0, 'what still looks old');
}

// ---- what one brings along ----

async function post_config() {
    const config = readFileSync(new URL('../../examples/openai-community--gpt2/config.json', import.meta.url), 'utf8');
    await hands.visit(`#overview?${ON_H100}&context=512`);
    await page.getByRole('combobox', {name: 'Model'}).click();
    await page.getByRole('option', {name: /Paste or open/}).click();
    const area = page.getByLabel('config.json', {exact: true});
    await area.fill(config.replace('"n_layer": 12', '"n_layer": 1x'));
    await page.getByRole('button', {name: 'Use it'}).click();
    const said = await hands.text('.dialog .message');
    check(/config\.json:\d+:\d+.*"n_layer": 1x.*\^/.test(said), `the place is not told: ${said}`);
    hands.take_refusals();
    await area.fill(config);
    await page.getByRole('button', {name: 'Use it'}).click();
    await page.locator('.dialog').waitFor({state: 'detached'});
    await hands.settled();
    const words = ['--phase', 'decode', '--past', '512', '--kernel', 'fused', '--lm-head', 'needed'];
    const cli = hands.predict('openai-community/gpt2', H100, ...words);
    equal(await hands.time(), String(cli.time_s), 'time');
    const fits = server.json('fit', 'openai-community/gpt2', '--on', H100, '--context', '512');
    equal(await page.locator('#view .columns tbody tr').count(), fits.rows.length, 'formats of a posted config');
    await page.reload();
    await hands.settled();
    equal(await hands.time(), String(cli.time_s), 'time after a reload');
}

async function add_machine() {
    await hands.visit(`#overview?${ON_H100}`);
    await page.getByRole('combobox', {name: 'Machine'}).click();
    await page.getByRole('option', {name: /Add a machine/}).click();
    const area = page.getByLabel(/machine’s file/);
    const example = await area.inputValue();
    await area.fill(example.replace('"dram"', '"drum"'));
    await page.getByRole('button', {name: 'Add it'}).click();
    await page.locator('.dialog .message').waitFor();
    hands.take_refusals();
    await area.fill(example.replace('my-gpu', 'tern-9'));
    await page.getByRole('button', {name: 'Add it'}).click();
    await page.locator('.dialog').waitFor({state: 'detached'});
    await hands.settled();
    equal(await hands.time(), String(hands.predict(LLAMA, 'tern-9', ...DECODE).time_s), 'time');
}

async function keyboard() {
    await hands.visit(`#cost?${ON_H100}`);
    await page.getByRole('combobox', {name: 'Model'}).focus();
    await page.keyboard.type('qwen3-8b');
    await page.keyboard.press('Enter');
    await hands.until(() => location.hash.includes('Qwen3-8B'));
    await hands.settled();
    equal(await page.getByRole('combobox', {name: 'Model'}).inputValue(), 'Qwen/Qwen3-8B', 'the model by keys');
    await page.locator('.tree').focus();
    for (const key of ['End', 'Home', 'ArrowDown', 'ArrowRight', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await page.locator('#explain').waitFor({state: 'visible'});
    await page.keyboard.press('Escape');
    await page.locator('#explain').waitFor({state: 'hidden'});
    check((await page.evaluate(() => document.activeElement.getAttribute('role'))) === 'treegrid', 'the focus does not return to the tree');
    await page.getByRole('tab', {selected: true}).focus();
    await page.keyboard.press('ArrowRight');
    await hands.tab_is('Roofline');
}

async function quiet() {
    equal(hands.complaints.join('\n'), '', 'errors in the console');
    equal(hands.refused.join('\n'), '', 'refusals that no test wants');
    equal([...hands.hosts].join(), new URL(server.address).host, 'hosts that were asked');
}

const failed = await run(
    [
        ['the first view', first_view],
        ['choose a model and a machine', choose_model],
        ['numbers as the command line writes them', words_of_numbers],
        ['change the workload', change_workload],
        ['drag a slider', drag],
        ['the cost tree', cost_tree],
        ['the tree sorted', sorted_tree],
        ['explain a number', explain_number],
        ['explain a bar', explain_bar],
        ['every module of DeepSeek-V3', large_tree],
        ['the roofline', roofline],
        ['points of one place', points_of_one_place],
        ['charts', charts],
        ['several devices', several_devices],
        ['the roofline of one of several devices', roofline_of_one],
        ['a link told by hand', a_link],
        ['what-ifs', what_ifs],
        ...measuring({hands, LLAMA, ON_H100}),
        ['exports', exports],
        ['addresses', addresses],
        ['the server lost and found', lost_and_found],
        ['post a config', post_config],
        ['add a machine', add_machine],
        ['by keyboard alone', keyboard],
        ...looks({hands, LLAMA, DEEPSEEK, ON_H100}),
        ['nothing else is asked or complained of', quiet],
    ].filter(([name]) => !process.argv[3] || name.includes(process.argv[3])),
);
await browser.close();
await server.end();
process.exit(failed > 0 ? 1 : 0);
