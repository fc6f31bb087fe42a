/* Lists of layers as one expression: what is the same in all, and rules over the index for what is not. */
#include "learn/template/draft.h"

/* Values by index are compared as formulas: "config.layer_types[2]", "{torch__nn__Linear}(B*S, 3, 4)", "None". */
typedef struct series {
    const char *const *values;
    const size_t *at;    /* [count]: the index in the list of each */
    size_t count, total; /* total: of the list */
    const ridge_drafts *drafts;
    bool count_matters;
    unsigned depth;
} series;

enum { DEPTH_LIMIT = 60, TEXT_LIMIT = 40000 };

static ridge_status rule(const char **out, series *s);

static bool all_same(const series *s)
{
    for (size_t i = 1; i < s->count; i++)
        if (strcmp(s->values[i], s->values[0]) != 0)
            return false;
    return true;
}

/* ---- "[2]" as "[i]" ---- */

/* at "[digits]": the number and the end */
static bool index_at(size_t *number, const char **end, const char *p)
{
    if (*p != '[' || p[1] < '0' || p[1] > '9')
        return false;
    size_t n = 0;
    const char *q = p + 1;
    for (; *q >= '0' && *q <= '9' && n < 100000; q++)
        n = n * 10 + (size_t)(*q - '0');
    if (*q != ']')
        return false;
    *number = n;
    *end = q + 1;
    return true;
}

/* the text with each index k as [i + k - at] */
static void generalise(ridge_buf *out, const char *text, size_t at)
{
    size_t k;
    const char *end;
    while (*text)
        if (index_at(&k, &end, text)) {
            if (k == at)
                ridge_buf_addz(out, "[i]");
            else
                ridge_buf_addf(out, "[i %c %zu]", k > at ? '+' : '-', k > at ? k - at : at - k);
            text = end;
        } else
            ridge_buf_addc(out, *text++);
}

static bool follows(const char *pattern, const char *text, size_t at)
{
    ridge_buf other = {0};
    generalise(&other, text, at);
    bool same = other.p && strcmp(other.p, pattern) == 0;
    ridge_buf_free(&other);
    return same;
}

/* config.sizes[i], where every value names its own place */
static ridge_status by_index(const char **out, const series *s)
{
    ridge_buf text = {0};
    *out = NULL;
    generalise(&text, s->values[0], s->at[0]);
    bool fits = text.p && strcmp(text.p, s->values[0]) != 0;
    for (size_t i = 1; fits && i < s->count; i++)
        fits = follows(text.p, s->values[i], s->at[i]);
    if (fits && !(*out = ridge_arena_take(s->drafts->calc->arena, &text)))
        return ridge_no_memory(s->drafts->calc->err);
    ridge_buf_free(&text);
    return RIDGE_OK;
}

/* ---- conditions on the index ---- */

/* which of the series are of the first kind */
static bool mask_is(const bool *mask, const series *s, bool (*holds)(size_t i, int64_t a, int64_t b), int64_t a, int64_t b)
{
    for (size_t k = 0; k < s->count; k++)
        if (holds(s->at[k], a, b) != mask[k])
            return false;
    return true;
}
static bool is_below(size_t i, int64_t a, int64_t b)
{
    (void)b;
    return (int64_t)i < a;
}
static bool is_rest(size_t i, int64_t a, int64_t b)
{
    return a > 0 && ((int64_t)i + b) % a == 0;
}

static const ridge_value *item(ridge_value list, size_t i)
{
    return &list.u.list->items[i];
}

/* config.layer_types[i] == 'full_attention' */
static const char *by_list(const bool *mask, const series *s, const ridge_draft_field *f)
{
    if (f->value.type != RIDGE_V_LIST || f->value.u.list->count < s->total)
        return NULL;
    const ridge_value *wanted = NULL;
    for (size_t k = 0; k < s->count; k++)
        if (mask[k] && !wanted)
            wanted = item(f->value, s->at[k]);
    for (size_t k = 0; k < s->count && wanted; k++)
        if (ridge_value_equal(*item(f->value, s->at[k]), *wanted) != mask[k])
            return NULL;
    const char *text = wanted ? ridge_draft_formula(*wanted, s->drafts->calc) : NULL;
    return text ? ridge_arena_printf(s->drafts->calc->arena, "%s[i] == %s", f->name, text) : NULL;
}

