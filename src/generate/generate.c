#include "generate/generate.h"

#include "base/shown.h"
#include "generate/folder.h"
#include "generate/walk.h"
#include "generate/write.h"

const char *const ridge_generate_languages[] = {"python", "c", NULL};

const ridge_option ridge_options_generate[] = {
    RIDGE_STRING(ridge_generate_request, out, "out", 'o', "DIR",
                 "the folder, which is written whole or not at all; it may hold nothing else", .reach = RIDGE_REACH_OUTPUT),
    RIDGE_OPTION_END,
};

typedef struct generator {
    ridge_generate_answer *answer;
    ridge_registry *registry;
    ridge_generated_list list;
    ridge_arena *arena;
    ridge_err *err;
} generator;

/* ---- the catalog, compiled and named ---- */

static ridge_status leave_out(generator *m, const ridge_generated *g, const char *why)
{
    ridge_generate_answer *a = m->answer;
    if (!ridge_arena_more(m->arena, &a->left_out, a->left_out_count, &a->left_out_cap, sizeof *a->left_out))
        return ridge_no_memory(m->err);
    const char *text = ridge_arena_strdup(m->arena, ridge_str_of(why));
    a->left_out[a->left_out_count++] = (ridge_left_out){g->path, text};
    return text ? RIDGE_OK : ridge_no_memory(m->err);
}

/* g->entry, where that can be; NOMEM is the only error: `fault` has another */
static ridge_status compile(const generator *m, ridge_generated *g, ridge_err *fault)
{
    if (!g->entry && ridge_registry_entry(&g->entry, m->registry, g->source->key, fault)) {
        g->entry = NULL;
        return fault->code == RIDGE_NOMEM ? ridge_no_memory(m->err) : RIDGE_OK;
    }
    return RIDGE_OK;
}

/* can code be made of it? */
static bool is_code(const ridge_generated *g)
{
    return g->entry && g->entry->kind != RIDGE_KIND_OPERATOR && !g->entry->flat;
}

static ridge_status read_catalog(generator *m)
{
    ridge_source **all;
    size_t count;
    ridge_status st = ridge_registry_all(&all, &count, m->registry, m->err);
    if (st)
        return st;
    if (!(m->list.p = ridge_arena_array(m->arena, count + 1, sizeof *m->list.p)))
        return ridge_no_memory(m->err);
    for (size_t i = 0; i < count; i++) {
        ridge_generated *g = &m->list.p[m->list.n++];
        *g = (ridge_generated){.source = all[i], .path = ridge_registry_path(m->registry, all[i]->key)};
        if (!g->path)
            return ridge_no_memory(m->err);
    }
    m->list.symbols = m->registry->symbols.count;
    if (!st && !(m->list.by_symbol = ridge_arena_array(m->arena, m->list.symbols + 1, sizeof *m->list.by_symbol)))
        st = ridge_no_memory(m->err);
    for (size_t i = 0; i < count && !st; i++)
        m->list.by_symbol[m->list.p[i].source->key->id] = &m->list.p[i];
    return st ? st : ridge_generated_name(&m->list, m->arena, m->err);
}

/* ---- what an entry needs ---- */

