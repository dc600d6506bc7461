# SPDX-License-Identifier: Apache-2.0
"""Softmax attention over a sequence longer than a process holds: queries stay, keys and values travel.

    mpirun -n 4 python attention.py      or alone: python attention.py
"""
import numpy as np

import blockyard

length, width, blocks = 768, 32, 12
numbers = np.random.default_rng(1)
q, k, v = numbers.normal(size=(3, length, width))  # a real program loads only its own parts


def main(process, processes):
    with blockyard.Ring((length, 2 + width), "f8", cut=0) as r:  # maximum, sum, weighted values
        queries = q[r.begin : r.end] / np.sqrt(width)
        r.slice[:, 0] = -np.inf

        @r.update
        def attend(state, keys_and_values):
            keys, values = keys_and_values
            scores = queries @ keys.T
            before, state[:, 0] = state[:, 0].copy(), np.maximum(state[:, 0], scores.max(axis=1))
            weights = np.exp(scores - state[:, :1])
            state[:, 1:] *= np.exp(before - state[:, 0])[:, None]
            state[:, 1] += weights.sum(axis=1)
            state[:, 2:] += weights @ values

        for part in np.array_split(np.arange(length), blocks)[process::processes]:
            r.give(np.stack([k[part], v[part]]))
        state = r.result()
    scores = np.exp(q @ k.T / np.sqrt(width))
    error = abs(state[:, 2:] / state[:, 1:2] - scores @ v / scores.sum(axis=1)[:, None]).max()
    print(f"process {process}: queries {r.begin} to {r.end}, error {error:.1e}")
    assert error < 1e-12


if __name__ == "__main__":
    main(*blockyard.processes())
