# SPDX-License-Identifier: Apache-2.0
"""Sizes of segments."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING

from .. import _errors
from .._arrays import even_segments
from .costs import held_of, needed_bytes, seconds_of
from .terms import Step, Term, operands_of

if TYPE_CHECKING:
    from .plan import Plan


def choose_segments(plan: Plan, most: int) -> tuple[dict[str, list[int]], float]:
    """Splits one index or two at a time, those that help most, until all fits; then splits and joins
    until nothing gets faster. Fewer segments are better where it makes no difference."""
    counts = {letter: 1 for letter in plan.extents}

    def value(trial: dict[str, int]) -> tuple[bool, float]:
        need = max(needed_bytes(step, plan.extents, trial, plan.workers) for step in plan.order)
        time = sum(seconds_of(step, plan, trial) for step in plan.order)
        return need > most, time * max(1.0, need / most) ** 2

    def changes(letter: str, numbers: Callable[[int, int], set[int]]) -> list[int]:
        count = counts[letter]
        return sorted(n for n in numbers(plan.extents[letter], count)
                      if n != count and 1 <= n <= plan.extents[letter])

    def trials(numbers: Callable[[int, int], set[int]]) -> list[dict[str, int]]:
        return ([{**counts, letter: n} for letter in counts for n in changes(letter, numbers)]
                + [{**counts, one: n, two: n2} for one, two in itertools.combinations(counts, 2)
                   for n in changes(one, numbers) for n2 in changes(two, numbers)])

    best = value(counts)
    while best[0] and (found := trials(_more)):
        counts = min(found, key=value)
        best = value(counts)
    while not best[0] and (found := trials(_more_or_fewer)):
        trial = min(found, key=value)
        if value(trial) >= (False, best[1] * 0.995):
            break
        counts, best = trial, value(trial)
    if best[0]:
        need = max(needed_bytes(step, plan.extents, counts, plan.workers) for step in plan.order)
        raise _errors.OutOfMemory(f"einsum needs {need / 2**20:.0f} MiB for blocks even with the "
                                  f"smallest segments, and may use {most / 2**20:.0f} MiB")
    lay_out(plan, counts)
    return ({letter: even_segments(plan.extents[letter], -(-plan.extents[letter] // count))
             for letter, count in counts.items()}, best[1])


def _more(extent: int, count: int) -> set[int]:
    """Numbers of segments after which the largest one is smaller."""
    smaller = -(-extent // count) - 1
    return {-(-extent // smaller) if smaller else count, 2 * count, 4 * count}


def _more_or_fewer(extent: int, count: int) -> set[int]:
    return _more(extent, count) | {1, count // 2, count - 1}


def lay_out(plan: Plan, counts: dict[str, int]) -> None:
    """The steps of the program: the contractions, each after copies of operands that need one."""
    plan.made = []
    for step in plan.order:
        held, readings = held_of(step, plan, counts)
        terms = []
        for term, reading in zip(operands_of(step), readings):
            if reading.is_copied:
                copy = Term(f"blocks_of_{term.name}", term.letters)
                plan.made.append((Step(term, None, copy, ""), term.name))
                terms.append(copy)
            else:
                terms.append(term)
        outer = terms[operands_of(step).index(held)].name
        plan.made.append((Step(terms[0], terms[1] if len(terms) > 1 else None, step.result,
                               step.summed), outer))
