/* interp.h - interprets Python on symbolic numbers and shapes.
 * In: a module's source and what is called in it. Out: values, the conditions that were asked of symbols on the way, and the holes: what
 * depends on data. Nothing of the host's Python is imported or run; files are read through ridge_py_loader alone.
 * A Python exception is RIDGE_PY_RAISED with `in->raised`; all else is an error of the run (memory, limits, what this interpreter cannot
 * do). */
#ifndef RIDGE_LEARN_PYTHON_INTERP_H
#define RIDGE_LEARN_PYTHON_INTERP_H

#include "learn/python/value.h"

/* an exception of Python is on its way: in->raised. `except` catches this status and no other. */
#define RIDGE_PY_RAISED RIDGE_CHECK

/* What was asked of symbols, and answered with the concrete values of this run: what the run found holds wherever these hold. */
typedef struct ridge_condition {
    const char *text;      /* in the formula language: "config.num_key_value_heads == config.num_attention_heads" */
    const ridge_poly *sym; /* the same as a 0/1 polynomial; NULL: of an origin */
    bool holds;
    bool loop;        /* how often a loop runs: "config.num_hidden_layers == 32" */
    const char *file; /* where it was asked first */
    uint32_t line;
} ridge_condition;

typedef struct ridge_py_asks {
    ridge_condition *p; /* those of symbols without their texts */
    size_t count, cap;
} ridge_py_asks;

/* Why something is not known: what `ridge learn` shows as unresolved. */
struct ridge_hole {
    const char *kind; /* "branch on data", "shape from data", "unknown function", "no source", "limit", ... */
    const char *file;
    uint32_t line;
    const char *what;         /* a sentence: what was asked */
    const char *known;        /* what is known of it, or NULL */
    const char *unknown;      /* what is not */
    const char *help;         /* what would help, or NULL */
    const char *const *chain; /* calls that led there, outermost first: "LlamaModel.forward (modeling_llama.py:370)" */
    size_t chain_count;
    const struct ridge_question *question; /* what can be asked of it (question.h), or NULL */
    bool counts;                           /* a number is missing for it in the sums */
};
typedef struct ridge_question ridge_question;

typedef struct ridge_py_frame ridge_py_frame;
struct ridge_py_frame {
    ridge_py_frame *caller;
    ridge_py_function *function; /* NULL: a module's or a class's body */
    ridge_py_module *module;
    ridge_py_cell *cell; /* locals */
    ridge_py_class *owner;
    ridge_py self;          /* first argument, for super() */
    uint32_t line;          /* being run */
    ridge_py_list *yielded; /* of a generator, which runs to its end when its first value is asked for; NULL otherwise */
    uint32_t depth;
    ridge_py_scope *scope;                    /* where names are bound: the cell's, a class's or the module's */
    ridge_py_cell *home;                      /* the function's own, while `cell` is a comprehension's */
    const struct ridge_py_declared *declared; /* `global` and `nonlocal` that were run */
    const struct ridge_py_on_yield *on_yield; /* a `with` runs its block here */
    ridge_py result;                          /* of return */
};

/* Where the source of modules comes from, and what stands in for those that are not read. */
typedef struct ridge_py_loader {
    /* finds "transformers.activations" (or a native module): *out NULL where there is none. The interpreter runs its body. */
    ridge_status (*find)(ridge_py_module **out, const char *name, void *state, ridge_py_interp *in);
    void *state;
} ridge_py_loader;

typedef struct ridge_py_limits {
    uint64_t steps; /* expressions and statements evaluated */
    size_t bytes;   /* of the arena */
    uint32_t depth; /* of calls */
} ridge_py_limits;
#define RIDGE_PY_LIMITS ((ridge_py_limits){.steps = 200000000, .bytes = (size_t)3000 << 20, .depth = 400})

struct ridge_py_interp {
    ridge_arena *arena;
    ridge_symtab names;
    ridge_algebra algebra;
    ridge_err *err;
    ridge_py_limits limits;
    uint64_t steps;
    uint32_t instances;               /* how many were made */
    struct ridge_py_symbols *symbols; /* what symbols stand for: symbol.c */
    ridge_py_loader loader;
    ridge_py_dict *modules; /* sys.modules: name -> MODULE */
    ridge_py_scope builtins;
    ridge_py_class *classes[RIDGE_PY_T_UNKNOWN + 1]; /* of built-in values, by type: operate.h */
    ridge_py_frame *frame;
    struct ridge_py_machine *machine; /* the interpreter's own: machine.h */
    ridge_py raised;                  /* the exception on its way: an INSTANCE */
    ridge_condition *conditions;      /* each once */
    size_t condition_count, condition_cap;
    ridge_symtab *asked;     /* their texts: ask.c */
    ridge_py_asks *withheld; /* where conditions go that matter only if what is being computed is read; NULL: they are written down */
    const struct ridge_answers *answers; /* who fills holes (question.h), or NULL */
    const ridge_hole **holes;            /* each place once */
    size_t hole_count, hole_cap;
    /* hooks of learn/torch, set by ridge_torch_install; what the language asks of tensors */
    const struct ridge_py_tensor_hooks *tensors;
    const struct ridge_json *operators; /* entries that stand in the place of the built-in ones: learn/torch/operator.h; NULL: none do */
    void *run;                          /* the derivation's own: learn/torch/run.h */
};

