"""The server against the command line: equal bytes, and what it refuses: strangers, other sites, paths, too much, too slow, what is no HTTP.
    serve.py RIDGE"""
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import sys
import threading
import time
import urllib.parse

from program import BENCH, GPT2, LLAMA, ROOT, SCRATCH, Server, check, events_of, expect, finish, ridge

# ---- equal bytes ----

EQUAL = [  # words of the command line, target
    (["cost", LLAMA], f"cost?model={LLAMA}"),
    (["cost", LLAMA, "--phase", "decode", "--batch", "8", "--past", "2Ki"], f"cost?model={LLAMA}&phase=decode&batch=8&past=2Ki"),
    (["cost", "mistralai/Mixtral-8x7B-v0.1", "--all"], "cost?model=mistralai%2FMixtral-8x7B-v0.1&all"),
    (["cost", GPT2, "--symbolic"], f"cost?model={GPT2}&symbolic=true"),
    (["cost", GPT2, "--explain", "transformer.h.0.attn"], f"cost?model={GPT2}&explain=transformer.h.0.attn"),
    (["inspect", GPT2], f"inspect?model={GPT2}"),
    (["inspect", "google-t5/t5-small"], "inspect?model=google-t5/t5-small"),
    (["show", GPT2, "--on", "h100-sxm-80"], f"show?model={GPT2}&on=h100-sxm-80"),
    (["predict", LLAMA, "--on", "h100-sxm-80"], f"predict?model={LLAMA}&on=h100-sxm-80"),
    (["predict", LLAMA, "--on", "l4", "--weights", "q4_K", "--prompt", "512", "--generate", "64"], f"predict?model={LLAMA}&on=l4&weights=q4_K&prompt=512&generate=64"),
    (["predict", GPT2, "--on", "h100-sxm-80", "--against", "batch=8", "--against", "l4"], f"predict?model={GPT2}&on=h100-sxm-80&against=batch=8&against=l4"),
    (["fit", LLAMA, "--on", "rtx-4090", "--context", "32Ki"], f"fit?model={LLAMA}&on=rtx-4090&context=32Ki"),
    (["models", "llama"], "models?filter=llama"),
    (["models"], "models"),
    (["formats"], "formats"),
    (["op", "gemm", "--m", "128", "--n", "4096", "--k", "4096", "--on", "h100-sxm-80"], "op/gemm?m=128&n=4096&k=4096&on=h100-sxm-80"),
    (["op", "attention", "--seq", "128", "--heads", "32", "--head-dim", "128"], "op/attention?seq=128&heads=32&head_dim=128"),
    (["formula", "torch.nn.Linear", "1", "2", "3", "--trace"], "formula?name=torch.nn.Linear&argument=1&argument=2&argument=3&trace"),
    (["machine", "list"], "machine/list"),
    (["machine", "show", "h100-sxm-80"], "machine/show?id=h100-sxm-80"),
    (["machine", "compare", "a100-sxm-80", "h100-sxm-80"], "machine/compare?id=a100-sxm-80&id=h100-sxm-80"),
    (["machine", "check", "l4"], "machine/check?id=l4"),
    (["db", "list", "--library", "torch"], "db/list?library=torch"),
    (["db", "show", "torch.nn.Linear"], "db/show?name=torch.nn.Linear"),
    (["history"], "history"),
    (["baseline", "list"], "baseline/list"),
    (["sweep", GPT2, "--on", "h100-sxm-80,l4", "--batch", "1:8:*2"], f"sweep?model={GPT2}&on=h100-sxm-80,l4&batch=1:8:*2"),
]  # fmt: skip


def has_form(words, form):
    return f"--{form}" in ridge(*[w for w in words[:2] if w[0].islower() and "/" not in w][:2], "--help")[1].decode()


