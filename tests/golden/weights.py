"""Real weight maps and files. Of every model of ../shared/models that has an index of its weights, the tree's parameters are the index's tensors,
and its bytes are what the index says (EXCEPT names those that differ and why); of every file of ../shared/files/safetensors, what the program
shows is what a reader in ten lines of Python finds."""
import glob
import json
import math
import os
import struct
import subprocess
import sys
import tempfile

import driver

KINDS = ("missing", "extra", "reshaped", "tied", "fused", "renamed", "quantised", "buffers")
# the class that the pipeline around it names, where the config names none (model_index.json)
CLASSES = {"black-forest-labs--FLUX.1-dev/text_encoder_2": "T5EncoderModel", "black-forest-labs--FLUX.1-schnell/text_encoder_2": "T5EncoderModel"}
# models that nothing can be counted of, and why
REFUSED = {
    "alibaba-logics--Logics-Thinking-8B": "is not counted",                    # its source is not published
    "stabilityai--stable-diffusion-3.5-large/transformer": "no config.json",  # ../shared has the index alone
}
# checkpoints that are not what their config says: rows that stay unexplained, and why
EXCEPT = {
    # the config says Qwen3VLForConditionalGeneration and no tied head; an embedding model has no head
    "Qwen--Qwen3-VL-Embedding-8B": {"missing": 1},
    # layers.N.mixer, layers.N.ln: the names of Microsoft's own first code, which phi's conversion script renamed; the catalog counts transformers' Phi
    "microsoft--phi-2-mixformer-remote-code": {"missing": 453, "extra": 325},
    # mlx-lm keeps the text model alone
    "mlx-community--Mistral-Small-4-119B-4bit": {"missing": 222},
}
ROTARY = "inv_freq of each layer"
MASKS = "causal masks, a byte an element"
BITS = "causal masks, of which transformers' save_pretrained counted a bit an element"
# what the index's total_size has beside the tree's elements in one width: width, bytes, why
BESIDE = {
    "1rin--openllama-chinese-english-3b": (4, 26 * 50 * 4, ROTARY),
    "EleutherAI--gpt-j-6B-ft": (2, 28 * (2048**2 // 8 + 2), BITS),
    "FlagAlpha--Atom-7B": (2, 32 * 64 * 4, ROTARY),
    "MiniMaxAI--MiniMax-M1-80k": (2, 80 * 32 * 6144 * 2, "the routers in fp32"),
    "PygmalionAI--pygmalion-6b": (2, 28 * (2048**2 + 2), MASKS),
    "RuterNorway--Llama-2-13b-chat-norwegian": (2, 40 * 64 * 4, ROTARY),
    "THUDM--chatglm-6b": (2, 2 * 20000 * 4096 * 2 + 114 * 4096 * 2 + 28 * 32 * 2, "of a time when the two tables had 150,528 rows; norms in fp32; inv_freq"),
    "THUDM--chatglm2-6b": (2, 32 * 2, "inv_freq"),
    "Kwai-Kolors--Kolors/text_encoder": (2, 32 * 2, "inv_freq"),
    "cerebras--Cerebras-GPT-13B": (4, 40 * (2048**2 // 8 + 4), BITS),
    "cognitivecomputations--Wizard-Vicuna-30B-Uncensored": (4, 60 * 64 * 4, ROTARY),
    "google--gemma-4-31B-it": (2, (60 + 2 * 1152) * 2, "layer_scalar of each layer, std_bias and std_scale: buffers"),
    "huggyllama--llama-7b": (2, 32 * 64 * 2, ROTARY),
    "internlm--internlm-chat-7b": (2, 32 * 64 * 4, ROTARY),
    "liuhaotian--llava-v1.5-7b": (2, 32 * 64 * 4, ROTARY),
    "meta-llama--Llama-2-7b-hf": (2, 32 * 64 * 4, ROTARY),
    "openpangu--openPangu-Embedded-7B": (2, 34 * 64 * 4, ROTARY),
    "togethercomputer--RedPajama-INCITE-7B-Base": (2, 32 * (2048**2 // 8 + 2 + 64 * 2), BITS),
    # SAM's 641,090,608 parameters and the two layers of text_hidden_fcs in fp32, SAM's table of random positions, inv_freq
    "xinlai--LISA-7B-v1": (2, 2 * (641090608 + 4096 * 4096 + 4096 + 4096 * 256 + 256) + 2 * 128 * 4 + 32 * 64 * 4, "parts in fp32, buffers"),
    # which of their tensors are in fp32, no index says
    "deepseek-ai--DeepSeek-OCR-2": (2, 2 * 505344, "505,344 elements in fp32"),
    "MiniMaxAI--MiniMax-H3/transformer": (2, 2 * 17222144, "17,222,144 elements in fp32"),
    "MiniMaxAI--MiniMax-H3/transformer_ref": (2, 2 * 17222144, "17,222,144 elements in fp32"),
}


def indexes(folder):
    for pattern in ("*/*.index.json", "*/*/*.index.json"):
        for path in sorted(glob.glob(os.path.join(folder, pattern))):
            if not path.endswith("model_index.json"):
                yield path


def inspect(program, *words):
    done = subprocess.run([program, "inspect", *words, "--json"], capture_output=True, text=True, timeout=120)
    return done.returncode, json.loads(done.stdout) if done.stdout.startswith("{") else None, done.stderr


def tensors_of(answer):
    return {(m["path"] + "." if m["path"] else "") + name: tensor for m in answer["modules"] for name, tensor in m["tensors"].items()}


def compare_names(answer, index, wanted):
    """The program's rows, and the sets of names themselves."""
    verify = answer["verify"]
    found = {kind: len(verify[kind]) for kind in ("missing", "extra", "reshaped") if verify[kind]}
    if found != wanted:
        yield f"{found}, expected {wanted}: {[row['name'] or row['stored'] for kind in found for row in verify[kind]][:6]}"
    tree, stored = set(tensors_of(answer)), set(index["weight_map"])
    told_tree = {row["name"] for kind in KINDS for row in verify[kind] if row["name"]}
    told_stored = {row["stored"] for kind in KINDS for row in verify[kind] if row["stored"]}
    for name in sorted(tree - stored - told_tree)[:3]:
        yield f"{name} of the tree is not in the index, and nothing says so"
    fused = {row["stored"].rsplit(".", 2)[0] for row in verify["fused"]}
    for name in sorted(n for n in stored - tree - told_stored if not any(n.startswith(f.split(".experts.")[0]) for f in fused))[:3]:
        yield f"{name} of the index is not in the tree, and nothing says so"


def main():
    program, tap = sys.argv[1], driver.Tap()
    folder = driver.shared_or_skip("models")
    check_indexes(program, tap, folder)
    check_files(program, tap, driver.shared_or_skip("files", "safetensors"))
    check_partly(program, tap, folder, driver.shared_or_skip("files", "safetensors"))
    return tap.end()


def check_indexes(program, tap, folder):
    for path in indexes(folder):
        name = os.path.relpath(os.path.dirname(path), folder)
        with open(path) as file:
            index = json.load(file)
        options = ["--class", CLASSES[name]] if name in CLASSES else []
        status, answer, words = inspect(program, path, "--verify", *options)
        if name in REFUSED:
            tap.case(f"{name}: refused", [] if status == 1 and REFUSED[name] in words else [f"{status} {words}"])
            continue
        if answer is None:
            tap.case(name, [words])
            continue
        wanted = EXCEPT.get(name, {})
        problems = list(compare_names(answer, index, wanted))
        if status != (3 if wanted else 0):
            problems.append(f"exit status {status}")
        tap.case(f"{os.path.relpath(path, folder)}: {answer['verify']['parameters']} parameters, {len(index['weight_map'])} tensors", problems)
        tap.case(f"{name}: bytes of the index", list(compare_bytes(name, answer, index)))


# ---- bytes ----

def elements_stored(answer, index):
    """Of the tree; a tied tensor that is stored all the same counts twice."""
    tensors, elements = tensors_of(answer), answer["parameters"]["total"]
    for name, tensor in tensors.items():
        if tensor["tied_to"] in index["weight_map"] and name in index["weight_map"]:
            elements += math.prod(tensor["shape"])
    return elements


def compare_bytes(name, answer, index):
    total = (index.get("metadata") or {}).get("total_size")
    if not total or answer["verify"]["quantised"] or name in EXCEPT:
        return
    elements = elements_stored(answer, index)
    beside = {width: int(total) - width * elements for width in (2, 4)}
    width, wanted, why = BESIDE.get(name) or (min(beside, key=lambda w: abs(beside[w])), 0, "the same")
    if beside[width] != wanted:
        yield f"the index has {total} bytes, {beside[width]} beside the tree's {elements} elements of {width}; expected {wanted}: {why}"


# ---- files ----

def read_header(path):
    """The format in ten lines: names, dtypes, shapes, bytes; None where it is not a whole file of it."""
    with open(path, "rb") as file:
        data = file.read()
    n = struct.unpack("<Q", data[:8])[0]
    try:
        header = json.loads(data[8:8 + n])
    except ValueError:
        return None
    header.pop("__metadata__", None)
    if max(t["data_offsets"][1] for t in header.values()) != len(data) - 8 - n:
        return None
    return {name: (t["dtype"], t["shape"], t["data_offsets"][1] - t["data_offsets"][0]) for name, t in header.items()}


def check_files(program, tap, folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.safetensors"))):
        wanted, name = read_header(path), os.path.basename(path)
        status, answer, words = inspect(program, path)
        if wanted is None:
            tap.case(f"{name}: refused, for its bytes are not its tensors'", [] if status == 1 and "tensor" in words else [f"{status} {words}"])
            continue
        found = {n: (t["stored_as"], t["shape"], t["bytes"]) for n, t in tensors_of(answer).items()} if answer else words
        problems = [] if found == wanted else [f"{found} expected {wanted}"]
        if answer and answer["weights_bytes"] != sum(size for _, _, size in wanted.values()):
            problems.append(f"{answer['weights_bytes']} bytes")
        tap.case(f"{name}: {len(wanted)} tensors", problems)


def check_partly(program, tap, models, files):
    """Six of 254 shards of Llama-3.2-3B: their shapes are compared, the other names."""
    source = os.path.join(models, "meta-llama--Llama-3.2-3B")
    with tempfile.TemporaryDirectory() as folder:
        for path in [os.path.join(source, "config.json"), os.path.join(source, "model.safetensors.index.json")] + glob.glob(os.path.join(files, "model-000*")):
            os.symlink(os.path.abspath(path), os.path.join(folder, os.path.basename(path)))
        status, answer, words = inspect(program, folder, "--verify")
    fine = answer and status == 0 and len(answer["verify"]["tied"]) == 1 and answer["verify"]["matched"] == 254
    fine = fine and answer["files"]["bytes"] == 6 * 3072 * 2
    tap.case("Llama-3.2-3B, six of its shards there", [] if fine else [f"{status} {words} {answer and answer['verify']}"])


if __name__ == "__main__":
    sys.exit(main())
