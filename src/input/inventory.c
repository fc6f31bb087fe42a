/* The modules of an inventory, their tensors and ties. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "input/inventory_parts.h"

typedef ridge_inventory_reader reader;

enum { FORMAT = 1, RANK_MOST = RIDGE_OPGRAPH_RANK };

/* ---- members ---- */

ridge_status ridge_inventory_bad(const reader *r, ridge_status code, const ridge_json *at, const char *fmt, ...)
{
    char text[480];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return ridge_fail_at(r->err, code, r->out->path, at->line, at->col, "%s", text);
}

static bool is_boolean(ridge_json_type type)
{
    return type == RIDGE_JSON_TRUE || type == RIDGE_JSON_FALSE;
}

ridge_status ridge_inventory_member(const ridge_json **out, const reader *r, const ridge_json *object, const char *key,
                                    ridge_json_type type, bool wanted)
{
    const ridge_json *v = ridge_json_get(object, key);
    *out = v;
    if (!v)
        return wanted ? ridge_inventory_bad(r, RIDGE_TYPE, object, "'%s' is missing", key) : RIDGE_OK;
    if (v->type == type || (is_boolean(type) && is_boolean(v->type)))
        return RIDGE_OK;
    return ridge_inventory_bad(r, RIDGE_TYPE, v, "%s: want %s, found %s", key, ridge_json_type_name(type), ridge_json_type_name(v->type));
}

ridge_status ridge_inventory_text(ridge_str *out, const reader *r, const ridge_json *object, const char *key, bool wanted)
{
    const ridge_json *v;
    ridge_status st = ridge_inventory_member(&v, r, object, key, RIDGE_JSON_STRING, wanted);
    *out = !st && v ? v->u.text : (ridge_str){"", 0};
    return st;
}

bool ridge_inventory_whole(int64_t *out, const ridge_json *v)
{
    ridge_int n;
    if (v->type != RIDGE_JSON_NUMBER || !v->u.text.n || !ridge_is_digit(v->u.text.p[0]) || !ridge_int_parse(&n, v->u.text) || n > INT64_MAX)
        return false;
    *out = (int64_t)n;
    return true;
}

/* PyTorch's dtypes, without "torch." */
static const struct {
    const char *dtype, *format;
} dtypes[] = {
    {"float32", "fp32"},
    {"bfloat16", "bf16"},
    {"float16", "fp16"},
    {"float64", "fp64"},
    {"int64", "i64"},
    {"int32", "i32"},
    {"int16", "i16"},
    {"int8", "int8"},
    {"uint8", "u8"},
    {"uint16", "u16"},
    {"uint32", "u32"},
    {"uint64", "u64"},
    {"bool", "bool"},
    {"complex32", "complex32"},
    {"complex64", "complex64"},
    {"complex128", "complex128"},
    {"float8_e4m3fn", "fp8_e4m3"},
    {"float8_e4m3fnuz", "fp8_e4m3"},
    {"float8_e5m2", "fp8_e5m2"},
    {"float8_e5m2fnuz", "fp8_e5m2"},
    {"float8_e8m0fnu", "fp8_e8m0"},
    {"qint8", "int8"},
    {"quint8", "u8"},
    {"qint32", "i32"},
};

ridge_status ridge_inventory_dtype(const ridge_format **out, const char **word, const reader *r, const ridge_json *object)
{
    ridge_str dtype;
    const ridge_status st = ridge_inventory_text(&dtype, r, object, "dtype", true);
    for (size_t i = 0; !st && i < sizeof dtypes / sizeof *dtypes; i++)
        if (ridge_str_is(dtype, dtypes[i].dtype)) {
            *word = dtypes[i].dtype;
            *out = ridge_format_find(ridge_str_of(dtypes[i].format));
            return RIDGE_OK;
        }
    return st ? st
              : ridge_inventory_bad(r, RIDGE_VALUE, ridge_json_get(object, "dtype"), "dtype: '%s' is none of PyTorch's",
                                    ridge_weight_shown(r->arena, dtype));
}

/* ---- tensors ---- */