def equal_bytes(server):
    for words, target in EQUAL:
        status, out, _ = ridge(*words, "--json")
        got = server.ask(f"/api/v1/{target}")
        problem = None if status == 0 and got[0] == 200 and got[2] == out else f"status {status} and {got[0]}, {len(out)} and {len(got[2])} bytes: {got[2][:200]}"
        check(f"equal: {' '.join(words)} --json", problem)
    for words, target in EQUAL[:1] + EQUAL[8:9] + EQUAL[18:19] + EQUAL[-1:]:
        for form, how in (("csv", "text/csv"), ("markdown", "text/markdown")):
            out = ridge(*words, f"--{form}")[1]
            join = "&" if "?" in target else "?"
            ways = {f"format={form}": server.ask(f"/api/v1/{target}{join}format={form}"), how: server.ask(f"/api/v1/{target}", headers={"Accept": how})}
            for way, got in ways.items():
                check(f"equal: {' '.join(words)} --{form} ({way})", None if got[2] == out and got[1]["Content-Type"].startswith(how) else f"{got[0]} {got[1]['Content-Type']} {got[2][:200]}")
    svg = server.ask(f"/api/v1/predict?model={GPT2}&on=l4&format=svg")
    ridge("predict", GPT2, "--on", "l4", "--plot", str(SCRATCH / "a.svg"))
    check("equal: a picture", None if svg[2] == (SCRATCH / "a.svg").read_bytes() and svg[1]["Content-Type"] == "image/svg+xml" else f"{svg[0]} {svg[2][:200]}")
    expect("a form that the command has not", server.ask("/api/v1/machine/detect?format=csv"), 406)
    expect("a form that there is not", server.ask("/api/v1/formats?format=pdf"), 406)


def posted(server):
    config = json.loads((ROOT / "examples/openai-community--gpt2/config.json").read_text())
    (SCRATCH / "config.json").write_text(json.dumps(config))
    wanted = ridge("cost", "config.json", "--batch", "2", "--json", folder=SCRATCH)[1]
    same = lambda got: None if got[2] == wanted else f"{got[0]} {got[2][:300]}"
    check("a config as an object", same(server.ask("/api/v1/cost", "POST", {"config": config, "batch": 2})))
    check("a config as its text", same(server.ask("/api/v1/cost", "POST", {"config": json.dumps(config), "batch": "2"})))
    check("a config as the body", same(server.ask("/api/v1/cost?batch=2", "POST", config)))
    body = {"model": LLAMA, "batch": 8, "past": "2Ki", "phase": "decode", "all": False, "weights": None}
    check("members of a body", None if server.ask("/api/v1/cost", "POST", body)[2] == ridge("cost", LLAMA, *"--batch 8 --past 2Ki --phase decode --json".split())[1] else "other bytes")
    form = urllib.parse.urlencode({"model": GPT2, "batch": 3}).encode()
    got = server.ask("/api/v1/cost", "POST", form, {"Content-Type": "application/x-www-form-urlencoded"})
    check("a form as the body", None if got[2] == ridge("cost", GPT2, "--batch", "3", "--json")[1] else f"{got[0]} {got[2][:200]}")
    lists = server.ask("/api/v1/machine/compare", "POST", {"id": ["a100-sxm-80", "l4"]})
    check("a list in a body", None if lists[2] == ridge("machine", "compare", "a100-sxm-80", "l4", "--json")[1] else f"{lists[0]} {lists[2][:200]}")
    expect("a body that is no JSON", server.ask("/api/v1/cost", "POST", b"{"), 400, "body")
    expect("a body that is no object", server.ask("/api/v1/cost", "POST", b"[1]"), 400, "an object")
    expect("a key that stands twice", server.ask("/api/v1/cost", "POST", b'{"model": "a", "model": "b"}'), 400)
    expect("a body that is deep", server.ask("/api/v1/cost", "POST", b'{"a":' * 5000), 422, "deep")
    expect("a NUL in a text", server.ask("/api/v1/cost", "POST", {"model": "a\0b"}), 400)
    expect("a config for what takes none", server.ask("/api/v1/formats", "POST", {"config": {}}), 400, "takes no config")
    expect("a config of an unknown class", server.ask("/api/v1/cost", "POST", {"config": {"model_type": "nobodys", "architectures": ["Nobodys"]}}), 422)


