/* modules.c - invocations, what modules are made of, what they cost. */
#include "internal.h"

#include <string.h>

/* ---- objects ---- */

gm_object *gm_new_object(gm_run *r, const char *what)
{
    gm_object *o = gm_room(r, sizeof *o);
    if (o) {
        o->what = what;
        o->last = &o->first;
    }
    return o;
}

const gm_value *gm_find(const gm_object *object, const char *name)
{
    for (const gm_object_field *f = object->first; f; f = f->next)
        if (strcmp(f->name, name) == 0)
            return &f->value;
    return NULL;
}

void gm_set(gm_run *r, gm_object *object, const char *name, gm_value value)
{
    gm_object_field *f = object ? object->first : NULL;
    if (r->failed || !object)
        return;
    while (f && strcmp(f->name, name) != 0)
        f = f->next;
    if (!f && (f = gm_room(r, sizeof *f))) {
        f->name = name;
        *object->last = f;
        object->last = &f->next;
        object->count++;
    }
    if (f)
        f->value = value;
}

gm_value gm_config_of(gm_run *r)
{
    gm_value v = {.type = GM_OBJECT};
    if (r->failed || !r->config)
        return gm_fail(r, "there is no config here");
    v.u.object = r->config;
    return v;
}

gm_value gm_member(gm_run *r, gm_value object, const char *name)
{
    const gm_value *found = !r->failed && object.type == GM_OBJECT ? gm_find(object.u.object, name) : NULL;
    if (found)
        return *found;
    if (!r->failed && object.type == GM_OBJECT)
        return gm_fail(r, "%s has no '%s', and no default for it is known", object.u.object->what, name);
    return gm_fail(r, "%s has no field '%s'", gm_type_name(object), name);
}

gm_value gm_field_of(gm_run *r, gm_value object, const char *name)
{
    if (r->failed || object.type == GM_NONE)
        return gm_none();
    if (object.type != GM_OBJECT)
        return gm_member(r, object, name);
    const gm_value *found = gm_find(object.u.object, name);
    return found ? *found : gm_none();
}

gm_value gm_of(gm_run *r, gm_workload_name name)
{
    static const char *const names[] = {
#define X(word) #word,
        GM_WORKLOAD_LIST(X)
#undef X
    };
    if (r->failed || r->workload[name].type == GM_UNSET)
        return gm_fail(r, "the workload does not give '%s'", names[name]);
    return r->workload[name];
}

/* ---- counts ---- */

gm_int gm_count_of(gm_run *r, gm_value v, const char *what)
{
    gm_int n = 0;
    v = gm_operand(r, v);
    if (r->failed)
        return 0;
    if (v.type == GM_RATIO)
        (void)gm_fail(r, "a fractional number of %s", what);
    else if (!gm_as_int(&n, v))
        (void)gm_fail(r, "%s must be a number, not %s", what, gm_type_name(v));
    else if (n < 0)
        (void)gm_fail(r, "a negative number of %s", what);
    return r->failed ? 0 : n;
}

/* A number, the product of a shape ([]: of a scalar, 1), the sum over a list of shapes. The first dimension of a shape may be a fraction.
 */
gm_value gm_elements(gm_run *r, gm_value v)
{
    if (r->failed || v.type == GM_NONE)
        return gm_number(0);
    if (v.type == GM_MODULE)
        return gm_fail(r, "want a number of elements, a shape or a list of shapes");
    if (v.type != GM_LIST)
        return gm_number(gm_count_of(r, v, "elements"));
    const gm_list *l = v.u.list;
    bool nested = false;
    for (size_t i = 0; i < l->count; i++)
        nested = nested || l->items[i].type == GM_LIST || l->items[i].type == GM_NONE;
    gm_value rows = gm_number(1), columns = gm_number(nested ? 0 : 1);
    for (size_t i = 0; nested && i < l->count; i++)
        columns = gm_add(r, columns, gm_elements(r, l->items[i]));
    if (nested)
        return columns;
    if (l->count > 1)
        rows = l->items[0];
    for (size_t i = l->count > 1; i < l->count; i++)
        columns = gm_mul(r, columns, l->items[i]);
    if (!r->failed && !gm_is_number(rows))
        return gm_fail(r, "want a number of elements, a shape or a list of shapes");
    const gm_int n = gm_count_of(r, columns, "elements");
    if (!r->failed && rows.type == GM_INT && rows.u.number < 0)
        return gm_fail(r, "a negative number of elements");
    return gm_mul(r, rows, gm_number(n));
}

/* ---- invocations ---- */

