# SPDX-License-Identifier: Apache-2.0
"""Locks, and counters that hand out tasks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _core
from . import _make
from ._world import GroupLike, call, world


class Lock:
    """Collective among all ranks to make. ``with lock:`` one rank at a time, in the order of asking; what
    it put or added is seen by the next one. Not recursive."""

    def __init__(self) -> None:
        here = world()
        here.everyone.meet("ga.Lock")
        self._locks = _core.ga_locks(here.core, 1)

    def acquire(self) -> None:
        """Waits until no other rank has it."""
        call("ga.Lock.acquire", self._locks.lock, 0)

    def release(self) -> None:
        """InputError if it is not held."""
        call("ga.Lock.release", self._locks.unlock, 0)

    def __enter__(self) -> "Lock":
        self.acquire()
        return self

    def __exit__(self, *_: Any) -> None:
        self.release()


class Counter:
    """Numbers that each come to one rank only. Made by ``ga.counter``."""

    def __init__(self, tasks: int | None, group: GroupLike):
        self._tasks = tasks
        self._next = _make.zeros(1, np.int64, group=group, name="counter")

    def next(self) -> int:
        """One-sided. The next number, from 0 on."""
        return self._next.read_inc(0)

    def __iter__(self) -> Iterator[int]:
        """One-sided. Numbers below ``tasks``, as long as there are some."""
        if self._tasks is None:
            raise TypeError("a counter without an end: give ga.counter a number of tasks, or call next()")
        while (number := self.next()) < self._tasks:
            yield number

    def reset(self) -> None:
        """Collective. The next number is 0 again."""
        self._next.fill(0)


def counter(tasks: int | None = None, *, group: GroupLike = None) -> Counter:
    """Collective. Deals tasks to idle ranks: ``for task in ga.counter(100): ...`` runs each of 0..99 at
    one rank."""
    return Counter(tasks, group)
