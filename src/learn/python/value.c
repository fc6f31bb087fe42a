/* Making values, what they are, and when two are the same. */
#include "learn/python/operate.h"

#include <math.h>

const char ridge_py_type_tags[RIDGE_PY_T_UNKNOWN + 1];

/* ---- making ---- */

enum { TEXT_LARGE = 4096, TEXT_PER_STEP = 64 /* bytes that are copied in the time of a step */, LIST_LARGE = 4096 };

/* What grows by doubling is past the limit long before the steps are counted that look at it. */
static ridge_status check_room(size_t bytes, ridge_py_interp *in)
{
    if (in->arena->total <= in->limits.bytes && bytes <= in->limits.bytes - in->arena->total)
        return RIDGE_OK;
    return ridge_fail(in->err, RIDGE_LIMIT, "more than %zu MB of memory", in->limits.bytes >> 20);
}

ridge_status ridge_py_str(ridge_py *out, ridge_str text, ridge_py_interp *in)
{
    if (text.n > TEXT_LARGE && check_room(text.n, in))
        return RIDGE_LIMIT;
    in->steps += text.n / TEXT_PER_STEP;
    ridge_py_text *t = ridge_arena_alloc(in->arena, sizeof *t);
    char *copy = t ? ridge_arena_strdup(in->arena, text) : NULL;
    if (!copy)
        return ridge_no_memory(in->err);
    t->text = (ridge_str){copy, text.n};
    *out = (ridge_py){.type = RIDGE_PY_T_STR, .u.s = t};
    return RIDGE_OK;
}

ridge_status ridge_py_strz(ridge_py *out, const char *text, ridge_py_interp *in)
{
    return ridge_py_str(out, ridge_str_of(text), in);
}

ridge_status ridge_py_new_list(ridge_py *out, ridge_py_type tuple_or_list, size_t room, ridge_py_interp *in)
{
    ridge_py_list *list = ridge_arena_alloc(in->arena, sizeof *list);
    if (room > LIST_LARGE && (room > SIZE_MAX / sizeof *list->items || check_room(room * sizeof *list->items, in)))
        return ridge_fail(in->err, RIDGE_LIMIT, "a list of %zu items", room);
    if (!list || (room && !(list->items = ridge_arena_array(in->arena, room, sizeof *list->items))))
        return ridge_no_memory(in->err);
    list->cap = room;
    *out = (ridge_py){.type = tuple_or_list, .u.list = list};
    return RIDGE_OK;
}

ridge_status ridge_py_append(ridge_py_list *list, ridge_py value, ridge_py_interp *in)
{
    if (list->count == list->cap && list->count > LIST_LARGE && check_room(2 * list->count * sizeof *list->items, in))
        return RIDGE_LIMIT;
    if (list->count == list->cap && !ridge_arena_more(in->arena, &list->items, list->count, &list->cap, sizeof *list->items))
        return ridge_no_memory(in->err);
    list->items[list->count++] = value;
    return RIDGE_OK;
}

ridge_status ridge_py_new_dict(ridge_py *out, ridge_py_type dict_or_set, ridge_py_interp *in)
{
    ridge_py_dict *dict = ridge_arena_alloc(in->arena, sizeof *dict);
    if (!dict)
        return ridge_no_memory(in->err);
    *out = (ridge_py){.type = dict_or_set, .u.dict = dict};
    return RIDGE_OK;
}

/* what an instance of a class that inherits from list, dict, int ... starts with */
static ridge_status new_base(ridge_py *out, const ridge_py_class *class, ridge_py_interp *in)
{
    for (size_t i = 0; i < class->order_count; i++) {
        const char *tag = class->order[i]->data;
        if (tag == &ridge_py_type_tags[RIDGE_PY_T_LIST] || tag == &ridge_py_type_tags[RIDGE_PY_T_TUPLE])
            return ridge_py_new_list(out, (ridge_py_type)(tag - ridge_py_type_tags), 0, in);
        if (tag == &ridge_py_type_tags[RIDGE_PY_T_DICT] || tag == &ridge_py_type_tags[RIDGE_PY_T_SET])
            return ridge_py_new_dict(out, (ridge_py_type)(tag - ridge_py_type_tags), in);
        if (tag == &ridge_py_type_tags[RIDGE_PY_T_STR])
            return ridge_py_strz(out, "", in);
        if (tag == &ridge_py_type_tags[RIDGE_PY_T_INT])
            *out = ridge_py_int(0);
        if (tag == &ridge_py_type_tags[RIDGE_PY_T_FLOAT])
            *out = ridge_py_float(0);
    }
    return RIDGE_OK;
}

