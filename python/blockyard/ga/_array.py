# SPDX-License-Identifier: Apache-2.0
"""The array: what all ranks do together, and NumPy's operators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core, _errors
from . import _algebra, _functions, _reductions, _ufuncs
from ._local import LocalPart
from ._one_sided import OneSided
from ._values import elements_of


class GlobalArray(OneSided, LocalPart, np.lib.mixins.NDArrayOperatorsMixin):
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
        is_array = isinstance(squared, GlobalArray)
        made = np.sqrt(squared, out=squared if is_array else None)
        return made if is_array else made.astype(squared.dtype)

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
