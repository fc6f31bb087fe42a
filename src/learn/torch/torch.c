/* The names of torch: numbers, dtypes, functions of the table, and what catalog/python/torch writes in Python. */
#include "learn/torch/torch.h"

#include <math.h>
#include <stdio.h>

#include "learn/package/embedded.h"
#include "learn/python/question.h"
#include "learn/torch/hooks.h"
#include "learn/torch/methods.h"
#include "learn/torch/rules.h"

/* ---- operators as functions ---- */

/* other names that PyTorch takes for its parameters, numpy's among them */
static const struct {
    const char *name, *means;
} aliases[] = {{"axis", "dim"}, {"keepdims", "keepdim"}, {"exponent", "other"}, {"self", "input"}, {"x", "input"}, {"dtype_", "dtype"}};

static bool takes(const ridge_operator *op, const char *name)
{
    for (size_t i = 0; i < op->name_count; i++)
        if (strcmp(op->names[i], name) == 0)
            return true;
    return false;
}

static ridge_status rename_keywords(ridge_py_keyword *renamed, size_t *count, const ridge_operator *op, const ridge_py_call *call,
                                    ridge_py_interp *in)
{
    *count = 0;
    for (size_t i = 0; i < call->keyword_count; i++) {
        ridge_py_keyword k = call->keywords[i];
        bool known = takes(op, k.name->text);
        for (size_t a = 0; !known && a < sizeof aliases / sizeof *aliases; a++)
            if (strcmp(aliases[a].name, k.name->text) == 0 && takes(op, aliases[a].means))
                k.name = ridge_py_symbol(in, aliases[a].means);
        if (!k.name)
            return ridge_no_memory(in->err);
        if (known || strcmp(k.name->text, "out") != 0) /* where a result is put changes nothing that is counted */
            renamed[(*count)++] = k;
    }
    return RIDGE_OK;
}

static ridge_status call_operator(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    const ridge_operator *op = call->function->data;
    ridge_py values[RIDGE_TORCH_PARAMETERS];
    ridge_py_keyword renamed[RIDGE_TORCH_PARAMETERS];
    ridge_py_call with = *call;
    if (call->keyword_count > RIDGE_TORCH_PARAMETERS || op->name_count > RIDGE_TORCH_PARAMETERS)
        return ridge_py_raise(in, "TypeError", "%s() got too many keyword arguments", op->name);
    ridge_status st = rename_keywords(renamed, &with.keyword_count, op, call, in);
    with.keywords = renamed;
    if (!st)
        st = ridge_py_bind(values, op->name_count, &with, in);
    return st ? st : ridge_operator_run(out, op, values, in);
}

ridge_status ridge_operator_function(ridge_py *out, const ridge_operator *op, ridge_py_interp *in)
{
    if (!op->native) {
        ridge_status st = ridge_py_native_function(out, op->name, call_operator, op->signature, op, in);
        if (st)
            return st;
        ((ridge_operator *)(uintptr_t)op)->native = out->u.native;
    }
    *out = (ridge_py){.type = RIDGE_PY_T_NATIVE, .u.native = op->native};
    return RIDGE_OK;
}

/* what is after "torch." where nothing else is */
static const char *after(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(name, prefix, n) == 0 && !strchr(name + n, '.') ? name + n : NULL;
}

ridge_status ridge_torch_function(ridge_py *out, const char *name, ridge_py_interp *in)
{
    const char *method = after(name, "torch.Tensor."), *function = after(name, "torch.");
    const ridge_py_native *native = method ? ridge_tensor_method(method) : function ? ridge_tensor_function(function) : NULL;
    const ridge_operator *op = native ? NULL : ridge_operator_find(name, in);
    *out = ridge_py_unset();
    if (native)
        *out = (ridge_py){.type = RIDGE_PY_T_NATIVE, .u.native = native};
    return op ? ridge_operator_function(out, op, in) : RIDGE_OK;
}

