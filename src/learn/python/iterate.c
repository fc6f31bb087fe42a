/* Lengths, and iteration over everything that the language can iterate over. */
#include "learn/python/machine.h"
#include "learn/python/question.h"
#include "learn/python/number.h"

/* ---- ranges ---- */

/* how many steps a range makes, with its symbols */
static ridge_status range_length(ridge_py *out, const ridge_py_range *r, ridge_py_interp *in)
{
    ridge_py n, step = r->step;
    ridge_status st;
    bool up = ridge_py_integer(step) > 0;
    if (step.by.sym && (st = ridge_py_ask_value(step, in)))
        return st;
    step.by.sym = NULL;
    if ((st = ridge_py_number_binary(&n, RIDGE_PY_OP_SUB, up ? r->stop : r->start, up ? r->start : r->stop, in)))
        return st;
    if (!up && (st = ridge_py_number_unary(&step, RIDGE_PY_OP_NEGATIVE, step, in)))
        return st;
    if (step.u.i != 1) { /* (n + step - 1) // step */
        if ((st = ridge_py_number_binary(&n, RIDGE_PY_OP_ADD, n, ridge_py_int(step.u.i - 1), in)) ||
            (st = ridge_py_number_binary(&n, RIDGE_PY_OP_FLOORDIV, n, step, in)))
            return st;
    }
    return ridge_py_min_max(out, true, n, ridge_py_int(0), in);
}

/* ---- iterators of built-in types ---- */

struct over_list {
    const ridge_py_list *list;
    size_t at;
};

static ridge_status next_of_list(ridge_py *out, bool *done, ridge_py_iterator *it, ridge_py_interp *in)
{
    struct over_list *s = it->state;
    *done = s->at >= s->list->count;
    if (!*done)
        *out = s->list->items[s->at++];
    return ridge_py_step(in);
}

struct over_dict {
    const ridge_py_dict *dict;
    size_t at;
};

static ridge_status next_of_dict(ridge_py *out, bool *done, ridge_py_iterator *it, ridge_py_interp *in)
{
    struct over_dict *s = it->state;
    while (s->at < s->dict->used && s->dict->entries[s->at].key.type == RIDGE_PY_T_UNSET)
        s->at++;
    *done = s->at >= s->dict->used;
    if (!*done)
        *out = s->dict->entries[s->at++].key;
    return ridge_py_step(in);
}

struct over_text {
    ridge_str rest;
};

static ridge_status next_of_text(ridge_py *out, bool *done, ridge_py_iterator *it, ridge_py_interp *in)
{
    struct over_text *s = it->state;
    *done = s->rest.n == 0;
    if (*done)
        return RIDGE_OK;
    size_t n = ridge_utf8_length(s->rest.p, s->rest.p + s->rest.n);
    ridge_str one = {s->rest.p, n ? n : 1};
    s->rest.p += one.n;
    s->rest.n -= one.n;
    return ridge_py_str(out, one, in);
}

struct over_range {
    int64_t at, step;
    int64_t left;
};

static ridge_status next_of_range(ridge_py *out, bool *done, ridge_py_iterator *it, ridge_py_interp *in)
{
    struct over_range *s = it->state;
    *done = s->left <= 0;
    if (!*done) {
        *out = ridge_py_int(s->at);
        s->left--;
        if (s->left)
            s->at += s->step;
    }
    return ridge_py_step(in);
}

/* an object with __next__; StopIteration ends it */
static ridge_status next_of_instance(ridge_py *out, bool *done, ridge_py_iterator *it, ridge_py_interp *in)
{
    ridge_py self = *(ridge_py *)it->state;
    ridge_status st = ridge_py_call_method(out, self, "__next__", NULL, 0, in);
    *done = st == RIDGE_PY_RAISED && in->raised.type == RIDGE_PY_T_INSTANCE && strcmp(ridge_py_type_text(in->raised), "StopIteration") == 0;
    if (*done)
        in->raised = ridge_py_unset();
    return *done ? RIDGE_OK : st;
}

/* an object with __getitem__ alone: IndexError ends it */
struct over_items {
    ridge_py self;
    int64_t at;
};

static ridge_status next_of_items(ridge_py *out, bool *done, ridge_py_iterator *it, ridge_py_interp *in)
{
    struct over_items *s = it->state;
    ridge_status st = ridge_py_get_item(out, s->self, ridge_py_int(s->at++), in);
    *done = st == RIDGE_PY_RAISED && in->raised.type == RIDGE_PY_T_INSTANCE && strcmp(ridge_py_type_text(in->raised), "IndexError") == 0;
    if (*done)
        in->raised = ridge_py_unset();
    return *done ? RIDGE_OK : st;
}

