#include <inttypes.h>

#include "base/shown.h"
#include "input/gguf/parts.h"
#include "input/hub/kept.h"

enum { LAST_VERSION = 3, ALIGNMENT = 32, MOST_NAME = 160, ALL_LIMIT = 1 << 29 };

const char *ridge_gguf_shown(gguf_part *p, ridge_str name)
{
    const size_t n = name.n < MOST_NAME ? name.n : MOST_NAME;
    const char *text = ridge_arena_strdup(p->arena, (ridge_str){name.p, n});
    return text ? ridge_shown(p->arena, text) : "";
}

ridge_status ridge_gguf_count(uint64_t *out, gguf_part *p, const char *what)
{
    uint32_t narrow = 0;
    if (p->into->version > 1)
        return ridge_cursor_u64(out, &p->c, what, p->err);
    ridge_status st = ridge_cursor_u32(&narrow, &p->c, what, p->err);
    *out = narrow;
    return st;
}

static bool is_utf8(ridge_str text)
{
    const char *at = text.p, *end = text.p + text.n;
    while (at < end) {
        const size_t n = ridge_utf8_length(at, end);
        if (n == 0)
            return false;
        at += n;
    }
    return true;
}

ridge_status ridge_gguf_string(ridge_str *out, gguf_part *p, size_t limit, const char *what)
{
    uint64_t n;
    ridge_status st = ridge_gguf_count(&n, p, what);
    const uint64_t at = p->c.at;
    if (!st && p->arena->total > ALL_LIMIT)
        st = ridge_fail(p->err, RIDGE_LIMIT, "%s: names and texts before byte %" PRIu64 " take more than %d MB", p->c.file->path, at,
                        ALL_LIMIT >> 20);
    if (st || (st = ridge_cursor_text(out, &p->c, n, limit, what, p->arena, p->err)))
        return st;
    if (is_utf8(*out) && !memchr(out->p, '\0', out->n))
        return RIDGE_OK;
    return ridge_fail(p->err, RIDGE_SYNTAX, "%s: %s at byte %" PRIu64 " is no UTF-8 text", p->c.file->path, what, at);
}

bool ridge_gguf_looks(ridge_binary *file)
{
    char magic[4];
    return file->size >= sizeof magic && !ridge_binary_read(file, magic, 0, sizeof magic, NULL) && memcmp(magic, "GGUF", 4) == 0;
}

static ridge_status wrong_version(gguf_part *p, uint32_t version)
{
    const char *path = p->c.file->path;
    if (version > 0 && version < 1u << 24 && version > LAST_VERSION)
        return ridge_fail(p->err, RIDGE_VALUE, "%s: a GGUF of version %" PRIu32 "; versions 1 to %d are read", path, version, LAST_VERSION);
    if (version != 0 && (version & 0xFFFFFF) == 0)
        return ridge_fail(p->err, RIDGE_VALUE,
                          "%s: a GGUF of big-endian numbers, which are not read (gguf-py's gguf_convert_endian.py turns them)", path);
    return ridge_fail(p->err, RIDGE_VALUE, "%s: %" PRIu32 " is no version of GGUF", path, version);
}

