/* graph_file.h - the readers of files that hold a graph of operators, in one table.
 * In: a file. Out: its graph, by the reader whose bytes it has; NULL where no reader knows it. To add a reader, add its row. */
#ifndef RIDGE_INPUT_GRAPH_FILE_H
#define RIDGE_INPUT_GRAPH_FILE_H

#include "input/binary.h"
#include "input/opgraph.h"

/* is there a file that one of the readers is for, by its bytes, or by its name alone? */
bool ridge_graph_file_looks(const char *path);
/* *out NULL: it is no such file */
ridge_status ridge_graph_file_read(ridge_opgraph **out, const char *path, ridge_arena *arena, ridge_err *err);

#endif
