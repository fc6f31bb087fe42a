/* making instances; object, type, super() and what they can do */
#include "learn/python/machine.h"

/* ---- instances ---- */

static bool is_value_type(const ridge_py_class *class) /* int, list, ...: not object and type */
{
    const char *tag = class->data;
    return tag > &ridge_py_type_tags[RIDGE_PY_T_UNSET] && tag <= &ridge_py_type_tags[RIDGE_PY_T_UNKNOWN] &&
           tag != &ridge_py_type_tags[RIDGE_PY_T_CLASS];
}

/* a native class whose construct nobody before it in the order replaces */
static const ridge_py_class *constructing(const ridge_py_class *class, ridge_py_interp *in)
{
    for (size_t i = 0; i < class->order_count; i++) {
        const ridge_py_class *c = class->order[i];
        if (c->construct && (i == 0 || !is_value_type(c)))
            return c;
        if (ridge_py_scope_find(&c->attributes, RIDGE_PY_S(in, NEW)) || ridge_py_scope_find(&c->attributes, RIDGE_PY_S(in, INIT)))
            return NULL;
    }
    return NULL;
}

static ridge_status make(ridge_py *out, bool *plain, ridge_py_class *class, const ridge_py_call *call, ridge_py_interp *in)
{
    const ridge_py_class *where;
    const ridge_py *v = ridge_py_class_find(&where, class, RIDGE_PY_S(in, NEW), in);
    *plain = !v || where == in->classes[RIDGE_PY_T_UNSET];
    if (*plain)
        return ridge_py_new_instance(out, class, in);
    ridge_py f = v->type == RIDGE_PY_T_PROPERTY ? v->u.property->function : *v;
    return ridge_py_call_with(out, f, (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = class}, call, in);
}

ridge_status ridge_py_instantiate(ridge_py *out, ridge_py_class *class, const ridge_py_call *call, ridge_py_interp *in)
{
    const ridge_py_class *where;
    ridge_py made, ignored;
    bool plain;
    const ridge_py_class *native = constructing(class, in);
    /* *out may be one of the arguments: it is written last */
    ridge_status st = native ? native->construct(&made, class, call, in) : make(&made, &plain, class, call, in);
    if (st || native) {
        *out = st ? ridge_py_none() : made;
        return st;
    }
    if (made.type == RIDGE_PY_T_INSTANCE ? !ridge_py_is_subclass(made.u.instance->class, class)
                                         : made.type != RIDGE_PY_T_CLASS || !ridge_py_is_instance(made, class)) {
        *out = made;
        return RIDGE_OK;
    }
    const ridge_py *init =
        made.type == RIDGE_PY_T_CLASS && made.u.class->meta ? ridge_py_class_find(&where, made.u.class->meta, RIDGE_PY_S(in, INIT), in)
        : made.type == RIDGE_PY_T_INSTANCE                  ? ridge_py_class_find(&where, made.u.instance->class, RIDGE_PY_S(in, INIT), in)
                                                            : NULL;
    if (init && where != in->classes[RIDGE_PY_T_UNSET] && where != in->classes[RIDGE_PY_T_CLASS])
        st = ridge_py_call_with(&ignored, *init, made, call, in);
    else if (plain && (call->count || call->keyword_count))
        st = ridge_py_raise(in, "TypeError", "%s() takes no arguments", class->name->text);
    *out = made;
    return st;
}

/* ---- object ---- */

static ridge_status object_new(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    if (!call->count || call->args[0].type != RIDGE_PY_T_CLASS)
        return ridge_py_raise(in, "TypeError", "object.__new__(): not enough arguments");
    return ridge_py_new_instance(out, call->args[0].u.class, in);
}

static ridge_status nothing(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    (void)call;
    (void)in;
    *out = ridge_py_none();
    return RIDGE_OK;
}

