"""ridge compare --frameworks: numpy and Debian's PyTorch against the reference, stand-ins for jax and onnxruntime (stand_in/), results that
are wrong, programs that answer nonsense.

    run.py RIDGE"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import xml.dom.minidom

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "tests", "golden")]
import driver  # noqa: E402

PYTHON = "/usr/bin/python3"
QUICK = ["--budget", "0.01", "--rounds", "1", "--ceilings-budget", "0.02", "--no-store"]
TASKS = {
    "gemm": ["gemm", "--m", "5", "--n", "33", "--k", "20"],
    "attention": ["attention", "--batch", "2", "--seq", "9", "--past", "4", "--heads", "6", "--kv-heads", "3", "--head-dim", "16", "--causal"],
    "attention of all pairs": ["attention", "--seq", "9", "--heads", "3", "--head-dim", "8"],
    "a step of attention": ["attention", "--seq", "1", "--past", "40", "--heads", "4", "--head-dim", "8"],
    "layer": ["layer", "--batch", "2", "--seq", "9", "--past", "4", "--heads", "6", "--kv-heads", "2", "--hidden", "96", "--intermediate", "64"],
    "a prompt's layer": ["layer", "--seq", "7", "--heads", "6", "--hidden", "96", "--intermediate", "64"],
    "a step's layer": ["layer", "--seq", "1", "--past", "9", "--heads", "6", "--hidden", "96", "--intermediate", "64"],
}

# What the script is changed into: it must be found out. Each is a mistake that people make.
MISTAKES = {
    "no mask": ("return sizes.seq > 1 and sizes.causal", "return False"),
    "a mask that is off by one": ("<= sizes.past + xp.arange", "<= 1 + sizes.past + xp.arange"),
    "positions that are off by one": ("(sizes.past + s) / ROPE_THETA", "(sizes.past + s + 1) / ROPE_THETA"),
    "another base of positions": ("ROPE_THETA = 1e-6, 10000.0", "ROPE_THETA = 1e-6, 9000.0"),
    "scores scaled otherwise": ("1 / math.sqrt(sizes.head_dim)", "1.05 / math.sqrt(sizes.head_dim)"),
    "the wrong norm": ('h = self.norm(x, t["norm2"])', 'h = self.norm(x, t["norm1"])'),
    "gate and up exchanged": ('t["Wgate"].T)) * xp.matmul(h, t["Wup"].T)', 't["Wup"].T)) * xp.matmul(h, t["Wgate"].T)'),
    "a residual that is lost": ('return x + xp.matmul(gated', 'return t["x"] + xp.matmul(gated'),
    "NaN in one place": ("return self.np.ascontiguousarray(self.back(out), dtype=self.np.float32).tobytes()",
                         "out = self.back(out).copy(); out.flat[0] = float('nan'); return out.tobytes()"),
}

# A PyTorch from 2.0 on has attention as one function; whether it takes shared keys depends.
NEWER = """
        def attention(q, k, v, attn_mask=None, is_causal=False{groups}):
            if k.shape[1] != q.shape[1]:
                assert {grouped}, "no shared keys here"
                k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
            scores = (q @ k.transpose(-1, -2)).float() / math.sqrt(q.shape[-1])
            if is_causal:  # from the first query and the first key
                scores = scores + module.full(scores.shape[-2:], -math.inf).triu(1)
            if attn_mask is not None:
                scores = scores + attn_mask
            return self.F.softmax(scores, -1).to(q.dtype) @ v
        module.nn.functional.scaled_dot_product_attention = attention
