/* Entries of gguf/: found, inherited, their rules evaluated (docs/gguf.md has the language). */
#include "base/shown.h"
#include "input/gguf/embedded.h"
#include "input/gguf/model.h"

enum { DEPTH_LIMIT = 16 };

static const ridge_embedded_gguf *embedded(ridge_str name)
{
    for (unsigned i = 0; i < ridge_embedded_gguf_entries_count; i++)
        if (ridge_str_is(name, ridge_embedded_gguf_entries[i].name))
            return &ridge_embedded_gguf_entries[i];
    return NULL;
}

static ridge_str text_of(const ridge_json *json)
{
    return json && json->type == RIDGE_JSON_STRING ? json->u.text : (ridge_str){"", 0};
}

static const ridge_json *own_field(const ridge_json *entry, const char *key)
{
    return ridge_json_get(entry, key);
}

const ridge_json *ridge_gguf_field(const ridge_gguf_model *m, const char *key)
{
    const ridge_json *found = NULL;
    for (unsigned i = 0; i < m->entry_count && !found; i++)
        found = own_field(m->entries[i], key);
    return found;
}

static ridge_status load(ridge_gguf_model *m, ridge_str name, ridge_err *err)
{
    m->entry_count = 0;
    while (name.n) {
        const ridge_embedded_gguf *e = embedded(name);
        ridge_json *json;
        if (!e || m->entry_count == RIDGE_GGUF_ENTRIES)
            return ridge_fail(err, RIDGE_NAME, "the entry '%.*s' of gguf/ is not there, or is inherited too deep", RIDGE_STR_ARG(name));
        ridge_status st = ridge_json_parse(&json, (ridge_str){e->text, e->length}, e->file, (ridge_json_options){0}, m->arena, err);
        if (st)
            return st;
        m->entries[m->entry_count++] = json;
        name = text_of(own_field(json, "inherits"));
    }
    return RIDGE_OK;
}

static ridge_status no_entry(const ridge_gguf_model *m, ridge_err *err)
{
    ridge_nearest nearest = {0};
    const ridge_str name = ridge_str_of(m->architecture);
    const char *shown = ridge_shown(m->arena, m->architecture);
    if (!name.n)
        return ridge_fail(err, RIDGE_UNKNOWN, "%s: the file names no general.architecture", m->gguf.path);
    for (unsigned i = 0; i < ridge_embedded_gguf_entries_count; i++)
        if (!strchr(ridge_embedded_gguf_entries[i].name, ':'))
            ridge_nearest_offer(&nearest, name, ridge_embedded_gguf_entries[i].name);
    if (nearest.best)
        return ridge_fail(err, RIDGE_UNKNOWN,
                          "%s: no model is known for the architecture '%s'; did you mean '%s'? docs/gguf.md lists those that are",
                          m->gguf.path, shown, nearest.best);
    return ridge_fail(err, RIDGE_UNKNOWN, "%s: no model is known for the architecture '%s'; docs/gguf.md lists those that are",
                      m->gguf.path, shown);
}

/* the first variant whose `when` holds; *name stays where none does */
static ridge_status choose(ridge_str *name, const ridge_gguf_model *m, ridge_err *err)
{
    const ridge_json *variants = ridge_gguf_field(m, "variants");
    for (uint32_t i = 0; variants && variants->type == RIDGE_JSON_ARRAY && i < variants->count; i++) {
        const ridge_json *variant = &variants->u.items[i];
        ridge_gguf_value holds;
        ridge_status st = ridge_gguf_eval(&holds, m, ridge_json_get(variant, "when"), err);
        if (st)
            return st;
        if (holds.kind != RIDGE_GGUF_TRUTH || !holds.whole)
            continue;
        const ridge_str why = text_of(ridge_json_get(variant, "refused"));
        if (why.n)
            return ridge_fail(err, RIDGE_UNKNOWN, "%s: a model of '%s' that is not counted: %.*s", m->gguf.path, m->architecture,
                              RIDGE_STR_ARG(why));
        *name = text_of(ridge_json_get(variant, "use"));
        return RIDGE_OK;
    }
    return RIDGE_OK;
}

