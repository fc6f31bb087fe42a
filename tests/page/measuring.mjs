// measuring.mjs - what the page measures on the machine that serves, what it shows of measurements, and what it takes of others: a spot check,
// one that is cancelled, a kernel over time, measured against predicted, imported points, the ceilings of the machine.

import {DECODE, check, equal} from './lib.mjs';

// In: the hands on the page, a model, its address on a machine. Out: tests by their names.
export function measuring({hands, LLAMA, ON_H100}) {
    const {page, server} = hands;

    // what the page asks to measure, in as little time as a measurement takes
    async function shortly(command, options, act) {
        const where = `**/api/v1/${command}`;
        await page.route(where, (route) => route.continue({postData: JSON.stringify({...JSON.parse(route.request().postData()), ...options})}));
        await act();
        await page.unroute(where);
    }

    const QUICK = {budget: '20ms', 'ceilings-budget': '50ms'};
    const measure = page.getByRole('button', {name: 'Measure', exact: true});

    async function spot_check() {
        await hands.visit(`#spot?model=${LLAMA}&on=this&m=32&n=256&k=256&format=fp32`);
        await page.getByRole('button', {name: 'gate_proj'}).click();
        await hands.settled();
        equal(await page.getByLabel('N', {exact: true}).inputValue(), '14336', 'N of the preset');
        await hands.visit(`#spot?model=${LLAMA}&on=this&m=32&n=256&k=256&format=fp32`);
        await shortly('bench', QUICK, async () => {
            await measure.click();
            await page.locator('.result table').waitFor();
        });
        const kept = server.json('history').rows;
        check(kept.length > 0 && kept[0].kernel === 'gemm' && kept[0].shape.n === 256, `history has ${JSON.stringify(kept)}`);
        const shown = await hands.text('.result');
        check(shown.includes('fp32') && /Error/.test(shown), `the result is ${shown}`);
        await page.getByRole('button', {name: 'Show in the roofline'}).click();
        await page.locator('.point.hollow').first().waitFor();
        await hands.visit('#history');
        await page.locator('.point.hollow').first().waitFor();
    }

    // cancelled in the middle of it: the button comes back, and the server measures no more
    async function cancelled() {
        await hands.visit(`#spot?model=${LLAMA}&on=this&m=32&n=256&k=256&format=fp32`);
        await shortly('bench', {budget: '3600s', 'ceilings-budget': '50ms'}, async () => {
            await measure.click();
            await page.getByRole('button', {name: 'Cancel'}).click();
            await hands.until(() => [...document.querySelectorAll('.spot .button.primary')].every((button) => !button.disabled));
        });
        const {jobs} = await page.evaluate(() => fetch('api/v1/jobs').then((response) => response.json()));
        equal(jobs.filter((job) => ['queued', 'running'].includes(job.state)).length, 0, 'jobs that go on');
        hands.take_refusals();
    }

    // three runs of one kernel, and what they were predicted to take
    async function over_time() {
        const words = ['bench', 'gemm', '--m', '8', '--n', '192', '--k', '192', '--dtype', 'q8_0', '--budget', '20ms', '--ceilings-budget', '50ms'];
        for (let i = 0; i < 3; i++) server.text(...words);
        const rows = server.json('history', '--format', 'q8_0').rows;
        check(new Set(rows.map((row) => row.run)).size === 3, `${rows.length} rows of three runs`);
        const name = `gemm m 8, n 192, k 192, ${rows[0].threads} thread${rows[0].threads === 1 ? '' : 's'}, ${rows[0].cache}`;
        await hands.visit('#history');
        await page.getByLabel('Kernel', {exact: true}).selectOption(name);
        await hands.settled();
        equal((await hands.rows_of('history')).map((row) => row.time_s).join(), rows.map((row) => row.time_s.median).join(), 'times of the runs');
        equal(await page.locator('[data-figure="history"] .chart .point').count(), rows.length, 'points');
        const runs = await page.locator('#view .panel tbody tr').count();
        equal(runs, server.json('history', '--runs').runs.length, 'runs in the table');
        await page.reload();
        await hands.settled();
        equal(await page.getByLabel('Kernel', {exact: true}).inputValue(), name, 'the kernel after a reload');
    }

    async function against_predicted() {
        await hands.visit(`#spot?model=${LLAMA}&on=this`);
        const found = (await hands.rows_of('accuracy')).map((row) => [row.predicted_s, row.measured_s, row.error].join(' '));
        const rows = server.json('history', '--machine', 'this').rows.filter((row) => row.predicted_s > 0);
        equal(found.join(), rows.map((row) => [row.predicted_s, row.time_s.median, row.error].join(' ')).join(), 'measured and predicted');
        equal(await page.locator('[data-figure="accuracy"] .chart .point').count(), rows.length, 'points');
    }

    async function import_points() {
        const points = [
            {shape: '4096x4096x4096', format: 'bf16', time: '0.21 ms'},
            {shape: {m: 64, n: 4096, k: 4096}, format: 'fp8', time_s: 0.00002},
        ];
        await hands.visit(`#history?${ON_H100}`);
        await page.getByRole('button', {name: 'Import measured points'}).click();
        const area = page.getByLabel('Measured points', {exact: true});
        await area.fill(JSON.stringify(points).replace('bf16', 'bf17'));
        await page.getByRole('button', {name: 'Import', exact: true}).click();
        await page.locator('.dialog .message', {hasText: "unknown number format 'bf17'"}).waitFor();
        hands.take_refusals();
        await area.fill(JSON.stringify(points));
        await page.getByRole('button', {name: 'Import', exact: true}).click();
        await page.locator('.dialog').waitFor({state: 'detached'});
        await page.getByText('imported 1 run').waitFor();
        await page.locator('#view tbody tr', {hasText: 'h100-sxm-80'}).waitFor();

        await hands.visit(`#roofline?${ON_H100}`);
        const rows = (await hands.rows_of('roofline')).filter((row) => row.series.endsWith('measured'));
        equal(rows.length, 2, 'imported points on the roofline of their machine');
        const flops = 2 * 4096 ** 3; // two a multiply-add; bytes: three matrices of 2 bytes an element
        const large = rows.find((row) => row.series === 'bf16, measured');
        equal(large.flops_per_s.toPrecision(9), (flops / 0.00021).toPrecision(9), 'rate of a point');
        equal(large.arithmetic_intensity.toPrecision(9), (flops / (3 * 2 * 4096 ** 2)).toPrecision(9), 'its intensity');
        await hands.visit(`#roofline?model=${LLAMA}&on=this`);
        equal(await page.locator('.series[data-series="bf16, measured"]').count(), 0, 'points of another machine on the roofline of this one');

        // a file, of the machine that serves
        await hands.visit(`#history?model=${LLAMA}&on=this`);
        await page.getByRole('button', {name: 'Import measured points'}).click();
        const file = {name: 'mine.csv', mimeType: 'text/csv', buffer: Buffer.from('m,n,k,format,time_s\n16,512,512,fp32,0.123\n')};
        await page.getByLabel('Open a file').setInputFiles(file);
        await hands.until(() => document.querySelector('.dialog textarea').value.includes('0.123'));
        await page.getByRole('button', {name: 'Import', exact: true}).click();
        await page.getByText('imported 1 run').waitFor();
        check(
            server.json('history', '--machine', 'this').rows.some((row) => row.time_s.median === 0.123),
            'the file is not in the history',
        );
    }

    // the button of the card, its progress, and numbers of a machine that had none
    async function calibrate() {
        await hands.visit(`#overview?model=${LLAMA}&on=this`);
        await page.locator('#view .message', {hasText: 'No times are known here yet'}).waitFor();
        await shortly('machine/calibrate', {budget: '200ms', memory: '64Mi', threads: '1'}, async () => {
            const told = page.locator('#card .calibrate progress').waitFor();
            await page.getByRole('button', {name: 'Measure it now'}).click();
            await told;
            await page.locator('#card[data-time]').waitFor();
        });
        await hands.settled();
        equal(await hands.time(), String(hands.predict(LLAMA, 'this', ...DECODE).time_s), 'time on this machine');
        check(await page.locator('[data-figure="time-by-module"] .bar-row').first().isVisible(), 'the view has no times yet');
        await hands.visit(`#roofline?model=${LLAMA}&on=this`);
        check((await page.locator('.chart .level').count()) >= 1, 'the roofline has no roof');
        equal(hands.refused.join(), '', 'refusals');
    }

    return [
        ['a spot check', spot_check],
        ['a spot check cancelled', cancelled],
        ['a kernel over time', over_time],
        ['measured against predicted', against_predicted],
        ['points of others imported', import_points],
        ['this machine calibrated', calibrate],
    ];
}
