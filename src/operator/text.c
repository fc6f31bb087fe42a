/* An answer of `ridge op` for people: one operator on one screen, many rows as a table. */
#include "operator/answer.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/shown.h"

enum { NAME_WIDTH = 22, VALUE_WIDTH = 26 };

/* ---- counts ---- */

typedef struct op_page {
    ridge_buf *out;
    ridge_arena *arena;
} op_page;

/* "  A      4,194,304 B = 4.194 MB read" */
static void add_line(const op_page *p, const char *indent, const char *name, ridge_int n, const char *unit, const char *remark)
{
    ridge_buf_addf(p->out, "%s%-*s %*s %s", indent, NAME_WIDTH - (int)strlen(indent), name, VALUE_WIDTH, ridge_units_exact(p->arena, n),
                   unit);
    if (n >= 1000)
        ridge_buf_addf(p->out, " = %s%s", ridge_units(p->arena, n), unit);
    ridge_buf_addf(p->out, "%s\n", remark);
}

static void add_flops(const op_page *p, const ridge_op_record *r)
{
    add_line(p, "", "FLOPs", r->flops.total, "FLOP", "");
    for (int i = 0; i < RIDGE_FLOP_COUNT; i++)
        if (r->flops.by_class[i] != 0)
            add_line(p, "  ", ridge_flop_names[i], r->flops.by_class[i], "FLOP",
                     i == RIDGE_FLOP_EMBEDDING ? " (an accounting unit: a lookup does no arithmetic)" : "");
    if (r->flops.dequantisation != 0)
        add_line(p, "  ", "dequantisation", r->flops.dequantisation, "FLOP", "");
}

/* "stored   262,144,000 B = 262.1 MB in 131,072,000 parameters" */
static void add_stored(const op_page *p, const ridge_op_record *r)
{
    const char *remark = ridge_arena_printf(p->arena, " in %s parameters", ridge_units_exact(p->arena, r->parameters));
    add_line(p, "", "stored", r->stored_bytes, "B", remark ? remark : "");
}

static void add_record(const op_page *p, const ridge_op_row *row)
{
    const ridge_op_record *r = &row->record;
    add_flops(p, r);
    if (r->part_count > 1) {
        ridge_buf_addz(p->out, "FLOPs of the parts\n");
        for (size_t i = 0; i < r->part_count; i++)
            add_line(p, "  ", r->parts[i].name, r->parts[i].flops.total, "FLOP", "");
    }
    if (r->parameters > 0)
        add_stored(p, r);
    add_line(p, "", "bytes", r->bytes, "B", "");
    for (size_t i = 0; i < r->part_count; i++)
        if (r->parts[i].bytes > 0)
            add_line(p, "  ", r->parts[i].name, r->parts[i].bytes, "B", "");
    for (size_t i = 0; i < r->operand_count; i++)
        if (!strchr(r->operands[i].name, '.')) /* those of parts stand above, together */
            add_line(p, "  ", r->operands[i].name, r->operands[i].bytes, "B", r->operands[i].written ? " written" : " read");
    ridge_buf_addf(p->out, "arithmetic intensity %s FLOP/byte\n", ridge_units_ratio(p->arena, row->arithmetic_intensity));
}

/* ---- the machine ---- */

/* characters, not bytes: UTF-8 continuation bytes take no room */
static int room_of(const char *s)
{
    int n = 0;
    for (; *s != '\0'; s++)
        n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}

/* the value is flush right, the remark stands behind it; NULL: there is none */
__attribute__((format(printf, 4, 5))) static void add_field(const op_page *p, const char *name, const char *value, const char *remark, ...)
{
    char text[128] = "";
    int pad = VALUE_WIDTH - room_of(value);
    va_list args;
    va_start(args, remark);
    if (remark)
        (void)vsnprintf(text, sizeof text, remark, args);
    va_end(args);
    ridge_buf_addf(p->out, "  %-*s %*s%s%s%s\n", NAME_WIDTH - 2, name, pad > 0 ? pad : 0, "", value, remark ? " " : "", text);
}

