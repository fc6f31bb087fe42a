/* Blocks of torch.nn and activations that the catalog has entries for: an entry invokes them, with arguments taken from the module's
 * tensors and from what it was called with. Only where what the module did is what the entry says: other forms of the class are drafted
 * like any module. */
#include "learn/template/block.h"

typedef enum block_kind { NOTHING, ELEMENTS, LINEAR, EMBEDDING, LAYER_NORM } block_kind;

static const char *const linear_parameters[] = {"rows", "in_features", "out_features", "bias"};
static const char *const embedding_parameters[] = {"rows", "num_embeddings", "embedding_dim"};
static const char *const norm_parameters[] = {"rows", "dim", "bias", "affine"};
static const char *const element_parameters[] = {"n"};

static const struct {
    const char *const *names;
    size_t count;
} parameters[] = {[NOTHING] = {NULL, 0},
                  [ELEMENTS] = {element_parameters, 1},
                  [LINEAR] = {linear_parameters, 4},
                  [EMBEDDING] = {embedding_parameters, 3},
                  [LAYER_NORM] = {norm_parameters, 4}};

static const struct {
    const char *class_path, *key;
    block_kind kind;
} blocks[] = {
    {"torch.nn.modules.linear.Linear", "torch__nn__Linear", LINEAR},
    {"torch.nn.modules.sparse.Embedding", "torch__nn__Embedding", EMBEDDING},
    {"torch.nn.modules.normalization.LayerNorm", "torch__nn__LayerNorm", LAYER_NORM},
    {"torch.nn.modules.dropout.Dropout", "torch__nn__Dropout", NOTHING},
    {"torch.nn.modules.linear.Identity", "torch__nn__Identity", NOTHING},
    {"torch.nn.modules.loss.CrossEntropyLoss", "torch__nn__CrossEntropyLoss", NOTHING},
    {"torch.nn.modules.activation.SiLU", "torch__nn__SiLU", ELEMENTS},
    {"torch.nn.modules.activation.ReLU", "torch__nn__ReLU", ELEMENTS},
    {"torch.nn.modules.activation.Tanh", "torch__nn__Tanh", ELEMENTS},
    {"torch.nn.modules.activation.Sigmoid", "torch__nn__Sigmoid", ELEMENTS},
    {"torch.nn.modules.activation.GELU", "torch__nn__GELU", ELEMENTS},
    {"torch.nn.modules.activation.ReLU6", "torch__nn__ReLU6", ELEMENTS},
    {"torch.nn.modules.activation.LeakyReLU", "torch__nn__LeakyReLU", ELEMENTS},
    {"torch.nn.modules.activation.Mish", "torch__nn__Mish", ELEMENTS},
    {"torch.nn.modules.activation.Hardswish", "torch__nn__Hardswish", ELEMENTS},
    {"transformers.activations.NewGELUActivation", "transformers__activations__NewGELUActivation", ELEMENTS},
    {"transformers.activations.GELUActivation", "transformers__activations__GELUActivation", ELEMENTS},
    {"transformers.activations.PytorchGELUTanh", "transformers__activations__PytorchGELUTanh", ELEMENTS},
    {"transformers.activations.FastGELUActivation", "transformers__activations__FastGELUActivation", ELEMENTS},
    {"transformers.activations.QuickGELUActivation", "transformers__activations__QuickGELUActivation", ELEMENTS},
    {"transformers.activations.ReLUSquaredActivation", "transformers__activations__ReLUSquaredActivation", ELEMENTS},
    {"transformers.activations.ClippedGELUActivation", "transformers__activations__ClippedGELUActivation", ELEMENTS},
    {"transformers.activations.LinearActivation", "transformers__activations__LinearActivation", ELEMENTS},
};
enum { BLOCKS = sizeof blocks / sizeof *blocks };

