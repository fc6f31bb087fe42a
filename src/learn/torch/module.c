/* module.c - what torch.nn.Module and Parameter are, below their Python (catalog/python/torch/nn/modules/module.py): the registries of
 * parameters, buffers and children, kept where an attribute is set, and calls of forward, which leave their trace. */
#include "learn/torch/module.h"

static ridge_py_class *class_with(const ridge_py_class *class, ridge_py_construct *construct)
{
    for (size_t i = 0; i < class->order_count; i++)
        if (class->order[i]->construct == construct)
            return class->order[i];
    return NULL;
}

ridge_run_module *ridge_run_module_of(ridge_py value)
{
    if (value.type != RIDGE_PY_T_INSTANCE || !value.u.instance->data)
        return NULL;
    return value.u.instance->class->get == ridge_module_get ? value.u.instance->data : NULL;
}

static bool marked(ridge_py value, ridge_py_construct *construct)
{
    return value.type == RIDGE_PY_T_TENSOR && value.u.tensor->parameter && class_with(value.u.tensor->parameter->class, construct);
}

bool ridge_is_parameter(ridge_py value)
{
    return marked(value, ridge_parameter_construct);
}

bool ridge_is_buffer(ridge_py value)
{
    return marked(value, ridge_buffer_construct);
}

/* ---- registries ---- */

static ridge_run_tensor *find_tensor(ridge_run_tensor *tensors, size_t count, const ridge_symbol *name)
{
    for (size_t i = 0; i < count; i++)
        if (tensors[i].name == name)
            return &tensors[i];
    return NULL;
}

static ridge_run_child *find_child(const ridge_run_module *module, const ridge_symbol *name)
{
    for (size_t i = 0; i < module->child_count; i++)
        if (module->children[i].name == name)
            return &module->children[i];
    return NULL;
}

static bool remove_tensor(ridge_run_tensor *tensors, size_t *count, const ridge_symbol *name)
{
    ridge_run_tensor *found = find_tensor(tensors, *count, name);
    if (!found)
        return false;
    size_t after = *count - (size_t)(found - tensors) - 1;
    memmove(found, found + 1, after * sizeof *found);
    (*count)--;
    return true;
}

static bool remove_child(ridge_run_module *module, const ridge_symbol *name)
{
    ridge_run_child *found = find_child(module, name);
    if (!found)
        return false;
    size_t after = module->child_count - (size_t)(found - module->children) - 1;
    memmove(found, found + 1, after * sizeof *found);
    module->child_count--;
    return true;
}

static bool remove_parameter(ridge_run_module *module, const ridge_symbol *name)
{
    return remove_tensor(module->parameters, &module->parameter_count, name);
}

static bool remove_buffer(ridge_run_module *module, const ridge_symbol *name)
{
    return remove_tensor(module->buffers, &module->buffer_count, name);
}

static bool remove_everywhere(ridge_run_module *module, const ridge_symbol *name)
{
    bool parameter = remove_parameter(module, name), buffer = remove_buffer(module, name), child = remove_child(module, name);
    return parameter || buffer || child;
}

ridge_status ridge_module_set_parameter(ridge_run_module *module, const ridge_symbol *name, ridge_tensor *tensor, ridge_py_interp *in)
{
    remove_buffer(module, name);
    remove_child(module, name);
    ridge_py_scope_remove(&module->instance->attributes, name);
    ridge_run_tensor *found = find_tensor(module->parameters, module->parameter_count, name);
    if (found) {
        found->tensor = tensor;
        return RIDGE_OK;
    }
    if (!ridge_arena_more(in->arena, &module->parameters, module->parameter_count, &module->parameter_cap, sizeof *module->parameters))
        return ridge_no_memory(in->err);
    module->parameters[module->parameter_count++] = (ridge_run_tensor){.name = name, .tensor = tensor, .persistent = true};
    return RIDGE_OK;
}

