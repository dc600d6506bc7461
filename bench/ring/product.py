#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A product of order N as a ring of processes, against ScaLAPACK's pdgemm in the same processes, in turn.

    mpirun -n 2 python3 bench/ring/product.py [N [LIBRARY]]      with PYTHONPATH=build/bench/python

LIBRARY: libscalapack-openmpi.so by default. Both begin with matrices whose columns are dealt out, and leave the result so:
the ring in one run of columns a process, pdgemm in that or in blocks of 64, whichever is faster.
"""
import ctypes
import json
import sys
import time

import numpy as np

import blockyard

RUNS = 3


def scalapack(library, me, processes, order, block):
    """A function that multiplies; columns are dealt out in blocks of `block`."""
    lib = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
    context, zero, one = ctypes.c_int(), ctypes.c_int(0), ctypes.c_int(1)
    lib.Cblacs_get(0, 0, ctypes.byref(context))
    lib.Cblacs_gridinit(ctypes.byref(context), b"R", 1, processes)
    mine = -(-order // (block * processes)) * block  # or fewer
    random = np.random.default_rng(me)
    a, b = (np.asfortranarray(random.standard_normal((order, mine))) for _ in "ab")
    c = np.zeros((order, mine), order="F")
    n, block, info = ctypes.c_int(order), ctypes.c_int(block), ctypes.c_int()
    about = (ctypes.c_int * 9)()
    lib.descinit_(about, *(ctypes.byref(x) for x in (n, n, n, block, zero, zero, context, n, info)))
    alpha, beta = ctypes.c_double(1), ctypes.c_double(0)
    data = [x.ctypes.data_as(ctypes.c_void_p) for x in (a, b, c)]

    def multiply():
        by = ctypes.byref
        lib.pdgemm_(b"N", b"N", by(n), by(n), by(n), by(alpha), data[0], by(one), by(one), about, data[1], by(one), by(one),
                    about, by(beta), data[2], by(one), by(one), about)
    return multiply


def ring(order):
    """The same as a ring: columns of the result and of one operand stay, blocks of columns of the other travel."""
    me, processes = blockyard.processes()
    width = -(-order // processes)
    mine = slice(me * width, min(order, (me + 1) * width))
    random = np.random.default_rng(me)
    a, b = (np.asfortranarray(random.standard_normal((order, mine.stop - mine.start))) for _ in "ab")
    step = 500

    def multiply():
        with blockyard.Ring((order, order), "f8", cut=1) as r:
            result = r.slice

            @r.update
            def add(part, block, first):
                result[...] += block.T @ b[first:first + len(block)]

            for first in range(0, a.shape[1], step):
                r.give(a[:, first:first + step].T, head=mine.start + first)
    return multiply


def best(run):
    times = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return min(times)


def main(order=4000, library="libscalapack-openmpi.so"):
    me, processes = blockyard.processes()
    theirs = min(best(scalapack(library, me, processes, order, block)) for block in (-(-order // processes), 64))
    ours = best(ring(order))
    if me == 0:
        print(json.dumps({"bench": "ring_product", "case": f"order {order} on {processes} processes", "seconds": ours,
                          "pdgemm_seconds": theirs, "ratio_to_pdgemm": ours / theirs}))


if __name__ == "__main__":
    main(*(int(x) if x.isdigit() else x for x in sys.argv[1:]))
