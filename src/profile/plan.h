/* plan.h - what a profile runs: groups of steps, each step a kernel that belongs to a component.
 * In: sizes, or a model's rows. Out: lists in the arena. Internal to src/profile. Fails as ridge_profile_run says. */
#ifndef RIDGE_PROFILE_PLAN_H
#define RIDGE_PROFILE_PLAN_H

#include "profile/profile.h"

typedef struct ridge_profile_step {
    ridge_chain_step step;
    size_t component; /* index in the profile's list */
    ridge_int calls;  /* in the whole model; step.repeat of them are timed in a pass */
} ridge_profile_step;

typedef struct ridge_profile_plan {
    ridge_profile *profile; /* gets components and groups */
    ridge_arena *arena;
    ridge_err *err;
    ridge_profile_step *steps;
    size_t count, cap;
    size_t *group_first; /* [profile->group_count + 1] steps of each group */
} ridge_profile_plan;

/* a new component, the last */
ridge_status ridge_profile_add_component(ridge_profile_plan *plan, const char *name, ridge_profile_role role, ridge_int count);
/* a step of the last component, whose `repeat` calls stand for `times` as many: layers */
ridge_status ridge_profile_add_step(ridge_profile_plan *plan, const char *name, const ridge_problem *problem, unsigned repeat,
                                    ridge_int times);
/* room for so many groups, of which none is there yet */
ridge_status ridge_profile_make_groups(ridge_profile_plan *plan, size_t most);
/* the components and steps that were added since the group before */
void ridge_profile_end_group(ridge_profile_plan *plan, const char *name, ridge_int count);
/* y[rows, n] = x[rows, k] W[n, k]^T */
ridge_problem ridge_profile_product(const ridge_profile *profile, int64_t rows, int64_t n, int64_t k, const ridge_format *weights);
/* an operation on each of [rows, cols] */
ridge_problem ridge_profile_table(const ridge_profile *profile, ridge_kernel_kind kind, int64_t rows, int64_t cols);

/* USAGE where sizes are given beside a model whose layers have their own */
ridge_status ridge_profile_check_sizes(const ridge_profile_request *request, ridge_err *err);
/* USAGE where sizes are missing or do not fit together; those that follow from others are filled in */
ridge_status ridge_profile_complete_shape(ridge_profile *profile, ridge_err *err);
/* attention or a layer, by the request's shape */
ridge_status ridge_profile_plan_shape(ridge_profile_plan *plan);

/* A model's rows and the kernels that the catalog has for them; lives until ridge_profile_model_free. */
typedef struct ridge_profile_model {
    ridge_analysis *exact, *timed;
    struct ridge_plan *times;
    struct ridge_predict_request *request;
    uint32_t *row_of; /* [component] index in timed->rows */
} ridge_profile_model;
ridge_status ridge_profile_model_open(ridge_profile_model *model, const ridge_profile_request *request, ridge_registry *registry,
                                      ridge_arena *arena, ridge_err *err);
void ridge_profile_model_free(ridge_profile_model *model);
/* Sizes of the layer that the model has most of; those that the shape has stay. UNKNOWN, naming rows, where no kernel runs its attention.
 */
ridge_status ridge_profile_model_shape(ridge_profile_shape *shape, ridge_profile_model *model, ridge_profile_plan *plan);
/* all rows; those that no kernel runs are left out */
ridge_status ridge_profile_plan_model(ridge_profile_model *model, ridge_profile_plan *plan);
/* those of the layer that the model has most of, once; UNKNOWN, naming them, where no kernel runs some */
ridge_status ridge_profile_plan_layer(ridge_profile_model *model, ridge_profile_plan *plan);
/* predicted times of the components and of the pass, on the measured machine */
ridge_status ridge_profile_predict_model(ridge_profile *profile, ridge_profile_model *model, const ridge_machine *machine, ridge_err *err);

/* levels 0 .. request.optimize on the team */
ridge_status ridge_profile_run_levels(ridge_profile *profile, ridge_team *team, double budget_s, ridge_arena *arena, ridge_err *err);
/* the attention of the request's shape as one kernel */
ridge_problem ridge_profile_attention_problem(const ridge_profile *profile);

#endif