ridge_status ridge_py_new_instance(ridge_py *out, ridge_py_class *class, ridge_py_interp *in)
{
    ridge_py_instance *it = ridge_arena_alloc(in->arena, sizeof *it);
    if (!it)
        return ridge_no_memory(in->err);
    *it = (ridge_py_instance){.class = class, .base = ridge_py_unset(), .id = ++in->instances};
    *out = (ridge_py){.type = RIDGE_PY_T_INSTANCE, .u.instance = it};
    return new_base(&it->base, class, in);
}

/* ---- what a value is ---- */

bool ridge_py_is_subclass(const ridge_py_class *class, const ridge_py_class *of)
{
    if (class == of)
        return true;
    for (size_t i = 0; i < class->order_count; i++)
        if (class->order[i] == of)
            return true;
    /* every class is an object, and a bool is an int */
    return of->data == &ridge_py_type_tags[RIDGE_PY_T_UNSET] ||
           (class->data == &ridge_py_type_tags[RIDGE_PY_T_BOOL] && of->data == &ridge_py_type_tags[RIDGE_PY_T_INT]);
}

bool ridge_py_is_instance(ridge_py object, const ridge_py_class *class)
{
    if (class->data == &ridge_py_type_tags[RIDGE_PY_T_UNSET])
        return true;
    if (object.type == RIDGE_PY_T_INSTANCE)
        return ridge_py_is_subclass(object.u.instance->class, class);
    if (object.type == RIDGE_PY_T_CLASS && object.u.class->meta && ridge_py_is_subclass(object.u.class->meta, class))
        return true;
    if (class->holds && class->holds(object))
        return true;
    return class->data == &ridge_py_type_tags[object.type] ||
           (object.type == RIDGE_PY_T_BOOL && class->data == &ridge_py_type_tags[RIDGE_PY_T_INT]) ||
           (object.type == RIDGE_PY_T_METHOD && class->data == &ridge_py_type_tags[RIDGE_PY_T_FUNCTION]);
}

ridge_py_class *ridge_py_class_of(ridge_py v, ridge_py_interp *in)
{
    if (v.type == RIDGE_PY_T_INSTANCE)
        return v.u.instance->class;
    if (v.type == RIDGE_PY_T_CLASS && v.u.class->meta)
        return (ridge_py_class *)v.u.class->meta;
    return in->classes[v.type];
}

const char *ridge_py_type_text(ridge_py v)
{
    static const char *const names[] = {
        "unset",         "NoneType",
        "bool",          "int",
        "float",         "str",
        "tuple",         "list",
        "dict",          "set",
        "slice",         "range",
        "ellipsis",      "NotImplementedType",
        "iterator",      "module",
        "function",      "builtin_function_or_method",
        "method",        "type",
        "instance",      "property",
        "Tensor",        "word",
        "unknown value",
    };
    if (v.type == RIDGE_PY_T_INSTANCE)
        return v.u.instance->class->name->text;
    return v.type == RIDGE_PY_T_WORD ? v.u.word->kind : names[v.type];
}

bool ridge_py_same(ridge_py a, ridge_py b)
{
    if (a.type != b.type)
        return false;
    switch (a.type) {
    case RIDGE_PY_T_UNSET:
    case RIDGE_PY_T_NONE:
    case RIDGE_PY_T_ELLIPSIS:
    case RIDGE_PY_T_NOT_IMPLEMENTED:
        return true;
    case RIDGE_PY_T_BOOL:
        return a.u.b == b.u.b;
    case RIDGE_PY_T_INT:
        return a.u.i == b.u.i;
    case RIDGE_PY_T_FLOAT:
        return a.u.f == b.u.f;
    case RIDGE_PY_T_STR:
        return ridge_str_eq(a.u.s->text, b.u.s->text);
    case RIDGE_PY_T_WORD:
        return a.u.word == b.u.word || (strcmp(a.u.word->kind, b.u.word->kind) == 0 && strcmp(a.u.word->text, b.u.word->text) == 0);
    case RIDGE_PY_T_METHOD:
        return ridge_py_same(a.u.method->function, b.u.method->function) && ridge_py_same(a.u.method->self, b.u.method->self);
    default:
        return a.u.pointer == b.u.pointer;
    }
}

/* ---- equality and hashes, of concrete values ---- */

enum { DEEP = 200 };

