/* Which tensor of a GGUF a weight of its model is: paths of modules to names, by the entries of gguf/.
 * "model.layers.{}.mlp.experts.{}.up_proj": "blk.{0}.ffn_up_exps" - a weight whose name has fewer numbers than its path is one slice of
 * the tensor; "a+b": its parts, one after the other; "a|b": the first that the file has; "=a": it shares that tensor with another weight;
 * "<a": it is some rows of that tensor, whose others other weights are. */
#include "base/shown.h"
#include "input/gguf/model.h"

enum { NUMBERS = 4, PATH_LIMIT = 512, NAME_LIMIT = 1024 };

typedef struct place {
    char text[PATH_LIMIT]; /* the path with {} for its numbers */
    size_t n;
    ridge_str numbers[NUMBERS];
    unsigned count;
} place;

static bool is_index(ridge_str part)
{
    return ridge_str_is_digits(part) || ridge_str_is(part, "*");
}

/* the first `most` numbers of the path become {}; false: a path that no entry has */
static bool generalise(place *out, ridge_str path, unsigned most)
{
    out->n = out->count = 0;
    for (size_t at = 0; at <= path.n;) {
        const char *dot = at < path.n ? memchr(path.p + at, '.', path.n - at) : NULL;
        ridge_str part = {path.p + at, dot ? (size_t)(dot - path.p) - at : path.n - at};
        at += part.n + 1;
        if (is_index(part) && out->count == NUMBERS)
            return false;
        if (is_index(part) && out->count < most) {
            out->numbers[out->count++] = ridge_str_is(part, "*") ? RIDGE_STR("0") : part;
            part = RIDGE_STR("{}");
        }
        if (out->n + part.n + 2 > PATH_LIMIT)
            return false;
        if (out->n)
            out->text[out->n++] = '.';
        memcpy(out->text + out->n, part.p, part.n);
        out->n += part.n;
    }
    return true;
}

/* the paths of all entries, the nearest one's first */
static ridge_status index_paths(ridge_gguf_model *m, ridge_err *err)
{
    size_t cap = 0;
    ridge_str *names = NULL;
    if (!ridge_symtab_init(&m->paths, m->arena))
        return ridge_no_memory(err);
    for (unsigned e = 0; e < m->entry_count; e++) {
        const ridge_json *tensors = ridge_json_get(m->entries[e], "tensors");
        for (uint32_t i = 0; tensors && tensors->type == RIDGE_JSON_OBJECT && i < tensors->count; i++) {
            const ridge_json_member *t = &tensors->u.members[i];
            const uint32_t before = m->paths.count;
            const ridge_symbol *symbol = ridge_intern(&m->paths, t->key);
            if (!symbol || !ridge_arena_more(m->arena, &names, before, &cap, sizeof *names))
                return ridge_no_memory(err);
            if (m->paths.count > before)
                names[symbol->id] = t->value.type == RIDGE_JSON_STRING ? t->value.u.text : (ridge_str){NULL, 0};
        }
    }
    m->names = names;
    return RIDGE_OK;
}

/* the rule for a path, of the whole or without its last part, which then is the tensor's too: ".weight" */
static ridge_str rule_of(ridge_str *ending, const ridge_gguf_model *m, const place *p)
{
    size_t n = p->n;
    const ridge_symbol *symbol = ridge_intern_find(&m->paths, (ridge_str){p->text, n});
    *ending = (ridge_str){"", 0};
    while (!symbol && n > 0 && p->text[n - 1] != '.')
        n--;
    if (!symbol && n > 0) {
        symbol = ridge_intern_find(&m->paths, (ridge_str){p->text, n - 1});
        *ending = (ridge_str){p->text + n - 1, p->n - n + 1};
    }
    return symbol ? m->names[symbol->id] : (ridge_str){NULL, 0};
}