static int parameter_named(const gm_entry *e, const char *name)
{
    const size_t n = strlen(name);
    for (size_t i = 0; i < e->parameter_count; i++) {
        if (strcmp(e->parameters[i].name, name) == 0)
            return (int)i;
        for (const char *p = e->parameters[i].aliases; p && *p;) {
            const size_t k = strcspn(p, " ");
            if (k == n && strncmp(p, name, n) == 0)
                return (int)i;
            p += k + (p[k] == ' ');
        }
    }
    return -1;
}

static void bind(gm_run *r, const gm_entry *e, gm_value *values, const gm_argument *arguments, size_t count)
{
    for (size_t i = 0; i < count && !r->failed; i++) {
        const int at = arguments[i].name ? parameter_named(e, arguments[i].name) : (int)i;
        if (at < 0 || (size_t)at >= e->parameter_count)
            (void)gm_fail(r, "%s takes %zu parameters, and has no %s", e->path, e->parameter_count,
                          arguments[i].name ? arguments[i].name : "other");
        else if (values[at].type != GM_UNSET)
            (void)gm_fail(r, "%s gets '%s' twice", e->path, e->parameters[at].name);
        else
            values[at] = arguments[i].value;
    }
    for (size_t i = 0; i < e->parameter_count && !r->failed; i++)
        if (values[i].type == GM_UNSET && e->parameters[i].required)
            (void)gm_fail(r, "%s misses its argument '%s'", e->path, e->parameters[i].name);
    if (!r->failed && e->defaults)
        e->defaults(r, values);
}

static bool same_arguments(const gm_entry *e, const gm_value *a, const gm_value *b)
{
    for (size_t i = 0; i < e->parameter_count; i++)
        if (!gm_same(a[i], b[i]))
            return false;
    return true;
}

static size_t hash_of(gm_value v)
{
    size_t h = (size_t)v.type * 31u;
    if (v.type == GM_INT)
        h = h * 1000003u + (size_t)v.u.number;
    else if (v.type == GM_TEXT)
        for (size_t i = 0; i < v.length; i++)
            h = h * 31u + (unsigned char)v.u.text[i];
    else if (v.type == GM_LIST)
        for (size_t i = 0; i < v.u.list->count; i++)
            h = h * 1000003u + hash_of(v.u.list->items[i]);
    return h;
}

/* the same invocation, not answered yet, is a cycle: true after the error */
static bool is_cycle(gm_run *r, const gm_entry *e, const gm_value *values)
{
    for (const gm_call *c = r->calls; c; c = c->outer)
        if (c->entry == e && c->config == r->config && same_arguments(e, c->arguments, values)) {
            (void)gm_fail(r, "dependency cycle: %s needs itself", e->path);
            return true;
        }
    return false;
}

static bool deeper(gm_run *r)
{
    if (r->depth++ < GM_DEEPEST)
        return true;
    (void)gm_fail(r, "nested too deeply (limit %d)", GM_DEEPEST);
    return false;
}

static gm_module *new_module(gm_run *r, const gm_entry *e)
{
    gm_module *m = gm_room(r, sizeof *m);
    if (m) {
        m->entry = e;
        m->last = &m->first;
        m->config = r->config;
    }
    return m;
}

static gm_value build(gm_run *r, const gm_entry *e, void *frame, const gm_value *arguments, gm_module **bucket, size_t hash)
{
    gm_module *m = new_module(r, e);
    gm_value v = {.type = GM_MODULE};
    const gm_quantity quantity = r->quantity; /* what a module is made of does not depend on what is asked about it */
    if (!m)
        return gm_none();
    m->frame = frame;
    m->arguments = arguments;
    m->hash = hash;
    r->quantity = GM_FLOPS;
    if (e->describe)
        e->describe(r, frame, m);
    r->quantity = quantity;
    m->next = *bucket;
    *bucket = m;
    v.u.module = m;
    return v;
}

static gm_value answer(gm_run *r, const gm_entry *e, void *frame, const gm_value *arguments)
{
    size_t hash = (size_t)(uintptr_t)e >> 4 ^ (size_t)(uintptr_t)r->config >> 4;
    if (e->kind == GM_KIND_FORMULA)
        return e->value(r, frame);
    for (size_t i = 0; i < e->parameter_count; i++)
        hash = hash * 1000003u + hash_of(arguments[i]);
    gm_module **bucket = &r->buckets[(hash ^ hash >> 12) % GM_BUCKETS];
    for (gm_module *m = *bucket; m; m = m->next)
        if (m->hash == hash && m->entry == e && m->config == r->config && same_arguments(e, m->arguments, arguments)) {
            gm_value v = {.type = GM_MODULE};
            v.u.module = m;
            return v;
        }
    return build(r, e, frame, arguments, bucket, hash);
}

