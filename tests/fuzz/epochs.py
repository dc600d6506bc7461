#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs over epochs of distributed, served and sparse arrays, against NumPy.

Each program is a sequence of epochs. In one, a pardo writes an array from others: copies, permutations, sums, products,
slices by subindexes, accumulation from many iterations, numbers; or a contiguous array takes blocks and gives regions. A
barrier later a weighted sum of the array is printed. It runs with several workers and servers and little memory. A program
that fails is printed with its seed.

    epochs.py            some programs, or as many as BLOCKYARD_EPOCHS says, from the seed BLOCKYARD_FIRST on
"""

import os
import pathlib
import random
import re
import subprocess
import tempfile
import unittest

import numpy as np

BLOCKYARD = os.environ["BLOCKYARD"]
COUNT = int(os.environ.get("BLOCKYARD_EPOCHS", "12"))
FIRST = int(os.environ.get("BLOCKYARD_FIRST", "1"))
LIMIT_SECONDS = 120

SEGMENTS = [3, 1, 4, 2]
SUBSEGMENT = 2
STARTS = np.concatenate([[0], np.cumsum(SEGMENTS)])
EDGE = int(STARTS[-1])
KINDS = ["distributed", "served", "sparse distributed", "sparse served"]
EPOCHS = 14
HEAD = f"""sial epochs
special fill_block_sequential wr
aoindex i = 1:{len(SEGMENTS)}
aoindex j = 1:{len(SEGMENTS)}
aoindex k = 1:{len(SEGMENTS)}
subindex ii of i
temp t[i,j]
temp u[i,j]
temp v[j,i]
temp w[i,j]
temp part[ii,j]
temp left[i,k]
temp right[k,j]
contiguous local region[i,j]
scalar first
scalar x
scalar total
"""


def part(segment):
    return slice(STARTS[segment - 1], STARTS[segment])


def sequence(first):
    """fill_block_sequential of every block: `first` gives its first value from the numbers of its segments."""
    whole = np.zeros((EDGE, EDGE))
    for i, rows in enumerate(SEGMENTS, 1):
        for j, columns in enumerate(SEGMENTS, 1):
            values = first(i, j) + np.arange(rows * columns, dtype=float)
            whole[part(i), part(j)] = values.reshape((rows, columns), order="F")
    return whole


WEIGHTS = sequence(lambda i, j: 2.0 * i - 3.0 * j)


class Program:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.lines = []
        self.arrays = {}   # name: values
        self.blocks = {}   # name: whether each block was ever written
        self.expected = []  # value and size of what is printed
        for number in range(5):
            kind = self.draw.choice(KINDS)
            name = f"{'d' if 'distributed' in kind else 's'}{'p' if 'sparse' in kind else 'd'}{number}"
            self.lines.append(f"{kind} {name}[i,j]")
            self.arrays[name] = np.zeros((EDGE, EDGE))
            self.blocks[name] = np.zeros((EDGE, EDGE), dtype=bool)
            self.lines_of_start = len(self.lines)
        for name in self.arrays:
            self.start(name)
        for _ in range(EPOCHS):
            target = self.draw.choice(list(self.arrays))
            self.draw.choice([self.copy, self.copy, self.product, self.slices, self.gather, self.number, self.start,
                              self.contiguous, self.existing])(target)
            self.read(target)

    # Words for the two kinds.
    @staticmethod
    def get(name):
        return "get" if name[0] == "d" else "request"

    @staticmethod
    def put(name):
        return "put" if name[0] == "d" else "prepare"

    def condition(self, name):
        """Of a pardo that writes `name`: only a sparse array may lack blocks."""
        if name[1] != "p" or self.draw.random() < 0.3:
            return "", np.ones((EDGE, EDGE), dtype=bool)
        relation = self.draw.choice(["i <= j", "i != j", "i > j"])
        holds = {"i <= j": np.less_equal, "i != j": np.not_equal, "i > j": np.greater}[relation]
        numbers = np.repeat(np.arange(1, len(SEGMENTS) + 1), SEGMENTS)
        return f"where {relation}\n", holds(numbers[:, None], numbers[None, :])

    def other(self, *without):
        return self.draw.choice([name for name in self.arrays if name not in without])

    def write(self, target, mask, op, values):
        old = self.arrays[target]
        new = {"=": values, "+=": old + values, "-=": old - values}[op]
        self.arrays[target] = np.where(mask, new, old)
        self.blocks[target] |= mask

    def operator(self):
        return self.draw.choice(["=", "+=", "-="])

    def pardo(self, where, body):
        self.lines.append(f"pardo i,j\n{where}{body}\nendpardo i,j\nsip_barrier")

    def start(self, target):
        """A sequence in each block."""
        where, mask = ("", np.ones((EDGE, EDGE), dtype=bool)) if not self.blocks[target].any() and target[1] == "d" \
            else self.condition(target)
        a, b = self.draw.randint(1, 9), self.draw.randint(1, 9)
        op = self.operator()
        self.pardo(where, f"first = {a}.0*(scalar)i - {b}.0*(scalar)j\nexecute fill_block_sequential t[i,j] first\n"
                          f"{self.put(target)} {target}[i,j] {op} t[i,j]")
        self.write(target, mask, op, sequence(lambda i, j: a * i - b * j))

    def copy(self, target):
        """A sum of another array and a permuted one."""
        one, two = self.other(target), self.other(target)
        where, mask = self.condition(target)
        factor, sign, op = self.draw.choice([0.5, 1.0, -0.25]), self.draw.choice("+-"), self.operator()
        self.pardo(where, f"{self.get(one)} {one}[i,j]\n{self.get(two)} {two}[j,i]\nv[j,i] = {factor}*{two}[j,i]\n"
                          f"t[i,j] = {one}[i,j]\nt[i,j] {sign}= v[j,i]\n{self.put(target)} {target}[i,j] {op} t[i,j]")
        permuted = factor * self.arrays[two].T
        self.write(target, mask, op, self.arrays[one] + (permuted if sign == "+" else -permuted))

    def product(self, target):
        one, two = self.other(target), self.other(target)
        where, mask = self.condition(target)
        self.pardo(where, f"t[i,j] = 0.0\ndo k\n{self.get(one)} {one}[i,k]\n{self.get(two)} {two}[k,j]\n"
                          f"left[i,k] = 0.01*{one}[i,k]\nright[k,j] = 0.01*{two}[k,j]\nt[i,j] += left[i,k]*right[k,j]\n"
                          f"enddo k\n{self.put(target)} {target}[i,j] = t[i,j]")
        self.write(target, mask, "=", 1e-4 * self.arrays[one] @ self.arrays[two])

    def slices(self, target):
        """Each subsegment of i apart, with another factor."""
        one = self.other(target)
        where, mask = self.condition(target)
        self.pardo(where, f"{self.get(one)} {one}[i,j]\nu[i,j] = {one}[i,j]\nx = 1.0\ndo ii in i\npart[ii,j] = u[ii,j]\n"
                          f"part[ii,j] *= x\nu[ii,j] = part[ii,j]\nx += 1.0\nenddo ii in i\n"
                          f"{self.put(target)} {target}[i,j] = u[i,j]")
        factors = np.concatenate([1.0 + np.arange(length) // SUBSEGMENT for length in SEGMENTS])
        self.write(target, mask, "=", factors[:, None] * self.arrays[one])

    def gather(self, target):
        """Many iterations add to one block."""
        one = self.other(target)
        self.lines.append(f"pardo i,j,k\n{self.get(one)} {one}[i,j]\nt[i,j] = (scalar)k*{one}[i,j]\n"
                          f"{self.put(target)} {target}[i,j] += t[i,j]\nendpardo i,j,k\nsip_barrier")
        total = sum(range(1, len(SEGMENTS) + 1))
        self.write(target, np.ones((EDGE, EDGE), dtype=bool), "+=", total * self.arrays[one])

    def number(self, target):
        where, mask = self.condition(target)
        op, value = self.draw.choice([("=", 0.75), ("+=", 2.5), ("*=", 0.5)])
        if op == "*=" and not self.blocks[target][mask].all():
            op = "+="
        self.pardo(where, f"{self.put(target)} {target}[i,j] {op} {value}")
        self.write(target, mask, "=", {"=": 0.0, "+=": 1.0, "*=": value}[op] * self.arrays[target] +
                   (0.0 if op == "*=" else value))

    def contiguous(self, target):
        """Every worker has the whole array in one region, and reads it back with rows and columns turned."""
        one = self.other(target)
        edge = f"1:{len(SEGMENTS)}"
        where, mask = self.condition(target)
        self.lines.append(f"allocate contiguous region[{edge},{edge}]\ndo i\ndo j\n{self.get(one)} {one}[i,j]\n"
                          f"region[i:i,j:j] = {one}[i,j]\nregion[i:i,j:j] += 1.0\nenddo j\nenddo i\n"
                          f"region[{edge},{edge}] *= 0.5")
        self.pardo(where, f"v[j,i] = region[j:j,i:i]\nt[i,j] = v[j,i]\n{self.put(target)} {target}[i,j] = t[i,j]")
        self.lines.append(f"deallocate contiguous region[{edge},{edge}]")
        self.write(target, mask, "=", 0.5 * (self.arrays[one] + 1.0).T)

    def existing(self, target):
        """Takes the blocks that a sparse array has."""
        sparse = [name for name in self.arrays if name[1] == "p" and name != target]
        if not sparse:
            return
        one = self.draw.choice(sparse)
        self.pardo(f"where {one}[i,j] exists\n", f"{self.get(one)} {one}[i,j]\n{self.put(target)} {target}[i,j] += {one}[i,j]")
        self.write(target, self.blocks[one], "+=", self.arrays[one])

    def read(self, name):
        self.lines.append(f"x = 0.0\npardo i,j\n{self.get(name)} {name}[i,j]\nfirst = 2.0*(scalar)i - 3.0*(scalar)j\n"
                          f"execute fill_block_sequential w[i,j] first\nx += {name}[i,j]*w[i,j]\nendpardo i,j\n"
                          "total = 0.0\ncollective total += x\nprint total\nsip_barrier")
        values = self.arrays[name] * WEIGHTS
        self.expected.append((values.sum(), np.abs(values).sum()))

    def source(self):
        declared, rest = self.lines[:len(self.arrays)], self.lines[len(self.arrays):]
        return HEAD + "\n".join([*declared, *rest, "endsial epochs", ""])


class Epochs(unittest.TestCase):
    def test_arrays_hold_what_the_epochs_before_have_written(self):
        for seed in range(FIRST, FIRST + COUNT):
            with self.subTest(seed=seed):
                self.check(Program(seed), seed)

    def check(self, program, seed):
        workers, servers = 1 + seed % 4, 1 + seed % 3
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "epochs.sial"
            path.write_text(program.source(), encoding="utf-8")
            done = subprocess.run(
                [BLOCKYARD, "run", path, "-w", str(workers), "-s", str(servers), "--check", "--segments", f"subsegment={SUBSEGMENT}",
                 "--segments", "ao=" + ",".join(map(str, SEGMENTS))],
                capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
        said = f"seed {seed}\n{program.source()}\n{done.stderr}"
        self.assertEqual(done.returncode, 0, said)
        found = [float(value) for value in re.findall(r"total = (\S+)", done.stdout)]
        self.assertEqual(len(found), len(program.expected), said)
        for number, (value, (wanted, size)) in enumerate(zip(found, program.expected)):
            self.assertLessEqual(abs(value - wanted), 1e-11 * size + 1e-12,
                                 f"sum {number}: {value}, not {wanted}\n{said}")


if __name__ == "__main__":
    unittest.main()
