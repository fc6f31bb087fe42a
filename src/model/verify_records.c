/* How a comparison of tree and files is written. */
#include "base/shown.h"
#include "model/verify.h"

#include "base/units.h"

const char *const ridge_verify_words[] = {RIDGE_VERIFY_LIST(RIDGE_WORD_NAME) NULL};

static void write_shape(ridge_json_writer *w, const void *row)
{
    const ridge_verify_row *r = row;
    if (!r->tensor) {
        ridge_jw_null(w);
        return;
    }
    ridge_jw_array_compact(w);
    for (size_t i = 0; i < r->tensor->rank; i++)
        ridge_jw_int(w, r->tensor->dims[i]);
    ridge_jw_end_array(w);
}

static void write_stored_shape(ridge_json_writer *w, const void *row)
{
    const ridge_verify_row *r = row;
    if (!r->weight || r->weight->unread) {
        ridge_jw_null(w);
        return;
    }
    ridge_jw_array_compact(w);
    for (uint32_t i = 0; i < r->weight->rank; i++)
        ridge_jw_int(w, (ridge_int)r->weight->shape[i]);
    ridge_jw_end_array(w);
}

#define ROW ridge_verify_row
static const ridge_record_field row_fields[] = {
    RIDGE_R_TEXT(ROW, tree, "name", NULL, RIDGE_IN_JSON, "the parameter's name in the model"),
    RIDGE_R_TEXT(ROW, stored, "stored", NULL, RIDGE_IN_JSON, "the tensor's name in the files; of several, the first"),
    RIDGE_R_WRITTEN("shape", write_shape, "in the model"),
    RIDGE_R_WRITTEN("stored_shape", write_stored_shape, "in the files"),
    RIDGE_R_TEXT(ROW, why, "why", NULL, RIDGE_IN_JSON, "what explains it"),
};
static const ridge_record json_row_record = RIDGE_RECORD(ROW, "verify row", row_fields, "a tensor on one side, on both, or neither");

static const char *text_why(ridge_arena *arena, const void *row)
{
    const ridge_verify_row *r = row;
    ridge_buf text = {0};
    if (r->what != RIDGE_VERIFY_RESHAPED)
        return r->why ? r->why : r->what == RIDGE_VERIFY_MISSING ? "not in the files" : "not in the model";
    ridge_buf_addz(&text, "[");
    for (size_t i = 0; i < r->tensor->rank; i++)
        ridge_buf_addf(&text, "%s%s", i ? ", " : "", ridge_units_exact(arena, r->tensor->dims[i]));
    ridge_buf_addz(&text, "] in the model, [");
    for (uint32_t i = 0; i < r->weight->rank; i++)
        ridge_buf_addf(&text, "%s%s", i ? ", " : "", ridge_units_exact(arena, (ridge_int)r->weight->shape[i]));
    ridge_buf_addz(&text, "] in the files");
    const char *why = ridge_arena_take(arena, &text);
    return why ? why : "";
}

static const ridge_record_field table_fields[] = {
    RIDGE_R_WORD(ROW, what, ridge_verify_words, "what", NULL, RIDGE_IN_ALL, "what does not fit as it is"),
    RIDGE_R_SIZE(ROW, count, "count", NULL, RIDGE_IN_ALL, "how many are alike but for numbers"),
    RIDGE_R_TEXT(ROW, tree, "model", NULL, RIDGE_IN_ALL, "the parameter's name in the model"),
    RIDGE_R_TEXT(ROW, stored, "files", NULL, RIDGE_IN_ALL, "the tensor's name in the files"),
    RIDGE_R_TEXT(ROW, why, "why", NULL, RIDGE_IN_ALL, "what explains it", .text = text_why),
};
const ridge_record ridge_verify_row_record = RIDGE_RECORD(ROW, "verify row", table_fields, "tensors that do not fit as they are");

#define ANSWER ridge_verify
#define ROWS(code, key, ...)                                                                                                               \
    RIDGE_R_LIST(ANSWER, of[RIDGE_VERIFY_##code].items, of[RIDGE_VERIFY_##code].count, &json_row_record, key, RIDGE_IN_JSON, __VA_ARGS__)
static const ridge_record_field fields[] = {
    RIDGE_R_SIZE(ANSWER, tensors, "tensors", NULL, RIDGE_IN_JSON, "tensors in the files"),
    RIDGE_R_SIZE(ANSWER, parameters, "parameters", NULL, RIDGE_IN_JSON, "tensors of the model"),
    RIDGE_R_SIZE(ANSWER, matched, "matched", NULL, RIDGE_IN_JSON, "of them, those that a tensor of the files is"),
    RIDGE_R_TEXT(ANSWER, compared, "compared", NULL, RIDGE_IN_JSON, "what was compared"),
    RIDGE_R_SIZE(ANSWER, unexplained, "unexplained", NULL, RIDGE_IN_JSON, "missing, extra and reshaped ones"),
    ROWS(MISSING, "missing", "of the model, and not in the files"),
    ROWS(EXTRA, "extra", "in the files, and not of the model"),
    ROWS(RESHAPED, "reshaped", "of another shape"),
    ROWS(TIED, "tied", "shared with one that is in the files"),
    ROWS(FUSED, "fused", "one on this side, several on the other"),
    ROWS(RENAMED, "renamed", "under a name that the libraries rename"),
    ROWS(QUANTISED, "quantised", "what a quantised checkpoint keeps beside a weight or in its place"),
    ROWS(BUFFER, "buffers", "no parameters"),
};
const ridge_record ridge_verify_record = RIDGE_RECORD(ANSWER, "verify", fields, "the model beside its files");

ridge_status ridge_verify_text(ridge_buf *out, const ridge_verify *v, const char *model, int width, ridge_err *err)
{
    char name[256];
    ridge_shown_copy(name, sizeof name, model);
    ridge_buf_addf(out, "%s: %zu parameters in the model, %zu tensors in the files: %s %s, %zu as they are\n", name, v->parameters,
                   v->tensors, v->compared, v->unexplained ? "differ" : "agree", v->matched - v->of[RIDGE_VERIFY_RENAMED].count);
    if (v->weights->absent_files)
        ridge_buf_addf(out, "%u of %u files %s not there: the index names the tensors\n", v->weights->absent_files, v->weights->file_count,
                       v->weights->absent_files == 1 ? "is" : "are");
    if (!v->folded.count)
        return RIDGE_OK;
    ridge_buf_addc(out, '\n');
    return ridge_record_print(out, &ridge_verify_row_record, &(ridge_record_style){.form = RIDGE_FORM_TEXT, .width = width},
                              v->folded.items, v->folded.count, err);
}
