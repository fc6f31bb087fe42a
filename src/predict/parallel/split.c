/* How one device's part of every row is found: attention cores, the layers around them, the matrices of a layer in pairs. */
#include "predict/parallel/split.h"

static bool is_entry(const ridge_node *n, const char *key)
{
    return n && n->entry && strcmp(n->entry->key->text, key) == 0;
}

/* the last word of a path */
static ridge_str name_of(ridge_str path)
{
    size_t at = path.n;
    while (at > 0 && path.p[at - 1] != '.')
        at--;
    return (ridge_str){path.p + at, path.n - at};
}

bool ridge_split_is_element(ridge_str path)
{
    ridge_str name = name_of(path);
    return name.n > 0 && ((name.p[0] >= '0' && name.p[0] <= '9') || name.p[0] == '*' || name.p[0] == '{');
}

/* ---- attention cores ---- */

/* an argument of a node by its name in the catalog; false: it has none of that name */
static bool argument(ridge_int *out, const ridge_node *n, const char *name)
{
    for (size_t i = 0; n->entry && i < n->entry->parameter_count; i++)
        if (strcmp(n->entry->parameters[i].names[0]->text, name) == 0)
            return ridge_value_as_int(out, n->slots[i]) && *out > 0;
    return false;
}

/* heads of the core that a kernel runs: of the kernel, or of a function in it */
static bool heads_of(ridge_int *heads, ridge_int *kv_heads, const ridge_node *n)
{
    if (argument(heads, n, "H")) {
        if (!argument(kv_heads, n, "K"))
            *kv_heads = *heads;
        return true;
    }
    for (size_t i = 0; i < n->child_count; i++)
        if (n->children[i].node && n->children[i].node->kind != RIDGE_KIND_MODULE && heads_of(heads, kv_heads, n->children[i].node))
            return true;
    return false;
}

/* dimension i of a tensor of `rank` dimensions; symbolic runs keep their values */
static bool dimension(ridge_int *out, const ridge_tensor *t, size_t rank, size_t i)
{
    if (t->shape.type == RIDGE_V_LIST)
        return t->shape.u.list->count == rank && ridge_value_as_int(out, t->shape.u.list->items[i]);
    *out = t->rank == rank ? t->dims[i] : 0;
    return t->rank == rank;
}

static bool has_rank(const ridge_tensor *t, size_t rank)
{
    return t->shape.type == RIDGE_V_LIST ? t->shape.u.list->count == rank : t->rank == rank;
}

/* what a module keeps between calls: [B, K, T, d] by heads, [B, T, c] for all heads at once */
static void cache_heads(ridge_part *p, const ridge_node *n)
{
    for (size_t i = 0; i < n->cache.n; i++) {
        ridge_int heads;
        if (has_rank(&n->cache.p[i], 3))
            p->kv_heads = 0;
        else if (dimension(&heads, &n->cache.p[i], 4, 1))
            p->kv_heads = heads;
    }
}

static void find_cores(ridge_split *s)
{
    for (size_t i = 0; i < s->kernels->n; i++) {
        const ridge_kernel *k = &s->kernels->p[i];
        uint32_t at = s->parts[k->row].module ? k->row : s->rows->p[k->row].parent;
        ridge_part *p = &s->parts[at];
        ridge_int heads, kv_heads;
        if (ridge_value_is_zero(k->cost.flops[RIDGE_FLOP_ATTENTION]) || !k->node || p->core)
            continue;
        p->core = true;
        bool own = s->rows->p[at].node && argument(&heads, s->rows->p[at].node, "heads"); /* of windows: the core counts heads x windows */
        if (own)
            kv_heads = heads;
        if (own || heads_of(&heads, &kv_heads, k->node)) {
            p->heads = heads;
            p->kv_heads = kv_heads;
        }
        if (s->rows->p[at].node)
            cache_heads(p, s->rows->p[at].node);
    }
    for (size_t i = s->rows->n; i-- > 0;) {
        s->parts[i].has_core = s->parts[i].has_core || s->parts[i].core;
        if (s->parts[i].has_core && s->rows->p[i].parent != RIDGE_NO_ROW)
            s->parts[s->rows->p[i].parent].has_core = true;
    }
}

/* ---- where a row is ---- */

