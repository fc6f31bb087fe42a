/* One machine with its sources, and several side by side (records.h). */
#include "machine/records.h"

#include <math.h>

#include "base/shown.h"

/* ---- one machine ---- */

/* from 1; 0: nobody says */
static size_t source_number(ridge_machine_show_answer *a, const char *text)
{
    size_t i = 0;
    while (text && i < a->source_count && strcmp(a->sources[i], text) != 0)
        i++;
    if (text && i == a->source_count)
        a->sources[a->source_count++] = text;
    return text ? i + 1 : 0;
}

ridge_status ridge_machine_show_make(ridge_machine_show_answer *out, const ridge_machine *machine, ridge_arena *arena, ridge_err *err)
{
    *out = (ridge_machine_show_answer){.machine = machine};
    ridge_status st = ridge_machine_unknown(&out->unknown, machine, arena, err);
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT && !st; f++) {
        ridge_machine_number *n = &out->numbers[out->number_count];
        if (!(st = ridge_machine_number_make(n, machine, f, arena, err)) && n->value.known) {
            n->source_number = source_number(out, n->source);
            out->number_count++;
        }
    }
    return st;
}

#define NUMBER ridge_machine_number
static const char *value_text(ridge_arena *arena, const void *row)
{
    return ridge_machine_number_text(arena, row, " ");
}

static const char *exact_text(ridge_arena *arena, const void *row)
{
    (void)arena;
    return ((const NUMBER *)row)->exact;
}

static const char *source_text(ridge_arena *arena, const void *row)
{
    size_t number = ((const NUMBER *)row)->source_number;
    return number > 0 ? ridge_arena_printf(arena, "[%zu]", number) : "none";
}

static const ridge_record_field number_fields[] = {
    RIDGE_R_TEXT(NUMBER, name, "number", NULL, RIDGE_IN_TABLES | RIDGE_IN_CSV, "its name"),
    RIDGE_R_WHOLE(NUMBER, value.whole, "value", "value ", RIDGE_IN_TABLES, "four digits of it", .text = value_text),
    RIDGE_R_WHOLE(NUMBER, value.whole, "exact", NULL, RIDGE_IN_TABLES, "every digit", .text = exact_text),
    RIDGE_R_TEXT(NUMBER, exact, "value", NULL, RIDGE_IN_CSV, "every digit"),
    RIDGE_R_TEXT(NUMBER, unit, "unit", NULL, RIDGE_IN_CSV, "its unit"),
    RIDGE_R_BOOL(NUMBER, unverified, "unverified", NULL, RIDGE_IN_CSV, "was it not checked at its source?"),
    RIDGE_R_SIZE(NUMBER, source_number, "source", NULL, RIDGE_IN_TEXT, "where it comes from", .text = source_text, .left = true),
    RIDGE_R_TEXT(NUMBER, source, "source", NULL, RIDGE_IN_CSV | RIDGE_IN_MARKDOWN, "where it comes from"),
};
const ridge_record ridge_machine_number_record = RIDGE_RECORD(NUMBER, "number", number_fields, "a number of a machine");

/* "h100-pcie-80: H100 PCIe 80GB" and what it is */
void ridge_machine_show_head(ridge_buf *out, const ridge_machine_show_answer *answer, ridge_arena *arena)
{
    const ridge_machine *m = answer->machine;
    ridge_buf_addf(out, "%s: %s\n", ridge_shown(arena, m->id), ridge_shown(arena, m->name));
    if (m->vendor)
        ridge_buf_addf(out, "%s ", ridge_shown(arena, m->vendor));
    if (m->arch)
        ridge_buf_addf(out, "%s ", ridge_shown(arena, m->arch));
    ridge_buf_addz(out, ridge_shown(arena, m->kind));
    if (m->year != RIDGE_MACHINE_UNKNOWN)
        ridge_buf_addf(out, ", %lld", (long long)m->year);
    ridge_buf_addf(out, ", %s", ridge_shown(arena, m->file));
    if (m->inherits)
        ridge_buf_addf(out, ", inherits %s", ridge_shown(arena, m->inherits));
    ridge_buf_addc(out, '\n');
    for (size_t i = 0; i < m->level_count; i++)
        if (m->levels[i].type)
            ridge_buf_addf(out, "%s: %s\n", ridge_shown(arena, m->levels[i].name), ridge_shown(arena, m->levels[i].type));
    for (size_t i = 0; i < m->link_count; i++)
        if (m->links[i].name)
            ridge_buf_addf(out, "link, %s: %s\n", ridge_link_kind_names[m->links[i].kind], ridge_shown(arena, m->links[i].name));
    ridge_buf_addc(out, '\n');
}

