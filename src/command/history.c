/* ridge history: what was measured (measure/store.h): list, show, delete, export, import. */
#include "bench/history.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/store.h"
#include "measure/store_text.h"

#define IMPORT_LIMIT ((size_t)1 << 30)

static void write_json(ridge_buf *out, const ridge_measurements *m, bool rows)
{
    ridge_json_writer w;
    ridge_jw_answer(&w, out);
    ridge_measurements_json(&w, m, rows);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
}

/* ---- list ---- */

typedef struct list_view {
    const char *kernel, *format, *machine, *since;
    ridge_words sizes;
    int64_t last;
    bool runs;
} list_view;

typedef struct list_args {
    ridge_output_args output;
    ridge_store_args store;
    list_view view;
} list_args;

static const ridge_option list_options[] = {
    RIDGE_STRING(list_view, kernel, "kernel", 'k', "KERNEL", "rows of one kernel: gemv, attention, ..."),
    RIDGE_STRING(list_view, format, "format", 'f', "FMT", "rows whose weights are in this format"),
    RIDGE_LIST(list_view, sizes, "size", 0, "NAME=VALUE", "rows whose shape has this size: n=14336 (repeatable; all must fit)"),
    RIDGE_STRING(list_view, machine, "machine", 'm', "M", "runs of this machine: this, all, or the first digits of a fingerprint"),
    RIDGE_STRING(list_view, since, "since", 0, "DATE", "runs from then on, UTC: 2026-11-21 or 2026-11-21T16:00:00Z"),
    RIDGE_INT(list_view, last, "last", 'n', "N", 1, 1000000000, "the newest N of these runs"),
    RIDGE_FLAG(list_view, runs, "runs", 0, "list the runs, not their rows"),
    RIDGE_OPTION_END,
};

static ridge_status make_filter(ridge_store_filter *filter, const list_view *view, ridge_arena *arena, ridge_err *err)
{
    const ridge_format *format = view->format ? ridge_format_find(ridge_str_of(view->format)) : NULL;
    *filter = (ridge_store_filter){.kernel = view->kernel, .format = view->format, .since = view->since, .last = (size_t)view->last};
    filter->sizes = view->sizes.items;
    filter->size_count = view->sizes.count;
    filter->runs_only = view->runs;
    if (format) /* float16 is fp16 */
        filter->format = format->name;
    for (size_t i = 0; i < view->sizes.count; i++)
        if (!strchr(view->sizes.items[i], '='))
            return ridge_fail(err, RIDGE_USAGE, "--size: wanted NAME=VALUE (n=14336), found '%s'", view->sizes.items[i]);
    if (view->since && !ridge_store_is_date(ridge_str_of(view->since)))
        return ridge_fail(err, RIDGE_USAGE, "--since: wanted a date like 2026-11-21 or 2026-11-21T16:00:00Z, found '%s'", view->since);
    return ridge_machine_filter(&filter->machine, view->machine, arena, err);
}

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

static ridge_status write_list(ridge_io *io, const ridge_measurements *m, const list_args *args, ridge_err *err)
{
    ridge_output as = args->output.as;
    if (as == RIDGE_OUTPUT_JSON)
        write_json(&io->data, m, !args->view.runs);
    else if (as == RIDGE_OUTPUT_CSV && !args->view.runs)
        ridge_measurements_csv(&io->data, m);
    else if (as == RIDGE_OUTPUT_TEXT && m->run_count == 0)
        ridge_buf_addz(&io->data, "no measurements\n");
    else if (args->view.runs)
        return ridge_history_runs(&io->data, m, ridge_output_style(as), ridge_io_width(io), &io->arena, err);
    else if (as == RIDGE_OUTPUT_TEXT && m->row_count == 0)
        ridge_buf_addf(&io->data, "no rows in %zu %s\n", m->run_count, m->run_count == 1 ? "run" : "runs");
    else
        return ridge_history_rows(&io->data, m, ridge_output_style(as), ridge_io_width(io), &io->arena, err);
    return RIDGE_OK;
}

static ridge_status run_list(ridge_io *io, const void *values, ridge_err *err)
{
    const list_args *args = values;
    ridge_store *store = NULL;
    ridge_store_filter filter;
    ridge_measurements m;
    ridge_status st = make_filter(&filter, &args->view, &io->arena, err);
    if (!st)
        st = ridge_store_args_open(&store, &args->store, false, err);
    if (!st)
        st = check_names(store, &filter, err);
    if (!st)
        st = ridge_store_query(&m, store, &filter, &io->arena, err);
    if (!st)
        st = write_list(io, &m, args, err);
    ridge_store_close(store);
    return st;
}

