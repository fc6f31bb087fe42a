/* module_methods.c - the natives that catalog/python/torch/nn builds Module, its containers and Parameter on. */
#include "learn/torch/module.h"

static ridge_status self_of(ridge_run_module **out, ridge_py value, ridge_py_interp *in)
{
    *out = ridge_run_module_of(value);
    return *out ? RIDGE_OK : ridge_py_raise(in, "TypeError", "'%s' object is no Module", ridge_py_type_text(value));
}

static ridge_status symbol_of(const ridge_symbol **out, ridge_py name, ridge_py_interp *in)
{
    if (name.type != RIDGE_PY_T_STR)
        return ridge_py_raise(in, "TypeError", "name should be a string, got %s", ridge_py_type_text(name));
    *out = ridge_intern(&in->names, name.u.s->text);
    return *out ? RIDGE_OK : ridge_no_memory(in->err);
}

static ridge_status module_and_name(ridge_run_module **module, const ridge_symbol **name, const ridge_py *values, ridge_py_interp *in)
{
    ridge_status status = self_of(module, values[0], in);
    return status == RIDGE_OK ? symbol_of(name, values[1], in) : status;
}

/* ---- registering ---- */

static ridge_status register_parameter(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py values[3];
    ridge_run_module *module;
    const ridge_symbol *name;
    ridge_status status = ridge_py_bind(values, 3, call, in);
    if (status == RIDGE_OK)
        status = module_and_name(&module, &name, values, in);
    if (status != RIDGE_OK)
        return status;
    *out = ridge_py_none();
    if (values[2].type == RIDGE_PY_T_UNKNOWN)
        return ridge_py_scope_set(&module->instance->attributes, name, values[2], in);
    if (values[2].type != RIDGE_PY_T_NONE && !ridge_is_parameter(values[2]))
        return ridge_py_raise(in, "TypeError", "cannot assign '%s' object to parameter '%s' (torch.nn.Parameter or None required)",
                              ridge_py_type_text(values[2]), name->text);
    return ridge_module_set_parameter(module, name, values[2].type == RIDGE_PY_T_NONE ? NULL : values[2].u.tensor, in);
}

static ridge_status register_buffer(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py values[4];
    ridge_run_module *module;
    const ridge_symbol *name;
    bool persistent = true;
    ridge_status status = ridge_py_bind(values, 4, call, in);
    if (status == RIDGE_OK)
        status = module_and_name(&module, &name, values, in);
    if (status == RIDGE_OK)
        status = ridge_py_truth(&persistent, values[3], in);
    if (status != RIDGE_OK)
        return status;
    *out = ridge_py_none();
    if (values[2].type == RIDGE_PY_T_UNKNOWN)
        return ridge_py_scope_set(&module->instance->attributes, name, values[2], in);
    if (values[2].type != RIDGE_PY_T_NONE && values[2].type != RIDGE_PY_T_TENSOR)
        return ridge_py_raise(in, "TypeError", "cannot assign '%s' object to buffer '%s' (torch Tensor or None required)",
                              ridge_py_type_text(values[2]), name->text);
    return ridge_module_set_buffer(module, name, values[2].type == RIDGE_PY_T_NONE ? NULL : values[2].u.tensor, persistent, in);
}

static ridge_status add_module(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py values[3];
    ridge_run_module *module;
    const ridge_symbol *name;
    ridge_status status = ridge_py_bind(values, 3, call, in);
    if (status == RIDGE_OK)
        status = module_and_name(&module, &name, values, in);
    if (status != RIDGE_OK)
        return status;
    *out = ridge_py_none();
    ridge_run_module *child = ridge_run_module_of(values[2]);
    if (!child && values[2].type != RIDGE_PY_T_NONE)
        return ridge_py_raise(in, "TypeError", "%s is not a Module subclass", ridge_py_type_text(values[2]));
    return ridge_module_set_child(module, name, child, in);
}

/* ---- lists of what is registered ---- */