static bool number_equal(ridge_py a, ridge_py b)
{
    if (a.type == RIDGE_PY_T_FLOAT || b.type == RIDGE_PY_T_FLOAT) {
        double x = a.type == RIDGE_PY_T_FLOAT ? a.u.f : a.type == RIDGE_PY_T_BOOL ? a.u.b : (double)a.u.i;
        double y = b.type == RIDGE_PY_T_FLOAT ? b.u.f : b.type == RIDGE_PY_T_BOOL ? b.u.b : (double)b.u.i;
        return x == y;
    }
    return (a.type == RIDGE_PY_T_BOOL ? a.u.b : a.u.i) == (b.type == RIDGE_PY_T_BOOL ? b.u.b : b.u.i);
}

static ridge_status equal(bool *out, ridge_py a, ridge_py b, unsigned depth, ridge_py_interp *in);

static ridge_status lists_equal(bool *out, const ridge_py_list *a, const ridge_py_list *b, unsigned depth, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    *out = a->count == b->count;
    for (size_t i = 0; i < a->count && *out && !st; i++)
        st = equal(out, a->items[i], b->items[i], depth + 1, in);
    return st;
}

static ridge_status dicts_equal(bool *out, const ridge_py_dict *a, const ridge_py_dict *b, unsigned depth, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    *out = a->count == b->count;
    for (size_t i = 0; i < a->used && *out && !st; i++) {
        const ridge_py_entry *e = &a->entries[i];
        ridge_py other;
        if (e->key.type == RIDGE_PY_T_UNSET)
            continue;
        if ((st = ridge_py_dict_get(&other, b, e->key, in)))
            return st;
        *out = other.type != RIDGE_PY_T_UNSET;
        if (*out && e->value.type != RIDGE_PY_T_UNSET)
            st = equal(out, e->value, other, depth + 1, in);
    }
    return st;
}

/* instances with a method __eq__ of their own are asked */
static ridge_status instances_equal(bool *out, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    ridge_py r, method = ridge_py_unset();
    ridge_py self = a.type == RIDGE_PY_T_INSTANCE ? a : b, other = a.type == RIDGE_PY_T_INSTANCE ? b : a;
    const ridge_symbol *name = ridge_py_symbol(in, "__eq__");
    ridge_status st = name ? RIDGE_OK : ridge_no_memory(in->err);
    *out = false;
    for (size_t i = 0; !st && i < self.u.instance->class->order_count && method.type == RIDGE_PY_T_UNSET; i++) {
        const ridge_py *found = ridge_py_scope_find(&self.u.instance->class->order[i]->attributes, name);
        if (found && self.u.instance->class->order[i]->node)
            method = *found;
    }
    if (st || method.type == RIDGE_PY_T_UNSET)
        return st;
    if ((st = ridge_py_call_value(&r, method, (ridge_py[]){self, other}, 2, NULL, 0, in)))
        return st;
    if (r.type == RIDGE_PY_T_BOOL)
        *out = r.u.b;
    return RIDGE_OK;
}

static ridge_status equal(bool *out, ridge_py a, ridge_py b, unsigned depth, ridge_py_interp *in)
{
    if (depth > DEEP)
        return ridge_fail(in->err, RIDGE_LIMIT, "values nested deeper than %d", DEEP);
    in->steps++;
    *out = true;
    if (ridge_py_same(a, b) && !(a.type == RIDGE_PY_T_FLOAT && isnan(a.u.f)))
        return RIDGE_OK;
    ridge_py x = ridge_py_base(a), y = ridge_py_base(b);
    if (ridge_py_is_number(x) && ridge_py_is_number(y)) {
        *out = number_equal(x, y);
        return RIDGE_OK;
    }
    if (a.type == RIDGE_PY_T_INSTANCE || b.type == RIDGE_PY_T_INSTANCE) {
        ridge_status st = instances_equal(out, a, b, in);
        if (st || *out || (x.type == RIDGE_PY_T_INSTANCE || y.type == RIDGE_PY_T_INSTANCE))
            return st;
    }
    *out = false;
    if (x.type != y.type)
        return RIDGE_OK;
    switch (x.type) {
    case RIDGE_PY_T_TUPLE:
    case RIDGE_PY_T_LIST:
        return lists_equal(out, x.u.list, y.u.list, depth, in);
    case RIDGE_PY_T_DICT:
    case RIDGE_PY_T_SET:
        return dicts_equal(out, x.u.dict, y.u.dict, depth, in);
    case RIDGE_PY_T_RANGE:
        *out = x.u.range->start.u.i == y.u.range->start.u.i && x.u.range->stop.u.i == y.u.range->stop.u.i &&
               x.u.range->step.u.i == y.u.range->step.u.i;
        return RIDGE_OK;
    default:
        *out = ridge_py_same(x, y);
        return RIDGE_OK;
    }
}

ridge_status ridge_py_equal(bool *out, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    return equal(out, a, b, 0, in);
}

