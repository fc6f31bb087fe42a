/* page.h - the files of src/page, as the build has put them into the program (tools/page.py).
 * In: nothing. Out: for each its path from "/", its type, a tag that changes with it, its bytes as they are and compressed by gzip. */
#ifndef RIDGE_SERVE_PAGE_H
#define RIDGE_SERVE_PAGE_H

#include <stddef.h>

typedef struct ridge_page_file {
    const char *path; /* "/index.html" */
    const char *type; /* of its content */
    const char *etag; /* without quotes */
    const unsigned char *plain;
    size_t plain_bytes;
    const unsigned char *gzip;
    size_t gzip_bytes; /* 0: it is not worth it */
} ridge_page_file;

extern const ridge_page_file ridge_page_files[];
extern const size_t ridge_page_file_count;

#endif
