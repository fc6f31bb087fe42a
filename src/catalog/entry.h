/* entry.h - one catalog entry, compiled: its formulas parsed, its names given slots, its inheritance resolved.
 * In: the entry's JSON (docs/catalog.md). Out: tables of expressions, owned by the registry.
 * Fails on any field that is unknown or of the wrong type, with file, line and column. */
#ifndef RIDGE_CATALOG_ENTRY_H
#define RIDGE_CATALOG_ENTRY_H

#include "catalog/registry.h"

/* catalog name of a kind of entry */
#define RIDGE_KIND_LIST(X)                                                                                                                 \
    X(MODULE, "module")                                                                                                                    \
    X(FUNCTION, "function")                                                                                                                \
    X(FORMULA, "formula")                                                                                                                  \
    X(CHOICE, "choice")                                                                                                                    \
    X(CONFIG, "config")                                                                                                                    \
    X(OPERATOR, "operator")

typedef enum ridge_kind {
#define X(code, name) RIDGE_KIND_##code,
    RIDGE_KIND_LIST(X)
#undef X
        RIDGE_KIND_COUNT
} ridge_kind;

/* what an entry's "validation" says of it */
#define RIDGE_VALIDATION_LIST(X)                                                                                                           \
    X(PENDING, "pending")                                                                                                                  \
    X(DERIVED, "derived")                                                                                                                  \
    X(VALIDATED, "validated")                                                                                                              \
    X(FAILED, "failed")

typedef enum ridge_validation {
#define X(code, name) RIDGE_VALIDATION_##code,
    RIDGE_VALIDATION_LIST(X)
#undef X
        RIDGE_VALIDATION_COUNT
} ridge_validation;

#define RIDGE_FLOP_LIST(X)                                                                                                                 \
    X(MATMUL, matmul)                                                                                                                      \
    X(ATTENTION, attention)                                                                                                                \
    X(ACTIVATION, activation)                                                                                                              \
    X(EMBEDDING, embedding)                                                                                                                \
    X(OTHER, other)

typedef enum ridge_flop_class {
#define X(code, name) RIDGE_FLOP_##code,
    RIDGE_FLOP_LIST(X) RIDGE_FLOP_COUNT
#undef X
} ridge_flop_class;

#define RIDGE_BYTE_LIST(X)                                                                                                                 \
    X(WEIGHTS, weights)                                                                                                                    \
    X(ACTIVATIONS, activations)                                                                                                            \
    X(KV, kv)                                                                                                                              \
    X(INTERMEDIATES, intermediates)                                                                                                        \
    X(SCORES, scores) /* in `saved` only */

typedef enum ridge_byte_kind {
#define X(code, name) RIDGE_BYTE_##code,
    RIDGE_BYTE_LIST(X) RIDGE_BYTE_COUNT
#undef X
} ridge_byte_kind;

/* what a module or a part is for */
#define RIDGE_ROLE_LIST(X)                                                                                                                 \
    X(NONE, none)           /* not said: that of the module around it */                                                                   \
    X(ATTENTION, attention) /* tokens look at each other */                                                                                \
    X(MLP, mlp)             /* each token by itself, through a wider layer */                                                              \
    X(MIXER, mixer)         /* tokens pass a state on: RWKV, Mamba */                                                                      \
    X(NORM, norm)                                                                                                                          \
    X(ROUTER, router)       /* chooses experts */                                                                                          \
    X(EMBEDDING, embedding) /* looks vectors up in a table */                                                                              \
    X(HEAD, head)           /* from the last hidden state to what is asked: logits, classes */
typedef enum ridge_role {
#define X(code, name) RIDGE_ROLE_##code,
    RIDGE_ROLE_LIST(X) RIDGE_ROLE_COUNT
#undef X
} ridge_role;