ridge_status ridge_gguf_entry(ridge_gguf_model *m, ridge_err *err)
{
    const ridge_str architecture = ridge_str_of(m->architecture);
    ridge_str name = architecture;
    if (!name.n || memchr(name.p, ':', name.n) || !embedded(name))
        return no_entry(m, err);
    if (m->gguf.weights.count == 0)
        return ridge_fail(err, RIDGE_UNKNOWN, "%s: the file has no tensors: it is a vocabulary, or the metadata alone, of a model of '%s'",
                          m->gguf.path, m->architecture);
    ridge_status st = load(m, name, err);
    if (st || (st = choose(&name, m, err)))
        return st;
    return ridge_str_eq(name, architecture) ? RIDGE_OK : load(m, name, err);
}

/* ---- rules ---- */

static ridge_status eval(ridge_gguf_value *out, const ridge_gguf_model *m, const ridge_json *rule, unsigned depth, ridge_err *err);

static ridge_status bad_rule(const ridge_json *rule, ridge_err *err)
{
    return ridge_fail(err, RIDGE_SYNTAX, "gguf/: no rule: %.*s", rule ? (int)(rule->end - rule->begin) : 0, rule ? rule->begin : "");
}

static const char *full_key(const ridge_gguf_model *m, ridge_str key)
{
    static const char *const whole[] = {"general.", "tokenizer.", "split."};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (key.n > strlen(whole[i]) && memcmp(key.p, whole[i], strlen(whole[i])) == 0)
            return ridge_arena_strdup(m->arena, key);
    return ridge_arena_printf(m->arena, "%s.%.*s", m->architecture, RIDGE_STR_ARG(key));
}

static ridge_status find_key(const ridge_gguf_pair **out, const ridge_gguf_model *m, ridge_str key, bool optional, ridge_err *err)
{
    const char *name = full_key(m, key);
    if (!name)
        return ridge_no_memory(err);
    *out = ridge_gguf_find(&m->gguf, name);
    if (*out || optional)
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_VALUE, "%s: the metadata has no '%s', which a model of '%s' needs", m->gguf.path,
                      ridge_shown(m->arena, name), ridge_shown(m->arena, m->architecture));
}

static void set_number(ridge_gguf_value *out, const ridge_gguf_pair *pair, const ridge_gguf_number *n)
{
    if (ridge_gguf_is_float(pair->type))
        *out = (ridge_gguf_value){.kind = RIDGE_GGUF_REAL, .real = n->real};
    else
        *out = (ridge_gguf_value){.kind = pair->type == RIDGE_GGUF_BOOL ? RIDGE_GGUF_TRUTH : RIDGE_GGUF_WHOLE, .whole = n->whole};
}

static ridge_status wrong_pair(const ridge_gguf_model *m, const ridge_gguf_pair *pair, const char *wanted, ridge_err *err)
{
    return ridge_fail(err, RIDGE_VALUE, "%s: '%.*s' is %s%s of %llu; %s is wanted", m->gguf.path, RIDGE_STR_ARG(pair->key),
                      pair->array ? "an array of " : "", ridge_gguf_type_name(pair->type), (unsigned long long)pair->count, wanted);
}

/* a single value; of an array what all its items are */
static ridge_status key_value(ridge_gguf_value *out, const ridge_gguf_model *m, ridge_str key, ridge_err *err)
{
    const bool optional = key.n && key.p[key.n - 1] == '?';
    const ridge_gguf_pair *pair;
    ridge_status st = find_key(&pair, m, optional ? (ridge_str){key.p, key.n - 1} : key, optional, err);
    *out = (ridge_gguf_value){0};
    if (st || !pair)
        return st;
    if (!pair->array && pair->type == RIDGE_GGUF_TEXT) {
        *out = (ridge_gguf_value){.kind = RIDGE_GGUF_WORD, .text = pair->text};
        return RIDGE_OK;
    }
    if (!pair->numbers || pair->count == 0)
        return wrong_pair(m, pair, "a number", err);
    for (uint64_t i = 1; i < pair->count; i++)
        if (pair->numbers[i].whole != pair->numbers[0].whole)
            return ridge_fail(err, RIDGE_VALUE, "%s: '%.*s' is not the same in all layers, which its config cannot say", m->gguf.path,
                              RIDGE_STR_ARG(pair->key));
    set_number(out, pair, &pair->numbers[0]);
    return RIDGE_OK;
}

