/* OpenAPI 3.1 of the server, made from the tables of the commands: paths from their names, parameters from their options, answers from
 * their records. https://spec.openapis.org/oas/v3.1.0 */
#include "base/shown.h"
#include "command/help.h"
#include "serve/jobs.h"
#include "serve/task.h"

typedef struct writing {
    ridge_json_writer w;
    ridge_arena arena;
} writing;

/* ---- texts ---- */

/* options without dashes, looks left out */
static void member_text(writing *o, const char *key, const char *text)
{
    const size_t cap = 2 * strlen(text) + 1;
    char *plain = ridge_arena_alloc(&o->arena, cap);
    if (plain)
        (void)ridge_spell(plain, cap, text, "");
    ridge_jw_member_text(&o->w, key, plain);
}

static void begin_object(writing *o, const char *key)
{
    ridge_jw_key(&o->w, key);
    ridge_jw_object(&o->w);
}

static void end_object(writing *o)
{
    ridge_jw_end_object(&o->w);
}

/* {"$ref": "#/components/..."} */
static void member_ref(writing *o, const char *key, const char *place)
{
    ridge_jw_key(&o->w, key);
    ridge_jw_object_compact(&o->w);
    ridge_jw_member_text(&o->w, "$ref", ridge_arena_printf(&o->arena, "#/components/%s", place));
    ridge_jw_end_object(&o->w);
}

/* ---- parameters ---- */

static bool is_offered(const ridge_option *option)
{
    return option->reach != RIDGE_REACH_OUTPUT && option->reach != RIDGE_REACH_PROGRAM;
}

static void write_types(writing *o, const char *first, const char *second)
{
    ridge_jw_key(&o->w, "type");
    ridge_jw_array_compact(&o->w);
    ridge_jw_strz(&o->w, first);
    ridge_jw_strz(&o->w, second);
    ridge_jw_end_array(&o->w);
}

static void write_enum(writing *o, const char *const *words)
{
    ridge_jw_member_text(&o->w, "type", "string");
    ridge_jw_key(&o->w, "enum");
    ridge_jw_array_compact(&o->w);
    for (; *words; words++)
        ridge_jw_strz(&o->w, *words);
    ridge_jw_end_array(&o->w);
}

static void write_list(writing *o)
{
    ridge_jw_member_text(&o->w, "type", "array");
    ridge_jw_key(&o->w, "items");
    ridge_jw_object_compact(&o->w);
    ridge_jw_member_text(&o->w, "type", "string");
    ridge_jw_end_object(&o->w);
}

/* numbers may be written as people do: "2k", "2Ki", "3ms" */
static void write_value_schema(writing *o, const ridge_option *option)
{
    switch (option->kind) {
    case RIDGE_OPTION_FLAG:
    case RIDGE_OPTION_SET:
        ridge_jw_member_text(&o->w, "type", "boolean");
        break;
    case RIDGE_OPTION_INT:
    case RIDGE_OPTION_COUNT:
        write_types(o, "integer", "string");
        ridge_jw_member_whole(&o->w, "minimum", option->min);
        break;
    case RIDGE_OPTION_SECONDS:
    case RIDGE_OPTION_REAL:
        write_types(o, "number", "string");
        break;
    case RIDGE_OPTION_CHOICE:
        write_enum(o, option->words);
        break;
    case RIDGE_OPTION_LIST:
        write_list(o);
        break;
    default:
        ridge_jw_member_text(&o->w, "type", "string");
        break;
    }
    if (ridge_option_default(option))
        ridge_jw_member_text(&o->w, "x-default", ridge_option_default(option));
    if (option->unit)
        ridge_jw_member_text(&o->w, "x-unit", option->unit);
}

static void write_option(writing *o, const ridge_option *option, bool is_parameter)
{
    const char *help = ridge_help_text(option, &o->arena);
    if (is_parameter) {
        ridge_jw_object(&o->w);
        ridge_jw_member_text(&o->w, "name", option->name);
        ridge_jw_member_text(&o->w, "in", "query");
        member_text(o, "description", help ? help : "");
        begin_object(o, "schema");
    } else {
        begin_object(o, option->name);
        member_text(o, "description", help ? help : "");
    }
    write_value_schema(o, option);
    if (is_parameter)
        end_object(o);
    end_object(o);
}

