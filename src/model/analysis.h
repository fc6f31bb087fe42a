/* analysis.h - a model and a workload through the stages: config -> graph -> cost -> rows.
 * In: what the user asked. Out: one struct with everything any output needs, owned by the analysis.
 * Every front end (command line, C API, later HTTP) goes through here, so they give the same numbers. */
#ifndef RIDGE_MODEL_ANALYSIS_H
#define RIDGE_MODEL_ANALYSIS_H

#include "catalog/learned.h"
#include "cost/kernels.h"
#include "base/option.h"
#include "formula/poly.h"
#include "graph/tree.h"
#include "input/model.h"
#include "input/quant/quant.h"

#define RIDGE_PHASE_LIST(X)                                                                                                                \
    X(PREFILL, prefill)                                                                                                                    \
    X(DECODE, decode)                                                                                                                      \
    X(TRAIN, train)
typedef enum ridge_phase {
#define X(code, name) RIDGE_PHASE_##code,
    RIDGE_PHASE_LIST(X)
#undef X
} ridge_phase;

#define RIDGE_OPTIMIZER_LIST(X)                                                                                                            \
    X(ADAM, adam)                                                                                                                          \
    X(SGD, sgd)                                                                                                                            \
    X(NONE, none)
typedef enum ridge_optimizer {
#define X(code, name) RIDGE_OPTIMIZER_##code,
    RIDGE_OPTIMIZER_LIST(X)
#undef X
} ridge_optimizer;

#define RIDGE_RECOMPUTE_LIST(X)                                                                                                            \
    X(NONE, none)                                                                                                                          \
    X(FULL, full)                                                                                                                          \
    X(SELECTIVE, selective)
typedef enum ridge_recompute {
#define X(code, name) RIDGE_RECOMPUTE_##code,
    RIDGE_RECOMPUTE_LIST(X)
#undef X
} ridge_recompute;

/* which pairs of queries and keys attention counts */
#define RIDGE_PAIRS_LIST(X)                                                                                                                \
    X(FULL, full)                                                                                                                          \
    X(CAUSAL, causal)
typedef enum ridge_pairs {
#define X(code, name) RIDGE_PAIRS_##code,
    RIDGE_PAIRS_LIST(X)
#undef X
} ridge_pairs;

/* which positions the output head runs on; `needed`: the last one when serving, every one in training, whose loss is on all of them */
#define RIDGE_HEAD_LIST(X)                                                                                                                 \
    X(ALL, all)                                                                                                                            \
    X(LAST, last)                                                                                                                          \
    X(NEEDED, needed)
typedef enum ridge_head_positions {
#define X(code, name) RIDGE_HEAD_##code,
    RIDGE_HEAD_LIST(X)
#undef X
} ridge_head_positions;

/* the words of the options, by the enums' values; NULL-terminated */
extern const char *const ridge_phase_names[],
    *const ridge_optimizer_names[], *const ridge_recompute_names[], *const ridge_kernel_names[], *const ridge_pairs_names[],
                                                                                                     *const ridge_head_names[];

/* pixels of an image's sides */
typedef struct ridge_image_size {
    int64_t height, width; /* 0: not given */
} ridge_image_size;
#define RIDGE_IMAGE_SIZE_UNSET ((ridge_image_size){0, 0})
ridge_option_read ridge_image_size_read; /* "224", "480x640" (height first) */

/* what a model sees and hears, as rows of an option table for the struct `of` with these members */
/* clang-format off */
#define RIDGE_MEDIA_OPTIONS(of) \
    RIDGE_INT(of, images, "images", 0, "N", 0, (int64_t)1 << 40, "images per sequence of text (default 0: text only)", .unit = "images"), \
    RIDGE_OTHER(of, image, ridge_image_size, "image-size", 0, "H[xW]", ridge_image_size_read, \
                "pixels of an image's height and width (default: the config's)", .unit = "pixels"), \
    RIDGE_INT(of, video_frames, "video-frames", 0, "N", 1, (int64_t)1 << 40, "pictures of a film (default: the config's)", .unit = "frames"), \
    RIDGE_INT(of, frames, "frames", 0, "N", 1, (int64_t)1 << 40, "spectrogram frames (default: the config's)", .unit = "frames"), \
    RIDGE_INT(of, samples, "samples", 0, "N", 1, (int64_t)1 << 40, "audio samples (default: the config's, or one second)", .unit = "samples")