static ridge_status list_value(ridge_gguf_value *out, const ridge_gguf_model *m, ridge_str key, ridge_err *err)
{
    const ridge_gguf_pair *pair, *blocks;
    ridge_status st = find_key(&pair, m, key, false, err);
    if (st || (st = find_key(&blocks, m, RIDGE_STR("block_count"), false, err)))
        return st;
    const bool counted = blocks->numbers && !blocks->array && blocks->numbers[0].whole > 0 && blocks->numbers[0].whole <= RIDGE_GGUF_KEPT;
    if (!pair->numbers || ridge_gguf_is_float(pair->type) || !counted)
        return wrong_pair(m, counted ? pair : blocks, "whole numbers, one for each layer,", err);
    const size_t count = pair->array ? (size_t)pair->count : (size_t)blocks->numbers[0].whole;
    ridge_int *list = ridge_arena_array(m->arena, count + 1, sizeof *list);
    if (!list)
        return ridge_no_memory(err);
    for (size_t i = 0; i < count; i++)
        list[i] = pair->numbers[pair->array ? i : 0].whole;
    *out = (ridge_gguf_value){.kind = RIDGE_GGUF_LIST, .list = list, .count = count};
    return RIDGE_OK;
}

/* rows or columns of a tensor's matrix */
static void size_value(ridge_gguf_value *out, const ridge_gguf_model *m, ridge_str name, bool rows)
{
    const ridge_weight *w = ridge_gguf_tensor(&m->gguf, name);
    *out = (ridge_gguf_value){0};
    if (w && w->rank)
        *out = (ridge_gguf_value){.kind = RIDGE_GGUF_WHOLE, .whole = w->shape[rows ? 0 : w->rank - 1]};
}

static void truth(ridge_gguf_value *out, bool holds)
{
    *out = (ridge_gguf_value){.kind = RIDGE_GGUF_TRUTH, .whole = holds};
}

static bool is_true(const ridge_gguf_value *v)
{
    return (v->kind == RIDGE_GGUF_TRUTH || v->kind == RIDGE_GGUF_WHOLE) && v->whole != 0;
}

static bool equal(const ridge_gguf_value *a, const ridge_gguf_value *b)
{
    if (a->kind == RIDGE_GGUF_WORD || b->kind == RIDGE_GGUF_WORD)
        return a->kind == b->kind && ridge_str_eq(a->text, b->text);
    return a->kind != RIDGE_GGUF_NONE && b->kind != RIDGE_GGUF_NONE && a->whole == b->whole;
}

/* [a, b] */
static ridge_status eval_two(ridge_gguf_value *a, ridge_gguf_value *b, const ridge_gguf_model *m, const ridge_json *args, unsigned depth,
                             ridge_err *err)
{
    if (args->type != RIDGE_JSON_ARRAY || args->count != 2)
        return bad_rule(args, err);
    ridge_status st = eval(a, m, &args->u.items[0], depth, err);
    return st ? st : eval(b, m, &args->u.items[1], depth, err);
}

