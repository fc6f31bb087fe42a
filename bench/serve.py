#!/usr/bin/env python3
"""How many cost requests a second the server answers on loopback, and how long they take: 64 connections that stay open, each asking again as
soon as it was answered, or so many a second together; and whether its memory stays where it is.
    serve.py RIDGE [--seconds 10] [--rate 2000] [--connections 64] [--processes 1] [--target /api/v1/cost?model=meta-llama/Llama-2-7b-hf]
The clients share the processors with the server: both are on one machine. Not a test: figures belong to the machine they were taken on."""
import argparse
import json
import multiprocessing
import re
import selectors
import socket
import subprocess
import time


def read_arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("ridge")
    p.add_argument("--seconds", type=float, default=10)
    p.add_argument("--rate", type=float, default=0, help="requests a second, of all connections; each is late from when it was due. Default: the next one follows an answer at once")
    p.add_argument("--connections", type=int, default=64)
    p.add_argument("--processes", type=int, default=1)
    p.add_argument("--target", default="/api/v1/cost?model=meta-llama/Llama-2-7b-hf")
    return p.parse_args()


def resident_kib(pid):
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])


def processor_s(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def length_of(connection, request):
    """bytes of a reply, which is the same each time"""
    connection.sendall(request)
    got = b""
    while b"\r\n\r\n" not in got:
        got += connection.recv(1 << 16)
    head, _, body = got.partition(b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n")[0]:
        raise SystemExit(got.decode(errors="replace"))
    body_bytes = int(re.search(rb"Content-Length: (\d+)", head)[1])
    while len(body) < body_bytes:
        body += connection.recv(1 << 16)
    return body_bytes


class Connection:
    """one question after another, each at its time"""

    def __init__(self, port, period, first):
        self.socket, self.period, self.due, self.missing = socket.create_connection(("127.0.0.1", port)), period, first, None

    def ask(self, request):
        self.missing = -1  # bytes; -1: the head is
        self.socket.send(request)

    def read(self, body_bytes):
        """seconds since the question was due, where the answer is whole"""
        got = self.socket.recv(1 << 16)
        if self.missing < 0:
            self.missing = got.index(b"\r\n\r\n") + 4 + body_bytes
        self.missing -= len(got)
        if self.missing:
            return None
        now = time.perf_counter()
        late, self.missing, self.due = now - self.due, None, self.due + self.period if self.period else now
        return late


def client(port, connections, period, request, seconds, results):
    """latencies of one process' connections"""
    selector, times, began = selectors.DefaultSelector(), [], time.perf_counter()
    idle = [Connection(port, period, began + 0.1 + period * i / connections) for i in range(connections)]
    body_bytes = length_of(idle[0].socket, request)
    for c in idle:
        c.socket.setblocking(False)
        selector.register(c.socket, selectors.EVENT_READ, c)
    while (now := time.perf_counter()) < began + seconds:
        for c in [c for c in idle if c.due <= now]:
            idle.remove(c)
            c.ask(request)
        for key, _ in selector.select(max(0, min((c.due for c in idle), default=now + 1) - time.perf_counter())):
            if (late := key.data.read(body_bytes)) is not None:
                times.append(late)
                idle.append(key.data)
    results.put(times)


def watch(pid, seconds):
    """kilobytes that are resident, ten times"""
    seen = []
    for _ in range(10):
        time.sleep(seconds / 10)
        seen.append(resident_kib(pid))
    return seen


def main():
    a = read_arguments()
    server = subprocess.Popen([a.ridge, "serve", "--port", "0"], stderr=subprocess.PIPE, text=True)
    port = int(re.search(r":(\d+)/", server.stderr.readline())[1])
    request = f"GET {a.target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    results, each = multiprocessing.Queue(), a.connections // a.processes
    period = a.connections / a.rate if a.rate else 0
    client(port, a.connections, 0, request, 1, multiprocessing.Queue())  # caches are filled, threads are there
    before, cpu, began = resident_kib(server.pid), processor_s(server.pid), time.perf_counter()
    processes = [multiprocessing.Process(target=client, args=(port, each, period, request, a.seconds, results)) for _ in range(a.processes)]
    [p.start() for p in processes]
    seen = watch(server.pid, a.seconds)
    times = sorted(t for _ in processes for t in results.get())
    [p.join() for p in processes]
    elapsed = time.perf_counter() - began
    at = lambda share: times[min(len(times) - 1, int(share * len(times)))] * 1e3
    print(json.dumps({
        "target": a.target, "connections": each * a.processes, "seconds": round(elapsed, 2), "requests": len(times), "requests_per_s": round(len(times) / a.seconds),
        "median_ms": round(at(0.5), 2), "p99_ms": round(at(0.99), 2), "worst_ms": round(times[-1] * 1e3, 2),
        "server_cpu_ms_per_request": round((processor_s(server.pid) - cpu) / len(times) * 1e3, 3), "resident_kib": [before, *seen],
    }))  # fmt: skip
    server.terminate()
    server.wait()


if __name__ == "__main__":
    main()