ridge_status ridge_module_set_buffer(ridge_run_module *module, const ridge_symbol *name, ridge_tensor *tensor, bool persistent,
                                     ridge_py_interp *in)
{
    if (tensor && tensor->storage && tensor->storage->kind == RIDGE_STORAGE_ACTIVATION)
        tensor->storage->kind = RIDGE_STORAGE_BUFFER;
    remove_parameter(module, name);
    remove_child(module, name);
    ridge_py_scope_remove(&module->instance->attributes, name);
    ridge_run_tensor *found = find_tensor(module->buffers, module->buffer_count, name);
    if (found) {
        *found = (ridge_run_tensor){.name = name, .tensor = tensor, .persistent = persistent};
        return RIDGE_OK;
    }
    if (!ridge_arena_more(in->arena, &module->buffers, module->buffer_count, &module->buffer_cap, sizeof *module->buffers))
        return ridge_no_memory(in->err);
    module->buffers[module->buffer_count++] = (ridge_run_tensor){.name = name, .tensor = tensor, .persistent = persistent};
    return RIDGE_OK;
}

ridge_status ridge_module_set_child(ridge_run_module *module, const ridge_symbol *name, ridge_run_module *child, ridge_py_interp *in)
{
    remove_parameter(module, name);
    remove_buffer(module, name);
    ridge_py_scope_remove(&module->instance->attributes, name);
    ridge_run_child *found = find_child(module, name);
    if (found) {
        found->module = child;
        return RIDGE_OK;
    }
    if (!ridge_arena_more(in->arena, &module->children, module->child_count, &module->child_cap, sizeof *module->children))
        return ridge_no_memory(in->err);
    module->children[module->child_count++] = (ridge_run_child){.name = name, .module = child};
    return RIDGE_OK;
}

/* ---- attributes ---- */

static ridge_py instance_value(ridge_py_instance *instance)
{
    return (ridge_py){.type = RIDGE_PY_T_INSTANCE, .u.instance = instance};
}

static ridge_py tensor_value(ridge_tensor *tensor)
{
    return tensor ? ridge_py_tensor(tensor) : ridge_py_none();
}

ridge_py ridge_module_value(const ridge_run_module *module)
{
    return module ? instance_value(module->instance) : ridge_py_none();
}

static ridge_status tensors_dict(ridge_py *out, const ridge_run_tensor *tensors, size_t count, ridge_py_interp *in)
{
    ridge_status status = ridge_py_new_dict(out, RIDGE_PY_T_DICT, in);
    for (size_t i = 0; i < count && status == RIDGE_OK; i++)
        status = ridge_py_dict_setz(out->u.dict, tensors[i].name->text, tensor_value(tensors[i].tensor), in);
    return status;
}

static ridge_status children_dict(ridge_py *out, const ridge_run_module *module, ridge_py_interp *in)
{
    ridge_status status = ridge_py_new_dict(out, RIDGE_PY_T_DICT, in);
    for (size_t i = 0; i < module->child_count && status == RIDGE_OK; i++)
        status = ridge_py_dict_setz(out->u.dict, module->children[i].name->text, ridge_module_value(module->children[i].module), in);
    return status;
}

/* a dict of the moment whose items, when they are set, are registered: Registered of torch.nn.modules.registered */
static ridge_status writable(ridge_py *out, ridge_run_module *module, const char *name, ridge_py_interp *in)
{
    ridge_py file, args[3] = {instance_value(module->instance), ridge_py_none(), *out};
    ridge_status status = ridge_py_import(&file, "torch.nn.modules.registered", in);
    if (!status)
        status = ridge_py_strz(&args[1], name, in);
    return status ? status : ridge_py_call_method(out, file, "registered", args, 3, in);
}

/* _parameters, _buffers, _modules */
static ridge_status registry(ridge_py *out, ridge_run_module *module, const char *name, ridge_py_interp *in)
{
    ridge_status status;
    if (strcmp(name, "_parameters") == 0)
        status = tensors_dict(out, module->parameters, module->parameter_count, in);
    else if (strcmp(name, "_buffers") == 0)
        status = tensors_dict(out, module->buffers, module->buffer_count, in);
    else if (strcmp(name, "_modules") == 0)
        status = children_dict(out, module, in);
    else
        return RIDGE_OK;
    return status ? status : writable(out, module, name, in);
}

