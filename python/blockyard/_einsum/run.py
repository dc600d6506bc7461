# SPDX-License-Identifier: Apache-2.0
"""Runs a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import _errors
from .._arrays import Lending
from .._outputs import new_output, tell_into, told_output
from .._run import execute
from .plan import Plan, prepare_plan

if TYPE_CHECKING:
    from .._session import Session


class EinsumArray(np.ndarray):
    """A result of ``Session.einsum``: a NumPy array that knows where it came from."""

    plan: "Plan | None" = None

    @property
    def sial(self) -> str:
        """The program that made it."""
        if self.plan is None:
            raise AttributeError("this array is a part of a result: ask the whole one")
        return self.plan.sial


def run_plan(session: "Session", plan: Plan, out: np.ndarray | None) -> EinsumArray | float:
    shape = [plan.extents[letter] for letter in plan.output]
    if out is not None and (list(out.shape) != shape or out.dtype != np.float64):
        raise _errors.InputError(f"out must be float64 of shape {tuple(shape)}")
    array = out
    if array is None:
        session._made += 1
        array = new_output(shape, "C", not plan.result_on_disk, session._folder,
                           f"einsum-{session._made}", session.processes)
    total = _run(session, plan, array) if plan.order else 0.0
    if out is None and plan.is_gathered:
        array = told_output(array, session.processes)
    elif out is not None and plan.is_gathered:
        tell_into(out, session.processes)
    if not plan.output or (not plan.order and out is not None):
        array[...] = total
    if out is None and plan.dtype != np.float64:
        array = (np.rint(array) if plan.dtype.kind in "iu" else array).astype(plan.dtype)
    if not plan.output and out is None:
        return array[()]
    result = array.view(EinsumArray)
    result.plan = plan
    return result


def _run(session: "Session", plan: Plan, array: np.ndarray | None) -> float:
    job = prepare_plan(session, plan)
    lending = Lending(job)
    try:
        for term in plan.terms:
            if term.letters:
                lending.give(term.name, term.array)
        if plan.is_gathered:
            job.keep("result", None if array is None else array.T)
        elif plan.output:
            letters = plan.output[::-1]
            first = plan.first_segments()
            job.write_to("write_result", array.T, [first[letter] for letter in letters],
                         [plan.segments[letter] for letter in letters])
        results, _ = execute(job, quiet=True, progress=session.progress,
                             processes=session.processes)
    finally:
        lending.close()
    return results.scalars.get("total", 0.0)
