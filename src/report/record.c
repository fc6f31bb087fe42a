#include "report/record.h"

#include <math.h>

#include "base/double.h"

static const void *at(const void *row, size_t offset)
{
    return (const char *)row + offset;
}

static bool holds(ridge_record_where where, const void *row)
{
    const unsigned char *p = at(row, where.offset), *end = p + where.size;
    while (p < end && *p == 0)
        p++;
    return p < end || where.size == 0;
}

static bool is_given(const ridge_record_field *field, const void *row)
{
    return field->given ? field->given(row) : holds(field->where, row);
}

/* ---- numbers ---- */

/* an integer kind's value */
static ridge_int integer_of(const ridge_record_field *field, const void *member)
{
    ridge_int value;
    switch (field->kind) {
    case RIDGE_RECORD_WHOLE:
    case RIDGE_RECORD_SIGNED:
        return *(const int64_t *)member;
    case RIDGE_RECORD_UNSIGNED:
        return *(const unsigned *)member;
    case RIDGE_RECORD_SIZE:
        return (ridge_int) * (const size_t *)member;
    default:
        memcpy(&value, member, sizeof value);
        return value;
    }
}

static bool is_integer(ridge_record_kind kind)
{
    return kind >= RIDGE_RECORD_COUNT && kind <= RIDGE_RECORD_SIZE;
}

static bool is_known(const ridge_record_field *field, ridge_int value)
{
    return value >= 0 || (field->kind == RIDGE_RECORD_SIGNED && value != INT64_MIN);
}

/* NAN: not known */
static double real_of(const ridge_record_field *field, const void *member)
{
    double value = *(const double *)member;
    return isfinite(value) && (value >= 0 || field->kind == RIDGE_RECORD_CHANGE) ? value : (double)NAN;
}

static bool is_real(ridge_record_kind kind)
{
    return kind == RIDGE_RECORD_REAL || kind == RIDGE_RECORD_CHANGE;
}

/* a text kind's value; p NULL: not known */
static ridge_str text_of(const ridge_record_field *field, const void *member)
{
    const char *z = NULL;
    switch (field->kind) {
    case RIDGE_RECORD_STR:
        return *(const ridge_str *)member;
    case RIDGE_RECORD_WORD:
        z = *(const int *)member >= 0 ? field->words[*(const int *)member] : NULL;
        break;
    case RIDGE_RECORD_FORMAT:
        z = *(const ridge_format *const *)member ? (*(const ridge_format *const *)member)->name : NULL;
        break;
    case RIDGE_RECORD_CHARS:
        z = *(const char *)member != '\0' ? member : NULL;
        break;
    default:
        z = *(const char *const *)member;
        break;
    }
    return z ? ridge_str_of(z) : (ridge_str){NULL, 0};
}

/* ---- JSON ---- */

static void write_integer(ridge_json_writer *w, const ridge_record_field *field, ridge_int value)
{
    if (is_known(field, value))
        ridge_jw_int(w, value);
    else
        ridge_jw_null(w);
}

static void write_text(ridge_json_writer *w, const ridge_record_field *field, const void *member)
{
    ridge_str text = text_of(field, member);
    if (!text.p)
        ridge_jw_null(w);
    else if (field->kind == RIDGE_RECORD_RAW)
        ridge_jw_raw(w, text);
    else
        ridge_jw_str(w, text);
}

static void write_texts(ridge_json_writer *w, const ridge_record_field *field, const char *const *texts, size_t count)
{
    if (field->compact)
        ridge_jw_array_compact(w);
    else
        ridge_jw_array(w);
    for (size_t i = 0; i < count; i++)
        ridge_jw_strz(w, texts[i]);
    ridge_jw_end_array(w);
}

static void write_structs(ridge_json_writer *w, const ridge_record_field *field, const char *items, size_t count)
{
    if (field->compact)
        ridge_jw_array_compact(w);
    else
        ridge_jw_array(w);
    for (size_t i = 0; i < count; i++)
        ridge_record_object(w, field->record, items + i * field->record->size, !field->open);
    ridge_jw_end_array(w);
}

static void write_list(ridge_json_writer *w, const ridge_record_field *field, const void *row)
{
    const void *member = at(row, field->offset);
    size_t count = *(const size_t *)at(row, field->count);
    if (!field->record)
        write_texts(w, field, *(const char *const *const *)member, count);
    else
        write_structs(w, field, field->kind == RIDGE_RECORD_ARRAY ? member : *(const void *const *)member, count);
}

