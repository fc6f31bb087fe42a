#include "model/contents.h"

#include <stdlib.h>

enum { MODULES_MOST = 500000, DEPTH_MOST = 63 /* dots beyond are part of the tensor's name */ };

/* ---- natural order ---- */

typedef struct split {
    ridge_str path; /* of the module */
    ridge_str name; /* of the tensor in it */
} split;

static split split_name(ridge_str name)
{
    size_t dot = name.n, dots = 0;
    for (size_t i = 1; i < name.n && dots < DEPTH_MOST; i++)
        if (name.p[i] == '.') {
            dot = i;
            dots++;
        }
    if (dot == name.n)
        return (split){{"", 0}, name};
    return (split){{name.p, dot}, {name.p + dot + 1, name.n - dot - 1}};
}

ridge_str ridge_contents_own_name(ridge_str name)
{
    return split_name(name).name;
}

/* the next part of a path; *rest goes behind it, *more: there is another */
static ridge_str next_part(ridge_str *rest, bool *more)
{
    const char *dot = rest->n ? memchr(rest->p, '.', rest->n) : NULL;
    const ridge_str part = {rest->p, dot ? (size_t)(dot - rest->p) : rest->n};
    *more = dot;
    *rest = dot ? (ridge_str){dot + 1, rest->n - part.n - 1} : (ridge_str){"", 0};
    return part;
}

/* numbers by their size, before words; words bytewise */
static int compare_part(ridge_str a, ridge_str b)
{
    const bool numbers = ridge_str_is_digits(a) && ridge_str_is_digits(b);
    if (numbers && a.n != b.n)
        return a.n < b.n ? -1 : 1;
    const size_t n = a.n < b.n ? a.n : b.n;
    const int c = n ? memcmp(a.p, b.p, n) : 0;
    return c ? c : a.n < b.n ? -1 : a.n > b.n;
}

/* a module's tensors before the modules in it */
static int compare_names(split a, split b)
{
    bool a_more = a.path.n > 0, b_more = b.path.n > 0;
    while (a_more && b_more) {
        const ridge_str first = next_part(&a.path, &a_more);
        const int c = compare_part(first, next_part(&b.path, &b_more));
        if (c)
            return c;
    }
    if (a_more || b_more)
        return a_more ? 1 : -1;
    return compare_part(a.name, b.name);
}

typedef struct place {
    split name;
    uint32_t at;
} place;

static int by_name(const void *a, const void *b)
{
    const place *x = a, *y = b;
    const int c = compare_names(x->name, y->name);
    return c ? c : x->at < y->at ? -1 : x->at > y->at;
}

static ridge_status sort(ridge_contents *s, ridge_arena *arena, ridge_err *err)
{
    const size_t n = s->weights->count;
    place *places = ridge_arena_array(arena, n + 1, sizeof *places);
    s->order = ridge_arena_array(arena, n + 1, sizeof *s->order);
    if (!places || !s->order)
        return ridge_no_memory(err);
    for (size_t i = 0; i < n; i++)
        places[i] = (place){split_name(s->weights->tensors[i].name), (uint32_t)i};
    qsort(places, n, sizeof *places, by_name);
    for (size_t i = 0; i < n; i++)
        s->order[i] = places[i].at;
    return RIDGE_OK;
}

/* ---- modules ---- */

bool ridge_contents_is_parameter(const ridge_weight *w)
{
    /* what PyTorch's BatchNorm and rotary embeddings register as buffers */
    static const char *const buffers[] = {"running_mean", "running_var", "inv_freq"};
    const ridge_str name = split_name(w->name).name;
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (ridge_str_is(name, buffers[i]))
            return false;
    return w->format && !w->format->integer && !w->buffer;
}

static ridge_status add_module(uint32_t *at, ridge_contents *s, uint32_t parent, ridge_str path, ridge_str name, ridge_arena *arena,
                               ridge_err *err)
{
    if (s->count >= MODULES_MOST)
        return ridge_fail(err, RIDGE_LIMIT, "the names of the tensors make more than 500,000 modules");
    if (!ridge_arena_more(arena, &s->modules, s->count, &s->cap, sizeof *s->modules))
        return ridge_no_memory(err);
    *at = (uint32_t)s->count;
    s->modules[s->count++] = (ridge_contents_module){
        .path = path, .name = name, .parent = parent, .depth = parent == UINT32_MAX ? 0 : s->modules[parent].depth + 1};
    return RIDGE_OK;
}

static void close_module(ridge_contents *s, uint32_t at)
{
    s->modules[at].end = (uint32_t)s->count;
}

