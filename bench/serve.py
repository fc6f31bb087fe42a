#!/usr/bin/env python3
"""How many cost requests a second the server answers on loopback, and how long they take: 64 connections that stay open, each asking again as
soon as it was answered; and whether its memory stays where it is.
    serve.py RIDGE [--seconds 10] [--connections 64] [--processes 2] [--target /api/v1/cost?model=meta-llama/Llama-2-7b-hf]
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


def client(port, connections, request, seconds, results):
    """latencies of one process' connections"""
    selector, times, waiting = selectors.DefaultSelector(), [], {}
    sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(connections)]
    body_bytes = length_of(sockets[0], request)
    end = time.perf_counter() + seconds
    for s in sockets:
        s.setblocking(False)
        selector.register(s, selectors.EVENT_READ)
        waiting[s] = [time.perf_counter(), -1]  # since when; bytes that are missing, -1: the head is
        s.send(request)
    while (now := time.perf_counter()) < end:
        for key, _ in selector.select(1):
            s, state = key.fileobj, waiting[key.fileobj]
            got = s.recv(1 << 16)
            if state[1] < 0:
                state[1] = got.index(b"\r\n\r\n") + 4 + body_bytes
            state[1] -= len(got)
            if state[1] == 0:
                now = time.perf_counter()
                times.append(now - state[0])
                state[0], state[1] = now, -1
                s.send(request)
    results.put(times)


def main():
    a = read_arguments()
    server = subprocess.Popen([a.ridge, "serve", "--port", "0"], stderr=subprocess.PIPE, text=True)
    port = int(re.search(r":(\d+)/", server.stderr.readline())[1])
    request = f"GET {a.target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    results, each = multiprocessing.Queue(), a.connections // a.processes
    client(port, a.connections, request, 0.5, multiprocessing.Queue())  # caches are filled, threads are there
    before, cpu, began = resident_kib(server.pid), processor_s(server.pid), time.perf_counter()
    processes = [multiprocessing.Process(target=client, args=(port, each, request, a.seconds, results)) for _ in range(a.processes)]
    [p.start() for p in processes]
    times = sorted(t for _ in processes for t in results.get())
    [p.join() for p in processes]
    elapsed = time.perf_counter() - began
    at = lambda share: times[min(len(times) - 1, int(share * len(times)))] * 1e3
    print(json.dumps({
        "target": a.target, "connections": each * a.processes, "seconds": round(elapsed, 2), "requests": len(times), "requests_per_s": round(len(times) / a.seconds),
        "median_ms": round(at(0.5), 2), "p99_ms": round(at(0.99), 2), "worst_ms": round(times[-1] * 1e3, 2),
        "server_cpu_ms_per_request": round((processor_s(server.pid) - cpu) / len(times) * 1e3, 3), "resident_kib": {"before": before, "after": resident_kib(server.pid)},
    }))  # fmt: skip
    server.terminate()
    server.wait()


if __name__ == "__main__":
    main()