/* ---- show ---- */

/* of the commands that take operands and no options of their own */
typedef struct words_args {
    ridge_words words;
    ridge_output_args output;
    ridge_store_args store;
} words_args;

static ridge_status run_show(ridge_io *io, const void *values, ridge_err *err)
{
    const words_args *args = values;
    ridge_store *store = NULL;
    ridge_measurements m;
    int64_t run;
    ridge_status st = ridge_run_parse(&run, args->words.items[0], err);
    if (!st)
        st = ridge_store_args_open(&store, &args->store, false, err);
    if (!st)
        st = ridge_store_run_read(&m, store, run, &io->arena, err);
    if (!st && args->output.as == RIDGE_OUTPUT_JSON)
        write_json(&io->data, &m, true);
    else if (!st && args->output.as == RIDGE_OUTPUT_CSV)
        ridge_measurements_csv(&io->data, &m);
    else if (!st && args->output.as == RIDGE_OUTPUT_MARKDOWN)
        st = ridge_history_rows(&io->data, &m, RIDGE_FORM_MARKDOWN, 0, &io->arena, err);
    else if (!st)
        st = ridge_history_show(&io->data, &m, ridge_io_width(io), &io->arena, err);
    ridge_store_close(store);
    return st;
}

static const ridge_command cmd_show = {
    .name = "show",
    .summary = "one run: when, where, with which ridge and settings, and its rows",
    .example = "ridge history show 12",
    .operands = RIDGE_OPERANDS(words_args, words, "RUN", 1, 1, "its number (ridge history --runs)"),
    .tables =
        {
            RIDGE_TABLE(ridge_options_output, offsetof(words_args, output), NULL),
            RIDGE_TABLE(ridge_options_store, offsetof(words_args, store), NULL),
        },
    .args_size = sizeof(words_args),
    .run = run_show,
};

/* ---- delete ---- */

static ridge_status run_delete(ridge_io *io, const void *values, ridge_err *err)
{
    const words_args *args = values;
    ridge_store *store = NULL;
    size_t count = args->words.count;
    int64_t *runs = ridge_arena_array(&io->arena, count, sizeof *runs);
    ridge_status st = runs ? RIDGE_OK : ridge_no_memory(err);
    for (size_t i = 0; i < count && !st; i++)
        st = ridge_run_parse(&runs[i], args->words.items[i], err);
    if (!st)
        st = ridge_store_args_open(&store, &args->store, false, err);
    if (!st)
        st = ridge_store_delete(store, runs, count, err);
    if (!st)
        ridge_buf_addf(&io->data, "deleted %zu %s\n", count, count == 1 ? "run" : "runs");
    ridge_store_close(store);
    return st;
}

static const ridge_command cmd_delete = {
    .name = "delete",
    .summary = "forget runs and their rows, all of those named or none",
    .example = "ridge history delete 3 4",
    .details = "A run that a baseline names is kept: delete the baseline first.",
    .operands = RIDGE_OPERANDS(words_args, words, "RUN...", 1, 0, "their numbers (ridge history --runs)"),
    .tables =
        {
            RIDGE_TABLE(ridge_options_store, offsetof(words_args, store), NULL),
        },
    .args_size = sizeof(words_args),
    .run = run_delete,
};

/* ---- export ---- */

typedef enum export_form { FORM_BY_NAME, FORM_CSV, FORM_JSON } export_form;

typedef struct export_view {
    export_form form;
    const char *machine, *since;
    int64_t last;
} export_view;

typedef struct export_args {
    ridge_words words;
    ridge_store_args store;
    export_view view;
} export_args;

static const ridge_option export_options[] = {
    RIDGE_SET(export_view, form, "csv", 0, FORM_CSV, "write CSV, one line a row (what a file named *.csv gets)"),
    RIDGE_SET(export_view, form, "json", 0, FORM_JSON, "write JSON (the default)"),
    RIDGE_STRING(export_view, machine, "machine", 'm', "M", "runs of this machine: this, all, or the first digits of a fingerprint"),
    RIDGE_STRING(export_view, since, "since", 0, "DATE", "runs from then on, UTC: 2026-11-21 or 2026-11-21T16:00:00Z"),
    RIDGE_INT(export_view, last, "last", 'n', "N", 1, 1000000000, "the newest N of these runs"),
    RIDGE_OPTION_END,
};