static ridge_status arithmetic(ridge_gguf_value *out, const ridge_gguf_model *m, ridge_str what, const ridge_json *args, unsigned depth,
                               ridge_err *err)
{
    ridge_gguf_value a, b;
    ridge_status st = eval_two(&a, &b, m, args, depth, err);
    if (st)
        return st;
    *out = (ridge_gguf_value){0};
    if (ridge_str_is(what, "equal")) {
        truth(out, equal(&a, &b));
        return RIDGE_OK;
    }
    if (a.kind == RIDGE_GGUF_NONE || b.kind == RIDGE_GGUF_NONE)
        return RIDGE_OK;
    if (a.kind != RIDGE_GGUF_WHOLE || b.kind != RIDGE_GGUF_WHOLE)
        return ridge_fail(err, RIDGE_VALUE, "%s: whole numbers are wanted for %.*s", m->gguf.path, (int)(args->end - args->begin),
                          args->begin);
    out->kind = RIDGE_GGUF_WHOLE;
    bool fits = true;
    if (ridge_str_is(what, "sum"))
        fits = ridge_int_add(&out->whole, a.whole, b.whole);
    else if (ridge_str_is(what, "difference"))
        fits = ridge_int_sub(&out->whole, a.whole, b.whole);
    else if (ridge_str_is(what, "product"))
        fits = ridge_int_mul(&out->whole, a.whole, b.whole);
    else if (b.whole == 0 || a.whole % b.whole != 0)
        return ridge_fail(err, RIDGE_VALUE, "%s: a quotient that is not whole: %.*s", m->gguf.path, (int)(args->end - args->begin),
                          args->begin);
    else
        out->whole = a.whole / b.whole;
    return fits ? RIDGE_OK : ridge_overflow(err, "a size of the config");
}

static ridge_status first_value(ridge_gguf_value *out, const ridge_gguf_model *m, const ridge_json *args, unsigned depth, ridge_err *err)
{
    *out = (ridge_gguf_value){0};
    for (uint32_t i = 0; args->type == RIDGE_JSON_ARRAY && i < args->count && out->kind == RIDGE_GGUF_NONE; i++) {
        ridge_status st = eval(out, m, &args->u.items[i], depth, err);
        if (st)
            return st;
    }
    return RIDGE_OK;
}

static ridge_status if_value(ridge_gguf_value *out, const ridge_gguf_model *m, const ridge_json *args, unsigned depth, ridge_err *err)
{
    ridge_gguf_value holds;
    if (args->type != RIDGE_JSON_ARRAY || args->count != 3)
        return bad_rule(args, err);
    ridge_status st = eval(&holds, m, &args->u.items[0], depth, err);
    return st ? st : eval(out, m, &args->u.items[is_true(&holds) ? 1 : 2], depth, err);
}

/* {"word": [rule, {"0": "softmax", ...}]} */
static ridge_status word_value(ridge_gguf_value *out, const ridge_gguf_model *m, const ridge_json *args, unsigned depth, ridge_err *err)
{
    ridge_gguf_value v;
    char digits[RIDGE_INT_CHARS];
    if (args->type != RIDGE_JSON_ARRAY || args->count != 2)
        return bad_rule(args, err);
    ridge_status st = eval(&v, m, &args->u.items[0], depth, err);
    *out = (ridge_gguf_value){0};
    if (st || v.kind == RIDGE_GGUF_NONE)
        return st;
    const ridge_str name = v.kind == RIDGE_GGUF_WORD ? v.text : (ridge_str){digits, ridge_int_print(digits, v.whole)};
    const ridge_json *found = ridge_json_get_str(&args->u.items[1], name);
    if (!found)
        return ridge_fail(err, RIDGE_VALUE, "%s: %.*s is '%.*s', whose meaning is not known", m->gguf.path,
                          (int)(args->u.items[0].end - args->u.items[0].begin), args->u.items[0].begin, RIDGE_STR_ARG(name));
    return eval(out, m, found, depth, err);
}

