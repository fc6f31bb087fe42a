#include "report/html.h"

#include <stdint.h>

#include "report/plot/scene.h"

/* colours of the words and cards; the pictures bring their own */
static const char style[] =
    ":root{color-scheme:light dark;--ground:#fff;--panel:#f6f8fa;--ink:#1c2733;--faint:#5b6875;--line:#dde3e9;--good:#17875a;"
    "--alarm:#b3141c;--alarm-ground:#fdecec}"
    "@media(prefers-color-scheme:dark){:root{--ground:#14181f;--panel:#1a2028;--ink:#dde4ec;--faint:#97a3b0;--line:#2f3842;"
    "--good:#56d39b;--alarm:#ff8a82;--alarm-ground:#3a1b1e}}"
    "*{box-sizing:border-box}"
    "body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,'Segoe UI','Helvetica Neue',Arial,'DejaVu "
    "Sans',sans-serif}"
    "main{max-width:1080px;margin:0 auto;padding:32px 24px 48px}"
    "h1{font-size:26px;line-height:1.2;margin:0 0 4px}h2{font-size:18px;margin:40px 0 10px}h3{font-size:15px;margin:16px 0 0}"
    "h1,h2,h3,p,li,footer{overflow-wrap:anywhere}"
    "p,li{margin:0 0 10px;max-width:75ch}ol{margin:0;padding-left:1.6em}.sub,footer{color:var(--faint)}"
    ".verdict{margin:16px 0 0;padding:10px 14px;max-width:none;font-size:17px;font-weight:600;background:var(--panel);"
    "border-left:4px solid var(--good);border-radius:4px}"
    ".verdict.alarm{border-color:var(--alarm);background:var(--alarm-ground)}.alarm{color:var(--alarm)}"
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:22px 0 0;padding:0}"
    ".cards div{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:12px 14px}"
    ".cards div.alarm{border-color:var(--alarm)}"
    ".cards dt,.cards .note{color:var(--faint);font-size:13px}.cards dd{margin:0}"
    ".cards .value{font-size:20px;font-weight:600;line-height:1.3;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}"
    ".scroll{overflow-x:auto;border:1px solid var(--line);border-radius:8px}"
    "table{border-collapse:collapse;width:100%;font-size:13.5px;font-variant-numeric:tabular-nums}"
    "th,td{padding:6px 12px;text-align:left;white-space:nowrap;border-bottom:1px solid var(--line)}"
    "th{background:var(--panel);color:var(--faint);font-weight:600}tr:last-child td{border-bottom:0}tbody tr:hover{background:var(--panel)}"
    ".n{text-align:right}td:first-child{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:12.5px}"
    "svg{display:block;width:100%;height:auto;margin:8px 0 0}.narrow{display:none}footer{margin-top:40px;font-size:13px}"
    "@media(max-width:640px){main{padding:20px 14px 36px}h1{font-size:22px}.cards{grid-template-columns:1fr 1fr;gap:8px}"
    ".cards .value{font-size:17px}.wide{display:none}.narrow{display:block}th,td{padding:6px 8px}"
    "th:first-child,td:first-child{position:sticky;left:0;background:var(--ground);min-width:38vw;max-width:44vw;white-space:normal;"
    "overflow-wrap:anywhere;border-right:1px solid var(--line)}}"
    "@media print{main{max-width:none;padding:0}.scroll{overflow:visible}section{break-inside:avoid}}\n";

static void add_escaped(ridge_buf *out, const char *clean)
{
    for (; *clean; clean++) {
        const char *entity = *clean == '<'    ? "&lt;"
                             : *clean == '>'  ? "&gt;"
                             : *clean == '&'  ? "&amp;"
                             : *clean == '"'  ? "&quot;"
                             : *clean == '\'' ? "&#39;"
                                              : NULL;
        if (entity)
            ridge_buf_addz(out, entity);
        else
            ridge_buf_addc(out, *clean);
    }
}

/* <tag>text</tag>; `attributes` has its leading space */
static void add_element(ridge_buf *out, const char *tag, const char *attributes, const char *text, ridge_arena *arena)
{
    ridge_buf_addf(out, "<%s%s>", tag, attributes);
    add_escaped(out, ridge_text_clean(arena, text, SIZE_MAX));
    ridge_buf_addf(out, "</%s>", tag);
}

/* options as they are typed: a page is for people */
static const char *spelled(const char *text, ridge_arena *arena)
{
    size_t cap = ridge_spell(NULL, 0, text, "--") + 1;
    char *out = ridge_arena_alloc(arena, cap);
    if (!out)
        return "";
    (void)ridge_spell(out, cap, text, "--");
    return out;
}

static void add_paragraphs(ridge_buf *out, const char *text, ridge_arena *arena)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t n = end ? (size_t)(end - text) : strlen(text);
        const char *paragraph = ridge_arena_strdup(arena, (ridge_str){text, n});
        if (n && paragraph) {
            add_element(out, "p", "", paragraph, arena);
            ridge_buf_addc(out, '\n');
        }
        text += n + strspn(text + n, "\n");
    }
}

static void add_figures(ridge_buf *out, const ridge_html *html, ridge_arena *arena)
{
    if (!html->figure_count)
        return;
    ridge_buf_addz(out, "<dl class=\"cards\">\n");
    for (size_t i = 0; i < html->figure_count; i++) {
        const ridge_html_figure *f = &html->figures[i];
        ridge_buf_addz(out, f->alarm ? "<div class=\"alarm\">" : "<div>");
        add_element(out, "dt", "", f->name, arena);
        add_element(out, "dd", " class=\"value\"", f->value, arena);
        if (f->note && f->note[0])
            add_element(out, "dd", " class=\"note\"", f->note, arena);
        ridge_buf_addz(out, "</div>\n");
    }
    ridge_buf_addz(out, "</dl>\n");
}

