# SPDX-License-Identifier: Apache-2.0
"""Files that a run leaves: refused before it begins where it cannot write them, whole or not there afterwards."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Union

from . import _core

if TYPE_CHECKING:
    from ._result import Result

Path = Union[str, "os.PathLike[str]"]


def write_file(path: Path, content: str | bytes) -> None:
    """As a whole, or StorageError."""
    _core.write_whole_file(os.fspath(path), content.encode() if isinstance(content, str) else content)


class Files:
    """The files that the keywords of a run request besides its results."""

    def __init__(self, *, json: Path | None = None, report: Path | None = None, molden: Path | None = None,
                 fcidump: Path | None = None, qcschema: Path | None = None,
                 cube: Mapping[str | int, Path] | None = None):
        if cube is not None and not isinstance(cube, Mapping):
            raise TypeError(f"cube is a dict such as {{'homo': 'homo.cube', 5: 'five.cube'}}, not {cube!r}")
        self._report = report
        self._makers: list[tuple[Path, Callable[[Result], str]]] = []
        self._kinds = (molden is not None, fcidump is not None, qcschema is not None)
        self._cubes = {str(what): path for what, path in (cube or {}).items()}
        if json is not None:
            self._makers.append((json, lambda result: result.json))
        if molden is not None:
            self._makers.append((molden, lambda result: result.molden()))
        if fcidump is not None:
            self._makers.append((fcidump, lambda result: result.fcidump()))
        if qcschema is not None:
            self._makers.append((qcschema, lambda result: result.qcschema_text))

    def __iter__(self) -> Iterator[Path]:
        yield from (path for path, _ in self._makers)
        yield from self._cubes.values()
        if self._report is not None:
            yield self._report

    def check(self, job: "_core.Job", inputs: Sequence[str], trace: Path | None) -> None:
        """Throws InputError for what the job cannot give and for a file that is read or named twice, StorageError for
        what cannot be written. ``inputs``: the files that the job reads; ``trace`` is written as well."""
        _core.check_exports(job, *self._kinds, list(self._cubes))
        _core.check_outputs(job, [os.fspath(path) for path in (*self, trace) if path is not None], list(inputs))

    def write(self, result: "Result") -> None:
        """By the first process."""
        for path, make in self._makers:
            write_file(path, make(result))
        for what, path in self._cubes.items():
            write_file(path, result.cube(what))
        if self._report is not None:
            result.write_report(self._report)
