#include "generate/names.h"

#include <stdlib.h>

#include "base/sha256.h"
#include "formula/ast.h"
#include "generate/code.h"
#include "generate/walk.h"

enum { NAME_LIMIT = 120 };

typedef struct namer {
    ridge_symtab taken; /* names that are given away */
    ridge_arena *arena;
    ridge_err *err;
} namer;

/* ---- words ---- */

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
    return (c >= 'a' && c <= 'z') || ridge_is_digit(c);
}

/* LlamaRMSNorm -> llama_rms_norm */
static void add_snake(ridge_buf *out, ridge_str word)
{
    for (size_t i = 0; i < word.n; i++) {
        const char before = i > 0 ? word.p[i - 1] : '_', after = i + 1 < word.n ? word.p[i + 1] : '_';
        if (is_upper(word.p[i]) && (is_lower(before) || (is_upper(before) && after >= 'a' && after <= 'z')))
            ridge_buf_addc(out, '_');
        const char c = ridge_lower(word.p[i]);
        ridge_code_identifier(out, (ridge_str){&c, 1});
    }
}

/* attention_pairs -> AttentionPairs; what has capitals stays */
static void add_camel(ridge_buf *out, ridge_str word)
{
    bool start = true;
    for (size_t i = 0; i < word.n; i++) {
        char c = word.p[i];
        if (c == '_' && i > 0 && i + 1 < word.n) {
            start = true;
            continue;
        }
        if (start && c >= 'a' && c <= 'z')
            c = (char)(c - 'a' + 'A');
        ridge_code_identifier(out, (ridge_str){&c, 1});
        start = false;
    }
}

/* the next of the path's parts between dots; *rest is what follows */
static ridge_str next_part(ridge_str *rest)
{
    const char *dot = memchr(rest->p, '.', rest->n);
    ridge_str part = {rest->p, dot ? (size_t)(dot - rest->p) : rest->n};
    *rest = dot ? (ridge_str){dot + 1, rest->n - part.n - 1} : (ridge_str){rest->p + rest->n, 0};
    return part;
}

/* a name that no compiler and no file system finds too long */
static const char *within_limit(ridge_arena *arena, ridge_buf *name)
{
    if (!name->failed && name->n > NAME_LIMIT) {
        char hash[65];
        ridge_sha256(hash, (ridge_str){name->p, name->n});
        const char *cut = ridge_arena_printf(arena, "%.*s_%.8s", NAME_LIMIT - 9, name->p, hash);
        ridge_buf_free(name);
        return cut;
    }
    return ridge_arena_take(arena, name);
}

/* The name, or where it is taken with what tells it apart: `path`, then a number. */
static ridge_status take(const char **name, namer *n, const char *path)
{
    const char *wanted = *name;
    for (unsigned i = 1; *name; i++) {
        if (!ridge_intern_find(&n->taken, ridge_str_of(*name)))
            return ridge_intern(&n->taken, ridge_str_of(*name)) ? RIDGE_OK : ridge_no_memory(n->err);
        if (path && i == 1)
            wanted = ridge_arena_printf(n->arena, "%s_%s", wanted, path);
        *name = path && i == 1 ? wanted : ridge_arena_printf(n->arena, "%s_%u", wanted ? wanted : "", i + !path);
    }
    return ridge_no_memory(n->err);
}

/* ---- names of one entry ---- */

static bool is_among(ridge_str word, const char *const *words)
{
    for (; *words; words++)
        if (ridge_str_is(word, *words))
            return true;
    return false;
}

