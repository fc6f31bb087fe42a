/* One point after another: names with texts, wherever they come from, become a problem and its time (points.h). */
#include "bench/points.h"

#include <math.h>

#include "base/sha256.h"
#include "bench/cases.h"
#include "measure/fingerprint.h"
#include "measure/store_fields.h"
#include "measure/store_text.h"
#include "report/csv_read.h"
#include "report/record_read.h"

/* ---- one point ---- */

#define TEXT_LIST(X)                                                                                                                       \
    X(kernel)                                                                                                                              \
    X(format)                                                                                                                              \
    X(activations)                                                                                                                         \
    X(provider)                                                                                                                            \
    X(variant)                                                                                                                             \
    X(cache)                                                                                                                               \
    X(causal)                                                                                                                              \
    X(threads)                                                                                                                             \
    X(time)                                                                                                                                \
    X(time_s)                                                                                                                              \
    X(low_s)                                                                                                                               \
    X(high_s)
typedef enum point_text {
#define X(name) TEXT_##name,
    TEXT_LIST(X) TEXTS
#undef X
} point_text;
static const char *const text_names[] = {
#define X(name) #name,
    TEXT_LIST(X)
#undef X
};

enum { IN_ORDER_MOST = 3 };

typedef struct point {
    const char *texts[TEXTS]; /* NULL: not given */
    int64_t sizes[RIDGE_BENCH_SIZES];
    int64_t in_order[IN_ORDER_MOST]; /* sizes that were given without names */
    unsigned in_order_count;
} point;

typedef struct reading {
    const ridge_points_asked *asked;
    const char *file;
    ridge_collection all;
    const char *machine, *source; /* what the text says of them */
} reading;

static point no_point(void)
{
    point p = {.in_order_count = 0};
    for (unsigned i = 0; i < RIDGE_BENCH_SIZES; i++)
        p.sizes[i] = RIDGE_UNSET;
    return p;
}

static ridge_status read_size(int64_t *out, ridge_str text, const char *what, ridge_err *err)
{
    ridge_int value;
    if (!ridge_int_parse(&value, text) || value < 0 || value > INT64_MAX)
        return ridge_fail(err, RIDGE_VALUE, "%s: wanted a whole number, found '%.*s'", what, text.n > 40 ? 40 : (int)text.n, text.p);
    *out = (int64_t)value;
    return RIDGE_OK;
}

static ridge_status add_in_order(point *p, ridge_str text, ridge_err *err)
{
    if (p->in_order_count == IN_ORDER_MOST)
        return ridge_fail(err, RIDGE_VALUE, "shape: at most %d sizes without names: m x n x k of a gemm, n x k of a gemv", IN_ORDER_MOST);
    return read_size(&p->in_order[p->in_order_count++], text, "shape", err);
}

/* "4096x4096x4096" */
static ridge_status set_shape(point *p, ridge_str text, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (size_t from = 0, at = 0; at <= text.n && !st; at++)
        if (at == text.n || text.p[at] == 'x') {
            st = add_in_order(p, (ridge_str){text.p + from, at - from}, err);
            from = at + 1;
        }
    return st;
}

static bool is_name(ridge_str key, const char *name)
{
    bool same = key.n == strlen(name);
    for (size_t i = 0; i < key.n && same; i++)
        same = key.p[i] == name[i] || (key.p[i] == '_' && name[i] == '-');
    return same;
}

