/* run.h - what a run of a model leaves behind: its modules, and in the order of execution every call of one and every operator in it.
 * Made by learn/torch while Python is interpreted; read by learn/derive (numbers of this configuration) and learn/template (entries). */
#ifndef RIDGE_LEARN_TORCH_RUN_H
#define RIDGE_LEARN_TORCH_RUN_H

#include "learn/torch/operator.h"
#include "learn/torch/tensor.h"

typedef struct ridge_run ridge_run;
typedef struct ridge_run_call ridge_run_call;
typedef struct ridge_run_module ridge_run_module;

/* An operand or result as it was at that moment. */
typedef struct ridge_run_operand {
    const ridge_tensor *tensor; /* a snapshot: shape and dtype don't change afterwards */
} ridge_run_operand;

/* An ATen operator that ran. Views are not written down. */
typedef struct ridge_run_operator {
    const ridge_operator *operator;
    const ridge_run_operand *inputs, *outputs;
    uint32_t input_count, output_count;
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

struct ridge_run {
    ridge_run_call *root, *current;
    ridge_run_module **modules; /* in order of creation */
    size_t module_count, module_cap;
    uint32_t storages;
    uint64_t operators; /* how many ran */
    bool recording;     /* false while a model is built */
};

/* the torch package, with the hooks of tensors; in->run is its run */
ridge_status ridge_torch_install(ridge_py_interp *in);
static inline ridge_run *ridge_run_of(const ridge_py_interp *in)
{
    return in->run;
}
/* NULL where the value is no nn.Module */
ridge_run_module *ridge_run_module_of(ridge_py value);

/* Walks as named_modules() does: every module once, parents first. path: "" is the model. Ends early where `visit` fails. */
typedef ridge_status ridge_run_visit(const char *path, ridge_run_module *module, void *state);
ridge_status ridge_run_walk(ridge_run_module *model, ridge_run_visit *visit, void *state, ridge_py_interp *in);

#endif
