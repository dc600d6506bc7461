# SPDX-License-Identifier: Apache-2.0
"""SIGTERM and SIGHUP end a script as an exception does, so that no scratch files stay: they are how batch
systems end a job, and how ``mpirun`` does it after Ctrl-C. SIGUSR1 asks a run for a checkpoint."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

from . import _core

_signals = (signal.SIGTERM, signal.SIGHUP)


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


_held: "set[OrderlyEnd]" = set()


class OrderlyEnd:
    """While any is held. The script's own signal handlers stay in place, as they do in other threads
    than the main one, where they cannot be changed."""

    def hold(self) -> None:
        if threading.current_thread() is threading.main_thread():
            _held.add(self)
            _replace(signal.SIG_DFL, _end)

    def release(self) -> None:
        _held.discard(self)
        if not _held and threading.current_thread() is threading.main_thread():
            _replace(_end, signal.SIG_DFL)

    def __enter__(self) -> None:
        self.hold()

    def __exit__(self, *_: object) -> None:
        self.release()


class CheckpointSignal:
    """While it is held, SIGUSR1 asks a job that takes checkpoints for one. Not in place of the script's own handler,
    nor in other threads than the main one."""

    def __init__(self, job: _core.Job):
        self._job = job
        self._is_held = False

    def __enter__(self) -> None:
        self._is_held = (self._job.takes_checkpoints and threading.current_thread() is threading.main_thread()
                         and signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL)
        if self._is_held:
            signal.signal(signal.SIGUSR1, lambda number, frame: self._job.request_checkpoint())

    def __exit__(self, *_: object) -> None:
        if self._is_held:
            signal.signal(signal.SIGUSR1, signal.SIG_DFL)


def _replace(old: Any, new: Any) -> None:
    for one in _signals:
        if signal.getsignal(one) == old:
            signal.signal(one, new)
