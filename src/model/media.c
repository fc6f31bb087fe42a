/* Images, films and sound of a workload: what was asked, else what the config says. */
#include "graph/config.h"
#include "model/analysis.h"

#define MOST_PIXELS (1 << 20)

/* ---- an image's size ---- */

static bool read_side(int64_t *out, ridge_str text)
{
    bool overflow;
    return ridge_count_parse(out, &overflow, text) && !overflow && *out >= 1 && *out <= MOST_PIXELS;
}

ridge_status ridge_image_size_read(void *at, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    ridge_image_size size;
    const char *x = strchr(text, 'x');
    const ridge_str height = {text, x ? (size_t)(x - text) : strlen(text)}, width = x ? ridge_str_of(x + 1) : height;
    (void)arena;
    if (!read_side(&size.height, height) || !read_side(&size.width, width))
        return ridge_fail(err, RIDGE_USAGE,
                          RIDGE_OPT("%s") ": '%s' is no height and width in pixels: write 224 or 480x640, each from 1 to %d", option->name,
                          text, MOST_PIXELS);
    *(ridge_image_size *)at = size;
    return RIDGE_OK;
}

bool ridge_image_size_given(const ridge_image_size *size)
{
    return size->height > 0;
}

void ridge_image_size_add(ridge_buf *out, const ridge_image_size *size)
{
    ridge_buf_addf(out, "%lld", (long long)size->height);
    if (size->width != size->height)
        ridge_buf_addf(out, "x%lld", (long long)size->width);
}

bool ridge_workload_hears(const ridge_workload *w)
{
    return w->frames > 0 || w->samples > 0;
}

void ridge_workload_add_media(ridge_buf *out, const ridge_workload *w)
{
    if (w->takes.images && w->images > 0)
        ridge_buf_addf(out, "  images %lld", (long long)w->images);
    if (ridge_image_size_given(&w->image)) {
        ridge_buf_addz(out, "  image ");
        ridge_image_size_add(out, &w->image);
    }
    if (w->video_frames > 0)
        ridge_buf_addf(out, "  pictures %lld", (long long)w->video_frames);
    if (w->frames > 0)
        ridge_buf_addf(out, "  frames %lld", (long long)w->frames);
    if (w->samples > 0)
        ridge_buf_addf(out, "  samples %lld", (long long)w->samples);
}

int64_t ridge_workload_images(const ridge_workload *w)
{
    if (w->takes.images)
        return w->images;
    return w->takes.image ? 1 : RIDGE_UNSET;
}

void ridge_analysis_set_image(ridge_analysis *a)
{
    const ridge_image_size *size = &a->workload.image;
    ridge_value *g = a->graph.globals;
    if (!ridge_image_size_given(size))
        return;
    g[RIDGE_GLOBAL_image_height] = ridge_value_int(size->height);
    g[RIDGE_GLOBAL_image_width] = ridge_value_int(size->width);
    if (size->height == size->width) /* the name of formulas for square images alone */
        g[RIDGE_GLOBAL_image] = g[RIDGE_GLOBAL_image_height];
}

/* ---- what the config says ---- */

static int64_t side(ridge_value v)
{
    ridge_int i;
    return ridge_value_as_int(&i, v) && i > 0 && i <= MOST_PIXELS ? (int64_t)i : 0;
}

ridge_status ridge_analysis_image_size(ridge_image_size *out, ridge_analysis *a, const ridge_expr *expr)
{
    ridge_value v;
    *out = RIDGE_IMAGE_SIZE_UNSET;
    if (!expr)
        return RIDGE_OK;
    const ridge_status st = ridge_config_eval(&v, expr, &a->graph.run);
    if (st)
        return st;
    const bool two = v.type == RIDGE_V_LIST && v.u.list->count == 2;
    const ridge_image_size size = {side(two ? v.u.list->items[0] : v), side(two ? v.u.list->items[1] : v)};
    if (size.height > 0 && size.width > 0)
        *out = size;
    return RIDGE_OK;
}

/* What is given, else what the config says; a 0 of the config: none unless it is asked for. */
static ridge_status length(int64_t *out, ridge_analysis *a, int64_t given, const ridge_expr *expr)
{
    ridge_value v;
    ridge_int i;
    *out = given;
    if (given != RIDGE_UNSET || !expr)
        return RIDGE_OK;
    const ridge_status st = ridge_config_eval(&v, expr, &a->graph.run);
    if (!st && ridge_value_as_int(&i, v) && i >= 0 && i < INT64_MAX)
        *out = (int64_t)i;
    return st;
}

/* ---- what does not go together ---- */

/* An image that the model does not take is no detail: the number would be that of another workload. */
static ridge_status check_images(ridge_analysis *a, const ridge_model_request *r, ridge_err *err)
{
    bool counted, sized;
    ridge_status st = RIDGE_OK;
    if (r->images == RIDGE_UNSET || !a->head || (st = ridge_analysis_reads(&counted, a, "images", err)) || counted)
        return st;
    if ((st = ridge_analysis_reads_image(&sized, a, err)))
        return st;
    if (!sized)
        return r->images == 0
                   ? RIDGE_OK
                   : ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("images") ": what the catalog says of %s takes no image", a->architecture);
    if (r->images == 1)
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("images") ": %s takes one image with each of the " RIDGE_OPT("batch"), a->architecture);
}

/* Where no formula reads a size, what is known is of the config's. */
static ridge_status check_fixed(ridge_analysis *a, const ridge_model_request *r, const ridge_expr *expr, ridge_err *err)
{
    ridge_image_size fixed;
    bool read;
    if (!ridge_image_size_given(&r->image) || !expr || !a->head)
        return RIDGE_OK;
    ridge_status st = ridge_analysis_reads_image(&read, a, err);
    if (st || read || (st = ridge_analysis_image_size(&fixed, a, expr)) ||
        (fixed.height == r->image.height && fixed.width == r->image.width))
        return st;
    return ridge_fail(err, RIDGE_VALUE, RIDGE_OPT("image-size") ": what the catalog says of %s is of images of %lldx%lld alone",
                      a->architecture, (long long)fixed.height, (long long)fixed.width);
}

static ridge_status check_square(ridge_analysis *a, ridge_err *err)
{
    const ridge_image_size *size = &a->workload.image;
    bool square = false;
    if (size->height == size->width || !a->head)
        return RIDGE_OK;
    const ridge_status st = ridge_analysis_reads(&square, a, "image", err);
    if (st || !square)
        return st;
    return ridge_fail(err, RIDGE_VALUE, RIDGE_OPT("image-size") ": what the catalog says of %s is of square images", a->architecture);
}

ridge_status ridge_analysis_media(ridge_analysis *a, const ridge_model_request *r, ridge_err *err)
{
    static const ridge_config_spec nothing;
    ridge_workload *w = &a->workload;
    const ridge_config_spec *spec = a->config_entry ? a->config_entry->config : &nothing;
    ridge_status st = check_images(a, r, err);
    w->images = r->images == RIDGE_UNSET ? 0 : r->images;
    w->image = r->image;
    a->graph.run.config = a->config;
    if (!st && !ridge_image_size_given(&r->image))
        st = ridge_analysis_image_size(&w->image, a, spec->image);
    if (st || (st = length(&w->video_frames, a, r->video_frames, spec->video_frames)) ||
        (st = length(&w->frames, a, r->frames, spec->frames)) || (st = length(&w->samples, a, r->samples, spec->samples)))
        return st;
    return (st = check_fixed(a, r, spec->image, err)) ? st : check_square(a, err);
}
