#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Energies of open shells agree with other programs, however the work and the memory are shared out."""

import json
import unittest

import common
from common import IS_FULL, job_file

# Each is (workers, servers, more options). Many small blocks take seven times as long as few: one molecule has them,
# or all if all cases are asked for.
WAYS = [(1, 1, []), (2, 1, ["--segments", "occupied=2", "--segments", "virtual=5"]), (3, 2, [])]
HALVES = WAYS[1:2] if IS_FULL else [(2, 1, ["--segments", "occupied=3", "--segments", "virtual=9"])]
# Restricted open shells: PySCF 2.14.0, scf.ROHF, its orbitals made semicanonical for each spin and given to cc.UCCSD; MP2 in
# numpy, singles and doubles, from PySCF's integrals. Molecule, basis, frozen core: SCF, MP2, CCSD, (T) in hartree.
RESTRICTED = {
    ("oh", "cc-pvdz", False): (-75.39001038924452, -75.54496964254261, -75.55932938108982, -0.0017797717605869496),
    ("ch2", "cc-pvdz", True): (-38.92147168211894, -39.01897173388013, -39.03951806243076, -0.0017623970401561917),
    ("nh2", "6-31g*", False): (-55.55225952748716, -55.690240481271175, -55.708961305368625, -0.0018354214909327678),
}
# Stability of Hartree-Fock: geometry in Angstrom, multiplicity, basis, option; energy and lowest eigenvalue of A + B in hartree. PySCF
# 2.14.0: scf.RHF, scf.UHF (for "follow" from mixed orbitals, followed by its stability()), the matrix from its integrals in numpy.
# Restricted open shells: scf.ROHF, and differences of its gradient between turned orbitals, 1e-4 apart.
STRETCHED = "H 0 0 0\nH 0 0 3.0"
STABILITY = [
    (STRETCHED, 1, "cc-pvdz", 'stability = "check"', -0.82644784388575, -0.35955167307841),
    (STRETCHED, 1, "cc-pvdz", 'unrestricted = true\nstability = "follow"', -0.99872112546057, 0.39408938311354),
    ("O 0 0 0\nO 0 0 1.2075", 3, "6-31g*", 'stability = "follow"', -149.61231729065162, 0.02628157514111),
    ("O 0 0 0\nO 0 0 1.2075", 3, "sto-3g", 'reference = "rohf"\nstability = "check"', -147.63216699068244, -0.03066096578),
    ("O 0 0 0\nO 0 0 1.2075", 3, "sto-3g", 'reference = "rohf"\nstability = "follow"', -147.63349587930, 0.0),
    ("N 0 0 0\nH 0 0.8 0.6\nH 0 -0.8 0.6", 2, "6-31g", 'reference = "rohf"\nstability = "check"', -55.53044077170, 0.06555049240),
]
NH2_SPIN_SQUARE = 0.7580800246  # in 6-31g*; PySCF 2.14.0, scf.UHF
KEYS = common.ENERGIES
METHOD = "ccsd(t)"


