#include "opgraph/places.h"

typedef struct named {
    uint32_t place; /* 1 + the place of this name; of a weight 1; 0: there is none */
    uint32_t tries; /* numbers that were put behind it */
} named;

typedef struct builder {
    ridge_opgraph_places *out;
    const ridge_opgraph_run *run;
    ridge_symtab names; /* "PARENT NAME", "PARENT=NAME" */
    named *named;       /* [symbol] */
    size_t cap;
    uint32_t *user; /* [value]: the place of the first node that reads it */
} builder;

static ridge_status no_memory(const builder *b)
{
    return ridge_no_memory(b->run->err);
}

/* ---- places by their names ---- */

static ridge_status add_place(builder *b, uint32_t *out, uint32_t parent, ridge_str name)
{
    ridge_opgraph_places *all = b->out;
    if (!ridge_arena_more(b->run->arena, &all->p, all->n, &all->cap, sizeof *all->p))
        return no_memory(b);
    *out = (uint32_t)all->n;
    all->p[all->n++] = (ridge_opgraph_place){.name = name,
                                             .parent = parent,
                                             .first = RIDGE_OPGRAPH_NONE,
                                             .last = RIDGE_OPGRAPH_NONE,
                                             .next = RIDGE_OPGRAPH_NONE,
                                             .depth = parent == RIDGE_OPGRAPH_NONE ? 0 : all->p[parent].depth + 1,
                                             .step = RIDGE_OPGRAPH_NONE,
                                             .first_weight = RIDGE_OPGRAPH_NONE};
    if (parent == RIDGE_OPGRAPH_NONE)
        return RIDGE_OK;
    if (all->p[parent].last == RIDGE_OPGRAPH_NONE)
        all->p[parent].first = *out;
    else
        all->p[all->p[parent].last].next = *out;
    all->p[parent].last = *out;
    return RIDGE_OK;
}

/* What is known of "PARENT NAME", a module's or a node's, or of "PARENT=NAME", a weight's. */
static ridge_status look_up(builder *b, named **out, uint32_t parent, char between, ridge_str name)
{
    const char *key = ridge_arena_printf(b->run->arena, "%u%c%.*s", parent, between, RIDGE_STR_ARG(name));
    const ridge_symbol *s = key ? ridge_intern(&b->names, ridge_str_of(key)) : NULL;
    if (!s)
        return no_memory(b);
    while (s->id >= b->cap) {
        const size_t n = b->cap;
        if (!ridge_arena_more(b->run->arena, &b->named, n, &b->cap, sizeof *b->named))
            return no_memory(b);
        memset(b->named + n, 0, (b->cap - n) * sizeof *b->named);
    }
    *out = &b->named[s->id];
    return RIDGE_OK;
}

/* the place of this name below a parent, made if new; *is_new says so */
static ridge_status below(builder *b, uint32_t *out, bool *is_new, uint32_t parent, ridge_str name)
{
    named *known;
    ridge_status st = look_up(b, &known, parent, ' ', name);
    if (st)
        return st;
    *is_new = known->place == 0;
    *out = known->place - 1;
    if (!*is_new)
        return RIDGE_OK;
    st = add_place(b, out, parent, name);
    known->place = *out + 1;
    return st;
}

/* A name that nothing has there: "addmm", then "addmm_1", "addmm_2". */
static ridge_status free_name(builder *b, ridge_str *out, uint32_t parent, char between, ridge_str wanted)
{
    named *first, *next;
    ridge_status st = look_up(b, &first, parent, between, wanted);
    *out = wanted;
    if (st || !first->place)
        return st;
    for (uint32_t i = first->tries + 1;; i++) {
        const char *text = ridge_arena_printf(b->run->arena, "%.*s_%u", RIDGE_STR_ARG(wanted), i);
        if (!text)
            return no_memory(b);
        *out = ridge_str_of(text);
        if ((st = look_up(b, &next, parent, between, *out)) || (st = look_up(b, &first, parent, between, wanted)))
            return st; /* looking up may have moved the first */
        first->tries = i;
        if (!next->place)
            return RIDGE_OK;
    }
}

