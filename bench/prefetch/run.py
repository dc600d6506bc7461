#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much waiting does prefetching take away? See README.md."""
import argparse
import pathlib
import statistics

import jobs
from bench import Bench, lines_of

RANGES = list(range(1, 21))
DEPTHS = list(range(0, 11))
SIDES = [8, 12, 16, 20, 22, 24, 30, 40, 54]  # elements of a block: up to 2,916 ...
LARGE_SIDES = [100, 200, 400, 1000]  # ... and up to 1e6
WAYS = ["0", "1", "auto"]
STEP = 500  # elements above which the literature saw the first wait double


def by_range(bench):
    ranges = [1, 5, 10, 20] if bench.options.quick else RANGES
    bench.series("range", ranges, WAYS, lambda p, n: bench.read(p, length=n))
    _, curves = bench.curves("range")
    for name, key, title, unit in (("hit_ratio", "hit_ratio", "hit ratio against index range", "hit ratio"),
                                   ("first_wait", "first_wait_us", "wait of the first iteration", "microseconds"),
                                   ("mean_wait", "mean_wait_us", "mean wait of an iteration", "microseconds")):
        bench.plot(f"range_{name}", [[(title, "index range", unit, ranges, lines_of(curves, key))]])


def by_size(bench):
    for name, sides in (("size_small", SIDES), ("size_large", LARGE_SIDES)):
        elements = [side * side for side in (sides[::len(sides) - 1] if bench.options.quick else sides)]
        bench.series(name, elements, WAYS, lambda p, n: bench.read(p, side=round(n**0.5)))
        _, curves = bench.curves(name)
        bench.plot(name, [[(f"{what} wait by block size", "elements of a block", "microseconds", elements,
                            lines_of(curves, f"{what}_wait_us"), "log")] for what in ("first", "mean")])


def by_depth(bench):
    depths = [0, 1, 5] if bench.options.quick else DEPTHS
    bench.series("depth", depths, ["fixed"], lambda _, n: bench.read(str(n), length=20))
    _, curves = bench.curves("depth")
    bench.plot("depth", [[(title, "blocks prefetched", unit, depths, lines_of(curves, key))]
                         for title, unit, key in (("first wait", "microseconds", "first_wait_us"),
                                                  ("mean wait", "microseconds", "mean_wait_us"),
                                                  ("hit ratio", "", "hit_ratio"))])


def of_each(values, points, key, condition=lambda value: True):
    return [point[key] for value, point in zip(values, points) if condition(value)]


def summary(bench):
    """The published results next to ours, from what the other figures measured: a picture and a table."""
    for name, measure in (("range", by_range), ("size_small", by_size), ("depth", by_depth)):
        if name not in bench.results:
            measure(bench)
    ranges, waits = bench.curves("range")
    sizes, by_elements = bench.curves("size_small")
    depths, fixed = bench.curves("depth")
    relative = [without["mean_wait_us"] / max(one["mean_wait_us"], 1e-3)
                for without, one in zip(waits["0"], waits["1"])]

    def factor(condition):
        return statistics.median([r for n, r in zip(ranges, relative) if condition(n)] or [float("nan")])

    without = by_elements["0"]
    small = of_each(sizes, without, "first_wait_us", lambda n: n <= STEP) or [float("nan")]
    large = of_each(sizes, without, "first_wait_us", lambda n: n > STEP)
    step = statistics.median(large) / statistics.median(small)
    best = depths[min(range(len(depths)), key=lambda k: fixed["fixed"][k]["mean_wait_us"])]
    hits = {n: point["hit_ratio"] for n, point in zip(ranges, waits["auto"])}
    rows = [
        ("hit ratio flattens after range 6",
         "auto: " + ", ".join(f"{hits[n]:.2f} at {n}" for n in (1, 3, 6, 10, 20) if n in hits)),
        ("mean wait falls by 2 for ranges above 5 (depth 1)", f"by {factor(lambda n: n > 5):.1f}"),
        ("mean wait falls by 3 for ranges above 9 (depth 1)", f"by {factor(lambda n: n > 9):.1f}"),
        (f"first wait doubles above {STEP} elements", f"{step:.2f} times as long up to {max(sizes)} elements"),
        ("depth 1 is best in most cases", f"shortest mean wait at depth {best}"),
    ]
    table = "| known | here |\n|---|---|\n" + "".join(f"| {a} | {b} |\n" for a, b in rows)
    (bench.options.out / "known_results.md").write_text(table)
    print(table)
    bench.plot("summary", [
        [("hit ratio (known: flat from 6)", "index range", "", ranges, lines_of(waits, "hit_ratio")),
         ("wait, depth 0 over 1 (known: 2 from 6, 3 from 10)", "index range", "", ranges, {"": relative})],
        [(f"first wait (known: doubles above {STEP})", "elements of a block", "microseconds", sizes,
          lines_of(by_elements, "first_wait_us")),
         ("mean wait by depth (known: 1 is best)", "blocks prefetched", "microseconds", depths,
          lines_of(fixed, "mean_wait_us"))]])


FIGURES = {"range": by_range, "size": by_size, "depth": by_depth, "summary": summary, "ccsd": jobs.ccsd,
           "c12h10": jobs.molecule}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("blockyard")
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help=f"of {', '.join(FIGURES)} (default: all)")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="folder of what is measured")
    parser.add_argument("--images", type=pathlib.Path, help="folder of the pictures (default: that of --out)")
    parser.add_argument("--delay", default="100us,1GB/s")
    parser.add_argument("--repeats", type=int, default=3, help="runs of a small program for each point")
    parser.add_argument("--quick", action="store_true", help="few points")
    parser.add_argument("--basis", default="sto-3g", help="of C12H10")
    parser.add_argument("--iterations", type=int, default=3, help="of its CCSD")
    parser.add_argument("--workers", type=int, default=3, help="for it")
    options = parser.parse_args()
    unknown = set(options.figures) - set(FIGURES)
    if unknown:
        parser.error(f"no such figure: {', '.join(sorted(unknown))}; there are {', '.join(FIGURES)}")
    options.out.mkdir(parents=True, exist_ok=True)
    bench = Bench(options)
    for name in options.figures or FIGURES:
        FIGURES[name](bench)


if __name__ == "__main__":
    main()