/* clang-format on */

/* What is asked of a model: the options below set it, starting from ridge_model_request_default. Numbers may be RIDGE_UNSET. */
typedef struct ridge_model_request {
    const char *model;       /* folder, file or id */
    const char *config_text; /* instead of reading `model`: the config itself; model is then its name */
    size_t config_length;
    const char *head_class; /* NULL: the config's architecture */
    const char *bind;       /* "batch=8,seq=128": sizes of dimensions that a graph leaves open; NULL: none */
    bool partial;           /* count the known part of a model, list the unknown */
    ridge_phase phase;
    int64_t batch, seq, past, decoder_seq, encoder_len, images, video_frames, frames, samples;
    ridge_image_size image;
    const ridge_format *dtype;                      /* NULL: the config's */
    const ridge_format *weights, *activations, *kv; /* NULL: as dtype says */
    ridge_pairs attention;
    ridge_kernel_mode kernel;
    ridge_head_positions lm_head;
    ridge_optimizer optimizer;
    ridge_recompute recompute;
} ridge_model_request;

extern const ridge_option ridge_options_workload[]; /* phase to recompute */
extern const ridge_option ridge_options_class[];    /* class, partial */
void ridge_model_request_default(ridge_model_request *request);

/* What of a workload the model takes: what its formulas asked for while its costs were counted, and what it keeps between calls.
 * A model with unknown parts (--partial) may keep a cache. */
typedef struct ridge_takes {
    bool tokens;                                       /* sequences of them: seq */
    bool image, images, video_frames, frames, samples; /* images: as many as the text has places for */
    bool encoder;                                      /* the length of an encoder's output */
    bool cache;                                        /* past, kv; without one there is no decode step */
    bool head;                                         /* an output head that may run on some positions alone */
    bool pairs;                                        /* causal attention, of which masked pairs may count or not */
} ridge_takes;

/* The workload as run: every value filled in. */
typedef struct ridge_workload {
    ridge_takes takes;
    ridge_phase phase;
    int64_t batch, seq, past, encoder_len, video_frames, frames, samples; /* RIDGE_UNSET where the model takes none */
    int64_t images;         /* per sequence; 0 where the model takes none, or they are not counted */
    ridge_image_size image; /* unset where the model takes none */
    bool encoder_decoder;
    int64_t decoder_seq; /* = seq where there is one sequence */
    const ridge_format *weights, *activations, *kv;
    const ridge_words
        *stored; /* weights as a file has them: its formats, that of most bytes first; `weights` is that one. NULL: all alike */
    ridge_pairs attention;
    ridge_kernel_mode kernel;
    ridge_head_positions lm_head; /* ALL or LAST */
    ridge_optimizer optimizer;
    ridge_recompute recompute;
    const char *bound;   /* of a graph: "batch_size=1,seq=128", "" where all its sizes are numbers; NULL: of no graph */
    int64_t bound_batch; /* what a dimension called batch has; RIDGE_UNSET: there is none */
} ridge_workload;

typedef struct ridge_memory {
    ridge_int weights, kv_cache, activations_peak, gradients, optimizer, total;
} ridge_memory;

/* the same as values: INT, or SYM in symbolic runs */
typedef struct ridge_memory_forms {
    ridge_value weights, kv_cache, activations_peak, gradients, optimizer, total;
} ridge_memory_forms;

typedef struct ridge_parameter_counts {
    ridge_int total, active, embedding;
} ridge_parameter_counts;

typedef struct ridge_unknown {
    const char *module, *needed_by;
    const char *why; /* NULL: it is not in the catalog */
} ridge_unknown;

/* weights in formats of their own, as a quantised file has them */
typedef struct ridge_stored_share {
    const ridge_format *format;
    ridge_int tensors, elements, bytes;
} ridge_stored_share;
typedef struct ridge_stored_weights {
    ridge_stored_share *shares; /* most bytes first */
    size_t count;
    ridge_words names;     /* of the shares' formats */
    ridge_int other_bytes; /* of tensors that are no weight of the model: a table of frequencies */
} ridge_stored_weights;

