# SPDX-License-Identifier: Apache-2.0
"""One-sided access: by any rank at any time, while the owner does nothing for it."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from .. import _core, _errors
from ._held import Held
from ._indexing import Patch, Places, parse, parse_patch
from ._later import Later
from ._values import elements_of, is_view_of
from ._world import elements

_large_bytes = 1 << 24  # copies up to here are made without a look at the memory


class OneSided(Held):
    """An array whose elements are read and written by indexes."""

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
        if isinstance(value, Held):
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
        found = parse_patch(where, self.shape, self.name)
        self._require_room(found)
        return self._get(found, True)

    def put_later(self, where: Any, value: Any) -> Later:
        """One-sided. Begins ``a[where] = value`` for a patch. ``value`` is to be left alone until
        ``.result()`` returns."""
        parse_patch(where, self.shape, self.name)
        return self._put(where, value, None, True)

    def add_later(self, where: Any, value: Any, alpha: Any = 1) -> Later:
        """One-sided. Begins ``a.add(where, value, alpha)`` for a patch, as ``put_later``."""
        parse_patch(where, self.shape, self.name)
        return self._put(where, value, alpha, True)

    def read_inc(self, where: Any, increment: int = 1) -> int:
        """One-sided. Adds to one element of an int32 or int64 array, and returns what it was; atomic."""
        if self.dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
            raise TypeError(f"array \"{self.name}\" has elements of type {self.dtype}; read_inc is for int32 and int64")
        found = parse_patch(where, self.shape, self.name)
        if found.counts != (1,) * self.ndim:
            raise IndexError(f"read_inc is for one element of \"{self.name}\", not for {found.counts}")
        return self.core.read_and_add(found.first, int(elements_of(operator.index(increment), self.dtype)))

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
