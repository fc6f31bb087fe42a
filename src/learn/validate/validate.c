/* Asks the user's PyTorch for cases and holds ours against each. */
#include "learn/validate/validate.h"

#include <stdio.h>
#include <time.h>

#include "base/file.h"
#include "catalog/entry.h"
#include "base/process.h"
#include "input/model.h"
#include "learn/derive/given.h"
#include "learn/package/embedded.h"

enum { SECONDS = 600 };
static const char script_name[] = "_ridge_validate";

typedef struct validation {
    ridge_validate_answer *out;
    const ridge_validate_request *request;
    ridge_registry *registry;
    const ridge_json *config, *arguments, *inputs; /* NULL: none */
    const char *module, *class;                    /* module NULL: of a library */
    bool by_source;
    ridge_arena *arena;
    ridge_err *err;
} validation;

/* ---- the question ---- */

static const char *folder_of(const validation *v, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? ridge_arena_strdup(v->arena, (ridge_str){path, slash == path ? 1 : (size_t)(slash - path)}) : ".";
}

/* where Python may find the source: the folder itself, what it lies in, and its src/ */
static void write_path(ridge_json_writer *w, const validation *v)
{
    const char *source = v->request->source;
    ridge_jw_key(w, "path");
    ridge_jw_array_compact(w);
    if (source && ridge_file_is_folder(source)) {
        ridge_jw_strz(w, source);
        ridge_jw_strz(w, ridge_arena_printf(v->arena, "%s/src", source));
    }
    if (source)
        ridge_jw_strz(w, folder_of(v, source));
    ridge_jw_end_array(w);
}

static void write_raw(ridge_json_writer *w, const char *key, const ridge_json *value)
{
    ridge_jw_key(w, key);
    if (value)
        ridge_jw_raw(w, (ridge_str){value->begin, (size_t)(value->end - value->begin)});
    else
        ridge_jw_null(w);
}

static void write_question(ridge_buf *buf, const validation *v)
{
    ridge_json_writer w;
    ridge_jw_init(&w, buf);
    ridge_jw_object(&w);
    write_path(&w, v);
    ridge_jw_member_text(&w, "module", v->module);
    ridge_jw_member_text(&w, "name", v->class);
    write_raw(&w, "config", v->config);
    write_raw(&w, "arguments", v->config ? NULL : v->arguments);
    write_raw(&w, "inputs", v->inputs);
    ridge_jw_member_whole(&w, "cases", v->request->cases);
    ridge_jw_member_whole(&w, "tries", 10 * v->request->cases);
    ridge_jw_member_whole(&w, "seed", v->request->seed);
    ridge_jw_end_object(&w);
}

/* ---- an answer ---- */

static ridge_int whole(const ridge_json *value)
{
    ridge_int n;
    return value && value->type == RIDGE_JSON_NUMBER && ridge_int_parse(&n, value->u.text) ? n : -1;
}

/* the elements of one module's own tensors: {"weight": [4, 3]} */
static ridge_int elements(const ridge_json *tensors)
{
    ridge_int sum = 0;
    for (uint32_t i = 0; tensors && tensors->type == RIDGE_JSON_OBJECT && i < tensors->count; i++) {
        const ridge_json *shape = &tensors->u.members[i].value;
        ridge_int n = 1;
        for (uint32_t k = 0; shape->type == RIDGE_JSON_ARRAY && k < shape->count; k++)
            if (!ridge_int_mul(&n, n, whole(&shape->u.items[k])))
                return -1;
        if (!ridge_int_add(&sum, sum, n))
            return -1;
    }
    return sum;
}

/* [path, class, {tensor: shape}] */
static ridge_status read_module(ridge_validate_module *out, const ridge_json *of, const ridge_json *flops, const validation *v)
{
    if (of->type != RIDGE_JSON_ARRAY || of->count != 3 || of->u.items[0].type != RIDGE_JSON_STRING ||
        of->u.items[1].type != RIDGE_JSON_STRING)
        return ridge_fail(v->err, RIDGE_TYPE, "%s answered with something that is no module", v->request->python);
    *out = (ridge_validate_module){ridge_arena_strdup(v->arena, of->u.items[0].u.text), ridge_arena_strdup(v->arena, of->u.items[1].u.text),
                                   elements(&of->u.items[2]), whole(ridge_json_get_str(flops, of->u.items[0].u.text))};
    return out->path && out->class_path ? RIDGE_OK : ridge_no_memory(v->err);
}