static void write_options(writing *o, const ridge_command *command, bool is_parameter)
{
    for (const ridge_option_table *table = command->tables; table->options; table++)
        for (const ridge_option *option = table->options; option->name; option++)
            if (ridge_options_offered(command->tables, table, option) && is_offered(option))
                write_option(o, option, is_parameter);
}

static void write_operand(writing *o, const ridge_command *command, const char *name, bool is_parameter, bool required)
{
    const ridge_operands *operands = &command->operands;
    if (is_parameter) {
        ridge_jw_object(&o->w);
        ridge_jw_member_text(&o->w, "name", name);
        ridge_jw_member_text(&o->w, "in", "query");
        ridge_jw_key(&o->w, "required");
        ridge_jw_bool(&o->w, required);
        member_text(o, "description", operands->help);
        begin_object(o, "schema");
    } else {
        begin_object(o, name);
        member_text(o, "description", operands->help);
    }
    if (operands->words)
        write_enum(o, operands->words);
    else if (operands->single)
        ridge_jw_member_text(&o->w, "type", "string");
    else
        write_list(o);
    if (is_parameter)
        end_object(o);
    end_object(o);
}

/* required: where one name stands for it, and no config can */
static void write_operands(writing *o, const ridge_command *command, bool is_parameter)
{
    const char *name, *other = ridge_task_operand(command, 1, &o->arena);
    const bool required = command->operands.usage && command->operands.min > 0;
    for (size_t n = 0; command->operands.usage && (name = ridge_task_operand(command, n, &o->arena)) != NULL; n++)
        write_operand(o, command, name, is_parameter, required && n == 0 && !other);
}

/* ---- operations ---- */

static bool has_option(const ridge_command *command, const char *name)
{
    for (const ridge_option_table *table = command->tables; table->options; table++)
        for (const ridge_option *option = table->options; option->name; option++)
            if (strcmp(option->name, name) == 0 && ridge_options_offered(command->tables, table, option))
                return true;
    return false;
}

static void write_type(writing *o, const char *type)
{
    begin_object(o, type);
    begin_object(o, "schema");
    ridge_jw_member_text(&o->w, "type", "string");
    end_object(o);
    end_object(o);
}

static void write_answer(writing *o, const ridge_command *command)
{
    begin_object(o, "200");
    ridge_jw_member_text(&o->w, "description", "what the command line prints");
    begin_object(o, "content");
    if (command->records[0]) {
        begin_object(o, "application/json");
        member_ref(o, "schema", ridge_arena_printf(&o->arena, "schemas/%s", command->records[0]->name));
        end_object(o);
    }
    if (has_option(command, "csv"))
        write_type(o, "text/csv");
    if (has_option(command, "markdown"))
        write_type(o, "text/markdown");
    if (has_option(command, "plot"))
        write_type(o, "image/svg+xml");
    write_type(o, "text/plain");
    end_object(o);
    end_object(o);
}

static bool is_job(const ridge_command *command)
{
    return command->effect == RIDGE_EFFECT_MEASURES || command->effect == RIDGE_EFFECT_FETCHES;
}

static void write_job_answer(writing *o)
{
    begin_object(o, "202");
    ridge_jw_member_text(&o->w, "description", "the job that was made; its answer is at /api/v1/jobs/{id}/result when it has ended");
    begin_object(o, "content");
    begin_object(o, "application/json");
    member_ref(o, "schema", "schemas/Job");
    end_object(o);
    end_object(o);
    end_object(o);
}

static void write_responses(writing *o, const ridge_command *command)
{
    begin_object(o, "responses");
    if (is_job(command))
        write_job_answer(o);
    else
        write_answer(o, command);
    member_ref(o, "default", "responses/Error");
    end_object(o);
}

static void write_operation_head(writing *o, const char *method, const char *path, const ridge_command *command)
{
    begin_object(o, method);
    ridge_jw_member_text(&o->w, "operationId", ridge_arena_printf(&o->arena, "%s %s", method, path));
    member_text(o, "summary", command->summary);
    if (command->details)
        member_text(o, "description", command->details);
}

