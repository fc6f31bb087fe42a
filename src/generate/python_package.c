/* The package in Python: the files that do not depend on the catalog, a file for each entry, and the index of all of them. */
#include "base/format.h"
#include "generate/code.h"
#include "generate/embedded.h"
#include "generate/write.h"

/* ---- shared with C ---- */

ridge_status ridge_code_files_add(ridge_code_files *files, const char *path, ridge_buf *text, ridge_err *err)
{
    const size_t n = text->n;
    const char *content = ridge_arena_take(files->arena, text);
    if (!path || !content || !ridge_arena_more(files->arena, &files->p, files->n, &files->cap, sizeof *files->p))
        return ridge_no_memory(err);
    files->p[files->n++] = (ridge_file_text){path, {content, n}};
    return RIDGE_OK;
}

void ridge_code_end(ridge_buf *out, unsigned indent, ridge_buf *statement)
{
    ridge_code_statement(out, indent, (ridge_str){statement->p ? statement->p : "", statement->n});
    out->failed |= statement->failed;
    ridge_buf_free(statement);
}

void ridge_code_line(ridge_buf *out, unsigned indent, const char *head, ridge_buf *value, const char *tail)
{
    ridge_buf line = {0};
    const bool is_long = indent + strlen(head) + value->n + strlen(tail) > RIDGE_CODE_WIDTH;
    ridge_buf_addf(&line, "%s%s", head, is_long ? "(" RIDGE_CODE_OPEN : "");
    ridge_buf_add(&line, (ridge_str){value->p ? value->p : "", value->n});
    ridge_buf_addf(&line, "%s%s", is_long ? RIDGE_CODE_CLOSE ")" : "", tail);
    line.failed |= value->failed;
    ridge_buf_free(value);
    ridge_code_end(out, indent, &line);
}

ridge_str ridge_code_thinking(const ridge_generated *g)
{
    const ridge_json *thinking = ridge_json_get(g->source->json, "thinking");
    return thinking && thinking->type == RIDGE_JSON_STRING ? thinking->u.text : (ridge_str){"", 0};
}

static void add_member(ridge_buf *out, const ridge_json *object, const char *name, const char *format)
{
    const ridge_json *v = ridge_json_get(object, name);
    if (v && (v->type == RIDGE_JSON_STRING || v->type == RIDGE_JSON_NUMBER) && v->u.text.n < 400)
        ridge_buf_addf(out, format, RIDGE_STR_ARG(v->u.text));
}

const char *ridge_code_source(const ridge_generated *g, ridge_arena *arena)
{
    const ridge_json *place = ridge_json_get(g->source->json, "code_location");
    ridge_buf text = {0};
    if (place && place->type == RIDGE_JSON_OBJECT) {
        add_member(&text, place, "file", "Source: %.*s");
        add_member(&text, place, "line_start", ", lines %.*s");
        add_member(&text, place, "line_end", " to %.*s");
        ridge_buf_addz(&text, text.n > 0 ? ". " : "");
    }
    ridge_buf_addf(&text, "Template: %s, line %u.", g->source->file, g->source->line);
    return ridge_arena_take(arena, &text);
}

/* ---- the index ---- */

static void index_line(ridge_buf *out, const ridge_generated *g)
{
    ridge_buf_addz(out, "    ");
    ridge_code_python_text(out, ridge_str_of(g->path));
    ridge_buf_addf(out, ": \"%s.%s:%s\",\n", g->library, g->stem, g->class_name);
}

static void index_of(ridge_buf *out, const ridge_generated_list *list, const char *name, bool configs)
{
    ridge_buf_addf(out, "\n%s = {\n", name);
    for (size_t i = 0; i < list->n; i++)
        if (list->p[i].chosen && (list->p[i].entry->kind == RIDGE_KIND_CONFIG) == configs)
            index_line(out, &list->p[i]);
    ridge_buf_addz(out, "}\n");
}

static bool is_config(const ridge_generated *g)
{
    return g->chosen && g->entry->kind == RIDGE_KIND_CONFIG;
}

static void add_path(ridge_buf *line, const ridge_generated *g)
{
    ridge_code_python_text(line, ridge_str_of(g->path));
    ridge_buf_addz(line, "," RIDGE_CODE_BREAK);
}

/* model type -> its configs, the one that counts where nothing else is said first */
static void model_types(ridge_buf *out, const ridge_code_request *request)
{
    const ridge_generated_list *list = request->list;
    ridge_buf_addz(out, "\nMODEL_TYPES = {\n");
    for (size_t i = 0; i < list->n; i++) {
        ridge_buf line = {0};
        const ridge_str type = is_config(&list->p[i]) ? list->p[i].entry->config->model_type : RIDGE_STR("");
        if (!is_config(&list->p[i]) || ridge_registry_config(request->registry, type, RIDGE_STR("")) != list->p[i].source)
            continue;
        ridge_code_python_text(&line, type);
        ridge_buf_addz(&line, ": (" RIDGE_CODE_OPEN);
        add_path(&line, &list->p[i]);
        for (size_t k = 0; k < list->n; k++)
            if (k != i && is_config(&list->p[k]) && ridge_str_eq(list->p[k].entry->config->model_type, type))
                add_path(&line, &list->p[k]);
        ridge_buf_addz(&line, RIDGE_CODE_CLOSE "),");
        ridge_code_end(out, 4, &line);
    }
    ridge_buf_addz(out, "}\n");
}

