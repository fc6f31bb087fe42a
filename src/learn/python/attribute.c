/* attributes of instances: what classes define, descriptors, and the hooks of native classes */
#include "learn/python/machine.h"

/* ---- along a class's order ---- */

static const ridge_py *look(const ridge_py_class **where, const ridge_py_class *class, const ridge_symbol *name)
{
    for (size_t i = 0; i < class->order_count; i++) {
        const ridge_py *v = ridge_py_scope_find(&class->order[i]->attributes, name);
        if (v) {
            *where = class->order[i];
            return v;
        }
    }
    return NULL;
}

const ridge_py *ridge_py_class_find(const ridge_py_class **where, const ridge_py_class *class, const ridge_symbol *name,
                                    ridge_py_interp *in)
{
    struct ridge_py_machine *m = in->machine;
    size_t at = (((uintptr_t) class >> 4) * 31 + name->id) % RIDGE_PY_METHOD_CACHE;
    ridge_py_method_slot *slot = &m->cache[at];
    if (slot->class != class || slot->name != name || slot->version != m->version) {
        *slot = (ridge_py_method_slot){.class = class, .name = name, .version = m->version};
        slot->value = look(&slot->where, class, name);
    }
    *where = slot->where;
    return slot->value;
}

ridge_status ridge_py_bound(ridge_py *out, ridge_py function, ridge_py self, ridge_py_interp *in)
{
    ridge_py_method *m = ridge_arena_alloc(in->arena, sizeof *m);
    if (!m)
        return ridge_no_memory(in->err);
    *m = (ridge_py_method){function, self};
    *out = (ridge_py){.type = RIDGE_PY_T_METHOD, .u.method = m};
    return RIDGE_OK;
}

/* A function in C that stands in the body of an interpreted class is no method, as in Python: act = torch.relu */
static bool native_binds(const ridge_py_native *native, const ridge_py_class *where)
{
    return (where && !where->node) || !native->parameters || strncmp(native->parameters, "self", 4) == 0;
}

static ridge_py class_value(ridge_py_class *class)
{
    return (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = class};
}

static ridge_status bind_property(ridge_py *out, const ridge_py_property *p, ridge_py value, ridge_py self, ridge_py_class *class,
                                  ridge_py_interp *in)
{
    ridge_py_call call = {.args = &self, .count = 1};
    switch (p->kind) {
    case RIDGE_PY_STATIC:
        *out = p->function;
        return RIDGE_OK;
    case RIDGE_PY_CLASSMETHOD:
        return ridge_py_bound(out, p->function, class_value(class), in);
    default:
        if (self.type != RIDGE_PY_T_UNSET)
            return ridge_py_call_with(out, p->function, ridge_py_unset(), &call, in);
        *out = value;
        return RIDGE_OK;
    }
}

static ridge_status by_descriptor(ridge_py *out, ridge_py value, ridge_py self, ridge_py_class *class, ridge_py_interp *in)
{
    ridge_py method, args[2] = {self.type == RIDGE_PY_T_UNSET ? ridge_py_none() : self, class ? class_value(class) : ridge_py_none()};
    *out = value;
    if (!ridge_py_special_method(&method, value, RIDGE_PY_S(in, GET), in))
        return RIDGE_OK;
    return ridge_py_call_special(out, method, value, args, 2, in);
}

ridge_status ridge_py_bind_attribute(ridge_py *out, ridge_py value, ridge_py self, ridge_py_class *class, const ridge_py_class *where,
                                     ridge_py_interp *in)
{
    bool unbound = self.type == RIDGE_PY_T_UNSET;
    *out = value;
    switch (value.type) {
    case RIDGE_PY_T_FUNCTION:
        return unbound ? RIDGE_OK : ridge_py_bound(out, value, self, in);
    case RIDGE_PY_T_NATIVE:
        return unbound || !native_binds(value.u.native, where) ? RIDGE_OK : ridge_py_bound(out, value, self, in);
    case RIDGE_PY_T_PROPERTY:
        return bind_property(out, value.u.property, value, self, class, in);
    case RIDGE_PY_T_INSTANCE:
        return by_descriptor(out, value, self, class, in);
    default:
        return RIDGE_OK;
    }
}

