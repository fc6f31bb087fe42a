"""The client of the Hugging Face hub against a server on loopback that tells the truth, and against one that does not: nothing hangs, no token goes to
another host, nothing is half-written in the cache, each fault has its message.
    hub.py RIDGE"""
import hashlib
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

try:
    import jsonschema
except ImportError:
    jsonschema = None

RIDGE = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CONFIG = (ROOT / "examples/openai-community--gpt2/config.json").read_bytes()
COMMIT, ETAG = "a" * 40, "b" * 40
TOKEN = "hf_secret"


def safetensors(count):
    """a file of `count` matrices of 4 x 8 in bf16 whose data is not worth sending"""
    header = json.dumps({f"layers.{n}.weight": {"dtype": "BF16", "shape": [4, 8], "data_offsets": [64 * n, 64 * n + 64]} for n in range(count)}).encode()
    return len(header).to_bytes(8, "little") + header + bytes(64 * count)


WEIGHTS = safetensors(2000)  # a header of more than the first part
failures, number = 0, 0


def check(name, problem):
    global failures, number
    number += 1
    failures += bool(problem)
    print(f"{'not ok' if problem else 'ok'} {number} - {name}" + (f"\n  # {problem}" if problem else ""), flush=True)


# ---- the server: a path's first part is the model, which says how it answers ----