static ridge_status read_side(ridge_validate_side *out, const ridge_json *of, const validation *v)
{
    const ridge_json *modules = ridge_json_get(of, "modules"), *flops = ridge_json_get(of, "flops");
    if (!modules || modules->type != RIDGE_JSON_ARRAY)
        return ridge_fail(v->err, RIDGE_TYPE, "%s answered without modules", v->request->python);
    *out = (ridge_validate_side){ridge_arena_array(v->arena, modules->count + 1, sizeof *out->modules), modules->count};
    ridge_status st = out->modules ? RIDGE_OK : ridge_no_memory(v->err);
    for (uint32_t i = 0; i < modules->count && !st; i++)
        st = read_module(&out->modules[i], &modules->u.items[i], flops, v);
    return st;
}

static const char *raw(const ridge_json *value, ridge_arena *arena)
{
    return value ? ridge_arena_strdup(arena, (ridge_str){value->begin, (size_t)(value->end - value->begin)}) : NULL;
}

/* Ours, and what differs. That we cannot say anything is a difference, too. */
static ridge_status hold_against(ridge_validate_case *out, const ridge_json *of, validation *v)
{
    ridge_validate_side ours = {0}, theirs;
    ridge_err why = {0};
    ridge_status st = read_side(&theirs, of, v);
    if (st)
        return st;
    if (!v->module && theirs.count > 0) /* PyTorch tells where the class is */
        v->out->class_path = theirs.modules[0].class_path;
    st = v->by_source ? ridge_validate_from_source(&ours, v->request, of, v->inputs, v->arena, &why)
                      : ridge_validate_from_catalog(&ours, v->registry, v->request, of, v->arena, &why);
    if (st == RIDGE_NOMEM)
        return ridge_no_memory(v->err);
    if (st) {
        out->failed = ridge_arena_strdup(v->arena, ridge_str_of(why.msg));
        return out->failed ? RIDGE_OK : ridge_no_memory(v->err);
    }
    return ridge_validate_compare(out, &ours, &theirs, v->arena, v->err);
}

static ridge_status add_case(validation *v, const ridge_json *of)
{
    ridge_validate_answer *a = v->out;
    if (!ridge_arena_more(v->arena, &a->cases, a->count, &a->cap, sizeof *a->cases))
        return ridge_no_memory(v->err);
    ridge_validate_case *out = &a->cases[a->count++];
    const ridge_json *config = ridge_json_get(of, "config");
    *out = (ridge_validate_case){.config = raw(config ? config : ridge_json_get(of, "arguments"), v->arena),
                                 .workload = raw(ridge_json_get(of, "workload"), v->arena),
                                 .modules = -1,
                                 .parameters = whole(ridge_json_get(of, "parameters")),
                                 .flops = whole(ridge_json_get(of, "total"))};
    if (ridge_json_get(of, "skipped")) {
        a->skipped++;
        out->skipped = ridge_json_text(of, "skipped", v->arena);
        return out->skipped ? RIDGE_OK : ridge_no_memory(v->err);
    }
    a->ran++;
    const ridge_json *modules = ridge_json_get(of, "modules");
    out->modules = modules ? (ridge_int)modules->count : -1;
    ridge_status st = hold_against(out, of, v);
    a->validated = a->validated && !st && !out->failed && out->differing == 0;
    return st;
}

/* {"torch": "2.6.0", "library": "transformers", "version": "4.57.0", "python": "3.11.2"} */
static ridge_status read_versions(validation *v, const ridge_json *of)
{
    const char *torch = ridge_json_text(of, "torch", v->arena), *library = ridge_json_text(of, "library", v->arena);
    const char *version = ridge_json_text(of, "version", v->arena), *python = ridge_json_text(of, "python", v->arena);
    ridge_buf buf = {0};
    ridge_buf_addf(&buf, "torch %s", torch ? torch : "?");
    if (version && library)
        ridge_buf_addf(&buf, ", %s %s", library, version);
    ridge_buf_addf(&buf, ", Python %s", python ? python : "?");
    v->out->validator = ridge_arena_take(v->arena, &buf);
    return v->out->validator ? RIDGE_OK : ridge_no_memory(v->err);
}

static ridge_status read_answers(validation *v, ridge_str answers)
{
    ridge_status st = RIDGE_OK;
    for (size_t line = 0; answers.n > 0 && !st; line++) {
        const char *end = memchr(answers.p, '\n', answers.n);
        const size_t n = end ? (size_t)(end - answers.p) : answers.n;
        ridge_json *json;
        st = ridge_json_parse(&json, (ridge_str){answers.p, n}, v->request->python, (ridge_json_options){0}, v->arena, v->err);
        if (!st)
            st = line == 0 ? read_versions(v, json) : add_case(v, json);
        answers.p += end ? n + 1 : n;
        answers.n -= end ? n + 1 : n;
    }
    return st;
}

/* ---- what is asked ---- */

static bool is_class(const char *what)
{
    return !ridge_file_exists(what) && !ridge_file_is_folder(what) && !strchr(what, '/');
}

