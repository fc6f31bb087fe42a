#include "input/onnx/proto.h"

#include <inttypes.h>

enum { LONGEST = 10, LAST_NUMBER = (1 << 29) - 1 };

ridge_status ridge_proto_varint(uint64_t *out, ridge_cursor *c, const char *what, ridge_err *err)
{
    unsigned char bytes[LONGEST];
    const uint64_t left = ridge_cursor_left(c);
    const size_t n = left < LONGEST ? (size_t)left : LONGEST;
    ridge_status st = ridge_binary_read(c->file, bytes, c->at, n, err);
    *out = 0;
    for (size_t i = 0; i < n && !st; i++) {
        if (i + 1 == LONGEST && bytes[i] > 1)
            break;
        *out |= (uint64_t)(bytes[i] & 127) << (7 * i);
        if (bytes[i] < 128) {
            c->at += i + 1;
            return RIDGE_OK;
        }
    }
    if (st)
        return st;
    if (n < LONGEST)
        return ridge_fail(err, RIDGE_SYNTAX, "%s: %s ends at byte %" PRIu64 " inside a number that begins at byte %" PRIu64, c->file->path,
                          what, c->end, c->at);
    return ridge_fail(err, RIDGE_SYNTAX, "%s: in %s, the number at byte %" PRIu64 " has more than 64 bits", c->file->path, what, c->at);
}

static ridge_status read_value(ridge_proto_field *f, ridge_cursor *c, const char *what, ridge_err *err)
{
    uint32_t narrow = 0;
    uint64_t n = 0;
    ridge_status st;
    switch (f->wire) {
    case RIDGE_PROTO_VARINT:
        return ridge_proto_varint(&f->value, c, what, err);
    case RIDGE_PROTO_FIXED64:
        return ridge_cursor_u64(&f->value, c, what, err);
    case RIDGE_PROTO_FIXED32:
        st = ridge_cursor_u32(&narrow, c, what, err);
        f->value = narrow;
        return st;
    case RIDGE_PROTO_BYTES:
        st = ridge_proto_varint(&n, c, what, err);
        if (!st && n > ridge_cursor_left(c))
            return ridge_fail(err, RIDGE_SYNTAX,
                              "%s: in %s, field %" PRIu32 " at byte %" PRIu64 " has %" PRIu64 " bytes, and only %" PRIu64 " are left of it",
                              c->file->path, what, f->number, f->at, n, ridge_cursor_left(c));
        return st ? st : ridge_cursor_part(&f->part, c, n, what, err);
    }
    return ridge_fail(err, RIDGE_SYNTAX, "%s: in %s, field %" PRIu32 " at byte %" PRIu64 " is of wire type %d, which is none of ONNX's",
                      c->file->path, what, f->number, f->at, (int)f->wire);
}

ridge_status ridge_proto_next(ridge_proto_field *out, ridge_cursor *c, const char *what, ridge_err *err)
{
    uint64_t key;
    *out = (ridge_proto_field){.at = c->at};
    if (!ridge_cursor_left(c))
        return RIDGE_OK;
    ridge_status st = ridge_proto_varint(&key, c, what, err);
    if (st)
        return st;
    if (key >> 3 == 0 || key >> 3 > LAST_NUMBER)
        return ridge_fail(err, RIDGE_SYNTAX, "%s: in %s, byte %" PRIu64 " begins no field: its number would be %" PRIu64, c->file->path,
                          what, out->at, key >> 3);
    out->number = (uint32_t)(key >> 3);
    out->wire = (ridge_proto_wire)(key & 7);
    return read_value(out, c, what, err);
}
