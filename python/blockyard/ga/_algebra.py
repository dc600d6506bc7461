# SPDX-License-Identifier: Apache-2.0
"""Products, systems, eigenproblems, scans: whole arrays at once. Collective."""

from __future__ import annotations


from typing import Any, NamedTuple

import numpy as np

from .. import _core, _errors
from .._axes import order_of
from . import _array, _make, _ufuncs


def matmul(a: Any, b: Any, out: Any = None) -> Any:
    """``a @ b`` of arrays of one or two axes. A product of matrices runs in BLAS: each rank makes the part
    of the result that it holds, and fetches panels of both operands."""
    template = _ufuncs.common_group("matmul", [a, b, out])
    left, right = _operand(a, template), _operand(b, template)
    if not (1 <= left.ndim <= 2 and 1 <= right.ndim <= 2):
        raise _errors.InputError(f"matmul is for arrays of one or two axes, not of {left.ndim} and {right.ndim}")
    if left.shape[-1] != right.shape[0]:
        raise _errors.InputError(f"matmul: shapes {left.shape} and {right.shape} do not fit each other")
    if left.ndim == 1 and right.ndim == 1:
        if out is not None:
            raise TypeError("the product of two vectors is a scalar: no out=")
        return _sum_of(np.multiply(left, right))
    dtype = np.result_type(left.dtype, right.dtype)
    shape = left.shape[:-1] + right.shape[1:]
    result = out
    if result is None:
        result = _make.make("matmul", left.group, shape, dtype, left.order)
    elif not isinstance(out, _array.GlobalArray) or out.shape != shape:
        raise _errors.InputError(f"matmul: out is a global array of shape {shape}, not {out!r}")
    target = result
    if any(result.core.is_same(one.core) for one in (left, right)) or result.dtype != dtype:
        if not np.can_cast(dtype, result.dtype, "same_kind"):
            raise TypeError(f"matmul: the product is {dtype}, which does not fit into out of type {result.dtype}")
        target = _make.like("matmul", result, dtype)
    if left.ndim == 2 and right.ndim == 2 and dtype.char in "fdFD":
        left, right = (one if one.dtype == dtype else one.astype(dtype) for one in (left, right))
        target.group.together("matmul", lambda: _core.ga_multiply(left.core, right.core, target.core))
    else:
        target.group.together("matmul", lambda: _by_blocks(left, right, target))
    return result if target is result else np.positive(target, out=result)


def _by_blocks(a: _array.GlobalArray, b: _array.GlobalArray, c: _array.GlobalArray) -> None:
    """Products that BLAS lacks: integers, and matrices with vectors. The larger operand is read block by
    block, in place on this node."""
    for where, block in c.blocks():
        rows = where[0] if a.ndim == 2 else None
        columns = where[-1] if b.ndim == 2 else None
        total = np.zeros(block.shape, c.dtype)
        outer = a if a.ndim == 2 else b
        first = [0, 0]
        end = list(outer.shape)
        axis = 0 if outer is a else 1
        part = rows if outer is a else columns
        assert part is not None
        first[axis], end[axis] = part.start, part.stop
        for _, begin, stop in outer.core.pieces(first, end):
            inner = slice(begin[1 - axis], stop[1 - axis])
            own = slice(begin[axis], stop[axis])
            place = slice(own.start - part.start, own.stop - part.start)
            if outer is a:
                seen = (own, inner)
                other = (inner,) if columns is None else (inner, columns)
                total[place] += _read(a, seen) @ _read(b, other)
            else:
                total[..., place] += _read(a, (inner,)) @ _read(b, (inner, own))
        block[...] = total


def _read(a: _array.GlobalArray, where: tuple[slice, ...]) -> np.ndarray:
    view = a.view(where)
    return a[where] if view is None else view


def _operand(a: Any, template: _array.GlobalArray) -> _array.GlobalArray:
    return a if isinstance(a, _array.GlobalArray) else _make.array(a, group=template.group)


