/* Errors as JSON, and their status of HTTP. */
#include "base/shown.h"
#include "serve/task.h"

void ridge_error_json(ridge_buf *out, const ridge_err *err, const char *dashes)
{
    char message[2 * sizeof err->msg];
    ridge_json_writer w;
    ridge_buf plain = {0};
    (void)ridge_spell(message, sizeof message, err->msg[0] ? err->msg : "out of memory", dashes);
    ridge_jw_answer(&w, &plain);
    ridge_jw_key(&w, "error");
    ridge_jw_object(&w);
    ridge_jw_member_text(&w, "code", ridge_status_name(err->code));
    ridge_jw_member_text(&w, "message", message);
    ridge_jw_member_text(&w, "file", err->file[0] ? err->file : NULL);
    ridge_jw_member_whole(&w, "line", err->line ? (ridge_int)err->line : -1);
    ridge_jw_member_whole(&w, "col", err->line ? (ridge_int)err->col : -1);
    ridge_jw_end_object(&w);
    ridge_jw_end_object(&w);
    ridge_buf_addc(&plain, '\n');
    ridge_buf_add_shown(out, (ridge_str){plain.p, plain.n}, RIDGE_SHOWN_LINES | RIDGE_SHOWN_JSON);
    out->failed |= plain.failed;
    ridge_buf_free(&plain);
}

/* What cannot be read is not there for who asks; where something was to be written, it is the server's fault. */
unsigned ridge_error_http(ridge_status code, ridge_effect effect)
{
    switch (code) {
    case RIDGE_OK:
    case RIDGE_CHECK:
        return 200;
    case RIDGE_USAGE:
        return 400;
    case RIDGE_NAME:
        return 404;
    case RIDGE_IO:
        return effect == RIDGE_EFFECT_NONE ? 404 : 500;
    case RIDGE_NOMEM:
        return 500;
    default:
        return 422;
    }
}
