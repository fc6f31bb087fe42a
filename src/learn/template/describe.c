/* A sketch as the members of an entry: texts with a hole for every number. */
#include "learn/template/draft.h"

/* ---- members ---- */

void ridge_describe_number(ridge_describer *d, ridge_value v, const char *hint)
{
    ridge_description *o = d->out;
    if (!ridge_arena_more(d->drafts->calc->arena, &o->numbers, o->number_count, &o->number_cap, sizeof *o->numbers)) {
        d->failed = true;
        return;
    }
    if (v.type == RIDGE_V_UNSET && !o->unknown)
        o->unknown = hint;
    o->numbers[o->number_count++] = (ridge_draft_number){v, hint, NULL};
    ridge_buf_addc(&d->text, RIDGE_DRAFT_HOLE);
}

void ridge_describe_raw(ridge_describer *d, const char *formula)
{
    ridge_describe_number(d, ridge_value_str(ridge_str_of(formula)), "");
    if (!d->failed)
        d->out->numbers[d->out->number_count - 1].raw = formula;
}

/* ends a member that was begun at number `first` */
static ridge_status end(ridge_describer *d, const char *section, const char *key, const char *extra, size_t first)
{
    ridge_description *o = d->out;
    ridge_arena *arena = d->drafts->calc->arena;
    const char *text = ridge_arena_take(arena, &d->text);
    if (d->failed || !text || !key || !extra || !ridge_arena_more(arena, &o->members, o->member_count, &o->member_cap, sizeof *o->members))
        return ridge_no_memory(d->drafts->calc->err);
    o->members[o->member_count++] = (ridge_draft_member){section, key, text, extra, first, o->number_count - first};
    return RIDGE_OK;
}

static const char *print(const ridge_describer *d, const char *fmt, const char *a, const char *b)
{
    return ridge_arena_printf(d->drafts->calc->arena, fmt, a, b);
}

/* ---- tensors ---- */

static ridge_status tensors(ridge_describer *d, const char *section, const ridge_sketch_tensor *list, size_t count)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < count && !st; i++) {
        const ridge_sketch_tensor *t = &list[i];
        const char *key = t->format && strcmp(t->format, "fp32") != 0 ? print(d, "%s:%s", t->name, t->format) : t->name;
        size_t first = d->out->number_count;
        ridge_buf_addz(&d->text, t->absent ? "None" : "[");
        for (uint32_t k = 0; k < t->rank; k++) {
            ridge_buf_addz(&d->text, k ? ", " : "");
            ridge_describe_number(d, t->dims[k], print(d, "%s_%s", t->name, t->rank == 1 ? "size" : k == 0 ? "rows" : "columns"));
        }
        ridge_buf_addz(&d->text, t->absent ? "" : "]");
        st = end(d, section, key, "", first);
    }
    return st;
}

/* ---- what its own operators cost, per call ---- */

static ridge_status per_call(ridge_value *out, ridge_value total, const ridge_sketch *s, const ridge_calc *calc)
{
    *out = total;
    if (total.type == RIDGE_V_UNSET || s->runs < 2)
        return RIDGE_OK;
    return ridge_value_binary(out, RIDGE_OP_DIV, total, ridge_value_int((ridge_int)s->runs), calc);
}

static ridge_status amounts(ridge_describer *d, const char *section, const ridge_sketch_amounts *list, const char *const *names, const ridge_sketch *s)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < list->n && !st; i++) {
        const ridge_sketch_amount *a = &list->p[i];
        const char *key = a->format ? print(d, "%s:%s", names[a->what], a->format) : names[a->what];
        size_t first = d->out->number_count;
        ridge_value v;
        if ((st = per_call(&v, a->value, s, d->drafts->calc)))
            return st;
        ridge_describe_number(d, v, print(d, "%s_%s", section, names[a->what]));
        st = end(d, section, key, "", first);
    }
    return st;
}

/* ---- parts ---- */

void ridge_describe_call(ridge_describer *d, const ridge_sketch *s, const char *name)
{
    ridge_buf_addf(&d->text, "{%s}(", s->draft->key);
    for (size_t k = 0; k < s->draft->parameter_count; k++) {
        ridge_buf_addz(&d->text, k ? ", " : "");
        ridge_describe_number(d, s->values[k], print(d, "%s_%s", name, s->draft->parameters[k]));
    }
    ridge_buf_addc(&d->text, ')');
}

