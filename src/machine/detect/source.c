#include "machine/detect/source.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/file.h"
#include "base/number.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

enum { FILE_LIMIT = 4 << 20, PATH_CHARS = 1024, CPUID_LIMIT = 4096, CPU_LIMIT = 65535, MASKED_RUN = 8 };

/* ---- text ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0' || c == '\v' || c == '\f';
}

ridge_str ridge_str_trim(ridge_str text)
{
    while (text.n > 0 && is_blank(text.p[0]))
        text = (ridge_str){text.p + 1, text.n - 1};
    while (text.n > 0 && is_blank(text.p[text.n - 1]))
        text.n--;
    return text;
}

bool ridge_str_line(ridge_str *line, ridge_str *rest)
{
    if (rest->n == 0)
        return false;
    const char *end = memchr(rest->p, '\n', rest->n);
    size_t n = end ? (size_t)(end - rest->p) : rest->n, cut = end ? n + 1 : n;
    *line = (ridge_str){rest->p, n};
    *rest = (ridge_str){rest->p + cut, rest->n - cut};
    return true;
}

bool ridge_str_word(ridge_str *word, ridge_str *rest)
{
    *rest = ridge_str_trim(*rest);
    *word = *rest;
    if (rest->n == 0)
        return false;
    size_t n = 0;
    while (n < rest->n && !is_blank(rest->p[n]))
        n++;
    word->n = n;
    *rest = (ridge_str){rest->p + n, rest->n - n};
    return true;
}

bool ridge_str_has(ridge_str text, const char *part)
{
    return text.n > 0 && memmem(text.p, text.n, part, strlen(part));
}

int64_t ridge_str_number(ridge_str text)
{
    ridge_int value;
    if (!ridge_int_parse(&value, text) || value < 0 || value > INT64_MAX)
        return -1;
    return (int64_t)value;
}

ridge_str ridge_str_field(ridge_str text, const char *key)
{
    ridge_str line;
    while (ridge_str_line(&line, &text)) {
        const char *colon = line.n > 0 ? memchr(line.p, ':', line.n) : NULL;
        if (!colon)
            continue;
        size_t n = (size_t)(colon - line.p);
        if (ridge_str_is(ridge_str_trim((ridge_str){line.p, n}), key))
            return ridge_str_trim((ridge_str){colon + 1, line.n - n - 1});
    }
    return (ridge_str){NULL, 0};
}

bool ridge_cpu_range(int64_t *first, int64_t *last, ridge_str *rest)
{
    *rest = ridge_str_trim(*rest);
    if (rest->n == 0)
        return false;
    const char *comma = memchr(rest->p, ',', rest->n);
    ridge_str item = {rest->p, comma ? (size_t)(comma - rest->p) : rest->n};
    size_t cut = item.n + (comma != NULL);
    const char *dash = item.n > 0 ? memchr(item.p, '-', item.n) : NULL;
    ridge_str from = item, to = item;
    if (dash) {
        from.n = (size_t)(dash - item.p);
        to = (ridge_str){dash + 1, item.n - from.n - 1};
    }
    *rest = (ridge_str){rest->p + cut, rest->n - cut};
    *first = ridge_str_number(from);
    *last = ridge_str_number(to);
    return *first >= 0 && *last >= *first && *last <= CPU_LIMIT;
}

int64_t ridge_cpu_count(ridge_str list)
{
    int64_t first, last, count = 0;
    ridge_str rest = ridge_str_trim(list);
    while (rest.n > 0) {
        if (!ridge_cpu_range(&first, &last, &rest))
            return -1;
        count += last - first + 1;
    }
    return count > 0 && count <= CPU_LIMIT + 1 ? count : -1;
}

/* ---- recording: what is left out ---- */

/* Runs of 8 and more hexadecimal digits and dashes that hold a digit (ids of containers, pods, sessions) become zeros. */
static void mask_ids(char *text, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t run = 0;
        bool digit = false;
        while (i + run < n && (strchr("0123456789abcdefABCDEF-", text[i + run])) && text[i + run] != '\0') {
            digit = digit || (text[i + run] >= '0' && text[i + run] <= '9');
            run++;
        }
        for (size_t k = 0; run >= MASKED_RUN && digit && k < run; k++)
            if (text[i + k] != '-')
                text[i + k] = '0';
        i += run > 0 ? run : 1;
    }
}