static ridge_status read_shape(ridge_weight *w, const reader *r, const ridge_json *tensor)
{
    const ridge_json *v;
    ridge_status st = ridge_inventory_member(&v, r, tensor, "shape", RIDGE_JSON_ARRAY, true);
    if (st)
        return st;
    if (v->count > RANK_MOST)
        return ridge_inventory_bad(r, RIDGE_LIMIT, v, "shape: more than %d dimensions", RANK_MOST);
    uint64_t *shape = ridge_arena_array(r->arena, v->count + 1u, sizeof *shape);
    if (!shape)
        return ridge_no_memory(r->err);
    for (uint32_t i = 0; i < v->count; i++) {
        int64_t n;
        if (!ridge_inventory_whole(&n, &v->u.items[i]))
            return ridge_inventory_bad(r, RIDGE_VALUE, &v->u.items[i], "shape: a dimension is no whole number below 2^63");
        shape[i] = (uint64_t)n;
    }
    w->shape = shape;
    w->rank = v->count;
    if (!ridge_weight_measure(w))
        return ridge_inventory_bad(r, RIDGE_OVERFLOW, v, "shape: a tensor of this shape has more than 2^63 bytes");
    return RIDGE_OK;
}

static ridge_str join(const reader *r, ridge_str path, ridge_str name)
{
    if (!path.n)
        return name;
    char *p = ridge_arena_alloc(r->arena, path.n + name.n + 2);
    if (!p)
        return (ridge_str){NULL, 0};
    memcpy(p, path.p, path.n);
    p[path.n] = '.';
    memcpy(p + path.n + 1, name.p, name.n);
    return (ridge_str){p, path.n + 1 + name.n};
}

/* PyTorch takes neither "" nor a dot in the name of a module, a parameter or a buffer */
static bool is_name(ridge_str name)
{
    return name.n && !memchr(name.p, '.', name.n);
}

/* the number of a new name; names of parameters and buffers are one space, as in PyTorch */
static ridge_status add_name(const ridge_json *at, reader *r, ridge_str full)
{
    ridge_weight_names *names = &r->names;
    const uint32_t before = names->names.count;
    const ridge_symbol *symbol = ridge_intern(&names->names, full);
    if (!symbol || !ridge_arena_more(r->arena, &names->at, before, &names->cap, sizeof *names->at))
        return ridge_no_memory(r->err);
    if (names->names.count == before)
        return ridge_inventory_bad(r, RIDGE_VALUE, at, "the tensor '%s' stands there twice", ridge_weight_shown(r->arena, full));
    names->at[symbol->id] = (uint32_t)r->out->weights.count;
    return RIDGE_OK;
}

static bool same_tensor(const ridge_weight *a, const ridge_weight *b)
{
    return a->format == b->format && a->rank == b->rank && (!a->rank || memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0);
}

/* "tied_to" names a tensor that came before and is tied to none itself: so there is no way round in a circle */
static ridge_status read_tie(ridge_weight *w, const reader *r, const ridge_json *tensor)
{
    const ridge_json *v = ridge_json_get(tensor, "tied_to");
    if (!v || v->type == RIDGE_JSON_NULL)
        return RIDGE_OK;
    if (v->type != RIDGE_JSON_STRING)
        return ridge_inventory_bad(r, RIDGE_TYPE, v, "tied_to: want a string, found %s", ridge_json_type_name(v->type));
    const char *shown = ridge_weight_shown(r->arena, v->u.text);
    const ridge_symbol *symbol = ridge_intern_find(&r->names.names, v->u.text);
    if (!symbol || r->names.at[symbol->id] == r->out->weights.count)
        return ridge_inventory_bad(r, RIDGE_NAME, v, "tied_to: no tensor '%s' comes before this one", shown);
    const ridge_weight *other = &r->out->weights.tensors[r->names.at[symbol->id]];
    if (other->tied)
        return ridge_inventory_bad(r, RIDGE_CYCLE, v, "tied_to: '%s' is tied itself: want the first that holds the tensor", shown);
    if (r->buffers[r->names.at[symbol->id]] != r->buffers[r->out->weights.count])
        return ridge_inventory_bad(r, RIDGE_VALUE, v, "tied_to: of this one and '%s', one is a parameter and the other a buffer", shown);
    if (!same_tensor(w, other))
        return ridge_inventory_bad(r, RIDGE_VALUE, v, "tied_to: '%s' has another shape or dtype", shown);
    w->tied = r->names.at[symbol->id] + 1;
    return RIDGE_OK;
}

