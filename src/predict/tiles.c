#include "predict/tiles.h"

#include <math.h>

#include "predict/roofline.h"
#include "predict/seconds.h"

#define STEP_BYTES        128 /* one swizzled row of a pipeline step, CUTLASS */
#define MOST_STAGES       4   /* CUTLASS' defaults on Ampere and Ada; of small tiles cuBLAS has kernels of 6 ("64x64_64x6") */
#define SMALL_STAGES      6
#define SMALL_TILE        (64 * 64)
#define AUTO_STAGES       12           /* Hopper: as many as fit ("StageCountAuto"), within reason */
#define MOST_BLOCKS       8            /* resident on one unit that a matrix kernel makes use of */
#define ACCUMULATOR_BYTES (128 * 1024) /* half of the registers of one unit hold fp32 accumulators, the rest addresses and fragments */
#define MOST_SPLITS       32
#define SPLIT_WAVES       4 /* more waves than that are full enough: nobody splits k further */

/* NVIDIA's guide lists 256x128, 128x256, 128x128, 256x64, 64x256, 128x64, 64x128, 64x64; the skinny ones are those of decode kernels, 16
 * being the least rows of an mma.sync tile. */
static const ridge_tile_shape sizes[] = {
    {256, 128, 1}, {128, 256, 1}, {128, 128, 1}, {256, 64, 1}, {64, 256, 1}, {128, 64, 1}, {64, 128, 1},
    {64, 64, 1},   {32, 128, 1},  {128, 32, 1},  {32, 64, 1},  {64, 32, 1},  {16, 128, 1}, {128, 16, 1},
};

/* ---- the grid ---- */

static void cut(ridge_tiling *t, const ridge_tile_problem *p, const ridge_sustained *s)
{
    const ridge_tile_shape *shape = &t->shape;
    double m = (double)p->m, n = (double)p->n, k = (double)p->k, step = (double)t->tile_k;
    double k_padded = ceil(k / (step * (double)shape->splits)) * step * (double)shape->splits;
    t->grid_m = ceil(m / (double)shape->tile_m);
    t->grid_n = ceil(n / (double)shape->tile_n);
    t->blocks = t->grid_m * t->grid_n * (double)shape->splits;
    t->waves = ceil(t->blocks / s->units);
    t->wave_efficiency = t->blocks / (t->waves * s->units);
    t->tile_efficiency = m / (t->grid_m * (double)shape->tile_m) * (n / (t->grid_n * (double)shape->tile_n)) * (k / k_padded);
}

/* false: not even two stages fit */
static bool place(ridge_tiling *t, const ridge_tile_problem *p, const ridge_sustained *s)
{
    double step = ((double)t->shape.tile_m * p->a_bits + (double)t->shape.tile_n * p->b_bits) / 8 * (double)t->tile_k;
    double sums = (double)t->shape.tile_m * (double)t->shape.tile_n * 4;
    bool small = t->shape.tile_m * t->shape.tile_n <= SMALL_TILE;
    t->stages = (int64_t)smaller(s->multicast ? AUTO_STAGES : small ? SMALL_STAGES : MOST_STAGES, floor(s->unit_shared_bytes / step));
    if (t->stages < 2)
        return false;
    t->block_shared_bytes = (double)t->stages * step;
    t->blocks_per_unit = (int64_t)smaller(smaller(s->unit_shared_bytes / t->block_shared_bytes, ACCUMULATOR_BYTES / sums), MOST_BLOCKS);
    return t->blocks_per_unit >= 1;
}

/* ---- the bytes ---- */

/* What all tiles read through the shared cache: A once per column of tiles, B once per row; with clusters of two, one read serves two. */
static double tile_reads(const ridge_tiling *t, const ridge_sustained *s, double a_bytes, double b_bytes)
{
    double a = a_bytes * t->grid_n, b = b_bytes * t->grid_m;
    if (s->multicast) {
        double half_a = t->grid_n > 1 ? a / 2 + b : a + b, half_b = t->grid_m > 1 ? a + b / 2 : a + b;
        return smaller(half_a, half_b);
    }
    return a + b;
}