static ridge_status write_export(ridge_io *io, const ridge_measurements *m, const export_args *args, ridge_err *err)
{
    const char *file = args->words.count > 0 && strcmp(args->words.items[0], "-") != 0 ? args->words.items[0] : NULL;
    bool csv =
        args->view.form == FORM_CSV || (args->view.form == FORM_BY_NAME && file && ridge_str_ends(ridge_str_of(file), RIDGE_STR(".csv")));
    ridge_buf text = {0}, *out = file ? &text : &io->data;
    ridge_status st = RIDGE_OK;
    if (csv)
        ridge_measurements_csv(out, m);
    else
        write_json(out, m, true);
    if (out->failed)
        st = ridge_no_memory(err);
    else if (file && !(st = ridge_file_write_atomic(file, (ridge_str){text.p, text.n}, err)))
        ridge_buf_addf(&io->data, "exported %zu %s with %zu %s to %s\n", m->run_count, m->run_count == 1 ? "run" : "runs", m->row_count,
                       m->row_count == 1 ? "row" : "rows", file);
    ridge_buf_free(&text);
    return st;
}

static ridge_status run_export(ridge_io *io, const void *values, ridge_err *err)
{
    const export_args *args = values;
    const list_view view = {.machine = args->view.machine, .since = args->view.since, .last = args->view.last};
    ridge_store *store = NULL;
    ridge_store_filter filter;
    ridge_measurements m;
    ridge_status st = make_filter(&filter, &view, &io->arena, err);
    if (!st)
        st = ridge_store_args_open(&store, &args->store, false, err);
    if (!st)
        st = ridge_store_query(&m, store, &filter, &io->arena, err);
    if (!st)
        st = write_export(io, &m, args, err);
    ridge_store_close(store);
    return st;
}

static const ridge_command cmd_export = {
    .name = "export",
    .summary = "whole runs as JSON or CSV, for another machine's `ridge history import` or another program",
    .example = "ridge history export box.json --machine this",
    .operands = RIDGE_OPERANDS(export_args, words, "[FILE]", 0, 1, "replaced atomically; without one, or '-', standard output"),
    .tables =
        {
            RIDGE_TABLE(export_options, offsetof(export_args, view), NULL),
            RIDGE_TABLE(ridge_options_store, offsetof(export_args, store), NULL),
        },
    .args_size = sizeof(export_args),
    .run = run_export,
};

/* ---- import ---- */

/* every file is read before the first run is written */
static ridge_status read_files(ridge_measurements *m, const ridge_words *files, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < files->count && !st; i++) {
        ridge_str text;
        st = ridge_file_read(&text, files->items[i], IMPORT_LIMIT, arena, err);
        if (!st)
            st = ridge_measurements_read(&m[i], text, files->items[i], arena, err);
    }
    return st;
}

static ridge_status run_import(ridge_io *io, const void *values, ridge_err *err)
{
    const words_args *args = values;
    ridge_store *store = NULL;
    size_t added, known;
    ridge_measurements *m = ridge_arena_array(&io->arena, args->words.count, sizeof *m);
    ridge_status st = m ? read_files(m, &args->words, &io->arena, err) : ridge_no_memory(err);
    if (!st)
        st = ridge_store_args_open(&store, &args->store, true, err);
    if (!st)
        st = ridge_store_merge(&added, &known, store, m, args->words.count, err);
    if (!st)
        ridge_buf_addf(&io->data, "imported %zu %s; %zu %s there already\n", added, added == 1 ? "run" : "runs", known,
                       known == 1 ? "was" : "were");
    ridge_store_close(store);
    return st;
}

static const ridge_command cmd_import = {
    .name = "import",
    .summary = "add the runs of exported files, of this machine or others",
    .example = "ridge history import box.json laptop.csv",
    .details = "All files or none. A run that is there already is left as it is, so importing a file twice adds nothing. Rows keep the "
               "fingerprint of the machine they were measured on.",
    .operands = RIDGE_OPERANDS(words_args, words, "FILE...", 1, 0, "CSV or JSON of `ridge history export`"),
    .tables =
        {
            RIDGE_TABLE(ridge_options_store, offsetof(words_args, store), NULL),
        },
    .args_size = sizeof(words_args),
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
    .tables =
        {
            RIDGE_TABLE(list_options, offsetof(list_args, view), NULL),
            RIDGE_TABLE(ridge_options_output, offsetof(list_args, output), NULL),
            RIDGE_TABLE(ridge_options_store, offsetof(list_args, store), NULL),
        },
    .args_size = sizeof(list_args),
    .run = run_list,
    .commands = commands,
};
