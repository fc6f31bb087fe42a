// looks.mjs - the page as it is looked at: with rules of accessibility, on small and large screens, with models of all kinds, integers of any
// size, and addresses that mean nothing.

import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {settled, visit, check, equal} from './lib.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// In: the browser's page, the server, how words are read of the page. Out: tests by their names.
export function looks({page, server, text, metric, commas, VIEWS, LLAMA, DEEPSEEK}) {
    async function accessible() {
        const found = [];
        for (const theme of ['light', 'dark'])
            for (const view of VIEWS) {
                await page.emulateMedia({colorScheme: theme});
                await visit(page, server, `#${view}?model=${LLAMA}&on=h100-sxm-80&series=fp8_e4m3${view === 'cost' ? '&explain=lm_head' : ''}`);
                await page.evaluate(axe);
                const {violations} = await page.evaluate(() => axe.run());
                found.push(
                    ...violations
                        .filter((v) => ['serious', 'critical'].includes(v.impact))
                        .map(
                            (v) =>
                                `${view}, ${theme}: ${v.id}: ${v.nodes
                                    .slice(0, 3)
                                    .map((n) => n.html.slice(0, 120))
                                    .join(' | ')}`,
                        ),
                );
            }
        await page.emulateMedia({colorScheme: 'light'});
        equal(found.join('\n'), '', 'findings of axe-core');
    }

    async function small_screens() {
        for (const width of [320, 3840]) {
            await page.setViewportSize({width, height: 900});
            for (const view of VIEWS) {
                await visit(page, server, `#${view}?model=${LLAMA}&on=h100-sxm-80`);
                const wide = await page.evaluate(() => document.documentElement.scrollWidth);
                check(wide <= width, `${view} is ${wide} pixels wide on ${width}`);
            }
        }
        await page.setViewportSize({width: 1280, height: 900});
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
                await visit(page, server, `#${view}?model=${model}&on=h100-sxm-80`);
                equal(
                    await page.locator('.message.bad').count(),
                    0,
                    `errors of ${model} in ${view}: ${await page.locator('.message.bad').allInnerTexts()}`,
                );
            }
    }

    // integers beyond what a double holds
    async function large_numbers() {
        const options = [
            '--phase',
            'train',
            '--batch',
            '1024',
            '--seq',
            '131072',
            '--kernel',
            'fused',
            '--attention',
            'causal',
            '--lm-head',
            'needed',
            '--optimizer',
            'adam',
            '--recompute',
            'none',
        ];
        for (const view of VIEWS)
            await visit(page, server, `#${view}?model=${DEEPSEEK}&on=b200-sxm&phase=train&batch=1024&prompt=131072&explain=model`);
        await visit(page, server, `#cost?model=${DEEPSEEK}&on=b200-sxm&phase=train&batch=1024&prompt=131072`);
        const flops = /"flops": \{"total": (\d+)/.exec(server.text('cost', DEEPSEEK, ...options, '--depth', '0', '--json'))[1];
        check(flops.length > 16, `only ${flops} FLOPs`);
        equal(await page.locator('.tree-inner .tree-row .flops').first().getAttribute('title'), `${commas(flops)} FLOPs`, 'FLOPs of the model');
    }

    async function errors() {
        await visit(page, server, '#overview?model=nobody/nothing&on=h100-sxm-80');
        check((await text('#card .message.bad')).length > 10, 'an unknown model is not told');
        await visit(page, server, `#overview?model=${LLAMA}&on=h100-sxm-80`);
        await page.evaluate(() => {
            location.hash = '#overview?model=nobody/nothing&on=h100-sxm-80';
        });
        await page.locator('#card .message.bad').waitFor();
        equal(await metric('none'), '', 'numbers of the model before');
        // an answer that was given up does not come after a newer one
        for (let i = 0; i < 3; i++) {
            await page.evaluate(async (good) => {
                location.hash = '#overview?model=nobody/nothing&on=h100-sxm-80';
                await new Promise((done) => setTimeout(done, 30));
                location.hash = good;
            }, `#overview?model=${LLAMA}&on=h100-sxm-80`);
            await page.waitForFunction(() => document.querySelector('[data-metric="rate"]'));
            await settled(page);
            equal(await page.locator('#card .message.bad').count(), 0, 'messages of a model that is not chosen any more');
        }
        await visit(page, server, `#overview?model=${LLAMA}&on=no-such-machine`);
        check((await text('#card')).includes('no-such-machine'), 'an unknown machine is not told');
        await visit(page, server, '#nonsense?batch=-3&phase=%00&zoom=a,b,c,d&pins=%3Cimg%3E&open=<script>');
        check(await page.locator('#card').isVisible(), 'an address of nonsense breaks the page');
    }

    return [
        ['axe-core has no serious finding', accessible],
        ['320 and 3840 pixels', small_screens],
        ['models of other kinds', other_models],
        ['integers of any size', large_numbers],
        ['errors', errors],
    ];
}