"""

# What a program says in place of Python, and what is told of it. The first line is the greeting.
READY = '{"ready": true, "version": "1.0", "python": "p"}'
LOADED = '{"loaded": true, "fused": false, "how": "nothing"}'
NONSENSE = {
    "nothing": ("exit 0", "numpy ended: it gave no reason"),
    "a complaint": ("echo 'bad things' >&2; exit 1", "numpy ended: bad things"),
    "no JSON": ("echo hello", "numpy answered with what is no JSON object"),
    "a list": ("echo '[1]'", "numpy answered with what is no JSON object"),
    "deep nesting": ("printf '%0100000d\\n' 0 | tr 0 '['", "numpy answered with what is no JSON object"),
    "no version": ("""echo '{"ready": true, "python": "p"}'""", "numpy answered with no version of itself"),
    "a version with a bell": ("""echo '{"ready": true, "version": "1\\u0007", "python": "p"}'""", "numpy answered with no version of itself"),
    "no end": ("yes | tr -d '\\n'", "numpy answered more than 1048576 bytes"),
    "silence": ("exec sleep 1000", "numpy did not answer within 1 s"),
    "a reason with colours": ("""echo '{"cannot": "\\u001b[31mred"}'""", "numpy fp32: \\x1b[31mred"),
    "silence after a while": (f"echo '{READY}'; exec sleep 1000", "numpy did not answer within 1 s"),
    "no word of loading": (f"echo '{READY}'; read q; echo '{{}}'; cat >/dev/null", "numpy answered with no word of what it loaded"),
    "another size": (f"echo '{READY}'; read q; echo '{LOADED}'; read q; echo '{{\"ran\": true, \"count\": 7}}'; cat >/dev/null",
                     "numpy has a result of 7 numbers, not 165"),
    "a result that is not there": (f"echo '{READY}'; read q; echo '{LOADED}'; read q; echo '{{\"ran\": true, \"count\": 165}}'; cat >/dev/null",
                                   "numpy has a result of 165 numbers, not 165"),
}


def has(module):
    return subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True).returncode == 0


class Case:
    """Runs the program with its own folder for what stands in for Python, and for measurements."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "RIDGE_PYTHON")}
        self.env.update(RIDGE_PYTHON=PYTHON, HF_HUB_OFFLINE="1", XDG_DATA_HOME=folder, RIDGE_LAST_LEVEL_CACHE="1Mi")

    def script(self, text):
        path = os.path.join(self.folder, "python")
        with open(path, "w") as file:
            file.write("#!/bin/sh\n" + text + "\n")
        os.chmod(path, 0o755)
        return path

    def changing(self, old, new):
        """A python that changes what it is given to run."""
        with open(os.path.join(self.folder, "change.py"), "w") as file:
            file.write(f"import os, sys\nwords = sys.argv[1:]\nassert {old!r} in words[1], 'the script has no such line any more'\n"
                       f"words[1] = words[1].replace({old!r}, {new!r})\nos.execv({PYTHON!r}, [{PYTHON!r}] + words)\n")
        return self.script(f'exec {PYTHON} {self.folder}/change.py "$@"')

    def run(self, frameworks, task, *words, **env):
        return subprocess.run([self.program, "compare", "--frameworks", frameworks, *task, *QUICK, *words], capture_output=True, text=True,
                              env={**self.env, **env}, cwd=self.folder)

    def answer(self, *words, **env):
        ran = self.run(*words, "--json", **env)
        return json.loads(ran.stdout) if ran.stdout else {"error": ran.stderr, "rows": [], "absent": []}


def all_right(case, frameworks, task, formats, **env):
    """Every framework is timed and right in the formats it has."""
    a = case.answer(frameworks, task, "--dtype", formats, **env)
    wanted = {(f, d) for f in frameworks.split(",") for d in formats.split(",") if d == "fp32" or f not in ("numpy", "onnxruntime")}
    found = {(r["provider"], r["format"]) for r in a["rows"]}
    if found != wanted:
        yield f"ran {sorted(found)}, wanted {sorted(wanted)}: {a.get('error') or a['absent']}"
    for r in a["rows"]:
        if not r["right"] or not r["max_relative_error"] <= r["tolerance"] or not r["time_s"]["median"] > 0 or r["rounds"] != 1:
            yield f"{r['provider']} {r['format']}: right {r['right']}, off by {r['max_relative_error']}, {r['time_s']}"


def found_out(case, mistake, formats="fp32", framework="numpy"):
    """A wrong result is named, not timed, and the exit status says so."""
    task = ["layer", "--seq", "40", "--past", "24", "--hidden", "256", "--intermediate", "512", "--heads", "8", "--kv-heads", "2"]
    python = case.changing(*mistake)
    ran = case.run(framework + ",ridge", task, "--dtype", formats, "--json", RIDGE_PYTHON=python)
    if ran.returncode != 3:
        yield f"exit {ran.returncode}: {ran.stderr}"
    answer = json.loads(ran.stdout) if ran.stdout else {"rows": [], "wrong": []}
    for r in answer["wrong"]:
        if r["right"] or r["time_s"]["median"] is not None:
            yield f"right {r['right']}, off by {r['max_relative_error']} of {r['tolerance']}, time {r['time_s']}"
    if {r["provider"] for r in answer["wrong"]} != {framework} or {r["provider"] for r in answer["rows"]} != {"ridge"}:
        yield f"rows {answer['rows']}, wrong {answer['wrong']}"


