# SPDX-License-Identifier: Apache-2.0
"""Tasks of very different length, dealt by a counter: whoever is free takes the next one.

python tasks.py, or mpirun -n 4 python tasks.py. The task: how often the Mandelbrot iteration runs
in a strip of the plane.
"""
import numpy as np

from blockyard import ga


def mandelbrot(points: int = 240, strip: int = 8, most: int = 200) -> ga.GlobalArray:
    """Iterations until |z| > 2, at each point of [-2, 1] x [-1.5, 1.5]."""
    image = ga.zeros((points, points), "i4", name="image")
    y, x = np.linspace(-1.5, 1.5, points), np.linspace(-2, 1, points)
    for task in ga.counter(points // strip):
        rows = slice(task * strip, (task + 1) * strip)
        c = x[None, :] + 1j * y[rows, None]
        z, count = np.zeros_like(c), np.zeros(c.shape, np.int32)
        for _ in range(most):
            inside = np.abs(z) <= 2
            count += inside
            z = np.where(inside, z * z + c, z)
        image[rows] = count  # wherever these rows lie
    ga.sync()
    return image


if __name__ == "__main__":
    image = mandelbrot()
    inside = int((image == image.max()).sum())
    if ga.rank() == 0:
        print(f"{ga.size()} ranks: {inside} of {image.size} points do not escape")
