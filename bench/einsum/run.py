#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Contractions of arrays on disk in little memory: Session.einsum, a loop by hand, numpy.einsum, and the
peers that tools/setup_peers installs (peers.py).

Usage: run.py [--full] [--folder DIR] [--keep] [--only p1|p2|memory] [--methods A,B] [--limit SECONDS]
--keep: operands stay in the folder, for the next time.
Prints JSON lines. Every method runs in a process of its own, in a cgroup (version 2 or 1) that
limits its memory, the page cache included; without the right to make one, in none, and says so.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

import peers

METHODS = ("blockyard", "by_hand", "numpy", *peers.PEERS)
PROBLEMS = {
    # subscripts, letters' extents, memory limit; scaled down so that the data are as large against it
    "p1": ("abef,efij->abij", {"v": 176, "o": 20}, 4096),
    "p2": ("aebf,dfce->abcd", {"n": 120}, 1536),
    "p1_small": ("abef,efij->abij", {"v": 88, "o": 20}, 300),
    "p2_small": ("aebf,dfce->abcd", {"n": 64}, 180),
}


def extents(name, term):
    _, sizes, _ = PROBLEMS[name]
    if "n" in sizes:
        return (sizes["n"],) * len(term)
    return tuple(sizes["o"] if letter in "ijkl" else sizes["v"] for letter in term)


def make_operand(path, shape, seed):
    if path.exists() and np.load(path, mmap_mode="r").shape == shape:
        return
    numbers = np.random.default_rng(seed)
    array = np.lib.format.open_memmap(path, mode="w+", dtype=float, shape=shape)
    for row in array:  # never the whole in memory
        row[...] = numbers.random(row.shape) - 0.5
    array.flush()


def operands(name, folder):
    terms = PROBLEMS[name][0].split("->")[0].split(",")
    paths = [folder / f"{name}-{n}.npy" for n in range(len(terms))]
    for n, (path, term) in enumerate(zip(paths, terms)):
        make_operand(path, extents(name, term), n)
    return paths


# The methods, each in a process of its own ----------------------------------------------------


def with_blockyard(name, paths, out, memory_mb):
    import blockyard

    # The rest is for Python, NumPy and the pages of files that pass through.
    with blockyard.Session(memory=f"{int(memory_mb * 0.7)}M", scratch=out.parent) as session:
        arrays = [np.load(path, mmap_mode="r") for path in paths]
        subscripts = PROBLEMS[name][0]
        shape = extents(name, subscripts.split("->")[1])
        result = np.lib.format.open_memmap(out, mode="w+", dtype=float, shape=shape)
        plan = session.einsum_plan(subscripts, *arrays)
        print(plan, file=sys.stderr)
        session.einsum(subscripts, *arrays, out=result)


