/* Parameters of a tree and sums over the trace of a run; see count.h. */
#include "learn/derive/count.h"

#include "learn/python/number.h"

#define NESTING 400

const char *const ridge_count_class_names[] = {
#define X(code, word) #word,
    RIDGE_COUNT_CLASS_LIST(X)
#undef X
        NULL};

/* ---- addresses to numbers ---- */

typedef struct numbers {
    const void **keys;
    uint32_t *values;
    size_t cap, count;
} numbers;

static size_t slot_of(const numbers *n, const void *key)
{
    size_t at = ((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u >> 20 & (n->cap - 1);
    while (n->keys[at] && n->keys[at] != key)
        at = (at + 1) & (n->cap - 1);
    return at;
}

static ridge_status grow(numbers *n, ridge_py_interp *in)
{
    numbers old = *n;
    n->cap = old.cap > 0 ? 2 * old.cap : 256;
    n->keys = ridge_arena_array(in->arena, n->cap, sizeof *n->keys);
    n->values = ridge_arena_array(in->arena, n->cap, sizeof *n->values);
    if (!n->keys || !n->values)
        return ridge_no_memory(in->err);
    for (size_t i = 0; i < old.cap; i++)
        if (old.keys[i]) {
            size_t at = slot_of(n, old.keys[i]);
            n->keys[at] = old.keys[i];
            n->values[at] = old.values[i];
        }
    return RIDGE_OK;
}

/* the number of an address, a new one where it has none */
static ridge_status number_of(uint32_t *out, bool *fresh, numbers *n, const void *key, ridge_py_interp *in)
{
    if (2 * n->count >= n->cap) {
        ridge_status st = grow(n, in);
        if (st)
            return st;
    }
    size_t at = slot_of(n, key);
    *fresh = !n->keys[at];
    if (*fresh) {
        n->keys[at] = key;
        n->values[at] = (uint32_t)n->count++;
    }
    *out = n->values[at];
    return RIDGE_OK;
}

static bool look_up(uint32_t *out, const numbers *n, const void *key)
{
    if (n->cap == 0)
        return false;
    size_t at = slot_of(n, key);
    *out = n->keys[at] ? n->values[at] : 0;
    return n->keys[at] != NULL;
}

/* ---- sums with gaps ---- */

static void add(ridge_int *to, ridge_int n)
{
    if (*to == RIDGE_COUNT_UNKNOWN || n == RIDGE_COUNT_UNKNOWN || !ridge_int_add(to, *to, n))
        *to = RIDGE_COUNT_UNKNOWN;
}

static void add_sums(ridge_count_sums *to, const ridge_count_sums *from)
{
    for (unsigned i = 0; i < RIDGE_COUNT_CLASSES; i++)
        add(&to->flops[i], from->flops[i]);
    add(&to->reads, from->reads);
    add(&to->writes, from->writes);
}

ridge_int ridge_count_torch(const ridge_count_sums *sums)
{
    ridge_int n = sums->flops[RIDGE_COUNT_MATMUL];
    add(&n, sums->flops[RIDGE_COUNT_ATTENTION]);
    return n;
}

ridge_int ridge_count_total(const ridge_count_sums *sums)
{
    ridge_int n = 0;
    for (unsigned i = 0; i < RIDGE_COUNT_CLASSES; i++)
        add(&n, sums->flops[i]);
    return n;
}

/* ---- parameters ---- */

static ridge_int elements(const ridge_tensor *t)
{
    ridge_int n = 1;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dims[i].type != RIDGE_PY_T_INT || !ridge_int_mul(&n, n, (ridge_int)t->dims[i].u.i))
            return RIDGE_COUNT_UNKNOWN;
    return n;
}

static ridge_int bytes_of(const ridge_tensor *t)
{
    ridge_int n = elements(t);
    return n == RIDGE_COUNT_UNKNOWN ? n : n * ridge_dtype_bytes(t->dtype);
}

typedef struct tree {
    ridge_counted *count;
    ridge_py_interp *in;
    numbers tensors, buffers;
    uint32_t *stamps;   /* by tensor's number: the last module in whose subtree it was counted */
    const char **first; /* by tensor's number: where it was first */
    size_t first_cap;
} tree;

static ridge_status add_tensor(tree *t, ridge_count_module *m, const ridge_run_tensor *p)
{
    uint32_t number;
    bool fresh;
    ridge_status st = number_of(&number, &fresh, &t->tensors, p->tensor, t->in);
    if (st)
        return st;
    if (fresh) {
        if (!ridge_arena_more(t->in->arena, &t->first, number, &t->first_cap, sizeof *t->first))
            return ridge_no_memory(t->in->err);
        const char *dot = m->path[0] != '\0' ? "." : "";
        t->first[number] = ridge_arena_printf(t->in->arena, "%s%s%s", m->path, dot, p->name->text);
        add(&t->count->parameters, elements(p->tensor));
    }
    m->tensors[m->tensor_count++] = (ridge_count_tensor){p->name, p->tensor, fresh ? NULL : t->first[number]};
    add(&m->parameters, elements(p->tensor));
    return RIDGE_OK;
}

static ridge_status add_buffers(tree *t, const ridge_run_module *module)
{
    for (size_t i = 0; i < module->buffer_count; i++) {
        uint32_t number;
        bool fresh;
        const ridge_tensor *b = module->buffers[i].tensor;
        ridge_status st = b ? number_of(&number, &fresh, &t->buffers, b, t->in) : RIDGE_OK;
        if (st)
            return st;
        if (b && fresh) {
            add(&t->count->buffers, elements(b));
            add(&t->count->buffer_bytes, bytes_of(b));
        }
    }
    return RIDGE_OK;
}

static ridge_status visit(const char *path, ridge_run_module *module, void *state)
{
    tree *t = state;
    ridge_counted *c = t->count;
    if (!ridge_arena_more(t->in->arena, &c->modules, c->count, &c->cap, sizeof *c->modules))
        return ridge_no_memory(t->in->err);
    ridge_count_module *m = &c->modules[c->count++];
    *m = (ridge_count_module){.module = module, .path = ridge_arena_strdup(t->in->arena, ridge_str_of(path))};
    m->tensors = ridge_arena_array(t->in->arena, module->parameter_count + 1, sizeof *m->tensors);
    if (!m->path || !m->tensors)
        return ridge_no_memory(t->in->err);
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; !st && i < module->parameter_count; i++)
        if (module->parameters[i].tensor)
            st = add_tensor(t, m, &module->parameters[i]);
    return st ? st : add_buffers(t, module);
}

