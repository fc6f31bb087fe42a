"""One framework's side of `ridge compare --frameworks` (docs/frameworks.md): runs what it is told in one framework, in one format.

Started by ridge as  python3 -c TEXT FRAMEWORK FORMAT CPU,CPU,...  where TEXT is this file, ridge_frameworks_onnx.py and a call of main().
Asked over standard input, a line of JSON a question, a line of JSON an answer on standard output. Descriptor 3 holds the operands as fp32,
which ridge drew; into descriptor 4 goes the result as fp32.
Python 3.8 or later; needs nothing but the framework itself (jax and onnxruntime bring numpy with them).
"""
import sys

sys.path[:] = [p for p in sys.path if p not in ("", ".")]  # with -c the working folder comes first: its torch.py is none

import ctypes
import gc
import importlib
import json
import math
import mmap
import os
import resource
import struct
import time

DATA, RESULT = 3, 4
LEAST_SAMPLE_S = 50e-6  # shorter calls are repeated
MOST_SAMPLES, MOST_CALLS = 2000, 20000
RMS_EPSILON, ROPE_THETA = 1e-6, 10000.0


class Cannot(Exception):
    """What this framework does not do, in words for people."""


def set_threads(cpus):
    """Before anything is imported: the same CPUs for all, and as many threads as there are CPUs."""
    try:
        os.sched_setaffinity(0, cpus)
    except OSError:
        pass  # then the mask is ridge's own
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NPROC"):
        os.environ[name] = str(len(cpus))
    if len(cpus) == 1:
        flags = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        os.environ["XLA_FLAGS"] = (os.environ.get("XLA_FLAGS", "") + " " + flags).strip()
    os.environ["JAX_PLATFORMS"] = os.environ["JAX_PLATFORM_NAME"] = "cpu"


# ---- operands ----


class Operands:
    """The tensors that ridge drew: flat views of fp32, by name."""

    def __init__(self, tensors):
        self.map = mmap.mmap(DATA, 0, access=mmap.ACCESS_COPY)
        self.tensors = {t["name"]: (t["offset"], tuple(t["shape"])) for t in tensors}

    def place(self, name):
        offset, shape = self.tensors[name]
        return offset, math.prod(shape), shape

    def numpy(self, np, name):
        offset, count, shape = self.place(name)
        return np.frombuffer(self.map, np.float32, count, offset).reshape(shape).copy()


# ---- what is computed, in whatever has numpy's functions (numpy, jax.numpy) ----


class Sizes:
    def __init__(self, sizes):
        self.__dict__.update(sizes)


def rope_angles(sizes):
    """[seq][head_dim / 2]: position / theta^(2i / head_dim); halves are turned, as in Llama."""
    half = sizes.head_dim // 2
    return [[(sizes.past + s) / ROPE_THETA ** (i / half) for i in range(half)] for s in range(sizes.seq)]


def rope_tables(sizes):
    """cos and sin [seq][head_dim], the halves alike."""
    angles = rope_angles(sizes)
    return [[math.cos(a) for a in row] * 2 for row in angles], [[math.sin(a) for a in row] * 2 for row in angles]


def check_scores(sizes):
    """Scores, their exponents and quotients are arrays at once: before they fill the memory, and the system ends some process."""
    wanted = 12 * sizes.batch * sizes.heads * sizes.seq * (sizes.past + sizes.seq)
    if wanted > sizes.available_bytes > 0:
        raise Cannot("the scores of attention would take %.3g GiB, and %.3g GiB are available"
                     % (wanted / 2**30, sizes.available_bytes / 2**30))


def wants_mask(sizes):
    return sizes.seq > 1 and sizes.causal


