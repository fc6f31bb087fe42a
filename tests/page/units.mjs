// units.mjs - modules of the page without a browser: numbers as base/units.c writes them, JSON with every digit, trees, scales.
// Expected texts of numbers are those of base/units.h and of C's printf.

import {execFileSync} from 'node:child_process';
import {bytes, capacity, count, exact, flops_per_s, percent, ratio, seconds, share, short, tokens_per_s} from '../../src/page/units.js';
import {parse, stringify} from '../../src/page/json.js';
import {has_children, matching, name_of, tree_of, visible} from '../../src/page/tree.js';
import {linear, log} from '../../src/page/scale.js';
import {colour, dash, look} from '../../src/page/palette.js';
import {front_of, points_of} from '../../src/page/grid.js';
import {check, equal, run} from './lib.mjs';

// the shell's printf rounds as C's does; it is given every digit of the double
const printf = (format, value) => execFileSync('/usr/bin/printf', [format, value.toFixed(60)], {encoding: 'utf8', env: {LC_ALL: 'C'}});

function numbers() {
    const cases = [
        [count(29303043784704), '29.30 T'],
        [count(512), '512'],
        [count(999949), '999.9 k'],
        [count(999950), '1.000 M'],
        [count(null), '-'],
        [count(0), '0'],
        [bytes(13476831232), '13.48 GB'],
        [bytes(999), '999 B'],
        [seconds(0.00459), '4.590 ms'],
        [seconds(1.23e-5), '12.30 µs'],
        [seconds(0), '0 s'],
        [seconds(59.5), '59.50 s'],
        [seconds(null), '-'],
        [capacity(85899345920), '80 GiB'],
        [capacity(25276514304), '23.54 GiB'],
        [flops_per_s(989.5e12), '989.5 TFLOP/s'],
        [ratio(141.1451130342879), '141.1'],
        [ratio(0.1389), '0.1389'],
        [ratio(2.5e-5), '2.5e-05'],
        [percent(12.345), '12.3'],
        [share(0.125), '12.5 %'],
        [tokens_per_s(215.3), '215.3 tokens/s'],
        [exact(75397), '75,397'],
        [exact(123456789012345678901234567890n), '123,456,789,012,345,678,901,234,567,890'],
        [exact(null), '-'],
        [short('1.500 GB'), '1.5 GB'],
        [short('20.00 GB'), '20 GB'],
        [short('1,000'), '1,000'],
        [short('100'), '100'],
        [short('0.1000'), '0.1'],
    ];
    for (const [found, wanted] of cases) equal(found, wanted, 'a number');
}

// halves too: C rounds them to even
function as_printf() {
    let state = 1;
    const next = () => (state = (state * 48271) % 2147483647);
    for (let i = 0; i < 300; i++) {
        const value = i < 100 ? 1 + (next() % 9000) / 1000 : 1 + (next() % 1024) / 128 + 1 / 2048;
        if (value < 9.99) equal(ratio(value), printf('%.3f', value), `${value}`);
    }
    for (const tie of [10.125, 10.375, 100.25, 100.75, 1.0005, 2.0015])
        equal(ratio(tie), printf(tie >= 100 ? '%.1f' : tie >= 10 ? '%.2f' : '%.3f', tie), `${tie}`);
    for (const small of [1.5e-4, 3.14159e-5, 9.9949e-4, 1e-10, 2.5e-7]) equal(ratio(small), printf('%.4g', small), `${small}`);
}

function every_digit() {
    const text =
        '{"a": 170141183460469231731687303715884105727, "b": 0.008978802645970148, "c": "x 12345678901234567890 \\" ", "d": [9007199254740993, 1234567890123456, -9007199254740993]}';
    const value = parse(text);
    equal(value.a, 170141183460469231731687303715884105727n, 'a large integer');
    equal(value.b, 0.008978802645970148, 'a fraction');
    equal(value.c, 'x 12345678901234567890 " ', 'a text with digits');
    equal(value.d[0], 9007199254740993n, 'the first that a double lacks');
    equal(value.d[1], 1234567890123456, 'one that a double has');
    equal(
        stringify(value),
        JSON.stringify(JSON.parse(text))
            .replace('1.7014118346046923e+38', '170141183460469231731687303715884105727')
            .replace('[9007199254740992,', '[9007199254740993,')
            .replace('-9007199254740992', '-9007199254740993'),
        'written again',
    );
    let failed = false;
    try {
        parse('{"a": 12345678901234567890,}');
    } catch {
        failed = true;
    }
    check(failed, 'what is no JSON is read');
}

const row = (path) => ({path, class: `x.${path}`, count: 1, flops: {total: 1}, bytes: {total: 1}, arithmetic_intensity: 1});