static ridge_status read_tensor(reader *r, const ridge_inventory_module *m, const ridge_json *v, bool buffer)
{
    ridge_weights *all = &r->out->weights;
    ridge_weight w = {0};
    ridge_str name;
    if (v->type != RIDGE_JSON_OBJECT)
        return ridge_inventory_bad(r, RIDGE_TYPE, v, "a tensor: want an object, found %s", ridge_json_type_name(v->type));
    ridge_status st = ridge_inventory_text(&name, r, v, "name", true);
    if (st)
        return st;
    if (!is_name(name))
        return ridge_inventory_bad(r, RIDGE_VALUE, v, "'%s' is no name of a tensor", ridge_weight_shown(r->arena, name));
    if (!(w.name = join(r, m->path, name)).p || !ridge_arena_more(r->arena, &all->tensors, all->count, &r->tensor_cap, sizeof w) ||
        !ridge_arena_more(r->arena, &r->buffers, all->count, &r->buffer_cap, sizeof *r->buffers))
        return ridge_no_memory(r->err);
    r->buffers[all->count] = buffer;
    if ((st = ridge_inventory_dtype(&w.format, &w.stored_as, r, v)) || (st = read_shape(&w, r, v)) || (st = add_name(v, r, w.name)) ||
        (st = read_tie(&w, r, v)))
        return st;
    all->tensors[all->count++] = w;
    return RIDGE_OK;
}

static ridge_status read_tensors(uint32_t *count, reader *r, const ridge_inventory_module *m, const ridge_json *module, bool buffers)
{
    const ridge_json *list;
    ridge_status st = ridge_inventory_member(&list, r, module, buffers ? "buffers" : "parameters", RIDGE_JSON_ARRAY, true);
    for (uint32_t i = 0; !st && i < list->count; i++)
        st = read_tensor(r, m, &list->u.items[i], buffers);
    if (!st)
        *count = list->count;
    return st;
}

/* ---- modules ---- */

ridge_str ridge_inventory_class(const ridge_inventory *i)
{
    size_t at = i->class_name.n;
    while (at > 0 && i->class_name.p[at - 1] != '.')
        at--;
    return (ridge_str){i->class_name.p + at, i->class_name.n - at};
}

/* where a path's last part begins */
static size_t last_part(ridge_str path)
{
    size_t at = path.n;
    while (at > 0 && path.p[at - 1] != '.')
        at--;
    return at;
}

/* Goes from the module that was read last to the one that this path is in, which must be it or one above: a module comes right behind those
 * of its elder siblings. */
static ridge_status find_parent(ridge_inventory_module *m, reader *r, const ridge_json *at)
{
    const ridge_inventory_module *all = r->out->modules;
    const size_t dot = last_part(m->path);
    const ridge_str above = {m->path.p, dot ? dot - 1 : 0};
    uint32_t i = r->open;
    while (i != UINT32_MAX && !(ridge_str_eq(all[i].path, above) && (dot > 0) == (all[i].depth > 0)))
        i = all[i].parent;
    if (i == UINT32_MAX)
        return ridge_inventory_bad(r, RIDGE_VALUE, at,
                                   "the module '%s' does not stand behind the one that has it: want the order of named_modules()",
                                   ridge_weight_shown(r->arena, m->path));
    m->parent = i;
    m->depth = all[i].depth + 1;
    m->name = (ridge_str){m->path.p + dot, m->path.n - dot};
    if (!is_name(m->name))
        return ridge_inventory_bad(r, RIDGE_VALUE, at, "'%s' is no path of a module", ridge_weight_shown(r->arena, m->path));
    if (m->depth > RIDGE_INVENTORY_DEPTH)
        return ridge_inventory_bad(r, RIDGE_LIMIT, at, "more than %d modules inside each other", RIDGE_INVENTORY_DEPTH);
    return RIDGE_OK;
}

static ridge_status find_place(ridge_inventory_module *m, reader *r, const ridge_json *at)
{
    const uint32_t before = r->paths.count;
    if (!r->out->count != !m->path.n)
        return r->out->count ? ridge_inventory_bad(r, RIDGE_VALUE, at, "the model, whose path is \"\", stands there twice")
                             : ridge_inventory_bad(r, RIDGE_VALUE, at, "the first module is the model, whose path is \"\"");
    if (!ridge_intern(&r->paths, m->path))
        return ridge_no_memory(r->err);
    if (r->paths.count == before)
        return ridge_inventory_bad(r, RIDGE_VALUE, at, "the module '%s' stands there twice", ridge_weight_shown(r->arena, m->path));
    if (!r->out->count)
        m->parent = UINT32_MAX;
    return m->path.n ? find_parent(m, r, at) : RIDGE_OK;
}

