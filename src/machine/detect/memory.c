/* Memory: /proc/meminfo, NUMA nodes, huge pages, DMI memory modules. And what limits it: cgroup v1 and v2, cpuset, affinity. */
#include "machine/detect/parts.h"

enum { MODULE_LIMIT = 1024, KEY_CHARS = 64, CGROUP_CHARS = 512, CGROUP_DEPTH = 32 };

/* ---- /proc/meminfo ---- */

/* "24682416 kB" in bytes; -1: not that */
static int64_t kilobytes(ridge_str text)
{
    ridge_str word, rest = text;
    if (!ridge_str_word(&word, &rest) || !ridge_str_is(ridge_str_trim(rest), "kB"))
        return RIDGE_MACHINE_UNKNOWN;
    int64_t value = ridge_str_number(word);
    return value >= 0 && value <= INT64_MAX / 1024 ? value * 1024 : RIDGE_MACHINE_UNKNOWN;
}

/* "always [madvise] never" */
static const char *chosen_word(ridge_detection *x, ridge_str text)
{
    const char *open = text.n > 0 ? memchr(text.p, '[', text.n) : NULL;
    const char *close = open ? memchr(open, ']', text.n - (size_t)(open - text.p)) : NULL;
    static const char *const words[] = {"always", "madvise", "never"};
    (void)x;
    for (size_t i = 0; close && i < sizeof words / sizeof *words; i++)
        if (ridge_str_is((ridge_str){open + 1, (size_t)(close - open - 1)}, words[i]))
            return words[i];
    return NULL;
}

/* "Node 0 MemTotal:       24682416 kB" */
static int64_t node_total(ridge_str text)
{
    ridge_str line;
    while (ridge_str_line(&line, &text)) {
        const char *key = line.n > 0 ? memmem(line.p, line.n, "MemTotal:", 9) : NULL;
        if (key)
            return kilobytes((ridge_str){key + 9, line.n - (size_t)(key + 9 - line.p)});
    }
    return RIDGE_MACHINE_UNKNOWN;
}

static void read_nodes(ridge_detection *x)
{
    ridge_detected_memory *m = &x->d->memory;
    ridge_str online = ridge_detect_word(&x->s, "sys/devices/system/node/online");
    int64_t first, last, nodes = ridge_cpu_count(online), n = 0;
    if (nodes < 1 || nodes > 1024 || nodes != x->d->cpu.numa_nodes)
        return;
    m->node_bytes = ridge_arena_array(x->arena, (size_t)nodes, sizeof *m->node_bytes);
    while (m->node_bytes && ridge_cpu_range(&first, &last, &online))
        for (int64_t node = first; node <= last && n < nodes; node++)
            m->node_bytes[n++] = node_total(ridge_detect_read(&x->s, "sys/devices/system/node/node%d/meminfo", (int)node));
}

/* ---- DMI type 17: memory modules (SMBIOS DSP0134 7.18) ---- */

static unsigned byte_at(ridge_str raw, size_t at)
{
    return at < raw.n ? (unsigned char)raw.p[at] : 0;
}

static unsigned word_at(ridge_str raw, size_t at)
{
    return byte_at(raw, at) | byte_at(raw, at + 1) << 8;
}

/* string `number` (from 1) after the formatted part */
static ridge_str dmi_string(ridge_str raw, unsigned number)
{
    size_t at = byte_at(raw, 1);
    for (unsigned i = 1; number != 0 && at < raw.n && raw.p[at] != '\0'; i++) {
        size_t n = strnlen(raw.p + at, raw.n - at);
        if (i == number)
            return (ridge_str){raw.p + at, n};
        at += n + 1;
    }
    return (ridge_str){NULL, 0};
}

/* What names the channel of a module: of "P0 CHANNEL A" all of it, of "CPU1_DIMM_A2" what stands before the slot's number.
 * false: the board names its slots in another way. */
static bool channel_key(char key[KEY_CHARS], ridge_str device, ridge_str bank)
{
    ridge_str text = ridge_str_has(bank, "CHANNEL") || ridge_str_has(bank, "Channel") ? bank : device;
    bool by_bank = text.p == bank.p && bank.p;
    while (!by_bank && text.n > 0 && text.p[text.n - 1] >= '0' && text.p[text.n - 1] <= '9')
        text.n--;
    char last = text.n > 0 ? text.p[text.n - 1] : ' ';
    if (text.n == 0 || text.n >= KEY_CHARS ||
        (!by_bank && (text.n == device.n || last < 'A' || last > 'Z' || !ridge_str_has(text, "DIMM"))))
        return false;
    if (!by_bank && text.n >= 4 && memcmp(text.p + text.n - 4, "DIMM", 4) == 0) /* "DIMM1" names no channel */
        return false;
    memcpy(key, text.p, text.n);
    key[text.n] = '\0';
    return true;
}

