#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Five expressions on arrays four times larger than memory: Session.array and Session.einsum next to Dask, in turn.

Usage: expressions.py [--folder DIR] [--memory MB] [--rounds N] [--only NAME] [--threads N]
Each run is a process of its own that reads Zarr arrays (chunks of 2 MB) and writes the result to one. Dask
gets the same number of threads; it has no limit of memory to be told, so its peak is what it takes. Blockyard is told
MB. Prints JSON lines: seconds and peak_rss_mb (of the process, above what it has before the expression) of each, and the
ratio of the best of the rounds. On a machine that does other work only cpu_seconds says something.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

# Name: text of the expression over arrays a, b (and np), and extents for operands of this many megabytes in total.
CASES = {
    "map": ("np.exp(a * 0.5) - b * 2.0", lambda mb: {"a": square(mb / 2), "b": square(mb / 2)}),
    "transpose": ("a + b.T", lambda mb: {"a": square(mb / 2), "b": square(mb / 2)}),
    "standardise": ("(a - a.mean(0)) / (((a - a.mean(0)) ** 2).mean(0) + 1e-3) ** 0.5", lambda mb: {"a": square(mb)}),
    "product": ("(a - 0.5) @ b", lambda mb: {"a": square(mb * 0.9, 8), "b": (square(mb * 0.9, 8)[1], 256)}),
    "sums": ("((a - b) ** 2).sum(0)", lambda mb: {"a": square(mb / 2), "b": square(mb / 2)}),
}
CHUNK = 512


def square(mb, wide=1):
    """Rows and columns of `mb` megabytes, `wide` times as many columns as rows."""
    rows = int(math.sqrt(mb * 2**20 / 8 / wide))
    return rows, rows * wide


def shape_of(shapes, text):
    small = {name: np.ones((shape[0] // 64, shape[1] // 64)) for name, shape in shapes.items()}
    made = eval(text, {"np": np, **small}).shape
    by_small = {shape[k] // 64: shape[k] for shape in shapes.values() for k in range(2)}
    return tuple(by_small[n] for n in made)


def make(folder, name, memory_mb):
    import zarr

    text, shapes_of = CASES[name]
    shapes = {key: tuple(n // 64 * 64 for n in shape) for key, shape in shapes_of(4 * memory_mb).items()}
    for seed, (key, shape) in enumerate(shapes.items()):
        array = zarr.create_array(str(folder / f"{key}.zarr"), shape=shape, chunks=tuple(min(CHUNK, n) for n in shape),
                                  dtype="f8", compressors=None, overwrite=True)
        numbers = np.random.default_rng(seed)
        for begin in range(0, shape[0], CHUNK):
            array[begin:begin + CHUNK] = numbers.random((min(CHUNK, shape[0] - begin), shape[1]))
    return list(shapes), shape_of(shapes, text)


def rss_kb(key):
    """VmRSS or VmHWM of this process. (ru_maxrss would begin with what the parent had.)"""
    with open("/proc/self/status", encoding="utf-8") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(key))


def work(method, name, folder, keys, shape, memory_mb, threads):
    import zarr

    text, given = CASES[name][0], {key: zarr.open_array(str(folder / f"{key}.zarr"), mode="r") for key in keys}
    out = zarr.create_array(str(folder / f"{method}.zarr"), shape=shape, chunks=tuple(min(CHUNK, n) for n in shape),
                            dtype="f8", compressors=None, overwrite=True)
    if method == "dask":
        import dask
        import dask.array as da

        dask.config.set(scheduler="threads", num_workers=threads)
        arrays = {key: da.from_array(array, chunks=array.chunks) for key, array in given.items()}
    else:
        import blockyard

        session = blockyard.Session(workers=threads, memory=f"{memory_mb}M", scratch=folder, quiet=True)
        arrays = {key: session.array(array) for key, array in given.items()}
    before, begin, cpu = rss_kb("VmRSS"), time.monotonic(), time.process_time()
    result = eval(text, {"np": np, **arrays})
    if method == "dask":
        da.store(result.rechunk(out.chunks), out, lock=False)
    else:
        result.compute(out=out)
    seconds, cpu = time.monotonic() - begin, time.process_time() - cpu
    peak = rss_kb("VmHWM") - before
    some = np.asarray(out[:8] if len(shape) == 1 else out[:8, -8:])
    print(json.dumps({"seconds": seconds, "cpu_seconds": cpu, "peak_rss_mb": peak // 1024, "some": some.ravel().tolist()}))


def measure(method, name, folder, keys, shape, options):
    command = [sys.executable, __file__, "--work", method, name, str(folder), ",".join(keys), ",".join(map(str, shape)),
               "--memory", str(options.memory), "--threads", str(options.threads)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        return None
    return json.loads(done.stdout.splitlines()[-1])


def compare(name, options):
    with tempfile.TemporaryDirectory(dir=options.folder) as made:
        folder = pathlib.Path(made)
        keys, shape = make(folder, name, options.memory)
        best = {}
        for _ in range(options.rounds):
            for method in ("blockyard", "dask"):
                told = measure(method, name, folder, keys, shape, options)
                line = {"bench": "expressions", "case": f"{name} {method}", "memory_mb": options.memory}
                if told is None:
                    print(json.dumps({**line, "ended": "failed"}), flush=True)
                    return
                print(json.dumps({**line, **{key: told[key] for key in ("seconds", "cpu_seconds", "peak_rss_mb")}}), flush=True)
                if method not in best or told["seconds"] < best[method]["seconds"]:
                    best[method] = told
        ours, theirs = best["blockyard"], best["dask"]
        if not np.allclose(ours["some"], theirs["some"], rtol=1e-8):
            sys.exit(f"{name}: the results differ")
        print(json.dumps({"bench": "expressions", "case": f"{name} dask/blockyard",
                          "seconds_ratio": theirs["seconds"] / ours["seconds"],
                          "cpu_ratio": theirs["cpu_seconds"] / ours["cpu_seconds"],
                          "peak_ratio": theirs["peak_rss_mb"] / max(1, ours["peak_rss_mb"])}), flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--folder", default=None)
    options.add_argument("--memory", type=int, default=128)
    options.add_argument("--rounds", type=int, default=2)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--only", choices=list(CASES))
    options.add_argument("--work", nargs=5, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.work:
        method, name, folder, keys, shape = given.work
        work(method, name, pathlib.Path(folder), keys.split(","), tuple(map(int, shape.split(","))), given.memory,
             given.threads)
        return
    for name in [given.only] if given.only else CASES:
        compare(name, given)


if __name__ == "__main__":
    main()
