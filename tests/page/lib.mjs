// lib.mjs - what the tests of the page share: a server with data of its own, a browser, the command line's answers, TAP.

import {spawn, execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, existsSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

export function skip(why) {
    console.log(`1..0 # SKIP ${why}`);
    process.exit(0);
}

// ---- the server ----

export class Server {
    constructor(ridge) {
        this.ridge = ridge;
        this.data = mkdtempSync(join(tmpdir(), 'ridge-page-'));
        this.env = {
            ...process.env,
            XDG_DATA_HOME: join(this.data, 'data'),
            XDG_CACHE_HOME: join(this.data, 'cache'),
            HF_HOME: join(this.data, 'hf'),
            HF_HUB_OFFLINE: '1',
            LC_ALL: 'C.UTF-8',
        };
        this.port = 0;
    }

    // on the port of before when it is started again
    start() {
        this.process = spawn(this.ridge, ['serve', '--port', String(this.port)], {env: this.env, stdio: ['ignore', 'pipe', 'pipe']});
        return new Promise((done, failed) => {
            let said = '';
            const hear = (bytes) => {
                said += bytes;
                const found = /http:\/\/127\.0\.0\.1:(\d+)\//.exec(said);
                if (found) {
                    this.port = Number(found[1]);
                    done((this.address = found[0]));
                }
            };
            this.process.stdout.on('data', hear);
            this.process.stderr.on('data', hear);
            this.process.on('exit', (code) => failed(new Error(`ridge serve ended with ${code}: ${said}`)));
        });
    }

    stop() {
        return new Promise((done) => {
            this.process.on('exit', done);
            this.process.kill('SIGKILL');
        });
    }

    // what the command line prints, with the same machines and measurements
    text(...words) {
        return execFileSync(this.ridge, words, {env: this.env, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore']});
    }

    json(...words) {
        return JSON.parse(this.text(...words, '--json'));
    }

    async end() {
        await this.stop();
        rmSync(this.data, {recursive: true, force: true});
    }
}

// ---- the browser ----

// what is waited for comes, however slow the machine: who waits this long waits for what never comes
export const LONG = 180_000;

export async function open_browser() {
    const {chromium} = await import('playwright-core');
    const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'];
    try {
        return await chromium.launch({executablePath: CHROMIUM, timeout: LONG, args});
    } catch (problem) {
        skip(`chromium does not start here: ${problem.message.split('\n')[0]}`);
    }
}

// nothing is asked any more, and the answers stand
export async function settled(page) {
    await page.waitForFunction(
        () =>
            document.documentElement.dataset.asking === '0' &&
            document.querySelector('#card .metrics')?.getAttribute('aria-busy') === 'false' &&
            !document.querySelector('#view .loading'),
        undefined,
        {timeout: LONG},
    );
}

export async function visit(page, server, hash) {
    await page.goto('about:blank');
    await page.goto(`${server.address}${hash}`);
    await settled(page);
}

// ---- what the command line is asked beside the page ----

export const COUNTED = ['--kernel', 'fused', '--attention', 'causal', '--lm-head', 'needed'];
export const DECODE = ['--phase', 'decode', '--past', '4096', ...COUNTED];
export const PREFILL = ['--phase', 'prefill', '--seq', '2048', ...COUNTED];

export const commas = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

// a column of a CSV text
export function column_of(csv, name) {
    const [head, ...lines] = csv
        .trim()
        .split('\n')
        .map((line) => line.split(','));
    return lines.map((line) => line[head.indexOf(name)]);
}

// ---- hands on the page ----

export class Hands {
    constructor(page, server) {
        this.page = page;
        this.server = server;
        this.refused = []; // answers of 400 and above: each test that wants some takes them
        this.complaints = [];
        this.hosts = new Set();
        page.setDefaultTimeout(LONG);
        page.on('pageerror', (error) => this.complaints.push(error.stack));
        page.on('console', (message) => this.#hear(message));
        page.on('response', (response) => response.status() >= 400 && this.refused.push(`${response.status()} ${response.url()}`));
        page.on('request', (request) => /^https?:/.test(request.url()) && this.hosts.add(new URL(request.url()).host));
    }

    // refusals are in `refused`, and a server that is away is a test's
    #hear(message) {
        if (message.type() === 'error' && !/Failed to load resource|EventSource|net::ERR/.test(message.text())) this.complaints.push(message.text());
    }

    take_refusals() {
        return this.refused.splice(0);
    }

    visit(hash) {
        return visit(this.page, this.server, hash);
    }

    settled() {
        return settled(this.page);
    }

    // until a condition holds in the page
    until(condition, argument) {
        return this.page.waitForFunction(condition, argument, {timeout: LONG});
    }

    async text(selector) {
        return (await this.page.locator(selector).first().innerText()).replace(/\s+/g, ' ').trim();
    }

    metric(name) {
        return this.text(`[data-metric="${name}"] .metric-value`);
    }

    time() {
        return this.page.locator('#card').getAttribute('data-time');
    }

    hash() {
        return this.page.evaluate(() => location.hash);
    }

    tab_is(name) {
        return this.until((wanted) => document.querySelector('[role=tab][aria-selected=true]').innerText === wanted, name);
    }

    async choose(label, words, name) {
        const box = this.page.getByRole('combobox', {name: label});
        await box.click();
        await box.fill(words);
        await this.page.getByRole('option', {name}).first().click();
        await this.settled();
    }

    async slide(label, step) {
        await this.page.getByRole('slider', {name: label, exact: true}).evaluate((slider, value) => {
            slider.value = value;
            slider.dispatchEvent(new Event('input', {bubbles: true}));
        }, step);
        await this.settled();
    }

    async download(act) {
        const [download] = await Promise.all([this.page.waitForEvent('download'), act()]);
        return {download, bytes: readFileSync(await download.path())};
    }

    // an export of a figure
    async exported(figure, form) {
        await this.page
            .locator(`[data-figure="${figure}"]`)
            .getByRole('button', {name: /^Export/})
            .click();
        return (await this.download(() => this.page.getByRole('menuitem', {name: form}).click())).bytes;
    }

    async rows_of(figure) {
        return JSON.parse(String(await this.exported(figure, 'JSON'))).rows;
    }

    // what the command line predicts for the same
    predict(model, on, ...words) {
        return this.server.json('predict', model, '--on', on, ...words, '--advice', 'none');
    }
}

// ---- tests ----

export function check(condition, message) {
    if (!condition) throw new Error(message);
}

export function equal(found, wanted, what) {
    check(found === wanted, `${what}: "${found}", want "${wanted}"`);
}

export async function run(tests) {
    let failed = 0;
    console.log(`1..${tests.length}`);
    for (const [i, [name, test]] of tests.entries()) {
        try {
            const note = await test();
            console.log(`ok ${i + 1} - ${name}`);
            if (note) console.log(`# ${note}`);
        } catch (error) {
            failed++;
            console.log(`not ok ${i + 1} - ${name}`);
            for (const line of String(error.stack).split('\n').slice(0, 12)) console.log(`# ${line}`);
        }
    }
    return failed;
}
