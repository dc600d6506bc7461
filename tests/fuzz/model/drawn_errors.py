# SPDX-License-Identifier: Apache-2.0
"""Statements that docs/sial.md forbids, each wrong in one place."""

import contextlib
import dataclasses

from model import statements as sial
from model.nodes import Block, Chain, Literal, Name, Unary
from model.rules import Unclear, Wrong

TRIES = 60
# {i} is an index of a loop around, {o} one of no loop around, {b} a real block that is there, {a} its array.
ANYWHERE = """x0 = nowhere
x0 = 1
x0 = n0
n0 = 1.5
n0 = x0
n0 = n1 + 1.0
x0 += n0*x1
x0 = x1 + 2
x0 = sqrt 4
x0 = abs(n0)
x0 = n0**2.0
x0 = x1**2
x0 = x1^x2
n0 = n1^2
x0 = (scalar)x1
n0 = (int)n1
n0 = (int)z0
x0 = (scalar)(n0 + x1)
x0 = (int)x1
x0 = 1.0 < 2.0
x0 = not x1
x0 = x1*(n0 < 1)
n0 = -(n0 < 1)
x0 = z0
x0 -= x1*conj(z0)
x0 = z0**2.0
x0 = imag(x1)
z0 = imag(x1*x2)
z0 = complex(z1, 1.0)
z0 = complex(1, 2.0)
x0 = "1.0"
n0 = "1"
print n0 < 1
print nowhere
print x0*n0
collective n0 += 1
collective x0 = 1.0
collective x0 += 1
collective x0 += z0
call x0
call nowhere
x0(1) = 2.0
x0 = {o}
n0 += {o}
print {o}
{o} = 1
do n0
do {o} in x0
do nowhere
if x0
if n0 and 1 < 2
if z0 < z1
if not n0
if n0 < x0
if (1 < 2) == (2 < 3)
if 1 < 2 < 3""".split("\n")
OUTSIDE_OF_LOOPS = ["exit", "cycle"]
OUTSIDE_OF_PROCEDURES = ["return"]
INSIDE_OF_LOOPS = ["do {i}", "pardo {i}"]  # around the call of a procedure, they are warnings
INSIDE = """{i} = 1
{i} += 1
x0 = {i}
x0 = (index){i}
n0 = (index){i}
n0 = (int){i}
x0 = {b}
x0 = {b}*2.0
x0 = 1.0/{b}
x0 = sqrt({b})
x0 = {b}**2.0
n0 = (int){b}
x0 += real({b})
if {b} > 1.0
z0 = complex({b}, 1.0)
exit {o}
cycle {o}
{b} = 1
{b} += {i}
{b} = {i}*{b}
{b} = 2*{b}
{b} *= {b}
{b} *= 2.0*{b}
{b} = {b} + 1.0
{b} -= x0 - {b}
{b} = {b}/{b}
{b} = 1.0/{b}
{b} = {b}^x0
{b} = {b}*{b}^{b}
{b} = x0^{b}
{b} = {b} < {b}
{b} = {b}*"1"
{b} = z0*{b}
{b} = {b}/conj(z0)
{b} += imag({b})
{b} = nowhere[{i}]
{b} = x0[{i}]
{b} = {a}
{b} = {a}[*]
{b} = {a}[1:2]
{b} = {a}[1]
{b} = {b} exists
put {b} = 1.0
request {b}""".split("\n")
ENDS = {"do": "enddo", "if": "endif", "pardo": "endpardo"}


def with_part(node, k, part):
    """The node with another part."""
    if isinstance(node, Unary):
        return dataclasses.replace(node, part=part)
    return dataclasses.replace(node, parts=(*node.parts[:k], part, *node.parts[k + 1:]))


