#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What offloading gains and costs: one JSON line a figure on standard output, a table on standard error.

Usage: offload.py BLOCKYARD CALLS [FIGURE...]    CALLS: the program offload_calls, next to the other programs of this bench;
                                                 figures: pipeline order both transform wire kept kept_matrix clients
                                                 memory small never_slower overhead lost (default: all). BLOCKYARD_BENCH_QUICK=1: fewer cells
Links are modelled (PACE@ADDRESS), accelerators too (sim with rate=, compute=0): both are named with each figure.
"""
import pathlib
import statistics
import subprocess
import sys

from measured import LIMIT_SECONDS, QUICK, Bench, show
from never_slower import lost, never_slower, overhead
from wire import wire

# Of the models of a published measurement: link in bytes a second and seconds, for a device of 1.2 Tflop/s and 8000 x 8000.
K40 = {"tcp": (1.19e9, 100e-6), "qdr": (3.3e9, 20e-6), "fdr": (6.0e9, 10e-6), "edr": (10e9, 10e-6)}


def pipeline(bench):
    """dgemm on a modelled device: against the bound, and against sending, computing and returning one after the other.
    Extents are 1/8 of the published ones and rates are scaled so that all shares stay as they are."""
    n, scale = 1000, 16
    rate = 1.2e12 / 8 / scale
    with bench.server("--device", "sim", "--device-options", f"rate={rate:.0f} compute=0") as (address, _):
        for name, (bandwidth, latency) in K40.items():
            pace = bandwidth / scale
            where = f"{latency * 1e6:.0f}us,{pace / 1e6:.3f}MB/s@{address}"
            seconds = statistics.median(bench.run(where, "remote", "dgemm", n, 4)[0][1:])
            up, work, down = 3 * 8 * n * n / pace, 2 * n**3 / rate, 8 * n * n / pace
            bound, chain = max(up, work, down) + latency, up + work + down + latency
            show(f"pipeline {name}", f"{bound / seconds:6.2f} of the bound (at least 0.90), {seconds / chain:.2f} of "
                 "send-compute-return", ratio_to_bound=bound / seconds, ratio_to_one_after_the_other=seconds / chain)


def order(bench):
    """Which order of sending and how many parts take least, on the same models: each compared with the best of all. The
    library sends columns too, but the operand that they share in slices along the sum, which the first part uses as they come."""
    program = bench.program("offload_order")
    n, scale = 1024, 16
    rate = 1.2e12 * n / 8000 / scale
    with bench.server("--device", "sim", "--device-options", f"rate={rate:.0f} compute=0") as (address, _):
        for name, (bandwidth, latency) in K40.items():
            where = f"{latency * 1e6:.0f}us,{bandwidth / scale / 1e6:.3f}MB/s@{address}"
            lines = subprocess.run([program, where, str(n)], capture_output=True, text=True, timeout=LIMIT_SECONDS,
                                   check=True).stdout.splitlines()
            found = [(float(one), int(parts), which) for one, parts, which in (line.split(maxsplit=2) for line in lines)]
            found.append((statistics.median(bench.run(where, "remote", "dgemm", n, 4)[0][1:]), 16, "the library"))
            best = min(found)[0]
            for seconds, parts, which in found:
                show(f"order {name} {which} {parts}", f"{seconds / best:6.2f} of the best", ratio_to_best=seconds / best)


def both(bench):
    """dgemm where device and local library take as long as each other."""
    n = 1200
    local = statistics.median(bench.run(None, "", "dgemm", n, 5)[0][1:])
    with bench.server("--device", "sim", "--device-options", f"rate={2 * n**3 / local:.0f} compute=0") as (address, _):
        remote = statistics.median(bench.run(address, "remote", "dgemm", n, 5)[0][1:])
        shared = statistics.median(bench.run(address, "both", "dgemm", n, 5)[0][1:])
    best = min(local, remote)
    show("both dgemm", f"{shared / best:6.2f} of the faster place (at most 0.70)", ratio_to_faster=shared / best)


def transform(bench):
    """One transform of complex f64 on a modelled device against the sum of sending, computing and returning, which is the
    bound; then how much of the time for planning is hidden by sending."""
    program = bench.program("offload_transforms")
    if not program:
        return show("transform", "this machine has no libfftw3-dev")
    n, pace, flops = 1 << 18, 40e6, 5 * 18 * (1 << 18)
    sending, planning = 16 * n / pace, 0.340

    def seconds(*options):
        with bench.server("--device", "sim", "--device-options", " ".join((f"rate={flops / 0.02:.0f} compute=0", *options))) as (address, _):
            words = bench.words(f"100us,{pace / 1e6:.0f}MB/s@{address}", "remote")
            done = subprocess.run([*words, program, "c2c1", str(n), "5"], capture_output=True, text=True, timeout=LIMIT_SECONDS,
                                  check=True)
            return [float(one) for one in done.stdout.split()[:-1]]

    plain, planned = seconds(), seconds(f"plan_time={planning * 1e6:.0f}")
    ratio = (2 * sending + 0.02) / statistics.median(plain[1:])
    hidden = 1 - (planned[0] - plain[0]) / planning
    show("transform", f"{ratio:6.2f} of the bound (at least 0.90); of 340 ms of planning {hidden:.0%} are hidden (sending "
         f"takes {1000 * sending:.0f} ms)", ratio_to_bound=ratio, hidden_share=hidden)


def kept(bench):
    """What a second dgemm with the same A and B moves, against the result alone: it adds to that of the first, so C comes back,
    and need not be sent."""
    n = 600
    with bench.server("--device", "host") as (address, _):
        once, twice = (sum(one["bytes"] for one in bench.run(address, "remote", "dgemm", n, calls, keep="1G")[2])
                       for calls in (1, 2))
    ratio = (twice - once) / (8 * n * n)
    show("kept operands", f"{ratio:6.2f} of the bytes of C (2: C alone, there and back)", ratio_to_result=ratio)


def kept_matrix(bench):
    """What 20 solves with one matrix move, against its bytes once: its factors, each time one right-hand side."""
    n, calls = 1200, 20
    with bench.server("--device", "host") as (address, _):
        for routine in ("dgetrs", "dtrsm"):
            moved = sum(one["bytes"] for one in bench.run(address, "remote", routine, n, calls, keep="1G")[2])
            # Solutions come back, whatever is kept. The right-hand sides of dgetrs are sent, one column each; those of dtrsm
            # are the solutions before, so that only the first are.
            others = 8 * n * 2 * calls if routine == "dgetrs" else 8 * n * n * (calls + 1)
            ratio = (moved - others) / (8 * n * n)
            show(f"kept {routine}", f"{ratio:6.2f} of the matrix in {calls} solves (at most 1.1)", ratio_to_matrix=ratio)


def clients(bench):
    """Equal clients of a modelled device at the same time: how equal they are, and what they have together. Then how long a
    small call waits for big ones, in parts of a big one, of which it has 16."""
    n, calls = 400, 12 if QUICK else 30
    with bench.server("--device", "sim", "--device-options", f"rate={2 * n**3 / 0.03:.0f} compute=0") as (address, _):
        def start(order, count):
            return subprocess.Popen([*bench.words(address, "remote"), bench.calls, "dgemm", str(order), str(count)],
                                    stdout=subprocess.PIPE, text=True, env=bench.environment())

        def seconds_of(process):
            return [float(one) for one in process.communicate(timeout=LIMIT_SECONDS)[0].split()[1:-1]]

        def together(count):
            running = [start(n, calls) for _ in range(count)]
            all_seconds = [seconds_of(process) for process in running]
            # While all of them work: the second third of each.
            return [1 / statistics.mean(one[len(one) // 3:2 * len(one) // 3]) for one in all_seconds]

        alone = together(1)[0]
        for count in (2, 8):
            rates = together(count)
            spread, part = min(rates) / max(rates), sum(rates) / alone
            show(f"clients {count}", f"{spread:6.2f} slowest to fastest (at least 0.90), {part:.2f} of one alone in sum (at least "
                 "0.95)", slowest_to_fastest=spread, sum_to_alone=part)
        big, small = 2 * n, 64
        part_seconds = 0.03 * 8 / 16
        quiet = statistics.median(seconds_of(start(small, 50)))
        running = [start(big, 12 if QUICK else 20) for _ in range(4)]
        for process in running:
            process.stdout.readline()  # it works by now
        busy = sorted(seconds_of(start(small, 50)))
        for process in running:
            process.terminate()
            process.communicate()
        waits = [(one - quiet) / part_seconds for one in (statistics.median(busy), busy[len(busy) * 9 // 10])]
        show("clients small beside big", f"{waits[0]:6.2f} parts of waiting, {waits[1]:.2f} in nine of ten calls (at most 2)",
             parts_waited=waits[0], parts_waited_in_nine_of_ten=waits[1])


def memory(bench):
    n, given = 1500, 64 << 20
    with bench.server("--device", "host", "--memory", str(given)) as (address, process):
        alone = bench.run(None, "", "dgemm", n, 3)[1]
        extra = bench.run(address, "remote", "dgemm", n, 3, keep="1G")[1] - alone
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    serving = 1024 * int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])
    most = 1.1 * given + 200e6
    show("memory", f"{extra / 2**20:6.0f} MiB more than the program (at most 256); server with 64 MiB: {serving / 2**20:.0f} MiB (at "
         f"most {most / 2**20:.0f})", client_mib=extra / 2**20, server_mib=serving / 2**20)


def small(bench):
    """Calls that take no time, with place remote: what one costs."""
    with bench.server("--device", "host") as (address, _):
        for routine in ("dgemm", "dgetrf", "dpotrf"):
            seconds = statistics.median(bench.run(address, "remote", routine, 16, 200)[0][1:])
            show(f"small {routine} 16", f"{seconds * 1e3:6.2f} ms a call", seconds=seconds)


FIGURES = {one.__name__: one for one in (pipeline, order, both, transform, wire, kept, kept_matrix, clients, memory, small,
                                         never_slower, overhead, lost)}

if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    wanted = sys.argv[3:] or list(FIGURES)
    if unknown := [name for name in wanted if name not in FIGURES]:
        sys.exit(f"no figure {unknown[0]}: {', '.join(FIGURES)}")
    of = Bench(*sys.argv[1:3])
    for name in wanted:
        FIGURES[name](of)
