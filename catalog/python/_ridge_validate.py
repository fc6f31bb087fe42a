"""What PyTorch says of a class: run by the user's own Python (torch 1.13 to 2.x) for `ridge validate`, and by nothing else.

Reads one JSON object from stdin:
    path        folders for sys.path
    module, name  where the class is; without a module it is one of transformers' or diffusers'
    config      fields of a config.json, or null: a class that takes plain arguments
    arguments   of a class without a config
    inputs      {name: {"shape": [3, "B", ...], "dtype": "float32"}} for forward; none: token ids, or pixels, as the model's main input says
    cases, seed, tries  how many cases that run are wanted, and how many may be tried
Writes one JSON object a line: {"torch", "library", "version", "device"}, then per case
    {"config" or "arguments", "workload", "modules": [[path, class, {tensor: shape}]], "buffers", "flops": {path: n}, "total": n}
or {"skipped": reason}. FLOPs are those that FlopCounterMode counts, inclusive of what a module calls."""
import copy
import importlib
import json
import random
import sys

# fields that change what a model returns or how it is loaded, and nothing of its size
_FIXED = {
    "return_dict", "output_attentions", "output_hidden_states", "torchscript", "use_cache", "is_decoder", "is_encoder_decoder",
    "add_cross_attention", "use_bfloat16", "tie_encoder_decoder", "_commit_hash", "use_timm_backbone",
}
_LAYERS = {
    "num_hidden_layers", "num_layers", "n_layer", "n_layers", "encoder_layers", "decoder_layers", "num_decoder_layers", "num_encoder_layers", "depth",
}
_WIDTHS = {"intermediate_size", "ffn_dim", "d_ff", "encoder_ffn_dim", "decoder_ffn_dim", "ffn_hidden_size", "moe_intermediate_size", "n_inner"}
_KEY_VALUE_HEADS = {"num_key_value_heads", "n_head_kv", "num_kv_heads"}
_LENGTHS = ((1, 8), (2, 17), (3, 5), (2, 32), (1, 23), (4, 9))


# ---- configurations ----


def _divisors(number):
    return [n for n in range(1, number + 1) if number % n == 0]


