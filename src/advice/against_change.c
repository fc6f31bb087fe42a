/* Changes as people write them: "weights=q4_K+kv=fp8", "a100-sxm-80", "batch=8,attention=full". */
#include "advice/against.h"
#include "predict/request.h"
#include "base/format.h"

/* what may change, as the options are named; the values are checked by predict/request.c but for these kinds */
typedef enum value_kind { PLAIN, COUNT, FORMAT, MACHINE } value_kind;
static const struct {
    const char *key, *member; /* member: in JSON */
    value_kind kind;
} keys[] = {
    {"on", "on", MACHINE},
    {"weights", "weights", FORMAT},
    {"activations", "activations", FORMAT},
    {"kv", "kv", FORMAT},
    {"batch", "batch", COUNT},
    {"seq", "seq", COUNT},
    {"past", "past", COUNT},
    {"phase", "phase", PLAIN},
    {"attention", "attention", PLAIN},
    {"kernel", "kernel", PLAIN},
    {"lm-head", "lm_head", PLAIN},
    {"method", "method", PLAIN},
    {"launch", "launch", PLAIN},
    {"prompt", "prompt", COUNT},
    {"generate", "generate", COUNT},
    {"decoder-seq", "decoder_seq", COUNT},
    {"encoder-len", "encoder_len", COUNT},
    {"image-size", "image_size", COUNT},
    {"frames", "frames", COUNT},
    {"samples", "samples", COUNT},
    {"optimizer", "optimizer", PLAIN},
    {"recompute", "recompute", PLAIN},
    {"price", "price", PLAIN},
    {"tensor-parallel", "tensor_parallel", COUNT},
    {"pipeline-parallel", "pipeline_parallel", COUNT},
    {"expert-parallel", "expert_parallel", COUNT},
    {"data-parallel", "data_parallel", COUNT},
    {"microbatches", "microbatches", COUNT},
    {"zero", "zero", PLAIN},
    {"link-bandwidth", "link_bandwidth", PLAIN},
    {"link-latency", "link_latency", PLAIN},
};
enum { KEYS = sizeof keys / sizeof *keys };

/* words that say which option they are of */
static const struct {
    const char *word, *key;
} words[] = {
    {"full", "attention"},  {"causal", "attention"},    {"eager", "kernel"}, {"fused", "kernel"}, {"roofline", "method"},
    {"estimate", "method"}, {"prefill", "phase"},       {"decode", "phase"}, {"train", "phase"},  {"adam", "optimizer"},
    {"sgd", "optimizer"},   {"selective", "recompute"}, {"last", "lm-head"}, {"all", "lm-head"},
};
enum { WORDS = sizeof words / sizeof *words };

/* option names are also written as in JSON */
static int key_find(ridge_str name)
{
    for (int i = 0; i < KEYS; i++)
        if (ridge_str_is(name, keys[i].key) || ridge_str_is(name, keys[i].member))
            return i;
    return -1;
}

/* ---- values ---- */

static ridge_status count_value(const char **out, const char *key, const char *value, ridge_arena *arena, ridge_err *err)
{
    int64_t n;
    bool overflow;
    if (!ridge_count_parse(&n, &overflow, ridge_str_of(value)))
        return ridge_fail(err, RIDGE_USAGE, "--against: %s=%s: want an integer", key, value);
    if (overflow || n < 0 || n > (int64_t)1 << 40)
        return ridge_fail(err, RIDGE_USAGE, "--against: %s=%s is out of range (0 to 2^40)", key, value);
    *out = ridge_arena_printf(arena, "%lld", (long long)n);
    return *out ? RIDGE_OK : ridge_no_memory(err);
}

static ridge_status machine_value(const char **out, const char *value, ridge_machines *machines, ridge_err *err)
{
    const ridge_machine *m;
    ridge_status st = ridge_machines_find(&m, machines, value, err);
    if (!st && !strchr(value, '/') && !ridge_str_ends(ridge_str_of(value), RIDGE_STR(".json")))
        *out = m->id;
    return st;
}

