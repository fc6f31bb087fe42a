/* ridge db: the catalog as a database. */
#include "entries/db.h"

#include "base/file.h"
#include "catalog/learned.h"
#include "command/command.h"

#define CATALOG(type) RIDGE_TABLE(ridge_options_catalog, offsetof(type, catalog), "Catalog")
#define OUTPUT        RIDGE_TABLE_OF_CALL(ridge_options_output, NULL)

/* ---- list ---- */

typedef struct list_request {
    ridge_db_list_request list;
    ridge_catalog_options catalog;
} list_request;

static ridge_status run_list(ridge_call *call, const void *values, ridge_err *err)
{
    const list_request *r = values;
    ridge_registry *registry;
    ridge_db_list_answer answer;
    ridge_status st;
    if ((st = ridge_call_registry(&registry, call, &r->catalog, err)) || (st = ridge_learned_load_all(registry, err)) ||
        (st = ridge_db_list_answer_make(&answer, registry, &r->list, &call->arena, err)))
        return st;
    if (call->form != RIDGE_FORM_TEXT)
        return ridge_call_rows(call, &ridge_db_list_record, &answer, &ridge_db_row_record, answer.rows, answer.count, err);
    ridge_db_list_text(&call->data, &answer);
    return RIDGE_OK;
}

static const ridge_command cmd_list = {
    .name = "list",
    .summary = "entries with their kind, validation status and origin",
    .example = "ridge db list --library torch",
    .operands = RIDGE_OPERAND(list_request, list.text, "[TEXT]", 0, "part of a name"),
    .tables = {{RIDGE_TABLE(ridge_options_db_list, offsetof(list_request, list), NULL)}, {OUTPUT}, {CATALOG(list_request)}},
    .request_size = sizeof(list_request),
    .run = run_list,
    .records = {&ridge_db_list_record},
};

/* ---- show ---- */

typedef struct show_request {
    ridge_db_show_request show;
    ridge_catalog_options catalog;
} show_request;

static ridge_status run_show(ridge_call *call, const void *values, ridge_err *err)
{
    const show_request *r = values;
    ridge_registry *registry;
    ridge_db_show_answer answer;
    ridge_status st;
    if ((st = ridge_call_registry(&registry, call, &r->catalog, err)) || (st = ridge_learned_load_all(registry, err)) ||
        (st = ridge_db_show_answer_make(&answer, registry, &r->show, &call->arena, err)))
        return st;
    if (call->form != RIDGE_FORM_TEXT)
        return ridge_call_rows(call, &ridge_db_show_record, &answer, &ridge_db_line_record, answer.lines, answer.count, err);
    ridge_db_show_text(&call->data, &answer);
    return RIDGE_OK;
}

static const ridge_command cmd_show = {
    .name = "show",
    .summary = "one entry: its fields after inheritance, what it needs, who uses it",
    .example = "ridge db show torch.nn.Linear",
    .details = "NAME is a key (torch__nn__Linear), the same with dots, or a class path (torch.nn.modules.linear.Linear).",
    .operands = RIDGE_OPERAND(show_request, show.name, "NAME", 1, "the entry"),
    .tables = {{RIDGE_TABLE(ridge_options_db_show, offsetof(show_request, show), NULL)}, {OUTPUT}, {CATALOG(show_request)}},
    .request_size = sizeof(show_request),
    .run = run_show,
    .records = {&ridge_db_show_record},
};

/* ---- check ---- */

typedef struct check_request {
    ridge_words files;
    ridge_catalog_options catalog;
} check_request;

/* without files: the whole merged database; with files: those, over the built-in catalog, the user's own and --catalog */
static ridge_status load(ridge_check *check, const check_request *r)
{
    ridge_status st = RIDGE_OK;
    const char *user = r->catalog.builtin_only ? NULL : ridge_registry_user_folder(check->arena);
    if (user && ridge_file_is_folder(user) && !(st = ridge_user_catalog_settle(user, check->arena, check->err)))
        st = ridge_check_load(check, user);
    for (size_t i = 0; i < r->catalog.folders.count && !st; i++)
        st = ridge_check_load(check, r->catalog.folders.items[i]);
    check->only_user = r->files.count > 0;
    check->from_user = r->files.count > 0 ? check->registry->user_count : 0;
    for (size_t i = 0; i < r->files.count && !st; i++)
        st = ridge_check_load(check, r->files.items[i]);
    return st;
}

static ridge_status write_check(ridge_call *call, const ridge_db_check_answer *answer, ridge_err *err)
{
    if (call->form != RIDGE_FORM_TEXT)
        return ridge_call_rows(call, &ridge_db_check_record, answer, &ridge_db_problem_record, answer->problems, answer->count, err);
    ridge_db_check_text(&call->data, answer, &call->arena);
    return RIDGE_OK;
}

