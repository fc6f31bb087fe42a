/* Changes as people write them: "weights=q4_K+kv=fp8", "a100-sxm-80", "batch=8,attention=full". */
#include "advice/against.h"
#include "base/format.h"

/* ---- which option ---- */

static const ridge_option *option_of(ridge_str name)
{
    ridge_predict_request unused;
    const ridge_option_places places = {.request = &unused};
    void *at;
    return ridge_options_find(&at, &places, ridge_predict_tables, name);
}

/* the option that a word alone is of ("eager"); "none" says nothing of which */
static const ridge_option *option_of_word(const char *word)
{
    for (const ridge_option_table *table = ridge_predict_tables; table->options; table++)
        for (const ridge_option *option = table->options; option->name; option++)
            for (const char *const *w = option->words; option->kind == RIDGE_OPTION_CHOICE && *w; w++)
                if (strcmp(*w, word) == 0 && strcmp(word, "none") != 0)
                    return option;
    return NULL;
}

static bool is_machine(const ridge_option *option)
{
    return option == ridge_option_named(ridge_options_predict, "on");
}

/* ---- values ---- */

static ridge_status machine_value(const char **out, const char *value, ridge_machines *machines, ridge_err *err)
{
    const ridge_machine *m;
    ridge_status st = ridge_machines_find(&m, machines, value, err);
    if (!st && !strchr(value, '/') && !ridge_str_ends(ridge_str_of(value), RIDGE_STR(".json")))
        *out = m->id;
    return st;
}

/* the value under its own name: "q4_k" is q4_K, "2k" is 2000 */
static ridge_status canonical_value(const char **out, const ridge_option *option, const char *value, ridge_arena *arena, ridge_err *err)
{
    union {
        int64_t number;
        const ridge_format *format;
        ridge_predict_request request;
    } scratch;
    memset(&scratch, 0, sizeof scratch);
    ridge_option alone = *option;
    alone.offset = 0;
    ridge_status st = ridge_option_store(&scratch, &alone, value, arena, err);
    if (st)
        return st;
    if (option->kind == RIDGE_OPTION_FORMAT)
        *out = scratch.format->name;
    else if (option->kind == RIDGE_OPTION_INT)
        *out = ridge_arena_printf(arena, "%lld", (long long)scratch.number);
    return *out ? RIDGE_OK : ridge_no_memory(err);
}

static ridge_status checked_value(ridge_change *c, ridge_machines *machines, ridge_arena *arena, ridge_err *err)
{
    if (c->value[0] == '\0')
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("against") ": '%s' needs a value: %s=VALUE", c->option->name, c->option->name);
    if (is_machine(c->option))
        return machine_value(&c->value, c->value, machines, err);
    ridge_status st = canonical_value(&c->value, c->option, c->value, arena, err);
    if (st)
        ridge_err_append(err, " (" RIDGE_OPT("against") ")");
    return st;
}

/* ---- words ---- */

static const char some_keys[] = "; keys are on, weights, activations, kv, batch, seq, past, phase, attention, kernel, ...";

static void offer_keys(ridge_nearest *near, ridge_str text, bool words)
{
    for (const ridge_option_table *table = ridge_predict_tables; table->options; table++)
        for (const ridge_option *option = table->options; option->name; option++) {
            ridge_nearest_offer(near, text, option->name);
            for (const char *const *w = option->words; words && option->kind == RIDGE_OPTION_CHOICE && *w; w++)
                ridge_nearest_offer(near, text, *w);
        }
}

static ridge_status unknown_word(const char *word, ridge_machines *machines, ridge_err *err)
{
    ridge_nearest near = {0};
    ridge_str text = ridge_str_of(word);
    offer_keys(&near, text, true);
    for (size_t i = 0; i < ridge_machines_count(machines); i++)
        ridge_nearest_offer(&near, text, ridge_machines_id(machines, i));
    const char *format = ridge_format_nearest(text);
    if (format)
        ridge_nearest_offer(&near, text, format);
    return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("against") ": '%s' is no KEY=VALUE, machine or number format%s%s%s", word,
                      near.best ? "; did you mean '" : some_keys, near.best ? near.best : "", near.best ? "'?" : "");
}

static ridge_status unknown_key(ridge_str name, ridge_err *err)
{
    ridge_nearest near = {0};
    offer_keys(&near, name, false);
    return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("against") ": unknown key '%.*s'%s%s%s", RIDGE_STR_ARG(name),
                      near.best ? "; did you mean '" : some_keys, near.best ? near.best : "", near.best ? "'?" : "");
}

