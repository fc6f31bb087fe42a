#!/usr/bin/env python3
"""Holds catalog entries that `ridge learn --out` makes of one config against random other configs of the same type.

    scripts/learn_general.py --source DIR [--source 5.=DIR] [--ridge build/ridge] [--configs 5] [--seed 0] CONFIG...

CONFIG is a config.json, a folder with one, or a recorded result (*.json.gz, of whose library's version the source is chosen). The entries of
a config are learned once. Then each random variation of it (sizes, heads, layers, biases, activations, kinds of layers, experts, ...) is
counted twice, by the entries and by `ridge learn` of that variation itself: modules, parameters, FLOPs in total, by class and by module, bytes.
A variation that the source itself does not take is drawn anew. It says
    equal      every number is the same
    refused    the entries give no answer, and say why
    wrong      a number is another one; exit status 3"""

import argparse
import collections
import concurrent.futures
import gzip
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import learn_truth  # noqa: E402

ACTIVATIONS = ("gelu", "silu", "relu", "gelu_new", "gelu_pytorch_tanh")
# of the library: how a model answers, not what it computes; and what is no size
LEFT_ALONE = {"use_cache", "return_dict", "output_attentions", "output_hidden_states", "is_decoder", "is_encoder_decoder", "torchscript",
              "add_cross_attention", "do_sample", "early_stopping", "use_bfloat16", "tie_encoder_decoder", "gradient_checkpointing",
              "tie_weights_", "_use_default_values", "use_mamba_kernels", "quantization_config", "id2label", "label2id", "vision_config",
              "audio_config", "task_specific_params", "auto_map", "out_features", "out_indices", "stage_names", "backbone_kwargs"}
LENGTHS = ("layer", "depth")
TRIES = 4


class Refused(Exception):
    """No answer: why."""


# ---- random configs ----

def is_layers(key):
    return key in ("n_layer", "n_layers", "num_layers", "num_decoder_layers", "encoder_layers", "decoder_layers", "depth") or key.endswith("hidden_layers")


def is_heads(key):
    return key in ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads", "decoder_attention_heads")


def resize(config, count, rng):
    """Lists with an item per layer have as many as there are layers."""
    for key, value in config.items():
        if key not in LEFT_ALONE and isinstance(value, list) and len(value) == count[0] and count[0] > 1 and not any(isinstance(item, (dict, list)) for item in value):
            kinds = sorted(set(value), key=str)
            config[key] = [rng.choice(kinds) for _ in range(count[1])]
            if len(kinds) > 1 and count[1] >= len(kinds):  # each kind that there is, if it fits
                for at, kind in zip(rng.sample(range(count[1]), len(kinds)), kinds):
                    config[key][at] = kind


def vary_layers(config, rng):
    staged = isinstance(config.get("depths"), list)  # as many layers as the list has numbers
    for key in [key for key, value in config.items() if is_layers(key) and type(value) is int and not staged]:
        count = (config[key], rng.randint(1, 5))
        config[key] = count[1]
        resize(config, count, rng)