/* The one config of a module's family: the same path up to the family. Of several, which one is not ours to guess. */
static ridge_status find_family(const generator *m, ridge_generated *g)
{
    ridge_status st = RIDGE_OK;
    const char *key = g->source->key->text, *end = strstr(key, "__modeling_");
    const size_t n = end ? (size_t)(end - key) : 0;
    const ridge_generated *found = NULL;
    size_t matches = 0, low = 0, high = m->list.n;
    while (end && low < high) { /* the list is sorted by key: the first that is not before the family */
        const size_t middle = low + (high - low) / 2;
        if (strncmp(m->list.p[middle].source->key->text, key, n) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; end && !st && i < m->list.n && strncmp(m->list.p[i].source->key->text, key, n) == 0; i++) {
        ridge_err fault = {0};
        if (strncmp(m->list.p[i].source->key->text + n, "__configuration", 15) != 0 || (st = compile(m, &m->list.p[i], &fault)) ||
            !m->list.p[i].entry || !m->list.p[i].entry->config)
            continue;
        found = &m->list.p[i];
        matches++;
    }
    g->family = matches == 1 ? found : NULL;
    return st;
}

typedef struct chooser {
    generator *m;
    ridge_generated **waiting; /* whose needs are not looked at yet */
    size_t n, cap;
} chooser;

static ridge_status choose(chooser *c, ridge_generated *g)
{
    ridge_err fault = {0};
    ridge_status st = g ? compile(c->m, g, &fault) : RIDGE_OK;
    if (st || !g || g->chosen || !is_code(g))
        return st;
    if (!ridge_arena_more(c->m->arena, &c->waiting, c->n, &c->cap, sizeof(ridge_generated *)))
        return ridge_no_memory(c->m->err);
    g->chosen = true;
    c->waiting[c->n++] = g;
    return RIDGE_OK;
}

static ridge_status choose_called(void *data, const ridge_expr *expr, ridge_context context)
{
    (void)context;
    chooser *c = data;
    ridge_module_use *uses;
    size_t count;
    ridge_status st = ridge_expr_modules(&uses, &count, expr, c->m->arena, c->m->err);
    for (size_t i = 0; i < count && !st; i++)
        st = choose(c, ridge_generated_find(&c->m->list, uses[i].module));
    return st;
}

static ridge_status choose_needs(chooser *c)
{
    ridge_status st = RIDGE_OK;
    while (c->n > 0 && !st) {
        ridge_generated *g = c->waiting[--c->n];
        const ridge_config_spec *config = g->entry->config;
        if (!config && (st = find_family(c->m, g)))
            return st;
        st = ridge_generated_expressions(g->entry, choose_called, c);
        if (!st && g->family)
            st = choose(c, (ridge_generated *)(uintptr_t)g->family);
        for (size_t i = 0; config && i < config->default_count && !st; i++)
            if (config->defaults[i].sub_key)
                st = choose(c, ridge_generated_find(&c->m->list, config->defaults[i].sub_key));
    }
    return st;
}

/* ---- what was asked for ---- */

/* '*' is any text, '?' any character */
static bool matches(const char *pattern, const char *text)
{
    const char *star = NULL, *from = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            from = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

/* Asked for by name: what code cannot say is an error. */
static ridge_status choose_named(chooser *c, const char *name)
{
    generator *m = c->m;
    const ridge_symbol *key = ridge_registry_key(m->registry, ridge_str_of(name));
    ridge_generated *g = key ? ridge_generated_find(&m->list, key) : NULL;
    ridge_entry *entry;
    ridge_status st = key ? ridge_registry_entry(&entry, m->registry, key, m->err) : ridge_no_memory(m->err); /* told where it stands */
    if (st || !g)
        return st;
    g->entry = entry;
    if (g->entry->kind == RIDGE_KIND_OPERATOR)
        return ridge_fail(m->err, RIDGE_TYPE, "%s is an operator: no code is made of it", g->path);
    if (g->entry->flat)
        return ridge_fail(m->err, RIDGE_TYPE, "%s is of the flat published form: no code is made of it", g->path);
    return choose(c, g);
}

static ridge_status choose_matching(chooser *c, const char *pattern)
{
    bool any = false;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < c->m->list.n && !st; i++) {
        ridge_generated *g = &c->m->list.p[i];
        if (!matches(pattern, g->path) && !matches(pattern, g->source->key->text))
            continue;
        st = choose(c, g);
        any = any || is_code(g);
    }
    return st || any ? st : ridge_fail(c->m->err, RIDGE_UNKNOWN, "no module of the catalog matches %s", ridge_shown(c->m->arena, pattern));
}

static ridge_status choose_all(chooser *c)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < c->m->list.n && !st; i++) {
        ridge_generated *g = &c->m->list.p[i];
        ridge_err fault = {0};
        if ((st = compile(c->m, g, &fault)))
            return st;
        if (!g->entry) {
            st = leave_out(c->m, g, fault.msg);
        } else if (g->entry->flat) {
            st = leave_out(c->m, g, "it is of the flat published form");
        } else if (g->entry->kind == RIDGE_KIND_OPERATOR) {
            c->m->answer->operators++;
        } else {
            st = choose(c, g);
        }
    }
    return st;
}

static ridge_status choose_wanted(generator *m, const ridge_words *modules)
{
    chooser c = {.m = m};
    ridge_status st = modules->count > 0 ? RIDGE_OK : choose_all(&c);
    for (size_t i = 0; i < modules->count && !st; i++)
        st = strpbrk(modules->items[i], "*?") ? choose_matching(&c, modules->items[i]) : choose_named(&c, modules->items[i]);
    return st ? st : choose_needs(&c);
}

