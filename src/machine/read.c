#include "machine/read.h"

#include "machine/values.h"

/* ---- numbers ---- */

static ridge_status read_field(const ridge_reader *r, const ridge_json *v, size_t field)
{
    ridge_machine_draft *d = r->draft;
    const char *name = ridge_fields[field].name;
    d->source[field] = NULL;
    d->unverified[field] = false;
    d->given[field] = v->type != RIDGE_JSON_NULL;
    if (ridge_fields[field].unit == RIDGE_MACHINE_UNIT_SECONDS)
        return ridge_read_seconds(r, &d->seconds[field], v, name);
    return ridge_read_whole(r, &d->whole[field], v, name, ridge_fields[field].unit);
}

/* ---- peaks, memory, links ---- */

static ridge_status read_peaks(const ridge_reader *r, const ridge_json *v, size_t unused)
{
    (void)unused;
    ridge_status st = v->type == RIDGE_JSON_OBJECT ? RIDGE_OK : ridge_read_wrong_type(r, v, "peak_flops_per_s", "an object");
    for (uint32_t i = 0; !st && i < v->count; i++) {
        const ridge_json_member *m = &v->u.members[i];
        ridge_precision p = ridge_precision_find(m->key);
        st = p == RIDGE_PRECISION_COUNT ? ridge_read_unknown_key(r, m, "\"peak_flops_per_s\"", ridge_precision_names, RIDGE_PRECISION_COUNT)
                                        : read_field(r, &m->value, RIDGE_FIELD_PEAK + (size_t)p);
    }
    return st;
}

/* What memory levels and links have in common: a list of objects, each named by one of its keys, no name twice. */
typedef struct part_kind {
    const char *list, *key, *where; /* "memory", "level", "a memory level" */
    const char *const *names;
    size_t count;
    const char *text;       /* key of the level's type, of the link's name */
    const char *numbers[2]; /* keys of its two fields */
    size_t first;           /* field of the first number of the first name */
} part_kind;

static const part_kind memory_parts = {
    "memory",           "level", "a memory level", ridge_level_names, RIDGE_LEVEL_COUNT, "type", {"bytes_per_s", "capacity_bytes"},
    RIDGE_FIELD_MEMORY,
};
static const part_kind link_parts = {
    "links", "kind", "a link", ridge_link_kind_names, RIDGE_LINK_COUNT, "name", {"bytes_per_s", "latency_s"}, RIDGE_FIELD_LINK,
};

static ridge_status read_part_member(const ridge_reader *r, const part_kind *kind, size_t which, const ridge_json_member *m,
                                     const char **text)
{
    const char *const keys[] = {kind->key, kind->text, kind->numbers[0], kind->numbers[1]};
    if (ridge_str_is(m->key, kind->key))
        return RIDGE_OK;
    if (ridge_str_is(m->key, kind->text))
        return ridge_read_text(r, text, &m->value, kind->text);
    for (size_t n = 0; n < 2; n++)
        if (ridge_str_is(m->key, kind->numbers[n]))
            return read_field(r, &m->value, kind->first + 2 * which + n);
    return ridge_read_unknown_key(r, m, kind->where, keys, sizeof keys / sizeof *keys);
}

static ridge_status read_part(const ridge_reader *r, const part_kind *kind, const ridge_json *v, bool *seen, bool *has, const char **texts)
{
    size_t which;
    if (v->type != RIDGE_JSON_OBJECT)
        return ridge_read_wrong_type(r, v, kind->list, "a list of objects");
    const ridge_json *name = ridge_json_get(v, kind->key);
    if (!name)
        return ridge_read_fail(r, RIDGE_VALUE, v, "%s needs \"%s\"", kind->where, kind->key);
    ridge_status st = ridge_read_word(r, &which, name, kind->key, kind->names, kind->count);
    if (st)
        return st;
    if (seen[which])
        return ridge_read_fail(r, RIDGE_NAME, name, "\"%s\" stands twice in \"%s\"", kind->names[which], kind->list);
    seen[which] = has[which] = true;
    for (uint32_t i = 0; !st && i < v->count; i++)
        st = read_part_member(r, kind, which, &v->u.members[i], &texts[which]);
    return st;
}

