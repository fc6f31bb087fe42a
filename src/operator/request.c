#include "operator/request.h"

ridge_status ridge_op_read_kind(ridge_op_kind *kind, const char *name, ridge_err *err)
{
    ridge_nearest nearest = {0};
    for (int k = 0; k < RIDGE_OP_MATMUL; k++) {
        if (strcmp(ridge_op_kinds[k].name, name) == 0) {
            *kind = (ridge_op_kind)k;
            return RIDGE_OK;
        }
        ridge_nearest_offer(&nearest, ridge_str_of(name), ridge_op_kinds[k].name);
    }
    if (nearest.best)
        return ridge_fail(err, RIDGE_USAGE, "unknown operator '%s'; did you mean '%s'?", name, nearest.best);
    return ridge_fail(err, RIDGE_USAGE, "unknown operator '%s'", name);
}

/* ---- single values ---- */

ridge_status ridge_op_read_pair(ridge_int pair[2], const char *what, const char *text, int64_t least, ridge_err *err)
{
    if (!text)
        return RIDGE_OK;
    const char *x = strchr(text, 'x');
    ridge_str parts[2] = {{text, x ? (size_t)(x - text) : strlen(text)}, ridge_str_of(x ? x + 1 : text)};
    for (int i = 0; i < 2; i++) {
        bool overflow;
        int64_t n;
        if (!ridge_count_parse(&n, &overflow, parts[i]) || overflow)
            return ridge_fail(err, RIDGE_USAGE, "%s: '%s' is neither a number nor two of them (3, or 3x5: height x width)", what, text);
        if (n < least)
            return ridge_fail(err, RIDGE_USAGE, "%s: %s is out of range: it must be at least %lld", what, text, (long long)least);
        pair[i] = n;
    }
    return RIDGE_OK;
}

ridge_status ridge_op_read_launch(ridge_op_conditions *c, const char *what, const char *text, ridge_err *err)
{
    ridge_rational seconds;
    if (!text)
        return RIDGE_OK;
    if (strcmp(text, "machine") == 0) {
        c->launch = RIDGE_OP_LAUNCH_MACHINE;
        return RIDGE_OK;
    }
    if (!ridge_rational_parse(&seconds, ridge_str_of(text)) || seconds.num < 0)
        return ridge_fail(err, RIDGE_USAGE, "%s: '%s' is neither seconds (4e-6) nor the word 'machine'", what, text);
    c->launch = RIDGE_OP_LAUNCH_GIVEN;
    c->launch_s = ridge_rational_double(seconds);
    return RIDGE_OK;
}

ridge_status ridge_op_read_machines(ridge_op_question *q, const char *what, const char *text, ridge_machines *machines, ridge_arena *arena,
                                    ridge_err *err)
{
    size_t n = 1, count = 0;
    if (!text)
        return RIDGE_OK;
    for (const char *p = text; *p != '\0'; p++)
        n += *p == ',';
    const ridge_machine **found = ridge_arena_array(arena, n, sizeof *found);
    if (!found)
        return ridge_no_memory(err);
    for (const char *p = text; count < n; p += strcspn(p, ",") + 1) {
        const char *id = ridge_arena_strdup(arena, (ridge_str){p, strcspn(p, ",")});
        if (!id)
            return ridge_no_memory(err);
        if (id[0] == '\0')
            return ridge_fail(err, RIDGE_USAGE, "%s: '%s' has an empty place: write machines with one comma between", what, text);
        ridge_status st = ridge_machines_find(&found[count++], machines, id, err);
        if (st)
            return st;
    }
    q->machines = found;
    q->machine_count = n;
    return RIDGE_OK;
}

static ridge_status read_dim(ridge_int *dim, const char *what, const char *text, ridge_err *err)
{
    bool overflow;
    int64_t n;
    if (!ridge_count_parse(&n, &overflow, ridge_str_of(text)) || overflow || n < 1)
        return ridge_fail(err, RIDGE_USAGE, "%s: '%s' is not an integer of at least 1", what, text);
    *dim = n;
    return RIDGE_OK;
}

