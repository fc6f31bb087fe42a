#include "machine/read.h"

#include <stdio.h>

#include "machine/records.h"
#include "machine/values.h"

/* ---- numbers ---- */

static ridge_status read_number(const ridge_reader *r, void *out, const ridge_json *v, const ridge_record_field *field)
{
    return field->kind == RIDGE_RECORD_REAL ? ridge_read_seconds(r, out, v, field->key)
                                            : ridge_read_whole(r, out, v, field->key, field->unit);
}

static ridge_status read_field(const ridge_reader *r, const ridge_json *v, ridge_machine_field field)
{
    ridge_machine_draft *d = r->draft;
    const ridge_record_field *f = &ridge_machine_fields[field];
    d->source[field] = NULL;
    d->unverified[field] = false;
    d->given[field] = v->type != RIDGE_JSON_NULL;
    if (d->given[field] && field < RIDGE_PRECISION_COUNT) /* peaks are the first fields: it has units for it after all */
        d->machine.lacks[field - RIDGE_FIELD_PEAK] = false;
    return read_number(r, (char *)&d->machine + f->offset, v, f);
}

static bool is_known(const ridge_machine_draft *d, ridge_machine_field field)
{
    return ridge_field_of_spread(&d->machine, field).known;
}

/* ---- objects ---- */

/* the field of a record that a key names; *number: how many numbers are before it */
static ridge_status find_key(const ridge_record_field **out, ridge_machine_field *number, const ridge_reader *r, const ridge_json_member *m,
                             const ridge_record *record, const char *where)
{
    ridge_nearest near = {0};
    *number = 0;
    for (*out = record->fields; *out < ridge_record_end(record); ++*out) {
        if (ridge_str_is(m->key, (*out)->key))
            return RIDGE_OK;
        *number += (*out)->kind == RIDGE_RECORD_WHOLE || (*out)->kind == RIDGE_RECORD_REAL;
        ridge_nearest_offer(&near, m->key, (*out)->key);
    }
    return ridge_read_unknown_key(r, m, where, near.best);
}

/* An object into the struct that its record describes. Its numbers are fields, `first` the first of them; RIDGE_FIELD_COUNT: they are none.
 */
static ridge_status read_object(const ridge_reader *r, const ridge_json *v, const ridge_record *record, const char *where, void *at,
                                ridge_machine_field first)
{
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; !st && i < v->count; i++) {
        const ridge_json_member *m = &v->u.members[i];
        const ridge_record_field *f;
        ridge_machine_field number;
        if ((st = find_key(&f, &number, r, m, record, where)))
            return st;
        void *out = (char *)at + f->offset;
        char inside[64];
        (void)snprintf(inside, sizeof inside, "\"%s\"", f->key);
        if (f->kind == RIDGE_RECORD_TEXT)
            st = ridge_read_text(r, out, &m->value, f->key);
        else if (f->kind == RIDGE_RECORD_IN && !(st = ridge_read_type(r, &m->value, RIDGE_JSON_OBJECT, f->key, "an object")))
            st = read_object(r, &m->value, f->record, inside, out, first);
        else if (f->kind == RIDGE_RECORD_WHOLE || f->kind == RIDGE_RECORD_REAL) /* a word is the object's name, and was read */
            st = first < RIDGE_FIELD_COUNT ? read_field(r, &m->value, first + number) : read_number(r, out, &m->value, f);
    }
    return st;
}

static ridge_status read_peaks(const ridge_reader *r, const ridge_json *v)
{
    ridge_status st = ridge_read_type(r, v, RIDGE_JSON_OBJECT, "peak_flops_per_s", "an object");
    return st ? st : read_object(r, v, &ridge_rates_record, "\"peak_flops_per_s\"", r->draft->machine.peak_flops_per_s, RIDGE_FIELD_PEAK);
}

/* after the peaks; null: it lacks none, or nobody says */
static ridge_status read_lacks(const ridge_reader *r, const ridge_json *v)
{
    ridge_machine_draft *d = r->draft;
    memset(d->machine.lacks, 0, sizeof d->machine.lacks);
    if (v->type == RIDGE_JSON_NULL)
        return RIDGE_OK;
    ridge_status st = ridge_read_type(r, v, RIDGE_JSON_ARRAY, "lacks", "a list of precisions");
    for (uint32_t i = 0; !st && i < v->count; i++) {
        size_t p;
        if ((st = ridge_read_word(r, &p, &v->u.items[i], "lacks", ridge_precision_names)))
            return st;
        if (is_known(d, RIDGE_FIELD_PEAK + (ridge_machine_field)p))
            return ridge_read_fail(r, RIDGE_VALUE, &v->u.items[i], "\"lacks\" names %s, of which the machine has a peak",
                                   ridge_precision_names[p]);
        d->machine.lacks[p] = true;
    }
    return st;
}

