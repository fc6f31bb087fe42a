/* ridge learn --out: what was learned, as a file that --catalog and `ridge db check` take. */
#include "base/file.h"
#include "catalog/registry.h"
#include "command/learn.h"
#include "learn/keep/keep.h"
#include "learn/template/template.h"

/* What is written of a model is held against runs of its source first: an entry that counts otherwise is not written. */
static ridge_status check(const ridge_template_answer *answer, const ridge_derive_request *request, const ridge_learn_request *r,
                          ridge_err *err)
{
    ridge_registry *registry = NULL;
    ridge_model_request asked;
    if (!ridge_file_is_folder(r->what) && !ridge_file_exists(r->what)) /* a class alone has no config to count */
        return RIDGE_OK;
    ridge_model_request_default(&asked);
    asked.model = r->what;
    asked.head_class = r->class_name;
    ridge_status st = ridge_registry_open(&registry, NULL, 0, false, err);
    if (!st && !(st = ridge_registry_add(registry, ridge_str_of(answer->text), "what was learned", err)))
        st = ridge_keep_check(registry, request, &asked, err);
    ridge_registry_close(registry);
    return st;
}

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
    if (!st && !request.answers)
        st = check(&answer, &request, r, err);
    if (!st && strcmp(r->out, "-") == 0)
        ridge_buf_addz(data, answer.text);
    else if (!st)
        st = ridge_file_write_atomic(r->out, ridge_str_of(answer.text), err);
    ridge_arena_free(&arena);
    return st;
}
