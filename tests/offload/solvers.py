#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Solvers of equations and eigenvalues, dense and sparse, as PETSc and SLEPc have them: SuperLU_DIST, MUMPS, UMFPACK and
CHOLMOD compute the dense blocks of their factors with BLAS, SLEPc the small problems of its methods with LAPACK.

Prints what is the same however a library rounds.
"""
from petsc4py import PETSc
from slepc4py import SLEPc

ROWS, COLUMNS = 15, 13  # no eigenvalue is there twice
FACTORS = {"lu": ("petsc", "superlu_dist", "mumps", "umfpack"), "cholesky": ("petsc", "cholmod")}
METHODS = ("krylovschur", "arnoldi", "lapack", "jd")


def dense(extent):
    """Symmetric and positive definite."""
    matrix = PETSc.Mat().createDense([extent, extent])
    matrix.setUp()
    for i in range(extent):
        matrix.setValues([i], range(extent), [2 * (i == j) + 1 / (1 + i + j) for j in range(extent)])
    matrix.assemble()
    return matrix


def membrane(rows, columns):
    """A little more than minus the Laplacian on a grid."""
    matrix = PETSc.Mat().createAIJ([rows * columns, rows * columns], nnz=5)
    for k in range(rows * columns):
        i, j = divmod(k, columns)
        for row, column in ((i, j), (i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
            if 0 <= row < rows and 0 <= column < columns:
                matrix[k, row * columns + column] = 4.1 if (row, column) == (i, j) else -1
    matrix.assemble()
    return matrix


def solve(matrix, kind, package):
    given = matrix.createVecLeft()
    given.setArray([1 + k % 7 for k in range(given.getSize())])
    found, left = given.duplicate(), given.duplicate()
    solver = PETSc.KSP().create()
    solver.setOperators(matrix)
    solver.setType("preonly")
    solver.getPC().setType(kind)
    solver.getPC().setFactorSolverType(package)
    solver.solve(given, found)
    matrix.mult(found, left)
    left.axpy(-1, given)
    print(f"{kind} {package}: solved {left.norm() < 1e-9 * given.norm()}, norm {found.norm():.8f}")


def find_largest(matrix, method, count=4):
    solver = SLEPc.EPS().create()
    solver.setOperators(matrix)
    solver.setProblemType(SLEPc.EPS.ProblemType.HEP)
    solver.setType(method)
    solver.setDimensions(count)
    solver.setTolerances(1e-9, 5000)
    solver.setWhichEigenpairs(solver.Which.LARGEST_REAL)
    solver.solve()
    print(f"{method}: {' '.join(f'{solver.getEigenvalue(k).real:.6f}' for k in range(count))}")


def main():
    full, sparse = dense(150), membrane(ROWS, COLUMNS)
    for kind, packages in FACTORS.items():
        solve(full, kind, "petsc")
        for package in packages:
            solve(sparse, kind, package)
    print(f"products: {full.matMult(full).norm():.8f} {full.transposeMatMult(full).norm():.8f}")
    for method in METHODS:
        find_largest(sparse, method)
    find_largest(full, "lapack")


if __name__ == "__main__":
    main()
