/* content_parts.h - what content.c and content_write.c share: a tensor's own elements, not those that it sees through its storage's owner.
 */
#ifndef RIDGE_LEARN_TORCH_CONTENT_PARTS_H
#define RIDGE_LEARN_TORCH_CONTENT_PARTS_H

#include "learn/torch/content.h"

bool ridge_content_has_own(const ridge_tensor *t); /* and not written over since */
/* its `count` own elements in order; NULL where they are not known */
ridge_status ridge_content_own_values(const ridge_py **out, const ridge_tensor *t, size_t count, ridge_py_interp *in);

#endif
