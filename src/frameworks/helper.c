/* The Python process of a framework (helper.h). */
#include "frameworks/helper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure/statistics.h"

enum { ANSWER_MOST = 1 << 20, REASON_MOST = 300, VERSION_MOST = 60, SAMPLES_MOST = 4000, CALLS_MOST = 1000000 };
/* operands that are read, converted and laid out in a second, at least */
#define LOADED_BYTES_PER_S 20e6

static const char *python_of(void)
{
    const char *named = getenv("RIDGE_PYTHON");
    return named && named[0] != '\0' ? named : "python3";
}

/* ---- answers ---- */

static ridge_status malformed(const ridge_framework_helper *h, const char *what, ridge_err *err)
{
    return ridge_fail(err, RIDGE_VALUE, "%s answered with %s", h->name, what);
}

static const char *short_text(const ridge_json *answer, const char *key, size_t most, ridge_arena *arena)
{
    const ridge_json *v = ridge_json_get(answer, key);
    if (!v || v->type != RIDGE_JSON_STRING || v->u.text.n == 0)
        return NULL;
    return ridge_arena_strdup(arena, (ridge_str){v->u.text.p, v->u.text.n < most ? v->u.text.n : most});
}

static bool is_true(const ridge_json *answer, const char *key)
{
    const ridge_json *v = ridge_json_get(answer, key);
    return v && v->type == RIDGE_JSON_TRUE;
}

static bool number_of(double *out, const ridge_json *v)
{
    char text[64];
    if (!v || v->type != RIDGE_JSON_NUMBER || v->u.text.n >= sizeof text)
        return false;
    memcpy(text, v->u.text.p, v->u.text.n);
    text[v->u.text.n] = '\0';
    *out = strtod(text, NULL);
    return isfinite(*out);
}

/* a question, its answer; "cannot" and "missing" are errors with the framework's own reason */
static ridge_status ask(ridge_json **out, ridge_framework_helper *h, ridge_str question, double seconds, ridge_err *err)
{
    ridge_str line;
    ridge_status st = ridge_talk_ask(&line, h->talk, question, seconds, h->arena, err);
    if (st)
        return st;
    if (ridge_json_parse(out, line, h->name, (ridge_json_options){0}, h->arena, NULL) || (*out)->type != RIDGE_JSON_OBJECT)
        return malformed(h, "what is no JSON object", err);
    const char *missing = short_text(*out, "missing", REASON_MOST, h->arena);
    const char *reason = missing ? missing : short_text(*out, "cannot", REASON_MOST, h->arena);
    h->missing = missing != NULL;
    return reason ? ridge_fail(err, RIDGE_UNKNOWN, "%s", reason) : RIDGE_OK;
}

/* ---- starting ---- */

