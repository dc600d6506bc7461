# SPDX-License-Identifier: Apache-2.0
"""Runs a plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core, _errors
from .._arrays import Lending, is_direct, overlap, require_writable
from .._files import Files, Path
from .._outputs import new_output, of_type, tell_into, told_output
from .._processes import is_first
from .._result import Result, ToldResults
from .._run import PythonSuper, execute
from .._sources import BlockSource, Target, is_same, is_source, rounded
from .plan import Plan, prepare_plan
from .terms import Step
from .travel import run_travel

if TYPE_CHECKING:
    from .._session import Session


class EinsumArray(np.ndarray):
    """A result of ``Session.einsum``: a NumPy array that knows where it came from."""

    plan: "Plan | None" = None
    result: Result | None = None

    def __array_wrap__(self, made: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Numbers are no arrays."""
        return made[()] if np.ndim(made) == 0 else made

    @property
    def sial(self) -> str:
        """The program that made it, or would have if no operand had travelled."""
        if self.plan is None:
            raise AttributeError("this array is a part of a result: ask the whole one")
        return self.plan.sial


def run_plan(session: "Session", plan: Plan, out: Any = None,
             trace: Path | None = None) -> EinsumArray | Any:
    shape = [plan.extents[letter] for letter in plan.output]
    if out is not None:
        _check_out(session, plan, out, shape)
    place = out
    if place is None:
        session._made += 1
        place = new_output(shape, "C", not plan.result_on_disk, session._folder,
                           f"einsum-{session._made}", session.processes, plan.element)
    run, files = None, Files(trace=trace)
    if plan.travel is not None and trace is None:
        run_travel(plan, plan.travel, place if is_first(session.processes) else None)
    elif plan.order:
        run = _run(session, plan, place, files, trace is not None)
    made = _collect(session, plan, place, out, run)
    if run is not None:
        files.write(run, made, session.processes)
    return made


def _collect(session: "Session", plan: Plan, place: Any, out: Any, run: Result | None) -> EinsumArray | Any:
    """What the caller gets, from ``place``."""
    shape = [plan.extents[letter] for letter in plan.output]
    processes = session.processes if plan.is_gathered else None
    if out is not None and not isinstance(out, np.ndarray):
        if not plan.output or not plan.order:
            Target(out, plan.dtype).put([0] * len(shape), np.full(shape, _total(plan, run)))
        return out
    if out is None and isinstance(place, np.memmap):
        place = of_type(place, plan.dtype, processes)
    array = told_output(place, processes) if out is None else tell_into(out, processes)
    if not plan.output or (not plan.order and out is not None):
        array[...] = _total(plan, run)
    if out is None:
        array = of_type(array, plan.dtype)
    if not plan.output and out is None:
        return array[()]
    result = array.view(EinsumArray)
    plan.drop_operands()
    result.plan, result.result = plan, run
    return result


def _total(plan: Plan, run: Result | None) -> Any:
    """Of a result without letters; 0 where nothing was added."""
    total = run.scalars.get("total", 0.0) if run is not None else 0.0
    return rounded(total, plan.dtype) if plan.dtype.kind in "iub" else total


def _check_out(session: "Session", plan: Plan, out: Any, shape: list[int]) -> None:
    """Raises InputError for an array that the result cannot go to."""
    if not isinstance(out, np.ndarray) and not (is_source(out) and hasattr(out, "__setitem__")):
        raise TypeError(f"out is a NumPy array or what can be sliced like one (HDF5, Zarr), not {type(out).__name__}")
    if list(out.shape) != shape or not np.can_cast(plan.dtype, out.dtype, "same_kind"):
        raise _errors.InputError(f"out has the shape {tuple(out.shape)} and elements {np.dtype(out.dtype)}, the result "
                                 f"{tuple(shape)} and {plan.dtype}")
    if not isinstance(out, np.ndarray) and session.processes is not None:
        raise _errors.InputError("several processes write no HDF5 or Zarr array: give out= a memory map")
    require_writable(out)
    if isinstance(out, np.ndarray) and plan.is_gathered and not is_direct(out, plan.element):
        raise _errors.InputError(f"out of several processes has the elements {plan.element} of the computation")
    for number, term in enumerate(plan.terms, 1):
        given = term.given
        is_read = (overlap(out, given) if isinstance(out, np.ndarray) and isinstance(given, np.ndarray)
                   else isinstance(given, BlockSource) and is_same(given.root, out))
        if is_read:
            raise _errors.InputError(f"out overlaps operand {number}, which is read meanwhile")


def _writer(plan: Plan, place: Any) -> Callable[..., None]:
    """The super instruction write_result for what it cannot write from C++: other elements, other arrays."""
    target, first = Target(place, plan.dtype), plan.first_segments()
    letters = plan.output[::-1]
    begins = [np.cumsum([0, *plan.segments[letter]]) for letter in letters]

    def write(views: list[np.ndarray], segments: list[list[int]], worker: int, workers: int) -> None:
        at = [int(begin[number - first[letter]]) for begin, number, letter in zip(begins, segments[0], letters)]
        target.put(at[::-1], views[0].transpose())

    return write


def _adder(step: Step) -> Callable[..., None]:
    """The super instruction add_sum: adds a block, summed over letters that the result lacks."""
    letters = step.left.letters
    summed = tuple(letters.index(c) for c in step.summed)
    kept = [c for c in letters if c not in step.summed]
    order = [kept.index(c) for c in step.result.letters]

    def add(views: list[np.ndarray], segments: list[list[int]], worker: int, workers: int) -> None:
        views[0][...] += np.asarray(np.add.reduce(views[1], axis=summed)).transpose(order)

    return add


def _run(session: "Session", plan: Plan, place: Any, files: Files, has_trace: bool) -> Result:
    """`place`: None where another process collects the result."""
    writes_itself = is_direct(place, plan.element)
    supers: list[PythonSuper] = [("add_sum", "ur", "any", _adder(step), "", "") for step in plan.order if step.is_sum]
    if plan.output and not plan.is_gathered and not writes_itself:
        supers.append(("write_result", "r", "any", _writer(plan, place), "", ""))
    job = prepare_plan(session, plan, has_trace=has_trace, supers=supers)
    files.check(job, [], session.processes)
    lending = Lending(job)
    try:
        for term in plan.terms:
            if term.letters:
                lending.give(term.name, term.given)
        if plan.is_gathered:
            job.keep("result", None if place is None else place.T)
        elif writes_itself and plan.output:
            letters = plan.output[::-1]
            first = plan.first_segments()
            job.write_to("write_result", place.T, [first[letter] for letter in letters],
                         [plan.segments[letter] for letter in letters])
        return Result(*execute_own(session, job))
    finally:
        lending.close()


def execute_own(session: "Session", job: _core.Job) -> tuple[_core.Results | ToldResults, str]:
    """Runs a program that its user did not write: an error of NumPy, or of a file, is raised as it is."""
    try:
        return execute(job, quiet=True, progress=session.progress, processes=session.processes)
    except _errors.InputError as error:
        if error.__cause__ is None:
            raise
        cause = error.__cause__
    raise cause
