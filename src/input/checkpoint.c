#include "input/checkpoint.h"

#include <inttypes.h>
#include <stdio.h>

#include "input/checkpoint_tensor.h"
#include "input/zip.h"

enum {
    PICKLE_MOST = 1 << 28,
    TENSORS_MOST = 1000000,
    VISITS_MOST = 10000000,
    DEPTH_MOST = 32,
    PATH_MOST = 4096,
    TAR_MAGIC_AT = 257,
    KEYS_TOLD = 8
};

/* 0x1950a86a20f9469cfc6c, torch.serialization.MAGIC_NUMBER, and protocol 1001 behind it */
static const unsigned char magic[] = {0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, '.'};

typedef struct reader {
    ridge_weights *out;
    ridge_binary *file;
    ridge_arena *arena;
    ridge_err *err;
    ridge_checkpoint_storages storages;
    size_t cap, visits;
    char path[PATH_MOST + 1]; /* of the value that is looked at */
    size_t path_length;
    bool count_only; /* are there tensors? */
    size_t counted;
} reader;

static ridge_status fail(const reader *r, ridge_status code, const char *what)
{
    return ridge_fail(r->err, code, "%s: %s", r->file->path, what);
}

/* ---- tensors by their paths ---- */

static ridge_status add_tensor(reader *r, const ridge_pickle_value *v)
{
    const char *name = ridge_arena_strdup(r->arena, (ridge_str){r->path, r->path_length});
    ridge_weight w = {.name = {name, r->path_length}};
    uint32_t storage = 0;
    uint64_t first = 0;
    if (!name)
        return ridge_no_memory(r->err);
    if (r->out->count >= TENSORS_MOST)
        return fail(r, RIDGE_LIMIT, "more than 1,000,000 tensors");
    ridge_status st = ridge_checkpoint_tensor(&w, &storage, &first, &r->storages, v);
    if (st)
        return st;
    if (!ridge_arena_more(r->arena, &r->out->tensors, r->out->count, &r->cap, sizeof *r->out->tensors))
        return ridge_no_memory(r->err);
    w.offset = first * (w.format->block_bits / 8); /* in its storage, until the storage's place is known */
    w.file = storage;
    r->out->tensors[r->out->count++] = w;
    return RIDGE_OK;
}

/* One part more of the path; the one who adds it takes it away again. */
static ridge_status add_part(reader *r, ridge_str part)
{
    const size_t dot = r->path_length > 0;
    if (part.n > PATH_MOST - r->path_length - dot)
        return fail(r, RIDGE_LIMIT, "the name of a tensor has more than 4,096 bytes");
    if (dot)
        r->path[r->path_length++] = '.';
    memcpy(r->path + r->path_length, part.p, part.n);
    r->path_length += part.n;
    return RIDGE_OK;
}

static bool is_dict(const ridge_pickle_value *v)
{
    return v->kind == RIDGE_PICKLE_DICT || (v->kind == RIDGE_PICKLE_OBJECT && v->pairs);
}

static bool is_utf8(ridge_str text)
{
    for (size_t i = 0, n; i < text.n; i += n)
        if (!(n = ridge_utf8_length(text.p + i, text.p + text.n)))
            return false;
    return true;
}

/* the part of a path that a key is; false: neither a text nor a number */
static bool key_of(ridge_str *out, char number[24], const ridge_pickle_value *key)
{
    if (key->kind == RIDGE_PICKLE_TEXT) {
        *out = key->u.text;
        return true;
    }
    if (key->kind != RIDGE_PICKLE_WHOLE)
        return false;
    *out = (ridge_str){number, (size_t)snprintf(number, 24, "%" PRId64, key->u.whole)};
    return true;
}

static ridge_status walk(reader *r, const ridge_pickle_value *v, unsigned depth, bool of_module);

static ridge_status has_tensors(bool *out, reader *r, const ridge_pickle_value *v);

/* a key and its value; `of_module`: those of torch.nn.Module, which keeps what it has in dicts that are no part of a name */
static ridge_status walk_pair(reader *r, const ridge_pickle_value *key, const ridge_pickle_value *value, unsigned depth, bool of_module)
{
    static const char *const hidden[] = {"_parameters", "_buffers", "_modules"};
    const size_t length = r->path_length;
    char number[24];
    ridge_str part;
    bool is_hidden = false, lost;
    if (!key_of(&part, number, key)) {
        ridge_status st = r->count_only ? RIDGE_OK : has_tensors(&lost, r, value);
        return st || r->count_only || !lost ? st : fail(r, RIDGE_VALUE, "a tensor under a key that is neither a text nor a number");
    }
    if (!is_utf8(part))
        return fail(r, RIDGE_VALUE, "the name of a tensor is not UTF-8");
    for (size_t k = 0; of_module && k < sizeof hidden / sizeof *hidden; k++)
        is_hidden |= ridge_str_is(part, hidden[k]);
    ridge_status st = is_hidden ? RIDGE_OK : add_part(r, part);
    st = st ? st : walk(r, value, depth + 1, false);
    r->path_length = length;
    return st;
}

