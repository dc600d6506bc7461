# SPDX-License-Identifier: Apache-2.0
"""The steady temperature of a periodic plate with a hot and a cold spot, by Jacobi's iteration.

python jacobi.py [points], or mpirun -n 4 python jacobi.py: each rank has a block of the plate with
ghost cells around it, which show the edges of its neighbours.
"""
import sys

import numpy as np

from blockyard import ga


def solve(points: int = 64, tolerance: float = 1e-4) -> tuple[ga.GlobalArray, int]:
    """Of -laplace(u) = f on a torus, where f is 1 in one place and -1 in another: (u, steps)."""
    source = ga.zeros((points, points))
    if ga.rank() == 0:
        source[points // 4, points // 4] = 1.0
        source[3 * points // 4, 3 * points // 4] = -1.0
    ga.sync()
    u = ga.zeros((points, points), ghosts=1, name="temperature")
    f, mine, padded = source.local, u.local, u.local_with_ghosts
    group = ga.init()
    for step in range(1, 100 * points):
        u.update_ghosts()
        after = 0.25 * (padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:] + f)
        change = group.reduce(float(np.abs(after - mine).max(initial=0.0)), "max")
        mine[...] = after
        if change < tolerance / points:
            break
    ga.sync()
    return u, step


if __name__ == "__main__":
    plate, steps = solve(int(sys.argv[1]) if len(sys.argv) > 1 else 64)
    hottest = plate.max()
    if ga.rank() == 0:
        print(f"{steps} steps on {ga.size()} ranks: the hot spot has {hottest:.6f}")