static ridge_status object_setattr(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    const ridge_symbol *name;
    *out = ridge_py_none();
    if (call->count != 3)
        return ridge_py_raise(in, "TypeError", "__setattr__() takes a name and a value");
    ridge_status st = ridge_py_symbol_of(&name, call->args[1], in);
    return st ? st : ridge_py_set_plain(call->args[0], name, call->args[2], in);
}

static ridge_status object_getattribute(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    const ridge_symbol *name;
    if (call->count != 2)
        return ridge_py_raise(in, "TypeError", "__getattribute__() takes a name");
    ridge_status st = ridge_py_symbol_of(&name, call->args[1], in);
    if (!st)
        st = ridge_py_find_plain(out, call->args[0], name, in);
    if (!st && out->type == RIDGE_PY_T_UNSET)
        return ridge_py_raise(in, "AttributeError", "'%s' object has no attribute '%s'", ridge_py_type_text(call->args[0]), name->text);
    return st;
}

static ridge_status object_delattr(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    const ridge_symbol *name;
    *out = ridge_py_none();
    if (call->count != 2 || call->args[0].type != RIDGE_PY_T_INSTANCE)
        return ridge_py_raise(in, "TypeError", "__delattr__() takes a name");
    ridge_status st = ridge_py_symbol_of(&name, call->args[1], in);
    if (!st && !ridge_py_scope_remove(&call->args[0].u.instance->attributes, name))
        return ridge_py_raise(in, "AttributeError", "%s", name->text);
    return st;
}

static ridge_status object_repr(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py self = call->count ? call->args[0] : ridge_py_none();
    if (ridge_py_base(self).type != RIDGE_PY_T_INSTANCE)
        return ridge_py_to_str(out, ridge_py_base(self), strcmp(call->function->name, "__repr__") == 0, in);
    ridge_py_class *class = self.u.instance->class;
    const char *text = ridge_arena_printf(in->arena, "<%s.%s object>", class->module ? class->module->name : "builtins", class->name->text);
    return text ? ridge_py_strz(out, text, in) : ridge_no_memory(in->err);
}

static ridge_status object_eq(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    if (call->count != 2)
        return ridge_py_raise(in, "TypeError", "__eq__() takes one argument");
    ridge_py a = ridge_py_base(call->args[0]), b = ridge_py_base(call->args[1]);
    bool not = strcmp(call->function->name, "__ne__") == 0;
    if (a.type != RIDGE_PY_T_INSTANCE)
        return ridge_py_builtin_binary(out, not ? RIDGE_PY_OP_NE : RIDGE_PY_OP_EQ, a, b, false, in);
    *out = ridge_py_same(a, b) ? ridge_py_bool(!not ) : (ridge_py){.type = RIDGE_PY_T_NOT_IMPLEMENTED};
    return RIDGE_OK;
}

static ridge_status object_hash(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    uint64_t hash;
    ridge_py self = call->count ? ridge_py_base(call->args[0]) : ridge_py_none();
    if (self.type == RIDGE_PY_T_INSTANCE) {
        *out = ridge_py_int(self.u.instance->id);
        return RIDGE_OK;
    }
    ridge_status st = ridge_py_hash(&hash, self, in);
    *out = ridge_py_int((int64_t)(hash >> 1));
    return st;
}

static const ridge_py_native_entry of_object[] = {
    {"__new__", object_new, NULL},
    {"__init__", nothing, NULL},
    {"__init_subclass__", nothing, NULL},
    {"__setattr__", object_setattr, NULL},
    {"__getattribute__", object_getattribute, NULL},
    {"__delattr__", object_delattr, NULL},
    {"__repr__", object_repr, NULL},
    {"__str__", object_repr, NULL},
    {"__eq__", object_eq, NULL},
    {"__ne__", object_eq, NULL},
    {"__hash__", object_hash, NULL},
};

/* ---- type ---- */

static ridge_status type_construct(ridge_py *out, ridge_py_class *class, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py args[4] = {{.type = RIDGE_PY_T_CLASS, .u.class = class}};
    ridge_py_call with = *call;
    if (call->count > 3)
        return ridge_py_raise(in, "TypeError", "type() takes 1 or 3 arguments");
    for (size_t i = 0; i < call->count; i++)
        args[i + 1] = call->args[i];
    with.args = args;
    with.count++;
    return ridge_py_type_new(out, &with, in);
}

