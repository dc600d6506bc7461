# SPDX-License-Identifier: Apache-2.0
"""Super instructions in Python: how workers call them."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class BlockInfo:
    """The call of a super instruction: the segment numbers (from 1) of each block operand, the number of the
    calling worker, and the number of all workers. 0 <= worker < workers."""

    segments: tuple[tuple[int, ...], ...]
    worker: int
    workers: int


def called(function: Callable[..., Any], info: bool) -> Callable[..., None]:
    """What workers call: the function with the views of its operands, and with a BlockInfo where it wants one."""
    def call(views: list[Any], segments: list[Any], worker: int, workers: int) -> None:
        try:
            if info:
                function(*views, BlockInfo(tuple(map(tuple, segments)), worker, workers))
            else:
                function(*views)
        except BaseException as error:
            # The frames must not show blocks that are gone.
            traceback.clear_frames(error.__traceback__)
            raise

    return call
