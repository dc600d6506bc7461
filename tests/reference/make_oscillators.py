#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Oscillator strengths of EOM-CCSD from matrices over determinants: references that share no formula with sialib.

Usage: make_oscillators.py        (needs PySCF)
exp(-T) H exp(T) with the amplitudes of PySCF's RCCSD is a matrix over all determinants of as many alpha as beta
electrons; its part of the reference, singles and doubles has the states, left and right, as eigenvectors. So has the
dipole operator, exp(-T) mu exp(T). f = 2/3 w <0|mu|k><k|mu|0>. Prints singlets: energy above the ground state, f;
then, of open shells with PySCF's UCCSD, all states of as many electrons of each spin.
Molecules small enough for 441 determinants.
"""
from itertools import combinations

import numpy as np
import scipy.linalg
from pyscf import ao2mo, cc, gto, scf

WATER = "O 0 0 0.1173; H 0 0.7572 -0.4692; H 0 -0.7572 -0.4692"
CASES = [(WATER, 0), (WATER, 1), ("H 0 0 0; F 0 0 0.92", 0), ("Li 0 0 0; H 0 0 1.6", 1)]
OPEN_CASES = [("N 0 0 0.1; H 0 0.8 -0.5; H 0 -0.8 -0.5", 2, 1), ("C 0 0 0.1; H 0 1.0 -0.3; H 0 -1.0 -0.3", 3, 0)]


def strings(orbitals, electrons):
    return [sum(1 << k for k in chosen) for chosen in combinations(range(orbitals), electrons)]


def excitation(dets, p, q):
    """<one string| p+ q |other string>"""
    numbers = {det: k for k, det in enumerate(dets)}
    matrix = np.zeros((len(dets), len(dets)))
    for det in dets:
        without = det & ~(1 << q)
        if without == det or without >> p & 1:
            continue
        sign = (det & (1 << q) - 1).bit_count() + (without & (1 << p) - 1).bit_count()
        matrix[numbers[without | 1 << p], numbers[det]] = (-1) ** sign
    return matrix


def states(atoms, frozen):
    mol = gto.M(atom=atoms, basis="sto-3g", verbose=0)
    mf = scf.RHF(mol).run(conv_tol=1e-13)
    ccsd = cc.RCCSD(mf, frozen=frozen or None).set(conv_tol=1e-12, conv_tol_normt=1e-11).run()
    c, n, occupied = mf.mo_coeff, mf.mo_coeff.shape[1], mol.nelectron // 2
    dets = strings(n, occupied)
    one = np.eye(len(dets))
    spins = [[excitation(dets, p, q) for q in range(n)] for p in range(n)]
    e = [[np.kron(m, one) + np.kron(one, m) for m in row] for row in spins]

    def operator(matrix, rows=range(n), columns=range(n)):
        return sum(matrix[p, q] * e[p][q] for p in rows for q in columns)

    two = ao2mo.restore(1, ao2mo.kernel(mol, c), n)
    hamiltonian = operator(c.T @ mf.get_hcore() @ c - 0.5 * np.einsum("pqqs->ps", two))
    hamiltonian += 0.5 * sum(e[p][q] @ operator(two[p, q]) for p in range(n) for q in range(n))
    cluster = 0.0
    for i in range(frozen, occupied):
        for a in range(occupied, n):
            doubles = sum(ccsd.t2[i - frozen, j - frozen, a - occupied, b - occupied] * e[b][j]
                          for j in range(frozen, occupied) for b in range(occupied, n))
            cluster = cluster + e[a][i] @ (ccsd.t1[i - frozen, a - occupied] * np.eye(len(dets) ** 2) + 0.5 * doubles)
    turn, back = scipy.linalg.expm(cluster), scipy.linalg.expm(-cluster)

    reference, core = (1 << occupied) - 1, (1 << frozen) - 1
    space = [(k, m) for k, alpha in enumerate(dets) for m, beta in enumerate(dets)
             if alpha & beta & core == core and (alpha & ~reference).bit_count() + (beta & ~reference).bit_count() <= 2]
    at = [k * len(dets) + m for k, m in space]
    part = np.ix_(at, at)
    energies, right = np.linalg.eig((back @ hamiltonian @ turn)[part])
    left = np.linalg.inv(right)
    zero = space.index((dets.index(reference),) * 2)
    ground = np.argmin(abs(energies - (ccsd.e_tot - mol.energy_nuc())))
    bra = left[ground] * right[zero, ground]
    dipoles = np.einsum("xuv,up,vq->xpq", mol.intor("int1e_r"), c, c)
    dipoles = [(back @ operator(matrix) @ turn)[part] for matrix in dipoles]
    exchanged = [space.index((m, k)) for k, m in space]
    for k in np.argsort(energies.real):
        if k == ground or np.abs(right[exchanged, k] - right[:, k]).max() > 1e-5:
            continue
        omega = (energies[k] - energies[ground]).real
        strength = sum((bra @ mu @ right[:, k] * (left[k] @ mu[:, zero])).real for mu in dipoles)
        yield omega, 2 / 3 * omega * strength


def open_states(atoms, multiplicity, frozen):
    mol = gto.M(atom=atoms, basis="sto-3g", spin=multiplicity - 1, verbose=0)
    mf = scf.UHF(mol).run(conv_tol=1e-13)
    while not mf.stability(return_status=True)[2]:
        mf.kernel(mf.make_rdm1(mf.stability()[0], mf.mo_occ))
    ccsd = cc.UCCSD(mf, frozen=frozen or None).set(conv_tol=1e-12, conv_tol_normt=1e-11).run()
    c, n, electrons = mf.mo_coeff, mf.mo_coeff[0].shape[1], mol.nelec
    dets = [strings(n, count) for count in electrons]
    ones = [np.eye(len(one)) for one in dets]
    e = [[[np.kron(excitation(dets[0], p, q), ones[1]) for q in range(n)] for p in range(n)],
         [[np.kron(ones[0], excitation(dets[1], p, q)) for q in range(n)] for p in range(n)]]

    def operator(matrices):
        return sum(matrices[s][p, q] * e[s][p][q] for s in range(2) for p in range(n) for q in range(n))

    def two(s, t):
        return ao2mo.kernel(mol, (c[s], c[s], c[t], c[t]), compact=False).reshape((n,) * 4)

    core_hamiltonian = mf.get_hcore()
    hamiltonian = operator([c[s].T @ core_hamiltonian @ c[s] - 0.5 * np.einsum("pqqs->ps", two(s, s)) for s in range(2)])
    for s in range(2):
        for t in range(2):
            integrals = two(s, t)
            hamiltonian += 0.5 * sum(e[s][p][q] @ sum(integrals[p, q, r, u] * e[t][r][u] for r in range(n) for u in range(n))
                                     for p in range(n) for q in range(n))
    cluster = np.zeros_like(hamiltonian)
    t1, t2 = ccsd.t1, ccsd.t2
    pairs = {(0, 0): t2[0] / 4, (0, 1): t2[1], (1, 1): t2[2] / 4}
    for s in range(2):
        for i in range(frozen, electrons[s]):
            for a in range(electrons[s], n):
                cluster += t1[s][i - frozen, a - electrons[s]] * e[s][a][i]
                for t in range(s, 2):
                    cluster += e[s][a][i] @ sum(pairs[s, t][i - frozen, j - frozen, a - electrons[s], b - electrons[t]] * e[t][b][j]
                                                for j in range(frozen, electrons[t]) for b in range(electrons[t], n))
    turn, back = scipy.linalg.expm(cluster), scipy.linalg.expm(-cluster)
    reference, core = [(1 << count) - 1 for count in electrons], (1 << frozen) - 1
    space = [(k, m) for k, alpha in enumerate(dets[0]) for m, beta in enumerate(dets[1])
             if alpha & beta & core == core
             and (alpha & ~reference[0]).bit_count() + (beta & ~reference[1]).bit_count() <= 2]
    part = np.ix_(*[[k * len(dets[1]) + m for k, m in space]] * 2)
    energies, right = np.linalg.eig((back @ hamiltonian @ turn)[part])
    left = np.linalg.inv(right)
    zero = space.index((dets[0].index(reference[0]), dets[1].index(reference[1])))
    ground = np.argmin(abs(energies - (ccsd.e_tot - mol.energy_nuc())))
    bra = left[ground] * right[zero, ground]
    dipoles = [[c[s].T @ matrix @ c[s] for s in range(2)] for matrix in mol.intor("int1e_r")]
    dipoles = [(back @ operator(matrices) @ turn)[part] for matrices in dipoles]
    singles = [k for k, (one, other) in enumerate(space)
               if (dets[0][one] & ~reference[0]).bit_count() + (dets[1][other] & ~reference[1]).bit_count() == 1]
    for k in np.argsort(energies.real):
        if k != ground:
            omega = (energies[k] - energies[ground]).real
            vector = np.delete(right[:, k], zero)
            weight = np.linalg.norm(right[singles, k]) ** 2 / np.linalg.norm(vector) ** 2
            yield omega, 2 / 3 * omega * sum((bra @ mu @ right[:, k] * (left[k] @ mu[:, zero])).real for mu in dipoles), weight


for atoms, frozen in CASES:
    print(atoms, "frozen" if frozen else "")
    for number, (omega, strength) in zip(range(6), states(atoms, frozen)):
        print(f"  {omega:.10f} {strength:.8f}")
for atoms, multiplicity, frozen in OPEN_CASES:
    print(atoms, multiplicity, "frozen" if frozen else "")
    for number, (omega, strength, weight) in zip(range(9), open_states(atoms, multiplicity, frozen)):
        print(f"  {omega:.10f} {strength:.8f}   singles {weight:.3f}")
