/* runs.h - a kernel of a model as what runs it here: the steps that the catalog has for it (cost/kernels.h) as problems of kernel.h.
 * In: a row's kernel. Out: problems. Internal to src/profile. Fails as ridge_kernel_runs does, into the error of the analysis. */
#ifndef RIDGE_PROFILE_RUNS_H
#define RIDGE_PROFILE_RUNS_H

#include "profile/plan.h"

typedef struct ridge_profile_run_step {
    ridge_runnable what;
    ridge_profile_role role;
    ridge_problem problem;
    unsigned repeat; /* calls of it: sequences one after the other */
} ridge_profile_run_step;

typedef struct ridge_profile_runs {
    ridge_profile_run_step steps[RIDGE_RUN_STEPS];
    size_t count; /* 0: no kernel here runs it */
} ridge_profile_runs;

ridge_status ridge_profile_runs_of(ridge_profile_runs *out, const ridge_profile *profile, ridge_analysis *analysis,
                                   const ridge_kernel *kernel);

#endif
