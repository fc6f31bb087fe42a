/* ridge learn --out: what was learned, as a file that --catalog and `ridge db check` take. */
#include "base/file.h"
#include "command/learn.h"
#include "learn/template/template.h"

ridge_status ridge_learn_write(ridge_buf *data, const ridge_learn_request *r, const char *dtype, ridge_err *err)
{
    ridge_derive_request request = {.what = r->what, .class = r->class_name, .source = r->source, .sdpa = r->sdpa, .dtype = dtype};
    ridge_template_answer answer;
    ridge_arena arena;
    ridge_arena_init(&arena);
    ridge_status st = ridge_template_learn(&answer, &request, &arena, err);
    if (!st && strcmp(r->out, "-") == 0)
        ridge_buf_addz(data, answer.text);
    else if (!st)
        st = ridge_file_write_atomic(r->out, ridge_str_of(answer.text), err);
    ridge_arena_free(&arena);
    return st;
}
