/* What the stand-ins for libraries ask of C: the module _ridge; and stand-ins for what nobody has. */
#include "learn/package/embedded.h"
#include "learn/package/parts.h"
#include "base/sha256.h"
#include "learn/torch/content.h"
#include "learn/torch/run.h"
#include "learn/torch/view.h"

/* ---- opaque ---- */

ridge_status ridge_opaque_attribute(ridge_py *out, ridge_py_module *module, const ridge_symbol *name, ridge_py_interp *in)
{
    ridge_py opaque, args[2];
    *out = ridge_py_unset();
    if (strncmp(name->text, "__", 2) == 0 && strcmp(name->text, "__version__") != 0)
        return RIDGE_OK;
    const ridge_symbol *complete = ridge_py_symbol(in, "_ridge_complete"); /* the stand-in has all that there is */
    if (complete && ridge_py_scope_find(&module->globals, complete))
        return RIDGE_OK;
    const char *full = ridge_arena_printf(in->arena, "%s.%s", module->name, name->text);
    if (!full)
        return ridge_no_memory(in->err);
    if (ridge_py_dict_getz(in->modules, full).type != RIDGE_PY_T_UNSET || ridge_embedded_module_find(full))
        return ridge_py_import(out, full, in); /* a stand-in's own part */
    ridge_status st = ridge_py_import(&opaque, "_ridge_opaque", in);
    if (!st)
        st = ridge_py_strz(&args[0], module->name, in);
    if (!st)
        st = ridge_py_strz(&args[1], name->text, in);
    if (!st)
        st = ridge_py_call_method(out, opaque, "attribute", args, 2, in);
    return st ? st : ridge_py_scope_set(&module->globals, name, *out, in);
}

/* ---- _ridge ---- */

static ridge_status unknown(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py v[2];
    ridge_status st = ridge_py_bind(v, 2, call, in);
    if (st)
        return st;
    const char *kind = v[0].type == RIDGE_PY_T_STR ? v[0].u.s->text.p : "unknown";
    const char *what = v[1].type == RIDGE_PY_T_STR ? v[1].u.s->text.p : "not known";
    return ridge_py_unknown(out, kind, what, NULL, NULL, in);
}

static ridge_status recording(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    (void)call;
    const ridge_trace *run = ridge_run_of(in);
    *out = ridge_py_bool(run && run->recording);
    return RIDGE_OK;
}

static ridge_status set_recording(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py v;
    ridge_status st = ridge_py_bind(&v, 1, call, in);
    if (st)
        return st;
    ridge_run_of(in)->recording = v.type == RIDGE_PY_T_BOOL && v.u.b;
    *out = ridge_py_none();
    return RIDGE_OK;
}

/* a view of a tensor as NumPy's array, or of an array as a tensor; what forward makes lies on the host */
static ridge_status as_array(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py v[3];
    ridge_status st = ridge_py_bind(v, 3, call, in);
    *out = v[0];
    if (st || v[0].type != RIDGE_PY_T_TENSOR)
        return st;
    if (v[2].type == RIDGE_PY_T_BOOL && v[2].u.b && ridge_run_of(in)->recording)
        v[0].u.tensor->storage->host = true;
    return ridge_view_array(out, v[0].u.tensor, v[1].type != RIDGE_PY_T_BOOL || v[1].u.b, in);
}

/* what was recorded of this run so far counts no more */
static ridge_status restart(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_trace *run = ridge_run_of(in);
    (void)call;
    run->recording = false;
    run->root->count = 0;
    run->current = run->root;
    *out = ridge_py_none();
    return RIDGE_OK;
}

/* how many holes and assumptions there are so far */
static ridge_status told(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    (void)call;
    ridge_status st = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, 2, in);
    if (!st)
        st = ridge_py_append(out->u.list, ridge_py_int((int64_t)in->hole_count), in);
    return st ? st : ridge_py_append(out->u.list, ridge_py_int((int64_t)ridge_run_of(in)->assumed_count), in);
}

static void cut(size_t *count, ridge_py to)
{
    if (to.type == RIDGE_PY_T_INT && to.u.i >= 0 && (uint64_t)to.u.i < *count)
        *count = (size_t)to.u.i;
}

/* those of a run that is done anew are taken back */
static ridge_status untell(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py before;
    ridge_status st = ridge_py_bind(&before, 1, call, in);
    *out = ridge_py_none();
    if (st || before.type != RIDGE_PY_T_TUPLE || before.u.list->count != 2)
        return st;
    cut(&in->hole_count, before.u.list->items[0]);
    cut(&ridge_run_of(in)->assumed_count, before.u.list->items[1]);
    return RIDGE_OK;
}

