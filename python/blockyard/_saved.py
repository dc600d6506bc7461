# SPDX-License-Identifier: Apache-2.0
"""Runs that go on from a checkpoint."""

from __future__ import annotations

import os
from collections.abc import Mapping

from . import _core
from ._files import Files
from ._places import places
from ._processes import join, joined, together
from ._result import Result
from ._run import Path, ProgressWish, finish, option_pairs, seconds_text


def resume(
    folder: Path,
    *,
    workers: int | None = None,
    servers: int | None = None,
    memory: str | int | None = None,
    scratch: Path | None = None,
    checkpoint: str | float | None = None,
    device: str | None = None,
    devices: int | None = None,
    device_memory: str | int | None = None,
    device_options: str | None = None,
    placement: str | None = None,
    device_after: str | float | None = None,
    device_network: str | None = None,
    respect_gpu_hints: bool | None = None,
    seed: int | None = None,
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
) -> Result:
    """Goes on with a run from its last checkpoint (``checkpoint=`` of ``blockyard.run``, or the command line).

    Args:
        folder: of checkpoints, or one of them.

    The others are those of ``blockyard.run``; what is not given is as it was.

    Raises what ``blockyard.run`` does, and InputError for a folder without a checkpoint that is whole.
    """
    processes = join(fabric)
    wishes = option_pairs(workers=workers, servers=servers, memory=memory, scratch=scratch,
                          checkpoint=seconds_text(checkpoint), device=device, devices=devices,
                          device_memory=device_memory, device_options=device_options, placement=placement,
                          device_after=seconds_text(device_after), device_network=device_network,
                          respect_gpu_hints=respect_gpu_hints, seed=seed)
    files = Files(json=json, report=report, molden=molden, fcidump=fcidump, cube=cube, qcschema=qcschema)
    with together(processes):
        job = _core.resume(os.fspath(folder), wishes, places().plugins, trace is not None, joined(processes))
    return finish(job, files, quiet=quiet, progress=progress, processes=processes, trace=trace)
