/* The program is run, its answers are tried, kept, refused and remembered. */
#include "learn/agent/agent.h"

#include <stdio.h>
#include <time.h>

#include "base/process.h"

static const ridge_agent_answer *answer_to(const ridge_agent *a, const char *id)
{
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->answers[i].id, id) == 0)
            return &a->answers[i];
    return NULL;
}

/* ---- in a run ---- */

static ridge_status find(ridge_py *out, const ridge_hole *hole, const ridge_question *question, void *state, ridge_py_interp *in)
{
    ridge_agent *a = state;
    ridge_err why = {0};
    if (!hole->question->module || a->count == 0)
        return RIDGE_OK;
    const char *id = ridge_agent_id(hole, in->arena);
    const ridge_agent_answer *answer = id ? answer_to(a, id) : NULL;
    if (!id || !answer || answer->wants != question->wants)
        return id ? RIDGE_OK : ridge_no_memory(in->err);
    ridge_status st = ridge_agent_apply(out, answer, hole, question, in, &why);
    if (!st || st == RIDGE_NOMEM)
        return st;
    a->broke = ridge_arena_strdup(a->arena, ridge_str_of(why.msg[0] ? why.msg : "it fits nowhere"));
    return ridge_fail(in->err, RIDGE_VALUE, "the answer about '%s': %s", hole->what, why.msg);
}

void ridge_agent_init(ridge_agent *a, const char *command, unsigned seconds, ridge_arena *arena)
{
    *a = (ridge_agent){.command = command, .seconds = seconds, .arena = arena};
    a->hook = (ridge_answers){find, a};
}

/* ---- what is open ---- */

static bool is_given_up(const ridge_agent *a, const char *id)
{
    for (size_t i = 0; i < a->given_up_count; i++)
        if (strcmp(a->given_up[i], id) == 0)
            return true;
    return false;
}

const ridge_hole *ridge_agent_next(const ridge_agent *a, ridge_py_interp *in)
{
    for (size_t i = 0; i < in->hole_count && a->asked < RIDGE_AGENT_QUESTIONS; i++) {
        const ridge_hole *h = in->holes[i];
        const char *id = h->question && h->question->module ? ridge_agent_id(h, in->arena) : NULL;
        if (id && !answer_to(a, id) && !is_given_up(a, id))
            return h;
    }
    return NULL;
}

ridge_status ridge_agent_give_up(ridge_agent *a, const ridge_hole *hole, ridge_err *err)
{
    const char *id = ridge_agent_id(hole, a->arena);
    if (!id || !ridge_arena_more(a->arena, &a->given_up, a->given_up_count, &a->given_up_cap, sizeof *a->given_up))
        return ridge_no_memory(err);
    a->given_up[a->given_up_count++] = id;
    return RIDGE_OK;
}

/* ---- asking ---- */

static ridge_status add_refusal(ridge_agent *a, const char *id, const char *where, const char *asked, ridge_str text, const char *reason,
                                ridge_err *err)
{
    if (!ridge_arena_more(a->arena, &a->refused, a->refused_count, &a->refused_cap, sizeof *a->refused))
        return ridge_no_memory(err);
    ridge_agent_refusal *r = &a->refused[a->refused_count];
    const size_t n = text.n < 4000 ? text.n : 4000;
    *r = (ridge_agent_refusal){.id = id, .where = where, .asked = asked, .reason = ridge_arena_strdup(a->arena, ridge_str_of(reason))};
    const char *kept = ridge_arena_strdup(a->arena, (ridge_str){text.n ? text.p : "", n});
    if (!r->reason || !kept)
        return ridge_no_memory(err);
    r->text = (ridge_str){kept, n};
    a->refused_count++;
    return RIDGE_OK;
}

ridge_status ridge_agent_refuse(ridge_agent *a, const char *reason, ridge_err *err)
{
    const ridge_agent_answer last = a->answers[--a->count];
    a->broke = NULL;
    return add_refusal(a, last.id, last.where, last.asked, last.text, reason, err);
}

static ridge_status run_program(ridge_str *out, ridge_agent *a, ridge_str question, ridge_err *err)
{
    char shell[] = "/bin/sh", option[] = "-c";
    char *command = ridge_arena_strdup(a->arena, ridge_str_of(a->command));
    if (!command)
        return ridge_no_memory(err);
    char *const argv[] = {shell, option, command, NULL};
    a->asked++;
    return ridge_process_ask(
        out, argv, question,
        &(ridge_process_limits){.seconds = a->seconds, .output = RIDGE_AGENT_ANSWER, .name = "the agent", .stop = a->stop}, a->arena, err);
}

static const char *today(ridge_arena *arena)
{
    char text[16];
    struct tm tm;
    time_t now = time(NULL);
    if (!gmtime_r(&now, &tm) || strftime(text, sizeof text, "%Y-%m-%d", &tm) == 0)
        return NULL;
    return ridge_arena_strdup(arena, ridge_str_of(text));
}

static ridge_status keep(ridge_agent *a, ridge_agent_answer *answer, ridge_err *err)
{
    if (!ridge_arena_more(a->arena, &a->answers, a->count, &a->cap, sizeof *a->answers))
        return ridge_no_memory(err);
    a->answers[a->count++] = *answer;
    return RIDGE_OK;
}

