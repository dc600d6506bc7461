# SPDX-License-Identifier: Apache-2.0
"""The order of the indexes of operands in the program."""

from __future__ import annotations

from .terms import Step, Term, operands_of


def arrange(order: list[Step]) -> None:
    """Gives operands whose summed indexes are scattered, or stand in another order than those of the
    other operand, the summed ones first and the rest as in the result. Reading a block from its
    file or from memory permutes it in passing, once; a product would do that each time."""
    for step in order:
        terms = operands_of(step)
        if len(terms) < 2 or not step.summed or _has_batch(terms, step.result.letters):
            continue
        if all(_is_clean(term, step.summed) for term in terms) and _same(terms, step.summed):
            continue
        # The result of an earlier step keeps its order.
        first = next((term for term in terms if term.array is None), terms[0])
        summed = [c for c in first.letters if c in step.summed]
        for term in terms:
            if term.array is not None:
                free = [c for c in step.result.letters if c in term.letters]
                _reorder(term, "".join(summed + free))


def _has_batch(terms: list[Term], result: str) -> bool:
    return any(all(c in term.letters for term in terms) for c in result)


def _is_clean(term: Term, summed: str) -> bool:
    """Whether the summed letters stand together at one end: then it is a matrix."""
    flags = [c in summed for c in term.letters]
    return sum(a != b for a, b in zip(flags, flags[1:])) <= 1


def _same(terms: list[Term], summed: str) -> bool:
    return len({tuple(c for c in term.letters if c in summed) for term in terms}) == 1


def _reorder(term: Term, letters: str) -> None:
    assert sorted(letters) == sorted(term.letters)
    term.array = term.given.transpose([term.letters.index(c) for c in letters])
    term.letters = letters
