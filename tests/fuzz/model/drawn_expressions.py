# SPDX-License-Identifier: Apache-2.0
"""Random expressions over what a place of a program has."""

import dataclasses
import random

from model.nodes import Block, Chain, Complex, Literal, Logic, Name, Power, Relation, Unary
from model.rules import Unclear, Wrong

TRIES = 30


@dataclasses.dataclass
class Scope:
    """What a statement may use: the loops from outside to inside, and the blocks of temps and fetched ones that are there."""
    loops: tuple = ()
    live: frozenset = frozenset()
    is_pardo: bool = False
    procedure_loops: int = None  # in a procedure: how many loops are around its calls

    def inside(self, *indexes):
        return dataclasses.replace(self, loops=(*self.loops, *indexes))

    def with_block(self, block):
        return dataclasses.replace(self, live=self.live | {(block.array, block.positions)})


class Expressions:
    """Needs indexes, arrays, scalars and ints, and rules over them."""

    def __init__(self, seed):
        self.draw = random.Random(seed)

    def chance(self, of_one):
        return self.draw.random() < of_one

    def ops(self, of, count):
        return "".join(self.draw.choice(of) for _ in range(count))

    # Numbers

    def literal(self, is_complex):
        parts = [Literal(self.draw.choice(["0.5", "1.5", "2.0", ".75", "1.25e0", "3d-1", "0.9"])) for _ in range(2)]
        parts = [Unary("-", part) if self.chance(0.3) else part for part in parts]
        return Complex(tuple(parts)) if is_complex else parts[0]

    def whole(self, scope, depth):
        """An int."""
        if depth <= 0 or self.chance(0.3):
            names = [*scope.loops, *([] if scope.is_pardo else self.ints)]
            return Name(self.draw.choice(names)) if names and self.chance(0.7) else Literal(str(self.draw.randint(0, 4)))
        if self.chance(0.2):
            return Unary("-", self.whole(scope, depth - 1)) if self.chance(0.5) else Unary("(int)", self.number(scope, 1, True))
        count = self.draw.randint(1, 2)
        return Chain(self.ops(self.draw.choice(["+-", "*/"]), count), tuple(self.whole(scope, depth - 1) for _ in range(count + 1)))

    def condition(self, scope, depth, is_of_pardo=False):
        if depth > 0 and self.chance(0.5):
            word = self.draw.choice(["and", "or", "not"])
            count = 1 if word == "not" else self.draw.randint(2, 3)
            return Logic(word, tuple(self.condition(scope, depth - 1, is_of_pardo) for _ in range(count)))
        op = self.draw.choice(["<", ">", "<=", ">=", "==", "!="])
        if self.chance(0.7):
            return Relation(op, (self.whole(scope, 0 if is_of_pardo else 1), self.whole(scope, 1)))
        deep = 0 if is_of_pardo else 2
        return Relation(op, (self.number(scope, deep, True), self.number(scope, min(deep, 1), True)))

    def number(self, scope, depth, is_real):
        """A scalar, which may be complex unless it is to be real."""
        if depth <= 0 or self.chance(0.15):
            return self.simple_number(scope, is_real)
        less, kind = depth - 1, self.draw.random()
        if kind < 0.3:
            return self.closed(scope, depth, is_real) or self.literal(False)
        if kind < 0.6:
            count = self.draw.randint(1, 2)
            parts = tuple(self.number(scope, less, is_real) for _ in range(count + 1))
            return Chain(self.ops("+-" if kind < 0.4 else "**/", count), parts)
        if kind < 0.7:
            return self.power(scope, less, is_real)
        if kind < 0.8:
            inner = Unary("abs", self.number(scope, less, is_real and self.chance(0.5)), self.chance(0.3))
            return Unary("sqrt", inner, self.chance(0.3)) if kind < 0.75 else inner
        if kind < 0.85:
            return Unary("-", self.number(scope, less, is_real))
        if kind < 0.95 or is_real:
            return self.part_of(self.number(scope, less, False), is_real)
        return Complex((self.number(scope, less, True), self.number(scope, less, True)))

    def simple_number(self, scope, is_real):
        kind = self.draw.randint(1, 4)
        if kind == 1:
            names = [name for name in self.lasting_scalars if not (is_real and self.scalars[name])]
            return Name(self.draw.choice(names))
        if kind == 2:
            return Unary("(scalar)", self.whole(scope, 0))
        block = self.element(scope, is_real) if kind == 3 else None
        return block or self.literal(not is_real and self.chance(0.3))

    def power(self, scope, depth, is_real):
        base = self.number(scope, depth, is_real)
        if self.chance(0.2):
            return Power((Unary("abs", base), Literal(self.draw.choice(["0.5", "1.5"]))))
        exponents = [Literal(word) for word in ("0.0", "1.0", "2.0", "3.0")] + [Unary("-", Literal("1.0")), Literal("2.0")]
        return Power((base, *self.draw.sample(exponents, self.draw.choice([1, 1, 1, 2]))))

    def part_of(self, value, is_real):
        """conj, real or imag of the value."""
        words = ["real"] + (["imag"] if self.rules.is_complex(value) else []) + ([] if is_real else ["conj"])
        return Unary(self.draw.choice(words), value, self.chance(0.2))

    def closed(self, scope, depth, is_real):
        """A product of blocks that is a number."""
        for _ in range(TRIES):
            made = self.product(frozenset(), scope, depth, is_real)
            try:
                if made is not None and not self.rules.tensor(made, frozenset()):
                    return made
            except (Wrong, Unclear):
                pass
        return None

    # Blocks

    def letter(self, index):
        """Of a segmented index: its kind."""
        return {"aoindex": "a", "moaindex": "m"}.get(self.indexes[index].kind, "")

    def segmented(self, scope):
        return [name for name in scope.loops if self.letter(name)]

    def element(self, scope, is_real):
        """A block of simple indexes."""
        arrays = [name for name, letters in self.lasting if not letters and not (is_real and self.arrays[name].is_complex)]
        return self.block(self.draw.choice(arrays), scope) if arrays else None

    def block(self, array, scope):
        """With random indexes of the loops, or none."""
        spare = self.draw.sample(scope.loops, len(scope.loops))
        positions = tuple(self.position(index, spare, scope) for index in self.arrays[array].indexes)
        return Block(array, positions) if all(positions) else None

    def position(self, index, spare, scope):
        """One of the spare indexes that fits, which is taken from them; or the number of an index."""
        wanted = self.indexes[index]
        for name in spare:
            used = self.indexes[name]
            if used.kind == wanted.kind and bool(used.parent) >= bool(wanted.parent):
                spare.remove(name)
                return name
        numbers = self.segmented(scope)
        return f"(index){self.draw.choice(numbers)}" if wanted.kind == "index" and numbers else None

    def sources(self, names, scope, is_real):
        """Blocks with these segmented indexes that may be read here."""
        found = []
        for name, positions in sorted(scope.live):
            block = Block(name, positions)
            if frozenset(self.rules.names(block)) == names and len(set(positions)) == len(positions):
                found += [block] * 2
        wanted = "".join(sorted(map(self.letter, names)))
        for name in (name for name, letters in self.lasting if letters == wanted):
            simple = [index for index in scope.loops if not self.letter(index)]
            spare = [*self.draw.sample(sorted(names), len(names)), *self.draw.sample(simple, len(simple))]
            positions = tuple(self.position(index, spare, scope) for index in self.arrays[name].indexes)
            if all(positions):
                found.append(Block(name, positions))
        return [block for block in found if not (is_real and self.arrays[block.array].is_complex)]

    def tensor(self, names, scope, depth, is_real):
        """A value with these indexes, if nothing around it changes what its brackets mean; or none."""
        if not names:
            return self.number(scope, depth, is_real)
        kind = self.draw.random() if depth > 0 else 0.0
        if kind < 0.25:
            blocks = self.sources(names, scope, is_real)
            return self.draw.choice(blocks) if blocks else self.product(names, scope, depth, is_real) if depth > 0 else None
        if kind < 0.65:
            return self.product(names, scope, depth, is_real)
        if kind < 0.85:
            parts = self.tensors([names] * self.draw.randint(2, 3), scope, depth - 1, is_real)
            return parts and Chain(self.ops("+-", len(parts) - 1), tuple(parts))
        part = self.tensor(names, scope, depth - 1, is_real and kind < 0.9)
        if part is None:
            return None
        return Unary("-", part) if kind < 0.9 else self.part_of(part, is_real)

    def tensors(self, lists, scope, depth, is_real):
        found = []
        for names in lists:
            part = self.tensor(names, scope, depth, is_real)
            if part is None:
                return None
            found.append(part)
        return found

    def product(self, names, scope, depth, is_real):
        """Factors over these indexes and over some that two or more have, in random brackets."""
        draw = self.draw
        spare = sorted(set(self.segmented(scope)) - names)
        summed = draw.sample(spare, min(len(spare), draw.choice([0, 1, 1, 1, 2] if names else [1, 1, 2])))
        lists = [set() for _ in range(draw.randint(2, 4))]
        for name in sorted(names):
            for factor in draw.sample(lists, draw.choice([1, 1, 1, 2])):
                factor.add(name)
        for name in summed:
            for factor in draw.sample(lists, min(len(lists), draw.choice([2, 2, 2, 3]))):
                factor.add(name)
        factors = self.tensors(map(frozenset, lists), scope, depth - 1, is_real)
        if not factors:
            return None
        return self.bracketed(factors, "".join(self.join(lists, k) for k in range(1, len(lists))))

    def join(self, lists, k):
        """What may stand before factor k."""
        if not lists[k]:
            return self.draw.choice("**/")
        is_outer = any(lists[:k]) and not lists[k] & set().union(*lists[:k])
        return "^" if is_outer and self.chance(0.4) else "*"

    def bracketed(self, factors, ops):
        """The product, with brackets around some factors that follow each other."""
        if len(factors) > 2 and self.chance(0.6):
            first = self.draw.randint(0, len(factors) - 2)
            last = self.draw.randint(first + 1, len(factors) - 1 - (first == 0))
            bracket = Chain(ops[first:last], tuple(factors[first:last + 1]))
            return self.bracketed([*factors[:first], bracket, *factors[last + 1:]], ops[:first] + ops[last:])
        return Chain(ops, tuple(factors))