/* only the lines that begin with one of `keys` (NULL-terminated) */
static void keep_lines(ridge_buf *out, ridge_str text, const char *const *keys)
{
    ridge_str line;
    while (ridge_str_line(&line, &text))
        for (size_t i = 0; keys[i]; i++)
            if (ridge_str_starts(line, ridge_str_of(keys[i]))) {
                ridge_buf_add(out, line);
                ridge_buf_addc(out, '\n');
                break;
            }
}

/* the first processor's lines in full, of the others what tells the topology and the kind of core; no serial number of a board */
static void keep_cpuinfo(ridge_buf *out, ridge_str text)
{
    static const char *const keys[] = {"processor", "physical id", "core id", "CPU implementer", "CPU part", NULL};
    static const char *const secret[] = {"Serial", "Revision", "Hardware", NULL};
    ridge_str line;
    unsigned processors = 0;
    while (ridge_str_line(&line, &text)) {
        bool keep = line.n == 0, hide = false;
        processors += ridge_str_starts(line, RIDGE_STR("processor"));
        for (size_t i = 0; keys[i]; i++)
            keep = keep || ridge_str_starts(line, ridge_str_of(keys[i]));
        for (size_t i = 0; secret[i]; i++)
            hide = hide || ridge_str_starts(line, ridge_str_of(secret[i]));
        if (!hide && (keep || processors <= 1)) {
            ridge_buf_add(out, line);
            ridge_buf_addc(out, '\n');
        }
    }
}

/* "container=lxc" of the variables of process 1 */
static void keep_container(ridge_buf *out, ridge_str text)
{
    for (size_t at = 0; at < text.n;) {
        const char *end = memchr(text.p + at, '\0', text.n - at);
        ridge_str item = {text.p + at, end ? (size_t)(end - text.p) - at : text.n - at};
        if (ridge_str_starts(item, RIDGE_STR("container="))) {
            ridge_buf_add(out, item);
            ridge_buf_addc(out, '\0');
        }
        at += item.n + 1;
    }
}

/* of the mount of / its fields up to the type of the file system */
static void keep_root_mount(ridge_buf *out, ridge_str text)
{
    ridge_str line;
    while (ridge_str_line(&line, &text)) {
        const char *dash = line.n > 3 && ridge_str_has(line, " / / ") ? memmem(line.p, line.n, " - ", 3) : NULL;
        ridge_str type, rest;
        if (!dash)
            continue;
        rest = (ridge_str){dash + 3, line.n - (size_t)(dash + 3 - line.p)};
        (void)ridge_str_word(&type, &rest);
        ridge_buf_addf(out, "1 0 0:1 / / rw - %.*s none rw\n", RIDGE_STR_ARG(type));
    }
}

/* a DMI structure without its strings that could be serial numbers: those of memory modules keep the two locators (fields 0x10 and
 * 0x11 say which), all others go */
static void keep_dmi(ridge_buf *out, ridge_str text)
{
    size_t formatted = text.n > 1 ? (unsigned char)text.p[1] : 0;
    if (formatted > text.n || formatted < 0x12) {
        return;
    }
    ridge_buf_add(out, (ridge_str){text.p, formatted});
    unsigned number = 1;
    for (size_t at = formatted; at < text.n && text.p[at] != '\0'; number++) {
        size_t n = strnlen(text.p + at, text.n - at);
        bool keep = text.p[0] == 17 && (number == (unsigned char)text.p[0x10] || number == (unsigned char)text.p[0x11]);
        ridge_buf_add(out, keep ? (ridge_str){text.p + at, n} : RIDGE_STR("-"));
        ridge_buf_addc(out, '\0');
        at += n + 1;
    }
    ridge_buf_addc(out, '\0');
}