gm_value gm_invoke(gm_run *r, const gm_entry *e, const gm_argument *arguments, size_t count)
{
    const size_t n = e->parameter_count;
    gm_value *own = r->failed ? NULL : gm_room(r, (n + 1) * sizeof *own), *frame = own ? gm_room(r, e->frame + sizeof *frame) : NULL;
    gm_object *config = r->config;
    if (!frame)
        return gm_none();
    bind(r, e, frame, arguments, count);
    memcpy(own, frame, n * sizeof *own);
    if (r->failed || is_cycle(r, e, own) || !deeper(r))
        return gm_none();
    const gm_call call = {e, own, r->config, r->calls};
    r->calls = &call;
    const gm_value v = answer(r, e, frame, own);
    r->calls = call.outer;
    r->config = config;
    r->depth--;
    return r->failed ? gm_none() : v;
}

/* ---- what a module is made of ---- */

void gm_skip(gm_module *m)
{
    m->skipped = true;
}

void gm_holds_when(gm_run *r, const gm_entry *e, bool truth, const char *that, const char *why)
{
    if (!r->failed && !truth)
        (void)gm_fail(r, "%s is known only where %s: %s", e->path, that, why);
}

void gm_holds(gm_run *r, bool truth, const char *name, const char *why)
{
    if (!r->failed && !truth)
        (void)gm_fail(r, "%s: %s", name, why);
}

void gm_experts(gm_run *r, gm_value v)
{
    gm_int all = 0, run = 0;
    if (r->failed)
        return;
    if (v.type != GM_LIST || v.u.list->count != 2 || !gm_as_int(&all, v.u.list->items[0]) || !gm_as_int(&run, v.u.list->items[1]) ||
        run < 0 || run > all)
        (void)gm_fail(r, "experts are [how many there are, how many of them a token runs]");
}

static gm_int tensor(gm_run *r, const char *name, gm_value shape)
{
    enum { LARGEST_RANK = 16 };
    gm_int elements = 1, one;
    if (r->failed)
        return 0;
    if (shape.type != GM_LIST || shape.u.list->count > LARGEST_RANK)
        (void)gm_fail(r, "shape of '%s': want a list of dimensions", name);
    for (size_t i = 0; !r->failed && i < shape.u.list->count; i++) {
        if (!gm_as_int(&one, shape.u.list->items[i]))
            (void)gm_fail(r, "shape of '%s': a dimension is not an integer", name);
        else if (one < 0)
            (void)gm_fail(r, "shape of '%s': a dimension is negative", name);
        else if (!gm_int_mul(&elements, elements, one))
            (void)gm_fail(r, "shape of '%s': its number of elements does not fit in 128 bits", name);
    }
    return elements;
}

gm_value gm_weight(gm_run *r, gm_module *m, const char *name, gm_value shape)
{
    gm_tensor *t = r->failed || shape.type == GM_NONE ? NULL : gm_room(r, sizeof *t);
    if (t) {
        *t = (gm_tensor){name, tensor(r, name, shape), m->weights};
        m->weights = t;
    }
    return shape;
}

void gm_buffer(gm_run *r, const char *name, gm_value shape, gm_value format)
{
    if (r->failed || shape.type == GM_NONE)
        return;
    (void)tensor(r, name, shape);
    if (!r->failed && format.type != GM_TEXT)
        (void)gm_fail(r, "shape of '%s': its format is not a format's name", name);
}

static void add(gm_run *r, gm_module *m, const char *name, gm_value v, gm_int calls, gm_flop_class flop_class)
{
    if (r->failed || v.type == GM_NONE)
        return;
    if (v.type != GM_MODULE) {
        (void)gm_fail(r, "part '%s' is %s: want a module, a list of modules or None", name, gm_type_name(v));
        return;
    }
    gm_child *c = gm_room(r, sizeof *c);
    if (!c)
        return;
    *c = (gm_child){name, v.u.module, calls, flop_class, NULL};
    *m->last = c;
    m->last = &c->next;
}

static gm_int called(gm_run *r, const char *name, gm_value calls)
{
    gm_int n = 0;
    if (!r->failed && (!gm_as_int(&n, calls) || n < 0))
        (void)gm_fail(r, "'calls' of '%s' must be an integer of at least 0", name);
    return n;
}

