// looks.mjs - the page as it is looked at: with rules of accessibility, on small and large screens, light and dark, empty and in error, with
// models of all kinds, integers of any size, and addresses that mean nothing.

import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {COUNTED, Server, check, commas, equal, visit} from './lib.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const VIEWS = ['overview', 'cost', 'roofline', 'memory', 'sweep', 'machines', 'pins', 'spot', 'history'];
const SCREENS = [
    [1280, 'light'],
    [1280, 'dark'],
    [320, 'light'],
    [320, 'dark'],
];

// In: the hands on the page, models, the address of one on a machine. Out: tests by their names.
export function looks({hands, LLAMA, DEEPSEEK, ON_H100}) {
    const {page, server} = hands;

    // serious findings of axe-core, a line each
    async function findings(what) {
        await page.evaluate(axe);
        const {violations} = await page.evaluate(() => axe.run());
        const nodes = (v) =>
            v.nodes
                .slice(0, 3)
                .map((n) => n.html.slice(0, 120))
                .join(' | ');
        return violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => `${what}: ${v.id}: ${nodes(v)}`);
    }

    async function on_screens(look) {
        const found = [];
        for (const [width, colorScheme] of SCREENS) {
            await page.setViewportSize({width, height: 900});
            await page.emulateMedia({colorScheme});
            found.push(...(await look(`${width} pixels, ${colorScheme}`)));
        }
        await page.setViewportSize({width: 1280, height: 900});
        await page.emulateMedia({colorScheme: 'light'});
        equal(found.join('\n'), '', 'findings of axe-core');
    }

    async function accessible() {
        await on_screens(async (screen) => {
            const found = [];
            for (const view of VIEWS) {
                await hands.visit(`#${view}?${ON_H100}&series=fp8_e4m3${view === 'cost' ? '&explain=lm_head&order=-bytes' : ''}`);
                found.push(...(await findings(`${view}, ${screen}`)));
            }
            return found;
        });
    }

    async function sizes() {
        for (const width of [320, 768, 3840]) {
            await page.setViewportSize({width, height: 900});
            for (const view of VIEWS) {
                await hands.visit(`#${view}?${ON_H100}&phase=prefill`);
                const wide = await page.evaluate(() => document.documentElement.scrollWidth);
                check(wide <= width, `${view} is ${wide} pixels wide on ${width}`);
                const cut = await page.evaluate(
                    () =>
                        [...document.querySelectorAll('#card .metric-value')].filter(
                            (value) => value.scrollWidth > value.parentElement.clientWidth + 1,
                        ).length,
                );
                equal(cut, 0, `numbers of the card that are cut on ${width} pixels`);
                const crowded = await page.evaluate(() => {
                    const boxes = [...document.querySelectorAll('.axes .tick')].map((tick) => tick.getBoundingClientRect());
                    const meet = (a, b) => a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom;
                    return boxes.filter((a, i) => boxes.some((b, k) => k > i && meet(a, b))).length;
                });
                equal(crowded, 0, `words of axes that lie on others in ${view} on ${width} pixels`);
            }
        }
        await page.setViewportSize({width: 1280, height: 900});
    }

    // a server of which nothing is known yet: what is empty, unknown or wrong says what to do
    async function states() {
        const fresh = new Server(server.ridge);
        await fresh.start();
        const open = (button) => page.getByRole('button', {name: button}).first().click();
        const STATES = [
            ['#history', 'Nothing was measured here yet', null],
            ['#spot?on=this', 'Nothing was measured yet', null],
            ['#overview?on=this', 'No times are known here yet', null],
            ['#sweep?on=this', 'No times are known here yet', null],
            ['#roofline?on=this', 'No times are known here yet', null],
            ['#machines?model=nobody/nothing', "no model 'nobody/nothing'", null],
            ['#memory?model=google-bert/bert-base-uncased&on=l4', 'keeps no cache', null],
            ['#sweep?on=l4&tp=2', 'link between devices of l4 is not known', null],
            ['#history', 'Import measured points', () => open('Import measured points')],
            ['#overview', 'Share', () => open('Share')],
            ['#overview', 'Model', () => page.getByRole('combobox', {name: 'Model'}).click()],
        ];
        await on_screens(async (screen) => {
            const found = [];
            for (const [hash, text, act] of STATES) {
                await visit(page, fresh, hash);
                if (act) await act();
                check((await page.locator('body').innerText()).includes(text), `"${text}" is not said at ${hash}`);
                const wide = await page.locator('dialog').evaluateAll((all) => all.filter((d) => d.scrollWidth > d.clientWidth).length);
                equal(wide, 0, `dialogs that are wider than their frame at ${hash}, ${screen}`);
                found.push(...(await findings(`${hash}, ${screen}`)));
            }
            return found;
        });
        hands.take_refusals();
        hands.hosts.delete(new URL(fresh.address).host);
        await fresh.end();
    }

    async function other_models() {
        for (const model of [
            'google/vit-base-patch16-224',
            'google-t5/t5-small',
            'openai/clip-vit-base-patch32',
            'state-spaces/mamba-130m-hf',
            'google-bert/bert-base-uncased',
        ])
            for (const view of ['overview', 'cost', 'roofline', 'memory', 'sweep', 'pins']) {
                await hands.visit(`#${view}?model=${model}&on=h100-sxm-80`);
                const wrong = await page.locator('.message.bad').allInnerTexts();
                equal(wrong.join(), '', `errors of ${model} in ${view}`);
            }
        equal(hands.refused.join(), '', 'refusals');
    }

    // integers beyond what a double holds
    async function large_numbers() {
        const where = `model=${DEEPSEEK}&on=b200-sxm&phase=train&batch=1024&prompt=131072`;
        for (const view of VIEWS) await hands.visit(`#${view}?${where}&explain=model`);
        await hands.visit(`#cost?${where}`);
        const words = ['--phase', 'train', '--batch', '1024', '--seq', '131072', ...COUNTED, '--optimizer', 'adam', '--recompute', 'none'];
        const flops = /"flops": \{"total": (\d+)/.exec(server.text('cost', DEEPSEEK, ...words, '--depth', '0', '--json'))[1];
        check(flops.length > 16, `only ${flops} FLOPs`);
        equal(await page.locator('.tree-inner .tree-row .flops').first().getAttribute('title'), `${commas(flops)} FLOPs`, 'FLOPs of the model');
    }

    const go = (hash) =>
        page.evaluate((where) => {
            location.hash = where;
        }, hash);

    async function errors() {
        const unknown = '#overview?model=nobody/nothing&on=h100-sxm-80';
        await hands.visit(unknown);
        check((await hands.text('#card .message.bad')).length > 10, 'an unknown model is not told');
        await hands.visit(`#overview?${ON_H100}`);
        await go(unknown);
        await page.locator('#card .message.bad').waitFor();
        equal(await hands.metric('none'), '', 'numbers of the model before');
        await hands.visit(`#overview?model=${LLAMA}&on=no-such-machine`);
        check((await hands.text('#card')).includes('no-such-machine'), 'an unknown machine is not told');
        await hands.visit('#nonsense?batch=-3&phase=%00&zoom=a,b,c,d&pins=%3Cimg%3E&open=<script>&order=-nothing&link=-1');
        check(await page.locator('#card').isVisible(), 'an address of nonsense breaks the page');
        hands.take_refusals();
    }

    // an answer that was given up does not come after a newer one, however late it is
    async function late_answers() {
        await hands.visit(`#overview?${ON_H100}`);
        let release;
        const held = new Promise((done) => {
            release = done;
        });
        await page.route('**/api/v1/*model=nobody*', async (route) => {
            await held;
            await route.continue().catch(() => {});
        });
        const asked = page.waitForRequest(/model=nobody/);
        await go('#overview?model=nobody/nothing&on=h100-sxm-80');
        await asked;
        await go(`#overview?${ON_H100}&batch=2`);
        await hands.until(() => document.querySelector('[data-metric="rate"]')?.innerText.includes('all 2 sequences'));
        release();
        await hands.settled();
        equal(await page.locator('#card .message.bad').count(), 0, 'messages of a model that is not chosen any more');
        await page.unroute('**/api/v1/*model=nobody*');
        hands.take_refusals();
    }

    return [
        ['axe-core has no serious finding', accessible],
        ['320, 768 and 3840 pixels', sizes],
        ['what is empty, unknown or wrong', states],
        ['models of other kinds', other_models],
        ['integers of any size', large_numbers],
        ['errors', errors],
        ['answers that come late', late_answers],
    ];
}
