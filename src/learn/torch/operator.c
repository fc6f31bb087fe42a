/* The table of operators: read from the embedded data (entries of kind "operator"), found by the names of torch. */
#include "learn/torch/operator.h"

#include "base/file.h"
#include "base/json.h"
#include "catalog/embedded.h"
#include "learn/torch/rules.h"

enum { INHERITS_DEPTH = 4, OPERATORS_LIMIT = 16 << 20 };

typedef struct named {
    const ridge_symbol *name;
    const ridge_operator *operator;
} named;

struct ridge_operator_table {
    named *slots; /* hash by symbol id; cap is a power of two */
    uint32_t cap, count;
};

static const struct {
    const char *name;
    ridge_shape_rule *rule;
} rules[] = {
#define X(name) {#name, ridge_rule_##name},
    RIDGE_RULE_LIST(X)
#undef X
};

static ridge_shape_rule *rule_of(const char *name)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].name, name) == 0)
            return rules[i].rule;
    return NULL;
}

/* ---- names to operators ---- */

static named *slot_of(const struct ridge_operator_table *table, const ridge_symbol *name)
{
    uint32_t at = (name->id * 2654435761u) & (table->cap - 1);
    while (table->slots[at].name && table->slots[at].name != name)
        at = (at + 1) & (table->cap - 1);
    return &table->slots[at];
}

static ridge_status grow(struct ridge_operator_table *table, ridge_py_interp *in)
{
    struct ridge_operator_table old = *table;
    table->cap = old.cap ? old.cap * 2 : 2048;
    table->slots = ridge_arena_array(in->arena, table->cap, sizeof *table->slots);
    if (!table->slots)
        return ridge_no_memory(in->err);
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.slots[i].name)
            *slot_of(table, old.slots[i].name) = old.slots[i];
    return RIDGE_OK;
}

static ridge_status add_name(struct ridge_operator_table *table, ridge_str text, const ridge_operator *op, ridge_py_interp *in)
{
    if (table->count * 2 >= table->cap) {
        ridge_status st = grow(table, in);
        if (st)
            return st;
    }
    const ridge_symbol *name = ridge_intern(&in->names, text);
    if (!name)
        return ridge_no_memory(in->err);
    named *slot = slot_of(table, name);
    if (slot->name)
        return strcmp(name->text, op->name) == 0 ? RIDGE_OK /* two entries may print one name: convolution, forwards and transposed */
                                                 : ridge_fail(in->err, RIDGE_CHECK, "two operators are called %s", name->text);
    *slot = (named){name, op};
    table->count++;
    return RIDGE_OK;
}

const ridge_operator *ridge_operator_find(const char *function, ridge_py_interp *in)
{
    const struct ridge_operator_table *table = ridge_run_of(in)->table;
    const ridge_symbol *name = ridge_intern_find(&in->names, ridge_str_of(function));
    return name && table ? slot_of(table, name)->operator: NULL;
}

bool ridge_operator_does(const ridge_operator *op, const char *flop_class)
{
    return op->flop_class && strcmp(op->flop_class, flop_class) == 0;
}

/* ---- reading an entry ---- */

static ridge_status text_of(const char **out, const ridge_json *entry, const char *key, ridge_py_interp *in)
{
    const ridge_json *at = ridge_json_get(entry, key);
    if (!at || at->type != RIDGE_JSON_STRING)
        return RIDGE_OK;
    *out = ridge_arena_strdup(in->arena, at->u.text);
    return *out ? RIDGE_OK : ridge_no_memory(in->err);
}

