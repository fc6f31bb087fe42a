/* ridge machine: what machines can do; list, show, compare, check, add (machine/machine.h). */
#include "machine/view.h"
#include "base/file.h"
#include "cli/commands.h"
#include "machine/check.h"
#include "machine/folder.h"

enum { FILE_LIMIT = 1 << 20 };

/* ---- list ---- */

typedef struct list_view {
    const char *kind;
} list_view;

typedef struct list_args {
    ridge_output_args output;
    ridge_machines_args machines;
    list_view view;
} list_args;

static const ridge_option list_options[] = {
    RIDGE_STRING(list_view, kind, "kind", 'k', "KIND", "machines of one kind: gpu, cpu, tpu, accelerator, apple"),
    RIDGE_OPTION_END,
};

static ridge_status check_kind(const char *kind, ridge_err *err)
{
    ridge_nearest near = {0};
    if (!kind)
        return RIDGE_OK;
    for (size_t i = 0; ridge_machine_kinds[i]; i++) {
        if (strcmp(kind, ridge_machine_kinds[i]) == 0)
            return RIDGE_OK;
        ridge_nearest_offer(&near, ridge_str_of(kind), ridge_machine_kinds[i]);
    }
    return ridge_fail(err, RIDGE_USAGE, "--kind: unknown kind '%s'; %s%s%s", kind, near.best ? "did you mean '" : "",
                      near.best ? near.best : "there are gpu, cpu, tpu, accelerator, apple", near.best ? "'?" : "");
}

static void list_json(ridge_buf *out, const ridge_machine *const *machines, size_t count)
{
    ridge_json_writer w;
    ridge_jw_answer(&w, out);
    ridge_jw_key(&w, "machines");
    ridge_jw_array(&w);
    for (size_t i = 0; i < count; i++)
        ridge_machine_json(&w, machines[i]);
    ridge_jw_end_array(&w);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
}

static ridge_status list(ridge_io *io, ridge_machines *machines, const list_args *args, ridge_err *err)
{
    const ridge_machine *const *all;
    size_t count, kept = 0;
    ridge_status st = ridge_machines_list(&all, &count, machines, err);
    if (st)
        return st;
    const ridge_machine **chosen = ridge_arena_array(&io->arena, count, sizeof(const ridge_machine *));
    if (!chosen && count > 0)
        return ridge_no_memory(err);
    for (size_t i = 0; i < count; i++)
        if (!args->view.kind || strcmp(all[i]->kind, args->view.kind) == 0)
            chosen[kept++] = all[i];
    if (args->output.as != RIDGE_OUTPUT_JSON)
        return ridge_output_machine_list(&io->data, chosen, kept, ridge_output_style(args->output.as), ridge_io_width(io), &io->arena, err);
    list_json(&io->data, chosen, kept);
    return RIDGE_OK;
}

static ridge_status run_list(ridge_io *io, const void *values, ridge_err *err)
{
    const list_args *args = values;
    ridge_machines *machines;
    ridge_status st = check_kind(args->view.kind, err);
    if (st || (st = ridge_machines_args_open(&machines, &args->machines, err)))
        return st;
    st = list(io, machines, args, err);
    ridge_machines_close(machines);
    return st;
}

static const ridge_command cmd_list = {
    .name = "list",
    .summary = "every machine with its peaks, memory and power",
    .example = "ridge machine list --kind gpu",
    .details = "CSV and JSON have every number in its base unit.",
    .tables =
        {
            RIDGE_TABLE(list_options, offsetof(list_args, view), NULL),
            RIDGE_TABLE(ridge_options_output, offsetof(list_args, output), NULL),
            RIDGE_TABLE(ridge_options_machines, offsetof(list_args, machines), "Machines"),
        },
    .args_size = sizeof(list_args),
    .run = run_list,
};

/* ---- show ---- */

typedef struct names_args {
    ridge_words words;
    ridge_output_args output;
    ridge_machines_args machines;
} names_args;

static void show_json(ridge_buf *out, const ridge_machine *machine)
{
    ridge_json_writer w;
    ridge_jw_answer(&w, out);
    ridge_machine_json_members(&w, machine);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
}

