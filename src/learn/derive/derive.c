/* Builds a model from its source and runs it on symbols; see derive.h. */
#include "learn/derive/derive.h"

#include "learn/derive/given.h"

#include "base/file.h"
#include "base/option.h"
#include "input/model.h"
#include "learn/python/machine.h"
#include "learn/torch/content.h"

/* ---- what is asked ---- */

static bool is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* LlamaModel, xLSTMModel; an id of a model has a dash or begins small */
static bool class_like(const char *what)
{
    const char *last = strrchr(what, '.');
    last = last ? last + 1 : what;
    if (strchr(what, '/') || ridge_str_ends(ridge_str_of(what), RIDGE_STR(".json")))
        return false;
    return is_capital(last[0]) || (last[0] && is_capital(last[1]) && !strchr(last, '-'));
}

static const char *architecture(const ridge_json *json, ridge_arena *arena)
{
    const ridge_json *list = ridge_json_get(json, "architectures");
    if (list && list->type == RIDGE_JSON_ARRAY && list->count > 0 && list->u.items[0].type == RIDGE_JSON_STRING)
        return ridge_arena_strdup(arena, list->u.items[0].u.text);
    return ridge_json_text(json, "_class_name", arena);
}

static const char *folder_of(const char *path, ridge_arena *arena)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? ridge_arena_strdup(arena, (ridge_str){path, (size_t)(slash - path)}) : NULL;
}

/* the config of `what`, and the class that is wanted of it (NULL: the model type says) */
static ridge_status read_request(ridge_derivation *d, const char **class, const char **folder, const ridge_derive_request *r)
{
    ridge_model_file file;
    *class = r->class;
    *folder = NULL;
    d->json = r->config;
    bool is_class = class_like(r->what) && !ridge_file_exists(r->what);
    if (is_class && !*class)
        *class = r->what;
    if (!is_class) {
        ridge_status st = ridge_model_read(&file, r->what, d->arena, d->err);
        if (st)
            return st;
        if (!d->json)
            d->json = file.json;
        *folder = folder_of(file.path, d->arena);
    }
    d->model_type = d->json ? ridge_json_text(d->json, "model_type", d->arena) : NULL;
    if (!*class && d->json)
        *class = architecture(d->json, d->arena);
    return RIDGE_OK;
}

/* ---- the class ---- */

static ridge_status call_model(ridge_py *out, ridge_derivation *d, const char *function, const ridge_py *args, size_t count)
{
    ridge_py module;
    ridge_status st = ridge_py_import(&module, "_ridge_model", &d->in);
    return st ? st : ridge_py_call_method(out, module, function, args, count, &d->in);
}

static ridge_status class_of_type(const char **class, ridge_derivation *d)
{
    ridge_py name, found;
    ridge_status st = ridge_py_strz(&name, d->model_type, &d->in);
    if (!st)
        st = call_model(&found, d, "class_of_type", &name, 1);
    if (!st && found.type == RIDGE_PY_T_STR)
        *class = found.u.s->text.p;
    return st;
}

static ridge_status split(const char **module, const char **name, ridge_derivation *d, const char *class)
{
    const char *dot = strrchr(class, '.');
    if (dot) {
        *module = ridge_arena_strdup(d->arena, (ridge_str){class, (size_t)(dot - class)});
        *name = dot + 1;
        return *module ? RIDGE_OK : ridge_no_memory(d->err);
    }
    *name = class;
    ridge_status st = ridge_package_find_class(module, &d->package, class, d->model_type, &d->in);
    if (st || *module)
        return st;
    st = ridge_fail(d->err, RIDGE_UNKNOWN, "no source defines class %s: " RIDGE_OPT("source") " names the folder of its package", class);
    if (d->package.unread > 0 && d->package.unread_why)
        ridge_err_append(d->err, "; %zu file%s could not be read (%s)", d->package.unread, RIDGE_PLURAL(d->package.unread),
                         d->package.unread_why);
    return st;
}

static ridge_status find_class(ridge_derivation *d, const char *class)
{
    const char *module, *name;
    ridge_py m, v;
    ridge_status st = RIDGE_OK;
    if (!class && d->model_type)
        st = class_of_type(&class, d);
    if (!st && !class)
        return ridge_fail(d->err, RIDGE_UNKNOWN, "the config names no architecture: " RIDGE_OPT("class") " does");
    if (st || (st = split(&module, &name, d, class)) || (st = ridge_py_import(&m, module, &d->in)) ||
        (st = ridge_py_getz(&v, m, name, &d->in)))
        return st;
    if (v.type != RIDGE_PY_T_CLASS)
        return ridge_fail(d->err, RIDGE_TYPE, "%s.%s is a %s, not a class", module, name, ridge_py_type_text(v));
    d->class = v.u.class;
    const char *home = v.u.class->module ? v.u.class->module->name : module;
    d->class_path = ridge_arena_printf(d->arena, "%s.%s", home, v.u.class->name->text);
    d->library = ridge_arena_strdup(d->arena, (ridge_str){home, strcspn(home, ".")});
    return d->class_path && d->library ? ridge_package_version(&d->version, &d->package, d->library, &d->in) : ridge_no_memory(d->err);
}

