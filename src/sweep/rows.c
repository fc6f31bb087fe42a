#include "sweep/rows.h"

#include "base/double.h"

/* negative: unknown, left empty */
static void add_number(ridge_buf *out, double value)
{
    char text[RIDGE_DOUBLE_CHARS];
    if (value >= 0)
        ridge_buf_add(out, (ridge_str){text, ridge_double_print(text, value)});
}

void ridge_sweep_csv_head(ridge_buf *out)
{
    ridge_buf_addz(out, "model,machine,phase,batch,seq,past,weights,activations,kv,flops,bytes,time_s,tokens_per_s,bound,memory_bytes,fits,"
                        "pareto\n");
}

static void add_fields(ridge_buf *out, const ridge_int *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ridge_buf_add_int(out, numbers[i]);
        ridge_buf_addc(out, ',');
    }
}

static void add_rows(ridge_buf *out, const ridge_sweep_block *b, const char *pareto)
{
    ridge_buf head = {0}, formats = {0};
    ridge_buf_add_csv(&head, ridge_str_of(b->model));
    ridge_buf_addc(&head, ',');
    ridge_buf_add_csv(&head, ridge_str_of(b->machine_id));
    ridge_buf_addf(&head, ",%s,", ridge_phase_names[b->phase]);
    ridge_buf_addf(&formats, "%s,%s,%s,", b->weights, b->activations, b->kv);
    for (size_t i = 0; i < b->n; i++) {
        const ridge_sweep_point *p = &b->points[i];
        ridge_buf_add(out, (ridge_str){head.p, head.n});
        add_fields(out, (const ridge_int[]){p->batch, p->seq, p->past}, 3);
        ridge_buf_add(out, (ridge_str){formats.p, formats.n});
        add_fields(out, (const ridge_int[]){p->flops, p->bytes}, 2);
        add_number(out, p->time_s);
        ridge_buf_addc(out, ',');
        add_number(out, p->tokens_per_s);
        ridge_buf_addc(out, ',');
        ridge_buf_addz(out, ridge_bound_names[p->bound]);
        ridge_buf_addc(out, ',');
        ridge_buf_add_int(out, p->memory_bytes);
        ridge_buf_addz(out, p->fits ? ",true," : ",false,");
        ridge_buf_addz(out, pareto);
        ridge_buf_addc(out, '\n');
    }
    out->failed = out->failed || head.failed || formats.failed;
    ridge_buf_free(&head);
    ridge_buf_free(&formats);
}

void ridge_sweep_csv(ridge_buf *out, const ridge_sweep_block *b)
{
    add_rows(out, b, "");
}

ridge_status ridge_sweep_summary_csv(ridge_buf *out, const ridge_sweep_summary *s, ridge_err *err)
{
    const ridge_sweep *sweep = s->sweep;
    ridge_sweep_csv_head(out);
    for (size_t k = 0; k < sweep->request->phase_count; k++) {
        const ridge_sweep_front *f = &s->fronts[sweep->request->phases[k]];
        for (size_t i = 0; i < f->n; i++) {
            const ridge_sweep_entry *e = &f->p[i];
            add_rows(out,
                     &(ridge_sweep_block){.model = sweep->model,
                                          .machine_id = sweep->machines[e->machine]->id,
                                          .phase = e->phase,
                                          .weights = e->weights,
                                          .activations = e->activations,
                                          .kv = e->kv,
                                          .n = 1,
                                          .points = &e->point},
                     "true");
        }
    }
    return s->failed ? ridge_no_memory(err) : RIDGE_OK;
}

void ridge_sweep_json(ridge_buf *out, const ridge_sweep_block *b)
{
    ridge_json_writer w;
    for (size_t i = 0; i < b->n; i++) {
        const ridge_sweep_point *p = &b->points[i];
        ridge_buf_addz(out, b->first + (int64_t)i == 0 ? "    " : ",\n    ");
        ridge_jw_init(&w, out);
        ridge_jw_object_compact(&w);
        ridge_jw_member_text(&w, "model", b->model);
        ridge_jw_member_text(&w, "machine", b->machine_id);
        ridge_sweep_json_members(&w, b->phase, (const char *const[]){b->weights, b->activations, b->kv}, p);
        ridge_jw_key(&w, "pareto");
        ridge_jw_null(&w);
        ridge_jw_end_object(&w);
    }
}

void ridge_sweep_json_members(ridge_json_writer *w, ridge_phase phase, const char *const formats[3], const ridge_sweep_point *p)
{
    static const char *const before[] = {"batch", "seq", "past"}, *const names[] = {"weights", "activations", "kv"};
    const int64_t lengths[] = {p->batch, p->seq, p->past};
    ridge_jw_member_text(w, "phase", ridge_phase_names[phase]);
    for (int i = 0; i < 3; i++) {
        ridge_jw_key(w, before[i]);
        ridge_jw_int(w, lengths[i]);
    }
    for (int i = 0; i < 3; i++) {
        ridge_jw_member_text(w, names[i], formats[i]);
    }
    ridge_jw_key(w, "flops");
    ridge_jw_int(w, p->flops);
    ridge_jw_key(w, "bytes");
    ridge_jw_int(w, p->bytes);
    ridge_jw_key(w, "time_s");
    ridge_jw_double(w, p->time_s);
    ridge_jw_member_real(w, "tokens_per_s", p->tokens_per_s);
    ridge_jw_member_text(w, "bound", ridge_bound_names[p->bound]);
    ridge_jw_key(w, "memory_bytes");
    ridge_jw_int(w, p->memory_bytes);
    ridge_jw_key(w, "fits");
    ridge_jw_bool(w, p->fits);
}