static void forget_parts(const ridge_reader *r, const part_kind *kind, bool *has, const char **texts)
{
    static const ridge_json null = {.type = RIDGE_JSON_NULL};
    for (size_t i = 0; i < kind->count; i++) {
        has[i] = false;
        texts[i] = NULL;
        (void)read_field(r, &null, kind->first + 2 * i);
        (void)read_field(r, &null, kind->first + 2 * i + 1);
    }
}

/* null: none, not even the inherited ones */
static ridge_status read_parts(const ridge_reader *r, const part_kind *kind, const ridge_json *v, bool *has, const char **texts)
{
    bool seen[RIDGE_LEVEL_COUNT + RIDGE_LINK_COUNT] = {0};
    ridge_status st = RIDGE_OK;
    if (v->type == RIDGE_JSON_NULL)
        forget_parts(r, kind, has, texts);
    else if (v->type != RIDGE_JSON_ARRAY)
        st = ridge_read_wrong_type(r, v, kind->list, "a list of objects");
    for (uint32_t i = 0; v->type == RIDGE_JSON_ARRAY && !st && i < v->count; i++)
        st = read_part(r, kind, &v->u.items[i], seen, has, texts);
    return st;
}

static ridge_status read_memory(const ridge_reader *r, const ridge_json *v, size_t unused)
{
    (void)unused;
    return read_parts(r, &memory_parts, v, r->draft->has_level, r->draft->level_type);
}

static ridge_status read_links(const ridge_reader *r, const ridge_json *v, size_t unused)
{
    (void)unused;
    return read_parts(r, &link_parts, v, r->draft->has_link, r->draft->link_name);
}

/* ---- achieved, notes ---- */

static ridge_status read_achieved_flops(const ridge_reader *r, const ridge_json *v)
{
    ridge_status st = v->type == RIDGE_JSON_OBJECT ? RIDGE_OK : ridge_read_wrong_type(r, v, "flops_per_s", "an object");
    for (uint32_t i = 0; !st && i < v->count; i++) {
        const ridge_json_member *m = &v->u.members[i];
        ridge_precision p = ridge_precision_find(m->key);
        if (p == RIDGE_PRECISION_COUNT)
            return ridge_read_unknown_key(r, m, "\"flops_per_s\"", ridge_precision_names, RIDGE_PRECISION_COUNT);
        st = ridge_read_whole(r, &r->draft->achieved.flops_per_s[p], &m->value, ridge_precision_names[p], RIDGE_MACHINE_UNIT_FLOPS_PER_S);
    }
    return st;
}

static ridge_status read_achieved(const ridge_reader *r, const ridge_json *v, size_t unused)
{
    static const char *const keys[] = {"flops_per_s", "bytes_per_s", "source"};
    (void)unused;
    if (v->type == RIDGE_JSON_NULL)
        return RIDGE_OK;
    ridge_status st = v->type == RIDGE_JSON_OBJECT ? RIDGE_OK : ridge_read_wrong_type(r, v, "achieved", "an object or null");
    for (uint32_t i = 0; !st && i < v->count; i++) {
        const ridge_json_member *m = &v->u.members[i];
        if (ridge_str_is(m->key, keys[0]))
            st = read_achieved_flops(r, &m->value);
        else if (ridge_str_is(m->key, keys[1]))
            st = ridge_read_whole(r, &r->draft->achieved.bytes_per_s, &m->value, keys[1], RIDGE_MACHINE_UNIT_BYTES_PER_S);
        else if (ridge_str_is(m->key, keys[2]))
            st = ridge_read_text(r, &r->draft->achieved.source, &m->value, keys[2]);
        else
            st = ridge_read_unknown_key(r, m, "\"achieved\"", keys, sizeof keys / sizeof *keys);
    }
    if (!st && !r->draft->achieved.source)
        st = ridge_read_fail(r, RIDGE_VALUE, v, "\"achieved\" needs \"source\": who reached it, with what");
    return st;
}

