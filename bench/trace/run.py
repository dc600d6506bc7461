#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What do --report and --trace cost? See README.md.

usage: run.py BLOCKYARD [--repeats 9] [--workers 1]
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

JOB = '''[molecule]
geometry = """
O 0.0 0.0 0.1173
H 0.0 0.7572 -0.4692
H 0.0 -0.7572 -0.4692
"""
[basis]
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


def cpu_seconds(command, folder):
    """User and system time of the whole command, files written."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(said.decode())
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("blockyard")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    for case, (basis, method, more) in CASES.items():
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "job.toml").write_text(JOB.format(basis=basis, method=method, more=more))
            command = [str(pathlib.Path(arguments.blockyard).resolve()), "run", "job.toml", "--quiet",
                       "-w", str(arguments.workers)]
            times = {way: [] for way in WAYS}
            for _ in range(arguments.repeats):  # one after the other, so that all meet the same machine
                for way, options in WAYS.items():
                    times[way].append(cpu_seconds(command + options, folder))
            ratios = {way: statistics.median(mine / plain for mine, plain in zip(times[way], times["plain"]))
                      for way in WAYS}
            print(json.dumps({"bench": "trace", "case": case, "cpu_seconds_plain": statistics.median(times["plain"]),
                              "ratio_report": ratios["report"], "ratio_trace": ratios["trace"],
                              "trace_bytes": (folder / "trace.json.gz").stat().st_size}), flush=True)


if __name__ == "__main__":
    main()