/* ---- instances ---- */

static bool is_data_descriptor(const ridge_py *v, ridge_py_interp *in)
{
    ridge_py method;
    if (v->type == RIDGE_PY_T_PROPERTY)
        return v->u.property->kind == RIDGE_PY_GETTER;
    return v->type == RIDGE_PY_T_INSTANCE && ridge_py_special_method(&method, *v, RIDGE_PY_S(in, SET), in);
}

static ridge_status of_every_instance(ridge_py *out, ridge_py object, const ridge_symbol *name, ridge_py_interp *in)
{
    *out = ridge_py_unset();
    if (name == RIDGE_PY_S(in, DICT))
        return ridge_py_scope_dict(out, &object.u.instance->attributes, in);
    ridge_py_class *class = object.u.instance->class;
    if (name == RIDGE_PY_S(in, CLASS))
        *out = class_value(class);
    else if (name == RIDGE_PY_S(in, DOC) || name == RIDGE_PY_S(in, MODULE))
        return ridge_py_class_attribute(out, class, name, in);
    return RIDGE_OK;
}

static ridge_status cached(ridge_py *out, ridge_py property, ridge_py object, const ridge_symbol *name, ridge_py_interp *in)
{
    ridge_py_call call = {.args = &object, .count = 1};
    ridge_status st = ridge_py_call_with(out, property.u.property->function, ridge_py_unset(), &call, in);
    return st ? st : ridge_py_scope_set(&object.u.instance->attributes, name, *out, in);
}

static ridge_status find_in_instance(ridge_py *out, ridge_py object, const ridge_symbol *name, ridge_py_interp *in)
{
    ridge_py_instance *self = object.u.instance;
    const ridge_py_class *where = NULL;
    *out = ridge_py_unset();
    if (self->class->get) {
        ridge_status st = self->class->get(out, self, name, in);
        if (st || out->type != RIDGE_PY_T_UNSET)
            return st;
    }
    const ridge_py *v = ridge_py_class_find(&where, self->class, name, in);
    if (v && is_data_descriptor(v, in))
        return ridge_py_bind_attribute(out, *v, object, self->class, where, in);
    const ridge_py *own = ridge_py_scope_find(&self->attributes, name);
    if (own) {
        *out = *own;
        return RIDGE_OK;
    }
    if (v && v->type == RIDGE_PY_T_PROPERTY && v->u.property->kind == RIDGE_PY_CACHED)
        return cached(out, *v, object, name, in);
    if (v && !(self->base.type != RIDGE_PY_T_UNSET && where->data == &ridge_py_type_tags[RIDGE_PY_T_UNSET]))
        return ridge_py_bind_attribute(out, *v, object, self->class, where, in);
    if (self->base.type != RIDGE_PY_T_UNSET) {
        ridge_status st = ridge_py_builtin_find(out, self->base, name, in);
        if (st || out->type != RIDGE_PY_T_UNSET)
            return st;
    }
    if (v)
        return ridge_py_bind_attribute(out, *v, object, self->class, where, in);
    return of_every_instance(out, object, name, in);
}

static bool is_attribute_error(ridge_status st, ridge_py_interp *in)
{
    if (st != RIDGE_PY_RAISED || in->raised.type != RIDGE_PY_T_INSTANCE)
        return false;
    const ridge_py_class *c = in->raised.u.instance->class;
    for (size_t i = 0; i < c->order_count; i++)
        if (strcmp(c->order[i]->name->text, "AttributeError") == 0)
            return true;
    return false;
}

static ridge_status other_attribute(ridge_py *out, ridge_py object, const ridge_symbol *name, ridge_py_interp *in)
{
    *out = ridge_py_unset();
    ridge_status st = ridge_py_builtin_find(out, object, name, in);
    if (!st && out->type == RIDGE_PY_T_UNSET) {
        ridge_py_class *class = ridge_py_class_of(object, in);
        const ridge_py_class *where;
        const ridge_py *v = class ? ridge_py_class_find(&where, class, name, in) : NULL;
        if (name == RIDGE_PY_S(in, CLASS) && class)
            *out = class_value(class);
        else if (v && where->data != &ridge_py_type_tags[RIDGE_PY_T_UNSET])
            return ridge_py_bind_attribute(out, *v, object, class, where, in);
    }
    return st;
}