/* a part of a path as it may stand in one: letters, digits, '_', '-' and what is no ASCII */
static ridge_str plain(builder *b, ridge_str part)
{
    char *text = ridge_arena_strdup(b->run->arena, part);
    for (size_t i = 0; text && i < part.n; i++) {
        const char c = text[i];
        const bool letter = (ridge_lower(c) >= 'a' && ridge_lower(c) <= 'z') || (unsigned char)c >= 0x80;
        if (!letter && !ridge_is_digit(c) && c != '_' && c != '-')
            text[i] = '_';
    }
    return (ridge_str){text ? text : "", text ? part.n : 0};
}

static uint32_t separator(ridge_str path, size_t at)
{
    size_t i = at;
    while (i < path.n && path.p[i] != '.' && path.p[i] != '/')
        i++;
    return (uint32_t)(i - at);
}

/* "layer1" then "layer1.0": torch.onnx writes a list's name with each of its elements */
static size_t repeated(ridge_str path, size_t at, ridge_str last)
{
    if (at == 0 || path.p[at - 1] != '/' || !last.n || path.n - at <= last.n || memcmp(path.p + at, last.p, last.n) != 0 ||
        path.p[at + last.n] != '.')
        return at;
    return at + last.n + 1;
}

/* the module at a path of parts between dots and slashes, below `from` */
static ridge_status walk(builder *b, uint32_t *out, uint32_t from, ridge_str path)
{
    ridge_str segment = {"", 0};
    ridge_status st = RIDGE_OK;
    *out = from;
    for (size_t at = 0; at < path.n && !st; at++) {
        if (at == 0 || path.p[at - 1] == '/') {
            const size_t skip = repeated(path, at, segment);
            size_t end = at;
            while (end < path.n && path.p[end] != '/')
                end++;
            segment = (ridge_str){path.p + at, end - at};
            at = skip;
        }
        const uint32_t n = separator(path, at);
        bool is_new;
        if (n && b->out->p[*out].depth < RIDGE_OPGRAPH_PLACE_DEPTH)
            st = below(b, out, &is_new, *out, plain(b, (ridge_str){path.p + at, n}));
        at += n;
    }
    return st;
}

/* ---- nodes ---- */

/* the last part of an operator's name: "Conv", "addmm" of "aten.addmm.default" */
static ridge_str short_op(const builder *b, const ridge_opgraph_node *node)
{
    ridge_str op = node->op;
    size_t from = 0, to = op.n;
    if (!ridge_opgraph_is_onnx(b->run)) { /* namespace.name.overload */
        const char *first = memchr(op.p, '.', op.n);
        from = first ? (size_t)(first - op.p) + 1 : 0;
        const char *second = from < op.n ? memchr(op.p + from, '.', op.n - from) : NULL;
        to = second ? (size_t)(second - op.p) : op.n;
    } else
        for (size_t i = 0; i < op.n; i++)
            from = op.p[i] == '.' ? i + 1 : from;
    return (ridge_str){op.p + from, to - from};
}

/* Splits a node's name at its last slash: the module it works for, and its own name. */
static void split_name(const builder *b, const ridge_opgraph_node *node, ridge_str *module, ridge_str *own)
{
    ridge_str name = node->name;
    size_t cut = name.n;
    while (cut && name.p[cut - 1] != '/')
        cut--;
    *module = node->module.n || !ridge_opgraph_is_onnx(b->run) ? node->module : (ridge_str){name.p, cut ? cut - 1 : 0};
    *own = !ridge_opgraph_is_onnx(b->run) ? short_op(b, node) : (ridge_str){name.p + cut, name.n - cut};
    if (!own->n)
        *own = short_op(b, node);
}

static ridge_status own_place(builder *b, uint32_t *out, uint32_t parent, ridge_str name)
{
    bool is_new;
    ridge_str own;
    ridge_status st = free_name(b, &own, parent, ' ', plain(b, name));
    return st ? st : below(b, out, &is_new, parent, own);
}

static ridge_status place_step(builder *b, uint32_t step)
{
    const ridge_opgraph_step *s = &b->run->steps[step];
    ridge_str module, own;
    uint32_t parent, at;
    if (s->unknown || s->is_view || !s->spec)
        return RIDGE_OK;
    split_name(b, s->node, &module, &own);
    ridge_status st = walk(b, &parent, 0, module);
    if (!st && s->node->class_name.n && parent && !b->out->p[parent].class_name.n)
        b->out->p[parent].class_name = s->node->class_name;
    if (st || (st = own_place(b, &at, parent, own)))
        return st;
    b->out->p[at].step = step;
    for (uint32_t i = 0; i < s->node->input_count; i++) {
        const uint32_t value = s->node->inputs[i];
        if (value != RIDGE_OPGRAPH_NONE && b->user[b->run->tensors[value].base] == RIDGE_OPGRAPH_NONE)
            b->user[b->run->tensors[value].base] = at;
    }
    return RIDGE_OK;
}

