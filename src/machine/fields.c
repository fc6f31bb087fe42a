#include "machine/fields.h"

const char *const ridge_precision_names[] = {
#define X(code, name, bits) #name,
    RIDGE_PRECISION_LIST(X)
#undef X
        NULL};
const unsigned ridge_precision_bits[RIDGE_PRECISION_COUNT] = {
#define X(code, name, bits) bits,
    RIDGE_PRECISION_LIST(X)
#undef X
};
const char *const ridge_link_kind_names[RIDGE_LINK_COUNT] = {"device", "host"};
const char *const ridge_level_names[RIDGE_LEVEL_COUNT] = {"dram", "llc", "l2", "l1"};
const char *const ridge_machine_kinds[] = {"gpu", "cpu", "tpu", "accelerator", "apple", NULL};
const char *const ridge_unit_names[RIDGE_UNITS] = {"FLOP/s", "bytes/s", "bytes", "seconds", "Hz", "watts", "units"};

#define LEVEL(name)                                                                                                                        \
    {"memory." name ".bytes_per_s", RIDGE_MACHINE_UNIT_BYTES_PER_S},                                                                               \
    {                                                                                                                                      \
        "memory." name ".capacity_bytes", RIDGE_MACHINE_UNIT_BYTES                                                                                 \
    }
#define LINK(name)                                                                                                                         \
    {"links." name ".bytes_per_s", RIDGE_MACHINE_UNIT_BYTES_PER_S},                                                                                \
    {                                                                                                                                      \
        "links." name ".latency_s", RIDGE_MACHINE_UNIT_SECONDS                                                                                     \
    }

const ridge_field_info ridge_fields[RIDGE_FIELD_COUNT] = {
#define X(code, name, bits) {"peak_flops_per_s." #name, RIDGE_MACHINE_UNIT_FLOPS_PER_S},
    RIDGE_PRECISION_LIST(X)
#undef X
        LEVEL("dram"),
    LEVEL("llc"),
    LEVEL("l2"),
    LEVEL("l1"),
    LINK("device"),
    LINK("host"),
    {"compute_units", RIDGE_MACHINE_UNIT_COUNT},
    {"shared_bytes", RIDGE_MACHINE_UNIT_BYTES},
    {"clock_hz", RIDGE_MACHINE_UNIT_HZ},
    {"power_w", RIDGE_MACHINE_UNIT_WATTS},
    {"launch_overhead_s", RIDGE_MACHINE_UNIT_SECONDS},
};

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

ridge_machine_field ridge_field_find(ridge_str name)
{
    ridge_machine_field f = 0;
    while (f < RIDGE_FIELD_COUNT && !ridge_str_is(name, ridge_fields[f].name))
        f++;
    return f;
}

bool ridge_field_in(ridge_machine_field field, ridge_str name)
{
    ridge_str full = ridge_str_of(ridge_fields[field].name);
    return ridge_str_starts(full, name) && (full.n == name.n || full.p[name.n] == '.');
}

static ridge_field_value whole(int64_t value)
{
    return (ridge_field_value){value != RIDGE_MACHINE_UNKNOWN, value, 0};
}

static ridge_field_value seconds(double value)
{
    return (ridge_field_value){value >= 0, 0, value};
}

static ridge_field_value of_level(const ridge_machine *machine, ridge_machine_field i)
{
    const ridge_machine_level *level = ridge_machine_level_find(machine, ridge_level_names[i / 2]);
    if (!level)
        return whole(RIDGE_MACHINE_UNKNOWN);
    return whole(i % 2 == 0 ? level->bytes_per_s : level->capacity_bytes);
}

static ridge_field_value of_link(const ridge_machine *machine, ridge_machine_field i)
{
    const ridge_machine_link *link = ridge_machine_link_find(machine, (ridge_link_kind)(i / 2));
    if (!link)
        return whole(RIDGE_MACHINE_UNKNOWN);
    return i % 2 == 0 ? whole(link->bytes_per_s) : seconds(link->latency_s);
}

ridge_field_value ridge_field_get(const ridge_machine *machine, ridge_machine_field field)
{
    if (field < RIDGE_FIELD_MEMORY)
        return whole(machine->peak_flops_per_s[field - RIDGE_FIELD_PEAK]);
    if (field < RIDGE_FIELD_LINK)
        return of_level(machine, field - RIDGE_FIELD_MEMORY);
    if (field < RIDGE_FIELD_COMPUTE_UNITS)
        return of_link(machine, field - RIDGE_FIELD_LINK);
    switch (field) {
    case RIDGE_FIELD_COMPUTE_UNITS:
        return whole(machine->compute_units);
    case RIDGE_FIELD_SHARED_BYTES:
        return whole(machine->shared_bytes);
    case RIDGE_FIELD_CLOCK_HZ:
        return whole(machine->clock_hz);
    case RIDGE_FIELD_POWER_W:
        return whole(machine->power_w);
    default:
        return seconds(machine->launch_overhead_s);
    }
}

const char *ridge_field_source(const ridge_machine *machine, ridge_machine_field field)
{
    for (size_t i = 0; i < machine->source_count; i++)
        if (strcmp(machine->sources[i].field, ridge_fields[field].name) == 0)
            return machine->sources[i].text;
    return NULL;
}

bool ridge_field_unverified(const ridge_machine *machine, ridge_machine_field field)
{
    for (size_t i = 0; i < machine->unverified_count; i++)
        if (strcmp(machine->unverified[i], ridge_fields[field].name) == 0)
            return true;
    return false;
}
