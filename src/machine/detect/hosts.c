/* Containers and virtual machines: what says so, and what it says. Nothing found is no proof that there is none. */
#include "machine/detect/parts.h"

/* ---- virtual machine ---- */

static const char *const hypervisors[][2] = {
    {"KVMKVMKVM", "KVM"},           {"Linux KVM Hv", "KVM"},       {"Microsoft Hv", "Hyper-V"},    {"VMwareVMware", "VMware"},
    {"XenVMMXenVMM", "Xen"},        {"bhyve bhyve ", "bhyve"},     {"TCGTCGTCGTCG", "QEMU (TCG)"}, {"ACRNACRNACRN", "ACRN"},
    {"VBoxVBoxVBox", "VirtualBox"}, {" lrpepyh  vr", "Parallels"}, {"QNXQVMBSQG", "QNX"},          {"SRESRESRESRE", "Lockheed SRE"},
};

/* vendor or product of DMI -> what runs there; `metal`: a product name that ends so is none (the bare machines of AWS) */
static const char *const dmi_names[][2] = {
    {"QEMU", "QEMU"},
    {"KVM", "KVM"},
    {"Amazon EC2", "Amazon EC2"},
    {"Google Compute Engine", "Google Compute Engine"},
    {"VMware", "VMware"},
    {"innotek", "VirtualBox"},
    {"VirtualBox", "VirtualBox"},
    {"Virtual Machine", "Hyper-V"},
    {"Xen", "Xen"},
    {"OpenStack", "OpenStack"},
    {"Bochs", "Bochs"},
    {"Parallels", "Parallels"},
    {"Firecracker", "Firecracker"},
    {"Cloud Hypervisor", "Cloud Hypervisor"},
    {"Alibaba Cloud", "Alibaba Cloud"},
};

