#include "input/onnx/parts.h"

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || ridge_is_digit(c);
}

/* "past + seq", "2*s0", "floor(s0/2)": names, whole numbers and signs, of which one is no '-' ("batch-size" is a name). */
static bool is_expression(ridge_str text)
{
    bool sign = false;
    for (size_t i = 0; i < text.n; i++) {
        const char c = text.p[i];
        const bool apart = c == '-' && i > 0 && text.p[i - 1] == ' ' && i + 1 < text.n && text.p[i + 1] == ' ';
        if (!is_letter(c) && !memchr("+-*/() ,", c, 8))
            return false;
        sign |= c == '+' || c == '*' || c == '/' || apart;
    }
    return sign;
}

static ridge_status add_symbol(onnx_reader *r, ridge_symtab *seen, ridge_str name)
{
    ridge_opgraph *g = r->out;
    const uint32_t before = seen->count;
    if (!ridge_intern(seen, name))
        return ridge_no_memory(r->err);
    if (seen->count == before)
        return RIDGE_OK;
    ridge_status st = ridge_onnx_more(r, &g->symbols, g->symbol_count, &r->symbol_cap, sizeof *g->symbols);
    if (!st)
        g->symbols[g->symbol_count++] = (ridge_opgraph_symbol){.name = name, .low = 0, .high = INT64_MAX, .hint = -1};
    return st;
}

/* the names in an expression, but for those of what it calls */
static ridge_status add_names(onnx_reader *r, ridge_symtab *seen, ridge_str text)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < text.n && !st;) {
        const size_t from = i;
        while (i < text.n && is_letter(text.p[i]))
            i++;
        const bool called = i < text.n && text.p[i] == '(';
        if (i > from && !ridge_is_digit(text.p[from]) && !called)
            st = add_symbol(r, seen, (ridge_str){text.p + from, i - from});
        i += i == from;
    }
    return st;
}

ridge_status ridge_onnx_symbols(onnx_reader *r)
{
    const ridge_opgraph_body *main_graph = &r->out->main;
    ridge_symtab seen;
    ridge_status st = RIDGE_OK;
    if (!ridge_symtab_init(&seen, r->arena))
        return ridge_no_memory(r->err);
    for (uint32_t i = 0; i < main_graph->input_count; i++) {
        const ridge_opgraph_value *v = &r->out->values[main_graph->inputs[i]];
        for (uint32_t k = 0; k < v->rank && !st; k++)
            if (v->dims[k].size < 0 && v->dims[k].name.n)
                st = is_expression(v->dims[k].name) ? add_names(r, &seen, v->dims[k].name) : add_symbol(r, &seen, v->dims[k].name);
    }
    return st;
}
