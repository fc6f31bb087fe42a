/* What to read of a store, as options (store.h). */
#include "measure/fingerprint.h"
#include "measure/store.h"

enum { HASH_DIGITS = 16, HASH_LEAST = 4 };

ridge_status ridge_store_this_machine(const char **out, ridge_arena *arena, ridge_err *err)
{
    ridge_fingerprint *print = ridge_arena_alloc(arena, sizeof *print);
    ridge_status st = print ? ridge_fingerprint_read(print, arena, err) : ridge_no_memory(err);
    *out = !st ? print->digits : NULL;
    return st;
}

static ridge_status read_machine(void *member, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    const char **out = member;
    size_t n = strlen(text);
    *out = NULL;
    if (strcmp(text, "all") == 0)
        return RIDGE_OK;
    if (strcmp(text, "this") == 0)
        return ridge_store_this_machine(out, arena, err);
    if (n < HASH_LEAST || n > HASH_DIGITS || text[strspn(text, "0123456789abcdef")] != '\0')
        return ridge_fail(
            err, RIDGE_USAGE,
            RIDGE_OPT("%s") ": this, all, or the first %d to %d digits of a fingerprint (ridge history " RIDGE_OPT("runs") "), not '%s'",
            option->name, HASH_LEAST, HASH_DIGITS, text);
    *out = text;
    return RIDGE_OK;
}

/* float16 is fp16; rows may have what is no number format */
static ridge_status read_format(void *member, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    const ridge_format *format = ridge_format_find(ridge_str_of(text));
    (void)option;
    (void)arena;
    (void)err;
    *(const char **)member = format ? format->name : text;
    return RIDGE_OK;
}

static ridge_status read_size(void *member, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    if (!strchr(text, '='))
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": wanted NAME=VALUE (n=14336), found '%s'", option->name, text);
    return ridge_words_add(member, text, arena, err);
}

static ridge_status read_date(void *member, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    (void)arena;
    *(const char **)member = text;
    if (ridge_store_is_date(ridge_str_of(text)))
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": wanted a date like 2026-11-21 or 2026-11-21T16:00:00Z, found '%s'", option->name,
                      text);
}

#define OF ridge_store_filter
const ridge_option ridge_options_store_filter[] = {
    RIDGE_STRING(OF, kernel, "kernel", 'k', "KERNEL", "rows of one kernel: gemv, attention, ..."),
    RIDGE_OTHER(OF, format, const char *, "format", 'f', "FMT", read_format, "rows whose weights are in this format"),
    RIDGE_OTHER(OF, sizes, ridge_words, "size", 0, "NAME=VALUE", read_size,
                "rows whose shape has this size: n=14336 (repeatable; all must fit)"),
    RIDGE_OTHER(OF, machine, const char *, "machine", 'm', "M", read_machine,
                "runs of this machine: this, all, or the first digits of a fingerprint"),
    RIDGE_OTHER(OF, since, const char *, "since", 0, "DATE", read_date, "runs from then on, UTC: 2026-11-21 or 2026-11-21T16:00:00Z"),
    RIDGE_INT(OF, last, "last", 'n', "N", 1, 1000000000, "the newest N of these runs"),
    RIDGE_FLAG(OF, runs_only, "runs", 0, "list the runs, not their rows"),
    RIDGE_OPTION_END,
};