/* unique parameters below a module; stamp: its place + 1 */
static ridge_status total_below(ridge_int *sum, tree *t, const ridge_run_module *module, uint32_t stamp, unsigned depth)
{
    if (depth > NESTING)
        return ridge_fail(t->in->err, RIDGE_LIMIT, "modules are nested deeper than %d", NESTING);
    for (size_t i = 0; i < module->parameter_count; i++) {
        uint32_t number;
        if (!module->parameters[i].tensor || !look_up(&number, &t->tensors, module->parameters[i].tensor) || t->stamps[number] == stamp)
            continue;
        t->stamps[number] = stamp;
        add(sum, elements(module->parameters[i].tensor));
    }
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; !st && i < module->child_count; i++)
        if (module->children[i].module)
            st = total_below(sum, t, module->children[i].module, stamp, depth + 1);
    return st;
}

ridge_status ridge_count_tree(ridge_counted *out, ridge_run_module *model, ridge_py_interp *in)
{
    *out = (ridge_counted){0};
    tree t = {.count = out, .in = in};
    ridge_status st = ridge_run_walk(model, visit, &t, in);
    if (st)
        return st;
    if (!(t.stamps = ridge_arena_array(in->arena, t.tensors.count + 1, sizeof *t.stamps)))
        return ridge_no_memory(in->err);
    for (size_t i = 0; !st && i < out->count; i++)
        st = total_below(&out->modules[i].parameters_total, &t, out->modules[i].module, (uint32_t)i + 1, 0);
    return st;
}

/* ---- a run ---- */

typedef struct runner {
    ridge_counted *count;
    ridge_py_interp *in;
    numbers modules, operators;
    uint32_t *active; /* by module's number: how many calls of it are open: a call inside its own is counted once */
} runner;

static ridge_int value_of(const ridge_poly *poly, ridge_py_interp *in)
{
    ridge_rational r;
    if (!poly || !ridge_py_evaluate(&r, poly, in) || r.den != 1)
        return RIDGE_COUNT_UNKNOWN;
    return r.num;
}

static ridge_count_class class_of(const ridge_operator *op)
{
    for (unsigned i = 0; op->flop_class && ridge_count_class_names[i]; i++)
        if (strcmp(op->flop_class, ridge_count_class_names[i]) == 0)
            return (ridge_count_class)i;
    return RIDGE_COUNT_OTHER;
}

static ridge_status count_operator(runner *r, const ridge_run_operator *o, ridge_count_sums *sums)
{
    uint32_t number;
    bool fresh;
    ridge_counted *c = r->count;
    ridge_status st = number_of(&number, &fresh, &r->operators, o->operator, r->in);
    if (st)
        return st;
    if (fresh) {
        if (!ridge_arena_more(r->in->arena, &c->operators, c->operator_count, &c->operator_cap, sizeof *c->operators))
            return ridge_no_memory(r->in->err);
        c->operators[c->operator_count++] = (ridge_count_operator){.name = o->operator->name };
    }
    c->operators[number].count++;
    c->ran++;
    ridge_int flops = value_of(o->flops, r->in);
    bool composite = strncmp(o->operator->name, "aten.", 5) != 0; /* made of others: of which classes, nobody knows then */
    for (unsigned i = 0; i < RIDGE_COUNT_CLASSES; i++)
        if (i == (unsigned)class_of(o->operator) || (composite && flops == RIDGE_COUNT_UNKNOWN))
            add(&sums->flops[i], flops);
    ridge_int reads = value_of(o->reads, r->in), writes = value_of(o->writes, r->in);
    add(&sums->reads, reads);
    add(&sums->writes, writes);
    add(&c->operators[number].reads, reads);
    add(&c->operators[number].writes, writes);
    return RIDGE_OK;
}

