#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What happens inside a driver of OpenCL, in a call of its interface and in a launch.

Usage: inside.py FOLDER [calls] [instructions]
FOLDER has opencl_shapes_bench, libopencl_calls.so and opencl_instructions. Without more arguments both are done:

calls         VectorAdd through the plug-in with an interposed ICD: from source, with the driver's cache of kernels, and with
              the plug-in's own binaries; and what these save in the second process.
instructions  Launches under callgrind: all instructions of a launch, and those in the kernel.

Prints a table, and a line of JSON for each number (bench/figures.py draws them).
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PUBLISHED_CALLS = "platform, device, context over 80 %; of the rest program building 33 %"
PUBLISHED_COUNTS = {"work per item": "falls", "group size": "falls, in the run time only"}
PUBLISHED_SHARES = {"work per item": "rises", "group size": "rises"}
SHORT = ("Square", "VectorAdd")  # of the others only the count was published


def show(figure, row, column, value, speedup, published=""):
    print(f"{figure:<28} {row:<34} {column:<28} {value:14.6g} {speedup:8.3f}   {published}", file=sys.stderr)
    print(json.dumps({"bench": "opencl_inside", "case": f"{figure}: {row}: {column}", "figure": figure, "row": row,
                      "column": column, "value": value, "speedup": speedup, "published": published}), flush=True)


def count_calls(programs, folder):
    """Seconds by kind of call for processes one after the other."""
    seconds = {}
    for what, driver, own in (("from source", "cold", "none"), ("driver's cache", "cold", "none"),
                              ("fills our cache", "other", folder / "own"), ("our binary", "fresh", folder / "own"),
                              ("both caches", "other", folder / "own")):
        out = folder / "calls.json"
        subprocess.run([programs / "opencl_shapes_bench", "vector_add", "110000", "1", "1000", str(own)], check=True,
                       env=dict(os.environ, LD_PRELOAD=str(programs / "libopencl_calls.so"), OPENCL_CALLS=str(out),
                                POCL_CACHE_DIR=str(folder / driver)))
        kinds = [json.loads(line) for line in out.read_text().splitlines()]
        seconds[what] = sum(kind["seconds"] for kind in kinds)
        if what == "fills our cache":
            continue
        for kind in kinds:
            show("calls of the API", f"{kind['kind']}, {kind['calls']} calls", what, kind["seconds"],
                 kind["seconds"] / seconds[what], PUBLISHED_CALLS if kind["kind"] == "platform" else "")
    for before, after in (("from source", "our binary"), ("driver's cache", "both caches")):
        show("saved by the plug-in", "second process, all calls", f"{after} for {before}", seconds[before] - seconds[after],
             1 - seconds[after] / seconds[before])


def executed(path, kernels):
    """Instructions of a profile of callgrind: all, and those in shared objects below the folder `kernels`."""
    objects = {}
    total = inside = 0
    current, is_call = "", False
    for line in path.read_text().splitlines():
        named = re.match(r"c?ob=\((\d+)\)(?: (.*))?$", line)
        if named is not None:
            name = objects.setdefault(named[1], named[2] or "")
            if line.startswith("ob="):
                current = name
        elif line.startswith("calls="):
            is_call = True  # the next line has what the called function took
        elif re.match(r"[+\-*\d]", line):
            cost = 0 if is_call else int(line.split()[-1])
            is_call = False
            total += cost
            inside += cost if current.startswith(str(kernels)) else 0
    return total, inside


def count_instructions(programs, folder):
    """The driver compiles for the processor that it sees, which under valgrind is another one: so the first run,
    without counting, is there to compile."""
    if shutil.which("valgrind") is None:
        print("inside.py: instructions are not counted without valgrind", file=sys.stderr)
        return
    # hwloc would ask the processor itself, which valgrind does not have whole.
    environment = dict(os.environ, POCL_CACHE_DIR=str(folder / "counted"), HWLOC_COMPONENTS="-x86")

    def under(*tool):
        return subprocess.run(["valgrind", "-q", *tool, programs / "opencl_instructions"], check=True, text=True,
                              stdout=subprocess.PIPE, env=environment).stdout.splitlines()

    under("--tool=none")
    lines = under("--tool=callgrind", f"--callgrind-out-file={folder / 'profile'}",
                  "--zero-before=blockyard_count_begin", "--dump-before=blockyard_count_end")
    first = {}
    for number, line in enumerate(lines, start=1):
        figure, row, column = line.split("\t")
        total, inside = executed(folder / f"profile.{number}", folder / "counted")
        if inside == 0:
            sys.exit(f"inside.py: no instruction of a kernel in {line}")
        is_short = row.split()[0] in SHORT
        beyond = total - inside
        shown = (("instructions", total, first.setdefault((figure, row, "all"), total) / total, PUBLISHED_COUNTS[figure]),
                 ("instructions of the run time", beyond,
                  first.setdefault((figure, row, "beyond"), beyond) / beyond, "falls" if is_short else ""),
                 ("share in the kernel", inside, inside / total, PUBLISHED_SHARES[figure] if is_short else ""))
        for what, value, speedup, published in shown:
            show(f"{what}, {figure}", row, column, value, speedup, published)


def main(programs, parts):
    with tempfile.TemporaryDirectory() as name:
        for part, measure in (("calls", count_calls), ("instructions", count_instructions)):
            if not parts or part in parts:
                measure(programs, pathlib.Path(name))


if __name__ == "__main__":
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= {"calls", "instructions"}:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:])