static ridge_status run_show(ridge_io *io, const void *values, ridge_err *err)
{
    const names_args *args = values;
    ridge_machines *machines;
    const ridge_machine *machine;
    ridge_status st = ridge_machines_args_open(&machines, &args->machines, err);
    if (st)
        return st;
    st = ridge_machines_find(&machine, machines, args->words.items[0], err);
    if (!st && args->output.as == RIDGE_OUTPUT_JSON)
        show_json(&io->data, machine);
    else if (!st)
        st = ridge_output_machine(&io->data, machine, ridge_io_width(io), &io->arena, err);
    ridge_machines_close(machines);
    return st;
}

#define NAMES_TABLES(output_table)                                                                                                         \
    {                                                                                                                                      \
        RIDGE_TABLE(output_table, offsetof(names_args, output), NULL),                                                                     \
        {                                                                                                                                  \
            ridge_options_machines, offsetof(names_args, machines), "Machines"                                                             \
        }                                                                                                                                  \
    }

static const ridge_command cmd_show = {
    .name = "show",
    .summary = "one machine: every number with its source, what is not known",
    .example = "ridge machine show h100-sxm-80",
    .operands = RIDGE_OPERANDS(names_args, words, "ID|FILE", 1, 1, "a machine of 'ridge machine list', or a machine's file"),
    .tables = NAMES_TABLES(ridge_options_json),
    .args_size = sizeof(names_args),
    .run = run_show,
};

/* ---- compare ---- */

static ridge_status compare(ridge_io *io, ridge_machines *machines, const names_args *args, ridge_err *err)
{
    size_t count = args->words.count;
    const ridge_machine **chosen = ridge_arena_array(&io->arena, count, sizeof(const ridge_machine *));
    if (!chosen)
        return ridge_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        ridge_status st = ridge_machines_find(&chosen[i], machines, args->words.items[i], err);
        if (st)
            return st;
    }
    if (args->output.as != RIDGE_OUTPUT_JSON)
        return ridge_output_machine_compare(&io->data, chosen, count, ridge_output_style(args->output.as), ridge_io_width(io), &io->arena,
                                            err);
    ridge_json_writer w;
    ridge_jw_answer(&w, &io->data);
    ridge_output_machine_compare_json(&w, chosen, count);
    ridge_jw_end_object(&w);
    ridge_buf_addc(&io->data, '\n');
    return RIDGE_OK;
}

static ridge_status run_compare(ridge_io *io, const void *values, ridge_err *err)
{
    const names_args *args = values;
    ridge_machines *machines;
    ridge_status st = ridge_machines_args_open(&machines, &args->machines, err);
    if (st)
        return st;
    st = compare(io, machines, args, err);
    ridge_machines_close(machines);
    return st;
}

static const ridge_command cmd_compare = {
    .name = "compare",
    .summary = "machines side by side, with ratios to the first",
    .example = "ridge machine compare a100-sxm-80 h100-sxm-80 b200-sxm",
    .operands = RIDGE_OPERANDS(names_args, words, "ID|FILE...", 2, 0, "the machines; the first is what the others are compared with"),
    .tables = NAMES_TABLES(ridge_options_output),
    .args_size = sizeof(names_args),
    .run = run_compare,
};

/* ---- check ---- */

/* the findings of one machine, or the error that kept it from being read */
typedef struct checked {
    const char *id;
    const ridge_machine *machine; /* NULL: not readable */
    ridge_machine_findings findings;
} checked;

static ridge_status check_one(checked *out, ridge_machines *machines, const char *name, ridge_arena *arena, ridge_err *err)
{
    ridge_err cause = {0};
    char text[1200];
    *out = (checked){.id = name};
    if (ridge_machines_find(&out->machine, machines, name, &cause) == RIDGE_OK) {
        out->id = out->machine->id;
        return ridge_machine_check(&out->findings, out->machine, arena, err);
    }
    (void)ridge_err_format(text, sizeof text, &cause);
    out->findings.texts = ridge_arena_array(arena, 1, sizeof *out->findings.texts);
    char *copy = ridge_arena_strdup(arena, ridge_str_of(text));
    if (!out->findings.texts || !copy)
        return ridge_no_memory(err);
    out->findings.texts[0] = copy;
    out->findings.count = 1;
    return RIDGE_OK;
}

/* an error says itself where it is */
static void check_text(ridge_buf *out, const checked *c, int width)
{
    if (!c->machine) {
        ridge_buf_addf(out, "%s\n", c->findings.texts[0]);
        return;
    }
    for (size_t i = 0; i < c->findings.count; i++)
        ridge_buf_addf(out, "%s: %s\n", c->id, c->findings.texts[i]);
    ridge_buf_addf(out, "%s: %s; %zu %s not verified\n", c->id, c->findings.count == 0 ? "fine" : "wrong", c->machine->unverified_count,
                   c->machine->unverified_count == 1 ? "number" : "numbers");
    ridge_output_machine_unknown(out, c->machine, width);
}

