#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Excitation energies agree with other programs, however the work and the memory are shared out."""

import unittest

import common
from common import IS_FULL, job_file

LIMIT_EXCITATION = 1e-6  # hartree

# Singlets of CIS and CIS(D), hartree, by a program over spin orbitals written from the formulas of Head-Gordon
# et al., Chem. Phys. Lett. 219, 21 (1994), with integrals of PySCF 2.14.0; its CIS agrees with tdscf.TDA there.
CIS = {
    "h2o_crawford": [0.3564617579, 0.4160717382, 0.5056282874, 0.5551918861],
    "h2o": [0.3387163328, 0.4039538796, 0.4348220065],
    "hf": [0.4389565253, 0.4389565253, 0.6041490017, 0.9706764807],
}
CIS_D = {
    "h2o_crawford": [0.3436373356, 0.4146229570, 0.5054859668, 0.5683741533],
    "h2o": [0.2968774423, 0.3741083415, 0.3939965211],
    "hf": [0.3863208487, 0.3863208487, 0.5675232909, 0.9038623623],
}
# EOM-CCSD by PySCF 2.14.0: triplets of the water above, RCCSD.eomee_ccsd_triplet; states of amidogen (its geometry in energies.json) in sto-3g
# that keep the spins, eom_uccsd.EOMEESpinKeep.
EOM_TRIPLETS = [0.2752578783, 0.3613244250, 0.3679418700, 0.4292430144]
EOM_AMIDOGEN = [0.1040982139, 0.3379897483, 0.4875874922, 0.5080117034, 0.5156821221, 0.5677190350]

# Singlets of EOM-CCSD that are not among the lowest of CIS, by PySCF 2.14.0 (tests/reference/make_low_states.py): geometry,
# basis, frozen core, states; the second job leaves `roots` as it is.
EOM_BELOW_CIS = [
    ("N 0 0 0\nN 0 0 1.098", "6-31g", 2, "roots = 1", [0.3390309995]),
    ("H 0 0 -1.064\nC 0 0 0\nN 0 0 1.156", "sto-3g", 0, "", [0.3950616148, 0.3950616150, 0.4097104797]),
    ("C 0 0 0\nO 0 0 1.205\nH 0 0.9429 -0.5876\nH 0 -0.9429 -0.5876", "6-31g", 2, "roots = 3",
     [0.1456418933, 0.3449448128, 0.3503897181]),
    ("C 0 0 0\nC 0 0 1.24", "sto-3g", 2, "roots = 3", [0.1211576364, 0.1211576364, 0.1966368251]),
]
# The same of open shells in sto-3g: geometry, multiplicity, states. A fifth of the first state is singles; the second molecule
# has a state 0.00014 higher.
EOM_OPEN_LOW = [("B 0 0 0\nB 0 0 1.59", 3, [0.0260529930, 0.0472670472]), ("O 0 0 0\nO 0 0 1.2", 3, [0.2373731027])]
# Triplets of CIS by the same script, in 6-31+g: no excitation of low orbital energies has the symmetry of the last one.
CARBON_DIOXIDE = "C 0 0 0\nO 0 0 1.16\nO 0 0 -1.16"
CARBON_DIOXIDE_TRIPLETS = [0.2678444112, 0.2962609357, 0.2962609357, 0.3199113975, 0.3419037501, 0.3419037501, 0.4072263288]

# Oscillator strengths of EOM-CCSD in sto-3g, of matrices over determinants (tests/reference/make_oscillators.py).
OSCILLATORS = {
    ("O 0 0 0.1173\nH 0 0.7572 -0.4692\nH 0 -0.7572 -0.4692", 0): [0.00323151, 0, 0.07253694, 0.07651775, 0.99788278],
    ("O 0 0 0.1173\nH 0 0.7572 -0.4692\nH 0 -0.7572 -0.4692", 1): [0.00323005, 0, 0.07254887, 0.07650563, 0.99802515],
    ("H 0 0 0\nF 0 0 0.92", 0): [0.00018453, 0.00018453, 0.74796902],
    ("Li 0 0 0\nH 0 0 1.6", 1): [0.04853330, 0.25069911, 0.25069911, 0.07991680],
}

