# SPDX-License-Identifier: Apache-2.0
"""Places for arrays that a run leaves: in memory, or in a file; with several processes, the same in
each of them."""

from __future__ import annotations

import os
import socket
import weakref
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

import numpy as np

from . import _errors
from ._processes import Processes
from ._sources import rounded

_converted_elements = 1 << 20


def new_array(shape: Sequence[int], order: Literal["C", "F"], in_memory: bool, folder: str,
              name: str, dtype: np.dtype = np.dtype(np.float64)) -> np.ndarray:
    """Zeros, in memory or in a new file in ``folder``."""
    if in_memory or 0 in shape:
        return np.zeros(shape, dtype, order)
    path = os.path.join(folder, f"{name}.npy")
    free = os.statvfs(folder)
    need = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if need > free.f_bavail * free.f_frsize:
        raise _errors.StorageError(f"{folder} has no room for {name} of {need / 2**30:.1f} GiB")
    return np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=tuple(shape),
                                     fortran_order=order == "F")


def new_output(shape: Sequence[int], order: Literal["C", "F"], in_memory: bool, folder: str,
               name: str, processes: Processes | None,
               dtype: np.dtype = np.dtype(np.float64)) -> np.ndarray | None:
    """Zeros for what a run leaves. Of several processes the first one gets it: what is too large for
    memory is in a file of its own then, which the others open afterwards; here it is None for them.
    """
    if processes is None or in_memory:
        return _owner_of_file(new_array(shape, order, in_memory, folder, name, dtype))
    for file in processes.dropped_by_all():
        _remove(file)
    path = processes.at_first(
        lambda: str(new_array(shape, order, in_memory, folder, name, dtype).filename))  # type: ignore
    processes.require("" if os.path.exists(path) else
                      f"{path} of process 0 is not there in process {processes.number}: the result is "
                      "larger than memory, so give the session a scratch folder that all processes see")
    return np.load(path, mmap_mode="r+") if processes.number == 0 else None


def _owner_of_file(array: np.ndarray) -> np.ndarray:
    """Its file goes with it, so that a loop over results does not fill the disk."""
    if isinstance(array, np.memmap):
        weakref.finalize(array, _remove_own, str(array.filename), os.getpid())
    return array


def _remove_own(file: str, process: int) -> None:
    if os.getpid() == process:  # not a fork of it
        _remove(file)


def _remove(file: str) -> None:
    with suppress(FileNotFoundError):  # the session may have ended before
        os.remove(file)


def of_type(array: np.ndarray, dtype: np.dtype, processes: Processes | None = None) -> np.ndarray:
    """The same in another type. A file is converted piece by piece to a new one in its place. ``processes``: those that
    this one, the first, tells it to (see ``told_output``)."""
    if array.dtype == dtype:
        return array
    if not isinstance(array, np.memmap):
        return rounded(array, dtype) if dtype.kind in "iu" else array.astype(dtype)
    folder, file = os.path.split(str(array.filename))
    made = new_array(array.shape, "C", False, folder, f"{file.removesuffix('.npy')}-{dtype}", dtype)
    old, new = array.reshape(-1), made.reshape(-1)
    for begin in range(0, old.size, _converted_elements):
        part = slice(begin, begin + _converted_elements)
        new[part] = of_type(np.array(old[part]), dtype)
    _remove(str(array.filename))
    return _owner_of_file(made) if processes is None else made


def told_output(array: np.ndarray | None, processes: Processes | None) -> np.ndarray:
    """The array with what process 0 collected, in every process; a file is read-only there, and is removed with the next
    new one once no process maps it."""
    if processes is None:
        assert array is not None
        return array
    path = processes.share(_written_file(array))
    if path:
        loaded: np.ndarray = np.load(path, mmap_mode="r")
        processes.require("")  # all have opened it: now process 0 may close the session
        weakref.finalize(loaded, processes.drop, path)
        return loaded
    assert array is not None
    processes.share_array(array)
    return array


def tell_into(out: np.ndarray, processes: Processes | None) -> np.ndarray:
    """Puts what process 0 has in ``out`` into that of the others, unless all are maps of one file."""
    if processes is None:
        return out
    mine = _place_of(out, processes.number)
    if processes.share(mine) == mine:
        mine = ""
    if processes.any(mine):
        processes.share_array(out)
    return out


def _place_of(array: np.ndarray, number: int) -> str:
    """Identifies an array that two processes share: host, file and offset in it."""
    if isinstance(array, np.memmap) and array.filename is not None:
        status = os.stat(array.filename)
        return f"{socket.gethostname()}:{status.st_dev}:{status.st_ino}:{array.offset}"
    return f"memory of process {number}"


def _written_file(array: np.ndarray | None) -> str:
    if not isinstance(array, np.memmap):
        return ""
    array.flush()
    return str(array.filename)
