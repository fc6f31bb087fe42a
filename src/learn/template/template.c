/* A model's source to catalog entries: runs it with a few workloads, merges what they show, and writes it down. */
#include "learn/template/template.h"

#include "base/option.h"
#include "learn/template/block.h"
#include "learn/template/config.h"
#include "learn/template/write.h"

enum { RUNS = 4 };

typedef struct learner {
    ridge_derivation d;
    ridge_sketch_run runs[RUNS];
    size_t run_count;
    ridge_sketch_condition *conditions;
    size_t condition_count;
    ridge_draft_field *fields;
    size_t field_count;
    ridge_algebra algebra;
    ridge_calc calc;
    ridge_translation t; /* of the interpreter's numbers */
    const char *failed;  /* why a run ended early */
} learner;

/* sizes that no other number of the runs equals; one sequence and several, several tokens and one */
static const struct {
    ridge_derive_phase phase;
    int64_t batch, seq, past;
} workloads[RUNS] = {
    {RIDGE_DERIVE_PREFILL, 2, 7, RIDGE_UNSET},
    {RIDGE_DERIVE_DECODE, 3, RIDGE_UNSET, 11},
    {RIDGE_DERIVE_PREFILL, 1, 9, RIDGE_UNSET},
    {RIDGE_DERIVE_DECODE, 1, RIDGE_UNSET, 13},
};

/* ---- names and fields ---- */

static ridge_status add_name(ridge_sketch_run *run, size_t *cap, const char *name, int64_t value, const learner *l)
{
    ridge_sketch_argument *list = (ridge_sketch_argument *)run->names;
    if (value == RIDGE_UNSET)
        return RIDGE_OK;
    if (!ridge_arena_more(l->calc.arena, &list, run->name_count, cap, sizeof *list))
        return ridge_no_memory(l->calc.err);
    list[run->name_count++] = (ridge_sketch_argument){name, ridge_value_int(value)};
    run->names = list;
    return RIDGE_OK;
}

/* The catalog's names in an encoder-decoder: S is the decoder's, enc the encoder's length. */
static ridge_status rename(ridge_sketch_argument *renamed, const ridge_calc *calc)
{
    renamed[0].name = "S";
    renamed[1].name = "decoder_S";
    ridge_status st = ridge_sym_name(&renamed[0].value, "enc", 1, calc);
    return st ? st : ridge_sym_name(&renamed[1].value, "S", 1, calc);
}

/* what every name of the runs' numbers is worth in this run */
static ridge_status names(ridge_sketch_run *run, const ridge_derive_workload *w, const learner *l)
{
    const struct {
        const char *name;
        int64_t value;
    } own[] = {{"B", w->batch},
               {"S", w->decoder_seq == RIDGE_UNSET ? w->seq : w->decoder_seq},
               {"enc", w->decoder_seq == RIDGE_UNSET ? w->encoder_len : w->seq},
               {"past", w->past == RIDGE_UNSET ? 0 : w->past},
               {"image", w->image_height},
               {"frames", w->frames},
               {"samples", w->samples}};
    size_t cap = 0;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < sizeof own / sizeof *own && !st; i++)
        st = add_name(run, &cap, own[i].name, own[i].value, l);
    for (size_t i = 0; i < l->field_count && !st; i++)
        if (l->fields[i].value.type == RIDGE_V_INT)
            st = add_name(run, &cap, l->fields[i].name, (int64_t)l->fields[i].value.u.i, l);
        else if (l->fields[i].value.type == RIDGE_V_BOOL)
            st = add_name(run, &cap, l->fields[i].name, l->fields[i].value.u.b, l);
    return st;
}

/* a config's value without symbols; UNSET where it is none that a rule could use */
static ridge_status plain(ridge_value *out, ridge_py v, unsigned depth, const learner *l)
{
    ridge_status st = RIDGE_OK;
    out->type = RIDGE_V_UNSET;
    if (v.type == RIDGE_PY_T_INT)
        *out = ridge_value_int(v.u.i);
    else if (v.type == RIDGE_PY_T_BOOL)
        *out = ridge_value_bool(v.u.b);
    else if (v.type == RIDGE_PY_T_STR)
        *out = ridge_value_str(v.u.s->text);
    else if ((v.type == RIDGE_PY_T_LIST || v.type == RIDGE_PY_T_TUPLE) && depth == 0) {
        if ((st = ridge_value_list(out, v.u.list->count, &l->calc)))
            return st;
        for (size_t i = 0; i < v.u.list->count && !st; i++)
            st = plain(&out->u.list->items[i], v.u.list->items[i], depth + 1, l);
    }
    return st;
}

