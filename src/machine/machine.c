#include "machine/machine.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "machine/embedded.h"
#include "machine/folder.h"
#include "machine/values.h"

enum { INHERIT_LIMIT = 32 };

/* A place a machine is described at; nothing is read before it is asked for. */
typedef struct origin origin;
struct origin {
    const char *id, *path; /* path: NULL for a built-in machine */
    const char *file;      /* for messages */
    ridge_str text;        /* of a built-in machine */
    origin *below;         /* of the same id, overridden by this one */
    const ridge_machine *machine;
};

struct ridge_machines {
    ridge_arena arena;
    origin **origins; /* built-in order, then as they came */
    size_t count, cap;
    const ridge_machine **list;
};

/* ---- where machines are ---- */

const char *ridge_machines_user_folder(ridge_arena *arena)
{
    return ridge_file_user_data("machines", arena);
}

char *ridge_machine_file_id(ridge_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    ridge_str id = ridge_str_of(name);
    if (ridge_str_ends(id, RIDGE_STR(".json")))
        id.n -= 5;
    return ridge_arena_strdup(arena, id);
}

bool ridge_machine_built_in(const char *id)
{
    for (unsigned i = 0; i < ridge_embedded_machines_count; i++)
        if (strcmp(ridge_embedded_machines[i].id, id) == 0)
            return true;
    return false;
}

static char lower(char c)
{
    return c == '_' ? '-' : ridge_lower(c);
}

/* case and '_' for '-' are forgiven */
static bool same_id(const char *a, const char *b)
{
    for (; *a != '\0' && lower(*a) == lower(*b); a++)
        b++;
    return lower(*a) == lower(*b);
}

/* Is `part` a run of whole words of the id? "4090" of "rtx-4090", "h100-sxm" of "h100-sxm-80" */
static bool has_words(const char *id, const char *part)
{
    for (const char *word = id; *part != '\0'; word++) {
        const char *a = word, *b = part;
        while (*b != '\0' && lower(*a) == lower(*b))
            a++, b++;
        if (*b == '\0' && (*a == '\0' || *a == '-'))
            return true;
        if (!(word = strchr(word, '-')))
            return false;
    }
    return false;
}

static size_t find_index(const ridge_machines *ms, const char *id)
{
    size_t i = 0;
    while (i < ms->count && !same_id(ms->origins[i]->id, id))
        i++;
    return i;
}

static ridge_status add_origin(ridge_machines *ms, origin place, ridge_err *err)
{
    origin *o = ridge_arena_alloc(&ms->arena, sizeof *o);
    origin **origins = ridge_arena_grow(&ms->arena, ms->origins, ms->count, &ms->cap, ms->count + 1, sizeof(origin *));
    if (!o || !origins || !place.id)
        return ridge_no_memory(err);
    size_t i = !place.path ? ms->count : find_index(ms, place.id); /* built-in ids differ from each other */
    *o = place;
    ms->origins = origins;
    if (i < ms->count)
        o->below = origins[i];
    else
        ms->count++;
    origins[i] = o;
    return RIDGE_OK;
}

static ridge_status add_file(ridge_machines *ms, const char *path, ridge_err *err)
{
    return add_origin(ms, (origin){.id = ridge_machine_file_id(&ms->arena, path), .path = path, .file = path}, err);
}

static ridge_status add_folder(ridge_machines *ms, const char *folder, ridge_err *err)
{
    char **paths;
    size_t count;
    ridge_status st = ridge_file_list(&paths, &count, folder, ".json", &ms->arena, err);
    for (size_t i = 0; !st && i < count; i++)
        st = add_file(ms, paths[i], err);
    return st;
}

static ridge_status add_extra(ridge_machines *ms, const char *path, ridge_err *err)
{
    if (ridge_file_is_folder(path))
        return add_folder(ms, path, err);
    if (!ridge_file_exists(path))
        return ridge_fail(err, RIDGE_IO, "%s: no such file or folder of machines", path);
    char *copy = ridge_arena_strdup(&ms->arena, ridge_str_of(path));
    return copy ? add_file(ms, copy, err) : ridge_no_memory(err);
}

ridge_status ridge_machines_open(ridge_machines **out, const char *const *extra, size_t count, ridge_err *err)
{
    ridge_machines *ms = *out = calloc(1, sizeof *ms);
    ridge_status st = RIDGE_OK;
    if (!ms)
        return ridge_no_memory(err);
    ridge_arena_init(&ms->arena);
    for (unsigned i = 0; !st && i < ridge_embedded_machines_count; i++) {
        const ridge_embedded_machine *e = &ridge_embedded_machines[i];
        st = add_origin(ms, (origin){.id = e->id, .file = e->file, .text = {e->text, e->length}}, err);
    }
    const char *user = ridge_machines_user_folder(&ms->arena);
    if (!st && !user && ms->arena.failed)
        st = ridge_no_memory(err); /* there may be a folder */
    if (!st && user)
        st = add_folder(ms, user, err);
    for (size_t i = 0; !st && i < count; i++)
        st = add_extra(ms, extra[i], err);
    if (st) {
        ridge_machines_close(ms);
        *out = NULL;
    }
    return st;
}

