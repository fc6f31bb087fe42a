/* What an entry says about itself: where it comes from, who checked it, its examples, and whether it may replace another. */
#include "catalog/check.h"

#include <stdio.h>

#include "catalog/compile.h"

/* ---- code_location, validation ---- */

static bool positive_integer(ridge_int *out, const ridge_json *v)
{
    return v && v->type == RIDGE_JSON_NUMBER && ridge_int_parse(out, v->u.text) && *out >= 1;
}

/* members that are none of the words */
static void unknown_members(ridge_check *c, const ridge_ancestor *from, const ridge_json *object, const char *field,
                            const char *const *words, size_t count)
{
    for (uint32_t i = 0; i < object->count; i++) {
        ridge_str key = object->u.members[i].key;
        if (ridge_compile_word(key, words, count) >= 0)
            continue;
        const char *near = ridge_compile_nearest(key, words, count);
        ridge_check_at(c, false, RIDGE_NAME, from, &object->u.members[i].value, "'%s' has no field '%.*s'%s%s%s", field, RIDGE_STR_ARG(key),
                       RIDGE_MEANT(near));
    }
}

static void check_location(ridge_check *c, const ridge_ancestor *from, const ridge_json *v)
{
    static const char *const words[] = {"file", "line_start", "line_end", "version"};
    ridge_int start, end;
    if (v->type != RIDGE_JSON_OBJECT) {
        ridge_check_at(c, false, RIDGE_TYPE, from, v, "'code_location' is {\"file\", \"line_start\", \"line_end\"}, not %s",
                       ridge_json_type_name(v->type));
        return;
    }
    unknown_members(c, from, v, "code_location", words, 4);
    const ridge_json *file = ridge_json_get(v, "file"), *first = ridge_json_get(v, "line_start"), *last = ridge_json_get(v, "line_end");
    if (!file || file->type != RIDGE_JSON_STRING || !file->u.text.n)
        ridge_check_at(c, false, RIDGE_VALUE, from, file ? file : v, "'code_location' wants a 'file'");
    if (!positive_integer(&start, first))
        ridge_check_at(c, false, RIDGE_VALUE, from, first ? first : v, "'code_location' wants a 'line_start' of at least 1");
    else if (!positive_integer(&end, last) || end < start)
        ridge_check_at(c, false, RIDGE_VALUE, from, last ? last : v, "'code_location' wants a 'line_end' that is not before 'line_start'");
    const ridge_json *version = ridge_json_get(v, "version");
    if (version && (version->type != RIDGE_JSON_STRING || !version->u.text.n))
        ridge_check_at(c, false, RIDGE_VALUE, from, version, "the 'version' of 'code_location' is the library's, a text");
}

static bool is_date(ridge_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (i == 4 || i == 7 ? s.p[i] != '-' : s.p[i] < '0' || s.p[i] > '9')
            return false;
    return s.n == 10;
}

static void check_validation(ridge_check *c, const ridge_ancestor *from, const ridge_json *v)
{
    static const char *const words[] = {"status", "validator", "date", "notes", "answers"};
    if (v->type != RIDGE_JSON_OBJECT) {
        ridge_check_at(c, false, RIDGE_TYPE, from, v, "'validation' is {\"status\", \"validator\", \"date\", \"notes\"}, not %s",
                       ridge_json_type_name(v->type));
        return;
    }
    unknown_members(c, from, v, "validation", words, 5);
    const ridge_json *status = ridge_json_get(v, "status"), *date = ridge_json_get(v, "date");
    if (!status || status->type != RIDGE_JSON_STRING ||
        ridge_compile_word(status->u.text, ridge_validation_names, RIDGE_VALIDATION_COUNT) < 0)
        ridge_check_at(c, false, RIDGE_VALUE, from, status ? status : v, "validation status is one of pending, derived, validated, failed");
    if (date && date->type != RIDGE_JSON_NULL && (date->type != RIDGE_JSON_STRING || !is_date(date->u.text)))
        ridge_check_at(c, true, RIDGE_VALUE, from, date, "a validation date is written 2026-11-21");
}

/* ---- source: what it was derived from ---- */

static bool is_sha256(ridge_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!((s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] >= 'a' && s.p[i] <= 'f')))
            return false;
    return s.n == 64;
}

