#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plans of the two large inputs of ACES4's prefetching and GPU experiments, with the programs that they name: c12h10.zmat and
c20.zmat next to this file, which no test can run. A plan must come to its end: these loops have 1e14 iterations.

    test_plan.py
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import clone

HERE = pathlib.Path(__file__).parent
PROGRAMS = {"c12h10": ["scf_rhf", "tran_uhf_no4v", "rccsd_rhf"],
            "c20": ["scf_rhf", "tran_rhf_no4v", "rccsd_rhf", "rlambda_rhf"]}


def plan(root, folder, name):
    """The faults, a line each."""
    shutil.copy(HERE / f"{name}.zmat", folder / "ZMAT")
    words = [clone.BLOCKYARD, "plan", "ZMAT", "--programs", root / "src" / "sialx" / "qm", "-w", "2",
             "--memory", "2500M", "--json", "plan.json"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=clone.LIMIT_SECONDS, check=False, cwd=folder)
    if done.returncode != 0:
        return [f"exit code {done.returncode}: {done.stderr.strip()[-400:]}"]
    found = json.loads((folder / "plan.json").read_text())
    wrong = []
    if [program["name"] for program in found["programs"]] != PROGRAMS[name]:
        wrong.append(f"programs {[program['name'] for program in found['programs']]}")
    if not any(program["is_sampled"] for program in found["programs"]):
        wrong.append("no program was sampled")
    if len(found["segments"]) < 2:
        wrong.append("no other segments were tried")
    print(f"{name}: {found['seconds']:.3g} s predicted, {len(found['segments'])} sizes of segments tried, "
          f"the plan alone took {found['plan_seconds']:.1f} s")
    return wrong


def main():
    root = clone.root()
    failed = False
    for name in PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            wrong = plan(root, pathlib.Path(folder), name)
        print("right" if not wrong else "WRONG", name, *wrong, sep="\n    " if wrong else " ")
        failed = failed or bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
