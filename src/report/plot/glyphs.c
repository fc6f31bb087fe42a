#include "report/plot/glyphs.h"

#include "base/process.h"
#include "report/plot/text.h"

#define SECONDS 5 /* for fc-list */

/* every sans serif has it: Latin, Greek, Cyrillic, dashes, quotes, the ellipsis */
static bool is_common(uint32_t c)
{
    return c < 0x530 || (c >= 0x2010 && c <= 0x2026);
}

static bool is_in(const uint32_t *all, size_t count, uint32_t c)
{
    for (size_t i = 0; i < count; i++)
        if (all[i] == c)
            return true;
    return false;
}

/* the rare characters of a scene, each once, as many as are asked for at most */
static size_t rare_of(uint32_t *out, const ridge_scene *scene)
{
    size_t n = 0;
    for (size_t i = 0; i < scene->count; i++) {
        const char *text = scene->shapes[i].kind == RIDGE_SHAPE_TEXT ? scene->shapes[i].text : "";
        for (uint32_t c; n < RIDGE_GLYPHS_MOST && (c = ridge_term_next(&text)) != 0;)
            if (!is_common(c) && !is_in(out, n, c))
                out[n++] = c;
    }
    return n;
}

/* is there a font with all of these? */
static bool has_font(const uint32_t *characters, size_t count, ridge_arena *arena)
{
    ridge_buf pattern = {0};
    ridge_str said;
    ridge_err ignored = {0};
    char program[] = "fc-list", family[] = "family";
    ridge_buf_addz(&pattern, ":color=false:charset=");
    for (size_t i = 0; i < count; i++)
        ridge_buf_addf(&pattern, "%s%x", i > 0 ? " " : "", (unsigned)characters[i]);
    ridge_buf_addc(&pattern, '\0');
    char *argv[] = {program, pattern.p, family, NULL};
    const bool found = !pattern.failed && !ridge_process_run(&said, argv, (ridge_str){"", 0}, SECONDS, arena, &ignored);
    ridge_buf_free(&pattern);
    return found;
}

void ridge_glyphs_find(ridge_glyphs *out, const ridge_scene *scene, ridge_arena *arena)
{
    uint32_t rare[RIDGE_GLYPHS_MOST];
    const size_t n = rare_of(rare, scene);
    const bool all = n > 0 && has_font(rare, n, arena); /* mostly: one script, one question */
    out->count = 0;
    for (size_t i = 0; i < n; i++)
        if (all || (n > 1 && has_font(&rare[i], 1, arena)))
            out->there[out->count++] = rare[i];
}

const char *ridge_glyphs_text(const ridge_glyphs *glyphs, const char *text, ridge_arena *arena)
{
    char *out = ridge_arena_alloc(arena, strlen(text) + 1), *to = out;
    if (!out)
        return "";
    for (uint32_t c; (c = ridge_term_next(&text)) != 0;)
        to = ridge_utf8_put(to, is_common(c) || is_in(glyphs->there, glyphs->count, c) ? c : '?');
    *to = '\0';
    return out;
}
