#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a benchmark and draws its figures: for each a PNG and a JSON file, next to what was published.

Usage: figures.py PROGRAM OUT_FOLDER [ARGUMENTS of the program...]
Records with the keys figure, row, column, speedup and published are drawn: a group of bars for each row, a bar for each
column, a line across where the published figure is a number. PNG needs matplotlib (python3-matplotlib of Debian).
"""
import json
import pathlib
import re
import subprocess
import sys


def records_of(command):
    """What the program prints, by figure; its table goes to standard error as always."""
    figures = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout:
            print(line, end="", flush=True)
            if line.startswith("{"):
                record = json.loads(line)
                if "figure" in record:
                    figures.setdefault(record["figure"], []).append(record)
    if running.returncode != 0:
        sys.exit(f"figures.py: {command[0]} failed")
    return figures


def published_range(text):
    """Lowest and highest number that a published text begins with; nothing if it begins with none."""
    found = re.match(r"(?:about )?(\d+(?:\.\d+)?)(?: to (\d+(?:\.\d+)?))?", text or "")
    if found is None:
        return None
    low = float(found[1])
    return low, float(found[2] or low)


def draw(name, records, path, pyplot):
    rows = list(dict.fromkeys(record["row"] for record in records))
    columns = list(dict.fromkeys(record["column"] for record in records))
    figure, axes = pyplot.subplots(figsize=(10, 1.2 + 0.22 * len(rows) * (len(columns) + 1)))
    height = 0.8 / len(columns)
    for c, column in enumerate(columns):
        of_column = {record["row"]: record for record in records if record["column"] == column}
        at = [r + (c - (len(columns) - 1) / 2) * height for r, row in enumerate(rows) if row in of_column]
        axes.barh(at, [of_column[row]["speedup"] for row in rows if row in of_column], height, label=column)
    for r, row in enumerate(rows):
        published = published_range(next((record["published"] for record in records
                                          if record["row"] == row and record.get("published")), ""))
        if published is not None:
            axes.fill_betweenx([r - 0.45, r + 0.45], published[0] * 0.99, published[1] * 1.01, color="black", alpha=0.35,
                               label="published" if "published" not in axes.get_legend_handles_labels()[1] else None)
    axes.set_yticks(range(len(rows)), rows)
    axes.invert_yaxis()
    axes.axvline(1, color="gray", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xlabel("times faster")
    axes.set_title(name)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def main(program, folder, arguments):
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    figures = records_of([program, *arguments])
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        pyplot = None
        print("figures.py: no PNG without matplotlib (of Debian: python3-matplotlib)", file=sys.stderr)
    for name, records in figures.items():
        stem = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
        (out / f"{stem}.json").write_text(json.dumps(records, indent=1) + "\n")
        if pyplot is not None:
            draw(name, records, out / f"{stem}.png", pyplot)
    print(f"{len(figures)} figures in {out}", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
