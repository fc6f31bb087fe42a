#include "input/names.h"

enum { LISTED = 5 }; /* ids in a message */

static bool same_start(const char *text, const char *start)
{
    while (*start != '\0' && ridge_lower(*text) == ridge_lower(*start))
        text++, start++;
    return *start == '\0';
}

static bool same(const char *a, const char *b)
{
    return strlen(a) == strlen(b) && same_start(a, b);
}

static bool contains(const char *text, const char *part)
{
    for (; *text != '\0'; text++)
        if (same_start(text, part))
            return true;
    return false;
}

static const char *after_slash(const char *id)
{
    const char *slash = strchr(id, '/');
    return slash ? slash + 1 : id;
}

const ridge_embedded_model *ridge_example_find(const char *name)
{
    const ridge_embedded_model *found = NULL;
    for (unsigned i = 0; i < ridge_embedded_models_count; i++) {
        const ridge_embedded_model *m = &ridge_embedded_models[i];
        if (same(m->id, name))
            return m;
        if (same(after_slash(m->id), name))
            found = found ? NULL : m;
    }
    return found;
}

/* ---- a fine-tuned or quantised form of an example ---- */

/* What a published name has where the shapes are those of its base model. "instruct" in an example's own name goes as well. */
static const char *const forms[] = {"chat", "instruct", "it",   "base", "hf",   "sft", "dpo",   "gguf", "gptq", "awq", "bnb",
                                    "mlx",  "4bit",     "8bit", "int4", "int8", "fp8", "nvfp4", "bf16", "fp16", NULL};

/* the words of a name that are no form, each with a '-' before it, in lower case: "-llama-2-7b" */
static const char *core_of(const char *name, ridge_arena *arena)
{
    char *core = ridge_arena_alloc(arena, 2 * strlen(name) + 2), *out = core;
    for (const char *word = after_slash(name); core && *word != '\0';) {
        size_t n = strcspn(word, "-_");
        bool form = n == 0;
        for (size_t i = 0; forms[i] && !form; i++)
            form = strlen(forms[i]) == n && same_start(word, forms[i]);
        if (!form)
            *out++ = '-';
        for (size_t i = 0; i < n && !form; i++)
            *out++ = ridge_lower(word[i]);
        word += n + (word[n] != '\0');
    }
    if (core)
        *out = '\0';
    return core ? core : "";
}

static const char *base_of(const char *name, ridge_arena *arena)
{
    const char *core = core_of(name, arena);
    for (unsigned i = 0; i < ridge_embedded_models_count && core[0] != '\0'; i++)
        if (strcmp(core_of(ridge_embedded_models[i].id, arena), core) == 0)
            return ridge_embedded_models[i].id;
    return NULL;
}

/* ---- what was meant ---- */

/* the ids that contain it, quoted, with commas; "" where none does */
static const char *containing(const char *name, size_t *found, ridge_arena *arena)
{
    ridge_buf text = {0};
    *found = 0;
    for (unsigned i = 0; i < ridge_embedded_models_count && strlen(name) > 1; i++)
        if (contains(ridge_embedded_models[i].id, name) && (*found)++ < LISTED)
            ridge_buf_addf(&text, "%s'%s'", text.n > 0 ? ", " : "", ridge_embedded_models[i].id);
    const char *list = *found > 0 ? ridge_arena_take(arena, &text) : "";
    ridge_buf_free(&text);
    return list ? list : "";
}

static const char *nearest(const char *name)
{
    const char *best = NULL;
    unsigned least = strlen(name) < 4 ? 2 : 5;
    for (unsigned i = 0; i < ridge_embedded_models_count; i++) {
        const char *id = ridge_embedded_models[i].id;
        unsigned d = ridge_str_distance(ridge_str_of(name), ridge_str_of(strchr(name, '/') ? id : after_slash(id)), least);
        if (d < least) {
            least = d;
            best = id;
        }
    }
    return best;
}

/* "" where nothing like it is shipped; *is_form: a fine-tuned or quantised form of an example is named */
static const char *meant(bool *is_form, const char *name, ridge_arena *arena)
{
    size_t found;
    const char *list = containing(name, &found, arena), *one = list[0] != '\0' ? NULL : base_of(name, arena), *text = "";
    *is_form = one != NULL;
    if (one)
        text = ridge_arena_printf(arena, "; its base '%s' is shipped, mostly of the same shapes", one);
    else if (list[0] != '\0')
        text = ridge_arena_printf(arena, "; did you mean %s%s?", list, found > LISTED ? ", ..." : "");
    else if ((one = nearest(name)) != NULL)
        text = ridge_arena_printf(arena, "; did you mean '%s'?", one);
    return text ? text : "";
}

const char *ridge_example_meant(const char *name, ridge_arena *arena)
{
    bool is_form;
    return meant(&is_form, name, arena);
}

ridge_status ridge_example_unknown(const char *name, const char *cache, ridge_arena *arena, ridge_err *err)
{
    bool is_form;
    const char *text = meant(&is_form, name, arena);
    if (text[0] != '\0')
        return ridge_fail(err, RIDGE_IO, "no model '%s'%s%s", name, is_form ? " here" : "", text);
    return ridge_fail(
        err, RIDGE_IO,
        "no model '%s'; give a folder with its config.json ('ridge models' lists what is shipped; HF_HUB_OFFLINE is set, and it is not in "
        "the cache %s)",
        name, cache ? cache : "of Hugging Face");
}

/* ---- addresses ---- */

/* "org/name@main/file.gguf" of "/blob/main/file.gguf?download=true" behind the id; NULL: that is no such file, or memory runs out */
static const char *gguf_of_address(ridge_str id, const char *rest, ridge_arena *arena)
{
    static const char *const views[] = {"/blob/", "/resolve/"};
    const char *revision = NULL;
    for (size_t i = 0; i < sizeof views / sizeof *views && !revision; i++)
        revision = strncmp(rest, views[i], strlen(views[i])) == 0 ? rest + strlen(views[i]) : NULL;
    const char *slash = revision ? strchr(revision, '/') : NULL;
    const ridge_str file = slash ? (ridge_str){slash + 1, strcspn(slash + 1, "?#")} : (ridge_str){"", 0};
    if (!ridge_str_ends(file, RIDGE_STR(".gguf")))
        return NULL;
    return ridge_arena_printf(arena, "%.*s@%.*s/%.*s", RIDGE_STR_ARG(id), (int)(slash - revision), revision, RIDGE_STR_ARG(file));
}

const char *ridge_id_of_address(const char *text, ridge_arena *arena)
{
    static const char *const sites[] = {"huggingface.co/", "www.huggingface.co/", "hf.co/"};
    const char *scheme = strstr(text, "://"), *site = scheme ? scheme + 3 : text, *at = NULL;
    for (size_t i = 0; i < sizeof sites / sizeof *sites && !at; i++)
        at = same_start(site, sites[i]) ? site + strlen(sites[i]) : NULL;
    if (!at)
        return text;
    size_t organisation = strcspn(at, "/"), n = organisation;
    if (at[n] == '/')
        n += 1 + strcspn(at + n + 1, "/?#");
    const char *file = gguf_of_address((ridge_str){at, n}, at + n, arena);
    const char *id = file ? file : n > organisation + 1 ? ridge_arena_strdup(arena, (ridge_str){at, n}) : NULL;
    return id ? id : text;
}
