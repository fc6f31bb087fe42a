/* run.h - what a run of a model leaves behind: its modules, and in the order of execution every call of one and every operator in it.
 * Made by learn/torch while Python is interpreted; read by learn/derive (numbers of this configuration) and learn/template (entries). */
#ifndef RIDGE_LEARN_TORCH_RUN_H
#define RIDGE_LEARN_TORCH_RUN_H

#include "learn/torch/operator.h"
#include "learn/torch/tensor.h"

typedef struct ridge_trace ridge_trace;
typedef struct ridge_run_call ridge_run_call;
typedef struct ridge_run_module ridge_run_module;

/* An operand or result as it was at that moment. */
typedef struct ridge_run_operand {
    const ridge_tensor *tensor; /* a snapshot: shape and dtype don't change afterwards */
} ridge_run_operand;

/* What autograd keeps for the backward pass. */
typedef struct ridge_run_kept {
    const ridge_tensor *tensor;
    bool copied; /* it is written over, so that a copy is kept */
} ridge_run_kept;

/* An ATen operator that ran. Views are not written down. */
typedef struct ridge_run_operator {
    const ridge_operator *operator;
    const ridge_run_operand *inputs, *outputs;
    uint32_t input_count, output_count, kept_count;
    const ridge_run_kept *kept;
    const ridge_poly *flops;        /* of its class; NULL: not known */
    const ridge_poly *reads, *writes; /* bytes with the dtypes of this run, NULL: not known */
    const char *file;
    uint32_t line;
    const ridge_hole *hole; /* why something is not known, or NULL */
} ridge_run_operator;

typedef struct ridge_run_event {
    const ridge_run_operator *operator; /* or */
    ridge_run_call *call;
} ridge_run_event;

/* One execution of a module's forward. The root call has no module: it is the model's caller. */
struct ridge_run_call {
    ridge_run_module *module;
    ridge_run_call *parent;
    ridge_run_event *events;
    size_t count, cap;
    size_t first_condition, last_condition; /* of in->conditions that were new in it */
    const char *file; /* of the line that called it */
    uint32_t line;
    ridge_py arguments, keywords, result; /* TUPLE, DICT, any: for shapes in and out */
};

typedef struct ridge_run_tensor {
    const ridge_symbol *name;
    ridge_tensor *tensor; /* NULL: registered as None */
    bool persistent;      /* of a buffer: is in the state dict */
} ridge_run_tensor;
/* What was taken for granted where nothing said it: shown beside the numbers that rest on it. */
typedef struct ridge_run_assumed {
    const char *what, *file;
    uint32_t line;
} ridge_run_assumed;
typedef struct ridge_run_child {
    const ridge_symbol *name;
    ridge_run_module *module; /* NULL: registered as None */
} ridge_run_child;

/* An nn.Module; ridge_py_instance.data points here. Shared modules and tied tensors are the same pointer. */
struct ridge_run_module {
    ridge_py_instance *instance;
    const char *class_path; /* transformers.models.llama.modeling_llama.LlamaModel, torch.nn.modules.linear.Linear */
    ridge_run_tensor *parameters, *buffers;
    ridge_run_child *children; /* in order of registration, as named_modules() gives them */
    size_t parameter_count, parameter_cap, buffer_count, buffer_cap, child_count, child_cap;
    ridge_py arguments, keywords; /* of __init__, with their symbols: TUPLE, DICT */
    const char *file; /* of the line that made it */
    uint32_t line;
    uint32_t id;
};

struct ridge_trace {
    ridge_run_call *root, *current;
    ridge_run_module **modules; /* in order of creation */
    size_t module_count, module_cap;
    uint32_t storages;
    uint64_t operators; /* how many ran */
    bool recording;     /* false while a model is built */
    ridge_py times;     /* operators count as often as this INT says: one step of a recurrence for all; UNSET: once */
    ridge_dtype default_dtype; /* torch.set_default_dtype */
    struct ridge_operator_table *table; /* operator.c */
    ridge_run_assumed *assumed;
    size_t assumed_count, assumed_cap;
    struct ridge_operator **named;      /* stand for calls of functions that the table lacks, one for each name and class */
    size_t named_count, named_cap;
    ridge_py no_keywords;                  /* an empty DICT */
    ridge_py_class *pair_class; /* of what max(dim=...) and topk give: values, indices */
    const ridge_py_class *module_class, *parameter_class; /* natives: Registry and Parameter */
};

/* ---- how it is made: run.c, module.c ---- */
ridge_status ridge_run_start(ridge_py_interp *in); /* a new run in in->run, recording nothing yet */
/* A call of a module begins; what runs until ridge_run_pop is in it. Nothing happens while nothing is recorded: *out is NULL then. */
ridge_status ridge_run_push(ridge_run_call **out, ridge_run_module *module, ridge_py arguments, ridge_py keywords, ridge_py_interp *in);
void ridge_run_pop(ridge_run_call *call, ridge_py result, ridge_py_interp *in);
/* An operator ran, in the current call: copied, with its place and with snapshots of those inputs and outputs that are tensors (lists of
 * them, too). `record` holds the rest: operator, flops, reads, writes, hole. */
ridge_status ridge_run_add(const ridge_run_operator *record, const ridge_py *inputs, size_t input_count, const ridge_py *outputs,
                           size_t output_count, ridge_py_interp *in);
/* The native part of torch.nn: module torch.nn.modules._native with the classes Registry (Module's base) and Parameter. */
ridge_status ridge_nn_install(ridge_py_interp *in);
/* writes down, once for each line of the user's source, that something is taken for granted there */
ridge_status ridge_run_assume(const char *what, ridge_py_interp *in);
void ridge_run_here(const char **file, uint32_t *line, const ridge_py_interp *in); /* the line of Python that is being run; NULL: none */
bool ridge_is_parameter(ridge_py value); /* a torch.nn.Parameter: tensor->parameter is its instance, of that class */

/* the torch package, with the hooks of tensors; in->run is its run */
ridge_status ridge_torch_install(ridge_py_interp *in);
static inline ridge_trace *ridge_run_of(const ridge_py_interp *in)
{
    return in->run;
}
/* NULL where the value is no nn.Module */
ridge_run_module *ridge_run_module_of(ridge_py value);

/* A set of addresses: what was met before. Start with {0}. *fresh: it was not in it. */
typedef struct ridge_run_set {
    const void **slots;
    size_t cap, count;
} ridge_run_set;
ridge_status ridge_run_set_add(bool *fresh, ridge_run_set *set, const void *address, ridge_py_interp *in);

/* Walks as named_modules() does: every module once, parents first. path: "" is the model. Ends early where `visit` fails. */
typedef ridge_status ridge_run_visit(const char *path, ridge_run_module *module, void *state);
ridge_status ridge_run_walk(ridge_run_module *model, ridge_run_visit *visit, void *state, ridge_py_interp *in);

#endif
