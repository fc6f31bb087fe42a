/* Truth, and numbers that are used as such: where conditions are written down. */
#include "learn/python/machine.h"
#include "learn/python/number.h"
#include "learn/python/question.h"

/* not 0, as a BOOL with its symbols */
static ridge_status number_truth(ridge_py *out, ridge_py v, ridge_py_interp *in)
{
    *out = v;
    return v.type == RIDGE_PY_T_BOOL ? RIDGE_OK : ridge_py_number_binary(out, RIDGE_PY_OP_NE, v, ridge_py_int(0), in);
}

static ridge_status origin_truth(ridge_py *out, bool value, const char *origin, ridge_py_interp *in)
{
    *out = ridge_py_bool(value);
    if (!origin)
        return RIDGE_OK;
    if (origin[0] == '=')
        return ridge_py_ask(true, NULL, origin + 1, in);
    return ridge_py_asked_bool(out, value, origin, in);
}

static ridge_status instance_truth(ridge_py *out, ridge_py v, ridge_py_interp *in)
{
    ridge_py method, r;
    ridge_status st;
    *out = ridge_py_bool(true);
    if (ridge_py_special_method(&method, v, RIDGE_PY_S(in, BOOL), in)) {
        if ((st = ridge_py_call_special(&r, method, v, NULL, 0, in)))
            return st;
        return r.type == RIDGE_PY_T_INSTANCE ? ridge_py_raise(in, "TypeError", "__bool__ should return bool")
                                             : ridge_py_truth_value(out, r, in);
    }
    if (!ridge_py_special_method(&method, v, RIDGE_PY_S(in, LEN), in))
        return ridge_py_base(v).type == RIDGE_PY_T_INSTANCE ? RIDGE_OK : ridge_py_truth_value(out, ridge_py_base(v), in);
    if ((st = ridge_py_call_special(&r, method, v, NULL, 0, in)))
        return st;
    return r.type == RIDGE_PY_T_INSTANCE ? ridge_py_raise(in, "TypeError", "__len__ should return an integer")
                                         : ridge_py_truth_value(out, r, in);
}

ridge_status ridge_py_truth_value(ridge_py *out, ridge_py v, ridge_py_interp *in)
{
    ridge_py length;
    ridge_status st;
    switch (v.type) {
    case RIDGE_PY_T_BOOL:
    case RIDGE_PY_T_INT:
    case RIDGE_PY_T_FLOAT:
        return number_truth(out, v, in);
    case RIDGE_PY_T_NONE:
        return origin_truth(out, false, v.by.origin, in);
    case RIDGE_PY_T_STR:
        return origin_truth(out, v.u.s->text.n > 0, v.by.origin, in);
    case RIDGE_PY_T_TUPLE:
    case RIDGE_PY_T_LIST:
        return origin_truth(out, v.u.list->count > 0, v.by.origin, in);
    case RIDGE_PY_T_DICT:
        return origin_truth(out, v.u.dict->count > 0, v.by.origin, in);
    case RIDGE_PY_T_SET:
        *out = ridge_py_bool(v.u.dict->count > 0);
        return RIDGE_OK;
    case RIDGE_PY_T_RANGE:
        return (st = ridge_py_length(&length, v, in)) ? st : number_truth(out, length, in);
    case RIDGE_PY_T_INSTANCE:
        return instance_truth(out, v, in);
    case RIDGE_PY_T_TENSOR:
        return in->tensors->truth(out, v, in);
    case RIDGE_PY_T_UNKNOWN:
        *out = v;
        return RIDGE_OK;
    default:
        *out = ridge_py_bool(true);
        return RIDGE_OK;
    }
}

ridge_status ridge_py_truth(bool *out, ridge_py v, ridge_py_interp *in)
{
    ridge_py r, hole = ridge_py_unset();
    *out = false;
    ridge_status st = ridge_py_truth_value(&r, v, in);
    if (st)
        return st;
    if (r.type == RIDGE_PY_T_UNKNOWN)
        st = ridge_py_ask_branch(&hole, "a condition depends on data", in);
    if (st || hole.type == RIDGE_PY_T_UNKNOWN)
        return st;
    if (hole.type == RIDGE_PY_T_BOOL)
        r = hole;
    *out = r.u.b;
    return r.by.sym ? ridge_py_ask(r.u.b, r.by.sym, NULL, in) : RIDGE_OK;
}

ridge_status ridge_py_concrete(int64_t *out, ridge_py v, ridge_py_interp *in)
{
    ridge_py method, r;
    ridge_status st;
    if (v.type == RIDGE_PY_T_INSTANCE && ridge_py_special_method(&method, v, RIDGE_PY_S(in, INDEX), in)) {
        if ((st = ridge_py_call_special(&r, method, v, NULL, 0, in)))
            return st;
        v = r;
    }
    v = ridge_py_base(v);
    if (v.type == RIDGE_PY_T_TENSOR && in->tensors) {
        if ((st = in->tensors->number(&r, v, RIDGE_PY_T_INT, in)))
            return st;
        v = r;
    }
    if (v.type != RIDGE_PY_T_INT && v.type != RIDGE_PY_T_BOOL)
        return ridge_py_raise(in, "TypeError", "'%s' object cannot be interpreted as an integer", ridge_py_type_text(v));
    *out = ridge_py_integer(v);
    return ridge_py_ask_value(v, in);
}