typedef struct dmi_memory {
    char keys[MODULE_LIMIT][KEY_CHARS];
    int64_t modules, channels, rate, width;
    bool unclear; /* a module without a rate, width or channel, or of another rate */
} dmi_memory;

static void add_module(dmi_memory *m, ridge_str raw)
{
    char key[KEY_CHARS];
    unsigned size = word_at(raw, 0x0c), width = word_at(raw, 0x0a), rate = word_at(raw, 0x20);
    if (raw.n < 0x15 || raw.p[0] != 17 || size == 0 || size == 0xffff) /* empty slot, unknown */
        return;
    if (rate == 0)
        rate = word_at(raw, 0x15);
    if (byte_at(raw, 1) < 0x17 || rate == 0 || rate == 0xffff || width == 0 || width == 0xffff)
        m->unclear = true;
    if (m->modules > 0 && (m->rate != (int64_t)rate || m->width != (int64_t)width))
        m->unclear = true;
    m->rate = rate;
    m->width = width;
    m->modules++;
    if (!channel_key(key, dmi_string(raw, byte_at(raw, 0x10)), dmi_string(raw, byte_at(raw, 0x11)))) {
        m->unclear = true;
        return;
    }
    for (int64_t i = 0; i < m->channels; i++)
        if (strcmp(m->keys[i], key) == 0)
            return;
    strcpy(m->keys[m->channels++], key);
}

static void read_modules(ridge_detection *x)
{
    dmi_memory *m = ridge_arena_alloc(x->arena, sizeof *m);
    for (int i = 0; m && i < MODULE_LIMIT; i++) {
        ridge_str raw = ridge_detect_read(&x->s, "sys/firmware/dmi/entries/17-%d/raw", i);
        if (!raw.p)
            break;
        add_module(m, raw);
    }
    if (!m || m->modules == 0)
        return;
    x->d->memory.modules = m->modules;
    if (m->unclear)
        return;
    x->d->memory.channels = m->channels;
    x->d->memory.transfers_per_s = m->rate * 1000 * 1000;
    x->d->memory.channel_bits = m->width;
}

void ridge_detect_memory(ridge_detection *x)
{
    ridge_detected_memory *m = &x->d->memory;
    ridge_str info = ridge_detect_read(&x->s, "proc/meminfo");
    m->total_bytes = kilobytes(ridge_str_field(info, "MemTotal"));
    m->available_bytes = kilobytes(ridge_str_field(info, "MemAvailable"));
    m->huge_page_bytes = kilobytes(ridge_str_field(info, "Hugepagesize"));
    m->huge_pages_total = ridge_str_number(ridge_str_field(info, "HugePages_Total"));
    m->huge_pages_free = ridge_str_number(ridge_str_field(info, "HugePages_Free"));
    m->transparent_huge_pages = chosen_word(x, ridge_detect_word(&x->s, "sys/kernel/mm/transparent_hugepage/enabled"));
    m->limit_bytes = m->modules = m->channels = m->transfers_per_s = m->channel_bits = RIDGE_MACHINE_UNKNOWN;
    if (m->total_bytes <= 0) {
        m->total_bytes = RIDGE_MACHINE_UNKNOWN;
        ridge_detect_note(x, "the size of memory is not known: /proc/meminfo has no MemTotal");
    }
    read_nodes(x);
    read_modules(x);
}

/* ---- limits ---- */

/* the lesser of two where RIDGE_MACHINE_UNKNOWN is no limit */
static int64_t least(int64_t a, int64_t b)
{
    return a == RIDGE_MACHINE_UNKNOWN || (b != RIDGE_MACHINE_UNKNOWN && b < a) ? b : a;
}

/* quota and period in microseconds as thousandths of a CPU */
static int64_t millicpus(int64_t quota_us, int64_t period_us)
{
    if (quota_us <= 0 || period_us <= 0 || quota_us > INT64_MAX / 1000)
        return RIDGE_MACHINE_UNKNOWN;
    int64_t value = quota_us * 1000 / period_us;
    return value > 0 ? value : 1;
}

/* more than any machine has: cgroup v1 says "none" so */
static int64_t memory_limit(int64_t bytes)
{
    return bytes > 0 && bytes < INT64_C(1) << 60 ? bytes : RIDGE_MACHINE_UNKNOWN;
}

