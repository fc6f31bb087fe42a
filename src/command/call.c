#include "command/call.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/shown.h"

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
    char text[1024], shown[1024];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (ridge_words_find(&call->warned, text))
        return;
    const char *copy = ridge_arena_strdup(&call->arena, ridge_str_of(text));
    if (copy) /* without memory it may be said twice */
        (void)ridge_words_add(&call->warned, copy, &call->arena, NULL);
    ridge_shown_copy(shown, sizeof shown, text);
    if (call->front->warn)
        call->front->warn(call->front_data, shown);
}

void ridge_call_warn_all(ridge_call *call, const ridge_words *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        ridge_call_warn(call, "%s", texts->items[i]);
}

void ridge_call_warn_overrides(ridge_call *call)
{
    for (size_t i = 0; call->registry && i < call->registry->user_count; i++) {
        const ridge_source *s = call->registry->user[i];
        const char *text = s->used ? ridge_source_told(s, call->registry, &call->arena) : NULL;
        if (text)
            ridge_call_warn(call, "%s", text);
    }
}

void ridge_call_progress(ridge_call *call, const char *fmt, ...)
{
    char line[256], shown[256];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    ridge_shown_copy(shown, sizeof shown, line);
    if (call->front->progress)
        call->front->progress(call->front_data, shown);
}

void ridge_call_progress_end(ridge_call *call)
{
    if (call->front->progress)
        call->front->progress(call->front_data, NULL);
}

/* "35 s", "7.0 min", "2.0 h", "5.8 days", "3e+02 years" */
static void print_duration(char *out, size_t cap, double seconds)
{
    static const struct {
        double below_s, unit_s;
        const char *name;
    } units[] = {{90, 1, "s"}, {90 * 60, 60, "min"}, {48 * 3600.0, 3600, "h"}, {700 * 86400.0, 86400, "days"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (seconds < units[i].below_s) {
            const double count = seconds / units[i].unit_s;
            (void)snprintf(out, cap, "%.*f %s", i == 0 || count >= 9.5 ? 0 : 1, count, units[i].name);
            return;
        }
    (void)snprintf(out, cap, "%.2g years", seconds / (365.25 * 86400));
}

void ridge_call_estimate(ridge_call *call, const char *work, double seconds)
{
    enum { LONG_S = 10 }; /* who waits longer than that is told */
    char duration[64];
    if (!(seconds > LONG_S))
        return;
    print_duration(duration, sizeof duration, seconds);
    ridge_call_warn(call, "%s about %s; Ctrl-C ends it with what is done", work, duration);
}

bool ridge_call_failed(const ridge_call *call)
{
    return call->data.failed || call->arena.failed || (call->registry && call->registry->arena.failed);
}

ridge_status ridge_call_flush(ridge_call *call, ridge_err *err)
{
    if (ridge_call_failed(call))
        return ridge_no_memory(err);
    return call->front->flush ? call->front->flush(call->front_data, &call->data, err) : RIDGE_OK;
}

void ridge_call_listen(ridge_call *call, ridge_stop *stop)
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
               "a catalog folder or file that adds to and overrides the built-in one (repeatable)", .reach = RIDGE_REACH_FILE),
    RIDGE_FLAG(ridge_catalog_options, builtin_only, "builtin-only", 0, "leave the user's own catalog folder out"),
    RIDGE_OPTION_END,
};

const ridge_option ridge_options_machines[] = {
    RIDGE_LIST(ridge_machines_options, files, "machines", 0, "PATH",
               "a machine's file, or a folder of them, that adds to and overrides the built-in ones (repeatable)",
               .reach = RIDGE_REACH_FILE),
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
    if (!call->owns_registry && (options->folders.count > 0 || options->builtin_only))
        call->registry = NULL; /* the front end's is another one */
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
    if (!call->owns_machines && options->files.count > 0)
        call->machines = NULL; /* the front end's are others */
    if (!call->machines) {
        call->owns_machines = true;
        st = ridge_machines_open(&call->machines, options->files.items, options->files.count, err);
    }
    *out = call->machines;
    return st;
}