static void find_place(ridge_split *s, uint32_t i)
{
    const ridge_row *row = &s->rows->p[i];
    ridge_part *p = &s->parts[i];
    const ridge_part *up = row->parent == RIDGE_NO_ROW ? NULL : &s->parts[row->parent];
    bool layer = p->has_core && p->module && ridge_split_is_element(row->path);
    p->layer = up && up->layer != RIDGE_NO_ROW ? up->layer : layer ? i : RIDGE_NO_ROW;
    p->block = layer ? i : up ? up->block : RIDGE_NO_ROW;
    p->scope = layer || !up ? RIDGE_NO_ROW : up->scope;
    if (!layer && p->scope == RIDGE_NO_ROW && p->module && p->has_core && p->block != RIDGE_NO_ROW && row->parent == p->block)
        p->scope = i;
    if (p->layer == i) {
        s->layers += row->count;
        if (s->first_layer == RIDGE_NO_ROW)
            s->first_layer = i;
    }
    p->after = s->first_layer != RIDGE_NO_ROW;
}

/* the mixture of a row: the module above the list its expert stands in */
static void find_mixtures(ridge_split *s)
{
    for (size_t i = 0; i < s->kernels->n; i++) {
        const ridge_kernel *k = &s->kernels->p[i];
        uint32_t at = k->row;
        if (k->experts == 0)
            continue;
        while (at != RIDGE_NO_ROW && !ridge_split_is_element(s->rows->p[at].path))
            at = s->rows->p[at].parent;
        if (at == RIDGE_NO_ROW || s->rows->p[at].parent == RIDGE_NO_ROW)
            continue;
        for (uint32_t r = at; r < s->parts[at].end; r++) {
            s->parts[r].mixture = s->rows->p[at].parent;
            s->parts[r].experts = k->experts;
        }
    }
}

static void find_ends(ridge_split *s)
{
    for (size_t i = 0; i < s->rows->n; i++)
        s->parts[i].end = (uint32_t)i + 1;
    for (size_t i = s->rows->n; i-- > 0;) {
        uint32_t up = s->rows->p[i].parent;
        if (up != RIDGE_NO_ROW && s->parts[up].end < s->parts[i].end)
            s->parts[up].end = s->parts[i].end;
    }
}

/* ---- matrices ---- */

/* y = x W of a leaf module: [out, in], GPT-2's Conv1D [in, out] */
static void find_matrix(ridge_part *p, const ridge_kernel *k)
{
    const ridge_node *n = k->node;
    if (!n || n->kind != RIDGE_KIND_MODULE || n->weights.n == 0 || n->weights.p[0].rank != 2 ||
        ridge_value_is_zero(k->cost.flops[RIDGE_FLOP_MATMUL]))
        return;
    bool transposed = is_entry(n, "transformers__pytorch_utils__Conv1D");
    p->out = n->weights.p[0].dims[transposed];
    p->in = n->weights.p[0].dims[!transposed];
}

static void find_kernels(ridge_split *s)
{
    for (size_t i = s->kernels->n; i-- > 0;) {
        const ridge_kernel *k = &s->kernels->p[i];
        ridge_part *p = &s->parts[k->row];
        p->kernel = (uint32_t)i;
        if (p->module)
            find_matrix(p, k);
    }
}

/* the width that a block's matrices have most often: that of the residual stream */
static ridge_int width_of(const ridge_split *s, uint32_t block)
{
    ridge_int best = 0;
    size_t most = 0;
    for (uint32_t i = block; i < s->parts[block].end; i++) {
        const ridge_int sides[] = {s->parts[i].in, s->parts[i].out};
        for (int side = 0; side < 2; side++) {
            size_t count = 0;
            for (uint32_t k = block; sides[side] && k < s->parts[block].end; k++)
                count += (size_t)(s->parts[k].in == sides[side]) + (size_t)(s->parts[k].out == sides[side]);
            if (count > most) {
                most = count;
                best = sides[side];
            }
        }
    }
    return best;
}

static void split(ridge_part *p, ridge_part_kind kind, ridge_int num, ridge_int den)
{
    p->kind = kind;
    p->num = num;
    p->den = den;
}

/* one device's part of K and V: its own heads, or one head that several devices keep */
static void kv_share(ridge_int *num, ridge_int *den, ridge_int kv_heads, ridge_int n)
{
    *num = 1;
    *den = kv_heads > n ? n : kv_heads;
    if (kv_heads == 0)
        *den = 1;
}