/* how a part splits over devices that share a layer (tensor parallel; Shoeybi 2019) */
#define RIDGE_SPLIT_WAY_LIST(X)                                                                                                            \
    X(UNKNOWN, unknown)       /* not said: that of the module around it */                                                                 \
    X(WHOLE, whole)           /* each device does all of it */                                                                             \
    X(SHARE, share)           /* each device its share: elementwise, or by heads */                                                        \
    X(COLUMNS, columns)       /* a matrix whose outputs are shared */                                                                      \
    X(KV, kv)                 /* columns, by heads of K and V: a head that several devices need is on each of them */                      \
    X(QKV, qkv)               /* columns of Q, K and V in one matrix */                                                                    \
    X(ROWS, rows)             /* a matrix whose inputs are shared: its result is a sum over the devices */                                 \
    X(VOCABULARY, vocabulary) /* an embedding table's rows, the head's columns */
typedef enum ridge_split_way {
#define X(code, name) RIDGE_SPLIT_WAY_##code,
    RIDGE_SPLIT_WAY_LIST(X) RIDGE_SPLIT_WAY_COUNT
#undef X
} ridge_split_way;

/* what can run a part here (kernel/kernel.h) */
#define RIDGE_RUNNABLE_LIST(X)                                                                                                             \
    X(LINEAR, linear) /* rows x [n, k] */                                                                                                  \
    X(ATTENTION, attention)                                                                                                                \
    X(RMSNORM, rmsnorm)                                                                                                                    \
    X(LAYERNORM, layernorm)                                                                                                                \
    X(EMBEDDING, embedding)                                                                                                                \
    X(ROPE, rope)                                                                                                                          \
    X(SILU, silu)                                                                                                                          \
    X(GELU, gelu)                                                                                                                          \
    X(ADD, add)                                                                                                                            \
    X(WKV, wkv)
typedef enum ridge_runnable {
#define X(code, name) RIDGE_RUNNABLE_##code,
    RIDGE_RUNNABLE_LIST(X) RIDGE_RUNNABLE_COUNT
#undef X
} ridge_runnable;

/* its sizes */
#define RIDGE_RUN_SIZE_LIST(X)                                                                                                             \
    X(ROWS, rows)                                                                                                                          \
    X(N, n)                                                                                                                                \
    X(K, k)                                                                                                                                \
    X(COLS, cols)                                                                                                                          \
    X(ELEMENTS, elements)                                                                                                                  \
    X(HEADS, heads)                                                                                                                        \
    X(KV_HEADS, kv_heads)                                                                                                                  \
    X(QUERIES, queries)   /* positions of a sequence that ask */                                                                           \
    X(KEYS, keys)         /* ... that are looked at */                                                                                     \
    X(CAUSAL, causal)     /* 1: a query looks at keys up to its own position; 0: at all */                                                 \
    X(WINDOW, window)     /* ... at the last so many; 0: at all of them */                                                                 \
    X(HEAD_DIM, head_dim) /* of Q and K */                                                                                                 \
    X(VALUE_DIM, value_dim)
typedef enum ridge_run_size {
#define X(code, name) RIDGE_RUN_SIZE_##code,
    RIDGE_RUN_SIZE_LIST(X) RIDGE_RUN_SIZE_COUNT
#undef X
} ridge_run_size;

extern const char *const ridge_role_names[], *const ridge_split_way_names[], *const ridge_runnable_names[], *const ridge_run_size_names[];
extern const char *const ridge_kind_names[], *const ridge_validation_names[];
extern const char *const ridge_flop_names[];
extern const char *const ridge_byte_names[];

typedef struct ridge_parameter {
    const ridge_symbol *names[4]; /* the name, then aliases; NULL-padded */
    ridge_expr *fallback;         /* NULL: must be given */
} ridge_parameter;                /* parameter i has slot i */
/* which of them has this name or alias; -1: none */
int ridge_parameter_named(const ridge_parameter *parameters, size_t count, const ridge_symbol *name);

/* "rows, in_features, out_features, bias=False" */
void ridge_parameters_print(ridge_buf *out, const ridge_parameter *parameters, size_t count);

