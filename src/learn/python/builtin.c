/* Operators between built-in values: dispatch, texts, lists, dicts, sets, `is`, `in` and equality with what it asks. */
#include "learn/python/container.h"
#include "learn/python/format.h"
#include "learn/python/machine.h"

static ridge_status truth_of(ridge_py *out, bool value)
{
    *out = ridge_py_bool(value);
    return RIDGE_OK;
}

/* ---- conditions about origins ---- */

static ridge_status compared(ridge_py *out, bool value, ridge_py a, const char *op, ridge_py b, ridge_py_interp *in)
{
    const char *left = ridge_py_formula(a, in), *right = ridge_py_formula(b, in);
    ridge_status st;
    *out = ridge_py_bool(value);
    if (!left || !right) {
        if ((st = ridge_py_ask_value(a, in)))
            return st;
        return ridge_py_ask_value(b, in);
    }
    const char *text = ridge_arena_printf(in->arena, "%s %s %s", left, op, right);
    return text ? ridge_py_asked_bool(out, value, text, in) : ridge_no_memory(in->err);
}

static ridge_status flip(ridge_py *out, ridge_py_interp *in)
{
    ridge_py v = *out;
    if (v.type != RIDGE_PY_T_BOOL)
        return RIDGE_OK;
    if (!v.by.sym) {
        out->u.b = !v.u.b;
        return RIDGE_OK;
    }
    ridge_status st = ridge_py_number_binary(&v, RIDGE_PY_OP_SUB, ridge_py_int(1), v, in);
    if (!st) {
        out->u.b = v.u.i != 0;
        out->by.sym = v.by.sym;
    }
    return st;
}

/* a and b, of two BOOLs */
static ridge_status both(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    if (!a.by.sym || !b.by.sym) {
        *out = !a.by.sym ? (a.u.b ? b : a) : (b.u.b ? a : b);
        return RIDGE_OK;
    }
    return ridge_py_number_binary(out, RIDGE_PY_OP_BITAND, a, b, in);
}

/* a number that stands in the config by itself: there it might be None or a text, too */
static bool is_field(ridge_py v)
{
    if (!ridge_py_has_sym(v) || v.by.sym->count != 1 || v.by.sym->terms[0].count != 1)
        return false;
    const ridge_atom *atom = v.by.sym->terms[0].factors[0].atom;
    return atom->kind == RIDGE_ATOM_NAME && strncmp(atom->name, "config.", 7) == 0;
}

/* ---- equality ---- */

static ridge_status equal(ridge_py *out, ridge_py a, ridge_py b, unsigned depth, ridge_py_interp *in);

static ridge_status equal_lists(ridge_py *out, ridge_py a, ridge_py b, unsigned depth, ridge_py_interp *in)
{
    const ridge_py_list *x = a.u.list, *y = b.u.list;
    ridge_py one;
    ridge_status st = RIDGE_OK;
    *out = ridge_py_bool(x->count == y->count);
    for (size_t i = 0; i < x->count && !st && out->type == RIDGE_PY_T_BOOL && (out->u.b || out->by.sym) && x->count == y->count; i++) {
        ridge_py p = x->items[i], q = y->items[i];
        const bool tensors = p.type == RIDGE_PY_T_TENSOR || q.type == RIDGE_PY_T_TENSOR;
        if (ridge_py_same(p, q) && tensors)
            continue;
        if (p.type == RIDGE_PY_T_INSTANCE || q.type == RIDGE_PY_T_INSTANCE || tensors)
            st = ridge_py_binary(&one, RIDGE_PY_OP_EQ, p, q, in);
        else
            st = equal(&one, p, q, depth + 1, in);
        if (!st && one.type == RIDGE_PY_T_TENSOR)
            st = ridge_py_truth_value(&one, one, in);
        if (!st && one.type == RIDGE_PY_T_BOOL)
            st = both(out, *out, one, in);
        else if (!st && out->u.b)
            *out = one.type == RIDGE_PY_T_UNKNOWN ? one : *out;
    }
    return st;
}

