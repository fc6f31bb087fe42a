#include "predict/request.h"

typedef enum kind { NUMBER, WORD, TEXT, TRUTH, REAL, SECONDS } kind;

/* one option: where its value goes */
typedef struct field {
    const char *name;
    kind kind;
    size_t offset;
    const char *const *words;
    size_t word_count;
} field;

#define AT(member) offsetof(ridge_request, member)

static const field fields[] = {
    {"phase", WORD, AT(phase), ridge_phase_names, RIDGE_PHASE_TRAIN + 1},
    {"batch", NUMBER, AT(batch), NULL, 0},
    {"seq", NUMBER, AT(seq), NULL, 0},
    {"past", NUMBER, AT(past), NULL, 0},
    {"decoder-seq", NUMBER, AT(decoder_seq), NULL, 0},
    {"encoder-len", NUMBER, AT(encoder_len), NULL, 0},
    {"image-size", NUMBER, AT(image), NULL, 0},
    {"frames", NUMBER, AT(frames), NULL, 0},
    {"samples", NUMBER, AT(samples), NULL, 0},
    {"weights", TEXT, AT(weights), NULL, 0},
    {"activations", TEXT, AT(activations), NULL, 0},
    {"kv", TEXT, AT(kv), NULL, 0},
    {"class", TEXT, AT(head_class), NULL, 0},
    {"attention", WORD, AT(causal), ridge_attention_names, 2},
    {"kernel", WORD, AT(kernel), ridge_kernel_names, RIDGE_KERNEL_FUSED + 1},
    {"lm-head", WORD, AT(lm_head_last), ridge_lm_head_names, 2},
    {"optimizer", WORD, AT(optimizer), ridge_optimizer_names, RIDGE_OPTIMIZER_NONE + 1},
    {"recompute", WORD, AT(recompute), ridge_recompute_names, RIDGE_RECOMPUTE_SELECTIVE + 1},
    {"partial", TRUTH, AT(partial), NULL, 0},
    {"all", TRUTH, AT(all_rows), NULL, 0},
};

#define OF(member) offsetof(ridge_predict_request, member)

static const char *const zero_stages[] = {"0", "1", "2", "3"};

static const field predict_fields[] = {
    {"on", TEXT, OF(machine), NULL, 0},
    {"method", WORD, OF(method), ridge_method_names, RIDGE_METHOD_COUNT},
    {"launch", SECONDS, OF(launch_s), NULL, 0},
    {"prompt", NUMBER, OF(prompt), NULL, 0},
    {"generate", NUMBER, OF(generate), NULL, 0},
    {"price", REAL, OF(price_per_hour), NULL, 0},
    {"devices", NUMBER, OF(parallel.tensor), NULL, 0},
    {"tensor-parallel", NUMBER, OF(parallel.tensor), NULL, 0},
    {"pipeline-parallel", NUMBER, OF(parallel.pipeline), NULL, 0},
    {"expert-parallel", NUMBER, OF(parallel.expert), NULL, 0},
    {"data-parallel", NUMBER, OF(parallel.data), NULL, 0},
    {"microbatches", NUMBER, OF(parallel.microbatches), NULL, 0},
    {"zero", WORD, OF(parallel.zero), zero_stages, 4},
    {"link-bandwidth", REAL, OF(parallel.link_bytes_per_s), NULL, 0},
    {"link-latency", SECONDS, OF(parallel.link_latency_s), NULL, 0},
};

static ridge_status bad_value(const field *f, const char *value, ridge_err *err)
{
    ridge_buf want = {0};
    for (size_t i = 0; i < f->word_count; i++)
        ridge_buf_addf(&want, "%s%s", i ? ", " : "", f->words[i]);
    ridge_status st = ridge_fail(err, RIDGE_USAGE, "%s=%s: want %s", f->name, value,
                                 f->kind == NUMBER    ? "an integer"
                                 : f->kind == TRUTH   ? "true or false"
                                 : f->kind == REAL    ? "a number of at least 0"
                                 : f->kind == SECONDS ? "a time (2.5us, 3ms, 1e-6)"
                                 : want.p             ? want.p
                                                      : "a name");
    ridge_buf_free(&want);
    return st;
}

static ridge_status set_number(int64_t *out, const field *f, const char *value, ridge_err *err)
{
    ridge_int n;
    if (!ridge_int_parse(&n, ridge_str_of(value)) || n < 0 || n > INT64_MAX)
        return bad_value(f, value, err);
    *out = (int64_t)n;
    return RIDGE_OK;
}

/* enums and booleans of two words both hold the word's index */
static ridge_status set_word(void *at, const field *f, const char *value, ridge_err *err)
{
    size_t i = 0;
    while (i < f->word_count && strcmp(f->words[i], value) != 0)
        i++;
    if (i == f->word_count)
        return bad_value(f, value, err);
    if (f->words == ridge_attention_names || f->words == ridge_lm_head_names)
        *(bool *)at = i == 1;
    else
        *(unsigned *)at = (unsigned)i;
    return RIDGE_OK;
}

static ridge_status set_field(void *request, const field *f, const char *value, ridge_err *err)
{
    void *at = (char *)request + f->offset;
    switch (f->kind) {
    case NUMBER:
        return set_number(at, f, value, err);
    case WORD:
        return set_word(at, f, value, err);
    case TEXT:
        if (!value[0])
            return bad_value(f, value, err);
        *(const char **)at = value;
        return RIDGE_OK;
    case TRUTH:
        if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
            return bad_value(f, value, err);
        *(bool *)at = value[0] == 't';
        return RIDGE_OK;
    case REAL:
        return ridge_real_parse(at, value) ? RIDGE_OK : bad_value(f, value, err);
    case SECONDS:
        return ridge_seconds_parse(at, value) ? RIDGE_OK : bad_value(f, value, err);
    }
    return RIDGE_OK;
}

/* a table of fields and the struct they are of */
typedef struct scope {
    const field *fields;
    size_t count;
    void *request;
} scope;

static ridge_status set_in(const scope *scopes, size_t count, const char *option, ridge_err *err)
{
    const char *equals = strchr(option, '=');
    ridge_str name = {option, equals ? (size_t)(equals - option) : strlen(option)};
    const char *best = NULL;
    unsigned least = 4;
    if (!equals)
        return ridge_fail(err, RIDGE_USAGE, "'%s' is not an option: want name=value", option);
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < scopes[k].count; i++) {
            const field *f = &scopes[k].fields[i];
            if (ridge_str_is(name, f->name))
                return set_field(scopes[k].request, f, equals + 1, err);
            unsigned d = ridge_str_distance(name, ridge_str_of(f->name), least);
            if (d < least) {
                least = d;
                best = f->name;
            }
        }
    return ridge_fail(err, RIDGE_USAGE, "unknown option '%.*s'%s%s%s", RIDGE_STR_ARG(name), best ? "; did you mean '" : "",
                      best ? best : "", best ? "'?" : "");
}

ridge_status ridge_request_set(ridge_request *r, const char *option, ridge_err *err)
{
    const scope scopes[] = {{fields, sizeof fields / sizeof *fields, r}};
    return set_in(scopes, 1, option, err);
}

ridge_status ridge_predict_request_set(ridge_predict_request *r, const char *option, ridge_err *err)
{
    const scope scopes[] = {{predict_fields, sizeof predict_fields / sizeof *predict_fields, r},
                            {fields, sizeof fields / sizeof *fields, &r->model}};
    return set_in(scopes, 2, option, err);
}