/* i in config.full_attention_layers */
static const char *by_member(const bool *mask, const series *s, const ridge_draft_field *f)
{
    if (f->value.type != RIDGE_V_LIST || f->value.u.list->count == 0)
        return NULL;
    for (size_t k = 0; k < s->count; k++) {
        bool in = false;
        for (size_t j = 0; j < f->value.u.list->count; j++)
            in |= ridge_value_equal(*item(f->value, j), ridge_value_int((ridge_int)s->at[k]));
        if (in != mask[k])
            return NULL;
    }
    return ridge_arena_printf(s->drafts->calc->arena, "i in %s", f->name);
}

/* i < config.first_k_dense_replace, (i + 1) % config.step == 0 */
static const char *by_number(const bool *mask, const series *s, const ridge_draft_field *f)
{
    ridge_arena *arena = s->drafts->calc->arena;
    if (f->value.type != RIDGE_V_INT || f->value.u.i < 1 || f->value.u.i > 1000000)
        return NULL;
    int64_t n = (int64_t)f->value.u.i;
    if (n < (int64_t)s->total && mask_is(mask, s, is_below, n, 0))
        return ridge_arena_printf(arena, "i < %s", f->name);
    if (n > 1 && n <= (int64_t)s->total && mask_is(mask, s, is_rest, n, 1))
        return ridge_arena_printf(arena, "(i + 1) %% %s == 0", f->name);
    if (n > 1 && n <= (int64_t)s->total && mask_is(mask, s, is_rest, n, 0))
        return ridge_arena_printf(arena, "i %% %s == 0", f->name);
    return NULL;
}

/* What tells the marked ones from the others; *exact: not a list of places, which holds for this length alone. */
static ridge_status condition(const char **out, bool *exact, const bool *mask, series *s)
{
    const ridge_drafts *d = s->drafts;
    ridge_buf text = {0};
    *exact = true;
    *out = mask[0] && s->at[0] == 0 && mask_is(mask, s, is_below, 1, 0) ? "i == 0" : NULL;
    for (size_t i = 0; i < d->field_count && !*out; i++) {
        ridge_draft_field *f = &d->fields[i];
        if (f->asked && !f->doubted && !(*out = by_list(mask, s, f)) && !(*out = by_member(mask, s, f)))
            *out = by_number(mask, s, f);
        f->rules |= *out != NULL;
    }
    if (*out)
        return RIDGE_OK;
    *exact = false;
    ridge_buf_addz(&text, "i in [");
    for (size_t k = 0, n = 0; k < s->count; k++)
        if (mask[k])
            ridge_buf_addf(&text, "%s%zu", n++ ? ", " : "", s->at[k]);
    ridge_buf_addc(&text, ']');
    *out = ridge_arena_take(d->calc->arena, &text);
    return *out ? RIDGE_OK : ridge_no_memory(d->calc->err);
}

/* the rule of those that are (not) marked */
static ridge_status side(const char **out, const bool *mask, bool marked, series *s)
{
    ridge_arena *arena = s->drafts->calc->arena;
    series part = {.total = s->total, .drafts = s->drafts, .depth = s->depth + 1};
    const char **values = ridge_arena_array(arena, s->count + 1, sizeof *values);
    size_t *at = ridge_arena_array(arena, s->count + 1, sizeof *at);
    if (!values || !at)
        return ridge_no_memory(s->drafts->calc->err);
    for (size_t k = 0; k < s->count; k++)
        if (mask[k] == marked) {
            values[part.count] = s->values[k];
            at[part.count++] = s->at[k];
        }
    part.values = values;
    part.at = at;
    ridge_status st = rule(out, &part);
    s->count_matters |= part.count_matters;
    return st;
}

