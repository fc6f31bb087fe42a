/* Values as JSON: what inspect, explain and formula show of them. */
#include "formula/value.h"

static void write_list(ridge_json_writer *w, const ridge_list *list)
{
    ridge_jw_array_compact(w);
    for (size_t i = 0; i < list->count; i++)
        ridge_value_json(w, list->items[i]);
    ridge_jw_end_array(w);
}

static void write_object(ridge_json_writer *w, const ridge_object *object)
{
    ridge_jw_object_compact(w);
    for (size_t i = 0; i < object->count; i++) {
        ridge_jw_key(w, object->fields[i].name->text);
        ridge_value_json(w, object->fields[i].value);
    }
    ridge_jw_end_object(w);
}

void ridge_value_json(ridge_json_writer *w, ridge_value v)
{
    ridge_rational r;
    switch (v.type) {
    case RIDGE_V_BOOL:
        ridge_jw_bool(w, v.u.b);
        break;
    case RIDGE_V_INT:
        ridge_jw_int(w, v.u.i);
        break;
    case RIDGE_V_RATIONAL:
        ridge_value_as_rational(&r, v);
        ridge_jw_double(w, ridge_rational_double(r));
        break;
    case RIDGE_V_STRING:
        ridge_jw_str(w, v.u.s);
        break;
    case RIDGE_V_LIST:
        write_list(w, v.u.list);
        break;
    case RIDGE_V_OBJECT:
        write_object(w, v.u.object);
        break;
    default:
        ridge_jw_null(w);
        break;
    }
}
