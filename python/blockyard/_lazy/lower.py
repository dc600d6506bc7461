# SPDX-License-Identifier: Apache-2.0
"""An expression as one SIAL program, with a super instruction for each chain of element-wise functions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._arrays import map_of
from .._run import PythonSuper
from .._sources import BlockSource, Target, is_wide, rounded, unrounded
from .nodes import Contract, Leaf, Map, Node, Operation, as_map, in_order
from .tiles import Input, Tile, Value, in_tiles


@dataclass
class Stored:
    """An array of the program, or for a node of order 0 a scalar: given, or made by one of its loops."""

    name: str
    node: Node
    axes: list[int]  #: of the node, the fastest first: the order of the indexes

    @property
    def is_complex(self) -> bool:
        return self.node.dtype.kind == "c"


class Places:
    """Where segments are: by the name of an index, known once the segments are chosen."""

    def __init__(self) -> None:
        self._begins: dict[str, tuple[int, list[int]]] = {}

    def set(self, name: str, first: int, extents: Sequence[int]) -> None:
        """`first`: number of the first segment."""
        self._begins[name] = (first, [0, *itertools.accumulate(extents)])

    def of(self, names: Sequence[str], numbers: Sequence[float]) -> tuple[list[int], list[int]]:
        """First element and extent along each of the indexes, in segments of these numbers."""
        begin, extent = [], []
        for name, number in zip(names, numbers):
            first, begins = self._begins[name]
            k = int(number) - first
            begin.append(begins[k])
            extent.append(begins[k + 1] - begins[k])
        return begin, extent


@dataclass
class Program:
    """The result of `lower`. Classes: axes that have the same segments, by number."""

    leaves: list[Stored] = field(default_factory=list)
    passing: list[Stored] = field(default_factory=list)  #: leaves that super instructions read themselves
    made: list[Stored] = field(default_factory=list)
    places: Places = field(default_factory=Places)
    supers: list[PythonSuper] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    declared: list[str] = field(default_factory=list)  #: temps, scalars, super instructions
    indexes: dict[str, int] = field(default_factory=dict)  #: name and class
    extents: dict[int, int] = field(default_factory=dict)  #: of each class
    blocks: list[list[int]] = field(default_factory=list)  #: classes of all blocks that there are

    def class_of(self, stored: Stored) -> list[int]:
        return [self.classes.find((id(stored.node), axis)) for axis in stored.axes]

    @property
    def streams(self) -> bool:
        """Whether it keeps few blocks: nearly all that it works on are pieces of given arrays."""
        kept = sum(int(np.prod(one.node.shape)) for one in self.made[:-1])
        return not self.leaves and any(kept <= int(np.prod(one.node.shape)) // 64 for one in self.passing)

    def __post_init__(self) -> None:
        self.classes = Classes()


class Classes:
    """Axes that go with each other have the same segments: a union-find over them."""

    def __init__(self) -> None:
        self._parent: dict[Any, Any] = {}
        self._numbers: dict[Any, int] = {}

    def _root(self, key: Any) -> Any:
        while self._parent.setdefault(key, key) != key:
            key = self._parent[key]
        return key

    def join(self, one: Any, other: Any) -> None:
        self._parent[self._root(one)] = self._root(other)

    def find(self, key: Any) -> int:
        return self._numbers.setdefault(self._root(key), len(self._numbers))


@dataclass
class _Call:
    """Operands of a super instruction while they are found. `names`: the indexes of its loop."""

    names: list[str]
    lines: list[str] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    known: dict[Any, int] = field(default_factory=dict)
    maps: dict[Any, Value] = field(default_factory=dict)

    def operand(self, text: str) -> int:
        if text not in self.operands:
            self.operands.append(text)
        return self.operands.index(text)


class Lowering:
    """Makes the program of a root. `writes`: the result is handed to write_result, block by block. `target`: a
    super instruction writes it, which needs no block of the program if the root is a function of elements. `reads`:
    super instructions read given arrays, where each block is wanted once."""

    def __init__(self, root: Operation, writes: bool, target: "Target | None" = None, reads: bool = False):
        self.program = Program()
        self._writes = writes
        self._target = target
        self._reads = reads
        self._root = root
        self._stored: dict[int, Stored] = {}
        self._names = (f"i{n}" for n in itertools.count(1))
        self._count = itertools.count(1)
        self._uses: dict[int, int] = {}
        self._keys: dict[str, Any] = {}
        self._count_uses(root)

    def run(self) -> Program:
        self._make(self._root)
        program = self.program
        for name, key in self._keys.items():
            program.indexes[name] = program.classes.find(key)
        for stored in [*program.leaves, *program.passing, *program.made]:
            classes = program.class_of(stored)
            for number, axis in zip(classes, stored.axes):
                program.extents[number] = stored.node.shape[axis]
            program.blocks.append(classes)
        return program

    def _count_uses(self, root: Node) -> None:
        """How often each node is computed if none is stored, up to twice; what is used by a function of elements is
        computed as often as that."""
        self._uses[id(root)] = 1
        for node in in_order(root):
            if isinstance(node, Operation):
                times = self._uses[id(node)] if isinstance(node, Map) else 1
                for arg, _ in node.args:
                    self._uses[id(arg)] = min(2, self._uses.get(id(arg), 0) + times)

    # -- what is stored

    def _store(self, node: Node) -> Stored:
        """A leaf, or a node that a loop before this one makes."""
        if id(node) in self._stored:
            return self._stored[id(node)]
        if isinstance(node, Operation):
            return self._make(node)
        assert isinstance(node, Leaf)
        if not node.ndim:  # not an array of the program: a super instruction has the number
            return self._stored.setdefault(id(node), self._make(as_map(node)))
        strides = node.array.strides
        axes = sorted(range(node.ndim), key=lambda k: (abs(strides[k]), -k))
        stored = Stored(f"a{next(self._count)}", node, axes)
        self.program.leaves.append(stored)
        self._stored[id(node)] = stored
        return stored

    def _is_inline(self, node: Node, order: int) -> bool:
        """Whether a loop over `order` indexes computes it in passing: functions of elements always, sums of
        products where each of their blocks is wanted once."""
        if isinstance(node, Leaf) or node.ndim == 0:
            return False
        return isinstance(node, Map) or node.ndim == order and self._uses[id(node)] == 1

    def _new_index(self, key: Any) -> str:
        name = next(self._names)
        self._keys[name] = ("index", name)
        self.program.classes.join(("index", name), key)
        return name

    # -- loops

    def _make(self, node: Operation) -> Stored:
        stored = Stored(f"m{next(self._count)}", node, list(reversed(range(node.ndim))))
        names = [self._new_index((id(node), axis)) for axis in range(node.ndim)]
        if self._target is not None and node is self._root and isinstance(node, Map):
            lines = self._write(node, names, self._target)
        else:
            text = self._temp(names, stored.is_complex)
            lines = self._evaluate(node, names, text)
            if not names:
                lines.append(f"{stored.name} = {text}")
            elif node is self._root and self._writes:
                lines.append(f"execute write_result {text}")
            else:
                lines.append(f"put {spell(stored, names)} = {text}")
        outer = ",".join(reversed(names))
        self.program.lines += ([f"pardo {outer}", *(f"  {line}" for line in lines), f"endpardo {outer}", "sip_barrier"]
                               if names else lines)
        self.program.made.append(stored)
        self._stored[id(node)] = stored
        return stored

    def _temp(self, names: Sequence[str], is_complex: bool = False) -> str:
        """A new temp, or a scalar, in C order: the last index is fastest."""
        text = f"t{next(self._count)}"
        text += f"[{','.join(reversed(names))}]" if names else ""
        self.program.declared.append(f"{'complex ' if is_complex else ''}{'temp' if names else 'scalar'} {text}")
        return text

    def _get(self, node: Node, names: Sequence[str], lines: list[str]) -> str:
        """The block of a stored array, or the name of a scalar."""
        stored = self._store(node)
        for axis, name in enumerate(names):
            self.program.classes.join((id(node), axis), ("index", name))
        text = spell(stored, names)
        if names:
            lines.append(f"get {text}")
        return text

    def _evaluate(self, node: Operation, names: list[str], text: str) -> list[str]:
        """Statements that put the block of a node with these indexes into `text`."""
        is_complex = node.dtype.kind == "c"
        if isinstance(node, Map):
            return self._execute(node, names, names, text, node, "=")
        inner = {label: self._new_index(self._key_of(node, label)) for label in node.summed}  # type: ignore[attr-defined]
        to = {**dict(enumerate(names)), **inner}
        acc = text if names or not inner else self._temp([], is_complex)
        if len(node.args) == 1:
            child, labels = node.args[0]
            body = self._execute(child, [to[label] for label in labels], names, acc, node, "+=")
        else:
            body = []
            factors = [self._get(arg, [to[label] for label in labels], body) for arg, labels in node.args]
            body.append(f"{acc} += {'*'.join(factors)}")
        summed = list(inner.values())
        if acc == text:
            return [f"{text} = 0.0", *(f"do {name}" for name in summed), *body,
                    *(f"enddo {name}" for name in reversed(summed))]
        outer = ",".join(reversed(summed))
        return [f"{acc} = 0.0", f"{text} = 0.0", f"pardo {outer}", *(f"  {line}" for line in body),
                f"endpardo {outer}", f"collective {text} += {acc}"]

    def _key_of(self, node: Operation, label: int) -> Any:
        return next((id(arg), labels.index(label)) for arg, labels in node.args if label in labels)

    def _execute(self, node: Node, names: list[str], kept: list[str], text: str, result: Node, becomes: str) -> list[str]:
        """Calls a super instruction for the value of a node, summed over the indexes that are not `kept`."""
        call = _Call(names)
        value = self._fuse(node, names, call, is_first=True)
        axes = [names.index(name) for name in kept]
        out = text if becomes == "=" else self._temp(kept, result.dtype.kind == "c")
        name = self._declare("w" + "r" * len(call.operands), _into(value, call.inputs, axes, result))
        lines = [*call.lines, f"execute {name} {' '.join([out, *call.operands])}"]
        return lines if out == text else [*lines, f"{text} {becomes} {out}"]

    def _write(self, node: Map, names: list[str], target: "Target") -> list[str]:
        """Calls a super instruction that computes a block of the root and writes it."""
        call = _Call(names)
        value = self._fuse(node, names, call, is_first=True)
        at = [self._number(name, call) for name in names]
        inputs, places = call.inputs, self.program.places

        def write(views: list[Any], segments: Any, worker: int, workers: int) -> None:
            begin, extents = places.of(names, [views[k] for k in at])
            arrays, every = [one.array(views) for one in inputs], list(range(len(names)))
            # Tile by tile an array that was read for this becomes the result: one array less.
            block = next((array for one, array in zip(inputs, arrays) if one.is_ours and one.axes == every and
                          array.dtype == node.dtype and array.flags.c_contiguous and array.flags.writeable),
                         None)
            if block is None:
                block = np.empty(extents, node.dtype)
            in_tiles(value, arrays, [one.axes for one in inputs], block, every, node.dtype)
            del arrays
            target.put(begin, block, is_ours=True)

        return [*call.lines, f"execute {self._declare('r' * len(call.operands), write)} {' '.join(call.operands)}"]

    def _declare(self, signature: str, function: Callable[..., None]) -> str:
        name = f"f{next(self._count)}"
        self.program.supers.append((name, signature, "any", function, "", ""))
        self.program.declared.append(f"special {name} {signature}")
        return name

    def _number(self, name: str, call: _Call) -> int:
        """The operand that has the segment number of an index."""
        text = f"n_{name}"
        if text not in call.operands:
            call.lines.append(f"{text} = (scalar){name}")
            if f"scalar {text}" not in self.program.declared:
                self.program.declared.append(f"scalar {text}")
        return call.operand(text)

    def _fuse(self, node: Node, names: list[str], call: _Call, is_first: bool = False) -> Value:
        if isinstance(node, Leaf) and not names:
            number = np.asarray(node.value())[()]
            return lambda given: number
        inline = is_first and isinstance(node, Map) or self._is_inline(node, len(call.names))
        if isinstance(node, Map) and inline:
            key = (id(node), tuple(names))
            if key not in call.maps:
                parts = [self._fuse(arg, [names[label] for label in labels], call) for arg, labels in node.args]
                call.maps[key] = _mapped(node, parts, key if self._uses.get(id(node), 1) > 1 else None)
            return call.maps[key]
        if isinstance(node, Leaf) and self._is_passing(node, names, call):
            return self._read(node, names, call)
        if isinstance(node, Contract) and inline and not is_first:
            text = self._temp(names, node.dtype.kind == "c")
            call.lines += self._evaluate(node, names, text)
            axes = list(reversed(range(node.ndim)))
        else:
            text = self._get(node, names, call.lines)
            axes = self._stored[id(node)].axes
        return _operand(node, text, axes, names, call)

    def _is_passing(self, node: Leaf, names: list[str], call: _Call) -> bool:
        """Whether the super instruction reads it: a block would be one more copy. Not where a block is wanted again
        and again, nor from memory maps, which are read ahead of use. Blocks would round the integers of 64 bits."""
        if not names or is_wide(node.dtype):
            return bool(names)
        return (self._reads and id(node) not in self._stored and len(names) == len(call.names)
                and (isinstance(node.array, BlockSource) or map_of(node.array) is None))

    def _read(self, node: Leaf, names: list[str], call: _Call) -> Value:
        for axis, name in enumerate(names):
            self.program.classes.join((id(node), axis), ("index", name))
        if all(node is not other.node for other in self.program.passing):
            self.program.passing.append(Stored("", node, list(range(node.ndim))))
        key = (id(node), tuple(names))
        if key not in call.known:
            at, places, array = [self._number(name, call) for name in names], self.program.places, node.array

            def read(views: list[Any]) -> Any:
                begin, extents = places.of(names, [views[k] for k in at])
                if isinstance(array, BlockSource):
                    return array.read(begin, extents)
                return array[tuple(slice(first, first + extent) for first, extent in zip(begin, extents))]

            call.known[key] = len(call.inputs)
            call.inputs.append(Input(read, [call.names.index(name) for name in names],
                                     isinstance(array, BlockSource) and array.gives_copies))
        k = call.known[key]
        return lambda given: given[k]


def _mapped(node: Map, parts: list[Value], key: Any) -> Value:
    """`key`: under which a value is kept that is used several times; None: once."""
    def value(given: Tile) -> Any:
        if key in given.known:
            return given.known[key]
        made = np.asarray(node.apply([part(given) for part in parts], node.ndim)).astype(node.dtype, copy=False)
        if key is not None:
            given.known[key] = made
        return made

    return value


def _operand(node: Node, text: str, axes: list[int], names: list[str], call: _Call) -> Value:
    at, to = call.operand(text), np.argsort(axes)
    if text not in call.known:
        def of_views(views: list[Any]) -> Any:
            return views[at].transpose(to) if node.ndim else _typed(views[at], node.dtype)

        call.known[text] = len(call.inputs)
        call.inputs.append(Input(of_views, [call.names.index(name) for name in names]))
    k = call.known[text]
    return lambda given: _typed(given[k], node.dtype) if node.ndim else given[k]


def _typed(value: Any, dtype: np.dtype) -> Any:
    """What the program computed in double precision."""
    return rounded(value, dtype) if dtype.kind in "iu" else np.asarray(value).astype(dtype, copy=False)[()]


def spell(stored: Stored, names: Sequence[str]) -> str:
    """With these indexes of the axes of the node."""
    return f"{stored.name}[{','.join(names[axis] for axis in stored.axes)}]" if names else stored.name


def _into(value: Value, inputs: list[Input], kept: list[int], result: Node) -> Callable[..., Any]:
    """A function that a program calls: puts the value, summed over the axes that are not `kept`, into its first
    operand, whose last axis comes first."""
    is_exact = isinstance(result, Map) and is_wide(result.dtype)
    exact = (lambda given: unrounded(np.asarray(value(given)))) if is_exact else value

    def call(views: list[Any], segments: Any, worker: int, workers: int) -> None:
        arrays = [one.array(views[1:]) for one in inputs]
        in_tiles(exact, arrays, [one.axes for one in inputs], views[0].transpose(), kept, result.dtype)

    return call
