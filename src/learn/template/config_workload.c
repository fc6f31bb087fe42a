/* What a config's entry says of workloads: how long a sequence may be, sizes of images, films and sound. */
#include "base/option.h"
#include "learn/template/config_parts.h"

/* how long a sequence may be, and whether a table of that length is learned; of the text's config where the model's does not say */
static ridge_status positions(ridge_json_writer *w, const ridge_config_scope *s)
{
    static const char *const names[] = {"max_position_embeddings", "n_positions", "max_target_positions",
                                        "max_sequence_length",     "n_ctx",       "text_config.max_position_embeddings"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (size_t i = 0; i < s->config->count; i++) {
            if (strcmp(s->config->fields[i].path, names[k]) != 0 || s->config->fields[i].value.type != RIDGE_PY_T_INT)
                continue;
            if (strchr(names[k], '.') && !ridge_config_mentions(names[k], s->entries))
                continue;
            const char *field = ridge_arena_printf(s->calc->arena, "config.%s", names[k]);
            const char *table =
                ridge_arena_printf(s->calc->arena, ", config.%s, ", names[k]); /* {torch__nn__Embedding}(rows, positions, size) */
            if (!field || !table)
                return ridge_no_memory(s->calc->err);
            ridge_jw_key(w, "positions");
            ridge_jw_object_compact(w);
            ridge_jw_member_text(w, "max", field);
            ridge_jw_member_text(w, "learned", strstr(s->entries, table) ? "True" : "False");
            ridge_jw_end_object(w);
            return RIDGE_OK;
        }
    return RIDGE_OK;
}

/* the field of the model's config of which the number is so many times; NULL: there is none */
static const char *field_worth(const ridge_config_scope *s, const char *const *names, size_t count, int64_t value, int64_t times)
{
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < s->config->count; i++)
            if (strcmp(s->config->fields[i].path, names[k]) == 0 && s->config->fields[i].value.type == RIDGE_PY_T_INT &&
                s->config->fields[i].value.u.i * times == value)
                return times > 1 ? ridge_arena_printf(s->calc->arena, "%lld*config.%s", (long long)times, names[k])
                                 : ridge_arena_printf(s->calc->arena, "config.%s", names[k]);
    return NULL;
}

/* what a model sees and hears where nobody asks for others: of the config where it says so, else as the runs had it */
static ridge_status media(ridge_json_writer *w, const ridge_config_scope *s, const ridge_derive_workload *used)
{
    static const char *const sides[] = {"image_size"}, *const clips[] = {"num_frames", "frames_per_clip"},
                             *const most[] = {"max_source_positions"};
    const bool square = used->image_height == used->image_width;
    const struct {
        const char *name;
        const char *const *fields;
        size_t count;
        int64_t value, times;
    } sizes[] = {{"image", sides, 1, square ? used->image_height : RIDGE_UNSET, 1},
                 {"video_frames", clips, 2, used->video_frames, 1},
                 {"frames", most, 1, used->frames, 2},
                 {"samples", NULL, 0, used->samples, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i].value == RIDGE_UNSET)
            continue;
        const char *field = field_worth(s, sizes[i].fields, sizes[i].count, sizes[i].value, sizes[i].times);
        const char *text = field ? field : ridge_arena_printf(s->calc->arena, "%lld", (long long)sizes[i].value);
        if (!text)
            return ridge_no_memory(s->calc->err);
        ridge_jw_member_text(w, sizes[i].name, text);
    }
    if (!square && used->image_height != RIDGE_UNSET) {
        const char *text = ridge_arena_printf(s->calc->arena, "[%lld, %lld]", (long long)used->image_height, (long long)used->image_width);
        if (!text)
            return ridge_no_memory(s->calc->err);
        ridge_jw_member_text(w, "image", text);
    }
    return RIDGE_OK;
}

bool ridge_config_is_encoder_decoder(const ridge_config_scope *s, const ridge_derive_workload *used)
{
    for (size_t i = 0; i < s->config->count; i++)
        if (strcmp(s->config->fields[i].path, "is_encoder_decoder") == 0)
            return used->decoder_seq != RIDGE_UNSET ||
                   (used->seq != RIDGE_UNSET && s->config->fields[i].value.type == RIDGE_PY_T_BOOL && s->config->fields[i].value.u.b);
    return used->decoder_seq != RIDGE_UNSET;
}

ridge_status ridge_config_workload(ridge_json_writer *w, const ridge_config_scope *s, const ridge_derive_workload *used)
{
    ridge_status st = positions(w, s);
    return st ? st : media(w, s, used);
}