typedef struct ridge_analysis {
    ridge_arena arena;
    ridge_registry *registry; /* the caller's */
    ridge_model_file file;
    const ridge_entry *config_entry;
    const ridge_head_class *head;
    const char *learned; /* the file of what was learned of the class (catalog/learned.h); NULL: the catalog knows it */
    ridge_learned_told learned_told;
    ridge_object *config;
    const char *architecture;  /* head class, "LlamaForCausalLM" */
    const char *class_name;    /* with its module path */
    const ridge_format *dtype; /* the config's own format */
    bool dtype_assumed;        /* ... which it does not give */
    ridge_workload workload;
    ridge_stored_weights stored;
    const ridge_format *mix;         /* of a request that gives formats by patterns; NULL: none */
    struct ridge_opgraph_model *ops; /* of a graph of operators: what was made of it (opgraph/entries.h); NULL: it is none */
    bool batch_fixed;                /* of a graph: it runs at one batch, which no option changes */
    ridge_quant *quant;    /* of a config that says how its weights are quantised, where the request does not say other; NULL: none */
    ridge_algebra algebra; /* of a closed form */
    ridge_graph graph;
    ridge_coster coster;
    const ridge_node *root;
    ridge_cost total;
    ridge_rows rows;
    ridge_kernels kernels; /* of ridge_analysis_kernels: those of the rows */
    ridge_memory memory;
    ridge_memory_forms memory_forms; /* of ridge_analysis_forms with its memory */
    ridge_parameter_counts parameters;
    ridge_words warnings;
    bool nothing_known; /* --partial of an architecture of which no part is known: there are no numbers */
    ridge_unknown *unknown;
    size_t unknown_count, unknown_cap;
} ridge_analysis;

typedef enum ridge_row_detail { RIDGE_ROWS_NONE, RIDGE_ROWS_FOLDED, RIDGE_ROWS_ALL } ridge_row_detail;

/* Each allocates; free with ridge_analysis_free also after an error. The registry must outlive the analysis. */
/* exact costs, parameters and memory, with the rows that are wanted */
ridge_status ridge_analysis_exact(ridge_analysis **out, ridge_registry *registry, const ridge_model_request *request, ridge_row_detail rows,
                                  ridge_err *err);
/* What stays a name instead of a number: B, S (past in decode) and enc. */
typedef enum ridge_symbols {
    RIDGE_SYMBOLS_NONE,
    RIDGE_SYMBOLS_REST, /* those that the request does not give */
    RIDGE_SYMBOLS_ALL
} ridge_symbols;
/* the costs as closed forms in what stays a name; `memory`: memory_forms too. No rows. VALUE where there is no closed form. */
ridge_status ridge_analysis_forms(ridge_analysis **out, ridge_registry *registry, const ridge_model_request *request, ridge_symbols symbols,
                                  bool memory, ridge_err *err);
/* Rows and their kernels, the experts of a mixture pooled: what times are made of. `exact`: an analysis of the same model, whose parameters
 * count; memory is not counted again. `symbolic`: the kernels' costs are closed forms. */
ridge_status ridge_analysis_kernels(ridge_analysis **out, ridge_registry *registry, const ridge_model_request *request,
                                    const ridge_analysis *exact, ridge_row_detail rows, bool symbolic, ridge_err *err);
void ridge_analysis_free(ridge_analysis *analysis);

