# SPDX-License-Identifier: Apache-2.0
"""Functions of elements over blocks, in pieces that stay in the caches of a processor core."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

_tile = 1 << 15  # elements: a few arrays of as many fit into a cache of the second level
_side = 128  # of a tile along axes that are fastest in some array


class Tile(list):  # type: ignore[type-arg]
    """Parts of the inputs of a super instruction, and what is known of them so far."""

    def __init__(self, parts: Sequence[Any]):
        super().__init__(parts)
        self.known: dict[Any, Any] = {}


#: Of the inputs of a super instruction, as NumPy has them, the value of a node.
Value = Callable[[Tile], Any]


@dataclass
class Input:
    """An input of a super instruction: of its operands the array, and the axes of the loop that this has. ``is_ours``:
    nobody else has the array."""

    array: Callable[[list[Any]], Any]
    axes: list[int]
    is_ours: bool = False


def in_tiles(value: Value, arrays: Sequence[Any], axes: Sequence[Sequence[int]], out: np.ndarray,
             kept: Sequence[int], dtype: np.dtype) -> None:
    """out = value(arrays), summed over the axes that are not `kept`; axis k of `out` is kept[k]. `axes`: those of
    each array. What is summed is of `dtype`."""
    extents: dict[int, int] = dict(zip(kept, out.shape))
    for array, labels in zip(arrays, axes):
        extents.update(zip(labels, np.shape(array)))
    order = len(extents)
    summed = tuple(k for k in range(order) if k not in kept)
    to = [k - sum(other < k for other in summed) for k in kept]
    is_first: dict[tuple[int, ...], bool] = {}
    with np.errstate(all="ignore"):
        for tile in _tiles([extents[k] for k in range(order)], arrays, axes):
            parts = Tile([array[tuple(tile[k] for k in labels)] if len(labels) else array
                          for array, labels in zip(arrays, axes)])
            made = np.asarray(value(parts))
            if made.ndim < order:  # of numbers only
                made = np.broadcast_to(made, [one.stop - one.start for one in tile])
            place = tuple(tile[k] for k in kept)
            if not summed:
                out[place] = made.transpose(to)
                continue
            made = np.asarray(np.add.reduce(made, axis=summed, dtype=dtype)).transpose(to)
            begins = tuple(one.start for one in place)
            if is_first.setdefault(begins, True):
                is_first[begins] = False
                out[place] = made
            else:
                out[place] += made


def _tiles(extents: list[int], arrays: Sequence[Any], axes: Sequence[Sequence[int]]) -> Any:
    """Slices along all axes."""
    sides = list(extents)
    fastest = {_fastest(array, labels) for array, labels in zip(arrays, axes) if len(labels) > 1}
    if fastest - {len(extents) - 1}:
        for k in fastest | {len(extents) - 1}:
            sides[k] = min(sides[k], _side)
    for k in range(len(sides)):
        others = int(np.prod(sides[:k] + sides[k + 1:], dtype=np.int64))
        sides[k] = max(1, min(sides[k], _tile // max(1, others)))
    ranges = [[slice(begin, min(begin + side, extent)) for begin in range(0, extent, side)]
              for extent, side in zip(extents, sides)]
    return itertools.product(*ranges)


def _fastest(array: Any, labels: Sequence[int]) -> int:
    return int(labels[int(np.argmin(np.abs(array.strides)))])
