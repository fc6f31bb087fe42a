#include "model/verify.h"

#include "model/verify_names.h"

/* a parameter of the tree */
typedef struct slot {
    ridge_str path;
    const ridge_node_tensor *tensor;
    uint32_t group;                        /* the slot whose tensor it shares; its own number: none */
    const ridge_weight *weight;            /* that is it */
    const char *renamed;                   /* ... under another name, and why */
    const ridge_name_fusion *of;           /* of its parts, or of what it is a part of */
    const ridge_weight *part;              /* the first of its parts, or what it is a part of */
    ridge_int part_elements;               /* of its parts together */
    const ridge_name_quantised *quantised; /* the checkpoint keeps it in another format */
    bool packed;                           /* ... under another name */
} slot;

typedef struct matcher {
    ridge_verify *out;
    const ridge_tree *tree;
    const ridge_weights *weights;
    ridge_arena *arena;
    ridge_err *err;
    slot *slots;
    size_t count, cap;
    const slot **holders; /* of each group of slots that share a tensor, one that the files have; NULL: none */
    ridge_symtab paths;   /* a path's number is the slot's */
    ridge_symtab buffers; /* paths */
    bool *found;          /* of the weights: what they are is known */
    ridge_name_prefix prefix;
    ridge_name names[RIDGE_NAMES_MOST];
    const char *whys[RIDGE_NAMES_MOST];
} matcher;

static const char *text_of(matcher *m, ridge_str name)
{
    const char *text = ridge_arena_strdup(m->arena, name);
    return text ? text : "";
}

static ridge_status add_row(matcher *m, ridge_verify_row row)
{
    ridge_verify_rows *rows = &m->out->of[row.what];
    if (!ridge_arena_more(m->arena, &rows->items, rows->count, &rows->cap, sizeof *rows->items))
        return ridge_no_memory(m->err);
    row.count = 1;
    rows->items[rows->count++] = row;
    return RIDGE_OK;
}

/* ---- the tree's side ---- */

static ridge_str join(matcher *m, ridge_str path, const char *name)
{
    const char *text = ridge_arena_printf(m->arena, "%.*s%s%s", RIDGE_STR_ARG(path), path.n ? "." : "", name);
    return ridge_str_of(text ? text : "");
}

static ridge_status add_slots(matcher *m)
{
    for (uint32_t i = 0; i < m->tree->count; i++) {
        const ridge_tree_module *module = &m->tree->modules[i];
        for (size_t k = 0; k < module->node->weights.n; k++) {
            const ridge_node_tensor *t = &module->node->weights.p[k];
            const ridge_str path = join(m, module->path, t->name->text);
            const ridge_symbol *symbol = ridge_intern(&m->paths, path);
            if (!symbol || !ridge_arena_more(m->arena, &m->slots, m->count, &m->cap, sizeof *m->slots))
                return ridge_no_memory(m->err);
            if (symbol->id == m->count) { /* else the tree has it twice, which is one for a file */
                m->slots[m->count] = (slot){.path = path, .tensor = t, .group = (uint32_t)m->count};
                m->count++;
            }
        }
        for (size_t k = 0; k < module->node->buffers.n; k++)
            if (!ridge_intern(&m->buffers, join(m, module->path, module->node->buffers.p[k].name->text)))
                return ridge_no_memory(m->err);
    }
    return RIDGE_OK;
}

/* a name below an alias is one below the module that it stands for */
static slot *find_alias(matcher *m, ridge_str name)
{
    for (size_t i = 0; i < m->tree->alias_count; i++) {
        const ridge_str from = m->tree->aliases[i].path, to = m->tree->modules[m->tree->aliases[i].target].path;
        ridge_name made;
        if (!ridge_str_starts(name, from) || name.n <= from.n || name.p[from.n] != '.' ||
            !ridge_name_make(&made, to, (ridge_str){name.p + from.n, name.n - from.n}, (ridge_str){"", 0}))
            continue;
        const ridge_symbol *symbol = ridge_intern_find(&m->paths, ridge_name_str(&made));
        if (symbol)
            return &m->slots[symbol->id];
    }
    return NULL;
}

static slot *find(matcher *m, ridge_str name)
{
    const ridge_symbol *symbol = ridge_intern_find(&m->paths, name);
    return symbol ? &m->slots[symbol->id] : find_alias(m, name);
}

/* the slot that stands for a slot's group; the way there is halved */
static uint32_t group_of(matcher *m, uint32_t at)
{
    while (m->slots[at].group != at)
        at = m->slots[at].group = m->slots[m->slots[at].group].group;
    return at;
}

