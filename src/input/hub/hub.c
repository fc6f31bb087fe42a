#include "input/hub/hub.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/json.h"
#include "base/sha256.h"

enum { LIST_MOST = 64 << 20, FILE_NAME_MOST = 1024, TOKEN_MOST = 4096, USUAL_TIMEOUT_S = 10 };

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
    const char *path = getenv("HF_TOKEN_PATH");
    return path && path[0] ? path : ridge_hub_home("token", arena);
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
    } else {
        ridge_buf_addz(&url, "?blobs=true"); /* with the sizes of the files */
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

/* where a commit is asked for, the answer is of that commit */
static ridge_status check_commit(const question *q)
{
    const char *wanted = q->name->revision;
    if (!ridge_hub_is_commit(wanted) || strcmp(wanted, q->answer.commit) == 0)
        return RIDGE_OK;
    return ridge_fail(q->err, RIDGE_IO, "%s: commit %s was asked for, and the answer is of %s", q->name->id, wanted, q->answer.commit);
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
    return check_commit(q);
}

ridge_status ridge_hub_download(const char **path, size_t *bytes, const ridge_hub_name *name, const char *file, size_t limit,
                                ridge_arena *arena, ridge_err *err)
{
    question q = {.name = name, .file = file, .request = {.limit = limit}, .arena = arena, .err = err};
    const char *hub = ridge_hub_folder(arena);
    bool there;
    *path = NULL;
    *bytes = 0;
    if (!hub)
        return arena->failed ? ridge_no_memory(err) : ridge_fail(err, RIDGE_IO, "no folder for the cache: neither HF_HOME nor HOME is set");
    ridge_status st = ask(&there, &q);
    if (st || !there || (st = check(&q)))
        return st;
    *bytes = q.answer.body.n;
    const ridge_hub_blob blob = {q.answer.commit, q.answer.etag, q.answer.body};
    return ridge_hub_store(path, hub, name, file, &blob, arena, err);
}

/* ---- parts of files ---- */

/* the part is the one that was asked for, of the file and the commit that were */
static ridge_status check_part(const question *q, uint64_t from, uint64_t to)
{
    const ridge_http_answer *a = &q->answer;
    const char *id = q->name->id;
    const uint64_t end = a->size >= 0 && (uint64_t)a->size <= to ? (uint64_t)a->size : to + 1, most = end > from ? end - from : 0;
    if (a->size < 0 || (a->range_size >= 0 && a->range_size != a->size))
        return ridge_fail(q->err, RIDGE_IO, "%s: the answer does not tell, or tells twice, how many bytes %s has (Content-Range)", id,
                          q->file);
    if (a->body.n != most)
        return ridge_fail(q->err, RIDGE_IO, "%s: %" PRIu64 " bytes of %s were asked for, and %zu came", id, most, q->file, a->body.n);
    if (a->range_from != (int64_t)from || a->range_to != (int64_t)end - 1)
        return ridge_fail(q->err, RIDGE_IO, "%s: bytes %" PRIu64 " to %" PRIu64 " of %s were asked for, and others came (Content-Range)",
                          id, from, end - 1, q->file);
    if (!ridge_hub_is_commit(a->commit) || !ridge_hub_is_etag(a->etag))
        return ridge_fail(q->err, RIDGE_IO, "%s: the answer for %s names no commit or version, so it is not the hub's", id, q->file);
    return check_commit(q);
}

ridge_status ridge_hub_range(ridge_hub_part *out, const ridge_hub_name *name, const char *file, uint64_t from, uint64_t to,
                             ridge_arena *arena, ridge_err *err)
{
    question q = {.name = name, .file = file, .request = {.limit = to - from + 1}, .arena = arena, .err = err};
    *out = (ridge_hub_part){.size = -1};
    if (!(q.request.range = ridge_arena_printf(arena, "%" PRIu64 "-%" PRIu64, from, to)))
        return ridge_no_memory(err);
    ridge_status st = ask(&out->there, &q);
    if (st || !out->there || (st = check_part(&q, from, to)))
        return st;
    out->bytes = q.answer.body;
    out->size = q.answer.size;
    out->etag = q.answer.etag;
    out->commit = q.answer.commit;
    return RIDGE_OK;
}

/* ---- the list ---- */

bool ridge_hub_is_file(ridge_str name)
{
    if (name.n == 0 || name.n > FILE_NAME_MOST || name.p[0] == '/' || memmem(name.p, name.n, "..", 2))
        return false;
    for (size_t i = 0; i < name.n; i++)
        if ((unsigned char)name.p[i] < ' ' || name.p[i] == 0x7f)
            return false;
    return true;
}

static ridge_status read_list(ridge_hub_list *out, const ridge_json *json, const char *id, ridge_arena *arena, ridge_err *err)
{
    const ridge_json *siblings = ridge_json_get(json, "siblings");
    if (!siblings || siblings->type != RIDGE_JSON_ARRAY)
        return ridge_fail(err, RIDGE_IO, "%s: the hub's answer lists no files", id);
    if (!(out->files = ridge_arena_array(arena, siblings->count + 1, sizeof *out->files)))
        return ridge_no_memory(err);
    for (uint32_t i = 0; i < siblings->count; i++) {
        const ridge_json *name = ridge_json_get(&siblings->u.items[i], "rfilename"), *size = ridge_json_get(&siblings->u.items[i], "size");
        ridge_hub_file *file = &out->files[out->count];
        if (!name || name->type != RIDGE_JSON_STRING || !ridge_hub_is_file(name->u.text))
            continue;
        if (!(file->name = ridge_arena_strdup(arena, name->u.text)))
            return ridge_no_memory(err);
        if (!size || size->type != RIDGE_JSON_NUMBER || !ridge_int_parse(&file->bytes, size->u.text) || file->bytes > INT64_MAX)
            file->bytes = -1;
        out->count++;
    }
    out->commit = ridge_json_text(json, "sha", arena);
    return ridge_hub_is_commit(out->commit) ? RIDGE_OK : ridge_fail(err, RIDGE_IO, "%s: the hub's answer names no commit", id);
}

ridge_status ridge_hub_list_read(ridge_hub_list *out, ridge_str text, const char *path, const char *id, ridge_arena *arena, ridge_err *err)
{
    ridge_json *json;
    *out = (ridge_hub_list){0};
    ridge_status st = ridge_json_parse(&json, text, path, (ridge_json_options){0}, arena, err);
    return st ? st : read_list(out, json, id, arena, err);
}

ridge_status ridge_hub_list_ask(ridge_hub_list *out, const ridge_hub_name *name, ridge_arena *arena, ridge_err *err)
{
    question q = {.name = name, .request = {.limit = LIST_MOST}, .arena = arena, .err = err};
    bool there;
    *out = (ridge_hub_list){0};
    ridge_status st = ask(&there, &q);
    if (st)
        return st;
    if (is_html(&q.answer))
        return ridge_fail(err, RIDGE_IO, "%s: the list of its files is a page of HTML (a login or a proxy on the way?)", name->id);
    if ((st = ridge_hub_list_read(out, q.answer.body, q.request.url, name->id, arena, err)))
        return st;
    q.answer.commit = out->commit;
    return check_commit(&q);
}
