/* ridge.h - what a neural network costs, before it runs: parameters, FLOPs, bytes, memory. Made for C, C++ and ctypes.
 * In: a model (a folder with config.json, such a file, or an id) and "name=value" options. Out: exact integers, or JSON as the
 * command line prints it. Functions that return int answer 0, or a positive code (the exit status: 1 bad model or data, 2 usage,
 * 3 a check failed); ridge_session_error has the message. A session belongs to one thread at a time; the library never prints or exits. */
#ifndef RIDGE_H
#define RIDGE_H

#include "ridge_counter.h"

#ifdef __cplusplus
extern "C" {
#endif

RIDGE_API const char *ridge_version(void);

/* ---- session: an open catalog ---- */

typedef struct ridge_session ridge_session;

/* The built-in catalog with `count` folders or files over it (catalogs may be NULL). NULL when memory runs out; after any other
 * failure a session whose every call fails with that error. What the user keeps (catalog, machines) is read anew when it has changed. */
RIDGE_API ridge_session *ridge_session_open(const char *const *catalogs, size_t count);
RIDGE_API void ridge_session_close(ridge_session *session);
/* The last failed call's message ("file:line:col: what", then the place underlined); "" where none failed. Valid until the next call. */
RIDGE_API const char *ridge_session_error(const ridge_session *session);

/* The same in parts: code is the library's word ("USAGE", "SYNTAX", ...; "OK" where none failed), file "" and line and column 0 where it
 * has no place, excerpt the line of the file with ^~~~ below what is meant. Texts are valid until the next call. */
typedef struct ridge_error_place {
    const char *code, *message, *file, *excerpt;
    uint32_t line, column; /* from 1; column in bytes */
} ridge_error_place;
RIDGE_API void ridge_session_error_place(ridge_error_place *out, const ridge_session *session);

/* What the last call warned of, a line each, as the command line prints on stderr; "" where nothing. Valid until the next call. */
RIDGE_API const char *ridge_session_warnings(const ridge_session *session);

/* Told how far a command is, on the thread of the call: a line that takes the place of the one before, NULL where it goes away. */
typedef void ridge_progress_fn(void *data, const char *line);
/* function NULL: nobody listens */
RIDGE_API void ridge_session_listen(ridge_session *session, ridge_progress_fn *function, void *data);
/* Ends what the session's call measures or sweeps just now, as Ctrl-C does in the command line: its answer is what was done. A command that
 * only computes goes on. From any thread, while the session is open; not from a signal handler. */
RIDGE_API void ridge_session_cancel(ridge_session *session);

/* wanted 1: from now on a call of a command that has "plot=" draws its picture too */
RIDGE_API void ridge_session_draw(ridge_session *session, int wanted);
/* The last call's picture, an SVG document; "" where there is none. Valid until the next call. */
RIDGE_API const char *ridge_session_picture(const ridge_session *session);

/* Text a function returned. NULL is fine. */
RIDGE_API void ridge_free(char *text);

/* ---- any command ---- */

/* The answer of a command, "cost" or "machine show", as the command line prints it. Operands are what stands there without dashes; options
 * are the command line's without dashes, with a value: "phase=decode", "batch=2k", "json=true", "csv=true". *out is NULL after an error but
 * for a check that failed (3), which is an answer; free with ridge_free. */
RIDGE_API int ridge_run(ridge_session *session, char **out, const char *command, const char *const *operands, size_t operand_count,
                        const char *const *options, size_t option_count);

/* The same of a model that is a config.json's text in memory, for a command that takes a MODEL; name is for messages. */
RIDGE_API int ridge_run_config(ridge_session *session, char **out, const char *command, const char *name, const char *config, size_t length,
                               const char *const *options, size_t option_count);

/* ---- models ---- */

/* FLOPs as the field counts them: 1 add or multiply = 1; torch = what torch.utils.flop_counter.FlopCounterMode counts */
typedef struct ridge_cost_flops {
    ridge_count total, matmul, attention, activation, embedding, other, torch;
} ridge_cost_flops;

/* bytes */
typedef struct ridge_cost_bytes {
    ridge_count total;
    ridge_count read_weights, read_activations, read_kv, read_intermediates;
    ridge_count written_activations, written_kv, written_intermediates;
} ridge_cost_bytes;

/* bytes; activations_peak leaves the KV cache out */
typedef struct ridge_cost_memory {
    ridge_count total, weights, kv_cache, activations_peak, gradients, optimizer;
} ridge_cost_memory;

typedef struct ridge_cost_totals {
    ridge_count parameters, parameters_active, parameters_embedding;
    ridge_cost_flops flops;
    ridge_cost_bytes bytes;
    ridge_cost_memory memory;
} ridge_cost_totals;

/* options: the command line's without dashes: "phase=decode", "batch=8", "past=4096", "weights=q4_K", "kernel=fused", "class=LlamaModel" */
RIDGE_API int ridge_model_cost(ridge_session *session, ridge_cost_totals *out, const char *model, const char *const *options, size_t count);
/* As above for a config.json's text in memory; name is for messages. */
RIDGE_API int ridge_config_cost(ridge_session *session, ridge_cost_totals *out, const char *name, const char *config, size_t length,
                                const char *const *options, size_t count);

/* The JSON of `ridge cost --json` and `ridge inspect --json`; "all=true": one row per called module. NULL after an error; free with
 * ridge_free. */
RIDGE_API char *ridge_model_cost_json(ridge_session *session, const char *model, const char *const *options, size_t count);
RIDGE_API char *ridge_model_inspect_json(ridge_session *session, const char *model, const char *const *options, size_t count);

/* ---- predictions ---- */

/* seconds, per second, bytes; a negative number is not known. What is not asked for (prompt, generate) is negative too. */
typedef struct ridge_predict_totals {
    double time_s, tokens_per_s, mfu, bandwidth_utilisation;
    double ttft_s, tpot_s, generation_s, requests_per_s;
    ridge_count flops, bytes, memory;
    ridge_count capacity; /* of the machine's main memory; 0 where it is not known, then fits is 1 */
    int fits;
    int memory_bound;    /* else compute- or launch-bound */
    double images_per_s; /* of a model that takes images; its tokens_per_s is negative where it takes no tokens */
} ridge_predict_totals;

/* options: the command line's, "on=h100-sxm-80" among them: "phase=decode", "method=estimate", "prompt=1024", "generate=256".
 * Defaults are those of `ridge predict`: fused kernels, causal attention, the head on the positions that are needed. */
RIDGE_API int ridge_model_predict(ridge_session *session, ridge_predict_totals *out, const char *model, const char *const *options,
                                  size_t count);
/* The JSON of `ridge predict --json`. NULL after an error; free with ridge_free. */
RIDGE_API char *ridge_model_predict_json(ridge_session *session, const char *model, const char *const *options, size_t count);

/* A row of `ridge sweep`; strings are valid during the call only. What the model does not take is negative (seq,
 * past, tokens_per_s, images_per_s) or NULL (kv). */
typedef struct ridge_sweep_row {
    const char *model, *machine, *phase, *weights, *activations, *kv, *bound;
    int64_t batch, seq, past;
    ridge_count flops, bytes, memory;
    double time_s, tokens_per_s;
    int fits;
    double images_per_s;
} ridge_sweep_row;
/* not 0: no more rows */
typedef int ridge_sweep_fn(void *data, const ridge_sweep_row *row);
/* Every point of the grid "on=h100-sxm-80,l4", "batch=1:256:*2", "weights=bf16,q4_K", ... in the command's order, on the caller's thread
 * while others compute. */
RIDGE_API int ridge_model_sweep(ridge_session *session, const char *model, const char *const *options, size_t count,
                                ridge_sweep_fn *function, void *data);

/* The JSON of `ridge op KIND --json`: "m=4096", "weights=q4_K", "on=h100-sxm-80", "all-formats=true". NULL after an error; ridge_free. */
RIDGE_API char *ridge_op_json_text(ridge_session *session, const char *kind, const char *const *options, size_t count);
/* The JSON of `ridge machine show ID --json`. */
RIDGE_API char *ridge_machine_json_text(ridge_session *session, const char *id);

/* ---- single formulas ---- */

/* FLOPs of one module: path "torch.nn.Linear" or "torch__nn__Linear"; arguments "2048" by position or "rows=2048". */
RIDGE_API int ridge_compute_flops(ridge_session *session, ridge_count *out, const char *path, const char *const *arguments, size_t count);
/* Any context: "flops", "reads", "writes", "intermediates" (elements), "params". */
RIDGE_API int ridge_compute(ridge_session *session, ridge_count *out, const char *context, const char *path, const char *const *arguments,
                            size_t count);

#ifdef __cplusplus
}
#endif

#endif