/* false: it is nothing, or a list */
bool gm_part(gm_run *r, gm_module *m, const char *name, gm_value v, gm_value calls, gm_flop_class flop_class)
{
    gm_made made = {0};
    if (r->failed)
        return false;
    if (v.type == GM_LIST) {
        for (size_t i = 0; i < v.u.list->count; i++)
            gm_push(r, &made, v.u.list->items[i], gm_number(1));
        gm_parts(r, m, name, &made, false, NULL, flop_class);
        return false;
    }
    add(r, m, name, v, called(r, name, calls), flop_class);
    return v.type != GM_NONE;
}

gm_module *gm_group(gm_run *r, gm_module *m, const char *name)
{
    gm_module *box = r->failed ? NULL : new_module(r, NULL);
    gm_value v = {.type = GM_MODULE};
    v.u.module = box;
    if (!box)
        return m;
    add(r, m, name, v, 1, GM_ITS_OWN);
    return box;
}

static const char *numbered(gm_run *r, const char *before, size_t i, const char *behind)
{
    char digits[41];
    gm_print(digits, (gm_int)i);
    char *name = gm_room(r, strlen(before) + strlen(digits) + strlen(behind) + 1);
    return name ? strcat(strcat(strcpy(name, before), digits), behind) : "";
}

void gm_parts(gm_run *r, gm_module *m, const char *name, const gm_made *made, bool container, const char *prefix, gm_flop_class flop_class)
{
    bool functions = made->count > 0 && !container;
    for (size_t i = 0; i < made->count; i++)
        functions = functions && !(made->items[i].type == GM_MODULE && made->items[i].u.module->entry &&
                                   made->items[i].u.module->entry->kind == GM_KIND_MODULE);
    gm_module *into = functions ? m : gm_group(r, m, name);
    for (size_t i = 0; i < made->count && !r->failed; i++) {
        const char *own = functions ? numbered(r, name, i, "]") : numbered(r, prefix ? prefix : "", i, "");
        add(r, into, own, made->items[i], called(r, name, made->calls[i]), flop_class);
    }
}

gm_value gm_share(gm_run *r, gm_value total, size_t at, size_t count)
{
    const gm_value n = gm_number((gm_int)count), i = gm_number((gm_int)at), next = gm_number((gm_int)at + 1);
    return gm_sub(r, gm_floor_div(r, gm_mul(r, total, next), n), gm_floor_div(r, gm_mul(r, total, i), n));
}

gm_object *gm_within(gm_run *r, gm_value config)
{
    gm_object *outer = r->config;
    if (!r->failed && config.type != GM_OBJECT)
        (void)gm_fail(r, "a part's config must be a nested config, not %s", gm_type_name(config));
    if (!r->failed)
        r->config = config.u.object;
    return outer;
}

void gm_back(gm_run *r, gm_object *config)
{
    r->config = config;
}

void gm_tie(gm_run *r, gm_module *m, const char *weight, gm_value target)
{
    gm_tensor *t;
    if (r->failed || target.type == GM_NONE || (target.type == GM_BOOL && !target.u.truth))
        return;
    if (target.type != GM_TEXT) {
        (void)gm_fail(r, "a tie names a path, not %s", gm_type_name(target));
    } else if ((t = gm_room(r, sizeof *t))) {
        *t = (gm_tensor){weight, 0, m->ties};
        m->ties = t;
    }
}

/* ---- what it costs ---- */

void gm_add_flops(gm_run *r, gm_terms *t, gm_flop_class kind, gm_value v)
{
    if (!gm_int_add(&t->flops[kind], t->flops[kind], gm_count_of(r, v, "FLOPs")))
        (void)gm_fail(r, "overflow: a total");
}

static void add_elements(gm_run *r, gm_terms *t, gm_value *sum, gm_kind_of_bytes kind, gm_value v)
{
    const gm_value n = gm_elements(r, v);
    *sum = gm_add(r, *sum, n);
    if (kind == GM_BETWEEN)
        t->between = gm_add(r, t->between, n);
}

void gm_add_reads(gm_run *r, gm_terms *t, gm_kind_of_bytes kind, gm_value v)
{
    add_elements(r, t, &t->reads, kind, v);
}

void gm_add_writes(gm_run *r, gm_terms *t, gm_kind_of_bytes kind, gm_value v)
{
    add_elements(r, t, &t->writes, kind, v);
}

void gm_must_count(gm_run *r, gm_value v)
{
    (void)gm_elements(r, v);
}

static void sum_up(gm_run *r, gm_module *m);

