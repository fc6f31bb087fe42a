/* What the operators of a run cost, summed by the module in whose forward they ran. */
#include "learn/template/sketch_parts.h"

enum { DEPTH_LIMIT = 400 };

/* ---- sums ---- */

static ridge_status add(ridge_value *to, ridge_value v, const ridge_calc *calc)
{
    if (to->type == RIDGE_V_UNSET || v.type == RIDGE_V_UNSET) {
        to->type = RIDGE_V_UNSET; /* unknown with anything is unknown */
        return RIDGE_OK;
    }
    return ridge_value_binary(to, RIDGE_OP_ADD, *to, v, calc);
}

static bool same_format(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static ridge_status amount(ridge_sketch_amounts *list, unsigned what, const char *format, ridge_value v, const ridge_calc *calc)
{
    if (ridge_value_is_zero(v))
        return RIDGE_OK;
    for (size_t i = 0; i < list->n; i++)
        if (list->p[i].what == what && same_format(list->p[i].format, format))
            return add(&list->p[i].value, v, calc);
    if (!ridge_arena_more(calc->arena, &list->p, list->n, &list->cap, sizeof *list->p))
        return ridge_no_memory(calc->err);
    list->p[list->n++] = (ridge_sketch_amount){what, format, v};
    return RIDGE_OK;
}

/* ---- one operator ---- */

/* elements that lie in memory: an expanded dimension has one */
static ridge_status elements(ridge_value *out, const ridge_tensor *t, const ridge_sketch_coster *c)
{
    ridge_value dim;
    ridge_status st = RIDGE_OK;
    *out = ridge_value_int(1);
    for (uint32_t i = 0; i < t->rank && !st; i++) {
        if (t->expanded && t->strides[i] == 0)
            continue;
        if ((st = ridge_translate_value(&dim, t->dims[i], c->t)))
            return st;
        if (dim.type == RIDGE_V_UNSET) {
            *out = dim;
            return RIDGE_OK;
        }
        st = ridge_value_binary(out, RIDGE_OP_MUL, *out, dim, c->calc);
    }
    return st;
}

static unsigned kind_of(const ridge_tensor *t)
{
    switch (t->storage->kind) {
    case RIDGE_STORAGE_PARAMETER:
        return RIDGE_BYTE_WEIGHTS;
    case RIDGE_STORAGE_CACHE:
        return RIDGE_BYTE_KV;
    default:
        return RIDGE_BYTE_INTERMEDIATES;
    }
}

static const char *format_of(const ridge_tensor *t, const ridge_sketch_coster *c)
{
    return t->dtype == c->act ? NULL : ridge_sketch_format(t->dtype);
}

static bool stands_before(const ridge_run_operand *list, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (list[i].tensor == list[at].tensor)
            return true;
    return false;
}

/* Is the traffic that of every operand once? Then each counts by its own kind and format. */
static ridge_status by_operand(bool *yes, ridge_sketch_amounts *list, const ridge_run_operand *operands, size_t count, ridge_value bytes,
                               const ridge_sketch_coster *c)
{
    ridge_value n, size, sum = ridge_value_int(0);
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < count && !st; i++) {
        if (!operands[i].tensor || stands_before(operands, i))
            continue;
        if (!(st = elements(&n, operands[i].tensor, c)) && n.type != RIDGE_V_UNSET)
            st = ridge_value_binary(&size, RIDGE_OP_MUL, n, ridge_value_int(ridge_dtype_bytes(operands[i].tensor->dtype)), c->calc);
        else
            size.type = RIDGE_V_UNSET;
        st = st ? st : add(&sum, size, c->calc);
    }
    *yes = !st && sum.type != RIDGE_V_UNSET && ridge_value_equal(sum, bytes);
    for (size_t i = 0; *yes && i < count && !st; i++)
        if (operands[i].tensor && !stands_before(operands, i) && !(st = elements(&n, operands[i].tensor, c)))
            st = amount(list, kind_of(operands[i].tensor), format_of(operands[i].tensor, c), n, c->calc);
    return st;
}

