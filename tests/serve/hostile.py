"""What strangers send: fuzzed paths, queries, bodies and headers, halves of requests, slow readers and writers, connections that close at any
moment. The server answers the next request right each time, grows by no memory, and ends when it is told to.
    hostile.py RIDGE [COUNT] [SEED]     200 and COUNT requests (200: the ordinary test; docs/testing.md has the long form)"""
import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

RIDGE = str(pathlib.Path(sys.argv[1]).resolve())
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 600
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
THREADS = 8
SCRATCH = pathlib.Path(tempfile.mkdtemp())
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GPT2 = "openai-community/gpt2"
CONFIG = json.loads((ROOT / "examples/openai-community--gpt2/config.json").read_text())
WORDS = ["cost", "inspect", "predict", "op/gemm", "formula", "machine/show", "machine/list", "models", "formats", "history", "sweep", "fit", "show", "jobs", "jobs/x", "jobs/x/events", "db/show", "db/list", "bench",
         "profile/layer", "experiment", "baseline/list", "machine/add", "db/check", "learn", "serve", "pull", "live", "help", "nothing", "", "..", "cost/", "machine", "history/import", "history/delete"]  # fmt: skip
NAMES = ["model", "batch", "seq", "past", "phase", "on", "weights", "kv", "id", "name", "argument", "operands", "format", "all", "csv", "json", "catalog", "machines", "files", "db", "kind", "n", "k", "m", "against", "prompt",
         "generate", "explain", "symbolic", "file", "config", "token", "filter", "plot", "html", "tensor-parallel", "x" * 300, "", "\x00", "é"]  # fmt: skip
VALUES = [GPT2, "meta-llama/Llama-2-7b-hf", "h100-sxm-80", "l4", "8", "2k", "0", "-1", "99999999999999999999", "1e309", "nan", "true", "false", "", "../../etc/passwd", "/dev/zero", "%00", "q4_K", "decode", "gemv", "x" * 3000,
          "1:1000000:+1", "1:64:*2", "\x1b[31m", "‮evil", "é", "{", "[]", "'; drop table runs; --", "torch.nn.Linear", "*", "-", "--", "a=b"]  # fmt: skip
METHODS = ["GET"] * 8 + ["POST"] * 5 + ["HEAD", "DELETE", "PUT", "OPTIONS", "BREW", "get", ""]
failures, number = 0, 0


def check(name, problem=None):
    global failures, number
    number += 1
    failures += bool(problem)
    print(f"{'not ok' if problem else 'ok'} {number} - {name}" + (f"\n  # {problem}" if problem else ""), flush=True)


def quoted(r, text):
    return "".join(c if c.isalnum() and r.random() < 0.9 else "".join(f"%{b:02x}" for b in c.encode(errors="surrogatepass")) for c in text)


def target(r):
    path = "/api/v1/" + r.choice(WORDS) if r.random() < 0.9 else r.choice(["/", "/x", "//", "/healthz", "/openapi.json", "*", "http://evil/", "/%2e%2e/x", "/" + "a/" * 500])
    pairs = [f"{quoted(r, r.choice(NAMES))}={quoted(r, r.choice(VALUES))}" for _ in range(r.choice([0, 1, 2, 3, 6, 20]))]
    return path + ("?" + "&".join(pairs) if pairs else "")


def value(r, depth=0):
    kind = r.random()
    if kind < 0.5 or depth > 3:
        return r.choice(VALUES)
    if kind < 0.7:
        return r.choice([0, 1, -1, 8, 10**30, 0.5, True, False, None])
    if kind < 0.85:
        return [value(r, depth + 1) for _ in range(r.choice([0, 1, 3]))]
    return {r.choice(NAMES): value(r, depth + 1) for _ in range(r.choice([0, 1, 3]))}


def config(r):
    made = dict(CONFIG)
    for _ in range(r.choice([0, 1, 3])):
        made[r.choice(list(CONFIG))] = value(r)
    if r.random() < 0.2:
        made[f"stranger_{r.random()}"] = "x" * r.choice([1, 1000])
    return made


def body(r):
    kind = r.random()
    if kind < 0.4:
        made = {r.choice(NAMES): value(r) for _ in range(r.choice([0, 1, 3, 8]))}
        if r.random() < 0.5:
            made["config"] = config(r)
        text = json.dumps(made).encode()
    elif kind < 0.6:
        text = json.dumps(config(r)).encode()
    elif kind < 0.7:
        text = b"[" * r.choice([1, 100, 100000])
    elif kind < 0.8:
        text = bytes(r.getrandbits(8) for _ in range(r.choice([1, 100, 5000])))
    else:
        text = b"{" + b'"a":1,' * r.choice([1, 1000, 100000])
    if r.random() < 0.3 and text:
        at = r.randrange(len(text))
        text = text[:at] + bytes([r.getrandbits(8)]) + text[at + 1 :]
    return text