static ridge_status walk_pairs(reader *r, const ridge_pickle_value *v, unsigned depth, bool of_module)
{
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i + 1 < v->count && !st; i += 2)
        st = walk_pair(r, v->items[i], v->items[i + 1], depth, of_module);
    return st;
}

/* Python 2's OrderedDict([[key, value], ...]) */
static ridge_status walk_ordered(reader *r, const ridge_pickle_value *v, unsigned depth)
{
    const ridge_pickle_value *arguments = v->u.of.arguments, *list = arguments->count == 1 ? arguments->items[0] : NULL;
    ridge_status st = RIDGE_OK;
    if (!list || list->kind != RIDGE_PICKLE_LIST || !ridge_pickle_is_global(v->u.of.made_by, "collections.OrderedDict"))
        return RIDGE_OK;
    for (uint32_t i = 0; i < list->count && !st; i++) {
        const ridge_pickle_value *pair = list->items[i];
        if ((pair->kind != RIDGE_PICKLE_LIST && pair->kind != RIDGE_PICKLE_TUPLE) || pair->count != 2)
            return fail(r, RIDGE_TYPE, "an OrderedDict of what are no pairs");
        st = walk_pair(r, pair->items[0], pair->items[1], depth, false);
    }
    return st;
}

static ridge_status walk_list(reader *r, const ridge_pickle_value *v, unsigned depth)
{
    const size_t length = r->path_length;
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < v->count && !st; i++) {
        char number[24];
        st = add_part(r, (ridge_str){number, (size_t)snprintf(number, sizeof number, "%u", i)});
        st = st ? st : walk(r, v->items[i], depth + 1, false);
        r->path_length = length;
    }
    return st;
}

static ridge_status made_otherwise(const reader *r, const ridge_pickle_value *v)
{
    return ridge_fail(r->err, RIDGE_UNKNOWN, "%s: tensor '%s' is made by %s, which is not executed", r->file->path,
                      ridge_weight_shown(r->arena, (ridge_str){r->path, r->path_length}), ridge_checkpoint_caller(v, r->arena));
}

static ridge_status walk_items(reader *r, const ridge_pickle_value *v, unsigned depth, bool of_module)
{
    if (is_dict(v))
        return walk_pairs(r, v, depth, of_module);
    const bool has_items = v->kind == RIDGE_PICKLE_LIST || v->kind == RIDGE_PICKLE_TUPLE || v->kind == RIDGE_PICKLE_OBJECT;
    return has_items ? walk_list(r, v, depth) : RIDGE_OK;
}

/* what it was made of, what was put into it, what it keeps */
static ridge_status walk_object(reader *r, const ridge_pickle_value *v, unsigned depth)
{
    ridge_status st = walk_ordered(r, v, depth);
    st = st ? st : walk_items(r, v, depth, false);
    return st || !v->u.of.state ? st : walk(r, v->u.of.state, depth + 1, true);
}

/* `of_module`: v is the state of an object, which may be a torch.nn.Module */
static ridge_status walk(reader *r, const ridge_pickle_value *v, unsigned depth, bool of_module)
{
    const ridge_checkpoint_call made = ridge_checkpoint_made_by(v);
    if (++r->visits > VISITS_MOST)
        return fail(r, RIDGE_LIMIT, "its dicts hold more than 10,000,000 values");
    if (depth > DEPTH_MOST)
        return fail(r, RIDGE_LIMIT, "its dicts are more than 32 deep, or hold themselves");
    if (made != RIDGE_MADE_NO_TENSOR && r->count_only) {
        r->counted++;
        return RIDGE_OK;
    }
    if (made == RIDGE_MADE_UNKNOWN)
        return made_otherwise(r, v);
    if (made == RIDGE_MADE_TENSOR)
        return add_tensor(r, v);
    return v->kind == RIDGE_PICKLE_OBJECT ? walk_object(r, v, depth) : walk_items(r, v, depth, of_module);
}

/* ---- which part of the checkpoint is the model ---- */

static ridge_status has_tensors(bool *out, reader *r, const ridge_pickle_value *v)
{
    r->count_only = true;
    r->counted = 0;
    ridge_status st = walk(r, v, 0, false);
    r->count_only = false;
    *out = r->counted > 0;
    return st;
}

