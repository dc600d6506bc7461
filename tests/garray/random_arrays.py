# SPDX-License-Identifier: Apache-2.0
"""Global arrays through the C interface of libga, each compared with a NumPy model of what it must hold."""
import ctypes

import numpy as np

TYPES = {np.dtype(name): code for name, code in
         (("i4", 1001), ("i8", 1002), ("f4", 1003), ("f8", 1004), ("c8", 1006), ("c16", 1007))}
LAYOUTS = ("regular", "chunk", "irregular", "cyclic", "scalapack", "tiled", "tiled_irregular", "restricted",
           "range", "ghosts", "ghosts_irregular")


class Out:
    """Integers that a call writes, of the width that it has."""

    def __init__(self, count):
        self.count, self.raw = max(count, 1), None

    @property
    def values(self):
        return list(self.raw)[:self.count]


class Complex8(ctypes.Structure):
    _fields_ = [("real", ctypes.c_float), ("imag", ctypes.c_float)]


class Complex16(ctypes.Structure):
    _fields_ = [("real", ctypes.c_double), ("imag", ctypes.c_double)]


BY_VALUE = {"f4": ctypes.c_float, "f8": ctypes.c_double, "c8": Complex8, "c16": Complex16, "i4": ctypes.c_int,
            "i8": ctypes.c_long}


def by_value(value, dtype):
    """An argument of one of the C types."""
    kind = BY_VALUE[np.dtype(dtype).str[1:]]
    return kind(value.real, value.imag) if np.dtype(dtype).kind == "c" else kind(value)


class Library:
    """Calls functions of libga by name; now and then in their form for 64-bit indexes."""

    def __init__(self, path):
        self.c = ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
        self.turn = 0

    def __call__(self, name, *arguments, result=ctypes.c_int):
        self.turn += 1
        is_wide = self.turn % 2 == 0 and hasattr(self.c, name + "64")
        integer = ctypes.c_int64 if is_wide else ctypes.c_int
        call = getattr(self.c, name + "64" if is_wide else name)
        call.restype = result
        return call(*[self.passed(argument, integer) for argument in arguments])

    @staticmethod
    def passed(argument, integer):
        if isinstance(argument, Out):
            argument.raw = (integer * argument.count)()
            return argument.raw
        if isinstance(argument, np.ndarray):
            return argument.ctypes.data_as(ctypes.c_void_p)
        if isinstance(argument, (list, tuple)):
            return (integer * max(1, len(argument)))(*[int(one) for one in argument])
        if isinstance(argument, (int, np.integer)):
            return ctypes.c_int64(int(argument))
        return argument


def letter(text):
    return ctypes.c_char(text.encode())


class Case:
    """A group of processes that calls alike, and the numbers they draw alike."""

    def __init__(self, library, group, numbers):
        self.ga, self.group, self.numbers = library, group, numbers
        self.made = []
        self.me, self.size = library("GA_Pgroup_nodeid", group), library("GA_Pgroup_nnodes", group)

    def sync(self):
        self.ga("GA_Pgroup_sync", self.group)

    def integer(self, low, high):
        """From low to high, which are both possible."""
        return int(self.numbers.integers(low, high + 1))

    def choice(self, of):
        return of[self.integer(0, len(of) - 1)]

    def chance(self, probability):
        return bool(self.numbers.random() < probability)

    def values(self, shape, dtype, low=-4, high=4):
        drawn = self.numbers.integers(low, high + 1, size=shape)
        if np.dtype(dtype).kind == "c":
            drawn = drawn + 1j * self.numbers.integers(low, high + 1, size=shape)
        return np.ascontiguousarray(np.asarray(drawn).astype(dtype))

    def shape(self, axes=None):
        axes = axes or self.choice([1, 2, 2, 2, 3, 3, 4, 5, 7])
        most = {1: 40, 2: 14, 3: 8, 4: 5}.get(axes, 3)
        return tuple(self.integer(1, most) for _ in range(axes))

    def box(self, shape):
        """First and last indexes of a patch."""
        low = [self.integer(0, extent - 1) for extent in shape]
        return low, [self.integer(first, extent - 1) for first, extent in zip(low, shape)]

    def grid(self, axes):
        """As many processes as the group has, on axes drawn."""
        grid, left = [1] * axes, self.size
        for prime in (2, 3, 5, 7):
            while left % prime == 0:
                grid[self.integer(0, axes - 1)] *= prime
                left //= prime
        grid[0] *= left
        return grid

    def begins(self, extent, count):
        return [0, *sorted(self.numbers.choice(np.arange(1, extent), count - 1, replace=False).tolist())]

    def array(self, shape=None, dtype=None, layout=None, low=-4, high=4):
        shape = shape or self.shape()
        dtype = np.dtype(dtype) if dtype else self.choice(list(TYPES))
        return Array(self, self.values(shape, dtype, low, high), layout or self.choice(LAYOUTS))


