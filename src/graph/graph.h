/* graph.h - catalog + config + workload -> the module graph: every distinct invocation once, with its parts.
 * In: an entry, arguments, the workload's names. Out: nodes in the graph's arena; a node that is used in many places
 * (32 equal layers) is one node. Fails on unknown modules, wrong arity, cycles (printed), bad shapes. */
#ifndef RIDGE_GRAPH_GRAPH_H
#define RIDGE_GRAPH_GRAPH_H

#include "base/format.h"
#include "catalog/entry.h"

typedef struct ridge_node ridge_node;
typedef struct ridge_graph ridge_graph;

/* how a weight is stored, where not all are in the workload's format (graph/stored.h) */
typedef struct ridge_stored {
    const ridge_format *format;      /* NULL: the workload's */
    ridge_int bytes;                 /* of the whole tensor where a file says so; 0: what the format makes of the shape */
    const ridge_format *activations; /* that kernels quantise the other operand to; NULL: the workload's */
} ridge_stored;

typedef struct ridge_node_tensor {
    const ridge_symbol *name;
    const ridge_int *dims;
    size_t rank;
    ridge_int elements;
    const char *format;  /* buffers, cache: a format's name; NULL: the workload's */
    ridge_value shape;   /* cache, in symbolic runs: its dimensions as they came out; dims is NULL */
    ridge_stored stored; /* weights */
} ridge_node_tensor;

typedef struct ridge_tensors {
    ridge_node_tensor *p;
    size_t n;
} ridge_tensors;

typedef struct ridge_child {
    ridge_str name;
    ridge_node *node;    /* NULL: an alias */
    ridge_str alias;     /* path of the module meant */
    ridge_value calls;   /* how often the parent calls it: INT, or SYM in symbolic runs */
    ridge_node *without; /* symbolic runs: what an expert whose calls depend on the workload is without tokens; NULL: none */
    int flop_class;      /* -1: each its own */
    ridge_role role;     /* as the component says */
    ridge_split_way split;
    uint32_t component;    /* index in the parent entry's breakdown */
    bool not_called;       /* only its parts are called */
    bool idle;             /* an expert whose share of the tokens is 0 */
    bool spread;           /* one of a mixture's experts */
    ridge_int experts;     /* graph.pool_experts: how many it stands for; 0: it is one module */
    ridge_value routed;    /* ... the rows that they share */
    ridge_value per_token; /* ... how many of them a token runs; UNSET: not said */
    ridge_node *rowless;   /* ... and what one of them is that has none */
} ridge_child;

typedef struct ridge_tie {
    ridge_str weight; /* path of the tensor below the node */
    ridge_str target; /* path looked for from the node outwards */
} ridge_tie;

struct ridge_node {
    const ridge_entry *entry; /* NULL: a container */
    const char *class_name;
    ridge_kind kind;
    const ridge_object *config;
    ridge_value *args;  /* as invoked */
    ridge_value *slots; /* parameters, local names and shapes: what the cost formulas see */
    ridge_tensors weights, buffers, cache;
    const ridge_tensors *stored; /* weights that its formulas can read, each with how it is stored; NULL: all in the workload's format */
    ridge_child *children;
    size_t child_count;
    ridge_tie *ties;
    size_t tie_count;
    ridge_int experts,
        run;          /* of a mixture in one tensor: how many slices each weight has, and how many of them a token runs; 0: it is none */
    bool called;      /* containers: does the parent call it, or only its children */
    bool list;        /* a container of equal rank, a ModuleList: what is in it is called one by one */
    bool skipped;     /* `skip` held: costs nothing */
    ridge_value runs; /* symbolic: 1 where `skip` does not hold, else 0; UNSET: always runs */
    bool building;
    ridge_context context; /* flat entries: whose arguments these are */
    ridge_value number;    /* flat entries: what the template of `context` gives, once asked for (cost/flat.h) */
    uint32_t id;           /* 0, 1, ... in order of creation */
    uint32_t hash;
    ridge_node *next; /* in the memo's bucket */
};