def machines(server):
    machine = {**json.loads((ROOT / "machines/l4.json").read_text()), "id": "my-l4"}
    add = {"file": {"name": "my-l4.json", "content": machine}}
    expect("a machine is added by POST alone", server.ask("/api/v1/machine/add?file=x.json"), 405)
    expect("a machine is added", server.ask("/api/v1/machine/add", "POST", add), 200, "my-l4")
    expect("a machine that is there already", server.ask("/api/v1/machine/add", "POST", add), 404, "there already")
    got = server.ask("/api/v1/machine/show?id=my-l4")
    check("it is used from then on, without a new start", None if got[2] == ridge("machine", "show", "my-l4", "--json")[1] and got[0] == 200 else got[2][:200])
    bad = server.ask("/api/v1/machine/add", "POST", {"file": {"name": "bad.json", "content": "{\n  nonsense"}})
    check("an error in what was posted names it as it was named", None if bad[0] >= 400 and b"bad.json" in bad[2] and b"/tmp" not in bad[2] else bad)
    for name in ("../evil.json", "/etc/evil.json", ".hidden.json", "a/b.json", ""):
        expect(f"a posted file's name: {name!r}", server.ask("/api/v1/machine/add", "POST", {"file": {"name": name, "content": machine}}), 400)
    entry = {"my.Thing": {"path": "my.Thing", "params": ["x"]}}
    got = server.ask("/api/v1/db/check", "POST", {"file": {"name": "mine.json", "content": entry}})
    check("a catalog file is checked", None if got[0] == 200 and got[1]["Ridge-Exit"] in ("0", "3") else got)
    points = {"file": {"name": "points.json", "content": [{"shape": "4096x4096x4096", "format": "bf16", "time": "0.21 ms"}]}, "machine": "H100"}
    expect("points are imported", server.ask("/api/v1/history/import", "POST", points), 200, "imported 1 run")
    row = server.json("/api/v1/history?kernel=gemm")["rows"][0]
    check("... and stand in the history", None if row["flops"] == 2 * 4096**3 and row["time_s"]["median"] == 0.00021 else row)
    points["file"]["content"][0]["time"] = 1
    expect("a point without a unit", server.ask("/api/v1/history/import", "POST", points), 422, "has no unit")


def catalogs(server):
    """a worker's catalog is never older than the user's"""
    folder, target = SCRATCH / "data/ridge/catalog", f"/api/v1/cost?model={LLAMA}"
    before = server.ask(target)[2]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mine.json").write_text((ROOT / "tests/cli/data/override.json").read_text())
    wanted = ridge("cost", LLAMA, "--json")[1]
    got = [server.ask(target) for _ in range(8)]
    same = wanted != before and all(g[2] == wanted and "your own entry" in g[1]["Ridge-Warning"] for g in got)
    check("a catalog that the user changes", None if same else "an old answer, or no warning")
    (folder / "mine.json").unlink()
    got = [server.ask(target)[2] for _ in range(8)]
    check("... and changes back", None if all(g == before for g in got) else "an old answer")


# ---- who may ask ----


