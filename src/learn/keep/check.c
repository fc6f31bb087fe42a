/* Entries that were learned, held against runs of the source itself: of the workload that was asked for, and of small ones. */
#include "learn/derive/count.h"
#include "learn/keep/keep.h"
#include "model/cost.h"

/* by how many millionths bytes may differ: whether a tensor is in order is asked of sizes, which differ from run to run */
enum { BYTES_PPM = 10000 };

static ridge_derive_workload derived(const ridge_model_request *r)
{
    return (ridge_derive_workload){.phase = r->phase == RIDGE_PHASE_DECODE ? RIDGE_DERIVE_DECODE : RIDGE_DERIVE_PREFILL,
                                   .batch = r->batch,
                                   .seq = r->phase == RIDGE_PHASE_DECODE ? RIDGE_UNSET : r->seq,
                                   .past = r->phase == RIDGE_PHASE_DECODE ? r->past : RIDGE_UNSET,
                                   .decoder_seq = r->decoder_seq,
                                   .encoder_len = r->encoder_len,
                                   .image_height = r->image.height,
                                   .image_width = r->image.width,
                                   .images = r->images,
                                   .video_frames = r->video_frames,
                                   .frames = r->frames,
                                   .samples = r->samples};
}

/* the numbers that a run chose itself, for the entries */
static void ask_the_same(ridge_model_request *r, const ridge_derive_run *run)
{
    const ridge_derive_workload *w = &run->workload;
    const bool decode = w->phase == RIDGE_DERIVE_DECODE;
    r->phase = decode ? RIDGE_PHASE_DECODE : RIDGE_PHASE_PREFILL;
    r->batch = w->batch;
    r->seq = decode ? RIDGE_UNSET : w->seq;
    r->past = decode ? w->past : RIDGE_UNSET;
    r->decoder_seq = w->decoder_seq;
    r->encoder_len = w->encoder_len;
}

static bool is_known(const ridge_counted *c)
{
    return c->parameters >= 0 && ridge_count_torch(&c->total) >= 0 && c->total.reads >= 0 && c->total.writes >= 0;
}

static ridge_status differ(const ridge_model_request *r, const char *what, ridge_int mine, ridge_int theirs, ridge_err *err)
{
    char texts[2][RIDGE_INT_COMMA_CHARS];
    const size_t n[2] = {ridge_int_print_comma(texts[0], mine), ridge_int_print_comma(texts[1], theirs)};
    return ridge_fail(
        err, RIDGE_VALUE,
        "what was learned is not used: its entries say %.*s %s of %s at batch %lld, and a run of the source %.*s; 'ridge learn "
        "%s' has the run's numbers",
        (int)n[0], texts[0], what, ridge_phase_names[r->phase], (long long)r->batch, (int)n[1], texts[1], r->model);
}

static ridge_status compare(const ridge_cost_answer *a, const ridge_counted *c, const ridge_model_request *r, ridge_err *err)
{
    const ridge_int bytes = c->total.reads + c->total.writes, torch = ridge_count_torch(&c->total);
    const ridge_int off = a->bytes->total > bytes ? a->bytes->total - bytes : bytes - a->bytes->total;
    if (a->analysis->parameters.total != c->parameters)
        return differ(r, "parameters", a->analysis->parameters.total, c->parameters, err);
    if (a->flops->torch != torch)
        return differ(r, "FLOPs", a->flops->torch, torch, err);
    return off > bytes / 1000000 * BYTES_PPM + BYTES_PPM ? differ(r, "bytes", a->bytes->total, bytes, err) : RIDGE_OK;
}

/* a run that the source refuses leaves its sums unknown */
static ridge_status count(ridge_counted *out, ridge_derivation *d, ridge_model_request *r)
{
    const ridge_derive_workload workload = derived(r);
    ridge_derive_run run;
    ridge_status st = ridge_derive_run_once(&run, d, &workload);
    if (st || (st = ridge_count_tree(out, d->root, &d->in)) || run.failed || (st = ridge_count_run(out, run.root, &d->in))) {
        ridge_count_forget(out);
        return st;
    }
    ask_the_same(r, &run);
    return RIDGE_OK;
}

/* one workload, in memory of its own: what the source refuses, or does not tell, and what the entries refuse are no differences */
static ridge_status check_once(ridge_registry *registry, const ridge_derive_request *request, const ridge_model_request *asked,
                               ridge_err *err)
{
    ridge_cost_request cost = {.model = *asked, .depth = RIDGE_UNSET};
    ridge_cost_answer answer = {0};
    ridge_counted counted = {0};
    ridge_err refused = {0};
    ridge_arena arena;
    ridge_arena_init(&arena);
    ridge_derivation *d = ridge_arena_alloc(&arena, sizeof *d);
    ridge_status st = d ? ridge_derive_open(d, request, &arena, err) : ridge_no_memory(err);
    if (!st)
        st = count(&counted, d, &cost.model);
    if (!st && is_known(&counted) && !ridge_cost_answer_make(&answer, registry, &cost, &refused) && answer.flops)
        st = compare(&answer, &counted, &cost.model, err);
    ridge_cost_answer_free(&answer);
    ridge_arena_free(&arena);
    return st;
}

ridge_status ridge_keep_check(ridge_registry *registry, const ridge_derive_request *request, const ridge_model_request *asked,
                              ridge_err *err)
{
    static const struct {
        ridge_phase phase;
        int64_t batch, seq;
    } small[] = {{RIDGE_PHASE_PREFILL, 1, RIDGE_UNSET},
                 {RIDGE_PHASE_PREFILL, 2, 16},
                 {RIDGE_PHASE_DECODE, 1, RIDGE_UNSET},
                 {RIDGE_PHASE_DECODE, 3, RIDGE_UNSET}};
    ridge_model_request r;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i <= sizeof small / sizeof *small && !st; i++) {
        ridge_model_request_default(&r);
        r.model = asked->model;
        r.head_class = asked->head_class;
        if (i == 0) { /* as asked, in the formats that the source has */
            r.phase = asked->phase == RIDGE_PHASE_DECODE ? RIDGE_PHASE_DECODE : RIDGE_PHASE_PREFILL;
            r.batch = asked->batch, r.seq = asked->seq, r.past = asked->past;
            r.decoder_seq = asked->decoder_seq, r.encoder_len = asked->encoder_len, r.images = asked->images, r.image = asked->image;
            r.video_frames = asked->video_frames, r.frames = asked->frames, r.samples = asked->samples;
        } else {
            r.phase = small[i - 1].phase;
            r.batch = small[i - 1].batch;
            r.seq = small[i - 1].seq;
        }
        st = check_once(registry, request, &r, err);
    }
    return st;
}
