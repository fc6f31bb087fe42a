/* The JSON of store_text.h, read: {"ridge": ..., "runs": [...], "rows": [...]}, rows in the order of their runs. */
#include "measure/store_fields.h"
#include "measure/store_text.h"

typedef struct reader {
    ridge_str text;
    const char *file;
    ridge_arena *arena;
    ridge_err *err;
    ridge_collection all;
    ridge_int *numbers; /* "run" of each run */
} reader;

static ridge_status at_value(reader *r, ridge_status st, const ridge_json *v)
{
    if (st && r->err) {
        ridge_err_place(r->err, r->file, v->line, v->col);
        ridge_err_excerpt(r->err, r->text.p, r->text.n, (size_t)(v->begin - r->text.p), (size_t)(v->end - v->begin));
    }
    return st;
}

static ridge_status need(reader *r, const ridge_json *v, ridge_json_type type, const char *what)
{
    if (v->type == type)
        return RIDGE_OK;
    return at_value(
        r, ridge_fail(r->err, RIDGE_TYPE, "%s: wanted %s, found %s", what, ridge_json_type_name(type), ridge_json_type_name(v->type)), v);
}

/* ---- keys ---- */

static bool is_group(const char *name, const char *group)
{
    return name && group && strcmp(name, group) == 0;
}

/* a key of an object: of the fields of `group` (NULL: of those without, and the groups' names), or one of `more` */
static bool is_key(ridge_str key, const ridge_fields *fields, const char *group, const char *const *more, ridge_nearest *nearest)
{
    for (size_t i = 0; i < fields->count; i++) {
        const ridge_store_field *field = &fields->items[i];
        const char *name = group && !is_group(field->group, group) ? NULL : !group && field->group ? field->group : field->key;
        if (name && ridge_str_is(key, name))
            return true;
        if (name)
            ridge_nearest_offer(nearest, key, name);
    }
    for (; *more != NULL; more++)
        if (ridge_str_is(key, *more))
            return true;
    return false;
}

static ridge_status check_keys(reader *r, const ridge_json *object, const ridge_fields *fields, const char *group, const char *const *more)
{
    for (uint32_t i = 0; i < object->count; i++) {
        ridge_nearest nearest = {0};
        ridge_str key = object->u.members[i].key;
        if (is_key(key, fields, group, more, &nearest))
            continue;
        ridge_status st = ridge_fail(r->err, RIDGE_NAME, "unknown key '%.*s'%s%s%s", key.n > 60 ? 60 : (int)key.n, key.p,
                                     nearest.best ? "; did you mean '" : "", nearest.best ? nearest.best : "", nearest.best ? "'?" : "");
        return at_value(r, st, &object->u.members[i].value);
    }
    return RIDGE_OK;
}

/* ---- values ---- */

static const ridge_json *value_of(const ridge_json *object, const ridge_store_field *field)
{
    return ridge_json_get(field->group ? ridge_json_get(object, field->group) : object, field->key);
}

static ridge_status read_fields(reader *r, void *at, const ridge_json *object, const ridge_fields *fields)
{
    static const char *const none[] = {NULL};
    ridge_status st = RIDGE_OK;
    const char *checked = NULL;
    for (size_t i = 0; i < fields->count && !st; i++) {
        const ridge_store_field *field = &fields->items[i];
        const ridge_json *group = field->group ? ridge_json_get(object, field->group) : NULL;
        if (group && field->group != checked) {
            checked = field->group;
            if ((st = need(r, group, RIDGE_JSON_OBJECT, checked)) || (st = check_keys(r, group, fields, checked, none)))
                return st;
        }
        const ridge_json *value = value_of(object, field);
        const char *reason = "out of memory";
        st = ridge_field_set_json(at, field, value, &reason, r->arena);
        if (st)
            st = at_value(
                r, ridge_fail(r->err, st, "%s%s%s: %s", field->group ? field->group : "", field->group ? "." : "", field->key, reason),
                value ? value : object);
    }
    return st;
}

static ridge_status read_number(reader *r, ridge_int *out, const ridge_json *object, const char *key)
{
    const ridge_json *v = ridge_json_get(object, key);
    if (!v || v->type != RIDGE_JSON_NUMBER || !ridge_int_parse(out, v->u.text) || *out < 0 || *out > UINT32_MAX)
        return at_value(r, ridge_fail(r->err, RIDGE_VALUE, "%s: wanted a whole number from 0 to 4294967295", key), v ? v : object);
    return RIDGE_OK;
}

/* ---- runs and rows ---- */

