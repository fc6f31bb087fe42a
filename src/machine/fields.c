#include "machine/fields.h"

const char *const ridge_machine_kinds[] = {"any", "gpu", "cpu", "tpu", "accelerator", "apple", NULL};
const char *const ridge_precision_names[] = {RIDGE_PRECISION_LIST(RIDGE_FIRST_NAME) NULL};
const unsigned ridge_precision_bits[RIDGE_PRECISION_COUNT] = {
#define X(code, name, bits) bits,
    RIDGE_PRECISION_LIST(X)
#undef X
};
const char *const ridge_level_names[] = {RIDGE_LEVEL_LIST(RIDGE_WORD_NAME) NULL};
const char *const ridge_link_kind_names[] = {RIDGE_LINK_LIST(RIDGE_WORD_NAME) NULL};

const ridge_quantity ridge_quantities[] = {
    [RIDGE_UNIT_NONE] = {"units", 1, 1e6, "132 SMs are 132"},
    [RIDGE_UNIT_SECONDS] = {"seconds", 1e-9, 1e-2, "4 µs is 4e-6"},
    [RIDGE_UNIT_FLOPS_PER_S] = {"FLOP/s", 1e8, 1e18, "989.5 TFLOP/s is 989.5e12"},
    [RIDGE_UNIT_BYTES_PER_S] = {"bytes/s", 1e8, 1e15, "3350 GB/s is 3350e9"},
    [RIDGE_UNIT_CAPACITY] = {"bytes", 1024, 1e14, "80 GiB is 85899345920"},
    [RIDGE_UNIT_HERTZ] = {"Hz", 1e8, 1e10, "1830 MHz is 1830e6"},
    [RIDGE_UNIT_WATTS] = {"watts", 1, 1e5, "700 W is 700"},
};

/* ---- the list ---- */

/* clang-format off */
#define NUMBER(name, kind, unit_, member, ...) \
    RIDGE_R_##kind(ridge_machine, member, name, NULL, RIDGE_IN_CSV, __VA_ARGS__, .unit = RIDGE_UNIT_##unit_),