# Energies and oscillator strengths of open shells, of the same script: multiplicity, frozen core, states.
OPEN_OSCILLATORS = {
    ("N 0 0 0.1\nH 0 0.8 -0.5\nH 0 -0.8 -0.5", 2, 1): [(0.0938863458, 0.00515862), (0.3535752294, 0),
                                                      (0.5047636939, 0.00001426)],
    ("C 0 0 0.1\nH 0 1.0 -0.3\nH 0 -1.0 -0.3", 3, 0): [(0.3969452547, 0.00050098), (0.4190160495, 0), (0.4498462392, 0.00001123),
                                                      (0.5051272471, 0.00251669), (0.5898895075, 0.13340294)],
}


class ExcitedStates(common.MoleculeTest):
    def compare_states(self, results, method, references):
        states = results["excitations"][method]["hartree"]
        self.assertEqual(len(states), len(references))
        for value, reference in zip(states, references):
            self.assertLess(abs(value - reference), LIMIT_EXCITATION, f"{method} {states}")

    def run_method(self, entry, method, roots, *more, options=""):
        path = self.write("job.toml", job_file(entry, method, f"roots = {roots}\n{options}"))
        results = self.results_of("run", path, *more)
        self.assertTrue(results["converged"])
        return results

    def test_single_excitations_and_their_correction(self):
        for entry, more in ((self.entry("h2o_crawford", "sto-3g"), ["-w", 3]),
                            (self.entry("h2o", "cc-pvdz", frozen=True),
                             ["-w", 2, "--segments", "occupied=2", "--segments", "virtual=9"]),
                            (self.entry("hf", "cc-pvdz"), ["-w", 1])):
            with self.subTest(molecule=entry["molecule"]):
                cis = CIS[entry["molecule"]]
                results = self.run_method(entry, "cis(d)", len(cis), *more)
                self.compare_states(results, "cis", cis)
                self.compare_states(results, "cis_d", CIS_D[entry["molecule"]])
        results = self.run_method(self.entry("h2o_crawford", "sto-3g"), "cis", 10)
        self.compare_states(results, "cis", CIS["h2o_crawford"] + results["excitations"]["cis"]["hartree"][4:])

    def test_triplets_of_single_excitations_lie_below_the_singlets(self):
        entry = self.entry("h2o_crawford", "sto-3g")
        results = self.run_method(entry, "cis", 3, options="triplets = true")
        # Crawford's programming project 12: CIS of this molecule.
        self.compare_states(results, "cis", [0.2872554996, 0.3444249963, 0.3659889948])

    def test_states_of_a_symmetry_that_no_start_has_are_found(self):
        path = self.write("job.toml", f'[molecule]\ngeometry = """\n{CARBON_DIOXIDE}\n"""\n[basis]\nname = "6-31+g"\n[method]\n'
                          'name = "cis"\ntriplets = true\nroots = 7\n')
        self.compare_states(self.results_of("run", path, "-w", 2), "cis", CARBON_DIOXIDE_TRIPLETS)

    def test_equation_of_motion(self):
        for entry, more in ((self.entry("h2o_crawford", "sto-3g"), ["-w", 3, "--segments", "occupied=2"]),
                            (self.entry("h2o", "cc-pvdz"), ["-w", 2, "-s", 2]),
                            (self.entry("h2o", "cc-pvdz", frozen=True),
                             ["-w", 2, "--memory", "20M", "--segments", "virtual=7"]),
                            (self.entry("hf", "cc-pvdz"), ["-w", 1]),
                            (self.entry("hf", "cc-pvdz", frozen=True), ["-w", 2])):
            with self.subTest(molecule=entry["molecule"], frozen=entry["frozen_core"]):
                references = entry["eom_singlet_hartree"]
                results = self.run_method(entry, "eom-ccsd", len(references), *more)
                self.compare(entry, results, ["scf", "mp2", "ccsd"])
                self.compare_states(results, "eom_ccsd", references)
                for part in results["excitations"]["eom_ccsd"]["singles_part"]:
                    self.assertTrue(0.8 < part < 1)

    def test_states_below_the_lowest_of_single_excitations_are_found(self):
        for number, (geometry, basis, frozen, roots, references) in enumerate(EOM_BELOW_CIS):
            with self.subTest(geometry=geometry):
                path = self.write("job.toml", f'[molecule]\ngeometry = """\n{geometry}\n"""\n[basis]\nname = "{basis}"\n[method]\n'
                                  f'name = "eom-ccsd"\nfrozen_core = {frozen}\n{roots}\n')
                results = self.results_of("run", path, "-w", 1 + number % 2)
                self.compare_states(results, "eom_ccsd", references)

    def test_low_states_of_open_shells_are_found(self):
        for geometry, multiplicity, references in EOM_OPEN_LOW:
            with self.subTest(geometry=geometry):
                path = self.write("job.toml", f'[molecule]\nmultiplicity = {multiplicity}\ngeometry = """\n{geometry}\n"""\n[basis]\n'
                                  f'name = "sto-3g"\n[method]\nname = "eom-ccsd"\nstability = "follow"\nroots = {len(references)}\n')
                self.compare_states(self.results_of("run", path, "-w", 1), "eom_ccsd", references)

    def test_singles_part_does_not_depend_on_the_form_of_the_orbitals(self):
        geometry = next(geometry for geometry, frozen in OSCILLATORS if frozen == 0 and geometry.startswith("O"))
        text = f'[molecule]\ngeometry = """\n{geometry}\n"""\n[basis]\nname = "sto-3g"\n[method]\nname = "eom-ccsd"\n'
        closed, spins = (self.results_of("run", self.write("job.toml", text + options))["excitations"]["eom_ccsd"]
                         for options in ("roots = 3\n", "roots = 8\nunrestricted = true\n"))
        for energy, part in zip(closed["hartree"], closed["singles_part"]):
            among = [abs(p - part) for e, p in zip(spins["hartree"], spins["singles_part"]) if abs(e - energy) < 1e-6]
            self.assertTrue(among, spins["hartree"])
            self.assertLess(min(among), 1e-5)

    def test_oscillator_strengths_of_the_equation_of_motion(self):
        for number, ((geometry, frozen), references) in enumerate(OSCILLATORS.items()):
            with self.subTest(geometry=geometry, frozen=frozen):
                path = self.write("job.toml", f'[molecule]\ngeometry = """\n{geometry}\n"""\n[basis]\nname = "sto-3g"\n[method]\n'
                                  f'name = "eom-ccsd"\noscillator_strengths = true\nroots = {len(references)}\n'
                                  f"frozen_core = {frozen}\n")
                more = (["-w", 1], ["-w", 3, "--segments", "virtual=1", "--segments", "occupied=2"])[number % 2]
                results = self.results_of("run", path, *more)
                states = results["excitations"]["eom_ccsd"]
                for strength, moment, energy, reference in zip(states["oscillator"], states["transition_dipoles"],
                                                               states["hartree"], references):
                    self.assertLess(abs(strength - reference), LIMIT_EXCITATION, states["oscillator"])
                    self.assertAlmostEqual(strength, 2 / 3 * energy * sum(x * x for x in moment), 9)
                self.assertIn("ccsd", results["dipoles"])

    def test_oscillator_strengths_of_open_shells(self):
        for number, ((geometry, multiplicity, frozen), references) in enumerate(OPEN_OSCILLATORS.items()):
            with self.subTest(geometry=geometry):
                path = self.write("job.toml", f'[molecule]\nmultiplicity = {multiplicity}\ngeometry = """\n{geometry}\n"""\n[basis]\n'
                                  'name = "sto-3g"\n[method]\nname = "eom-ccsd"\noscillator_strengths = true\n'
                                  f"roots = {len(references)}\nfrozen_core = {frozen}\n")
                more = (["-w", 1], ["-w", 3, "--segments", "virtual=1", "--segments", "occupied=2"])[number % 2]
                states = self.results_of("run", path, *more)["excitations"]["eom_ccsd"]
                for energy, strength, moment, reference in zip(states["hartree"], states["oscillator"],
                                                               states["transition_dipoles"], references):
                    self.assertLess(abs(energy - reference[0]), LIMIT_EXCITATION)
                    self.assertLess(abs(strength - reference[1]), LIMIT_EXCITATION, states["oscillator"])
                    self.assertAlmostEqual(strength, 2 / 3 * energy * sum(x * x for x in moment), 9)

    def test_a_closed_shell_over_spin_orbitals_has_the_same_oscillator_strengths(self):
        (geometry, frozen), strengths = next((where, known) for where, known in OSCILLATORS.items() if "Li" in where[0])
        path = self.write("job.toml", f'[molecule]\ngeometry = """\n{geometry}\n"""\n[basis]\nname = "sto-3g"\n[method]\n'
                          f'name = "eom-ccsd"\noscillator_strengths = true\nroots = 6\nunrestricted = true\nfrozen_core = {frozen}\n')
        states = self.results_of("run", path, "-w", 2)["excitations"]["eom_ccsd"]
        for strength in states["oscillator"]:
            self.assertLess(min(abs(strength - known) for known in [0, *strengths]), LIMIT_EXCITATION, states["oscillator"])
        self.assertGreater(max(states["oscillator"]), 0.2)

    def test_states_of_one_energy_are_those_of_any_orientation(self):
        """Rounding made one vector of two of this turned molecule, and the correction is quadratic in it."""
        path = self.write("job.toml", '[molecule]\ngeometry = """\nN 0 0 0\nN 0.8934105970 -0.0163277726 0.6415223372\n"""\n[basis]\n'
                          'name = "sto-3g"\n[method]\nname = "cis(d)"\nroots = 8\n')
        states = self.results_of("run", path)["excitations"]["cis_d"]["hartree"]
        self.assertAlmostEqual(states[3], states[4], 6)
        self.assertAlmostEqual(states[5], states[6], 6)

    def test_states_of_the_energy_of_the_ground_state_come_first(self):
        path = self.write("job.toml", '[molecule]\nmultiplicity = 2\ngeometry = "F 0 0 0"\n[basis]\nname = "sto-3g"\n[method]\n'
                          'name = "eom-ccsd"\nroots = 4\noscillator_strengths = true\n')
        states = self.results_of("run", path)["excitations"]["eom_ccsd"]["hartree"]
        self.assertLess(max(map(abs, states[:2])), 1e-6, states)
        self.assertAlmostEqual(states[2], 0.9729, 3)

    def test_vectors_over_spin_orbitals_stay_antisymmetric(self):
        text = ('[molecule]\ncharge = 1\ngeometry = """\nHe 0 0 0\nH 0 0 0.9\n"""\n[basis]\nname = "6-31g**"\n[method]\nname = "eom-ccsd"\n'
                "oscillator_strengths = true\nroots = ")
        strengths = {}
        for options in ("3\n", "6\nunrestricted = true\n"):
            states = self.results_of("run", self.write("job.toml", text + options))["excitations"]["eom_ccsd"]
            for energy, strength in zip(states["hartree"], states["oscillator"]):
                strengths.setdefault(round(energy, 4), []).append(strength)
        pairs = [pair for pair in strengths.values() if len(pair) == 2]
        self.assertEqual(len(pairs), 3, strengths)
        for one, other in pairs:
            self.assertAlmostEqual(one, other, 4)

    def test_triplets_have_no_oscillator_strengths(self):
        path = self.write("job.toml", common.WATER + '[basis]\nname = "sto-3g"\n[method]\nname = "eom-ccsd"\n'
                          "oscillator_strengths = true\ntriplets = true\n")
        done = self.run_blockyard("run", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("are zero", done.stderr)

    def test_few_vectors_are_kept_by_starting_again_from_the_states(self):
        entry = self.entry("h2o", "cc-pvdz", frozen=True)
        path = self.write("job.toml", job_file(entry, "eom-ccsd") + "[constants]\nexcited_space = 22\n")
        self.compare_states(self.results_of("run", path, "-w", 2), "eom_ccsd", entry["eom_singlet_hartree"])

    def test_the_lowest_states_do_not_depend_on_how_many_are_wanted(self):
        entry = self.entry("h2o_crawford", "sto-3g")
        references = entry["eom_singlet_hartree"]
        for roots in (1, 7):
            states = self.run_method(entry, "eom-ccsd", roots)["excitations"]["eom_ccsd"]["hartree"]
            self.assertLess(abs(states[0] - references[0]), LIMIT_EXCITATION)
            self.assertEqual(len(states), roots)
            self.assertEqual(states, sorted(states))

    def test_equation_of_motion_for_triplets_and_open_shells(self):
        water = self.entry("h2o_crawford", "sto-3g")
        for more in (["-w", 2, "--segments", f"virtual={1 if IS_FULL else 2}"], ["-w", 1, "-s", 2, "--memory", "9M"]):
            results = self.run_method(water, "eom-ccsd", 4, *more, options="triplets = true")
            self.compare_states(results, "eom_ccsd", EOM_TRIPLETS)
        amidogen = self.entry("nh2", "6-31g*") | {"basis": "sto-3g"}
        results = self.run_method(amidogen, "eom-ccsd", 6, "-w", 3 if IS_FULL else 1)
        self.compare_states(results, "eom_ccsd", EOM_AMIDOGEN)
        self.assertAlmostEqual(results["excitations"]["eom_ccsd"]["singles_part"][2], 0.7584587855, delta=1e-5)

    def test_a_full_space_may_hold_the_states(self):
        path = self.write("job.toml", job_file(self.entry("h2o_crawford", "sto-3g"), "cis", "roots = 4") +
                          "[constants]\ncis_space = 10\n")
        self.compare_states(self.results_of("run", path), "cis", CIS["h2o_crawford"])

    def test_checking_mode_finds_nothing_wrong(self):
        path = self.write("job.toml", job_file(self.entry("h2o_crawford", "sto-3g"), "eom-ccsd"))
        done = self.run_well("run", path, "--check", "-w", 2)
        self.assertNotIn("warning", done.stderr)
        self.assertIn("EOM-CCSD states", done.stdout)
        self.assertIn("0.32324", done.stdout)

    def test_what_cannot_be_is_refused(self):
        entry = self.entry("h2o_crawford", "sto-3g")
        path = self.write("job.toml", job_file(entry, "eom-ccsd", "roots = 11"))
        self.assert_fails(self.run_blockyard("run", path), "roots = 11", "1 to 10")
        path = self.write("job.toml", job_file(entry, "cis(d)", "triplets = true"))
        self.assert_fails(self.run_blockyard("run", path), "triplets = true", "singlets only")
        path = self.write("job.toml", job_file(self.entry("nh2", "6-31g*"), "eom-ccsd", "triplets = true"))
        self.assert_fails(self.run_blockyard("run", path), "for closed shells")
        path = self.write("job.toml", job_file(entry, "cis", "unrestricted = true"))
        self.assert_fails(self.run_blockyard("run", path), "closed shells only")

    def test_triplets_of_a_broken_spin_are_refused(self):
        text = '[molecule]\ngeometry = "H 0 0 0\\nH 0 0 3"\n[basis]\nname = "6-31g"\n[method]\n'
        states = 'name = "eom-ccsd"\ntriplets = true\nroots = 2\n'
        follow = 'stability = "follow"\n'
        for more in "", "unrestricted = true\n":
            self.assert_fails(self.run_blockyard("run", self.write("job.toml", text + states + follow + more)), "exclude each other")
        self.results_of("run", self.write("scf.toml", text + 'name = "scf"\nunrestricted = true\n' + follow), "--save", "broken.h5")
        path = self.write("job.toml", text + states)
        self.assert_fails(self.run_blockyard("run", path, "--guess", "broken.h5", "-w", 2), "<S^2> = 0.9", "closed shells")
        self.results_of("run", path)


if __name__ == "__main__":
    unittest.main()