/* ---- steps, for who needs less than all ---- */
ridge_status ridge_analysis_open(ridge_analysis *a, const ridge_model_request *request, ridge_err *err); /* file, config, head class */
/* of a graph of operators: its config and entries (model/opgraph.c); else --bind is refused */
ridge_status ridge_analysis_read_opgraph(ridge_analysis *a, const ridge_model_request *request, ridge_err *err);
/* the sizes of a graph, into the workload */
ridge_status ridge_analysis_tell_bound(ridge_analysis *a, ridge_err *err);
bool ridge_analysis_opgraph_mixed(const ridge_analysis *a);
/* its weights in the formats that the file has */
ridge_status ridge_analysis_opgraph_store(ridge_analysis *a, ridge_err *err);
/* of a model whose file is read: where what is learned of it is kept */
ridge_status ridge_analysis_learned_key(ridge_learned_key *out, ridge_analysis *a, const ridge_model_request *request, ridge_err *err);
/* defaults, limits, the graph's globals */
ridge_status ridge_analysis_workload(ridge_analysis *a, const ridge_model_request *request, ridge_symbols symbols, ridge_err *err);
/* Images, films and sound of the request, else of the config; refuses images where the model takes none. */
ridge_status ridge_analysis_media(ridge_analysis *a, const ridge_model_request *request, ridge_err *err);
/* height and width that the run's config gives, as one number or two; unset where it gives none */
ridge_status ridge_analysis_image_size(ridge_image_size *out, ridge_analysis *a, const ridge_expr *expr);
/* the workload's image as names of formulas */
void ridge_analysis_set_image(ridge_analysis *a);
/* do the formulas below the head class read this name? */
ridge_status ridge_analysis_reads(bool *out, ridge_analysis *a, const char *name, ridge_err *err);
/* do they read an image's size, by any of its names? */
ridge_status ridge_analysis_reads_image(bool *out, ridge_analysis *a, ridge_err *err);
/* sound goes in: frames or samples */
bool ridge_workload_hears(const ridge_workload *workload);
/* "  images 2  image 480x640": those that the workload has */
void ridge_workload_add_media(ridge_buf *out, const ridge_workload *workload);
bool ridge_image_size_given(const ridge_image_size *size);
/* images that go through a pass; RIDGE_UNSET where the model takes none */
int64_t ridge_workload_images(const ridge_workload *workload);
/* "224", "480x640" */
void ridge_image_size_add(ridge_buf *out, const ridge_image_size *size);
/* a positive size that the config gives (positions_max of its spec); RIDGE_UNSET where it gives none, expr NULL included */
ridge_status ridge_analysis_size(int64_t *out, ridge_analysis *a, const ridge_expr *expr);
/* of a model whose file says how its weights are stored, where the request does not say other: gives each its format (graph/stored.h) */
ridge_status ridge_analysis_store(ridge_analysis *a, ridge_err *err);
/* bytes of all tensors of the file; model_bytes: those of the model's weights, which with what is none of them are the same */
ridge_status ridge_analysis_file_bytes(ridge_int *out, ridge_analysis *a, ridge_int model_bytes);
/* the config's quantised weights: read before the graph is built, then given to it (model/quantized.c) */
ridge_status ridge_analysis_read_quant(ridge_analysis *a, const ridge_model_request *request, ridge_err *err);
/* formats by patterns, of the request */
ridge_status ridge_analysis_read_mix(ridge_analysis *a, const ridge_format *mix, ridge_err *err);
ridge_status ridge_analysis_quantize(ridge_analysis *a, ridge_err *err);
/* the shares of a file's formats, before the graph is built; none where the request says the weights' format */
ridge_status ridge_analysis_shares(ridge_analysis *a, const ridge_model_request *request, ridge_err *err);
ridge_status ridge_analysis_training(ridge_analysis *a); /* forward cost -> training step */
ridge_status ridge_analysis_memory(ridge_analysis *a, ridge_err *err);
/* fails in a symbolic run whose memory has no closed form, and where the coster was not told to count memory */
ridge_status ridge_analysis_memory_forms(ridge_memory_forms *out, ridge_analysis *a);
/* the number of positions at which the config's table ends, or its training; RIDGE_UNSET: it gives none */
ridge_status ridge_analysis_positions(int64_t *most, bool *learned, ridge_analysis *a, const ridge_config_spec *spec);
/* the least of those of the nested configs that --partial knows */
ridge_status ridge_analysis_partial_positions(int64_t *most, bool *learned, ridge_analysis *a, ridge_err *err);
/* --partial of an unknown architecture: its nested configs that are known, as children of a root of its name */
ridge_status ridge_analysis_partial(ridge_analysis *a, ridge_err *err);
ridge_status ridge_analysis_warn(ridge_analysis *a, ridge_err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* unsets the options that lengths are made of and that have no effect on this model, each with a warning */
ridge_status ridge_analysis_drop_unused(ridge_analysis *a, ridge_model_request *request, ridge_err *err);
/* of a graph: USAGE where the phase is decode and the model keeps no cache */
ridge_status ridge_analysis_check_phase(ridge_analysis *a, ridge_err *err);
/* of counted costs: workload.takes; warns of options that were given and not asked for, and unsets what is not taken */
ridge_status ridge_analysis_find_takes(ridge_analysis *a, const ridge_model_request *request, ridge_err *err);
/* warns of a cache whose rows do not fill the blocks of its format */
ridge_status ridge_analysis_check_cache(ridge_analysis *a, ridge_err *err);
ridge_status ridge_analysis_note_unknown(ridge_analysis *a, const char *module, const char *needed_by, const char *why, ridge_err *err);

#endif
