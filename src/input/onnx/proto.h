/* proto.h - protobuf's wire format: the fields of a message, one after another.
 * In: a cursor over one message. Out: each field's number, wire type and value; a message, text or bytes inside as a cursor of its own,
 * which is passed whether it is read or not. Fails with the byte where a key, a number or a length cannot be. protobuf.dev, "Encoding";
 * groups (wire types 3 and 4) are older than ONNX and refused. */
#ifndef RIDGE_INPUT_ONNX_PROTO_H
#define RIDGE_INPUT_ONNX_PROTO_H

#include "input/binary.h"

typedef enum ridge_proto_wire {
    RIDGE_PROTO_VARINT = 0,
    RIDGE_PROTO_FIXED64 = 1,
    RIDGE_PROTO_BYTES = 2,
    RIDGE_PROTO_FIXED32 = 5
} ridge_proto_wire;

typedef struct ridge_proto_field {
    uint32_t number; /* 0: the message is at its end */
    ridge_proto_wire wire;
    uint64_t value;    /* of all but BYTES */
    ridge_cursor part; /* of BYTES */
    uint64_t at;       /* byte of the field's key in the file */
} ridge_proto_field;

/* The next field; `what` names the message. */
ridge_status ridge_proto_next(ridge_proto_field *out, ridge_cursor *c, const char *what, ridge_err *err);
/* a number of 7 bits a byte, at most 10 bytes */
ridge_status ridge_proto_varint(uint64_t *out, ridge_cursor *c, const char *what, ridge_err *err);

#endif