/* ---- the model ---- */

static ridge_status make_config(ridge_derivation *d)
{
    ridge_py args[2] = {{.type = RIDGE_PY_T_CLASS, .u.class = d->class}, ridge_py_none()}, class;
    ridge_status st = d->model_type ? ridge_py_strz(&args[1], d->model_type, &d->in) : RIDGE_OK;
    if (!st)
        st = call_model(&class, d, "config_class", args, 2);
    return st ? st : ridge_learn_config_make(&d->config, class, d->json, &d->in);
}

/* What a checkpoint brings is not known: a buffer of fractions that is in the state dict may hold anything after loading. */
static ridge_status forget_loaded(const char *path, ridge_run_module *module, void *state)
{
    (void)path;
    (void)state;
    for (size_t i = 0; i < module->buffer_count; i++) {
        ridge_tensor *t = module->buffers[i].tensor;
        if (t && module->buffers[i].persistent && t->dtype >= RIDGE_DTYPE_F16 && t->dtype <= RIDGE_DTYPE_F64)
            ridge_content_drop(t);
    }
    return RIDGE_OK;
}

static ridge_status build(ridge_derivation *d, bool sdpa)
{
    ridge_py args[4] = {{.type = RIDGE_PY_T_CLASS, .u.class = d->class}, d->config.instance, ridge_py_none(), ridge_py_none()};
    ridge_status st = ridge_py_strz(&args[2], sdpa ? "sdpa" : "eager", &d->in);
    if (!st && d->dtype)
        st = ridge_py_strz(&args[3], d->dtype, &d->in);
    if (!st)
        st = call_model(&d->model, d, "build", args, 4);
    if (st)
        return st;
    d->root = ridge_run_module_of(d->model);
    if (!d->root)
        return ridge_fail(d->err, RIDGE_TYPE, "%s is no torch.nn.Module", d->class_path);
    return ridge_run_walk(d->root, forget_loaded, NULL, &d->in);
}

/* an exception of the model's code as an error of the derivation */
static ridge_status explain(ridge_derivation *d, ridge_status st, const char *doing)
{
    if (st != RIDGE_PY_RAISED || d->in.raised.type == RIDGE_PY_T_UNSET)
        return st;
    const char *text = ridge_derive_raised(d);
    ridge_err_clear(d->err);
    return ridge_fail(d->err, RIDGE_VALUE, "%s: %s", doing, text ? text : "an exception");
}

const char *ridge_derive_raised(ridge_derivation *d)
{
    ridge_py text;
    ridge_py raised = d->in.raised;
    const char *class = ridge_py_type_text(raised);
    d->in.raised = ridge_py_unset();
    if (raised.type == RIDGE_PY_T_UNSET || ridge_py_to_str(&text, raised, false, &d->in) || text.type != RIDGE_PY_T_STR)
        return class;
    const struct ridge_py_machine *machine = d->in.machine;
    if (!machine->raised_file)
        return ridge_arena_printf(d->arena, "%s: %.*s", class, RIDGE_STR_ARG(text.u.s->text));
    if (machine->asked_file)
        return ridge_arena_printf(d->arena, "%s:%u: %s: %.*s (%s:%u)", machine->asked_file, machine->asked_line, class,
                                  RIDGE_STR_ARG(text.u.s->text), machine->raised_file, machine->raised_line);
    return ridge_arena_printf(d->arena, "%s:%u: %s: %.*s", machine->raised_file, machine->raised_line, class,
                              RIDGE_STR_ARG(text.u.s->text));
}

ridge_status ridge_derive_open(ridge_derivation *d, const ridge_derive_request *request, ridge_arena *arena, ridge_err *err)
{
    const char *class, *folder;
    *d = (ridge_derivation){.arena = arena, .err = err, .dtype = request->dtype, .inputs = request->inputs};
    ridge_status st = read_request(d, &class, &folder, request);
    if (!st)
        st = ridge_package_open(&d->package, request->source, folder, class, arena, err);
    if (!st)
        st = ridge_py_init(&d->in, ridge_package_loader(&d->package), arena, err);
    d->in.answers = request->answers;
    if (!st && request->operators)
        st = ridge_operators_read(request->operators, &d->in);
    if (st || (st = ridge_torch_install(&d->in)) || (st = ridge_package_install(&d->package, &d->in)))
        return st;
    if ((st = find_class(d, class)))
        return explain(d, st, "reading the class");
    if ((st = make_config(d)))
        return explain(d, st, "making the config");
    return (st = build(d, request->sdpa)) ? explain(d, st, "building the model") : RIDGE_OK;
}

