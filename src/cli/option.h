/* option.h - option tables: what a command accepts. Parsing, --help, completion and the man page all come from them.
 * In: tables, argc, argv. Out: the command's own struct, filled; strings point into argv, lists into the arena.
 * Fails (USAGE) on an unknown option (with "did you mean"), a missing, malformed or out-of-range value, too few or many operands.
 * Written `--name value`, `--name=value`, `-n value`; `--` ends options; options and operands mix; the last of two equal ones counts. */
#ifndef RIDGE_CLI_OPTION_H
#define RIDGE_CLI_OPTION_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/format.h"
#include "base/str.h"

/* what was given for a repeatable option, or the operands, in order */
typedef struct ridge_words {
    const char **items;
    size_t count;
} ridge_words;

typedef enum ridge_option_kind {
    RIDGE_OPTION_FLAG,    /* bool, set to true */
    RIDGE_OPTION_SET,     /* int or enum, set to `min`: several flags for one choice (--json, --csv) */
    RIDGE_OPTION_STRING,  /* const char *, not empty */
    RIDGE_OPTION_LIST,    /* ridge_words: may be repeated */
    RIDGE_OPTION_INT,     /* int64_t in min..max; "12", "2k" = 2000, "2Ki" = 2048; also M, G, Mi, Gi */
    RIDGE_OPTION_CHOICE,  /* int or enum: the index in `words` */
    RIDGE_OPTION_FORMAT,  /* const ridge_format *: by name or alias; those of indices are refused */
    RIDGE_OPTION_SECONDS, /* double: "2.5us", "3e-6"; also s, ms, ns; at least 0, or with min 1 more than 0 */
    RIDGE_OPTION_REAL     /* double, at least 0: "2.5", "1e3" */
} ridge_option_kind;

typedef struct ridge_option {
    const char *name; /* long, without the dashes; NULL ends a table */
    char letter;      /* short form, or 0 */
    ridge_option_kind kind;
    size_t offset;            /* of the value in the struct the table is for */
    const char *argument;     /* placeholder ("N"); NULL where none is taken */
    const char *help;         /* one line, no capital, no full stop */
    int64_t min, max;         /* both included */
    const char *const *words; /* NULL-terminated */
} ridge_option;

/* Rows of a table; the member's type is checked at compile time. A value not given keeps the default of ridge_command.defaults. */
#define RIDGE_OFFSET(type, member, wanted) (offsetof(type, member) + 0 * sizeof(_Generic(&((type *)0)->member, wanted * : 0)))
#define RIDGE_OFFSET_ENUM(type, member)    (offsetof(type, member) + 0 * sizeof(_Generic(&((type *)0)->member, int * : 0, unsigned * : 0)))

/* clang-format off */
#define RIDGE_FLAG(type, member, name, letter, help) \
    {name, letter, RIDGE_OPTION_FLAG, RIDGE_OFFSET(type, member, bool), NULL, help, 0, 0, NULL}
#define RIDGE_SET(type, member, name, letter, value, help) \
    {name, letter, RIDGE_OPTION_SET, RIDGE_OFFSET_ENUM(type, member), NULL, help, value, 0, NULL}
#define RIDGE_STRING(type, member, name, letter, argument, help) \
    {name, letter, RIDGE_OPTION_STRING, RIDGE_OFFSET(type, member, const char *), argument, help, 0, 0, NULL}
#define RIDGE_LIST(type, member, name, letter, argument, help) \
    {name, letter, RIDGE_OPTION_LIST, RIDGE_OFFSET(type, member, ridge_words), argument, help, 0, 0, NULL}
#define RIDGE_INT(type, member, name, letter, argument, min, max, help) \
    {name, letter, RIDGE_OPTION_INT, RIDGE_OFFSET(type, member, int64_t), argument, help, min, max, NULL}
#define RIDGE_CHOICE(type, member, name, letter, words, help) \
    {name, letter, RIDGE_OPTION_CHOICE, RIDGE_OFFSET_ENUM(type, member), "WORD", help, 0, 0, words}
#define RIDGE_FORMAT(type, member, name, letter, help) \
    {name, letter, RIDGE_OPTION_FORMAT, RIDGE_OFFSET(type, member, const ridge_format *), "FMT", help, 0, 0, NULL}
#define RIDGE_SECONDS(type, member, name, letter, help) \
    {name, letter, RIDGE_OPTION_SECONDS, RIDGE_OFFSET(type, member, double), "TIME", help, 0, 0, NULL}
#define RIDGE_BUDGET(type, member, name, letter, help) \
    {name, letter, RIDGE_OPTION_SECONDS, RIDGE_OFFSET(type, member, double), "TIME", help, 1, 0, NULL}
#define RIDGE_REAL(type, member, name, letter, argument, help) \
    {name, letter, RIDGE_OPTION_REAL, RIDGE_OFFSET(type, member, double), argument, help, 0, 0, NULL}
#define RIDGE_OPTION_END {NULL, 0, RIDGE_OPTION_FLAG, 0, NULL, NULL, 0, 0, NULL}
/* clang-format on */

/* A table as a command uses it: several commands share one by putting its struct into theirs and its place here. */
typedef struct ridge_option_table {
    const ridge_option *options; /* NULL ends the list */
    size_t offset;               /* of the table's struct in the command's struct */
    const char *title;           /* heading in the help; NULL: "Options" */
} ridge_option_table;

/* operands: what is not an option */
typedef struct ridge_operands {
    const char *usage; /* "MODEL", "NAME [ARGUMENT...]"; NULL: none are taken */
    const char *help;  /* one line */
    size_t offset;     /* of a ridge_words in the command's struct */
    unsigned min, max; /* how many; max 0: any number */
    bool kept;         /* with usage NULL: words are kept, for the command to say what is wrong with them */
} ridge_operands;
#define RIDGE_OPERANDS(type, member, usage, min, max, help)                                                                                \
    {                                                                                                                                      \
        usage, help, RIDGE_OFFSET(type, member, ridge_words), min, max, false                                                              \
    }
#define RIDGE_NO_OPERANDS(type, member)                                                                                                    \
    {                                                                                                                                      \
        NULL, NULL, RIDGE_OFFSET(type, member, ridge_words), 0, 0, true                                                                    \
    }

/* Fills `values` from argv[0..argc). *help: --help or -h was found (parsing stops there). The tables end at options == NULL. */
ridge_status ridge_options_parse(void *values, bool *help, const ridge_option_table *tables, const ridge_operands *operands, int argc,
                                 char **argv, ridge_arena *arena, ridge_err *err);

extern const ridge_option ridge_help_option; /* every command has it, no table lists it */

/* Stores one value as the option has it; text is NULL for an option without argument. */
ridge_status ridge_option_store(void *struct_at, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err);

#endif
