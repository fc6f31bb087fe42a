/* attributes of classes, modules and functions */
#include "learn/python/machine.h"

ridge_status ridge_py_symbol_of(const ridge_symbol **out, ridge_py text, ridge_py_interp *in)
{
    text = ridge_py_base(text);
    if (text.type != RIDGE_PY_T_STR)
        return ridge_py_raise(in, "TypeError", "attribute name must be string, not '%s'", ridge_py_type_text(text));
    *out = ridge_intern(&in->names, text.u.s->text);
    return *out ? RIDGE_OK : ridge_no_memory(in->err);
}

ridge_status ridge_py_scope_dict(ridge_py *out, const ridge_py_scope *scope, ridge_py_interp *in)
{
    ridge_status st = ridge_py_new_dict(out, RIDGE_PY_T_DICT, in);
    for (uint32_t i = 0; i < scope->count && !st; i++)
        if (scope->items[i].value.type != RIDGE_PY_T_UNSET)
            st = ridge_py_dict_setz(out->u.dict, scope->items[i].name->text, scope->items[i].value, in);
    return st;
}

static ridge_status doc_of(ridge_py *out, const ridge_py_node *block, ridge_py_interp *in)
{
    *out = ridge_py_none();
    if (!block || block->kind != RIDGE_PY_BLOCK || !block->count || block->items[0]->kind != RIDGE_PY_EXPRESSION)
        return RIDGE_OK;
    const ridge_py_node *first = block->items[0]->a;
    return first && first->kind == RIDGE_PY_STRING ? ridge_py_str(out, first->text, in) : RIDGE_OK;
}

/* ---- classes ---- */

static ridge_status list_of_classes(ridge_py *out, ridge_py_class *const *classes, size_t count, ridge_py_interp *in)
{
    ridge_status st = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, count, in);
    for (size_t i = 0; i < count && !st; i++)
        st = ridge_py_append(out->u.list, (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = classes[i]}, in);
    return st;
}

static ridge_status bases_of(ridge_py *out, const ridge_py_class *class, ridge_py_interp *in)
{
    ridge_status st = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, class->bases.count, in);
    for (size_t i = 0; i < class->bases.count && !st; i++)
        st = ridge_py_append(out->u.list, class->bases.items[i], in);
    return st;
}

static ridge_status order_method(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    const ridge_py_class *class = call->args[0].u.class;
    return list_of_classes(out, class->order, class->order_count, in);
}

/* what every class has, whatever its attributes are; UNSET: something else */
static ridge_status of_every_class(ridge_py *out, ridge_py_class *class, const ridge_symbol *name, ridge_py_interp *in)
{
    ridge_py self = {.type = RIDGE_PY_T_CLASS, .u.class = class};
    if (name == RIDGE_PY_S(in, NAME))
        return ridge_py_strz(out, class->name->text, in);
    if (name == RIDGE_PY_S(in, MRO))
        return list_of_classes(out, class->order, class->order_count, in);
    if (name == RIDGE_PY_S(in, BASES))
        return bases_of(out, class, in);
    if (name == RIDGE_PY_S(in, DICT))
        return ridge_py_scope_dict(out, &class->attributes, in);
    if (name == RIDGE_PY_S(in, BASE))
        *out = class->bases.count ? class->bases.items[0] : ridge_py_none();
    if (name == RIDGE_PY_S(in, CLASS)) {
        ridge_py_class *meta = ridge_py_class_of(self, in);
        *out = meta ? (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = meta} : ridge_py_none();
    }
    if (name == RIDGE_PY_S(in, MRO_METHOD)) {
        ridge_py native;
        ridge_status st = ridge_py_native_function(&native, "mro", order_method, NULL, NULL, in);
        return st ? st : ridge_py_bound(out, native, self, in);
    }
    return RIDGE_OK;
}

