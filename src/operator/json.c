#include "operator/answer.h"

static double as_double(ridge_int n)
{
    return ridge_rational_double(ridge_rational_of(n));
}

/* ---- what the record holds ---- */

static void write_parts(ridge_json_writer *w, const ridge_op_record *r)
{
    ridge_jw_key(w, "parts");
    ridge_jw_object_compact(w);
    for (size_t i = 0; i < r->part_count; i++) {
        ridge_jw_key(w, r->parts[i].name);
        ridge_jw_int(w, r->parts[i].flops.total);
    }
    ridge_jw_end_object(w);
}

static void write_bytes(ridge_json_writer *w, const ridge_op_record *r)
{
    ridge_jw_key(w, "bytes");
    ridge_jw_object(w);
    ridge_jw_key(w, "total");
    ridge_jw_int(w, r->bytes);
    ridge_jw_key(w, "operands");
    ridge_jw_object(w);
    for (size_t i = 0; i < r->operand_count; i++) {
        ridge_jw_key(w, r->operands[i].name);
        ridge_jw_int(w, r->operands[i].bytes);
    }
    ridge_jw_end_object(w);
    ridge_jw_end_object(w);
}

static void write_formats(ridge_json_writer *w, const ridge_op_formats *f)
{
    ridge_jw_key(w, "formats");
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "activations", f->activations->name);
    ridge_jw_member_text(w, "weights", f->weights->name);
    ridge_jw_member_text(w, "kv", f->kv->name);
    ridge_jw_end_object(w);
}

static void write_head(ridge_json_writer *w, const ridge_op_question *q)
{
    ridge_jw_member_text(w, "kind", ridge_op_kinds[q->kind].name);
    ridge_jw_key(w, "shape");
    ridge_jw_object_compact(w);
    ridge_op_shape_json(w, q->kind, &q->shape);
    ridge_jw_end_object(w);
}

static void write_flops(ridge_json_writer *w, const ridge_op_flops *f)
{
    ridge_jw_key(w, "flops");
    ridge_jw_int(w, f->total);
    ridge_jw_key(w, "flops_by_class");
    ridge_op_flops_json(w, f);
}

/* ---- what the machine tells ---- */

/* {"wanted": "fp8", "used": "bf16", "unit": "matrix"}; used is null where the machine gives no rate */
static void write_precision(ridge_json_writer *w, const char *key, const char *unit, ridge_precision wanted, ridge_precision used,
                            double peak_flops_per_s)
{
    ridge_jw_key(w, key);
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "wanted", ridge_precision_names[wanted]);
    ridge_jw_member_text(w, "used", peak_flops_per_s > 0 ? ridge_precision_names[used] : NULL);
    ridge_jw_member_text(w, "unit", unit);
    ridge_jw_member_real(w, "peak_flops_per_s", peak_flops_per_s);
    ridge_jw_end_object(w);
}

static void write_precisions(ridge_json_writer *w, const ridge_op_row *row)
{
    const ridge_op_time *t = &row->time;
    if (!row->timed)
        ridge_jw_member_text(w, "precision", NULL);
    else if (t->has_matrix || t->has_attention)
        write_precision(w, "precision", "matrix", t->matrix.wanted, t->matrix.used, t->matrix.peak_flops_per_s);
    else
        write_precision(w, "precision", "vector", ridge_op_vector_wants(&row->formats), ridge_op_vector_uses(&row->formats, t->machine),
                        t->peak_flops_per_s);
    if (row->timed && t->has_matrix && t->has_attention)
        write_precision(w, "attention_precision", "matrix", t->attention.wanted, t->attention.used, t->attention.peak_flops_per_s);
}

