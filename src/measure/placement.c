#include "measure/placement.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

unsigned ridge_placement_order(unsigned *out, const cpu_set_t *mask, const unsigned core[CPU_SETSIZE])
{
    cpu_set_t used, later;
    unsigned n = 0;
    CPU_ZERO(&used);
    CPU_ZERO(&later);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, mask))
            continue;
        bool known = core[cpu] < CPU_SETSIZE;
        if (known && CPU_ISSET(core[cpu], &used)) {
            CPU_SET(cpu, &later);
            continue;
        }
        if (known)
            CPU_SET(core[cpu], &used);
        out[n++] = cpu;
    }
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &later))
            out[n++] = cpu;
    return n;
}

/* the first number of thread_siblings_list ("3,67", "0-1"): the lowest CPU of the core */
static unsigned first_sibling(unsigned cpu)
{
    char path[96];
    unsigned first = RIDGE_CORE_UNKNOWN;
    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu);
    FILE *in = fopen(path, "re");
    if (!in)
        return first;
    if (fscanf(in, "%u", &first) != 1)
        first = RIDGE_CORE_UNKNOWN;
    (void)fclose(in);
    return first;
}

void ridge_placement_read(ridge_placement *p)
{
    unsigned core[CPU_SETSIZE];
    CPU_ZERO(&p->before);
    p->known = pthread_getaffinity_np(pthread_self(), sizeof p->before, &p->before) == 0;
    if (!p->known) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        p->count = online > 0 ? (unsigned)online : 1;
        return;
    }
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
        core[cpu] = CPU_ISSET(cpu, &p->before) ? first_sibling(cpu) : RIDGE_CORE_UNKNOWN;
    p->count = ridge_placement_order(p->cpus, &p->before, core);
}

unsigned ridge_placement_cpus(void)
{
    ridge_placement placement;
    ridge_placement_read(&placement);
    return placement.count;
}

void ridge_placement_pin(const ridge_placement *p, unsigned index)
{
    cpu_set_t one;
    if (!p->known || p->count == 0)
        return;
    CPU_ZERO(&one);
    CPU_SET(p->cpus[index % p->count], &one);
    (void)pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

void ridge_placement_restore(const ridge_placement *p)
{
    if (p->known)
        (void)pthread_setaffinity_np(pthread_self(), sizeof p->before, &p->before);
}