/* calls of the recorded pass: how many, each time with the same shapes */
static ridge_status read_calls(ridge_inventory_module *m, const reader *r, const ridge_json *module)
{
    const ridge_json *list, *count;
    ridge_status st = ridge_inventory_member(&list, r, module, "calls", RIDGE_JSON_ARRAY, false);
    for (uint32_t i = 0; !st && list && i < list->count; i++) {
        int64_t n;
        if (list->u.items[i].type != RIDGE_JSON_OBJECT)
            return ridge_inventory_bad(r, RIDGE_TYPE, &list->u.items[i], "calls: want objects, found %s",
                                       ridge_json_type_name(list->u.items[i].type));
        if ((st = ridge_inventory_member(&count, r, &list->u.items[i], "count", RIDGE_JSON_NUMBER, true)))
            return st;
        if (!ridge_inventory_whole(&n, count) || n < 1)
            return ridge_inventory_bad(r, RIDGE_VALUE, count, "count: want a whole number of at least 1");
        m->calls += n; /* at most 2^32 of 2^63 */
    }
    return st;
}

static ridge_status read_module(reader *r, const ridge_json *v)
{
    ridge_inventory *out = r->out;
    ridge_inventory_module m = {.first = (uint32_t)out->weights.count};
    ridge_status st;
    if (v->type != RIDGE_JSON_OBJECT)
        return ridge_inventory_bad(r, RIDGE_TYPE, v, "a module: want an object, found %s", ridge_json_type_name(v->type));
    if (out->count >= RIDGE_INVENTORY_MODULES)
        return ridge_inventory_bad(r, RIDGE_LIMIT, v, "more than %d modules", RIDGE_INVENTORY_MODULES);
    if ((st = ridge_inventory_text(&m.path, r, v, "path", true)) || (st = ridge_inventory_text(&m.class_name, r, v, "class", true)) ||
        (st = ridge_inventory_member(&m.values, r, v, "values", RIDGE_JSON_OBJECT, false)) || (st = find_place(&m, r, v)) ||
        (st = read_tensors(&m.parameters, r, &m, v, false)) || (st = read_tensors(&m.buffers, r, &m, v, true)) ||
        (st = read_calls(&m, r, v)))
        return st;
    if (!m.class_name.n)
        return ridge_inventory_bad(r, RIDGE_VALUE, v, "class: the name is empty");
    if (!ridge_arena_more(r->arena, &out->modules, out->count, &r->module_cap, sizeof m))
        return ridge_no_memory(r->err);
    r->open = out->count;
    out->modules[out->count++] = m;
    return RIDGE_OK;
}

static void close_modules(ridge_inventory *out)
{
    for (uint32_t i = out->count; i-- > 0;) { /* what is below comes behind */
        ridge_inventory_module *m = &out->modules[i];
        m->end = m->end ? m->end : i + 1;
        if (m->parent != UINT32_MAX && out->modules[m->parent].end < m->end)
            out->modules[m->parent].end = m->end;
    }
}

static ridge_status read_modules(reader *r, const ridge_json *root)
{
    const ridge_json *list;
    ridge_status st = ridge_inventory_member(&list, r, root, "modules", RIDGE_JSON_ARRAY, true);
    for (uint32_t i = 0; !st && i < list->count; i++)
        st = read_module(r, &list->u.items[i]);
    if (!st && !r->out->count)
        st = ridge_inventory_bad(r, RIDGE_VALUE, list, "modules: there is none, and the model is one");
    if (!st)
        close_modules(r->out);
    return st;
}

static ridge_status find_alias_parent(ridge_inventory_alias *a, const reader *r, const ridge_json *v)
{
    const size_t at = last_part(a->path);
    const ridge_symbol *above = ridge_intern_find(&r->paths, (ridge_str){a->path.p, at ? at - 1 : 0});
    if (!above || above->id >= r->out->count || at == a->path.n)
        return ridge_inventory_bad(r, RIDGE_NAME, v, "path: no module of the list has '%s'", ridge_weight_shown(r->arena, a->path));
    a->parent = above->id;
    return RIDGE_OK;
}

