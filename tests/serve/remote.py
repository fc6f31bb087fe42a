"""A command line and a server that are two machines: two addresses of loopback, and between them a link that drops.
    remote.py RIDGE"""
import contextlib
import http.server
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

RIDGE = str(pathlib.Path(sys.argv[1]).resolve())
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRATCH = pathlib.Path(tempfile.mkdtemp())
GPT2 = "openai-community/gpt2"
BENCH = "bench gemv --n 64 --k 64 --budget 5ms --ceilings-budget 5ms --rounds 1".split()
LONG = "bench gemv --n 4096 --k 4096 --budget 20s --ceilings-budget 50ms --rounds 5".split()
failures, number = 0, 0


def environment(name):
    """each machine has folders of its own"""
    return {**os.environ, "HF_HUB_OFFLINE": "1", "XDG_DATA_HOME": str(SCRATCH / name), "HF_HOME": str(SCRATCH / name), "RIDGE_LAST_LEVEL_CACHE": "1Mi", "LC_ALL": "C.UTF-8"}


HERE, THERE = environment("here"), environment("there")


def check(name, problem=None):
    global failures, number
    number += 1
    failures += bool(problem)
    print(f"{'not ok' if problem else 'ok'} {number} - {name}" + (f"\n  # {problem}" if problem else ""), flush=True)


class Link:
    """what stands between the two: an address of its own, connections that can be cut"""

    def __init__(self, host, port):
        self.there, self.cut_until, self.open = (host, port), 0, []
        self.socket = socket.create_server(("127.0.0.3", 0))
        self.at = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.socket.accept()
            if time.monotonic() < self.cut_until:
                near.close()
                continue
            far = socket.create_connection(self.there)
            self.open += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(one, other), daemon=True).start()

    def carry(self, one, other):
        with contextlib.suppress(OSError):
            while piece := one.recv(65536):
                other.sendall(piece)
        for s in (one, other):
            with contextlib.suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)

    def cut(self, seconds):
        self.cut_until = time.monotonic() + seconds
        for s in self.open:
            with contextlib.suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)
        self.open = []


def start(*options, listen="127.0.0.2"):
    process = subprocess.Popen([RIDGE, "serve", "--listen", listen, "--port", "0", *options], stderr=subprocess.PIPE, text=True, env=THERE)
    found = re.search(r"http://([0-9.]+):(\d+)/", process.stderr.readline())
    return process, found[1], int(found[2])


def ridge(*words, env=HERE, folder=None):
    done = subprocess.run([RIDGE, *words], capture_output=True, env=env, cwd=folder, timeout=120)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def same_answers(url):
    for words in (["machine", "show", "l4"], ["machine", "list", "--csv"], ["cost", GPT2, "--json"], ["cost", GPT2, "--batch", "2", "--markdown"], ["predict", GPT2, "--on", "l4", "--against", "batch=8", "--against", "h100-sxm-80"],
                  ["cost", GPT2, "--nothing"], ["cost", GPT2, "--batch", "x"], ["cost", "nothing"], ["machine", "show", "nothing"], ["db", "show", "nothing"], ["formula", "torch.nn.Linear", "1", "2", "3", "--trace"],
                  ["op", "gemm", "--m", "64", "--n", "64", "--k", "64", "--on", "l4"], ["machine"], ["sweep", GPT2, "--on", "l4", "--batch", "1,2,4", "--csv"], ["baseline", "check", "nothing"], ["history", "--json"]):  # fmt: skip
        near, far = ridge(*words, env=THERE), ridge("--remote", url, *words)
        check(f"as here: {' '.join(words)}", None if near == far else f"{near}\n  {far}")


def measured(url):
    status, out, err = ridge("--remote", url, *BENCH, "--json")
    answer = json.loads(out)
    check("bench", None if status == 0 and len(answer["rows"]) == 1 and answer["run"] == 1 else f"{status} {out[:200]} {err}")
    kept = json.loads(ridge("--remote", url, "history", "--json")[1])["rows"]
    check("it is kept there", None if len(kept) == 1 and not json.loads(ridge("history", "--json")[1])["rows"] else kept)
    status, out, err = ridge(*BENCH, f"--remote={url}")
    check("the option may stand at the end, its value behind '='", None if status == 0 and "kept as run 2" in out else f"{status} {out} {err}")
    jobs = json.loads(ridge("--remote", url, "jobs", "--json")[1])["jobs"]
    check("jobs", None if [j["state"] for j in jobs] == ["done", "done"] else jobs)
    again = ridge("--remote", url, "jobs", jobs[0]["id"])
    check("an answer is fetched again", None if again[0] == 0 and json.loads(again[1]) == answer else again)
    check("no such job", None if ridge("--remote", url, "jobs", "abc-9")[0] == 1 else "another status")
    check("jobs are a server's", None if "--remote" in ridge("jobs")[2] else ridge("jobs"))
    status, out, err = ridge("--remote", url, "history", "export")
    (SCRATCH / "box.json").write_text(out)
    status, out, err = ridge("history", "import", "box.json", folder=SCRATCH)
    check("what was measured there comes here", None if status == 0 and "2 runs" in out else f"{status} {out} {err}")
    status, out, err = ridge("--remote", url, "history", "import", "box.json", folder=SCRATCH)
    check("a file of here goes there", None if status == 0 and "2 were there" in out else f"{status} {out} {err}")
    machine = {**json.loads((ROOT / "machines/l4.json").read_text()), "id": "mine"}
    (SCRATCH / "mine.json").write_text(json.dumps(machine))
    status, out, err = ridge("--remote", url, "machine", "add", "mine.json", folder=SCRATCH)
    check("a machine of here goes there", None if status == 0 and ridge("machine", "show", "mine", env=THERE)[0] == 0 else f"{status} {out} {err}")