static ridge_status in_python(ridge_py *out, const char *module, const ridge_symbol *name, ridge_py_interp *in)
{
    ridge_py file;
    *out = ridge_py_unset();
    ridge_status st = ridge_py_import(&file, module, in);
    if (st)
        return st;
    const ridge_py *found = ridge_py_scope_find(&file.u.module->globals, name);
    if (found)
        *out = *found;
    return RIDGE_OK;
}

ridge_status ridge_torch_method(ridge_py *out, ridge_py tensor, const ridge_symbol *name, ridge_py_interp *in)
{
    char full[160];
    ridge_py function;
    *out = ridge_py_unset();
    if (snprintf(full, sizeof full, "torch.Tensor.%s", name->text) >= (int)sizeof full)
        return RIDGE_OK;
    ridge_status st = ridge_torch_function(&function, full, in);
    if (!st && function.type == RIDGE_PY_T_UNSET && name->text[0] != '_')
        st = in_python(&function, "torch._methods", name, in);
    if (st || function.type == RIDGE_PY_T_UNSET)
        return st;
    ridge_py_method *method = ridge_arena_alloc(in->arena, sizeof *method);
    if (!method)
        return ridge_no_memory(in->err);
    *method = (ridge_py_method){function, tensor};
    *out = (ridge_py){.type = RIDGE_PY_T_METHOD, .u.method = method};
    return RIDGE_OK;
}

ridge_status ridge_torch_device(ridge_py *out, ridge_py_interp *in)
{
    const ridge_symbol *name = ridge_py_symbol(in, "_cpu");
    return name ? in_python(out, "torch._torch", name, in) : ridge_no_memory(in->err);
}

/* ---- words ---- */

static ridge_status make_word(ridge_py *out, const char *kind, const char *text, ridge_py_interp *in)
{
    ridge_py_word *word = ridge_arena_alloc(in->arena, sizeof *word);
    if (!word)
        return ridge_no_memory(in->err);
    *word = (ridge_py_word){.kind = kind, .text = text};
    *out = (ridge_py){.type = RIDGE_PY_T_WORD, .u.word = word};
    return RIDGE_OK;
}

static const struct {
    const char *name, *kind, *text;
} words[] = {
    {"float32", "dtype", "float32"},
    {"float", "dtype", "float32"},
    {"float64", "dtype", "float64"},
    {"double", "dtype", "float64"},
    {"float16", "dtype", "float16"},
    {"half", "dtype", "float16"},
    {"bfloat16", "dtype", "bfloat16"},
    {"int64", "dtype", "int64"},
    {"long", "dtype", "int64"},
    {"int32", "dtype", "int32"},
    {"int", "dtype", "int32"},
    {"int16", "dtype", "int16"},
    {"short", "dtype", "int16"},
    {"int8", "dtype", "int8"},
    {"uint8", "dtype", "uint8"},
    {"bool", "dtype", "bool"},
    {"complex64", "dtype", "complex64"},
    {"cfloat", "dtype", "complex64"},
    {"complex128", "dtype", "complex128"},
    {"cdouble", "dtype", "complex128"},
    {"float8_e4m3fn", "dtype", "float8_e4m3fn"},
    {"float8_e5m2", "dtype", "float8_e5m2"},
    {"uint16", "dtype", "int16"},
    {"uint32", "dtype", "int32"},
    {"uint64", "dtype", "int64"},
    {"strided", "layout", "strided"},
    {"sparse_coo", "layout", "sparse_coo"},
    {"contiguous_format", "memory_format", "contiguous_format"},
    {"preserve_format", "memory_format", "preserve_format"},
    {"legacy_contiguous_format", "memory_format", "contiguous_format"},
    {"channels_last", "memory_format", "channels_last"},
    {"channels_last_3d", "memory_format", "channels_last_3d"},
};