static void check_source(ridge_check *c, const ridge_ancestor *from, const ridge_json *v)
{
    static const char *const words[] = {"sha256", "library", "version"};
    if (v->type != RIDGE_JSON_OBJECT) {
        ridge_check_at(c, false, RIDGE_TYPE, from, v, "'source' is {\"sha256\", \"library\", \"version\"}, not %s",
                       ridge_json_type_name(v->type));
        return;
    }
    unknown_members(c, from, v, "source", words, 3);
    const ridge_json *hash = ridge_json_get(v, "sha256");
    if (!hash || hash->type != RIDGE_JSON_STRING || !is_sha256(hash->u.text))
        ridge_check_at(c, false, RIDGE_VALUE, from, hash ? hash : v, "'source' wants the 'sha256' of its lines, 64 hexadecimal digits");
}

/* ---- examples ---- */

static void check_example(ridge_check *c, const ridge_ancestor *from, const ridge_json *v)
{
    static const char *const words[] = {"arguments", "workload", "flops", "thinking"};
    ridge_int flops;
    if (v->type != RIDGE_JSON_OBJECT) {
        ridge_check_at(c, false, RIDGE_TYPE, from, v, "an example is {\"arguments\": [..], \"flops\": N}");
        return;
    }
    unknown_members(c, from, v, "examples", words, sizeof words / sizeof *words);
    const ridge_json *arguments = ridge_json_get(v, "arguments"), *count = ridge_json_get(v, "flops");
    if (!arguments || (arguments->type != RIDGE_JSON_ARRAY && arguments->type != RIDGE_JSON_OBJECT))
        ridge_check_at(c, false, RIDGE_TYPE, from, arguments ? arguments : v, "an example wants 'arguments': a list, or an object by name");
    if (count && (count->type != RIDGE_JSON_NUMBER || !ridge_int_parse(&flops, count->u.text)))
        ridge_check_at(c, false, RIDGE_TYPE, from, count, "'flops' of an example is an integer");
}

/* ---- thinking ---- */

enum { FEWEST_WORDS = 6 };

/* "Computes max(x, 0) for n elements." */
static bool is_sentence(ridge_str text)
{
    size_t words = 1;
    for (size_t i = 0; i < text.n; i++)
        words += text.p[i] == ' ';
    return words >= FEWEST_WORDS && text.p[0] >= 'A' && text.p[0] <= 'Z' && text.p[text.n - 1] == '.';
}

static bool is_operator(const ridge_ancestor *chain)
{
    const ridge_json *kind = ridge_json_get(chain->json, "kind");
    return kind && kind->type == RIDGE_JSON_STRING && ridge_str_is(kind->u.text, ridge_kind_names[RIDGE_KIND_OPERATOR]);
}

/* what people read of an entry: ours say it in sentences, a user's may go without */
static void check_thinking(ridge_check *c, const ridge_ancestor *chain, const ridge_json *v)
{
    if (v && v->type != RIDGE_JSON_STRING)
        ridge_check_at(c, false, RIDGE_TYPE, chain, v, "'thinking' is text, not %s", ridge_json_type_name(v->type));
    else if (!v && is_operator(chain)) /* its fields say all; what it computes is PyTorch's to tell */
        return;
    else if (chain->source->origin == RIDGE_ORIGIN_BUILTIN && (!v || !is_sentence(v->u.text)))
        ridge_check_at(
            c, false, RIDGE_VALUE, chain, v ? v : chain->json,
            "a built-in entry has a 'thinking' of whole sentences: what it computes, which shapes matter, why it counts what it does");
}

/* ---- the name ---- */

/* with its dots written "__", a class path is a name: nothing else can be invoked */
static void check_name(ridge_check *c, const ridge_ancestor *chain)
{
    const ridge_symbol *key = chain->source->key;
    if (!ridge_compile_is_name((ridge_str){key->text, key->len}))
        ridge_check_at(c, false, RIDGE_NAME, chain, chain->json, "the key is no class path such as my.module.Class");
    const ridge_json *path = ridge_json_get(chain->json, "module_path");
    if (path && chain->source->written != key)
        ridge_check_at(c, true, RIDGE_NAME, chain, path, "the key '%s' disagrees with module_path '%.*s'; the path wins",
                       chain->source->written->text, RIDGE_STR_ARG(path->u.text));
}

/* ---- all of it ---- */

