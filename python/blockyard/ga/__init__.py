# SPDX-License-Identifier: Apache-2.0
"""Global arrays: distributed NumPy arrays that every rank reads and writes.

In one process, under ``mpirun -n 4 python x.py``, or ``ga.launch(4, f)`` with threads as ranks. The page
docs/python_ga.md of the source shows how.
"""

from ._algebra import eigh, norm, pack, scan_add, scan_copy, solve, trace, unpack, vdot
from ._array import GlobalArray
from ._layout import Layout, cyclic, irregular, regular, scalapack, tiled, tiled_irregular
from ._later import Later
from ._make import array, empty, empty_like, from_function, full, ones, zeros, zeros_like
from ._tasks import Counter, Lock, counter
from ._world import Group, init, launch, rank, size, sync

__all__ = ["GlobalArray", "Later", "Group", "Lock", "Counter", "Layout",
           "init", "launch", "rank", "size", "sync", "counter",
           "zeros", "ones", "full", "empty", "array", "from_function", "empty_like", "zeros_like",
           "regular", "irregular", "cyclic", "scalapack", "tiled", "tiled_irregular",
           "norm", "vdot", "trace", "solve", "eigh", "scan_add", "scan_copy", "pack", "unpack"]