static void write_struct(ridge_json_writer *w, const ridge_record_field *field, const void *row)
{
    if (row)
        ridge_record_object(w, field->record, row, field->compact);
    else
        ridge_jw_null(w);
}

static void write_maybe(ridge_json_writer *w, int truth)
{
    if (truth < 0)
        ridge_jw_null(w);
    else
        ridge_jw_bool(w, truth > 0);
}

static void write_value(ridge_json_writer *w, const ridge_record_field *field, const void *row)
{
    const void *member = at(row, field->offset);
    const ridge_words *words = member;
    char text[RIDGE_RATIONAL_CHARS];
    switch (field->kind) {
    case RIDGE_RECORD_BOOL:
        ridge_jw_bool(w, *(const bool *)member);
        break;
    case RIDGE_RECORD_MAYBE:
        write_maybe(w, *(const int *)member);
        break;
    case RIDGE_RECORD_COUNT:
    case RIDGE_RECORD_WHOLE:
    case RIDGE_RECORD_SIGNED:
    case RIDGE_RECORD_UNSIGNED:
    case RIDGE_RECORD_SIZE:
        write_integer(w, field, integer_of(field, member));
        break;
    case RIDGE_RECORD_REAL:
    case RIDGE_RECORD_CHANGE:
        ridge_jw_double(w, real_of(field, member));
        break;
    case RIDGE_RECORD_RATIONAL:
        (void)ridge_rational_print(text, *(const ridge_rational *)member);
        ridge_jw_strz(w, text);
        break;
    case RIDGE_RECORD_TEXTS:
        write_texts(w, field, words->items, words->count);
        break;
    case RIDGE_RECORD_IN:
        write_struct(w, field, holds(field->known, row) ? member : NULL);
        break;
    case RIDGE_RECORD_AT:
        write_struct(w, field, *(const void *const *)member);
        break;
    case RIDGE_RECORD_LIST:
    case RIDGE_RECORD_ARRAY:
        write_list(w, field, row);
        break;
    case RIDGE_RECORD_WRITTEN:
        field->write(w, row);
        break;
    default:
        write_text(w, field, member);
        break;
    }
}

void ridge_record_members(ridge_json_writer *w, const ridge_record *record, const void *row)
{
    for (const ridge_record_field *field = record->fields; field < ridge_record_end(record); field++) {
        if ((field->shown & RIDGE_IN_JSON) == 0 || !is_given(field, row))
            continue;
        if (field->kind == RIDGE_RECORD_MEMBERS || field->kind == RIDGE_RECORD_MEMBERS_AT) {
            const void *inside = at(row, field->offset);
            ridge_record_members(w, field->record, field->kind == RIDGE_RECORD_MEMBERS ? inside : *(const void *const *)inside);
            continue;
        }
        ridge_jw_key(w, field->key);
        write_value(w, field, row);
    }
}

void ridge_record_object(ridge_json_writer *w, const ridge_record *record, const void *row, bool compact)
{
    if (compact)
        ridge_jw_object_compact(w);
    else
        ridge_jw_object(w);
    ridge_record_members(w, record, row);
    ridge_jw_end_object(w);
}

void ridge_record_answer(ridge_buf *out, const ridge_record *record, const void *answer)
{
    ridge_json_writer w;
    ridge_jw_answer(&w, out);
    ridge_record_members(&w, record, answer);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
}

/* ---- columns ---- */

typedef struct collecting {
    ridge_record_columns *out;
    size_t cap;
    ridge_arena *arena;
} collecting;

/* "flops" and "matmul": "flops_matmul"; "flops" and "total": "flops"; "time_s" and "median": "time_median_s", as the unit stands last */
static const char *joined_key(const char *prefix, const char *own, ridge_arena *arena)
{
    size_t n = strlen(prefix);
    if (n == 0 || strcmp(own, "total") == 0)
        return n == 0 ? own : prefix;
    bool seconds = n > 2 && strcmp(prefix + n - 2, "_s") == 0;
    return ridge_arena_printf(arena, "%.*s_%s%s", (int)(seconds ? n - 2 : n), prefix, own, seconds ? "_s" : "");
}

static bool collect(collecting *c, const ridge_record *record, const ridge_record_column *place, const char *prefix);

