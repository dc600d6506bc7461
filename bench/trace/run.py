#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What do --report and --trace cost? See README.md.

usage: run.py BLOCKYARD [--pairs 40] [--workers 1] [--core 1] [--only TEXT]
"""
import argparse
import json
import math
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

WATER = (pathlib.Path(__file__).parents[2] / "demo" / "h2o.toml").read_text(encoding="utf-8").partition("[basis]")[0]
JOB = WATER + '''[basis]
name = "{basis}"
[method]
name = "{method}"
{more}
'''
# The usual segments, and blocks so small that noting each instruction weighs most.
CASES = {"water CCSD(T)/cc-pVTZ": ("cc-pvtz", "ccsd(t)", ""),
         "water CCSD/cc-pVDZ, small blocks": ("cc-pvdz", "ccsd", "[segments]\noccupied = 2\nvirtual = 5")}
WAYS = {"plain": [], "report": ["--report", "report.json"],
        "trace": ["--report", "report.json", "--trace", "trace.json.gz"]}


def seconds_of(command, folder, core):
    """Wall and processor time of the whole command, files written; all of its threads on one core if one is given."""
    begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                         preexec_fn=None if core < 0 else lambda: os.sched_setaffinity(0, {core}))
    if run.returncode != 0:
        sys.exit(run.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - begin, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def median_and_interval(values):
    """The median, and between which of the values it lies with 95 per cent."""
    values = sorted(values)
    aside = max(0, int((len(values) - 1.96 * math.sqrt(len(values))) / 2))
    return statistics.median(values), [values[aside], values[-1 - aside]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("blockyard")
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)), help="-1: all cores")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    for case, (basis, method, more) in CASES.items():
        if arguments.only not in case:
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "job.toml").write_text(JOB.format(basis=basis, method=method, more=more))
            command = [str(pathlib.Path(arguments.blockyard).resolve()), "run", "job.toml", "--quiet",
                       "-w", str(arguments.workers)]
            times = {way: [] for way in WAYS}
            for turn in range(arguments.pairs):  # neighbours meet the same machine; each way is first in turn
                order = list(WAYS)[turn % 3:] + list(WAYS)[:turn % 3]
                for way in order:
                    times[way].append(seconds_of(command + WAYS[way], folder, arguments.core))
            line = {"bench": "trace", "case": case, "pairs": arguments.pairs,
                    "seconds_plain": statistics.median(wall for wall, _ in times["plain"])}
            for kind, name in enumerate(("ratio", "cpu_ratio")):
                for way in ("report", "trace"):
                    line[f"{name}_{way}"], line[f"{name}_{way}_95"] = median_and_interval(
                        [mine[kind] / plain[kind] for mine, plain in zip(times[way], times["plain"])])
            line["trace_bytes"] = (folder / "trace.json.gz").stat().st_size
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
