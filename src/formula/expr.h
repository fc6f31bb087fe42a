/* expr.h - the formula language: text -> syntax tree -> exact value.
 * Python's expressions as a safe subset plus ${name}, {Module}(args) and `??`; docs/formula.md is the reference.
 * In: text with its place, a scope of names. Out: an expression owned by the arena. Fails with file, line, column and excerpt;
 * depth and steps are limited, nothing in a formula can run code or loop without end. */
#ifndef RIDGE_FORMULA_EXPR_H
#define RIDGE_FORMULA_EXPR_H

#include "formula/value.h"

/* names of the workload, in the order of ridge_evaluation.globals: name, lower bound where symbolic (-1: not a number) */
#define RIDGE_GLOBAL_LIST(X)                                                                                                               \
    X(B, 1)                                                                                                                                \
    X(S, 1)                                                                                                                                \
    X(past, 0)                                                                                                                             \
    X(T, 1)                                                                                                                                \
    X(enc, 1)                                                                                                                              \
    X(image, 1)                                                                                                                            \
    X(image_height, 1)                                                                                                                     \
    X(image_width, 1)                                                                                                                      \
    X(images, 0)                                                                                                                           \
    X(video_frames, 1)                                                                                                                     \
    X(frames, 0)                                                                                                                           \
    X(samples, 0)                                                                                                                          \
    X(head_rows, 1)                                                                                                                        \
    X(phase, -1)                                                                                                                           \
    X(attention, -1)                                                                                                                       \
    X(act, -1)                                                                                                                             \
    X(kv, -1)                                                                                                                              \
    X(weights_format, -1)

typedef enum ridge_global {
#define X(name, least) RIDGE_GLOBAL_##name,
    RIDGE_GLOBAL_LIST(X) RIDGE_GLOBAL_COUNT
#undef X
} ridge_global;

typedef struct ridge_global_info {
    const char *name;
    int least; /* -1: not a number */
} ridge_global_info;
extern const ridge_global_info ridge_globals[RIDGE_GLOBAL_COUNT];
/* RIDGE_GLOBAL_COUNT where there is none of that name */
ridge_global ridge_global_find(ridge_str name);

typedef struct ridge_ast ridge_ast;

typedef struct ridge_expr {
    const ridge_ast *root;
    ridge_str text;
    const char *file;   /* "" where none */
    unsigned line, col; /* of the text's first character */
} ridge_expr;

/* The names a formula may use, each with a slot of the run's frame. */
typedef struct ridge_scope {
    ridge_arena *arena;
    ridge_symtab *symbols;
    const ridge_symbol **names; /* [slots]; NULL: not visible (a comprehension's name outside it) */
    size_t cap;
    uint32_t slots;
    /* {Module} -> the key meant (an heir follows its family); NULL: any name is taken as it stands */
    const ridge_symbol *(*module)(void *data, ridge_str name);
    void *module_data;
} ridge_scope;

/* the slot of a name, made if new; UINT32_MAX when memory runs out, or there are RIDGE_SCOPE_LIMIT of them (ridge_scope_full) */
uint32_t ridge_scope_add(ridge_scope *scope, const ridge_symbol *name);
#define RIDGE_SCOPE_LIMIT 4096u
ridge_status ridge_scope_full(const ridge_scope *scope, ridge_err *err); /* why ridge_scope_add failed */

/* Parses text standing at file:line:col. err gets the place of the fault. */
ridge_status ridge_expr_parse(ridge_expr **out, ridge_str text, const char *file, unsigned line, unsigned col, ridge_scope *scope,
                              ridge_err *err);

typedef struct ridge_argument {
    const ridge_symbol *name; /* NULL: positional */
    ridge_value value;
} ridge_argument;

typedef struct ridge_evaluation ridge_evaluation;
/* {Module}(args): *cache belongs to this place of the formula and starts NULL (the resolved entry may be kept there) */
typedef ridge_status ridge_invoke(ridge_value *out, ridge_evaluation *run, const ridge_symbol *module, void **cache,
                                  const ridge_argument *args, size_t count);
/* the number an invocation stands for in arithmetic (its FLOPs, its reads, ...) */
typedef ridge_status ridge_number_of(ridge_value *out, ridge_evaluation *run, void *node);

struct ridge_evaluation {
    ridge_calc calc;
    const ridge_value *globals; /* [RIDGE_GLOBAL_COUNT] */
    const ridge_object *config; /* NULL: none */
    ridge_value *slots;         /* the frame of the formula that runs */
    ridge_invoke *invoke;
    ridge_number_of *number_of;
    void *data;
    uint64_t steps_left;
    unsigned depth;        /* of nested expressions and invocations */
    uint32_t globals_read; /* a bit for each that a formula has read */
};

#define RIDGE_STEP_LIMIT   50000000u
#define RIDGE_DEPTH_LIMIT  400u

ridge_status ridge_expr_eval(ridge_value *out, const ridge_expr *expr, ridge_evaluation *run);
/* An invocation in arithmetic is the number it stands for, also where it is one of two values; others stay. */
ridge_status ridge_expr_operand(ridge_value *v, ridge_evaluation *run);
/* Takes `steps` of those the run has left; LIMIT where they are spent, or where the run's arena is full. For who does work on the side. */
ridge_status ridge_run_charge(ridge_evaluation *run, uint64_t steps);
/* one level down, for who evaluates from within an evaluation; after RIDGE_OK, `run->depth--` goes up again */
ridge_status ridge_run_deeper(ridge_evaluation *run);

/* every {Module} an expression names, in order of appearance */
typedef struct ridge_module_use {
    const ridge_symbol *module;
    uint32_t at, span; /* bytes of the expression's text */
    size_t positional;
    const ridge_symbol **named;
    size_t named_count;
} ridge_module_use;
ridge_status ridge_expr_modules(ridge_module_use **out, size_t *count, const ridge_expr *expr, ridge_arena *arena, ridge_err *err);

/* Every `config.name` an expression reads; `use` is called for each. _fields leaves out those before `??`, which may be missing. */
typedef void ridge_config_use(void *data, const ridge_expr *expr, const ridge_symbol *name, uint32_t at, uint32_t span);
void ridge_expr_config_fields(const ridge_expr *expr, ridge_config_use *use, void *data);
void ridge_expr_config_reads(const ridge_expr *expr, ridge_config_use *use, void *data);

/* an error about `span` bytes at `at` of an expression's text: place and excerpt */
ridge_status ridge_expr_fail(ridge_err *err, ridge_status code, const ridge_expr *expr, uint32_t at, uint32_t span, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

/* adds place and excerpt of the whole expression to an error */
void ridge_expr_blame(ridge_err *err, const ridge_expr *expr);

#endif
