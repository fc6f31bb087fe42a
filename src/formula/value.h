/* value.h - what a formula computes with: exact numbers, booleans, strings, None, lists, config objects, invocations and
 * symbolic numbers (polynomials over the workload's names).
 * Values are small and copied; what they point at lives in the arena of the run. Arithmetic fails on overflow, never wraps. */
#ifndef RIDGE_FORMULA_VALUE_H
#define RIDGE_FORMULA_VALUE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/number.h"
#include "base/str.h"

typedef struct ridge_poly ridge_poly;
typedef struct ridge_algebra ridge_algebra; /* symbolic numbers of one run, see poly.h */
typedef struct ridge_value ridge_value;
typedef struct ridge_list ridge_list;
typedef struct ridge_object ridge_object;
typedef struct ridge_guarded ridge_guarded;

typedef enum ridge_value_type {
    RIDGE_V_UNSET, /* a name that has no value yet */
    RIDGE_V_NONE,
    RIDGE_V_BOOL,
    RIDGE_V_INT,
    RIDGE_V_RATIONAL, /* never an integer */
    RIDGE_V_STRING,
    RIDGE_V_LIST,
    RIDGE_V_OBJECT,  /* a config */
    RIDGE_V_NODE,    /* an invocation of a module: opaque here */
    RIDGE_V_SYM,     /* a polynomial that is not a constant */
    RIDGE_V_GUARDED, /* one of two values, which one depends on the workload (symbolic runs only) */
} ridge_value_type;

struct ridge_value {
    ridge_value_type type;
    union {
        bool b;
        ridge_int i;
        const ridge_rational *r;
        ridge_str s;
        const ridge_list *list;
        const ridge_object *object;
        void *node;
        const ridge_poly *sym;
        const ridge_guarded *guarded;
    } u;
};

struct ridge_list {
    size_t count;
    size_t weight; /* of all values in it and in the lists in it: what comparing or copying it costs */
    ridge_value *items;
};

/* `condition` is 0 or 1 (a symbolic indicator) */
struct ridge_guarded {
    ridge_value condition, then, otherwise;
    uint32_t ways; /* to a value that is none of two: what going through it costs; RIDGE_WAYS_LIMIT at most */
};
#define RIDGE_WAYS_LIMIT 256u

/* A config: fields in order of appearance, looked up by symbol. */
typedef struct ridge_field {
    const ridge_symbol *name;
    ridge_value value;
    ridge_value given;  /* before anything was derived from it */
    unsigned line, col; /* in the model's file; 0 = a default */
    bool assumed;       /* a default the file does not give */
    bool derived;
} ridge_field;

struct ridge_object {
    const char *what; /* the class it was read for, for messages */
    const char *file;
    ridge_field *fields;
    size_t count, cap;
    uint32_t *index; /* [index_cap], by the name's hash: 1 + the field's place; NULL where there are few */
    size_t index_cap;
    bool *read;         /* [count]: which fields a formula has read; NULL: nobody wants to know */
    ridge_value *slots; /* the frame of its config entry's formulas; NULL: no config */
};

/* a new field of this name, which the object does not have; NULL when memory runs out */
ridge_field *ridge_object_add(ridge_object *object, const ridge_symbol *name, ridge_arena *arena);
const ridge_field *ridge_object_find(const ridge_object *object, const ridge_symbol *name);

typedef enum ridge_op {
    RIDGE_OP_ADD,
    RIDGE_OP_SUB,
    RIDGE_OP_MUL,
    RIDGE_OP_DIV,
    RIDGE_OP_FLOORDIV,
    RIDGE_OP_MOD,
    RIDGE_OP_POW,
    RIDGE_OP_EQ,
    RIDGE_OP_NE,
    RIDGE_OP_LT,
    RIDGE_OP_LE,
    RIDGE_OP_GT,
    RIDGE_OP_GE,
    RIDGE_OP_IN,
    RIDGE_OP_NOT_IN,
} ridge_op;

