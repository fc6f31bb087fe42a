#include "opgraph/entries.h"

#include <stdio.h>

#include "base/sha256.h"

#define TYPE_DIGITS 16
#define LIST_MOST   1000 /* modules of a list: more do not fit into a formula, and are parts of a module */

typedef struct writer {
    ridge_opgraph_model *out;
    ridge_opgraph_places places;
    ridge_arena *arena;
    ridge_err *err;
    ridge_symtab texts; /* of the entries: equal ones are one */
    const char **keys;  /* [symbol] */
    size_t cap;
    ridge_buf all; /* "key": entry, ... */
} writer;

static const ridge_opgraph_step *step_of(const writer *w, const ridge_opgraph_place *p)
{
    return &w->out->run.steps[p->step];
}

/* ---- the formats of most ---- */

/* a format that can be what "the weights", "the activations" have: of numbers that models compute with */
static bool is_choice(const ridge_format *f)
{
    return f && !f->integer;
}

typedef struct share {
    const ridge_format *format;
    ridge_int elements;
} share;

static void add_share(share *shares, size_t count, const ridge_format *format, ridge_int elements)
{
    size_t i = 0;
    while (i < count && shares[i].format && shares[i].format != format)
        i++;
    if (i < count) {
        shares[i].format = format;
        shares[i].elements += elements;
    }
}

static const ridge_format *most(const share *shares, size_t count)
{
    const share *best = NULL;
    for (size_t i = 0; i < count && shares[i].format; i++)
        if (!best || shares[i].elements > best->elements)
            best = &shares[i];
    return best ? best->format : ridge_format_find(RIDGE_STR("fp32"));
}

static void find_formats(const writer *w)
{
    enum { FORMATS = 64 };
    share of_weights[FORMATS] = {{0}}, of_results[FORMATS] = {{0}};
    const ridge_opgraph_run *run = &w->out->run;
    for (size_t i = 0; i < run->graph->weights.count; i++) {
        const ridge_weight *t = &run->graph->weights.tensors[i];
        if (is_choice(t->format))
            add_share(of_weights, FORMATS, t->format, t->bytes);
    }
    for (size_t i = 0; i < run->graph->value_count; i++) {
        const ridge_opgraph_tensor *t = &run->tensors[i];
        if (t->known && is_choice(t->format) && (t->value->origin == RIDGE_OPGRAPH_RESULT || t->value->origin == RIDGE_OPGRAPH_INPUT))
            add_share(of_results, FORMATS, t->format, t->elements);
    }
    w->out->activations = most(of_results, FORMATS);
    w->out->weights = of_weights[0].format ? most(of_weights, FORMATS) : w->out->activations;
}

/* ---- parts of an entry ---- */

static void add_number(ridge_buf *text, ridge_int value)
{
    ridge_buf_addc(text, '"');
    ridge_buf_add_int(text, value);
    ridge_buf_addc(text, '"');
}

static void add_amounts(const writer *w, ridge_buf *text, const char *field, const ridge_opgraph_amounts *a)
{
    const char *separator = "";
    if (!a->n)
        return;
    ridge_buf_addf(text, ", \"%s\": {", field);
    for (size_t i = 0; i < a->n; i++) {
        const ridge_format *usual = a->p[i].kind == RIDGE_BYTE_WEIGHTS ? w->out->weights : w->out->activations;
        ridge_buf_addf(text, "%s\"%s", separator, ridge_byte_names[a->p[i].kind]);
        if (a->p[i].format != usual)
            ridge_buf_addf(text, ":%s", a->p[i].format->name);
        ridge_buf_addz(text, "\": ");
        add_number(text, a->p[i].elements);
        separator = ", ";
    }
    ridge_buf_addc(text, '}');
}

static void add_flops(ridge_buf *text, const ridge_opgraph_step *s)
{
    const char *separator = "";
    if (!s->spec->flops)
        return;
    ridge_buf_addz(text, ", \"let\": {");
    for (unsigned i = 0; i < s->size_count; i++) {
        ridge_buf_addf(text, "%s\"%s\": ", separator, s->sizes[i].name);
        add_number(text, s->sizes[i].value);
        separator = ", ";
    }
    ridge_buf_addf(text, "}, \"flops\": {\"%s\": \"%s\"}", s->spec->flop_class, s->spec->flops);
}