/* what operators do where one side is a tensor (or a parameter); NULL `tensors`: there are none */
typedef struct ridge_py_tensor_hooks {
    ridge_status (*binary)(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, bool in_place, ridge_py_interp *in);
    ridge_status (*unary)(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py_interp *in);
    ridge_status (*get)(ridge_py *out, ridge_py tensor, const ridge_symbol *name, ridge_py_interp *in); /* attribute; UNSET: none */
    ridge_status (*set)(ridge_py tensor, const ridge_symbol *name, ridge_py value, ridge_py_interp *in);
    ridge_status (*get_item)(ridge_py *out, ridge_py tensor, ridge_py index, ridge_py_interp *in);
    ridge_status (*set_item)(ridge_py tensor, ridge_py index, ridge_py value, ridge_py_interp *in);
    ridge_status (*length)(ridge_py *out, ridge_py tensor, ridge_py_interp *in);
    ridge_status (*truth)(ridge_py *out, ridge_py tensor, ridge_py_interp *in);                        /* a BOOL or UNKNOWN */
    ridge_status (*iterate)(ridge_py *out, ridge_py tensor, ridge_py_interp *in);                      /* a LIST of tensors */
    ridge_status (*number)(ridge_py *out, ridge_py tensor, ridge_py_type wanted, ridge_py_interp *in); /* int(t), float(t), t as an index */
    ridge_status (*skipped)(ridge_py unknown, ridge_py_interp *in); /* code did not run, for nobody knows whether or how often it would */
} ridge_py_tensor_hooks;

ridge_status ridge_py_init(ridge_py_interp *in, ridge_py_loader loader, ridge_arena *arena, ridge_err *err); /* with built-ins */

/* ---- what the interpreter does, for natives ---- */
const ridge_symbol *ridge_py_symbol(ridge_py_interp *in, const char *text);         /* interned; NULL when memory runs out */
ridge_status ridge_py_import(ridge_py *out, const char *name, ridge_py_interp *in); /* MODULE, its body run once */
ridge_status ridge_py_call_value(ridge_py *out, ridge_py callee, const ridge_py *args, size_t count, const ridge_py_keyword *keywords,
                                 size_t keyword_count, ridge_py_interp *in);
ridge_status ridge_py_call_method(ridge_py *out, ridge_py self, const char *name, const ridge_py *args, size_t count, ridge_py_interp *in);
ridge_status ridge_py_get(ridge_py *out, ridge_py object, const ridge_symbol *name, ridge_py_interp *in);  /* raises AttributeError */
ridge_status ridge_py_find(ridge_py *out, ridge_py object, const ridge_symbol *name, ridge_py_interp *in); /* UNSET where there is none */
ridge_status ridge_py_getz(ridge_py *out, ridge_py object, const char *name, ridge_py_interp *in);
ridge_status ridge_py_set(ridge_py object, const ridge_symbol *name, ridge_py value, ridge_py_interp *in);
ridge_status ridge_py_setz(ridge_py object, const char *name, ridge_py value, ridge_py_interp *in);
ridge_status ridge_py_get_item(ridge_py *out, ridge_py object, ridge_py index, ridge_py_interp *in);
ridge_status ridge_py_set_item(ridge_py object, ridge_py index, ridge_py value, ridge_py_interp *in);
ridge_status ridge_py_binary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, ridge_py_interp *in); /* also comparisons */
ridge_status ridge_py_unary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py_interp *in);
ridge_status ridge_py_iterate(ridge_py *out, ridge_py object, ridge_py_interp *in); /* an ITERATOR */
ridge_status ridge_py_next(ridge_py *out, bool *done, ridge_py iterator, ridge_py_interp *in);
ridge_status ridge_py_collect(ridge_py *out, ridge_py_type tuple_or_list, ridge_py object, ridge_py_interp *in); /* of any iterable */
ridge_status ridge_py_length(ridge_py *out, ridge_py object, ridge_py_interp *in);
ridge_status ridge_py_to_str(ridge_py *out, ridge_py object, bool repr, ridge_py_interp *in);
bool ridge_py_is_instance(ridge_py object, const ridge_py_class *class);
bool ridge_py_is_subclass(const ridge_py_class *class, const ridge_py_class *of);
bool ridge_py_same(ridge_py a, ridge_py b);                                          /* `is` */
ridge_status ridge_py_equal(bool *out, ridge_py a, ridge_py b, ridge_py_interp *in); /* concrete, asks nothing: keys of dicts, caches */
ridge_status ridge_py_hash(uint64_t *out, ridge_py v, ridge_py_interp *in);
const char *ridge_py_type_text(ridge_py v); /* "int", "LlamaModel", for messages */

