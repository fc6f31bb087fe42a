#include "machine/view.h"

#include <stdio.h>

/* ---- numbers ---- */

static const char *scaled(ridge_arena *arena, double value, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    size_t p = 0;
    for (; value >= 9999.5 && p + 1 < sizeof prefixes / sizeof *prefixes; p++)
        value /= 1000;
    return ridge_arena_printf(arena, "%.6g %s%s", value, prefixes[p], unit);
}

static const char *binary(ridge_arena *arena, int64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t u = 0;
    for (; bytes % 1024 == 0 && u + 1 < sizeof units / sizeof *units; u++)
        bytes /= 1024;
    return ridge_arena_printf(arena, "%lld %s", (long long)bytes, units[u]);
}

const char *ridge_field_text(ridge_arena *arena, ridge_machine_field field, ridge_field_value v)
{
    double value = (double)v.whole;
    if (!v.known)
        return "-";
    switch (ridge_fields[field].unit) {
    case RIDGE_MACHINE_UNIT_FLOPS_PER_S:
        return value >= 1e12 ? ridge_arena_printf(arena, "%.6g TFLOP/s", value / 1e12) : scaled(arena, value, "FLOP/s");
    case RIDGE_MACHINE_UNIT_BYTES_PER_S:
        return value >= 1e9 ? ridge_arena_printf(arena, "%.6g GB/s", value / 1e9) : scaled(arena, value, "B/s");
    case RIDGE_MACHINE_UNIT_BYTES:
        return v.whole % 1024 == 0 ? binary(arena, v.whole) : scaled(arena, value, "B");
    case RIDGE_MACHINE_UNIT_SECONDS:
        return ridge_arena_printf(arena, "%.4g us", v.seconds * 1e6);
    case RIDGE_MACHINE_UNIT_HZ:
        return value >= 1e6 ? ridge_arena_printf(arena, "%.6g MHz", value / 1e6) : scaled(arena, value, "Hz");
    case RIDGE_MACHINE_UNIT_WATTS:
        return ridge_arena_printf(arena, "%lld W", (long long)v.whole);
    default:
        return ridge_arena_printf(arena, "%lld", (long long)v.whole);
    }
}

static const char *or_failed(bool *failed, const char *text)
{
    *failed = *failed || !text;
    return text;
}

/* ---- the list ---- */

/* what the list shows of a machine: the field and, in text, what it is divided by */
typedef struct list_column {
    ridge_machine_field field;
    double unit;
} list_column;

enum { LIST_NUMBERS = 5, LIST_FIRST = 1 };
static const list_column list_columns[LIST_NUMBERS] = {
    {RIDGE_FIELD_PEAK + RIDGE_PRECISION_BF16, 1e12},
    {RIDGE_FIELD_PEAK + RIDGE_PRECISION_FP8, 1e12},
    {RIDGE_FIELD_MEMORY + 2 * RIDGE_LEVEL_DRAM, 1e9},
    {RIDGE_FIELD_MEMORY + 2 * RIDGE_LEVEL_DRAM + 1, 1073741824},
    {RIDGE_FIELD_POWER_W, 1},
};

static const char *list_cell(const ridge_machine *m, const list_column *c, bool marks, ridge_arena *arena)
{
    ridge_field_value v = ridge_field_get(m, c->field);
    const char *mark = !marks ? "" : ridge_field_unverified(m, c->field) ? "*" : " ";
    return v.known ? ridge_arena_printf(arena, "%.6g%s", (double)v.whole / c->unit, mark) : marks ? "- " : "-";
}

static ridge_status list_text(ridge_buf *out, const ridge_machine *const *machines, size_t count, ridge_form style, int width,
                              ridge_arena *arena, ridge_err *err)
{
    static const ridge_column columns[] = {
        {"id", "id", false},      {"bf16 ", "bf16", true}, {"fp8 ", "fp8", true},   {"GB/s ", "bandwidth", true},
        {"GiB ", "memory", true}, {"W ", "power", true},   {"name", "name", false},
    };
    enum { FIXED = 66, NAME_LEAST = 8 };
    ridge_table table;
    bool failed = false;
    int room = style != RIDGE_FORM_TEXT || width == 0 ? 1000 : width - FIXED < NAME_LEAST ? NAME_LEAST : width - FIXED;
    ridge_table_init(&table, arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        const char **cells = ridge_table_row(&table);
        if (!cells)
            return ridge_no_memory(err);
        cells[0] = machines[i]->id;
        for (size_t c = 0; c < LIST_NUMBERS; c++)
            cells[LIST_FIRST + c] = or_failed(&failed, list_cell(machines[i], &list_columns[c], true, arena));
        bool cut = strlen(machines[i]->name) > (size_t)room;
        cells[LIST_FIRST + LIST_NUMBERS] =
            or_failed(&failed, ridge_arena_printf(arena, "%.*s%s", cut ? room - 3 : room, machines[i]->name, cut ? "..." : ""));
    }
    if (failed)
        return ridge_no_memory(err);
    ridge_table_render(out, &table, style, width);
    ridge_buf_addz(out, "\nbf16, fp8: dense peaks in TFLOP/s; -: not known; *: not verified at its source\n");
    return RIDGE_OK;
}

