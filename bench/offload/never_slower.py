# SPDX-License-Identifier: Apache-2.0
"""Is a program with the library ever slower than alone? Whole processes, in pairs, from start to end.

Each does the same calls, about WORK_SECONDS of them, first alone and then with place `auto`. A process may take
START_SECONDS more for the library and its connection.
"""
import contextlib
import os
import statistics
import subprocess
import time

from measured import LIMIT_SECONDS, QUICK, show

WORK_SECONDS, START_SECONDS = 0.3, 0.020
PAIRS = 3 if QUICK else 5
MATRICES = ("dgemm", "dpotrf") if QUICK else ("dgemm", "dsyrk", "dtrsm", "dgetrf", "dpotrf")
EXTENTS = {routine: (64, 512) if QUICK else (32, 128, 512, 2048, 4096) for routine in MATRICES}
TRANSFORMS = {"c2c1": (4096,)} if QUICK else {
    kind + order: extents for kind in ("c2c", "r2c")
    for order, extents in (("1", (32, 512, 4096, 1 << 20)), ("2", (32, 512, 2048)), ("3", (32, 64, 256)))}


def program_for(bench, routine):
    return bench.program("offload_transforms") if routine in TRANSFORMS else bench.calls


def calls_in(bench, routine, n, seconds):
    """How many calls take about so long alone. At least one."""
    done = subprocess.run([program_for(bench, routine), routine, str(n), "1000000", "0.05"], capture_output=True,
                          text=True, timeout=LIMIT_SECONDS, check=True, env=bench.environment())
    return max(1, round(seconds / statistics.median(float(one) for one in done.stdout.split()[:-1])))


def whole_seconds(bench, words, ending=lambda: None):
    """From the start of a process to its end. ending: called while it runs."""
    began = time.perf_counter()
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, env=bench.environment() | {"BLOCKYARD_OFFLOAD_LOG": "off"}) as process:
        ending()
        if process.wait():  # with a limit it looks every 50 ms
            raise RuntimeError(f"{words}: exit status {process.returncode}")
    return time.perf_counter() - began


def compare(bench, case, routine, n, where, work_seconds, server=contextlib.nullcontext, ending=lambda found: None):
    """where: the address, or how it follows from what `server()` gives."""
    # All calls timed as one: printing is part of the program, and would hide what is asked.
    count = calls_in(bench, routine, n, work_seconds)
    words = [program_for(bench, routine), routine, str(n), str(count), "1e9", str(count)]
    ratios, extra = [], []
    for _ in range(PAIRS):
        alone = whole_seconds(bench, words)
        with server() as found:
            routed = whole_seconds(bench, bench.words(where(found), "auto") + words, lambda f=found, a=alone: ending(f, a))
        ratios.append((routed - START_SECONDS) / alone)
        extra.append(routed - alone)
    ratio = statistics.median(ratios)
    show(case, f"{ratio:6.3f} of alone, less {1000 * START_SECONDS:.0f} ms (at most 1.05); {1000 * statistics.median(extra):.0f} "
         f"ms more, {count} calls", ratio_to_alone=ratio, seconds_more=statistics.median(extra), calls=count)


def never_slower(bench):
    """auto against the program alone, for each kind of link. BLOCKYARD_BENCH_LINK: only this one."""
    with bench.server("--device", "host") as (address, _):
        links = {"unix": address, "1Gbit": f"200us,118MB/s@{address}"}
        if not QUICK:
            links |= {"10Gbit": f"50us,1.18GB/s@{address}", "none": f"unix:{bench.folder}/nobody"}
        only = os.environ.get("BLOCKYARD_BENCH_LINK")
        for link, where in links.items():
            if only not in (None, link):
                continue
            for routine, extents in (EXTENTS | (TRANSFORMS if bench.program("offload_transforms") else {})).items():
                for n in extents:
                    compare(bench, f"never_slower {routine} {n} {link}", routine, n, lambda _, at=where: at, WORK_SECONDS,
                            ending=lambda *_: None)


def lost(bench):
    """The server is killed half-way. Long enough for the library to have connected by then."""
    for routine, n in (("dgemm", 512),) if QUICK else (("dgemm", 512), ("dgemm", 2048), ("dsyrk", 1024), ("dtrsm", 1024),
                                                      ("dgetrf", 1024), ("dpotrf", 1024), ("c2c2", 1024)):
        if program_for(bench, routine):
            compare(bench, f"lost {routine} {n}", routine, n, lambda found: found[0], 2.0,
                    server=lambda: bench.server("--device", "host"), ending=kill_half_way)


def kill_half_way(found, alone_seconds):
    time.sleep(alone_seconds / 2)
    found[1].kill()


def overhead(bench):
    """What the library adds to a call that is too small to think about."""
    group, groups = 1000, 400
    for routine, n in (("dgemm", 16), *((("c2c1", 32),) if bench.program("offload_transforms") else ())):
        words = [program_for(bench, routine), routine, str(n), str(group * groups), "1e9", str(group)]

        def call_seconds(address, words=words):
            done = subprocess.run([*bench.words(address, "auto"), *words], capture_output=True, text=True, timeout=LIMIT_SECONDS,
                                  check=True, env=bench.environment())
            return statistics.median(float(one) for one in done.stdout.split()[:-1])

        more = []
        for _ in range(PAIRS):
            alone = call_seconds(None)
            more.append(call_seconds(f"unix:{bench.folder}/nobody") - alone)
        show(f"overhead {routine} {n}", f"{1e9 * statistics.median(more):6.0f} ns more a call (at most 50)",
             nanoseconds_more=1e9 * statistics.median(more))
