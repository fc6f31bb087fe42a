/* The answer of `ridge learn` for people: what was read, what it costs, what is not known and why. */
#include <stdio.h>

#include "base/units.h"
#include "command/learn.h"

static void number(ridge_buf *buf, ridge_int n)
{
    char text[RIDGE_INT_COMMA_CHARS];
    ridge_int_print_comma(text, n);
    ridge_buf_addz(buf, n == RIDGE_COUNT_UNKNOWN ? "not known" : text);
}

static void holes(ridge_buf *buf, const ridge_py_interp *in)
{
    if (in->hole_count > 0)
        ridge_buf_addf(buf, "\nNot known (%zu):\n", in->hole_count);
    for (size_t i = 0; i < in->hole_count && i < 40; i++) {
        const ridge_hole *h = in->holes[i];
        ridge_buf_addf(buf, "  %s:%u: %s: %s\n", h->file ? h->file : "?", h->line, h->kind, h->what ? h->what : "");
        if (h->help)
            ridge_buf_addf(buf, "      %s\n", h->help);
    }
}

static void one_run(ridge_buf *buf, const ridge_learn_run *r)
{
    const ridge_derive_workload *w = &r->run.workload;
    ridge_buf_addf(buf, "\n%s", w->phase == RIDGE_DERIVE_DECODE ? "Decode" : "Prefill");
    if (w->batch != RIDGE_UNSET)
        ridge_buf_addf(buf, ", batch %lld", (long long)w->batch);
    if (w->seq != RIDGE_UNSET)
        ridge_buf_addf(buf, ", seq %lld", (long long)w->seq);
    if (w->past > 0)
        ridge_buf_addf(buf, ", past %lld", (long long)w->past);
    ridge_buf_addz(buf, "\n  FLOPs (matrix products)  ");
    number(buf, ridge_count_torch(&r->count.total));
    ridge_buf_addz(buf, "\n  bytes read               ");
    number(buf, r->count.total.reads);
    ridge_buf_addz(buf, "\n  bytes written            ");
    number(buf, r->count.total.writes);
    ridge_buf_addf(buf, "\n  operators                %llu\n", (unsigned long long)r->count.ran);
    if (r->run.failed)
        ridge_buf_addf(buf, "  ended early: %s\n", r->run.failed);
}

static void assumed(ridge_buf *buf, const ridge_trace *run)
{
    if (run->assumed_count > 0)
        ridge_buf_addf(buf, "\nAssumed (%zu):\n", run->assumed_count);
    for (size_t i = 0; i < run->assumed_count && i < 40; i++)
        ridge_buf_addf(buf, "  %s:%u: %s\n", run->assumed[i].file ? run->assumed[i].file : "?", run->assumed[i].line, run->assumed[i].what);
}

/* what was answered is nobody's derivation */
static void answers(ridge_buf *buf, const ridge_agent *a)
{
    if (a->count > 0)
        ridge_buf_addf(buf, "\nPending: all of this rests on %zu answer%s of the agent\n", a->count, a->count == 1 ? "" : "s");
    for (size_t i = 0; i < a->count; i++) {
        const ridge_agent_answer *x = &a->answers[i];
        ridge_buf_addf(buf, "  %s: %s: %s\n      ", x->where, x->kind, x->asked);
        if (x->wants == RIDGE_WANTS_RESULT)
            for (unsigned k = 0; k < x->result_count; k++) {
                ridge_buf_addz(buf, k ? ", [" : "[");
                for (uint32_t d = 0; d < x->results[k].rank; d++)
                    ridge_buf_addf(buf, "%s%.*s", d ? ", " : "", RIDGE_STR_ARG(x->results[k].shape[d]));
                ridge_buf_addf(buf, "] %s", ridge_dtype_name(x->results[k].dtype));
            }
        else
            ridge_buf_addf(buf, "%.*s", RIDGE_STR_ARG(x->value));
        ridge_buf_addf(buf, " (%s, %s%s): %.*s\n", x->by, x->date ? x->date : "?", x->kept ? ", kept" : "", RIDGE_STR_ARG(x->thinking));
    }
    if (a->refused_count > 0)
        ridge_buf_addf(buf, "\nRefused (%zu):\n", a->refused_count);
    for (size_t i = 0; i < a->refused_count; i++)
        ridge_buf_addf(buf, "  %s: %s\n      %s\n", a->refused[i].where, a->refused[i].asked, a->refused[i].reason);
}

void ridge_learn_text(ridge_buf *buf, const ridge_learn_answer *a)
{
    const ridge_derivation *d = &a->derivation;
    const ridge_counted *count = &a->runs[0].count;
    const ridge_py_class *met[1000];
    size_t classes = 0;
    for (size_t i = 0; i < count->count; i++) {
        const ridge_py_class *class = count->modules[i].module->instance->class;
        size_t k = 0;
        while (k < classes && met[k] != class)
            k++;
        if (k == classes && k < sizeof met / sizeof *met)
            met[classes++] = class;
    }
    ridge_buf_addf(buf, "%s", d->class_path);
    if (d->library && d->version)
        ridge_buf_addf(buf, "  (%s %s)", d->library, d->version);
    ridge_buf_addf(buf, "\n  modules                  %zu of %zu classes\n  parameters               ", count->count, classes);
    number(buf, count->parameters);
    ridge_buf_addc(buf, '\n');
    for (size_t i = 0; i < a->run_count; i++)
        one_run(buf, &a->runs[i]);
    assumed(buf, ridge_run_of(&d->in));
    if (a->agent)
        answers(buf, a->agent);
    holes(buf, &d->in);
}
