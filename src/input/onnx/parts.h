/* parts.h - how an ONNX file is read; private to the folder.
 * model.c, graph.c, attribute.c, type.c and tensor.c make structs of the messages, with every text interned; resolve.c and function.c make
 * the graph of them; roles.c tells weights from constants; table.c writes the weights' table; content.c reads small constants. */
#ifndef RIDGE_INPUT_ONNX_PARTS_H
#define RIDGE_INPUT_ONNX_PARTS_H

#include "input/onnx/onnx.h"
#include "input/onnx/proto.h"

typedef struct onnx_reader onnx_reader;

/* ---- messages by tables ---- */
enum { ONNX_ANY_WIRE = 8 }; /* a list of numbers: one by one, or packed */

/* A field of a message: who reads it into the message's struct. Those that no row names are passed over. */
typedef struct onnx_field {
    uint32_t number;
    unsigned wire;
    const char *what; /* for messages: "the graph" */
    ridge_status (*read)(onnx_reader *r, void *into, const ridge_proto_field *f);
} onnx_field;
/* All fields of a message named `what`; `fields` ends with a number 0. */
ridge_status ridge_onnx_message(onnx_reader *r, void *into, ridge_cursor c, const onnx_field *fields, const char *what);
/* a text of UTF-8 as a symbol of the reader's; equal texts are equal pointers */
ridge_status ridge_onnx_name(const ridge_symbol **out, onnx_reader *r, ridge_cursor part, const char *what);
const ridge_symbol *ridge_onnx_intern(onnx_reader *r, ridge_str text);
static inline ridge_str ridge_onnx_text(const ridge_symbol *s)
{
    return s ? (ridge_str){s->text, s->len} : (ridge_str){"", 0};
}
/* Room for one more in a growing array, within RIDGE_ONNX_MEMORY. */
ridge_status ridge_onnx_more(onnx_reader *r, void *array, size_t count, size_t *cap, size_t size);
/* all numbers of a packed or plain field: `each` is called with their bits */
ridge_status ridge_onnx_numbers(onnx_reader *r, const ridge_proto_field *f, ridge_proto_wire wire,
                                ridge_status (*each)(onnx_reader *r, void *into, uint64_t bits), void *into, const char *what);
ridge_status ridge_onnx_memory(onnx_reader *r); /* LIMIT where the file takes more than RIDGE_ONNX_MEMORY */

/* ---- types ---- */
/* TensorProto.DataType: number, word, format of base/format.c, bits of an element, how they are read, which field has them where raw_data
 * has not */
typedef enum onnx_class { ONNX_OTHER, ONNX_SIGNED, ONNX_UNSIGNED, ONNX_FLOAT } onnx_class;
typedef struct onnx_dtype {
    int number;
    const char *word, *format;
    unsigned bits;
    onnx_class kind;
    uint32_t field;
    unsigned exponent, mantissa; /* bits, of a float */
    int bias;
    char special; /* of a float: what its largest exponent is: 'i' infinity and NaN (IEEE 754), 'n' only the largest pattern NaN, 'z' minus
                     0 NaN (FNUZ), '-' neither */
} onnx_dtype;
/* NULL: there is none of this number */
const onnx_dtype *ridge_onnx_dtype(uint64_t number);

/* TypeProto */
typedef struct onnx_type {
    const ridge_format *format;
    const char *dtype; /* NULL: not said */
    bool ranked;
    uint32_t rank;
    const ridge_opgraph_dim *dims;
} onnx_type;

/* ValueInfoProto */
typedef struct onnx_info {
    const ridge_symbol *name;
    onnx_type type;
} onnx_info;
ridge_status ridge_onnx_info(onnx_info *out, onnx_reader *r, ridge_cursor c);

