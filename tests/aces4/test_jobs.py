#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The jobs of ACES4's own tests, its programs unchanged, against the values of its C++ tests.

    test_jobs.py dat|zmat one|three|mpi [JOB...]

dat: the binary job files; those with values of earlier programs also run up to these, with one worker.
zmat: the inputs that stand in comments of the C++ tests, from which the job files were made.
"""

import math
import pathlib
import re
import struct
import sys
import tempfile
import time

import clone
import jobs

SOURCES = ["test_basic_qm.cpp", "test_qm.cpp", "test_qm_aux.cpp", "test_qm_frag.cpp"]
ZMAT_LIMIT = 1e-7  # ACES takes another length of the bohr in angstrom
CHECKSUM_LIMIT = 1e-5  # of a sum of squares of 21, that length changes all distances by 3e-7
STATE_LIMIT = 5e-4  # moments of states whose residual is 1e-6: from a ZMAT they come to it another way
COMMENT = re.compile(r"/\*(.*?)\*/\s*TEST\(\s*\w+\s*,\s*(?:DISABLED_)?(\w+)\s*\)", re.S)
ATOM = re.compile(r"[A-Za-z]{1,2}(\s+-?\d*\.\d+){3}\s*$|[A-Za-z]{1,2}\s*$")


def folders(root, job):
    """Where programs are looked for, the first first."""
    programs = root / "src" / "sialx"
    first = [programs / "qm" / "eom" / "depreciated"] if job in jobs.OLD_CIS else []
    return [word for folder in (*first, programs / "qm", programs / "test") for word in ("--programs", folder)]


def zmats(root):
    """Inputs by job. Their title is the line before the first atom."""
    found = {}
    for source in SOURCES:
        text = (root / "test" / source).read_text()
        for comment, job in COMMENT.findall(text):
            if "*ACES2" not in comment.split("*/")[0]:
                continue
            lines = comment.strip("\n").split("\n")
            first = next(k for k, line in enumerate(lines) if ATOM.match(line.strip()))
            name = job if job in jobs.EXPECTED or jobs.FRAGMENTS in comment else job.replace("_dropcoreinsial", "")
            found[name] = "\n".join(lines[first - 1:]) + "\n"
    return found


def cut(data, count):
    """A job file with the first `count` of its programs."""
    at, programs = 12, []
    for _ in range(struct.unpack_from("<i", data, 8)[0]):
        end = at + 4 + struct.unpack_from("<i", data, at)[0]
        programs.append(data[at:end])
        at = end
    return data[:8] + struct.pack("<i", count) + b"".join(programs[:count]) + data[at:]


def check(results, expected, kind):
    """The faults, a line each."""
    wrong = []
    for name, want, limit in expected:
        limit = max(limit, ZMAT_LIMIT if kind == "zmat" else 0)
        wants = want if isinstance(want, list) else [want]
        if isinstance(want, list):
            got = results["arrays"].get(name, {"values": []})["values"]
        else:
            got = [results["scalars"].get(name, math.nan)]
        if kind == "zmat" and name in jobs.OF_STATES:
            limit = STATE_LIMIT
        if kind == "zmat" and name == "ecp_checksum":
            limit = CHECKSUM_LIMIT
        if kind == "zmat" and name == "dipole":  # ACES turns the molecule before it writes a job file
            got, wants = [math.hypot(*got)], [math.hypot(*wants)]
        for k, number in enumerate(wants):
            if not (k < len(got) and abs(got[k] - number) <= limit):
                wrong.append(f"{name}[{k}] = {got[k] if k < len(got) else 'missing'}, must be {number} +- {limit}")
    return wrong


def runs_of(root, kind, ranks, folder):
    """Job, input file, programs in it and values of each run."""
    if kind == "zmat":
        for job, text in zmats(root).items():
            if jobs.FRAGMENTS in text:
                print(f"not run: {job}, which has a section {jobs.FRAGMENTS}: test_fragments.py")
                continue
            old, new = jobs.MENDED.get(job, ("", ""))
            path = folder / f"{job}.zmat"
            path.write_text(text.replace(old, new) if old else text)
            expected = jobs.EXPECTED[job]
            yield job, path, max(expected), expected[max(expected)]
        return
    for path in sorted((root / "test").glob("*.dat")):
        expected = jobs.EXPECTED[path.stem]
        for programs in sorted(expected) if ranks == "one" else [max(expected)]:
            part = folder / f"{path.stem}.dat"
            part.write_bytes(cut(path.read_bytes(), programs))
            yield path.stem, part, programs, expected[programs]


def main():
    kind, ranks, *only = sys.argv[1:]
    root = clone.root()
    failed = values = count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for job, path, programs, expected in runs_of(root, kind, ranks, folder):
            if only and job not in only:
                continue
            begin = time.perf_counter()
            try:
                wrong = check(clone.run(folder, ranks, path, *folders(root, job)), expected, kind)
            except AssertionError as error:
                wrong = [str(error)]
            print(f"{'WRONG' if wrong else 'right'} {job}, {programs} programs, {len(expected)} values, "
                  f"{time.perf_counter() - begin:.1f} s", *wrong, sep="\n    ", flush=True)
            count, values, failed = count + 1, values + len(expected), failed + bool(wrong)
    print(f"{count - failed} of {count} runs right, {values} values compared")
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