static ridge_status version(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py v;
    const char *text = NULL;
    ridge_status st = ridge_py_bind(&v, 1, call, in);
    if (!st && v.type != RIDGE_PY_T_STR)
        return ridge_py_raise(in, "TypeError", "a library's name is a text");
    if (!st)
        st = ridge_package_version(&text, in->loader.state, v.u.s->text.p, in);
    return st ? st : ridge_py_strz(out, text ? text : "0.0.0", in);
}

/* "pkg.mod", or ".mod" of package */
static ridge_status import_module(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py v[2];
    ridge_status st = ridge_py_bind(v, 2, call, in);
    if (st)
        return st;
    if (v[0].type != RIDGE_PY_T_STR)
        return ridge_py_raise(in, "TypeError", "a module's name is a text");
    const char *name = v[0].u.s->text.p;
    if (name[0] == '.' && v[1].type == RIDGE_PY_T_STR) {
        ridge_str package = v[1].u.s->text;
        for (name++; *name == '.'; name++)
            while (package.n > 0 && package.p[--package.n] != '.')
                continue;
        if (!(name = ridge_arena_printf(in->arena, "%.*s.%s", RIDGE_STR_ARG(package), name)))
            return ridge_no_memory(in->err);
    }
    return ridge_py_import(out, name, in);
}

static bool class_variable(const ridge_py_node *annotation)
{
    if (!annotation)
        return false;
    if (annotation->kind == RIDGE_PY_SUBSCRIPT)
        return class_variable(annotation->a);
    return annotation->name && strcmp(annotation->name->text, "ClassVar") == 0;
}

/* the names that a class's own body annotates, ClassVar's left out, in order: fields of a dataclass */
static ridge_status annotated(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py v, name;
    ridge_status st = ridge_py_bind(&v, 1, call, in);
    if (st)
        return st;
    if (v.type != RIDGE_PY_T_CLASS)
        return ridge_py_raise(in, "TypeError", "not a class");
    const ridge_py_node *body = v.u.class->node ? v.u.class->node->b : NULL;
    st = ridge_py_new_list(out, RIDGE_PY_T_LIST, 8, in);
    for (uint32_t i = 0; !st && body && i < body->count; i++) {
        const ridge_py_node *n = body->items[i];
        if (n->kind != RIDGE_PY_ANNOTATE || !n->a || n->a->kind != RIDGE_PY_NAME || class_variable(n->b))
            continue;
        if (!(st = ridge_py_strz(&name, n->a->name->text, in)))
            st = ridge_py_append(out->u.list, name, in);
    }
    return st;
}

/* ---- annotations ---- */

/* the value of a name or a quoted name in a module; UNSET where it is anything else */
static ridge_status annotation_value(ridge_py *out, const ridge_py_node *annotation, const ridge_py_module *module, ridge_py_interp *in)
{
    const ridge_symbol *name = NULL;
    *out = ridge_py_unset();
    if (annotation && annotation->kind == RIDGE_PY_NAME)
        name = annotation->name;
    else if (annotation && annotation->kind == RIDGE_PY_STRING)
        name = ridge_intern(&in->names, annotation->text);
    const ridge_py *found = name && module ? ridge_py_scope_find(&module->globals, name) : NULL;
    if (found)
        *out = *found;
    return RIDGE_OK;
}

/* what the nearest class says an attribute is (`config: LlamaConfig`), or None */
static ridge_status annotated_type(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py v[2];
    ridge_status st = ridge_py_bind(v, 2, call, in);
    *out = ridge_py_none();
    if (st || v[0].type != RIDGE_PY_T_CLASS || v[1].type != RIDGE_PY_T_STR)
        return st;
    for (size_t k = 0; k < v[0].u.class->order_count; k++) {
        const ridge_py_class *class = v[0].u.class->order[k];
        const ridge_py_node *body = class->node ? class->node->b : NULL;
        for (uint32_t i = 0; body && i < body->count; i++) {
            const ridge_py_node *n = body->items[i];
            if (n->kind != RIDGE_PY_ANNOTATE || !n->a || n->a->kind != RIDGE_PY_NAME || strcmp(n->a->name->text, v[1].u.s->text.p) != 0)
                continue;
            ridge_py found;
            if ((st = annotation_value(&found, n->b, class->module, in)) || found.type != RIDGE_PY_T_UNSET) {
                *out = found;
                return st;
            }
        }
    }
    return RIDGE_OK;
}