typedef ridge_status next_function(ridge_py *out, bool *done, ridge_py_iterator *iterator, ridge_py_interp *in);

static ridge_status make(ridge_py *out, next_function *next, const void *state, size_t size, ridge_py_interp *in)
{
    ridge_py_iterator *it = ridge_arena_alloc(in->arena, sizeof *it);
    void *copy = ridge_arena_alloc(in->arena, size);
    if (!it || !copy)
        return ridge_no_memory(in->err);
    memcpy(copy, state, size);
    *it = (ridge_py_iterator){next, copy};
    *out = (ridge_py){.type = RIDGE_PY_T_ITERATOR, .u.iterator = it};
    return RIDGE_OK;
}

static ridge_status iterate_range(ridge_py *out, const ridge_py_range *r, ridge_py_interp *in)
{
    ridge_py n;
    ridge_status st;
    if ((st = range_length(&n, r, in)) || (st = ridge_py_ask_loop(n, in)) || (st = ridge_py_ask_value(r->start, in)))
        return st;
    return make(out, next_of_range, &(struct over_range){ridge_py_integer(r->start), ridge_py_integer(r->step), n.u.i},
                sizeof(struct over_range), in);
}

static ridge_status iterate_instance(ridge_py *out, ridge_py object, ridge_py_interp *in)
{
    ridge_py method;
    ridge_status st;
    if (ridge_py_special_method(&method, object, RIDGE_PY_S(in, ITER), in)) {
        if ((st = ridge_py_call_special(out, method, object, NULL, 0, in)))
            return st;
        if (out->type != RIDGE_PY_T_INSTANCE)
            return out->type == RIDGE_PY_T_ITERATOR ? RIDGE_OK : ridge_py_iterate(out, *out, in);
        object = *out;
        return make(out, next_of_instance, &object, sizeof object, in);
    }
    if (ridge_py_base(object).type != RIDGE_PY_T_INSTANCE)
        return ridge_py_iterate(out, ridge_py_base(object), in);
    if (ridge_py_special_method(&method, object, RIDGE_PY_S(in, GETITEM), in))
        return make(out, next_of_items, &(struct over_items){object, 0}, sizeof(struct over_items), in);
    return ridge_py_raise(in, "TypeError", "'%s' object is not iterable", ridge_py_type_text(object));
}

/* Enum classes: a metaclass that says how to iterate */
static ridge_status iterate_class(ridge_py *out, ridge_py object, ridge_py_interp *in)
{
    ridge_py method;
    ridge_status st;
    if (!ridge_py_special_method(&method, object, RIDGE_PY_S(in, ITER), in))
        return ridge_py_raise(in, "TypeError", "'type' object is not iterable");
    if ((st = ridge_py_call_special(out, method, object, NULL, 0, in)))
        return st;
    return ridge_py_iterate(out, *out, in);
}

static ridge_status iterate_unknown(ridge_py *out, ridge_py_interp *in)
{
    ridge_py hole, none;
    ridge_status st = ridge_py_unknown(&hole, "loop over data", "how often a loop runs depends on data", NULL, NULL, in);
    if (st || (st = ridge_py_skipped(hole, in)) || (st = ridge_py_new_list(&none, RIDGE_PY_T_LIST, 0, in)))
        return st;
    return ridge_py_iterate(out, none, in);
}

ridge_status ridge_py_iterate(ridge_py *out, ridge_py object, ridge_py_interp *in)
{
    ridge_py list;
    ridge_status st;
    switch (object.type) {
    case RIDGE_PY_T_ITERATOR:
        *out = object;
        return RIDGE_OK;
    case RIDGE_PY_T_TUPLE:
    case RIDGE_PY_T_LIST:
        return make(out, next_of_list, &(struct over_list){object.u.list, 0}, sizeof(struct over_list), in);
    case RIDGE_PY_T_DICT:
    case RIDGE_PY_T_SET:
        return make(out, next_of_dict, &(struct over_dict){object.u.dict, 0}, sizeof(struct over_dict), in);
    case RIDGE_PY_T_STR:
        return make(out, next_of_text, &(struct over_text){object.u.s->text}, sizeof(struct over_text), in);
    case RIDGE_PY_T_RANGE:
        return iterate_range(out, object.u.range, in);
    case RIDGE_PY_T_INSTANCE:
        return iterate_instance(out, object, in);
    case RIDGE_PY_T_CLASS:
        return iterate_class(out, object, in);
    case RIDGE_PY_T_TENSOR:
        return (st = in->tensors->iterate(&list, object, in)) ? st : ridge_py_iterate(out, list, in);
    case RIDGE_PY_T_UNKNOWN:
        return iterate_unknown(out, in);
    default:
        return ridge_py_raise(in, "TypeError", "'%s' object is not iterable", ridge_py_type_text(object));
    }
}

