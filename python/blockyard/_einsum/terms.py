# SPDX-License-Identifier: Apache-2.0
"""Operands, steps and their letters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Union

import numpy as np

from .._sources import BlockSource

Operand = Union[np.ndarray, BlockSource]


@dataclass(eq=False)
class Term:
    """An operand, or what a step makes: letters, the fastest first.

    ``stored``: the order of an operand in its memory or file, where the program has another one.
    """

    name: str
    letters: str
    array: Operand | None = None
    stored: str = ""

    def __post_init__(self) -> None:
        self.stored = self.stored or self.letters

    @property
    def given(self) -> Operand:
        """The array of an operand."""
        assert self.array is not None
        return self.array

    def spell(self) -> str:
        return f"{self.name}[{','.join(map(index_name, self.letters))}]"


@dataclass
class Step:
    left: Term
    right: Term | None
    result: Term
    summed: str

    @property
    def is_sum(self) -> bool:
        """Of one array: a super instruction adds its blocks up."""
        return self.right is None and self.summed != ""


def index_name(letter: str) -> str:
    """SIAL does not know upper from lower case."""
    return letter if letter.islower() else f"{letter.lower()}_"


def count(letters: str, extents: dict[str, int]) -> int:
    return math.prod(extents[letter] for letter in letters)


def flops(step: Step, extents: dict[str, int]) -> float:
    return 2.0 * count("".join(dict.fromkeys(step.result.letters + step.summed)), extents)


def block_elements(letters: str, extents: dict[str, int], counts: dict[str, int]) -> int:
    """Elements of the largest block."""
    return math.prod(-(-extents[c] // counts[c]) for c in letters)


def operands_of(step: Step) -> list[Term]:
    return [term for term in (step.left, step.right) if term is not None]