static bool head_width(ridge_int *d, const ridge_split *s, uint32_t core)
{
    const ridge_node *n = s->rows->p[core].node;
    for (size_t i = 0; i < n->cache.n; i++)
        if (dimension(d, &n->cache.p[i], 4, 3))
            return true;
    return false;
}

/* a matrix from the residual stream to heads: of Q (whole heads), of K or V, or all in one */
static void split_projection(ridge_part *p, const ridge_split *s, uint32_t core)
{
    const ridge_part *c = &s->parts[core];
    const ridge_int n = s->parallel->tensor, h = c->heads, k = c->kv_heads;
    ridge_int d, num, den;
    split(p, RIDGE_PART_COLUMN, 1, n);
    if (k == 0 || k == h || !head_width(&d, s, core))
        return;
    kv_share(&num, &den, k, n);
    if (p->out == k * d)
        split(p, RIDGE_PART_COLUMN, num, den);
    else if (p->out == (h + 2 * k) * d)
        split(p, RIDGE_PART_COLUMN, h * den + 2 * k * num * n, (h + 2 * k) * n * den);
}

/* the matrix whose result is read by this one through a norm: a low-rank projection, which every device keeps */
static void keep_source(ridge_split *s, uint32_t scope, ridge_int width, ridge_int rank)
{
    uint32_t found = RIDGE_NO_ROW;
    for (uint32_t i = scope; i < s->parts[scope].end; i++) {
        const ridge_part *p = &s->parts[i];
        if (p->in == width && p->out >= rank && p->out != width && (found == RIDGE_NO_ROW || p->out < s->parts[found].out))
            found = i;
    }
    if (found != RIDGE_NO_ROW)
        split(&s->parts[found], RIDGE_PART_WHOLE, 1, 1);
}

/* the matrices of an attention: onto the heads, and the last one back onto the stream */
static uint32_t split_attention(ridge_split *s, uint32_t scope, ridge_int width)
{
    uint32_t back = RIDGE_NO_ROW, core = scope;
    while (core < s->parts[scope].end && !s->parts[core].core)
        core++;
    for (uint32_t i = scope; i < s->parts[scope].end; i++)
        if (s->parts[i].out == width)
            back = i;
    for (uint32_t i = scope; i < s->parts[scope].end; i++)
        if (s->parts[i].in && i != back)
            split_projection(&s->parts[i], s, core);
    for (uint32_t i = scope; i < s->parts[scope].end; i++)
        if (s->parts[i].in && i != back && s->parts[i].in != width)
            keep_source(s, scope, width, s->parts[i].in);
    if (back != RIDGE_NO_ROW)
        split(&s->parts[back], RIDGE_PART_ROW, 1, s->parallel->tensor);
    return back;
}

static bool in_mlp(const ridge_split *s, uint32_t i, uint32_t block)
{
    return s->parts[i].block == block && s->parts[i].scope == RIDGE_NO_ROW && s->parts[i].in > 0;
}

/* [stream -> f] with [f -> stream] in the same block: f, or 2 f where gate and up are one matrix */
static void split_mlp(ridge_split *s, uint32_t block, ridge_int width)
{
    const ridge_int n = s->parallel->tensor;
    for (uint32_t i = block; i < s->parts[block].end; i++)
        for (uint32_t k = block; in_mlp(s, i, block) && k < s->parts[block].end; k++) {
            ridge_part *up = &s->parts[i], *down = &s->parts[k];
            if (i == k || !in_mlp(s, k, block) || up->in != width || down->out != width || down->kind == RIDGE_PART_COLUMN ||
                (up->out != down->in && up->out != 2 * down->in))
                continue;
            split(up, RIDGE_PART_COLUMN, 1, n);
            split(down, RIDGE_PART_ROW, 1, n);
        }
}

/* ---- the rest of a block ---- */

static bool below_core(const ridge_split *s, uint32_t i)
{
    for (; i != RIDGE_NO_ROW && i != s->parts[i].block; i = s->rows->p[i].parent)
        if (s->parts[i].core)
            return true;
    return false;
}

