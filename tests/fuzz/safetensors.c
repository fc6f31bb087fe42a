/* safetensors.c - fuzzes the reader of safetensors files. An input is a file, or, where it begins with '{', the header of one: then it gets
 * its length in front and as many bytes behind as the largest number in it that is small says. */
#include "weights.h"

enum { DATA_MOST = 4096 };

static size_t data_size(ridge_str text)
{
    size_t most = 0;
    for (size_t i = 0, number = 0; i < text.n; i++) {
        number = ridge_is_digit(text.p[i]) && number <= DATA_MOST ? number * 10 + (size_t)(text.p[i] - '0') : 0;
        most = number <= DATA_MOST && number > most ? number : most;
    }
    return most;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ridge_str text = {(const char *)data, size};
    if (!size || data[0] != '{') {
        fuzz_weights(text);
        return 0;
    }
    const size_t behind = data_size(text);
    char *file = calloc(1, 8 + size + behind);
    FUZZ_CHECK(file != NULL);
    for (size_t i = 0; i < 8; i++)
        file[i] = (char)(unsigned char)(size >> (8 * i));
    memcpy(file + 8, data, size);
    fuzz_weights((ridge_str){file, 8 + size + behind});
    free(file);
    return 0;
}
