/* A quantization_config: its values, schemes and rules, and the reader of its method. */
#include <regex.h>
#include <stdlib.h>

#include "input/quant/parts.h"

enum { PATTERN_MOST = 512, RULES_MOST = 1 << 20, SCHEMES_MOST = 1 << 16 };

ridge_status ridge_quant_fail(const ridge_quant_reader *r, const ridge_json *at, const char *what)
{
    return ridge_fail_at(r->err, RIDGE_VALUE, r->file, at ? at->line : 0, at ? at->col : 0, "quantization: %s", what);
}

/* ---- values ---- */

bool ridge_quant_is_text(const ridge_json *object, const char *key, const char *text)
{
    const ridge_json *v = ridge_json_get(object, key);
    return v && v->type == RIDGE_JSON_STRING && ridge_str_is(v->u.text, text);
}

ridge_str ridge_quant_text(const ridge_json *object, const char *key)
{
    const ridge_json *v = ridge_json_get(object, key);
    return v && v->type == RIDGE_JSON_STRING ? v->u.text : (ridge_str){"", 0};
}

bool ridge_quant_is_true(const ridge_json *object, const char *key)
{
    const ridge_json *v = ridge_json_get(object, key);
    return v && v->type == RIDGE_JSON_TRUE;
}

/* a member that is an object; NULL: it is not there, or null */
const ridge_json *ridge_quant_object(const ridge_json *object, const char *key)
{
    const ridge_json *v = ridge_json_get(object, key);
    return v && v->type == RIDGE_JSON_OBJECT ? v : NULL;
}

ridge_status ridge_quant_whole(int64_t *out, const ridge_quant_reader *r, const ridge_json *object, const char *key, int64_t otherwise,
                               int64_t least, int64_t most)
{
    const ridge_json *v = ridge_json_get(object, key);
    ridge_int value;
    *out = otherwise;
    if (!v || v->type == RIDGE_JSON_NULL)
        return RIDGE_OK;
    if (v->type != RIDGE_JSON_NUMBER || !ridge_int_parse(&value, v->u.text) || value < least || value > most)
        return ridge_fail_at(r->err, RIDGE_VALUE, r->file, v->line, v->col, "quantization: %s: want a whole number from %lld to %lld", key,
                             (long long)least, (long long)most);
    *out = (int64_t)value;
    return RIDGE_OK;
}

const ridge_format *ridge_quant_format(const char *name)
{
    return ridge_format_find(ridge_str_of(name));
}

/* ---- schemes ---- */

ridge_status ridge_quant_add_scheme(const ridge_scheme **out, ridge_quant_reader *r, ridge_scheme s)
{
    ridge_quant *q = r->q;
    for (size_t i = 0; i < q->scheme_count; i++) {
        ridge_scheme other = *q->schemes[i];
        const bool same_name = strcmp(other.name, s.name) == 0;
        other.name = s.name;
        if (same_name && memcmp(&other, &s, sizeof s) == 0) {
            *out = q->schemes[i];
            return RIDGE_OK;
        }
    }
    if (q->scheme_count >= SCHEMES_MOST)
        return ridge_quant_fail(r, r->root, "too many schemes");
    ridge_scheme *kept = ridge_arena_alloc(r->arena, sizeof *kept);
    if (!kept || !s.name || !ridge_arena_more(r->arena, &q->schemes, q->scheme_count, &r->scheme_cap, sizeof *q->schemes))
        return ridge_no_memory(r->err);
    *kept = s;
    q->schemes[q->scheme_count++] = *out = kept;
    return RIDGE_OK;
}

/* "int4_g128", "int4" where a scale is for a whole row */
const char *ridge_quant_int_name(const ridge_quant_reader *r, int64_t bits, int64_t group)
{
    return group > 0 ? ridge_arena_printf(r->arena, "int%lld_g%lld", (long long)bits, (long long)group)
                     : ridge_arena_printf(r->arena, "int%lld", (long long)bits);
}

/* integers that are unpacked to 16 bits before they are multiplied */
const ridge_format *ridge_quant_weight_only(int64_t bits)
{
    return ridge_quant_format(bits >= 8 ? "int8" : bits == 2 ? "int2" : bits == 3 ? "int3_g128" : bits <= 4 ? "int4_g128" : "q6_K");
}

/* ---- rules ---- */

static bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Python's "\d", "\w", "(?:" as POSIX has them; false: something that POSIX has not */
static bool translate(char *out, size_t room, ridge_str pattern)
{
    size_t n = 0;
    const char *const begin = "^(";
    memcpy(out, begin, 2);
    n = 2;
    for (size_t i = 0; i < pattern.n; i++) {
        const char c = pattern.p[i], next = i + 1 < pattern.n ? pattern.p[i + 1] : '\0';
        const char *word = c == '\\' && next == 'd' ? "[0-9]" : c == '\\' && next == 'w' ? "[A-Za-z0-9_]" : NULL;
        /* counted repeats would multiply; what else is escaped by a letter or a digit is another language's */
        const bool escapes = c == '\\' && !word && (is_letter_or_digit(next) || next == '\0');
        if (n + 16 >= room || (unsigned char)c < 0x20 || c == '{' || escapes)
            return false;
        if (word || (c == '(' && next == '?')) {
            if (!word && (i + 2 >= pattern.n || pattern.p[i + 2] != ':'))
                return false;
            const char *text = word ? word : "(";
            memcpy(out + n, text, strlen(text));
            n += strlen(text);
            i += word ? 1 : 2;
        } else if (c == '\\') {
            out[n++] = c;
            out[n++] = next;
            i++;
        } else {
            out[n++] = c;
        }
    }
    out[n++] = ')';
    out[n] = '\0';
    return true;
}

