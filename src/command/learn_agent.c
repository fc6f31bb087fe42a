/* ridge learn --agent: what cannot be derived is asked, and the model is derived anew with each answer. */
#include "command/learn.h"

/* one derivation, which lives until a better one takes its place */
typedef struct trial {
    ridge_learn_answer answer;
    ridge_arena arena;
    ridge_status st;
    ridge_err err;
} trial;

static const char *failure_of(const ridge_learn_answer *a)
{
    for (size_t i = 0; i < a->run_count; i++)
        if (a->runs[i].run.failed)
            return a->runs[i].run.failed;
    return NULL;
}

/* why a derivation with the new answer is none, where the one without it was; NULL: it fits */
static const char *misfit(const trial *with, const ridge_learn_answer *without, const ridge_agent *agent)
{
    const char *failed = with->st ? NULL : failure_of(&with->answer);
    if (agent->broke)
        return agent->broke;
    if (with->st)
        return with->err.msg;
    if (failed && !failure_of(without))
        return ridge_arena_printf(agent->arena, "what follows does not fit: %s", failed);
    if (with->answer.run_count < without->run_count)
        return "with it the model runs with fewer workloads";
    return NULL;
}

static ridge_status derive(trial *t, const ridge_learn_request *r, const ridge_agent *agent, bool phase_given)
{
    ridge_arena_init(&t->arena);
    t->err = (ridge_err){0};
    t->st = ridge_learn_answer_make(&t->answer, r, agent, phase_given, &t->arena, &t->err);
    return t->st;
}

/* Asks about one hole until an answer fits, or it is given up; *better: `t` has the derivation with it. */
static ridge_status ask(bool *better, trial *t, const ridge_hole *hole, ridge_learn_answer *now, const ridge_learn_request *r,
                        ridge_agent *agent, bool phase_given, ridge_err *err)
{
    *better = false;
    for (unsigned attempt = 1; attempt <= RIDGE_AGENT_ATTEMPTS; attempt++) {
        bool taken, cannot;
        ridge_status st = ridge_agent_ask(&taken, &cannot, agent, hole, attempt, &now->derivation.in, err);
        if (st || cannot)
            return st ? st : ridge_agent_give_up(agent, hole, err);
        if (!taken)
            continue;
        (void)derive(t, r, agent, phase_given);
        const char *reason = misfit(t, now, agent);
        if (!reason) {
            *better = true;
            return RIDGE_OK;
        }
        st = ridge_agent_refuse(agent, reason, err);
        ridge_arena_free(&t->arena);
        if (st)
            return st;
    }
    return ridge_agent_give_up(agent, hole, err);
}

/* A derivation is not moved: it is made again, at last in the caller's arena. */
ridge_status ridge_learn_resolve(ridge_learn_answer *answer, ridge_agent *agent, const ridge_learn_request *r, bool phase_given,
                                 ridge_arena *arena, ridge_err *err)
{
    trial now, with;
    const ridge_hole *hole;
    ridge_status st = derive(&now, r, agent, phase_given);
    if (st && agent->broke && agent->count > 0) { /* what was kept does not fit any longer */
        agent->count = 0;
        agent->broke = NULL;
        ridge_arena_free(&now.arena);
        st = derive(&now, r, agent, phase_given);
    }
    while (!st && (hole = ridge_agent_next(agent, &now.answer.derivation.in))) {
        bool better;
        if ((st = ask(&better, &with, hole, &now.answer, r, agent, phase_given, err)) || !better)
            continue;
        ridge_arena_free(&with.arena);
        ridge_arena_free(&now.arena);
        st = derive(&now, r, agent, phase_given);
    }
    ridge_arena_free(&now.arena);
    if (st && !err->code) /* as it would without an agent: with the words of that */
        ridge_err_clear(err);
    return st && err->code ? st : ridge_learn_answer_make(answer, r, agent, phase_given, arena, err);
}
