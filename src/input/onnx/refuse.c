#include <inttypes.h>

#include "input/onnx/parts.h"

/* what stands in the place of ONNX files, by bytes from `at` on */
static const struct {
    unsigned at;
    const char *magic;
    const char *what;
} others[] = {
    {0, "version https://git-lfs", "a pointer of Git LFS, not the file itself: 'git lfs pull' brings it"},
    {0, "<!DOCTYPE", "a web page: the download went wrong"},
    {0, "<!doctype", "a web page: the download went wrong"},
    {0, "<html", "a web page: the download went wrong"},
    {0, "<?xml", "XML, as OpenVINO's models have it, which is not read"},
    {4, "ORTM", "a model in ONNX Runtime's own format (.ort), which is not read; the .onnx file that it was made of is"},
    {4, "TFL3", "a model of TensorFlow Lite, which is not read"},
    {0, "ftrt", "an engine of TensorRT, made for one GPU, which is not read; the .onnx file that it was made of is"},
    {0, "ptrt", "an engine of TensorRT, made for one GPU, which is not read; the .onnx file that it was made of is"},
    {0, "ir_version", "ONNX as text, which is not read: onnx.load and onnx.save turn it into a file of protobuf"},
    {0, "{", "JSON, and ONNX as JSON is not read: onnx.load and onnx.save turn it into a file of protobuf"},
    {0, "PK\x03\x04", "a zip archive: unpack it first"},
    {0, "\x1f\x8b", "compressed by gzip: unpack it first"},
    {0, "GGUF", "a GGUF, by another name"},
    {0, "\211HDF", "an HDF5 file, which is not read"},
};

static size_t first_letter(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t'))
        i++;
    return i;
}

/* Is the first byte the key of a field that a model has, of its wire type? */
static bool begins_model(unsigned char byte)
{
    return byte == 0x08 || byte == 0x28 || byte == 0x12 || byte == 0x1a || byte == 0x22 || byte == 0x32 || byte == 0x3a || byte == 0x42 ||
           byte == 0x72 || byte == 0xa2 || byte == 0xca || byte == 0xd2;
}

ridge_status ridge_onnx_refuse(ridge_binary *file, ridge_arena *arena, ridge_err *err)
{
    char first[32] = "";
    const size_t n = file->size < sizeof first ? (size_t)file->size : sizeof first;
    ridge_status st = ridge_binary_read(file, first, 0, n, err);
    if (st)
        return st;
    if (!n)
        return ridge_fail(err, RIDGE_SYNTAX, "%s: the file is empty", file->path);
    const size_t from = first_letter(first, n);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const size_t length = strlen(others[i].magic), at = others[i].at ? others[i].at : from;
        if (at + length <= n && memcmp(first + at, others[i].magic, length) == 0)
            return ridge_fail(err, RIDGE_SYNTAX, "%s: %s", file->path, others[i].what);
    }
    if (begins_model((unsigned char)first[0]))
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_SYNTAX,
                      "%s: no ONNX: it begins with '%s', and no field of a model does; it may be encrypted, or another format", file->path,
                      ridge_weight_shown(arena, (ridge_str){first, n < 8 ? n : 8}));
}
