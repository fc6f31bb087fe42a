#include "command/call.h"

#include <stdarg.h>
#include <stdio.h>

void ridge_call_init(ridge_call *call, const ridge_front *front, void *front_data)
{
    static const ridge_front none = {0};
    *call = (ridge_call){.front = front ? front : &none, .front_data = front_data, .line = 80};
    ridge_arena_init(&call->arena);
}

void ridge_call_free(ridge_call *call)
{
    if (call->owns_registry)
        ridge_registry_close(call->registry);
    if (call->owns_machines)
        ridge_machines_close(call->machines);
    ridge_buf_free(&call->data);
    ridge_arena_free(&call->arena);
}

/* ---- words ---- */

void ridge_call_warn(ridge_call *call, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (call->front->warn)
        call->front->warn(call->front_data, text);
}

void ridge_call_progress(ridge_call *call, const char *fmt, ...)
{
    char line[256];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (call->front->progress)
        call->front->progress(call->front_data, line);
}

void ridge_call_progress_end(ridge_call *call)
{
    if (call->front->progress)
        call->front->progress(call->front_data, NULL);
}

ridge_status ridge_call_flush(ridge_call *call, ridge_err *err)
{
    if (call->data.failed)
        return ridge_no_memory(err);
    return call->front->flush ? call->front->flush(call->front_data, &call->data, err) : RIDGE_OK;
}

void ridge_call_listen(ridge_call *call, volatile sig_atomic_t *stop)
{
    if (call->front->listen)
        call->front->listen(call->front_data, stop);
}

ridge_status ridge_call_table(ridge_call *call, const ridge_record *record, const void *rows, size_t count, ridge_err *err)
{
    const ridge_record_style style = {.form = call->form, .width = call->width, .exact = call->exact};
    return ridge_record_print(&call->data, record, &style, rows, count, err);
}

ridge_status ridge_call_answer(ridge_call *call, const ridge_record *record, const void *answer)
{
    ridge_record_answer(&call->data, record, answer);
    return RIDGE_OK;
}

ridge_status ridge_call_rows(ridge_call *call, const ridge_record *record, const void *answer, const ridge_record *row_record,
                             const void *rows, size_t count, ridge_err *err)
{
    if (call->form == RIDGE_FORM_JSON)
        return ridge_call_answer(call, record, answer);
    return ridge_call_table(call, row_record, rows, count, err);
}

/* ---- options that commands share ---- */

const ridge_option ridge_options_catalog[] = {
    RIDGE_LIST(ridge_catalog_options, folders, "catalog", 0, "PATH",
               "a catalog folder or file that adds to and overrides the built-in one (repeatable)"),
    RIDGE_FLAG(ridge_catalog_options, builtin_only, "builtin-only", 0, "leave the user's own catalog folder out"),
    RIDGE_OPTION_END,
};

const ridge_option ridge_options_machines[] = {
    RIDGE_LIST(ridge_machines_options, files, "machines", 0, "PATH",
               "a machine's file, or a folder of them, that adds to and overrides the built-in ones (repeatable)"),
    RIDGE_OPTION_END,
};

#define JSON RIDGE_SET(ridge_call, form, "json", 0, RIDGE_FORM_JSON, "print JSON")

const ridge_option ridge_options_json[] = {
    JSON,
    RIDGE_OPTION_END,
};

const ridge_option ridge_options_output[] = {
    JSON,
    RIDGE_SET(ridge_call, form, "csv", 0, RIDGE_FORM_CSV, "print CSV, one header line"),
    RIDGE_SET(ridge_call, form, "markdown", 0, RIDGE_FORM_MARKDOWN, "print a Markdown table"),
    RIDGE_OPTION_END,
};

ridge_status ridge_call_registry(ridge_registry **out, ridge_call *call, const ridge_catalog_options *options, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    if (!call->registry) {
        call->owns_registry = true;
        st = ridge_registry_open(&call->registry, options->folders.items, options->folders.count, !options->builtin_only, err);
    }
    *out = call->registry;
    return st;
}

ridge_status ridge_call_machines(ridge_machines **out, ridge_call *call, const ridge_machines_options *options, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    if (!call->machines) {
        call->owns_machines = true;
        st = ridge_machines_open(&call->machines, options->files.items, options->files.count, err);
    }
    *out = call->machines;
    return st;
}