static ridge_status pair(ridge_py *out, const char *name, ridge_py value, ridge_py_interp *in)
{
    ridge_py text;
    ridge_status status = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, 2, in);
    if (status == RIDGE_OK)
        status = ridge_py_strz(&text, name, in);
    if (status == RIDGE_OK)
        status = ridge_py_append(out->u.list, text, in);
    return status == RIDGE_OK ? ridge_py_append(out->u.list, value, in) : status;
}

static ridge_status append_pair(ridge_py_list *list, const char *name, ridge_py value, ridge_py_interp *in)
{
    ridge_py both;
    ridge_status status = pair(&both, name, value, in);
    return status == RIDGE_OK ? ridge_py_append(list, both, in) : status;
}

static const char *joined(const char *prefix, const char *name, ridge_py_interp *in)
{
    if (!prefix[0] || !name[0])
        return prefix[0] ? prefix : name;
    return ridge_arena_printf(in->arena, "%s.%s", prefix, name);
}

typedef struct listing {
    ridge_py_list *list;
    const char *prefix;
    enum { MODULES, PARAMETERS, BUFFERS, STATE } what;
    bool repeat; /* tied tensors each time */
    ridge_run_set seen;
    ridge_py_interp *in;
} listing;

static ridge_status list_module(const char *path, ridge_run_module *module, void *state)
{
    listing *l = state;
    const char *name = joined(l->prefix, path, l->in);
    return name ? append_pair(l->list, name, ridge_module_value(module), l->in) : ridge_no_memory(l->in->err);
}

static ridge_status list_each(listing *l, const char *path, const ridge_run_tensor *tensors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool fresh = true;
        if (!tensors[i].tensor || (l->what == STATE && !tensors[i].persistent))
            continue;
        ridge_status status = l->repeat ? RIDGE_OK : ridge_run_set_add(&fresh, &l->seen, tensors[i].tensor, l->in);
        const char *name = joined(path, tensors[i].name->text, l->in);
        if (status == RIDGE_OK && !name)
            status = ridge_no_memory(l->in->err);
        if (status == RIDGE_OK && fresh)
            status = append_pair(l->list, name, ridge_py_tensor(tensors[i].tensor), l->in);
        if (status != RIDGE_OK)
            return status;
    }
    return RIDGE_OK;
}

static ridge_status list_tensors(const char *path, ridge_run_module *module, void *state)
{
    listing *l = state;
    const char *name = joined(l->prefix, path, l->in);
    if (!name)
        return ridge_no_memory(l->in->err);
    ridge_status status = RIDGE_OK;
    if (l->what != BUFFERS)
        status = list_each(l, name, module->parameters, module->parameter_count);
    if (status == RIDGE_OK && l->what != PARAMETERS)
        status = list_each(l, name, module->buffers, module->buffer_count);
    return status;
}

static const char *text_or_none(ridge_py value)
{
    return value.type == RIDGE_PY_T_STR ? value.u.s->text.p : "";
}

/* _named(self, what, prefix='', recurse=True, remove_duplicate=True): a list of (name, module or tensor) */
static ridge_status named(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    static const char *const words[] = {"modules", "parameters", "buffers", "state"};
    ridge_py values[5];
    ridge_run_module *module;
    listing l = {.in = in};
    bool recurse = true, unique = true;
    ridge_status status = ridge_py_bind(values, 5, call, in);
    if (status == RIDGE_OK)
        status = self_of(&module, values[0], in);
    if (status == RIDGE_OK)
        status = ridge_py_truth(&recurse, values[3], in);
    if (status == RIDGE_OK)
        status = ridge_py_truth(&unique, values[4], in);
    if (status == RIDGE_OK)
        status = ridge_py_new_list(out, RIDGE_PY_T_LIST, 0, in);
    if (status != RIDGE_OK)
        return status;
    for (unsigned i = 0; i < 4; i++)
        if (strcmp(words[i], text_or_none(values[1])) == 0)
            l.what = i;
    l.repeat = !unique;
    l.list = out->u.list;
    l.prefix = text_or_none(values[2]);
    ridge_run_visit *visit = l.what == MODULES ? list_module : list_tensors;
    return recurse ? ridge_run_walk(module, visit, &l, in) : visit("", module, &l);
}

