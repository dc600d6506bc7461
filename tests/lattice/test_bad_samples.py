#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`blockyard accumulate` with options and files that cannot be: one message each, and no output.

The environment: BLOCKYARD. BLOCKYARD_MUTATIONS: how many damaged files are tried.
"""

import json
import os
import pathlib
import unittest

import h5py
import numpy as np
import samples
from accumulating import AccumulateTest

MUTATIONS = int(os.environ.get("BLOCKYARD_MUTATIONS", "12"))


class BadInput(AccumulateTest):
    def setUp(self):
        super().setUp()
        self.problem = samples.Problem((2, 2), 1, 2.0, 2, 1, [(0, 0)]).band_g0()
        self.samples = [self.problem.draw(np.random.default_rng(1), (2, 3), sign) for sign in (1, -1, 1, -1)]
        self.path = self.problem.write(self.folder / "samples.h5", self.samples)

    def refused(self, *parts, arguments=(), code=1, path=None):
        done = self.blockyard(path or self.path, "-o", "g4.h5", "-w", 2, *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("error: ") if code == 1 else 1, 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertFalse((self.folder / "g4.h5").exists())
        self.assertEqual([p.name for p in self.folder.iterdir() if "g4" in p.name], [])

    def changed(self, change):
        with h5py.File(self.path, "a") as file:
            change(file)

    def test_options_that_do_not_fit(self):
        self.refused("a ring of 3 ranks does not fit 2 ranks", arguments=["--ring", "3"])
        self.refused("did you mean 'ph_charge'", arguments=["--channels", "ph_chrge"], code=2)
        self.refused("does not fit 2 ranks", "give each rank", arguments=["--memory", "20K"])
        self.refused("too few for 9 bins", arguments=["--bins", "9"])
        self.refused("--bound", arguments=["--sums", "exact", "--bound", "1e-9"])
        self.refused("--bound", arguments=["--sums", "exact", "--bound", "1e-9", "--device", "host"])
        self.refused("--bound nan: must be a number above 0", arguments=["--bound", "nan"], code=2)
        self.refused("device 'hst'", "did you mean 'host'", arguments=["--device", "hst"])
        self.refused("does not fit 2 ranks", arguments=["--device", "sim", "--device-memory", "20K"])
        self.refused("--device-memory", arguments=["--device", "sim", "--device-memory", "abc"], code=2)

    def test_sums_that_cannot_be_divided_are_kept(self):
        random = np.random.default_rng(1)
        self.problem.write(self.path, [self.problem.draw(random, (2, 3), sign) for sign in (1, -1, 1, -1)])
        found = []
        for arguments in ([], ["--normalise", "--bins", 2], ["--normalise", "--parts"]):
            done = self.blockyard(self.path, "-o", "g4.h5", "-w", 2, "--sums", "exact", *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("zero within its error" in done.stderr, bool(arguments), done.stderr)
            with h5py.File(self.folder / "g4.h5") as file:
                self.assertEqual((file.attrs["normalised"], "G_error" in file), (0, False))
                found.append([file["G"][...], file["G4/ph_charge"][...]])
        for other in found[1:]:
            for a, b in zip(found[0], other):
                self.assertLess(abs(a - b).max(), 1e-12 * abs(a).max())

    def test_what_is_read_is_not_written_over(self):
        before = pathlib.Path(self.path).read_bytes()
        for options in (["-o", self.path], ["-o", "g4.h5", "--json", self.path], ["-o", "g4.h5", "--report", "g4.h5"]):
            self.assertEqual(self.blockyard(self.path, "-w", 1, *options).returncode, 1)
            self.assertEqual(pathlib.Path(self.path).read_bytes(), before)

    def test_a_name_that_is_not_utf8_loses_no_results(self):
        path = self.folder / os.fsdecode(b"sam\xffples.h5")
        os.rename(self.path, path)
        done = self.blockyard(path, "-o", "g4.h5", "-w", 2, "--json", "out.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((self.folder / "out.json").read_text())["samples"], 4)

    def test_what_a_file_lacks(self):
        self.refused("is not an HDF5 file", path=__file__)
        self.refused("samples.h5: g0", path=self.copy(lambda f: f.__delitem__("g0")))
        self.refused("'beta' is missing", path=self.copy(lambda f: f.attrs.__delitem__("beta")))
        self.refused("not 'blockyard samples 1'",
                     path=self.copy(lambda f: f.attrs.__setitem__("format", "blockyard samples 9")))

    def test_values_that_cannot_be(self):
        def momenta(file):
            file["exchange_momenta"][0] = [0, 0]
            file["momenta"][1] = file["momenta"][0]

        def matrix(file):
            file["samples/2/m_1"][1, 0] = np.nan

        def site(file):
            vertices = file["samples/3/vertices_0"][...]
            vertices["site"][1] = 7
            file["samples/3/vertices_0"][...] = vertices

        def size(file):
            del file["samples/1/m_0"]
            file["samples/1/m_0"] = np.zeros((2, 3))

        self.refused("twice in the cluster", path=self.copy(momenta))
        self.refused("samples/2", "element (0, 1)", "not finite", path=self.copy(matrix))
        self.refused("samples/3", "vertex 1 of spin 0 has site 7 of 4", path=self.copy(site))
        self.refused("samples/1/m_0", "2 x 3", "2 x 2", path=self.copy(size))
        self.refused("frequencies", path=self.copy(lambda f: f.attrs.__setitem__("frequencies", -1)))
        self.refused("g0", path=self.copy(lambda f: f.attrs.__setitem__("frequencies", 12000)))
        self.refused("g0", "it has 4 frequencies", "exchange_frequencies = 3 take 8",
                     path=self.copy(lambda f: f.attrs.__setitem__("exchange_frequencies", 3)))

        def twice(file):
            del file["exchange_momenta"]
            file["exchange_momenta"] = np.array([[0, 1], [2, 3]])

        self.refused("the exchange momentum (2, 3) is (0, 1)", "remove one", path=self.copy(twice))

        def green(file):
            del file["samples/1"]
            file.create_group("samples/1").attrs["sign"] = [1.0, 0.0]
            file["samples/1/g"] = np.zeros((3, 4, 4, 4, 2, 1, 1), complex)

        self.refused("samples/1/g", "3 x 4 x 4", "4 x 4 x 4", path=self.copy(green))
        self.refused("samples/1", "use --travel g", path=self.copy(green), arguments=["--travel", "sample"])

        def sign(file):
            file["samples/2"].attrs["sign"] = [np.nan, 0.0]

        self.refused("samples/2", "sign", path=self.copy(sign))
        self.refused("samples/1 is missing", path=self.copy(lambda f: f.__delitem__("samples/1")))

    def copy(self, change):
        path = self.folder / "changed" / "samples.h5"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(pathlib.Path(self.path).read_bytes())
        with h5py.File(path, "a") as file:
            change(file)
        return str(path)

    def test_files_that_end_early_are_refused(self):
        whole = pathlib.Path(self.path).read_bytes()
        path = self.folder / "damaged.h5"
        for length in np.random.default_rng(3).integers(1, len(whole), 12):
            path.write_bytes(whole[:length])
            done = self.blockyard(path, "-o", "g4.h5", "-w", 1)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("damaged.h5", done.stderr)
            self.assertFalse((self.folder / "g4.h5").exists())

    def test_files_with_wrong_bytes_are_read_or_refused(self):
        """HDF5 has crashed on such files; a child process reads them first."""
        whole = bytearray(pathlib.Path(self.path).read_bytes())
        path = self.folder / "damaged.h5"
        for seed in range(MUTATIONS):
            random = np.random.default_rng(seed)
            content = bytearray(whole)
            # Descriptions of objects, which are at many places, not only their contents.
            for at in random.integers(0, len(whole), random.integers(1, 40)):
                content[at] = random.choice([0, 1, 127, 128, 255, content[at] ^ 1 << random.integers(8)])
            path.write_bytes(content)
            with self.subTest(seed=seed):
                done = self.blockyard(path, "-o", "g4.h5", "-w", 1, "--quiet")
                self.assertIn(done.returncode, (0, 1), done.stderr)
                if done.returncode == 1:
                    self.assertIn("damaged.h5", done.stderr)
                    self.assertEqual(done.stderr.count("error: "), 1, done.stderr)
                    self.assertFalse((self.folder / "g4.h5").exists())
                (self.folder / "g4.h5").unlink(missing_ok=True)


if __name__ == "__main__":
    unittest.main()
