/* request.c - fuzzes what a stranger asks of the server: the target of a request, its body, and the request of a command that is made of
 * them. Nothing is run. What was read names no file of this computer: the server has none that may be named. Input: the target, a newline,
 * the body. */
#include "fuzz.h"

#include <string.h>

#include "serve/task.h"

enum { SIZE_LIMIT = 65536, TARGET_LIMIT = 4096 };

static void look_at(const ridge_asked *asked)
{
    FUZZ_CHECK(asked->count <= RIDGE_ASKED_MOST);
    for (size_t i = 0; i < asked->count; i++)
        FUZZ_CHECK(asked->values[i].name && (asked->values[i].text || asked->values[i].json));
}

static ridge_status read_body(ridge_task *t, ridge_str body)
{
    if (body.n == 0)
        return RIDGE_OK;
    return body.p[0] == '{' ? ridge_asked_body(&t->asked, body, &t->arena, &t->err) : ridge_asked_form(&t->asked, body, &t->arena, &t->err);
}

/* a text that leads away from where the server stands was refused */
static void make_request(ridge_task *t)
{
    static const char api[] = "/api/v1/";
    const ridge_reach_policy nothing = {.fd = -1};
    if (strncmp(t->asked.path, api, strlen(api)) != 0 ||
        !(t->command = ridge_task_command(&t->path, t->asked.path + strlen(api), &t->arena)))
        return;
    ridge_status st = ridge_task_read(t, &nothing, true, NULL);
    FUZZ_CHECK((st == RIDGE_OK) == (t->err.code == RIDGE_OK));
    for (size_t i = 0; i < t->asked.count && !st; i++) {
        const char *text = t->asked.values[i].text;
        FUZZ_CHECK(strcmp(t->asked.values[i].name, "catalog") != 0 || !text);
    }
    ridge_buf error = {0};
    ridge_error_json(&error, &t->err, "");
    ridge_json *json;
    FUZZ_CHECK(ridge_json_parse(&json, (ridge_str){error.p, error.n}, "error", (ridge_json_options){0}, &t->arena, NULL) == RIDGE_OK);
    ridge_buf_free(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char target[TARGET_LIMIT + 1];
    const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
    const size_t n = end ? (size_t)(end - data) : size;
    if (size > SIZE_LIMIT || n > TARGET_LIMIT || (n > 0 && memchr(data, '\0', n)))
        return 0;
    memcpy(target, data, n);
    target[n] = '\0';
    ridge_task *t = ridge_task_new();
    if (t && end)
        ridge_buf_add(&t->body, (ridge_str){(const char *)end + 1, size - n - 1});
    if (t && !ridge_asked_target(&t->asked, target, &t->arena, &t->err) && !read_body(t, (ridge_str){t->body.p, t->body.n})) {
        look_at(&t->asked);
        make_request(t);
    }
    ridge_task_free(t);
    return 0;
}
