/* machine.h - what the files of the interpreter share: evaluation of expressions and statements, calls, classes, generators.
 * In: nodes of syntax.h, evaluated in `in->frame`. Out: values; statements also say how they were left (ridge_py_flow).
 * Everything lives in the run's arena. Fails as interp.h says: RIDGE_PY_RAISED is an exception of Python. */
#ifndef RIDGE_LEARN_PYTHON_MACHINE_H
#define RIDGE_LEARN_PYTHON_MACHINE_H

#include "learn/python/interp.h"
#include "learn/python/operate.h"

/* names that the language itself knows */
// clang-format off
#define RIDGE_PY_SPECIAL_LIST(X)                                                                                                            \
    X(INIT, "__init__") X(NEW, "__new__") X(CALL, "__call__") X(PREPARE, "__prepare__")                                                     \
    X(GETATTR, "__getattr__") X(GETATTRIBUTE, "__getattribute__") X(SETATTR, "__setattr__") X(DELATTR, "__delattr__")                       \
    X(GET, "__get__") X(SET, "__set__") X(SET_NAME, "__set_name__") X(INIT_SUBCLASS, "__init_subclass__")                                   \
    X(GETITEM, "__getitem__") X(SETITEM, "__setitem__") X(DELITEM, "__delitem__") X(CONTAINS, "__contains__") X(MISSING, "__missing__")     \
    X(CLASS_GETITEM, "__class_getitem__") X(MRO_ENTRIES, "__mro_entries__")                                                                 \
    X(ENTER, "__enter__") X(EXIT, "__exit__") X(LEN, "__len__") X(ITER, "__iter__") X(BOOL, "__bool__") X(INDEX, "__index__")               \
    X(CLASS, "__class__") X(DICT, "__dict__") X(NAME, "__name__") X(QUALNAME, "__qualname__") X(MODULE, "__module__") X(DOC, "__doc__")     \
    X(MRO, "__mro__") X(MRO_METHOD, "mro") X(BASES, "__bases__") X(BASE, "__base__") X(ANNOTATIONS, "__annotations__")                      \
    X(SUBCLASSES, "__subclasses__") X(SELF, "__self__") X(FUNC, "__func__") X(WRAPPED, "__wrapped__") X(DEFAULTS, "__defaults__")           \
    X(CODE, "__code__") X(PATH, "__path__") X(FILE, "__file__") X(PACKAGE, "__package__") X(SPEC, "__spec__") X(ALL, "__all__")             \
    X(ARGS, "args") X(CAUSE, "__cause__") X(CONTEXT, "__context__") X(TRACEBACK, "__traceback__") X(CLASSCELL, "__classcell__")             \
    X(MATCH_ARGS, "__match_args__") X(GEN, "gen") X(FGET, "fget") X(FSET, "fset") X(SETTER, "setter") X(GETTER, "getter")                   \
    X(DELETER, "deleter") X(UNDERSCORE, "_") X(HASH, "__hash__") X(EQ, "__eq__") X(STR, "__str__") X(REPR, "__repr__") X(VALUE, "value")    \
    X(METACLASS, "metaclass") X(WEAKREF, "__weakref__") X(SLOTS, "__slots__") X(ABSTRACT, "__isabstractmethod__") X(GLOBALS, "__globals__")
// clang-format on

typedef enum ridge_py_special {
#define X(code, text) RIDGE_PY_S_##code,
    RIDGE_PY_SPECIAL_LIST(X)
#undef X
        RIDGE_PY_SPECIAL_COUNT
} ridge_py_special;

enum { RIDGE_PY_METHOD_CACHE = 2048, RIDGE_PY_OPERATORS = RIDGE_PY_OP_INVERT + 1 };

typedef struct ridge_py_method_slot {
    const ridge_py_class *class;
    const ridge_symbol *name;
    const ridge_py *value; /* NULL: no class along its order has it */
    const ridge_py_class *where;
    uint32_t version;
} ridge_py_method_slot;

typedef struct ridge_py_literal {
    const ridge_py_node *node;
    ridge_py value;
} ridge_py_literal;