static ridge_status equal(ridge_py *out, ridge_py a, ridge_py b, unsigned depth, ridge_py_interp *in)
{
    bool same;
    ridge_status st;
    if (depth > 100)
        return ridge_fail(in->err, RIDGE_LIMIT, "lists nested deeper than 100");
    if (a.type == RIDGE_PY_T_UNKNOWN || b.type == RIDGE_PY_T_UNKNOWN) {
        *out = a.type == RIDGE_PY_T_UNKNOWN ? a : b;
        return RIDGE_OK;
    }
    if (ridge_py_is_number(a) && ridge_py_is_number(b))
        return ridge_py_number_binary(out, RIDGE_PY_OP_EQ, a, b, in);
    bool lists = a.type == b.type && (a.type == RIDGE_PY_T_LIST || a.type == RIDGE_PY_T_TUPLE);
    if (lists && !ridge_py_origin(a) && !ridge_py_origin(b))
        return equal_lists(out, a, b, depth, in);
    if ((st = ridge_py_equal(&same, a, b, in)))
        return st;
    if (!ridge_py_origin(a) && !ridge_py_origin(b) && !is_field(a) && !is_field(b))
        return truth_of(out, same);
    return compared(out, same, a, "==", b, in);
}

/* what `x is None` asks of a value from the config that is None, or is not */
static ridge_status identity(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    bool same = ridge_py_same(a, b);
    if (a.type == RIDGE_PY_T_NONE || b.type == RIDGE_PY_T_NONE) {
        ridge_py other = a.type == RIDGE_PY_T_NONE && !a.by.origin ? b : a;
        ridge_py none = ridge_py_none();
        *out = ridge_py_bool(same);
        if (is_field(other) || (ridge_py_origin(other) && ridge_py_origin(other)[0] != '='))
            return compared(out, same, other, "==", none, in);
        return RIDGE_OK;
    }
    if (ridge_py_is_number(a) && a.type == b.type && (a.by.sym || b.by.sym))
        return ridge_py_number_binary(out, RIDGE_PY_OP_EQ, a, b, in);
    return truth_of(out, same);
}

/* ---- membership ---- */

static ridge_status in_items(ridge_py *out, ridge_py needle, ridge_py haystack, ridge_py_interp *in)
{
    const ridge_py_list *list = haystack.u.list;
    ridge_py one, none = ridge_py_bool(true); /* no item so far */
    ridge_status st;
    bool found = false;
    if (ridge_py_origin(haystack) && (needle.type == RIDGE_PY_T_STR || ridge_py_is_number(needle))) {
        for (size_t i = 0; i < list->count && !found; i++)
            if ((st = ridge_py_equal(&found, list->items[i], needle, in)))
                return st;
        return compared(out, found, needle, "in", haystack, in);
    }
    for (size_t i = 0; i < list->count; i++) {
        if (ridge_py_same(list->items[i], needle) && !ridge_py_has_sym(needle) && !ridge_py_origin(needle))
            return truth_of(out, true);
        if ((st = ridge_py_binary(&one, RIDGE_PY_OP_EQ, list->items[i], needle, in)) || (st = ridge_py_truth_value(&one, one, in)))
            return st;
        if (one.type != RIDGE_PY_T_BOOL) {
            *out = one;
            return RIDGE_OK;
        }
        if (one.u.b) { /* that it is this one says enough */
            *out = one;
            return RIDGE_OK;
        }
        if ((st = flip(&one, in)) || (st = both(&none, none, one, in)))
            return st;
    }
    *out = none;
    return flip(out, in);
}

