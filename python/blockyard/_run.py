# SPDX-License-Identifier: Apache-2.0
"""Jobs: from a job file, or programs, to a result."""

from __future__ import annotations

import numbers
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

from . import _core, _errors
from ._files import Files
from ._keywords import listed, method_options, option_pairs, refuse_unknown, takes
from ._molecules import Settings, files_of, name_of, read_spec, setting_text
from ._options import RunOptions
from ._places import places
from ._processes import Processes, at_first, is_first, join, joined, together
from ._progress import Progress, machine_file
from ._result import Result, ToldResults
from ._signals import CheckpointSignal, OrderlyEnd
from ._supers import guarded

if TYPE_CHECKING:
    from typing_extensions import Unpack

Path = Union[str, "os.PathLike[str]"]
Segments = Mapping[str, Union[int, Sequence[int]]]
#: Name, signature, element types, function, and its texts for devices in OpenCL C and CUDA C++.
PythonSuper = tuple[str, str, str, Callable[..., Any], str, str]
ProgressWish = Union[bool, None, Callable[[int, int, str], None], Callable[[int, int, str, dict[str, Any]], None]]


@takes(RunOptions)
def run(
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
    trace: Path | None = None,
    report: Path | None = None,
    json: Path | None = None,
    molden: Path | None = None,
    fcidump: Path | None = None,
    cube: Mapping[str | int, Path] | None = None,
    qcschema: Path | None = None,
    fabric: str = "auto",
    quiet: bool = False,
    progress: ProgressWish = None,
    _kept: _core.KeptFiles | None = None,
    **options: Unpack[RunOptions],
) -> Result:
    """Runs a job, in this process or in all that ``mpirun`` started, and returns its result.

    Args:
        job: one of

            - the path of a job file (``.toml``), an ``.xyz`` file, a ZMAT, a QCSchema input (``.json``) or a
              ``.dat`` file of ACES4;
            - the text of one of the first four, or lines ``symbol x y z`` (angstrom);
            - a molecule: of ASE (``Atoms``, not periodic), of QCSchema or QCElemental (bohr), a list
              ``[("O", (0, 0, 0)), ...]`` (angstrom), a dict with the keys of [molecule] of a job file;
            - a dict of the tables of a job file: ``{"molecule": {...}, "method": {...}}``;
            - a SIAL program (``.sial``, ``.byx``), or several that run one after the other.

            The other arguments override it.
        method: "scf", "mp2", "ccsd", "ccsd(t)", ... of a job with a molecule.
        basis: name of a basis set, like "cc-pvdz".
        charge, multiplicity: of the molecule; 2 S + 1.
        settings: any keys of a job file: ``{"basis.auxiliary": "cc-pvdz-rifit", "method.frozen_core": True}``.
        programs: folders of the programs that a ZMAT or a ``.dat`` file names.
        constants: ints and scalars that programs declare, by name. A Python int becomes an int, a float a scalar.
        segments: the number of elements in each segment, by kind of index: ``{"ao": [5, 6, 7]}``. "best": the sizes for
            which the plan of a job with a method predicts the shortest time.
        imports: folders that are searched for imported SIAL files.
        trace: write a time line to this file (``.json.gz``), for ui.perfetto.dev.
        report: write the measurements to this file: a page if its name ends in ``.html``, else JSON for
            ``blockyard report``.
        json: write the results to this file. This file and the following ones are also written if the run does not converge.
        molden: write geometry, basis set and SCF orbitals to this file (Molden format).
        fcidump: write the integrals over the orbitals of a closed shell to this file (FCIDUMP).
        cube: orbitals and densities on a grid, each with its file: ``{"homo": "homo.cube", 5: "five.cube"}``;
            "lumo", "density", "spin" (docs/chemistry.md).
        qcschema: write the results to this file in QCSchema.
        fabric: "auto": all processes that ``mpirun`` started run the job together: each calls this function and
            gets the whole result; ``workers`` and ``memory`` apply to each process, ``servers`` is the number of
            processes that only serve. "loopback": this process alone.
        quiet: do not print the output of programs (it is still in ``result.text``).
        progress: True, False, None for "in terminals and notebooks", or a function
            ``f(done, all, name)``, called a few times a second with numbers of programs. If it takes a fourth argument,
            that is a dict with "done", the fraction of the job, and "seconds_left", estimated from the plan of the
            job and its progress so far; None at the beginning.
        {options}

    The other keywords are keys of [method] in a job file, such as ``frozen_core=True``, ``scf_iterations=200`` or
    ``roots=3``; docs/how_to/job_file.md describes them.

    Wrong values are refused before anything runs; the message suggests similar names.

    Raises:
        TypeError: a keyword is unknown.
        CompileError: a program has errors.
        InputError: the job is wrong, or a program did something that is not allowed; ``file`` and ``line`` are the place.
        NotConverged: the iterations of the method did not converge; ``result`` has the results so far.
        OutOfMemory, StorageError: there is not enough memory or disk space. If only a file of a run that ended could
            not be written, the others are, and ``result`` has the results.
        KeyboardInterrupt: Ctrl-C was pressed; the run ended cleanly and left no files.

    The GIL is released while the job runs. Ctrl-C works in the main thread.
    """
    refuse_unknown(run, options)
    processes = join(fabric)
    given = settings_of(method, basis, charge, multiplicity, settings, options)
    files = Files(json=json, report=report, molden=molden, fcidump=fcidump, cube=cube, qcschema=qcschema, trace=trace)
    # All processes run what process 0 reads.
    read: list[_core.Spec] = []
    at_first(processes, lambda: read.append(read_spec(job, listed(programs), given)))
    spec = read[0] if read else _core.Spec()
    apply(spec, constants, segments, options)
    spec.name_checkpoints(name_of(job))
    where = places(listed(imports))

    def keep_apart() -> None:
        if _kept is not None:
            _kept.keep_apart(spec)

    at_first(processes, keep_apart)
    if segments == "best":
        with together(processes):
            chosen = _core.choose_segments(spec, where, machine_file(), 1, joined(processes))
        if not quiet and sys.stdout is not None:
            sys.stdout.write(chosen)
    prepared = prepare(spec, where, processes=processes, has_trace=trace is not None)
    inputs = [*files_of(job), *spec.files_read(where)]
    return finish(prepared, files, inputs, quiet=quiet, progress=progress, processes=processes)