def mask_of(xp, sizes):
    """[group * seq, kept] of 0 and -inf: a token sees itself and those before it, the same for each head of a group."""
    seen = xp.arange(sizes.past + sizes.seq)[None, :] <= sizes.past + xp.arange(sizes.seq)[:, None]
    one = xp.where(seen, xp.float32(0), xp.float32(-math.inf))
    return xp.concatenate([one] * (sizes.heads // sizes.kv_heads))


class ArrayMath:
    """The three tasks over numpy's interface. Heads that share keys are rows of one product, so K and V are not repeated."""

    def __init__(self, xp, dtype, sizes):
        self.xp, self.dtype, self.n = xp, dtype, sizes
        if hasattr(sizes, "heads"):
            check_scores(sizes)
            self.scale = 1 / math.sqrt(sizes.head_dim)
            self.mask = mask_of(xp, sizes) if wants_mask(sizes) else None
        if hasattr(sizes, "hidden"):
            cos, sin = rope_tables(sizes)
            self.cos, self.sin = xp.asarray(cos, xp.float32).astype(dtype), xp.asarray(sin, xp.float32).astype(dtype)

    def gemm(self, t):
        return self.xp.matmul(t["A"], t["W"].T)

    def softmax(self, scores):
        xp = self.xp
        e = xp.exp(scores - scores.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    def attention(self, q, k, v):
        """q [batch, heads, seq, head_dim], k and v [batch, kv_heads, kept, head_dim]."""
        n, xp = self.n, self.xp
        rows = q.reshape(n.batch, n.kv_heads, n.heads // n.kv_heads * n.seq, n.head_dim)
        scores = xp.matmul(rows, k.swapaxes(-1, -2)).astype(xp.float32) * xp.float32(self.scale)
        if self.mask is not None:
            scores = scores + self.mask
        out = xp.matmul(self.softmax(scores).astype(self.dtype), v)
        return out.reshape(n.batch, n.heads, n.seq, n.head_dim)

    def norm(self, x, gamma):
        xp = self.xp
        wide = x.astype(xp.float32)
        root = xp.sqrt((wide * wide).mean(axis=-1, keepdims=True) + xp.float32(RMS_EPSILON))
        return (wide / root).astype(self.dtype) * gamma

    def rope(self, x):
        half = self.n.head_dim // 2
        turned = self.xp.concatenate((-x[..., half:], x[..., :half]), axis=-1)
        return x * self.cos + turned * self.sin

    def heads(self, x, w, count):
        n = self.n
        return self.xp.matmul(x, w.T).reshape(n.batch, n.seq, count, n.head_dim).swapaxes(1, 2)

    def silu(self, x):
        return x / (1 + self.xp.exp(-x))

    def layer(self, t, keep):
        """keep(name, new): the cache of K or V with the new tokens at its end."""
        n, xp = self.n, self.xp
        x = t["x"]
        h = self.norm(x, t["norm1"])
        q = self.rope(self.heads(h, t["Wq"], n.heads))
        k = keep("K", self.rope(self.heads(h, t["Wk"], n.kv_heads)))
        v = keep("V", self.heads(h, t["Wv"], n.kv_heads))
        o = self.attention(q, k, v).swapaxes(1, 2).reshape(n.batch, n.seq, n.heads * n.head_dim)
        x = x + xp.matmul(o, t["Wo"].T)
        h = self.norm(x, t["norm2"])
        gated = self.silu(xp.matmul(h, t["Wgate"].T)) * xp.matmul(h, t["Wup"].T)
        return x + xp.matmul(gated, t["Wdown"].T)


def as_heads(sizes, operands):
    """Attention's operands the way frameworks have them: Q [batch, heads, seq, head_dim], lying so before anything is timed."""
    return operands.reshape(sizes.batch, sizes.seq, sizes.heads, sizes.head_dim).swapaxes(1, 2)


# ---- numpy ----


class Numpy:
    module = "numpy"
    formats = ("fp32",)
    why_not = "numpy has no {}"

    def __init__(self, module, dtype):
        self.np, self.version = module, module.__version__

    def load(self, task, sizes, operands):
        np = self.np
        t = {name: operands.numpy(np, name) for name in operands.tensors}
        do = ArrayMath(np, np.float32, sizes)
        if task == "gemm":
            self.call = lambda: do.gemm(t)
            return False, "a call of the BLAS that numpy is built with"
        if task == "attention":
            q = np.ascontiguousarray(as_heads(sizes, t["Q"]))
            self.call = lambda: do.attention(q, t["K"], t["V"])
            self.back = lambda out: out.swapaxes(1, 2)
            return False, "two products and a softmax of single operations: the scores are an array of their own"
        caches = {name: self.cache(t, name, sizes) for name in ("K", "V")}
        self.call = lambda: do.layer(t, lambda name, new: self.keep(caches[name], new, sizes))
        return False, "single operations, each with arrays of its own"

    def cache(self, t, name, n):
        whole = self.np.zeros((n.batch, n.kv_heads, n.past + n.seq, n.head_dim), self.np.float32)
        if n.past:
            whole[:, :, : n.past] = t.pop(name)
        return whole

    @staticmethod
    def keep(whole, new, n):
        whole[:, :, n.past :] = new
        return whole

    @staticmethod
    def back(out):
        return out

    def result(self, out):
        return self.np.ascontiguousarray(self.back(out), dtype=self.np.float32).tobytes()


# ---- jax ----


class Jax(Numpy):
    module = "jax"
    formats = ("fp32", "bf16")

    def __init__(self, module, dtype):
        self.jax, self.version = module, module.__version__
        self.jnp = importlib.import_module("jax.numpy")
        self.np = importlib.import_module("numpy")
        self.dtype = self.jnp.bfloat16 if dtype == "bf16" else self.jnp.float32

    def load(self, task, sizes, operands):
        jax, jnp = self.jax, self.jnp
        t = {name: jnp.asarray(operands.numpy(self.np, name)).astype(self.dtype) for name in operands.tensors}
        do = ArrayMath(jnp, self.dtype, sizes)
        if task == "gemm":
            run, how = jax.jit(do.gemm), "compiled by XLA"
        elif task == "attention":
            t["Q"] = jnp.array(as_heads(sizes, t["Q"]))
            run = jax.jit(lambda t: do.attention(t["Q"], t["K"], t["V"]))
            self.back = lambda out: out.swapaxes(1, 2)
            how = "compiled by XLA: two products and the softmax between them, whose scores are an array of their own"
        else:
            def layer(t):
                def keep(name, new):
                    return jnp.concatenate((t[name], new), axis=2) if sizes.past else new
                return do.layer(t, keep)
            run, how = jax.jit(layer), "compiled by XLA, which joins operations on elements; the cache is copied to add a token"
        jax.block_until_ready(list(t.values()))
        self.call = lambda: jax.block_until_ready(run(t))
        return False, how

    def result(self, out):
        wide = self.np.asarray(self.back(out).astype(self.jnp.float32))
        return self.np.ascontiguousarray(wide, dtype=self.np.float32).tobytes()


# ---- torch ----


class Torch:
    module = "torch"
    formats = ("fp32", "bf16")

    def __init__(self, module, dtype):
        self.torch, self.version = module, module.__version__
        self.F = module.nn.functional
        self.dtype = module.bfloat16 if dtype == "bf16" else module.float32
        module.set_num_threads(len(os.sched_getaffinity(0)))
        self.back = lambda out: out

    def tensor(self, operands, name):
        offset, count, shape = operands.place(name)
        flat = self.torch.frombuffer(operands.map, dtype=self.torch.float32, offset=offset, count=count)
        return flat.reshape(shape).to(self.dtype, copy=True)

    def load(self, task, sizes, operands):
        t = {name: self.tensor(operands, name) for name in operands.tensors}
        if task == "gemm":
            self.call = self.without_gradients(lambda: self.F.linear(t["A"], t["W"]))
            return False, "torch.nn.functional.linear"
        core, fused, how = self.core(sizes)
        if task == "attention":
            q = t["Q"].reshape(sizes.batch, sizes.seq, sizes.heads, sizes.head_dim).transpose(1, 2).contiguous()
            self.call = self.without_gradients(lambda: core(q, t["K"], t["V"]))
            self.back = lambda out: out.transpose(1, 2)
            return fused, how
        self.call = self.without_gradients(self.layer(sizes, t, core))
        return fused, "single operations, as a module runs them; attention: " + how

    def without_gradients(self, call):
        def run():
            with self.torch.inference_mode():
                return call()
        return run

    def core(self, n):
        """attention(q, k, v), whether it is one kernel, and how it is done"""
        one = getattr(self.F, "scaled_dot_product_attention", None)
        how = {"enable_gqa": True} if n.heads != n.kv_heads else {}
        if one is None:
            return self.core_of_parts(n), False, "two products and a softmax: the scores are a tensor of their own"
        if how and not self.takes_groups(one):
            return self.core_of_parts(n), False, "two products and a softmax, since this torch's own attention takes no shared keys"
        if wants_mask(n) and n.past == 0:
            how["is_causal"] = True
        elif wants_mask(n):
            how["attn_mask"] = self.mask(n)[: n.seq].to(self.dtype)
        return (lambda q, k, v: one(q, k, v, **how)), True, "scaled_dot_product_attention"

    def mask(self, n):
        torch = self.torch
        seen = torch.arange(n.past + n.seq)[None, :] <= n.past + torch.arange(n.seq)[:, None]
        one = torch.zeros(seen.shape, dtype=torch.float32).masked_fill(~seen, -math.inf)
        return one.repeat(n.heads // n.kv_heads, 1)

    def takes_groups(self, one):
        x = self.torch.zeros(1, 2, 1, 8)
        try:
            one(x, x[:, :1], x[:, :1], enable_gqa=True)
        except Exception:
            return False
        return True

    def core_of_parts(self, n):
        check_scores(n)
        mask = self.mask(n) if wants_mask(n) else None
        scale, F, wide = 1 / math.sqrt(n.head_dim), self.F, self.torch.float32

        def core(q, k, v):
            rows = q.reshape(n.batch, n.kv_heads, n.heads // n.kv_heads * n.seq, n.head_dim)
            scores = (rows @ k.transpose(-1, -2)) * scale
            scores = scores if mask is None else scores + mask
            weights = F.softmax(scores, dim=-1, dtype=wide).to(self.dtype)
            return (weights @ v).reshape(n.batch, n.heads, n.seq, n.head_dim)

        return core

    def layer(self, n, t, core):
        torch, F = self.torch, self.F
        cos, sin = (torch.tensor(table, dtype=torch.float32).to(self.dtype) for table in rope_tables(n))
        caches = {}
        for name in ("K", "V"):
            caches[name] = torch.zeros(n.batch, n.kv_heads, n.past + n.seq, n.head_dim, dtype=self.dtype)
            if n.past:
                caches[name][:, :, : n.past] = t.pop(name)

        def norm(x, gamma):
            wide = x.to(torch.float32)
            return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + RMS_EPSILON)).to(self.dtype) * gamma

        def rope(x):
            half = n.head_dim // 2
            return x * cos + torch.cat((-x[..., half:], x[..., :half]), dim=-1) * sin

        def heads(x, w, count):
            return F.linear(x, w).reshape(n.batch, n.seq, count, n.head_dim).transpose(1, 2)

        def keep(name, new):
            caches[name][:, :, n.past :] = new
            return caches[name]

        def run():
            x = t["x"]
            h = norm(x, t["norm1"])
            k = keep("K", rope(heads(h, t["Wk"], n.kv_heads)))
            v = keep("V", heads(h, t["Wv"], n.kv_heads))
            o = core(rope(heads(h, t["Wq"], n.heads)), k, v)
            x = x + F.linear(o.transpose(1, 2).reshape(n.batch, n.seq, n.heads * n.head_dim), t["Wo"])
            h = norm(x, t["norm2"])
            return x + F.linear(F.silu(F.linear(h, t["Wgate"])) * F.linear(h, t["Wup"]), t["Wdown"])

        return run

    def result(self, out):
        flat = self.back(out).to(self.torch.float32).contiguous()
        return ctypes.string_at(flat.data_ptr(), flat.numel() * 4)


# ---- onnxruntime: the graph is written by tools/ridge_frameworks_onnx.py ----


class Onnxruntime:
    module = "onnxruntime"
    formats = ("fp32",)
    why_not = "the CPU provider of onnxruntime has no matrix product in {}"
    MOST_BYTES = (2 << 30) - (16 << 20)

    def __init__(self, module, dtype):
        self.ort, self.version = module, module.__version__
        self.np = importlib.import_module("numpy")
        self.back = lambda out: out

    def graph(self, task, sizes, t):
        g = Graph(self.np)
        do = OnnxMath(g, sizes)
        if task == "gemm":
            feed, dims = {"A": t["A"]}, (sizes.m, sizes.n)
            g.op("MatMul", "A", g.constant(t["W"].T), to="out")
        elif task == "attention":
            q = self.np.ascontiguousarray(as_heads(sizes, t["Q"]))
            feed, dims = {"Q": q, "K": t["K"], "V": t["V"]}, q.shape
            g.op("Identity", do.attention("Q", "K", "V"), to="out")
            self.back = lambda out: out.swapaxes(1, 2)
        else:
            feed, dims = {"x": t["x"]}, t["x"].shape
            do.layer(t, "out")
        return g.model({name: a.shape for name, a in feed.items()}, "out", dims), feed

    def load(self, task, sizes, operands):
        ort = self.ort
        if len(operands.map) > self.MOST_BYTES:
            raise Cannot("the weights are more than 2 GB, which one ONNX file cannot hold")
        model, feed = self.graph(task, sizes, {name: operands.numpy(self.np, name) for name in operands.tensors})
        options = ort.SessionOptions()
        options.intra_op_num_threads = len(os.sched_getaffinity(0))
        options.inter_op_num_threads = 1
        options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
        session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.call = lambda: session.run(["out"], feed)[0]
        if task == "gemm":
            return False, "a session with one MatMul"
        return False, "a session, its graph optimised in full, attention as two products and a softmax"

    def result(self, out):
        return self.np.ascontiguousarray(self.back(out), dtype=self.np.float32).tobytes()


FRAMEWORKS = {c.module: c for c in (Numpy, Jax, Torch, Onnxruntime)}


# ---- memory ----


def status_bytes(key):
    """of /proc/self/status; -1 where it does not tell"""
    try:
        with open("/proc/self/status") as f:
            for line in f:
                if line.startswith(key + ":"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return -1


def reset_peak():
    try:
        with open("/proc/self/clear_refs", "w") as f:
            f.write("5")
        return True
    except OSError:
        return False


class Memory:
    """The highest resident set while operands are there and the task runs, over what the framework itself takes."""

    def __init__(self):
        gc.collect()
        self.before, self.known = status_bytes("VmRSS"), False

    def loaded(self):
        gc.collect()
        self.known = reset_peak() and self.before >= 0

    def peak(self):
        return max(0, status_bytes("VmHWM") - self.before) if self.known else -1


# ---- timing ----


def preemptions():
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


def timed(call, calls):
    """seconds of all calls, CPU time of all threads meanwhile, and whether none of them lost its CPU"""
    before, cpu, start = preemptions(), time.process_time(), time.perf_counter()
    for _ in range(calls):
        call()
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    return seconds, cpu, preemptions() == before


def calls_of_sample(call, seconds, known):
    """Warms up what is short; a call that takes much of the time there is needs no warm-up. known: seconds of a call, about."""
    if known > seconds / 4:
        return 1
    call()
    one = min(timed(call, 1)[0] for _ in range(2))
    return max(1, min(MOST_CALLS, math.ceil(LEAST_SAMPLE_S / max(one, 1e-9))))


def measure(call, seconds, known):
    gc.disable()
    calls = calls_of_sample(call, seconds, known)
    samples, clean, wall, cpu = [], [], 0.0, 0.0
    start = time.perf_counter()
    while not samples or (time.perf_counter() - start < seconds and len(samples) < MOST_SAMPLES):
        sample, busy, undisturbed = timed(call, calls)
        samples.append(sample / calls)
        clean.append(int(undisturbed))
        if undisturbed:  # one that waited for its CPU tells nothing of how many it keeps busy
            wall, cpu = wall + sample, cpu + busy
    gc.enable()
    return {"samples": samples, "clean": clean, "calls": calls, "cpus": cpu / wall if wall > 0 else -1}


# ---- questions ----


def reason_of(problem):
    """one line; of an import the last one, without the path of each file"""
    lines = str(problem).strip().splitlines()
    text = lines[-1].strip() if lines else ""
    return (f"{type(problem).__name__}: {text}" if text else type(problem).__name__)[:300]


class Helper:
    def __init__(self, name, dtype):
        self.name, self.dtype = name, dtype
        self.framework = self.memory = None
        self.known = 0.0

    def start(self):
        kind = FRAMEWORKS[self.name]
        if self.dtype not in kind.formats:
            return {"cannot": kind.why_not.format(self.dtype)}
        try:
            module = importlib.import_module(kind.module)
        except ModuleNotFoundError as e:
            if e.name == kind.module:
                return {"missing": f"not installed for {sys.executable}"}
            return {"missing": f"it needs {e.name}, which is not installed for {sys.executable}"}
        except Exception as e:
            return {"missing": f"it cannot be imported: {reason_of(e)}"}
        self.framework = kind(module, self.dtype)
        python = "%d.%d.%d" % sys.version_info[:3]
        return {"ready": True, "version": str(self.framework.version), "python": f"Python {python}, {sys.executable}"}

    def load(self, question):
        self.memory = Memory()
        operands = Operands(question["tensors"])
        fused, how = self.framework.load(question["task"], Sizes(question["sizes"]), operands)
        del operands
        self.memory.loaded()
        return {"loaded": True, "fused": fused, "how": how}

    def run(self, question):
        start = time.perf_counter()
        out = self.framework.call()
        self.known = time.perf_counter() - start
        data = self.framework.result(out)
        for at in range(0, len(data), 1 << 24):
            os.pwrite(RESULT, data[at : at + (1 << 24)], at)
        return {"ran": True, "count": len(data) // 4}

    def time(self, question):
        answer = measure(self.framework.call, question["seconds"], self.known)
        answer["peak"] = self.memory.peak()
        return answer

    def answer(self, question):
        try:
            return getattr(self, question["do"])(question)
        except Cannot as e:
            return {"cannot": str(e)}
        except Exception as e:
            return {"cannot": reason_of(e)}


def main():
    name, dtype, cpus = sys.argv[1:4]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    set_threads([int(c) for c in cpus.split(",")])
    helper = Helper(name, dtype)
    print(json.dumps(helper.start()), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(helper.answer(json.loads(line))), file=answers, flush=True)