def nonsense(case, text, told):
    ran = case.run("numpy,ridge", TASKS["gemm"], "--patience", "1", RIDGE_PYTHON=case.script(text))
    if ran.returncode != 0 or f"not run: " not in ran.stdout or told not in ran.stdout:
        yield f"exit {ran.returncode}, {ran.stdout} {ran.stderr}"


def absent(case):
    """What is not there is named with its reason, once, and the others run."""
    a = case.answer("ridge,jax", TASKS["gemm"], "--dtype", "fp32,bf16", PYTHONNOUSERSITE="1")
    if a["absent"] != [{"framework": "jax", "format": None, "reason": f"not installed for {PYTHON}"}]:
        yield f"{a['absent']}"
    if [r["provider"] for r in a["rows"]] != ["ridge", "ridge"]:
        yield f"{a['rows']}"
    ran = case.run("jax", TASKS["gemm"], PYTHONNOUSERSITE="1")
    if ran.returncode != 1 or ran.stderr != f"ridge: no framework runs this here: jax: not installed for {PYTHON}\n":
        yield f"{ran.returncode} {ran.stderr}"
    a = case.answer("numpy,ridge", TASKS["gemm"], RIDGE_PYTHON="/no/such/python")
    if [x["reason"] for x in a["absent"]] != ["/no/such/python is no program that can be run"]:
        yield f"{a['absent']}"
    a = case.answer("numpy,ridge", TASKS["gemm"], "--dtype", "bf16")
    if a["absent"] != [{"framework": "numpy", "format": "bf16", "reason": "numpy has no bf16"}]:
        yield f"{a['absent']}"


def large(case):
    """What does not fit in memory is refused before it is tried: by all, or by those that keep scores."""
    ran = case.run("numpy,ridge", ["gemm", "--m", "10M", "--n", "10M", "--k", "2"])
    if ran.returncode != 1 or "ridge: the operands of 2 frameworks in 1 format want about " not in ran.stderr:
        yield f"{ran.returncode} {ran.stderr}"
    ran = case.run("numpy", ["attention", "--seq", "60000", "--heads", "64", "--head-dim", "2", "--causal"])
    if ran.returncode != 1 or "numpy: the scores of attention would take 2.57e+03 GiB, and " not in ran.stderr:
        yield f"{ran.returncode} {ran.stderr}"


def own_folder(case):
    """A file called numpy.py in the working folder is not numpy."""
    with open(os.path.join(case.folder, "numpy.py"), "w") as file:
        file.write("raise SystemExit('this is not numpy')\n")
    with open(os.path.join(case.folder, "json.py"), "w") as file:
        file.write("raise SystemExit('this is not json')\n")
    yield from all_right(case, "numpy", TASKS["gemm"], "fp32")
    os.remove(os.path.join(case.folder, "numpy.py"))
    os.remove(os.path.join(case.folder, "json.py"))


def chatter(case):
    """What a library prints is no answer."""
    python = case.changing("    helper = Helper(name, dtype)", "    print('hello', flush=True); os.write(1, b'world'); helper = Helper(name, dtype)")
    yield from all_right(case, "numpy", TASKS["gemm"], "fp32", RIDGE_PYTHON=python)


def dies_late(case):
    """One that dies while it is measured keeps the rounds it has."""
    python = case.changing("    def time(self, question):", "    def time(self, question):\n        self.n = getattr(self, 'n', 0) + 1\n"
                           "        if self.n == 3: os.kill(os.getpid(), 11)")
    ran = subprocess.run([case.program, "compare", "--frameworks", "numpy,ridge", *TASKS["gemm"], "--budget", "0.05", "--rounds", "5",
                          "--ceilings-budget", "0.02", "--no-store", "--json"], capture_output=True, text=True,
                         env={**case.env, "RIDGE_PYTHON": python})
    a = json.loads(ran.stdout)
    if {r["provider"]: r["rounds"] for r in a["rows"]} != {"numpy": 2, "ridge": 5}:
        yield f"{[(r['provider'], r['rounds']) for r in a['rows']]}"
    if [x["reason"] for x in a["absent"]] != ["numpy ended by signal 11"]:
        yield f"{a['absent']}"


def children_of(pid):
    found = subprocess.run(["ps", "-eo", "pid,ppid"], capture_output=True, text=True).stdout.split()[2:]
    return [child for child, parent in zip(found[::2], found[1::2]) if parent == str(pid)]