/* text that is shown: printable, short */
static const char *shown(ridge_detection *x, ridge_str text)
{
    char *out = ridge_arena_strdup(x->arena, (ridge_str){text.p, text.n < 64 ? text.n : 64});
    for (char *c = out; c && *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return out ? out : "";
}

/* product name and vendor of DMI; NULL: bare metal, or nothing known */
static const char *dmi_hypervisor(ridge_detection *x, const char **evidence)
{
    ridge_str vendor = ridge_detect_word(&x->s, "sys/class/dmi/id/sys_vendor");
    ridge_str product = ridge_detect_word(&x->s, "sys/class/dmi/id/product_name");
    *evidence = ridge_arena_printf(x->arena, "DMI: %s %s", shown(x, vendor), shown(x, product));
    if (ridge_str_ends(product, RIDGE_STR(".metal")) || ridge_str_has(product, ".metal-"))
        return NULL;
    for (size_t i = 0; i < sizeof dmi_names / sizeof *dmi_names; i++)
        if (ridge_str_has(vendor, dmi_names[i][0]) || ridge_str_has(product, dmi_names[i][0]))
            return dmi_names[i][1];
    return NULL;
}

/* the hypervisor bit, and who answers at 0x40000000 (12 letters in ebx, ecx, edx) */
static const char *cpuid_hypervisor(ridge_detection *x, const char **evidence)
{
    const ridge_cpuid *one = ridge_detect_cpuid(&x->s, 1, 0), *who = ridge_detect_cpuid(&x->s, 0x40000000, 0);
    if (!one || (one->r[2] >> 31 & 1) == 0)
        return NULL;
    char text[13] = {0};
    if (who)
        memcpy(text, &who->r[1], 12);
    const char *name = shown(x, ridge_str_of(text));
    *evidence =
        text[0] != '\0' ? ridge_arena_printf(x->arena, "cpuid hypervisor bit, leaf 0x40000000 \"%s\"", name) : "cpuid hypervisor bit";
    for (size_t i = 0; i < sizeof hypervisors / sizeof *hypervisors; i++)
        if (strcmp(text, hypervisors[i][0]) == 0)
            return hypervisors[i][1];
    return text[0] != '\0' ? name : "unknown";
}

static bool has_flag(ridge_str flags, const char *flag)
{
    ridge_str word;
    while (ridge_str_word(&word, &flags))
        if (ridge_str_is(word, flag))
            return true;
    return false;
}

static void find_virtual_machine(ridge_detection *x)
{
    ridge_detected_host *vm = &x->d->virtual_machine;
    const char *by_cpuid = NULL, *by_dmi = NULL, *dmi = dmi_hypervisor(x, &by_dmi);
    const char *name = cpuid_hypervisor(x, &by_cpuid);
    ridge_str info = ridge_detect_read(&x->s, "proc/cpuinfo"), release = ridge_detect_word(&x->s, "proc/sys/kernel/osrelease");
    ridge_str xen = ridge_detect_word(&x->s, "sys/hypervisor/type"),
              tree = ridge_detect_word(&x->s, "sys/firmware/devicetree/base/hypervisor/compatible");
    if (name)
        *vm = (ridge_detected_host){name, dmi ? ridge_arena_printf(x->arena, "%s; %s", by_cpuid, by_dmi) : by_cpuid};
    else if (dmi)
        *vm = (ridge_detected_host){dmi, by_dmi};
    else if (xen.n > 0)
        *vm = (ridge_detected_host){shown(x, xen), "/sys/hypervisor/type"};
    else if (tree.n > 0)
        *vm = (ridge_detected_host){shown(x, tree), "the device tree's hypervisor node"};
    else if (has_flag(ridge_str_field(info, "flags"), "hypervisor"))
        *vm = (ridge_detected_host){"unknown", "flag hypervisor in /proc/cpuinfo"};
    if (ridge_str_has(release, "microsoft") || ridge_str_has(release, "Microsoft"))
        ridge_detect_note(x, "Windows Subsystem for Linux (kernel %s)", shown(x, release));
}

/* ---- container ---- */

static const char *const group_names[][2] = {
    {"kubepods", "kubernetes"}, {"libpod", "podman"},         {"docker", "docker"}, {"containerd", "containerd"}, {"/lxc", "lxc"},
    {"lxc.payload", "lxc"},     {"nspawn", "systemd-nspawn"},
};

/* what the system's own tools write into a container */
static bool told(ridge_detection *x)
{
    ridge_detected_host *c = &x->d->container;
    ridge_str manager = ridge_detect_word(&x->s, "run/systemd/container"), environ = ridge_detect_read(&x->s, "proc/1/environ");
    if (manager.n > 0) {
        *c = (ridge_detected_host){shown(x, manager), "/run/systemd/container"};
        return true;
    }
    for (size_t at = 0; at < environ.n;) {
        ridge_str item = {environ.p + at, strnlen(environ.p + at, environ.n - at)};
        if (ridge_str_starts(item, RIDGE_STR("container=")) && item.n > 10) {
            *c = (ridge_detected_host){shown(x, (ridge_str){item.p + 10, item.n - 10}), "variable container of process 1"};
            return true;
        }
        at += item.n + 1;
    }
    return false;
}

static bool by_group(ridge_detection *x)
{
    ridge_str groups = ridge_detect_read(&x->s, "proc/self/cgroup");
    for (size_t i = 0; i < sizeof group_names / sizeof *group_names; i++)
        if (ridge_str_has(groups, group_names[i][0])) {
            x->d->container =
                (ridge_detected_host){group_names[i][1], ridge_arena_printf(x->arena, "\"%s\" in /proc/self/cgroup", group_names[i][0])};
            return true;
        }
    return false;
}

/* type of the file system at /: the word after " - " in its line of mountinfo (proc(5)) */
static ridge_str root_type(ridge_detection *x)
{
    ridge_str line, text = ridge_detect_read(&x->s, "proc/self/mountinfo"), type = {NULL, 0};
    while (ridge_str_line(&line, &text)) {
        const char *dash = ridge_str_has(line, " / / ") ? memmem(line.p, line.n, " - ", 3) : NULL;
        if (dash) {
            ridge_str rest = {dash + 3, line.n - (size_t)(dash + 3 - line.p)};
            (void)ridge_str_word(&type, &rest);
        }
    }
    return type;
}

/* Docker leaves /.dockerenv. Virtual machines are made from its images too: then / is no overlay, but a disk's own file system. */
static void by_marker(ridge_detection *x)
{
    static const char *const layered[] = {"overlay", "fuse-overlayfs", "fuse.fuse-overlayfs", "aufs", "btrfs", "zfs", "vfs"};
    ridge_str type = root_type(x);
    if (!ridge_detect_exists(&x->s, ".dockerenv"))
        return;
    for (size_t i = 0; i < sizeof layered / sizeof *layered; i++)
        if (!type.p || ridge_str_is(type, layered[i])) {
            x->d->container = (ridge_detected_host){"docker", "/.dockerenv"};
            return;
        }
    ridge_detect_note(x, "/.dockerenv is there, but / is %s, not an overlay: a system unpacked from an image, not a container",
                      shown(x, type));
}

void ridge_detect_hosts(ridge_detection *x)
{
    find_virtual_machine(x);
    if (ridge_detect_exists(&x->s, "run/secrets/kubernetes.io") || ridge_detect_exists(&x->s, "var/run/secrets/kubernetes.io"))
        x->d->container = (ridge_detected_host){"kubernetes", "/run/secrets/kubernetes.io"};
    else if (ridge_detect_exists(&x->s, "run/.containerenv"))
        x->d->container = (ridge_detected_host){"podman", "/run/.containerenv"};
    else if (!told(x) && !by_group(x))
        by_marker(x);
}
