/* value.h - what interpreted Python computes with.
 * A value is small and copied; what it points at lives in the run's arena. Every number that depends on the config or the workload carries
 * beside its concrete value what it is in symbols (`sym`), and everything else that comes from the config carries the formula that gives it
 * (`origin`), so a run over one configuration says what holds for others: under the conditions that were asked on the way (interp.h).
 * UNKNOWN is a value that depends on data: whatever is made of it is unknown, too, and a branch on it is a hole. */
#ifndef RIDGE_LEARN_PYTHON_VALUE_H
#define RIDGE_LEARN_PYTHON_VALUE_H

#include "formula/poly.h"
#include "learn/python/syntax.h"

typedef struct ridge_py ridge_py;
typedef struct ridge_py_interp ridge_py_interp;
typedef struct ridge_tensor ridge_tensor; /* learn/torch/tensor.h */
typedef struct ridge_hole ridge_hole;     /* interp.h: why something is unknown */

typedef enum ridge_py_type {
    RIDGE_PY_T_UNSET, /* no value: an attribute or a name that is not there */
    RIDGE_PY_T_NONE,
    RIDGE_PY_T_BOOL,
    RIDGE_PY_T_INT,
    RIDGE_PY_T_FLOAT,
    RIDGE_PY_T_STR, /* bytes, too */
    RIDGE_PY_T_TUPLE,
    RIDGE_PY_T_LIST,
    RIDGE_PY_T_DICT,
    RIDGE_PY_T_SET, /* a dict without values */
    RIDGE_PY_T_SLICE,
    RIDGE_PY_T_RANGE,
    RIDGE_PY_T_ELLIPSIS,
    RIDGE_PY_T_NOT_IMPLEMENTED,
    RIDGE_PY_T_ITERATOR,
    RIDGE_PY_T_MODULE,   /* of Python: an imported file or a native one */
    RIDGE_PY_T_FUNCTION, /* interpreted */
    RIDGE_PY_T_NATIVE,   /* a function in C */
    RIDGE_PY_T_METHOD,   /* a function bound to its first argument */
    RIDGE_PY_T_CLASS,
    RIDGE_PY_T_INSTANCE, /* of an interpreted or a native class */
    RIDGE_PY_T_PROPERTY, /* property, staticmethod, classmethod, cached_property: what a class holds */
    RIDGE_PY_T_TENSOR,
    RIDGE_PY_T_WORD, /* torch.float32, torch.device('cpu'), torch.strided: a word of a kind */
    RIDGE_PY_T_UNKNOWN,
} ridge_py_type;

typedef struct ridge_py_text ridge_py_text;
typedef struct ridge_py_list ridge_py_list;
typedef struct ridge_py_dict ridge_py_dict;
typedef struct ridge_py_slice ridge_py_slice;
typedef struct ridge_py_range ridge_py_range;
typedef struct ridge_py_iterator ridge_py_iterator;
typedef struct ridge_py_module ridge_py_module;
typedef struct ridge_py_function ridge_py_function;
typedef struct ridge_py_native ridge_py_native;
typedef struct ridge_py_method ridge_py_method;
typedef struct ridge_py_class ridge_py_class;
typedef struct ridge_py_instance ridge_py_instance;
typedef struct ridge_py_property ridge_py_property;
typedef struct ridge_py_word ridge_py_word;

struct ridge_py {
    ridge_py_type type;
    union {
        bool b;
        int64_t i;
        double f;
        const ridge_py_text *s;
        ridge_py_list *list; /* TUPLE, LIST */
        ridge_py_dict *dict; /* DICT, SET */
        const ridge_py_slice *slice;
        const ridge_py_range *range;
        ridge_py_iterator *iterator;
        ridge_py_module *module;
        ridge_py_function *function;
        const ridge_py_native *native;
        const ridge_py_method *method;
        ridge_py_class *class;
        ridge_py_instance *instance;
        const ridge_py_property *property;
        ridge_tensor *tensor;
        const ridge_py_word *word;
        const ridge_hole *hole; /* UNKNOWN */
        const void *pointer;    /* for identity */
    } u;
    union {
        const ridge_poly *sym; /* BOOL, INT, FLOAT: in symbols, a BOOL 0 or 1; NULL: a constant */
        const char *origin;    /* NONE, STR, TUPLE, LIST, DICT: the formula that gives it; NULL: a constant */
    } by;
};

