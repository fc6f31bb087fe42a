#include "base/json.h"

#include <stdlib.h>

enum { DEPTH_LIMIT = 256, LOCAL_SLOTS = 64, SMALL_OBJECT = 12 };

/* Each value takes a slot while it is gathered and a place in the tree: of texts as dense as "0,0,0" that is sixty times the text. */
enum { VALUE_BYTES = sizeof(ridge_json_member) + sizeof(ridge_json), MEMORY_FACTOR = 16, MEMORY_FREE = 64 << 20 };

/* Values are gathered on one stack of slots; a closed container moves its items into the arena, at their exact number. */
typedef struct parser {
    const char *p, *begin, *end;
    const char *line_begin;
    uint32_t line;
    unsigned depth;
    const char *file;
    bool unique_keys;
    ridge_arena *arena;
    ridge_err *err;
    ridge_json_member *slots; /* `local`, or on the heap once that is full */
    size_t count, cap;
    size_t values, values_limit; /* pushed in all */
    uint32_t open[DEPTH_LIMIT];  /* slot of the container at each depth */
    ridge_json_member local[LOCAL_SLOTS];
} parser;

typedef enum step { STEP_FAILED, STEP_OPENED, STEP_DONE } step;

/* ---- errors ---- */
static uint32_t column_of(const parser *ps, const char *at)
{
    return (uint32_t)(at - ps->line_begin) + 1;
}

static void underline(parser *ps, const char *at, size_t span)
{
    ridge_err_excerpt(ps->err, ps->begin, (size_t)(ps->end - ps->begin), (size_t)(at - ps->begin), span);
}

static bool fail_at(parser *ps, const char *at, size_t span, const char *message)
{
    (void)ridge_fail_at(ps->err, RIDGE_SYNTAX, ps->file, ps->line, column_of(ps, at), "%s", message);
    underline(ps, at, span);
    return false;
}

static bool fail_memory(parser *ps)
{
    (void)ridge_no_memory(ps->err);
    return false;
}

/* bytes of the word or character at `at`, for a message */
static int found_length(const parser *ps, const char *at)
{
    size_t n = 1, room = (size_t)(ps->end - at);
    bool word = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');
    while (n < room && n < 24 &&
           ((word && ((at[n] >= 'a' && at[n] <= 'z') || (at[n] >= 'A' && at[n] <= 'Z'))) || ((unsigned char)at[n] & 0xC0) == 0x80))
        n++;
    return (int)n;
}

static bool fail_expected(parser *ps, const char *wanted)
{
    const char *at = ps->p;
    uint32_t col = column_of(ps, at);
    if (at == ps->end) {
        (void)ridge_fail_at(ps->err, RIDGE_SYNTAX, ps->file, ps->line, col, "expected %s, found the end of the text", wanted);
        underline(ps, at, 1);
        return false;
    }
    int n = found_length(ps, at);
    if ((unsigned char)*at < 0x20 || *at == 0x7F)
        (void)ridge_fail_at(ps->err, RIDGE_SYNTAX, ps->file, ps->line, col, "expected %s, found byte 0x%02x", wanted, (unsigned char)*at);
    else
        (void)ridge_fail_at(ps->err, RIDGE_SYNTAX, ps->file, ps->line, col, "expected %s, found '%.*s'", wanted, n, at);
    underline(ps, at, (size_t)n);
    return false;
}

/* ---- slots ---- */
static bool grow_slots(parser *ps)
{
    size_t cap = ps->cap + (ps->cap < 1 << 20 ? ps->cap : ps->cap / 2), bytes;
    if (__builtin_mul_overflow(cap, sizeof *ps->slots, &bytes))
        return fail_memory(ps);
    ridge_json_member *old = ps->slots == ps->local ? NULL : ps->slots;
    ridge_json_member *slots = realloc(old, bytes);
    if (!slots)
        return fail_memory(ps);
    if (!old)
        memcpy(slots, ps->local, ps->count * sizeof *slots);
    ps->slots = slots;
    ps->cap = cap;
    return true;
}

static ridge_json_member *push_slot(parser *ps)
{
    if (ps->values++ >= ps->values_limit) {
        (void)ridge_fail_at(ps->err, RIDGE_LIMIT, ps->file, ps->line, column_of(ps, ps->p),
                            "more than %zu values: reading them would take more than %d times the text's %zu bytes", ps->values_limit,
                            MEMORY_FACTOR, (size_t)(ps->end - ps->begin));
        return NULL;
    }
    if (ps->count == ps->cap && !grow_slots(ps))
        return NULL;
    return &ps->slots[ps->count++];
}