def interrupted(case):
    """Ctrl-C: what is done is told, with 130; nothing lives on."""
    run = subprocess.Popen([case.program, "compare", "--frameworks", "numpy,ridge", *TASKS["layer"], "--budget", "60", "--rounds", "60",
                            "--ceilings-budget", "0.02", "--no-store", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           env=case.env, start_new_session=True)
    until = time.time() + 60
    while not children_of(run.pid) and time.time() < until:
        time.sleep(0.1)
    helpers = children_of(run.pid)
    time.sleep(4)
    run.send_signal(signal.SIGINT)
    out, words = run.communicate(timeout=60)
    if run.returncode != 130:
        yield f"exit {run.returncode}: {words}"
    elif not json.loads(out)["interrupted"]:
        yield out
    for helper in helpers:
        if os.path.exists(f"/proc/{helper}"):
            yield f"{helper} lives on"


def kept(case):
    """Rows join the store under their framework's name."""
    words = [w for w in QUICK if w != "--no-store"]
    ran = subprocess.run([case.program, "compare", "--frameworks", "numpy,ridge", *TASKS["layer"], *words], capture_output=True, text=True, env=case.env)
    told = subprocess.run([case.program, "history", "--json"], capture_output=True, text=True, env=case.env)
    rows = json.loads(told.stdout)["rows"] if told.stdout else []
    if [(r["provider"], r["kernel"]) for r in rows] != [("numpy", "layer"), ("ridge", "layer")]:
        yield f"{ran.returncode} {ran.stderr} {told.stdout[:500]} {told.stderr}"
    again = subprocess.run([case.program, "compare", "--run", "1"], capture_output=True, text=True, env=case.env)
    if again.returncode != 0 or "numpy" not in again.stdout and "layer" not in again.stdout:
        yield f"{again.stdout} {again.stderr}"


def drawn(case):
    path = os.path.join(case.folder, "picture.svg")
    ran = case.run("numpy,ridge", TASKS["gemm"], "--plot", path)
    if ran.returncode != 0:
        yield ran.stderr
        return
    text = open(path).read()
    xml.dom.minidom.parseString(text)
    for name in ("numpy", "ridge", "gemm"):
        if name not in text:
            yield f"no {name} in the picture"


USAGE = {
    ("gemm", "--m", "2"): "gemm needs --n, --k",
    ("layer", "--hidden", "8"): "layer needs --heads",
    ("layer", "--hidden", "9", "--heads", "2", "--intermediate", "4", "--seq", "1"): "--hidden 9 is not a multiple of --heads 2: give --head-dim",
    ("layer", "--hidden", "9", "--heads", "3", "--intermediate", "4", "--seq", "1"): "--head-dim 3 is odd: rotary positions turn pairs",
    ("layer", "--m", "9"): "layer takes no --m",
    ("gemm", "--m", "2", "--n", "2", "--k", "2", "--hidden", "2"): "gemm takes no --hidden",
    ("attention", "--seq", "1", "--heads", "3", "--kv-heads", "2", "--head-dim", "8"): "attention: 3 heads do not share 2 key-value heads evenly",
    ("gemm", "--m", "2", "--n", "2", "--k", "2", "--dtype", "q4_K"): "--dtype: frameworks are compared in fp32 and bf16, not in q4_K",
    ("gemm", "--m", "2", "--n", "2", "--k", "2", "--threads", "1,2"): "--threads: frameworks are compared with one number of threads",
    ("gemm", "--model", "x"): "gemm and --model: give one of the two",
    (): "--frameworks needs gemm, attention, layer or a MODEL",
    ("google/gemma-2b",): "a layer of GemmaForCausalLM is not the one that runs in all frameworks here (two RMSNorms, Q K V O, RoPE, a SiLU-gated MLP, "
                          "no biases): its activation is not one SiLU",
    ("Qwen/Qwen2-0.5B",): "a layer of Qwen2ForCausalLM is not the one that runs in all frameworks here (two RMSNorms, Q K V O, RoPE, a SiLU-gated MLP, "
                          "no biases): it has more weights than theirs, as biases",
}


def usage(case):
    for words, told in USAGE.items():
        ran = case.run("ridge", list(words))
        if ran.returncode not in (1, 2) or not ran.stderr.startswith("ridge: " + told):
            yield f"{words}: exit {ran.returncode}, {ran.stderr}"
    ran = case.run("ridge,tensorflow", TASKS["gemm"])
    if ran.returncode != 2 or "--frameworks" not in ran.stderr:
        yield ran.stderr
    ran = case.run("ridge,ridge", TASKS["gemm"])
    if ran.returncode != 2 or "--frameworks: ridge stands twice" not in ran.stderr:
        yield ran.stderr


def model(case):
    """A layer with the sizes of a model."""
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3,
              "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100, "max_position_embeddings": 64, "rms_norm_eps": 1e-6,
              "hidden_act": "silu", "tie_word_embeddings": False, "torch_dtype": "float32"}
    path = os.path.join(case.folder, "config.json")
    with open(path, "w") as file:
        json.dump(config, file)
    for words, past, seq in ((["--past", "20"], 20, 1), (["--phase", "prefill", "--seq", "12"], 0, 12)):
        a = case.answer("ridge", [path], *words)
        wanted = {"batch": 1, "seq": seq, "past": past, "hidden": 64, "heads": 4, "kv_heads": 2, "head_dim": 16, "intermediate": 96}
        if [r["shape"] for r in a["rows"]] != [wanted] or a["layers"] != 3 or not a["rows"][0]["right"]:
            yield f"{a.get('error')} {a.get('layers')} {[(r['shape'], r['right']) for r in a['rows']]}"


