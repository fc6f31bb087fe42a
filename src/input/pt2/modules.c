/* The modules that nodes work for. A node's nn_module_stack is "key,path,class;key,path,class", outermost first; schema 1 has
 * "key:(path,class)". Paths are those of named_modules() since PyTorch 2.2; before, Dynamo's: "L['self'].layers[0].fc1",
 * "getattr(L['self'].layer1, '0')". Of a module that is called again the path ends with "@1". */
#include "input/pt2/parts.h"

/* of nodes that a pass made */
static const char made_later[] = "_empty_nn_module_stack_from_metadata_hook";

/* the text between two marks at the beginning; *p goes behind them. false: there is none */
static bool take_between(ridge_str *out, const char **p, const char *end, const char *open, const char *close)
{
    const ridge_str before = ridge_str_of(open), after = ridge_str_of(close);
    if (!ridge_str_starts((ridge_str){*p, (size_t)(end - *p)}, before))
        return false;
    for (const char *q = *p + before.n; (size_t)(end - q) >= after.n; q++)
        if (memcmp(q, after.p, after.n) == 0) {
            *out = (ridge_str){*p + before.n, (size_t)(q - *p) - before.n};
            *p = q + after.n;
            return true;
        }
    return false;
}

static bool take_text(const char **p, const char *end, const char *text)
{
    const ridge_str t = ridge_str_of(text);
    if (!ridge_str_starts((ridge_str){*p, (size_t)(end - *p)}, t))
        return false;
    *p += t.n;
    return true;
}

static void add_part(ridge_buf *out, ridge_str part)
{
    if (ridge_str_is(part, "_modules"))
        return;
    ridge_buf_addz(out, out->n && part.n && out->p[out->n - 1] != '.' ? "." : "");
    ridge_buf_add(out, part);
}

/* one step of a path; `part` gathers the letters of a name */
static void take_step(ridge_buf *out, ridge_buf *part, const char **p, const char *end)
{
    static const char *const marks[][2] = {{"['", "']"}, {"[\"", "\"]"}, {"[", "]"}, {", '", "')"}, {", \"", "\")"}};
    ridge_str text;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (take_between(&text, p, end, marks[i][0], marks[i][1])) {
            add_part(out, (ridge_str){part->p, part->n});
            part->n = 0;
            add_part(out, text);
            return;
        }
    if (**p == '.') {
        add_part(out, (ridge_str){part->p, part->n});
        part->n = 0;
        ++*p;
    } else if (**p == '@') {
        for (++*p; *p < end && **p != '.'; ++*p)
            continue;
    } else {
        ridge_buf_addc(part, *(*p)++);
    }
}

static ridge_status clean_path(ridge_str *out, pt2_reader *r, ridge_str path)
{
    if (!path.n)
        return pt2_keep(out, r, path);
    const char *p = path.p, *end = p + path.n;
    ridge_buf text = {0}, part = {0};
    while (p < end)
        if (!take_text(&p, end, "getattr(") && !take_text(&p, end, "L['self']") && !(p == path.p && take_text(&p, end, "L__self__")))
            take_step(&text, &part, &p, end);
    add_part(&text, (ridge_str){part.p, part.n});
    ridge_status st = text.failed || part.failed ? ridge_no_memory(r->err) : pt2_keep(out, r, (ridge_str){text.p, text.n});
    ridge_buf_free(&text);
    ridge_buf_free(&part);
    return st;
}

/* "torch.nn.modules.linear.Linear": the name alone, as a tree shows it */
static ridge_str class_of(ridge_str class_name)
{
    for (size_t i = class_name.n; i-- > 0;)
        if (class_name.p[i] == '.')
            return (ridge_str){class_name.p + i + 1, class_name.n - i - 1};
    return class_name;
}