def finish(job: _core.Job, files: Files, inputs: Sequence[str] = (), *, quiet: bool, progress: ProgressWish,
           processes: Processes | None) -> Result:
    """Runs a job with a method, or programs, and writes its files, none of which is one of ``inputs``. Raises NotConverged
    with what is known."""
    files.check(job, inputs, processes)
    results, text = execute(job, quiet=quiet, progress=progress, processes=processes)
    result = Result(results, text)
    files.write(result, result, processes)
    if results.unconverged:
        error = _errors.NotConverged(results.unconverged)
        error.result = result
        raise error
    return result


def settings_of(method: str | None, basis: str | None, charge: int | None, multiplicity: int | None,
                more: Mapping[str, Any] | None, options: Mapping[str, Any]) -> Settings:
    """Keys of a job file, in the order in which they win."""
    named = {"method.name": method, "basis.name": basis, "molecule.charge": charge,
             "molecule.multiplicity": multiplicity}
    settings = {key: value for key, value in named.items() if value is not None}
    settings |= {f"method.{name}": value for name, value in options.items()
                 if name in method_options and value is not None}
    for key, value in (more or {}).items():
        if "." not in key:
            raise _errors.InputError(f"settings: {key!r} names no key of a job file, as 'method.frozen_core' does")
        settings[key] = value
    return [(key, setting_text(value)) for key, value in settings.items()]