static ridge_json *top_value(parser *ps)
{
    return &ps->slots[ps->count - 1].value;
}

/* ---- lexical ---- */
/* ws = *(space / tab / newline / return) */
static void skip_space(parser *ps)
{
    const char *p = ps->p, *end = ps->end;
    for (; p < end; p++) {
        if (*p == '\n') {
            ps->line++;
            ps->line_begin = p + 1;
        } else if (*p != ' ' && *p != '\t' && *p != '\r') {
            break;
        }
    }
    ps->p = p;
}

static const char *skip_digits(const char *p, const char *end)
{
    while (p < end && ridge_is_digit(*p))
        p++;
    return p;
}

static bool skip_word(parser *ps, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(ps->end - ps->p) < n || memcmp(ps->p, word, n) != 0)
        return false;
    ps->p += n;
    return true;
}

/* number = ["-"] ("0" / digit1-9 *digit) ["." 1*digit] [("e" / "E") ["+" / "-"] 1*digit], RFC 8259 section 6; or Python's NaN, Infinity */
static bool parse_number(parser *ps, ridge_json *value)
{
    value->type = RIDGE_JSON_NUMBER;
    const char *begin = ps->p;
    ps->p += *ps->p == '-';
    if (ps->p < ps->end && *ps->p == 'I') {
        if (!skip_word(ps, "Infinity"))
            return fail_expected(ps, "a value");
    } else {
        const char *digits = ps->p;
        ps->p = skip_digits(digits, ps->end);
        if (ps->p == digits)
            return fail_expected(ps, "a digit");
        if (*digits == '0' && ps->p - digits > 1)
            return fail_at(ps, digits, (size_t)(ps->p - digits), "a number cannot start with 0");
        if (ps->p < ps->end && *ps->p == '.') {
            digits = ++ps->p;
            if ((ps->p = skip_digits(digits, ps->end)) == digits)
                return fail_expected(ps, "a digit after '.'");
        }
        if (ps->p < ps->end && (*ps->p == 'e' || *ps->p == 'E')) {
            ps->p++;
            ps->p += ps->p < ps->end && (*ps->p == '+' || *ps->p == '-');
            digits = ps->p;
            if ((ps->p = skip_digits(digits, ps->end)) == digits)
                return fail_expected(ps, "a digit in the exponent");
        }
    }
    value->u.text = (ridge_str){begin, (size_t)(ps->p - begin)};
    return true;
}

/* whether all eight bytes are plain: no quote, no backslash, no control, no byte past 0x7F (may say no wrongly, never yes) */
static bool eight_plain(const char *p)
{
    uint64_t w;
    memcpy(&w, p, 8);
    const uint64_t ones = 0x0101010101010101u, high = ones << 7;
    uint64_t quote = w ^ (ones * '"'), backslash = w ^ (ones * '\\');
    return ((w | (w - ones * 0x20) | (quote - ones) | (backslash - ones)) & high) == 0;
}

/* Moves to the first byte that is no plain character of a string. */
static bool skip_plain(parser *ps)
{
    const char *p = ps->p, *end = ps->end;
    for (;;) {
        while (end - p >= 8 && eight_plain(p))
            p += 8;
        if (p == end || *p == '"' || *p == '\\' || (unsigned char)*p < 0x20)
            break;
        size_t n = ridge_utf8_length(p, end);
        if (n == 0)
            return fail_at(ps, p, 1, "not UTF-8");
        p += n;
    }
    ps->p = p;
    if (p == end)
        return fail_expected(ps, "'\"'");
    if ((unsigned char)*p < 0x20)
        return fail_expected(ps, "an escape instead of a control character");
    return true;
}

static bool hex4(unsigned *out, const char *p, const char *end)
{
    if (end - p < 4)
        return false;
    unsigned value = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        unsigned digit = ridge_is_digit(c)      ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                : 16;
        if (digit == 16)
            return false;
        value = value << 4 | digit;
    }
    *out = value;
    return true;
}