ridge_status ridge_py_find_plain(ridge_py *out, ridge_py object, const ridge_symbol *name, ridge_py_interp *in)
{
    switch (object.type) {
    case RIDGE_PY_T_INSTANCE:
        return find_in_instance(out, object, name, in);
    case RIDGE_PY_T_CLASS:
        return ridge_py_class_attribute(out, object.u.class, name, in);
    case RIDGE_PY_T_MODULE:
        return ridge_py_module_attribute(out, object.u.module, name, in);
    case RIDGE_PY_T_FUNCTION:
    case RIDGE_PY_T_NATIVE:
    case RIDGE_PY_T_METHOD:
    case RIDGE_PY_T_PROPERTY:
        return ridge_py_function_attribute(out, object, name, in);
    case RIDGE_PY_T_UNKNOWN:
        *out = object;
        return RIDGE_OK;
    case RIDGE_PY_T_TENSOR:
        *out = ridge_py_unset();
        if (in->tensors) {
            ridge_status st = in->tensors->get(out, object, name, in);
            if (st || out->type != RIDGE_PY_T_UNSET)
                return st;
        }
        return other_attribute(out, object, name, in);
    default:
        return other_attribute(out, object, name, in);
    }
}

/* with the class's own __getattribute__ and __getattr__; may raise AttributeError */
static ridge_status find_raising(ridge_py *out, ridge_py object, const ridge_symbol *name, ridge_py_interp *in)
{
    ridge_py method, text;
    ridge_status st;
    bool has_class = object.type == RIDGE_PY_T_INSTANCE || (object.type == RIDGE_PY_T_CLASS && object.u.class->meta);
    if (object.type == RIDGE_PY_T_INSTANCE && ridge_py_special_method(&method, object, RIDGE_PY_S(in, GETATTRIBUTE), in)) {
        st = ridge_py_strz(&text, name->text, in);
        if (!st)
            st = ridge_py_call_special(out, method, object, &text, 1, in);
    } else {
        st = ridge_py_find_plain(out, object, name, in);
    }
    bool missing = st ? is_attribute_error(st, in) : out->type == RIDGE_PY_T_UNSET;
    if (!missing || !has_class || !ridge_py_special_method(&method, object, RIDGE_PY_S(in, GETATTR), in))
        return st;
    in->raised = ridge_py_unset();
    st = ridge_py_strz(&text, name->text, in);
    return st ? st : ridge_py_call_special(out, method, object, &text, 1, in);
}

ridge_status ridge_py_find(ridge_py *out, ridge_py object, const ridge_symbol *name, ridge_py_interp *in)
{
    ridge_py value = ridge_py_unset();
    ridge_status st = find_raising(&value, object, name, in);
    if (is_attribute_error(st, in)) {
        in->raised = ridge_py_unset();
        value = ridge_py_unset();
        st = RIDGE_OK;
    }
    *out = value;
    return st;
}

static ridge_status no_attribute(ridge_py object, const ridge_symbol *name, ridge_py_interp *in)
{
    if (object.type == RIDGE_PY_T_MODULE)
        return ridge_py_raise(in, "AttributeError", "module '%s' has no attribute '%s'", object.u.module->name, name->text);
    if (object.type == RIDGE_PY_T_CLASS)
        return ridge_py_raise(in, "AttributeError", "type object '%s' has no attribute '%s'", object.u.class->name->text, name->text);
    return ridge_py_raise(in, "AttributeError", "'%s' object has no attribute '%s'", ridge_py_type_text(object), name->text);
}

ridge_status ridge_py_get(ridge_py *out, ridge_py object, const ridge_symbol *name, ridge_py_interp *in)
{
    ridge_py value = ridge_py_unset();
    ridge_status st = find_raising(&value, object, name, in);
    if (!st && value.type == RIDGE_PY_T_UNSET)
        return no_attribute(object, name, in);
    *out = value;
    return st;
}

