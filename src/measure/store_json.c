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

static ridge_status no_memory(reader *r)
{
    return ridge_fail(r->err, RIDGE_NOMEM, "out of memory");
}

static ridge_status at_value(reader *r, ridge_status status, const ridge_json *v)
{
    if (status != RIDGE_OK && r->err != NULL) {
        ridge_err_place(r->err, r->file, v->line, v->col);
        ridge_err_excerpt(r->err, r->text.p, r->text.n, (size_t)(v->begin - r->text.p), (size_t)(v->end - v->begin));
    }
    return status;
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
    return name != NULL && group != NULL && strcmp(name, group) == 0;
}

/* a key of an object: of the fields of `group` (NULL: of those without, and the groups' names), or one of `more` */
static bool is_key(ridge_str key, const ridge_fields *fields, const char *group, const char *const *more, ridge_nearest *nearest)
{
    for (size_t i = 0; i < fields->count; i++) {
        const ridge_store_field *field = &fields->items[i];
        const char *name = group != NULL && !is_group(field->group, group) ? NULL
                           : group == NULL && field->group != NULL         ? field->group
                                                                           : field->key;
        if (name != NULL && ridge_str_is(key, name))
            return true;
        if (name != NULL)
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
        ridge_status status = ridge_fail(r->err, RIDGE_NAME, "unknown key '%.*s'%s%s%s", key.n > 60 ? 60 : (int)key.n, key.p,
                                         nearest.best != NULL ? "; did you mean '" : "", nearest.best != NULL ? nearest.best : "",
                                         nearest.best != NULL ? "'?" : "");
        return at_value(r, status, &object->u.members[i].value);
    }
    return RIDGE_OK;
}

/* ---- values ---- */

static const ridge_json *value_of(const ridge_json *object, const ridge_store_field *field)
{
    return ridge_json_get(field->group != NULL ? ridge_json_get(object, field->group) : object, field->key);
}

static ridge_status read_fields(reader *r, void *at, const ridge_json *object, const ridge_fields *fields)
{
    static const char *const none[] = {NULL};
    ridge_status status = RIDGE_OK;
    const char *checked = NULL;
    for (size_t i = 0; i < fields->count && status == RIDGE_OK; i++) {
        const ridge_store_field *field = &fields->items[i];
        const ridge_json *group = field->group != NULL ? ridge_json_get(object, field->group) : NULL;
        if (group != NULL && field->group != checked) {
            checked = field->group;
            if ((status = need(r, group, RIDGE_JSON_OBJECT, checked)) != RIDGE_OK ||
                (status = check_keys(r, group, fields, checked, none)) != RIDGE_OK)
                return status;
        }
        const ridge_json *value = value_of(object, field);
        const char *reason = "out of memory";
        status = ridge_field_set_json(at, field, value, &reason, r->arena);
        if (status != RIDGE_OK)
            status = at_value(r,
                              ridge_fail(r->err, status, "%s%s%s: %s", field->group != NULL ? field->group : "",
                                         field->group != NULL ? "." : "", field->key, reason),
                              value != NULL ? value : object);
    }
    return status;
}

static ridge_status read_number(reader *r, ridge_int *out, const ridge_json *object, const char *key)
{
    const ridge_json *v = ridge_json_get(object, key);
    if (v == NULL || v->type != RIDGE_JSON_NUMBER || !ridge_int_parse(out, v->u.text) || *out < 0 || *out > UINT32_MAX)
        return at_value(r, ridge_fail(r->err, RIDGE_VALUE, "%s: wanted a whole number from 0 to 4294967295", key), v != NULL ? v : object);
    return RIDGE_OK;
}

/* ---- runs and rows ---- */

