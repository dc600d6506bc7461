# SPDX-License-Identifier: Apache-2.0
"""Sums and their like over all elements or along axes. Collective; the same bits on equal layouts."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from .. import _errors
from .._axes import axes_of
from . import _array, _make
from ._held import Slices

# (a op b) op c = a op (b op c): what blocks give may be put together.
_associative = {np.add, np.multiply, np.maximum, np.minimum, np.fmax, np.fmin, np.logical_and, np.logical_or,
                np.logical_xor, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.hypot, np.logaddexp,
                np.logaddexp2, np.gcd, np.lcm}


def reduce(ufunc: np.ufunc, a: _array.GlobalArray, axis: Any = None, dtype: Any = None, out: Any = None,
           keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:
    _require_associative(ufunc)
    if where is not True:
        raise TypeError("reductions of global arrays do not support where=")
    axes = _axes(axis, a.ndim)
    kind = _kind(ufunc, "reduce", a, dtype, out)
    if len(axes) == a.ndim:
        value = _all(ufunc, a, kind)
        if initial is not None:
            value = ufunc(value, initial)
        if out is not None:
            raise TypeError("out= is for reductions along some axes; without axis the result is a scalar")
        return value.reshape((1,) * a.ndim) if keepdims else value
    shape = tuple(1 if d in axes else extent for d, extent in enumerate(a.shape))
    seen = shape if keepdims else tuple(extent for d, extent in enumerate(a.shape) if d not in axes)
    result = out
    if result is None:
        result = _make.make(ufunc.__name__, a.group, seen, kind, a.order)
    elif not isinstance(result, _array.GlobalArray) or result.shape != seen:
        raise _errors.InputError(f"{ufunc.__name__}: out is a global array of shape {seen}, not {out!r}")
    _require_fitting(ufunc.__name__, kind, result)

    def work() -> None:
        for where, block in result.blocks():
            wide = _widened(where, axes, a.shape, keepdims)
            part = _slab(ufunc, a, wide, axes, kind)
            if initial is not None:
                part = ufunc(part, initial)
            block[...] = part.reshape(block.shape)

    a.group.together(ufunc.__name__, work)
    return result


def accumulate(ufunc: np.ufunc, a: _array.GlobalArray, axis: Any = None, dtype: Any = None, out: Any = None) -> _array.GlobalArray:
    _require_associative(ufunc)
    if axis is None:
        if a.ndim != 1:
            raise _errors.InputError(f"{ufunc.__name__} along which of {a.ndim} axes? give axis=")
        axis = 0
    along = _axes(operator.index(axis), a.ndim)[0]
    kind = _kind(ufunc, "accumulate", a, dtype, out)
    result = out
    if result is None:
        result = _make.like(ufunc.__name__, a, kind)
    elif not isinstance(result, _array.GlobalArray) or result.shape != a.shape:
        raise _errors.InputError(f"{ufunc.__name__}: out is a global array of shape {a.shape}, not {out!r}")
    _require_fitting(ufunc.__name__, kind, result)
    if result.dtype != kind:
        _make.with_all(result, ufunc.__name__, accumulate(ufunc, a, axis, _asked(kind)).__getitem__)
        return result
    places = sorted(result.slices(), key=lambda where: [part.start for part in (*_across(where, along), where[along])])
    made: list[np.ndarray] = []

    def work() -> None:
        made.extend(_accumulated(ufunc, a, where, along, kind) for where in places)

    # The elements of a are read by several ranks before any of them changes, if `out` is `a`.
    a.group.together(ufunc.__name__, work)
    for where, part in zip(places, made):
        _own(result, where)[...] = part
    # The last elements of a block are all that blocks behind it need of it.
    earlier = a.group.together(ufunc.__name__, lambda: _carried(ufunc, result, places, along))
    for where, part, before in zip(places, made, earlier):
        if before is not None:
            ufunc(before, part, out=_own(result, where))
    a.group.meet(ufunc.__name__)
    return result


def _across(where: Slices, along: int) -> Slices:
    return where[:along] + where[along + 1:]


def _own(a: _array.GlobalArray, where: Slices) -> np.ndarray:
    block = a.view(where)
    assert block is not None
    return block


def _carried(ufunc: np.ufunc, a: _array.GlobalArray, places: list[Slices], along: int) -> list[np.ndarray | None]:
    """Of an array each block of which is accumulated: what lies before these blocks, reduced. They are in order
    along the axis, lines of them one after the other."""
    carried: list[np.ndarray | None] = []
    total: np.ndarray | None = None
    begin, line = 0, None
    for where in places:
        if line != _across(where, along):
            total, begin, line = None, 0, _across(where, along)
        between = [slice(begin, where[along].start) if d == along else part for d, part in enumerate(where)]
        begin = where[along].start
        pieces = a.core.pieces([part.start for part in between], [part.stop for part in between])
        for _, first, end in sorted(pieces, key=lambda piece: piece[1][along]):
            last = tuple(slice(e - 1 if d == along else f, e) for d, (f, e) in enumerate(zip(first, end)))
            view = a.view(last)
            part = a[last] if view is None else view.copy()
            total = part if total is None else ufunc(total, part)
        carried.append(total)
    return carried


def mean(a: _array.GlobalArray, axis: Any, dtype: Any, out: Any, keepdims: bool) -> Any:
    kind = np.dtype(dtype) if dtype is not None else _one(a).mean().dtype
    if dtype is None and isinstance(out, _array.GlobalArray) and kind.char in "fdFD" and np.can_cast(kind, out.dtype):
        kind = out.dtype
    wide = np.dtype(np.float32) if kind == np.float16 else kind  # sums of half precision soon overflow
    total = reduce(np.add, a, axis, _asked(wide), out if wide == kind else None, keepdims)
    number = math.prod(a.shape[d] for d in _axes(axis, a.ndim))
    count = number if wide.kind == "m" else wide.type(number)
    if isinstance(total, _array.GlobalArray):
        _divide(total, count)
        return total if wide == kind else _narrowed(total, kind, out)
    return np.true_divide(total, count).astype(kind)[()]


def _divide(total: Any, count: Any) -> None:
    """In the type of the total, as NumPy divides it."""
    np.true_divide(total, count, out=total, casting="unsafe")


def _narrowed(made: Any, kind: np.dtype[Any], out: Any) -> Any:
    return made.astype(kind) if out is None else np.positive(made, out=out)


def variance(a: _array.GlobalArray, axis: Any, dtype: Any, out: Any, ddof: float, keepdims: bool) -> Any:
    if a.dtype == np.float16 and dtype is None:
        return _narrowed(variance(a.astype(np.float32), axis, None, None, ddof, keepdims), a.dtype, out)
    axes = _axes(axis, a.ndim)
    centre = mean(a, axis, dtype, None, True)
    away = np.abs(a - centre)
    squares = np.multiply(away, away, out=away)
    count = max(0, math.prod(a.shape[d] for d in axes) - ddof)
    total = reduce(np.add, squares, axis, dtype, out, keepdims)
    if isinstance(total, _array.GlobalArray):
        _divide(total, count)
        return total
    return (total / count).astype(total.dtype)[()]


def arg(a: _array.GlobalArray, is_max: bool, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    if axis is not None:
        along = _axes(operator.index(axis), a.ndim)[0]
        if a.ndim > 1 or keepdims:
            return _arg_along(a, is_max, along, out, keepdims)
    if out is not None:
        raise TypeError("out= is for reductions along an axis; without axis the result is a number")
    place = _arg_of_all(a, is_max)
    return np.full((1,) * a.ndim, place) if keepdims else place


def _arg_along(a: _array.GlobalArray, is_max: bool, along: int, out: Any, keepdims: bool) -> _array.GlobalArray:
    name = "argmax" if is_max else "argmin"
    axes = (along,)
    shape = tuple(1 if d == along else extent for d, extent in enumerate(a.shape))
    seen = shape if keepdims else shape[:along] + shape[along + 1:]
    result = out
    if result is None:
        result = _make.make(name, a.group, seen, np.dtype(np.intp), a.order)
    elif not isinstance(result, _array.GlobalArray) or result.shape != seen:
        raise _errors.InputError(f"{name}: out is a global array of shape {seen}, not {out!r}")
    _require_fitting(name, np.dtype(np.intp), result)

    def work() -> None:
        for where, block in result.blocks():
            wide = _widened(where, axes, a.shape, keepdims)
            block[...] = _arg_of_slab(a, wide, along, is_max).reshape(block.shape)

    a.group.together(name, work)
    return result


def _arg_of_slab(a: _array.GlobalArray, where: Slices, along: int, is_max: bool) -> np.ndarray:
    """Of a part of an array, block by block: the first best index along an axis, whose extent is 1 then."""
    shape = tuple(1 if d == along else part.stop - part.start for d, part in enumerate(where))
    best, places = np.empty(shape, a.dtype), np.full(shape, -1, np.intp)
    for _, first, end in a.core.pieces([part.start for part in where], [part.stop for part in where]):
        box = tuple(slice(f, e) for f, e in zip(first, end))
        view = a.view(box)
        values = a[box] if view is None else view
        found = np.expand_dims(values.argmax(axis=along) if is_max else values.argmin(axis=along), along)
        value = np.take_along_axis(values, found, along)
        found += first[along]
        at = tuple(slice(0, 1) if d == along else slice(f - own.start, e - own.start)
                   for d, (f, e, own) in enumerate(zip(first, end, where)))
        old, old_places = best[at], places[at]
        # NaN is before all numbers, as in NumPy; of equals the first one counts.
        is_nan, was_nan = value != value, old != old
        is_better = (value > old if is_max else value < old) & ~was_nan | is_nan & ~was_nan
        is_equal = (value == old) | is_nan & was_nan
        takes = (old_places < 0) | is_better | is_equal & (found < old_places)
        best[at], places[at] = np.where(takes, value, old), np.where(takes, found, old_places)
    return places


def _arg_of_all(a: _array.GlobalArray, is_max: bool) -> int:
    def work() -> list[Any]:
        found = []
        for where, block in a.blocks():
            at = np.unravel_index(block.argmax() if is_max else block.argmin(), block.shape)
            place = [part.start + int(k) for part, k in zip(where, at)]
            found.append((block[at], int(np.ravel_multi_index(place, a.shape))))
        return found

    best = [one for part in a.group.gather_of("argmax" if is_max else "argmin", work) for one in part]
    values = np.array([value for value, _ in best], a.dtype)
    is_nan = values != values  # NaT, too
    ahead = is_nan if is_nan.any() else values == (values.max() if is_max else values.min())
    return min(int(place) for (_, place), is_best in zip(best, ahead) if is_best)


def _all(ufunc: np.ufunc, a: _array.GlobalArray, kind: np.dtype[Any]) -> Any:
    def work() -> list[Any]:
        return [ufunc.reduce(block, axis=None, dtype=_asked(kind)) for _, block in a.blocks()]

    parts = [value for part in a.group.gather_of(ufunc.__name__, work) for value in part]
    total = parts[0]
    for value in parts[1:]:
        total = ufunc(total, value)
    return total if isinstance(total, np.generic) else np.asarray(total, kind)[()]


def _slab(ufunc: np.ufunc, a: _array.GlobalArray, where: Slices, axes: tuple[int, ...], kind: np.dtype[Any]) -> np.ndarray:
    """A part of an array, reduced: extents of the axes are 1. Block by block, in place on this node."""
    shape = tuple(1 if d in axes else part.stop - part.start for d, part in enumerate(where))
    result = np.empty(shape, kind)
    is_filled = np.zeros(shape, bool)
    for _, first, end in a.core.pieces([part.start for part in where], [part.stop for part in where]):
        box = tuple(slice(f, e) for f, e in zip(first, end))
        view = a.view(box)
        part = ufunc.reduce(a[box] if view is None else view, axis=axes, dtype=_asked(kind), keepdims=True)
        place = tuple(slice(0, 1) if d in axes else slice(f - own.start, e - own.start)
                      for d, (f, e, own) in enumerate(zip(first, end, where)))
        if is_filled[place].all():
            ufunc(result[place], part, out=result[place])
        else:
            result[place] = part
            is_filled[place] = True
    return result


def _accumulated(ufunc: np.ufunc, a: _array.GlobalArray, where: Slices, axis: int, kind: np.dtype[Any]) -> np.ndarray:
    view = a.view(where)
    return ufunc.accumulate(a[where] if view is None else view, axis=axis, dtype=_asked(kind))


def _one(a: _array.GlobalArray) -> np.ndarray:
    """An element of the type of the array."""
    return np.ones(1, np.int64).astype(a.dtype)


def _kind(ufunc: np.ufunc, method: str, a: _array.GlobalArray, dtype: Any, out: Any) -> np.dtype[Any]:
    """The type in which a method of a ufunc computes: of sums and products without dtype= that of out=, as in NumPy."""
    kind: np.dtype[Any] = getattr(ufunc, method)(_one(a), dtype=dtype).dtype
    if dtype is not None or ufunc not in (np.add, np.multiply) or not isinstance(out, _array.GlobalArray):
        return kind
    return out.dtype if out.dtype.kind in "iufc" and np.can_cast(kind, out.dtype) else kind


def _asked(kind: np.dtype[Any]) -> np.dtype[Any] | None:
    """For dtype=: ufuncs do not take that of times, which follows from their operands."""
    return None if kind.kind in "mM" else kind


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    return tuple(sorted(axes_of(axis, ndim)))


def _widened(where: Slices, axes: tuple[int, ...], shape: tuple[int, ...], keepdims: bool) -> Slices:
    """The part of the operand that gives a part of the result."""
    left = iter(where)
    wide = []
    for d, extent in enumerate(shape):
        if d in axes:
            if keepdims:
                next(left)
            wide.append(slice(0, extent))
        else:
            wide.append(next(left))
    return tuple(wide)


def _require_fitting(name: str, kind: np.dtype[Any], out: _array.GlobalArray) -> None:
    if not np.can_cast(kind, out.dtype, "same_kind"):
        raise TypeError(f"{name}: the result is {kind}, which does not fit into out of type {out.dtype}")


def _require_associative(ufunc: np.ufunc) -> None:
    if ufunc not in _associative:
        raise TypeError(f"{ufunc.__name__} is not associative: blocks at several ranks cannot be reduced with it")