/* ACT2FN of transformers: the words of configs and the classes that they name */
static const struct {
    const char *word, *class_path;
} activations[] = {
    {"gelu", "transformers.activations.GELUActivation"},
    {"gelu_new", "transformers.activations.NewGELUActivation"},
    {"gelu_fast", "transformers.activations.FastGELUActivation"},
    {"quick_gelu", "transformers.activations.QuickGELUActivation"},
    {"gelu_pytorch_tanh", "transformers.activations.PytorchGELUTanh"},
    {"relu2", "transformers.activations.ReLUSquaredActivation"},
    {"relu", "torch.nn.modules.activation.ReLU"},
    {"silu", "torch.nn.modules.activation.SiLU"},
    {"swish", "torch.nn.modules.activation.SiLU"},
    {"tanh", "torch.nn.modules.activation.Tanh"},
    {"relu6", "torch.nn.modules.activation.ReLU6"},
    {"sigmoid", "torch.nn.modules.activation.Sigmoid"},
    {"linear", "transformers.activations.LinearActivation"},
};

/* The condition that chose this activation by a word of the config: config.hidden_act == 'silu', asked where words are looked up. Only
 * where no other word was asked for that the class could come from. */
static const ridge_sketch_condition *chosen_by(const ridge_sketch *s, const ridge_blocks *known)
{
    const ridge_sketch_condition *found = NULL;
    for (size_t i = 0; i < known->condition_count; i++) {
        const ridge_sketch_condition *c = &known->conditions[i];
        const char *sign = strstr(c->text, " == '"), *file = c->file ? strrchr(c->file, '/') : NULL;
        if (!c->holds || !sign || !file || strcmp(file, "/activations.py") != 0 || strncmp(c->text, "config.", 7) != 0)
            continue;
        for (size_t k = 0; k < sizeof activations / sizeof *activations; k++) {
            size_t n = strlen(activations[k].word);
            if (strncmp(sign + 5, activations[k].word, n) != 0 || strcmp(sign + 5 + n, "'") != 0 ||
                strcmp(activations[k].class_path, s->class_path) != 0)
                continue;
            if (found)
                return NULL;
            found = c;
        }
    }
    return found;
}

static ridge_value argument(const ridge_sketch *s, const char *name)
{
    for (size_t i = 0; i < s->argument_count; i++)
        if (strcmp(s->arguments[i].name, name) == 0)
            return s->arguments[i].value;
    return (ridge_value){.type = RIDGE_V_UNSET};
}

static const ridge_sketch_tensor *weight(const ridge_sketch *s, const char *name)
{
    for (size_t i = 0; i < s->weight_count; i++)
        if (strcmp(s->weights[i].name, name) == 0 && !s->weights[i].absent)
            return &s->weights[i];
    return NULL;
}

/* its matrix products are 2*rows*in*out, and nothing else is one */
static ridge_status multiplies(bool *yes, const ridge_sketch *s, const ridge_value *v, const ridge_calc *calc)
{
    ridge_value flops = ridge_value_int(s->runs > 0 ? 2 : 0);
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < 3 && !st; i++)
        st = ridge_value_binary(&flops, RIDGE_OP_MUL, flops, v[i], calc);
    *yes = ridge_value_is_zero(flops);
    for (size_t i = 0; i < s->flops.n && !st; i++)
        if (s->flops.p[i].what == RIDGE_FLOP_MATMUL)
            *yes = ridge_value_equal(s->flops.p[i].value, flops);
    return st;
}

/* ---- traffic ---- */

static ridge_status total(ridge_value *out, const ridge_sketch_amounts *list, const ridge_calc *calc)
{
    ridge_status st = RIDGE_OK;
    *out = ridge_value_int(0);
    for (size_t i = 0; i < list->n && !st; i++) {
        if (list->p[i].value.type == RIDGE_V_UNSET) {
            out->type = RIDGE_V_UNSET;
            return RIDGE_OK;
        }
        st = ridge_value_binary(out, RIDGE_OP_ADD, *out, list->p[i].value, calc);
    }
    return st;
}

/* factor*a*b, added */
static ridge_status add_product(ridge_value *to, ridge_int factor, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_value product;
    ridge_status st = ridge_value_binary(&product, RIDGE_OP_MUL, a, b, calc);
    if (st || (st = ridge_value_binary(&product, RIDGE_OP_MUL, product, ridge_value_int(factor), calc)))
        return st;
    return ridge_value_binary(to, RIDGE_OP_ADD, *to, product, calc);
}

