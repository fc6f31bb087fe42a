/* The table of tensors of a GGUF, and where their bytes lie. */
#include <inttypes.h>
#include <stdlib.h>

#include "input/gguf/parts.h"

enum { NAME_LIMIT = 1024, RANK_LIMIT = 4 };

/* The types of tensors by their number in the file (ggml.h, enum ggml_type), what they are here, and why they are not read. The sizes of
 * their blocks are in base/format.c. */
static const struct {
    const char *name, *format, *why;
} types[] = {
    {"F32", "fp32", NULL},
    {"F16", "fp16", NULL},
    {"Q4_0", "q4_0", NULL},
    {"Q4_1", "q4_1", NULL},
    {"Q4_2", NULL, "which ggml had before there was GGUF"},
    {"Q4_3", NULL, "which ggml had before there was GGUF"},
    {"Q5_0", "q5_0", NULL},
    {"Q5_1", "q5_1", NULL},
    {"Q8_0", "q8_0", NULL},
    {"Q8_1", "q8_1", NULL},
    {"Q2_K", "q2_K", NULL},
    {"Q3_K", "q3_K", NULL},
    {"Q4_K", "q4_K", NULL},
    {"Q5_K", "q5_K", NULL},
    {"Q6_K", "q6_K", NULL},
    {"Q8_K", "q8_K", NULL},
    {"IQ2_XXS", "iq2_xxs", NULL},
    {"IQ2_XS", "iq2_xs", NULL},
    {"IQ3_XXS", "iq3_xxs", NULL},
    {"IQ1_S", "iq1_s", NULL},
    {"IQ4_NL", "iq4_nl", NULL},
    {"IQ3_S", "iq3_s", NULL},
    {"IQ2_S", "iq2_s", NULL},
    {"IQ4_XS", "iq4_xs", NULL},
    {"I8", "int8", NULL},
    {"I16", "i16", NULL},
    {"I32", "i32", NULL},
    {"I64", "i64", NULL},
    {"F64", "fp64", NULL},
    {"IQ1_M", "iq1_m", NULL},
    {"BF16", "bf16", NULL},
    {"Q4_0_4_4", "q4_0", NULL}, /* Q4_0 with the blocks of four rows in turn: as many bytes */
    {"Q4_0_4_8", "q4_0", NULL},
    {"Q4_0_8_8", "q4_0", NULL}, /* ... of eight */
    {"TQ1_0", "tq1_0", NULL},
    {"TQ2_0", "tq2_0", NULL},
    {"IQ4_NL_4_4", NULL, "which is not stored in files: IQ4_NL is, and is put in order when it is loaded"},
    {"IQ4_NL_4_8", NULL, "which is not stored in files: IQ4_NL is, and is put in order when it is loaded"},
    {"IQ4_NL_8_8", NULL, "which is not stored in files: IQ4_NL is, and is put in order when it is loaded"},
    {"MXFP4", "mxfp4", NULL},
    {"NVFP4", "nvfp4_g64", NULL},
    {"Q1_0", "q1_0", NULL},
    {"Q2_0", "q2_0", NULL},
};
enum { TYPES = sizeof types / sizeof *types };

const ridge_weight *ridge_gguf_tensor(const ridge_gguf *g, ridge_str name)
{
    const ridge_symbol *symbol = ridge_intern_find(&g->names, name);
    return symbol && symbol->id < g->at_cap && g->at[symbol->id] ? &g->weights.tensors[g->at[symbol->id] - 1] : NULL;
}

/* ---- one tensor ---- */

static ridge_status read_name(gguf_part *p, ridge_weight *w)
{
    ridge_gguf *g = p->into;
    const uint64_t at = p->c.at;
    ridge_str name;
    ridge_status st = ridge_gguf_string(&name, p, NAME_LIMIT, "a tensor's name");
    if (st)
        return st;
    if (name.n == 0)
        return ridge_fail(p->err, RIDGE_VALUE, "%s: an empty tensor's name at byte %" PRIu64, p->c.file->path, at);
    const ridge_symbol *symbol = ridge_intern(&g->names, name);
    size_t cap = g->at_cap;
    if (!symbol || (symbol->id >= cap && !(g->at = ridge_arena_grow(p->arena, g->at, cap, &g->at_cap, symbol->id + 1u, sizeof *g->at))))
        return ridge_no_memory(p->err);
    if (g->at[symbol->id])
        return ridge_fail(p->err, RIDGE_VALUE, "%s: the tensor '%s' at byte %" PRIu64 " stands there twice", p->c.file->path,
                          ridge_gguf_shown(p, name), at);
    w->name = (ridge_str){symbol->text, symbol->len};
    g->at[symbol->id] = (uint32_t)g->weights.count + 1;
    return RIDGE_OK;
}

/* dimensions stand innermost first in the file, 4 bytes each in version 1 */
static ridge_status read_shape(gguf_part *p, ridge_weight *w)
{
    const char *path = p->c.file->path;
    ridge_status st = ridge_cursor_u32(&w->rank, &p->c, "a tensor's rank", p->err);
    if (st)
        return st;
    if (w->rank > RANK_LIMIT)
        return ridge_fail(p->err, RIDGE_VALUE, "%s: the tensor '%s' has %" PRIu32 " dimensions; GGUF's have at most %d", path,
                          ridge_gguf_shown(p, w->name), w->rank, RANK_LIMIT);
    uint64_t *shape = ridge_arena_array(p->arena, w->rank + 1u, sizeof *shape);
    if (!shape)
        return ridge_no_memory(p->err);
    for (uint32_t i = 0; i < w->rank && !st; i++) {
        uint64_t *n = &shape[w->rank - 1 - i];
        if (!(st = ridge_gguf_count(n, p, "a tensor's dimension")) && (*n == 0 || *n > INT64_MAX))
            st = ridge_fail(p->err, RIDGE_VALUE, "%s: the tensor '%s' has a dimension of %" PRId64, path, ridge_gguf_shown(p, w->name),
                            (int64_t)*n);
    }
    w->shape = shape;
    return st;
}

