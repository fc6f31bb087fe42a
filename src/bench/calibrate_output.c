/* Measured ceilings as tables (calibrate.h). */
#include "bench/calibrate.h"

#include "report/table.h"

typedef struct output {
    ridge_buf *out;
    const ridge_ceilings *ceilings;
    ridge_arena *arena;
    int width;
    bool failed; /* memory ran out */
} output;

static const char **row(output *o, ridge_table *table)
{
    const char **cells = ridge_table_row(table);
    o->failed = o->failed || !cells;
    return cells;
}

static void render(output *o, const ridge_table *table, const char *legend)
{
    if (table->row_count == 0)
        return;
    ridge_table_render(o->out, table, RIDGE_FORM_TEXT, o->width);
    ridge_buf_addf(o->out, "%s\n", legend);
}

static void table_of_streams(output *o)
{
    ridge_column columns[2 + RIDGE_STREAM_COUNT] = {{"level", "level", false}, {"threads", "threads", true}};
    const ridge_ceilings *c = o->ceilings;
    const char **cells = NULL;
    ridge_table table;
    for (size_t k = 0; k < RIDGE_STREAM_COUNT; k++)
        columns[2 + k] = (ridge_column){ridge_stream_names[k], ridge_stream_names[k], true};
    ridge_table_init(&table, o->arena, columns, 2 + RIDGE_STREAM_COUNT);
    for (size_t i = 0; i < c->stream_count; i++) {
        const ridge_ceiling_stream *s = &c->streams[i];
        if (i == 0 || s->level != s[-1].level || s->threads != s[-1].threads) {
            cells = row(o, &table);
            if (!cells)
                return;
            for (size_t k = 0; k < RIDGE_STREAM_COUNT; k++)
                cells[2 + k] = "-";
            cells[0] = ridge_ceiling_level_names[s->level];
            cells[1] = ridge_arena_printf(o->arena, "%u", s->threads);
        }
        cells[2 + s->stream->kind] = ridge_units_ratio(o->arena, s->bytes_per_s / 1e9);
    }
    render(o, &table, "bandwidth in GB/s, all threads together; -nt: non-temporal stores");
}

static void table_of_peaks(output *o)
{
    static const ridge_column columns[] = {
        {"precision", "precision", false},
        {"instructions", "variant", false},
        {"threads", "threads", true},
        {"GFLOP/s", "gflops", true},
        {"GHz", "ghz", true},
        {"per cycle", "per_cycle", true},
        {"kept", "kept", true},
    };
    const ridge_ceilings *c = o->ceilings;
    ridge_table table;
    ridge_table_init(&table, o->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < c->peak_count; i++) {
        const ridge_ceiling_peak *p = &c->peaks[i];
        const char **cells = row(o, &table);
        if (!cells)
            return;
        cells[0] = p->peak->precision;
        cells[1] = p->peak->name;
        cells[2] = ridge_arena_printf(o->arena, "%u", p->threads);
        cells[3] = ridge_units_ratio(o->arena, p->flops_per_s / 1e9);
        cells[4] = p->clock_hz > 0 ? ridge_arena_printf(o->arena, "%.3f", p->clock_hz / 1e9) : "-";
        cells[5] = p->clock_hz > 0 ? ridge_units_ratio(o->arena, p->flops_per_cycle) : "-";
        cells[6] = ridge_arena_printf(o->arena, "%u/%u", p->time.kept, p->time.tried);
    }
    render(o, &table,
           "GFLOP/s of all threads together (int8: operations); per cycle: of one thread, at the clock measured beside it;\n"
           "kept: samples without preemption / taken");
}

static void table_of_overheads(output *o)
{
    static const ridge_column columns[] = {
        {"threads", "threads", true}, {"barrier", "barrier_s", true}, {"region", "region_s", true}, {"after sleep", "wake_s", true}};
    const ridge_ceilings *c = o->ceilings;
    ridge_table table;
    ridge_table_init(&table, o->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < c->overhead_count; i++) {
        const ridge_ceiling_overhead *v = &c->overheads[i];
        const char **cells = row(o, &table);
        if (!cells)
            return;
        cells[0] = ridge_arena_printf(o->arena, "%u", v->threads);
        cells[1] = v->threads > 1 ? ridge_units_seconds(o->arena, v->barrier_s) : "-";
        cells[2] = ridge_units_seconds(o->arena, v->region_s);
        cells[3] = v->wake_s > 0 ? ridge_units_seconds(o->arena, v->wake_s) : "-";
    }
    render(o, &table, "an empty parallel region of waiting threads, and of sleeping ones");
}

ridge_status ridge_output_ceilings(ridge_buf *out, const ridge_ceilings *ceilings, int width, ridge_arena *arena, ridge_err *err)
{
    output o = {out, ceilings, arena, width, false};
    table_of_streams(&o);
    ridge_buf_addc(out, '\n');
    table_of_peaks(&o);
    ridge_buf_addc(out, '\n');
    table_of_overheads(&o);
    ridge_buf_addf(out, "\nclock resolution %s; %s%s\n", ridge_units_seconds(arena, ceilings->clock_resolution_s),
                   ceilings->huge_pages ? "huge pages" : "no huge pages",
                   ceilings->interrupted ? "; interrupted: not all was measured" : "");
    return o.failed || out->failed ? ridge_no_memory(err) : RIDGE_OK;
}
