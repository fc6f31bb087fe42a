/* The C: the files that do not depend on the catalog, a header and a source for each library, and the index of all of them. */
#include <stdlib.h>

#include "base/format.h"
#include "generate/c_code.h"
#include "generate/code.h"
#include "generate/embedded.h"

static ridge_status runtime_files(ridge_code_files *files, const ridge_code_request *request)
{
    ridge_status st = RIDGE_OK;
    for (unsigned i = 0; i < ridge_embedded_generated_count && !st; i++) {
        const ridge_embedded_generated_file *f = &ridge_embedded_generated[i];
        ridge_buf text = {0};
        if (!ridge_str_starts(ridge_str_of(f->file), RIDGE_STR("src/generate/runtime/c/")))
            continue;
        ridge_buf_add(&text, (ridge_str){f->text, f->length});
        st = ridge_code_files_add(files, strrchr(f->file, '/') + 1, &text, request->err);
    }
    return st;
}

static ridge_status header(ridge_code_files *files, const ridge_code_request *request, const char *library)
{
    ridge_buf out = {0}, guard = {0};
    for (const char *p = library; *p; p++)
        ridge_buf_addc(&guard, *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p);
    ridge_buf_addf(
        &out, "/* %s.h - the modules of %s, for who calls them from a formula of their own; gm_compute() finds them by their paths. */\n",
        library, library);
    ridge_buf_addf(&out, "#ifndef GENERATED_%s_H\n#define GENERATED_%s_H\n\n#include \"generated.h\"\n\n", guard.p ? guard.p : "",
                   guard.p ? guard.p : "");
    for (size_t i = 0; i < request->list->n; i++) {
        const ridge_generated *g = &request->list->p[i];
        if (!g->chosen || strcmp(g->library, library) != 0)
            continue;
        ridge_buf_addf(&out, "extern const %s %s; /* ", g->entry->config ? "gm_config" : "gm_entry", g->c_name);
        ridge_code_words(&out, RIDGE_PROSE_COMMENT, 0, "   ", 0, ridge_str_of(g->path));
        ridge_buf_addz(&out, " */\n");
    }
    ridge_buf_addz(&out, "\n#endif\n");
    out.failed |= guard.failed;
    ridge_buf_free(&guard);
    return ridge_code_files_add(files, ridge_arena_printf(request->arena, "%s.h", library), &out, request->err);
}

/* libraries whose modules are called, or whose configs are read */
static ridge_status add_library(ridge_words *libraries, const ridge_generated *g, const ridge_code_request *request)
{
    if (!g || !g->chosen || ridge_words_find(libraries, g->library))
        return RIDGE_OK;
    return ridge_words_add(libraries, g->library, request->arena, request->err);
}

static ridge_status needed_libraries(ridge_words *libraries, const ridge_code_uses *uses, const ridge_generated *g,
                                     const ridge_code_request *request)
{
    ridge_status st = add_library(libraries, g->family, request);
    for (size_t i = 0; i < uses->module_count && !st; i++)
        st = add_library(libraries, uses->modules[i], request);
    const ridge_config_spec *config = g->entry->config;
    for (size_t i = 0; config && i < config->default_count && !st; i++)
        if (config->defaults[i].sub_key)
            st = add_library(libraries, ridge_generated_find(request->list, config->defaults[i].sub_key), request);
    return st;
}

/* A source of a library; compilers take a large one in pieces: torch.c, torch-2.c, .. */
typedef struct piece {
    const char *library;
    unsigned number;
    ridge_buf code;
    ridge_words libraries; /* whose headers it wants */
} piece;