/* a word of an option, a number format (of the weights), a machine; NULL: none of them */
static ridge_status option_of_value(const ridge_option **out, const char *word, ridge_machines *machines, ridge_err *err)
{
    const ridge_machine *m;
    ridge_err unused = {0};
    if ((*out = option_of_word(word)))
        return RIDGE_OK;
    if (ridge_format_find(ridge_str_of(word))) {
        *out = ridge_option_named(ridge_options_workload, "weights");
        return RIDGE_OK;
    }
    const ridge_status st = ridge_machines_find(&m, machines, word, &unused);
    *out = st ? NULL : ridge_option_named(ridge_options_predict, "on");
    return st == RIDGE_NOMEM ? ridge_no_memory(err) : RIDGE_OK;
}

static ridge_status read_change(ridge_change *c, const char *text, ridge_machines *machines, ridge_arena *arena, ridge_err *err)
{
    const char *equals = strchr(text, '=');
    ridge_str name = {text, equals ? (size_t)(equals - text) : strlen(text)};
    const ridge_option *named = option_of(name);
    if (text[0] == '\0')
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("against") ": a change is missing: want KEY=VALUE, a machine or a number format");
    if (equals && !named)
        return unknown_key(name, err);
    c->value = equals ? equals + 1 : named ? "" : text;
    c->option = named;
    if (!named && option_of_value(&c->option, text, machines, err))
        return RIDGE_NOMEM;
    return c->option ? checked_value(c, machines, arena, err) : unknown_word(text, machines, err);
}

/* ---- variants ---- */

static bool has_option(const ridge_changes *c, const ridge_option *option)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i].option == option)
            return true;
    return false;
}

bool ridge_changes_add(ridge_changes *c, const char *name, const char *value)
{
    if (c->count == RIDGE_CHANGES)
        return false;
    c->items[c->count++] = (ridge_change){option_of(ridge_str_of(name)), value};
    return true;
}

void ridge_changes_put(ridge_changes *c, const ridge_change *change)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i].option == change->option) {
            c->items[i].value = change->value;
            return;
        }
    if (c->count < RIDGE_CHANGES)
        c->items[c->count++] = *change;
}

/* `joined`: by '+' to the change before it */
static ridge_status add_change(ridge_changes *variants, size_t *count, ridge_change c, bool joined, ridge_err *err)
{
    ridge_changes *last = *count ? &variants[*count - 1] : NULL;
    if (last && joined && has_option(last, c.option))
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("against") ": '%s' is given twice in one variant", c.option->name);
    if (!last || has_option(last, c.option))
        last = &variants[(*count)++];
    if (last->count == RIDGE_CHANGES)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("against") ": more than %d changes in one variant", RIDGE_CHANGES);
    last->items[last->count++] = c;
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
    const ridge_option_places places = {.request = r};
    if (has_option(changes, option_of(RIDGE_STR("phase"))) || has_option(changes, option_of(RIDGE_STR("prompt"))))
        forget_lengths(r);
    for (size_t i = 0; i < changes->count; i++) {
        const ridge_change *c = &changes->items[i];
        void *at = NULL;
        (void)ridge_options_find(&at, &places, ridge_predict_tables, ridge_str_of(c->option->name));
        ridge_status st = ridge_option_store(at, c->option, c->value, arena, err);
        if (st)
            return st;
    }
    return ridge_predict_request_check(r, err);
}

const char *ridge_changes_text(const ridge_changes *changes, ridge_arena *arena)
{
    const char *text = "";
    for (size_t i = 0; i < changes->count && text; i++)
        text = ridge_arena_printf(arena, "%s%s%s=%s", text, i ? ", " : "", changes->items[i].option->name, changes->items[i].value);
    return text;
}

/* option names as JSON has them: lm_head */
static void write_key(ridge_json_writer *w, const char *name)
{
    char key[64];
    size_t n = 0;
    for (; name[n] != '\0' && n + 1 < sizeof key; n++)
        key[n] = name[n] == '-' ? '_' : name[n];
    key[n] = '\0';
    ridge_jw_key(w, key);
}

void ridge_changes_json(ridge_json_writer *w, const ridge_changes *changes)
{
    ridge_jw_object_compact(w);
    for (size_t i = 0; i < changes->count; i++) {
        write_key(w, changes->items[i].option->name);
        if (changes->items[i].option->kind == RIDGE_OPTION_INT)
            ridge_jw_raw(w, ridge_str_of(changes->items[i].value));
        else
            ridge_jw_strz(w, changes->items[i].value);
    }
    ridge_jw_end_object(w);
}