/* one folder of the tree of groups: `controller` of v1, NULL for v2 */
static void read_group(ridge_detection *x, const char *mount, const char *path, bool v2)
{
    ridge_detected *d = x->d;
    ridge_str quota, rest;
    if (v2) {
        rest = ridge_detect_word(&x->s, "sys/fs/cgroup%s%s/cpu.max", mount, path);
        if (ridge_str_word(&quota, &rest))
            d->quota_millicpus = least(d->quota_millicpus, millicpus(ridge_str_number(quota), ridge_str_number(ridge_str_trim(rest))));
        d->memory.limit_bytes =
            least(d->memory.limit_bytes, memory_limit(ridge_detect_number(&x->s, "sys/fs/cgroup%s%s/memory.max", mount, path)));
        return;
    }
    int64_t period = ridge_detect_number(&x->s, "sys/fs/cgroup%s%s/cpu.cfs_period_us", mount, path);
    if (period > 0)
        d->quota_millicpus =
            least(d->quota_millicpus, millicpus(ridge_detect_number(&x->s, "sys/fs/cgroup%s%s/cpu.cfs_quota_us", mount, path), period));
    d->memory.limit_bytes =
        least(d->memory.limit_bytes, memory_limit(ridge_detect_number(&x->s, "sys/fs/cgroup%s%s/memory.limit_in_bytes", mount, path)));
}

/* a group and those above it: each may set a lower limit. In a container without a namespace of its own the path of the host is not
 * there, and only the root of the mount is. */
static void read_groups(ridge_detection *x, const char *mount, ridge_str path, bool v2)
{
    char at[CGROUP_CHARS];
    if (path.n >= sizeof at || (path.n > 0 && path.p[0] != '/') || ridge_str_has(path, "/..") || memchr(path.p, '\0', path.n))
        return;
    memcpy(at, path.p, path.n);
    at[path.n] = '\0';
    if (strcmp(at, "/") == 0)
        at[0] = '\0';
    for (int depth = 0; depth < CGROUP_DEPTH; depth++) {
        read_group(x, mount, at, v2);
        char *slash = strrchr(at, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
}

/* "4:memory:/docker/...", "0::/user.slice" */
static void read_membership(ridge_detection *x, ridge_str line)
{
    char mount[KEY_CHARS] = "/";
    const char *one = line.n > 0 ? memchr(line.p, ':', line.n) : NULL;
    const char *two = one ? memchr(one + 1, ':', line.n - (size_t)(one + 1 - line.p)) : NULL;
    if (!two || two == line.p + line.n)
        return;
    ridge_str controllers = {one + 1, (size_t)(two - one - 1)},
              path = ridge_str_trim((ridge_str){two + 1, line.n - (size_t)(two + 1 - line.p)});
    if (controllers.n == 0) {
        read_groups(x, "", path, true);
        read_groups(x, "/unified", path, true);
    } else if (controllers.n < sizeof mount - 1 && !memchr(controllers.p, '/', controllers.n)) {
        memcpy(mount + 1, controllers.p, controllers.n);
        mount[controllers.n + 1] = '\0';
        if (strstr(mount, "cpu") || strcmp(mount, "/memory") == 0)
            read_groups(x, mount, path, false);
    }
}

/* cores that `threads` threads can keep busy, with at least that many threads per core as the machine has */
static int64_t usable_cores(const ridge_detected *d)
{
    const ridge_detected_cpu *c = &d->cpu;
    if (c->cores == RIDGE_MACHINE_UNKNOWN || d->usable_threads == RIDGE_MACHINE_UNKNOWN || d->usable_threads >= c->threads)
        return c->cores;
    return d->usable_threads < c->cores ? d->usable_threads : c->cores;
}

void ridge_detect_limits(ridge_detection *x)
{
    ridge_detected *d = x->d;
    ridge_str line, text = ridge_detect_read(&x->s, "proc/self/cgroup");
    ridge_str allowed = ridge_str_field(ridge_detect_read(&x->s, "proc/self/status"), "Cpus_allowed_list");
    d->quota_millicpus = RIDGE_MACHINE_UNKNOWN;
    d->usable_threads = least(d->cpu.threads, ridge_cpu_count(allowed));
    while (ridge_str_line(&line, &text))
        read_membership(x, line);
    if (d->memory.limit_bytes != RIDGE_MACHINE_UNKNOWN && d->memory.total_bytes != RIDGE_MACHINE_UNKNOWN &&
        d->memory.limit_bytes >= d->memory.total_bytes)
        d->memory.limit_bytes = RIDGE_MACHINE_UNKNOWN;
    int64_t cores = usable_cores(d);
    d->usable_millicores = cores == RIDGE_MACHINE_UNKNOWN ? RIDGE_MACHINE_UNKNOWN : least(cores * 1000, d->quota_millicpus);
}
