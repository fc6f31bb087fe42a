/* record.h - what an answer holds, described once: every field with its key, title, unit, place and meaning.
 * In: a record (a table of fields) and a struct it describes. Out: JSON, CSV, rows of a table for people, a JSON Schema.
 * Nothing is computed here: an answer is complete before it is written. JSON and CSV have every digit, people get four (base/units.h).
 * What is not known (NULL, a negative number) is null in JSON, empty in CSV and "-" for people. Fails with NOMEM only. */
#ifndef RIDGE_REPORT_RECORD_H
#define RIDGE_REPORT_RECORD_H

#include "base/format.h"
#include "base/json.h"
#include "base/option.h"
#include "base/units.h"
#include "report/table.h"

typedef struct ridge_record ridge_record;

typedef enum ridge_record_kind {
    RIDGE_RECORD_TEXT,       /* const char * */
    RIDGE_RECORD_CHARS,      /* char[], a text in the struct itself; empty where it is not known */
    RIDGE_RECORD_STR,        /* ridge_str */
    RIDGE_RECORD_WORD,       /* int or enum: an index in `words` */
    RIDGE_RECORD_FORMAT,     /* const ridge_format *: its name */
    RIDGE_RECORD_BOOL,       /* bool */
    RIDGE_RECORD_MAYBE,      /* int: 1, 0, negative where it is not known */
    RIDGE_RECORD_COUNT,      /* ridge_int */
    RIDGE_RECORD_WHOLE,      /* int64_t */
    RIDGE_RECORD_SIGNED,     /* int64_t that may be negative; not known is INT64_MIN */
    RIDGE_RECORD_UNSIGNED,   /* unsigned */
    RIDGE_RECORD_SIZE,       /* size_t */
    RIDGE_RECORD_REAL,       /* double */
    RIDGE_RECORD_CHANGE,     /* double that may be negative, for people with its sign; not known is NAN */
    RIDGE_RECORD_RATIONAL,   /* ridge_rational: "9/2" in JSON, a decimal elsewhere */
    RIDGE_RECORD_TEXTS,      /* ridge_words: a list of texts */
    RIDGE_RECORD_RAW,        /* const char *: JSON as it stands */
    RIDGE_RECORD_IN,         /* a struct: an object of `record` */
    RIDGE_RECORD_AT,         /* a pointer to a struct: such an object, or null */
    RIDGE_RECORD_MEMBERS,    /* a struct whose fields stand among these */
    RIDGE_RECORD_MEMBERS_AT, /* a pointer to such a struct; cells are empty where it is NULL */
    RIDGE_RECORD_LIST,       /* a pointer to structs of `record`, their number in the size_t at `count`; without `record`, to texts */
    RIDGE_RECORD_ARRAY,      /* structs of `record` that lie in the struct itself, their number in the size_t at `count` */
    RIDGE_RECORD_WRITTEN     /* `write` knows: what has no fixed fields */
} ridge_record_kind;

/* where a field is shown */
enum {
    RIDGE_IN_JSON = 1 << RIDGE_FORM_JSON,
    RIDGE_IN_CSV = 1 << RIDGE_FORM_CSV,
    RIDGE_IN_TEXT = 1 << RIDGE_FORM_TEXT,
    RIDGE_IN_MARKDOWN = 1 << RIDGE_FORM_MARKDOWN,
    RIDGE_IN_DATA = RIDGE_IN_JSON | RIDGE_IN_CSV,
    RIDGE_IN_TABLES = RIDGE_IN_TEXT | RIDGE_IN_MARKDOWN,
    RIDGE_IN_ALL = RIDGE_IN_DATA | RIDGE_IN_TABLES
};

/* what may be read into a field, beyond its kind (report/record_read.h) */
typedef struct ridge_record_rule {
    bool needed;                /* it cannot be unknown */
    bool (*is)(ridge_str text); /* a text that may stand there; NULL: UTF-8 without control characters but newline and tab */
    const char *wanted;         /* such a text, in words */
    bool flat;                  /* RAW: an object with integers, booleans and words, at least one */
} ridge_record_rule;

/* holds where that member of the row is not zero: a pointer that is not NULL, a flag, a number; without a size it always holds */
typedef struct ridge_record_where {
    size_t offset, size;
} ridge_record_where;

