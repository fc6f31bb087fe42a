/* One configuration: built, run with a few workloads, the runs merged, and drafted. */
#include "learn/template/lesson.h"

#include "learn/template/purpose.h"

#include "base/option.h"
#include "learn/template/block.h"

/* sizes that no other number of the runs equals; one sequence and several, several tokens and one */
static const struct {
    ridge_derive_phase phase;
    int64_t batch, seq, past;
} workloads[] = {
    {RIDGE_DERIVE_PREFILL, 2, 7, RIDGE_UNSET}, {RIDGE_DERIVE_PREFILL, 1, 9, RIDGE_UNSET}, {RIDGE_DERIVE_DECODE, 3, RIDGE_UNSET, 11},
    {RIDGE_DERIVE_DECODE, 1, RIDGE_UNSET, 13}, {RIDGE_DERIVE_PREFILL, 2, 1, RIDGE_UNSET},
    {RIDGE_DERIVE_PREFILL, 1, 1, RIDGE_UNSET}, {RIDGE_DERIVE_PREFILL, 2, 5, 6},
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

/* Did encoder and decoder both run, each over tokens of its own? */
static bool is_both(const ridge_derive_workload *w)
{
    return w->decoder_seq != RIDGE_UNSET && w->phase == RIDGE_DERIVE_PREFILL && (w->past == RIDGE_UNSET || w->past == 0);
}

/* The catalog's names: in an encoder-decoder S is the decoder's, enc the encoder's length; image is the side of a square image. */
static ridge_status rename(ridge_sketch_argument *renamed, const ridge_calc *calc)
{
    renamed[0].name = "S";
    renamed[1].name = "decoder_S";
    renamed[2].name = "image_height";
    renamed[3].name = "image_width";
    ridge_status st = ridge_sym_name(&renamed[0].value, "enc", 1, calc);
    if (st || (st = ridge_sym_name(&renamed[1].value, "S", 1, calc)) || (st = ridge_sym_name(&renamed[2].value, "image", 1, calc)))
        return st;
    renamed[3].value = renamed[2].value;
    return RIDGE_OK;
}

enum { NAMES = 11 };
static const char *const own_names[NAMES] = {"B",           "S",      "enc",          "past",   "image_height",
                                             "image_width", "images", "video_frames", "frames", "samples", "image"};

static void own_values(int64_t out[NAMES], const ridge_derive_workload *w)
{
    const int64_t values[NAMES] = {w->batch,
                                   is_both(w) ? w->decoder_seq : w->seq,
                                   is_both(w) ? w->seq : w->encoder_len,
                                   w->past == RIDGE_UNSET ? 0 : w->past,
                                   w->image_height,
                                   w->image_width,
                                   w->images == RIDGE_UNSET ? 0 : w->images,
                                   w->video_frames,
                                   w->frames,
                                   w->samples,
                                   w->image_height == w->image_width ? w->image_height : RIDGE_UNSET};
    memcpy(out, values, sizeof values);
}

/* What every name of the runs' numbers is worth in this run. All runs have the same names: one that has no use for a number has that of
 * the first that has. */
static ridge_status names(ridge_sketch_run *run, size_t at, const ridge_lesson *l)
{
    int64_t own[NAMES], other[NAMES];
    size_t cap = 0;
    ridge_status st = RIDGE_OK;
    own_values(own, &l->derived[at].workload);
    *run = (ridge_sketch_run){.sketches = run->sketches};
    for (size_t i = 0; i < NAMES && !st; i++) {
        for (size_t r = 0; r < l->run_count && own[i] == RIDGE_UNSET; r++) {
            own_values(other, &l->derived[r].workload);
            own[i] = other[i];
        }
        st = add_name(run, &cap, own_names[i], own[i], l);
    }
    for (size_t i = 0; i < l->field_count && !st; i++)
        if (l->fields[i].value.type == RIDGE_V_INT)
            st = add_name(run, &cap, l->fields[i].name, (int64_t)l->fields[i].value.u.i, l);
        else if (l->fields[i].value.type == RIDGE_V_BOOL)
            st = add_name(run, &cap, l->fields[i].name, l->fields[i].value.u.b, l);
    return st;
}

static ridge_status name_all(ridge_lesson *l)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < l->run_count && !st; i++)
        st = names(&l->runs[i], i, l);
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