/* the columns of a struct in that of `place`, or at the end of a pointer there */
static bool collect_inside(collecting *c, const ridge_record_field *field, const ridge_record_column *place, const char *prefix)
{
    ridge_record_column inside = *place;
    if (field->kind == RIDGE_RECORD_MEMBERS_AT) {
        inside.is_at = true;
        inside.pointer = place->offset + field->offset;
        inside.offset = 0;
    } else {
        inside.offset += field->offset;
    }
    return prefix && collect(c, field->record, &inside, prefix);
}

static bool collect(collecting *c, const ridge_record *record, const ridge_record_column *place, const char *prefix)
{
    for (const ridge_record_field *field = record->fields; field < ridge_record_end(record); field++) {
        bool is_among = field->kind == RIDGE_RECORD_MEMBERS || field->kind == RIDGE_RECORD_MEMBERS_AT;
        const char *csv = c->out->form == RIDGE_FORM_JSON ? NULL : field->csv, *key;
        if ((field->shown & 1u << c->out->form) == 0)
            continue;
        if (is_among || field->kind == RIDGE_RECORD_IN) {
            key = is_among ? prefix : csv ? csv : joined_key(prefix, field->key, c->arena);
            if (!collect_inside(c, field, place, key))
                return false;
            continue;
        }
        key = joined_key(prefix, csv ? csv : field->key, c->arena);
        c->out->items = ridge_arena_grow(c->arena, c->out->items, c->out->count, &c->cap, c->out->count + 1, sizeof *c->out->items);
        if (!key || !c->out->items)
            return false;
        c->out->items[c->out->count++] = (ridge_record_column){field, place->offset, key, place->is_at, place->pointer};
    }
    return true;
}

ridge_status ridge_record_columns_make(ridge_record_columns *out, const ridge_record *record, ridge_form form, ridge_arena *arena,
                                       ridge_err *err)
{
    collecting c = {.out = out, .arena = arena};
    const ridge_record_column whole = {0};
    *out = (ridge_record_columns){.form = form};
    return collect(&c, record, &whole, "") ? RIDGE_OK : ridge_no_memory(err);
}

/* the struct that a column's field is of; NULL: there is none */
static const void *own_of(const ridge_record_column *column, const void *row)
{
    const void *from = column->is_at ? *(const void *const *)at(row, column->pointer) : row;
    return from ? at(from, column->offset) : NULL;
}

/* ---- cells for people ---- */

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* "+1.2 ms", "-3.1 ms", "0" */
static const char *change_text(ridge_arena *arena, ridge_unit unit, double value)
{
    if (value >= 0 && value <= 0)
        return "0";
    return or_empty(ridge_arena_printf(arena, "%s%s", value < 0 ? "-" : "+", ridge_unit_text(arena, unit, fabs(value))));
}

static const char *people_cell(const ridge_record_field *field, const void *row, bool exact, ridge_arena *arena)
{
    const void *member = at(row, field->offset);
    ridge_str text;
    if (is_integer(field->kind)) {
        ridge_int value = integer_of(field, member);
        const char *digits = ridge_unit_text_int(arena, exact ? RIDGE_UNIT_NONE : field->unit, value < 0 ? -value : value);
        return !is_known(field, value) ? "-" : value < 0 ? or_empty(ridge_arena_printf(arena, "-%s", digits)) : digits;
    }
    if (is_real(field->kind)) {
        double value = real_of(field, member);
        return isnan(value)                         ? "-"
               : field->kind == RIDGE_RECORD_CHANGE ? change_text(arena, field->unit, value)
                                                    : ridge_unit_text(arena, field->unit, value);
    }
    switch (field->kind) {
    case RIDGE_RECORD_BOOL:
        return *(const bool *)member ? "yes" : "no";
    case RIDGE_RECORD_MAYBE:
        return *(const int *)member < 0 ? "-" : *(const int *)member > 0 ? "yes" : "no";
    case RIDGE_RECORD_RATIONAL:
        return or_empty(ridge_arena_printf(arena, "%.10g", ridge_rational_double(*(const ridge_rational *)member)));
    case RIDGE_RECORD_TEXTS:
        return ridge_words_joined(member, arena);
    case RIDGE_RECORD_STR:
        text = text_of(field, member);
        return text.p ? or_empty(ridge_arena_strdup(arena, text)) : "-";
    default:
        text = text_of(field, member);
        return text.p ? text.p : "-";
    }
}