static ridge_py unwrapped(ridge_py v, ridge_py_interp *in)
{
    const ridge_symbol *name = ridge_py_symbol(in, "__wrapped__");
    if (v.type == RIDGE_PY_T_METHOD)
        v = v.u.method->function;
    for (int i = 0; name && i < 20 && v.type == RIDGE_PY_T_FUNCTION; i++) {
        const ridge_py *inner = ridge_py_scope_find(&v.u.function->attributes, name);
        if (!inner || inner->type == RIDGE_PY_T_UNSET)
            break;
        v = *inner;
    }
    return v;
}

/* what a function says that a parameter is, or None */
static ridge_status parameter_type(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py v[2];
    ridge_status st = ridge_py_bind(v, 2, call, in);
    *out = ridge_py_none();
    if (st || v[1].type != RIDGE_PY_T_STR)
        return st;
    v[0] = unwrapped(v[0], in);
    const ridge_py_node *list = v[0].type == RIDGE_PY_T_FUNCTION ? v[0].u.function->node->a : NULL;
    for (uint32_t i = 0; list && i < list->count; i++) {
        ridge_py found;
        if (!list->items[i]->name || strcmp(list->items[i]->name->text, v[1].u.s->text.p) != 0)
            continue;
        if (!(st = annotation_value(&found, list->items[i]->b, v[0].u.function->module, in)) && found.type != RIDGE_PY_T_UNSET)
            *out = found;
        return st;
    }
    return RIDGE_OK;
}

/* [(name, kind, default)] of a function; kind: "positional", "keyword", "rest", "keywords"; no default: Ellipsis */
static ridge_status parameters(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    static const char *const kinds[] = {"positional", "positional", "keyword", "rest", "keywords"};
    ridge_py v, item, text;
    ridge_status st = ridge_py_bind(&v, 1, call, in);
    if (!st)
        st = ridge_py_new_list(out, RIDGE_PY_T_LIST, 8, in);
    v = st ? v : unwrapped(v, in);
    const ridge_py_node *list = !st && v.type == RIDGE_PY_T_FUNCTION ? v.u.function->node->a : NULL;
    for (uint32_t i = 0; !st && list && i < list->count; i++) {
        const ridge_py_node *p = list->items[i];
        ridge_py fallback = v.u.function->defaults ? v.u.function->defaults[i] : ridge_py_unset();
        if (fallback.type == RIDGE_PY_T_UNSET)
            fallback = (ridge_py){.type = RIDGE_PY_T_ELLIPSIS};
        if ((st = ridge_py_new_list(&item, RIDGE_PY_T_TUPLE, 3, in)) || (st = ridge_py_strz(&text, p->name ? p->name->text : "", in)) ||
            (st = ridge_py_append(item.u.list, text, in)) || (st = ridge_py_strz(&text, p->op < 5 ? kinds[p->op] : "", in)) ||
            (st = ridge_py_append(item.u.list, text, in)) || (st = ridge_py_append(item.u.list, fallback, in)))
            return st;
        st = ridge_py_append(out->u.list, item, in);
    }
    return st;
}

/* a number of the workload with its symbol */
static ridge_status named(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py v[3];
    ridge_status st = ridge_py_bind(v, 3, call, in);
    if (st)
        return st;
    if (v[0].type != RIDGE_PY_T_STR || v[1].type != RIDGE_PY_T_INT || v[2].type != RIDGE_PY_T_INT)
        return ridge_py_raise(in, "TypeError", "a symbol has a name and a number");
    return ridge_py_named_int(out, v[1].u.i, v[0].u.s->text.p, v[2].u.i, in);
}

/* marks a tensor as an input of the model */
static ridge_status as_input(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_bind(out, 1, call, in);
    if (!st && out->type == RIDGE_PY_T_TENSOR) {
        out->u.tensor->storage->kind = RIDGE_STORAGE_INPUT;
        ridge_content_drop(out->u.tensor);
    }
    return st;
}

/* the number alone: its symbols are taken away (a size that the source of the numbers fixed) */
static ridge_status plain(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_bind(out, 1, call, in);
    if (!st)
        out->by.sym = NULL;
    return st;
}

/* numpy's power. One with a fraction is of a table of angles, a million numbers none of which is ever a size: its symbols are taken away.
 */