static void find_groups(matcher *m)
{
    for (size_t i = 0; i < m->tree->tie_count; i++) {
        const ridge_tree_tie *tie = &m->tree->ties[i];
        slot *from = find(m, join(m, m->tree->modules[tie->module].path, tie->tensor->text)), *to = find(m, tie->target);
        if (from && to)
            m->slots[group_of(m, (uint32_t)(from - m->slots))].group = group_of(m, (uint32_t)(to - m->slots));
    }
    for (uint32_t i = 0; i < m->count; i++)
        m->slots[i].group = group_of(m, i);
}

/* ---- by name ---- */

static bool same_shape(const slot *s, const ridge_weight *w)
{
    if (w->unread)
        return true;
    bool same = w->rank == s->tensor->rank;
    for (uint32_t i = 0; i < w->rank && same; i++)
        same = (ridge_int)w->shape[i] == s->tensor->dims[i];
    return same;
}

static void match_exactly(matcher *m)
{
    for (size_t i = 0; i < m->weights->count; i++) {
        slot *s = find(m, m->weights->tensors[i].name);
        if (s && !s->weight)
            s->weight = &m->weights->tensors[i];
        m->found[i] = s;
    }
}

static bool taken(matcher *m, ridge_str before, ridge_str after)
{
    ridge_name name;
    const slot *s = ridge_name_make(&name, before, after, (ridge_str){"", 0}) ? find(m, ridge_name_str(&name)) : NULL;
    return s && !s->weight;
}

/* how many names would be the model's with, or without, a prefix */
static size_t count_with(matcher *m, ridge_name_prefix prefix)
{
    size_t n = 0;
    for (size_t i = 0; i < m->weights->count; i++) {
        const ridge_str name = m->weights->tensors[i].name;
        if (m->found[i])
            continue;
        if (prefix.added)
            n += taken(m, prefix.text, name);
        else if (ridge_str_starts(name, prefix.text))
            n += taken(m, (ridge_str){name.p + prefix.text.n, name.n - prefix.text.n}, (ridge_str){"", 0});
    }
    return n;
}

static ridge_str first_part(ridge_str name)
{
    const char *dot = name.n ? memchr(name.p, '.', name.n) : NULL;
    return dot ? (ridge_str){name.p, (size_t)(dot - name.p) + 1} : (ridge_str){"", 0};
}

/* transformers puts base_model_prefix before the names of a file, or takes it away, where the one side has the head and the other not */
static ridge_status find_prefix(matcher *m)
{
    enum { TRIED_MOST = 16 };
    size_t best = 0, tried = 0, open = 0, unknown = 0;
    ridge_symtab seen;
    if (!ridge_symtab_init(&seen, m->arena))
        return ridge_no_memory(m->err);
    for (uint32_t i = 1; i < m->tree->count && tried < TRIED_MOST; i = m->tree->modules[i].end, tried++) {
        const ridge_name_prefix prefix = {join(m, m->tree->modules[i].path, ""), true};
        const size_t n = count_with(m, prefix);
        if (n > best) {
            best = n;
            m->prefix = prefix;
        }
    }
    for (size_t i = 0; i < m->weights->count && seen.count < TRIED_MOST; i++) {
        const uint32_t before = seen.count;
        const ridge_str part = m->found[i] ? (ridge_str){"", 0} : first_part(m->weights->tensors[i].name);
        if (!part.n)
            continue;
        if (!ridge_intern(&seen, part))
            return ridge_no_memory(m->err);
        const size_t n = seen.count > before ? count_with(m, (ridge_name_prefix){part, false}) : 0;
        if (n > best) {
            best = n;
            m->prefix = (ridge_name_prefix){part, false};
        }
    }
    for (size_t i = 0; i < m->count; i++)
        open += !m->slots[i].weight;
    for (size_t i = 0; i < m->weights->count; i++)
        unknown += !m->found[i];
    if (2 * best < (open < unknown ? open : unknown)) /* names of another model that agree by chance */
        m->prefix = (ridge_name_prefix){0};
    return RIDGE_OK;
}

/* ---- by rule ---- */

static bool is_renamed(matcher *m, const ridge_weight *w, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        slot *s = find(m, ridge_name_str(&m->names[i]));
        if (!s || s->weight)
            continue;
        s->weight = w;
        s->renamed = m->whys[i];
        return true;
    }
    return false;
}

