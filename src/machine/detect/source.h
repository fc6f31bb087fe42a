/* source.h - the one door that detection reads through: this machine, or a tree recorded from one.
 * In: paths below / (or below the tree), cpuid answers. Out: text in the arena; files that are missing are empty views (p == NULL).
 * While recording, every file read is also written below `record`, with what identifies the machine or its owner left out.
 * Fails (kept in `status`) only where the recording cannot be written or cpuid.txt is malformed. */
#ifndef RIDGE_MACHINE_DETECT_SOURCE_H
#define RIDGE_MACHINE_DETECT_SOURCE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

typedef struct ridge_cpuid {
    uint32_t leaf, sub;
    uint32_t r[4]; /* eax, ebx, ecx, edx */
} ridge_cpuid;

typedef struct ridge_detect_source {
    const char *root;   /* NULL: this machine */
    const char *record; /* NULL: not recording */
    ridge_cpuid *cpuid; /* every leaf this CPU answers */
    size_t cpuid_count, cpuid_cap;
    bool has_xcr0;
    uint64_t xcr0; /* state components that the system has enabled */
    ridge_status status;
    ridge_arena *arena;
    ridge_err *err;
} ridge_detect_source;

/* Checks the tree (or makes the folder to record to) and gets the cpuid answers. */
ridge_status ridge_detect_source_open(ridge_detect_source *s, const char *root, const char *record, ridge_arena *arena, ridge_err *err);

/* A file by its path without the leading slash ("proc/cpuinfo"). p == NULL: missing, unreadable or over 4 MiB. */
ridge_str ridge_detect_read(ridge_detect_source *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same with blanks and newlines at both ends cut. */
#define ridge_detect_word(...) ridge_str_trim(ridge_detect_read(__VA_ARGS__))
/* A file that holds one whole number, RIDGE_MACHINE_UNKNOWN (-1) where it holds anything else or a negative one. */
#define ridge_detect_number(...) ridge_str_number(ridge_detect_word(__VA_ARGS__))
bool ridge_detect_exists(ridge_detect_source *s, const char *path);
/* Adds a file to the recording. */
void ridge_detect_record(ridge_detect_source *s, const char *path, ridge_str text);

/* NULL where the CPU does not answer it */
const ridge_cpuid *ridge_detect_cpuid(const ridge_detect_source *s, uint32_t leaf, uint32_t sub);
/* Reads cpuid.txt: lines of `cpuid -r` ("0x00000007 0x00: eax=0x.. ebx=0x.. ecx=0x.. edx=0x..") and "xcr0: 0x..". SYNTAX. */
ridge_status ridge_cpuid_parse(ridge_detect_source *s, ridge_str text, const char *file);

/* ---- text ---- */
ridge_str ridge_str_trim(ridge_str text);
/* Cuts the first line off *rest; false at the end. */
bool ridge_str_line(ridge_str *line, ridge_str *rest);
/* Cuts the first word (up to a blank) off *rest; false at the end. */
bool ridge_str_word(ridge_str *word, ridge_str *rest);
bool ridge_str_has(ridge_str text, const char *part);
/* a whole number 0..2^63-1, nothing else; -1 otherwise */
int64_t ridge_str_number(ridge_str text);
/* the value of the first line "key : value" (blanks round the colon are free); p == NULL: there is none */
ridge_str ridge_str_field(ridge_str text, const char *key);

/* "0-3,8": cuts the first range off *rest; false at the end or where the text is no such list (ids are at most 65535). */
bool ridge_cpu_range(int64_t *first, int64_t *last, ridge_str *rest);
/* CPUs in a list; -1: empty or malformed, from its first bad range on */
int64_t ridge_cpu_count(ridge_str list);

#endif