/* text of a JSON string, quotes included */
static void add_text(ridge_buf *text, ridge_str s)
{
    ridge_json_writer w;
    ridge_buf one = {0};
    ridge_jw_init(&w, &one);
    ridge_jw_str(&w, s);
    ridge_buf_add(text, (ridge_str){one.p ? one.p : "\"\"", one.p ? one.n : 2});
    text->failed |= one.failed;
    ridge_buf_free(&one);
}

static void add_shape(ridge_buf *text, const ridge_weight *t)
{
    ridge_buf_addz(text, "\"[");
    for (uint32_t i = 0; i < t->rank; i++)
        ridge_buf_addf(text, "%s%llu", i ? ", " : "", (unsigned long long)t->shape[i]);
    ridge_buf_addz(text, "]\"");
}

static const ridge_weight *weight_of(const writer *w, uint32_t value)
{
    const ridge_opgraph *g = w->out->run.graph;
    return &g->weights.tensors[g->values[value].weight - 1];
}

/* its own parameters, or its own buffers with their formats */
static void add_held(const writer *w, ridge_buf *text, const ridge_opgraph_place *p, bool buffers)
{
    const char *separator = "";
    bool any = false;
    for (uint32_t at = p->first_weight; at != RIDGE_OPGRAPH_NONE; at = w->places.held[at].next) {
        const ridge_opgraph_held *h = &w->places.held[at];
        const ridge_weight *t = weight_of(w, h->value);
        if ((w->out->run.graph->values[h->value].origin == RIDGE_OPGRAPH_BUFFER) != buffers)
            continue;
        ridge_buf_addf(text, any ? "%s" : ", \"%s\": {", any ? separator : buffers ? "buffers" : "weights");
        any = true;
        const char *name = buffers ? ridge_arena_printf(w->arena, "%.*s:%s", RIDGE_STR_ARG(h->name), t->format->name) : NULL;
        add_text(text, name ? ridge_str_of(name) : h->name);
        ridge_buf_addz(text, ": ");
        add_shape(text, t);
        separator = ", ";
    }
    if (any)
        ridge_buf_addc(text, '}');
}

/* ---- entries, each text once ---- */

static ridge_status keep(writer *w, const char **key, ridge_buf *text)
{
    const ridge_symbol *s = text->failed ? NULL : ridge_intern(&w->texts, (ridge_str){text->p, text->n});
    if (!s)
        return ridge_no_memory(w->err);
    while (s->id >= w->cap) {
        const size_t n = w->cap;
        if (!ridge_arena_more(w->arena, &w->keys, n, &w->cap, sizeof *w->keys))
            return ridge_no_memory(w->err);
        memset(w->keys + n, 0, (w->cap - n) * sizeof *w->keys);
    }
    if (!w->keys[s->id]) {
        if (!(w->keys[s->id] = ridge_arena_printf(w->arena, "@%u", s->id))) /* '@' becomes the model's type */
            return ridge_no_memory(w->err);
        ridge_buf_addf(&w->all, ",\n\"%s\": ", w->keys[s->id]);
        ridge_buf_add(&w->all, (ridge_str){text->p, text->n});
    }
    *key = w->keys[s->id];
    return RIDGE_OK;
}

static ridge_status keep_kernel(writer *w, const char **key, const ridge_opgraph_step *s, const ridge_opgraph_amounts *reads,
                                const ridge_opgraph_amounts *writes)
{
    ridge_buf text = {0};
    ridge_buf_addf(&text, "{\"kind\": \"function\", \"class\": \"%s\"", s->spec->name);
    add_flops(&text, s);
    add_amounts(w, &text, "reads", reads);
    add_amounts(w, &text, "writes", writes);
    ridge_buf_addc(&text, '}');
    ridge_status st = keep(w, key, &text);
    ridge_buf_free(&text);
    return st;
}

