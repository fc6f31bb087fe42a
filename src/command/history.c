/* ridge history: what was measured (measure/store.h): list, show, delete, export, import. */
#include "bench/history.h"
#include "bench/points.h"

#include "base/file.h"
#include "command/command.h"
#include "command/store.h"
#include "measure/store_text.h"

#define IMPORT_LIMIT ((size_t)1 << 30)

/* ---- list ---- */

typedef struct history_list_request {
    ridge_store_filter filter;
    ridge_store_options store;
} history_list_request;

/* names that no row has are an error, a filter that fits nothing is an answer */
static ridge_status check_names(ridge_store *store, const ridge_store_filter *filter, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    if (filter->kernel)
        st = ridge_store_check_name(store, "kernel", filter->kernel, err);
    if (!st && filter->format)
        st = ridge_store_check_name(store, "format", filter->format, err);
    return st;
}

static ridge_status print_list(ridge_call *call, const ridge_measurements *m, bool runs, ridge_err *err)
{
    const bool text = call->form == RIDGE_FORM_TEXT;
    if (call->form == RIDGE_FORM_JSON)
        ridge_record_answer(&call->data, runs ? &ridge_runs_record : &ridge_measurements_record, m);
    else if (call->form == RIDGE_FORM_CSV && !runs)
        ridge_measurements_csv(&call->data, m);
    else if (text && m->run_count == 0)
        ridge_buf_addz(&call->data, "no measurements\n");
    else if (runs)
        return ridge_call_table(call, &ridge_history_run_record, m->runs, m->run_count, err);
    else if (text && m->row_count == 0)
        ridge_buf_addf(&call->data, "no rows in %zu run%s\n", m->run_count, RIDGE_PLURAL(m->run_count));
    else
        return ridge_history_rows(&call->data, m, call->form, call->width, &call->arena, err);
    return RIDGE_OK;
}

static ridge_status run_list(ridge_call *call, const void *values, ridge_err *err)
{
    const history_list_request *r = values;
    ridge_store *store;
    ridge_measurements m;
    ridge_status st = ridge_store_options_open(&store, &r->store, false, err);
    if (!st && !(st = check_names(store, &r->filter, err)) && !(st = ridge_store_query(&m, store, &r->filter, &call->arena, err)))
        st = print_list(call, &m, r->filter.runs_only, err);
    ridge_store_close(store);
    return st;
}

/* ---- show ---- */

typedef struct history_show_request {
    const char *run;
    ridge_store_options store;
} history_show_request;

static ridge_status print_run(ridge_call *call, const ridge_measurements *m, ridge_err *err)
{
    if (call->form == RIDGE_FORM_MARKDOWN)
        return ridge_history_rows(&call->data, m, call->form, 0, &call->arena, err);
    if (call->form == RIDGE_FORM_TEXT)
        return ridge_history_show(&call->data, m, call->width, &call->arena, err);
    return print_list(call, m, false, err);
}

static ridge_status run_show(ridge_call *call, const void *values, ridge_err *err)
{
    const history_show_request *r = values;
    ridge_store *store = NULL;
    ridge_measurements m;
    int64_t run;
    ridge_status st = ridge_run_parse(&run, r->run, err);
    if (!st && !(st = ridge_store_options_open(&store, &r->store, false, err)) &&
        !(st = ridge_store_run_read(&m, store, run, &call->arena, err)))
        st = print_run(call, &m, err);
    ridge_store_close(store);
    return st;
}

static const ridge_command cmd_show = {
    .name = "show",
    .summary = "one run: when, where, with which ridge and settings, and its rows",
    .example = "ridge history show 12",
    .operands = RIDGE_OPERAND(history_show_request, run, "RUN", 1, "its number (ridge history " RIDGE_OPT("runs") ")"),
    .tables = {{RIDGE_TABLE_OF_CALL(ridge_options_output, NULL)}, RIDGE_TABLE_STORE_READ(history_show_request, store)},
    .request_size = sizeof(history_show_request),
    .run = run_show,
    .records = {&ridge_measurements_record},
};

/* ---- delete ---- */

typedef struct history_words_request {
    ridge_words words;
    ridge_store_options store;
} history_words_request;