/* ---- containers ---- */

static ridge_status child_count(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_run_module *module;
    ridge_status status = self_of(&module, call->args[0], in);
    if (status == RIDGE_OK)
        *out = ridge_py_int((int64_t)module->child_count);
    return status;
}

/* _child_list(self): the modules, in order, without their names */
static ridge_status child_list(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_run_module *module;
    ridge_status status = self_of(&module, call->args[0], in);
    if (status == RIDGE_OK)
        status = ridge_py_new_list(out, RIDGE_PY_T_LIST, module->child_count, in);
    for (size_t i = 0; status == RIDGE_OK && i < module->child_count; i++)
        status = ridge_py_append(out->u.list, ridge_module_value(module->children[i].module), in);
    return status;
}

/* _child(self, index): negative ones count from the end */
static ridge_status child(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py values[2];
    ridge_run_module *module;
    int64_t index;
    ridge_status status = ridge_py_bind(values, 2, call, in);
    if (status == RIDGE_OK)
        status = self_of(&module, values[0], in);
    if (status == RIDGE_OK && values[1].type == RIDGE_PY_T_UNKNOWN) {
        *out = values[1];
        return RIDGE_OK;
    }
    if (status == RIDGE_OK)
        status = ridge_py_concrete(&index, values[1], in);
    if (status != RIDGE_OK)
        return status;
    int64_t count = (int64_t)module->child_count;
    if (index < -count || index >= count)
        return ridge_py_raise(in, "IndexError", "index %lld is out of range", (long long)index);
    *out = ridge_module_value(module->children[index < 0 ? index + count : index].module);
    return RIDGE_OK;
}

/* _replace(self, names, modules): all children anew */
static ridge_status replace_children(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py values[3], names, modules;
    ridge_run_module *module;
    ridge_status status = ridge_py_bind(values, 3, call, in);
    if (status == RIDGE_OK)
        status = self_of(&module, values[0], in);
    if (status == RIDGE_OK)
        status = ridge_py_collect(&names, RIDGE_PY_T_LIST, values[1], in);
    if (status == RIDGE_OK)
        status = ridge_py_collect(&modules, RIDGE_PY_T_LIST, values[2], in);
    if (status != RIDGE_OK)
        return status;
    module->child_count = 0;
    *out = ridge_py_none();
    for (size_t i = 0; status == RIDGE_OK && i < names.u.list->count && i < modules.u.list->count; i++) {
        const ridge_symbol *name;
        status = symbol_of(&name, names.u.list->items[i], in);
        if (status == RIDGE_OK)
            status = ridge_module_set_child(module, name, ridge_run_module_of(modules.u.list->items[i]), in);
    }
    return status;
}

/* ---- copies and conversions ---- */

/* _blank_copy(self): a module of the same class and arguments, with nothing registered */
static ridge_status blank_copy(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_run_module *module, *copy;
    ridge_status status = self_of(&module, call->args[0], in);
    if (status == RIDGE_OK)
        status = ridge_module_new(&copy, module->instance->class, in);
    if (status != RIDGE_OK)
        return status;
    copy->arguments = module->arguments;
    copy->keywords = module->keywords;
    *out = ridge_module_value(copy);
    return RIDGE_OK;
}

static bool is_floating(ridge_dtype dtype)
{
    return dtype == RIDGE_DTYPE_F16 || dtype == RIDGE_DTYPE_BF16 || dtype == RIDGE_DTYPE_F32 || dtype == RIDGE_DTYPE_F64 ||
           dtype == RIDGE_DTYPE_F8;
}

static void cast_each(const ridge_run_tensor *tensors, size_t count, ridge_dtype dtype)
{
    for (size_t i = 0; i < count; i++)
        if (tensors[i].tensor && is_floating(tensors[i].tensor->dtype))
            tensors[i].tensor->dtype = dtype;
}

static ridge_status cast_module(const char *path, ridge_run_module *module, void *state)
{
    const ridge_dtype *dtype = state;
    (void)path;
    cast_each(module->parameters, module->parameter_count, *dtype);
    cast_each(module->buffers, module->buffer_count, *dtype);
    return RIDGE_OK;
}

