#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Super instructions with a device form: the same numbers as on the host, whatever the device does."""

import itertools
import json
import os
import re
import subprocess
import unittest

import common
from common import SAME_HARTREE, job_file

KINDS = ["sim"] + (["opencl"] if os.environ.get("HAS_OPENCL") == "1" else [])
FORMS = os.environ["SUPER_FORMS"]

# A block made by one super instruction and changed by another, both with device forms.
OWN = common.program("own")
# Blocks multiplied by their differences of orbital energies, and divided by them again.
ENERGIES = common.program("energies")


def numbers(text):
    return [float(number) for number in re.findall(r"=\s*(-?[\d.]+(?:[eE][-+]?\d+)?)", text)]


class DeviceForms(common.MoleculeTest):
    def device_calls(self, *arguments):
        """Output, and by super instruction the calls in all and those on a device."""
        done = self.run_well("run", *arguments, "--report", "report.json")
        uses = {}
        for program in json.loads((self.folder / "report.json").read_text())["programs"]:
            for worker in program["workers"]:
                for name, use in worker["super_instructions"].items():
                    calls, on_device = uses.get(name, (0, 0))
                    uses[name] = (calls + use["calls"], on_device + use["device_calls"])
        return done.stdout, uses

    def assert_close(self, text, reference):
        self.assertEqual(len(numbers(text)), len(numbers(reference)), text)
        self.assertGreater(len(numbers(text)), 0, text)
        for one, other in zip(numbers(text), numbers(reference)):
            self.assertAlmostEqual(one, other, delta=1e-9 * max(1, abs(other)))

    def test_denominators_of_coupled_cluster_run_where_the_amplitudes_are(self):
        path = self.write("job.toml", job_file(self.entry("h2o_crawford", "sto-3g"), "ccsd"))
        host = self.results_of("run", path, "--device", "none")
        for kind, in_place in itertools.product(KINDS, (0, 1)):
            for workers, more in ((1, []), (2, ["--device-memory", "20K"]), (2, ["--device-memory", "1K"]),
                                  (2, ["--placement", "learned", "--device-after", "0s"])):
                with self.subTest(kind=kind, in_place=in_place, more=more):
                    self.run_well("run", path, "-w", workers, "--device", kind, "--device-options",
                                  f"in_place={in_place}", *more, "--json", "results.json", "--report", "report.json")
                    results = json.loads((self.folder / "results.json").read_text())
                    for key in ("mp2", "ccsd"):
                        self.assertAlmostEqual(results["energies"][key], host["energies"][key],
                                               delta=SAME_HARTREE)
                    if more:
                        continue
                    report = json.loads((self.folder / "report.json").read_text())
                    uses = [worker["super_instructions"]["energy_denominator_rhf"] for program in report["programs"]
                            for worker in program["workers"]
                            if "energy_denominator_rhf" in worker["super_instructions"]]
                    self.assertGreater(sum(use["calls"] for use in uses), 10)
                    for use in uses:
                        self.assertEqual(use["device_calls"], use["calls"])

    def test_blocks_are_scaled_by_orbital_energies(self):
        path = self.write("energies.sial", ENERGIES)
        host, uses = self.device_calls(path, "--segments", "moa=2,3,1", "-w", 1, "--device", "none")
        self.assertEqual(uses["energy_numerator_rhf"], (4, 0))
        for kind in KINDS:
            for options in ("in_place=0", "in_place=1") + (("seed=3",) if kind == "sim" else ()):
                text, uses = self.device_calls(path, "--segments", "moa=2,3,1", "-w", 1, "--device", kind,
                                               "--device-options", options)
                self.assert_close(text, host)
                for name in ("numerator", "denominator", "ty_denominator"):
                    self.assertEqual(uses[f"energy_{name}_rhf"], (4, 4), name)

    def own(self, name, *options, runs=None):
        path = self.write("own.sial", OWN.replace("NAME", name))
        arguments = [path, "--super", FORMS, "--set", "start=3", "--segments", "ao=2,3", "-w", 1, *options]
        return (runs or self.device_calls)(*arguments)

    def test_a_form_of_the_users_own_runs_on_devices(self):
        host, _ = self.own("scale", "--device", "none")
        for kind in KINDS:
            text, uses = self.own("scale", "--device", kind)
            self.assert_close(text, host)
            self.assertEqual(uses, {"number": (4, 4), "scale": (8, 8)})
            text, uses = self.own("scale", "--device", kind, "--check")
            self.assert_close(text, host)
            self.assertEqual(uses, {"number": (4, 0), "scale": (8, 0)})

    def test_where_a_device_fails_the_host_form_gives_the_result(self):
        host, _ = self.own("scale", "--device", "none")
        went_on = 0
        for option, in_place in itertools.product(("fail_call", "lose_call", "fail_after"), (0, 1)):
            for at in (2, 5, 9, 14, 20, 27, 35, 60, 90):
                done = self.own("scale", "--device", "sim", "--device-options",
                                f"seed=3 {option}={at} in_place={in_place}",
                                runs=lambda *arguments: self.run_blockyard("run", *arguments))
                with self.subTest(option=option, at=at, in_place=in_place):
                    if done.returncode != 0:
                        self.assert_fails(done, "device")
                        continue
                    self.assert_close(done.stdout, host)
                    went_on += "continues without device" in done.stderr
        self.assertGreater(went_on, 0)

    @unittest.skipUnless("opencl" in KINDS, "no OpenCL")
    def test_two_processes_may_build_the_same_text_at_once(self):
        host, _ = self.own("scale", "--device", "none")
        cache = self.folder / "cache"
        arguments = self.own("scale", "--device", "opencl", "--device-options", f"cache={cache}",
                             runs=lambda *arguments: ["run", *map(str, arguments)])
        both = [subprocess.Popen([common.BLOCKYARD, *arguments], cwd=self.folder, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env={**os.environ, "TMPDIR": str(self.scratch)})
                for _ in range(2)]
        for one in both:
            out, errors = one.communicate(timeout=common.LIMIT_SECONDS)
            self.assertEqual(one.returncode, 0, errors)
            self.assert_close(out, host)
        self.assertTrue(any(cache.iterdir()))

    def test_a_profile_says_how_kernels_are_launched(self):
        for kind in KINDS:
            done = self.own("scale", "--device", kind, "--profile",
                            runs=lambda *arguments: self.run_blockyard("run", *arguments))
            self.assertEqual(done.returncode, 0, done.stderr)
            said = re.search(r"device 0 launches scale: 2\^\d+ elements: groups of \d+, \d+ an item: ", done.stdout)
            self.assertEqual(said is not None, kind == "opencl", done.stdout)

    def test_a_missing_constant_is_reported_as_on_the_host(self):
        path = self.write("own.sial", OWN.replace("NAME", "scale"))
        self.assert_fails(self.run_blockyard("run", path, "--super", FORMS, "--segments", "ao=2,3", "--device", "sim"),
                          "own.sial:12", 'the job must give the int constant "start"')

    def test_a_wrong_form_is_found_by_check(self):
        for kind in KINDS:
            done = self.own("wrong_scale", "--device", kind, "--check",
                            runs=lambda *arguments: self.run_blockyard("run", *arguments))
            self.assert_fails(done, "own.sial:13", "super instruction 'wrong_scale'", "argument 1 ('b')",
                              "element (1,2) is 5 on the device and 30 on the host")

    @unittest.skipUnless("opencl" in KINDS, "no OpenCL")
    def test_a_text_that_does_not_compile_is_reported_with_its_line(self):
        for check in ([], ["--check"]):
            done = self.own("broken_scale", "--device", "opencl", *check,
                            runs=lambda *arguments: self.run_blockyard("run", *arguments))
            self.assertEqual(done.returncode, 1, done.stderr)
            for part in ("own.sial:13", "super instruction 'broken_scale'", "broken_scale:2", "no_such_name"):
                self.assertIn(part, done.stderr)

    def test_what_a_device_cannot_do_the_host_does(self):
        host, _ = self.own("broken_scale", "--device", "none")
        text, uses = self.own("broken_scale", "--device", "sim")  # which has no use for texts
        self.assert_close(text, host)
        self.assertEqual(uses, {"number": (4, 4), "broken_scale": (8, 0)})


if __name__ == "__main__":
    unittest.main()
