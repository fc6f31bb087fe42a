/* Which scheme a module has: patterns as each method means them. */
#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

#include "input/quant/parts.h"

enum { PATH_MOST = 512 };

static bool ends_with_class(const char *class_name, const char *last)
{
    const char *dot = class_name ? strrchr(class_name, '.') : NULL;
    const char *name = dot ? dot + 1 : class_name;
    return name && ridge_str_ends(ridge_str_of(name), ridge_str_of(last));
}

static bool is_experts(const ridge_quant_module *m)
{
    return m->rank == 3 && ends_with_class(m->class_name, "Experts");
}

static bool is_matrix(const ridge_quant_module *m)
{
    return m->rank == 2 && (ends_with_class(m->class_name, "Linear") || ends_with_class(m->class_name, "Conv1D"));
}

static bool is_embedding(const ridge_quant_module *m)
{
    return m->rank == 2 && ends_with_class(m->class_name, "Embedding");
}

/* Is a component of the path a number? Those of repeated layers are. */
static bool in_layers(ridge_str path)
{
    for (size_t i = 0; i < path.n; i++) {
        size_t k = i;
        while (k < path.n && (path.p[k] == '*' || (path.p[k] >= '0' && path.p[k] <= '9')))
            k++;
        if (k > i && (k == path.n || path.p[k] == '.'))
            return true;
        while (i < path.n && path.p[i] != '.')
            i++;
    }
    return false;
}

static bool is_kind(const ridge_quant *q, const ridge_quant_module *m)
{
    if (q->kinds & RIDGE_QUANT_EXPERTS_ONLY)
        return is_experts(m);
    if ((q->kinds & RIDGE_QUANT_IN_LAYERS) && !in_layers(m->path))
        return false;
    return is_matrix(m) || is_experts(m) || ((q->kinds & RIDGE_QUANT_EMBEDDINGS) && is_embedding(m));
}

ridge_str ridge_quant_plain(char *room, ridge_str text)
{
    static const struct alike {
        const char *theirs, *ours; /* ours is no longer than theirs */
    } alike[] = {{"block_sparse_moe", "mlp"}, {"ffn", "mlp"}, {"self_attn", "attn"}};
    size_t n = 0;
    for (size_t i = 0; i < text.n;) {
        const char *dot = memchr(text.p + i, '.', text.n - i);
        const size_t end = dot ? (size_t)(dot - text.p) : text.n;
        ridge_str part = {text.p + i, end - i};
        i = end + 1;
        if (ridge_str_is(part, "model") && dot)
            continue;
        for (size_t k = 0; k < sizeof alike / sizeof *alike; k++)
            if (ridge_str_is(part, alike[k].theirs))
                part = ridge_str_of(alike[k].ours);
        if (n > 0)
            room[n++] = '.';
        memcpy(room + n, part.p, part.n);
        n += part.n;
    }
    return (ridge_str){room, n};
}

/* the first number that is a component of its own; -1: there is none, or it stands for all ("*") */
static int64_t layer_of(ridge_str path)
{
    for (size_t i = 0; i < path.n; i++) {
        int64_t n = 0;
        size_t k = i;
        for (; k < path.n && k - i < 9 && path.p[k] >= '0' && path.p[k] <= '9'; k++)
            n = n * 10 + (path.p[k] - '0');
        if (k > i && (k == path.n || path.p[k] == '.'))
            return n;
        while (i < path.n && path.p[i] != '.')
            i++;
    }
    return -1;
}

int64_t ridge_quant_layer(ridge_str pattern)
{
    const char *star = memchr(pattern.p, '*', pattern.n);
    const ridge_str sure = {pattern.p, star ? (size_t)(star - pattern.p) : pattern.n};
    const char *dot = memrchr(sure.p, '.', sure.n); /* what comes last may go on: "layers.1" in "layers.10" */
    return dot ? layer_of((ridge_str){sure.p, (size_t)(dot - sure.p)}) : -1;
}

/* a path as it is and without what is called differently, both ended by a NUL */
typedef struct names {
    char raw[PATH_MOST], plain[PATH_MOST];
    ridge_str raw_text, plain_text;
    int64_t layer;
} names;

