// tree.js - rows of `ridge cost` as a tree in columns: an array per member, so that 75,397 modules are few objects.
// In: rows in the order of named_modules(), each after what it is in. Out: {paths, parents, depths, ends, ...}; a node is its index.

export function tree_of(rows) {
    const count = rows.length;
    const tree = {
        count,
        paths: new Array(count),
        classes: new Array(count),
        parents: new Int32Array(count),
        depths: new Uint8Array(count),
        ends: new Int32Array(count),
        counts: new Float64Array(count),
        flops: new Array(count),
        bytes: new Array(count),
        intensity: new Float64Array(count),
    };
    const open = []; // what the row is in, outermost first
    for (let i = 0; i < count; i++) {
        const row = rows[i];
        while (open.length > 0 && !is_in(row.path, tree.paths[open.at(-1)])) tree.ends[open.pop()] = i;
        tree.paths[i] = row.path;
        tree.classes[i] = row.class;
        tree.parents[i] = open.length > 0 ? open.at(-1) : -1;
        tree.depths[i] = open.length;
        tree.counts[i] = row.count;
        tree.flops[i] = row.flops.total;
        tree.bytes[i] = row.bytes.total;
        tree.intensity[i] = row.arithmetic_intensity ?? NaN;
        open.push(i);
    }
    while (open.length > 0) tree.ends[open.pop()] = count;
    return tree;
}

function is_in(path, outer) {
    return outer === '' ? path !== '' : path.startsWith(outer) && path[outer.length] === '.';
}

export const has_children = (tree, i) => tree.ends[i] > i + 1;

// the nodes beside each other from `first` on, in the order of `compare`
function level(tree, first, end, compare) {
    const nodes = [];
    for (let i = first; i < end; i = tree.ends[i]) nodes.push(i);
    return nodes.sort((a, b) => compare(a, b) || a - b);
}

function visible_sorted(tree, is_open, compare) {
    const seen = [];
    const waiting = [level(tree, 0, tree.count, compare)];
    const next = [0]; // of each level that is open, outermost first
    while (waiting.length > 0) {
        const nodes = waiting.at(-1);
        if (next.at(-1) === nodes.length) {
            waiting.pop();
            next.pop();
            continue;
        }
        const i = nodes[next[next.length - 1]++];
        seen.push(i);
        if (has_children(tree, i) && is_open(i)) {
            waiting.push(level(tree, i + 1, tree.ends[i], compare));
            next.push(0);
        }
    }
    return seen;
}

// the nodes that are seen: all whose outer nodes are open; `compare` orders those of one parent, else they are as the model has them
export function visible(tree, is_open, compare = null) {
    if (compare) return visible_sorted(tree, is_open, compare);
    const seen = [];
    for (let i = 0; i < tree.count;) {
        seen.push(i);
        i = is_open(i) ? i + 1 : tree.ends[i];
    }
    return seen;
}

// what matches, and what it is in
export function matching(tree, text, compare = null) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const keep = new Uint8Array(tree.count);
    for (let i = 0; i < tree.count; i++) {
        const name = `${tree.paths[i]} ${tree.classes[i]}`.toLowerCase();
        if (words.every((word) => name.includes(word))) for (let node = i; node >= 0 && !keep[node]; node = tree.parents[node]) keep[node] = 1;
    }
    return visible(tree, () => true, compare).filter((i) => keep[i]);
}

export function name_of(tree, i) {
    const parent = tree.parents[i];
    if (parent < 0) return tree.paths[i] || '(the model)';
    return tree.paths[parent] === '' ? tree.paths[i] : tree.paths[i].slice(tree.paths[parent].length + 1);
}