def strangers(server):
    port = server.port
    for host in ("localhost", f"localhost:{port}", "localhost:9999", "127.0.0.1", f"127.0.0.1:{port}", "[::1]:8000", "LOCALHOST"):
        expect(f"Host {host}", server.ask("/healthz", host=host), 200)
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "localhost:80:80", "[::1", "localhost:x", "127.0.0.2", "@localhost"):
        expect(f"Host {host}", server.ask("/api/v1/formats", host=host), 421)
    got = server.raw(b"GET /healthz HTTP/1.0\r\n\r\n")
    check("no Host", None if b" 400 " in got.split(b"\r\n")[0] else got)
    own = f"{server.host}:{port}"
    for origin, status in ((f"http://{own}", 200), (f"https://{own}", 200), ("http://evil.example", 403), ("null", 403), (f"http://{own}.evil.example", 403), ("http://localhost:1", 403), (f"file://{own}", 403), (own, 403), ("", 403)):
        expect(f"Origin {origin}", server.ask("/api/v1/formats", headers={"Origin": origin}), status)
    for site, status in (("same-origin", 200), ("none", 200), ("cross-site", 403), ("same-site", 403)):
        expect(f"Sec-Fetch-Site {site}", server.ask("/api/v1/formats", headers={"Sec-Fetch-Site": site}), status)
    expect("a link from another site leads here", server.ask("/", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}), 200)
    expect("a form of another site does not", server.ask("/api/v1/bench", "POST", BENCH, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}), 403)
    page = server.ask("/")
    missing = [name for name in ("Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "X-Frame-Options") if name not in page[1]]
    check("headers that protect", missing or ("Access-Control-Allow-Origin" in page[1]) or ("default-src 'self'" not in page[1]["Content-Security-Policy"]))


def tokens():
    file = SCRATCH / "token"
    file.write_text("secret-of-the-file\nmore\n")
    for options, token in ((["--token", "secret.of-words"], "secret.of-words"), (["--token-file", str(file)], "secret-of-the-file")):
        server = Server(*options)
        check(f"{options[0]}: the address has it", None if f"/?token={token}" in server.said else server.said)
        target = "/api/v1/formats"
        expect("no token", server.ask(target), 401)
        expect("health wants none", server.ask("/healthz"), 200)
        for given in ("", "x", token[:-1], token + "x", token.upper(), "x" * 5000):
            expect(f"a wrong token {given[:30]}", server.ask(target, headers={"Authorization": f"Bearer {given}"}), 401)
        expect("another scheme", server.ask(target, headers={"Authorization": f"Basic {token}"}), 401)
        expect("the token", server.ask(target, headers={"Authorization": f"Bearer {token}"}), 200)
        expect("not in the address of the interface", server.ask(f"{target}?token={token}"), 401)
        welcome = server.ask(f"/?token={token}")
        cookie = welcome[1]["Set-Cookie"] or ""
        good = welcome[0] == 303 and welcome[1]["Location"] == "/" and "HttpOnly" in cookie and "SameSite=Strict" in cookie
        check("the page's address gives a cookie", None if good else f"{welcome[0]} {cookie}")
        expect("a wrong one gives none", server.ask("/?token=wrong"), 401)
        expect("the cookie", server.ask(target, headers={"Cookie": f"a=b; {cookie.split(';')[0]}; c=d"}), 200)
        expect("another cookie", server.ask(target, headers={"Cookie": f"ridge-1={token}"}), 401)
        check("it ends", server.stop())


def refusals_to_start():
    for options, words in (
        (["--listen", "0.0.0.0"], "wants --token-file or --token, or --insecure"),
        (["--listen", "::"], "wants --token-file"),
        (["--listen", "example.com"], "is no address"),
        (["--token", "a b"], "letters, digits"),
        (["--token", "a", "--token-file", "b"], "exclude each other"),
        (["--token-file", "/nowhere"], "/nowhere"),
        (["--files", "/nowhere"], "is no folder"),
        (["--port", "70000"], "out of range"),
        (["--log", "/nowhere/log"], "cannot be written"),
    ):
        status, out, err = ridge("serve", *options)
        check(f"ridge serve {' '.join(options)}", None if status in (1, 2) and words in err and not out else f"{status} {err}")
    server = Server("--listen", "0.0.0.0", "--insecure")
    server.host = "127.0.0.1"
    expect("on all addresses an address is a name", server.ask("/healthz", host="10.1.2.3:8000"), 200)
    expect("on all addresses a name is none", server.ask("/healthz", host="rebound.example"), 421)
    check("it ends", server.stop())
    with contextlib.suppress(SystemExit):
        server = Server("--listen", "::1", "--host", "box.example")
        expect("IPv6", server.ask("/healthz"), 200)
        expect("a name that was given", server.ask("/healthz", host="box.example:8000"), 200)
        check("it ends", server.stop())


# ---- what may be reached ----

PATHS = ["/etc/passwd", "../etc/passwd", "../../../../etc/passwd", "a/../../../etc/passwd", "/proc/self/environ", "/dev/zero", "~/x", "..", "/", "x/.."]


def paths_without(server):
    for path in PATHS:
        quoted = urllib.parse.quote(path, safe="")
        for target in (f"cost?model={quoted}", f"inspect?model={quoted}", f"machine/show?id={quoted}", f"predict?model={GPT2}&on={quoted}", f"predict?model={GPT2}&on=l4&against=on={quoted}",
                       f"sweep?model={GPT2}&on=l4,{quoted}", f"cost?model={GPT2}&catalog={quoted}", f"machine/list?machines={quoted}", f"history?db={quoted}", f"db/check?file={quoted}"):  # fmt: skip
            expect(f"without --files: {target}", server.ask(f"/api/v1/{target}"), 403)
    expect("a relative path is no file", server.ask("/api/v1/cost?model=examples/openai-community--gpt2"), 404)
    expect("a file of the folder it was started in", server.ask("/api/v1/cost?model=README.md"), 404)
    for target in (f"cost?model={GPT2}&learn=true", f"cost?model={GPT2}&source=/x", f"predict?model={GPT2}&on=l4&plot=/tmp/x.svg", "db/export?output=/tmp/x", "history/export?file=/tmp/x",
                   "machine/detect?record=/tmp/x", "machine/detect?from=/tmp", "learn?class=X", "validate?class=X", "serve", "pull?id=a/b"):  # fmt: skip
        expect(f"not over HTTP: {target}", server.ask(f"/api/v1/{target}"), 403)
    expect("what is kept changes by POST alone", server.ask("/api/v1/machine/detect?save=true"), 405)
    expect("a page's path that leads away", server.ask("/../../etc/passwd"), 404)
    expect("a page's path, encoded", server.ask("/%2e%2e/%2e%2e/etc/passwd"), 404)


def paths_below():
    folder, outside = SCRATCH / "files", SCRATCH / "outside"
    for place in (folder / "gpt2", folder / "linked", outside):
        place.mkdir(parents=True)
    config = (ROOT / "examples/openai-community--gpt2/config.json").read_text()
    (folder / "gpt2/config.json").write_text(config)
    (outside / "config.json").write_text(config)
    (folder / "away").symlink_to(outside)
    (folder / "inside").symlink_to("gpt2")
    (folder / "linked/config.json").symlink_to(outside / "config.json")
    os.mkfifo(folder / "pipe")
    (folder / "l4.json").write_text((ROOT / "machines/l4.json").read_text())
    server = Server("--files", str(folder))
    wanted = ridge("cost", "gpt2", "--json", folder=folder)[1]
    check("a folder below", None if server.ask("/api/v1/cost?model=gpt2")[2] == wanted else "other bytes")
    full = urllib.parse.quote(str(folder / "gpt2/config.json"), safe="")
    expect("a file below, by its whole path", server.ask(f"/api/v1/cost?model={full}"), 200)
    expect("a link that stays below", server.ask("/api/v1/cost?model=inside"), 200)
    expect("a machine's file below", server.ask("/api/v1/machine/show?id=./l4.json"), 200)
    expect("an id beside it", server.ask(f"/api/v1/cost?model={LLAMA}"), 200)
    for path in [p for p in PATHS if p not in ("a/../../../etc/passwd", "~/x", "x/..")] + ["away", "away/config.json", "linked", "linked/config.json", "pipe", str(outside), f"{folder}/../outside", f"{folder}x"]:
        expect(f"with --files: {path}", server.ask(f"/api/v1/cost?model={urllib.parse.quote(path, safe='')}"), 403)
    expect("nothing is written below either", server.ask(f"/api/v1/predict?model={GPT2}&on=l4&plot=x.svg"), 403)
    check("it ends", server.stop())


# ---- what is no HTTP, and what is too much ----


def malformed(server):
    head = f"GET /healthz HTTP/1.1\r\nHost: {server.host}:{server.port}\r\n".encode()
    post = head.replace(b"GET /healthz", b"POST /api/v1/cost")
    for name, data, statuses in (
        ("no HTTP", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 9, (b"", b"400")),
        ("no version", b"GET /\r\n\r\n", (b"", b"400", b"505")),
        ("another version", b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", (b"", b"400", b"505")),
        ("another method", head.replace(b"GET", b"BREW") + b"\r\n", (b"405",)),
        ("OPTIONS", head.replace(b"GET", b"OPTIONS") + b"\r\n", (b"405",)),
        ("a long target", b"GET /" + b"a" * 200000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", (b"", b"414", b"431", b"400")),
        ("many headers", head + b"".join(b"X-%d: y\r\n" % n for n in range(20000)) + b"\r\n", (b"", b"431", b"413", b"400")),
        ("a long header", head + b"X: " + b"y" * 300000 + b"\r\n\r\n", (b"", b"431", b"413", b"400")),
        ("a length that is none", post + b"Content-Length: x\r\n\r\n", (b"", b"400")),
        ("a length below 0", post + b"Content-Length: -1\r\n\r\n", (b"", b"400")),
        ("a length that is huge", post + b"Content-Length: 99999999999999999999\r\n\r\n", (b"", b"400", b"413")),
        ("a body that is too long", post + b"Content-Length: 999999999\r\n\r\n", (b"413",)),
        ("a chunk that is none", post + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n", (b"", b"400")),
        ("a chunk that is huge", post + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n", (b"", b"400", b"413")),
        ("chunks without end", post + b"Transfer-Encoding: chunked\r\n\r\n" + (b"10000\r\n" + b"a" * 65536 + b"\r\n") * 140, (b"", b"413")),
        ("%00", b"GET /%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", (b"400",)),
        ("%zz", b"GET /api/v1/cost?model=%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", (b"400",)),
        ("% at the end", b"GET /api/v1/cost?model=% HTTP/1.1\r\nHost: localhost\r\n\r\n", (b"400",)),
        ("a NUL", head + b"X: a\0b\r\n\r\n", (b"", b"200", b"400")),
        ("half a request", head, (b"", b"400", b"408")),
        ("half a body", post + b"Content-Length: 100\r\n\r\n{", (b"",)),
        ("too many values", b"GET /api/v1/cost?" + b"a&" * 600 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", (b"400",)),
    ):
        got = server.raw(data)
        status = got.split(b" ", 2)[1][:3] if b" " in got else b""
        check(f"malformed: {name}", None if status in statuses else f"{status}: {got[:200]}")
    expect("it is well after that", server.ask("/healthz"), 200)
    two = server.raw(head + b"\r\n" + head + b"Connection: close\r\n\r\n")
    check("two requests on a line", None if two.count(b'"status": "ok"') == 2 else two)
    slow = server.raw(None, pieces=[head[i : i + 1] for i in range(len(head))] + [b"Connection: close\r\n", b"\r\n"])
    check("a request byte by byte", None if b" 200 " in slow else slow)
    got = server.raw(head.replace(b"GET", b"HEAD") + b"Connection: close\r\n\r\n")
    check("HEAD has no body", None if b" 200 " in got and got.endswith(b"\r\n\r\n") else got)


def many_at_once(server):
    """more connections than it takes: those it took are answered, and it is well after that"""
    held, head = [], f"GET /healthz HTTP/1.1\r\nHost: localhost\r\n".encode()
    for _ in range(300):
        with contextlib.suppress(OSError):
            s = socket.create_connection((server.host, server.port), timeout=2)
            s.sendall(head)
            held.append(s)
    for s in held:
        s.close()
    for _ in range(50):  # it lets go of them as it reads their ends
        with contextlib.suppress(OSError):
            if server.ask("/healthz")[0] == 200:
                break
        time.sleep(0.1)
    expect("it is well after 300 connections that say half", server.ask("/healthz"), 200)
    wanted, wrong = ridge("cost", GPT2, "--json")[1], []

    def many():
        for _ in range(25):
            try:
                got = server.ask(f"/api/v1/cost?model={GPT2}")
            except (OSError, http.client.HTTPException) as problem:
                got = (type(problem).__name__, None, str(problem).encode())
            if got[2] != wanted:
                wrong.append(got)

    threads = [threading.Thread(target=many) for _ in range(16)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    check("400 costs from 16 threads", f"{len(wrong)} wrong: {wrong[0][0]} {wrong[0][2][:200]}" if wrong else None)


def streams(server):
    target = f"/api/v1/sweep?model={GPT2}&on=h100-sxm-80&batch=1:4000:%2B1&seq=1:1000:%2B1&format=csv"
    with socket.create_connection((server.host, server.port), timeout=60) as s:
        s.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        first = s.recv(65536)
        check("a sweep of 4,000,000 points begins before it ends", None if b" 200 " in first else first[:300])
        others = [socket.create_connection((server.host, server.port), timeout=60) for _ in range(5)]
        for other in others:
            other.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        answers = [other.recv(65536)[9:12] for other in others]
        check("there are only so many at once", None if sorted(answers) == [b"200"] * 3 + [b"503"] * 2 else answers)
        expect("others are answered meanwhile", server.ask(f"/api/v1/cost?model={GPT2}"), 200)
        for other in others:
            other.close()
    end, got = time.monotonic() + 60, None
    while time.monotonic() < end and got != 200:
        got = server.ask(f"/api/v1/sweep?model={GPT2}&on=l4&batch=1,2")[0]
    check("who went away does not hold them", None if got == 200 else got)
    while time.monotonic() < end and (wrong := server.ask(f"/api/v1/sweep?model={GPT2}&on=nothing"))[0] == 503:
        time.sleep(0.05)
    expect("an error before the first point has its status", wrong, 422, "nothing")


# ---- jobs ----


def jobs(server):
    expect("measuring wants POST", server.ask("/api/v1/bench?kind=gemv"), 405, "POST")
    expect("a job that cannot be", server.ask("/api/v1/bench", "POST", {**BENCH, "n": "x"}), 400, "n: 'x'")
    got = server.ask("/api/v1/bench", "POST", BENCH)
    job = json.loads(got[2])["id"]
    check("a job is made", None if got[0] == 202 and got[1]["Location"] == f"/api/v1/jobs/{job}" else got)
    events = events_of(server, job)
    ids = [e[0] for e in events]
    good = ids == list(range(1, len(ids) + 1)) and events[0][2] == {"state": "queued"} and events[-1][1:] == ("end", {"state": "done"}) and any(e[1] == "progress" for e in events)
    check("its events", None if good else events)
    again = events_of(server, job, last=ids[-3])
    check("its events from a number on", None if again == events[-2:] else again)
    state = server.json(f"/api/v1/jobs/{job}")
    check("it is done", None if state["state"] == "done" and state["exit"] == 0 and state["command"].startswith("ridge bench gemv") else state)
    result = server.ask(f"/api/v1/jobs/{job}/result")
    row = json.loads(result[2])["rows"][0]
    check("its answer", None if row["kernel"] == "gemv" and row["shape"] == {"n": 64, "k": 64} and result[1]["Ridge-Exit"] == "0" else result[2][:300])
    stored = json.loads(ridge("history", "--json")[1])
    served = server.ask("/api/v1/history")[2]
    check("what was measured is in the history", None if served == ridge("history", "--json")[1] and b"gemv" in served else str(stored)[:300])
    expect("no job of that name", server.ask("/api/v1/jobs/nothing"), 404)
    expect("no part of that name", server.ask(f"/api/v1/jobs/{job}/nothing"), 404)
    expect("a job is not posted to", server.ask(f"/api/v1/jobs/{job}", "POST", {}), 405)

    long = {**BENCH, "n": 4096, "k": 4096, "budget": "20s", "rounds": 5}
    running = json.loads(server.ask("/api/v1/bench", "POST", long)[2])["id"]
    waiting = json.loads(server.ask("/api/v1/bench", "POST", BENCH)[2])["id"]
    cancelled = json.loads(server.ask("/api/v1/bench", "POST", BENCH)[2])["id"]
    events_of(server, running, until="progress")
    states = {j["id"]: j["state"] for j in server.json("/api/v1/jobs")["jobs"]}
    check("one runs, the others wait", None if states[running] == "running" and states[waiting] == "queued" else states)
    expect("an answer that is not there yet", server.ask(f"/api/v1/jobs/{running}/result"), 409)
    check("a job that waits is cancelled", None if server.json(f"/api/v1/jobs/{cancelled}", "DELETE")["state"] == "cancelled" else "it is not")
    began = time.monotonic()
    server.ask(f"/api/v1/jobs/{running}", "DELETE")
    state = server.job_end(running)
    check("a job that runs is cancelled", None if state["state"] == "cancelled" and state["exit"] == 130 and time.monotonic() - began < 10 else state)
    check("the next one runs then", None if server.job_end(waiting)["state"] == "done" else "it does not")
    expect("costs while nothing measures", server.ask(f"/api/v1/cost?model={GPT2}"), 200)


def ends():
    long = {**BENCH, "n": 4096, "k": 4096, "budget": "600s", "rounds": 5}
    for number, options, seconds in ((signal.SIGTERM, ["--grace", "0.2s"], 60), (signal.SIGINT, ["--grace", "300s"], 60)):
        server = Server(*options)
        job = json.loads(server.ask("/api/v1/bench", "POST", long)[2])["id"]
        seen = []
        reader = threading.Thread(target=lambda: seen.extend(events_of(server, job)))
        reader.start()
        events_of(server, job, until="progress")
        began = time.monotonic()
        if number == signal.SIGINT:  # twice: at once
            server.process.send_signal(number)
            time.sleep(0.3)
        problem = server.stop(number, seconds)
        reader.join(60)
        last = seen[-1][1:] if seen else None
        check(f"{number.name}: what runs is cancelled, who watches is told", problem or (None if last == ("end", {"state": "cancelled"}) and time.monotonic() - began < seconds else last))
    server = Server()
    job = json.loads(server.ask("/api/v1/bench", "POST", BENCH)[2])["id"]
    server.job_end(job)
    before = len(json.loads(ridge("history", "--runs", "--json")[1])["runs"])
    job = json.loads(server.ask("/api/v1/bench", "POST", {**long})[2])["id"]
    events_of(server, job, until="progress")
    server.process.kill()
    server.process.wait()
    after = json.loads(ridge("history", "--runs", "--json")[1])["runs"]
    check("kill -9 in a job loses no run that had ended", None if len(after) >= before else f"{before} runs, then {len(after)}")


def log():
    file = SCRATCH / "log"
    server = Server("--log", str(file), "--token", "secret")
    server.ask("/?token=secret")
    server.ask("/%1b[31m", headers={"Authorization": "Bearer secret"})
    server.stop()
    text = file.read_text()
    good = len(text.splitlines()) == 2 and "secret" not in text and "\x1b" not in text and " 303 " in text and " 404 " in text
    check("the log has a line for each request, and no token", None if good else text)


def openapi(server):
    document = server.json("/openapi.json")
    check("OpenAPI 3.1", None if document["openapi"] == "3.1.0" else document["openapi"])
    listed = set(re.findall(r"^  (\w[\w-]*)  ", ridge("--help")[1].decode(), re.M))
    served = {path.split("/")[3] for path in document["paths"] if path.startswith("/api/v1/")}
    check("every command is there, but those for one person", None if listed - served <= {"generate", "learn", "validate", "serve"} and listed else listed - served)
    wrong, twice = [], []
    for path, item in document["paths"].items():
        for method, operation in item.items():
            names = [p["name"] for p in operation.get("parameters", [])]
            twice += [f"{path} {name}" for name in set(names) if names.count(name) > 1]
            if path.startswith("/api/v1/") and "jobs" not in path:
                status, headers, _ = server.ask(path, "DELETE")
                methods = headers["Allow"] if status == 405 else "POST" if status == 403 else None
                if methods != ("GET, HEAD, POST" if "get" in item else "POST"):
                    wrong.append(f"{path}: {status}, {methods}")
    check("its paths are there", wrong)
    check("no name stands for an option and an operand", twice)
    known = set(document["components"]["schemas"])
    refs = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(document)))
    check("what it refers to is there", refs - known)
    with contextlib.suppress(ImportError):
        import jsonschema

        schema = {**document["components"]["schemas"]["Error"]}
        jsonschema.validate(server.json("/api/v1/nothing"), schema)
        jsonschema.validate(server.json("/api/v1/jobs"), document["components"]["schemas"]["Jobs"])


def page(server):
    plain = server.ask("/")
    check("the page", None if plain[0] == 200 and b"<html" in plain[2] and plain[1]["Cache-Control"] == "no-cache" else plain)
    packed = server.ask("/", headers={"Accept-Encoding": "gzip, br"})
    import gzip

    same = packed[1]["Content-Encoding"] != "gzip" or gzip.decompress(packed[2]) == plain[2]
    check("compressed it is the same", None if same else "other bytes")
    large = server.ask("/openapi.json"), server.ask("/openapi.json", headers={"Accept-Encoding": "gzip"}), server.ask("/openapi.json", headers={"Accept-Encoding": "br, gzip; q=0.0"})
    same = large[1][1]["Content-Encoding"] == "gzip" and gzip.decompress(large[1][2]) == large[0][2] == large[2][2] and len(large[1][2]) * 5 < len(large[0][2])
    check("a large answer is compressed for who takes it so", None if same and large[0][1]["Content-Encoding"] is None and large[0][1]["Vary"] else [g[1].items() for g in large])
    small = server.ask("/healthz", headers={"Accept-Encoding": "gzip"})
    check("a small one is not", small[1]["Content-Encoding"])
    fresh = server.ask("/", headers={"If-None-Match": plain[1]["ETag"]})
    check("it is not sent twice", None if fresh[0] == 304 and not fresh[2] else fresh)
    files = [f for f in (ROOT / "src/page").rglob("*") if f.is_file() and f.suffix in (".js", ".css", ".html", ".svg") and "node_modules" not in f.parts and f.name[0] not in "._"]
    wrong = [f.name for f in files if server.ask("/" + str(f.relative_to(ROOT / "src/page")))[2] != f.read_bytes()]
    check("every file of it", wrong)
    expect("a file that there is not", server.ask("/nothing.js"), 404)
    expect("a page is not posted to", server.ask("/", "POST", {}), 405)


refusals_to_start()
server = Server(folder=str(ROOT))
for part in (equal_bytes, posted, machines, catalogs, strangers, paths_without, malformed, many_at_once, streams, jobs, openapi, page):
    began = time.monotonic()
    try:
        part(server)
    except Exception as problem:  # what came was nothing that the test reads
        check(part.__name__, f"{type(problem).__name__}: {problem}")
    if "--times" in sys.argv:
        print(f"# {part.__name__}: {time.monotonic() - began:.1f} s")
check("it ends, and said nothing", server.stop())
tokens()
paths_below()
log()
ends()
finish()
