/* One configuration: built, run with a few workloads, the runs merged, and drafted. */
#include "learn/template/lesson.h"

#include "base/option.h"
#include "learn/template/block.h"

/* sizes that no other number of the runs equals; one sequence and several, several tokens and one */
static const struct {
    ridge_derive_phase phase;
    int64_t batch, seq, past;
} workloads[RIDGE_LESSON_RUNS] = {
    {RIDGE_DERIVE_PREFILL, 2, 7, RIDGE_UNSET},
    {RIDGE_DERIVE_PREFILL, 1, 9, RIDGE_UNSET},
    {RIDGE_DERIVE_DECODE, 3, RIDGE_UNSET, 11},
    {RIDGE_DERIVE_DECODE, 1, RIDGE_UNSET, 13},
    {RIDGE_DERIVE_PREFILL, 2, 5, 6},
};

/* ---- names and fields ---- */

static ridge_status add_name(ridge_sketch_run *run, size_t *cap, const char *name, int64_t value, const ridge_lesson *l)
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
static ridge_status names(ridge_sketch_run *run, const ridge_derive_workload *w, const ridge_lesson *l)
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
static ridge_status plain(ridge_value *out, ridge_py v, unsigned depth, const ridge_lesson *l)
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

static ridge_status read_fields(ridge_lesson *l)
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

/* ---- runs ---- */

static ridge_dtype weight_dtype(const ridge_run *run)
{
    for (size_t i = 0; i < run->module_count; i++)
        if (run->modules[i]->parameter_count > 0 && run->modules[i]->parameters[0].tensor)
            return run->modules[i]->parameters[0].tensor->dtype;
    return RIDGE_DTYPE_F32;
}

/* A workload that the model has not (an encoder has no decode) is left out. */
static ridge_status run_all(ridge_lesson *l)
{
    for (size_t i = 0; i < RIDGE_LESSON_RUNS; i++) {
        ridge_derive_workload w = RIDGE_DERIVE_WORKLOAD;
        ridge_derive_run *run = &l->derived[l->run_count];
        w.phase = workloads[i].phase;
        w.batch = workloads[i].batch;
        w.seq = workloads[i].seq;
        w.past = workloads[i].past;
        ridge_status st = ridge_derive_run_once(run, &l->d, &w);
        if (st)
            return st;
        if (run->failed) {
            l->failed = run->failed; /* what it asked matters to nobody */
            if (w.past != RIDGE_UNSET)
                break;
            continue;
        }
        if ((st = names(&l->runs[l->run_count], &run->workload, l)))
            return st;
        l->run_count++;
    }
    if (l->run_count == 0)
        return ridge_fail(l->calc.err, RIDGE_VALUE, "the model runs with no workload: %s", l->failed);
    return RIDGE_OK;
}

static ridge_status sketch_all(ridge_lesson *l)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < l->run_count && !st; i++) {
        ridge_translation t = {.calc = &l->calc, .facts = l->facts, .fact_count = l->fact_count};
        ridge_lesson_rename(&t, l, &l->derived[i].workload);
        st = ridge_sketches_make(&l->runs[i].sketches, l->d.root, l->derived[i].root, l->derived[i].cache, weight_dtype(ridge_run_of(&l->d.in)), &l->d.in, t);
    }
    return st;
}

/* ---- all of it ---- */

ridge_status ridge_lesson_take(ridge_lesson *l, const ridge_derive_request *request, const ridge_calc *calc)
{
    *l = (ridge_lesson){.calc = *calc};
    l->blocks.calc = &l->calc;
    ridge_status st = rename(l->renamed, &l->calc);
    if (st || (st = ridge_derive_open(&l->d, request, calc->arena, calc->err)) || (st = read_fields(l)))
        return st;
    l->built_conditions = l->d.in.condition_count;
    if ((st = run_all(l)) || (st = ridge_lesson_conditions(l)) || (st = sketch_all(l)))
        return st;
    if ((st = ridge_sketches_merge(l->runs, l->run_count, l->conditions, l->condition_count, &l->calc)))
        return st;
    l->blocks.conditions = l->conditions;
    l->blocks.condition_count = l->condition_count;
    l->drafts = (ridge_drafts){.calc = &l->calc, .fields = l->fields, .field_count = l->field_count, .block = ridge_block_find, .data = &l->blocks};
    return ridge_drafts_make(&l->drafts, &l->runs[0].sketches);
}

void ridge_lesson_rename(ridge_translation *t, const ridge_lesson *l, const ridge_derive_workload *w)
{
    t->fixed = l->renamed;
    t->fixed_count = w->decoder_seq != RIDGE_UNSET && w->phase == RIDGE_DERIVE_PREFILL ? 2 : 0;
}
