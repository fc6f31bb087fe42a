/* syntax_read.h - what the readers of statements, expressions, strings and patterns share; syntax.h is the way in.
 * Each reader takes a node of tree-sitter's and gives one of ours, owned by the arena; NULL: the text is broken there, or memory ran out
 * (which is what reader.out_of_memory says). */
#ifndef RIDGE_LEARN_PYTHON_SYNTAX_READ_H
#define RIDGE_LEARN_PYTHON_SYNTAX_READ_H

#include "learn/python/syntax_tree.h"

typedef struct ridge_syntax_reader {
    const ridge_syntax_node *nodes;
    ridge_str text;
    ridge_symtab *names;
    ridge_arena *arena;
    const ridge_py_node **pending; /* [pending_cap], items of the lists that are being read, innermost last */
    size_t pending_count, pending_cap;
    unsigned depth;
    bool yields; /* the function that is being read has a yield of its own */
    bool out_of_memory;
} ridge_syntax_reader;

/* ---- nodes of tree-sitter's: by their place ---- */
static inline uint32_t ridge_syntax_first(const ridge_syntax_reader *r, uint32_t of)
{
    return of + 1 < r->nodes[of].after ? of + 1 : 0; /* 0: there is none; the module is nobody's child */
}
static inline uint32_t ridge_syntax_next(const ridge_syntax_reader *r, uint32_t of, uint32_t child)
{
    return r->nodes[child].after < r->nodes[of].after ? r->nodes[child].after : 0;
}
#define RIDGE_SYNTAX_EACH(child, r, of)                                                                                                    \
    uint32_t child = ridge_syntax_first(r, of);                                                                                            \
    child != 0;                                                                                                                            \
    child = ridge_syntax_next(r, of, child)
static inline ridge_str ridge_syntax_text(const ridge_syntax_reader *r, uint32_t of)
{
    return (ridge_str){r->text.p + r->nodes[of].start, r->nodes[of].end - r->nodes[of].start};
}
uint32_t ridge_syntax_field_of(const ridge_syntax_reader *r, uint32_t of, ridge_syntax_field field); /* 0: there is none */
uint32_t ridge_syntax_child_of(const ridge_syntax_reader *r, uint32_t of, ridge_syntax_token token); /* 0: there is none */
uint32_t ridge_syntax_only_child(const ridge_syntax_reader *r, uint32_t of); /* what the grammar has a name for; 0: none, or several */
bool ridge_syntax_has_comma(const ridge_syntax_reader *r, uint32_t of);
/* the grammar could read it, but for what is in its children */
bool ridge_syntax_is_whole(const ridge_syntax_reader *r, uint32_t of);

/* ---- nodes of ours ---- */
ridge_py_node *ridge_syntax_new(ridge_syntax_reader *r, ridge_py_kind kind, uint32_t at); /* at the place of that node */
const ridge_symbol *ridge_syntax_name(ridge_syntax_reader *r, ridge_str text);
/* Lists are gathered with add and closed with take, which gives what was added since `mark` to the node. */
static inline size_t ridge_syntax_mark(const ridge_syntax_reader *r)
{
    return r->pending_count;
}
bool ridge_syntax_add(ridge_syntax_reader *r, const ridge_py_node *item); /* false: item is NULL, or there is no memory */
ridge_py_node *ridge_syntax_take(ridge_syntax_reader *r, ridge_py_node *node, size_t mark);

/* ---- readers ---- */
ridge_py_node *ridge_syntax_expression(ridge_syntax_reader *r, uint32_t at); /* also targets and types */
/* the expression in a field, if the node has it: false where it is broken */
bool ridge_syntax_optional(const ridge_py_node **out, ridge_syntax_reader *r, uint32_t of, ridge_syntax_field field);
/* several expressions in a row, one TUPLE where there is a comma */
ridge_py_node *ridge_syntax_row(ridge_syntax_reader *r, uint32_t of, ridge_syntax_field field);
ridge_py_node *ridge_syntax_arguments(ridge_syntax_reader *r, ridge_py_node *call, uint32_t arguments); /* into call->items */
ridge_py_node *ridge_syntax_string(ridge_syntax_reader *r, uint32_t at);
ridge_py_node *ridge_syntax_strings(ridge_syntax_reader *r, uint32_t at); /* neighbours */
ridge_py_node *ridge_syntax_parameters(ridge_syntax_reader *r, uint32_t of, uint32_t at /* 0: there are none */);
ridge_py_node *ridge_syntax_pattern(ridge_syntax_reader *r, uint32_t at); /* of a case */
ridge_py_node *ridge_syntax_definition(ridge_syntax_reader *r, uint32_t at);
ridge_py_node *ridge_syntax_import(ridge_syntax_reader *r, uint32_t at);
ridge_py_node *ridge_syntax_compound(ridge_syntax_reader *r, uint32_t at); /* if, for, while, try, with, match */
ridge_py_node *ridge_syntax_statement(ridge_syntax_reader *r, uint32_t at);
ridge_py_node *ridge_syntax_block(ridge_syntax_reader *r, uint32_t at); /* of a module's statements, too; NULL: no memory */

#endif
