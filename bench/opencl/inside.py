#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a small OpenCL program calls, by kind of call.

Usage: inside.py opencl_shapes_bench libopencl_calls.so
Runs VectorAdd through the plug-in with an interposed ICD: from source, with the driver's cache of kernels, and with the plug-in's
own binaries. Prints a table, and a line of JSON for each number (bench/figures.py draws them).
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PUBLISHED_CALLS = "platform, device, context over 80 %; of the rest program building 33 %"


def show(figure, row, column, value, speedup, published=""):
    print(f"{figure:<22} {row:<34} {column:<28} {value:14.6g} {speedup:8.3f}   {published}", file=sys.stderr)
    print(json.dumps({"bench": "opencl_inside", "case": f"{figure}: {row}: {column}", "figure": figure, "row": row,
                      "column": column, "value": value, "speedup": speedup, "published": published}), flush=True)


def count_calls(program, library, folder):
    """Seconds by kind of call for three processes one after the other."""
    seconds = {}
    for what, driver, own in (("from source", "cold", "none"), ("driver's cache", "cold", "none"),
                              ("fills our cache", "other", folder / "own"), ("our binary", "fresh", folder / "own")):
        out = folder / "calls.json"
        subprocess.run([program, "vector_add", "110000", "1", "1000", str(own)], check=True, env=dict(
            os.environ, LD_PRELOAD=library, OPENCL_CALLS=str(out), POCL_CACHE_DIR=str(folder / driver)))
        kinds = [json.loads(line) for line in out.read_text().splitlines()]
        seconds[what] = sum(kind["seconds"] for kind in kinds)
        if what == "fills our cache":
            continue
        for kind in kinds:
            show("calls of the API", f"{kind['kind']}, {kind['calls']} calls", what, kind["seconds"],
                 kind["seconds"] / seconds[what], PUBLISHED_CALLS if kind["kind"] == "platform" else "")
        show("calls of the API", "all", what, seconds[what], seconds["from source"] / seconds[what])


def main(program, library):
    with tempfile.TemporaryDirectory() as name:
        count_calls(program, library, pathlib.Path(name))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
