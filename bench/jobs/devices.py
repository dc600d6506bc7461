#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is learned placement as good as the better of host and device? See README.md."""
import argparse
import json
import os
import pathlib
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

import run

WAYS = {"none": ["--device", "none"], "device": ["--placement", "device"],
        "learned": ["--placement", "learned"]}
MOLECULES = ["h2o:cc-pvdz", "h2o:cc-pvtz", "hf:cc-pvdz"]
LIMIT_HARTREE = 1e-9
WANTED = 1.1  # seconds of learned placement over those of the better of the others


def entry_of(entries, molecule, basis):
    """The reference of a molecule in a basis, or without one its geometry and the basis."""
    same = [entry for entry in entries if entry["molecule"] == molecule and not entry["cart"]
            and not entry["frozen_core"]]
    if not same:
        sys.exit(f"no geometry of {molecule} in {run.REFERENCES}")
    for entry in same:
        if entry["basis"] == basis:
            return entry
    kept = ("molecule", "geometry_angstrom", "charge", "cart", "frozen_core_orbitals")
    return {key: same[0][key] for key in kept} | {"basis": basis}


def jobs_of(options, folder):
    """Name, file and reference energies of each job; files that are written go into the folder."""
    entries = json.loads(run.REFERENCES.read_text(encoding="utf-8"))["entries"]
    for path in options.jobs:
        yield pathlib.Path(path).stem, path, {}
    for name in options.molecules if options.molecules or options.jobs else MOLECULES:
        entry = entry_of(entries, *name.split(":"))
        for method in options.methods:
            known = {energy: entry[key] for energy, key in run.ENERGIES.items() if key in entry}
            job = pathlib.Path(folder, "job.toml")
            job.write_text(run.job_file(entry, method), encoding="utf-8")
            yield f"{name.replace(':', ' ')} {method}", job, known


def run_once(options, job, way):
    """Results, wall and processor seconds of one run."""
    more = list(WAYS[way])
    if way != "none":
        more += ["--device", options.device]
    if way == "learned" and options.device_after:
        more += ["--device-after", options.device_after]
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder, "results.json")
        command = [options.blockyard, "run", job, "--quiet", "--json", output, "-w", str(options.workers),
                   *more, *shlex.split(options.more)]
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        if status != 0:
            sys.exit(f"failed: {' '.join(map(str, command))}")
        return (json.loads(output.read_text(encoding="utf-8")), wall, usage.ru_utime + usage.ru_stime)


def differences(found, known):
    """Largest distance between the ways in any energy of the method, and from the reference."""
    names = found[0]["energies"]
    if not names:
        sys.exit("a job without energies: there is nothing to compare")
    between = max(max(one["energies"][name] for one in found) - min(one["energies"][name] for one in found)
                  for name in names)
    from_reference = [abs(one["energies"][name] - known[name])
                      for one in found for name in names if name in known]
    return between, max(from_reference, default=None)


def compare(options, name, job, known):
    wall, cpu, last = {way: [] for way in options.ways}, {way: [] for way in options.ways}, {}
    for _ in range(options.repeat):
        for way in options.ways:
            last[way], seconds, busy = run_once(options, job, way)
            wall[way].append(seconds)
            cpu[way].append(busy)
    line = {"bench": "placement", "case": f"{name} {options.device} x{options.workers}",
            "device_after": options.device_after, "machine": platform.processor() or platform.machine(),
            "cores": os.cpu_count()}
    for way in options.ways:
        line |= {f"seconds_{way}": min(wall[way]), f"cpu_seconds_{way}": min(cpu[way]),
                 f"spread_{way}": statistics.pstdev(wall[way]) / statistics.mean(wall[way]),
                 f"runs_on_device_{way}": sum(device["runs"] for device in last[way]["devices"])}
    others = [way for way in options.ways if way != "learned"]
    if "learned" in options.ways and others:
        for key in ("seconds", "cpu_seconds"):
            line[f"ratio_of_{key}"] = line[f"{key}_learned"] / min(line[f"{key}_{way}"] for way in others)
    if "none" in options.ways and "device" in options.ways:
        line["speedup_device"] = line["seconds_none"] / line["seconds_device"]
    line["energies"] = last[options.ways[-1]]["energies"]
    line["difference_hartree"], line["difference_from_reference_hartree"] = differences(list(last.values()), known)
    return line


def report(options, name, line):
    """Prints a row of the table and the JSON line; says whether the energies agree."""
    print(f"{name:<26}" + "".join(f"{line[f'seconds_{way}']:9.2f}" for way in options.ways), end="")
    if "ratio_of_seconds" in line:
        missed = "" if line["ratio_of_seconds"] <= WANTED else f"  over {WANTED}"
        print(f"{line['ratio_of_seconds']:7.2f}  ({line['ratio_of_cpu_seconds']:.2f}){missed}", end="")
    print()
    print(json.dumps(line), flush=True)
    return (line["difference_hartree"] <= LIMIT_HARTREE and
            (line["difference_from_reference_hartree"] or 0) <= run.LIMIT_HARTREE)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("blockyard", help="the program to measure")
    parser.add_argument("--device", default="opencl")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--device-after", help="as of blockyard run, for learned placement: 0s opens at once")
    parser.add_argument("--ways", nargs="*", default=list(WAYS), choices=WAYS)
    parser.add_argument("--molecules", nargs="*", default=[],
                        help=f"molecule:basis of the references, in any basis (default: {' '.join(MOLECULES)})")
    parser.add_argument("--methods", nargs="*", default=["mp2", "ccsd"])
    parser.add_argument("--jobs", nargs="*", default=[], help="job files")
    parser.add_argument("--more", default="", help='more options for blockyard run, as "--memory 64G"')
    options = parser.parse_args()
    print(f"{'job':<26}" + "".join(f"{way:>9}" for way in options.ways) + "  ratio   (wall s; ratio of cpu s)")
    agree = True
    with tempfile.TemporaryDirectory() as folder:
        for name, job, known in jobs_of(options, folder):
            agree = report(options, name, compare(options, name, job, known)) and agree
    if not agree:
        sys.exit(f"energies differ by more than {LIMIT_HARTREE:g} hartree between the ways, or by more than "
                 f"{run.LIMIT_HARTREE:g} from the reference")


if __name__ == "__main__":
    main()