/* one of the parts of what the tree has as a whole */
static bool is_part(matcher *m, const ridge_weight *w, size_t n)
{
    for (const ridge_name_fusion *f = ridge_name_fusions; f->whole; f++)
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; f->parts[k]; k++) {
                ridge_str before;
                ridge_name whole;
                if (!ridge_name_ends_in(&before, ridge_name_str(&m->names[i]), f->parts[k]) ||
                    !ridge_name_make(&whole, before, ridge_str_of(f->whole), (ridge_str){"", 0}))
                    continue;
                slot *s = find(m, ridge_name_str(&whole));
                if (!s || s->weight || (s->of && strcmp(s->of->whole, f->whole) != 0))
                    continue;
                s->of = f;
                s->part = s->part ? s->part : w;
                s->part_elements += w->elements;
                return true;
            }
    return false;
}

/* "experts.*.gate_proj.weight" of a number; a pattern without one is there once */
static slot *numbered(matcher *m, ridge_str before, const char *pattern, uint32_t number)
{
    const char *star = strchr(pattern, '*');
    const char *text = star ? ridge_arena_printf(m->arena, "%.*s%u%s", (int)(star - pattern), pattern, number, star + 1) : pattern;
    ridge_name name;
    if (!text || (!star && number) || !ridge_name_make(&name, before, ridge_str_of(text), (ridge_str){"", 0}))
        return NULL;
    return find(m, ridge_name_str(&name));
}

/* the parts of a fusion that the tree has; *elements: of all of them; with w: they are its parts. 0: one is missing, or has a tensor */
static uint32_t parts_in_tree(matcher *m, ridge_int *elements, const ridge_name_fusion *f, ridge_str before, const ridge_weight *w)
{
    uint32_t n = 0;
    *elements = 0;
    for (size_t k = 0; f->parts[k]; k++) {
        uint32_t number = 0;
        for (slot *s; (s = numbered(m, before, f->parts[k], number)); number++) {
            if (s->weight || s->part)
                return 0;
            *elements += s->tensor->elements;
            if (w) {
                s->part = w;
                s->of = f;
            }
        }
        if (!number)
            return 0;
        n += number;
    }
    return n;
}

/* what the tree has in parts; its elements are theirs */
static bool is_whole(matcher *m, const ridge_weight *w, size_t n)
{
    for (const ridge_name_fusion *f = ridge_name_fusions; f->whole; f++)
        for (size_t i = 0; i < n; i++) {
            ridge_str before;
            ridge_int elements;
            if (!ridge_name_ends_in(&before, ridge_name_str(&m->names[i]), f->whole) || !parts_in_tree(m, &elements, f, before, NULL) ||
                (!w->unread && elements != w->elements))
                continue;
            (void)parts_in_tree(m, &elements, f, before, w);
            return true;
        }
    return false;
}

static ridge_status quantised_row(matcher *m, const ridge_weight *w, const slot *s, const ridge_name_quantised *q)
{
    return add_row(m, (ridge_verify_row){.what = RIDGE_VERIFY_QUANTISED,
                                         .tree = s ? text_of(m, s->path) : NULL,
                                         .stored = text_of(m, w->name),
                                         .tensor = s ? s->tensor : NULL,
                                         .weight = w,
                                         .why = q->why});
}

/* the weight that a scale or a packed tensor belongs to: a slot of the tree, or the whole that it is a part of */
static slot *quantised_weight(matcher *m, ridge_str name, const ridge_name_quantised *q)
{
    ridge_name weight;
    const ridge_str ending = ridge_str_of(q->ending);
    if (!ridge_str_ends(name, ending) ||
        !ridge_name_make(&weight, (ridge_str){name.p, name.n - ending.n}, ridge_str_of(q->weight), (ridge_str){"", 0}))
        return NULL;
    slot *s = find(m, ridge_name_str(&weight));
    for (const ridge_name_fusion *f = ridge_name_fusions; f->whole && !s; f++)
        for (size_t k = 0; f->parts[k] && !s; k++) {
            ridge_str before;
            ridge_name whole;
            if (ridge_name_ends_in(&before, ridge_name_str(&weight), f->parts[k]) &&
                ridge_name_make(&whole, before, ridge_str_of(f->whole), (ridge_str){"", 0}))
                s = find(m, ridge_name_str(&whole));
        }
    return s;
}

static ridge_status is_quantised(bool *found, matcher *m, const ridge_weight *w, size_t n)
{
    for (const ridge_name_quantised *q = ridge_name_quantised_list; q->ending; q++)
        for (size_t i = 0; i < n; i++) {
            slot *s = quantised_weight(m, ridge_name_str(&m->names[i]), q);
            if (!s)
                continue;
            s->quantised = q;
            s->packed |= q->packs;
            *found = true;
            return quantised_row(m, w, s, q);
        }
    return RIDGE_OK;
}

