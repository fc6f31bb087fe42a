#include "base/json.h"

#include <math.h>

#include "base/double.h"

enum { DEPTH_LIMIT = 60 };

void ridge_jw_init(ridge_json_writer *w, ridge_buf *buf)
{
    *w = (ridge_json_writer){.buf = buf};
}

void ridge_jw_answer(ridge_json_writer *w, ridge_buf *buf)
{
    ridge_jw_init(w, buf);
    ridge_jw_object(w);
    ridge_jw_key(w, "ridge");
    ridge_jw_strz(w, RIDGE_VERSION);
}

static uint64_t depth_bit(const ridge_json_writer *w)
{
    return (uint64_t)1 << (w->depth < DEPTH_LIMIT ? w->depth : DEPTH_LIMIT);
}

static void new_line(ridge_json_writer *w)
{
    ridge_buf_addc(w->buf, '\n');
    for (unsigned i = 0; i < w->depth; i++)
        ridge_buf_add(w->buf, RIDGE_STR("  "));
}

/* what stands between the text so far and the next name or value */
static void before_item(ridge_json_writer *w)
{
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (w->depth == 0)
        return;
    bool compact = (w->compact & depth_bit(w)) != 0;
    if ((w->has_item & depth_bit(w)) != 0)
        ridge_buf_add(w->buf, compact ? RIDGE_STR(", ") : RIDGE_STR(","));
    w->has_item |= depth_bit(w);
    if (!compact)
        new_line(w);
}

static void open_writer(ridge_json_writer *w, char bracket, bool compact)
{
    before_item(w);
    compact |= w->depth > 0 && (w->compact & depth_bit(w)) != 0;
    ridge_buf_addc(w->buf, bracket);
    if (++w->depth > DEPTH_LIMIT)
        w->buf->failed = true;
    w->has_item &= ~depth_bit(w);
    w->compact = compact ? w->compact | depth_bit(w) : w->compact & ~depth_bit(w);
}

static void close_writer(ridge_json_writer *w, char bracket)
{
    bool break_line = (w->has_item & depth_bit(w)) != 0 && (w->compact & depth_bit(w)) == 0;
    w->depth--;
    if (break_line)
        new_line(w);
    ridge_buf_addc(w->buf, bracket);
}

void ridge_jw_object(ridge_json_writer *w)
{
    open_writer(w, '{', false);
}

void ridge_jw_object_compact(ridge_json_writer *w)
{
    open_writer(w, '{', true);
}

void ridge_jw_end_object(ridge_json_writer *w)
{
    close_writer(w, '}');
}

void ridge_jw_array(ridge_json_writer *w)
{
    open_writer(w, '[', false);
}

void ridge_jw_array_compact(ridge_json_writer *w)
{
    open_writer(w, '[', true);
}

void ridge_jw_end_array(ridge_json_writer *w)
{
    close_writer(w, ']');
}

static void add_escaped(ridge_buf *buf, unsigned char c)
{
    static const char values[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";
    const char *value = c != '\0' ? strchr(values, c) : NULL;
    if (value) {
        ridge_buf_addc(buf, '\\');
        ridge_buf_addc(buf, names[value - values]);
    } else {
        ridge_buf_addf(buf, "\\u%04x", c);
    }
}

/* Bytes that are not UTF-8 become U+FFFD, so the output is always JSON. */
static void add_string(ridge_buf *buf, ridge_str text)
{
    const char *p = text.p, *end = text.n != 0 ? p + text.n : p, *from = p;
    ridge_buf_addc(buf, '"');
    while (p < end) {
        unsigned char c = (unsigned char)*p;
        size_t n = ridge_utf8_length(p, end);
        if (n != 0 && c >= 0x20 && c != '"' && c != '\\') {
            p += n;
            continue;
        }
        ridge_buf_add(buf, (ridge_str){from, (size_t)(p - from)});
        if (n != 0)
            add_escaped(buf, c);
        else if ((char)c != (char)RIDGE_OPT_MARK || p + 1 == end || p[1] < 'a') /* JSON names options as the library does */
            ridge_buf_add(buf, RIDGE_STR("\xEF\xBF\xBD"));
        from = ++p;
    }
    ridge_buf_add(buf, (ridge_str){from, (size_t)(p - from)});
    ridge_buf_addc(buf, '"');
}

void ridge_jw_key_str(ridge_json_writer *w, ridge_str key)
{
    before_item(w);
    add_string(w->buf, key);
    ridge_buf_add(w->buf, RIDGE_STR(": "));
    w->after_key = true;
}

void ridge_jw_key(ridge_json_writer *w, const char *key)
{
    ridge_jw_key_str(w, ridge_str_of(key));
}

void ridge_jw_str(ridge_json_writer *w, ridge_str text)
{
    before_item(w);
    add_string(w->buf, text);
}

void ridge_jw_strz(ridge_json_writer *w, const char *z)
{
    if (!z)
        ridge_jw_null(w);
    else
        ridge_jw_str(w, ridge_str_of(z));
}

void ridge_jw_int(ridge_json_writer *w, ridge_int value)
{
    before_item(w);
    ridge_buf_add_int(w->buf, value);
}

void ridge_jw_double(ridge_json_writer *w, double value)
{
    char text[RIDGE_DOUBLE_CHARS];
    if (!isfinite(value)) {
        ridge_jw_null(w);
        return;
    }
    size_t n = ridge_double_print(text, value);
    before_item(w);
    ridge_buf_add(w->buf, (ridge_str){text, n});
}

void ridge_jw_bool(ridge_json_writer *w, bool value)
{
    ridge_jw_raw(w, value ? RIDGE_STR("true") : RIDGE_STR("false"));
}

void ridge_jw_null(ridge_json_writer *w)
{
    ridge_jw_raw(w, RIDGE_STR("null"));
}

void ridge_jw_raw(ridge_json_writer *w, ridge_str json)
{
    before_item(w);
    ridge_buf_add(w->buf, json);
}

void ridge_jw_member_text(ridge_json_writer *w, const char *key, const char *text)
{
    ridge_jw_key(w, key);
    ridge_jw_strz(w, text);
}

void ridge_jw_member_whole(ridge_json_writer *w, const char *key, ridge_int value)
{
    ridge_jw_key(w, key);
    if (value < 0)
        ridge_jw_null(w);
    else
        ridge_jw_int(w, value);
}