def by_hand_p1(paths, out, memory_mb):
    v, t = np.load(paths[0], mmap_mode="r"), np.load(paths[1])
    flat = t.reshape(t.shape[0] * t.shape[1], -1)
    result = np.lib.format.open_memmap(out, mode="w+", dtype=float,
                                       shape=v.shape[:2] + t.shape[2:])
    step = max(1, memory_mb * 2**20 // 16 // v[0].nbytes)
    for a in range(0, v.shape[0], step):
        part = np.array(v[a:a + step])
        product = part.reshape(-1, flat.shape[0]) @ flat
        result[a:a + step] = product.reshape(part.shape[:2] + t.shape[2:])


def by_hand_p2(paths, out, memory_mb):
    a, b = (np.load(path, mmap_mode="r") for path in paths)
    n = a.shape[0]
    result = np.lib.format.open_memmap(out, mode="w+", dtype=float, shape=(n,) * 4)
    step = max(1, int(memory_mb * 2**20 / 6 / (8 * n**3)))
    for i in range(0, n, step):          # a of the result
        left = np.ascontiguousarray(np.array(a[i:i + step]).transpose(0, 2, 1, 3))  # a b e f
        left = left.reshape(-1, n * n)
        for k in range(0, n, step):      # d of the result
            right = np.array(b[k:k + step]).transpose(3, 1, 2, 0)  # e f c d
            right = np.ascontiguousarray(right).reshape(n * n, -1)
            product = (left @ right).reshape(-1, n, n, right.shape[1] // n)
            result[i:i + step, :, :, k:k + step] = product


def with_numpy(name, paths, out):
    arrays = [np.load(path, mmap_mode="r") for path in paths]
    np.save(out, np.einsum(PROBLEMS[name][0], *arrays, optimize=True))


def work(method, name, folder, memory_mb):
    paths, out = operands(name, folder), folder / f"{name}-{method}.npy"
    begin = time.monotonic()
    if method == "blockyard":
        with_blockyard(name, paths, out, memory_mb)
    elif method == "numpy":
        with_numpy(name, paths, out)
    elif method in peers.PEERS:
        stores = peers.operands(name, paths, memory_mb)
        begin = time.monotonic()
        getattr(peers, f"with_{method}")(name, PROBLEMS[name][0], stores, out, memory_mb)
    elif name.startswith("p1"):
        by_hand_p1(paths, out, memory_mb)
    else:
        by_hand_p2(paths, out, memory_mb)
    print(json.dumps({"seconds": time.monotonic() - begin}))


# Limits -----------------------------------------------------------------------------------------


class Cgroup:
    """A group of processes with a limit of memory, or none if we may not make one."""

    def __init__(self, megabytes):
        name = f"blockyard-bench-{os.getpid()}"
        self.folder = None
        for root, limit in ((pathlib.Path("/sys/fs/cgroup"), "memory.max"),
                            (pathlib.Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes")):
            folder = root / name
            try:
                folder.mkdir()
                self.folder = folder
                if not (folder / limit).exists():  # no cgroups are mounted there
                    raise OSError
                (folder / limit).write_text(str(megabytes * 2**20))
                swap = folder / "memory.swap.max"
                if swap.exists():
                    swap.write_text("0")
                return
            except OSError:
                self.close()

    def enter(self):
        if self.folder is not None:
            (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def close(self):
        if self.folder is not None:
            try:
                self.folder.rmdir()
            except OSError:
                pass
            self.folder = None


def measure(method, name, folder, seconds):
    memory_mb = PROBLEMS[name][2]
    python = sys.executable
    if method in peers.PEERS:
        python = peers.PYTHON
        subprocess.run([python, __file__, "--prepare", name, "--folder", str(folder)], check=True)
    for path in operands(name, folder):
        for file in [path, *path.with_suffix(".zarr").rglob("*")]:
            if file.is_file():
                drop(file)
    group = Cgroup(memory_mb)
    command = [python, __file__, "--work", method, name, "--folder", str(folder)]
    line = {"bench": "einsum", "case": f"{name} {method}", "memory_mb": memory_mb,
            "is_limited": group.folder is not None}
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=group.enter)
    try:
        told, _ = child.communicate(timeout=seconds)
        if child.returncode == 0:
            line["seconds"] = json.loads(told.splitlines()[-1])["seconds"]
        else:
            line["ended"] = "killed" if child.returncode == -signal.SIGKILL else "failed"
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        line["ended"] = f"no end in {seconds} s"
    group.close()
    line["peak_rss_mb"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(json.dumps(line), flush=True)
    return line.get("seconds")


def drop(path):
    """Takes a file out of the page cache, so that all peers read from the disk."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read_seconds(paths):
    """How long reading alone takes: the floor."""
    for path in paths:
        drop(path)
    begin = time.monotonic()
    for path in paths:
        with open(path, "rb", buffering=0) as file:
            while file.read(1 << 23):
                pass
    return time.monotonic() - begin


def compare(name, folder):
    """By how much two results differ, a slice at a time."""
    one, two = (np.load(folder / f"{name}-{method}.npy", mmap_mode="r")
                for method in ("blockyard", "by_hand"))
    return max(float(np.abs(a - b).max()) for a, b in zip(one, two))


def out_of_core(name, folder, methods, seconds, is_kept):
    paths = operands(name, folder)
    print(json.dumps({"bench": "einsum", "case": f"{name} reading alone",
                      "seconds": read_seconds(paths)}), flush=True)
    times = {method: measure(method, name, folder, seconds) for method in methods
             if method not in peers.PEERS or peers.can(method)}
    if times.get("blockyard") and times.get("by_hand"):
        print(json.dumps({"bench": "einsum", "case": f"{name} against the loop by hand",
                          "ratio_to_hand_loop": times["by_hand"] / times["blockyard"],
                          "largest_difference": compare(name, folder)}), flush=True)
    for path in folder.glob(f"{name}-*"):
        is_operand = path.stem in {operand.stem for operand in paths}
        if path.is_dir():
            if not (is_kept and is_operand):
                shutil.rmtree(path)
        elif not (is_kept and is_operand):
            path.unlink()


def in_memory(scale):
    import blockyard

    n = np.random.default_rng(1)
    v, o = int(64 * scale), 16
    cases = {"abef,efij->abij": [(v, v, v, v), (v, v, o, o)], "aebf,dfce->abcd": [(int(40 * scale),) * 4] * 2,
             "ij,jk->ik": [(int(2000 * scale),) * 2] * 2, "ijk,kl,lm->mij": [(60, 60, 200), (200, 200), (200, 60)]}
    with blockyard.Session() as session:
        for subscripts, shapes in cases.items():
            arrays = [n.random(shape) for shape in shapes]
            best = {}
            for _ in range(3):
                for method, function in (("numpy", lambda: np.einsum(subscripts, *arrays, optimize=True)),
                                         ("blockyard", lambda: session.einsum(subscripts, *arrays))):
                    begin = time.monotonic()
                    function()
                    best[method] = min(best.get(method, 1e9), time.monotonic() - begin)
            print(json.dumps({"bench": "einsum", "case": f"in memory {subscripts}",
                              "seconds": best["blockyard"], "numpy_seconds": best["numpy"],
                              "ratio_to_numpy": best["numpy"] / best["blockyard"]}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--limit", type=float, default=200)
    parser.add_argument("--work", nargs=2)
    parser.add_argument("--prepare")
    options = parser.parse_args()
    if options.prepare:
        name = options.prepare
        peers.operands(name, operands(name, options.folder), PROBLEMS[name][2])
        return
    if options.work:
        method, name = options.work
        work(method, name, options.folder, PROBLEMS[name][2])
        return
    end = "" if options.full else "_small"
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        folder = options.folder if options.keep else pathlib.Path(temporary)
        for name in ("p1", "p2"):
            if options.only in (None, name):
                out_of_core(name + end, folder, options.methods.split(","), options.limit, options.keep)
    if options.only in (None, "memory"):
        in_memory(1.0)


if __name__ == "__main__":
    main()
