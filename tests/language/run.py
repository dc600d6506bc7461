#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one SIAL program and compares what it does with the comments in it (see README.md).

usage: run.py BLOCKYARD PROGRAM.sial [--processes N] [OPTION...]

With --processes every run is one of mpirun ($MPIEXEC) with N processes; as many of them as share
out the workers evenly work and serve, or the rest serve only. The options go to every
`blockyard run`.
"""

import dataclasses
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile

RELATIVE_TOLERANCE = 1e-10
LIMIT_SECONDS = 300  # a hang is an error; nothing here takes longer than seconds


@dataclasses.dataclass
class Expected:
    """One line of output: its words, how often it comes, and the line of the comment."""

    words: list
    count: int
    line: int
    is_counted: bool


@dataclasses.dataclass
class Expectations:
    options: dict = dataclasses.field(default_factory=dict)
    is_ordered: bool = False
    is_run: bool = False  # it says how to run it, or what a run gives
    output: list = dataclasses.field(default_factory=list)
    diagnostics: list = dataclasses.field(default_factory=list)  # (severity, file, line, text)
    run_errors: list = dataclasses.field(default_factory=list)  # (line or None, text)


EXPECT = re.compile(r"expect (?:(?P<what>run error|error|warning)(?: in (?P<file>[^:\s]+))?"
                    r"|(?:(?P<kind>block|array) (?P<name>[^:\s]+(?::[^:\s]+)*))"
                    r"|(?P<times>\d+) times)?:\s*(?P<text>.*)")
EXPECT_PLAIN = re.compile(r"expect:\s*(?P<text>.*)")


def fail(text):
    print("FAILED:", text)
    sys.exit(1)


def comment_of(line):
    """The comment of a source line, without what stands in quotes before it."""
    in_text = False
    k = 0
    while k < len(line):
        if line[k] == "\\" and in_text:
            k += 1
        elif line[k] == '"':
            in_text = not in_text
        elif line[k] == "#" and not in_text:
            return line[k + 1:].strip(), bool(line[:k].strip())
        k += 1
    return "", bool(line.strip())


def words_of(line):
    return re.sub(r"^\s*\d+:\s+", "", line).split()


def expand(kind, name, text):
    """The lines that a printed block or static array makes."""
    rows = [row.split() for row in text.split("|")]
    count = sum(len(row) for row in rows)
    of = "contiguous array" if kind == "array" else "block"
    head = f"printing {count} of {count} elements of {of} {name} in the order stored in memory"
    return [head.split()] + rows


def read_expectations(path):
    found = Expectations()
    with open(path, encoding="utf-8", errors="replace") as source:
        for number, line in enumerate(source, 1):
            comment, has_code = comment_of(line)
            if comment.startswith("run:"):
                found.is_run = True
                read_options(found, comment[4:].split())
            elif comment.startswith("expect"):
                read_expect(found, comment, number, has_code)
    return found


def read_options(found, words):
    for word in words:
        key, _, value = word.partition("=")
        if word == "ordered":
            found.is_ordered = True
        elif key in ("workers", "servers", "set", "segments", "options", "then") and value:
            found.options[key] = value
        else:
            fail(f"unknown word in the comment 'run:': {word}")


def read_expect(found, comment, number, has_code):
    plain = EXPECT_PLAIN.fullmatch(comment)
    if plain:
        found.output.append(Expected(plain["text"].split(), 1, number, False))
        return
    match = EXPECT.fullmatch(comment)
    if not match:
        fail(f"line {number}: cannot read the comment: {comment}")
    if match["what"] == "run error":
        found.run_errors.append((number if has_code else None, match["text"]))
    elif match["what"]:
        place = None if match["file"] else number
        found.diagnostics.append((match["what"], match["file"], place, match["text"]))
    elif match["kind"]:
        for words in expand(match["kind"], match["name"], match["text"]):
            found.output.append(Expected(words, 1, number, False))
    else:
        found.output.append(Expected(match["text"].split(), int(match["times"]), number, True))


def is_same_word(expected, found):
    """Numbers by value; of complex ones, (re,im), each part."""
    if expected == found:
        return True
    parts = [word[1:-1].split(",") for word in (expected, found) if word.startswith("(") and word.endswith(")")]
    if len(parts) == 2:
        return len(parts[0]) == len(parts[1]) and all(map(is_same_word, *parts))
    try:
        want, have = float(expected), float(found)
    except ValueError:
        return False
    return math.isclose(want, have, rel_tol=RELATIVE_TOLERANCE, abs_tol=1e-13)


def is_same(expected, found):
    return len(expected) == len(found) and all(map(is_same_word, expected, found))


def compare_output(expectations, text):
    """Says how the output differs from what is expected, or nothing."""
    lines = [words for words in map(words_of, text.splitlines()) if words]
    left = list(enumerate(lines))
    if expectations.is_ordered:
        difference = compare_order(expectations, lines)
        if difference:
            return difference
    for expected in expectations.output:
        for _ in range(expected.count):
            hit = next((k for k, (_, words) in enumerate(left) if is_same(expected.words, words)),
                       None)
            if hit is None:
                return f"line {expected.line}: not printed: {' '.join(expected.words)}"
            del left[hit]
    if left:
        return f"printed, but not expected: {' '.join(left[0][1])}"
    return None


def compare_order(expectations, lines):
    at = 0
    for expected in expectations.output:
        if expected.is_counted:
            continue
        while at < len(lines) and not is_same(expected.words, lines[at]):
            at += 1
        if at == len(lines):
            return f"line {expected.line}: not printed in order: {' '.join(expected.words)}"
        at += 1
    return None


def commands(blockyard, programs, options):
    """The command of every combination of workers and servers."""
    arguments = []
    for key in ("set", "segments"):
        split = "," if key == "set" else ";"
        for entry in filter(None, options.get(key, "").split(split)):
            arguments += ["--" + key, entry.replace(":", "=", 1)]
    arguments += filter(None, options.get("options", "").split(";"))
    workers = options.get("workers", "1").split(",")
    if sys.argv[3:4] == ["--processes"]:
        for w in workers:
            yield (over_mpi(int(sys.argv[4]), int(w), [blockyard, "run"] + programs) + arguments
                   + sys.argv[5:])
        return
    servers = options.get("servers", "1").split(",")
    for w, s in itertools.product(workers, servers):
        yield [blockyard, "run"] + programs + ["-w", w, "-s", s] + arguments + sys.argv[3:]


def over_mpi(processes, workers, command):
    """The command for `workers` workers in total."""
    working = next(n for n in range(processes, 0, -1) if workers % n == 0)
    roles = ["-w", str(workers // working)]
    if working < processes:
        roles += ["-s", str(processes - working)]
    return [os.environ["MPIEXEC"], "-n", str(processes)] + command + roles


def run(command, folder):
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace",
                              timeout=LIMIT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        fail(f"does not end: {' '.join(command)}")


def show(command, done):
    print("command:", " ".join(command))
    print(f"exit code: {done.returncode}\n--- stdout\n{done.stdout}--- stderr\n{done.stderr}---")


def require_none(difference, command, done):
    """Fails with a difference from what is expected, after what the command printed."""
    if difference:
        show(command, done)
        fail(difference)


def check_runs(blockyard, path, expectations):
    programs = [path]
    for name in filter(None, expectations.options.get("then", "").split(",")):
        programs.append(os.path.join(os.path.dirname(path), name))
        expectations.output += read_expectations(programs[-1]).output
    for command in commands(blockyard, programs, expectations.options):
        with tempfile.TemporaryDirectory() as folder:
            done = run(command, folder)
        require_none(judge_run(path, expectations, done), command, done)


def judge_run(path, expectations, done):
    if not expectations.run_errors:
        if done.returncode != 0:
            return f"exit code {done.returncode}"
        return compare_output(expectations, done.stdout)
    if done.returncode != 1:
        return f"exit code {done.returncode}, not 1"
    for line, text in expectations.run_errors:
        if text.lower() not in done.stderr.lower():
            return f"no error with the text: {text}"
        if line and f"{os.path.basename(path)}:{line}" not in done.stderr:
            return f"the error does not name line {line}"
    return None


def check_diagnostics(blockyard, path, expectations):
    command = [blockyard, "check", "--json", path]
    done = run(command, None)
    require_none(judge_diagnostics(path, expectations, done), command, done)


def judge_diagnostics(path, expectations, done):
    has_error = any(severity == "error" for severity, *_ in expectations.diagnostics)
    if done.returncode != (1 if has_error else 0):
        return f"exit code {done.returncode}"
    found = json.loads(done.stdout)
    found = found["diagnostics"] if isinstance(found, dict) else found
    left = list(found)
    for severity, file, line, text in expectations.diagnostics:
        wanted = file or os.path.basename(path)
        hit = next((d for d in left if d["severity"] == severity
                    and text in d["message"] + " " + d["hint"]
                    and os.path.basename(d["file"]) == wanted
                    and line in (None, d["line"])), None)
        if hit is None:
            return f"line {line}: no {severity} with the text: {text}"
        left.remove(hit)
    errors = [d for d in left if d["severity"] == "error"]
    if errors:
        return f"not expected: line {errors[0]['line']}: {errors[0]['message']}"
    return None


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    blockyard, path = map(os.path.abspath, sys.argv[1:3])
    expectations = read_expectations(path)
    if expectations.diagnostics:
        check_diagnostics(blockyard, path, expectations)
        if not (expectations.is_run or expectations.output or expectations.run_errors):
            return
    check_runs(blockyard, path, expectations)


if __name__ == "__main__":
    main()
