# SPDX-License-Identifier: Apache-2.0
"""The nodes of an expression: existing arrays, element-wise functions, sums of products.

Slices and transpositions go through to the arrays that are there, so that they cost nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Union

import numpy as np

from .._sources import BlockSource

Index = Union[int, slice]


class Node:
    """Any of them, with shape and dtype as NumPy has them."""

    shape: tuple[int, ...]
    dtype: np.dtype
    depth = 0  #: how many operations lie one above the other

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def take(self, where: Sequence[Index], known: dict[Any, "Node"] | None = None) -> "Node":
        """The part at an index or a slice for each axis. `known`: the parts taken so far of what the root of a
        take is made of, which it keeps alive: nodes that are used many times are taken once."""
        if all(isinstance(one, slice) and one.indices(extent) == (0, extent, 1) for one, extent in zip(where, self.shape)):
            return self
        known = {} if known is None else known
        key = (id(self), *((one.start, one.stop, one.step) if isinstance(one, slice) else one for one in where))
        if key not in known:
            known[key] = self.part(where, known)
        return known[key]

    def part(self, where: Sequence[Index], known: dict[Any, "Node"]) -> "Node":
        """As `take` for a node that is not in `known`."""
        raise NotImplementedError

    def permute(self, order: Sequence[int]) -> "Node":
        """Axis k of the result is axis order[k] of this one."""
        raise NotImplementedError

    def value(self) -> Any:
        """As NumPy computes it, whole."""
        raise NotImplementedError


class Leaf(Node):
    """An array that is there."""

    def __init__(self, array: np.ndarray | BlockSource):
        self.array = array
        self.shape = tuple(array.shape)
        self.dtype = array.dtype

    def part(self, where: Sequence[Index], known: dict[Any, Node]) -> Node:
        part = self.array[tuple(where)]
        return Leaf(part if isinstance(part, BlockSource) else np.asarray(part))

    def permute(self, order: Sequence[int]) -> Node:
        return Leaf(self.array.transpose(list(order)))

    def value(self) -> Any:
        return np.asarray(self.array)


class Operation(Node):
    """A function of arguments whose axes have labels. The labels 0 ... n - 1 are the axes of the result; a
    label that an argument lacks is one along which it is repeated, and one from n on is summed over."""

    def __init__(self, shape: Sequence[int], dtype: np.dtype, args: Sequence[tuple[Node, tuple[int, ...]]]):
        self.shape = tuple(shape)
        self.dtype = dtype
        self.args = list(args)
        self.depth = 1 + max((node.depth for node, _ in args), default=0)

    def made(self, shape: Sequence[int], args: Sequence[tuple[Node, tuple[int, ...]]]) -> "Operation":
        """The same of other arguments."""
        raise NotImplementedError

    @property
    def extents(self) -> dict[int, int]:
        """By label."""
        extents = dict(enumerate(self.shape))
        for node, labels in self.args:
            extents.update({label: extent for label, extent in zip(labels, node.shape) if label >= self.ndim})
        return extents

    def part(self, where: Sequence[Index], known: dict[Any, Node]) -> Node:
        kept = [label for label in range(self.ndim) if isinstance(where[label], slice)]
        others = sorted(label for label in self.extents if label >= self.ndim)
        to = {label: new for new, label in enumerate([*kept, *others])}
        args = [(node.take([where[label] if label < self.ndim else slice(None) for label in labels], known),
                 tuple(to[label] for label in labels if label in to)) for node, labels in self.args]
        shape = [len(range(*one.indices(self.shape[label]))) for label, one in enumerate(where) if isinstance(one, slice)]
        return self.made(shape, args)

    def permute(self, order: Sequence[int]) -> Node:
        to = {old: new for new, old in enumerate(order)}
        args = [(node, tuple(to.get(label, label) for label in labels)) for node, labels in self.args]
        return self.made([self.shape[k] for k in order], args)


class Map(Operation):
    """function(*values) element by element; `values` are arguments or, where a place holds no node,
    constants."""

    def __init__(self, function: Callable[..., Any], shape: Sequence[int], dtype: np.dtype,
                 args: Sequence[tuple[Node, tuple[int, ...]]], constants: dict[int, Any]):
        super().__init__(shape, dtype, args)
        self.function = function
        self.constants = constants

    def made(self, shape: Sequence[int], args: Sequence[tuple[Node, tuple[int, ...]]]) -> Operation:
        return Map(self.function, shape, self.dtype, args, self.constants)

    def apply(self, values: Sequence[Any], order: int) -> Any:
        """Of values, each with the axes of its argument; `order` labels are those of the result."""
        given = iter(aligned(value, labels, order) for value, (_, labels) in zip(values, self.args))
        count = len(self.args) + len(self.constants)
        return self.function(*(self.constants[k] if k in self.constants else next(given) for k in range(count)))

    def value(self) -> Any:
        made = self.apply([node.value() for node, _ in self.args], self.ndim)
        return np.broadcast_to(made, self.shape).astype(self.dtype, copy=False)


def as_map(node: Node) -> Map:
    """The same values as a function of elements, which a super instruction computes."""
    return Map(np.asarray, node.shape, node.dtype, [(node, tuple(range(node.ndim)))], {})


class Contract(Operation):
    """The sum over the labels that the result lacks, of the product of one or two arguments."""

    def made(self, shape: Sequence[int], args: Sequence[tuple[Node, tuple[int, ...]]]) -> Operation:
        return Contract(shape, self.dtype, args)

    @property
    def summed(self) -> list[int]:
        return sorted(label for label in self.extents if label >= self.ndim)

    def value(self) -> Any:
        flat = itertools.chain.from_iterable((node.value().astype(self.dtype, copy=False), list(labels))
                                             for node, labels in self.args)
        return np.asarray(np.einsum(*flat, list(range(self.ndim)))).astype(self.dtype, copy=False)


def contract(shape: Sequence[int], dtype: np.dtype, args: Sequence[tuple[Node, tuple[int, ...]]]) -> Contract:
    """Of one argument without those of its axes that have one element and would be summed over: no array may have them."""
    if len(args) == 1:
        node, labels = args[0]
        keeps = [label < len(shape) or extent != 1 for label, extent in zip(labels, node.shape)]
        if not all(keeps):
            node = node.take([slice(None) if keep else 0 for keep in keeps])
            args = [(node, tuple(label for label, keep in zip(labels, keeps) if keep))]
    return Contract(shape, dtype, args)


def aligned(value: Any, labels: Sequence[int], order: int) -> Any:
    """An array with axes in the order of their labels, and an axis of one element for each that lacks."""
    if np.ndim(value) == 0:
        return value
    if list(labels) != sorted(labels):
        value = value.transpose(np.argsort(labels))
    return value[tuple(slice(None) if label in labels else None for label in range(order))]


def in_order(root: Node) -> list[Node]:
    """A node and all that it is made of, each once, after all that use it."""
    done: list[Node] = []
    seen: set[int] = set()
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, is_left = stack.pop()
        if is_left:
            done.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack += [(arg, False) for arg, _ in node.args] if isinstance(node, Operation) else []
    return done[::-1]


def merged(root: Node) -> Node:
    """The same, with one node for those that say the same: what is written twice is computed once."""
    known: dict[Any, Node] = {}
    becomes: dict[int, Node] = {}
    for node in reversed(in_order(root)):
        key: Any = id(node.array) if isinstance(node, Leaf) else id(node)
        made = node
        if isinstance(node, Operation):
            args = [(becomes[id(arg)], labels) for arg, labels in node.args]
            if any(new is not old for (new, _), (old, _) in zip(args, node.args)):
                made = node.made(node.shape, args)
            more = (node.function, *(map(_spell, node.constants.items()))) if isinstance(node, Map) else ()
            key = (type(node), node.shape, node.dtype, *((id(arg), tuple(labels)) for arg, labels in args), *more)
        becomes[id(node)] = known.setdefault(key, made)
    return becomes[id(root)]


def _spell(constant: tuple[int, Any]) -> Any:
    """Of a constant argument, what tells it from others: 0.0 is not -0.0, nor 0."""
    place, value = constant
    return place, type(value), np.asarray(value).dtype.str, np.asarray(value).tobytes()
