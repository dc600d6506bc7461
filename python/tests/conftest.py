# SPDX-License-Identifier: Apache-2.0
"""Tests of the package as users see it. A program that hangs fails its test by ctest's limit."""

import os
import signal
import subprocess
import traceback
from pathlib import Path

import numpy as np
import pytest

import blockyard

REPOSITORY = Path(__file__).resolve().parents[2]
IS_FULL = os.environ.get("BLOCKYARD_TESTS") == "full"  # as in make test-all: more cases of the same


def program(name):
    """The text of programs/NAME.sial."""
    return (Path(__file__).parent / "programs" / f"{name}.sial").read_text(encoding="utf-8")


SEGMENTS = {"ao": [4, 3, 5]}

# A long program that a stop must reach: many iterations, each of them short.
LONG = program("long")


def end_by(number, command, **more):
    """Sends a signal to a command that has printed "begun": its exit code, and what it tells from then on."""
    # Tests run in the background of a shell inherit that Ctrl-C is ignored.
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **more)
    try:
        assert child.stdout.readline() == "begun\n"
        child.send_signal(number)
        return child.wait(60), child.stdout.read()
    finally:
        child.terminate()
        child.wait()


def arrays_shown(error):
    """The NumPy arrays in the frames of a function that C++ called, as a debugger finds them after its error."""
    while error.__cause__ is not None:
        error = error.__cause__
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    first = next(k for k, frame in enumerate(frames) if frame.f_code.co_filename.endswith("_supers.py"))
    values = [value for frame in frames[first:] for value in frame.f_locals.values()]
    values += [part for value in values if isinstance(value, (list, tuple)) for part in value]
    return [value for value in values if isinstance(value, np.ndarray)]


def random(*shape, order="C", dtype=float):
    numbers = np.random.default_rng(7).random(shape)
    return np.array(numbers, order=order, dtype=dtype)


@pytest.fixture
def session(tmp_path):
    with blockyard.Session(workers=2, memory="64M", scratch=tmp_path, quiet=True) as session:
        session.segments.update(SEGMENTS)
        yield session


@pytest.fixture
def water(tmp_path):
    """A job file of water in a small basis."""
    job = tmp_path / "h2o.toml"
    molecule = (REPOSITORY / "demo" / "h2o.toml").read_text(encoding="utf-8").partition("[basis]")[0]
    job.write_text(molecule + '[basis]\nname = "sto-3g"\n[method]\nname = "scf"\n')
    return job


@pytest.fixture
def torn_array():
    """An array of a file that cannot be read, nor written."""
    class Torn:
        shape, dtype, chunks = (4, 4), np.dtype("f8"), None

        def __getitem__(self, where):
            raise LookupError("the tape is torn")

        def __setitem__(self, where, values):
            raise OSError("the tape is full")

    return Torn()