static void check_json(ridge_json_writer *w, const checked *c)
{
    ridge_jw_object(w);
    ridge_jw_member_text(w, "id", c->id);
    ridge_jw_key(w, "findings");
    ridge_jw_array(w);
    for (size_t i = 0; i < c->findings.count; i++)
        ridge_jw_strz(w, c->findings.texts[i]);
    ridge_jw_end_array(w);
    ridge_jw_key(w, "unknown");
    ridge_jw_array_compact(w);
    for (ridge_machine_field f = 0; c->machine && f < RIDGE_FIELD_COUNT; f++)
        if (!ridge_field_get(c->machine, f).known)
            ridge_jw_strz(w, ridge_fields[f].name);
    ridge_jw_end_array(w);
    ridge_jw_key(w, "unverified");
    ridge_jw_array_compact(w);
    for (size_t i = 0; c->machine && i < c->machine->unverified_count; i++)
        ridge_jw_strz(w, c->machine->unverified[i]);
    ridge_jw_end_array(w);
    ridge_jw_end_object(w);
}

static ridge_status check(ridge_io *io, ridge_machines *machines, const names_args *args, ridge_err *err)
{
    size_t wrong = 0, named = args->words.count, count = named > 0 ? named : ridge_machines_count(machines);
    bool json = args->output.as == RIDGE_OUTPUT_JSON;
    ridge_json_writer w;
    if (json) {
        ridge_jw_answer(&w, &io->data);
        ridge_jw_key(&w, "machines");
        ridge_jw_array(&w);
    }
    for (size_t i = 0; i < count; i++) {
        checked c;
        ridge_status st = check_one(&c, machines, named > 0 ? args->words.items[i] : ridge_machines_id(machines, i), &io->arena, err);
        if (st)
            return st;
        wrong += c.findings.count > 0;
        if (json)
            check_json(&w, &c);
        else
            check_text(&io->data, &c, ridge_io_width(io));
    }
    if (json) {
        ridge_jw_end_array(&w);
        ridge_jw_end_object(&w);
        ridge_buf_addc(&io->data, '\n');
    }
    return wrong == 0 ? RIDGE_OK
                      : ridge_fail(err, RIDGE_CHECK, "%zu of %zu %s wrong", wrong, count, count == 1 ? "machine is" : "machines are");
}

static ridge_status run_check(ridge_io *io, const void *values, ridge_err *err)
{
    const names_args *args = values;
    ridge_machines *machines;
    ridge_status st = ridge_machines_args_open(&machines, &args->machines, err);
    if (st)
        return st;
    st = check(io, machines, args, err);
    ridge_machines_close(machines);
    return st;
}

static const ridge_command cmd_check = {
    .name = "check",
    .summary = "what is wrong with machines or their files",
    .example = "ridge machine check my-machine.json",
    .details =
        "Looks at JSON, keys, inheritance, units, sources, and at rates that cannot be: a ridge point outside 1 to 10000, a sparse rate "
        "beside a dense one. Lists what is not known. Without operands: every machine. Exits with 3 where something is wrong.",
    .operands = RIDGE_OPERANDS(names_args, words, "[ID|FILE...]", 0, 0, "machines, or machines' files"),
    .tables = NAMES_TABLES(ridge_options_json),
    .args_size = sizeof(names_args),
    .run = run_check,
};

/* ---- add ---- */

typedef struct add_view {
    bool force;
} add_view;

typedef struct add_args {
    ridge_words words;
    ridge_output_args output;
    add_view view;
} add_args;

static const ridge_option add_options[] = {
    RIDGE_FLAG(add_view, force, "force", 0, "replace a machine that you added before"),
    RIDGE_OPTION_END,
};