/* "blk.{0}.attn_q" and the ending, with the path's numbers; *slices: numbers that it does not use. false: too long */
static bool name_of(char *out, size_t *length, bool *slices, ridge_str rule, ridge_str ending, const place *p)
{
    unsigned used = 0;
    size_t n = 0;
    for (size_t i = 0; i < rule.n && n < NAME_LIMIT; i++) {
        const unsigned number = i + 2 < rule.n && rule.p[i] == '{' && rule.p[i + 2] == '}' ? (unsigned)(rule.p[i + 1] - '0') : NUMBERS;
        if (number >= p->count) {
            out[n++] = rule.p[i];
            continue;
        }
        if (n + p->numbers[number].n > NAME_LIMIT)
            return false;
        memcpy(out + n, p->numbers[number].p, p->numbers[number].n);
        n += p->numbers[number].n;
        used |= 1u << number;
        i += 2;
    }
    if (n + ending.n > NAME_LIMIT)
        return false;
    memcpy(out + n, ending.p, ending.n);
    *length = n + ending.n;
    *slices = used != (1u << p->count) - 1;
    return true;
}

static ridge_str next_of(ridge_str *list, char mark)
{
    const char *end = memchr(list->p, mark, list->n);
    const ridge_str one = {list->p, end ? (size_t)(end - list->p) : list->n};
    *list = end ? (ridge_str){end + 1, list->n - one.n - 1} : (ridge_str){list->p + list->n, 0};
    return one;
}

typedef struct search {
    ridge_gguf_model *m;
    place place;
    ridge_str path, ending;
    ridge_int elements;
    const char *missing; /* the first tensor that is not there */
    ridge_err *err;
} search;

static ridge_status other_size(const search *s, const ridge_weight *w, ridge_int elements)
{
    char have[RIDGE_INT_COMMA_CHARS], want[RIDGE_INT_COMMA_CHARS];
    ridge_int_print_comma(have, w->elements);
    ridge_int_print_comma(want, elements);
    return ridge_fail(s->err, RIDGE_VALUE, "%s: the tensor '%s' has %s elements, and %.*s of its config %s", s->m->gguf.path,
                      ridge_shown(s->m->arena, w->name.p), have, RIDGE_STR_ARG(s->path), want);
}

/* rows of a tensor, of one of a single dimension some elements */
static ridge_status take_rows(ridge_gguf_weight *out, const search *s, const ridge_weight *w)
{
    const ridge_int columns = w->rank > 1 ? (ridge_int)w->shape[w->rank - 1] : 1, all = w->elements / columns;
    if (s->elements <= 0 || s->elements > w->elements || s->elements % columns != 0 || w->bytes % all != 0)
        return other_size(s, w, s->elements);
    *out = (ridge_gguf_weight){w->format, w->bytes / all * (s->elements / columns)};
    return RIDGE_OK;
}

/* one tensor, or a slice of it, that is a weight or a part of one; *elements that it has */
static ridge_status take(ridge_gguf_weight *out, ridge_int *elements, ridge_int *largest, const search *s, const ridge_weight *w,
                         bool slices, bool part)
{
    ridge_int slice = 1;
    *elements = w->elements;
    if (slices && !part) {
        if (s->elements <= 0 || w->elements % s->elements != 0 || w->bytes % (w->elements / s->elements) != 0)
            return other_size(s, w, s->elements);
        slice = w->elements / s->elements;
        *elements = s->elements;
    }
    if (!part && *elements != s->elements)
        return other_size(s, w, s->elements);
    if (!out->format || w->elements > *largest) { /* of several parts it computes as the largest is stored */
        out->format = w->format;
        *largest = w->elements;
    }
    out->bytes += w->bytes / slice;
    return RIDGE_OK;
}

