# SPDX-License-Identifier: Apache-2.0
"""One large array in slices, one at each process, while inputs travel past all of them."""

from __future__ import annotations

import os
import pathlib
import pickle
import struct
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.format import descr_to_dtype, dtype_to_descr  # a text, or a list of fields

from . import _core, _errors, _places, _processes
from ._masks import unmasked
from ._supers import guarded

Update = Callable[..., None]
_most_head_bytes = 256
_at_work: "weakref.WeakSet[Ring]" = weakref.WeakSet()  # of several processes: those with an update that are not finished
_c_types = {"f4": "float", "f8": "double", "c8": "float2", "c16": "double2", "i4": "int", "i8": "long"}


class Ring:
    """An array of ``shape`` that no process holds whole: each has a slice, cut along axis ``cut``.

    Every process of an ``mpirun`` creates one with the same arguments and gives any number of
    items; each item passes the slice of every process::

        with blockyard.Ring((n, n), "f8", cut=1) as r:
            @r.update
            def add(part, x):
                part += x.T @ x[:, r.begin:r.end]
            for x in mine:
                r.give(x)
            gram = r.result()

    ``part`` is the slice of this process, initially zero. It may hold any state, not only a sum; its other
    axes are those of ``shape``. Without ``mpirun`` the slice is the whole array.

    A ring belongs to one thread, and its update must not call it. Several can be filled in turn, once all of them have
    their updates: while one waits, the others take items in.

    ring: the number of processes in a ring; None: all. The slices of several rings are added at the end.
    route: "ring" (an item goes from neighbour to neighbour) or "direct" (from its giver to each process).
    lanes, slots: the number of rings over the same processes, and of buffers for items of other processes in each.
    both: every second lane runs in the opposite direction.
    device: "opencl", "cuda" or another kind of device, which holds slice and items, for updates that have a form
    for it; None: the host. device_options: those of that kind.
    """

    def __init__(self, shape: tuple[int, ...], dtype: Any = "f8", cut: int = -1, *,
                 ring: int | None = None, route: str = "ring", lanes: int = 1, slots: int = 3,
                 both: bool = False, fabric: str = "auto", device: str | None = None, device_options: str = ""):
        self.shape = tuple(int(length) for length in shape)
        self.dtype = np.dtype(dtype)
        if not self.shape or min(self.shape) < 1:
            raise ValueError(f"shape is a tuple of positive lengths, not {shape!r}")
        if not -len(self.shape) <= cut < len(self.shape):
            raise ValueError(f"cut is an axis of a shape of {len(self.shape)}, not {cut!r}")
        if self.dtype.hasobject:
            raise ValueError(f"an array of Python objects has no slices: dtype {self.dtype}")
        if route not in ("ring", "direct"):
            raise ValueError(f"route is ring or direct, not {route!r}")
        if lanes < 1 or slots < 2:
            raise ValueError(f"a ring has at least 1 lane and 2 slots, not {lanes} and {slots}")
        self.cut = cut % len(self.shape)
        self._options = (route, lanes, slots, both)
        self._device = (device, device_options)
        #: Whether slice and items are on a device: known once there is an update.
        self.is_on_device = False
        self._processes = _processes.join(fabric)
        if self._processes is not None:
            self._processes.check_same({"shape": self.shape, "dtype": self.dtype.str, "cut": self.cut,
                                        "ring": ring, "options": self._options})
        with _processes.together(self._processes):
            self._ring = _core.Ring(_processes.joined(self._processes), self.shape[self.cut], ring or 0,
                                    device is not None)
        #: The range of axis ``cut`` that lies here.
        self.begin: int = self._ring.first
        self.end: int = self._ring.last
        rest = self.shape[:self.cut] + self.shape[self.cut + 1:]
        self._memory = np.zeros((self.end - self.begin, *rest), self.dtype)  # units outermost
        #: This process's part of the array: a view, axes as in ``shape``.
        self.slice: np.ndarray = np.moveaxis(self._memory, 0, self.cut)
        self._update: Update | None = None
        self._item: np.dtype | None = None  # None: items of any type
        self._is_finished = False
        self._thread = threading.get_ident()

    def update(self, function: Update | None = None, *, opencl: str = "", cuda: str = "", item: Any = None) -> Any:
        """Decorator: ``function(part, array)`` or, where heads are given, ``function(part, array, head)`` takes
        an item into this process's part. ``array`` is read only and for the time of the call. Processes
        get items in different orders.

        opencl, cuda: the same for devices, as a text that defines a function with the name of this one
        (docs/ring.md, "On devices"). item: the type of the items' values, with a shape if all items have one,
        as in ``("f4", (n, n))``; None: that of the ring. Items are converted to it. What a device cannot do is
        done by the Python function."""
        if function is None:
            return lambda decorated: self.update(decorated, opencl=opencl, cuda=cuda, item=item)
        self._check_no_update()
        if opencl or cuda or item is not None:
            self._item = self.dtype if item is None else np.dtype(item)
        if self._device[0] is not None and (opencl or cuda):
            self._open_device(function.__name__, "", opencl, cuda)
        self._begin(function)
        return function

    def update_in(self, library: str | os.PathLike[str], name: str, *, opencl: str = "", cuda: str = "",
                  item: Any = None) -> None:
        """The update is the C function ``name`` of a shared object (docs/ring.md, "On devices"), on all cores of
        the host, or the text of the same name on the ring's device."""
        self._check_no_update()
        self._item = self.dtype if item is None else np.dtype(item)
        if not self._open_device(name, str(pathlib.Path(library).resolve()), opencl, cuda):
            raise _errors.InputError(f"device {self._device[0]!r} takes none of the forms of {name!r}: give the text "
                                     "for it, or take device=None")
        self._begin(lambda part, array: None)

    def _check_no_update(self) -> None:
        if self._update is not None:
            raise ValueError("the ring has its update already")

    def _begin(self, function: Update) -> None:
        self._update = function
        route, lanes, slots, both = self._options
        self._ring.begin(guarded(self._take), self._serve_others, _bytes_of(self._memory), route, lanes, slots, both)
        if self._processes is not None:
            _at_work.add(self)

    def _serve_others(self) -> bool:
        """Takes items of the other rings of this thread in, for which another process may wait before it goes on with
        this one; whether there are such rings."""
        others = [ring for ring in list(_at_work) if ring is not self and ring._thread == self._thread]
        for ring in others:
            if not ring._ring.is_busy:
                ring._ring.serve()
        return bool(others)

    def _open_device(self, name: str, library: str, opencl: str, cuda: str) -> bool:
        assert self._item is not None
        item = self._item.base
        for dtype in (self.dtype, item):
            if dtype.str[1:] not in _c_types or not dtype.isnative:
                raise ValueError(f"kernels work on values of {', '.join(_c_types)} in the byte order of the machine, "
                                 f"not {dtype}")
        forms = (name, library, opencl, cuda, _c_types[self.dtype.str[1:]], self.dtype.itemsize,
                 _c_types[item.str[1:]], item.itemsize)
        kind, options = self._device
        folder = _places.places().plugins
        self.is_on_device = self._ring.open_device(kind or "host", options, folder, forms, self._memory.size)
        return self.is_on_device

    def give(self, array: Any, head: Any = None) -> None:
        """Sends an array past every slice, this one included. Returns when it is on its way; takes items of
        others in meanwhile. Not after ``finish`` or ``result``. head: what the update needs besides, small enough for
        256 bytes; a kernel gets a number, or 0."""
        self._require_open()
        payload = np.ascontiguousarray(self._as_item(array))
        if payload.dtype.hasobject:
            raise ValueError(f"an array of Python objects cannot travel: dtype {payload.dtype}")
        number = float(head) if isinstance(head, (int, float, np.integer, np.floating)) else 0.0
        if self.is_on_device and head is not None and number != head:
            raise ValueError(f"the head of an item for a kernel is a number, not {head!r}")
        about = struct.pack("=d", number) + pickle.dumps((dtype_to_descr(payload.dtype), np.shape(array), head),
                                                         protocol=5)
        if len(about) > _most_head_bytes:
            raise ValueError(f"the head of an item takes {len(about)} bytes; at most {_most_head_bytes}, with type and "
                             "shape of the array, are allowed: put the rest into the array")
        self._ring.give(about, payload.reshape(-1).view(np.uint8))

    def _as_item(self, array: Any) -> np.ndarray:
        """As the forms of the update read it: a kernel gets bytes only, and some process may run one."""
        values: np.ndarray = np.asarray(unmasked(array))
        if self._item is None:
            return values
        if self._item.shape and values.shape != self._item.shape:
            raise ValueError(f"the items of this ring have the shape {self._item.shape}, not {values.shape}")
        if not np.can_cast(values.dtype, self._item.base, "same_kind"):
            raise ValueError(f"the items of this ring are {self._item.base}, to which {values.dtype} cannot be converted: "
                             "convert the array, or give the update another item=")
        return values.astype(self._item.base, copy=False)

    def serve(self) -> None:
        """Receives pending items, without waiting: for long work between items."""
        self._require_open()
        self._ring.serve()

    def finish(self) -> None:
        """Collective. No more items of this process; returns when all items of all were taken in here. Errors of
        other processes that come later are raised at the end of the ``with`` block."""
        if self._is_finished:
            return
        self._require_update()
        kind = {"c": "f", "f": "f", "i": "i"}.get(self.dtype.kind, "") if self.dtype.isnative else ""
        size = self.dtype.itemsize // (2 if self.dtype.kind == "c" else 1)
        self._ring.finish(f"{kind}{size}")
        self._is_finished = True
        _at_work.discard(self)

    def result(self) -> np.ndarray:
        """Collective. The whole array, at every process: call it before the ``with`` block ends. ``slice`` is the
        part that lies here, for arrays too large for that."""
        self.finish()
        rest = self._memory.shape[1:]
        whole = np.zeros((self.shape[self.cut], *rest), self.dtype)
        self.gather_into(whole if _processes.is_first(self._processes) else None)
        if self._processes is not None:
            self._processes.share_array(_bytes_of(whole))
        return np.moveaxis(whole, 0, self.cut)

    def gather_into(self, whole: np.ndarray | None) -> None:
        """Collective. Fills ``whole``, which process 0 has, in C order with the axis that is cut outermost; None
        at the others. After ``finish``."""
        if not self._is_finished:
            raise _errors.InputError("the slices are not complete: call finish() before gather_into()")
        if _processes.is_first(self._processes):
            self._check_whole(whole)
        self._ring.gather(None if whole is None else _bytes_of(whole))

    def _check_whole(self, whole: Any) -> None:
        shape = (self.shape[self.cut], *self._memory.shape[1:])
        if not isinstance(whole, np.ndarray) or whole.shape != shape or whole.dtype != self.dtype:
            given = f"of shape {whole.shape} and type {whole.dtype}" if isinstance(whole, np.ndarray) else repr(whole)
            raise _errors.InputError(f"the result goes into an array of shape {shape}, with the axis that is cut "
                                     f"outermost, and of type {self.dtype}, not into {given}")
        if not whole.flags.c_contiguous or not whole.flags.writeable:
            raise _errors.InputError("the result goes into an array that is dense in C order and can be written to")

    @property
    def place(self) -> int:
        """The number of this process."""
        return 0 if self._processes is None else self._processes.number

    @property
    def counts(self) -> dict[str, float]:
        """Items given and applied here, bytes sent, seconds of updates and of waiting."""
        return self._ring.counts()

    def __enter__(self) -> "Ring":
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is not None:
            _at_work.discard(self)
            self._ring.abort(f"{type(error).__name__}: {error}")
            return
        try:
            self.finish()
        except BaseException as failed:
            _at_work.discard(self)
            self._ring.abort(f"{type(failed).__name__}: {failed}")
            raise
        self._ring.end()

    def _take(self, about: bytes, payload: memoryview) -> None:
        dtype, shape, head = pickle.loads(about[8:])
        whole = np.frombuffer(payload, descr_to_dtype(dtype))
        array = whole.reshape(shape)
        assert self._update is not None
        if head is None:
            self._update(self.slice, array)
        else:
            self._update(self.slice, array, head)
        seen = weakref.ref(whole)  # the base of all views
        del array, whole
        if seen() is not None:
            raise _errors.InputError("the update keeps its item after the call, when that no longer exists: keep a copy (array.copy()) "
                                     "instead")

    def _require_open(self) -> None:
        self._require_update()
        if self._is_finished:
            raise _errors.InputError("the ring takes no more items after finish(), result() or the end of its with block: give all "
                                     "before, or make another ring")

    def _require_update(self) -> None:
        if self._update is None:
            raise _errors.InputError("the ring has no update: decorate a function with @r.update first")


def _bytes_of(array: np.ndarray) -> np.ndarray:
    """The same memory, of elements of any type, in C order."""
    return array.reshape(-1).view(np.uint8)