static ridge_status split(const char **out, series *s, const bool *mask, const char *when)
{
    const char *then, *otherwise;
    ridge_status st;
    if ((st = side(&then, mask, true, s)) || (st = side(&otherwise, mask, false, s)))
        return st;
    bool nested = strstr(then, " if ") != NULL; /* parentheses more than needed do no harm */
    *out = ridge_arena_printf(s->drafts->calc->arena, "%s%s%s if %s else %s", nested ? "(" : "", then, nested ? ")" : "", when, otherwise);
    return *out ? RIDGE_OK : ridge_no_memory(s->drafts->calc->err);
}

static bool rest_is_same(const series *s)
{
    for (size_t i = 2; i < s->count; i++)
        if (strcmp(s->values[i], s->values[1]) != 0)
            return false;
    return true;
}

/* Those that are like one of them against the rest, if something but their places tells them apart. */
static ridge_status by_condition(const char **out, series *s, bool exact_only)
{
    bool *mask = ridge_arena_array(s->drafts->calc->arena, s->count + 1, sizeof *mask), exact;
    const char *when;
    ridge_status st = RIDGE_OK;
    *out = NULL;
    if (!mask)
        return ridge_no_memory(s->drafts->calc->err);
    for (size_t k = 0; k < s->count && !*out && !st; k++) {
        bool seen = false;
        for (size_t j = 0; j < k; j++)
            seen |= strcmp(s->values[j], s->values[k]) == 0;
        if (seen)
            continue;
        for (size_t j = 0; j < s->count; j++)
            mask[j] = strcmp(s->values[j], s->values[k]) == 0;
        if ((st = condition(&when, &exact, mask, s)) || (exact_only && !exact))
            continue;
        if (exact_only && strcmp(when, "i == 0") == 0 && !rest_is_same(s)) /* the first is always another one: that explains nothing */
            continue;
        s->count_matters |= !exact;
        st = split(out, s, mask, when);
        if (!exact_only)
            break;
    }
    return st;
}

/* a number for each place: "[64, 128, 256][i]" */
static ridge_status by_place(const char **out, series *s)
{
    ridge_buf text = {0};
    size_t length = 0;
    *out = NULL;
    for (size_t k = 0; k < s->count; k++) {
        length += strlen(s->values[k]);
        if (s->values[k][0] == '{' || s->at[k] != k)
            return RIDGE_OK; /* modules are told apart by conditions */
    }
    if (length > TEXT_LIMIT)
        return RIDGE_OK;
    ridge_buf_addc(&text, '[');
    for (size_t k = 0; k < s->count; k++)
        ridge_buf_addf(&text, "%s%s", k ? ", " : "", s->values[k]);
    ridge_buf_addz(&text, "][i]");
    s->count_matters = true;
    *out = ridge_arena_take(s->drafts->calc->arena, &text);
    return *out ? RIDGE_OK : ridge_no_memory(s->drafts->calc->err);
}

static ridge_status rule(const char **out, series *s)
{
    ridge_status st;
    *out = NULL;
    if (s->count == 0) {
        *out = "None";
        return RIDGE_OK;
    }
    if (all_same(s)) {
        *out = s->values[0];
        return RIDGE_OK;
    }
    if (s->depth > DEPTH_LIMIT)
        return ridge_fail(s->drafts->calc->err, RIDGE_LIMIT, "what tells the layers of a list apart is nested more than %d deep",
                          DEPTH_LIMIT);
    if ((st = by_index(out, s)) || *out || (st = by_condition(out, s, true)) || *out || (st = by_place(out, s)) || *out)
        return st;
    return by_condition(out, s, false);
}

