/* ridge formula: one catalog entry evaluated alone. */
#include "entries/formula.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/workload.h"
#include "report/table.h"

typedef struct formula_args {
    ridge_words words;
    ridge_output_args output;
    ridge_catalog_args catalog;
    struct formula_view {
        ridge_context context;
        bool trace, symbolic;
    } view;
} formula_args;

static const char *const contexts[] = {
#define X(code, name) #name,
    RIDGE_CONTEXT_LIST(X)
#undef X
        NULL};

static const ridge_option view_options[] = {
    RIDGE_CHOICE(struct formula_view, context, "context", 'c', contexts, "what is evaluated; reads, writes and intermediates are elements"),
    RIDGE_FLAG(struct formula_view, trace, "trace", 't', "the resolution tree, step by step"),
    RIDGE_FLAG(struct formula_view, symbolic, "symbolic", 0, "what is not given stays a name: print the closed form"),
    RIDGE_OPTION_END,
};

static void write_value(ridge_json_writer *w, ridge_value v)
{
    ridge_buf text = {0};
    if (v.type == RIDGE_V_INT)
        ridge_jw_int(w, v.u.i);
    else if (v.type == RIDGE_V_BOOL)
        ridge_jw_bool(w, v.u.b);
    else if (v.type == RIDGE_V_NONE)
        ridge_jw_null(w);
    else if (v.type == RIDGE_V_STRING)
        ridge_jw_str(w, v.u.s);
    else { /* an exact fraction, a list, a closed form: as a formula writes it */
        ridge_value_print(&text, v);
        ridge_jw_str(w, (ridge_str){text.p, text.n});
    }
    ridge_buf_free(&text);
}

static void write_trace(ridge_json_writer *w, const ridge_formula *f)
{
    ridge_jw_key(w, "trace");
    ridge_jw_array(w);
    for (size_t i = 0; i < f->step_count; i++) {
        ridge_jw_object_compact(w);
        ridge_jw_key(w, "depth");
        ridge_jw_int(w, f->steps[i].depth);
        ridge_jw_member_text(w, "step", f->steps[i].name);
        ridge_jw_member_text(w, "expression", f->steps[i].expression);
        ridge_jw_key(w, "value");
        write_value(w, f->steps[i].value);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
}

static void as_json(ridge_buf *out, const ridge_formula *f)
{
    ridge_json_writer w;
    ridge_jw_answer(&w, out);
    ridge_jw_member_text(&w, "module", f->module);
    ridge_jw_member_text(&w, "context", ridge_context_names[f->context]);
    ridge_jw_key(&w, "arguments");
    ridge_jw_object_compact(&w);
    for (size_t i = 0; i < f->argument_count; i++) {
        ridge_jw_key(&w, f->arguments[i].name);
        write_value(&w, f->arguments[i].value);
    }
    ridge_jw_end_object(&w);
    ridge_jw_key(&w, "value");
    write_value(&w, f->value);
    write_trace(&w, f);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
}

static void add_number(ridge_buf *out, ridge_arena *arena, ridge_value v)
{
    if (v.type == RIDGE_V_INT)
        ridge_buf_addz(out, ridge_units_exact(arena, v.u.i));
    else
        ridge_value_print(out, v);
}

static void as_text(ridge_buf *out, ridge_formula *f)
{
    for (size_t i = 0; i < f->step_count; i++) {
        ridge_buf_addf(out, "%*s%s", (int)(2 * f->steps[i].depth), "", f->steps[i].name);
        if (f->steps[i].expression)
            ridge_buf_addf(out, " = %s", f->steps[i].expression);
        ridge_buf_addz(out, " = ");
        add_number(out, &f->arena, f->steps[i].value);
        ridge_buf_addc(out, '\n');
    }
    if (f->step_count)
        return;
    add_number(out, &f->arena, f->value);
    ridge_buf_addc(out, '\n');
}

/* "torch.nn.Linear(1, 2, 3)", in one word or several, is how Python calls it: tells how it is written here */
static ridge_status written_as_call(const ridge_words *words, ridge_err *err)
{
    ridge_buf text = {0};
    unsigned depth = 0;
    for (size_t i = 0; i < words->count; i++)
        for (const char *p = words->items[i]; *p; p++) {
            bool opens = *p == '(' || *p == '[', closes = (*p == ')' || *p == ']') && depth > 0;
            depth -= closes;
            if ((opens && depth == 0) || (*p == ',' && depth == 1))
                ridge_buf_addc(&text, ' ');
            else if (*p != ' ' && !(closes && depth == 0))
                ridge_buf_addc(&text, *p);
            depth += opens;
        }
    ridge_status st = ridge_fail(err, RIDGE_USAGE, "write the arguments after the name: ridge formula %s", text.p ? text.p : "");
    ridge_buf_free(&text);
    return st;
}

static ridge_status run(ridge_io *io, const void *values, ridge_err *err)
{
    const formula_args *args = values;
    ridge_registry *registry;
    ridge_formula *f = NULL;
    if (strchr(args->words.items[0], '('))
        return written_as_call(&args->words, err);
    ridge_status st = ridge_catalog_open(&registry, &args->catalog, err);
    if (st)
        return st;
    st = ridge_formula_make(&f, registry, args->words.items[0], args->words.items + 1, args->words.count - 1, args->view.context,
                            args->view.symbolic, args->view.trace, err);
    if (!st && args->output.as == RIDGE_OUTPUT_JSON)
        as_json(&io->data, f);
    else if (!st)
        as_text(&io->data, f);
    ridge_formula_free(f);
    ridge_registry_close(registry);
    return st;
}

const ridge_command ridge_cmd_formula = {
    .name = "formula",
    .group = "Formulas",
    .summary = "one module's formula, evaluated for arguments",
    .example = "ridge formula torch.nn.Linear 2048 4096 4096",
    .details =
        "Arguments stand by position or as name=value; a name sets a parameter, else a workload symbol (B, S, past), else a config field. "
        "A value is a number (2k and 4Ki too), True, False, None, a list or a word.",
    .operands = RIDGE_OPERANDS(formula_args, words, "NAME [ARGUMENT...]", 1, 0,
                               "a module (torch.nn.Linear, torch__nn__Linear or its class path) and its arguments"),
    .tables = {{view_options, offsetof(formula_args, view), NULL},
               {ridge_options_json, offsetof(formula_args, output), "Output"},
               {ridge_options_catalog, offsetof(formula_args, catalog), "Catalog"}},
    .args_size = sizeof(formula_args),
    .run = run,
};