def vary_heads(config, rng):
    """Heads of queries, of keys and values, and sizes of which heads are parts."""
    heads_keys = [key for key, value in config.items() if is_heads(key) and type(value) is int]
    if not heads_keys:
        return
    heads = rng.choice([2, 4, 6, 8])
    dim = rng.choice([8, 16, 24, 32])
    for key in heads_keys:
        config[key] = heads
    for key in ("num_key_value_heads", "num_kv_heads", "multi_query_group_num"):
        if type(config.get(key)) is int:
            config[key] = rng.choice([n for n in (1, 2, heads // 2, heads) if heads % n == 0])
    for key in ("hidden_size", "d_model", "n_embd"):
        if type(config.get(key)) is int:
            config[key] = heads * dim
    if type(config.get("head_dim")) is int:
        config["head_dim"] = rng.choice([dim, 2 * dim, 16])
    if type(config.get("d_head")) is int:
        config["d_head"] = dim
    if type(config.get("d_kv")) is int:
        config["d_kv"] = rng.choice([dim, 16])


def vary_experts(config, rng):
    counts = [key for key, value in config.items() if key in ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
              and type(value) is int and value > 1]
    for key in counts:
        config[key] = rng.choice([4, 6, 8])
    for key in ("num_experts_per_tok", "num_experts_per_token", "moe_top_k", "moe_k", "moe_topk"):
        if counts and type(config.get(key)) is int:
            config[key] = rng.choice([1, 2, 3])
    for key, value in (("n_group", 2), ("topk_group", 1)):
        if counts and type(config.get(key)) is int and config[key] > 1:
            config[key] = value


def vary_sizes(config, rng):
    for key, value in list(config.items()):
        if type(value) is not int or value < 2:
            continue
        if "intermediate" in key or "ffn_dim" in key or key in ("d_ff", "n_inner", "ffn_hidden_size"):
            config[key] = 8 * rng.randint(3, 40)
        elif key == "vocab_size" or key.startswith("vocab_size_"):
            config[key] = max([rng.randint(300, 4000), *(item + 1 for name, item in config.items() if name.endswith("token_id") and type(item) is int)])
        elif key in ("max_position_embeddings", "n_positions", "n_ctx", "max_sequence_length", "seq_length"):
            config[key] = rng.choice([256, 512, 1000, 4096])
        elif key in ("sliding_window", "attention_window", "local_window_size") or key.endswith("_window"):
            config[key] = rng.choice([4, 8, 16, 4096])


def vary_words(config, rng):
    for key, value in list(config.items()):
        if key in LEFT_ALONE or key.startswith("_"):
            continue
        if type(value) is bool and rng.random() < 0.3:
            config[key] = not value
        elif isinstance(value, str) and key in ("hidden_act", "activation_function", "hidden_activation", "activation") and rng.random() < 0.5:
            config[key] = rng.choice(ACTIVATIONS)


def vary_rope(config, rng):
    window = config.get("max_position_embeddings")
    if "rope_theta" not in config or isinstance(config.get("rope_scaling"), dict) and "mrope_section" in config["rope_scaling"]:
        return
    choices = [{"rope_type": "linear", "factor": 2.0}, {"rope_type": "dynamic", "factor": 2.0}, None]
    if type(window) is int:
        choices.append({"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": window})
    if rng.random() < 0.4:
        config["rope_scaling"] = rng.choice(choices)


def forget(config, rng):
    """A field or two that config.json does not say."""
    for key in ("head_dim", "num_key_value_heads", "layer_types", "sliding_window", "rope_scaling", "tie_word_embeddings", "attention_bias"):
        if key in config and rng.random() < 0.15:
            del config[key]


def part_configs(config):
    return [value for key, value in config.items() if isinstance(value, dict) and key not in LEFT_ALONE
            and (key.endswith("_config") or key in ("encoder", "decoder"))]


def vary(config, rng):
    for part in part_configs(config):
        vary(part, rng)
    for change in (vary_layers, vary_heads, vary_experts, vary_sizes, vary_words, vary_rope, forget):
        change(config, rng)


def filled(fields, defaults):
    """The config with the defaults of what may be varied."""
    config = json.loads(json.dumps(fields))
    for key, value in defaults.items():
        wanted = type(value) is bool and ("bias" in key or "tie" in key or "norm" in key) or is_layers(key) or is_heads(key)
        if key not in config and wanted and value is not None:
            config[key] = value
    return config


# ---- both answers ----

def ask(options, *words):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (options.memory << 20, options.memory << 20))

    environment = dict(os.environ, XDG_DATA_HOME="/nonexistent")
    try:
        done = subprocess.run([options.ridge, *words], capture_output=True, text=True, timeout=options.timeout, preexec_fn=limit,
                              env=environment, check=False)
    except subprocess.TimeoutExpired:
        raise Refused(f"{words[0]}: more than {options.timeout} s") from None
    if done.returncode < 0:
        raise Refused(f"{words[0]}: died of signal {-done.returncode}")
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "warning" not in line]
        raise Refused(f"{words[0]}: {said[0].removeprefix('ridge: ') if said else done.returncode}"[:400])
    return done.stdout


def words_of(workload, phase):
    words = ["--phase", phase, "--batch", str(workload["batch"])]
    names = {"seq": "--seq", "past": "--past", "decoder_seq": "--decoder-seq", "encoder_len": "--encoder-len"}
    for key, option in names.items():
        if workload.get(key) is not None and not (key == "seq" and phase == "decode") and not (key == "past" and phase == "prefill"):
            words += [option, str(workload[key])]
    return words


def reference(options, config, source):
    """What `ridge learn` says of the config itself: its modules, and runs of one sequence and of three."""
    answers = [json.loads(ask(options, "learn", config, "--source", source, "--json", "--batch", batch)) for batch in ("1", "3")]
    runs = [run for answer in answers for run in answer["model"]["runs"] if not run["failed"]]
    if not runs:
        raise Refused("learn: no workload runs: " + str(answers[0]["model"]["runs"][0]["failed"]))
    return answers[0]["model"], runs


def first_difference(what, mine, theirs):
    for a, b in zip(mine, theirs):
        if a != b:
            return f"{what}: {a} instead of {b}"
    return f"{what}: {len(mine)} instead of {len(theirs)}" if len(mine) != len(theirs) else None


def tree_difference(options, config, entries, model):
    answer = json.loads(ask(options, "inspect", config, "--json", *entries))
    lines = lambda modules: [(m["path"], m["class"], m["parameters"], {k: t["shape"] for k, t in m["tensors"].items()}) for m in modules]
    if answer["parameters"]["total"] != model["parameters"]:
        return f"parameters: {answer['parameters']['total']} instead of {model['parameters']}"
    return first_difference("tree", lines(answer["modules"]), lines(model["modules"]))


def flops_difference(answer, run):
    own = lambda flops: {key: value for key, value in flops.items() if key in ("torch",)}
    for key, value in own(run["flops"]).items():
        if value is not None and answer["flops"][key] != value:
            return f"FLOPs ({key}): {answer['flops'][key]} instead of {value}"
    rows = {row["path"]: row["flops"]["torch"] for row in answer["rows"]}
    for row in run["rows"]:
        if row["torch"] is not None and rows.get(row["path"], 0) != row["torch"]:
            return f"FLOPs of {row['path'] or 'the model'}: {rows.get(row['path'])} instead of {row['torch']}"
    return None


def run_difference(options, config, entries, run):
    said = words_of(run["workload"], run["phase"])
    answer = json.loads(ask(options, "cost", config, "--json", "--all", *entries, *said))
    wrong = flops_difference(answer, run)
    if not wrong and run["bytes"]["total"] is not None and answer["bytes"]["total"] is not None:
        off = abs(answer["bytes"]["total"] / run["bytes"]["total"] - 1) if run["bytes"]["total"] else 0
        wrong = f"bytes: {answer['bytes']['total']} instead of {run['bytes']['total']}" if off > options.bytes / 100 else None
    if not wrong and run["kv_cache"] is not None and answer["memory"]["kv_cache"] != run["kv_cache"]:
        wrong = f"cache: {answer['memory']['kv_cache']} instead of {run['kv_cache']}"
    return f"{wrong} ({' '.join(said)})" if wrong else None


def judge(options, config, entries, found):
    """("equal" | "wrong" | "refused", why)"""
    model, runs = found
    try:
        differences = [tree_difference(options, config, entries, model)]
        differences += [run_difference(options, config, entries, run) for run in runs]
    except Refused as reason:
        return "refused", str(reason)
    wrong = [one for one in differences if one]
    return ("wrong", wrong[0]) if wrong else ("equal", f"{len(runs)} runs")


# ---- one config and its variations ----

def changes(fields, other, prefix=""):
    """What a variation says that the config did not."""
    for key in sorted(set(fields) | set(other)):
        a, b = fields.get(key), other.get(key, "(not given)" if key in fields else None)
        if isinstance(a, dict) and isinstance(b, dict):
            yield from changes(a, b, f"{prefix}{key}.")
        elif a != b:
            yield f"{prefix}{key}={json.dumps(b)}"


def write(path, fields):
    path.write_text(json.dumps(fields))
    return str(path)


def variation(options, fields, source, rng, path):
    """A random config that the source takes, and what the source says of it; None: none was found."""
    for _ in range(TRIES):
        other = json.loads(json.dumps(fields))
        vary(other, rng)
        try:
            return other, reference(options, write(path, other), source)
        except Refused as reason:
            why = str(reason)
    return None, why


def defaults_of(options, config, entries):
    try:
        return json.loads(ask(options, "inspect", config, "--json", *entries)).get("assumed", {})
    except Refused:
        return {}


def one(options, name, fields, source):
    """(verdict, why, changes) of every variation; the first is the config itself"""
    rng, out = random.Random(f"{options.seed} {name}"), []
    folder = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="ridge-general-")) / name.replace("/", "--")
    folder.mkdir(parents=True, exist_ok=True)
    config = write(folder / "config.json", fields)
    entries = [word for path in options.catalog for word in ("--catalog", path)] if options.shipped else ["--catalog", str(folder / "entries.json")]
    try:
        if not options.shipped:
            ask(options, "learn", config, "--source", source, "--out", entries[1])
    except Refused as reason:
        return [("no entry", str(reason), [])]
    try:
        out.append((*judge(options, config, entries, reference(options, config, source)), ["the config itself"]))
    except Refused as reason:
        out.append(("no reference", str(reason), ["the config itself"]))
    base = filled(fields, defaults_of(options, config, entries))
    for i in range(options.configs):
        other, found = variation(options, base, source, rng, folder / f"variation{i}.json")
        if other is None:
            out.append(("no reference", found, []))
            continue
        out.append((*judge(options, str(folder / f"variation{i}.json"), entries, found), list(changes(fields, other))))
    return out