def apply(spec: _core.Spec, constants: Mapping[str, float] | None, segments: Segments | Literal["best"] | None,
          options: Mapping[str, Any]) -> None:
    """Puts keywords into what a job file says: constants, segments, and the options of a run among ``options``."""
    for name, value in (constants or {}).items():
        set_constant(spec, name, value)
        spec.ask_for(name)
    if segments is None or segments == "best":
        segments = {}
    if not isinstance(segments, Mapping):
        raise _errors.InputError(f'segments is a dict such as {{"ao": [5, 6, 7]}}, or "best", not {segments!r}')
    for kind, extents in segments.items():
        spec.segments(f"{kind}={segments_text(kind, extents)}")
    for key, text in option_pairs(options):
        spec.set(key, text)


def set_constant(spec: _core.Spec, name: str, value: Any) -> None:
    if isinstance(value, numbers.Integral):
        if not -2**63 <= int(value) < 2**63:
            raise _errors.InputError(f"constant {name}: an int has 64 bits, so it cannot be {value}")
        spec.set_int(name, int(value))
    elif isinstance(value, numbers.Real):
        spec.set_scalar(name, float(value))
    else:
        raise TypeError(f"constant {name} is neither an int nor a float: {value!r}")


def segments_text(kind: str, extents: int | Sequence[int]) -> str:
    lengths = list(extents) if isinstance(extents, Iterable) else [extents]
    if not lengths or not all(isinstance(one, numbers.Integral) and one > 0 for one in lengths):
        raise _errors.InputError(f"segments of {kind}: {extents!r} are no lengths, such as [20, 20, 10]; each is a whole number from 1 on "
                                 "(blockyard.even_segments makes them)")
    return ",".join(str(int(one)) for one in lengths)


def prepare(spec: _core.Spec, where: _core.Places, supers: Sequence[PythonSuper] = (), *,
            warns: bool = True, processes: Processes | None = None,
            has_trace: bool = False) -> _core.Job:
    """Compiles and checks; the warnings of the compiler become Python's."""
    found: list[str] = []
    spec.note(has_trace)
    with together(processes):
        calls = [(name, signature, types, guarded(function), opencl, cuda)
                 for name, signature, types, function, opencl, cuda in supers]
        job = _core.prepare(spec, where, calls, found, joined(processes))
        if job is None:
            raise _errors.compile_error(*found)
    if warns and is_first(processes):
        _errors.warn_of(found[0])
    return job


def _as_utf8(text: str) -> str:
    """What is not UTF-8, as an argument may be, is replaced."""
    return os.fsencode(text).decode("utf-8", "replace")


def _runtime_folder() -> str:
    """Where ``blockyard top`` finds this run; "" if there is none, or none whose name is UTF-8."""
    folder = os.environ.get("XDG_RUNTIME_DIR", "")
    return folder if folder == _as_utf8(folder) else ""


def execute(job: _core.Job, *, quiet: bool, progress: ProgressWish,
            processes: Processes | None = None) -> tuple[_core.Results | ToldResults, str]:
    """Runs; what came out, and what the programs printed."""
    bar = Progress(progress if is_first(processes) else False, job.steps, job,
                   1 if processes is None else processes.count)
    printed: list[str] = []

    def hear(text: str) -> None:
        printed.append(text)
        if not quiet:
            bar.write(text)

    try:
        with OrderlyEnd(), CheckpointSignal(job), together(processes):
            results = _core.run(job, hear, bar.tick, _as_utf8(" ".join(sys.orig_argv)), _runtime_folder())
    finally:
        bar.close()
    for error in results.lost:
        warnings.warn(error, RuntimeWarning, stacklevel=3)

    def tell() -> tuple[_core.Results | ToldResults, str]:
        return results if processes is None else ToldResults(results), "".join(printed)

    told = at_first(processes, tell)
    if processes is not None:
        assert isinstance(told[0], ToldResults)
        told[0].is_first = processes.number == 0
        told[0].here = results if processes.number == 0 else None
    return told
