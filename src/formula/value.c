#include "formula/value.h"

#include "formula/poly.h"

enum { FEW_FIELDS = 16 };

/* where the name is in the index, or would be */
static uint32_t *place_of(const ridge_object *o, const ridge_symbol *name)
{
    size_t at = (size_t)name->hash & (o->index_cap - 1);
    while (o->index[at] && o->fields[o->index[at] - 1].name != name)
        at = (at + 1) & (o->index_cap - 1);
    return &o->index[at];
}

/* at most half full */
static bool grow_index(ridge_object *o, ridge_arena *arena)
{
    size_t cap = o->index_cap ? o->index_cap * 2 : 4 * FEW_FIELDS;
    uint32_t *index = ridge_arena_array(arena, cap, sizeof *index);
    if (!index)
        return false;
    o->index = index;
    o->index_cap = cap;
    for (size_t i = 0; i < o->count; i++)
        *place_of(o, o->fields[i].name) = (uint32_t)i + 1;
    return true;
}

ridge_field *ridge_object_add(ridge_object *o, const ridge_symbol *name, ridge_arena *arena)
{
    if (!ridge_arena_more(arena, &o->fields, o->count, &o->cap, sizeof *o->fields) ||
        (o->count >= FEW_FIELDS && (o->count + 1) * 2 > o->index_cap && !grow_index(o, arena)))
        return NULL;
    o->fields[o->count] = (ridge_field){.name = name};
    if (o->index)
        *place_of(o, name) = (uint32_t)o->count + 1;
    return &o->fields[o->count++];
}

const ridge_field *ridge_object_find(const ridge_object *object, const ridge_symbol *name)
{
    if (object->index) {
        uint32_t at = *place_of(object, name);
        return at ? &object->fields[at - 1] : NULL;
    }
    for (size_t i = 0; i < object->count; i++)
        if (object->fields[i].name == name)
            return &object->fields[i];
    return NULL;
}

const char *ridge_value_type_name(ridge_value_type type)
{
    static const char *const names[] = {"nothing", "None",     "a boolean", "an integer", "a fraction",       "a string",
                                        "a list",  "a config", "a module",  "a number",   "one of two values"};
    return names[type];
}

ridge_status ridge_calc_room(const ridge_calc *calc)
{
    const size_t most = calc->algebra && calc->algebra->memory > 0 ? calc->algebra->memory : RIDGE_MEMORY_LIMIT;
    if (calc->arena->total > most)
        return ridge_fail(calc->err, RIDGE_LIMIT, "the evaluation takes too much memory (limit %zu bytes)", most);
    return RIDGE_OK;
}

ridge_status ridge_value_rational(ridge_value *out, ridge_rational r, const ridge_calc *calc)
{
    if (r.den == 1) {
        *out = ridge_value_int(r.num);
        return RIDGE_OK;
    }
    ridge_rational *p = ridge_arena_alloc(calc->arena, sizeof *p);
    if (!p)
        return ridge_no_memory(calc->err);
    *p = r;
    out->type = RIDGE_V_RATIONAL;
    out->u.r = p;
    return RIDGE_OK;
}

ridge_status ridge_value_list(ridge_value *out, size_t count, const ridge_calc *calc)
{
    ridge_list *list = ridge_arena_alloc(calc->arena, sizeof *list);
    if (!list || (count && !(list->items = ridge_arena_array(calc->arena, count, sizeof *list->items))))
        return ridge_no_memory(calc->err);
    list->count = list->weight = count;
    out->type = RIDGE_V_LIST;
    out->u.list = list;
    return RIDGE_OK;
}

ridge_status ridge_value_weigh(ridge_value v, const ridge_calc *calc)
{
    ridge_list *list = (ridge_list *)v.u.list;
    list->weight = list->count;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].type == RIDGE_V_LIST && (list->weight += list->items[i].u.list->weight) > RIDGE_LIST_LIMIT)
            break;
    return list->weight <= RIDGE_LIST_LIMIT ? RIDGE_OK
                                            : ridge_fail(calc->err, RIDGE_LIMIT, "a list of more than %d items in all", RIDGE_LIST_LIMIT);
}