static ridge_status read_run(reader *r, const ridge_json *v)
{
    static const char *const more[] = {"run", "row_count", NULL};
    ridge_int count = 0;
    ridge_status status = need(r, v, RIDGE_JSON_OBJECT, "a run");
    if (status != RIDGE_OK || (status = check_keys(r, v, &ridge_run_fields, NULL, more)) != RIDGE_OK)
        return status;
    ridge_store_run *run = ridge_collection_run(&r->all);
    if (run == NULL)
        return no_memory(r);
    if ((status = read_number(r, &r->numbers[r->all.m->run_count - 1], v, "run")) != RIDGE_OK ||
        (status = read_number(r, &count, v, "row_count")) != RIDGE_OK || (status = read_fields(r, run, v, &ridge_run_fields)) != RIDGE_OK)
        return status;
    run->row_count = (size_t)count;
    return at_value(r, ridge_collection_check_uuid(&r->all, r->err), v);
}

static ridge_status check_machine(reader *r, const ridge_json *v, const ridge_store_run *run)
{
    const ridge_json *machine = ridge_json_get(v, "machine");
    if (machine == NULL || machine->type == RIDGE_JSON_NULL ||
        (machine->type == RIDGE_JSON_STRING && ridge_str_is(machine->u.text, run->machine)))
        return RIDGE_OK;
    return at_value(r, ridge_fail(r->err, RIDGE_VALUE, "machine: its run is of machine %s", run->machine), machine);
}

static ridge_status read_row(reader *r, const ridge_json *v, ridge_store_run *run)
{
    ridge_measured_row *row = ridge_collection_row(&r->all);
    if (row == NULL)
        return no_memory(r);
    ridge_status status = read_fields(r, row, v, &ridge_row_fields);
    if (status == RIDGE_OK)
        status = check_machine(r, v, run);
    if (status != RIDGE_OK)
        return status;
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
    ridge_status status = need(r, v, RIDGE_JSON_OBJECT, "a row");
    if (status != RIDGE_OK || (status = check_keys(r, v, &ridge_row_fields, NULL, more)) != RIDGE_OK ||
        (status = read_number(r, &number, v, "run")) != RIDGE_OK)
        return status;
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
    ridge_status status = RIDGE_OK;
    for (uint32_t i = 0; i < rows->count && status == RIDGE_OK; i++)
        if ((status = find_run(r, &at, &rows->u.items[i])) == RIDGE_OK)
            status = read_row(r, &rows->u.items[i], &r->all.m->runs[at]);
    for (size_t i = 0; i < r->all.m->run_count && status == RIDGE_OK; i++) {
        ridge_measurements one = {.runs = &r->all.m->runs[i], .run_count = 1};
        ridge_collection c = {.m = &one};
        status = at_value(r, ridge_collection_check_count(&c, r->err), rows);
    }
    return status;
}

static ridge_status read_list(reader *r, const ridge_json **out, const ridge_json *root, const char *key)
{
    *out = ridge_json_get(root, key);
    if (*out == NULL)
        return at_value(r, ridge_fail(r->err, RIDGE_NAME, "the key '%s' is missing: this is no export of ridge history", key), root);
    return need(r, *out, RIDGE_JSON_ARRAY, key);
}

ridge_status ridge_measurements_read_json(ridge_measurements *out, ridge_str text, const char *file, ridge_arena *arena, ridge_err *err)
{
    reader r = {.text = text, .file = file, .arena = arena, .err = err, .all = {.m = out, .arena = arena}};
    ridge_json *root;
    const ridge_json *runs, *rows;
    *out = (ridge_measurements){0};
    ridge_status status = ridge_json_parse(&root, text, file, (ridge_json_options){.unique_keys = true}, arena, err);
    if (status != RIDGE_OK || (status = need(&r, root, RIDGE_JSON_OBJECT, "measurements")) != RIDGE_OK ||
        (status = read_list(&r, &runs, root, "runs")) != RIDGE_OK || (status = read_list(&r, &rows, root, "rows")) != RIDGE_OK)
        return status;
    r.numbers = ridge_arena_array(arena, (size_t)runs->count + 1, sizeof *r.numbers);
    if (r.numbers == NULL)
        return no_memory(&r);
    for (uint32_t i = 0; i < runs->count && status == RIDGE_OK; i++)
        status = read_run(&r, &runs->u.items[i]);
    return status == RIDGE_OK ? read_rows(&r, rows) : status;
}
