#include "input/zip.h"

#include <inttypes.h>

#include "input/weights.h"

enum {
    LOCAL = 0x04034b50,
    CENTRAL = 0x02014b50,
    END = 0x06054b50,
    END64 = 0x06064b50,
    LOCATOR64 = 0x07064b50,
    END_BYTES = 22,
    CENTRAL_BYTES = 46,
    LOCAL_BYTES = 30,
    LOCATOR_BYTES = 20,
    COMMENT_MOST = 65535,
    NAME_MOST = 65535
};

static uint64_t number(const unsigned char *p, size_t n)
{
    uint64_t v = 0;
    while (n-- > 0)
        v = v << 8 | p[n];
    return v;
}

bool ridge_zip_looks(ridge_binary *file)
{
    unsigned char first[4];
    return file->size >= END_BYTES && !ridge_binary_read(file, first, 0, sizeof first, NULL) && number(first, 4) == LOCAL;
}

typedef struct directory {
    uint64_t at, bytes, entries, ends_before;
} directory;

/* zip64: the locator stands right before the end record and says where the large one is */
static ridge_status read_end64(directory *d, ridge_binary *file, uint64_t end_at, ridge_err *err)
{
    unsigned char p[56];
    if (end_at < LOCATOR_BYTES)
        return ridge_fail(err, RIDGE_SYNTAX, "%s: a zip64 archive without its locator", file->path);
    ridge_status st = ridge_binary_read(file, p, end_at - LOCATOR_BYTES, LOCATOR_BYTES, err);
    if (st)
        return st;
    if (number(p, 4) != LOCATOR64)
        return ridge_fail(err, RIDGE_SYNTAX, "%s: a zip64 archive without its locator at byte %" PRIu64, file->path,
                          end_at - LOCATOR_BYTES);
    const uint64_t at = number(p + 8, 8);
    if (at > end_at - LOCATOR_BYTES || end_at - LOCATOR_BYTES - at < sizeof p)
        return ridge_fail(err, RIDGE_SYNTAX, "%s: the zip64 record is said to be at byte %" PRIu64 ", which is not before its locator",
                          file->path, at);
    if ((st = ridge_binary_read(file, p, at, sizeof p, err)))
        return st;
    if (number(p, 4) != END64)
        return ridge_fail(err, RIDGE_SYNTAX, "%s: there is no zip64 record at byte %" PRIu64, file->path, at);
    *d = (directory){number(p + 48, 8), number(p + 40, 8), number(p + 32, 8), at};
    return RIDGE_OK;
}

/* the end record: the last one whose comment reaches to the end of the file */
static ridge_status find_end(uint64_t *at, unsigned char end[END_BYTES], ridge_binary *file, ridge_arena *arena, ridge_err *err)
{
    const uint64_t most = file->size < END_BYTES + COMMENT_MOST ? file->size : END_BYTES + COMMENT_MOST;
    unsigned char *tail = ridge_arena_alloc(arena, (size_t)most + 1);
    if (!tail)
        return ridge_no_memory(err);
    ridge_status st = ridge_binary_read(file, tail, file->size - most, (size_t)most, err);
    for (uint64_t i = most < END_BYTES ? 0 : most - END_BYTES + 1; !st && i-- > 0;)
        if (number(tail + i, 4) == END && number(tail + i + 20, 2) == most - i - END_BYTES) {
            memcpy(end, tail + i, END_BYTES);
            *at = file->size - most + i;
            return RIDGE_OK;
        }
    return st ? st : ridge_fail(err, RIDGE_SYNTAX, "%s: the end of the zip archive is missing: the file is cut off, or no zip", file->path);
}

static ridge_status read_end(directory *d, ridge_binary *file, ridge_arena *arena, ridge_err *err)
{
    unsigned char p[END_BYTES];
    uint64_t at = 0;
    ridge_status st = find_end(&at, p, file, arena, err);
    if (st)
        return st;
    *d = (directory){number(p + 16, 4), number(p + 12, 4), number(p + 10, 2), at};
    if (number(p + 4, 2) != 0 && number(p + 4, 2) != 0xffff)
        return ridge_fail(err, RIDGE_VALUE, "%s: a zip archive in several parts is not read", file->path);
    if ((d->entries == 0xffff || d->at == 0xffffffff || d->bytes == 0xffffffff) && (st = read_end64(d, file, at, err)))
        return st;
    if (d->at > d->ends_before || d->bytes > d->ends_before - d->at)
        return ridge_fail(err, RIDGE_SYNTAX,
                          "%s: the zip directory is said to have %" PRIu64 " bytes at byte %" PRIu64
                          ", and its end record is at byte %" PRIu64,
                          file->path, d->bytes, d->at, d->ends_before);
    if (d->entries > d->bytes / CENTRAL_BYTES)
        return ridge_fail(err, RIDGE_SYNTAX, "%s: the zip directory is said to have %" PRIu64 " entries in %" PRIu64 " bytes", file->path,
                          d->entries, d->bytes);
    return RIDGE_OK;
}

/* the zip64 field of an entry holds, in this order, those of its numbers that are all ones */
static bool read_extra(ridge_zip_entry *e, ridge_str extra)
{
    const unsigned char *p = (const unsigned char *)extra.p, *end = p + extra.n;
    bool need[] = {e->bytes == 0xffffffff, e->stored_bytes == 0xffffffff, e->header_at == 0xffffffff};
    uint64_t *const fields[] = {&e->bytes, &e->stored_bytes, &e->header_at};
    while (end - p >= 4) {
        const size_t n = (size_t)number(p + 2, 2);
        const bool zip64 = number(p, 2) == 1;
        p += 4;
        if (n > (size_t)(end - p))
            break;
        size_t at = 0;
        for (size_t i = 0; zip64 && i < 3; i++)
            if (need[i] && n - at >= 8) {
                *fields[i] = number(p + at, 8);
                need[i] = false;
                at += 8;
            }
        p += n;
    }
    return !need[0] && !need[1] && !need[2];
}

