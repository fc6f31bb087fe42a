/* lex.h - formula text -> tokens; private to the formula folder. */
#ifndef RIDGE_FORMULA_LEX_H
#define RIDGE_FORMULA_LEX_H

#include "base/err.h"
#include "base/str.h"

typedef enum ridge_token_kind {
    RIDGE_TOK_END,
    RIDGE_TOK_NUMBER,
    RIDGE_TOK_STRING, /* text without quotes */
    RIDGE_TOK_NAME,
    RIDGE_TOK_PARAM,  /* ${name}: text is the name */
    RIDGE_TOK_MODULE, /* {Module}: text is the module */
    RIDGE_TOK_MARK,   /* operator or punctuation */
} ridge_token_kind;

typedef struct ridge_token {
    ridge_token_kind kind;
    ridge_str text;
    size_t at, span;
} ridge_token;

/* The token at or after *at; moves *at behind it. err gets message and excerpt, not the file's place. */
ridge_status ridge_lex(ridge_token *out, ridge_str text, size_t *at, ridge_err *err);

#endif