/* ---- tensors ---- */
typedef struct onnx_tensor {
    const ridge_symbol *name;
    const onnx_dtype *dtype;
    uint32_t rank;
    uint64_t *dims;
    ridge_int elements, bytes; /* of dims in dtype; sparse: bytes of values and indices */
    ridge_cursor message;      /* for content.c */
    uint64_t raw_at;           /* of raw_data; 0: it has none */
    bool external, sparse;
    bool stripped;                /* stripped.c: nothing of it is in the file but its shape */
    bool attribute;               /* of a node ... */
    bool constant;                /* ... which is Constant */
    const ridge_symbol *location; /* of external data, below the file's folder */
    uint64_t offset;              /* ... in that file */
    uint32_t value;               /* 1 + its value; 0: none has been made yet */
    uint64_t at;
} onnx_tensor;
ridge_status ridge_onnx_tensor(onnx_tensor **out, onnx_reader *r, ridge_cursor c);
/* elements and bytes of its dimensions */
ridge_status ridge_onnx_measure(onnx_reader *r, onnx_tensor *t);
ridge_status ridge_onnx_sparse(onnx_tensor **out, onnx_reader *r, ridge_cursor c);
/* Where a tensor's numbers lie, while its message is read; content.c goes the same way again. */
enum { ONNX_TENSOR_DIMS = 1, ONNX_TENSOR_RAW = 9 };
/* content of at most RIDGE_OPGRAPH_CONTENT elements, into the value; nothing where it cannot be had */
ridge_status ridge_onnx_content(ridge_opgraph_value *v, onnx_reader *r, const onnx_tensor *t);
/* "PATH: the tensor 'NAME' at byte N: " is in front of what */
ridge_status ridge_onnx_bad_tensor(onnx_reader *r, const onnx_tensor *t, ridge_status code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- nodes and graphs ---- */
typedef struct onnx_graph onnx_graph;
typedef struct onnx_attribute {
    ridge_opgraph_argument argument; /* whole, but for what VALUE, VALUES and BODY point to */
    const ridge_symbol *name, *ref;  /* ref: in a function, the call's attribute of this name; NULL: itself */
    onnx_tensor **tensors;           /* [argument.count], of VALUE 1 */
    onnx_graph *graph;
} onnx_attribute;
ridge_status ridge_onnx_attribute(onnx_attribute *out, onnx_reader *r, ridge_cursor c);

typedef struct onnx_names {
    const ridge_symbol **items;
    size_t count, cap;
} onnx_names;
ridge_status ridge_onnx_names_add(onnx_names *names, onnx_reader *r, const ridge_proto_field *f, const char *what);

typedef struct onnx_node {
    const ridge_symbol *name, *op, *domain, *overload;
    onnx_names inputs, outputs;
    onnx_attribute *attributes;
    size_t attribute_count, attribute_cap;
    ridge_str scopes, classes; /* what torch.onnx notes of modules */
    uint64_t at;
} onnx_node;

struct onnx_graph {
    const ridge_symbol *name;
    onnx_node *nodes;
    size_t node_count, node_cap;
    onnx_tensor **tensors; /* initializers, sparse ones among them */
    size_t tensor_count, tensor_cap;
    onnx_info *inputs, *outputs, *infos;
    size_t input_count, input_cap, output_count, output_cap, info_count, info_cap;
    uint64_t at;
};
ridge_status ridge_onnx_graph(onnx_graph **out, onnx_reader *r, ridge_cursor c);
ridge_status ridge_onnx_node_add(onnx_graph *g, onnx_reader *r, const ridge_proto_field *f);

typedef struct onnx_opset {
    const ridge_symbol *domain;
    int64_t version;
} onnx_opset;
typedef struct onnx_opsets {
    onnx_opset *items;
    size_t count, cap;
} onnx_opsets;

/* FunctionProto: a graph whose inputs and outputs are names alone */
typedef struct onnx_function {
    const ridge_symbol *name, *domain, *overload;
    onnx_names inputs, outputs;
    onnx_graph body;
    onnx_attribute *defaults;
    size_t default_count, default_cap;
    onnx_opsets opsets;
    bool running; /* it is being put in place of a call */
    uint64_t at;
} onnx_function;

/* ---- names ---- */
/* what a name means now: a value, and on which level of graphs in graphs it was made */
typedef struct onnx_binding {
    uint32_t value; /* RIDGE_OPGRAPH_NONE: a function's input that the call leaves out */
    uint32_t level; /* 0: nothing */
} onnx_binding;
typedef struct onnx_undo {
    uint32_t symbol;
    onnx_binding before;
} onnx_undo;

struct onnx_reader {
    ridge_opgraph *out;
    ridge_binary *file;
    ridge_arena *arena;
    ridge_err *err;
    size_t memory_before; /* what the arena had handed out when the reader began */
    ridge_symtab texts;
    const ridge_symbol *empty;
    /* the messages */
    uint64_t ir_version;
    bool has_version;
    const ridge_symbol *producer, *producer_version;
    onnx_graph *graph;
    onnx_opsets opsets;
    onnx_function *functions;
    size_t function_count, function_cap;
    ridge_symtab function_names; /* by the symbol's number, `function_at` */
    uint32_t *function_at;
    size_t function_at_cap;
    size_t node_count; /* in the file */
    uint32_t depth;    /* of the graph that is being read */
    /* the graph that is made */
    onnx_binding *bindings; /* by a symbol's number */
    size_t binding_count;
    onnx_undo *undo;
    size_t undo_count, undo_cap;
    uint32_t level, floor; /* names below the floor are not seen: those of who calls a function */
    size_t value_cap, body_cap, symbol_cap;
    onnx_tensor **tensor_of; /* [value]: NULL: it is none */
    size_t tensor_of_cap;
    size_t made;                        /* nodes that were looked at, functions put in place */
    size_t work;                        /* names that were given and looked up */
    const struct onnx_frame *frame;     /* the graph whose nodes are made, and those around it */
    const onnx_opsets *opsets_now;      /* of the model, or of the function */
    const ridge_opgraph_argument *call; /* attributes of the call whose function is put in place */
    size_t call_count;
    const onnx_function *function; /* that one; NULL: none */
    void *scratch;                 /* for content.c */
};

/* ---- making the graph ---- */
typedef struct onnx_frame {
    const onnx_graph *graph;
    size_t node;                    /* the one that is made */
    const struct onnx_frame *outer; /* of a body: the graph with the node that runs it */
} onnx_frame;
typedef struct onnx_nodes {
    ridge_opgraph_node *items;
    size_t count, cap;
} onnx_nodes;
ridge_status ridge_onnx_resolve(onnx_reader *r);
/* all nodes of a graph or function, into a list */
ridge_status ridge_onnx_resolve_nodes(onnx_nodes *into, onnx_reader *r, const onnx_graph *g);
/* A name of the graph that is made; VALUE where it has one of this name. `who` gets it: "an initializer"; NULL: the node of r->frame. */
ridge_status ridge_onnx_define(onnx_reader *r, const ridge_symbol *name, uint32_t value, const char *who);
/* the names of the dimensions of the inputs */
ridge_status ridge_onnx_symbols(onnx_reader *r);
/* false: nothing of this name is seen from here */
bool ridge_onnx_lookup(uint32_t *value, onnx_reader *r, const ridge_symbol *name);
/* A scope of its own for what follows; names given in it are forgotten at its end. LIMIT where it is too deep. */
ridge_status ridge_onnx_enter(size_t *mark, onnx_reader *r);
void ridge_onnx_leave(onnx_reader *r, size_t mark);
ridge_status ridge_onnx_value_add(uint32_t *out, onnx_reader *r, ridge_opgraph_value value, onnx_tensor *t);
/* the value that a tensor of the file is: one, however often it is met */
ridge_status ridge_onnx_tensor_value(uint32_t *out, onnx_reader *r, onnx_tensor *t, ridge_str name);
/* a graph in a node: its number among the bodies */
ridge_status ridge_onnx_body(uint32_t *out, onnx_reader *r, const onnx_graph *g);
/* A node's attributes, those of a function's call in place of references. */
ridge_status ridge_onnx_arguments(ridge_opgraph_argument **out, uint32_t *count, onnx_reader *r, const onnx_node *n);
/* the function that a node calls; NULL: none */
onnx_function *ridge_onnx_function_of(onnx_reader *r, const onnx_node *n);
ridge_status ridge_onnx_call(onnx_nodes *into, onnx_reader *r, const onnx_node *n, onnx_function *f, const uint32_t *inputs,
                             const ridge_opgraph_argument *arguments, size_t argument_count);
/* a node that stands for a weight that was taken out of the file; false: it is another */
ridge_status ridge_onnx_stripped(bool *is_value, onnx_reader *r, const onnx_node *n, const uint32_t *inputs);
/* "PATH: node 'NAME' (Op) at byte N: " is in front */
ridge_status ridge_onnx_bad_node(onnx_reader *r, const onnx_node *n, ridge_status code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* why a name that the node of r->frame reads means nothing: unknown, made later, or a cycle */
ridge_status ridge_onnx_not_made(onnx_reader *r, const ridge_symbol *name);
/* modules that the exporter of PyTorch noted, into the node */
ridge_status ridge_onnx_module(ridge_opgraph_node *node, onnx_reader *r, const onnx_node *n);

/* ---- weights ---- */
/* origin of every value that is a tensor of the file, and the table of weights */
ridge_status ridge_onnx_tell_weights(onnx_reader *r);
ridge_status ridge_onnx_table(onnx_reader *r);

/* what a file is that is no ONNX, and why; SYNTAX */
ridge_status ridge_onnx_refuse(ridge_binary *file, ridge_arena *arena, ridge_err *err);

#endif
