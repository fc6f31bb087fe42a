"""No option is silent: in every context, a value other than the default changes the answer, or a warning or an error names the option.
Options and their values come from the help, so a new option is tried as soon as it is there.
    options_effect.py RIDGE"""
import os
import re
import subprocess
import sys
import tempfile

RIDGE = sys.argv[1]
LLAMA, BERT, RESNET, VIT, T5 = ("meta-llama/Llama-2-7b-hf", "google-bert/bert-base-uncased", "microsoft/resnet-50", "google/vit-base-patch16-224",
                                "google-t5/t5-small")
ON = ["--on", "l4"]
LAYER = ["op", "layer", "--seq", "16", "--heads", "4", "--hidden", "64", "--intermediate", "128"]
# the words of a command line, to which one option is added
CONTEXTS = [["cost", model] for model in (LLAMA, BERT, RESNET, VIT, T5, "openai/clip-vit-base-patch32", "state-spaces/mamba-130m-hf")]
CONTEXTS += [["cost", LLAMA, "--phase", "decode"], ["cost", LLAMA, "--phase", "train"], ["cost", BERT, "--phase", "train"], ["cost", T5, "--phase", "decode"]]
CONTEXTS += [["cost", LLAMA, "--symbolic"], ["cost", LLAMA, "--explain", "model.layers.0.self_attn"], ["cost", LLAMA, "--json"], ["cost", LLAMA, "--csv"]]
CONTEXTS += [["predict", model, *ON] for model in (LLAMA, BERT, RESNET)]
CONTEXTS += [["predict", LLAMA, *ON, *more] for more in (["--phase", "decode"], ["--phase", "train"], ["--prompt", "16", "--generate", "4"], ["--json"])]
CONTEXTS += [["sweep", model, *ON] for model in (LLAMA, BERT, RESNET)]
CONTEXTS += [["sweep", LLAMA, *ON, "--phase", "train"], ["sweep", LLAMA, *ON, "--batch", "1,2", "--summary"]]
CONTEXTS += [["inspect", LLAMA], ["inspect", LLAMA, "--json"], ["models"], ["formats"], ["db", "list"], ["db", "show", "torch.nn.Linear"],
             ["db", "show", "torch.nn.Linear", "--json"], ["machine", "list"], ["machine", "show", "l4"], ["machine", "compare", "l4", "a10"],
             ["formula", "torch.nn.Linear", "8", "4", "2"], ["formula", "torch.nn.Linear", "8", "4", "2", "--json"], ["formula", "torch.nn.Linear", "--symbolic"]]
CONTEXTS += [["op", "gemm", "--m", "8", "--n", "16", "--k", "32"], ["op", "attention", "--seq", "64", "--heads", "4", "--head-dim", "32"],
             ["op", "gemm", "--m", "8", "--n", "16", "--k", "32", *ON], ["op", "softmax", "--rows", "8", "--cols", "16"], LAYER, ["op", "model", *LAYER[2:], "--layers", "2", "--vocab", "100"]]
# values for the placeholders of the help; an option's own where that does not do
PLACEHOLDERS = {"N": "3", "FMT": "int8", "FORMATS": "int8", "TIME": "7us", "P": "24", "G": "5", "BYTES": "10%", "RANGE": "3,7", "B": "1e9", "STAGE": "1"}
VALUES = {"on": "h100-sxm-80", "machine": "h100-sxm-80", "class": "{class}", "against": "batch=3", "advice": "none", "phase": None, "explain": "",
          "price": "2", "devices": "2", "samples": "30000", "image-size": "448", "frames": "500", "threads": "1", "prompt": "24", "sort": "path",
          "method": "estimate", "capacity": "1000000000"}
TOGETHER = {"prompt": ["--generate", "5"], "generate": ["--prompt", "24"]}
# Reasons: what only says where files lie or what a terminal shows changes no answer here.
EXCEPTIONS = {"catalog": "adds entries, none here", "machines": "adds machines, none here", "builtin-only": "there is no user's catalog here", "ascii": "pictures only, tried below",
              "progress": "stderr alone", "plot": "a file", "html": "a file", "threads": "the same numbers on any number", "db": "a file", "partial": "nothing of a shipped model is unknown",
              "help": "the help", "color": "no terminal here"}
ELSEWHERE = {"formula": ["symbolic"]}  # where all is given, nothing is left to be a name
CLASSES = {LLAMA: "LlamaModel", BERT: "BertModel", RESNET: "ResNetModel", VIT: "ViTModel", T5: "T5EncoderModel", "openai/clip-vit-base-patch32": "CLIPTextModel",
           "state-spaces/mamba-130m-hf": "MambaModel"}


def run(words):
    return subprocess.run([RIDGE, *words], capture_output=True, text=True, check=False, timeout=120, env={**os.environ, "XDG_DATA_HOME": HOME, "HOME": HOME, "HF_HUB_OFFLINE": "1"})


def options_of(words):
    """name -> placeholder (None for a flag), from the command's help"""
    command = words[:2] if words[0] in ("db", "machine", "op") else words[:1]
    found = re.findall(r"^ +(?:-\w, )?--([a-z0-9-]+)(?: ([^ \n]+))?(?=  |\n|$)", run([*command, "--help"]).stdout, re.M)
    return {name: argument or None for name, argument in found}


def values_of(name, argument, model):
    if name in VALUES and VALUES[name] is not None:
        return [VALUES[name].replace("{class}", CLASSES.get(model[0] if model else "", "LlamaModel"))]
    if argument and "|" in argument:
        return argument.split("|")
    return [PLACEHOLDERS.get(argument, "3") if argument else None]


def is_told(name, text):
    return f"--{name}" in text


def silent(base, context, name, value):
    words = [*context, f"--{name}", *([value] if value else []), *TOGETHER.get(name, [])]
    done = run(words)
    if done.returncode:  # an error is an answer, which says why
        return None if done.stderr else f"{' '.join(words)}: exit {done.returncode} without a word"
    if is_told(name, done.stderr):
        return None
    return f"{' '.join(words)}: the same answer, and no word" if done.stdout == base.stdout else None


def check(context):
    base = run(context)
    if base.returncode:
        return [f"{' '.join(context)}: {base.stderr.strip()}"]
    problems = []
    for name, argument in options_of(context).items():
        if name in EXCEPTIONS or f"--{name}" in context or name in ELSEWHERE.get(context[0], ()) or (
                name == "lm-head" and "--explain" in context):  # the head is another module
            continue
        tried = [silent(base, context, name, value) for value in values_of(name, argument, context[1:2])]
        # of a choice one word is the default, and `needed` is what another word says
        if argument and "|" in argument and None in tried:
            continue
        problems += [problem for problem in tried if problem]
    return problems


HOME = tempfile.mkdtemp()
print(f"1..{len(CONTEXTS)}")
FAILED = 0
for number, one in enumerate(CONTEXTS, 1):
    wrong = check(one)
    FAILED += bool(wrong)
    print(f"{'not ok' if wrong else 'ok'} {number} - {' '.join(one)}")
    for line in wrong:
        print(f"#   {line}")
os.rmdir(HOME) if not os.listdir(HOME) else None
sys.exit(FAILED > 0)