static ridge_status power(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py v[2];
    ridge_status st = ridge_py_bind(v, 2, call, in);
    if (!st)
        st = ridge_py_binary(out, RIDGE_PY_OP_POW, v[0], v[1], in);
    if (!st && ridge_py_is_number(*out) && v[1].type == RIDGE_PY_T_FLOAT && v[1].u.f != 0.5)
        out->by.sym = NULL;
    return st;
}

/* all of a tensor's elements are this number: a BOOL mask of ones, or a token id */
static ridge_status filled(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py v[2];
    ridge_status st = ridge_py_bind(v, 2, call, in);
    if (st)
        return st;
    *out = v[0];
    if (v[0].type == RIDGE_PY_T_TENSOR && v[1].type == RIDGE_PY_T_NONE)
        ridge_content_drop(v[0].u.tensor);
    else if (v[0].type == RIDGE_PY_T_TENSOR)
        ridge_content_fill(v[0].u.tensor, v[1]);
    return RIDGE_OK;
}

/* all elements of a tensor, in order */
static ridge_status contents(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py v[2];
    ridge_status st = ridge_py_bind(v, 2, call, in);
    if (st)
        return st;
    if (v[0].type != RIDGE_PY_T_TENSOR || v[1].type != RIDGE_PY_T_LIST)
        return ridge_py_raise(in, "TypeError", "a tensor and the list of its elements");
    *out = v[0];
    return ridge_content_set(v[0].u.tensor, v[1].u.list->items, v[1].u.list->count, in);
}

/* ---- modules that a model's base class asks for ---- */

typedef struct wanted {
    ridge_py_interp *in;
    const ridge_symbol *names[2];
    ridge_py_list *list;
} wanted;

static bool has_attribute(const ridge_py_class *class, const ridge_symbol *name)
{
    for (size_t i = 0; name && i < class->order_count; i++)
        if (ridge_py_scope_find(&class->order[i]->attributes, name))
            return true;
    return false;
}

static ridge_status add_wanted(const char *path, ridge_run_module *module, void *state)
{
    wanted *w = state;
    (void)path;
    if (!has_attribute(module->instance->class, w->names[0]) && !has_attribute(module->instance->class, w->names[1]))
        return RIDGE_OK;
    return ridge_py_append(w->list, (ridge_py){.type = RIDGE_PY_T_INSTANCE, .u.instance = module->instance}, w->in);
}

/* the modules below one, itself first, whose class has one of two attributes: few of tens of thousands */
static ridge_status modules_with(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py v[3];
    ridge_status st = ridge_py_bind(v, 3, call, in);
    if (st || (st = ridge_py_new_list(out, RIDGE_PY_T_LIST, 4, in)))
        return st;
    wanted w = {.in = in, .list = out->u.list};
    for (int i = 0; i < 2; i++)
        if (v[1 + i].type == RIDGE_PY_T_STR)
            w.names[i] = ridge_intern(&in->names, v[1 + i].u.s->text);
    ridge_run_module *model = ridge_run_module_of(v[0]);
    return model ? ridge_run_walk(model, add_wanted, &w, in) : ridge_py_raise(in, "TypeError", "no module");
}

static ridge_status exists(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py v;
    ridge_status st = ridge_py_bind(&v, 1, call, in);
    if (!st)
        *out = ridge_py_bool(v.type == RIDGE_PY_T_STR && ridge_package_exists(in->loader.state, v.u.s->text.p));
    return st;
}

/* the module that defines a class, or None */
static ridge_status find_class(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py v[2];
    const char *module = NULL;
    ridge_status st = ridge_py_bind(v, 2, call, in);
    if (!st && v[0].type == RIDGE_PY_T_STR)
        st = ridge_package_find_class(&module, in->loader.state, v[0].u.s->text.p, v[1].type == RIDGE_PY_T_STR ? v[1].u.s->text.p : NULL,
                                      in);
    *out = ridge_py_none();
    return st || !module ? st : ridge_py_strz(out, module, in);
}

/* ---- attributes that have two names ---- */

/* of a config's class: attribute_map says under which name an attribute is kept */
static ridge_status mapped_name(const ridge_symbol **out, const ridge_py_class *class, const ridge_symbol *name, ridge_py_interp *in)
{
    const ridge_symbol *key = ridge_py_symbol(in, "attribute_map");
    *out = NULL;
    if (!key)
        return ridge_no_memory(in->err);
    for (size_t i = 0; i < class->order_count; i++) {
        const ridge_py *map = ridge_py_scope_find(&class->order[i]->attributes, key);
        if (!map || map->type != RIDGE_PY_T_DICT)
            continue;
        ridge_py to = map->u.dict->count > 0 ? ridge_py_dict_getz(map->u.dict, name->text) : ridge_py_unset();
        if (to.type != RIDGE_PY_T_STR)
            return RIDGE_OK;
        *out = ridge_intern(&in->names, to.u.s->text);
        return *out ? RIDGE_OK : ridge_no_memory(in->err);
    }
    return RIDGE_OK;
}

