#include "measure/store_fields.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "base/double.h"
#include "measure/row.h"
#include "measure/store.h"

enum { DEPTH_LIMIT = 16, HASH_DIGITS = 16, UUID_DIGITS = 32 };

/* the member's type is checked at compile time */
#define PLACE(type, member, wanted) (offsetof(type, member) + 0 * sizeof(_Generic(&((type *)0)->member, wanted * : 0)))
#define FIELD(name, group, key, kind, member, wanted)                                                                                      \
    {                                                                                                                                      \
        name, group, key, RIDGE_FIELD_##kind, PLACE(STRUCT, member, wanted)                                                                \
    }
#define STRING(kind, name)       FIELD(#name, NULL, #name, kind, name, const char *)
#define UNSIGNED(name, member)   FIELD(#name, NULL, #name, UNSIGNED, member, unsigned)
#define COUNT(name)              FIELD(#name, NULL, #name, COUNT, name, ridge_int)
#define REAL(name)               FIELD(#name, NULL, #name, REAL, name, double)
#define SECONDS(name, key)       FIELD(#name, NULL, #name, SECONDS, time.key, double)
#define TIME(name, word, member) FIELD(name, time_group, word, SECONDS, time.member, double)
#define FLAG(name, member)       FIELD(#name, NULL, #name, FLAG, member, bool)
#define MARK(name, member)       FIELD(#name, NULL, #name, MARK, member, bool)
#define FIELDS(list, type)                                                                                                                 \
    {                                                                                                                                      \
        list, sizeof list / sizeof *list, sizeof(type)                                                                                     \
    }

static const char time_group[] = "time_s"; /* groups are told apart by their address */

#define STRUCT ridge_store_run
static const ridge_store_field run_list[] = {
    STRING(UUID, uuid),       STRING(DATE, started),          STRING(END_DATE, finished), STRING(TEXT, ridge),
    STRING(TEXT, build),      STRING(HASH, machine),          STRING(TEXT, machine_text), STRING(WORD, command),
    STRING(OBJECT, settings), MARK(interrupted, interrupted), /* the last: CSV of before has no such column */
};
#undef STRUCT
#define STRUCT ridge_measured_row
static const ridge_store_field row_list[] = {
    STRING(TEXT, kernel),
    STRING(TEXT, variant),
    STRING(TEXT, provider),
    STRING(SIZES, shape),
    STRING(TEXT, format),
    STRING(WORD, activations),
    UNSIGNED(threads, threads),
    FIELD("cache", NULL, "cache", CACHE, cache, ridge_cache_state),
    TIME("time_median_s", "median", median_s),
    TIME("time_low_s", "low", low_s),
    TIME("time_high_s", "high", high_s),
    SECONDS(mad_s, mad_s),
    SECONDS(minimum_s, minimum_s),
    UNSIGNED(kept, time.kept),
    UNSIGNED(tried, time.tried),
    UNSIGNED(calls_per_sample, time.calls_per_sample),
    FLAG(stopped, time.stopped),
    COUNT(flops),
    COUNT(bytes),
    REAL(flops_per_s),
    REAL(bytes_per_s),
    REAL(percent_of_ceiling),
    REAL(predicted_s),
    REAL(error),
    STRING(WORD, bound),
    REAL(max_relative_error),
    FLAG(beats_roofline, beats_roofline),
};
#undef STRUCT

const ridge_fields ridge_run_fields = FIELDS(run_list, ridge_store_run);
const ridge_fields ridge_row_fields = FIELDS(row_list, ridge_measured_row);

/* ---- members by kind ---- */

static const char **string_at(void *at, const ridge_store_field *field)
{
    return (const char **)(void *)((char *)at + field->offset);
}

static double *double_at(void *at, const ridge_store_field *field)
{
    return (double *)(void *)((char *)at + field->offset);
}

static const void *member(const void *at, const ridge_store_field *field)
{
    return (const char *)at + field->offset;
}

