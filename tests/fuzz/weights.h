/* weights.h - what fuzzers of weight files have in common: what a table of tensors must be, and that it becomes modules and text. */
#ifndef RIDGE_TESTS_FUZZ_WEIGHTS_H
#define RIDGE_TESTS_FUZZ_WEIGHTS_H

#include "fuzz.h"

#include "input/probe.h"
#include "model/contents.h"

static inline void fuzz_check_weights(const ridge_weights *w, uint64_t file_size)
{
    ridge_int bytes = 0;
    for (size_t i = 0; i < w->count; i++) {
        const ridge_weight *t = &w->tensors[i];
        FUZZ_CHECK(t->format && t->stored_as && !t->unread && t->file < w->file_count);
        FUZZ_CHECK(t->bytes >= 0 && t->elements >= 0 && (t->file || t->offset <= file_size)); /* other files are not here */
        FUZZ_CHECK(!t->tied || (t->tied <= w->count && !w->tensors[t->tied - 1].tied && w->tensors[t->tied - 1].bytes >= t->bytes));
        FUZZ_CHECK(t->file || t->offset == 0 || (ridge_int)t->offset + t->bytes <= (ridge_int)file_size || t->bytes == 0);
        bytes += t->tied ? 0 : t->bytes;
    }
    FUZZ_CHECK(bytes == w->bytes);
}

static inline void fuzz_check_modules(const ridge_weights *w, ridge_arena *arena)
{
    ridge_contents contents;
    ridge_weight_names names;
    ridge_err err = {0};
    ridge_buf text = {0};
    size_t tensors = 0;
    if (ridge_weight_names_make(&names, w, arena, &err) || ridge_contents_make(&contents, w, arena, &err))
        return;
    for (size_t i = 0; i < contents.count; i++) {
        const ridge_contents_module *m = &contents.modules[i];
        FUZZ_CHECK(m->end > i && m->end <= contents.count && (i == 0 || (m->parent < i && m->end <= contents.modules[m->parent].end)));
        FUZZ_CHECK(m->parameters_total >= 0 && m->count <= w->count);
        tensors += m->count;
    }
    FUZZ_CHECK(tensors == w->count && contents.modules[0].parameters_total <= w->elements);
    ridge_contents_text(&text, &contents, "input", fuzz_digest((ridge_str){(const char *)w, 8}) & 1, -1, arena);
    ridge_buf_free(&text);
    fuzz_check_json(&ridge_contents_record, &contents);
}

/* the bytes as a file, by the reader that they look like one for */
static inline void fuzz_weights(ridge_str bytes)
{
    ridge_arena arena;
    ridge_binary file;
    ridge_weights weights;
    ridge_err err = {0};
    ridge_arena_init(&arena);
    ridge_binary_memory(&file, "input.safetensors", bytes);
    const ridge_status st = ridge_probe_file(&weights, &file, &arena, &err);
    fuzz_check_err(st, &err);
    if (st == RIDGE_OK) {
        fuzz_check_weights(&weights, bytes.n);
        fuzz_check_modules(&weights, &arena);
    }
    ridge_arena_free(&arena);
}

#endif