/* ---- CSV ---- */

static void csv_real(ridge_buf *out, double value)
{
    char *at = isnan(value) ? NULL : ridge_buf_room(out, RIDGE_DOUBLE_CHARS);
    if (at)
        out->n += ridge_double_print(at, value);
}

static void list_texts(ridge_buf *out, const ridge_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        ridge_buf_addf(out, "%s%s", i > 0 ? "; " : "", words->items[i]);
}

static void text_at(ridge_buf *out, const ridge_record_field *field, const void *member)
{
    if (is_integer(field->kind)) {
        ridge_int value = integer_of(field, member);
        if (is_known(field, value))
            ridge_buf_add_int(out, value);
        return;
    }
    switch (field->kind) {
    case RIDGE_RECORD_BOOL:
        ridge_buf_addz(out, *(const bool *)member ? "true" : "false");
        break;
    case RIDGE_RECORD_MAYBE:
        ridge_buf_addz(out, *(const int *)member < 0 ? "" : *(const int *)member > 0 ? "true" : "false");
        break;
    case RIDGE_RECORD_REAL:
    case RIDGE_RECORD_CHANGE:
        csv_real(out, real_of(field, member));
        break;
    case RIDGE_RECORD_RATIONAL:
        csv_real(out, ridge_rational_double(*(const ridge_rational *)member));
        break;
    case RIDGE_RECORD_TEXTS:
        list_texts(out, member);
        break;
    default:
        ridge_buf_add(out, text_of(field, member));
        break;
    }
}

void ridge_record_text(ridge_buf *out, const ridge_record_column *column, const void *row)
{
    const void *own = own_of(column, row);
    if (own)
        text_at(out, column->field, at(own, column->field->offset));
}

/* is its text one that never needs quotes? */
static bool is_plain(ridge_record_kind kind)
{
    return is_integer(kind) || is_real(kind) || kind == RIDGE_RECORD_BOOL || kind == RIDGE_RECORD_MAYBE || kind == RIDGE_RECORD_RATIONAL;
}

void ridge_record_csv_cell(ridge_buf *out, const ridge_record_column *column, const void *row)
{
    const ridge_record_field *field = column->field;
    const void *own = own_of(column, row);
    ridge_buf list = {0};
    if (!own)
        return;
    if (is_plain(field->kind)) {
        text_at(out, field, at(own, field->offset));
    } else if (field->kind == RIDGE_RECORD_TEXTS) {
        text_at(&list, field, at(own, field->offset));
        ridge_buf_add_csv(out, (ridge_str){list.p, list.n});
        out->failed |= list.failed;
        ridge_buf_free(&list);
    } else {
        ridge_buf_add_csv(out, text_of(field, at(own, field->offset)));
    }
}

void ridge_record_csv_head(ridge_buf *out, const ridge_record_columns *columns)
{
    for (size_t c = 0; c < columns->count; c++) {
        if (c > 0)
            ridge_buf_addc(out, ',');
        ridge_buf_add_csv(out, ridge_str_of(columns->items[c].key));
    }
    ridge_buf_addc(out, '\n');
}

void ridge_record_same_make(ridge_record_same *out, const ridge_record_columns *columns, const void *row, size_t bytes)
{
    *out = (ridge_record_same){0};
    for (size_t c = 0; c < columns->count && c < RIDGE_RECORD_SAME_MOST; c++) {
        const ridge_record_column *column = &columns->items[c];
        if (!column->is_at && column->offset + column->field->offset < bytes) {
            ridge_record_csv_cell(&out->text, column, row);
            ridge_buf_addc(&out->text, ',');
        }
        out->ends[c] = out->text.n;
    }
}

void ridge_record_same_free(ridge_record_same *same)
{
    ridge_buf_free(&same->text);
}

void ridge_record_csv_row(ridge_buf *out, const ridge_record_columns *columns, const ridge_record_same *same, const void *row)
{
    size_t done = 0; /* of the text */
    for (size_t c = 0; c < columns->count; c++) {
        const size_t first = c;
        while (c < columns->count && c < RIDGE_RECORD_SAME_MOST && same->ends[c] > (c > 0 ? same->ends[c - 1] : 0))
            c++;
        if (c > first) {
            ridge_buf_add(out, (ridge_str){same->text.p + done, same->ends[c - 1] - done});
            done = same->ends[c - 1];
        }
        if (c < columns->count) {
            ridge_record_csv_cell(out, &columns->items[c], row);
            ridge_buf_addc(out, ',');
        }
    }
    if (!out->failed && columns->count > 0)
        out->p[out->n - 1] = '\n';
}