/* ---- the answer ---- */

static ridge_generated_library *library(generator *m, const char *name)
{
    ridge_generate_answer *a = m->answer;
    for (size_t i = 0; i < a->library_count; i++)
        if (strcmp(a->libraries[i].name, name) == 0)
            return &a->libraries[i];
    a->libraries[a->library_count] = (ridge_generated_library){.name = name};
    return &a->libraries[a->library_count++];
}

static size_t libraries_of(const ridge_generated_list *list)
{
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++)
        n += list->p[i].chosen;
    return n;
}

static void count_entries(generator *m)
{
    for (size_t i = 0; i < m->list.n; i++) {
        const ridge_generated *g = &m->list.p[i];
        if (!g->chosen)
            continue;
        ridge_generated_library *l = library(m, g->library);
        const ridge_kind kind = g->entry->kind;
        size_t *mine = kind == RIDGE_KIND_CONFIG     ? &l->configs
                       : kind == RIDGE_KIND_FUNCTION ? &l->functions
                       : kind == RIDGE_KIND_MODULE   ? &l->modules
                                                     : &l->formulas;
        size_t *all = kind == RIDGE_KIND_CONFIG     ? &m->answer->configs
                      : kind == RIDGE_KIND_FUNCTION ? &m->answer->functions
                      : kind == RIDGE_KIND_MODULE   ? &m->answer->modules
                                                    : &m->answer->formulas;
        ++*mine;
        ++*all;
    }
}

static int64_t lines_of(ridge_str text)
{
    int64_t n = 0;
    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] == '\n';
    return n;
}

/* a file is of the library whose folder it is in, or whose name it has */
static void count_files(generator *m, const ridge_code_files *files)
{
    m->answer->files = files->n;
    for (size_t i = 0; i < files->n; i++) {
        const ridge_file_text *f = &files->p[i];
        const size_t n = strcspn(f->path, "/.-");
        const int64_t lines = lines_of(f->content);
        m->answer->lines += lines;
        m->answer->bytes += (int64_t)f->content.n;
        for (size_t k = 0; k < m->answer->library_count; k++) {
            ridge_generated_library *l = &m->answer->libraries[k];
            if (strlen(l->name) != n || strncmp(l->name, f->path, n) != 0)
                continue;
            l->files++;
            l->lines += lines;
            l->bytes += (int64_t)f->content.n;
        }
    }
}

ridge_status ridge_generate_make(ridge_generate_answer *out, ridge_registry *registry, ridge_generate_language language,
                                 const ridge_generate_request *request, ridge_arena *arena, ridge_err *err)
{
    generator m = {.answer = out, .registry = registry, .arena = arena, .err = err};
    ridge_code_files files = {.arena = arena};
    ridge_status st;
    *out = (ridge_generate_answer){.language = language, .out = request->out};
    if (!request->out)
        return ridge_fail(err, RIDGE_USAGE, "the code wants a folder: " RIDGE_OPT("out") " DIR");
    if ((st = read_catalog(&m)) || (st = choose_wanted(&m, &request->modules)))
        return st;
    if (!(out->libraries = ridge_arena_array(arena, libraries_of(&m.list) + 1, sizeof *out->libraries)))
        return ridge_no_memory(err);
    count_entries(&m);
    const ridge_code_request code = {registry, &m.list, request->modules.count == 0, arena, err};
    st = language == RIDGE_GENERATE_PYTHON ? ridge_code_python(&files, &code) : ridge_code_c(&files, &code);
    if (st)
        return st;
    count_files(&m, &files);
    return ridge_folder_write(request->out, files.p, files.n, arena, err);
}

/* ---- how it is written ---- */

#define LIBRARY ridge_generated_library
static const ridge_record_field library_fields[] = {
    RIDGE_R_TEXT(LIBRARY, name, "library", NULL, RIDGE_IN_ALL, "the folder, or the file, of the modules of a library"),
    RIDGE_R_SIZE(LIBRARY, modules, "modules", NULL, RIDGE_IN_ALL, "modules of it that became code"),
    RIDGE_R_SIZE(LIBRARY, functions, "functions", NULL, RIDGE_IN_ALL, "functions: what costs and is no module"),
    RIDGE_R_SIZE(LIBRARY, formulas, "formulas", NULL, RIDGE_IN_ALL, "formulas and choices: what is worth a number or a module"),
    RIDGE_R_SIZE(LIBRARY, configs, "configs", NULL, RIDGE_IN_ALL, "config classes"),
    RIDGE_R_SIZE(LIBRARY, files, "files", NULL, RIDGE_IN_ALL, "files"),
    RIDGE_R_WHOLE(LIBRARY, lines, "lines", NULL, RIDGE_IN_ALL, "lines in them", .unit = RIDGE_UNIT_COUNT),
    RIDGE_R_WHOLE(LIBRARY, bytes, "bytes", NULL, RIDGE_IN_ALL, "bytes in them", .unit = RIDGE_UNIT_BYTES),
};
const ridge_record ridge_generated_library_record = RIDGE_RECORD(LIBRARY, "library", library_fields, "the code of one library");

