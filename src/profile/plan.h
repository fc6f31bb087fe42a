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

/* a new component; its index in *at */
ridge_status ridge_profile_add_component(size_t *at, ridge_profile_plan *plan, const char *name, ridge_profile_role role, ridge_int count);
/* a step of the last component, whose `repeat` calls stand for `times` as many: layers */
ridge_status ridge_profile_add_step(ridge_profile_plan *plan, const char *name, const ridge_problem *problem, unsigned repeat,
                                    ridge_int times);
/* y[rows, n] = x[rows, k] W[n, k]^T as a step */
ridge_status ridge_profile_add_product(ridge_profile_plan *plan, const char *name, int64_t rows, int64_t n, int64_t k, ridge_int times);

/* sizes that were not given, from the model or from others; USAGE where they are missing or do not fit together */
ridge_status ridge_profile_complete_shape(ridge_profile *profile, ridge_registry *registry, ridge_err *err);
/* attention or a layer, by profile->shape */
ridge_status ridge_profile_plan_shape(ridge_profile_plan *plan);

/* A model: its rows on a machine. The analyses live until ridge_profile_model_free. */
typedef struct ridge_profile_model {
    ridge_analysis *exact, *timed;
    struct ridge_plan *times;
    struct ridge_predict_request *request;
    size_t *row_of; /* [component] index in timed->rows */
} ridge_profile_model;
ridge_status ridge_profile_plan_model(ridge_profile_model *model, ridge_profile_plan *plan, ridge_registry *registry);
/* predicted times of the components and of the pass, on the measured machine */
ridge_status ridge_profile_predict_model(ridge_profile *profile, ridge_profile_model *model, const ridge_machine *machine, ridge_err *err);
void ridge_profile_model_free(ridge_profile_model *model);

/* --optimize: levels 0 .. request->optimize on the team */
ridge_status ridge_profile_run_levels(ridge_profile *profile, ridge_team *team, double budget_s, ridge_arena *arena, ridge_err *err);
/* the attention of profile->shape as one kernel */
ridge_problem ridge_profile_attention_problem(const ridge_profile *profile);

#endif
