/* syntax.h - Python source to a syntax tree, by tree-sitter and its Python grammar.
 * In: the text of a module. Out: its statements, owned by the arena; the text must outlive them. What the grammar cannot read becomes a
 * RIDGE_PY_BROKEN statement: to run into it is an error, to pass by is none. Nesting deeper than RIDGE_PY_NESTING is broken, too. */
#ifndef RIDGE_LEARN_PYTHON_SYNTAX_H
#define RIDGE_LEARN_PYTHON_SYNTAX_H

#include "base/arena.h"
#include "base/err.h"

#define RIDGE_PY_NESTING 400

/* A CASE's pattern is the expression that looks like it: NAME binds ("_" matches all), ATTRIBUTE, constants, strings and numbers (UNARY)
 * are compared, LIST and TUPLE with STAR are sequences, DICT with PAIR and DOUBLE_STAR a mapping, CALL with KEYWORD a class, BINARY | a
 * choice, WALRUS name of a: `a as name`. */
/* kind: what its fields hold. `items` are a list of children, NULL among them where one is left out. */
// clang-format off
#define RIDGE_PY_KIND_LIST(X)                                                                                                               \
    /* expressions */                                                                                                                       \
    X(NAME, "name")                    /* name */                                                                                           \
    X(INTEGER, "integer")              /* text: digits, underscores taken away; 0x, 0b, 0o as written */                                    \
    X(REAL, "real")                    /* text */                                                                                           \
    X(STRING, "string")                /* text: escapes resolved, neighbours joined (bytes are strings, too) */                             \
    X(FORMATTED, "f-string")           /* items: STRING and HOLE */                                                                         \
    X(HOLE, "{}")                      /* a: expression; b: format, a STRING or FORMATTED, or NULL; op: 'r', 's', 'a' or 0 */               \
    X(CONSTANT, "constant")            /* op: RIDGE_PY_NONE_WORD, _TRUE_WORD, _FALSE_WORD, _ELLIPSIS_WORD */                                \
    X(TUPLE, "tuple")                  /* items, STAR among them */                                                                         \
    X(LIST, "list")                    /* items, STAR among them */                                                                         \
    X(SET, "set")                      /* items, STAR among them */                                                                         \
    X(DICT, "dict")                    /* items: PAIR and DOUBLE_STAR */                                                                    \
    X(PAIR, "pair")                    /* a: b */                                                                                           \
    X(STAR, "*")                       /* *a: in a call, a display, a target */                                                             \
    X(DOUBLE_STAR, "**")               /* **a */                                                                                            \
    X(KEYWORD, "keyword argument")     /* name=a */                                                                                         \
    X(UNARY, "unary")                  /* op a */                                                                                           \
    X(BINARY, "binary")                /* a op b */                                                                                         \
    X(BOOLEAN, "boolean")              /* a op b: RIDGE_PY_AND, RIDGE_PY_OR */                                                              \
    X(COMPARISON, "comparison")        /* a, then items: COMPARE (op b) in order */                                                         \
    X(COMPARE, "compare")              /* op a */                                                                                           \
    X(CONDITIONAL, "conditional")      /* b if a else c */                                                                                  \
    X(CALL, "call")                    /* a(items): expressions, STAR, KEYWORD, DOUBLE_STAR */                                              \
    X(ATTRIBUTE, "attribute")          /* a.name */                                                                                         \
    X(SUBSCRIPT, "subscript")          /* a[b]; several indices are one TUPLE */                                                            \
    X(SLICE, "slice")                  /* a:b:c, NULL where left out */                                                                     \
    X(LAMBDA, "lambda")                /* a: PARAMETERS, b: expression */                                                                   \
    X(COMPREHENSION, "comprehension")  /* op: RIDGE_PY_OF_LIST...; a: element (PAIR of a dict); items: EACH and FILTER in order */          \
    X(EACH, "for in")                  /* for a in b */                                                                                     \
    X(FILTER, "if of a comprehension") /* if a */                                                                                           \
    X(WALRUS, ":=")                    /* name := a */                                                                                      \
    X(YIELD, "yield")                  /* a or NULL */                                                                                      \
    X(YIELD_FROM, "yield from")        /* a */                                                                                              \
    X(AWAIT, "await")                  /* a */                                                                                              \
    /* statements */                                                                                                                        \
    X(EXPRESSION, "expression")        /* a */                                                                                              \
    X(ASSIGN, "assignment")            /* items: targets, left to right; a: value */                                                        \
    X(AUGMENT, "augmented assignment") /* a op= b */                                                                                        \
    X(ANNOTATE, "annotation")          /* a: b = c; c NULL: declared alone */                                                               \
    X(RETURN, "return")                /* a or NULL */                                                                                      \
    X(DELETE, "del")                   /* items */                                                                                          \
    X(PASS, "pass")                                                                                                                         \
    X(BREAK, "break")                                                                                                                       \
    X(CONTINUE, "continue")                                                                                                                 \
    X(RAISE, "raise")                  /* a from b, NULL where left out */                                                                  \
    X(ASSERT, "assert")                /* a, b: message or NULL */                                                                          \
    X(GLOBAL, "global")                /* items: NAME */                                                                                    \
    X(NONLOCAL, "nonlocal")            /* items: NAME */                                                                                    \
    X(IMPORT, "import")                /* items: ALIAS */                                                                                   \
    X(FROM, "from import")             /* text: dotted module, "" where there is none; op: number of leading dots; items: ALIAS, none: * */ \
    X(ALIAS, "as")                     /* text: dotted name; name: what it is bound to, NULL: its own (first part, of an IMPORT) */         \
    X(IF, "if")                        /* if a: b(BLOCK) else: c (BLOCK or NULL; elif is an IF in a BLOCK) */                               \
    X(FOR, "for")                      /* for a in b: c(BLOCK); d: else BLOCK or NULL */                                                    \
    X(WHILE, "while")                  /* while a: c(BLOCK); d: else BLOCK or NULL */                                                       \
    X(TRY, "try")                      /* a: BLOCK; items: EXCEPT; c: else; d: finally, or NULL */                                          \
    X(EXCEPT, "except")                /* a: types or NULL; name: as, or NULL; b: BLOCK */                                                  \
    X(WITH, "with")                    /* items: WITH_ITEM; a: BLOCK */                                                                     \
    X(WITH_ITEM, "with item")          /* a as b (target or NULL) */                                                                        \
    X(FUNCTION, "def")                 /* name; a: PARAMETERS; b: BLOCK; items: decorators, outermost first */                              \
    X(PARAMETERS, "parameters")        /* items: PARAMETER */                                                                               \
    X(PARAMETER, "parameter")          /* name; a: default or NULL; b: annotation or NULL; op: RIDGE_PY_PLAIN, _KEYWORD_ONLY, _REST, ... */ \
    X(CLASS, "class")                  /* name; a: CALL-like bases in `a->items` (NULL: none); b: BLOCK; items: decorators */               \
    X(MATCH, "match")                  /* a: subject; items: CASE */                                                                        \
    X(CASE, "case")                    /* a: pattern as an expression (NAME "_" is the wildcard); c: guard or NULL; b: BLOCK */             \
    X(BLOCK, "block")                  /* items: statements */                                                                              \
    X(BROKEN, "what the grammar does not know")