/* Counts that the rest of the file cannot hold are refused before anything is made for them. */
static ridge_status check_counts(gguf_part *p)
{
    const uint64_t left = ridge_cursor_left(&p->c), length = p->into->version > 1 ? 8 : 4;
    const struct {
        uint64_t count, most, bytes;
        const char *what;
    } of[] = {{p->tensors, RIDGE_GGUF_TENSORS, length + 16, "tensors"}, {p->pairs, RIDGE_GGUF_PAIRS, length + 5, "pairs of metadata"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        if (of[i].count > left / of[i].bytes)
            return ridge_fail(p->err, RIDGE_SYNTAX, "%s: its header promises %" PRIu64 " %s, which %" PRIu64 " bytes behind it cannot hold",
                              p->c.file->path, of[i].count, of[i].what, left);
        if (of[i].count > of[i].most)
            return ridge_fail(p->err, RIDGE_LIMIT, "%s: %" PRIu64 " %s; at most %" PRIu64 " are read", p->c.file->path, of[i].count,
                              of[i].what, of[i].most);
    }
    return RIDGE_OK;
}

ridge_status ridge_gguf_header(gguf_part *p)
{
    uint32_t magic, version = 0;
    ridge_status st;
    if (!ridge_gguf_looks(p->c.file))
        return ridge_fail(p->err, RIDGE_SYNTAX, "%s: no GGUF: it does not begin with the letters GGUF", p->c.file->path);
    if ((st = ridge_cursor_u32(&magic, &p->c, "the magic", p->err)) || (st = ridge_cursor_u32(&version, &p->c, "the version", p->err)))
        return st;
    if (version < 1 || version > LAST_VERSION)
        return wrong_version(p, version);
    p->into->version = version;
    if ((st = ridge_gguf_count(&p->tensors, p, "the number of tensors")) || (st = ridge_gguf_count(&p->pairs, p, "the number of pairs")))
        return st;
    return check_counts(p);
}

/* ---- one file ---- */

static ridge_status start(ridge_gguf *g, const char *path, ridge_arena *arena, ridge_err *err)
{
    *g = (ridge_gguf){.path = path, .alignment = ALIGNMENT, .weights = {.kind = "GGUF"}};
    return ridge_symtab_init(&g->names, arena) ? RIDGE_OK : ridge_no_memory(err);
}

ridge_status ridge_gguf_read_one(ridge_gguf *out, ridge_binary *file, ridge_arena *arena, ridge_err *err)
{
    gguf_part part = {.into = out, .c = ridge_cursor_all(file), .arena = arena, .err = err};
    ridge_status st = start(out, file->path, arena, err);
    if (st || !(out->weights.files = ridge_arena_array(arena, 1, sizeof *out->weights.files)))
        return st ? st : ridge_no_memory(err);
    out->file_bytes = (ridge_int)file->size;
    out->weights.files[0] = file->path;
    out->weights.file_count = 1;
    if ((st = ridge_gguf_header(&part)) || (st = ridge_gguf_pairs(&part)))
        return st;
    return ridge_gguf_tensors(&part);
}

/* ---- several ---- */

bool ridge_gguf_split_name(ridge_str *stem, unsigned *number, unsigned *count, const char *path)
{
    enum { DIGITS = 5 };
    static const char like[] = "-00000-of-00000.gguf";
    const size_t n = strlen(path), tail = sizeof like - 1;
    unsigned values[2] = {0, 0};
    if (n <= tail)
        return false;
    const char *at = path + n - tail;
    for (size_t i = 0, digits = 0; i < tail; i++) {
        if (like[i] != '0' && at[i] != like[i])
            return false;
        if (like[i] != '0')
            continue;
        if (at[i] < '0' || at[i] > '9')
            return false;
        values[digits / DIGITS] = values[digits / DIGITS] * 10 + (unsigned)(at[i] - '0');
        digits++;
    }
    *stem = (ridge_str){path, n - tail};
    *number = values[0];
    *count = values[1];
    return *number >= 1 && *number <= *count;
}

/* a whole number of the last file's own metadata; -1: none */
static int64_t split_key(const ridge_gguf *g, const char *key)
{
    const ridge_gguf_pair *pair = ridge_gguf_find(g, key);
    if (!pair || !pair->numbers || pair->array || ridge_gguf_is_float(pair->type) || pair->numbers[0].whole > INT32_MAX)
        return -1;
    return (int64_t)pair->numbers[0].whole;
}

typedef struct splitter {
    ridge_gguf *out;
    ridge_arena *arena;
    ridge_err *err;
    ridge_str stem;
    unsigned count;
} splitter;

static const char *name_of(const splitter *s, unsigned number)
{
    return ridge_arena_printf(s->arena, "%.*s-%05u-of-%05u.gguf", RIDGE_STR_ARG(s->stem), number, s->count);
}

/* what a part's own metadata says of its place */
static ridge_status check_place(const splitter *s, const ridge_gguf *part, unsigned number)
{
    const int64_t count = split_key(part, "split.count"), no = split_key(part, "split.no");
    if (count != (int64_t)s->count)
        return ridge_fail(s->err, RIDGE_VALUE, "%s: by its name a part of %u, by its 'split.count' of %lld", part->path, s->count,
                          (long long)count);
    if (no != (int64_t)number - 1)
        return ridge_fail(s->err, RIDGE_VALUE, "%s: by its name part %u, by its 'split.no' (from 0) %lld", part->path, number,
                          (long long)no);
    return RIDGE_OK;
}

/* the tensors of a further part */
static ridge_status add_part(const splitter *s, ridge_binary *file, unsigned number)
{
    ridge_gguf alone;
    gguf_part part = {.into = &alone, .c = ridge_cursor_all(file), .arena = s->arena, .err = s->err};
    ridge_status st = start(&alone, file->path, s->arena, s->err);
    if (st || (st = ridge_gguf_header(&part)) || (st = ridge_gguf_pairs(&part)) || (st = check_place(s, &alone, number)))
        return st;
    s->out->weights.files[s->out->weights.file_count++] = file->path;
    const uint32_t alignment = s->out->alignment;
    s->out->alignment = alone.alignment;
    part.into = s->out;
    st = ridge_gguf_tensors(&part);
    s->out->alignment = alignment;
    return st;
}

static ridge_status read_part(const splitter *s, unsigned number)
{
    ridge_binary file;
    const char *path = name_of(s, number);
    if (!path)
        return ridge_no_memory(s->err);
    ridge_status st = ridge_hub_open(&file, path, s->arena, s->err);
    if (st)
        return st;
    st = add_part(s, &file, number);
    ridge_binary_close(&file);
    return st;
}

static ridge_status read_rest(splitter *s)
{
    ridge_gguf *g = s->out;
    const int64_t promised = split_key(g, "split.tensors.count");
    ridge_status st = check_place(s, g, 1);
    const char **files = st ? NULL : ridge_arena_array(s->arena, s->count, sizeof *files);
    if (st || !files)
        return st ? st : ridge_no_memory(s->err);
    files[0] = g->weights.files[0];
    g->weights.files = files;
    for (unsigned i = 2; i <= s->count && !st; i++)
        st = read_part(s, i);
    if (!st && promised >= 0 && (uint64_t)promised != g->weights.count)
        st = ridge_fail(s->err, RIDGE_VALUE, "%s: 'split.tensors.count' is %lld, and its %u parts have %zu tensors", g->path,
                        (long long)promised, s->count, g->weights.count);
    return st;
}

static ridge_status read_first(ridge_gguf *out, const char *path, ridge_arena *arena, ridge_err *err)
{
    ridge_binary file;
    ridge_status st = ridge_hub_open(&file, path, arena, err);
    if (st)
        return st;
    st = ridge_gguf_read_one(out, &file, arena, err);
    ridge_binary_close(&file);
    return st;
}

ridge_status ridge_gguf_read(ridge_gguf *out, const char *path, ridge_arena *arena, ridge_err *err)
{
    splitter s = {.out = out, .arena = arena, .err = err};
    unsigned number = 1;
    const bool named = ridge_gguf_split_name(&s.stem, &number, &s.count, path) && s.count <= RIDGE_GGUF_FILES;
    const char *first = named && number > 1 ? name_of(&s, 1) : path;
    ridge_status st = first ? read_first(out, first, arena, err) : ridge_no_memory(err);
    out->path = path;
    if (st)
        return st;
    const int64_t count = split_key(out, "split.count");
    if (named && (s.count > 1 || count > 1))
        return read_rest(&s);
    if (count > 1)
        return ridge_fail(err, RIDGE_VALUE,
                          "%s: part %lld of a model in %lld files, and its name does not tell the others (NAME-00001-of-%05lld.gguf, ...)",
                          path, (long long)split_key(out, "split.no") + 1, (long long)count, (long long)count);
    return RIDGE_OK;
}