static ridge_status read_achieved(const ridge_reader *r, const ridge_json *v)
{
    ridge_machine_achieved *a = &r->draft->machine.achieved;
    if (v->type == RIDGE_JSON_NULL)
        return RIDGE_OK;
    ridge_status st = ridge_read_type(r, v, RIDGE_JSON_OBJECT, "achieved", "an object or null");
    if (!st)
        st = read_object(r, v, &ridge_achieved_record, "\"achieved\"", a, RIDGE_FIELD_COUNT);
    if (!st && !a->source)
        st = ridge_read_fail(r, RIDGE_VALUE, v, "\"achieved\" needs \"source\": who reached it, with what");
    return st;
}

/* ---- memory, links ---- */

/* What memory levels and links have in common: a list of objects, each named by one of its keys, no name twice. */
typedef struct machine_part_kind {
    const char *list, *where;   /* "memory", "a memory level" */
    const ridge_record *record; /* the first of its fields is its name */
    const char *const *names;
    size_t count, offset; /* of them in a machine */
    ridge_machine_field first;
} machine_part_kind;

static const machine_part_kind memory_parts = {
    .list = "memory",
    .where = "a memory level",
    .record = &ridge_level_record,
    .names = ridge_level_names,
    .count = RIDGE_LEVEL_COUNT,
    .offset = offsetof(ridge_machine, levels),
    .first = RIDGE_FIELD_MEMORY,
};
static const machine_part_kind link_parts = {
    .list = "links",
    .where = "a link",
    .record = &ridge_link_record,
    .names = ridge_link_kind_names,
    .count = RIDGE_LINK_COUNT,
    .offset = offsetof(ridge_machine, links),
    .first = RIDGE_FIELD_LINK,
};

static char *part_at(const ridge_reader *r, const machine_part_kind *kind, size_t which)
{
    return (char *)&r->draft->machine + kind->offset + which * kind->record->size;
}

static ridge_status read_part(const ridge_reader *r, const machine_part_kind *kind, const ridge_json *v, bool *seen)
{
    size_t which;
    const char *key = kind->record->fields[0].key;
    ridge_status st = ridge_read_type(r, v, RIDGE_JSON_OBJECT, kind->list, "a list of objects");
    const ridge_json *name = !st ? ridge_json_get(v, key) : NULL;
    if (!st && !name)
        st = ridge_read_fail(r, RIDGE_VALUE, v, "%s needs \"%s\"", kind->where, key);
    if (st || (st = ridge_read_word(r, &which, name, key, kind->names)))
        return st;
    if (seen[which])
        return ridge_read_fail(r, RIDGE_NAME, name, "\"%s\" stands twice in \"%s\"", kind->names[which], kind->list);
    seen[which] = true;
    return read_object(r, v, kind->record, kind->where, part_at(r, kind, which), kind->first + 2 * (ridge_machine_field)which);
}

static void forget_parts(const ridge_reader *r, const machine_part_kind *kind)
{
    static const ridge_json null = {.type = RIDGE_JSON_NULL};
    memset(part_at(r, kind, 0), 0, kind->count * kind->record->size);
    for (ridge_machine_field f = 0; f < 2 * kind->count; f++)
        (void)read_field(r, &null, kind->first + f);
}

/* null: none, not even the inherited ones */
static ridge_status read_parts(const ridge_reader *r, const machine_part_kind *kind, const ridge_json *v)
{
    bool seen[RIDGE_LEVEL_COUNT + RIDGE_LINK_COUNT] = {0};
    if (v->type == RIDGE_JSON_NULL) {
        forget_parts(r, kind);
        return RIDGE_OK;
    }
    ridge_status st = ridge_read_type(r, v, RIDGE_JSON_ARRAY, kind->list, "a list of objects");
    for (uint32_t i = 0; !st && i < v->count; i++)
        st = read_part(r, kind, &v->u.items[i], seen);
    return st;
}