static ridge_status in_dict(ridge_py *out, ridge_py needle, ridge_py haystack, ridge_py_interp *in)
{
    ridge_py found;
    ridge_status st = ridge_py_dict_get(&found, haystack.u.dict, needle, in);
    if (st)
        return st;
    if (ridge_py_origin(haystack) && needle.type == RIDGE_PY_T_STR)
        return compared(out, found.type != RIDGE_PY_T_UNSET, needle, "in", haystack, in);
    *out = ridge_py_bool(found.type != RIDGE_PY_T_UNSET);
    return ridge_py_ask_value(needle, in);
}

static bool find_text(ridge_str needle, ridge_str in)
{
    for (size_t i = 0; i + needle.n <= in.n; i++)
        if (memcmp(in.p + i, needle.p, needle.n) == 0)
            return true;
    return false;
}

static ridge_status in_range(ridge_py *out, ridge_py needle, const ridge_py_range *r, ridge_py_interp *in)
{
    ridge_py low, high;
    ridge_status st;
    if (ridge_py_integer(r->step) != 1 || needle.type == RIDGE_PY_T_FLOAT || !ridge_py_is_number(needle)) {
        ridge_py list, all = {.type = RIDGE_PY_T_RANGE, .u.range = r};
        return (st = ridge_py_collect(&list, RIDGE_PY_T_LIST, all, in)) ? st : in_items(out, needle, list, in);
    }
    if ((st = ridge_py_number_binary(&low, RIDGE_PY_OP_GE, needle, r->start, in)) ||
        (st = ridge_py_number_binary(&high, RIDGE_PY_OP_LT, needle, r->stop, in)))
        return st;
    return both(out, low, high, in);
}

static ridge_status contains(ridge_py *out, ridge_py needle, ridge_py haystack, ridge_py_interp *in)
{
    ridge_py list;
    ridge_status st;
    *out = ridge_py_unset();
    if (needle.type == RIDGE_PY_T_UNKNOWN || haystack.type == RIDGE_PY_T_UNKNOWN) {
        *out = needle.type == RIDGE_PY_T_UNKNOWN ? needle : haystack;
        return RIDGE_OK;
    }
    switch (haystack.type) {
    case RIDGE_PY_T_TUPLE:
    case RIDGE_PY_T_LIST:
        return in_items(out, needle, haystack, in);
    case RIDGE_PY_T_DICT:
    case RIDGE_PY_T_SET:
        return in_dict(out, needle, haystack, in);
    case RIDGE_PY_T_STR:
        needle = ridge_py_base(needle);
        if (needle.type != RIDGE_PY_T_STR)
            return ridge_py_raise(in, "TypeError", "'in <string>' requires string as left operand, not %s", ridge_py_type_text(needle));
        if (ridge_py_origin(needle) || ridge_py_origin(haystack))
            return compared(out, find_text(needle.u.s->text, haystack.u.s->text), needle, "in", haystack, in);
        return truth_of(out, find_text(needle.u.s->text, haystack.u.s->text));
    case RIDGE_PY_T_RANGE:
        return in_range(out, needle, haystack.u.range, in);
    case RIDGE_PY_T_ITERATOR:
    case RIDGE_PY_T_CLASS:
        return (st = ridge_py_collect(&list, RIDGE_PY_T_LIST, haystack, in)) ? st : in_items(out, needle, list, in);
    default:
        return RIDGE_OK;
    }
}

/* ---- order ---- */

/* -1, 0, 1 of texts */
static int text_order(ridge_str a, ridge_str b)
{
    int c = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return c ? c : (a.n > b.n) - (a.n < b.n);
}

static ridge_status order_lists(ridge_py *out, ridge_py_operator op, const ridge_py_list *a, const ridge_py_list *b, ridge_py_interp *in)
{
    ridge_status st;
    size_t i = 0;
    bool same = true;
    for (; i < a->count && i < b->count; i++) {
        ridge_py one;
        if ((st = ridge_py_binary(&one, RIDGE_PY_OP_EQ, a->items[i], b->items[i], in)) || (st = ridge_py_truth(&same, one, in)))
            return st;
        if (!same)
            return ridge_py_binary(out, op, a->items[i], b->items[i], in);
    }
    return ridge_py_number_binary(out, op, ridge_py_int((int64_t)a->count), ridge_py_int((int64_t)b->count), in);
}

