#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes effective_cores.json next to this file: energies by PySCF of molecules with effective core potentials, ghost
atoms and several basis sets, on the basis data of share/basis. Run as make_sweep.py."""

import json
import pathlib

import pyscf
from pyscf import gto, lib, mp

from make_sweep import DATA, correlate, self_consistent_field
from nwchem_basis import read_nwchem

# name, charge, multiplicity, geometry in Angstrom, basis set, sets of atoms: by their number, from 1. Of the heavy ones,
# MP2 only.
MP2_ONLY = {"AgH", "I2", "Au", "ICl", "YbH", "HI with a ghost of iodine"}
SPECIES = [
    ("HI", 0, 1, "I 0 0 0; H 0 0 1.609", "lanl2dz", {}),
    ("AgH", 0, 1, "Ag 0 0 0; H 0 0 1.618", "lanl2dz", {}),
    ("Xe", 0, 1, "Xe 0 0 0", "def2-svp", {}),
    ("I2", 0, 1, "I 0 0 0; I 0 0 2.666", "def2-svp", {}),
    ("Au", 0, 2, "Au 0 0 0", "def2-svp", {}),
    ("ICl", 0, 1, "I 0 0 0; Cl 0 0 2.321", "cc-pvdz-pp", {"2": "cc-pvdz"}),
    ("HCl", 0, 1, "Cl 0 0 0; H 0 0 1.275", "sbkjc-vdz", {}),
    ("Cl3-", -1, 1, "Cl 0.1 0 0; Cl 0.9 1.9 0.3; Cl -0.5 -2.1 0.4", "sbkjc-vdz", {}),
    ("YbH", 0, 2, "Yb 0 0 0; H 0 0 2.05", "def2-svp", {}),
    ("water next to a ghost of neon", 0, 1, "O 0 0 0; H 0 0.7572 -0.5865; H 0 -0.7572 -0.5865; ghost-Ne 0 0 2.4",
     "6-31g*", {}),
    ("HI with a ghost of iodine", 0, 1, "I 0 0 0; H 0 0 1.609; ghost-I 0 0 5", "lanl2dz", {}),
    ("water with a larger set on oxygen", 0, 1, "O 0 0 0; H 0 0.7572 -0.5865; H 0 -0.7572 -0.5865", "6-31g",
     {"1": "cc-pvtz", "3": "sto-3g"}),
    ("OH- with diffuse functions", -1, 1, "O 0 0 0; H 0 0 0.964", "3-21++g", {}),
]


def entry(name, charge, multiplicity, geometry, usual, of_atoms):
    atoms, functions, cores = [], {}, {}
    for number, line in enumerate(geometry.split("; "), 1):
        symbol, place = line.split(" ", 1)
        element = symbol.removeprefix("ghost-")
        label = symbol + str(number)
        file = of_atoms.get(str(number), usual).replace("*", "s") + ".nw"
        all_functions, all_cores = read_nwchem(DATA / file)
        functions[label] = all_functions[element]
        if element in all_cores and element == symbol:
            cores[label] = all_cores[element]
        atoms.append(f"{label} {place}")
    molecule = gto.M(atom="; ".join(atoms), charge=charge, spin=multiplicity - 1, basis=functions, ecp=cores,
                     verbose=0)
    field = self_consistent_field(molecule)
    found = {"species": name, "charge": charge, "multiplicity": multiplicity,
            "geometry_angstrom": geometry.split("; "), "basis": usual, "atoms": of_atoms,
            "nuclear": float(molecule.energy_nuc()), "scf": float(field.e_tot)}
    if name in MP2_ONLY:
        return found | {"mp2_correlation": float(mp.MP2(field).kernel()[0])}
    return found | dict(zip(["mp2_correlation", "ccsd_correlation", "triples_correction"], correlate(field)))


def main():
    lib.num_threads(1)
    entries = []
    for species in SPECIES:
        entries.append(entry(*species))
        print(species[0], entries[-1]["scf"], flush=True)
    top = {"about": "Energies in hartree on the basis data of share/basis, all electrons correlated that are not "
           "in an effective core. 1 bohr = 0.52917721092 Angstrom.",
           "source": f"PySCF {pyscf.__version__}, make_effective_cores.py"}
    lines = [json.dumps(top, indent=1)[:-2] + ',\n "entries": [']
    lines.append(",\n".join("  " + json.dumps(e) for e in entries))
    (pathlib.Path(__file__).parent / "effective_cores.json").write_text("\n".join(lines) + "\n ]\n}\n")


if __name__ == "__main__":
    main()
