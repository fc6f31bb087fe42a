"""Two machines as the kernel has them: two network namespaces with a cable (veth) between them, which is pulled out and put back.
    namespaces.py RIDGE
Skipped where the system does not let a user make namespaces, or without iproute2."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

RIDGE = str(pathlib.Path(sys.argv[1]).resolve())
NEAR, FAR = "10.233.7.1", "10.233.7.2"
BENCH = "bench gemv --n 256 --k 256 --budget 1500ms --ceilings-budget 100ms --rounds 2 --json".split()
INSIDE = "RIDGE_TEST_NAMESPACE"
failures, number = 0, 0


def skip(why):
    print(f"1..0 # SKIP {why}")
    sys.exit(0)


def enter():
    """this program again, in a user and a network namespace of its own"""
    if not all(shutil.which(tool, path=PATH) for tool in ("unshare", "nsenter", "ip")):
        skip("two network namespaces want iproute2 and util-linux")
    way = ["unshare", "--user", "--map-root-user", "--net"]
    if subprocess.run([*way, "ip", "link", "add", "name", "near", "type", "veth", "peer", "name", "far"], capture_output=True, env={**os.environ, "PATH": PATH}).returncode != 0:
        skip("this system lets no user make network namespaces")
    os.execvpe("unshare", [*way, sys.executable, __file__, RIDGE], {**os.environ, "PATH": PATH, INSIDE: "1"})


def check(name, problem=None):
    global failures, number
    number += 1
    failures += bool(problem)
    print(f"{'not ok' if problem else 'ok'} {number} - {name}" + (f"\n  # {problem}" if problem else ""), flush=True)


def run(*words, inside=None):
    subprocess.run([*(["nsenter", "-t", str(inside), "-n"] if inside else []), *words], check=True)


def machine(name):
    return {**os.environ, "HF_HUB_OFFLINE": "1", "XDG_DATA_HOME": str(SCRATCH / name), "HF_HOME": str(SCRATCH / name), "RIDGE_LAST_LEVEL_CACHE": "1Mi", "LC_ALL": "C.UTF-8", "RIDGE_TOKEN": "the.token"}


def other_machine():
    """a process that holds the second namespace, the cable between"""
    held = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo ready; exec sleep 600"], stdout=subprocess.PIPE)
    held.stdout.readline()
    run("ip", "link", "add", "name", "near", "type", "veth", "peer", "name", "far", "netns", str(held.pid))
    for device, address, inside in (("near", NEAR, None), ("far", FAR, held.pid)):
        run("ip", "address", "add", f"{address}/24", "dev", device, inside=inside)
        run("ip", "link", "set", device, "up", inside=inside)
        run("ip", "link", "set", "lo", "up", inside=inside)
    return held


def serve(held):
    process = subprocess.Popen(["nsenter", "-t", str(held.pid), "-n", RIDGE, "serve", "--listen", FAR, "--port", "0", "--token", "the.token"], stderr=subprocess.PIPE, text=True, env=machine("there"))
    said = process.stderr.readline()
    found = re.search(r"http://[0-9.]+:(\d+)/", said)
    if not found:
        raise SystemExit(f"the server said: {said}")
    return process, f"http://{FAR}:{found[1]}"


def ridge(*words, **more):
    done = subprocess.run([RIDGE, *words], capture_output=True, text=True, env={**machine("here"), **more}, timeout=180)
    return done.returncode, done.stdout, done.stderr


def jobs(url, state):
    return [j["id"] for j in json.loads(ridge("--remote", url, "jobs", "--json")[1])["jobs"] if j["state"] == state]


def begin(url):
    done = len(jobs(url, "done"))
    process = subprocess.Popen([RIDGE, "--remote", url, *BENCH], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=machine("here"))
    end = time.monotonic() + 60
    while time.monotonic() < end and not jobs(url, "running") and len(jobs(url, "done")) == done:
        time.sleep(0.05)
    return process


def measure(url):
    status, out, err = ridge("--remote", url, *BENCH)
    answer = json.loads(out) if out else {}
    check("a kernel of the other machine", None if status == 0 and len(answer["rows"]) == 1 else f"{status} {err}")
    there = ridge("--remote", url, "history", "--json")
    check("it is kept there, with its fingerprint", None if json.loads(there[1])["rows"][0]["machine"] == answer["machine"]["fingerprint"] else there)
    check("and not here", None if json.loads(ridge("history", "--json")[1])["rows"] == [] else "rows")


def pulled(url, held):
    """the cable is out for longer than the job takes"""
    process = begin(url)
    run("ip", "link", "set", "near", "down")
    time.sleep(4)
    run("ip", "link", "set", "near", "up")
    out, err = process.communicate(timeout=180)
    good = process.returncode == 0 and len(json.loads(out)["rows"]) == 1
    check("the cable is pulled out and put back: the answer comes", None if good else f"{process.returncode} {out[:200]} {err}")
    process = begin(url)
    run("ip", "link", "set", "far", "down", inside=held.pid)
    process.kill()
    process.communicate()
    time.sleep(4)
    run("ip", "link", "set", "far", "up", inside=held.pid)
    end = time.monotonic() + 120
    while time.monotonic() < end and len(jobs(url, "done")) < 3:
        time.sleep(0.2)
    rows = json.loads(ridge("--remote", url, "history", "--json")[1])["rows"]
    check("who asked is gone: nothing measured is lost", None if len(rows) == 3 else rows)


def refused(url):
    for token, wanted in (("", "RIDGE_TOKEN"), ("another", "token")):
        status, _, err = ridge("--remote", url, "formats", RIDGE_TOKEN=token)
        check(f"with the token '{token}'", None if status == 2 and wanted in err else f"{status} {err}")
    run("ip", "link", "set", "near", "down")
    status, out, err = ridge("--remote", url, "formats")
    check("no cable: said, not waited for", None if status == 1 and not out and FAR in err else f"{status} {err}")
    run("ip", "link", "set", "near", "up")


PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
if INSIDE not in os.environ:
    enter()
SCRATCH = pathlib.Path(tempfile.mkdtemp())
held = other_machine()
server, url = serve(held)
for part, arguments in ((measure, (url,)), (pulled, (url, held)), (refused, (url,))):
    try:
        part(*arguments)
    except Exception as problem:  # what came was nothing that the test reads
        check(part.__name__, f"{type(problem).__name__}: {problem}")
server.send_signal(signal.SIGTERM)
check("the server ends", None if server.wait(30) == 0 else server.returncode)
held.kill()
shutil.rmtree(SCRATCH)
print(f"1..{number}")
sys.exit(failures > 0)
