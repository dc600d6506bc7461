#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The small programs of ACES4's src/sialx/test, unchanged, against their results there: programs.py.

    test_programs.py [PROGRAM...]
"""

import json
import pathlib
import re
import sys
import tempfile

import clone
import programs

NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?(?![\w.])")


def near(got, wanted):
    return got is not None and abs(got - wanted) <= 1e-9 * max(1, abs(wanted))


def compare(results, entry, ranks):
    """The faults, a line each."""
    numbers = results.get("scalars", {}) | results.get("ints", {})
    wanted = entry.get("values", {}) | (entry.get("of_one", {}) if ranks == "one" else {})
    wrong = [f"{name} = {numbers.get(name)}, must be {value}"
             for name, value in wanted.items() if not near(numbers.get(name), value)]
    for name, value in entry.get("sums", {}).items():
        got = sum(results["arrays"][name]["values"])
        if not near(got, value):
            wrong.append(f"the sum of {name} is {got}, must be {value}")
    if "printed" in entry and ranks == "one":
        found = [float(number) for number in NUMBER.findall(re.sub(r"\[[^\]]*\]", "", results["printed"]))]
        count, total = entry["printed"]
        if len(found) != count or not near(sum(found), total):
            wrong.append(f"{len(found)} numbers printed with the sum {sum(found)}, must be {count} and {total}")
    return wrong


def run(root, folder, name, ranks):
    entry = programs.PROGRAMS[name]
    sources = root / "src" / "sialx" / "test"
    files = [sources / f"{program}.sialx" for program in entry.get("programs", [name])]
    for file, text in entry.get("files", {}).items():
        (folder / file).write_text(text)
    # Their tests give some programs constants that these do not have: --set refuses those, a job file may have them.
    job = folder / "job.toml"
    job.write_text(f"programs = {json.dumps([str(file) for file in files])}\n[constants]\n" + "".join(
        f"{key} = {value}\n" for key, value in entry.get("set", {}).items()) + "[arrays]\n" + "".join(
            f"{array} = {{ extents = [{len(values)}], values = {values}, type = {kind!r} }}\n"
            for array, (kind, values) in entry.get("arrays", {}).items()))
    words = [job]
    words += [f"--segments={kind}={','.join(map(str, extents))}" for kind, extents in entry.get("segments", {}).items()]
    try:
        results = clone.run(folder, ranks, *words)
    except AssertionError as error:
        return [] if entry.get("fails") and "exit code 1:" in str(error) else [str(error)]
    return ["ends without an error"] if entry.get("fails") else compare(results, entry, ranks)


def main():
    root = clone.root()
    names = sys.argv[1:] or list(programs.PROGRAMS)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            for ranks in ("one", "three"):
                wrong = run(root, pathlib.Path(folder), name, ranks)
                if wrong:
                    print(f"WRONG {name} ({ranks})", *wrong, sep="\n    ", flush=True)
                    failed += 1
    print(f"{2 * len(names) - failed} of {2 * len(names)} runs of {len(names)} programs right")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
