#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much waiting does prefetching take away? See README.md.

usage: run.py BLOCKYARD [--out FOLDER] [--delay 100us,1GB/s] [--quick]
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GEOMETRY = "O 0.0 0.0 0.1173\nH 0.0 0.7572 -0.4692\nH 0.0 -0.7572 -0.4692"
RANGES = range(1, 21)
DEPTHS = range(0, 11)
SIDES = [8, 12, 20, 30, 40, 54]  # elements of a block: up to 2,916 ...
LARGE_SIDES = [100, 200, 400, 1000]  # ... and up to 1e6
SIDE = 40
TARGET = 0.9


class Bench:
    def __init__(self, blockyard, out, delay, repeats):
        self.blockyard, self.out, self.delay, self.repeats = blockyard, out, delay, repeats
        self.results = {}

    def run(self, arguments):
        """The report of one run."""
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, "report.json")
            command = [self.blockyard, "run", *map(str, arguments), "--quiet", "--report", report,
                       "--fabric-delay", self.delay]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{' '.join(map(str, command))}:\n{done.stderr}")
            return json.loads(report.read_text())

    def read(self, prefetch, length=10, side=SIDE, work=1):
        """Hit ratio, first and mean wait (microseconds) of the get of read.sial: medians."""
        found = []
        for _ in range(self.repeats):
            report = self.run([HERE / "read.sial", "-w", 1, "--set", f"range={length}", "--set",
                               f"work={work}", "--segments", f"mo={side}", "--prefetch", prefetch])
            line = report["programs"][0]["workers"][0]["lines"][0]
            found.append((line["hit_ratio"], line["first_wait_seconds"] * 1e6,
                          line["mean_wait_seconds"] * 1e6))
        hit, first, mean = (statistics.median(column) for column in zip(*found))
        return {"hit_ratio": hit, "first_wait_us": first, "mean_wait_us": mean}

    def series(self, name, values, prefetches, measure):
        """One curve for each prefetch; prints a line of JSON for each point."""
        curves = {}
        for prefetch in prefetches:
            curves[prefetch] = []
            for value in values:
                point = measure(prefetch, value)
                curves[prefetch].append(point)
                print(json.dumps({"bench": "prefetch", "case": f"{name} {value} prefetch {prefetch}",
                                  **point}), flush=True)
        self.results[name] = {"values": list(values), "curves": curves}
        return curves

    def plot(self, name, title, x_label, values, curves, keys, log=False):
        try:
            import matplotlib
        except ImportError:
            print("note: no figures without matplotlib (python3-matplotlib)", file=sys.stderr)
            return
        matplotlib.use("Agg")
        from matplotlib import pyplot
        figure, axes = pyplot.subplots(len(keys), 1, figsize=(6, 3 * len(keys)), squeeze=False)
        for row, key in zip(axes[:, 0], keys):
            for prefetch, points in curves.items():
                row.plot(values, [point[key] for point in points], marker="o", markersize=3,
                         label=f"prefetch {prefetch}")
            row.set_ylabel(key.replace("_", " "))
            if log:
                row.set_xscale("log")
        axes[0, 0].set_title(title)
        axes[0, 0].legend(fontsize="small")
        axes[-1, 0].set_xlabel(x_label)
        figure.tight_layout()
        figure.savefig(self.out / f"{name}.png", dpi=100)
        pyplot.close(figure)

    def job(self, basis, prefetch, servers, workers=1):
        """Seconds and waits of the CCSD program of water."""
        with tempfile.TemporaryDirectory() as folder:
            job = pathlib.Path(folder, "job.toml")
            job.write_text(f'[molecule]\ngeometry = """\n{GEOMETRY}\n"""\n[basis]\nname = "{basis}"\n'
                           '[method]\nname = "ccsd"\n[segments]\noccupied = 2\nvirtual = 5\n')
            report = self.run([job, "-w", workers, "-s", servers, "--prefetch", prefetch])
        program = next(p for p in report["programs"] if p["name"].startswith("ccsd"))
        total = {key: sum(worker[key] for worker in program["workers"])
                 for key in ("block_wait_seconds", "wasted_prefetches", "prefetches")}
        return {"seconds": program["seconds"], "wait_seconds": total["block_wait_seconds"],
                "hit_ratio": program["workers"][0]["hit_ratio"], "prefetches": total["prefetches"],
                "wasted": total["wasted_prefetches"]}


