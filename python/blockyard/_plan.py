# SPDX-License-Identifier: Apache-2.0
"""Predicts the needs of a job, before it runs."""

from __future__ import annotations

import html
import inspect
import json
import numbers
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from . import _core
from ._errors import InputError
from ._keywords import in_python, listed, refuse_unknown, takes
from ._molecules import read_spec
from ._options import RunOptions
from ._places import places
from ._progress import machine_file
from ._run import Path, Segments, apply, prepare, run, settings_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


class JobPlan:
    """The predicted needs of a job. ``print`` shows the output of ``blockyard plan``.

    Attributes:
        seconds: the time of the run.
        process_bytes: the peak memory of a process.
        fits: whether everything fits into memory.
        segments: the segment sizes that were tried, the fastest first: dicts with "ao", "occupied", "virtual" and
            "seconds"; empty for jobs without a method.
        programs: the needs of each program.
        data: the whole plan, with the keys of docs/plan.md.
    """

    def __init__(self, text: str, told: str):
        self.text = in_python(text)
        self.data: dict[str, Any] = json.loads(told)
        self.seconds: float = self.data["seconds"]
        self.process_bytes: float = self.data["process_bytes"]
        self.fits: bool = self.data["fits"]
        self.segments: list[dict[str, Any]] = self.data["segments"]
        self.programs: list[dict[str, Any]] = self.data["programs"]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return (f"<blockyard.JobPlan {self.seconds:.3g} s, {self.process_bytes / 2**30:.3g} GiB a process"
                f"{'' if self.fits else ', goes to disk'}>")

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


@takes(RunOptions)
def plan(
    job: Any,
    *,
    method: str | None = None,
    basis: str | None = None,
    charge: int | None = None,
    multiplicity: int | None = None,
    settings: Mapping[str, Any] | None = None,
    programs: Sequence[Path] = (),
    constants: Mapping[str, float] | None = None,
    segments: Segments | Literal["best"] | None = None,
    imports: Sequence[Path] = (),
    processes: int = 1,
    iterations: int | Mapping[str, int] | None = None,
    machine: Path | None = None,
    steps: float | None = None,
    try_segments: bool = True,
    **options: Unpack[RunOptions],
) -> JobPlan:
    """Predicts the memory, disk and time that a job needs, without running it.

    Args:
        processes: the number of processes, as for ``mpirun -n``.
        iterations: the assumed iterations of loops that end on convergence: 12 for all, or ``{"ccsd_rhf": 15}``.
        machine: file of ``blockyard calibrate`` for the machine to plan for, if it is another one.
        steps: the number of instructions to step through in each program before sampling.
        try_segments: also try other segment sizes.

    The other keywords are those of ``blockyard.run``, which raises the same errors; those that do not change what a job
    needs are ignored.
    """
    refuse_unknown(plan, options.keys() - inspect.signature(run).parameters.keys())
    counts = _counts(iterations)
    if processes < 1:
        raise InputError(f"processes must be at least 1, not {processes}")
    if steps is not None and not steps >= 1:
        raise InputError(f"steps must be at least 1, not {steps}")
    given = settings_of(method, basis, charge, multiplicity, settings, options)
    spec = read_spec(job, listed(programs), given)
    apply(spec, constants, segments, options)
    where = places(listed(imports))
    rates = machine_file() if machine is None else os.fspath(machine)
    if segments == "best":
        _core.choose_segments(spec, where, rates, processes, None)
    prepared = prepare(spec, where)
    if try_segments:
        return JobPlan(*_core.plan_segments(prepared, spec, where, rates, processes, steps or 0, counts))
    return JobPlan(*_core.plan_job(prepared, rates, processes, steps or 0, counts))


def _counts(iterations: int | Mapping[str, int] | None) -> dict[str, int]:
    counts = dict(iterations) if isinstance(iterations, Mapping) else {} if iterations is None else {"": iterations}
    for program, count in counts.items():
        if not isinstance(count, numbers.Integral) or count < 1:
            raise InputError(f"iterations{f' of {program}' if program else ''} must be a number from 1 on, not {count!r}")
    return {program: int(count) for program, count in counts.items()}
