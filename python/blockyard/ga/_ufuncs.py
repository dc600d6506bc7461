# SPDX-License-Identifier: Apache-2.0
"""Ufuncs of NumPy: each rank computes the blocks of the result that it holds. Collective."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import _errors
from . import _algebra, _array, _make, _reductions
from ._held import Slices


def apply(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], more: Mapping[str, Any]) -> Any:
    rest = dict(more)
    if method == "__call__":
        if ufunc is np.matmul:
            out = _single(rest.pop("out", None))
            if rest:
                raise TypeError(f"matmul of global arrays has no {next(iter(rest))}=")
            return _algebra.matmul(inputs[0], inputs[1], out)
        if ufunc.signature is not None:
            raise TypeError(f"{ufunc.__name__} works on whole axes, which lie at several ranks: np.asarray(a) copies them")
        return _call(ufunc, inputs, rest)
    if method in ("reduce", "accumulate") and isinstance(inputs[0], _array.GlobalArray):
        axis, out = rest.pop("axis", 0), _single(rest.pop("out", None))
        if method == "accumulate":
            return _reductions.accumulate(ufunc, inputs[0], axis, rest.pop("dtype", None), out)
        return _reductions.reduce(ufunc, inputs[0], axis, rest.pop("dtype", None), out,
                                  rest.pop("keepdims", False), **rest)
    raise TypeError(f"global arrays do not support {ufunc.__name__}.{method}")


def each(function: Callable[[Any], Any], a: _array.GlobalArray) -> _array.GlobalArray:
    """A new array of function(element), for a function of NumPy that is not a ufunc."""
    made = _make.like(function.__name__, a, function(np.zeros(1, a.dtype)).dtype)

    def work() -> None:
        for where, block in made.blocks():
            block[...] = function(part_of(a, where, a.shape))

    made.group.together(function.__name__, work)
    return made


def part_of(operand: Any, where: Slices, shape: tuple[int, ...]) -> Any:
    """The part of an operand that belongs to a part of a result of this shape: in place where it lies in one block
    on this node, else a copy. Operands are broadcast as by NumPy."""
    extents = shape_of(operand)
    if not extents:
        return operand
    own = tuple(slice(0, 1) if extent == 1 else part
                for extent, part in zip(extents, where[len(shape) - len(extents):]))
    if not isinstance(operand, _array.GlobalArray):
        return np.asarray(operand)[own]
    view = operand.view(own)
    return operand[own] if view is None else view


def shape_of(operand: Any) -> tuple[int, ...]:
    """``numpy.shape``, without asking the array for NumPy's answer."""
    return operand.shape if isinstance(operand, _array.GlobalArray) else np.shape(operand)


def common_group(what: str, operands: list[Any]) -> _array.GlobalArray:
    """The first global array; all others belong to the same ranks."""
    arrays = [one for one in operands if isinstance(one, _array.GlobalArray)]
    for one in arrays:
        if one.group is not arrays[0].group and one.group.ranks != arrays[0].group.ranks:
            raise _errors.InputError(f"{what}: arrays \"{arrays[0].name}\" and \"{one.name}\" belong to different "
                                     "groups: copy one of them into an array of the other's group")
    return arrays[0]


def taken(what: str, operands: Sequence[Any], *others: Any) -> tuple[list[Any], tuple[int, ...]]:
    """Operands as arrays, or numbers as they are, and the shape to which they and `others` are broadcast."""
    made = [one if isinstance(one, _array.GlobalArray) or not np.shape(one) else np.asarray(one) for one in operands]
    try:
        return made, np.broadcast_shapes(*(shape_of(one) for one in [*made, *others]))
    except ValueError:
        shapes = " ".join(str(np.shape(one)) for one in made)
        raise _errors.InputError(f"{what}: shapes {shapes} do not fit each other") from None


def _call(ufunc: np.ufunc, inputs: tuple[Any, ...], more: dict[str, Any]) -> Any:
    name = ufunc.__name__
    given = more.pop("out", None) or (None,) * ufunc.nout
    where = more.pop("where", True)
    first = common_group(name, [*inputs, *given, where])
    operands, shape = taken(name, inputs, where)
    for out in given:
        if out is not None and (not isinstance(out, _array.GlobalArray) or out.shape != shape):
            raise _errors.InputError(f"{name}: out is a global array of shape {shape}, not {out!r}")
    # One element tells types, and raises at all ranks what NumPy does not do.
    samples = _sampled(ufunc, operands, given, more)
    template = next((one for one in [*operands, *given] if isinstance(one, _array.GlobalArray) and one.shape == shape), None)
    results = []
    for out, sample in zip(given, samples):
        if out is not None:
            results.append(out)
        elif template is not None:
            results.append(_make.like(name, template, sample.dtype))
        else:
            results.append(_make.make(name, first.group, shape, sample.dtype, first.order))
    _compute(ufunc, operands, results, where, more)
    return results[0] if ufunc.nout == 1 else tuple(results)


def _sampled(ufunc: np.ufunc, operands: list[Any], given: tuple[Any, ...], more: dict[str, Any]) -> list[np.ndarray]:
    def one(operand: Any) -> Any:
        if not shape_of(operand):
            return operand
        return np.ones(1, operand.dtype) if operand.dtype.kind in "biufc" else np.zeros(1, operand.dtype)

    outs = tuple(None if out is None else np.empty(1, out.dtype) for out in given)
    with np.errstate(all="ignore"):
        found = ufunc(*map(one, operands), **more, **({"out": outs} if any(o is not None for o in outs) else {}))
    return list(found) if isinstance(found, tuple) else [found]


def _compute(ufunc: np.ufunc, operands: list[Any], results: list[_array.GlobalArray], where: Any, more: dict[str, Any]) -> None:
    target = results[0]
    # A rank that overwrites elements another rank still reads builds its part aside first.
    is_aside = any(isinstance(one, _array.GlobalArray) and any(_moves(one, result) for result in results)
                   for one in [*operands, where])
    aside: list[tuple[_array.GlobalArray, Slices, np.ndarray]] = []

    def work() -> None:
        for slices, block in target.blocks():
            into = []
            for result in results:
                part = result.view(slices)
                if part is None or is_aside:
                    if where is True:
                        part = np.empty_like(block, result.dtype)
                    else:  # elements that the mask leaves out are stored, too
                        part = result[slices] if part is None else part.copy()
                    aside.append((result, slices, part))
                into.append(part)
            parts = [part_of(one, slices, target.shape) for one in operands]
            mask = {} if where is True else {"where": part_of(where, slices, target.shape)}
            ufunc(*parts, out=tuple(into), **mask, **more)

    target.group.together(ufunc.__name__, work)
    if is_aside or len(results) > 1:
        def store() -> None:
            for result, slices, values in aside:
                result[slices] = values

        target.group.together(ufunc.__name__, store)


def _moves(operand: _array.GlobalArray, result: _array.GlobalArray) -> bool:
    """Whether an element of the operand lands elsewhere in the same memory."""
    return operand.core.is_same(result.core) and (operand.order != result.order or operand.shape != result.shape)


def _single(out: Any) -> Any:
    return out[0] if isinstance(out, tuple) else out
