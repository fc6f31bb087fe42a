/* ridge db: the catalog as a database. */
#include "entries/db.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/workload.h"

/* ---- list ---- */

typedef struct list_view {
    int kind;
    const char *library;
} list_view;

typedef struct list_args {
    ridge_words words;
    ridge_output_args output;
    ridge_catalog_args catalog;
    list_view view;
} list_args;

/* 0: any, else the kind + 1 */
static const char *const kinds[] = {"any",
#define X(code, name) name,
                                    RIDGE_KIND_LIST(X)
#undef X
                                        NULL};

static const ridge_option list_options[] = {
    RIDGE_CHOICE(list_view, kind, "kind", 'k', kinds, "entries of one kind"),
    RIDGE_STRING(list_view, library, "library", 'l', "NAME", "entries of one library: torch, transformers, ..."),
    RIDGE_OPTION_END,
};

static ridge_status run_list(ridge_io *io, const void *values, ridge_err *err)
{
    const list_args *args = values;
    ridge_registry *registry;
    ridge_db_filter filter = {args->words.count ? args->words.items[0] : NULL, args->view.library, args->view.kind - 1};
    ridge_status st = ridge_catalog_open(&registry, &args->catalog, err);
    if (st)
        return st;
    st = ridge_db_list(&io->data, registry, &filter, args->output.as == RIDGE_OUTPUT_JSON, &io->arena, err);
    ridge_registry_close(registry);
    return st;
}

static const ridge_command cmd_list = {
    .name = "list",
    .summary = "entries with their kind, validation status and origin",
    .example = "ridge db list --library torch",
    .operands = RIDGE_OPERANDS(list_args, words, "[TEXT]", 0, 1, "part of a name"),
    .tables = {{list_options, offsetof(list_args, view), NULL},
               {ridge_options_json, offsetof(list_args, output), NULL},
               {ridge_options_catalog, offsetof(list_args, catalog), "Catalog"}},
    .args_size = sizeof(list_args),
    .run = run_list,
};

/* ---- show ---- */

typedef struct show_view {
    bool recursive;
} show_view;

typedef struct show_args {
    ridge_words words;
    ridge_output_args output;
    ridge_catalog_args catalog;
    show_view view;
} show_args;

static const ridge_option show_options[] = {
    RIDGE_FLAG(show_view, recursive, "recursive", 'r', "dependencies as a tree, down to the leaves"),
    RIDGE_OPTION_END,
};

static ridge_status run_show(ridge_io *io, const void *values, ridge_err *err)
{
    const show_args *args = values;
    ridge_registry *registry;
    ridge_source *source;
    ridge_status st = ridge_catalog_open(&registry, &args->catalog, err);
    if (st)
        return st;
    if (!(st = ridge_db_find(&source, registry, args->words.items[0], err)))
        st = ridge_db_show(&io->data, registry, source, args->view.recursive, args->output.as == RIDGE_OUTPUT_JSON, &io->arena, err);
    ridge_registry_close(registry);
    return st;
}

static const ridge_command cmd_show = {
    .name = "show",
    .summary = "one entry: its fields after inheritance, what it needs, who uses it",
    .example = "ridge db show torch.nn.Linear",
    .details = "NAME is a key (torch__nn__Linear), the same with dots, or a class path (torch.nn.modules.linear.Linear).",
    .operands = RIDGE_OPERANDS(show_args, words, "NAME", 1, 1, "the entry"),
    .tables = {{show_options, offsetof(show_args, view), NULL},
               {ridge_options_json, offsetof(show_args, output), NULL},
               {ridge_options_catalog, offsetof(show_args, catalog), "Catalog"}},
    .args_size = sizeof(show_args),
    .run = run_show,
};

/* ---- check ---- */

typedef struct check_args {
    ridge_words words;
    ridge_output_args output;
    ridge_catalog_args catalog;
} check_args;

/* without files: the whole merged database; with files: those, over the built-in catalog, the user's own and --catalog */
static ridge_status load(ridge_check *check, const check_args *args)
{
    ridge_status st = RIDGE_OK;
    const char *user = args->catalog.builtin_only ? NULL : ridge_registry_user_folder(check->arena);
    if (user && ridge_file_is_folder(user))
        st = ridge_check_load(check, user);
    for (size_t i = 0; i < args->catalog.folders.count && !st; i++)
        st = ridge_check_load(check, args->catalog.folders.items[i]);
    check->only_user = args->words.count > 0;
    check->from_user = args->words.count ? check->registry->user_count : 0;
    for (size_t i = 0; i < args->words.count && !st; i++)
        st = ridge_check_load(check, args->words.items[i]);
    return st;
}

static ridge_status run_check(ridge_io *io, const void *values, ridge_err *err)
{
    const check_args *args = values;
    ridge_registry *registry;
    ridge_check check;
    ridge_status st = ridge_registry_open(&registry, NULL, 0, false, err);
    if (st)
        return st;
    ridge_check_init(&check, registry, &io->arena, err);
    if (!(st = load(&check, args)) && !(st = ridge_db_check(&check))) {
        ridge_db_check_write(&io->data, &check, args->output.as == RIDGE_OUTPUT_JSON);
        if (check.errors)
            st = ridge_fail(err, RIDGE_CHECK, "the catalog has %zu %s", check.errors, check.errors == 1 ? "error" : "errors");
    }
    ridge_registry_close(registry);
    return st;
}

