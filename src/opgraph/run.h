/* run.h - a graph of operators with all sizes bound: the shape of every value, and what every node does.
 * In: a graph (input/opgraph.h), numbers for its symbols, the catalog's operators. Out: a tensor per value, a step per node in the order in
 * which they run; owned by the arena. Fails on shapes that do not fit and on symbols that do not exist; what an operator, or a shape that
 * depends on data, leaves open is a step that is unknown, with the reason, and never 0. */
#ifndef RIDGE_OPGRAPH_RUN_H
#define RIDGE_OPGRAPH_RUN_H

#include "base/option.h"
#include "catalog/entry.h"
#include "input/opgraph.h"

/* What is known of a value. */
typedef struct ridge_opgraph_tensor {
    const ridge_opgraph_value *value;
    const ridge_format *format; /* NULL: not known, or nothing with elements */
    bool known;                 /* rank and dims are */
    uint32_t rank;
    const int64_t *dims;  /* >= 0 */
    ridge_int elements;   /* where known */
    const int64_t *ints;  /* what it holds, where that is known: of integers and booleans, row by row; NULL: not known */
    const double *reals;  /* ... of floats */
    size_t content_count; /* == elements where one of both is there; at most RIDGE_OPGRAPH_CONTENT */
    const char *why;      /* where !known: why not */
    uint32_t producer;    /* step that made it; RIDGE_OPGRAPH_NONE: none */
    uint32_t base;        /* the value whose bytes these are: its own, or of what it is a view of */
} ridge_opgraph_tensor;

/* An operator as the catalog has it (docs/catalog.md), with what it inherits. */
typedef struct ridge_opgraph_spec {
    const char *name;       /* "onnx.Conv", "aten.addmm.default" */
    const char *key;        /* of its entry */
    const char *signature;  /* "X, W, B=None" */
    const char *shape;      /* the rule's name */
    const char *dtype;      /* rule of the result's format; NULL: none */
    const char *flops;      /* a formula over the rule's sizes; NULL: counts none */
    const char *flop_class; /* matmul, attention, activation, embedding, other */
    const char *bytes;      /* "each" (or NULL), "view", "gather", "scatter", "scatter_add" */
    const char *fuses;      /* "elementwise", "reduction"; NULL: not said */
} ridge_opgraph_spec;

enum { RIDGE_OPGRAPH_SIZES = 12, RIDGE_OPGRAPH_STEPS = 4 << 20 };
typedef struct ridge_opgraph_size {
    const char *name; /* of the formula: "n" */
    ridge_int value;
} ridge_opgraph_size;

/* What a node did. */
typedef struct ridge_opgraph_step {
    const ridge_opgraph_node *node;
    const ridge_opgraph_spec
        *spec; /* NULL: the operator is not in the catalog, or it is a branch or a loop, whose nodes are steps of their own */
    ridge_opgraph_size sizes[RIDGE_OPGRAPH_SIZES];
    unsigned size_count;
    ridge_int times;     /* how often it runs: in a loop, the loop's turns */
    uint32_t body_depth; /* 0: of the graph itself */
    bool is_view;        /* moves nothing: its result is its input's bytes */
    ridge_int gathered;  /* elements that are read of its first input, where that is not all of it (a gather, zeros_like); -1: all */
    ridge_int *taken;    /* [node->input_count]: elements that are read of each input, -1: all; NULL: all of all */
    const char *unknown; /* why FLOPs and bytes are not known; NULL: they are */
} ridge_opgraph_step;

typedef struct ridge_opgraph_run {
    const ridge_opgraph *graph;
    ridge_registry *registry;
    ridge_arena *arena;
    ridge_err *err;
    ridge_opgraph_tensor *tensors; /* [graph->value_count] */
    ridge_opgraph_step *steps;
    size_t step_count, step_cap;
    const int64_t *bound; /* [graph->symbol_count]: the numbers of the symbols */
    ridge_words assumed;  /* symbols that nobody bound, and are 1 */
    ridge_symtab specs;   /* operators looked up so far ... */
    const ridge_opgraph_spec **spec_of;
    size_t spec_cap;
    ridge_int times; /* of what runs now */
    uint32_t depth;
    size_t held; /* elements of long contents that are kept */
} ridge_opgraph_run;

typedef struct ridge_opgraph_bind {
    ridge_str name;
    int64_t size;
} ridge_opgraph_bind;
/* "batch=8,seq=128"; USAGE with what is wrong */
ridge_status ridge_opgraph_binds_read(ridge_opgraph_bind **out, size_t *count, const char *text, ridge_arena *arena, ridge_err *err);

ridge_status ridge_opgraph_run_graph(ridge_opgraph_run *out, const ridge_opgraph *graph, const ridge_opgraph_bind *binds, size_t bind_count,
                                     ridge_registry *registry, ridge_arena *arena, ridge_err *err);

