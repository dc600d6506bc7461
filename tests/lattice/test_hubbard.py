#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`blockyard run` of a lattice: against exact diagonalisation, against itself in other layouts, bad input.

The environment: BLOCKYARD, MPIEXEC (empty: no MPI).
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import h5py
import numpy as np

BLOCKYARD = os.environ["BLOCKYARD"]
MPIEXEC = os.environ.get("MPIEXEC", "")
LIMIT_SECONDS = 300


class Exact:
    """The Hubbard model on a ring of few sites, all states. Spin orbitals: up at 0 .. n-1, then down."""

    def __init__(self, sites, u, beta, mu=0.0, t=1.0):
        self.sites, self.beta = sites, beta
        size = 4**sites
        self.lower = [self.annihilator(orbital, 2 * sites) for orbital in range(2 * sites)]
        number = [c.T @ c for c in self.lower]
        h = np.zeros((size, size))
        half = np.eye(size) / 2
        for spin in (0, sites):
            for r in range(sites):
                for neighbour in ((r + 1) % sites, (r - 1) % sites):
                    if sites > 1:
                        h -= t * self.lower[spin + r].T @ self.lower[spin + neighbour]
                h -= mu * number[spin + r]
        for r in range(sites):
            h += u * (number[r] - half) @ (number[sites + r] - half)
        self.energy, self.states = np.linalg.eigh(h)
        weight = np.exp(-beta * (self.energy - self.energy[0]))
        self.weight = weight / weight.sum()

    @staticmethod
    def annihilator(orbital, orbitals):
        size = 2**orbitals
        matrix = np.zeros((size, size))
        for state in range(size):
            if state >> orbital & 1:
                matrix[state ^ 1 << orbital, state] = (-1) ** bin(state >> orbital + 1).count("1")
        return matrix

    def green(self, k, w):
        """G(k, i w) of spin up."""
        c = sum(np.exp(-2j * np.pi * k * r / self.sites) * self.lower[r] for r in range(self.sites)) / self.sites**0.5
        c = self.states.T @ c @ self.states
        return (abs(c)**2 * (self.weight[:, None] + self.weight[None, :]) /
                (1j * w + self.energy[:, None] - self.energy[None, :])).sum()


class LatticeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def blockyard(self, text, *arguments, processes=0):
        (self.folder / "job.toml").write_text(text)
        command = [BLOCKYARD, "run", "job.toml", *map(str, arguments)]
        if processes:
            command = [MPIEXEC, "-n", str(processes), *command]
        return subprocess.run(command, cwd=self.folder, text=True, capture_output=True, timeout=LIMIT_SECONDS,
                              check=False)

    def simulate(self, text, *arguments, processes=0):
        done = self.blockyard(text, "--json", "out.json", *arguments, processes=processes)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads((self.folder / "out.json").read_text())


