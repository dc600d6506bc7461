# SPDX-License-Identifier: Apache-2.0
"""Resumes runs from a checkpoint."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from . import _core
from ._files import Files
from ._keywords import option_pairs, refuse_unknown, takes
from ._options import ResumeOptions
from ._places import places
from ._processes import join, joined, together
from ._result import Result
from ._run import Path, ProgressWish, finish

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes(ResumeOptions, has_defaults=False)
def resume(
    folder: Path,
    *,
    trace: Path | None = None,
    report: Path | None = None,
    json: Path | None = None,
    molden: Path | None = None,
    fcidump: Path | None = None,
    cube: Mapping[str | int, Path] | None = None,
    qcschema: Path | None = None,
    fabric: str = "auto",
    quiet: bool = False,
    progress: ProgressWish = None,
    **options: Unpack[ResumeOptions],
) -> Result:
    """Resumes a run from its last checkpoint, taken with ``checkpoint=`` of ``blockyard.run`` or on the command line.

    Args:
        folder: the folder of checkpoints, or one checkpoint.
        {options}

    Files, ``fabric``, ``quiet`` and ``progress`` are as for ``blockyard.run``. An option that is not given keeps the value that
    it had when the checkpoint was taken.

    Raises the exceptions of ``blockyard.run``, and InputError for a folder without a complete checkpoint.
    """
    refuse_unknown(resume, options)
    processes = join(fabric)
    files = Files(json=json, report=report, molden=molden, fcidump=fcidump, cube=cube, qcschema=qcschema,
                  trace=trace)
    with together(processes):
        job = _core.resume(os.fspath(folder), option_pairs(options), places().plugins, trace is not None, joined(processes))
    return finish(job, files, quiet=quiet, progress=progress, processes=processes)
