#include "command/frameworks.h"

#include "command/embedded.h"
#include "command/measuring.h"
#include "report/text.h"

/* ---- what python3 runs ---- */

static void add_script(ridge_buf *out, const char *name)
{
    for (unsigned i = 0; i < ridge_embedded_scripts_count; i++)
        if (strcmp(ridge_embedded_scripts[i].name, name) == 0)
            ridge_buf_add(out, (ridge_str){ridge_embedded_scripts[i].text, ridge_embedded_scripts[i].length});
    ridge_buf_addz(out, "\n\n");
}

static ridge_status make_script(const char **out, ridge_call *call, ridge_err *err)
{
    ridge_buf text = {0};
    add_script(&text, "ridge_frameworks");
    add_script(&text, "ridge_frameworks_onnx");
    ridge_buf_addz(&text, "main()\n");
    *out = ridge_arena_take(&call->arena, &text);
    return *out ? RIDGE_OK : ridge_no_memory(err);
}

/* ---- measuring and keeping ---- */

static void keep(ridge_frameworks *a, ridge_call *call, const ridge_compare_frameworks *asked, const char *started)
{
    ridge_err err = {0};
    ridge_measured_row *rows;
    size_t count;
    const ridge_store_run what = {.machine = a->machine->fingerprint,
                                  .machine_text = a->machine->text,
                                  .started = started,
                                  .interrupted = a->interrupted,
                                  .settings = ridge_arena_printf(&call->arena, "{\"budget_s\": %.6g, \"rounds\": %u, \"pinned\": true}",
                                                                 asked->bench->budget_s, a->rounds)};
    if (ridge_frameworks_measured(&rows, &count, a, &call->arena, &err))
        ridge_call_warn(call, "these rows are not stored: %s", err.msg);
    else
        ridge_store_keep(&a->run, call, asked->store, &what, rows, count);
}

static ridge_status measure(ridge_frameworks *a, ridge_call *call, const ridge_compare_frameworks *asked, ridge_err *err)
{
    ridge_frameworks_request request = {.bench = asked->bench,
                                        .options = asked->options,
                                        .progress = ridge_measuring_progress,
                                        .estimate = ridge_measuring_estimate,
                                        .context = call};
    char started[RIDGE_STORE_DATE_CHARS];
    ridge_ops ops;
    ridge_status st = ridge_isa_check(err);
    if (!st)
        st = make_script(&request.script, call, err);
    if (st || (st = ridge_ops_open(&ops, err)))
        return st;
    ridge_store_now(started);
    ridge_measuring_begin(call, ridge_threads_most(&asked->bench->threads));
    st = ridge_frameworks_run(a, &request, &ops, &call->arena, err);
    ridge_measuring_end(call, !st && a->interrupted);
    ridge_ops_close(&ops);
    if (!st && !asked->store->no_store)
        keep(a, call, asked, started);
    return st;
}

/* ---- the answer ---- */

static ridge_status draw(ridge_buf *picture, ridge_call *call, const ridge_frameworks *a, const ridge_picture_options *pictures,
                         ridge_err *err)
{
    ridge_plot plot;
    if (!ridge_picture_wanted(call, pictures) || a->timed == 0)
        return RIDGE_OK;
    ridge_status st = ridge_frameworks_picture(&plot, a, &call->arena, err);
    if (!st)
        st = ridge_picture_draw(picture, call, pictures, &plot, err);
    return ridge_picture_end(st, call, pictures, err);
}

static ridge_status print(ridge_call *call, const ridge_frameworks *a, const ridge_buf *picture, ridge_err *err)
{
    ridge_buf *out = &call->data;
    const bool text = call->form == RIDGE_FORM_TEXT, csv = call->form == RIDGE_FORM_CSV;
    if (call->form == RIDGE_FORM_JSON)
        return ridge_call_answer(call, &ridge_frameworks_record, a);
    if (text)
        ridge_frameworks_head(out, a);
    ridge_status st = ridge_call_table(call, &ridge_framework_row_record, csv ? a->right : a->rows, csv ? a->timed : a->row_count, err);
    if (st || !text)
        return st;
    const size_t from = out->n;
    ridge_frameworks_remarks(out, a);
    ridge_text_fold(out, from, (size_t)call->width);
    ridge_store_tell(call, a->run);
    if (picture->n > 0)
        ridge_buf_addf(out, "\n%s", picture->p);
    return RIDGE_OK;
}

ridge_status ridge_call_frameworks(ridge_call *call, const ridge_compare_frameworks *asked, ridge_err *err)
{
    ridge_frameworks a;
    ridge_buf picture = {0};
    ridge_status st = measure(&a, call, asked, err);
    if (!st)
        st = draw(&picture, call, &a, asked->pictures, err);
    if (!st)
        st = picture.failed ? ridge_no_memory(err) : print(call, &a, &picture, err);
    ridge_buf_free(&picture);
    if (!st && ridge_frameworks_verdict(&a, NULL) && !(st = ridge_call_flush(call, err)))
        st = ridge_frameworks_verdict(&a, err);
    return st;
}
