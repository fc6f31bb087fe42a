#include "input/hub/hub.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/json.h"
#include "base/sha256.h"

enum { LIST_MOST = 64 << 20, TOKEN_MOST = 4096, USUAL_TIMEOUT_S = 10 };

/* ---- the environment ---- */

static bool is_on(const char *variable)
{
    static const char *const words[] = {"1", "on", "yes", "true"};
    const char *value = getenv(variable);
    for (size_t i = 0; value && i < sizeof words / sizeof *words; i++)
        if (strcasecmp(value, words[i]) == 0)
            return true;
    return false;
}

bool ridge_hub_is_offline(void)
{
    return is_on("HF_HUB_OFFLINE") || is_on("TRANSFORMERS_OFFLINE");
}

static long timeout_of(const char *variable)
{
    const char *value = getenv(variable);
    const long seconds = value ? strtol(value, NULL, 10) : 0;
    return seconds > 0 && seconds <= 86400 ? seconds : USUAL_TIMEOUT_S;
}

static ridge_status endpoint(ridge_str *out, ridge_err *err)
{
    const char *given = getenv("HF_ENDPOINT");
    *out = ridge_str_of(given && given[0] ? given : "https://huggingface.co");
    while (out->n > 0 && out->p[out->n - 1] == '/')
        out->n--;
    if (strncmp(out->p, "https://", 8) != 0 && strncmp(out->p, "http://", 7) != 0)
        return ridge_fail(err, RIDGE_IO, "HF_ENDPOINT: '%.*s' is no address (https://...)", RIDGE_STR_ARG(*out));
    return RIDGE_OK;
}

/* without spaces round it; NULL where it is none that a header could have */
static const char *token_of(ridge_str text, ridge_arena *arena)
{
    while (text.n && (unsigned char)text.p[text.n - 1] <= ' ')
        text.n--;
    while (text.n && (unsigned char)text.p[0] <= ' ')
        text.p++, text.n--;
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] <= ' ' || (unsigned char)text.p[i] > '~')
            return NULL;
    return text.n ? ridge_arena_strdup(arena, text) : NULL;
}

static const char *token_file(ridge_arena *arena)
{
    const char *path = getenv("HF_TOKEN_PATH"), *home = getenv("HF_HOME"), *xdg = getenv("XDG_CACHE_HOME"), *user = getenv("HOME");
    if (path && path[0])
        return path;
    if (home && home[0])
        return ridge_arena_printf(arena, "%s/token", home);
    if (xdg && xdg[0])
        return ridge_arena_printf(arena, "%s/huggingface/token", xdg);
    return user && user[0] ? ridge_arena_printf(arena, "%s/.cache/huggingface/token", user) : NULL;
}

/* HF_TOKEN, else what the login of Hugging Face's programs has kept; NULL: none */
static const char *token(ridge_arena *arena)
{
    const char *given = getenv("HF_TOKEN");
    ridge_str text;
    if (!given || !given[0])
        given = getenv("HUGGING_FACE_HUB_TOKEN");
    if (given && given[0])
        return token_of(ridge_str_of(given), arena);
    const char *path = is_on("HF_HUB_DISABLE_IMPLICIT_TOKEN") ? NULL : token_file(arena);
    return path && !ridge_file_read(&text, path, TOKEN_MOST, arena, NULL) ? token_of(text, arena) : NULL;
}

/* ---- asking ---- */

/* what is no letter, digit or one of "-._~/" as %XX */
static void add_path(ridge_buf *out, const char *path)
{
    for (; *path; path++) {
        const unsigned char c = (unsigned char)*path;
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-._~/", c))
            ridge_buf_addc(out, (char)c);
        else
            ridge_buf_addf(out, "%%%02X", c);
    }
}

/* a branch's slashes are part of its name */
static void add_revision(ridge_buf *out, const char *revision)
{
    for (; *revision; revision++)
        if (*revision == '/')
            ridge_buf_addz(out, "%2F");
        else
            ridge_buf_addc(out, *revision);
}

typedef struct question {
    const ridge_hub_name *name;
    const char *file; /* NULL: the list of files */
    ridge_http_request request;
    ridge_http_answer answer;
    ridge_arena *arena;
    ridge_err *err;
} question;

static ridge_status make_url(question *q)
{
    ridge_str root;
    ridge_buf url = {0};
    ridge_status st = endpoint(&root, q->err);
    if (st)
        return st;
    ridge_buf_add(&url, root);
    ridge_buf_addf(&url, q->file ? "/%s/resolve/" : "/api/models/%s/revision/", q->name->id);
    add_revision(&url, q->name->revision);
    if (q->file) {
        ridge_buf_addc(&url, '/');
        add_path(&url, q->file);
    }
    q->request.url = ridge_arena_take(q->arena, &url);
    return q->request.url ? RIDGE_OK : ridge_no_memory(q->err);
}