static void sanitise(ridge_buf *out, ridge_str path, ridge_str text)
{
    static const char *const status[] = {"Cpus_allowed_list:", NULL};
    if (ridge_str_is(path, "proc/cpuinfo"))
        keep_cpuinfo(out, text);
    else if (ridge_str_is(path, "proc/self/status"))
        keep_lines(out, text, status);
    else if (ridge_str_is(path, "proc/1/environ"))
        keep_container(out, text);
    else if (ridge_str_is(path, "proc/self/mountinfo"))
        keep_root_mount(out, text);
    else if (ridge_str_starts(path, RIDGE_STR("sys/firmware/dmi/entries/")))
        keep_dmi(out, text);
    else
        ridge_buf_add(out, text);
    if (out->n > 0 && (ridge_str_ends(path, RIDGE_STR("/cgroup")) || ridge_str_is(path, "run/.containerenv")))
        mask_ids(out->p, out->n);
}

static void failed(ridge_detect_source *s, ridge_status st)
{
    if (s->status == RIDGE_OK)
        s->status = st;
}

static ridge_status fail_write(ridge_err *err, const char *path)
{
    const char *reason = strerrordesc_np(errno);
    return ridge_fail(err, RIDGE_IO, "cannot write %s: %s", path, reason ? reason : "unknown reason");
}

static ridge_status write_plain(const char *path, ridge_str text, ridge_err *err)
{
    FILE *file = fopen(path, "wbe");
    if (!file)
        return fail_write(err, path);
    bool ok = text.n == 0 || fwrite(text.p, 1, text.n, file) == text.n;
    ok = fclose(file) == 0 && ok;
    return ok ? RIDGE_OK : fail_write(err, path);
}

void ridge_detect_record(ridge_detect_source *s, const char *path, ridge_str text)
{
    if (!s->record || s->status != RIDGE_OK)
        return;
    ridge_buf kept = {0};
    char *masked = ridge_arena_strdup(s->arena, ridge_str_of(path));
    if (masked && strncmp(masked, "sys/fs/cgroup/", 14) == 0)
        mask_ids(masked, strlen(masked));
    char *file = masked ? ridge_arena_printf(s->arena, "%s/%s", s->record, masked) : NULL;
    if (!file) {
        failed(s, ridge_no_memory(s->err));
        return;
    }
    sanitise(&kept, ridge_str_of(path), text);
    char *slash = strrchr(file, '/');
    *slash = '\0';
    failed(s, ridge_file_make_folders(file, s->err));
    *slash = '/';
    if (s->status == RIDGE_OK)
        failed(s, write_plain(file, (ridge_str){kept.p, kept.n}, s->err));
    ridge_buf_free(&kept);
}

/* ---- files ---- */

static bool path_of(char out[PATH_CHARS], const ridge_detect_source *s, const char *path)
{
    int n = snprintf(out, PATH_CHARS, "%s/%s", s->root ? s->root : "", path);
    return n > 0 && n < PATH_CHARS;
}

ridge_str ridge_detect_read(ridge_detect_source *s, const char *fmt, ...)
{
    char path[PATH_CHARS], full[PATH_CHARS];
    ridge_str text = {NULL, 0};
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(path, sizeof path, fmt, args);
    va_end(args);
    if (n <= 0 || n >= PATH_CHARS || !path_of(full, s, path) || ridge_file_read(&text, full, FILE_LIMIT, s->arena, NULL))
        return (ridge_str){NULL, 0};
    ridge_detect_record(s, path, text);
    return text;
}

bool ridge_detect_exists(ridge_detect_source *s, const char *path)
{
    char full[PATH_CHARS];
    bool found = path_of(full, s, path) && ridge_file_exists(full);
    if (found && !ridge_file_is_folder(full))
        ridge_detect_record(s, path, RIDGE_STR(""));
    return found;
}

/* ---- cpuid ---- */

const ridge_cpuid *ridge_detect_cpuid(const ridge_detect_source *s, uint32_t leaf, uint32_t sub)
{
    for (size_t i = 0; i < s->cpuid_count; i++)
        if (s->cpuid[i].leaf == leaf && s->cpuid[i].sub == sub)
            return &s->cpuid[i];
    return NULL;
}

