/* fields.h - the numbers of a machine as one list: name ("memory.dram.bytes_per_s"), unit, place and meaning of each.
 * In: a machine. Out: values by field. What reads, checks, prints and compares machines goes over this list, so none forgets a number. */
#ifndef RIDGE_MACHINE_FIELDS_H
#define RIDGE_MACHINE_FIELDS_H

#include "machine/machine.h"
#include "report/record.h"

/* memory levels, the outermost first: code, name */
#define RIDGE_LEVEL_LIST(X) X(DRAM, dram) X(LLC, llc) X(L2, l2) X(L1, l1)
enum {
#define X(code, name) RIDGE_LEVEL_##code,
    RIDGE_LEVEL_LIST(X) RIDGE_LEVEL_COUNT
#undef X
};
extern const char *const ridge_level_names[]; /* NULL-terminated */

/* numbers of the machine as a whole: code, member, kind and unit (report/record.h), what it is */
#define RIDGE_MACHINE_NUMBER_LIST(X)                                                                                                       \
    X(COMPUTE_UNITS, compute_units, WHOLE, NONE, "SMs, compute units or cores")                                                            \
    X(SHARED_BYTES, shared_bytes, WHOLE, CAPACITY, "L1 or shared memory of one unit")                                                      \
    X(CLOCK_HZ, clock_hz, WHOLE, HERTZ, "the clock that the peaks are stated at")                                                          \
    X(POWER_W, power_w, WHOLE, WATTS, "the limit that the vendor states")                                                                  \
    X(LAUNCH_OVERHEAD_S, launch_overhead_s, REAL, SECONDS, "least time of one kernel, with launches queued ahead")

/* The fields: one per precision, two per memory level (bytes_per_s, capacity_bytes), two per link (bytes_per_s, latency_s), the rest. */
typedef unsigned ridge_machine_field;
enum {
    RIDGE_FIELD_PEAK,
    RIDGE_FIELD_MEMORY = RIDGE_FIELD_PEAK + RIDGE_PRECISION_COUNT,
    RIDGE_FIELD_LINK = RIDGE_FIELD_MEMORY + 2 * RIDGE_LEVEL_COUNT,
    RIDGE_FIELD_REST = RIDGE_FIELD_LINK + 2 * RIDGE_LINK_COUNT,
    RIDGE_FIELD_BEFORE_REST = RIDGE_FIELD_REST - 1,
#define X(code, ...) RIDGE_FIELD_##code,
    RIDGE_MACHINE_NUMBER_LIST(X) RIDGE_FIELD_COUNT
#undef X
};

/* Of a machine that is spread (below): the kind is WHOLE or, of times, REAL; a table of them has a column for each. */
extern const ridge_record_field ridge_machine_fields[RIDGE_FIELD_COUNT];

/* The same machine with every level and link in a place of its own, in the order of all there are: those it has not are unknown there. */
void ridge_machine_spread(ridge_machine *out, const ridge_machine *machine);
/* nothing is known of it: it has no level, no link and no text */
void ridge_machine_init(ridge_machine *machine);

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
ridge_field_value ridge_field_of_spread(const ridge_machine *spread, ridge_machine_field field);
/* "989.5 TFLOP/s", "3.350 TB/s", "80 GiB", "4.000 µs"; "-" where it is not known; in the arena */
const char *ridge_field_text(ridge_arena *arena, ridge_machine_field field, ridge_field_value value);

/* where the number comes from; NULL: nobody says */
const char *ridge_field_source(const ridge_machine *machine, ridge_machine_field field);
bool ridge_field_unverified(const ridge_machine *machine, ridge_machine_field field);

/* what numbers of one unit are called, what they can be (from a phone's core to a rack), how one is written in a file */
typedef struct ridge_quantity {
    const char *name; /* "FLOP/s", "seconds", "units" */
    double least, most;
    const char *example;
} ridge_quantity;
extern const ridge_quantity ridge_quantities[]; /* by ridge_unit; those of the fields are there */

#endif
