/* command.h - the commands: one ridge_command each, in a file of that name, listed in commands.def; sub-commands (ridge db list) are
 * commands of a command. Options fill the command's request directly; `run` makes the answer of it and writes that into the call.
 * A command knows no front end: it needs no code for help, completion, messages about options, exit status or HTTP. */
#ifndef RIDGE_COMMAND_COMMAND_H
#define RIDGE_COMMAND_COMMAND_H

#include "command/call.h"

enum { RIDGE_COMMAND_TABLES = 14 };

/* operands: what is not an option */
typedef struct ridge_operands {
    const char *usage;        /* "MODEL", "NAME [ARGUMENT...]"; NULL: none are taken */
    const char *help;         /* one line */
    size_t offset;            /* of a const char * where `single`, else of a ridge_words, in the request */
    unsigned min, max;        /* how many; max 0: any number */
    const char *const *words; /* NULL-terminated: those that are meant, for completion; NULL: any */
    bool single;
    bool kept; /* with usage NULL: words are kept, for the command to say what is wrong with them */
    ridge_reach reach;
    /* MODEL: where the request takes the config's own text in place of what the name stands for; length 0: it takes none */
    size_t text_offset, length_offset;
} ridge_operands;
/* clang-format off */
#define RIDGE_OPERAND(type, member, usage_, min_, ...) \
    {.usage = usage_, .offset = RIDGE_OFFSET(type, member, const char *), .min = min_, .max = 1, .single = true, .help = __VA_ARGS__}
/* `member`: a ridge_model_request */
#define RIDGE_OPERAND_MODEL(type, member, usage_, min_, ...) \
    {.usage = usage_, .offset = RIDGE_OFFSET(type, member.model, const char *), .min = min_, .max = 1, .single = true, \
     .reach = RIDGE_REACH_MODEL, .text_offset = offsetof(type, member.config_text), .length_offset = offsetof(type, member.config_length), \
     .help = __VA_ARGS__}
#define RIDGE_OPERAND_OF(type, member, words_, usage_, min_, ...) \
    {.usage = usage_, .offset = RIDGE_OFFSET(type, member, const char *), .words = words_, .min = min_, .max = 1, .single = true, .help = __VA_ARGS__}
#define RIDGE_OPERANDS(type, member, usage_, min_, max_, ...) \
    {.usage = usage_, .offset = RIDGE_OFFSET(type, member, ridge_words), .min = min_, .max = max_, .help = __VA_ARGS__}
#define RIDGE_NO_OPERANDS(type, member) {.offset = RIDGE_OFFSET(type, member, ridge_words), .kept = true}
/* clang-format on */

/* what running a command does to the world; a front end that serves strangers decides by it */
typedef enum ridge_effect {
    RIDGE_EFFECT_NONE,     /* it computes its answer */
    RIDGE_EFFECT_KEEPS,    /* it changes what the user keeps */
    RIDGE_EFFECT_MEASURES, /* it takes the machine for a while, and listens (ridge_call_listen) */
    RIDGE_EFFECT_FETCHES,  /* it downloads */
    RIDGE_EFFECT_LOCAL     /* it is for the person at this machine alone */
} ridge_effect;

typedef struct ridge_command ridge_command;
struct ridge_command {
    const char *name;
    const char *group;   /* heading in `ridge --help`; NULL for a sub-command */
    const char *summary; /* one line, no capital, no full stop */
    const char *example; /* a command line to copy */
    const char *details; /* further text for the help, wrapped; '\n' ends a paragraph; or NULL */
    ridge_operands operands;
    ridge_option_table tables[RIDGE_COMMAND_TABLES]; /* ends at options == NULL */
    size_t request_size;                             /* 0 where it takes nothing */
    const char *const *defaults;                     /* "name=value", NULL-terminated: where it differs from the options' own; or NULL */
    ridge_status (*run)(ridge_call *call, const void *request, ridge_err *err);
    ridge_effect effect;
    /* it may take seconds, or its answer may be long and come in pieces (ridge_call_flush): a server gives it a thread of its own */
    bool heavy;
    const ridge_record *records[4]; /* of its JSON, as `ridge help --schema` prints them; [0] NULL: it has none, NULL after the last */
    /* sub-commands, NULL-terminated; a group without `run` needs one of them, and its tables and operands are not used */
    const ridge_command *const *commands;
};

/* all of them, in the order of the help; NULL-terminated */
extern const ridge_command *const ridge_commands[];
#define COMMAND(name) extern const ridge_command ridge_cmd_##name;
#include "command/commands.def"
#undef COMMAND

/* The command that the first words name: *path gets its full name ("db list"), its words are *used. A group (`db`) is found too.
 * USAGE with "did you mean" where there is none. */
ridge_status ridge_command_find(const ridge_command **command, const char **path, size_t *used, size_t count, const char *const *words,
                                ridge_arena *arena, ridge_err *err);

/* ---- a request ---- */

/* A new request, all options at their defaults; in the call's arena. */
ridge_status ridge_command_request(void **request, ridge_call *call, const ridge_command *command, ridge_err *err);
/* Adds an operand. USAGE where there are more than the command takes. */
ridge_status ridge_command_operand(void *request, ridge_call *call, const ridge_command *command, const char *word, ridge_err *err);
/* USAGE where there are fewer operands than it needs */
ridge_status ridge_command_complete(const void *request, const ridge_command *command, ridge_err *err);
/* Operands and "name=value" options as a complete request, which points into them. */
ridge_status ridge_command_read(void **request, ridge_call *call, const ridge_command *command, const char *const *operands,
                                size_t operand_count, const char *const *options, size_t option_count, ridge_err *err);
/* warns of options that were given and have no effect beside the others; fills call->given */
ridge_status ridge_command_warn_idle(ridge_call *call, const ridge_command *command, const void *request, ridge_err *err);
/* runs it; a command that failed says why */
ridge_status ridge_command_run(ridge_call *call, const ridge_command *command, const void *request, ridge_err *err);

#endif
