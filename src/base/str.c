#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "base/arena.h"

bool ridge_str_starts(ridge_str a, ridge_str prefix)
{
    return a.n >= prefix.n && (prefix.n == 0 || memcmp(a.p, prefix.p, prefix.n) == 0);
}

bool ridge_str_ends(ridge_str a, ridge_str suffix)
{
    return a.n >= suffix.n && (suffix.n == 0 || memcmp(a.p + (a.n - suffix.n), suffix.p, suffix.n) == 0);
}

bool ridge_str_is_digits(ridge_str a)
{
    size_t i = 0;
    while (i < a.n && ridge_is_digit(a.p[i]))
        i++;
    return a.n > 0 && i == a.n;
}

bool ridge_str_has_components(ridge_str path, ridge_str part)
{
    for (size_t i = 0; part.n && i + part.n <= path.n; i++)
        if ((i == 0 || path.p[i - 1] == '.') && (i + part.n == path.n || path.p[i + part.n] == '.') &&
            memcmp(path.p + i, part.p, part.n) == 0)
            return true;
    return false;
}

size_t ridge_utf8_length(const char *at, const char *end)
{
    const unsigned char *p = (const unsigned char *)at;
    size_t room = (size_t)(end - at), n = p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : p[0] < 0xF5 ? 4 : 0;
    if (p[0] < 0x80)
        return 1;
    if (n == 0 || n > room)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    bool bad =
        (p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] > 0x8F);
    return bad ? 0 : n;
}

uint32_t ridge_utf8_decode(const char *at, size_t n)
{
    const unsigned char *p = (const unsigned char *)at;
    uint32_t c = n == 1 ? p[0] & 0x7Fu : p[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++)
        c = c << 6 | (p[i] & 0x3Fu);
    return c;
}

char *ridge_utf8_put(char *out, uint32_t c)
{
    if (c < 0x80) {
        *out++ = (char)c;
    } else if (c < 0x800) {
        *out++ = (char)(0xC0 | c >> 6);
        *out++ = (char)(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        *out++ = (char)(0xE0 | c >> 12);
        *out++ = (char)(0x80 | (c >> 6 & 0x3F));
        *out++ = (char)(0x80 | (c & 0x3F));
    } else {
        *out++ = (char)(0xF0 | c >> 18);
        *out++ = (char)(0x80 | (c >> 12 & 0x3F));
        *out++ = (char)(0x80 | (c >> 6 & 0x3F));
        *out++ = (char)(0x80 | (c & 0x3F));
    }
    return out;
}

/* ---- edit distance ---- */
enum { DISTANCE_LONGEST = 256 }; /* longer texts are no typos of each other */

static unsigned min_of(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: one row per character of a; Damerau 1964, Wagner and Fischer 1974. */
static unsigned distance_rows(ridge_str a, ridge_str b, unsigned limit)
{
    unsigned rows[3][DISTANCE_LONGEST + 1];
    unsigned *before = rows[0], *above = rows[1], *row = rows[2];
    for (unsigned j = 0; j <= b.n; j++)
        above[j] = before[j] = j;
    for (size_t i = 1; i <= a.n; i++) {
        row[0] = (unsigned)i;
        unsigned best = row[0];
        for (size_t j = 1; j <= b.n; j++) {
            unsigned cost = a.p[i - 1] != b.p[j - 1];
            unsigned d = min_of(above[j - 1] + cost, min_of(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1])
                d = min_of(d, before[j - 2] + 1);
            row[j] = d;
            best = min_of(best, d);
        }
        if (best > limit + 1) /* a transposition may still lower the next row by one */
            return limit + 1;
        unsigned *oldest = before;
        before = above, above = row, row = oldest;
    }
    return min_of(above[b.n], limit + 1);
}

unsigned ridge_str_distance(ridge_str a, ridge_str b, unsigned limit)
{
    size_t gap = a.n > b.n ? a.n - b.n : b.n - a.n;
    if (gap > limit || a.n > DISTANCE_LONGEST || b.n > DISTANCE_LONGEST)
        return ridge_str_eq(a, b) ? 0 : limit + 1;
    return distance_rows(a, b, limit);
}

void ridge_nearest_offer(ridge_nearest *nearest, ridge_str text, const char *candidate)
{
    ridge_str name = ridge_str_of(candidate);
    /* a third of the letters may be wrong; a beginning of three letters or more is as near as can be */
    unsigned limit = text.n <= 3 ? 1 : text.n <= 6 ? 2 : 3;
    unsigned distance = text.n >= 3 && ridge_str_starts(name, text) ? 0 : ridge_str_distance(text, name, limit);
    if (distance <= limit && distance < name.n && (!nearest->best || distance < nearest->distance)) {
        nearest->best = candidate;
        nearest->distance = distance;
    }
}

/* ---- growing buffer ---- */
void ridge_buf_free(ridge_buf *buf)
{
    free(buf->p);
    *buf = (ridge_buf){0};
}

/* room for n more bytes and the final NUL */
static bool buf_reserve(ridge_buf *buf, size_t n)
{
    if (buf->failed)
        return false;
    if (n < buf->cap - buf->n)
        return true;
    size_t cap = buf->cap < 128 ? 256 : buf->cap * 2;
    if (n > PTRDIFF_MAX - buf->n - 1) {
        buf->failed = true;
        return false;
    }
    if (cap < buf->n + n + 1)
        cap = buf->n + n + 1;
    char *p = realloc(buf->p, cap);
    if (!p) {
        buf->failed = true;
        return false;
    }
    buf->p = p;
    buf->cap = cap;
    return true;
}

char *ridge_buf_room(ridge_buf *buf, size_t n)
{
    return buf_reserve(buf, n) ? buf->p + buf->n : NULL;
}

void ridge_buf_add(ridge_buf *buf, ridge_str text)
{
    if (!buf_reserve(buf, text.n))
        return;
    if (text.n != 0)
        memcpy(buf->p + buf->n, text.p, text.n);
    buf->n += text.n;
    buf->p[buf->n] = '\0';
}

void ridge_buf_addz(ridge_buf *buf, const char *z)
{
    ridge_buf_add(buf, ridge_str_of(z));
}

void ridge_buf_addc(ridge_buf *buf, char c)
{
    if (!buf_reserve(buf, 1))
        return;
    buf->p[buf->n++] = c;
    buf->p[buf->n] = '\0';
}

void ridge_buf_add_csv(ridge_buf *buf, ridge_str text)
{
    bool quoted = false;
    for (size_t i = 0; i < text.n && !quoted; i++)
        quoted = text.p[i] == ',' || text.p[i] == '"' || text.p[i] == '\n' || text.p[i] == '\r';
    if (!quoted) {
        ridge_buf_add(buf, text);
        return;
    }
    ridge_buf_addc(buf, '"');
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '"')
            ridge_buf_addc(buf, '"');
        ridge_buf_addc(buf, text.p[i]);
    }
    ridge_buf_addc(buf, '"');
}