static const char *rate(const op_page *p, double flops_per_s)
{
    return ridge_unit_text(p->arena, RIDGE_UNIT_FLOPS_PER_S, flops_per_s);
}

static const char *bandwidth(const op_page *p, double bytes_per_s)
{
    return ridge_unit_text(p->arena, RIDGE_UNIT_BYTES_PER_S, bytes_per_s);
}

static const char *seconds(const op_page *p, double s)
{
    return ridge_units_seconds(p->arena, s);
}

static const char *joined(const op_page *p, const char *number, const char *unit)
{
    const char *text = ridge_arena_printf(p->arena, "%s %s", number, unit);
    return text ? text : "";
}

static void add_no_rate(const op_page *p, ridge_precision used, const char *machine)
{
    ridge_buf_addf(p->out, "the %s rate of %s is not known: memory bound only, at least the time given\n", ridge_precision_names[used],
                   ridge_shown(p->arena, machine));
}

/* "A100 has no fp8 units: converts and computes at bf16"; a rate that is not known is said so */
static void add_rate(const op_page *p, const char *name, const ridge_op_rate *r, const ridge_machine *m)
{
    const char *used = ridge_precision_names[r->used];
    if (r->peak_flops_per_s < 0) {
        ridge_buf_addz(p->out, "  ");
        add_no_rate(p, r->used, m->name);
        return;
    }
    add_field(p, name, rate(p, r->peak_flops_per_s), "%s%s", used, r->unit == RIDGE_OP_VECTOR_UNIT ? ", vector units" : "");
    if (r->used != r->wanted)
        ridge_buf_addf(p->out, "  %s has no %s units: converts and computes at %s\n", ridge_shown(p->arena, m->name),
                       ridge_precision_names[r->wanted], used);
}

static void add_rates(const op_page *p, const ridge_op_row *row)
{
    const ridge_op_time *t = &row->time;
    if (row->rate.unit == RIDGE_OP_MATRIX_UNIT || (t->has_vector && row->rate.peak_flops_per_s > 0))
        add_rate(p, "computes at", &row->rate, t->machine);
    if (row->attention_precision && row->attention_precision->used != row->rate.used)
        add_rate(p, "attention at", row->attention_precision, t->machine);
    if (t->has_vector && t->vector.peak_flops_per_s < 0)
        ridge_buf_addf(p->out, "  %s gives no rate of its vector units: their work counts by its bytes alone\n",
                       ridge_shown(p->arena, t->machine->name));
}

static void add_time(const op_page *p, const ridge_op_row *row)
{
    const ridge_op_time *t = &row->time;
    ridge_arena *arena = p->arena;
    ridge_buf_addf(p->out, "on %s (%s)\n", ridge_shown(arena, t->machine->name), ridge_shown(arena, t->machine->id));
    add_rates(p, row);
    if (t->level->bytes_per_s > 0)
        add_field(p, "memory", bandwidth(p, (double)t->level->bytes_per_s), "%s", t->level->name);
    else
        ridge_buf_addf(p->out, "  the bandwidth of %s is not known: compute bound only, at least the time given\n",
                       ridge_shown(arena, t->machine->name));
    if (t->ridge_point >= 0)
        add_field(p, "ridge point", joined(p, ridge_units_ratio(arena, t->ridge_point), "FLOP/byte"), NULL);
    add_field(p, "time of memory", t->memory_s < 0 ? "unknown" : seconds(p, t->memory_s), NULL);
    add_field(p, "time of compute", t->compute_s < 0 ? "unknown" : seconds(p, t->compute_s), NULL);
    if (t->launch_s >= 0)
        add_field(p, "launch", seconds(p, t->launch_s), "%s", t->launch_counted ? "counted" : "not counted");
    add_field(p, "time", seconds(p, t->time_s), "%s-bound", ridge_bound_names[t->bound]);
    add_field(p, "rate", rate(p, t->flops_per_s), t->percent_of_peak < 0 ? NULL : "(%s %% of the peak)",
              ridge_units_percent(arena, t->percent_of_peak));
    add_field(p, "bandwidth", bandwidth(p, t->bytes_per_s), t->percent_of_bandwidth < 0 ? NULL : "(%s %% of %s)",
              ridge_units_percent(arena, t->percent_of_bandwidth), t->level->name);
}

