# SPDX-License-Identifier: Apache-2.0
"""Programs from strings, arrays in and out, super instructions in Python."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from . import _core, _errors
from ._arrays import BlockArray, Lending
from ._einsum import EinsumArray, Plan, plan_einsum, run_plan
from ._files import Files
from ._keywords import listed, refuse_unknown, takes, with_options
from ._lazy import LazyArray, lazy
from ._masks import unmasked
from ._options import SessionOptions
from ._outputs import new_output, told_output
from ._places import places
from ._processes import Processes, fingerprint, join
from ._program import Program, SessionResult
from ._run import Path, ProgressWish, PythonSuper, Segments, apply, execute, prepare, set_constant
from ._signals import OrderlyEnd
from ._sources import BlockSource, is_source, source_of
from ._supers import called
from .ga import GlobalArray

if TYPE_CHECKING:
    from typing_extensions import Unpack

Super = TypeVar("Super", bound=Callable[..., Any])


class Session:
    """Runs SIAL programs on NumPy arrays.

    Args:
        workers: threads that run programs. Default: one per core.
        memory: limit for each run, like "8G" or bytes: blocks, caches and transfers; the NumPy arrays
            that are passed in are not included. Default: 70 % of the free memory.
        scratch: folder for blocks that do not fit into memory. Default: a temporary folder.
        servers: threads that keep blocks. Default: one.
        fabric: "auto": all processes that ``mpirun`` started run programs together. "loopback": this
            one alone. See below.
        quiet: do not print the output of programs.
        progress: as for ``blockyard.run``.
        {options}

    A session does not have the options of ``blockyard.run`` for files: its programs read and produce arrays.

    Use it in a ``with`` statement: its scratch files are removed at the end of the block (otherwise when the session is
    no longer referenced). Not thread-safe: only one thread at a time may use a session.

    Under ``mpirun`` every process makes the same calls in the same order, from its main thread, with
    the same arrays, and gets every result. ``workers`` and ``memory`` apply to each process; ``servers`` is the number of
    processes that only serve (default: none, every process also serves).

    Attributes:
        arrays: passed to every program that declares an array of that name; also ``s["a"] = array``.
        constants: passed to every program that declares an int or scalar of that name.
        segments: the number of elements in each segment, by kind of index ("ao", "mo", "moa", "mob", "la").
    """

    @takes(SessionOptions)
    def __init__(self, workers: int | None = None, memory: str | int | None = None,
                 scratch: Path | None = None, servers: int | None = None, *, fabric: str = "auto",
                 quiet: bool = False, progress: ProgressWish = None, **options: Unpack[SessionOptions]):
        refuse_unknown(Session, options)
        self.processes: Processes | None = join(fabric)
        self.workers = workers
        self.memory = memory
        self.servers = servers
        self.quiet = quiet
        self.progress = progress
        self.arrays: dict[str, np.ndarray | GlobalArray | BlockSource] = {}
        self.constants: dict[str, float] = {}
        self.segments: dict[str, Any] = {}
        self._options = options
        wanted = _core.Spec()
        apply(wanted, None, None, {"workers": workers, "servers": servers, "memory": memory, **options})  # refuses what is wrong
        wanted.check_device(places().plugins)
        self._supers: dict[str, PythonSuper] = {}
        # Absolute: the script may change its folder.
        self._folder = tempfile.mkdtemp(prefix="blockyard-python-",
                                        dir=None if scratch is None else os.path.abspath(scratch))
        # Also where it is not closed: in a notebook, after an exception.
        self._end = OrderlyEnd()
        self._end.hold()
        self._remove = weakref.finalize(self, _remove, self._folder, self._end, os.getpid())
        if self.processes is not None:
            self.processes.at_end(self._remove)
        self._made = 0

    def __repr__(self) -> str:
        told = [f"{name}={value!r}" for name, value in
                (("workers", self.workers), ("memory", self.memory), ("servers", self.servers))
                if value is not None]
        return f"<blockyard.Session {' '.join(told)}{'' if self._remove.alive else ' closed'}>"

    def __reduce__(self) -> Any:
        raise TypeError("a Session belongs to its process and can be neither pickled nor copied: make one where it is used")

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Removes the session's files. Result arrays stay valid as long as they are referenced, also those
        in files."""
        self._remove()

    @property
    def is_closed(self) -> bool:
        return not self._remove.alive

    def array(self, array: Any) -> LazyArray:
        """A lazy array, which supports the operators of NumPy and need not fit in memory. ``array`` is a NumPy array or
        memory map, an HDF5 dataset (h5py), a Zarr or dask array, a result of a program, or anything that ``np.asarray``
        accepts. No data are copied or computed until values are requested; then one program computes the whole
        expression.

            x = s.array(file["a"])
            y = ((x - x.mean(0)) ** 2).sum(0)     # nothing has been read
            print(np.asarray(y))                  # one program, block by block
        """
        return lazy(self, array)

    def __setitem__(self, name: str, array: Any) -> None:
        self.arrays[name.lower()] = _given(array)

    def __getitem__(self, name: str) -> np.ndarray | GlobalArray | BlockSource:
        return self.arrays[name.lower()]

    def __delitem__(self, name: str) -> None:
        del self.arrays[name.lower()]

    def compile(self, source: Path, *, imports: Sequence[Path] = ()) -> Program:
        """Compiles a program from its text (anything with a line break) or from a file.

        Raises CompileError with every finding, and StorageError.
        """
        folders = listed(imports)
        text = os.fspath(source)
        if "\n" not in text:
            return Program(text, None, folders)
        self._made += 1
        words = text.split()
        at = [word.lower() for word in words].index("sial") if "sial" in text.lower().split() else -1
        name = words[at + 1] if 0 <= at < len(words) - 1 else f"program{self._made}"
        return Program(f"{name}.sial", text, folders)

    def run(self, program: Program | Path, *, arrays: Mapping[str, Any] | None = None,
            constants: Mapping[str, float] | None = None, segments: Segments | None = None,
            labels: Mapping[str, Any] | None = None,
            keep: Sequence[str] | Mapping[str, GlobalArray] | None = None, quiet: bool | None = None,
            trace: Path | None = None) -> SessionResult:
        """Runs a program, given as such, as its text or as its file.

        Args:
            arrays: initial values of static, distributed or served arrays of the program, by name, in
                addition to those of the session. Shapes are in
                the order of the program's indexes. Static arrays are copied, once for each worker.
                Blocks of distributed and served arrays are read in place when they are first
                needed: float64, float32, complex128, complex64, int64, int32 with any strides (Fortran
                order is fastest), memory maps from their file. Any other array is first copied to
                float64. The given arrays are never changed: a program that puts to such an array has its
                own version. Global arrays (``blockyard.ga``) of the program's element type are also accepted: a
                block that is dense in the memory of one rank is lent in place, others are copied when
                they are needed. Other code must not write to them during the run.
            labels: values for ``restore_persistent``, by label: arrays as above, and
                numbers, in place of those that an earlier program would have stored.
            constants, segments: in addition to those of the session. The program must declare these constants.
            keep: names of distributed and served arrays to read back; by default those that the program
                writes. Arrays that do not fit in half the memory go to a file. With ``{"c": g}`` the blocks
                are stored in global array ``g`` (zeros for blocks that were never written).
            trace: as for ``blockyard.run``.

        Raises:
            CompileError, InputError, OutOfMemory, StorageError. An exception in a super
            instruction in Python is the ``__cause__`` of an InputError that names the line.
        """
        if not isinstance(program, Program):
            program = self.compile(program)
        job = self._prepare(program, constants, segments, has_trace=trace is not None)
        files = Files(trace=trace)
        files.check(job, [], self.processes)
        lending = Lending(job)
        try:
            self._lend(program, lending, arrays)
            self._leave(job, lending, labels or {})
            outputs = self._outputs(program, job, keep)
            results, text = execute(job, quiet=self.quiet if quiet is None else quiet,
                                    progress=self.progress, processes=self.processes)
        finally:
            lending.close()
        kept: dict[str, BlockArray | GlobalArray] = {}
        for name, output in outputs.items():
            if isinstance(output, GlobalArray):
                kept[name] = output
                self._sync(output)
                continue
            written = job.written(name)
            if self.processes is not None:
                written = self.processes.share(written)
            array, segments_of = output
            kept[name] = BlockArray(name, told_output(array, self.processes), segments_of, written, self)
        result = SessionResult(results, text, kept, job.exchanged)
        files.write(result, result, self.processes)
        return result

    def _sync(self, array: GlobalArray) -> None:
        """All processes of the run come here; a rank that is a thread runs alone."""
        if self.processes is not None and array.group.rank >= 0:
            array.sync()

    def _lend(self, program: Program, lending: Lending, arrays: Mapping[str, Any] | None) -> None:
        given = {}
        for name, array in {**_lower(self.arrays), **_lower(arrays)}.items():
            info = program.arrays.get(name)
            if info is not None and info.kind in ("static", "distributed", "served"):
                given[name] = _given(array)
            elif arrays is not None and name in _lower(arrays):
                raise _errors.InputError(f"{program.name} uses no static, distributed or served "
                                         f"array '{name}'")
        if self.processes is not None:
            self.processes.check_same({f"array '{name}'": _mark_of(array)
                                       for name, array in given.items()})
        for name, array in given.items():
            if isinstance(array, GlobalArray):
                self._sync(array)
            lending.give(name, array)

    def _leave(self, job: _core.Job, lending: Lending, labels: Mapping[str, Any]) -> None:
        """As if an earlier program had left it."""
        given = {label: _given(value) if is_source(value) or np.ndim(value) else float(value) for label, value in labels.items()}
        if self.processes is not None:
            self.processes.check_same({f"label '{label}'": value if isinstance(value, float) else _mark_of(value)
                                       for label, value in given.items()})
        for label, value in given.items():
            if isinstance(value, float):
                job.give_scalar(label, value)
            elif name := job.restored_from(label):
                if isinstance(value, GlobalArray):
                    self._sync(value)
                lending.give(name, value, label)
            else:
                raise _errors.InputError(f"the program restores no array from label \"{label}\"")

    def _prepare(self, program: Program, constants: Mapping[str, float] | None,
                 segments: Segments | None, memory: str | int | None = None,
                 has_trace: bool = False,
                 supers: Sequence[PythonSuper] | None = None) -> _core.Job:
        """``supers``: of programs that are not the user's, instead of those of the session."""
        if not self._remove.alive:
            raise _errors.InputError("the session is closed")
        spec = _core.Spec()
        spec.title = program.name
        spec.programs = [program.file]
        for name, value in self.constants.items():  # of which a program may lack some
            set_constant(spec, name, value)
        apply(spec, constants, {**self.segments, **(segments or {})},
              {"workers": self.workers, "servers": self.servers, "memory": memory or self.memory,
               "scratch": self._folder, **self._options})
        return prepare(spec, program.places(), list(self._supers.values()) if supers is None else supers, warns=False,
                       processes=self.processes, has_trace=has_trace)

    def _outputs(self, program: Program, job: _core.Job,
                 keep: Sequence[str] | Mapping[str, GlobalArray] | None
                 ) -> dict[str, tuple[np.ndarray | None, list[list[int]]] | GlobalArray]:
        if keep is None:
            names = [name for name, info in program.arrays.items()
                     if info.is_written and info.kind in ("distributed", "served")]
        else:
            names = [name.lower() for name in keep]
        into = _lower(keep) if isinstance(keep, Mapping) else {}
        outputs: dict[str, tuple[np.ndarray | None, list[list[int]]] | GlobalArray] = {}
        left = job.memory_bytes // 2
        for name in names:
            if name not in program.arrays or program.arrays[name].kind not in ("distributed", "served"):
                raise _errors.InputError(f"{program.name} has no distributed or served array '{name}' to keep")
            if name in into:
                if not isinstance(into[name], GlobalArray):
                    raise TypeError(f"keep: array '{name}' goes to a global array (blockyard.ga), not to {into[name]!r}")
                job.keep_global(name, into[name].core)
                outputs[name] = into[name]
                continue
            _, segments, type_name = job.describe(name)
            dtype = np.dtype(type_name)
            shape = [sum(extents) for extents in segments]
            size = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
            self._made += 1
            array = new_output(shape, "F", size <= left, self._folder, f"{name}-{self._made}",
                               self.processes, dtype)
            left -= size if size <= left else 0
            job.keep(name, array)
            outputs[name] = (array, segments)
        return outputs

    def super(self, name: str, signature: str, *, types: str = "any", info: bool = False, opencl: str = "",
              cuda: str = "") -> Callable[[Super], Super]:
        """Decorator of a function that programs call as ``execute name a[i,j] x``.

        Args:
            name: its name in the program's line ``special name signature``.
            signature: one letter for each operand: r (read), w (write), u (update).
            types: a word for each operand, or one for all: "f64", "f32", "c128", "c64", several with "|" between
                them, or "any". A program that executes it on other operands is refused before it starts.
            info: pass the function a ``BlockInfo`` as its last argument.
            opencl, cuda: the same as ``void name(long first, long count, ...)`` in OpenCL C or CUDA C++
                (there ``long long``) over a range of elements of the first operand that is written, for
                devices. They are for the element types of ``types``, f64 where it leaves a choice; blocks of other
                types are the function's. See docs/how_to/super_instruction.md.

        The function receives a NumPy view of each block (elements as in the program: float64, float32, complex128 or
        complex64; Fortran order; writable only where the signature says w or u; zero where it says w), a float or a
        complex for a scalar that is read, an array of order 0 for one that is written. Views are valid only
        during the call. Results are written into the operands; returning one is an error.

        Each call holds the GIL, so workers call it one at a time. In free-threaded Python it must be thread-safe. Leave
        the computation to NumPy, which is fast.
        """
        if not signature or set(signature) - set("rwu"):
            raise ValueError(f"signature {signature!r}: one of r, w, u for each operand")

        def register(function: Super) -> Super:
            self._supers[name.lower()] = (name.lower(), signature, types, called(function, signature, info), opencl, cuda)
            return function

        return register

    def einsum_plan(self, subscripts: Any, *operands: Any, optimize: Any = True) -> Plan:
        """The plan of ``einsum``: the program (``.sial``), the order of contractions, segments,
        and an estimate of memory and time. Nothing runs."""
        return plan_einsum(self, subscripts, [_as_operand(operand) for operand in operands], optimize)

    def einsum(self, subscripts: Any, *operands: Any, out: Any = None, optimize: Any = True,
               verbose: bool = False, trace: Path | None = None) -> EinsumArray | Any:
        """``numpy.einsum`` for arrays that need not fit in memory.

        Args:
            subscripts: like "abef,efij->abij"; as in NumPy, with repeated letters, with "..." and without
                "->". Or the interleaved form: ``einsum(a, [0, 1], b, [1, 2], [0, 2])``.
            operands: NumPy arrays, in memory or memory maps of files; HDF5 datasets (h5py), Zarr and dask
                arrays. They are not copied as a whole: blocks are read when they are wanted.
            out: where the result goes: a NumPy array, also a memory map, an HDF5 dataset, a Zarr array, of the
                result's shape and elements that the result can be cast to as by "same_kind".
            optimize: True, "greedy", "optimal": the order of contractions that costs least. False: from left
                to right. Or a path of ``numpy.einsum_path``.
            verbose: print the plan before the start.
            trace: as for ``blockyard.run``.

        Returns:
            The result in C order, of NumPy's type: an array whose ``.sial`` is the program that
            made it, ``.plan`` its plan, ``.result`` the run: its report, its time. If it does not fit
            in half the memory, it is a memory map of a file that lives as long as the array. No letters
            left: a number. ``out``, if that is not a NumPy array.

        float32, complex64 and complex128 are computed as such, integers in float64. Under ``mpirun`` a product
        of two operands may run as a ring (``.plan.travel``); its ``.result`` is None.

        Raises:
            InputError for subscripts that make no sense, with the letter; OutOfMemory, StorageError.
        """
        plan = self.einsum_plan(subscripts, *operands, optimize=optimize)
        if verbose:
            print(plan, flush=True)
        return run_plan(self, plan, out, trace)


Session.__doc__ = with_options(Session.__doc__, SessionOptions)


def _remove(folder: str, end: OrderlyEnd, process: int) -> None:
    if os.getpid() != process:  # a fork of it
        return
    shutil.rmtree(folder, ignore_errors=True)
    end.release()


def _mark_of(array: np.ndarray | GlobalArray | BlockSource) -> tuple[Any, ...]:
    """Enough to see that a process has another array."""
    if isinstance(array, GlobalArray):
        return array.shape, array.dtype.str, array.name
    return fingerprint(array)


def _given(array: Any) -> np.ndarray | GlobalArray | BlockSource:
    if isinstance(array, (np.ndarray, GlobalArray, BlockSource)):
        return unmasked(array)
    return source_of(array) if is_source(array) else np.asarray(array)


def _as_operand(operand: Any) -> Any:
    return np.asarray(operand) if isinstance(operand, (BlockArray, LazyArray)) else unmasked(operand)


def _lower(arrays: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name.lower(): array for name, array in (arrays or {}).items()}
