#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is learned placement as good as the better of host and device? See README.md."""
import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
REFERENCES = ROOT / "tests" / "reference" / "energies.json"
WAYS = {"none": ["--device", "none"], "device": ["--placement", "device"],
        "learned": ["--placement", "learned"]}


def job_file(entry, method):
    atoms = "\n".join(f"{symbol} {x!r} {y!r} {z!r}" for symbol, x, y, z in entry["geometry_angstrom"])
    return (f'[molecule]\ngeometry = """\n{atoms}\n"""\n[basis]\nname = "{entry["basis"]}"\n'
            f'[method]\nname = "{method}"\n')


def run(program, job, options):
    """Results, wall and processor seconds of one run."""
    with tempfile.NamedTemporaryFile() as output:
        begin = time.monotonic()
        process = subprocess.Popen([program, "run", job, "--quiet", "--json", output.name, *options],
                                   stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        if status != 0:
            sys.exit(f"{program} run {job} {' '.join(options)} failed")
        # The results take the place of the file: what is open here is no longer it.
        results = json.loads(pathlib.Path(output.name).read_text(encoding="utf-8"))
        return results, wall, usage.ru_utime + usage.ru_stime


def compare(arguments, entry, method):
    with tempfile.TemporaryDirectory() as folder:
        job = pathlib.Path(folder) / "job.toml"
        job.write_text(job_file(entry, method), encoding="utf-8")
        wall, cpu, last = {way: [] for way in WAYS}, {way: [] for way in WAYS}, {}
        for _ in range(arguments.repeat):
            for way, options in WAYS.items():
                device = options if way == "none" else ["--device", arguments.device, *options]
                results, seconds, busy = run(arguments.program, str(job),
                                             ["-w", str(arguments.workers), *device])
                wall[way].append(seconds)
                cpu[way].append(busy)
                last[way] = results
    line = {"job": f'{entry["molecule"]} {entry["basis"]} {method}', "device": arguments.device,
            "workers": arguments.workers, "machine": platform.processor() or platform.machine()}
    for name, times in (("wall", wall), ("cpu", cpu)):
        best = {way: min(times[way]) for way in WAYS}
        line[f"{name}_seconds"] = best
        line[f"{name}_ratio"] = best["learned"] / min(best["none"], best["device"])
    line["spread"] = statistics.pstdev(wall["none"]) / statistics.mean(wall["none"])
    line["runs_on_device"] = {way: sum(d["runs"] for d in last[way]["devices"]) for way in WAYS}
    energies = [last[way]["energies"]["scf"] for way in WAYS]
    line["difference_hartree"] = max(energies) - min(energies)
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="the program blockyard")
    parser.add_argument("--device", default="opencl")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--molecules", nargs="*", default=["h2o:cc-pvdz", "h2o:cc-pvtz", "hf:cc-pvdz"])
    parser.add_argument("--methods", nargs="*", default=["mp2", "ccsd"])
    arguments = parser.parse_args()
    with open(REFERENCES, encoding="utf-8") as file:
        entries = json.load(file)["entries"]
    print(f'{"job":<26} {"none":>8} {"device":>8} {"learned":>8} {"ratio":>6}   (wall s; ratio of cpu s)')
    for name in arguments.molecules:
        molecule, basis = name.split(":")
        entry = next(e for e in entries if e["molecule"] == molecule and e["basis"] == basis
                     and not e["frozen_core"] and not e["cart"])
        for method in arguments.methods:
            line = compare(arguments, entry, method)
            wall = line["wall_seconds"]
            print(f'{line["job"]:<26} {wall["none"]:8.2f} {wall["device"]:8.2f} {wall["learned"]:8.2f} '
                  f'{line["wall_ratio"]:6.2f}   ({line["cpu_ratio"]:.2f})')
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