/* reads or writes of an operator */
static ridge_status traffic(ridge_sketch_amounts *list, const ridge_run_operand *operands, size_t count, const ridge_poly *poly,
                            const ridge_sketch_coster *c)
{
    ridge_value bytes, n;
    bool done;
    ridge_status st = ridge_translate(&bytes, poly, c->t);
    if (st || ridge_value_is_zero(bytes))
        return st;
    const ridge_tensor *first = count > 0 ? operands[0].tensor : NULL;
    if (bytes.type == RIDGE_V_UNSET || !first)
        return amount(list, RIDGE_BYTE_INTERMEDIATES, "u8", bytes, c->calc);
    if ((st = by_operand(&done, list, operands, count, bytes, c)) || done)
        return st;
    st = ridge_value_binary(&n, RIDGE_OP_DIV, bytes, ridge_value_int(ridge_dtype_bytes(first->dtype)), c->calc);
    return st ? st : amount(list, kind_of(first), format_of(first, c), n, c->calc);
}

static unsigned flop_class(const char *name)
{
    for (unsigned k = 0; name && k < RIDGE_FLOP_COUNT; k++)
        if (strcmp(name, ridge_flop_names[k]) == 0)
            return k;
    return RIDGE_FLOP_OTHER;
}

static ridge_status note_line(ridge_sketch *s, const ridge_run_operator *op, ridge_value flops, const ridge_calc *calc)
{
    for (size_t i = 0; i < s->line_count; i++)
        if (s->lines[i].line == op->line && s->lines[i].operator== op->operator->name)
            return add(&s->lines[i].flops, flops, calc);
    if (!ridge_arena_more(calc->arena, &s->lines, s->line_count, &s->line_cap, sizeof *s->lines))
        return ridge_no_memory(calc->err);
    s->lines[s->line_count++] = (ridge_sketch_line){op->file, op->operator->name, op->line, flops};
    return RIDGE_OK;
}

static ridge_status operator(ridge_sketch *s, const ridge_run_operator *op, bool attention, const ridge_sketch_coster *c)
{
    ridge_value flops;
    const unsigned class = attention ? RIDGE_FLOP_ATTENTION : flop_class(op->operator->flop_class);
    ridge_status st = ridge_translate(&flops, op->flops, c->t);
    if (st || (st = amount(&s->flops, class, NULL, flops, c->calc)) ||
        (st = traffic(&s->reads, op->inputs, op->input_count, op->reads, c)) ||
        (st = traffic(&s->writes, op->outputs, op->output_count, op->writes, c)))
        return st;
    return ridge_value_is_zero(flops) ? RIDGE_OK : note_line(s, op, flops, c->calc);
}

/* softmax over scores [B, H, S, T]: H */
static ridge_status note_heads(ridge_sketch *s, const ridge_run_operator *op, const ridge_sketch_coster *c)
{
    const ridge_tensor *t = op->input_count > 0 ? op->inputs[0].tensor : NULL;
    if (s->heads.type != RIDGE_V_UNSET || !t || t->rank != 4 || !op->operator->shape || strcmp(op->operator->shape, "softmax") != 0)
        return RIDGE_OK;
    return ridge_translate_value(&s->heads, t->dims[1], c->t);
}

/* ---- calls ---- */

static const ridge_tensor *first_tensor(ridge_py arguments, ridge_py keywords)
{
    if (arguments.type == RIDGE_PY_T_TUPLE)
        for (size_t i = 0; i < arguments.u.list->count; i++)
            if (arguments.u.list->items[i].type == RIDGE_PY_T_TENSOR)
                return arguments.u.list->items[i].u.tensor;
    if (keywords.type == RIDGE_PY_T_DICT)
        for (size_t i = 0; i < keywords.u.dict->used; i++)
            if (keywords.u.dict->entries[i].key.type != RIDGE_PY_T_UNSET && keywords.u.dict->entries[i].value.type == RIDGE_PY_T_TENSOR)
                return keywords.u.dict->entries[i].value.u.tensor;
    return NULL;
}

