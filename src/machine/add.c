/* A file among the user's own machines (folder.h). */
#include "machine/folder.h"

#include "base/file.h"
#include "machine/check.h"

const ridge_option ridge_options_machine_add[] = {
    RIDGE_FLAG(ridge_machine_add_request, force, "force", 0, "replace a machine that you added before"),
    RIDGE_OPTION_END,
};

static ridge_status read_file(ridge_machine_add_answer *out, ridge_machines *machines, const char *file, ridge_arena *arena, ridge_err *err)
{
    const ridge_machine *machine;
    const char *path = strchr(file, '/') ? file : ridge_arena_printf(arena, "./%s", file);
    ridge_status st = path ? ridge_machines_find(&machine, machines, path, err) : ridge_no_memory(err);
    if (st || (st = ridge_machine_check(&out->findings, NULL, machine, arena, err)))
        return st;
    out->id = machine->id;
    out->overrides = ridge_machine_built_in(machine->id);
    if (machine->inherits && strcmp(machine->inherits, machine->id) == 0 && !out->overrides)
        return ridge_fail(err, RIDGE_CYCLE, "%s: inherits the machine that it would replace", file);
    return RIDGE_OK;
}

static ridge_status copy_file(ridge_machine_add_answer *out, const ridge_machine_add_request *request, ridge_arena *arena, ridge_err *err)
{
    ridge_str text;
    const char *folder = ridge_machines_user_folder(arena);
    if (!folder && arena->failed)
        return ridge_no_memory(err);
    if (!folder)
        return ridge_fail(err, RIDGE_IO, "no place for your machines: neither XDG_DATA_HOME nor HOME is set");
    if (!(out->file = ridge_arena_printf(arena, "%s/%s.json", folder, out->id)))
        return ridge_no_memory(err);
    if (strcmp(out->id, RIDGE_MACHINE_THIS) == 0)
        return ridge_fail(err, RIDGE_NAME, "the id 'this' is the computer's own: 'ridge machine detect --save' writes it");
    bool there = false;
    ridge_status st = ridge_file_read(&text, request->path, RIDGE_MACHINE_FILE_LIMIT, arena, err);
    if (!st)
        st = ridge_file_make_folders(folder, err);
    if (st)
        return st;
    ridge_file_remove_leftovers(folder);
    /* of several at once one makes the file */
    st = request->force ? ridge_file_write_atomic(out->file, text, err) : ridge_file_write_new(&there, out->file, text, err);
    return there ? ridge_fail(err, RIDGE_NAME, "%s is there already; " RIDGE_OPT("force") " replaces it", out->file) : st;
}

ridge_status ridge_machine_add(ridge_machine_add_answer *out, ridge_machines *machines, const ridge_machine_add_request *request,
                               ridge_arena *arena, ridge_err *err)
{
    *out = (ridge_machine_add_answer){0};
    ridge_status st = read_file(out, machines, request->path, arena, err);
    return !st ? copy_file(out, request, arena, err) : st;
}

#define ANSWER ridge_machine_add_answer
static const ridge_record_field fields[] = {
    RIDGE_R_TEXT(ANSWER, id, "id", NULL, RIDGE_IN_JSON, "what options call the machine"),
    RIDGE_R_TEXT(ANSWER, file, "file", NULL, RIDGE_IN_JSON, "where its file lies now"),
    RIDGE_R_BOOL(ANSWER, overrides, "overrides", NULL, RIDGE_IN_JSON, "does it stand for a machine that is built in?"),
};
const ridge_record ridge_machine_add_record = RIDGE_RECORD(ANSWER, "ridge machine add", fields, "a machine that was added");
