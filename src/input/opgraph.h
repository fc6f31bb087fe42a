/* opgraph.h - a graph of operators as a file has it: what the readers of ONNX, torch.export and inventories fill.
 * In: files as readers find them. Out: values with dtype and shape where the file says them, nodes in the order in which they run, their
 * arguments, small constants; owned by the arena. Never the bytes of weights. Fails on what cannot be. */
#ifndef RIDGE_INPUT_OPGRAPH_H
#define RIDGE_INPUT_OPGRAPH_H

#include "input/weights.h"

#define RIDGE_OPGRAPH_NONE UINT32_MAX /* no value: an input that is left out */
enum {
    RIDGE_OPGRAPH_RANK = 32,      /* dimensions of a value */
    RIDGE_OPGRAPH_CONTENT = 4096, /* elements of a constant that are kept: shapes, axes, sizes */
    RIDGE_OPGRAPH_DEPTH = 16      /* bodies in bodies */
};

/* A dimension: a number, a name ("batch_size"), an expression over names, or unknown. Expressions are torch.export's as sympy prints them:
 * names, whole numbers, + - * / ** and parentheses, "(s0//2)" rounded down, functions such as Mod(s0, 2), Max(1, s0), Min. */
typedef struct ridge_opgraph_dim {
    int64_t size;   /* >= 0; -1: no number */
    ridge_str name; /* where size is -1: n == 0: not known */
} ridge_opgraph_dim;

typedef enum ridge_opgraph_origin {
    RIDGE_OPGRAPH_RESULT,    /* of a node */
    RIDGE_OPGRAPH_INPUT,     /* of the graph, or of a body */
    RIDGE_OPGRAPH_PARAMETER, /* a weight: an initializer, a parameter */
    RIDGE_OPGRAPH_BUFFER,    /* stored with the weights and none: running_mean */
    RIDGE_OPGRAPH_CONSTANT   /* written into the graph */
} ridge_opgraph_origin;

/* A tensor, or a number that nodes hand on (torch.export's sym_int: rank 0, format i64). Shape and format of a RESULT are what the file
 * says of it, if anything. */
typedef struct ridge_opgraph_value {
    ridge_str name;
    ridge_opgraph_origin origin;
    const ridge_format *format; /* NULL: not said, or nothing with elements (a text, a sequence) */
    const char *dtype;          /* the file's own word; NULL: not said */
    bool ranked;                /* rank and dims are said */
    uint32_t rank;
    const ridge_opgraph_dim *dims;
    uint32_t weight; /* 1 + its place in opgraph.weights; 0: none */
    /* content of a constant of at most RIDGE_OPGRAPH_CONTENT elements: one of both, NULL where it is not kept */
    const int64_t *ints;              /* of integers and booleans */
    const double *reals;              /* of floats */
    size_t content_count;             /* of both */
    bool host;                        /* a number that nodes hand on: the host's, which moves no bytes of the device's */
    const ridge_opgraph_dim *strides; /* elements from one to the next in each dimension; NULL: not said */
    ridge_str number; /* of a number that nodes hand on, where the file says it as an expression ("s0 + 1"); where it is a plain number,
                       * that is its content. n == 0: not said */
} ridge_opgraph_value;

typedef enum ridge_opgraph_argument_kind {
    RIDGE_OPGRAPH_ARG_NONE, /* None, or a kind that no rule reads (a sparse tensor, a type) */
    RIDGE_OPGRAPH_ARG_INT,  /* booleans too: 0 and 1 */
    RIDGE_OPGRAPH_ARG_REAL,
    RIDGE_OPGRAPH_ARG_TEXT,
    RIDGE_OPGRAPH_ARG_INTS,
    RIDGE_OPGRAPH_ARG_REALS,
    RIDGE_OPGRAPH_ARG_TEXTS,
    RIDGE_OPGRAPH_ARG_VALUE,  /* a value: an input by its name in the signature; a tensor in an attribute */
    RIDGE_OPGRAPH_ARG_VALUES, /* a list of them, RIDGE_OPGRAPH_NONE among them */
    RIDGE_OPGRAPH_ARG_BODY    /* a graph: what a branch or a loop runs */
} ridge_opgraph_argument_kind;

