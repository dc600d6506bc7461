#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cases of contract_bench by other libraries, each in turn with our program.

Usage: peers.py CONTRACT_BENCH [--list large] [--type f64] [--threads 1 2] [--quick] [--rounds 3] [--json FILE]
Peers: numpy.einsum(optimize=True), opt_einsum, TBLIS (pytblis) and torch, those of them that are installed
for this Python or in build/peers (tools/setup_peers).
"""
import argparse
import json
import math
import os
import subprocess
import sys
import time

PEERS = ["numpy", "opt_einsum", "tblis", "torch"]


def contraction_of(peer, expression, left, right):
    """A function that contracts once, or None if the peer is not installed."""
    try:
        if peer == "numpy":
            import numpy
            return lambda: numpy.einsum(expression, left, right, optimize=True)
        if peer == "opt_einsum":
            import opt_einsum
            return lambda: opt_einsum.contract(expression, left, right)
        if peer == "tblis":
            import pytblis
            pytblis.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
            return lambda: pytblis.einsum(expression, left, right)
        import torch
        torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
        tensors = torch.from_numpy(left), torch.from_numpy(right)
        return lambda: torch.einsum(expression, *tensors)
    except ImportError:
        return None


def measure_peers(case, kind, rounds):
    """In a process of its own: seconds by peer, the best of some rounds in turn."""
    import numpy
    result, left, right = case["expression"].split("-")
    random = numpy.random.default_rng(1)
    blocks = []
    for letters in (left, right):
        # Their first index is the slowest, ours the fastest: letters back to front, the same memory.
        extents = [case["extents"][letter] for letter in reversed(letters)]
        blocks.append(random.random(extents).astype("f8" if kind == "f64" else "f4"))
    expression = f"{left[::-1]},{right[::-1]}->{result[::-1]}"
    contract = {peer: contraction_of(peer, expression, *blocks) for peer in PEERS}
    clock = time.process_time if os.environ["OMP_NUM_THREADS"] == "1" else time.perf_counter
    best = {}
    for _ in range(rounds):
        for peer, run in contract.items():
            if run is None:
                continue
            begin = clock()
            run()
            best[peer] = min(best.get(peer, math.inf), clock() - begin)
    return best


def python_of_peers():
    python = os.path.join(os.path.dirname(__file__), "../../build/peers/bin/python")
    return python if os.path.exists(python) else sys.executable


def run_ours(bench, case, kind, threads, options):
    command = [bench, "--list", case["list"], "--only", case["expression"], "--type", kind,
               "--threads", str(threads), "--rounds", str(options.rounds)]
    lines = subprocess.run(command + (["--quick"] if options.quick else []), check=True,
                           capture_output=True, text=True).stdout.splitlines()
    return json.loads(lines[0])


def run_peers(case, kind, threads, options):
    environment = dict(os.environ)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        environment[name] = str(threads)
    command = [python_of_peers(), __file__, "--measure", json.dumps(case), "--type", kind,
               "--rounds", str(options.rounds), options.bench]
    out = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return json.loads(out.stdout)


def table(name, kind, threads, cases, options):
    """Per cent of gemm for us and each peer, and the geometric means."""
    rows = []
    print(f"\n{name}, {kind}, {threads} thread(s): per cent of gemm\n{'':20}{'gemm Gf/s':>10}{'ours':>8}"
          + "".join(f"{peer:>12}" for peer in PEERS), file=sys.stderr)
    for case in cases:
        ours = run_ours(options.bench, case, kind, threads, options)
        gflop = 2e-9 * ours["m"] * ours["n"] * ours["k"]
        ratios = {"ours": ours["ratio_to_gemm"]}
        for peer, seconds in run_peers(case, kind, threads, options).items():
            ratios[peer] = gflop / seconds / ours["gemm_gflops"]
        rows.append(ratios)
        print(f"{case['expression']:20}{ours['gemm_gflops']:10.1f}{100 * ratios['ours']:8.0f}"
              + "".join(f"{100 * ratios[p]:12.0f}" if p in ratios else f"{'-':>12}" for p in PEERS),
              file=sys.stderr)
        yield {"bench": "contract_peers", "case": f"{name} {case['expression']} {kind} x{threads}",
               **{f"ratio_to_gemm_{who}": ratio for who, ratio in ratios.items()}}
    means = {who: math.exp(sum(math.log(row[who]) for row in rows) / len(rows))
             for who in rows[0] if all(who in row for row in rows)}
    ahead = {who: sum(row["ours"] > row[who] for row in rows) for who in means if who != "ours"}
    print("geometric means: " + ", ".join(f"{who} {100 * mean:.0f} %" for who, mean in means.items())
          + "; we are ahead of " + ", ".join(f"{who} in {n} of {len(rows)}" for who, n in ahead.items()),
          file=sys.stderr)
    yield {"bench": "contract_peers", "case": f"{name} geometric mean {kind} x{threads}",
           **{f"ratio_to_gemm_{who}": mean for who, mean in means.items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("--list", default="large")
    parser.add_argument("--type", nargs="+", default=["f64"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure_peers(json.loads(options.measure), options.type[0], options.rounds)))
        return
    show = [options.bench, "--list", options.list, "--show-cases"] + ["--quick"] * options.quick
    listed = subprocess.run(show, check=True, capture_output=True, text=True).stdout
    cases = [json.loads(line) for line in listed.splitlines()]
    out = open(options.json, "w") if options.json else sys.stdout
    for kind in options.type:
        for threads in options.threads:
            for record in table(options.list, kind, threads, cases, options):
                print(json.dumps(record), file=out, flush=True)


if __name__ == "__main__":
    main()
