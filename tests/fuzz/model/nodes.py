# SPDX-License-Identifier: Apache-2.0
"""Expressions of SIAL (docs/sial.md, section 4) as values that print themselves."""

import dataclasses

TRANSPARENT = ("-", "conj", "real", "imag")  # what may stand before blocks
LEVELS = {"or": 0, "and": 1, "not": 2, "relation": 3, "sum": 4, "product": 5, "power": 6, "unary": 7, "primary": 8}


class Node:
    kind = "primary"
    parts = ()

    def inside(self, least):
        text = self.text()
        return text if LEVELS[self.kind] >= LEVELS[least] else f"({text})"


def node(made):
    """Nodes are compared and kept by identity."""
    return dataclasses.dataclass(frozen=True, eq=False)(made)


@node
class Literal(Node):
    """A scalar, 1.5, or an int, 15."""
    written: str

    def text(self):
        return self.written

    def is_int(self):
        return self.written.isdigit()


@node
class Name(Node):
    """A scalar, an int or an index."""
    name: str

    def text(self):
        return self.name


@node
class Block(Node):
    """A position is the name of an index, or `(index)i`. `shown` is what is written where a part is meant; `labels` are the
    names by which the segmented positions are matched, where it is not the indexes."""
    array: str
    positions: tuple
    shown: tuple = None
    labels: tuple = None

    def text(self):
        return f"{self.array}[{','.join(self.shown or self.positions)}]"


@node
class Chain(Node):
    """A sum or a product: `ops` has what joins the parts."""
    ops: str
    parts: tuple

    @property
    def kind(self):
        return "sum" if self.ops[0] in "+-" else "product"

    def text(self):
        below = "product" if self.kind == "sum" else "power"
        spaces = " " if self.kind == "sum" else ""
        joined = [f"{spaces}{op}{spaces}{part.inside(below)}" for op, part in zip(self.ops, self.parts[1:])]
        return self.parts[0].inside(below) + "".join(joined)


@node
class Power(Node):
    parts: tuple
    kind = "power"

    def text(self):
        return "**".join(part.inside("unary") for part in self.parts)


@node
class Unary(Node):
    """-, a function or a cast before its operand."""
    word: str
    part: Node
    is_bare: bool = False  # without brackets, where none are needed
    kind = "unary"

    @property
    def parts(self):
        return (self.part,)

    def text(self):
        if self.word[0] in "-(":
            return self.word + self.part.inside("unary")
        return f"{self.word} {self.part.inside('unary')}" if self.is_bare else f"{self.word}({self.part.text()})"


@node
class Complex(Node):
    parts: tuple

    def text(self):
        return f"complex({self.parts[0].text()}, {self.parts[1].text()})"


@node
class Relation(Node):
    op: str
    parts: tuple
    kind = "relation"

    def text(self):
        return f"{self.parts[0].inside('sum')} {self.op} {self.parts[1].inside('sum')}"


@node
class Logic(Node):
    """Conditions joined by and, or; not before one."""
    word: str
    parts: tuple

    @property
    def kind(self):
        return self.word

    def text(self):
        if self.word == "not":
            return f"not {self.parts[0].inside('not')}"
        below = "and" if self.word == "or" else "not"
        return f" {self.word} ".join(part.inside(below) for part in self.parts)


def cast_of(position):
    """The index whose number the position takes, if it takes one."""
    return position[len("(index)"):] if position.startswith("(") else None


def blocks_in(expression):
    if isinstance(expression, Block):
        yield expression
    for part in expression.parts:
        yield from blocks_in(part)