static ridge_status constant(ridge_py *out, const char *name, ridge_py_interp *in)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].name, name) == 0)
            return make_word(out, words[i].kind, words[i].text, in);
    *out = ridge_py_unset();
    if (strcmp(name, "pi") == 0)
        *out = ridge_py_float(3.14159265358979323846);
    else if (strcmp(name, "e") == 0)
        *out = ridge_py_float(2.71828182845904523536);
    else if (strcmp(name, "inf") == 0)
        *out = ridge_py_float((double)INFINITY);
    else if (strcmp(name, "nan") == 0)
        *out = ridge_py_float((double)NAN);
    else if (strcmp(name, "newaxis") == 0)
        *out = ridge_py_none();
    else if (strcmp(name, "__version__") == 0)
        return ridge_py_strz(out, "2.6.0", in);
    return RIDGE_OK;
}

/* ---- default dtype ---- */

static ridge_status get_default_dtype(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    (void)call;
    return make_word(out, "dtype", ridge_dtype_name(ridge_run_of(in)->default_dtype), in);
}

static ridge_status set_default_dtype(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py word;
    ridge_dtype dtype;
    ridge_status st = ridge_py_bind(&word, 1, call, in);
    if (!st && !ridge_dtype_of(&dtype, word))
        st = ridge_py_raise(in, "TypeError", "invalid dtype object");
    if (!st)
        ridge_run_of(in)->default_dtype = dtype;
    *out = ridge_py_none();
    return st;
}

/* [bits, is_floating_point, is_signed] of a dtype: what finfo, iinfo and its attributes are made of */
static ridge_status dtype_facts(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py word;
    ridge_dtype dtype = RIDGE_DTYPE_F32;
    ridge_status st = ridge_py_bind(&word, 1, call, in);
    if (!st && !ridge_dtype_of(&dtype, word))
        st = ridge_py_raise(in, "TypeError", "invalid dtype object");
    if (!st)
        st = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, 3, in);
    if (!st)
        st = ridge_py_append(out->u.list, ridge_py_int(8 * (int64_t)ridge_dtype_bytes(dtype)), in);
    if (!st)
        st = ridge_py_append(out->u.list, ridge_py_bool(dtype >= RIDGE_DTYPE_F16 && dtype != RIDGE_DTYPE_C64 && dtype != RIDGE_DTYPE_C128),
                             in);
    return st ? st : ridge_py_append(out->u.list, ridge_py_bool(dtype != RIDGE_DTYPE_BOOL && dtype != RIDGE_DTYPE_U8), in);
}

static ridge_status is_tensor(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py v;
    ridge_status st = ridge_py_bind(&v, 1, call, in);
    *out = v.type == RIDGE_PY_T_UNKNOWN ? v : ridge_py_bool(v.type == RIDGE_PY_T_TENSOR);
    return st;
}

ridge_status ridge_torch_named_operator(const ridge_operator **out, const char *name, const char *flop_class, ridge_py_interp *in)
{
    ridge_trace *run = ridge_run_of(in);
    for (size_t i = 0; i < run->named_count; i++)
        if (strcmp(run->named[i]->name, name) == 0 && strcmp(run->named[i]->flop_class, flop_class) == 0) {
            *out = run->named[i];
            return RIDGE_OK;
        }
    ridge_operator *op = ridge_arena_alloc(in->arena, sizeof *op);
    if (!op || !ridge_arena_more(in->arena, &run->named, run->named_count, &run->named_cap, sizeof(ridge_operator *)))
        return ridge_no_memory(in->err);
    *op = (ridge_operator){
        .name = name, .signature = "", .shape = "unknown", .flops = "unknown", .flop_class = flop_class, .saved = "", .fuses = "none"};
    *out = run->named[run->named_count++] = op;
    return RIDGE_OK;
}

/* What it costs is not known either: an operator of unknown FLOPs and bytes stands for it. */
static ridge_status record_unknown_call(const char *name, const ridge_hole *hole, ridge_py_interp *in)
{
    const ridge_operator *op;
    ridge_status st = ridge_torch_named_operator(&op, name, "other", in);
    return st ? st : ridge_operator_record_unknown(op, hole, in);
}

ridge_status ridge_torch_skipped(ridge_py unknown, ridge_py_interp *in)
{
    return ridge_run_of(in)->current ? record_unknown_call("what depends on data", unknown.u.hole, in) : RIDGE_OK;
}