struct ridge_py_text {
    ridge_str text; /* NUL-terminated */
};

/* TUPLE, LIST. An instance that is a tuple or list (NamedTuple, a subclass of list) holds one in `base`. */
struct ridge_py_list {
    ridge_py *items;
    size_t count, cap;
};

/* Insertion order; looked up by ridge_py_hash and equality. A deleted entry has an UNSET key until the next growth. */
typedef struct ridge_py_entry {
    ridge_py key, value; /* SET: value UNSET */
    uint64_t hash;
} ridge_py_entry;
struct ridge_py_dict {
    ridge_py_entry *entries;
    size_t count, used, cap; /* count: without deleted ones; used: with them */
    uint32_t *index;         /* [index_cap], 1 + place in entries, UINT32_MAX: deleted */
    size_t index_cap;
    ridge_py missing; /* defaultdict: what makes a value; UNSET otherwise */
};

struct ridge_py_slice {
    ridge_py start, stop, step; /* NONE where left out */
};
struct ridge_py_range {
    ridge_py start, stop, step; /* INT */
};

/* next: *done, or the next value. `state` is its own. */
struct ridge_py_iterator {
    ridge_status (*next)(ridge_py *out, bool *done, ridge_py_iterator *iterator, ridge_py_interp *in);
    void *state;
};

/* Names to values: globals of a module, locals of a call, attributes of a class or an instance. By symbol, in insertion order. */
typedef struct ridge_py_binding {
    const ridge_symbol *name;
    ridge_py value; /* UNSET: deleted */
} ridge_py_binding;
typedef struct ridge_py_scope {
    ridge_py_binding *items;
    uint32_t count, cap;
    uint32_t *index; /* [index_cap] by symbol id: 1 + place; NULL while there are few */
    uint32_t index_cap;
} ridge_py_scope;

struct ridge_py_module {
    const char *name; /* transformers.models.llama.modeling_llama */
    const char *path; /* its file; NULL: native */
    ridge_str text;   /* of the file */
    ridge_py_scope globals;
    bool is_package, executed;
    /* native modules and what is read on demand: makes an attribute that globals lack; UNSET where there is none. May be NULL. */
    ridge_status (*attribute)(ridge_py *out, ridge_py_module *module, const ridge_symbol *name, ridge_py_interp *in);
};

/* A chain of scopes that a function closes over, innermost first; the module's globals and the built-ins come after it. */
typedef struct ridge_py_cell ridge_py_cell;
struct ridge_py_cell {
    ridge_py_scope scope;
    ridge_py_cell *outer; /* enclosing function's, or NULL */
    bool captured;        /* a function closes over it: it outlives its call */
};

struct ridge_py_function {
    const ridge_py_node *node; /* FUNCTION or LAMBDA */
    const ridge_symbol *name;
    ridge_py_module *module;
    ridge_py_cell *outer;
    ridge_py_class *owner;    /* the class whose body defined it: what super() and __class__ mean; or NULL */
    ridge_py *defaults;       /* [parameters], UNSET where there is none */
    ridge_py_scope attributes; /* f.x = 1 */
};

typedef struct ridge_py_keyword {
    const ridge_symbol *name;
    ridge_py value;
} ridge_py_keyword;
/* A call of a function in C. `self` of a method is args[0]. */
typedef struct ridge_py_call {
    const ridge_py *args;
    size_t count;
    const ridge_py_keyword *keywords;
    size_t keyword_count;
    const ridge_py_native *function;
} ridge_py_call;
typedef ridge_status ridge_py_native_call(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in);
struct ridge_py_native {
    const char *name;
    ridge_py_native_call *call;
    const char *parameters; /* "input, dim=None, *, keepdim=False": for ridge_py_bind; NULL: takes them as they come */
    const void *data;       /* its own, e.g. an operator's entry */
};

struct ridge_py_method {
    ridge_py function, self;
};

typedef enum ridge_py_property_kind { RIDGE_PY_GETTER, RIDGE_PY_STATIC, RIDGE_PY_CLASSMETHOD, RIDGE_PY_CACHED } ridge_py_property_kind;
struct ridge_py_property {
    ridge_py_property_kind kind;
    ridge_py function, setter;
};

