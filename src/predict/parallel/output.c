/* What fits, and several devices, for people and as JSON. */
#include "model/output.h"
#include "predict/predict.h"

/* ---- JSON ---- */

void ridge_output_capacity_json_members(ridge_json_writer *w, const ridge_prediction *p)
{
    ridge_jw_member_whole(w, "capacity", p->capacity_bytes);
    ridge_jw_key(w, "fits");
    if (p->capacity_bytes < 0)
        ridge_jw_null(w);
    else
        ridge_jw_bool(w, p->fits);
}

void ridge_output_fit_json_members(ridge_json_writer *w, const ridge_prediction *p)
{
    ridge_jw_member_whole(w, "max_batch", p->fit.max_batch);
    ridge_jw_member_whole(w, "max_context", p->fit.max_context);
    ridge_jw_member_whole(w, "model_context", p->fit.model_context);
    if (p->capacity_bytes >= 0)
        ridge_jw_member_whole(w, "reserve", p->capacity_bytes - ridge_reserve_left(&p->request->reserve, p->capacity_bytes));
    else
        ridge_jw_member_whole(w, "reserve", p->request->reserve.bytes);
}

/* seconds per byte and the wait of the first message's link: as counted */
static double link_rate(const ridge_prediction *p)
{
    const ridge_parallel *parallel = &p->request->parallel;
    const ridge_machine_link *link = ridge_machine_link_find(p->machine, RIDGE_LINK_DEVICE);
    return parallel->link_bytes_per_s > 0 ? parallel->link_bytes_per_s : link && link->bytes_per_s > 0 ? (double)link->bytes_per_s : -1;
}

static double link_latency(const ridge_prediction *p)
{
    const ridge_parallel *parallel = &p->request->parallel;
    const ridge_machine_link *link = ridge_machine_link_find(p->machine, RIDGE_LINK_DEVICE);
    return parallel->link_latency_s >= 0 ? parallel->link_latency_s : link ? link->latency_s : -1;
}

void ridge_output_parallel_json(ridge_json_writer *w, const ridge_prediction *p)
{
    const ridge_parallel *parallel = &p->request->parallel;
    if (!ridge_parallel_is_on(parallel))
        return;
    ridge_jw_key(w, "parallel");
    ridge_jw_object(w);
    ridge_jw_member_whole(w, "devices", ridge_parallel_devices(parallel));
    ridge_jw_member_whole(w, "tensor", parallel->tensor);
    ridge_jw_member_whole(w, "pipeline", parallel->pipeline);
    ridge_jw_member_whole(w, "expert", parallel->expert);
    ridge_jw_member_whole(w, "data", ridge_parallel_replicas(parallel));
    ridge_jw_member_whole(w, "microbatches", parallel->microbatches);
    ridge_jw_member_whole(w, "zero", parallel->zero);
    ridge_jw_member_real(w, "link_bytes_per_s", link_rate(p));
    ridge_jw_member_real(w, "link_latency_s", link_latency(p));
    ridge_jw_member_real(w, "link_s", p->link_s);
    ridge_jw_member_real(w, "link_bytes", p->rows[0].link_bytes);
    ridge_jw_member_real(w, "bubble", ridge_pipeline_bubble(parallel->pipeline, parallel->microbatches));
    ridge_jw_end_object(w);
}

/* ---- text ---- */

static void add_context(ridge_buf *out, const ridge_prediction *p, ridge_arena *a)
{
    const ridge_fit *f = &p->fit;
    if (f->max_context < 0)
        return;
    ridge_buf_addf(out, ", context %s at this batch", ridge_units_exact(a, f->max_context));
    if (f->ends)
        ridge_buf_addz(out, ", where the model's positions end");
    else if (f->model_context >= 0)
        ridge_buf_addf(out, " (the model's own maximum: %s)", ridge_units_exact(a, f->model_context));
}

void ridge_output_fit_text(ridge_buf *out, ridge_prediction *p)
{
    ridge_arena *a = &p->model->arena;
    const ridge_fit *f = &p->fit;
    if (f->max_batch < 0 && f->max_context < 0)
        return;
    ridge_buf_addz(out, "            ");
    if (f->max_batch == 0)
        ridge_buf_addz(out, "not even one sequence fits at this context");
    else if (f->max_batch > 0)
        ridge_buf_addf(out, "up to batch %s at this context", ridge_units_exact(a, f->max_batch));
    else
        ridge_buf_addz(out, "any batch at this context");
    add_context(out, p, a);
    if (p->request->reserve.bytes > 0 || p->request->reserve.percent > 0)
        ridge_buf_addf(out, "; %s kept free",
                       ridge_units_bytes(a, p->capacity_bytes - ridge_reserve_left(&p->request->reserve, p->capacity_bytes)));
    ridge_buf_addc(out, '\n');
    if (p->generation.generate > 0 && p->generation.max_batch >= 0)
        ridge_buf_addf(out, "            up to batch %s when the last token is made\n", ridge_units_exact(a, p->generation.max_batch));
}

static void add_way(ridge_buf *out, const char *name, int64_t n)
{
    if (n > 1)
        ridge_buf_addf(out, ", %s %lld", name, (long long)n);
}

void ridge_output_parallel_text(ridge_buf *out, ridge_prediction *p)
{
    const ridge_parallel *parallel = &p->request->parallel;
    ridge_arena *a = &p->model->arena;
    if (!ridge_parallel_is_on(parallel))
        return;
    ridge_buf_addf(out, "devices     %lld", (long long)ridge_parallel_devices(parallel));
    add_way(out, "tensor", parallel->tensor);
    add_way(out, "pipeline", parallel->pipeline);
    add_way(out, "expert", parallel->expert);
    add_way(out, "data", ridge_parallel_replicas(parallel));
    add_way(out, "microbatches", parallel->microbatches);
    if (parallel->zero > 0)
        ridge_buf_addf(out, ", ZeRO %d", parallel->zero);
    if (p->link_s > 0)
        ridge_buf_addf(out, "   messages %s (%.1f %% of the time), %s of a device at %s", ridge_units_seconds(a, p->link_s),
                       100 * p->link_s / p->time_s, ridge_units_bytes(a, (ridge_int)p->rows[0].link_bytes),
                       ridge_units_scaled(a, link_rate(p), "B/s"));
    if (parallel->pipeline > 1)
        ridge_buf_addf(out, "   bubble %.1f %%", 100 * ridge_pipeline_bubble(parallel->pipeline, parallel->microbatches));
    ridge_buf_addc(out, '\n');
}
