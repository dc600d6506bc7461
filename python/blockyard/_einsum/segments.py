# SPDX-License-Identifier: Apache-2.0
"""Sizes of segments."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from .. import _errors
from .._arrays import even_segments
from .costs import choose_loops, needed_bytes, seconds_of
from .terms import Step, Term, operands_of

if TYPE_CHECKING:
    from .plan import Plan


def choose_segments(plan: Plan, most: int) -> tuple[dict[str, list[int]], float]:
    """Splits one index or two at a time, those that help most, until all fits, and continues, joining
    segments too, until nothing gets faster. Fewer segments are better where it makes no difference."""
    counts = {letter: 1 for letter in plan.extents}
    known: dict[tuple[int, ...], tuple[bool, float]] = {}

    def value(trial: dict[str, int]) -> tuple[bool, float]:
        numbers = tuple(trial.values())
        if numbers not in known:
            need = max(needed_bytes(step, plan, trial) for step in plan.order)
            time = sum(seconds_of(step, plan, trial) for step in plan.order)
            known[numbers] = need > most, time * max(1.0, need / most) ** 2
        return known[numbers]

    best = value(counts)
    while True:
        trial = min(_neighbours(plan.extents, counts, joins=not best[0]), key=value, default=counts)
        if trial == counts or not best[0] and value(trial)[1] >= best[1] * 0.995:
            break
        counts, best = trial, value(trial)
    if best[0]:
        need = max(needed_bytes(step, plan, counts) for step in plan.order)
        raise _errors.OutOfMemory(f"einsum needs {need / 2**20:.0f} MiB for blocks even with the "
                                  f"smallest segments, and may use {most / 2**20:.0f} MiB: give the session more memory")
    lay_out(plan, counts)
    return ({letter: even_segments(plan.extents[letter], -(-plan.extents[letter] // count))
             for letter, count in counts.items()}, best[1])


def _neighbours(extents: dict[str, int], counts: dict[str, int], joins: bool) -> list[dict[str, int]]:
    """Other numbers of segments of one letter or two."""
    others = {c: _splits(extents[c], counts[c]) for c in counts}
    if joins:
        for c, n in counts.items():
            others[c] += sorted({1, n // 4, n // 2, n - 2, n - 1} - {-1, 0, n})
    return ([{**counts, c: n} for c in counts for n in others[c]]
            + [{**counts, one: n, two: n2} for one, two in itertools.combinations(counts, 2)
               for n in others[one] for n2 in others[two]])


def _splits(extent: int, count: int) -> list[int]:
    """Numbers of segments with which the largest one is smaller."""
    smaller = -(-extent // count) - 1
    nexts = {-(-extent // smaller) if smaller else count, 2 * count, 4 * count}
    return [n for n in sorted(nexts) if count < n <= extent]


def lay_out(plan: Plan, counts: dict[str, int]) -> None:
    """The steps of the program: the contractions, each after copies of operands that need one."""
    plan.made = []
    for step in plan.order:
        loops = choose_loops(step, plan, counts)
        terms = []
        for term, one in zip(operands_of(step), loops.readings):
            if one.before:
                copy = Term(f"blocks_of_{term.name}", term.letters)
                plan.made.append((Step(term, None, copy, ""), term.letters))
                terms.append(copy)
            else:
                terms.append(term)
        plan.made.append((Step(terms[0], terms[1] if len(terms) > 1 else None, step.result,
                               step.summed), loops.letters))