/* {"each": [key, word, other]}: a word for each layer, by whether the key's array is true there; one number n: other than every n-th */
static ridge_status each_value(ridge_gguf_value *out, const ridge_gguf_model *m, const ridge_json *args, ridge_err *err)
{
    ridge_gguf_value list;
    ridge_buf text = {0};
    ridge_json_writer w;
    if (args->type != RIDGE_JSON_ARRAY || args->count != 3)
        return bad_rule(args, err);
    const ridge_str key = text_of(&args->u.items[0]);
    const bool optional = key.n && key.p[key.n - 1] == '?';
    const ridge_gguf_pair *pair;
    ridge_status st = find_key(&pair, m, optional ? (ridge_str){key.p, key.n - 1} : key, optional, err);
    *out = (ridge_gguf_value){0};
    if (st || !pair || (st = list_value(&list, m, optional ? (ridge_str){key.p, key.n - 1} : key, err)))
        return st;
    ridge_jw_init(&w, &text);
    ridge_jw_array_compact(&w);
    for (size_t i = 0; i < list.count; i++) {
        const bool holds = pair->array ? list.list[i] != 0 : list.list[i] <= 0 || (ridge_int)(i + 1) % list.list[i] != 0;
        ridge_jw_str(&w, text_of(&args->u.items[holds ? 1 : 2]));
    }
    ridge_jw_end_array(&w);
    const size_t n = text.n;
    const char *kept = ridge_arena_take(m->arena, &text);
    *out = (ridge_gguf_value){.kind = RIDGE_GGUF_JSON, .text = {kept, n}};
    return kept ? RIDGE_OK : ridge_no_memory(err);
}

/* {"fraction": [a, b]}: a share that has a decimal form of its own, as 0.25; others would not be the number that they came from */
static ridge_status fraction_value(ridge_gguf_value *out, const ridge_gguf_model *m, const ridge_json *args, unsigned depth, ridge_err *err)
{
    ridge_gguf_value a, b;
    ridge_status st = eval_two(&a, &b, m, args, depth, err);
    if (st)
        return st;
    *out = (ridge_gguf_value){0};
    if (a.kind != RIDGE_GGUF_WHOLE || b.kind != RIDGE_GGUF_WHOLE || b.whole <= 0 || a.whole < 0 || a.whole > 1 << 20 || b.whole > 1 << 20)
        return a.kind == RIDGE_GGUF_NONE
                   ? RIDGE_OK
                   : ridge_fail(err, RIDGE_VALUE, "%s: no share: %.*s", m->gguf.path, (int)(args->end - args->begin), args->begin);
    ridge_int rest = b.whole / ridge_int_gcd(a.whole, b.whole);
    while (rest % 2 == 0)
        rest /= 2;
    while (rest % 5 == 0)
        rest /= 5;
    if (a.whole != 0 && rest != 1)
        return ridge_fail(err, RIDGE_VALUE, "%s: %lld of %lld has no decimal form, which its config needs", m->gguf.path,
                          (long long)a.whole, (long long)b.whole);
    *out = (ridge_gguf_value){.kind = RIDGE_GGUF_REAL, .real = (double)a.whole / (double)b.whole};
    return RIDGE_OK;
}

static ridge_status count_value(ridge_gguf_value *out, const ridge_gguf_model *m, ridge_str key, ridge_err *err)
{
    const ridge_gguf_pair *pair;
    ridge_status st = find_key(&pair, m, key, true, err);
    *out = (ridge_gguf_value){0};
    if (!st && pair && pair->array)
        *out = (ridge_gguf_value){.kind = RIDGE_GGUF_WHOLE, .whole = pair->count};
    return st;
}

static ridge_status most_value(ridge_gguf_value *out, const ridge_gguf_model *m, ridge_str key, ridge_err *err)
{
    const ridge_gguf_pair *pair;
    ridge_status st = find_key(&pair, m, key, false, err);
    if (st)
        return st;
    if (!pair->numbers || pair->count == 0 || ridge_gguf_is_float(pair->type))
        return wrong_pair(m, pair, "whole numbers", err);
    *out = (ridge_gguf_value){.kind = RIDGE_GGUF_WHOLE, .whole = pair->numbers[0].whole};
    for (uint64_t i = 1; i < pair->count; i++)
        if (pair->numbers[i].whole > out->whole)
            out->whole = pair->numbers[i].whole;
    return RIDGE_OK;
}

