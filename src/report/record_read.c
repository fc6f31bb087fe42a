#include "report/record_read.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

enum { DEPTH_LIMIT = 16, SHOWN_MOST = 60 };

/* one value on its way into a struct */
typedef struct setting {
    const ridge_record_field *field;
    void *member;
    const char **reason;
    ridge_arena *arena;
} setting;

static bool is_needed(const ridge_record_field *field)
{
    return field->rule && field->rule->needed;
}

static ridge_status wrong(const setting *s, const char *wanted, ridge_str text)
{
    *s->reason = text.n == 0 ? ridge_arena_printf(s->arena, "missing; wanted %s", wanted)
                             : ridge_arena_printf(s->arena, "wanted %s, found '%.*s'%s", wanted,
                                                  text.n > SHOWN_MOST ? SHOWN_MOST : (int)text.n, text.p, text.n > SHOWN_MOST ? "..." : "");
    if (!*s->reason)
        *s->reason = wanted;
    return RIDGE_VALUE;
}

/* ---- text ---- */

static bool is_text(ridge_str text)
{
    const char *end = text.p + text.n;
    for (const char *p = text.p; p < end;) {
        size_t n = ridge_utf8_length(p, end);
        if (n == 0 || ((unsigned char)*p < 32 && *p != '\n' && *p != '\t') || *p == 127)
            return false;
        p += n;
    }
    return true;
}

static ridge_status set_text(const setting *s, ridge_str text)
{
    const ridge_record_rule *rule = s->field->rule;
    bool (*is)(ridge_str) = rule && rule->is ? rule->is : is_text;
    const char **at = s->member;
    if (text.n == 0 ? is_needed(s->field) : !is(text))
        return wrong(s, is == is_text ? "text in UTF-8 without control characters" : rule->wanted, text);
    *at = text.n > 0 ? ridge_arena_strdup(s->arena, text) : NULL;
    return text.n > 0 && !*at ? RIDGE_NOMEM : RIDGE_OK;
}

/* what is not known is -1 */
static ridge_status find_word(int *out, const setting *s, const char *const *words, ridge_str text)
{
    for (*out = 0; words[*out]; ++*out)
        if (ridge_str_is(text, words[*out]))
            return RIDGE_OK;
    *out = -1;
    return text.n == 0 && !is_needed(s->field) ? RIDGE_OK : wrong(s, ridge_option_words(words, s->arena), text);
}

static ridge_status set_word(const setting *s, ridge_str text)
{
    static const char *const truths[] = {"true", "false", NULL};
    int word;
    bool is_word = s->field->kind == RIDGE_RECORD_WORD;
    ridge_status st = find_word(&word, s, is_word ? s->field->words : truths, text);
    if (st)
        return st;
    if (s->field->kind == RIDGE_RECORD_BOOL)
        *(bool *)s->member = word == 0;
    else
        *(int *)s->member = is_word || word < 0 ? word : word == 0;
    return RIDGE_OK;
}

/* ---- JSON, written anew on one line ---- */

static bool write_value(ridge_json_writer *w, const ridge_json *v, bool flat, unsigned depth);

static bool write_items(ridge_json_writer *w, const ridge_json *v, bool flat, unsigned depth)
{
    bool is_object = v->type == RIDGE_JSON_OBJECT, good = depth < DEPTH_LIMIT && !(flat && depth > 0);
    if (is_object)
        ridge_jw_object_compact(w);
    else
        ridge_jw_array_compact(w);
    for (uint32_t i = 0; good && i < v->count; i++) {
        if (is_object) {
            ridge_jw_key_str(w, v->u.members[i].key);
            good = is_text(v->u.members[i].key);
        }
        good = good && write_value(w, is_object ? &v->u.members[i].value : &v->u.items[i], flat, depth + 1);
    }
    if (is_object)
        ridge_jw_end_object(w);
    else
        ridge_jw_end_array(w);
    return good;
}