/* "2*m*k*n with m = 1, k = 10, n = 256": the kernel below has the formula, and people look here */
static void add_thinking(ridge_buf *text, const ridge_opgraph_step *s)
{
    if (!s->spec->flops)
        return;
    ridge_buf_addf(text, ", \"thinking\": \"%s FLOPs: %s", s->spec->flop_class, s->spec->flops);
    for (unsigned i = 0; i < s->size_count; i++) {
        ridge_buf_addf(text, "%s%s = ", i ? ", " : ", where ", s->sizes[i].name);
        ridge_buf_add_int(text, s->sizes[i].value);
    }
    ridge_buf_addz(text, ".\"");
}

/* A node: what it does by itself; in fused kernels the first has the traffic of all, those that follow have none. */
static ridge_status node_entry(writer *w, const char **key, const ridge_opgraph_place *p)
{
    const ridge_opgraph_step *s = step_of(w, p);
    const ridge_opgraph_moves *m = &w->out->traffic.of[p->step];
    const bool alone = m->group == p->step && !m->joined;
    const char *own = NULL, *fused = NULL;
    ridge_buf text = {0};
    ridge_status st = alone ? RIDGE_OK : keep_kernel(w, &own, s, &m->reads, &m->writes);
    if (!st && m->joined)
        st = keep_kernel(w, &fused, s, &m->fused_reads, &m->fused_writes);
    ridge_buf_addf(&text, "{\"class\": \"%s\"", s->spec->name);
    add_held(w, &text, p, false);
    add_held(w, &text, p, true);
    if (alone) {
        add_flops(&text, s);
        add_amounts(w, &text, "reads", &m->reads);
        add_amounts(w, &text, "writes", &m->writes);
    } else if (own) {
        add_thinking(&text, s);
        ridge_buf_addf(&text, ", \"breakdown\": {\"kernel\": \"{%s}()\"}, \"fused\": [{\"replaces\": [\"kernel\"]", own);
        if (fused)
            ridge_buf_addf(&text, ", \"by\": \"{%s}()\"", fused);
        ridge_buf_addz(&text, "}]");
    }
    ridge_buf_addc(&text, '}');
    st = st ? st : keep(w, key, &text);
    ridge_buf_free(&text);
    return st;
}

static bool is_list(const writer *w, const ridge_opgraph_place *p)
{
    uint32_t expected = 0;
    if (p->first == RIDGE_OPGRAPH_NONE || p->step != RIDGE_OPGRAPH_NONE || p->first_weight != RIDGE_OPGRAPH_NONE ||
        p->parent == RIDGE_OPGRAPH_NONE || (p->class_name.n && !ridge_str_ends(p->class_name, RIDGE_STR("ModuleList"))))
        return false;
    for (uint32_t c = p->first; c != RIDGE_OPGRAPH_NONE; c = w->places.p[c].next, expected++) {
        char number[16];
        snprintf(number, sizeof number, "%u", expected);
        if (expected == LIST_MOST || !ridge_str_is(w->places.p[c].name, number) || w->places.p[c].step != RIDGE_OPGRAPH_NONE ||
            is_list(w, &w->places.p[c]))
            return false;
    }
    return true;
}

/* "{a}()", {"use": "{a}()", "calls": "12"}, or "[{a}(), {b}()]" of a list */
static void add_component(writer *w, ridge_buf *text, uint32_t place, const char **keys)
{
    const ridge_opgraph_place *p = &w->places.p[place];
    if (is_list(w, p)) {
        const char *separator = "\"[";
        for (uint32_t c = p->first; c != RIDGE_OPGRAPH_NONE; c = w->places.p[c].next) {
            ridge_buf_addf(text, "%s{%s}()", separator, keys[c]);
            separator = ", ";
        }
        ridge_buf_addz(text, "]\"");
        return;
    }
    const ridge_int times = p->step == RIDGE_OPGRAPH_NONE ? 1 : step_of(w, p)->times;
    if (times == 1) {
        ridge_buf_addf(text, "\"{%s}()\"", keys[place]);
        return;
    }
    ridge_buf_addf(text, "{\"use\": \"{%s}()\", \"calls\": ", keys[place]);
    add_number(text, times);
    ridge_buf_addc(text, '}');
}