static const char *exact(ridge_field_value v, ridge_machine_field field, ridge_arena *arena)
{
    if (!v.known)
        return "";
    if (ridge_fields[field].unit == RIDGE_MACHINE_UNIT_SECONDS)
        return ridge_arena_printf(arena, "%.17g", v.seconds);
    return ridge_arena_printf(arena, "%lld", (long long)v.whole);
}

static const char *unverified_text(const ridge_machine *m, ridge_arena *arena)
{
    const char *text = "";
    for (size_t i = 0; text && i < m->unverified_count; i++)
        text = ridge_arena_printf(arena, "%s%s%s", text, i == 0 ? "" : " ", m->unverified[i]);
    return text;
}

/* every number in its base unit, one column a field */
static ridge_status list_csv(ridge_buf *out, const ridge_machine *const *machines, size_t count, ridge_arena *arena, ridge_err *err)
{
    enum { TEXTS = 5 };
    ridge_column columns[TEXTS + RIDGE_FIELD_COUNT + 1] = {
        {"id", "id", false}, {"name", "name", false}, {"vendor", "vendor", false}, {"kind", "kind", false}, {"arch", "arch", false},
    };
    ridge_table table;
    bool failed = false;
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT; f++)
        columns[TEXTS + f] = (ridge_column){ridge_fields[f].name, ridge_fields[f].name, true};
    columns[TEXTS + RIDGE_FIELD_COUNT] = (ridge_column){"unverified", "unverified", false};
    ridge_table_init(&table, arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        const ridge_machine *m = machines[i];
        const char **cells = ridge_table_row(&table);
        if (!cells)
            return ridge_no_memory(err);
        const char *texts[TEXTS] = {m->id, m->name, m->vendor, m->kind, m->arch};
        for (size_t c = 0; c < TEXTS; c++)
            cells[c] = texts[c] ? texts[c] : "";
        for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT; f++)
            cells[TEXTS + f] = or_failed(&failed, exact(ridge_field_get(m, f), f, arena));
        cells[TEXTS + RIDGE_FIELD_COUNT] = or_failed(&failed, unverified_text(m, arena));
    }
    if (failed)
        return ridge_no_memory(err);
    ridge_table_render(out, &table, RIDGE_FORM_CSV, 0);
    return RIDGE_OK;
}

ridge_status ridge_output_machine_list(ridge_buf *out, const ridge_machine *const *machines, size_t count, ridge_form style,
                                       int width, ridge_arena *arena, ridge_err *err)
{
    if (style == RIDGE_FORM_CSV)
        return list_csv(out, machines, count, arena, err);
    return list_text(out, machines, count, style, width, arena, err);
}

/* ---- one machine ---- */

/* "h100-pcie-80: H100 PCIe 80GB" and what it is */
static void add_head(ridge_buf *out, const ridge_machine *m)
{
    ridge_buf_addf(out, "%s: %s\n", m->id, m->name);
    if (m->vendor)
        ridge_buf_addf(out, "%s ", m->vendor);
    if (m->arch)
        ridge_buf_addf(out, "%s ", m->arch);
    ridge_buf_addz(out, m->kind);
    if (m->year != RIDGE_MACHINE_UNKNOWN)
        ridge_buf_addf(out, ", %lld", (long long)m->year);
    ridge_buf_addf(out, ", %s", m->file);
    if (m->inherits)
        ridge_buf_addf(out, ", inherits %s", m->inherits);
    ridge_buf_addc(out, '\n');
    for (size_t i = 0; i < m->level_count; i++)
        if (m->levels[i].type)
            ridge_buf_addf(out, "%s: %s\n", m->levels[i].name, m->levels[i].type);
    for (size_t i = 0; i < m->link_count; i++)
        if (m->links[i].name)
            ridge_buf_addf(out, "link, %s: %s\n", ridge_link_kind_names[m->links[i].kind], m->links[i].name);
    ridge_buf_addc(out, '\n');
}

/* number of a source in the list below the table; 0: none */
static size_t source_number(const char **sources, size_t *count, const char *text)
{
    size_t i = 0;
    while (text && i < *count && strcmp(sources[i], text) != 0)
        i++;
    if (text && i == *count)
        sources[(*count)++] = text;
    return text ? i + 1 : 0;
}

