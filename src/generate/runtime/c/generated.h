/* generated.h - what the generated C stands on: exact values, modules that add up their own terms and those of their parts.
 * In: a module's path, a quantity, arguments as words. Out: the number, a 128-bit integer.
 * A number is an integer or an exact fraction and never a double, and overflow is an error. So is what is not known: a name without a
 * value, a negative or fractional count, a module that is not here, a module that holds itself. It is never 0.
 * Needs gcc or clang, and nothing else: cc -std=c11 *.c program.c */
#ifndef GENERATED_H
#define GENERATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 gm_int;

typedef enum gm_quantity { GM_FLOPS, GM_READS, GM_WRITES, GM_INTERMEDIATES, GM_PARAMETERS } gm_quantity;

/* ---- for who asks ---- */

/* One quantity of a module: path "torch.nn.Linear" or "torch__nn__Linear"; words "2048" by position or "rows=2048": a name sets a
 * parameter, else a name of the workload (B, S, past, ..), else a field of the config. Reads, writes and intermediates are elements.
 * 0, or -1 with the reason in `error`. */
int gm_compute(gm_int *out, gm_quantity quantity, const char *path, const char *const *words, size_t count, char *error, size_t room);
/* as decimal digits; 41 bytes hold any */
void gm_print(char out[41], gm_int value);
/* paths of all modules, sorted; NULL after the last */
const char *const *gm_paths(void);

/* ---- for the modules themselves ---- */

typedef enum gm_type { GM_UNSET, GM_NONE, GM_BOOL, GM_INT, GM_RATIO, GM_TEXT, GM_LIST, GM_OBJECT, GM_MODULE } gm_type;
typedef struct gm_run gm_run;
typedef struct gm_module gm_module;
typedef struct gm_object gm_object;
typedef struct gm_list gm_list;
typedef struct gm_ratio {
    gm_int above, below; /* no common factor; below > 1 */
} gm_ratio;

typedef struct gm_value {
    gm_type type;
    size_t length; /* of a text */
    union {
        bool truth;
        gm_int number;
        const gm_ratio *ratio;
        const char *text;
        const gm_list *list;
        gm_object *object;
        gm_module *module;
    } u;
} gm_value;

struct gm_list {
    size_t count;
    gm_value *items;
};

/* names of the workload */
#define GM_WORKLOAD_LIST(X)                                                                                                                \
    X(B)                                                                                                                                   \
    X(S) X(past) X(T) X(enc) X(image) X(image_height) X(image_width) X(images) X(video_frames) X(frames) X(samples) X(head_rows) X(phase)  \
        X(attention) X(act) X(kv) X(weights_format)
typedef enum gm_workload_name {
#define X(name) GM_##name,
    GM_WORKLOAD_LIST(X) GM_WORKLOAD_COUNT
#undef X
} gm_workload_name;

typedef enum gm_flop_class {
    GM_MATMUL,
    GM_ATTENTION,
    GM_ACTIVATION,
    GM_EMBEDDING,
    GM_OTHER,
    GM_FLOP_CLASSES,
    GM_ITS_OWN = -1
} gm_flop_class;
typedef enum gm_kind_of_bytes { GM_WEIGHTS, GM_ACTIVATIONS, GM_KV, GM_BETWEEN, GM_SCORES, GM_KINDS_OF_BYTES } gm_kind_of_bytes;

typedef struct gm_terms {
    gm_int flops[GM_FLOP_CLASSES];
    gm_value reads, writes, between; /* elements: all kinds; intermediates, read and written */
} gm_terms;

typedef struct gm_parameter {
    const char *name, *aliases; /* aliases with blanks between; NULL: none */
    bool required, may_be_text;
} gm_parameter;

typedef struct gm_field {
    const char *name, *fallback;         /* as JSON */
    const char *types;                   /* "int|null" */
    int64_t most;                        /* of an integer */
    bool zero_ok, negative_ok, integers; /* it may be 0, less; its items are integers */
    const struct gm_config *config;      /* of a nested config; NULL: none */
    const char *otherwise;               /* the field that stands for a nested config that is not given; NULL: none */
} gm_field;