/* "net.Net" is Net of module net; "LlamaForCausalLM" is some library's */
static ridge_status split_class(validation *v, const char *path)
{
    const char *dot = strrchr(path, '.');
    v->class = dot ? dot + 1 : path;
    v->module = dot ? ridge_arena_strdup(v->arena, (ridge_str){path, (size_t)(dot - path)}) : NULL;
    return !dot || v->module ? RIDGE_OK : ridge_no_memory(v->err);
}

static ridge_status read_config(validation *v)
{
    ridge_model_file file;
    ridge_status st = ridge_model_read(&file, v->request->what, v->arena, v->err);
    if (st)
        return st;
    v->config = file.json;
    const ridge_json *architectures = ridge_json_get(file.json, "architectures");
    const char *class = v->request->class_name ? v->request->class_name : ridge_json_text(file.json, "_class_name", v->arena);
    if (!class && architectures && architectures->type == RIDGE_JSON_ARRAY && architectures->count > 0 &&
        architectures->u.items[0].type == RIDGE_JSON_STRING)
        class = ridge_arena_strdup(v->arena, architectures->u.items[0].u.text);
    return class ? split_class(v, class)
                 : ridge_fail(v->err, RIDGE_UNKNOWN, "%s names no class: " RIDGE_OPT("class") " does", v->request->what);
}

static ridge_status read_request(validation *v)
{
    const ridge_validate_request *r = v->request;
    ridge_status st = is_class(r->what) ? split_class(v, r->what) : read_config(v);
    if (!st && r->arguments)
        st = ridge_given_arguments(&v->arguments, r->arguments, v->arena, v->err);
    if (!st && r->inputs)
        st = ridge_given_inputs(&v->inputs, r->inputs, v->arena, v->err);
    if (!st && v->config && (r->arguments || r->inputs))
        return ridge_fail(v->err, RIDGE_USAGE,
                          "a model has its config: " RIDGE_OPT("arguments") " and " RIDGE_OPT("inputs") " are for a class");
    if (!st && !v->config && !r->inputs)
        return ridge_fail(v->err, RIDGE_USAGE, "what does %s take? " RIDGE_OPT("inputs") " says it: 'pixels=B,3,32,32'", r->what);
    v->by_source = r->derived || !v->config;
    return st;
}

/* an empty {} where a class takes no arguments */
static ridge_status some_arguments(validation *v)
{
    return v->config || v->arguments ? RIDGE_OK : ridge_given_arguments(&v->arguments, "", v->arena, v->err);
}

static ridge_status today(validation *v)
{
    char text[32];
    struct tm tm;
    const time_t now = time(NULL);
    if (!gmtime_r(&now, &tm) || strftime(text, sizeof text, "%Y-%m-%d", &tm) == 0)
        return ridge_fail(v->err, RIDGE_IO, "this machine does not tell the date");
    v->out->date = ridge_arena_strdup(v->arena, ridge_str_of(text));
    return v->out->date ? RIDGE_OK : ridge_no_memory(v->err);
}

static ridge_status ask_python(validation *v)
{
    const ridge_embedded_module *script = ridge_embedded_module_find(script_name);
    char *text = script ? ridge_arena_strdup(v->arena, (ridge_str){script->text, script->length}) : NULL;
    char *python = ridge_arena_strdup(v->arena, ridge_str_of(v->request->python)), option[] = "-c";
    ridge_buf question = {0};
    ridge_str answers;
    write_question(&question, v);
    ridge_status st = text && python && !question.failed ? RIDGE_OK : ridge_no_memory(v->err);
    if (!st)
        st = ridge_process_run(&answers, (char *[]){python, option, text, NULL}, (ridge_str){question.p, question.n}, SECONDS, v->arena,
                               v->err);
    ridge_buf_free(&question);
    return st ? st : read_answers(v, answers);
}

ridge_status ridge_validate_make(ridge_validate_answer *out, ridge_registry *registry, const ridge_validate_request *request,
                                 ridge_arena *arena, ridge_err *err)
{
    validation v = {.out = out, .request = request, .registry = registry, .arena = arena, .err = err};
    *out = (ridge_validate_answer){.validated = true};
    ridge_status st = read_request(&v);
    if (st || (st = some_arguments(&v)) || (st = today(&v)) || (st = ask_python(&v)))
        return st;
    if (out->ran == 0)
        return ridge_fail(err, RIDGE_VALUE, "%s ran none of %zu cases of %s: %s", request->python, out->count, v.class,
                          out->count > 0 ? out->cases[0].skipped : "it made none");
    if (!out->class_path)
        out->class_path = v.module ? ridge_arena_printf(arena, "%s.%s", v.module, v.class) : v.class;
    out->by = v.by_source ? "the source" : "the catalog";
    out->status = ridge_validation_names[out->validated ? RIDGE_VALIDATION_VALIDATED : RIDGE_VALIDATION_FAILED];
    return out->class_path ? RIDGE_OK : ridge_no_memory(err);
}