static ridge_status type_call(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    if (!call->count || call->args[0].type != RIDGE_PY_T_CLASS)
        return ridge_py_raise(in, "TypeError", "type.__call__() takes a class");
    ridge_py_call rest = *call;
    rest.args++;
    rest.count--;
    return ridge_py_instantiate(out, call->args[0].u.class, &rest, in);
}

static ridge_status type_prepare(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    (void)call;
    return ridge_py_new_dict(out, RIDGE_PY_T_DICT, in);
}

static ridge_status is_instance(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    if (call->count != 2 || call->args[0].type != RIDGE_PY_T_CLASS)
        return ridge_py_raise(in, "TypeError", "%s() takes one argument", call->function->name);
    bool sub = strcmp(call->function->name, "__subclasscheck__") == 0;
    *out = ridge_py_bool(sub ? call->args[1].type == RIDGE_PY_T_CLASS && ridge_py_is_subclass(call->args[1].u.class, call->args[0].u.class)
                             : ridge_py_is_instance(call->args[1], call->args[0].u.class));
    return RIDGE_OK;
}

static const ridge_py_native_entry of_type[] = {
    {"__new__", ridge_py_type_new, NULL},
    {"__init__", nothing, NULL},
    {"__call__", type_call, NULL},
    {"__prepare__", type_prepare, NULL},
    {"__instancecheck__", is_instance, NULL},
    {"__subclasscheck__", is_instance, NULL},
};

/* ---- super() ---- */

typedef struct super_state {
    const ridge_py_class *start;
    ridge_py self; /* UNSET: of a class */
    ridge_py_class *class;
} super_state;

static ridge_status item_of_base(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    const char *name = call->function->name;
    ridge_py none = ridge_py_none(), self = call->args[0];
    const ridge_py *a = call->args + 1;
    size_t n = call->count - 1;
    *out = none;
    if (strcmp(name, "__getitem__") == 0 && n == 1)
        return ridge_py_get_item(out, self, a[0], in);
    if (strcmp(name, "__setitem__") == 0 && n == 2)
        return ridge_py_set_item(self, a[0], a[1], in);
    if (strcmp(name, "__delitem__") == 0 && n == 1)
        return ridge_py_del_item(self, a[0], in);
    if (strcmp(name, "__contains__") == 0 && n == 1)
        return ridge_py_operate(out, RIDGE_PY_OP_IN, a[0], self, false, in);
    if (strcmp(name, "__len__") == 0)
        return ridge_py_length(out, self, in);
    if (strcmp(name, "__iter__") == 0)
        return ridge_py_iterate(out, self, in);
    return ridge_py_raise(in, "TypeError", "%s() takes other arguments", name);
}

/* dict.__setitem__ and the like, of what an instance holds */
static ridge_status find_in_base(ridge_py *out, ridge_py base, const ridge_symbol *name, ridge_py_interp *in)
{
    static const char *const names[] = {"__getitem__", "__setitem__", "__delitem__", "__contains__", "__len__", "__iter__"};
    ridge_status st = ridge_py_builtin_find(out, base, name, in);
    for (size_t i = 0; i < sizeof names / sizeof *names && !st && out->type == RIDGE_PY_T_UNSET; i++) {
        ridge_py native;
        if (strcmp(name->text, names[i]) != 0)
            continue;
        st = ridge_py_native_function(&native, names[i], item_of_base, NULL, NULL, in);
        return st ? st : ridge_py_bound(out, native, base, in);
    }
    return st;
}

static bool binds_class(const ridge_symbol *name, ridge_py_interp *in)
{
    return name == RIDGE_PY_S(in, INIT_SUBCLASS) || name == RIDGE_PY_S(in, CLASS_GETITEM);
}