/* a name and its text; "" is what is not known */
static ridge_status set(point *p, ridge_str key, ridge_str text, ridge_arena *arena, ridge_err *err)
{
    ridge_nearest nearest = {0};
    if (text.n == 0)
        return RIDGE_OK;
    for (unsigned i = 0; i < RIDGE_BENCH_SIZES; i++) {
        if (is_name(key, ridge_bench_size_options[i]))
            return read_size(&p->sizes[i], text, ridge_bench_size_options[i], err);
        ridge_nearest_offer(&nearest, key, ridge_bench_size_options[i]);
    }
    if (ridge_str_is(key, "shape"))
        return set_shape(p, text, err);
    for (unsigned i = 0; i < TEXTS; i++) {
        if (ridge_str_is(key, text_names[i]))
            return (p->texts[i] = ridge_arena_strdup(arena, text)) ? RIDGE_OK : ridge_no_memory(err);
        ridge_nearest_offer(&nearest, key, text_names[i]);
    }
    return ridge_fail(err, RIDGE_NAME, "a point has no '%.*s'%s%s%s", key.n > 40 ? 40 : (int)key.n, key.p,
                      nearest.best ? "; did you mean '" : "", nearest.best ? nearest.best : "", nearest.best ? "'?" : "");
}

/* ---- what it was ---- */

static bool has_size(const point *p, ridge_bench_size size)
{
    return p->sizes[size] != RIDGE_UNSET;
}

static ridge_status find_kind(ridge_kernel_kind *out, const point *p, ridge_err *err)
{
    if (p->texts[TEXT_kernel])
        return ridge_bench_kind_find(out, p->texts[TEXT_kernel], err);
    if (p->in_order_count == 3 || has_size(p, RIDGE_BENCH_m))
        *out = RIDGE_KERNEL_KIND_GEMM;
    else if (p->in_order_count == 2 || has_size(p, RIDGE_BENCH_k))
        *out = RIDGE_KERNEL_KIND_GEMV;
    else if (has_size(p, RIDGE_BENCH_seq) && has_size(p, RIDGE_BENCH_head_dim))
        *out = RIDGE_KERNEL_KIND_ATTENTION;
    else
        return ridge_fail(err, RIDGE_VALUE, "kernel: it is not clear of which kernel these sizes are: say \"gemm\", \"softmax\", ...");
    return RIDGE_OK;
}

/* sizes without names get those of the kind */
static ridge_status name_sizes(point *p, ridge_kernel_kind kind, ridge_err *err)
{
    static const ridge_bench_size gemm[] = {RIDGE_BENCH_m, RIDGE_BENCH_n, RIDGE_BENCH_k}, table[] = {RIDGE_BENCH_rows, RIDGE_BENCH_cols};
    const bool is_gemm = kind == RIDGE_KERNEL_KIND_GEMM, is_gemv = kind == RIDGE_KERNEL_KIND_GEMV;
    const bool named = kind == RIDGE_KERNEL_KIND_ATTENTION || kind == RIDGE_KERNEL_KIND_ROPE || kind == RIDGE_KERNEL_KIND_EMBEDDING ||
                       kind == RIDGE_KERNEL_KIND_WKV;
    const ridge_bench_size *names = is_gemm ? gemm : is_gemv ? gemm + 1 : table;
    const unsigned wanted = is_gemm ? 3 : 2;
    if (p->in_order_count > 0 && (named || p->in_order_count != wanted))
        return ridge_fail(err, RIDGE_VALUE, "shape: %s",
                          named     ? "its sizes need names: {\"seq\": 512, \"heads\": 32, ...}"
                          : is_gemm ? "a gemm has three sizes, m x n x k"
                          : is_gemv ? "a gemv has two sizes, n x k"
                                    : "it has two sizes, rows x cols");
    for (unsigned i = 0; i < p->in_order_count; i++)
        p->sizes[names[i]] = p->in_order[i];
    return RIDGE_OK;
}

/* what is multiplied in the format is of it on both sides; what is only kept in it meets 16 bits */
static ridge_status find_formats(ridge_problem *problem, const point *p, ridge_err *err)
{
    const char *format = p->texts[TEXT_format], *activations = p->texts[TEXT_activations];
    if (!format)
        return ridge_fail(err, RIDGE_VALUE, "format is missing");
    ridge_status st = ridge_format_read(&problem->weights, ridge_str_of(format), "format", err);
    if (!st && activations)
        st = ridge_format_read(&problem->activations, ridge_str_of(activations), "activations", err);
    else if (!st)
        problem->activations = ridge_format_is_weight_only(problem->weights) ? ridge_format_find(RIDGE_STR("bf16")) : problem->weights;
    return st;
}