static ridge_status subset(bool *out, const ridge_py_dict *a, const ridge_py_dict *b, ridge_py_interp *in)
{
    ridge_py found;
    *out = true;
    for (size_t i = 0; i < a->used && *out; i++) {
        if (a->entries[i].key.type == RIDGE_PY_T_UNSET)
            continue;
        ridge_status st = ridge_py_dict_get(&found, b, a->entries[i].key, in);
        if (st)
            return st;
        *out = found.type != RIDGE_PY_T_UNSET;
    }
    return RIDGE_OK;
}

static ridge_status order_sets(ridge_py *out, ridge_py_operator op, const ridge_py_dict *a, const ridge_py_dict *b, ridge_py_interp *in)
{
    bool more = op == RIDGE_PY_OP_GT || op == RIDGE_PY_OP_GE, strict = op == RIDGE_PY_OP_GT || op == RIDGE_PY_OP_LT, is;
    ridge_status st = subset(&is, more ? b : a, more ? a : b, in);
    *out = ridge_py_bool(is && (!strict || a->count != b->count));
    return st;
}

static ridge_status order(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    ridge_status st;
    *out = ridge_py_unset();
    if (a.type != b.type)
        return RIDGE_OK;
    if (a.type == RIDGE_PY_T_STR) {
        if ((st = ridge_py_ask_value(a, in)) || (st = ridge_py_ask_value(b, in)))
            return st;
        return ridge_py_number_binary(out, op, ridge_py_int(text_order(a.u.s->text, b.u.s->text)), ridge_py_int(0), in);
    }
    if (a.type == RIDGE_PY_T_LIST || a.type == RIDGE_PY_T_TUPLE)
        return order_lists(out, op, a.u.list, b.u.list, in);
    return a.type == RIDGE_PY_T_SET ? order_sets(out, op, a.u.dict, b.u.dict, in) : RIDGE_OK;
}

/* ---- joining ---- */

static ridge_status join_texts(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    const char *origin = ridge_py_text_origin(ridge_py_text_origin(NULL, a, in), b, in);
    char *text = ridge_arena_alloc(in->arena, a.u.s->text.n + b.u.s->text.n + 1);
    if (!text)
        return ridge_no_memory(in->err);
    memcpy(text, a.u.s->text.p, a.u.s->text.n);
    memcpy(text + a.u.s->text.n, b.u.s->text.p, b.u.s->text.n);
    ridge_status st = ridge_py_str(out, (ridge_str){text, a.u.s->text.n + b.u.s->text.n}, in);
    if (!st)
        out->by.origin = origin;
    return st;
}

static ridge_status join_lists(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    ridge_py x;
    ridge_py index = ridge_py_int(0);
    ridge_status st = ridge_py_new_list(out, a.type, a.u.list->count + b.u.list->count, in);
    for (size_t i = 0; i < a.u.list->count && !st; i++) {
        index.u.i = (int64_t)i;
        if (!(st = ridge_py_builtin_get_item(&x, a, index, in)))
            st = ridge_py_append(out->u.list, x, in);
    }
    for (size_t i = 0; i < b.u.list->count && !st; i++) {
        index.u.i = (int64_t)i;
        if (!(st = ridge_py_builtin_get_item(&x, b, index, in)))
            st = ridge_py_append(out->u.list, x, in);
    }
    return st;
}