/* Main memory: each operand once while both stay in the cache; else each wave reads the rows and columns of its tiles, which the
 * rasterisation keeps as square as it can (CUTLASS "threadblock swizzle"). */
static double memory_reads(const ridge_tiling *t, const ridge_sustained *s, double a_bytes, double b_bytes)
{
    double once = a_bytes + b_bytes;
    if (s->cache_bytes <= 0 || smaller(a_bytes, b_bytes) <= s->cache_bytes / 2 || t->waves <= 1)
        return once;
    double row_bytes = a_bytes / t->grid_m, column_bytes = b_bytes / t->grid_n, tiles = smaller(s->units, t->blocks);
    double rows = smaller(t->grid_m, larger(1, sqrt(tiles * column_bytes / row_bytes))), columns = smaller(t->grid_n, tiles / rows);
    return larger(once, t->blocks / (rows * columns) * (rows * row_bytes + columns * column_bytes));
}

static void count_bytes(ridge_tiling *t, const ridge_tile_problem *p, const ridge_sustained *s)
{
    double sums = t->shape.splits > 1 ? 2 * (double)t->shape.splits * (double)p->m * (double)p->n * 4 : 0; /* fp32, written and read */
    double a_hits = ridge_cache_hit_share(s, p->a_reuse_bytes), b_hits = ridge_cache_hit_share(s, p->b_reuse_bytes);
    t->cache_bytes = tile_reads(t, s, p->a_bytes, p->b_bytes) + p->c_bytes + sums;
    t->memory_read_bytes = memory_reads(t, s, p->a_bytes, p->b_bytes) - a_hits * p->a_bytes - b_hits * p->b_bytes;
    t->memory_written_bytes =
        p->c_bytes * (1 - smaller(a_hits, b_hits)); /* what is in a cycle that fits is written over before it leaves */
}

/* ---- the time ---- */

/* Into one unit: its port, or what its blocks have asked for and wait for (Little's law), whichever is less. */
static double port_rate(const ridge_tiling *t, const ridge_sustained *s, double step_bytes, double hit_share)
{
    double latency = hit_share * s->cache_latency_s + (1 - hit_share) * s->memory_latency_s;
    double resident = smaller((double)t->blocks_per_unit, ceil(t->blocks / s->units));
    return smaller(s->port_bytes_per_s, resident * (double)(t->stages - 1) * step_bytes / latency);
}

/* The busiest unit works off `waves` tiles one after the other, at its share of the rate. */
static void take_time(ridge_tiling *t, const ridge_tile_problem *p, const ridge_sustained *s)
{
    double k = (double)p->k / (double)t->shape.splits;
    double rows = smaller(1, (double)t->shape.tile_m / (double)p->m), columns = smaller(1, (double)t->shape.tile_n / (double)p->n);
    double flops = 2 * (double)p->m * (double)p->n * (double)p->k / t->tile_efficiency / t->wave_efficiency;
    double tile_bytes = (rows * p->a_bytes + columns * p->b_bytes) / (double)t->shape.splits, result_bytes = rows * columns * p->c_bytes;
    bool overlaps = t->blocks_per_unit > 1 || s->multicast; /* another block, or a producer warp, works while one stores */
    t->compute_s = seconds(flops, s->matrix_flops_per_s);
    t->cache_s = seconds(t->cache_bytes, s->cache_bytes_per_s);
    double hit_share = smaller(ridge_cache_hit_share(s, p->a_reuse_bytes), ridge_cache_hit_share(s, p->b_reuse_bytes));
    t->port_s = t->waves * tile_bytes / port_rate(t, s, tile_bytes / k * (double)t->tile_k, hit_share);
    t->memory_s = ridge_sustained_memory_s(s, t->memory_read_bytes, t->memory_written_bytes);
    t->fill_s = s->memory_latency_s + seconds((overlaps ? 1 : t->waves) * result_bytes, s->port_bytes_per_s);
    if (t->shape.splits > 1)
        t->fill_s += s->kernel_s;
    double bytes_s = larger(t->cache_s, larger(t->port_s, t->memory_s)), steps = ceil(k / (double)t->tile_k);
    t->fill_s += smaller(t->compute_s, bytes_s) / steps / (double)t->blocks_per_unit; /* the first step of a tile overlaps nothing */
    t->time_s = s->kernel_s + t->fill_s + larger(t->compute_s, bytes_s);
}

