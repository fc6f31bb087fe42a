/* A machine as JSON (machine.h). */
#include "machine/fields.h"

static void write_flops(ridge_json_writer *w, const char *key, const int64_t *flops_per_s)
{
    ridge_jw_key(w, key);
    ridge_jw_object(w);
    for (size_t p = 0; p < RIDGE_PRECISION_COUNT; p++)
        ridge_jw_member_whole(w, ridge_precision_names[p], flops_per_s[p]);
    ridge_jw_end_object(w);
}

static void write_memory(ridge_json_writer *w, const ridge_machine *m)
{
    ridge_jw_key(w, "memory");
    ridge_jw_array(w);
    for (size_t i = 0; i < m->level_count; i++) {
        ridge_jw_object_compact(w);
        ridge_jw_member_text(w, "level", m->levels[i].name);
        ridge_jw_member_text(w, "type", m->levels[i].type);
        ridge_jw_member_whole(w, "bytes_per_s", m->levels[i].bytes_per_s);
        ridge_jw_member_whole(w, "capacity_bytes", m->levels[i].capacity_bytes);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
}

static void write_links(ridge_json_writer *w, const ridge_machine *m)
{
    ridge_jw_key(w, "links");
    ridge_jw_array(w);
    for (size_t i = 0; i < m->link_count; i++) {
        ridge_jw_object_compact(w);
        ridge_jw_member_text(w, "kind", ridge_link_kind_names[m->links[i].kind]);
        ridge_jw_member_text(w, "name", m->links[i].name);
        ridge_jw_member_whole(w, "bytes_per_s", m->links[i].bytes_per_s);
        ridge_jw_member_real(w, "latency_s", m->links[i].latency_s);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
}

static void write_achieved(ridge_json_writer *w, const ridge_machine_achieved *a)
{
    ridge_jw_key(w, "achieved");
    if (!a->source) {
        ridge_jw_null(w);
        return;
    }
    ridge_jw_object(w);
    write_flops(w, "flops_per_s", a->flops_per_s);
    ridge_jw_member_whole(w, "bytes_per_s", a->bytes_per_s);
    ridge_jw_member_text(w, "source", a->source);
    ridge_jw_end_object(w);
}

void ridge_machine_json_origin(ridge_json_writer *w, const ridge_machine *m)
{
    ridge_jw_key(w, "sources");
    ridge_jw_object(w);
    for (size_t i = 0; i < m->source_count; i++)
        ridge_jw_member_text(w, m->sources[i].field, m->sources[i].text);
    ridge_jw_end_object(w);
    ridge_jw_key(w, "unverified");
    ridge_jw_array(w);
    for (size_t i = 0; i < m->unverified_count; i++)
        ridge_jw_strz(w, m->unverified[i]);
    ridge_jw_end_array(w);
    ridge_jw_key(w, "notes");
    ridge_jw_array(w);
    for (size_t i = 0; i < m->note_count; i++)
        ridge_jw_strz(w, m->notes[i]);
    ridge_jw_end_array(w);
}

void ridge_machine_json_members(ridge_json_writer *w, const ridge_machine *m)
{
    ridge_jw_member_text(w, "id", m->id);
    ridge_jw_member_text(w, "name", m->name);
    ridge_jw_member_text(w, "vendor", m->vendor);
    ridge_jw_member_text(w, "kind", m->kind);
    ridge_jw_member_text(w, "arch", m->arch);
    ridge_jw_member_whole(w, "year", m->year);
    ridge_jw_member_text(w, "inherits", m->inherits);
    if (m->file)
        ridge_jw_member_text(w, "file", m->file);
    write_flops(w, "peak_flops_per_s", m->peak_flops_per_s);
    write_memory(w, m);
    write_links(w, m);
    ridge_jw_member_whole(w, "compute_units", m->compute_units);
    ridge_jw_member_whole(w, "shared_bytes", m->shared_bytes);
    ridge_jw_member_whole(w, "clock_hz", m->clock_hz);
    ridge_jw_member_whole(w, "power_w", m->power_w);
    ridge_jw_member_real(w, "launch_overhead_s", m->launch_overhead_s);
    write_achieved(w, &m->achieved);
    ridge_machine_json_origin(w, m);
}

void ridge_machine_json(ridge_json_writer *w, const ridge_machine *m)
{
    ridge_jw_object(w);
    ridge_machine_json_members(w, m);
    ridge_jw_end_object(w);
}
