#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints states of EOM-CCSD and CIS by PySCF, hartree, that are easily missed, since doubles bring them below others or
symmetry keeps them apart: those of tests/jobs/test_excited_states.py. Needed only to add to them: `python3 -m venv x; x/bin/pip install pyscf;
x/bin/python make_low_states.py`."""

import pathlib

import numpy as np
from pyscf import ao2mo, cc, gto, lib, scf
from pyscf.cc import eom_uccsd

from nwchem_basis import read_nwchem

DATA = pathlib.Path(__file__).parents[2] / "share" / "basis"
# geometry in Angstrom, basis, file of the basis, frozen orbitals, states to print
CASES = [
    ("N 0 0 0; N 0 0 1.098", "6-31g", "6-31g.nw", 2, 1),
    ("H 0 0 -1.064; C 0 0 0; N 0 0 1.156", "sto-3g", "sto-3g.nw", 0, 3),
    ("C 0 0 0; O 0 0 1.205; H 0 0.9429 -0.5876; H 0 -0.9429 -0.5876", "6-31g", "6-31g.nw", 2, 3),
    ("C 0 0 0; C 0 0 1.24", "sto-3g", "sto-3g.nw", 2, 3),
]
# open shells in sto-3g: geometry, multiplicity, states to print
OPEN_CASES = [("B 0 0 0; B 0 0 1.59", 3, 2), ("O 0 0 0; O 0 0 1.2", 3, 1)]
CARBON_DIOXIDE = "C 0 0 0; O 0 0 1.16; O 0 0 -1.16"


def molecule_of(geometry, basis_file, multiplicity=1):
    functions, _ = read_nwchem(DATA / basis_file)
    elements = {atom.split()[0] for atom in geometry.split("; ")}
    return gto.M(atom=geometry, basis={e: functions[e] for e in elements}, spin=multiplicity - 1, verbose=0)


def converge(field):
    field.conv_tol, field.conv_tol_grad = 1e-12, 1e-8
    field.kernel()
    assert field.converged


def amplitudes_of(field, frozen=None):
    amplitudes = cc.CCSD(field, frozen=frozen)
    amplitudes.conv_tol, amplitudes.conv_tol_normt, amplitudes.max_cycle = 1e-11, 1e-9, 500
    amplitudes.kernel()
    assert amplitudes.converged
    return amplitudes


def singlets(geometry, basis_file, frozen, count):
    """The lowest of ten, so that PySCF does not miss them either."""
    field = scf.RHF(molecule_of(geometry, basis_file))
    converge(field)
    energies, _ = amplitudes_of(field, frozen).eomee_ccsd_singlet(nroots=10)
    return sorted(float(e) for e in energies)[:count]


def open_shell_states(geometry, multiplicity, count):
    """The lowest eigenvalues of the whole matrix, above the UHF solution that is a minimum."""
    field = scf.UHF(molecule_of(geometry, "sto-3g.nw", multiplicity))
    converge(field)
    while True:
        orbitals, _, is_minimum, _ = field.stability(return_status=True)
        if is_minimum:
            break
        field.kernel(dm0=field.make_rdm1(orbitals, field.mo_occ))
    amplitudes = amplitudes_of(field)
    equation = eom_uccsd.EOMEESpinKeep(amplitudes)
    intermediates = equation.make_imds(amplitudes.ao2mo())
    columns = [equation.matvec(unit, intermediates) for unit in np.eye(equation.vector_size())]
    return sorted(float(e) for e in np.linalg.eigvals(np.array(columns)).real)[:count]


def cis_triplets(geometry, basis_file, count):
    """The lowest eigenvalues of the whole matrix."""
    field = scf.RHF(molecule_of(geometry, basis_file))
    converge(field)
    n, energies = field.mol.nelectron // 2, field.mo_energy
    occupied, virtual = field.mo_coeff[:, :n], field.mo_coeff[:, n:]
    integrals = ao2mo.general(field.mol, [occupied, occupied, virtual, virtual], compact=False)
    size = n * virtual.shape[1]
    exchange = integrals.reshape(n, n, virtual.shape[1], -1).transpose(0, 2, 1, 3).reshape(size, size)
    gaps = (energies[None, n:] - energies[:n, None]).ravel()
    return [float(e) for e in np.linalg.eigvalsh(np.diag(gaps) - exchange)[:count]]


def main():
    lib.num_threads(1)
    for geometry, basis, basis_file, frozen, count in CASES:
        print(basis, frozen, geometry, [round(e, 10) for e in singlets(geometry, basis_file, frozen, count)])
    for geometry, multiplicity, count in OPEN_CASES:
        print(geometry, multiplicity, [round(e, 10) for e in open_shell_states(geometry, multiplicity, count)])
    print("triplets of CIS", CARBON_DIOXIDE, [round(e, 10) for e in cis_triplets(CARBON_DIOXIDE, "6-31+g.nw", 7)])


if __name__ == "__main__":
    main()