static ridge_status checked_value(ridge_change *c, int key, ridge_machines *machines, ridge_arena *arena, ridge_err *err)
{
    const ridge_format *format;
    ridge_predict_request scratch;
    ridge_status st;
    if (!c->value[0])
        return ridge_fail(err, RIDGE_USAGE, "--against: '%s' needs a value: %s=VALUE", c->key, c->key);
    switch (keys[key].kind) {
    case COUNT:
        return count_value(&c->value, c->key, c->value, arena, err);
    case MACHINE:
        return machine_value(&c->value, c->value, machines, err);
    case FORMAT:
        if (!(st = ridge_format_read(&format, ridge_str_of(c->value), ridge_arena_printf(arena, "--against: %s", c->key), err)))
            c->value = format->name;
        return st;
    case PLAIN:
        break;
    }
    const char *option = ridge_arena_printf(arena, "%s=%s", c->key, c->value);
    ridge_predict_default(&scratch);
    if (!option)
        return ridge_no_memory(err);
    if ((st = ridge_predict_request_set(&scratch, option, err)))
        ridge_err_append(err, " (--against)");
    return st;
}

/* ---- words ---- */

static ridge_status unknown_word(const char *word, ridge_machines *machines, ridge_err *err)
{
    ridge_nearest near = {0};
    ridge_str text = ridge_str_of(word);
    for (size_t i = 0; i < KEYS; i++)
        ridge_nearest_offer(&near, text, keys[i].key);
    for (size_t i = 0; i < WORDS; i++)
        ridge_nearest_offer(&near, text, words[i].word);
    for (size_t i = 0; i < ridge_machines_count(machines); i++)
        ridge_nearest_offer(&near, text, ridge_machines_id(machines, i));
    const char *format = ridge_format_nearest(text);
    if (format)
        ridge_nearest_offer(&near, text, format);
    return ridge_fail(err, RIDGE_USAGE, "--against: '%s' is no KEY=VALUE, machine or number format%s%s%s", word,
                      near.best ? "; did you mean '"
                                : "; keys are on, weights, activations, kv, batch, seq, past, phase, attention, kernel, ...",
                      near.best ? near.best : "", near.best ? "'?" : "");
}

static const char *word_key(const char *word, ridge_machines *machines)
{
    const ridge_machine *m;
    ridge_err unused = {0};
    for (size_t i = 0; i < WORDS; i++)
        if (strcmp(word, words[i].word) == 0)
            return words[i].key;
    if (ridge_format_find(ridge_str_of(word)))
        return "weights";
    return ridge_machines_find(&m, machines, word, &unused) ? NULL : "on";
}

static ridge_status unknown_key(ridge_str name, ridge_err *err)
{
    ridge_nearest near = {0};
    for (size_t i = 0; i < KEYS; i++)
        ridge_nearest_offer(&near, name, keys[i].key);
    return ridge_fail(err, RIDGE_USAGE, "--against: unknown key '%.*s'%s%s%s", RIDGE_STR_ARG(name),
                      near.best ? "; did you mean '"
                                : "; keys are on, weights, activations, kv, batch, seq, past, phase, attention, kernel, ...",
                      near.best ? near.best : "", near.best ? "'?" : "");
}

static ridge_status read_change(ridge_change *c, const char *text, ridge_machines *machines, ridge_arena *arena, ridge_err *err)
{
    const char *equals = strchr(text, '=');
    int key = key_find((ridge_str){text, equals ? (size_t)(equals - text) : strlen(text)});
    if (!text[0])
        return ridge_fail(err, RIDGE_USAGE, "--against: a change is missing: want KEY=VALUE, a machine or a number format");
    if (equals && key < 0)
        return unknown_key((ridge_str){text, (size_t)(equals - text)}, err);
    c->value = equals ? equals + 1 : key >= 0 ? "" : text;
    c->key = key >= 0 ? keys[key].key : word_key(text, machines);
    if (!c->key)
        return unknown_word(text, machines, err);
    return checked_value(c, key_find(ridge_str_of(c->key)), machines, arena, err);
}

