# SPDX-License-Identifier: Apache-2.0
"""A bar that says which program runs: in terminals and notebooks, and nowhere else."""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any, Callable

SILENT_SECONDS = 2.0
_format = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt} of {total_fmt} programs, {elapsed}"


def _is_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and getattr(shell.get_ipython(), "kernel", None) is not None


class Progress:
    """Counts the programs of a job; shown once a run takes longer than two seconds.

    ``wanted``: True, False, or None for "where somebody looks": a terminal or a notebook; or a
    function of the number of programs done, of all, and the name of the one that runs.
    """

    def __init__(self, wanted: bool | None | Callable[[int, int, str], None], steps: list[str]):
        self._steps = steps
        self._call = wanted if callable(wanted) else None
        if wanted is None:
            wanted = sys.stderr.isatty() or _is_notebook()
        self._is_wanted = bool(wanted)
        self._begin = time.monotonic()
        self._bar: Any = None

    def tick(self, step: int) -> None:
        if self._call is not None:
            self._call(step, len(self._steps), self._steps[step])
            return
        if not self._is_wanted or time.monotonic() - self._begin < SILENT_SECONDS:
            return
        if self._bar is None:
            with warnings.catch_warnings():  # a notebook without widgets has a bar of text
                warnings.simplefilter("ignore")
                from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
            self._bar = tqdm(total=len(self._steps), leave=False, bar_format=_format)
            self._bar.start_t -= time.monotonic() - self._begin
        self._bar.set_description_str(self._steps[step], refresh=False)
        self._bar.n = step
        self._bar.refresh()

    def write(self, text: str) -> None:
        """Prints above the bar."""
        if self._bar is None:
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            self._bar.write(text, end="")

    def close(self) -> None:
        if self._bar is not None:
            self._bar.n = len(self._steps)
            self._bar.close()
            self._bar = None
