#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Effective core potentials, ghost atoms and basis sets of single atoms, against PySCF on the same basis data, from job
files and from ZMATs; what cannot be done is refused. With SWEEP=1 also larger molecules."""

import json
import os
import unittest

import common

ENTRIES = json.loads((common.REFERENCES.parent / "effective_cores.json").read_text(encoding="utf-8"))["entries"]
LIMIT_HARTREE = 1e-8
KEYS = {"mp2": ["nuclear", "scf", "mp2_correlation"],
        "ccsd(t)": ["nuclear", "scf", "mp2_correlation", "ccsd_correlation", "triples_correction"]}


def job(geometry, basis, method, charge=0, multiplicity=1, atoms=(), more=""):
    sets = "".join(f"{key} = {value}\n" for key, value in atoms)
    return (f'[molecule]\ngeometry = """\n{geometry}\n"""\ncharge = {charge}\nmultiplicity = {multiplicity}\n'
            f'[basis]\n{basis}\n[basis.atoms]\n{sets}[method]\nname = "{method}"\n{more}\n')
large = unittest.skipUnless("SWEEP" in os.environ, "larger molecules: make test-sweep")


class EffectiveCores(common.JobTest):
    def check(self, species, method="ccsd(t)", options=()):
        entry = next(e for e in ENTRIES if e["species"] == species)
        lines = [line.replace("ghost-", "Gh(", 1).replace(" ", ") ", 1) if line.startswith("ghost-") else line
                 for line in entry["geometry_angstrom"]]
        path = self.write("job.toml", job("\n".join(lines), f'name = "{entry["basis"]}"', method, entry["charge"],
                                          entry["multiplicity"], [(k, f'"{v}"') for k, v in entry["atoms"].items()]))
        self.compare(entry, self.results_of("run", path, *options), KEYS[method])

    def compare(self, entry, results, keys):
        for key in keys:
            self.assertAlmostEqual(results["energies"][key], entry[key], delta=LIMIT_HARTREE, msg=key)

    def test_hydrogen_iodide_in_lanl2dz(self):
        self.check("HI")
        self.check("HI", "mp2", ["-w", 3, "-s", 2])

    def test_xenon_in_def2(self):
        self.check("Xe")

    def test_iodine_chloride_with_a_set_for_each_atom(self):
        self.check("ICl", "mp2")

    @large
    def test_molecules_of_heavy_elements(self):
        for species in ["AgH", "I2", "Au", "YbH", "HI with a ghost of iodine"]:
            with self.subTest(species=species):
                self.check(species, "mp2")

    def test_chlorine_in_sbkjc(self):
        self.check("HCl")

    def test_ghosts(self):
        self.check("water next to a ghost of neon")

    def test_sets_of_single_atoms(self):
        self.check("water with a larger set on oxygen")

    def test_diffuse_functions(self):
        self.check("OH- with diffuse functions")

    def test_zmat_with_two_lists(self):
        entry = next(e for e in ENTRIES if e["species"] == "HCl")
        lists = "CL:SBKJC\nH:SBKJC-VDZ\n\nCL:SBKJC\nH:NONE\n"
        path = self.write("ZMAT", f"hydrogen chloride\nCL\nH 1 R\n\nR=1.275\n\n*ACES2(CALC=CCSD(T),ECP=ON)\n\n{lists}")
        self.compare(entry, self.results_of("run", path), KEYS["ccsd(t)"])
        self.run_well("convert", path, "again.toml")
        self.compare(entry, self.results_of("run", "again.toml"), KEYS["ccsd(t)"])

    def test_potentials_of_another_set(self):
        entry = next(e for e in ENTRIES if e["species"] == "HCl")
        path = self.write("job.toml", job("Cl 0 0 0\nH1 0 0 1.275", 'name = "sbkjc"\necp = "sbkjc-vdz"', "mp2",
                                          atoms=[("H1", '{ ecp = "none" }')]))
        self.compare(entry, self.results_of("run", path), KEYS["mp2"])

    def test_potentials_in_the_place_of_no_electrons(self):
        """A potential that is 0.1 hartree everywhere near both atoms moves each of the two electrons by 0.2."""
        functions = "H S\n 1.3 1.0\nH S\n 0.2 1.0\n"
        for unrestricted in ("false", "true"):
            energies = []
            for cores in ["", "ECP\nH nelec 0\nH ul\n2 1e-9 0.1\nEND\n"]:
                self.write("h.nw", functions + cores)
                path = self.write("job.toml", job("H 0 0 0\nH 0 0 0.74", 'file = "h.nw"', "scf",
                                                  more=f"unrestricted = {unrestricted}"))
                energies.append(self.results_of("run", path)["energies"]["scf"])
            self.assertAlmostEqual(energies[1] - energies[0], 0.4, delta=1e-6)

    def test_what_makes_no_sense_is_refused(self):
        hcl = "Cl 0 0 0\nH 0 0 1.275"
        for basis, atoms, part in [
                ('name = "lanl2dz"', [("2", '"cc-pvqx"')], "did you mean 'cc-pVQZ'"),
                ('name = "lanl2dz"', [("O", '"cc-pvdz"')], "[basis.atoms] O: the molecule has no such atom"),
                ('name = "lanl2dz"', [("3", '"cc-pvdz"')], "[basis.atoms] 3: the molecule has no such atom"),
                ('name = "lanl2dz"\necp = "none"', [], "cannot describe its inner electrons"),
                ('name = "cc-pvdz"\necp = "6-31g"', [], "has no effective core potentials"),
                ('name = "cc-pvdz-pp"', [], "basis set cc-pVDZ-PP has no functions for Cl (atom 1)"),
                ("", [("Cl", '"cc-pvdz"')], "atom 2 (H) has no basis set"),
                ('name = "lanl2dz"', [("Cl", "3")], "must be the name of a basis set, or a table")]:
            with self.subTest(basis=basis, atoms=atoms):
                path = self.write("job.toml", job(hcl, basis, "scf", atoms=atoms))
                self.assert_fails(self.run_blockyard("run", path), part)

    def test_own_programs_must_add_the_potentials(self):
        for name, basis, is_good in [("return_h1", "lanl2dz", False), ("return_h1", "cc-pvdz", True),
                                     ("one_electron_attraction", "lanl2dz", False)]:
            self.write("h1.sial", f"sial h1\nspecial {name} w\npredefined int norb\naoindex mu = 1:norb\n"
                                  f"aoindex nu = 1:norb\ntemp t[mu,nu]\ndo mu\ndo nu\nexecute {name} t[mu,nu]\n"
                                  "enddo nu\nenddo mu\nendsial h1\n")
            path = self.write("job.toml", f'programs = ["h1.sial"]\n[molecule]\ngeometry = "Cl 0 0 0"\n'
                                          f'charge = -1\n[basis]\nname = "{basis}"\n')
            if is_good:
                self.run_well("run", path)
            else:
                self.assert_fails(self.run_blockyard("run", path), "return_1el_ecpints")


if __name__ == "__main__":
    unittest.main()