/* A dict that has no tensor itself: what training wrote, with the model as one member. */
static ridge_status choose_part(const ridge_pickle_value **part, reader *r, const ridge_pickle_value *root)
{
    static const char *const names[] = {"state_dict", "model_state_dict", "model",   "module", "net",
                                        "params_ema", "params",           "weights", "ema"};
    *part = root;
    if (!is_dict(root))
        return RIDGE_OK;
    for (uint32_t i = 0; i + 1 < root->count; i += 2)
        if (ridge_checkpoint_made_by(root->items[i + 1]) != RIDGE_MADE_NO_TENSOR)
            return RIDGE_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const ridge_pickle_value *v = ridge_pickle_get(root, names[i]);
        bool has = false;
        ridge_status st = v ? has_tensors(&has, r, v) : RIDGE_OK;
        if (st)
            return st;
        if (has) {
            r->out->part = names[i];
            *part = v;
            return RIDGE_OK;
        }
    }
    return RIDGE_OK;
}

static void tell_left(reader *r, const ridge_pickle_value *root, const ridge_pickle_value *part)
{
    const char *left = NULL;
    unsigned told = 0;
    for (uint32_t i = 0; part != root && i + 1 < root->count && told < KEYS_TOLD; i += 2)
        if (root->items[i + 1] != part && root->items[i]->kind == RIDGE_PICKLE_TEXT) {
            const char *key = ridge_weight_shown(r->arena, root->items[i]->u.text);
            left = ++told == KEYS_TOLD ? ridge_arena_printf(r->arena, "%s, ...", left)
                                       : ridge_arena_printf(r->arena, "%s%s%s", left ? left : "", left ? ", " : "", key);
        }
    r->out->left = left;
}

static ridge_status read_root(reader *r, const ridge_pickle_value *root)
{
    const ridge_pickle_value *part;
    ridge_status st = choose_part(&part, r, root);
    if (st)
        return st;
    tell_left(r, root, part);
    if ((st = walk(r, part, 0, false)))
        return st;
    return r->out->count ? RIDGE_OK : fail(r, RIDGE_VALUE, "there is no tensor in this checkpoint");
}

/* ---- places ---- */

static ridge_status find_ties(reader *r)
{
    const size_t n = r->out->count;
    ridge_weight_span *spans = ridge_arena_array(r->arena, n + 1, sizeof *spans);
    if (!spans)
        return ridge_no_memory(r->err);
    for (size_t i = 0; i < n; i++) {
        const ridge_weight *w = &r->out->tensors[i];
        spans[i] = (ridge_weight_span){w->file, (uint32_t)i, w->offset, w->offset + (uint64_t)w->bytes};
    }
    ridge_weights_tie(r->out, spans, n);
    return RIDGE_OK;
}

/* offsets, which count from the storage's begin, are of the file */
static void place(reader *r)
{
    for (size_t i = 0; i < r->out->count; i++) {
        ridge_weight *w = &r->out->tensors[i];
        const ridge_checkpoint_storage *s = &r->storages.items[w->file];
        w->offset = s->at ? s->at + w->offset : 0;
        w->file = 0;
    }
}

/* Its storages are entries beside the pickle: "archive/data/0" beside "archive/data.pkl". */
static ridge_status check_storages(reader *r, const ridge_zip *zip, ridge_str folder)
{
    for (uint32_t i = 0; i < r->storages.keys.count; i++) {
        const ridge_checkpoint_storage *s = &r->storages.items[i];
        const char *name = ridge_arena_printf(r->arena, "%.*sdata/%.*s", RIDGE_STR_ARG(folder), RIDGE_STR_ARG(s->key));
        if (!name)
            return ridge_no_memory(r->err);
        const ridge_zip_entry *e = ridge_zip_find(zip, ridge_str_of(name));
        name = ridge_weight_shown(r->arena, ridge_str_of(name));
        if (!e)
            return ridge_fail(r->err, RIDGE_VALUE, "%s: the storage '%s' is not in the archive", r->file->path, name);
        if (e->method != 0 || e->encrypted)
            return ridge_fail(r->err, RIDGE_VALUE, "%s: the storage '%s' is compressed or encrypted, which torch.load does not read",
                              r->file->path, name);
        if (e->bytes != s->bytes)
            return ridge_fail(r->err, RIDGE_VALUE, "%s: the storage '%s' has %" PRIu64 " bytes, and its tensors want %" PRIu64,
                              r->file->path, name, e->bytes, s->bytes);
    }
    return RIDGE_OK;
}

static const ridge_zip_entry *find_pickle(ridge_str *folder, const ridge_zip *zip)
{
    for (size_t i = 0; i < zip->count; i++) {
        const ridge_str name = zip->entries[i].name;
        const size_t n = name.n >= 8 ? name.n - 8 : 0;
        if (!ridge_str_ends(name, RIDGE_STR("data.pkl")) || (n && name.p[n - 1] != '/') || (n && memchr(name.p, '/', n - 1)))
            continue;
        *folder = (ridge_str){name.p, n};
        return &zip->entries[i];
    }
    return NULL;
}