/* a list repeated: its length is concrete, so how often is a condition */
static ridge_status repeat(ridge_py *out, ridge_py a, ridge_py times, ridge_py_interp *in)
{
    int64_t n;
    ridge_status st = ridge_py_concrete(&n, times, in);
    if (st)
        return st;
    n = n < 0 ? 0 : n;
    if (a.type == RIDGE_PY_T_STR) {
        ridge_buf buf = {0};
        if ((uint64_t)n * a.u.s->text.n > (16u << 20))
            return ridge_fail(in->err, RIDGE_LIMIT, "a text of more than 16 MiB");
        for (int64_t i = 0; i < n; i++)
            ridge_buf_add(&buf, a.u.s->text);
        st = buf.failed ? ridge_no_memory(in->err) : ridge_py_str(out, (ridge_str){buf.p ? buf.p : "", buf.n}, in);
        ridge_buf_free(&buf);
        return st;
    }
    if (a.u.list->count && n > 10000000 / (int64_t)a.u.list->count)
        return ridge_fail(in->err, RIDGE_LIMIT, "a list of more than 10,000,000 items");
    if ((st = ridge_py_new_list(out, a.type, a.u.list->count * (size_t)n, in)))
        return st;
    for (int64_t i = 0; i < n; i++)
        for (size_t k = 0; k < a.u.list->count && !st; k++)
            st = ridge_py_append(out->u.list, a.u.list->items[k], in);
    return st;
}

/* ---- dicts and sets ---- */

ridge_status ridge_py_dict_update(ridge_py_dict *into, const ridge_py_dict *from, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < from->used && !st; i++)
        if (from->entries[i].key.type != RIDGE_PY_T_UNSET)
            st = ridge_py_dict_set(into, from->entries[i].key, from->entries[i].value, in);
    return st;
}

/* keeps what is in b (or is not), into out */
static ridge_status filter(ridge_py_dict *out, const ridge_py_dict *a, const ridge_py_dict *b, bool keep, ridge_py_interp *in)
{
    ridge_py found;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < a->used && !st; i++) {
        if (a->entries[i].key.type == RIDGE_PY_T_UNSET)
            continue;
        if (!(st = ridge_py_dict_get(&found, b, a->entries[i].key, in)) && (found.type != RIDGE_PY_T_UNSET) == keep)
            st = ridge_py_dict_set(out, a->entries[i].key, ridge_py_unset(), in);
    }
    return st;
}

static ridge_status sets(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, bool in_place, ridge_py_interp *in)
{
    ridge_py made;
    ridge_status st = ridge_py_new_dict(&made, a.type, in);
    if (st)
        return st;
    if (op == RIDGE_PY_OP_BITOR) {
        if (!(st = ridge_py_dict_update(made.u.dict, a.u.dict, in)))
            st = ridge_py_dict_update(made.u.dict, b.u.dict, in);
    } else if (op == RIDGE_PY_OP_BITAND || op == RIDGE_PY_OP_SUB) {
        st = filter(made.u.dict, a.u.dict, b.u.dict, op == RIDGE_PY_OP_BITAND, in);
    } else if (!(st = filter(made.u.dict, a.u.dict, b.u.dict, false, in))) {
        st = filter(made.u.dict, b.u.dict, a.u.dict, false, in);
    }
    if (!st && in_place) {
        *a.u.dict = *made.u.dict;
        made = a;
    }
    *out = made;
    return st;
}

ridge_status ridge_py_set_operation(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, bool in_place, ridge_py_interp *in)
{
    return sets(out, op, a, b, in_place, in);
}

/* list += iterable changes the list itself */
static ridge_status extend(ridge_py *out, ridge_py list, ridge_py items, ridge_py_interp *in)
{
    ridge_py all;
    ridge_status st = ridge_py_collect(&all, RIDGE_PY_T_LIST, items, in);
    *out = list;
    out->by.origin = NULL;
    if (!st && all.type == RIDGE_PY_T_UNKNOWN)
        *out = all;
    for (size_t i = 0; !st && all.type == RIDGE_PY_T_LIST && i < all.u.list->count; i++)
        st = ridge_py_append(list.u.list, all.u.list->items[i], in);
    return st;
}

static bool is_list(ridge_py v)
{
    return v.type == RIDGE_PY_T_LIST || v.type == RIDGE_PY_T_TUPLE;
}