static bool code_is(const ridge_http_answer *a, const char *code)
{
    return a->error_code && strcmp(a->error_code, code) == 0;
}

static ridge_status refused(const question *q)
{
    const ridge_http_answer *a = &q->answer;
    const char *id = q->name->id;
    if (code_is(a, "GatedRepo"))
        return ridge_fail(q->err, RIDGE_IO, "%s is gated: %s", id,
                          q->request.token ? "the token's owner has not been granted access; ask for it on the model's page"
                                           : "ask for access on the model's page, then set HF_TOKEN to a token of yours");
    if (code_is(a, "RevisionNotFound"))
        return ridge_fail(q->err, RIDGE_IO, "%s has no revision '%s'", id, q->name->revision);
    if (a->status == 401 && q->request.token && !code_is(a, "RepoNotFound"))
        return ridge_fail(q->err, RIDGE_IO, "%s: the hub does not accept the token (HF_TOKEN, or the one that was kept by a login)", id);
    if (code_is(a, "RepoNotFound") || a->status == 401 || a->status == 404)
        return ridge_fail(q->err, RIDGE_NAME, "no model '%s' on the hub%s", id,
                          q->request.token ? ", or the token may not see it" : ", or it is private and needs a token (HF_TOKEN)");
    if (a->status == 403)
        return ridge_fail(q->err, RIDGE_IO, "%s: access is forbidden%s%.200s", id, a->error_message ? ": " : "",
                          a->error_message ? a->error_message : "");
    if (a->status == 429)
        return ridge_fail(q->err, RIDGE_IO, "the hub has had too many requests from here; try again in some minutes");
    return ridge_fail(q->err, RIDGE_IO, "%s: the hub answers with status %ld", id, a->status);
}

/* *there false: the repository has no such file */
static ridge_status ask(bool *there, question *q)
{
    const bool ranged = q->request.range != NULL;
    ridge_status st = make_url(q);
    *there = false;
    if (st)
        return st;
    if (ridge_hub_is_offline())
        return ridge_fail(q->err, RIDGE_IO, "%s is not in the cache, and HF_HUB_OFFLINE keeps the hub from being asked", q->name->id);
    q->request.token = token(q->arena);
    q->request.connect_s = timeout_of("HF_HUB_ETAG_TIMEOUT");
    q->request.stall_s = timeout_of("HF_HUB_DOWNLOAD_TIMEOUT");
    if ((st = ridge_http_get(&q->answer, &q->request, q->arena, q->err)))
        return st;
    *there = q->answer.status == 200 || (ranged && q->answer.status == 206);
    if (*there || (q->file && (code_is(&q->answer, "EntryNotFound") || (q->answer.status == 404 && !q->answer.error_code))))
        return RIDGE_OK;
    return refused(q);
}

/* ---- whole files ---- */

static bool is_html(const ridge_http_answer *a)
{
    ridge_str body = a->body;
    while (body.n && (unsigned char)body.p[0] <= ' ')
        body.p++, body.n--;
    return (a->type && strncasecmp(a->type, "text/html", 9) == 0) || (body.n && body.p[0] == '<');
}

/* of files in large storage the name is the SHA-256 of what is in them */
static bool is_of_etag(ridge_str content, const char *etag)
{
    char hash[65];
    if (strlen(etag) != 64 || strspn(etag, "0123456789abcdef") != 64)
        return true;
    ridge_sha256(hash, content);
    return strcmp(hash, etag) == 0;
}

static bool is_json(const question *q)
{
    ridge_json *json;
    return ridge_json_parse(&json, q->answer.body, NULL, (ridge_json_options){0}, q->arena, NULL) == RIDGE_OK;
}

static ridge_status check(const question *q)
{
    const ridge_http_answer *a = &q->answer;
    if (is_html(a) && !ridge_str_ends(ridge_str_of(q->file), RIDGE_STR(".html")))
        return ridge_fail(q->err, RIDGE_IO, "%s: what came for %s is a page of HTML, not that file (a login or a proxy on the way?)",
                          q->name->id, q->file);
    if (!ridge_hub_is_commit(a->commit) || !ridge_hub_is_etag(a->etag))
        return ridge_fail(q->err, RIDGE_IO, "%s: the answer for %s names no %s, so it is not the hub's", q->name->id, q->file,
                          ridge_hub_is_commit(a->commit) ? "version of the file (ETag)" : "commit (X-Repo-Commit)");
    if (a->size >= 0 && (uint64_t)a->size != a->body.n)
        return ridge_fail(q->err, RIDGE_IO, "%s: %s has %lld bytes, and %zu came", q->name->id, q->file, (long long)a->size, a->body.n);
    if (!is_of_etag(a->body, a->etag))
        return ridge_fail(q->err, RIDGE_IO, "%s: what came for %s has another SHA-256 than the hub says", q->name->id, q->file);
    if (ridge_str_ends(ridge_str_of(q->file), RIDGE_STR(".json")) && !is_json(q))
        return ridge_fail(q->err, RIDGE_IO, "%s: what came for %s is no JSON", q->name->id, q->file);
    if (ridge_hub_is_commit(q->name->revision) && strcmp(q->name->revision, a->commit) != 0)
        return ridge_fail(q->err, RIDGE_IO, "%s: commit %s was asked for, and the answer is of %s", q->name->id, q->name->revision,
                          a->commit);
    return RIDGE_OK;
}

