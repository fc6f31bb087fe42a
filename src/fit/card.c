#include "fit/card.h"

#include "cost/sums.h"
#include "input/opgraph.h"

/* formats that weights are kept in most, wide first */
static const char *const narrower[] = {"fp8_e4m3", "q8_0", "q6_K", "q4_K", "q3_K", "q2_K"};
enum { NARROWER = sizeof narrower / sizeof *narrower };

static bool is_shown(const char *name)
{
    return strcmp(name, "fp8_e4m3") == 0 || strcmp(name, "q8_0") == 0 || strcmp(name, "q4_K") == 0;
}

static bool is_narrower(const ridge_format *a, const ridge_format *b)
{
    return a->bits.num * b->bits.den < b->bits.num * a->bits.den;
}

typedef struct maker {
    ridge_card *card;
    ridge_registry *registry;
    ridge_machines *machines;
    const ridge_fits_request *request;
    ridge_arena *arena;
    ridge_err *err;
} maker;

static ridge_status analyse(ridge_analysis **a, const maker *m, const ridge_model_request *r)
{
    return ridge_analysis_exact(a, m->registry, r, RIDGE_ROWS_NONE, m->err);
}

static ridge_status find_formats(const maker *m)
{
    ridge_card *c = m->card;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < NARROWER && !st; i++) {
        ridge_model_request r = ridge_fits_piece(&c->fits, &m->request->predict.model);
        ridge_analysis *a = NULL;
        r.weights = ridge_format_find(ridge_str_of(narrower[i]));
        if (!is_shown(narrower[i]) || !is_narrower(r.weights, c->fits.model->workload.weights))
            continue;
        if (!(st = analyse(&a, m, &r)))
            c->formats[c->format_count++] = (ridge_card_format){r.weights, a->memory.weights};
        ridge_analysis_free(a);
    }
    return st;
}

/* ---- the cache, the work of a token ---- */

/* bytes of the cache after so many tokens; *flops of the last of them */
static ridge_status step_at(ridge_int *cache, ridge_int *flops, const maker *m, int64_t tokens)
{
    ridge_model_request r = m->request->predict.model;
    ridge_analysis *a = NULL;
    ridge_flop_sums f;
    ridge_byte_sums b;
    r.phase = RIDGE_PHASE_DECODE;
    r.seq = 1;
    r.past = tokens - 1;
    ridge_status st = analyse(&a, m, &r);
    if (!st && !(st = ridge_cost_sums(&f, &b, &a->total, m->err))) {
        *cache = a->memory.kv_cache;
        *flops = f.total;
    }
    ridge_analysis_free(a);
    return st;
}

static ridge_status find_cache(const maker *m)
{
    ridge_card *c = m->card;
    const int64_t most = c->fits.model_context > 0 ? c->fits.model_context : c->fits.context;
    ridge_int one, two, flops, unused;
    ridge_status st;
    c->cache_bytes_per_token = c->cache_bytes = c->token_flops = -1;
    if (!c->fits.generates || c->fits.model->workload.encoder_decoder)
        return RIDGE_OK;
    if ((st = step_at(&one, &flops, m, 2)) || (st = step_at(&two, &flops, m, 3)) || (st = step_at(&c->cache_bytes, &flops, m, most)) ||
        (st = step_at(&unused, &c->token_flops, m, c->fits.context)))
        return st;
    c->cache_bytes_per_token = two - one;
    c->cache_tokens = most;
    return RIDGE_OK;
}

static ridge_status find_prompt(const maker *m)
{
    ridge_card *c = m->card;
    ridge_model_request r = m->request->predict.model;
    ridge_analysis *a = NULL;
    ridge_flop_sums f;
    ridge_byte_sums b;
    if (c->fits.model->workload.takes.tokens)
        r.seq = c->prompt_tokens = c->fits.piece < c->fits.context ? c->fits.piece : c->fits.context;
    ridge_status st = analyse(&a, m, &r);
    if (!st && !(st = ridge_cost_sums(&f, &b, &a->total, m->err)))
        c->prompt_flops = f.total;
    ridge_analysis_free(a);
    return st;
}