// clang-format on

typedef enum ridge_py_kind {
#define X(code, text) RIDGE_PY_##code,
    RIDGE_PY_KIND_LIST(X)
#undef X
} ridge_py_kind;

/* Operators of UNARY, BINARY, BOOLEAN, COMPARE, AUGMENT; and the method that a class gives for a binary one */
// clang-format off
#define RIDGE_PY_OPERATOR_LIST(X)                                                                                                          \
    X(ADD, "+", "__add__", "__radd__", "__iadd__")                                                                                         \
    X(SUB, "-", "__sub__", "__rsub__", "__isub__")                                                                                         \
    X(MUL, "*", "__mul__", "__rmul__", "__imul__")                                                                                         \
    X(DIV, "/", "__truediv__", "__rtruediv__", "__itruediv__")                                                                             \
    X(FLOORDIV, "//", "__floordiv__", "__rfloordiv__", "__ifloordiv__")                                                                    \
    X(MOD, "%", "__mod__", "__rmod__", "__imod__")                                                                                         \
    X(POW, "**", "__pow__", "__rpow__", "__ipow__")                                                                                        \
    X(MATMUL, "@", "__matmul__", "__rmatmul__", "__imatmul__")                                                                             \
    X(LSHIFT, "<<", "__lshift__", "__rlshift__", "__ilshift__")                                                                            \
    X(RSHIFT, ">>", "__rshift__", "__rrshift__", "__irshift__")                                                                            \
    X(BITAND, "&", "__and__", "__rand__", "__iand__")                                                                                      \
    X(BITOR, "|", "__or__", "__ror__", "__ior__")                                                                                          \
    X(BITXOR, "^", "__xor__", "__rxor__", "__ixor__")                                                                                      \
    X(EQ, "==", "__eq__", "__eq__", "")                                                                                                    \
    X(NE, "!=", "__ne__", "__ne__", "")                                                                                                    \
    X(LT, "<", "__lt__", "__gt__", "")                                                                                                     \
    X(LE, "<=", "__le__", "__ge__", "")                                                                                                    \
    X(GT, ">", "__gt__", "__lt__", "")                                                                                                     \
    X(GE, ">=", "__ge__", "__le__", "")                                                                                                    \
    X(IS, "is", "", "", "")                                                                                                                \
    X(IS_NOT, "is not", "", "", "")                                                                                                        \
    X(IN, "in", "", "__contains__", "")                                                                                                    \
    X(NOT_IN, "not in", "", "__contains__", "")                                                                                            \
    X(AND, "and", "", "", "")                                                                                                              \
    X(OR, "or", "", "", "")                                                                                                                \
    X(NOT, "not", "", "", "")                                                                                                              \
    X(NEGATIVE, "-", "__neg__", "", "")                                                                                                    \
    X(POSITIVE, "+", "__pos__", "", "")                                                                                                    \
    X(INVERT, "~", "__invert__", "", "")
