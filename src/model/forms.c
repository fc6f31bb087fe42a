#include "model/forms.h"

#include "base/shown.h"
#include "formula/poly.h"

static ridge_closed_form form_of(ridge_value v)
{
    return (ridge_closed_form){v, v.type != RIDGE_V_SYM || ridge_poly_is_plain(v.u.sym)};
}

static ridge_status fill(ridge_forms_answer *out, ridge_analysis *a)
{
    const ridge_calc *calc = &a->graph.run.calc;
    const ridge_cost *c = &a->total;
    ridge_value flops, torch, read, written;
    ridge_status st;
    if ((st = ridge_cost_flops_total(&flops, c, calc)) ||
        (st = ridge_value_binary(&torch, RIDGE_OP_ADD, c->flops[RIDGE_FLOP_MATMUL], c->flops[RIDGE_FLOP_ATTENTION], calc)) ||
        (st = ridge_cost_bytes_total(&read, c->reads, calc)) || (st = ridge_cost_bytes_total(&written, c->writes, calc)))
        return st;
    out->flops = form_of(flops);
    out->torch = form_of(torch);
    out->matmul = form_of(c->flops[RIDGE_FLOP_MATMUL]);
    out->attention = form_of(c->flops[RIDGE_FLOP_ATTENTION]);
    out->activation = form_of(c->flops[RIDGE_FLOP_ACTIVATION]);
    out->other = form_of(c->flops[RIDGE_FLOP_OTHER]);
    out->read_bytes = form_of(read);
    out->written_bytes = form_of(written);
    return RIDGE_OK;
}

ridge_status ridge_forms_answer_make(ridge_forms_answer *out, ridge_registry *registry, const ridge_model_request *request, ridge_err *err)
{
    *out = (ridge_forms_answer){0};
    ridge_status st = ridge_analysis_forms(&out->analysis, registry, request, RIDGE_SYMBOLS_REST, false, err);
    ridge_analysis *a = out->analysis;
    if (!st && a->nothing_known)
        st = ridge_fail(err, RIDGE_UNKNOWN, "nothing of %s is in the catalog: there is nothing to show", a->architecture);
    if (st)
        return st;
    out->model = a->file.name;
    out->architecture = a->architecture;
    out->phase = a->workload.phase;
    for (uint32_t i = 0; i < a->algebra.atom_count && !st; i++)
        if (a->algebra.atoms[i]->kind == RIDGE_ATOM_NAME && (a->workload.takes.tokens || strcmp(a->algebra.atoms[i]->name, "S") != 0))
            st = ridge_words_add(&out->symbols, a->algebra.atoms[i]->name, &a->arena, err);
    return st ? st : fill(out, a);
}

void ridge_forms_answer_free(ridge_forms_answer *answer)
{
    ridge_analysis_free(answer->analysis);
    *answer = (ridge_forms_answer){0};
}

/* ---- how it is written ---- */

static void write_form(ridge_json_writer *w, const void *row)
{
    ridge_buf text = {0};
    ridge_value_print(&text, ((const ridge_closed_form *)row)->value);
    ridge_jw_str(w, (ridge_str){text.p, text.n});
    w->buf->failed |= text.failed;
    ridge_buf_free(&text);
}

static const ridge_record_field form_fields[] = {
    RIDGE_R_WRITTEN("form", write_form, "the closed form as text"),
    RIDGE_R_BOOL(ridge_closed_form, polynomial, "polynomial", NULL, RIDGE_IN_JSON, "is it a polynomial, without minima and floors?"),
};
static const ridge_record form_record = RIDGE_RECORD(ridge_closed_form, "closed form", form_fields, "a number as a formula of the symbols");

#define FORM(member, doc) RIDGE_R_IN(ridge_forms_answer, member, &form_record, #member, RIDGE_IN_JSON, doc, .compact = true)
static const ridge_record_field fields[] = {
    RIDGE_R_TEXT(ridge_forms_answer, model, "model", NULL, RIDGE_IN_JSON, "the model as it was named"),
    RIDGE_R_TEXT(ridge_forms_answer, architecture, "architecture", NULL, RIDGE_IN_JSON, "the class that runs"),
    RIDGE_R_WORD(ridge_forms_answer, phase, ridge_phase_names, "phase", NULL, RIDGE_IN_JSON, "what is run"),
    RIDGE_R_TEXTS(ridge_forms_answer, symbols, "symbols", NULL, RIDGE_IN_JSON, "the names in the forms", .compact = true),
    FORM(flops, "FLOPs of all classes"),
    FORM(torch, "matmul + attention"),
    FORM(matmul, "FLOPs of matrix products"),
    FORM(attention, "FLOPs of attention"),
    FORM(activation, "FLOPs of activation functions"),
    FORM(other, "all other FLOPs"),
    FORM(read_bytes, "bytes read"),
    FORM(written_bytes, "bytes written"),
};
const ridge_record ridge_forms_record = RIDGE_RECORD(ridge_forms_answer, "ridge cost --symbolic", fields, "costs as closed forms");

static void add_line(ridge_buf *out, const char *title, const ridge_closed_form *form)
{
    if (form->value.type == RIDGE_V_INT && form->value.u.i == 0)
        return;
    ridge_buf_addf(out, "%-22s ", title);
    ridge_value_print(out, form->value);
    ridge_buf_addc(out, '\n');
}

/* the lengths that are numbers */
static void add_given(ridge_buf *out, const ridge_forms_answer *a)
{
    const ridge_workload *w = &a->analysis->workload;
    const struct {
        const char *symbol, *name;
        int64_t value;
        bool taken;
    } lengths[] = {{"B", "batch", w->batch, true},
                   {"S", w->encoder_decoder ? "decoder" : "seq", w->decoder_seq, w->takes.tokens},
                   {"past", "past", w->past, w->past > 0},
                   {"enc", "encoder", w->encoder_len, w->encoder_decoder}};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (lengths[i].taken && !ridge_words_find(&a->symbols, lengths[i].symbol))
            ridge_buf_addf(out, "  %s %lld", lengths[i].name, (long long)lengths[i].value);
    ridge_workload_add_media(out, w);
}

/* what the names stand for */
static void add_symbols(ridge_buf *out, const ridge_forms_answer *a)
{
    static const struct {
        const char *symbol, *meaning;
    } meanings[] = {{"B", "batch"}, {"S", "tokens per sequence"}, {"past", "tokens in the cache"}, {"enc", "encoder length"}};
    const char *separator = "   ";
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (ridge_words_find(&a->symbols, meanings[i].symbol)) {
            ridge_buf_addf(out, "%s%s = %s", separator, meanings[i].symbol, meanings[i].meaning);
            separator = ", ";
        }
}

void ridge_forms_text(ridge_buf *out, const ridge_forms_answer *a)
{
    ridge_arena *arena = &a->analysis->arena;
    ridge_buf_addf(out, "%s  %s  %s", ridge_shown(arena, a->model), ridge_shown(arena, a->architecture), ridge_phase_names[a->phase]);
    add_given(out, a);
    add_symbols(out, a);
    ridge_buf_addz(out, "\n\n");
    add_line(out, "FLOPs", &a->flops);
    add_line(out, "  matmul + attention", &a->torch);
    add_line(out, "  matmul", &a->matmul);
    add_line(out, "  attention", &a->attention);
    add_line(out, "  activation", &a->activation);
    add_line(out, "  other", &a->other);
    add_line(out, "bytes read", &a->read_bytes);
    add_line(out, "bytes written", &a->written_bytes);
}