static ridge_status compile(void **out, const ridge_quant_reader *r, const ridge_json *at, ridge_str pattern)
{
    char text[2 * PATTERN_MOST];
    regex_t *regex;
    if (pattern.n > PATTERN_MOST || !translate(text, sizeof text, pattern))
        return ridge_quant_fail(r, at, "a pattern that is not read");
    if (!(regex = malloc(sizeof *regex)))
        return ridge_no_memory(r->err);
    if (regcomp(regex, text, REG_EXTENDED | REG_NOSUB) != 0) {
        free(regex);
        return ridge_quant_fail(r, at, "a pattern that is no regular expression");
    }
    *out = regex;
    return RIDGE_OK;
}

/* the text of `at`, or of a key that stands there */
ridge_status ridge_quant_add_rule(ridge_quant_reader *r, ridge_quant_match match, const ridge_json *at, ridge_str pattern,
                                  const ridge_scheme *scheme)
{
    ridge_quant *q = r->q;
    ridge_quant_rule rule = {.match = match, .scheme = scheme};
    ridge_status st = RIDGE_OK;
    if (!pattern.n)
        return RIDGE_OK;
    if (q->rule_count >= RULES_MOST)
        return ridge_quant_fail(r, at, "too many patterns");
    if (match == RIDGE_QUANT_REGEX && (st = compile(&rule.compiled, r, at, pattern)))
        return st;
    char *plain = ridge_arena_alloc(r->arena, pattern.n + 1);
    rule.pattern = (ridge_str){ridge_arena_strdup(r->arena, pattern), pattern.n};
    const bool exact = match == RIDGE_QUANT_EXACT;
    const bool room = exact ? ridge_arena_more(r->arena, &q->exact, q->exact_count, &r->exact_cap, sizeof *q->exact)
                            : ridge_arena_more(r->arena, &q->rules, q->rule_count, &r->rule_cap, sizeof *q->rules);
    if (!plain || !rule.pattern.p || !room) {
        if (rule.compiled)
            regfree(rule.compiled);
        free(rule.compiled);
        return ridge_no_memory(r->err);
    }
    rule.plain = ridge_quant_plain(plain, pattern);
    rule.layer = match == RIDGE_QUANT_REGEX ? -1 : ridge_quant_layer(pattern);
    if (exact)
        q->exact[q->exact_count++] = rule;
    else
        q->rules[q->rule_count++] = rule;
    return RIDGE_OK;
}

ridge_status ridge_quant_add_pattern(ridge_quant_reader *r, ridge_quant_match plain, const ridge_json *at, ridge_str text,
                                     const ridge_scheme *scheme)
{
    if (text.n > 3 && memcmp(text.p, "re:", 3) == 0)
        return ridge_quant_add_rule(r, RIDGE_QUANT_REGEX, at, (ridge_str){text.p + 3, text.n - 3}, scheme);
    return ridge_quant_add_rule(r, memchr(text.p, '*', text.n) ? RIDGE_QUANT_GLOB : plain, at, text, scheme);
}

ridge_status ridge_quant_add_rules(ridge_quant_reader *r, ridge_quant_match match, const ridge_json *object, const char *key,
                                   const ridge_scheme *scheme)
{
    const ridge_json *list = ridge_json_get(object, key);
    ridge_status st = RIDGE_OK;
    if (!list || list->type != RIDGE_JSON_ARRAY)
        return RIDGE_OK;
    for (uint32_t i = 0; i < list->count && !st; i++) {
        const ridge_json *item = &list->u.items[i];
        if (item->type != RIDGE_JSON_STRING)
            return ridge_quant_fail(r, item, "want a name of modules");
        st = ridge_quant_add_rule(r, match, item, item->u.text, scheme);
    }
    return st;
}

ridge_status ridge_quant_keep(ridge_quant_reader *r, const char *component)
{
    return ridge_quant_add_rule(r, RIDGE_QUANT_MODULE, r->root, ridge_str_of(component), NULL);
}

/* what transformers leaves alone where the config names nothing: the matrix onto the vocabulary */
ridge_status ridge_quant_keep_head(ridge_quant_reader *r, const char *list)
{
    const ridge_json *named = list ? ridge_json_get(r->root, list) : NULL;
    static const char *const heads[] = {"lm_head", "embed_out", "output_layer"};
    ridge_status st = RIDGE_OK;
    if (named && named->type == RIDGE_JSON_ARRAY)
        return RIDGE_OK;
    for (size_t i = 0; i < sizeof heads / sizeof *heads && !st; i++)
        st = ridge_quant_keep(r, heads[i]);
    return st;
}