/* "input, *shape, dim=None": the parameters' names */
static ridge_status read_names(ridge_operator *op, ridge_py_interp *in)
{
    const char **names = ridge_arena_array(in->arena, strlen(op->signature) / 2 + 1, sizeof *names);
    if (!names)
        return ridge_no_memory(in->err);
    op->name_count = 0;
    for (const char *at = op->signature; *at;) {
        at += strspn(at, " *,");
        size_t n = strcspn(at, ",= ");
        if (n && !(names[op->name_count++] = ridge_arena_strdup(in->arena, (ridge_str){at, n})))
            return ridge_no_memory(in->err);
        at += strcspn(at, ",");
    }
    op->names = names;
    return RIDGE_OK;
}

static ridge_status read_flops(ridge_operator *op, const ridge_json *entry, ridge_py_interp *in)
{
    const ridge_json *flops = ridge_json_get(entry, "flops");
    if (!flops || flops->type != RIDGE_JSON_OBJECT || flops->count != 1)
        return RIDGE_OK;
    op->formula = NULL;
    op->flop_class = ridge_arena_strdup(in->arena, flops->u.members[0].key);
    const ridge_json *formula = &flops->u.members[0].value;
    op->flops = ridge_arena_strdup(in->arena, formula->u.text);
    return op->flop_class && op->flops ? RIDGE_OK : ridge_no_memory(in->err);
}

