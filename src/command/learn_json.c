/* The answer of `ridge learn` as JSON; its shape is told in learn.c. */
#include <stdio.h>

#include "command/learn.h"

#define HOLES 200

static void number(ridge_json_writer *w, const char *key, ridge_int n)
{
    ridge_jw_member_whole(w, key, n); /* RIDGE_COUNT_UNKNOWN is null */
}

static void whole(ridge_json_writer *w, ridge_int n)
{
    if (n == RIDGE_COUNT_UNKNOWN)
        ridge_jw_null(w);
    else
        ridge_jw_int(w, n);
}

/* ---- holes ---- */

static void hole(ridge_json_writer *w, const ridge_hole *h)
{
    char where[320];
    snprintf(where, sizeof where, "%s:%u", h->file ? h->file : "?", h->line);
    ridge_jw_object(w);
    ridge_jw_member_text(w, "kind", h->kind);
    ridge_jw_member_text(w, "where", where);
    ridge_jw_key(w, "chain");
    ridge_jw_array(w);
    for (size_t i = 0; i < h->chain_count; i++)
        ridge_jw_strz(w, h->chain[i]);
    ridge_jw_end_array(w);
    ridge_jw_member_text(w, "known", h->known);
    ridge_jw_member_text(w, "unknown", h->what);
    ridge_jw_member_text(w, "affects", h->unknown);
    ridge_jw_member_text(w, "help", h->help);
    ridge_jw_end_object(w);
}

static void list_holes(ridge_json_writer *w, const ridge_py_interp *in, size_t first, size_t last)
{
    ridge_jw_array(w);
    for (size_t i = first; i < last && i < in->hole_count && i < first + HOLES; i++)
        hole(w, in->holes[i]);
    ridge_jw_end_array(w);
}

/* ---- modules ---- */

static void tensor(ridge_json_writer *w, const ridge_count_tensor *t)
{
    ridge_jw_key(w, t->name->text);
    ridge_jw_object(w);
    ridge_jw_key(w, "shape");
    ridge_jw_array(w);
    for (uint32_t i = 0; i < t->tensor->rank; i++)
        if (t->tensor->dims[i].type == RIDGE_PY_T_INT)
            ridge_jw_int(w, t->tensor->dims[i].u.i);
        else
            ridge_jw_null(w);
    ridge_jw_end_array(w);
    ridge_jw_member_text(w, "tied_to", t->tied_to);
    ridge_jw_end_object(w);
}

static void module(ridge_json_writer *w, const ridge_count_module *m)
{
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "path", m->path);
    ridge_jw_member_text(w, "class", m->module->class_path);
    number(w, "parameters", m->parameters);
    number(w, "parameters_total", m->parameters_total);
    ridge_jw_key(w, "tensors");
    ridge_jw_object(w);
    for (size_t i = 0; i < m->tensor_count; i++)
        tensor(w, &m->tensors[i]);
    ridge_jw_end_object(w);
    ridge_jw_end_object(w);
}

/* ---- runs ---- */

static void flops(ridge_json_writer *w, const ridge_count_sums *sums)
{
    ridge_jw_key(w, "flops");
    ridge_jw_object_compact(w);
    number(w, "total", ridge_count_total(sums));
    for (unsigned i = 0; i < RIDGE_COUNT_CLASSES; i++)
        number(w, ridge_count_class_names[i], sums->flops[i]);
    number(w, "torch", ridge_count_torch(sums));
    ridge_jw_end_object(w);
}

static void bytes(ridge_json_writer *w, const ridge_count_sums *sums)
{
    bool known = sums->reads != RIDGE_COUNT_UNKNOWN && sums->writes != RIDGE_COUNT_UNKNOWN;
    ridge_jw_key(w, "bytes");
    ridge_jw_object_compact(w);
    number(w, "total", known ? sums->reads + sums->writes : RIDGE_COUNT_UNKNOWN);
    number(w, "reads", sums->reads);
    number(w, "writes", sums->writes);
    ridge_jw_end_object(w);
}

static void row(ridge_json_writer *w, const ridge_count_module *m)
{
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "path", m->path);
    number(w, "flops", ridge_count_total(&m->sums));
    number(w, "torch", ridge_count_torch(&m->sums));
    ridge_jw_member_whole(w, "calls", (ridge_int)m->calls);
    ridge_jw_end_object(w);
}

