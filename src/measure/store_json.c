/* The JSON of store_text.h, read: {"ridge": ..., "runs": [...], "rows": [...]}, rows in the order of their runs. */
#include "measure/store_fields.h"
#include "measure/store_text.h"

typedef struct json_reading {
    ridge_record_source source;
    ridge_collection all;
    ridge_int *numbers; /* "run" of each run */
} json_reading;

static ridge_status read_number(json_reading *r, ridge_int *out, const ridge_json *object, const char *key)
{
    const ridge_json *v = ridge_json_get(object, key);
    if (!v || v->type != RIDGE_JSON_NUMBER || !ridge_int_parse(out, v->u.text) || *out < 0 || *out > UINT32_MAX)
        return ridge_record_at(&r->source, ridge_fail(r->source.err, RIDGE_VALUE, "%s: wanted a whole number from 0 to 4294967295", key),
                               v ? v : object);
    return RIDGE_OK;
}

/* ---- runs and rows ---- */

static ridge_status read_run(json_reading *r, const ridge_json *v)
{
    static const char *const more[] = {"run", "row_count", NULL};
    ridge_int count = 0;
    ridge_status st = ridge_record_need(&r->source, v, RIDGE_JSON_OBJECT, "a run");
    if (st || (st = ridge_record_keys(&ridge_store_run_record, v, more, &r->source)))
        return st;
    ridge_store_run *run = ridge_collection_run(&r->all);
    if (!run)
        return ridge_no_memory(r->source.err);
    if ((st = read_number(r, &r->numbers[r->all.m->run_count - 1], v, "run")) || (st = read_number(r, &count, v, "row_count")) ||
        (st = ridge_record_read(run, &ridge_store_run_record, v, &r->source)))
        return st;
    run->row_count = (size_t)count;
    return ridge_record_at(&r->source, ridge_collection_check_uuid(&r->all, r->source.err), v);
}

static ridge_status check_machine(json_reading *r, const ridge_json *v, const ridge_store_run *run)
{
    const ridge_json *machine = ridge_json_get(v, "machine");
    if (!machine || machine->type == RIDGE_JSON_NULL || (machine->type == RIDGE_JSON_STRING && ridge_str_is(machine->u.text, run->machine)))
        return RIDGE_OK;
    return ridge_record_at(&r->source, ridge_fail(r->source.err, RIDGE_VALUE, "machine: its run is of machine %s", run->machine), machine);
}

static ridge_status read_row(json_reading *r, const ridge_json *v, ridge_store_run *run)
{
    ridge_measured_row *row = ridge_collection_row(&r->all);
    if (!row)
        return ridge_no_memory(r->source.err);
    ridge_status st = ridge_record_read(row, &ridge_measured_record, v, &r->source);
    if (!st)
        st = check_machine(r, v, run);
    if (st)
        return st;
    row->run = run->id;
    row->machine = run->machine;
    if (run->rows++ == 0)
        run->first = r->all.m->row_count - 1;
    return ridge_record_at(&r->source, ridge_row_check(row, r->source.err), v);
}

/* *at: the run of the row before, and then of this one */
static ridge_status find_run(json_reading *r, size_t *at, const ridge_json *v)
{
    static const char *const more[] = {"run", "machine", NULL};
    ridge_int number;
    ridge_status st = ridge_record_need(&r->source, v, RIDGE_JSON_OBJECT, "a row");
    if (st || (st = ridge_record_keys(&ridge_measured_record, v, more, &r->source)) || (st = read_number(r, &number, v, "run")))
        return st;
    size_t n = r->all.m->run_count;
    while (*at < n && r->numbers[*at] != number)
        ++*at;
    if (*at < n)
        return RIDGE_OK;
    return ridge_record_at(
        &r->source, ridge_fail(r->source.err, RIDGE_VALUE, "run: there is no such run, or its rows are not in the order of the runs"),
        ridge_json_get(v, "run"));
}

static ridge_status read_rows(json_reading *r, const ridge_json *rows)
{
    size_t at = 0;
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < rows->count && !st; i++)
        if (!(st = find_run(r, &at, &rows->u.items[i])))
            st = read_row(r, &rows->u.items[i], &r->all.m->runs[at]);
    for (size_t i = 0; i < r->all.m->run_count && !st; i++) {
        ridge_measurements one = {.runs = &r->all.m->runs[i], .run_count = 1};
        ridge_collection c = {.m = &one};
        st = ridge_record_at(&r->source, ridge_collection_check_count(&c, r->source.err), rows);
    }
    return st;
}

static ridge_status read_list(json_reading *r, const ridge_json **out, const ridge_json *root, const char *key)
{
    *out = ridge_json_get(root, key);
    if (!*out)
        return ridge_record_at(
            &r->source, ridge_fail(r->source.err, RIDGE_NAME, "the key '%s' is missing: this is no export of ridge history", key), root);
    return ridge_record_need(&r->source, *out, RIDGE_JSON_ARRAY, key);
}

ridge_status ridge_measurements_read_root(ridge_measurements *out, const ridge_json *root, const ridge_record_source *source)
{
    json_reading r = {.source = *source, .all = {.m = out, .arena = source->arena}};
    const ridge_json *runs, *rows;
    *out = (ridge_measurements){0};
    ridge_status st = ridge_record_need(source, root, RIDGE_JSON_OBJECT, "measurements");
    if (st || (st = read_list(&r, &runs, root, "runs")) || (st = read_list(&r, &rows, root, "rows")))
        return st;
    r.numbers = ridge_arena_array(source->arena, (size_t)runs->count + 1, sizeof *r.numbers);
    if (!r.numbers)
        return ridge_no_memory(source->err);
    for (uint32_t i = 0; i < runs->count && !st; i++)
        st = read_run(&r, &runs->u.items[i]);
    ridge_collection_end(&r.all);
    return !st ? read_rows(&r, rows) : st;
}

ridge_status ridge_measurements_read_json(ridge_measurements *out, ridge_str text, const char *file, ridge_arena *arena, ridge_err *err)
{
    const ridge_record_source source = {text, file, arena, err};
    ridge_json *root;
    *out = (ridge_measurements){0};
    ridge_status st = ridge_json_parse(&root, text, file, (ridge_json_options){.unique_keys = true}, arena, err);
    return st ? st : ridge_measurements_read_root(out, root, &source);
}
