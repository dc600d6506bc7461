# SPDX-License-Identifier: Apache-2.0
"""The processes of one ``mpirun`` that run a script together: the same calls, in the same order."""

from __future__ import annotations

import atexit
import os
import pickle
import sys
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from functools import lru_cache
from typing import Any, NoReturn, TypeVar, cast

import numpy as np

from . import _core, _errors
from ._sources import BlockSource

T = TypeVar("T")
_patience_seconds = 4.0
_sampled_elements = 64


def _number(name: str) -> int:
    text = os.environ.get(name, "")
    return int(text) if text.isdigit() else 0


def launched() -> int:
    """How many processes a launcher of MPI started; 0 if none did."""
    for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"):
        if os.environ.get(name, "").isdigit():
            return max(1, _number(name))
    # srun --mpi=pmix tells the rank only; the number of processes is that of Slurm's step.
    if "PMIX_RANK" in os.environ or "PMI_RANK" in os.environ:
        return max(1, _number("SLURM_STEP_NUM_TASKS"))
    return 0


def nodes_of_host() -> int:
    """As how many nodes global arrays treat this host: more than one in tests."""
    text = os.environ.get("BLOCKYARD_GA_NODES", "")
    if text and _number("BLOCKYARD_GA_NODES") < 1:
        raise _errors.InputError(f'BLOCKYARD_GA_NODES is "{text}"; it is a number of nodes, 1 or more')
    return max(1, _number("BLOCKYARD_GA_NODES"))


def _spans_nodes() -> bool:
    """Then a thread of each process serves what others ask of its global arrays."""
    return (nodes_of_host() > 1 or _number("OMPI_COMM_WORLD_SIZE") > _number("OMPI_COMM_WORLD_LOCAL_SIZE")
            or _number("PMI_SIZE") > _number("MPI_LOCALNRANKS") > 0 or _number("SLURM_STEP_NUM_NODES") > 1)


def join(fabric: str) -> "Processes | None":
    """The processes of this run. None: this one alone.

    ``fabric``: "auto" (all that ``mpirun`` or ``srun`` started), "loopback" (this one alone), "mpi".
    """
    if fabric not in ("auto", "loopback", "mpi"):
        raise ValueError(f"fabric is auto, loopback or mpi, not {fabric!r}")
    if fabric == "loopback":
        return None
    if fabric == "auto" and launched() <= 1:
        if launched() == 0 and _number("SLURM_STEP_NUM_TASKS") > 1:
            raise _errors.InputError(
                f"srun started {_number('SLURM_STEP_NUM_TASKS')} processes, but each of them sees none of the "
                "others: use 'srun --mpi=pmix' or another kind that 'srun --mpi=list' shows, or mpirun; "
                "fabric=\"loopback\" runs everything in each")
        return None
    return _join()


@lru_cache(maxsize=None)  # MPI is started once in a process
def _join() -> "Processes":
    processes = Processes(_core.join(_spans_nodes()))
    if processes.count == 1 and launched() > 1:
        raise _errors.InputError(
            f"mpirun started {launched()} processes, but this blockyard sees none of the others: it was "
            "built with another MPI; use the mpirun of that one, or fabric=\"loopback\"")
    return processes


def processes(fabric: str = "auto") -> tuple[int, int]:
    """The number of this process among those that ``mpirun`` started, and how many there are."""
    joined_processes = join(fabric)
    return (0, 1) if joined_processes is None else (joined_processes.number, joined_processes.count)


def is_first(processes: "Processes | None") -> bool:
    """Whether this process is the one that tells and writes."""
    return processes is None or processes.number == 0


def joined(processes: "Processes | None") -> "_core.Processes | None":
    return None if processes is None else processes.joined


def together(processes: "Processes | None") -> Any:
    return nullcontext() if processes is None else processes.together()


def at_first(processes: "Processes | None", make: Callable[[], T]) -> T:
    """What only the first process does: its result in all of them, or its exception."""
    return make() if processes is None else processes.at_first(make)


def end_at_once() -> NoReturn:
    """Ends this process as failed, also where its output is on a full disk or closed: others wait for it."""
    try:
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                if stream is not None:
                    stream.flush()
    finally:
        os._exit(1)