static ridge_status super_get(ridge_py *out, ridge_py_instance *self, const ridge_symbol *name, ridge_py_interp *in)
{
    const super_state *s = self->data;
    size_t i = 0;
    *out = ridge_py_unset();
    while (i < s->class->order_count && s->class->order[i] != s->start)
        i++;
    for (i++; i < s->class->order_count; i++) {
        ridge_py_class *c = s->class->order[i];
        const ridge_py *v = ridge_py_scope_find(&c->attributes, name);
        if (!v ||
            (c == in->classes[RIDGE_PY_T_UNSET] && s->self.type == RIDGE_PY_T_INSTANCE &&
             s->self.u.instance->base.type != RIDGE_PY_T_UNSET && name != RIDGE_PY_S(in, SETATTR) && name != RIDGE_PY_S(in, GETATTRIBUTE)))
            continue;
        if (name == RIDGE_PY_S(in, NEW)) {
            *out = v->type == RIDGE_PY_T_PROPERTY ? v->u.property->function : *v;
            return RIDGE_OK;
        }
        if (s->self.type == RIDGE_PY_T_UNSET && binds_class(name, in))
            return ridge_py_bound(out, v->type == RIDGE_PY_T_PROPERTY ? v->u.property->function : *v,
                                  (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = s->class}, in);
        return ridge_py_bind_attribute(out, *v, s->self, s->class, c, in);
    }
    if (s->self.type == RIDGE_PY_T_INSTANCE && s->self.u.instance->base.type != RIDGE_PY_T_UNSET)
        return find_in_base(out, s->self.u.instance->base, name, in);
    return RIDGE_OK;
}

static ridge_status super_of(super_state *s, ridge_py start, ridge_py object, ridge_py_interp *in)
{
    if (start.type != RIDGE_PY_T_CLASS || object.type == RIDGE_PY_T_UNSET)
        return ridge_py_raise(in, "RuntimeError", "super(): no class or no arguments");
    s->start = start.u.class;
    s->self = object;
    s->class = ridge_py_class_of(object, in);
    if (object.type == RIDGE_PY_T_CLASS && ridge_py_is_subclass(object.u.class, start.u.class)) {
        s->self = ridge_py_unset();
        s->class = object.u.class;
    }
    if (!s->class || !ridge_py_is_subclass(s->class, s->start))
        return ridge_py_raise(in, "TypeError", "super(type, obj): obj must be an instance or subtype of type");
    return RIDGE_OK;
}

/* super() is super(__class__, first argument) */
static ridge_status make_super(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    super_state *s = ridge_arena_alloc(in->arena, sizeof *s);
    if (!s)
        return ridge_no_memory(in->err);
    const ridge_py *cell = call->count || !in->frame ? NULL : ridge_py_lookup(RIDGE_PY_S(in, CLASS), in);
    ridge_py start = call->count ? call->args[0] : cell ? *cell : ridge_py_unset();
    ridge_py object = call->count > 1 ? call->args[1] : in->frame && !call->count ? in->frame->self : ridge_py_unset();
    ridge_status st = super_of(s, start, object, in);
    if (!st)
        st = ridge_py_new_instance(out, in->machine->super, in);
    if (!st)
        out->u.instance->data = s;
    return st;
}

/* ---- property, staticmethod, classmethod ---- */

static ridge_py_property_kind kind_of(const char *name)
{
    return strcmp(name, "staticmethod") == 0 ? RIDGE_PY_STATIC : strcmp(name, "classmethod") == 0 ? RIDGE_PY_CLASSMETHOD : RIDGE_PY_GETTER;
}

