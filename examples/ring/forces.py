# SPDX-License-Identifier: Apache-2.0
"""Gravity between all pairs of particles: forces stay with their particles, positions travel.

    mpirun -n 4 python forces.py      or alone: python forces.py
"""
import numpy as np

import blockyard

count, blocks, softening = 1500, 10, 1e-3
numbers = np.random.default_rng(2)
places, masses = numbers.uniform(size=(count, 3)), numbers.uniform(size=count)


def pull(on, by):
    """Acceleration of particles at `on` by particles `by`: x, y, z, mass."""
    away = by[None, :, :3] - on[:, None]
    distance2 = (away**2).sum(axis=2) + softening**2
    return (away * (by[:, 3] / distance2**1.5)[:, :, None]).sum(axis=1)


def main(process, processes):
    with blockyard.Ring((count, 3), "f8", cut=0) as r:
        mine = places[r.begin : r.end]

        @r.update
        def add(forces, particles):
            forces += pull(mine, particles)

        for part in np.array_split(np.arange(count), blocks)[process::processes]:
            r.give(np.column_stack([places[part], masses[part]]))
        forces = r.result()
    error = abs(masses @ forces).max() / abs(forces).max()  # what pairs do to each other cancels
    print(f"process {process}: particles {r.begin} to {r.end}, sum of forces {error:.1e}")
    assert error < 1e-9


if __name__ == "__main__":
    main(*blockyard.processes())
