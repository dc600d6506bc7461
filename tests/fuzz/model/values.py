# SPDX-License-Identifier: Apache-2.0
"""Values of expressions in NumPy.

Each value goes with a size, the sum of the absolute values of what was added up in it, to which its rounding is relative.
Simple indexes have extent 1: they select blocks and are in no shape.
"""

import dataclasses
import math

import numpy as np
from model.nodes import TRANSPARENT, Block, Complex, Literal, Logic, Name, Power, Unary


class Skip(Exception):
    """Too near to a jump, an overflow or a pole to be compared."""

    statement = None  # where


@dataclasses.dataclass
class Value:
    names: tuple  # of the axes
    data: object
    size: object

    def over(self, names):
        """With its axes in this order."""
        order = [self.names.index(name) for name in names]
        return np.transpose(self.data, order), np.transpose(self.size, order)


def number(data, size=None):
    return Value((), data, abs(data) if size is None else size)


def limit(value, digits=80):
    if not np.all(np.abs(value) < 10.0 ** digits):
        raise Skip("too large")
    return value


def inverse(value):
    if abs(value.data) <= 1e-4 * value.size or abs(value.data) < 1e-30:
        raise Skip("a division by almost nothing")
    return number(1 / value.data, value.size / abs(value.data) ** 2)


def whole(quotient, divisor):
    """Division of ints cuts off toward zero."""
    if divisor == 0:
        raise Skip("an int is divided by 0")
    return abs(quotient) // abs(divisor) * (1 if (quotient < 0) == (divisor < 0) else -1)


class Values:
    """Computes expressions. `read(block)` gives data and sizes of a block; `variables` the values of names."""

    def __init__(self, rules, read, variables):
        self.rules = rules
        self.read = read
        self.variables = variables

    def of(self, expression, needed=frozenset()):
        if isinstance(expression, Literal):
            return int(expression.written) if expression.is_int() else number(float(expression.written.replace('d', 'e')))
        if isinstance(expression, Name):
            return self.variables[expression.name]
        if isinstance(expression, Block):
            return Value(tuple(self.rules.names(expression)), *self.read(expression))
        if isinstance(expression, Unary):
            return self.unary(expression, needed)
        if isinstance(expression, Power):
            return self.power(expression)
        if isinstance(expression, Complex):
            real, imaginary = map(self.of, expression.parts)
            return number(complex(real.data, imaginary.data), real.size + imaginary.size)
        if expression.kind == "product":
            return self.product(expression, needed)
        return self.sum(expression, needed)

    def unary(self, expression, needed):
        value = self.of(expression.part, needed if expression.word in TRANSPARENT else frozenset())
        if isinstance(value, int):
            return -value if expression.word == "-" else number(float(value))
        if expression.word == "(int)":
            return self.rounded(value)
        if expression.word in ("sqrt", "abs"):
            return self.root(value) if expression.word == "sqrt" else number(abs(value.data), value.size)
        change = {"-": np.negative, "conj": np.conj, "real": np.real, "imag": np.imag}[expression.word]
        return Value(value.names, change(value.data), value.size)

    @staticmethod
    def rounded(value):
        if value.size > 1e6 or abs(abs(value.data) % 1 - 0.5) < 1e-5:
            raise Skip("it may be rounded to two ints")
        return round(value.data)

    @staticmethod
    def root(value):
        if not isinstance(value.data, complex) and value.data < 0 or abs(value.data) <= 1e-4 * value.size:
            raise Skip("the root of almost nothing or of less")
        if isinstance(value.data, complex) and value.data.real < 0 and abs(value.data.imag) < 1e-4 * value.size:
            raise Skip("a root that jumps")
        root = np.sqrt(value.data)
        return number(root, value.size / abs(root))

    def power(self, expression):
        result = self.of(expression.parts[0])
        for part in expression.parts[1:]:
            exponent = self.of(part).data
            if exponent != int(exponent) and (isinstance(result.data, complex) or result.data <= 1e-4 * result.size):
                raise Skip("a broken power")
            if exponent < 0 and abs(result.data) <= 1e-3 * result.size:
                raise Skip("a negative power of almost nothing")
            limit(result.size, 20)
            data = result.data ** exponent
            result = number(data, abs(data) + abs(exponent) * result.size * abs(result.data) ** (exponent - 1)
                            if result.data != 0 else abs(data))
        return result

    def sum(self, expression, needed):
        values = [self.of(part, needed) for part in expression.parts]
        signs = [1] + [-1 if op == "-" else 1 for op in expression.ops]
        if isinstance(values[0], int):
            return limit(sum(sign * value for sign, value in zip(signs, values)), 8)
        names = values[0].names
        turned = [value.over(names) if names else (value.data, value.size) for value in values]
        return Value(names, sum(sign * data for sign, (data, _) in zip(signs, turned)), sum(size for _, size in turned))

    def product(self, expression, needed):
        needs = self.rules.needs(expression, needed)
        values = [self.of(*pair) for pair in zip(expression.parts, needs)]
        if isinstance(values[0], int):
            result = values[0]
            for op, value in zip(expression.ops, values[1:]):
                result = limit(whole(result, value) if op == "/" else result * value, 8)
            return result
        values = [inverse(value) if op == "/" else value for op, value in zip("*" + expression.ops, values)]
        blocks = [value for value in values if value.names]
        scale = math.prod(value.data for value in values if not value.names)
        size = math.prod(value.size for value in values if not value.names)
        if not blocks:
            return number(scale, limit(size))
        letters = {}
        lists = ["".join(letters.setdefault(name, chr(ord("a") + len(letters))) for name in value.names) for value in blocks]
        left = self.rules.left(expression, needed, [value.names for value in blocks])
        names = tuple(name for name in letters if name in left)
        form = f"{','.join(lists)}->{''.join(letters[name] for name in names)}"
        data = scale * np.einsum(form, *(value.data for value in blocks))
        sizes = size * np.einsum(form, *(value.size for value in blocks))
        limit(sizes)
        return Value(names, data, sizes) if names else number(data.item() if hasattr(data, "item") else data, float(sizes))

    def truth(self, condition):
        if isinstance(condition, Logic):
            parts = [self.truth(part) for part in condition.parts]
            return not parts[0] if condition.word == "not" else all(parts) if condition.word == "and" else any(parts)
        left, right = map(self.of, condition.parts)
        if not isinstance(left, int):
            if abs(left.data - right.data) <= 1e-5 * (left.size + right.size):
                raise Skip("almost equal")
            left, right = left.data, right.data
        return {"<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right, "==": left == right,
                "!=": left != right}[condition.op]
