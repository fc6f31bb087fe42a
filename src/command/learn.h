/* learn.h - the request and the answer of `ridge learn`, and how the answer is written. */
#ifndef RIDGE_COMMAND_LEARN_H
#define RIDGE_COMMAND_LEARN_H

#include "command/command.h"
#include "learn/agent/agent.h"
#include "learn/derive/count.h"
#include "learn/derive/derive.h"
#include "model/analysis.h"

typedef struct ridge_learn_request {
    const char *what, *class_name, *source, *out, *arguments, *inputs, *agent;
    int64_t agent_seconds;
    const char *operators;
    bool sdpa;
    int phase;
    ridge_derive_workload workload; /* without phase and what it sees and hears: */
    int64_t images, video_frames, frames, samples;
    ridge_image_size image;
    const ridge_format *weights, *activations, *kv;
} ridge_learn_request;

typedef struct ridge_learn_run {
    ridge_derive_run run;
    ridge_counted count;
    ridge_int cache_bytes; /* RIDGE_COUNT_UNKNOWN: no cache, or not known */
} ridge_learn_run;

typedef struct ridge_learn_answer {
    const char *what;
    ridge_derivation derivation;
    ridge_learn_run runs[2];
    size_t run_count;
    const ridge_agent *agent; /* whose answers the numbers rest on; NULL: nobody was asked */
} ridge_learn_answer;

/* Asks the agent about holes, one after the other, and derives anew with each answer: `answer` is the last derivation, in `arena`. */
ridge_status ridge_learn_resolve(ridge_learn_answer *answer, ridge_agent *agent, const ridge_learn_request *r, bool phase_given,
                                 ridge_arena *arena, ridge_err *err);
ridge_status ridge_learn_answer_make(ridge_learn_answer *a, const ridge_learn_request *r, const ridge_agent *agent, bool phase_given,
                                     ridge_arena *arena, ridge_err *err);

/* What is to be derived: the request without its workload. */
ridge_status ridge_learn_request_read(ridge_derive_request *out, const ridge_learn_request *r, ridge_arena *arena, ridge_err *err);
/* Writes the templates of the model as a catalog file to r->out; "-": to the data. */
ridge_status ridge_learn_write(ridge_buf *data, const ridge_learn_request *r, const ridge_agent *agent, ridge_err *err);
extern const ridge_record ridge_learn_record;
void ridge_learn_text(ridge_buf *buf, const ridge_learn_answer *answer);

#endif