static ridge_status read_truth(bool *out, const char *what, const char *text, ridge_err *err)
{
    if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        return ridge_fail(err, RIDGE_USAGE, "%s: '%s' is neither true nor false", what, text);
    *out = text[0] == 't';
    return RIDGE_OK;
}

/* ---- options by name ---- */

/* an option and its value; `known`: its name is one */
typedef struct setting {
    ridge_op_question *q;
    ridge_str name;
    const char *value;
    ridge_machines *machines;
    ridge_arena *arena;
    ridge_nearest nearest;
    bool known;
} setting;

/* offers a name; true where it is the one */
static bool is(setting *s, const char *name)
{
    bool same = ridge_str_is(s->name, name);
    if (!same)
        ridge_nearest_offer(&s->nearest, s->name, name);
    s->known = s->known || same;
    return same;
}

/* the second dimension of a pair has no option of its own and stands behind the first */
static bool is_pair(unsigned d)
{
    return d + 1 < RIDGE_OP_DIM_COUNT && !ridge_op_dim_options[d + 1];
}

static ridge_status set_shape(setting *s, ridge_err *err)
{
    ridge_op_shape *shape = &s->q->shape;
    for (unsigned d = 0; d < RIDGE_OP_DIM_COUNT; d++) {
        const char *name = ridge_op_dim_options[d];
        if (!name || !is(s, name))
            continue;
        return is_pair(d) ? ridge_op_read_pair(&shape->dims[d], name, s->value, d == RIDGE_OP_PADDING_H ? 0 : 1, err)
                          : read_dim(&shape->dims[d], name, s->value, err);
    }
    for (unsigned f = 0; f < RIDGE_OP_FLAG_COUNT; f++)
        if (is(s, ridge_op_flag_names[f]))
            return read_truth(&shape->flags[f], ridge_op_flag_names[f], s->value, err);
    return RIDGE_OK;
}

static ridge_status set_formats(setting *s, ridge_err *err)
{
    ridge_op_question *q = s->q;
    if (is(s, "dtype"))
        return ridge_format_read(&q->dtype, ridge_str_of(s->value), "dtype", err);
    if (is(s, "weights"))
        return ridge_format_read(&q->weights, ridge_str_of(s->value), "weights", err);
    if (is(s, "kv"))
        return ridge_format_read(&q->kv, ridge_str_of(s->value), "kv", err);
    return is(s, "all-formats") ? read_truth(&q->all_formats, "all-formats", s->value, err) : RIDGE_OK;
}

static ridge_status set_machine(setting *s, ridge_err *err)
{
    ridge_op_question *q = s->q;
    if (is(s, "on"))
        return ridge_op_read_machines(q, "on", s->value, s->machines, s->arena, err);
    if (is(s, "launch"))
        return ridge_op_read_launch(&q->conditions, "launch", s->value, err);
    if (is(s, "level"))
        q->conditions.level = s->value;
    return is(s, "tiling") ? read_truth(&q->tiling, "tiling", s->value, err) : RIDGE_OK;
}

ridge_status ridge_op_request_set(ridge_op_question *question, const char *option, ridge_machines *machines, ridge_arena *arena,
                                  ridge_err *err)
{
    const char *equals = strchr(option, '=');
    ridge_status st;
    if (!equals)
        return ridge_fail(err, RIDGE_USAGE, "'%s' is not an option: want name=value", option);
    setting s = {.q = question, .value = equals + 1, .machines = machines, .arena = arena};
    s.name = (ridge_str){option, (size_t)(equals - option)};
    if ((st = set_shape(&s, err)) || s.known || (st = set_formats(&s, err)) || s.known || (st = set_machine(&s, err)) || s.known)
        return st;
    if (s.nearest.best)
        return ridge_fail(err, RIDGE_USAGE, "unknown option '%.*s'; did you mean '%s'?", RIDGE_STR_ARG(s.name), s.nearest.best);
    return ridge_fail(err, RIDGE_USAGE, "unknown option '%.*s'", RIDGE_STR_ARG(s.name));
}
