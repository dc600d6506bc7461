#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`blockyard run` with name = "dca": limits that are known, restarts, layouts, bad input.

The environment: BLOCKYARD, MPIEXEC (empty: no MPI).
"""

import json
import subprocess
import unittest

import h5py
import numpy as np
from test_hubbard import BLOCKYARD, LIMIT_SECONDS, MPIEXEC, Exact, LatticeTest


def job(lattice, method, run=""):
    """A job of lists of lines."""
    return f"[lattice]\n{lattice}\n[method]\nname = \"dca\"\n{method}\n[run]\nsums = \"exact\"\n{run}\n"


def patches(lengths, points, t=1.0):
    """eps(k) of the patch around each momentum of the cluster: [momentum, point]."""
    found = []
    momenta = [()]
    for length in reversed(lengths):
        momenta = [(n, *rest) for rest in momenta for n in range(length)]
    for momentum in momenta:
        eps = np.zeros(())
        for n, length in zip(momentum, lengths):
            k = 2 * np.pi * (n + (np.arange(points) + 0.5) / points - 0.5) / length
            eps = np.add.outer(eps, -2 * t * np.cos(k))
        found.append(eps.ravel())
    return np.array(found)


def coarse(eps, w, sigma, mu=0.0):
    """Gbar[w, momentum]."""
    return (1 / ((1j * w[:, None] + mu - sigma)[:, :, None] - eps[None])).mean(axis=-1)


class Embedded:
    """chi, G and Sigma of the result of a job, and what Bethe and Salpeter make of them in the lattice; by [w, momentum]."""

    def __init__(self, path, model, points):
        self.model, self.points = model, points
        with h5py.File(path) as file:
            self.beta = file.attrs["beta"]
            self.momenta = [tuple(int(n) for n in k) for k in file["momenta"]]
            self.exchange = [tuple(int(n) for n in q) for q in file["exchange_momenta"]]
            self.g = file["G"][:, :, :, 0, 0]
            self.chi = {name: file["G4"][name][0, :, :, :, :, :, 0, 0, 0, 0] for name in file["G4"]}
        count = len(self.g)
        self.w = (2 * (np.arange(count) - count // 2) + 1) * np.pi / self.beta
        with h5py.File(path.with_suffix(".sigma.h5")) as file:
            self.lengths = tuple(int(n) for n in file["lengths"])
            before = file["self_energy"][:count // 2, :, 0]
        eps = np.array([self.moved(k, (0, 0), 1)[0].ravel() for k in self.momenta])
        g0 = 1 / (1 / coarse(eps, self.w[count // 2:], before) + before)  # in which G4 was accumulated
        self.sigma = 1 / np.concatenate([g0[::-1].conj(), g0])[:, :, None] - 1 / self.g

    def number(self, k):
        return self.momenta.index(tuple(n % length for n, length in zip(k, self.lengths)))

    def level(self, k):
        x, y = (np.cos(2 * np.pi * n / length) for n, length in zip(k, self.lengths))
        return -2 * (x + y) - 4 * self.model["t_prime"] * x * y - self.model["mu"]

    def moved(self, k, q, sign):
        """Each momentum sign (k + k~) + q of the lattice, by its energy, and the number of the cluster's."""
        within = (np.arange(self.points) + 0.5) / self.points - 0.5
        at = [sign * (n + one) + m for n, m, one in zip(k, q, np.meshgrid(within, within, indexing="ij"))]
        return self.level(at), self.number([sign * n + m for n, m in zip(k, q)])

    def bubbles(self, q, is_pairing):
        """chi0 of the cluster and of the lattice, [w, momentum]."""
        cluster = np.zeros(self.g.shape[:2], complex)
        lattice = np.zeros_like(cluster)
        for w, k, s in np.ndindex(self.g.shape):
            w2, s2 = (len(self.w) - 1 - w, 1 - s) if is_pairing else (w, s)
            factor = 0.5 if is_pairing else -0.5
            eps1, k1 = self.moved(self.momenta[k], (0, 0), 1)
            eps2, k2 = self.moved(self.momenta[k], q, -1 if is_pairing else 1)
            cluster[w, k] += factor * self.g[w, k1, s] * self.g[w2, k2, s2]
            lattice[w, k] += factor * (1 / (1j * self.w[w] - eps1 - self.sigma[w, k1, s]) /
                                       (1j * self.w[w2] - eps2 - self.sigma[w2, k2, s2])).mean()
        return cluster, lattice

    def results(self, name, at):
        """Eigenvalue and susceptibility of the cluster, then those of the lattice."""
        order = self.g[:, :, 0].size
        chi = self.chi[name][at].reshape(order, order).T
        cluster, lattice = (one.ravel() for one in self.bubbles(self.exchange[at], name == "pp_up_down"))
        gamma = np.diag(1 / cluster) - np.linalg.inv(chi)
        for chi0 in (cluster, lattice):
            full = np.linalg.inv(np.diag(1 / chi0) - gamma)
            yield (np.linalg.eigvals(gamma * chi0).real.max(), full.sum().real / (self.beta * len(self.momenta)))


