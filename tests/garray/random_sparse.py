# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices of Global Arrays against dense ones of NumPy, for random_calls.py."""
import ctypes

import numpy as np

from random_arrays import TYPES, close
from random_operations import scalar


class Sparse:
    """Collective. Each element is added by one process, whichever has its row."""

    def __init__(self, case, shape, dtype):
        self.case, kept = case, case.numbers.random(shape) < case.choice([0.0, 0.1, 0.6])
        self.model = case.values(shape, dtype, low=1) * kept
        self.handle = case.ga("NGA_Sprs_array_create", *shape, TYPES[self.model.dtype])
        for k, (i, j) in enumerate(np.argwhere(kept)):
            if k % case.size == case.me:
                case.ga("NGA_Sprs_array_add_element", self.handle, int(i), int(j), self.model[i, j:j + 1])
        assert case.ga("NGA_Sprs_array_assemble", self.handle) == 1

    def check(self):
        """Its product with the unit matrix has all elements. Collective."""
        unit = self.case.array(shape=self.model.shape[1:] * 2, dtype=self.model.dtype)
        self.case.ga("GA_Zero", unit.handle)
        self.case.ga("GA_Shift_diagonal", unit.handle, scalar(unit, 1))
        made = self.case.ga("NGA_Sprs_array_sprsdns_multiply", self.handle, unit.handle)
        close(contents(self.case, made, self.model), self.model)
        unit.destroy()

    def destroy(self):
        self.case.ga("NGA_Sprs_array_destroy", self.handle)


def contents(case, handle, like):
    """Collective. The elements of a global array, which ends."""
    found = np.zeros(like.shape, like.dtype)
    case.ga("NGA_Get", handle, [0] * like.ndim, [extent - 1 for extent in like.shape], found, list(like.shape[1:]))
    case.sync()
    case.ga("GA_Destroy", handle)
    return found


def sparse_products(case):
    if case.ga("GA_Pgroup_get_default") != case.group:
        return []
    dtype = case.choice(["i4", "i8", "f8", "c16"])
    m, n, k = (case.integer(1, 14) for _ in range(3))
    a, b = Sparse(case, (m, k), dtype), Sparse(case, (k, n), dtype)
    dense, line = case.array(shape=(k, n), dtype=dtype), case.array(shape=(k,), dtype=dtype)
    left, sums = case.array(shape=(n, m), dtype=dtype), case.array(shape=(m,), dtype=dtype)
    case.ga("NGA_Sprs_array_matvec_multiply", a.handle, line.handle, sums.handle)
    sums.model[...] = a.model @ line.model
    made = case.ga("NGA_Sprs_array_sprsdns_multiply", a.handle, dense.handle)
    close(contents(case, made, a.model @ dense.model), a.model @ dense.model)
    made = case.ga("NGA_Sprs_array_dnssprs_multiply", left.handle, a.handle)
    close(contents(case, made, left.model @ a.model), left.model @ a.model)
    a.model, a.handle, first = a.model @ b.model, case.ga("NGA_Sprs_array_matmat_multiply", a.handle, b.handle), a.handle
    case.ga("NGA_Sprs_array_destroy", first)
    return [a, b, dense, line, left, sums]


def sparse_changes(case):
    """Diagonals, columns, rows and columns scaled."""
    if case.ga("GA_Pgroup_get_default") != case.group:
        return []
    m, n = case.integer(1, 14), case.integer(1, 14)
    a = Sparse(case, (m, n), case.choice(["i4", "i8", "f8", "c16"]))
    rows, columns = (case.array(shape=(extent,), dtype=a.model.dtype) for extent in (m, n))
    column = case.integer(0, n - 1)
    close(contents(case, case.ga("NGA_Sprs_array_get_column", a.handle, column), a.model[:, column]), a.model[:, column])
    if m == n:
        made = ctypes.c_int()
        case.ga("NGA_Sprs_array_get_diag", a.handle, ctypes.byref(made))
        close(contents(case, made.value, rows.model), a.model.diagonal())
        case.ga("NGA_Sprs_array_shift_diag", a.handle, scalar(a, 3))
        a.model[np.arange(n), np.arange(n)] += scalar(a, 3)
    case.ga("NGA_Sprs_array_diag_left_multiply", a.handle, rows.handle)
    case.ga("NGA_Sprs_array_diag_right_multiply", a.handle, columns.handle)
    case.ga("NGA_Sprs_array_scale", a.handle, scalar(a, -2))
    a.model *= rows.model[:, None] * columns.model * scalar(a, -2)
    return [a, rows, columns]


CALLS = [sparse_products, sparse_changes]