void ridge_buf_addf(ridge_buf *buf, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    if (n < 0) {
        buf->failed = true;
    } else if (buf_reserve(buf, (size_t)n)) {
        (void)vsnprintf(buf->p + buf->n, (size_t)n + 1, fmt, again);
        buf->n += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

/* ---- keyed hashes ---- */
ridge_hash_key ridge_hash_key_make(void)
{
    ridge_hash_key key = {0};
    if (getrandom(&key, sizeof key, GRND_NONBLOCK) != (ssize_t)sizeof key) { /* early at boot: what can be had */
        struct timespec now = {0};
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        key.start = (uint64_t)now.tv_nsec ^ (uintptr_t)&key;
        key.factor = key.start * 0x9e3779b97f4a7c15u ^ (uint64_t)now.tv_sec;
    }
    key.factor |= 1;
    return key;
}

uint64_t ridge_hash_text(ridge_str text, ridge_hash_key key)
{
    uint64_t hash = key.start ^ text.n, word = 0;
    size_t i = 0;
    for (; text.n - i >= sizeof word; i += sizeof word) {
        memcpy(&word, text.p + i, sizeof word);
        hash = ridge_hash_word(hash, word, key);
    }
    word = 0;
    if (i < text.n)
        memcpy(&word, text.p + i, text.n - i);
    return ridge_hash_word(hash, word, key);
}

/* ---- interned names: open addressing, at most half full ---- */
enum { SYMTAB_FIRST = 256 };

static uint32_t hash_name(const ridge_symtab *tab, ridge_str text)
{
    uint64_t hash = ridge_hash_text(text, tab->key);
    return (uint32_t)(hash ^ hash >> 32);
}

bool ridge_symtab_init(ridge_symtab *tab, ridge_arena *arena)
{
    *tab = (ridge_symtab){.arena = arena, .cap = SYMTAB_FIRST, .key = ridge_hash_key_make()};
    tab->slots = ridge_arena_array(arena, tab->cap, sizeof(ridge_symbol *));
    if (!tab->slots)
        tab->cap = 0;
    return tab->slots;
}

/* index of the slot that holds this text, or of the free slot where it belongs; cap > 0 */
static uint32_t find_slot(const ridge_symtab *tab, ridge_str text, uint32_t hash)
{
    uint32_t mask = tab->cap - 1, i = hash & mask;
    for (const ridge_symbol *s; (s = tab->slots[i]); i = (i + 1) & mask)
        if (s->hash == hash && s->len == text.n && memcmp(s->text, text.p, text.n) == 0)
            break;
    return i;
}

static bool symtab_grow(ridge_symtab *tab)
{
    if (tab->cap == 0 || tab->cap > UINT32_MAX / 2)
        return false;
    uint32_t cap = tab->cap * 2;
    const ridge_symbol **slots = ridge_arena_array(tab->arena, cap, sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t i = 0; i < tab->cap; i++) {
        if (!tab->slots[i])
            continue;
        uint32_t at = tab->slots[i]->hash & (cap - 1);
        while (slots[at])
            at = (at + 1) & (cap - 1);
        slots[at] = tab->slots[i];
    }
    tab->slots = slots;
    tab->cap = cap;
    return true;
}

const ridge_symbol *ridge_intern(ridge_symtab *tab, ridge_str text)
{
    if (text.n >= UINT32_MAX || (tab->count >= tab->cap / 2 && !symtab_grow(tab)))
        return NULL;
    if (text.n == 0)
        text.p = "";
    uint32_t hash = hash_name(tab, text), at = find_slot(tab, text, hash);
    if (tab->slots[at])
        return tab->slots[at];
    ridge_symbol *symbol = ridge_arena_alloc(tab->arena, sizeof *symbol);
    char *copy = ridge_arena_strdup(tab->arena, text);
    if (!symbol || !copy)
        return NULL;
    *symbol = (ridge_symbol){.hash = hash, .len = (uint32_t)text.n, .id = tab->count++, .text = copy};
    tab->slots[at] = symbol;
    return symbol;
}

const ridge_symbol *ridge_intern_find(const ridge_symtab *tab, ridge_str text)
{
    if (tab->cap == 0)
        return NULL;
    if (text.n == 0)
        text.p = "";
    return tab->slots[find_slot(tab, text, hash_name(tab, text))];
}