/* Sizes of the first tensor that a module is called with, which may become parameters: rows (all but the last dimension), n (all). */
static ridge_status sizes(ridge_sketch *s, const ridge_run_call *call, const ridge_sketch_coster *c)
{
    const ridge_tensor *t = first_tensor(call->arguments, call->keywords);
    ridge_value rows = ridge_value_int(1), dim;
    if (!t || t->rank == 0)
        return RIDGE_OK;
    for (uint32_t i = 0; i < t->rank; i++) {
        ridge_status st = ridge_translate_value(&dim, t->dims[i], c->t);
        if (!st && dim.type == RIDGE_V_UNSET)
            return RIDGE_OK;
        if (!st && i + 1 == t->rank)
            st = ridge_sketch_argue(s, "rows", rows, c->calc);
        if (st || (st = ridge_value_binary(&rows, RIDGE_OP_MUL, rows, dim, c->calc)))
            return st;
    }
    return ridge_sketch_argue(s, "n", rows, c->calc);
}

static ridge_status call_costs(const ridge_run_call *call, ridge_sketch *around, ridge_sketch_coster *c)
{
    const ridge_run_module *module = call->module;
    ridge_sketch *s = module && module->id < c->cap ? c->by_id[module->id] : NULL;
    ridge_status st = RIDGE_OK;
    if (!s)
        s = around; /* a module that is not of the model (a loss, a processor): its caller's */
    else if (s->runs++ == 0) {
        s->first = call;
        st = sizes(s, call, c);
    }
    if (++c->depth > DEPTH_LIMIT)
        return ridge_fail(c->calc->err, RIDGE_LIMIT, "modules call each other more than %d deep", DEPTH_LIMIT);
    for (size_t i = 0; i < call->count && !st; i++) {
        if (call->events[i].call) {
            st = call_costs(call->events[i].call, s, c);
            continue;
        }
        bool attention = c->attention[c->at++];
        st = s ? operator(s, call->events[i].operator, attention, c) : RIDGE_OK;
        if (!st && s)
            st = note_heads(s, call->events[i].operator, c);
    }
    c->depth--;
    return st;
}

ridge_status ridge_sketch_costs(const ridge_run_call *call, ridge_sketch_coster *c)
{
    bool *attention;
    ridge_status st = ridge_sketch_attention(&attention, call, c->calc);
    c->attention = attention;
    c->at = 0;
    return st ? st : call_costs(call, NULL, c);
}

/* ---- per call ---- */

static ridge_status per_call(ridge_sketch_amounts *list, uint64_t runs, const ridge_calc *calc)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < list->n && runs > 1 && !st; i++)
        if (list->p[i].value.type != RIDGE_V_UNSET)
            st = ridge_value_binary(&list->p[i].value, RIDGE_OP_DIV, list->p[i].value, ridge_value_int((ridge_int)runs), calc);
    return st;
}

static bool any_ran(const ridge_sketch *s)
{
    for (size_t i = 0; i < s->child_count; i++)
        if (s->children[i].module->runs > 0 || (!s->children[i].alias && any_ran(s->children[i].module)))
            return true;
    return false;
}

/* calls of the module around it, those that are passed by left out */
static uint64_t runs_around(const ridge_sketch *s)
{
    for (s = s->parent; s; s = s->parent)
        if (s->runs > 0)
            return s->runs;
    return 1;
}

ridge_status ridge_sketch_settle(ridge_sketches *sketches, const ridge_calc *calc)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < sketches->count && !st; i++) {
        ridge_sketch *s = sketches->p[i];
        uint64_t around = runs_around(s);
        s->passed_by = s->runs == 0 && any_ran(s);
        if (s->runs % around == 0)
            s->calls = ridge_value_int((ridge_int)(s->runs / around));
        else
            s->calls.type = RIDGE_V_UNSET;
        if (s->parent && s->parent->runs == 0 && !s->parent->passed_by && s->runs == 0)
            s->calls = ridge_value_none(); /* nothing is said of it by a module that does not run */
        if ((st = per_call(&s->flops, s->runs, calc)) || (st = per_call(&s->reads, s->runs, calc)) ||
            (st = per_call(&s->writes, s->runs, calc)))
            return st;
    }
    return st;
}
