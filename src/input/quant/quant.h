/* quant.h - what a config says of its quantised weights: which modules, in which scheme, and the exact bytes of each.
 * In: the quantization_config of a config.json (GPTQ, AWQ, bitsandbytes, fp8, mxfp4, nvfp4, compressed-tensors, modelopt, quark, torchao),
 * or MLX's quantization. Out: schemes and the patterns of the modules they are for, in the arena; the bytes of a matrix with scales and
 * zeros. docs/quantization.md has each layout and its source. Fails (TYPE, VALUE) with line and column on what cannot be; a method that is
 * not known is told as such: `method` then has its name, and no module is quantised. */
#ifndef RIDGE_INPUT_QUANT_QUANT_H
#define RIDGE_INPUT_QUANT_QUANT_H

#include "base/format.h"
#include "base/json.h"

/* How a matrix of `out` rows of `in` columns is stored; sizes in bits. */
typedef struct ridge_scheme {
    const char *name;                   /* "int4_g128", "fp8_e4m3", "nvfp4" */
    const ridge_format *format;         /* that kernels multiply it as */
    const ridge_format *activations;    /* that they quantise the other operand to; NULL: they do not */
    unsigned bits;                      /* of an element */
    unsigned word_bits;                 /* elements are packed into words of so many, in a row (column); 0: rows follow each other */
    int64_t group;                      /* elements of a row that share a scale; 0: all of a row */
    int64_t block_rows;                 /* rows that share it too; 0: one; -1: all rows: one scale */
    bool flat;                          /* groups are of the elements in their order, whatever the rows (bitsandbytes) */
    unsigned scale_bits, zero_bits;     /* of a group; zero_bits are packed into words of word_bits over the rows where that is not 0 */
    unsigned scale_of_scales;           /* groups whose scales share a 32-bit scale (double quantisation); 0: none */
    int64_t column_bytes, module_bytes; /* more per column (GPTQ's g_idx), per matrix (global scales, shapes, tables) */
} ridge_scheme;

/* exact bytes of `copies` such matrices; false: overflow */
bool ridge_scheme_bytes(ridge_int *bytes, const ridge_scheme *scheme, ridge_int copies, ridge_int out, ridge_int in);

/* how a pattern means a module */
typedef enum ridge_quant_match {
    RIDGE_QUANT_PART,   /* the path has this text in it (fp8, AWQ) */
    RIDGE_QUANT_MODULE, /* the path has this run of whole components */
    RIDGE_QUANT_GLOB,   /* fnmatch over the whole path (modelopt, quark) */
    RIDGE_QUANT_REGEX,  /* Python's re.match from the path's beginning (compressed-tensors, mxfp4) */
    RIDGE_QUANT_EXACT   /* the whole path: ridge_quant.exact */
} ridge_quant_match;

typedef struct ridge_quant_rule {
    ridge_quant_match match;
    ridge_str pattern, plain;   /* plain: as ridge_quant_plain has it */
    void *compiled;             /* of a REGEX */
    int64_t layer;              /* it can only mean modules of this layer, by the first number in a path; -1: of any */
    const ridge_scheme *scheme; /* NULL: stays as it is */
} ridge_quant_rule;

/* which kinds of modules a method quantises, beside matrices of Linear */
enum { RIDGE_QUANT_EXPERTS_ONLY = 1, RIDGE_QUANT_EMBEDDINGS = 2, RIDGE_QUANT_IN_LAYERS = 4 };

typedef struct ridge_quant {
    const char *method; /* "gptq", "fp8", ... */
    bool known;
    ridge_quant_rule *exact; /* sorted by their pattern; such a module needs no other rule */
    size_t exact_count;
    ridge_quant_rule *rules; /* the first that matches a module decides */
    size_t rule_count;
    const ridge_scheme *scheme;   /* of the modules that no rule matches; NULL: they stay as they are */
    const ridge_scheme **schemes; /* all, each once */
    size_t scheme_count;
    unsigned kinds;
} ridge_quant;

/* *out is NULL where the config says nothing of it. `root`: an object. file: for messages. */
ridge_status ridge_quant_read(ridge_quant **out, const ridge_json *root, const char *file, ridge_arena *arena, ridge_err *err);
/* A path or a pattern without what files and programs call differently: components "model" are left out, "block_sparse_moe" and "ffn" are
 * "mlp", "self_attn" is "attn". `room` holds as many bytes as the text. */
ridge_str ridge_quant_plain(char *room, ridge_str text);
void ridge_quant_free(ridge_quant *quant); /* what is not in the arena; NULL too */

/* a module's matrix */
typedef struct ridge_quant_module {
    ridge_str path;         /* "model.layers.0.self_attn.q_proj" */
    const char *class_name; /* "torch.nn.modules.linear.Linear" */
    size_t rank;            /* of the weight */
} ridge_quant_module;
/* NULL: it stays as it is */
const ridge_scheme *ridge_quant_scheme(const ridge_quant *quant, const ridge_quant_module *module);

#endif
