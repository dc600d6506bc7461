# SPDX-License-Identifier: Apache-2.0
"""Runs, series of runs, and pictures of them."""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SIDE = 40


class Bench:
    """Measurements are kept in a file of the folder `out`, so that figures can be made one by one."""

    def __init__(self, options):
        self.options = options
        self.kept = options.out / "prefetch.json"
        self.results = json.loads(self.kept.read_text()) if self.kept.exists() else {}

    def run(self, arguments):
        """The report of one run."""
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, "report.json")
            command = [self.options.blockyard, "run", *map(str, arguments), "--quiet", "--report", report,
                       "--fabric-delay", self.options.delay]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(f"{' '.join(map(str, command))}:\n{done.stderr}")
            return json.loads(report.read_text())

    def read(self, prefetch, length=10, side=SIDE, work=1):
        """Hit ratio, first and mean wait (microseconds) of the get of read.sial: of the repeat that waited
        least, which other work on the machine disturbed least."""
        found = []
        for _ in range(self.options.repeats):
            report = self.run([HERE / "read.sial", "-w", 1, "--set", f"range={length}", "--set",
                               f"work={work}", "--segments", f"mo={side}", "--prefetch", prefetch])
            line = report["programs"][0]["workers"][0]["lines"][0]
            found.append((line["hit_ratio"], line["first_wait_seconds"] * 1e6,
                          line["mean_wait_seconds"] * 1e6))
        hit, _, mean = min(found, key=lambda one: one[2])
        return {"hit_ratio": hit, "first_wait_us": min(first for _, first, _ in found), "mean_wait_us": mean}

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
        self.kept.write_text(json.dumps(self.results, indent=1))

    def curves(self, name):
        """Values and curves of a series that was measured."""
        return self.results[name]["values"], self.results[name]["curves"]

    def plot(self, name, panels):
        """A picture of rows of panels. A panel is (title, label of x, label of y, values, {label: numbers}) with
        a trailing "log" for a logarithmic x axis."""
        try:
            import matplotlib
        except ImportError:
            print("note: no figures without matplotlib (python3-matplotlib)", file=sys.stderr)
            return
        matplotlib.use("Agg")
        from matplotlib import pyplot
        columns = max(map(len, panels))
        figure, axes = pyplot.subplots(len(panels), columns, squeeze=False,
                                       figsize=(6 if columns == 1 else 4 * columns, 3 * len(panels)))
        for places, row in zip(axes, panels):
            for place, (title, x_label, y_label, values, lines, *scale) in zip(places, row):
                for label, numbers in lines.items():
                    place.plot(values, numbers, marker="o", markersize=3, label=label)
                place.set_title(title, fontsize="medium")
                place.set_xlabel(x_label)
                if len(values) < 6:
                    place.set_xticks(values)
                place.set_ylabel(y_label)
                place.set_ylim(bottom=0)
                if scale:
                    place.set_xscale(scale[0])
                if len(lines) > 1:
                    place.legend(fontsize="small")
        figure.tight_layout()
        images = self.options.images or self.options.out
        images.mkdir(parents=True, exist_ok=True)
        figure.savefig(images / f"prefetch_{name}.png", dpi=100)
        pyplot.close(figure)


def lines_of(curves, key):
    """{label: numbers} of one key of a series."""
    return {f"prefetch {prefetch}": [point[key] for point in points] for prefetch, points in curves.items()}
