/* The closed form of a model's cost in B, S, past, ... */
#include "model/output.h"
#include "formula/poly.h"

typedef struct form {
    const char *key, *title;
    ridge_value value;
} form;

static ridge_status torch_flops(ridge_value *out, const ridge_cost *c, const ridge_calc *calc)
{
    return ridge_value_binary(out, RIDGE_OP_ADD, c->flops[RIDGE_FLOP_MATMUL], c->flops[RIDGE_FLOP_ATTENTION], calc);
}

static bool is_closed(ridge_value v)
{
    return v.type != RIDGE_V_SYM || ridge_poly_is_plain(v.u.sym);
}

static void as_json(ridge_buf *out, const ridge_analysis *a, const form *forms, size_t count)
{
    ridge_json_writer w;
    ridge_buf text = {0};
    ridge_output_json_head(&w, out, a);
    ridge_jw_member_text(&w, "phase", ridge_phase_names[a->workload.phase]);
    ridge_jw_key(&w, "symbols");
    ridge_jw_array_compact(&w);
    for (uint32_t i = 0; i < a->algebra.atom_count; i++)
        if (a->algebra.atoms[i]->kind == RIDGE_ATOM_NAME)
            ridge_jw_strz(&w, a->algebra.atoms[i]->name);
    ridge_jw_end_array(&w);
    for (size_t i = 0; i < count; i++) {
        text.n = 0;
        ridge_value_print(&text, forms[i].value);
        ridge_jw_key(&w, forms[i].key);
        ridge_jw_object_compact(&w);
        ridge_jw_key(&w, "form");
        ridge_jw_str(&w, (ridge_str){text.p, text.n});
        ridge_jw_key(&w, "polynomial");
        ridge_jw_bool(&w, is_closed(forms[i].value));
        ridge_jw_end_object(&w);
    }
    ridge_buf_free(&text);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
}

static void as_text(ridge_buf *out, const ridge_analysis *a, const form *forms, size_t count)
{
    ridge_buf_addf(out, "%s  %s  %s, ", a->file.name, a->architecture, ridge_phase_names[a->workload.phase]);
    ridge_buf_addz(out, a->workload.phase == RIDGE_PHASE_DECODE ? "one new token: B = batch, past = tokens in the cache"
                                                                : "B = batch, S = tokens per sequence");
    ridge_buf_addz(out, a->workload.encoder_decoder ? ", enc = encoder length\n\n" : "\n\n");
    for (size_t i = 0; i < count; i++) {
        if (forms[i].value.type == RIDGE_V_INT && forms[i].value.u.i == 0)
            continue;
        ridge_buf_addf(out, "%-22s ", forms[i].title);
        ridge_value_print(out, forms[i].value);
        ridge_buf_addc(out, '\n');
    }
}

ridge_status ridge_output_symbolic(ridge_buf *out, ridge_analysis *a, bool json, ridge_err *err)
{
    const ridge_calc *calc = &a->graph.run.calc;
    const ridge_cost *c = &a->total;
    form forms[] = {{"flops", "FLOPs", ridge_value_int(0)},
                    {"torch", "  matmul + attention", ridge_value_int(0)},
                    {"matmul", "  matmul", c->flops[RIDGE_FLOP_MATMUL]},
                    {"attention", "  attention", c->flops[RIDGE_FLOP_ATTENTION]},
                    {"activation", "  activation", c->flops[RIDGE_FLOP_ACTIVATION]},
                    {"other", "  other", c->flops[RIDGE_FLOP_OTHER]},
                    {"read_bytes", "bytes read", ridge_value_int(0)},
                    {"written_bytes", "bytes written", ridge_value_int(0)}};
    ridge_status st;
    if (a->nothing_known)
        return ridge_fail(err, RIDGE_UNKNOWN, "nothing of %s is in the catalog: there is nothing to show", a->architecture);
    if ((st = ridge_cost_flops_total(&forms[0].value, c, calc)) || (st = torch_flops(&forms[1].value, c, calc)) ||
        (st = ridge_cost_bytes_total(&forms[6].value, c->reads, calc)) || (st = ridge_cost_bytes_total(&forms[7].value, c->writes, calc)))
        return st;
    if (json)
        as_json(out, a, forms, sizeof forms / sizeof *forms);
    else
        as_text(out, a, forms, sizeof forms / sizeof *forms);
    return RIDGE_OK;
}