function trees() {
    const tree = tree_of(
        ['', 'model', 'model.layers.{0-2}', 'model.layers.{0-2}.mlp', 'model.layers.{3-60}', 'model.norm', 'model_x', 'lm_head'].map(row),
    );
    equal([...tree.depths].join(), '0,1,2,3,2,2,1,1', 'depths');
    equal([...tree.ends].join(), '8,6,4,4,5,6,7,8', 'ends');
    check(has_children(tree, 2) && !has_children(tree, 4), 'who has children');
    equal(visible(tree, (i) => tree.depths[i] < 1).join(), '0,1,6,7', 'what is seen');
    equal(matching(tree, 'mlp').join(), '0,1,2,3', 'what matches, and what it is in');
    equal(name_of(tree, 3), 'mlp', 'a name below its parent');
    equal(name_of(tree, 2), 'layers.{0-2}', 'a name of a folded range');
    equal(tree_of([]).count, 0, 'an empty tree');
}

// modules beside each other by what they cost, those they are in staying around them
function sorted_trees() {
    const paths = ['', 'a', 'a.x', 'a.y', 'a.z', 'b', 'c'];
    const flops = [100n, 30n, 5, 20, 5, 60n, 10];
    const tree = tree_of(paths.map((path, i) => ({...row(path), flops: {total: flops[i]}})));
    const by = (sign) => (i, j) => (tree.flops[i] < tree.flops[j] ? -sign : tree.flops[i] > tree.flops[j] ? sign : 0);
    equal(visible(tree, () => true, by(-1)).join(), '0,5,1,3,2,4,6', 'largest first; who is equal as the model has it');
    equal(visible(tree, () => true, by(1)).join(), '0,6,1,2,4,3,5', 'smallest first');
    equal(visible(tree, (i) => i === 0, by(-1)).join(), '0,5,1,6', 'what is closed');
    equal(matching(tree, 'z', by(-1)).join(), '0,1,4', 'what matches');
    equal(visible(tree_of([]), () => true, by(1)).join(), '', 'an empty tree');
}

// colours that the issue wants, and no two formats of one chart that differ by colour alone
function formats() {
    const names = [
        'fp64',
        'fp32',
        'tf32',
        'bf16',
        'fp16',
        'fp8_e4m3',
        'fp8_e5m2',
        'nvfp4',
        'mxfp4',
        'mxfp6',
        'int8',
        'q8_0',
        'q6_K',
        'q5_K',
        'q4_K',
        'q4_0',
        'int4',
        'nf4',
        'q3_K',
        'q2_K',
    ];
    for (const what of ['shape', 'dash']) {
        const found = names.map((name) => look(name)[what]);
        equal(new Set(found).size, names.length, `as many kinds of ${what} as formats: ${found}`);
    }
    equal(
        ['fp16', 'fp8_e4m3', 'nvfp4', 'int8', 'int4'].map(colour).join(),
        'var(--p-fp16),var(--p-fp8),var(--p-nvfp4),var(--p-int8),var(--p-int4)',
        'colours',
    );
    equal(colour('q4_K'), colour('int4'), 'four bits are blue');
    equal(dash('nothing'), '5 5', 'a format that nobody knows');
}

function fronts() {
    const point = (time_s, tokens_per_s, fits = true) => ({time_s, tokens_per_s, images_per_s: null, fits});
    const rows = [point(1, 10), point(2, 30), point(2, 25), point(3, 30), point(1, 10), point(4, 90, false), point(5, 40, null)];
    equal(
        front_of(rows)
            .map((r) => rows.indexOf(r))
            .join(),
        '0,1,6',
        'no other that fits is as short and as fast',
    );
    equal(
        points_of({a: [1, 2], b: ['x', 'y']})
            .map((p) => `${p.a}${p.b}`)
            .join(),
        '1x,1y,2x,2y',
        'every way to take one of each',
    );
}

function scales() {
    const x = log([1, 1000], [0, 300]);
    equal(x.at(10).toFixed(6), '100.000000', 'a place');
    equal(x.back(200).toFixed(6), '100.000000', 'and back');
    equal(x.ticks(6).join(), '1,10,100,1000', 'decades');
    equal(linear([0, 100], [0, 1]).ticks(5).join(), '0,20,40,60,80,100', 'ticks');
    const words = (low, high, most) =>
        log([low, high], [0, 1])
            .ticks(most)
            .map((t) => Number(t.toPrecision(3)))
            .join();
    equal(words(0.0006, 0.4, 2), '0.001,0.01,0.1', 'three decades where two ticks have room');
    equal(words(0.0006, 0.4, 9), '0.001,0.01,0.1', 'and where nine have');
    equal(words(1.5, 80, 9), '2,5,10,20,50', 'ones, twos and fives');
    equal(words(1.5, 80, 2), '2,10,50', 'a decade and what is about it, where there is little room');
    equal(words(1, 1e12, 4), '1,10000,100000000,1000000000000', 'every fourth of many decades');
    equal(log([1, 4096], [0, 1], 2).ticks(4).join(), '1,16,256,4096', 'powers of two');
}

process.exit(
    (await run([
        ['numbers', numbers],
        ['rounded as C rounds', as_printf],
        ['JSON with every digit', every_digit],
        ['trees', trees],
        ['trees sorted', sorted_trees],
        ['looks of formats', formats],
        ['Pareto fronts', fronts],
        ['scales', scales],
    ])) > 0
        ? 1
        : 0,
);