bool ridge_value_as_rational(ridge_rational *out, ridge_value v)
{
    switch (v.type) {
    case RIDGE_V_BOOL:
        *out = ridge_rational_of(v.u.b);
        return true;
    case RIDGE_V_INT:
        *out = ridge_rational_of(v.u.i);
        return true;
    case RIDGE_V_RATIONAL:
        *out = *v.u.r;
        return true;
    default:
        return false;
    }
}

bool ridge_value_as_int(ridge_int *out, ridge_value v)
{
    if (v.type == RIDGE_V_INT)
        *out = v.u.i;
    else if (v.type == RIDGE_V_BOOL)
        *out = v.u.b;
    else
        return false;
    return true;
}

bool ridge_value_is_number(ridge_value v)
{
    return v.type == RIDGE_V_INT || v.type == RIDGE_V_RATIONAL || v.type == RIDGE_V_BOOL || v.type == RIDGE_V_SYM;
}

static const char *op_text(ridge_op op)
{
    static const char *const names[] = {"+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=", "in", "not in"};
    return names[op];
}

static ridge_status overflow(const ridge_calc *calc, ridge_op op)
{
    return ridge_fail(calc->err, RIDGE_OVERFLOW, "overflow: the result of '%s' does not fit in 128 bits", op_text(op));
}

static ridge_status type_error(const ridge_calc *calc, ridge_op op, ridge_value a, ridge_value b)
{
    return ridge_fail(calc->err, RIDGE_TYPE, "'%s' does not work on %s and %s", op_text(op), ridge_value_type_name(a.type),
                      ridge_value_type_name(b.type));
}

/* // and % of rationals, floored as Python does */
static ridge_status floor_divide(ridge_value *out, ridge_op op, ridge_rational a, ridge_rational b, const ridge_calc *calc)
{
    ridge_rational q;
    ridge_int floor, rest;
    if (a.den == 1 && b.den == 1) {
        if (!ridge_int_floordiv(&floor, &rest, a.num, b.num))
            return overflow(calc, op);
        *out = ridge_value_int(op == RIDGE_OP_FLOORDIV ? floor : rest);
        return RIDGE_OK;
    }
    if (!ridge_rational_div(&q, a, b) || !ridge_rational_floor(&floor, q))
        return overflow(calc, op);
    if (op == RIDGE_OP_FLOORDIV) {
        *out = ridge_value_int(floor);
        return RIDGE_OK;
    }
    if (!ridge_rational_mul(&q, b, ridge_rational_of(floor)) || !ridge_rational_sub(&q, a, q))
        return overflow(calc, op);
    return ridge_value_rational(out, q, calc);
}

static ridge_status power(ridge_value *out, ridge_rational a, ridge_rational b, const ridge_calc *calc)
{
    ridge_rational r;
    if (b.den != 1)
        return ridge_fail(calc->err, RIDGE_VALUE, "an exponent must be an integer: roots are not exact");
    if (a.num == 0 && b.num < 0)
        return ridge_fail(calc->err, RIDGE_VALUE, "0 to a negative power");
    if (!ridge_rational_pow(&r, a, b.num))
        return overflow(calc, RIDGE_OP_POW);
    return ridge_value_rational(out, r, calc);
}

