"""The server as a process, questions to it, and TAP: for serve.py."""
import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

RIDGE = str(pathlib.Path(sys.argv[1]).resolve())
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRATCH = pathlib.Path(tempfile.mkdtemp())
ENVIRONMENT = {**os.environ, "HF_HUB_OFFLINE": "1", "XDG_DATA_HOME": str(SCRATCH / "data"), "XDG_CACHE_HOME": str(SCRATCH / "cache"), "HF_HOME": str(SCRATCH / "hf"),
               "RIDGE_LAST_LEVEL_CACHE": "1Mi", "LC_ALL": "C.UTF-8"}  # fmt: skip
GPT2, LLAMA = "openai-community/gpt2", "meta-llama/Llama-2-7b-hf"
BENCH = {"kind": "gemv", "n": 64, "k": 64, "budget": "5ms", "ceilings-budget": "5ms", "rounds": 1}
failures, number = 0, 0


def check(name, problem=None):
    global failures, number
    number += 1
    failures += bool(problem)
    print(f"{'not ok' if problem else 'ok'} {number} - {name}" + (f"\n  # {problem}" if problem else ""), flush=True)


class Server:
    def __init__(self, *options, folder=None):
        self.process = subprocess.Popen([RIDGE, "serve", "--port", "0", *options], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, cwd=folder)
        self.said = self.process.stderr.readline()
        found = re.search(r"http://(\[?[0-9a-f.:]+\]?|localhost):(\d+)/", self.said)
        if not found:
            raise SystemExit(f"the server said: {self.said}{self.process.stderr.read()}")
        self.host, self.port = found[1].strip("[]"), int(found[2])

    def ask(self, target, method="GET", body=None, headers={}, host=None):
        """status, headers, bytes"""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        try:
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            connection.putheader("Host", host or f"{'[::1]' if ':' in self.host else self.host}:{self.port}")
            if body is not None:
                body = body if isinstance(body, bytes) else json.dumps(body).encode()
                connection.putheader("Content-Length", str(len(body)))
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def json(self, target, *rest, **more):
        return json.loads(self.ask(target, *rest, **more)[2])

    def raw(self, data, wait=5.0, pieces=None):
        """what comes back on a socket, until it is closed"""
        with socket.create_connection((self.host, self.port), timeout=wait) as s:
            got = b""
            with contextlib.suppress(OSError):
                for piece in pieces or [data]:
                    s.sendall(piece)
                    time.sleep(0.02 if pieces else 0)
                s.shutdown(socket.SHUT_WR)
                while piece := s.recv(65536):
                    got += piece
            return got

    def job_end(self, job, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            state = self.json(f"/api/v1/jobs/{job}")
            if state["state"] not in ("queued", "running"):
                return state
            time.sleep(0.02)
        return state

    def stop(self, number=signal.SIGTERM, seconds=60):
        self.process.send_signal(number)
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "killed: it did not end"
        words = self.process.stderr.read()
        return f"status {status}, words {words}" if status != 0 or words else None


def ridge(*words, folder=None):
    done = subprocess.run([RIDGE, *words], capture_output=True, env=ENVIRONMENT, cwd=folder)
    return done.returncode, done.stdout, done.stderr.decode()


def expect(name, got, status, words=None):
    text = got[2].decode(errors="replace")
    problem = None if got[0] == status else f"status {got[0]}, wanted {status}: {text[:300]}"
    if not problem and words and words not in text:
        problem = f"no '{words}' in {text[:300]}"
    if not problem and status >= 400 and got[1].get("Content-Type") == "application/json":
        error = json.loads(text)["error"]
        problem = None if error["code"] and error["message"] else f"an error without words: {text}"
    check(name, problem)


def events_of(server, job, last=None, until="end", headers={}):
    """(id, kind, data) as they come"""
    connection = http.client.HTTPConnection(server.host, server.port, timeout=60)
    connection.request("GET", f"/api/v1/jobs/{job}/events", headers={**({"Last-Event-ID": str(last)} if last is not None else {}), **headers})
    answer, found = connection.getresponse(), []
    event = {}
    for line in iter(answer.readline, b""):
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name:
            event[name] = value
        elif "id" in event:
            found.append((int(event["id"]), event["event"], json.loads(event["data"])))
            event = {}
            if found[-1][1] == until:
                break
    connection.close()
    return found


def finish():
    """the plan; ends the program"""
    print(f"1..{number}")
    sys.exit(failures > 0)
