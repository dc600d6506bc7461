# SPDX-License-Identifier: Apache-2.0
"""Super instructions in Python: how workers call them, and other functions that get views of blocks."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class BlockInfo:
    """The call of a super instruction: the segment numbers (from 1) of each block operand, the number of the
    calling worker, and the number of all workers. 0 <= worker < workers."""

    segments: tuple[tuple[int, ...], ...]
    worker: int
    workers: int


def called(function: Callable[..., Any], signature: str, info: bool) -> Callable[..., None]:
    """What workers call: the function with the views of its operands, and with a BlockInfo where it wants one."""
    writes = set(signature) != {"r"}

    def call(views: list[Any], segments: list[Any], worker: int, workers: int) -> None:
        more = [BlockInfo(tuple(map(tuple, segments)), worker, workers)] if info else []
        made = function(*views, *more)
        if made is not None and writes:
            _require_written(made, views)

    return call


def _require_written(made: Any, views: list[Any]) -> None:
    """Whoever returns a result means it to go into the block; ``np.add(a, b, out=a)`` returns what is there already."""
    is_result = isinstance(made, (np.ndarray, np.generic, float, complex))
    if is_result and not any(np.may_share_memory(made, view) for view in views if isinstance(view, np.ndarray)):
        raise TypeError("it returns its result, which nobody receives: write into the operand, as in block[...] = result")


def guarded(function: Callable[..., Any]) -> Callable[..., None]:
    """For C++, which gives it views of blocks, directly or in lists. The traceback of an error outlives them, so no
    frame of it keeps one."""
    def call(*given: Any) -> None:
        try:
            function(*given)
        except BaseException as error:
            for views in [one for one in given if isinstance(one, list)]:
                views.clear()
            given = ()
            told: BaseException | None = error
            while told is not None:
                traceback.clear_frames(told.__traceback__)
                told = told.__context__
            raise

    return call