/* Python's truth with the concrete values. Where it depends on symbols or origins, the condition is written down. UNKNOWN: a hole is, and
 * the branch is the one in which less happens: false. */
ridge_status ridge_py_truth(bool *out, ridge_py v, ridge_py_interp *in);
/* the same as a value: a BOOL that keeps its symbols (`not x`, bool(x)), or UNKNOWN */
ridge_status ridge_py_truth_value(ridge_py *out, ridge_py v, ridge_py_interp *in);
/* Its concrete number, which is used as such: that it is this number is written down as a condition. Raises TypeError where it is none. */
ridge_status ridge_py_concrete(int64_t *out, ridge_py v, ridge_py_interp *in);
ridge_status ridge_py_ask(bool holds, const ridge_poly *sym, const char *text, ridge_py_interp *in); /* writes a condition down */

/* ---- symbols ---- */
/* A number from outside: name is a formula ("config.hidden_size", "B"), which names it. least: what it is at least. */
ridge_status ridge_py_named_int(ridge_py *out, int64_t value, const char *name, int64_t least, ridge_py_interp *in);
ridge_status ridge_py_named_float(ridge_py *out, double value, const char *name, ridge_py_interp *in);
ridge_status ridge_py_named_bool(ridge_py *out, bool value, const char *name, ridge_py_interp *in);
/* the polynomial of a BOOL or INT (constants, too); NULL when memory runs out or it is no number */
const ridge_poly *ridge_py_poly(ridge_py v, ridge_py_interp *in);
/* the formula that gives a value (prints the polynomial; a constant as a literal); NULL where none can be written */
const char *ridge_py_formula(ridge_py v, ridge_py_interp *in);

/* ---- exceptions and holes ---- */
/* raises a built-in exception: ridge_py_raise(in, "ValueError", "...") ; always returns RIDGE_PY_RAISED or NOMEM */
ridge_status ridge_py_raise(ridge_py_interp *in, const char *class, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
ridge_status ridge_py_raise_key(ridge_py_interp *in, ridge_py key); /* KeyError(key) */
/* turns the exception on its way into an error of the run: "ValueError: ..." with its place; any other status is left as it is */
ridge_status ridge_py_uncaught(ridge_status st, ridge_py_interp *in);
/* a new UNKNOWN; the place and the chain are those of the frames */
ridge_status ridge_py_unknown(ridge_py *out, const char *kind, const char *what, const char *known, const char *help, ridge_py_interp *in);
/* the same, but it is shown only once it matters: a real number out of a tensor is often read and never used */
ridge_status ridge_py_unknown_later(ridge_py *out, const char *kind, const char *what, const char *known, const char *help,
                                    ridge_py_interp *in);
ridge_status ridge_py_matters(ridge_py v, ridge_py_interp *in); /* v UNKNOWN: its hole is shown from now on */
/* nothing depends on the holes from this one on but the numbers that are missing for them */
void ridge_py_holes_drop(size_t from, ridge_py_interp *in);
/* "Class.function (file.py:12)" of each frame, outermost first */
ridge_status ridge_py_chain(const char *const **out, size_t *count, ridge_py_interp *in);

/* ---- natives ---- */
/* Sorts a call into values in the order of `call->function->parameters` (defaults: numbers, None, True, False, 'text'). Raises TypeError as
 * Python does. *args of the declaration is a TUPLE, **kwargs a DICT. */
ridge_status ridge_py_bind(ridge_py *values, size_t count, const ridge_py_call *call, ridge_py_interp *in);
typedef struct ridge_py_native_entry {
    const char *name;
    ridge_py_native_call *call;
    const char *parameters;
} ridge_py_native_entry;
/* a native module of these functions; `more` as ridge_py_module.attribute, may be NULL. Registered under its name. */
ridge_status ridge_py_native_module(ridge_py_module **out, const char *name, const ridge_py_native_entry *entries, size_t count,
                                    ridge_py_interp *in);
ridge_status ridge_py_native_class(ridge_py_class **out, const char *name, ridge_py_class *const *bases, size_t base_count,
                                   const ridge_py_native_entry *methods, size_t count, ridge_py_interp *in);
ridge_status ridge_py_native_function(ridge_py *out, const char *name, ridge_py_native_call *call, const char *parameters, const void *data,
                                      ridge_py_interp *in);

#endif
