/* option.h - the vocabulary of options: what can be asked of a command, each described once: name, kind, range, unit, default, help, place.
 * In: tables of options, a value as text. Out: the member of a request that the option stands for, set.
 * The command line, "name=value" of the C API, changes of `--against`, axes of a sweep, help and completion all read these tables.
 * Fails (USAGE), naming the option with RIDGE_OPT, on an unknown name and on a missing, malformed or out-of-range value. */
#ifndef RIDGE_BASE_OPTION_H
#define RIDGE_BASE_OPTION_H

#include "base/arena.h"
#include "base/err.h"
#include "base/format.h"

/* what was given for a repeatable option, or the operands, in order */
typedef struct ridge_words {
    const char **items;
    size_t count;
} ridge_words;
ridge_status ridge_words_add(ridge_words *words, const char *text, ridge_arena *arena, ridge_err *err);
const char *ridge_words_find(const ridge_words *words, const char *text);     /* the one that is equal; NULL: none is */
const char *ridge_words_joined(const ridge_words *words, ridge_arena *arena); /* "a, b, c"; "" where memory ran out */

/* "fp16,int8": each once */
typedef struct ridge_formats {
    const ridge_format **items;
    size_t n;
} ridge_formats;

typedef enum ridge_option_kind {
    RIDGE_OPTION_FLAG,    /* bool: set to true by its name alone; as name=value, true or false */
    RIDGE_OPTION_SET,     /* int or enum, set to `min`: several flags for one choice (json, csv) */
    RIDGE_OPTION_STRING,  /* const char *, not empty */
    RIDGE_OPTION_LIST,    /* ridge_words: may be repeated */
    RIDGE_OPTION_INT,     /* int64_t in min..max; "12", "2k" = 2000, "2Ki" = 2048; also M, G, Mi, Gi */
    RIDGE_OPTION_COUNT,   /* ridge_int, written as INT */
    RIDGE_OPTION_CHOICE,  /* int or enum: the index in `words` */
    RIDGE_OPTION_FORMAT,  /* const ridge_format *: by name or alias; those of indices are refused; with max 1 a mix is one too */
    RIDGE_OPTION_FORMATS, /* ridge_formats: one or several, with commas between; n 0: not given */
    RIDGE_OPTION_SECONDS, /* double: "2.5us", "3e-6"; also s, ms, ns; at least 0, or with min 1 more than 0 */
    RIDGE_OPTION_REAL,    /* double, at least 0: "2.5", "1e3" */
    RIDGE_OPTION_OTHER    /* a type of the room that has the option: `read` makes it of the text */
} ridge_option_kind;

/* What a value lets a command reach beyond the request itself. Who takes values from strangers (serve/) decides by it; the command line
 * does not ask. */
typedef enum ridge_reach {
    RIDGE_REACH_NOTHING,
    RIDGE_REACH_FILE,    /* a file or folder that is read */
    RIDGE_REACH_MODEL,   /* a model: an id, or a file or folder that is read */
    RIDGE_REACH_MACHINE, /* machines: ids, or files that are read, with commas between */
    RIDGE_REACH_OUTPUT,  /* a file or folder that is written */
    RIDGE_REACH_KEPT,    /* changes what the user keeps: machines, catalog, measurements */
    RIDGE_REACH_PROGRAM  /* a program that is run, or source that is interpreted and kept */
} ridge_reach;

typedef struct ridge_option ridge_option;
/* at: the member; the option is named in errors */
typedef ridge_status ridge_option_read(void *at, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err);

struct ridge_option {
    const char *name; /* as on the command line, without dashes; NULL ends a table */
    char letter;      /* short form, or 0 */
    ridge_option_kind kind;
    size_t offset;            /* of the member in the struct that the table is for */
    const char *argument;     /* placeholder ("N"); NULL where none is taken */
    int64_t min, max;         /* both included */
    const char *const *words; /* NULL-terminated */
    ridge_option_read *read;  /* of OTHER */
    const char *help;         /* one line, no capital, no full stop */
    const char *fallback;     /* the default as it would be written; NULL: unset (-1, NULL), the first word of a choice */
    const char *unit;         /* of the number: "tokens", "bytes/s"; NULL: none, or a time in seconds */
    const char *needs;        /* other options without which it has no effect: "phase=train data-parallel|devices", "!json"; NULL: none */
    size_t size;              /* OTHER: of the member */
    ridge_reach reach;        /* of the file system and of programs */
};