typedef struct gm_config {
    const char *path, *model_type;
    const gm_field *fields;
    size_t field_count;
    const char *const *aliases; /* pairs of an alias and the field; NULL after the last */
    size_t frame;
    void (*derive)(gm_run *r, void *frame, gm_object *config);
    void (*check)(gm_run *r, void *frame);
} gm_config;

typedef enum gm_kind { GM_KIND_MODULE, GM_KIND_FUNCTION, GM_KIND_FORMULA } gm_kind;
/* A frame begins with the parameters, as gm_values. */
typedef struct gm_entry {
    const char *path;
    gm_kind kind;
    const gm_parameter *parameters;
    size_t parameter_count, frame;
    const gm_config *family;                                 /* whose fields its formulas read; NULL: none of its own */
    void (*defaults)(gm_run *r, void *frame);                /* of parameters that are not given; NULL: there are none */
    void (*describe)(gm_run *r, void *frame, gm_module *m);  /* of modules and functions: what it is made of; NULL: of nothing */
    void (*own)(gm_run *r, void *frame, gm_terms *t);        /* what it costs itself; NULL: nothing */
    void (*afterwards)(gm_run *r, void *frame, gm_terms *t); /* what it keeps; NULL: nothing */
    gm_value (*value)(gm_run *r, void *frame);               /* of formulas */
} gm_entry;

/* the tables that index.c has */
extern const gm_entry *const gm_entries[];
extern const size_t gm_entry_count;

/* ---- values ---- */