static void add_achieved(ridge_buf *out, const ridge_machine_achieved *a, ridge_arena *arena)
{
    ridge_buf_addz(out, "\nreached in practice:");
    for (unsigned p = 0; p < RIDGE_PRECISION_COUNT; p++)
        if (a->flops_per_s[p] != RIDGE_MACHINE_UNKNOWN)
            ridge_buf_addf(out, " %s %s,", ridge_precision_names[p], ridge_unit_text_int(arena, RIDGE_UNIT_FLOPS_PER_S, a->flops_per_s[p]));
    if (a->bytes_per_s != RIDGE_MACHINE_UNKNOWN)
        ridge_buf_addf(out, " memory %s,", ridge_unit_text_int(arena, RIDGE_UNIT_BYTES_PER_S, a->bytes_per_s));
    ridge_buf_addf(out, "\n  %s\n", ridge_shown(arena, a->source));
}

void ridge_machine_show_rest(ridge_buf *out, const ridge_machine_show_answer *answer, size_t width, ridge_arena *arena)
{
    const ridge_machine *m = answer->machine;
    if (m->unverified_count > 0)
        ridge_buf_addz(out, "*: not verified at its source\n");
    ridge_machine_lacks_text(out, m, width);
    ridge_machine_unknown_text(out, &answer->unknown, width);
    if (m->achieved.source)
        add_achieved(out, &m->achieved, arena);
    for (size_t i = 0; i < answer->source_count; i++)
        ridge_buf_addf(out, "%s  [%zu] %s\n", i == 0 ? "\nsources\n" : "", i + 1, ridge_shown(arena, answer->sources[i]));
    for (size_t i = 0; i < m->note_count; i++)
        ridge_buf_addf(out, "%s  %s\n", i == 0 ? "\nnotes\n" : "", ridge_shown(arena, m->notes[i]));
}

/* ---- several, side by side ---- */

static bool known_by_one(const ridge_machine *const *machines, size_t count, ridge_machine_field f)
{
    for (size_t i = 0; i < count; i++)
        if (ridge_field_get(machines[i], f).known)
            return true;
    return false;
}

static double ratio(ridge_field_value v, ridge_field_value first)
{
    if (!v.known || !first.known)
        return RIDGE_MACHINE_UNKNOWN;
    return first.whole != 0 ? (double)v.whole / (double)first.whole : first.seconds > 0 ? v.seconds / first.seconds : RIDGE_MACHINE_UNKNOWN;
}

static const char *compared_text(ridge_arena *arena, const void *row)
{
    const NUMBER *n = row;
    const char *text = ridge_machine_number_text(arena, n, "");
    return n->ratio < 0 || !text ? text : ridge_arena_printf(arena, "%s (%sx)", text, ridge_units_ratio(arena, n->ratio));
}

static const char *first_text(ridge_arena *arena, const void *row)
{
    return ridge_machine_number_text(arena, row, "");
}

/* the columns of one machine: a number and its ratio, called by the machine's id */
typedef struct machine_columns {
    ridge_record_field fields[3];
    ridge_record record;
} machine_columns;