/* A file of ours, or a word that names of ours in C begin with. */
static bool is_ours(ridge_str library)
{
    static const char *const files[] = {"base", "configs", "exact",    "formats", "functions", "generated", "index", "internal",
                                        "main", "modules", "registry", "run",     "values",    "words",     NULL};
    static const char *const words[] = {"gm",      "describe", "own",   "afterwards", "defaults", "value",    "parameters", "fields",
                                        "aliases", "derive",   "check", "list",       "operand",  "fallback", NULL};
    /* headers of C and of its library: a folder of generated code may be where the compiler looks first */
    static const char *const headers[] = {
        "alloca",   "assert", "complex",     "ctype",    "dirent",  "dlfcn",     "elf",     "endian", "errno",   "fcntl",
        "features", "fenv",   "float",       "getopt",   "grp",     "inttypes",  "limits",  "link",   "locale",  "malloc",
        "math",     "memory", "netdb",       "paths",    "poll",    "pthread",   "pwd",     "regex",  "sched",   "search",
        "setjmp",   "signal", "spawn",       "stdalign", "stdarg",  "stdatomic", "stdbool", "stdc",   "stddef",  "stdint",
        "stdio",    "stdlib", "stdnoreturn", "string",   "strings", "syscall",   "termios", "tgmath", "threads", "time",
        "uchar",    "ulimit", "unistd",      "utime",    "values",  "wait",      "wchar",   "wctype", NULL};
    const char *end = memchr(library.p, '_', library.n);
    if (library.n == 0 || ridge_is_digit(library.p[0]) || library.p[0] == '_')
        return true;
    return is_among(library, files) || is_among(library, headers) ||
           is_among(end ? (ridge_str){library.p, (size_t)(end - library.p)} : library, words) || ridge_code_is_python_word(library) ||
           ridge_code_is_c_word(library);
}

/* the folder: the first part of the path, `user` where there is only one */
static const char *library_of(ridge_str *rest, ridge_arena *arena)
{
    ridge_buf name = {0};
    if (memchr(rest->p, '.', rest->n))
        add_snake(&name, next_part(rest));
    else
        ridge_buf_addz(&name, "user");
    const bool ours = is_ours((ridge_str){name.p ? name.p : "", name.n});
    const char *made = within_limit(arena, &name);
    return made && ours ? ridge_arena_printf(arena, "lib_%s", made) : made;
}

/* nn_linear of nn.Linear */
static const char *stem_of(ridge_str rest, ridge_arena *arena)
{
    ridge_buf name = {0};
    while (rest.n > 0) {
        if (name.n > 0)
            ridge_buf_addc(&name, '_');
        add_snake(&name, next_part(&rest));
    }
    if (name.n == 0 || ridge_is_digit(name.p[0]) || ridge_code_is_python_word((ridge_str){name.p, name.n}))
        ridge_buf_addc(&name, '_');
    const char *made = within_limit(arena, &name);
    return made && ridge_is_digit(made[0]) ? ridge_arena_printf(arena, "n%s", made) : made;
}

/* TorchLinear of torch and nn.Linear: what follows the first part with a capital, else the last part. *before: the parts before it */
static const char *class_of(const char *library, ridge_str rest, ridge_str *before, ridge_arena *arena)
{
    ridge_buf name = {0};
    ridge_str all = rest, tail = rest;
    while (rest.n > 0) {
        tail = rest;
        if (is_upper(next_part(&rest).p[0]))
            break;
    }
    *before = (ridge_str){all.p, (size_t)(tail.p - all.p)};
    add_camel(&name, ridge_str_of(library));
    for (bool first = true; tail.n > 0; first = false) {
        if (!first)
            ridge_buf_addc(&name, '_');
        add_camel(&name, next_part(&tail));
    }
    return within_limit(arena, &name);
}

static ridge_status name_one(namer *n, ridge_generated *g)
{
    ridge_str rest = ridge_str_of(g->path), before;
    ridge_buf path = {0};
    g->library = library_of(&rest, n->arena);
    g->stem = stem_of(rest, n->arena);
    if (!g->library || !g->stem || !(g->class_name = class_of(g->library, rest, &before, n->arena)))
        return ridge_no_memory(n->err);
    while (before.n > 0) {
        ridge_str part = next_part(&before);
        ridge_code_identifier(&path, part);
        if (before.n > 0)
            ridge_buf_addc(&path, '_');
    }
    const char *suffix = path.n > 0 ? within_limit(n->arena, &path) : NULL;
    const size_t library = strlen(g->library) + 1;
    g->c_name = ridge_arena_printf(n->arena, "%s_%s", g->library, g->stem);
    ridge_status st = take(&g->class_name, n, suffix);
    if (!st && !(st = take(&g->c_name, n, NULL)))
        g->stem = g->c_name + library;
    return st;
}

