/* folder.h - a folder of files, written whole or not at all.
 * In: a path and its files. Out: the folder holds these files and no others. It may be missing, empty, or one that was written like this
 * before and holds nothing else since; anything else is refused (NAME) and stays as it is. A kill at any moment leaves the old or the
 * new one; what a killed writer has left beside it goes with the next one of the same folder. */
#ifndef RIDGE_GENERATE_FOLDER_H
#define RIDGE_GENERATE_FOLDER_H

#include "base/file.h"

ridge_status ridge_folder_write(const char *path, const ridge_file_text *files, size_t count, ridge_arena *arena, ridge_err *err);

#endif
