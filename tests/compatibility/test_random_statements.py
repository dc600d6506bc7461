#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Thousands of random statements on blocks against an element by element computation in Python.

Every statement that the rules allow is drawn: kinds of arrays, copies, sums, products, permutations,
factors, extra simple indexes, segment numbers in simple places, and blocks that are the same one
under two lists of names. A failing program is printed whole; its seed makes it again.
"""

import itertools
import os
import random
import re
import subprocess
import tempfile
import unittest

BLOCKYARD = os.environ["BLOCKYARD"]
SEEDS = range(1, 9)
STATEMENTS = 150
LIMIT_SECONDS = 120

SEGMENTS = {"aoindex": [2, 3], "moaindex": [1, 2]}
# Each index has one value, so that all loops are open around all statements; i and k, s and q name
# the same segment.
INDEXES = {"i": ("aoindex", 1), "j": ("aoindex", 2), "k": ("aoindex", 1), "a": ("moaindex", 1),
           "b": ("moaindex", 2), "c": ("moaindex", 2), "s": ("index", 4), "q": ("index", 4),
           "r": ("index", 7)}
SIMPLE = [name for name, (kind, _) in INDEXES.items() if kind == "index"]
RANGES = {"aoindex": "1:2", "moaindex": "1:2", "index": "1:9"}
KINDS = ["temp", "local", "static", "distributed", "served"]
FACTORS = [("2.0", 2.0), ("y", 1.5), ("(y + 0.5)", 2.0), ("-1.0", -1.0), ("(scalar)(j+1)", 3.0)]


def extent(name):
    kind, value = INDEXES[name]
    return 1 if kind == "index" else SEGMENTS[kind][value - 1]


class Block:
    """A selector: names, and for each whether it is cast to a number."""

    def __init__(self, array, names, casts):
        self.array, self.names, self.casts = array, names, casts

    def __str__(self):
        places = ["(index)" + n if cast else n for n, cast in zip(self.names, self.casts)]
        return f"{self.array}[{','.join(places)}]"

    def key(self):
        return self.array, tuple(INDEXES[name][1] for name in self.names)

    def extents(self):
        return [1 if cast else extent(name) for name, cast in zip(self.names, self.casts)]

    def elements(self):
        """Positions in the order of memory: the first index runs fastest."""
        for point in itertools.product(*(range(n) for n in reversed(self.extents()))):
            yield point[::-1]

    def live(self):
        return [name for name, cast in zip(self.names, self.casts) if not cast]

    def at(self, point):
        return tuple(0 if cast else point.get(name, 0)
                     for name, cast in zip(self.names, self.casts))


class Writer:
    """Draws statements, writes them down and computes what they do."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.declared, self.lines, self.expected = {}, [], []
        self.values = {}  # of each block, by its positions

    def block(self, names, kinds=KINDS, may_cast=True):
        names, casts = list(names), [False] * len(names)
        free = [n for n in INDEXES if n not in SIMPLE and n not in self.used]
        if may_cast and free and self.draw.random() < 0.2:
            place = self.draw.randint(0, len(names))
            names.insert(place, self.draw.choice(free))
            casts.insert(place, True)
        kind = self.draw.choice(kinds)
        declared = ["index" if cast else INDEXES[n][0] for n, cast in zip(names, casts)]
        array = "_".join([kind, *declared, str(self.draw.randint(0, 1))])
        count = {}
        places = [f"{k}{count.setdefault(k, itertools.count()).__next__()}" for k in declared]
        self.declared[array] = f"{kind} {array}[{','.join(places)}]"
        return Block(array, names, casts)

    def fill(self, block):
        first = self.draw.randint(1, 6)
        self.lines.append(f"execute fill_block_sequential {block} {first}.0")
        self.values[block.key()] = {at: float(first + k) for k, at in enumerate(block.elements())}

    def total(self, factors, target, point):
        """The sum of the product over the names that the target lacks."""
        summed = sorted({n for f in factors for n in f.live()} - set(target))
        total = 0.0
        for positions in itertools.product(*(range(extent(n)) for n in summed)):
            whole = {**point, **dict(zip(summed, positions))}
            product = 1.0
            for factor in factors:
                product *= self.values[factor.key()][factor.at(whole)]
            total += product
        return total

    def assign(self, target, op, terms, text):
        """target op sum of (number, factors); the old values are used throughout."""
        if op != "=":
            self.fill(target)
        result = {}
        for at in target.elements():
            point = dict(zip(target.names, at))
            value = sum(number * self.total(factors, target.live(), point)
                        for number, factors in terms)
            old = 0.0 if op == "=" else self.values[target.key()][at]
            result[at] = old - value if op == "-=" else old + value
        self.lines.append(f"{target} {op} {text}")
        self.values[target.key()] = result
        self.lines.append(f"print {target}")
        self.expected.append((target, [result[at] for at in target.elements()]))

    def names(self, most):
        while True:
            names = self.draw.sample(sorted(INDEXES), self.draw.randint(1, most))
            if not set(names) <= set(SIMPLE):  # else it is a number, not a block
                return names

    def shuffled(self, names):
        return self.draw.sample(names, len(names))

    def scaled(self, text):
        word, number = self.draw.choice(FACTORS)
        form = self.draw.choice(["{0}", "{1}*{0}", "{0}*{1}"])
        return form.format(text, word), 1.0 if form == "{0}" else number

    def copy(self):
        names = self.names(4)
        self.used = set(names)
        source = [n for n in self.shuffled(names) if n not in SIMPLE or self.draw.random() < 0.8]
        extra = [n for n in SIMPLE if n not in names]
        if extra and self.draw.random() < 0.3:
            source.insert(self.draw.randint(0, len(source)), extra[0])
        target, block = self.block(names), self.block(source)
        self.fill(block)
        op = self.draw.choice(["=", "+=", "-="])
        text, number = self.scaled(str(block))
        self.assign(target, op, [(number, [block])], text)

    def sum(self):
        names = self.names(4)
        self.used = set(names)
        target, left, right = (self.block(self.shuffled(names), may_cast=False) for _ in range(3))
        self.fill(left)
        self.fill(right)
        sign = self.draw.choice("+-")
        self.assign(target, self.draw.choice(["=", "+=", "-="]),
                    [(1.0, [left]), (1.0 if sign == "+" else -1.0, [right])],
                    f"{left} {sign} {right}")

    def product(self):
        names = self.names(6)
        self.used = set(names)
        sides = [self.draw.choice(["lr", "lr", "lo", "ro", "ro", "lo", "lro"]) for _ in names]
        of = {side: self.shuffled([n for n, has in zip(names, sides) if side in has])
              for side in "lro"}
        if any(not 0 < len(of[side]) < 6 or set(of[side]) <= set(SIMPLE) for side in "lro"):
            return
        left, right = self.block(of["l"]), self.block(of["r"])
        self.fill(left)
        self.fill(right)
        mark = "*" if set(of["l"]) & set(of["r"]) else self.draw.choice("*^")
        text, number = self.scaled(f"{left}{mark}{right}")
        self.assign(self.block(of["o"]), self.draw.choice(["=", "+=", "-="]),
                    [(number, [left, right])], text)

    def program(self):
        while len(self.expected) < STATEMENTS:
            self.draw.choice([self.copy, self.sum, self.product, self.product])()
        head = ["sial random_statements", "scalar y = 1.5", "special fill_block_sequential wr"]
        head += [f"{kind} {kind}{k} = {RANGES[kind]}" for kind in RANGES for k in range(7)]
        head += [f"{kind} {name} = {value}:{value}" for name, (kind, value) in INDEXES.items()]
        loops = [f"do {name}" for name in INDEXES]
        ends = [f"enddo {name}" for name in reversed(INDEXES)]
        return "\n".join([*head, *self.declared.values(), *loops, *self.lines, *ends,
                          "endsial random_statements\n"])