/* a path is listed once, with the first class that is said of it */
static ridge_status list_module(pt2_reader *r, ridge_str path, ridge_str class_name)
{
    ridge_opgraph *g = r->out;
    const uint32_t before = r->modules.count;
    const ridge_symbol *symbol = ridge_intern(&r->modules, path);
    if (!symbol || !ridge_arena_more(r->arena, &g->modules, before, &r->module_cap, sizeof *g->modules))
        return ridge_no_memory(r->err);
    if (r->modules.count != before)
        g->modules[g->module_count++] = (ridge_opgraph_module){path, class_name};
    else if (!g->modules[symbol->id].class_name.n)
        g->modules[symbol->id].class_name = class_name;
    return RIDGE_OK;
}

/* path and class of "key,path,class" or "key:(path,class)"; false: it is neither */
static bool split_entry(ridge_str *path, ridge_str *class_name, ridge_str entry)
{
    const char *end = entry.p + entry.n, *first, *last;
    const char *colon = entry.n ? memchr(entry.p, ':', entry.n) : NULL;
    const bool old = colon && end - colon > 2 && colon[1] == '(' && end[-1] == ')';
    first = old ? colon + 1 : entry.n ? memchr(entry.p, ',', entry.n) : NULL;
    end -= old;
    last = end;
    while (first && last > first && last[-1] != ',')
        last--;
    if (!first || last - 1 <= first)
        return false;
    *path = (ridge_str){first + 1, (size_t)(last - first) - 2};
    *class_name = (ridge_str){last, (size_t)(end - last)};
    return true;
}

static ridge_status read_entry(pt2_reader *r, ridge_str entry)
{
    ridge_str path, class_name, kept_path, kept_class;
    if (!split_entry(&path, &class_name, entry) || ridge_str_is(path, made_later))
        return RIDGE_OK;
    ridge_status st = clean_path(&kept_path, r, path);
    if (st || (st = pt2_keep(&kept_class, r, class_of(class_name))) || (st = list_module(r, kept_path, kept_class)))
        return st;
    r->module_path = kept_path;
    r->module_class = kept_class;
    return RIDGE_OK;
}

static ridge_status read_stack(pt2_reader *r, ridge_str stack)
{
    ridge_status st = RIDGE_OK;
    r->module_path = r->module_class = (ridge_str){"", 0};
    r->module_stack = stack;
    for (size_t at = 0; at < stack.n && !st;) {
        const char *end = memchr(stack.p + at, ';', stack.n - at);
        const size_t n = end ? (size_t)(end - stack.p) - at : stack.n - at;
        st = read_entry(r, (ridge_str){stack.p + at, n});
        at += n + 1;
    }
    return st;
}

ridge_status pt2_module(ridge_str *path, ridge_str *class_name, pt2_reader *r, const ridge_json *metadata)
{
    const ridge_json *v = ridge_json_get(metadata, "nn_module_stack");
    const ridge_str stack = v && v->type == RIDGE_JSON_STRING ? v->u.text : (ridge_str){"", 0};
    ridge_status st = ridge_str_eq(stack, r->module_stack) ? RIDGE_OK : read_stack(r, stack);
    *path = r->module_path;
    *class_name = r->module_class;
    return st;
}

ridge_status pt2_module_calls(pt2_reader *r, const ridge_json *graph_module)
{
    const ridge_json *calls = ridge_json_get(graph_module, "module_call_graph");
    ridge_status st = RIDGE_OK;
    if (!calls || calls->type == RIDGE_JSON_NULL)
        return RIDGE_OK;
    if ((st = pt2_member(&calls, r, graph_module, "module_call_graph", RIDGE_JSON_ARRAY)))
        return st;
    for (uint32_t i = 0; i < calls->count && !st; i++) {
        ridge_str name, path;
        st = pt2_text(&name, r, &calls->u.items[i], "fqn");
        st = st ? st : clean_path(&path, r, name);
        st = st ? st : list_module(r, path, (ridge_str){"", 0});
    }
    return st;
}