/* ---- does it fit, what would ---- */

static ridge_status find_way(const maker *m)
{
    ridge_card *c = m->card;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < NARROWER && !st && c->row.fits == 0 && !c->would_fit; i++) {
        const ridge_format *f = ridge_format_find(ridge_str_of(narrower[i]));
        if (!is_narrower(f, c->fits.model->workload.weights))
            continue;
        st = ridge_fits_row_make(&c->other, &c->fits, m->request, f, NULL, 0, m->registry, m->machines, m->err);
        if (!st && c->other.fits > 0) {
            c->would_fit = f;
            st = ridge_fits_row_make(&c->other, &c->fits, m->request, f, NULL, RIDGE_FIT_TIMES | RIDGE_FIT_LARGEST, m->registry,
                                     m->machines, m->err);
        }
    }
    return st;
}

static ridge_status add_next(const maker *m, const char *line)
{
    return line ? ridge_words_add(&m->card->next, line, m->arena, m->err) : ridge_no_memory(m->err);
}

static ridge_status find_next(const maker *m)
{
    const ridge_card *c = m->card;
    const char *on = m->request->predict.machine ? ridge_arena_printf(m->arena, " --on %s", m->request->predict.machine) : "";
    if (on && m->request->memory_bytes > 0)
        on = ridge_arena_printf(m->arena, "%s --memory %lld", on, (long long)m->request->memory_bytes);
    const char *bind = m->request->predict.model.bind, *name = c->name;
    if (bind && bind[0] && !(name = ridge_arena_printf(m->arena, "%s --bind %s", c->name, bind)))
        return ridge_no_memory(m->err);
    const char *machine = c->machine ? c->machine : "h100-sxm-80";
    ridge_status st = RIDGE_OK;
    if (c->fits.here.machine && !c->fits.here.timed)
        st = add_next(m, "ridge machine calibrate");
    if (!st)
        st = add_next(m, ridge_arena_printf(m->arena, "ridge fit %s%s", name, on ? on : ""));
    if (!st && (c->fits.here.timed || !c->machine) && c->fits.generates)
        st = add_next(m, ridge_arena_printf(m->arena, "ridge predict %s --on %s --prompt %lld --generate 256", c->name, machine,
                                            (long long)c->prompt_tokens));
    else if (!st && c->fits.here.timed)
        st = add_next(m, ridge_arena_printf(m->arena, "ridge predict %s --on %s", name, machine));
    return st ? st : add_next(m, ridge_arena_printf(m->arena, "ridge cost %s", name));
}

ridge_status ridge_card_make(ridge_card *out, ridge_registry *registry, ridge_machines *machines, const ridge_fits_request *request,
                             ridge_arena *arena, ridge_err *err)
{
    maker m = {out, registry, machines, request, arena, err};
    *out = (ridge_card){.name = request->predict.model.model};
    ridge_status st = ridge_fits_open(&out->fits, registry, machines, request, arena, err);
    if (st)
        return st;
    const ridge_analysis *a = out->fits.model;
    out->architecture = a->architecture;
    out->machine = out->fits.machine;
    out->parameters = a->nothing_known ? NULL : &a->parameters;
    out->weights_bytes = a->memory.weights;
    out->model_type = a->ops            ? a->file.opgraph->kind
                      : a->config_entry ? ridge_arena_strdup(arena, a->config_entry->config->model_type)
                                        : NULL;
    if ((st = find_formats(&m)) || (st = find_cache(&m)) || (st = find_prompt(&m)) ||
        (st = ridge_fits_row_make(&out->row, &out->fits, request, NULL, NULL, RIDGE_FIT_TIMES | RIDGE_FIT_LARGEST, registry, machines,
                                  err)) ||
        (st = find_way(&m)))
        return st;
    return find_next(&m);
}

void ridge_card_free(ridge_card *card)
{
    ridge_fits_free(&card->fits);
}
