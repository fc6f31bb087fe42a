/* A record as a JSON Schema (2020-12): types, units, meanings; what may be missing is not required, what may be unknown may be null. */
#include "report/record.h"

static void text_member(ridge_json_writer *w, const char *key, const char *text)
{
    if (text && text[0] != '\0')
        ridge_jw_member_text(w, key, text);
}

/* "integer", or ["integer", "null"] */
static void write_type(ridge_json_writer *w, const char *type, bool nullable)
{
    ridge_jw_key(w, "type");
    if (!nullable) {
        ridge_jw_strz(w, type);
        return;
    }
    ridge_jw_array_compact(w);
    ridge_jw_strz(w, type);
    ridge_jw_strz(w, "null");
    ridge_jw_end_array(w);
}

static void write_words(ridge_json_writer *w, const char *const *words)
{
    ridge_jw_key(w, "enum");
    ridge_jw_array_compact(w);
    for (size_t i = 0; words[i]; i++)
        ridge_jw_strz(w, words[i]);
    ridge_jw_null(w);
    ridge_jw_end_array(w);
}

static void write_items(ridge_json_writer *w, const ridge_record *record)
{
    write_type(w, "array", false);
    ridge_jw_key(w, "items");
    if (record) {
        ridge_record_schema(w, record);
        return;
    }
    ridge_jw_object_compact(w);
    write_type(w, "string", false);
    ridge_jw_end_object(w);
}

static void object_members(ridge_json_writer *w, const ridge_record *record, bool nullable);

static void write_field(ridge_json_writer *w, const ridge_record_field *field)
{
    switch (field->kind) {
    case RIDGE_RECORD_BOOL:
        write_type(w, "boolean", false);
        break;
    case RIDGE_RECORD_MAYBE:
        write_type(w, "boolean", true);
        break;
    case RIDGE_RECORD_UNSIGNED:
    case RIDGE_RECORD_SIZE:
        write_type(w, "integer", false);
        break;
    case RIDGE_RECORD_COUNT:
    case RIDGE_RECORD_WHOLE:
    case RIDGE_RECORD_SIGNED:
        write_type(w, "integer", true);
        break;
    case RIDGE_RECORD_REAL:
    case RIDGE_RECORD_CHANGE:
        write_type(w, "number", true);
        break;
    case RIDGE_RECORD_WORD:
        write_words(w, field->words);
        break;
    case RIDGE_RECORD_TEXTS:
        write_items(w, NULL);
        break;
    case RIDGE_RECORD_LIST:
    case RIDGE_RECORD_ARRAY:
        write_items(w, field->record);
        break;
    case RIDGE_RECORD_IN:
    case RIDGE_RECORD_AT:
        object_members(w, field->record, field->kind == RIDGE_RECORD_AT || field->known.size > 0);
        break;
    case RIDGE_RECORD_WRITTEN:
        if (field->schema)
            field->schema(w);
        break;
    case RIDGE_RECORD_RAW:
        break;
    default:
        write_type(w, "string", true);
        break;
    }
    text_member(w, "description", field->doc);
    text_member(w, "unit", ridge_unit_name(field->unit));
}

static void write_properties(ridge_json_writer *w, const ridge_record *record)
{
    for (const ridge_record_field *field = record->fields; field < ridge_record_end(record); field++) {
        if ((field->shown & RIDGE_IN_JSON) == 0)
            continue;
        if (field->kind == RIDGE_RECORD_MEMBERS || field->kind == RIDGE_RECORD_MEMBERS_AT) {
            write_properties(w, field->record);
            continue;
        }
        ridge_jw_key(w, field->key);
        ridge_jw_object(w);
        write_field(w, field);
        ridge_jw_end_object(w);
    }
}

/* `sure`: whatever stands around it is there too */
static void write_required(ridge_json_writer *w, const ridge_record *record, bool sure)
{
    for (const ridge_record_field *field = record->fields; field < ridge_record_end(record); field++) {
        bool is_required = sure && ridge_record_is_always(field) && (field->shown & RIDGE_IN_JSON) != 0;
        if (field->kind == RIDGE_RECORD_MEMBERS || field->kind == RIDGE_RECORD_MEMBERS_AT)
            write_required(w, field->record, is_required);
        else if (is_required)
            ridge_jw_strz(w, field->key);
    }
}

static void object_members(ridge_json_writer *w, const ridge_record *record, bool nullable)
{
    write_type(w, "object", nullable);
    ridge_jw_key(w, "properties");
    ridge_jw_object(w);
    write_properties(w, record);
    ridge_jw_end_object(w);
    ridge_jw_key(w, "required");
    ridge_jw_array_compact(w);
    write_required(w, record, true);
    ridge_jw_end_array(w);
}

void ridge_record_schema(ridge_json_writer *w, const ridge_record *record)
{
    ridge_jw_object(w);
    text_member(w, "title", record->name);
    object_members(w, record, false);
    text_member(w, "description", record->doc);
    ridge_jw_end_object(w);
}

void ridge_record_answer_schema(ridge_json_writer *w, const ridge_record *record)
{
    static const ridge_record_field fields[] = {
        {.key = "ridge", .kind = RIDGE_RECORD_TEXT, .shown = RIDGE_IN_JSON, .doc = "the version that answered"}};
    static const ridge_record version = {.fields = fields, .field_count = 1};
    const ridge_record_field both[] = {{.key = "", .kind = RIDGE_RECORD_MEMBERS, .shown = RIDGE_IN_JSON, .record = &version},
                                       {.key = "", .kind = RIDGE_RECORD_MEMBERS, .shown = RIDGE_IN_JSON, .record = record}};
    const ridge_record answer = {.name = record->name, .doc = record->doc, .fields = both, .field_count = 2};
    ridge_record_schema(w, &answer);
}
