#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`blockyard accumulate`: agreement with formulae and with reference arrays, in every layout.

The environment: BLOCKYARD, MPIEXEC (empty: no MPI), HAS_OPENCL (1: there is its plug-in), and BLOCKYARD_DCA_G4, the folder of the reference arrays; without
it the tests that need them are skipped.
"""

import fcntl
import itertools
import json
import os
import subprocess
import unittest

import h5py
import numpy as np
import samples
from accumulating import BLOCKYARD, MPIEXEC, AccumulateTest

REFERENCES = os.environ.get("BLOCKYARD_DCA_G4", "")
LIMIT = 1e-12  # of the largest value
LIMIT_SINGLE = 5e-7
DEVICES = [("host", ""), ("sim", "seed=0"), ("sim", "seed=3")]
DEVICES += [("opencl", "")] if os.environ.get("HAS_OPENCL") == "1" else []


def error(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


def pp_of(problem, g, sign):
    """G4 of pp_up_down by its formula, in the order of the file; g as Problem.green() gives it."""
    nw, off = problem.compact, problem.exchange - 1
    lengths = np.array(problem.lengths)
    index = {tuple(k % lengths): i for i, k in enumerate(problem.momenta)}
    out = np.zeros((problem.exchange, len(problem.exchange_momenta), nw, len(problem.sites), nw, len(problem.sites)) +
                   (problem.bands,) * 4, complex)
    w = np.arange(nw)
    for nu in range(problem.exchange):
        for n, q in enumerate(problem.exchange_momenta):
            turned = [index[tuple((q - k) % lengths)] for k in problem.momenta]
            back = nu + nw - 1 - w + off
            first = g[np.ix_(w + off, w + off)]
            second = g[np.ix_(back, back, turned, turned)]
            for s in range(2):
                # H(a, b) is the stored G(b, a): first by (w2 w1 k2 k1 b1 b3), second by (.. b2 b4)
                out[nu, n] += sign / 2 * np.einsum("vwlkac,vwlkbd->vlwkdcba", first[:, :, :, :, s],
                                                   second[:, :, :, :, 1 - s])
    return out


class Drawn(AccumulateTest):
    """Samples that differ in everything, on a cluster of 3 x 2 sites; some have no vertices."""

    def setUp(self):
        super().setUp()
        random = np.random.default_rng(5)
        self.problem = samples.Problem((3, 2), 1, 2.5, 4, 2, [(0, 0), (1, 1)]).band_g0()
        signs = [1, -1, 1, np.exp(0.4j), 1, 1, 1, 1, 1]
        self.samples = [self.problem.draw(random, (n % 4, (2 * n) % 5), sign) for n, sign in enumerate(signs)]
        self.path = self.problem.write(self.folder / "samples.h5", self.samples)
        greens = [self.problem.green(sample) for sample in self.samples]
        self.expected = sum(pp_of(self.problem, g, s["sign"]) for g, s in zip(greens, self.samples))
        self.greens = greens

    def check(self, found, limit=LIMIT):
        self.assertLess(error(found["pp_up_down"], self.expected), limit)
        self.assertLess(error(found["ph_up_up"] - found["ph_up_down"], found["ph_magnetic"]), limit)
        self.assertLess(error(found["ph_up_up"] + found["ph_up_down"], found["ph_charge"]), limit)

    def test_every_number_of_ranks_gives_the_same_bits(self):
        exact = ["--sums", "exact"]
        one, report = self.accumulate(self.path, "-w", 1, *exact)
        self.check(one)
        normalised = [self.accumulate(self.path, "-w", ranks, "--ring", 1, "--normalise", *exact)[0] for ranks in (1, 6)]
        for name in one:
            if name != "errors":
                self.assertTrue(np.array_equal(normalised[0][name], normalised[1][name]), name)
        self.assertEqual(report["samples"], len(self.samples))
        for ranks, options in [(2, ["--ring", "2"]), (3, ["--ring", "3", "--route", "direct"]),
                               (4, ["--ring", "2", "--lanes", "2", "--direction", "both"]),
                               (5, ["--ring", "2", "--slots", "2"]), (5, ["--ring", "1"]), (7, ["--ring", "2", "--travel", "g"]),
                               (4, ["--ring", "4", "--travel", "g", "--route", "direct"])]:
            with self.subTest(ranks=ranks, options=options):
                found, report = self.accumulate(self.path, "-w", ranks, *exact, *options)
                for name in one:
                    if name != "errors":
                        self.assertTrue(np.array_equal(found[name], one[name]), name)
                self.assertEqual(sum(r["given"] for r in report["ring"]["ranks"]), len(self.samples))

    def test_sums_of_doubles_agree(self):
        found, _ = self.accumulate(self.path, "-w", 4, "--ring", 3)
        self.check(found)

    def test_four_rings_or_more_are_bins(self):
        """A rank gives successive samples and is a ring: the bins that --bins makes."""
        for ranks in (4, 5):
            expected, _ = self.accumulate(self.path, "-w", 1, "--bins", ranks, "--normalise")
            found, report = self.accumulate(self.path, "-w", ranks, "--ring", 1, "--normalise")
            self.assertEqual({rank["slice_bytes"] for rank in report["ring"]["ranks"]}, {report["ring"]["slice_bytes"]})
            for name, errors in expected["errors"].items():
                self.assertLess(error(found[name], expected[name]), LIMIT, name)
                self.assertLess(error(found["errors"][name], errors), LIMIT, name)
        self.assertTrue(expected["errors"])
        for options in (["-w", 3, "--ring", 1], ["-w", 8, "--ring", 3], ["-w", 4, "--ring", 1, "--sums", "exact"]):
            self.assertEqual(self.accumulate(self.path, *options, "--normalise")[0]["errors"], {})
        pairs, _ = self.accumulate(self.path, "-w", 9, "--ring", 2, "--normalise")  # four rings, one of three ranks
        self.assertEqual(set(pairs["errors"]), set(expected["errors"]))
        for name in expected["errors"]:
            self.assertLess(error(pairs[name], expected[name]), LIMIT, name)

    def test_sums_can_be_normalised_afterwards(self):
        """Also where |f| is not 1."""
        weights = [1, 0.1, 1, 0.5, 2]
        path = self.problem.write(self.folder / "weights.h5",
                                  [dict(s, sign=f * s["sign"]) for f, s in zip(weights, self.samples)])
        expected, _ = self.accumulate(path, "--normalise")
        found, _ = self.accumulate(path)
        with h5py.File(self.folder / "g4.h5") as file:
            self.assertAlmostEqual(file["weight"][()], sum(map(abs, weights)))
            total = file["sign"][()] * file["weight"][()]
        self.assertLess(error(found["pp_up_down"] / (self.problem.beta**2 * total), expected["pp_up_down"]), LIMIT)
        self.assertLess(error(found["G"] / total, expected["G"]), LIMIT)

    def test_successive_samples_share_a_bin(self):
        """A chain that stays three samples in one state and three in another is as good as two independent samples."""
        one, other = self.samples[3], self.samples[4]
        for name, chain in (("slow", [one] * 3 + [other] * 3), ("fast", [one, other] * 3)):
            path = self.problem.write(self.folder / f"{name}.h5", chain)
            found, _ = self.accumulate(path, "-w", 2, "--bins", 2, "--normalise")
            largest = np.abs(found["errors"]["pp_up_down"]).max() / np.abs(found["pp_up_down"]).max()
            if name == "slow":
                self.assertGreater(largest, 0.01)
            else:  # two samples of one bin, one of the other: half as far
                self.assertGreater(largest, 0.001)

    def test_the_report_has_lanes_and_memory_by_purpose(self):
        _, report = self.accumulate(self.path, "-w", 3, "--ring", 3, "--lanes", 2)
        for rank in report["ring"]["ranks"]:
            self.assertEqual(len(rank["lanes"]), 2)
            for key in ("given", "applied", "sent", "sent_bytes"):
                self.assertEqual(sum(lane[key] for lane in rank["lanes"]), rank[key])
            self.assertEqual(rank["slice_bytes"] + rank["items_bytes"] + rank["tiles_bytes"], rank["peak_bytes"])
            self.assertGreater(rank["tiles_bytes"], 0)

    def test_devices_agree_with_the_host(self):
        """sim does its work in a drawn order, as late as it may, so that work that does not wait shows."""
        arguments = ["--normalise", "--bins", 3]
        expected, _ = self.accumulate(self.path, "-w", 1, *arguments)
        for kind, options in DEVICES:
            device = ["--device", kind, "--device-options", options]
            for travel in ("sample", "g"):
                with self.subTest(kind=kind, options=options, travel=travel):
                    found, report = self.accumulate(self.path, "-w", 3, "--ring", 3, "--travel", travel, *device,
                                                    *arguments)
                    self.assertNotEqual(report["ring"]["device"], "none")
                    for rank in report["ring"]["ranks"]:
                        self.assertGreater(rank["device_slots_bytes"], 0)  # items come to the device
                    for name, errors in expected["errors"].items():
                        self.assertLess(error(found[name], expected[name]), LIMIT, name)
                        self.assertLess(error(found["errors"][name], errors), 1e-10, name)

    def test_a_slow_device_has_a_smaller_slice(self):
        expected, _ = self.accumulate(self.path, "-w", 1, "--device", "sim", "--sums", "exact")
        found, report = self.accumulate(self.path, "-w", 2, "--ring", 2, "--sums", "exact", "--device", "sim",
                                        "--device-options", "slow=10000")  # device 1, at every piece of work
        for name in expected:
            if name != "errors":
                self.assertTrue(np.array_equal(found[name], expected[name]), name)
        fast, slow = (rank["slice_bytes"] for rank in report["ring"]["ranks"])
        self.assertGreater(fast, slow)

    def test_a_device_gives_the_same_bits_in_every_layout(self):
        for kind, options in DEVICES:
            device = ["--sums", "exact", "--device", kind, "--device-options", options]
            one, _ = self.accumulate(self.path, "-w", 1, *device)
            self.check(one)
            found, _ = self.accumulate(self.path, "-w", 4, "--ring", 2, *device)
            for name in one:
                if name != "errors":
                    self.assertTrue(np.array_equal(found[name], one[name]), (kind, name))

    def memory_for_rings_of_two(self, option="--memory", *arguments):
        """KiB of a rank that holds half of the array, but not all of it."""
        memory = 2 ** 16
        while self.accumulate(self.path, "-w", 2, option, f"{2 * memory}K", *arguments)[1]["ring"]["size"] < 2:
            memory = memory * 4 // 5
        return memory

    @unittest.skipUnless(MPIEXEC, "no MPI")
    def test_processes_with_unequal_memory_choose_the_same_ring(self):
        little = self.memory_for_rings_of_two()
        expected, _ = self.accumulate(self.path, "-w", 2, "--sums", "exact")
        for sizes in ((little, 2 ** 24), (2 ** 24, little)):
            parts = [[BLOCKYARD, "accumulate", self.path, "-o", "g4.h5", "--json", "out.json", "--sums", "exact",
                      "--memory", f"{size}K"] for size in sizes]
            done = subprocess.run([MPIEXEC, "-n", "1", *parts[0], ":", "-n", "1", *parts[1]], cwd=self.folder, text=True,
                                  capture_output=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(json.loads((self.folder / "out.json").read_text())["ring"]["size"], 2)
            with h5py.File(self.folder / "g4.h5") as file:
                self.assertTrue(np.array_equal(file["G4/ph_charge"][...], expected["ph_charge"]))

    @unittest.skipUnless(MPIEXEC, "no MPI")
    def test_processes_share_a_device(self):
        device = ["--device", "host"]
        memory = self.memory_for_rings_of_two("--device-memory", *device)
        _, report = self.accumulate(self.path, *device, "--device-memory", f"{2 * memory}K", processes=2)
        self.assertEqual(report["ring"]["size"], 2)

    @unittest.skipUnless(MPIEXEC, "no MPI")
    def test_processes_give_the_same_bits(self):
        one, _ = self.accumulate(self.path, "-w", 1, "--sums", "exact")
        for processes in (1, 2, 4):
            found, report = self.accumulate(self.path, "--sums", "exact", "--ring", processes, processes=processes)
            self.assertTrue(np.array_equal(found["ph_charge"], one["ph_charge"]))
            self.assertEqual(len(report["ring"]["ranks"]), processes)

    def test_single_precision_travels(self):
        for travel in ("sample", "g"):
            found, _ = self.accumulate(self.path, "-w", 3, "--ring", 3, "--element", "c64", "--travel", travel)
            self.check(found, LIMIT_SINGLE)
            found, _ = self.accumulate(self.path, "-w", 3, "--ring", 3, "--element", "c64", "--travel", travel,
                                       "--route", "direct", "--device", "sim", "--device-options", "seed=3")
            self.check(found, LIMIT_SINGLE)

    def test_recorded_greens_functions_are_samples_too(self):
        path = self.problem.write(self.folder / "greens.h5",
                                  [{"sign": s["sign"], "g": g} for s, g in zip(self.samples, self.greens)])
        found, _ = self.accumulate(path, "-w", 3, "--ring", 3, "--travel", "g")
        self.check(found)
        # Some of either kind, vertices first: the Green's function of each travels, on a device too.
        path = self.problem.write(self.folder / "mixed.h5", [{"sign": s["sign"], "g": g} if n % 3 == 1 else s
                                                             for n, (s, g) in enumerate(zip(self.samples, self.greens))])
        for device in ([], ["--device", "sim"]):
            found, report = self.accumulate(path, "-w", 3, "--ring", 3, *device)
            self.assertEqual(report["ring"]["travel"], "g")
            self.check(found)

    def test_normalises_and_gives_errors(self):
        found, _ = self.accumulate(self.path, "-w", 3, "--ring", 3, "--normalise", "--bins", 3)
        signs = np.array([s["sign"] for s in self.samples])
        total = signs.sum()
        beta = self.problem.beta
        self.assertLess(error(found["pp_up_down"], self.expected / (beta**2 * total)), LIMIT)
        parts = [pp_of(self.problem, g, s["sign"]) for g, s in zip(self.greens, self.samples)]
        whole = self.expected / (beta**2 * total)
        bins = [slice(first, first + 3) for first in range(0, 9, 3)]  # of successive samples
        left = [(self.expected - sum(parts[b])) / (beta**2 * (total - signs[b].sum())) - whole for b in bins]
        expected = np.sqrt(2 / 3 * sum(x.real**2 for x in left))
        self.assertLess(error(found["errors"]["pp_up_down"].real, expected), 1e-10)
        g = sum(s["sign"] * np.einsum("wwkksba->wksba", g) for g, s in zip(self.greens, self.samples))
        self.assertLess(error(found["G"], g / (beta * total)), LIMIT)


    def test_slices_in_files_of_their_own_read_as_one(self):
        arguments = ["--normalise", "--bins", 3, "--sums", "exact"]
        one, _ = self.accumulate(self.path, "-w", 1, *arguments)
        for processes, ranks in ((0, 3), (2, 2)) if MPIEXEC else ((0, 3),):
            for _ in range(2):  # over an older result, whose parts go
                found, _ = self.accumulate(self.path, "-w", ranks // max(1, processes), "--ring", ranks, "--parts",
                                           *arguments, processes=processes)
                for name in one:
                    if name != "errors":
                        self.assertTrue(np.array_equal(found[name], one[name]), name)
                for name, errors in one["errors"].items():
                    self.assertTrue(np.array_equal(found["errors"][name], errors), name)
                self.assertEqual(len(list((self.folder / "g4.h5.parts").iterdir())), ranks)

    def test_files_of_others_among_the_parts_stay(self):
        folder = self.folder / "g4.h5.parts"
        older = folder / "0123456789abcdef-0.h5"
        others = ["notes.txt", "0123456789abcdef.h5", "0123456789abcdef-x.h5", "0123456789abcdef-0.h5.old", "kept"]
        folder.mkdir()
        older.touch()
        for name in others[:-1]:
            (folder / name).touch()
        (folder / others[-1]).mkdir()
        self.accumulate(self.path, "-w", 2, "--parts")
        self.assertEqual([name for name in others if not (folder / name).exists()], [])
        self.assertFalse(older.exists())

    def test_two_runs_do_not_write_the_parts_of_one_result(self):
        found, _ = self.accumulate(self.path, "-w", 2, "--ring", 2, "--parts", "--sums", "exact")
        before = sorted(self.folder.rglob("*"))
        with (self.folder / "g4.h5.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            done = self.blockyard(self.path, "-o", "g4.h5", "-w", 3, "--parts")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("writes g4.h5 in parts", done.stderr)
        (self.folder / "g4.h5.lock").unlink()
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        again, _ = self.accumulate(self.path, "-w", 3, "--ring", 3, "--parts", "--sums", "exact")
        self.assertTrue(np.array_equal(again["pp_up_down"], found["pp_up_down"]))

    def test_symmetrises(self):
        problem = samples.Problem((2, 2), 1, 2.5, 2, 2, [(0, 0), (0, 1), (1, 0)]).band_g0()
        random = np.random.default_rng(9)
        path = problem.write(self.folder / "square.h5", [problem.draw(random, (3, 2), sign) for sign in (1, -1, 1)])
        plain, _ = self.accumulate(path, "-w", 1)
        found, _ = self.accumulate(path, "-w", 2, "--ring", 2, "--symmetrise")
        for name in ("pp_up_down", "ph_charge"):
            expected = self.symmetrised(problem, plain[name])
            self.assertGreater(error(plain[name], expected), 1e-3)
            self.assertLess(error(found[name], expected), LIMIT, name)

    @staticmethod
    def symmetrised(problem, g4):
        """Over the eight operations of the square and, for nu = 0, conjugation; all images of the exchange momenta are
        there."""
        index = {tuple(k): i for i, k in enumerate(problem.momenta)}
        lengths = np.array(problem.lengths)
        transfers = [index[tuple(q)] for q in problem.exchange_momenta]
        total = np.zeros_like(g4)
        for x, y, swaps in np.ndindex(2, 2, 2):
            images = [(k * [1 - 2 * x, 1 - 2 * y])[::-1 if swaps else 1] for k in problem.momenta]
            to = [index[tuple(k % lengths)] for k in images]
            q = [transfers.index(to[k]) for k in transfers]
            total += g4[:, q][:, :, :, to][:, :, :, :, :, to] / 8  # nu q w2 k2 w1 k1
        minus = [index[tuple(-k % lengths)] for k in problem.momenta]
        q = [transfers.index(minus[k]) for k in transfers]
        turned = total[:1, q][:, :, ::-1][:, :, :, minus][:, :, :, :, ::-1][:, :, :, :, :, minus]
        total[:1] = (total[:1] + turned.conj()) / 2
        return total

    def test_what_has_fewer_bytes_travels(self):
        _, report = self.accumulate(self.path, "-w", 2, "--ring", 2)
        self.assertEqual(report["ring"]["travel"], "sample")
        problem = samples.Problem((1, 1), 1, 2.5, 1, 1, [(0, 0)]).band_g0()
        path = problem.write(self.folder / "many.h5", [problem.draw(np.random.default_rng(1), (20, 20), 1)])
        _, report = self.accumulate(path, "-w", 1)
        self.assertEqual(report["ring"]["travel"], "g")


@unittest.skipUnless(REFERENCES, "BLOCKYARD_DCA_G4 does not name the folder of the reference arrays")
class Reference(AccumulateTest):
    def compare(self, name, *arguments, limit=LIMIT, processes=0):
        problem, sample, g, g4 = samples.reference(REFERENCES, name)
        path = problem.write(self.folder / "samples.h5", [sample])
        found, _ = self.accumulate(path, *arguments, processes=processes)
        self.assertLess(error(found["pp_up_down"], g4), limit)
        self.assertLess(error(found["G"], np.einsum("wwkksba->wksba", g) / problem.beta), limit)
        self.assertLess(error(found["ph_up_up"] - found["ph_up_down"], found["ph_magnetic"]), limit)

    def test_agrees_for_every_number_of_ranks(self):
        for name, most in (("sq4x4", 7), ("bil2x2", 4)):
            for ranks in range(1, most + 1):
                for travel in ("sample", "g"):
                    with self.subTest(name=name, ranks=ranks, travel=travel):
                        self.compare(name, "-w", ranks, "--ring", ranks, "--travel", travel)
        for ranks, size in ((5, 2), (7, 3)):
            with self.subTest(ranks=ranks, size=size):
                self.compare("bil2x2", "-w", ranks, "--ring", size)

    def test_agrees_on_devices(self):
        for name in ("sq4x4", "bil2x2"):
            for (kind, options), travel in itertools.product(DEVICES, ("sample", "g")):
                with self.subTest(name=name, kind=kind, options=options, travel=travel):
                    self.compare(name, "-w", 3, "--ring", 3, "--travel", travel, "--device", kind, "--device-options",
                                 options)

    def test_agrees_with_single_precision(self):
        for travel in ("sample", "g"):
            self.compare("bil2x2", "-w", 2, "--ring", 2, "--element", "c64", "--travel", travel, limit=LIMIT_SINGLE)

    @unittest.skipUnless(MPIEXEC, "no MPI")
    def test_agrees_over_mpi(self):
        for processes in (1, 2, 3, 4):
            self.compare("bil2x2", "--ring", processes, processes=processes)


if __name__ == "__main__":
    unittest.main()