/* ---- weights ---- */

static ridge_status hold(builder *b, uint32_t place, ridge_str wanted, uint32_t value)
{
    ridge_opgraph_places *all = b->out;
    named *known;
    ridge_str name;
    ridge_status st = free_name(b, &name, place, '=', wanted);
    if (st || (st = look_up(b, &known, place, '=', name)))
        return st;
    known->place = 1;
    if (!ridge_arena_more(b->run->arena, &all->held, all->held_count, &all->held_cap, sizeof *all->held))
        return no_memory(b);
    const uint32_t at = (uint32_t)all->held_count++;
    all->held[at] = (ridge_opgraph_held){value, name, RIDGE_OPGRAPH_NONE};
    ridge_opgraph_place *p = &all->p[place];
    if (p->first_weight == RIDGE_OPGRAPH_NONE)
        p->first_weight = at;
    else
        all->held[p->last_weight].next = at;
    p->last_weight = at;
    return RIDGE_OK;
}

/* "layers.0.fc1.weight" stands in its module; a name without one ("W", "123") with the first node that reads it */
static ridge_status place_weight(builder *b, uint32_t value)
{
    const ridge_str name = b->run->graph->values[value].name;
    size_t cut = name.n;
    uint32_t place = b->user[value] == RIDGE_OPGRAPH_NONE ? 0 : b->user[value];
    ridge_status st = RIDGE_OK;
    while (cut && name.p[cut - 1] != '.')
        cut--;
    if (cut > 1 && memchr(name.p, ':', name.n) == NULL)
        st = walk(b, &place, 0, (ridge_str){name.p, cut - 1});
    else
        cut = 0;
    return st ? st : hold(b, place, plain(b, (ridge_str){name.p + cut, name.n - cut}), value);
}

static ridge_status place_modules(builder *b)
{
    const ridge_opgraph *g = b->run->graph;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < g->module_count && !st; i++) {
        uint32_t at;
        if (!(st = walk(b, &at, 0, g->modules[i].path)))
            b->out->p[at].class_name = g->modules[i].class_name;
    }
    return st;
}

ridge_status ridge_opgraph_places_make(ridge_opgraph_places *out, const ridge_opgraph_run *run)
{
    builder b = {.out = out, .run = run, .user = ridge_arena_array(run->arena, run->graph->value_count + 1, sizeof(uint32_t))};
    uint32_t root;
    *out = (ridge_opgraph_places){0};
    if (!b.user || !ridge_symtab_init(&b.names, run->arena))
        return ridge_no_memory(run->err);
    for (size_t i = 0; i < run->graph->value_count; i++)
        b.user[i] = RIDGE_OPGRAPH_NONE;
    if (run->step_count > RIDGE_OPGRAPH_PLACES)
        return ridge_fail(run->err, RIDGE_LIMIT, "%s: %zu nodes, of which at most %d are counted", run->graph->path, run->step_count,
                          RIDGE_OPGRAPH_PLACES);
    ridge_status st = add_place(&b, &root, RIDGE_OPGRAPH_NONE, RIDGE_STR(""));
    st = st ? st : place_modules(&b);
    for (uint32_t i = 0; i < run->step_count && !st; i++)
        st = place_step(&b, i);
    for (uint32_t i = 0; i < run->graph->value_count && !st; i++)
        if (run->graph->values[i].weight)
            st = place_weight(&b, i);
    return st;
}

const char *ridge_opgraph_held_path(const ridge_opgraph_places *places, uint32_t place, const ridge_opgraph_held *held, ridge_arena *arena)
{
    const char *path = ridge_arena_strdup(arena, held->name);
    for (uint32_t at = place; path && at != RIDGE_OPGRAPH_NONE && places->p[at].name.n; at = places->p[at].parent)
        path = ridge_arena_printf(arena, "%.*s.%s", RIDGE_STR_ARG(places->p[at].name), path);
    return path;
}