/* Does a call move what the entry says: its weights, its input and its result once each? A copy to put memory in order is more. */
static ridge_status moves(bool *yes, block_kind kind, const ridge_sketch *s, const ridge_value *v, const ridge_calc *calc)
{
    const ridge_value one = ridge_value_int(1);
    ridge_value reads = ridge_value_int(0), writes = reads, r, w;
    bool bias = weight(s, "bias") != NULL;
    ridge_status st = RIDGE_OK;
    if (s->runs == 0 || (st = total(&r, &s->reads, calc)) || (st = total(&w, &s->writes, calc)))
        return st;
    if (kind == LINEAR && !(st = add_product(&reads, 1, v[1], v[2], calc)) && !(st = add_product(&reads, bias, v[2], one, calc)) &&
        !(st = add_product(&reads, 1, v[0], v[1], calc)))
        st = add_product(&writes, 1, v[0], v[2], calc);
    if (kind == EMBEDDING && !(st = add_product(&reads, 1, v[0], v[2], calc)) && !(st = add_product(&writes, 1, v[0], v[2], calc)))
        for (ridge_int ids = 1; ids <= 4 && !st;
             ids *= 2) { /* an index in int64 may be counted as so many elements of the table's format */
            ridge_value with = reads;
            if ((st = add_product(&with, ids, v[0], one, calc)) || ridge_value_equal(with, r)) {
                reads = with;
                break;
            }
        }
    if (kind == LAYER_NORM && !(st = add_product(&reads, 1, v[0], v[1], calc)) &&
        !(st = add_product(&reads, bias ? 2 : 1, v[1], one, calc)) && !(st = add_product(&writes, 1, v[0], v[1], calc)))
        st = add_product(&writes, 2, v[0], one, calc);
    *yes = !st && r.type != RIDGE_V_UNSET && w.type != RIDGE_V_UNSET && ridge_value_equal(r, reads) && ridge_value_equal(w, writes);
    return st;
}

static bool has_products(const ridge_sketch *s)
{
    for (size_t i = 0; i < s->flops.n; i++)
        if (s->flops.p[i].what == RIDGE_FLOP_MATMUL || s->flops.p[i].what == RIDGE_FLOP_ATTENTION ||
            s->flops.p[i].value.type == RIDGE_V_UNSET)
            return true;
    return false;
}

/* the arguments; *fits: the entry says what this module did */
static ridge_status arguments(bool *fits, ridge_value *v, block_kind kind, const ridge_sketch *s, const ridge_calc *calc)
{
    const ridge_sketch_tensor *w = weight(s, "weight");
    ridge_value none = s->runs == 0 ? ridge_value_int(0) : (ridge_value){.type = RIDGE_V_UNSET};
    ridge_value rows = s->runs == 0 ? none : argument(s, "rows"), n = s->runs == 0 ? none : argument(s, "n");
    *fits = s->buffer_count == 0 && s->child_count == 0;
    switch (kind) {
    case NOTHING:
        *fits &= s->weight_count == 0 && s->flops.n == 0;
        return RIDGE_OK;
    case ELEMENTS:
        v[0] = n;
        *fits &= n.type != RIDGE_V_UNSET && s->weight_count == 0 && !has_products(s);
        return RIDGE_OK;
    case LINEAR:
        v[0] = rows;
        v[3] = ridge_value_bool(weight(s, "bias") != NULL);
        *fits &= w && w->rank == 2 && rows.type != RIDGE_V_UNSET;
        if (!*fits)
            return RIDGE_OK;
        v[1] = w->dims[1];
        v[2] = w->dims[0];
        return multiplies(fits, s, v, calc);
    case EMBEDDING:
        v[0] = n;
        *fits &= w && w->rank == 2 && n.type != RIDGE_V_UNSET && s->weight_count == 1 && !has_products(s);
        v[1] = *fits ? w->dims[0] : none;
        v[2] = *fits ? w->dims[1] : none;
        return RIDGE_OK;
    default:
        v[0] = rows;
        *fits &= w && w->rank == 1 && rows.type != RIDGE_V_UNSET && !has_products(s);
        v[1] = *fits ? w->dims[0] : none;
        v[2] = ridge_value_bool(weight(s, "bias") != NULL);
        v[3] = ridge_value_bool(true);
        return RIDGE_OK;
    }
}

