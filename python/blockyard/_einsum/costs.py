# SPDX-License-Identifier: Apache-2.0
"""What a step needs and how long it takes, for given numbers of segments."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .rates import (BLOCK_SECONDS, COPY_BYTES, DISK_BYTES, FLOPS, MOST_GAPS, MOST_PIECE_BYTES,
                    PIECE_BYTES)
from .terms import Step, Term, block_elements, count, flops, operands_of

if TYPE_CHECKING:
    from .plan import Plan


def needed_bytes(step: Step, extents: dict[str, int], counts: dict[str, int], workers: int) -> int:
    """Bytes that a step needs: blocks of the workers, room to permute them, and what servers must
    hold at the least (a pool rounds up by an eighth)."""
    made = 8 * block_elements(step.result.letters, extents, counts)
    read = [8 * block_elements(term.letters, extents, counts) for term in operands_of(step)]
    largest = max([*read, made if step.result.name != "result" else 0])
    return int(1.13 * (workers * (2 * made + 3 * sum(read)) + 8 * largest)) + workers * 2**22 + 2**21


def _is_on_disk(term: Term, plan: Plan) -> bool:
    if term.array is None:
        return 8 * count(term.letters, plan.extents) > plan.memory_bytes // 2
    root = term.array
    while isinstance(root.base, np.ndarray):
        root = root.base
    return isinstance(root, np.memmap)


def _pieces(letters: str, extents: dict[str, int], counts: dict[str, int]) -> tuple[float, float]:
    """How a block lies in a file whose fastest letter is the first: the bytes of one piece, and how
    many times more is read than is wanted. As in src/lent.cpp."""
    span = wanted = stride = 1
    for letter in letters:
        extent = -(-extents[letter] // counts[letter])
        longer, more = stride * (extent - 1) + span, wanted * extent
        if longer != more and (8 * longer > MOST_PIECE_BYTES or longer > MOST_GAPS * more):
            break
        span, wanted = longer, more
        stride *= extents[letter]
    return 8.0 * span, span / wanted


def _panel(term: Term, step: Step, plan: Plan, counts: dict[str, int]) -> int:
    """Bytes of an operand for one block of the result: over all segments of what is summed."""
    return 8 * block_elements(term.letters, plan.extents, {**counts, **dict.fromkeys(step.summed, 1)})


@dataclass
class Reading:
    """Seconds to copy an operand first, block by block, and to read it as often as the step wants it.
    A block that lies in many pieces in the file is read in one from its copy."""

    before: float
    during: float
    is_copied: bool = False

    @property
    def weight(self) -> float:
        """What is read while workers compute costs less."""
        return self.before + 0.5 * self.during


def reading_of(term: Term, step: Step, plan: Plan, counts: dict[str, int], is_held: bool) -> Reading:
    size = 8 * count(term.letters, plan.extents)
    panel = _panel(term, step, plan, counts)
    is_split = any(counts[c] > 1 for c in step.summed if c in term.letters)
    again = math.prod(counts[c] for c in step.result.letters if c not in term.letters)
    times = 1 if is_held and (not is_split or panel < plan.memory_bytes // 8) else again
    if not _is_on_disk(term, plan):
        return Reading(0.0, size * times / COPY_BYTES)
    if size < plan.memory_bytes // 8:
        return Reading(0.0, size / DISK_BYTES + size * times / COPY_BYTES)
    once = size / DISK_BYTES
    if term.array is None:
        return Reading(0.0, times * once)
    piece, gaps = _pieces(term.letters, plan.extents, counts)
    stops = 1 + PIECE_BYTES / piece
    direct = Reading(0.0, times * gaps * stops * once)
    # In one go over the file, the blocks that want what lies in the gaps find it in the page cache.
    copied = Reading(((1 + (gaps - 1) / 4) * stops + 1) * once, times * once, is_copied=True)
    return min(direct, copied, key=lambda reading: reading.weight)


def held_of(step: Step, plan: Plan, counts: dict[str, int]) -> tuple[Term, list[Reading]]:
    """The operand to hold, and how the operands are read: its letters are the outer ones of the loop
    over the result, so that it is read once if its panel stays in memory, while the other one is
    read again for each of its panels."""
    terms = operands_of(step)
    choices = [(held, [reading_of(term, step, plan, counts, term is held) for term in terms])
               for held in terms]
    return min(choices, key=lambda choice: sum(reading.weight for reading in choice[1]))


def seconds_of(step: Step, plan: Plan, counts: dict[str, int]) -> float:
    """Time of a step for these numbers of segments: the longer of computing and reading, which go on
    at the same time."""
    extents, result = plan.extents, step.result.letters
    blocks = math.prod(counts[c] for c in result or step.summed)
    loops = blocks * (math.prod(counts[c] for c in step.summed) if result else 1)
    left = set(step.left.letters)
    right = set(step.right.letters) if step.right is not None else set()
    m, n, k = (block_elements(letters, extents, counts) for letters in (
        "".join(c for c in result if c in left - right),
        "".join(c for c in result if c in right - left), step.summed))
    efficiency = m / (m + 16) * n / (n + 16) * k / (k + 64) if step.right is not None else 0.05
    workers = plan.workers * plan.processes
    busy = -(-blocks // workers) * workers / blocks
    compute = flops(step, extents) / (FLOPS * max(efficiency, 1e-3)) * busy / workers
    made = 8 * count(result, extents)
    _, readings = held_of(step, plan, counts)
    moved = sum(reading.during for reading in readings)
    if plan.result_on_disk and step.result.name == "result":
        piece, _ = _pieces(plan.output[::-1], extents, counts)
        moved += made / DISK_BYTES * (1 + PIECE_BYTES / piece)
    elif made > plan.memory_bytes // 2:
        moved += made / DISK_BYTES
    packed = 2 * made * math.prod(counts[c] for c in step.summed)
    for term in operands_of(step):
        again = math.prod(counts[c] for c in result if c not in term.letters)
        packed += 8 * count(term.letters, extents) * again
    compute += packed / COPY_BYTES / workers
    # Nobody computes while operands are copied, and until the first blocks are there.
    begin = sum(reading.before for reading in readings)
    begin += workers * sum(8 * block_elements(term.letters, extents, counts)
                          for term in operands_of(step)) / DISK_BYTES
    return (max(compute, moved) + 0.1 * min(compute, moved) + begin
            + loops * BLOCK_SECONDS / workers)
