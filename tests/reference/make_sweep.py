#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes sweep.json next to this file: energies of atoms, ions, molecules and radicals by PySCF on the basis data of
share/basis. Needed only to add to it: `python3 -m venv x; x/bin/pip install pyscf; x/bin/python make_sweep.py`."""

import json
import pathlib

import pyscf
from pyscf import cc, gto, lib, mp, scf

from nwchem_basis import read_nwchem

DATA = pathlib.Path(__file__).parents[2] / "share" / "basis"
BASIS_SETS = {
    "sto-3g": "sto-3g.nw",
    "6-31g": "6-31g.nw",
    "6-31g*": "6-31gs.nw",
    "cc-pvdz": "cc-pvdz.nw",
    "def2-svp": "def2-svp.nw",
}
# name, charge, multiplicity, geometry in Angstrom; edge cases first
SPECIES = [
    ("H", 0, 2, "H 0 0 0"),
    ("He", 0, 1, "He 0 0 0"),
    ("H-", -1, 1, "H 0 0 0"),
    ("He+", 1, 2, "He 0 0 0"),
    ("H2", 0, 1, "H 0 0 0; H 0 0 0.74"),
    ("H2 triplet", 0, 3, "H 0 0 0; H 0 0 0.74"),
    ("H2+", 1, 2, "H 0 0 0; H 0 0 1.06"),
    ("He triplet", 0, 3, "He 0 0 0"),
    ("N", 0, 4, "N 0 0 0"),
    ("Ne", 0, 1, "Ne 0 0 0"),
    ("F-", -1, 1, "F 0 0 0"),
    ("Li+", 1, 1, "Li 0 0 0"),
    ("Li", 0, 2, "Li 0 0 0"),
    ("Be", 0, 1, "Be 0 0 0"),
    ("B", 0, 2, "B 0 0 0"),
    ("C", 0, 3, "C 0 0 0"),
    ("O", 0, 3, "O 0 0 0"),
    ("F", 0, 2, "F 0 0 0"),
    ("Na", 0, 2, "Na 0 0 0"),
    ("Mg", 0, 1, "Mg 0 0 0"),
    ("Na+", 1, 1, "Na 0 0 0"),
    ("HeH+", 1, 1, "He 0 0 0; H 0 0 0.774"),
    ("H3+", 1, 1, "H 0 0 0; H 0.87 0 0; H 0.435 0.7534421 0"),
    ("LiH", 0, 1, "Li 0 0 0; H 0 0 1.596"),
    ("BH3", 0, 1, "B 0 0 0; H 1.19 0 0; H -0.595 1.0305702 0; H -0.595 -1.0305702 0"),
    ("CH4", 0, 1, "C 0 0 0; H .629 .629 .629; H -.629 -.629 .629; H -.629 .629 -.629; H .629 -.629 -.629"),
    ("NH3", 0, 1, "N 0 0 0.1124; H 0 0.9377 -0.2624; H 0.8121 -0.4689 -0.2624; H -0.8121 -0.4689 -0.2624"),
    ("H2O", 0, 1, "O 0 0 0.1173; H 0 0.7572 -0.4692; H 0 -0.7572 -0.4692"),
    ("HF", 0, 1, "H 0 0 0; F 0 0 0.917"),
    ("N2", 0, 1, "N 0 0 0; N 0 0 1.098"),
    ("CO", 0, 1, "C 0 0 0; O 0 0 1.128"),
    ("OH-", -1, 1, "O 0 0 0; H 0 0 0.964"),
    ("H3O+", 1, 1, "O 0 0 0.07; H 0 0.93 -0.2; H 0.8054 -0.465 -0.2; H -0.8054 -0.465 -0.2"),
    ("OH", 0, 2, "O 0 0 0; H 0 0 0.97"),
    ("CH3", 0, 2, "C 0 0 0; H 1.079 0 0; H -0.5395 0.9344415 0; H -0.5395 -0.9344415 0"),
    ("O2", 0, 3, "O 0 0 0; O 0 0 1.208"),
]


def self_consistent_field(molecule):
    """From the densities of atoms, as Blockyard starts: of several solutions of an open shell the same one."""
    field = scf.RHF(molecule) if molecule.spin == 0 else scf.UHF(molecule)
    field.conv_tol, field.conv_tol_grad, field.max_cycle = 1e-12, 1e-7, 200
    field.kernel(field.get_init_guess(key="atom"))
    assert field.converged
    return field


def correlate(field):
    """MP2, CCSD, (T) correlation energies."""
    functions = field.mol.nao
    if field.mol.nelectron == 1 or not any(n * (functions - n) for n in field.mol.nelec):
        return 0.0, 0.0, 0.0
    # PySCF's unrestricted programs want occupied and virtual orbitals of both spins.
    if not all(n * (functions - n) for n in field.mol.nelec):
        field = scf.addons.convert_to_ghf(field)
    second = mp.MP2(field).kernel()[0]
    amplitudes = cc.CCSD(field)
    amplitudes.conv_tol, amplitudes.conv_tol_normt, amplitudes.max_cycle = 1e-11, 1e-8, 200
    amplitudes.kernel()
    assert amplitudes.converged
    triples = 0.0 if field.mol.nelectron < 3 else float(amplitudes.ccsd_t())
    return float(second), float(amplitudes.e_corr), triples


def entry(name, charge, multiplicity, geometry, set_name):
    functions, _ = read_nwchem(DATA / BASIS_SETS[set_name])
    elements = {atom.split()[0] for atom in geometry.split(";")}
    if not elements <= functions.keys():
        return None
    molecule = gto.M(
        atom=geometry,
        charge=charge,
        spin=multiplicity - 1,
        basis={e: functions[e] for e in elements},
        verbose=0,
    )
    if molecule.nao < molecule.nelec[0]:
        return None
    field = self_consistent_field(molecule)
    second, doubles, triples = correlate(field)
    return {
        "species": name,
        "charge": charge,
        "multiplicity": multiplicity,
        "geometry_angstrom": geometry.split("; "),
        "basis": set_name,
        "nuclear": float(molecule.energy_nuc()),
        "scf": float(field.e_tot),
        "mp2_correlation": second,
        "ccsd_correlation": doubles,
        "triples_correction": triples,
    }


def main():
    lib.num_threads(1)
    entries = []
    for set_name in BASIS_SETS:
        for species in SPECIES:
            found = entry(*species, set_name)
            if found is None:
                continue
            print(set_name, species[0], found["scf"], flush=True)
            entries.append(found)
    top = {
        "about": "Energies in hartree on the basis data of share/basis, all electrons correlated; open shells "
        "unrestricted. 1 bohr = 0.52917721092 Angstrom.",
        "source": f"PySCF {pyscf.__version__}, make_sweep.py",
    }
    lines = [json.dumps(top, indent=1)[:-2] + ',\n "entries": [']
    lines.append(",\n".join("  " + json.dumps(e) for e in entries))
    (pathlib.Path(__file__).parent / "sweep.json").write_text("\n".join(lines) + "\n ]\n}\n")


if __name__ == "__main__":
    main()