static bool has_key(const ridge_changes *c, const char *key)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->items[i].key, key) == 0)
            return true;
    return false;
}

bool ridge_changes_add(ridge_changes *c, const char *key, const char *value)
{
    if (c->count == RIDGE_CHANGES)
        return false;
    c->items[c->count++] = (ridge_change){key, value};
    return true;
}

/* `joined`: by '+' to the change before it */
static ridge_status add_change(ridge_changes *variants, size_t *count, ridge_change c, bool joined, ridge_err *err)
{
    ridge_changes *last = *count ? &variants[*count - 1] : NULL;
    if (last && joined && has_key(last, c.key))
        return ridge_fail(err, RIDGE_USAGE, "--against: '%s' is given twice in one variant", c.key);
    if (!last || has_key(last, c.key))
        last = &variants[(*count)++];
    if (!ridge_changes_add(last, c.key, c.value))
        return ridge_fail(err, RIDGE_USAGE, "--against: more than %d changes in one variant", RIDGE_CHANGES);
    return RIDGE_OK;
}

ridge_status ridge_changes_parse(ridge_changes **variants, size_t *count, const char *text, ridge_machines *machines, ridge_arena *arena,
                                 ridge_err *err)
{
    size_t pieces = 1;
    for (const char *p = text; *p; p++)
        pieces += *p == ',' || *p == '+';
    *count = 0;
    *variants = ridge_arena_array(arena, pieces, sizeof **variants);
    char *rest = ridge_arena_strdup(arena, ridge_str_of(text));
    if (!*variants || !rest)
        return ridge_no_memory(err);
    for (bool joined = false, more = true; more;) {
        ridge_change c;
        size_t n = strcspn(rest, ",+");
        char end = rest[n];
        rest[n] = '\0';
        ridge_status st = read_change(&c, rest, machines, arena, err);
        if (st || (st = add_change(*variants, count, c, joined, err)))
            return st;
        joined = end == '+';
        more = end != '\0';
        rest += n + more;
    }
    return RIDGE_OK;
}

/* ---- use ---- */

/* lengths that followed from the prompt, or from the phase, follow again */
static void forget_lengths(ridge_predict_request *r)
{
    if (r->prompt == 0 || r->model.seq == r->prompt)
        r->model.seq = RIDGE_UNSET;
    if (r->prompt == 0 || r->model.past == r->prompt)
        r->model.past = RIDGE_UNSET;
}

ridge_status ridge_changes_apply(ridge_predict_request *r, const ridge_changes *changes, ridge_arena *arena, ridge_err *err)
{
    if (has_key(changes, "phase") || has_key(changes, "prompt"))
        forget_lengths(r);
    for (size_t i = 0; i < changes->count; i++) {
        const ridge_change *c = &changes->items[i];
        const char *option = ridge_arena_printf(arena, "%s=%s", c->key, c->value);
        ridge_status st = option ? ridge_predict_request_set(r, option, err) : ridge_no_memory(err);
        if (st)
            return st;
    }
    return ridge_predict_request_check(r, err);
}

const char *ridge_changes_text(const ridge_changes *changes, ridge_arena *arena)
{
    const char *text = "";
    for (size_t i = 0; i < changes->count && text; i++)
        text = ridge_arena_printf(arena, "%s%s%s=%s", text, i ? ", " : "", changes->items[i].key, changes->items[i].value);
    return text;
}

void ridge_changes_json(ridge_json_writer *w, const ridge_changes *changes)
{
    ridge_jw_object_compact(w);
    for (size_t i = 0; i < changes->count; i++) {
        int key = key_find(ridge_str_of(changes->items[i].key));
        ridge_jw_key(w, keys[key].member);
        if (keys[key].kind == COUNT)
            ridge_jw_raw(w, ridge_str_of(changes->items[i].value));
        else
            ridge_jw_strz(w, changes->items[i].value);
    }
    ridge_jw_end_object(w);
}