void ridge_tiling_of(ridge_tiling *out, const ridge_sustained *s, const ridge_tile_problem *problem, ridge_tile_shape shape)
{
    *out = (ridge_tiling){.shape = shape};
    out->tile_k = (int64_t)larger(1, floor(STEP_BYTES * 8 / larger(problem->a_bits, problem->b_bits)));
    cut(out, problem, s);
    if (!place(out, problem, s)) {
        out->time_s = INFINITY;
        return;
    }
    count_bytes(out, problem, s);
    take_time(out, problem, s);
}

bool ridge_tiling_best(ridge_tiling *out, const ridge_sustained *s, const ridge_tile_problem *problem)
{
    out->time_s = INFINITY;
    if (s->units <= 0)
        return false;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ridge_tile_shape shape = sizes[i];
        for (; shape.splits <= MOST_SPLITS; shape.splits *= 2) {
            ridge_tiling t;
            ridge_tiling_of(&t, s, problem, shape);
            if (t.time_s < out->time_s)
                *out = t;
            if (t.blocks >= SPLIT_WAVES * s->units || (double)problem->k < 4 * (double)(t.tile_k * shape.splits))
                break; /* blocks enough, or too short to cut again */
        }
    }
    return isfinite(out->time_s);
}

static double bits_of(const ridge_format *format)
{
    return (double)format->bits.num / (double)format->bits.den;
}

/* whole blocks per row, as doubles; exact counts end here */
static ridge_status bytes_of(double *bytes, const ridge_format *format, int64_t rows, int64_t columns, ridge_err *err)
{
    ridge_int exact;
    if (!ridge_format_bytes(&exact, format, rows, columns))
        return ridge_fail(err, RIDGE_OVERFLOW, "a matrix of that size in %s does not fit in 128 bits of bytes", format->name);
    *bytes = (double)exact;
    return RIDGE_OK;
}

ridge_status ridge_tiling_find(ridge_tiling *out, ridge_precision *used, const ridge_machine *machine, const ridge_format *a,
                               const ridge_format *b, const ridge_format *c, int64_t m, int64_t n, int64_t k, ridge_err *err)
{
    ridge_computes_at at;
    if (m < 1 || n < 1 || k < 1)
        return ridge_fail(err, RIDGE_VALUE, "a matrix product has sizes of at least 1, not %lld x %lld x %lld", (long long)m, (long long)n,
                          (long long)k);
    ridge_status st = ridge_computes_at_find(&at, machine, a, b, err);
    if (st)
        return st;
    ridge_sustained s = ridge_sustained_of(machine, at.used);
    ridge_tile_problem problem = {.m = m, .n = n, .k = k, .a_bits = bits_of(a), .b_bits = bits_of(b)};
    if ((st = bytes_of(&problem.a_bytes, a, m, k, err)) || (st = bytes_of(&problem.b_bytes, b, n, k, err)) ||
        (st = bytes_of(&problem.c_bytes, c, m, n, err)))
        return st;
    if (used)
        *used = at.used;
    if (!ridge_tiling_best(out, &s, &problem))
        return ridge_fail(err, RIDGE_UNKNOWN, "machine '%s' is no GPU whose number of units is known: there is nothing to tile over",
                          machine->id);
    return RIDGE_OK;
}