static void add_child(gm_run *r, gm_terms *t, const gm_child *c)
{
    const gm_value calls = gm_number(c->calls);
    sum_up(r, c->module);
    const gm_terms *part = &c->module->cost;
    for (int i = 0; i < GM_FLOP_CLASSES && !r->failed; i++) {
        gm_int *to = &t->flops[i == GM_MATMUL && c->flop_class != GM_ITS_OWN ? (int)c->flop_class : i], n;
        if (!gm_int_mul(&n, part->flops[i], c->calls) || !gm_int_add(to, *to, n))
            (void)gm_fail(r, "overflow: a total");
    }
    t->reads = gm_add(r, t->reads, gm_mul(r, part->reads, calls));
    t->writes = gm_add(r, t->writes, gm_mul(r, part->writes, calls));
    t->between = gm_add(r, t->between, gm_mul(r, part->between, calls));
}

/* its own terms and those of its parts, as often as they are called */
static void sum_up(gm_run *r, gm_module *m)
{
    gm_terms *t = &m->cost;
    if (r->failed || m->costed)
        return;
    if (m->costing) {
        (void)gm_fail(r, "the cost of %s needs itself", m->entry ? m->entry->path : "a container");
        return;
    }
    *t = (gm_terms){.reads = gm_number(0), .writes = gm_number(0), .between = gm_number(0)};
    m->costing = true;
    gm_object *config = r->config;
    const gm_quantity quantity = r->quantity;
    r->quantity = GM_FLOPS; /* a module in these terms is its FLOPs */
    if (!m->skipped && deeper(r)) {
        r->config = m->config;
        if (m->entry && m->entry->own)
            m->entry->own(r, m->frame, t);
        for (const gm_child *c = m->first; c && !r->failed; c = c->next)
            if (c->calls > 0)
                add_child(r, t, c);
        r->config = m->config;
        if (m->entry && m->entry->afterwards)
            m->entry->afterwards(r, m->frame, t);
        r->depth--;
    }
    r->quantity = quantity;
    r->config = config;
    m->costing = false;
    m->costed = !r->failed;
}

/* of the weight at a path below the module; -1: there is none */
static gm_int size_at(const gm_module *m, const char *path)
{
    for (const char *dot; m && (dot = strchr(path, '.')); path = dot + 1) {
        const gm_child *c = m->first;
        while (c && (strlen(c->name) != (size_t)(dot - path) || strncmp(c->name, path, (size_t)(dot - path)) != 0))
            c = c->next;
        m = c ? c->module : NULL;
    }
    for (const gm_tensor *t = m ? m->weights : NULL; t; t = t->next)
        if (strcmp(t->name, path) == 0)
            return t->elements;
    return -1;
}

static gm_int parameters_of(gm_run *r, gm_module *m)
{
    gm_int total = 0;
    bool fits = true;
    if (m->counted || r->failed || !deeper(r))
        return m->parameters;
    for (const gm_tensor *t = m->weights; t; t = t->next)
        fits = fits && gm_int_add(&total, total, t->elements);
    for (const gm_child *c = m->first; c; c = c->next)
        fits = fits && gm_int_add(&total, total, parameters_of(r, c->module));
    for (const gm_tensor *t = m->ties; t && !r->failed; t = t->next) {
        const gm_int tied = size_at(m, t->name);
        if (tied < 0)
            (void)gm_fail(r, "%s ties '%s', which does not exist", m->entry->path, t->name);
        total -= tied;
    }
    if (!fits)
        (void)gm_fail(r, "overflow: the number of parameters");
    r->depth--;
    m->counted = !r->failed;
    return m->parameters = total;
}

gm_value gm_module_number(gm_run *r, gm_module *m)
{
    gm_int sum = 0;
    bool fits = true;
    if (r->quantity == GM_PARAMETERS)
        return gm_number(parameters_of(r, m));
    sum_up(r, m);
    if (r->failed)
        return gm_none();
    if (r->quantity != GM_FLOPS)
        return r->quantity == GM_READS ? m->cost.reads : r->quantity == GM_WRITES ? m->cost.writes : m->cost.between;
    for (int i = 0; i < GM_FLOP_CLASSES; i++)
        fits = fits && gm_int_add(&sum, sum, m->cost.flops[i]);
    return fits ? gm_number(sum) : gm_fail(r, "overflow: a total");
}

gm_value gm_operand(gm_run *r, gm_value v)
{
    return !r->failed && v.type == GM_MODULE ? gm_module_number(r, v.u.module) : v;
}
