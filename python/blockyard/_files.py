# SPDX-License-Identifier: Apache-2.0
"""Files that a run leaves: refused before it begins where it cannot write them, whole or not there afterwards."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter, methodcaller
from typing import TYPE_CHECKING, Any, Union

from . import _core, _errors
from ._processes import Processes, at_first

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
                 cube: Mapping[str | int, Path] | None = None, trace: Path | None = None):
        if cube is not None and not isinstance(cube, Mapping):
            raise TypeError(f"cube is a dict such as {{'homo': 'homo.cube', 5: 'five.cube'}}, not {cube!r}")
        self._kinds = (molden is not None, fcidump is not None, qcschema is not None)
        self._cubes = {str(what): path for what, path in (cube or {}).items()}
        makers: list[tuple[Path | None, Callable[[Result], str | bytes]]] = [
            (json, attrgetter("json")), (molden, methodcaller("molden")), (fcidump, methodcaller("fcidump")),
            (qcschema, attrgetter("qcschema_text")),
            *((path, methodcaller("cube", what)) for what, path in self._cubes.items()),
            (report, methodcaller("_report_for", report)), (trace, methodcaller("_trace"))]
        self._makers = [(path, make) for path, make in makers if path is not None]

    def check(self, job: "_core.Job", inputs: Sequence[str], processes: Processes | None) -> None:
        """Raises InputError for what the job cannot give and for a file that is read or named twice, StorageError for
        what cannot be written. ``inputs``: the files that the job reads."""

        def check() -> None:
            _core.check_exports(job, *self._kinds, list(self._cubes))
            _core.check_outputs(job, [os.fspath(path) for path, _ in self._makers], list(inputs))

        at_first(processes, check)

    def write(self, run: "Result", made: Any, processes: Processes | None) -> None:
        """By the first process. A file that fails does not affect the others: the first error is raised after all. Its
        ``result`` is ``made``, what the caller of the run gets otherwise."""

        def write() -> None:
            failed: list[_errors.Error] = []
            for path, make in self._makers:
                try:
                    write_file(path, make(run))
                except _errors.Error as error:
                    failed.append(error)
            if failed:
                raise failed[0]

        try:
            at_first(processes, write)
        except _errors.Error as error:
            error.result = made
            raise
