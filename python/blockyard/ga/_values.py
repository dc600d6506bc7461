# SPDX-License-Identifier: Apache-2.0
"""What callers give, as elements of the type of an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._masks import unmasked
from ._held import Held
from ._indexing import Patch, Places


def elements_of(given: Any, dtype: np.dtype[Any], casting: Any = "unsafe") -> np.ndarray:
    """As NumPy 2 assigns, with any version of NumPy: arrays are cast; numbers and lists of them are converted,
    and must fit. TypeError if ``casting``, a rule of NumPy, forbids the cast; InputError for masked elements; OverflowError,
    ValueError."""
    values = np.asarray(unmasked(given))
    if values.dtype == dtype:
        return values
    if values.size == 0:  # nothing is lost; and [] has no type of its own
        return values.astype(dtype)
    is_array = hasattr(given, "__array__") and not isinstance(given, np.generic)
    if not is_array and dtype.kind in "iu":
        _require_range(given, values, dtype)
    if is_array or casting != "unsafe" and values.dtype != object:  # such are large integers of Python
        return values.astype(dtype, casting=casting)
    return np.asarray(given, dtype)


def is_view_of(values: np.ndarray, a: Held, found: Patch | Places) -> bool:
    """Whether values lie where elements of the array that a put of them may write lie on this node."""
    root = values
    while isinstance(root.base, np.ndarray):
        root = root.base
    if root.flags.owndata:
        return False
    first, end = [0] * a.ndim, list(a.shape)
    if isinstance(found, Patch) and not found.is_empty:
        first = found.first
        end = [f + (count - 1) * step + 1 for f, count, step in zip(first, found.counts, found.steps)]
    views = (a.view(tuple(map(slice, f, e))) for _, f, e in a.core.pieces(first, end))
    return any(view is not None and np.may_share_memory(values, view) for view in views)


def _require_range(given: Any, values: np.ndarray, dtype: np.dtype[Any]) -> None:
    if values.dtype.kind not in "iufO" or values.size == 0:
        return
    limits = np.iinfo(dtype)
    exact = values if values.dtype.kind in "iu" else np.asarray(given, object)  # NumPy rounds large integers
    for end in (exact.min(), exact.max()):
        if not limits.min <= int(end) <= limits.max:
            raise OverflowError(f"Python integer {int(end)} out of bounds for {dtype}")