static void add_class(ridge_buf *text, const writer *w, const ridge_opgraph_place *p)
{
    const ridge_str name = w->out->run.graph->name;
    ridge_buf_addz(text, "{\"class\": ");
    if (p->class_name.n)
        add_text(text, p->class_name);
    else if (p->parent == RIDGE_OPGRAPH_NONE && name.n)
        add_text(text, name);
    else
        add_text(text, RIDGE_STR("scope"));
}

/* what lives beside a step's own operands when most is alive, in elements of the usual format and bytes */
static void add_holds(const writer *w, ridge_buf *text)
{
    const ridge_opgraph_traffic *t = &w->out->traffic;
    const ridge_int held = t->peak - t->step_peak, bits = w->out->activations->block_bits;
    if (held <= 0)
        return;
    const ridge_int elements = w->out->activations->block_elements == 1 && bits % 8 == 0 ? held / (bits / 8) : 0;
    const ridge_int rest = elements ? held - elements * (bits / 8) : held;
    ridge_buf_addz(text, ", \"holds\": {\"activations\": ");
    add_number(text, elements);
    if (rest) {
        ridge_buf_addz(text, ", \"activations:u8\": ");
        add_number(text, rest);
    }
    ridge_buf_addc(text, '}');
}

/* ---- weights that share their bytes ---- */

/* of each weight the path where it stands first; NULL: it is no parameter of the graph */
static ridge_status list_paths(const char **paths, const writer *w)
{
    const ridge_opgraph *g = w->out->run.graph;
    for (uint32_t i = 0; i < w->places.n; i++)
        for (uint32_t at = w->places.p[i].first_weight; at != RIDGE_OPGRAPH_NONE; at = w->places.held[at].next) {
            const ridge_opgraph_value *v = &g->values[w->places.held[at].value];
            if (v->origin != RIDGE_OPGRAPH_PARAMETER || paths[v->weight - 1])
                continue;
            if (!(paths[v->weight - 1] = ridge_opgraph_held_path(&w->places, i, &w->places.held[at], w->arena)))
                return ridge_no_memory(w->err);
        }
    return RIDGE_OK;
}

/* "head.weight": "'embed.weight'", where both are the same bytes in the same shape: they count once, and both uses read them */
static ridge_status add_ties(const writer *w, ridge_buf *text)
{
    const ridge_weights *all = &w->out->run.graph->weights;
    const char **paths = ridge_arena_array(w->arena, all->count + 1, sizeof(char *)), *separator = ", \"tied\": {";
    ridge_status st = paths ? list_paths(paths, w) : ridge_no_memory(w->err);
    for (size_t i = 0; i < all->count && !st; i++) {
        const ridge_weight *t = &all->tensors[i], *owner = t->tied ? &all->tensors[t->tied - 1] : NULL;
        const char *to = owner ? paths[t->tied - 1] : NULL;
        if (!paths[i] || !to || strpbrk(to, "'\\") || t->elements != owner->elements || t->format != owner->format)
            continue;
        ridge_buf_addz(text, separator);
        add_text(text, ridge_str_of(paths[i]));
        ridge_buf_addz(text, ": ");
        to = ridge_arena_printf(w->arena, "'%s'", to);
        if (!to)
            return ridge_no_memory(w->err);
        add_text(text, ridge_str_of(to));
        separator = ", ";
    }
    if (strcmp(separator, ", ") == 0)
        ridge_buf_addc(text, '}');
    return st;
}