static ridge_status add_numbers(ridge_buf *out, const ridge_machine *m, const char **sources, size_t *count, ridge_arena *arena,
                                ridge_err *err)
{
    static const ridge_column columns[] = {
        {"number", "number", false},
        {"value ", "value", true},
        {"exact", "exact", true},
        {"source", "source", false},
    };
    ridge_table table;
    bool failed = false;
    ridge_table_init(&table, arena, columns, sizeof columns / sizeof *columns);
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT; f++) {
        ridge_field_value v = ridge_field_get(m, f);
        const char **cells = v.known ? ridge_table_row(&table) : NULL;
        failed = failed || (v.known && !cells);
        if (!cells)
            continue;
        size_t number = source_number(sources, count, ridge_field_source(m, f));
        cells[0] = ridge_fields[f].name;
        cells[1] =
            or_failed(&failed, ridge_arena_printf(arena, "%s%s", ridge_field_text(arena, f, v), ridge_field_unverified(m, f) ? "*" : " "));
        cells[2] = or_failed(&failed, exact(v, f, arena));
        cells[3] = number > 0 ? or_failed(&failed, ridge_arena_printf(arena, "[%zu]", number)) : "none";
    }
    if (failed)
        return ridge_no_memory(err);
    ridge_table_render(out, &table, RIDGE_FORM_TEXT, 0);
    return RIDGE_OK;
}

void ridge_output_machine_unknown(ridge_buf *out, const ridge_machine *m, int width)
{
    static const char title[] = "not known:";
    size_t at = 0, room = width > 0 ? (size_t)width : 80;
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT; f++) {
        const char *name = ridge_fields[f].name;
        if (ridge_field_get(m, f).known)
            continue;
        if (at == 0)
            ridge_buf_addz(out, title);
        at = at == 0 ? strlen(title) : at;
        if (at + 1 + strlen(name) > room) {
            ridge_buf_addz(out, "\n ");
            at = 1;
        }
        ridge_buf_addf(out, " %s", name);
        at += 1 + strlen(name);
    }
    if (at > 0)
        ridge_buf_addc(out, '\n');
}

static void add_achieved(ridge_buf *out, const ridge_machine *m, ridge_arena *arena)
{
    const ridge_machine_achieved *a = &m->achieved;
    if (!a->source)
        return;
    ridge_buf_addz(out, "\nreached in practice:");
    for (ridge_machine_field p = 0; p < RIDGE_PRECISION_COUNT; p++)
        if (a->flops_per_s[p] != RIDGE_MACHINE_UNKNOWN)
            ridge_buf_addf(out, " %s %s,", ridge_precision_names[p],
                           ridge_field_text(arena, RIDGE_FIELD_PEAK + p, (ridge_field_value){true, a->flops_per_s[p], 0}));
    if (a->bytes_per_s != RIDGE_MACHINE_UNKNOWN)
        ridge_buf_addf(out, " memory %s,", ridge_field_text(arena, RIDGE_FIELD_MEMORY, (ridge_field_value){true, a->bytes_per_s, 0}));
    ridge_buf_addf(out, "\n  %s\n", a->source);
}

ridge_status ridge_output_machine(ridge_buf *out, const ridge_machine *m, int width, ridge_arena *arena, ridge_err *err)
{
    const char *sources[RIDGE_FIELD_COUNT];
    size_t count = 0;
    add_head(out, m);
    ridge_status st = add_numbers(out, m, sources, &count, arena, err);
    if (st)
        return st;
    if (m->unverified_count > 0)
        ridge_buf_addz(out, "*: not verified at its source\n");
    ridge_output_machine_unknown(out, m, width);
    add_achieved(out, m, arena);
    if (count > 0)
        ridge_buf_addz(out, "\nsources\n");
    for (size_t i = 0; i < count; i++)
        ridge_buf_addf(out, "  [%zu] %s\n", i + 1, sources[i]);
    if (m->note_count > 0)
        ridge_buf_addz(out, "\nnotes\n");
    for (size_t i = 0; i < m->note_count; i++)
        ridge_buf_addf(out, "  %s\n", m->notes[i]);
    return RIDGE_OK;
}

/* ---- several, side by side ---- */

static bool known_by_one(const ridge_machine *const *machines, size_t count, ridge_machine_field f)
{
    for (size_t i = 0; i < count; i++)
        if (ridge_field_get(machines[i], f).known)
            return true;
    return false;
}

