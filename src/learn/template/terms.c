/* Sizes of feature maps are divided again and again: (((image - 1)//2 - 1)//2 - 1)//2. The innermost is named first, then what is made of
 * it. */
#include "learn/template/terms.h"

#include <ctype.h>

/* entries whose formulas are shorter in all read well as they are; so many names are enough for any */
enum { SHORT = 2000, MOST = 512 };

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* the bracket that encloses text[at]: on the left (step -1) or on the right; `end`: none */
static size_t enclosing(const char *text, size_t at, size_t end, int step)
{
    const char open = step < 0 ? '(' : ')', close = step < 0 ? ')' : '(';
    unsigned depth = 0;
    for (size_t i = at; i != end; i += (size_t)step) {
        if (text[i] == close)
            depth++;
        else if (text[i] == open && depth-- == 0)
            return i;
    }
    return end;
}

static bool is_among(ridge_str word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ridge_str_is(word, list[i]))
            return true;
    return false;
}

/* a parameter of the entry, whose text goes on with what it stands for by default */
static bool is_parameter(ridge_str word, const ridge_terms *t)
{
    for (size_t i = 0; i < t->parameter_count; i++)
        if (strncmp(t->parameters[i], word.p, word.n) == 0 && !is_word(t->parameters[i][word.n]))
            return true;
    return false;
}

/* Does it hold for the whole entry? What a loop counts, or a share of rows, is another in every element. */
static bool is_of_entry(ridge_str text, const ridge_terms *t)
{
    static const char *const known[] = {"config", "B",      "S",           "past",         "T",      "enc",     "images",
                                        "image",  "image_height", "image_width", "video_frames", "frames", "samples", "max", "min"};
    for (size_t i = 0; i < text.n; i++) {
        if (!isalpha((unsigned char)text.p[i]) && text.p[i] != '_')
            continue;
        size_t n = 0;
        while (i + n < text.n && is_word(text.p[i + n]))
            n++;
        const ridge_str word = {text.p + i, n};
        const bool field = i > 0 && text.p[i - 1] == '.';
        if (!field && !is_among(word, known, sizeof known / sizeof *known) && !is_among(word, t->names, t->shared) && !is_parameter(word, t))
            return false;
        i += n - 1;
    }
    return true;
}

/* where the next thing begins that is given a name: a//b, max(..) or min(..); NULL: there is none */
static const char *next_of(const char *p, size_t n)
{
    for (const char *end = p + n; p + 2 < end; p++)
        if ((p[0] == '/' && p[1] == '/') || (p[0] == 'm' && p + 4 < end && (strncmp(p, "max(", 4) == 0 || strncmp(p, "min(", 4) == 0)))
            return p;
    return NULL;
}

/* An innermost (a//b), brackets included, max(..) or min(..) of a text; n 0: there is none (left). What cannot be named stands in the way of
 * what it is part of. */
static ridge_str innermost(const char *text, const ridge_terms *t)
{
    const size_t n = strlen(text);
    for (const char *p = next_of(text, n); p; p = next_of(p + 2, (size_t)(text + n - p) - 2)) {
        const bool call = *p == 'm';
        const size_t at = (size_t)(p - text), left = call ? at + 3 : at > 0 ? enclosing(text, at - 1, SIZE_MAX, -1) : SIZE_MAX;
        const size_t right = left == SIZE_MAX ? n : enclosing(text, left + 1, n, 1);
        if (right == n || (left > 0 && !call && is_word(text[left - 1])) || (call && at > 0 && is_word(text[at - 1])))
            continue;
        const ridge_str inner = {text + left + 1, right - left - 1};
        const char *first = next_of(inner.p, inner.n);
        const bool one = call ? !first : first == p && !next_of(p + 2, (size_t)(text + right - p) - 2);
        if (one && (call || !memchr(inner.p, ',', inner.n)) && is_of_entry(inner, t))
            return call ? (ridge_str){p, right - at + 1} : (ridge_str){text + left, right - left + 1};
    }
    return (ridge_str){0};
}

static const char *replaced(const char *text, ridge_str what, const char *by, const ridge_calc *calc)
{
    ridge_buf out = {0};
    const char *p = text, *found;
    for (size_t left = strlen(p); (found = memmem(p, left, what.p, what.n)); left = strlen(p)) {
        ridge_buf_add(&out, (ridge_str){p, (size_t)(found - p)});
        ridge_buf_addz(&out, by);
        p = found + what.n;
    }
    if (p == text)
        return text;
    ridge_buf_addz(&out, p);
    const char *made = ridge_arena_strdup(calc->arena, (ridge_str){out.p, out.n});
    ridge_buf_free(&out);
    return made;
}

/* names one size, in all texts */
static ridge_status name(ridge_terms *t, ridge_str what, const ridge_calc *calc)
{
    size_t cap = t->cap;
    if (!ridge_arena_more(calc->arena, &t->names, t->shared, &cap, sizeof *t->names) ||
        !ridge_arena_more(calc->arena, &t->formulas, t->shared, &t->cap, sizeof *t->formulas))
        return ridge_no_memory(calc->err);
    const char *called = ridge_arena_printf(calc->arena, "size_%zu", t->shared + 1), *whole = ridge_arena_strdup(calc->arena, what),
               *formula = *what.p == '(' ? ridge_arena_strdup(calc->arena, (ridge_str){what.p + 1, what.n - 2}) : whole;
    if (!called || !whole || !formula)
        return ridge_no_memory(calc->err);
    for (size_t i = 0; i < t->count; i++)
        if (!(t->texts[i] = replaced(t->texts[i], ridge_str_of(whole), called, calc)))
            return ridge_no_memory(calc->err);
    t->names[t->shared] = called;
    t->formulas[t->shared++] = formula;
    return RIDGE_OK;
}

ridge_status ridge_terms_share(ridge_terms *t, const ridge_calc *calc)
{
    size_t length = 0;
    for (size_t i = 0; i < t->count; i++)
        length += strlen(t->texts[i]);
    if (length < SHORT)
        return RIDGE_OK;
    for (size_t i = 0; i < t->count; i++)
        if (strstr(t->texts[i], "None")) /* what there is on one side of a condition is not worked out on the other */
            return RIDGE_OK;
    for (size_t i = 0; i < t->count; i++)
        for (ridge_str found = innermost(t->texts[i], t); found.n > 0 && t->shared < MOST; found = innermost(t->texts[i], t)) {
            ridge_status st = name(t, found, calc);
            if (st)
                return st;
        }
    return RIDGE_OK;
}