ridge_status ridge_py_getz(ridge_py *out, ridge_py object, const char *name, ridge_py_interp *in)
{
    const ridge_symbol *s = ridge_py_symbol(in, name);
    return s ? ridge_py_get(out, object, s, in) : ridge_no_memory(in->err);
}

/* A plain method of a class is not bound first: most calls are of this kind. */
ridge_status ridge_py_find_method(ridge_py *out, ridge_py *self, ridge_py object, const ridge_symbol *name, ridge_py_interp *in)
{
    *self = ridge_py_unset();
    if (object.type == RIDGE_PY_T_INSTANCE) {
        ridge_py_instance *it = object.u.instance;
        const ridge_py_class *where;
        ridge_py method;
        const ridge_py *v = it->class->get ? NULL : ridge_py_class_find(&where, it->class, name, in);
        if (v && v->type == RIDGE_PY_T_FUNCTION && !ridge_py_scope_find(&it->attributes, name) &&
            !ridge_py_special_method(&method, object, RIDGE_PY_S(in, GETATTRIBUTE), in)) {
            *out = *v;
            *self = object;
            return RIDGE_OK;
        }
    }
    ridge_arena_mark mark = ridge_arena_here(in->arena);
    ridge_status st = ridge_py_get(out, object, name, in);
    if (!st && out->type == RIDGE_PY_T_METHOD && (const char *)out->u.method == mark.at) { /* made for this call alone */
        ridge_py_method bound = *out->u.method;
        bool alone = in->arena->at == mark.at + ((sizeof bound + 15) & ~(size_t)15);
        if (alone && (bound.function.type == RIDGE_PY_T_FUNCTION || bound.function.type == RIDGE_PY_T_NATIVE)) {
            *out = bound.function;
            *self = bound.self;
            ridge_arena_back(in->arena, mark);
        }
    }
    return st;
}

/* ---- setting ---- */

static ridge_status set_descriptor(bool *done, ridge_py object, const ridge_symbol *name, ridge_py value, ridge_py_interp *in)
{
    ridge_py_instance *self = object.u.instance;
    const ridge_py_class *where;
    const ridge_py *v = ridge_py_class_find(&where, self->class, name, in);
    ridge_py method, ignored, args[2] = {object, value};
    ridge_py_call call = {.args = args, .count = 2};
    *done = false;
    if (!v || !is_data_descriptor(v, in))
        return RIDGE_OK;
    *done = true;
    if (v->type == RIDGE_PY_T_PROPERTY) {
        if (v->u.property->setter.type == RIDGE_PY_T_UNSET)
            return ridge_py_raise(in, "AttributeError", "property '%s' of '%s' object has no setter", name->text, self->class->name->text);
        return ridge_py_call_with(&ignored, v->u.property->setter, ridge_py_unset(), &call, in);
    }
    return ridge_py_special_method(&method, *v, RIDGE_PY_S(in, SET), in) ? ridge_py_call_special(&ignored, method, *v, args, 2, in)
                                                                         : RIDGE_OK;
}

/* obj.__dict__ = {...} */
static ridge_status replace_attributes(ridge_py_instance *self, ridge_py value, ridge_py_interp *in)
{
    ridge_py_dict *d = ridge_py_base(value).u.dict;
    const ridge_symbol *name;
    ridge_status st = RIDGE_OK;
    if (ridge_py_base(value).type != RIDGE_PY_T_DICT)
        return ridge_py_raise(in, "TypeError", "__dict__ must be set to a dictionary");
    for (uint32_t i = 0; i < self->attributes.count; i++)
        self->attributes.items[i].value = ridge_py_unset();
    for (size_t i = 0; i < d->used && !st; i++) {
        if (d->entries[i].key.type != RIDGE_PY_T_STR)
            continue;
        st = ridge_py_symbol_of(&name, d->entries[i].key, in);
        if (!st)
            st = ridge_py_scope_set(&self->attributes, name, d->entries[i].value, in);
    }
    return st;
}

