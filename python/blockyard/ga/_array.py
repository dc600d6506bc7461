# SPDX-License-Identifier: Apache-2.0
"""The array: one-sided access, what lies here, and NumPy's operators."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core, _errors
from . import _algebra, _functions, _reductions, _ufuncs
from ._indexing import Patch, Places, parse
from ._later import Later
from ._layout import Layout
from ._values import elements_of, is_view_of
from ._world import Group, call, elements

Slices = tuple[slice, ...]
_large_bytes = 1 << 24  # copies up to here are made without a look at the memory


class GlobalArray(np.lib.mixins.NDArrayOperatorsMixin):
    """A dense array of 1 to 7 axes whose blocks lie at the ranks of a group.

    Made by ``ga.zeros``, ``ga.array``, ``ga.from_function``, ``ga.empty_like``. Two ways to use it:

    * **One-sided**, by any rank at any time: ``a[2:5, 7]`` copies elements into a NumPy array,
      ``a[2:5, 7] = x`` writes, ``a.add(where, x)`` adds; the owner does nothing for it. Written
      elements are visible to others after the next ``ga.sync()``.
    * **Collective**, by all ranks of the group alike: operators, ufuncs of NumPy, reductions, ``@``. They
      begin and end with a sync. Each rank computes the part of the result that it holds.

    An array ends when no rank holds it any more; its memory is free for the next one that is made.

    Attributes:
        shape, dtype, ndim, size, nbytes, itemsize: as for NumPy, of the whole array.
        order: "C" (last axis fastest) or "F".
        name: for messages.
        group: the ranks that hold it.
        layout, ghosts: as it was made.
    """

    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 20

    def __init__(self, core: _core.GaArray, shape: tuple[int, ...], dtype: np.dtype[Any], group: Group,
                 layout: Layout, ghosts: tuple[int, ...]):
        self._held: _core.GaArray | None = core
        self.shape = shape
        self.dtype = dtype
        self.group = group
        self.layout = layout
        self.ghosts = ghosts
        self.name = core.name
        self.ndim = len(shape)
        self.size = math.prod(shape)
        self.itemsize = dtype.itemsize
        self.nbytes = self.size * dtype.itemsize

    @property
    def core(self) -> _core.GaArray:
        if self._held is None:
            raise _errors.InputError(f"array \"{self.name}\" was destroyed")
        return self._held

    @property
    def order(self) -> str:
        return "C" if self.core.is_reversed else "F"

    def __repr__(self) -> str:
        if self._held is None:
            return f"<ga.GlobalArray \"{self.name}\" destroyed>"
        return (f"<ga.GlobalArray \"{self.name}\" {self.shape} {self.dtype} order {self.order}, "
                f"{self.group.size} rank{'s' * (self.group.size > 1)}>")

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(self.shape[0]))

    def __contains__(self, value: Any) -> bool:
        """Collective: ``value in a``, whether any element equals it."""
        return bool((self == value).any())

    def item(self, *at: int) -> Any:
        """One-sided. One element as a number of Python; without indexes that of an array of one element."""
        if not at and self.size != 1:
            raise ValueError("item() without indexes is for an array of one element")
        return self[at or (0,) * self.ndim].item()

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError("the truth of an array with more than one element is ambiguous: use any() or all()")
        return bool(self[(0,) * self.ndim])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """One-sided: a copy of all elements. OutOfMemory if that is more than half of what is left."""
        if copy is False:
            raise ValueError("a global array is not in one piece: np.asarray copies it; a.local is what lies here")
        return np.asarray(self[...], dtype=dtype)

    # One-sided.

    def __getitem__(self, where: Any) -> Any:
        """One-sided. A copy of these elements as a NumPy array, or a scalar; indexes as in NumPy: numbers,
        slices with steps, ``...``, ``None``, arrays of integers, masks. Raises IndexError, TypeError;
        OutOfMemory for more than half of the memory that is left."""
        found = parse(where, self.shape, self.name)
        if not found.is_scalar:
            self._require_room(found)
        if isinstance(found, Places):
            values = np.empty(len(found.at), self.dtype)
            if len(values):
                self.core.gather(found.at, values)
            result = values.reshape(found.shape)
            return result[()] if found.is_scalar else result
        return self._get(found, False).result()

    def __setitem__(self, where: Any, value: Any) -> None:
        """One-sided. Writes values that can be broadcast to the shape of ``a[where]``."""
        if isinstance(value, GlobalArray):
            value = np.asarray(value)
        self._put(where, value, None, False)

    def add(self, where: Any, value: Any, alpha: Any = 1) -> None:
        """One-sided. ``a[where] += alpha * value``, atomic for each element: any number of ranks may add
        to the same elements. Of places that an index array names twice each is added. Types: int32, int64,
        float32, float64, complex64, complex128 (else TypeError); ``value`` and ``alpha``, one number, are
        of the same kind (TypeError for 0.5 to integers)."""
        self._put(where, value, alpha, False)

    def get_later(self, where: Any) -> Later:
        """One-sided. Begins ``a[where]`` for a patch (numbers and slices); ``.result()`` has it."""
        found = self._patch(where)
        self._require_room(found)
        return self._get(found, True)

    def put_later(self, where: Any, value: Any) -> Later:
        """One-sided. Begins ``a[where] = value`` for a patch. ``value`` is to be left alone until
        ``.result()`` returns."""
        self._patch(where)
        return self._put(where, value, None, True)

    def add_later(self, where: Any, value: Any, alpha: Any = 1) -> Later:
        """One-sided. Begins ``a.add(where, value, alpha)`` for a patch, as ``put_later``."""
        self._patch(where)
        return self._put(where, value, alpha, True)

    def read_inc(self, where: Any, increment: int = 1) -> int:
        """One-sided. Adds to one element of an int32 or int64 array, and returns what it was; atomic."""
        if self.dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
            raise TypeError(f"array \"{self.name}\" has elements of type {self.dtype}; read_inc is for int32 and int64")
        found = self._patch(where)
        if found.counts != (1,) * self.ndim:
            raise IndexError(f"read_inc is for one element of \"{self.name}\", not for {found.counts}")
        return self.core.read_and_add(found.first, int(increment))

    def _patch(self, where: Any) -> Patch:
        found = parse(where, self.shape, self.name)
        if isinstance(found, Places):
            raise TypeError("this is for patches: numbers and slices, not arrays of indexes")
        return found

    def _require_room(self, found: Patch | Places) -> None:
        wanted = math.prod(found.shape) * self.itemsize
        if wanted <= _large_bytes:
            return
        left, limit = _core.memory_left()
        if wanted > left // 2:
            raise _errors.OutOfMemory(
                f"a copy of {'x'.join(map(str, found.shape))} elements of array \"{self.name}\" takes {wanted} bytes, more "
                f"than half of the {left} that are left to {limit}: read patches (a[i:j]), or work on a.local")

    def _get(self, found: Patch, is_later: bool) -> Later:
        values = np.empty(found.counts, self.dtype, order="C" if self.core.is_reversed else "F")
        result = values.reshape(found.shape)
        pending = None
        if not found.is_empty:
            pending = self.core.move(True, found.first, found.steps, found.seen_from(values), None, is_later)
        return Later(pending, result[()] if found.is_scalar else result)

    def _put(self, where: Any, value: Any, alpha: Any, is_later: bool) -> Later:
        found = parse(where, self.shape, self.name)
        factor = None if alpha is None else self._factor(alpha)
        values = elements_of(value, self.dtype, "unsafe" if alpha is None else "same_kind")
        if is_view_of(values, self, found):
            values = values.copy()  # the elements that are written are not those that are yet to be read
        while values.ndim > len(found.shape) and values.shape[0] == 1:  # which NumPy does not mind
            values = values[0]
        try:
            values = np.broadcast_to(values, found.shape)
        except ValueError:
            raise _errors.InputError(f"values of shape {values.shape} do not fit {found.shape} elements of array "
                                     f"\"{self.name}\"") from None
        if 0 in found.shape:
            return Later(None, None)
        if isinstance(found, Places):
            self.core.scatter(found.at, np.ascontiguousarray(values).reshape(-1), factor)
            return Later(None, None)
        near = found.seen_from(values.reshape(found.counts))
        return Later(self.core.move(False, found.first, found.steps, near, factor, is_later), None)

    def _factor(self, alpha: Any) -> np.ndarray:
        if self.dtype not in elements:
            raise TypeError(f"array \"{self.name}\" has elements of type {self.dtype}, which cannot be added to by "
                            "several ranks")
        if np.ndim(alpha) != 0:
            raise TypeError(f"alpha is one number, not an array of shape {np.shape(alpha)}")
        return elements_of(alpha, self.dtype, "same_kind")

    # The local part.

    def owner(self, *at: int) -> int:
        """The rank of the group that holds an element: ``a.owner(3, 4)``."""
        where = self._patch(tuple(at))
        if len(at) != self.ndim:
            raise IndexError(f"array \"{self.name}\" has {self.ndim} axes, not {len(at)}")
        return self.core.pieces(where.first, [k + 1 for k in where.first])[0][0]

    def distribution(self) -> list[tuple[int, Slices]]:
        """(rank of the group, slices) of every block, in the order of blocks."""
        return [(member, _slices(first, end))
                for member, first, end in self.core.pieces([0] * self.ndim, list(self.shape))]

    def slices(self) -> list[Slices]:
        """Where the blocks that this rank holds lie in the array; no block, one, or several where they are
        dealt (``ga.cyclic``, ``ga.scalapack``, ``ga.tiled``)."""
        return [where for member, where in self.distribution() if member == self.group.rank]

    def blocks(self) -> list[tuple[Slices, np.ndarray]]:
        """(slices, a writable view) of each block that this rank holds, without a copy."""
        return [(where, self.view(where)) for where in self.slices()]  # type: ignore[misc]

    def view(self, where: Slices) -> np.ndarray | None:
        """A view of a patch that lies in one block on this node; None if it does not. Contiguous
        slices with begin and end; without a copy."""
        found = self.core.view([part.start for part in where], [part.stop for part in where])
        if found is None:
            return None
        shape = tuple(part.stop - part.start for part in where)
        return np.ndarray(shape, self.dtype, buffer=found[0], strides=found[1])

    @property
    def local_slice(self) -> Slices:
        """Where ``a.local`` lies in the array."""
        own = self.slices()
        if len(own) > 1:
            raise _errors.InputError(f"rank {self.group.rank} holds {len(own)} blocks of array \"{self.name}\": use "
                                     "a.blocks()")
        return own[0] if own else (slice(0, 0),) * self.ndim

    @property
    def local(self) -> np.ndarray:
        """The block that this rank holds: a writable view, no copy; empty if it holds none. InputError where
        it holds several (see ``blocks``). Elements written there are visible to others after a sync."""
        where = self.local_slice
        if any(part.stop == part.start for part in where):
            return np.empty((0,) * self.ndim, self.dtype)
        found = self.view(where)
        assert found is not None
        return found

    @local.setter
    def local(self, given: np.ndarray) -> None:
        """For ``a.local += b``, which puts back the view that it has changed."""
        own = self.local
        if (not isinstance(given, np.ndarray) or given.shape != own.shape or given.strides != own.strides or
                own.size and given.__array_interface__["data"] != own.__array_interface__["data"]):
            raise AttributeError("a.local cannot be replaced: a.local[...] = values writes its elements")

    @property
    def local_with_ghosts(self) -> np.ndarray:
        """``a.local`` with the ghost cells around it: a writable view of shape local + 2 * ghosts."""
        found = self.core.padded()
        if found is None:
            return np.empty((0,) * self.ndim, self.dtype)
        return np.ndarray(found[2], self.dtype, buffer=found[0], strides=found[1])

    # Collective.

    def sync(self) -> None:
        """Collective. Earlier puts and accumulates of all ranks are visible to all afterwards."""
        self.group.sync()

    def destroy(self) -> None:
        """Collective. Ends the array; its memory goes when no view of it is left at any rank."""
        if self._held is None:
            return
        self.group.meet("destroy")
        self._held = None
        self.group.world.core.collect(self.group.number)

    def fill(self, value: Any) -> None:
        """Collective. Every element becomes ``value``."""
        one = elements_of(value, self.dtype)
        if one.ndim:
            raise _errors.InputError("fill is for one value; a[...] = values writes many")
        self.group.together("fill", lambda: _core.ga_fill(self.core, one))

    def update_ghosts(self) -> None:
        """Collective. Ghost cells become the elements at their indexes, modulo the extents; corners too."""
        if not any(self.ghosts):
            raise _errors.InputError(f"array \"{self.name}\" has no ghost cells: make it with ghosts=")
        self.group.together("update_ghosts", lambda: _core.ga_update_ghosts(self.core))

    @property
    def T(self) -> "GlobalArray":
        """The transpose (axes in the opposite order): the same elements in the same memory, with the other
        order. Not collective, nothing moves; ``a.T.copy()`` lays them out anew."""
        return GlobalArray(self.core.transposed(), self.shape[::-1], self.dtype, self.group,
                           self.layout.transposed(), self.ghosts[::-1])

    def transpose(self, *axes: Any) -> "GlobalArray":
        """``a.T``; with another order of axes: collective, a new array."""
        return _algebra.transpose(self, axes)

    def copy(self, order: str | None = None) -> "GlobalArray":
        """Collective. A new array with the same elements, regular layout if another order is asked for."""
        return _algebra.copy(self, self.dtype, order or self.order)

    def __copy__(self) -> "GlobalArray":
        return self.copy()

    def __deepcopy__(self, known: Any) -> "GlobalArray":
        return self.copy()

    def __reduce__(self) -> Any:
        raise TypeError(f"array \"{self.name}\" lies at several ranks and cannot be pickled: np.asarray(a) is a copy "
                        "of all of it, a.local is what lies here")

    def astype(self, dtype: Any, *, copy: bool = True) -> "GlobalArray":
        """Collective. A new array of this type; with ``copy=False`` this one if it has it."""
        wanted = np.dtype(dtype)
        return self if not copy and wanted == self.dtype else _algebra.copy(self, wanted, self.order)

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """Collective. A NumPy scalar without ``axis``, else a global array. So are those below."""
        return _reductions.reduce(np.add, self, axis, dtype, out, keepdims)

    def prod(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return _reductions.reduce(np.multiply, self, axis, dtype, out, keepdims)

    def min(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return _reductions.reduce(np.minimum, self, axis, None, out, keepdims)

    def max(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return _reductions.reduce(np.maximum, self, axis, None, out, keepdims)

    def any(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return _reductions.reduce(np.logical_or, self, axis, None, out, keepdims)

    def all(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return _reductions.reduce(np.logical_and, self, axis, None, out, keepdims)

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return _reductions.mean(self, axis, dtype, out, keepdims)

    def var(self, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0,
            keepdims: bool = False) -> Any:
        return _reductions.variance(self, axis, dtype, out, ddof, keepdims)

    def std(self, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0,
            keepdims: bool = False) -> Any:
        squared = _reductions.variance(self, axis, dtype, out, ddof, keepdims)
        return np.sqrt(squared) if out is None else np.sqrt(squared, out=out)

    def argmin(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """Collective. The flat index (C order, as NumPy) of the first smallest element; with ``axis`` a
        global array of indexes along it."""
        return _reductions.arg(self, False, axis, out, keepdims)

    def argmax(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """Collective. The flat index (C order, as NumPy) of the first largest element; with ``axis`` a
        global array of indexes along it."""
        return _reductions.arg(self, True, axis, out, keepdims)

    def cumsum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Collective. Sums from the beginning of an axis on; of an array of one axis ``axis`` may be left out."""
        return _reductions.accumulate(np.add, self, axis, dtype, out)

    def cumprod(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Collective. As ``cumsum``, with products."""
        return _reductions.accumulate(np.multiply, self, axis, dtype, out)

    def dot(self, other: Any) -> Any:
        """Collective. ``a @ b``; a scalar for two arrays of one axis."""
        return _algebra.matmul(self, other)

    def clip(self, min: Any = None, max: Any = None, out: Any = None) -> Any:
        """Collective."""
        return _functions.clip(self, min, max, out)

    def conj(self) -> Any:
        """Collective."""
        return np.conjugate(self)

    conjugate = conj

    def round(self, decimals: int = 0) -> Any:
        """Collective. A new array."""
        return np.round(self, decimals)

    def trace(self) -> Any:
        """Collective. The sum of a[i, i]."""
        return _algebra.trace(self)

    def swapaxes(self, axis1: int, axis2: int) -> "GlobalArray":
        """As ``transpose`` with these two axes exchanged."""
        return _functions.swapaxes(self, axis1, axis2)

    @property
    def real(self) -> Any:
        """Collective. A new array."""
        return _ufuncs.each(np.real, self)

    @property
    def imag(self) -> Any:
        """Collective. A new array."""
        return _ufuncs.each(np.imag, self)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **more: Any) -> Any:
        """Collective. All ufuncs of NumPy, with broadcasting, ``out=``, ``where=``."""
        return _ufuncs.apply(ufunc, method, inputs, more)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Functions of NumPy that do not gather an array by surprise; TypeError for all others."""
        return _functions.apply(function, args, kwargs)

    if not TYPE_CHECKING:  # which should know that there is no such attribute
        def __getattr__(self, name: str) -> Any:
            raise AttributeError(_functions.missing(name))


def _slices(first: Sequence[int], end: Sequence[int]) -> Slices:
    return tuple(slice(f, e) for f, e in zip(first, end))
