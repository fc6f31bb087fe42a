/* module.h - nn.Module's registries, for the natives of torch.nn (module.c: attributes and calls; module_methods.c: what Python asks).
 * In: instances whose class has Registry among its bases. Out: ridge_run_module, kept up to date. Fails as Python does. */
#ifndef RIDGE_LEARN_TORCH_MODULE_H
#define RIDGE_LEARN_TORCH_MODULE_H

#include "learn/torch/run.h"

/* hooks of the native classes: a tensor whose instance has one of these in its class's order is of that class */
typedef ridge_status ridge_py_construct(ridge_py *out, ridge_py_class *class, const ridge_py_call *call, ridge_py_interp *in);
ridge_py_construct ridge_parameter_construct, ridge_buffer_construct;
ridge_status ridge_module_get(ridge_py *out, ridge_py_instance *self, const ridge_symbol *name, ridge_py_interp *in);
ridge_status ridge_module_set(bool *done, ridge_py_instance *self, const ridge_symbol *name, ridge_py value, ridge_py_interp *in);
ridge_status ridge_module_make(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in); /* __new__ */
ridge_status ridge_module_call(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in);

ridge_status ridge_module_new(ridge_run_module **out, ridge_py_class *class, ridge_py_interp *in); /* without __init__ */
/* NULL: registered as None. A name stands in one registry only; a plain attribute of this name goes. */
ridge_status ridge_module_set_parameter(ridge_run_module *module, const ridge_symbol *name, ridge_tensor *tensor, ridge_py_interp *in);
ridge_status ridge_module_set_buffer(ridge_run_module *module, const ridge_symbol *name, ridge_tensor *tensor, bool persistent,
                                     ridge_py_interp *in);
ridge_status ridge_module_set_child(ridge_run_module *module, const ridge_symbol *name, ridge_run_module *child, ridge_py_interp *in);
bool ridge_is_buffer(ridge_py value);                        /* a torch.nn.Buffer */
ridge_py ridge_module_value(const ridge_run_module *module); /* NULL is None */

#endif
