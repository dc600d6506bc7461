# SPDX-License-Identifier: Apache-2.0
"""How arrays are made. All functions here are collective among the ranks of the group."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _core, _errors
from .._masks import unmasked
from . import _array, _layout
from ._layout import Layout
from ._values import elements_of
from ._world import Group, GroupLike, elements, world

Shape = int | Sequence[int]


def empty(shape: Shape, dtype: Any = "f8", *, order: str = "C", chunk: Shape | None = None,
          layout: Layout | None = None, ghosts: Shape = 0, group: GroupLike = None,
          name: str | None = None) -> _array.GlobalArray:
    """Collective. A new array whose elements are not defined yet.

    Args:
        shape: 1 to 7 extents, each at least 1; a number for one axis.
        dtype: any type of NumPy of fixed size without Python objects.
        order: "C": the last axis is fastest in memory; "F": the first one.
        chunk: least edges of blocks, one for each axis or one for all; an axis whose chunk is its extent
            is not cut.
        layout: as the functions ``ga.irregular``, ``ga.cyclic``, ``ga.scalapack``, ``ga.tiled``,
            ``ga.tiled_irregular`` make it; regular if not given.
        ghosts: width of the ghost cells around each block, one for each axis or one for all.
        group: a ``ga.Group``, a communicator of mpi4py, or None: all ranks.
        name: for messages.

    Raises:
        InputError for a layout that does not fit the shape or the group; OutOfMemory, at all ranks alike,
        with bytes wanted, bytes left, and whose limit it is.
    """
    members = world().group(group)
    return make("ga.empty", members, _extents(shape), np.dtype(dtype), order, chunk, layout, ghosts, name)


def zeros(shape: Shape, dtype: Any = "f8", *, order: str = "C", chunk: Shape | None = None,
          layout: Layout | None = None, ghosts: Shape = 0, group: GroupLike = None,
          name: str | None = None) -> _array.GlobalArray:
    """Collective. A new array of zeros; arguments as for ``ga.empty``."""
    return full(shape, 0, dtype, order=order, chunk=chunk, layout=layout, ghosts=ghosts, group=group, name=name)


def ones(shape: Shape, dtype: Any = "f8", *, order: str = "C", chunk: Shape | None = None,
         layout: Layout | None = None, ghosts: Shape = 0, group: GroupLike = None,
         name: str | None = None) -> _array.GlobalArray:
    """Collective. A new array of ones; arguments as for ``ga.empty``."""
    return full(shape, 1, dtype, order=order, chunk=chunk, layout=layout, ghosts=ghosts, group=group, name=name)


def full(shape: Shape, value: Any, dtype: Any = None, *, order: str = "C", chunk: Shape | None = None,
         layout: Layout | None = None, ghosts: Shape = 0, group: GroupLike = None,
         name: str | None = None) -> _array.GlobalArray:
    """Collective. A new array whose elements are all ``value``; arguments as for ``ga.empty``."""
    kind = np.asarray(value).dtype if dtype is None else np.dtype(dtype)
    made = empty(shape, kind, order=order, chunk=chunk, layout=layout, ghosts=ghosts, group=group, name=name)
    if any(made.ghosts):
        made.local_with_ghosts[...] = elements_of(value, kind)
    made.fill(value)
    return made


def array(values: Any, dtype: Any = None, *, order: str = "C", chunk: Shape | None = None,
          layout: Layout | None = None, ghosts: Shape = 0, group: GroupLike = None,
          name: str | None = None) -> _array.GlobalArray:
    """Collective. A new array with the elements of a NumPy array, which is the same at all ranks, or of
    another global array; arguments as for ``ga.empty``. Each rank copies what it holds."""
    given = values if isinstance(values, _array.GlobalArray) else np.asarray(unmasked(values))
    if dtype is not None and not hasattr(values, "__array__"):
        given = elements_of(values, np.dtype(dtype))
    made = empty(given.shape, given.dtype if dtype is None else dtype, order=order, chunk=chunk, layout=layout,
                 ghosts=ghosts, group=group, name=name)
    with_all(made, "ga.array", lambda where: given[where])
    return made


def from_function(function: Callable[..., Any], shape: Shape, dtype: Any = "f8", *, order: str = "C",
                  chunk: Shape | None = None, layout: Layout | None = None, ghosts: Shape = 0,
                  group: GroupLike = None, name: str | None = None) -> _array.GlobalArray:
    """Collective. As ``numpy.fromfunction``: ``function`` gets an array of indexes for each axis, which
    broadcast to a block, and gives its elements. Each rank calls it for what it holds.

    >>> hilbert = ga.from_function(lambda i, j: 1 / (i + j + 1), (100, 100))
    """
    made = empty(shape, dtype, order=order, chunk=chunk, layout=layout, ghosts=ghosts, group=group, name=name)
    with_all(made, "ga.from_function", lambda where: function(*np.ogrid[where]))
    return made


def empty_like(other: _array.GlobalArray, dtype: Any = None, *, name: str | None = None) -> _array.GlobalArray:
    """Collective. A new array of the same shape, layout, order, ghosts and group."""
    return like("ga.empty_like", other, other.dtype if dtype is None else np.dtype(dtype), ghosts=other.ghosts,
                name=name)


def zeros_like(other: _array.GlobalArray, dtype: Any = None, *, name: str | None = None) -> _array.GlobalArray:
    """Collective. As ``ga.empty_like``, of zeros."""
    made = empty_like(other, dtype, name=name)
    if any(made.ghosts):
        made.local_with_ghosts[...] = 0
    made.fill(0)
    return made


def make(what: str, group: Group, shape: tuple[int, ...], dtype: np.dtype[Any], order: str = "C",
         chunk: Shape | None = None, layout: Layout | None = None, ghosts: Shape = 0,
         name: str | None = None) -> _array.GlobalArray:
    if not 1 <= len(shape) <= 7 or any(extent < 1 for extent in shape):
        raise _errors.InputError(f"{what}: an array has 1 to 7 axes with at least one element each, not {shape}")
    if dtype.hasobject or dtype.itemsize == 0:
        raise TypeError(f"{what}: elements of type {dtype} cannot lie in memory that processes share")
    if order not in ("C", "F"):
        raise ValueError(f"{what}: order is \"C\" or \"F\", not {order!r}")
    if layout is None:
        layout = _layout.regular(() if chunk is None else _each(chunk, len(shape), "chunk"))
    elif chunk is not None:
        raise _errors.InputError(f"{what}: give chunk, or a layout, which has its own edges")
    widths = _each(ghosts, len(shape), "ghosts")
    if min(widths) < 0 or (any(widths) and layout.form not in ("regular", "irregular")):
        raise _errors.InputError(f"{what}: ghosts = {widths}: widths of at least 0, and only around blocks that are not dealt")
    if math.prod(shape) * dtype.itemsize >= 1 << 62:
        raise _errors.OutOfMemory(f"{what}: {'x'.join(map(str, shape))} elements of {dtype} are beyond all memory")
    here = group.world
    if name is None:
        name = f"array {next(here.numbers)}"
    layout.check(shape, group.size)
    core = group.together(what, lambda: _core.ga_make(
        here.core, group.number, name, list(shape), order == "C", elements.get(dtype, -1), dtype.itemsize,
        layout.wish(widths)))
    return _array.GlobalArray(core, shape, dtype, group, layout, widths)


def like(what: str, other: _array.GlobalArray, dtype: np.dtype[Any], ghosts: Shape = 0, name: str | None = None
         ) -> _array.GlobalArray:
    return make(what, other.group, other.shape, dtype, other.order, None, other.layout, ghosts, name)


def with_all(made: _array.GlobalArray, what: str, part: Callable[[tuple[slice, ...]], Any]) -> None:
    def work() -> None:
        for where, block in made.blocks():
            block[...] = part(where)

    made.group.together(what, work)


def _extents(shape: Shape) -> tuple[int, ...]:
    return (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(int(extent) for extent in shape)


def _each(numbers: Shape, axes: int, what: str) -> tuple[int, ...]:
    each = (int(numbers),) * axes if isinstance(numbers, (int, np.integer)) else tuple(int(n) for n in numbers)
    if len(each) != axes:
        raise _errors.InputError(f"{what} = {each}: one number for each of {axes} axes")
    return each