seen = []  # (port, path, token) of every request


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def say(self, status, body=b"", length=None, **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def file(self, body=CONFIG, commit=COMMIT, etag=f'"{ETAG}"', **more):
        self.say(200, body, X_Repo_Commit=commit, ETag=etag, Content_Type="application/json", **more)

    def do_GET(self):
        seen.append((self.server.server_port, self.path, self.headers.get("Authorization")))
        name = self.path.split("/")[2] if self.path.count("/") > 1 else ""
        try:
            getattr(self, "answer_" + name.replace("-", "_").replace(".", "_"), self.answer_none)()
        except (BrokenPipeError, ConnectionResetError):
            pass

    def part(self, body, **more):
        """as the hub's storage answers for a range"""
        first, last = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
        piece = body[first : last + 1]
        self.say(206, piece, Content_Range=f"bytes {first}-{first + len(piece) - 1}/{len(body)}", X_Repo_Commit=COMMIT, ETag=f'"{ETAG}"', **more)

    def answer_models(self):  # /api/models/org/NAME/revision/main
        name = self.path.split("/")[4]
        if name == "htmllist":
            self.say(200, b"<html>", Content_Type="text/html")
            return
        if name == "nolist":
            self.say(200, b'{"sha": "' + COMMIT.encode() + b'"}')
            return
        files = ["README.md", "config.json", "model.safetensors", "onnx/model.onnx", "../../evil", "/etc/passwd"]
        self.say(200, json.dumps({"sha": COMMIT, "siblings": [{"rfilename": f} for f in files]}).encode(), Content_Type="application/json")

    def answer_pulled(self):
        if self.path.endswith("config.json"):
            self.file()
        else:
            self.part(WEIGHTS)

    def answer_longheader(self):
        if self.path.endswith("config.json"):
            self.file()
        else:
            self.part((1 << 62).to_bytes(8, "little") + b"{}" + bytes(100))

    def answer_wholefile(self):
        if self.path.endswith("config.json"):
            self.file()
        else:
            self.file(WEIGHTS)

    def answer_shortpart(self):
        if self.path.endswith("config.json"):
            self.file()
        else:
            self.say(206, WEIGHTS[:100], Content_Range=f"bytes 0-65535/{len(WEIGHTS)}", X_Repo_Commit=COMMIT, ETag=f'"{ETAG}"')

    answer_htmllist = answer_nolist = answer_pulled

    def answer_none(self):
        self.say(404, X_Error_Code="RepoNotFound")

    def answer_good(self):
        revision = self.path.split("/")[4]
        self.file(commit={"main": COMMIT, "v1": "c" * 40, "refs%2Fpr%2F1": "d" * 40}.get(revision, COMMIT))

    def answer_relative(self):  # as the hub answers for small files
        self.say(307, b"moved", Location=f"/api/resolve-cache/models{self.path}", X_Repo_Commit=COMMIT)

    def answer_resolve_cache(self):
        self.file()

    def answer_large(self):  # as for files in large storage: the other host tells nothing of the file
        body = CONFIG
        self.say(302, b"<html>moved</html>", Location=f"http://127.0.0.1:{other.server_port}/org/stored", X_Repo_Commit=COMMIT,
                 X_Linked_Etag=f'"{hashlib.sha256(body).hexdigest()}"', X_Linked_Size=str(len(body)))

    def answer_stored(self):
        self.say(200, CONFIG, ETag='"other"', X_Repo_Commit="e" * 40)

    def answer_forged(self):  # the other host sends something else
        self.say(302, Location=f"http://127.0.0.1:{other.server_port}/org/stored", X_Repo_Commit=COMMIT, X_Linked_Etag=f'"{"0" * 64}"',
                 X_Linked_Size=str(len(CONFIG)))

    def answer_loop(self):
        self.say(302, Location=self.path)

    def answer_loop2(self):
        port = other.server_port if self.server is server else server.server_port
        self.say(302, Location=f"http://127.0.0.1:{port}{self.path}")

    def answer_local(self):
        self.say(302, Location="file:///etc/passwd")

    def answer_gated(self):
        self.say(403, X_Error_Code="GatedRepo", X_Error_Message="Access to model org/gated is restricted")

    def answer_private(self):
        self.say(401, X_Error_Code="RepoNotFound")

    def answer_badtoken(self):
        self.say(401)

    def answer_forbidden(self):
        self.say(403, X_Error_Message="You shall not pass")

    def answer_empty(self):
        self.say(404, X_Error_Code="EntryNotFound")

    def answer_norev(self):
        self.say(404, X_Error_Code="RevisionNotFound")

    def answer_busy(self):
        self.say(429)

    def answer_broken(self):
        self.say(503)

    def answer_short(self):
        self.file(CONFIG[:100], length=len(CONFIG))

    def answer_lying(self):
        self.file(X_Linked_Size=str(len(CONFIG) + 1))

    def answer_endless(self):
        self.send_response(200)
        self.end_headers()
        for _ in range(40):
            self.wfile.write(b" " * (1 << 20))
        self.close_connection = True

    def answer_slow(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONFIG)))
        self.end_headers()
        for i in range(60):
            self.wfile.write(CONFIG[i : i + 1])
            self.wfile.flush()
            time.sleep(0.5)

    def answer_silent(self):
        time.sleep(20)

    def answer_headers(self):
        self.send_response(200)
        for i in range(3000):
            self.send_header(f"X-More-{i}", "y" * 100)
        self.end_headers()

    def answer_html(self):
        self.say(200, b"<!DOCTYPE html><html>log in</html>", Content_Type="text/html", X_Repo_Commit=COMMIT, ETag=ETAG)

    def answer_html2(self):
        self.file(b"\n<html>log in</html>")

    def answer_nojson(self):
        self.file(b'{"model_type": "gpt2", ')

    def answer_nocommit(self):
        self.say(200, CONFIG, ETag=ETAG)

    def answer_noetag(self):
        self.say(200, CONFIG, X_Repo_Commit=COMMIT)

    def answer_etagpath(self):
        self.file(etag='"../../../../evil"')

    def answer_commitpath(self):
        self.file(commit="../../../../../../evil" + "a" * 18)

    def answer_sha(self):
        self.file(etag=f'"{"0" * 64}"')

    def answer_size(self):
        self.file(X_Linked_Size="10")

    def answer_gone(self):
        self.close_connection = True  # not a word

    def answer_garbage(self):
        self.wfile.write(b"\x00\xff not http\r\n\r\n")
        self.close_connection = True

    def answer_forms(self):
        self.file(b'{"model_type": "gpt2", "x": ' + b"[" * 100000 + b"]" * 100000 + b"}")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *words):
        pass


def start():
    made = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    return made


server, other = start(), start()


# ---- the program ----

class Run:
    def __init__(self, home, *words, endpoint=None, **env):
        known = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C", "HF_ENDPOINT": endpoint or f"http://127.0.0.1:{server.server_port}",
                 "HF_HUB_DOWNLOAD_TIMEOUT": "2", "HF_HUB_ETAG_TIMEOUT": "2"}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            if name in os.environ:
                known[name] = os.environ[name]
        begun = time.monotonic()
        done = subprocess.run([RIDGE, *words], capture_output=True, text=True, env={**known, **env}, timeout=60)
        self.seconds, self.status, self.said, self.out = time.monotonic() - begun, done.returncode, done.stderr.strip(), done.stdout


def hub_of(home):
    return home / ".cache/huggingface/hub"


def left(home):
    """files below the cache, but locks"""
    return sorted(str(p.relative_to(home)) for p in home.rglob("*") if (p.is_file() or p.is_symlink()) and ".locks" not in p.parts)


def counted(run):
    return None if run.status == 0 and "124,439,808" in run.out else f"status {run.status}: {run.said}"