static ridge_status read_zip(reader *r)
{
    ridge_zip zip;
    ridge_str folder;
    ridge_cursor c;
    ridge_pickle_value *root;
    ridge_status st = ridge_zip_read(&zip, r->file, r->arena, r->err);
    const ridge_zip_entry *e = st ? NULL : find_pickle(&folder, &zip);
    if (st)
        return st;
    if (!e)
        return fail(r, RIDGE_VALUE, "a zip archive without a data.pkl: torch.save did not write it");
    if ((st = ridge_zip_open(&c, &zip, e, r->arena, r->err)))
        return st;
    if (e->bytes > PICKLE_MOST)
        return fail(r, RIDGE_LIMIT, "its data.pkl has more than 256 MiB");
    if ((st = ridge_pickle_read(&root, &c, r->arena, r->err)) || (st = read_root(r, root)))
        return st;
    return check_storages(r, &zip, folder);
}

/* ---- the form before PyTorch 1.6 ---- */

/* behind the pickles, for each key of the last one: 8 bytes with the number of elements, and those */
static ridge_status place_storages(reader *r, ridge_cursor *c, const ridge_pickle_value *keys)
{
    uint32_t found = 0;
    bool all = true;
    if (keys->kind != RIDGE_PICKLE_LIST)
        return fail(r, RIDGE_TYPE, "the list of its storages is none");
    for (uint32_t i = 0; i < keys->count; i++) {
        const ridge_pickle_value *key = keys->items[i];
        const ridge_symbol *symbol = key->kind == RIDGE_PICKLE_TEXT ? ridge_intern_find(&r->storages.keys, key->u.text) : NULL;
        uint64_t numel;
        if (!symbol) { /* of what has no name here, so its width is not known: what stands behind it has no place then */
            all = false;
            break;
        }
        ridge_checkpoint_storage *s = &r->storages.items[symbol->id];
        ridge_status st = ridge_cursor_u64(&numel, c, "the length of a storage", r->err);
        if (st)
            return st;
        if (numel != s->numel)
            return ridge_fail(r->err, RIDGE_VALUE,
                              "%s: the storage at byte %" PRIu64 " has %" PRIu64 " elements, and its tensors want %" PRIu64, r->file->path,
                              c->at - 8, numel, s->numel);
        s->at = c->at;
        if ((st = ridge_cursor_skip(c, s->bytes, "a storage", r->err)))
            return st;
        found++;
    }
    if (found < r->storages.keys.count && all)
        return fail(r, RIDGE_VALUE, "a storage of its tensors is not in the file");
    return RIDGE_OK;
}

static ridge_status read_legacy(reader *r)
{
    ridge_cursor c = ridge_cursor_all(r->file);
    ridge_pickle_value *v, *root, *keys;
    ridge_status st = RIDGE_OK;
    for (int i = 0; i < 3 && !st; i++) /* the magic number, the protocol, the system's sizes */
        st = ridge_pickle_read(&v, &c, r->arena, r->err);
    if (st || (st = ridge_pickle_read(&root, &c, r->arena, r->err)) || (st = ridge_pickle_read(&keys, &c, r->arena, r->err)))
        return st;
    st = read_root(r, root);
    return st ? st : place_storages(r, &c, keys);
}

static bool begins(ridge_binary *file, uint64_t at, const void *with, size_t n)
{
    unsigned char bytes[16];
    return file->size >= at + n && !ridge_binary_read(file, bytes, at, n, NULL) && memcmp(bytes, with, n) == 0;
}

bool ridge_checkpoint_looks(ridge_binary *file)
{
    return ridge_zip_looks(file) || begins(file, 0, magic, sizeof magic) || begins(file, TAR_MAGIC_AT, "ustar", 5);
}

ridge_status ridge_checkpoint_read(ridge_weights *out, ridge_binary *file, ridge_arena *arena, ridge_err *err)
{
    reader r = {.out = out, .file = file, .arena = arena, .err = err, .storages = {.path = file->path, .arena = arena, .err = err}};
    *out = (ridge_weights){.kind = "PyTorch checkpoint", .file_count = 1};
    out->files = ridge_arena_array(arena, 1, sizeof *out->files);
    if (!out->files || !ridge_symtab_init(&r.storages.keys, arena))
        return ridge_no_memory(err);
    out->files[0] = file->path;
    if (begins(file, TAR_MAGIC_AT, "ustar", 5))
        return fail(&r, RIDGE_VALUE,
                    "a checkpoint of PyTorch before 0.1.10 (a tar archive) is not read; torch.load and torch.save make one that is");
    ridge_status st = ridge_zip_looks(file) ? read_zip(&r) : read_legacy(&r);
    if (st)
        return st;
    if ((st = find_ties(&r)))
        return st;
    place(&r);
    return arena->failed ? ridge_no_memory(err) : ridge_weights_sum(out, err);
}
