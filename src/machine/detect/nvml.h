/* nvml.h - NVIDIA's management library, opened where the driver has it (libnvidia-ml.so.1; no headers are needed).
 * In: nothing. Out: its functions; those that an old driver lacks are NULL, but for the needed seven. They answer 0 where they are fine.
 * Functions, structures and numbers: NVIDIA NVML API reference. */
#ifndef RIDGE_MACHINE_DETECT_NVML_H
#define RIDGE_MACHINE_DETECT_NVML_H

#include "base/arena.h"

typedef void *ridge_nvml_device;
typedef struct ridge_nvml_memory {
    unsigned long long total, free, used; /* bytes */
} ridge_nvml_memory;
typedef struct ridge_nvml_utilization {
    unsigned gpu, memory; /* percent */
} ridge_nvml_utilization;
enum { RIDGE_NVML_CLOCK_SM = 1, RIDGE_NVML_CLOCK_MEMORY = 2, RIDGE_NVML_TEMPERATURE_GPU = 0 };
enum { RIDGE_NVML_NAME_CHARS = 96 };

#define RIDGE_NVML_FUNCTIONS(X)                                                                                                            \
    X(init, "nvmlInit_v2", (void))                                                                                                         \
    X(shutdown, "nvmlShutdown", (void))                                                                                                    \
    X(driver, "nvmlSystemGetDriverVersion", (char *, unsigned))                                                                            \
    X(count, "nvmlDeviceGetCount_v2", (unsigned *))                                                                                        \
    X(handle, "nvmlDeviceGetHandleByIndex_v2", (unsigned, ridge_nvml_device *))                                                            \
    X(name, "nvmlDeviceGetName", (ridge_nvml_device, char *, unsigned))                                                                    \
    X(memory, "nvmlDeviceGetMemoryInfo", (ridge_nvml_device, ridge_nvml_memory *))                                                         \
    /* ---- not needed ---- */                                                                                                             \
    X(uuid, "nvmlDeviceGetUUID", (ridge_nvml_device, char *, unsigned))                                                                    \
    X(clock_most, "nvmlDeviceGetMaxClockInfo", (ridge_nvml_device, int, unsigned *))                                                       \
    X(clock_now, "nvmlDeviceGetClockInfo", (ridge_nvml_device, int, unsigned *))                                                           \
    X(power_limit, "nvmlDeviceGetEnforcedPowerLimit", (ridge_nvml_device, unsigned *))                                                     \
    X(power_now, "nvmlDeviceGetPowerUsage", (ridge_nvml_device, unsigned *))                                                               \
    X(pcie_generation, "nvmlDeviceGetMaxPcieLinkGeneration", (ridge_nvml_device, unsigned *))                                              \
    X(pcie_width, "nvmlDeviceGetMaxPcieLinkWidth", (ridge_nvml_device, unsigned *))                                                        \
    X(capability, "nvmlDeviceGetCudaComputeCapability", (ridge_nvml_device, int *, int *))                                                 \
    X(utilization, "nvmlDeviceGetUtilizationRates", (ridge_nvml_device, ridge_nvml_utilization *))                                         \
    X(temperature, "nvmlDeviceGetTemperature", (ridge_nvml_device, int, unsigned *))

typedef struct ridge_nvml {
    void *library;
#define X(field, symbol, arguments) int(*field) arguments;
    RIDGE_NVML_FUNCTIONS(X)
#undef X
} ridge_nvml;

/* Opened and ready, until ridge_nvml_close. false: there is none, or it does not answer (*error, which may be NULL: NVML's, else 0). */
bool ridge_nvml_open(ridge_nvml *out, int *error);
void ridge_nvml_close(ridge_nvml *nvml);

/* of GPUs, at most `most`; 0 where it does not say */
unsigned ridge_nvml_count(const ridge_nvml *nvml, unsigned most);
/* NULL where the driver does not say */
const char *ridge_nvml_driver(const ridge_nvml *nvml, ridge_arena *arena);
const char *ridge_nvml_name(const ridge_nvml *nvml, ridge_nvml_device device, ridge_arena *arena);

#endif