def small_programs(bench, quick):
    ranges = [1, 5, 10, 20] if quick else RANGES
    curves = bench.series("range", ranges, ["0", "1", "auto"],
                          lambda p, n: bench.read(p, length=n))
    for name, key, title in (("hit_ratio", "hit_ratio", "hit ratio against index range"),
                             ("first_wait", "first_wait_us", "wait of the first iteration"),
                             ("mean_wait", "mean_wait_us", "mean wait of an iteration")):
        bench.plot(f"range_{name}", title, "index range", ranges, curves, [key])
    for name, sides in (("size_small", SIDES), ("size_large", LARGE_SIDES)):
        sides = sides[-2:] if quick else sides
        sizes = bench.series(name, sides, ["0", "1", "auto"], lambda p, n: bench.read(p, side=n))
        bench.plot(name, "waits against block size", "elements of a block", [n * n for n in sides],
                   sizes, ["first_wait_us", "mean_wait_us"], log=True)
    depths = bench.series("depth", [0, 1, 5] if quick else DEPTHS, ["fixed"],
                          lambda _, n: bench.read(str(n), length=20))
    bench.plot("depth", "waits against blocks prefetched", "blocks prefetched",
               bench.results["depth"]["values"], depths, ["first_wait_us", "mean_wait_us", "hit_ratio"])
    return curves, ranges


def ccsd(bench, quick):
    servers = [1] if quick else [1, 2, 3, 4]
    curves = bench.series("ccsd", servers, ["0", "1", "auto"],
                          lambda p, s: bench.job("cc-pvdz", p, s))
    bench.plot("ccsd", "CCSD of water, cc-pVDZ", "servers", servers, curves,
               ["seconds", "wait_seconds"])
    gone = [1 - a["wait_seconds"] / z["wait_seconds"] for a, z in zip(curves["auto"], curves["0"])]
    for count, share in zip(servers, gone):
        print(json.dumps({"bench": "prefetch", "case": f"ccsd wait gone, {count} servers",
                          "share": share, "target": TARGET}))
    return gone


def compare(bench, curves, ranges, gone):
    """The known results, as the literature states them, beside ours."""
    def factor(condition):
        found = [z["mean_wait_us"] / max(o["mean_wait_us"], 1e-3)
                 for n, z, o in zip(ranges, curves["0"], curves["1"]) if condition(n)]
        return statistics.median(found) if found else float("nan")

    hits = dict(zip(ranges, (point["hit_ratio"] for point in curves["auto"])))
    depths = bench.results["depth"]
    best = min(zip(depths["values"], depths["curves"]["fixed"]), key=lambda at: at[1]["mean_wait_us"])
    rows = [
        ("hit ratio flattens after range 6", ", ".join(f"{n}: {hits[n]:.2f}" for n in ranges
                                                       if n in (1, 3, 6, 10, 20))),
        ("wait falls by 2 for ranges above 5 (depth 1)", f"{factor(lambda n: n > 5):.1f}"),
        ("wait falls by 3 above 9 (depth 1)", f"{factor(lambda n: n > 9):.1f}"),
        ("depth 1 is best in most cases", f"best mean wait at depth {best[0]}"),
        ("a whole CCSD gains 27 % of its wait on few ranks, 49 % on 32",
         ", ".join(f"{100 * share:.0f} %" for share in gone) + " (1 worker; 1.. servers; auto)"),
    ]
    table = "| known | here |\n|---|---|\n" + "".join(f"| {a} | {b} |\n" for a, b in rows)
    (bench.out / "known_results.md").write_text(table)
    print(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("blockyard")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--delay", default="100us,1GB/s")
    parser.add_argument("--quick", action="store_true", help="few points")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    bench = Bench(arguments.blockyard, arguments.out, arguments.delay, 1 if arguments.quick else 3)
    curves, ranges = small_programs(bench, arguments.quick)
    gone = ccsd(bench, arguments.quick)
    (arguments.out / "prefetch.json").write_text(json.dumps(bench.results, indent=1))
    compare(bench, curves, ranges, gone)


if __name__ == "__main__":
    main()