class Errors:
    """Draws wrong statements for places of a program."""

    def __init__(self, program):
        self.program = program
        self.draw = program.draw

    @contextlib.contextmanager
    def one(self):
        """While it lasts, the program has a wrong statement, which is given."""
        statement, body = None, []
        while not statement or not statement.line:  # some bodies are not in the program, as they went into others
            body, scope = self.draw.choice(self.program.places)
            statement = (self.draw.random() < 0.7 and self.changed(scope)) or self.listed(scope)
            body.insert(0, statement)
            self.program.source()
            if not statement.line:
                del body[0]
        try:
            yield statement
        finally:
            del body[0]

    def listed(self, scope):
        """Of the lists above."""
        draw, program = self.draw, self.program
        lines = list(ANYWHERE)
        if len(scope.loops) == (scope.procedure_loops or 0):
            lines += OUTSIDE_OF_LOOPS
        if scope.procedure_loops is None:
            lines += OUTSIDE_OF_PROCEDURES
        spare = sorted(name for name, index in program.indexes.items() if name not in (*scope.loops, "s") and not index.parent)
        words = {"o": draw.choice(spare)}
        blocks = [block for name in program.segmented(scope) for block in program.sources(frozenset([name]), scope, True)]
        if blocks:
            block = draw.choice(blocks)
            words |= {"b": block.text(), "a": block.array, "i": draw.choice(scope.loops)}
            lines += INSIDE + (INSIDE_OF_LOOPS if scope.procedure_loops is None else [])
        text = draw.choice(lines).format(**words)
        word, *names = text.split()
        if word in ENDS:
            text += f"\n  print 1\n{' '.join([ENDS[word], *(names if word != 'if' else [])])}"
        return sial.Text(text)

    def changed(self, scope):
        """A valid assignment of which one node is another one."""
        for _ in range(TRIES):
            target, op, value = self.assignment(scope)
            if value is None:
                continue
            try:
                self.check(target, op, value)
                value = self.other(value, scope)
                self.check(target, op, value)
            except Wrong:
                return sial.Assign(target, op, value)
            except Unclear:
                pass
        return None

    def assignment(self, scope):
        program, op = self.program, self.draw.choice(["=", "=", "+=", "-=", "*="])
        target = program.target(scope) if self.draw.random() < 0.8 else None
        if target is None:
            name = self.draw.choice(["x0", "z0", "n0"])
            return Name(name), op, program.whole(scope, 3) if name == "n0" else program.number(scope, 3, name == "x0")
        op = op if program.is_there(target, scope) else "="
        return target, op, program.value_for(target, op, scope)

    def check(self, target, op, value):
        if isinstance(target, Block):
            return self.program.rules.assign(target, op, value)
        wanted = {"x0": ["scalar"], "z0": ["scalar", "complex"], "n0": ["int"]}[target.name]
        if self.program.rules.number(value) not in wanted:
            raise Wrong("another type")

    def other(self, node, scope):
        """The value with another node at one place."""
        if node.parts and self.draw.random() < 0.7:
            k = self.draw.randrange(len(node.parts))
            return with_part(node, k, self.other(node.parts[k], scope))
        if isinstance(node, Block):
            return self.other_block(node, scope)
        if isinstance(node, Chain) and self.draw.random() < 0.7:
            return self.other_chain(node)
        names = self.program.segmented(scope)
        names = frozenset(self.draw.sample(names, min(self.draw.randint(0, 2), len(names))))
        return self.draw.choice([lambda: Unary("imag", node), lambda: Unary("sqrt", node), lambda: Unary("(scalar)", node),
                                 lambda: Chain("+", (node, Literal("1"))), lambda: Chain("*", (node, Literal("2.0"))),
                                 lambda: Name(self.draw.choice(["n1", "x1", "z1"])),
                                 lambda: self.program.tensor(names, scope, 1, False) or node])()

    def other_block(self, block, scope):
        position = self.draw.choice([*scope.loops, *(f"(index){name}" for name in scope.loops)])
        if self.draw.random() < 0.2:
            return Block(block.array, block.positions[1:] or (position, position))
        k = self.draw.randrange(len(block.positions))
        return Block(block.array, (*block.positions[:k], position, *block.positions[k + 1:]))

    def other_chain(self, chain):
        k = self.draw.randrange(len(chain.ops))
        if len(chain.parts) > 2 and self.draw.random() < 0.4:
            return Chain(chain.ops[1:], chain.parts[1:])
        op = self.draw.choice("/^" if chain.kind == "product" else "+-")
        return Chain(chain.ops[:k] + op + chain.ops[k + 1:], chain.parts)