/* to the first machine's number; negative: one of them is not known */
static double ratio(ridge_field_value v, ridge_field_value first)
{
    if (!v.known || !first.known)
        return -1;
    return first.whole != 0 ? (double)v.whole / (double)first.whole : first.seconds > 0 ? v.seconds / first.seconds : -1;
}

static const char *compare_cell(const ridge_machine *const *machines, size_t i, ridge_machine_field f, ridge_arena *arena)
{
    ridge_field_value v = ridge_field_get(machines[i], f);
    double r = ratio(v, ridge_field_get(machines[0], f));
    const char *mark = ridge_field_unverified(machines[i], f) ? "*" : "", *text = ridge_field_text(arena, f, v);
    if (i == 0 || r < 0)
        return ridge_arena_printf(arena, "%s%s", text, mark);
    return ridge_arena_printf(arena, "%s%s (%.3gx)", text, mark, r);
}

static ridge_status compare_rows(ridge_table *table, const ridge_machine *const *machines, size_t count, bool csv, ridge_arena *arena)
{
    bool failed = false;
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT; f++) {
        const char **cells = known_by_one(machines, count, f) ? ridge_table_row(table) : NULL;
        failed = failed || (!cells && known_by_one(machines, count, f));
        if (!cells)
            continue;
        cells[0] = ridge_fields[f].name;
        for (size_t i = 0; i < count; i++) {
            ridge_field_value v = ridge_field_get(machines[i], f);
            double r = ratio(v, ridge_field_get(machines[0], f));
            if (!csv) {
                cells[1 + i] = or_failed(&failed, compare_cell(machines, i, f, arena));
                continue;
            }
            cells[1 + 2 * i] = or_failed(&failed, exact(v, f, arena));
            cells[2 + 2 * i] = r < 0 ? "" : or_failed(&failed, ridge_arena_printf(arena, "%.6g", r));
        }
    }
    return failed ? RIDGE_NOMEM : RIDGE_OK;
}

ridge_status ridge_output_machine_compare(ridge_buf *out, const ridge_machine *const *machines, size_t count, ridge_form style,
                                          int width, ridge_arena *arena, ridge_err *err)
{
    bool csv = style == RIDGE_FORM_CSV;
    size_t each = csv ? 2 : 1;
    ridge_column *columns = ridge_arena_array(arena, 1 + each * count, sizeof *columns);
    ridge_table table;
    bool failed = !columns;
    if (failed)
        return ridge_no_memory(err);
    columns[0] = (ridge_column){"number", "number", false};
    for (size_t i = 0; i < count; i++) {
        const char *id = machines[i]->id;
        columns[1 + each * i] = (ridge_column){id, id, true};
        if (csv)
            columns[2 + each * i] = (ridge_column){id, or_failed(&failed, ridge_arena_printf(arena, "%s ratio", id)), true};
    }
    ridge_table_init(&table, arena, columns, 1 + each * count);
    if (failed || compare_rows(&table, machines, count, csv, arena) != RIDGE_OK)
        return ridge_no_memory(err);
    ridge_table_render(out, &table, style, width);
    return RIDGE_OK;
}

static void write_value(ridge_json_writer *w, ridge_machine_field f, ridge_field_value v)
{
    if (!v.known)
        ridge_jw_null(w);
    else if (ridge_fields[f].unit == RIDGE_MACHINE_UNIT_SECONDS)
        ridge_jw_double(w, v.seconds);
    else
        ridge_jw_int(w, v.whole);
}

static void write_row(ridge_json_writer *w, const ridge_machine *const *machines, size_t count, ridge_machine_field f)
{
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "number", ridge_fields[f].name);
    ridge_jw_key(w, "values");
    ridge_jw_array(w);
    for (size_t i = 0; i < count; i++)
        write_value(w, f, ridge_field_get(machines[i], f));
    ridge_jw_end_array(w);
    ridge_jw_key(w, "ratios");
    ridge_jw_array(w);
    for (size_t i = 0; i < count; i++) {
        double r = ratio(ridge_field_get(machines[i], f), ridge_field_get(machines[0], f));
        if (r < 0)
            ridge_jw_null(w);
        else
            ridge_jw_double(w, r);
    }
    ridge_jw_end_array(w);
    ridge_jw_end_object(w);
}

void ridge_output_machine_compare_json(ridge_json_writer *w, const ridge_machine *const *machines, size_t count)
{
    ridge_jw_key(w, "machines");
    ridge_jw_array_compact(w);
    for (size_t i = 0; i < count; i++)
        ridge_jw_strz(w, machines[i]->id);
    ridge_jw_end_array(w);
    ridge_jw_key(w, "rows");
    ridge_jw_array(w);
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT; f++)
        if (known_by_one(machines, count, f))
            write_row(w, machines, count, f);
    ridge_jw_end_array(w);
}
