# SPDX-License-Identifier: Apache-2.0
"""Which rank holds which elements, and those of this one as NumPy arrays without a copy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import _errors
from ._held import Held, Slices
from ._indexing import parse_patch


class LocalPart(Held):
    """An array whose blocks lie at ranks."""

    def owner(self, *at: int) -> int:
        """The rank of the group that holds an element: ``a.owner(3, 4)``."""
        where = parse_patch(tuple(at), self.shape, self.name)
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
        return [_slices(first, end)
                for _, first, end in self.core.pieces([0] * self.ndim, list(self.shape), self.group.rank)]

    def blocks(self) -> list[tuple[Slices, np.ndarray]]:
        """(slices, a writable view) of each block that this rank holds, without a copy."""
        return [(where, self.view(where)) for where in self.slices()]  # type: ignore[misc]

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


def _slices(first: Sequence[int], end: Sequence[int]) -> Slices:
    return tuple(slice(f, e) for f, e in zip(first, end))