/* ---- all of them ---- */

static size_t dots(const char *path)
{
    size_t n = 0;
    for (; *path; path++)
        n += *path == '.';
    return n;
}

static int compare(const void *a, const void *b)
{
    const ridge_generated *x = *(ridge_generated *const *)a, *y = *(ridge_generated *const *)b;
    const size_t n = dots(x->path), m = dots(y->path);
    if (x->source->origin != y->source->origin)
        return x->source->origin == RIDGE_ORIGIN_BUILTIN ? -1 : 1;
    return n != m ? (n < m ? -1 : 1) : strcmp(x->path, y->path);
}

ridge_status ridge_generated_name(ridge_generated_list *list, ridge_arena *arena, ridge_err *err)
{
    namer n = {.arena = arena, .err = err};
    ridge_generated **order = ridge_arena_array(arena, list->n + 1, sizeof *order);
    ridge_status st = RIDGE_OK;
    if (!order || !ridge_symtab_init(&n.taken, arena))
        return ridge_no_memory(err);
    for (size_t i = 0; i < list->n; i++)
        order[i] = &list->p[i];
    if (list->n > 0)
        qsort(order, list->n, sizeof *order, compare);
    for (size_t i = 0; i < list->n && !st; i++)
        st = name_one(&n, order[i]);
    return st;
}

ridge_generated *ridge_generated_find(const ridge_generated_list *list, const ridge_symbol *key)
{
    return key->id < list->symbols ? list->by_symbol[key->id] : NULL;
}

/* ---- local names ---- */

const char *ridge_locals_word(const ridge_locals *locals, ridge_str name)
{
    ridge_buf word = {0};
    ridge_code_identifier(&word, name);
    while (!word.failed && locals->is_taken((ridge_str){word.p, word.n}))
        ridge_buf_addc(&word, '_');
    if (word.n > 0 &&
        (ridge_is_digit(word.p[0]) || (word.p[0] == '_' && word.n > 1 && word.p[1] == '_'))) { /* self.__x would change in a class */
        const char *plain = ridge_arena_printf(locals->arena, "n%s", word.p);
        ridge_buf_free(&word);
        return plain;
    }
    return ridge_arena_take(locals->arena, &word);
}

/* Another slot may have got the same word: of `class` and of `class_`. */
static bool set(ridge_locals *l, uint32_t slot, ridge_str name)
{
    if (slot == UINT32_MAX || slot >= l->slots || l->of[slot])
        return true;
    const char *word = ridge_locals_word(l, name);
    for (uint32_t i = 0; word && i < l->slots; i++)
        if (l->of[i] && strcmp(l->of[i], word) == 0) {
            word = ridge_arena_printf(l->arena, "%s_", word);
            i = UINT32_MAX; /* from the start again */
        }
    l->of[slot] = word;
    return word != NULL;
}

static bool set_symbol(ridge_locals *l, uint32_t slot, const ridge_symbol *name)
{
    return !name || set(l, slot, (ridge_str){name->text, name->len});
}

static bool set_named(ridge_locals *l, const ridge_named_list *list)
{
    bool ok = true;
    for (size_t i = 0; i < list->n; i++)
        ok = ok && set_symbol(l, list->p[i].slot, list->p[i].name);
    return ok;
}

typedef struct look {
    ridge_locals *locals;
    const ridge_expr *expr;
    uint32_t wanted; /* the slot whose name is looked for */
    ridge_str found;
    bool all; /* slots without a name get one */
} look;