/* ---- tiles ---- */

static void add_tiling(const op_page *p, const ridge_tiling *t, const ridge_machine *machine)
{
    ridge_arena *arena = p->arena;
    const char *tile =
        ridge_arena_printf(arena, "%lld x %lld x %lld", (long long)t->shape.tile_m, (long long)t->shape.tile_n, (long long)t->tile_k);
    const char *grid = ridge_arena_printf(arena, "%.17g x %.17g x %lld", t->grid_m, t->grid_n, (long long)t->shape.splits);
    ridge_buf_addz(p->out, "tiling\n");
    add_field(p, "tile (m, n, k)", tile ? tile : "", NULL);
    add_field(p, "grid (m, n, splits)", grid ? grid : "", "= %.17g blocks", t->blocks);
    add_field(p, "shared memory", joined(p, ridge_units_exact(arena, (ridge_int)t->block_shared_bytes), "B"), "per block, %lld stages",
              (long long)t->stages);
    add_field(p, "resident", ridge_units_exact(arena, t->blocks_per_unit), "blocks per unit");
    add_field(p, "waves", ridge_units_exact(arena, (ridge_int)t->waves), "over %lld units", (long long)machine->compute_units);
    add_field(p, "wave efficiency", joined(p, ridge_units_percent(arena, 100 * t->wave_efficiency), "%"), NULL);
    add_field(p, "tile efficiency", joined(p, ridge_units_percent(arena, 100 * t->tile_efficiency), "%"), NULL);
    add_field(p, "time with this tiling", seconds(p, t->time_s), NULL);
}

/* ---- the whole ---- */

static void add_title(const op_page *p, const ridge_op_answer *a)
{
    const ridge_op_formats *f = &a->rows[0].formats;
    ridge_buf_addz(p->out, a->title);
    if (!a->several_formats)
        ridge_buf_addf(p->out, " (activations %s, weights %s, KV %s)", f->activations->name, f->weights->name, f->kv->name);
    ridge_buf_addc(p->out, '\n');
}

static bool is_rateless(const ridge_op_row *row)
{
    return row->timed && row->rate.unit == RIDGE_OP_MATRIX_UNIT && row->rate.peak_flops_per_s < 0;
}

/* below a table: of row i, once for each machine and precision */
static void add_unknown_rate(const op_page *p, const ridge_op_answer *a, size_t i)
{
    const ridge_op_row *row = &a->rows[i];
    bool said = !is_rateless(row);
    for (size_t k = 0; k < i && !said; k++)
        said = is_rateless(&a->rows[k]) && a->rows[k].machine == row->machine && a->rows[k].rate.used == row->rate.used;
    if (!said)
        add_no_rate(p, row->rate.used, row->machine_id);
}

static ridge_status add_many(const op_page *p, const ridge_op_answer *a, int width, ridge_err *err)
{
    add_flops(p, &a->rows[0].record);
    if (a->machine_count == 1)
        ridge_buf_addf(p->out, "on %s (%s)\n", a->machines[0]->name, a->machines[0]->id);
    ridge_buf_addc(p->out, '\n');
    ridge_status st = ridge_op_table(p->out, a, RIDGE_FORM_TEXT, width, err);
    for (size_t i = 0; i < a->row_count; i++)
        add_unknown_rate(p, a, i);
    for (size_t i = 0; i < a->problems.count; i++)
        ridge_buf_addf(p->out, "no time: %s\n", a->problems.items[i]);
    return st;
}

ridge_status ridge_op_answer_text(ridge_buf *out, const ridge_op_answer *a, int width, ridge_err *err)
{
    const op_page page = {out, a->arena};
    const ridge_op_row *row = &a->rows[0];
    add_title(&page, a);
    if (a->many)
        return add_many(&page, a, width, err);
    add_record(&page, row);
    if (row->timed)
        add_time(&page, row);
    if (row->tiling)
        add_tiling(&page, row->tiling, row->machine);
    return RIDGE_OK;
}