/* a cell; what its rounded number is exactly is told on hover */
static void add_cell(ridge_buf *out, const char *text, const char *exact, bool right, ridge_arena *arena)
{
    ridge_buf_addz(out, right ? "<td class=\"n\"" : "<td");
    if (exact && exact[0]) {
        ridge_buf_addz(out, " title=\"");
        add_escaped(out, ridge_text_clean(arena, exact, SIZE_MAX));
        ridge_buf_addc(out, '"');
    }
    ridge_buf_addc(out, '>');
    add_escaped(out, ridge_text_clean(arena, text, SIZE_MAX));
    ridge_buf_addz(out, "</td>");
}

static void add_table(ridge_buf *out, const ridge_table *table, const char *const *exact, ridge_arena *arena)
{
    ridge_buf_addz(out, "<div class=\"scroll\"><table>\n<thead><tr>");
    for (size_t c = 0; c < table->column_count; c++)
        add_element(out, "th", table->columns[c].right ? " class=\"n\"" : "", table->columns[c].title, arena);
    ridge_buf_addz(out, "</tr></thead>\n<tbody>\n");
    for (size_t r = 0; r < table->row_count; r++) {
        ridge_buf_addz(out, "<tr>");
        for (size_t c = 0; c < table->column_count; c++) {
            const size_t cell = r * table->column_count + c;
            add_cell(out, table->cells[cell], exact ? exact[cell] : NULL, table->columns[c].right, arena);
        }
        ridge_buf_addz(out, "</tr>\n");
    }
    ridge_buf_addz(out, "</tbody></table></div>\n");
}

static void add_items(ridge_buf *out, const char *const *items, size_t count, ridge_arena *arena)
{
    ridge_buf_addz(out, "<ol>\n");
    for (size_t i = 0; i < count; i++) {
        add_element(out, "li", "", spelled(items[i], arena), arena);
        ridge_buf_addc(out, '\n');
    }
    ridge_buf_addz(out, "</ol>\n");
}

/* Twice: letters of a picture shrink with it, so a phone has one of its own width. */
static ridge_status add_plot(ridge_buf *out, const ridge_plot *plot, const char *heading, ridge_arena *arena, ridge_err *err)
{
    static const struct {
        const char *class_name;
        double width;
    } sizes[] = {{"wide", 1032}, {"narrow", 360}};
    ridge_status st = RIDGE_OK;
    if (plot->title[0] && strcmp(plot->title, heading) != 0)
        add_element(out, "h3", "", plot->title, arena);
    if (plot->subtitle[0])
        add_element(out, "p", " class=\"sub\"", plot->subtitle, arena);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !st; i++) {
        const ridge_plot_options options = {.width = sizes[i].width, .embedded = true};
        ridge_buf_addf(out, "<div class=\"%s\">\n", sizes[i].class_name);
        st = ridge_plot_svg(out, plot, &options, arena, err);
        ridge_buf_addz(out, "</div>\n");
    }
    return st;
}

static ridge_status add_section(ridge_buf *out, const ridge_html_section *section, ridge_arena *arena, ridge_err *err)
{
    ridge_buf_addz(out, "<section>\n");
    add_element(out, "h2", "", section->heading, arena);
    ridge_buf_addc(out, '\n');
    if (section->text)
        add_paragraphs(out, spelled(section->text, arena), arena);
    if (section->item_count > 0)
        add_items(out, section->items, section->item_count, arena);
    if (section->table)
        add_table(out, section->table, section->exact, arena);
    ridge_status st = section->plot ? add_plot(out, section->plot, section->heading, arena, err) : RIDGE_OK;
    ridge_buf_addz(out, "</section>\n");
    return st;
}

static void add_head(ridge_buf *out, const ridge_html *html, ridge_arena *arena)
{
    ridge_buf_addz(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
    add_element(out, "title", "", html->title, arena);
    ridge_buf_addz(out, "\n<style>\n");
    ridge_buf_addz(out, style);
    ridge_plot_style(out, RIDGE_PLOT_AUTO);
    ridge_buf_addz(out, "\n</style>\n</head>\n<body>\n<main>\n<header>\n");
    add_element(out, "h1", "", html->title, arena);
    ridge_buf_addc(out, '\n');
    if (html->subtitle && html->subtitle[0])
        add_element(out, "p", " class=\"sub\"", html->subtitle, arena);
    if (html->verdict && html->verdict[0])
        add_element(out, "p", html->alarm ? " class=\"verdict alarm\"" : " class=\"verdict\"", spelled(html->verdict, arena), arena);
    ridge_buf_addz(out, "\n</header>\n");
}

ridge_status ridge_html_write(ridge_buf *out, const ridge_html *html, ridge_arena *arena, ridge_err *err)
{
    add_head(out, html, arena);
    add_figures(out, html, arena);
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < html->section_count && !st; i++)
        st = add_section(out, &html->sections[i], arena, err);
    if (html->foot)
        add_element(out, "footer", "", html->foot, arena);
    ridge_buf_addz(out, "\n</main>\n</body>\n</html>\n");
    return !st && (out->failed || arena->failed) ? ridge_no_memory(err) : st;
}