/* the calls of the module around it: containers are passed by */
static uint64_t runs_around(const ridge_sketch *s)
{
    while (s && (s->runs == 0) && s->parent)
        s = s->parent;
    return s && s->runs > 0 ? s->runs : 1;
}

/* "calls" and "called" of a component, where they are not 1 and true */
static const char *calls_text(ridge_describer *d, const ridge_sketch *child, const ridge_sketch *parent)
{
    uint64_t around = runs_around(parent);
    bool list = child->container && child->runs == 0;
    if (list || child->runs == around)
        return "";
    if (child->runs == 0) { /* it is not called itself; are its parts? */
        for (size_t i = 0; i < child->child_count; i++)
            if (child->children[i].module->runs > 0)
                return ", \"called\": false";
        return ", \"calls\": 0";
    }
    if (child->runs % around != 0 && !d->out->unknown)
        d->out->unknown = print(d, "%s is not called in every call of the module around it%s", child->path, "");
    return ridge_arena_printf(d->drafts->calc->arena, ", \"calls\": %llu", (unsigned long long)(child->runs / around));
}

static bool is_list(const ridge_sketch *s)
{
    return s->container && strcmp(s->class_path, "torch.nn.modules.container.ModuleList") == 0;
}

/* every module in it is called equally often, and none is listed elsewhere as well */
static bool folds(const ridge_sketch *list)
{
    if (!is_list(list) || list->child_count == 0)
        return false;
    for (size_t i = 0; i < list->child_count; i++)
        if (list->children[i].alias || list->children[i].module->runs != list->children[0].module->runs)
            return false;
    return true;
}

static const char *alias_text(ridge_describer *d, const ridge_sketch *of, const ridge_sketch *s)
{
    const char *path = of->path; /* from the nearest module that is around both */
    size_t common = 0;
    for (size_t i = 0; path[i] && path[i] == s->path[i]; i++)
        if (path[i] == '.' || (s->path[i + 1] == '\0' && path[i + 1] == '.'))
            common = i + 1;
    path += common;
    return print(d, ", \"alias\": \"%s\"%s", path[0] == '.' ? path + 1 : path, "");
}

static ridge_status part(ridge_describer *d, const ridge_sketch_child *c, const ridge_sketch *s)
{
    size_t first = d->out->number_count;
    const ridge_sketch *child = c->module;
    const char *extra;
    ridge_status st = RIDGE_OK;
    if (c->alias)
        return end(d, "breakdown", c->name, alias_text(d, child, s), first);
    if (folds(child)) {
        uint64_t around = runs_around(s), runs = child->children[0].module->runs;
        st = ridge_describe_list(d, child, c->name);
        extra = runs == around ? "" : ridge_arena_printf(d->drafts->calc->arena, ", \"calls\": %llu", (unsigned long long)(runs / around));
        if (runs % around != 0 && !d->out->unknown)
            d->out->unknown = print(d, "modules of %s are not called in every call of the module around it%s", child->path, "");
    } else if (is_list(child) && child->child_count == 0) {
        ridge_buf_addz(&d->text, "[]");
        extra = "";
    } else {
        extra = child->container && child->runs == 0 ? ", \"called\": false" : calls_text(d, child, s);
        ridge_describe_call(d, child, c->name);
    }
    return st ? st : end(d, "breakdown", c->name, extra, first);
}

ridge_status ridge_describe(ridge_description *out, const ridge_sketch *s, ridge_drafts *drafts)
{
    ridge_describer d = {.drafts = drafts, .out = out};
    ridge_status st;
    *out = (ridge_description){0};
    if ((st = tensors(&d, "weights", s->weights, s->weight_count)) || (st = tensors(&d, "buffers", s->buffers, s->buffer_count)) ||
        (st = amounts(&d, "flops", &s->flops, ridge_flop_names, s)) || (st = amounts(&d, "reads", &s->reads, ridge_byte_names, s)) ||
        (st = amounts(&d, "writes", &s->writes, ridge_byte_names, s)))
        return st;
    for (size_t i = 0; i < s->child_count && !st; i++)
        st = part(&d, &s->children[i], s);
    return st;
}
