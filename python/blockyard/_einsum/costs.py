# SPDX-License-Identifier: Apache-2.0
"""What a step needs and how long it takes, for given numbers of segments."""

from __future__ import annotations

import math
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


def read_seconds(term: Term, step: Step, plan: Plan, counts: dict[str, int],
          is_held: bool) -> tuple[float, bool]:
    """Time to read an operand as often as the step wants it, and whether it is first copied block by
    block: a block that lies in many pieces in the file is then read in one."""
    size = 8 * count(term.letters, plan.extents)
    panel = _panel(term, step, plan, counts)
    is_split = any(counts[c] > 1 for c in step.summed if c in term.letters)
    again = math.prod(counts[c] for c in step.result.letters if c not in term.letters)
    times = 1 if is_held and (not is_split or panel < plan.memory_bytes // 8) else again
    if not _is_on_disk(term, plan):
        return size * times / COPY_BYTES, False
    if size < plan.memory_bytes // 8:
        return size / DISK_BYTES + size * times / COPY_BYTES, False
    if term.array is None:
        return size * times / DISK_BYTES, False
    piece, gaps = _pieces(term.letters, plan.extents, counts)
    # The blocks that want what lies in the gaps come soon after, and find it in the page cache.
    waste = (1 + (gaps - 1) / 4) * (1 + PIECE_BYTES / piece) - 1
    direct = size * times / DISK_BYTES * (1 + waste)
    copied = size / DISK_BYTES * (2 + waste + times)
    return min((direct, False), (copied, True))


def reading_seconds(step: Step, plan: Plan, counts: dict[str, int]) -> tuple[float, Term]:
    """Time to read the operands, and the one to hold: its letters are the outer ones of the loop
    over the result, so that it is read once if its panel stays in memory, while the other one is
    read again for each of its panels."""
    terms = operands_of(step)
    return min(((sum(read_seconds(term, step, plan, counts, term is held)[0] for term in terms), held)
                for held in terms), key=lambda pair: pair[0])


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
    moved, _ = reading_seconds(step, plan, counts)
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
    # Nobody computes until the first blocks are there.
    begin = workers * sum(8 * block_elements(term.letters, extents, counts)
                          for term in operands_of(step)) / DISK_BYTES
    return (max(compute, moved) + 0.1 * min(compute, moved) + begin
            + loops * BLOCK_SECONDS / workers)