/* flat: integers, booleans and words only */
static bool write_value(ridge_json_writer *w, const ridge_json *v, bool flat, unsigned depth)
{
    ridge_int integer;
    switch (v->type) {
    case RIDGE_JSON_OBJECT:
    case RIDGE_JSON_ARRAY:
        return write_items(w, v, flat, depth);
    case RIDGE_JSON_STRING:
        ridge_jw_str(w, v->u.text);
        return is_text(v->u.text);
    case RIDGE_JSON_NUMBER: /* no NaN, no Infinity */
        ridge_jw_raw(w, v->u.text);
        return !memchr(v->u.text.p, 'N', v->u.text.n) && !memchr(v->u.text.p, 'I', v->u.text.n) &&
               (!flat || ridge_int_parse(&integer, v->u.text));
    case RIDGE_JSON_NULL:
        ridge_jw_null(w);
        return !flat;
    default:
        ridge_jw_bool(w, v->type == RIDGE_JSON_TRUE);
        return true;
    }
}

static ridge_status set_object(const setting *s, const ridge_json *object, ridge_str text)
{
    bool flat = s->field->rule && s->field->rule->flat;
    ridge_buf buf = {0};
    ridge_json_writer w;
    ridge_jw_init(&w, &buf);
    bool good = object && object->type == RIDGE_JSON_OBJECT && (!flat || object->count > 0) && write_items(&w, object, flat, 0);
    const char *copy = good && !buf.failed ? ridge_arena_strdup(s->arena, (ridge_str){buf.p, buf.n}) : NULL;
    bool failed = buf.failed;
    ridge_buf_free(&buf);
    if (!good)
        return wrong(s, flat ? "a JSON object of sizes" : "a JSON object, at most 16 deep", text);
    *(const char **)s->member = copy;
    return failed || !copy ? RIDGE_NOMEM : RIDGE_OK;
}

static ridge_status set_object_text(const setting *s, ridge_str text)
{
    ridge_json *object = NULL;
    if (text.n == 0 && !is_needed(s->field))
        text = RIDGE_STR("{}");
    if (ridge_json_parse(&object, text, NULL, (ridge_json_options){.unique_keys = true}, s->arena, NULL) == RIDGE_NOMEM)
        return RIDGE_NOMEM;
    return set_object(s, object, text);
}

/* ---- numbers ---- */

/* a number of at least 0: the C locale is glibc's own object, making it costs nothing */
static bool parse_double(double *value, ridge_str text, ridge_arena *arena)
{
    const char *z = text.n > 0 ? ridge_arena_strdup(arena, text) : NULL;
    if (!z || strspn(z, "0123456789.eE+-") != text.n || strspn(z, "0123456789") == 0)
        return false;
    char *end;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    *value = c != (locale_t)0 ? strtod_l(z, &end, c) : strtod(z, &end);
    if (c != (locale_t)0)
        freelocale(c);
    return *end == '\0' && isfinite(*value);
}

static ridge_status set_real(const setting *s, ridge_str text)
{
    double *at = s->member;
    bool may_be_less = s->field->kind == RIDGE_RECORD_CHANGE, minus = may_be_less && text.n > 0 && text.p[0] == '-';
    if (text.n == 0 && !is_needed(s->field))
        *at = may_be_less ? (double)NAN : RIDGE_UNSET;
    else if (!parse_double(at, (ridge_str){text.p + minus, text.n - minus}, s->arena))
        return s->arena->failed ? RIDGE_NOMEM : wrong(s, may_be_less ? "a number" : "a number of at least 0", text);
    else if (minus)
        *at = -*at;
    return RIDGE_OK;
}

static ridge_status set_unsigned(const setting *s, ridge_str text)
{
    ridge_int value;
    if (!ridge_int_parse(&value, text) || value < 0 || value > UINT32_MAX)
        return wrong(s, "a whole number from 0 to 4294967295", text);
    if (s->field->kind == RIDGE_RECORD_SIZE)
        *(size_t *)s->member = (size_t)value;
    else
        *(unsigned *)s->member = (unsigned)value;
    return RIDGE_OK;
}

static ridge_status set_count(const setting *s, ridge_str text)
{
    ridge_int value = RIDGE_UNSET;
    bool is_wide = s->field->kind == RIDGE_RECORD_COUNT;
    if ((text.n > 0 || is_needed(s->field)) && (!ridge_int_parse(&value, text) || value < 0 || (!is_wide && value > INT64_MAX)))
        return wrong(s, "a whole number of at least 0", text);
    if (is_wide)
        memcpy(s->member, &value, sizeof value);
    else
        *(int64_t *)s->member = (int64_t)value;
    return RIDGE_OK;
}