/* %x75 4HEXDIG, or two of them for a surrogate pair; ps->p is at the first hex digit */
static bool parse_unicode_escape(parser *ps, char **out)
{
    unsigned c, low;
    const char *p = ps->p;
    if (!hex4(&c, p, ps->end))
        return fail_at(ps, p - 2, 2, "\\u needs four hexadecimal digits");
    p += 4;
    if (c >= 0xDC00 && c < 0xE000)
        return fail_at(ps, p - 6, 6, "a low surrogate without a high one before it");
    if (c >= 0xD800 && c < 0xDC00) {
        bool pair = ps->end - p >= 6 && p[0] == '\\' && p[1] == 'u' && hex4(&low, p + 2, ps->end) && low >= 0xDC00 && low < 0xE000;
        if (!pair)
            return fail_at(ps, p - 6, 6, "a high surrogate without a low one after it");
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        p += 6;
    }
    ps->p = p;
    *out = ridge_utf8_put(*out, c);
    return true;
}

/* escape = "\" one of "\/bfnrtu; ps->p is at the backslash */
static bool parse_escape(parser *ps, char **out)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    if (ps->end - ps->p < 2) {
        ps->p = ps->end;
        return fail_expected(ps, "'\"'");
    }
    char c = ps->p[1];
    const char *name = c != '\0' ? strchr(names, c) : NULL;
    if (!name && c != 'u')
        return fail_at(ps, ps->p, 2, "unknown escape");
    ps->p += 2;
    if (c == 'u')
        return parse_unicode_escape(ps, out);
    *(*out)++ = values[name - names];
    return true;
}

/* the raw end of a string from its first escape on, so that the decoded text's room is known */
static const char *raw_string_end(const parser *ps)
{
    const char *p = ps->p;
    while (p < ps->end && *p != '"')
        p += *p == '\\' && ps->end - p > 1 ? 2 : 1;
    return p;
}

static bool decode_string(parser *ps, ridge_str *text, const char *begin)
{
    char *copy = ridge_arena_alloc(ps->arena, (size_t)(raw_string_end(ps) - begin) + 1), *out = copy;
    if (!copy)
        return fail_memory(ps);
    const char *from = begin;
    for (;;) {
        size_t n = (size_t)(ps->p - from);
        memcpy(out, from, n);
        out += n;
        if (*ps->p == '"')
            break;
        if (!parse_escape(ps, &out))
            return false;
        from = ps->p;
        if (!skip_plain(ps))
            return false;
    }
    *text = (ridge_str){copy, (size_t)(out - copy)};
    return true;
}

/* string = %x22 *char %x22; ps->p is at the opening quote. Without escapes the text stays where it is. */
static bool parse_string(parser *ps, ridge_str *text)
{
    const char *begin = ++ps->p;
    if (!skip_plain(ps))
        return false;
    *text = (ridge_str){begin, (size_t)(ps->p - begin)};
    if (*ps->p == '\\' && !decode_string(ps, text, begin))
        return false;
    ps->p++;
    return true;
}

/* ---- structure ---- */
/* member = string ":" value, the part before the value; or nothing in an array */
static bool begin_child(parser *ps)
{
    bool object = ps->slots[ps->open[ps->depth - 1]].value.type == RIDGE_JSON_OBJECT;
    ridge_json_member *slot = push_slot(ps);
    if (!slot || !object)
        return slot;
    if (ps->p == ps->end || *ps->p != '"')
        return fail_expected(ps, "'\"' and a name");
    slot->line = ps->line;
    slot->col = column_of(ps, ps->p);
    if (!parse_string(ps, &slot->key))
        return false;
    skip_space(ps);
    if (ps->p == ps->end || *ps->p != ':')
        return fail_expected(ps, "':'");
    ps->p++;
    return true;
}

static bool fail_duplicate(parser *ps, const ridge_json_member *first, const ridge_json_member *again)
{
    (void)ridge_fail_at(ps->err, RIDGE_SYNTAX, ps->file, again->line, again->col, "duplicate name '%.*s', first on line %u",
                        (int)(again->key.n < 100 ? again->key.n : 100), again->key.p, first->line);
    if (again->key.p > ps->begin && again->key.p < ps->end) /* a name with escapes was decoded elsewhere */
        underline(ps, again->key.p - 1, again->key.n + 2);
    return false;
}

static bool unique_small(parser *ps, const ridge_json_member *members, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (ridge_str_eq(members[i].key, members[j].key))
                return fail_duplicate(ps, &members[j], &members[i]);
    return true;
}

