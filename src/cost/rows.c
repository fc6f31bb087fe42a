#include "cost/rows.h"

#include <stdio.h>

#include "cost/fold.h"

#define ROW_LIMIT 250000u /* with what is made of them, a gigabyte; a model of 75,000 modules is large */

static ridge_status fold(ridge_folder *m, const ridge_fold_group *g, ridge_str path, uint32_t parent, uint32_t depth);

ridge_str ridge_fold_join(ridge_folder *m, ridge_str path, ridge_str name)
{
    char *p =
        path.n ? ridge_arena_printf(m->arena, "%.*s.%.*s", RIDGE_STR_ARG(path), RIDGE_STR_ARG(name)) : ridge_arena_strdup(m->arena, name);
    return p ? ridge_str_of(p) : (ridge_str){NULL, 0};
}

static bool same_member(const ridge_fold_member *a, const ridge_fold_member *b)
{
    return a->node == b->node && a->flop_class == b->flop_class && a->role == b->role && a->split == b->split && a->dropped == b->dropped &&
           a->called == b->called && a->experts == b->experts && (a->experts == 0 || ridge_value_equal(a->routed, b->routed));
}

/* equal modules are one member: 58 layers of 256 experts become two */
static ridge_status add_member(ridge_folder *m, ridge_fold_group *g, ridge_fold_member one)
{
    for (size_t i = 0; i < g->n && i < 8; i++) {
        ridge_fold_member *have = &g->p[i];
        if (!same_member(have, &one))
            continue;
        if (!ridge_int_add(&have->places, have->places, one.places))
            return ridge_overflow(m->err, "a count");
        return ridge_value_binary(&have->calls, RIDGE_OP_ADD, have->calls, one.calls, &m->coster->graph->run.calc);
    }
    if (!ridge_arena_more(m->arena, &g->p, g->n, &g->cap, sizeof *g->p))
        return ridge_no_memory(m->err);
    g->p[g->n++] = one;
    return RIDGE_OK;
}

static ridge_status sum_group(ridge_folder *m, ridge_row *row, const ridge_fold_group *g)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < g->n && !st; i++) {
        const ridge_cost *c;
        ridge_int calls = 0; /* symbolic runs do not count them */
        if ((st = ridge_cost_of(&c, m->coster, g->p[i].node)))
            break;
        st = ridge_cost_add(&row->cost, c, g->p[i].calls, g->p[i].flop_class, g->p[i].dropped, &m->coster->graph->run.calc);
        if (c->peak.type == RIDGE_V_INT && c->peak.u.i > row->cost.peak.u.i)
            row->cost.peak = c->peak;
        (void)ridge_value_as_int(&calls, g->p[i].calls);
        if (!ridge_int_add(&row->calls, row->calls, calls) || !ridge_int_add(&row->count, row->count, g->p[i].places))
            return ridge_overflow(m->err, "a count");
    }
    return st;
}

ridge_status ridge_fold_row(ridge_row **out, ridge_folder *m, ridge_str path, const ridge_node *node, const char *class_name,
                            uint32_t parent, uint32_t depth)
{
    ridge_rows *rows = m->rows;
    if (rows->n >= ROW_LIMIT)
        return ridge_fail(m->err, RIDGE_LIMIT, "a table of more than %u rows; equal modules are one row unless each is asked for",
                          ROW_LIMIT);
    rows->p = ridge_arena_grow(m->arena, rows->p, rows->n, &rows->cap, rows->n + 1, sizeof *rows->p);
    if (!rows->p || !path.p)
        return ridge_no_memory(m->err);
    *out = &rows->p[rows->n++];
    **out = (ridge_row){.path = path, .class_name = class_name, .node = node, .depth = depth, .parent = parent, .leaf = true};
    ridge_cost_zero(&(*out)->cost);
    if (parent != UINT32_MAX)
        rows->p[parent].leaf = false;
    return RIDGE_OK;
}

ridge_role ridge_fold_role(const ridge_fold_member *above, const ridge_child *c)
{
    if (c->role != RIDGE_ROLE_NONE)
        return c->role;
    return c->node->entry && c->node->entry->role != RIDGE_ROLE_NONE ? c->node->entry->role : above->role;
}

