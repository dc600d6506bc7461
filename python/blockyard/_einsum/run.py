# SPDX-License-Identifier: Apache-2.0
"""Runs a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _errors
from .._arrays import Lending, overlap
from .._outputs import new_output, of_type, tell_into, told_output
from .._result import Result
from .._run import Path, execute
from .plan import Plan, prepare_plan

if TYPE_CHECKING:
    from .._session import Session


class EinsumArray(np.ndarray):
    """A result of ``Session.einsum``: a NumPy array that knows where it came from."""

    plan: "Plan | None" = None
    result: Result | None = None

    @property
    def sial(self) -> str:
        """The program that made it."""
        if self.plan is None:
            raise AttributeError("this array is a part of a result: ask the whole one")
        return self.plan.sial


def run_plan(session: "Session", plan: Plan, out: np.ndarray | None,
             trace: Path | None = None) -> EinsumArray | Any:
    shape = [plan.extents[letter] for letter in plan.output]
    if out is not None and (list(out.shape) != shape or out.dtype != np.float64):
        raise _errors.InputError(f"out must be float64 of shape {tuple(shape)}")
    for number, term in enumerate(plan.terms, 1):
        if out is not None and overlap(out, term.given):
            raise _errors.InputError(f"out overlaps operand {number}, which is read meanwhile")
    place = out
    if place is None:
        session._made += 1
        place = new_output(shape, "C", not plan.result_on_disk, session._folder,
                           f"einsum-{session._made}", session.processes)
    run = _run(session, plan, place, trace) if plan.order else None
    if out is None and isinstance(place, np.memmap):
        place = of_type(place, plan.dtype)
    processes = session.processes if plan.is_gathered else None
    array = told_output(place, processes) if out is None else tell_into(out, processes)
    if not plan.output or (not plan.order and out is not None):
        array[...] = run.scalars.get("total", 0.0) if run is not None else 0.0
    if out is None:
        array = of_type(array, plan.dtype)
    if not plan.output and out is None:
        return array[()]
    result = array.view(EinsumArray)
    result.plan, result.result = plan, run
    return result


def _run(session: "Session", plan: Plan, place: np.ndarray | None,
         trace: Path | None) -> Result:
    """`place`: None where another process collects the result."""
    job = prepare_plan(session, plan, has_trace=trace is not None)
    lending = Lending(job)
    try:
        for term in plan.terms:
            if term.letters:
                lending.give(term.name, term.given)
        if plan.is_gathered:
            job.keep("result", None if place is None else place.T)
        elif place is not None and plan.output:
            letters = plan.output[::-1]
            first = plan.first_segments()
            job.write_to("write_result", place.T, [first[letter] for letter in letters],
                         [plan.segments[letter] for letter in letters])
        return Result(*execute(job, quiet=True, progress=session.progress,
                               processes=session.processes, trace=trace))
    finally:
        lending.close()
