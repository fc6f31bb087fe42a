/* fake_nvml.c - a libnvidia-ml.so.1 with one H200, for tests on machines without a driver: the signatures of NVIDIA's NVML API reference.
 */
#include <string.h>

typedef struct fake_memory {
    unsigned long long total, free, used;
} fake_memory;

static int device; /* its address is the handle */

static int text(char *out, unsigned n, const char *what)
{
    if (strlen(what) >= n)
        return 7; /* NVML_ERROR_INSUFFICIENT_SIZE */
    strcpy(out, what);
    return 0;
}

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlSystemGetDriverVersion(char *out, unsigned n);
int nvmlDeviceGetCount_v2(unsigned *out);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **out);
int nvmlDeviceGetName(void *handle, char *out, unsigned n);
int nvmlDeviceGetUUID(void *handle, char *out, unsigned n);
int nvmlDeviceGetMemoryInfo(void *handle, fake_memory *out);
int nvmlDeviceGetMaxClockInfo(void *handle, int type, unsigned *mhz);
int nvmlDeviceGetEnforcedPowerLimit(void *handle, unsigned *milliwatts);
int nvmlDeviceGetCudaComputeCapability(void *handle, int *major, int *minor);

int nvmlInit_v2(void)
{
    return 0;
}

int nvmlShutdown(void)
{
    return 0;
}

int nvmlSystemGetDriverVersion(char *out, unsigned n)
{
    return text(out, n, "550.90.07");
}

int nvmlDeviceGetCount_v2(unsigned *out)
{
    *out = 1;
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **out)
{
    *out = &device;
    return index == 0 ? 0 : 2; /* NVML_ERROR_INVALID_ARGUMENT */
}

int nvmlDeviceGetName(void *handle, char *out, unsigned n)
{
    return handle == &device ? text(out, n, "NVIDIA H200") : 2;
}

int nvmlDeviceGetUUID(void *handle, char *out, unsigned n)
{
    return handle == &device ? text(out, n, "GPU-8c2f77a1-0000-1111-2222-333344445555") : 2;
}

int nvmlDeviceGetMemoryInfo(void *handle, fake_memory *out)
{
    *out = (fake_memory){150754820096ull, 150142459904ull, 612360192ull};
    return handle == &device ? 0 : 2;
}

int nvmlDeviceGetMaxClockInfo(void *handle, int type, unsigned *mhz)
{
    *mhz = type == 1 ? 1980 : 3201; /* NVML_CLOCK_SM, NVML_CLOCK_MEM */
    return handle == &device ? 0 : 2;
}

int nvmlDeviceGetEnforcedPowerLimit(void *handle, unsigned *milliwatts)
{
    *milliwatts = 700000;
    return handle == &device ? 0 : 2;
}

int nvmlDeviceGetCudaComputeCapability(void *handle, int *major, int *minor)
{
    *major = 9;
    *minor = 0;
    return handle == &device ? 0 : 2;
}
