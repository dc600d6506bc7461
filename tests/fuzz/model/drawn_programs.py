# SPDX-License-Identifier: Apache-2.0
"""Random programs that docs/sial.md allows.

A program declares arrays over all kinds of indexes, gives them values, and then has nests of loops whose bodies assign random
expressions to blocks, scalars and ints and print them, and pardos that put into shared arrays.
"""

import dataclasses
import itertools

from model import statements as sial
from model.drawn_expressions import TRIES, Expressions, Scope
from model.nodes import Block, Chain, Literal, Name, Unary, cast_of
from model.rules import Array, Index, Rules, Unclear, Wrong
from model.values import Skip, number

SUBSEGMENT = 2
LOOPS = {"i": 3, "j": 3, "k": 3, "p": 1, "q": 2, "m": 2, "n": 1, "t": 2, "u": 2}  # iterations
MOST_ITERATIONS = 24
# Of arrays, the kinds of their indexes: ao, moa, simple, of subsegments.
LASTING = ["a", "a", "aa", "aa", "am", "m", "aaa", "aam", "as", "as", "sma", "aas", "s", "s", "ss"]
TEMPS = ["a", "a", "aa", "aa", "am", "ma", "m", "mm", "aaa", "ama", "aaam", "as", "sa", "h", "ha", "ha", "hs", "mh"]
SHARED = ["aa", "am", "s", "a"]
POLICIES = ["", "", "", ' "sequential"', ' "static"', ' "balanced"', ' "dynamic"', ' "locality"']