static ridge_status read_format(gguf_part *p, ridge_weight *w)
{
    const char *path = p->c.file->path;
    uint32_t type = 0;
    ridge_status st = ridge_cursor_u32(&type, &p->c, "a tensor's type", p->err);
    if (st)
        return st;
    if (type >= TYPES)
        return ridge_fail(p->err, RIDGE_VALUE, "%s: the tensor '%s' is of type %" PRIu32 ", which is none of ggml's (they go to %d)", path,
                          ridge_gguf_shown(p, w->name), type, TYPES - 1);
    w->stored_as = types[type].name;
    w->format = types[type].format ? ridge_format_find(ridge_str_of(types[type].format)) : NULL;
    if (!w->format)
        return ridge_fail(p->err, RIDGE_VALUE, "%s: the tensor '%s' is of type %s, %s", path, ridge_gguf_shown(p, w->name), w->stored_as,
                          types[type].why ? types[type].why : "which is not known here");
    const uint64_t columns = w->rank ? w->shape[w->rank - 1] : 1;
    if (columns % w->format->block_elements != 0)
        return ridge_fail(p->err, RIDGE_VALUE, "%s: the tensor '%s' has rows of %" PRIu64 " elements, and %s has blocks of %u", path,
                          ridge_gguf_shown(p, w->name), columns, w->stored_as, w->format->block_elements);
    if (!ridge_weight_measure(w))
        return ridge_fail(p->err, RIDGE_OVERFLOW, "%s: the bytes of the tensor '%s' do not fit in 64 bits", path,
                          ridge_gguf_shown(p, w->name));
    return RIDGE_OK;
}

static ridge_status read_tensor(gguf_part *p, ridge_weight *w)
{
    ridge_status st;
    if ((st = read_name(p, w)) || (st = read_shape(p, w)) || (st = read_format(p, w)) ||
        (st = ridge_cursor_u64(&w->offset, &p->c, "a tensor's offset", p->err)))
        return st;
    w->file = p->into->weights.file_count - 1;
    if (w->offset % p->into->alignment != 0)
        return ridge_fail(p->err, RIDGE_VALUE,
                          "%s: the tensor '%s' begins at byte %" PRIu64 " of the data, which is no multiple of %" PRIu32, p->c.file->path,
                          ridge_gguf_shown(p, w->name), w->offset, p->into->alignment);
    return RIDGE_OK;
}

/* ---- their places ---- */

static int by_offset(const void *a, const void *b)
{
    const ridge_weight *x = *(const ridge_weight *const *)a, *y = *(const ridge_weight *const *)b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Every tensor lies in the file, and none on another. From here on offsets are of the file. */
static ridge_status place(gguf_part *p, ridge_weight *tensors, size_t count)
{
    const uint64_t alignment = p->into->alignment, size = p->c.file->size, at = p->c.at, over = at % alignment;
    const uint64_t begin = over ? at + (alignment - over) : at;
    const char *path = p->c.file->path;
    const ridge_weight **order = ridge_arena_array(p->arena, count + 1, sizeof *order);
    if (!order)
        return ridge_no_memory(p->err);
    for (size_t i = 0; i < count; i++) {
        ridge_weight *w = &tensors[i];
        const uint64_t bytes = (uint64_t)w->bytes;
        if (begin > size || w->offset > size - begin || bytes > size - begin - w->offset)
            return ridge_fail(p->err, RIDGE_SYNTAX,
                              "%s: the tensor '%s' has %" PRIu64 " bytes at byte %" PRIu64 " of the data, which begin at %" PRIu64
                              ", and the file ends at %" PRIu64,
                              path, ridge_gguf_shown(p, w->name), bytes, w->offset, begin, size);
        w->offset += begin;
        order[i] = w;
    }
    if (count)
        qsort(order, count, sizeof *order, by_offset);
    for (size_t i = 1; i < count; i++)
        if (order[i]->offset - order[i - 1]->offset < (uint64_t)order[i - 1]->bytes)
            return ridge_fail(p->err, RIDGE_VALUE, "%s: the tensors '%s' and '%s' overlap at byte %" PRIu64, path,
                              ridge_gguf_shown(p, order[i - 1]->name), ridge_gguf_shown(p, order[i]->name), order[i]->offset);
    return RIDGE_OK;
}

ridge_status ridge_gguf_tensors(gguf_part *p)
{
    ridge_weights *all = &p->into->weights;
    const size_t first = all->count;
    ridge_status st = RIDGE_OK;
    if (p->tensors > RIDGE_GGUF_TENSORS - first)
        return ridge_fail(p->err, RIDGE_LIMIT, "%s: more than %d tensors in all parts", p->c.file->path, RIDGE_GGUF_TENSORS);
    for (uint64_t i = 0; i < p->tensors && !st; i++) {
        if (!ridge_arena_more(p->arena, &all->tensors, all->count, &p->into->tensor_cap, sizeof *all->tensors))
            return ridge_no_memory(p->err);
        ridge_weight *w = &all->tensors[all->count];
        *w = (ridge_weight){0};
        if ((st = read_tensor(p, w)))
            break;
        all->count++;
        if (!ridge_int_add(&all->bytes, all->bytes, w->bytes) || !ridge_int_add(&all->elements, all->elements, w->elements))
            st = ridge_overflow(p->err, "the size of all tensors");
    }
    return st || all->count == first ? st : place(p, &all->tensors[first], all->count - first);
}
