/* ast.h - the syntax tree of a formula; private to the formula folder. */
#ifndef RIDGE_FORMULA_AST_H
#define RIDGE_FORMULA_AST_H

#include "formula/expr.h"

typedef enum ridge_ast_kind {
    RIDGE_AST_CONSTANT,
    RIDGE_AST_SLOT,
    RIDGE_AST_GLOBAL,
    RIDGE_AST_CONFIG,
    RIDGE_AST_FIELD,
    RIDGE_AST_INDEX,
    RIDGE_AST_NEGATE,
    RIDGE_AST_PLUS,
    RIDGE_AST_NOT,
    RIDGE_AST_BINARY,
    RIDGE_AST_AND,
    RIDGE_AST_OR,
    RIDGE_AST_DEFAULT, /* a ?? b */
    RIDGE_AST_CONDITIONAL,
    RIDGE_AST_LIST,
    RIDGE_AST_COMPREHENSION,
    RIDGE_AST_BUILTIN,
    RIDGE_AST_MODULE,
} ridge_ast_kind;

/* name, least and most arguments */
#define RIDGE_BUILTIN_LIST(X)                                                                                                              \
    X(min, 1, 64)                                                                                                                          \
    X(max, 1, 64)                                                                                                                          \
    X(ceil, 1, 1)                                                                                                                          \
    X(floor, 1, 1)                                                                                                                         \
    X(int, 1, 1)                                                                                                                           \
    X(abs, 1, 1)                                                                                                                           \
    X(len, 1, 1)                                                                                                                           \
    X(sum, 1, 1)                                                                                                                           \
    X(range, 1, 3)                                                                                                                         \
    X(ceil_div, 2, 2)                                                                                                                      \
    X(any, 1, 1)                                                                                                                           \
    X(all, 1, 1)                                                                                                                           \
    X(split, 2, 2)

typedef enum ridge_builtin {
#define X(name, least, most) RIDGE_BUILTIN_##name,
    RIDGE_BUILTIN_LIST(X) RIDGE_BUILTIN_COUNT
#undef X
} ridge_builtin;

struct ridge_ast {
    ridge_ast_kind kind;
    uint32_t at, span; /* bytes in the expression's text */
    uint32_t height;   /* levels of nodes below: 0 for one that holds no other */
    union {
        ridge_value constant;
        uint32_t slot;
        ridge_global global;
        struct {
            const ridge_ast *object;
            const ridge_symbol *name;
        } field;
        struct {
            ridge_op op;
            const ridge_ast *a, *b;
        } binary; /* also INDEX, AND, OR, DEFAULT, NEGATE, PLUS and NOT (a only) */
        struct {
            const ridge_ast *condition, *then, *otherwise;
        } conditional;
        struct {
            const ridge_ast **items;
            size_t count;
            ridge_builtin which; /* BUILTIN only */
        } list;
        struct {
            const ridge_ast *element, *source, *condition; /* condition may be NULL */
            uint32_t slot;
        } comprehension;
        struct {
            const ridge_symbol *name;
            const ridge_ast **args;
            const ridge_symbol **names; /* NULL entries: positional */
            size_t count;
            void **cache;
        } module;
    } u;
};

typedef ridge_status ridge_ast_look(void *data, const ridge_ast *node);
/* calls `look` for what a node is made of, from left to right: one level down */
ridge_status ridge_ast_each(const ridge_ast *node, ridge_ast_look *look, void *data);
/* calls `look` for a node, then for all that is below it; as deep as a formula nests (RIDGE_DEPTH_LIMIT) */
ridge_status ridge_ast_visit(const ridge_ast *node, ridge_ast_look *look, void *data);

ridge_status ridge_builtin_call(ridge_value *out, ridge_builtin which, const ridge_value *args, size_t count, const ridge_calc *calc);

#endif
