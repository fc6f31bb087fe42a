/* run.c - the trace of a run: calls of modules, operators in them, and snapshots of what went in and out. */
#include "learn/torch/run.h"

#include "formula/poly_terms.h"

ridge_status ridge_run_start(ridge_py_interp *in)
{
    ridge_trace *run = ridge_arena_alloc(in->arena, sizeof *run);
    ridge_run_call *root = ridge_arena_alloc(in->arena, sizeof *root);
    if (!run || !root)
        return ridge_no_memory(in->err);
    run->root = run->current = root;
    in->run = run;
    return RIDGE_OK;
}

void ridge_run_here(const char **file, uint32_t *line, const ridge_py_interp *in)
{
    for (const ridge_py_frame *frame = in->frame; frame; frame = frame->caller) {
        if (frame->module && frame->module->path) {
            *file = frame->module->path;
            *line = frame->line;
            return;
        }
    }
    *file = NULL;
    *line = 0;
}

static ridge_status add_event(ridge_run_call *call, ridge_run_event event, ridge_py_interp *in)
{
    if (!ridge_arena_more(in->arena, &call->events, call->count, &call->cap, sizeof *call->events))
        return ridge_no_memory(in->err);
    call->events[call->count++] = event;
    return RIDGE_OK;
}

ridge_status ridge_run_push(ridge_run_call **out, ridge_run_module *module, ridge_py arguments, ridge_py keywords, ridge_py_interp *in)
{
    ridge_trace *run = ridge_run_of(in);
    *out = NULL;
    if (!run->recording)
        return RIDGE_OK;
    ridge_run_call *call = ridge_arena_alloc(in->arena, sizeof *call);
    if (!call)
        return ridge_no_memory(in->err);
    call->module = module;
    call->parent = run->current;
    call->arguments = arguments;
    call->keywords = keywords;
    call->first_condition = call->last_condition = in->condition_count;
    ridge_run_here(&call->file, &call->line, in);
    ridge_status status = add_event(run->current, (ridge_run_event){.call = call}, in);
    if (status == RIDGE_OK)
        run->current = *out = call;
    return status;
}

void ridge_run_pop(ridge_run_call *call, ridge_py result, ridge_py_interp *in)
{
    ridge_trace *run = ridge_run_of(in);
    if (!call)
        return;
    call->result = result;
    call->last_condition = in->condition_count;
    run->current = call->parent;
}

/* A tensor keeps its shape and dtype: it is its own snapshot. The few that change in place (unsqueeze_, .data = ...) keep their elements,
 * and what ran before shows the later shape. */
static ridge_status snapshot(ridge_run_operand *out, const ridge_tensor *tensor)
{
    out->tensor = tensor;
    return RIDGE_OK;
}

static size_t tensors_in(const ridge_py *values, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (values[i].type == RIDGE_PY_T_TENSOR)
            found++;
        else if (values[i].type == RIDGE_PY_T_LIST || values[i].type == RIDGE_PY_T_TUPLE)
            for (size_t k = 0; k < values[i].u.list->count; k++)
                found += values[i].u.list->items[k].type == RIDGE_PY_T_TENSOR;
    }
    return found;
}

static ridge_status operands(const ridge_run_operand **out, uint32_t *out_count, const ridge_py *values, size_t count, ridge_py_interp *in)
{
    size_t room = tensors_in(values, count), found = 0;
    ridge_run_operand *made = room ? ridge_arena_array(in->arena, room, sizeof *made) : NULL;
    if (room && !made)
        return ridge_no_memory(in->err);
    ridge_status status = RIDGE_OK;
    for (size_t i = 0; i < count && status == RIDGE_OK; i++) {
        bool many = values[i].type == RIDGE_PY_T_LIST || values[i].type == RIDGE_PY_T_TUPLE;
        const ridge_py *items = many ? values[i].u.list->items : &values[i];
        size_t item_count = many ? values[i].u.list->count : 1;
        for (size_t k = 0; k < item_count && status == RIDGE_OK; k++)
            if (items[k].type == RIDGE_PY_T_TENSOR)
                status = snapshot(&made[found++], items[k].u.tensor);
    }
    *out = made;
    *out_count = (uint32_t)found;
    return status;
}

static ridge_status times(const ridge_poly **poly, const ridge_poly *factor, const ridge_calc *calc)
{
    ridge_value product = {.type = RIDGE_V_SYM, .u.sym = *poly};
    if (!*poly)
        return RIDGE_OK;
    ridge_status status = ridge_sym_binary(&product, RIDGE_OP_MUL, product, (ridge_value){.type = RIDGE_V_SYM, .u.sym = factor}, calc);
    return status == RIDGE_OK ? ridge_poly_of(poly, product, calc) : status;
}