static ridge_status read_notes(const ridge_reader *r, const ridge_json *v, size_t unused)
{
    ridge_machine_draft *d = r->draft;
    (void)unused;
    if (v->type != RIDGE_JSON_ARRAY)
        return ridge_read_wrong_type(r, v, "notes", "a list of strings");
    if (!(d->notes = ridge_arena_array(r->arena, v->count, sizeof *d->notes)) && v->count > 0)
        return ridge_read_no_memory(r);
    for (uint32_t i = 0; i < v->count; i++) {
        ridge_status st = v->u.items[i].type == RIDGE_JSON_STRING ? ridge_read_text(r, &d->notes[i], &v->u.items[i], "notes")
                                                                  : ridge_read_wrong_type(r, &v->u.items[i], "notes", "a string");
        if (st)
            return st;
        d->note_count = i + 1;
    }
    return RIDGE_OK;
}

/* ---- sources, marks: of the numbers read before ---- */

static const char *nearest_field(ridge_str name)
{
    ridge_nearest near = {0};
    for (size_t f = 0; f < RIDGE_FIELD_COUNT; f++)
        ridge_nearest_offer(&near, name, ridge_fields[f].name);
    return near.best;
}

#define UNKNOWN_FIELD "\"%.*s\" is no number of a machine%s%s%s"
#define UNKNOWN_FIELD_ARGS(name, near)                                                                                                     \
    (name).n > 60 ? 60 : (int)(name).n, (name).p, (near) ? "; did you mean \"" : "", (near) ? (near) : "", (near) != NULL ? "\"?" : ""

static bool names_a_field(ridge_str name)
{
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT; f++)
        if (ridge_field_in(f, name))
            return true;
    return false;
}

static bool is_known(const ridge_machine_draft *d, ridge_machine_field f)
{
    return ridge_fields[f].unit == RIDGE_MACHINE_UNIT_SECONDS ? d->seconds[f] >= 0 : d->whole[f] != RIDGE_MACHINE_UNKNOWN;
}

/* "*" and groups ("memory") speak for the numbers of this file, a field's own name for an inherited one too; the longest name wins */
static void add_source(ridge_machine_draft *d, size_t *lengths, ridge_str name, const char *text)
{
    bool all = ridge_str_is(name, "*");
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT; f++) {
        bool own = ridge_str_is(name, ridge_fields[f].name);
        if ((own || (d->given[f] && (all || ridge_field_in(f, name)))) && name.n >= lengths[f] && is_known(d, f)) {
            d->source[f] = text;
            lengths[f] = name.n;
        }
    }
}

static ridge_status read_sources(const ridge_reader *r, const ridge_json *v, size_t unused)
{
    size_t lengths[RIDGE_FIELD_COUNT] = {0};
    (void)unused;
    ridge_status st = v->type == RIDGE_JSON_OBJECT ? RIDGE_OK : ridge_read_wrong_type(r, v, "sources", "an object");
    for (uint32_t i = 0; !st && i < v->count; i++) {
        const ridge_json_member *m = &v->u.members[i];
        const char *text;
        if (!ridge_str_is(m->key, "*") && !names_a_field(m->key)) {
            const char *near = nearest_field(m->key);
            return ridge_read_fail_key(r, m, UNKNOWN_FIELD, UNKNOWN_FIELD_ARGS(m->key, near));
        }
        st = m->value.type == RIDGE_JSON_STRING ? ridge_read_text(r, &text, &m->value, "sources")
                                                : ridge_read_wrong_type(r, &m->value, "sources", "a string");
        if (!st)
            add_source(r->draft, lengths, m->key, text);
    }
    return st;
}