static ridge_status index_file(ridge_code_files *files, const ridge_code_request *request)
{
    ridge_buf out = {0};
    ridge_buf_addz(&out, "\"\"\"Where the modules are: path -> file and class.\"\"\"\n");
    index_of(&out, request->list, "MODULES", false);
    index_of(&out, request->list, "CONFIGS", true);
    model_types(&out, request);
    ridge_buf_addz(&out, "\n# in the catalog, and no modules\nOTHERS = {\n");
    for (size_t i = 0; i < request->list->n && request->whole; i++) {
        const ridge_generated *g = &request->list->p[i];
        if (g->chosen && g->entry->kind != RIDGE_KIND_CONFIG)
            continue;
        ridge_buf_addz(&out, "    ");
        ridge_code_python_text(&out, ridge_str_of(g->path));
        ridge_buf_addf(&out, ": \"%s\",\n",
                       g->entry && g->entry->kind == RIDGE_KIND_CONFIG     ? "a config, not a formula"
                       : g->entry && g->entry->kind == RIDGE_KIND_OPERATOR ? "an operator, not a formula"
                                                                           : "not among what code is made of");
    }
    ridge_buf_addz(&out, "}\n");
    return ridge_code_files_add(files, "index.py", &out, request->err);
}

static ridge_status formats_file(ridge_code_files *files, const ridge_code_request *request)
{
    ridge_buf out = {0}, line = {0};
    size_t count;
    const ridge_format *formats = ridge_format_table(&count);
    bool first = true;
    ridge_buf_addz(&out, "\"\"\"The number formats that a workload can have.\"\"\"\n\n");
    ridge_buf_addz(&line, "FORMATS = (" RIDGE_CODE_OPEN);
    for (size_t i = 0; i < count; i++) {
        if (formats[i].integer)
            continue;
        ridge_buf_addz(&line, first ? "" : "," RIDGE_CODE_BREAK);
        ridge_code_python_text(&line, ridge_str_of(formats[i].name));
        first = false;
    }
    ridge_buf_addz(&line, RIDGE_CODE_CLOSE ")");
    ridge_code_end(&out, 0, &line);
    return ridge_code_files_add(files, "formats.py", &out, request->err);
}

/* ---- the files ---- */

static ridge_status runtime_files(ridge_code_files *files, const ridge_code_request *request)
{
    ridge_status st = RIDGE_OK;
    for (unsigned i = 0; i < ridge_embedded_generated_count && !st; i++) {
        const ridge_embedded_generated_file *f = &ridge_embedded_generated[i];
        ridge_buf text = {0};
        if (!ridge_str_starts(ridge_str_of(f->file), RIDGE_STR("src/generate/runtime/python/")))
            continue;
        ridge_buf_add(&text, (ridge_str){f->text, f->length});
        st = ridge_code_files_add(files, strrchr(f->file, '/') + 1, &text, request->err);
    }
    return st;
}

/* a folder is a package by its __init__.py */
static ridge_status library_files(ridge_code_files *files, const ridge_code_request *request)
{
    ridge_words done = {0};
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < request->list->n && !st; i++) {
        const ridge_generated *g = &request->list->p[i];
        if (!g->chosen || ridge_words_find(&done, g->library))
            continue;
        ridge_buf text = {0};
        ridge_buf_addf(&text, "\"\"\"Modules of %s, a file each; registry.py finds them.\"\"\"\n", g->library);
        if (!(st = ridge_words_add(&done, g->library, request->arena, request->err)))
            st = ridge_code_files_add(files, ridge_arena_printf(request->arena, "%s/__init__.py", g->library), &text, request->err);
        ridge_buf_free(&text);
    }
    return st;
}

ridge_status ridge_code_python(ridge_code_files *files, const ridge_code_request *request)
{
    ridge_status st;
    if ((st = runtime_files(files, request)) || (st = index_file(files, request)) || (st = formats_file(files, request)) ||
        (st = library_files(files, request)))
        return st;
    for (size_t i = 0; i < request->list->n && !st; i++) {
        const ridge_generated *g = &request->list->p[i];
        ridge_buf text = {0};
        if (!g->chosen)
            continue;
        if (!(st = ridge_python_entry(&text, request, g)))
            st = ridge_code_files_add(files, ridge_arena_printf(request->arena, "%s/%s.py", g->library, g->stem), &text, request->err);
        ridge_buf_free(&text);
    }
    return st;
}