static ridge_status given_value(ridge_gguf_value *out, const ridge_gguf_model *m, ridge_str key, ridge_err *err)
{
    const ridge_gguf_pair *pair;
    ridge_status st = find_key(&pair, m, key, true, err);
    truth(out, !st && pair && (!pair->numbers || (pair->count && (ridge_gguf_is_float(pair->type) || pair->numbers[0].whole != 0))));
    return st;
}

/* {"what": about}, about a key or a tensor */
static ridge_status named_value(ridge_gguf_value *out, const ridge_gguf_model *m, const ridge_json_member *rule, ridge_err *err)
{
    const ridge_str what = rule->key, name = rule->value.u.text;
    *out = (ridge_gguf_value){.kind = RIDGE_GGUF_WORD, .text = name};
    if (ridge_str_is(what, "text"))
        return RIDGE_OK;
    if (ridge_str_is(what, "list"))
        return list_value(out, m, name, err);
    if (ridge_str_is(what, "most"))
        return most_value(out, m, name, err);
    if (ridge_str_is(what, "count"))
        return count_value(out, m, name, err);
    if (ridge_str_is(what, "given"))
        return given_value(out, m, name, err);
    if (ridge_str_is(what, "rows") || ridge_str_is(what, "columns"))
        size_value(out, m, name, ridge_str_is(what, "rows"));
    else if (ridge_str_is(what, "has") || ridge_str_is(what, "lacks"))
        truth(out, (ridge_gguf_tensor(&m->gguf, name) != NULL) == ridge_str_is(what, "has"));
    else
        return bad_rule(&rule->value, err);
    return RIDGE_OK;
}

static ridge_status apply(ridge_gguf_value *out, const ridge_gguf_model *m, const ridge_json *rule, unsigned depth, ridge_err *err)
{
    if (rule->count != 1)
        return bad_rule(rule, err);
    const ridge_json_member *member = &rule->u.members[0];
    if (member->value.type == RIDGE_JSON_STRING)
        return named_value(out, m, member, err);
    if (ridge_str_is(member->key, "first"))
        return first_value(out, m, &member->value, depth, err);
    if (ridge_str_is(member->key, "if"))
        return if_value(out, m, &member->value, depth, err);
    if (ridge_str_is(member->key, "word"))
        return word_value(out, m, &member->value, depth, err);
    if (ridge_str_is(member->key, "each"))
        return each_value(out, m, &member->value, err);
    if (ridge_str_is(member->key, "fraction"))
        return fraction_value(out, m, &member->value, depth, err);
    if (ridge_str_is(member->key, "json")) {
        *out =
            (ridge_gguf_value){.kind = RIDGE_GGUF_JSON, .text = {member->value.begin, (size_t)(member->value.end - member->value.begin)}};
        return RIDGE_OK;
    }
    return arithmetic(out, m, member->key, &member->value, depth, err);
}

static ridge_status eval(ridge_gguf_value *out, const ridge_gguf_model *m, const ridge_json *rule, unsigned depth, ridge_err *err)
{
    *out = (ridge_gguf_value){0};
    if (!rule || depth > DEPTH_LIMIT)
        return bad_rule(rule, err);
    switch (rule->type) {
    case RIDGE_JSON_STRING:
        return key_value(out, m, rule->u.text, err);
    case RIDGE_JSON_OBJECT:
        return apply(out, m, rule, depth + 1, err);
    case RIDGE_JSON_TRUE:
    case RIDGE_JSON_FALSE:
        truth(out, rule->type == RIDGE_JSON_TRUE);
        return RIDGE_OK;
    case RIDGE_JSON_NUMBER:
        if (ridge_int_parse(&out->whole, rule->u.text)) {
            out->kind = RIDGE_GGUF_WHOLE;
            return RIDGE_OK;
        }
        break;
    default:
        break;
    }
    *out = (ridge_gguf_value){.kind = RIDGE_GGUF_JSON, .text = {rule->begin, (size_t)(rule->end - rule->begin)}};
    return RIDGE_OK;
}

ridge_status ridge_gguf_eval(ridge_gguf_value *out, const ridge_gguf_model *m, const ridge_json *rule, ridge_err *err)
{
    return eval(out, m, rule, 0, err);
}
