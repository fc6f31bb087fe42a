/* The metadata of a GGUF: pairs of a key and a typed value. */
#include <inttypes.h>

#include "input/gguf/parts.h"

enum { KEY_LIMIT = 65535, TEXT_LIMIT = 1 << 20, DEPTH_LIMIT = 4 };

static const struct {
    const char *name;
    unsigned bytes;
} types[RIDGE_GGUF_TYPES] = {
#define X(code, name, bytes) {name, bytes},
    RIDGE_GGUF_TYPE_LIST(X)
#undef X
};

const char *ridge_gguf_type_name(ridge_gguf_type type)
{
    return types[type].name;
}

bool ridge_gguf_is_float(ridge_gguf_type type)
{
    return type == RIDGE_GGUF_F32 || type == RIDGE_GGUF_F64;
}

/* ---- to ask ---- */

const ridge_gguf_pair *ridge_gguf_find(const ridge_gguf *g, const char *key)
{
    for (size_t i = 0; i < g->pair_count; i++)
        if (ridge_str_is(g->pairs[i].key, key))
            return &g->pairs[i];
    return NULL;
}

ridge_str ridge_gguf_text(const ridge_gguf *g, const char *key)
{
    const ridge_gguf_pair *pair = ridge_gguf_find(g, key);
    return pair && pair->type == RIDGE_GGUF_TEXT && !pair->array ? pair->text : (ridge_str){"", 0};
}

/* ---- to read ---- */

static ridge_status read_type(ridge_gguf_type *out, gguf_part *p, ridge_str key, const char *what)
{
    uint32_t number = 0;
    const uint64_t at = p->c.at;
    ridge_status st = ridge_cursor_u32(&number, &p->c, "a type", p->err);
    if (st)
        return st;
    if (number >= RIDGE_GGUF_TYPES)
        return ridge_fail(p->err, RIDGE_VALUE, "%s: %s of '%s' at byte %" PRIu64 " is %" PRIu32 ", and types go to %d", p->c.file->path,
                          what, ridge_gguf_shown(p, key), at, number, RIDGE_GGUF_TYPES - 1);
    *out = (ridge_gguf_type)number;
    return RIDGE_OK;
}

static ridge_int widened(uint64_t bits, ridge_gguf_type type)
{
    switch (type) {
    case RIDGE_GGUF_I8:
        return (int8_t)bits;
    case RIDGE_GGUF_I16:
        return (int16_t)bits;
    case RIDGE_GGUF_I32:
        return (int32_t)bits;
    case RIDGE_GGUF_I64:
        return (int64_t)bits;
    default:
        return bits;
    }
}

static double real_of(uint64_t bits, ridge_gguf_type type)
{
    const uint32_t narrow = (uint32_t)bits;
    float single;
    double real;
    memcpy(&single, &narrow, sizeof single);
    memcpy(&real, &bits, sizeof real);
    return type == RIDGE_GGUF_F32 ? (double)single : real;
}

static ridge_status read_number(ridge_gguf_number *out, gguf_part *p, ridge_gguf_type type, ridge_str key)
{
    static const char what[] = "a value of the metadata";
    const uint64_t at = p->c.at;
    uint8_t u8 = 0;
    uint16_t u16 = 0;
    uint32_t u32 = 0;
    uint64_t bits = 0;
    ridge_status st;
    switch (types[type].bytes) {
    case 1:
        st = ridge_cursor_u8(&u8, &p->c, what, p->err);
        bits = u8;
        break;
    case 2:
        st = ridge_cursor_u16(&u16, &p->c, what, p->err);
        bits = u16;
        break;
    case 4:
        st = ridge_cursor_u32(&u32, &p->c, what, p->err);
        bits = u32;
        break;
    default:
        st = ridge_cursor_u64(&bits, &p->c, what, p->err);
        break;
    }
    if (st)
        return st;
    if (type == RIDGE_GGUF_BOOL && bits > 1)
        return ridge_fail(p->err, RIDGE_VALUE, "%s: '%s' at byte %" PRIu64 " is %u, and a bool is 0 or 1", p->c.file->path,
                          ridge_gguf_shown(p, key), at, (unsigned)bits);
    if (ridge_gguf_is_float(type))
        out->real = real_of(bits, type);
    else
        out->whole = widened(bits, type);
    return RIDGE_OK;
}

static ridge_status skip_array(gguf_part *p, ridge_gguf_type type, uint64_t count, ridge_str key, unsigned depth);

/* an array inside an array */
static ridge_status skip_inner(gguf_part *p, ridge_str key, unsigned depth)
{
    ridge_gguf_type type;
    uint64_t count;
    ridge_status st = read_type(&type, p, key, "the type of an array");
    if (st || (st = ridge_gguf_count(&count, p, "the length of an array")))
        return st;
    return skip_array(p, type, count, key, depth + 1);
}

static ridge_status too_long(gguf_part *p, ridge_gguf_type type, uint64_t count, ridge_str key)
{
    return ridge_fail(p->err, RIDGE_SYNTAX, "%s: '%s' at byte %" PRIu64 " promises %" PRIu64 " items of %s, and %" PRIu64 " bytes are left",
                      p->c.file->path, ridge_gguf_shown(p, key), p->c.at, count, types[type].name, ridge_cursor_left(&p->c));
}

