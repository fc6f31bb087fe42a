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
        const char *key = t->format && strcmp(t->format, strcmp(section, "buffers") == 0 ? "fp32" : "") != 0
                              ? print(d, "%s:%s", t->name, t->format)
                              : t->name;
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

static ridge_status amounts(ridge_describer *d, const char *section, const ridge_sketch_amounts *list, const char *const *names)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < list->n && !st; i++) {
        const ridge_sketch_amount *a = &list->p[i];
        const char *key = a->format ? print(d, "%s:%s", names[a->what], a->format) : names[a->what];
        size_t first = d->out->number_count;
        ridge_describe_number(d, a->value, print(d, "%s_%s", section, names[a->what]));
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

/* "calls" and "called" of a component, where they are not 1 and true */
static const char *calls_text(ridge_describer *d, const ridge_sketch *child)
{
    if (child->passed_by)
        return ", \"called\": false";
    if (child->calls.type == RIDGE_V_NONE || (child->calls.type == RIDGE_V_INT && child->calls.u.i == 1))
        return "";
    if (child->calls.type == RIDGE_V_UNSET) {
        d->out->unknown = print(d, "%s is not called equally often in every call of the module around it%s", child->path, "");
        return "";
    }
    return print(d, ", \"calls\": \"%s\"%s", ridge_draft_formula(child->calls, d->drafts->calc), "");
}

/* A list of modules that stands in a module, each called equally often and none listed elsewhere as well: one expression. */
bool ridge_draft_folds(const ridge_sketch *s)
{
    if (!s->container || !s->parent || s->parent->container || strcmp(s->class_path, "torch.nn.modules.container.ModuleList") != 0)
        return false;
    for (size_t i = 0; i < s->child_count; i++) {
        const ridge_sketch *first = s->children[0].module, *c = s->children[i].module;
        if (s->children[i].alias || c->passed_by != first->passed_by || c->calls.type != first->calls.type ||
            (c->calls.type != RIDGE_V_UNSET && !ridge_value_equal(c->calls, first->calls)))
            return false;
    }
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
    if (ridge_draft_folds(child)) {
        const char *calls = child->child_count > 0 ? calls_text(d, child->children[0].module) : "";
        st = ridge_describe_list(&extra, d, child, c->name, calls ? calls : "");
    } else {
        extra = calls_text(d, child);
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
        (st = tensors(&d, "cache", s->cache, s->cache_count)) || (st = amounts(&d, "flops", &s->flops, ridge_flop_names)) ||
        (st = amounts(&d, "reads", &s->reads, ridge_byte_names)) || (st = amounts(&d, "writes", &s->writes, ridge_byte_names)))
        return st;
    for (size_t i = 0; i < s->child_count && !st; i++)
        st = part(&d, &s->children[i], s);
    return st;
}
