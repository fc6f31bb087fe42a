/* Options that were given and change nothing are told by name, whatever the command: what an option needs stands in its row (`needs`).
 * Given is what differs from the command's default. What depends on a model is told by model/unused.c, which knows it. */
#include "command/command.h"

typedef struct request {
    const ridge_command *command;
    ridge_option_places as_run, usual;
} request;

static bool is_given(const ridge_option *option, const void *at, const void *usual)
{
    const char *a = (const char *)at + option->offset, *b = (const char *)usual + option->offset;
    switch (option->kind) {
    case RIDGE_OPTION_FLAG:
        return *(const bool *)a != *(const bool *)b;
    case RIDGE_OPTION_SET:
        return *(const int *)a == (int)option->min && *(const int *)b != (int)option->min;
    case RIDGE_OPTION_CHOICE:
        return *(const int *)a != *(const int *)b;
    case RIDGE_OPTION_STRING:
    case RIDGE_OPTION_FORMAT:
        return *(const void *const *)a != *(const void *const *)b;
    case RIDGE_OPTION_LIST:
        return ((const ridge_words *)(const void *)a)->count != ((const ridge_words *)(const void *)b)->count;
    case RIDGE_OPTION_INT:
        return *(const int64_t *)a != *(const int64_t *)b;
    case RIDGE_OPTION_COUNT:
        return *(const ridge_int *)a != *(const ridge_int *)b;
    case RIDGE_OPTION_SECONDS:
    case RIDGE_OPTION_REAL:
        return memcmp(a, b, sizeof(double)) != 0;
    case RIDGE_OPTION_FORMATS:
        return ((const ridge_formats *)(const void *)a)->n != ((const ridge_formats *)(const void *)b)->n;
    case RIDGE_OPTION_OTHER:
        return memcmp(a, b, option->size) != 0;
    }
    return false;
}

/* "phase=train", "plot": is that option given, or is its word that one? No where the command has none of that name. */
static bool holds_one(const request *r, ridge_str term)
{
    const char *equals = memchr(term.p, '=', term.n);
    ridge_str name = {term.p, equals ? (size_t)(equals - term.p) : term.n};
    void *at, *usual;
    const ridge_option *option = ridge_options_find(&at, &r->as_run, r->command->tables, name);
    if (!option || !ridge_options_find(&usual, &r->usual, r->command->tables, name))
        return false;
    if (!equals || option->kind != RIDGE_OPTION_CHOICE)
        return is_given(option, at, usual);
    const int word = *(const int *)(const void *)((const char *)at + option->offset);
    return ridge_str_is((ridge_str){equals + 1, term.n - name.n - 1}, option->words[word]);
}

/* "plot|roofline": one of them; "!symbolic": not that */
static bool holds_any(const request *r, ridge_str terms)
{
    const bool wanted = terms.p[0] != '!';
    if (!wanted)
        terms = (ridge_str){terms.p + 1, terms.n - 1};
    while (terms.n > 0) {
        const char *bar = memchr(terms.p, '|', terms.n);
        size_t n = bar ? (size_t)(bar - terms.p) : terms.n;
        if (holds_one(r, (ridge_str){terms.p, n}))
            return wanted;
        terms.p += bar ? n + 1 : n;
        terms.n -= bar ? n + 1 : n;
    }
    return !wanted;
}

/* the next of the terms that the command has an option for; n 0: no more */
static ridge_str next_term(ridge_str *terms, const request *r)
{
    while (terms->n > 0) {
        const char *bar = memchr(terms->p, '|', terms->n);
        const size_t n = bar ? (size_t)(bar - terms->p) : terms->n;
        const char *equals = memchr(terms->p, '=', n);
        const ridge_str term = {terms->p, n};
        void *at;
        *terms = (ridge_str){terms->p + n + (bar != NULL), terms->n - n - (bar != NULL)};
        if (ridge_options_find(&at, &r->as_run, r->command->tables, (ridge_str){term.p, equals ? (size_t)(equals - term.p) : n}))
            return term;
    }
    return (ridge_str){terms->p, 0};
}

/* "--plot, --roofline or --html", "--phase train", "--symbolic" */
static void add_terms(ridge_buf *out, const request *r, ridge_str terms)
{
    ridge_str term = next_term(&terms, r), after = next_term(&terms, r);
    for (; term.n > 0; term = after, after = next_term(&terms, r)) {
        const char *equals = memchr(term.p, '=', term.n);
        const size_t name = equals ? (size_t)(equals - term.p) : term.n;
        ridge_str rest = terms;
        const char *between = after.n == 0 ? "" : next_term(&rest, r).n > 0 ? ", " : " or ";
        ridge_buf_addf(out, RIDGE_OPT("%.*s") "%s%.*s%s", (int)name, term.p, equals ? " " : "", equals ? (int)(term.n - name - 1) : 0,
                       equals ? equals + 1 : "", between);
    }
}

/* the first of the conditions that does not hold */
static void warn(ridge_call *call, const request *r, const ridge_option *option)
{
    for (const char *at = option->needs; at && *at;) {
        ridge_str terms = {at, strcspn(at, " ")};
        at += terms.n + (at[terms.n] == ' ');
        if (holds_any(r, terms))
            continue;
        const bool barred = terms.p[0] == '!';
        ridge_buf text = {0};
        add_terms(&text, r, barred ? (ridge_str){terms.p + 1, terms.n - 1} : terms);
        if (!text.failed)
            ridge_call_warn(call, RIDGE_OPT("%s") ": has no effect with%s %.*s; ignored", option->name, barred ? "" : "out", (int)text.n,
                            text.p);
        ridge_buf_free(&text);
        return;
    }
}

ridge_status ridge_command_warn_idle(ridge_call *call, const ridge_command *command, const void *values, ridge_err *err)
{
    ridge_call *usual_call = ridge_arena_alloc(&call->arena, sizeof *usual_call);
    void *usual;
    if (!usual_call)
        return ridge_no_memory(err);
    usual_call->arena = call->arena;
    ridge_status st = ridge_command_request(&usual, usual_call, command, err);
    call->arena = usual_call->arena;
    const request r = {.command = command,
                       .as_run = {.request = (void *)(uintptr_t)values, .call = call},
                       .usual = {.request = usual, .call = usual_call}};
    for (const ridge_option_table *table = command->tables; table->options && !st; table++)
        for (const ridge_option *option = table->options; option->name && !st; option++) {
            const char *at = table->of_call ? (const char *)call : values, *of_usual = table->of_call ? (const char *)usual_call : usual;
            if (!ridge_options_offered(command->tables, table, option) || !is_given(option, at + table->offset, of_usual + table->offset))
                continue;
            st = ridge_words_add(&call->given, option->name, &call->arena, err);
            warn(call, &r, option);
        }
    return st;
}
