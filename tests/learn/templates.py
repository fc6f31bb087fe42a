"""What is learned of a class and written as entries counts as the class does: templates.py PROGRAM. Speaks TAP."""
import json
import os
import subprocess
import sys
import tempfile

SOURCE = '''
import torch
from torch import nn


class Expert(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.up = nn.Linear(dim, hidden)
        self.down = nn.Linear(hidden, dim, bias=False)

    def forward(self, x):
        return self.down(torch.relu(self.up(x)))


class Model(nn.Module):
    def __init__(self, dim=8, depth=3):
        super().__init__()
        self.embed = nn.Embedding(100, dim)
        self.layers = nn.ModuleList([Expert(dim, 4 * dim) for i in range(depth)])
        self.wide = nn.ModuleList([Expert(dim, dim * 2**i) for i in range(4)])
        self.shared = nn.Linear(dim, dim)
        self.head = nn.Linear(dim, 100)

    def forward(self, input_ids):
        x = self.embed(input_ids)
        for layer in self.layers:
            x = x + layer(x)
        for layer in self.wide:
            x = x + layer(x)
        for i in range(5):
            x = self.shared(x)
        return self.head(x)
'''

ATTENTION = '''
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim=8, heads=2):
        super().__init__()
        self.heads = heads
        self.dim = dim
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)
        self.o = nn.Linear(dim, dim)

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], self.heads, self.dim // self.heads).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        scores = torch.matmul(q, k.transpose(2, 3)) / 2.0
        x = torch.matmul(torch.softmax(scores, dim=-1), v)
        return self.o(x.transpose(1, 2).reshape(x.shape[0], x.shape[2], self.dim))


class Wide(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.one = nn.Linear(dim, 3 * dim)
        self.act = nn.GELU()
        self.two = nn.Linear(3 * dim, dim)

    def forward(self, x):
        return self.two(self.act(self.one(x)))


class Two(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.one = nn.Linear(dim, 3 * dim)
        self.two = nn.Linear(3 * dim, dim + 1)
        self.three = nn.Linear(dim + 1, dim)

    def forward(self, x):
        return self.three(self.two(self.one(x)))


class Reader(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.embed = nn.Embedding(100, dim)
        self.attention = Attention(dim)
        self.wide = Wide(dim)
        self.other = Two(dim)
        self.act = nn.Tanh()
        self.head = nn.Linear(dim, 100, bias=False)

    def forward(self, input_ids):
        x = self.act(self.other(self.wide(self.attention(self.embed(input_ids)))))
        x = torch.matmul(torch.matmul(x, x.transpose(1, 2)), x)  # products of activations without a softmax: no attention
        return self.head(x)
'''

CONFIG = '''
from transformers.configuration_utils import PretrainedConfig

class PartConfig(PretrainedConfig):
    model_type = "part"

    def __init__(self, width=8, **kwargs):
        self.width = width
        super().__init__(**kwargs)

class PictureConfig(PretrainedConfig):
    model_type = "picture"
    sub_configs = {"part_config": PartConfig}

    def __init__(self, hidden_size=16, num_hidden_layers=2, levels=3, stages=6, image_size=224, bias=False, part_config=None, scales=[1, 1], **kwargs):
        self.hidden_size = hidden_size
        self.num_hidden_layers = num_hidden_layers
        self.levels = levels
        self.stages = stages
        self.image_size = image_size
        self.bias = bias
        self.scales = scales
        self.part_config = PartConfig(**(part_config or {}))
        super().__init__(**kwargs)
'''

# The head's last matrix is another one, and config.levels happens to be 3, too. Every layer of the stem halves the picture.
MODEL = '''
import torch
from torch import nn
from transformers.modeling_utils import PreTrainedModel

from .configuration_picture import PictureConfig

class Head(nn.Module):
    def __init__(self, dim, out):
        super().__init__()
        sizes = [dim, dim, out]
        self.layers = nn.ModuleList(nn.Linear(dim, size) for size in sizes)

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return self.layers[-1](x)

class PictureModel(PreTrainedModel):
    config_class = PictureConfig
    main_input_name = "pixel_values"

    def __init__(self, config):
        super().__init__(config)
        self.levels = nn.ModuleList(nn.Linear(4, 4) for _ in range(config.levels))
        dim = config.hidden_size
        self.stem = nn.ModuleList(nn.Conv2d(3 if i == 0 else dim, dim, 3, stride=2, bias=config.bias) for i in range(config.stages))
        self.layers = nn.ModuleList(nn.Linear(dim, dim) for _ in range(config.num_hidden_layers))
        self.part = nn.Linear(dim, config.part_config.width)
        self.head = Head(dim, 4)

    def forward(self, pixel_values):
        x = pixel_values
        for conv in self.stem:
            x = conv(x)
        x = x.flatten(2).transpose(1, 2)
        for layer in self.layers:
            x = layer(x)
        return self.head(x * self.config.scales[0]), self.part(x)
'''


