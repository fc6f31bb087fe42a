#!/usr/bin/env python3
"""Validates what commands answer with --json, against the schemas that the program prints
(ridge help --schema). Stricter than a reader need be: a member that the schema does not name is a fault. Prints TAP.

    schema.py PROGRAM [--without=FEATURE,...]"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import features  # noqa: E402

try:
    import jsonschema
except ImportError:
    print("1..0 # SKIP no jsonschema for python3 (python3-jsonschema)")
    sys.exit()

# what each command answers, its optional members given and not; measurements are kept in a folder of their own. A line after "!" is run
# for what it changes: it answers no JSON.
COMMANDS = """
show gpt2 --on l4
show meta-llama/Llama-3.1-405B --memory 24GB
show resnet-50
fit meta-llama/Llama-3.1-8B --on rtx-4090 --kv bf16,fp8_e4m3
fit bert-base-uncased --memory 1GB
cost gpt2
cost meta-llama/Llama-2-7b-hf --phase decode --batch 8 --past 4095 --all
cost mistralai/Mixtral-8x7B-v0.1 --phase train --batch 2 --optimizer sgd --recompute full
cost flan-t5-xl --encoder-len 12 --phase decode
cost resnet-50 --batch 3
cost clip-vit-base-patch32 --class CLIPTextModel --image-size 448
cost meta-llama/Llama-3.2-1B --symbolic
cost meta-llama/Llama-3.2-1B --explain model.layers.0.mlp
cost deepseek-ai/DeepSeek-V3 --kernel fused --attention causal --weights q4_K --kv fp8_e4m3 --depth 2
cost tests/cli/data/two_towers.json --partial
predict meta-llama/Llama-2-7b-hf --on h100-sxm-80
predict meta-llama/Llama-2-7b-hf --on h100-sxm-80 --recommend --price 3
predict meta-llama/Llama-2-7b-hf --on h100-sxm-80 --against weights=q4_K --against batch=2k
predict meta-llama/Llama-3.1-405B --on h100-sxm-80 --tensor-parallel 8 --pipeline-parallel 2 --phase train --batch 16
predict meta-llama/Llama-2-7b-hf --on m2-max --method estimate --all
predict meta-llama/Llama-2-7b-hf --on l4 --prompt 1k --generate 128
predict resnet-50 --on epyc-9654 --advice none
sweep gpt2 --on h100-sxm-80,l4 --batch 1,8 --seq 128:512:*2
sweep gpt2 --on h100-sxm-80,l4 --batch 1,8 --weights fp16,q4_K --summary
inspect gpt2
inspect clip-vit-base-patch32 --depth 2
inspect tests/malformed/safetensors/fine_zero_elements.safetensors
inspect tests/malformed/checkpoint/fine_call.pt
inspect tests/cli/data/indexed --verify
inspect tests/cli/data/indexed_same --verify
inspect tests/inventory/recorded/tied.json
inspect tests/inventory/recorded/stuck.json
cost tests/inventory/recorded/functions.json --all
fit tests/inventory/recorded/mlp.json --on rtx-4090
models
formula torch.nn.Linear 2048 4096 4096
formula torch.nn.Linear rows=2048 in_features=8 out_features=4 --trace
formula torch.nn.Linear --symbolic --context reads
op gemm --m 128 --n 128 --k 128 --on h100-sxm-80 --tiling
op gemv --n 64 --k 64
op attention --batch 2 --heads 8 --seq 128 --head-dim 64 --all-formats
op rmsnorm --rows 5 --cols 64 --on l4,h100-sxm-80
op model --seq 2048 --hidden 4096 --heads 32 --intermediate 11008 --layers 32 --vocab 32000 --gated
db list
db show torch.nn.Linear
db check
db add tests/cli/data/one_entry.json
db add tests/cli/data/override_less.json
generate python --out $HOME/made torch.nn.Linear
generate c --out $HOME/made torch.nn.Linear
machine list
machine show h100-sxm-80
machine show m2-max
machine compare h100-sxm-80 l4
machine check
machine add tests/machine/toy.json
machine live
machine detect --no-gpus
machine detect --from tests/machine/recorded/two-gpus
machine calibrate --threads 1 --budget 0.01 --memory 24M --no-save
bench gemv --n 64 --k 256 --variant generic --cache both --budget 0.02 --ceilings-budget 0.05
bench attention --seq 16 --heads 2 --head-dim 32 --causal --budget 0.02 --ceilings-budget 0.05 --no-store
bench --model gpt2 --dtype q8_0 --layer --past 8 --variant generic --rounds 1 --budget 0.001 --ceilings-budget 0.05 --no-store
compare gemv --n 64 --k 256 --variant generic --cache both --budget 0.02 --ceilings-budget 0.05
compare gemv --n 64 --k 256 --variant generic --calibration --budget 0.02 --ceilings-budget 0.05 --no-store
compare --frameworks ridge,jax gemm --m 8 --n 64 --k 64 --dtype fp32,bf16 --rounds 1 --budget 0.02 --ceilings-budget 0.05 --no-store
profile attention --hidden 128 --heads 4 --past 15 --threads 1 --budget 0.1 --optimize 3
profile layer --rwkv --hidden 64 --threads 1 --budget 0.1 --no-store
profile model tests/cli/data/rwkv.json --dtype fp32 --threads 1 --budget 0.1 --no-store
experiment memory-vs-compute --n 128 --k 256 --threads 1 --budget 0.05
experiment quant-overhead --n 128 --k 256 --threads 1 --budget 0.05 --format q8_0 --no-store
experiment batch-sweep --n 128 --k 256 --m 2 --threads 1 --budget 0.05 --no-store
experiment size-sweep --most 8192 --threads 1 --budget 0.05 --no-store
formats
"""

# the same, of what is kept
COMMANDS_SQLITE = """
compare --run 1
compare --run 1 --calibration
history
history --runs
history show 1
! baseline set before --run 1
baseline list
baseline check before --run 2 --tolerance 1000
"""

# of source that is read
COMMANDS_LEARN = """
learn net.Net --source tests/cli/data/learn/net.py --inputs pixels=B,3,40,28
validate net.Net --source tests/cli/data/learn --python tests/cli/data/learn/python_with_torch --inputs pixels=B,3,40,28
"""


def closed(schema):
    """the same schema, without members that it does not name"""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    if "properties" in made and isinstance(made["properties"], dict) and "required" in made:
        made.setdefault("additionalProperties", False)
    return made


def answers(text):
    """one JSON text, or one on each line"""
    try:
        return [json.loads(text)]
    except ValueError:
        return [json.loads(line) for line in text.splitlines()]


def command_of(words, schemas):
    """the command that the words begin with"""
    return max((name for name in schemas if words[: len(name.split())] == name.split()), key=len)


def faults(program, folder, line, schemas, met):
    """what is wrong with a command's answer; the schemas that it met are added to `met`"""
    silent, line = line.startswith("! "), line.removeprefix("! ").replace("$HOME", folder)
    environment = {"PATH": os.environ["PATH"], "HOME": folder, "XDG_DATA_HOME": folder, "LC_ALL": "C", "RIDGE_LAST_LEVEL_CACHE": "1Mi"}
    done = subprocess.run([program, *line.split(), *([] if silent else ["--json"])], capture_output=True, text=True, cwd=ROOT, env=environment)
    if done.returncode not in (0, 3 if {"--verify", "tests/cli/data/override_less.json"} & set(line.split()) else 0):  # a check that failed has an answer
        yield f"exit status {done.returncode}: {done.stderr.strip()}"
        return
    if silent:
        return
    name = command_of(line.split(), schemas)
    for answer in answers(done.stdout):
        told = []
        for kind, schema in enumerate(schemas[name]["anyOf"]):
            wrong = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(answer))
            if not wrong:
                met.add((name, kind))
                break
            told.append(f"{schema['title']}: {wrong.json_path}: {wrong.message[:300]}")
        else:
            yield from told
            return


