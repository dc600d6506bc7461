# SPDX-License-Identifier: Apache-2.0
"""How arrays are cut into blocks, and which rank owns which."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .. import _core, _errors


@dataclass(frozen=True)
class Layout:
    """Made by the functions below. Axes are those of the array, in its order.

    Blocks are numbered with the array's fastest axis first.
    """

    form: str = "regular"
    edges: tuple[int, ...] = ()
    begins: tuple[tuple[int, ...], ...] = ()
    grid: tuple[int, ...] = ()
    holders: tuple[int, ...] = field(default=())

    def on(self, ranks: Sequence[int]) -> "Layout":
        """The same, dealt to these ranks of the group only; any rank may access."""
        return replace(self, holders=tuple(int(rank) for rank in ranks))

    def transposed(self) -> "Layout":
        """That of an array with its axes in the opposite order."""
        return replace(self, edges=self.edges[::-1], begins=self.begins[::-1], grid=self.grid[::-1])

    def check(self, shape: tuple[int, ...], ranks: int) -> None:
        """InputError unless it is for arrays of this shape in a group of ``ranks`` ranks."""
        for what, numbers in (("edges", self.edges), ("begins", self.begins), ("grid", self.grid)):
            if numbers and len(numbers) != len(shape):
                raise _errors.InputError(f"the layout has {what} for {len(numbers)} axes, the array has {len(shape)}")
        for rank in self.holders:
            if not 0 <= rank < ranks:
                raise _errors.InputError(f"the layout names rank {rank} of a group of {ranks}")
        if len(set(self.holders)) != len(self.holders):
            raise _errors.InputError(f"the layout names a rank twice: {self.holders}")
        if self.form != "regular" and any(edge < 1 for edge in self.edges):
            raise _errors.InputError(f"blocks have edges of at least 1, not {self.edges}")
        for axis, (begins, extent) in enumerate(zip(self.begins, shape)):
            if not begins or begins[0] != 0 or list(begins) != sorted(begins) or begins[-1] > extent:
                raise _errors.InputError(f"blocks on axis {axis} begin at {begins}: the first begins at 0, and none before "
                                         f"another one or after the extent of {extent}")
        held = len(self.holders) or ranks
        if self.grid and min(self.grid) < 1:
            raise _errors.InputError(f"a grid of ranks has sides of at least 1, not {self.grid}")
        if self.grid and math.prod(self.grid) != held:
            raise _errors.InputError(f"the grid {self.grid} is for {math.prod(self.grid)} ranks, not for {held}")
        blocks = math.prod(len(begins) for begins in self.begins)
        if self.form == "irregular" and blocks > held:
            raise _errors.InputError(f"there are {blocks} blocks for {held} ranks, of which each holds one at most")

    def wish(self, ghosts: tuple[int, ...]) -> _core.GaWish:
        wish = _core.GaWish()
        wish.form, wish.edges, wish.grid = self.form, list(self.edges), list(self.grid)
        wish.begins = [list(begins) for begins in self.begins]
        wish.widths = list(ghosts) if any(ghosts) else []
        wish.holders = list(self.holders)
        return wish


def regular(chunk: Sequence[int] = ()) -> Layout:
    """At most one block for each rank, with nearly equal edges that are multiples of ``chunk`` (0: any);
    an axis whose chunk is its extent is not cut. The default layout."""
    return Layout("regular", edges=_numbers(chunk))


def irregular(begins: Sequence[Sequence[int]]) -> Layout:
    """Block p to rank p. ``begins[d]``: where the blocks of axis d begin, from 0 on."""
    return Layout("irregular", begins=tuple(_numbers(one) for one in begins))


def cyclic(block: Sequence[int]) -> Layout:
    """Blocks of these edges; block b goes to rank b mod ranks."""
    return Layout("cyclic", edges=_numbers(block))


def scalapack(block: Sequence[int], grid: Sequence[int]) -> Layout:
    """Blocks of these edges, dealt round a grid of ranks on each axis; the blocks of a rank are one
    local matrix."""
    return Layout("scalapack", edges=_numbers(block), grid=_numbers(grid))


def tiled(block: Sequence[int], grid: Sequence[int]) -> Layout:
    """As ``scalapack``, each block stored by itself."""
    return Layout("tiled", edges=_numbers(block), grid=_numbers(grid))


def tiled_irregular(begins: Sequence[Sequence[int]], grid: Sequence[int]) -> Layout:
    """As ``tiled``, with given block edges."""
    return Layout("tiled_irregular", begins=tuple(_numbers(one) for one in begins), grid=_numbers(grid))


def _numbers(numbers: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(number) for number in numbers)