typedef struct ridge_record_field {
    const char *key;   /* of JSON and CSV */
    const char *title; /* above the column; NULL: the key */
    ridge_record_kind kind;
    ridge_unit unit;
    unsigned shown;  /* RIDGE_IN_... */
    size_t offset;   /* of the member */
    const char *doc; /* what it is, a sentence without a full stop */

    const char *const *words;       /* WORD: NULL-terminated */
    const ridge_record *record;     /* IN, AT, MEMBERS, LIST, ARRAY */
    size_t count;                   /* LIST, ARRAY: offset of the number of structs */
    const char *csv;                /* column of CSV, or what the columns of a struct inside begin with, where that is not the key */
    ridge_record_where where;       /* the member is there in JSON, and a column for people where it is there in some row */
    bool (*given)(const void *row); /* ... where no member tells; NULL: it is */
    ridge_record_where known;       /* IN: it is an object, not null */
    const char *(*text)(ridge_arena *arena, const void *row); /* for people, where that is more than the number */
    void (*write)(ridge_json_writer *w, const void *row);     /* WRITTEN: the value */
    void (*schema)(ridge_json_writer *w);                     /* WRITTEN: members of its JSON Schema; NULL: any value */
    const ridge_record_rule *rule;                            /* for who reads it back; NULL: anything of the kind, or nothing */
    bool compact;                                             /* IN, AT, LIST, ARRAY, TEXTS: on one line */
    bool open;                                                /* LIST, ARRAY: a member of an item is a line of its own */
    bool left;                                                /* a number whose column is not flush right */
    bool shortened;                                           /* the column that loses its end where a table is too wide */
    bool minor;                                               /* a column that is left out before others where a table is too wide */
} ridge_record_field;

struct ridge_record {
    const char *name; /* "cost row" */
    const char *doc;
    const ridge_record_field *fields;
    size_t field_count;
    size_t size; /* of the struct */
};
static inline const ridge_record_field *ridge_record_end(const ridge_record *record) /* behind the last field */
{
    return record->fields + record->field_count;
}

