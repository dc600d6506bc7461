#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: run.py BLOCKYARD : processor seconds of compiling large sources (see README.md)."""

import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "compatibility"))
import rccsd  # pylint: disable=wrong-import-position

RUNS = 5


def repeated(text, lines):
    """The program with its procedures once more under other names, called too, to that length."""
    procs = re.findall(r"^  PROC (\w+_TERM_\d+)\n.*?^  ENDPROC \1\n", text, re.M | re.S)
    bodies = {name: re.search(rf"^  PROC {name}\n(.*?)^  ENDPROC {name}\n", text, re.M | re.S)[1]
              for name in procs}
    more, calls, copy = [], [], 0
    length = text.count("\n")
    while length < lines:
        name = procs[copy % len(procs)]
        new = f"{name}_AGAIN_{copy}"
        block = f"  PROC {new}\n{bodies[name]}  ENDPROC {new}\n"
        more.append(block)
        calls.append(f"  CALL {new}\n")
        length += block.count("\n") + 1
        copy += 1
    text = text.replace("  proc equations\n", "".join(more) + "  proc equations\n", 1)
    return text.replace("  call energy\n", "".join(calls) + "  call energy\n", 1)


def user_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main(blockyard):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / "tests/compatibility/chemistry/qm_definitions.sialx", folder)
        for lines in (1500, 7500):
            source = os.path.join(folder, "large.sialx")
            with open(source, "w", encoding="ascii") as out:
                out.write(repeated(rccsd.program(), lines))
            with open(source, encoding="ascii") as written:
                length = sum(1 for _ in written)
            command = [blockyard, "compile", source, "-o", os.path.join(folder, "large.byx")]
            seconds = min(user_seconds(command) for _ in range(RUNS))
            reading = min(user_seconds(["wc", "-w", source]) for _ in range(RUNS))
            print(json.dumps({"bench": "compile", "case": f"{lines} lines", "lines": length,
                              "user_seconds": round(seconds, 4),
                              "microseconds_per_line": round(1e6 * seconds / length, 2),
                              "ratio_to_wc": round(seconds / max(reading, 1e-4), 1)}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
