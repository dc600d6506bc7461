#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random expressions of SIAL, against a model of docs/sial.md in NumPy (the folder model).

Each program has nests of loops with assignments to blocks, scalars and ints: brackets in brackets, simple indexes, parts of
subindexes, names twice, conditions, procedures, puts. What it prints must be what the model says, with one worker and with
three. Then statements that the model forbids are put into it, one at a time: the compiler must refuse each, on its line.

    expressions.py       some programs, or as many as BLOCKYARD_EXPRESSIONS says, from the seed BLOCKYARD_FIRST on
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import numpy as np
from model.drawn_errors import Errors
from model.drawn_programs import SUBSEGMENT, Program

BLOCKYARD = os.environ["BLOCKYARD"]
COUNT = int(os.environ.get("BLOCKYARD_EXPRESSIONS", "8"))
FIRST = int(os.environ.get("BLOCKYARD_FIRST", "1"))
ERRORS = 6  # of each program
LIMIT_SECONDS = 120


def number_of(word):
    return complex(*map(float, word[1:-1].split(","))) if word.startswith("(") else float(word)


def numbers_in(output):
    """All numbers printed, without the head lines of blocks and the names of variables."""
    lines = [line for line in output.splitlines() if not re.search(r"printing \d+ of \d+ elements", line)]
    return np.array([number_of(word) for line in lines for word in line.split(" = ")[-1].split()])


def blockyard(command, source, *options):
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "expressions.sial"
        path.write_text(source, encoding="utf-8")
        return subprocess.run([BLOCKYARD, command, path, *options], capture_output=True, text=True, timeout=LIMIT_SECONDS,
                              check=False)


class Expressions(unittest.TestCase):
    def test_programs_print_what_the_model_says_and_wrong_statements_are_refused(self):
        for seed in range(FIRST, FIRST + COUNT):
            program = Program(seed)
            with self.subTest(seed=seed):
                self.check_values(program, seed)
            for number in range(ERRORS):
                with self.subTest(seed=seed, error=number):
                    self.check_error(program, seed)

    def check_values(self, program, seed):
        printed = program.run()
        source = program.source()
        options = ["--segments", f"subsegment={SUBSEGMENT}"]
        for kind, extents in program.segments.items():
            options += ["--segments", f"{kind.removesuffix('index')}={','.join(map(str, extents))}"]
        for workers in ("1", "3"):
            done = blockyard("run", source, "-w", workers, *options)
            said = f"seed {seed}, {workers} workers, {' '.join(options)}\n{source}\n{done.stderr}"
            self.assertEqual(done.returncode, 0, said)
            found = numbers_in(done.stdout)
            self.assertEqual(len(found), sum(one.data.size for one in printed), said)
            for one in printed:
                mine, found = found[:one.data.size], found[one.data.size:]
                self.assertTrue(np.all(np.abs(mine - one.data) <= 1e-10 * one.size + 1e-13),
                                f"line {one.statement.line}, {one.statement.text()}: {mine}, not {one.data}\n{said}")

    def check_error(self, program, seed):
        with Errors(program).one() as statement:
            source = program.source()
        done = blockyard("check", source)
        lines = source.splitlines()
        said = f"seed {seed}, line {statement.line}: {lines[statement.line - 1].strip()}\n{done.stdout}{done.stderr}\n{source}"
        self.assertEqual(done.returncode, 1, f"accepted, although wrong: {said}")
        found = {int(line) for line in re.findall(r"sial:(\d+):\d+: error: ", done.stdout + done.stderr)}
        if "[index-not-bound]" not in said:  # of a procedure it is told where that is called
            self.assertEqual(found, {statement.line}, said)
        self.assertNotRegex(done.stdout + done.stderr, "please report|not a valid program|internal", said)


if __name__ == "__main__":
    unittest.main()