ridge_status ridge_torch_unknown_call(ridge_py *out, const char *name, const char *what, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_question_subject subjects[32];
    ridge_question question = {.wants = RIDGE_WANTS_RESULT, .subjects = subjects};
    for (size_t i = 0; i < call->count && question.subject_count < 16; i++) {
        const char *subject = ridge_arena_printf(in->arena, "x%zu", i);
        if (!subject)
            return ridge_no_memory(in->err);
        subjects[question.subject_count++] = (ridge_question_subject){subject, call->args[i]};
    }
    for (size_t i = 0; i < call->keyword_count && question.subject_count < 32; i++)
        subjects[question.subject_count++] = (ridge_question_subject){call->keywords[i].name->text, call->keywords[i].value};
    ridge_status st = ridge_py_unknown_asked(out, "unknown function", what, "an entry for it in the table of operators", &question, in);
    return st || out->type != RIDGE_PY_T_UNKNOWN ? st : record_unknown_call(name, out->u.hole, in);
}

/* A function of torch that the table lacks: calling it is a hole, naming it is none. */
static ridge_status call_unknown(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    const char *what = ridge_arena_printf(in->arena, "unknown function %s", call->function->name);
    if (!what)
        return ridge_no_memory(in->err);
    return ridge_torch_unknown_call(out, call->function->name, what, call, in);
}

static ridge_status unknown_function(ridge_py *out, const char *name, ridge_py_interp *in)
{
    return ridge_py_native_function(out, name, call_unknown, NULL, NULL, in);
}

ridge_status ridge_run_assume(const char *what, ridge_py_interp *in)
{
    ridge_trace *run = ridge_run_of(in);
    const ridge_py_frame *f = in->frame;
    if (!run->recording) /* what is built counts nothing */
        return RIDGE_OK;
    while (f && f->caller && f->module && f->module->path && strncmp(f->module->path, "catalog/python/", 15) == 0)
        f = f->caller;
    const char *file = f && f->module ? f->module->path : NULL;
    const uint32_t line = f ? f->line : 0;
    for (size_t i = 0; i < run->assumed_count; i++)
        if (run->assumed[i].line == line && run->assumed[i].file == file && strcmp(run->assumed[i].what, what) == 0)
            return RIDGE_OK;
    if (!ridge_arena_more(in->arena, &run->assumed, run->assumed_count, &run->assumed_cap, sizeof *run->assumed))
        return ridge_no_memory(in->err);
    run->assumed[run->assumed_count++] = (ridge_run_assumed){what, file, line};
    return RIDGE_OK;
}

static ridge_status assume(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py what;
    ridge_status st = ridge_py_bind(&what, 1, call, in);
    *out = ridge_py_none();
    return st || what.type != RIDGE_PY_T_STR ? st : ridge_run_assume(what.u.s->text.p, in);
}

/* torch.ops.aten.NAME.OVERLOAD */
static ridge_status operator_named(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py name;
    ridge_status st = ridge_py_bind(&name, 1, call, in);
    if (!st && name.type != RIDGE_PY_T_STR)
        st = ridge_py_raise(in, "TypeError", "the name of an operator is a str");
    const ridge_operator *op = st ? NULL : ridge_operator_find(name.u.s->text.p, in);
    if (op)
        return ridge_operator_function(out, op, in);
    return st ? st : unknown_function(out, name.u.s->text.p, in);
}

/* ---- modules ---- */