static void workload(ridge_json_writer *w, const ridge_derive_workload *l)
{
    const struct {
        const char *key;
        int64_t value;
    } items[] = {{"batch", l->batch},
                 {"seq", l->seq},
                 {"past", l->past},
                 {"decoder_seq", l->decoder_seq},
                 {"encoder_len", l->encoder_len},
                 {"images", l->images},
                 {"image_height", l->image_height},
                 {"image_width", l->image_width},
                 {"video_frames", l->video_frames},
                 {"frames", l->frames},
                 {"samples", l->samples}};
    ridge_jw_key(w, "workload");
    ridge_jw_object_compact(w);
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (items[i].value != RIDGE_UNSET)
            ridge_jw_member_whole(w, items[i].key, items[i].value);
    ridge_jw_end_object(w);
}

static void one_run(ridge_json_writer *w, const ridge_learn_answer *a, const ridge_learn_run *r)
{
    ridge_jw_object(w);
    ridge_jw_member_text(w, "phase", r->run.workload.phase == RIDGE_DERIVE_DECODE ? "decode" : "prefill");
    workload(w, &r->run.workload);
    ridge_jw_member_text(w, "failed", r->run.failed);
    flops(w, &r->count.total);
    bytes(w, &r->count.total);
    number(w, "kv_cache", r->cache_bytes);
    ridge_jw_key(w, "operators");
    ridge_jw_object(w);
    for (size_t i = 0; i < r->count.operator_count; i++)
        ridge_jw_member_whole(w, r->count.operators[i].name, (ridge_int)r->count.operators[i].count);
    ridge_jw_end_object(w);
    ridge_jw_key(w, "operator_bytes"); /* read, written */
    ridge_jw_object(w);
    for (size_t i = 0; i < r->count.operator_count; i++) {
        ridge_jw_key(w, r->count.operators[i].name);
        ridge_jw_array_compact(w);
        whole(w, r->count.operators[i].reads);
        whole(w, r->count.operators[i].writes);
        ridge_jw_end_array(w);
    }
    ridge_jw_end_object(w);
    ridge_jw_key(w, "rows");
    ridge_jw_array(w);
    for (size_t i = 0; i < r->count.count; i++)
        if (r->count.modules[i].calls > 0)
            row(w, &r->count.modules[i]);
    ridge_jw_end_array(w);
    ridge_jw_key(w, "unresolved");
    list_holes(w, &a->derivation.in, r->run.first_hole, r->run.last_hole);
    ridge_jw_end_object(w);
}

/* ---- classes ---- */

static void one_class(ridge_json_writer *w, const ridge_derivation *d, const ridge_run_module *m, bool answered)
{
    ridge_package_place place;
    if (!ridge_package_place_of(&place, m->instance->class, &d->package) || place.stand_in)
        return;
    size_t found = 0;
    ridge_jw_object(w);
    ridge_jw_member_text(w, "path", m->class_path);
    ridge_jw_key(w, "source");
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "file", place.shown);
    ridge_jw_member_whole(w, "line_start", place.first);
    ridge_jw_member_whole(w, "line_end", place.last);
    ridge_jw_member_text(w, "sha256", place.lines_sha256);
    ridge_jw_end_object(w);
    ridge_jw_key(w, "unresolved");
    ridge_jw_array(w);
    for (size_t i = 0; i < d->in.hole_count && found < HOLES; i++) {
        const ridge_hole *h = d->in.holes[i];
        if (h->file && strcmp(h->file, place.file) == 0 && h->line >= place.first && h->line <= place.last) {
            hole(w, h);
            found++;
        }
    }
    ridge_jw_end_array(w);
    ridge_jw_member_text(w, "status", found > 0 ? "partial" : answered ? "pending" : "derived");
    ridge_jw_end_object(w);
}

/* ---- the answer ---- */

static void classes(ridge_json_writer *w, const void *row)
{
    const ridge_learn_answer *a = row;
    const ridge_counted *count = &a->runs[0].count;
    const ridge_py_class **met = NULL;
    size_t found = 0, cap = 0;
    ridge_jw_array(w);
    for (size_t i = 0; i < count->count; i++) {
        const ridge_py_class *class = count->modules[i].module->instance->class;
        size_t k = 0;
        while (k < found && met[k] != class)
            k++;
        if (k < found || !ridge_arena_more(a->derivation.arena, &met, found, &cap, sizeof *met))
            continue;
        met[found++] = class;
        one_class(w, &a->derivation, count->modules[i].module, a->agent && a->agent->count > 0);
    }
    ridge_jw_end_array(w);
}