static ridge_status mark_unverified(const ridge_reader *r, const ridge_json *v)
{
    ridge_machine_draft *d = r->draft;
    bool found = false;
    if (v->type != RIDGE_JSON_STRING)
        return ridge_read_wrong_type(r, v, "unverified", "names of numbers");
    if (!names_a_field(v->u.text)) {
        const char *near = nearest_field(v->u.text);
        return ridge_read_fail(r, RIDGE_NAME, v, UNKNOWN_FIELD, UNKNOWN_FIELD_ARGS(v->u.text, near));
    }
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT; f++)
        if (ridge_field_in(f, v->u.text) && is_known(d, f))
            d->unverified[f] = found = true;
    return found ? RIDGE_OK : ridge_read_fail(r, RIDGE_VALUE, v, "\"unverified\" names a number that the machine does not give");
}

static ridge_status read_unverified(const ridge_reader *r, const ridge_json *v, size_t unused)
{
    (void)unused;
    ridge_status st = v->type == RIDGE_JSON_ARRAY ? RIDGE_OK : ridge_read_wrong_type(r, v, "unverified", "a list of names");
    for (uint32_t i = 0; !st && i < v->count; i++)
        st = mark_unverified(r, &v->u.items[i]);
    return st;
}

/* ---- the file ---- */

static ridge_status read_id(const ridge_reader *r, const ridge_json *v, size_t unused)
{
    const char *id;
    (void)unused;
    ridge_status st = ridge_read_text(r, &id, v, "id");
    if (!st && (!id || strcmp(id, r->draft->id) != 0))
        st = ridge_read_fail(r, RIDGE_NAME, v, "the id is not the file's name: expected \"%s\"", r->draft->id);
    return st;
}

static ridge_status read_kind(const ridge_reader *r, const ridge_json *v, size_t unused)
{
    size_t which, count = 0;
    (void)unused;
    while (ridge_machine_kinds[count])
        count++;
    ridge_status st = ridge_read_word(r, &which, v, "kind", ridge_machine_kinds, count);
    if (!st)
        r->draft->kind = ridge_machine_kinds[which];
    return st;
}

static ridge_status read_year(const ridge_reader *r, const ridge_json *v, size_t unused)
{
    (void)unused;
    ridge_status st = ridge_read_whole(r, &r->draft->year, v, "year", RIDGE_MACHINE_UNIT_COUNT);
    if (!st && r->draft->year != RIDGE_MACHINE_UNKNOWN && (r->draft->year < 1950 || r->draft->year > 2100))
        st = ridge_read_fail(r, RIDGE_VALUE, v, "\"year\" is the year the machine came out, 1950 to 2100");
    return st;
}

static ridge_status read_name(const ridge_reader *r, const ridge_json *v, size_t unused)
{
    (void)unused;
    return ridge_read_text(r, &r->draft->name, v, "name");
}

static ridge_status read_vendor(const ridge_reader *r, const ridge_json *v, size_t unused)
{
    (void)unused;
    return ridge_read_text(r, &r->draft->vendor, v, "vendor");
}

static ridge_status read_arch(const ridge_reader *r, const ridge_json *v, size_t unused)
{
    (void)unused;
    return ridge_read_text(r, &r->draft->arch, v, "arch");
}

/* ridge_machine_inherits read it */
static ridge_status skip(const ridge_reader *r, const ridge_json *v, size_t unused)
{
    (void)r, (void)v, (void)unused;
    return RIDGE_OK;
}

typedef struct key {
    const char *name;
    ridge_status (*read)(const ridge_reader *r, const ridge_json *v, size_t field);
    size_t field;
} key;

enum { KEYS_OF_NUMBERS = 2 }; /* the last keys speak of the numbers: read after them */
static const key keys[] = {
    {"id", read_id, 0},
    {"name", read_name, 0},
    {"vendor", read_vendor, 0},
    {"kind", read_kind, 0},
    {"arch", read_arch, 0},
    {"year", read_year, 0},
    {"inherits", skip, 0},
    {"peak_flops_per_s", read_peaks, 0},
    {"memory", read_memory, 0},
    {"links", read_links, 0},
    {"compute_units", read_field, RIDGE_FIELD_COMPUTE_UNITS},
    {"shared_bytes", read_field, RIDGE_FIELD_SHARED_BYTES},
    {"clock_hz", read_field, RIDGE_FIELD_CLOCK_HZ},
    {"power_w", read_field, RIDGE_FIELD_POWER_W},
    {"launch_overhead_s", read_field, RIDGE_FIELD_LAUNCH_OVERHEAD_S},
    {"achieved", read_achieved, 0},
    {"notes", read_notes, 0},
    {"sources", read_sources, 0},
    {"unverified", read_unverified, 0},
};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

