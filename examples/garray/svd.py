# SPDX-License-Identifier: Apache-2.0
"""The largest singular values and vectors of a matrix that is spread over all ranks.

python svd.py, or mpirun -n 4 python svd.py. Random projections find the subspace (Halko, Martinsson,
Tropp, SIAM Review 53, 217 (2011), algorithm 4.4 with a Gram matrix in place of QR); only matrices as
small as the number of vectors are in one place.
"""
import numpy as np

from blockyard import ga


def orthonormal(y: ga.GlobalArray) -> ga.GlobalArray:
    """Columns that span the same space, from the Cholesky factor of y^T y; twice, for accuracy."""
    for _ in range(2):
        factor = np.linalg.cholesky(np.asarray(y.T @ y))
        y = y @ np.linalg.inv(factor).T
    return y


def svd(a: ga.GlobalArray, count: int, more: int = 10, turns: int = 2, seed: int = 0
        ) -> tuple[ga.GlobalArray, np.ndarray, ga.GlobalArray]:
    """(u, values, v) with a ~ u @ diag(values) @ v.T; u and v are spread over the ranks."""
    start = np.random.default_rng(seed).standard_normal((a.shape[1], count + more))  # alike at all ranks
    q = orthonormal(a @ start)
    for _ in range(turns):
        q = orthonormal(a @ orthonormal(a.T @ q))
    b = a.T @ q  # columns of a^T in the subspace
    squares, w = np.linalg.eigh(np.asarray(b.T @ b))
    values, w = np.sqrt(squares[::-1][:count]), w[:, ::-1][:, :count]
    return q @ w, values, (b @ w) / values


if __name__ == "__main__":
    rows, columns = 600, 400
    matrix = ga.from_function(lambda i, j: 1.0 / (1.0 + abs(i / rows - j / columns)), (rows, columns))
    u, values, v = svd(matrix, 8)
    error = ga.norm(matrix @ v - u * values)
    if ga.rank() == 0:
        print(f"{ga.size()} ranks: {np.array2string(values, precision=4)}, |a v - u s| = {error:.1e}")
