// scale.js - axes: numbers to pixels, and where the ticks are.

export function linear(domain, range) {
    const [d0, d1] = domain[0] === domain[1] ? [domain[0], domain[0] + 1] : domain;
    const at = (value) => range[0] + ((value - d0) / (d1 - d0)) * (range[1] - range[0]);
    return {
        at,
        back: (pixel) => d0 + ((pixel - range[0]) / (range[1] - range[0])) * (d1 - d0),
        ticks: (most) => linear_ticks(d0, d1, most),
        domain: [d0, d1],
        range,
    };
}

// base: 10 or 2, where the ticks are
export function log(domain, range, base = 10) {
    const [e0, e1] = domain.map(Math.log10);
    const span = e1 - e0 || 1;
    const at = (value) => range[0] + ((Math.log10(value) - e0) / span) * (range[1] - range[0]);
    return {
        at,
        back: (pixel) => 10 ** (e0 + ((pixel - range[0]) / (range[1] - range[0])) * span),
        ticks: (most) => log_ticks(domain, most, base),
        domain,
        range,
    };
}

function linear_ticks(low, high, most = 6) {
    const rough = (high - low) / most;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((s) => s * power).find((s) => s >= rough);
    const first = Math.ceil(low / step - 1e-9);
    return Array.from({length: Math.max(0, Math.floor(high / step + 1e-9) - first + 1)}, (unused, i) => (first + i) * step);
}

const every = (list, step) => list.filter((unused, i) => i % step === 0);

// as many as there is room for; one more where there would be one alone
function log_ticks([low, high], most = 6, base) {
    const e0 = Math.ceil(Math.log(low) / Math.log(base) - 1e-9);
    const e1 = Math.floor(Math.log(high) / Math.log(base) + 1e-9);
    const exponents = Array.from({length: Math.max(0, e1 - e0 + 1)}, (unused, i) => e0 + i);
    if (base === 10 && exponents.length < 3) {
        const between = ones_twos_fives(low, high, e0, e1);
        if (between.length <= most + 2) return between;
        if (exponents.length < 2) return every(between, Math.ceil(between.length / (most + 1)));
    }
    // multiples of a step, so that they stay where they are while one moves along the axis
    const round = (room) => exponents.filter((e) => e % Math.ceil(exponents.length / room) === 0);
    return (round(most).length > 1 ? round(most) : round(most + 1)).map((e) => base ** e);
}

// less than three decades: 1, 2, 5 between them
function ones_twos_fives(low, high, e0, e1) {
    return Array.from({length: e1 - e0 + 3}, (unused, i) => 10 ** (e0 - 1 + i))
        .flatMap((p) => [p, 2 * p, 5 * p])
        .filter((t) => t >= low * 0.999 && t <= high * 1.001);
}

// where several numbers of log axes lie, with room at the ends
export function log_domain(values, room = 0.15) {
    const known = values.filter((v) => v > 0 && Number.isFinite(v));
    if (known.length === 0) return [1, 10];
    const [low, high] = [Math.log10(Math.min(...known)), Math.log10(Math.max(...known))];
    const margin = Math.max(0.1, (high - low) * room);
    return [10 ** (low - margin), 10 ** (high + margin)];
}
