#include <inttypes.h>

#include "input/onnx/parts.h"

ridge_status ridge_onnx_memory(onnx_reader *r)
{
    if (r->arena->total - r->memory_before <= RIDGE_ONNX_MEMORY)
        return RIDGE_OK;
    return ridge_fail(r->err, RIDGE_LIMIT, "%s: its names, nodes and constants take more than %d MiB, the most that is read", r->file->path,
                      RIDGE_ONNX_MEMORY >> 20);
}

ridge_status ridge_onnx_more(onnx_reader *r, void *array, size_t count, size_t *cap, size_t size)
{
    const size_t before = *cap;
    if (!ridge_arena_more(r->arena, array, count, cap, size))
        return ridge_no_memory(r->err);
    return *cap == before ? RIDGE_OK : ridge_onnx_memory(r);
}

static const onnx_field *row_of(const onnx_field *fields, uint32_t number)
{
    for (; fields->number; fields++)
        if (fields->number == number)
            return fields;
    return NULL;
}

static ridge_status wrong_wire(onnx_reader *r, const onnx_field *row, const ridge_proto_field *f, const char *what)
{
    static const char *const words[] = {"a number", "8 bytes", "a length and bytes", "", "", "4 bytes"};
    return ridge_fail(r->err, RIDGE_TYPE, "%s: in %s, %s (field %" PRIu32 ") at byte %" PRIu64 " is stored as %s, and wants %s",
                      r->file->path, what, row->what, f->number, f->at, words[f->wire], words[row->wire & 7]);
}

ridge_status ridge_onnx_message(onnx_reader *r, void *into, ridge_cursor c, const onnx_field *fields, const char *what)
{
    ridge_proto_field f;
    ridge_status st;
    while (!(st = ridge_proto_next(&f, &c, what, r->err)) && f.number) {
        const onnx_field *row = row_of(fields, f.number);
        if (!row)
            continue;
        const bool fits = (unsigned)f.wire == (row->wire & 7) || (row->wire >= ONNX_ANY_WIRE && f.wire == RIDGE_PROTO_BYTES);
        st = fits ? row->read(r, into, &f) : wrong_wire(r, row, &f, what);
        if (st)
            return st;
    }
    return st;
}

ridge_status ridge_onnx_numbers(onnx_reader *r, const ridge_proto_field *f, ridge_proto_wire wire,
                                ridge_status (*each)(onnx_reader *r, void *into, uint64_t bits), void *into, const char *what)
{
    if (f->wire != RIDGE_PROTO_BYTES)
        return each(r, into, f->value);
    ridge_cursor c = f->part;
    ridge_status st = RIDGE_OK;
    while (ridge_cursor_left(&c) && !st) {
        uint64_t bits = 0;
        uint32_t narrow = 0;
        if (wire == RIDGE_PROTO_FIXED32) {
            st = ridge_cursor_u32(&narrow, &c, what, r->err);
            bits = narrow;
        } else {
            st = wire == RIDGE_PROTO_FIXED64 ? ridge_cursor_u64(&bits, &c, what, r->err) : ridge_proto_varint(&bits, &c, what, r->err);
        }
        if (!st)
            st = each(r, into, bits);
    }
    return st;
}

/* ---- texts ---- */

static bool is_text(ridge_str text)
{
    const char *at = text.p, *end = text.p + text.n;
    while (at < end) {
        const size_t n = ridge_utf8_length(at, end);
        if (n == 0 || *at == '\0')
            return false;
        at += n;
    }
    return true;
}

const ridge_symbol *ridge_onnx_intern(onnx_reader *r, ridge_str text)
{
    return ridge_intern(&r->texts, text);
}

ridge_status ridge_onnx_name(const ridge_symbol **out, onnx_reader *r, ridge_cursor part, const char *what)
{
    char few[256];
    const uint64_t at = part.at;
    const uint32_t before = r->texts.count;
    ridge_str text = {few, (size_t)ridge_cursor_left(&part)};
    ridge_status st = RIDGE_OK;
    if (ridge_cursor_left(&part) > sizeof few)
        st = ridge_cursor_text(&text, &part, ridge_cursor_left(&part), RIDGE_ONNX_NAME, what, r->arena, r->err);
    else if (text.n)
        st = ridge_binary_read(part.file, few, part.at, text.n, r->err);
    if (st || !(*out = ridge_onnx_intern(r, text)))
        return st ? st : ridge_no_memory(r->err);
    if (r->texts.count == before) /* looked at when it was new */
        return RIDGE_OK;
    if (!is_text(text))
        return ridge_fail(r->err, RIDGE_SYNTAX, "%s: %s at byte %" PRIu64 " is no UTF-8 text", r->file->path, what, at);
    return ridge_onnx_memory(r);
}

ridge_status ridge_onnx_names_add(onnx_names *names, onnx_reader *r, const ridge_proto_field *f, const char *what)
{
    ridge_status st = ridge_onnx_more(r, &names->items, names->count, &names->cap, sizeof *names->items);
    return st ? st : ridge_onnx_name(&names->items[names->count++], r, f->part, what);
}
