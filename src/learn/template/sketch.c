/* The modules of a run, each with its tensors and children. What they cost is in sketch_cost.c. */
#include "learn/template/sketch_parts.h"

#define CONTAINERS "torch.nn.modules.container."

/* what belongs to making the sketches of one run */
typedef struct maker {
    ridge_sketches *out;
    ridge_sketch **by_id; /* [cap] by the module's id */
    size_t cap;
    ridge_translation t;
    ridge_py_interp *in;
    const ridge_calc *calc;
} maker;

static const char *const formats[] = {
    [RIDGE_DTYPE_BOOL] = "bool",   [RIDGE_DTYPE_U8] = "u8",    [RIDGE_DTYPE_I8] = "int8",  [RIDGE_DTYPE_I16] = "fp16",
    [RIDGE_DTYPE_I32] = "i32",     [RIDGE_DTYPE_I64] = "i64",  [RIDGE_DTYPE_F16] = "fp16", [RIDGE_DTYPE_BF16] = "bf16",
    [RIDGE_DTYPE_F32] = "fp32",    [RIDGE_DTYPE_F64] = "fp64", [RIDGE_DTYPE_C64] = "fp64", [RIDGE_DTYPE_C128] = "fp64",
    [RIDGE_DTYPE_F8] = "fp8_e4m3",
};

const char *ridge_sketch_format(ridge_dtype dtype)
{
    return formats[dtype];
}

static ridge_sketch *find(const maker *m, const ridge_run_module *module)
{
    return module->id < m->cap ? m->by_id[module->id] : NULL;
}

static ridge_status remember(maker *m, ridge_sketch *s)
{
    uint32_t id = s->module->id;
    if (id >= m->cap) {
        ridge_sketch **grown = ridge_arena_grow(m->calc->arena, m->by_id, m->cap, &m->cap, (size_t)id + 1, sizeof *grown);
        if (!grown)
            return ridge_no_memory(m->calc->err);
        m->by_id = grown;
    }
    m->by_id[id] = s;
    if (!ridge_arena_more(m->calc->arena, &m->out->p, m->out->count, &m->out->cap, sizeof *m->out->p))
        return ridge_no_memory(m->calc->err);
    m->out->p[m->out->count++] = s;
    return RIDGE_OK;
}

/* ---- tensors ---- */

static ridge_status tensor(ridge_sketch_tensor *out, const ridge_run_tensor *from, bool buffer, maker *m)
{
    const ridge_tensor *t = from->tensor;
    *out = (ridge_sketch_tensor){.name = from->name->text, .absent = !t};
    if (!t)
        return RIDGE_OK;
    out->format = buffer ? formats[t->dtype] : NULL;
    out->rank = t->rank;
    if (!(out->dims = ridge_arena_array(m->calc->arena, t->rank + 1u, sizeof *out->dims)))
        return ridge_no_memory(m->calc->err);
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < t->rank && !st; i++)
        st = ridge_translate_value(&out->dims[i], t->dims[i], &m->t);
    return st;
}

static ridge_status tensors(ridge_sketch_tensor **out, size_t *count, const ridge_run_tensor *from, size_t n, bool buffer, maker *m)
{
    ridge_status st = RIDGE_OK;
    if (!(*out = ridge_arena_array(m->calc->arena, n + 1, sizeof **out)))
        return ridge_no_memory(m->calc->err);
    *count = n;
    for (size_t i = 0; i < n && !st; i++)
        st = tensor(&(*out)[i], &from[i], buffer, m);
    return st;
}

/* ---- arguments of __init__ ---- */

static ridge_status add_argument(ridge_sketch *s, const char *name, ridge_py v, maker *m)
{
    ridge_value value;
    ridge_status st = ridge_translate_value(&value, v, &m->t);
    return st || value.type == RIDGE_V_UNSET ? st : ridge_sketch_argue(s, name, value, m->calc);
}