static ridge_status find_problem(ridge_problem *problem, point *p, ridge_err *err)
{
    const char *causal = p->texts[TEXT_causal];
    *problem = (ridge_problem){0};
    if (causal && strcmp(causal, "true") != 0 && strcmp(causal, "false") != 0)
        return ridge_fail(err, RIDGE_VALUE, "causal: true or false, not '%s'", causal);
    ridge_status st = find_kind(&problem->kind, p, err);
    if (!st && !(st = name_sizes(p, problem->kind, err)) && !(st = find_formats(problem, p, err)))
        st = ridge_bench_problem_sizes(problem, p->sizes, causal && causal[0] == 't', err);
    return st;
}

/* ---- what it took ---- */

static ridge_status read_seconds(double *out, const point *p, point_text which, ridge_err *err)
{
    const char *text = p->texts[which];
    if (!ridge_seconds_parse(out, text) || !(*out > 0) || !isfinite(*out))
        return ridge_fail(err, RIDGE_VALUE, "%s: wanted a time above 0, found '%s'", text_names[which], text);
    return RIDGE_OK;
}

static ridge_status read_time(ridge_sample_statistics *out, const point *p, ridge_err *err)
{
    const char *time = p->texts[TEXT_time];
    const point_text which = p->texts[TEXT_time_s] ? TEXT_time_s : TEXT_time;
    ridge_status st = RIDGE_OK;
    if (!p->texts[which] || (time && p->texts[TEXT_time_s]))
        return ridge_fail(err, RIDGE_VALUE, "%s", time ? "time and time_s: give one of the two" : "its time is missing: time or time_s");
    if (time && strspn(time, "0123456789.eE+- ") == strlen(time))
        return ridge_fail(err, RIDGE_VALUE, "time: '%s' has no unit: \"%s ms\", or time_s in seconds", time, time);
    if ((st = read_seconds(&out->median_s, p, which, err)))
        return st;
    out->low_s = out->high_s = out->median_s;
    if (p->texts[TEXT_low_s])
        st = read_seconds(&out->low_s, p, TEXT_low_s, err);
    if (!st && p->texts[TEXT_high_s])
        st = read_seconds(&out->high_s, p, TEXT_high_s, err);
    return st;
}

static ridge_status read_threads(unsigned *out, const point *p, ridge_err *err)
{
    int64_t threads = 1;
    ridge_status st = p->texts[TEXT_threads] ? read_size(&threads, ridge_str_of(p->texts[TEXT_threads]), "threads", err) : RIDGE_OK;
    if (!st && (threads < 1 || threads > 65536))
        return ridge_fail(err, RIDGE_VALUE, "threads: 1 to 65536");
    *out = (unsigned)threads;
    return st;
}

static ridge_status read_cache(ridge_cache_state *out, const point *p, ridge_err *err)
{
    const char *cache = p->texts[TEXT_cache];
    *out = cache && strcmp(cache, "cold") == 0 ? RIDGE_CACHE_COLD : RIDGE_CACHE_HOT;
    if (cache && strcmp(cache, ridge_cache_state_names[*out]) != 0)
        return ridge_fail(err, RIDGE_VALUE, "cache: hot or cold, not '%s'", cache);
    return RIDGE_OK;
}

/* ---- a row of it ---- */

static ridge_status count(ridge_measured_row *row, const ridge_problem *problem, ridge_ops *ops, ridge_err *err)
{
    ridge_bench_cost cost;
    ridge_arena scratch;
    ridge_err why = {0}; /* its place is the catalog's */
    ridge_arena_init(&scratch);
    ridge_status st = ridge_bench_cost_of(&cost, problem, ops, &scratch, &why);
    if (st)
        st = ridge_fail(err, st, "%s", why.msg);
    else {
        row->flops = cost.record.flops.total;
        row->bytes = cost.record.bytes;
        row->flops_per_s = (double)row->flops / row->time.median_s;
        row->bytes_per_s = (double)row->bytes / row->time.median_s;
    }
    ridge_arena_free(&scratch);
    return st;
}

