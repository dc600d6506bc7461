# SPDX-License-Identifier: Apache-2.0
"""The plan of an einsum, before it runs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core, _errors
from .._processes import at_first, fingerprint
from .._run import PythonSuper
from .costs import needed_bytes
from .layout import arrange
from .order import order_of, path_of
from .program import program_text
from .segments import choose_segments
from .subscripts import note_extents, parse, spell, term_of
from .travel import Travel, is_better, plan_travel
from .terms import Step, Term, count, flops, index_name, operands_of

if TYPE_CHECKING:
    from .._session import Session

MOST_ORDER = 8


@dataclass(repr=False)
class Plan:
    """What an einsum does, before it does it.

    Attributes:
        subscripts: with "->".
        steps: the contractions in their order, as text.
        segments: elements of each segment, by letter.
        flops: of all contractions.
        operand_bytes, result_bytes: of the whole arrays.
        workers, processes: workers of each of the processes.
        memory_bytes: what each process may use for blocks; needed_bytes: what it needs at the least.
        is_gathered: whether the blocks of the result go through servers to process 0.
        result_on_disk: whether the result goes to a file.
        seconds: a rough estimate, from assumed rates.
        sial: the program.
        made: what the program does: contractions, each after copies of operands that need one, and
            the letters of its pardo, the fastest first.
        travel: where one operand travels past slices of the other and of the result instead; then no
            program runs, unless a trace is asked for.
    """

    subscripts: str
    order: list[Step]
    terms: list[Term]
    output: str
    extents: dict[str, int]
    workers: int
    memory_bytes: int
    processes: int = 1
    is_gathered: bool = False
    segments: dict[str, list[int]] = field(default_factory=dict)
    dtype: np.dtype = np.dtype(np.float64)
    sial: str = ""
    seconds: float = 0.0
    operand_bytes: int = 0
    made: list[tuple[Step, str]] = field(default_factory=list, repr=False)
    travel: Travel | None = None

    @property
    def steps(self) -> list[str]:
        return [f"{s.left.stored[::-1]}{',' + s.right.stored[::-1] if s.right else ''}"
                f"->{s.result.letters[::-1]}" for s in self.order]

    @property
    def flops(self) -> float:
        return sum(flops(step, self.extents) for step in self.order)

    def drop_operands(self) -> None:
        """After the run: they would last as long as the result."""
        for term in self.terms:
            term.array = None

    @property
    def result_bytes(self) -> int:
        return self.element_bytes * count(self.output, self.extents)

    @cached_property
    def element(self) -> np.dtype:
        """Of the arrays of the program: float64 unless all operands are single, complex if one is."""
        if self.dtype.kind in "iub":
            return np.dtype(np.float64)
        return np.result_type(self.dtype, np.float32)

    @cached_property
    def element_bytes(self) -> int:
        return self.element.itemsize

    @property
    def result_on_disk(self) -> bool:
        return self.result_bytes > self.memory_bytes // 2

    @property
    def needed_bytes(self) -> int:
        counts = {letter: len(extents) for letter, extents in self.segments.items()}
        return max(needed_bytes(step, self, counts) for step in self.order)

    def first_segments(self) -> dict[str, int]:
        """Number of the first segment of each letter: one table has those of all letters."""
        counts = [len(extents) for extents in self.segments.values()]
        return dict(zip(self.segments, itertools.accumulate(counts, initial=1)))

    def __str__(self) -> str:
        gib = 2**30
        lines = [f"einsum {self.subscripts}: {self.flops:.3g} flops, about {self.seconds:.1f} s",
                 f"  operands {self.operand_bytes / gib:.2f} GiB, result {self.result_bytes / gib:.2f} GiB"
                 + (" (to a file)" if self.result_on_disk else ""),
                 f"  memory: needs {self.needed_bytes / gib:.2f} GiB for blocks, may use "
                 f"{self.memory_bytes / gib:.2f} GiB; {self.workers} workers"
                 + (f" in each of {self.processes} processes" if self.processes > 1 else "")]
        lines += [f"  step {n}: {text}" for n, text in enumerate(self.steps, 1)]
        lines += [f"  {letter}: {sum(extents)} in {len(extents)} segments of at most {max(extents)}"
                  for letter, extents in self.segments.items()]
        return "\n".join([*lines, *([str(self.travel)] if self.travel else [])])

    __repr__ = __str__


def plan_einsum(session: "Session", subscripts: Any, operands: list[Any], optimize: Any = True) -> Plan:
    """`operands`: of the interleaved form the rest of the arguments."""
    subscripts, operands = spell(subscripts, operands)
    inputs, output, operands = parse(subscripts, operands)
    dtype = np.result_type(*(array.dtype for array in operands))
    if dtype.kind not in "fiubc" or np.result_type(dtype, np.complex128) != np.complex128:
        raise TypeError(f"einsum of {dtype}: elements are real or complex, of single or double precision")
    terms = [term_of(n, letters, array) for n, (letters, array) in enumerate(zip(inputs, operands), 1)]
    extents: dict[str, int] = {}
    for term in terms:
        note_extents(extents, term.letters, term.given, subscripts)
    # A letter of one operand alone that is summed is contracted with ones; not where nothing else is multiplied
    # and they would make NaN of infinite parts: 1 + 0i times an infinite number has a part 0 * infinity.
    is_sum = len(terms) == 1 and dtype.kind == "c"
    for letter in extents:
        if not is_sum and letter not in output and sum(letter in term.letters for term in terms) == 1:
            terms.append(Term(f"ones_{index_name(letter)}", letter, np.ones(extents[letter], np.float32)))
    if len(terms) == 1 and not terms[0].letters and not is_sum:
        terms.append(Term("ones", "", np.ones(())))
    workers, memory = means_of(session)
    together = session.processes
    plan = Plan(f"{','.join(inputs)}->{output}", [], terms, output, extents, workers, memory,
                processes=1 if together is None else together.count - (session.servers or 0),
                is_gathered=together is not None and output != "", dtype=dtype,
                operand_bytes=sum(term.given.nbytes for term in terms))
    if together is not None:
        together.check_same({f"operand {n} of einsum": fingerprint(array)
                             for n, array in enumerate(operands, 1)})
    if 0 in extents.values():
        return plan
    # Before the operands of the program are put into its order.
    travel = None if together is None or session.servers else plan_travel(plan, together.count)
    plan.order = order_of(terms, output, extents, memory, path_of(optimize, len(operands)), len(operands))
    arrange(plan.order)
    for step in plan.order:
        for term in (*operands_of(step), step.result):
            if len(term.letters) > MOST_ORDER:
                raise _errors.InputError(f"einsum {subscripts}: an array of the {len(term.letters)} "
                                         f"indexes {term.letters[::-1]}; blocks have at most {MOST_ORDER}")
    _fit(session, plan)
    if travel is not None and is_better(travel, plan):
        plan.travel = travel
    return plan


def means_of(session: "Session") -> tuple[int, int]:
    """Workers of a process, and its memory."""
    together = session.processes
    sharing = 1 if together is None else together.on_node

    def here() -> tuple[int, int]:
        memory = (_core.memory_bytes("") // sharing if session.memory is None
                  else _core.memory_bytes(str(session.memory)))
        return session.workers or max(1, _core.usable_cores() // sharing), memory

    return at_first(together, here)


def _fit(session: "Session", plan: Plan) -> None:
    """Chooses the segments. The estimate of what they need is checked by the memory plan of the
    run itself, which knows the rest; if that says no, smaller ones are tried."""
    share = 0.85
    while True:
        plan.segments, plan.seconds = choose_segments(plan, int(plan.memory_bytes * share))
        plan.sial = program_text(plan)
        try:
            prepare_plan(session, plan)
            return
        except _errors.OutOfMemory:
            share *= 0.8
            if share < 0.1:
                raise


def prepare_plan(session: "Session", plan: Plan, has_trace: bool = False,
                 supers: Sequence[PythonSuper] = ()) -> _core.Job:
    table = [extent for extents in plan.segments.values() for extent in extents]
    return session._prepare(session.compile(plan.sial), None, {"ao": table} if table else None,
                            memory=plan.memory_bytes, has_trace=has_trace, supers=supers)