def vary(fields, chance):
    """Another config like this one, small in depth and vocabulary; which of its numbers and switches change is chance's."""
    out = copy.deepcopy(fields)
    layers = {value for key, value in fields.items() if key in _LAYERS and isinstance(value, int)}
    for key, value in fields.items():
        if isinstance(value, dict) and key not in ("rope_scaling", "rope_parameters", "quantization_config", "id2label", "label2id"):
            out[key] = vary(value, chance)
        elif isinstance(value, bool):
            out[key] = (not value) if key not in _FIXED and chance.random() < 0.15 else value
        elif key in _LAYERS and isinstance(value, int):
            out[key] = min(value, 2 + chance.randrange(2))
        elif key == "vocab_size" and isinstance(value, int):
            out[key] = 500 + chance.randrange(500)
        elif key in _WIDTHS and isinstance(value, int):
            out[key] = max(8, value * chance.randrange(1, 6) // 4 // 8 * 8)
        elif key in _KEY_VALUE_HEADS and isinstance(value, int):
            heads = fields.get("num_attention_heads") or fields.get("n_head") or value
            out[key] = chance.choice(_divisors(heads)) if isinstance(heads, int) else value
        elif key.endswith("_token_id") and isinstance(value, int):
            out[key] = min(value, 499)
    depth = {value for key, value in out.items() if key in _LAYERS and isinstance(value, int)}
    for key, value in out.items():
        if isinstance(value, list) and len(depth) == 1 and len(value) in layers:
            out[key] = value[: min(depth)]
    return out


def vary_arguments(arguments, chance):
    out = dict(arguments)
    for key, value in arguments.items():
        if isinstance(value, bool):
            out[key] = chance.random() < 0.5
        elif isinstance(value, int) and value > 0:
            out[key] = chance.choice([value, 2 * value, 3 * value, max(1, value // 2)])
    return out


# ---- the class ----


def find_class(question):
    if question.get("module"):
        return getattr(importlib.import_module(question["module"]), question["name"])
    for library in ("transformers", "diffusers"):
        try:
            found = getattr(importlib.import_module(library), question["name"], None)
        except ImportError:
            found = None
        if found is not None:
            return found
    raise ImportError(f"no library that this Python has defines {question['name']}")


def _make(cls, question, case, torch, device):
    if case.get("config") is None:
        with device:
            return cls(**case["arguments"])
    config_class = getattr(cls, "config_class", None)
    if config_class is None:  # diffusers
        with device:
            return cls.from_config(case["config"])
    config = config_class.from_dict(case["config"])
    config._attn_implementation = "eager"
    with device:
        return cls(config)


def _tensor(torch, spec, sizes, device, highest):
    shape = [sizes[n] if isinstance(n, str) else n for n in spec["shape"]]
    dtype = getattr(torch, spec.get("dtype", "float32"))
    if dtype.is_floating_point:
        return torch.zeros(shape, dtype=dtype, device=device)
    return torch.zeros(shape, dtype=dtype, device=device) if dtype == torch.bool else torch.randint(0, max(1, highest), shape, device=device).to(dtype)


def _inputs(torch, model, question, case, device):
    sizes = case["workload"]
    wanted = question.get("inputs")
    if not wanted:
        main = getattr(model, "main_input_name", "input_ids")
        if main == "pixel_values":
            config = model.config
            side = getattr(config, "image_size", 224)
            height, width = (side, side) if isinstance(side, int) else side
            wanted = {main: {"shape": ["B", getattr(config, "num_channels", 3), height, width]}}
        elif main == "input_ids":
            wanted = {main: {"shape": ["B", "S"], "dtype": "int64"}}
            if getattr(model.config, "is_encoder_decoder", False):
                wanted["decoder_input_ids"] = {"shape": ["B", "D"], "dtype": "int64"}
        else:
            raise ValueError(f"what is to be given for {main}? name it as an input")
    highest = getattr(getattr(model, "config", None), "vocab_size", 2) or 2
    return {name: _tensor(torch, spec, sizes, device, highest) for name, spec in wanted.items()}


# ---- counting ----


def _product(numbers):
    out = 1
    for number in numbers:
        out *= int(number)
    return out


def _convolution(args, out):
    x, weight, transposed = args[0], args[1], bool(args[6])
    places = x.shape[2:] if transposed else out.shape[2:]
    return 2 * int(x.shape[0]) * _product(places) * _product(weight.shape)


def _flops(name, args, out):
    if name == "mm":
        return 2 * _product(args[0].shape) * int(args[1].shape[-1])
    if name == "addmm":
        return 2 * _product(args[1].shape) * int(args[2].shape[-1])
    if name == "bmm":
        return 2 * _product(args[0].shape) * int(args[1].shape[-1])
    if name == "baddbmm":
        return 2 * _product(args[1].shape) * int(args[2].shape[-1])
    if name in ("convolution", "_convolution", "convolution_overrideable"):
        return _convolution(args, out)
    if name.startswith("_scaled_dot_product"):
        query, key, value = args[:3]
        return 2 * _product(query.shape[:-1]) * int(key.shape[-2]) * (int(query.shape[-1]) + int(value.shape[-1]))
    return 0


def count(torch, model, inputs):
    from torch.utils._python_dispatch import TorchDispatchMode

    paths = {id(module): path for path, module in model.named_modules()}
    flops, stack, hooks = {}, [], []

    class Counter(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            found = _flops(func.overloadpacket.__name__, args, out[0] if isinstance(out, (tuple, list)) else out)
            if found:
                for path in {"", *stack}:
                    flops[path] = flops.get(path, 0) + found
            return out

    def enter(module, args):
        if id(module) in paths:
            stack.append(paths[id(module)])
            flops.setdefault(stack[-1], 0)

    def leave(module, args, out):
        if id(module) in paths and stack:
            stack.pop()

    for module in model.modules():
        hooks.append(module.register_forward_pre_hook(enter))
        hooks.append(module.register_forward_hook(leave))
    try:
        with Counter():
            model(**inputs)
    finally:
        for hook in hooks:
            hook.remove()
    return flops


# ---- a case ----


def _class_path(module):
    return f"{type(module).__module__}.{type(module).__qualname__}"


def run_case(torch, cls, question, case):
    new = tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 1)
    device = torch.device("meta") if new else torch.device("cpu")
    placed = device if hasattr(device, "__enter__") else _Nothing()
    model = _make(cls, question, case, torch, placed).eval()
    answer = dict(case)
    answer["modules"] = [
        [path, _class_path(module), {name: list(p.shape) for name, p in module._parameters.items() if p is not None}]
        for path, module in model.named_modules()
    ]
    answer["parameters"] = sum(p.numel() for p in model.parameters())
    answer["buffers"] = {name: list(b.shape) for name, b in model.named_buffers()}
    flops = count(torch, model, _inputs(torch, model, question, case, device))
    answer["flops"], answer["total"] = flops, flops.get("", 0)
    answer["device"] = device.type
    return answer


class _Nothing:
    def __enter__(self):
        return self

    def __exit__(self, *reason):
        return None


def cases(question, chance):
    config, arguments = question.get("config"), question.get("arguments") or {}
    for number in range(question.get("tries", 40)):
        batch, length = _LENGTHS[number % len(_LENGTHS)]
        case = {"workload": {"B": batch, "S": length, "D": max(1, length // 2)}}
        if config is not None:
            case["config"] = vary(config, chance)
        else:
            case["arguments"] = arguments if number == 0 else vary_arguments(arguments, chance)
        yield case


def main():
    question = json.load(sys.stdin)
    sys.dont_write_bytecode = True  # the source is somebody's
    sys.path[:0] = question.get("path", [])
    chance = random.Random(question.get("seed", 1))
    import torch

    # one way through the operators, whatever the machine: no fused linear layers, no fast path of nn.TransformerEncoderLayer
    torch.backends.mkldnn.enabled = False
    if hasattr(torch.backends, "mha"):
        torch.backends.mha.set_fastpath_enabled(False)
    torch.manual_seed(1)
    cls = find_class(question)
    library = cls.__module__.split(".")[0]
    version = getattr(sys.modules.get(library), "__version__", None)
    print(json.dumps({"torch": torch.__version__, "library": library, "version": version, "python": sys.version.split()[0]}), flush=True)
    ran = 0
    for case in cases(question, chance):
        if ran >= question.get("cases", 5):
            break
        try:
            answer = run_case(torch, cls, question, case)
            ran += 1
        except Exception as reason:  # a combination that the class does not take: another is tried
            answer = {**case, "skipped": f"{type(reason).__name__}: {reason}"[:300]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    try:
        main()
    except Exception as reason:  # a sentence for people; Ridge says which Python it was
        sys.exit(f"{type(reason).__name__}: {reason}")