struct ridge_py_class {
    const ridge_symbol *name;
    const ridge_py_node *node; /* CLASS; NULL: native */
    ridge_py_module *module;   /* where it was defined */
    ridge_py_list bases;       /* CLASS */
    ridge_py_class **order;    /* method resolution order (C3), itself first */
    size_t order_count;
    ridge_py_scope attributes;
    const ridge_py_class *meta; /* metaclass, or NULL */
    /* natives may hook in; found along `order`; NULL: nobody does */
    ridge_status (*construct)(ridge_py *out, ridge_py_class *class, const ridge_py_call *call, ridge_py_interp *in); /* in place of __new__ and __init__ */
    ridge_status (*get)(ridge_py *out, ridge_py_instance *self, const ridge_symbol *name, ridge_py_interp *in); /* UNSET: look on as usual */
    ridge_status (*set)(bool *done, ridge_py_instance *self, const ridge_symbol *name, ridge_py value, ridge_py_interp *in);
    bool (*holds)(ridge_py object); /* isinstance() of values that are no INSTANCE: of this class alone, not of those below it */
    const void *data;
};

struct ridge_py_instance {
    ridge_py_class *class;
    ridge_py_scope attributes;
    ridge_py base; /* the tuple, list, dict, str, int or float that it also is; UNSET: none */
    void *data;    /* of a native class: e.g. learn/torch's module */
    uint32_t id;   /* in order of creation */
};

struct ridge_py_word {
    const char *kind; /* "dtype", "device", "layout", ... */
    const char *text; /* "float32" */
    const void *data;
};

/* ---- making values ---- */
static inline ridge_py ridge_py_none(void)
{
    return (ridge_py){.type = RIDGE_PY_T_NONE};
}
static inline ridge_py ridge_py_bool(bool b)
{
    return (ridge_py){.type = RIDGE_PY_T_BOOL, .u.b = b};
}
static inline ridge_py ridge_py_int(int64_t i)
{
    return (ridge_py){.type = RIDGE_PY_T_INT, .u.i = i};
}
static inline ridge_py ridge_py_float(double f)
{
    return (ridge_py){.type = RIDGE_PY_T_FLOAT, .u.f = f};
}
static inline ridge_py ridge_py_unset(void)
{
    return (ridge_py){.type = RIDGE_PY_T_UNSET};
}
static inline bool ridge_py_is_number(ridge_py v) /* bool, int, float */
{
    return v.type == RIDGE_PY_T_BOOL || v.type == RIDGE_PY_T_INT || v.type == RIDGE_PY_T_FLOAT;
}
ridge_status ridge_py_str(ridge_py *out, ridge_str text, ridge_py_interp *in); /* copies the text */
ridge_status ridge_py_strz(ridge_py *out, const char *text, ridge_py_interp *in);
ridge_status ridge_py_new_list(ridge_py *out, ridge_py_type tuple_or_list, size_t room, ridge_py_interp *in);
ridge_status ridge_py_append(ridge_py_list *list, ridge_py value, ridge_py_interp *in);
ridge_status ridge_py_new_dict(ridge_py *out, ridge_py_type dict_or_set, ridge_py_interp *in);
ridge_status ridge_py_new_instance(ridge_py *out, ridge_py_class *class, ridge_py_interp *in); /* without __init__ */

/* ---- dicts and scopes ---- */
/* fails where the key has no hash (a list) */
ridge_status ridge_py_dict_get(ridge_py *out /* UNSET: not there */, const ridge_py_dict *dict, ridge_py key, ridge_py_interp *in);
ridge_status ridge_py_dict_set(ridge_py_dict *dict, ridge_py key, ridge_py value, ridge_py_interp *in);
ridge_status ridge_py_dict_remove(bool *was_there, ridge_py_dict *dict, ridge_py key, ridge_py_interp *in);
ridge_py ridge_py_dict_getz(const ridge_py_dict *dict, const char *key); /* UNSET: not there */
ridge_status ridge_py_dict_setz(ridge_py_dict *dict, const char *key, ridge_py value, ridge_py_interp *in);

ridge_py *ridge_py_scope_find(const ridge_py_scope *scope, const ridge_symbol *name); /* NULL: not there */
ridge_status ridge_py_scope_set(ridge_py_scope *scope, const ridge_symbol *name, ridge_py value, ridge_py_interp *in);
bool ridge_py_scope_remove(ridge_py_scope *scope, const ridge_symbol *name); /* false: was not there */

#endif