static const ridge_record_field left_out_fields[] = {
    RIDGE_R_TEXT(ridge_left_out, module, "module", NULL, RIDGE_IN_ALL, "the entry's dotted path"),
    RIDGE_R_TEXT(ridge_left_out, why, "why", NULL, RIDGE_IN_ALL, "why no code is made of it"),
};
static const ridge_record left_out_record = RIDGE_RECORD(ridge_left_out, "what was left out", left_out_fields, "an entry without code");

#define ANSWER ridge_generate_answer
static const ridge_record_field fields[] = {
    RIDGE_R_WORD(ANSWER, language, ridge_generate_languages, "language", NULL, RIDGE_IN_JSON, "python or c"),
    RIDGE_R_TEXT(ANSWER, out, "out", NULL, RIDGE_IN_JSON, "the folder"),
    RIDGE_R_SIZE(ANSWER, modules, "modules", NULL, RIDGE_IN_JSON, "modules that became code"),
    RIDGE_R_SIZE(ANSWER, functions, "functions", NULL, RIDGE_IN_JSON, "functions: what costs and is no module"),
    RIDGE_R_SIZE(ANSWER, formulas, "formulas", NULL, RIDGE_IN_JSON, "formulas and choices: what is worth a number or a module"),
    RIDGE_R_SIZE(ANSWER, configs, "configs", NULL, RIDGE_IN_JSON, "config classes"),
    RIDGE_R_SIZE(ANSWER, operators, "operators", NULL, RIDGE_IN_JSON,
                 "operators of the catalog, which are no modules and become no code; none where modules were named"),
    RIDGE_R_SIZE(ANSWER, files, "files", NULL, RIDGE_IN_JSON, "files"),
    RIDGE_R_WHOLE(ANSWER, lines, "lines", NULL, RIDGE_IN_JSON, "lines in them", .unit = RIDGE_UNIT_COUNT),
    RIDGE_R_WHOLE(ANSWER, bytes, "bytes", NULL, RIDGE_IN_JSON, "bytes in them", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_LIST(ANSWER, libraries, library_count, &ridge_generated_library_record, "libraries", RIDGE_IN_JSON, "library by library"),
    RIDGE_R_LIST(ANSWER, left_out, left_out_count, &left_out_record, "left_out", RIDGE_IN_JSON, "entries that could not become code"),
};
const ridge_record ridge_generate_record = RIDGE_RECORD(ANSWER, "ridge generate", fields, "code that was made of the catalog");

/* ", 2 functions"; nothing where there are none */
static void add_number(ridge_buf *out, ridge_arena *arena, size_t n, const char *one, const char *many)
{
    if (n > 0)
        ridge_buf_addf(out, ", %s %s", ridge_units_exact(arena, (ridge_int)n), n == 1 ? one : many);
}

void ridge_generate_text(ridge_buf *out, const ridge_generate_answer *a, ridge_arena *arena)
{
    ridge_buf_addf(out, "%s: %s files, %s lines (%s)", ridge_shown(arena, a->out), ridge_units_exact(arena, (ridge_int)a->files),
                   ridge_units_exact(arena, (ridge_int)a->lines), ridge_units_bytes(arena, (ridge_int)a->bytes));
    add_number(out, arena, a->modules, "module", "modules");
    add_number(out, arena, a->functions, "function", "functions");
    add_number(out, arena, a->formulas, "formula or choice", "formulas and choices");
    add_number(out, arena, a->configs, "config", "configs");
    ridge_buf_addc(out, '\n');
    for (size_t i = 0; i < a->left_out_count; i++)
        ridge_buf_addf(out, "left out: %s: %s\n", ridge_shown(arena, a->left_out[i].module), ridge_shown(arena, a->left_out[i].why));
}
