// pictures.mjs - the pictures of docs/page.md, made anew: node tests/page/pictures.mjs build/ridge docs/pictures

import {Server, open_browser, visit, settled} from './lib.mjs';

const [ridge, folder] = process.argv.slice(2);
const LLAMA = 'model=meta-llama/Llama-3.1-8B';

const server = new Server(ridge);
await server.start();
const browser = await open_browser();

async function picture(name, {hash, theme = 'light', width = 1280, height = 860, scale = 0.8, ready = async () => {}}) {
    const page = await browser.newPage({viewport: {width, height}, deviceScaleFactor: scale, colorScheme: theme, reducedMotion: 'reduce'});
    await visit(page, server, hash);
    await ready(page);
    await settled(page);
    await page.screenshot({path: `${folder}/page-${name}.png`});
    await page.close();
}

await picture('overview', {hash: `#overview?${LLAMA}&on=h100-sxm-80&batch=16`});
await picture('cost', {
    hash: `#cost?${LLAMA}&on=h100-sxm-80&phase=prefill&open=model.layers.*.mlp&explain=model.layers.*.mlp.down_proj`,
    width: 1480,
    height: 780,
    scale: 0.7,
});
await picture('roofline', {
    hash: `#roofline?${LLAMA}&on=b200-sxm&phase=prefill&prompt=8192&series=fp8_e4m3,nvfp4`,
    theme: 'dark',
    height: 1080,
    scale: 0.72,
    ready: async (page) => {
        await page.evaluate(() => document.querySelector('.chart').focus({preventScroll: true}));
        for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowLeft');
    },
});
await picture('throughput', {hash: `#sweep?${LLAMA}&on=h100-sxm-80`, height: 980});
await picture('phone', {
    hash: '#overview?model=deepseek-ai/DeepSeek-V3&on=h200-sxm-141&tp=8&weights=fp8_e4m3&batch=32',
    theme: 'dark',
    width: 390,
    height: 844,
    scale: 1,
});
await browser.close();
await server.end();