/* own or empty annotations, not those of a base */
static ridge_status by_default(ridge_py *out, ridge_py_class *class, const ridge_symbol *name, ridge_py_interp *in)
{
    if (name == RIDGE_PY_S(in, QUALNAME))
        return ridge_py_strz(out, class->name->text, in);
    if (name == RIDGE_PY_S(in, MODULE))
        return ridge_py_strz(out, class->module ? class->module->name : "builtins", in);
    if (name == RIDGE_PY_S(in, DOC))
        return doc_of(out, class->node ? class->node->b : NULL, in);
    if (name == RIDGE_PY_S(in, ANNOTATIONS))
        return ridge_py_new_dict(out, RIDGE_PY_T_DICT, in);
    return RIDGE_OK;
}

static bool is_own_only(const ridge_symbol *name, ridge_py_interp *in)
{
    return name == RIDGE_PY_S(in, QUALNAME) || name == RIDGE_PY_S(in, MODULE) || name == RIDGE_PY_S(in, DOC) ||
           name == RIDGE_PY_S(in, ANNOTATIONS);
}

ridge_status ridge_py_class_attribute(ridge_py *out, ridge_py_class *class, const ridge_symbol *name, ridge_py_interp *in)
{
    const ridge_py_class *where;
    ridge_py self = {.type = RIDGE_PY_T_CLASS, .u.class = class};
    *out = ridge_py_unset();
    ridge_status st = of_every_class(out, class, name, in);
    if (st || out->type != RIDGE_PY_T_UNSET)
        return st;
    if (is_own_only(name, in)) {
        const ridge_py *own = ridge_py_scope_find(&class->attributes, name);
        *out = own ? *own : ridge_py_unset();
        return own ? RIDGE_OK : by_default(out, class, name, in);
    }
    const ridge_py *of_meta = class->meta ? ridge_py_class_find(&where, class->meta, name, in) : NULL;
    if (of_meta && of_meta->type == RIDGE_PY_T_PROPERTY && of_meta->u.property->kind == RIDGE_PY_GETTER)
        return ridge_py_bind_attribute(out, *of_meta, self, (ridge_py_class *)class->meta, where, in);
    const ridge_py *v = ridge_py_class_find(&where, class, name, in);
    if (v)
        return ridge_py_bind_attribute(out, *v, ridge_py_unset(), class, where, in);
    of_meta = class->meta                             ? ridge_py_class_find(&where, class->meta, name, in)
              : in->classes[RIDGE_PY_T_CLASS] != NULL ? ridge_py_class_find(&where, in->classes[RIDGE_PY_T_CLASS], name, in)
                                                      : NULL;
    if (of_meta)
        return ridge_py_bind_attribute(out, *of_meta, self, ridge_py_class_of(self, in), where, in);
    return ridge_py_builtin_find(out, self, name, in);
}

/* ---- modules ---- */

static ridge_status of_every_module(ridge_py *out, const ridge_py_module *module, const ridge_symbol *name, ridge_py_interp *in)
{
    const char *dot = strrchr(module->name, '.');
    if (name == RIDGE_PY_S(in, NAME))
        return ridge_py_strz(out, module->name, in);
    if (name == RIDGE_PY_S(in, PACKAGE))
        return ridge_py_str(
            out, (ridge_str){module->name, module->is_package || !dot ? strlen(module->name) : (size_t)(dot - module->name)}, in);
    if (name == RIDGE_PY_S(in, FILE) && module->path)
        return ridge_py_strz(out, module->path, in);
    if (name == RIDGE_PY_S(in, DICT))
        return ridge_py_scope_dict(out, &module->globals, in);
    if (name == RIDGE_PY_S(in, PATH) && module->is_package)
        return ridge_py_new_list(out, RIDGE_PY_T_LIST, 0, in);
    if (name == RIDGE_PY_S(in, DOC) || name == RIDGE_PY_S(in, SPEC))
        *out = ridge_py_none();
    if (name == RIDGE_PY_S(in, CLASS) && in->classes[RIDGE_PY_T_MODULE])
        *out = (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = in->classes[RIDGE_PY_T_MODULE]};
    return RIDGE_OK;
}