def norm(a: _array.GlobalArray, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Of a vector: 2 (None), 1, inf, -inf, 0 or any power; of a matrix: Frobenius (None, "fro"), 1, -1, inf, -inf.
    With axis: 2 (None), 1, inf or -inf of the vectors along it: a global array."""
    size = np.abs(a.astype("f8") if a.dtype.kind in "biu" else a)  # squares of integers overflow
    if axis is not None:
        if ord not in (None, 1, 2, np.inf, -np.inf) or np.ndim(axis) != 0:
            raise _errors.InputError(f"norm: no norm {ord!r} along axis = {axis!r}")
        if ord in (np.inf, -np.inf):
            return (size.max if ord > 0 else size.min)(axis=axis, keepdims=keepdims)
        sums = (size if ord == 1 else np.multiply(size, size)).sum(axis=axis, keepdims=keepdims)
        return sums if ord == 1 else np.sqrt(sums)
    if keepdims:
        raise _errors.InputError("norm: keepdims needs axis=")
    if ord in (None, "fro") or (a.ndim == 1 and ord == 2):
        return np.sqrt(np.multiply(size, size).sum())
    if a.ndim == 1:
        if ord in (np.inf, -np.inf):
            return size.max() if ord > 0 else size.min()
        if ord == 0:
            return (size != 0).sum(dtype=size.dtype)
        return np.power(size, ord).sum() ** (1 / ord)
    if a.ndim != 2 or ord not in (1, -1, np.inf, -np.inf):
        raise _errors.InputError(f"norm: no norm {ord!r} of an array of {a.ndim} axes")
    sums = size.sum(axis=0 if abs(ord) == 1 else 1)
    return sums.max() if ord > 0 else sums.min()


def vdot(a: Any, b: Any) -> Any:
    """The sum of conj(a) * b over all elements."""
    if _ufuncs.shape_of(a) != _ufuncs.shape_of(b):
        raise _errors.InputError(f"vdot: shapes {_ufuncs.shape_of(a)} and {_ufuncs.shape_of(b)} are not the same")
    left = a if isinstance(a, _array.GlobalArray) else np.asarray(a)
    # The conjugates of truths would be int8.
    return _sum_of(np.multiply(np.conjugate(left) if left.dtype.kind == "c" else left, b))


def _sum_of(products: Any) -> Any:
    """Of their own type, as in NumPy's products; of truths whether any is true."""
    return products.sum(dtype=products.dtype)


def trace(a: _array.GlobalArray) -> Any:
    """The sum of a[i, i]."""
    kind = np.ones(1, a.dtype).sum().dtype
    if a.ndim != 2:
        raise _errors.InputError(f"trace is for matrices, not for {a.ndim} axes")

    def work() -> Any:
        own = kind.type(0)
        for where, block in a.blocks():
            first = max(part.start for part in where)
            end = min(part.stop for part in where)
            if first < end:
                own += np.trace(block[first - where[0].start:end - where[0].start,
                                      first - where[1].start:end - where[1].start], dtype=kind)
        return own

    return kind.type(sum(a.group.gather_of("trace", work)))


def solve(a: Any, b: Any, *, is_positive: bool = False) -> _array.GlobalArray:
    """x with ``a @ x = b``; a is square and real, b has one or two axes. LAPACK solves it in float64 at the
    first rank of the group, after a look at its memory: LU, or Cholesky if ``is_positive`` (symmetric,
    positive definite; the lower triangle is read). Of a complex b the real and imaginary parts are solved one after the other. Returns a
    new array. InputError for a singular matrix, OutOfMemory."""
    template = _ufuncs.common_group("solve", [a, b])
    a, right = _operand(a, template), _operand(b, template)
    _require_square("solve", a)
    if right.ndim > 2 or right.shape[0] != a.shape[0]:
        raise _errors.InputError(f"solve: a right side of shape {right.shape} does not fit a matrix of {a.shape}")
    matrix = _lower("solve", a) if is_positive else _double("solve", a)
    if right.dtype.kind == "c":
        real, imaginary = (solve(matrix, part, is_positive=is_positive) for part in (right.real, right.imag))
        x: _array.GlobalArray = real + 1j * imaginary
        return x
    x = copy(right, np.dtype(np.float64), "F", is_new=True)
    failed: list[int] = []
    a.group.together("solve", lambda: failed.append(_core.ga_solve(matrix.core, x.core, is_positive)))
    if failed[0]:
        raise _errors.InputError(f"solve: array \"{a.name}\" is not positive definite: minor {failed[0]}")
    return x


class EighResult(NamedTuple):
    """Of ``eigh``."""

    eigenvalues: np.ndarray
    eigenvectors: _array.GlobalArray


def eigh(a: _array.GlobalArray) -> EighResult:
    """(eigenvalues, eigenvectors) of a symmetric float64 matrix, of which the lower triangle is read: values
    ascend, at all ranks; vectors are the columns of a new array of order "F". LAPACK at the first rank of the
    group. OutOfMemory."""
    _require_square("eigh", a)
    matrix = _lower("eigh", a)
    vectors = _make.make("eigh", a.group, a.shape, np.dtype(np.float64), "F")
    values = np.empty(a.shape[0])
    a.group.together("eigh", lambda: _core.ga_diagonalize(matrix.core, vectors.core, values))
    return EighResult(values, vectors)


def copy(a: _array.GlobalArray, dtype: np.dtype[Any], order: str, is_new: bool = False) -> _array.GlobalArray:
    if order not in ("C", "F"):
        raise ValueError(f"order is \"C\" or \"F\", not {order!r}")
    if order == a.order and not is_new:
        made = _make.like("copy", a, dtype)
    else:
        made = _make.make("copy", a.group, a.shape, dtype, order)
    if dtype == a.dtype and dtype.itemsize == a.itemsize:
        made.group.together("copy", lambda: _core.ga_copy(a.core, made.core))
    else:
        _make.with_all(made, "copy", lambda where: _ufuncs.part_of(a, where, a.shape).astype(dtype))
    return made


def transpose(a: _array.GlobalArray, axes: tuple[Any, ...]) -> _array.GlobalArray:
    order = order_of(axes, a.ndim)
    if order == tuple(range(a.ndim))[::-1]:
        return a.T
    made = _make.make("transpose", a.group, tuple(a.shape[k] for k in order), a.dtype, a.order)

    def part(where: tuple[slice, ...]) -> Any:
        source = tuple(where[order.index(d)] for d in range(a.ndim))
        return _read(a, source).transpose(order)

    _make.with_all(made, "transpose", part)
    return made


def scan_add(a: _array.GlobalArray, flags: Any, *, exclusive: bool = False) -> _array.GlobalArray:
    """Sums of an array of one axis, begun anew at each place whose flag is not 0 (without the element
    itself if ``exclusive``); 0 before the first flag."""
    made = _make.like("scan_add", a, a.dtype)
    made.fill(0)
    marks = _flags(a, flags)
    a.group.together("scan_add", lambda: _core.ga_scan(a.core, made.core, marks.core, True, exclusive))
    return made


def scan_copy(a: _array.GlobalArray, flags: Any) -> _array.GlobalArray:
    """The last element up to each place whose flag is not 0; 0 before the first flag."""
    made = _make.like("scan_copy", a, a.dtype)
    marks = _flags(a, flags)
    a.group.together("scan_copy", lambda: _core.ga_scan(a.core, made.core, marks.core, False, False))
    return made


def pack(a: _array.GlobalArray, flags: Any) -> _array.GlobalArray:
    """The elements of an array of one axis whose flags are not 0, in their order. InputError if none is."""
    marks = _flags(a, flags)
    count = int((marks != 0).sum())
    if count == 0:
        raise _errors.InputError(f"pack: no element of array \"{a.name}\" has a flag")
    made = _make.make("pack", a.group, (count,), a.dtype)
    a.group.together("pack", lambda: _core.ga_pack(a.core, made.core, marks.core, False))
    return made


def unpack(values: _array.GlobalArray, into: _array.GlobalArray, flags: Any) -> None:
    """The inverse of ``pack``: the elements of ``into`` whose flags are not 0 become ``values``."""
    marks = _flags(into, flags)
    into.group.together("unpack", lambda: _core.ga_pack(values.core, into.core, marks.core, True))


def _flags(a: _array.GlobalArray, flags: Any) -> _array.GlobalArray:
    if a.ndim != 1 or np.shape(flags) != a.shape:
        raise _errors.InputError(f"an array of shape {a.shape} and flags of {np.shape(flags)}: both have one axis, and are "
                                 "equally long")
    if not isinstance(flags, _array.GlobalArray):
        return _make.array(np.asarray(flags) != 0, np.int32, group=a.group)
    return flags if flags.dtype == np.int32 else (flags != 0).astype(np.int32)


def _require_square(what: str, a: _array.GlobalArray) -> None:
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise _errors.InputError(f"{what}: array \"{a.name}\" of shape {a.shape} is not a square matrix")


def _double(what: str, a: _array.GlobalArray) -> _array.GlobalArray:
    if a.dtype.kind == "c":
        raise TypeError(f"{what} is for real matrices, array \"{a.name}\" is {a.dtype}")
    return a if a.dtype == np.float64 else a.astype(np.float64)


def _lower(what: str, a: _array.GlobalArray) -> _array.GlobalArray:
    """With the triangle that NumPy reads where LAPACK does: in order "C" that would be the upper one."""
    matrix = _double(what, a)
    return matrix if matrix.order == "F" else copy(matrix, matrix.dtype, "F")


