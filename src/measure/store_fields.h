/* store_fields.h - what a run and a row are made of: one table each for SQL, CSV and JSON, so that the three never differ.
 * In: text of a value, or a struct. Out: the struct's member, or text; an unknown value is "" and null.
 * Every value goes through ridge_field_set, wherever it comes from; it says what is wrong with a value. Strings live in the arena. */
#ifndef RIDGE_MEASURE_STORE_FIELDS_H
#define RIDGE_MEASURE_STORE_FIELDS_H

#include "base/json.h"

typedef enum ridge_field_kind {
    RIDGE_FIELD_TEXT,     /* const char *, not empty; no control characters but newline and tab */
    RIDGE_FIELD_WORD,     /* as TEXT; NULL: not known */
    RIDGE_FIELD_HASH,     /* const char *: 16 hexadecimal digits, lower case */
    RIDGE_FIELD_UUID,     /* 32 of them */
    RIDGE_FIELD_DATE,     /* const char *: 2026-11-21T16:12:27Z */
    RIDGE_FIELD_END_DATE, /* as DATE; NULL: it never came */
    RIDGE_FIELD_SIZES,    /* const char *: a JSON object of integers, booleans and words, on one line */
    RIDGE_FIELD_OBJECT,   /* const char *: a JSON object, on one line; NULL: {} */
    RIDGE_FIELD_UNSIGNED, /* unsigned */
    RIDGE_FIELD_COUNT,    /* ridge_int; negative: unknown */
    RIDGE_FIELD_SECONDS,  /* double, finite, at least 0 */
    RIDGE_FIELD_REAL,     /* double; negative or not finite: unknown */
    RIDGE_FIELD_FLAG,     /* bool */
    RIDGE_FIELD_MARK,     /* bool; false where it is missing: files from before there was such a mark */
    RIDGE_FIELD_CACHE     /* ridge_cache_state */
} ridge_field_kind;

typedef struct ridge_store_field {
    const char *name;        /* column of SQL and CSV */
    const char *group, *key; /* in JSON: member `key`, of the object `group` where there is one */
    ridge_field_kind kind;
    size_t offset; /* of the member in its struct */
} ridge_store_field;

typedef struct ridge_fields {
    const ridge_store_field *items;
    size_t count, size; /* fields; bytes of the struct */
} ridge_fields;

extern const ridge_fields ridge_run_fields; /* of a ridge_store_run (store.h): what travels with it; its number does not */
extern const ridge_fields ridge_row_fields; /* of a ridge_measured_row (row.h), without the machine, which is the run's */

/* Sets a member from text; "" is an unknown value. *reason says what is wrong with it, in the arena.
 * NOMEM, VALUE. Doubles are read as JSON has numbers, with a point in every locale. */
ridge_status ridge_field_set(void *at, const ridge_store_field *field, ridge_str text, const char **reason, ridge_arena *arena);
/* ... from a JSON value; NULL and null are unknown. TYPE where the value's type is another. */
ridge_status ridge_field_set_json(void *at, const ridge_store_field *field, const ridge_json *value, const char **reason,
                                  ridge_arena *arena);
/* the text that ridge_field_set reads back to the same value */
void ridge_field_print(ridge_buf *out, const ridge_store_field *field, const void *at);
/* one member: key and value; the group is the caller's */
void ridge_field_json(ridge_json_writer *w, const ridge_store_field *field, const void *at);
/* all members into an open object, groups as objects of their own */
void ridge_fields_json(ridge_json_writer *w, const ridge_fields *fields, const void *at);

/* A checked copy, strings in the arena. NOMEM, VALUE ("time_low_s: wanted ..."). */
ridge_status ridge_fields_copy(void *copy, const ridge_fields *fields, const void *from, ridge_arena *arena, ridge_err *err);

/* VALUE where the median is not in its own interval */
struct ridge_measured_row;
ridge_status ridge_row_check(const struct ridge_measured_row *row, ridge_err *err);

#endif