/* ---- any kind ---- */

static setting setting_of(void *row, const ridge_record_column *column, const char **reason, ridge_arena *arena)
{
    return (setting){column->field, (char *)row + column->offset + column->field->offset, reason, arena};
}

ridge_status ridge_record_set(void *row, const ridge_record_column *column, ridge_str text, const char **reason, ridge_arena *arena)
{
    const setting s = setting_of(row, column, reason, arena);
    if (text.n == 0)
        text.p = "";
    switch (s.field->kind) {
    case RIDGE_RECORD_TEXT:
        return set_text(&s, text);
    case RIDGE_RECORD_RAW:
        return set_object_text(&s, text);
    case RIDGE_RECORD_WORD:
    case RIDGE_RECORD_BOOL:
    case RIDGE_RECORD_MAYBE:
        return set_word(&s, text);
    case RIDGE_RECORD_UNSIGNED:
    case RIDGE_RECORD_SIZE:
        return set_unsigned(&s, text);
    case RIDGE_RECORD_COUNT:
    case RIDGE_RECORD_WHOLE:
        return set_count(&s, text);
    case RIDGE_RECORD_REAL:
    case RIDGE_RECORD_CHANGE:
        return set_real(&s, text);
    default:
        *reason = "values of this kind are not read";
        return RIDGE_TYPE;
    }
}

static ridge_json_type json_type(ridge_record_kind kind)
{
    switch (kind) {
    case RIDGE_RECORD_TEXT:
    case RIDGE_RECORD_WORD:
        return RIDGE_JSON_STRING;
    case RIDGE_RECORD_RAW:
        return RIDGE_JSON_OBJECT;
    case RIDGE_RECORD_BOOL:
    case RIDGE_RECORD_MAYBE:
        return RIDGE_JSON_TRUE;
    default:
        return RIDGE_JSON_NUMBER;
    }
}

ridge_status ridge_record_set_json(void *row, const ridge_record_column *column, const ridge_json *value, const char **reason,
                                   ridge_arena *arena)
{
    const setting s = setting_of(row, column, reason, arena);
    ridge_json_type wanted = json_type(s.field->kind);
    if (!value || value->type == RIDGE_JSON_NULL)
        return ridge_record_set(row, column, (ridge_str){"", 0}, reason, arena);
    if (value->type != wanted && !(value->type == RIDGE_JSON_FALSE && wanted == RIDGE_JSON_TRUE)) {
        *reason = ridge_arena_printf(arena, "wanted %s, found %s", ridge_json_type_name(wanted), ridge_json_type_name(value->type));
        return !*reason ? RIDGE_NOMEM : RIDGE_TYPE;
    }
    if (wanted == RIDGE_JSON_OBJECT)
        return set_object(&s, value, (ridge_str){value->begin, (size_t)(value->end - value->begin)});
    if (wanted == RIDGE_JSON_TRUE)
        return ridge_record_set(row, column, ridge_str_of(value->type == RIDGE_JSON_TRUE ? "true" : "false"), reason, arena);
    return ridge_record_set(row, column, value->u.text, reason, arena);
}

ridge_status ridge_record_copy(void *copy, const ridge_record *record, const ridge_record_columns *columns, const void *from,
                               ridge_arena *arena, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    ridge_buf text = {0};
    memset(copy, 0, record->size);
    for (size_t i = 0; i < columns->count && !st; i++) {
        const char *reason = "out of memory";
        text.n = 0;
        ridge_record_text(&text, &columns->items[i], from);
        st = text.failed ? RIDGE_NOMEM : ridge_record_set(copy, &columns->items[i], (ridge_str){text.p, text.n}, &reason, arena);
        if (st)
            st = ridge_fail(err, st, "%s: %s", columns->items[i].key, reason);
    }
    ridge_buf_free(&text);
    return st;
}

/* ---- objects of JSON ---- */

ridge_status ridge_record_at(const ridge_record_source *source, ridge_status st, const ridge_json *v)
{
    if (st && source->err) {
        ridge_err_place(source->err, source->file, v->line, v->col);
        ridge_err_excerpt(source->err, source->text.p, source->text.n, (size_t)(v->begin - source->text.p), (size_t)(v->end - v->begin));
    }
    return st;
}