/* ---- a run ---- */

static ridge_status set(ridge_py *dict, const char *key, int64_t value, ridge_py_interp *in)
{
    return value == RIDGE_UNSET ? RIDGE_OK : ridge_py_dict_setz(dict->u.dict, key, ridge_py_int(value), in);
}

static ridge_status workload_dict(ridge_py *out, const ridge_derive_workload *w, const ridge_json *inputs, ridge_py_interp *in)
{
    ridge_py phase, given;
    ridge_status st = ridge_py_new_dict(out, RIDGE_PY_T_DICT, in);
    if (st || (st = ridge_py_strz(&phase, w->phase == RIDGE_DERIVE_DECODE ? "decode" : "prefill", in)) ||
        (st = ridge_py_dict_setz(out->u.dict, "phase", phase, in)))
        return st;
    const struct {
        const char *key;
        int64_t value;
    } items[] = {{"batch", w->batch},
                 {"seq", w->seq},
                 {"past", w->past},
                 {"decoder_seq", w->decoder_seq},
                 {"encoder_len", w->encoder_len},
                 {"image_height", w->image_height},
                 {"image_width", w->image_width},
                 {"images", w->images},
                 {"video_frames", w->video_frames},
                 {"frames", w->frames},
                 {"samples", w->samples}};
    for (size_t i = 0; !st && i < sizeof items / sizeof *items; i++)
        st = set(out, items[i].key, items[i].value, in);
    if (st || !inputs || (st = ridge_given_value(&given, inputs, in)))
        return st;
    return ridge_py_dict_setz(out->u.dict, "inputs", given, in);
}

static int64_t number_of(ridge_py dict, const char *key)
{
    ridge_py v = dict.type == RIDGE_PY_T_DICT ? ridge_py_dict_getz(dict.u.dict, key) : ridge_py_unset();
    return v.type == RIDGE_PY_T_INT ? v.u.i : RIDGE_UNSET;
}

/* the workload as `run` of _ridge_model filled it in */
static void read_workload(ridge_derive_workload *w, ridge_py used)
{
    w->batch = number_of(used, "batch");
    w->seq = number_of(used, "seq");
    w->past = number_of(used, "past");
    w->decoder_seq = number_of(used, "decoder_seq");
    w->encoder_len = number_of(used, "encoder_len");
    w->image_height = number_of(used, "image_height");
    w->image_width = number_of(used, "image_width");
    w->images = number_of(used, "images");
    w->video_frames = number_of(used, "video_frames");
    w->frames = number_of(used, "frames");
    w->samples = number_of(used, "samples");
}

/* the trace starts anew */
static ridge_status fresh_root(ridge_derivation *d)
{
    ridge_trace *run = ridge_run_of(&d->in);
    run->root = ridge_arena_alloc(d->in.arena, sizeof *run->root);
    run->current = run->root;
    run->recording = false;
    return run->root ? RIDGE_OK : ridge_no_memory(d->err);
}

ridge_status ridge_derive_run_once(ridge_derive_run *out, ridge_derivation *d, const ridge_derive_workload *workload)
{
    ridge_trace *run = ridge_run_of(&d->in);
    ridge_py args[2] = {d->model}, used;
    *out = (ridge_derive_run){.workload = *workload, .first_hole = d->in.hole_count, .first_condition = d->in.condition_count};
    ridge_status st = fresh_root(d);
    if (!st)
        st = workload_dict(&args[1], workload, d->inputs, &d->in);
    used = args[1];
    if (!st)
        st = call_model(&out->result, d, "run", args, 2);
    run->recording = false;
    out->root = run->root;
    out->last_hole = d->in.hole_count;
    out->last_condition = d->in.condition_count;
    if (used.type == RIDGE_PY_T_DICT) {
        read_workload(&out->workload, used);
        out->cache = ridge_py_dict_getz(used.u.dict, "cache");
        out->decodes = number_of(used, "decodes") == 1;
    }
    if (st == RIDGE_PY_RAISED && d->in.raised.type != RIDGE_PY_T_UNSET) {
        out->failed = ridge_derive_raised(d);
        ridge_err_clear(d->err);
        return RIDGE_OK;
    }
    return st;
}