ridge_status ridge_sketch_argue(ridge_sketch *s, const char *name, ridge_value value, const ridge_calc *calc)
{
    if (!ridge_arena_more(calc->arena, &s->arguments, s->argument_count, &s->argument_cap, sizeof *s->arguments))
        return ridge_no_memory(calc->err);
    s->arguments[s->argument_count++] = (ridge_sketch_argument){name, value};
    return RIDGE_OK;
}

/* the parameters of the class's __init__, without self; NULL where it is native or inherited from one */
static const ridge_py_node *parameters_of(const ridge_py_class *class, maker *m)
{
    const ridge_symbol *name = ridge_py_symbol(m->in, "__init__");
    for (size_t i = 0; name && i < class->order_count; i++) {
        const ridge_py *init = ridge_py_scope_find(&class->order[i]->attributes, name);
        if (init)
            return init->type == RIDGE_PY_T_FUNCTION ? init->u.function->node->a : NULL;
    }
    return NULL;
}

static ridge_status arguments(ridge_sketch *s, maker *m)
{
    const ridge_run_module *module = s->module;
    const ridge_py_node *names = parameters_of(module->instance->class, m);
    ridge_status st = RIDGE_OK;
    if (names && module->arguments.type == RIDGE_PY_T_TUPLE)
        for (size_t i = 0; i < module->arguments.u.list->count && i + 1 < names->count && !st; i++)
            if (names->items[i + 1] && names->items[i + 1]->op <= RIDGE_PY_PLAIN)
                st = add_argument(s, names->items[i + 1]->name->text, module->arguments.u.list->items[i], m);
    if (module->keywords.type == RIDGE_PY_T_DICT)
        for (size_t i = 0; i < module->keywords.u.dict->used && !st; i++) {
            const ridge_py_entry *e = &module->keywords.u.dict->entries[i];
            if (e->key.type == RIDGE_PY_T_STR)
                st = add_argument(s, e->key.u.s->text.p, e->value, m);
        }
    return st;
}

/* ---- modules ---- */

static ridge_status sketch(ridge_sketch **out, const ridge_run_module *module, ridge_sketch *parent, const char *path, maker *m);

static const char *below(const char *path, const char *name, maker *m)
{
    return *path ? ridge_arena_printf(m->calc->arena, "%s.%s", path, name) : name;
}

static ridge_status children(ridge_sketch *s, maker *m)
{
    const ridge_run_module *module = s->module;
    ridge_status st = RIDGE_OK;
    if (!(s->children = ridge_arena_array(m->calc->arena, module->child_count + 1, sizeof *s->children)))
        return ridge_no_memory(m->calc->err);
    for (size_t i = 0; i < module->child_count && !st; i++) {
        ridge_sketch_child *c = &s->children[s->child_count];
        const ridge_run_module *of = module->children[i].module;
        if (!of)
            continue; /* registered as None: named_modules() leaves it out */
        c->name = module->children[i].name->text;
        c->module = find(m, of);
        c->alias = c->module != NULL;
        const char *path = below(s->path, c->name, m);
        st = !path ? ridge_no_memory(m->calc->err) : c->module ? RIDGE_OK : sketch(&c->module, of, s, path, m);
        if (!st && !c->alias && c->module->height >= s->height)
            s->height = c->module->height + 1;
        s->child_count++;
    }
    return st;
}

static ridge_status sketch(ridge_sketch **out, const ridge_run_module *module, ridge_sketch *parent, const char *path, maker *m)
{
    ridge_sketch *s = ridge_arena_alloc(m->calc->arena, sizeof *s);
    ridge_status st;
    *out = s;
    if (!s)
        return ridge_no_memory(m->calc->err);
    s->module = module;
    s->heads = s->kv_heads = (ridge_value){.type = RIDGE_V_UNSET};
    s->parent = parent;
    s->path = path;
    s->class_path = module->class_path;
    s->container = strncmp(s->class_path, CONTAINERS, strlen(CONTAINERS)) == 0;
    if ((st = remember(m, s)) || (st = tensors(&s->weights, &s->weight_count, module->parameters, module->parameter_count, false, m)) ||
        (st = tensors(&s->buffers, &s->buffer_count, module->buffers, module->buffer_count, true, m)) || (st = arguments(s, m)))
        return st;
    return children(s, m);
}