class Truth(LatticeTest):
    def compare(self, sites, u, beta, mu, samples):
        results = self.simulate(f"""
[lattice]
sites = [{sites}]
u = {u}
mu = {mu}
beta = {beta}
[method]
name = "g"
samples = {samples}
sweeps = 2
frequencies = 4
[run]
bins = 40
""")
        exact = Exact(sites, u, beta, mu)
        chi = []
        for one in results["g"]:
            expected = exact.green(one["k"][0], (2 * one["n"] + 1) * np.pi / beta)
            distance = abs(complex(one["re"], one["im"]) - expected)
            self.assertLess(distance, 5 * one["error"] + 1e-9)
            chi.append((distance / (one["error"] + 1e-12))**2)
        self.assertLess(np.mean(chi), 4.0)  # the values of one run are correlated: over many runs it is 1
        self.assertLess(max(one["error"] for one in results["g"]), 0.05)
        self.assertLess(results["worst_residue"], 1e-7)
        return results

    def test_atom(self):
        self.compare(1, 4.0, 2.0, 0.0, 16000)

    def test_two_sites(self):
        results = self.compare(2, 4.0, 2.0, 0.0, 16000)
        self.assertEqual(results["sign"][0], 1.0)

    def test_three_sites_away_from_half_filling(self):
        self.compare(3, 3.0, 2.0, 0.4, 16000)

    def test_without_interaction_all_is_known(self):
        results = self.simulate("""
[lattice]
sites = [2, 2]
beta = 3.0
[method]
samples = 8
warm_up = 0
frequencies = 3
exchange_momenta = "all"
channels = ["pp_up_down", "ph_magnetic"]
[run]
bins = 2
""", "-w", 2)
        self.assertEqual(results["order"][0], 0)
        for kind in ("pairing", "spin"):
            for one in results["eigenvalues"][kind]:
                self.assertAlmostEqual(one["value"], 0, delta=1e-10)
        self.assertEqual(len(results["eigenvalues"]["spin"]), 4)
        with h5py.File(self.folder / "job.h5") as file:
            self.assertEqual(file.attrs["normalised"], 1)
            g = file["G"][:, :, 0, 0, 0]
            pairing = file["G4/pp_up_down"][0, 0, :, :, :, :, 0, 0, 0, 0]  # q = 0: w2 k2 w1 k1
        self.assertLess(abs(pairing[2, 1, 2, 1] - g[2, 1] * g[-3, 1]), 1e-12)
        self.assertLess(abs(pairing[2, 1, 2, 0]), 1e-12)


