/* str.h - a view of text, a growing buffer, and interned names (equal names are equal pointers). */
#ifndef RIDGE_BASE_STR_H
#define RIDGE_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct ridge_str {
    const char *p; /* not NUL-terminated */
    size_t n;
} ridge_str;

#define RIDGE_STR(literal) ((ridge_str){"" literal, sizeof(literal) - 1})
#define RIDGE_STR_ARG(s)   (int)(s).n, (s).p     /* for "%.*s" */
#define RIDGE_PLURAL(n)    ((n) == 1 ? "" : "s") /* for "%d run%s" */

/* The words of a list LIST(X) of X(CODE, word), or of X(CODE, "word"): const char *const words[] = {LIST(RIDGE_WORD_NAME) NULL}; */
#define RIDGE_WORD_NAME(code, word) #word,
#define RIDGE_WORD_TEXT(code, word) word,
/* the same where an item has more: X(CODE, word, ...) */
#define RIDGE_FIRST_NAME(code, word, ...) #word,
#define RIDGE_FIRST_TEXT(code, word, ...) word,

static inline bool ridge_is_digit(char c) /* whatever the locale */
{
    return c >= '0' && c <= '9';
}
static inline char ridge_lower(char c) /* whatever the locale */
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}
static inline ridge_str ridge_str_of(const char *z)
{
    return (ridge_str){z, strlen(z)};
}
static inline bool ridge_str_eq(ridge_str a, ridge_str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
static inline bool ridge_str_is(ridge_str a, const char *z)
{
    return ridge_str_eq(a, ridge_str_of(z));
}
bool ridge_str_starts(ridge_str a, ridge_str prefix);
bool ridge_str_ends(ridge_str a, ridge_str suffix);
bool ridge_str_is_digits(ridge_str a); /* one or more, and nothing else */
/* Has a path this run of whole components, "layers.0" of "model.layers.0.mlp"? An empty one is none. */
bool ridge_str_has_components(ridge_str path, ridge_str part);

/* Damerau-Levenshtein distance, for "did you mean"; at most `limit` + 1 is returned. */
unsigned ridge_str_distance(ridge_str a, ridge_str b, unsigned limit);

/* "did you mean": offers candidates one by one and keeps the nearest; NULL where none is near. Start with {0}. */
typedef struct ridge_nearest {
    const char *best;
    unsigned distance;
} ridge_nearest;
/* for the "%s%s%s" that ends a message; NULL: nothing is near */
#define RIDGE_MEANT(near) (near) ? "; did you mean '" : "", (near) ? (near) : "", (near) ? "'?" : ""
void ridge_nearest_offer(ridge_nearest *nearest, ridge_str text, const char *candidate);

/* Bytes of the UTF-8 character at `at` (< end), 0 where it is malformed (RFC 3629: shortest form, no surrogates, at most U+10FFFF). */
size_t ridge_utf8_length(const char *at, const char *end);
/* The code point of a well-formed character of n bytes. */
uint32_t ridge_utf8_decode(const char *at, size_t n);
/* Writes a code point (1 to 4 bytes); returns the place after it. */
char *ridge_utf8_put(char *out, uint32_t code_point);

/* ---- growing buffer (malloc) ---- */
typedef struct ridge_buf {
    char *p; /* NUL-terminated once anything was added */
    size_t n, cap;
    bool failed; /* memory ran out: contents are incomplete */
} ridge_buf;

void ridge_buf_free(ridge_buf *buf);
void ridge_buf_add(ridge_buf *buf, ridge_str text);
/* where n bytes and a NUL may be written, for who then adds to buf->n what was; NULL: memory ran out, and buf->failed says so */
char *ridge_buf_room(ridge_buf *buf, size_t n);
void ridge_buf_addz(ridge_buf *buf, const char *z);
void ridge_buf_addc(ridge_buf *buf, char c);
/* a cell of CSV (RFC 4180): quotes round what holds a comma, a quote or a line break */
void ridge_buf_add_csv(ridge_buf *buf, ridge_str text);
void ridge_buf_addf(ridge_buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- hashes of what strangers chose ---- */
/* A secret of one table: who writes a file cannot know which of its names fall on the same place. */
typedef struct ridge_hash_key {
    uint64_t start, factor;
} ridge_hash_key;
ridge_hash_key ridge_hash_key_make(void);
/* one word more; the high and the low half of the product are folded, so that no bit of it stays predictable */
static inline uint64_t ridge_hash_word(uint64_t hash, uint64_t word, ridge_hash_key key)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)(hash ^ word) * key.factor;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}
uint64_t ridge_hash_text(ridge_str text, ridge_hash_key key);

/* ---- interned names ---- */
struct ridge_arena;
typedef struct ridge_symbol {
    uint32_t hash;
    uint32_t len;
    uint32_t id;      /* 0, 1, 2, ... in order of creation */
    const char *text; /* NUL-terminated */
} ridge_symbol;

typedef struct ridge_symtab {
    struct ridge_arena *arena; /* holds the symbols */
    const ridge_symbol **slots;
    uint32_t cap, count; /* cap is a power of two */
    ridge_hash_key key;
} ridge_symtab;

bool ridge_symtab_init(ridge_symtab *tab, struct ridge_arena *arena);
/* the symbol of this text, made if new; NULL when memory runs out */
const ridge_symbol *ridge_intern(ridge_symtab *tab, ridge_str text);
/* the symbol if it exists, else NULL */
const ridge_symbol *ridge_intern_find(const ridge_symtab *tab, ridge_str text);

#endif