static ridge_status run_delete(ridge_call *call, const void *values, ridge_err *err)
{
    const history_words_request *r = values;
    ridge_store *store = NULL;
    size_t count = r->words.count;
    int64_t *runs = ridge_arena_array(&call->arena, count, sizeof *runs);
    ridge_status st = runs ? RIDGE_OK : ridge_no_memory(err);
    for (size_t i = 0; i < count && !st; i++)
        st = ridge_run_parse(&runs[i], r->words.items[i], err);
    if (!st && !(st = ridge_store_options_open(&store, &r->store, false, err)) && !(st = ridge_store_delete(store, runs, count, err)))
        ridge_buf_addf(&call->data, "deleted %zu run%s\n", count, RIDGE_PLURAL(count));
    ridge_store_close(store);
    return st;
}

static const ridge_command cmd_delete = {
    .name = "delete",
    .summary = "forget runs and their rows, all of those named or none",
    .example = "ridge history delete 3 4",
    .details = "A run that a baseline names is kept: delete the baseline first.",
    .operands = RIDGE_OPERANDS(history_words_request, words, "RUN...", 1, 0, "their numbers (ridge history " RIDGE_OPT("runs") ")"),
    .tables = {RIDGE_TABLE_STORE_READ(history_words_request, store)},
    .request_size = sizeof(history_words_request),
    .effect = RIDGE_EFFECT_KEEPS,
    .run = run_delete,
};

/* ---- export ---- */

typedef enum export_form { FORM_BY_NAME, FORM_CSV, FORM_JSON } export_form;

typedef struct history_export_request {
    const char *file;
    export_form form;
    ridge_store_filter filter;
    ridge_store_options store;
} history_export_request;

static const ridge_option export_options[] = {
    RIDGE_SET(history_export_request, form, "csv", 0, FORM_CSV, "write CSV, one line a row (what a file named *.csv gets)"),
    RIDGE_SET(history_export_request, form, "json", 0, FORM_JSON, "write JSON (the default)"),
    RIDGE_OPTION_END,
};
static const char *const whole_runs[] = {"machine", "since", "last", NULL};

static ridge_status write_export(ridge_call *call, const ridge_measurements *m, const history_export_request *r, ridge_err *err)
{
    const char *file = r->file && strcmp(r->file, "-") != 0 ? r->file : NULL;
    bool csv = r->form == FORM_CSV || (r->form == FORM_BY_NAME && file && ridge_str_ends(ridge_str_of(file), RIDGE_STR(".csv")));
    ridge_buf text = {0}, *out = file ? &text : &call->data;
    ridge_status st = RIDGE_OK;
    if (csv)
        ridge_measurements_csv(out, m);
    else
        ridge_record_answer(out, &ridge_measurements_record, m);
    if (out->failed)
        st = ridge_no_memory(err);
    else if (file && !(st = ridge_file_write_atomic(file, (ridge_str){text.p, text.n}, err)))
        ridge_buf_addf(&call->data, "exported %zu run%s with %zu row%s to %s\n", m->run_count, RIDGE_PLURAL(m->run_count), m->row_count,
                       RIDGE_PLURAL(m->row_count), file);
    ridge_buf_free(&text);
    return st;
}

static ridge_status run_export(ridge_call *call, const void *values, ridge_err *err)
{
    const history_export_request *r = values;
    ridge_store *store;
    ridge_measurements m;
    ridge_status st = ridge_store_options_open(&store, &r->store, false, err);
    if (!st && !(st = ridge_store_query(&m, store, &r->filter, &call->arena, err)))
        st = write_export(call, &m, r, err);
    ridge_store_close(store);
    return st;
}

static const ridge_command cmd_export = {
    .name = "export",
    .summary = "whole runs as JSON or CSV, for another machine's `ridge history import` or another program",
    .example = "ridge history export box.json --machine this",
    .operands = RIDGE_OPERAND(history_export_request, file, "[FILE]", 0, "replaced atomically; without one, or '-', standard output",
                              .reach = RIDGE_REACH_OUTPUT),
    .tables = {{RIDGE_TABLE(export_options, 0, NULL)},
               {.options = ridge_options_store_filter, .offset = offsetof(history_export_request, filter), .only = whole_runs},
               RIDGE_TABLE_STORE_READ(history_export_request, store)},
    .request_size = sizeof(history_export_request),
    .run = run_export,
};