def request(r, port):
    method = r.choice(METHODS)
    lines = [f"{method} {target(r)} HTTP/1.{r.choice('111110')}".encode()]
    lines.append(b"Host: " + r.choice([b"localhost", f"127.0.0.1:{port}".encode()] * 6 + [b"127.0.0.1", b"evil.example", b"", b"[::1"]))
    for _ in range(r.choice([0, 0, 1, 3])):
        lines.append(r.choice([b"Origin: http://evil.example", b"Accept: text/csv", b"Accept: */*, image/svg+xml", b"Last-Event-ID: 99999999999999", b"Accept-Encoding: gzip", b"Cookie: ridge-1=x; =; ;;", b"Ridge-View: width=-5 line=99999 terminal color",
                               b"X: " + b"y" * r.choice([1, 5000, 70000]), b"Authorization: Bearer x", b"Expect: 100-continue", b"Connection: close", b"Content-Type: application/x-www-form-urlencoded", b"Range: bytes=0-1", b": empty", b"no colon", b"If-None-Match: *"]))  # fmt: skip
    data = b""
    if method == "POST" or r.random() < 0.1:
        data = body(r)
        if r.random() < 0.7:
            lines.append(b"Content-Length: %d" % r.choice([len(data)] * 8 + [len(data) + 10, max(0, len(data) - 3)]))
        else:
            lines.append(b"Transfer-Encoding: chunked")
            data = b"".join(b"%x\r\n" % len(data[i : i + 997]) + data[i : i + 997] + b"\r\n" for i in range(0, len(data), 997)) + (b"0\r\n\r\n" if r.random() < 0.9 else b"")
    return b"\r\n".join(lines) + b"\r\n\r\n" + data


def send(r, port):
    """one request, in one of the ways that strangers have; what came back, where it was waited for"""
    made, way = request(r, port), r.random()
    with socket.create_connection(("127.0.0.1", port), timeout=20) as s:
        with contextlib.suppress(OSError):
            if way < 0.1:  # half of it
                s.sendall(made[: r.randrange(len(made))])
                return None
            if way < 0.15:  # in pieces
                for i in range(0, min(len(made), 4000), 97):
                    s.sendall(made[i : i + 97])
            elif way < 0.2:  # gone before the reply
                s.sendall(made)
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                return None
            elif way < 0.25:  # a reader that takes a little
                s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
                s.sendall(made)
                s.recv(100)
                return None
            else:
                s.sendall(made)
            if r.random() < 0.3:
                s.shutdown(socket.SHUT_WR)
            s.settimeout(5 if way < 0.9 else 0.2)
            return s.recv(1 << 16)
    return None


def resident_kib(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1])


def well(port, seconds=30):
    """is the next request answered? None, or why not"""
    end, why = time.monotonic() + seconds, "it does not answer"
    while time.monotonic() < end:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=10) as s:
                s.sendall(f"GET /api/v1/cost?model={GPT2} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                got = b""
                while piece := s.recv(1 << 16):
                    got += piece
            if got.startswith(b"HTTP/1.1 200") and json.loads(got.split(b"\r\n\r\n", 1)[1])["parameters"]["total"] == 124439808:
                return None
            why = f"another answer: {got[:200]}"
        except (OSError, ValueError) as problem:
            why = f"{type(problem).__name__}: {problem}"
        time.sleep(0.1)
    return why


def ask(port, method, target):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, target)
    text = connection.getresponse().read()
    connection.close()
    return json.loads(text)


def quiet(port):
    """strangers may have begun measurements, which have memory of their own: they end"""
    end, going = time.monotonic() + 60, True
    while going and time.monotonic() < end:
        going = [j["id"] for j in ask(port, "GET", "/api/v1/jobs")["jobs"] if j["state"] in ("queued", "running")]
        for job in going:
            ask(port, "DELETE", f"/api/v1/jobs/{job}")
        time.sleep(0.05)


def main():
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "XDG_DATA_HOME": str(SCRATCH), "HF_HOME": str(SCRATCH), "RIDGE_LAST_LEVEL_CACHE": "1Mi"}
    log = open(SCRATCH / "words", "w+")
    server = subprocess.Popen([RIDGE, "serve", "--port", "0"], stderr=log, env=environment)
    end = time.monotonic() + 30
    while not (found := re.search(r":(\d+)/", (SCRATCH / "words").read_text())) and time.monotonic() < end:
        time.sleep(0.05)
    port, sent, statuses = int(found[1]), [0], {}

    def strangers(seed, count):
        r = random.Random(seed)
        for _ in range(count):
            with contextlib.suppress(OSError):
                got = send(r, port)
                status = got[9:12].decode(errors="replace") if got else "none"
                statuses[status] = statuses.get(status, 0) + 1
            sent[0] += 1

    def storm(seed, count):
        threads = [threading.Thread(target=strangers, args=(seed + n, count // THREADS)) for n in range(THREADS)]
        [t.start() for t in threads]
        [t.join() for t in threads]

    storm(SEED * 1000, max(COUNT // 4, 200))
    check("it answers after the first quarter", well(port))
    quiet(port)
    before = resident_kib(server.pid)
    storm(SEED * 1000 + 500, COUNT)
    check(f"it answers after {sent[0]} requests", well(port))
    quiet(port)
    after = resident_kib(server.pid)
    print(f"# statuses {dict(sorted(statuses.items()))}, resident {before} then {after} KiB")
    sanitized = "san" in subprocess.run(["ldd", RIDGE], capture_output=True, text=True).stdout
    check("its memory stays", None if sanitized or after < 2 * before + 65536 else f"{before} KiB, then {after} KiB")
    bad = [s for s in statuses if s.startswith("5") and s != "503"]
    check("no fault of the server's own", f"statuses {bad}: {statuses}" if bad else None)
    check("many kinds of replies", None if {"200", "400", "403", "404", "405", "421"} <= set(statuses) else statuses)
    server.send_signal(signal.SIGTERM)
    try:
        status = server.wait(60)
    except subprocess.TimeoutExpired:
        server.kill()
        status = "killed: it did not end"
    words = (SCRATCH / "words").read_text()
    check("it ends, and said nothing", None if status == 0 and words.count("\n") == 1 else f"{status} {words[:3000]}")
    print(f"1..{number}")
    sys.exit(failures > 0)


main()