static ridge_status arithmetic(ridge_value *out, ridge_op op, ridge_rational a, ridge_rational b, const ridge_calc *calc)
{
    ridge_rational r;
    bool ok = false;
    if (b.num == 0 && (op == RIDGE_OP_DIV || op == RIDGE_OP_FLOORDIV || op == RIDGE_OP_MOD))
        return ridge_fail(calc->err, RIDGE_VALUE, "division by zero");
    if (op == RIDGE_OP_ADD)
        ok = ridge_rational_add(&r, a, b);
    else if (op == RIDGE_OP_SUB)
        ok = ridge_rational_sub(&r, a, b);
    else if (op == RIDGE_OP_MUL)
        ok = ridge_rational_mul(&r, a, b);
    else if (op == RIDGE_OP_DIV)
        ok = ridge_rational_div(&r, a, b);
    else if (op == RIDGE_OP_POW)
        return power(out, a, b, calc);
    else
        return floor_divide(out, op, a, b, calc);
    return ok ? ridge_value_rational(out, r, calc) : overflow(calc, op);
}

static bool ordered(ridge_op op, int order)
{
    switch (op) {
    case RIDGE_OP_LT:
        return order < 0;
    case RIDGE_OP_LE:
        return order <= 0;
    case RIDGE_OP_GT:
        return order > 0;
    case RIDGE_OP_GE:
        return order >= 0;
    case RIDGE_OP_EQ:
        return order == 0;
    default:
        return order != 0;
    }
}

static int compare_text(ridge_str a, ridge_str b)
{
    int c = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return c ? c : (a.n > b.n) - (a.n < b.n);
}

static bool find_text(ridge_str needle, ridge_str hay)
{
    for (size_t i = 0; i + needle.n <= hay.n; i++)
        if (memcmp(hay.p + i, needle.p, needle.n) == 0)
            return true;
    return false;
}

static bool has_field(const ridge_object *object, ridge_str name)
{
    for (size_t i = 0; i < object->count; i++)
        if (ridge_str_eq(ridge_str_of(object->fields[i].name->text), name))
            return true;
    return false;
}

static ridge_status contains(ridge_value *out, ridge_op op, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_value found = ridge_value_bool(false);
    bool unknown = false;
    if (b.type == RIDGE_V_LIST) {
        for (size_t i = 0; i < b.u.list->count && (unknown || !found.u.b); i++) { /* found or same */
            ridge_value same;
            ridge_status st = ridge_value_binary(&same, RIDGE_OP_EQ, a, b.u.list->items[i], calc);
            if (st)
                return st;
            if (same.type == RIDGE_V_BOOL && !unknown)
                found = same;
            else if ((st = ridge_sym_select(&found, same, ridge_value_int(1), found, calc)))
                return st;
            unknown = found.type == RIDGE_V_SYM;
        }
    } else if (a.type == RIDGE_V_STRING && b.type == RIDGE_V_STRING) {
        found = ridge_value_bool(find_text(a.u.s, b.u.s));
    } else if (a.type == RIDGE_V_STRING && b.type == RIDGE_V_OBJECT) {
        found = ridge_value_bool(has_field(b.u.object, a.u.s));
    } else {
        return type_error(calc, op, a, b);
    }
    return ridge_value_binary(out, op == RIDGE_OP_IN ? RIDGE_OP_NE : RIDGE_OP_EQ, found, ridge_value_bool(false), calc);
}

/* [a] + [b], [a] * n */
static ridge_status list_arithmetic(ridge_value *out, ridge_op op, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_value v;
    ridge_int times;
    ridge_status st;
    if (op == RIDGE_OP_ADD && b.type == RIDGE_V_LIST) {
        size_t n = a.u.list->count, m = b.u.list->count;
        if ((st = ridge_value_list(&v, n + m, calc)))
            return st;
        for (size_t i = 0; i < n + m; i++)
            v.u.list->items[i] = i < n ? a.u.list->items[i] : b.u.list->items[i - n];
    } else if (op == RIDGE_OP_MUL && ridge_value_as_int(&times, b)) {
        size_t n = a.u.list->count;
        if (times > 1000000 || (n && times > 1000000 / (ridge_int)n))
            return ridge_fail(calc->err, RIDGE_LIMIT, "a list of more than 1,000,000 items");
        size_t total = times > 0 ? n * (size_t)times : 0;
        if ((st = ridge_value_list(&v, total, calc)))
            return st;
        for (size_t i = 0; i < total; i++)
            v.u.list->items[i] = a.u.list->items[i % n];
    } else {
        return type_error(calc, op, a, b);
    }
    *out = v;
    return ridge_value_weigh(v, calc);
}

