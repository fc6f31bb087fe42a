/* Ceilings as JSON (ceilings.h). Rates are per second and of all threads together. */
#include "measure/ceilings.h"

static void key_double(ridge_json_writer *w, const char *key, double value)
{
    ridge_jw_key(w, key);
    if (value > 0)
        ridge_jw_double(w, value);
    else
        ridge_jw_null(w);
}

static void samples(ridge_json_writer *w, const ridge_sample_statistics *s)
{
    ridge_jw_member_whole(w, "kept", (ridge_int)s->kept);
    ridge_jw_member_whole(w, "tried", (ridge_int)s->tried);
}

static void write_stream(ridge_json_writer *w, const ridge_ceiling_stream *s)
{
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "level", ridge_ceiling_level_names[s->level]);
    ridge_jw_member_text(w, "operation", ridge_stream_names[s->stream->kind]);
    ridge_jw_member_text(w, "variant", s->stream->name);
    ridge_jw_member_whole(w, "threads", (ridge_int)s->threads);
    ridge_jw_member_whole(w, "footprint_bytes", (ridge_int)s->footprint_bytes);
    key_double(w, "bytes_per_s", s->bytes_per_s);
    key_double(w, "low", s->low_bytes_per_s);
    key_double(w, "high", s->high_bytes_per_s);
    samples(w, &s->time);
    ridge_jw_end_object(w);
}

static void write_peak(ridge_json_writer *w, const ridge_ceiling_peak *p)
{
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "precision", p->peak->precision);
    ridge_jw_member_text(w, "variant", p->peak->name);
    ridge_jw_member_whole(w, "threads", (ridge_int)p->threads);
    key_double(w, "flops_per_s", p->flops_per_s);
    key_double(w, "low", p->low_flops_per_s);
    key_double(w, "high", p->high_flops_per_s);
    key_double(w, "clock_hz", p->clock_hz);
    key_double(w, "flops_per_cycle", p->flops_per_cycle);
    samples(w, &p->time);
    ridge_jw_end_object(w);
}

static void write_overhead(ridge_json_writer *w, const ridge_ceiling_overhead *o)
{
    ridge_jw_object_compact(w);
    ridge_jw_member_whole(w, "threads", (ridge_int)o->threads);
    key_double(w, "barrier_s", o->barrier_s);
    key_double(w, "region_s", o->region_s);
    key_double(w, "wake_s", o->wake_s);
    ridge_jw_end_object(w);
}

void ridge_ceilings_json(ridge_json_writer *w, const ridge_ceilings *c)
{
    ridge_jw_object(w);
    ridge_jw_key(w, "bandwidth");
    ridge_jw_array(w);
    for (size_t i = 0; i < c->stream_count; i++)
        write_stream(w, &c->streams[i]);
    ridge_jw_end_array(w);
    ridge_jw_key(w, "flops");
    ridge_jw_array(w);
    for (size_t i = 0; i < c->peak_count; i++)
        write_peak(w, &c->peaks[i]);
    ridge_jw_end_array(w);
    ridge_jw_key(w, "overhead");
    ridge_jw_array(w);
    for (size_t i = 0; i < c->overhead_count; i++)
        write_overhead(w, &c->overheads[i]);
    ridge_jw_end_array(w);
    key_double(w, "clock_resolution_s", c->clock_resolution_s);
    ridge_jw_key(w, "huge_pages");
    ridge_jw_bool(w, c->huge_pages);
    ridge_jw_key(w, "interrupted");
    ridge_jw_bool(w, c->interrupted);
    ridge_jw_end_object(w);
}