ridge_status ridge_py_module_attribute(ridge_py *out, ridge_py_module *module, const ridge_symbol *name, ridge_py_interp *in)
{
    const ridge_py *v = ridge_py_scope_find(&module->globals, name);
    *out = v ? *v : ridge_py_unset();
    if (v)
        return RIDGE_OK;
    if (module->attribute) {
        ridge_status st = module->attribute(out, module, name, in);
        if (st || out->type != RIDGE_PY_T_UNSET)
            return st;
    }
    ridge_status st = of_every_module(out, module, name, in);
    if (st || out->type != RIDGE_PY_T_UNSET)
        return st;
    const char *full = ridge_arena_printf(in->arena, "%s.%s", module->name, name->text);
    if (!full)
        return ridge_no_memory(in->err);
    ridge_py loaded = in->modules ? ridge_py_dict_getz(in->modules, full) : ridge_py_unset();
    const ridge_py *getattr = ridge_py_scope_find(&module->globals, RIDGE_PY_S(in, GETATTR));
    if (loaded.type != RIDGE_PY_T_UNSET) {
        *out = loaded;
    } else if (getattr) {
        ridge_py text;
        ridge_py_call call = {.args = &text, .count = 1};
        st = ridge_py_strz(&text, name->text, in);
        return st ? st : ridge_py_call_with(out, *getattr, ridge_py_unset(), &call, in);
    }
    return RIDGE_OK;
}

/* ---- functions, methods, properties ---- */

static ridge_status bind_function(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    if (call->count < 2 || call->args[1].type == RIDGE_PY_T_NONE) {
        *out = call->count ? call->args[0] : ridge_py_none();
        return RIDGE_OK;
    }
    return ridge_py_bound(out, call->args[0], call->args[1], in);
}

static ridge_status getter(ridge_py *out, ridge_py function, ridge_py_interp *in)
{
    ridge_py native;
    ridge_status st = ridge_py_native_function(&native, "__get__", bind_function, NULL, NULL, in);
    return st ? st : ridge_py_bound(out, native, function, in);
}

static ridge_status qualified(ridge_py *out, const ridge_py_function *f, ridge_py_interp *in)
{
    if (!f->owner)
        return ridge_py_strz(out, f->name->text, in);
    const char *text = ridge_arena_printf(in->arena, "%s.%s", f->owner->name->text, f->name->text);
    return text ? ridge_py_strz(out, text, in) : ridge_no_memory(in->err);
}

static ridge_status defaults_of(ridge_py *out, const ridge_py_function *f, ridge_py_interp *in)
{
    const ridge_py_node *parameters = f->node->a;
    ridge_status st = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, 0, in);
    for (uint32_t i = 0; parameters && i < parameters->count && !st; i++)
        if (f->defaults && f->defaults[i].type != RIDGE_PY_T_UNSET && parameters->items[i]->op <= RIDGE_PY_PLAIN)
            st = ridge_py_append(out->u.list, f->defaults[i], in);
    return st;
}

static ridge_status of_function(ridge_py *out, ridge_py value, const ridge_symbol *name, ridge_py_interp *in)
{
    const ridge_py_function *f = value.u.function;
    const ridge_py *own = ridge_py_scope_find(&f->attributes, name);
    if (own)
        *out = *own;
    else if (name == RIDGE_PY_S(in, NAME))
        return ridge_py_strz(out, f->name->text, in);
    else if (name == RIDGE_PY_S(in, QUALNAME))
        return qualified(out, f, in);
    else if (name == RIDGE_PY_S(in, MODULE))
        return ridge_py_strz(out, f->module ? f->module->name : "", in);
    else if (name == RIDGE_PY_S(in, DOC))
        return doc_of(out, f->node->kind == RIDGE_PY_FUNCTION ? f->node->b : NULL, in);
    else if (name == RIDGE_PY_S(in, DEFAULTS))
        return defaults_of(out, f, in);
    else if (name == RIDGE_PY_S(in, DICT))
        return ridge_py_scope_dict(out, &f->attributes, in);
    else if (name == RIDGE_PY_S(in, GLOBALS) && f->module)
        return ridge_py_scope_dict(out, &f->module->globals, in);
    else if (name == RIDGE_PY_S(in, ANNOTATIONS))
        return ridge_py_new_dict(out, RIDGE_PY_T_DICT, in);
    else if (name == RIDGE_PY_S(in, GET))
        return getter(out, value, in);
    else if (name == RIDGE_PY_S(in, CALL))
        *out = value;
    return RIDGE_OK;
}