/* what is wrong with a file is an answer: the registry is opened without those that opening would refuse */
static ridge_status run_check(ridge_call *call, const void *values, ridge_err *err)
{
    ridge_registry *registry;
    ridge_check check;
    ridge_db_check_answer answer;
    ridge_status st = ridge_registry_open(&registry, NULL, 0, false, err);
    if (st)
        return st;
    ridge_check_init(&check, registry, &call->arena, err);
    if (!(st = load(&check, values)) && !(st = ridge_db_check(&answer, &check)) && !(st = write_check(call, &answer, err)) &&
        answer.errors > 0)
        st = ridge_fail(err, RIDGE_CHECK, "the catalog has %zu %s", answer.errors, answer.errors == 1 ? "error" : "errors");
    ridge_registry_close(registry);
    return st;
}

static const ridge_command cmd_check = {
    .name = "check",
    .summary = "everything that is wrong with catalog files",
    .example = "ridge db check my_modules.json",
    .details =
        "Looks at JSON, fields, names, arity, unknown modules, cycles, examples, overrides, source locations, and at the totals of entries "
        "of the flat form, and tells which shipped models an override changes. Without FILE: the whole merged database. Exits with 3 where "
        "there are errors.",
    .operands = RIDGE_OPERANDS(check_request, files, "[FILE|FOLDER...]", 0, 0,
                               "catalog files, looked at on top of the built-in catalog and your own", .reach = RIDGE_REACH_FILE),
    .tables = {{OUTPUT}, {CATALOG(check_request)}},
    .request_size = sizeof(check_request),
    .heavy = true,
    .run = run_check,
    .records = {&ridge_db_check_record},
};

/* ---- export ---- */

typedef struct export_request {
    const char *output;
    ridge_catalog_options catalog;
} export_request;

static const ridge_option export_options[] = {
    RIDGE_STRING(export_request, output, "output", 'o', "FILE", "write there, replacing the file atomically, instead of stdout",
                 .reach = RIDGE_REACH_OUTPUT),
    RIDGE_OPTION_END,
};

static ridge_status run_export(ridge_call *call, const void *values, ridge_err *err)
{
    const export_request *r = values;
    ridge_registry *registry;
    ridge_buf text = {0};
    ridge_status st = ridge_call_registry(&registry, call, &r->catalog, err);
    if (st || !r->output)
        return st ? st : ridge_db_export(&call->data, registry, err);
    if (!(st = ridge_db_export(&text, registry, err)))
        st = ridge_file_write_atomic(r->output, (ridge_str){text.p, text.n}, err);
    ridge_buf_free(&text);
    return st;
}

static const ridge_command cmd_export = {
    .name = "export",
    .summary = "the merged database as one module_db.json",
    .example = "ridge db export --output module_db.json",
    .tables = {{RIDGE_TABLE(export_options, 0, NULL)}, {CATALOG(export_request)}},
    .request_size = sizeof(export_request),
    .run = run_export,
};

/* ---- add ---- */

static ridge_status run_add(ridge_call *call, const void *values, ridge_err *err)
{
    ridge_registry *registry;
    ridge_check check;
    ridge_db_add_answer answer;
    ridge_status st = ridge_registry_open(&registry, NULL, 0, false, err);
    if (st)
        return st;
    ridge_check_init(&check, registry, &call->arena, err);
    if ((st = ridge_db_add(&answer, &check, values)) == RIDGE_CHECK)
        (void)write_check(call, &answer.check, err);
    else if (!st && call->form == RIDGE_FORM_TEXT)
        ridge_db_add_text(&call->data, &answer, &call->arena);
    else if (!st)
        st = ridge_call_rows(call, &ridge_db_add_record, &answer, &ridge_db_added_record, answer.entries, answer.count, err);
    ridge_registry_close(registry);
    return st;
}

static const ridge_command cmd_add = {
    .name = "add",
    .summary = "put the entries of a file into your own catalog",
    .example = "ridge db add my_modules.json",
    .details =
        "The entries are checked first; with errors nothing is added. They go into $XDG_DATA_HOME/ridge/catalog/user.json, all or none, "
        "and add to or override the built-in ones from then on.",
    .operands = RIDGE_OPERAND(ridge_db_add_request, file, "FILE", 1, "a catalog file", .reach = RIDGE_REACH_FILE),
    .tables = {{RIDGE_TABLE(ridge_options_db_add, 0, NULL)}, {OUTPUT}},
    .request_size = sizeof(ridge_db_add_request),
    .effect = RIDGE_EFFECT_KEEPS,
    .run = run_add,
    .records = {&ridge_db_add_record, &ridge_db_check_record},
};

/* ---- the group ---- */

static const ridge_command *const commands[] = {&cmd_list, &cmd_show, &cmd_check, &cmd_export, &cmd_add, NULL};

const ridge_command ridge_cmd_db = {
    .name = "db",
    .group = "Catalog",
    .summary = "the catalog: list, show, check, export and add entries",
    .example = "ridge db show torch.nn.Linear",
    .commands = commands,
};