static ridge_status arithmetic(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, bool in_place, ridge_py_interp *in)
{
    bool whole_a = a.type == RIDGE_PY_T_INT || a.type == RIDGE_PY_T_BOOL, whole_b = b.type == RIDGE_PY_T_INT || b.type == RIDGE_PY_T_BOOL;
    if (op == RIDGE_PY_OP_ADD && a.type == RIDGE_PY_T_STR && b.type == RIDGE_PY_T_STR)
        return join_texts(out, a, b, in);
    if (op == RIDGE_PY_OP_ADD && in_place && a.type == RIDGE_PY_T_LIST)
        return extend(out, a, b, in);
    if (op == RIDGE_PY_OP_ADD && is_list(a) && a.type == b.type)
        return join_lists(out, a, b, in);
    if (op == RIDGE_PY_OP_MUL && (is_list(a) || a.type == RIDGE_PY_T_STR) && whole_b)
        return repeat(out, a, b, in);
    if (op == RIDGE_PY_OP_MUL && whole_a && (is_list(b) || b.type == RIDGE_PY_T_STR))
        return repeat(out, b, a, in);
    if (op == RIDGE_PY_OP_MOD && a.type == RIDGE_PY_T_STR)
        return ridge_py_percent(out, a, b, in);
    bool set_op = op == RIDGE_PY_OP_BITOR || op == RIDGE_PY_OP_BITAND || op == RIDGE_PY_OP_BITXOR || op == RIDGE_PY_OP_SUB;
    if (set_op && a.type == b.type && (a.type == RIDGE_PY_T_SET || (a.type == RIDGE_PY_T_DICT && op == RIDGE_PY_OP_BITOR)))
        return sets(out, op, a, b, in_place, in);
    return RIDGE_OK;
}

ridge_status ridge_py_builtin_binary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, bool in_place, ridge_py_interp *in)
{
    ridge_status st;
    *out = ridge_py_unset();
    if (op == RIDGE_PY_OP_IS || op == RIDGE_PY_OP_IS_NOT) {
        if (!(st = identity(out, a, b, in)) && op == RIDGE_PY_OP_IS_NOT)
            st = flip(out, in);
        return st;
    }
    if (op == RIDGE_PY_OP_IN || op == RIDGE_PY_OP_NOT_IN) {
        if (!(st = contains(out, a, ridge_py_base(b), in)) && op == RIDGE_PY_OP_NOT_IN && out->type == RIDGE_PY_T_BOOL)
            st = flip(out, in);
        return st;
    }
    a = ridge_py_base(a);
    if (op != RIDGE_PY_OP_MOD || a.type != RIDGE_PY_T_STR)
        b = ridge_py_base(b);
    if (ridge_py_is_number(a) && ridge_py_is_number(b))
        return ridge_py_number_binary(out, op, a, b, in);
    if (a.type == RIDGE_PY_T_UNKNOWN || b.type == RIDGE_PY_T_UNKNOWN) {
        *out = a.type == RIDGE_PY_T_UNKNOWN ? a : b;
        return RIDGE_OK;
    }
    if (op == RIDGE_PY_OP_EQ || op == RIDGE_PY_OP_NE) {
        if (!(st = equal(out, a, b, 0, in)) && op == RIDGE_PY_OP_NE)
            st = flip(out, in);
        return st;
    }
    return op >= RIDGE_PY_OP_LT && op <= RIDGE_PY_OP_GE ? order(out, op, a, b, in) : arithmetic(out, op, a, b, in_place, in);
}

ridge_status ridge_py_builtin_unary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py_interp *in)
{
    ridge_status st;
    *out = ridge_py_unset();
    if (op == RIDGE_PY_OP_NOT)
        return (st = ridge_py_truth_value(out, a, in)) ? st : flip(out, in);
    a = ridge_py_base(a);
    if (a.type == RIDGE_PY_T_UNKNOWN)
        *out = a;
    return ridge_py_is_number(a) ? ridge_py_number_unary(out, op, a, in) : RIDGE_OK;
}