def running(url):
    jobs = json.loads(ridge("--remote", url, "jobs", "--json")[1])["jobs"]
    return [j["id"] for j in jobs if j["state"] == "running"]


def wait_running(url):
    end = time.monotonic() + 60
    while time.monotonic() < end and not running(url):
        time.sleep(0.05)
    return running(url)


def dropped(link, url):
    words = "bench gemv --n 256 --k 256 --budget 1500ms --ceilings-budget 100ms --rounds 2 --json".split()
    process = subprocess.Popen([RIDGE, "--remote", url, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=HERE)
    wait_running(url)
    time.sleep(0.2)
    link.cut(1.5)
    out, err = process.communicate(timeout=90)
    time.sleep(max(0, link.cut_until - time.monotonic()))
    good = process.returncode == 0 and len(json.loads(out)["rows"]) == 1
    check("the link drops: the job goes on, its answer is fetched", None if good else f"{process.returncode} {out[:200]} {err}")
    process = subprocess.Popen([RIDGE, "--remote", url, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=HERE)
    job = wait_running(url)[0]
    process.kill()
    process.communicate()
    status, out, err = ridge("--remote", url, "jobs", job)
    check("who asked is killed: the answer is there", None if status == 0 and len(json.loads(out)["rows"]) == 1 else f"{status} {out[:200]} {err}")


def interrupted(url):
    process = subprocess.Popen([RIDGE, "--remote", url, *LONG, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=HERE)
    wait_running(url)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    good = process.returncode == 130 and json.loads(out)["interrupted"] is True and not running(url)
    check("Ctrl-C cancels it there, and prints what is done", None if good else f"{process.returncode} {out[:200]} {err}")
    process = subprocess.Popen([RIDGE, "--remote", url, *LONG], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=HERE)
    job = wait_running(url)[0]
    status, _, err = ridge("--remote", url, "jobs", job, "--cancel")
    process.communicate(timeout=60)
    check("jobs ID --cancel", None if status == 130 and process.returncode == 130 else f"{status} {process.returncode} {err}")


class Other(http.server.BaseHTTPRequestHandler):
    version = "9.9.9"

    def log_message(self, *words):
        pass

    def do_GET(self):
        self.send_response(200)
        if self.version:
            self.send_header("Ridge-Version", self.version)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")


def others():
    version = ridge("--version")[1].split()[1]
    other = http.server.ThreadingHTTPServer(("127.0.0.2", 0), Other)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    url = f"http://127.0.0.2:{other.server_port}"
    status, _, err = ridge("--remote", url, "formats")
    check("another version is refused, both named", None if status == 2 and "9.9.9" in err and version in err else f"{status} {err}")
    Other.version = None
    status, _, err = ridge("--remote", url, "formats")
    check("what is no ridge", None if status == 1 and "no server of ridge" in err else f"{status} {err}")
    for words, wanted in ((["--remote", "http://127.0.0.2:1", "formats"], "no connection"), (["--remote", "nothing", "formats"], "is no address"), (["formats", "--remote"], "needs a value"), (["--remote", url], "a command comes"),
                          (["--remote", url, "learn", "X"], "alone"), (["--remote", url, "serve"], "alone"), (["--remote", "file:///etc/passwd", "formats"], "is no address")):  # fmt: skip
        status, out, err = ridge(*words)
        check(f"ridge {' '.join(words)}", None if status in (1, 2) and wanted in err and not out else f"{status} {err}")


def with_token():
    process, host, port = start("--token", "the.token")
    url = f"http://{host}:{port}"
    status, _, err = ridge("--remote", url, "formats")
    check("no token", None if status == 2 and "RIDGE_TOKEN" in err else f"{status} {err}")
    check("RIDGE_TOKEN", None if ridge("--remote", url, "formats", env={**HERE, "RIDGE_TOKEN": "the.token"})[0] == 0 else "refused")
    check("the address as it was printed", None if ridge("--remote", f"{url}/?token=the.token", "formats")[0] == 0 else "refused")
    process.terminate()
    process.wait()


server, host, port = start("--host", "127.0.0.3")
link = Link(host, port)
url, direct = f"http://127.0.0.3:{link.at}", f"http://{host}:{port}"
for part, arguments in ((same_answers, (direct,)), (measured, (url,)), (dropped, (link, url)), (interrupted, (url,)), (others, ()), (with_token, ())):
    try:
        part(*arguments)
    except Exception as problem:  # what came was nothing that the test reads
        check(part.__name__, f"{type(problem).__name__}: {problem}")
server.terminate()
check("the server ends", None if server.wait(60) == 0 else server.returncode)
print(f"1..{number}")
sys.exit(failures > 0)
