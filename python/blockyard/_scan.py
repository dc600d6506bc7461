# SPDX-License-Identifier: Apache-2.0
"""Runs a job for several values of some of its keys."""

from __future__ import annotations

import html
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from . import _core, _errors
from ._molecules import setting_text
from ._processes import join
from ._result import Result
from ._run import run


@dataclass(frozen=True)
class ScanPoint:
    """One job of a scan.

    ``settings``: its values, by key; ``result``: None if there is none; ``error``: None if it went well. A job that
    did not converge has both.
    """

    settings: dict[str, Any]
    result: Result | None
    error: _errors.Error | None

    @property
    def energy(self) -> float:
        """Of the method, hartree; not a number if it has none, or there is no method."""
        return self.result.energy if self.result is not None and self.result.method and self.error is None else float("nan")


class Scan(Sequence[ScanPoint]):
    """The jobs of a scan, the last key fastest."""

    def __init__(self, points: list[ScanPoint]):
        self._points = points

    @overload
    def __getitem__(self, at: int) -> ScanPoint: ...
    @overload
    def __getitem__(self, at: slice) -> "Scan": ...
    def __getitem__(self, at: int | slice) -> "ScanPoint | Scan":
        return Scan(self._points[at]) if isinstance(at, slice) else self._points[at]

    def __len__(self) -> int:
        return len(self._points)

    @property
    def energies(self) -> np.ndarray:
        """Energies of the method, hartree; not a number where a job failed."""
        return np.array([point.energy for point in self._points])

    def values(self, key: str) -> np.ndarray:
        """Those of a key, job by job."""
        return np.array([point.settings[key] for point in self._points])

    def _rows(self) -> list[list[str]]:
        return [[*(str(value) for value in point.settings.values()),
                 f"{point.energy:.10f}" if point.error is None
                 else "failed" if point.result is None else "not converged"] for point in self._points]

    def __str__(self) -> str:
        """A table."""
        keys = [*(self._points[0].settings if self._points else ()), "hartree"]
        rows = [keys, *self._rows()]
        widths = [max(len(row[k]) for row in rows) for k in range(len(keys))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows)

    def __repr__(self) -> str:
        failed = sum(point.error is not None for point in self._points)
        return f"<blockyard.Scan of {len(self)} jobs{f', {failed} failed' if failed else ''}>"

    def _repr_html_(self) -> str:
        keys = [*(self._points[0].settings if self._points else ()), "hartree"]
        head = "".join(f"<th>{html.escape(key)}</th>" for key in keys)
        rows = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in self._rows())
        return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


# Files of one job, which several would write one over the other.
_alone = ("report", "trace", "json", "molden", "fcidump", "cube", "qcschema", "save", "persistent", "checkpoint",
          "checkpoint_dir")


def scan(job: Any, over: Mapping[str, Sequence[Any]], **keywords: Any) -> Scan:
    """Runs a job once for each value, or each combination of values, of keys of a job file.

        curve = blockyard.scan("hf.toml", {"molecule.variables.r": np.linspace(0.8, 2.0, 7)}, method="ccsd(t)")
        print(curve)
        plt.plot(curve.values("molecule.variables.r"), curve.energies)

    Args:
        job, **keywords: as for ``blockyard.run``, except for files, which several jobs would overwrite.
        over: values by key: "molecule.variables.r", "basis.name", "method.frozen_core", ...

    The error of a failed job is stored in its ``ScanPoint``, and the scan continues; with several processes it is
    raised. Checkpoints, which the job file may ask for, go to a folder of each job: ``h2o.checkpoint``,
    ``h2o.checkpoint-2``, ... Values that no job can have are refused before the first job runs.
    """
    for name in _alone:
        if keywords.get(name) is not None:
            raise _errors.InputError(f"{name} is for one job, not for several")
    if not isinstance(over, Mapping) or not over:
        raise TypeError(f"over is a dict of values by key of a job file, not {over!r}")
    for key, values in over.items():
        if isinstance(values, str) or not np.iterable(values):
            raise TypeError(f"over: {key} has a list of values, not {values!r}")
    over = {key: list(values) for key, values in over.items()}  # a generator gives them once
    for value in itertools.chain.from_iterable(over.values()):
        setting_text(value)
    together = join(keywords.get("fabric", "auto")) is not None
    settings = dict(keywords.pop("settings", None) or {})
    kept = _core.KeptFiles()
    points = []
    for values in itertools.product(*over.values()):
        mine = dict(zip(over, values))
        try:
            points.append(ScanPoint(mine, run(job, settings={**settings, **mine}, _kept=kept, **keywords), None))
        except _errors.Error as error:
            if together:
                raise
            points.append(ScanPoint(mine, getattr(error, "result", None), error))
    return Scan(points)