/* what a step that stands for many costs in all */
static ridge_status multiply(ridge_run_operator *operator, ridge_py_interp * in)
{
    ridge_trace *run = ridge_run_of(in);
    const ridge_calc calc = {.arena = in->arena, .algebra = &in->algebra, .err = in->err};
    if (run->times.type == RIDGE_PY_T_UNSET)
        return RIDGE_OK;
    if (run->times.type == RIDGE_PY_T_UNKNOWN) {
        operator->flops = operator->reads = operator->writes = NULL;
        operator->hole = run->times.u.hole;
        return RIDGE_OK;
    }
    const ridge_poly *factor = ridge_py_poly(run->times, in);
    ridge_status status = factor ? times(&operator->flops, factor, &calc) : ridge_no_memory(in->err);
    if (status == RIDGE_OK)
        status = times(&operator->reads, factor, &calc);
    return status == RIDGE_OK ? times(&operator->writes, factor, &calc) : status;
}

ridge_status ridge_run_add(const ridge_run_operator *record, const ridge_py *inputs, size_t input_count, const ridge_py *outputs,
                           size_t output_count, ridge_py_interp *in)
{
    ridge_trace *run = ridge_run_of(in);
    if (!run->recording)
        return RIDGE_OK;
    ridge_run_operator *made = ridge_arena_alloc(in->arena, sizeof *made);
    if (!made)
        return ridge_no_memory(in->err);
    *made = *record;
    if (!made->file)
        ridge_run_here(&made->file, &made->line, in);
    ridge_status status = multiply(made, in);
    if (status == RIDGE_OK)
        status = operands(&made->inputs, &made->input_count, inputs, input_count, in);
    if (status == RIDGE_OK)
        status = operands(&made->outputs, &made->output_count, outputs, output_count, in);
    if (status == RIDGE_OK)
        status = add_event(run->current, (ridge_run_event){.operator= made}, in);
    run->operators += status == RIDGE_OK;
    return status;
}

static ridge_status set_grow(ridge_run_set *set, ridge_py_interp *in)
{
    ridge_run_set larger = {.cap = set->cap ? 2 * set->cap : 64};
    larger.slots = ridge_arena_array(in->arena, larger.cap, sizeof *larger.slots);
    if (!larger.slots)
        return ridge_no_memory(in->err);
    for (size_t i = 0; i < set->cap; i++) {
        bool fresh;
        if (set->slots[i])
            ridge_run_set_add(&fresh, &larger, set->slots[i], in);
    }
    *set = larger;
    return RIDGE_OK;
}

ridge_status ridge_run_set_add(bool *fresh, ridge_run_set *set, const void *address, ridge_py_interp *in)
{
    *fresh = false;
    if (2 * (set->count + 1) > set->cap) {
        ridge_status status = set_grow(set, in);
        if (status != RIDGE_OK)
            return status;
    }
    size_t place = (size_t)(((uint64_t)(uintptr_t)address >> 4) * 0x9e3779b97f4a7c15u >> 20);
    for (place &= set->cap - 1; set->slots[place]; place = (place + 1) & (set->cap - 1))
        if (set->slots[place] == address)
            return RIDGE_OK;
    set->slots[place] = address;
    set->count++;
    *fresh = true;
    return RIDGE_OK;
}

/* ---- named_modules() ---- */

typedef struct walker {
    ridge_run_visit *visit;
    void *state;
    bool *seen; /* [count]: the modules of the run, as the walk began */
    size_t count;
    ridge_py_interp *in;
    uint32_t depth;
} walker;

/* as deep as the calls that built the tree could nest */
#define WALK_DEPTH 1000

static ridge_status walk(walker *w, const char *path, ridge_run_module *module)
{
    if (module->id >= w->count || w->seen[module->id])
        return RIDGE_OK;
    if (w->depth >= WALK_DEPTH)
        return ridge_fail(w->in->err, RIDGE_LIMIT, "modules nest deeper than %d", WALK_DEPTH);
    w->seen[module->id] = true;
    w->depth++;
    ridge_status status = w->visit(path, module, w->state);
    for (size_t i = 0; i < module->child_count && status == RIDGE_OK; i++) {
        ridge_run_child *child = &module->children[i];
        if (!child->module || child->module->id >= w->count || w->seen[child->module->id])
            continue;
        const char *below = path[0] ? ridge_arena_printf(w->in->arena, "%s.%s", path, child->name->text) : child->name->text;
        status = below ? walk(w, below, child->module) : ridge_no_memory(w->in->err);
    }
    w->depth--;
    return status;
}

ridge_status ridge_run_walk(ridge_run_module *model, ridge_run_visit *visit, void *state, ridge_py_interp *in)
{
    ridge_trace *run = ridge_run_of(in);
    walker w = {.visit = visit, .state = state, .in = in, .count = run->module_count};
    w.seen = ridge_arena_array(in->arena, w.count + 1, sizeof *w.seen);
    if (!w.seen)
        return ridge_no_memory(in->err);
    return walk(&w, "", model);
}
