# SPDX-License-Identifier: Apache-2.0
"""What an array of a group is: its elements, its shape and who holds it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _core, _errors
from ._layout import Layout
from ._world import Group

Slices = tuple[slice, ...]


class Held:
    """The memory of an array with its description."""

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

    def view(self, where: Slices) -> np.ndarray | None:
        """A view of a patch that lies in one block on this node; None if it does not. Contiguous
        slices with begin and end; without a copy."""
        found = self.core.view([part.start for part in where], [part.stop for part in where])
        if found is None:
            return None
        shape = tuple(part.stop - part.start for part in where)
        return np.ndarray(shape, self.dtype, buffer=found[0], strides=found[1])