class Processes:
    """Collective, all of it: every process calls the same, and waits for the others."""

    def __init__(self, joined: "_core.Processes"):
        self.joined = joined
        self.number: int = joined.number
        self.count: int = joined.count
        self.on_node: int = joined.on_node
        self._endings: list[weakref.finalize[..., Any]] = []
        self._dropped: list[str] = []  # since it was last told
        self._drops: Counter[str] = Counter()  # of process 0: by how many
        atexit.register(self._end)
        if self.count > 1:
            self._hook, sys.excepthook = sys.excepthook, self._end_all

    def _end_all(self, kind: type, error: BaseException, trace: Any) -> None:
        """After an uncaught exception: the others would wait for this process for ever. One that all
        of them have is reported by process 0."""
        try:
            self._tidy_up()
            if getattr(error, "is_everywhere", False) and self.number != 0:
                time.sleep(_patience_seconds)
            else:
                self._hook(kind, error, trace)
        finally:
            end_at_once()

    def _end(self) -> None:
        self._tidy_up()  # first: a process that waits for others may be killed meanwhile
        self.joined.close()
        del self.joined  # what still refers to this object keeps none of the extension's beyond the interpreter

    def _tidy_up(self) -> None:
        for ending in self._endings:
            ending()

    def at_end(self, ending: weakref.finalize[..., Any]) -> None:
        """Registers work to do at the end, also where an exception ends all processes."""
        self._endings = [*(one for one in self._endings if one.alive), ending]

    @contextmanager
    def together(self) -> Iterator[None]:
        """A failure in here is a failure in every process."""
        try:
            yield
        except Exception as error:
            error.is_everywhere = True  # type: ignore[attr-defined]
            raise

    def share(self, value: T) -> T:
        """The value of process 0."""
        mine = pickle.dumps(value) if self.number == 0 else b""
        told = self.joined.broadcast(mine)
        return value if self.number == 0 else pickle.loads(told)

    def at_first(self, make: Callable[[], T]) -> T:
        """Returns process 0's result of ``make`` in all processes, or raises its exception there."""
        told: tuple[T | None, Exception | None] = (None, None)
        if self.number == 0:
            try:
                told = (make(), None)
            except Exception as error:
                told = (None, error)
        value, failed = self.share(told)
        if failed is not None:
            with self.together():
                raise failed
        return cast(T, value)

    def any(self, is_so: object) -> bool:
        """Whether it is so in any process."""
        return self.share(any(self.joined.gather(b"1" if is_so else b"")))

    def require(self, problem: str) -> None:
        """InputError everywhere with the first problem that a process has."""
        problems = [part.decode() for part in self.joined.gather(problem.encode())]
        first = self.share(next((one for one in problems if one), ""))
        if first:
            with self.together():
                raise _errors.InputError(first)

    def share_array(self, array: np.ndarray) -> None:
        """Puts what process 0 has into an array of the others, of the same shape and layout."""
        flat = array if array.flags.f_contiguous or array.flags.c_contiguous else array.copy()
        self.joined.broadcast_into(flat)
        if flat is not array:
            array[...] = flat

    def drop(self, file: str) -> None:
        """Notes that this process no longer maps the file. Not collective."""
        self._dropped.append(file)

    def dropped_by_all(self) -> list[str]:
        """The files that no process maps any more, each once; told to process 0."""
        mine = [self._dropped.pop() for _ in range(len(self._dropped))]
        for part in self.joined.gather(pickle.dumps(mine)):
            self._drops.update(pickle.loads(part))
        dropped = [file for file, times in self._drops.items() if times == self.count]
        for file in dropped:
            del self._drops[file]
        return dropped

    def check_same(self, what: Mapping[str, Any]) -> None:
        """InputError everywhere if a process has something else than process 0."""
        parts = [pickle.loads(part) for part in self.joined.gather(pickle.dumps(dict(what)))]
        self.require(_difference(parts))


def _difference(parts: list[dict[str, Any]]) -> str:
    for process, part in enumerate(parts):
        for name in {**parts[0], **part}:
            if name not in part or name not in parts[0] or part[name] != parts[0][name]:
                return (f"{name} is not the same in process {process} as in process 0: every process of "
                        "an mpirun gives the same (seed random numbers, or load from one file)")
    return ""


def fingerprint(array: np.ndarray | BlockSource) -> tuple[Any, ...]:
    """Shape, type and some elements: enough to see that a process has another array."""
    if isinstance(array, BlockSource):
        last = [min(extent, 2) for extent in array.shape]
        return array.shape, array.dtype.str, array.read([0] * array.ndim, last).tobytes()
    places = np.linspace(0, max(array.size - 1, 0), min(array.size, _sampled_elements)).astype(np.intp)
    return array.shape, array.dtype.str, array.flat[places].tobytes()