static void write_get(writing *o, const char *path, const ridge_command *command)
{
    write_operation_head(o, "get", path, command);
    ridge_jw_key(&o->w, "parameters");
    ridge_jw_array(&o->w);
    write_operands(o, command, true);
    write_options(o, command, true);
    ridge_jw_end_array(&o->w);
    write_responses(o, command);
    end_object(o);
}

static void write_post(writing *o, const char *path, const ridge_command *command)
{
    write_operation_head(o, "post", path, command);
    begin_object(o, "requestBody");
    begin_object(o, "content");
    begin_object(o, "application/json");
    begin_object(o, "schema");
    ridge_jw_member_text(&o->w, "type", "object");
    begin_object(o, "properties");
    if (command->operands.length_offset > 0) {
        begin_object(o, "config");
        ridge_jw_member_text(&o->w, "description", "the model's config.json, as an object or as its text, in place of a model's name");
        end_object(o);
    }
    write_operands(o, command, false);
    write_options(o, command, false);
    end_object(o);
    end_object(o);
    end_object(o);
    end_object(o);
    end_object(o);
    write_responses(o, command);
    end_object(o);
}

static void write_path(writing *o, const char *path, const ridge_command *command)
{
    char *route = ridge_arena_printf(&o->arena, "/api/v1/%s", path);
    for (char *c = route; c && *c; c++)
        *c = *c == ' ' ? '/' : *c;
    if (!route)
        return;
    begin_object(o, route);
    if (command->effect == RIDGE_EFFECT_NONE)
        write_get(o, path, command);
    write_post(o, path, command);
    end_object(o);
}

/* calls `write` for each command that is served */
static void each(writing *o, const ridge_command *const *commands, const char *before,
                 void (*write)(writing *o, const char *path, const ridge_command *command))
{
    for (; commands && *commands; commands++) {
        const char *path = ridge_arena_printf(&o->arena, "%s%s%s", before, before[0] ? " " : "", (*commands)->name);
        if (!path)
            return;
        if ((*commands)->run && (*commands)->effect != RIDGE_EFFECT_LOCAL)
            write(o, path, *commands);
        each(o, (*commands)->commands, path, write);
    }
}

/* ---- what is no command ---- */

typedef struct own_path {
    const char *path, *method, *summary, *type, *schema;
    bool has_id;
} own_path;

static const own_path own_paths[] = {
    {"/healthz", "get", "is the server there?", "application/json", NULL, false},
    {"/version", "get", "the program's version", "application/json", NULL, false},
    {"/openapi.json", "get", "this document", "application/json", NULL, false},
    {"/api/v1/jobs", "get", "what waits, what runs, and what has ended", "application/json", "schemas/Jobs", false},
    {"/api/v1/jobs/{id}", "get", "one job", "application/json", "schemas/Job", true},
    {"/api/v1/jobs/{id}", "delete", "cancels it: the answer is what was done", "application/json", "schemas/Job", true},
    {"/api/v1/jobs/{id}/result", "get", "its answer: what the command line prints", "application/json", NULL, true},
    {"/api/v1/jobs/{id}/events", "get", "its events (server-sent), from Last-Event-ID on", "text/event-stream", NULL, true},
};

static void write_id(writing *o)
{
    ridge_jw_key(&o->w, "parameters");
    ridge_jw_array(&o->w);
    ridge_jw_object(&o->w);
    ridge_jw_member_text(&o->w, "name", "id");
    ridge_jw_member_text(&o->w, "in", "path");
    ridge_jw_key(&o->w, "required");
    ridge_jw_bool(&o->w, true);
    begin_object(o, "schema");
    ridge_jw_member_text(&o->w, "type", "string");
    end_object(o);
    end_object(o);
    ridge_jw_end_array(&o->w);
}

static void write_own(writing *o, const own_path *own)
{
    begin_object(o, own->method);
    ridge_jw_member_text(&o->w, "operationId", ridge_arena_printf(&o->arena, "%s %s", own->method, own->path));
    ridge_jw_member_text(&o->w, "summary", own->summary);
    if (own->has_id)
        write_id(o);
    begin_object(o, "responses");
    begin_object(o, "200");
    ridge_jw_member_text(&o->w, "description", own->summary);
    begin_object(o, "content");
    begin_object(o, own->type);
    if (own->schema)
        member_ref(o, "schema", own->schema);
    end_object(o);
    end_object(o);
    end_object(o);
    member_ref(o, "default", "responses/Error");
    end_object(o);
    end_object(o);
}

