# SPDX-License-Identifier: Apache-2.0
"""The Gram matrix X^T X of data that come in batches at every process, in slices of columns.

    mpirun -n 4 python gram.py      or alone: python gram.py
"""
import numpy as np

import blockyard

features, batches, rows = 600, 8, 200


def batch(number):
    return np.random.default_rng(number).normal(size=(rows, features))


def main(process, processes):
    mine = range(process, batches, processes)  # numbers of batches may differ between processes
    with blockyard.Ring((features, features), "f8", cut=1) as r:

        @r.update
        def add(part, x):
            part += x.T @ x[:, r.begin : r.end]

        for number in mine:
            r.give(batch(number))
        gram = r.result()
    expected = sum(batch(n).T @ batch(n) for n in range(batches))
    print(f"process {process}: columns {r.begin} to {r.end}, error {abs(gram - expected).max():.1e}")
    assert abs(gram - expected).max() < 1e-9


if __name__ == "__main__":
    main(*blockyard.processes())