ridge_status ridge_draft_rule(const char **out, bool *count_matters, const char *const *values, size_t count, const ridge_drafts *drafts)
{
    size_t *at = ridge_arena_array(drafts->calc->arena, count + 1, sizeof *at);
    if (!at)
        return ridge_no_memory(drafts->calc->err);
    for (size_t i = 0; i < count; i++)
        at[i] = i;
    series s = {.values = values, .at = at, .count = count, .total = count, .drafts = drafts};
    ridge_status st = rule(out, &s);
    *count_matters = s.count_matters;
    return st;
}

/* ---- a list of modules ---- */

/* How well a field explains a count: a loop near the list's own line counted to it, a loop anywhere did, its name speaks of repetition. */
static unsigned explains(const ridge_draft_field *f, const ridge_run_module *list)
{
    static const char *const words[] = {"layer", "depth", "block", "expert", "stage"};
    unsigned score = 1;
    if (f->file)
        score += 4;
    if (f->file && list->file && strcmp(f->file, list->file) == 0 && f->line + 3 >= list->line && f->line <= list->line + 3)
        score += 8;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(f->name, words[i]))
            return score + 2;
    return score;
}

/* the field whose value is the count; a literal where none is */
static const char *count_formula(const ridge_sketch *list, ridge_drafts *d)
{
    ridge_draft_field *best = NULL;
    unsigned most = 0;
    for (size_t f = 0; f < d->field_count; f++) {
        ridge_draft_field *field = &d->fields[f];
        bool is_list = field->value.type == RIDGE_V_LIST;
        if (is_list ? field->value.u.list->count != list->child_count
                    : field->value.type != RIDGE_V_INT || field->value.u.i != (ridge_int)list->child_count)
            continue;
        unsigned score = explains(field, list->module);
        if (score > most) {
            most = score;
            best = field;
        }
    }
    if (!best || most < 3)
        return ridge_arena_printf(d->calc->arena, "%zu", list->child_count);
    best->counts = true;
    return best->value.type == RIDGE_V_LIST ? ridge_arena_printf(d->calc->arena, "len(%s)", best->name) : best->name;
}

/* are they of one draft? */
static bool one_draft(const ridge_sketch *list)
{
    for (size_t i = 1; i < list->child_count; i++)
        if (list->children[i].module->draft != list->children[0].module->draft)
            return false;
    return list->child_count > 0;
}

/* "{key}(a, b)" of one module by itself */
static const char *call_text(const ridge_sketch *s, const ridge_calc *calc)
{
    ridge_buf text = {0};
    ridge_buf_addf(&text, "{%s}(", s->draft->key);
    for (size_t k = 0; k < s->draft->parameter_count; k++)
        ridge_buf_addf(&text, "%s%s", k ? ", " : "", ridge_draft_formula(s->values[k], calc));
    ridge_buf_addc(&text, ')');
    return ridge_arena_take(calc->arena, &text);
}

/* Modules of one draft: each argument has its number, or its rule. */
static ridge_status like_modules(ridge_describer *d, const ridge_sketch *list, const char *name, bool *count_matters)
{
    const ridge_calc *calc = d->drafts->calc;
    const ridge_draft *draft = list->children[0].module->draft;
    const char **values = ridge_arena_array(calc->arena, list->child_count, sizeof *values), *text;
    bool matters;
    if (!values)
        return ridge_no_memory(calc->err);
    ridge_buf_addf(&d->text, "{%s}(", draft->key);
    for (size_t k = 0; k < draft->parameter_count; k++) {
        bool same = true;
        for (size_t i = 0; i < list->child_count; i++) {
            same &= ridge_value_equal(list->children[i].module->values[k], list->children[0].module->values[k]);
            if (!(values[i] = ridge_draft_formula(list->children[i].module->values[k], calc)))
                return ridge_no_memory(calc->err);
        }
        ridge_buf_addz(&d->text, k ? ", " : "");
        if (same) {
            ridge_describe_number(d, list->children[0].module->values[k],
                                  ridge_arena_printf(calc->arena, "%s_%s", name, draft->parameters[k]));
            continue;
        }
        ridge_status st = ridge_draft_rule(&text, &matters, values, list->child_count, d->drafts);
        if (st)
            return st;
        *count_matters |= matters;
        ridge_describe_raw(d, text);
    }
    ridge_buf_addc(&d->text, ')');
    return RIDGE_OK;
}