static ridge_dtype weight_dtype(const ridge_trace *run)
{
    for (size_t i = 0; i < run->module_count; i++)
        if (run->modules[i]->parameter_count > 0 && run->modules[i]->parameters[0].tensor)
            return run->modules[i]->parameters[0].tensor->dtype;
    return RIDGE_DTYPE_F32;
}

/* Of a mixture, how many experts there are at most; 1: it is none. Every one of them must get tokens in every run: what an expert without
 * tokens leaves out is not what one with few does. */
static int64_t experts(const ridge_lesson *l)
{
    int64_t most = 1;
    for (size_t i = 0; i < l->field_count; i++)
        if (strstr(l->fields[i].name, "experts") && !strstr(l->fields[i].name, "per_tok") && l->fields[i].value.type == RIDGE_V_INT &&
            l->fields[i].value.u.i > most && l->fields[i].value.u.i < 4096)
            most = (int64_t)l->fields[i].value.u.i;
    return most;
}

/* Height and width of images that the config names: given like those of a user, so that they are names of the workload. */
static void give_image_size(ridge_derive_workload *w, const ridge_lesson *l)
{
    for (size_t i = 0; i < l->field_count; i++) {
        const char *dot = strrchr(l->fields[i].name, '.');
        const ridge_value v = l->fields[i].value;
        if (!dot || strcmp(dot, ".image_size") != 0)
            continue;
        const bool two = v.type == RIDGE_V_LIST && v.u.list->count == 2;
        const ridge_value height = two ? v.u.list->items[0] : v, width = two ? v.u.list->items[1] : v;
        if (height.type != RIDGE_V_INT || width.type != RIDGE_V_INT)
            continue;
        w->image_height = (int64_t)height.u.i;
        w->image_width = (int64_t)width.u.i;
        return;
    }
}

enum { WORKLOADS = sizeof workloads / sizeof *workloads };

static ridge_derive_workload workload(size_t i, int64_t experts)
{
    ridge_derive_workload w = RIDGE_DERIVE_WORKLOAD;
    w.phase = workloads[i].phase;
    w.batch = workloads[i].batch;
    w.seq = workloads[i].seq;
    w.past = workloads[i].past;
    if (experts > 1 && (w.phase == RIDGE_DERIVE_DECODE || w.seq == 1))
        w.batch = 2 * experts + 1;
    else if (experts > 1)
        w.seq += 2 * experts;
    return w;
}

/* A workload that the model has not (an encoder has no decode) is left out: *ran is false. */
static ridge_status run_one(bool *ran, const ridge_derive_workload *w, ridge_lesson *l)
{
    ridge_derive_run *run = &l->derived[l->run_count];
    ridge_status st = ridge_derive_run_once(run, &l->d, w);
    *ran = !st && !run->failed;
    if (st || run->failed) {
        l->failed = st ? NULL : run->failed; /* what it asked matters to nobody */
        return st;
    }
    l->run_count++;
    return RIDGE_OK;
}

static ridge_status run_all(ridge_lesson *l)
{
    bool ran;
    for (size_t i = 0; i < WORKLOADS; i++) {
        ridge_derive_workload w = workload(i, experts(l));
        if (i > 0 && w.phase == RIDGE_DERIVE_PREFILL && w.seq == 1 && is_both(&l->derived[0].workload)) {
            w.seq = 8; /* one token of the decoder: that it is one must not be what says that the encoder is left out */
            w.decoder_seq = 1;
        }
        give_image_size(&w, l);
        if (experts(l) > 1 && w.phase == RIDGE_DERIVE_DECODE && workloads[i].batch == 1)
            continue;
        ridge_status st = run_one(&ran, &w, l);
        if (st)
            return st;
        if (!ran && w.past != RIDGE_UNSET)
            break;
    }
    if (l->run_count == 0)
        return ridge_fail(l->calc.err, RIDGE_VALUE, "the model runs with no workload: %s", l->failed);
    return name_all(l);
}