ridge_split_way ridge_fold_split(const ridge_fold_member *above, const ridge_child *c)
{
    return c->split != RIDGE_SPLIT_WAY_UNKNOWN ? c->split : above->split;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* children named by numbers, or in a list by a prefix and numbers */
static bool is_list(const ridge_node *n)
{
    const ridge_str name = n->child_count > 0 ? n->children[0].name : RIDGE_STR("");
    return !n->entry && name.n > 0 && is_digit(n->list ? name.p[name.n - 1] : name.p[0]);
}

/* what stands before the numbers of a list's names: "expert_" */
static ridge_str prefix_of(const ridge_node *list)
{
    ridge_str name = list->children[0].name;
    while (name.n > 0 && is_digit(name.p[name.n - 1]))
        name.n--;
    return name;
}

/* child i of every member of the group, those that are called, added to a group */
static ridge_status add_children(ridge_folder *m, ridge_fold_group *out, const ridge_fold_group *g, size_t i)
{
    ridge_status st = RIDGE_OK;
    for (size_t k = 0; k < g->n && !st; k++) {
        const ridge_fold_member *above = &g->p[k];
        const ridge_child *c = &above->node->children[i];
        ridge_fold_member one = *above;
        if (!c->node || (c->calls.type == RIDGE_V_INT && c->calls.u.i == 0))
            continue;
        one.node = c->node;
        one.flop_class = c->flop_class >= 0 ? c->flop_class : above->flop_class;
        one.element = above->node->list || is_list(above->node);
        one.role = ridge_fold_role(above, c);
        one.split = ridge_fold_split(above, c);
        one.dropped = above->dropped || (m->coster->kernel == RIDGE_KERNEL_FUSED && ridge_cost_is_replaced(above->node, c));
        one.called = c->node->called && !c->not_called;
        if (c->experts) {
            one.experts = c->experts;
            one.routed = c->routed;
            one.per_token = c->per_token;
            one.rowless = c->rowless;
        }
        if (c->experts && !ridge_int_mul(&one.places, one.places, c->experts))
            return ridge_overflow(m->err, "a count");
        if ((st = ridge_value_binary(&one.calls, RIDGE_OP_MUL, above->calls, c->calls, &m->coster->graph->run.calc)))
            return st;
        st = add_member(m, out, one);
    }
    return st;
}

/* ---- lists ---- */

/* Do elements a and b of the group's lists fold? Equal nodes do; a mixture's experts do whatever share they got. */
static bool folds(const ridge_fold_group *g, size_t a, size_t b)
{
    const ridge_child *x = &g->p[0].node->children[a], *y = &g->p[0].node->children[b];
    if (x->spread && y->spread && x->node && y->node && x->node->entry == y->node->entry)
        return true;
    for (size_t k = 0; k < g->n; k++) {
        x = &g->p[k].node->children[a];
        y = &g->p[k].node->children[b];
        if (x->node != y->node || !ridge_value_equal(x->calls, y->calls))
            return false;
    }
    return true;
}

/* "*", "3", "{0-2}", "{0-24:2}", "{0,3,7-9}" for the elements of class `which`, behind a prefix */
static ridge_str range_name(ridge_folder *m, ridge_str prefix, const uint32_t *class_of, size_t n, uint32_t which)
{
    ridge_buf buf = {0};
    size_t members = 0, first = n, last = 0, step = 0;
    bool regular = true;
    for (size_t i = 0; i < n; i++) {
        if (class_of[i] != which)
            continue;
        if (members == 1)
            step = i - last;
        else if (members > 1)
            regular = regular && i - last == step;
        first = members++ ? first : i;
        last = i;
    }
    if (members == n && n > 1)
        ridge_buf_addc(&buf, '*');
    else if (members == 1)
        ridge_buf_addf(&buf, "%zu", first);
    else if (regular && step == 1)
        ridge_buf_addf(&buf, "{%zu-%zu}", first, last);
    else if (regular && members > 2)
        ridge_buf_addf(&buf, "{%zu-%zu:%zu}", first, last, step);
    else
        for (size_t i = 0; i < n; i++) {
            size_t to = i;
            if (class_of[i] != which)
                continue;
            while (to + 1 < n && class_of[to + 1] == which)
                to++;
            ridge_buf_addz(&buf, buf.n ? "," : "{");
            ridge_buf_addf(&buf, to > i ? "%zu-%zu" : "%zu", i, to);
            i = to;
        }
    if (buf.n && buf.p[0] == '{' && buf.p[buf.n - 1] != '}')
        ridge_buf_addc(&buf, '}');
    char *text = ridge_arena_take(m->arena, &buf);
    if (text && prefix.n)
        text = ridge_arena_printf(m->arena, "%.*s%s", RIDGE_STR_ARG(prefix), text);
    return text ? ridge_str_of(text) : (ridge_str){NULL, 0};
}

static ridge_status fold_list(ridge_folder *m, const ridge_fold_group *g, ridge_str path, uint32_t parent, uint32_t depth)
{
    size_t n = g->p[0].node->child_count;
    uint32_t *class_of = ridge_arena_array(m->arena, n, sizeof *class_of), classes = 0;
    size_t *first = ridge_arena_array(m->arena, n, sizeof *first);
    ridge_status st = RIDGE_OK;
    if (!class_of || !first)
        return ridge_no_memory(m->err);
    for (size_t i = 0; i < n; i++) {
        uint32_t c = m->all ? classes : 0; /* unfolded, each is a class of its own */
        while (c < classes && !folds(g, first[c], i))
            c++;
        if (c == classes)
            first[classes++] = i;
        class_of[i] = c;
    }
    for (uint32_t c = 0; c < classes && !st; c++) {
        ridge_fold_group sub = {NULL, 0, 0};
        const size_t end = m->all ? first[c] + 1 : n;
        for (size_t i = first[c]; i < end && !st; i++)
            if (class_of[i] == c)
                st = add_children(m, &sub, g, i);
        if (st || sub.n == 0)
            continue;
        ridge_str name = m->all ? g->p[0].node->children[first[c]].name : range_name(m, prefix_of(g->p[0].node), class_of, n, c);
        st = fold(m, &sub, ridge_fold_join(m, path, name), parent, depth);
    }
    return st;
}

static ridge_status fold_children(ridge_folder *m, const ridge_fold_group *g, ridge_str path, uint32_t parent, uint32_t depth)
{
    const ridge_node *like = g->p[0].node;
    ridge_status st = RIDGE_OK;
    if (is_list(like) && like->list)
        return fold_list(m, g, path, parent, depth);
    if (is_list(like) && like->child_count > 1 && like->children[0].node && like->children[1].node &&
        like->children[0].component == like->children[1].component && like->children[0].node->entry == like->children[1].node->entry)
        return fold_list(m, g, path, parent, depth);
    for (size_t i = 0; i < like->child_count && !st; i++) {
        ridge_fold_group sub = {NULL, 0, 0};
        const ridge_child *c = &like->children[i];
        if (!c->node || c->node->kind != RIDGE_KIND_MODULE || (m->kernels && ridge_fold_is_replaced(m, like, c)))
            continue;
        if (!(st = add_children(m, &sub, g, i)) && sub.n)
            st = fold(m, &sub, ridge_fold_join(m, path, c->name), parent, depth);
    }
    return st;
}

static ridge_status fold(ridge_folder *m, const ridge_fold_group *g, ridge_str path, uint32_t parent, uint32_t depth)
{
    ridge_status st = RIDGE_OK;
    if (g->p[0].called) {
        ridge_row *row;
        if ((st = ridge_fold_row(&row, m, path, g->p[0].node, g->p[0].node->class_name, parent, depth)) || (st = sum_group(m, row, g)))
            return st;
        row->module = true;
        row->element = g->p[0].element;
        row->role = g->p[0].role;
        row->split = g->p[0].split;
        parent = (uint32_t)(m->rows->n - 1);
        depth++;
    }
    if ((st = fold_children(m, g, path, parent, depth)))
        return st;
    return m->kernels ? ridge_fold_kernels(m, g, path, parent, depth) : RIDGE_OK;
}

ridge_status ridge_rows_fold(ridge_rows *out, ridge_kernels *kernels, ridge_coster *coster, const ridge_node *root, bool all)
{
    ridge_folder m = {out, kernels, coster, coster->graph->arena, coster->graph->err, all};
    ridge_fold_member one = {.node = root, .places = 1, .calls = ridge_value_int(1), .flop_class = -1, .called = true};
    one.role = root->entry ? root->entry->role : RIDGE_ROLE_NONE;
    *out = (ridge_rows){NULL, 0, 0};
    return fold(&m, &(ridge_fold_group){&one, 1, 1}, (ridge_str){"", 0}, UINT32_MAX, 0);
}

ridge_status ridge_rows_make(ridge_rows *out, ridge_coster *coster, const ridge_node *root, bool all)
{
    return ridge_rows_fold(out, NULL, coster, root, all);
}

const char *ridge_row_label(const ridge_rows *rows, const ridge_row *row, ridge_arena *arena)
{
    if (row->parent == UINT32_MAX)
        return "(model)";
    const ridge_row *parent = &rows->p[row->parent];
    size_t skip = parent->path.n ? parent->path.n + 1 : 0;
    return ridge_arena_printf(arena, "%*s%.*s", (int)(2 * (row->depth - 1)), "", (int)(row->path.n - skip), row->path.p + skip);
}

uint32_t ridge_rows_layer(const ridge_rows *rows, uint32_t row)
{
    uint32_t layer = UINT32_MAX;
    for (; row != UINT32_MAX; row = rows->p[row].parent)
        if (rows->p[row].element && rows->p[row].count > 1)
            layer = row;
    return layer;
}