static ridge_status module_entry(writer *w, const char **key, uint32_t place, const char **keys)
{
    const ridge_opgraph_place *p = &w->places.p[place];
    const char *separator = ", \"breakdown\": {";
    ridge_buf text = {0};
    ridge_status st = RIDGE_OK;
    add_class(&text, w, p);
    add_held(w, &text, p, false);
    add_held(w, &text, p, true);
    for (uint32_t c = p->first; c != RIDGE_OPGRAPH_NONE; c = w->places.p[c].next) {
        ridge_buf_addz(&text, separator);
        add_text(&text, w->places.p[c].name);
        ridge_buf_addz(&text, ": ");
        add_component(w, &text, c, keys);
        separator = ", ";
    }
    if (p->first != RIDGE_OPGRAPH_NONE)
        ridge_buf_addc(&text, '}');
    if (p->parent == RIDGE_OPGRAPH_NONE) {
        add_holds(w, &text);
        st = add_ties(w, &text);
    }
    ridge_buf_addc(&text, '}');
    st = st ? st : keep(w, key, &text);
    ridge_buf_free(&text);
    return st;
}

/* children have higher numbers than their parents */
static ridge_status write_places(writer *w, const char **root)
{
    const char **keys = ridge_arena_array(w->arena, w->places.n + 1, sizeof(char *));
    ridge_status st = keys ? RIDGE_OK : ridge_no_memory(w->err);
    for (size_t i = w->places.n; i-- > 0 && !st;) {
        const ridge_opgraph_place *p = &w->places.p[i];
        if (p->step != RIDGE_OPGRAPH_NONE)
            st = node_entry(w, &keys[i], p);
        else if (!is_list(w, p))
            st = module_entry(w, &keys[i], (uint32_t)i, keys);
    }
    *root = st ? NULL : keys[0];
    return st;
}

/* ---- the model ---- */

/* '@' stands for the model's type, which is known when all is written: the hash of it */
static ridge_status name_type(writer *w, const char *root)
{
    ridge_opgraph_model *out = w->out;
    const ridge_str name = out->run.graph->name.n ? out->run.graph->name : RIDGE_STR("graph");
    ridge_buf text = {0}, config = {0};
    char hash[65];
    ridge_sha256(hash, (ridge_str){w->all.p ? w->all.p : "", w->all.n});
    const char *type = ridge_arena_printf(w->arena, "graph_%.*s", TYPE_DIGITS, hash);
    if (!type || w->all.failed)
        return ridge_no_memory(w->err);
    ridge_buf_addf(&text, "{\"%s__Config\": {\"kind\": \"config\", \"model_type\": \"%s\", \"classes\": {", type, type);
    add_text(&text, name);
    ridge_buf_addf(&text, ": \"%s_%s\"}}", type, root + 1);

    for (size_t i = 0; i < w->all.n; i++) {
        const char c = w->all.p[i];
        const bool key = c == '@' && i && (w->all.p[i - 1] == '{' || (w->all.p[i - 1] == '"' && w->all.p[i - 2] == '\n'));

        if (key)
            ridge_buf_addf(&text, "%s_", type);
        else
            ridge_buf_addc(&text, c);
    }
    ridge_buf_addz(&text, "}\n");
    ridge_buf_addf(&config, "{\"model_type\": \"%s\", \"architectures\": [", type);
    add_text(&config, name);
    ridge_buf_addf(&config, "], \"torch_dtype\": \"%s\"}", out->activations->name);
    const size_t entries = text.n, length = config.n;
    out->type = type;
    out->entries = (ridge_str){ridge_arena_take(w->arena, &text), entries};
    out->config = (ridge_str){ridge_arena_take(w->arena, &config), length};
    return out->entries.p && out->config.p ? RIDGE_OK : ridge_no_memory(w->err);
}

