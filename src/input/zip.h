/* zip.h - the central directory of a zip archive: names, sizes and places of its entries (PKWARE APPNOTE 6.3.10; zip64).
 * In: a file. Out: its entries, in the directory's order, in the arena. Nothing is unpacked.
 * Fails with byte offsets on a directory that is not there, is not whole, names bytes that
 * the file does not have, or has a name twice. */
#ifndef RIDGE_INPUT_ZIP_H
#define RIDGE_INPUT_ZIP_H

#include "input/binary.h"

typedef struct ridge_zip_entry {
    ridge_str name;
    uint64_t stored_bytes, bytes; /* in the file; of the content */
    uint64_t header_at;           /* of the local header */
    uint16_t method;              /* 0: stored as it is; 8: deflated */
    bool encrypted;
} ridge_zip_entry;

typedef struct ridge_zip {
    ridge_binary *file;
    ridge_zip_entry *entries;
    size_t count;
    uint64_t directory_at;
    ridge_symtab names; /* a name's number is the entry's */
} ridge_zip;

/* begins with the signature of a local header? */
bool ridge_zip_looks(ridge_binary *file);
ridge_status ridge_zip_read(ridge_zip *out, ridge_binary *file, ridge_arena *arena, ridge_err *err);
/* NULL: there is none of that name */
const ridge_zip_entry *ridge_zip_find(const ridge_zip *zip, ridge_str name);
/* The bytes of an entry that is stored as it is, for reading; VALUE with the reason where it is compressed or encrypted. */
ridge_status ridge_zip_open(ridge_cursor *out, const ridge_zip *zip, const ridge_zip_entry *entry, ridge_arena *arena, ridge_err *err);

#endif