/* "a+b", "=a" or "<a"; *found false: the file does not have all of it */
static ridge_status take_all(ridge_gguf_weight *out, bool *found, search *s, ridge_str rule)
{
    const char mark = rule.n ? rule.p[0] : '\0';
    const bool shared = mark == '=', rows = mark == '<', parts = memchr(rule.p, '+', rule.n) != NULL;
    const ridge_weight *taken[NUMBERS];
    ridge_int sizes[NUMBERS], sum = 0, largest = 0;
    unsigned count = 0;
    ridge_str list = shared || rows ? (ridge_str){rule.p + 1, rule.n - 1} : rule;
    *found = false;
    *out = (ridge_gguf_weight){0};
    while (list.n && count < NUMBERS) {
        char name[NAME_LIMIT];
        size_t n;
        bool slices;
        if (!name_of(name, &n, &slices, next_of(&list, '+'), s->ending, &s->place))
            return RIDGE_OK;
        const ridge_weight *w = ridge_gguf_tensor(&s->m->gguf, (ridge_str){name, n});
        if (!w) {
            if (!s->missing && !(s->missing = ridge_arena_strdup(s->m->arena, (ridge_str){name, n})))
                return ridge_no_memory(s->err);
            return RIDGE_OK;
        }
        sizes[count] = s->elements;
        ridge_status st = rows ? take_rows(out, s, w) : take(out, &sizes[count], &largest, s, w, slices, parts);
        if (st)
            return st;
        sum += sizes[count];
        taken[count++] = w;
    }
    if (parts && sum != s->elements)
        return other_size(s, taken[0], s->elements);
    for (unsigned i = 0; i < count && !shared; i++)
        s->m->used[taken[i] - s->m->gguf.weights.tensors] += sizes[i];
    *found = count > 0;
    return RIDGE_OK;
}

ridge_status ridge_gguf_weight_find(ridge_gguf_weight *out, ridge_gguf_model *m, ridge_str path, ridge_int elements, ridge_err *err)
{
    search s = {.m = m, .path = path, .elements = elements, .err = err};
    bool found = false;
    ridge_status st = m->names ? RIDGE_OK : index_paths(m, err);
    if (st)
        return st;
    ridge_str rule = generalise(&s.place, path, NUMBERS) ? rule_of(&s.ending, m, &s.place) : (ridge_str){NULL, 0};
    if (!rule.n && generalise(&s.place, path, 1)) /* "encoder.block.{}.layer.0.SelfAttention.q" */
        rule = rule_of(&s.ending, m, &s.place);
    while (rule.n && !found) {
        const ridge_str one = next_of(&rule, '|');
        if ((st = take_all(out, &found, &s, one)))
            return st;
    }
    if (found)
        return RIDGE_OK;
    if (s.missing)
        return ridge_fail(err, RIDGE_VALUE, "%s: the file has no tensor '%s', which is %.*s of a model of '%s'", m->gguf.path, s.missing,
                          RIDGE_STR_ARG(path), ridge_shown(m->arena, m->architecture));
    return ridge_fail(err, RIDGE_UNKNOWN, "%s: which tensor %.*s is in a file of '%s' is not known", m->gguf.path, RIDGE_STR_ARG(path),
                      ridge_shown(m->arena, m->architecture));
}

/* a tensor that files of such models have beside their weights: "others" of an entry */
static bool is_known(const ridge_gguf_model *m, ridge_str name)
{
    place p;
    if (!generalise(&p, name, NUMBERS))
        return false;
    for (unsigned e = 0; e < m->entry_count; e++) {
        const ridge_json *others = ridge_json_get(m->entries[e], "others");
        for (uint32_t i = 0; others && others->type == RIDGE_JSON_ARRAY && i < others->count; i++)
            if (others->u.items[i].type == RIDGE_JSON_STRING && ridge_str_eq(others->u.items[i].u.text, (ridge_str){p.text, p.n}))
                return true;
    }
    return false;
}

ridge_status ridge_gguf_rest(ridge_int *bytes, const char **names, size_t cap, const ridge_gguf_model *m, ridge_err *err)
{
    size_t n = 0;
    *bytes = 0;
    for (size_t i = 0; i < m->gguf.weights.count; i++) {
        const ridge_weight *w = &m->gguf.weights.tensors[i];
        if (m->used[i] == w->elements)
            continue;
        if (m->used[i] != 0)
            return ridge_fail(err, RIDGE_VALUE,
                              "%s: the weights of its config are not the tensor '%s': they have %lld elements of its %lld", m->gguf.path,
                              ridge_shown(m->arena, w->name.p), (long long)m->used[i], (long long)w->elements);
        *bytes += w->bytes;
        if (n + 1 < cap && !is_known(m, w->name))
            names[n++] = w->name.p;
    }
    if (cap)
        names[n] = NULL;
    return RIDGE_OK;
}