ridge_status ridge_record_need(const ridge_record_source *source, const ridge_json *v, ridge_json_type type, const char *what)
{
    if (v->type == type)
        return RIDGE_OK;
    ridge_status st =
        ridge_fail(source->err, RIDGE_TYPE, "%s: wanted %s, found %s", what, ridge_json_type_name(type), ridge_json_type_name(v->type));
    return ridge_record_at(source, st, v);
}

static bool is_key(ridge_str key, const ridge_record *record, ridge_nearest *nearest)
{
    for (const ridge_record_field *field = record->fields; field < ridge_record_end(record); field++) {
        bool is_inside = field->kind == RIDGE_RECORD_MEMBERS;
        if ((field->shown & RIDGE_IN_JSON) == 0)
            continue;
        if (is_inside ? is_key(key, field->record, nearest) : ridge_str_is(key, field->key))
            return true;
        if (!is_inside)
            ridge_nearest_offer(nearest, key, field->key);
    }
    return false;
}

static bool is_in(ridge_str key, const char *const *words)
{
    while (words && *words && !ridge_str_is(key, *words))
        words++;
    return words && *words;
}

ridge_status ridge_record_keys(const ridge_record *record, const ridge_json *object, const char *const *more,
                               const ridge_record_source *source)
{
    for (uint32_t i = 0; i < object->count; i++) {
        ridge_nearest nearest = {0};
        ridge_str key = object->u.members[i].key;
        if (is_key(key, record, &nearest) || is_in(key, more))
            continue;
        ridge_status st = ridge_fail(source->err, RIDGE_NAME, "unknown key '%.*s'%s%s%s", key.n > SHOWN_MOST ? SHOWN_MOST : (int)key.n,
                                     key.p, RIDGE_MEANT(nearest.best));
        return ridge_record_at(source, st, &object->u.members[i].value);
    }
    return RIDGE_OK;
}

/* where members are read from */
typedef struct record_reading {
    const ridge_json *object; /* NULL: there is none, all are missing */
    const ridge_json *around; /* the place of what is missing */
    const char *group;        /* before names in messages: "time_s." */
    const ridge_record_source *source;
} record_reading;

static ridge_status read_members(void *row, const ridge_record *record, const record_reading *r);

static ridge_status read_group(void *row, const ridge_record_field *field, const ridge_json *value, const record_reading *r)
{
    const char *group = ridge_arena_printf(r->source->arena, "%s%s.", r->group, field->key);
    const record_reading inside = {value, value ? value : r->around, group, r->source};
    ridge_status st = RIDGE_OK;
    if (!group)
        return ridge_no_memory(r->source->err);
    if (value && !(st = ridge_record_need(r->source, value, RIDGE_JSON_OBJECT, field->key)))
        st = ridge_record_keys(field->record, value, NULL, r->source);
    return st ? st : read_members((char *)row + field->offset, field->record, &inside);
}

static ridge_status read_field(void *row, const ridge_record_field *field, const record_reading *r)
{
    const ridge_json *value = ridge_json_get(r->object, field->key);
    const ridge_record_column column = {.field = field, .key = field->key};
    const char *reason = "out of memory";
    if (field->kind == RIDGE_RECORD_MEMBERS)
        return read_members((char *)row + field->offset, field->record, r);
    if (field->kind == RIDGE_RECORD_IN)
        return read_group(row, field, value, r);
    ridge_status st = ridge_record_set_json(row, &column, value, &reason, r->source->arena);
    if (st)
        st = ridge_fail(r->source->err, st, "%s%s: %s", r->group, field->key, reason);
    return ridge_record_at(r->source, st, value ? value : r->around);
}

static ridge_status read_members(void *row, const ridge_record *record, const record_reading *r)
{
    ridge_status st = RIDGE_OK;
    for (const ridge_record_field *field = record->fields; field < ridge_record_end(record) && !st; field++)
        if (field->shown & RIDGE_IN_JSON)
            st = read_field(row, field, r);
    return st;
}

ridge_status ridge_record_read(void *row, const ridge_record *record, const ridge_json *object, const ridge_record_source *source)
{
    const record_reading whole = {object, object, "", source};
    return read_members(row, record, &whole);
}
