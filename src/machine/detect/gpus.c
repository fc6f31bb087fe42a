/* NVIDIA GPUs from NVML (nvml.h), or from nvml.json of a tree. */
#include "machine/detect/nvml.h"
#include "machine/detect/parts.h"
#include "machine/values.h"

enum { GPU_LIMIT = 256, MIB = 1 << 20 };

/* ---- names ---- */

/* name that the driver gives -> machine file */
static const char *const gpu_machines[][2] = {
    {"Tesla V100-SXM2-16GB", "v100-sxm2-16"},
    {"Tesla V100-SXM2-32GB", "v100-sxm2-32"},
    {"Tesla V100-PCIE-32GB", "v100-pcie-32"},
    {"Tesla T4", "t4"},
    {"NVIDIA A10", "a10"},
    {"NVIDIA A10G", "a10g"},
    {"NVIDIA A30", "a30"},
    {"NVIDIA A40", "a40"},
    {"NVIDIA A100-SXM4-40GB", "a100-sxm-40"},
    {"NVIDIA A100-SXM4-80GB", "a100-sxm-80"},
    {"NVIDIA A100-PCIE-40GB", "a100-pcie-40"},
    {"NVIDIA A100 80GB PCIe", "a100-pcie-80"},
    {"NVIDIA A800-SXM4-80GB", "a800-sxm-80"},
    {"NVIDIA RTX A6000", "rtx-a6000"},
    {"NVIDIA GeForce RTX 3090", "rtx-3090"},
    {"NVIDIA L4", "l4"},
    {"NVIDIA L40", "l40"},
    {"NVIDIA L40S", "l40s"},
    {"NVIDIA GeForce RTX 4090", "rtx-4090"},
    {"NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada"},
    {"NVIDIA H100 PCIe", "h100-pcie-80"},
    {"NVIDIA H100 80GB HBM3", "h100-sxm-80"},
    {"NVIDIA H100 NVL", "h100-nvl-94"},
    {"NVIDIA H800", "h800-sxm-80"},
    {"NVIDIA H200", "h200-sxm-141"},
    {"NVIDIA H20", "h20-96"},
    {"NVIDIA GH200 480GB", "gh200-96"},
    {"NVIDIA GH200 144G HBM3e", "gh200-141"},
    {"NVIDIA B200", "b200-sxm"},
    {"NVIDIA GB200", "gb200"},
    {"NVIDIA B300 SXM6 AC", "b300-sxm"},
    {"NVIDIA GB300", "gb300"},
    {"NVIDIA GB10", "gb10"},
    {"NVIDIA GeForce RTX 5090", "rtx-5090"},
    {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000-bw-server"},
};

const char *ridge_gpu_machine(const char *name)
{
    for (size_t i = 0; name && i < sizeof gpu_machines / sizeof *gpu_machines; i++)
        if (strcmp(gpu_machines[i][0], name) == 0)
            return gpu_machines[i][1];
    return NULL;
}

/* ---- NVML ---- */

static ridge_detected_gpu unknown_gpu(void)
{
    return (ridge_detected_gpu){.compute_major = RIDGE_MACHINE_UNKNOWN,
                                .compute_minor = RIDGE_MACHINE_UNKNOWN,
#define X(member, ...) .member = RIDGE_MACHINE_UNKNOWN,
                                RIDGE_GPU_NUMBER_LIST(X)
#undef X
    };
}

static ridge_detected_gpu ask_gpu(const ridge_nvml *n, ridge_nvml_device device, ridge_arena *arena)
{
    ridge_detected_gpu g = unknown_gpu();
    char text[RIDGE_NVML_NAME_CHARS] = "";
    ridge_nvml_memory memory;
    unsigned value;
    int major, minor;
    g.name = ridge_nvml_name(n, device, arena);
    if (n->uuid && n->uuid(device, text, sizeof text) == 0)
        g.uuid = ridge_arena_strdup(arena, (ridge_str){text, strnlen(text, sizeof text)});
    if (n->memory(device, &memory) == 0 && memory.total <= INT64_MAX && memory.free <= INT64_MAX) {
        g.memory_total_bytes = (int64_t)memory.total;
        g.memory_free_bytes = (int64_t)memory.free;
    }
    if (n->clock_most && n->clock_most(device, RIDGE_NVML_CLOCK_SM, &value) == 0)
        g.sm_clock_max_hz = (int64_t)value * 1000 * 1000;
    if (n->clock_most && n->clock_most(device, RIDGE_NVML_CLOCK_MEMORY, &value) == 0)
        g.memory_clock_max_hz = (int64_t)value * 1000 * 1000;
    if (n->power_limit && n->power_limit(device, &value) == 0)
        g.power_limit_w = value / 1000; /* milliwatts */
    if (n->pcie_generation && n->pcie_generation(device, &value) == 0)
        g.pcie_generation = value;
    if (n->pcie_width && n->pcie_width(device, &value) == 0)
        g.pcie_width = value;
    if (n->capability && n->capability(device, &major, &minor) == 0) {
        g.compute_major = major;
        g.compute_minor = minor;
    }
    return g;
}

static void ask_nvml(ridge_detection *x)
{
    ridge_detected *d = x->d;
    ridge_nvml n;
    int error;
    if (!ridge_nvml_open(&n, &error)) {
        d->gpu_note = error ? ridge_arena_printf(x->arena, "the NVIDIA driver does not answer (nvmlInit: error %d)", error)
                            : "no NVIDIA driver here (libnvidia-ml.so.1 cannot be loaded)";
        return;
    }
    const unsigned count = ridge_nvml_count(&n, GPU_LIMIT);
    d->gpu_driver = ridge_nvml_driver(&n, x->arena);
    if (count == 0)
        d->gpu_note = "the NVIDIA driver is here and finds no GPU";
    d->gpus = ridge_arena_array(x->arena, count + 1, sizeof *d->gpus);
    for (unsigned i = 0; d->gpus && i < count; i++) {
        ridge_nvml_device device;
        if (n.handle(i, &device) == 0)
            d->gpus[d->gpu_count++] = ask_gpu(&n, device, x->arena);
    }
    if (d->gpu_count == 0 && !d->gpu_note)
        d->gpu_note = "the NVIDIA driver is here and lets no GPU be used";
    ridge_nvml_close(&n);
}

/* ---- nvml.json: what NVML answered, in its own units turned to ours; no UUID ---- */

#define GPU ridge_detected_gpu
static const ridge_record_field gpu_fields[] = {
    RIDGE_R_TEXT(GPU, name, "name", NULL, RIDGE_IN_JSON, NULL),
#define X(member, ...) RIDGE_R_WHOLE(GPU, member, #member, NULL, RIDGE_IN_JSON, NULL),
    RIDGE_GPU_NUMBER_LIST(X) RIDGE_R_WHOLE(GPU, compute_major, "compute_major", NULL, RIDGE_IN_JSON, NULL),
#undef X
    RIDGE_R_WHOLE(GPU, compute_minor, "compute_minor", NULL, RIDGE_IN_JSON, NULL),
};
static const ridge_record gpu_record = RIDGE_RECORD(GPU, "GPU", gpu_fields, NULL);
static const ridge_record_field nvml_fields[] = {
    RIDGE_R_TEXT(ridge_detected, gpu_driver, "driver", NULL, RIDGE_IN_JSON, NULL),
    RIDGE_R_LIST(ridge_detected, gpus, gpu_count, &gpu_record, "gpus", RIDGE_IN_JSON, NULL, .open = true),
};
static const ridge_record nvml_record = RIDGE_RECORD(ridge_detected, "nvml.json", nvml_fields, NULL);

static void record_gpus(ridge_detection *x)
{
    ridge_buf text = {0};
    ridge_json_writer w;
    ridge_jw_init(&w, &text);
    ridge_record_object(&w, &nvml_record, x->d, false);
    ridge_buf_addc(&text, '\n');
    ridge_detect_record(&x->s, "nvml.json", (ridge_str){text.p, text.n});
    ridge_buf_free(&text);
}

static ridge_status fail_at(const ridge_reader *r, const ridge_json *at, const char *what, const char *wanted)
{
    return ridge_read_fail(r, RIDGE_TYPE, at, "%s is %s; wanted %s", what, ridge_json_type_name(at->type), wanted);
}

static ridge_status read_number(int64_t *out, const ridge_reader *r, const ridge_json *gpu, const char *key)
{
    const ridge_json *v = ridge_json_get(gpu, key);
    if (!v || v->type == RIDGE_JSON_NULL)
        return RIDGE_OK;
    *out = v->type == RIDGE_JSON_NUMBER ? ridge_str_number(v->u.text) : -1;
    return *out >= 0 ? RIDGE_OK : fail_at(r, v, key, "a whole number of 64 bits or null");
}

/* printable text, or NULL for null and absent */
static ridge_status read_text(const char **out, const ridge_reader *r, const ridge_json *object, const char *key)
{
    const ridge_json *v = ridge_json_get(object, key);
    *out = NULL;
    if (!v || v->type == RIDGE_JSON_NULL)
        return RIDGE_OK;
    if (v->type != RIDGE_JSON_STRING || v->u.text.n >= RIDGE_NVML_NAME_CHARS)
        return fail_at(r, v, key, "a short text or null");
    char *copy = ridge_arena_strdup(r->arena, v->u.text);
    for (char *c = copy; c && *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    *out = copy;
    return RIDGE_OK;
}

static ridge_status read_gpu(ridge_detected_gpu *g, const ridge_reader *r, const ridge_json *json)
{
    if (json->type != RIDGE_JSON_OBJECT)
        return fail_at(r, json, "a GPU", "an object");
    ridge_status st = RIDGE_OK;
    for (const ridge_record_field *f = gpu_fields; f < ridge_record_end(&gpu_record) && !st; f++) {
        void *at = (char *)g + f->offset;
        st = f->kind == RIDGE_RECORD_TEXT ? read_text(at, r, json, f->key) : read_number(at, r, json, f->key);
    }
    return st;
}

static ridge_status replay_gpus(ridge_detection *x)
{
    ridge_detected *d = x->d;
    ridge_reader r = {NULL, ridge_detect_read(&x->s, "nvml.json"), ridge_arena_printf(x->arena, "%s/nvml.json", x->s.root), x->arena,
                      x->err};
    ridge_json *json;
    d->gpu_note = "no NVIDIA driver was recorded (no nvml.json)";
    if (!r.text.p)
        return RIDGE_OK;
    ridge_status st = ridge_json_parse(&json, r.text, r.file, (ridge_json_options){.unique_keys = true}, x->arena, x->err);
    const ridge_json *list = !st ? ridge_json_get(json, "gpus") : NULL;
    if (st)
        return st;
    if (json->type != RIDGE_JSON_OBJECT || !list || list->type != RIDGE_JSON_ARRAY)
        return fail_at(&r, list ? list : json, "this", "an object with the list \"gpus\"");
    if (list->count > GPU_LIMIT)
        return fail_at(&r, list, "gpus", "at most 256 of them");
    d->gpus = ridge_arena_array(x->arena, (size_t)list->count + 1, sizeof *d->gpus);
    if (!d->gpus)
        return ridge_no_memory(x->err);
    st = read_text(&d->gpu_driver, &r, json, "driver");
    for (uint32_t i = 0; i < list->count && !st; i++) {
        d->gpus[i] = unknown_gpu();
        st = read_gpu(&d->gpus[i], &r, &list->u.items[i]);
    }
    d->gpu_count = list->count;
    d->gpu_note = list->count > 0 ? NULL : "the NVIDIA driver is here and finds no GPU";
    return st;
}

ridge_status ridge_detect_gpus(ridge_detection *x, bool live)
{
    ridge_status st = RIDGE_OK;
    if (live) {
        ask_nvml(x);
        if (x->s.record && x->d->gpu_driver)
            record_gpus(x);
    } else {
        st = replay_gpus(x);
    }
    for (size_t i = 0; i < x->d->gpu_count; i++)
        x->d->gpus[i].machine = ridge_gpu_machine(x->d->gpus[i].name);
    return st;
}