static ridge_status add_point(reading *r, point *p)
{
    ridge_err *err = r->asked->err;
    ridge_store_run *run = &r->all.m->runs[r->all.m->run_count - 1];
    ridge_measured_row row = ridge_measured_row_unknown();
    ridge_problem problem;
    ridge_status st = find_problem(&problem, p, err);
    if (st || (st = read_time(&row.time, p, err)) || (st = read_threads(&row.threads, p, err)) || (st = read_cache(&row.cache, p, err)) ||
        (st = count(&row, &problem, r->asked->ops, err)))
        return st;
    row.time.mad_s = row.time.minimum_s = 0;
    row.kernel = ridge_kernel_kind_names[problem.kind];
    row.provider = p->texts[TEXT_provider] ? p->texts[TEXT_provider] : "imported";
    row.variant = p->texts[TEXT_variant] ? p->texts[TEXT_variant] : "imported";
    row.shape = ridge_bench_shape_json(&problem, r->asked->arena);
    row.format = problem.weights->name;
    row.activations = problem.activations->name;
    row.run = run->id;
    ridge_measured_row *to = row.shape ? ridge_collection_row(&r->all) : NULL;
    if (!to)
        return ridge_no_memory(err);
    *to = row;
    run->row_count = ++run->rows;
    return ridge_row_check(to, err);
}

/* what is wrong with a file is no wrong use */
static ridge_status as_data(ridge_status st, ridge_err *err)
{
    if (st == RIDGE_USAGE && err)
        err->code = RIDGE_VALUE;
    return st == RIDGE_USAGE ? RIDGE_VALUE : st;
}

/* ---- JSON ---- */

static ridge_str text_of(const ridge_json *v)
{
    switch (v->type) {
    case RIDGE_JSON_NULL:
        return RIDGE_STR("");
    case RIDGE_JSON_TRUE:
        return RIDGE_STR("true");
    case RIDGE_JSON_FALSE:
        return RIDGE_STR("false");
    default:
        return v->u.text;
    }
}

static bool is_plain(const ridge_json *v)
{
    return v->type != RIDGE_JSON_ARRAY && v->type != RIDGE_JSON_OBJECT;
}

static ridge_status set_json(point *p, ridge_str key, const ridge_json *v, const ridge_record_source *source)
{
    ridge_status st = RIDGE_OK;
    if (is_plain(v))
        return ridge_record_at(source, set(p, key, text_of(v), source->arena, source->err), v);
    if (!ridge_str_is(key, "shape"))
        return ridge_record_at(source,
                               ridge_fail(source->err, RIDGE_TYPE, "%.*s: wanted a number or a text, found %s",
                                          key.n > 40 ? 40 : (int)key.n, key.p, ridge_json_type_name(v->type)),
                               v);
    for (uint32_t i = 0; i < v->count && !st; i++) {
        const bool in_order = v->type == RIDGE_JSON_ARRAY;
        const ridge_json *size = in_order ? &v->u.items[i] : &v->u.members[i].value;
        if (!is_plain(size))
            st = ridge_fail(source->err, RIDGE_TYPE, "shape: wanted a number, found %s", ridge_json_type_name(size->type));
        else
            st = in_order ? add_in_order(p, text_of(size), source->err)
                          : set(p, v->u.members[i].key, text_of(size), source->arena, source->err);
        st = ridge_record_at(source, st, size);
    }
    return st;
}

static ridge_status read_point(reading *r, const ridge_json *v, const ridge_record_source *source)
{
    point p = no_point();
    ridge_status st = ridge_record_need(source, v, RIDGE_JSON_OBJECT, "a point");
    for (uint32_t i = 0; i < (st ? 0 : v->count) && !st; i++)
        st = set_json(&p, v->u.members[i].key, &v->u.members[i].value, source);
    return st ? st : ridge_record_at(source, as_data(add_point(r, &p), source->err), v);
}