/* names that torch 2.6 does not have, though models ask for them */
static bool is_absent(const char *name)
{
    static const char *const absent[] = {"grouped_mm",       "npu",          "mlu",  "musa", "hpu", "Proxy", "float8_e8m0fnu",
                                         "float4_e2m1fn_x2", "accelerator_", "sdaa", "tpu"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        if (strcmp(name, absent[i]) == 0)
            return true;
    return name[0] == '_' || (name[0] >= 'A' && name[0] <= 'Z');
}

/* the file that writes the rest of a native module in Python */
static const char *companion(const char *module)
{
    return strcmp(module, "torch") == 0                 ? "torch._torch"
           : strcmp(module, "torch.nn.functional") == 0 ? "torch._functional"
           : strcmp(module, "torch.fft") == 0           ? "torch._fft"
           : strcmp(module, "torch.linalg") == 0        ? "torch._linalg"
                                                        : NULL;
}

static ridge_status attribute(ridge_py *out, ridge_py_module *module, const ridge_symbol *name, ridge_py_interp *in)
{
    const char *full = ridge_arena_printf(in->arena, "%s.%s", module->name, name->text);
    if (!full)
        return ridge_no_memory(in->err);
    bool torch = strcmp(module->name, "torch") == 0;
    *out = ridge_py_unset();
    ridge_status st = torch ? constant(out, name->text, in) : RIDGE_OK;
    if (!st && out->type == RIDGE_PY_T_UNSET)
        st = ridge_torch_function(out, full, in);
    if (!st && out->type == RIDGE_PY_T_UNSET && companion(module->name) && strncmp(name->text, "__", 2) != 0)
        st = in_python(out, companion(module->name), name, in);
    if (!st && out->type == RIDGE_PY_T_UNSET && torch && strncmp(name->text, "__", 2) != 0 &&
        (ridge_embedded_module_find(full) || ridge_py_dict_getz(in->modules, full).type == RIDGE_PY_T_MODULE))
        st = ridge_py_import(out, full, in);
    if (!st && out->type == RIDGE_PY_T_UNSET && !is_absent(name->text))
        st = unknown_function(out, full, in);
    if (!st && out->type != RIDGE_PY_T_UNSET)
        st = ridge_py_scope_set(&module->globals, name, *out, in);
    return st;
}

/* ---- the class of tensors ---- */

static ridge_status construct(ridge_py *out, ridge_py_class *class, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py function, dtype = ridge_py_unset();
    const char *text = class->data ? class->data : ridge_dtype_name(ridge_run_of(in)->default_dtype);
    bool sizes = call->count != 1 || call->args[0].type == RIDGE_PY_T_INT;
    ridge_status st = ridge_torch_function(&function, sizes ? "torch.empty" : "torch.tensor", in);
    if (!st)
        st = make_word(&dtype, "dtype", text, in);
    const ridge_py_keyword keyword = {ridge_py_symbol(in, "dtype"), dtype};
    const ridge_py none = ridge_py_int(0);
    if (st || !keyword.name)
        return st ? st : ridge_no_memory(in->err);
    return ridge_py_call_value(out, function, call->count ? call->args : &none, call->count ? call->count : 1, &keyword, 1, in);
}

static const struct {
    const char *name, *dtype;
} tensor_classes[] = {
    {"FloatTensor", "float32"},  {"LongTensor", "int64"},   {"BoolTensor", "bool"},         {"IntTensor", "int32"},
    {"DoubleTensor", "float64"}, {"HalfTensor", "float16"}, {"BFloat16Tensor", "bfloat16"}, {"ByteTensor", "uint8"},
    {"CharTensor", "int8"},      {"ShortTensor", "int16"},
};

static ridge_status tensor_class(ridge_py_class **out, ridge_py_module *torch, const char *name, const char *dtype, ridge_py_class *base,
                                 ridge_py_interp *in)
{
    ridge_py_class *const bases[] = {base};
    ridge_status st = ridge_py_native_class(out, name, bases, base ? 1 : 0, NULL, 0, in);
    if (st)
        return st;
    (*out)->module = torch;
    (*out)->construct = construct;
    if (dtype)
        (*out)->data = dtype;
    const ridge_symbol *symbol = ridge_py_symbol(in, name);
    return symbol ? ridge_py_scope_set(&torch->globals, symbol, (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = *out}, in)
                  : ridge_no_memory(in->err);
}

static bool holds_tensor(ridge_py object)
{
    return object.type == RIDGE_PY_T_TENSOR;
}

/* ---- the class of dtypes ---- */

static ridge_status dtype_property(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_dtype dtype;
    (void)in;
    const char *name = call->function->name;
    *out = ridge_py_none();
    if (!call->count || !ridge_dtype_of(&dtype, call->args[0]))
        return RIDGE_OK;
    bool complex = dtype == RIDGE_DTYPE_C64 || dtype == RIDGE_DTYPE_C128;
    if (strcmp(name, "itemsize") == 0)
        *out = ridge_py_int((int64_t)ridge_dtype_bytes(dtype));
    else if (strcmp(name, "is_complex") == 0)
        *out = ridge_py_bool(complex);
    else if (strcmp(name, "is_floating_point") == 0)
        *out = ridge_py_bool(dtype >= RIDGE_DTYPE_F16 && !complex);
    else
        *out = ridge_py_bool(dtype != RIDGE_DTYPE_BOOL && dtype != RIDGE_DTYPE_U8);
    return RIDGE_OK;
}

static ridge_status dtype_class(ridge_py_module *torch, ridge_py_interp *in)
{
    static const char *const names[] = {"itemsize", "is_complex", "is_floating_point", "is_signed"};
    ridge_py_class *class;
    ridge_status st = ridge_py_native_class(&class, "dtype", NULL, 0, NULL, 0, in);
    for (size_t i = 0; !st && i < sizeof names / sizeof *names; i++) {
        ridge_py_property *property = ridge_arena_alloc(in->arena, sizeof *property);
        const ridge_symbol *name = ridge_py_symbol(in, names[i]);
        if (!property || !name)
            return ridge_no_memory(in->err);
        property->kind = RIDGE_PY_GETTER;
        st = ridge_py_native_function(&property->function, names[i], dtype_property, NULL, NULL, in);
        if (!st)
            st = ridge_py_scope_set(&class->attributes, name, (ridge_py){.type = RIDGE_PY_T_PROPERTY, .u.property = property}, in);
    }
    if (st)
        return st;
    class->module = torch;
    in->classes[RIDGE_PY_T_WORD] = class;
    const ridge_symbol *name = ridge_py_symbol(in, "dtype");
    return name ? ridge_py_scope_set(&torch->globals, name, (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = class}, in)
                : ridge_no_memory(in->err);
}

static ridge_status tensor_classes_of(ridge_py_module *torch, ridge_py_interp *in)
{
    ridge_py_class *tensor, *other;
    ridge_status st = tensor_class(&tensor, torch, "Tensor", NULL, NULL, in);
    if (!st) {
        in->classes[RIDGE_PY_T_TENSOR] = tensor;
        tensor->holds = holds_tensor;
    }
    for (size_t i = 0; !st && i < sizeof tensor_classes / sizeof *tensor_classes; i++)
        st = tensor_class(&other, torch, tensor_classes[i].name, tensor_classes[i].dtype, tensor, in);
    return st;
}

ridge_status ridge_torch_modules(ridge_py_interp *in)
{
    static const ridge_py_native_entry functions[] = {
        {"get_default_dtype", get_default_dtype, ""}, {"set_default_dtype", set_default_dtype, "d"},
        {"_dtype_facts", dtype_facts, "dtype"},       {"is_tensor", is_tensor, "obj"},
        {"_operator", operator_named, "name"},        {"_assume", assume, "what"},
    };
    static const char *const others[] = {"torch.nn.functional", "torch.linalg", "torch.special", "torch.fft"};
    ridge_py_module *module;
    ridge_status st = ridge_py_native_module(&module, "torch", functions, sizeof functions / sizeof *functions, in);
    if (st)
        return st;
    module->is_package = true;
    module->attribute = attribute;
    st = tensor_classes_of(module, in);
    if (!st)
        st = dtype_class(module, in);
    if (!st)
        st = ridge_py_native_class(&ridge_run_of(in)->pair_class, "torch.return_types.pair", &in->classes[RIDGE_PY_T_TUPLE],
                                   in->classes[RIDGE_PY_T_TUPLE] ? 1 : 0, NULL, 0, in);
    for (size_t i = 0; !st && i < sizeof others / sizeof *others; i++) {
        st = ridge_py_native_module(&module, others[i], NULL, 0, in);
        if (!st)
            module->attribute = attribute;
    }
    return st;
}