/* An entry on the way: invoked, not answered yet. On the C stack of who invokes; `up` is the one that it is invoked for. */
typedef struct ridge_graph_call {
    const ridge_entry *entry;
    const ridge_node *node;  /* NULL: a formula or a choice, which is no node ... */
    const ridge_value *args; /* ... and is known again by its arguments and config */
    const ridge_object *config;
    const struct ridge_graph_call *up;
} ridge_graph_call;

struct ridge_graph {
    ridge_registry *registry;
    ridge_arena *arena;
    ridge_err *err;
    ridge_evaluation run;
    ridge_value globals[RIDGE_GLOBAL_COUNT];
    ridge_algebra *algebra; /* symbolic runs */
    ridge_node **buckets;
    size_t bucket_count;
    uint32_t node_count;
    ridge_node *building;
    const ridge_graph_call *calls; /* the innermost; NULL: none */
    ridge_status (*refuse)(ridge_graph *graph, ridge_value *out,
                           const ridge_symbol *module); /* a module that is not in the catalog; NULL: an error */
    void *refuse_data;
    ridge_source **overrides; /* the user's entries that stand for built-in ones and were used here, each once */
    size_t override_count, override_cap;
    ridge_context context;     /* flat entries take the arguments of their template for this one */
    void *number_data;         /* for run.number_of */
    bool pool_experts;         /* a mixture's experts are one module, "*", that runs all their rows: for times, not for parameters */
    struct ridge_store *store; /* nodes of weights that are stored each in its way (graph/stored.h); NULL: there are none */
    bool free_shapes;          /* symbolic arguments: a weight whose shape depends on names gets no tensor, instead of an error */
};

/* algebra: NULL, or an initialised one for symbolic runs. Globals are the caller's to set. */
ridge_status ridge_graph_init(ridge_graph *graph, ridge_registry *registry, ridge_arena *arena, ridge_algebra *algebra, ridge_err *err);

/* Notes that an entry is used, where it rests on the user's overrides. */
ridge_status ridge_graph_note_use(ridge_graph *graph, const ridge_entry *entry);

/* Invokes an entry; out is a NODE, or a number for a formula. */
ridge_status ridge_graph_invoke(ridge_value *out, ridge_graph *graph, const ridge_symbol *module, const ridge_argument *args, size_t count);

/* Puts arguments into a frame of parameters: positional, then named, then defaults. The frame's room is set up by the caller. */
ridge_status ridge_graph_bind(ridge_graph *graph, const ridge_entry *entry, const ridge_parameter *parameters, size_t parameter_count,
                              ridge_value *frame, const ridge_argument *args, size_t count);
/* CYCLE, printing the way from `again`, one of graph->calls, to itself */
ridge_status ridge_graph_cycle(ridge_graph *graph, const ridge_graph_call *again);
/* the same for the call whose node this is */
ridge_status ridge_graph_cycle_of(ridge_graph *graph, const ridge_node *again);
/* As ridge_graph_invoke, for an entry of the flat form: a node with the arguments of its template for graph->context. */
ridge_status ridge_graph_flat(ridge_value *out, ridge_graph *graph, const ridge_entry *entry, const ridge_argument *args, size_t count);

/* Sets run for evaluating a node's own formulas. */
void ridge_graph_enter(ridge_graph *graph, const ridge_node *node);

/* unique parameters of everything below (and at) a node, ties counted once; their bytes where a format is given; experts whose
 * share of the tokens is 0 left out where asked */
ridge_status ridge_graph_parameters(ridge_int *out, ridge_graph *graph, const ridge_node *root, const ridge_format *format,
                                    bool without_idle);
bool ridge_graph_has_experts(const ridge_node *root);
/* is a weight of a node that holds a mixture's experts made of one slice for each? */
bool ridge_graph_holds_experts(const ridge_node *node, const ridge_node_tensor *weight);
/* does a module keep something between calls: keys and values, a state? */
bool ridge_graph_has_cache(const ridge_node *root);
/* parameters of the input embedding table (get_input_embeddings()): the first torch.nn.Embedding outside repeated layers; 0: none */
ridge_int ridge_graph_embedding(const ridge_node *root);

#endif