/* From the module *at, which is open, to the one of this path: what is on the way is made. */
static ridge_status go_to(uint32_t *at, ridge_contents *s, ridge_str path, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (;;) { /* up to where both are the same */
        const ridge_str here = s->modules[*at].path;
        const bool under = !s->modules[*at].depth || (ridge_str_starts(path, here) && (path.n == here.n || path.p[here.n] == '.'));
        if (under)
            break;
        close_module(s, *at);
        *at = s->modules[*at].parent;
    }
    size_t begin = s->modules[*at].depth ? s->modules[*at].path.n + 1 : 0;
    ridge_str rest = begin <= path.n ? (ridge_str){path.p + begin, path.n - begin} : (ridge_str){NULL, 0};
    bool more = s->modules[*at].depth ? path.n > s->modules[*at].path.n : path.n > 0;
    while (more && !st) {
        const ridge_str part = next_part(&rest, &more);
        st = add_module(at, s, *at, (ridge_str){path.p, begin + part.n}, part, arena, err);
        begin += part.n + 1;
    }
    return st;
}

static ridge_status make_modules(ridge_contents *s, ridge_arena *arena, ridge_err *err)
{
    uint32_t at;
    ridge_status st = add_module(&at, s, UINT32_MAX, (ridge_str){"", 0}, (ridge_str){"", 0}, arena, err);
    for (uint32_t i = 0; i < s->weights->count && !st; i++) {
        const ridge_weight *w = &s->weights->tensors[s->order[i]];
        if ((st = go_to(&at, s, split_name(w->name).path, arena, err)))
            break;
        ridge_contents_module *m = &s->modules[at];
        m->first = m->count++ ? m->first : i;
        if (ridge_contents_is_parameter(w) && !ridge_int_add(&m->parameters, m->parameters, w->elements))
            st = ridge_overflow(err, "the number of parameters");
    }
    for (; !st && at != UINT32_MAX; at = s->modules[at].parent)
        close_module(s, at);
    return st;
}

/* ---- totals ---- */

static bool has(const ridge_contents *s, uint32_t module, uint32_t other)
{
    return other >= module && other < s->modules[module].end;
}

/* A shared tensor counts once in each module above several that have it: where the owner of the bytes is below, as that one; elsewhere
 * where two that follow each other meet. module_of: of a tensor, by its place in the table. */
static ridge_status take_shared_away(ridge_contents *s, const uint32_t *module_of, ridge_arena *arena, ridge_err *err)
{
    const size_t n = s->weights->count;
    const ridge_weight *tensors = s->weights->tensors;
    uint32_t *last = ridge_arena_array(arena, n + 1, sizeof *last); /* 1 + the one seen last that shares, by the owner */
    if (!last)
        return ridge_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = s->order[i];
        const ridge_weight *w = &tensors[at];
        if (!w->tied || !ridge_contents_is_parameter(w))
            continue;
        const uint32_t owner = w->tied - 1, before = last[owner];
        last[owner] = at + 1;
        for (uint32_t m = module_of[at]; m != UINT32_MAX; m = s->modules[m].parent) {
            if (has(s, m, module_of[owner]))
                s->modules[m].parameters_total -= w->elements;
            else if (before && has(s, m, module_of[before - 1]))
                s->modules[m].parameters_total -= w->elements < tensors[before - 1].elements ? w->elements : tensors[before - 1].elements;
        }
    }
    return RIDGE_OK;
}

static ridge_status sum(ridge_contents *s, ridge_arena *arena, ridge_err *err)
{
    uint32_t *module_of = ridge_arena_array(arena, s->weights->count + 1, sizeof *module_of);
    if (!module_of)
        return ridge_no_memory(err);
    for (uint32_t m = (uint32_t)s->count; m-- > 0;) { /* what is below comes behind */
        ridge_contents_module *one = &s->modules[m];
        for (uint32_t i = 0; i < one->count; i++)
            module_of[s->order[one->first + i]] = m;
        if (!ridge_int_add(&one->parameters_total, one->parameters_total, one->parameters) ||
            (one->parent != UINT32_MAX &&
             !ridge_int_add(&s->modules[one->parent].parameters_total, s->modules[one->parent].parameters_total, one->parameters_total)))
            return ridge_overflow(err, "the number of parameters");
    }
    ridge_status st = take_shared_away(s, module_of, arena, err);
    s->parameters = s->modules[0].parameters_total;
    return st;
}

static int by_bytes(const void *a, const void *b)
{
    const ridge_stored_share *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return strcmp(x->format->name, y->format->name);
}

static ridge_status sum_formats(ridge_contents *s, ridge_arena *arena, ridge_err *err)
{
    for (size_t i = 0; i < s->weights->count; i++) {
        const ridge_weight *w = &s->weights->tensors[i];
        size_t k = 0;
        s->tied += w->tied > 0;
        if (w->tied || w->unread)
            continue;
        while (k < s->format_count && s->formats[k].format != w->format)
            k++;
        if (k == s->format_count) {
            if (!ridge_arena_more(arena, &s->formats, k, &s->format_cap, sizeof *s->formats))
                return ridge_no_memory(err);
            s->formats[s->format_count++] = (ridge_stored_share){.format = w->format};
        }
        s->formats[k].tensors++;
        s->formats[k].elements += w->elements; /* no more than the table's sum */
        s->formats[k].bytes += w->bytes;
    }
    if (s->format_count)
        qsort(s->formats, s->format_count, sizeof *s->formats, by_bytes);
    return RIDGE_OK;
}

/* ---- alike ---- */