/* What value operations need besides their operands. algebra may be NULL where no symbolic value can appear. */
typedef struct ridge_calc {
    ridge_arena *arena;
    ridge_algebra *algebra;
    ridge_err *err;
} ridge_calc;
/* LIMIT where the arena of the run holds more than it may */
#define RIDGE_MEMORY_LIMIT ((size_t)1 << 29)
ridge_status ridge_calc_room(const ridge_calc *calc);

/* the number 0 itself; a symbolic number is not */
static inline bool ridge_value_is_zero(ridge_value v)
{
    return v.type == RIDGE_V_INT && v.u.i == 0;
}
static inline ridge_value ridge_value_int(ridge_int i)
{
    ridge_value v = {.type = RIDGE_V_INT};
    v.u.i = i;
    return v;
}
static inline ridge_value ridge_value_bool(bool b)
{
    ridge_value v = {.type = RIDGE_V_BOOL};
    v.u.b = b;
    return v;
}
static inline ridge_value ridge_value_none(void)
{
    return (ridge_value){.type = RIDGE_V_NONE};
}
static inline ridge_value ridge_value_str(ridge_str s)
{
    ridge_value v = {.type = RIDGE_V_STRING};
    v.u.s = s;
    return v;
}

ridge_status ridge_value_rational(ridge_value *out, ridge_rational r, const ridge_calc *calc); /* an INT where it is one */
ridge_status ridge_value_list(ridge_value *out, size_t count, const ridge_calc *calc);         /* items unset */
/* Once the items are set: LIMIT where lists in lists add up to more than RIDGE_LIST_LIMIT values. */
#define RIDGE_LIST_LIMIT 4000000
ridge_status ridge_value_weigh(ridge_value list, const ridge_calc *calc);

/* Number of an INT, RATIONAL or BOOL (True is 1); false for others. */
bool ridge_value_as_rational(ridge_rational *out, ridge_value v);
/* An integer that fits; false for others. */
bool ridge_value_as_int(ridge_int *out, ridge_value v);
bool ridge_value_is_number(ridge_value v); /* INT, RATIONAL, BOOL, SYM */

ridge_status ridge_value_binary_slow(ridge_value *out, ridge_op op, ridge_value a, ridge_value b, const ridge_calc *calc);

/* a op b as Python has it. Errors carry no place: the caller knows it. */
static inline ridge_status ridge_value_binary(ridge_value *out, ridge_op op, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    if (a.type == RIDGE_V_INT && b.type == RIDGE_V_INT) {
        ridge_int r;
        if ((op == RIDGE_OP_ADD && ridge_int_add(&r, a.u.i, b.u.i)) || (op == RIDGE_OP_MUL && ridge_int_mul(&r, a.u.i, b.u.i)) ||
            (op == RIDGE_OP_SUB && ridge_int_sub(&r, a.u.i, b.u.i))) {
            *out = ridge_value_int(r);
            return RIDGE_OK;
        }
    }
    return ridge_value_binary_slow(out, op, a, b, calc);
}

/* Python's truth of a value; *unknown is set where it depends on the workload (out is then the 0/1 indicator). */
ridge_status ridge_value_truth(ridge_value *out, bool *unknown, ridge_value v, const ridge_calc *calc);

/* deep equality; symbolic numbers are equal where their polynomials are */
bool ridge_value_equal(ridge_value a, ridge_value b);
uint64_t ridge_value_hash(ridge_value v, ridge_hash_key key);

const char *ridge_value_type_name(ridge_value_type type);
/* as a formula would write it: 3, 9/2, 'text', [1, 2], None, B*S */
void ridge_value_print(ridge_buf *buf, ridge_value v);
/* numbers, words, lists, objects; anything else is null */
void ridge_value_json(ridge_json_writer *w, ridge_value v);

#endif