struct ridge_py_machine {
    const ridge_symbol *special[RIDGE_PY_SPECIAL_COUNT];
    const ridge_symbol *method[RIDGE_PY_OPERATORS], *reflected[RIDGE_PY_OPERATORS], *in_place[RIDGE_PY_OPERATORS];
    ridge_py_cell *free_cells; /* of calls that nothing closes over, by `outer` */
    const char *stack;         /* where the outermost call of the interpreter stands in C's stack */
    ridge_py handled;          /* what an `except` is dealing with, for a bare raise */
    const char *raised_file;   /* where in->raised comes from */
    uint32_t raised_line;
    const char *asked_file; /* of a stand-in: the line of the model that called it; or NULL */
    uint32_t asked_line;
    uint32_t version;                                  /* of all classes' attributes */
    ridge_py_method_slot cache[RIDGE_PY_METHOD_CACHE]; /* where attributes of classes were found */
    ridge_py_literal *literals;                        /* [literal_cap], by node: texts and large numbers are made once */
    uint32_t literal_cap, literal_count;
    struct ridge_py_signature **signatures; /* [signature_cap], of functions in C, by their text: native.c */
    uint32_t signature_cap, signature_count;
    ridge_py_class *super, *exception;
};

#define RIDGE_PY_S(in, code) ((in)->machine->special[RIDGE_PY_S_##code])

typedef enum ridge_py_flow { RIDGE_PY_NEXT, RIDGE_PY_BREAK_LOOP, RIDGE_PY_CONTINUE_LOOP, RIDGE_PY_RETURNED } ridge_py_flow;

/* ---- interp.c ---- */
/* one step more: fails on limits of steps, memory and C's stack */
ridge_status ridge_py_step(ridge_py_interp *in);
ridge_status ridge_py_machine_init(ridge_py_interp *in);
static inline const char *ridge_py_file(const ridge_py_frame *frame)
{
    return frame && frame->module ? (frame->module->path ? frame->module->path : frame->module->name) : NULL;
}
/* gives an error of the run its place and the calls that led there, once */
ridge_status ridge_py_place(ridge_status st, uint32_t line, ridge_py_interp *in);
/* "x + 1", as the source has it, at most 80 characters */
const char *ridge_py_source(const ridge_py_node *node, ridge_py_interp *in);

/* ---- expression.c ---- */
ridge_status ridge_py_eval(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in);
ridge_status ridge_py_eval_truth(bool *out, bool *unknown, ridge_py *value, const ridge_py_node *node, ridge_py_interp *in);
ridge_py *ridge_py_lookup(const ridge_symbol *name, ridge_py_interp *in); /* NULL: nowhere */
ridge_status ridge_py_bind_name(const ridge_symbol *name, ridge_py value, ridge_py_interp *in);
/* items of a display, STAR unpacked, into a list */
ridge_status ridge_py_eval_items(ridge_py_list *list, const ridge_py_node *node, ridge_py_interp *in);

/* ---- dispatch.c ---- */
ridge_status ridge_py_operate(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, bool in_place, ridge_py_interp *in);
ridge_status ridge_py_del_item(ridge_py object, ridge_py index, ridge_py_interp *in);
/* a method of the class, not looking at the instance; false: there is none (those of object and built-in types do not count) */
bool ridge_py_special_method(ridge_py *out, ridge_py object, const ridge_symbol *name, ridge_py_interp *in);
ridge_status ridge_py_call_special(ridge_py *out, ridge_py method, ridge_py self, const ridge_py *args, size_t count, ridge_py_interp *in);

/* ---- attribute.c ---- */
const ridge_py *ridge_py_class_find(const ridge_py_class **where, const ridge_py_class *class, const ridge_symbol *name,
                                    ridge_py_interp *in);
/* as an attribute of an instance or class: functions bound, properties asked. self UNSET: of the class itself */
ridge_status ridge_py_bind_attribute(ridge_py *out, ridge_py value, ridge_py self, ridge_py_class *class, const ridge_py_class *where,
                                     ridge_py_interp *in);
ridge_status ridge_py_bound(ridge_py *out, ridge_py function, ridge_py self, ridge_py_interp *in); /* METHOD */
ridge_status ridge_py_function_attribute(ridge_py *out, ridge_py function, const ridge_symbol *name,
                                         ridge_py_interp *in); /* attribute_of.c */
ridge_status ridge_py_class_attribute(ridge_py *out, ridge_py_class *class, const ridge_symbol *name, ridge_py_interp *in);
ridge_status ridge_py_module_attribute(ridge_py *out, ridge_py_module *module, const ridge_symbol *name, ridge_py_interp *in);
/* what object.__getattribute__ and object.__setattr__ do */
ridge_status ridge_py_find_plain(ridge_py *out, ridge_py object, const ridge_symbol *name, ridge_py_interp *in);
ridge_status ridge_py_set_plain(ridge_py object, const ridge_symbol *name, ridge_py value, ridge_py_interp *in);
ridge_status ridge_py_delete(ridge_py object, const ridge_symbol *name, ridge_py_interp *in);
/* a method without making a bound one: *self is UNSET where *out is called as it is */
ridge_status ridge_py_find_method(ridge_py *out, ridge_py *self, ridge_py object, const ridge_symbol *name, ridge_py_interp *in);
ridge_status ridge_py_symbol_of(const ridge_symbol **out, ridge_py text, ridge_py_interp *in);
ridge_status ridge_py_scope_dict(ridge_py *out, const ridge_py_scope *scope, ridge_py_interp *in);

