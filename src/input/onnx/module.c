#include "input/onnx/parts.h"

/* What torch.onnx tells of modules. Since PyTorch 2.5 (torch.export): metadata of a node, "['', 'fc', 'linear']", the paths from the model
 * to the module and then the operator, and classes alike. Before (TorchScript, since 1.13): the node's name, "/layer1/layer1.0/conv1/Conv",
 * whose parts are names in their parents; one that begins with the part before it and a dot stands for both. */

/* The last text but one of a list as Python writes it; n == 0: there is none. */
static ridge_str last_but_one(ridge_str list)
{
    ridge_str last = {"", 0}, before = {"", 0};
    for (size_t i = 0; i < list.n; i++) {
        const char quote = list.p[i];
        if (quote != '\'' && quote != '"')
            continue;
        const char *end = memchr(list.p + i + 1, quote, list.n - i - 1);
        if (!end)
            break;
        before = last;
        last = (ridge_str){list.p + i + 1, (size_t)(end - list.p) - i - 1};
        i += last.n + 1;
    }
    return before;
}

static bool continues(ridge_str part, ridge_str before)
{
    return before.n && part.n > before.n + 1 && memcmp(part.p, before.p, before.n) == 0 && part.p[before.n] == '.';
}

static ridge_status path_of_name(ridge_str *out, onnx_reader *r, ridge_str name)
{
    char *path = ridge_arena_alloc(r->arena, name.n + 1);
    size_t n = 0, last_at = 0;
    ridge_str before = {"", 0};
    if (!path)
        return ridge_no_memory(r->err);
    for (size_t i = 1; i < name.n;) {
        const char *slash = memchr(name.p + i, '/', name.n - i);
        if (!slash)
            break;
        const ridge_str part = {name.p + i, (size_t)(slash - name.p) - i};
        if (continues(part, before))
            n = last_at;
        else if (n)
            path[n++] = '.';
        last_at = n;
        memcpy(path + n, part.p, part.n);
        n += part.n;
        before = part;
        i += part.n + 1;
    }
    *out = (ridge_str){path, n};
    return RIDGE_OK;
}

ridge_status ridge_onnx_module(ridge_opgraph_node *node, onnx_reader *r, const onnx_node *n)
{
    const ridge_str name = ridge_onnx_text(n->name);
    if (n->scopes.n) {
        node->module = last_but_one(n->scopes);
        node->class_name = last_but_one(n->classes);
        return RIDGE_OK;
    }
    if (ridge_str_is(ridge_onnx_text(r->producer), "pytorch") && name.n > 1 && name.p[0] == '/')
        return path_of_name(&node->module, r, name);
    return RIDGE_OK;
}
