# SPDX-License-Identifier: Apache-2.0
"""Types of the keywords that are options of a run or of [method]. Made by python/tests/write_options.py from the
tables blockyard/input/run_options.cpp and method_options.cpp."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypedDict, Union

Path = Union[str, "os.PathLike[str]"]


class SharedOptions(TypedDict, total=False):
    """Keywords of Session, resume, run and plan."""

    device: str | None
    devices: int | None
    device_memory: int | str | None
    device_options: str | None
    placement: str | None
    device_after: str | float | None
    device_network: str | None
    respect_gpu_hints: bool | None
    seed: int | None


class SessionOptions(SharedOptions, total=False):
    """Keywords of Session, besides those that it takes by position."""

    pardo: str | None
    prefetch: int | str | None
    fabric_delay: str | None
    check: bool | None
    deterministic: bool | None


class ResumeOptions(SharedOptions, total=False):
    """Keywords of resume."""

    checkpoint: str | float | None
    workers: int | None
    servers: int | None
    memory: int | str | None
    scratch: Path | None


class RunOptions(SharedOptions, total=False):
    """Keywords of run and plan: options of a run, then those of [method]."""

    supers: Sequence[Path] | None
    persistent: Path | None
    guess: Path | None
    save: Path | None
    checkpoint: str | float | None
    checkpoint_dir: Path | None
    workers: int | None
    servers: int | None
    memory: int | str | None
    scratch: Path | None
    pardo: str | None
    prefetch: int | str | None
    fabric_delay: str | None
    check: bool | None
    deterministic: bool | None
    frozen_core: bool | int | None
    scf_guess: str | None
    scf_direct: bool | None
    scf_iterations: int | None
    scf_energy_convergence: float | None
    scf_density_convergence: float | None
    level_shift: float | None
    damping: float | None
    stability: str | None
    unrestricted: bool | None
    reference: str | None
    cc_iterations: int | None
    cc_energy_convergence: float | None
    cc_amplitude_convergence: float | None
    integrals: str | None
    cholesky_threshold: float | None
    four_virtual: str | None
    roots: int | None
    triplets: bool | None
    oscillator_strengths: bool | None
    excited_convergence: float | None