static ridge_status read_fields(learner *l)
{
    const ridge_learn_config *config = &l->d.config;
    ridge_status st = RIDGE_OK;
    if (!(l->fields = ridge_arena_array(l->calc.arena, config->count + 1, sizeof *l->fields)))
        return ridge_no_memory(l->calc.err);
    for (size_t i = 0; i < config->count && !st; i++) {
        ridge_draft_field *f = &l->fields[l->field_count];
        *f = (ridge_draft_field){.name = ridge_arena_printf(l->calc.arena, "config.%s", config->fields[i].path)};
        if (!f->name)
            return ridge_no_memory(l->calc.err);
        st = plain(&f->value, config->fields[i].value, 0, l);
        l->field_count += f->value.type != RIDGE_V_UNSET;
    }
    return st;
}

/* ---- conditions ---- */

/* a condition that says which number a field is: something counted to it */
static void note_count(learner *l, const ridge_sketch_condition *c)
{
    for (size_t i = 0; i < l->field_count; i++) {
        ridge_draft_field *f = &l->fields[i];
        size_t n = strlen(f->name);
        if (!c->loop || f->file || strncmp(c->text, f->name, n) != 0 || strncmp(c->text + n, " == ", 4) != 0 || f->value.type != RIDGE_V_INT)
            continue;
        f->file = c->file;
        f->line = c->line;
    }
}

static ridge_status read_conditions(learner *l)
{
    const ridge_py_interp *in = &l->d.in;
    ridge_status st = RIDGE_OK;
    if (!(l->conditions = ridge_arena_array(l->calc.arena, in->condition_count + 1, sizeof *l->conditions)))
        return ridge_no_memory(l->calc.err);
    for (size_t i = 0; i < in->condition_count && !st; i++) {
        const ridge_condition *from = &in->conditions[i];
        if (i >= l->d.config.first_condition && i < l->d.config.last_condition)
            continue; /* of what config.json says; the entries ask what the config has */
        ridge_sketch_condition *c = &l->conditions[l->condition_count++];
        *c = (ridge_sketch_condition){.text = from->text, .file = from->file, .line = from->line, .holds = from->holds, .loop = from->loop};
        st = ridge_translate(&c->value, from->sym, &l->t);
        note_count(l, c);
    }
    return st;
}

/* Does an entry say what happens on both sides, or is there but one? */
static bool is_resolved(const ridge_sketch_condition *c, const learner *l)
{
    if (c->both || c->value.type == RIDGE_V_INT || c->value.type == RIDGE_V_BOOL)
        return true;
    for (size_t i = 0; i < l->field_count; i++) {
        const ridge_draft_field *f = &l->fields[i];
        size_t n = strlen(f->name);
        if (f->counts && f->file && strncmp(c->text, f->name, n) == 0 && strncmp(c->text + n, " == ", 4) == 0)
            return true;
    }
    return strcmp(c->text, "config.tie_word_embeddings") == 0 && l->runs[0].sketches.tie_count > 0;
}

static ridge_status add_need(ridge_draft *d, const ridge_sketch_condition *c, const ridge_calc *calc)
{
    const char *slash = c->file ? strrchr(c->file, '/') : NULL;
    if (!ridge_arena_more(calc->arena, &d->needs, d->need_count, &d->need_cap, sizeof *d->needs))
        return ridge_no_memory(calc->err);
    ridge_draft_need *need = &d->needs[d->need_count++];
    need->that = c->holds ? c->text : ridge_arena_printf(calc->arena, "not (%s)", c->text);
    need->why = ridge_arena_printf(calc->arena, "asked in %s:%u, and no run went the other way", slash ? slash + 1 : c->file ? c->file : "the source", c->line);
    return need->that && need->why ? RIDGE_OK : ridge_no_memory(calc->err);
}

static ridge_status needs(ridge_draft *model, const learner *l)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < l->condition_count && !st; i++)
        if (!is_resolved(&l->conditions[i], l))
            st = add_need(model, &l->conditions[i], &l->calc);
    return st;
}

/* ---- runs ---- */