typedef struct ridge_named {
    const ridge_symbol *name;
    uint32_t slot; /* UINT32_MAX: none */
    ridge_expr *expr;
} ridge_named;

typedef struct ridge_named_list {
    ridge_named *p;
    size_t n;
} ridge_named_list;

/* an amount of something: FLOPs of a class, elements of a kind */
typedef struct ridge_amount {
    unsigned what;            /* ridge_flop_class or ridge_byte_kind */
    ridge_expr *format;       /* NULL: the kind's own format */
    const ridge_symbol *name; /* weights, buffers, cache */
    uint32_t slot;
    ridge_expr *expr;
} ridge_amount;

typedef struct ridge_amounts {
    ridge_amount *p;
    size_t n;
} ridge_amounts;

/* Where an entry was derived from a run, what must be true for it to count right: a false one is an error, never a wrong number. */
typedef struct ridge_need {
    ridge_expr *that;
    const char *text, *why;
} ridge_need;

/* one call of what runs a part: a size that is None leaves it out */
typedef struct ridge_run_spec {
    ridge_runnable what;
    ridge_expr *sizes[RIDGE_RUN_SIZE_COUNT]; /* NULL: not given */
} ridge_run_spec;

/* in this order; given with n == 0: no kernel here runs it */
typedef struct ridge_run_specs {
    ridge_run_spec *p;
    size_t n;
    bool given;
} ridge_run_specs;

typedef struct ridge_component ridge_component;
struct ridge_component {
    const ridge_symbol *name;
    ridge_expr *use;
    uint32_t for_slot; /* with `source` */
    ridge_expr *source;
    ridge_named_list start, carry, spread;
    ridge_expr *calls;
    ridge_expr *per_token; /* with `spread`: the shares of a token; NULL: as many as there are for each of B*S */
    bool called;           /* a container: called itself, not only its children */
    bool not_called;       /* "called": false: its parts are called past it */
    const char *container; /* NULL: ModuleList for a list */
    const char *prefix;    /* of its elements' names: "expert_0"; NULL: they are numbers */
    ridge_component *children;
    size_t child_count;
    ridge_str alias; /* n == 0: none */
    int flop_class;  /* -1: none */
    ridge_role role;
    ridge_split_way split;
    ridge_expr *config;
    ridge_named_list tied; /* name: weight of the component */
    const char *file;
    unsigned line, col;
};

typedef struct ridge_fusion {
    bool *replaces; /* [breakdown_count] */
    ridge_expr *by; /* NULL: nothing */
    bool computes;  /* the FLOPs are the kernel's, too */
    ridge_run_specs runs;
} ridge_fusion;

typedef struct ridge_config_spec ridge_config_spec;

struct ridge_entry {
    ridge_source *source;
    ridge_source **overrides; /* the user's entries in it that stand for built-in ones: itself, what it inherits */
    size_t override_count;
    const ridge_symbol *key;
    ridge_kind kind;
    bool learned; /* made from a source: separate operators alone, nothing of what a kernel fuses or a backward pass keeps */
    const char *class_name;
    ridge_parameter *parameters;
    size_t parameter_count;
    uint32_t slots;
    ridge_named_list lets;
    ridge_expr *skip;
    ridge_need *needs; /* holds_when */
    size_t need_count;
    ridge_amounts weights, buffers, flops, reads, writes, cache, holds, saved;
    ridge_component *breakdown;
    size_t breakdown_count;
    ridge_fusion *fused;
    size_t fused_count;
    ridge_named_list tied; /* name: path below this module */
    ridge_role role;
    ridge_expr *heads;     /* of an attention: [of Q, of K and V]; NULL: not said */
    ridge_expr *experts;   /* of a module whose weights hold all experts of a mixture: [how many, how many a token runs]; NULL: not said */
    ridge_split_way split; /* of what it does itself, and of parts that are not named */
    ridge_run_specs runs;  /* what runs it as a whole */
    ridge_expr *value;     /* FORMULA */
    uint32_t on;           /* CHOICE: slot of the deciding parameter */
    struct {
        ridge_str name;
        ridge_expr *expr;
    } * cases;
    size_t case_count;
    ridge_config_spec *config; /* CONFIG */
    struct ridge_flat *flat;   /* the flat published form; NULL for ours */
};

