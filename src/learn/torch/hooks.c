/* Attributes of tensors, and the functions and methods that are written in C here. */
#include "learn/torch/hooks.h"

#include "learn/torch/content.h"
#include "learn/torch/methods.h"
#include "learn/torch/run.h"
#include "learn/torch/size.h"
#include "learn/torch/torch.h"
#include "learn/torch/view.h"

/* ---- natives ---- */

typedef struct entry {
    ridge_py_native native; /* first: call->function is the entry */
    ridge_tensor_call *call;
    bool function, method;
} entry;

/* is `name` one of the names in a signature? */
static bool has_parameter(const char *signature, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = strstr(signature, name); p; p = strstr(p + 1, name))
        if ((p == signature || p[-1] == ' ' || p[-1] == '*') && (p[n] == 0 || p[n] == ',' || p[n] == '='))
            return true;
    return false;
}

ridge_status ridge_torch_bind(ridge_py *values, size_t count, const ridge_py_call *call, ridge_py_interp *in)
{
    static const char *const spellings[][2] = {{"axis", "dim"}, {"keepdims", "keepdim"}, {"x", "input"}, {"x1", "input"}, {"x2", "other"}};
    ridge_py_keyword keywords[16];
    ridge_py_call renamed = *call;
    if (!call->keyword_count || call->keyword_count > 16 || !call->function->parameters)
        return ridge_py_bind(values, count, call, in);
    for (size_t i = 0; i < call->keyword_count; i++) {
        keywords[i] = call->keywords[i];
        for (size_t k = 0; k < sizeof spellings / sizeof *spellings; k++) {
            const char *name = spellings[k][0];
            if (strcmp(keywords[i].name->text, name) != 0 || has_parameter(call->function->parameters, name) ||
                !has_parameter(call->function->parameters, spellings[k][1]))
                continue;
            keywords[i].name = ridge_py_symbol(in, spellings[k][1]);
            if (!keywords[i].name)
                return ridge_no_memory(in->err);
        }
    }
    renamed.keywords = keywords;
    return ridge_py_bind(values, count, &renamed, in);
}

/* where "name=" stands among the parameters; a lone * is none */
static size_t place_of(const char *parameters, const char *name)
{
    size_t at = 0;
    const char *found = strstr(parameters, name);
    for (const char *p = parameters; found && p < found; p++)
        at += *p == ',' && !(p > parameters && p[-1] == '*' && p[1] == ' ' && (p - 1 == parameters || p[-2] == ' '));
    return found ? at : SIZE_MAX;
}

/* What is made in a forward pass lies where `device` says; without it on the host, unless it is made after another tensor. */
static ridge_status place(ridge_py made, const char *parameters, const ridge_py *values, ridge_py_interp *in)
{
    size_t at = place_of(parameters, "device=");
    bool like = values[0].type == RIDGE_PY_T_TENSOR;
    if (at == SIZE_MAX || made.type != RIDGE_PY_T_TENSOR || !ridge_run_of(in)->recording ||
        (like && (values[at].type == RIDGE_PY_T_NONE || made.u.tensor->storage == values[0].u.tensor->storage)))
        return RIDGE_OK;
    made.u.tensor->storage->host = true;
    return values[at].type == RIDGE_PY_T_NONE ? RIDGE_OK : ridge_tensor_is_of_host(&made.u.tensor->storage->host, values[at], in);
}

static ridge_status bound(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    const entry *e = (const entry *)(const void *)call->function;
    ridge_py values[12];
    size_t count = 0;
    for (const char *p = e->native.parameters; *p; p++) /* names are what is between commas; a lone * is none */
        count += *p == ',';
    count += e->native.parameters[0] != 0;
    if (strstr(e->native.parameters, "*,"))
        count--;
    ridge_status st = ridge_torch_bind(values, count, call, in);
    if (st)
        return st;
    bool input = strncmp(e->native.parameters, "input", 5) == 0;
    if (input && values[0].type == RIDGE_PY_T_UNKNOWN) {
        *out = values[0];
        return RIDGE_OK;
    }
    if (input && values[0].type != RIDGE_PY_T_TENSOR)
        return ridge_py_raise(in, "TypeError", "%s(): argument 'input' (position 1) must be Tensor, not %s", e->native.name,
                              ridge_py_type_text(values[0]));
    bool seen = values[0].type == RIDGE_PY_T_TENSOR && !input; /* as_tensor of a tensor */
    st = e->call(out, values, in);
    if (st || !seen)
        return st ? st : place(*out, e->native.parameters, values, in);
    return values[0].u.tensor->array ? ridge_view_array(out, out->u.tensor, false, in) : RIDGE_OK;
}