enum { RIDGE_UNSET = -1 }; /* an INT, COUNT, SECONDS or REAL that was not given */

/* Rows of a table; the member's type is checked at compile time. After the help: .fallback = "1", .unit = "tokens". */
#define RIDGE_OFFSET(type, member, wanted) (offsetof(type, member) + 0 * sizeof(_Generic(&((type *)0)->member, wanted * : 0)))
#define RIDGE_OFFSET_ENUM(type, member)    (offsetof(type, member) + 0 * sizeof(_Generic(&((type *)0)->member, int * : 0, unsigned * : 0)))

/* clang-format off */
#define RIDGE_FLAG(type, member, name_, letter_, ...) \
    {.name = name_, .letter = letter_, .kind = RIDGE_OPTION_FLAG, .offset = RIDGE_OFFSET(type, member, bool), .help = __VA_ARGS__}
#define RIDGE_SET(type, member, name_, letter_, value, ...) \
    {.name = name_, .letter = letter_, .kind = RIDGE_OPTION_SET, .offset = RIDGE_OFFSET_ENUM(type, member), .min = value, .help = __VA_ARGS__}
#define RIDGE_STRING(type, member, name_, letter_, argument_, ...) \
    {.name = name_, .letter = letter_, .kind = RIDGE_OPTION_STRING, .offset = RIDGE_OFFSET(type, member, const char *), \
     .argument = argument_, .help = __VA_ARGS__}
#define RIDGE_LIST(type, member, name_, letter_, argument_, ...) \
    {.name = name_, .letter = letter_, .kind = RIDGE_OPTION_LIST, .offset = RIDGE_OFFSET(type, member, ridge_words), \
     .argument = argument_, .help = __VA_ARGS__}
#define RIDGE_INT(type, member, name_, letter_, argument_, min_, max_, ...) \
    {.name = name_, .letter = letter_, .kind = RIDGE_OPTION_INT, .offset = RIDGE_OFFSET(type, member, int64_t), \
     .argument = argument_, .min = min_, .max = max_, .help = __VA_ARGS__}
#define RIDGE_COUNT(type, member, name_, letter_, argument_, min_, max_, ...) \
    {.name = name_, .letter = letter_, .kind = RIDGE_OPTION_COUNT, .offset = RIDGE_OFFSET(type, member, ridge_int), \
     .argument = argument_, .min = min_, .max = max_, .help = __VA_ARGS__}
#define RIDGE_CHOICE(type, member, name_, letter_, words_, ...) \
    {.name = name_, .letter = letter_, .kind = RIDGE_OPTION_CHOICE, .offset = RIDGE_OFFSET_ENUM(type, member), \
     .argument = "WORD", .words = words_, .help = __VA_ARGS__}
#define RIDGE_FORMAT(type, member, name_, letter_, ...) \
    {.name = name_, .letter = letter_, .kind = RIDGE_OPTION_FORMAT, .offset = RIDGE_OFFSET(type, member, const ridge_format *), \
     .argument = "FMT", .help = __VA_ARGS__}
#define RIDGE_FORMATS(type, member, name_, letter_, ...) \
    {.name = name_, .letter = letter_, .kind = RIDGE_OPTION_FORMATS, .offset = RIDGE_OFFSET(type, member, ridge_formats), \
     .argument = "FMT,...", .help = __VA_ARGS__}
#define RIDGE_SECONDS(type, member, name_, letter_, ...) \
    {.name = name_, .letter = letter_, .kind = RIDGE_OPTION_SECONDS, .offset = RIDGE_OFFSET(type, member, double), \
     .argument = "TIME", .help = __VA_ARGS__}
