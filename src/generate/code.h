/* code.h - how code is written: lines that break where they may, words as literals and comments that nothing in them can end.
 * In: a statement with marks where it may break. Out: lines of at most RIDGE_CODE_WIDTH columns, where that can be, added to a buffer.
 * Foreign text comes out as characters that a compiler reads as nothing but that text. Fails only for memory (buf->failed). */
#ifndef RIDGE_GENERATE_CODE_H
#define RIDGE_GENERATE_CODE_H

#include "base/str.h"

enum { RIDGE_CODE_WIDTH = 120 };

/* Marks in a statement; none of them can stand in a literal. */
#define RIDGE_CODE_OPEN  "\1" /* behind an opening bracket: a break may follow, and what follows is one level deeper */
#define RIDGE_CODE_BREAK "\2" /* a blank, or a break */
#define RIDGE_CODE_CLOSE "\3" /* before the closing bracket */
#define RIDGE_CODE_DEEP  "\4" /* one level deeper, as between brackets that are not written */
#define RIDGE_CODE_UP    "\5" /* the end of that */

/* A statement with marks as lines, the first one `indent` columns in. `more`: what a line that goes on ends with ("" or " \\"). */
void ridge_code_statement(ridge_buf *out, unsigned indent, ridge_str statement);

/* the text between double quotes, for Python and for C: ASCII alone, escapes for all else */
void ridge_code_python_text(ridge_buf *out, ridge_str text);
void ridge_code_c_text(ridge_buf *out, ridge_str text);

/* what may stand between the quotes of a docstring, in a comment of C, behind a # of Python: words that end none of them */
typedef enum ridge_code_prose { RIDGE_PROSE_DOCSTRING, RIDGE_PROSE_COMMENT, RIDGE_PROSE_HASH } ridge_code_prose;
/* Words as lines that each begin with `indent` blanks and `lead`; the first line goes on at `column`, where the buffer ends. */
void ridge_code_words(ridge_buf *out, ridge_code_prose kind, unsigned indent, const char *lead, unsigned column, ridge_str text);

/* letters, digits and "_" of a text, anything else as "_" */
void ridge_code_identifier(ridge_buf *out, ridge_str text);
bool ridge_code_is_python_word(ridge_str name); /* a keyword of Python, or a name that Python code may not take */
bool ridge_code_is_c_word(ridge_str name);

#endif
