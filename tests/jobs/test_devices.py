#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Devices give the same numbers as the host, whatever their memory and whatever fails."""

import json
import os
import unittest

import common
from common import job_file

ALL = common.ENERGIES
SAME_HARTREE = 1e-9
KINDS = ["sim"] + (["opencl"] if os.environ.get("HAS_OPENCL") == "1" else [])


class Devices(common.MoleculeTest):
    def water(self, method="ccsd(t)"):
        return self.write("job.toml", job_file(self.entry("h2o_crawford", "sto-3g"), method))

    def run_with(self, path, *options, workers=1):
        """Results, and the sums of what the devices did."""
        results = self.results_of("run", path, "-w", workers, *options)
        counts = {}
        for device in results["devices"]:
            for key, value in device.items():
                if isinstance(value, (int, float)):
                    counts[key] = counts.get(key, 0) + value
        return results, counts

    def assert_same(self, results, host):
        for key in ALL:
            self.assertAlmostEqual(results["energies"][key], host["energies"][key],
                                   delta=SAME_HARTREE, msg=key)

    def test_coupled_cluster_on_devices(self):
        path = self.water()
        host = self.results_of("run", path, "--device", "none")
        self.assertEqual(host["devices"], [])
        for kind in KINDS:
            for workers, more in ((1, []), (3, ["--device-options", "seed=5"] if kind == "sim" else []),
                                  (2, ["--device-memory", "20K"]), (2, ["--device-memory", "1K"]),
                                  (2, ["--placement", "learned"])):
                with self.subTest(kind=kind, workers=workers, options=more):
                    results, counts = self.run_with(path, "--device", kind, *more, workers=workers)
                    self.assert_same(results, host)
                    self.assertEqual(counts["failures"], 0)
                    if "1K" in more:
                        self.assertGreater(counts["fallbacks"], 0)
                    if "20K" in more:
                        self.assertGreater(counts["evictions"], 0)
                    if not more:
                        self.assertGreater(counts["runs"], 1000)
                        self.assertEqual(counts["evictions"] + counts["fallbacks"], 0)

    def test_a_user_without_a_gpu_notices_nothing(self):
        path = self.water("scf")
        done = self.run_well("run", path)
        self.assertNotIn("device", done.stdout + done.stderr)

    def test_intents_save_transfers(self):
        path = self.water("ccsd")
        _, counts = self.run_with(path, "--device", "sim")
        _, naive = self.run_with(path, "--device", "sim", "--without-intents")
        moved = {key: (counts[key], naive[key]) for key in ("copies_to_device", "copies_from_device")}
        saved = 1 - sum(a for a, _ in moved.values()) / sum(b for _, b in moved.values())
        print(f"CCSD of water: {moved}: intents save {100 * saved:.0f} % of the copies; "
              f"{counts['saved_copies']} operands needed none")
        for with_intents, without in moved.values():
            self.assertLess(with_intents, without)

    def test_a_device_that_fails_never_gives_a_wrong_number(self):
        path = self.water("ccsd")
        host = self.results_of("run", path, "--device", "none")
        ended, went_on = 0, 0
        for option in ("fail_call", "lose_call", "fail_after"):
            for at in (1, 7, 100, 600, 2000, 9000, 50000):
                done = self.run_blockyard("run", path, "-w", 1, "--device", "sim", "--device-options",
                                          f"seed=3 {option}={at}", "--json", "-")
                with self.subTest(option=option, at=at):
                    if done.returncode != 0:
                        ended += 1
                        self.assert_fails(done, "device")
                        continue
                    results = json.loads(done.stdout)
                    self.assertAlmostEqual(results["energies"]["ccsd"], host["energies"]["ccsd"],
                                           delta=SAME_HARTREE)
                    failures = sum(device["failures"] for device in results["devices"])
                    self.assertEqual(failures > 0, "goes on without device" in done.stderr)
                    went_on += failures > 0
        print(f"failures: {went_on} runs went on without the device, {ended} ended with an error")
        self.assertGreater(went_on, 6)

    def test_several_devices_share_the_work(self):
        path = self.water("ccsd")
        host = self.results_of("run", path, "--device", "none")
        for kind in KINDS:
            options = ["--device-options", "units=1"] if kind == "opencl" else []
            results = self.results_of("run", path, "-w", 4, "--device", kind, "--devices", 2, *options)
            self.assertAlmostEqual(results["energies"]["ccsd"], host["energies"]["ccsd"],
                                   delta=SAME_HARTREE)
            self.assertEqual(len(results["devices"]), 2)
            for device in results["devices"]:
                self.assertGreater(device["runs"], 100)

    def test_a_device_that_is_not_there(self):
        path = self.water("scf")
        self.assert_fails(self.run_blockyard("run", path, "--device", "abacus"),
                          "no kind of device", code=2)
        self.assert_fails(self.run_blockyard("run", path, "--device", "sim", "--devices", 9), "--devices 9")
        self.assert_fails(self.run_blockyard("run", path, "--device", "sim", "--device-options", "speed=9"),
                          "unknown option 'speed=9'")


if __name__ == "__main__":
    unittest.main()