/* else the file says every shape: torch.export, inventories */
static inline bool ridge_opgraph_is_onnx(const ridge_opgraph_run *run)
{
    return strcmp(run->graph->kind, "ONNX") == 0;
}

/* ---- for rules ---- */
/* A node that is about to run. A rule reads `in` and `node`, gives `out` shape, format and, where it can, content, and the sizes of its
 * formula. */
typedef struct ridge_opgraph_call {
    ridge_opgraph_run *run;
    const ridge_opgraph_node *node;
    const ridge_opgraph_spec *spec;
    ridge_opgraph_tensor **in,
        **out; /* NULL where one is left out; all inputs that are there are known, but where the rule says `lenient` */
    uint32_t in_count, out_count;
    ridge_opgraph_step *step;
} ridge_opgraph_call;

/* VALUE and the like where the model cannot be (shapes that do not fit). What is left open: ridge_opgraph_unknown. */
typedef ridge_status ridge_opgraph_rule(ridge_opgraph_call *call);

/* Rules by the name that an entry gives as its `shape`, for operators of ONNX; onnx.c has the table. NULL: there is none */
typedef struct ridge_opgraph_rule_row {
    const char *name;
    ridge_opgraph_rule *rule;
    bool lenient; /* it is called with inputs that are not known too (Shape of a ranked value, Identity) */
} ridge_opgraph_rule_row;
const ridge_opgraph_rule_row *ridge_onnx_rule(const char *name);
/* ... for operators whose results the file gives (torch.export): they give sizes alone; aten.c has the table */
const ridge_opgraph_rule_row *ridge_aten_rule(const char *name);

/* an input, NULL where it is left out */
static inline ridge_opgraph_tensor *ridge_opgraph_in(const ridge_opgraph_call *call, uint32_t i)
{
    return i < call->in_count ? call->in[i] : NULL;
}
/* the tensor that an argument of this name is (torch.export); NULL: none */
ridge_opgraph_tensor *ridge_opgraph_named(const ridge_opgraph_call *call, const char *name);
/* Gives a result its shape; LIMIT where its elements are above 2^62. out NULL (nobody wants it): nothing happens. */
ridge_status ridge_opgraph_set(ridge_opgraph_call *call, uint32_t out, const ridge_format *format, const int64_t *dims, uint32_t rank);
/* ... that of another tensor */
ridge_status ridge_opgraph_set_like(ridge_opgraph_call *call, uint32_t out, const ridge_format *format, const ridge_opgraph_tensor *like);
/* what a result holds: as many as its elements, copied; more than RIDGE_OPGRAPH_CONTENT are not kept */
ridge_status ridge_opgraph_hold_ints(ridge_opgraph_call *call, uint32_t out, const int64_t *ints, size_t count);
/* Would it be kept? Not of a result that nobody wants, nor of long lists once a graph has made very many of them. */
bool ridge_opgraph_holds(const ridge_opgraph_call *call, uint32_t out);
/* room for a content that would be, to be given then; zeros; NULL when memory runs out */
void *ridge_opgraph_room(ridge_opgraph_call *call, uint32_t out);
/* a list in the arena that nobody changes any more: it is not copied */
ridge_status ridge_opgraph_give_ints(ridge_opgraph_call *call, uint32_t out, const int64_t *ints, size_t count);
ridge_status ridge_opgraph_give_reals(ridge_opgraph_call *call, uint32_t out, const double *reals, size_t count);
/* "n" = value, for the formula */
void ridge_opgraph_size_is(ridge_opgraph_call *call, const char *name, ridge_int value);
ridge_int ridge_opgraph_product(const int64_t *dims, uint32_t from, uint32_t to); /* of dims[from..to); -1: above 2^126 */
/* "[1, 3, 224, 224]" in the arena, for messages */
const char *ridge_opgraph_shape_text(const ridge_opgraph_call *call, const ridge_opgraph_tensor *t);
/* Why the node cannot be counted, or its results not known: they stay unknown, the run goes on. OK, or NOMEM. */
ridge_status ridge_opgraph_unknown(ridge_opgraph_call *call, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* VALUE: "PATH: node 'NAME' (Conv): ..." */
ridge_status ridge_opgraph_wrong(ridge_opgraph_call *call, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* numpy's rules; false where they do not fit. dims has room for RIDGE_OPGRAPH_RANK */
bool ridge_opgraph_broadcast(int64_t *dims, uint32_t *rank, const ridge_opgraph_tensor *a, const ridge_opgraph_tensor *b);
/* -rank <= axis < rank -> 0..rank-1; false where it is outside */
bool ridge_opgraph_axis(uint32_t *out, int64_t axis, uint32_t rank);

/* of catalog entries of kind operator, inheritance followed; *out NULL where there is none of that name ("onnx.Conv") */
ridge_status ridge_opgraph_spec_find(const ridge_opgraph_spec **out, ridge_opgraph_run *run, const char *name);

#endif
