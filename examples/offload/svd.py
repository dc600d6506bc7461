#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Singular values of a large matrix from a random sample of its range: nearly all the time is in matrix products.

    blockyard offload serve --device host &
    blockyard offload run -- python3 examples/offload/svd.py

Source: Halko, Martinsson, Tropp, SIAM Review 53 (2011) 217, algorithms 4.4 and 5.1.
"""
import sys

import numpy


def largest_singular_values(matrix, count, rounds=2, seed=1):
    sample = numpy.random.default_rng(seed).standard_normal((matrix.shape[1], count + 10))
    basis, _ = numpy.linalg.qr(matrix @ sample)
    for _ in range(rounds):
        basis, _ = numpy.linalg.qr(matrix.T @ basis)
        basis, _ = numpy.linalg.qr(matrix @ basis)
    return numpy.linalg.svd(basis.T @ matrix, compute_uv=False)[:count]


def main(extent):
    random = numpy.random.default_rng(0)
    left, _ = numpy.linalg.qr(random.standard_normal((extent, 20)))
    right, _ = numpy.linalg.qr(random.standard_normal((extent, 20)))
    values = 2.0 ** -numpy.arange(20)
    found = largest_singular_values((left * values) @ right.T, 5)
    print("largest singular values:", " ".join(f"{value:.6f}" for value in found))
    if not numpy.allclose(found, values[:5]):
        sys.exit("they should be powers of two")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1500)
