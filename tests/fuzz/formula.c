/* formula.c - fuzzes the formula language: parsed, evaluated at some workloads, evaluated with the workload's names left open, and that
 * residual program run at the same workloads: where both answer, they agree.
 * Names: a = 7, b = -3, x = 5/2, l = [1, 2, 3], s = 'gelu', B, S, past, T = past + S, config (below). */
#include "formula/program.h"
#include "fuzz.h"

#include "formula/poly.h"
#include "catalog/registry.h"
#include "graph/config.h"

enum { SLOTS = 64, STEPS = 20000, SIZE_LIMIT = 4096 };

static const char config_text[] =
    "{\"hidden\": 64, \"heads\": 4, \"ratio\": 2.5, \"none\": null, \"yes\": true, \"list\": [4, 5, 6], \"sub\": {\"x\": 3}}";
static const int points[][3] = {{1, 1, 0}, {2, 5, 7}, {3, 128, 4095}, {8, 1, 1024}};
enum { POINTS = sizeof points / sizeof *points };

typedef struct setting {
    ridge_registry *registry;
    ridge_arena arena;
    ridge_scope scope;
    ridge_value named[5];
    ridge_object *config;
} setting;

static void make_names(setting *s)
{
    static const char *const names[] = {"a", "b", "x", "l", "s"};
    ridge_calc calc = {&s->arena, NULL, NULL};
    s->scope = (ridge_scope){.arena = &s->arena, .symbols = &s->registry->symbols};
    for (size_t i = 0; i < 5; i++)
        FUZZ_CHECK(ridge_scope_add(&s->scope, ridge_intern(&s->registry->symbols, ridge_str_of(names[i]))) == i);
    s->named[0] = ridge_value_int(7);
    s->named[1] = ridge_value_int(-3);
    FUZZ_CHECK(ridge_value_rational(&s->named[2], (ridge_rational){5, 2}, &calc) == RIDGE_OK);
    FUZZ_CHECK(ridge_value_list(&s->named[3], 3, &calc) == RIDGE_OK);
    for (int i = 0; i < 3; i++)
        s->named[3].u.list->items[i] = ridge_value_int(i + 1);
    s->named[4] = ridge_value_str(RIDGE_STR("gelu"));
}

static void make_config(setting *s)
{
    ridge_json *json;
    ridge_value v;
    ridge_calc calc = {&s->arena, NULL, NULL};
    FUZZ_CHECK(ridge_json_parse(&json, ridge_str_of(config_text), "config.json", (ridge_json_options){0}, &s->arena, NULL) == RIDGE_OK);
    FUZZ_CHECK(ridge_config_value(&v, s->registry, json, "config.json", &calc) == RIDGE_OK);
    s->config = (ridge_object *)(uintptr_t)v.u.object;
}

static ridge_status eval(ridge_value *out, setting *s, const ridge_expr *expr, const ridge_value *globals, ridge_algebra *algebra,
                         ridge_err *err)
{
    ridge_value *slots = ridge_arena_array(&s->arena, s->scope.slots + 1, sizeof *slots);
    ridge_evaluation run = {
        .calc = {&s->arena, algebra, err}, .globals = globals, .config = s->config, .slots = slots, .steps_left = STEPS};
    FUZZ_CHECK(slots != NULL);
    memcpy(slots, s->named, sizeof s->named);
    ridge_status st = ridge_expr_eval(out, expr, &run);
    fuzz_check_err(st, err);
    if (st == RIDGE_OK) {
        ridge_buf text = {0};
        ridge_value_print(&text, *out);
        (void)ridge_value_hash(*out, (ridge_hash_key){1, 3});
        FUZZ_CHECK(ridge_value_equal(*out, *out));
        ridge_buf_free(&text);
    }
    return st;
}

static void set_globals(ridge_value *g, const int *point)
{
    memset(g, 0, RIDGE_GLOBAL_COUNT * sizeof *g);
    g[RIDGE_GLOBAL_B] = ridge_value_int(point[0]);
    g[RIDGE_GLOBAL_S] = ridge_value_int(point[1]);
    g[RIDGE_GLOBAL_past] = ridge_value_int(point[2]);
    g[RIDGE_GLOBAL_T] = ridge_value_int(point[1] + point[2]);
    g[RIDGE_GLOBAL_phase] = ridge_value_str(RIDGE_STR("decode"));
}

static ridge_status set_symbols(ridge_value *g, const ridge_calc *calc)
{
    ridge_status st;
    if ((st = ridge_sym_name(&g[RIDGE_GLOBAL_B], "B", 1, calc)) || (st = ridge_sym_name(&g[RIDGE_GLOBAL_S], "S", 1, calc)) ||
        (st = ridge_sym_name(&g[RIDGE_GLOBAL_past], "past", 0, calc)))
        return st;
    return ridge_value_binary(&g[RIDGE_GLOBAL_T], RIDGE_OP_ADD, g[RIDGE_GLOBAL_past], g[RIDGE_GLOBAL_S], calc);
}

/* the residual program; NULL where the formula has no closed form */
static ridge_program *close_form(setting *s, const ridge_expr *expr, ridge_algebra *algebra)
{
    ridge_value globals[RIDGE_GLOBAL_COUNT], v;
    ridge_program *program;
    ridge_err err = {0};
    ridge_calc calc = {&s->arena, algebra, &err};
    FUZZ_CHECK(ridge_algebra_init(algebra, &s->arena));
    set_globals(globals, points[0]);
    FUZZ_CHECK(set_symbols(globals, &calc) == RIDGE_OK);
    if (eval(&v, s, expr, globals, algebra, &err) != RIDGE_OK || !ridge_value_is_number(v))
        return NULL;
    ridge_status st = ridge_program_make(&program, &v, 1, &calc);
    fuzz_check_err(st, &err);
    return st == RIDGE_OK ? program : NULL;
}

static void compare(ridge_program *program, const ridge_value *v, const int *point)
{
    ridge_int inputs[8] = {point[0], point[1], point[2]}, result, expected;
    if (ridge_program_run(&result, program, inputs) == RIDGE_OK && ridge_value_as_int(&expected, *v))
        FUZZ_CHECK(result == expected);
}

static void run(setting *s, ridge_str text)
{
    ridge_expr *expr;
    ridge_err err = {0};
    ridge_algebra algebra;
    ridge_status st = ridge_expr_parse(&expr, text, "input", 1, 1, &s->scope, &err);
    fuzz_check_err(st, &err);
    FUZZ_CHECK(st == RIDGE_OK || st == RIDGE_NOMEM || (err.line >= 1 && err.col >= 1));
    if (st != RIDGE_OK)
        return;
    ridge_program *program = close_form(s, expr, &algebra);
    for (size_t i = 0; i < POINTS; i++) {
        ridge_value globals[RIDGE_GLOBAL_COUNT], v;
        ridge_err point_err = {0};
        set_globals(globals, points[i]);
        if (eval(&v, s, expr, globals, NULL, &point_err) == RIDGE_OK && program != NULL)
            compare(program, &v, points[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    setting s;
    if (size > SIZE_LIMIT || ridge_registry_open(&s.registry, NULL, 0, false, NULL) != RIDGE_OK)
        return 0;
    ridge_arena_init(&s.arena);
    make_names(&s);
    make_config(&s);
    run(&s, (ridge_str){(const char *)data, size});
    ridge_arena_free(&s.arena);
    ridge_registry_close(s.registry);
    return 0;
}