static ridge_status make_property(ridge_py *out, ridge_py_class *class, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py_property *p = ridge_arena_alloc(in->arena, sizeof *p);
    const char *name = "property";
    if (!p)
        return ridge_no_memory(in->err);
    for (size_t i = 0; i < class->order_count; i++)
        if (class->order[i]->construct == make_property)
            name = class->order[i]->name->text;
    *p = (ridge_py_property){.function = ridge_py_none(), .setter = ridge_py_unset()};
    p->kind = kind_of(name);
    for (size_t i = 0; i < call->keyword_count; i++) {
        if (strcmp(call->keywords[i].name->text, "fget") == 0)
            p->function = call->keywords[i].value;
        if (strcmp(call->keywords[i].name->text, "fset") == 0)
            p->setter = call->keywords[i].value;
    }
    if (call->count > 0)
        p->function = call->args[0];
    if (call->count > 1 && call->args[1].type != RIDGE_PY_T_NONE)
        p->setter = call->args[1];
    *out = (ridge_py){.type = RIDGE_PY_T_PROPERTY, .u.property = p};
    return RIDGE_OK;
}

static bool holds_property(ridge_py v)
{
    return v.type == RIDGE_PY_T_PROPERTY && v.u.property->kind != RIDGE_PY_STATIC && v.u.property->kind != RIDGE_PY_CLASSMETHOD;
}
static bool holds_static(ridge_py v)
{
    return v.type == RIDGE_PY_T_PROPERTY && v.u.property->kind == RIDGE_PY_STATIC;
}
static bool holds_classmethod(ridge_py v)
{
    return v.type == RIDGE_PY_T_PROPERTY && v.u.property->kind == RIDGE_PY_CLASSMETHOD;
}

/* ---- set-up ---- */

/* object and type, before every other class */
static ridge_status add_root(ridge_py_type type, const char *name, const ridge_py_native_entry *methods, size_t count, ridge_py_interp *in)
{
    const ridge_symbol *symbol = ridge_py_symbol(in, name);
    ridge_py_class *class;
    if (!symbol)
        return ridge_no_memory(in->err);
    ridge_status st = ridge_py_native_class(&class, name, NULL, 0, methods, count, in);
    if (st)
        return st;
    class->data = &ridge_py_type_tags[type];
    in->classes[type] = class;
    return ridge_py_scope_set(&in->builtins, symbol, (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = class}, in);
}

static ridge_status add_super(ridge_py_interp *in)
{
    const ridge_symbol *symbol = ridge_py_symbol(in, "super");
    ridge_py f;
    ridge_status st = ridge_py_native_class(&in->machine->super, "super", NULL, 0, NULL, 0, in);
    if (!st)
        st = ridge_py_native_function(&f, "super", make_super, NULL, NULL, in);
    if (st || !symbol)
        return st ? st : ridge_no_memory(in->err);
    in->machine->super->get = super_get;
    return ridge_py_scope_set(&in->builtins, symbol, f, in);
}

static ridge_status add_property(const char *name, bool (*holds)(ridge_py v), ridge_py_interp *in)
{
    const ridge_symbol *symbol = ridge_py_symbol(in, name);
    ridge_py_class *class;
    ridge_status st = ridge_py_native_class(&class, name, NULL, 0, NULL, 0, in);
    if (st || !symbol)
        return st ? st : ridge_no_memory(in->err);
    class->construct = make_property;
    class->holds = holds;
    if (!in->classes[RIDGE_PY_T_PROPERTY])
        in->classes[RIDGE_PY_T_PROPERTY] = class;
    return ridge_py_scope_set(&in->builtins, symbol, (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = class}, in);
}

ridge_status ridge_py_classes_install(ridge_py_interp *in)
{
    ridge_status st = add_root(RIDGE_PY_T_UNSET, "object", of_object, sizeof of_object / sizeof *of_object, in);
    if (!st)
        st = add_root(RIDGE_PY_T_CLASS, "type", of_type, sizeof of_type / sizeof *of_type, in);
    if (st)
        return st;
    in->classes[RIDGE_PY_T_CLASS]->construct = type_construct;
    st = add_super(in);
    if (!st)
        st = add_property("property", holds_property, in);
    if (!st)
        st = add_property("staticmethod", holds_static, in);
    return st ? st : add_property("classmethod", holds_classmethod, in);
}