void ridge_check_identity(ridge_check *c, const ridge_ancestor *chain)
{
    check_name(c, chain);
    const ridge_json *location = ridge_json_get(chain->json, "code_location"), *validation = ridge_json_get(chain->json, "validation"),
                     *examples = ridge_json_get(chain->json, "examples"), *thinking = ridge_json_get(chain->json, "thinking");
    if (location)
        check_location(c, chain, location);
    if (validation)
        check_validation(c, chain, validation);
    if (ridge_json_get(chain->json, "source"))
        check_source(c, chain, ridge_json_get(chain->json, "source"));
    check_thinking(c, chain, thinking);
    if (examples && examples->type != RIDGE_JSON_ARRAY)
        ridge_check_at(c, false, RIDGE_TYPE, chain, examples, "'examples' is a list, not %s", ridge_json_type_name(examples->type));
    for (uint32_t i = 0; examples && examples->type == RIDGE_JSON_ARRAY && i < examples->count; i++)
        check_example(c, chain, &examples->u.items[i]);
}

/* ---- overrides ---- */

static bool has_name(const ridge_parameter *p, const ridge_symbol *name)
{
    for (size_t k = 0; k < 4 && p->names[k]; k++)
        if (p->names[k] == name)
            return true;
    return false;
}

typedef struct reasons {
    char text[400];
    size_t used, count;
} reasons;

static void because(reasons *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void because(reasons *r, const char *fmt, ...)
{
    va_list ap;
    if (r->count++ >= 4 || r->used + 1 >= sizeof r->text) /* enough to see what is meant */
        return;
    if (r->used)
        r->used += (size_t)snprintf(r->text + r->used, sizeof r->text - r->used, "; ");
    va_start(ap, fmt);
    int n = r->used < sizeof r->text ? vsnprintf(r->text + r->used, sizeof r->text - r->used, fmt, ap) : 0;
    va_end(ap);
    r->used += n > 0 ? (size_t)n : 0;
    if (r->used >= sizeof r->text)
        r->used = sizeof r->text - 1;
}

/* every call of the built-in: positional in its order, by any of its names, with its defaults left out */
static void compare_parameters(reasons *r, const ridge_entry *e, const ridge_entry *builtin)
{
    for (size_t i = 0; i < builtin->parameter_count; i++) {
        const ridge_parameter *want = &builtin->parameters[i];
        if (i >= e->parameter_count) {
            because(r, "parameter %zu, '%s', is missing", i + 1, want->names[0]->text);
            continue;
        }
        const ridge_parameter *have = &e->parameters[i];
        for (size_t k = 0; k < 4 && want->names[k]; k++)
            if (!has_name(have, want->names[k]))
                because(r, "parameter %zu, '%s', lacks the name '%s'", i + 1, have->names[0]->text, want->names[k]->text);
        if (want->fallback && !have->fallback)
            because(r, "parameter %zu, '%s', lacks a default", i + 1, have->names[0]->text);
    }
    for (size_t i = builtin->parameter_count; i < e->parameter_count; i++)
        if (!e->parameters[i].fallback)
            because(r, "parameter %zu, '%s', is new and lacks a default", i + 1, e->parameters[i].names[0]->text);
}

/* where the parameters stand */
static const ridge_json *place_of(const ridge_ancestor *chain)
{
    const ridge_json *own = ridge_json_get(chain->json, "parameters"),
                     *flat = ridge_json_get(ridge_json_get(chain->json, "flop_analysis"), "parameters");
    return own ? own : flat ? flat : chain->json;
}

void ridge_check_override(ridge_check *c, const ridge_ancestor *chain, const ridge_entry *e)
{
    ridge_source *old = ridge_source_replaced(chain->source);
    ridge_entry *builtin = NULL;
    ridge_err unused = {0};
    reasons r = {"", 0, 0};
    if (!old || ridge_entry_compile(&builtin, c->registry, old, &unused))
        return;
    for (size_t i = 0; i < e->parameter_count; i++)
        if (!e->parameters[i].names[0]) /* faulty, told already */
            return;
    compare_parameters(&r, e, builtin);
    if (r.count)
        ridge_check_at(c, false, RIDGE_ARITY, chain, place_of(chain), "does not accept every call the built-in accepts: %s%s", r.text,
                       r.count > 4 ? "; ..." : "");
}