static ridge_status check_keys(const ridge_reader *r, const ridge_json *json)
{
    const char *names[KEY_COUNT];
    for (size_t k = 0; k < KEY_COUNT; k++)
        names[k] = keys[k].name;
    for (uint32_t i = 0; i < json->count; i++) {
        size_t k = 0;
        while (k < KEY_COUNT && !ridge_str_is(json->u.members[i].key, names[k]))
            k++;
        if (k == KEY_COUNT)
            return ridge_read_unknown_key(r, &json->u.members[i], "a machine", names, KEY_COUNT);
    }
    return RIDGE_OK;
}

static ridge_status check_required(const ridge_reader *r, const ridge_json *json)
{
    const ridge_machine_draft *d = r->draft;
    const char *missing = !ridge_json_get(json, "id")       ? "\"id\""
                          : !d->name                        ? "\"name\""
                          : !d->kind                        ? "\"kind\""
                          : !d->has_level[RIDGE_LEVEL_DRAM] ? "the memory level \"dram\""
                                                            : NULL;
    ridge_json at = *json;
    at.end = at.begin + 1;
    return !missing ? RIDGE_OK : ridge_read_fail(r, RIDGE_VALUE, &at, "a machine needs %s", missing);
}

static void forget_achieved(ridge_machine_achieved *achieved)
{
    *achieved = (ridge_machine_achieved){.bytes_per_s = RIDGE_MACHINE_UNKNOWN};
    for (size_t p = 0; p < RIDGE_PRECISION_COUNT; p++)
        achieved->flops_per_s[p] = RIDGE_MACHINE_UNKNOWN;
}

void ridge_machine_draft_init(ridge_machine_draft *draft)
{
    *draft = (ridge_machine_draft){.year = RIDGE_MACHINE_UNKNOWN};
    for (size_t f = 0; f < RIDGE_FIELD_COUNT; f++) {
        draft->whole[f] = RIDGE_MACHINE_UNKNOWN;
        draft->seconds[f] = RIDGE_MACHINE_UNKNOWN;
    }
    forget_achieved(&draft->achieved);
}

ridge_status ridge_machine_parse(ridge_json **out, ridge_str text, const char *file, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = ridge_json_parse(out, text, file, (ridge_json_options){.unique_keys = true}, arena, err);
    if (!st && (*out)->type != RIDGE_JSON_OBJECT)
        st = ridge_machine_fail(err, RIDGE_TYPE, *out, text, file, "a machine is an object, found %s", ridge_json_type_name((*out)->type));
    return st;
}

ridge_status ridge_machine_inherits(const ridge_json **out, const ridge_json *json, ridge_str text, const char *file, ridge_err *err)
{
    const ridge_json *v = ridge_json_get(json, "inherits");
    *out = v && v->type != RIDGE_JSON_NULL ? v : NULL;
    if (*out && v->type != RIDGE_JSON_STRING)
        return ridge_machine_fail(err, RIDGE_TYPE, v, text, file, "\"inherits\": expected the id of a machine, found %s",
                                  ridge_json_type_name(v->type));
    return RIDGE_OK;
}