static int by_parent(const void *a, const void *b)
{
    const ridge_inventory_alias *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    const size_t n = x->path.n < y->path.n ? x->path.n : y->path.n;
    const int c = memcmp(x->path.p, y->path.p, n);
    return c ? c : x->path.n < y->path.n ? -1 : x->path.n > y->path.n;
}

static ridge_status read_alias(reader *r, const ridge_json *v)
{
    ridge_inventory_alias a = {0};
    ridge_str of;
    ridge_status st;
    if (v->type != RIDGE_JSON_OBJECT)
        return ridge_inventory_bad(r, RIDGE_TYPE, v, "an alias: want an object, found %s", ridge_json_type_name(v->type));
    if ((st = ridge_inventory_text(&a.path, r, v, "path", true)) || (st = ridge_inventory_text(&of, r, v, "of", true)))
        return st;
    const ridge_symbol *target = ridge_intern_find(&r->paths, of);
    if (!target || target->id >= r->out->count)
        return ridge_inventory_bad(r, RIDGE_NAME, v, "of: there is no module '%s'", ridge_weight_shown(r->arena, of));
    if ((st = find_alias_parent(&a, r, v)))
        return st;
    const uint32_t before = r->paths.count;
    if (!ridge_intern(&r->paths, a.path) || !ridge_arena_more(r->arena, &r->out->aliases, r->out->alias_count, &r->alias_cap, sizeof a))
        return ridge_no_memory(r->err);
    if (r->paths.count == before)
        return ridge_inventory_bad(r, RIDGE_VALUE, v, "the module '%s' stands there twice", ridge_weight_shown(r->arena, a.path));
    a.of = target->id;
    r->out->aliases[r->out->alias_count++] = a;
    return RIDGE_OK;
}

static ridge_status read_aliases(reader *r, const ridge_json *root)
{
    const ridge_json *list;
    ridge_status st = ridge_inventory_member(&list, r, root, "aliases", RIDGE_JSON_ARRAY, false);
    for (uint32_t i = 0; !st && list && i < list->count; i++)
        st = read_alias(r, &list->u.items[i]);
    if (!st && r->out->alias_count)
        qsort(r->out->aliases, r->out->alias_count, sizeof *r->out->aliases, by_parent);
    return st;
}

/* ---- the whole ---- */

static ridge_status check_format(const reader *r, const ridge_json *root)
{
    const ridge_json *v = ridge_json_get(root, "ridge_inventory");
    int64_t version;
    if (!v)
        return ridge_inventory_bad(r, RIDGE_TYPE, root, "'ridge_inventory' is missing: this is no inventory");
    if (!ridge_inventory_whole(&version, v))
        return ridge_inventory_bad(r, RIDGE_TYPE, v, "ridge_inventory: want the version of the format, a whole number");
    if (version != FORMAT)
        return ridge_inventory_bad(r, RIDGE_VALUE, v,
                                   "ridge_inventory: version %lld of the format is not known, %d is; 'ridge inspect --inventory-script' "
                                   "prints the script that writes it",
                                   (long long)version, FORMAT);
    return RIDGE_OK;
}

/* What PyTorch counts must be what the modules have: a parameter that is shown twice or is missing would be a wrong number. */
static ridge_status check_total(const reader *r, const ridge_json *root)
{
    const ridge_json *v;
    ridge_inventory *out = r->out;
    ridge_int total;
    for (uint32_t i = 0; i < out->count; i++)
        for (uint32_t k = 0; k < out->modules[i].parameters; k++) {
            const ridge_weight *w = &out->weights.tensors[out->modules[i].first + k];
            if (!w->tied && !ridge_int_add(&out->parameters, out->parameters, w->elements))
                return ridge_overflow(r->err, "the number of parameters");
        }
    ridge_status st = ridge_inventory_member(&v, r, root, "total", RIDGE_JSON_NUMBER, true);
    if (st)
        return st;
    if (!ridge_int_parse(&total, v->u.text) || total != out->parameters) {
        char sum[RIDGE_INT_COMMA_CHARS];
        sum[ridge_int_print_comma(sum, out->parameters)] = '\0';
        return ridge_inventory_bad(r, RIDGE_VALUE, v, "total: the parameters of the modules are %s, tied ones once", sum);
    }
    return RIDGE_OK;
}