static void write_time(ridge_json_writer *w, const ridge_op_row *row)
{
    static const ridge_op_time unknown = {.vector_flops_per_s = -1,
                                          .peak_flops_per_s = -1,
                                          .ridge_point = -1,
                                          .memory_s = -1,
                                          .compute_s = -1,
                                          .launch_s = -1,
                                          .time_s = -1,
                                          .flops_per_s = -1,
                                          .bytes_per_s = -1};
    const ridge_op_time *t = row->timed ? &row->time : &unknown;
    ridge_jw_member_text(w, "machine", row->machine ? row->machine->id : NULL);
    ridge_jw_member_real(w, "ridge_point", t->ridge_point);
    ridge_jw_member_real(w, "time_memory_s", t->memory_s);
    ridge_jw_member_real(w, "time_compute_s", t->compute_s);
    ridge_jw_member_real(w, "time_s", t->time_s);
    ridge_jw_member_text(w, "bound", row->timed ? ridge_bound_names[t->bound] : NULL);
    ridge_jw_member_real(w, "flops_per_s", t->flops_per_s);
    ridge_jw_member_real(w, "bytes_per_s", t->bytes_per_s);
    ridge_jw_member_real(w, "percent_of_peak", row->timed ? ridge_op_percent_of_peak(t) : -1);
    ridge_jw_member_real(w, "percent_of_bandwidth", row->timed ? ridge_op_percent_of_bandwidth(t) : -1);
    write_precisions(w, row);
    ridge_jw_member_text(w, "memory_level", row->timed ? t->level->name : NULL);
    ridge_jw_member_real(w, "launch_s", t->launch_s);
    ridge_jw_key(w, "launch_counted");
    ridge_jw_bool(w, t->launch_counted);
}

static void write_count(ridge_json_writer *w, const char *key, double value)
{
    ridge_jw_key(w, key);
    ridge_jw_int(w, (ridge_int)value);
}

static void write_tiling(ridge_json_writer *w, const ridge_tiling *t)
{
    ridge_jw_key(w, "tiling");
    ridge_jw_object(w);
    ridge_jw_key(w, "tile");
    ridge_jw_object_compact(w);
    write_count(w, "m", (double)t->shape.tile_m);
    write_count(w, "n", (double)t->shape.tile_n);
    write_count(w, "k", (double)t->tile_k);
    ridge_jw_end_object(w);
    ridge_jw_key(w, "grid");
    ridge_jw_object_compact(w);
    write_count(w, "m", t->grid_m);
    write_count(w, "n", t->grid_n);
    write_count(w, "splits", (double)t->shape.splits);
    ridge_jw_end_object(w);
    write_count(w, "blocks", t->blocks);
    write_count(w, "stages", (double)t->stages);
    write_count(w, "shared_bytes_per_block", t->block_shared_bytes);
    write_count(w, "blocks_per_unit", (double)t->blocks_per_unit);
    write_count(w, "waves", t->waves);
    ridge_jw_member_real(w, "wave_efficiency", t->wave_efficiency);
    ridge_jw_member_real(w, "tile_efficiency", t->tile_efficiency);
    ridge_jw_member_real(w, "time_s", t->time_s);
    ridge_jw_end_object(w);
}

static void write_row(ridge_json_writer *w, const ridge_op_row *row)
{
    char bits[RIDGE_RATIONAL_CHARS];
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "format", row->format->name);
    (void)ridge_rational_print(bits, row->format->bits);
    ridge_jw_member_text(w, "bits_per_element", bits);
    write_formats(w, &row->formats);
    ridge_jw_key(w, "flops");
    ridge_jw_int(w, row->record.flops.total);
    ridge_jw_key(w, "bytes");
    ridge_jw_int(w, row->record.bytes);
    ridge_jw_member_real(w, "arithmetic_intensity", as_double(row->record.flops.total) / as_double(row->record.bytes));
    write_time(w, row);
    ridge_jw_member_real(w, "speedup", row->speedup);
    if (row->problem)
        ridge_jw_member_text(w, "problem", row->problem);
    ridge_jw_end_object(w);
}

static void write_rows(ridge_json_writer *w, const ridge_op_answer *a)
{
    ridge_jw_key(w, "rows");
    ridge_jw_array(w);
    for (size_t i = 0; i < a->row_count; i++)
        write_row(w, &a->rows[i]);
    ridge_jw_end_array(w);
}

static void write_single(ridge_json_writer *w, const ridge_op_row *row)
{
    write_formats(w, &row->formats);
    write_flops(w, &row->record.flops);
    write_parts(w, &row->record);
    write_bytes(w, &row->record);
    /* a positive shape moves bytes */
    ridge_jw_member_real(w, "arithmetic_intensity", as_double(row->record.flops.total) / as_double(row->record.bytes));
    write_time(w, row);
    if (row->tiled)
        write_tiling(w, &row->tiling);
}

void ridge_op_json(ridge_buf *out, const ridge_op_answer *answer)
{
    ridge_json_writer w;
    ridge_jw_answer(&w, out);
    write_head(&w, answer->question);
    if (answer->many) {
        write_flops(&w, &answer->rows[0].record.flops);
        write_rows(&w, answer);
    } else {
        write_single(&w, &answer->rows[0]);
    }
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
}