/* does it depend on the workload in a way that an exact comparison cannot see */
static bool is_open(ridge_value v)
{
    bool open = v.type == RIDGE_V_SYM || v.type == RIDGE_V_GUARDED;
    for (size_t i = 0; v.type == RIDGE_V_LIST && i < v.u.list->count && !open; i++)
        open = is_open(v.u.list->items[i]);
    return open;
}

/* op on each of the two values, joined again */
static ridge_status on_both(ridge_value *out, ridge_op op, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    const ridge_guarded *g = a.type == RIDGE_V_GUARDED ? a.u.guarded : b.u.guarded;
    ridge_value then, otherwise;
    ridge_status st;
    if (a.type == RIDGE_V_GUARDED)
        (void)((st = ridge_value_binary(&then, op, g->then, b, calc)) || (st = ridge_value_binary(&otherwise, op, g->otherwise, b, calc)));
    else
        (void)((st = ridge_value_binary(&then, op, a, g->then, calc)) || (st = ridge_value_binary(&otherwise, op, a, g->otherwise, calc)));
    if (st)
        return st;
    if (!ridge_value_is_number(then) || !ridge_value_is_number(otherwise))
        return type_error(calc, op, a, b);
    return ridge_sym_select(out, g->condition, then, otherwise, calc);
}

ridge_status ridge_value_binary_slow(ridge_value *out, ridge_op op, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_rational x, y;
    if (a.type == RIDGE_V_GUARDED || b.type == RIDGE_V_GUARDED)
        return on_both(out, op, a, b, calc);
    if (op == RIDGE_OP_IN || op == RIDGE_OP_NOT_IN)
        return contains(out, op, a, b, calc);
    if (ridge_value_as_rational(&x, a) && ridge_value_as_rational(&y, b)) {
        if (op < RIDGE_OP_EQ)
            return arithmetic(out, op, x, y, calc);
        *out = ridge_value_bool(ordered(op, ridge_rational_compare(x, y)));
        return RIDGE_OK;
    }
    if (ridge_value_is_number(a) && ridge_value_is_number(b))
        return ridge_sym_binary(out, op, a, b, calc);
    if (op == RIDGE_OP_EQ || op == RIDGE_OP_NE) {
        if (a.type == RIDGE_V_LIST && b.type == RIDGE_V_LIST && (is_open(a) || is_open(b)))
            return ridge_fail(calc->err, RIDGE_TYPE, "whether two lists are equal may not depend on the workload");
        *out = ridge_value_bool(ridge_value_equal(a, b) == (op == RIDGE_OP_EQ));
        return RIDGE_OK;
    }
    if (a.type == RIDGE_V_STRING && b.type == RIDGE_V_STRING && op > RIDGE_OP_NE) {
        *out = ridge_value_bool(ordered(op, compare_text(a.u.s, b.u.s)));
        return RIDGE_OK;
    }
    if (a.type == RIDGE_V_LIST)
        return list_arithmetic(out, op, a, b, calc);
    return type_error(calc, op, a, b);
}

ridge_status ridge_value_truth(ridge_value *out, bool *unknown, ridge_value v, const ridge_calc *calc)
{
    ridge_rational r;
    *unknown = false;
    if (v.type == RIDGE_V_SYM) {
        ridge_status st = ridge_sym_binary(out, RIDGE_OP_NE, v, ridge_value_int(0), calc);
        *unknown = !st && out->type == RIDGE_V_SYM;
        return st;
    }
    bool truth = true;
    if (ridge_value_as_rational(&r, v))
        truth = r.num != 0;
    else if (v.type == RIDGE_V_NONE)
        truth = false;
    else if (v.type == RIDGE_V_STRING)
        truth = v.u.s.n != 0;
    else if (v.type == RIDGE_V_LIST)
        truth = v.u.list->count != 0;
    else if (v.type == RIDGE_V_OBJECT)
        truth = v.u.object->count != 0;
    else if (v.type == RIDGE_V_GUARDED)
        return ridge_fail(calc->err, RIDGE_TYPE, "this condition depends on the workload in a way that has no closed form");
    *out = ridge_value_bool(truth);
    return RIDGE_OK;
}