#define F                                   true, false
#define M                                   false, true
#define B                                   true, true
#define X(name, where, signature, function) {{#name, bound, signature, NULL}, ridge_native_##function, where},
static const entry entries[] = {RIDGE_TENSOR_METHOD_LIST(X)};
#undef X
#undef F
#undef M
#undef B

static const entry *find(const char *name)
{
    size_t low = 0, high = sizeof entries / sizeof *entries;
    while (low < high) { /* the list is sorted by name */
        size_t middle = (low + high) / 2;
        int order = strcmp(name, entries[middle].native.name);
        if (order == 0)
            return &entries[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const ridge_py_native *ridge_tensor_function(const char *name)
{
    const entry *e = find(name);
    return e && e->function ? &e->native : NULL;
}

const ridge_py_native *ridge_tensor_method(const char *name)
{
    const entry *e = find(name);
    return e && e->method ? &e->native : NULL;
}

/* ---- what is asked of a tensor by call ---- */

static ridge_status shape_of(ridge_py *out, const ridge_tensor *t, ridge_py_interp *in)
{
    ridge_status st = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, t->rank, in);
    for (uint32_t d = 0; d < t->rank && !st; d++)
        st = ridge_py_append(out->u.list, t->dims[d], in);
    return st;
}

ridge_status ridge_native_size(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    uint32_t axis;
    const ridge_tensor *t = v[0].u.tensor;
    if (v[1].type == RIDGE_PY_T_NONE)
        return shape_of(out, t, in);
    ridge_status st = ridge_tensor_axis(&axis, t, v[1], in);
    if (!st && t->rank == 0)
        st = ridge_py_raise(in, "IndexError", "Dimension specified as 0 but tensor has no dimensions");
    if (!st)
        *out = t->dims[axis];
    return st;
}

/* in symbols where the tensor lies in order */
static ridge_status stride_at(ridge_py *out, const ridge_tensor *t, uint32_t axis, ridge_py_interp *in)
{
    *out = ridge_py_int(t->strides[axis]);
    return t->contiguous ? ridge_size_product(out, t->dims + axis + 1, t->rank - axis - 1, in) : RIDGE_OK;
}

ridge_status ridge_native_stride(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    uint32_t axis;
    ridge_py stride;
    const ridge_tensor *t = v[0].u.tensor;
    ridge_status st;
    if (v[1].type != RIDGE_PY_T_NONE)
        return (st = ridge_tensor_axis(&axis, t, v[1], in)) ? st : stride_at(out, t, axis, in);
    st = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, t->rank, in);
    for (uint32_t d = 0; d < t->rank && !st; d++)
        if (!(st = stride_at(&stride, t, d, in)))
            st = ridge_py_append(out->u.list, stride, in);
    return st;
}

ridge_status ridge_native_numel(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return ridge_tensor_elements(out, v[0].u.tensor, in);
}

ridge_status ridge_native_dim(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    (void)in;
    *out = ridge_py_int(v[0].u.tensor->rank);
    return RIDGE_OK;
}

ridge_status ridge_native_element_size(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    (void)in;
    *out = ridge_py_int(ridge_dtype_bytes(v[0].u.tensor->dtype));
    return RIDGE_OK;
}

ridge_status ridge_native_storage_offset(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    (void)in;
    *out = ridge_py_int(v[0].u.tensor->offset);
    return RIDGE_OK;
}

ridge_status ridge_native_is_contiguous(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    (void)in;
    *out = ridge_py_bool(v[0].u.tensor->contiguous);
    return RIDGE_OK;
}

ridge_status ridge_native_is_floating_point(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    (void)in;
    ridge_dtype d = v[0].u.tensor->dtype;
    *out = ridge_py_bool(d >= RIDGE_DTYPE_F16 && d != RIDGE_DTYPE_C64 && d != RIDGE_DTYPE_C128);
    return RIDGE_OK;
}

ridge_status ridge_native_is_complex(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    (void)in;
    *out = ridge_py_bool(v[0].u.tensor->dtype == RIDGE_DTYPE_C64 || v[0].u.tensor->dtype == RIDGE_DTYPE_C128);
    return RIDGE_OK;
}

ridge_status ridge_native_data_ptr(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    (void)in;
    *out = ridge_py_int((int64_t)v[0].u.tensor->storage->id * 4096 + v[0].u.tensor->offset);
    return RIDGE_OK;
}

ridge_status ridge_native_result_type(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_dtype d[2];
    bool number[2];
    for (int i = 0; i < 2; i++) {
        number[i] = v[i].type != RIDGE_PY_T_TENSOR;
        d[i] = !number[i]                     ? v[i].u.tensor->dtype
               : v[i].type == RIDGE_PY_T_BOOL ? RIDGE_DTYPE_BOOL
               : v[i].type == RIDGE_PY_T_INT  ? RIDGE_DTYPE_I64
                                              : ridge_run_of(in)->default_dtype;
        if (!number[i] && v[i].u.tensor->rank == 0)
            number[i] = true;
    }
    const ridge_symbol *name = ridge_py_symbol(in, ridge_dtype_name(ridge_dtype_promote(d[0], number[0], d[1], number[1])));
    ridge_py torch;
    ridge_status st = name ? ridge_py_import(&torch, "torch", in) : ridge_no_memory(in->err);
    return st ? st : ridge_py_get(out, torch, name, in);
}

/* ---- attributes ---- */

/* torch.NAME, as a module's attribute or of the file that writes the rest of torch */
static ridge_status of_torch(ridge_py *out, const char *module, const char *name, ridge_py_interp *in)
{
    ridge_py file;
    ridge_status st = ridge_py_import(&file, module, in);
    return st ? st : ridge_py_getz(out, file, name, in);
}

static ridge_status dtype_word(ridge_py *out, ridge_dtype dtype, ridge_py_interp *in)
{
    return of_torch(out, "torch", ridge_dtype_name(dtype), in);
}

typedef enum attribute {
    SHAPE,
    NDIM,
    DTYPE,
    DEVICE,
    YES,
    NO,
    NONE,
    REQUIRES_GRAD,
    DATA,
    TRANSPOSED,
    MATRIX_T,
    LAYOUT,
    ITEMSIZE,
    NBYTES,
    REAL,
    LEAF
} attribute;
static const struct {
    const char *name;
    attribute what;
} attributes[] = {
    {"shape", SHAPE},
    {"ndim", NDIM},
    {"dtype", DTYPE},
    {"device", DEVICE},
    {"is_cuda", NO},
    {"is_cpu", YES},
    {"is_mps", NO},
    {"is_meta", NO},
    {"is_xpu", NO},
    {"is_sparse", NO},
    {"is_quantized", NO},
    {"is_nested", NO},
    {"requires_grad", REQUIRES_GRAD},
    {"data", DATA},
    {"grad", NONE},
    {"grad_fn", NONE},
    {"T", TRANSPOSED},
    {"H", MATRIX_T},
    {"mT", MATRIX_T},
    {"mH", MATRIX_T},
    {"layout", LAYOUT},
    {"itemsize", ITEMSIZE},
    {"nbytes", NBYTES},
    {"real", REAL},
    {"imag", REAL},
    {"is_leaf", LEAF},
    {"names", NONE},
    {"_is_hf_initialized", NO},
};

static ridge_status real_part(ridge_py *out, ridge_py tensor, ridge_py_interp *in)
{
    ridge_tensor *t = tensor.u.tensor, *part;
    if (t->dtype != RIDGE_DTYPE_C64 && t->dtype != RIDGE_DTYPE_C128) {
        *out = tensor;
        return RIDGE_OK;
    }
    ridge_status st = ridge_view_all(&part, t, in);
    if (st)
        return st;
    part->dtype = t->dtype == RIDGE_DTYPE_C64 ? RIDGE_DTYPE_F32 : RIDGE_DTYPE_F64;
    part->offset *= 2;
    for (uint32_t d = 0; d < part->rank; d++)
        part->strides[d] *= 2;
    ridge_tensor_lay(part);
    *out = ridge_py_tensor(part);
    return RIDGE_OK;
}

static ridge_status get_attribute(ridge_py *out, ridge_py tensor, attribute what, ridge_py_interp *in)
{
    ridge_tensor *t = tensor.u.tensor;
    ridge_status st;
    switch (what) {
    case SHAPE:
        return shape_of(out, t, in);
    case NDIM:
        *out = ridge_py_int(t->rank);
        return RIDGE_OK;
    case DTYPE:
        return dtype_word(out, t->dtype, in);
    case DEVICE:
        return of_torch(out, "torch._torch", t->storage->host ? "_host" : "_cpu", in);
    case LAYOUT:
        return of_torch(out, "torch", "strided", in);
    case DATA:
        return ridge_native_detach(out, &tensor, in);
    case TRANSPOSED:
        return ridge_native_reversed(out, &tensor, in);
    case MATRIX_T:
        return ridge_native_matrix_transpose(out, &tensor, in);
    case ITEMSIZE:
        return ridge_native_element_size(out, &tensor, in);
    case NBYTES:
        st = ridge_tensor_elements(out, t, in);
        return st ? st : ridge_size_mul(out, *out, ridge_py_int(ridge_dtype_bytes(t->dtype)), in);
    case REAL:
        return real_part(out, tensor, in);
    case NONE:
        *out = ridge_py_none();
        return RIDGE_OK;
    default:
        *out = ridge_py_bool(what == YES || what == LEAF || (what == REQUIRES_GRAD && t->requires_grad));
        return RIDGE_OK;
    }
}

ridge_status ridge_tensor_get(ridge_py *out, ridge_py tensor, const ridge_symbol *name, ridge_py_interp *in)
{
    ridge_tensor *t = tensor.u.tensor;
    *out = ridge_py_unset();
    if (t->parameter) {
        const ridge_py *own = ridge_py_scope_find(&t->parameter->attributes, name);
        if (own && own->type != RIDGE_PY_T_UNSET) {
            *out = *own;
            return RIDGE_OK;
        }
    }
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (strcmp(attributes[i].name, name->text) == 0)
            return get_attribute(out, tensor, attributes[i].what, in);
    return ridge_torch_method(out, tensor, name, in);
}

/* t.data = other: the tensor becomes that one, whoever holds it */
static ridge_status set_data(ridge_tensor *t, ridge_py value, ridge_py_interp *in)
{
    if (value.type != RIDGE_PY_T_TENSOR)
        return value.type == RIDGE_PY_T_UNKNOWN
                   ? RIDGE_OK
                   : ridge_py_raise(in, "TypeError", "Variable data has to be a tensor, but got %s", ridge_py_type_text(value));
    const ridge_tensor *of = value.u.tensor;
    const bool requires_grad = t->requires_grad;
    const ridge_storage_kind kind = t->storage->kind;
    ridge_py_instance *parameter = t->parameter;
    const uint32_t room = t->room;
    if (of->rank > room)
        return ridge_fail(in->err, RIDGE_UNKNOWN, "a tensor that gets the data of one with %u dimensions more", of->rank - t->rank);
    ridge_tensor_read(t, of);
    t->room = room;
    t->requires_grad = requires_grad;
    t->parameter = parameter;
    if (kind != RIDGE_STORAGE_ACTIVATION)
        t->storage->kind = kind;
    return RIDGE_OK;
}

ridge_status ridge_tensor_set(ridge_py tensor, const ridge_symbol *name, ridge_py value, ridge_py_interp *in)
{
    ridge_tensor *t = tensor.u.tensor;
    if (strcmp(name->text, "data") == 0)
        return set_data(t, value, in);
    if (strcmp(name->text, "requires_grad") == 0) {
        t->requires_grad = value.type == RIDGE_PY_T_BOOL && value.u.b;
        return RIDGE_OK;
    }
    if (!t->parameter) {
        t->parameter = ridge_arena_alloc(in->arena, sizeof *t->parameter);
        if (!t->parameter)
            return ridge_no_memory(in->err);
        t->parameter->class = in->classes[RIDGE_PY_T_TENSOR];
    }
    return ridge_py_scope_set(&t->parameter->attributes, name, value, in);
}
