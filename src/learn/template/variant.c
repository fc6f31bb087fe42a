/* Which configurations to run beside the given one, and what they look like. */
#include "learn/template/variant.h"

/* ---- fields ---- */

static const ridge_draft_field *field(const ridge_lesson *l, const char *text, size_t n)
{
    for (size_t i = 0; i < l->field_count; i++)
        if (strlen(l->fields[i].name) == n && strncmp(l->fields[i].name, text, n) == 0)
            return &l->fields[i];
    return NULL;
}

static int64_t number_of(const ridge_lesson *l, const char *name)
{
    const ridge_draft_field *f = field(l, name, strlen(name));
    return f && f->value.type == RIDGE_V_INT ? (int64_t)f->value.u.i : 0;
}

static const char *path_of(const char *name)
{
    return name + strlen("config.");
}

/* ---- flips ---- */

/* config.attention_bias */
static bool of_truth(ridge_template_variant *v, const ridge_lesson *l, const ridge_sketch_condition *c)
{
    const ridge_draft_field *f = field(l, c->text, strlen(c->text));
    if (!f || f->value.type != RIDGE_V_BOOL)
        return false;
    v->path = path_of(f->name);
    v->value = f->value.u.b ? "false" : "true";
    return true;
}

/* config.num_key_value_heads == config.num_attention_heads: half of them where they are equal, as many where they are not */
static bool of_equality(ridge_template_variant *v, const ridge_lesson *l, const ridge_sketch_condition *c)
{
    const char *sign = strstr(c->text, " == ");
    if (!sign)
        return false;
    const ridge_draft_field *a = field(l, c->text, (size_t)(sign - c->text)), *b = field(l, sign + 4, strlen(sign + 4));
    if (!a || !b || a->value.type != RIDGE_V_INT || b->value.type != RIDGE_V_INT)
        return false;
    bool key_value = strstr(b->name, "key_value") || strstr(b->name, "kv");
    const ridge_draft_field *change = key_value ? b : a, *keep = key_value ? a : b;
    int64_t n = (int64_t)keep->value.u.i, to = c->holds ? n / 2 : n;
    if (c->holds && (n < 2 || n % 2 != 0))
        return false;
    v->path = path_of(change->name);
    v->value = ridge_arena_printf(l->calc.arena, "%lld", (long long)to);
    return v->value != NULL;
}

/* config.head_dim == None: something of a usual size where it is None, None where it is not */
static bool of_nothing(ridge_template_variant *v, const ridge_lesson *l, const ridge_sketch_condition *c)
{
    const char *sign = strstr(c->text, " == None");
    if (!sign || sign[8] != '\0' || strncmp(c->text, "config.", 7) != 0)
        return false;
    v->path = ridge_arena_strdup(l->calc.arena, (ridge_str){c->text + 7, (size_t)(sign - c->text - 7)});
    int64_t hidden = number_of(l, "config.hidden_size"), heads = number_of(l, "config.num_attention_heads");
    bool size = v->path && strstr(v->path, "dim"), window = v->path && strstr(v->path, "window");
    if (!c->holds)
        v->value = "null";
    else if (v->path && strstr(v->path, "rope_scaling"))
        v->value = "{\"rope_type\": \"linear\", \"factor\": 2.0}";
    else if (size && hidden > 0 && heads > 0 && hidden / heads > 2)
        v->value = ridge_arena_printf(l->calc.arena, "%lld", (long long)(hidden / heads * 2));
    else
        v->value = window ? "5" : "24";
    return v->path && v->value;
}

