#include "operator/answer.h"

#include <stdio.h>

const char *const ridge_op_dim_options[RIDGE_OP_DIM_COUNT] = {
    [RIDGE_OP_M] = "m",
    [RIDGE_OP_N] = "n",
    [RIDGE_OP_K] = "k",
    [RIDGE_OP_ROWS] = "rows",
    [RIDGE_OP_COLS] = "cols",
    [RIDGE_OP_BATCH] = "batch",
    [RIDGE_OP_SEQ_LEN] = "seq",
    [RIDGE_OP_KV_LEN] = "kv-len",
    [RIDGE_OP_HEADS] = "heads",
    [RIDGE_OP_KV_HEADS] = "kv-heads",
    [RIDGE_OP_HEAD_DIM] = "head-dim",
    [RIDGE_OP_HIDDEN] = "hidden",
    [RIDGE_OP_INTERMEDIATE] = "intermediate",
    [RIDGE_OP_LAYERS] = "layers",
    [RIDGE_OP_VOCAB] = "vocab",
    [RIDGE_OP_IN_CHANNELS] = "in-channels",
    [RIDGE_OP_OUT_CHANNELS] = "out-channels",
    [RIDGE_OP_HEIGHT] = "height",
    [RIDGE_OP_WIDTH] = "width",
    [RIDGE_OP_KERNEL_H] = "kernel",
    [RIDGE_OP_STRIDE_H] = "stride",
    [RIDGE_OP_PADDING_H] = "padding",
    [RIDGE_OP_DILATION_H] = "dilation",
    [RIDGE_OP_GROUPS] = "groups",
};

enum { NAME_WIDTH = 22, VALUE_WIDTH = 26 };

static double as_double(ridge_int n)
{
    return ridge_rational_double(ridge_rational_of(n));
}

/* ---- counts ---- */

/* "137.4 G" */
static void add_scaled(ridge_buf *out, ridge_int n)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E", "Z", "Y"};
    double x = as_double(n);
    size_t p = 0;
    for (; x >= 1000 && p + 1 < sizeof prefixes / sizeof *prefixes; p++)
        x /= 1000;
    ridge_buf_addf(out, "%.4g %s", x, prefixes[p]);
}

static void add_line(ridge_buf *out, const char *indent, const char *name, ridge_int n, const char *unit, const char *remark)
{
    char digits[RIDGE_INT_COMMA_CHARS];
    ridge_int_print_comma(digits, n);
    ridge_buf_addf(out, "%s%-*s %*s %s", indent, NAME_WIDTH - (int)strlen(indent), name, VALUE_WIDTH, digits, unit);
    if (n >= 1000) {
        ridge_buf_addz(out, " = ");
        add_scaled(out, n);
        ridge_buf_addz(out, unit);
    }
    ridge_buf_addf(out, "%s\n", remark);
}

/* the second of a pair (kernel_w) has no option of its own: it is written behind the first where it differs */
static ridge_int second_of(const ridge_op_shape *shape, unsigned d)
{
    return d + 1 < RIDGE_OP_DIM_COUNT && !ridge_op_dim_options[d + 1] ? shape->dims[d + 1] : shape->dims[d];
}

static void add_shape(ridge_buf *out, const ridge_op_question *q)
{
    ridge_buf_addz(out, ridge_op_kinds[q->kind].name);
    for (unsigned d = 0; d < RIDGE_OP_DIM_COUNT; d++) {
        ridge_int first = q->shape.dims[d], second = second_of(&q->shape, d);
        if (!ridge_op_dim_options[d] || (first == 0 && second == 0))
            continue;
        ridge_buf_addf(out, " %s=", ridge_op_dim_options[d]);
        ridge_buf_add_int(out, first);
        if (second != first) {
            ridge_buf_addc(out, 'x');
            ridge_buf_add_int(out, second);
        }
    }
    for (unsigned i = 0; i < RIDGE_OP_FLAG_COUNT; i++)
        if (q->shape.flags[i])
            ridge_buf_addf(out, " %s", ridge_op_flag_names[i]);
}

static size_t part_length(const char *operand)
{
    return strcspn(operand, ".");
}

/* one line per operand, or per part of a composite kind: its operands stand together */
static void add_operands(ridge_buf *out, const ridge_op_record *r)
{
    for (size_t i = 0, next; i < r->operand_count; i = next) {
        const ridge_op_operand *o = &r->operands[i];
        size_t n = part_length(o->name);
        ridge_int bytes = 0;
        char name[64];
        if (o->name[n] == '\0') {
            add_line(out, "  ", o->name, o->bytes, "B", o->written ? " written" : " read");
            next = i + 1;
            continue;
        }
        for (next = i;
             next < r->operand_count && part_length(r->operands[next].name) == n && memcmp(r->operands[next].name, o->name, n) == 0; next++)
            bytes += r->operands[next].bytes;
        (void)snprintf(name, sizeof name, "%.*s", (int)n, o->name);
        add_line(out, "  ", name, bytes, "B", "");
    }
}