/* of rows of numbers: the name of the first, then the columns of each machine */
static ridge_status make_table(ridge_record *out, const ridge_words *ids, ridge_arena *arena, ridge_err *err)
{
    ridge_record_field *fields = ridge_arena_array(arena, ids->count + 1, sizeof *fields);
    machine_columns *columns = ridge_arena_array(arena, ids->count, sizeof *columns);
    if (!fields || !columns)
        return ridge_no_memory(err);
    *out = (ridge_record){.name = "numbers", .fields = fields, .field_count = ids->count + 1, .size = ids->count * sizeof(NUMBER)};
    *fields++ = (ridge_record_field)RIDGE_R_TEXT(NUMBER, name, "number", NULL, RIDGE_IN_TABLES | RIDGE_IN_CSV, NULL);
    for (size_t i = 0; i < ids->count; i++) {
        machine_columns *c = &columns[i];
        const char *id = ids->items[i], *ratio_key = ridge_arena_printf(arena, "%s ratio", id);
        if (!ratio_key)
            return ridge_no_memory(err);
        *c = (machine_columns){
            {RIDGE_R_WHOLE(NUMBER, value.whole, id, NULL, RIDGE_IN_TABLES, NULL, .text = i > 0 ? compared_text : first_text),
             RIDGE_R_TEXT(NUMBER, exact, id, NULL, RIDGE_IN_CSV, NULL), RIDGE_R_REAL(NUMBER, ratio, ratio_key, NULL, RIDGE_IN_CSV, NULL)},
            RIDGE_RECORD(NUMBER, id, c->fields, NULL)};
        *fields++ = (ridge_record_field){
            .key = id, .kind = RIDGE_RECORD_MEMBERS, .shown = RIDGE_IN_ALL, .offset = i * sizeof(NUMBER), .record = &c->record};
    }
    return RIDGE_OK;
}

static ridge_status make_row(ridge_machine_compare_row *row, const ridge_machine *const *machines, ridge_machine_field field,
                             ridge_arena *arena, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    row->name = ridge_machine_fields[field].key;
    for (size_t i = 0; i < row->count && !st; i++) {
        st = ridge_machine_number_make(&row->machines[i], machines[i], field, arena, err);
        row->machines[i].ratio = ratio(row->machines[i].value, row->machines[0].value);
    }
    return st;
}

ridge_status ridge_machine_compare_make(ridge_machine_compare_answer *out, const ridge_machine *const *machines, size_t count,
                                        ridge_arena *arena, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    *out = (ridge_machine_compare_answer){.rows = ridge_arena_array(arena, RIDGE_FIELD_COUNT, sizeof *out->rows),
                                          .numbers = ridge_arena_array(arena, count, RIDGE_FIELD_COUNT * sizeof *out->numbers)};
    if (!out->numbers || !out->rows)
        return ridge_no_memory(err);
    for (size_t i = 0; i < count && !st; i++)
        st = ridge_words_add(&out->machines, machines[i]->id, arena, err);
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT && !st; f++)
        if (known_by_one(machines, count, f)) {
            ridge_machine_compare_row *row = &out->rows[out->row_count];
            *row = (ridge_machine_compare_row){.machines = out->numbers + out->row_count++ * count, .count = count};
            st = make_row(row, machines, f, arena, err);
        }
    return st ? st : make_table(&out->table, &out->machines, arena, err);
}

static void write_values(ridge_json_writer *w, const void *row)
{
    const ridge_machine_compare_row *r = row;
    ridge_jw_array(w);
    for (size_t i = 0; i < r->count; i++)
        ridge_jw_raw(w, ridge_str_of(r->machines[i].exact ? r->machines[i].exact : "null"));
    ridge_jw_end_array(w);
}

static void write_ratios(ridge_json_writer *w, const void *row)
{
    const ridge_machine_compare_row *r = row;
    ridge_jw_array(w);
    for (size_t i = 0; i < r->count; i++)
        ridge_jw_double(w, r->machines[i].ratio < 0 ? (double)NAN : r->machines[i].ratio);
    ridge_jw_end_array(w);
}

#define COMPARED ridge_machine_compare_row
static const ridge_record_field compared_fields[] = {
    RIDGE_R_TEXT(COMPARED, name, "number", NULL, RIDGE_IN_JSON, "its name"),
    RIDGE_R_WRITTEN("values", write_values, "that of each machine; null: not known"),
    RIDGE_R_WRITTEN("ratios", write_ratios, "to the first machine's"),
};
static const ridge_record compared_record = RIDGE_RECORD(COMPARED, "compared number", compared_fields, "a number of several machines");

#define ANSWER ridge_machine_compare_answer
static const ridge_record_field compare_fields[] = {
    RIDGE_R_TEXTS(ANSWER, machines, "machines", NULL, RIDGE_IN_JSON, "ids of the machines", .compact = true),
    RIDGE_R_LIST(ANSWER, rows, row_count, &compared_record, "rows", RIDGE_IN_JSON, "the numbers that one of them knows"),
};
const ridge_record ridge_machine_compare_record = RIDGE_RECORD(ANSWER, "ridge machine compare", compare_fields, "machines side by side");