static ridge_status read_memory(const ridge_reader *r, const ridge_json *v)
{
    return read_parts(r, &memory_parts, v);
}

static ridge_status read_links(const ridge_reader *r, const ridge_json *v)
{
    return read_parts(r, &link_parts, v);
}

/* ---- notes ---- */

static ridge_status read_notes(const ridge_reader *r, const ridge_json *v)
{
    ridge_machine *m = &r->draft->machine;
    ridge_status st = ridge_read_type(r, v, RIDGE_JSON_ARRAY, "notes", "a list of strings");
    if (!st && !(m->notes = ridge_arena_array(r->arena, (size_t)v->count + 1, sizeof *m->notes)))
        st = ridge_no_memory(r->err);
    for (uint32_t i = 0; !st && i < v->count; i++) {
        const ridge_json *note = &v->u.items[i];
        if (!(st = ridge_read_type(r, note, RIDGE_JSON_STRING, "notes", "a string")) &&
            !(st = ridge_read_text(r, &m->notes[i], note, "notes")))
            m->note_count = i + 1;
    }
    return st;
}

/* ---- sources, marks: of the numbers read before ---- */

/* does it name a number or a group of them? */
static bool names_a_field(ridge_str name)
{
    ridge_machine_field f = 0;
    while (f < RIDGE_FIELD_COUNT && !ridge_field_in(f, name))
        f++;
    return f < RIDGE_FIELD_COUNT;
}

static ridge_status fail_field_name(const ridge_reader *r, const ridge_json *at, ridge_str name)
{
    ridge_nearest near = {0};
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT; f++)
        ridge_nearest_offer(&near, name, ridge_machine_fields[f].key);
    return ridge_read_fail(r, RIDGE_NAME, at, "\"%.*s\" is no number of a machine%s%s%s", name.n > 60 ? 60 : (int)name.n, name.p,
                           near.best ? "; did you mean \"" : "", near.best ? near.best : "", near.best ? "\"?" : "");
}

/* "*" and groups ("memory") speak for the numbers of this file, a field's own name for an inherited one too; the longest name wins */
static void add_source(ridge_machine_draft *d, size_t *lengths, ridge_str name, const char *text)
{
    bool all = ridge_str_is(name, "*");
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT; f++) {
        bool own = ridge_str_is(name, ridge_machine_fields[f].key);
        if ((own || (d->given[f] && (all || ridge_field_in(f, name)))) && name.n >= lengths[f] && is_known(d, f)) {
            d->source[f] = text;
            lengths[f] = name.n;
        }
    }
}

static ridge_status read_sources(const ridge_reader *r, const ridge_json *v)
{
    size_t lengths[RIDGE_FIELD_COUNT] = {0};
    ridge_status st = ridge_read_type(r, v, RIDGE_JSON_OBJECT, "sources", "an object");
    for (uint32_t i = 0; !st && i < v->count; i++) {
        const ridge_json_member *m = &v->u.members[i];
        const char *text;
        if (!ridge_str_is(m->key, "*") && !names_a_field(m->key)) {
            ridge_json key = ridge_read_key(r, m);
            return fail_field_name(r, &key, m->key);
        }
        if (!(st = ridge_read_type(r, &m->value, RIDGE_JSON_STRING, "sources", "a string")) &&
            !(st = ridge_read_text(r, &text, &m->value, "sources")))
            add_source(r->draft, lengths, m->key, text);
    }
    return st;
}

static ridge_status mark_unverified(const ridge_reader *r, const ridge_json *v)
{
    ridge_machine_draft *d = r->draft;
    bool found = false;
    ridge_status st = ridge_read_type(r, v, RIDGE_JSON_STRING, "unverified", "names of numbers");
    if (st)
        return st;
    if (!names_a_field(v->u.text))
        return fail_field_name(r, v, v->u.text);
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT; f++)
        if (ridge_field_in(f, v->u.text) && is_known(d, f))
            d->unverified[f] = found = true;
    return found ? RIDGE_OK : ridge_read_fail(r, RIDGE_VALUE, v, "\"unverified\" names a number that the machine does not give");
}