def good(name, model, wanted_files, *, revision=None, **env):
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        model = f"org/{model}" + (f"@{revision}" if revision else "")
        problem = counted(Run(home, "cost", model, **env))
        hub = hub_of(home)
        found = [f.replace(".cache/huggingface/hub/models--org--", "") for f in left(home)]
        if not problem and found != wanted_files:
            problem = f"the cache has {found}"
        if not problem:
            before = len(seen)
            problem = counted(Run(home, "cost", model, HF_HUB_OFFLINE="1")) or (len(seen) > before and "the server was asked again")
        link = next(hub.rglob("config.json"), None)
        if not problem and (not link.is_symlink() or os.readlink(link).startswith("/") or link.read_bytes() != CONFIG):
            problem = f"{link} is no relative link to its blob"
        check(name, problem)


good("a file, its blob, its ref", "good", [f"good/blobs/{ETAG}", "good/refs/main", f"good/snapshots/{COMMIT}/config.json"])
good("a tag", "good", [f"good/blobs/{ETAG}", "good/refs/v1", f"good/snapshots/{'c' * 40}/config.json"], revision="v1")
good("a branch with slashes", "good", [f"good/blobs/{ETAG}", "good/refs/refs/pr/1", f"good/snapshots/{'d' * 40}/config.json"], revision="refs/pr/1")
good("a commit needs no ref", "good", [f"good/blobs/{ETAG}", f"good/snapshots/{COMMIT}/config.json"], revision=COMMIT)
good("a redirect on the same host", "relative", [f"relative/blobs/{ETAG}", "relative/refs/main", f"relative/snapshots/{COMMIT}/config.json"])
sha = hashlib.sha256(CONFIG).hexdigest()
good("a redirect to another host", "large", [f"large/blobs/{sha}", "large/refs/main", f"large/snapshots/{COMMIT}/config.json"])


def tokens_of(model, **env):
    del seen[:]
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        kept = env.pop("kept", None)
        if kept is not None:
            (home / ".cache/huggingface").mkdir(parents=True)
            (home / ".cache/huggingface/token").write_text(kept)
        Run(home, "cost", f"org/{model}", **env)
    return [(port == server.server_port, token) for port, _, token in seen]


bearer = f"Bearer {TOKEN}"
check("a token goes to the hub", None if tokens_of("good", HF_TOKEN=TOKEN) == [(True, bearer)] else seen)
check("a kept token goes to the hub", None if tokens_of("good", kept=TOKEN + "\n") == [(True, bearer)] else seen)
check("a kept token stays where that is wanted", None if tokens_of("good", kept=TOKEN, HF_HUB_DISABLE_IMPLICIT_TOKEN="1") == [(True, None)] else seen)
check("no token goes to another host", None if tokens_of("large", HF_TOKEN=TOKEN) == [(True, bearer), (False, None)] else seen)
check("a token comes back with the hub", None if (t := tokens_of("loop2", HF_TOKEN=TOKEN))[:3] == [(True, bearer), (False, None), (True, bearer)] else t)
check("no header is made of a token with a line in it", None if tokens_of("good", HF_TOKEN="a\r\nX-Evil: 1") == [(True, None)] else seen)