static ridge_status read_root(reader *r, const ridge_json *root)
{
    const ridge_json *run;
    ridge_inventory *out = r->out;
    ridge_status st;
    if (root->type != RIDGE_JSON_OBJECT)
        return ridge_inventory_bad(r, RIDGE_TYPE, root, "an inventory is an object, not %s", ridge_json_type_name(root->type));
    if ((st = check_format(r, root)) || (st = ridge_inventory_text(&out->torch, r, root, "torch", false)) ||
        (st = ridge_inventory_text(&out->python, r, root, "python", false)) ||
        (st = ridge_inventory_member(&out->config, r, root, "config", RIDGE_JSON_OBJECT, false)) || (st = read_modules(r, root)) ||
        (st = read_aliases(r, root)) || (st = check_total(r, root)) ||
        (st = ridge_inventory_member(&run, r, root, "run", RIDGE_JSON_OBJECT, false)))
        return st;
    out->class_name = out->modules[0].class_name;
    if ((st = ridge_weights_sum(&out->weights, r->err)))
        return st;
    return run ? ridge_inventory_run(r, run) : RIDGE_OK;
}

ridge_status ridge_inventory_parse(ridge_inventory *out, const char *path, ridge_str text, ridge_arena *arena, ridge_err *err)
{
    reader r = {.out = out, .arena = arena, .err = err, .open = UINT32_MAX};
    ridge_json *root;
    *out = (ridge_inventory){.path = path, .text = text, .weights = {.kind = "inventory", .file_count = 1}};
    out->weights.files = ridge_arena_array(arena, 1, sizeof *out->weights.files);
    if (!out->weights.files || !ridge_symtab_init(&r.paths, arena) || !ridge_symtab_init(&r.names.names, arena))
        return ridge_no_memory(err);
    out->weights.files[0] = path;
    ridge_status st = ridge_json_parse(&root, text, path, (ridge_json_options){.unique_keys = true}, arena, err);
    if (st || (st = read_root(&r, root)))
        return st;
    return arena->failed ? ridge_no_memory(err) : RIDGE_OK;
}

ridge_status ridge_inventory_read(ridge_inventory *out, const char *path, ridge_arena *arena, ridge_err *err)
{
    ridge_str text;
    *out = (ridge_inventory){.path = path};
    ridge_status st = ridge_file_read(&text, path, RIDGE_INVENTORY_LIMIT, arena, err);
    return st ? st : ridge_inventory_parse(out, path, text, arena, err);
}

/* ---- is it one? ---- */

enum { LOOKED_AT = 1 << 15 /* the script writes the key first */ };

static size_t skip_string(ridge_str text, size_t at)
{
    for (at++; at < text.n && text.p[at] != '"'; at++)
        at += text.p[at] == '\\';
    return at;
}

bool ridge_inventory_is(ridge_str text)
{
    size_t i = ridge_str_starts(text, RIDGE_STR("\xef\xbb\xbf")) ? 3 : 0;
    unsigned depth = 0;
    bool key = false;
    while (i < text.n && strchr(" \t\r\n", text.p[i]) && text.p[i])
        i++;
    if (i >= text.n || text.p[i] != '{')
        return false;
    for (; i < text.n; i++) {
        const char c = text.p[i];
        if (c && strchr(" \t\r\n", c))
            continue;
        if (c == '"') {
            if (depth == 1 && key && ridge_str_starts((ridge_str){text.p + i, text.n - i}, RIDGE_STR("\"ridge_inventory\"")))
                return true;
            i = skip_string(text, i);
        } else if (c == '}' || c == ']') {
            depth--;
        } else if (c == '{' || c == '[') {
            depth++;
        }
        if (depth == 0)
            return false;
        key = c == '{' || c == ',';
    }
    return false;
}

/* the first bytes of a regular file, without memory that could run out: then the answer would be "no" */
static size_t read_head(char *to, size_t room, const char *path)
{
    struct stat info;
    size_t n = 0;
    ssize_t got;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    while (fd >= 0 && n < room && (got = read(fd, to + n, room - n)) > 0)
        n += (size_t)got;
    if (fd >= 0)
        close(fd);
    return n;
}

bool ridge_inventory_looks(const char *path)
{
    char text[LOOKED_AT];
    return ridge_inventory_is((ridge_str){text, read_head(text, sizeof text, path)});
}
