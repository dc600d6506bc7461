# SPDX-License-Identifier: Apache-2.0
"""The indexes in brackets: patches with steps, or single elements."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np


class Patch(NamedTuple):
    """Elements first[d], first[d] + steps[d], .. of each axis; steps are positive. ``flips``: axes that
    the caller sees backwards. ``shape``: what the caller sees, without axes that a number selects; ``is_scalar``: not even an array."""

    first: list[int]
    steps: list[int]
    counts: tuple[int, ...]
    flips: list[int]
    shape: tuple[int, ...]
    is_scalar: bool

    @property
    def is_empty(self) -> bool:
        return 0 in self.counts

    def seen_from(self, values: np.ndarray) -> np.ndarray:
        """Memory of the caller, of shape ``counts``, in the order of the array."""
        if not self.flips:
            return values
        return values[tuple(slice(None, None, -1) if d in self.flips else slice(None) for d in range(values.ndim))]


class Places(NamedTuple):
    """Single elements: one row of ``at`` each."""

    at: np.ndarray
    shape: tuple[int, ...]
    is_scalar: bool


def parse_patch(key: Any, shape: tuple[int, ...], name: str) -> Patch:
    """As ``parse``; TypeError for places."""
    found = parse(key, shape, name)
    if isinstance(found, Places):
        raise TypeError("this is for patches: numbers and slices, not arrays of indexes")
    return found


def parse(key: Any, shape: tuple[int, ...], name: str) -> Patch | Places:
    """As NumPy reads it. Raises IndexError, TypeError."""
    keys = tuple(key) if isinstance(key, tuple) else (key,)
    given, ellipses = 0, 0
    is_scalar = True
    for one in keys:
        kind = type(one)
        if kind is int:
            given += 1
        elif kind is slice:
            given += 1
            is_scalar = False
        elif one is None:
            is_scalar = False
        elif one is Ellipsis:
            ellipses += 1
            is_scalar = False
        elif _is_number(one):
            given += 1
        else:
            return _places(keys, shape, name)
    if given > len(shape):
        raise IndexError(f"array \"{name}\" has {len(shape)} axes, and {given} were indexed")
    if ellipses > 1:
        raise IndexError("an index has at most one ellipsis ('...')")
    if given < len(shape):
        is_scalar = False
        if ellipses == 0:
            keys = (*keys, Ellipsis)
    first: list[int] = []
    steps: list[int] = []
    counts: list[int] = []
    flips: list[int] = []
    seen: list[int] = []
    whole = slice(None)
    for one in keys:
        if one is None:
            seen.append(1)
            continue
        for part in (whole,) * (len(shape) - given) if one is Ellipsis else (one,):
            axis = len(first)
            if isinstance(part, slice):
                start, stop, step = part.indices(shape[axis])
                count = len(range(start, stop, step))
                if step < 0:
                    start += max(count - 1, 0) * step
                    flips.append(axis)
                first.append(start)
                steps.append(abs(step))
                counts.append(count)
                seen.append(count)
            else:
                first.append(_element(part, axis, shape[axis], name))
                steps.append(1)
                counts.append(1)
    return Patch(first, steps, tuple(counts), flips, tuple(seen), is_scalar)


def _is_number(one: Any) -> bool:
    """An int of NumPy, also as an array without axes; anything else makes the index a list of elements."""
    return hasattr(one, "__index__") and np.ndim(one) == 0 and np.asarray(one).dtype != bool


def _element(part: Any, axis: int, extent: int, name: str) -> int:
    at = operator.index(part)
    if not -extent <= at < extent:
        raise IndexError(f"index {at} is outside 0..{extent - 1} on axis {axis} of array \"{name}\"")
    return at + extent if at < 0 else at


def _places(keys: tuple[Any, ...], shape: tuple[int, ...], name: str) -> Places:
    plain = tuple(np.asarray(one) if hasattr(one, "__array__") and not isinstance(one, np.generic) else one
                  for one in keys)
    if len(plain) == len(shape):
        lists = [np.asarray(one, np.int64 if isinstance(one, list) and not one else None) for one in plain]
        if all(one.dtype.kind in "iu" for one in lists):
            return _listed(lists, shape, name)
    # NumPy itself says which elements are meant: the same key is applied to the indexes of each axis.
    columns = []
    for axis, extent in enumerate(shape):
        line = np.arange(extent).reshape([-1 if d == axis else 1 for d in range(len(shape))])
        columns.append(np.broadcast_to(line, shape)[plain])
    return Places(_rows(columns), np.shape(columns[0]), isinstance(columns[0], np.generic))


def _listed(lists: list[np.ndarray], shape: tuple[int, ...], name: str) -> Places:
    """An array of indexes for each axis. Takes memory for what they name, whatever the extents are."""
    columns = []
    for axis, (given, extent) in enumerate(zip(lists, shape)):
        at = given.astype(np.int64)
        outside = at[(at < -extent) | (at >= extent)]
        if outside.size:
            _element(outside[0], axis, extent, name)
        columns.append(np.where(at < 0, at + extent, at))
    try:
        fitted = np.broadcast_arrays(*columns)
    except ValueError:
        raise IndexError("arrays of indexes of shapes " + " ".join(str(one.shape) for one in lists) +
                         " do not fit each other") from None
    return Places(_rows(fitted), fitted[0].shape, False)


def _rows(columns: Sequence[np.ndarray]) -> np.ndarray:
    return np.stack([np.ravel(column) for column in columns], axis=1).astype(np.int64, order="C")