/* ---- call.c ---- */
ridge_status ridge_py_eval_call(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in);
/* self UNSET: none */
ridge_status ridge_py_call_with(ridge_py *out, ridge_py callee, ridge_py self, const ridge_py_call *call, ridge_py_interp *in);
ridge_status ridge_py_make_function(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in);
/* positional and keyword arguments of a CALL node or of a class's bases; arrays of the arena or of `room` */
ridge_status ridge_py_eval_arguments(ridge_py_list *args, ridge_py_keyword **keywords, size_t *keyword_count, const ridge_py_node *node,
                                     ridge_py_interp *in);
ridge_status ridge_py_new_cell(ridge_py_cell **out, ridge_py_cell *outer, ridge_py_interp *in);
void ridge_py_free_cell(ridge_py_cell *cell, ridge_py_interp *in);

/* ---- class.c ---- */
ridge_status ridge_py_define_class(const ridge_py_node *node, ridge_py_interp *in);
ridge_status ridge_py_new_class(ridge_py_class **out, const ridge_symbol *name, ridge_py_class *const *bases, size_t base_count,
                                const ridge_py_class *meta, ridge_py_interp *in);
ridge_status ridge_py_instantiate(ridge_py *out, ridge_py_class *class, const ridge_py_call *call, ridge_py_interp *in);
ridge_status ridge_py_type_new(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in); /* type(x), type(name, bases, namespace) */
ridge_status ridge_py_classes_install(ridge_py_interp *in); /* object, type, super, property and their methods */

/* ---- statement.c ---- */
ridge_status ridge_py_run_block(ridge_py_flow *flow, const ridge_py_node *block, ridge_py_interp *in);
ridge_status ridge_py_run_module(ridge_py_module *module, ridge_py_interp *in);
ridge_status ridge_py_assign(const ridge_py_node *target, ridge_py value, ridge_py_interp *in);
/* every name (and attribute of a name) that is bound in `node` becomes `unknown` */
ridge_status ridge_py_assign_unknown(const ridge_py_node *node, ridge_py unknown, ridge_py_interp *in);

/* ---- flow.c: with, try, for ---- */
ridge_status ridge_py_run_for(ridge_py_flow *flow, const ridge_py_node *node, ridge_py_interp *in);
ridge_status ridge_py_run_while(ridge_py_flow *flow, const ridge_py_node *node, ridge_py_interp *in);
ridge_status ridge_py_run_try(ridge_py_flow *flow, const ridge_py_node *node, ridge_py_interp *in);
ridge_status ridge_py_run_with(ridge_py_flow *flow, const ridge_py_node *node, ridge_py_interp *in);

/* ---- pattern.c ---- */
ridge_status ridge_py_run_match(ridge_py_flow *flow, const ridge_py_node *node, ridge_py_interp *in);

/* ---- comprehension.c: comprehensions and generators ---- */
ridge_status ridge_py_eval_comprehension(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in);
ridge_status ridge_py_eval_yield(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in);
/* a generator function was called: its body runs when the first value is asked for */
ridge_status ridge_py_new_generator(ridge_py *out, const ridge_py_frame *frame, ridge_py_interp *in);
/* what a `with` does at the yield of a generator that contextlib.contextmanager made */
typedef struct ridge_py_on_yield {
    ridge_status (*run)(void *state, ridge_py value, ridge_py_interp *in);
    void *state;
} ridge_py_on_yield;
/* true where v is a generator that has not run */
bool ridge_py_is_fresh_generator(ridge_py v);
ridge_status ridge_py_run_generator(ridge_py generator, const ridge_py_on_yield *on_yield, ridge_py_interp *in);

/* ---- exception.c ---- */
ridge_status ridge_py_exceptions_install(ridge_py_interp *in);
ridge_status ridge_py_raise_value(ridge_py value, ridge_py_interp *in); /* a class or an instance */
ridge_status ridge_py_matches(bool *out, ridge_py exception, ridge_py types, ridge_py_interp *in);

/* ---- import.c ---- */
ridge_status ridge_py_run_import(const ridge_py_node *node, ridge_py_interp *in);
ridge_status ridge_py_run_from(const ridge_py_node *node, ridge_py_interp *in);

#endif