static ridge_status read_about(reading *r, const ridge_json **points, const ridge_json *root, const ridge_record_source *source)
{
    *points = root;
    for (uint32_t i = 0; root->type == RIDGE_JSON_OBJECT && i < root->count; i++) {
        const ridge_json_member *m = &root->u.members[i];
        const bool machine = ridge_str_is(m->key, "machine");
        if (ridge_str_is(m->key, "points")) {
            *points = &m->value;
            continue;
        }
        if (!machine && !ridge_str_is(m->key, "source"))
            return ridge_record_at(source,
                                   ridge_fail(source->err, RIDGE_NAME, "beside points stand machine and source alone, not '%.*s'",
                                              m->key.n > 40 ? 40 : (int)m->key.n, m->key.p),
                                   &m->value);
        ridge_status st = ridge_record_need(source, &m->value, RIDGE_JSON_STRING, machine ? "machine" : "source");
        if (st)
            return st;
        *(machine ? &r->machine : &r->source) = ridge_arena_strdup(source->arena, m->value.u.text);
    }
    return ridge_record_need(source, *points, RIDGE_JSON_ARRAY, "points");
}

static ridge_status read_json(reading *r, const ridge_json *root, const ridge_record_source *source)
{
    const ridge_json *points;
    ridge_status st = read_about(r, &points, root, source);
    for (uint32_t i = 0; !st && i < points->count; i++)
        st = read_point(r, &points->u.items[i], source);
    return st;
}

/* ---- CSV ---- */

static ridge_status read_csv(reading *r, ridge_csv *c)
{
    ridge_csv_cell names[RIDGE_CSV_COLUMNS_MOST];
    size_t columns, count;
    ridge_status st = ridge_csv_line(c, &columns);
    if (!st && columns > RIDGE_CSV_COLUMNS_MOST)
        st = ridge_csv_at(c, ridge_fail(c->err, RIDGE_SYNTAX, "more than %d columns", RIDGE_CSV_COLUMNS_MOST), &c->cells[0]);
    memcpy(names, c->cells, sizeof names);
    while (!st && c->at < c->text.n) {
        point p = no_point();
        if ((st = ridge_csv_line(c, &count)) || (count == 1 && c->cells[0].text.n == 0))
            continue; /* a line that is empty */
        if (count != columns)
            st = ridge_csv_at(c, ridge_fail(c->err, RIDGE_SYNTAX, "%zu columns, wanted %zu", count, columns), &c->cells[0]);
        for (size_t i = 0; !st && i < columns; i++)
            st = ridge_csv_at(c, set(&p, names[i].text, c->cells[i].text, c->arena, c->err), &c->cells[i]);
        if (!st)
            st = ridge_csv_at(c, as_data(add_point(r, &p), c->err), &c->cells[0]);
    }
    return st;
}

/* ---- the run of them ---- */

static ridge_status begin(reading *r, ridge_measurements *out, const ridge_points_asked *asked, const char *file)
{
    *out = (ridge_measurements){0};
    *r = (reading){.asked = asked, .file = file, .all = {.m = out, .arena = asked->arena}};
    return ridge_collection_run(&r->all) ? RIDGE_OK : ridge_no_memory(asked->err);
}

static ridge_status find_machine(ridge_fingerprint *out, const reading *r)
{
    const char *name = r->asked->machine ? r->asked->machine : r->machine ? r->machine : "unknown";
    if (strcmp(name, "this") == 0)
        return ridge_fingerprint_read(out, r->asked->arena, r->asked->err);
    return ridge_fingerprint_of_name(out, name, r->asked->arena, r->asked->err);
}

