#include "serve/asked.h"

/* ---- values ---- */

static ridge_status add(ridge_asked *out, const char *name, const char *text, const ridge_json *json, ridge_arena *arena, ridge_err *err)
{
    if (out->count == RIDGE_ASKED_MOST)
        return ridge_fail(err, RIDGE_USAGE, "more than %d values are given", RIDGE_ASKED_MOST);
    if (!name || (!text && !json) || !ridge_arena_more(arena, &out->values, out->count, &out->cap, sizeof *out->values))
        return ridge_no_memory(err);
    out->values[out->count++] = (ridge_asked_value){name, text, json};
    return RIDGE_OK;
}

const char *ridge_asked_text(const ridge_asked *asked, const char *name)
{
    for (size_t i = asked->count; i-- > 0;)
        if (asked->values[i].text && strcmp(asked->values[i].name, name) == 0)
            return asked->values[i].text;
    return NULL;
}

/* ---- the target ---- */

static int digit_of(char c)
{
    const char lower = ridge_lower(c);
    return ridge_is_digit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* percent-encoding (RFC 3986, 2.1); `plus`: of a query, where '+' is a space */
static ridge_status decode(const char **out, ridge_str text, bool plus, ridge_arena *arena, ridge_err *err)
{
    char *to = ridge_arena_strdup(arena, text);
    size_t n = 0;
    if (!(*out = to))
        return ridge_no_memory(err);
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '%') {
            const bool whole = text.n - i > 2;
            const int high = whole ? digit_of(text.p[i + 1]) : -1, low = whole ? digit_of(text.p[i + 2]) : -1;
            if (high < 0 || low < 0)
                return ridge_fail(err, RIDGE_USAGE, "'%%' without two hexadecimal digits in the address");
            c = (char)(high * 16 + low);
            i += 2;
        } else if (c == '+' && plus) {
            c = ' ';
        }
        if (c == '\0')
            return ridge_fail(err, RIDGE_USAGE, "a NUL in the address");
        to[n++] = c;
    }
    to[n] = '\0';
    return RIDGE_OK;
}

static ridge_status add_pair(ridge_asked *out, ridge_str pair, ridge_arena *arena, ridge_err *err)
{
    const char *equals = memchr(pair.p, '=', pair.n), *name, *text = "true";
    const size_t n = equals ? (size_t)(equals - pair.p) : pair.n;
    ridge_status st = decode(&name, (ridge_str){pair.p, n}, true, arena, err);
    if (!st && equals)
        st = decode(&text, (ridge_str){equals + 1, pair.n - n - 1}, true, arena, err);
    return st ? st : add(out, name, text, NULL, arena, err);
}

ridge_status ridge_asked_form(ridge_asked *out, ridge_str body, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    while (body.n > 0 && !st) {
        const char *end = memchr(body.p, '&', body.n);
        const size_t n = end ? (size_t)(end - body.p) : body.n, used = n + (end != NULL);
        if (n > 0)
            st = add_pair(out, (ridge_str){body.p, n}, arena, err);
        body = (ridge_str){body.p + used, body.n - used};
    }
    return st;
}

ridge_status ridge_asked_target(ridge_asked *out, const char *target, ridge_arena *arena, ridge_err *err)
{
    const size_t n = strcspn(target, "?#");
    ridge_status st = decode(&out->path, (ridge_str){target, n}, false, arena, err);
    if (st || target[n] != '?')
        return st;
    const char *query = target + n + 1;
    return ridge_asked_form(out, (ridge_str){query, strcspn(query, "#")}, arena, err);
}

/* ---- the body ---- */

static bool is_plain(const ridge_json *value)
{
    return value->type != RIDGE_JSON_ARRAY && value->type != RIDGE_JSON_OBJECT;
}

static const char *text_of(const ridge_json *value, ridge_arena *arena, ridge_err *err)
{
    if (value->type == RIDGE_JSON_TRUE || value->type == RIDGE_JSON_FALSE)
        return value->type == RIDGE_JSON_TRUE ? "true" : "false";
    if (memchr(value->u.text.p, '\0', value->u.text.n)) {
        (void)ridge_fail_at(err, RIDGE_USAGE, "body", value->line, value->col, "a NUL in a text");
        return NULL;
    }
    return ridge_arena_strdup(arena, value->u.text);
}

static ridge_status add_plain(ridge_asked *out, const char *name, const ridge_json *value, ridge_arena *arena, ridge_err *err)
{
    if (value->type == RIDGE_JSON_NULL)
        return RIDGE_OK;
    const char *text = text_of(value, arena, err);
    if (!text)
        return err && err->code ? err->code : ridge_no_memory(err);
    return add(out, name, text, value, arena, err);
}

static ridge_status add_value(ridge_asked *out, const char *name, const ridge_json *value, ridge_arena *arena, ridge_err *err)
{
    return is_plain(value) ? add_plain(out, name, value, arena, err) : add(out, name, NULL, value, arena, err);
}

/* a list stands for its values one by one */
static ridge_status add_member(ridge_asked *out, const ridge_json_member *member, ridge_arena *arena, ridge_err *err)
{
    const ridge_json *value = &member->value;
    const char *name = ridge_arena_strdup(arena, member->key);
    ridge_status st = name ? RIDGE_OK : ridge_no_memory(err);
    if (st || value->type != RIDGE_JSON_ARRAY)
        return st ? st : add_value(out, name, value, arena, err);
    for (uint32_t i = 0; i < value->count && !st; i++)
        st = add_value(out, name, &value->u.items[i], arena, err);
    return st;
}

/* a config.json says what it is a config of */
static bool is_config(const ridge_json *body)
{
    static const char *const marks[] = {"model_type", "architectures", "_class_name"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (ridge_json_get(body, marks[i]))
            return true;
    return false;
}

/* as text that is a config, or as the object itself */
static ridge_status take_config(ridge_asked *out, const ridge_json *config, ridge_err *err)
{
    if (config->type == RIDGE_JSON_STRING)
        out->config = config->u.text;
    else if (config->type == RIDGE_JSON_OBJECT)
        out->config = (ridge_str){config->begin, (size_t)(config->end - config->begin)};
    else
        return ridge_fail_at(err, RIDGE_TYPE, "body", config->line, config->col, "config is an object or its text, not %s",
                             ridge_json_type_name(config->type));
    return RIDGE_OK;
}

ridge_status ridge_asked_body(ridge_asked *out, ridge_str body, ridge_arena *arena, ridge_err *err)
{
    ridge_json *json;
    ridge_status st = ridge_json_parse(&json, body, "body", (ridge_json_options){.unique_keys = true}, arena, err);
    if (st)
        return st;
    if (json->type != RIDGE_JSON_OBJECT)
        return ridge_fail_at(err, RIDGE_TYPE, "body", json->line, json->col, "the body is an object, not %s",
                             ridge_json_type_name(json->type));
    if (is_config(json))
        return take_config(out, json, err);
    for (uint32_t i = 0; i < json->count && !st; i++) {
        const ridge_json_member *member = &json->u.members[i];
        st = ridge_str_is(member->key, "config") ? take_config(out, &member->value, err) : add_member(out, member, arena, err);
    }
    return st;
}
