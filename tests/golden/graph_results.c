/* graph_results.c - what a graph of operators makes, for tests in Python. In: paths on stdin, one a line. Out: per path a JSON object a
 * line:
 * {"outputs": [{"name", "format", "dims", "content"}], "unknown": [[operator, why]]}, null where it is not known, or {"error": "message"}.
 */
#include <stdio.h>

#include "catalog/registry.h"
#include "input/graph_file.h"
#include "opgraph/run.h"

static void write_content(ridge_json_writer *w, const ridge_opgraph_tensor *t)
{
    ridge_jw_key(w, "content");
    if (!t->ints && !t->reals) {
        ridge_jw_null(w);
        return;
    }
    ridge_jw_array(w);
    for (size_t i = 0; i < t->content_count; i++)
        if (t->ints)
            ridge_jw_int(w, t->ints[i]);
        else
            ridge_jw_double(w, t->reals[i]);
    ridge_jw_end_array(w);
}

static void write_result(ridge_json_writer *w, const ridge_opgraph_tensor *t)
{
    ridge_jw_object(w);
    ridge_jw_key(w, "name");
    ridge_jw_str(w, t->value->name);
    ridge_jw_member_text(w, "format", t->format ? t->format->name : NULL);
    ridge_jw_key(w, "dims");
    if (t->known) {
        ridge_jw_array(w);
        for (uint32_t i = 0; i < t->rank; i++)
            ridge_jw_int(w, t->dims[i]);
        ridge_jw_end_array(w);
    } else {
        ridge_jw_null(w);
    }
    write_content(w, t);
    ridge_jw_end_object(w);
}

static void write_run(ridge_json_writer *w, const ridge_opgraph_run *run)
{
    const ridge_opgraph_body *main = &run->graph->main;
    ridge_jw_key(w, "outputs");
    ridge_jw_array(w);
    for (uint32_t i = 0; i < main->output_count; i++)
        if (main->outputs[i] != RIDGE_OPGRAPH_NONE)
            write_result(w, &run->tensors[main->outputs[i]]);
    ridge_jw_end_array(w);
    ridge_jw_key(w, "unknown");
    ridge_jw_array(w);
    for (size_t i = 0; i < run->step_count; i++) {
        if (!run->steps[i].unknown)
            continue;
        ridge_jw_array(w);
        ridge_jw_str(w, run->steps[i].node->op);
        ridge_jw_strz(w, run->steps[i].unknown);
        ridge_jw_end_array(w);
    }
    ridge_jw_end_array(w);
}

static void answer(const char *path, ridge_registry *registry)
{
    ridge_arena arena;
    ridge_err err = {0};
    ridge_opgraph *graph = NULL;
    ridge_opgraph_run run;
    ridge_buf text = {0};
    ridge_json_writer w;
    ridge_arena_init(&arena);
    ridge_jw_init(&w, &text);
    ridge_status st = ridge_graph_file_read(&graph, path, &arena, &err);
    if (!st && !graph)
        st = ridge_fail(&err, RIDGE_VALUE, "no graph");
    if (!st)
        st = ridge_opgraph_run_graph(&run, graph, NULL, 0, registry, &arena, &err);
    ridge_jw_object_compact(&w);
    if (st)
        ridge_jw_member_text(&w, "error", err.msg);
    else
        write_run(&w, &run);
    ridge_jw_end_object(&w);
    printf("%s\n", text.p ? text.p : "{}");
    ridge_buf_free(&text);
    ridge_arena_free(&arena);
}

int main(void)
{
    char path[4096];
    ridge_registry *registry;
    if (ridge_registry_open(&registry, NULL, 0, false, NULL))
        return 1;
    while (fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\n")] = '\0';
        answer(path, registry);
    }
    ridge_registry_close(registry);
    return 0;
}
