#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints singlets of EOM-CCSD by PySCF, hartree, where doubles bring states below those that CIS has lowest: those of
tests/jobs/test_excited_states.py. Needed only to add to them: `python3 -m venv x; x/bin/pip install pyscf;
x/bin/python make_singlets.py`."""

import pathlib

from pyscf import cc, gto, lib, scf

from nwchem_basis import read_nwchem

DATA = pathlib.Path(__file__).parents[2] / "share" / "basis"
# geometry in Angstrom, basis, file of the basis, frozen orbitals, states to print
CASES = [
    ("N 0 0 0; N 0 0 1.098", "6-31g", "6-31g.nw", 2, 1),
    ("H 0 0 -1.064; C 0 0 0; N 0 0 1.156", "sto-3g", "sto-3g.nw", 0, 3),
    ("C 0 0 0; O 0 0 1.205; H 0 0.9429 -0.5876; H 0 -0.9429 -0.5876", "6-31g", "6-31g.nw", 2, 3),
]


def singlets(geometry, basis_file, frozen, count):
    """The lowest of ten, so that PySCF does not miss them either."""
    functions, _ = read_nwchem(DATA / basis_file)
    elements = {atom.split()[0] for atom in geometry.split("; ")}
    molecule = gto.M(atom=geometry, basis={e: functions[e] for e in elements}, verbose=0)
    field = scf.RHF(molecule)
    field.conv_tol, field.conv_tol_grad = 1e-12, 1e-8
    field.kernel()
    amplitudes = cc.RCCSD(field, frozen=frozen)
    amplitudes.conv_tol, amplitudes.conv_tol_normt = 1e-11, 1e-9
    amplitudes.kernel()
    assert field.converged and amplitudes.converged
    energies, _ = amplitudes.eomee_ccsd_singlet(nroots=10)
    return sorted(float(e) for e in energies)[:count]


def main():
    lib.num_threads(1)
    for geometry, basis, basis_file, frozen, count in CASES:
        print(basis, frozen, geometry, [round(e, 10) for e in singlets(geometry, basis_file, frozen, count)])


if __name__ == "__main__":
    main()
