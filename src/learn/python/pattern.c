/* match statements */
#include "learn/python/machine.h"

static ridge_status matches(bool *out, const ridge_py_node *pattern, ridge_py v, ridge_py_interp *in);

static ridge_status match_value(bool *out, const ridge_py_node *pattern, ridge_py v, ridge_py_interp *in)
{
    ridge_py wanted, equal;
    ridge_status st = ridge_py_eval(&wanted, pattern, in);
    if (!st)
        st = ridge_py_operate(&equal, pattern->kind == RIDGE_PY_CONSTANT ? RIDGE_PY_OP_IS : RIDGE_PY_OP_EQ, v, wanted, false, in);
    return st ? st : ridge_py_truth(out, equal, in);
}

static ridge_status match_sequence(bool *out, const ridge_py_node *pattern, ridge_py v, ridge_py_interp *in)
{
    ridge_py base = ridge_py_base(v), rest;
    uint32_t star = pattern->count;
    ridge_status st = RIDGE_OK;
    *out = false;
    if (base.type != RIDGE_PY_T_LIST && base.type != RIDGE_PY_T_TUPLE)
        return RIDGE_OK;
    for (uint32_t i = 0; i < pattern->count; i++)
        if (pattern->items[i]->kind == RIDGE_PY_STAR)
            star = i;
    const ridge_py_list *list = base.u.list;
    size_t want = star < pattern->count ? pattern->count - 1u : pattern->count, at = 0;
    if (list->count < want || (list->count > want && star == pattern->count))
        return RIDGE_OK;
    *out = true;
    for (uint32_t i = 0; i < pattern->count && !st && *out; i++) {
        if (i != star) {
            st = matches(out, pattern->items[i], list->items[at++], in);
            continue;
        }
        st = ridge_py_new_list(&rest, RIDGE_PY_T_LIST, 0, in);
        for (size_t j = 0; j < list->count - want && !st; j++)
            st = ridge_py_append(rest.u.list, list->items[at++], in);
        if (!st)
            st = matches(out, pattern->items[i]->a, rest, in);
    }
    return st;
}

static ridge_status match_rest(const ridge_py_node *pattern, const ridge_py_dict *dict, const ridge_py_dict *used,
                               const ridge_py_node *name, ridge_py_interp *in)
{
    ridge_py rest, there;
    (void)pattern;
    ridge_status st = ridge_py_new_dict(&rest, RIDGE_PY_T_DICT, in);
    for (size_t i = 0; i < dict->used && !st; i++) {
        if (dict->entries[i].key.type == RIDGE_PY_T_UNSET)
            continue;
        st = ridge_py_dict_get(&there, used, dict->entries[i].key, in);
        if (!st && there.type == RIDGE_PY_T_UNSET)
            st = ridge_py_dict_set(rest.u.dict, dict->entries[i].key, dict->entries[i].value, in);
    }
    return st ? st : ridge_py_assign(name, rest, in);
}

static ridge_status match_mapping(bool *out, const ridge_py_node *pattern, ridge_py v, ridge_py_interp *in)
{
    ridge_py base = ridge_py_base(v), key, value, used;
    ridge_status st = ridge_py_new_dict(&used, RIDGE_PY_T_DICT, in);
    *out = base.type == RIDGE_PY_T_DICT;
    for (uint32_t i = 0; i < pattern->count && !st && *out; i++) {
        const ridge_py_node *item = pattern->items[i];
        if (item->kind == RIDGE_PY_DOUBLE_STAR) {
            st = match_rest(pattern, base.u.dict, used.u.dict, item->a, in);
            continue;
        }
        st = ridge_py_eval(&key, item->a, in);
        if (!st)
            st = ridge_py_dict_get(&value, base.u.dict, key, in);
        if (!st && value.type == RIDGE_PY_T_UNSET)
            *out = false;
        else if (!st)
            st = matches(out, item->b, value, in);
        if (!st)
            st = ridge_py_dict_set(used.u.dict, key, ridge_py_none(), in);
    }
    return st;
}

/* the attribute that the i-th place of a class pattern means; UNSET: the value itself (int(x)) */
static ridge_status attribute_at(ridge_py *out, ridge_py class, ridge_py v, size_t i, ridge_py_interp *in)
{
    ridge_py names;
    const ridge_symbol *name;
    ridge_status st = ridge_py_find(&names, class, RIDGE_PY_S(in, MATCH_ARGS), in);
    *out = ridge_py_unset();
    if (st || names.type != RIDGE_PY_T_TUPLE || i >= names.u.list->count) {
        if (!st && i == 0)
            *out = v;
        return st;
    }
    st = ridge_py_symbol_of(&name, names.u.list->items[i], in);
    return st ? st : ridge_py_find(out, v, name, in);
}

static ridge_status match_class(bool *out, const ridge_py_node *pattern, ridge_py v, ridge_py_interp *in)
{
    ridge_py class, part;
    size_t places = 0;
    ridge_status st = ridge_py_eval(&class, pattern->a, in);
    *out = !st && class.type == RIDGE_PY_T_CLASS && ridge_py_is_instance(v, class.u.class);
    for (uint32_t i = 0; i < pattern->count && !st && *out; i++) {
        const ridge_py_node *item = pattern->items[i];
        bool named = item->kind == RIDGE_PY_KEYWORD;
        st = named ? ridge_py_find(&part, v, item->name, in) : attribute_at(&part, class, v, places++, in);
        *out = !st && part.type != RIDGE_PY_T_UNSET;
        if (*out)
            st = matches(out, named ? item->a : item, part, in);
    }
    return st;
}

static ridge_status matches(bool *out, const ridge_py_node *pattern, ridge_py v, ridge_py_interp *in)
{
    ridge_status st = ridge_py_step(in);
    if (st)
        return st;
    *out = true;
    switch (pattern->kind) {
    case RIDGE_PY_NAME:
        return pattern->name == RIDGE_PY_S(in, UNDERSCORE) ? RIDGE_OK : ridge_py_bind_name(pattern->name, v, in);
    case RIDGE_PY_WALRUS:
        st = matches(out, pattern->a, v, in);
        return st || !*out ? st : ridge_py_bind_name(pattern->name, v, in);
    case RIDGE_PY_LIST:
    case RIDGE_PY_TUPLE:
        return match_sequence(out, pattern, v, in);
    case RIDGE_PY_DICT:
        return match_mapping(out, pattern, v, in);
    case RIDGE_PY_CALL:
        return match_class(out, pattern, v, in);
    case RIDGE_PY_BINARY:
        if (pattern->op != RIDGE_PY_OP_BITOR)
            return match_value(out, pattern, v, in);
        st = matches(out, pattern->a, v, in);
        return st || *out ? st : matches(out, pattern->b, v, in);
    default:
        return match_value(out, pattern, v, in);
    }
}

ridge_status ridge_py_run_match(ridge_py_flow *flow, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py v, guard;
    ridge_status st = ridge_py_eval(&v, node->a, in);
    for (uint32_t i = 0; i < node->count && !st; i++) {
        const ridge_py_node *one = node->items[i];
        bool fits = false;
        in->frame->line = one->line;
        st = matches(&fits, one->a, v, in);
        if (!st && fits && one->c)
            st = ridge_py_eval(&guard, one->c, in);
        if (!st && fits && one->c)
            st = ridge_py_truth(&fits, guard, in);
        if (!st && fits)
            return ridge_py_run_block(flow, one->b, in);
    }
    return st;
}