static bool is_version(const char *text)
{
    static const char allowed[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.+-_";
    return text && strspn(text, allowed) == strlen(text);
}

static ridge_status greet(ridge_framework_helper *h, ridge_err *err)
{
    ridge_json *answer;
    ridge_status st = ask(&answer, h, (ridge_str){"", 0}, h->patience_s, err);
    if (st)
        return st;
    h->version = short_text(answer, "version", VERSION_MOST, h->arena);
    h->python = short_text(answer, "python", REASON_MOST, h->arena);
    return is_true(answer, "ready") && is_version(h->version) && h->python ? RIDGE_OK : malformed(h, "no version of itself", err);
}

ridge_status ridge_framework_helper_start(ridge_framework_helper *h, ridge_framework_kind framework, const ridge_format *format,
                                          const ridge_framework_data *data, const char *script, const char *cpus, double patience_s,
                                          ridge_arena *arena, ridge_err *err)
{
    const char *name = ridge_framework_names[framework];
    const ridge_talk_limits limits = {.line = ANSWER_MOST, .stop = &ridge_measure_interrupted};
    const char *words[] = {python_of(), "-c", script, name, format->name, cpus, NULL};
    char *argv[sizeof words / sizeof *words];
    memcpy(argv, words, sizeof argv);
    *h = (ridge_framework_helper){
        .name = name, .result = memfd_create("ridge-result", MFD_CLOEXEC), .patience_s = patience_s, .arena = arena};
    if (h->result < 0)
        return ridge_fail(err, RIDGE_IO, "no room for the result");
    const int fds[] = {data->fd, h->result};
    ridge_status st = ridge_talk_start(&h->talk, argv, fds, 2, name, &limits, arena, err);
    h->missing = st == RIDGE_UNKNOWN; /* there is no Python */
    st = st ? st : greet(h, err);
    if (st)
        ridge_framework_helper_end(h);
    return st;
}

void ridge_framework_helper_end(ridge_framework_helper *h)
{
    ridge_talk_end(h->talk);
    h->talk = NULL;
    if (h->result >= 0)
        (void)close(h->result);
    h->result = -1;
}

/* ---- loading and running ---- */

static void write_sizes(ridge_json_writer *w, const ridge_framework_task *t)
{
    const ridge_problem *p = &t->problem;
    const bool gemm = t->what == RIDGE_FRAMEWORK_GEMM, layer = t->what == RIDGE_FRAMEWORK_LAYER;
    ridge_jw_key(w, "sizes");
    ridge_jw_object(w);
    if (gemm) {
        ridge_jw_member_whole(w, "m", p->m);
        ridge_jw_member_whole(w, "n", p->n);
        ridge_jw_member_whole(w, "k", p->k);
    } else {
        ridge_jw_member_whole(w, "batch", p->batch);
        ridge_jw_member_whole(w, "seq", p->seq);
        ridge_jw_member_whole(w, "past", p->past);
        ridge_jw_member_whole(w, "heads", p->heads);
        ridge_jw_member_whole(w, "kv_heads", p->kv_heads);
        ridge_jw_member_whole(w, "head_dim", p->head_dim);
        ridge_jw_member_whole(w, "available_bytes", (ridge_int)ridge_memory_available()); /* 0: not known */
        ridge_jw_key(w, "causal");
        ridge_jw_bool(w, p->causal);
    }
    if (layer) {
        ridge_jw_member_whole(w, "hidden", t->hidden);
        ridge_jw_member_whole(w, "intermediate", t->intermediate);
    }
    ridge_jw_end_object(w);
}

static const char *const tensor_names[] = {
#define X(code, name) name,
    RIDGE_TENSOR_LIST(X)
#undef X
};

static void write_tensors(ridge_json_writer *w, const ridge_framework_task *t)
{
    ridge_jw_key(w, "tensors");
    ridge_jw_array(w);
    for (size_t i = 0; i < t->tensor_count; i++) {
        const ridge_framework_tensor *o = &t->tensors[i];
        ridge_jw_object(w);
        ridge_jw_member_text(w, "name", tensor_names[o->name]);
        ridge_jw_member_whole(w, "offset", (ridge_int)o->offset);
        ridge_jw_key(w, "shape");
        ridge_jw_array(w);
        for (unsigned k = 0; k < o->rank; k++)
            ridge_jw_int(w, o->dims[k]);
        ridge_jw_end_array(w);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
}

static void write_load(ridge_buf *out, const ridge_framework_task *t)
{
    ridge_json_writer w;
    ridge_jw_init(&w, out);
    ridge_jw_object_compact(&w);
    ridge_jw_member_text(&w, "do", "load");
    ridge_jw_member_text(&w, "task", ridge_framework_whats[t->what]);
    write_sizes(&w, t);
    write_tensors(&w, t);
    ridge_jw_end_object(&w);
}

ridge_status ridge_framework_helper_load(ridge_framework_helper *h, const ridge_framework_task *t, ridge_err *err)
{
    ridge_buf question = {0};
    ridge_json *answer = NULL;
    write_load(&question, t);
    ridge_status st =
        question.failed ? ridge_no_memory(err)
                        : ask(&answer, h, (ridge_str){question.p, question.n}, h->patience_s + (double)t->bytes / LOADED_BYTES_PER_S, err);
    ridge_buf_free(&question);
    if (st)
        return st;
    h->how = short_text(answer, "how", REASON_MOST, h->arena);
    h->fused = is_true(answer, "fused");
    return is_true(answer, "loaded") && h->how ? RIDGE_OK : malformed(h, "no word of what it loaded", err);
}

ridge_status ridge_framework_helper_run(float *out, ridge_framework_helper *h, const ridge_framework_task *t, ridge_err *err)
{
    ridge_json *answer;
    double count;
    const size_t wanted = (size_t)t->output_rows * (size_t)t->output_cols;
    const double begin = ridge_clock_s();
    ridge_status st =
        ask(&answer, h, RIDGE_STR("{\"do\": \"run\"}"), h->patience_s + (double)wanted * sizeof(float) / LOADED_BYTES_PER_S, err);
    h->run_s = ridge_clock_s() - begin;
    if (st)
        return st;
    if (!is_true(answer, "ran") || !number_of(&count, ridge_json_get(answer, "count")))
        return malformed(h, "no word of its result", err);
    if (count != (double)wanted || !ridge_framework_read(out, h->result, 0, wanted))
        return ridge_fail(err, RIDGE_VALUE, "%s has a result of %.0f numbers, not %zu", h->name, count, wanted);
    return RIDGE_OK;
}

/* ---- timing ---- */

/* seconds[count] of the samples, and which are clean; false: they are no such thing */
static bool read_samples(double *seconds, bool *clean, uint32_t count, const ridge_json *samples, const ridge_json *flags)
{
    if (flags->count != count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        double flag;
        if (!number_of(&seconds[i], &samples->u.items[i]) || !(seconds[i] > 0) || !number_of(&flag, &flags->u.items[i]) ||
            (flag != 0 && flag != 1))
            return false;
        clean[i] = flag != 0;
    }
    return true;
}

static ridge_status summarise(ridge_framework_timing *out, const double *seconds, const bool *clean, uint32_t count, ridge_err *err)
{
    ridge_sampler sampler = {0};
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < count && !st; i++)
        st = ridge_sampler_add(&sampler, seconds[i], clean[i], err);
    if (!st)
        ridge_sampler_finish(&out->time, &sampler);
    ridge_sampler_free(&sampler);
    return st;
}

ridge_status ridge_framework_timing_read(ridge_framework_timing *out, const ridge_json *answer, double most_s, ridge_err *err)
{
    double seconds[SAMPLES_MOST];
    bool clean[SAMPLES_MOST];
    const ridge_json *samples = ridge_json_get(answer, "samples"), *flags = ridge_json_get(answer, "clean");
    double calls = 0, peak = 0, sum = 0;
    *out = (ridge_framework_timing){.peak_bytes = -1};
    if (!samples || samples->type != RIDGE_JSON_ARRAY || !flags || flags->type != RIDGE_JSON_ARRAY || samples->count < 1 ||
        samples->count > SAMPLES_MOST || !read_samples(seconds, clean, samples->count, samples, flags))
        return ridge_fail(err, RIDGE_VALUE, "its samples are no list of times");
    if (!number_of(&calls, ridge_json_get(answer, "calls")) || calls < 1 || calls > CALLS_MOST || calls != floor(calls) ||
        !number_of(&out->cpus, ridge_json_get(answer, "cpus")) || out->cpus < -1 || !number_of(&peak, ridge_json_get(answer, "peak")) ||
        !(fabs(peak) < 0x1p52))
        return ridge_fail(err, RIDGE_VALUE, "its calls, CPU time or memory are no numbers");
    for (uint32_t i = 0; i < samples->count; i++)
        sum += seconds[i] * calls;
    if (sum > most_s)
        return ridge_fail(err, RIDGE_VALUE, "its samples add up to %.3g s, of %.3g s that went by", sum, most_s);
    out->peak_bytes = peak >= 0 ? (int64_t)peak : -1;
    ridge_status st = summarise(out, seconds, clean, samples->count, err);
    out->time.calls_per_sample = (unsigned)calls;
    return st;
}

ridge_status ridge_framework_helper_time(ridge_framework_timing *out, ridge_framework_helper *h, double seconds, ridge_err *err)
{
    char question[80];
    ridge_json *answer;
    const double begin = ridge_clock_s();
    (void)snprintf(question, sizeof question, "{\"do\": \"time\", \"seconds\": %.9g}", seconds);
    ridge_status st = ask(&answer, h, ridge_str_of(question), h->patience_s + seconds + 4 * h->run_s, err);
    if (st)
        return st;
    ridge_err why = {0};
    if ((st = ridge_framework_timing_read(out, answer, 1.01 * (ridge_clock_s() - begin) + 1e-3, &why)))
        return ridge_fail(err, st, "%s: %s", h->name, why.msg);
    return RIDGE_OK;
}