/* one draft for all modules of a block */
static ridge_status draft_of(ridge_draft **out, unsigned at, ridge_blocks *known)
{
    const block_kind kind = blocks[at].kind;
    if (!known->drafts && !(known->drafts = ridge_arena_array(known->calc->arena, BLOCKS, sizeof *known->drafts)))
        return ridge_no_memory(known->calc->err);
    if (!known->drafts[at]) {
        ridge_draft *d = ridge_arena_alloc(known->calc->arena, sizeof *d);
        const char **names = ridge_arena_array(known->calc->arena, parameters[kind].count + 1, sizeof *names);
        if (!d || !names)
            return ridge_no_memory(known->calc->err);
        for (size_t i = 0; i < parameters[kind].count; i++)
            names[i] = parameters[kind].names[i];
        *d = (ridge_draft){.key = blocks[at].key,
                           .class_path = blocks[at].class_path,
                           .known = true,
                           .parameters = names,
                           .parameter_count = parameters[kind].count};
        known->drafts[at] = d;
    }
    *out = known->drafts[at];
    return RIDGE_OK;
}

/* {transformers__activations__ACT2FN}(config.hidden_act, n): whatever the config says */
static ridge_status by_word(ridge_draft **draft, ridge_value **values, const ridge_sketch_condition *c, ridge_value n, ridge_blocks *known)
{
    ridge_arena *arena = known->calc->arena;
    static const char *const names[] = {"name", "n"};
    const char *field = ridge_arena_strdup(arena, (ridge_str){c->text, (size_t)(strstr(c->text, " == '") - c->text)});
    ridge_value word;
    if (!field || !(*values = ridge_arena_array(arena, 2, sizeof **values)))
        return ridge_no_memory(known->calc->err);
    ridge_status st = ridge_sym_name(&word, field, 0, known->calc); /* printed as it is: config.hidden_act */
    if (st)
        return st;
    (*values)[0] = word;
    (*values)[1] = n;
    if (!known->by_word) {
        const char **own = ridge_arena_array(arena, 2, sizeof *own);
        if (!own || !(known->by_word = ridge_arena_alloc(arena, sizeof *known->by_word)))
            return ridge_no_memory(known->calc->err);
        memcpy(own, names, sizeof names);
        *known->by_word = (ridge_draft){.key = "transformers__activations__ACT2FN",
                                        .class_path = "transformers.activations.ACT2FN",
                                        .known = true,
                                        .parameters = own,
                                        .parameter_count = 2};
    }
    *draft = known->by_word;
    known->words[known->word_count < RIDGE_BLOCK_WORDS ? known->word_count++ : 0] = c;
    return RIDGE_OK;
}

ridge_status ridge_block_find(ridge_draft **draft, ridge_value **values, const ridge_sketch *s, void *data)
{
    ridge_blocks *known = data;
    ridge_value v[4] = {{0}};
    bool fits;
    unsigned at = 0;
    while (at < BLOCKS && strcmp(blocks[at].class_path, s->class_path) != 0)
        at++;
    if (at == BLOCKS)
        return RIDGE_OK;
    ridge_status st = arguments(&fits, v, blocks[at].kind, s, known->calc);
    if (!st && fits && blocks[at].kind >= LINEAR)
        st = moves(&fits, blocks[at].kind, s, v, known->calc);
    if (st || !fits)
        return st;
    const ridge_sketch_condition *word = blocks[at].kind == ELEMENTS ? chosen_by(s, known) : NULL;
    if (word)
        return by_word(draft, values, word, v[0], known);
    if (!(*values = ridge_arena_array(known->calc->arena, 4, sizeof **values)))
        return ridge_no_memory(known->calc->err);
    memcpy(*values, v, sizeof v);
    return draft_of(draft, at, known);
}
