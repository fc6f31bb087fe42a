/* generic.c - elementwise.h's variants in plain C, one lane; they take every problem on every machine. */
#include "kernel/elementwise/body_tmpl.h"

const ridge_kernel_variant ridge_elementwise_generic[RIDGE_ELEMENTWISE_KINDS] = BODY_VARIANTS("generic", 0);