static ridge_status read_run(reader *r, const ridge_json *v)
{
    static const char *const more[] = {"run", "row_count", NULL};
    ridge_int count = 0;
    ridge_status st = need(r, v, RIDGE_JSON_OBJECT, "a run");
    if (st || (st = check_keys(r, v, &ridge_run_fields, NULL, more)))
        return st;
    ridge_store_run *run = ridge_collection_run(&r->all);
    if (!run)
        return ridge_no_memory(r->err);
    if ((st = read_number(r, &r->numbers[r->all.m->run_count - 1], v, "run")) || (st = read_number(r, &count, v, "row_count")) ||
        (st = read_fields(r, run, v, &ridge_run_fields)))
        return st;
    run->row_count = (size_t)count;
    return at_value(r, ridge_collection_check_uuid(&r->all, r->err), v);
}

static ridge_status check_machine(reader *r, const ridge_json *v, const ridge_store_run *run)
{
    const ridge_json *machine = ridge_json_get(v, "machine");
    if (!machine || machine->type == RIDGE_JSON_NULL || (machine->type == RIDGE_JSON_STRING && ridge_str_is(machine->u.text, run->machine)))
        return RIDGE_OK;
    return at_value(r, ridge_fail(r->err, RIDGE_VALUE, "machine: its run is of machine %s", run->machine), machine);
}

static ridge_status read_row(reader *r, const ridge_json *v, ridge_store_run *run)
{
    ridge_measured_row *row = ridge_collection_row(&r->all);
    if (!row)
        return ridge_no_memory(r->err);
    ridge_status st = read_fields(r, row, v, &ridge_row_fields);
    if (!st)
        st = check_machine(r, v, run);
    if (st)
        return st;
    row->machine = run->machine;
    if (run->rows++ == 0)
        run->first = r->all.m->row_count - 1;
    return at_value(r, ridge_row_check(row, r->err), v);
}

/* *at: the run of the row before, and then of this one */
static ridge_status find_run(reader *r, size_t *at, const ridge_json *v)
{
    static const char *const more[] = {"run", "machine", NULL};
    ridge_int number;
    ridge_status st = need(r, v, RIDGE_JSON_OBJECT, "a row");
    if (st || (st = check_keys(r, v, &ridge_row_fields, NULL, more)) || (st = read_number(r, &number, v, "run")))
        return st;
    size_t n = r->all.m->run_count;
    while (*at < n && r->numbers[*at] != number)
        ++*at;
    if (*at < n)
        return RIDGE_OK;
    return at_value(r, ridge_fail(r->err, RIDGE_VALUE, "run: there is no such run, or its rows are not in the order of the runs"),
                    ridge_json_get(v, "run"));
}

static ridge_status read_rows(reader *r, const ridge_json *rows)
{
    size_t at = 0;
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < rows->count && !st; i++)
        if (!(st = find_run(r, &at, &rows->u.items[i])))
            st = read_row(r, &rows->u.items[i], &r->all.m->runs[at]);
    for (size_t i = 0; i < r->all.m->run_count && !st; i++) {
        ridge_measurements one = {.runs = &r->all.m->runs[i], .run_count = 1};
        ridge_collection c = {.m = &one};
        st = at_value(r, ridge_collection_check_count(&c, r->err), rows);
    }
    return st;
}

static ridge_status read_list(reader *r, const ridge_json **out, const ridge_json *root, const char *key)
{
    *out = ridge_json_get(root, key);
    if (!*out)
        return at_value(r, ridge_fail(r->err, RIDGE_NAME, "the key '%s' is missing: this is no export of ridge history", key), root);
    return need(r, *out, RIDGE_JSON_ARRAY, key);
}

ridge_status ridge_measurements_read_json(ridge_measurements *out, ridge_str text, const char *file, ridge_arena *arena, ridge_err *err)
{
    reader r = {.text = text, .file = file, .arena = arena, .err = err, .all = {.m = out, .arena = arena}};
    ridge_json *root;
    const ridge_json *runs, *rows;
    *out = (ridge_measurements){0};
    ridge_status st = ridge_json_parse(&root, text, file, (ridge_json_options){.unique_keys = true}, arena, err);
    if (st || (st = need(&r, root, RIDGE_JSON_OBJECT, "measurements")) || (st = read_list(&r, &runs, root, "runs")) ||
        (st = read_list(&r, &rows, root, "rows")))
        return st;
    r.numbers = ridge_arena_array(arena, (size_t)runs->count + 1, sizeof *r.numbers);
    if (!r.numbers)
        return ridge_no_memory(r.err);
    for (uint32_t i = 0; i < runs->count && !st; i++)
        st = read_run(&r, &runs->u.items[i]);
    return !st ? read_rows(&r, rows) : st;
}