static ridge_status place_weights(writer *w)
{
    ridge_opgraph_model *out = w->out;
    out->placed = ridge_arena_array(w->arena, w->places.held_count + 1, sizeof *out->placed);
    out->placed_of = ridge_arena_array(w->arena, w->places.held_count + 1, sizeof *out->placed_of);
    if (!out->placed || !out->placed_of || !ridge_symtab_init(&out->paths, w->arena))
        return ridge_no_memory(w->err);
    for (uint32_t i = 0; i < w->places.n; i++)
        for (uint32_t at = w->places.p[i].first_weight; at != RIDGE_OPGRAPH_NONE; at = w->places.held[at].next) {
            const ridge_opgraph_held *h = &w->places.held[at];
            const char *path = ridge_opgraph_held_path(&w->places, i, h, w->arena);
            const ridge_symbol *symbol = path ? ridge_intern(&out->paths, ridge_str_of(path)) : NULL;
            if (!symbol)
                return ridge_no_memory(w->err);
            out->placed_of[symbol->id] = (uint32_t)out->placed_count;
            out->placed[out->placed_count++] =
                (ridge_opgraph_placed){path, weight_of(w, h->value), w->out->run.graph->values[h->value].origin == RIDGE_OPGRAPH_BUFFER};
        }
    return RIDGE_OK;
}

typedef struct open_kind {
    const ridge_opgraph_node *first;
    size_t count;
} open_kind;

static ridge_status add_open(writer *w, open_kind *kind, const ridge_opgraph_step *s, size_t *cap)
{
    ridge_opgraph_model *out = w->out;
    if (kind->count++)
        return RIDGE_OK;
    if (!ridge_arena_more(w->arena, &out->open, out->open_count, cap, sizeof *out->open))
        return ridge_no_memory(w->err);
    kind->first = s->node;
    out->open[out->open_count++] = (ridge_opgraph_open){.what = ridge_weight_shown(w->arena, s->node->op), .why = s->unknown};
    return RIDGE_OK;
}

/* nodes that are not counted, those of one operator and reason together */
static ridge_status list_open(writer *w)
{
    ridge_opgraph_model *out = w->out;
    open_kind *kinds = ridge_arena_array(w->arena, out->run.step_count + 1, sizeof *kinds);
    size_t cap = 0;
    ridge_symtab seen;
    ridge_status st = kinds && ridge_symtab_init(&seen, w->arena) ? RIDGE_OK : ridge_no_memory(w->err);
    for (size_t i = 0; i < out->run.step_count && !st; i++) {
        const ridge_opgraph_step *s = &out->run.steps[i];
        if (!s->unknown)
            continue;
        out->uncounted++;
        const char *alike = ridge_arena_printf(w->arena, "%.*s\n%s", RIDGE_STR_ARG(s->node->op), s->unknown);
        const ridge_symbol *symbol = alike ? ridge_intern(&seen, ridge_str_of(alike)) : NULL;
        st = symbol ? add_open(w, &kinds[symbol->id], s, &cap) : ridge_no_memory(w->err);
    }
    for (size_t i = 0; i < out->open_count && !st; i++) {
        const open_kind *k = &kinds[i]; /* kinds are numbered as they are listed */
        const char *name = ridge_weight_shown(w->arena, k->first->name.n ? k->first->name : k->first->op);
        out->open[i].where = k->count > 1 ? ridge_arena_printf(w->arena, "node '%s' and %zu more", name, k->count - 1)
                                          : ridge_arena_printf(w->arena, "node '%s'", name);
        st = out->open[i].where ? RIDGE_OK : ridge_no_memory(w->err);
    }
    return st;
}

ridge_status ridge_opgraph_model_make(ridge_opgraph_model *out, const ridge_opgraph *graph, const ridge_opgraph_bind *binds,
                                      size_t bind_count, ridge_registry *registry, ridge_arena *arena, ridge_err *err)
{
    writer w = {.out = out, .arena = arena, .err = err};
    const char *root = NULL;
    *out = (ridge_opgraph_model){0};
    ridge_status st = ridge_opgraph_run_graph(&out->run, graph, binds, bind_count, registry, arena, err);
    if (st || (st = ridge_opgraph_traffic_make(&out->traffic, &out->run)) || (st = ridge_opgraph_places_make(&w.places, &out->run)))
        return st;
    find_formats(&w);
    if (!ridge_symtab_init(&w.texts, arena))
        return ridge_no_memory(err);
    if (!(st = write_places(&w, &root)) && !(st = name_type(&w, root)) && !(st = place_weights(&w)))
        st = list_open(&w);
    ridge_buf_free(&w.all);
    return st;
}