static ridge_status is_buffer(bool *found, matcher *m, const ridge_weight *w, size_t n)
{
    const char *why = ridge_name_ignored(w->name);
    for (size_t i = 0; i < n && !why; i++)
        if (ridge_intern_find(&m->buffers, ridge_name_str(&m->names[i])))
            why = "a buffer of the model";
    *found = why;
    if (!why)
        return RIDGE_OK;
    return add_row(m, (ridge_verify_row){.what = RIDGE_VERIFY_BUFFER, .stored = text_of(m, w->name), .weight = w, .why = why});
}

/* GPTQ's modules have a bias each, whether the model has one or not */
static ridge_status is_quantised_bias(bool *found, matcher *m, const ridge_weight *w, size_t n)
{
    static const ridge_name_quantised bias = {".bias", ".weight", false, "GPTQ's modules have a bias each"};
    for (size_t i = 0; i < n && !*found; i++) {
        const slot *s = quantised_weight(m, ridge_name_str(&m->names[i]), &bias);
        if (!s || !s->packed)
            continue;
        *found = true;
        return quantised_row(m, w, s, &bias);
    }
    return RIDGE_OK;
}

typedef enum stage { OF_WEIGHTS, OF_THE_REST, OF_BIASES } stage;

static ridge_status explain_one(matcher *m, size_t i, stage which)
{
    const ridge_weight *w = &m->weights->tensors[i];
    const size_t n = ridge_names_of(m->names, m->whys, w->name, m->prefix);
    bool found = false;
    ridge_status st = RIDGE_OK;
    switch (which) {
    case OF_WEIGHTS:
        found = is_renamed(m, w, n) || is_part(m, w, n) || is_whole(m, w, n);
        break;
    case OF_THE_REST:
        if (!(st = is_quantised(&found, m, w, n)) && !found)
            st = is_buffer(&found, m, w, n);
        break;
    case OF_BIASES:
        st = is_quantised_bias(&found, m, w, n);
        break;
    }
    m->found[i] = found;
    return st;
}

static ridge_status explain(matcher *m, stage which)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < m->weights->count && !st; i++)
        if (!m->found[i])
            st = explain_one(m, i, which);
    return st;
}

/* ---- rows ---- */

static ridge_status tell_weight(matcher *m, const slot *s)
{
    ridge_verify_row row = {.what = RIDGE_VERIFY_RENAMED,
                            .tree = text_of(m, s->path),
                            .stored = text_of(m, s->weight->name),
                            .tensor = s->tensor,
                            .weight = s->weight,
                            .why = s->renamed};
    const bool fits = same_shape(s, s->weight);
    m->out->matched += fits;
    if (fits && !s->renamed)
        return RIDGE_OK;
    if (!fits) {
        row.what = s->quantised ? RIDGE_VERIFY_QUANTISED : RIDGE_VERIFY_RESHAPED;
        row.why = s->quantised ? s->quantised->why : NULL;
    }
    return add_row(m, row);
}

static ridge_status tell_fused(matcher *m, const slot *s)
{
    const bool of_parts = s->part_elements > 0 || s->part->unread;
    ridge_verify_row row = {.what = RIDGE_VERIFY_FUSED,
                            .tree = text_of(m, s->path),
                            .stored = text_of(m, s->part->name),
                            .tensor = s->tensor,
                            .weight = s->part,
                            .why = s->of->why};
    if (of_parts && !s->part->unread && s->part_elements != s->tensor->elements) {
        row.what = s->quantised ? RIDGE_VERIFY_QUANTISED : RIDGE_VERIFY_RESHAPED;
        row.why = s->quantised ? s->quantised->why : NULL;
    }
    return add_row(m, row);
}

static bool has_tensor(const slot *s)
{
    return s->weight || s->part || s->packed;
}

static ridge_status tell_absent(matcher *m, const slot *s)
{
    ridge_verify_row row = {.what = RIDGE_VERIFY_MISSING, .tree = text_of(m, s->path), .tensor = s->tensor};
    const slot *other = m->holders[s->group];
    if (other) {
        row.what = RIDGE_VERIFY_TIED;
        row.stored = text_of(m, other->weight ? other->weight->name : other->path);
        row.why = "shared, stored once";
    }
    return add_row(m, row);
}

