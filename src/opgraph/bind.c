/* Names of dimensions and their numbers: --bind, expressions over names. */
#include "formula/expr.h"
#include "opgraph/parts.h"

enum { BIND_MOST = 64 };

/* ---- "batch=8,seq=128" ---- */

static ridge_status read_one(ridge_opgraph_bind *out, ridge_str part, ridge_arena *arena, ridge_err *err)
{
    const char *equals = part.n ? memchr(part.p, '=', part.n) : NULL;
    const char *shown = ridge_weight_shown(arena, part);
    if (!equals || equals == part.p)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("bind") ": '%s' is no NAME=NUMBER", shown);
    const ridge_str number = {equals + 1, (size_t)(part.p + part.n - equals - 1)};
    out->name = (ridge_str){part.p, (size_t)(equals - part.p)};
    out->size = 0;
    for (size_t i = 0; i < number.n; i++) {
        if (!ridge_is_digit(number.p[i]) || out->size > INT64_MAX / 1000)
            return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("bind") ": '%s': want a whole number after '='", shown);
        out->size = out->size * 10 + (number.p[i] - '0');
    }
    if (!number.n)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("bind") ": '%s': want a whole number after '='", shown);
    return RIDGE_OK;
}

ridge_status ridge_opgraph_binds_read(ridge_opgraph_bind **out, size_t *count, const char *text, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    *count = 0;
    if (!(*out = ridge_arena_array(arena, BIND_MOST, sizeof **out)))
        return ridge_no_memory(err);
    for (const char *at = text ? text : ""; *at && !st;) {
        const size_t n = strcspn(at, ",");
        if (*count == BIND_MOST)
            return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("bind") ": more than %d names", BIND_MOST);
        st = read_one(&(*out)[*count], (ridge_str){at, n}, arena, err);
        for (size_t i = 0; i < *count && !st; i++)
            if (ridge_str_eq((*out)[i].name, (*out)[*count].name))
                st = ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("bind") ": '%s' is bound twice", ridge_weight_shown(arena, (*out)[i].name));
        ++*count;
        at += n + (at[n] == ',');
    }
    return st;
}

/* ---- symbols ---- */

static const ridge_opgraph_bind *bind_of(const ridge_opgraph_bind *binds, size_t count, ridge_str name)
{
    for (size_t i = 0; i < count; i++)
        if (ridge_str_eq(binds[i].name, name))
            return &binds[i];
    return NULL;
}

static bool has_symbol(const ridge_opgraph *g, ridge_str name)
{
    for (size_t i = 0; i < g->symbol_count; i++)
        if (ridge_str_eq(g->symbols[i].name, name))
            return true;
    return false;
}

static ridge_status no_symbol(ridge_opgraph_run *run, ridge_str name)
{
    const ridge_opgraph *g = run->graph;
    ridge_status st = ridge_fail(run->err, RIDGE_USAGE, RIDGE_OPT("bind") ": the inputs of %s have no dimension '%s'", g->path,
                                 ridge_weight_shown(run->arena, name));
    ridge_err_append(run->err, g->symbol_count ? "; they have: " : "; all their sizes are numbers");
    for (size_t i = 0; i < g->symbol_count; i++)
        ridge_err_append(run->err, "%s%s", i ? ", " : "", ridge_weight_shown(run->arena, g->symbols[i].name));
    return st;
}

static ridge_status in_range(ridge_opgraph_run *run, const ridge_opgraph_symbol *s, int64_t size)
{
    if (size >= s->low && size <= s->high)
        return RIDGE_OK;
    return ridge_fail(run->err, RIDGE_VALUE, RIDGE_OPT("bind") ": %s=%lld: the graph was exported for %lld to %s%.0lld",
                      ridge_weight_shown(run->arena, s->name), (long long)size, (long long)s->low, s->high == INT64_MAX ? "any" : "",
                      s->high == INT64_MAX ? 0LL : (long long)s->high);
}

/* where nobody says a number: 1, or the smallest that the graph takes */
static ridge_status assume(ridge_opgraph_run *run, int64_t *out, const ridge_opgraph_symbol *s)
{
    *out = s->low > 1 ? s->low : 1;
    const char *text = ridge_arena_printf(run->arena, "%s=%lld", ridge_weight_shown(run->arena, s->name), (long long)*out);
    return text ? ridge_words_add(&run->assumed, text, run->arena, run->err) : ridge_no_memory(run->err);
}

ridge_status ridge_opgraph_bind_symbols(ridge_opgraph_run *run, const ridge_opgraph_bind *binds, size_t count)
{
    const ridge_opgraph *g = run->graph;
    int64_t *bound = ridge_arena_array(run->arena, g->symbol_count + 1, sizeof *bound);
    ridge_status st = RIDGE_OK;
    if (!bound)
        return ridge_no_memory(run->err);
    for (size_t i = 0; i < count; i++)
        if (!has_symbol(g, binds[i].name))
            return no_symbol(run, binds[i].name);
    for (size_t i = 0; i < g->symbol_count && !st; i++) {
        const ridge_opgraph_bind *b = bind_of(binds, count, g->symbols[i].name);
        bound[i] = b ? b->size : 0;
        st = b ? in_range(run, &g->symbols[i], b->size) : assume(run, &bound[i], &g->symbols[i]);
    }
    run->bound = bound;
    return st;
}

/* ---- dimensions ---- */

static const int64_t *number_of(const ridge_opgraph_run *run, ridge_str name)
{
    for (size_t i = 0; i < run->graph->symbol_count; i++)
        if (ridge_str_eq(run->graph->symbols[i].name, name))
            return &run->bound[i];
    return NULL;
}

