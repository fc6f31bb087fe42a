#include "measure/fingerprint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined __x86_64__
#include <cpuid.h>
#endif

#include "base/str.h"

uint64_t ridge_fnv1a(const char *bytes, size_t count)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
    return hash;
}

/* The value of the first line "key<blanks>: value" of a file such as /proc/cpuinfo, without blanks around it; false: not there. */
static bool read_value(char *out, size_t cap, const char *path, const char *key)
{
    char line[1024];
    bool found = false;
    FILE *in = fopen(path, "re");
    while (in && !found && fgets(line, sizeof line, in)) {
        char *colon = strchr(line, ':');
        size_t n = strlen(key);
        if (!colon || strncmp(line, key, n) != 0 || strspn(line + n, " \t") != (size_t)(colon - line) - n)
            continue;
        char *value = colon + 1 + strspn(colon + 1, " \t");
        value[strcspn(value, "\n")] = '\0';
        (void)snprintf(out, cap, "%s", value);
        found = out[0] != '\0';
    }
    if (in)
        (void)fclose(in);
    return found;
}

/* the first line of a file; false: not readable or empty */
static bool read_line(char *out, int cap, const char *path)
{
    FILE *in = fopen(path, "re");
    bool found = in && fgets(out, cap, in);
    if (in)
        (void)fclose(in);
    if (found)
        out[strcspn(out, "\n")] = '\0';
    return found && out[0] != '\0';
}

/* Intel and AMD have a brand string; arm64 tells implementer and part. */
static void name_cpu(char *out, size_t cap)
{
    char implementer[64], part[64];
    const char *path = "/proc/cpuinfo";
    if (read_value(out, cap, path, "model name"))
        return;
    if (read_value(implementer, sizeof implementer, path, "CPU implementer") && read_value(part, sizeof part, path, "CPU part"))
        (void)snprintf(out, cap, "implementer %s, part %s", implementer, part);
    else
        (void)snprintf(out, cap, "unknown");
}

/* the vendor that leaf 0x40000000 names, by what people call it */
static const char *name_hypervisor(void)
{
#if defined __x86_64__
    static const char *const known[][2] = {{"KVMKVMKVM", "KVM"},    {"Microsoft Hv", "Hyper-V"}, {"VMwareVMware", "VMware"},
                                           {"XenVMMXenVMM", "Xen"}, {"TCGTCGTCGTCG", "QEMU"},    {"bhyve bhyve ", "bhyve"}};
    unsigned a, b, c, d;
    char name[13] = "";
    if (__get_cpuid(1, &a, &b, &c, &d) == 0)
        return "unknown";
    if ((c >> 31 & 1) == 0)
        return "none";
    __cpuid(0x40000000u, a, b, c, d);
    memcpy(name, &b, 4);
    memcpy(name + 4, &c, 4);
    memcpy(name + 8, &d, 4);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i][0]) == 0)
            return known[i][1];
    return "another";
#else
    return "unknown";
#endif
}

/* "L1d 32K L1i 32K L2 1024K L3 32768K", of CPU 0 */
static void add_caches(ridge_buf *out)
{
    size_t before = out->n;
    for (int i = 0; i < 8; i++) {
        char path[96], size[32], level[16], type[32];
        const char *base = "/sys/devices/system/cpu/cpu0/cache/index";
        (void)snprintf(path, sizeof path, "%s%d/size", base, i);
        if (!read_line(size, sizeof size, path))
            break;
        (void)snprintf(path, sizeof path, "%s%d/level", base, i);
        bool told = read_line(level, sizeof level, path);
        (void)snprintf(path, sizeof path, "%s%d/type", base, i);
        if (told && read_line(type, sizeof type, path))
            ridge_buf_addf(out, "%sL%s%s %s", out->n > before ? " " : "", level,
                           strcmp(type, "Data") == 0          ? "d"
                           : strcmp(type, "Instruction") == 0 ? "i"
                                                              : "",
                           size);
    }
    if (out->n == before)
        ridge_buf_addz(out, "unknown");
}

/* whole GiB, rounded to nearest: what the kernel keeps for itself differs from one to the next */
static long long memory_gib(void)
{
    char text[64];
    long long kib = read_value(text, sizeof text, "/proc/meminfo", "MemTotal") ? strtoll(text, NULL, 10) : 0;
    return (kib + (1 << 19)) >> 20;
}

static void describe(ridge_buf *text, ridge_buf *label)
{
    char cpu[256], microcode[64];
    struct utsname system;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    long long memory = memory_gib();
    const char *hypervisor = name_hypervisor();
    bool named = uname(&system) == 0;
    name_cpu(cpu, sizeof cpu);
    if (!read_value(microcode, sizeof microcode, "/proc/cpuinfo", "microcode"))
        (void)snprintf(microcode, sizeof microcode, "unknown");
    ridge_buf_addf(text, "cpu: %s\narchitecture: %s\nmicrocode: %s\ncores: %ld\ncaches: ", cpu, named ? system.machine : "unknown",
                   microcode, cores);
    add_caches(text);
    ridge_buf_addf(text, "\nmemory: %lld GiB\nkernel: %s %s\nhypervisor: %s\n", memory, named ? system.sysname : "unknown",
                   named ? system.release : "", hypervisor);
    ridge_buf_addf(label, "%s, %ld core%s, %lld GiB", cpu, cores, RIDGE_PLURAL(cores), memory);
    if (strcmp(hypervisor, "none") != 0 && strcmp(hypervisor, "unknown") != 0)
        ridge_buf_addf(label, ", %s", strcmp(hypervisor, "another") == 0 ? "virtual machine" : hypervisor);
}

static void hash_text(ridge_fingerprint *out, ridge_str text)
{
    out->hash = ridge_fnv1a(text.p, text.n);
    (void)snprintf(out->digits, sizeof out->digits, "%016" PRIx64, out->hash);
}

ridge_status ridge_fingerprint_of_name(ridge_fingerprint *out, const char *name, ridge_arena *arena, ridge_err *err)
{
    const char *text = ridge_arena_printf(arena, "name: %s\n", name);
    *out = (ridge_fingerprint){.text = text, .label = name};
    if (!text)
        return ridge_no_memory(err);
    hash_text(out, ridge_str_of(text));
    return RIDGE_OK;
}

ridge_status ridge_fingerprint_read(ridge_fingerprint *out, ridge_arena *arena, ridge_err *err)
{
    ridge_buf text = {0}, label = {0};
    *out = (ridge_fingerprint){0};
    describe(&text, &label);
    if (!text.failed && !label.failed) {
        out->text = ridge_arena_strdup(arena, (ridge_str){text.p, text.n});
        out->label = ridge_arena_strdup(arena, (ridge_str){label.p, label.n});
        hash_text(out, (ridge_str){text.p, text.n});
    }
    ridge_buf_free(&text);
    ridge_buf_free(&label);
    return out->text && out->label ? RIDGE_OK : ridge_no_memory(err);
}