// clang-format on

typedef enum ridge_py_operator {
#define X(code, text, method, reflected, in_place) RIDGE_PY_OP_##code,
    RIDGE_PY_OPERATOR_LIST(X)
#undef X
} ridge_py_operator;

/* `op` of CONSTANT, COMPREHENSION and PARAMETER */
enum { RIDGE_PY_NONE_WORD, RIDGE_PY_TRUE_WORD, RIDGE_PY_FALSE_WORD, RIDGE_PY_ELLIPSIS_WORD };
enum { RIDGE_PY_OF_LIST, RIDGE_PY_OF_SET, RIDGE_PY_OF_DICT, RIDGE_PY_OF_GENERATOR };
enum { RIDGE_PY_POSITION_ONLY, RIDGE_PY_PLAIN, RIDGE_PY_KEYWORD_ONLY, RIDGE_PY_REST /* *args */, RIDGE_PY_REST_KEYWORDS /* **kwargs */ };

typedef struct ridge_py_node ridge_py_node;
struct ridge_py_node {
    uint8_t kind; /* ridge_py_kind */
    uint8_t op;
    uint16_t flags;        /* FUNCTION, LAMBDA: RIDGE_PY_YIELDS where its own body (no nested function's) has a yield */
    uint32_t line, column; /* 1-based; the first character */
    uint32_t last_line;
    uint32_t count; /* of items */
    const ridge_symbol *name;
    ridge_str text;
    const ridge_py_node *a, *b, *c, *d;
    const ridge_py_node *const *items;
};
enum { RIDGE_PY_YIELDS = 1 };

/* a BLOCK; LIMIT where the text is larger than RIDGE_PY_SOURCE_LIMIT */
#define RIDGE_PY_SOURCE_LIMIT (16u << 20)
ridge_status ridge_py_parse(const ridge_py_node **out, ridge_str text, const char *file, ridge_symtab *names, ridge_arena *arena,
                            ridge_err *err);

const char *ridge_py_kind_name(ridge_py_kind kind);
const char *ridge_py_operator_text(ridge_py_operator op);

#endif