/* Experts: each argument is what it is for the share of the tokens that one gets. */
static void shared_modules(ridge_describer *d, const ridge_sketch *list, const ridge_value *values, const char *name)
{
    const ridge_draft *draft = list->children[0].module->draft;
    ridge_buf_addf(&d->text, "{%s}(", draft->key);
    for (size_t k = 0; k < draft->parameter_count; k++) {
        ridge_buf_addz(&d->text, k ? ", " : "");
        ridge_describe_number(d, values[k], ridge_arena_printf(d->drafts->calc->arena, "%s_%s", name, draft->parameters[k]));
    }
    ridge_buf_addc(&d->text, ')');
}

static ridge_status unlike_modules(ridge_describer *d, const ridge_sketch *list, bool *count_matters)
{
    const ridge_calc *calc = d->drafts->calc;
    const char **values = ridge_arena_array(calc->arena, list->child_count + 1, sizeof *values), *text;
    if (!values)
        return ridge_no_memory(calc->err);
    for (size_t i = 0; i < list->child_count; i++)
        if (!(values[i] = call_text(list->children[i].module, calc)))
            return ridge_no_memory(calc->err);
    ridge_status st = ridge_draft_rule(&text, count_matters, values, list->child_count, d->drafts);
    if (!st)
        ridge_describe_raw(d, text);
    return st;
}

/* its elements as an expression over i, how many there are, and what they share (NULL: nothing) */
static ridge_status elements(const char **count, const char **shared, ridge_describer *d, const ridge_sketch *list, const char *name)
{
    bool count_matters = false, spreads = false, one = one_draft(list);
    ridge_value *values, rows;
    ridge_status st = one ? ridge_draft_spread(&spreads, &values, &rows, list, d->drafts->calc) : RIDGE_OK;
    *shared = NULL;
    if (st)
        return st;
    if (spreads) {
        shared_modules(d, list, values, name);
        if (!(*shared = ridge_draft_formula(rows, d->drafts->calc)))
            return ridge_no_memory(d->drafts->calc->err);
    } else
        st = one ? like_modules(d, list, name, &count_matters) : unlike_modules(d, list, &count_matters);
    *count = count_matters ? ridge_arena_printf(d->drafts->calc->arena, "%zu", list->child_count) : count_formula(list, d->drafts);
    return st || *count ? st : ridge_no_memory(d->drafts->calc->err);
}

ridge_status ridge_describe_list(const char **extra, ridge_describer *d, const ridge_sketch *list, const char *name, const char *calls)
{
    ridge_arena *arena = d->drafts->calc->arena;
    const char *count = "", *shared;
    *extra = "";
    if (list->child_count == 0) {
        ridge_buf_addz(&d->text, "[]");
        return RIDGE_OK;
    }
    size_t begin = d->text.n;
    ridge_status st = elements(&count, &shared, d, list, name);
    if (st || *calls || shared) { /* what belongs to each element stands beside it */
        *extra = ridge_arena_printf(arena, ", \"for\": \"i in range(%s)\"%s%s%s%s", st ? "" : count,
                                    shared ? ", \"spread\": {\"share\": \"" : "", shared ? shared : "", shared ? "\"}" : "", calls);
        return st || *extra ? st : ridge_no_memory(d->drafts->calc->err);
    }
    const char *body = ridge_arena_strdup(arena, (ridge_str){d->text.p + begin, d->text.n - begin});
    if (!body)
        return ridge_no_memory(d->drafts->calc->err);
    d->text.n = begin;
    ridge_buf_addf(&d->text, "[%s for i in range(", body);
    ridge_describe_raw(d, count);
    ridge_buf_addz(&d->text, ")]");
    return RIDGE_OK;
}