def printed_blocks(output):
    """The numbers of each printed block."""
    blocks = []
    for line in output.splitlines():
        head = re.match(r"\s*\d+:\s+(?:printing|\S+ = (\S+))", line)
        if head:
            blocks.append([float(head[1])] if head[1] else [])
        else:
            blocks[-1] += map(float, line.split())
    return blocks


class RandomStatements(unittest.TestCase):
    def test_statements_on_blocks_do_what_their_names_say(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                self.check(seed)

    def check(self, seed):
        writer = Writer(seed)
        program = writer.program()
        with tempfile.NamedTemporaryFile("w", suffix=".sialx") as file:
            file.write(program)
            file.flush()
            done = subprocess.run(
                [BLOCKYARD, "run", file.name, "-w", "1", "--check", "--segments", "ao=2,3",
                 "--segments", "moa=1,2"],
                capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, program + done.stderr)
        blocks = printed_blocks(done.stdout)
        self.assertEqual(len(blocks), len(writer.expected), program)
        for number, ((target, expected), found) in enumerate(zip(writer.expected, blocks)):
            self.assertEqual(len(expected), len(found), f"print {number} of {target}\n{program}")
            for want, have in zip(expected, found):
                self.assertAlmostEqual(want, have, delta=1e-9 * max(1, abs(want)),
                                       msg=f"print {number} of {target}\n{program}")


if __name__ == "__main__":
    unittest.main()
