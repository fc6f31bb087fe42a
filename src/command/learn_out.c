/* ridge learn --out: what was learned, as a file that --catalog and `ridge db check` take. */
#include "base/file.h"
#include "command/learn.h"
#include "learn/template/template.h"

ridge_status ridge_learn_write(ridge_buf *data, const ridge_learn_request *r, const ridge_agent *agent, ridge_err *err)
{
    ridge_derive_request request;
    ridge_template_answer answer;
    ridge_arena arena;
    ridge_arena_init(&arena);
    ridge_status st = ridge_learn_request_read(&request, r, &arena, err);
    ridge_buf kept = {0};
    ridge_json_writer w;
    if (agent && agent->count > 0) {
        request.answers = &agent->hook;
        ridge_jw_init(&w, &kept);
        ridge_agent_write(&w, agent);
        request.answered = ridge_arena_take(&arena, &kept);
        ridge_buf_free(&kept);
        if (!request.answered && !st)
            st = ridge_no_memory(err);
    }
    if (!st)
        st = ridge_template_learn(&answer, &request, NULL, NULL, &arena, err);
    if (!st && strcmp(r->out, "-") == 0)
        ridge_buf_addz(data, answer.text);
    else if (!st)
        st = ridge_file_write_atomic(r->out, ridge_str_of(answer.text), err);
    ridge_arena_free(&arena);
    return st;
}