ridge_status ridge_module_get(ridge_py *out, ridge_py_instance *self, const ridge_symbol *name, ridge_py_interp *in)
{
    ridge_run_module *module = self->data;
    *out = ridge_py_unset();
    if (!module)
        return RIDGE_OK;
    const ridge_run_tensor *tensor = find_tensor(module->parameters, module->parameter_count, name);
    if (!tensor)
        tensor = find_tensor(module->buffers, module->buffer_count, name);
    const ridge_run_child *child = tensor ? NULL : find_child(module, name);
    if (tensor)
        *out = tensor_value(tensor->tensor);
    else if (child)
        *out = ridge_module_value(child->module);
    else if (name->text[0] == '_')
        return registry(out, module, name->text, in);
    return RIDGE_OK;
}

static ridge_status refuse(ridge_py value, const char *as, const ridge_symbol *name, const char *wanted, ridge_py_interp *in)
{
    return ridge_py_raise(in, "TypeError", "cannot assign '%s' as %s '%s' (%s or None expected)", ridge_py_type_text(value), as, name->text,
                          wanted);
}

/* a value that is neither parameter nor module, for a name that is registered as one */
static ridge_status set_registered(bool *done, ridge_run_module *module, const ridge_symbol *name, ridge_py value, ridge_py_interp *in)
{
    ridge_run_tensor *parameter = find_tensor(module->parameters, module->parameter_count, name);
    ridge_run_tensor *buffer = parameter ? NULL : find_tensor(module->buffers, module->buffer_count, name);
    ridge_run_child *child = parameter || buffer ? NULL : find_child(module, name);
    if (!parameter && !buffer && !child)
        return RIDGE_OK;
    if (value.type == RIDGE_PY_T_UNKNOWN) { /* its hole is written down: from here on the attribute is unknown */
        remove_everywhere(module, name);
        return RIDGE_OK;
    }
    *done = true;
    bool none = value.type == RIDGE_PY_T_NONE;
    if (buffer && (none || value.type == RIDGE_PY_T_TENSOR))
        return ridge_module_set_buffer(module, name, none ? NULL : value.u.tensor, buffer->persistent, in);
    if (!none)
        return refuse(value,
                      parameter ? "parameter"
                      : buffer  ? "buffer"
                                : "child module",
                      name,
                      parameter ? "torch.nn.Parameter"
                      : buffer  ? "torch.Tensor"
                                : "torch.nn.Module",
                      in);
    if (parameter)
        parameter->tensor = NULL;
    else if (child)
        child->module = NULL;
    return RIDGE_OK;
}

ridge_status ridge_module_set(bool *done, ridge_py_instance *self, const ridge_symbol *name, ridge_py value, ridge_py_interp *in)
{
    ridge_run_module *module = self->data, *child = ridge_run_module_of(value);
    *done = false;
    if (!module)
        return RIDGE_OK;
    if (value.type == RIDGE_PY_T_UNSET) { /* del */
        *done = remove_everywhere(module, name);
        return RIDGE_OK;
    }
    *done = true;
    if (ridge_is_parameter(value))
        return ridge_module_set_parameter(module, name, value.u.tensor, in);
    if (child)
        return ridge_module_set_child(module, name, child, in);
    if (ridge_is_buffer(value))
        return ridge_module_set_buffer(module, name, value.u.tensor, true, in);
    *done = false;
    return set_registered(done, module, name, value, in);
}

/* ---- making one ---- */

static const char *path_of_class(const ridge_py_class *class, ridge_py_interp *in)
{
    const ridge_trace *run = ridge_run_of(in);
    const ridge_run_module *last = run->module_count ? run->modules[run->module_count - 1] : NULL;
    if (last && last->instance->class == class)
        return last->class_path;
    return ridge_arena_printf(in->arena, "%s.%s", class->module ? class->module->name : "builtins", class->name->text);
}

