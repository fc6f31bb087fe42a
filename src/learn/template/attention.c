/* Which matrix products of a run are those of attention: a product of two activations whose result becomes, by way of a softmax, one side
 * of a second product. Followed by the memory that operators read and write, so views change nothing. */
#include "learn/template/sketch_parts.h"

enum { DEPTH_LIMIT = 400 };

/* what lies in a storage */
typedef struct content {
    uint32_t product; /* the place in the run, + 1, of the product that it comes from; 0: of none */
    bool weights;     /* a softmax lies between: they sum to 1 */
} content;

typedef struct follower {
    content *of; /* [storages] by id */
    uint32_t storages;
    bool *attention; /* [operators] in the order in which they ran */
    size_t at;
    unsigned depth;
} follower;

static uint32_t most(uint32_t so_far, const ridge_run_operand *operands, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (operands[i].tensor && operands[i].tensor->storage->id >= so_far)
            so_far = operands[i].tensor->storage->id + 1;
    return so_far;
}

static void measure(const ridge_run_call *call, follower *f)
{
    if (++f->depth <= DEPTH_LIMIT)
        for (size_t i = 0; i < call->count; i++) {
            const ridge_run_operator *op = call->events[i].operator;
            if (call->events[i].call) {
                measure(call->events[i].call, f);
                continue;
            }
            f->at++;
            f->storages = most(most(f->storages, op->inputs, op->input_count), op->outputs, op->output_count);
        }
    f->depth--;
}

static bool is_product_of_activations(const ridge_run_operator *op)
{
    if (!ridge_operator_does(op->operator, ridge_flop_names[RIDGE_FLOP_MATMUL]))
        return false;
    for (size_t i = 0; i < op->input_count; i++)
        if (op->inputs[i].tensor && op->inputs[i].tensor->storage->kind == RIDGE_STORAGE_PARAMETER)
            return false;
    return true;
}

/* what the first input holds that comes from a product; weights before all else */
static content content_of(const ridge_run_operator *op, const follower *f)
{
    content found = {0};
    for (size_t i = 0; i < op->input_count; i++) {
        content c = op->inputs[i].tensor ? f->of[op->inputs[i].tensor->storage->id] : (content){0};
        if (c.product > 0 && (found.product == 0 || (c.weights && !found.weights)))
            found = c;
    }
    return found;
}

static void follow_operator(const ridge_run_operator *op, follower *f)
{
    content c = content_of(op, f);
    bool product = is_product_of_activations(op);
    if (product && c.product > 0 && c.weights) {
        f->attention[f->at] = f->attention[c.product - 1] = true;
        c = (content){0};
    } else if (product)
        c = (content){.product = (uint32_t)f->at + 1};
    else if (ridge_operator_does(op->operator, ridge_flop_names[RIDGE_FLOP_MATMUL]))
        c = (content){0}; /* a projection of what attention gave */
    else if (op->operator->shape && strcmp(op->operator->shape, "softmax") == 0)
        c.weights = c.product > 0;
    for (size_t i = 0; i < op->output_count; i++)
        if (op->outputs[i].tensor)
            f->of[op->outputs[i].tensor->storage->id] = c;
    f->at++;
}

static void follow(const ridge_run_call *call, follower *f)
{
    if (++f->depth <= DEPTH_LIMIT)
        for (size_t i = 0; i < call->count; i++) {
            if (call->events[i].call)
                follow(call->events[i].call, f);
            else
                follow_operator(call->events[i].operator, f);
        }
    f->depth--;
}

ridge_status ridge_sketch_attention(bool **attention, const ridge_run_call *call, const ridge_calc *calc)
{
    follower f = {0};
    measure(call, &f);
    f.of = ridge_arena_array(calc->arena, (size_t)f.storages + 1, sizeof *f.of);
    f.attention = ridge_arena_array(calc->arena, f.at + 1, sizeof *f.attention);
    *attention = f.attention;
    if (!f.of || !f.attention)
        return ridge_no_memory(calc->err);
    f.at = 0;
    follow(call, &f);
    return RIDGE_OK;
}