class Report(LatticeTest):
    def test_page_shows_time_and_memory_by_rank_and_lane(self):
        done = self.blockyard(SMALL.replace("[run]", "[run]\nring = 3\nlanes = 2"), "-w", 3, "--report", "run.json",
                              "--json", "out.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        ring = json.loads((self.folder / "run.json").read_text())["ring"]
        self.assertNotIn("time_line", json.loads((self.folder / "out.json").read_text())["ring"])
        self.assertEqual(len(ring["time_line"]), 3)
        for rank, line in zip(ring["ranks"], ring["time_line"]):
            self.assertLessEqual(len(line["update_seconds"]), 96)
            for key in ("update_seconds", "wait_for_items_seconds", "wait_for_slots_seconds"):
                self.assertAlmostEqual(sum(line[key]), rank[key], delta=1e-6 + 1e-6 * rank[key])
            for lane, over_time in zip(rank["lanes"], line["lanes"]):
                self.assertEqual(sum(over_time["applied"]), lane["applied"])
                self.assertEqual(sum(over_time["sent_bytes"]), lane["sent_bytes"])
                self.assertGreater(lane["applied"], 0)
            self.assertGreater(max(line["visiting_items_bytes"]), 0)
            self.assertEqual(len(line["lanes"]), 2)
        page = subprocess.run([BLOCKYARD, "report", "run.json", "-o", "-"], cwd=self.folder, text=True,
                              capture_output=True, check=True).stdout
        for text in ("Time line", "Memory over time", "waits for slots", "lane 1", "rank 2", "<svg"):
            self.assertIn(text, page)
        run = json.loads((self.folder / "run.json").read_text())
        for rank, seconds in enumerate((1e-9, 1e9, 0)):
            run["ring"]["time_line"][rank]["bin_seconds"] = seconds
        (self.folder / "odd.json").write_text(json.dumps(run))
        subprocess.run([BLOCKYARD, "report", "odd.json"], cwd=self.folder, check=True)
        done = self.blockyard(SMALL.replace("[run]", "walkers = 2\n[run]"), "-w", 6, "--report", "few.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        subprocess.run([BLOCKYARD, "report", "few.json"], cwd=self.folder, check=True)
        (self.folder / "bad.json").write_text('{"ring": {"size": 1}}')
        done = subprocess.run([BLOCKYARD, "report", "bad.json", "-o", "-"], cwd=self.folder, text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("bad.json is not what a run over rings writes", done.stderr)


SMALL = """
[lattice]
sites = [2, 2]
u = 4.0
beta = 2.0
[method]
samples = 64
warm_up = 20
frequencies = 4
exchange_momenta = [[0, 0], [1, 1]]
channels = ["pp_up_down", "ph_magnetic"]
[run]
bins = 4
sums = "exact"
"""


class Layouts(LatticeTest):
    def bits(self, *arguments, processes=0):
        results = self.simulate(SMALL, *arguments, processes=processes)
        with h5py.File(self.folder / "job.h5") as file:
            return [file[name][...] for name in ("G", "G_error", "G4/pp_up_down", "G4/ph_magnetic",
                                                 "G4_error/ph_magnetic")], results

    def test_as_many_walkers_give_the_same_bits(self):
        one, first = self.bits("-w", 1)
        others = [self.bits("-w", 3), self.bits("-w", 4)]
        if MPIEXEC:
            others.append(self.bits(processes=2))
        for found, results in others:
            for a, b in zip(one, found):
                self.assertTrue(np.array_equal(a, b))
            self.assertEqual(results["order"], first["order"])
            self.assertEqual(results["eigenvalues"], first["eigenvalues"])


    def test_exact_sums_know_no_unit_of_energy(self):
        expected = self.simulate(SMALL)["eigenvalues"]
        for unit in (4000, 1e-3):
            scaled = SMALL.replace("u = 4.0\nbeta = 2.0", f"t = {unit}\nu = {4 * unit}\nbeta = {2 / unit}")
            found = self.simulate(scaled)["eigenvalues"]
            for kind in expected:
                for a, b in zip(expected[kind], found[kind]):
                    self.assertAlmostEqual(a["value"], b["value"], delta=1e-6)
                    self.assertAlmostEqual(a["error"], b["error"], delta=1e-6)

    def test_exact_sums_at_a_high_temperature_are_those_of_doubles(self):
        for beta in (1e-4, 100.0):
            found = {}
            for sums in ("exact", "double"):
                self.simulate(SMALL.replace("exact", sums).replace("beta = 2.0", f"beta = {beta}").replace("u = 4.0", "u = 0.1"))
                with h5py.File(self.folder / "job.h5") as file:
                    found[sums] = {name: file[name][...] for name in ("G", "G4/pp_up_down", "G4/ph_magnetic")}
            for name, expected in found["double"].items():
                self.assertLess(abs(found["exact"][name] - expected).max(), 1e-9 * abs(expected).max(), (beta, name))


class Signs(LatticeTest):
    def test_sums_that_cannot_be_divided_are_written(self):
        """Nothing is lost where the average sign is zero within its error."""
        text = "[lattice]\nsites = [3]\nu = 10.0\nmu = 3.0\nbeta = 6.0\n[method]\nsamples = 10\nfrequencies = 2\n"
        for seed in range(20):  # about every second one
            done = self.blockyard(text + f"seed = {seed}\n[run]\nbins = 2\n", "--json", "out.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            if "warning: the average sign is" in done.stderr:
                break
        else:
            self.fail("the sign of every seed was above its error")
        results = json.loads((self.folder / "out.json").read_text())
        self.assertEqual((results["normalised"], results["g"], results["spin_susceptibility"]), (False, [], []))
        with h5py.File(self.folder / "job.h5") as file:
            self.assertEqual(file.attrs["normalised"], 0)
            self.assertGreater(abs(file["G4/ph_magnetic"][...]).max(), 0)


class Bins(LatticeTest):
    JOB = "[lattice]\nsites = [2]\nu = 4.0\nmu = 1.0\nbeta = 2.0\n[method]\nname = \"g\"\nfrequencies = 2\n"

    def test_bins_that_are_too_short_are_told(self):
        for bins, is_told in ((10, False), (250, True)):
            done = self.blockyard(self.JOB + f"samples = 1000\n[run]\nbins = {bins}\n")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("error bars are too small" in done.stderr, is_told, done.stderr)

    def test_error_bars_are_those_of_correlated_samples(self):
        """Twelve seeds: chi-square is 1 a value, and it was 2.6 where a bin had neighbours of all walkers."""
        exact = Exact(2, 4.0, 2.0, 1.0)
        chi = []
        for seed in range(12):
            results = self.simulate(self.JOB + f"samples = 1000\nseed = {seed}\n[run]\nbins = 50\n")
            for one in results["g"]:
                expected = exact.green(one["k"][0], (2 * one["n"] + 1) * np.pi / 2)
                chi.append((abs(complex(one["re"], one["im"]) - expected) / one["error"])**2)
        self.assertLess(np.mean(chi), 1.7)


class Plan(LatticeTest):
    def plan(self, text, *arguments):
        (self.folder / "job.toml").write_text(text)
        return subprocess.run([BLOCKYARD, "plan", "job.toml", *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=LIMIT_SECONDS, check=False)

    def test_a_plan_says_what_the_run_does(self):
        done = self.plan(SMALL, "-w", 3, "--memory", "30M", "--json", "plan.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        plan = json.loads((self.folder / "plan.json").read_text())
        self.assertIn(plan["ring"]["reason"], done.stdout)
        report = self.simulate(SMALL, "-w", 3, "--memory", "30M")["ring"]
        self.assertEqual([report[key] for key in ("size", "reason", "slice_bytes", "item_bytes", "travel")],
                         [plan["ring"][key] for key in ("size", "reason", "slice_bytes")] +
                         [plan["travel"][key] for key in ("item_bytes", "what")])

    def test_less_memory_makes_longer_rings_until_none_fits(self):
        sizes = []
        for memory in ("30M", "800K"):
            done = self.plan(SMALL, "-n", 4, "-w", 1, "--memory", memory, "--json", "plan.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            sizes.append(json.loads((self.folder / "plan.json").read_text())["ring"]["size"])
        self.assertLess(sizes[0], sizes[1])
        done = self.plan(SMALL, "-n", 4, "-w", 1, "--memory", "30K")
        self.assertEqual(done.returncode, 1)
        self.assertIn("give each rank", done.stderr)


class BadInput(LatticeTest):
    def refused(self, change, *parts):
        text = SMALL.replace(*change)
        done = self.blockyard(text)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("error: "), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["job.toml"])

    def test_what_cannot_be_is_refused_with_its_place(self):
        self.refused(("beta = 2.0", "bta = 2.0"), "job.toml:5", "beta")
        self.refused(("ph_magnetic", "ph_magnet"), "job.toml:11", "did you mean 'ph_magnetic'")
        self.refused(("sites = [2, 2]", "sites = [0, 2]"), "job.toml:3", "sites")
        self.refused(("[[0, 0], [1, 1]]", '"some"'), "exchange_momenta", "irreducible")
        self.refused(('sums = "exact"', "ring = 500"), "a ring of 500 ranks")
        self.refused(('sums = "exact"', 'memory = "30K"'), "does not fit", "give each rank")
        for value in ("1e-320", "1e300"):
            self.refused(("beta = 2.0", f"beta = {value}"), "job.toml:5", "beta: must be from 1e-06 to 10000")
        self.refused(("samples = 64", "samples = 64\nshift = 1e200"), "shift: must be at most 1000")
        self.refused(("samples = 64", "samples = 2"), "too few for 8 walkers")

    def test_more_exchange_frequencies_than_g4_has(self):
        self.refused(("frequencies = 4", "frequencies = 4\nexchange_frequencies = 4000"), "job.toml:10",
                     "exchange_frequencies", "use 8 or fewer")

    def test_what_is_no_number(self):
        for value in ("nan", "inf", "-inf"):
            self.refused(("u = 4.0", f"u = {value}"), "job.toml:4", "u")
            self.refused(("beta = 2.0", f"beta = {value}"), "job.toml:5", "beta")

    def test_bounds_of_exact_sums_that_do_not_fit(self):
        self.refused(('sums = "exact"', 'sums = "exact"\nbound = 1e-6'), "set [run] bound to at least")
        self.refused(('sums = "exact"', 'sums = "exact"\nbound = 1e20'), "[run] bound is 1e+20", "leave it out")

    def test_a_job_that_ends_early_is_refused(self):
        for end in range(0, len(SMALL), 7):
            (self.folder / "job.toml").write_text(SMALL[:end])
            done = subprocess.run([BLOCKYARD, "plan", "job.toml"], cwd=self.folder, text=True, capture_output=True,
                                  check=False)
            self.assertIn(done.returncode, (0, 1), SMALL[:end] + done.stderr)
            self.assertEqual(done.stderr.count("error: "), done.returncode, done.stderr)

    def test_a_momentum_that_is_given_twice(self):
        self.refused(("[[0, 0], [1, 1]]", "[[0, 0], [2, 2]]"), "the exchange momentum (2, 2) is (0, 0)", "remove one")

    def test_devices_that_are_not_there(self):
        self.refused(('sums = "exact"', 'device = "smi"'), "device 'smi': the kinds are none, host, sim", "did you mean 'sim'")

    def wrong_usage(self, *arguments):
        done = self.blockyard(SMALL, *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def command(self, *arguments):
        (self.folder / "job.toml").write_text(SMALL)
        return subprocess.run([BLOCKYARD, *arguments], cwd=self.folder, text=True, capture_output=True, check=False)

    def test_options_of_programs_do_not_go_with_a_lattice(self):
        for option in ("--set norb=3", "--deterministic", "--check", "--scan method.samples=1,2", "--molden m",
                       "--method scf", "--seed 7", "--profile", "--qcschema q.json"):
            with self.subTest(option=option):
                self.assertIn("simulates a lattice", self.wrong_usage(*option.split()))
        self.assertIn("--machine does not go with", self.command("plan", "job.toml", "--machine", "m").stderr)

    def test_values_that_cannot_be_read_are_wrong_usage(self):
        for option in ("--workers", "--memory", "--checkpoint", "--device-memory"):
            self.assertIn(option, self.wrong_usage(option, "0x2"))
        done = self.command("plan", "job.toml", "--memory", "abc")
        self.assertEqual((done.returncode, done.stderr.count("--memory")), (2, 1))

    def test_what_is_read_or_kept_is_not_written_over(self):
        for options in ("--json job.toml", "--json job.h5", "--json x --report x", "--json - --report -"):
            done = self.blockyard(SMALL, *options.split())
            self.assertEqual((done.returncode, done.stdout), (1, ""), options)
            self.assertEqual((self.folder / "job.toml").read_text(), SMALL)
        self.refused(('sums = "exact"', 'output = "job.toml"'), "job.toml would be written over")
        self.assertIn("would be written over", self.command("plan", "job.toml", "--json", "job.toml").stderr)

    def test_a_file_that_cannot_be_written_keeps_no_other_and_no_results(self):
        done = self.blockyard(SMALL, "--json", "/dev/full", "--report", "report.json")
        self.assertEqual((done.returncode, done.stderr), (1, "error: cannot write /dev/full: No space left on device\n"))
        self.assertIn("written to job.h5", done.stdout)
        self.assertIn("time_line", json.loads((self.folder / "report.json").read_text())["ring"])
        done = self.command("compare", "report.json", "report.json")
        self.assertIn("is a report of another kind", done.stderr)

    def test_sections_are_tables(self):
        for name in ("method", "run"):
            self.refused((f"[{name}]", f"[[{name}]]"), "job.toml:", f"{name}: must be a table")


if __name__ == "__main__":
    unittest.main()