void ridge_machines_close(ridge_machines *ms)
{
    if (!ms)
        return;
    ridge_arena_free(&ms->arena);
    free(ms);
}

/* ---- names ---- */

/* The index of the only machine whose id has these words; `count` where there is none, or several. */
static size_t find_part(const ridge_machines *ms, const char *part)
{
    size_t found = ms->count;
    for (size_t i = 0; i < ms->count; i++) {
        if (!has_words(ms->origins[i]->id, part))
            continue;
        if (found < ms->count)
            return ms->count;
        found = i;
    }
    return found;
}

/* "; did you mean 'h100-nvl-94', 'h100-pcie-80', 'h100-sxm-80'" */
static bool name_beginnings(ridge_buf *out, const ridge_machines *ms, const char *id)
{
    size_t found = 0, n = strlen(id);
    for (size_t i = 0; i < ms->count && n > 0; i++) {
        const char *a = ms->origins[i]->id, *b = id;
        while (*b != '\0' && lower(*a) == lower(*b))
            a++, b++;
        if (*b == '\0' || has_words(ms->origins[i]->id, id))
            ridge_buf_addf(out, "%s'%s'", found++ == 0 ? "; did you mean " : ", ", ms->origins[i]->id);
    }
    return found > 0;
}

/* one letter off, else those that begin alike, as far as they do: "h101" is nearer to "h100-..." than to "a10" */
static void name_others(ridge_buf *out, const ridge_machines *ms, const char *id)
{
    enum { LEAST = 3, MOST = 32 };
    ridge_nearest near = {0};
    size_t n = strlen(id);
    for (size_t i = 0; i < ms->count; i++)
        ridge_nearest_offer(&near, ridge_str_of(id), ms->origins[i]->id);
    for (size_t length = n - 1; n > LEAST && n < MOST && length >= LEAST && (!near.best || near.distance > 1); length--) {
        char beginning[MOST];
        memcpy(beginning, id, length);
        beginning[length] = '\0';
        if (name_beginnings(out, ms, beginning)) {
            ridge_buf_addz(out, "?");
            return;
        }
    }
    if (near.best)
        ridge_buf_addf(out, "; did you mean '%s'?", near.best);
    else
        ridge_buf_addz(out, "; 'ridge machine list' names them");
}

/* what the name may have meant; in the arena */
static const char *unknown_machine(ridge_machines *ms, const char *id)
{
    ridge_buf text = {0};
    ridge_buf_addf(&text, "unknown machine '%.80s'", id);
    if (strchr(id, ','))
        ridge_buf_addz(&text, ": it is a list, and one machine is wanted here ('ridge sweep' and 'ridge op' take several)");
    else if (name_beginnings(&text, ms, id))
        ridge_buf_addz(&text, "?");
    else
        name_others(&text, ms, id);
    const char *message = ridge_arena_take(&ms->arena, &text);
    return message ? message : "unknown machine";
}

/* ---- reading, along `inherits` ---- */

/* the files on the way from a machine to what it inherits in the end */
typedef struct chain {
    ridge_machine_draft draft;
    struct link {
        origin *origin;
        ridge_reader reader;
        ridge_json *json;
    } links[INHERIT_LIMIT];
    size_t count;
} chain;

static ridge_status read_origin(chain *c, ridge_machines *ms, origin *o, ridge_err *err)
{
    struct link *l = &c->links[c->count++];
    ridge_status st = RIDGE_OK;
    if (o->path && !o->text.p)
        st = ridge_file_read(&o->text, o->path, RIDGE_MACHINE_FILE_LIMIT, &ms->arena, err);
    *l = (struct link){.origin = o, .reader = {&c->draft, o->text, o->file, &ms->arena, err}};
    return st ? st : ridge_machine_parse(&l->json, &l->reader);
}

/* "a -> b -> a" */
static ridge_status fail_cycle(const chain *c, const ridge_json *at, const origin *again)
{
    ridge_buf path = {0};
    for (size_t i = 0; i < c->count; i++)
        if (path.n > 0 || c->links[i].origin == again)
            ridge_buf_addf(&path, "%s -> ", c->links[i].origin->id);
    ridge_status st = ridge_read_fail(&c->links[c->count - 1].reader, RIDGE_CYCLE, at, "a machine inherits itself: %s%s",
                                      path.p ? path.p : "", again->id);
    ridge_buf_free(&path);
    return st;
}