class Program(Expressions):
    def __init__(self, seed):
        super().__init__(seed)
        self.declare()
        self.rules = Rules(self.indexes, self.arrays, self.scalars)
        self.procedures = []  # with the scopes of their first calls
        self.places = []  # body and scope: where a statement may be put
        self.main = self.start()
        for _ in range(self.draw.randint(2, 4)):
            self.main += self.level(self.loops(), Scope())[0]
        if self.chance(0.6):
            self.main += self.epochs()

    # Declarations

    def declare(self):
        draw = self.draw
        self.segments = {"aoindex": draw.sample([1, 2, 3, 4], 3), "moaindex": draw.sample([1, 2, 3], 2)}
        one, two, three = draw.randint(1, 3), draw.randint(1, 2), draw.randint(1, 2)
        self.indexes = {name: Index("aoindex", 1, 3) for name in "ijk"}
        self.indexes |= {"p": Index("aoindex", one, one), "q": Index("aoindex", two, two + 1),
                         "m": Index("moaindex", 1, 2), "n": Index("moaindex", three, three),
                         "s": Index("index", -1, 9), "t": Index("index", 1, 2), "u": Index("index", -1, 0),
                         "ii": Index("aoindex", 0, 0, "i"), "pp": Index("aoindex", 0, 0, "p")}
        self.lasting_scalars = ["x0", "x1", "x2", "z0", "z1"]
        self.scalars = {name: name[0] == "z" for name in [*self.lasting_scalars, "w", "zw", "part", "zpart", "total", "ztotal"]}
        self.ints = ["n0", "n1", "n2"]
        self.arrays = {}
        for shape in LASTING:
            self.declare_array(draw.choice(["static", "local"]), shape)
        self.lasting = [(name, "".join(sorted(map(self.letter, array.indexes)))) for name, array in self.arrays.items()]
        for shape in TEMPS:
            self.declare_array("temp", shape)
        for shape in SHARED:
            self.declare_array(draw.choice(["distributed", "served"]), shape)
        for array in list(self.arrays.values()):
            self.arrays["_".join(["q", *array.indexes])] = Array("temp", False, array.indexes)

    def declare_array(self, kind, shape):
        indexes = {"a": "ijk", "m": "m", "s": "s", "h": ["ii"]}
        is_complex = self.chance(0.3)
        name = f"{kind[0]}{'z' if is_complex else ''}{len(self.arrays)}"
        letters = self.draw.sample(shape, len(shape))
        self.arrays[name] = Array(kind, is_complex, tuple(self.draw.choice(indexes[letter]) for letter in letters))

    def head(self):
        lines = ["sial expressions", "  special fill_block_sequential wr"]
        for name, index in self.indexes.items():
            lines.append(f"  subindex {name} of {index.parent}" if index.parent else
                         f"  {index.kind} {name} = {index.low}:{index.high}")
        for name, array in self.arrays.items():
            lines.append(f"  {'complex ' if array.is_complex else ''}{array.kind} {name}[{','.join(array.indexes)}]")
        lines += [f"  {'complex ' if is_complex else ''}scalar {name}" for name, is_complex in self.scalars.items()]
        return lines + [f"  int {name}" for name in self.ints]

    def source(self):
        out = sial.Writer(self.head(), {name: index.parent for name, index in self.indexes.items()})
        for statement in [*(procedure for procedure, _ in self.procedures), *self.main]:
            statement.write(out)
        return "\n".join([*out.lines, "endsial expressions", ""])

    def run(self):
        """What it prints. A statement whose effect may depend on rounding becomes a simpler one."""
        while True:
            machine = sial.Machine(self.rules, self.segments, SUBSEGMENT)
            machine.variables |= {name: number(0j if is_complex else 0.0) for name, is_complex in self.scalars.items()}
            machine.variables |= dict.fromkeys(self.ints, 0)
            try:
                machine.run(self.main)
                return machine.printed
            except Skip as skip:
                skip.statement.tame(self.rules)

    # Nests of loops

    def start(self):
        """Values of all that lasts."""
        body = [sial.Text(f"allocate {name}") for name, array in self.arrays.items() if array.kind == "local"]
        body += [sial.Assign(Name(name), "=", self.literal(self.scalars[name])) for name in self.lasting_scalars]
        body += [sial.Assign(Name(name), "=", Literal(str(self.draw.randint(1, 5)))) for name in self.ints]
        for name, _ in self.lasting:
            loops = self.own_loops(self.arrays[name])
            body += self.over(loops, self.filled(Block(name, loops)))
        return body

    def own_loops(self, array):
        """Indexes to run over the whole array."""
        spare = {"aoindex": ["i", "j", "k"], "moaindex": ["m"], "index": ["t", "u"]}
        return tuple(spare[self.indexes[index].kind].pop(0) for index in array.indexes)

    @staticmethod
    def over(loops, body):
        for index in reversed(loops):
            body = [sial.Loop("do", (index,), [], body)]
        return body

    def filled(self, block):
        """A sequence, another one in each block."""
        array = self.arrays[block.array]
        temp = Block("_".join(["q", *array.indexes]), block.positions)
        terms = [Chain("*", (Literal(f"0.{self.draw.randint(11, 99)}"), Unary("(scalar)", Name(cast_of(position) or position))))
                 for position in block.positions]
        first = Chain("+" * len(terms), (self.literal(False), *terms))
        value = Chain("*", (self.literal(array.is_complex), temp))
        return [sial.Assign(Name("w"), "=", first), sial.Sequence(temp, Name("w")), sial.Assign(block, "=", value)]

    def loops(self):
        loops, most = [], MOST_ITERATIONS
        for index in self.draw.sample(list(LOOPS), len(LOOPS)):
            if LOOPS[index] <= most and len(loops) < 5:
                loops.append(index)
                most //= LOOPS[index]
        return loops

    def level(self, loops, scope):
        """Loops in each other, with statements around them."""
        if not loops:
            return self.statements(scope, self.draw.randint(3, 7))
        before, scope = self.statements(scope, self.draw.choice([0, 0, 1]) if scope.loops else 0)
        inner = scope.inside(loops[0])
        body, _ = self.level(loops[1:], inner)
        after, scope = self.statements(scope, self.draw.choice([0, 0, 1, 2]))
        return [*before, sial.Loop("do", (loops[0],), self.wheres(inner, 0.15), body), *after], scope

    def wheres(self, scope, chance):
        return [self.condition(scope, 1, scope.is_pardo) for _ in range(2) if self.chance(chance)]

    def statements(self, scope, count):
        body = []
        self.places.append((body, scope))
        for _ in range(count):
            more, scope = self.statement(scope)
            body += more
        return body, scope

    def statement(self, scope):
        choice = self.draw.random()
        if choice < 0.1:
            return self.branch(scope), scope
        if choice < 0.14 and not scope.is_pardo:
            return self.called(scope), scope
        if choice < 0.18 and not scope.is_pardo:
            return self.jump(scope), scope
        if choice < 0.24:
            return self.inner_loop(scope), scope
        if choice < 0.4:
            return self.number_statement(scope), scope
        return self.block_statement(scope)

    def branch(self, scope):
        branches = [(self.condition(scope, 2), self.statements(scope, 1)[0]) for _ in range(self.draw.choice([1, 1, 2]))]
        if self.chance(0.5):
            branches.append((None, self.statements(scope, 1)[0]))
        return [sial.If(branches)]

    def jump(self, scope):
        """Out of a loop of the same procedure, or of the procedure."""
        loops = scope.loops[scope.procedure_loops or 0:]
        if scope.procedure_loops is not None and self.chance(0.3):
            jump = sial.Jump("return", None, False)
        elif loops:
            index = loops[-min(self.draw.choice([1, 1, 2]), len(loops))]
            jump = sial.Jump(self.draw.choice(["exit", "cycle"]), index, index != loops[-1] or self.chance(0.4))
        else:
            return []
        return [sial.If([(self.condition(scope, 1), [jump])])]

    def called(self, scope):
        for procedure, first in self.procedures:
            if set(first.loops) <= set(scope.loops) and first.live <= scope.live and self.chance(0.5):
                return [sial.Call(procedure)]
        if len(self.procedures) > 3 or scope.procedure_loops is not None:
            return []
        inner = dataclasses.replace(scope, procedure_loops=len(scope.loops))
        body, _ = self.statements(inner, self.draw.randint(1, 3))
        procedure = sial.Procedure(f"step{len(self.procedures)}", body)
        self.procedures.append((procedure, inner))
        return [sial.Call(procedure)]

    def inner_loop(self, scope):
        subs = [sub for sub, parent in (("ii", "i"), ("pp", "p")) if parent in scope.loops and sub not in scope.loops]
        spare = subs * 3 + [index for index in "ntu" if index not in scope.loops]
        if not spare or len(scope.loops) > 5 or scope.procedure_loops is not None:
            return []
        inner = scope.inside(self.draw.choice(spare))
        body, _ = self.statements(inner, self.draw.randint(2, 3))
        return [sial.Loop("do", inner.loops[-1:], self.wheres(inner, 0.1), body)]

    # Epochs of shared arrays

    def epochs(self):
        """Pardos that put, each followed by a nest that gets."""
        body = []
        for name in (name for name, array in self.arrays.items() if array.kind in ("distributed", "served")):
            for is_first in [True, False][:self.draw.choice([1, 2, 2])]:
                barrier = sial.Text("sip_barrier" if self.arrays[name].kind == "distributed" else "server_barrier")
                body += [*self.put_epoch(name, is_first), barrier, *self.get_epoch(name), barrier]
        return body

    def put_epoch(self, name, is_first):
        array = self.arrays[name]
        loops = self.own_loops(array)
        op = "=" if is_first else self.draw.choice(["=", "+=", "-=", "*="])
        extra = [self.draw.choice("pn")] if op in ("+=", "-=") and self.chance(0.5) else []
        scope = Scope(tuple(self.draw.sample([*loops, *extra], len(loops) + len(extra))), is_pardo=True)
        wheres = [] if is_first else self.wheres(scope, 0.3)
        body, inner = self.statements(scope, self.draw.randint(1, 4))
        block = Block(name, loops)
        value = self.value_for(block, op, inner) or self.literal(False)
        body.append(sial.Assign(block, op, value, "put" if array.kind == "distributed" else "prepare"))
        body.append(sial.Assign(Name("part"), "+=", self.number(inner, 2, True)))
        body.append(sial.Assign(Name("zpart"), "-=", self.number(inner, 2, False)))
        made = [sial.Assign(Name(part), "=", Literal("0.0")) for part in ("part", "zpart", "total", "ztotal")]
        made.append(sial.Loop("pardo", scope.loops, wheres, body, self.draw.choice(POLICIES)))
        for total, part in (("total", "part"), ("ztotal", "zpart")):
            made += [sial.Assign(Name(total), "+=", Name(part), "collective"), sial.Print(Name(total))]
        return made

    def get_epoch(self, name):
        loops = self.own_loops(self.arrays[name])
        block = Block(name, loops)
        body = [sial.Text(f"{'get' if self.arrays[name].kind == 'distributed' else 'request'} {block.text()}"), sial.Print(block)]
        return self.over(loops, body + self.statements(Scope(loops).with_block(block), self.draw.randint(0, 2))[0])

    # Assignments

    def number_statement(self, scope):
        names = ["w", "zw"] if scope.is_pardo else [*self.lasting_scalars, *self.ints]
        name = self.draw.choice(names)
        op = "=" if scope.is_pardo else self.draw.choice(["=", "=", "+=", "-=", "*="])
        value = self.whole(scope, 2) if name in self.ints else self.number(scope, 3, not self.scalars[name])
        body = [sial.Assign(Name(name), op, value)]
        return body if scope.is_pardo else [*body, sial.Print(self.draw.choice([Name(name), value]))]

    def block_statement(self, scope):
        target = self.target(scope)
        if target is None:
            return self.number_statement(scope), scope
        op = self.draw.choice(["=", "=", "+=", "-=", "*="]) if self.is_there(target, scope) else "="
        value = None
        if op != "*=" and self.chance(0.25):
            unusual = self.draw.choice([self.by_place, self.by_memory, self.by_parent, self.beside_number])
            target, value = unusual(target, op, scope) or (target, None)
        value = value or self.value_for(target, op, scope)
        if value is None:
            return self.number_statement(scope), scope
        body = [sial.Assign(target, op, value)]
        if not scope.is_pardo:
            body.append(sial.Print(Block(target.array, target.positions)))
        if self.arrays[target.array].kind == "temp" and not self.is_part(target):
            scope = scope.with_block(target)
        return body, scope

    def is_there(self, block, scope):
        return self.arrays[block.array].kind != "temp" or (block.array, block.positions) in scope.live

    def is_part(self, block):
        """Whether it has a subindex where the array has none."""
        return any(self.letter(index) and not self.indexes[index].parent and self.indexes[position].parent
                   for index, position in zip(self.arrays[block.array].indexes, block.positions))

    def target(self, scope):
        """A block that may be written here: of a temp, or, outside of a pardo, of what lasts."""
        kinds = ["temp"] if scope.is_pardo else ["temp", "static", "local"]
        names = [name for name, array in self.arrays.items() if name[0] != "q" and array.kind in kinds]
        for _ in range(TRIES):
            block = self.block(self.draw.choice(names), scope)
            if block and (self.is_there(block, scope) or not self.is_part(block)):
                return block
        return None

    def value_for(self, target, op, scope):
        """A value of which the rules say that it may be assigned."""
        names = frozenset(self.rules.names(target))
        is_real = not self.arrays[target.array].is_complex
        for _ in range(TRIES):
            if op == "*=" or self.chance(0.1):
                value = self.number(scope, 3, is_real)
            else:
                value = self.tensor(names, scope, 3, is_real)
            try:
                if value is not None:
                    self.rules.assign(target, op, value)
                    return value
            except (Wrong, Unclear):
                pass
        return None

    # Unusual copies and sums. Each gives the target and the value.

    def copies(self, blocks, scope):
        """Some of the blocks, each with or without a factor, added up."""
        terms = [Chain("*", (self.number(scope, 0, True), block)) if self.chance(0.5) else block
                 for block in self.draw.sample(blocks, min(len(blocks), self.draw.randint(1, 3)))]
        return terms[0] if len(terms) == 1 else Chain(self.ops("+-", len(terms) - 1), tuple(terms))

    def readable(self, target, scope):
        """Of the same indexes as the target."""
        return self.sources(frozenset(self.rules.names(target)), scope, not self.arrays[target.array].is_complex)

    def doubled(self, target, scope):
        """Of two positions of one kind, both with the first one's index: the block and the number of the second; or none."""
        declared = self.arrays[target.array].indexes
        pairs = [(one, two) for one, two in itertools.combinations(range(len(declared)), 2)
                 if self.letter(declared[one]) and self.letter(declared[one]) == self.letter(declared[two]) and
                 not (self.indexes[declared[one]].parent or self.indexes[declared[two]].parent)]
        if not pairs or self.is_part(target):
            return None
        one, two = self.draw.choice(pairs)
        positions = list(target.positions)
        positions[two] = positions[one]
        block = Block(target.array, tuple(positions))
        names = self.rules.names(block)
        labels = tuple(name + "'" * names[:k].count(name) for k, name in enumerate(names))
        return Block(target.array, tuple(positions), labels=labels) if self.is_there(block, scope) else None

    def by_place(self, target, op, scope):
        """a[i,i] = 2.0*b[i,i] - c[i,i]"""
        target = self.doubled(target, scope)
        if target is None:
            return None
        declared = self.arrays[target.array]
        same = [Block(name, target.positions, labels=target.labels) for name, array in self.arrays.items()
                if array.kind in ("temp", "static", "local") and self.is_there(Block(name, target.positions), scope) and
                len(array.indexes) == len(declared.indexes) and array.is_complex <= declared.is_complex and
                all((self.indexes[one].kind, self.indexes[one].parent) == (self.indexes[other].kind, self.indexes[other].parent)
                    for one, other in zip(array.indexes, declared.indexes))]
        return target, self.copies(same, scope)

    def by_memory(self, target, op, scope):
        """t[j,j] = a[i,j] in the order of memory, and t[i,i] = a[i,j] transposed."""
        blocks = [block for block in self.readable(target, scope) if len(block.positions) == 2]
        doubled = self.doubled(target, scope)
        if op != "=" or doubled is None or len(doubled.positions) != 2 or not blocks:
            return None
        block = self.draw.choice(blocks)
        is_turned = block.positions[0] == doubled.positions[0]
        return doubled, Block(block.array, block.positions, labels=doubled.labels[::-1] if is_turned else doubled.labels)

    def by_parent(self, target, op, scope):
        """p[ii,j] = a[i,j] for a[ii,j], and a[i,j] = p[ii,j]"""
        names = self.rules.names(target)
        subs = [name for name in names if self.indexes[name].parent and self.indexes[name].parent not in names]
        blocks = self.readable(target, scope)
        if self.is_part(target):
            blocks = [block for block in blocks if not self.is_part(block)]
        if not subs or not blocks:
            return None
        if self.is_part(target):
            return self.with_parent(target, subs[0]), self.copies(blocks, scope)
        return target, self.copies([self.with_parent(block, subs[0]) for block in blocks], scope)

    def with_parent(self, block, sub):
        """Written with the parent where the array has no subindex."""
        shown = tuple(self.indexes[sub].parent if position == sub and not self.indexes[index].parent else position
                      for index, position in zip(self.arrays[block.array].indexes, block.positions))
        return Block(block.array, block.positions, shown)

    def beside_number(self, target, op, scope):
        """t[(index)i,i] = b[i]"""
        names = self.rules.names(target)
        positions = tuple(position if self.letter(index) or not names else f"(index){self.draw.choice(names)}"
                          for index, position in zip(self.arrays[target.array].indexes, target.positions))
        blocks = self.readable(target, scope)
        if positions == target.positions or not blocks or not self.is_there(Block(target.array, positions), scope):
            return None
        return Block(target.array, positions), self.copies(blocks, scope)
