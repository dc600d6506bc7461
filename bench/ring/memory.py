#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory of a rank in the published case: 6 x 6 sites, 64 frequencies, the irreducible exchange momenta, pp_up_down.

    memory.py BLOCKYARD [S ...]        S: sizes of rings, of as many processes; 1 2 3 6 by default

Six samples of 200 vertices a spin. Prints, by S, the slice, what the report says of slice, items and tiles, and the most
that any process had resident. Needs S times the latter, and as much disk.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "lattice"))
import samples as drawn  # noqa: E402

VERTICES, SAMPLES = 200, 6
MOMENTA = [(x, y) for x in range(4) for y in range(x + 1)]


def measure_child(command):
    process = os.posix_spawn(command[0], command, os.environ)
    _, status, used = os.wait4(process, 0)
    print(f"resident {used.ru_maxrss}", flush=True)
    sys.exit(os.waitstatus_to_exitcode(status))


def measure(blockyard, size, folder):
    path = folder / "samples.h5"
    if not path.exists():
        problem = drawn.Problem((6, 6), 1, 10.0, 64, 1, MOMENTA).band_g0()
        random = np.random.default_rng(1)
        problem.write(path, [problem.draw(random, (VERTICES, VERTICES), 1.0) for _ in range(SAMPLES)])
    command = [sys.executable, __file__, "--child", blockyard, "accumulate", path, "-o", folder / "g4.h5", "--channels",
               "pp_up_down", "--ring", size, "-w", 1, "--parts", "--memory", "16G", "--json", folder / "report.json"]
    mpi = os.environ.get("MPIEXEC", "mpirun")
    done = subprocess.run([mpi, "-n", str(size), *map(str, command)], capture_output=True, text=True, check=True)
    resident = max(int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("resident")) * 1024
    ring = json.loads((folder / "report.json").read_text())["ring"]
    most = max(ring["ranks"], key=lambda rank: rank["peak_bytes"])
    print(json.dumps({"bench": "ring_memory", "case": f"S = {size}", "slice_bytes": most["slice_bytes"],
                      "said_bytes": most["peak_bytes"], "resident_bytes": resident,
                      "resident_above_said": resident - most["peak_bytes"]}), flush=True)
    (folder / "g4.h5").unlink()
    shutil.rmtree(folder / "g4.h5.parts")


def main(blockyard, *sizes):
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes or (1, 2, 3, 6):
            measure(blockyard, int(size), pathlib.Path(folder))


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--child":
        measure_child(sys.argv[2:])
    main(*sys.argv[1:])
