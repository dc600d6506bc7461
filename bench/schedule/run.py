#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bytes moved and time of each policy of pardo. See README.md.

usage: run.py BLOCKYARD [--processes 2] [--delay 100us,1GB/s] [--workers 2] [--servers 1] [--repeats 3]
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WATER = (ROOT / "demo" / "h2o.toml").read_text(encoding="utf-8").partition("[basis]")[0]
JOB = WATER + '''[basis]
name = "cc-pvdz"
[method]
name = "ccsd"
[segments]
occupied = 2
virtual = 5
'''
POLICIES = ["dynamic", "static", "balanced", "locality"]
PROGRAMS = ["transform_rhf", "ccsd_rhf"]
MANY = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}


def library_with(policy, folder):
    """sialib with the policy in the place of "dynamic"."""
    (folder / "sialib").mkdir()
    (folder / "basis").symlink_to(ROOT / "share" / "basis")
    for source in (ROOT / "sialib").glob("*.sial"):
        text = source.read_text().replace('"dynamic"', f'"{policy}"')
        (folder / "sialib" / source.name).write_text(text)
    (folder / "job.toml").write_text(JOB)


def run(arguments, folder, policy):
    command = [arguments.blockyard, "--library", folder, "run", folder / "job.toml", "-w",
               str(arguments.workers), "--pardo", policy, "--quiet", "--report",
               folder / "report.json"]
    if arguments.servers:
        command += ["-s", str(arguments.servers)]
    if arguments.delay:
        command += ["--fabric-delay", arguments.delay]
    if arguments.processes > 1:
        command = ["mpirun", "-n", str(arguments.processes), *command]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | MANY)
    if done.returncode != 0:
        sys.exit(done.stderr)
    report = json.loads((folder / "report.json").read_text())
    process_of = {(rank["role"], rank["number"]): rank["process"] for rank in report["ranks"]}
    for program in report["programs"]:
        for number, worker in enumerate(program["workers"]):
            worker["bytes_between_processes"] = sum(
                bytes_ for server, bytes_ in enumerate(worker["bytes_from_servers"])
                if process_of["server", server] != process_of["worker", number])
    return {program["name"]: program for program in report["programs"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("blockyard")
    parser.add_argument("--delay", default="")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2, help="of a process")
    parser.add_argument("--servers", type=int, default=0, help="as the job chooses if not given")
    parser.add_argument("--repeats", type=int, default=9)
    arguments = parser.parse_args()
    found = {}
    all_runs = {policy: [] for policy in POLICIES}
    for _ in range(arguments.repeats):  # in turn: what disturbs the machine meets all alike
        for policy in POLICIES:
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                library_with(policy, folder)
                all_runs[policy].append(run(arguments, folder, policy))
    for policy, runs in all_runs.items():
        for program in PROGRAMS:
            sums = [{key: sum(worker[key] for worker in one[program]["workers"])
                     for key in ("bytes_received", "bytes_between_processes", "block_wait_seconds")}
                    for one in runs]
            point = {"seconds": min(one[program]["seconds"] for one in runs),
                     "received_bytes": statistics.median(s["bytes_received"] for s in sums),
                     "bytes_between_processes": statistics.median(
                         s["bytes_between_processes"] for s in sums),
                     "wait_seconds": min(s["block_wait_seconds"] for s in sums)}
            found[policy, program] = point
            base = found["dynamic", program]
            ratios = [one[program]["seconds"] / dynamic[program]["seconds"]  # of the same turn
                      for one, dynamic in zip(runs, all_runs["dynamic"])]
            print(json.dumps({"bench": "schedule", "case": f"{program} {policy}", **point,
                              "time_to_dynamic": statistics.median(ratios),
                              "bytes_to_dynamic": point["received_bytes"]
                              / max(1, base["received_bytes"])}), flush=True)


if __name__ == "__main__":
    main()