static ridge_status tell(matcher *m)
{
    ridge_status st = RIDGE_OK;
    if (!(m->holders = ridge_arena_array(m->arena, m->count + 1, sizeof *m->holders)))
        return ridge_no_memory(m->err);
    for (size_t i = 0; i < m->count; i++)
        if (has_tensor(&m->slots[i]) && !m->holders[m->slots[i].group])
            m->holders[m->slots[i].group] = &m->slots[i];
    for (size_t i = 0; i < m->count && !st; i++) {
        const slot *s = &m->slots[i];
        if (s->weight)
            st = tell_weight(m, s);
        else if (s->part)
            st = tell_fused(m, s);
        else if (!s->packed) /* what packs it has its row */
            st = tell_absent(m, s);
    }
    for (size_t i = 0; i < m->weights->count && !st; i++)
        if (!m->found[i])
            st = add_row(m, (ridge_verify_row){.what = RIDGE_VERIFY_EXTRA,
                                               .stored = text_of(m, m->weights->tensors[i].name),
                                               .weight = &m->weights->tensors[i]});
    return st;
}

/* ---- folded ---- */

/* numbers between dots become "*" */
static void add_folded(ridge_buf *out, const char *name)
{
    while (name && *name) {
        const size_t n = strcspn(name, ".");
        const bool number = n && strspn(name, "0123456789") >= n;
        ridge_buf_add(out, number ? RIDGE_STR("*") : (ridge_str){name, n});
        name += n;
        if (*name == '.')
            ridge_buf_addc(out, *name++);
    }
}

static ridge_status fold(matcher *m)
{
    ridge_verify_rows *folded = &m->out->folded;
    ridge_symtab keys;
    ridge_buf text = {0};
    ridge_status st = ridge_symtab_init(&keys, m->arena) ? RIDGE_OK : ridge_no_memory(m->err);
    for (int what = 0; what < RIDGE_VERIFY_KINDS; what++)
        for (size_t i = 0; i < m->out->of[what].count && !st; i++) {
            ridge_verify_row row = m->out->of[what].items[i];
            text.n = 0;
            ridge_buf_addf(&text, "%d %s\n", what, row.why ? row.why : "");
            const size_t tree = text.n;
            add_folded(&text, row.tree);
            ridge_buf_addc(&text, '\n');
            const size_t stored = text.n;
            add_folded(&text, row.stored);
            const uint32_t before = keys.count;
            const ridge_symbol *key = text.failed ? NULL : ridge_intern(&keys, (ridge_str){text.p, text.n});
            if (!key || !ridge_arena_more(m->arena, &folded->items, folded->count, &folded->cap, sizeof *folded->items)) {
                st = ridge_no_memory(m->err);
            } else if (keys.count == before) {
                folded->items[key->id].count++;
            } else {
                row.tree = row.tree ? text_of(m, (ridge_str){text.p + tree, stored - tree - 1}) : NULL;
                row.stored = row.stored ? text_of(m, (ridge_str){text.p + stored, text.n - stored}) : NULL;
                folded->items[folded->count++] = row;
            }
        }
    ridge_buf_free(&text);
    return st;
}

ridge_status ridge_verify_make(ridge_verify *out, const ridge_tree *tree, const ridge_weights *weights, ridge_arena *arena, ridge_err *err)
{
    matcher *m = ridge_arena_alloc(arena, sizeof *m);
    if (!m)
        return ridge_no_memory(err);
    *m = (matcher){.out = out, .tree = tree, .weights = weights, .arena = arena, .err = err};
    *out = (ridge_verify){.tensors = weights->count, .compared = weights->unread ? "names" : "names and shapes", .weights = weights};
    if (!(m->found = ridge_arena_array(arena, weights->count + 1, sizeof *m->found)) || !ridge_symtab_init(&m->paths, arena) ||
        !ridge_symtab_init(&m->buffers, arena))
        return ridge_no_memory(err);
    ridge_status st = add_slots(m);
    if (st)
        return st;
    out->parameters = m->count;
    find_groups(m);
    match_exactly(m);
    if ((st = find_prefix(m)) || (st = explain(m, OF_WEIGHTS)) || (st = explain(m, OF_THE_REST)) || (st = explain(m, OF_BIASES)) ||
        (st = tell(m)) || (st = fold(m)))
        return st;
    out->unexplained = out->of[RIDGE_VERIFY_MISSING].count + out->of[RIDGE_VERIFY_EXTRA].count + out->of[RIDGE_VERIFY_RESHAPED].count;
    return arena->failed ? ridge_no_memory(err) : RIDGE_OK;
}
