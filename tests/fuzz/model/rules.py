# SPDX-License-Identifier: Apache-2.0
"""Types and indexes of expressions, as sections 4 and 5 of docs/sial.md have them."""

import collections
import dataclasses

from model.nodes import TRANSPARENT, Block, Chain, Complex, Literal, Logic, Name, Relation, Unary, blocks_in, cast_of


class Wrong(Exception):
    """The language forbids it."""


class Unclear(Exception):
    """The page does not say: it is not tried."""


@dataclasses.dataclass
class Index:
    kind: str
    low: int
    high: int
    parent: str = None


@dataclasses.dataclass
class Array:
    kind: str
    is_complex: bool
    indexes: tuple


class Rules:
    """Types and indexes of expressions over the declared names."""

    def __init__(self, indexes, arrays, scalars):
        self.indexes = indexes
        self.arrays = arrays
        self.scalars = scalars  # name: whether it is complex
        self.found = {}
        self.targets = []  # the block that is assigned to

    def names(self, block):
        """The segmented names of a block, in order."""
        if block.labels:
            return list(block.labels)
        return [position for index, position in zip(self.arrays[block.array].indexes, block.positions)
                if self.indexes[index].kind != "index"]

    def simple_names(self, block):
        declared = self.arrays[block.array].indexes
        return [position for index, position in zip(declared, block.positions)
                if self.indexes[index].kind == "index" and not cast_of(position)]

    def has_block(self, expression):
        if isinstance(expression, Block):
            return bool(self.names(expression))
        is_open = isinstance(expression, Chain) or isinstance(expression, Unary) and expression.word in TRANSPARENT
        return is_open and any(self.has_block(part) for part in expression.parts)

    def is_complex(self, expression):
        if isinstance(expression, Complex):
            return True
        if isinstance(expression, Unary) and expression.word in ("real", "imag", "abs", "(int)", "(scalar)"):
            return False
        if isinstance(expression, Name):
            return self.scalars.get(expression.name, False)
        if isinstance(expression, Block):
            return self.arrays[expression.array].is_complex
        return any(self.is_complex(part) for part in expression.parts)

    def free(self, expression, needed=frozenset()):
        """The indexes left of a value of which `needed` are used outside."""
        key = (expression, needed)
        if key not in self.found:
            self.found[key] = self.find_free(expression, needed)
        return self.found[key]

    def find_free(self, expression, needed):
        if isinstance(expression, Block):
            return frozenset(self.names(expression))
        if isinstance(expression, Unary) and expression.word in TRANSPARENT:
            return self.free(expression.part, needed)
        if not isinstance(expression, Chain):
            return frozenset()
        if expression.kind == "sum":
            return frozenset().union(*(self.free(part, needed) for part in expression.parts))
        return self.left(expression, needed, [self.free(*pair) for pair in zip(expression.parts, self.needs(expression, needed))])

    @staticmethod
    def left(product, needed, lists):
        """Of the indexes of the factors: those of one factor, and those that are needed."""
        count = collections.Counter(name for names in lists for name in names)
        return frozenset(name for name, number in count.items() if number == 1 or name in needed)

    def needs(self, product, needed):
        """What is needed of each factor: `needed`, and what exactly one of the other factors has."""
        own = [self.free(part) for part in product.parts]
        count = collections.Counter(name for names in own for name in names)
        return [needed | {name for name, number in count.items() if number - (name in mine) == 1} for mine in own]

    def tensor(self, expression, needed):
        """As free(), for a block or a number that is scalar or complex; checks all within."""
        if isinstance(expression, Block):
            self.check_block(expression)
            return self.free(expression)
        if isinstance(expression, Unary) and expression.word in TRANSPARENT and self.has_block(expression):
            if expression.word == "imag" and not self.is_complex(expression.part):
                raise Wrong("imag of a real value")
            return self.tensor(expression.part, needed)
        if not isinstance(expression, Chain) or not self.has_block(expression):
            if self.number(expression) not in ("scalar", "complex"):
                raise Wrong("an int where a scalar must stand")
            return frozenset()
        if expression.kind == "product":
            return self.product(expression, needed)
        names = {self.tensor(part, needed) for part in expression.parts}
        if len(names) > 1:
            raise Wrong("terms with different indexes")
        return names.pop()

    def product(self, expression, needed):
        lists = [self.tensor(*pair) for pair in zip(expression.parts, self.needs(expression, needed))]
        for op, names in zip(expression.ops, lists[1:]):
            if op == "/" and names:
                raise Wrong("division by a block")
        self.check_outer(expression, lists)
        self.check_casts(expression)
        return self.left(expression, needed, lists)

    def check_outer(self, product, lists):
        every = [{name for block in blocks_in(part) for name in self.names(block) + self.simple_names(block)}
                 for part in product.parts]
        for k, op in enumerate(product.ops, 1):
            if op == "^" and not (lists[k] and any(lists[:k])):
                if any(blocks_in(product.parts[k])) and any(any(blocks_in(part)) for part in product.parts[:k]):
                    raise Unclear("^ with blocks that are a number")
                raise Wrong("^ with a number")
            if op == "^" and lists[k] & frozenset().union(*lists[:k]):
                raise Wrong("both sides of ^ have an index")
            if op == "^" and every[k] & set().union(*every[:k]):
                raise Unclear("both sides of ^ have an index that is simple, or summed in brackets")

    def check_block(self, block):
        declared = self.arrays[block.array].indexes
        if len(declared) != len(block.positions):
            raise Wrong("number of indexes")
        for index, position in zip(declared, block.positions):
            wanted, used = self.indexes[index], self.indexes[cast_of(position) or position]
            if cast_of(position) and wanted.kind != "index":
                raise Wrong("(index) where a segment must stand")
            if cast_of(position) and used.kind == "index":
                raise Unclear("(index) of a simple index")
            if not cast_of(position) and (wanted.kind != used.kind or (wanted.parent and not used.parent)):
                raise Wrong("an index of another kind")
        names = self.names(block)
        if len(set(names)) < len(names):
            raise Wrong("an index twice")
        simple = self.simple_names(block)
        if len(set(simple)) < len(simple) and names:
            raise Unclear("a simple index twice")

    def number(self, expression):
        """int, scalar or complex."""
        if isinstance(expression, Literal):
            return "int" if expression.is_int() else "scalar"
        if isinstance(expression, Name):
            return ("complex" if self.scalars[expression.name] else "scalar") if expression.name in self.scalars else "int"
        if isinstance(expression, (Relation, Logic)):
            raise Wrong("a condition where a number must stand")
        if isinstance(expression, Unary) and expression.word in ("(int)", "(scalar)"):
            if self.number(expression.part) != ("scalar" if expression.word == "(int)" else "int"):
                raise Wrong("a cast of another type")
            return "int" if expression.word == "(int)" else "scalar"
        if isinstance(expression, (Block, Chain)) and self.has_block(expression) or \
                isinstance(expression, Unary) and expression.word in TRANSPARENT and self.has_block(expression):
            if self.tensor(expression, frozenset()):
                raise Wrong("a block where a number must stand")
            return "complex" if self.is_complex(expression) else "scalar"
        if isinstance(expression, Block):
            self.check_block(expression)
            return "complex" if self.is_complex(expression) else "scalar"
        types = {self.number(part) for part in expression.parts}
        if "int" in types and (len(types) > 1 or not self.takes_ints(expression)):
            raise Wrong("ints and scalars do not mix")
        if isinstance(expression, Complex) and "complex" in types:
            raise Wrong("a part of a complex number is complex")
        if isinstance(expression, Unary) and expression.word == "imag" and types == {"scalar"}:
            raise Wrong("imag of a real value")
        if isinstance(expression, Chain) and "^" in expression.ops:
            raise Wrong("^ between numbers")
        return "int" if types == {"int"} else "complex" if self.is_complex(expression) else "scalar"

    @staticmethod
    def takes_ints(expression):
        return isinstance(expression, Chain) or isinstance(expression, Unary) and expression.word == "-"

    def condition(self, expression):
        if isinstance(expression, Logic):
            for part in expression.parts:
                self.condition(part)
        elif isinstance(expression, Relation):
            types = {self.number(part) for part in expression.parts}
            if "complex" in types or len(types) > 1:
                raise Wrong("what cannot be compared")
        else:
            self.number(expression)
            raise Wrong("a number is no condition")

    def assign(self, target, op, value):
        """An assignment to a block; raises what is wrong with it."""
        self.check_block(target)
        names = frozenset(self.names(target))
        self.targets = [target] if names else []
        try:
            self.check_value(target, names, op, value)
        finally:
            self.targets = []

    def check_value(self, target, names, op, value):
        if self.is_complex(value) and not self.arrays[target.array].is_complex:
            raise Wrong("complex to real")
        if not names or not self.has_block(value):
            if self.number(value) == "int":
                raise Wrong("an int is assigned to a block")
            return
        found = self.tensor(value, names)
        if op == "*=" and found:
            raise Wrong("*= with a block")
        if op == "*=":
            return
        if not found:
            if self.is_bare(value):
                raise Unclear("a product of blocks that is a number, without brackets")
            return
        if found != names:
            if len(found) == len(names) and self.whole(found) == self.whole(names):
                raise Unclear("a part of a block")
            raise Wrong("indexes left over or missing")
        for term in self.terms(value):
            self.check_simple(target, names, term)

    def whole(self, names):
        return {self.indexes[name].parent or name for name in names}

    def is_bare(self, value):
        """Whether a factor of a term is a block and no number in brackets."""
        if isinstance(value, Unary) and value.word in TRANSPARENT:
            return self.is_bare(value.part)
        if isinstance(value, Chain):
            return any(self.is_bare(part) for part in value.parts
                       if value.kind == "sum" or not isinstance(part, Chain) and not isinstance(part, Unary) or
                       isinstance(part, Unary) and not isinstance(part.part, Chain))
        return isinstance(value, Block) and bool(self.names(value))

    def terms(self, value):
        """The terms of a sum, brackets of sums opened."""
        if isinstance(value, Chain) and value.kind == "sum" or self.is_sign(value):
            return [term for part in value.parts for term in self.terms(part)]
        return [value]

    def is_sign(self, value):
        """A sign, or what changes no real value."""
        return isinstance(value, Unary) and value.word in TRANSPARENT and (
            value.word == "-" or isinstance(value.part, Block) or not self.is_complex(value.part))

    def check_simple(self, target, names, term, is_sure=True):
        """Simple indexes of the target are in a factor of a product, or in no need of one in a copy."""
        factors = self.factors(term, names)
        open_factors = [factor for factor in factors if self.has_block(factor)]
        if len(open_factors) == 1:
            for part in self.terms(open_factors[0]):
                if part is not term:
                    self.check_simple(target, names, part, is_sure=False)
            return
        lacking = set(self.simple_names(target)).difference(*map(self.simple_of, factors))
        if lacking and is_sure and not lacking & {name for block in blocks_in(term) for name in self.simple_names(block)}:
            raise Wrong("a simple index of the result is in no factor")
        if lacking:
            raise Unclear("a simple index of the result is in a term of a factor, or in none of a term")

    def factors(self, value, needed):
        """The factors of a product, and of products in its brackets, that are no numbers; scalar-valued blocks too."""
        if isinstance(value, Chain) and self.has_block(value) and not self.free(value, needed):
            return []  # a number
        if isinstance(value, Chain) and value.kind == "product":
            multiplied = [op != "/" for op in "*" + value.ops]  # what divides is a number
            return [factor for part, need, is_factor in zip(value.parts, self.needs(value, needed), multiplied) if is_factor
                    for factor in self.factors(part, need)]
        if self.is_sign(value):
            return self.factors(value.part, needed)
        return [value] if isinstance(value, Block) or self.has_block(value) and self.free(value, needed) else []

    def simple_of(self, value):
        """The simple indexes of a factor: those of all its terms."""
        if isinstance(value, Chain) and value.kind == "sum":
            return set.intersection(*(self.simple_of(part) for part in value.parts))
        if isinstance(value, Chain) or isinstance(value, Unary) and value.word in TRANSPARENT:
            return set().union(*(self.simple_of(part) for part in value.parts))
        return set(self.simple_names(value)) if isinstance(value, Block) else set()

    def check_casts(self, product):
        """The number of an index beside its segment is for copies."""
        blocks = [*blocks_in(product), *self.targets]
        if sum(bool(self.names(block)) for block in blocks_in(product)) < 1:
            return
        casts = {cast_of(position) for block in blocks for position in block.positions}
        if casts & {name for block in blocks for name in self.names(block)}:
            raise Unclear("an index as a number and as a segment in a product")
