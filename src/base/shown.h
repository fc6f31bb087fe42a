/* shown.h - text as people may see it: what a terminal would obey, hide or turn round becomes visible.
 * In: any bytes, such as names from files, paths and what was typed. Out: UTF-8 (or ASCII) that moves no cursor and begins no line:
 *   control characters   \n, \t, \r, \x1b (U+0000 to U+001F, U+007F)
 *   others that steer    \u009b (U+0080 to U+009F), \u202e (bidirectional marks), \u200b (invisible ones), \u2028 (line breaks)
 *   bytes of no UTF-8    \xff
 * Nothing is read back from it: JSON has the text itself. Everything that is printed goes through here: names into tables and messages
 * where they are made, answers and messages once more where they leave the program (cli/terminal.c). */
#ifndef RIDGE_BASE_SHOWN_H
#define RIDGE_BASE_SHOWN_H

#include "base/arena.h"
#include "base/str.h"

/* how the text is shown; 0: a name, on one line */
enum {
    RIDGE_SHOWN_LINES = 1,   /* a whole text: its line breaks stay */
    RIDGE_SHOWN_ASCII = 2,   /* without characters beyond ASCII: "us" for microseconds, \u00fc for what has no likeness */
    RIDGE_SHOWN_DASHES = 4,  /* the marks of options (RIDGE_OPT) become "--" */
    RIDGE_SHOWN_COLOURS = 8, /* the looks (RIDGE_LOOK) become what a terminal obeys; else they are left out */
    RIDGE_SHOWN_JSON = 16,   /* inside JSON: its own escapes, which mean the same text */
    RIDGE_SHOWN_AS_IS = 32   /* data: nothing is replaced but the marks of options and the looks */
};

/* A look in an answer, "31" for red, "0" for the end of it; the front end writes it, or leaves it out. */
#define RIDGE_LOOK(code) "\375" code "m"
enum { RIDGE_LOOK_MARK = '\375' }; /* no byte of UTF-8 */
#define RIDGE_LOOK_BOLD  RIDGE_LOOK("1")
#define RIDGE_LOOK_ALARM RIDGE_LOOK("1;31")
#define RIDGE_LOOK_PLAIN RIDGE_LOOK("0")

void ridge_buf_add_shown(ridge_buf *out, ridge_str text, unsigned how);
/* a name: the same pointer where nothing is to be replaced, else a copy in the arena; "" without memory */
const char *ridge_shown(ridge_arena *arena, const char *name);
/* a name into `cap` > 0 bytes, cut at a character; NUL-terminated */
void ridge_shown_copy(char *out, size_t cap, const char *name);

/* is a well-formed character of n bytes shown as it is? */
bool ridge_shown_as_is(const char *p, size_t n);
/* Takes the marks of options and the looks out of an answer that is not for a terminal. */
void ridge_buf_drop_marks(ridge_buf *text);

/* columns of a terminal that such a text takes, its marks spelled out and its looks left out */
size_t ridge_shown_columns(const char *text, size_t n);
/* bytes of the longest beginning of such a text that takes no more than so many columns */
size_t ridge_shown_within(const char *text, size_t columns);

/* The nearest ASCII of a character ("u", "x", "..."); NULL where it has none. */
const char *ridge_shown_likeness(uint32_t c);

#endif