gm_value gm_fail(gm_run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool gm_failed(const gm_run *r);
static inline gm_value gm_number(gm_int n)
{
    gm_value v = {.type = GM_INT};
    v.u.number = n;
    return v;
}
static inline gm_value gm_bool(bool truth)
{
    gm_value v = {.type = GM_BOOL};
    v.u.truth = truth;
    return v;
}
static inline gm_value gm_none(void)
{
    return (gm_value){.type = GM_NONE};
}
static inline gm_value gm_text_of(const char *text, size_t length)
{
    gm_value v = {.type = GM_TEXT, .length = length};
    v.u.text = text;
    return v;
}
#define GM_TEXT_OF(literal) gm_text_of("" literal, sizeof(literal) - 1)
gm_value gm_digits(gm_run *r, const char *digits);               /* an integer of more than 64 bits */
gm_value gm_fraction(gm_run *r, gm_value above, gm_value below); /* above / below */

void *gm_room(gm_run *r, size_t bytes); /* zeroed; lives as long as the run */
gm_value gm_list_of(gm_run *r, const gm_value *items, size_t count);
gm_value gm_text_list(gm_run *r, gm_value text, gm_value by);
/* so many values, each written once: arguments that a macro repeats would double with every level of a formula */
#define GM_ITEMS(count, ...)      (const gm_value[]){__VA_ARGS__}, count
#define GM_LIST_OF(r, count, ...) gm_list_of(r, GM_ITEMS(count, __VA_ARGS__))
#define GM_SUM(r, count, ...)     gm_sum(r, GM_ITEMS(count, __VA_ARGS__))
#define GM_PRODUCT(r, count, ...) gm_product(r, GM_ITEMS(count, __VA_ARGS__))
#define GM_MIN(r, count, ...)     gm_least(r, GM_ITEMS(count, __VA_ARGS__))
#define GM_MAX(r, count, ...)     gm_most(r, GM_ITEMS(count, __VA_ARGS__))
#define GM_RANGE(r, count, ...)   gm_range(r, GM_ITEMS(count, __VA_ARGS__))

/* Once something failed, all of these give none and change nothing. */
gm_value gm_add(gm_run *r, gm_value a, gm_value b);
gm_value gm_sub(gm_run *r, gm_value a, gm_value b);
gm_value gm_mul(gm_run *r, gm_value a, gm_value b);
gm_value gm_div(gm_run *r, gm_value a, gm_value b);
gm_value gm_floor_div(gm_run *r, gm_value a, gm_value b);
gm_value gm_mod(gm_run *r, gm_value a, gm_value b);
gm_value gm_pow(gm_run *r, gm_value a, gm_value b);
gm_value gm_negative(gm_run *r, gm_value a);
gm_value gm_positive(gm_run *r, gm_value a);
gm_value gm_sum(gm_run *r, const gm_value *items, size_t count);     /* from the left */
gm_value gm_product(gm_run *r, const gm_value *items, size_t count); /* from the left */
bool gm_truth(gm_run *r, gm_value v);
bool gm_equal(gm_run *r, gm_value a, gm_value b);
bool gm_less(gm_run *r, gm_value a, gm_value b);
bool gm_at_most(gm_run *r, gm_value a, gm_value b);
bool gm_in(gm_run *r, gm_value a, gm_value b);
bool gm_is_unset(gm_value v);
bool gm_is_none(gm_value v);
gm_value gm_least(gm_run *r, const gm_value *items, size_t count);
gm_value gm_most(gm_run *r, const gm_value *items, size_t count);
gm_value gm_ceil(gm_run *r, gm_value v);
gm_value gm_floor(gm_run *r, gm_value v);
gm_value gm_truncated(gm_run *r, gm_value v);
gm_value gm_abs(gm_run *r, gm_value v);
gm_value gm_length(gm_run *r, gm_value v);
gm_value gm_total(gm_run *r, gm_value list);
gm_value gm_range(gm_run *r, const gm_value *bounds, size_t count);
gm_value gm_ceil_div(gm_run *r, gm_value a, gm_value b);
gm_value gm_any(gm_run *r, gm_value list);
gm_value gm_all(gm_run *r, gm_value list);
gm_value gm_item_at(gm_run *r, gm_value list, gm_value index);

gm_value gm_of(gm_run *r, gm_workload_name name);
gm_value gm_config_of(gm_run *r);
gm_value gm_member(gm_run *r, gm_value object, const char *name);
gm_value gm_field_of(gm_run *r, gm_value object, const char *name); /* none where it has no such field */
void gm_set(gm_run *r, gm_object *object, const char *name, gm_value value);

/* ---- lists that grow ---- */
typedef struct gm_made {
    gm_value *items, *calls;
    size_t count, room;
} gm_made;
size_t gm_count(gm_run *r, gm_value list); /* 0 and an error where it is none */
void gm_push(gm_run *r, gm_made *made, gm_value value, gm_value calls);
gm_value gm_taken(gm_run *r, const gm_made *made);

/* ---- modules ---- */
typedef struct gm_argument {
    const char *name; /* NULL: by position */
    gm_value value;
} gm_argument;
gm_value gm_invoke(gm_run *r, const gm_entry *entry, const gm_argument *arguments, size_t count);
#define GM_CALL(r, entry, count, ...) gm_invoke(r, &(entry), (const gm_argument[]){__VA_ARGS__}, count)
#define GM_CALL_BARE(r, entry) gm_invoke(r, &(entry), NULL, 0)

void gm_skip(gm_module *m);
void gm_holds_when(gm_run *r, const gm_entry *entry, bool truth, const char *that, const char *why);
void gm_holds(gm_run *r, bool truth, const char *name, const char *why);
void gm_experts(gm_run *r, gm_value value);
gm_value gm_weight(gm_run *r, gm_module *m, const char *name, gm_value shape);
void gm_buffer(gm_run *r, const char *name, gm_value shape, gm_value format);
bool gm_part(gm_run *r, gm_module *m, const char *name, gm_value value, gm_value calls, gm_flop_class flop_class);
void gm_parts(gm_run *r, gm_module *m, const char *name, const gm_made *made, bool container, const char *prefix, gm_flop_class flop_class);
gm_module *gm_group(gm_run *r, gm_module *m, const char *name); /* a container; parts are added to what it gives */
gm_value gm_share(gm_run *r, gm_value total, size_t at, size_t count);
gm_object *gm_within(gm_run *r, gm_value config); /* the config that held before, for gm_back */
void gm_back(gm_run *r, gm_object *config);
void gm_tie(gm_run *r, gm_module *m, const char *weight, gm_value target);
void gm_add_flops(gm_run *r, gm_terms *t, gm_flop_class kind, gm_value value);
void gm_add_reads(gm_run *r, gm_terms *t, gm_kind_of_bytes kind, gm_value value);
void gm_add_writes(gm_run *r, gm_terms *t, gm_kind_of_bytes kind, gm_value value);
void gm_must_count(gm_run *r, gm_value value); /* what is in no sum, and has to be a count all the same */

#endif