/* Something about heads of keys and values, (heads // of keys and values) == 1: as many as of queries, or half as many. */
static bool of_heads(ridge_template_variant *v, const ridge_lesson *l, const ridge_sketch_condition *c)
{
    static const char *const names[][2] = {{"config.num_key_value_heads", "config.num_attention_heads"},
                                           {"config.num_kv_heads", "config.num_attention_heads"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int64_t kv = number_of(l, names[i][0]), heads = number_of(l, names[i][1]);
        if (!strstr(c->text, names[i][0]) || !strstr(c->text, names[i][1]) || kv < 1 || heads < 2 || heads % 2 != 0)
            continue;
        v->path = path_of(names[i][0]);
        v->value = ridge_arena_printf(l->calc.arena, "%lld", (long long)(kv == heads ? heads / 2 : heads));
        return v->value != NULL;
    }
    return false;
}

/* what the library asks of every config: how it answers, not what it computes */
static bool is_of_library(const char *text)
{
    static const char *const words[] = {"return_dict",
                                        "output_",
                                        "use_cache",
                                        "is_decoder",
                                        "is_encoder_decoder",
                                        "add_cross_attention",
                                        "pruned_heads",
                                        "torchscript",
                                        "chunk_size_feed_forward",
                                        "pad_token_id"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

ridge_status ridge_variants_choose(ridge_template_variant **out, size_t *count, const ridge_lesson *base)
{
    *count = 0;
    if (!(*out = ridge_arena_array(base->calc.arena, base->condition_count + 1, sizeof **out)))
        return ridge_no_memory(base->calc.err);
    for (size_t i = 0; i < base->condition_count; i++) {
        const ridge_sketch_condition *c = &base->conditions[i];
        ridge_template_variant *v = &(*out)[*count];
        *v = (ridge_template_variant){.condition = c->text, .holds = c->holds};
        if (c->both || c->loop || c->separates || is_of_library(c->text))
            continue;
        if (!of_truth(v, base, c) && !of_equality(v, base, c) && !of_nothing(v, base, c) && !of_heads(v, base, c))
            continue;
        v->when = c->holds ? ridge_arena_printf(base->calc.arena, "not (%s)", c->text) : c->text;
        if (!v->when)
            return ridge_no_memory(base->calc.err);
        ++*count;
    }
    return RIDGE_OK;
}

/* ---- its config ---- */

/* does a field say this number, or a list have so many items? */
static bool is_said(const ridge_lesson *l, ridge_int n)
{
    for (size_t i = 0; i < l->field_count; i++) {
        const ridge_value v = l->fields[i].value;
        if ((v.type == RIDGE_V_INT && v.u.i == n) || (v.type == RIDGE_V_LIST && (ridge_int)v.u.list->count == n))
            return true;
    }
    return false;
}

ridge_status ridge_variant_longer(ridge_template_variant *out, const ridge_draft_field *field, const ridge_lesson *base)
{
    const long long n = (long long)field->value.u.i;
    uint32_t more = 1;
    while (more < 9 && is_said(base, n + more))
        more++;
    *out = (ridge_template_variant){.path = path_of(field->name), .longer = n > 1 && n < 10000 ? (uint32_t)n : 0, .more = more};
    out->value = ridge_arena_printf(base->calc.arena, "%lld", n + more);
    return out->value ? RIDGE_OK : ridge_no_memory(base->calc.err);
}

static void add_json(ridge_buf *out, ridge_value v)
{
    if (v.type == RIDGE_V_STRING)
        ridge_buf_addf(out, "\"%.*s\"", RIDGE_STR_ARG(v.u.s));
    else if (v.type == RIDGE_V_BOOL)
        ridge_buf_addz(out, v.u.b ? "true" : "false");
    else if (v.type == RIDGE_V_INT)
        ridge_buf_add_int(out, v.u.i);
    else
        ridge_buf_addz(out, "null");
}

ridge_status ridge_variant_other(ridge_template_variant *out, const ridge_draft_field *field, unsigned which, const ridge_calc *calc)
{
    const ridge_value v = field->value;
    const ridge_int n = v.type == RIDGE_V_INT ? v.u.i : 0, others[] = {n + 1, 2 * n, n / 2, n - 1}; /* what n divides, or divides it */
    const bool number = v.type == RIDGE_V_INT && which < sizeof others / sizeof *others && others[which] > 0 && others[which] != n;
    ridge_buf text = {0};
    bool differ = number;
    *out = (ridge_template_variant){.path = path_of(field->name)};
    if (number)
        ridge_buf_add_int(&text, others[which]);
    for (size_t i = 0; v.type == RIDGE_V_LIST && which == 0 && i < v.u.list->count; i++) { /* the last one first */
        const size_t items = v.u.list->count, from = i == 0 ? items - 1 : i - 1;
        differ |= !ridge_value_equal(v.u.list->items[i], v.u.list->items[from]);
        ridge_buf_addz(&text, i == 0 ? "[" : ", ");
        add_json(&text, v.u.list->items[from]);
        if (i + 1 == items)
            ridge_buf_addc(&text, ']');
    }
    out->value = differ ? ridge_arena_take(calc->arena, &text) : NULL;
    const bool failed = text.failed || (differ && !out->value);
    ridge_buf_free(&text);
    return failed ? ridge_no_memory(calc->err) : RIDGE_OK;
}

/* a member's value as it is, or longer */
static void kept(ridge_buf *out, const ridge_json *v, const ridge_template_variant *variant)
{
    const bool list = variant && variant->longer > 0 && v->type == RIDGE_JSON_ARRAY && v->count == variant->longer;
    ridge_buf_add(out, (ridge_str){v->begin, (size_t)(v->end - v->begin) - (list ? 1 : 0)});
    for (uint32_t i = 0; list && i < variant->more; i++) {
        const ridge_json *last = &v->u.items[v->count - 1];
        ridge_buf_addf(out, ", %.*s", (int)(last->end - last->begin), last->begin);
    }
    if (list)
        ridge_buf_addc(out, ']');
}

/* the object with one member changed or added; path: of nested objects, dots between */
static void changed(ridge_buf *out, const ridge_json *object, const char *path, const ridge_template_variant *variant)
{
    size_t n = strcspn(path, ".");
    bool nested = path[n] == '.', done = false;
    ridge_buf_addc(out, '{');
    for (uint32_t i = 0; object && object->type == RIDGE_JSON_OBJECT && i < object->count; i++) {
        const ridge_json_member *m = &object->u.members[i];
        bool here = m->key.n == n && memcmp(m->key.p, path, n) == 0;
        ridge_buf_addf(out, "%s\"%.*s\": ", i ? ", " : "", RIDGE_STR_ARG(m->key));
        if (here && nested)
            changed(out, &m->value, path + n + 1, variant);
        else if (here)
            ridge_buf_addz(out, variant->value);
        else
            kept(out, &m->value, nested ? NULL : variant);
        done |= here;
    }
    if (!done) {
        ridge_buf_addf(out, "%s\"%.*s\": ", object && object->count > 0 ? ", " : "", (int)n, path);
        if (nested)
            changed(out, NULL, path + n + 1, variant);
        else
            ridge_buf_addz(out, variant->value);
    }
    ridge_buf_addc(out, '}');
}

ridge_status ridge_variant_config(const ridge_json **out, const ridge_json *base, const ridge_template_variant *variant,
                                  const ridge_calc *calc)
{
    ridge_buf text = {0};
    ridge_json *json;
    changed(&text, base, variant->path, variant);
    const char *whole = ridge_arena_take(calc->arena, &text);
    if (!whole)
        return ridge_no_memory(calc->err);
    ridge_status st =
        ridge_json_parse(&json, ridge_str_of(whole), "a variant of the config", (ridge_json_options){0}, calc->arena, calc->err);
    *out = st ? NULL : json;
    return st;
}
