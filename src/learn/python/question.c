#include "learn/python/question.h"

#include "learn/python/machine.h"

/* The innermost place that is in a file of the user's: what our own stand-ins ask was asked by whoever called them. */
static void place(ridge_question *q, ridge_py_interp *in)
{
    for (const ridge_py_frame *f = in->frame; f && !q->module; f = f->caller) {
        if (!f->function || !f->module || !f->module->path || !f->module->text.p || strncmp(f->module->path, "catalog/python/", 15) == 0)
            continue;
        const ridge_py_node *node = f->function->node;
        const ridge_py_class *owner = f->self.type == RIDGE_PY_T_INSTANCE && f->owner ? f->self.u.instance->class : f->owner;
        q->module = f->module;
        q->line = f->line;
        q->first = node->line;
        q->last = node->last_line;
        q->asker = ridge_arena_printf(in->arena, "%s%s%s", owner ? owner->name->text : "", owner ? "." : "", f->function->name->text);
    }
}

ridge_status ridge_py_unknown_asked(ridge_py *out, const char *kind, const char *what, const char *help, const ridge_question *question,
                                    ridge_py_interp *in)
{
    ridge_py answer = ridge_py_unset();
    ridge_status st = ridge_py_unknown_later(out, kind, what, NULL, help, in);
    if (st)
        return st;
    ridge_hole *hole = (ridge_hole *)(uintptr_t)out->u.hole;
    if (!hole->question) {
        ridge_question *made = ridge_arena_alloc(in->arena, sizeof *made);
        ridge_question_subject *subjects = ridge_arena_array(in->arena, question->subject_count + 1, sizeof *subjects);
        if (!made || !subjects)
            return ridge_no_memory(in->err);
        *made = *question;
        if (question->subject_count > 0)
            memcpy(subjects, question->subjects, question->subject_count * sizeof *subjects);
        made->subjects = subjects;
        place(made, in);
        hole->question = made;
    }
    if (in->answers && (st = in->answers->find(&answer, hole, question, in->answers->state, in)))
        return st;
    if (answer.type == RIDGE_PY_T_UNSET)
        return ridge_py_matters(*out, in);
    *out = answer;
    return RIDGE_OK;
}

ridge_status ridge_py_skipped(ridge_py unknown, ridge_py_interp *in)
{
    return in->tensors && unknown.type == RIDGE_PY_T_UNKNOWN ? in->tensors->skipped(unknown, in) : RIDGE_OK;
}

ridge_status ridge_py_ask_branch(ridge_py *out, const char *what, ridge_py_interp *in)
{
    return ridge_py_unknown_asked(out, "branch on data", what, "say whether it holds", &(ridge_question){.wants = RIDGE_WANTS_TRUTH}, in);
}
