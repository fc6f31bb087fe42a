/* validate.h - what Ridge says of a class, held against the user's own PyTorch on small configurations.
 * In: a class or a model, where its source is, a Python that has torch. Out: the cases that were run there, each with the rows that differ:
 * module tree, classes, parameters, FLOPs per module. Ours are the catalog's where it knows the class, else they are derived from the source.
 * Owned by the arena. Fails where there is no Python, no torch, or no case that PyTorch runs. */
#ifndef RIDGE_LEARN_VALIDATE_VALIDATE_H
#define RIDGE_LEARN_VALIDATE_VALIDATE_H

#include "catalog/registry.h"
#include "report/record.h"

typedef struct ridge_validate_request {
    const char *what, *class_name, *source, *arguments, *inputs; /* as ridge_derive_request has them */
    const char *python; /* the program */
    int64_t cases, seed;
    bool derived; /* derive, whatever the catalog knows */
} ridge_validate_request;

typedef struct ridge_validate_difference {
    const char *path, *what; /* "" is the model; "class", "parameters", "FLOPs", "module" */
    const char *ours, *theirs; /* NULL: it has none */
} ridge_validate_difference;

typedef struct ridge_validate_case {
    const char *config;   /* JSON: of the config, or the arguments */
    const char *workload; /* JSON */
    const char *skipped;  /* why PyTorch did not run it; NULL: it did */
    const char *failed;   /* why we did not */
    ridge_int modules, parameters, flops; /* theirs; -1 where it was skipped */
    ridge_validate_difference *differences;
    size_t difference_count, difference_cap; /* RIDGE_VALIDATE_DIFFERENCES at most are kept */
    size_t differing;
} ridge_validate_case;
enum { RIDGE_VALIDATE_DIFFERENCES = 100 };

typedef struct ridge_validate_answer {
    const char *class_path;
    bool validated;
    const char *status;    /* "validated", "failed" */
    const char *by;        /* "the catalog", "the source": where our numbers come from */
    const char *validator; /* "torch 2.6.0, transformers 4.57.0, Python 3.11.2" */
    const char *date;
    const char *kept; /* the file that says so of the catalog's entry; NULL: none does */
    ridge_validate_case *cases;
    size_t count, cap, ran, skipped;
} ridge_validate_answer;

ridge_status ridge_validate_make(ridge_validate_answer *out, ridge_registry *registry, const ridge_validate_request *request, ridge_arena *arena,
                                 ridge_err *err);
/* What was found is what the catalog's entry of the class says from now on (catalog/verdict.h); of a class that it does not know, nothing is
 * kept. */
ridge_status ridge_validate_keep(ridge_validate_answer *answer, ridge_registry *registry, ridge_arena *arena, ridge_err *err);
extern const ridge_record ridge_validate_record, ridge_validate_difference_record;
void ridge_validate_text(ridge_buf *out, const ridge_validate_answer *answer, ridge_arena *arena);

/* ---- its parts ---- */
/* a module as one side has it */
typedef struct ridge_validate_module {
    const char *path, *class_path;
    ridge_int parameters; /* its own */
    ridge_int flops;      /* of matrix products and attention, inclusive; -1: it is not called, or not known */
} ridge_validate_module;
typedef struct ridge_validate_side {
    ridge_validate_module *modules;
    size_t count;
} ridge_validate_side;
/* a length of the case: B, S or D; RIDGE_UNSET: it has none */
int64_t ridge_validate_length(const ridge_json *of, const char *name);
/* ours, for a config or arguments and lengths {B, S, D} as the case has them */
ridge_status ridge_validate_from_catalog(ridge_validate_side *out, ridge_registry *registry, const ridge_validate_request *request, const ridge_json *of,
                                         ridge_arena *arena, ridge_err *err);
ridge_status ridge_validate_from_source(ridge_validate_side *out, const ridge_validate_request *request, const ridge_json *of, const ridge_json *inputs,
                                        ridge_arena *arena, ridge_err *err);
ridge_status ridge_validate_compare(ridge_validate_case *out, const ridge_validate_side *ours, const ridge_validate_side *theirs, ridge_arena *arena,
                                    ridge_err *err);

#endif
