/* fields.h - the numbers of a machine as one list: their names ("memory.dram.bytes_per_s"), units and values.
 * In: a machine. Out: values by field. What reads, checks, prints and compares machines goes over this list, so none forgets a number. */
#ifndef RIDGE_MACHINE_FIELDS_H
#define RIDGE_MACHINE_FIELDS_H

#include "machine/machine.h"

/* memory levels, the outermost first */
enum { RIDGE_LEVEL_DRAM, RIDGE_LEVEL_LLC, RIDGE_LEVEL_L2, RIDGE_LEVEL_L1, RIDGE_LEVEL_COUNT };
extern const char *const ridge_level_names[RIDGE_LEVEL_COUNT];

/* what `kind` may be; NULL-terminated */
extern const char *const ridge_machine_kinds[];

/* The fields: one per precision, two per memory level (bytes_per_s, capacity_bytes), two per link (bytes_per_s, latency_s), the rest. */
typedef unsigned ridge_machine_field;
enum {
    RIDGE_FIELD_PEAK,
    RIDGE_FIELD_MEMORY = RIDGE_FIELD_PEAK + RIDGE_PRECISION_COUNT,
    RIDGE_FIELD_LINK = RIDGE_FIELD_MEMORY + 2 * RIDGE_LEVEL_COUNT,
    RIDGE_FIELD_COMPUTE_UNITS = RIDGE_FIELD_LINK + 2 * RIDGE_LINK_COUNT,
    RIDGE_FIELD_SHARED_BYTES,
    RIDGE_FIELD_CLOCK_HZ,
    RIDGE_FIELD_POWER_W,
    RIDGE_FIELD_LAUNCH_OVERHEAD_S,
    RIDGE_FIELD_COUNT
};

typedef enum ridge_field_unit {
    RIDGE_MACHINE_UNIT_FLOPS_PER_S,
    RIDGE_MACHINE_UNIT_BYTES_PER_S,
    RIDGE_MACHINE_UNIT_BYTES,
    RIDGE_MACHINE_UNIT_SECONDS, /* the only one that is no whole number */
    RIDGE_MACHINE_UNIT_HZ,
    RIDGE_MACHINE_UNIT_WATTS,
    RIDGE_MACHINE_UNIT_COUNT,
    RIDGE_UNITS
} ridge_field_unit;
extern const char *const ridge_unit_names[RIDGE_UNITS]; /* "FLOP/s", "bytes/s", "bytes", "seconds", "Hz", "watts", "units" */

typedef struct ridge_field_info {
    const char *name;
    ridge_field_unit unit;
} ridge_field_info;
extern const ridge_field_info ridge_fields[RIDGE_FIELD_COUNT];

/* RIDGE_FIELD_COUNT where no field has this name */
ridge_machine_field ridge_field_find(ridge_str name);
/* `name` is the field's own ("power_w") or the beginning of it up to a '.' ("memory", "memory.dram") */
bool ridge_field_in(ridge_machine_field field, ridge_str name);

/* A number of a machine: whole ones in `whole`, seconds in `seconds` (whole is then 0). */
typedef struct ridge_field_value {
    bool known;
    int64_t whole;
    double seconds;
} ridge_field_value;
ridge_field_value ridge_field_get(const ridge_machine *machine, ridge_machine_field field);

/* where the number comes from; NULL: nobody says */
const char *ridge_field_source(const ridge_machine *machine, ridge_machine_field field);
bool ridge_field_unverified(const ridge_machine *machine, ridge_machine_field field);

/* the members of ridge_machine_json, into an object that the caller opened */
void ridge_machine_json_members(ridge_json_writer *w, const ridge_machine *machine);
/* of them, where the numbers come from: "sources", "unverified", "notes" */
void ridge_machine_json_origin(ridge_json_writer *w, const ridge_machine *machine);

#endif
