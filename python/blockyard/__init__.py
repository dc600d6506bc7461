# SPDX-License-Identifier: Apache-2.0
"""Blockyard: computations on very large multidimensional arrays, in blocks.

``run`` runs a job from a file or for a molecule. ``Session`` compiles SIAL programs, passes NumPy arrays to them and reads
arrays back. ``Session.einsum`` contracts arrays that need not fit into memory. docs/python.md in the source has examples.
"""

from ._core import version as __version__
from ._errors import (CommunicationError, CompileError, DeviceError, Diagnostic, Error, InputError,
                      InputWarning, InternalError, NotConverged, OutOfMemory, SialWarning, StorageError)
from ._arrays import BlockArray, even_segments
from ._einsum import EinsumArray, Plan
from ._lazy import LazyArray
from ._plan import JobPlan, plan
from ._processes import processes
from ._program import Program, SessionResult
from ._result import Result
from ._ring import Ring
from ._run import run
from ._saved import resume
from ._scan import Scan, ScanPoint, scan
from ._session import Session
from ._supers import BlockInfo

__all__ = ["run", "resume", "plan", "scan", "Result", "JobPlan", "Scan", "ScanPoint", "Session", "SessionResult",
           "Program", "BlockArray", "BlockInfo", "EinsumArray", "LazyArray", "Plan", "Ring", "processes",
           "even_segments", "Error", "InputError", "CompileError", "NotConverged", "OutOfMemory", "StorageError",
           "CommunicationError", "DeviceError", "InternalError", "SialWarning", "InputWarning", "Diagnostic",
           "__version__"]
