/* parse.h - the parser's state and steps; private to the formula folder.
 * Every step reads from the current token on and leaves the first token it does not understand; errors carry place and excerpt. */
#ifndef RIDGE_FORMULA_PARSE_H
#define RIDGE_FORMULA_PARSE_H

#include "formula/ast.h"
#include "formula/lex.h"

#define RIDGE_PARSE_DEPTH_LIMIT 128

typedef struct ridge_parser {
    ridge_str text;
    size_t at;
    ridge_token tok;
    ridge_scope *scope;
    ridge_err *err;
    const char *file;
    unsigned line, col, depth;
} ridge_parser;

ridge_status ridge_parse_next(ridge_parser *p); /* the next token becomes the current one */
bool ridge_parse_is_mark(const ridge_parser *p, const char *mark);
bool ridge_parse_is_word(const ridge_parser *p, const char *word);
ridge_status ridge_parse_expect(ridge_parser *p, const char *mark);
ridge_status ridge_parse_unexpected(ridge_parser *p, const char *want);
ridge_status ridge_parse_fail(ridge_parser *p, ridge_status code, size_t at, size_t span, const char *msg);

/* a node starting at a byte of the text; NULL when memory runs out */
ridge_ast *ridge_parse_make(ridge_parser *p, ridge_ast_kind kind, size_t at);
/* Ends a node whose parts are set at this byte. LIMIT where it nests deeper than can be evaluated. */
ridge_status ridge_parse_close(ridge_parser *p, ridge_ast *n, size_t end);
size_t ridge_parse_end(const ridge_ast *n);

ridge_status ridge_parse_expr(ridge_parser *p, const ridge_ast **out);
ridge_status ridge_parse_or(ridge_parser *p, const ridge_ast **out);
ridge_status ridge_parse_postfix(ridge_parser *p, const ridge_ast **out);

#endif