ridge_status ridge_hub_download(const char **path, const ridge_hub_name *name, const char *file, size_t limit, ridge_arena *arena,
                                ridge_err *err)
{
    question q = {.name = name, .file = file, .request = {.limit = limit}, .arena = arena, .err = err};
    const char *hub = ridge_hub_folder(arena);
    bool there;
    *path = NULL;
    if (!hub)
        return arena->failed ? ridge_no_memory(err) : ridge_fail(err, RIDGE_IO, "no folder for the cache: neither HF_HOME nor HOME is set");
    ridge_status st = ask(&there, &q);
    if (st || !there || (st = check(&q)))
        return st;
    const ridge_hub_blob blob = {q.answer.commit, q.answer.etag, q.answer.body};
    return ridge_hub_store(path, hub, name, file, &blob, arena, err);
}

/* ---- parts of files ---- */

ridge_status ridge_hub_range(ridge_hub_part *out, const ridge_hub_name *name, const char *file, uint64_t from, uint64_t to,
                             ridge_arena *arena, ridge_err *err)
{
    const uint64_t wanted = to - from + 1;
    question q = {.name = name, .file = file, .request = {.limit = wanted}, .arena = arena, .err = err};
    *out = (ridge_hub_part){.size = -1};
    if (!(q.request.range = ridge_arena_printf(arena, "%" PRIu64 "-%" PRIu64, from, to)))
        return ridge_no_memory(err);
    ridge_status st = ask(&out->there, &q);
    if (st || !out->there)
        return st;
    const ridge_http_answer *a = &q.answer;
    const uint64_t most = a->size >= 0 && (uint64_t)a->size < to + 1 ? ((uint64_t)a->size > from ? (uint64_t)a->size - from : 0) : wanted;
    if (a->body.n != most)
        return ridge_fail(err, RIDGE_IO, "%s: %" PRIu64 " bytes of %s were asked for, and %zu came", name->id, most, file, a->body.n);
    if (!ridge_hub_is_commit(a->commit) || !ridge_hub_is_etag(a->etag))
        return ridge_fail(err, RIDGE_IO, "%s: the answer for %s names no commit or version, so it is not the hub's", name->id, file);
    out->bytes = a->body;
    out->size = a->size;
    out->etag = a->etag;
    out->commit = a->commit;
    return RIDGE_OK;
}

/* ---- the list ---- */

static ridge_status read_list(ridge_str **files, size_t *count, const question *q, const ridge_json *json)
{
    const ridge_json *siblings = ridge_json_get(json, "siblings");
    if (!siblings || siblings->type != RIDGE_JSON_ARRAY)
        return ridge_fail(q->err, RIDGE_IO, "%s: the hub's answer lists no files", q->name->id);
    if (!(*files = ridge_arena_array(q->arena, siblings->count + 1, sizeof **files)))
        return ridge_no_memory(q->err);
    for (uint32_t i = 0; i < siblings->count; i++) {
        const ridge_json *name = ridge_json_get(&siblings->u.items[i], "rfilename");
        if (name && name->type == RIDGE_JSON_STRING && name->u.text.n && name->u.text.p[0] != '/' &&
            !memmem(name->u.text.p, name->u.text.n, "..", 2))
            (*files)[(*count)++] = name->u.text;
    }
    return RIDGE_OK;
}

ridge_status ridge_hub_list(ridge_str **files, size_t *count, const char **commit, const ridge_hub_name *name, ridge_arena *arena,
                            ridge_err *err)
{
    question q = {.name = name, .request = {.limit = LIST_MOST}, .arena = arena, .err = err};
    ridge_json *json;
    bool there;
    *files = NULL;
    *count = 0;
    *commit = NULL;
    ridge_status st = ask(&there, &q);
    if (st)
        return st;
    if (is_html(&q.answer))
        return ridge_fail(err, RIDGE_IO, "%s: the list of its files is a page of HTML (a login or a proxy on the way?)", name->id);
    if ((st = ridge_json_parse(&json, q.answer.body, q.request.url, (ridge_json_options){0}, arena, err)) ||
        (st = read_list(files, count, &q, json)))
        return st;
    *commit = ridge_json_text(json, "sha", arena);
    return ridge_hub_is_commit(*commit) ? RIDGE_OK : ridge_fail(err, RIDGE_IO, "%s: the hub's answer names no commit", name->id);
}
