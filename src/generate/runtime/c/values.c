/* values.c - the functions of formulas, and lists. */
#include "internal.h"

#include <string.h>

/* ---- functions ---- */

static gm_value extreme(gm_run *r, const gm_value *items, size_t count, bool most)
{
    const char *name = most ? "max" : "min";
    if (count == 1 && items[0].type == GM_LIST) {
        count = items[0].u.list->count;
        items = items[0].u.list->items;
    }
    if (r->failed || count == 0)
        return gm_fail(r, "%s of an empty list", name);
    gm_value found = gm_operand(r, items[0]);
    for (size_t i = 0; i < count && !r->failed; i++) {
        const gm_value v = gm_operand(r, items[i]);
        if (!gm_is_number(v))
            return gm_fail(r, "%s does not work on %s", name, gm_type_name(v));
        if (most ? gm_compare(r, found, v) < 0 : gm_compare(r, found, v) > 0)
            found = v;
    }
    return r->failed ? gm_none() : found;
}

gm_value gm_least(gm_run *r, const gm_value *items, size_t count)
{
    return extreme(r, items, count, false);
}

gm_value gm_most(gm_run *r, const gm_value *items, size_t count)
{
    return extreme(r, items, count, true);
}

gm_value gm_ceil(gm_run *r, gm_value v)
{
    return gm_negative(r, gm_floor(r, gm_negative(r, v)));
}

gm_value gm_truncated(gm_run *r, gm_value v)
{
    return gm_less(r, v, gm_number(0)) ? gm_ceil(r, v) : gm_floor(r, v);
}

gm_value gm_abs(gm_run *r, gm_value v)
{
    v = gm_operand(r, v);
    return gm_less(r, v, gm_number(0)) ? gm_negative(r, v) : v;
}

gm_value gm_ceil_div(gm_run *r, gm_value a, gm_value b)
{
    return gm_negative(r, gm_floor_div(r, gm_negative(r, a), b));
}

gm_value gm_length(gm_run *r, gm_value v)
{
    if (r->failed)
        return gm_none();
    if (v.type == GM_LIST)
        return gm_number((gm_int)v.u.list->count);
    if (v.type == GM_TEXT)
        return gm_number((gm_int)v.length);
    return v.type == GM_OBJECT ? gm_number((gm_int)v.u.object->count) : gm_fail(r, "len does not work on %s", gm_type_name(v));
}

gm_value gm_total(gm_run *r, gm_value list)
{
    gm_value sum = gm_number(0);
    const size_t n = gm_count(r, list);
    for (size_t i = 0; i < n; i++)
        sum = gm_add(r, sum, list.u.list->items[i]);
    return r->failed ? gm_none() : sum;
}

gm_value gm_range(gm_run *r, const gm_value *bounds, size_t count)
{
    gm_int v[3] = {0, 0, 1}, n = 0;
    for (size_t i = 0; i < count && !r->failed; i++)
        if (!gm_as_int(&v[i], gm_operand(r, bounds[i])))
            (void)gm_fail(r, "range wants integers, not %s", gm_type_name(bounds[i]));
    if (count == 1) {
        v[1] = v[0];
        v[0] = 0;
    }
    if (r->failed || v[2] == 0 || v[0] != (int64_t)v[0] || v[1] != (int64_t)v[1])
        return gm_fail(r, v[2] == 0 ? "range with a step of 0" : "overflow: this range");
    if (v[2] > 0 && v[1] > v[0])
        n = (v[1] - v[0] - 1) / v[2] + 1;
    else if (v[2] < 0 && v[1] < v[0])
        n = (v[1] - v[0] + 1) / v[2] + 1;
    if (n > 1000000)
        return gm_fail(r, "a range of more than 1000000 items");
    gm_value *items = gm_room(r, ((size_t)n + 1) * sizeof *items);
    for (gm_int i = 0; items && i < n; i++)
        items[i] = gm_number(v[0] + i * v[2]);
    return items ? gm_list_of(r, items, (size_t)n) : gm_none();
}

static gm_value any_or_all(gm_run *r, gm_value list, bool all)
{
    const size_t n = gm_count(r, list);
    for (size_t i = 0; i < n; i++)
        if (gm_truth(r, list.u.list->items[i]) != all)
            return gm_bool(!all);
    return gm_bool(all);
}

gm_value gm_any(gm_run *r, gm_value list)
{
    return any_or_all(r, list, false);
}

gm_value gm_all(gm_run *r, gm_value list)
{
    return any_or_all(r, list, true);
}

gm_value gm_text_list(gm_run *r, gm_value text, gm_value by)
{
    gm_made made = {0};
    if (r->failed || text.type != GM_TEXT || by.type != GM_TEXT || by.length == 0)
        return gm_fail(r, "split wants two texts, the second not empty");
    size_t from = 0;
    for (size_t i = 0; i + by.length <= text.length;) {
        if (memcmp(text.u.text + i, by.u.text, by.length) == 0) {
            gm_push(r, &made, gm_text_of(text.u.text + from, i - from), gm_none());
            from = i += by.length;
        } else {
            i++;
        }
    }
    gm_push(r, &made, gm_text_of(text.u.text + from, text.length - from), gm_none());
    return gm_taken(r, &made);
}

/* ---- lists ---- */

gm_value gm_list_of(gm_run *r, const gm_value *items, size_t count)
{
    gm_list *list = gm_room(r, sizeof *list);
    gm_value *own = gm_room(r, (count + 1) * sizeof *own);
    gm_value v = {.type = GM_LIST};
    if (!list || !own)
        return gm_none();
    if (count)
        memcpy(own, items, count * sizeof *own);
    *list = (gm_list){count, own};
    v.u.list = list;
    return v;
}

size_t gm_count(gm_run *r, gm_value list)
{
    if (r->failed)
        return 0;
    if (list.type == GM_LIST)
        return list.u.list->count;
    (void)gm_fail(r, "want a list, not %s", gm_type_name(list));
    return 0;
}

void gm_push(gm_run *r, gm_made *made, gm_value value, gm_value calls)
{
    if (r->failed)
        return;
    if (made->count == made->room) {
        const size_t room = made->room ? 2 * made->room : 8;
        gm_value *items = gm_room(r, 2 * room * sizeof *items);
        if (!items)
            return;
        if (made->count) {
            memcpy(items, made->items, made->count * sizeof *items);
            memcpy(items + room, made->calls, made->count * sizeof *items);
        }
        made->items = items;
        made->calls = items + room;
        made->room = room;
    }
    made->items[made->count] = value;
    made->calls[made->count++] = calls;
}

gm_value gm_taken(gm_run *r, const gm_made *made)
{
    return r->failed ? gm_none() : gm_list_of(r, made->items, made->count);
}

gm_value gm_item_at(gm_run *r, gm_value list, gm_value index)
{
    gm_int i;
    if (r->failed || list.type != GM_LIST || !gm_as_int(&i, index))
        return gm_fail(r, "%s cannot be indexed with %s", gm_type_name(list), gm_type_name(index));
    const gm_int n = (gm_int)list.u.list->count;
    if (i < 0)
        i += n;
    if (i < 0 || i >= n)
        return gm_fail(r, "index out of range: the list has %zu items", list.u.list->count);
    return list.u.list->items[(size_t)i];
}