ridge_status ridge_machine_read(ridge_machine_draft *draft, const ridge_json *json, ridge_str text, const char *file, const char *id,
                                ridge_arena *arena, ridge_err *err)
{
    ridge_reader r = {draft, text, file, arena, err};
    const ridge_json *inherits;
    ridge_status st = ridge_machine_inherits(&inherits, json, text, file, err);
    if (!st)
        st = check_keys(&r, json);
    draft->id = id;
    draft->inherits = NULL;
    draft->notes = NULL;
    draft->note_count = 0;
    forget_achieved(&draft->achieved);
    memset(draft->given, 0, sizeof draft->given);
    if (!st && inherits)
        st = ridge_read_text(&r, &draft->inherits, inherits, "inherits");
    for (size_t k = 0; !st && k < KEY_COUNT; k++) {
        const ridge_json *v = ridge_json_get(json, keys[k].name);
        if (v)
            st = keys[k].read(&r, v, keys[k].field);
    }
    return st ? st : check_required(&r, json);
}

/* ---- the machine ---- */

static void finish_levels(ridge_machine *m, const ridge_machine_draft *d)
{
    for (size_t i = 0; i < RIDGE_LEVEL_COUNT; i++) {
        const int64_t *numbers = d->whole + RIDGE_FIELD_MEMORY + 2 * i;
        bool empty = !d->level_type[i] && numbers[0] == RIDGE_MACHINE_UNKNOWN && numbers[1] == RIDGE_MACHINE_UNKNOWN;
        if (d->has_level[i] && (!empty || i == RIDGE_LEVEL_DRAM))
            m->levels[m->level_count++] = (ridge_machine_level){ridge_level_names[i], d->level_type[i], numbers[0], numbers[1]};
    }
}

static void finish_links(ridge_machine *m, const ridge_machine_draft *d)
{
    for (size_t i = 0; i < RIDGE_LINK_COUNT; i++) {
        size_t f = RIDGE_FIELD_LINK + 2 * i;
        bool empty = !d->link_name[i] && d->whole[f] == RIDGE_MACHINE_UNKNOWN && d->seconds[f + 1] < 0;
        if (d->has_link[i] && !empty)
            m->links[m->link_count++] = (ridge_machine_link){(ridge_link_kind)i, d->link_name[i], d->whole[f], d->seconds[f + 1]};
    }
}

static bool finish_sources(ridge_machine *m, const ridge_machine_draft *d, ridge_arena *arena)
{
    m->sources = ridge_arena_array(arena, RIDGE_FIELD_COUNT, sizeof *m->sources);
    m->unverified = ridge_arena_array(arena, RIDGE_FIELD_COUNT, sizeof *m->unverified);
    if (!m->sources || !m->unverified)
        return false;
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT; f++) {
        if (is_known(d, f) && d->source[f])
            m->sources[m->source_count++] = (ridge_machine_source){ridge_fields[f].name, d->source[f]};
        if (is_known(d, f) && d->unverified[f])
            m->unverified[m->unverified_count++] = ridge_fields[f].name;
    }
    return true;
}

ridge_status ridge_machine_finish(ridge_machine **out, const ridge_machine_draft *d, const char *file, ridge_arena *arena, ridge_err *err)
{
    ridge_machine *m = *out = ridge_arena_alloc(arena, sizeof *m);
    if (!m || !finish_sources(m, d, arena))
        return ridge_no_memory(err);
    m->id = d->id;
    m->name = d->name;
    m->vendor = d->vendor;
    m->kind = d->kind;
    m->arch = d->arch;
    m->inherits = d->inherits;
    m->file = file;
    m->year = d->year;
    memcpy(m->peak_flops_per_s, d->whole + RIDGE_FIELD_PEAK, sizeof m->peak_flops_per_s);
    finish_levels(m, d);
    finish_links(m, d);
    m->compute_units = d->whole[RIDGE_FIELD_COMPUTE_UNITS];
    m->shared_bytes = d->whole[RIDGE_FIELD_SHARED_BYTES];
    m->clock_hz = d->whole[RIDGE_FIELD_CLOCK_HZ];
    m->power_w = d->whole[RIDGE_FIELD_POWER_W];
    m->launch_overhead_s = d->seconds[RIDGE_FIELD_LAUNCH_OVERHEAD_S];
    m->achieved = d->achieved;
    m->notes = d->notes;
    m->note_count = d->note_count;
    return RIDGE_OK;
}
