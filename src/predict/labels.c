#include "predict/labels.h"

enum { PARTS = 24, SHOWN = 2 }; /* parts of a path that are told apart; those that a name has at least */

/* a path without its places in lists, the last part first */
typedef struct parts {
    ridge_str p[PARTS];
    bool is_list[PARTS]; /* a place in it followed */
    size_t n;
} parts;

/* "3", "*", "{0-2}" */
static bool is_place(ridge_str part)
{
    for (size_t i = 0; i < part.n; i++)
        if (!ridge_is_digit(part.p[i]))
            return part.p[0] == '*' || part.p[0] == '{';
    return true;
}

/* The dot before a part that ends at `end`; 0: none. The two dots of a shortened name ("index+..+cache") part nothing. */
static size_t dot_before(ridge_str path, size_t end)
{
    for (size_t i = end; i-- > 1;)
        if (path.p[i] == '.' && path.p[i - 1] != '.' && !(i + 1 < path.n && path.p[i + 1] == '.'))
            return i;
    return 0;
}

static parts parts_of(ridge_str path)
{
    parts out = {.n = 0};
    bool before_place = false;
    for (size_t end = path.n; end > 0 && out.n < PARTS;) {
        const size_t dot = dot_before(path, end), from = dot > 0 ? dot + 1 : 0;
        const ridge_str part = {path.p + from, end - from};
        if (!is_place(part)) {
            out.is_list[out.n] = before_place;
            out.p[out.n++] = part;
        }
        before_place = is_place(part);
        end = dot;
    }
    return out;
}

/* how many of their last parts are equal */
static size_t equal_parts(const parts *a, const parts *b)
{
    size_t i = 0;
    while (i < a->n && i < b->n && ridge_str_eq(a->p[i], b->p[i]))
        i++;
    return i;
}

/* how many parts a name shows; what is told by its last part needs no list before it ("layers") */
static size_t shown_of(const parts *kind, size_t told_apart_by)
{
    if (kind->n < SHOWN)
        return kind->n;
    return told_apart_by == 0 && kind->is_list[SHOWN - 1] ? SHOWN - 1 : SHOWN;
}

/* "q_proj" behind "self_attn" behind "encoder": the parts shown, the outermost of them set off where some between are left out */
static const char *name_of(const parts *kind, size_t told_apart_by, ridge_arena *arena)
{
    const size_t shown = shown_of(kind, told_apart_by);
    const char *name = shown > 0 ? ridge_arena_strdup(arena, kind->p[0]) : "(model)";
    for (size_t i = 1; i < shown && name; i++)
        name = ridge_arena_printf(arena, "%.*s.%s", (int)kind->p[i].n, kind->p[i].p, name);
    if (!name || told_apart_by < shown || told_apart_by >= kind->n)
        return name;
    const ridge_str part = kind->p[told_apart_by];
    return ridge_arena_printf(arena, "%.*s%s%s", (int)part.n, part.p, told_apart_by == shown ? "." : "…", name);
}

/* the part of a kind that no other kind has behind it, where their last parts are equal */
static size_t telling_part(const parts *kinds, size_t count, size_t at)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t equal = i == at ? 0 : equal_parts(&kinds[at], &kinds[i]);
        most = equal > most ? equal : most;
    }
    return most;
}

bool ridge_row_labels_make(ridge_row_labels *out, const ridge_rows *rows, ridge_arena *arena)
{
    parts *kinds = NULL;
    size_t cap = 0;
    out->kinds = 0;
    out->kind = ridge_arena_array(arena, rows->n + 1, sizeof *out->kind);
    if (!out->kind)
        return false;
    for (size_t i = 0; i < rows->n; i++) {
        const parts p = parts_of(rows->p[i].path);
        size_t k = 0;
        while (k < out->kinds && !(kinds[k].n == p.n && equal_parts(&kinds[k], &p) == p.n))
            k++;
        if (k == out->kinds) {
            if (!(kinds = ridge_arena_grow(arena, kinds, k, &cap, k + 1, sizeof *kinds)))
                return false;
            kinds[out->kinds++] = p;
        }
        out->kind[i] = k;
    }
    out->names = ridge_arena_array(arena, out->kinds + 1, sizeof *out->names);
    for (size_t k = 0; out->names && k < out->kinds; k++)
        if (!(out->names[k] = name_of(&kinds[k], telling_part(kinds, out->kinds, k), arena)))
            return false;
    return out->names;
}
