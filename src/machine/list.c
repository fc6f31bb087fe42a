/* The list of machines (records.h). */
#include "machine/records.h"

const ridge_option ridge_options_machine_list[] = {
    RIDGE_CHOICE(ridge_machine_list_request, kind, "kind", 'k', ridge_machine_kinds, "machines of one kind"),
    RIDGE_FLAG(ridge_machine_list_request, own, "own", 0, "machines of your own: 'this' and those that were added"),
    RIDGE_OPTION_END,
};

static ridge_status make_row(ridge_machine_row *out, const ridge_machine *m, ridge_arena *arena, ridge_err *err)
{
    const char *names = "";
    for (size_t i = 0; names && i < m->unverified_count; i++)
        names = ridge_arena_printf(arena, "%s%s%s", names, i == 0 ? "" : " ", m->unverified[i]);
    *out = (ridge_machine_row){.machine = m, .unverified = names};
    ridge_machine_spread(&out->spread, m);
    return names ? RIDGE_OK : ridge_no_memory(err);
}

static bool is_wanted(const ridge_machine *m, const ridge_machine_list_request *request)
{
    if (request->own && strcmp(m->file, RIDGE_MACHINE_BUILT_IN) == 0)
        return false;
    return request->kind == 0 || strcmp(m->kind, ridge_machine_kinds[request->kind]) == 0;
}

ridge_status ridge_machine_list_make(ridge_machine_list_answer *out, ridge_machines *machines, const ridge_machine_list_request *request,
                                     ridge_arena *arena, ridge_err *err)
{
    const ridge_machine *const *all;
    size_t count;
    *out = (ridge_machine_list_answer){0};
    ridge_status st = ridge_machines_list(&all, &count, machines, err);
    if (!st && !(out->rows = ridge_arena_array(arena, count + 1, sizeof *out->rows)))
        st = ridge_no_memory(err);
    for (size_t i = 0; i < count && !st; i++)
        if (is_wanted(all[i], request))
            st = make_row(&out->rows[out->count++], all[i], arena, err);
    return st;
}

/* ---- what people see: a column has one unit, so that numbers can be compared down the screen ---- */

static const char *text_in(ridge_arena *arena, const void *row, ridge_machine_field field, int64_t unit)
{
    const ridge_machine *m = &((const ridge_machine_row *)row)->spread;
    ridge_field_value v = ridge_field_of_spread(m, field);
    const char *mark = ridge_field_unverified(m, field) ? "*" : " ";
    if (!v.known)
        return "- ";
    if (v.whole % unit == 0)
        return ridge_arena_printf(arena, "%lld%s", (long long)(v.whole / unit), mark);
    return ridge_arena_printf(arena, "%s%s", ridge_units_ratio(arena, (double)v.whole / (double)unit), mark);
}

#define TEXT_IN(name, field, unit)                                                                                                         \
    static const char *name(ridge_arena *arena, const void *row)                                                                           \
    {                                                                                                                                      \
        return text_in(arena, row, field, unit);                                                                                           \
    }
TEXT_IN(bf16_text, RIDGE_FIELD_PEAK + RIDGE_PRECISION_BF16, 1000000000000)
TEXT_IN(fp8_text, RIDGE_FIELD_PEAK + RIDGE_PRECISION_FP8, 1000000000000)
TEXT_IN(bandwidth_text, RIDGE_FIELD_MEMORY + 2 * RIDGE_LEVEL_DRAM, 1000000000)
TEXT_IN(capacity_text, RIDGE_FIELD_MEMORY + 2 * RIDGE_LEVEL_DRAM + 1, 1 << 30)
TEXT_IN(power_text, RIDGE_FIELD_POWER_W, 1)

#define ROW ridge_machine_row
static const ridge_record numbers_record = RIDGE_RECORD(ridge_machine, "numbers", ridge_machine_fields, "every number in its base unit");
static const ridge_record_field row_fields[] = {
    RIDGE_R_THROUGH(ROW, machine, &ridge_machine_record, RIDGE_IN_JSON),
    {.key = "spread",
     .kind = RIDGE_RECORD_MEMBERS,
     .shown = RIDGE_IN_CSV | RIDGE_IN_TABLES,
     .offset = offsetof(ROW, spread),
     .record = &ridge_machine_head_record},
    RIDGE_R_WHOLE(ROW, spread.peak_flops_per_s[RIDGE_PRECISION_BF16], "bf16", "bf16 ", RIDGE_IN_TABLES, "TFLOP/s", .text = bf16_text),
    RIDGE_R_WHOLE(ROW, spread.peak_flops_per_s[RIDGE_PRECISION_FP8], "fp8", "fp8 ", RIDGE_IN_TABLES, "TFLOP/s", .text = fp8_text),
    RIDGE_R_WHOLE(ROW, spread.levels[RIDGE_LEVEL_DRAM].bytes_per_s, "bandwidth", "GB/s ", RIDGE_IN_TABLES, "GB/s", .text = bandwidth_text),
    RIDGE_R_WHOLE(ROW, spread.levels[RIDGE_LEVEL_DRAM].capacity_bytes, "memory", "GiB ", RIDGE_IN_TABLES, "GiB", .text = capacity_text),
    RIDGE_R_WHOLE(ROW, spread.power_w, "power", "W ", RIDGE_IN_TABLES, "watts", .text = power_text),
    {.key = "numbers", .kind = RIDGE_RECORD_MEMBERS, .shown = RIDGE_IN_CSV, .offset = offsetof(ROW, spread), .record = &numbers_record},
    RIDGE_R_TEXT(ROW, unverified, "unverified", NULL, RIDGE_IN_CSV, "numbers not checked at their source"),
    RIDGE_R_TEXT(ROW, spread.name, "name", NULL, RIDGE_IN_TABLES, "what its vendor calls it", .shortened = true),
};
const ridge_record ridge_machine_row_record = RIDGE_RECORD(ROW, "machine", row_fields, "a machine");

static const ridge_record_field list_fields[] = {
    RIDGE_R_LIST(ridge_machine_list_answer, rows, count, &ridge_machine_row_record, "machines", RIDGE_IN_JSON, "the machines",
                 .open = true),
};
const ridge_record ridge_machine_list_record =
    RIDGE_RECORD(ridge_machine_list_answer, "ridge machine list", list_fields, "the machines there are");
