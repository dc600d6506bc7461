# SPDX-License-Identifier: Apache-2.0
"""Ranks: those of this process or of one ``mpirun``, or threads; and groups of them."""

from __future__ import annotations

import atexit
import itertools
import pickle
import sys
import threading
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar, Union

import numpy as np

from .. import _core, _errors
from .._processes import end_at_once, join, nodes_of_host

T = TypeVar("T")

# In the order of fabric::Element and fabric::Reduction.
elements = {np.dtype(name): code for code, name in
            enumerate(("int32", "int64", "float32", "float64", "complex64", "complex128"))}
_reductions = {"sum": 0, "prod": 1, "max": 2, "min": 3}

GroupLike = Union["Group", Any, None]
"""A Group, a communicator of mpi4py, or None: all ranks."""


class World:
    """One rank: what its arrays and groups belong to. A rank is a process, or a thread of ``launch``."""

    def __init__(self, core: _core.GaWorld):
        self.core = core
        self.numbers = itertools.count(1)  # of arrays without a name
        self.everyone = Group._of(self, -1)
        self.groups: dict[tuple[int, ...], Group] = {tuple(self.everyone.ranks): self.everyone}

    def group(self, group: GroupLike) -> "Group":
        """Collective among the ranks of a communicator, if it is one of mpi4py."""
        if group is None:
            return self.everyone
        if isinstance(group, Group):
            if group.world is not self:
                raise _errors.InputError("the group belongs to another rank: make it in this thread")
            return group
        if not (hasattr(group, "allgather") and hasattr(group, "Get_rank")):
            raise TypeError(f"group is a ga.Group, a communicator of mpi4py or None, not {group!r}")
        ranks = tuple(group.allgather(self.core.rank))
        if ranks not in self.groups:
            self.groups[ranks] = Group._of(self, self.core.make_group(-1, list(ranks)))
        return self.groups[ranks]


_here: ContextVar[World | None] = ContextVar("world", default=None)  # of a thread that is a rank
_of_process: list[World] = []  # one, from the first use on


def init(comm: Any = None) -> "Group":
    """Collective. Starts global arrays, and returns the group of all ranks.

    Not needed where all processes of an ``mpirun`` take part: the first call of ``ga`` does it. With a
    communicator of mpi4py only its processes are ranks, the others may be absent. Raises InputError if
    global arrays were started already.
    """
    if _of_process or _here.get() is not None:
        if comm is None:
            return world().everyone
        raise _errors.InputError("global arrays were started already: call ga.init before anything else of ga")
    if comm is None:
        processes = join("auto")
        core = _core.ga_alone(1)[0] if processes is None else _core.ga_join(0, nodes_of_host())
    else:
        from mpi4py import MPI

        core = _core.ga_join(MPI._addressof(comm), nodes_of_host())
        if core.size > 1:
            sys.excepthook = _end_all
    _of_process.append(World(core))
    if any(core.node_of(rank) != 0 for rank in range(core.size)):
        atexit.register(core.end)  # before MPI ends: until then processes of other nodes are served
    return _of_process[0].everyone


def _end_all(kind: type, error: BaseException, trace: Any) -> None:
    """After an uncaught exception: other ranks would wait for this one for ever."""
    try:
        sys.__excepthook__(kind, error, trace)
    finally:
        end_at_once()


def world() -> World:
    """That of this thread, or of the process."""
    if (here := _here.get()) is not None:
        return here
    if not _of_process:
        init()
    return _of_process[0]


_look_seconds = 0.5


