// units.js - numbers as people read them, to the digit as the command line writes them (src/base/units.c): four digits, decimal prefixes.
// In: a number or BigInt; null is what is not known. Out: text, "-" for what is not known.

const PREFIXES = ['p', 'n', 'µ', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y', 'R', 'Q'];
const ONE = 4;

const unknown = (value) => value === null || value === undefined || value < 0;

// C rounds halves to even, toFixed() away from zero: they differ where the digits end in an exact 5
function fixed(value, digits) {
    const exact = value.toFixed(Math.min(100, digits + 40));
    const cut = exact.length - Math.min(100 - digits, 40);
    if (!/^50*$/.test(exact.slice(cut))) return value.toFixed(digits);
    const below = exact.slice(0, cut).replace(/\.$/, '');
    return Number(below.at(-1)) % 2 === 0 ? below : value.toFixed(digits);
}

// C's "%.*g"
function general(value, digits) {
    if (value === 0) return '0';
    const [mantissa, power] = value.toExponential(digits - 1).split('e');
    if (Number(power) < -4 || Number(power) >= digits)
        return `${mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa}e${power[0]}${power.slice(1).padStart(2, '0')}`;
    const text = fixed(value, digits - 1 - Number(power));
    return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function four(value) {
    if (value > 0 && value < 0.0009995) return general(value, 4);
    const steps = [
        [999.95, 0],
        [99.995, 1],
        [9.9995, 2],
        [0.99995, 3],
        [0.099995, 4],
        [0.0099995, 5],
    ];
    return fixed(value, steps.find(([least]) => value >= least)?.[1] ?? (value > 0 ? 6 : 0));
}

function scaled(value, unit, small = false) {
    let v = Number(value);
    let p = ONE;
    for (; v >= 999.95 && p < PREFIXES.length - 1; p++) v /= 1000;
    for (; small && v > 0 && v < 0.99995 && p > 0; p--) v *= 1000;
    return `${four(v)}${p !== ONE || unit ? ' ' : ''}${PREFIXES[p]}${unit}`;
}

function scaled_int(value, unit) {
    if (unknown(value)) return '-';
    return value < 1000 ? `${value}${unit ? ' ' : ''}${unit}` : scaled(value, unit);
}

export const count = (value) => scaled_int(value, '');
export const bytes = (value) => scaled_int(value, 'B');
export const flops = (value) => scaled_int(value, 'FLOP');
export const ratio = (value) => (unknown(value) ? '-' : four(Number(value)));
export const percent = (value) => (unknown(value) ? '-' : fixed(Number(value), 1));
export const share = (value) => (unknown(value) ? '-' : `${fixed(100 * Number(value), 1)} %`);
export const flops_per_s = (value) => (unknown(value) ? '-' : scaled(value, 'FLOP/s'));
export const bytes_per_s = (value) => (unknown(value) ? '-' : scaled(value, 'B/s'));
export const tokens_per_s = (value) => (unknown(value) ? '-' : scaled(value, 'tokens/s'));
export const per_s = (value, what) => (unknown(value) ? '-' : scaled(value, what));
export const joules = (value) => (unknown(value) ? '-' : scaled(value, 'J'));

export function seconds(value) {
    if (unknown(value)) return '-';
    if (value < 0.99995) return value > 0 ? scaled(value, 's', true) : '0 s';
    return `${four(value)} s`;
}

export function capacity(value) {
    if (unknown(value)) return '-';
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
    let v = Number(value);
    let u = 0;
    for (; v >= 1024 && u + 1 < units.length; u++) v /= 1024;
    return `${general(v, 4)} ${units[u]}`;
}

// "12,345": every digit
export function exact(value) {
    return value === null || value === undefined ? '-' : String(value).replace(/^(-?\d+)/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ','));
}

// as an axis has it: "1.5 GB" for "1.500 GB"
export const short = (text) => text.replace(/(\.\d*?)0+(?= |$)/, '$1').replace(/\.(?= |$)/, '');

// "4k", "4,000": sizes that people choose, short on axes
export const size = (value) => (value >= 1024 && value % 1024 === 0 ? `${value / 1024}k` : exact(value));

export const plural = (number, word) => `${exact(number)} ${word}${Number(number) === 1 ? '' : 's'}`;

// a rate where the column says of what: "8.611 k", "39.03"
export const count_rate = (value) => (unknown(value) ? '-' : scaled(value, ''));