static void model(ridge_json_writer *w, const void *row)
{
    const ridge_learn_answer *a = row;
    const ridge_counted *count = &a->runs[0].count;
    ridge_jw_object(w);
    number(w, "parameters", count->parameters);
    number(w, "buffers", count->buffers);
    ridge_jw_key(w, "modules");
    ridge_jw_array(w);
    for (size_t i = 0; i < count->count; i++)
        module(w, &count->modules[i]);
    ridge_jw_end_array(w);
    ridge_jw_key(w, "runs");
    ridge_jw_array(w);
    for (size_t i = 0; i < a->run_count; i++)
        one_run(w, a, &a->runs[i]);
    ridge_jw_end_array(w);
    ridge_jw_end_object(w);
}

static void unresolved(ridge_json_writer *w, const void *row)
{
    const ridge_learn_answer *a = row;
    const ridge_py_interp *in = &a->derivation.in;
    list_holes(w, in, 0, a->run_count > 0 ? a->runs[0].run.first_hole : in->hole_count);
}

static void assumed(ridge_json_writer *w, const void *row)
{
    const ridge_learn_answer *a = row;
    const ridge_trace *run = ridge_run_of(&a->derivation.in);
    char where[320];
    ridge_jw_array(w);
    for (size_t i = 0; i < run->assumed_count; i++) {
        snprintf(where, sizeof where, "%s:%u", run->assumed[i].file ? run->assumed[i].file : "?", run->assumed[i].line);
        ridge_jw_object_compact(w);
        ridge_jw_member_text(w, "where", where);
        ridge_jw_member_text(w, "what", run->assumed[i].what);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
}

static void pending(ridge_json_writer *w, const void *row)
{
    static const ridge_agent nobody;
    const ridge_learn_answer *a = row;
    ridge_agent_write(w, a->agent ? a->agent : &nobody);
}

static void refused(ridge_json_writer *w, const void *row)
{
    const ridge_learn_answer *a = row;
    ridge_jw_array(w);
    for (size_t i = 0; a->agent && i < a->agent->refused_count; i++) {
        const ridge_agent_refusal *r = &a->agent->refused[i];
        ridge_jw_object(w);
        ridge_jw_member_text(w, "id", r->id);
        ridge_jw_member_text(w, "where", r->where);
        ridge_jw_member_text(w, "unknown", r->asked);
        ridge_jw_key(w, "answer");
        ridge_jw_str(w, r->text);
        ridge_jw_member_text(w, "reason", r->reason);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
}

#define ANSWER ridge_learn_answer
static const ridge_record_field fields[] = {
    RIDGE_R_TEXT(ANSWER, what, "what", NULL, RIDGE_IN_JSON, "the class or the model as it was named"),
    RIDGE_R_TEXT(ANSWER, derivation.library, "library", NULL, RIDGE_IN_JSON, "the package that the class belongs to"),
    RIDGE_R_TEXT(ANSWER, derivation.version, "version", NULL, RIDGE_IN_JSON, "the version that the package tells of itself"),
    RIDGE_R_TEXT(ANSWER, derivation.class_path, "class", NULL, RIDGE_IN_JSON, "the model's class with its Python module"),
    RIDGE_R_WRITTEN("classes", classes, "every class of the source that the model is made of: where it stands, what of it is unresolved"),
    RIDGE_R_WRITTEN("model", model, "parameters, the modules of named_modules(), and what each run of it costs, module by module"),
    RIDGE_R_WRITTEN("unresolved", unresolved, "what could not be derived while the model was built"),
    RIDGE_R_WRITTEN("assumed", assumed,
                    "what was taken for granted where the source leaves it to data, and where a cost is near but not exact"),
    RIDGE_R_WRITTEN("pending", pending, "answers of the agent that the numbers rest on, which nobody has validated"),
    RIDGE_R_WRITTEN("refused", refused, "answers of the agent that were no answers, and why"),
};
const ridge_record ridge_learn_record = RIDGE_RECORD(ANSWER, "learn", fields, "what was derived of a model from its Python source");