class Dca(LatticeTest):
    def frequencies(self, beta, count):
        return (2 * np.arange(count) + 1) * np.pi / beta

    def self_energy(self, results, sites):
        """Sigma and errors by [n, momentum]."""
        found = results["dca"]["self_energy"]
        sigma = np.array([complex(one["re"], one["im"]) for one in found]).reshape(-1, sites)
        return sigma, np.array([one["error"] for one in found]).reshape(-1, sites)

    def test_without_interaction_it_is_exact(self):
        beta, mu, half = 3.0, 0.3, 6
        results = self.simulate(job("sites = [2, 2]\nbeta = 3.0\nmu = 0.3", f"""
samples = 8
warm_up = 0
patch_points = 5
self_energy_frequencies = {half}
frequencies = 2
channels = ["pp_up_down"]
exchange_momenta = [[0, 0]]"""))
        self.assertTrue(results["dca"]["converged"])
        self.assertEqual(len(results["dca"]["iterations"]), 1)
        sigma, _ = self.self_energy(results, 4)
        self.assertLess(abs(sigma).max(), 1e-10)
        gbar = coarse(patches([2, 2], 5), self.frequencies(beta, half), 0 * sigma, mu)
        with h5py.File(self.folder / "job.sigma.h5") as file:
            self.assertLess(abs(file["g0"][:, :, 0] - gbar).max(), 1e-12)
            self.assertEqual(file.attrs["format"], "blockyard self-energy 1")
        with h5py.File(self.folder / "job.h5") as file:
            self.assertLess(abs(file["G"][2:, :, 0, 0, 0] - gbar[:2]).max(), 1e-12)
            pairing = file["G4/pp_up_down"][0, 0, :, :, :, :, 0, 0, 0, 0]
        self.assertLess(abs(pairing[2, 1, 2, 1] - abs(gbar[0, 1])**2), 1e-12)

    def test_the_density_of_what_does_not_interact(self):
        results = self.simulate(job("sites = [2]\nbeta = 2.0\nmu = 0.7", "samples = 8\nwarm_up = 0\npatch_points = 16"))
        done = self.blockyard((self.folder / "job.toml").read_text())
        self.assertIn(f"density per spin {results['dca']['iterations'][0]['density']:.5f}", done.stdout)
        levels = patches([2], 16) - 0.7
        self.assertAlmostEqual(results["dca"]["iterations"][0]["density"], (1 / (np.exp(2 * levels) + 1)).mean(), delta=1e-5)

    def check_embedded(self, model, points):
        """Eigenvalues and susceptibilities of a run against sums over the result, patches written out."""
        lattice = "\n".join(["sites = [2, 2]"] + [f"{key} = {value}" for key, value in model.items()])
        results = self.simulate(job(lattice, f"""
samples = 240
iterations = 2
tolerance = 0
patch_points = {points}
self_energy_frequencies = 8
frequencies = 3
channels = ["pp_up_down", "ph_magnetic"]
exchange_momenta = [[0, 0], [1, 0], [1, 1]]"""))
        embedded = Embedded(self.folder / "job.h5", model, points)
        found = []
        for name, kind, momenta in (("pp_up_down", "pairing", 1), ("ph_magnetic", "spin", 3)):
            for at in range(momenta):
                expected = list(embedded.results(name, at))
                for (eigenvalue, susceptibility), where in zip(expected, (results, results["dca"])):
                    self.assertAlmostEqual(where["eigenvalues"][kind][at]["value"], eigenvalue, delta=1e-7)
                    self.assertEqual(where["eigenvalues"][kind][at]["q"], list(embedded.exchange[at]))
                    if kind == "spin":
                        self.assertAlmostEqual(where["spin_susceptibility"][at]["value"], susceptibility, delta=1e-7)
                self.assertGreater(results["dca"]["eigenvalues"][kind][at]["error"], 0)
                found.append(expected)
        return results, embedded, found

    def test_eigenvalues_of_the_lattice_have_the_bubble_of_its_patches(self):
        results, _, found = self.check_embedded({"u": 3.0, "mu": 0.4, "t_prime": -0.2, "beta": 2.0}, 4)
        for (cluster, _), (lattice, _) in found:
            self.assertGreater(abs(cluster - lattice), 1e-3)
        text = self.blockyard((self.folder / "job.toml").read_text()).stdout
        value = results["dca"]["eigenvalues"]["pairing"][0]
        self.assertIn(f"pairing at q = [0, 0]: leading eigenvalue of the lattice {value['value']:.4f} +- {value['error']:.4f}\n", text)

    def test_with_one_momentum_in_a_patch_the_lattice_has_the_eigenvalues_of_the_cluster(self):
        _, _, found = self.check_embedded({"u": 2.0, "mu": 0.0, "t_prime": 0.0, "beta": 2.0}, 1)
        for cluster, lattice in found:
            self.assertLess(abs(np.subtract(cluster, lattice)).max(), 1e-8)

    def test_a_weak_attraction_pairs_as_the_bubble_of_the_lattice_says(self):
        """Gamma is -U to first order; the bubble of the cluster by itself gives a quarter less."""
        results, embedded, _ = self.check_embedded({"u": -0.2, "mu": 0.0, "t_prime": 0.0, "beta": 4.0}, 8)
        cluster, lattice = (0.2 * one.sum().real / (4.0 * 4) for one in embedded.bubbles((0, 0), True))
        found = results["dca"]["eigenvalues"]["pairing"][0]["value"]
        self.assertLess(abs(found - lattice), 0.1 * lattice)
        self.assertGreater(abs(found - cluster), 0.2 * lattice)

    def check_near(self, found, error, expected, more=0.0):
        self.assertLess((abs(found - expected) - 5 * error - more).max(), 0)

    def test_with_one_momentum_in_a_patch_it_is_the_cluster(self):
        u, beta = 3.0, 2.0
        results = self.simulate(job(f"sites = [2]\nu = {u}\nbeta = {beta}", """
samples = 8000
iterations = 2
tolerance = 0
patch_points = 1
self_energy_frequencies = 4"""))
        self.assertFalse(results["dca"]["converged"])
        sigma, error = self.self_energy(results, 2)
        exact = Exact(2, u, beta)
        w = self.frequencies(beta, 4)
        expected = np.array([[1j * one + 2 * np.cos(np.pi * k) - 1 / exact.green(k, one) for k in (0, 1)] for one in w])
        self.check_near(sigma, error, expected)
        self.assertLess(error.max(), 0.1)
        self.assertAlmostEqual(results["dca"]["iterations"][-1]["density"], 0.5, delta=0.02)

    def test_errors_are_the_spread_over_seeds(self):
        found, errors = [], []
        for seed in range(16):
            results = self.simulate(job("sites = [2]\nu = 4.0\nmu = 0.5\nbeta = 2.0", f"""
samples = 1000
seed = {seed}
iterations = 1
self_energy_frequencies = 3""", "bins = 20"))
            sigma, error = self.self_energy(results, 2)
            found.append(sigma)
            errors.append(error)
        spread = np.sqrt(np.var(found, axis=0, ddof=1))
        ratio = np.sqrt(np.mean(np.square(errors), axis=0)) / spread
        self.assertLess(abs(np.log(ratio)).mean(), np.log(1.4), ratio)

    def test_without_hopping_it_is_the_atom(self):
        u, beta = 3.0, 1.5
        results = self.simulate(job(f"sites = [1]\nt = 0.0\nu = {u}\nbeta = {beta}", """
samples = 16000
iterations = 1
self_energy_frequencies = 6"""))
        sigma, error = self.self_energy(results, 1)
        self.check_near(sigma[:, 0], error[:, 0], u**2 / (4j * self.frequencies(beta, 6)))

    def perturbed(self, u, beta, eps, count):
        """Sigma of one site to second order in U, at half filling, iterated with its environment."""
        w = self.frequencies(beta, 512)
        tau = np.linspace(0, beta, 2049)
        weight = np.full(tau.size, tau[1] / 3)  # Simpson
        weight[1:-1:2] *= 4
        weight[2:-1:2] *= 2
        sine = np.sin(np.outer(w, tau))
        sigma = np.zeros((w.size, 1), complex)
        for _ in range(20):
            g0 = 1 / (1 / coarse(eps, w, sigma) + sigma)
            g_tau = -0.5 + 2 / beta * (g0.imag[:, 0] + 1 / w) @ sine
            sigma = 1j * (u**2 * sine @ (weight * g_tau**3))[:, None]
        return sigma[:count], coarse(eps, w, sigma)[:count]

    def test_one_site_is_the_dynamical_mean_field(self):
        u, beta, count = 1.0, 2.0, 5
        results = self.simulate(job(f"sites = [1, 1]\nu = {u}\nbeta = {beta}", f"""
samples = 16000
iterations = 8
tolerance = 0.01
patch_points = 24
self_energy_frequencies = {count}"""))
        self.assertTrue(results["dca"]["converged"])
        steps = results["dca"]["iterations"]
        self.assertLess(steps[-1]["change"], 0.01)
        self.assertLess(steps[-1]["change"], steps[0]["change"])
        sigma, error = self.self_energy(results, 1)
        expected, g = self.perturbed(u, beta, patches([1, 1], 24), count)
        # What fourth order leaves is a few hundredths at this U.
        self.check_near(sigma, error, expected, 0.03 * abs(expected))
        with h5py.File(self.folder / "job.h5") as file:
            found, spread = file["G"][count:, 0, 0, 0, 0], abs(file["G_error"][count:, 0, 0, 0, 0])
        self.check_near(found, spread, g[:, 0], 0.003)

    def test_a_restart_goes_on_from_the_file(self):
        text = job("sites = [2, 1]\nu = 2.0\nbeta = 2.0", "samples = 400\niterations = 1\nself_energy_frequencies = 4")
        first, _ = self.self_energy(self.simulate(text), 2)
        (self.folder / "job.sigma.h5").rename(self.folder / "first.h5")
        again = text.replace("iterations = 1", "iterations = 1\nmix = 1e-12\nrestart = \"first.h5\"")
        second, _ = self.self_energy(self.simulate(again), 2)
        self.assertLess(abs(first - second).max(), 1e-10)
        with h5py.File(self.folder / "first.h5") as file:
            self.assertTrue(np.array_equal(file["self_energy"][:, :, 0], first))
        # At twice the temperature its frequency n is the old one 2 n + 1/2.
        warmer, _ = self.self_energy(self.simulate(again.replace("beta = 2.0", "beta = 1.0")), 2)
        self.assertLess(abs(warmer[0] - (first[0] + first[1]) / 2).max(), 1e-10)

    def test_files_that_a_job_names_are_seen_from_its_folder(self):
        inner = self.folder / "jobs"
        inner.mkdir()
        method = "samples = 16\niterations = 1\ntolerance = 1e-12\nwarm_up = 0\nself_energy_frequencies = 4"
        lattice = "sites = [2, 1]\nu = 2.0\nbeta = 2.0"

        def run(text):
            (inner / "job.toml").write_text(text)
            return subprocess.run([BLOCKYARD, "run", "jobs/job.toml"], cwd=self.folder, text=True, capture_output=True,
                                  timeout=LIMIT_SECONDS, check=False)

        done = run(job(lattice, method, 'output = "first.h5"'))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(path.name for path in inner.iterdir()), ["first.h5", "first.sigma.h5", "job.toml"])
        self.assertIn('restart = "first.sigma.h5"', done.stderr)
        done = run(job(lattice, method + '\nrestart = "first.sigma.h5"'))
        self.assertEqual(done.returncode, 0, done.stderr)
        # What no job names is in the current folder, and a job names it from its own.
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["job.h5", "job.sigma.h5", "jobs"])
        self.assertIn('restart = "../job.sigma.h5"', done.stderr)

    def test_the_layout_of_ranks_changes_nothing(self):
        text = job("sites = [2, 1]\nu = 2.0\nbeta = 2.0\nmu = 0.5", """
samples = 64
iterations = 2
tolerance = 0
self_energy_frequencies = 4
frequencies = 2
channels = ["ph_magnetic"]""")
        one = self.simulate(text, "-w", 1)["dca"]
        self.assertEqual(self.simulate(text, "-w", 3)["dca"], one)
        if MPIEXEC:
            self.assertEqual(self.simulate(text, processes=2)["dca"], one)

    def test_two_layers_without_coupling_are_one(self):
        text = job("sites = [1]\nu = 1.0\nbeta = 2.0", "samples = 4000\niterations = 2\ntolerance = 0\nself_energy_frequencies = 2")
        one, error = self.self_energy(self.simulate(text), 1)
        two, _ = self.self_energy(self.simulate(text.replace("u =", "layers = 2\nu =")), 2)
        self.check_near(two[:, :], 2 * error, one)

    def test_a_plan_names_the_iterations(self):
        (self.folder / "job.toml").write_text(job("sites = [2, 2]\nbeta = 2.0", "iterations = 7\npatch_points = 4"))
        done = subprocess.run([BLOCKYARD, "plan", "job.toml", "--json", "plan.json"], cwd=self.folder, text=True,
                              capture_output=True, timeout=LIMIT_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("up to 7 iterations", done.stdout)
        self.assertIn("64 momenta", done.stdout)
        self.assertEqual(json.loads((self.folder / "plan.json").read_text())["dca"]["iterations"], 7)

    def test_what_cannot_be_is_refused(self):
        good = job("sites = [2, 1]\nu = 2.0\nbeta = 2.0", "samples = 16\niterations = 1\nwarm_up = 0")
        self.simulate(good)
        (self.folder / "job.sigma.h5").rename(self.folder / "first.h5")
        (self.folder / "job.h5").unlink()
        (self.folder / "text.h5").write_text("no HDF5")
        cases = [("iterations = 1", "mix = 2", "job.toml:", "mix"),
                 ("iterations = 1", "iterations = 0", "job.toml:", "iterations"),
                 ("iterations = 1", "itrations = 1", "iterations"),
                 ("\"dca\"", "\"g\"", "iterations", "goes with name = \"dca\""),
                 ("iterations = 1", "restart = \"none.h5\"", "none.h5"),
                 ("iterations = 1", "restart = \"text.h5\"", "text.h5"),
                 ("iterations = 1", "restart = \"job.toml\"", "job.toml"),
                 ("sites = [2, 1]", "sites = [3, 1]", "first.h5", "the same cluster")]
        good = good.replace("warm_up = 0", "warm_up = 0\nrestart = \"first.h5\"")
        for old, new, *parts in cases:
            text = good.replace("restart = \"first.h5\"\n", "") if "restart" in new else good
            done = self.blockyard(text.replace(old, new))
            self.assertEqual(done.returncode, 1, new + done.stdout + done.stderr)
            self.assertEqual(done.stderr.count("error: "), 1, done.stderr)
            for part in parts:
                self.assertIn(part, done.stderr)
        self.assertFalse((self.folder / "job.h5").exists())


if __name__ == "__main__":
    unittest.main()
