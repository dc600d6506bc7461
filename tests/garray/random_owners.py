# SPDX-License-Identifier: Apache-2.0
"""Who holds what, and direct access to it, for random_calls.py."""
import ctypes

import numpy as np

from random_arrays import Out, close, patch


def in_place(case):
    """Owned elements are doubled where they are."""
    a = case.array()
    blocks = case.ga("GA_Total_blocks", a.handle)
    mine = []
    if blocks < 0:
        mine = [("NGA_Access", case.me)]
    else:
        owners = {}
        for block in range(blocks):
            low, high = Out(a.model.ndim), Out(a.model.ndim)
            case.ga("NGA_Distribution", a.handle, block, low, high)
            owners[block] = case.ga("NGA_Locate", a.handle, low.values)
        mine = [("NGA_Access_block", block) for block, owner in owners.items()
                if holder(case, a, owner, blocks) == case.me]
    for call, number in mine:
        low, high, ld = Out(a.model.ndim), Out(a.model.ndim), Out(max(1, a.model.ndim - 1))
        case.ga("NGA_Distribution", a.handle, number, low, high)
        if high.values[0] < 0:
            continue
        pointer = ctypes.c_void_p()
        if call == "NGA_Access":
            case.ga(call, a.handle, low.values, high.values, ctypes.byref(pointer), ld)
        else:
            case.ga(call, a.handle, number, ctypes.byref(pointer), ld)
        extents = [b - c + 1 for b, c in zip(high.values, low.values)]
        lengths = [extents[0], *ld.values[:a.model.ndim - 1]]
        size = a.model.dtype.itemsize
        strides = [size * int(np.prod(lengths[axis + 1:], dtype=int)) for axis in range(a.model.ndim)]
        reach = sum((n - 1) * stride for n, stride in zip(extents, strides)) + size
        memory = (ctypes.c_char * reach).from_address(pointer.value)
        block = np.ndarray(extents, a.model.dtype, memory, strides=strides)
        close(block, a.model[patch(low.values, high.values)])
        block *= np.asarray(2, a.model.dtype)
        if call == "NGA_Access":
            case.ga("NGA_Release_update", a.handle, low.values, high.values)
        else:
            case.ga("NGA_Release_update_block", a.handle, number)
    a.model *= np.asarray(2, a.model.dtype)
    case.sync()
    return [a]


def holder(case, a, block, blocks):
    """The process of a dealt block."""
    if not case.ga("GA_Uses_proc_grid", a.handle):
        return block % case.size
    counts, edges, grid = ((ctypes.c_int * 7)() for _ in range(3))
    case.ga("GA_Get_block_info", a.handle, counts, edges)
    case.ga("GA_Get_proc_grid", a.handle, grid)
    axes = a.model.ndim
    index = np.unravel_index(block, counts[:axes])
    coordinates = [int(i) % grid[axis] for axis, i in enumerate(index)]
    if a.layout == "scalapack" or a.layout.startswith("tiled"):
        return int(np.ravel_multi_index(coordinates, grid[:axes]))
    raise AssertionError(a.layout)


def locate(case):
    """The pieces of a patch cover it once."""
    a = case.array()
    low, high = case.box(a.model.shape)
    axes, count = a.model.ndim, 0
    most = 2 * axes * max(case.size, case.ga("GA_Total_blocks", a.handle))
    boxes, owners = Out(most), (ctypes.c_int * most)()
    count = case.ga("NGA_Locate_region", a.handle, low, high, boxes, owners)
    covered = np.zeros(a.model.shape, int)
    for piece in range(count):
        ends = boxes.values[2 * axes * piece:2 * axes * (piece + 1)]
        covered[patch(ends[:axes], ends[axes:])] += 1
        assert case.ga("NGA_Locate", a.handle, ends[:axes]) == owners[piece]
    wanted = np.zeros(a.model.shape, int)
    wanted[patch(low, high)] = 1
    assert (covered == wanted).all(), covered
    return [a]


def ghosts(case):
    a = case.array(layout="ghosts")
    case.ga("GA_Update_ghosts", a.handle)
    low, high, dims, ld = (Out(a.model.ndim) for _ in range(4))
    case.ga("NGA_Distribution", a.handle, case.me, low, high)
    case.sync()
    if high.values[0] < 0:
        return [a]
    pointer = ctypes.c_void_p()
    case.ga("NGA_Access_ghosts", a.handle, dims, ctypes.byref(pointer), ld)
    wanted = a.model[np.ix_(*[np.arange(b - w, c + w + 1) % n for b, c, w, n in
                              zip(low.values, high.values, a.widths, a.model.shape)])]
    assert tuple(dims.values) == wanted.shape, (dims.values, wanted.shape)
    memory = (ctypes.c_char * (wanted.size * wanted.itemsize)).from_address(pointer.value)
    close(np.ndarray(wanted.shape, wanted.dtype, memory), wanted)
    case.ga("NGA_Release_ghosts", a.handle)
    memory = np.zeros(wanted.shape, wanted.dtype)
    case.ga("NGA_Get_ghost_block", a.handle, [b - w for b, w in zip(low.values, a.widths)],
            [c + w for c, w in zip(high.values, a.widths)], memory, list(wanted.shape[1:]))
    close(memory, wanted)
    return [a]


CALLS = [in_place, locate, ghosts]
