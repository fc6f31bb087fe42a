/* ridge serve: the commands over HTTP, and a page. */
#include "command/serve.h"

#include "command/command.h"

#define OF ridge_serve_request
static const ridge_option listen_options[] = {
    RIDGE_STRING(OF, listen, "listen", 0, "ADDRESS", "the address to listen on; beyond this machine only with a token, or insecure",
                 .fallback = "127.0.0.1"),
    RIDGE_INT(OF, port, "port", 'p', "N", 0, 65535, "the port; 0: any that is free", .fallback = "8000"),
    RIDGE_STRING(OF, token, "token", 0, "TOKEN", "who asks must know it (Authorization: Bearer TOKEN); ps shows it to other users"),
    RIDGE_STRING(OF, token_file, "token-file", 0, "FILE", "the same, from the first line of a file", .reach = RIDGE_REACH_FILE),
    RIDGE_FLAG(OF, insecure, "insecure", 0, "let in whoever reaches the address, without a token"),
    RIDGE_LIST(OF, hosts, "host", 0, "NAME", "another name by which browsers may call the server (repeatable)"),
    RIDGE_OPTION_END,
};
static const ridge_option reach_options[] = {
    RIDGE_STRING(OF, files, "files", 0, "DIR", "let requests name files and folders in DIR (default: none)", .reach = RIDGE_REACH_FILE),
    RIDGE_FLAG(OF, hub, "hub", 0, "let requests download models by their ids (default: shipped ones, and those in the cache)"),
    RIDGE_OPTION_END,
};
static const ridge_option run_options[] = {
    RIDGE_STRING(OF, log, "log", 0, "FILE", "a line for each request (-: standard error)", .reach = RIDGE_REACH_OUTPUT),
    RIDGE_INT(OF, connections, "connections", 0, "N", 4, 4096, "connections at once, at most", .fallback = "256"),
    RIDGE_SECONDS(OF, grace_s, "grace", 0, "when it is to end, how long a measurement may still take", .fallback = "5s"),
    RIDGE_OPTION_END,
};
#undef OF

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    if (!call->front->serve)
        return ridge_fail(err, RIDGE_USAGE, "'serve' is started from the command line");
    return call->front->serve(call->front_data, values, err);
}

const ridge_command ridge_cmd_serve = {
    .name = "serve",
    .group = "Serving",
    .summary = "all of this over HTTP: a page for people, JSON for programs",
    .example = "ridge serve --port 8000",
    .details = "The page is at the address that it prints; below /api/v1/ are the commands, which answer what they print with " RIDGE_OPT(
        "json") "; /openapi.json describes them. Measurements wait for one another. Ctrl-C ends it when what runs has ended, or "
                "is cancelled. docs/serve.md",
    .tables = {{RIDGE_TABLE(listen_options, 0, "Listening")},
               {RIDGE_TABLE(reach_options, 0, "What requests may reach")},
               {RIDGE_TABLE(run_options, 0, "Running")}},
    .request_size = sizeof(ridge_serve_request),
    .effect = RIDGE_EFFECT_LOCAL,
    .run = run,
};