static void write_own_paths(writing *o)
{
    const char *open = "";
    for (size_t i = 0; i < sizeof own_paths / sizeof *own_paths; i++) {
        if (strcmp(open, own_paths[i].path) != 0) {
            if (open[0])
                end_object(o);
            begin_object(o, own_paths[i].path);
            open = own_paths[i].path;
        }
        write_own(o, &own_paths[i]);
    }
    end_object(o);
}

/* ---- components ---- */

static void write_schema_of(writing *o, const char *path, const ridge_command *command)
{
    (void)path;
    if (!command->records[0])
        return;
    begin_object(o, command->records[0]->name);
    ridge_jw_key(&o->w, "anyOf");
    ridge_jw_array(&o->w);
    for (const ridge_record *const *record = command->records; *record; record++)
        ridge_record_answer_schema(&o->w, *record);
    ridge_jw_end_array(&o->w);
    end_object(o);
}

static const char error_schema[] =
    "{\"type\": \"object\", \"required\": [\"ridge\", \"error\"], \"properties\": {\"ridge\": {\"type\": \"string\"}, \"error\": "
    "{\"type\": \"object\", "
    "\"required\": [\"code\", \"message\"], \"properties\": {\"code\": {\"type\": \"string\"}, \"message\": {\"type\": \"string\"}, "
    "\"file\": {\"type\": [\"string\", \"null\"]}, \"line\": {\"type\": [\"integer\", \"null\"]}, \"col\": {\"type\": [\"integer\", "
    "\"null\"]}}}}}";
static const char error_response[] = "{\"description\": \"why there is no answer\", \"content\": {\"application/json\": {\"schema\": "
                                     "{\"$ref\": \"#/components/schemas/Error\"}}}}";
static const char security_schemes[] = "{\"token\": {\"type\": \"http\", \"scheme\": \"bearer\"}}";

static void member_raw(writing *o, const char *key, const char *json)
{
    ridge_jw_key(&o->w, key);
    ridge_jw_raw(&o->w, ridge_str_of(json));
}

static void write_components(writing *o)
{
    begin_object(o, "components");
    begin_object(o, "schemas");
    each(o, ridge_commands, "", write_schema_of);
    ridge_jw_key(&o->w, "Job");
    ridge_record_answer_schema(&o->w, &ridge_job_record);
    ridge_jw_key(&o->w, "Jobs");
    ridge_record_answer_schema(&o->w, &ridge_jobs_record);
    member_raw(o, "Error", error_schema);
    end_object(o);
    begin_object(o, "responses");
    member_raw(o, "Error", error_response);
    end_object(o);
    member_raw(o, "securitySchemes", security_schemes);
    end_object(o);
}

static void write_info(writing *o)
{
    begin_object(o, "info");
    ridge_jw_member_text(&o->w, "title", "ridge");
    ridge_jw_member_text(&o->w, "version", RIDGE_VERSION);
    ridge_jw_member_text(
        &o->w, "description",
        "What a neural network costs before it runs. A path below /api/v1/ is a command of the program; its options are "
        "parameters, or members of a JSON body, under their own names; the answer is what the command prints with --json.");
    end_object(o);
}

ridge_status ridge_openapi(ridge_buf *out, ridge_err *err)
{
    writing o;
    ridge_arena_init(&o.arena);
    ridge_jw_init(&o.w, out);
    ridge_jw_object_compact(&o.w);
    ridge_jw_member_text(&o.w, "openapi", "3.1.0");
    write_info(&o);
    begin_object(&o, "paths");
    write_own_paths(&o);
    each(&o, ridge_commands, "", write_path);
    end_object(&o);
    write_components(&o);
    end_object(&o);
    ridge_buf_addc(out, '\n');
    ridge_buf_drop_marks(out);
    const bool failed = out->failed || o.arena.failed;
    ridge_arena_free(&o.arena);
    return failed ? ridge_no_memory(err) : RIDGE_OK;
}