static ridge_status of_native(ridge_py *out, ridge_py value, const ridge_symbol *name, ridge_py_interp *in)
{
    const char *dot = strrchr(value.u.native->name, '.');
    if (name == RIDGE_PY_S(in, NAME) || name == RIDGE_PY_S(in, QUALNAME))
        return ridge_py_strz(out, dot ? dot + 1 : value.u.native->name, in);
    if (name == RIDGE_PY_S(in, MODULE))
        return ridge_py_strz(out, "builtins", in);
    if (name == RIDGE_PY_S(in, DOC))
        *out = ridge_py_none();
    else if (name == RIDGE_PY_S(in, CALL))
        *out = value;
    return RIDGE_OK;
}

/* @x.setter: a property with a setter more */
static ridge_status add_setter(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py_property *p = ridge_arena_alloc(in->arena, sizeof *p);
    if (!p)
        return ridge_no_memory(in->err);
    if (call->count != 2)
        return ridge_py_raise(in, "TypeError", "setter() takes one function");
    *p = *call->args[0].u.property;
    if (strcmp(call->function->name, "setter") == 0)
        p->setter = call->args[1];
    else if (strcmp(call->function->name, "getter") == 0)
        p->function = call->args[1];
    *out = (ridge_py){.type = RIDGE_PY_T_PROPERTY, .u.property = p};
    return RIDGE_OK;
}

static ridge_status of_property(ridge_py *out, ridge_py value, const ridge_symbol *name, ridge_py_interp *in)
{
    const ridge_py_property *p = value.u.property;
    if (name == RIDGE_PY_S(in, SETTER) || name == RIDGE_PY_S(in, GETTER) || name == RIDGE_PY_S(in, DELETER)) {
        ridge_py native;
        ridge_status st = ridge_py_native_function(&native, name->text, add_setter, NULL, NULL, in);
        return st ? st : ridge_py_bound(out, native, value, in);
    }
    if (name == RIDGE_PY_S(in, FGET) || name == RIDGE_PY_S(in, FUNC) || name == RIDGE_PY_S(in, WRAPPED))
        *out = p->function;
    else if (name == RIDGE_PY_S(in, FSET))
        *out = p->setter.type == RIDGE_PY_T_UNSET ? ridge_py_none() : p->setter;
    else
        return ridge_py_find(out, p->function, name, in);
    return RIDGE_OK;
}

ridge_status ridge_py_function_attribute(ridge_py *out, ridge_py function, const ridge_symbol *name, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    *out = ridge_py_unset();
    if (function.type == RIDGE_PY_T_FUNCTION)
        st = of_function(out, function, name, in);
    else if (function.type == RIDGE_PY_T_NATIVE)
        st = of_native(out, function, name, in);
    else if (function.type == RIDGE_PY_T_PROPERTY)
        st = of_property(out, function, name, in);
    else if (name == RIDGE_PY_S(in, SELF))
        *out = function.u.method->self;
    else if (name == RIDGE_PY_S(in, FUNC))
        *out = function.u.method->function;
    else if (name == RIDGE_PY_S(in, CALL))
        *out = function;
    else
        return ridge_py_find(out, function.u.method->function, name, in);
    if (st || out->type != RIDGE_PY_T_UNSET)
        return st;
    if (name == RIDGE_PY_S(in, CLASS)) {
        ridge_py_class *class = ridge_py_class_of(function, in);
        *out = class ? (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = class} : ridge_py_none();
        return RIDGE_OK;
    }
    return ridge_py_builtin_find(out, function, name, in);
}
