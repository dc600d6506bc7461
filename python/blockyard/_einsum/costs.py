# SPDX-License-Identifier: Apache-2.0
"""The memory and time of a step, for given numbers of segments."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._arrays import map_of
from .._sources import BlockSource
from .rates import (BLOCK_SECONDS, COPY_BYTES, DISK_BYTES, FLOPS, MOST_GAPS, MOST_PIECE_BYTES,
                    PIECE_BYTES, READING_WORK)
from .terms import Step, Term, block_elements, count, flops, operands_of

if TYPE_CHECKING:
    from .plan import Plan


def needed_bytes(step: Step, plan: Plan, counts: dict[str, int]) -> int:
    """Bytes that a step needs: blocks of the workers, room to permute them, and what servers must
    hold at the least (a pool rounds up by an eighth)."""
    size, workers = plan.element_bytes, plan.workers
    made = size * block_elements(step.result.letters, plan.extents, counts)
    read = [size * block_elements(term.letters, plan.extents, counts) for term in operands_of(step)]
    largest = max([*read, made if step.result.name != "result" else 0])
    return int(1.13 * (workers * (2 * made + 3 * sum(read)) + 8 * largest)) + workers * 2**22 + 2**21


def is_on_disk(term: Term, plan: Plan) -> bool:
    if term.array is None:
        return plan.element_bytes * count(term.letters, plan.extents) > plan.memory_bytes // 2
    return isinstance(term.array, BlockSource) or map_of(term.array) is not None


def _pieces(term: Term, plan: Plan, counts: dict[str, int]) -> tuple[float, float]:
    """How a block lies in a file: the bytes of one piece, and how many times more is read than is
    wanted. As in src/lent.cpp."""
    extents, size = plan.extents, plan.element_bytes
    span = wanted = stride = 1
    is_straight = True
    for stored, letter in zip(term.stored, term.letters):
        extent = -(-extents[stored] // counts[stored])
        longer, more = stride * (extent - 1) + span, wanted * extent
        stays = is_straight and longer == more and stored == letter
        if not stays and (size * longer > MOST_PIECE_BYTES or longer > MOST_GAPS * more):
            break
        is_straight, span, wanted = stays, longer, more
        stride *= extents[stored]
    return float(size) * span, span / wanted


def _bytes(term: Term, plan: Plan, counts: dict[str, int], whole: str) -> int:
    """Of the blocks of an operand over all segments of the letters of `whole`, one of the others."""
    return plan.element_bytes * block_elements(term.letters, plan.extents, {**counts, **dict.fromkeys(whole, 1)})


@dataclass(order=True)
class Reading:
    """Time to read an operand as often as a step wants it: ``before`` of it is spent before computing, on
    a first copy block by block; the rest overlaps with computing."""

    seconds: float
    before: float = 0.0


class Reader:
    """How long it takes to read an operand, with these numbers of segments."""

    def __init__(self, term: Term, plan: Plan, counts: dict[str, int]):
        size = plan.element_bytes * count(term.letters, plan.extents)
        self._is_made = term.array is None
        self._from_memory = size / COPY_BYTES
        self._from_disk = size / DISK_BYTES
        self._is_on_disk = is_on_disk(term, plan)
        self._fits = size < plan.memory_bytes // 8
        self._result_on_disk = plan.result_on_disk
        self._piece, self._gaps = _pieces(term, plan, counts)
        self._known: dict[int, Reading] = {}

    def times(self, times: int) -> Reading:
        """So many times: what is best."""
        if times not in self._known:
            self._known[times] = self._best(times)
        return self._known[times]

    def _best(self, times: int) -> Reading:
        if not self._is_on_disk:
            return Reading(self._from_memory * times)
        if self._fits:
            return Reading(self._from_disk + self._from_memory * times)
        if self._is_made:
            return Reading(self._from_disk * times)
        # A copy pays where blocks lie in many pieces in the file: then each is read in one. The blocks
        # that want what lies in the gaps come soon after, and find it in the page cache, unless the
        # operand passes by again and again while a result also goes through there.
        share = 4 if times == 1 or not self._result_on_disk else 1
        waste = (1 + (self._gaps - 1) / share) * (1 + PIECE_BYTES / self._piece) - 1
        before = self._from_disk * (2 + waste)
        return min(Reading(self._from_disk * times * (1 + waste)),
                   Reading(before + self._from_disk * times, before))


def _shares(step: Step, plan: Plan, counts: dict[str, int]) -> tuple[int, int]:
    """How much of the operands servers can hold while a step runs, and how much each worker may have
    outstanding. As in job/memory_plan.cpp and block/cache.h."""
    made = plan.element_bytes * block_elements(step.result.letters, plan.extents, counts)
    read = [plan.element_bytes * block_elements(term.letters, plan.extents, counts) for term in operands_of(step)]
    largest = max(made, *read)
    worker = int(1.13 * (made + sum(read) + 3 * largest))
    servers = plan.memory_bytes - plan.workers * worker
    left = max(0, servers - 9 * largest)
    ahead = min(max(plan.workers * 2 * largest, left // 8), left // 2)
    return int((servers - ahead) / 1.13), (worker + ahead // plan.workers) // 4


def _waited(step: Step, plan: Plan, counts: dict[str, int], readings: list[Reading]) -> float:
    """Seconds of reading that do not overlap with computing: an operand of which a worker cannot have
    two blocks outstanding is waited for."""
    _, early = _shares(step, plan, counts)
    return sum(one.seconds - one.before for term, one in zip(operands_of(step), readings)
               if 2 * plan.element_bytes * block_elements(term.letters, plan.extents, counts) > early)


@dataclass
class Loops:
    """How a step goes over the blocks of its result.

    One operand is held: over all segments of some of its letters, which run fastest (`inner`), it stays
    in memory while the other operand passes by, once for each segment of its other letters, which
    are the outermost.
    """

    seconds: float  #: of reading
    letters: str  #: of the pardo, the fastest first
    inner: str
    readings: list[Reading]  #: of the operands


def choose_loops(step: Step, plan: Plan, counts: dict[str, int]) -> Loops:
    """The order of loops that takes least time to read."""
    terms, result = operands_of(step), step.result.letters
    room, _ = _shares(step, plan, counts)
    readers = [Reader(term, plan, counts) for term in terms]
    best: Loops | None = None
    for held in terms:
        mine = [c for c in result if c in held.letters]
        others = [c for c in result if c not in held.letters]
        passes = math.prod(counts[c] for c in others)
        for n in range(len(mine) + 1):
            inner, outer = "".join(mine[:n]), mine[n:]
            # Of the passing operand three blocks are held: in use, the next being read, and one that a
            # slower worker still uses. Where there was room for two only, some of what is held went out,
            # and was read again (P2 of bench/einsum: 97 s in place of 84).
            is_one = all(counts[c] == 1 for c in inner)
            passing = 2 if is_one else 3
            panels = sum(_bytes(term, plan, counts, step.summed + inner) * (1 if term is held else passing)
                         for term in terms)
            # A cache that is nearly full evicts what is held now and then, and reads it again (measured).
            fits = panels < 0.86 * room or (is_one and all(counts[c] == 1 for c in step.summed))
            again = outer if fits or is_one else mine
            readings = []
            for term, reader in zip(terms, readers):
                streamed = math.prod(counts[c] for c in again if c not in term.letters)
                readings.append(reader.times(streamed if term is not held else 1 if fits else passes))
            seconds = sum(one.seconds for one in readings)
            if best is None or seconds < best.seconds:
                best = Loops(seconds, "".join([*inner, *others, *outer]), inner, readings)
    assert best is not None
    return best


def seconds_of(step: Step, plan: Plan, counts: dict[str, int]) -> float:
    """Time of a step for these numbers of segments: the longer of computing and reading, which go on
    at the same time."""
    extents, result = plan.extents, step.result.letters
    blocks = math.prod(counts[c] for c in result or step.summed)
    products = blocks * (math.prod(counts[c] for c in step.summed) if result else 1)
    left = set(step.left.letters)
    right = set(step.right.letters) if step.right is not None else set()
    m, n, k = (block_elements(letters, extents, counts) for letters in (
        "".join(c for c in result if c in left - right),
        "".join(c for c in result if c in right - left), step.summed))
    efficiency = m / (m + 16) * n / (n + 16) * k / (k + 64) if step.right is not None else 0.05
    workers = plan.workers * plan.processes
    busy = -(-blocks // workers) * workers / blocks
    compute = flops(step, extents) / (FLOPS * max(efficiency, 1e-3)) * busy / workers
    made = plan.element_bytes * count(result, extents)
    loops = choose_loops(step, plan, counts)
    before = sum(one.before for one in loops.readings)
    moved = loops.seconds - before
    if plan.result_on_disk and step.result.name == "result":
        # What the innermost loops make meets in the page cache. Else a page is written, and read again,
        # once for each block that has a part of it.
        piece, gaps = _pieces(step.result, plan, {**counts, **dict.fromkeys(loops.inner, 1)})
        moved += made / DISK_BYTES * (2 * gaps - 1) * (1 + PIECE_BYTES / piece)
    elif made > plan.memory_bytes // 2:
        moved += made / DISK_BYTES
    packed = 2 * made * math.prod(counts[c] for c in step.summed)
    for term in operands_of(step):
        again = math.prod(counts[c] for c in result if c not in term.letters)
        packed += plan.element_bytes * count(term.letters, extents) * again
    compute += (packed / COPY_BYTES + READING_WORK * loops.seconds) / workers
    # No computing until the first blocks are there.
    begin = before + workers * sum(plan.element_bytes * block_elements(term.letters, extents, counts)
                          for term in operands_of(step)) / DISK_BYTES
    waited = _waited(step, plan, counts, loops.readings)
    moved -= waited
    return (max(compute, moved) + 0.1 * min(compute, moved) + waited + begin
            + products * BLOCK_SECONDS / workers)
