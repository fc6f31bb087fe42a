/* `ridge predict --json` (INTERFACE). */
#include "advice/advice.h"
#include "model/output.h"
#include "predict/predict.h"

static void write_memory(ridge_json_writer *w, const ridge_prediction *p)
{
    ridge_jw_key(w, "memory");
    ridge_jw_object_compact(w);
    ridge_output_json_memory_members(w, &p->model->memory);
    ridge_output_capacity_json_members(w, p);
    ridge_output_fit_json_members(w, p);
    ridge_jw_end_object(w);
}

static void write_precision(ridge_json_writer *w, const char *key, const ridge_computes_at *c)
{
    ridge_jw_key(w, key);
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "wanted", ridge_precision_names[c->wanted]);
    ridge_jw_member_text(w, "used", ridge_precision_names[c->used]);
    ridge_jw_member_real(w, "peak_flops_per_s", c->peak_flops_per_s);
    ridge_jw_end_object(w);
}

static void write_rates(ridge_json_writer *w, const ridge_prediction *p)
{
    ridge_jw_key(w, "rates");
    ridge_jw_object(w);
    write_precision(w, "matmul", &p->rates.matmul);
    write_precision(w, "attention", &p->rates.attention);
    ridge_jw_member_real(w, "vector_flops_per_s", p->rates.vector_flops_per_s > 0 ? p->rates.vector_flops_per_s : RIDGE_PREDICT_UNKNOWN);
    ridge_jw_member_real(w, "bytes_per_s", p->rates.bytes_per_s);
    ridge_jw_member_real(w, "ridge_point", ridge_ridge_point(p->machine, p->rates.matmul.peak_flops_per_s));
    ridge_jw_member_real(w, "launch_overhead_s", p->launch_overhead_s);
    ridge_jw_end_object(w);
}

static void write_generation(ridge_json_writer *w, const ridge_prediction *p)
{
    const ridge_generation *g = &p->generation;
    if (g->generate == 0)
        return;
    ridge_jw_member_real(w, "ttft_s", g->ttft_s);
    ridge_jw_member_real(w, "tpot_s", g->tpot_s);
    ridge_jw_member_real(w, "generation_s", g->generation_s);
    ridge_jw_member_real(w, "latency_s", g->latency_s);
    ridge_jw_member_real(w, "requests_per_s", g->requests_per_s);
    ridge_jw_key(w, "generation");
    ridge_jw_object_compact(w);
    ridge_jw_key(w, "prompt");
    ridge_jw_int(w, g->prompt);
    ridge_jw_key(w, "generate");
    ridge_jw_int(w, g->generate);
    ridge_jw_member_real(w, "tokens_per_s", g->tokens_per_s);
    ridge_jw_key(w, "kv_cache_bytes");
    ridge_jw_int(w, g->kv_bytes);
    ridge_jw_key(w, "memory_bytes");
    ridge_jw_int(w, g->memory_bytes);
    ridge_jw_member_whole(w, "max_batch", g->max_batch);
    ridge_jw_end_object(w);
}

static void write_row(ridge_json_writer *w, const ridge_predicted_row *r, bool parallel)
{
    ridge_jw_object_compact(w);
    ridge_jw_key(w, "path");
    ridge_jw_str(w, r->row->path);
    ridge_jw_member_text(w, "class", r->row->class_name);
    ridge_jw_key(w, "count");
    ridge_jw_int(w, r->row->count);
    ridge_jw_member_real(w, "time_s", r->time_s);
    ridge_jw_member_text(w, "bound", ridge_bound_names[r->bound]);
    ridge_jw_member_real(w, "arithmetic_intensity", r->bytes > 0 ? (double)r->flops / (double)r->bytes : RIDGE_PREDICT_UNKNOWN);
    ridge_jw_key(w, "flops");
    ridge_jw_int(w, r->flops);
    ridge_jw_key(w, "bytes");
    ridge_jw_int(w, r->bytes);
    ridge_jw_member_real(w, "time_compute_s", r->compute_s);
    ridge_jw_member_real(w, "time_memory_s", r->memory_s);
    ridge_jw_member_real(w, "waits_s", r->waits_s);
    ridge_jw_member_real(w, "launch_s", r->launch_s);
    if (parallel) {
        ridge_jw_member_real(w, "link_s", r->link_s);
        ridge_jw_member_real(w, "link_bytes", r->link_bytes);
    }
    ridge_jw_key(w, "leaf");
    ridge_jw_bool(w, r->row->leaf);
    ridge_jw_end_object(w);
}

static void write_notes(ridge_json_writer *w, const ridge_prediction *p)
{
    ridge_jw_key(w, "notes");
    ridge_jw_array(w);
    for (size_t i = 0; i < p->note_count; i++)
        ridge_jw_strz(w, p->notes[i]);
    ridge_jw_end_array(w);
    ridge_output_json_warnings(w, p->model);
}

ridge_status ridge_output_predict_json(ridge_buf *out, ridge_prediction *p, ridge_err *err)
{
    ridge_json_writer w;
    ridge_output_json_head(&w, out, p->model);
    ridge_jw_member_text(&w, "machine", p->machine->id);
    ridge_jw_key(&w, "workload");
    ridge_output_json_workload(&w, &p->model->workload);
    ridge_jw_member_text(&w, "method", ridge_method_names[p->request->method]);
    ridge_jw_member_real(&w, "time_s", p->time_s);
    ridge_jw_member_real(&w, "tokens_per_s", p->tokens_per_s);
    ridge_jw_member_text(&w, "bound", ridge_bound_names[p->bound]);
    ridge_jw_member_real(&w, "mfu", p->mfu);
    ridge_jw_member_real(&w, "bandwidth_utilisation", p->bandwidth_utilisation);
    ridge_jw_member_real(&w, "energy_j", p->energy_j);
    ridge_jw_member_real(&w, "cost_per_million_tokens", p->cost_per_million_tokens);
    write_generation(&w, p);
    write_rates(&w, p);
    write_memory(&w, p);
    ridge_output_parallel_json(&w, p);
    ridge_jw_key(&w, "rows");
    ridge_jw_array(&w);
    for (size_t i = 0; i < p->timed->rows.n; i++)
        write_row(&w, &p->rows[i], ridge_parallel_is_on(&p->request->parallel));
    ridge_jw_end_array(&w);
    ridge_status st;
    if ((st = ridge_output_advice_json(&w, p, err)) || (st = ridge_output_precision_json(&w, p, err)) ||
        (st = ridge_output_against_json(&w, p, err)))
        return st;
    write_notes(&w, p);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
    return RIDGE_OK;
}