static ridge_status set_in_instance(ridge_py object, const ridge_symbol *name, ridge_py value, ridge_py_interp *in)
{
    ridge_py_instance *self = object.u.instance;
    bool done = false;
    if (name == RIDGE_PY_S(in, DICT))
        return replace_attributes(self, value, in);
    if (name == RIDGE_PY_S(in, CLASS) && value.type == RIDGE_PY_T_CLASS) {
        self->class = value.u.class;
        return RIDGE_OK;
    }
    ridge_status st = set_descriptor(&done, object, name, value, in);
    if (!st && !done && self->class->set)
        st = self->class->set(&done, self, name, value, in);
    return st || done ? st : ridge_py_scope_set(&self->attributes, name, value, in);
}

ridge_status ridge_py_set_plain(ridge_py object, const ridge_symbol *name, ridge_py value, ridge_py_interp *in)
{
    switch (object.type) {
    case RIDGE_PY_T_INSTANCE:
        return set_in_instance(object, name, value, in);
    case RIDGE_PY_T_CLASS:
        in->machine->version++;
        return ridge_py_scope_set(&object.u.class->attributes, name, value, in);
    case RIDGE_PY_T_MODULE:
        return ridge_py_scope_set(&object.u.module->globals, name, value, in);
    case RIDGE_PY_T_FUNCTION:
        return ridge_py_scope_set(&object.u.function->attributes, name, value, in);
    case RIDGE_PY_T_TENSOR:
        return in->tensors ? in->tensors->set(object, name, value, in) : RIDGE_OK;
    case RIDGE_PY_T_NATIVE:
    case RIDGE_PY_T_UNKNOWN:
    case RIDGE_PY_T_PROPERTY:
        return RIDGE_OK;
    default:
        return no_attribute(object, name, in);
    }
}

ridge_status ridge_py_set(ridge_py object, const ridge_symbol *name, ridge_py value, ridge_py_interp *in)
{
    ridge_py method, ignored, args[2] = {ridge_py_unset(), value};
    bool has_class = object.type == RIDGE_PY_T_INSTANCE || (object.type == RIDGE_PY_T_CLASS && object.u.class->meta);
    if (!has_class || !ridge_py_special_method(&method, object, RIDGE_PY_S(in, SETATTR), in))
        return ridge_py_set_plain(object, name, value, in);
    ridge_status st = ridge_py_strz(&args[0], name->text, in);
    return st ? st : ridge_py_call_special(&ignored, method, object, args, 2, in);
}

ridge_status ridge_py_setz(ridge_py object, const char *name, ridge_py value, ridge_py_interp *in)
{
    const ridge_symbol *s = ridge_py_symbol(in, name);
    return s ? ridge_py_set(object, s, value, in) : ridge_no_memory(in->err);
}

ridge_status ridge_py_delete(ridge_py object, const ridge_symbol *name, ridge_py_interp *in)
{
    ridge_py method, ignored, text;
    bool there = true;
    if (object.type == RIDGE_PY_T_INSTANCE && ridge_py_special_method(&method, object, RIDGE_PY_S(in, DELATTR), in)) {
        ridge_status st = ridge_py_strz(&text, name->text, in);
        return st ? st : ridge_py_call_special(&ignored, method, object, &text, 1, in);
    }
    in->machine->version++;
    if (object.type == RIDGE_PY_T_INSTANCE)
        there = ridge_py_scope_remove(&object.u.instance->attributes, name);
    else if (object.type == RIDGE_PY_T_CLASS)
        there = ridge_py_scope_remove(&object.u.class->attributes, name);
    else if (object.type == RIDGE_PY_T_MODULE)
        there = ridge_py_scope_remove(&object.u.module->globals, name);
    else if (object.type == RIDGE_PY_T_FUNCTION)
        there = ridge_py_scope_remove(&object.u.function->attributes, name);
    if (!there && object.type == RIDGE_PY_T_INSTANCE && object.u.instance->class->set) { /* a native's own: to None */
        return object.u.instance->class->set(&there, object.u.instance, name, ridge_py_unset(), in);
    }
    return there ? RIDGE_OK : no_attribute(object, name, in);
}