/* the words of the hole that outlive its run */
static bool describe(ridge_agent_answer *out, const ridge_hole *hole, ridge_agent *a)
{
    const ridge_question *q = hole->question;
    const char *slash = q->module ? strrchr(q->module->path, '/') : NULL;
    out->id = ridge_agent_id(hole, a->arena);
    out->kind = ridge_arena_strdup(a->arena, ridge_str_of(hole->kind));
    out->asked = ridge_arena_strdup(a->arena, ridge_str_of(hole->what));
    out->where = ridge_arena_printf(a->arena, "%s:%u", slash ? slash + 1 : q->module ? q->module->path : "?", q->line);
    out->by = a->command;
    out->date = today(a->arena);
    return out->id && out->kind && out->asked && out->where;
}

ridge_status ridge_agent_ask(bool *taken, bool *cannot, ridge_agent *a, const ridge_hole *hole, unsigned attempt, ridge_py_interp *in,
                             ridge_err *err)
{
    ridge_buf question = {0};
    ridge_err why = {0};
    ridge_agent_answer answer = {0}, about = {0};
    ridge_str text = {0};
    *taken = *cannot = false;
    if (!describe(&about, hole, a))
        return ridge_no_memory(err);
    ridge_status st = ridge_agent_question(&question, a, hole, attempt, in);
    if (!st)
        st = run_program(&text, a, (ridge_str){question.p, question.n}, &why);
    ridge_buf_free(&question);
    if (a->stop && *a->stop)
        return ridge_fail(err, RIDGE_IO, "interrupted while the agent was asked");
    if (!st)
        st = ridge_agent_read(&answer, text, hole->question->wants, a->arena, &why);
    if (!st && answer.cannot.n == 0)
        st = ridge_agent_check(&answer, hole->question, in, &why);
    if (st == RIDGE_NOMEM)
        return ridge_no_memory(err);
    if (!st && answer.cannot.n > 0) {
        *cannot = true;
        const char *reason =
            ridge_arena_printf(a->arena, "no answer: %.*s", (int)(answer.cannot.n < 600 ? answer.cannot.n : 600), answer.cannot.p);
        return reason ? add_refusal(a, about.id, about.where, about.asked, text, reason, err) : ridge_no_memory(err);
    }
    if (st)
        return add_refusal(a, about.id, about.where, about.asked, text, why.msg, err);
    answer.id = about.id;
    answer.kind = about.kind;
    answer.asked = about.asked;
    answer.where = about.where;
    answer.by = about.by;
    answer.date = about.date;
    *taken = true;
    return keep(a, &answer, err);
}

/* ---- what is kept ---- */

static const char *const wants_words[] = {"truth", "number", "result"};

void ridge_agent_write(ridge_json_writer *w, const ridge_agent *a)
{
    ridge_jw_array(w);
    for (size_t i = 0; i < a->count; i++) {
        const ridge_agent_answer *x = &a->answers[i];
        ridge_jw_object(w);
        ridge_jw_member_text(w, "id", x->id);
        ridge_jw_member_text(w, "kind", x->kind);
        ridge_jw_member_text(w, "wants", wants_words[x->wants]);
        ridge_jw_member_text(w, "where", x->where);
        ridge_jw_member_text(w, "unknown", x->asked);
        ridge_jw_member_text(w, "by", x->by);
        ridge_jw_member_text(w, "date", x->date);
        ridge_jw_key(w, "answer");
        ridge_jw_str(w, x->text);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
}

static void recall_one(ridge_agent *a, const ridge_json *v)
{
    ridge_agent_answer answer;
    ridge_err ignored = {0};
    const ridge_json *text = ridge_json_get(v, "answer");
    const char *id = ridge_json_text(v, "id", a->arena), *kind = ridge_json_text(v, "kind", a->arena),
               *where = ridge_json_text(v, "where", a->arena);
    const char *asked = ridge_json_text(v, "unknown", a->arena), *by = ridge_json_text(v, "by", a->arena),
               *date = ridge_json_text(v, "date", a->arena);
    if (!id || !kind || !where || !asked || !by || !date || answer_to(a, id) || !text || text->type != RIDGE_JSON_STRING)
        return;
    const char *word = ridge_json_text(v, "wants", a->arena);
    unsigned wants = 0;
    while (wants < 3 && (!word || strcmp(word, wants_words[wants]) != 0))
        wants++;
    if (wants == 3)
        return;
    ridge_status st = ridge_agent_read(&answer, text->u.text, (ridge_question_wants)wants, a->arena, &ignored);
    if (st || answer.cannot.n > 0)
        return;
    answer.id = id;
    answer.kind = kind;
    answer.where = where;
    answer.asked = asked;
    answer.by = by;
    answer.date = date;
    answer.kept = true;
    (void)keep(a, &answer, &ignored);
}

void ridge_agent_recall(ridge_agent *a, ridge_str text)
{
    ridge_json *json;
    ridge_err ignored = {0};
    if (ridge_json_parse(&json, text, "catalog", (ridge_json_options){0}, a->arena, &ignored) || json->type != RIDGE_JSON_OBJECT)
        return;
    for (uint32_t i = 0; i < json->count; i++) {
        const ridge_json *list = ridge_json_get(ridge_json_get(&json->u.members[i].value, "validation"), "answers");
        for (uint32_t k = 0; list && list->type == RIDGE_JSON_ARRAY && k < list->count; k++)
            recall_one(a, &list->u.items[k]);
    }
}
