# SPDX-License-Identifier: Apache-2.0
"""Arrays that are no NumPy arrays and give parts of themselves: HDF5 (h5py), Zarr, dask and their like."""

from __future__ import annotations

import contextlib
import threading
from typing import Any, Protocol, Union

import numpy as np

from . import _errors

# Of an axis of the underlying array: a fixed place, or the axis of the view that runs along it, where
# that begins and how it steps.
_Part = Union[int, "tuple[int, int, int]"]


_exact = 2**53  # integers up to it, of either sign, are numbers of double precision


def is_source(array: Any) -> bool:
    """Whether it has shape, elements and chunks, can be sliced, and is not a NumPy array."""
    return (not isinstance(array, (np.ndarray, np.generic)) and hasattr(array, "chunks")
            and hasattr(array, "shape") and hasattr(array, "dtype") and hasattr(array, "__getitem__"))


def source_of(array: Any) -> "BlockSource":
    """Raises TypeError for elements that are no numbers, InputError for axes whose extent is not known."""
    dtype = np.dtype(array.dtype)
    if dtype.kind not in "fciub":
        raise TypeError(f"the array has elements of type {dtype}, which are no numbers")
    if any(extent != extent for extent in array.shape):  # NaN
        raise _errors.InputError(f"the array has the shape {tuple(array.shape)}: dask does not know it before "
                                 "array.compute_chunk_sizes()")
    shape = tuple(int(extent) for extent in array.shape)
    return BlockSource(array, dtype, shape, [(k, 0, 1) for k in range(len(shape))])


class _HasShape(Protocol):
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype: ...


class Sizes:
    """What follows from the shape and the type of the elements."""

    @property
    def ndim(self: _HasShape) -> int:
        return len(self.shape)

    @property
    def size(self: _HasShape) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self: _HasShape) -> int:
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize


class BlockSource(Sizes):
    """A view of such an array, which reads only the parts that are requested.

    Basic slicing, transposition and diagonals, as in NumPy, make other views. Several threads read.
    """

    def __init__(self, root: Any, dtype: np.dtype, shape: tuple[int, ...], parts: list[_Part]):
        self.root = root
        self.dtype = dtype
        self.shape = shape
        self._parts = parts

    @property
    def chunks(self) -> list[int]:
        """Elements of a chunk along each axis of the view; 0 where unknown."""
        given = getattr(self.root, "chunksize", None) or self.root.chunks or ()
        chunks = [0] * self.ndim
        for part, chunk in zip(self._parts, given):
            if not isinstance(part, int) and isinstance(chunk, (int, np.integer)) and part[1] % chunk == 0:
                chunks[part[0]] = int(chunk) // abs(part[2])
        return chunks

    @property
    def gives_copies(self) -> bool:
        """Whether what ``read`` returns is nobody else's; a dask array may be made of views."""
        return type(self.root).__module__.split(".")[0] in ("zarr", "h5py")

    @property
    def strides(self) -> tuple[int, ...]:
        """As if the whole array lay in C order: it says which axes are read fastest."""
        strides = [0] * self.ndim
        stride = self.dtype.itemsize
        for part, extent in zip(reversed(self._parts), reversed(self.root.shape)):
            if not isinstance(part, int):
                strides[part[0]] += stride * part[2]
            stride *= max(1, int(extent))
        return tuple(strides)

    def transpose(self, order: Any) -> "BlockSource":
        """Axis k of the result is axis order[k] of this one."""
        to = {old: new for new, old in enumerate(order)}
        parts: list[_Part] = [part if isinstance(part, int) else (to[part[0]], *part[1:]) for part in self._parts]
        return BlockSource(self.root, self.dtype, tuple(self.shape[k] for k in order), parts)

    def diagonal(self, axes: list[int]) -> "BlockSource":
        """Axis k of this one runs along axis axes[k] of the result."""
        shape = [0] * (max(axes) + 1)
        for axis, extent in zip(axes, self.shape):
            shape[axis] = extent
        parts: list[_Part] = [part if isinstance(part, int) else (axes[part[0]], *part[1:]) for part in self._parts]
        return BlockSource(self.root, self.dtype, tuple(shape), parts)

    def __getitem__(self, where: Any) -> "BlockSource":
        """Integers and slices, one for each axis from the first on."""
        given = where if isinstance(where, tuple) else (where,)
        given = (*given, *[slice(None)] * (self.ndim - len(given)))
        moves: dict[int, int | tuple[int, int, int]] = {}
        shape: list[int] = []
        for axis, (one, extent) in enumerate(zip(given, self.shape)):
            if isinstance(one, slice):
                begin, end, step = one.indices(extent)
                moves[axis] = (len(shape), begin, step)
                shape.append(len(range(begin, end, step)))
            else:
                moves[axis] = range(extent)[one]
        parts: list[_Part] = []
        for part in self._parts:
            if isinstance(part, int):
                parts.append(part)
                continue
            axis, first, stride = part
            move = moves[axis]
            if isinstance(move, int):
                parts.append(first + stride * move)
            else:
                parts.append((move[0], first + stride * move[1], stride * move[2]))
        return BlockSource(self.root, self.dtype, tuple(shape), parts)

    def read(self, first: Any, shape: Any) -> np.ndarray:
        """The elements from `first` on, `shape` of them: reads no more of the underlying array than they need."""
        if 0 in shape:
            return np.empty(shape, self.dtype)
        where: list[int | slice] = []
        flips: list[slice] = []
        axes: list[int] = []
        for part in self._parts:
            if isinstance(part, int):
                where.append(part)
                continue
            axis, begin, step = part
            ends = begin + step * first[axis], begin + step * (first[axis] + shape[axis] - 1)
            where.append(slice(min(ends), max(ends) + 1, abs(step)))
            flips.append(slice(None, None, -1 if step < 0 else None))
            axes.append(axis)
        piece = self.root[tuple(where)]
        if hasattr(piece, "compute"):  # in this thread: workers compute alongside
            piece = piece.compute(scheduler="synchronous")
        array = np.asarray(piece)[tuple(flips)]
        if axes == list(range(len(axes))):
            return array
        return np.asarray(np.einsum(array, axes, list(range(len(shape)))))

    def fill(self, first: list[int], block: np.ndarray) -> None:
        """Puts the elements from `first` on into a block of a program. Raises InputError for integers that it would round."""
        values = self.read(first, block.shape)
        block[...] = unrounded(values) if is_wide(self.dtype) else values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.read((0,) * self.ndim, self.shape), dtype)


