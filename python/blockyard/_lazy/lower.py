# SPDX-License-Identifier: Apache-2.0
"""An expression as one SIAL program, with a super instruction for each chain of element-wise functions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._run import PythonSuper
from .nodes import Contract, Leaf, Map, Node, Operation


@dataclass
class Stored:
    """An array of the program, or for a node of order 0 a scalar: given, or made by one of its loops."""

    name: str
    node: Node
    axes: list[int]  #: of the node, the fastest first: the order of the indexes

    @property
    def is_complex(self) -> bool:
        return self.node.dtype.kind == "c"


@dataclass
class Program:
    """The result of `lower`. Classes: axes that have the same segments, by number."""

    leaves: list[Stored] = field(default_factory=list)
    made: list[Stored] = field(default_factory=list)
    supers: list[PythonSuper] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    declared: list[str] = field(default_factory=list)  #: temps, scalars, super instructions
    indexes: dict[str, int] = field(default_factory=dict)  #: name and class
    extents: dict[int, int] = field(default_factory=dict)  #: of each class
    blocks: list[list[int]] = field(default_factory=list)  #: classes of all blocks that there are

    def class_of(self, stored: Stored) -> list[int]:
        return [self.classes.find((id(stored.node), axis)) for axis in stored.axes]

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


#: Of the operands of a super instruction, as NumPy has them, the value of a node.
Value = Callable[[list[Any]], Any]


@dataclass
class _Call:
    """Operands of a super instruction while they are found."""

    lines: list[str] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)


class Lowering:
    """Makes the program of a root. `writes`: the result is handed to write_result, block by block."""

    def __init__(self, root: Operation, writes: bool):
        self.program = Program()
        self._writes = writes
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
        for stored in [*program.leaves, *program.made]:
            classes = program.class_of(stored)
            for number, axis in zip(classes, stored.axes):
                program.extents[number] = stored.node.shape[axis]
            program.blocks.append(classes)
        return program

    def _count_uses(self, node: Node) -> None:
        self._uses[id(node)] = self._uses.get(id(node), 0) + 1
        if isinstance(node, Operation) and self._uses[id(node)] == 1:
            for arg, _ in node.args:
                self._count_uses(arg)

    # -- what is stored

    def _store(self, node: Node) -> Stored:
        """A leaf, or a node that a loop before this one makes."""
        if id(node) in self._stored:
            return self._stored[id(node)]
        if isinstance(node, Operation):
            return self._make(node)
        assert isinstance(node, Leaf)
        strides = node.array.strides
        axes = sorted(range(node.ndim), key=lambda k: (abs(strides[k]), -k))
        stored = Stored(f"a{next(self._count)}", node, axes)
        self.program.leaves.append(stored)
        self._stored[id(node)] = stored
        return stored

    def _is_inline(self, node: Node, order: int) -> bool:
        """Whether a loop over `order` indexes computes it in passing: functions of elements always, sums of
        products where each of their blocks is wanted once."""
        if isinstance(node, Leaf) or self._uses[id(node)] > 1 or node.ndim == 0:
            return False
        return isinstance(node, Map) or node.ndim == order

    def _new_index(self, key: Any) -> str:
        name = next(self._names)
        self._keys[name] = ("index", name)
        self.program.classes.join(("index", name), key)
        return name

    # -- loops

    def _make(self, node: Operation) -> Stored:
        stored = Stored(f"m{next(self._count)}", node, list(reversed(range(node.ndim))))
        names = [self._new_index((id(node), axis)) for axis in range(node.ndim)]
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
        call = _Call()
        value = self._fuse(node, names, call, is_first=True)
        axes = [names.index(name) for name in kept]
        summed = tuple(k for k in range(len(names)) if k not in axes)
        order = [k - sum(other < k for other in summed) for k in axes]
        out = text if becomes == "=" else self._temp(kept, result.dtype.kind == "c")
        name, signature = f"f{next(self._count)}", "w" + "r" * len(call.operands)
        self.program.supers.append((name, signature, "any", _super(value, summed, order, result.dtype), "", ""))
        self.program.declared.append(f"special {name} {signature}")
        lines = [*call.lines, f"execute {name} {' '.join([out, *call.operands])}"]
        return lines if out == text else [*lines, f"{text} {becomes} {out}"]

    def _fuse(self, node: Node, names: list[str], call: _Call, is_first: bool = False) -> Value:
        inline = is_first and isinstance(node, Map) or self._is_inline(node, len(names))
        if isinstance(node, Map) and inline:
            parts = [self._fuse(arg, [names[label] for label in labels], call) for arg, labels in node.args]
            of_map = node
            return lambda given: np.asarray(of_map.apply([part(given) for part in parts], of_map.ndim)).astype(
                of_map.dtype, copy=False)
        if isinstance(node, Contract) and inline and not is_first:
            text = self._temp(names, node.dtype.kind == "c")
            call.lines += self._evaluate(node, names, text)
            axes = list(reversed(range(node.ndim)))
        else:
            text = self._get(node, names, call.lines)
            axes = self._stored[id(node)].axes
        return _operand(node, text, axes, call)


def _operand(node: Node, text: str, axes: list[int], call: _Call) -> Value:
    if text not in call.known:
        call.known[text] = len(call.operands)
        call.operands.append(text)
    at, to = call.known[text], np.argsort(axes)

    def value(given: list[Any]) -> Any:
        if not node.ndim:
            return node.dtype.type(given[at])
        return given[at].transpose(to).astype(node.dtype, copy=False)

    return value


def spell(stored: Stored, names: Sequence[str]) -> str:
    """With these indexes of the axes of the node."""
    return f"{stored.name}[{','.join(names[axis] for axis in stored.axes)}]" if names else stored.name


def _super(value: Value, summed: tuple[int, ...], order: list[int], dtype: np.dtype) -> Callable[..., Any]:
    """A function that a program calls: puts the value into its first operand, whose last axis comes first."""

    def call(views: list[Any], segments: Any, worker: int, workers: int) -> None:
        with np.errstate(all="ignore"):
            made = np.asarray(value(views[1:]))
            if summed:
                made = np.asarray(np.add.reduce(made, axis=summed, dtype=dtype))
            views[0].transpose()[...] = made.transpose(order)

    return call
