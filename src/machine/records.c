#include "machine/records.h"

#include "base/double.h"
#include "report/text.h"

/* ---- a machine ---- */

/* an array of rates as a record knows it */
struct rates {
    int64_t of[RIDGE_PRECISION_COUNT];
};
#define RATES struct rates
static const ridge_record_field rates_fields[] = {
#define X(code, name, bits)                                                                                                                \
    RIDGE_R_WHOLE(RATES, of[RIDGE_PRECISION_##code], #name, NULL, RIDGE_IN_JSON, NULL, .unit = RIDGE_UNIT_FLOPS_PER_S),
    RIDGE_PRECISION_LIST(X)
#undef X
};
const ridge_record ridge_rates_record = RIDGE_RECORD(RATES, "rates", rates_fields, "a rate for each precision, dense");

#define LEVEL ridge_machine_level
static const ridge_record_field level_fields[] = {
    RIDGE_R_TEXT(LEVEL, name, "level", NULL, RIDGE_IN_JSON, "dram (the main memory), llc, l2 or l1"),
    RIDGE_R_TEXT(LEVEL, type, "type", NULL, RIDGE_IN_JSON, "HBM3, 8x DDR5-4800"),
    RIDGE_R_WHOLE(LEVEL, bytes_per_s, "bytes_per_s", NULL, RIDGE_IN_JSON, "read bandwidth of the whole device",
                  .unit = RIDGE_UNIT_BYTES_PER_S),
    RIDGE_R_WHOLE(LEVEL, capacity_bytes, "capacity_bytes", NULL, RIDGE_IN_JSON, "size, of the whole device", .unit = RIDGE_UNIT_CAPACITY),
};
const ridge_record ridge_level_record = RIDGE_RECORD(LEVEL, "memory level", level_fields, "a level of memory");

#define LINK ridge_machine_link
static const ridge_record_field link_fields[] = {
    RIDGE_R_WORD(LINK, kind, ridge_link_kind_names, "kind", NULL, RIDGE_IN_JSON, "to its peers, or to the CPU's memory"),
    RIDGE_R_TEXT(LINK, name, "name", NULL, RIDGE_IN_JSON, "NVLink4"),
    RIDGE_R_WHOLE(LINK, bytes_per_s, "bytes_per_s", NULL, RIDGE_IN_JSON, "of one device, one direction", .unit = RIDGE_UNIT_BYTES_PER_S),
    RIDGE_R_REAL(LINK, latency_s, "latency_s", NULL, RIDGE_IN_JSON, "its latency", .unit = RIDGE_UNIT_SECONDS),
};
const ridge_record ridge_link_record = RIDGE_RECORD(LINK, "link", link_fields, "a link to other devices");

#define ACHIEVED ridge_machine_achieved
static const ridge_record_field achieved_fields[] = {
    RIDGE_R_IN(ACHIEVED, flops_per_s, &ridge_rates_record, "flops_per_s", RIDGE_IN_JSON, "rates reached, by precision"),
    RIDGE_R_WHOLE(ACHIEVED, bytes_per_s, "bytes_per_s", NULL, RIDGE_IN_JSON, "bandwidth of the main memory reached",
                  .unit = RIDGE_UNIT_BYTES_PER_S),
    RIDGE_R_TEXT(ACHIEVED, source, "source", NULL, RIDGE_IN_JSON, "who reached it, with what"),
};
const ridge_record ridge_achieved_record = RIDGE_RECORD(ACHIEVED, "achieved", achieved_fields, "what somebody reached: no peaks");

static void write_sources(ridge_json_writer *w, const void *row)
{
    const ridge_machine *m = row;
    ridge_jw_object(w);
    for (size_t i = 0; i < m->source_count; i++)
        ridge_jw_member_text(w, m->sources[i].field, m->sources[i].text);
    ridge_jw_end_object(w);
}

static void write_lacks(ridge_json_writer *w, const void *row)
{
    const ridge_machine *m = row;
    ridge_jw_array_compact(w);
    for (unsigned p = 0; p < RIDGE_PRECISION_COUNT; p++)
        if (m->lacks[p])
            ridge_jw_strz(w, ridge_precision_names[p]);
    ridge_jw_end_array(w);
}

#define MACHINE ridge_machine
static const ridge_record_field head_fields[] = {
    RIDGE_R_TEXT(MACHINE, id, "id", NULL, RIDGE_IN_ALL, "what options call it"),
    RIDGE_R_TEXT(MACHINE, name, "name", NULL, RIDGE_IN_DATA, "what its vendor calls it"),
    RIDGE_R_TEXT(MACHINE, vendor, "vendor", NULL, RIDGE_IN_DATA, "its vendor"),
    RIDGE_R_TEXT(MACHINE, kind, "kind", NULL, RIDGE_IN_DATA, "gpu, cpu, tpu, accelerator or apple"),
    RIDGE_R_TEXT(MACHINE, arch, "arch", NULL, RIDGE_IN_DATA, "its architecture"),
};
const ridge_record ridge_machine_head_record = RIDGE_RECORD(MACHINE, "machine", head_fields, "what a machine is called");

static const ridge_record_field machine_fields[] = {
    {.key = "head", .kind = RIDGE_RECORD_MEMBERS, .shown = RIDGE_IN_JSON, .record = &ridge_machine_head_record},
    RIDGE_R_WHOLE(MACHINE, year, "year", NULL, RIDGE_IN_JSON, "the year it came out"),
    RIDGE_R_TEXT(MACHINE, inherits, "inherits", NULL, RIDGE_IN_JSON, "the machine that its file starts from"),
    RIDGE_R_TEXT(MACHINE, file, "file", NULL, RIDGE_IN_JSON, "where it was read", RIDGE_WHERE(ridge_machine, file)),
    RIDGE_R_IN(MACHINE, peak_flops_per_s, &ridge_rates_record, "peak_flops_per_s", RIDGE_IN_JSON, "dense rates of the whole device"),
    RIDGE_R_WRITTEN("lacks", write_lacks, "precisions that it has no units for: it computes in the next wider one"),
    RIDGE_R_ARRAY(MACHINE, levels, level_count, &ridge_level_record, "memory", RIDGE_IN_JSON, "levels, the outermost first"),
    RIDGE_R_ARRAY(MACHINE, links, link_count, &ridge_link_record, "links", RIDGE_IN_JSON, "links to peers and to the CPU's memory"),
#define X(code, member, kind, unit_, what) RIDGE_R_##kind(MACHINE, member, #member, NULL, RIDGE_IN_JSON, what, .unit = RIDGE_UNIT_##unit_),
    RIDGE_MACHINE_NUMBER_LIST(X) RIDGE_R_IN(MACHINE, achieved, &ridge_achieved_record, "achieved", RIDGE_IN_JSON, "what somebody reached",
                                            RIDGE_KNOWN(ridge_machine, achieved.source)),
#undef X
    RIDGE_R_WRITTEN("sources", write_sources, "where each number comes from, by its name"),
    RIDGE_R_LIST(MACHINE, unverified, unverified_count, NULL, "unverified", RIDGE_IN_JSON, "numbers not checked at their source"),
    RIDGE_R_LIST(MACHINE, notes, note_count, NULL, "notes", RIDGE_IN_JSON, "what else is to be said"),
};
const ridge_record ridge_machine_record = RIDGE_RECORD(MACHINE, "ridge machine show", machine_fields, "what a machine can do");

/* ---- single numbers ---- */

static const char *exact_text(ridge_field_value value, bool seconds, ridge_arena *arena)
{
    char text[RIDGE_DOUBLE_CHARS];
    if (!seconds)
        return ridge_arena_printf(arena, "%lld", (long long)value.whole);
    return ridge_arena_strdup(arena, (ridge_str){text, ridge_double_print(text, value.seconds)});
}

ridge_status ridge_machine_number_make(ridge_machine_number *out, const ridge_machine *machine, ridge_machine_field field,
                                       ridge_arena *arena, ridge_err *err)
{
    const ridge_record_field *f = &ridge_machine_fields[field];
    *out = (ridge_machine_number){.name = f->key,
                                  .unit = ridge_unit_name(f->unit),
                                  .field = field,
                                  .value = ridge_field_get(machine, field),
                                  .unverified = ridge_field_unverified(machine, field),
                                  .source = ridge_field_source(machine, field),
                                  .ratio = RIDGE_MACHINE_UNKNOWN};
    if (out->value.known && !(out->exact = exact_text(out->value, f->kind == RIDGE_RECORD_REAL, arena)))
        return ridge_no_memory(err);
    return RIDGE_OK;
}

const char *ridge_machine_number_text(ridge_arena *arena, const ridge_machine_number *number, const char *otherwise)
{
    return ridge_arena_printf(arena, "%s%s", ridge_field_text(arena, number->field, number->value), number->unverified ? "*" : otherwise);
}

/* ---- what is not known ---- */

/* there is no such rate: nobody could know it */
static bool is_lacked(const ridge_machine *machine, ridge_machine_field field)
{
    return field < RIDGE_FIELD_PEAK + RIDGE_PRECISION_COUNT && machine->lacks[field - RIDGE_FIELD_PEAK];
}

ridge_status ridge_machine_unknown(ridge_words *out, const ridge_machine *machine, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT && !st; f++)
        if (!ridge_field_get(machine, f).known && !is_lacked(machine, f))
            st = ridge_words_add(out, ridge_machine_fields[f].key, arena, err);
    return st;
}

void ridge_machine_lacks_text(ridge_buf *out, const ridge_machine *machine, size_t width)
{
    ridge_buf text = {0};
    for (unsigned p = 0; p < RIDGE_PRECISION_COUNT; p++)
        if (machine->lacks[p])
            ridge_buf_addf(&text, "%s %s", text.n == 0 ? "no units for:" : "", ridge_precision_names[p]);
    if (text.n > 0) {
        ridge_buf_addz(&text, " (computed in the next wider format)");
        ridge_text_wrap(out, text.p, 0, 2, width);
    }
    out->failed |= text.failed;
    ridge_buf_free(&text);
}

void ridge_machine_unknown_text(ridge_buf *out, const ridge_words *unknown, size_t width)
{
    ridge_buf text = {0};
    for (size_t i = 0; i < unknown->count; i++)
        ridge_buf_addf(&text, "%s %s", i == 0 ? "not known:" : "", unknown->items[i]);
    if (text.n > 0)
        ridge_text_wrap(out, text.p, 0, 2, width);
    out->failed |= text.failed;
    ridge_buf_free(&text);
}
