# SPDX-License-Identifier: Apache-2.0
"""Samples for the tests of G4: drawn ones, and those of a reference in the format that `blockyard accumulate` reads."""

import lzma
import pathlib

import h5py
import numpy as np

VERTEX = np.dtype([("band", "<i4"), ("site", "<i4"), ("tau", "<f8")])


class Problem:
    """Axes, cluster and bare Green's function. g0: by (w, k, s, b2, b1), as in the file."""

    def __init__(self, lengths, bands, beta, half, exchange, exchange_momenta, g0=None, points=None, momenta=None):
        self.lengths, self.bands, self.beta, self.half, self.exchange = lengths, bands, beta, half, exchange
        self.sites = np.array(points if points is not None
                              else [(x, y) for y in range(lengths[1]) for x in range(lengths[0])])
        self.momenta = np.array(momenta if momenta is not None else self.sites)
        self.exchange_momenta = np.array(exchange_momenta)
        self.compact, self.extended = 2 * half, 2 * half + 2 * (exchange - 1)
        index = np.arange(self.extended) - (exchange - 1) - half
        self.w = (2 * index + 1) * np.pi / beta
        self.g0 = g0

    def band_g0(self, mu=0.3):
        """Of hopping 1 in each band."""
        k = 2 * np.pi * self.momenta / np.array(self.lengths)
        eps = -2 * np.cos(k).sum(axis=1)
        one = 1 / (1j * self.w[:, None] + mu - eps[None, :])
        self.g0 = np.einsum("wk,s,ab->wksab", one, np.ones(2), np.eye(self.bands) + 0.1)
        return self

    def draw(self, random, counts, sign):
        spins = []
        for n in counts:
            vertices = np.zeros(n, VERTEX)
            vertices["band"] = random.integers(0, self.bands, n)
            vertices["site"] = random.integers(0, len(self.sites), n)
            vertices["tau"] = random.uniform(0, self.beta, n)
            spins.append((vertices, random.normal(size=(n, n)) / max(1, n)))
        return {"sign": sign, "spins": spins}

    def write(self, path, samples):
        with h5py.File(path, "w") as file:
            file.attrs["format"] = "blockyard samples 1"
            file.attrs["beta"] = float(self.beta)
            file.attrs["bands"] = self.bands
            file.attrs["frequencies"] = self.half
            file.attrs["exchange_frequencies"] = self.exchange
            file["sites"] = self.sites.astype("i4")
            file["momenta"] = self.momenta.astype("i4")
            file["lengths"] = np.array(self.lengths, "i4")
            file["exchange_momenta"] = self.exchange_momenta.astype("i4")
            file["g0"] = self.g0.astype("c16")
            for number, sample in enumerate(samples):
                group = file.create_group(f"samples/{number}")
                group.attrs["sign"] = [np.real(sample["sign"]), np.imag(sample["sign"])]
                if "g" in sample:
                    group["g"] = sample["g"]
                    continue
                for s, (vertices, matrix) in enumerate(sample["spins"]):
                    group[f"vertices_{s}"] = vertices
                    group[f"m_{s}"] = matrix.T  # m_s[j, i] is M(i, j)
        return str(path)

    def green(self, sample):
        """The stored G by (w2, w1, k2, k1, s, b2, b1), by its formula."""
        nk, nb = len(self.sites), self.bands
        g = np.zeros((self.extended, self.extended, nk, nk, 2, nb, nb), complex)
        k = 2 * np.pi * self.momenta / np.array(self.lengths)
        for s, (vertices, matrix) in enumerate(sample["spins"]):
            phase = np.exp(1j * k @ self.sites[vertices["site"]].T)               # k, i
            time = np.exp(1j * np.outer(self.w, vertices["tau"]))                 # w, i
            band = (vertices["band"][None, :] == np.arange(nb)[:, None]).astype(float)
            left = np.einsum("ki,wi,ai->wkai", phase, time, band)
            m = np.einsum("wkai,ij,vlbj->vwlkba", left, matrix, left.conj(), optimize=True) / nk
            bare = self.g0[:, :, s]  # w, k, b2, b1
            g[:, :, :, :, s] = -np.einsum("wkac,vwlkba,vldb->vwlkdc", bare, m, bare, optimize=True)
            for w in range(self.extended):
                for q in range(nk):
                    g[w, w, q, q, s] += self.beta * bare[w, q]
        return g


def reference(folder, name):
    """The one sample of a reference, its problem, G by (w2, w1, k2, k1, s, b2, b1) and G4 of pp_up_down."""
    folder = pathlib.Path(folder)

    def words(line):
        return line.split()[1:]

    lines = lzma.open(folder / f"{name}_cfg.txt.xz", "rt").read().splitlines()
    head = lines[0].split()
    beta, bands = float(head[1]), int(head[3])
    at, spins = 1, []
    for _ in range(2):
        n = int(lines[at].split()[3])
        vertices = np.array([tuple(line.split()) for line in lines[at + 1:at + 1 + n]], dtype=VERTEX)
        values = np.array([float(x) for line in lines[at + 1 + n:at + 1 + n + n * n] for x in line.split()])
        spins.append((vertices, values.reshape(n, n).T))
        at += 1 + n + n * n
    tables = {line.split()[0]: words(line) for line in lines[at:]}
    points = np.array(tables["R"], float).reshape(-1, 2).round().astype(int)
    length = int(points[:, 0].max()) + 1
    momenta = (np.array(tables["K"], float).reshape(-1, 2) * length / (2 * np.pi)).round().astype(int)
    line = next(text for text in lines if text.startswith("WTP")).split()
    compact, extended = int(line[1]), int(line[3])

    def array(kind, shape):
        return np.frombuffer(lzma.open(folder / f"{name}_{kind}.bin.xz").read(), "c16").reshape(shape)

    nk = len(points)
    exchange_k = [momenta[int(i)] for i in tables["KEX"]]
    exchange_w = len(tables["WEX"])
    problem = Problem((length, length), bands, beta, compact // 2, exchange_w, exchange_k,
                      array("G0", (extended, nk, 2, bands, bands)), points, momenta)
    assert problem.extended == extended
    g = array("G", (extended, extended, nk, nk, 2, bands, bands))
    g4 = array("G4_pp_up_down", (exchange_w, len(exchange_k), compact, nk, compact, nk, bands, bands, bands, bands))
    return problem, {"sign": 1.0, "spins": spins}, g, g4
