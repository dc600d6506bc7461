# SPDX-License-Identifier: Apache-2.0
"""The Hubbard model on a small periodic cluster by exact diagonalisation: one- and two-particle Green's functions.

Orbitals are momenta, so that the Hamiltonian falls into blocks of (particles up, particles down, momentum). Axes and
channels are those of docs/lattice.md.
"""

import itertools

import numpy as np

DEGENERATE = 1e-7  # of beta times an energy


class Exact:
    def __init__(self, lengths, u, beta, mu=0.0, t=1.0):
        self.lengths, self.beta = tuple(lengths), beta
        self.momenta = [(x, y) for y in range(lengths[1]) for x in range(lengths[0])]
        self.index = {k: i for i, k in enumerate(self.momenta)}
        self.nk = len(self.momenta)
        orbitals = 2 * self.nk  # up, then down
        lower = [self.annihilator(orbital, orbitals) for orbital in range(orbitals)]
        self.sectors = self.find_sectors(orbitals)
        self.sector_of = {state: i for i, sector in enumerate(self.sectors) for state in sector}
        self.energy, states = self.diagonalise(self.hamiltonian(lower, u, mu, t))
        self.size = self.energy.shape[1]
        self.weight = np.where(self.is_state, np.exp(-beta * self.energy), 0)
        self.z = self.weight.sum()
        self.lower = [self.blocks(c, states) for c in lower]
        self.upper = [self.blocks(c.T, states) for c in lower]

    @staticmethod
    def annihilator(orbital, orbitals):
        matrix = np.zeros((2**orbitals, 2**orbitals))
        for state in range(2**orbitals):
            if state >> orbital & 1:
                matrix[state ^ 1 << orbital, state] = (-1) ** bin(state >> orbital + 1).count("1")
        return matrix

    def hamiltonian(self, lower, u, mu, t):
        nk, size = self.nk, len(lower[0])
        number = [c.T @ c for c in lower]
        h = u * nk / 4 * np.eye(size)
        for orbital, n in enumerate(number):
            angles = [2 * np.pi * k / length for k, length in zip(self.momenta[orbital % nk], self.lengths) if length > 1]
            h += (-2 * t * np.cos(angles).sum() - mu - u / 2) * n
        for q in range(nk):  # U / N sum over q of density(q) of one spin and density(-q) of the other
            up, down = (sum(lower[s * nk + self.add(k, q)].T @ lower[s * nk + k] for k in range(nk)) for s in (0, 1))
            h += u / nk * up @ down.T
        return h

    def add(self, k, q, sign=1):
        pair = zip(self.momenta[k], self.momenta[q], self.lengths)
        return self.index[tuple((a + sign * b) % length for a, b, length in pair)]

    def find_sectors(self, orbitals):
        sectors = {}
        for state in range(2**orbitals):
            filled = [orbital for orbital in range(orbitals) if state >> orbital & 1]
            up = sum(orbital < self.nk for orbital in filled)
            total = np.array([self.momenta[orbital % self.nk] for orbital in filled]).reshape(-1, 2).sum(axis=0)
            sectors.setdefault((up, len(filled) - up, *(total % self.lengths)), []).append(state)
        return list(sectors.values())

    def diagonalise(self, h):
        """Energies above the lowest and states by sector, filled up to the same size."""
        size = max(map(len, self.sectors))
        energy = np.zeros((len(self.sectors), size))
        self.is_state = np.zeros(energy.shape, bool)
        states = []
        for i, sector in enumerate(self.sectors):
            found, vectors = np.linalg.eigh(h[np.ix_(sector, sector)])
            energy[i, :len(sector)] = found
            self.is_state[i, :len(sector)] = True
            states.append(vectors)
        return np.where(self.is_state, energy - energy[self.is_state].min(), 0), states

    def blocks(self, operator, states):
        """By sector of rows: the sector of columns, and the matrix between them; without one the matrix is 0."""
        columns = np.zeros(len(self.sectors), int)
        matrices = np.zeros((len(self.sectors), self.size, self.size))
        for i, rows in enumerate(self.sectors):
            reached = np.flatnonzero(operator[rows].any(axis=0))
            if reached.size:
                columns[i] = j = self.sector_of[reached[0]]
                sector = self.sectors[j]
                matrices[i, :len(rows), :len(sector)] = states[i].T @ operator[np.ix_(rows, sector)] @ states[j]
        return columns, matrices

    def green(self, k, w):
        """G(k, i w) of spin up."""
        columns, c = self.lower[k]
        weight = self.weight[:, :, None] + self.weight[columns][:, None, :]
        return (c**2 * weight / (1j * w + self.energy[:, :, None] - self.energy[columns][:, None, :])).sum() / self.z

    def two_particle(self, operators, w):
        """1 / beta^2 times the integral over tau1 .. tau4 of
        < T c1(tau1) c2+(tau2) c3(tau3) c4+(tau4) > exp(i (w1 tau1 - w2 tau2 + w3 tau3 - w4 tau4));
        operators: orbitals 1 to 4; w: w1, w2, w3, arrays of the same shape, (2 n + 1) pi / beta."""
        one, two, three, four = operators
        steps = [(self.lower[one], w[0]), (self.upper[two], -w[1]), (self.lower[three], w[2])]
        total = 0
        for order in itertools.permutations(range(3)):
            sign = np.linalg.det(np.eye(3)[list(order)])
            total = total + sign * self.ordered([steps[i] for i in order], self.upper[four])
        return self.beta**2 / self.z * total

    def ordered(self, steps, last):
        """The trace for tau1 > tau2 > tau3 > 0: the integral over such times of a product of exponentials is the
        divided difference of exp at four points, x0 .. x3. It falls into terms of two indexes each, so that matrix
        products sum over states. x0 - x2 and x1 - x3 may vanish; the limit is taken there."""
        sector, shift = np.arange(len(self.sectors)), 0.0
        x, e, m = [], [], []
        for (columns, matrices), a in [*steps, (last, 0)]:
            x.append(-self.beta * self.energy[sector] + 1j * self.beta * np.asarray(shift)[..., None, None])
            e.append((-1) ** len(m) * np.exp(-self.beta * self.energy[sector]))
            m.append(matrices[sector])
            sector, shift = columns[sector], shift + a
        m[3] = m[3] * (sector == np.arange(len(sector)))[:, None, None]

        def over(i, j, value):
            return value / (x[i][..., :, None] - x[j][..., None, :])

        def first(i, j):
            return over(i, j, e[i][..., :, None] - e[j][..., None, :])

        def inner(i, j, k, left, right):
            """sum over j of left right f[xi, xj, xk]."""
            difference = x[i][..., :, None] - x[k][..., None, :]
            is_zero = abs(difference) < DEGENERATE
            f_ij = first(i, j)
            limit = (left * over(i, j, e[i][..., :, None] - f_ij)) @ right
            usual = (left * f_ij) @ right - left @ (right * first(j, k))
            return np.where(is_zero, limit, usual / np.where(is_zero, 1, difference))

        closing = m[3] / np.swapaxes(x[0][..., :, None] - x[3][..., None, :], -1, -2)
        ahead = (inner(0, 1, 2, m[0], m[1]) * np.swapaxes(m[2] @ closing, -1, -2)).sum(axis=(-3, -2, -1))
        later = (inner(1, 2, 3, m[1], m[2]) * np.swapaxes(closing @ m[0], -1, -2)).sum(axis=(-3, -2, -1))
        return ahead - later

    def g4(self, channel, half, q, nu, seconds=None):
        """G4(w2, k2, w1, k1) of one band; k2: all, or only `seconds`."""
        nk, pi = self.nk, np.pi / self.beta
        w = (2 * (np.arange(2 * half) - half) + 1) * pi
        w2, w1 = (a.ravel() for a in np.meshgrid(w, w, indexing="ij"))
        v = 2 * nu * pi
        seconds = range(nk) if seconds is None else seconds
        out = np.zeros((2 * half, len(seconds), 2 * half, nk), complex)
        for k1, (place, k2) in itertools.product(range(nk), enumerate(seconds)):
            k1q, k2q = self.add(k1, q), self.add(k2, q)
            if channel == "pp_up_down":
                turned = self.add(q, k1, -1), self.add(q, k2, -1)
                value = self.two_particle((k1, k2, nk + turned[0], nk + turned[1]), (w1, w2, v - w1))
            elif channel == "ph_transverse":
                value = -self.two_particle((k1, k2, nk + k2q, nk + k1q), (w1, w2, w2 + v))
            else:
                up_up = self.two_particle((k1, k1q, k2q, k2), (w1, w1 + v, w2 + v)) if channel != "ph_up_down" else 0
                up_down = (self.two_particle((k1, k1q, nk + k2q, nk + k2), (w1, w1 + v, w2 + v))
                           if channel != "ph_up_up" else 0)
                value = up_up + (-up_down if channel == "ph_magnetic" else up_down)
            out[:, place, :, k1] = value.reshape(2 * half, 2 * half)
        return out
