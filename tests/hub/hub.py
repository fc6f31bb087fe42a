"""The client of the Hugging Face hub against a server on loopback that tells the truth, and against one that does not: nothing hangs, no token goes to
another host, nothing is half-written in the cache, each fault has its message.
    hub.py RIDGE"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from server import COMMIT, CONFIG, ETAG, GGUF, GGUFS, HEADER, LLAMA_BYTES, ROOT, TOKEN, WEIGHTS, llama, parts, safetensors, seen, server, stored, weights_of, whole

try:
    import jsonschema
except ImportError:
    jsonschema = None

RIDGE = sys.argv[1]
failures, number = 0, 0


def check(name, problem):
    global failures, number
    number += 1
    failures += bool(problem)
    print(f"{'not ok' if problem else 'ok'} {number} - {name}" + (f"\n  # {problem}" if problem else ""), flush=True)


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
    in_hub = [f for f in left(home) if "/hub/" in f]
    check("pull keeps the config alone in the shared cache", None if [f for f in in_hub if ".safetensors" in f] == [] and len(in_hub) == 3 else in_hub)
    check("pull asks for no file that is outside the repository", None if not [p for _, p, _ in seen if "evil" in p or "passwd" in p] else seen)
for model, words in [("none", "no model 'org/none'"), ("htmllist", "is a page of HTML"), ("nolist", "lists no files"), ("longheader", "inside the header, which begins at byte 8 and has 4611686018427387904 bytes"),
                     ("wholefile", "sends a file as a whole"), ("shortpart", "bytes of model.safetensors were asked for, and 100 came"), ("a b", "is no id of the hub")]:
    with tempfile.TemporaryDirectory() as folder:
        run = Run(pathlib.Path(folder), "pull", model if " " in model else f"org/{model}")
        check(f"pull {model}: {words}", None if run.status in (1, 2) and words in run.said else f"status {run.status}: {run.said}")

# GGUFs by id: the header alone is read, by ranges, and kept where Hugging Face's cache is not touched
def kept(home):
    return [f.replace(".cache/huggingface/", "").replace(COMMIT, "COMMIT") for f in left(home)]


def weights(run, bytes_=LLAMA_BYTES):
    answer = json.loads(run.out) if run.status == 0 else {}
    return None if answer.get("weights_bytes") == bytes_ else f"status {run.status}: {run.said} {answer.get('weights_bytes')}"


def by_id(name, model, files, **env):
    """asked once: the second time, and offline, no server is asked"""
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        del seen[:]
        problem = weights(Run(home, "inspect", model, "--json", **env))
        asked = len(seen)
        if not problem and kept(home) != files:
            problem = f"the cache has {kept(home)}"
        if not problem and max(p.stat().st_size for p in home.rglob("*.beginning")) > HEADER + 100:
            problem = "more than the header was kept"
        problem = problem or weights(Run(home, "inspect", model, "--json", **env)) or weights(Run(home, "inspect", model, "--json", HF_HUB_OFFLINE="1"))
        check(name, problem or (f"asked again: {seen[asked:]}" if len(seen) > asked else None))


OWN, MAIN = "assets/ridge/", "assets/ridge/refs/models--org--"
def files_of(repository, *files, listed=True):
    return sorted([f"{OWN}beginnings/models--org--{repository}/COMMIT/{f}.beginning" for f in files] + [f"{MAIN}{repository}/main"]
                  + [f"{OWN}lists/models--org--{repository}/COMMIT.json"] * listed)


SPLIT = [f"BF16/Tiny-BF16-{i:05}-of-00003.gguf" for i in (1, 2, 3)]
by_id("the only GGUF of a repository", "org/gguf", files_of("gguf", "Tiny-Q4_K_M.gguf"))
by_id("... in large storage", "org/stored-gguf", files_of("stored-gguf", "Tiny-Q4_K_M.gguf"), HF_TOKEN=TOKEN)
check("no token goes to that", None if all(token == (f"Bearer {TOKEN}" if port == server.server_port else None) for port, _, token in seen) else seen)
by_id("a GGUF by its quantisation", "org/ggufs:q4_k_m", files_of("ggufs", "Tiny-Q4_K_M.gguf"))
by_id("... in upper case", "org/ggufs:Q8_0", files_of("ggufs", "Tiny-q8_0.gguf"))
by_id("... as an address", "https://hf.co/org/ggufs:Q8_0", files_of("ggufs", "Tiny-q8_0.gguf"))
by_id("... of a revision", "org/ggufs@main:Q8_0", files_of("ggufs", "Tiny-q8_0.gguf"))
by_id("... without UD-", "org/ggufs:Q2_K", files_of("ggufs", "Tiny-UD-Q2_K.gguf"))
by_id("... in three parts", "org/ggufs:BF16", files_of("ggufs", *SPLIT))
by_id("... beside a config", "org/both:Q4_K_M", files_of("both", "Tiny-Q4_K_M.gguf"))
by_id("the only one, in three parts", "org/split", files_of("split", *SPLIT))
by_id("a GGUF by its name", "org/ggufs/Tiny-q8_0.gguf", files_of("ggufs", "Tiny-q8_0.gguf", listed=False))
by_id("... as a tag", "org/ggufs:Tiny-q8_0.gguf", files_of("ggufs", "Tiny-q8_0.gguf"))
by_id("... as an address", "https://huggingface.co/org/ggufs/blob/main/Tiny-q8_0.gguf?x", files_of("ggufs", "Tiny-q8_0.gguf", listed=False))
by_id("... the second of three parts", f"org/ggufs/{SPLIT[1]}", files_of("ggufs", *SPLIT, listed=False))

with tempfile.TemporaryDirectory() as folder:
    home = pathlib.Path(folder)
    run = Run(home, "inspect", "org/gguf", HF_ASSETS_CACHE=str(home / "own"))
    check("HF_ASSETS_CACHE", None if run.status == 0 and all(f.startswith("own/ridge/") for f in left(home)) else f"{run.said} {left(home)}")
with tempfile.TemporaryDirectory() as folder:
    home = pathlib.Path(folder)
    del seen[:]
    Run(home, "inspect", "org/gguf", HF_TOKEN=TOKEN)
    ranges = [path for _, path, _ in seen if path.endswith(".gguf")]
    check("few requests, to the commit of the list", None if 2 <= len(ranges) <= 3 and all(f"/resolve/{COMMIT}/" in p for p in ranges) else seen)
    check("a config where there is one", counted(Run(home, "cost", "org/both")))

UNCHOSEN = [  # model, what is said
    ("ggufs", "org/ggufs has 5 GGUFs: name one as org/ggufs:TAG, or by its path: Q4_K_M ("),
    ("ggufs:F16", "org/ggufs has no GGUF 'F16'; it has Q4_K_M ("),
    ("ggufs:latest", "has no GGUF 'latest'"),
    ("ggufs:M", "has no GGUF 'M'"),
    ("ggufs/absent-Q4_0.gguf", "org/ggufs has no file absent-Q4_0.gguf"),
    ("none/a.gguf", "(HF_TOKEN); nor is there such a file here"),
    ("twice:Q4_0", "org/twice has 2 GGUFs that 'Q4_0' may mean: name one as org/twice/FILE: a-Q4_0.gguf ("),
    ("twice", "name one as org/twice:TAG, or by its path: a-Q4_0.gguf ("),
    ("neither", "is on the hub, and has no config.json and no GGUF"),
    ("neither:Q4_0", "has no config.json and no GGUF"),
    ("none:Q4_0", "no model 'org/none' on the hub"),
    ("ggufs:", "no such file or folder"),
    ("ggufs:a b", "no such file or folder"),
    ("ggufs/../x.gguf", "No such file"),
    ("shortrange", "bytes of Tiny-Q4_K_M.gguf were asked for, and 1000 came"),
    ("whole200", "sends a file as a whole, not the part"),
    ("wrongplace", "of Tiny-Q4_K_M.gguf were asked for, and others came (Content-Range)"),
    ("wrongend", "and others came (Content-Range)"),
    ("norange", "does not tell, or tells twice, how many bytes"),
    ("twosizes", "does not tell, or tells twice, how many bytes"),
    ("htmlpart", "org/htmlpart/Tiny-Q4_K_M.gguf: no GGUF"),
    ("othertag", "org/othertag/Tiny-Q4_K_M.gguf changed while it was read"),
    ("othercommit", f"commit {COMMIT} was asked for, and the answer is of"),
    ("vanishes", "went away while it was read"),
    ("hugearray", "its header has more than 128 MiB"),
    ("hugefile", "its header has more than 128 MiB"),
    ("cutfile", "and the file ends at"),
    ("notgguf", "no GGUF: it does not begin with the letters GGUF"),
    ("emptyfile", "answers with status 416"),
]
for model, words in UNCHOSEN:
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        run = Run(home, "cost", f"org/{model}")
        problem = None if run.status == 1 and words in run.said else f"status {run.status}: {run.said}"
        wrong = [f for f in kept(home) if "/hub/" in f or "beginnings" in f or ".tmp" in f]
        check(f"{model}: {words}", problem or (f"the cache has {wrong}" if wrong else None))

with tempfile.TemporaryDirectory() as folder:  # the folder of the first word is here: a path was mistyped
    home = pathlib.Path(folder)
    del seen[:]
    (home / "org").mkdir()
    done = subprocess.run([os.path.abspath(RIDGE), "cost", "org/ggufs/a.gguf"], cwd=folder, capture_output=True, text=True,
                          env={"HOME": folder, "HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}"})
    check("a path is no id", None if "cannot read org/ggufs/a.gguf" in done.stderr and not seen else f"{done.stderr} {seen}")


def snapshot(home, repository, commit=COMMIT, ref=True, **files):
    """as huggingface_hub leaves them"""
    repo = hub_of(home) / f"models--org--{repository}"
    for name, body in files.items():
        path = repo / "snapshots" / commit / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    if ref:
        (repo / "refs").mkdir(exist_ok=True)
        (repo / "refs/main").write_text(commit)


OTHER = llama(layers=3, tokens=0)
with tempfile.TemporaryDirectory() as folder:
    home = pathlib.Path(folder)
    del seen[:]
    snapshot(home, "ggufs", **{"Tiny-Q4_K_M.gguf": whole(*OTHER)})
    whole_file = weights_of(OTHER[1])
    check("the file itself, where the shared cache has it", weights(Run(home, "inspect", "org/ggufs:Q4_K_M", "--json"), whole_file) or seen)
    check("... by its name", weights(Run(home, "inspect", "org/ggufs/Tiny-Q4_K_M.gguf", "--json"), whole_file) or seen)
    check("... offline", weights(Run(home, "inspect", "org/ggufs:Q4_K_M", "--json", HF_HUB_OFFLINE="1"), whole_file))
    run = Run(home, "inspect", "org/ggufs", HF_HUB_OFFLINE="1")
    check("which one is not guessed offline", None if run.status == 1 and "the cache has Q4_K_M: name one" in run.said else run.said)
    run = Run(home, "inspect", "org/ggufs:Q8_0", HF_HUB_OFFLINE="1")
    check("another one is not there offline", None if run.status == 1 and "the cache has Q4_K_M: name one" in run.said else run.said)
    check("another one of the same repository", weights(Run(home, "inspect", "org/ggufs:Q8_0", "--json")))
    check("... and then the file of the cache", weights(Run(home, "inspect", "org/ggufs:Q4_K_M", "--json"), whole_file))
with tempfile.TemporaryDirectory() as folder:  # one part of three is there
    home = pathlib.Path(folder)
    snapshot(home, "split", **{SPLIT[i]: GGUFS[SPLIT[i]] for i in (0, 2)})
    problem = weights(Run(home, "inspect", "org/split:BF16", "--json"))
    found = [f for f in kept(home) if "beginnings" in f]
    check("what is not there of three parts", problem or (None if len(found) == 1 and SPLIT[1] in found[0] else found))
with tempfile.TemporaryDirectory() as folder:  # what was kept and is no more as it was written does not count
    home = pathlib.Path(folder)
    Run(home, "inspect", "org/gguf")
    (beginning,) = home.rglob("*.beginning")
    text = beginning.read_bytes()
    for name, body in [("cut", text[:-1]), ("longer", text + b"x"), ("another number", text.replace(b"1 of ", b"2 of ", 1)), ("empty", b""),
                       ("a leading zero", text.replace(b" of ", b" of 0", 1)), ("a size below it", b"ridge beginning 1 of 3: 10\n" + bytes(10))]:
        beginning.write_bytes(body)
        run = Run(home, "inspect", "org/gguf", "--json", HF_HUB_OFFLINE="1")
        check(f"a header that is {name}, offline", None if run.status == 1 and "is not in the cache" in run.said else f"{run.status} {run.said}")
        check(f"a header that is {name}", weights(Run(home, "inspect", "org/gguf", "--json")) or (beginning.read_bytes() != text and "not written anew"))
    (kept_list,) = home.rglob("lists/*/*.json")
    for body in (b"", b"[", b'{"sha": 1}', b'{"sha": "' + b"c" * 40 + b'", "siblings": []}'):
        kept_list.write_bytes(body)
        check("a list that is spoilt", weights(Run(home, "inspect", "org/gguf", "--json")))

for model, files in [("gguf", ["Tiny-Q4_K_M.gguf"]), ("ggufs:Q8_0", ["Tiny-q8_0.gguf"]), ("ggufs:bf16", SPLIT), ("ggufs/Tiny-q8_0.gguf", ["Tiny-q8_0.gguf"]),
                     ("both:Q4_K_M", ["Tiny-Q4_K_M.gguf"])]:
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        run = Run(home, "pull", f"org/{model}", "--json")
        answer = json.loads(run.out) if run.status == 0 else {"files": [], "tensors": 0, "weights_bytes": 0}
        got = [(f["file"], f["bytes"]) for f in answer["files"]]
        want = [(f, len(GGUFS[f])) for f in files]
        good_sums = answer["weights_bytes"] == LLAMA_BYTES and answer["tensors"] == len(llama()[1])
        check(f"pull org/{model}", None if got == want and good_sums else f"{run.said} {got} {answer['tensors']} {answer['weights_bytes']}")
        check("... is read offline", weights(Run(home, "inspect", f"org/{model}", "--json", HF_HUB_OFFLINE="1")))
for model, words in [("ggufs", "name one as org/ggufs:TAG"), ("ggufs:Q3_K", "has no GGUF 'Q3_K'"), ("neither", "no config.json, no safetensors and no GGUF"),
                     ("notgguf", "no GGUF"), ("ggufs/a.gguf", "has no file a.gguf")]:
    with tempfile.TemporaryDirectory() as folder:
        run = Run(pathlib.Path(folder), "pull", f"org/{model}")
        check(f"pull {model}: {words}", None if run.status == 1 and words in run.said else f"status {run.status}: {run.said}")

# --verify by the headers that were pulled
def verified(home, model, unexplained=0, **env):
    run = Run(home, "inspect", f"org/{model}", "--verify", "--json", **env)
    answer = json.loads(run.out)["verify"] if run.status in (0, 3) and run.out else {}
    good_status = run.status == (3 if unexplained else 0) and answer.get("unexplained") == unexplained
    return None if good_status and answer["compared"] == "names and shapes" else f"status {run.status}: {run.said} {answer.get('compared')}"


for model, unexplained in [("tiny", 0), ("shards", 0), ("wide", 2)]:
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        run = Run(home, "inspect", f"org/{model}", "--verify")
        words = f"neither its weights are here nor their headers: 'ridge pull org/{model}' reads"
        check(f"{model} is not pulled", None if run.status == 1 and words in run.said else f"status {run.status}: {run.said}")
        pulled = Run(home, "pull", f"org/{model}")
        check(f"{model}, by headers", pulled.said if pulled.status else verified(home, model, unexplained))
        check(f"{model}, offline", verified(home, model, unexplained, HF_HUB_OFFLINE="1"))
        check(f"{model}: no weights in the cache", None if not list(hub_of(home).rglob("*.safetensors")) else left(home))
        path = hub_of(home) / f"models--org--{model}/snapshots/{COMMIT}"
        run = Run(home, "inspect", str(path), "--verify", "--json", HF_HUB_OFFLINE="1")
        check(f"{model}, by the folder of the cache", None if run.status == (3 if unexplained else 0) and run.out else run.said)
        for kept_one in list(home.rglob("*.beginning"))[:1]:
            kept_one.unlink()
        run = Run(home, "inspect", f"org/{model}", "--verify")
        words = "'ridge pull org/shards' reads the headers of the files that are not here" if model == "shards" else words
        check(f"{model}, a header is gone", None if run.status == (0 if model == "shards" else 1) and words in run.said else f"{run.status} {run.said}")

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
