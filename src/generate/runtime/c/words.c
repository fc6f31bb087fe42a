/* words.c - arguments as words, configs, and the answer. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values as text: JSON, and Python's True, False, None and 'text' ---- */

typedef struct reader {
    gm_run *r;
    const char *p;
    bool ok;
    int depth;
} reader;

static gm_value read_value(reader *in);

static void skip_blanks(reader *in)
{
    in->p += strspn(in->p, " \t\r\n");
}

static bool take(reader *in, char c)
{
    skip_blanks(in);
    if (*in->p != c)
        return false;
    in->p++;
    return true;
}

static bool word(reader *in, const char *text)
{
    const size_t n = strlen(text);
    if (strncmp(in->p, text, n) != 0 ||
        strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:", in->p[n] ? in->p[n] : ' '))
        return false;
    in->p += n;
    return true;
}

/* digits, a fraction and an exponent, exactly */
static gm_value read_number(reader *in)
{
    gm_int n = 0, below = 1;
    int exponent = 0;
    bool digits = false, negative = *in->p == '-', fits = true;
    in->p += *in->p == '-' || *in->p == '+';
    for (; *in->p >= '0' && *in->p <= '9'; in->p++, digits = true)
        fits = fits && gm_int_mul(&n, n, 10) && gm_int_add(&n, n, *in->p - '0');
    if (*in->p == '.')
        for (in->p++; *in->p >= '0' && *in->p <= '9'; in->p++, digits = true)
            fits = fits && gm_int_mul(&n, n, 10) && gm_int_add(&n, n, *in->p - '0') && gm_int_mul(&below, below, 10);
    if (digits && (*in->p == 'e' || *in->p == 'E')) {
        char *end;
        exponent = (int)strtol(in->p + 1, &end, 10);
        in->ok = in->ok && end != in->p + 1 && exponent > -40 && exponent < 40;
        in->p = end;
    }
    for (int i = 0; i < abs(exponent) && in->ok; i++)
        fits = fits && gm_int_mul(exponent > 0 ? &n : &below, exponent > 0 ? n : below, 10);
    in->ok = in->ok && digits && fits;
    return in->ok ? gm_div(in->r, gm_number(negative ? -n : n), gm_number(below)) : gm_none();
}

static gm_value read_text(reader *in)
{
    const char quote = *in->p++;
    size_t n = 0;
    char *text = gm_room(in->r, strlen(in->p) + 1);
    while (text && *in->p && *in->p != quote) {
        if (*in->p == '\\' && in->p[1] && in->p[1] != 'u') /* code points stand as they are in what is generated */
            in->p++;
        text[n++] = *in->p++;
    }
    in->ok = in->ok && text && *in->p == quote;
    in->p += in->ok;
    return in->ok ? gm_text_of(text, n) : gm_none();
}

static gm_value read_list(reader *in)
{
    gm_made made = {0};
    in->p++;
    while (in->ok && !take(in, ']')) {
        if (made.count > 0)
            in->ok = take(in, ',');
        gm_push(in->r, &made, read_value(in), gm_none());
    }
    return in->ok ? gm_taken(in->r, &made) : gm_none();
}

static gm_value read_object(reader *in)
{
    gm_value v = {.type = GM_OBJECT};
    v.u.object = gm_new_object(in->r, "an object");
    in->p++;
    while (in->ok && v.u.object && !take(in, '}')) {
        if (v.u.object->count > 0)
            in->ok = take(in, ',');
        skip_blanks(in);
        in->ok = in->ok && *in->p == '"';
        const gm_value name = in->ok ? read_text(in) : gm_none();
        in->ok = in->ok && take(in, ':');
        if (in->ok)
            gm_set(in->r, v.u.object, name.u.text, read_value(in));
    }
    return v;
}

static gm_value read_value(reader *in)
{
    enum { DEEPEST = 64 };
    gm_value v = gm_none();
    skip_blanks(in);
    if (in->depth++ > DEEPEST)
        in->ok = false;
    if (!in->ok || word(in, "None") || word(in, "null"))
        v = gm_none();
    else if (word(in, "True") || word(in, "true"))
        v = gm_bool(true);
    else if (word(in, "False") || word(in, "false"))
        v = gm_bool(false);
    else if (*in->p == '[')
        v = read_list(in);
    else if (*in->p == '{')
        v = read_object(in);
    else if (*in->p == '"' || *in->p == '\'')
        v = read_text(in);
    else
        v = read_number(in);
    in->depth--;
    return v;
}

gm_value gm_parse(gm_run *r, const char *text, bool *ok)
{
    reader in = {r, text, true, 0};
    const gm_value v = read_value(&in);
    skip_blanks(&in);
    *ok = in.ok && *in.p == '\0';
    return *ok ? v : gm_none();
}

/* ---- configs ---- */

static const char *json_type(gm_value v)
{
    static const char *const names[] = {"any", "null", "bool", "int", "number", "string", "list", "object", "any"};
    return names[v.type];
}

static bool allows(const char *types, const char *have)
{
    while (*types) {
        const size_t n = strcspn(types, "|");
        if ((strlen(have) == n && strncmp(types, have, n) == 0) || strncmp(types, "any", n) == 0 ||
            (n == 6 && strncmp(types, "number", n) == 0 && strcmp(have, "int") == 0))
            return true;
        types += n + (types[n] == '|');
    }
    return false;
}

static void check_integer(gm_run *r, const gm_field *f, gm_value v)
{
    char text[41];
    gm_print(text, v.u.number);
    if (strlen(text) > 18 || v.u.number > f->most)
        (void)gm_fail(r, "%s: %s is out of range", f->name, text);
    else if (v.u.number < (f->negative_ok ? v.u.number : f->zero_ok ? 0 : 1))
        (void)gm_fail(r, "%s: %s makes no sense: want at least %d", f->name, text, !f->zero_ok);
}

static void check_field(gm_run *r, const gm_field *f, gm_value v)
{
    if (r->failed)
        return;
    if (!allows(f->types, json_type(v))) {
        (void)gm_fail(r, "%s: want %s, found %s", f->name, f->types, json_type(v));
        return;
    }
    if (v.type == GM_INT && !allows(f->types, "number"))
        check_integer(r, f, v);
    for (size_t i = 0; v.type == GM_LIST && f->integers && i < v.u.list->count && !r->failed; i++) {
        if (v.u.list->items[i].type != GM_INT)
            (void)gm_fail(r, "%s: want a list of integers", f->name);
        else
            check_integer(r, f, v.u.list->items[i]);
    }
}

static const char *real_name(const gm_config *c, const char *name)
{
    for (const char *const *a = c->aliases; a && *a; a += 2)
        if (strcmp(a[0], name) == 0)
            return a[1];
    return name;
}

static const gm_field *field_named(const gm_config *c, const char *name)
{
    for (size_t i = 0; i < c->field_count; i++)
        if (strcmp(c->fields[i].name, name) == 0)
            return &c->fields[i];
    return NULL;
}

/* A nested config: of words there are no objects, so that it is one of defaults. */
static gm_value nested(gm_run *r, const gm_field *f)
{
    gm_value v = {.type = GM_OBJECT};
    const gm_object none = {.what = "an object"};
    if (r->depth++ > 32)
        return gm_fail(r, "nested configs in a circle: %s", f->config->path);
    v.u.object = gm_bind(r, f->config, &none);
    r->depth--;
    return v;
}

static void given_fields(gm_run *r, const gm_config *c, gm_object *o, const gm_object *given)
{
    for (const gm_object_field *g = given->first; g && !r->failed; g = g->next) {
        const char *name = real_name(c, g->name);
        const gm_field *f = field_named(c, name);
        if (f && f->config && g->value.type != GM_NONE)
            (void)gm_fail(r, "%s: want a nested config (an object)", name);
        else if (f && !f->config)
            check_field(r, f, g->value);
        gm_set(r, o, name, f && f->config ? nested(r, f) : g->value);
    }
}

gm_object *gm_bind(gm_run *r, const gm_config *c, const gm_object *given)
{
    gm_object *o = gm_new_object(r, c->path), *outer = r->config;
    void *frame = gm_room(r, c->frame + 16);
    bool ok = true;
    if (!o || !frame)
        return NULL;
    given_fields(r, c, o, given);
    for (size_t i = 0; i < c->field_count && !r->failed; i++) {
        const gm_field *f = &c->fields[i];
        if (gm_find(o, f->name))
            continue;
        gm_set(r, o, f->name, f->config ? nested(r, f) : gm_parse(r, f->fallback, &ok));
    }
    for (const char *const *a = c->aliases; a && *a && !r->failed; a += 2) {
        const gm_value *v = gm_find(o, a[1]);
        if (v && !gm_find(o, a[0]))
            gm_set(r, o, a[0], *v);
    }
    r->config = o;
    if (!r->failed && c->derive)
        c->derive(r, frame, o);
    if (!r->failed && c->check)
        c->check(r, frame);
    r->config = outer;
    return o;
}

/* ---- an answer ---- */

static const char *const workload_names[] = {
#define X(word) #word,
    GM_WORKLOAD_LIST(X)
#undef X
};

static int compare_paths(const void *key, const void *entry)
{
    return strcmp(key, (*(const gm_entry *const *)entry)->path);
}

/* "torch__nn__Linear" is torch.nn.Linear, too */
static const gm_entry *find(const char *path)
{
    const gm_entry *const *found = bsearch(path, gm_entries, gm_entry_count, sizeof *gm_entries, compare_paths);
    char dotted[400];
    size_t n = 0;
    if (found || strlen(path) >= sizeof dotted)
        return found ? *found : NULL;
    for (const char *p = path; *p; p++) {
        const bool dot = p > path && p[0] == '_' && p[1] == '_' && p[2];
        dotted[n++] = dot ? '.' : *p;
        p += dot;
    }
    dotted[n] = '\0';
    found = bsearch(dotted, gm_entries, gm_entry_count, sizeof *gm_entries, compare_paths);
    return found ? *found : NULL;
}

const char *const *gm_paths(void)
{
    static const char **paths;
    if (!paths && (paths = calloc(gm_entry_count + 1, sizeof *paths)))
        for (size_t i = 0; i < gm_entry_count; i++)
            paths[i] = gm_entries[i]->path;
    return paths;
}

static int parameter(const gm_entry *e, const char *name, size_t n)
{
    for (size_t i = 0; i < e->parameter_count; i++) {
        const gm_parameter *p = &e->parameters[i];
        const char *at = p->aliases;
        if (strlen(p->name) == n && strncmp(p->name, name, n) == 0)
            return (int)i;
        for (size_t k; at && *at; at += k + (at[k] == ' ')) {
            k = strcspn(at, " ");
            if (k == n && strncmp(at, name, n) == 0)
                return (int)i;
        }
    }
    return -1;
}

static gm_value value_of(gm_run *r, const char *name, const char *text, bool may_be_text)
{
    bool ok;
    gm_value v = gm_parse(r, text, &ok);
    if (!ok && !r->failed)
        v = gm_text_of(text, strlen(text));
    if (!r->failed && v.type == GM_TEXT && !may_be_text)
        return gm_fail(r, "%s: '%s' is not a value (want a number, True, False, None or a list)", name, text);
    return v;
}

static bool is_among(const char *word, const char *words)
{
    const size_t n = strlen(word);
    for (const char *p = words; *p; p += strcspn(p, " ") + (p[strcspn(p, " ")] == ' '))
        if (strcspn(p, " ") == n && strncmp(p, word, n) == 0)
            return true;
    return false;
}

static void set_workload(gm_run *r, size_t which, gm_value v)
{
    extern const char gm_formats[];
    const char *words = which == GM_phase       ? "prefill decode train"
                        : which == GM_attention ? "full causal"
                        : which > GM_attention  ? gm_formats
                                                : NULL;
    if (r->failed)
        return;
    if (words ? v.type != GM_TEXT || !is_among(v.u.text, words) : v.type != GM_INT || v.u.number < 0)
        (void)gm_fail(r, "%s wants %s%s", workload_names[which], words ? "one of " : "an integer of at least 0", words ? words : "");
    r->workload[which] = v;
}

static void start_workload(gm_run *r)
{
    r->workload[GM_past] = r->workload[GM_enc] = gm_number(0);
    r->workload[GM_phase] = GM_TEXT_OF("prefill");
    r->workload[GM_attention] = GM_TEXT_OF("full");
    r->workload[GM_act] = r->workload[GM_kv] = r->workload[GM_weights_format] = GM_TEXT_OF("fp32");
}

static void derive_workload(gm_run *r)
{
    gm_value *w = r->workload;
    if (w[GM_B].type == GM_UNSET || w[GM_S].type == GM_UNSET)
        return;
    if (w[GM_T].type == GM_UNSET)
        w[GM_T] = gm_add(r, w[GM_past], w[GM_S]);
    if (w[GM_head_rows].type == GM_UNSET)
        w[GM_head_rows] = gm_mul(r, w[GM_B], w[GM_S]);
}

/* a name sets a parameter, else a name of the workload, else a field of the config */
static void take_word(gm_run *r, const gm_entry *e, gm_argument *argument, gm_object *fields, const char *text, size_t *positional)
{
    const char *equals = strchr(text, '=');
    const size_t n = equals ? (size_t)(equals - text) : 0;
    int at = equals ? parameter(e, text, n) : (int)(*positional)++;
    char *name = gm_room(r, n + 1);
    if (!name)
        return;
    memcpy(name, text, n);
    if (at >= 0 && (size_t)at < e->parameter_count) {
        if (argument[at].name)
            (void)gm_fail(r, "%s is given twice", e->parameters[at].name);
        argument[at] = (gm_argument){e->parameters[at].name,
                                     value_of(r, e->parameters[at].name, equals ? equals + 1 : text, e->parameters[at].may_be_text)};
        return;
    }
    if (!equals) {
        (void)gm_fail(r, "%s takes %zu arguments", e->path, e->parameter_count);
        return;
    }
    for (size_t i = 0; i < GM_WORKLOAD_COUNT; i++)
        if (strcmp(workload_names[i], name) == 0) {
            set_workload(r, i, value_of(r, name, equals + 1, true));
            return;
        }
    if (gm_find(fields, name))
        (void)gm_fail(r, "%s is given twice", name);
    gm_set(r, fields, name, value_of(r, name, equals + 1, true));
}

static void ask(gm_run *r, gm_int *out, const gm_entry *e, const char *const *words, size_t count)
{
    gm_argument *all = gm_room(r, (e->parameter_count + 1) * sizeof *all), *arguments = gm_room(r, (e->parameter_count + 1) * sizeof *all);
    gm_object *fields = gm_new_object(r, "an object");
    size_t positional = 0, n = 0;
    start_workload(r);
    for (size_t i = 0; i < count && !r->failed; i++)
        take_word(r, e, all, fields, words[i], &positional);
    derive_workload(r);
    for (size_t i = 0; i < e->parameter_count && !r->failed; i++)
        if (all[i].name)
            arguments[n++] = all[i];
    if (!r->failed && e->family)
        r->config = gm_bind(r, e->family, fields);
    else if (!r->failed && fields->count > 0 && !strstr(e->path, ".modeling_"))
        (void)gm_fail(r, "%s has no parameter '%s'", e->path, fields->first->name);
    else if (!r->failed && fields->count > 0)
        r->config = fields;
    const gm_value v = r->failed ? gm_none() : gm_operand(r, gm_invoke(r, e, arguments, n));
    if (!r->failed && !gm_as_int(out, v))
        (void)gm_fail(r, "%s is %s here, not an integer", e->path, gm_type_name(v));
}

int gm_compute(gm_int *out, gm_quantity quantity, const char *path, const char *const *words, size_t count, char *error, size_t room)
{
    const gm_entry *e = find(path);
    gm_run *r = calloc(1, sizeof *r);
    *out = 0;
    if (room)
        *error = '\0';
    if (r && e) {
        r->quantity = quantity;
        ask(r, out, e, words, count);
    }
    const bool ok = r && e && !r->failed;
    if (!ok && room)
        (void)snprintf(error, room, "%s%s", !r ? "memory ran out" : !e ? "there is no module " : r->error, r && !e ? path : "");
    for (void *block = r ? r->blocks : NULL, *next; block; block = next) {
        next = *(void **)block;
        free(block);
    }
    free(r);
    return ok ? 0 : -1;
}