def patch(low, high, step=None):
    return tuple(slice(a, b + 1, s) for a, b, s in zip(low, high, step or [1] * len(low)))


def buffer_of(case, shape, dtype):
    """Memory for a patch with rows that may be longer than it: the memory, the patch in it, its ld."""
    lengths = [extent + (case.integer(0, 2) if axis and case.chance(0.4) else 0) for axis, extent in enumerate(shape)]
    memory = np.full(lengths, 99, dtype)
    return memory, memory[tuple(slice(0, extent) for extent in shape)], lengths[1:]


class Array:
    """Collective."""

    def __init__(self, case, model, layout):
        self.case, self.model, self.layout, ga = case, model, layout, case.ga
        self.handle = g = ga("GA_Create_handle")
        ga("GA_Set_data", g, model.ndim, list(model.shape), TYPES[model.dtype])
        ga("GA_Set_array_name", g, layout.encode())
        ga("GA_Set_pgroup", g, case.group)
        case.made.append(self)
        self.widths = [0] * model.ndim
        getattr(self, f"as_{layout.replace('ghosts_', '').replace('range', 'restricted')}", lambda: None)()
        if layout.startswith("ghosts"):
            self.widths = [case.integer(0, 2) for _ in model.shape]
            ga("GA_Set_ghosts", g, self.widths)
        assert ga("GA_Allocate", g) == 1
        for row in range(case.me, model.shape[0], case.size):
            low, high = [row] + [0] * (model.ndim - 1), [row] + [n - 1 for n in model.shape[1:]]
            ga("NGA_Put", g, low, high, np.ascontiguousarray(model[row]), list(model.shape[1:]))
        case.sync()

    def edges(self):
        return [self.case.integer(1, extent) for extent in self.model.shape]

    def as_chunk(self):
        self.case.ga("GA_Set_chunk", self.handle, [self.case.choice([0, -1, edge]) for edge in self.edges()])

    def as_irregular(self):
        counts, left = [1] * self.model.ndim, self.case.size
        for axis in self.case.numbers.permutation(self.model.ndim):
            counts[axis] = self.case.integer(1, min(left, self.model.shape[axis]))
            left //= counts[axis]
        begins = [self.case.begins(n, count) for n, count in zip(self.model.shape, counts)]
        self.case.ga("GA_Set_irreg_distr", self.handle, sum(begins, []), counts)

    def as_cyclic(self):
        self.case.ga("GA_Set_block_cyclic", self.handle, self.edges())

    def as_scalapack(self):
        self.case.ga("GA_Set_block_cyclic_proc_grid", self.handle, self.edges(), self.case.grid(self.model.ndim))

    def as_tiled(self):
        self.case.ga("GA_Set_tiled_proc_grid", self.handle, self.edges(), self.case.grid(self.model.ndim))

    def as_tiled_irregular(self):
        grid = self.case.grid(self.model.ndim)
        counts = [self.case.integer(1, extent) for extent in self.model.shape]
        begins = [self.case.begins(n, count) for n, count in zip(self.model.shape, counts)]
        self.case.ga("GA_Set_tiled_irreg_proc_grid", self.handle, sum(begins, []), counts, grid)

    def as_restricted(self):
        size = self.case.size
        if self.layout == "range":
            first = self.case.integer(0, size - 1)
            self.case.ga("GA_Set_restricted_range", self.handle, first, self.case.integer(first, size - 1))
        else:
            holders = self.case.numbers.permutation(size)[:self.case.integer(1, size)].tolist()
            self.case.ga("GA_Set_restricted", self.handle, (ctypes.c_int * len(holders))(*holders), len(holders))

    def get(self, low, high):
        extents = [b - a + 1 for a, b in zip(low, high)]
        memory, found, ld = buffer_of(Alone(self.case), extents, self.model.dtype)
        self.case.ga("NGA_Get", self.handle, low, high, memory, ld)
        return found

    def whole(self):
        return [0] * self.model.ndim, [extent - 1 for extent in self.model.shape]

    def check(self):
        """All elements are those of the model. Collective."""
        close(self.get(*self.whole()), self.model)
        self.case.sync()

    def destroy(self):
        self.case.ga("GA_Destroy", self.handle)


class Alone(Case):
    """What one process draws by itself."""

    def __init__(self, case):
        self.__dict__.update(case.__dict__)
        self.numbers = np.random.default_rng(case.ga.turn * 64 + case.me)


def close(found, wanted):
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape, (found.shape, wanted.shape)
    tolerance = 1e-4 if wanted.dtype in (np.float32, np.complex64) else 1e-10
    assert np.allclose(found, wanted, rtol=tolerance, atol=tolerance), f"found\n{found}\nbut it is\n{wanted}"