/* _cast(self, dtype): what is floating point, in place, in the whole tree */
static ridge_status cast(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py values[2];
    ridge_run_module *module;
    ridge_dtype dtype;
    ridge_status status = ridge_py_bind(values, 2, call, in);
    if (status == RIDGE_OK)
        status = self_of(&module, values[0], in);
    if (status != RIDGE_OK)
        return status;
    *out = values[0];
    if (!ridge_dtype_of(&dtype, values[1]) || !is_floating(dtype))
        return RIDGE_OK;
    return ridge_run_walk(module, cast_module, &dtype, in);
}

static ridge_status get_attribute(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py values[2];
    ridge_run_module *module;
    const ridge_symbol *name;
    ridge_status status = ridge_py_bind(values, 2, call, in);
    if (status == RIDGE_OK)
        status = module_and_name(&module, &name, values, in);
    if (status == RIDGE_OK)
        status = ridge_module_get(out, module->instance, name, in);
    if (status == RIDGE_OK && out->type == RIDGE_PY_T_UNSET)
        return ridge_py_raise(in, "AttributeError", "'%s' object has no attribute '%s'", ridge_py_type_text(values[0]), name->text);
    return status;
}

/* times(count): operators count that often from here on; None: once. Answers what held before. */
static ridge_status set_times(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_trace *run = ridge_run_of(in);
    ridge_py count;
    ridge_status status = ridge_py_bind(&count, 1, call, in);
    if (status != RIDGE_OK)
        return status;
    *out = run->times.type == RIDGE_PY_T_UNSET ? ridge_py_none() : run->times;
    if (count.type == RIDGE_PY_T_NONE)
        run->times = ridge_py_unset();
    else if (run->times.type == RIDGE_PY_T_UNSET || count.type == RIDGE_PY_T_UNKNOWN)
        run->times = count;
    else if (out->type != RIDGE_PY_T_UNKNOWN)
        return ridge_py_raise(in, "NotImplementedError", "a recurrence within a recurrence");
    return RIDGE_OK;
}

/* ---- Parameter and Buffer ---- */

static ridge_py argument(const ridge_py_call *call, size_t place, const char *name)
{
    if (call->count > place)
        return call->args[place];
    for (size_t i = 0; i < call->keyword_count; i++)
        if (strcmp(call->keywords[i].name->text, name) == 0)
            return call->keywords[i].value;
    return ridge_py_unset();
}

/* A tensor of its own over the memory of `data`, which belongs to the model from here on; what was in it is not kept: weights are loaded.
 */
static ridge_status over_memory(ridge_py *out, ridge_py_class *class, ridge_py data, ridge_storage_kind kind, ridge_py_interp *in)
{
    ridge_tensor *tensor;
    ridge_py instance, nothing = ridge_py_int(0);
    ridge_status status = RIDGE_OK;
    bool fresh = kind == RIDGE_STORAGE_PARAMETER && data.type == RIDGE_PY_T_TENSOR && !data.u.tensor->parameter &&
                 data.u.tensor->storage->owner == data.u.tensor && data.u.tensor->storage->kind == RIDGE_STORAGE_ACTIVATION;
    if (fresh) /* made for this, as nearly all are: Parameter(torch.empty(...)) */
        tensor = data.u.tensor;
    else if (data.type == RIDGE_PY_T_TENSOR)
        status = ridge_tensor_view(&tensor, data.u.tensor, data.u.tensor->dims, data.u.tensor->rank, in);
    else
        status = ridge_tensor_new(&tensor, RIDGE_DTYPE_F32, &nothing, 1, in);
    if (status == RIDGE_OK)
        status = ridge_py_new_instance(&instance, class, in);
    if (status != RIDGE_OK)
        return status;
    tensor->parameter = instance.u.instance;
    tensor->storage->kind = kind;
    if (kind == RIDGE_STORAGE_PARAMETER) {
        tensor->storage->version++;
        tensor->storage->owner = tensor;
    }
    *out = ridge_py_tensor(tensor);
    return RIDGE_OK;
}