ridge_status ridge_module_new(ridge_run_module **out, ridge_py_class *class, ridge_py_interp *in)
{
    ridge_trace *run = ridge_run_of(in);
    ridge_py instance;
    ridge_status status = ridge_py_new_instance(&instance, class, in);
    if (status != RIDGE_OK)
        return status;
    ridge_run_module *module = ridge_arena_alloc(in->arena, sizeof *module);
    if (!module || !ridge_arena_more(in->arena, &run->modules, run->module_count, &run->module_cap, sizeof(ridge_run_module *)))
        return ridge_no_memory(in->err);
    module->class_path = path_of_class(class, in);
    if (!module->class_path)
        return ridge_no_memory(in->err);
    module->instance = instance.u.instance;
    module->id = (uint32_t)run->module_count;
    ridge_run_here(&module->file, &module->line, in);
    instance.u.instance->data = module;
    run->modules[run->module_count++] = module;
    *out = module;
    return RIDGE_OK;
}

/* a call's arguments after the first `skip`, as a TUPLE and a DICT */
static ridge_status keep_arguments(ridge_py *arguments, ridge_py *keywords, const ridge_py_call *call, size_t skip, ridge_py_interp *in)
{
    size_t count = call->count > skip ? call->count - skip : 0;
    ridge_status status = ridge_py_new_list(arguments, RIDGE_PY_T_TUPLE, count, in);
    for (size_t i = 0; i < count && status == RIDGE_OK; i++)
        status = ridge_py_append(arguments->u.list, call->args[skip + i], in);
    ridge_trace *run = ridge_run_of(in);
    if (status == RIDGE_OK && call->keyword_count == 0 && run->no_keywords.type == RIDGE_PY_T_DICT) {
        *keywords = run->no_keywords; /* one for all calls without any */
        return RIDGE_OK;
    }
    if (status == RIDGE_OK)
        status = ridge_py_new_dict(keywords, RIDGE_PY_T_DICT, in);
    if (status == RIDGE_OK && call->keyword_count == 0)
        run->no_keywords = *keywords;
    for (size_t i = 0; i < call->keyword_count && status == RIDGE_OK; i++)
        status = ridge_py_dict_setz(keywords->u.dict, call->keywords[i].name->text, call->keywords[i].value, in);
    return status;
}

/* Module.__new__: __init__ is called by the language, with the same arguments */
ridge_status ridge_module_make(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_run_module *module;
    if (!call->count || call->args[0].type != RIDGE_PY_T_CLASS)
        return ridge_py_raise(in, "TypeError", "Module.__new__(): not enough arguments");
    ridge_status status = ridge_module_new(&module, call->args[0].u.class, in);
    if (status == RIDGE_OK)
        status = keep_arguments(&module->arguments, &module->keywords, call, 1, in);
    if (status == RIDGE_OK)
        *out = instance_value(module->instance);
    return status;
}

/* ---- calling it ---- */

/* forward, or what stands round it where hooks are registered: the Python side's _call_hooked */
static ridge_status forward_of(ridge_py *out, ridge_py self, ridge_py_interp *in)
{
    const ridge_symbol *hooks = ridge_py_symbol(in, "_has_hooks");
    if (!hooks)
        return ridge_no_memory(in->err);
    bool hooked = ridge_py_scope_find(&self.u.instance->attributes, hooks) != NULL;
    return ridge_py_getz(out, self, hooked ? "_call_hooked" : "forward", in);
}

ridge_status ridge_module_call(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_run_module *module = call->count ? ridge_run_module_of(call->args[0]) : NULL;
    if (!module)
        return ridge_py_raise(in, "TypeError", "Module.__call__ wants a module");
    ridge_py forward, arguments, keywords;
    ridge_run_call *record = NULL;
    ridge_status status = forward_of(&forward, call->args[0], in);
    if (status == RIDGE_OK)
        status = keep_arguments(&arguments, &keywords, call, 1, in);
    if (status == RIDGE_OK)
        status = ridge_run_push(&record, module, arguments, keywords, in);
    if (status != RIDGE_OK)
        return status;
    status = ridge_py_call_value(out, forward, call->args + 1, call->count - 1, call->keywords, call->keyword_count, in);
    ridge_run_pop(record, status == RIDGE_OK ? *out : ridge_py_unset(), in);
    return status;
}