static ridge_status read_entry(ridge_zip_entry *e, ridge_zip *zip, ridge_cursor *c, ridge_arena *arena, ridge_err *err)
{
    unsigned char p[CENTRAL_BYTES];
    const uint64_t at = c->at;
    ridge_str extra;
    ridge_cursor head;
    ridge_status st = ridge_cursor_part(&head, c, sizeof p, "an entry of the zip directory", err);
    if (st || (st = ridge_binary_read(zip->file, p, at, sizeof p, err)))
        return st;
    if (number(p, 4) != CENTRAL)
        return ridge_fail(err, RIDGE_SYNTAX, "%s: there is no entry of the zip directory at byte %" PRIu64, zip->file->path, at);
    *e = (ridge_zip_entry){.method = (uint16_t)number(p + 10, 2),
                           .encrypted = p[8] & 1,
                           .stored_bytes = number(p + 20, 4),
                           .bytes = number(p + 24, 4),
                           .header_at = number(p + 42, 4)};
    if ((st = ridge_cursor_text(&e->name, c, number(p + 28, 2), NAME_MOST, "a name of the zip directory", arena, err)) ||
        (st = ridge_cursor_text(&extra, c, number(p + 30, 2), NAME_MOST, "a field of the zip directory", arena, err)) ||
        (st = ridge_cursor_skip(c, number(p + 32, 2), "a comment of the zip directory", err)))
        return st;
    if (!read_extra(e, extra))
        return ridge_fail(err, RIDGE_SYNTAX, "%s: the entry at byte %" PRIu64 " lacks its zip64 sizes", zip->file->path, at);
    if (e->header_at > zip->directory_at || zip->directory_at - e->header_at < LOCAL_BYTES ||
        e->stored_bytes > zip->directory_at - e->header_at - LOCAL_BYTES)
        return ridge_fail(err, RIDGE_VALUE,
                          "%s: '%s' is said to have %" PRIu64 " bytes behind byte %" PRIu64
                          ", and the zip directory begins at byte %" PRIu64,
                          zip->file->path, ridge_weight_shown(arena, e->name), e->stored_bytes, e->header_at, zip->directory_at);
    return RIDGE_OK;
}

ridge_status ridge_zip_read(ridge_zip *out, ridge_binary *file, ridge_arena *arena, ridge_err *err)
{
    directory d;
    *out = (ridge_zip){.file = file};
    ridge_status st = read_end(&d, file, arena, err);
    if (st)
        return st;
    out->directory_at = d.at;
    if (!(out->entries = ridge_arena_array(arena, (size_t)d.entries + 1, sizeof *out->entries)))
        return ridge_no_memory(err);
    ridge_cursor c = {file, d.at, d.at + d.bytes};
    if (!ridge_symtab_init(&out->names, arena))
        return ridge_no_memory(err);
    for (; out->count < d.entries; out->count++) {
        const ridge_zip_entry *e = &out->entries[out->count];
        if ((st = read_entry(&out->entries[out->count], out, &c, arena, err)))
            return st;
        if (!ridge_intern(&out->names, e->name))
            return ridge_no_memory(err);
        if (out->names.count != out->count + 1)
            return ridge_fail(err, RIDGE_VALUE, "%s: '%s' stands twice in the zip directory", file->path,
                              ridge_weight_shown(arena, e->name));
    }
    return RIDGE_OK;
}

const ridge_zip_entry *ridge_zip_find(const ridge_zip *zip, ridge_str name)
{
    const ridge_symbol *symbol = ridge_intern_find(&zip->names, name);
    return symbol ? &zip->entries[symbol->id] : NULL;
}

ridge_status ridge_zip_open(ridge_cursor *out, const ridge_zip *zip, const ridge_zip_entry *e, ridge_arena *arena, ridge_err *err)
{
    unsigned char p[LOCAL_BYTES];
    const char *name = ridge_weight_shown(arena, e->name);
    if (e->encrypted)
        return ridge_fail(err, RIDGE_VALUE, "%s: '%s' is encrypted", zip->file->path, name);
    if (e->method != 0)
        return ridge_fail(err, RIDGE_VALUE, "%s: '%s' is compressed (method %u); only what is stored as it is, as torch.save does, is read",
                          zip->file->path, name, e->method);
    if (e->bytes != e->stored_bytes)
        return ridge_fail(err, RIDGE_VALUE, "%s: '%s' is stored as it is and has two sizes, %" PRIu64 " and %" PRIu64, zip->file->path,
                          name, e->bytes, e->stored_bytes);
    ridge_status st = ridge_binary_read(zip->file, p, e->header_at, sizeof p, err);
    if (st)
        return st;
    const uint64_t at = e->header_at + LOCAL_BYTES + number(p + 26, 2) + number(p + 28, 2);
    if (number(p, 4) != LOCAL)
        return ridge_fail(err, RIDGE_SYNTAX, "%s: the header of '%s' is not at byte %" PRIu64, zip->file->path, name, e->header_at);
    if (at > zip->directory_at || e->bytes > zip->directory_at - at)
        return ridge_fail(err, RIDGE_SYNTAX, "%s: '%s' at byte %" PRIu64 " runs into the zip directory", zip->file->path, name, at);
    *out = (ridge_cursor){zip->file, at, at + e->bytes};
    return RIDGE_OK;
}