/* ---- import ---- */

typedef struct history_import_request {
    ridge_words files;
    const char *machine;
    ridge_store_options store;
} history_import_request;

static const ridge_option import_options[] = {
    RIDGE_STRING(history_import_request, machine, "machine", 'm', "NAME",
                 "where points were measured: this, or any name; default: what the file says, else unknown"),
    RIDGE_OPTION_END,
};

/* every file is read before the first run is written */
static ridge_status read_files(ridge_measurements *m, const history_import_request *r, ridge_arena *arena, ridge_err *err)
{
    ridge_ops ops = {0};
    ridge_str text;
    const ridge_points_asked asked = {r->machine, &ops, arena, err};
    ridge_status st = ridge_ops_open(&ops, err);
    for (size_t i = 0; i < r->files.count && !st; i++)
        if (!(st = ridge_file_read(&text, r->files.items[i], IMPORT_LIMIT, arena, err)))
            st = ridge_points_or_runs_read(&m[i], text, r->files.items[i], &asked);
    ridge_ops_close(&ops);
    return st;
}

static ridge_status run_import(ridge_call *call, const void *values, ridge_err *err)
{
    const history_import_request *r = values;
    const char *path;
    size_t added, known;
    ridge_measurements *m = ridge_arena_array(&call->arena, r->files.count, sizeof *m);
    ridge_status st = m ? read_files(m, r, &call->arena, err) : ridge_no_memory(err);
    if (!st && !(st = ridge_store_options_path(&path, &r->store, &call->arena, err)) &&
        !(st = ridge_store_import(&added, &known, path, m, r->files.count, err)))
        ridge_buf_addf(&call->data, "imported %zu run%s; %zu %s there already\n", added, RIDGE_PLURAL(added), known,
                       known == 1 ? "was" : "were");
    return st;
}

static const ridge_command cmd_import = {
    .name = "import",
    .summary = "add exported runs, of this machine or others, or points that another program measured",
    .example = "ridge history import box.json laptop.csv",
    .details =
        "All files or none. A run that is there already is left as it is, so importing a file twice adds nothing. Rows keep the "
        "fingerprint of the machine they were measured on. A point is a shape, a format and a time: [{\"shape\": \"4096x4096x4096\", "
        "\"format\": \"bf16\", \"time\": \"0.21 ms\"}], or CSV with such columns; its FLOPs and bytes are the catalog's. "
        "docs/history.md",
    .operands = RIDGE_OPERANDS(history_import_request, files, "FILE...", 1, 0, "CSV or JSON of `ridge history export`, or of points",
                               .reach = RIDGE_REACH_FILE),
    .tables = {{RIDGE_TABLE(import_options, 0, NULL)}, RIDGE_TABLE_STORE_READ(history_import_request, store)},
    .request_size = sizeof(history_import_request),
    .effect = RIDGE_EFFECT_KEEPS,
    .run = run_import,
};

/* ---- the group ---- */

static const ridge_command *const commands[] = {&cmd_show, &cmd_delete, &cmd_export, &cmd_import, NULL};

const ridge_command ridge_cmd_history = {
    .name = "history",
    .group = "Measuring",
    .summary = "what was measured, run by run, on this machine and on others",
    .example = "ridge history --kernel gemv --format q4_K --last 5",
    .details = "Oldest run first. The first column is the kernel with its sizes in order; +-% is half of the 95 % interval of the median; "
               "% of is the share of the ceiling that bounds the row (! where it beats it: then a ceiling or a byte count is wrong).",
    .tables = {{RIDGE_TABLE(ridge_options_store_filter, offsetof(history_list_request, filter), NULL)},
               {RIDGE_TABLE_OF_CALL(ridge_options_output, NULL)},
               RIDGE_TABLE_STORE_READ(history_list_request, store)},
    .request_size = sizeof(history_list_request),
    .run = run_list,
    .records = {&ridge_measurements_record, &ridge_runs_record},
    .commands = commands,
};
