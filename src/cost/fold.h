/* fold.h - how equal modules become one row; private to the cost folder (rows.c, kernels.c). */
#ifndef RIDGE_COST_FOLD_H
#define RIDGE_COST_FOLD_H

#include "cost/kernels.h"

/* equal modules a row stands for: how many, and how often they are called in a pass, all together */
typedef struct ridge_fold_member {
    const ridge_node *node;
    ridge_int places;
    ridge_value calls; /* INT, or SYM in symbolic runs */
    int flop_class;    /* of the components above it; -1: none */
    ridge_role role;   /* as ridge_row has them */
    ridge_split_way split;
    bool element;
    bool dropped;      /* its traffic is a fused kernel's */
    bool called;       /* has a row of its own */
    ridge_int experts; /* pooled experts that it or a module above stands for; 0: none */
    ridge_value routed, per_token;
    const ridge_node *rowless; /* of a pooled expert: what it is without rows */
} ridge_fold_member;

typedef struct ridge_fold_group {
    ridge_fold_member *p;
    size_t n, cap;
} ridge_fold_group;

typedef struct ridge_folder {
    ridge_rows *rows;
    ridge_kernels *kernels; /* NULL: rows of modules alone */
    ridge_coster *coster;
    ridge_arena *arena;
    ridge_err *err;
    bool all;
} ridge_folder;

/* kernels: NULL for rows of modules alone */
ridge_status ridge_rows_fold(ridge_rows *rows, ridge_kernels *kernels, ridge_coster *coster, const ridge_node *root, bool all);

/* the role of a child: the component's, its own, or that of the module above it */
ridge_role ridge_fold_role(const ridge_fold_member *above, const ridge_child *child);
ridge_split_way ridge_fold_split(const ridge_fold_member *above, const ridge_child *child);
/* a new row below `parent` (UINT32_MAX: none), its cost and counts 0 */
ridge_status ridge_fold_row(ridge_row **out, ridge_folder *folder, ridge_str path, const ridge_node *node, const char *class_name,
                            uint32_t parent, uint32_t depth);
/* "path.name"; {NULL, 0} when memory runs out */
ridge_str ridge_fold_join(ridge_folder *folder, ridge_str path, ridge_str name);
/* the kernels of what the group's modules do themselves, beside the modules in them: attached to row `at` where no module is in
 * them, else in rows of their own below it */
ridge_status ridge_fold_kernels(ridge_folder *folder, const ridge_fold_group *group, ridge_str path, uint32_t at, uint32_t depth);
/* does a fused kernel of the parent do this child's work? */
bool ridge_fold_is_replaced(const ridge_folder *folder, const ridge_node *parent, const ridge_child *child);

#endif
