#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random block statements on arrays of all four element types, against NumPy.

random_types.py BLOCKYARD [FIRST [COUNT]]   programs FIRST .. FIRST+COUNT-1

Each program fills blocks, then does statements that copy, permute, scale, conjugate, take parts and
multiply blocks of mixed types, and prints every block that it has written. The model keeps each
array in its NumPy type; products are compared in the precision of the narrowest array so far.
"""
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

EXTENTS = {"i": 2, "j": 3, "k": 4}
TYPES = {"d": np.float64, "f": np.float32, "z": np.complex128, "c": np.complex64}
WORDS = {"d": "", "f": "single ", "z": "complex ", "c": "single complex "}
KINDS = ["temp", "static", "local"]
STATEMENTS = 14


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.arrays = {}  # name: (indexes, values)
        self.declared = []
        self.lines = []
        self.expected = []  # (name, values, tolerance)
        self.tolerance = {}  # of each array: relative to its largest element
        for letter in TYPES:
            for indexes in ("ij", "jk", "ki"):
                self.declare(letter, "".join(self.random.sample(indexes, 2)))
        for _ in range(STATEMENTS):
            self.statement()

    def declare(self, letter, indexes):
        name = f"{letter}{len(self.arrays)}"
        kind = self.random.choice(KINDS)
        self.declared.append(f"{WORDS[letter]}{kind} {name}[{','.join(indexes)}]")
        shape = [EXTENTS[index] for index in indexes]
        start, scale = self.random.randint(1, 9), self.number(letter in "zc")
        ramp = np.arange(start, start + np.prod(shape)).reshape(shape, order="F").astype(float)
        self.declared.append(f"temp q{name}[{','.join(indexes)}]")
        self.lines.append(f"execute fill_block_sequential q{name}[{','.join(indexes)}] {start}.0")
        self.lines.append(f"{name}[{','.join(indexes)}] = "
                          f"{self.text(scale)}*q{name}[{','.join(indexes)}]")
        self.arrays[name] = (indexes, (scale * ramp).astype(TYPES[letter]))
        self.tolerance[name] = 1e-6 if letter in "fc" else 1e-13

    def number(self, is_complex):
        real = self.random.randint(-8, 8) / 4 or 1.0
        return complex(real, self.random.randint(-8, 8) / 4) if is_complex else real

    @staticmethod
    def text(number):
        if isinstance(number, complex):
            return f"complex({number.real}, {number.imag})"
        return f"{number}" if number >= 0 else f"({number})"

    def operand(self, name, wants_real):
        """Text, indexes and values of an array, maybe conj, real or imag of it."""
        indexes, values = self.arrays[name]
        text = f"{name}[{','.join(indexes)}]"
        if name[0] in "zc":
            part = self.random.choice(["real", "imag"] if wants_real else ["", "", "conj", "real", "imag"])
            values = {"": values, "conj": np.conj(values), "real": values.real, "imag": values.imag}[part]
            text = f"{part}({text})" if part else text
        return text, indexes, values

    def statement(self):
        target = self.random.choice(list(self.arrays))
        indexes, old = self.arrays[target]
        is_real = target[0] in "df"
        others = [name for name in self.arrays if name != target]
        tolerance = self.tolerance[target]
        if self.random.random() < 0.5:  # copy
            names = [self.random.choice([n for n in others if set(self.arrays[n][0]) == set(indexes)])]
        else:  # matrix product
            summed = next(index for index in EXTENTS if index not in indexes)
            names = [self.random.choice([n for n in others if set(self.arrays[n][0]) == {index, summed}])
                     for index in self.random.sample(indexes, 2)]
        parts = [self.operand(name, is_real) for name in names]
        value = parts[0][2].astype(complex)
        if len(parts) == 1:
            value = np.einsum(f"{parts[0][1]}->{indexes}", value)
        else:
            value = np.einsum(f"{parts[0][1]},{parts[1][1]}->{indexes}", value, parts[1][2])
        factor = self.number(not is_real and self.random.random() < 0.5)
        value = factor * value
        op = self.random.choice(["=", "+=", "-="])
        value = {"=": value, "+=": old + value, "-=": old - value}[op]
        tolerance = 20 * max([tolerance] + [self.tolerance[name] for name in names])
        value = (value.real if is_real else value).astype(TYPES[target[0]])
        if not np.all(np.isfinite(value)) or np.abs(value).max() > 1e12:
            return
        block = f"{target}[{','.join(indexes)}]"
        self.lines.append(f"{block} {op} {self.text(factor)}*" + "*".join(text for text, _, _ in parts))
        self.lines.append(f"print {block}")
        # Terms that cancel leave their errors.
        size = max([np.abs(value).max(), np.abs(old).max()] +
                   [np.prod([np.abs(part[2]).max() for part in parts]) * abs(factor)])
        self.arrays[target] = (indexes, value)
        self.tolerance[target] = min(tolerance, 1e-2)
        self.expected.append((block, value, self.tolerance[target] * size))

    def source(self):
        loops = [f"do {index}" for index in EXTENTS]
        ends = [f"enddo {index}" for index in reversed(EXTENTS)]
        ranges = [f"aoindex {index} = {n}:{n}" for n, index in enumerate(EXTENTS, 1)]
        return "\n".join(["sial random_types", *ranges, "special fill_block_sequential wr",
                          *self.declared, *loops, *self.lines, *ends, "endsial random_types", ""])


def number_of(word):
    if not word.startswith("("):
        return float(word)
    return complex(*map(float, word[1:-1].split(",")))


def printed_blocks(text):
    blocks = re.split(r"^.*printing \d+ of \d+ elements of block .*$", text, flags=re.MULTILINE)[1:]
    return [[number_of(word) for word in block.split()] for block in blocks]


def check(blockyard, seed):
    program = Program(seed)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "random_types.sial"
        file.write_text(program.source(), encoding="utf-8")
        run = subprocess.run([blockyard, "run", file, "--segments", "ao=2,3,4", "-w", "1", "-s", "1"],
                             capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return f"{program.source()}\n{run.stderr}"
    found = printed_blocks(run.stdout)
    if len(found) != len(program.expected):
        return f"{program.source()}\n{run.stdout}: {len(found)} blocks, not {len(program.expected)}"
    for block, (name, values, tolerance) in zip(found, program.expected):
        wanted = values.reshape(-1, order="F")
        if len(block) != wanted.size or np.abs(np.array(block) - wanted).max() > tolerance:
            return f"{program.source()}\n{name}: {block}\nis not {wanted} within {tolerance}"
    return ""


def main():
    blockyard = sys.argv[1]
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 12
    for seed in range(first, first + count):
        if difference := check(blockyard, seed):
            sys.exit(f"program {seed}:\n{difference}")
    print(f"{count} programs are as NumPy says")


if __name__ == "__main__":
    main()