/* ---- tables ---- */

const char *ridge_record_cell(const ridge_record_columns *columns, size_t index, const void *row, ridge_arena *arena)
{
    const ridge_record_column *column = &columns->items[index];
    const void *own = own_of(column, row);
    if (!own)
        return columns->form == RIDGE_FORM_CSV ? "" : "-";
    if (columns->form != RIDGE_FORM_CSV && column->field->text)
        return or_empty(column->field->text(arena, own));
    if (columns->form != RIDGE_FORM_CSV)
        return people_cell(column->field, own, columns->exact, arena);
    ridge_buf text = {0};
    ridge_record_csv_cell(&text, column, row);
    return or_empty(ridge_arena_take(arena, &text));
}

static bool is_number(const ridge_record_field *field)
{
    return (is_integer(field->kind) || is_real(field->kind) || field->kind == RIDGE_RECORD_RATIONAL || field->unit != RIDGE_UNIT_NONE) &&
           !field->left;
}

/* is the column's member there in some row? */
static bool is_there(const ridge_record_column *column, const void *rows, size_t count, size_t stride)
{
    bool found = ridge_record_is_always(column->field) || count == 0;
    for (size_t i = 0; i < count && !found; i++) {
        const void *own = own_of(column, at(rows, i * stride));
        found = own && is_given(column->field, own);
    }
    return found;
}

ridge_status ridge_record_columns_table(ridge_table *table, const ridge_record_columns *columns, const void *rows, size_t count,
                                        size_t stride, ridge_arena *arena, ridge_err *err)
{
    ridge_column *heads = ridge_arena_array(arena, columns->count + 1, sizeof *heads);
    size_t *shown = ridge_arena_array(arena, columns->count + 1, sizeof *shown), n = 0;
    if (!heads || !shown)
        return ridge_no_memory(err);
    for (size_t c = 0; c < columns->count; c++) {
        const ridge_record_field *field = columns->items[c].field;
        if (!is_there(&columns->items[c], rows, count, stride))
            continue;
        heads[n] = (ridge_column){field->title ? field->title : field->key, columns->items[c].key, is_number(field), field->minor};
        shown[n++] = c;
    }
    ridge_table_init(table, arena, heads, n);
    for (size_t c = 0; c < n; c++)
        table->shortened = columns->items[shown[c]].field->shortened ? c : table->shortened;
    for (size_t i = 0; i < count; i++) {
        const char **cells = ridge_table_row(table);
        if (!cells)
            return ridge_no_memory(err);
        for (size_t c = 0; c < n; c++)
            cells[c] = ridge_record_cell(columns, shown[c], at(rows, i * stride), arena);
    }
    return RIDGE_OK;
}

ridge_status ridge_record_table(ridge_table *table, const ridge_record *record, ridge_form form, const void *rows, size_t count,
                                ridge_arena *arena, ridge_err *err)
{
    ridge_record_columns columns;
    ridge_status st = ridge_record_columns_make(&columns, record, form, arena, err);
    return st ? st : ridge_record_columns_table(table, &columns, rows, count, record->size, arena, err);
}

ridge_status ridge_record_print(ridge_buf *out, const ridge_record *record, const ridge_record_style *style, const void *rows, size_t count,
                                ridge_err *err)
{
    ridge_arena arena;
    ridge_table table;
    ridge_record_columns columns;
    const ridge_record_same none = {0};
    ridge_arena_init(&arena);
    ridge_status st = ridge_record_columns_make(&columns, record, style->form, &arena, err);
    columns.exact = style->exact;
    if (!st && style->form == RIDGE_FORM_CSV) {
        ridge_record_csv_head(out, &columns);
        for (size_t i = 0; i < count; i++)
            ridge_record_csv_row(out, &columns, &none, at(rows, i * record->size));
    } else if (!st && !(st = ridge_record_columns_table(&table, &columns, rows, count, record->size, &arena, err))) {
        ridge_table_render(out, &table, style->form, style->width);
    }
    out->failed = out->failed || arena.failed;
    ridge_arena_free(&arena);
    return st;
}