static ridge_dtype weight_dtype(const ridge_run *run)
{
    for (size_t i = 0; i < run->module_count; i++)
        if (run->modules[i]->parameter_count > 0 && run->modules[i]->parameters[0].tensor)
            return run->modules[i]->parameters[0].tensor->dtype;
    return RIDGE_DTYPE_F32;
}

/* A workload that the model has not (an encoder has no decode) is left out. */
static ridge_status run_all(learner *l)
{
    for (size_t i = 0; i < RUNS; i++) {
        ridge_derive_workload w = RIDGE_DERIVE_WORKLOAD;
        ridge_derive_run run;
        w.phase = workloads[i].phase;
        w.batch = workloads[i].batch;
        w.seq = workloads[i].seq;
        w.past = workloads[i].past;
        ridge_status st = ridge_derive_run_once(&run, &l->d, &w);
        if (st)
            return st;
        if (run.failed) {
            l->failed = l->failed ? l->failed : run.failed;
            continue;
        }
        ridge_sketch_run *out = &l->runs[l->run_count++];
        ridge_sketch_argument renamed[2];
        bool both = run.workload.decoder_seq != RIDGE_UNSET && run.workload.phase == RIDGE_DERIVE_PREFILL;
        ridge_translation t = {.calc = &l->calc, .fixed = renamed, .fixed_count = both ? 2 : 0};
        if ((st = rename(renamed, &l->calc)) ||
            (st = ridge_sketches_make(&out->sketches, l->d.root, run.root, weight_dtype(ridge_run_of(&l->d.in)), &l->d.in, t)) ||
            (st = names(out, &run.workload, l)))
            return st;
    }
    if (l->run_count == 0)
        return ridge_fail(l->calc.err, RIDGE_VALUE, "the model runs with no workload: %s", l->failed);
    return RIDGE_OK;
}

/* ---- all of it ---- */

static ridge_status write(ridge_template_answer *out, const ridge_drafts *drafts, learner *l)
{
    ridge_buf text = {0};
    ridge_json_writer w;
    ridge_template_text about = {.package = &l->d.package, .library = l->d.library, .version = l->d.version, .calc = &l->calc};
    about.ties = l->runs[0].sketches.ties;
    about.tie_count = l->runs[0].sketches.tie_count;
    for (size_t i = 0; i < l->condition_count; i++)
        if (strcmp(l->conditions[i].text, "config.tie_word_embeddings") == 0)
            about.tied_when = l->conditions[i].text;
    ridge_jw_init(&w, &text);
    ridge_jw_object(&w);
    ridge_status st = ridge_template_config(&w, &l->d, out->model, &l->calc);
    if (!st)
        st = ridge_template_write(&w, drafts, &about);
    ridge_jw_end_object(&w);
    ridge_buf_addc(&text, '\n');
    if (!(out->text = ridge_arena_take(l->calc.arena, &text)) && !st)
        st = ridge_no_memory(l->calc.err);
    return st;
}

static ridge_status draft(ridge_template_answer *out, learner *l)
{
    ridge_blocks blocks = {.calc = &l->calc};
    ridge_drafts drafts = {.calc = &l->calc, .fields = l->fields, .field_count = l->field_count, .block = ridge_block_find, .data = &blocks};
    ridge_status st = ridge_drafts_make(&drafts, &l->runs[0].sketches);
    if (st)
        return st;
    ridge_draft *model = drafts.p[drafts.count - 1];
    if ((st = needs(model, l)))
        return st;
    out->model = model->key;
    out->entries = drafts.count;
    for (size_t i = 0; i < drafts.count; i++)
        out->unknown += drafts.p[i]->unknown != NULL;
    return write(out, &drafts, l);
}

ridge_status ridge_template_learn(ridge_template_answer *out, const ridge_derive_request *request, ridge_arena *arena, ridge_err *err)
{
    learner *l = ridge_arena_alloc(arena, sizeof *l);
    *out = (ridge_template_answer){0};
    if (!l || !ridge_algebra_init(&l->algebra, arena))
        return ridge_no_memory(err);
    l->calc = (ridge_calc){arena, &l->algebra, err};
    l->t.calc = &l->calc;
    ridge_status st = ridge_derive_open(&l->d, request, arena, err);
    if (st || (st = read_fields(l)) || (st = run_all(l)) || (st = read_conditions(l)))
        return st;
    if ((st = ridge_sketches_merge(l->runs, l->run_count, l->conditions, l->condition_count, &l->calc)))
        return st;
    return draft(out, l);
}