/* Functions of sympy by what formulas call them, or by the operator that they are there: Mod(a, b) is (a) % (b). */
static const struct {
    const char *sympy, *formula, *infix;
} functions[] = {
    {"Max(", "max(", NULL},          {"Min(", "min(", NULL},          {"ceiling(", "ceil(", NULL}, {"CeilToInt(", "ceil(", NULL},
    {"FloorToInt(", "floor(", NULL}, {"TruncToInt(", "floor(", NULL}, {"Mod(", NULL, "%"},         {"PythonMod(", NULL, "%"},
    {"FloorDiv(", NULL, "//"},       {"CleanDiv(", NULL, "//"},       {"IntTrueDiv(", NULL, "/"},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions, NESTED = 32 };

/* bytes up to the first of `stops` that is in no parenthesis */
static size_t until(ridge_str text, const char *stops)
{
    int depth = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (depth == 0 && strchr(stops, text.p[i]))
            return i;
        depth += (text.p[i] == '(') - (text.p[i] == ')');
    }
    return text.n;
}

static void rewrite(ridge_buf *out, ridge_str text, unsigned depth);

/* "a, b)" behind the name of a function: "((a) % (b))"; what was used up */
static size_t rewrite_infix(ridge_buf *out, ridge_str rest, const char *infix, unsigned depth)
{
    const size_t first = until(rest, ",)"), from = first < rest.n && rest.p[first] == ',' ? first + 1 : first;
    const size_t second = until((ridge_str){rest.p + from, rest.n - from}, ")");
    ridge_buf_addz(out, "((");
    rewrite(out, (ridge_str){rest.p, first}, depth + 1);
    ridge_buf_addf(out, ") %s (", infix);
    rewrite(out, (ridge_str){rest.p + from, second}, depth + 1);
    ridge_buf_addz(out, "))");
    return from + second < rest.n ? from + second + 1 : rest.n;
}

static bool is_word(char c)
{
    return ridge_is_digit(c) || c == '_' || (ridge_lower(c) >= 'a' && ridge_lower(c) <= 'z');
}

static void rewrite(ridge_buf *out, ridge_str text, unsigned depth)
{
    out->failed |= depth > NESTED;
    for (size_t i = 0; i < text.n && !out->failed;) {
        const ridge_str rest = {text.p + i, text.n - i};
        size_t f = i && is_word(text.p[i - 1]) ? FUNCTIONS : 0;
        while (f < FUNCTIONS && !ridge_str_starts(rest, ridge_str_of(functions[f].sympy)))
            f++;
        if (f == FUNCTIONS) {
            ridge_buf_addc(out, text.p[i++]);
            continue;
        }
        const size_t n = strlen(functions[f].sympy);
        i += n;
        if (functions[f].infix)
            i += rewrite_infix(out, (ridge_str){rest.p + n, rest.n - n}, functions[f].infix, depth);
        else
            ridge_buf_addz(out, functions[f].formula);
    }
}

static ridge_str formula_text(ridge_opgraph_run *run, ridge_str text)
{
    ridge_buf out = {0};
    rewrite(&out, text, 0);
    const size_t length = out.n;
    const char *taken = ridge_arena_take(run->arena, &out);
    ridge_buf_free(&out);
    return (ridge_str){taken ? taken : "", taken ? length : 0};
}

/* an expression over the symbols; false: it is none, or no whole number >= 0 */
static bool evaluate(int64_t *out, ridge_opgraph_run *run, ridge_str text)
{
    ridge_symtab names;
    ridge_scope scope = {.arena = run->arena, .symbols = &names};
    ridge_expr *expr;
    ridge_value v, slots[64];
    ridge_int whole;
    ridge_err err = {0};
    if (run->graph->symbol_count > 60 || !ridge_symtab_init(&names, run->arena))
        return false;
    for (size_t i = 0; i < run->graph->symbol_count; i++) {
        const ridge_symbol *s = ridge_intern(&names, run->graph->symbols[i].name);
        uint32_t slot = s ? ridge_scope_add(&scope, s) : UINT32_MAX;
        if (slot >= 64)
            return false;
        slots[slot] = ridge_value_int(run->bound[i]);
    }
    if (ridge_expr_parse(&expr, formula_text(run, text), "", 1, 1, &scope, &err) || scope.slots > 64)
        return false;
    ridge_value globals[RIDGE_GLOBAL_COUNT] = {0};
    ridge_evaluation e = {.calc = {run->arena, NULL, &err}, .globals = globals, .slots = slots, .steps_left = 10000};
    if (ridge_expr_eval(&v, expr, &e) || !ridge_value_as_int(&whole, v) || whole < 0 || whole > INT64_MAX)
        return false;
    *out = (int64_t)whole;
    return true;
}

ridge_status ridge_opgraph_dim_size(int64_t *out, const char **why, ridge_opgraph_run *run, const ridge_opgraph_dim *dim)
{
    *out = dim->size;
    if (dim->size >= 0)
        return RIDGE_OK;
    *why = "the file does not say all of its sizes";
    if (!dim->name.n)
        return RIDGE_OK;
    const int64_t *number = number_of(run, dim->name);
    if (number)
        *out = *number;
    else if (!evaluate(out, run, dim->name)) {
        *out = -1;
        *why = ridge_arena_printf(run->arena, "its size '%s' depends on what runs", ridge_weight_shown(run->arena, dim->name));
    }
    return *why && !run->arena->failed ? RIDGE_OK : ridge_no_memory(run->err);
}