REFUSED = [  # model, what is said, environment
    ("none", "no model 'org/none' on the hub, or it is private and needs a token (HF_TOKEN)", {}),
    ("private", "no model 'org/private' on the hub, or the token may not see it", {"HF_TOKEN": TOKEN}),
    ("badtoken", "the hub does not accept the token", {"HF_TOKEN": TOKEN}),
    ("gated", "org/gated is gated: ask for access on the model's page, then set HF_TOKEN", {}),
    ("gated", "org/gated is gated: the token's owner has not been granted access", {"HF_TOKEN": TOKEN}),
    ("forbidden", "org/forbidden: access is forbidden: You shall not pass", {}),
    ("empty", "org/empty is on the hub, and has no config.json", {}),
    ("norev@v9", "org/norev has no revision 'v9'", {}),
    ("busy", "too many requests", {}),
    ("broken", "answers with status 503", {}),
    ("loop", "redirects more than 5 times", {}),
    ("loop2", "redirects more than 5 times", {}),
    ("local", "redirects to what is no address of the web", {}),
    ("forged", "has another SHA-256 than the hub says", {}),
    ("short", "sent less than it announced", {}),
    ("lying", "bytes, and", {}),
    ("size", "has 10 bytes, and", {}),
    ("endless", "sent more than the 16777216 bytes that are read of it", {}),
    ("slow", "is too slow", {}),
    ("silent", "is too slow", {}),
    ("headers", "bytes of headers", {}),
    ("html", "is a page of HTML", {}),
    ("html2", "is a page of HTML", {}),
    ("nojson", "is no JSON", {}),
    ("forms", "is no JSON", {}),
    ("nocommit", "names no commit", {}),
    ("noetag", "names no version of the file", {}),
    ("etagpath", "names no version of the file", {}),
    ("commitpath", "names no commit", {}),
    ("sha", "has another SHA-256 than the hub says", {}),
    ("good@" + "f" * 40, f"commit {'f' * 40} was asked for, and the answer is of {COMMIT}", {}),
    ("gone", "http://127.0.0.1:", {}),
    ("garbage", "http://127.0.0.1:", {}),
    ("good", "HF_HUB_OFFLINE is set", {"HF_HUB_OFFLINE": "yes"}),
    ("good", "HF_HUB_OFFLINE is set", {"TRANSFORMERS_OFFLINE": "1"}),
    ("good", "HF_ENDPOINT: 'ftp://hub' is no address", {"endpoint": "ftp://hub"}),
    ("good", "no connection to http://127.0.0.1:9", {"endpoint": "http://127.0.0.1:9"}),
    ("good@../../x", "no such file or folder", {}),
]
for model, words, env in REFUSED:
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        run = Run(home, "cost", f"org/{model}", **env)
        files = left(home)
        problem = None
        if run.status != 1 or words not in run.said:
            problem = f"status {run.status}: {run.said}"
        elif files:
            problem = f"the cache has {files}"
        elif run.seconds > 15:
            problem = f"it took {run.seconds:.0f} s"
        check(f"{model}{' with a token' if 'HF_TOKEN' in env else ''}: {words}", problem)

# pull: the config and the indexes into the cache, the headers of the weights by ranges
with tempfile.TemporaryDirectory() as folder:
    home = pathlib.Path(folder)
    del seen[:]
    run = Run(home, "pull", "org/pulled", "--json", HF_TOKEN=TOKEN)
    answer = json.loads(run.out) if run.status == 0 else {}
    problem = run.said
    if answer:
        want = {"commit": COMMIT, "tensors": 2000, "elements": 64000, "weights_bytes": 128000}
        got = {key: answer[key] for key in want}
        files = [(f["file"], f["bytes"], f["tensors"]) for f in answer["files"]]
        problem = None if got == want and files == [("config.json", len(CONFIG), None), ("model.safetensors", len(WEIGHTS), 2000)] else f"{got} {files}"
    check("pull reads the config and the headers alone", problem)
    if jsonschema:
        schema = json.loads((ROOT / "docs/schema/pull.json").read_text())
        check("pull answers as its schema says", next((e.message for e in jsonschema.Draft202012Validator(schema).iter_errors(answer)), None))
    check("pull keeps the config alone", None if [f for f in left(home) if f.endswith(".safetensors")] == [] and len(left(home)) == 3 else left(home))
    check("pull asks for no file that is outside the repository", None if not [p for _, p, _ in seen if "evil" in p or "passwd" in p] else seen)
for model, words in [("none", "no model 'org/none'"), ("htmllist", "is a page of HTML"), ("nolist", "lists no files"), ("longheader", "says that its header has"),
                     ("wholefile", "sends a file as a whole"), ("shortpart", "bytes of model.safetensors were asked for, and 100 came"), ("a b", "is no id of the hub")]:
    with tempfile.TemporaryDirectory() as folder:
        run = Run(pathlib.Path(folder), "pull", model if " " in model else f"org/{model}")
        check(f"pull {model}: {words}", None if run.status in (1, 2) and words in run.said else f"status {run.status}: {run.said}")

# what is in the cache is listed
with tempfile.TemporaryDirectory() as folder:
    home = pathlib.Path(folder)
    Run(home, "cost", "org/good")
    (hub_of(home) / "models--org--empty/snapshots").mkdir(parents=True)
    (hub_of(home) / "datasets--org--data").mkdir()
    run = Run(home, "models", "--json")
    check("ridge models lists what is in the cache", None if (c := json.loads(run.out)["cached"]) == ["org/good"] else c)

# a cache that cannot be written says so
with tempfile.TemporaryDirectory() as folder:
    home = pathlib.Path(folder)
    (home / "hub").write_text("a file")
    run = Run(home, "cost", "org/good", HF_HUB_CACHE=str(home / "hub"))
    check("a cache that is no folder", None if run.status == 1 and "hub" in run.said else f"status {run.status}: {run.said}")

print(f"1..{number}")
sys.exit(bool(failures))