static ridge_status check_data(ridge_py data, ridge_py_interp *in)
{
    if (data.type == RIDGE_PY_T_TENSOR || data.type == RIDGE_PY_T_UNSET || data.type == RIDGE_PY_T_NONE)
        return RIDGE_OK;
    return ridge_py_raise(in, "TypeError", "Parameter: data must be a tensor, not '%s'", ridge_py_type_text(data));
}

ridge_status ridge_parameter_construct(ridge_py *out, ridge_py_class *class, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py data = argument(call, 0, "data"), grad = argument(call, 1, "requires_grad");
    bool requires_grad = true;
    *out = data;
    if (data.type == RIDGE_PY_T_UNKNOWN)
        return RIDGE_OK;
    ridge_status status = check_data(data, in);
    if (status == RIDGE_OK && grad.type != RIDGE_PY_T_UNSET)
        status = ridge_py_truth(&requires_grad, grad, in);
    if (status == RIDGE_OK)
        status = over_memory(out, class, data, RIDGE_STORAGE_PARAMETER, in);
    if (status == RIDGE_OK)
        out->u.tensor->requires_grad = requires_grad;
    return status;
}

ridge_status ridge_buffer_construct(ridge_py *out, ridge_py_class *class, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py data = argument(call, 0, "data");
    *out = data;
    if (data.type == RIDGE_PY_T_UNKNOWN)
        return RIDGE_OK;
    ridge_status status = check_data(data, in);
    return status == RIDGE_OK ? over_memory(out, class, data, RIDGE_STORAGE_BUFFER, in) : status;
}

/* ---- installing ---- */

static const ridge_py_native_entry registry_methods[] = {
    {"__new__", ridge_module_make, NULL},
    {"__call__", ridge_module_call, NULL},
    {"__getattr__", get_attribute, "self, name"},
    {"register_parameter", register_parameter, "self, name, param"},
    {"register_buffer", register_buffer, "self, name, tensor, persistent=True"},
    {"add_module", add_module, "self, name, module"},
    {"register_module", add_module, "self, name, module"},
    {"_named", named, "self, what, prefix='', recurse=True, remove_duplicate=True"},
    {"_child_count", child_count, "self"},
    {"_child_list", child_list, "self"},
    {"_child", child, "self, index"},
    {"_replace", replace_children, "self, names, modules"},
    {"_blank_copy", blank_copy, "self"},
    {"_cast", cast, "self, dtype"},
};

static ridge_status add_class(ridge_py_class **out, ridge_py_module *module, const char *name, const ridge_py_native_entry *methods,
                              size_t count, ridge_py_interp *in)
{
    ridge_status status = ridge_py_native_class(out, name, NULL, 0, methods, count, in);
    if (status != RIDGE_OK)
        return status;
    (*out)->module = module;
    return ridge_py_scope_set(&module->globals, (*out)->name, (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = *out}, in);
}

ridge_status ridge_nn_install(ridge_py_interp *in)
{
    ridge_trace *run = ridge_run_of(in);
    ridge_py_module *module;
    ridge_py_class *registry = NULL, *parameter = NULL, *buffer = NULL;
    static const ridge_py_native_entry functions[] = {{"times", set_times, "count"}};
    ridge_status status = ridge_py_native_module(&module, "torch.nn.modules._native", functions, 1, in);
    if (status == RIDGE_OK)
        status = add_class(&registry, module, "Registry", registry_methods, sizeof registry_methods / sizeof *registry_methods, in);
    if (status == RIDGE_OK)
        status = add_class(&parameter, module, "Parameter", NULL, 0, in);
    if (status == RIDGE_OK)
        status = add_class(&buffer, module, "Buffer", NULL, 0, in);
    if (status != RIDGE_OK)
        return status;
    registry->get = ridge_module_get;
    registry->set = ridge_module_set;
    parameter->construct = ridge_parameter_construct;
    parameter->holds = ridge_is_parameter;
    buffer->construct = ridge_buffer_construct;
    buffer->holds = ridge_is_buffer;
    run->module_class = registry;
    run->parameter_class = parameter;
    return RIDGE_OK;
}