static const ridge_embedded_entry *embedded(ridge_str key)
{
    size_t low = 0, high = ridge_embedded_catalog_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        ridge_str found = ridge_str_of(ridge_embedded_key(&ridge_embedded_catalog[middle]));
        size_t n = found.n < key.n ? found.n : key.n;
        int order = memcmp(found.p, key.p, n);
        if (order == 0 && found.n == key.n)
            return &ridge_embedded_catalog[middle];
        if (order < 0 || (order == 0 && found.n < key.n))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* an entry's JSON: of those that were given, unless `builtin`, else the built-in one; NULL: there is none */
static ridge_status find_entry(const ridge_json **out, const char **file, ridge_str key, bool builtin, ridge_py_interp *in)
{
    const ridge_embedded_entry *from = embedded(key);
    ridge_json *entry;
    *file = "the operators";
    if ((*out = in->operators && !builtin ? ridge_json_get_str(in->operators, key) : NULL) || !from)
        return RIDGE_OK;
    *file = ridge_embedded_file(from);
    ridge_status st =
        ridge_json_parse(&entry, (ridge_str){ridge_embedded_text(from), from->length}, *file, (ridge_json_options){0}, in->arena, in->err);
    *out = st ? NULL : entry;
    return st;
}

/* builtin: what a given entry of this key inherits from the built-in one */
static ridge_status read_entry(ridge_operator *op, ridge_str key, bool builtin, unsigned depth, ridge_py_interp *in)
{
    const ridge_json *entry;
    const char *file;
    ridge_status st = find_entry(&entry, &file, key, builtin, in);
    const ridge_json *base = st ? NULL : ridge_json_get(entry, "inherits");
    if (!st && (!entry || depth >= INHERITS_DEPTH))
        return ridge_fail(in->err, RIDGE_NAME, "an operator inherits '%.*s', which is not there", RIDGE_STR_ARG(key));
    if (base && base->type == RIDGE_JSON_STRING)
        st = read_entry(op, base->u.text, builtin || ridge_str_eq(base->u.text, key), depth + 1, in);
    const struct {
        const char *key, **out;
    } texts[] = {{"signature", &op->signature}, {"shape", &op->shape}, {"dtype", &op->dtype},
                 {"bytes", &op->bytes},         {"saved", &op->saved}, {"fuses", &op->fuses},
                 {"scalar", &op->scalar},       {"whole", &op->whole}, {"mode", &op->mode}};
    for (size_t i = 0; !st && i < sizeof texts / sizeof *texts; i++)
        st = text_of(texts[i].out, entry, texts[i].key, in);
    if (!st)
        st = read_flops(op, entry, in);
    op->functions = op->name = NULL; /* these are its own */
    if (!st)
        st = text_of(&op->functions, entry, "functions", in);
    if (!st)
        st = text_of(&op->name, entry, "class", in);
    const ridge_json *in_place = st ? NULL : ridge_json_get(entry, "in_place");
    op->in_place = in_place && in_place->type == RIDGE_JSON_TRUE;
    return st;
}

static ridge_status name_it(ridge_operator *op, const char *key, ridge_py_interp *in)
{
    if (op->name)
        return RIDGE_OK;
    char *name = ridge_arena_strdup(in->arena, ridge_str_of(key));
    if (!name)
        return ridge_no_memory(in->err);
    char *to = name;
    for (const char *at = key; *at; to++) { /* __ is a dot */
        bool dot = at[0] == '_' && at[1] == '_';
        *to = dot ? '.' : *at;
        at += dot ? 2 : 1;
    }
    *to = '\0';
    op->name = name;
    return RIDGE_OK;
}

static ridge_status load_one(struct ridge_operator_table *table, ridge_str key, ridge_py_interp *in)
{
    ridge_operator *op = ridge_arena_alloc(in->arena, sizeof *op);
    if (!op)
        return ridge_no_memory(in->err);
    const char *name = ridge_arena_strdup(in->arena, key);
    ridge_status st = name ? read_entry(op, key, false, 0, in) : ridge_no_memory(in->err);
    if (!st)
        st = name_it(op, name, in);
    if (st)
        return st;
    if (!op->shape) { /* made elsewhere */
        op->shape = "given";
        op->signature = op->signature ? op->signature : "";
    }
    op->rule = rule_of(op->shape);
    if (!op->signature || !op->rule)
        return ridge_fail(in->err, RIDGE_NAME, "%s has no rule '%s' or no signature", op->name, op->shape);
    st = read_names(op, in);
    if (!st)
        st = add_name(table, ridge_str_of(op->name), op, in);
    for (const char *at = op->functions; !st && at && *at;) {
        size_t n = strcspn(at, " ");
        st = add_name(table, (ridge_str){at, n}, op, in);
        at += n + strspn(at + n, " ");
    }
    return st;
}

ridge_status ridge_operators_read(const char *path, ridge_py_interp *in)
{
    ridge_str text;
    ridge_json *json;
    ridge_status st = ridge_file_read(&text, path, OPERATORS_LIMIT, in->arena, in->err);
    if (st || (st = ridge_json_parse(&json, text, path, (ridge_json_options){.unique_keys = true}, in->arena, in->err)))
        return st;
    if (json->type != RIDGE_JSON_OBJECT)
        return ridge_fail_at(in->err, RIDGE_TYPE, path, json->line, json->col, "operators are an object, not %s",
                             ridge_json_type_name(json->type));
    for (uint32_t i = 0; i < json->count; i++)
        if (json->u.members[i].value.type != RIDGE_JSON_OBJECT)
            return ridge_fail_at(in->err, RIDGE_TYPE, path, json->u.members[i].value.line, json->u.members[i].value.col,
                                 "an operator is an object, not %s", ridge_json_type_name(json->u.members[i].value.type));
    in->operators = json;
    return RIDGE_OK;
}

ridge_status ridge_operators_load(ridge_py_interp *in)
{
    struct ridge_operator_table *table = ridge_arena_alloc(in->arena, sizeof *table);
    if (!table)
        return ridge_no_memory(in->err);
    ridge_status st = grow(table, in);
    for (unsigned i = 0; !st && i < ridge_embedded_catalog_count; i++)
        if (strcmp(ridge_embedded_file(&ridge_embedded_catalog[i]), "catalog/torch/operators.json") == 0)
            st = load_one(table, ridge_str_of(ridge_embedded_key(&ridge_embedded_catalog[i])), in);
    for (uint32_t i = 0; in->operators && !st && i < in->operators->count; i++)
        if (!embedded(in->operators->u.members[i].key))
            st = load_one(table, in->operators->u.members[i].key, in);
    ridge_run_of(in)->table = table;
    return st;
}