static ridge_status read_unverified(const ridge_reader *r, const ridge_json *v)
{
    ridge_status st = ridge_read_type(r, v, RIDGE_JSON_ARRAY, "unverified", "a list of names");
    for (uint32_t i = 0; !st && i < v->count; i++)
        st = mark_unverified(r, &v->u.items[i]);
    return st;
}

/* ---- the file ---- */

static ridge_status read_id(const ridge_reader *r, const ridge_json *v)
{
    const char *id, *wanted = r->draft->machine.id;
    ridge_status st = ridge_read_text(r, &id, v, "id");
    if (!st && (!id || strcmp(id, wanted) != 0))
        st = ridge_read_fail(r, RIDGE_NAME, v, "the id is not the file's name: expected \"%s\"", wanted);
    return st;
}

static ridge_status read_kind(const ridge_reader *r, const ridge_json *v)
{
    const char *const *kinds = ridge_machine_kinds + 1;
    size_t which;
    ridge_status st = ridge_read_word(r, &which, v, "kind", kinds);
    if (!st)
        r->draft->machine.kind = kinds[which];
    return st;
}

static ridge_status read_year(const ridge_reader *r, const ridge_json *v)
{
    int64_t *year = &r->draft->machine.year;
    ridge_status st = ridge_read_whole(r, year, v, "year", RIDGE_UNIT_NONE);
    if (!st && *year != RIDGE_MACHINE_UNKNOWN && (*year < 1950 || *year > 2100))
        st = ridge_read_fail(r, RIDGE_VALUE, v, "\"year\" is the year the machine came out, 1950 to 2100");
    return st;
}

/* ridge_machine_inherits read it */
static ridge_status skip(const ridge_reader *r, const ridge_json *v)
{
    (void)r, (void)v;
    return RIDGE_OK;
}

typedef struct key {
    const char *name;
    ridge_status (*read)(const ridge_reader *r, const ridge_json *v); /* NULL: it is a text, or a number of the list */
    size_t text;                                                      /* offset in the machine */
} key;

/* in the order they are read in: the last two speak of the numbers before */
static const key keys[] = {
    {"id", read_id, 0},
    {"name", NULL, offsetof(ridge_machine, name)},
    {"vendor", NULL, offsetof(ridge_machine, vendor)},
    {"kind", read_kind, 0},
    {"arch", NULL, offsetof(ridge_machine, arch)},
    {"year", read_year, 0},
    {"inherits", skip, 0},
    {"peak_flops_per_s", read_peaks, 0},
    {"lacks", read_lacks, 0},
    {"memory", read_memory, 0},
    {"links", read_links, 0},
    {"achieved", read_achieved, 0},
#define X(code, member, ...) {#member, NULL, 0},
    RIDGE_MACHINE_NUMBER_LIST(X)
#undef X
        {"notes", read_notes, 0},
    {"sources", read_sources, 0},
    {"unverified", read_unverified, 0},
};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

static ridge_status read_key(const ridge_reader *r, const key *k, const ridge_json *v)
{
    void *text = (char *)&r->draft->machine + k->text;
    if (k->read)
        return k->read(r, v);
    return k->text ? ridge_read_text(r, text, v, k->name) : read_field(r, v, ridge_field_find(ridge_str_of(k->name)));
}

static ridge_status check_keys(const ridge_reader *r, const ridge_json *json)
{
    for (uint32_t i = 0; i < json->count; i++) {
        const ridge_json_member *m = &json->u.members[i];
        ridge_nearest near = {0};
        size_t k = 0;
        for (; k < KEY_COUNT && !ridge_str_is(m->key, keys[k].name); k++)
            ridge_nearest_offer(&near, m->key, keys[k].name);
        if (k == KEY_COUNT)
            return ridge_read_unknown_key(r, m, "a machine", near.best);
    }
    return RIDGE_OK;
}

static ridge_status check_required(const ridge_reader *r, const ridge_json *json)
{
    const ridge_machine_draft *d = r->draft;
    const char *missing = !ridge_json_get(json, "id")  ? "\"id\""
                          : !d->machine.name           ? "\"name\""
                          : !d->machine.kind           ? "\"kind\""
                          : !d->machine.levels[0].name ? "the memory level \"dram\""
                                                       : NULL;
    ridge_json at = *json;
    at.end = at.begin + 1;
    return !missing ? RIDGE_OK : ridge_read_fail(r, RIDGE_VALUE, &at, "a machine needs %s", missing);
}

