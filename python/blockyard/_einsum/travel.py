# SPDX-License-Identifier: Apache-2.0
"""A product whose result and one operand stay in slices, one at each process, while the other operand travels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._ring import Ring
from .._sources import BlockSource
from .costs import is_on_disk
from .rates import COPY_BYTES, DISK_BYTES, FLOPS
from .terms import Term, count

if TYPE_CHECKING:
    from .plan import Plan

_PIECE_BYTES = 8 << 20
_SLOTS = 3


@dataclass
class Travel:
    """The product as one of matrices: result[rows, columns] = sum over ``summed`` of stays[rows, summed]
    travels[columns, summed]. Letters are the slowest first. A process keeps a range of the first letter
    of ``rows``; an item has a range of the first letter of ``columns``, and with it that part of the result
    is complete: its bits depend on no order of arrival.

    Attributes:
        processes: that have a slice.
        piece: elements of the first letter of ``columns`` in an item.
        needed_bytes: of a process.
        sent_bytes: of a process, at most.
        seconds: a rough estimate, from the rates that programs are weighed with.
    """

    stays: Term
    travels: Term
    rows: str
    columns: str
    summed: str
    processes: int
    piece: int
    needed_bytes: int
    sent_bytes: int
    seconds: float

    def __str__(self) -> str:
        return (f"  {self.travels.name} travels, {self.piece} of '{self.columns[0]}' at a time; {self.stays.name} and "
                f"the result stay, cut along '{self.rows[0]}': a process sends at most "
                f"{self.sent_bytes / 2**30:.2f} GiB and needs {self.needed_bytes / 2**30:.2f} GiB; "
                f"about {self.seconds:.1f} s")


def plan_travel(plan: Plan, processes: int) -> Travel | None:
    """The better of the two ways to do it; None where the product is not a plain one of two matrices, or a
    slice does not fit."""
    if processes < 2 or len(plan.terms) != 2:
        return None
    left, right = plan.terms
    summed = [c for c in left.letters[::-1] if c in right.letters]
    if not summed or set(summed) & set(plan.output):
        return None
    ways = [_way(plan, stays, travels, summed, processes)
            for stays, travels in ((left, right), (right, left))]
    return min((way for way in ways if way is not None), key=lambda way: way.seconds, default=None)


def is_better(travel: Travel, plan: Plan) -> bool:
    return plan.element.kind == "c" or travel.seconds < plan.seconds


def _way(plan: Plan, stays: Term, travels: Term, summed: list[str], processes: int) -> Travel | None:
    rows, columns = _cut_first(stays, summed, plan), _cut_first(travels, summed, plan)
    if not rows or not columns or plan.extents[rows[0]] < processes:
        return None
    if plan.result_on_disk and rows + columns != plan.output:
        return None  # the result would have to be in memory once to be put into its order
    size, extents = plan.element_bytes, plan.extents
    cut = -(-extents[rows[0]] // processes)
    mine = cut * count(rows[1:], extents)
    many, inner = count(columns, extents), count("".join(summed), extents)
    line_bytes = size * inner * count(columns[1:], extents)
    piece = max(1, min(-(-extents[columns[0]] // (4 * processes)), _PIECE_BYTES // line_bytes))
    needed = size * mine * (many + inner) + (_SLOTS + 2) * piece * line_bytes
    if needed > plan.memory_bytes:
        return None
    wide = piece * count(columns[1:], extents)
    efficiency = mine / (mine + 16) * wide / (wide + 16) * inner / (inner + 64)
    computing = 2.0 * mine * many * inner / (FLOPS * efficiency * plan.workers)
    sent = size * many * inner * (processes - 1) // processes
    reading = sum(size * count(term.letters, extents) / processes
                  / (DISK_BYTES if is_on_disk(term, plan) else COPY_BYTES) for term in (stays, travels))
    moving = reading + sent / COPY_BYTES
    return Travel(stays, travels, rows, columns, "".join(summed), processes, piece, needed, sent,
                  max(computing, moving) + 0.1 * min(computing, moving) + reading / 4)


def _cut_first(term: Term, summed: list[str], plan: Plan) -> str:
    """The letters that stay in the result, in its order but for the longest, which is cut."""
    mine = [c for c in plan.output if c in term.letters and c not in summed]
    cut = max(mine, key=lambda c: plan.extents[c], default="")
    return "".join([cut, *(c for c in mine if c != cut)])


def run_travel(plan: Plan, travel: Travel, place: np.ndarray | None) -> None:
    """Collective. Fills ``place``, which process 0 has, in the order of the result."""
    extents, columns = plan.extents, travel.columns
    line = count(columns[1:], extents)
    with Ring((extents[travel.rows[0]], count(travel.rows[1:], extents) * count(columns, extents)), plan.element,
              cut=0, slots=_SLOTS, fabric="mpi") as ring:
        stays = _matrix(travel.stays, travel.rows, travel.summed, ring.begin, ring.end, plan.element)
        mine = ring.slice.reshape(len(stays), -1)

        @ring.update
        def multiply(part: np.ndarray, piece: np.ndarray, first: int) -> None:
            _core.multiply(stays, piece, mine[:, first:first + len(piece)], plan.workers)

        for begin in range(ring.place * travel.piece, extents[columns[0]], travel.processes * travel.piece):
            end = min(begin + travel.piece, extents[columns[0]])
            ring.give(_matrix(travel.travels, columns, travel.summed, begin, end, plan.element), head=begin * line)
        ring.finish()
        _collect(plan, travel, ring, place)


def _matrix(term: Term, rows: str, columns: str, begin: int, end: int, dtype: np.dtype) -> np.ndarray:
    """A range of the first letter of ``rows``, in C order."""
    letters = rows + columns
    part: Any = term.given.transpose([term.letters.index(c) for c in letters])[begin:end]
    if isinstance(part, BlockSource):
        part = part.read([0] * part.ndim, list(part.shape))
    lines = int(np.prod(part.shape[:len(rows)]))
    return np.ascontiguousarray(part, dtype).reshape(lines, -1)


def _collect(plan: Plan, travel: Travel, ring: Ring, place: np.ndarray | None) -> None:
    made = travel.rows + travel.columns
    if place is None:
        ring.gather_into(None)
        return
    turned = place.transpose([plan.output.index(c) for c in made])
    if turned.flags.c_contiguous:
        ring.gather_into(turned.reshape(ring.shape))
        return
    whole = np.empty(ring.shape, plan.element)
    ring.gather_into(whole)
    turned[...] = whole.reshape(turned.shape)
