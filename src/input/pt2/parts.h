/* parts.h - how an exported program becomes a graph of operators, file by file; private to the folder. */
#ifndef RIDGE_INPUT_PT2_PARTS_H
#define RIDGE_INPUT_PT2_PARTS_H

#include "input/pt2/pt2.h"
#include "input/zip.h"

enum { PT2_SHOWN = 400 /* bytes of a message */ };

/* Where the program and its tensors are in the archive. */
typedef struct pt2_archive {
    ridge_zip zip;
    bool flat;       /* PyTorch 2.1 to 2.7: serialized_exported_program.json; else a folder with models/, data/ */
    ridge_str root;  /* "resnet/" before every name; n == 0: none */
    ridge_str model; /* of models/MODEL.json; n == 0 where it is flat */
} pt2_archive;

/* A program on its way. */
typedef struct pt2_reader {
    ridge_opgraph *out;
    ridge_arena *arena;   /* of what stays */
    ridge_arena *scratch; /* of the JSON, and of what else is needed on the way */
    ridge_err *err;
    pt2_archive archive;
    const char *json_path; /* "PATH (models/model.json)": what line and column of a message are of */
    ridge_symtab texts;    /* in the arena: a name that stays stands there once */
    size_t value_cap, body_cap, symbol_cap, module_cap, weight_cap;
    ridge_symtab hint_names; /* of symbols, and their numbers */
    int64_t *hints;
    size_t hint_cap;
    ridge_symtab modules;   /* paths; a module's number is its place in out->modules */
    ridge_symtab weights;   /* names; the same */
    ridge_str module_stack; /* the last one that was read, and what it was: most nodes have their neighbour's */
    ridge_str module_path, module_class;
    bool *persistent; /* [weights]: it must be among those stored */
    size_t persistent_cap;
} pt2_reader;

/* A list that grows, in scratch. */
typedef struct pt2_ids {
    uint32_t *at;
    size_t count, cap;
} pt2_ids;

/* The names of one graph: its own alone, as those of a branch or a loop's body see nothing of what is round them. */
typedef struct pt2_scope {
    ridge_symtab names; /* a value's number is `first` + the name's */
    uint32_t first;
    bool *made; /* [names.count] */
    unsigned depth;
    pt2_ids inputs, outputs; /* of the node that is read */
    ridge_opgraph_argument *arguments;
    size_t argument_count, argument_cap;
} pt2_scope;