def with_numpy(tap, case):
    for name, task in TASKS.items():
        tap.case(f"{name}: numpy", all_right(case, "ridge,numpy", task, "fp32"))
    stand_in = {"PYTHONPATH": os.path.join(HERE, "stand_in")}
    if has("jax"):
        tap.case("stand-ins", skip="jax is installed")
    else:
        for name, task in TASKS.items():
            tap.case(f"{name}: a stand-in for jax", all_right(case, "jax", task, "fp32,bf16", **stand_in))
    if not has("onnx") or has("onnxruntime"):
        tap.case("a stand-in for onnxruntime", skip="no onnx (python3-onnx) for it, or the real one is here")
    else:
        for name, task in TASKS.items():
            tap.case(f"{name}: a stand-in for onnxruntime", all_right(case, "onnxruntime", task, "fp32", **stand_in))
    for name, mistake in MISTAKES.items():
        tap.case(f"found out: {name}", found_out(case, mistake))
    tap.case("what is too large", large(case))
    tap.case("a numpy.py of the working folder", own_folder(case))
    tap.case("what libraries print", chatter(case))
    tap.case("one that dies while it is measured", dies_late(case))
    tap.case("Ctrl-C", interrupted(case))
    tap.case("rows are kept", kept(case))
    tap.case("a picture", drawn(case))


def with_torch(tap, case):
    for name in ("gemm", "attention", "attention of all pairs", "layer", "a step's layer"):
        tap.case(f"{name}: torch", all_right(case, "torch", TASKS[name], "fp32,bf16"))
    for mistake in ("positions that are off by one", "another base of positions"):
        tap.case(f"found out in bf16: {mistake}", found_out(case, MISTAKES[mistake], "bf16", "torch"))
    line = "        self.F = module.nn.functional\n"
    for groups, grouped in (("", False), (", enable_gqa=False", True)):
        text = NEWER.format(groups=groups, grouped=grouped)
        for name in ("attention", "layer", "a prompt's layer", "a step of attention"):
            tap.case(f"{name}: torch with attention of its own{', shared keys too' if grouped else ''}",
                     all_right(case, "torch", TASKS[name], "fp32,bf16", RIDGE_PYTHON=case.changing(line, line + text)))


def main(program):
    tap = driver.Tap()
    with tempfile.TemporaryDirectory(prefix="ridge-frameworks-") as folder:
        case = Case(program, folder)
        tap.case("usage", usage(case))
        tap.case("a model's layer", model(case))
        tap.case("bf16 of Ridge itself", all_right(case, "ridge", TASKS["layer"], "fp32,bf16"))
        for name, (text, told) in NONSENSE.items():
            tap.case(f"in place of Python: {name}", nonsense(case, text, told))
        if not os.path.exists(PYTHON):
            tap.case("frameworks", skip="no " + PYTHON)
            return tap.end()
        tap.case("what is not there", absent(case) if not has("jax") else (), skip="jax is installed" if has("jax") else None)
        if has("numpy"):
            with_numpy(tap, case)
        else:
            tap.case("numpy", skip="no numpy (python3-numpy)")
        if has("torch"):
            with_torch(tap, case)
        else:
            tap.case("torch", skip="no PyTorch (python3-torch)")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
