#include "measure/row.h"

#include "base/json.h"
#include "measure/store_fields.h"

const char *const ridge_cache_state_names[] = {"hot", "cold"};

void ridge_measured_row_json_members(ridge_json_writer *w, const ridge_measured_row *row)
{
    ridge_fields_json(w, &ridge_row_fields, row);
    ridge_jw_member_text(w, "machine", row->machine);
}

void ridge_measured_row_json(ridge_json_writer *w, const ridge_measured_row *row)
{
    ridge_jw_object_compact(w);
    ridge_measured_row_json_members(w, row);
    ridge_jw_end_object(w);
}