/* A window that a condition compared with the number of tokens: 0 where there is none. */
static int64_t window(const ridge_lesson *l)
{
    for (size_t i = 0; i < l->condition_count; i++) {
        const ridge_sketch_condition *c = &l->conditions[i];
        for (size_t f = 0; f < l->field_count && !c->both && c->known; f++)
            if (strstr(l->fields[f].name, "window") && l->fields[f].value.type == RIDGE_V_INT && l->fields[f].value.u.i > 1 &&
                l->fields[f].value.u.i < 100000 && strstr(c->text, l->fields[f].name) && (strstr(c->text, "past") || strchr(c->text, 'S')))
                return (int64_t)l->fields[f].value.u.i;
    }
    return 0;
}

/* Runs beyond the window: more tokens cached, and more at once, than a layer looks at. */
static ridge_status run_beyond(ridge_lesson *l, int64_t window)
{
    ridge_derive_workload decode = workload(2, experts(l)), prefill = workload(0, experts(l));
    bool ran;
    decode.past = window + 11;
    prefill.seq = window + 9;
    ridge_status st = run_one(&ran, &decode, l);
    return st || (st = run_one(&ran, &prefill, l)) ? st : name_all(l);
}

static ridge_status sketch_all(ridge_lesson *l)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < l->run_count && !st; i++) {
        ridge_translation t = {.calc = &l->calc, .facts = l->facts, .fact_count = l->fact_count};
        ridge_lesson_rename(&t, l, &l->derived[i].workload);
        st = ridge_sketches_make(&l->runs[i].sketches, l->d.root, l->derived[i].root, l->derived[i].cache,
                                 weight_dtype(ridge_run_of(&l->d.in)), &l->d.in, t);
    }
    return st;
}

/* ---- all of it ---- */

ridge_status ridge_lesson_take(ridge_lesson *l, const ridge_derive_request *request, const ridge_lesson_doubts *doubts,
                               bool (*is_taken)(const char *key, void *data), void *data, const ridge_calc *calc)
{
    *l = (ridge_lesson){.calc = *calc, .square = request->square_images};
    l->blocks.calc = &l->calc;
    ridge_status st = rename(l->renamed, &l->calc);
    if (st || (st = ridge_derive_open(&l->d, request, calc->arena, calc->err)) || (st = read_fields(l)))
        return st;
    for (size_t i = 0; i < l->field_count; i++)
        for (size_t k = 0; k < doubts->count; k++)
            l->fields[i].doubted |= strcmp(l->fields[i].name, doubts->names[k]) == 0;
    l->built_conditions = l->d.in.condition_count;
    if ((st = run_all(l)) || (st = ridge_lesson_conditions(l)))
        return st;
    int64_t beyond = window(l);
    if (beyond > 0 && ((st = run_beyond(l, beyond)) || (st = ridge_lesson_conditions(l))))
        return st;
    if ((st = sketch_all(l)))
        return st;
    if ((st = ridge_sketches_merge(l->runs, l->run_count, l->conditions, l->condition_count, &l->calc)))
        return st;
    if ((st = ridge_purposes_find(&l->runs[0], &l->calc)))
        return st;
    l->blocks.conditions = l->conditions;
    l->blocks.condition_count = l->condition_count;
    l->drafts = (ridge_drafts){.calc = &l->calc,
                               .fields = l->fields,
                               .field_count = l->field_count,
                               .block = ridge_block_find,
                               .data = &l->blocks,
                               .is_taken = is_taken,
                               .taken_data = data};
    return ridge_drafts_make(&l->drafts, &l->runs[0].sketches);
}

void ridge_lesson_rename(ridge_translation *t, const ridge_lesson *l, const ridge_derive_workload *w)
{
    const bool square = l->square && w->image_height == w->image_width;
    t->fixed = is_both(w) ? l->renamed : l->renamed + 2;
    t->fixed_count = (is_both(w) ? 2u : 0u) + (square ? 2u : 0u);
}