static ridge_status skip_array(gguf_part *p, ridge_gguf_type type, uint64_t count, ridge_str key, unsigned depth)
{
    const uint64_t length = p->into->version > 1 ? 8 : 4;
    const uint64_t least = types[type].bytes ? types[type].bytes : type == RIDGE_GGUF_ARRAY ? length + 4 : length;
    ridge_status st = RIDGE_OK;
    if (count > ridge_cursor_left(&p->c) / least)
        return too_long(p, type, count, key);
    if (types[type].bytes)
        return ridge_cursor_skip(&p->c, count * least, "an array", p->err);
    if (count > RIDGE_GGUF_STRINGS || depth >= DEPTH_LIMIT)
        return ridge_fail(p->err, RIDGE_LIMIT, "%s: '%s' at byte %" PRIu64 ": at most %d strings, and arrays %d deep, are read",
                          p->c.file->path, ridge_gguf_shown(p, key), p->c.at, RIDGE_GGUF_STRINGS, DEPTH_LIMIT);
    for (uint64_t i = 0; i < count && !st; i++) {
        uint64_t n;
        if (type == RIDGE_GGUF_ARRAY)
            st = skip_inner(p, key, depth);
        else if (!(st = ridge_gguf_count(&n, p, "the length of a string")))
            st = ridge_cursor_skip(&p->c, n, "a string of an array", p->err);
    }
    return st;
}

/* numbers that are few are kept */
static ridge_status read_numbers(ridge_gguf_pair *pair, gguf_part *p)
{
    ridge_gguf_number *numbers = ridge_arena_array(p->arena, (size_t)pair->count + 1, sizeof *numbers);
    ridge_status st = numbers ? RIDGE_OK : ridge_no_memory(p->err);
    for (uint64_t i = 0; i < pair->count && !st; i++)
        st = read_number(&numbers[i], p, pair->type, pair->key);
    pair->numbers = numbers;
    return st;
}

static ridge_status read_array(ridge_gguf_pair *pair, gguf_part *p)
{
    ridge_status st = read_type(&pair->type, p, pair->key, "the array's type");
    if (st || (st = ridge_gguf_count(&pair->count, p, "the length of an array")))
        return st;
    pair->array = true;
    const unsigned bytes = types[pair->type].bytes;
    if (!bytes || pair->count > RIDGE_GGUF_KEPT || p->arena->total > (size_t)64 << 20)
        return skip_array(p, pair->type, pair->count, pair->key, 0);
    return pair->count > ridge_cursor_left(&p->c) / bytes ? too_long(p, pair->type, pair->count, pair->key) : read_numbers(pair, p);
}

static ridge_status read_value(ridge_gguf_pair *pair, gguf_part *p)
{
    ridge_status st = read_type(&pair->type, p, pair->key, "the type");
    if (st)
        return st;
    pair->count = 1;
    if (pair->type == RIDGE_GGUF_ARRAY)
        return read_array(pair, p);
    if (pair->type == RIDGE_GGUF_TEXT)
        return ridge_gguf_string(&pair->text, p, TEXT_LIMIT, "a string of the metadata");
    return read_numbers(pair, p);
}

/* the symbol's place in the table that tells keys from tensors */
static ridge_status read_key(ridge_str *out, gguf_part *p)
{
    const uint64_t at = p->c.at;
    const uint32_t before = p->into->names.count;
    ridge_str key;
    ridge_status st = ridge_gguf_string(&key, p, KEY_LIMIT, "a key of the metadata");
    if (st)
        return st;
    if (key.n == 0)
        return ridge_fail(p->err, RIDGE_VALUE, "%s: an empty key at byte %" PRIu64, p->c.file->path, at);
    const ridge_symbol *symbol = ridge_intern(&p->into->names, key);
    if (!symbol)
        return ridge_no_memory(p->err);
    if (p->into->names.count == before)
        return ridge_fail(p->err, RIDGE_VALUE, "%s: the key '%s' at byte %" PRIu64 " stands there twice", p->c.file->path,
                          ridge_gguf_shown(p, key), at);
    *out = (ridge_str){symbol->text, symbol->len};
    return RIDGE_OK;
}

/* where the tensors' bytes begin, and each tensor's */
static ridge_status set_alignment(gguf_part *p)
{
    const ridge_gguf_pair *pair = ridge_gguf_find(p->into, "general.alignment");
    if (!pair)
        return RIDGE_OK;
    if (pair->array || pair->type != RIDGE_GGUF_U32)
        return ridge_fail(p->err, RIDGE_TYPE, "%s: general.alignment is of type %s%s, and a uint32 is wanted", p->c.file->path,
                          pair->array ? "array of " : "", types[pair->type].name);
    const uint32_t alignment = (uint32_t)pair->numbers[0].whole;
    if (alignment == 0 || (alignment & (alignment - 1)) != 0)
        return ridge_fail(p->err, RIDGE_VALUE, "%s: general.alignment is %" PRIu32 ", which is no power of 2", p->c.file->path, alignment);
    p->into->alignment = alignment;
    return RIDGE_OK;
}

ridge_status ridge_gguf_pairs(gguf_part *p)
{
    ridge_gguf *g = p->into;
    ridge_status st = RIDGE_OK;
    for (uint64_t i = 0; i < p->pairs && !st; i++) {
        if (!ridge_arena_more(p->arena, &g->pairs, g->pair_count, &g->pair_cap, sizeof *g->pairs))
            return ridge_no_memory(p->err);
        ridge_gguf_pair *pair = &g->pairs[g->pair_count];
        *pair = (ridge_gguf_pair){0};
        if (!(st = read_key(&pair->key, p)) && !(st = read_value(pair, p)))
            g->pair_count++;
    }
    return st ? st : set_alignment(p);
}