static ridge_status wrong(const char **reason, ridge_arena *arena, const char *wanted, ridge_str text)
{
    int shown = text.n > 60 ? 60 : (int)text.n;
    *reason = text.n == 0 ? ridge_arena_printf(arena, "missing; wanted %s", wanted)
                          : ridge_arena_printf(arena, "wanted %s, found '%.*s'%s", wanted, shown, text.p, text.n > 60 ? "..." : "");
    if (!*reason)
        *reason = wanted;
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

static bool is_hex(ridge_str text, size_t digits)
{
    for (size_t i = 0; i < text.n; i++)
        if (!strchr("0123456789abcdef", text.p[i]) || text.p[i] == '\0')
            return false;
    return text.n == digits;
}

static const char *text_wanted(ridge_field_kind kind)
{
    switch (kind) {
    case RIDGE_FIELD_HASH:
        return "16 hexadecimal digits";
    case RIDGE_FIELD_UUID:
        return "32 hexadecimal digits";
    case RIDGE_FIELD_DATE:
    case RIDGE_FIELD_END_DATE:
        return "a time like 2026-11-21T16:12:27Z";
    default:
        return "text in UTF-8 without control characters";
    }
}

static bool is_wanted_text(ridge_field_kind kind, ridge_str text)
{
    if (text.n == 0)
        return kind == RIDGE_FIELD_WORD || kind == RIDGE_FIELD_END_DATE;
    if (kind == RIDGE_FIELD_HASH || kind == RIDGE_FIELD_UUID)
        return is_hex(text, kind == RIDGE_FIELD_HASH ? HASH_DIGITS : UUID_DIGITS);
    if (kind == RIDGE_FIELD_DATE || kind == RIDGE_FIELD_END_DATE)
        return text.n == strlen("2026-11-21T16:12:27Z") && ridge_store_is_date(text);
    return is_text(text);
}

static ridge_status set_text(void *at, const ridge_store_field *field, ridge_str text, const char **reason, ridge_arena *arena)
{
    if (!is_wanted_text(field->kind, text))
        return wrong(reason, arena, text_wanted(field->kind), text);
    *string_at(at, field) = text.n > 0 ? ridge_arena_strdup(arena, text) : NULL;
    return text.n > 0 && !*string_at(at, field) ? RIDGE_NOMEM : RIDGE_OK;
}

/* ---- JSON objects, written anew on one line ---- */

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

static ridge_status set_object(void *at, const ridge_store_field *field, const ridge_json *object, ridge_str text, const char **reason,
                               ridge_arena *arena)
{
    bool flat = field->kind == RIDGE_FIELD_SIZES;
    ridge_buf buf = {0};
    ridge_json_writer w;
    ridge_jw_init(&w, &buf);
    bool good = object && object->type == RIDGE_JSON_OBJECT && (!flat || object->count > 0) && write_items(&w, object, flat, 0);
    const char *copy = good && !buf.failed ? ridge_arena_strdup(arena, (ridge_str){buf.p, buf.n}) : NULL;
    bool failed = buf.failed;
    ridge_buf_free(&buf);
    if (!good)
        return wrong(reason, arena, flat ? "a JSON object of sizes" : "a JSON object, at most 16 deep", text);
    *string_at(at, field) = copy;
    return failed || !copy ? RIDGE_NOMEM : RIDGE_OK;
}

static ridge_status set_object_text(void *at, const ridge_store_field *field, ridge_str text, const char **reason, ridge_arena *arena)
{
    ridge_json *object = NULL;
    if (text.n == 0 && field->kind == RIDGE_FIELD_OBJECT)
        text = RIDGE_STR("{}");
    if (ridge_json_parse(&object, text, NULL, (ridge_json_options){.unique_keys = true}, arena, NULL) == RIDGE_NOMEM)
        return RIDGE_NOMEM;
    return set_object(at, field, object, text, reason, arena);
}

/* ---- numbers ---- */

/* a number of at least 0, with a point in every locale: the C locale is glibc's own object, making it costs nothing */
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

static ridge_status set_double(void *at, const ridge_store_field *field, ridge_str text, const char **reason, ridge_arena *arena)
{
    if (field->kind == RIDGE_FIELD_REAL && text.n == 0)
        *double_at(at, field) = RIDGE_MEASURE_UNKNOWN;
    else if (!parse_double(double_at(at, field), text, arena))
        return wrong(reason, arena, "a number of at least 0", text);
    return RIDGE_OK;
}

static ridge_status set_integer(void *at, const ridge_store_field *field, ridge_str text, const char **reason, ridge_arena *arena)
{
    ridge_int value = -1;
    bool is_count = field->kind == RIDGE_FIELD_COUNT;
    if (!(is_count && text.n == 0) && (!ridge_int_parse(&value, text) || value < 0 || (!is_count && value > UINT32_MAX)))
        return wrong(reason, arena, is_count ? "a whole number of at least 0" : "a whole number from 0 to 4294967295", text);
    if (is_count)
        memcpy((char *)at + field->offset, &value, sizeof value);
    else
        *(unsigned *)(void *)((char *)at + field->offset) = (unsigned)value;
    return RIDGE_OK;
}

static ridge_status set_choice(void *at, const ridge_store_field *field, ridge_str text, const char **reason, ridge_arena *arena)
{
    static const char *const flags[] = {"false", "true"};
    bool is_flag = field->kind != RIDGE_FIELD_CACHE;
    const char *const *words = is_flag ? flags : ridge_cache_state_names;
    int chosen = ridge_str_is(text, words[1]) ? 1 : ridge_str_is(text, words[0]) ? 0 : -1;
    if (text.n == 0 && field->kind == RIDGE_FIELD_MARK)
        chosen = 0;
    if (chosen < 0)
        return wrong(reason, arena, is_flag ? "true or false" : "hot or cold", text);
    if (is_flag)
        *((bool *)((char *)at + field->offset)) = chosen == 1;
    else
        *(ridge_cache_state *)(void *)((char *)at + field->offset) = (ridge_cache_state)chosen;
    return RIDGE_OK;
}

/* ---- any kind ---- */

ridge_status ridge_field_set(void *at, const ridge_store_field *field, ridge_str text, const char **reason, ridge_arena *arena)
{
    if (text.n == 0)
        text.p = "";
    switch (field->kind) {
    case RIDGE_FIELD_SIZES:
    case RIDGE_FIELD_OBJECT:
        return set_object_text(at, field, text, reason, arena);
    case RIDGE_FIELD_UNSIGNED:
    case RIDGE_FIELD_COUNT:
        return set_integer(at, field, text, reason, arena);
    case RIDGE_FIELD_SECONDS:
    case RIDGE_FIELD_REAL:
        return set_double(at, field, text, reason, arena);
    case RIDGE_FIELD_FLAG:
    case RIDGE_FIELD_MARK:
    case RIDGE_FIELD_CACHE:
        return set_choice(at, field, text, reason, arena);
    default:
        return set_text(at, field, text, reason, arena);
    }
}

static ridge_json_type json_type(ridge_field_kind kind)
{
    switch (kind) {
    case RIDGE_FIELD_SIZES:
    case RIDGE_FIELD_OBJECT:
        return RIDGE_JSON_OBJECT;
    case RIDGE_FIELD_UNSIGNED:
    case RIDGE_FIELD_COUNT:
    case RIDGE_FIELD_SECONDS:
    case RIDGE_FIELD_REAL:
        return RIDGE_JSON_NUMBER;
    case RIDGE_FIELD_FLAG:
    case RIDGE_FIELD_MARK:
        return RIDGE_JSON_TRUE;
    default:
        return RIDGE_JSON_STRING;
    }
}

ridge_status ridge_field_set_json(void *at, const ridge_store_field *field, const ridge_json *value, const char **reason,
                                  ridge_arena *arena)
{
    ridge_json_type wanted = json_type(field->kind);
    if (!value || value->type == RIDGE_JSON_NULL)
        return ridge_field_set(at, field, (ridge_str){"", 0}, reason, arena);
    if (value->type != wanted && !(value->type == RIDGE_JSON_FALSE && wanted == RIDGE_JSON_TRUE)) {
        *reason = ridge_arena_printf(arena, "wanted %s, found %s", ridge_json_type_name(wanted), ridge_json_type_name(value->type));
        return !*reason ? RIDGE_NOMEM : RIDGE_TYPE;
    }
    if (wanted == RIDGE_JSON_OBJECT)
        return set_object(at, field, value, (ridge_str){value->begin, (size_t)(value->end - value->begin)}, reason, arena);
    if (wanted == RIDGE_JSON_TRUE)
        return ridge_field_set(at, field, ridge_str_of(value->type == RIDGE_JSON_TRUE ? "true" : "false"), reason, arena);
    return ridge_field_set(at, field, value->u.text, reason, arena);
}

static void print_double(ridge_buf *out, double value, bool may_be_unknown)
{
    char text[RIDGE_DOUBLE_CHARS];
    if (may_be_unknown && (!isfinite(value) || value < 0))
        return;
    size_t n = ridge_double_print(text, value + 0.0); /* no -0 */
    ridge_buf_add(out, (ridge_str){text, n});
}

void ridge_field_print(ridge_buf *out, const ridge_store_field *field, const void *at)
{
    const void *m = member(at, field);
    ridge_int count;
    switch (field->kind) {
    case RIDGE_FIELD_UNSIGNED:
        ridge_buf_add_int(out, *(const unsigned *)m);
        break;
    case RIDGE_FIELD_COUNT:
        memcpy(&count, m, sizeof count);
        if (count >= 0)
            ridge_buf_add_int(out, count);
        break;
    case RIDGE_FIELD_SECONDS:
    case RIDGE_FIELD_REAL:
        print_double(out, *(const double *)m, field->kind == RIDGE_FIELD_REAL);
        break;
    case RIDGE_FIELD_FLAG:
    case RIDGE_FIELD_MARK:
        ridge_buf_addz(out, *(const bool *)m ? "true" : "false");
        break;
    case RIDGE_FIELD_CACHE:
        ridge_buf_addz(out, ridge_cache_state_names[*(const ridge_cache_state *)m == RIDGE_CACHE_COLD]);
        break;
    default:
        if (*(const char *const *)m != NULL)
            ridge_buf_addz(out, *(const char *const *)m);
    }
}

void ridge_field_json(ridge_json_writer *w, const ridge_store_field *field, const void *at)
{
    ridge_buf text = {0};
    ridge_json_type type = json_type(field->kind);
    ridge_field_print(&text, field, at);
    ridge_jw_key(w, field->key);
    if (text.n == 0 && field->kind == RIDGE_FIELD_OBJECT)
        ridge_jw_raw(w, RIDGE_STR("{}"));
    else if (text.n == 0)
        ridge_jw_null(w);
    else if (type == RIDGE_JSON_STRING)
        ridge_jw_str(w, (ridge_str){text.p, text.n});
    else
        ridge_jw_raw(w, (ridge_str){text.p, text.n});
    w->buf->failed |= text.failed;
    ridge_buf_free(&text);
}

void ridge_fields_json(ridge_json_writer *w, const ridge_fields *fields, const void *at)
{
    const char *open = NULL;
    for (size_t i = 0; i < fields->count; i++) {
        const ridge_store_field *field = &fields->items[i];
        if (open && field->group != open)
            ridge_jw_end_object(w);
        if (field->group && field->group != open) {
            ridge_jw_key(w, field->group);
            ridge_jw_object_compact(w);
        }
        open = field->group;
        ridge_field_json(w, field, at);
    }
    if (open)
        ridge_jw_end_object(w);
}

ridge_status ridge_fields_copy(void *copy, const ridge_fields *fields, const void *from, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    ridge_buf text = {0};
    memset(copy, 0, fields->size);
    for (size_t i = 0; i < fields->count && !st; i++) {
        const char *reason = "out of memory";
        text.n = 0;
        ridge_field_print(&text, &fields->items[i], from);
        st = text.failed ? RIDGE_NOMEM : ridge_field_set(copy, &fields->items[i], (ridge_str){text.p, text.n}, &reason, arena);
        if (st)
            st = ridge_fail(err, st, "%s: %s", fields->items[i].name, reason);
    }
    ridge_buf_free(&text);
    return st;
}

ridge_status ridge_row_check(const ridge_measured_row *row, ridge_err *err)
{
    if (row->time.low_s <= row->time.median_s && row->time.median_s <= row->time.high_s)
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_VALUE, "the median %g s is not in its interval, %g to %g s", row->time.median_s, row->time.low_s,
                      row->time.high_s);
}