static void add_flops(ridge_buf *out, const ridge_op_record *r)
{
    add_line(out, "", "FLOPs", r->flops.total, "FLOP", "");
    for (int i = 0; i < RIDGE_FLOP_COUNT; i++)
        if (r->flops.by_class[i] != 0)
            add_line(out, "  ", ridge_flop_names[i], r->flops.by_class[i], "FLOP",
                     i == RIDGE_FLOP_EMBEDDING ? " (an accounting unit: a lookup does no arithmetic)" : "");
    if (r->flops.dequantisation != 0)
        add_line(out, "  ", "dequantisation", r->flops.dequantisation, "FLOP", "");
}

static void add_record(ridge_buf *out, const ridge_op_record *r)
{
    add_flops(out, r);
    if (r->part_count > 1) {
        ridge_buf_addz(out, "FLOPs of the parts\n");
        for (size_t i = 0; i < r->part_count; i++)
            add_line(out, "  ", r->parts[i].name, r->parts[i].flops.total, "FLOP", "");
    }
    add_line(out, "", "bytes", r->bytes, "B", "");
    add_operands(out, r);
    ridge_buf_addf(out, "arithmetic intensity %.4g FLOP/byte\n", as_double(r->flops.total) / as_double(r->bytes));
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

static void add_field(ridge_buf *out, const char *name, const char *value, const char *remark)
{
    int pad = VALUE_WIDTH - room_of(value);
    ridge_buf_addf(out, "  %-*s %*s%s%s\n", NAME_WIDTH - 2, name, pad > 0 ? pad : 0, "", value, remark);
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* "fp8 is not a rate of A100: computes at bf16" */
static void add_precision(ridge_buf *out, ridge_arena *arena, const char *name, const ridge_machine *m, ridge_precision wanted,
                          ridge_precision used, double peak_flops_per_s, const char *unit)
{
    const char *remark = or_empty(ridge_arena_printf(arena, " %s%s", ridge_precision_names[used], unit));
    add_field(out, name, ridge_op_scaled(arena, peak_flops_per_s, "FLOP/s"), remark);
    if (wanted != used)
        ridge_buf_addf(out, "  %s is not a rate of %s: computes at %s\n", ridge_precision_names[wanted], m->name,
                       ridge_precision_names[used]);
}

static void add_precisions(ridge_buf *out, ridge_arena *arena, const ridge_op_row *row)
{
    const ridge_op_time *t = &row->time;
    const ridge_machine *m = t->machine;
    if (t->has_matrix || t->has_attention)
        add_precision(out, arena, "computes at", m, t->matrix.wanted, t->matrix.used, t->matrix.peak_flops_per_s, "");
    if (t->has_matrix && t->has_attention && t->attention.used != t->matrix.used)
        add_precision(out, arena, "attention at", m, t->attention.wanted, t->attention.used, t->attention.peak_flops_per_s, "");
    if (!t->has_vector)
        return;
    if (t->vector_flops_per_s < 0)
        ridge_buf_addf(out, "  %s gives no rate of its vector units: their work counts by its bytes alone\n", m->name);
    else if (!t->has_matrix && !t->has_attention)
        add_precision(out, arena, "computes at", m, ridge_op_vector_wants(&row->formats), ridge_op_vector_uses(&row->formats, m),
                      t->vector_flops_per_s, ", vector units");
}

static const char *with_percent(ridge_arena *arena, double percent, const char *of)
{
    return percent < 0 ? "" : or_empty(ridge_arena_printf(arena, " (%.4g %% of %s)", percent, of));
}

static void add_rates(ridge_buf *out, ridge_arena *arena, const ridge_op_time *t)
{
    const char *gigabytes = or_empty(ridge_arena_printf(arena, "%.4g GB/s", t->bytes_per_s / 1e9));
    add_field(out, "rate", ridge_op_scaled(arena, t->flops_per_s, "FLOP/s"), with_percent(arena, ridge_op_percent_of_peak(t), "the peak"));
    add_field(out, "bandwidth", gigabytes, with_percent(arena, ridge_op_percent_of_bandwidth(t), t->level->name));
}

static void add_time(ridge_buf *out, ridge_arena *arena, const ridge_op_row *row)
{
    const ridge_op_time *t = &row->time;
    const char *bound = or_empty(ridge_arena_printf(arena, " %s-bound", ridge_bound_names[t->bound]));
    const char *level = or_empty(ridge_arena_printf(arena, " %s", t->level->name));
    const char *gigabytes = or_empty(ridge_arena_printf(arena, "%.5g GB/s", (double)t->level->bytes_per_s / 1e9));
    ridge_buf_addf(out, "on %s (%s)\n", t->machine->name, t->machine->id);
    add_precisions(out, arena, row);
    add_field(out, "memory", gigabytes, level);
    if (t->ridge_point >= 0)
        add_field(out, "ridge point", or_empty(ridge_arena_printf(arena, "%.4g FLOP/byte", t->ridge_point)), "");
    add_field(out, "time of memory", ridge_op_scaled(arena, t->memory_s, "s"), "");
    add_field(out, "time of compute", t->compute_s < 0 ? "unknown" : ridge_op_scaled(arena, t->compute_s, "s"), "");
    if (t->launch_s >= 0)
        add_field(out, "launch", ridge_op_scaled(arena, t->launch_s, "s"), t->launch_counted ? " counted" : " not counted");
    add_field(out, "time", ridge_op_scaled(arena, t->time_s, "s"), bound);
    add_rates(out, arena, t);
}

/* ---- tiles ---- */

static void add_tiling(ridge_buf *out, ridge_arena *arena, const ridge_op_row *row)
{
    const ridge_tiling *t = &row->tiling;
    const char *tile = or_empty(
        ridge_arena_printf(arena, "%lld x %lld x %lld", (long long)t->shape.tile_m, (long long)t->shape.tile_n, (long long)t->tile_k));
    const char *grid = or_empty(ridge_arena_printf(arena, "%.17g x %.17g x %lld", t->grid_m, t->grid_n, (long long)t->shape.splits));
    const char *blocks = or_empty(ridge_arena_printf(arena, " = %.17g blocks", t->blocks));
    const char *units = or_empty(ridge_arena_printf(arena, " over %lld units", (long long)row->machine->compute_units));
    ridge_buf_addz(out, "tiling\n");
    add_field(out, "tile (m, n, k)", tile, "");
    add_field(out, "grid (m, n, splits)", grid, blocks);
    add_field(out, "shared memory", or_empty(ridge_arena_printf(arena, "%.17g B", t->block_shared_bytes)),
              or_empty(ridge_arena_printf(arena, " per block, %lld stages", (long long)t->stages)));
    add_field(out, "resident", or_empty(ridge_arena_printf(arena, "%lld", (long long)t->blocks_per_unit)), " blocks per unit");
    add_field(out, "waves", or_empty(ridge_arena_printf(arena, "%.17g", t->waves)), units);
    add_field(out, "wave efficiency", or_empty(ridge_arena_printf(arena, "%.4g %%", 100 * t->wave_efficiency)), "");
    add_field(out, "tile efficiency", or_empty(ridge_arena_printf(arena, "%.4g %%", 100 * t->tile_efficiency)), "");
    add_field(out, "time with this tiling", ridge_op_scaled(arena, t->time_s, "s"), "");
}

/* ---- the whole ---- */

static void add_formats(ridge_buf *out, const ridge_op_formats *f)
{
    ridge_buf_addf(out, " (activations %s, weights %s, KV %s)\n", f->activations->name, f->weights->name, f->kv->name);
}

/* each reason once: the rows of one machine mostly share it */
static void add_problems(ridge_buf *out, const ridge_op_answer *a)
{
    for (size_t i = 0; i < a->row_count; i++) {
        bool said = false;
        for (size_t k = 0; k < i && a->rows[i].problem; k++)
            said = said || (a->rows[k].problem && strcmp(a->rows[k].problem, a->rows[i].problem) == 0);
        if (a->rows[i].problem && !said)
            ridge_buf_addf(out, "no time: %s\n", a->rows[i].problem);
    }
}

static void add_many(ridge_buf *out, const ridge_op_answer *a, int width)
{
    add_shape(out, a->question);
    if (a->question->all_formats)
        ridge_buf_addc(out, '\n');
    else
        add_formats(out, &a->rows[0].formats);
    add_flops(out, &a->rows[0].record);
    if (a->question->machine_count == 1)
        ridge_buf_addf(out, "on %s (%s)\n", a->rows[0].machine->name, a->rows[0].machine->id);
    ridge_buf_addc(out, '\n');
    if (ridge_op_table(out, a, RIDGE_FORM_TEXT, width))
        out->failed = true;
    add_problems(out, a);
}

void ridge_op_text(ridge_buf *out, const ridge_op_answer *answer, int width)
{
    const ridge_op_row *row = &answer->rows[0];
    if (answer->many) {
        add_many(out, answer, width);
        return;
    }
    add_shape(out, answer->question);
    add_formats(out, &row->formats);
    add_record(out, &row->record);
    if (row->timed)
        add_time(out, answer->arena, row);
    if (row->tiled)
        add_tiling(out, answer->arena, row);
}