/* The origin that the last link names; an override of a machine may inherit the one it overrides. */
static ridge_status find_inherited(origin **out, ridge_machines *ms, const chain *c, const ridge_json *name)
{
    const struct link *last = &c->links[c->count - 1];
    char id[128];
    (void)snprintf(id, sizeof id, "%.*s", RIDGE_STR_ARG(name->u.text));
    size_t i = find_index(ms, id);
    *out = same_id(id, last->origin->id) && last->origin->below ? last->origin->below : i < ms->count ? ms->origins[i] : NULL;
    for (size_t k = 0; k < c->count; k++)
        if (c->links[k].origin == *out)
            return fail_cycle(c, name, *out);
    if (!*out)
        return ridge_read_fail(&last->reader, RIDGE_UNKNOWN, name, "%s", unknown_machine(ms, id));
    if (c->count == INHERIT_LIMIT)
        return ridge_read_fail(&last->reader, RIDGE_LIMIT, name, "more than %d machines inherit each other", INHERIT_LIMIT);
    return RIDGE_OK;
}

static ridge_status follow(chain *c, ridge_machines *ms, origin *o, ridge_err *err)
{
    const ridge_json *inherits = NULL;
    ridge_status st = RIDGE_OK;
    do {
        const struct link *l = &c->links[c->count];
        if ((st = read_origin(c, ms, o, err)) || (st = ridge_machine_inherits(&inherits, &l->reader, l->json)) || !inherits)
            return st;
    } while (!(st = find_inherited(&o, ms, c, inherits)));
    return st;
}

/* machine of an origin, read once */
static ridge_status resolve(const ridge_machine **out, ridge_machines *ms, origin *o, ridge_err *err)
{
    ridge_machine *machine = NULL;
    chain c = {.count = 0};
    *out = o->machine;
    if (o->machine)
        return RIDGE_OK;
    ridge_machine_draft_init(&c.draft);
    ridge_status st = follow(&c, ms, o, err);
    while (!st && c.count-- > 0)
        st = ridge_machine_read(&c.links[c.count].reader, c.links[c.count].json, c.links[c.count].origin->id);
    if (!st)
        st = ridge_machine_finish(&machine, &c.draft, o->path ? o->path : RIDGE_MACHINE_BUILT_IN, &ms->arena, err);
    *out = o->machine = machine;
    return st;
}

/* ---- the interface ---- */

static ridge_status find_file(const ridge_machine **out, ridge_machines *ms, const char *path, ridge_err *err)
{
    const char *id = ridge_machine_file_id(&ms->arena, path);
    ridge_status st = id ? add_extra(ms, path, err) : ridge_no_memory(err);
    if (st)
        return st;
    size_t i = find_index(ms, id);
    origin *o = ms->origins[i];
    st = resolve(out, ms, o, err);
    if (o->below) /* asked for by its path, it overrides nothing for others */
        ms->origins[i] = o->below;
    else
        ms->count--;
    return st;
}

ridge_status ridge_machines_find(const ridge_machine **out, ridge_machines *ms, const char *id, ridge_err *err)
{
    *out = NULL;
    if (strchr(id, '/') || ridge_str_ends(ridge_str_of(id), RIDGE_STR(".json"))) {
        if (ridge_file_is_folder(id))
            return ridge_fail(err, RIDGE_IO, "%s: a folder, not the file of a machine", id);
        return find_file(out, ms, id, err);
    }
    size_t i = find_index(ms, id);
    if (i < ms->count)
        return resolve(out, ms, ms->origins[i], err);
    if (same_id(id, RIDGE_MACHINE_THIS))
        return ridge_fail(err, RIDGE_UNKNOWN, "nothing is known about this machine yet: run 'ridge machine detect --save' first");
    if ((i = find_part(ms, id)) < ms->count)
        return resolve(out, ms, ms->origins[i], err);
    return ridge_fail(err, RIDGE_UNKNOWN, "%s", unknown_machine(ms, id));
}

ridge_status ridge_machines_keep(ridge_machines *ms, const ridge_machine *machine, ridge_err *err)
{
    return add_origin(ms, (origin){.id = machine->id, .path = machine->file, .file = machine->file, .machine = machine}, err);
}

bool ridge_machines_has(const ridge_machines *ms, const char *id)
{
    return find_index(ms, id) < ms->count;
}

size_t ridge_machines_count(const ridge_machines *ms)
{
    return ms->count;
}

const char *ridge_machines_id(const ridge_machines *ms, size_t index)
{
    return ms->origins[index]->id;
}

ridge_status ridge_machines_list(const ridge_machine *const **out, size_t *count, ridge_machines *ms, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    ms->list = ridge_arena_array(&ms->arena, ms->count, sizeof(const ridge_machine *));
    if (!ms->list && ms->count > 0)
        return ridge_no_memory(err);
    for (size_t i = 0; !st && i < ms->count; i++)
        st = resolve(&ms->list[i], ms, ms->origins[i], err);
    *out = ms->list;
    *count = ms->count;
    return st;
}