/* Reads and checks the file; what is implausible about it is a warning. *overrides: a built-in machine has its id. */
static ridge_status add_read(const char **id, bool *overrides, ridge_io *io, const char *file, ridge_err *err)
{
    ridge_machines *machines;
    const ridge_machine *machine;
    ridge_machine_findings findings = {0};
    const char *path = strchr(file, '/') ? file : ridge_arena_printf(&io->arena, "./%s", file);
    ridge_status st = !path ? ridge_no_memory(err) : ridge_machines_open(&machines, NULL, 0, err);
    if (st)
        return st;
    st = ridge_machines_find(&machine, machines, path, err);
    if (!st)
        st = ridge_machine_check(&findings, machine, &io->arena, err);
    for (size_t i = 0; !st && i < findings.count; i++)
        ridge_io_warn(io, "%s", findings.texts[i]);
    *id = !st ? ridge_arena_strdup(&io->arena, ridge_str_of(machine->id)) : NULL;
    *overrides = !st && ridge_machine_built_in(machine->id);
    if (!st && machine->inherits && strcmp(machine->inherits, machine->id) == 0 && !*overrides)
        st = ridge_fail(err, RIDGE_CYCLE, "%s: inherits the machine that it would replace", file);
    ridge_machines_close(machines);
    return !st && !*id ? ridge_no_memory(err) : st;
}

static ridge_status add_write(const char **target, ridge_io *io, const char *id, const char *file, bool force, ridge_err *err)
{
    ridge_str text;
    const char *folder = ridge_machines_user_folder(&io->arena);
    *target = folder ? ridge_arena_printf(&io->arena, "%s/%s.json", folder, id) : NULL;
    if (!folder)
        return ridge_fail(err, RIDGE_IO, "no place for your machines: neither XDG_DATA_HOME nor HOME is set");
    if (!*target)
        return ridge_no_memory(err);
    if (strcmp(id, RIDGE_MACHINE_THIS) == 0)
        return ridge_fail(err, RIDGE_NAME, "the id 'this' is the computer's own: 'ridge machine detect --save' writes it");
    if (ridge_file_exists(*target) && !force)
        return ridge_fail(err, RIDGE_NAME, "%s is there already; --force replaces it", *target);
    ridge_status st = ridge_file_read(&text, file, FILE_LIMIT, &io->arena, err);
    if (!st)
        st = ridge_file_make_folders(folder, err);
    return !st ? ridge_file_write_atomic(*target, text, err) : st;
}

static ridge_status run_add(ridge_io *io, const void *values, ridge_err *err)
{
    const add_args *args = values;
    const char *id, *target, *file = args->words.items[0];
    bool overrides;
    ridge_status st = add_read(&id, &overrides, io, file, err);
    if (!st)
        st = add_write(&target, io, id, file, args->view.force, err);
    if (st)
        return st;
    if (args->output.as != RIDGE_OUTPUT_JSON) {
        ridge_buf_addf(&io->data, "%s: %s%s\n", id, target, overrides ? " (over the built-in machine)" : "");
        return RIDGE_OK;
    }
    ridge_json_writer w;
    ridge_jw_answer(&w, &io->data);
    ridge_jw_member_text(&w, "id", id);
    ridge_jw_member_text(&w, "file", target);
    ridge_jw_key(&w, "overrides");
    ridge_jw_bool(&w, overrides);
    ridge_jw_end_object(&w);
    ridge_buf_addc(&io->data, '\n');
    return RIDGE_OK;
}

static const ridge_command cmd_add = {
    .name = "add",
    .summary = "put a machine's file among your own",
    .example = "ridge machine add my-machine.json",
    .details = "The file is read first; what cannot be read is not added, what is implausible is warned of. It goes into "
               "$XDG_DATA_HOME/ridge/machines and adds to or overrides the built-in machines from then on.",
    .operands = RIDGE_OPERANDS(add_args, words, "FILE", 1, 1, "a machine's file, named <id>.json"),
    .tables =
        {
            RIDGE_TABLE(add_options, offsetof(add_args, view), NULL),
            RIDGE_TABLE(ridge_options_json, offsetof(add_args, output), NULL),
        },
    .args_size = sizeof(add_args),
    .run = run_add,
};

/* ---- the group ---- */

/* sub-commands with a file of their own are declared in commands.h and named here */
static const ridge_command *const commands[] = {
    &cmd_list, &cmd_show, &cmd_compare, &cmd_check, &cmd_add, &ridge_cmd_machine_detect, &ridge_cmd_machine_calibrate, NULL};

const ridge_command ridge_cmd_machine = {
    .name = "machine",
    .group = "Machines",
    .summary = "what machines can do: list, show, compare, check and add them",
    .example = "ridge machine show h100-sxm-80",
    .commands = commands,
};
