# SPDX-License-Identifier: Apache-2.0
"""A bar that says which program runs, how far it is and how long it will take: in terminals and notebooks,
and nowhere else."""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from typing import Any, Callable

from . import _core

SILENT_SECONDS = 2.0
_plan_steps = 3e5  # instructions of a program that are looked at: a fraction of a second
_least_seconds = 1e-6  # of a program of which the plan expects nothing
_format = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}{postfix}"


def _is_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and getattr(shell.get_ipython(), "kernel", None) is not None


def machine_file() -> str:
    """The file of ``blockyard calibrate`` for this machine; "" if there is none that we may see."""
    home = os.environ.get("HOME")
    folder = os.environ.get("XDG_CONFIG_HOME") or (home and os.path.join(home, ".config"))
    file = os.path.join(folder, "blockyard", "machine.toml") if folder else ""
    return file if os.path.isfile(file) else ""


class Forecast:
    """How much of a job is done, and how long the rest takes, from its plan and from what was done so far.

    shares: of each program, of the time that the plan expects; iterations: of its pardos.
    """

    def __init__(self, seconds: list[float], iterations: list[float]):
        seconds = [max(one, _least_seconds) for one in seconds]
        self._shares = [one / sum(seconds) for one in seconds]
        self._iterations = iterations

    @staticmethod
    def of(job: "_core.Job | None", programs: int, processes: int = 1) -> "Forecast":
        """Without a plan, of programs that take as long as each other."""
        try:
            if job is not None:
                plan = json.loads(_core.plan_job(job, machine_file(), processes, _plan_steps, {})[1])["programs"]
                return Forecast([one["seconds"] for one in plan],
                                [one["work"]["iterations"] / processes for one in plan])
        except Exception:  # a plan is a guess, and no reason for a run to end
            pass
        return Forecast([1.0] * programs, [0.0] * programs)

    def done(self, step: int, iterations: int) -> float:
        """The share of the job that is done. A loop until convergence may go on longer than planned."""
        planned = self._iterations[step]
        part = min(iterations / planned, 0.99) if planned > 0 else 0.0
        return sum(self._shares[:step]) + part * self._shares[step]


class Progress:
    """Progress of a job; shown once a run takes longer than two seconds.

    ``wanted``: True, False, or None for interactive use only: a terminal or a notebook; or a
    function of the number of programs done, of all, and the name of the one that runs. If it takes a
    fourth argument, that is a dict: ``done``, the share of the job (0 to 1), and ``seconds_left``, None
    as long as it is unknown.
    """

    def __init__(self, wanted: bool | None | Callable[..., None], steps: list[str],
                 job: "_core.Job | None" = None, processes: int = 1):
        self._steps = steps
        self._call = wanted if callable(wanted) else None
        self._tells_more = self._call is not None and _takes_four(self._call)
        if wanted is None:
            wanted = (sys.stderr is not None and sys.stderr.isatty()) or _is_notebook()
        self._is_wanted = bool(wanted)
        self._job, self._processes = job, processes
        self._forecast: Forecast | None = None
        self._begin = time.monotonic()
        self._first: tuple[int, int] | None = None  # program and iterations at the begin: a resumed run has done some before
        self._bar: Any = None

    def tick(self, step: int, iterations: int = 0) -> None:
        """`iterations`: of the pardos of the program, in this process."""
        self._first = self._first or (step, iterations)
        if self._call is not None:
            more = [self._told(step, iterations)] if self._tells_more else []
            self._call(step, len(self._steps), self._steps[step], *more)
            return
        if not self._is_wanted or time.monotonic() - self._begin < SILENT_SECONDS:
            return
        if self._bar is None:
            with warnings.catch_warnings():  # a notebook without widgets has a bar of text
                warnings.simplefilter("ignore")
                from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
            self._bar = tqdm(total=1.0, leave=False, bar_format=_format)
            self._bar.start_t -= time.monotonic() - self._begin
        told = self._told(step, iterations)
        self._bar.set_description_str(f"{self._steps[step]} ({step + 1} of {len(self._steps)})", refresh=False)
        left = told["seconds_left"]
        self._bar.set_postfix_str("" if left is None else f"about {_spell(left)} left", refresh=False)
        self._bar.n = told["done"]
        self._bar.refresh()

    def _told(self, step: int, iterations: int) -> dict[str, Any]:
        if self._forecast is None:
            self._forecast = Forecast.of(self._job, len(self._steps), self._processes)
        done, elapsed = self._forecast.done(step, iterations), time.monotonic() - self._begin
        newly = done - self._forecast.done(*(self._first or (0, 0)))
        return {"done": done, "seconds_left": elapsed * (1 - done) / newly if newly > 0.01 else None}

    def write(self, text: str) -> None:
        """Prints above the bar."""
        if self._bar is not None:
            self._bar.write(text, end="")
        elif sys.stdout is not None:  # as a daemon may have none
            sys.stdout.write(text)
            sys.stdout.flush()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.n = 1.0
            self._bar.close()
            self._bar = None


def _takes_four(function: Callable[..., Any]) -> bool:
    """Whether it has a fourth argument that one may give."""
    import inspect

    try:
        inspect.signature(function).bind(0, 1, "", {})
    except (TypeError, ValueError):
        return False
    return True


def _spell(seconds: float) -> str:
    whole = int(seconds + 0.5)
    if whole < 90:
        return f"{whole} s"
    return f"{whole // 60} min" if whole < 5400 else f"{whole // 3600} h {whole % 3600 // 60} min"
