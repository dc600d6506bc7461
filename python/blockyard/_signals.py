# SPDX-License-Identifier: Apache-2.0
"""SIGTERM and SIGHUP end a script as an exception does, so that no scratch files stay: they are how batch
systems end a job, and how ``mpirun`` does it after Ctrl-C."""

from __future__ import annotations

import signal
import threading
from types import FrameType

_signals = (signal.SIGTERM, signal.SIGHUP)


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


class OrderlyEnd:
    """While it is held. The script's own signal handlers stay in place, as they do in other threads
    than the main one, where they cannot be changed."""

    def __init__(self) -> None:
        self._ours: list[signal.Signals] = []

    def hold(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self._ours = [one for one in _signals if signal.getsignal(one) is signal.SIG_DFL]
            for one in self._ours:
                signal.signal(one, _end)

    def release(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        for one in self._ours:
            if signal.getsignal(one) is _end:
                signal.signal(one, signal.SIG_DFL)
        self._ours = []

    def __enter__(self) -> None:
        self.hold()

    def __exit__(self, *_: object) -> None:
        self.release()
