# SPDX-License-Identifier: Apache-2.0
"""Statements of SIAL that write themselves, and what they do.

A `Machine` holds what the statements change and collects what they print. The iterations of a pardo run one after the other,
and what a worker adds up is the sum over all: a program may print only what does not depend on how iterations are dealt.
"""

import dataclasses
import itertools

import numpy as np
from model.nodes import Block, Literal, Name, Node, Relation, cast_of
from model.values import Skip, Value, Values, limit, number


class Leave(Exception):
    """exit or cycle of the loop over an index; return has none."""

    def __init__(self, word, index):
        super().__init__(word)
        self.word, self.index = word, index


@dataclasses.dataclass
class Printed:
    statement: object
    data: object
    size: object


class Writer:
    """Collects lines."""

    def __init__(self, lines, parents):
        self.lines = list(lines)
        self.parents = parents  # of the subindexes
        self.depth = 1

    def add(self, text):
        """Returns the number of the line."""
        self.lines.append("  " * self.depth + text)
        return len(self.lines)

    def body(self, statements):
        self.depth += 1
        for statement in statements:
            statement.write(self)
        self.depth -= 1


class Machine:
    def __init__(self, rules, segments, subsegment):
        self.rules = rules
        self.segments = segments  # of each kind, the extents
        self.subsegments = [(segment, first, min(subsegment, extent - first))
                            for segment, extent in enumerate(segments["aoindex"], 1) for first in range(0, extent, subsegment)]
        self.variables = {}
        self.blocks = {}
        self.frames = [[]]  # blocks of temps, by the iteration that made them
        self.printed = []
        self.done = set()  # statements that have run
        self.values = Values(rules, self.read, self.variables)

    # Blocks

    def place(self, block):
        """The key of a block, its shape, and the slices of the part that a subindex selects."""
        key, shape, part = [block.array], [], []
        for declared, position in zip(self.rules.arrays[block.array].indexes, block.positions):
            name = cast_of(position) or position
            wanted, value = self.rules.indexes[declared], self.variables[name]
            is_part = self.rules.indexes[name].parent and not wanted.parent and wanted.kind != "index"
            first, length = 0, None
            if is_part:
                value, first, length = self.subsegments[value - 1]
            key.append(value)
            if wanted.kind != "index":
                extent = self.subsegments[value - 1][2] if wanted.parent else self.segments[wanted.kind][value - 1]
                shape.append(extent)
                part.append(slice(first, first + (length or extent)))
        return tuple(key), tuple(shape), tuple(part)

    def stored(self, block):
        """Data and sizes of the whole block, zero if it is new, and the slices of the part."""
        key, shape, part = self.place(block)
        array = self.rules.arrays[block.array]
        if key not in self.blocks:
            self.blocks[key] = [np.zeros(shape, complex if array.is_complex else float), np.zeros(shape)]
            if array.kind == "temp":
                self.frames[-1].append(key)
        return self.blocks[key], part

    def read(self, block):
        (data, size), part = self.stored(block)
        return (data[part], size[part]) if part else (data.item(), size.item())

    def write(self, block, op, value):
        stored, part = self.stored(block)
        new = value.over(self.rules.names(block)) if value.names else (value.data, value.size)
        if value.names and new[0].shape != stored[0][part].shape:
            raise Skip("a copy in the order of memory between segments of different extents")
        for k, sign in enumerate((-1 if op == "-=" else 1, 1)):
            stored[k] = stored[k].copy()
            old = stored[k][part]
            stored[k][part] = limit(new[k] if op == "=" else old * new[k] if op == "*=" else old + sign * new[k])

    def show(self, statement, data, size):
        self.printed.append(Printed(statement, *(np.asarray(one).reshape(-1, order="F") for one in (data, size))))

    # Loops

    def run(self, statements):
        """A statement that has to be skipped becomes a simpler one; one that has run before must be so from the start."""
        for statement in statements:
            try:
                statement.run(self)
            except Leave:
                self.done.add(statement)
                raise
            except Skip as skip:
                if skip.statement or statement in self.done or isinstance(statement, Loop):
                    skip.statement = skip.statement or statement
                    raise
                statement.tame(self.rules)
                statement.run(self)
            self.done.add(statement)

    def iterate(self, indexes, settings, wheres, body):
        for setting in settings:
            self.variables.update(zip(indexes, setting))
            if all(self.values.truth(where) for where in wheres) and not self.once(indexes, body):
                break

    def once(self, indexes, body):
        """One iteration. False: the loop is left."""
        self.frames.append([])
        try:
            self.run(body)
        except Leave as leave:
            if leave.index not in indexes:
                raise
            return leave.word == "cycle"
        finally:
            for key in self.frames.pop():
                del self.blocks[key]
        return True


@dataclasses.dataclass(eq=False)
class Statement:
    line: int = dataclasses.field(default=0, init=False)

    def tame(self, rules):
        """Becomes a statement that never has to be skipped."""
        raise AssertionError(f"{self} is never skipped")

    def write(self, out):
        self.line = out.add(self.text())


