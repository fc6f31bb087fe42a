/* Batches of exact integers in two widths. */
#include "predict/counts_lanes_tmpl.h"

#undef COUNT
#undef RUN
#undef RIDGE_NAME
#define COUNT            ridge_int
#define RUN              ridge_counts_run_wide
#define RIDGE_NAME(name) wide_##name
#include "predict/counts_lanes_tmpl.h"