def main(arguments):
    arguments, missing = features.take_missing(arguments)
    program = str(pathlib.Path(arguments[0]).resolve())
    printed = subprocess.run([program, "help", "--schema"], capture_output=True, text=True, check=True).stdout
    kept = "" if "sqlite" in missing else COMMANDS_SQLITE
    learned = "" if "learn" in missing else COMMANDS_LEARN
    schemas, met, count, failed = closed(json.loads(printed)["$defs"]), set(), 0, False
    with tempfile.TemporaryDirectory() as folder:
        for count, line in enumerate((COMMANDS + kept + learned).strip().replace("\n\n", "\n").splitlines(), 1):
            said = list(faults(program, folder, line, schemas, met))
            failed = failed or bool(said)
            print(f"{'not ok' if said else 'ok'} {count} - {line}", *[f"# {one}" for one in said], sep="\n", flush=True)
    # the operators' schemas are one; each command needs an answer, and each kind of answer; `pull` wants a server: tests/hub/hub.py has one
    wanted = {("op gemm" if name.startswith("op ") else name, kind) for name, schema in schemas.items() for kind in range(len(schema["anyOf"]))
              if (kept or not name.startswith(("history", "baseline", "compare"))) and (learned or name not in ("learn", "validate")) and name != "pull"}
    met = {("op gemm" if name.startswith("op ") else name, kind) for name, kind in met}
    unseen = [f"{name}: {schemas[name]['anyOf'][kind]['title']}" for name, kind in sorted(wanted - met)]
    print(f"{'not ok' if unseen else 'ok'} {count + 1} - every schema has an answer", *[f"# none: {one}" for one in unseen], sep="\n")
    print(f"1..{count + 1}")
    return failed or bool(unseen)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
