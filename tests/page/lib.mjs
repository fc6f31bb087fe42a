// lib.mjs - what the tests of the page share: a server with data of its own, a browser, the command line's answers, TAP.

import {spawn, execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, existsSync} from 'node:fs';
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

export async function open_browser() {
    const {chromium} = await import('playwright-core');
    return chromium.launch({
        executablePath: CHROMIUM,
        args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'],
    });
}

// nothing is asked any more, and the answers stand
export async function settled(page) {
    await page.waitForFunction(
        () =>
            document.documentElement.dataset.asking === '0' &&
            document.querySelector('#card .metrics')?.getAttribute('aria-busy') === 'false' &&
            !document.querySelector('#view .loading'),
        undefined,
        {timeout: 30_000},
    );
    await page.waitForLoadState('networkidle');
}

export async function visit(page, server, hash) {
    await page.goto('about:blank');
    await page.goto(`${server.address}${hash}`);
    await settled(page);
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