@dataclasses.dataclass(eq=False)
class Text(Statement):
    """What has no effect on values."""
    words: str

    def text(self):
        return self.words

    def write(self, out):
        first, *more = self.words.split("\n")
        self.line = out.add(first)
        for line in more:
            out.add(line)

    def run(self, machine):
        pass


@dataclasses.dataclass(eq=False)
class Assign(Statement):
    """Also put, prepare and collective."""
    target: Node
    op: str
    value: Node
    word: str = ""

    def text(self):
        return f"{self.word} {self.target.text()} {self.op} {self.value.text()}".strip()

    def run(self, machine):
        if isinstance(self.target, Block):
            value = machine.values.of(self.value, frozenset(machine.rules.names(self.target)))
            return machine.write(self.target, self.op, value)
        machine.variables[self.target.name] = self.changed(machine, machine.variables[self.target.name])

    def changed(self, machine, old):
        new = machine.values.of(self.value)
        if isinstance(new, int):
            return limit({"=": new, "+=": old + new, "-=": old - new, "*=": old * new}[self.op], 8)
        data = {"=": new.data, "+=": old.data + new.data, "-=": old.data - new.data, "*=": old.data * new.data}[self.op]
        size = {"=": new.size, "*=": old.size * new.size}.get(self.op, old.size + new.size)
        return number(complex(data) if machine.rules.scalars[self.target.name] else data, limit(size))

    def tame(self, rules):
        is_int = isinstance(self.target, Name) and self.target.name not in rules.scalars
        self.value = Literal("2" if is_int else "0.75")
        self.op = "=" if self.op == "*=" else self.op


@dataclasses.dataclass(eq=False)
class Sequence(Statement):
    """execute fill_block_sequential"""
    target: Block
    first: Name

    def text(self):
        return f"execute fill_block_sequential {self.target.text()} {self.first.text()}"

    def run(self, machine):
        (data, _), _ = machine.stored(self.target)
        first = machine.values.of(self.first)
        filled = first.data + np.arange(data.size, dtype=float).reshape(data.shape, order="F")
        machine.write(self.target, "=", Value(tuple(machine.rules.names(self.target)), filled, abs(filled) + first.size))


@dataclasses.dataclass(eq=False)
class Print(Statement):
    value: Node

    def text(self):
        return f"print {self.value.text()}"

    def run(self, machine):
        value = machine.values.of(self.value)
        machine.show(self, *((value, 0) if isinstance(value, int) else (value.data, value.size)))

    def tame(self, rules):
        self.value = Literal("0.75")


@dataclasses.dataclass(eq=False)
class Loop(Statement):
    """do over one index, pardo over some."""
    word: str
    indexes: tuple
    wheres: list
    body: list
    policy: str = ""

    def write(self, out):
        names = ",".join(self.indexes)
        parent = out.parents.get(names)
        names = f"{names} in {parent}" if parent else names
        self.line = out.add(f"{self.word} {names}{self.policy}")
        for where in self.wheres:
            out.add(f"where {where.text()}")
        out.body(self.body)
        out.add(f"end{self.word} {names}")

    def run(self, machine):
        indexes = [machine.rules.indexes[index] for index in self.indexes]
        ranges = [range(index.low, index.high + 1) for index in indexes]
        if indexes[0].parent:
            segment = machine.variables[indexes[0].parent]
            ranges = [[number for number, (of, _, _) in enumerate(machine.subsegments, 1) if of == segment]]
        settings = (setting[::-1] for setting in itertools.product(*reversed(ranges)))  # the first runs fastest
        machine.iterate(self.indexes, settings, self.wheres, self.body)

    def tame(self, rules):
        self.wheres = []


@dataclasses.dataclass(eq=False)
class If(Statement):
    branches: list  # of condition and body; that of else has None

    def write(self, out):
        for k, (condition, body) in enumerate(self.branches):
            line = out.add("else" if condition is None else f"{'else ' if k else ''}if {condition.text()}")
            self.line = self.line if k else line
            out.body(body)
        out.add("endif")

    def run(self, machine):
        for condition, body in self.branches:
            if condition is None or machine.values.truth(condition):
                return machine.run(body)

    def tame(self, rules):
        holds = Relation("<", (Literal("1"), Literal("2")))
        self.branches = [(condition and holds, body) for condition, body in self.branches]


@dataclasses.dataclass(eq=False)
class Jump(Statement):
    """exit, cycle or return."""
    word: str
    index: str
    is_named: bool = True

    def text(self):
        return f"{self.word} {self.index}" if self.is_named else self.word

    def run(self, machine):
        raise Leave(self.word, self.index)


@dataclasses.dataclass(eq=False)
class Procedure:
    name: str
    body: list

    def write(self, out):
        out.add(f"proc {self.name}")
        out.body(self.body)
        out.add(f"endproc {self.name}")


@dataclasses.dataclass(eq=False)
class Call(Statement):
    procedure: Procedure

    def text(self):
        return f"call {self.procedure.name}"

    def run(self, machine):
        try:
            machine.run(self.procedure.body)
        except Leave as leave:
            if leave.word != "return":
                raise
