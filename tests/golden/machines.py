"""Every number, name and mark of ../shared/machines/hardware.json against `ridge machine show ID --json`, and nothing beside them but ADDED:
numbers that the list lacks, each from the source that its file names. The arithmetic is exact (fractions)."""
import fractions
import json
import os
import subprocess
import sys
import tempfile

import driver

TERA, GIGA, MEGA, KIBI, MEBI, GIBI = 10**12, 10**9, 10**6, 2**10, 2**20, 2**30
SIMPLE = {"compute_units": ("compute_units", 1), "shared_bytes": ("l1_kib_per_core", KIBI), "clock_hz": ("clock_mhz", MEGA), "power_w": ("tdp_w", 1)}
FIELDS = {"l2_mib": "memory.l2.capacity_bytes", "llc_mib": "memory.llc.capacity_bytes", "mem_gb": "memory.dram.capacity_bytes",
          "mem_bw_gbs": "memory.dram.bytes_per_s", "compute_units": "compute_units", "tdp_w": "power_w", "clock_mhz": "clock_hz",
          "interconnect": "links.device.bytes_per_s", "host_link_gbs_unidir": "links.host.bytes_per_s"}


ADDED = {
    "b200-sxm": {"compute_units": 148},
    "b300-sxm": {"compute_units": 160, "shared_bytes": 256 * KIBI},
    "gb200": {"compute_units": 152},
    "gb300": {"compute_units": 160, "shared_bytes": 256 * KIBI},
    "rtx-pro-6000-bw-server": {"peak_flops_per_s.fp32": 116_950 * GIGA, "compute_units": 188, "shared_bytes": 128 * KIBI,
                               "memory.l2.capacity_bytes": 128 * MEBI, "links.device.bytes_per_s": 64 * GIGA},
    "tpu-v7x": {"memory.dram.bytes_per_s": 7380 * GIGA, "memory.dram.capacity_bytes": 192 * GIBI},
}
ADDED_UNVERIFIED = {"tpu-v7x": {"memory.dram.bytes_per_s"}}
ADDED_LINKS = {"rtx-pro-6000-bw-server": "PCIe 5.0 x16"}


def put(numbers, name, value, unit):
    if value is not None:
        numbers[name] = fractions.Fraction(str(value)) * unit


def expected_numbers(device):
    numbers, link = {}, device["interconnect"] or {}
    for precision, value in device["peak_dense_tflops"].items():
        put(numbers, f"peak_flops_per_s.{precision}", value, TERA)
    put(numbers, "memory.dram.bytes_per_s", device["mem_bw_gbs"], GIGA)
    put(numbers, "memory.dram.capacity_bytes", device["mem_gb"], GIBI)
    put(numbers, "memory.llc.capacity_bytes", device["llc_mib"], MEBI)
    put(numbers, "memory.l2.capacity_bytes", device["l2_mib"], MEBI)
    put(numbers, "links.device.bytes_per_s", link.get("gbs_unidir"), GIGA)
    put(numbers, "links.host.bytes_per_s", device["host_link_gbs_unidir"], GIGA)
    for name, (key, unit) in SIMPLE.items():
        put(numbers, name, device[key], unit)
    added = ADDED.get(device["id"], {})
    assert not set(added) & set(numbers), f"{device['id']}: the list has {set(added) & set(numbers)} by now"
    return numbers | added


def found_numbers(answer):
    numbers = {f"peak_flops_per_s.{name}": value for name, value in answer["peak_flops_per_s"].items()}
    for level in answer["memory"]:
        for key in ("bytes_per_s", "capacity_bytes"):
            numbers[f"memory.{level['level']}.{key}"] = level[key]
    for link in answer["links"]:
        for key in ("bytes_per_s", "latency_s"):
            numbers[f"links.{link['kind']}.{key}"] = link[key]
    for name in [*SIMPLE, "launch_overhead_s"]:
        numbers[name] = answer[name]
    return {name: value for name, value in numbers.items() if value is not None}


def expected_marks(device, numbers):
    """recalled_fields, as names of our numbers; a group stands for its members"""
    marks = set(ADDED_UNVERIFIED.get(device["id"], ()))
    for field in device["recalled_fields"]:
        name = FIELDS.get(field) or field.replace("peak_dense_tflops", "peak_flops_per_s")
        marks |= {number for number in numbers if number == name or number.startswith(name + ".")}
    return marks


def expected_achieved(device):
    achieved = device["achieved"]
    if achieved is None:
        return None
    flops = {key[:-len("_tflops")]: fractions.Fraction(str(value)) * TERA for key, value in achieved.items() if key.endswith("_tflops")}
    memory = achieved.get("mem_read_gbs", achieved.get("mem_gbs"))
    return flops, None if memory is None else fractions.Fraction(str(memory)) * GIGA


def found_achieved(answer):
    achieved = answer["achieved"]
    if achieved is None:
        return None
    return {name: value for name, value in achieved["flops_per_s"].items() if value is not None}, achieved["bytes_per_s"]


def part(answer, kind, name, key):
    return next((entry[key] for entry in answer[kind] if name in (entry.get("level"), entry.get("kind"))), None)


def compare(device, answer):
    numbers = expected_numbers(device)
    pairs = [(key, answer[key], device[key]) for key in ("id", "name", "vendor", "kind", "arch", "year")]
    pairs += [("numbers", found_numbers(answer), numbers), ("unverified", set(answer["unverified"]), expected_marks(device, numbers)),
              ("achieved", found_achieved(answer), expected_achieved(device)), ("memory type", part(answer, "memory", "dram", "type"), device["mem_type"]),
              ("link name", part(answer, "links", "device", "name"), (device["interconnect"] or {}).get("name", ADDED_LINKS.get(device["id"]))),
              ("numbers without a source", set(numbers) - {name for name, text in answer["sources"].items() if text}, set())]
    for what, found, expected in pairs:
        if found != expected and isinstance(found, dict):
            found, expected = (sorted((k, str(v)) for k, v in a.items() if b.get(k) != v) for a, b in ((found, expected), (expected, found)))
        if found != expected:
            yield f"{what}: {found}, hardware.json has {expected}"


def main():
    with open(driver.shared_or_skip("machines", "hardware.json")) as file:
        devices = json.load(file)["devices"]
    tap = driver.Tap()
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, XDG_DATA_HOME=folder)
        for device in devices:
            run = subprocess.run([sys.argv[1], "machine", "show", device["id"], "--json"], capture_output=True, env=environment)
            tap.case(device["id"], compare(device, json.loads(run.stdout)) if run.returncode == 0 else [run.stderr.decode()])
        listed = subprocess.run([sys.argv[1], "machine", "list", "--json"], capture_output=True, env=environment)
        ids = [machine["id"] for machine in json.loads(listed.stdout)["machines"]]
        tap.case("the list has these machines", [] if ids == sorted(device["id"] for device in devices) else [str(ids)])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
