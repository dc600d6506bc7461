# SPDX-License-Identifier: Apache-2.0
"""SIGTERM and SIGHUP end a script as an exception does, so that no scratch files stay: they are how batch
systems end a job, and how ``mpirun`` does it after Ctrl-C. SIGUSR1 asks a run for a checkpoint."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from . import _core

_signals = (signal.SIGTERM, signal.SIGHUP)


_again_seconds = 0.01  # between the signals that are sent again
_again: set[int] = set()  # signals whose exceptions Python ignored


class _Ended(SystemExit):
    def __init__(self, number: int):
        super().__init__(128 + number)
        self.number = number


def _end(number: int, frame: FrameType | None) -> None:
    _again.discard(number)
    raise _Ended(number)


class _Unraisable:
    """In the place of ``sys.unraisablehook``. A signal that arrives in ``__del__``, or in a callback of a weak reference
    or of the garbage collector, raises where Python ignores exceptions: it is sent again."""

    def __init__(self, before: Callable[[Any], Any]):
        self.before = before

    def __call__(self, told: Any) -> None:
        try:
            if isinstance(told.exc_value, _Ended):
                _send_again(told.exc_value.number)
            else:
                self.before(told)
        except _Ended as ended:
            _send_again(ended.number)


def _send_again(number: int) -> None:
    """From another thread: at once it would be ignored again. Until it has come: a call that blocks misses what comes
    just before it."""
    def send(main: int) -> None:
        is_ours = True
        while is_ours:
            time.sleep(_again_seconds)
            if number not in _again:
                return
            is_ours = signal.getsignal(number) == _end
            signal.pthread_kill(main, number)
        _again.discard(number)

    main = threading.main_thread().ident
    assert main is not None
    _again.add(number)
    try:
        threading.Thread(target=send, args=(main,), daemon=True).start()
    except RuntimeError:  # the interpreter ends, and has removed what sessions left
        _replace(_end, signal.SIG_DFL)
        os.kill(os.getpid(), number)


_held: "set[OrderlyEnd]" = set()


class OrderlyEnd:
    """While any is held. The script's own signal handlers stay in place, as they do in other threads
    than the main one, where they cannot be changed."""

    def hold(self) -> None:
        if threading.current_thread() is threading.main_thread():
            _held.add(self)
            _replace(signal.SIG_DFL, _end)
            if not isinstance(sys.unraisablehook, _Unraisable):
                sys.unraisablehook = _Unraisable(sys.unraisablehook)

    def release(self) -> None:
        _held.discard(self)
        if not _held and threading.current_thread() is threading.main_thread():
            _replace(_end, signal.SIG_DFL)
            if isinstance(sys.unraisablehook, _Unraisable):
                sys.unraisablehook = sys.unraisablehook.before

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