static ridge_status add_cpuid(ridge_detect_source *s, const ridge_cpuid *answer)
{
    if (s->cpuid_count == CPUID_LIMIT)
        return ridge_fail(s->err, RIDGE_LIMIT, "more than %d cpuid answers", (int)CPUID_LIMIT);
    if (s->cpuid_count == s->cpuid_cap) {
        ridge_cpuid *grown = ridge_arena_grow(s->arena, s->cpuid, s->cpuid_count, &s->cpuid_cap, s->cpuid_count + 1, sizeof *s->cpuid);
        if (!grown)
            return ridge_no_memory(s->err);
        s->cpuid = grown;
    }
    s->cpuid[s->cpuid_count++] = *answer;
    return RIDGE_OK;
}

/* "0x1f" of at most `digits` digits; false: not that */
static bool hex_word(uint64_t *out, ridge_str word, unsigned digits)
{
    uint64_t value = 0;
    if (word.n < 3 || word.n > digits + 2 || word.p[0] != '0' || (word.p[1] != 'x' && word.p[1] != 'X'))
        return false;
    for (size_t i = 2; i < word.n; i++) {
        char c = word.p[i];
        unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 16;
        if (digit == 16)
            return false;
        value = value << 4 | digit;
    }
    *out = value;
    return true;
}

/* LEAF SUB: eax=.. ebx=.. ecx=.. edx=.. */
static bool parse_answer(ridge_cpuid *out, ridge_str line)
{
    static const char *const names[] = {"eax=", "ebx=", "ecx=", "edx="};
    uint64_t value;
    ridge_str word, rest = line;
    if (!ridge_str_word(&word, &rest) || !hex_word(&value, word, 8))
        return false;
    out->leaf = (uint32_t)value;
    if (!ridge_str_word(&word, &rest) || !ridge_str_ends(word, RIDGE_STR(":")))
        return false;
    word.n--;
    if (!hex_word(&value, word, 8))
        return false;
    out->sub = (uint32_t)value;
    for (unsigned i = 0; i < 4; i++) {
        if (!ridge_str_word(&word, &rest) || !ridge_str_starts(word, ridge_str_of(names[i])) ||
            !hex_word(&value, (ridge_str){word.p + 4, word.n - 4}, 8))
            return false;
        out->r[i] = (uint32_t)value;
    }
    return !ridge_str_word(&word, &rest);
}

static ridge_status fail_line(ridge_err *err, ridge_str text, ridge_str line, const char *file, unsigned number)
{
    ridge_status st =
        ridge_fail_at(err, RIDGE_SYNTAX, file, number, 1,
                      "not a cpuid answer; wanted \"0x00000007 0x00: eax=0x.. ebx=0x.. ecx=0x.. edx=0x..\" or \"xcr0: 0x..\"");
    ridge_err_excerpt(err, text.p, text.n, (size_t)(line.p - text.p), line.n);
    return st;
}

ridge_status ridge_cpuid_parse(ridge_detect_source *s, ridge_str text, const char *file)
{
    ridge_str line, rest = text;
    unsigned number = 0;
    while (ridge_str_line(&line, &rest)) {
        ridge_cpuid answer;
        ridge_str at = ridge_str_trim(line);
        number++;
        if (at.n == 0 || at.p[0] == '#' || ridge_str_is(at, "CPU:") || ridge_str_is(at, "CPU 0:"))
            continue;
        if (ridge_str_starts(at, RIDGE_STR("CPU "))) /* the next one */
            break;
        if (ridge_str_starts(at, RIDGE_STR("xcr0:"))) {
            if (!hex_word(&s->xcr0, ridge_str_trim((ridge_str){at.p + 5, at.n - 5}), 16))
                return fail_line(s->err, text, line, file, number);
            s->has_xcr0 = true;
            continue;
        }
        if (!parse_answer(&answer, at))
            return fail_line(s->err, text, line, file, number);
        ridge_status st = add_cpuid(s, &answer);
        if (st)
            return st;
    }
    return RIDGE_OK;
}

#if defined(__x86_64__) || defined(__i386__)
/* sub-leaves worth keeping: of the leaves whose number of them the CPU tells by an end mark */
static unsigned sub_leaves(uint32_t leaf)
{
    return leaf == 4 || leaf == 0x8000001d ? 8 : leaf == 0xb || leaf == 0x1f || leaf == 0x80000026 ? 6 : leaf == 7 || leaf == 0x1e ? 3 : 2;
}

