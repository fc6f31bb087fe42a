/* json.h - a small JSON reader that keeps the position of every value and numbers as text, and a writer.
 * In: text. Out: a tree in the arena whose strings point into the arena or the text (both must outlive it).
 * Accepts Python's NaN, Infinity, -Infinity (as numbers), a leading UTF-8 BOM, nothing else beyond RFC 8259.
 * Fails with file, line, column and excerpt on bad syntax, bad UTF-8 escapes, depth over 256, more memory than 16 times the text (64 MiB
 * are always allowed). */
#ifndef RIDGE_BASE_JSON_H
#define RIDGE_BASE_JSON_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/number.h"
#include "base/str.h"

typedef enum ridge_json_type {
    RIDGE_JSON_NULL,
    RIDGE_JSON_FALSE,
    RIDGE_JSON_TRUE,
    RIDGE_JSON_NUMBER, /* text as written */
    RIDGE_JSON_STRING, /* text decoded */
    RIDGE_JSON_ARRAY,
    RIDGE_JSON_OBJECT
} ridge_json_type;

typedef struct ridge_json ridge_json;
typedef struct ridge_json_member ridge_json_member;
struct ridge_json {
    ridge_json_type type;
    uint32_t line, col; /* of the first character (a string's opening quote) */
    uint32_t count;     /* of items or members */
    union {
        ridge_str text;
        ridge_json *items;
        ridge_json_member *members;
    } u;
    const char *begin, *end; /* the value's source text, quotes and brackets included */
};
struct ridge_json_member {
    ridge_str key;
    uint32_t line, col;
    ridge_json value;
};

typedef struct ridge_json_options {
    bool unique_keys; /* a duplicate key is an error (else the last one counts) */
} ridge_json_options;

ridge_status ridge_json_parse(ridge_json **out, ridge_str text, const char *file, ridge_json_options options, ridge_arena *arena,
                              ridge_err *err);

/* the member's value, NULL where absent or where `object` is not an object (NULL included) */
const ridge_json *ridge_json_get(const ridge_json *object, const char *key);
const ridge_json *ridge_json_get_str(const ridge_json *object, ridge_str key);
/* a copy of the member's text; NULL: there is no such text, or memory runs out (the arena says so) */
const char *ridge_json_text(const ridge_json *object, const char *key, ridge_arena *arena);
const char *ridge_json_type_name(ridge_json_type type); /* "null", "a boolean", "a number", ... */

/* ---- writer: commas, indentation and escapes are its business ---- */
typedef struct ridge_json_writer {
    ridge_buf *buf;
    unsigned depth;
    uint64_t has_item; /* bit d: the container at depth d already has an item (depth <= 60) */
    uint64_t compact;  /* bit d: the container at depth d is written on one line */
    bool after_key;
} ridge_json_writer;

void ridge_jw_init(ridge_json_writer *w, ridge_buf *buf);
/* starts the object that every JSON answer is: its first member is {"ridge": version}; the caller ends it */
void ridge_jw_answer(ridge_json_writer *w, ridge_buf *buf);
void ridge_jw_object(ridge_json_writer *w);         /* one member a line */
void ridge_jw_object_compact(ridge_json_writer *w); /* all on one line, everything inside too */
void ridge_jw_end_object(ridge_json_writer *w);
void ridge_jw_array(ridge_json_writer *w);
void ridge_jw_array_compact(ridge_json_writer *w);
void ridge_jw_end_array(ridge_json_writer *w);
void ridge_jw_key(ridge_json_writer *w, const char *key);
void ridge_jw_key_str(ridge_json_writer *w, ridge_str key);
void ridge_jw_str(ridge_json_writer *w, ridge_str text);
void ridge_jw_strz(ridge_json_writer *w, const char *z); /* NULL writes null */
void ridge_jw_int(ridge_json_writer *w, ridge_int value);
void ridge_jw_double(ridge_json_writer *w, double value); /* shortest text that reads back; not finite writes null */
void ridge_jw_bool(ridge_json_writer *w, bool value);
void ridge_jw_null(ridge_json_writer *w);
/* a key and its value; what is not known (NULL, below 0) is null */
void ridge_jw_member_text(ridge_json_writer *w, const char *key, const char *text);
void ridge_jw_member_whole(ridge_json_writer *w, const char *key, ridge_int value);
void ridge_jw_raw(ridge_json_writer *w, ridge_str json); /* already JSON */

#endif
