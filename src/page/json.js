// json.js - JSON with every digit: integers beyond 2^53 become BigInt, all else is as JSON.parse() has it.
// In: text. Out: the value. Fails as JSON.parse() does.

const TOKEN = /"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g;
const MARK = '\u0001';

export function parse(text) {
    if (!/\d{16}/.test(text)) return JSON.parse(text);
    let marked = false;
    const safe = text.replace(TOKEN, (token) => {
        if (token[0] === '"' || Number.isSafeInteger(Number(token))) return token;
        marked = true;
        return `"\\u0001${token}"`;
    });
    return marked
        ? JSON.parse(safe, (key, value) => (typeof value === 'string' && value[0] === MARK ? BigInt(value.slice(1)) : value))
        : JSON.parse(text);
}

// JSON text again, BigInt with its digits
export function stringify(value, indent) {
    const text = JSON.stringify(value, (key, v) => (typeof v === 'bigint' ? `${MARK}${v}` : v), indent);
    return text.replace(/"\\u0001(-?\d+)"/g, '$1');
}