static const char *settings_of(const reading *r)
{
    ridge_buf text = {0};
    ridge_json_writer w;
    ridge_jw_init(&w, &text);
    ridge_jw_object_compact(&w);
    ridge_jw_key(&w, "imported");
    ridge_jw_bool(&w, true);
    if (r->source) {
        ridge_jw_key(&w, "source");
        ridge_jw_strz(&w, r->source);
    }
    ridge_jw_end_object(&w);
    return ridge_arena_take(r->asked->arena, &text);
}

/* the same text of the same machine is the same run */
static ridge_status end(reading *r, ridge_str text)
{
    ridge_arena *arena = r->asked->arena;
    ridge_store_run *run = &r->all.m->runs[0];
    char digest[65], now[RIDGE_STORE_DATE_CHARS];
    ridge_fingerprint *machine = ridge_arena_alloc(arena, sizeof *machine);
    ridge_status st = machine ? find_machine(machine, r) : ridge_no_memory(r->asked->err);
    if (st)
        return st;
    if (run->rows == 0)
        return ridge_fail_at(r->asked->err, RIDGE_VALUE, r->file, 1, 1, "there is no point in it");
    ridge_sha256(digest, text);
    ridge_store_now(now);
    run->uuid = ridge_arena_printf(arena, "%.16s%s", digest, machine->digits);
    run->started = run->finished = ridge_arena_strdup(arena, ridge_str_of(now));
    run->ridge = RIDGE_VERSION;
    run->build = "imported points";
    run->machine = machine->digits;
    run->machine_text = machine->text;
    run->settings = settings_of(r);
    for (size_t i = 0; i < run->rows; i++)
        r->all.m->rows[i].machine = run->machine;
    return run->uuid && run->started && run->settings ? RIDGE_OK : ridge_no_memory(r->asked->err);
}

static bool is_points_json(const ridge_json *root)
{
    return root->type == RIDGE_JSON_ARRAY || ridge_json_get(root, "points");
}

/* a header that has a format and no run's columns */
static bool is_points_csv(const ridge_csv *at_start)
{
    ridge_csv c = *at_start;
    size_t count;
    bool format = false, run = false;
    c.err = NULL;
    if (ridge_csv_line(&c, &count))
        return false;
    for (size_t i = 0; i < count && i < RIDGE_CSV_COLUMNS_MOST; i++) {
        format = format || ridge_str_is(c.cells[i].text, "format");
        run = run || ridge_str_is(c.cells[i].text, "row_count");
    }
    return format && !run;
}

static ridge_status json_read(ridge_measurements *out, ridge_str text, const char *file, const ridge_points_asked *asked)
{
    const ridge_record_source source = {text, file, asked->arena, asked->err};
    ridge_json *root;
    reading r;
    ridge_status st = ridge_json_parse(&root, text, file, (ridge_json_options){.unique_keys = true}, asked->arena, asked->err);
    if (st || !is_points_json(root))
        return st ? st : ridge_measurements_read_root(out, root, &source);
    if (!(st = begin(&r, out, asked, file)) && !(st = read_json(&r, root, &source)))
        st = end(&r, text);
    return st;
}

static ridge_status csv_read(ridge_measurements *out, ridge_str text, const char *file, const ridge_points_asked *asked)
{
    reading r;
    ridge_csv *c = ridge_arena_alloc(asked->arena, sizeof *c);
    ridge_status st = c ? ridge_csv_begin(c, text, file, asked->arena, asked->err) : ridge_no_memory(asked->err);
    if (st || !is_points_csv(c))
        return st ? st : ridge_measurements_read_csv(out, text, file, asked->arena, asked->err);
    if (!(st = begin(&r, out, asked, file)) && !(st = read_csv(&r, c)))
        st = end(&r, text);
    return st;
}

ridge_status ridge_points_or_runs_read(ridge_measurements *out, ridge_str text, const char *file, const ridge_points_asked *asked)
{
    return ridge_measurements_is_json(text) ? json_read(out, text, file, asked) : csv_read(out, text, file, asked);
}
