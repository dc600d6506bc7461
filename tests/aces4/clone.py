# SPDX-License-Identifier: Apache-2.0
"""The parts that the tests share: the clone of ACES4, and how Blockyard runs. The environment says where both are."""

import json
import os
import pathlib
import subprocess
import sys

BLOCKYARD = os.environ["BLOCKYARD"]
MPIEXEC = os.environ.get("MPIEXEC", "mpiexec")
LIMIT_SECONDS = 900
SKIPPED = 77  # as CMakeLists.txt says

# How a job is run, by name.
RANKS = {"one": ([], ["-w", "1", "-s", "1"]), "three": ([], ["-w", "3", "-s", "2"]),
         "mpi": ([MPIEXEC, "-n", "2"], ["-w", "1"])}


def root():
    """The clone. Ends the test as skipped if there is none."""
    where = os.environ.get("BLOCKYARD_ACES4", "")
    if not where:
        print("SKIPPED: BLOCKYARD_ACES4 does not name a clone of ACES4; tests/aces4/README.md says how to get one")
        sys.exit(SKIPPED)
    clone = pathlib.Path(where)
    if not (clone / "src" / "sialx" / "qm").is_dir():
        sys.exit(f"BLOCKYARD_ACES4={where}: it has no folder src/sialx/qm")
    return clone


def run(folder, ranks, *words):
    """Results of a job as JSON. Raises AssertionError with what the program said if it fails."""
    before, after = RANKS[ranks]
    result = folder / "result.json"
    result.unlink(missing_ok=True)
    words = [*before, BLOCKYARD, "run", *map(str, words), *after, "--quiet", "--json", result]
    done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False, cwd=folder)
    said = done.stderr.split("-" * 70)[0].strip() or done.stderr.strip()  # mpiexec rules off its own words
    assert done.returncode == 0, f"exit code {done.returncode}: {said[-400:]}"
    return json.loads(result.read_text()) | {"printed": done.stdout}