class OpenShells(common.MoleculeTest):
    def check(self, entry, ways):
        self.check_method(entry, METHOD, KEYS, ways)

    def test_hydroxyl_radical(self):
        self.check(self.entry("oh", "cc-pvdz"), WAYS)

    def test_amino_radical_with_and_without_its_core(self):
        self.check(self.entry("nh2", "6-31g*"), HALVES)
        self.check(self.entry("nh2", "6-31g*", frozen=True), WAYS[2:])

    def test_segments_of_each_spin_as_given(self):
        entry = self.entry("oh", "cc-pvdz")
        spins = ["--segments", "moa=5,9,5", "--segments", "mob=2,2,15"]
        self.check_method(entry, "ccsd", ["scf", "mp2", "ccsd"], [(2, 1, spins)])
        path = self.write("job.toml", job_file(entry, "ccsd"))
        self.assert_fails(self.run_blockyard("run", path, "--segments", "mob=5,14"), "segments of mob must part",
                          "4 active occupied")

    def test_dipole_moment_of_an_open_shell(self):
        entry = self.entry("nh2", "6-31g*", frozen=True)
        path = self.write("job.toml", job_file(entry, "ccsd-density"))
        results = self.results_of("run", path, "-w", 2)
        self.compare_dipole(entry, results, "ccsd", "dipole_ccsd_unrelaxed_au")

    def test_triplet_methylene(self):
        self.check(self.entry("ch2", "cc-pvdz", frozen=True), WAYS[1:] if IS_FULL else WAYS[2:])

    def test_water_cation_from_each_start(self):
        for option in ("level_shift = 0.2", "damping = 0.3", "scf_direct = true"):
            self.check_method(self.entry("h2o_cation", "6-31g*"), "scf", KEYS[:2], WAYS[:1], option)
        self.check_method(self.entry("oh", "cc-pvdz"), "scf", KEYS[:2], WAYS[:1], 'scf_guess = "core"')

    def test_restricted_open_shells(self):
        for (molecule, basis, frozen), values in RESTRICTED.items():
            entry = self.entry(molecule, basis, frozen=frozen)
            entry = entry | dict(zip(("e_scf", "e_mp2", "e_ccsd", "e_t"), values)) | {"e_ccsd_t": values[2] + values[3]}
            self.check_method({k: v for k, v in entry.items() if not k.startswith("dipole")}, METHOD, KEYS, HALVES,
                              'reference = "rohf"')

    def test_stability_of_the_solution(self):
        for geometry, multiplicity, basis, option, energy, eigenvalue in STABILITY:
            with self.subTest(option=option, multiplicity=multiplicity):
                path = self.write("job.toml", f'''[molecule]
geometry = """
{geometry}
"""
multiplicity = {multiplicity}
[basis]
name = "{basis}"
[method]
name = "mp2"
{option}
''')
                results = self.results_of("run", path, "-w", 2)
                self.assertAlmostEqual(results["energies"]["scf"], energy, delta=1e-8)
                self.assertAlmostEqual(results["energies"]["scf_stability"], eigenvalue, delta=1e-6)
                self.assertLess(results["iterations"]["scf"], 13)  # DIIS knows nothing of the solution before

    def test_a_flat_saddle_point_is_left(self):
        # Its lowest eigenvalue is -0.00013, and iterations from near by go back to it. PySCF 2.14.0 finds
        # -195.9729580074 there and a minimum at -195.9730359485.
        path = self.write("job.toml", '[molecule]\ngeometry = "F 0 0 0\\nF 0 0 4"\n[basis]\nname = "sto-3g"\n'
                          '[method]\nname = "scf"\nunrestricted = true\nstability = "follow"\n')
        energies = self.results_of("run", path)["energies"]
        self.assertAlmostEqual(energies["scf"], -195.97303594847, delta=1e-5)
        self.assertGreater(energies["scf_stability"], -1e-5)

    def test_spin_contamination_is_a_result(self):
        path = self.write("job.toml", job_file(self.entry("nh2", "6-31g*"), "scf"))
        done = self.run_well("run", path, "--json", "results.json")
        spin_square = json.loads((self.folder / "results.json").read_text())["spin_square"]
        self.assertAlmostEqual(spin_square, NH2_SPIN_SQUARE, 6)
        self.assertRegex(done.stdout, rf"<S\^2> +{spin_square:.6f} +exact 0.75")
        self.assertNotIn("spin_square", self.results_of("run", self.write("job.toml", job_file(self.entry("h2o", "6-31g*"), "scf"))))

    def test_stability_that_was_not_found_is_no_result(self):
        path = self.write("job.toml", job_file(self.entry("h2o", "6-31g*"), "scf", 'stability = "check"') +
                          "[constants]\nstability_steps = 2\n")
        for options in [], ["--set", "method.unrestricted=true"]:
            self.assertNotIn("scf_stability", self.results_of("run", path, *options)["energies"])

    def test_a_level_shift_makes_no_solution_out_of_orbitals_in_another_order(self):
        # Far apart, Li+ H- with the pair in the higher orbital: stationary, but not for orbitals without a shift.
        path = self.write("job.toml", '[molecule]\ngeometry = "Li 0 0 0\\nH 0 0 20"\n[basis]\nname = "sto-3g"\n'
                          '[method]\nname = "scf"\nlevel_shift = 1.0\nscf_iterations = 20\n')
        for options in [], ["--set", "method.unrestricted=true"]:
            self.assert_fails(self.run_blockyard("run", path, *options), "did not converge")

    def test_following_is_refused_where_both_spins_share_orbitals(self):
        entry = self.entry("h2o", "6-31g*")
        path = self.write("job.toml", job_file(entry, "scf", 'stability = "follow"'))
        self.assert_fails(self.run_blockyard("run", path), "needs unrestricted = true")

    def test_what_restricted_open_shells_cannot_do_is_refused(self):
        entry = self.entry("oh", "cc-pvdz")
        path = self.write("job.toml", job_file(entry, "ccsd-density", 'reference = "rohf"'))
        self.assert_fails(self.run_blockyard("run", path), "canonical orbitals")
        path = self.write("job.toml", job_file(entry, "ccsd", 'reference = "rohf"\nunrestricted = true'))
        self.assert_fails(self.run_blockyard("run", path), "exclude each other")
        path = self.write("job.toml", job_file(self.entry("h2o_crawford", "sto-3g"), "ccsd-density", 'reference = "rohf"'))
        self.results_of("run", path)  # a closed shell has canonical orbitals

    def test_a_closed_shell_is_the_same_when_treated_as_open(self):
        self.check_method(self.entry("h2o", "6-31g*"), METHOD, KEYS, HALVES, "unrestricted = true")

    def test_checking_mode_finds_nothing_wrong_with_our_programs(self):
        path = self.write("job.toml", job_file(self.entry("nh2", "6-31g*"), METHOD))
        done = self.run_well("run", path, "--check", "-w", 3, "--json", "-")
        self.assertNotIn("warning", done.stderr)

    def test_arrays_larger_than_memory(self):
        report = self.folder / "run.json"
        path = self.write("job.toml", job_file(self.entry("ch2", "cc-pvdz", frozen=True), METHOD) +
                          "[segments]\nao = 4\nvirtual = 7\n")
        results = self.results_of("run", path, "-w", 2, "--memory", "11M", "--report", report)
        self.compare(self.entry("ch2", "cc-pvdz", frozen=True), results, KEYS)
        servers = json.loads(report.read_text())["servers"]
        self.assertGreater(sum(server["spilled_bytes"] for server in servers), 0)

    def test_hydrogen_atom_has_one_spin_only(self):
        path = self.write("job.toml", '[molecule]\ngeometry = "H 0 0 0"\nmultiplicity = 2\n[basis]\n'
                          'name = "cc-pvdz"\n[method]\nname = "mp2"\n')
        energies = self.results_of("run", path)["energies"]
        self.assertLess(abs(energies["scf"] + 0.4992784034), common.LIMIT_HARTREE)
        self.assertEqual(energies["mp2_correlation"], 0.0)


if __name__ == "__main__":
    unittest.main()
