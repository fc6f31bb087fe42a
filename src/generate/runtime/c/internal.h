/* internal.h - a run and its modules, for the files that generated.h describes. */
#ifndef GENERATED_INTERNAL_H
#define GENERATED_INTERNAL_H

#include "generated.h"

typedef struct gm_object_field {
    const char *name;
    gm_value value;
    struct gm_object_field *next;
} gm_object_field;
struct gm_object {
    const char *what;
    gm_object_field *first, **last;
    size_t count;
};

typedef struct gm_child {
    const char *name;
    gm_module *module;
    gm_int calls;
    gm_flop_class flop_class;
    struct gm_child *next;
} gm_child;
typedef struct gm_tensor {
    const char *name;
    gm_int elements;
    struct gm_tensor *next;
} gm_tensor;

struct gm_module {
    const gm_entry *entry; /* NULL: a container */
    void *frame;
    const gm_value *arguments;
    gm_object *config;
    gm_child *first, **last;
    gm_tensor *weights, *ties; /* newest first */
    gm_terms cost;
    gm_int parameters;
    bool skipped, costing, costed, counted;
    size_t hash;
    gm_module *next; /* in the bucket */
};

/* what is invoked and not answered yet */
typedef struct gm_call {
    const gm_entry *entry;
    const gm_value *arguments;
    gm_object *config;
    const struct gm_call *outer;
} gm_call;

enum { GM_BUCKETS = 1024, GM_DEEPEST = 400, GM_ERROR_ROOM = 400 };
struct gm_run {
    gm_value workload[GM_WORKLOAD_COUNT];
    gm_object *config;
    gm_quantity quantity; /* what a module in arithmetic stands for */
    gm_module *buckets[GM_BUCKETS];
    const gm_call *calls;
    size_t depth, total;
    void *blocks; /* memory, newest first */
    char *at, *end;
    bool failed;
    char error[GM_ERROR_ROOM];
};

bool gm_is_number(gm_value v);
int gm_compare(gm_run *r, gm_value a, gm_value b); /* of numbers: -1, 0, 1 */
/* a module as the number that is asked for */
gm_value gm_operand(gm_run *r, gm_value v);
bool gm_as_int(gm_int *out, gm_value v); /* of integers and truths */
bool gm_int_add(gm_int *out, gm_int a, gm_int b);
bool gm_int_mul(gm_int *out, gm_int a, gm_int b);
bool gm_same(gm_value a, gm_value b); /* equal, and of one type */
const char *gm_type_name(gm_value v);
gm_int gm_count_of(gm_run *r, gm_value v, const char *what);
gm_value gm_elements(gm_run *r, gm_value v);

gm_object *gm_new_object(gm_run *r, const char *what);
const gm_value *gm_find(const gm_object *object, const char *name);
gm_object *gm_bind(gm_run *r, const gm_config *config, const gm_object *given);
gm_value gm_parse(gm_run *r, const char *text, bool *ok); /* JSON, and True, False, None; *ok false: it is none */
gm_value gm_module_number(gm_run *r, gm_module *m);

#endif
