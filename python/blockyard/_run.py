# SPDX-License-Identifier: Apache-2.0
"""Jobs: from a job file, or programs, to a result."""

from __future__ import annotations

import inspect
import numbers
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Union

import numpy as np

from . import _core, _errors
from ._files import Files, write_file
from ._molecules import Settings, name_of, read_spec, setting_text
from ._places import places
from ._processes import Processes, is_first, join, joined, together
from ._progress import Progress, machine_file
from ._result import Result, ToldResults
from ._signals import OrderlyEnd

Path = Union[str, "os.PathLike[str]"]
Segments = Mapping[str, Union[int, Sequence[int]]]
ProgressWish = Union[bool, None, Callable[[int, int, str], None], Callable[[int, int, str, dict[str, Any]], None]]


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
    workers: int | None = None,
    servers: int | None = None,
    memory: str | int | None = None,
    scratch: Path | None = None,
    persistent: Path | None = None,
    guess: Path | None = None,
    save: Path | None = None,
    checkpoint: str | float | None = None,
    checkpoint_dir: Path | None = None,
    supers: Sequence[Path] = (),
    imports: Sequence[Path] = (),
    pardo: str | None = None,
    prefetch: str | int | None = None,
    check: bool | None = None,
    deterministic: bool | None = None,
    device: str | None = None,
    devices: int | None = None,
    device_memory: str | int | None = None,
    device_options: str | None = None,
    placement: str | None = None,
    device_after: str | float | None = None,
    device_network: str | None = None,
    respect_gpu_hints: bool | None = None,
    fabric_delay: str | None = None,
    seed: int | None = None,
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
    **options: Any,
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

            The following arguments override it.
        method: "scf", "mp2", "ccsd", "ccsd(t)", ... of a job with a molecule.
        basis: name of a basis set, like "cc-pvdz".
        charge, multiplicity: of the molecule; 2 S + 1.
        settings: any keys of a job file: ``{"basis.auxiliary": "cc-pvdz-ri", "method.frozen_core": True}``.
        programs: folders of the programs that a ZMAT or a ``.dat`` file names.
        constants: ints and scalars that programs ask for, by name. An int is an int, a float a
            scalar.
        segments: elements in each segment by kind of index: ``{"ao": [5, 6, 7]}``; "best": the sizes with
            which the plan of a job with a method is fastest.
        workers: threads that run the program; one per core if not given.
        servers: threads that keep blocks; one if not given.
        memory: of the whole run, like "8G" or bytes; 70 % of what is free if not given.
        scratch: folder for what memory cannot hold; a fresh one of the system if not given.
        persistent: HDF5 file of what is kept between jobs.
        guess: HDF5 file of the orbitals and amplitudes of an earlier job, to start from.
        save: HDF5 file for those of this job.
        checkpoint: take a checkpoint every so often: "10m", "2h", or seconds. ``blockyard.resume`` goes
            on from it.
        checkpoint_dir: folder for checkpoints; the name of the job with the ending ``.checkpoint`` if
            not given.
        supers: shared objects with super instructions.
        imports: folders where imported SIAL files are looked for.
        pardo: how iterations are dealt out: "sequential", "static", "balanced", "dynamic",
            "locality".
        prefetch: "auto", or how many blocks each get asks for in advance.
        check: find races, uninitialised reads and leaks.
        deterministic: the same bits in every run with as many workers.
        device: where blocks are computed besides the host: "auto" (a GPU if there is one), "none", or the
            kind of a device (docs/devices.md has them and what follows).
        devices: how many devices of each process; all if not given.
        device_memory: to use on each device, like "4G" or bytes; 90 % of what is free if not given.
        device_options: options of the device's plug-in.
        placement: "learned" (statements run on host or device, where they are faster) or "device".
        device_after: with learned placement, the work after which a device is opened: "2s", or seconds.
        device_network: whether MPI reads the memory of devices: "auto", "on" or "off".
        respect_gpu_hints: statements between ``gpu_on`` and ``gpu_off`` run on the device.
        fabric_delay: make messages as slow as on a network, like "100us,1GB/s", for measurements.
        seed: randomise the order of messages with it, for tests.
        trace: write a time line to this file (``.json.gz``), for ui.perfetto.dev.
        report: write what was measured to this file: a page if its name ends in ``.html``, else JSON for
            ``blockyard report``.
        json: write the results to this file; also those of a run that does not converge, as all that follow.
        molden: write geometry, basis set and SCF orbitals to this file (Molden format).
        fcidump: write the integrals over the orbitals of a closed shell to this file (FCIDUMP).
        cube: orbitals and densities on a grid, each with its file: ``{"homo": "homo.cube", 5: "five.cube"}``;
            "lumo", "density", "spin" (docs/chemistry.md).
        qcschema: write the results to this file in QCSchema.
        fabric: "auto": all processes that ``mpirun`` started run the job together, each calls this and
            gets the whole result; ``workers`` and ``memory`` are those of each process, ``servers``
            are processes that only serve. "loopback": this process alone.
        quiet: do not print what programs print (it is in ``result.text`` all the same).
        progress: True, False, None for "in terminals and notebooks", or a function
            ``f(done, all, name)``, called a few times a second with the number of programs. A fourth argument
            gets a dict: "done", the share of the job, and "seconds_left", from the plan of the job and
            from how far it is; None at the begin.
        **options: keys of [method] in a job file: ``frozen_core=True``, ``scf_iterations=200``,
            ``roots=3`` (docs/how_to/job_file.md).

    Wrong values are refused before anything runs, with names that are near.

    Raises:
        TypeError: a keyword is not known.
        CompileError: a program has errors.
        InputError: the job is wrong, or a program did what it may not; ``file`` and ``line`` say
            where.
        NotConverged: an iteration of the method did not converge; ``result`` has what is known.
        OutOfMemory, StorageError: the memory or the disk does not suffice.
        KeyboardInterrupt: Ctrl-C; the run ended in order, and left no files.

    The GIL is free while the job runs. Ctrl-C works in the main thread.
    """
    processes = join(fabric)
    given = settings_of("run", method, basis, charge, multiplicity, settings, options)
    files = Files(json=json, report=report, molden=molden, fcidump=fcidump, cube=cube, qcschema=qcschema)
    # All processes run what process 0 reads.
    spec = _core.Spec()
    if is_first(processes):
        spec = read_spec(job, [os.fspath(folder) for folder in programs], given)
    apply(spec, constants=constants, segments=segments, workers=workers, servers=servers,
          memory=memory, scratch=scratch, persistent=persistent, guess=guess, save=save,
          checkpoint=seconds_text(checkpoint), checkpoint_dir=checkpoint_dir, super=list(supers),
          pardo=pardo, prefetch=prefetch, check=check, deterministic=deterministic, device=device,
          devices=devices, device_memory=device_memory, device_options=device_options,
          placement=placement, device_after=seconds_text(device_after), device_network=device_network,
          respect_gpu_hints=respect_gpu_hints, fabric_delay=fabric_delay, seed=seed)
    spec.name_checkpoints(name_of(job))
    where = places([os.fspath(folder) for folder in imports])
    if segments == "best" and is_first(processes):
        chosen = _core.choose_segments(spec, where, machine_file(), 1 if processes is None else processes.count)
        if not quiet:
            sys.stdout.write(chosen)
    prepared = prepare(spec, where, processes=processes, has_trace=trace is not None)
    return finish(prepared, files, quiet=quiet, progress=progress, processes=processes, trace=trace)


def finish(job: _core.Job, files: Files, *, quiet: bool, progress: ProgressWish,
           processes: Processes | None, trace: Path | None) -> Result:
    """Runs a job with a method, or programs, and writes its files. Raises NotConverged with what is known."""
    with together(processes):
        files.check(job)
    results, text = execute(job, quiet=quiet, progress=progress, processes=processes, trace=trace)
    result = Result(results, text)
    files.write(result)
    if results.unconverged:
        error = _errors.NotConverged(results.unconverged)
        error.result = result
        raise error
    return result


def settings_of(function: str, method: str | None, basis: str | None, charge: int | None, multiplicity: int | None,
                more: Mapping[str, Any] | None, options: Mapping[str, Any]) -> Settings:
    """Keys of a job file, in the order in which they win."""
    named = {"method.name": method, "basis.name": basis, "molecule.charge": charge,
             "molecule.multiplicity": multiplicity}
    settings = {key: value for key, value in named.items() if value is not None}
    known = _core.method_options()
    for name, value in options.items():
        if name not in known:
            every = [*inspect.signature(run).parameters, *known]
            raise TypeError(f"{function}() has no keyword {name!r}{_errors.near(name, every)}")
        settings[f"method.{name}"] = value
    for key, value in (more or {}).items():
        if "." not in key:
            raise _errors.InputError(f"settings: {key!r} names no key of a job file, as 'method.frozen_core' does")
        settings[key] = value
    return [(key, setting_text(value)) for key, value in settings.items()]


def apply(spec: _core.Spec, **wishes: Any) -> None:
    """Puts keywords into what a job file says: constants, segments, and by its key each option of a run
    (blockyard/input/run_options.cpp). None leaves it as it is."""
    for name, value in (wishes.pop("constants", None) or {}).items():
        set_constant(spec, name, value)
    segments = wishes.pop("segments", None)
    if segments is None or segments == "best":
        segments = {}
    if not isinstance(segments, Mapping):
        raise _errors.InputError(f'segments is a dict such as {{"ao": [5, 6, 7]}}, or "best", not {segments!r}')
    for kind, extents in segments.items():
        spec.segments(f"{kind}={segments_text(extents)}")
    for key, value in option_pairs(**wishes):
        spec.set(key, value)


def option_pairs(**wishes: Any) -> list[tuple[str, str]]:
    """Options that were given, as texts; one that is a list several times."""
    return [(key, _option_text(one)) for key, value in wishes.items()
            for one in (value if isinstance(value, list) else [value]) if one is not None]


def _option_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def seconds_text(value: str | float | None) -> str | None:
    """A time as the options of a run take it; a number is one of seconds."""
    return value if value is None or isinstance(value, str) else f"{value}s"


def set_constant(spec: _core.Spec, name: str, value: Any) -> None:
    if isinstance(value, numbers.Integral):
        spec.set_int(name, int(value))
    elif isinstance(value, numbers.Real):
        spec.set_scalar(name, float(value))
    else:
        raise TypeError(f"constant {name} is neither an int nor a float: {value!r}")


def segments_text(extents: int | Sequence[int]) -> str:
    return str(extents) if isinstance(extents, (int, np.integer)) else ",".join(str(int(e)) for e in extents)


def prepare(spec: _core.Spec, where: _core.Places, supers: Sequence[tuple[str, str, str, Callable[..., Any]]] = (), *,
            warns: bool = True, processes: Processes | None = None,
            has_trace: bool = False) -> _core.Job:
    """Compiles and checks; the warnings of the compiler become Python's."""
    found: list[str] = []
    spec.note(has_trace)
    with together(processes):
        job = _core.prepare(spec, where, list(supers), found, joined(processes))
        if job is None:
            raise _errors.compile_error(*found)
    if warns and is_first(processes):
        _errors.warn_of(found[0])
    return job


def execute(job: _core.Job, *, quiet: bool, progress: ProgressWish,
            processes: Processes | None = None,
            trace: Path | None = None) -> tuple[_core.Results | ToldResults, str]:
    """Runs; what came out, and what the programs printed. `trace`: file for a time line."""
    bar = Progress(progress if is_first(processes) else False, job.steps, job,
                   1 if processes is None else processes.count)
    printed: list[str] = []

    def hear(text: str) -> None:
        printed.append(text)
        if not quiet:
            bar.write(text)

    try:
        with OrderlyEnd(), together(processes):
            results = _core.run(job, hear, bar.tick, " ".join(sys.orig_argv),
                                os.environ.get("XDG_RUNTIME_DIR", ""))
    finally:
        bar.close()
    for error in results.lost:
        warnings.warn(error, RuntimeWarning, stacklevel=3)
    if trace is not None and is_first(processes):
        write_file(trace, results.trace())
    text = "".join(printed)
    if processes is None:
        return results, text
    mine = (ToldResults(results), text) if processes.number == 0 else None
    told = processes.share(mine)
    assert told is not None
    told[0].is_first = processes.number == 0
    told[0].here = results if processes.number == 0 else None
    return told