static ridge_status ask_range(ridge_detect_source *s, uint32_t first, uint32_t most)
{
    ridge_status st = RIDGE_OK;
    ridge_cpuid top = {.leaf = first};
    __cpuid_count(first, 0, top.r[0], top.r[1], top.r[2], top.r[3]);
    uint32_t last = top.r[0] >= first && top.r[0] - first < most ? top.r[0] : first;
    for (uint32_t leaf = first; leaf <= last && !st; leaf++)
        for (unsigned sub = 0; sub < sub_leaves(leaf) && !st; sub++) {
            ridge_cpuid answer = {.leaf = leaf, .sub = sub};
            __cpuid_count(leaf, sub, answer.r[0], answer.r[1], answer.r[2], answer.r[3]);
            bool said = (answer.r[0] | answer.r[1] | answer.r[2] | answer.r[3]) != 0;
            if (leaf != 3 && (said || sub == 0)) /* leaf 3: the serial number of a Pentium III */
                st = add_cpuid(s, &answer);
        }
    return st;
}

static ridge_status ask_cpu(ridge_detect_source *s)
{
    ridge_status st = ask_range(s, 0, 0x40);
    const ridge_cpuid *one = ridge_detect_cpuid(s, 1, 0);
    if (!st && one && (one->r[2] >> 31 & 1) != 0) /* told only by hypervisors; Intel repeats another leaf there */
        st = ask_range(s, 0x40000000, 0x11);
    if (!st)
        st = ask_range(s, 0x80000000, 0x40);
    if (!st && one && (one->r[2] >> 27 & 1) != 0) { /* OSXSAVE: xgetbv may be used */
        uint32_t low, high;
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        s->xcr0 = (uint64_t)high << 32 | low;
        s->has_xcr0 = true;
    }
    return st;
}
#else
static ridge_status ask_cpu(ridge_detect_source *s)
{
    (void)s;
    return RIDGE_OK;
}
#endif

static void record_cpuid(ridge_detect_source *s)
{
    ridge_buf text = {0};
    for (size_t i = 0; i < s->cpuid_count; i++) {
        const ridge_cpuid *a = &s->cpuid[i];
        ridge_buf_addf(&text, "0x%08x 0x%02x: eax=0x%08x ebx=0x%08x ecx=0x%08x edx=0x%08x\n", a->leaf, a->sub, a->r[0], a->r[1], a->r[2],
                       a->r[3]);
    }
    if (s->has_xcr0)
        ridge_buf_addf(&text, "xcr0: 0x%llx\n", (unsigned long long)s->xcr0);
    if (text.n > 0)
        ridge_detect_record(s, "cpuid.txt", (ridge_str){text.p, text.n});
    ridge_buf_free(&text);
}

static ridge_status open_tree(ridge_detect_source *s)
{
    if (!ridge_file_exists(s->root))
        return ridge_fail(s->err, RIDGE_IO, "cannot read %s: No such file or directory", s->root);
    if (!ridge_file_is_folder(s->root))
        return ridge_fail(s->err, RIDGE_IO, "%s is a file; a recorded machine is a folder (ridge machine detect --record DIR)", s->root);
    ridge_str text = ridge_detect_read(s, "cpuid.txt");
    if (!text.p && !ridge_detect_exists(s, "proc/cpuinfo"))
        return ridge_fail(s->err, RIDGE_UNKNOWN, "%s is no recorded machine: it has neither cpuid.txt nor proc/cpuinfo", s->root);
    return text.p ? ridge_cpuid_parse(s, text, ridge_arena_printf(s->arena, "%s/cpuid.txt", s->root)) : RIDGE_OK;
}

ridge_status ridge_detect_source_open(ridge_detect_source *s, const char *root, const char *record, ridge_arena *arena, ridge_err *err)
{
    *s = (ridge_detect_source){.root = root, .arena = arena, .err = err};
    ridge_status st = root ? open_tree(s) : ask_cpu(s);
    if (!st && record && !(st = ridge_file_make_folders(record, err))) {
        s->record = record;
        record_cpuid(s);
        st = s->status;
    }
    return st;
}