static ridge_status count_call(runner *r, const ridge_run_call *call, ridge_count_sums *sums, unsigned depth)
{
    uint32_t number = 0;
    bool known = call->module && look_up(&number, &r->modules, call->module);
    ridge_count_sums own = {0};
    ridge_status st = RIDGE_OK;
    if (depth > NESTING)
        return ridge_fail(r->in->err, RIDGE_LIMIT, "calls are nested deeper than %d", NESTING);
    if (known)
        r->active[number]++;
    for (size_t i = 0; !st && i < call->count; i++)
        st = call->events[i].call ? count_call(r, call->events[i].call, &own, depth + 1)
                                  : count_operator(r, call->events[i].operator, & own);
    if (known) {
        ridge_count_module *m = &r->count->modules[number];
        m->calls++;
        if (--r->active[number] == 0)
            add_sums(&m->sums, &own);
    }
    add_sums(sums, &own);
    return st;
}

ridge_status ridge_count_run(ridge_counted *count, const ridge_run_call *root, ridge_py_interp *in)
{
    runner r = {.count = count, .in = in};
    ridge_status st = RIDGE_OK;
    count->total = (ridge_count_sums){0};
    count->operators = NULL;
    count->operator_count = count->operator_cap = count->ran = 0;
    for (size_t i = 0; !st && i < count->count; i++) {
        uint32_t number;
        bool fresh;
        count->modules[i].calls = 0;
        count->modules[i].sums = (ridge_count_sums){0};
        st = number_of(&number, &fresh, &r.modules, count->modules[i].module, in);
    }
    if (st)
        return st;
    if (!(r.active = ridge_arena_array(in->arena, count->count + 1, sizeof *r.active)))
        return ridge_no_memory(in->err);
    return count_call(&r, root, &count->total, 0);
}

static void forget(ridge_count_sums *sums)
{
    for (unsigned i = 0; i < RIDGE_COUNT_CLASSES; i++)
        sums->flops[i] = RIDGE_COUNT_UNKNOWN;
    sums->reads = sums->writes = RIDGE_COUNT_UNKNOWN;
}

void ridge_count_forget(ridge_counted *count)
{
    forget(&count->total);
    for (size_t i = 0; i < count->count; i++)
        forget(&count->modules[i].sums);
}

/* ---- what a value holds ---- */

typedef struct holder {
    ridge_py_interp *in;
    numbers seen;
    ridge_int bytes;
} holder;

static ridge_status held(holder *h, ridge_py v, unsigned depth);

static ridge_status held_scope(holder *h, const ridge_py_scope *scope, unsigned depth)
{
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; !st && i < scope->count; i++)
        st = held(h, scope->items[i].value, depth + 1);
    return st;
}

static ridge_status held_parts(holder *h, ridge_py v, unsigned depth)
{
    ridge_status st = RIDGE_OK;
    if (v.type == RIDGE_PY_T_INSTANCE)
        return (st = held_scope(h, &v.u.instance->attributes, depth)) ? st : held(h, v.u.instance->base, depth + 1);
    if (v.type == RIDGE_PY_T_LIST || v.type == RIDGE_PY_T_TUPLE)
        for (size_t i = 0; !st && i < v.u.list->count; i++)
            st = held(h, v.u.list->items[i], depth + 1);
    if (v.type == RIDGE_PY_T_DICT)
        for (size_t i = 0; !st && i < v.u.dict->used; i++)
            if (v.u.dict->entries[i].key.type != RIDGE_PY_T_UNSET)
                st = held(h, v.u.dict->entries[i].value, depth + 1);
    return st;
}

static ridge_status held(holder *h, ridge_py v, unsigned depth)
{
    uint32_t number;
    bool fresh = true;
    bool tensor = v.type == RIDGE_PY_T_TENSOR;
    bool container = v.type == RIDGE_PY_T_INSTANCE || v.type == RIDGE_PY_T_LIST || v.type == RIDGE_PY_T_TUPLE || v.type == RIDGE_PY_T_DICT;
    if (v.type == RIDGE_PY_T_UNKNOWN) /* it may have been a tensor */
        add(&h->bytes, RIDGE_COUNT_UNKNOWN);
    if (depth > 40 || (!tensor && !container) || ridge_run_module_of(v))
        return RIDGE_OK;
    const void *key = tensor ? (const void *)v.u.tensor->storage : v.u.pointer;
    ridge_status st = number_of(&number, &fresh, &h->seen, key, h->in);
    if (st || !fresh)
        return st;
    if (tensor && !ridge_tensor_is_counter(v.u.tensor))
        add(&h->bytes, bytes_of(v.u.tensor));
    return tensor ? RIDGE_OK : held_parts(h, v, depth);
}

ridge_status ridge_count_held(ridge_int *bytes, ridge_py v, ridge_py_interp *in)
{
    holder h = {.in = in};
    ridge_status st = held(&h, v, 0);
    *bytes = h.bytes;
    return st;
}