ridge_status ridge_py_next(ridge_py *out, bool *done, ridge_py iterator, ridge_py_interp *in)
{
    *done = false;
    if (iterator.type == RIDGE_PY_T_ITERATOR)
        return iterator.u.iterator->next(out, done, iterator.u.iterator, in);
    if (iterator.type != RIDGE_PY_T_INSTANCE)
        return ridge_py_raise(in, "TypeError", "'%s' object is not an iterator", ridge_py_type_text(iterator));
    return next_of_instance(out, done, &(ridge_py_iterator){NULL, &iterator}, in);
}

ridge_status ridge_py_collect(ridge_py *out, ridge_py_type tuple_or_list, ridge_py object, ridge_py_interp *in)
{
    ridge_py iterator, item, made;
    bool done = false;
    ridge_status st;
    if (object.type == RIDGE_PY_T_UNKNOWN) {
        *out = object;
        return RIDGE_OK;
    }
    if (object.type == RIDGE_PY_T_LIST || object.type == RIDGE_PY_T_TUPLE) {
        if ((st = ridge_py_new_list(&made, tuple_or_list, object.u.list->count, in)))
            return st;
        if (object.u.list->count)
            memcpy(made.u.list->items, object.u.list->items, object.u.list->count * sizeof *made.u.list->items);
        made.u.list->count = object.u.list->count;
        if (tuple_or_list == RIDGE_PY_T_TUPLE) /* a list may change */
            made.by.origin = object.by.origin;
        *out = made;
        return RIDGE_OK;
    }
    if ((st = ridge_py_iterate(&iterator, object, in)) || (st = ridge_py_new_list(&made, tuple_or_list, 0, in)))
        return st;
    for (;;) {
        if ((st = ridge_py_next(&item, &done, iterator, in)) || done)
            break;
        if ((st = ridge_py_append(made.u.list, item, in)))
            break;
    }
    *out = made;
    return st;
}

/* ---- lengths ---- */

static size_t characters(ridge_str text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++)
        n += ((unsigned char)text.p[i] & 0xC0) != 0x80;
    return n;
}

static ridge_status length_of(ridge_py *out, size_t n, const char *origin, ridge_py_interp *in)
{
    *out = ridge_py_int((int64_t)n);
    if (!origin)
        return RIDGE_OK;
    if (origin[0] == '=')
        return ridge_py_ask(true, NULL, origin + 1, in);
    const char *name = ridge_arena_printf(in->arena, "len(%s)", origin);
    return name ? ridge_py_named_int(out, (int64_t)n, name, 0, in) : ridge_no_memory(in->err);
}

ridge_status ridge_py_length(ridge_py *out, ridge_py object, ridge_py_interp *in)
{
    ridge_py method;
    switch (object.type) {
    case RIDGE_PY_T_TUPLE:
    case RIDGE_PY_T_LIST:
        return length_of(out, object.u.list->count, object.by.origin, in);
    case RIDGE_PY_T_DICT:
        return length_of(out, object.u.dict->count, object.by.origin, in);
    case RIDGE_PY_T_SET:
        return length_of(out, object.u.dict->count, NULL, in);
    case RIDGE_PY_T_STR:
        in->steps += object.u.s->text.n / 64; /* they are counted: as much work as a step for so many */
        return length_of(out, characters(object.u.s->text), object.by.origin, in);
    case RIDGE_PY_T_RANGE:
        return range_length(out, object.u.range, in);
    case RIDGE_PY_T_TENSOR:
        return in->tensors->length(out, object, in);
    case RIDGE_PY_T_UNKNOWN:
        *out = object;
        return RIDGE_OK;
    case RIDGE_PY_T_INSTANCE:
    case RIDGE_PY_T_CLASS:
        if (ridge_py_special_method(&method, object, RIDGE_PY_S(in, LEN), in))
            return ridge_py_call_special(out, method, object, NULL, 0, in);
        if (ridge_py_base(object).type != RIDGE_PY_T_INSTANCE && object.type == RIDGE_PY_T_INSTANCE)
            return ridge_py_length(out, ridge_py_base(object), in);
        /* fall through */
    default:
        return ridge_py_raise(in, "TypeError", "object of type '%s' has no len()", ridge_py_type_text(object));
    }
}