static ridge_status end_piece(ridge_code_files *files, const ridge_code_request *request, piece *p)
{
    ridge_buf out = {0};
    const char *name = ++p->number == 1 ? ridge_arena_printf(request->arena, "%s.c", p->library)
                                        : ridge_arena_printf(request->arena, "%s-%u.c", p->library, p->number);
    ridge_buf_addf(&out, "/* %s - modules of %s: what each is made of, and what it costs. */\n#include \"%s.h\"\n", name ? name : "",
                   p->library, p->library);
    for (size_t i = 0; i < p->libraries.count; i++)
        if (strcmp(p->libraries.items[i], p->library) != 0)
            ridge_buf_addf(&out, "#include \"%s.h\"\n", p->libraries.items[i]);
    ridge_buf_addc(&out, '\n');
    ridge_buf_add(&out, (ridge_str){p->code.p ? p->code.p : "", p->code.n});
    out.failed |= p->code.failed;
    ridge_buf_free(&p->code);
    p->libraries.count = 0;
    ridge_status st = ridge_code_files_add(files, name, &out, request->err);
    ridge_buf_free(&out);
    return st;
}

static ridge_status source(ridge_code_files *files, const ridge_code_request *request, const char *library)
{
    enum { LARGE = 1 << 20 };
    piece p = {.library = library};
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < request->list->n && !st; i++) {
        const ridge_generated *g = &request->list->p[i];
        ridge_code_uses uses = {0};
        if (!g->chosen || strcmp(g->library, library) != 0)
            continue;
        if (p.code.n > LARGE && (st = end_piece(files, request, &p)))
            break;
        if (!(st = ridge_c_entry(&p.code, &uses, request, g)))
            st = needed_libraries(&p.libraries, &uses, g, request);
    }
    if (!st && p.code.n > 0)
        st = end_piece(files, request, &p);
    ridge_buf_free(&p.code);
    return st;
}

static int compare(const void *a, const void *b)
{
    return strcmp((*(const ridge_generated *const *)a)->path, (*(const ridge_generated *const *)b)->path);
}

static void formats(ridge_buf *out)
{
    size_t count;
    const ridge_format *table = ridge_format_table(&count);
    bool first = true;
    ridge_buf_addz(out, "/* the number formats that a workload can have */\nextern const char gm_formats[];\nconst char gm_formats[] =");
    for (size_t i = 0; i < count; i++) {
        if (table[i].integer)
            continue;
        ridge_buf_addf(out, "\n    \"%s%s\"", first ? "" : " ", table[i].name);
        first = false;
    }
    ridge_buf_addz(out, ";\n\n");
}

/* all modules by their paths, sorted */
static ridge_status index_file(ridge_code_files *files, const ridge_code_request *request, const ridge_words *libraries)
{
    const ridge_generated **sorted = ridge_arena_array(request->arena, request->list->n + 1, sizeof(ridge_generated *));
    ridge_buf out = {0};
    size_t n = 0;
    if (!sorted)
        return ridge_no_memory(request->err);
    for (size_t i = 0; i < request->list->n; i++)
        if (request->list->p[i].chosen && !request->list->p[i].entry->config)
            sorted[n++] = &request->list->p[i];
    if (n > 0)
        qsort(sorted, n, sizeof *sorted, compare);
    ridge_buf_addz(&out, "/* index.c - where modules are found by their paths. */\n");
    for (size_t i = 0; i < libraries->count; i++)
        ridge_buf_addf(&out, "#include \"%s.h\"\n", libraries->items[i]);
    ridge_buf_addc(&out, '\n');
    formats(&out);
    ridge_buf_addz(&out, "const gm_entry *const gm_entries[] = {\n");
    for (size_t i = 0; i < n; i++)
        ridge_buf_addf(&out, "    &%s,\n", sorted[i]->c_name);
    ridge_buf_addf(&out, "    NULL,\n};\nconst size_t gm_entry_count = %zu;\n", n);
    return ridge_code_files_add(files, "index.c", &out, request->err);
}

ridge_status ridge_code_c(ridge_code_files *files, const ridge_code_request *request)
{
    ridge_words libraries = {0};
    ridge_status st = runtime_files(files, request);
    for (size_t i = 0; i < request->list->n && !st; i++)
        st = add_library(&libraries, &request->list->p[i], request);
    for (size_t i = 0; i < libraries.count && !st; i++)
        if (!(st = header(files, request, libraries.items[i])))
            st = source(files, request, libraries.items[i]);
    return st ? st : index_file(files, request, &libraries);
}