/* weight_block_size [128, 128]: weight_scale_inv of fp32 per block; null: one per matrix */
ridge_status ridge_quant_block(int64_t block[2], const ridge_quant_reader *r, const ridge_json *object, const char *key)
{
    const ridge_json *v = ridge_json_get(object, key);
    block[0] = block[1] = 0;
    if (!v || v->type == RIDGE_JSON_NULL)
        return RIDGE_OK;
    if (v->type != RIDGE_JSON_ARRAY || v->count != 2)
        return ridge_quant_fail(r, v, "a block is two sizes");
    for (uint32_t i = 0; i < 2; i++) {
        ridge_int n;
        if (v->u.items[i].type != RIDGE_JSON_NUMBER || !ridge_int_parse(&n, v->u.items[i].u.text) || n < 1 || n > 1 << 20)
            return ridge_quant_fail(r, &v->u.items[i], "a block's size is a whole number from 1 to 1048576");
        block[i] = (int64_t)n;
    }
    return RIDGE_OK;
}

/* exact paths and "re:..." of compressed-tensors, globs of ModelOpt */
ridge_status ridge_quant_add_ignored(ridge_quant_reader *r, const char *key)
{
    const ridge_json *list = ridge_json_get(r->root, key);
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; list && list->type == RIDGE_JSON_ARRAY && i < list->count && !st; i++) {
        const ridge_json *item = &list->u.items[i];
        const ridge_str text = item->type == RIDGE_JSON_STRING ? item->u.text : (ridge_str){"", 0};
        st = ridge_quant_add_pattern(r, RIDGE_QUANT_MODULE, item, text, NULL);
    }
    return st;
}

/* ---- all ---- */

static const struct method {
    const char *name, *called; /* in the config; in answers */
    ridge_status (*read)(ridge_quant_reader *r);
} methods[] = {
    {"gptq", "gptq", ridge_quant_read_gptq},
    {"awq", "awq", ridge_quant_read_awq},
    {"bitsandbytes", "bitsandbytes", ridge_quant_read_bitsandbytes},
    {"fp8", "fp8", ridge_quant_read_fp8},
    {"mxfp4", "mxfp4", ridge_quant_read_mxfp4},
    {"modelopt", "modelopt", ridge_quant_read_modelopt},
    {"quark", "quark", ridge_quant_read_quark},
    {"torchao", "torchao", ridge_quant_read_torchao},
    {"compressed-tensors", "compressed-tensors", ridge_quant_read_compressed},
    {"sparseml", "compressed-tensors", ridge_quant_read_compressed},
};

static bool is_modelopt(const ridge_json *root)
{
    const ridge_json *producer = ridge_quant_object(root, "producer");
    return ridge_quant_is_text(producer, "name", "modelopt") || ridge_json_get(root, "quant_algo");
}

static ridge_status read_method(ridge_quant_reader *r, ridge_str name)
{
    r->q->known = true;
    const bool blocks = ridge_str_is(name, "fp8") && ridge_json_get(r->root, "weight_block_size"); /* with some layers of ModelOpt's */
    if (is_modelopt(r->root) && !blocks) {
        r->q->method = "modelopt";
        return ridge_quant_read_modelopt(r);
    }
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (ridge_str_is(name, methods[i].name)) {
            r->q->method = methods[i].called;
            return methods[i].read(r);
        }
    r->q->known = false;
    r->q->method = name.n ? ridge_arena_strdup(r->arena, name) : "a method that it does not name";
    return r->q->method ? RIDGE_OK : ridge_no_memory(r->err);
}

/* of the config itself, or of its text model */
static const ridge_json *find_config(const ridge_json *root, bool *mlx)
{
    static const char *const places[] = {NULL, "text_config", "llm_config", "language_config"};
    *mlx = ridge_quant_object(root, "quantization") != NULL;
    if (*mlx)
        return ridge_quant_object(root, "quantization");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const ridge_json *in = places[i] ? ridge_quant_object(root, places[i]) : root;
        const ridge_json *found = ridge_quant_object(in, "quantization_config");
        if (!found)
            found = ridge_quant_object(in, "compression_config");
        if (found)
            return found;
    }
    return NULL;
}

ridge_status ridge_quant_read(ridge_quant **out, const ridge_json *root, const char *file, ridge_arena *arena, ridge_err *err)
{
    bool mlx;
    const ridge_json *config = find_config(root, &mlx);
    *out = NULL;
    if (!config)
        return RIDGE_OK;
    ridge_quant *q = ridge_arena_alloc(arena, sizeof *q);
    if (!q)
        return ridge_no_memory(err);
    ridge_quant_reader r = {.q = q, .config = root, .root = config, .file = file, .arena = arena, .err = err};
    *out = q;
    q->method = "mlx";
    q->known = mlx;
    ridge_status st = mlx ? ridge_quant_read_mlx(&r) : read_method(&r, ridge_quant_text(config, "quant_method"));
    ridge_quant_sort(q);
    return st;
}