def launch(ranks: int, function: Callable[..., T], *args: Any, **more: Any) -> list[T]:
    """Calls ``function(*args, **more)`` in ``ranks`` threads, which are the ranks, and returns what each
    returned, in the order of ranks.

    An exception in one of them ends the others at their next collective call, and is raised.
    """
    if ranks < 1:
        raise ValueError(f"ranks = {ranks}: there is at least one")
    cores = _core.ga_alone(ranks)
    results: list[Any] = [None] * ranks
    failures: list[BaseException] = []
    has_all, is_given_up = threading.Event(), threading.Event()  # no rank begins before all threads are there
    ended = [threading.Event() for _ in cores]  # a join that Ctrl-C interrupts takes its thread for one that has ended

    def work(rank: int) -> None:
        has_all.wait()
        if is_given_up.is_set():
            return
        _here.set(World(cores[rank]))
        try:
            results[rank] = function(*args, **more)
        except BaseException as error:
            failures.append(error)
            cores[rank].abort(f"rank {rank}: {type(error).__name__}: {error}")
        finally:
            _here.set(None)
            ended[rank].set()

    threads = [threading.Thread(target=work, args=(rank,), name=f"rank {rank}", daemon=True)
               for rank in range(ranks)]
    try:
        for thread in threads:
            thread.start()
        has_all.set()
        _wait_for(ended, threads)
    except BaseException:
        are_there = has_all.is_set()
        if not are_there:
            is_given_up.set()
        cores[0].abort("interrupted")
        has_all.set()  # also where Ctrl-C came before it had woken all
        if are_there:
            _wait_for(ended, threads)
        raise
    if failures:
        raise failures[0]
    return results


def _wait_for(ended: Sequence[threading.Event], threads: Sequence[threading.Thread]) -> None:
    for event in ended:
        while not event.wait(_look_seconds):  # Ctrl-C that comes as a wait begins does not wake it
            pass
    for thread in threads:
        thread.join()


