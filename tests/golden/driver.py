"""The driver (driver.c) from Python, and a TAP writer. Every test of this folder gets the driver's path as its first argument."""
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.join(os.path.dirname(ROOT), "shared")
FORMATS = {"torch.float16": "fp16", "torch.bfloat16": "bf16", "torch.float32": "fp32"}


class Refused(Exception):
    """The library's error, as "CODE message"."""


class Driver:
    def __init__(self, program, *folders):
        self.process = subprocess.Popen([program, *folders], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, mode, text=None, points=(), **options):
        words = [mode] + [f"{key}={value}" for key, value in options.items() if value is not None] + [f"at={point}" for point in points]
        data = b""
        if text is not None:
            data = text if isinstance(text, bytes) else text.encode()
            words.append(f"text={len(data)}")
        self.process.stdin.write(" ".join(words).encode() + b"\n" + data)
        self.process.stdin.flush()
        head = self.process.stdout.readline().split()
        if len(head) != 2:
            raise SystemExit(f"the driver died with {self.process.wait()} on {' '.join(words)[:300]}")
        answer = self.process.stdout.read(int(head[1]))
        if head[0] == b"error":
            raise Refused(answer.decode(errors="replace"))
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


class Tap:
    def __init__(self):
        self.count, self.failed = 0, 0

    def case(self, name, problems=(), skip=None):
        """One test: passed where there are no problems."""
        problems = list(problems)  # may raise: then there was no test
        self.count += 1
        self.failed += bool(problems)
        print(f"{'not ok' if problems else 'ok'} {self.count} - {name}{' # SKIP ' + skip if skip else ''}")
        for line in problems[:20]:
            print("#   " + str(line).replace("\n", " | ")[:600])

    def end(self):
        print(f"1..{self.count}")
        sys.stdout.flush()
        return 1 if self.failed else 0


def shared_or_skip(*parts):
    """A path below ../shared; where it is missing the whole test is skipped."""
    path = os.path.join(SHARED, *parts)
    if not os.path.exists(path):
        print(f"1..0 # SKIP {os.path.join('../shared', *parts)} is not here")
        sys.exit(0)
    return path


def has_own_formats(run, config):
    """Parts of the model have formats of their own, and the whole none: what was recorded as the run's is the default's."""
    own = lambda part: part.get("dtype") or part.get("torch_dtype")
    return run["dtype"] == "torch.float32" and not own(config) and any(isinstance(part, dict) and own(part) for part in config.values())


def workload(run, config={}):
    """A truth run's workload as request options."""
    keys = {"seq": "seq", "past_len": "past", "decoder_seq": "decoder_seq", "encoder_len": "encoder_len", "frames": "video-frames",
            "encoder_frames": "frames", "samples": "samples"}
    options = {mine: run[theirs] for theirs, mine in keys.items() if run.get(theirs) is not None}
    if run.get("images") is not None:
        options["images"] = run["images"] // run["batch"]  # recorded: of all sequences
    if run.get("image_size") is not None:
        options["image-size"] = f"{run['image_size']}x{run['image_width']}" if run.get("image_width") else run["image_size"]
    if has_own_formats(run, config):
        return dict(options, phase=run["phase"], batch=run["batch"])
    number_format = FORMATS[run["dtype"]]
    return dict(options, phase=run["phase"], batch=run["batch"], weights=number_format, activations=number_format, kv=number_format)