class Tap:
    count = 0
    failed = 0

    def case(self, name, found, wanted):
        self.count += 1
        fine = found == wanted
        self.failed += not fine
        print(f"{'ok' if fine else 'not ok'} {self.count} - {name}")
        if not fine:
            print(f"# found {str(found)[:500]}\\n# wanted {str(wanted)[:500]}")


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def attention(tap, program, folder):
    with open(os.path.join(folder, "reader.py"), "w") as file:
        file.write(ATTENTION)
    entries = os.path.join(folder, "reader.json")
    tap.case("learns a class with attention", run(program, "learn", "reader.Reader", "--source", folder, "--out", entries)[0], 0)
    with open(entries) as file:
        learned = json.load(file)
    core = learned["reader__Attention"]["flops"]
    tap.case("both products around a softmax are attention: 2 * 2*B*S*S*dim", core.get("attention"), "32*B*S**2")
    tap.case("none of them counts twice", "matmul" in core, False)
    tap.case("products without a softmax are none", learned["reader__Reader"]["flops"], {"matmul": "32*B*S**2"})
    said = {key: [entry.get(field) for field in ("role", "heads", "split")] for key, entry in learned.items()}
    ways = {"q": "columns", "k": "columns", "v": "columns", "o": "rows", "*": "share"}
    tap.case("attention splits by heads", said["reader__Attention"], ["attention", "[2, 2]", ways])
    tap.case("onto a wider stream and back is an MLP", said["reader__Wide"], ["mlp", None, {"one": "columns", "two": "rows", "*": "share"}])
    tap.case("of other matrices nothing is said", said["reader__Two"], [None, None, None])
    tap.case("table and head split by words", said["reader__Reader"], [None, None, {"embed": "vocabulary", "head": "vocabulary"}])
    tap.case("the head says that it is one", learned["reader__Reader"]["breakdown"]["head"]["role"], "head")
    tap.case("it all passes the check", run(program, "db", "check", entries)[0], 0)


def counted(program, folder, entries, **changes):
    """(parameters, torch's FLOPs) by the entries and by the source, or what is refused"""
    config = dict({"model_type": "picture", "architectures": ["PictureModel"],
                   "auto_map": {"AutoConfig": "configuration_picture.PictureConfig", "AutoModel": "modeling_picture.PictureModel"}}, **changes)
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(config, file)
    size = str(changes.get("image_size", 224))
    status, text, words = run(program, "cost", folder, "--json", "--catalog", entries, "--image-size", size, "--batch", "2")
    if status:
        return words.splitlines()[-1]
    answer = json.loads(text)
    _, text, _ = run(program, "learn", folder, "--json", "--image-size", size, "--batch", "2")
    model = json.loads(text)["model"]
    mine = (answer["parameters"]["total"], answer["flops"]["torch"])
    theirs = (model["parameters"], model["runs"][0]["flops"]["torch"])
    return "equal" if mine == theirs else f"{mine} instead of {theirs}"


def general(tap, program, folder):
    for name, text in (("configuration_picture.py", CONFIG), ("modeling_picture.py", MODEL)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    entries = os.path.join(folder, "..", "picture.json")
    counted(program, folder, entries)
    tap.case("learns a model with a config", run(program, "learn", folder, "--out", entries)[0], 0)
    for changes in ({}, {"levels": 5}, {"levels": 2}, {"num_hidden_layers": 5}, {"hidden_size": 24, "image_size": 256}, {"bias": True}, {"scales": [0.5, 2]},
                    {"part_config": {"model_type": "part", "width": 5}}):
        tap.case(f"the entries count as the source with {changes}", counted(program, folder, entries, **changes), "equal")
    tap.case("a nested config of another type is refused", "is another than that" in counted(program, folder, entries, part_config={"model_type": "whole"}), True)
    with open(entries) as file:
        learned = json.load(file)
    model = next(entry for key, entry in learned.items() if key.endswith("PictureModel"))
    tap.case("sizes that are halved again and again have names", "size_6" in model.get("let", {}), True)


def main(program):
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "small.py"), "w") as file:
            file.write(SOURCE)
        entries = os.path.join(folder, "entries.json")
        status, _, words = run(program, "learn", "small.Model", "--source", folder, "--out", entries)
        if "this build" in words and status:  # without the grammar
            print("1..0 # SKIP " + words.splitlines()[0])
            return 0
        tap.case("learns", status, 0)
        with open(entries) as file:
            learned = json.load(file)
        model = learned["small__Model"]
        tap.case("equal layers are one list", model["breakdown"]["layers"], "[{small__Expert}(32) for i in range(3)]")
        tap.case("what differs by the index is a rule", model["breakdown"]["wide"], "[{small__Expert}([8, 16, 32, 64][i]) for i in range(4)]")
        tap.case("one entry for every size", [key for key in learned if "Expert" in key], ["small__Expert"])
        tap.case("a part that is called five times", model["breakdown"]["shared"]["calls"], "5")
        tap.case("modules of which some are wide have no role", "role" in learned["small__Expert"], False)
        tap.case("they are derived", {entry["validation"]["status"] for entry in learned.values()}, {"derived"})
        tap.case("they pass the check", run(program, "db", "check", entries)[0], 0)
        # rows = 2*3 tokens; products are 2*rows*in*out; a bias, a ReLU and an addition count 1 for each element of their result
        rows, dim, hidden = 6, 8, (32, 32, 32, 8, 16, 32, 64)
        products = 2 * rows * (sum(2 * dim * h for h in hidden) + 5 * dim * dim + dim * 100)
        others = rows * (sum(h + h + dim for h in hidden) + 5 * dim + 100)
        _, direct, _ = run(program, "learn", "small.Model", "--source", folder, "--batch", "2", "--seq", "3", "--json")
        tap.case("a run counts the products", json.loads(direct)["model"]["runs"][0]["flops"]["torch"], products)
        _, closed, _ = run(program, "formula", "small.Model", "B=2", "S=3", "--catalog", entries)
        tap.case("the entries count everything", int(closed.replace(",", "")), products + others)
        _, one, _ = run(program, "formula", "small.Model", "B=1", "S=1", "--catalog", entries)
        tap.case("also for one token", int(one.replace(",", "")) * rows, products + others)
        attention(tap, program, folder)
        os.mkdir(os.path.join(folder, "picture"))
        general(tap, program, os.path.join(folder, "picture"))
    print(f"1..{tap.count}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