class Group:
    """Ranks that share arrays and do collective calls together.

    ``ga.Group([0, 2])``: collective among these ranks (of all), in the order given, the same at all, which
    gives them their numbers within the group. Other ranks may call it too, and get a group that they are
    no member of.

    Attributes:
        ranks: of all ranks, the members.
        rank: the number of this rank among them; -1 for one that is not a member.
        size: how many there are.
    """

    world: World
    number: int
    ranks: list[int]
    rank: int

    def __init__(self, ranks: Sequence[int]):
        here = world()
        chosen = [int(rank) for rank in ranks]
        self._fill(here, call("ga.Group", here.core.make_group, -1, chosen))

    @classmethod
    def _of(cls, world: World, number: int) -> "Group":
        group = cls.__new__(cls)
        group._fill(world, number)
        return group

    def _fill(self, world: World, number: int) -> None:
        me = world.core.rank
        self.world = world
        self.number = number
        self.ranks = world.core.ranks_of(number)
        self.rank = self.ranks.index(me) if me in self.ranks else -1

    @property
    def size(self) -> int:
        return len(self.ranks)

    def __repr__(self) -> str:
        return f"<ga.Group rank {self.rank} of {self.size}: {self.ranks}>"

    def sync(self) -> None:
        """Collective. Earlier puts and accumulates of all members are visible to all afterwards."""
        self.meet("ga.sync")

    def meet(self, what: str) -> None:
        self._require_member(what)
        call(what, self.world.core.sync, self.number, what)

    def broadcast(self, value: T, root: int = 0) -> T:
        """Collective. Sends the picklable object of ``root`` to all members."""
        if not 0 <= root < self.size:
            raise _errors.InputError(f"ga.broadcast: root = {root} is outside 0..{self.size - 1}")
        self.meet("ga.broadcast")
        return self._broadcast(value, root)

    def _broadcast(self, value: T, root: int) -> T:
        packed = _Packed(value if self.rank == root else None)
        bytes_ = packed.bytes if self.rank == root else np.empty(0, np.uint8)
        length = np.array([bytes_.size], np.int64)
        self.world.core.broadcast(self.number, length, root)
        if self.rank != root:
            bytes_ = np.empty(int(length[0]), np.uint8)
        self.world.core.broadcast(self.number, bytes_, root)
        packed.require()
        return value if self.rank == root else self._opened("ga.broadcast", bytes_, root)

    def gather(self, value: T) -> list[T]:
        """Collective. Sends the objects of all members, in the order of members, to all."""
        self.meet("ga.gather")
        return self._gather(value)

    def _gather(self, value: T) -> list[T]:
        if self.size == 1:
            return [value]
        packed = _Packed(value)
        mine = packed.bytes
        lengths = np.zeros(self.size, np.int64)
        lengths[self.rank] = mine.size
        self.world.core.reduce(self.number, 1, _reductions["sum"], lengths)
        ends = np.cumsum((lengths + 7) // 8 * 8)
        all_ = np.zeros(int(ends[-1]) // 8, np.int64)
        begin = int(ends[self.rank]) - (mine.size + 7) // 8 * 8
        all_.view(np.uint8)[begin:begin + mine.size] = mine
        # Others have zeros where one has bytes: the sum is all ranks' bytes.
        self.world.core.reduce(self.number, 1, _reductions["sum"], all_)
        told = all_.view(np.uint8)
        begins = np.concatenate([[0], ends[:-1]])
        packed.require()
        return [self._opened("ga.gather", told[b:b + n], member) for member, (b, n) in enumerate(zip(begins, lengths))]

    def _opened(self, what: str, bytes_: np.ndarray, member: int) -> Any:
        value = pickle.loads(bytes_.tobytes())
        if isinstance(value, _Unsent):
            raise _errors.InputError(f"{what} failed at rank {self.ranks[member]}: {value.reason}")
        return value

    def reduce(self, values: Any, op: str = "sum") -> Any:
        """Collective. Element by element the "sum", "prod", "max" or "min" over members of arrays (or
        numbers) of equal shape; the same bits at all. Types: int32, int64, float32, float64, complex64,
        complex128 ("max" and "min": not complex)."""
        if op not in _reductions:
            raise ValueError(f"op is sum, prod, max or min, not {op!r}")
        array = np.array(values, order="C")
        if array.dtype not in elements:
            raise TypeError(f"values of type {array.dtype} cannot be reduced")
        self.meet("ga.reduce")
        call("ga.reduce", self.world.core.reduce, self.number, elements[array.dtype], _reductions[op], array)
        return array if np.ndim(values) else array[()]

    def together(self, what: str, work: Callable[[], T]) -> T:
        """Does ``work`` between two syncs. A failure at one member is a failure at all."""
        self.meet(what)
        failed = np.zeros(1, np.int32)
        error: Exception | None = None
        try:
            result = call(what, work)
        except _errors.CommunicationError:
            raise
        except Exception as caught:
            error = caught
            failed[0] = self.rank + 1
        call(what, self.world.core.reduce, self.number, 0, _reductions["max"], failed)
        if failed[0] == 0:
            return result
        told = self._broadcast(f"{type(error).__name__}: {error}", int(failed[0]) - 1)
        if error is not None:
            error.is_everywhere = True  # type: ignore[attr-defined]
            raise error
        raise _errors.InputError(f"{what} failed at rank {self.ranks[int(failed[0]) - 1]}: {told}")

    def gather_of(self, what: str, work: Callable[[], T]) -> list[T]:
        """What ``work`` returns at all members, once it has failed at none."""
        return self._gather(self.together(what, work))

    def close(self) -> None:
        """Collective among the members. Ends a group whose arrays are no longer referenced."""
        self.meet("ga.Group.close")  # what members still put into arrays that end here has arrived
        self.world.core.end_group(self.number)
        if self.world.groups.get(tuple(self.ranks)) is self:
            del self.world.groups[tuple(self.ranks)]

    def _require_member(self, what: str) -> None:
        if self.rank < 0:
            raise _errors.InputError(f"{what}: rank {self.world.core.rank} is not a member of the group {self.ranks}")


@dataclass
class _Unsent:
    """Goes in place of an object that cannot be pickled, so that others do not wait for it."""

    reason: str


class _Packed:
    """The bytes of an object, or of why there are none."""

    def __init__(self, value: Any):
        self._error: Exception | None = None
        try:
            found = pickle.dumps(value)
        except Exception as error:
            self._error = error
            found = pickle.dumps(_Unsent(f"{type(error).__name__}: {error}"))
        self.bytes = np.frombuffer(found, np.uint8).copy()

    def require(self) -> None:
        if self._error is not None:
            raise self._error


def call(what: str, function: Callable[..., T], *args: Any) -> T:
    """Errors of the model say which array, but not which call."""
    try:
        return function(*args)
    except _errors.Error as error:
        text = str(error)
        if not text.startswith(("(", ":")):
            raise
        raise type(error)(what + text) from None


def rank() -> int:
    """The number of this rank, from 0."""
    return world().core.rank


def size() -> int:
    """How many ranks there are."""
    return world().core.size


def sync(group: GroupLike = None) -> None:
    """Collective. Earlier puts and accumulates of all ranks are visible to all afterwards."""
    world().group(group).sync()