/* an activation function, or a module of nothing else */
static bool is_activation(const ridge_split *s, uint32_t i)
{
    const ridge_part *p = &s->parts[i];
    const ridge_value *f = s->rows->p[i].cost.flops;
    if (p->kernel != RIDGE_NO_ROW && !ridge_value_is_zero(s->kernels->p[p->kernel].cost.flops[RIDGE_FLOP_ACTIVATION]))
        return true;
    return p->module && !ridge_value_is_zero(f[RIDGE_FLOP_ACTIVATION]) && ridge_value_is_zero(f[RIDGE_FLOP_MATMUL]) &&
           ridge_value_is_zero(f[RIDGE_FLOP_ATTENTION]);
}

/* a norm over a low-rank projection, which is whole: as wide as a matrix that reads it */
static bool norms_whole(const ridge_split *s, uint32_t i)
{
    const ridge_node *n = s->rows->p[i].node;
    uint32_t scope = s->parts[i].scope;
    if (!s->parts[i].module || scope == RIDGE_NO_ROW || !n || n->weights.n == 0)
        return false;
    for (uint32_t k = scope; k < s->parts[scope].end; k++)
        if (s->parts[k].kind == RIDGE_PART_COLUMN && s->parts[k].in == n->weights.p[0].dims[0])
            return true;
    return false;
}

/* does the row write as much as the matrix back onto the stream: then it is on the stream too */
static bool on_stream(const ridge_split *s, uint32_t i, uint32_t parent)
{
    const ridge_part *p = &s->parts[i];
    for (uint32_t k = parent; p->kernel != RIDGE_NO_ROW && k < s->parts[parent].end; k++)
        if (s->parts[k].kind == RIDGE_PART_ROW && s->parts[k].kernel != RIDGE_NO_ROW &&
            ridge_value_equal(s->kernels->p[p->kernel].cost.writes[RIDGE_BYTE_ACTIVATIONS],
                              s->kernels->p[s->parts[k].kernel].cost.writes[RIDGE_BYTE_ACTIVATIONS]))
            return true;
    return false;
}

static bool holds_column(const ridge_split *s, uint32_t parent)
{
    for (uint32_t k = parent + 1; k < s->parts[parent].end; k++)
        if (s->rows->p[k].parent == parent && s->parts[k].kind == RIDGE_PART_COLUMN)
            return true;
    return false;
}

static void split_rest(ridge_split *s, uint32_t i)
{
    ridge_part *p = &s->parts[i];
    const ridge_row *row = &s->rows->p[i];
    if (p->in || p->block == RIDGE_NO_ROW)
        return;
    if (p->scope != RIDGE_NO_ROW) {
        if (below_core(s, i) && !norms_whole(s, i))
            split(p, RIDGE_PART_HEADS, 1, s->parallel->tensor);
    } else if (is_activation(s, i) || s->parts[row->parent].kind == RIDGE_PART_INNER ||
               (!p->module && holds_column(s, row->parent) && !on_stream(s, i, row->parent))) {
        split(p, RIDGE_PART_INNER, 1, s->parallel->tensor);
    }
}

/* ---- the vocabulary ---- */