def is_same(one: Any, other: Any) -> bool:
    """Whether two objects are the same array of a file."""
    try:
        return one is other or type(one) is type(other) and (one == other) is True
    except Exception:  # of any library: they cannot be compared
        return False


def is_wide(dtype: np.dtype) -> bool:
    """Whether it has integers that double precision rounds."""
    return dtype.kind in "iu" and dtype.itemsize == 8


def unrounded(values: np.ndarray) -> np.ndarray:
    """These integers of 64 bits. Raises InputError if double precision would round one."""
    if values.size == 0 or -_exact <= int(values.min()) and int(values.max()) <= _exact:
        return values
    whole = values.astype(np.float64)
    is_over = whole >= 2.0 ** (64 - (values.dtype.kind == "i"))
    is_lost = is_over | (np.where(is_over, 0, whole).astype(values.dtype) != values)
    if np.any(is_lost):
        raise _errors.InputError(f"programs compute in double precision, which rounds the integer {values[is_lost][0]}: "
                                 "if that is meant, convert the array, as in session.array(x).astype('f8')")
    return values


def rounded(values: Any, dtype: np.dtype) -> Any:
    """Integers that were computed in double precision; of those that are too large the lowest bits, as in
    NumPy, and the largest number of 64 bits."""
    whole = np.rint(values)
    if dtype.itemsize < 8:
        return whole.astype(np.int64).astype(dtype)
    largest = np.iinfo(dtype).max  # which double precision rounds up
    is_over = whole >= float(largest)
    if not np.any(is_over):
        return whole.astype(dtype)
    return np.where(is_over, largest, np.where(is_over, 0, whole).astype(dtype)).astype(dtype)[()]


class Target:
    """Writes blocks of a result to an array that can be sliced. Several threads write at the same time only where
    each block is made of whole chunks."""

    def __init__(self, array: Any, dtype: np.dtype):
        self.array = array
        self._lock = threading.Lock()
        self._rounds = np.dtype(array.dtype).kind in "iub" and dtype.kind in "iub"
        self.chunks = chunks_of(array)

    def put(self, first: list[int], block: np.ndarray, is_ours: bool = False) -> None:
        """Its elements from `first` on become those of a block. `is_ours`: the caller will not touch the block again."""
        where = tuple(slice(begin, begin + extent) for begin, extent in zip(first, block.shape))
        values = rounded(block, self.array.dtype) if self._rounds and block.dtype.kind not in "iub" else block
        # A copy: Zarr lets go of what it was given some time after the call, when the block may be gone.
        given = (np.ascontiguousarray(values, self.array.dtype) if is_ours else
                 np.array(values, self.array.dtype, order="C"))
        with contextlib.nullcontext() if self._is_whole(first, block.shape) else self._lock:
            self.array[where if where else ()] = given

    def _is_whole(self, first: list[int], shape: tuple[int, ...]) -> bool:
        return isinstance(self.array, np.ndarray) or bool(self.chunks) and all(
            begin % chunk == 0 and (begin + extent == whole or extent % chunk == 0)
            for begin, extent, chunk, whole in zip(first, shape, self.chunks, self.array.shape))


def chunks_of(array: Any) -> list[int]:
    """Elements along each axis of what is written as a whole; [] where that is not regular or not known."""
    chunks = getattr(array, "shards", None) or getattr(array, "chunks", None)
    if not isinstance(chunks, (tuple, list)) or not all(isinstance(one, (int, np.integer)) and one > 0 for one in chunks):
        return []
    return [int(one) for one in chunks]
