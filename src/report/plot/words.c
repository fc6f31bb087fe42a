/* Words of a picture: made safe to show, measured, and broken into lines. */
#include "report/plot/scene.h"

#include <math.h>

#include "base/columns.h"
#include "base/units.h"

/* Code points that steer or break what shows them, or cannot be seen: controls, line ends, directions, fillers, tags, non-characters. */
static bool is_harmful(uint32_t c)
{
    static const ridge_code_range harmful[] = {
        {0, 0x1F},        {0x7F, 0x9F},     {0xAD, 0xAD},       {0x61C, 0x61C},     {0x115F, 0x1160},   {0x180E, 0x180E},
        {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},   {0x3164, 0x3164},   {0xE000, 0xF8FF},   {0xFDD0, 0xFDEF},
        {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}, {0xF0000, 0x10FFFF}};
    return ridge_in_ranges(c, harmful, sizeof harmful / sizeof *harmful) || (c & 0xFFFE) == 0xFFFE;
}

/* ---- clean ---- */

const char *ridge_text_clean(ridge_arena *arena, const char *text, size_t limit)
{
    const char *end = text + strlen(text);
    size_t room = (size_t)(end - text);
    char *out = room < SIZE_MAX / 4 ? ridge_arena_alloc(arena, room * 3 + 4) : NULL; /* a bad byte becomes three */
    if (!out)
        return "";
    char *to = out, *cut = out;
    for (size_t shown = 0; text < end; shown++) {
        if (shown == limit) {
            cut = ridge_utf8_put(cut, 0x2026);
            *cut = '\0';
            return out;
        }
        size_t n = ridge_utf8_length(text, end);
        uint32_t c = n ? ridge_utf8_decode(text, n) : 0xFFFD;
        to = ridge_utf8_put(to, n && is_harmful(c) ? ' ' : c);
        if (shown + 2 == limit)
            cut = to;
        text += n ? n : 1;
    }
    *to = '\0';
    return out;
}

/* ---- measured ---- */

static double ems_of(uint32_t c)
{
    if (c >= 0x80)
        return ridge_columns(c) == 2 ? (c >= 0x1F000 ? 1.35 : 1.02) : ridge_columns(c) == 0 ? 0 : c == 0x2026 ? 1 : 0.68;
    if (strchr("ijl|'", (int)c))
        return 0.31;
    if (strchr("tfrI.,:;!()[] /-", (int)c))
        return 0.4;
    if (strchr("mwMW@%", (int)c))
        return 0.95;
    return c >= 'A' && c <= 'Z' ? 0.7 : 0.6;
}

double ridge_text_width(const char *text, double size)
{
    const char *end = text + strlen(text);
    double ems = 0;
    while (text < end) {
        size_t n = ridge_utf8_length(text, end);
        n = n ? n : 1;
        ems += ems_of(ridge_utf8_decode(text, n));
        text += n;
    }
    return ems * size;
}

/* ---- broken into lines ---- */

/* bytes of a line that begins at `text`, as wide as may be: up to a space, else past a sign that parts, else up to the last that fits */
static size_t line_length(const char *text, double size, double width)
{
    const char *end = text + strlen(text), *at = text, *space = NULL, *sign = NULL;
    for (double used = 0; at < end;) {
        size_t n = ridge_utf8_length(at, end);
        n = n ? n : 1;
        used += ems_of(ridge_utf8_decode(at, n)) * size;
        if (*at == ' ')
            space = at;
        if (used > width && at > text && *at != ' ')
            return (size_t)((space ? space : sign && sign > text + (at - text) / 2 ? sign : at) - text);
        if (strchr("/-_.", *at))
            sign = at + 1;
        at += n;
    }
    return (size_t)(end - text);
}

size_t ridge_text_lines(const char *lines[], size_t most, ridge_arena *arena, const char *text, double size, double width)
{
    size_t count = 0;
    text += strspn(text, " ");
    while (*text && count < most) {
        size_t n = line_length(text, size, width);
        const bool cut = count + 1 == most && text[n + strspn(text + n, " ")] != '\0';
        if (cut)
            n = line_length(text, size, width - size);
        while (n > 1 && text[n - 1] == ' ')
            n--;
        lines[count] = ridge_arena_printf(arena, "%.*s%s", (int)n, text, cut ? "…" : "");
        if (!lines[count++])
            return 0;
        text += n + strspn(text + n, " ");
    }
    return count;
}

/* ---- numbers ---- */

const char *ridge_text_number(ridge_arena *arena, double value)
{
    const char *text = isfinite(value) ? ridge_arena_printf(arena, "%.4g", value) : "infinite";
    return text ? text : "";
}

const char *ridge_text_tick(ridge_arena *arena, double value, const char *unit)
{
    static const char *const prefixes[] = {"p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E"};
    size_t at = 4;
    for (; value >= 999.95 && at < 10; at++)
        value /= 1000;
    for (; value > 0 && value < 0.99995 && at > 0 && unit[0] == 's'; at--) /* only times are small */
        value *= 1000;
    const char *text = ridge_arena_printf(arena, "%.4g %s%s", value, prefixes[at], unit);
    return text ? text : "";
}

const char *ridge_text_quantity(ridge_arena *arena, double value, const char *unit)
{
    return strcmp(unit, "s") == 0 ? ridge_units_seconds(arena, value) : ridge_text_tick(arena, value, unit);
}