static const ridge_command cmd_check = {
    .name = "check",
    .summary = "everything that is wrong with catalog files",
    .example = "ridge db check my_modules.json",
    .details =
        "Looks at JSON, fields, names, arity, unknown modules, cycles, examples, overrides, source locations, and at the totals of entries "
        "of the flat form. Without FILE: the whole merged database. Exits with 3 where there are errors.",
    .operands =
        RIDGE_OPERANDS(check_args, words, "[FILE|FOLDER...]", 0, 0, "catalog files, looked at on top of the built-in catalog and your own"),
    .tables = {{ridge_options_json, offsetof(check_args, output), NULL}, {ridge_options_catalog, offsetof(check_args, catalog), "Catalog"}},
    .args_size = sizeof(check_args),
    .run = run_check,
};

/* ---- export ---- */

typedef struct export_view {
    const char *output;
} export_view;

typedef struct export_args {
    ridge_catalog_args catalog;
    export_view view;
} export_args;

static const ridge_option export_options[] = {
    RIDGE_STRING(export_view, output, "output", 'o', "FILE", "write there, replacing the file atomically, instead of stdout"),
    RIDGE_OPTION_END,
};

static ridge_status run_export(ridge_io *io, const void *values, ridge_err *err)
{
    const export_args *args = values;
    ridge_registry *registry;
    ridge_buf text = {0};
    ridge_status st = ridge_catalog_open(&registry, &args->catalog, err);
    if (st)
        return st;
    if (!args->view.output)
        st = ridge_db_export(&io->data, registry, err);
    else if (!(st = ridge_db_export(&text, registry, err)))
        st = ridge_file_write_atomic(args->view.output, (ridge_str){text.p, text.n}, err);
    ridge_buf_free(&text);
    ridge_registry_close(registry);
    return st;
}

static const ridge_command cmd_export = {
    .name = "export",
    .summary = "the merged database as one module_db.json",
    .example = "ridge db export --output module_db.json",
    .tables = {{export_options, offsetof(export_args, view), NULL}, {ridge_options_catalog, offsetof(export_args, catalog), "Catalog"}},
    .args_size = sizeof(export_args),
    .run = run_export,
};

/* ---- add ---- */

typedef struct add_view {
    bool replace;
} add_view;

typedef struct add_args {
    ridge_words words;
    ridge_output_args output;
    add_view view;
} add_args;

static const ridge_option add_options[] = {
    RIDGE_FLAG(add_view, replace, "replace", 0, "replace entries that you added before"),
    RIDGE_OPTION_END,
};

static void write_added(ridge_io *io, ridge_registry *registry, const ridge_db_added *added, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ridge_buf_addf(&io->data, "%-10s  %s\n", ridge_change_names[added[i].change], ridge_registry_path(registry, added[i].key));
    if (!count)
        ridge_buf_addz(&io->data, "nothing to add: the file has no entries\n");
}

static void write_added_json(ridge_io *io, ridge_registry *registry, const ridge_db_added *added, size_t count)
{
    ridge_json_writer w;
    ridge_jw_answer(&w, &io->data);
    ridge_jw_key(&w, "entries");
    ridge_jw_array(&w);
    for (size_t i = 0; i < count; i++) {
        ridge_jw_object_compact(&w);
        ridge_jw_member_text(&w, "name", ridge_registry_path(registry, added[i].key));
        ridge_jw_member_text(&w, "change", ridge_change_names[added[i].change]);
        ridge_jw_end_object(&w);
    }
    ridge_jw_end_array(&w);
    ridge_jw_end_object(&w);
    ridge_buf_addc(&io->data, '\n');
}

static ridge_status run_add(ridge_io *io, const void *values, ridge_err *err)
{
    const add_args *args = values;
    bool json = args->output.as == RIDGE_OUTPUT_JSON;
    ridge_registry *registry;
    ridge_db_added *added;
    ridge_check check;
    size_t count;
    ridge_status st = ridge_registry_open(&registry, NULL, 0, false, err);
    if (st)
        return st;
    ridge_check_init(&check, registry, &io->arena, err);
    st = ridge_db_add(&added, &count, &check, args->words.items[0], args->view.replace);
    if (st == RIDGE_CHECK || (!st && check.n && !json))
        ridge_db_check_write(&io->data, &check, json);
    if (!st && json)
        write_added_json(io, registry, added, count);
    else if (!st)
        write_added(io, registry, added, count);
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
    .operands = RIDGE_OPERANDS(add_args, words, "FILE", 1, 1, "a catalog file"),
    .tables = {{add_options, offsetof(add_args, view), NULL}, {ridge_options_json, offsetof(add_args, output), NULL}},
    .args_size = sizeof(add_args),
    .run = run_add,
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
