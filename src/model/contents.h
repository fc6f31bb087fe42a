/* contents.h - a table of tensors as modules: what a weight file says of a model when there is no config.
 * In: a tensor table. Out: modules by path in natural order (layers.2 before layers.10), what they hold, how much is in which format.
 * Fails where names make more modules than are looked at. Classes are not known: a file does not name them. */
#ifndef RIDGE_MODEL_CONTENTS_H
#define RIDGE_MODEL_CONTENTS_H

#include "input/weights.h"
#include "model/analysis.h"
#include "report/record.h"

typedef struct ridge_contents_module {
    ridge_str path, name; /* "" is the model */
    uint32_t parent;      /* UINT32_MAX at the root */
    uint32_t end;         /* one past the last module below */
    uint32_t depth;
    uint32_t first, count;                  /* of its own tensors, in `order` */
    uint32_t alike;                         /* modules of equal tensors below equal names have equal numbers */
    ridge_int parameters, parameters_total; /* own; of the subtree, what is shared once */
} ridge_contents_module;

typedef struct ridge_contents {
    const ridge_weights *weights;
    uint32_t *order; /* of the tensors: as the modules have them */
    ridge_contents_module *modules;
    size_t count, cap;
    ridge_stored_share *formats; /* the most bytes first */
    size_t format_count, format_cap;
    ridge_int parameters; /* elements of what is not integers or buffers by its name */
    size_t tied;          /* tensors that share another one's bytes */
    const char *kind;     /* the rest: as JSON has it */
    size_t tensors, file_count;
    const char **files;
    ridge_int bytes;
    const char *part, *left;
} ridge_contents;

ridge_status ridge_contents_make(ridge_contents *out, const ridge_weights *weights, ridge_arena *arena, ridge_err *err);
/* Is a tensor a parameter, as far as its name and format tell? Integers are packed weights or buffers. */
bool ridge_contents_is_parameter(const ridge_weight *weight);
/* the last part of a tensor's name */
ridge_str ridge_contents_own_name(ridge_str name);

extern const ridge_record ridge_contents_record;

/* For people: what it is, then the modules, equal ones folded. `all`: unfolded; depth: the deepest module shown, negative: all. */
void ridge_contents_text(ridge_buf *out, const ridge_contents *contents, const char *model, bool all, int64_t depth, ridge_arena *arena);

#endif
