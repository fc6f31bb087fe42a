/* format.h - how texts are put together; private to learn/python and learn/library.
 * A text that is made of values with symbols or an origin has as its origin the conditions under which it is this text: "=config.n == 4".
 */
#ifndef RIDGE_LEARN_PYTHON_FORMAT_H
#define RIDGE_LEARN_PYTHON_FORMAT_H

#include "learn/python/number.h"

/* the conditions so far and those of v; NULL: none */
const char *ridge_py_text_origin(const char *so_far, ridge_py v, ridge_py_interp *in);
ridge_status ridge_py_percent(ridge_py *out, ridge_py text, ridge_py args, ridge_py_interp *in); /* text % args */
ridge_status ridge_py_str_format(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in); /* text.format(...): args[0] is the text */

#endif