static bool equal_lists(const ridge_list *a, const ridge_list *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!ridge_value_equal(a->items[i], b->items[i]))
            return false;
    return true;
}

bool ridge_value_equal(ridge_value a, ridge_value b)
{
    ridge_rational x, y;
    if (ridge_value_as_rational(&x, a))
        return ridge_value_as_rational(&y, b) && ridge_rational_compare(x, y) == 0;
    if (a.type != b.type)
        return false;
    switch (a.type) {
    case RIDGE_V_STRING:
        return ridge_str_eq(a.u.s, b.u.s);
    case RIDGE_V_LIST:
        return equal_lists(a.u.list, b.u.list);
    case RIDGE_V_OBJECT:
        return a.u.object == b.u.object;
    case RIDGE_V_NODE:
        return a.u.node == b.u.node;
    case RIDGE_V_SYM:
        return a.u.sym == b.u.sym;
    case RIDGE_V_GUARDED:
        return a.u.guarded == b.u.guarded;
    default:
        return true;
    }
}

uint64_t ridge_value_hash(ridge_value v, ridge_hash_key key)
{
    ridge_rational r;
    uint64_t h = ridge_hash_word(key.start, v.type, key);
    if (ridge_value_as_rational(&r, v)) {
        h = ridge_hash_word(ridge_hash_word(key.start, (uint64_t)r.num, key), (uint64_t)(r.num >> 64), key);
        return ridge_hash_word(h, (uint64_t)r.den, key);
    }
    if (v.type == RIDGE_V_STRING)
        return h ^ ridge_hash_text(v.u.s, key);
    if (v.type == RIDGE_V_LIST)
        for (size_t i = 0; i < v.u.list->count; i++)
            h = ridge_hash_word(h, ridge_value_hash(v.u.list->items[i], key), key);
    else if (v.type > RIDGE_V_LIST)
        h = ridge_hash_word(h, (uintptr_t)v.u.node, key);
    return h;
}

static void print_list(ridge_buf *buf, const ridge_list *list)
{
    ridge_buf_addc(buf, '[');
    for (size_t i = 0; i < list->count; i++) {
        if (i)
            ridge_buf_addz(buf, ", ");
        if (i == 16) {
            ridge_buf_addf(buf, "... %zu items", list->count);
            break;
        }
        ridge_value_print(buf, list->items[i]);
    }
    ridge_buf_addc(buf, ']');
}

void ridge_value_print(ridge_buf *buf, ridge_value v)
{
    char text[RIDGE_RATIONAL_CHARS];
    switch (v.type) {
    case RIDGE_V_BOOL:
        ridge_buf_addz(buf, v.u.b ? "True" : "False");
        break;
    case RIDGE_V_INT:
        ridge_buf_add_int(buf, v.u.i);
        break;
    case RIDGE_V_RATIONAL:
        ridge_buf_add(buf, (ridge_str){text, ridge_rational_print(text, *v.u.r)});
        break;
    case RIDGE_V_STRING:
        ridge_buf_addf(buf, "'%.*s'", RIDGE_STR_ARG(v.u.s));
        break;
    case RIDGE_V_LIST:
        print_list(buf, v.u.list);
        break;
    case RIDGE_V_SYM:
        ridge_poly_print(buf, v.u.sym);
        break;
    case RIDGE_V_NONE:
        ridge_buf_addz(buf, "None");
        break;
    default:
        ridge_buf_addf(buf, "<%s>", ridge_value_type_name(v.type));
        break;
    }
}