static void set_names(names *n, ridge_str path)
{
    memcpy(n->raw, path.p, path.n);
    n->raw[path.n] = '\0';
    n->raw_text = (ridge_str){n->raw, path.n};
    n->plain_text = ridge_quant_plain(n->plain, path);
    n->plain[n->plain_text.n] = '\0';
    n->layer = layer_of(path);
}

static bool matches(const ridge_quant_rule *r, const names *n)
{
    if (r->layer >= 0 && r->layer != n->layer)
        return false;
    switch (r->match) {
    case RIDGE_QUANT_PART:
        return memmem(n->raw, n->raw_text.n, r->pattern.p, r->pattern.n) || memmem(n->plain, n->plain_text.n, r->plain.p, r->plain.n);
    case RIDGE_QUANT_MODULE:
        return ridge_str_has_components(n->raw_text, r->pattern) || ridge_str_has_components(n->plain_text, r->plain);
    case RIDGE_QUANT_GLOB:
        return fnmatch(r->pattern.p, n->raw, 0) == 0 || fnmatch(r->plain.p, n->plain, 0) == 0;
    case RIDGE_QUANT_REGEX:
        return regexec(r->compiled, n->raw, 0, NULL, 0) == 0;
    case RIDGE_QUANT_EXACT: /* never among these: find_exact */
        break;
    }
    return false;
}

/* ---- whole paths ---- */

static int compare(ridge_str a, ridge_str b)
{
    const int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

static int by_plain(const void *a, const void *b)
{
    return compare(((const ridge_quant_rule *)a)->plain, ((const ridge_quant_rule *)b)->plain);
}

static const ridge_quant_rule *find_exact(const ridge_quant *q, ridge_str plain)
{
    const ridge_quant_rule key = {.plain = plain};
    return q->exact_count ? bsearch(&key, q->exact, q->exact_count, sizeof key, by_plain) : NULL;
}

/* the rule of a part of a module that files keep apart: "gate_proj" of "gate_up_proj", "0.down_proj" of experts in one tensor */
static const ridge_quant_rule *find_part(const ridge_quant *q, const ridge_quant_module *m, const names *n)
{
    static const struct part {
        const char *whole, *part;
    } parts[] = {{"gate_up_proj", "gate_proj"}, {"qkv_proj", "q_proj"}, {"query_key_value", "q_proj"}};
    static const char *const experts[] = {".0.down_proj", ".0.w1", ".0.gate_proj", ".0.up_proj"};
    char text[PATH_MOST + 32];
    for (size_t i = 0; is_experts(m) && i < sizeof experts / sizeof *experts; i++) {
        (void)snprintf(text, sizeof text, "%s%s", n->plain, experts[i]);
        const ridge_quant_rule *found = find_exact(q, ridge_str_of(text));
        if (found)
            return found;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (ridge_str_ends(n->plain_text, ridge_str_of(parts[i].whole))) {
            (void)snprintf(text, sizeof text, "%.*s%s", (int)(n->plain_text.n - strlen(parts[i].whole)), n->plain, parts[i].part);
            return find_exact(q, ridge_str_of(text));
        }
    return NULL;
}

const ridge_scheme *ridge_quant_scheme(const ridge_quant *q, const ridge_quant_module *m)
{
    names n;
    if (!q->known || m->path.n >= PATH_MOST || !is_kind(q, m))
        return NULL;
    set_names(&n, m->path);
    const ridge_quant_rule *exact = find_exact(q, n.plain_text);
    if (!exact && q->exact_count)
        exact = find_part(q, m, &n);
    if (exact)
        return exact->scheme;
    for (size_t i = 0; i < q->rule_count; i++)
        if (matches(&q->rules[i], &n))
            return q->rules[i].scheme;
    return q->scheme;
}

void ridge_quant_sort(ridge_quant *q)
{
    if (q->exact_count)
        qsort(q->exact, q->exact_count, sizeof *q->exact, by_plain);
}

void ridge_quant_free(ridge_quant *q)
{
    for (size_t i = 0; q && i < q->rule_count; i++)
        if (q->rules[i].compiled) {
            regfree(q->rules[i].compiled);
            free(q->rules[i].compiled);
            q->rules[i].compiled = NULL;
        }
}
