"""A hub on loopback: repositories, and all the ways in which one answers wrong. A path's first part is the model, which says how it is answered."""
import hashlib
import http.server
import json
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "gguf"))
import gguf as g  # noqa: E402 - the writer of the tests of GGUF

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CONFIG = (ROOT / "examples/openai-community--gpt2/config.json").read_bytes()
COMMIT, ETAG = "a" * 40, "b" * 40
TOKEN = "hf_secret"


def safetensors(count):
    """a file of `count` matrices of 4 x 8 in bf16 whose data is not worth sending"""
    header = json.dumps({f"layers.{n}.weight": {"dtype": "BF16", "shape": [4, 8], "data_offsets": [64 * n, 64 * n + 64]} for n in range(count)}).encode()
    return len(header).to_bytes(8, "little") + header + bytes(64 * count)


WEIGHTS = safetensors(2000)  # a header of more than the first part


def llama(layers=2, tokens=60000):
    """a GGUF whose vocabulary makes a header of more than the first part; metadata and tensors"""
    hidden, inner = 64, 96
    metadata = g.pairs(general__architecture="llama", llama__block_count=layers, llama__embedding_length=hidden, llama__feed_forward_length=inner,
                       llama__attention__head_count=4, llama__attention__head_count_kv=2, llama__context_length=2048,
                       llama__attention__layer_norm_rms_epsilon=1e-5)
    if tokens:
        metadata.append(("tokenizer.ggml.tokens", g.ARRAY, (g.TEXT, [f"a token {i:016}" for i in range(tokens)])))
    shapes = [("attn_norm", "F32", [hidden]), ("attn_q", "Q8_0", [hidden, hidden]), ("attn_k", "Q8_0", [hidden, hidden // 2]),
              ("attn_v", "Q8_0", [hidden, hidden // 2]), ("attn_output", "Q8_0", [hidden, hidden]), ("ffn_norm", "F32", [hidden]),
              ("ffn_gate", "Q8_0", [hidden, inner]), ("ffn_up", "Q8_0", [hidden, inner]), ("ffn_down", "Q8_0", [inner, hidden])]
    tensors = [("token_embd.weight", "Q8_0", [hidden, 1000]), ("output_norm.weight", "F32", [hidden])]
    return metadata, tensors + [(f"blk.{i}.{name}.weight", kind, shape) for i in range(layers) for name, kind, shape in shapes]


def whole(metadata, tensors):
    begin, data = g.head(metadata, tensors)
    return begin + bytes(data)


def parts(count):
    metadata, tensors = llama()
    per = -(-len(tensors) // count)
    own = [[("split.no", g.U16, i), ("split.count", g.U16, count), ("split.tensors.count", g.I32, len(tensors))] for i in range(count)]
    return [whole((metadata if i == 0 else []) + own[i], tensors[i * per : (i + 1) * per]) for i in range(count)]


def weights_of(tensors):
    return sum(g.size_of(kind, shape) for _, kind, shape in tensors)


TINY = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 2,
        "num_attention_heads": 2, "num_key_value_heads": 1, "vocab_size": 16, "max_position_embeddings": 32, "tie_word_embeddings": True}


def tiny_shapes(hidden=8):
    shapes = {"model.embed_tokens.weight": [16, hidden], "model.norm.weight": [hidden]}
    for i in range(2):
        for name, shape in (("self_attn.q_proj", [8, 8]), ("self_attn.k_proj", [4, 8]), ("self_attn.v_proj", [4, 8]), ("self_attn.o_proj", [8, 8]),
                            ("mlp.gate_proj", [12, 8]), ("mlp.up_proj", [12, 8]), ("mlp.down_proj", [8, 12]), ("input_layernorm", [8]),
                            ("post_attention_layernorm", [8])):
            shapes[f"model.layers.{i}.{name}.weight"] = shape
    return shapes


def stored(shapes):
    """safetensors of these names and shapes in bf16"""
    header, at = {}, 0
    for name, shape in shapes.items():
        size = 2 * shape[0] * (shape[1] if len(shape) > 1 else 1)
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [at, at := at + size]}
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + bytes(at)


def sharded(shapes):
    """two files and their index"""
    names, out = list(shapes), {"config.json": json.dumps(TINY).encode()}
    halves = {f"model-{i + 1:05}-of-00002.safetensors": names[i::2] for i in range(2)}
    out |= {file: stored({n: shapes[n] for n in own}) for file, own in halves.items()}
    out["model.safetensors.index.json"] = json.dumps({"weight_map": {n: file for file, own in halves.items() for n in own}}).encode()
    return out


GGUF, SMALL = whole(*llama()), whole(*llama(tokens=0))
HEADER = len(g.head(*llama())[0])
LLAMA_BYTES = weights_of(llama()[1])
GGUFS = {"Tiny-Q4_K_M.gguf": GGUF, "Tiny-q8_0.gguf": SMALL, "Tiny-UD-Q2_K.gguf": SMALL, "mmproj-Tiny-f16.gguf": SMALL, "README.md": b"#"}
GGUFS |= {f"BF16/Tiny-BF16-{i + 1:05}-of-00003.gguf": part for i, part in enumerate(parts(3))}
REPOSITORIES = {"gguf": {"Tiny-Q4_K_M.gguf": GGUF, "README.md": b"#"}, "ggufs": GGUFS, "split": {n: b for n, b in GGUFS.items() if "BF16" in n},
                "both": {"config.json": CONFIG, "Tiny-Q4_K_M.gguf": GGUF}, "twice": {"a-Q4_0.gguf": GGUF, "b-q4_0.gguf": SMALL, "c-Q5_0.gguf": SMALL},
                "neither": {"README.md": b"#"}, "tiny": {"config.json": json.dumps(TINY).encode(), "model.safetensors": stored(tiny_shapes())},
                "wide": {"config.json": json.dumps(TINY).encode(), "model.safetensors": stored(tiny_shapes(9))}, "shards": sharded(tiny_shapes()),
                "stored-gguf": {"Tiny-Q4_K_M.gguf": GGUF}}
HOSTILE = ["shortrange", "whole200", "wrongplace", "wrongend", "norange", "twosizes", "htmlpart", "othertag", "othercommit", "vanishes", "hugearray",
           "hugefile", "cutfile", "notgguf", "emptyfile"]
REPOSITORIES |= {name: {"Tiny-Q4_K_M.gguf": GGUF} for name in HOSTILE}


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

    def repository(self):
        """a file of REPOSITORIES, by its ranges"""
        _, _, name, _, _, file = self.path.split("/", 5)
        body = REPOSITORIES[name].get(file)
        if body is None:
            self.say(404, X_Error_Code="EntryNotFound", X_Repo_Commit=COMMIT)
        elif "Range" in self.headers:
            self.part(body)
        else:
            self.file(body, etag=f'"{hashlib.sha1(body).hexdigest()}"')

    answer_gguf = answer_ggufs = answer_split = answer_both = answer_twice = answer_neither = answer_tiny = answer_wide = answer_shards = repository

    def answer_stored_gguf(self):  # as for files in large storage: the other host knows bytes and ranges alone
        if not self.path.endswith(".gguf"):
            self.say(404, X_Error_Code="EntryNotFound", X_Repo_Commit=COMMIT)
        elif self.server is server:
            self.say(302, Location=f"http://127.0.0.1:{other.server_port}{self.path}", X_Repo_Commit=COMMIT, X_Linked_Etag=f'"{"d" * 64}"',
                     X_Linked_Size=str(len(GGUF)))
        else:
            first, last = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
            piece = GGUF[first : last + 1]
            self.say(206, piece, Content_Range=f"bytes {first}-{first + len(piece) - 1}/{len(GGUF)}", ETag='"of the storage"')

    def hostile(self):
        """the second part of a GGUF, or the first, as no server may answer"""
        name, first = self.path.split("/")[2], int(self.headers.get("Range", "bytes=0-0").removeprefix("bytes=").split("-")[0])
        last = int(self.headers.get("Range", "bytes=0-0").split("-")[1])
        piece, size, begin, end, tag, commit = GGUF[first : last + 1], len(GGUF), first, None, ETAG, COMMIT
        if "Range" not in self.headers:
            self.say(404, X_Error_Code="EntryNotFound", X_Repo_Commit=COMMIT)
            return
        if name == "shortrange" and first:
            piece = piece[:1000]
        if name == "whole200" and first:
            self.file(GGUF)
            return
        if name == "wrongplace" and first:
            begin, piece = 0, GGUF[: len(piece)]
        if name == "wrongend":
            end = first + len(piece)
        if name == "norange" and first:
            self.say(206, piece, X_Repo_Commit=COMMIT, ETag=f'"{ETAG}"')
            return
        if name == "htmlpart":
            piece = (b"<html>log in</html>" + bytes(len(piece)))[: len(piece)]
        if name == "othertag" and first:
            tag = "c" * 40
        if name == "othercommit" and first:
            commit = "c" * 40
        if name == "vanishes" and first:
            self.say(404, X_Error_Code="EntryNotFound", X_Repo_Commit=COMMIT)
            return
        if name in ("hugearray", "hugefile"):  # a terabyte of numbers before the tensors; a header that has no end
            size, number = 1 << 40, g.Writer()
            item = number.text("x") + (9).to_bytes(4, "little") + (g.F32 if name == "hugearray" else g.TEXT).to_bytes(4, "little")
            piece = number.header(1, 2) + item + number.count((1 << 37) if name == "hugearray" else 1 << 24)
            piece = (piece + bytes(last + 1))[first : last + 1]
        if name == "cutfile":
            size = HEADER + 1000
            piece = GGUF[first : min(last + 1, size)]
        if name == "notgguf":
            piece = b"\0" * len(piece)
        if name == "emptyfile":
            self.say(416, Content_Range="bytes */0", X_Repo_Commit=COMMIT, ETag=f'"{ETAG}"')
            return
        more = {"X_Linked_Size": str(size + 1)} if name == "twosizes" and first else {}
        self.say(206, piece, Content_Range=f"bytes {begin}-{begin + len(piece) - 1 if end is None else end}/{size}", X_Repo_Commit=commit,
                 ETag=f'"{tag}"', **more)

    for name in HOSTILE:
        locals()["answer_" + name] = hostile
    del name

    def answer_models(self):  # /api/models/org/NAME/revision/main?blobs=true
        name = self.path.split("/")[4]
        if name in REPOSITORIES:
            files = [{"rfilename": f, "size": len(b)} for f, b in REPOSITORIES[name].items()] + [{"rfilename": f"../{i}.gguf"} for i in range(2)]
            files += [{"rfilename": "/etc/x.gguf"}, {"rfilename": "a\nb.gguf"}, {"rfilename": 5}, {}, 7]
            self.say(200, json.dumps({"sha": COMMIT, "siblings": files}).encode(), Content_Type="application/json")
            return
        if name == "htmllist":
            self.say(200, b"<html>", Content_Type="text/html")
            return
        if name == "none":
            self.answer_none()
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
