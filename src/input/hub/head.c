#include "input/hub/head.h"

#include <inttypes.h>

#include "input/hub/kept.h"

enum { HEAD_MOST = 128 << 20 };

/* bytes up to `to` behind those that are here */
static ridge_status fetch(ridge_hub_head *h, bool *there, uint64_t to, ridge_arena *arena, ridge_err *err)
{
    ridge_hub_part part;
    ridge_binary *b = &h->binary;
    ridge_status st = ridge_hub_range(&part, &h->name, h->file, b->here, to - 1, arena, err);
    *there = part.there;
    if (st || !part.there)
        return st;
    if (h->etag && (strcmp(h->etag, part.etag) != 0 || b->size != (uint64_t)part.size))
        return ridge_fail(err, RIDGE_IO, "%s changed while it was read", b->path);
    ridge_buf_add(&h->bytes, part.bytes);
    if (h->bytes.failed)
        return ridge_no_memory(err);
    b->size = (uint64_t)part.size;
    b->here = h->bytes.n;
    b->memory_bytes = (const unsigned char *)h->bytes.p;
    h->etag = part.etag;
    h->name.revision = part.commit;
    return RIDGE_OK;
}

/* twice as much as is here, so that the requests are few */
static ridge_status more(ridge_binary *binary, uint64_t wanted, ridge_err *err)
{
    ridge_hub_head *h = (ridge_hub_head *)binary; /* its first member */
    const char *etag = h->etag, *commit = h->name.revision;
    const uint64_t twice = 2 * binary->here, to = wanted > twice ? wanted : twice;
    ridge_arena arena; /* of one answer: its bytes are copied */
    bool there;
    if (wanted > HEAD_MOST)
        return ridge_fail(err, RIDGE_LIMIT, "%s: its header has more than %d MiB", binary->path, HEAD_MOST >> 20);
    ridge_arena_init(&arena);
    ridge_status st = fetch(h, &there, to < binary->size ? to : binary->size, &arena, err);
    if (!st && !there)
        st = ridge_fail(err, RIDGE_IO, "%s went away while it was read", binary->path);
    h->etag = etag; /* the same, and not in this arena */
    h->name.revision = commit;
    ridge_arena_free(&arena);
    return st;
}

ridge_status ridge_hub_head_open(ridge_hub_head *out, bool *there, const ridge_hub_name *name, const char *file, size_t first,
                                 ridge_arena *arena, ridge_err *err)
{
    const char *path = ridge_arena_printf(arena, "%s/%s", name->id, file);
    *out = (ridge_hub_head){.name = *name, .file = file};
    ridge_binary_memory(&out->binary, path, (ridge_str){"", 0});
    *there = false;
    if (!path)
        return ridge_no_memory(err);
    out->binary.more = more;
    return fetch(out, there, first, arena, err);
}

ridge_status ridge_hub_head_keep(const ridge_hub_head *head, ridge_arena *arena, ridge_err *err)
{
    const ridge_hub_beginning beginning = {.id = head->name.id,
                                           .commit = head->name.revision,
                                           .file = head->file,
                                           .bytes = {head->bytes.p, (size_t)head->binary.read_to},
                                           .size = head->binary.size};
    return ridge_hub_keep(&beginning, arena, err);
}

void ridge_hub_head_close(ridge_hub_head *head)
{
    ridge_buf_free(&head->bytes);
    head->binary.here = 0;
}