static void describe_tensor(ridge_buf *text, const ridge_weight *w)
{
    ridge_buf_add(text, split_name(w->name).name);
    ridge_buf_addc(text, '\n');
    ridge_buf_addz(text, w->stored_as ? w->stored_as : "");
    for (uint32_t i = 0; i < w->rank; i++)
        ridge_buf_add(text, (ridge_str){(const char *)&w->shape[i], sizeof *w->shape});
    ridge_buf_addc(text, '\n');
}

static ridge_status find_alike(ridge_contents *s, ridge_arena *arena, ridge_err *err)
{
    ridge_symtab descriptions;
    ridge_buf text = {0};
    ridge_status st = ridge_symtab_init(&descriptions, arena) ? RIDGE_OK : ridge_no_memory(err);
    for (uint32_t m = (uint32_t)s->count; m-- > 0 && !st;) {
        ridge_contents_module *one = &s->modules[m];
        text.n = 0;
        for (uint32_t i = 0; i < one->count; i++)
            describe_tensor(&text, &s->weights->tensors[s->order[one->first + i]]);
        for (uint32_t c = m + 1; c < one->end; c = s->modules[c].end) {
            ridge_buf_addc(&text, '\t');
            ridge_buf_add(&text, (ridge_str){(const char *)&s->modules[c].alike, sizeof s->modules[c].alike});
            ridge_buf_add(&text, s->modules[c].name);
            ridge_buf_addc(&text, '\n');
        }
        const ridge_symbol *symbol = text.failed ? NULL : ridge_intern(&descriptions, (ridge_str){text.p ? text.p : "", text.n});
        if (symbol)
            one->alike = symbol->id;
        else
            st = ridge_no_memory(err);
    }
    ridge_buf_free(&text);
    return st;
}

ridge_status ridge_contents_make(ridge_contents *out, const ridge_weights *weights, ridge_arena *arena, ridge_err *err)
{
    *out = (ridge_contents){.weights = weights,
                            .kind = weights->kind,
                            .tensors = weights->count,
                            .file_count = weights->file_count,
                            .files = weights->files,
                            .bytes = weights->bytes,
                            .part = weights->part,
                            .left = weights->left};
    ridge_status st = sort(out, arena, err);
    if (st || (st = make_modules(out, arena, err)) || (st = sum(out, arena, err)) || (st = sum_formats(out, arena, err)))
        return st;
    return find_alike(out, arena, err);
}

/* ---- records ---- */

/* texts, numbers, booleans; what is nested as the text that it stands as, and what JSON has no number for as null */
static void write_value(ridge_json_writer *w, const ridge_json *v)
{
    const ridge_str source = {v->begin, (size_t)(v->end - v->begin)};
    if (v->type == RIDGE_JSON_STRING)
        ridge_jw_str(w, v->u.text);
    else if (v->type == RIDGE_JSON_NUMBER && ridge_is_digit(v->u.text.p[v->u.text.n - 1]))
        ridge_jw_raw(w, v->u.text);
    else if (v->type == RIDGE_JSON_TRUE || v->type == RIDGE_JSON_FALSE)
        ridge_jw_bool(w, v->type == RIDGE_JSON_TRUE);
    else if (v->type == RIDGE_JSON_ARRAY || v->type == RIDGE_JSON_OBJECT)
        ridge_jw_str(w, source);
    else
        ridge_jw_null(w);
}

static void write_metadata(ridge_json_writer *w, const void *row)
{
    const ridge_contents *s = row;
    const ridge_json *m = s->weights->metadata;
    if (!m || m->type != RIDGE_JSON_OBJECT) {
        ridge_jw_null(w);
        return;
    }
    ridge_jw_object(w);
    for (uint32_t i = 0; i < m->count; i++) {
        ridge_jw_key_str(w, m->u.members[i].key);
        write_value(w, &m->u.members[i].value);
    }
    ridge_jw_end_object(w);
}

static const ridge_record_field fields[] = {
    RIDGE_R_TEXT(ridge_contents, kind, "kind", NULL, RIDGE_IN_JSON, "what the files are"),
    RIDGE_R_LIST(ridge_contents, files, file_count, NULL, "paths", RIDGE_IN_JSON, "their paths"),
    RIDGE_R_SIZE(ridge_contents, tensors, "tensors", NULL, RIDGE_IN_JSON, "tensors in all of them"),
    RIDGE_R_SIZE(ridge_contents, tied, "tied", NULL, RIDGE_IN_JSON, "tensors that share the bytes of another"),
    RIDGE_R_COUNT(ridge_contents, bytes, "bytes", NULL, RIDGE_IN_JSON, "their bytes, shared ones once", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_TEXT(ridge_contents, part, "part", NULL, RIDGE_IN_JSON, "the member of a checkpoint that was read"),
    RIDGE_R_TEXT(ridge_contents, left, "left", NULL, RIDGE_IN_JSON, "the members that were not"),
    RIDGE_R_WRITTEN("metadata", write_metadata, "what the file says of itself"),
};
const ridge_record ridge_contents_record = RIDGE_RECORD(ridge_contents, "files", fields, "the files of a model's weights");
