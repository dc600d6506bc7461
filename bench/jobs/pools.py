#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often do the programs of (T) get memory that was used before? See README.md."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import run

# The program for closed shells and that for open shells.
ENTRIES = {"triples_rhf": ("h2o", "cc-pvdz"), "triples_uhf": ("oh", "cc-pvdz")}


def entry_of(entries, molecule, basis):
    for entry in entries:
        if entry["molecule"] == molecule and entry["basis"] == basis and not entry["cart"] \
                and not entry["frozen_core"]:
            return entry
    sys.exit(f"no {molecule} in {basis} in {run.REFERENCES}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("blockyard")
    parser.add_argument("--device", nargs="+", default=["sim", "opencl"])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--more", nargs="*", default=[], help="further options of blockyard run")
    options = parser.parse_args()
    entries = json.loads(run.REFERENCES.read_text(encoding="utf-8"))["entries"]
    print(f"{'program, device':<26}{'seconds':>9}{'device pool':>13}{'host pool':>11}")
    for name, (molecule, basis) in ENTRIES.items():
        for device in options.device:
            with tempfile.TemporaryDirectory() as folder:
                job, report = pathlib.Path(folder, "job.toml"), pathlib.Path(folder, "report.json")
                job.write_text(run.job_file(entry_of(entries, molecule, basis), "ccsd(t)"), encoding="utf-8")
                command = [options.blockyard, "run", job, "-w", str(options.workers), "--quiet", "--device", device,
                           "--device-options", "in_place=0", "--report", report, *options.more]
                done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
                if done.returncode != 0:
                    sys.exit(f"{' '.join(map(str, command))}:\n{done.stderr}")
                found = json.loads(report.read_text(encoding="utf-8"))
            program = next(one for one in found["programs"] if one["name"] == name)
            uses = [worker["device"] for worker in program["workers"] if worker.get("device")]
            line = {"bench": "pools", "case": f"{name} {device}", "seconds": program["seconds"]}
            line |= {key: sum(use[key] for use in uses) / max(1, len(uses))
                     for key in ("pool_hit_ratio", "host_pool_hit_ratio")}
            print(f"{line['case']:<26}{line['seconds']:9.2f}{line['pool_hit_ratio']:13.4f}"
                  f"{line['host_pool_hit_ratio']:11.4f}")
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