/* does a kernel of this kind run it, alone? */
bool ridge_entry_runs(const ridge_entry *entry, ridge_runnable what);

/* One analysis of a flat entry: its own parameters and template. */
typedef struct ridge_template {
    ridge_parameter *parameters;
    size_t parameter_count;
    uint32_t slots;
    ridge_expr *expr; /* NULL: not given, or faulty */
    ridge_err *fault; /* why it cannot be used; the other templates can */
    const ridge_json *depends;
} ridge_template;

#define RIDGE_CONTEXT_LIST(X)                                                                                                              \
    X(FLOPS, flops)                                                                                                                        \
    X(READS, reads)                                                                                                                        \
    X(WRITES, writes)                                                                                                                      \
    X(INTERMEDIATES, intermediates)                                                                                                        \
    X(PARAMS, params)

typedef enum ridge_context {
#define X(code, name) RIDGE_CONTEXT_##code,
    RIDGE_CONTEXT_LIST(X) RIDGE_CONTEXT_COUNT
#undef X
} ridge_context;

extern const char *const ridge_context_names[]; /* NULL after the last */

typedef struct ridge_flat {
    ridge_template templates[RIDGE_CONTEXT_INTERMEDIATES + 1];
    ridge_named_list breakdown;
} ridge_flat;

/* What a config class says of its fields. */
typedef struct ridge_config_default {
    const ridge_symbol *name;
    const ridge_json *value;
    const ridge_json *type;      /* "int|null", ...; NULL: the default's own type */
    const ridge_symbol *sub_key; /* config entry of a nested config; NULL: none */
    ridge_str sub_or;            /* the nested config that counts where the file does not give this one; n == 0: defaults do */
    bool zero_ok;
    int64_t most; /* of an integer */
    const char *file;
    unsigned line, col;
} ridge_config_default;

typedef struct ridge_config_check {
    const ridge_symbol *field;
    ridge_expr *that;
    const char *why;
} ridge_config_check;

typedef struct ridge_head_class {
    ridge_str name;
    const ridge_symbol *entry;
    bool encoder_decoder;
} ridge_head_class;

struct ridge_config_spec {
    ridge_str model_type;
    ridge_config_default *defaults;
    size_t default_count;
    struct {
        const ridge_symbol *alias, *field;
    } * aliases;
    size_t alias_count;
    ridge_named_list derived;
    ridge_config_check *checks;
    size_t check_count;
    ridge_expr *positions_max, *positions_learned;
    ridge_expr *image, *video_frames, *frames, *samples; /* sizes of what a model sees and hears where nobody asks for others; NULL: none */
    ridge_expr *seq;                                     /* tokens where nobody asks for a number; NULL: as many as there are positions */
    ridge_head_class *classes;
    size_t class_count;
    ridge_str default_class;
    ridge_str refused; /* why models of this type are not counted; p NULL: they are */
};

/* of a config's value: "null", "bool", "int", "number", "string", "list", "object", as a field's `type` has them */
const char *ridge_config_type_of(const ridge_json *value);

/* Compiles source->json; called by the registry. */
ridge_status ridge_entry_compile(ridge_entry **out, ridge_registry *registry, ridge_source *source, ridge_err *err);

/* For `ridge db check`: every fault goes to `report` and compiling goes on. What it concerns is missing in *out (formulas and
 * names may be NULL), so this entry is for looking at, not for evaluating. */
typedef void ridge_report(void *data, const ridge_err *fault);
ridge_status ridge_entry_inspect(ridge_entry **out, ridge_registry *registry, ridge_source *source, ridge_report *report, void *data,
                                 ridge_err *err);

#endif