static bool unique_large(parser *ps, const ridge_json_member *members, size_t count)
{
    size_t cap = 64, i;
    while (cap < count * 2)
        cap *= 2;
    uint32_t *slots = calloc(cap, sizeof *slots); /* index + 1 of a member, 0 = free */
    if (!slots)
        return fail_memory(ps);
    const ridge_hash_key key = ridge_hash_key_make();
    for (i = 0; i < count; i++) {
        size_t at = (size_t)ridge_hash_text(members[i].key, key) & (cap - 1);
        while (slots[at] != 0 && !ridge_str_eq(members[slots[at] - 1].key, members[i].key))
            at = (at + 1) & (cap - 1);
        if (slots[at] != 0) {
            (void)fail_duplicate(ps, &members[slots[at] - 1], &members[i]);
            break;
        }
        slots[at] = (uint32_t)i + 1;
    }
    free(slots);
    return i == count;
}

static bool keep_members(parser *ps, ridge_json *value, const ridge_json_member *from, size_t count)
{
    if (ps->unique_keys && !(count <= SMALL_OBJECT ? unique_small(ps, from, count) : unique_large(ps, from, count)))
        return false;
    value->u.members = ridge_arena_array(ps->arena, count, sizeof *from);
    if (!value->u.members)
        return fail_memory(ps);
    memcpy(value->u.members, from, count * sizeof *from);
    return true;
}

static bool keep_items(parser *ps, ridge_json *value, const ridge_json_member *from, size_t count)
{
    value->u.items = ridge_arena_array(ps->arena, count, sizeof *value);
    if (!value->u.items)
        return fail_memory(ps);
    for (size_t i = 0; i < count; i++)
        value->u.items[i] = from[i].value;
    return true;
}

/* ps->p is at the closing bracket */
static step close_container(parser *ps)
{
    uint32_t at = ps->open[--ps->depth];
    ridge_json *value = &ps->slots[at].value;
    const ridge_json_member *children = ps->slots + at + 1;
    size_t count = ps->count - at - 1;
    value->count = (uint32_t)count;
    value->end = ++ps->p;
    ps->count = at + 1;
    if (count == 0) {
        value->u.items = NULL;
        return STEP_DONE;
    }
    bool kept = value->type == RIDGE_JSON_OBJECT ? keep_members(ps, value, children, count) : keep_items(ps, value, children, count);
    return kept ? STEP_DONE : STEP_FAILED;
}

static char closing_bracket(const parser *ps)
{
    return ps->slots[ps->open[ps->depth - 1]].value.type == RIDGE_JSON_OBJECT ? '}' : ']';
}

static step open_container(parser *ps, ridge_json *value)
{
    if (ps->depth == DEPTH_LIMIT) {
        (void)ridge_fail_at(ps->err, RIDGE_LIMIT, ps->file, ps->line, column_of(ps, ps->p), "nested deeper than %d", DEPTH_LIMIT);
        underline(ps, ps->p, 1);
        return STEP_FAILED;
    }
    value->type = *ps->p == '{' ? RIDGE_JSON_OBJECT : RIDGE_JSON_ARRAY;
    ps->open[ps->depth++] = (uint32_t)(ps->count - 1);
    ps->p++;
    skip_space(ps);
    if (ps->p < ps->end && *ps->p == closing_bracket(ps))
        return close_container(ps);
    return begin_child(ps) ? STEP_OPENED : STEP_FAILED;
}

static bool parse_word(parser *ps, ridge_json *value)
{
    value->type = skip_word(ps, "null")    ? RIDGE_JSON_NULL
                  : skip_word(ps, "true")  ? RIDGE_JSON_TRUE
                  : skip_word(ps, "false") ? RIDGE_JSON_FALSE
                  : skip_word(ps, "NaN")   ? RIDGE_JSON_NUMBER
                                           : RIDGE_JSON_OBJECT;
    if (value->type == RIDGE_JSON_OBJECT)
        return fail_expected(ps, "a value");
    if (value->type == RIDGE_JSON_NUMBER)
        value->u.text = (ridge_str){value->begin, 3};
    return true;
}

/* value = false / null / true / object / array / number / string, into the top slot */
static step parse_value(parser *ps)
{
    skip_space(ps);
    if (ps->p == ps->end) {
        (void)fail_expected(ps, "a value");
        return STEP_FAILED;
    }
    ridge_json *value = top_value(ps);
    char c = *ps->p;
    value->line = ps->line;
    value->col = column_of(ps, ps->p);
    value->count = 0;
    value->u.text = (ridge_str){NULL, 0};
    value->begin = ps->p;
    if (c == '{' || c == '[')
        return open_container(ps, value);
    bool good;
    if (c == '"') {
        value->type = RIDGE_JSON_STRING;
        good = parse_string(ps, &value->u.text);
    } else if (c == '-' || c == 'I' || ridge_is_digit(c)) {
        good = parse_number(ps, value);
    } else {
        good = parse_word(ps, value);
    }
    value->end = ps->p;
    return good ? STEP_DONE : STEP_FAILED;
}