static ridge_status hash(uint64_t *out, ridge_py v, unsigned depth, ridge_py_interp *in);

static ridge_status hash_tuple(uint64_t *out, const ridge_py_list *list, unsigned depth, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    uint64_t h = in->names.key.start, item;
    if (depth > DEEP)
        return ridge_fail(in->err, RIDGE_LIMIT, "values nested deeper than %d", DEEP);
    for (size_t i = 0; i < list->count && !st; i++) {
        in->steps++;
        if (!(st = hash(&item, list->items[i], depth + 1, in)))
            h = ridge_hash_word(h, item, in->names.key);
    }
    *out = h;
    return st;
}

static ridge_status hash_instance(uint64_t *out, ridge_py v, ridge_py_interp *in)
{
    ridge_py r, method = ridge_py_unset();
    const ridge_symbol *name = ridge_py_symbol(in, "__hash__");
    if (!name)
        return ridge_no_memory(in->err);
    for (size_t i = 0; i < v.u.instance->class->order_count && method.type == RIDGE_PY_T_UNSET; i++) {
        const ridge_py *found = ridge_py_scope_find(&v.u.instance->class->order[i]->attributes, name);
        if (found && found->type == RIDGE_PY_T_FUNCTION)
            method = *found;
    }
    *out = ridge_hash_word(in->names.key.start, (uint64_t)(uintptr_t)v.u.pointer, in->names.key);
    if (method.type == RIDGE_PY_T_UNSET)
        return RIDGE_OK;
    ridge_status st = ridge_py_call_value(&r, method, &v, 1, NULL, 0, in);
    if (!st && r.type == RIDGE_PY_T_INT)
        *out = ridge_hash_word(in->names.key.start, (uint64_t)r.u.i, in->names.key);
    return st;
}

static ridge_status hash(uint64_t *out, ridge_py v, unsigned depth, ridge_py_interp *in)
{
    ridge_hash_key key = in->names.key;
    if (v.type == RIDGE_PY_T_INSTANCE && v.u.instance->base.type != RIDGE_PY_T_UNSET && v.u.instance->base.type != RIDGE_PY_T_DICT &&
        v.u.instance->base.type != RIDGE_PY_T_LIST)
        v = v.u.instance->base;
    switch (v.type) {
    case RIDGE_PY_T_BOOL:
        *out = ridge_hash_word(key.start, v.u.b, key);
        return RIDGE_OK;
    case RIDGE_PY_T_INT:
        *out = ridge_hash_word(key.start, (uint64_t)v.u.i, key);
        return RIDGE_OK;
    case RIDGE_PY_T_FLOAT: {
        uint64_t bits;
        memcpy(&bits, &v.u.f, sizeof bits);
        bool whole = v.u.f == floor(v.u.f) && fabs(v.u.f) < 9e18;
        *out = ridge_hash_word(key.start, whole ? (uint64_t)(int64_t)v.u.f : bits, key);
        return RIDGE_OK;
    }
    case RIDGE_PY_T_STR:
        *out = ridge_hash_text(v.u.s->text, key);
        return RIDGE_OK;
    case RIDGE_PY_T_TUPLE:
        return hash_tuple(out, v.u.list, depth, in);
    case RIDGE_PY_T_INSTANCE:
        return hash_instance(out, v, in);
    case RIDGE_PY_T_WORD:
        *out = ridge_hash_text(ridge_str_of(v.u.word->text), key);
        return RIDGE_OK;
    case RIDGE_PY_T_METHOD:
        *out = ridge_hash_word(key.start, (uint64_t)(uintptr_t)v.u.method->self.u.pointer, key);
        return RIDGE_OK;
    case RIDGE_PY_T_RANGE:
        *out = ridge_hash_word(key.start, (uint64_t)v.u.range->stop.u.i, key);
        return RIDGE_OK;
    case RIDGE_PY_T_LIST:
    case RIDGE_PY_T_DICT:
        return ridge_py_raise(in, "TypeError", "unhashable type: '%s'", ridge_py_type_text(v));
    case RIDGE_PY_T_NONE:
    case RIDGE_PY_T_ELLIPSIS:
        *out = ridge_hash_word(key.start, 0x9e3779b97f4a7c15u + v.type, key);
        return RIDGE_OK;
    default:
        *out = ridge_hash_word(key.start, (uint64_t)(uintptr_t)v.u.pointer, key);
        return RIDGE_OK;
    }
}

ridge_status ridge_py_hash(uint64_t *out, ridge_py v, ridge_py_interp *in)
{
    return hash(out, v, 0, in);
}
