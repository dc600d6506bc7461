# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays as arrays of SIAL programs, and back."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _errors
from ._sources import BlockSource
from ._supers import guarded
from .ga import GlobalArray

if TYPE_CHECKING:
    from ._session import Session

_readable = {np.dtype(name)
             for name in ("float64", "float32", "complex128", "complex64", "int64", "int32")}


not_in_place = "out= is a NumPy array, and this is none; in place of a += b say a = a + b"

_overlap_work = 1000  # steps to find out whether two arrays have elements in common


def readable(name: str, array: np.ndarray) -> np.ndarray:
    """The array itself if its blocks can be read in place, else a copy in double precision. Raises TypeError for dates, text
    and objects, some of which NumPy would make numbers of."""
    if array.dtype.kind not in "biufc":
        raise TypeError(f"array '{name}' of the program has real or complex numbers, not {array.dtype}")
    copied = np.complex128 if np.iscomplexobj(array) else np.float64
    return array if array.dtype in _readable and _is_regular(array) else np.asfortranarray(array, dtype=copied)


def _is_regular(array: np.ndarray) -> bool:
    """Whether C++ can use it in place: not a field of most records."""
    return array.dtype.isnative and all(s % array.itemsize == 0 for s in array.strides)


def is_direct(out: Any, element: np.dtype) -> bool:
    """Whether a run that computes in these elements writes to ``out`` itself."""
    return isinstance(out, np.ndarray) and out.dtype == element and _is_regular(out)


def require_writable(out: Any) -> None:
    if isinstance(out, np.ndarray) and not out.flags.writeable:
        raise _errors.InputError("out is read-only")


def map_of(array: np.ndarray) -> np.memmap | None:
    """The memory map that an array is a part of."""
    root = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    return root if isinstance(root, np.memmap) and isinstance(root.base, mmap.mmap) else None


