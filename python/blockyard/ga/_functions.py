# SPDX-License-Identifier: Apache-2.0
"""Functions of NumPy on global arrays. Any other function would copy whole arrays to every rank."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from . import _algebra, _array, _make, _ufuncs


def apply(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    found = _table().get(function)
    if found is None:
        raise TypeError(f"numpy.{function.__name__} would copy all of a global array to this rank. If that is meant: "
                        "give it np.asarray(a) or a[...]")
    try:
        return found(*args, **kwargs)
    except TypeError:
        try:
            inspect.signature(found).bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"numpy.{function.__name__} of a global array: {error}") from None
        raise


def missing(name: str) -> str:
    """What the error says about an attribute that a global array lacks."""
    if not hasattr(np.ndarray, name) or name.startswith("_"):
        return f"'GlobalArray' object has no attribute {name!r}"
    return (f"a global array has no {name!r}, which would copy or move all of it. A copy on this rank has it: "
            "np.asarray(a) or a[...]")


@cache
def _table() -> dict[Callable[..., Any], Callable[..., Any]]:
    def method(name: str) -> Callable[..., Any]:
        return lambda a, *args, **more: getattr(a, name)(*args, **more)

    return {
        **{getattr(np, name): method(name) for name in
           ("sum", "prod", "min", "max", "any", "all", "mean", "var", "std", "argmin", "argmax", "cumsum", "cumprod",
            "copy")},
        np.transpose: lambda a, axes=None: a.transpose(axes),
        np.amin: method("min"),
        np.amax: method("max"),
        np.dot: _algebra.matmul,
        np.vdot: _algebra.vdot,
        np.trace: _algebra.trace,
        np.real: lambda a: a.real,
        np.imag: lambda a: a.imag,
        np.shape: lambda a: a.shape,
        np.ndim: lambda a: a.ndim,
        np.size: lambda a: a.size,
        np.swapaxes: swapaxes,
        np.round: _round,
        np.around: _round,
        np.ptp: lambda a, axis=None: np.subtract(a.max(axis=axis), a.min(axis=axis)),
        np.average: lambda a, axis=None: a.mean(axis=axis),
        np.linalg.norm: _algebra.norm,
        np.linalg.solve: _algebra.solve,
        np.linalg.eigh: _algebra.eigh,
        np.empty_like: _make.empty_like,
        np.zeros_like: _make.zeros_like,
        np.ones_like: lambda a, dtype=None: _filled(a, 1, dtype),
        np.full_like: lambda a, fill_value, dtype=None: _filled(a, fill_value, dtype),
        np.where: _where,
        np.clip: clip,
        np.allclose: _allclose,
        np.isclose: _isclose,
        np.outer: _outer,
        np.nansum: lambda a, axis=None, **more: _where(np.isnan(a), 0, a).sum(axis=axis, **more),
        np.nanmin: lambda a, axis=None, **more: np.fmin.reduce(a, axis=axis, **more),
        np.nanmax: lambda a, axis=None, **more: np.fmax.reduce(a, axis=axis, **more),
        np.array_equal: lambda a, b: np.shape(a) == np.shape(b) and bool((a == b).all()),
        np.count_nonzero: _count_nonzero,
    }


def _filled(a: Any, value: Any, dtype: Any) -> Any:
    made = _make.empty_like(a, dtype)
    made.fill(value)
    return made


def _by_blocks(function: Callable[..., Any], *given: Any, **more: Any) -> Any:
    """A new array of a function of elements that is not a ufunc; operands are broadcast as by NumPy."""
    name = function.__name__
    first = _ufuncs.common_group(name, list(given))
    operands, shape = _ufuncs.taken(name, given)
    sample = function(*(np.zeros(1, one.dtype) if np.shape(one) else one for one in operands), **more)
    made = _make.make(name, first.group, shape, sample.dtype, first.order, None,
                      first.layout if first.shape == shape else None)
    _make.with_all(made, name, lambda where: function(*(_ufuncs.part_of(one, where, shape) for one in operands), **more))
    return made


def _count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    count = (a != 0).sum(axis=axis, keepdims=keepdims)
    return int(count) if axis is None and not keepdims else count


def _where(condition: Any, *values: Any) -> Any:
    if len(values) != 2:
        raise TypeError("numpy.where of global arrays takes a condition and two values: the places where it holds are "
                        "np.nonzero(np.asarray(condition))")
    x, y = values
    return _by_blocks(np.where, condition, x, y)


def clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """With both of NumPy's names of the limits."""
    low, high = min if a_min is None else a_min, max if a_max is None else a_max
    if np.dtype(getattr(a, "dtype", float)).kind in "iu":  # limits that no element passes need not fit into the type
        low = None if type(low) is int and low <= np.iinfo(a.dtype).min else low
        high = None if type(high) is int and high >= np.iinfo(a.dtype).max else high
    if high is None:
        return np.positive(a, out=out) if low is None else np.maximum(a, low, out=out)
    return np.minimum(a if low is None else np.maximum(a, low), high, out=out)


def _round(a: Any, decimals: int = 0) -> Any:
    if a.dtype.kind in "iu" and decimals >= 0:
        return a.copy()
    if decimals == 0:
        return np.rint(a)
    if a.dtype.kind == "b":
        raise TypeError("numpy.round of truths takes no decimals")
    power = 10.0 ** abs(decimals)  # negative powers of ten are not exact
    scale, back = (np.multiply, np.true_divide) if decimals > 0 else (np.true_divide, np.multiply)
    return back(np.rint(scale(a, power)), power).astype(a.dtype)


def swapaxes(a: _array.GlobalArray, axis1: int, axis2: int) -> _array.GlobalArray:
    axes = list(range(a.ndim))
    axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    return a.transpose(*axes)


def _isclose(a: Any, b: Any, *tolerances: float, **more: Any) -> Any:
    return _by_blocks(np.isclose, a, b, **dict(zip(("rtol", "atol", "equal_nan"), tolerances)), **more)


def _allclose(a: Any, b: Any, *tolerances: float, **more: Any) -> bool:
    return bool(_isclose(a, b, *tolerances, **more).all())


def _outer(a: Any, b: Any) -> Any:
    if np.ndim(a) != 1 or np.ndim(b) != 1:
        raise TypeError("numpy.outer of global arrays is for arrays of one axis")
    a, b = (one if isinstance(one, _array.GlobalArray) else np.asarray(one) for one in (a, b))
    # a[:, None] of a global array would be a copy. Rows that are a, transposed, are columns.
    group = _ufuncs.common_group("outer", [a, b]).group
    columns = _make.make("outer", group, (len(b), len(a)), np.result_type(a.dtype, b.dtype), "C")
    columns.fill(1)
    return np.multiply(np.multiply(columns, a).T, b)