/* the name at a node, without ${ } and fields */
static ridge_str name_at(const ridge_expr *e, const ridge_ast *n)
{
    ridge_str text = {e->text.p + n->at, n->span};
    size_t k = 0;
    if (text.n < 3 || text.p[0] != '$')
        return text;
    for (text.p += 2; text.p[k] != '}' && text.p[k] != '.';)
        k++;
    return (ridge_str){text.p, k};
}

static ridge_status note_slot(void *data, const ridge_ast *n)
{
    look *l = data;
    if (l->all && n->kind == RIDGE_AST_COMPREHENSION && n->u.comprehension.slot < l->locals->slots)
        l->locals->used[n->u.comprehension.slot] = true;
    if (n->kind != RIDGE_AST_SLOT)
        return RIDGE_OK;
    if (n->u.slot < l->locals->slots)
        l->locals->used[n->u.slot] = true;
    if (n->u.slot == l->wanted)
        l->found = name_at(l->expr, n);
    return l->all && !set(l->locals, n->u.slot, name_at(l->expr, n)) ? RIDGE_NOMEM : RIDGE_OK;
}

/* what a formula calls the slot; n 0: it does not read it */
static ridge_str name_in(const ridge_expr *e, ridge_locals *locals, uint32_t slot)
{
    look l = {locals, e, slot, {"", 0}, false};
    if (e)
        (void)ridge_ast_visit(e->root, note_slot, &l);
    return l.found;
}

static bool set_loop(ridge_locals *l, const ridge_component *c)
{
    bool ok = set_named(l, &c->start) && set_named(l, &c->spread) && set_named(l, &c->carry);
    if (c->source) {
        ridge_str name = name_in(c->use, l, c->for_slot);
        for (size_t i = 0; i < c->carry.n && name.n == 0; i++)
            name = name_in(c->carry.p[i].expr, l, c->for_slot);
        if (name.n == 0)
            name = name_in(c->calls, l, c->for_slot);
        ok = ok && set(l, c->for_slot, name.n ? name : RIDGE_STR("_"));
    }
    for (size_t i = 0; i < c->child_count; i++)
        ok = ok && set_loop(l, &c->children[i]);
    return ok;
}

static ridge_status note_uses(void *data, const ridge_expr *expr, ridge_context context)
{
    (void)context;
    (void)name_in(expr, data, UINT32_MAX);
    return RIDGE_OK;
}

static ridge_status name_all(void *data, const ridge_expr *expr, ridge_context context)
{
    (void)context;
    look l = {data, expr, UINT32_MAX, {"", 0}, true};
    return ridge_ast_visit(expr->root, note_slot, &l);
}

/* comprehensions whose name nothing reads */
static bool name_rest(ridge_locals *l)
{
    bool ok = true;
    for (uint32_t i = 0; i < l->slots; i++)
        ok = ok && set(l, i, RIDGE_STR("unused"));
    return ok;
}

ridge_status ridge_locals_make(ridge_locals *l, const ridge_entry *e, bool (*is_taken)(ridge_str), bool all, ridge_arena *arena,
                               ridge_err *err)
{
    bool ok = true;
    *l = (ridge_locals){.slots = e->slots, .is_taken = is_taken, .arena = arena};
    if (!(l->of = ridge_arena_array(arena, e->slots + 1u, sizeof *l->of)) || !(l->used = ridge_arena_array(arena, e->slots + 1u, 1)))
        return ridge_no_memory(err);
    for (size_t i = 0; i < e->parameter_count; i++)
        ok = ok && set_symbol(l, (uint32_t)i, e->parameters[i].names[0]);
    ok = ok && set_named(l, &e->lets);
    for (size_t i = 0; i < e->weights.n; i++)
        ok = ok && set_symbol(l, e->weights.p[i].slot, e->weights.p[i].name);
    for (size_t i = 0; i < e->breakdown_count; i++)
        ok = ok && set_loop(l, &e->breakdown[i]);
    ridge_status st = ridge_generated_expressions(e, all ? name_all : note_uses, l);
    ok = ok && (!all || name_rest(l));
    return ok && st != RIDGE_NOMEM ? st : ridge_no_memory(err);
}
