/* choice.h - which GGUF is meant, where a folder or a repository has some: parts of one split model are one of them.
 * In: paths and sizes of files. Out: the models that they are, in the arena, each with the word that its name ends in.
 * Fails (VALUE) where several could be meant, with the list that one is chosen from: nothing is guessed. */
#ifndef RIDGE_INPUT_GGUF_CHOICE_H
#define RIDGE_INPUT_GGUF_CHOICE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/number.h"
#include "base/str.h"

typedef struct ridge_gguf_choice {
    const char *file; /* of several parts, the first that is there */
    ridge_str stem;   /* its path without "-00001-of-00003" and ".gguf" */
    unsigned parts;   /* by its name */
    ridge_int bytes;  /* of all parts; negative: not known */
} ridge_gguf_choice;

typedef struct ridge_gguf_choices {
    ridge_gguf_choice *items;
    size_t count, cap;
} ridge_gguf_choices;

/* One file more, which ends in ".gguf"; `path` stays the caller's. */
ridge_status ridge_gguf_choices_add(ridge_gguf_choices *out, const char *path, ridge_int bytes, ridge_arena *arena, ridge_err *err);
/* those of a folder alone, without what is in folders inside it */
ridge_status ridge_gguf_choices_in(ridge_gguf_choices *out, const char *folder, ridge_arena *arena, ridge_err *err);
/* "a.gguf (1.2 GB), b.gguf (3.4 GB)", as many as a message has room for; `tags`: "Q4_K_M (1.2 GB)" where that means one of them alone */
const char *ridge_gguf_choices_told(const ridge_gguf_choices *choices, bool tags, ridge_arena *arena);

/* the quantisation that its name ends in: "Q4_K_M" of "org/a-b-Q4_K_M", "UD-IQ1_S" of "a-UD-IQ1_S"; else the name without its folder */
ridge_str ridge_gguf_choice_tag(const ridge_gguf_choice *choice);
/* Those that a tag means, in upper or lower case: the tag itself, or a whole name; where none is, those of "UD-" and the tag. */
ridge_status ridge_gguf_choices_of(ridge_gguf_choices *out, const ridge_gguf_choices *all, const char *tag, ridge_arena *arena,
                                   ridge_err *err);

#endif