void ridge_machine_draft_init(ridge_machine_draft *draft)
{
    memset(draft, 0, sizeof *draft);
    ridge_machine_init(&draft->machine);
}

ridge_status ridge_machine_parse(ridge_json **out, const ridge_reader *r)
{
    ridge_status st = ridge_json_parse(out, r->text, r->file, (ridge_json_options){.unique_keys = true}, r->arena, r->err);
    if (!st && (*out)->type != RIDGE_JSON_OBJECT)
        st = ridge_read_fail(r, RIDGE_TYPE, *out, "a machine is an object, found %s", ridge_json_type_name((*out)->type));
    return st;
}

ridge_status ridge_machine_inherits(const ridge_json **out, const ridge_reader *r, const ridge_json *json)
{
    const ridge_json *v = ridge_json_get(json, "inherits");
    *out = v && v->type != RIDGE_JSON_NULL ? v : NULL;
    return *out ? ridge_read_type(r, v, RIDGE_JSON_STRING, "inherits", "the id of a machine") : RIDGE_OK;
}

/* what a file does not take from the one it inherits */
static void begin_file(ridge_machine_draft *d, const char *id)
{
    ridge_machine nothing;
    ridge_machine_init(&nothing);
    d->machine.id = id;
    d->machine.inherits = NULL;
    d->machine.notes = NULL;
    d->machine.note_count = 0;
    d->machine.achieved = nothing.achieved;
    memset(d->given, 0, sizeof d->given);
}

ridge_status ridge_machine_read(const ridge_reader *r, const ridge_json *json, const char *id)
{
    const ridge_json *inherits;
    begin_file(r->draft, id);
    ridge_status st = ridge_machine_inherits(&inherits, r, json);
    if (!st)
        st = check_keys(r, json);
    if (!st && inherits)
        st = ridge_read_text(r, &r->draft->machine.inherits, inherits, "inherits");
    for (size_t k = 0; !st && k < KEY_COUNT; k++) {
        const ridge_json *v = ridge_json_get(json, keys[k].name);
        if (v)
            st = read_key(r, &keys[k], v);
    }
    return st ? st : check_required(r, json);
}

/* ---- the machine ---- */

/* levels and links in a row: the main memory, and those of which something is known */
static void pack(ridge_machine *m)
{
    m->level_count = m->link_count = 0;
    for (size_t i = 0; i < RIDGE_LEVEL_COUNT; i++) {
        ridge_machine_level level = m->levels[i];
        level.name = ridge_level_names[i];
        if (i == RIDGE_LEVEL_DRAM || level.type || level.bytes_per_s != RIDGE_MACHINE_UNKNOWN ||
            level.capacity_bytes != RIDGE_MACHINE_UNKNOWN)
            m->levels[m->level_count++] = level;
    }
    for (size_t i = 0; i < RIDGE_LINK_COUNT; i++) {
        ridge_machine_link link = m->links[i];
        link.kind = (ridge_link_kind)i;
        if (link.name || link.bytes_per_s != RIDGE_MACHINE_UNKNOWN || link.latency_s >= 0)
            m->links[m->link_count++] = link;
    }
}

static bool add_origin(ridge_machine *m, const ridge_machine_draft *d, ridge_arena *arena)
{
    m->sources = ridge_arena_array(arena, RIDGE_FIELD_COUNT, sizeof *m->sources);
    m->unverified = ridge_arena_array(arena, RIDGE_FIELD_COUNT, sizeof *m->unverified);
    if (!m->sources || !m->unverified)
        return false;
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT; f++) {
        if (is_known(d, f) && d->source[f])
            m->sources[m->source_count++] = (ridge_machine_source){ridge_machine_fields[f].key, d->source[f]};
        if (is_known(d, f) && d->unverified[f])
            m->unverified[m->unverified_count++] = ridge_machine_fields[f].key;
    }
    return true;
}

ridge_status ridge_machine_finish(ridge_machine **out, const ridge_machine_draft *d, const char *file, ridge_arena *arena, ridge_err *err)
{
    ridge_machine *m = *out = ridge_arena_alloc(arena, sizeof *m);
    if (!m)
        return ridge_no_memory(err);
    *m = d->machine;
    m->file = file;
    pack(m);
    return add_origin(m, d, arena) ? RIDGE_OK : ridge_no_memory(err);
}