/* the model's first embedding table outside its layers; the fused embedding of BERT has it without a row of its own */
static const ridge_node *table_of(const ridge_node *n)
{
    if (is_entry(n, "torch__nn__Embedding"))
        return n->weights.n ? n : NULL;
    if (!n->entry && strstr(n->class_name, "ModuleList"))
        return NULL;
    for (size_t i = 0; i < n->child_count; i++) {
        const ridge_node *c = n->children[i].node, *found = c && c->kind == RIDGE_KIND_MODULE ? table_of(c) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

static void split_vocabulary(ridge_split *s, const ridge_node *root)
{
    const ridge_node *table = table_of(root);
    if (!table || s->layers == 0)
        return;
    s->vocabulary = table->weights.p[0].dims[0];
    for (uint32_t i = 0; i < s->rows->n; i++) {
        if (s->parts[i].layer != RIDGE_NO_ROW || !s->parts[i].module)
            continue;
        if (s->rows->p[i].node == table && s->table == RIDGE_NO_ROW) {
            s->table = i;
            split(&s->parts[i], RIDGE_PART_TABLE, 1, s->parallel->tensor);
        } else if (s->parts[i].in && s->parts[i].out == s->vocabulary) {
            s->head = i;
            split(&s->parts[i], RIDGE_PART_COLUMN, 1, s->parallel->tensor);
        }
    }
}

/* ---- all of it ---- */

static ridge_status find_all(ridge_split *s)
{
    for (size_t i = 0; i < s->rows->n; i++) {
        const ridge_row *row = &s->rows->p[i];
        ridge_str name = name_of(row->path);
        s->parts[i] = (ridge_part){.num = 1,
                                   .den = 1,
                                   .layer = RIDGE_NO_ROW,
                                   .block = RIDGE_NO_ROW,
                                   .scope = RIDGE_NO_ROW,
                                   .mixture = RIDGE_NO_ROW,
                                   .kernel = RIDGE_NO_ROW};
        s->parts[i].module = row->node && row->node->kind == RIDGE_KIND_MODULE && !(name.n && name.p[0] == '(');
    }
    find_ends(s);
    find_cores(s);
    for (uint32_t i = 0; i < s->rows->n; i++)
        find_place(s, i);
    find_mixtures(s);
    find_kernels(s);
    return RIDGE_OK;
}

ridge_status ridge_split_make(ridge_split *s, const ridge_analysis *a, const ridge_parallel *parallel, ridge_err *err)
{
    ridge_status st;
    *s = (ridge_split){.rows = &a->rows,
                       .kernels = &a->kernels,
                       .parallel = parallel,
                       .first_layer = RIDGE_NO_ROW,
                       .head = RIDGE_NO_ROW,
                       .table = RIDGE_NO_ROW};
    if (!(s->parts = ridge_arena_array(a->graph.arena, a->rows.n + 1, sizeof *s->parts)))
        return ridge_no_memory(err);
    (void)find_all(s);
    if ((st = ridge_split_check_known(s, err)))
        return st;
    for (uint32_t i = 0; i < s->rows->n; i++)
        if (s->parts[i].block == i) {
            ridge_int width = width_of(s, i);
            for (uint32_t k = i; k < s->parts[i].end; k++)
                if (s->parts[k].scope == k && s->parts[k].block == i)
                    (void)split_attention(s, k, width);
            split_mlp(s, i, width);
        }
    for (uint32_t i = 0; i < s->rows->n; i++)
        split_rest(s, i);
    split_vocabulary(s, a->root);
    return ridge_split_check_numbers(s, err);
}

double ridge_split_calls(const ridge_split *s, uint32_t row)
{
    const ridge_part *p = &s->parts[row];
    const double stages = (double)s->parallel->pipeline, m = (double)s->parallel->microbatches;
    if (s->parallel->pipeline == 1)
        return m;
    if (p->layer != RIDGE_NO_ROW)
        return 1 + (m - 1) / stages;
    return p->after ? m : 1;
}

ridge_plan_split ridge_split_of(const ridge_split *s, size_t kernel)
{
    const ridge_kernel *k = &s->kernels->p[kernel];
    const ridge_part *p = &s->parts[k->row];
    ridge_plan_split out = {.compute = 1, .weights = 1, .activations = 1, .kv = 1, .calls = ridge_split_calls(s, k->row), .tokens = 1};
    out.device_calls = (double)s->parallel->microbatches / (double)s->parallel->pipeline;
    const double share = (double)p->num / (double)p->den;
    if (p->kind == RIDGE_PART_COLUMN || p->kind == RIDGE_PART_ROW) {
        double in = (double)p->in, o = (double)p->out;
        out.compute = out.weights = share;
        out.rows = p->kind == RIDGE_PART_ROW;
        out.activations = (out.rows ? in * share + o : in + o * share) / (in + o);
    } else if (p->kind == RIDGE_PART_HEADS) {
        uint32_t core = k->row;
        ridge_int num, den;
        while (!s->parts[core].core)
            core = s->rows->p[core].parent;
        kv_share(&num, &den, s->parts[core].kv_heads, s->parallel->tensor);
        out.compute = out.activations = share;
        out.kv = (double)num / (double)den;
    } else if (p->kind == RIDGE_PART_INNER) {
        out.compute = out.activations = share;
    } else if (p->kind == RIDGE_PART_TABLE) {
        out.weights = share;
    }
    if (k->experts) {
        out.tokens = (double)s->parallel->expert;
        out.weights /= (double)s->parallel->expert;
    }
    return out;
}
