/* The question as JSON: the source that asks, the names that a formula may use, what is wanted; docs/learning.md shows one. */
#include "learn/agent/agent.h"

#include <stdio.h>

#include "base/sha256.h"

#define LINES 200

ridge_str ridge_agent_excerpt(const ridge_question *q)
{
    if (!q->module || !q->module->text.p)
        return RIDGE_STR("");
    ridge_str text = q->module->text;
    size_t at = 0, end;
    for (uint32_t line = 1; line < q->first && at < text.n; at++)
        line += text.p[at] == '\n';
    end = at;
    for (uint32_t line = q->first; line <= q->last && line < q->first + LINES && end < text.n; end++)
        line += text.p[end] == '\n';
    return (ridge_str){text.p + at, end - at};
}

const char *ridge_agent_id(const ridge_hole *hole, ridge_arena *arena)
{
    ridge_buf all = {0};
    char hash[65];
    ridge_str excerpt = ridge_agent_excerpt(hole->question);
    ridge_buf_addf(&all, "%s\n%s\n%s\n%u\n", hole->kind, hole->what, hole->question->asker ? hole->question->asker : "",
                   hole->question->line - hole->question->first);
    ridge_buf_add(&all, excerpt);
    ridge_sha256(hash, (ridge_str){all.p, all.n});
    const char *id = all.failed ? NULL : ridge_arena_strdup(arena, (ridge_str){hash, 16});
    ridge_buf_free(&all);
    return id;
}

/* ---- parts ---- */

static void source(ridge_json_writer *w, const ridge_question *q)
{
    ridge_jw_key(w, "source");
    if (!q->module) {
        ridge_jw_null(w);
        return;
    }
    ridge_jw_object(w);
    ridge_jw_member_text(w, "file", q->module->path);
    ridge_jw_member_text(w, "function", q->asker);
    ridge_jw_member_whole(w, "line", q->line);
    ridge_jw_member_whole(w, "line_start", q->first);
    ridge_jw_key(w, "text");
    ridge_jw_str(w, ridge_agent_excerpt(q));
    ridge_jw_end_object(w);
}

static void subject(ridge_json_writer *w, const char *name, ridge_py v, ridge_py_interp *in)
{
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "name", name);
    ridge_jw_member_text(w, "type", ridge_py_type_text(v));
    if (v.type == RIDGE_PY_T_TENSOR) {
        ridge_jw_member_text(w, "dtype", ridge_dtype_name(v.u.tensor->dtype));
        ridge_jw_key(w, "shape");
        ridge_jw_array(w);
        for (uint32_t d = 0; d < v.u.tensor->rank; d++)
            ridge_jw_strz(w, v.u.tensor->dims[d].type == RIDGE_PY_T_INT ? ridge_py_formula(v.u.tensor->dims[d], in) : NULL);
        ridge_jw_end_array(w);
    } else if (ridge_py_is_number(v) || v.type == RIDGE_PY_T_STR || v.type == RIDGE_PY_T_NONE) {
        ridge_jw_member_text(w, "value", ridge_py_formula(v, in));
    }
    ridge_jw_end_object(w);
}

static void symbols(ridge_json_writer *w, const ridge_agent_names *names, ridge_py_interp *in)
{
    ridge_jw_key(w, "symbols");
    ridge_jw_array(w);
    for (size_t i = 0; i < names->count; i++) {
        const ridge_agent_name *n = &names->items[i];
        ridge_jw_object_compact(w);
        ridge_jw_member_text(w, "name", n->name);
        ridge_jw_member_text(w, "meaning", n->meaning);
        ridge_jw_key(w, "value");
        ridge_jw_int(w, n->value.type == RIDGE_PY_T_BOOL ? n->value.u.b : n->value.u.i);
        if (n->own)
            ridge_jw_member_text(w, "formula", ridge_py_formula(n->value, in));
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
}

static void wanted(ridge_json_writer *w, const ridge_question *q, ridge_py_interp *in)
{
    static const char *const what[] = {"truth", "number", "result"};
    static const char *const forms[] = {"{\"value\": CONDITION, \"thinking\": WHY}", "{\"value\": FORMULA, \"thinking\": WHY}",
                                        "{\"results\": [{\"shape\": [FORMULA, ..], \"dtype\": \"float32\"}], \"flops\": "
                                        "{\"matmul\"|\"attention\"|\"activation\"|\"embedding\"|"
                                        "\"other\": FORMULA}, \"bytes\": {\"reads\": FORMULA, \"writes\": FORMULA}, \"thinking\": WHY}"};
    ridge_jw_key(w, "wanted");
    ridge_jw_object(w);
    ridge_jw_member_text(w, "what", what[q->wants]);
    ridge_jw_member_text(w, "answer", forms[q->wants]);
    ridge_jw_member_text(w, "or", "{\"cannot\": WHY}");
    ridge_jw_member_text(w, "at_most", q->most.type == RIDGE_PY_T_INT ? ridge_py_formula(q->most, in) : NULL);
    ridge_jw_member_text(w, "formulas",
                         "Python's expressions over the symbols alone: + - * // % ** ( ) comparisons, x if c else y, min, max, ceil_div; "
                         "whole numbers of at least 0 for every value of the symbols");
    ridge_jw_end_object(w);
}

static void refused(ridge_json_writer *w, const ridge_agent *a, const char *id)
{
    ridge_jw_key(w, "refused");
    ridge_jw_array(w);
    for (size_t i = 0; i < a->refused_count; i++) {
        if (strcmp(a->refused[i].id, id) != 0)
            continue;
        ridge_jw_object_compact(w);
        ridge_jw_key(w, "answer");
        ridge_jw_str(w, (ridge_str){a->refused[i].text.p, a->refused[i].text.n < 4000 ? a->refused[i].text.n : 4000});
        ridge_jw_member_text(w, "reason", a->refused[i].reason);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
}

/* ---- all of it ---- */

ridge_status ridge_agent_question(ridge_buf *out, const ridge_agent *a, const ridge_hole *hole, unsigned attempt, ridge_py_interp *in)
{
    char where[320];
    ridge_json_writer w;
    ridge_agent_names names;
    const ridge_question *q = hole->question;
    const char *id = ridge_agent_id(hole, in->arena);
    ridge_status st = id ? ridge_agent_names_make(&names, q, in) : ridge_no_memory(in->err);
    if (st)
        return st;
    snprintf(where, sizeof where, "%s:%u", q->module ? q->module->path : hole->file ? hole->file : "?", q->module ? q->line : hole->line);
    ridge_jw_answer(&w, out);
    ridge_jw_member_text(&w, "id", id);
    ridge_jw_member_whole(&w, "attempt", attempt);
    ridge_jw_member_text(&w, "kind", hole->kind);
    ridge_jw_member_text(&w, "unknown", hole->what);
    ridge_jw_member_text(&w, "where", where);
    ridge_jw_key(&w, "chain");
    ridge_jw_array(&w);
    for (size_t i = 0; i < hole->chain_count; i++)
        ridge_jw_strz(&w, hole->chain[i]);
    ridge_jw_end_array(&w);
    source(&w, q);
    ridge_jw_key(&w, "arguments");
    ridge_jw_array(&w);
    for (size_t i = 0; i < q->subject_count; i++)
        subject(&w, q->subjects[i].name, q->subjects[i].value, in);
    ridge_jw_end_array(&w);
    symbols(&w, &names, in);
    wanted(&w, q, in);
    refused(&w, a, id);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
    return out->failed ? ridge_no_memory(in->err) : RIDGE_OK;
}
