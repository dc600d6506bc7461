# SPDX-License-Identifier: Apache-2.0
"""Functions of NumPy that are computed block by block. NotImplemented: NumPy gets the whole arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .._axes import axes_of
from .._einsum.subscripts import parse, spell
from .array import LazyArray
from .nodes import Leaf, Node


def _sum(session_of: LazyArray, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
         **more: Any) -> Any:
    return a.sum(axis, dtype, out, bool(keepdims), **more)


def _mean(session_of: LazyArray, a: Any, axis: Any = None, **more: Any) -> Any:
    return NotImplemented if set(more) - {"keepdims"} else a.mean(axis, **more)


def _var(session_of: LazyArray, a: Any, axis: Any = None, **more: Any) -> Any:
    return NotImplemented if set(more) - {"ddof", "keepdims"} else a.var(axis, **more)


def _std(session_of: LazyArray, a: Any, axis: Any = None, **more: Any) -> Any:
    return NotImplemented if set(more) - {"ddof", "keepdims"} else a.std(axis, **more)


def _transpose(session_of: LazyArray, a: Any, axes: Any = None) -> Any:
    return a.transpose(axes)


def _norm(session_of: LazyArray, x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    usual = ord is None or ord == "fro" and x.ndim == 2 or ord == 2 and x.ndim == 1
    return x.norm() if usual and axis is None and not keepdims else NotImplemented


def _where(of: LazyArray, *args: Any) -> Any:
    return of._mapped(np.where, args) if len(args) == 3 else NotImplemented


def _dot(of: LazyArray, a: Any, b: Any, out: Any = None) -> Any:
    if out is not None or np.ndim(a) == 0 or np.ndim(b) == 0:
        return NotImplemented
    if np.ndim(a) <= 2 and np.ndim(b) <= 2:
        return np.matmul(a, b)
    return _tensordot(of, a, b, ((-1,), (-1 if np.ndim(b) == 1 else -2,)))


def _tensordot(of: LazyArray, a: Any, b: Any, axes: Any = 2) -> Any:
    left, right = of._node_of(a), of._node_of(b)
    if not isinstance(left, Node) or not isinstance(right, Node):
        return NotImplemented
    try:
        count = operator.index(axes)
        mine, others = list(range(left.ndim - count, left.ndim)), list(range(count))
    except TypeError:
        mine, others = ([one] if isinstance(one, int) else list(one) for one in axes)
    mine, others = list(axes_of(tuple(mine), left.ndim)), list(axes_of(tuple(others), right.ndim))
    if len(mine) != len(others):
        raise ValueError(f"tensordot: {len(mine)} axes of one array and {len(others)} of the other")
    order = left.ndim + right.ndim - 2 * len(mine)
    free = iter(range(order))
    ones = tuple(order + mine.index(k) if k in mine else next(free) for k in range(left.ndim))
    twos = tuple(order + others.index(k) if k in others else next(free) for k in range(right.ndim))
    return of._product([(left, ones), (right, twos)], order)


def _einsum(of: LazyArray, *args: Any, **more: Any) -> Any:
    """Of one operand or two without repeated letters; others by Session.einsum, of whole arrays."""
    subscripts, operands = args[0], list(args[1:])
    if set(more) - {"optimize"} or not isinstance(subscripts, str):
        return NotImplemented
    nodes = [of._node_of(one) for one in operands]
    if any(not isinstance(node, Node) for node in nodes):
        return NotImplemented
    if len(nodes) > 2 or any(len(set(term)) < len(term) for term in subscripts.split("->")[0].replace("...", "").split(",")):
        arrays = [node.array if isinstance(node, Leaf) else node.value() for node in nodes]
        return of._session.einsum(subscripts, *arrays, **more)
    shapes = [np.broadcast_to(np.zeros((), node.dtype), node.shape) for node in nodes]
    inputs, output, views = parse(*spell(subscripts, shapes))
    if any(view.shape != node.shape for view, node in zip(views, nodes)) or len(set(output)) < len(output):
        return NotImplemented
    letters = [*output, *sorted(set("".join(inputs)) - set(output))]
    if len(nodes) == 2 and any((c in inputs[0]) != (c in inputs[1]) for c in letters[len(output):]):
        return NotImplemented
    return of._product([(node, tuple(map(letters.index, term))) for node, term in zip(nodes, inputs)], len(output))


def _real(of: LazyArray, a: Any) -> Any:
    return a.real


def _imag(of: LazyArray, a: Any) -> Any:
    return a.imag


def _shape(of: LazyArray, a: Any) -> Any:
    return a.shape


def _ndim(of: LazyArray, a: Any) -> Any:
    return a.ndim


known: dict[Any, Callable[..., Any]] = {
    np.sum: _sum, np.mean: _mean, np.var: _var, np.std: _std, np.transpose: _transpose, np.linalg.norm: _norm, np.where: _where, np.dot: _dot,
    np.tensordot: _tensordot, np.einsum: _einsum, np.real: _real, np.imag: _imag, np.shape: _shape, np.ndim: _ndim}