def read(path):
    """The fields of a config, and the version of the library that recorded it; "": not told."""
    if path.name.endswith(".json.gz"):
        with gzip.open(path, "rt") as file:
            truth = json.load(file)
        return dict(learn_truth.as_run(truth["config"]), architectures=[truth["model_class"].rsplit(".", 1)[-1]]), truth["transformers_version"]
    fields = json.loads((path / "config.json" if path.is_dir() else path).read_text())
    fields.pop("quantization_config", None)
    return fields, ""


def jobs(options):
    sources = [pair.split("=", 1) if "=" in pair else ["", pair] for pair in options.source]
    for path in map(pathlib.Path, options.config):
        fields, version = read(path)
        fitting = [folder for prefix, folder in sources if version.startswith(prefix)] or [folder for prefix, folder in sources if not version]
        if not fitting:
            continue
        yield path.name.removesuffix(".json.gz").removesuffix(".json") if path.name != "config.json" else path.parent.name, fields, fitting[0]


def report(results):
    total, causes, types = collections.Counter(), collections.Counter(), collections.Counter()
    for name, rows in results:
        verdicts = collections.Counter(verdict for verdict, _, _ in rows)
        worst = next(v for v in ("wrong", "no entry", "refused", "no reference", "equal") if verdicts[v])
        types[worst] += 1
        print(f"{name:40} " + ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()), flush=True)
        for verdict, why, changed in rows:
            total[verdict] += 1
            if verdict != "equal":
                causes[f"{verdict}: {why[:160]}"] += 1
                print(f"    {verdict}: {why}\n        {' '.join(changed)[:500]}", flush=True)
    print("\ncauses")
    for cause, count in causes.most_common(40):
        print(f"{count:5} {cause}")
    print("\nconfigs:", ", ".join(f"{count} {verdict}" for verdict, count in total.most_common()))
    print("types, by the worst of each:", ", ".join(f"{count} {verdict}" for verdict, count in types.most_common()))
    return 3 if total["wrong"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("config", nargs="+")
    parser.add_argument("--ridge", default="build/ridge")
    parser.add_argument("--source", action="append", required=True, metavar="[VERSION=]DIR")
    parser.add_argument("--configs", type=int, default=5, help="variations of each config")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bytes", type=float, default=0.1, help="by how many percent bytes may differ")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--memory", type=int, default=2048, help="of one command, in MiB")
    parser.add_argument("--shipped", action="store_true", help="try the entries that the program ships, instead of learning some")
    parser.add_argument("--catalog", action="append", default=[], metavar="PATH", help="with --shipped: entries besides the program's own")
    parser.add_argument("--keep", help="folder in which configs and entries stay")
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        pending = [(name, pool.submit(one, options, name, fields, source)) for name, fields, source in jobs(options)]
        return report((name, job.result()) for name, job in pending)


if __name__ == "__main__":
    sys.exit(main())