/* ---- common.c ---- */
/* fails at a place of the JSON */
ridge_status pt2_bad(pt2_reader *r, ridge_status code, const ridge_json *at, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* a foreign text as a message shows it */
const char *pt2_shown(pt2_reader *r, ridge_str text);
/* a copy of a text that stays */
ridge_status pt2_keep(ridge_str *out, pt2_reader *r, ridge_str text);
/* a member of this name and type; TYPE where it is not there, or another */
ridge_status pt2_member(const ridge_json **out, pt2_reader *r, const ridge_json *object, const char *key, ridge_json_type type);
/* ... a text */
ridge_status pt2_text(ridge_str *out, pt2_reader *r, const ridge_json *object, const char *key);
/* of a union ({"as_int": 3}, or with all its alternatives, the others null): the one that is there */
ridge_status pt2_union(const ridge_json_member **out, pt2_reader *r, const ridge_json *v, const char *what);
/* a whole number of 64 bits */
ridge_status pt2_whole(int64_t *out, pt2_reader *r, const ridge_json *v);
/* a number as JSON or Python has it: 1e-05, NaN, "Infinity" */
ridge_status pt2_real(double *out, pt2_reader *r, const ridge_json *v);
ridge_status pt2_push(pt2_reader *r, pt2_ids *ids, uint32_t id);
/* a copy in the arena */
ridge_status pt2_keep_ids(const uint32_t **out, uint32_t *count, pt2_reader *r, const pt2_ids *ids);

/* ---- archive.c ---- */
ridge_status pt2_find(pt2_archive *out, ridge_binary *file, ridge_arena *scratch, ridge_err *err);
/* the program's JSON; r->json_path is its place from then on */
ridge_status pt2_program(const ridge_json **out, pt2_reader *r);
/* an entry of the archive by its name without the root; NULL: there is none */
const ridge_zip_entry *pt2_entry(pt2_reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
ridge_status pt2_json(const ridge_json **out, pt2_reader *r, const ridge_zip_entry *entry);

/* ---- expression.c ---- */
/* "Add(Symbol('s0', positive=True, integer=True), Integer(1))", as PyTorch writes since 2.7, as "s0 + 1"; what it wrote before stays. */
ridge_status pt2_expression(ridge_str *out, pt2_reader *r, const ridge_json *text);
/* the next name in an expression, function names left out; false: there is none. *at begins at 0 */
bool pt2_next_symbol(ridge_str *name, ridge_str expression, size_t *at);

/* ---- values.c ---- */
/* a name and a number of a dtype's; NULL: there is none of that number or name */
const char *pt2_dtype(const ridge_json *v, const ridge_format **format);
/* all values of a graph, none of them made */
ridge_status pt2_values(pt2_scope *s, pt2_reader *r, const ridge_json *graph);
ridge_status pt2_add_value(uint32_t *id, pt2_reader *r, ridge_opgraph_value value);
/* a value by its name, made already: what a node reads */
ridge_status pt2_value(uint32_t *id, pt2_reader *r, pt2_scope *s, const ridge_json *name);
/* ... that is made here */
ridge_status pt2_make(uint32_t *id, pt2_reader *r, pt2_scope *s, const ridge_json *name);
/* a dimension: {"as_int": 3}, {"as_expr": {...}}, 3 */
ridge_status pt2_dim(ridge_opgraph_dim *out, pt2_reader *r, const ridge_json *v);
/* what a symbol was in the example; -1: not said */
int64_t pt2_hint(const pt2_reader *r, ridge_str name);
/* dtype and sizes of a tensor */
ridge_status pt2_tensor_meta(ridge_opgraph_value *value, pt2_reader *r, const ridge_json *meta);

/* ---- arguments.c ---- */
/* one argument of a node, added to the scope's; the values that it reads to the scope's inputs */
ridge_status pt2_argument(pt2_reader *r, pt2_scope *s, ridge_str name, const ridge_json *v);
/* The values of a list of arguments that is no node's inputs: those of a graph, of a node's outputs. `make`: they are made here; `gaps`:
 * what is no value takes its place as RIDGE_OPGRAPH_NONE. */
ridge_status pt2_ends(pt2_ids *out, pt2_reader *r, pt2_scope *s, const ridge_json *list, bool make, bool gaps);

/* ---- graph.c ---- */
ridge_status pt2_graph(ridge_opgraph_body *out, pt2_scope *s, pt2_reader *r, const ridge_json *graph, unsigned depth);

/* ---- modules.c ---- */
/* path and class of the innermost module of a node's metadata; all of the stack go into the list of modules */
ridge_status pt2_module(ridge_str *path, ridge_str *class_name, pt2_reader *r, const ridge_json *metadata);
ridge_status pt2_module_calls(pt2_reader *r, const ridge_json *graph_module);

/* ---- signature.c ---- */
/* which inputs are parameters, buffers, constants */
ridge_status pt2_signature(pt2_reader *r, pt2_scope *s, const ridge_json *signature);
/* names of the inputs' dimensions */
ridge_status pt2_symbols(pt2_reader *r, const ridge_json *program);

/* ---- weights.c ---- */
/* a row for a value that is a parameter or a buffer */
ridge_status pt2_add_weight(pt2_reader *r, uint32_t value, bool buffer, bool persistent, const ridge_json *at);
/* ... for one that is stored, and that the graph does not have */
ridge_status pt2_add_stored(pt2_reader *r, ridge_str name, const ridge_opgraph_value *value, bool buffer, const ridge_json *at);
/* NULL: there is no row of that name */
ridge_weight *pt2_weight(pt2_reader *r, ridge_str name);
/* The archive's tensors beside the graph's: they agree; where they lie, which share their bytes; small constants' content. */
ridge_status pt2_weights(pt2_reader *r);
/* ---- stored.c: of the layout with data/weights ---- */
ridge_status pt2_stored(pt2_reader *r);

#endif