/* ONNX: an attribute. torch.export: every argument by its name, tensors too (kind VALUE). */
typedef struct ridge_opgraph_argument {
    ridge_str name;
    ridge_opgraph_argument_kind kind;
    size_t count; /* of the lists */
    union {
        int64_t whole;
        double real;
        ridge_str text;
        const int64_t *ints;
        const double *reals;
        const ridge_str *texts;
        uint32_t value;
        const uint32_t *values;
        uint32_t body; /* in opgraph.bodies */
    } u;
} ridge_opgraph_argument;

typedef struct ridge_opgraph_node {
    ridge_str op; /* "Conv", "com.microsoft.FusedMatMul" (domain "ai.onnx" and "" left out); "aten.addmm.default" ("torch.ops." left out) */
    ridge_str name;       /* n == 0: it has none */
    ridge_str module;     /* path of the torch.nn.Module that it works for ("layers.0.fc1"); n == 0: the model itself, or not said */
    ridge_str class_name; /* ... and its class; n == 0: not said */
    const uint32_t *inputs, *outputs; /* values; RIDGE_OPGRAPH_NONE where one is left out */
    uint32_t input_count, output_count;
    const ridge_opgraph_argument *arguments;
    uint32_t argument_count;
    int opset; /* ONNX: version of the operator set of its domain; else 0 */
} ridge_opgraph_node;

/* A list of nodes with what goes in and out: the graph itself, a branch, a loop's body. Values of outer graphs may be read in it. */
typedef struct ridge_opgraph_body {
    const ridge_opgraph_node *nodes;
    size_t count;
    const uint32_t *inputs, *outputs;
    uint32_t input_count, output_count;
} ridge_opgraph_body;

/* A name of dimensions that the user may bind, and what the file says of its range. */
typedef struct ridge_opgraph_symbol {
    ridge_str name;
    int64_t low, high; /* inclusive; 0 and INT64_MAX where nothing is said */
    int64_t hint;      /* the size of the example that the graph was made with; -1: not said */
} ridge_opgraph_symbol;

/* A module that the file names without a node of its own (nn_module_stack, an inventory), for its class. */
typedef struct ridge_opgraph_module {
    ridge_str path, class_name;
} ridge_opgraph_module;

struct ridge_opgraph {
    const char *kind; /* "ONNX", "torch.export", "inventory": for people */
    const char *path;
    ridge_str name;     /* of the graph or the class; n == 0: none */
    ridge_str producer; /* "pytorch 2.1.0"; n == 0: not said */
    ridge_opgraph_value *values;
    size_t value_count;
    ridge_opgraph_body main;
    ridge_opgraph_body *bodies;
    size_t body_count;
    ridge_opgraph_symbol *symbols; /* of the dimensions of the graph's inputs, in the order of their first use */
    size_t symbol_count;
    ridge_opgraph_module *modules;
    size_t module_count;
    ridge_weights weights; /* parameters and buffers, by their own names */
};
typedef struct ridge_opgraph ridge_opgraph;

/* NULL: it has no such argument */
const ridge_opgraph_argument *ridge_opgraph_argument_of(const ridge_opgraph_node *node, const char *name);
/* ... or `otherwise` where it is not there or of another kind */
int64_t ridge_opgraph_whole(const ridge_opgraph_node *node, const char *name, int64_t otherwise);
double ridge_opgraph_real(const ridge_opgraph_node *node, const char *name, double otherwise);
ridge_str ridge_opgraph_text(const ridge_opgraph_node *node, const char *name, const char *otherwise);

#endif