/* ---- ties ---- */

/* the first parameter in the order of modules that is this tensor */
static const char *holder(const ridge_tensor *t, const maker *m)
{
    for (size_t i = 0; i < m->out->count; i++) {
        const ridge_run_module *module = m->out->p[i]->module;
        for (size_t k = 0; k < module->parameter_count; k++)
            if (module->parameters[k].tensor == t)
                return ridge_arena_printf(m->calc->arena, "%s%s%s", m->out->p[i]->path, *m->out->p[i]->path ? "." : "",
                                          module->parameters[k].name->text);
    }
    return "";
}

static ridge_status add_tie(const ridge_sketch *s, const ridge_run_tensor *t, maker *m)
{
    const char *target = holder(t->tensor, m);
    const char *path = ridge_arena_printf(m->calc->arena, "%s%s%s", s->path, *s->path ? "." : "", t->name->text);
    if (!target || !path)
        return ridge_no_memory(m->calc->err);
    if (strcmp(target, path) == 0)
        return RIDGE_OK;
    if (!ridge_arena_more(m->calc->arena, &m->out->ties, m->out->tie_count, &m->out->tie_cap, sizeof *m->out->ties))
        return ridge_no_memory(m->calc->err);
    m->out->ties[m->out->tie_count++] = (ridge_sketch_tie){path, target};
    return RIDGE_OK;
}

/* Parameters that stand in more than one place are found by a table of those met so far. */
static ridge_status ties(maker *m)
{
    size_t count = 1;
    for (size_t i = 0; i < m->out->count; i++)
        count += m->out->p[i]->module->parameter_count;
    size_t buckets = 16;
    while (buckets < 2 * count)
        buckets *= 2;
    const ridge_tensor **seen = ridge_arena_array(m->calc->arena, buckets, sizeof *seen);
    ridge_status st = seen ? RIDGE_OK : ridge_no_memory(m->calc->err);
    for (size_t i = 0; i < m->out->count && !st; i++) {
        const ridge_run_module *module = m->out->p[i]->module;
        for (size_t k = 0; k < module->parameter_count && !st; k++) {
            const ridge_tensor *t = module->parameters[k].tensor;
            size_t at = ((uintptr_t)t >> 4) * 2654435761u % buckets;
            while (t && seen[at] && seen[at] != t)
                at = (at + 1) % buckets;
            if (t && seen[at])
                st = add_tie(m->out->p[i], &module->parameters[k], m);
            else
                seen[at] = t;
        }
    }
    return st;
}

ridge_status ridge_sketches_make(ridge_sketches *out, ridge_run_module *model, const ridge_run_call *call, ridge_py cache, ridge_dtype act,
                                 ridge_py_interp *in, ridge_translation t)
{
    const ridge_calc *calc = t.calc;
    maker m = {.out = out, .t = t, .in = in, .calc = calc};
    *out = (ridge_sketches){.act = formats[act]};
    ridge_status st = sketch(&out->root, model, NULL, "", &m);
    if (st || (st = ties(&m)))
        return st;
    for (size_t i = 0; i < out->count; i++)
        out->p[i]->calls = ridge_value_none();
    ridge_sketch_coster coster = {.by_id = m.by_id, .cap = m.cap, .t = &m.t, .calc = calc, .act = act};
    if ((st = ridge_sketch_costs(call, &coster)) || (st = ridge_sketch_keeps(cache, call, &coster)))
        return st;
    return ridge_sketch_settle(out, calc);
}