#define RIDGE_WHERE(type, member) .where = {offsetof(type, member), sizeof(((type *)0)->member)}
#define RIDGE_KNOWN(type, member) .known = {offsetof(type, member), sizeof(((type *)0)->member)}
/* Fields of struct `type`; the member's type is checked at compile time. After the meaning: .unit = ..., RIDGE_WHERE(...), */
/* clang-format off */
#define RIDGE_RECORD_FIELD(kind_, type, member, wanted, key_, title_, shown_, ...) \
    {.key = key_, .title = title_, .kind = RIDGE_RECORD_##kind_, .shown = shown_, .offset = RIDGE_OFFSET(type, member, wanted), .doc = __VA_ARGS__}
#define RIDGE_R_TEXT(type, member, key, title, shown, ...)     RIDGE_RECORD_FIELD(TEXT, type, member, const char *, key, title, shown, __VA_ARGS__)
#define RIDGE_R_CHARS(type, member, key_, title_, shown_, ...) \
    {.key = key_, .title = title_, .kind = RIDGE_RECORD_CHARS, .shown = shown_, .offset = offsetof(type, member), .doc = __VA_ARGS__}
#define RIDGE_R_STR(type, member, key, title, shown, ...)      RIDGE_RECORD_FIELD(STR, type, member, ridge_str, key, title, shown, __VA_ARGS__)
#define RIDGE_R_FORMAT(type, member, key, title, shown, ...)   RIDGE_RECORD_FIELD(FORMAT, type, member, const ridge_format *, key, title, shown, __VA_ARGS__)
#define RIDGE_R_BOOL(type, member, key, title, shown, ...)     RIDGE_RECORD_FIELD(BOOL, type, member, bool, key, title, shown, __VA_ARGS__)
#define RIDGE_R_MAYBE(type, member, key, title, shown, ...)    RIDGE_RECORD_FIELD(MAYBE, type, member, int, key, title, shown, __VA_ARGS__)
#define RIDGE_R_COUNT(type, member, key, title, shown, ...)    RIDGE_RECORD_FIELD(COUNT, type, member, ridge_int, key, title, shown, __VA_ARGS__)
#define RIDGE_R_WHOLE(type, member, key, title, shown, ...)    RIDGE_RECORD_FIELD(WHOLE, type, member, int64_t, key, title, shown, __VA_ARGS__)
#define RIDGE_R_SIGNED(type, member, key, title, shown, ...)   RIDGE_RECORD_FIELD(SIGNED, type, member, int64_t, key, title, shown, __VA_ARGS__)
#define RIDGE_R_UNSIGNED(type, member, key, title, shown, ...) RIDGE_RECORD_FIELD(UNSIGNED, type, member, unsigned, key, title, shown, __VA_ARGS__)
#define RIDGE_R_SIZE(type, member, key, title, shown, ...)     RIDGE_RECORD_FIELD(SIZE, type, member, size_t, key, title, shown, __VA_ARGS__)
#define RIDGE_R_REAL(type, member, key, title, shown, ...)     RIDGE_RECORD_FIELD(REAL, type, member, double, key, title, shown, __VA_ARGS__)
#define RIDGE_R_CHANGE(type, member, key, title, shown, ...)   RIDGE_RECORD_FIELD(CHANGE, type, member, double, key, title, shown, __VA_ARGS__)
#define RIDGE_R_RATIONAL(type, member, key, title, shown, ...) RIDGE_RECORD_FIELD(RATIONAL, type, member, ridge_rational, key, title, shown, __VA_ARGS__)
#define RIDGE_R_TEXTS(type, member, key, title, shown, ...)    RIDGE_RECORD_FIELD(TEXTS, type, member, ridge_words, key, title, shown, __VA_ARGS__)
#define RIDGE_R_RAW(type, member, key, title, shown, ...)      RIDGE_RECORD_FIELD(RAW, type, member, const char *, key, title, shown, __VA_ARGS__)
#define RIDGE_R_WORD(type, member, words_, key_, title_, shown_, ...) \
    {.key = key_, .title = title_, .kind = RIDGE_RECORD_WORD, .shown = shown_, .offset = RIDGE_OFFSET_ENUM(type, member), .words = words_, \
     .doc = __VA_ARGS__}
#define RIDGE_R_IN(type, member, record_, key_, shown_, ...) \
    {.key = key_, .kind = RIDGE_RECORD_IN, .shown = shown_, .offset = offsetof(type, member), .record = record_, .doc = __VA_ARGS__}
#define RIDGE_R_AT(type, member, record_, key_, shown_, ...) \
    {.key = key_, .kind = RIDGE_RECORD_AT, .shown = shown_, .offset = offsetof(type, member), .record = record_, .doc = __VA_ARGS__}
#define RIDGE_R_MEMBERS(type, member, record_) \
    {.key = #member, .kind = RIDGE_RECORD_MEMBERS, .shown = RIDGE_IN_ALL, .offset = offsetof(type, member), .record = record_}
/* fields of the same struct, described elsewhere: among these, or as an object of their own */
#define RIDGE_R_ALSO(record_) {.key = "", .kind = RIDGE_RECORD_MEMBERS, .shown = RIDGE_IN_ALL, .record = record_}
#define RIDGE_R_GROUP(record_, key_, shown_, ...) \
    {.key = key_, .kind = RIDGE_RECORD_IN, .shown = shown_, .record = record_, .doc = __VA_ARGS__}
/* a pointer; members of JSON, where it is not NULL */
#define RIDGE_R_MEMBERS_AT(type, member, record_) \
    {.key = #member, .kind = RIDGE_RECORD_MEMBERS_AT, .shown = RIDGE_IN_JSON, .offset = offsetof(type, member), .record = record_, \
     RIDGE_WHERE(type, member)}
/* a pointer that is never NULL */
#define RIDGE_R_THROUGH(type, member, record_, shown_) \
    {.key = #member, .kind = RIDGE_RECORD_MEMBERS_AT, .shown = shown_, .offset = offsetof(type, member), .record = record_}
#define RIDGE_R_LIST(type, member, count_, record_, key_, shown_, ...) \
    {.key = key_, .kind = RIDGE_RECORD_LIST, .shown = shown_, .offset = offsetof(type, member), .count = RIDGE_OFFSET(type, count_, size_t), \
     .record = record_, .doc = __VA_ARGS__}
#define RIDGE_R_ARRAY(type, member, count_, record_, key_, shown_, ...) \
    {.key = key_, .kind = RIDGE_RECORD_ARRAY, .shown = shown_, .offset = offsetof(type, member), .count = RIDGE_OFFSET(type, count_, size_t), \
     .record = record_, .doc = __VA_ARGS__}
#define RIDGE_R_WRITTEN(key_, write_, ...) \
    {.key = key_, .kind = RIDGE_RECORD_WRITTEN, .shown = RIDGE_IN_JSON, .write = write_, .doc = __VA_ARGS__}
/* clang-format on */
#define RIDGE_RECORD(type, name_, fields_, ...)                                                                                            \
    {                                                                                                                                      \
        .name = name_, .fields = fields_, .field_count = sizeof fields_ / sizeof *(fields_), .size = sizeof(type), .doc = __VA_ARGS__      \
    }

/* ---- JSON ---- */
static inline bool ridge_record_is_always(const ridge_record_field *field) /* it is never left out */
{
    return !field->given && field->where.size == 0;
}
/* the fields of a struct as members of an open object */
void ridge_record_members(ridge_json_writer *w, const ridge_record *record, const void *row);
/* the struct as an object */
void ridge_record_object(ridge_json_writer *w, const ridge_record *record, const void *row, bool compact);
/* a whole answer: {"ridge": version, ...} and a newline */
void ridge_record_answer(ridge_buf *out, const ridge_record *record, const void *answer);
/* the same as a JSON Schema (2020-12), an object that is a member's value */
void ridge_record_schema(ridge_json_writer *w, const ridge_record *record);
/* ... of a whole answer */
void ridge_record_answer_schema(ridge_json_writer *w, const ridge_record *record);

/* ---- tables ---- */

/* A column: a field, in the struct itself or in one inside it. */
typedef struct ridge_record_column {
    const ridge_record_field *field;
    size_t offset;   /* of the struct that the field is of */
    const char *key; /* of CSV */
    bool is_at;      /* the offset counts from where a pointer points to, */
    size_t pointer;  /* which is here */
} ridge_record_column;

typedef struct ridge_record_columns {
    ridge_record_column *items;
    size_t count;
    ridge_form form;
    bool exact; /* people get every digit of integers too */
} ridge_record_columns;

/* how a table is written */
typedef struct ridge_record_style {
    ridge_form form;
    int width;  /* as ridge_table_render has it */
    bool exact; /* as ridge_record_columns has it */
} ridge_record_style;

/* The columns that a form shows, in the order of the fields; in the arena. Those of JSON are what its members are on one level, by their
 * keys: "median" of "time_s" is "time_median_s". */
ridge_status ridge_record_columns_make(ridge_record_columns *out, const ridge_record *record, ridge_form form, ridge_arena *arena,
                                       ridge_err *err);
/* The cell of column `at` for people (TEXT, MARKDOWN), or CSV's; "" when memory runs out. */
const char *ridge_record_cell(const ridge_record_columns *columns, size_t at, const void *row, ridge_arena *arena);
/* Rows of `stride` bytes as a table. Columns and cells live in the arena. */
ridge_status ridge_record_columns_table(ridge_table *table, const ridge_record_columns *columns, const void *rows, size_t count,
                                        size_t stride, ridge_arena *arena, ridge_err *err);
/* all columns of the form */
ridge_status ridge_record_table(ridge_table *table, const ridge_record *record, ridge_form form, const void *rows, size_t count,
                                ridge_arena *arena, ridge_err *err);
/* the same, rendered */
ridge_status ridge_record_print(ridge_buf *out, const ridge_record *record, const ridge_record_style *style, const void *rows, size_t count,
                                ridge_err *err);

/* CSV, row by row: nothing is allocated but the text. */
void ridge_record_csv_head(ridge_buf *out, const ridge_record_columns *columns);
/* Of many rows whose first `bytes` bytes are equal, the cells of those bytes are written once. */
enum { RIDGE_RECORD_SAME_MOST = 64 };
typedef struct ridge_record_same {
    ridge_buf text;                      /* the cells, a comma after each */
    size_t ends[RIDGE_RECORD_SAME_MOST]; /* of column c's cell in it; that of the column before where it is not the same */
} ridge_record_same;
void ridge_record_same_make(ridge_record_same *out, const ridge_record_columns *columns, const void *row, size_t bytes);
void ridge_record_same_free(ridge_record_same *same);
void ridge_record_csv_row(ridge_buf *out, const ridge_record_columns *columns, const ridge_record_same *same, const void *row);
/* the text of one value, without quotes; what is not known is "" */
void ridge_record_text(ridge_buf *out, const ridge_record_column *column, const void *row);
/* ... as a cell, quoted where it must be */
void ridge_record_csv_cell(ridge_buf *out, const ridge_record_column *column, const void *row);

#endif
