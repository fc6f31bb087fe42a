/* nobody.h - a process that may not do what root may, for tests that are run by root. Of a child: there is no way back. */
#ifndef RIDGE_TESTS_NOBODY_H
#define RIDGE_TESTS_NOBODY_H

#include <linux/capability.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Another user; where none can be (a user namespace that has root alone), root without its capabilities: permissions then count for it as
 * for any owner. False where neither works. */
static inline bool become_nobody(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {{0}, {0}};
    return geteuid() != 0 || setuid(65534) == 0 || syscall(SYS_capset, &header, none) == 0;
}

#endif