def overlap(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether they may have elements in common: in memory, or in a file that both are maps of."""
    maps = [found for found in (map_of(one), map_of(other)) if found is not None]
    if len(maps) == 2 and maps[0] is not maps[1] and _file_behind(maps[0]) == _file_behind(maps[1]) != "":
        first, second = sorted(maps, key=lambda found: found.offset)
        return second.offset < first.offset + first.nbytes
    return bool(np.may_share_memory(one, other, max_work=_overlap_work))  # type: ignore[arg-type,unused-ignore]


def _file_behind(root: np.memmap) -> str:
    """The mapped file, as the system knows it; "" if it has no name any more. The file now called
    ``root.filename`` may be another one."""
    begin = root.__array_interface__["data"][0]
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            words = line.rstrip("\n").split(maxsplit=5)
            first, end = (int(word, 16) for word in words[0].split("-"))
            if first <= begin < end and len(words) == 6 and os.path.exists(words[5]):
                return words[5]
    return ""


class Lending:
    """Gives arrays to a job, and holds the files of memory maps open while it runs."""

    def __init__(self, job: _core.Job):
        self._job = job
        self._files: list[int] = []

    def give(self, name: str, array: np.ndarray | GlobalArray | BlockSource, label: str = "") -> None:
        if isinstance(array, BlockSource):
            is_static, _, _ = self._job.describe(name)
            if not is_static:
                if array.dtype.kind == "c" and "complex" not in self._job.describe(name)[2]:
                    raise _errors.InputError(f"array '{name}' of the program is real, the array given is complex: declare "
                                             "it 'complex', or give real and imaginary part")
                self._job.give_blocks(name, label, list(array.shape), guarded(array.fill))
                return
            array = np.asarray(array)
        if isinstance(array, GlobalArray):
            self._job.give_global(name, label, array.core)
            return
        array = readable(name, array)
        file, offset = self._file_of(array)
        self._job.give(name, label, array, file, offset)

    def _file_of(self, array: np.ndarray) -> tuple[int, int]:
        """The open file that an array is a map of, and the offset of its first element; -1, 0 for
        arrays in memory, for those that go backwards, and for private maps, which may differ from
        their file."""
        root = map_of(array)
        name = "" if root is None or root.mode == "c" else _file_behind(root)
        if root is None or not name or any(stride < 0 for stride in array.strides):
            return -1, 0
        file = os.open(name, os.O_RDONLY)
        self._files.append(file)
        begin = root.__array_interface__["data"][0]
        return file, root.offset + array.__array_interface__["data"][0] - begin

    def close(self) -> None:
        while self._files:
            os.close(self._files.pop())


class BlockArray(np.lib.mixins.NDArrayOperatorsMixin):
    """A distributed or served array at the end of a program.

    Operators and NumPy functions return a ``LazyArray`` of the session, as for ``Session.array(x)``.

    ``np.asarray(x)`` is the whole array (no copy), ``x[2:5, 7]`` a patch (no copy), ``x.block(1, 3)``
    a block by its segment numbers, and ``x.blocks()`` iterates over all blocks. An array that is
    too large for memory is a memory map of a file (``x.filename``), so only the parts that are used
    are read. The element type is that of the program; the first index is the fastest. Blocks that no
    program wrote are zero.

    Attributes:
        name: its name in the program.
        segments: the number of elements of each segment, for each index.
        shape, ndim, nbytes: those of the whole array.
        filename: the file of the array, or None if it is in memory.
    """

    def __init__(self, name: str, array: np.ndarray, segments: Sequence[Sequence[int]],
                 written: Sequence[int] | None = None, session: Session | None = None):
        self.name = name
        self._session = session
        self._array = array
        self.segments = [list(extents) for extents in segments]
        self._begins = [np.concatenate([[0], np.cumsum(extents)]) for extents in self.segments]
        self._written = None if written is None else frozenset(written)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._array.shape

    @property
    def ndim(self) -> int:
        return self._array.ndim

    @property
    def nbytes(self) -> int:
        return self._array.nbytes

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._array.dtype

    @property
    def filename(self) -> str | None:
        array = self._array  # a copy in memory of a map is one without a file
        return str(array.filename) if isinstance(array, np.memmap) and array.filename is not None else None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy:
            return np.array(self._array, dtype=dtype)
        return np.asarray(self._array, dtype=dtype)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"BlockArray has no attribute {name!r}")
        return getattr(self._computable(), name)

    def __len__(self) -> int:
        return len(self._array)

    def __contains__(self, value: Any) -> bool:
        return value in self._computable()

    def __bool__(self) -> bool:
        return bool(self._array)

    def __int__(self) -> int:
        return int(self._array)

    def __float__(self) -> float:
        return float(self._array)

    def __complex__(self) -> complex:
        return complex(self._array)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_session": None}

    def _computable(self) -> Any:
        """To compute with: an array of the session, as long as that is open."""
        return self._array if self._session is None or self._session.is_closed else self._session.array(self._array)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **more: Any) -> Any:
        if any(isinstance(one, BlockArray) for one in more.get("out", ())):
            raise TypeError(not_in_place)
        if "where" in more:
            more["where"] = _computable(more["where"])
        return getattr(ufunc, method)(*(_computable(one) for one in inputs), **more)

    def __array_function__(self, function: Any, types: Any, args: Any, more: Any) -> Any:
        return function(*_computable(args), **{name: _computable(one) for name, one in more.items()})

    def norm(self) -> Any:
        """The square root of the sum of the squares of all elements' moduli."""
        return np.linalg.norm(self._computable())

    def __getitem__(self, where: Any) -> Any:
        return self._array[where]

    def block(self, *numbers: int) -> np.ndarray:
        """A view of one block, by the segment number (from 1) of each index."""
        if len(numbers) != self.ndim:
            raise IndexError(f"{self.name} has {self.ndim} indexes, not {len(numbers)}")
        for k, number in enumerate(numbers):
            if not 1 <= number <= len(self.segments[k]):
                raise IndexError(f"{self.name}: index {k + 1} has the segments 1 to "
                                 f"{len(self.segments[k])}, not {number}")
        return self._array[tuple(slice(b[n - 1], b[n]) for b, n in zip(self._begins, numbers))]

    def is_written(self, *numbers: int) -> bool:
        """Whether a program wrote this block."""
        if self._written is None:
            return True
        place, stride = 0, 1
        for number, extents in zip(numbers, self.segments):
            place += (number - 1) * stride
            stride *= len(extents)
        return place in self._written

    def blocks(self) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
        """Segment numbers and a view, for every block that was written; first index fastest."""
        for numbers in np.ndindex(*(len(extents) for extents in reversed(self.segments))):
            place = tuple(n + 1 for n in reversed(numbers))
            if self.is_written(*place):
                yield place, self.block(*place)

    def __repr__(self) -> str:
        where = f", in {self.filename}" if self.filename else ""
        counts = " x ".join(str(len(extents)) for extents in self.segments)
        return f"<BlockArray {self.name} {self.shape}, {counts} blocks{where}>"


def _computable(one: Any) -> Any:
    if isinstance(one, (list, tuple)):
        return type(one)(_computable(part) for part in one)
    return one._computable() if isinstance(one, BlockArray) else one


def even_segments(extent: int, at_most: int) -> list[int]:
    """Splits ``extent`` elements into the fewest segments of at most ``at_most``, as even as can
    be: ``even_segments(10, 4)`` is ``[4, 3, 3]``."""
    if extent < 1 or at_most < 1:
        raise ValueError("a segment has at least one element")
    count = -(-extent // at_most)
    short, longer = divmod(extent, count)
    return [short + 1] * longer + [short] * (count - longer)
