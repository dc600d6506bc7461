#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What offloading gains and costs: one JSON line a figure on standard output, a table on standard error.

Usage: offload.py BLOCKYARD CALLS [FIGURE...]    CALLS: the program offload_calls, next to offload_transforms; figures:
                                                 never_slower pipeline order both transform wire kept clients memory (default:
                                                 all). BLOCKYARD_BENCH_QUICK=1: fewer cells
Links are modelled (PACE@ADDRESS), accelerators too (sim with rate=, compute=0): both are named with each figure.
"""
import contextlib
import ctypes
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

BLOCKYARD, CALLS = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
QUICK = os.environ.get("BLOCKYARD_BENCH_QUICK") == "1"
LIMIT_SECONDS = 600
FOLDER = None

# Of the models of a published measurement: link in bytes a second and seconds, for a device of 1.2 Tflop/s and 8000 x 8000.
K40 = {"tcp": (1.19e9, 100e-6), "qdr": (3.3e9, 20e-6), "fdr": (6.0e9, 10e-6), "edr": (10e9, 10e-6)}


def show(case, text, **figures):
    print(json.dumps({"bench": "offload", "case": case, **figures, "machine": platform.processor() or platform.machine()}),
          flush=True)
    print(f"{case:<44}{text}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def server(*options):
    address = f"unix:{FOLDER}/{len(list(FOLDER.iterdir()))}.socket"
    with subprocess.Popen([BLOCKYARD, "offload", "serve", "--listen", address, *map(str, options)],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        process.stdout.readline()
        try:
            yield address, process
        finally:
            process.terminate()
            process.wait(30)


def run(address, place, *words, keep="0"):
    """Seconds of each call, peak memory in bytes, and what the report says."""
    report = FOLDER / "report.json"
    prefix = [] if address is None else [BLOCKYARD, "offload", "run", "--quiet", "--server", address, "--place", place,
                                         "--report", str(report), "--"]
    done = subprocess.run([*prefix, CALLS, *map(str, words)], capture_output=True, text=True, timeout=LIMIT_SECONDS, check=True,
                          env=os.environ | {"BLOCKYARD_OFFLOAD_KEEP": keep, "OPENBLAS_NUM_THREADS": "1"})
    *seconds, memory = done.stdout.split()
    routines = json.loads(report.read_text())["routines"] if address else []
    return [float(one) for one in seconds], int(memory) * 1024, routines


def never_slower():
    """auto against the program alone, interleaved, median of the ratios of five pairs of processes."""
    routines = ("dgemm", "dpotrf") if QUICK else ("dgemm", "dsyrk", "dtrsm", "dgetrf", "dpotrf")
    extents = (64, 512) if QUICK else (32, 128, 512, 2048)
    with server("--device", "host") as (address, _):
        links = {"unix": address, "1Gbit": f"200us,118MB/s@{address}"}
        if not QUICK:
            links |= {"10Gbit": f"50us,1.18GB/s@{address}", "none": f"unix:{FOLDER}/nobody"}
        for link, where in links.items():
            for routine in routines:
                for n in extents:
                    pairs = []
                    for _ in range(3 if QUICK else 5):
                        alone = run(None, "", routine, n, 100000, 0.3)[0]
                        routed = run(where, "auto", routine, n, 100000, 0.3)[0]
                        pairs.append(statistics.median(routed) / statistics.median(alone))
                    ratio = statistics.median(pairs)
                    show(f"never_slower {routine} {n} {link}", f"{ratio:6.3f} of local (at most 1.05)", ratio_to_local=ratio)


def pipeline():
    """dgemm on a modelled device: against the bound, and against sending, computing and returning one after the other.
    Extents are 1/8 of the published ones and rates are scaled so that all shares stay as they are."""
    n, scale = 1000, 16
    rate = 1.2e12 / 8 / scale
    with server("--device", "sim", "--device-options", f"rate={rate:.0f} compute=0") as (address, _):
        for name, (bandwidth, latency) in K40.items():
            pace = bandwidth / scale
            where = f"{latency * 1e6:.0f}us,{pace / 1e6:.3f}MB/s@{address}"
            seconds = statistics.median(run(where, "remote", "dgemm", n, 4)[0][1:])
            up, work, down = 3 * 8 * n * n / pace, 2 * n**3 / rate, 8 * n * n / pace
            bound, chain = max(up, work, down) + latency, up + work + down + latency
            show(f"pipeline {name}", f"{bound / seconds:6.2f} of the bound (at least 0.90), {seconds / chain:.2f} of "
                 "send-compute-return", ratio_to_bound=bound / seconds, ratio_to_one_after_the_other=seconds / chain)


def order():
    """Which order of sending and how many parts take least, on the same models: each compared with the best of all. The
    library sends columns too, but the operand that they share in slices along the sum, which the first part uses as they come."""
    program = pathlib.Path(CALLS).parent / "offload_order"
    n, scale = 1024, 16
    rate = 1.2e12 * n / 8000 / scale
    with server("--device", "sim", "--device-options", f"rate={rate:.0f} compute=0") as (address, _):
        for name, (bandwidth, latency) in K40.items():
            where = f"{latency * 1e6:.0f}us,{bandwidth / scale / 1e6:.3f}MB/s@{address}"
            lines = subprocess.run([str(program), where, str(n)], capture_output=True, text=True, timeout=LIMIT_SECONDS,
                                   check=True).stdout.splitlines()
            found = [(float(one), int(parts), which) for one, parts, which in (line.split(maxsplit=2) for line in lines)]
            found.append((statistics.median(run(where, "remote", "dgemm", n, 4)[0][1:]), 16, "the library"))
            best = min(found)[0]
            for seconds, parts, which in found:
                show(f"order {name} {which} {parts}", f"{seconds / best:6.2f} of the best", ratio_to_best=seconds / best)


def both():
    """dgemm where device and local library take as long as each other."""
    n = 1200
    local = statistics.median(run(None, "", "dgemm", n, 5)[0][1:])
    with server("--device", "sim", "--device-options", f"rate={2 * n**3 / local:.0f} compute=0") as (address, _):
        remote = statistics.median(run(address, "remote", "dgemm", n, 5)[0][1:])
        shared = statistics.median(run(address, "both", "dgemm", n, 5)[0][1:])
    best = min(local, remote)
    show("both dgemm", f"{shared / best:6.2f} of the faster place (at most 0.70)", ratio_to_faster=shared / best)


def transform():
    """One transform of complex f64 on a modelled device against the sum of sending, computing and returning, which is the
    bound; then how much of the time for planning is hidden by sending."""
    program = pathlib.Path(CALLS).parent / "offload_transforms"
    if not program.exists():
        return show("transform", "this machine has no libfftw3-dev")
    n, pace, flops = 1 << 18, 40e6, 5 * 18 * (1 << 18)
    sending, planning = 16 * n / pace, 0.340

    def seconds(*options):
        with server("--device", "sim", "--device-options", " ".join((f"rate={flops / 0.02:.0f} compute=0", *options))) as (address, _):
            done = subprocess.run([BLOCKYARD, "offload", "run", "--quiet", "--server", f"100us,{pace / 1e6:.0f}MB/s@{address}",
                                   "--place", "remote", "--", str(program), str(n), "5"], capture_output=True, text=True,
                                  timeout=LIMIT_SECONDS, check=True)
            return [float(one) for one in done.stdout.split()]

    plain, planned = seconds(), seconds(f"plan_time={planning * 1e6:.0f}")
    ratio = (2 * sending + 0.02) / statistics.median(plain[1:])
    hidden = 1 - (planned[0] - plain[0]) / planning
    show("transform", f"{ratio:6.2f} of the bound (at least 0.90); of 340 ms of planning {hidden:.0%} are hidden (sending "
         f"takes {1000 * sending:.0f} ms)", ratio_to_bound=ratio, hidden_share=hidden)


def measured(address, *options):
    done = subprocess.run([BLOCKYARD, "offload", "calibrate", "--server", address, "--json", *options],
                          capture_output=True, text=True, timeout=LIMIT_SECONDS, check=True, env=os.environ | {"XDG_CACHE_HOME": str(FOLDER)})
    return json.loads(done.stdout)


def wire():
    with server("--device", "host") as (address, _):
        shared, plain = measured(address), measured(f"plain:{address}")
        one, two = (ctypes.create_string_buffer(64 << 20) for _ in range(2))
        copies = []
        for _ in range(5):
            began = time.perf_counter()
            ctypes.memmove(two, one, len(one))
            copies.append(len(one) / (time.perf_counter() - began))
        ratios = [shared[way] / max(copies) for way in ("up_bytes_a_second", "down_bytes_a_second")]
        show("wire shared memory", f"{ratios[0]:6.2f} and {ratios[1]:.2f} of memcpy (at least 0.60), "
             f"{shared['latency_seconds'] * 1e6:.0f} us", ratio_up=ratios[0], ratio_down=ratios[1],
             latency_seconds=shared["latency_seconds"])
        show("wire unix socket", f"{plain['up_bytes_a_second'] / 1e9:6.2f} GB/s up, {plain['down_bytes_a_second'] / 1e9:.2f} "
             f"down, {plain['latency_seconds'] * 1e6:.0f} us", up_gb_a_second=plain["up_bytes_a_second"] / 1e9,
             down_gb_a_second=plain["down_bytes_a_second"] / 1e9, latency_seconds=plain["latency_seconds"])
        pace = 0.3e9
        slow = measured(f"100us,{pace / 1e6:.0f}MB/s@{address}")
        up, down = slow["up_bytes_a_second"] / pace, slow["down_bytes_a_second"] / pace
        show("wire modelled link of 300 MB/s", f"{up:6.2f} and {down:.2f} of it (at least 0.90)", ratio_up=up, ratio_down=down)
        # A network that gives each connection so much, and several of them more.
        one, four = (measured(f"100us,50MB/s@plain:{address}", "--sockets", str(count)) for count in (1, 4))
        up, down = (four[way] / one[way] for way in ("up_bytes_a_second", "down_bytes_a_second"))
        show("wire four sockets", f"{up:6.2f} and {down:.2f} of the rate of one, where each has 50 MB/s", ratio_up=up,
             ratio_down=down)


def kept():
    """What a second dgemm with the same A and B moves, against the result alone, which is read and written."""
    n = 600
    with server("--device", "host") as (address, _):
        once, twice = (sum(one["bytes"] for one in run(address, "remote", "dgemm", n, calls, keep="1G")[2])
                       for calls in (1, 2))
    ratio = (twice - once) / (2 * 8 * n * n)
    show("kept operands", f"{ratio:6.2f} of the result's bytes, there and back (1: C alone)", ratio_to_result=ratio)


def clients():
    """Equal clients of a modelled device at the same time: how equal they are, and what they have together."""
    n, calls = 400, 12 if QUICK else 30
    with server("--device", "sim", "--device-options", f"rate={2 * n**3 / 0.03:.0f} compute=0") as (address, _):
        def together(count):
            words = [BLOCKYARD, "offload", "run", "--quiet", "--server", address, "--place", "remote", "--", CALLS, "dgemm",
                     str(n), str(calls)]
            running = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(count)]
            all_seconds = [[float(one) for one in process.communicate(timeout=LIMIT_SECONDS)[0].split()[1:-1]]
                           for process in running]
            # While all of them work: the second third of each.
            return [1 / statistics.mean(one[len(one) // 3:2 * len(one) // 3]) for one in all_seconds]

        alone = together(1)[0]
        for count in (2, 8):
            rates = together(count)
            spread, part = min(rates) / max(rates), sum(rates) / alone
            show(f"clients {count}", f"{spread:6.2f} slowest to fastest (at least 0.90), {part:.2f} of one alone in sum (at least "
                 "0.95)", slowest_to_fastest=spread, sum_to_alone=part)


def memory():
    n = 1500
    with server("--device", "host") as (address, process):
        alone = run(None, "", "dgemm", n, 3)[1]
        extra = run(address, "remote", "dgemm", n, 3, keep="1G")[1] - alone
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    serving = 1024 * int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])
    show("memory", f"{extra / 2**20:6.0f} MiB more than the program (at most 256), server {serving / 2**20:.0f} MiB",
         client_mib=extra / 2**20, server_mib=serving / 2**20)


def small():
    """Calls that take no time, with place remote: what one costs."""
    with server("--device", "host") as (address, _):
        for routine in ("dgemm", "dgetrf", "dpotrf"):
            seconds = statistics.median(run(address, "remote", routine, 16, 200)[0][1:])
            show(f"small {routine} 16", f"{seconds * 1e3:6.2f} ms a call", seconds=seconds)


FIGURES = {one.__name__: one for one in (pipeline, order, both, transform, wire, kept, clients, memory, small, never_slower)}

if __name__ == "__main__":
    wanted = sys.argv[3:] or list(FIGURES)
    if unknown := [name for name in wanted if name not in FIGURES]:
        sys.exit(f"no figure {unknown[0]}: {', '.join(FIGURES)}")
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        for name in wanted:
            FIGURES[name]()
