#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random calls of the C interface of Global Arrays agree with NumPy, for all layouts, types and groups.

Usage: [mpirun -n N] random_calls.py LIBRARY FIRST-SEED END-SEED [CALL]
"""
import ctypes
import os
import sys
import tempfile
import traceback

try:
    import numpy as np
except ImportError:
    print("SKIPPED: this Python has no NumPy")
    sys.exit(77)

from random_arrays import Alone, Case, Library, TYPES, buffer_of, close, patch
import random_operations
import random_owners
import random_sparse

EXACT = ["i4", "i8", "f8", "c16"]


def put(case):
    a = case.array()
    low, high = case.box(a.model.shape)
    values = case.values(a.model[patch(low, high)].shape, a.model.dtype)
    a.model[patch(low, high)] = values
    if case.me == case.integer(0, case.size - 1):
        memory, part, ld = buffer_of(Alone(case), values.shape, values.dtype)
        part[...] = values
        case.ga("NGA_Put", a.handle, low, high, memory, ld)
    case.sync()
    for _ in range(3):
        low, high = Alone(case).box(a.model.shape)
        close(a.get(low, high), a.model[patch(low, high)])
    return [a]


def add(case):
    """All processes add at the same time, also by several non-blocking calls."""
    a = case.array(dtype=case.choice(EXACT))
    pending = []
    for member in range(case.size):
        for _ in range(3):
            low, high = case.box(a.model.shape)
            values = case.values(a.model[patch(low, high)].shape, a.model.dtype)
            factor = np.asarray(case.integer(-3, 3), a.model.dtype)
            is_blocking = case.chance(0.5)
            a.model[patch(low, high)] += factor * values
            if member != case.me:
                continue
            memory, part, ld = buffer_of(Alone(case), values.shape, values.dtype)
            part[...] = values
            if is_blocking:
                case.ga("NGA_Acc", a.handle, low, high, memory, ld, factor)
            else:
                handle = np.zeros(2, "i8")
                case.ga("NGA_NbAcc", a.handle, low, high, memory, ld, factor, handle)
                pending.append((handle, memory))
    for handle, _ in pending:
        case.ga("NGA_NbWait", handle)
    case.sync()
    return [a]


def in_background(case):
    """Each process puts its share of the planes; then gets patches, several at a time."""
    a = case.array()
    a.model[...] = case.values(a.model.shape, a.model.dtype)
    pending = []
    for plane in range(case.me, a.model.shape[0], case.size):
        handle, values = np.zeros(2, "i8"), np.ascontiguousarray(a.model[plane])
        low, high = [plane] + [0] * (a.model.ndim - 1), [plane] + [n - 1 for n in a.model.shape[1:]]
        case.ga("NGA_NbPut", a.handle, low, high, values, list(values.shape), handle)
        pending.append((handle, values))
    for handle, _ in pending:
        while case.ga("NGA_NbTest", handle) != 1:
            pass
        case.ga("NGA_NbWait", handle)
    case.sync()
    gets = []
    for _ in range(4):
        low, high = Alone(case).box(a.model.shape)
        memory, part, ld = buffer_of(Alone(case), a.model[patch(low, high)].shape, a.model.dtype)
        handle = np.zeros(2, "i8")
        case.ga("NGA_NbGet", a.handle, low, high, memory, ld, handle)
        gets.append((handle, part, a.model[patch(low, high)], memory))
    for handle, part, wanted, _ in reversed(gets):
        case.ga("NGA_NbWait", handle)
        close(part, wanted)
    return [a]


def strided(case):
    a = case.array()
    low, high = case.box(a.model.shape)
    skip = [case.integer(1, 3) for _ in low]
    where = patch(low, high, skip)
    values = case.values(a.model[where].shape, a.model.dtype)
    memory, part, ld = buffer_of(case, values.shape, values.dtype)
    case.ga("NGA_Strided_get", a.handle, low, high, skip, memory, ld)
    close(part, a.model[where])
    case.sync()
    part[...] = values
    if case.me == 0:
        case.ga("NGA_Strided_put", a.handle, low, high, skip, memory, ld)
    case.sync()
    case.ga("NGA_Strided_acc", a.handle, low, high, skip, memory, ld, np.asarray(2, a.model.dtype))
    a.model[where] = values * np.asarray(1 + 2 * case.size, a.model.dtype)
    case.sync()
    return [a]


def periodic(case):
    a = case.array(dtype=case.choice(EXACT))
    shape = a.model.shape
    low = [case.integer(-extent, 2 * extent) for extent in shape]
    high = [first + case.integer(0, extent - 1) for first, extent in zip(low, shape)]
    where = np.ix_(*[np.arange(a_, b + 1) % extent for a_, b, extent in zip(low, high, shape)])
    values = case.values(a.model[where].shape, a.model.dtype)
    memory, part, ld = buffer_of(case, values.shape, values.dtype)
    case.ga("NGA_Periodic_get", a.handle, low, high, memory, ld)
    close(part, a.model[where])
    case.sync()
    part[...] = values
    if case.me == case.size - 1:
        case.ga("NGA_Periodic_put", a.handle, low, high, memory, ld)
    case.sync()
    case.ga("NGA_Periodic_acc", a.handle, low, high, memory, ld, np.asarray(3, a.model.dtype))
    a.model[where] = values * np.asarray(1 + 3 * case.size, a.model.dtype)
    case.sync()
    return [a]


def lists(case):
    a = case.array(dtype=case.choice(EXACT))
    count = case.integer(1, min(60, a.model.size))
    flat = case.numbers.choice(a.model.size, count, replace=False)
    places = np.stack(np.unravel_index(flat, a.model.shape), axis=1)
    values, found = case.values(count, a.model.dtype), np.zeros(count, a.model.dtype)
    rows = [(ctypes.c_int * a.model.ndim)(*row) for row in places.tolist()]
    pointers = (ctypes.POINTER(ctypes.c_int) * count)(*[ctypes.cast(row, ctypes.POINTER(ctypes.c_int)) for row in rows])
    is_flat, narrow = case.chance(0.5), case.ga.c
    of = places.ravel().tolist() if is_flat else pointers
    if case.me == 0:
        if is_flat:
            case.ga("NGA_Scatter_flat", a.handle, values, of, count)
        else:
            narrow.NGA_Scatter(a.handle, case.ga.passed(values, None), of, count)
    case.sync()
    factor = np.asarray(2, a.model.dtype)
    if is_flat:
        case.ga("NGA_Scatter_acc_flat", a.handle, values, of, count, factor)
    else:
        narrow.NGA_Scatter_acc(a.handle, case.ga.passed(values, None), of, count, case.ga.passed(factor, None))
    a.model.flat[flat] = values * np.asarray(1 + 2 * case.size, a.model.dtype)
    case.sync()
    if is_flat:
        case.ga("NGA_Gather_flat", a.handle, found, of, count)
    else:
        narrow.NGA_Gather(a.handle, case.ga.passed(found, None), of, count)
    close(found, a.model.flat[flat])
    return [a]


def counter(case):
    a = case.array(dtype=case.choice(["i4", "i8"]))
    at = [case.integer(0, extent - 1) for extent in a.model.shape]
    before, olds = int(a.model[tuple(at)]), []
    for _ in range(5):
        olds.append(case.ga("NGA_Read_inc", a.handle, at, 3, result=ctypes.c_long))
    assert olds == sorted(olds) and (olds[0] - before) % 3 == 0, olds
    a.model[tuple(at)] += 15 * case.size
    case.sync()
    return [a]


def mirrored(case):
    """Copies on nodes add up; all layouts are copied to and from them."""
    if case.group != -1:
        return []
    a = case.array(dtype=case.choice(EXACT))
    every = Case(case.ga, 0, case.numbers)
    every.me, every.size = case.me, case.size  # all draw and wait alike, whatever their node
    every.sync = case.sync
    g = case.ga("GA_Create_handle")
    case.ga("GA_Set_data", g, list(a.model.shape) and a.model.ndim, list(a.model.shape), TYPES[a.model.dtype])
    case.ga("GA_Set_pgroup", g, case.ga("GA_Pgroup_get_mirror"))
    assert case.ga("GA_Allocate", g) == 1
    case.ga("GA_Zero", g)
    case.ga("NGA_Acc", g, *a.whole(), a.model, list(a.model.shape[1:]), np.asarray(1, a.model.dtype))
    case.ga("GA_Merge_mirrored", g)
    case.ga("GA_Copy", g, a.handle)
    a.model *= np.asarray(case.size, a.model.dtype)
    a.check()
    case.ga("GA_Scale", a.handle, np.asarray(2, a.model.dtype))
    a.model *= np.asarray(2, a.model.dtype)
    case.ga("GA_Copy", a.handle, g)
    found = np.zeros(a.model.shape, a.model.dtype)
    case.ga("NGA_Get", g, *a.whole(), found, list(a.model.shape[1:]))
    close(found, a.model)
    case.sync()
    case.ga("GA_Destroy", g)
    return [a]


def between_groups(case):
    """An array of the world and one of a part of it, each of any layout."""
    if case.group != -1:
        return []
    of_all = case.array(dtype="i8")
    members = sorted(case.numbers.permutation(case.size)[:case.integer(1, case.size)].tolist())
    numbers = np.random.default_rng(case.integer(0, 1 << 30))
    group = case.ga("GA_Pgroup_create", (ctypes.c_int * len(members))(*members), len(members))
    doubled = of_all.model * 2
    if case.me in members:
        part = Case(case.ga, group, numbers)
        a = part.array(shape=of_all.model.shape, dtype="i8")
        part.ga("GA_Copy", of_all.handle, a.handle)
        a.model[...] = of_all.model
        a.check()
        part.ga("GA_Add", np.asarray(1, "i8"), a.handle, np.asarray(1, "i8"), a.handle, a.handle)
        part.ga("GA_Copy", a.handle, of_all.handle)
        a.destroy()
        case.ga("GA_Pgroup_destroy", group)
    of_all.model[...] = doubled
    case.sync()
    return [of_all]


def on_disk(case):
    """Sections to and from a file, and a checkpoint."""
    if case.group != -1:
        return []
    dtype = case.choice(list(TYPES))
    shape = case.shape(case.integer(1, 4))
    a, ga = case.array(shape=shape, dtype=dtype), case.ga
    is_turned = case.chance(0.4)
    folder = np.zeros(200, "u1")
    if case.me == 0:
        text = tempfile.mkdtemp(prefix="ga_random_").encode()
        folder[:len(text)] = np.frombuffer(text, "u1")
    ga("GA_Brdcst", folder, folder.size, 0)
    folder = folder.tobytes().rstrip(b"\0")
    on_file = tuple(reversed(shape)) if is_turned else shape
    dims = (ctypes.c_long * len(shape))(*[extent + 3 for extent in on_file])
    usual = (ctypes.c_long * len(shape))(*[case.choice([-1, edge]) for edge in shape])
    disk, request = ctypes.c_int(), ctypes.c_int()
    low, high = case.box(shape)
    first = [case.integer(0, 3) for _ in shape]
    extents = [c - b + 1 for b, c in zip(low, high)]
    if is_turned:
        extents.reverse()
    begin = (ctypes.c_long * len(shape))(*first)
    end = (ctypes.c_long * len(shape))(*[b + extent - 1 for b, extent in zip(first, extents)])
    narrow = [(ctypes.c_int * len(shape))(*ends) for ends in (low, high)]
    assert ga("DRA_Init", 4, *[ctypes.c_double(-1)] * 3) == 0
    assert ga("NDRA_Create", TYPES[dtype], len(shape), dims, b"random", folder + b"/a.dra", -1, usual,
              ctypes.byref(disk)) == 0
    assert ga("NDRA_Write_section", int(is_turned), a.handle, *narrow, disk, begin, end, ctypes.byref(request)) == 0
    ga("GA_Zero", a.handle)
    assert ga("DRA_Wait", request) == 0
    b = case.array(shape=shape, dtype=dtype)
    assert ga("NDRA_Read_section", int(is_turned), b.handle, *narrow, disk, begin, end, ctypes.byref(request)) == 0
    assert ga("DRA_Wait", request) == 0
    b.model[patch(low, high)] = a.model[patch(low, high)]
    assert ga("DRA_Delete", disk) == 0 and ga("DRA_Terminate") == 0
    b.check()
    file, handle = folder + b"/b.h5", (ctypes.c_int * 1)(b.handle)
    assert ga("blockyard_ga_save", file, handle, 1) == 0
    ga("GA_Zero", b.handle)
    assert ga("blockyard_ga_load", file, handle, 1) == 0
    case.sync()
    if case.me == 0:
        os.remove(file)
        os.rmdir(folder)
    a.model[...] = 0
    return [a, b]


CALLS = [put, add, in_background, strided, periodic, lists, counter, mirrored, between_groups, on_disk,
         *random_owners.CALLS, *random_operations.CALLS, *random_sparse.CALLS]


def group_of(ga, numbers):
    """The world; or halves of it, each with numbers of its own, as the default group or named by each array."""
    size, me = ga("GA_Nnodes"), ga("GA_Nodeid")
    kind, colors = int(numbers.integers(3)), numbers.integers(2, size=size)
    if kind == 0:
        return -1, numbers
    groups = []
    for color in range(2):
        members = np.flatnonzero(colors == color).tolist()
        groups.append(members and ga("GA_Pgroup_create", (ctypes.c_int * len(members))(*members), len(members)))
    if kind == 2:
        ga("GA_Pgroup_set_default", groups[colors[me]])
    return groups[colors[me]], np.random.default_rng([int(numbers.integers(1 << 30)), int(colors[me])])


def main(library, first, end, only=None):
    ga = Library(library)
    ga("MPI_Init", None, None)
    ga("GA_Initialize")
    for seed in range(first, end):
        numbers = np.random.default_rng(seed)
        group, numbers = group_of(ga, numbers)
        case, call = Case(ga, group, numbers), None
        try:
            for turn in range(12):
                call = case.choice(CALLS)
                if only:
                    call = next(one for one in CALLS if one.__name__ == only)
                case.made = []
                arrays = call(case)
                for array in arrays:
                    array.check()
                for array in arrays:
                    array.destroy()
        except Exception:
            traceback.print_exc()
            print(f"seed {seed}, group {group}, process {case.me} of {case.size}, turn {turn}: {call.__name__} of "
                  f"{[(one.layout, one.model.shape, str(one.model.dtype)) for one in case.made]}", file=sys.stderr,
                  flush=True)
            ga("GA_Error", b"a difference", 1)
        ga("GA_Pgroup_set_default", -1)
        if group != -1:
            ga("GA_Pgroup_destroy", group)
        ga("GA_Sync")
    if ga("GA_Nodeid") == 0:
        print(f"seeds {first} to {end - 1} agree", flush=True)
    ga("GA_Terminate")
    ga("MPI_Finalize")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