#define PEAK(code, name, bits) \
    NUMBER("peak_flops_per_s." #name, WHOLE, FLOPS_PER_S, peak_flops_per_s[RIDGE_PRECISION_##code], "dense peak rate in " #name)
#define LEVEL(code, name) \
    NUMBER("memory." #name ".bytes_per_s", WHOLE, BYTES_PER_S, levels[RIDGE_LEVEL_##code].bytes_per_s, "read bandwidth of " #name) \
    NUMBER("memory." #name ".capacity_bytes", WHOLE, CAPACITY, levels[RIDGE_LEVEL_##code].capacity_bytes, "size of " #name)
#define LINK(code, name) \
    NUMBER("links." #name ".bytes_per_s", WHOLE, BYTES_PER_S, links[RIDGE_LINK_##code].bytes_per_s, "bandwidth of one " #name " link") \
    NUMBER("links." #name ".latency_s", REAL, SECONDS, links[RIDGE_LINK_##code].latency_s, "latency of one " #name " link")
#define REST(code, member, kind, unit, doc) \
    NUMBER(#member, kind, unit, member, doc)

const ridge_record_field ridge_machine_fields[RIDGE_FIELD_COUNT] = {
    RIDGE_PRECISION_LIST(PEAK)
    RIDGE_LEVEL_LIST(LEVEL)
    RIDGE_LINK_LIST(LINK)
    RIDGE_MACHINE_NUMBER_LIST(REST)
};
/* clang-format on */

ridge_machine_field ridge_field_find(ridge_str name)
{
    ridge_machine_field f = 0;
    while (f < RIDGE_FIELD_COUNT && !ridge_str_is(name, ridge_machine_fields[f].key))
        f++;
    return f;
}

bool ridge_field_in(ridge_machine_field field, ridge_str name)
{
    ridge_str full = ridge_str_of(ridge_machine_fields[field].key);
    return ridge_str_starts(full, name) && (full.n == name.n || full.p[name.n] == '.');
}

/* ---- finding ---- */

ridge_precision ridge_precision_find(ridge_str name)
{
    for (unsigned p = 0; p < RIDGE_PRECISION_COUNT; p++)
        if (ridge_str_is(name, ridge_precision_names[p]))
            return (ridge_precision)p;
    return RIDGE_PRECISION_COUNT;
}

const ridge_machine_level *ridge_machine_level_find(const ridge_machine *machine, const char *name)
{
    for (size_t i = 0; i < machine->level_count; i++)
        if (strcmp(machine->levels[i].name, name) == 0)
            return &machine->levels[i];
    return NULL;
}

const ridge_machine_link *ridge_machine_link_find(const ridge_machine *machine, ridge_link_kind kind)
{
    for (size_t i = 0; i < machine->link_count; i++)
        if (machine->links[i].kind == kind)
            return &machine->links[i];
    return NULL;
}

/* ---- values ---- */

void ridge_machine_init(ridge_machine *machine)
{
    *machine = (ridge_machine){.year = RIDGE_MACHINE_UNKNOWN, .achieved = {.bytes_per_s = RIDGE_MACHINE_UNKNOWN}};
    for (const ridge_record_field *f = ridge_machine_fields; f < ridge_machine_fields + RIDGE_FIELD_COUNT; f++) {
        void *at = (char *)machine + f->offset;
        if (f->kind == RIDGE_RECORD_REAL)
            *(double *)at = RIDGE_MACHINE_UNKNOWN;
        else
            *(int64_t *)at = RIDGE_MACHINE_UNKNOWN;
    }
    for (unsigned p = 0; p < RIDGE_PRECISION_COUNT; p++)
        machine->achieved.flops_per_s[p] = RIDGE_MACHINE_UNKNOWN;
}

void ridge_machine_spread(ridge_machine *out, const ridge_machine *machine)
{
    ridge_machine nothing;
    ridge_machine_init(&nothing);
    *out = *machine;
    for (unsigned i = 0; i < RIDGE_LEVEL_COUNT; i++) {
        const ridge_machine_level *level = ridge_machine_level_find(machine, ridge_level_names[i]);
        out->levels[i] = level ? *level : nothing.levels[i];
    }
    for (unsigned i = 0; i < RIDGE_LINK_COUNT; i++) {
        const ridge_machine_link *link = ridge_machine_link_find(machine, (ridge_link_kind)i);
        out->links[i] = link ? *link : nothing.links[i];
    }
}

ridge_field_value ridge_field_of_spread(const ridge_machine *spread, ridge_machine_field field)
{
    const void *at = (const char *)spread + ridge_machine_fields[field].offset;
    if (ridge_machine_fields[field].kind == RIDGE_RECORD_REAL)
        return (ridge_field_value){*(const double *)at >= 0, 0, *(const double *)at};
    return (ridge_field_value){*(const int64_t *)at != RIDGE_MACHINE_UNKNOWN, *(const int64_t *)at, 0};
}

ridge_field_value ridge_field_get(const ridge_machine *machine, ridge_machine_field field)
{
    ridge_machine spread;
    ridge_machine_spread(&spread, machine);
    return ridge_field_of_spread(&spread, field);
}

const char *ridge_field_text(ridge_arena *arena, ridge_machine_field field, ridge_field_value value)
{
    const ridge_record_field *f = &ridge_machine_fields[field];
    return f->kind == RIDGE_RECORD_REAL ? ridge_unit_text(arena, f->unit, value.seconds) : ridge_unit_text_int(arena, f->unit, value.whole);
}

const char *ridge_field_source(const ridge_machine *machine, ridge_machine_field field)
{
    for (size_t i = 0; i < machine->source_count; i++)
        if (strcmp(machine->sources[i].field, ridge_machine_fields[field].key) == 0)
            return machine->sources[i].text;
    return NULL;
}

bool ridge_field_unverified(const ridge_machine *machine, ridge_machine_field field)
{
    for (size_t i = 0; i < machine->unverified_count; i++)
        if (strcmp(machine->unverified[i], ridge_machine_fields[field].key) == 0)
            return true;
    return false;
}