static ridge_status mapped_get(ridge_py *out, ridge_py_instance *self, const ridge_symbol *name, ridge_py_interp *in)
{
    const ridge_symbol *to;
    *out = ridge_py_unset();
    ridge_status st = mapped_name(&to, self->class, name, in);
    if (st || !to || to == name)
        return st;
    return ridge_py_find(out, (ridge_py){.type = RIDGE_PY_T_INSTANCE, .u.instance = self}, to, in);
}

static ridge_status mapped_set(bool *done, ridge_py_instance *self, const ridge_symbol *name, ridge_py value, ridge_py_interp *in)
{
    const ridge_symbol *to;
    ridge_status st = mapped_name(&to, self->class, name, in);
    *done = !st && to && to != name;
    return *done ? ridge_py_set((ridge_py){.type = RIDGE_PY_T_INSTANCE, .u.instance = self}, to, value, in) : st;
}

ridge_status ridge_package_install(ridge_package *package, ridge_py_interp *in)
{
    static const ridge_py_native_entry entries[] = {
        {"unknown", unknown, "kind, what"},
        {"recording", recording, ""},
        {"set_recording", set_recording, "on"},
        {"as_array", as_array, "tensor, array=True, made=False"},
        {"restart", restart, ""},
        {"told", told, ""},
        {"untell", untell, "before"},
        {"version", version, "library"},
        {"import_module", import_module, "name, package=None"},
        {"annotated", annotated, "cls"},
        {"annotated_type", annotated_type, "cls, name"},
        {"parameter_type", parameter_type, "function, name"},
        {"parameters", parameters, "function"},
        {"named", named, "name, value, least=1"},
        {"as_input", as_input, "tensor"},
        {"plain", plain, "number"},
        {"power", power, "a, b"},
        {"filled", filled, "tensor, value"},
        {"contents", contents, "tensor, values"},
        {"modules_with", modules_with, "model, name, other=None"},
        {"exists", exists, "module"},
        {"find_class", find_class, "name, hint=None"},
    };
    ridge_py_module *module;
    ridge_py_class *mapped;
    (void)package;
    ridge_status st = ridge_py_native_module(&module, "_ridge", entries, sizeof entries / sizeof *entries, in);
    if (st || (st = ridge_py_native_class(&mapped, "Mapped", NULL, 0, NULL, 0, in)))
        return st;
    mapped->get = mapped_get;
    mapped->set = mapped_set;
    const ridge_symbol *name = ridge_py_symbol(in, "Mapped");
    return name ? ridge_py_scope_set(&module->globals, name, (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = mapped}, in)
                : ridge_no_memory(in->err);
}

/* ---- places ---- */

static ridge_str lines_of(ridge_str text, uint32_t first, uint32_t last)
{
    const char *at = text.p, *end = text.p + text.n, *from = NULL;
    for (uint32_t line = 1; at < end && line <= last; line++) {
        if (line == first)
            from = at;
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    return from ? (ridge_str){from, (size_t)(at - from)} : (ridge_str){text.p, 0};
}

/* a path from the folder on in which the package lies */
static const char *shown_path(const char *path, const ridge_package *package)
{
    for (size_t i = 0; i < package->root_count; i++) {
        size_t n = strlen(package->roots[i].folder);
        if (strncmp(path, package->roots[i].folder, n) == 0 && path[n] == '/')
            return path + n + 1;
    }
    size_t n = package->local ? strlen(package->local) : 0;
    return n > 0 && strncmp(path, package->local, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

bool ridge_package_place_of(ridge_package_place *out, const ridge_py_class *class, const ridge_package *package)
{
    if (!class->node || !class->module || !class->module->path)
        return false;
    const ridge_py_module *m = class->module;
    *out = (ridge_package_place){.file = m->path, .shown = m->path, .first = class->node->line, .last = class->node->last_line};
    out->stand_in = ridge_embedded_module_find(m->name) != NULL;
    if (!out->stand_in)
        out->shown = shown_path(m->path, package);
    ridge_sha256(out->file_sha256, m->text);
    ridge_sha256(out->lines_sha256, lines_of(m->text, out->first, out->last));
    return true;
}