#define RIDGE_BUDGET(type, member, name_, letter_, ...) \
    {.name = name_, .letter = letter_, .kind = RIDGE_OPTION_SECONDS, .offset = RIDGE_OFFSET(type, member, double), \
     .argument = "TIME", .min = 1, .help = __VA_ARGS__}
#define RIDGE_REAL(type, member, name_, letter_, argument_, ...) \
    {.name = name_, .letter = letter_, .kind = RIDGE_OPTION_REAL, .offset = RIDGE_OFFSET(type, member, double), \
     .argument = argument_, .help = __VA_ARGS__}
#define RIDGE_OTHER(type, member, member_type, name_, letter_, argument_, read_, ...) \
    {.name = name_, .letter = letter_, .kind = RIDGE_OPTION_OTHER, .offset = RIDGE_OFFSET(type, member, member_type), \
     .size = sizeof(member_type), .argument = argument_, .read = read_, .help = __VA_ARGS__}
#define RIDGE_OPTION_END {.name = NULL}
/* clang-format on */

/* A table as a request uses it: requests share one by putting its struct into theirs and its place here. */
typedef struct ridge_option_table {
    const ridge_option *options; /* NULL ends a list of tables */
    size_t offset;               /* of the table's struct in the request */
    const char *title;           /* heading in the help; NULL: "Options" */
    bool of_call;                /* the struct is part of the call (command/call.h) instead of the request */
    const char *const *only;     /* NULL-terminated: the options that are offered, the others keep their defaults; NULL: all */
} ridge_option_table;
#define RIDGE_TABLE(options_, offset_, title_) .options = options_, .offset = offset_, .title = title_
#define RIDGE_TABLE_OF_CALL(options_, title_)  .options = options_, .title = title_, .of_call = true

/* what the tables' offsets count from */
typedef struct ridge_option_places {
    void *request, *call; /* call NULL: its tables are left out */
} ridge_option_places;

/* Sets every option to its default. */
ridge_status ridge_options_default(const ridge_option_places *places, const ridge_option_table *tables, ridge_arena *arena, ridge_err *err);
/* The first option of this name ('_' stands for '-'); *at: the struct it is of. NULL where there is none. */
const ridge_option *ridge_options_find(void **at, const ridge_option_places *places, const ridge_option_table *tables, ridge_str name);
/* Is an option of a table offered there? Not where the table leaves it out, or an earlier table has one of that name. */
bool ridge_options_offered(const ridge_option_table *tables, const ridge_option_table *table, const ridge_option *option);
/* unknown option, with the nearest name */
ridge_status ridge_options_unknown(const ridge_option_table *tables, ridge_str name, ridge_err *err);
/* the option that is called so, here or by other programs ("gpu" for "on"); NULL: none */
const char *ridge_options_meant(const ridge_option_table *tables, ridge_str name);
/* One "name=value", the text of which outlives the request. */
ridge_status ridge_options_set(const ridge_option_places *places, const ridge_option_table *tables, const char *assignment,
                               ridge_arena *arena, ridge_err *err);

/* Stores a value of an option that ridge_options_find found at `at`, as ridge_option_store does. USAGE, naming both, where another flag
 * of the same choice was given before (json and csv). */
ridge_status ridge_options_take(const ridge_option_places *places, const ridge_option_table *tables, void *at, const ridge_option *option,
                                const char *text, ridge_arena *arena, ridge_err *err);

/* Stores one value as the option has it; text is NULL for an option that is named alone. */
ridge_status ridge_option_store(void *struct_at, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err);
/* the option of this name in one table, which has it */
const ridge_option *ridge_option_named(const ridge_option *options, const char *name);
/* what people are told of the default: the fallback where it is a value that could be given; NULL: nothing */
const char *ridge_option_default(const ridge_option *option);
/* The index of a word; `name` stands before the message where it is none of them (RIDGE_OPT("phase"), or the name of what is no option). */
ridge_status ridge_choice_read(int *out, const char *const *words, ridge_str text, const char *name, ridge_arena *arena, ridge_err *err);
/* "prefill, decode or train" */
const char *ridge_option_words(const char *const *words, ridge_arena *arena);

#endif
