/* Buffers, the last-level cache, normal values (measure.h). */
#include "measure/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined __x86_64__
#include <cpuid.h>
#endif

#include "base/number.h"

enum { HUGE = 2 << 20, LINE = 64, TOUCHED = 64 << 20, LARGE = 256 << 20 };

/* what is mapped for `bytes`: whole huge pages from one of them on; 0: too large */
static size_t mapped(size_t bytes)
{
    size_t unit = bytes >= HUGE ? (size_t)HUGE : (size_t)sysconf(_SC_PAGESIZE);
    return bytes > SIZE_MAX - 2 * (size_t)HUGE ? 0 : (bytes + unit - 1) / unit * unit;
}

size_t ridge_memory_available(void)
{
    char line[128];
    unsigned long long kib = 0;
    FILE *in = fopen("/proc/meminfo", "re");
    if (!in)
        return 0;
    bool told = false;
    while (!told && fgets(line, sizeof line, in))
        told = sscanf(line, "MemAvailable: %llu kB", &kib) == 1;
    (void)fclose(in);
    return !told ? 0 : kib < SIZE_MAX / 1024 ? (size_t)kib * 1024 : SIZE_MAX;
}

/* Linux promises more memory than there is and kills who touches it: does a large buffer fit what is available? True where that is not
 * known. */
static bool is_available(size_t bytes)
{
    size_t available = bytes >= LARGE ? ridge_memory_available() : 0;
    return available == 0 || bytes <= available;
}

/* A mapping of `size` bytes that begins at a multiple of `unit`: one that is larger, its ends given back. A page's multiple every mapping
 * is: without gaps between them the system joins small ones, of which a process may have 65,530 (vm.max_map_count). */
static char *map_aligned(size_t size, size_t unit)
{
    const size_t room = unit > (size_t)sysconf(_SC_PAGESIZE) ? size + unit : size;
    char *all = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || room == size)
        return all == MAP_FAILED ? NULL : all;
    size_t before = (unit - (uintptr_t)all % unit) % unit;
    if (before > 0)
        (void)munmap(all, before);
    if (unit > before)
        (void)munmap(all + before + size, unit - before);
    return all + before;
}

/* gigabytes take seconds: Ctrl-C leaves the rest to whoever uses it */
static void touch(char *p, size_t size)
{
    for (size_t at = 0; at < size && ridge_measure_interrupted == 0; at += TOUCHED)
        memset(p + at, 0, size - at < TOUCHED ? size - at : (size_t)TOUCHED);
}

void *ridge_buffer_make(size_t bytes, bool *huge)
{
    size_t size = mapped(bytes);
    bool large = bytes >= HUGE;
    if (huge)
        *huge = false;
    char *p =
        bytes == 0 || size == 0 || !is_available(size) ? NULL : map_aligned(size, large ? (size_t)HUGE : (size_t)sysconf(_SC_PAGESIZE));
    if (!p)
        return NULL;
    bool advised = large && madvise(p, size, MADV_HUGEPAGE) == 0;
    touch(p, size);
    if (huge)
        *huge = advised;
    return p;
}

void ridge_buffer_free(void *buffer, size_t bytes)
{
    if (buffer)
        (void)munmap(buffer, mapped(bytes));
}

/* ---- the last-level cache ---- */

/* bytes of a file of sysfs such as "32768K"; 0: not told */
static size_t read_size(const char *path)
{
    unsigned long long value = 0;
    char unit = 0;
    FILE *in = fopen(path, "re");
    if (!in)
        return 0;
    int n = fscanf(in, "%llu%c", &value, &unit);
    (void)fclose(in);
    if (n < 1 || value > SIZE_MAX >> 30)
        return 0;
    return (size_t)value << (unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0);
}

static size_t sysfs_cache(void)
{
    size_t largest = 0;
    for (int i = 0; i < 8; i++) {
        char path[96];
        (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        size_t size = read_size(path);
        if (size > largest)
            largest = size;
    }
    return largest;
}

/* Intel leaf 4, AMD leaf 0x8000001D (the same layout): ways x partitions x line x sets of the largest; 0: not told.
 * Intel SDM volume 2 "CPUID"; AMD APM volume 3 appendix E */
static size_t cpuid_cache(void)
{
    size_t largest = 0;
#if defined __x86_64__
    static const unsigned leaves[] = {4, 0x8000001du};
    for (size_t l = 0; l < 2; l++)
        for (unsigned i = 0; i < 8; i++) {
            unsigned a = 0, b = 0, c = 0, d = 0;
            if (__get_cpuid_count(leaves[l], i, &a, &b, &c, &d) == 0 || (a & 31) == 0)
                break;
            size_t size = ((size_t)(b >> 22) + 1) * ((b >> 12 & 1023) + 1) * ((b & 4095) + 1) * ((size_t)c + 1);
            if (size > largest)
                largest = size;
        }
#endif
    return largest;
}

/* RIDGE_LAST_LEVEL_CACHE ("32Mi"): for machines that tell their cache wrongly, as virtual ones do, and for short tests */
static size_t told_cache(void)
{
    const char *text = getenv("RIDGE_LAST_LEVEL_CACHE");
    int64_t bytes = 0;
    bool overflow = false;
    bool number = text && ridge_count_parse(&bytes, &overflow, ridge_str_of(text));
    return number && !overflow && bytes > 0 ? (size_t)bytes : 0;
}

size_t ridge_last_level_cache(void)
{
    size_t size = told_cache();
    if (size == 0)
        size = sysfs_cache();
    if (size == 0)
        size = cpuid_cache();
    return size > 0 ? size : (size_t)64 << 20;
}

/* ---- values ---- */

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* (0, 1), never an end */
static double uniform(uint64_t *state)
{
    return ((double)(next(state) >> 12) + 0.5) * 0x1p-52;
}

/* Box and Muller 1958, the pair of each two uniforms. What is nearer to 0 than 2^-14 (the least normal fp16, 1 value in 20,000)
 * is pushed out to it: no denormal in any 16-bit format, no zero. */
void ridge_fill_normal(float *out, size_t count, uint64_t seed)
{
    static const float least = 0x1p-14f;
    for (size_t i = 0; i < count; i += 2) {
        double radius = sqrt(-2 * log(uniform(&seed))), angle = 2 * 3.14159265358979323846 * uniform(&seed);
        float pair[2] = {(float)(radius * cos(angle)), (float)(radius * sin(angle))};
        for (size_t j = 0; j < 2 && i + j < count; j++)
            out[i + j] = fabsf(pair[j]) < least ? copysignf(least, pair[j]) : pair[j];
    }
}