/* after a child: "," and the next one begins, or the container closes */
static step next_child(parser *ps)
{
    skip_space(ps);
    char closing = closing_bracket(ps);
    if (ps->p < ps->end && *ps->p == closing)
        return close_container(ps);
    if (ps->p == ps->end || *ps->p != ',') {
        (void)fail_expected(ps, closing == '}' ? "',' or '}'" : "',' or ']'");
        return STEP_FAILED;
    }
    ps->p++;
    skip_space(ps);
    return begin_child(ps) ? STEP_OPENED : STEP_FAILED;
}

/* text = ws value ws */
static bool parse_text(parser *ps)
{
    step done;
    if (!push_slot(ps))
        return false;
    do {
        done = parse_value(ps);
        while (done == STEP_DONE && ps->depth > 0)
            done = next_child(ps);
    } while (done == STEP_OPENED);
    if (done == STEP_FAILED)
        return false;
    skip_space(ps);
    return ps->p == ps->end || fail_expected(ps, "the end of the text");
}

static void parser_init(parser *ps, ridge_str text, const char *file, ridge_json_options options, ridge_arena *arena, ridge_err *err)
{
    bool bom = ridge_str_starts(text, RIDGE_STR("\xEF\xBB\xBF"));
    const char *begin = text.n != 0 ? text.p + (bom ? 3 : 0) : "";
    ps->p = ps->begin = ps->line_begin = begin;
    ps->end = begin + text.n - (bom ? 3 : 0);
    ps->line = 1;
    ps->depth = 0;
    ps->file = file;
    ps->unique_keys = options.unique_keys;
    ps->arena = arena;
    ps->err = err;
    ps->slots = ps->local;
    ps->count = 0;
    ps->cap = LOCAL_SLOTS;
    ps->values = 0;
    ps->values_limit = MEMORY_FREE / VALUE_BYTES + text.n / VALUE_BYTES * MEMORY_FACTOR;
}

ridge_status ridge_json_parse(ridge_json **out, ridge_str text, const char *file, ridge_json_options options, ridge_arena *arena,
                              ridge_err *err)
{
    if (text.n >= UINT32_MAX)
        return ridge_fail_at(err, RIDGE_LIMIT, file, 0, 0, "JSON text of 4 GiB or more");
    ridge_err first = {0}; /* the status is needed where the caller wants no error */
    parser ps;
    parser_init(&ps, text, file, options, arena, err ? err : &first);
    ridge_json *root = NULL;
    if (parse_text(&ps)) {
        root = ridge_arena_alloc(arena, sizeof *root);
        if (root)
            *root = ps.slots[0].value;
        else
            (void)fail_memory(&ps);
    }
    if (ps.slots != ps.local)
        free(ps.slots);
    if (!root)
        return ps.err->code;
    *out = root;
    return RIDGE_OK;
}

/* ---- access ---- */
const ridge_json *ridge_json_get_str(const ridge_json *object, ridge_str key)
{
    if (!object || object->type != RIDGE_JSON_OBJECT)
        return NULL;
    for (uint32_t i = object->count; i-- > 0;) /* of equal names the last one counts */
        if (ridge_str_eq(object->u.members[i].key, key))
            return &object->u.members[i].value;
    return NULL;
}

const ridge_json *ridge_json_get(const ridge_json *object, const char *key)
{
    return ridge_json_get_str(object, ridge_str_of(key));
}

const char *ridge_json_text(const ridge_json *object, const char *key, ridge_arena *arena)
{
    const ridge_json *value = ridge_json_get(object, key);
    return value && value->type == RIDGE_JSON_STRING ? ridge_arena_strdup(arena, value->u.text) : NULL;
}

const char *ridge_json_type_name(ridge_json_type type)
{
    switch (type) {
    case RIDGE_JSON_NULL:
        return "null";
    case RIDGE_JSON_FALSE:
    case RIDGE_JSON_TRUE:
        return "a boolean";
    case RIDGE_JSON_NUMBER:
        return "a number";
    case RIDGE_JSON_STRING:
        return "a string";
    case RIDGE_JSON_ARRAY:
        return "an array";
    case RIDGE_JSON_OBJECT:
        return "an object";
    }
    return "?";
}
