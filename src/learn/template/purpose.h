/* purpose.h - what modules are for and how they split over devices, told from the order and the shapes of their matrix products.
 * In: the sketches of a model, merged into those of a run. Out: role, way and heads of each sketch where they are certain, NULL and UNSET
 * elsewhere: what is not said is refused where somebody asks for it. No name of a class or module decides anything. */
#ifndef RIDGE_LEARN_TEMPLATE_PURPOSE_H
#define RIDGE_LEARN_TEMPLATE_PURPOSE_H

#include "learn/template/sketch.h"

ridge_status ridge_purposes_find(const ridge_sketch_run *run, const ridge_calc *calc);

#endif
