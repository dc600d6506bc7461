#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Limits of the machine are kept, and what is too large for it is refused before it takes anything."""

import json
import os
import pathlib
import resource
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "jobs"))
import common  # pylint: disable=wrong-import-position

SPARSE = common.program("long", __file__)
LONG_SEGMENT = """sial wide
aoindex i = 1:1
static s[i]
temp t[i]
do i
  t[i] = 1.0
  s[i] = t[i]
enddo i
endsial wide
"""
TOO_MANY = """sial beyond
index s = 1:2147483647
index one = 1:1
sparse distributed huge[s,s,s]
temp t[one,one,one]
pardo one
  t[one,one,one] = 1.0
  put huge[one,one,one] = t[one,one,one]
endpardo one
endsial beyond
"""

HYDROGEN = """[molecule]
geometry = '''
H 0 0 0
H 0 0 0.74
'''
[basis]
name = "sto-3g"
[method]
name = "scf"
"""


def on_one_core():
    """In the child: one of the cores that this process may use."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def with_little_address_space():
    """In the child: as `ulimit -v` in a batch system."""
    resource.setrlimit(resource.RLIMIT_AS, (1500 << 20, 1500 << 20))


class Limits(common.JobTest):
    def test_workers_follow_the_affinity_mask(self):
        path = self.write("p.sial", "sial p\nscalar x\nx = 1.0\nendsial p\n")
        report = self.folder / "report.json"
        done = self.run_blockyard("run", path, "--report", report, preexec_fn=on_one_core)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(report.read_text())
        self.assertEqual(found["where"]["workers"], 1)
        self.assertEqual(found["where"]["cores"], 1)

    @unittest.skipIf(common.IS_SANITIZED, "the sanitizer maps more than the limit")
    def test_default_memory_keeps_below_the_limit_of_address_space(self):
        path = self.write("p.sial", "sial p\nscalar x\nx = 1.0\nendsial p\n")
        report = self.folder / "report.json"
        done = self.run_blockyard("run", path, "-w", 1, "--report", report,
                                  preexec_fn=with_little_address_space)
        self.assertEqual(done.returncode, 0, done.stderr)
        decisions = {each["what"]: each for each in json.loads(report.read_text())["decisions"]}
        self.assertIn("ulimit -v", decisions["memory of a process"]["reason"])
        done = self.run_blockyard("run", path, "-w", 1, "--memory", "8G",
                                  preexec_fn=with_little_address_space)
        self.assertIn("warning: 8.0 GiB of memory", done.stderr)

    @unittest.skipIf(common.IS_SANITIZED, "the sanitizer maps more than the limit")
    def test_a_blas_that_gets_no_address_space_does_not_hang(self):
        path = self.write("job.toml", HYDROGEN)
        codes = set()
        for mebibytes in (250, 350, 450, 550, 650, 2500):
            limit = (mebibytes << 20, mebibytes << 20)
            done = self.run_blockyard("run", path, "-w", 2, "--quiet", "--memory", "20M",
                                      preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_AS, limit))
            codes.add(done.returncode)
            if done.returncode != 0:
                self.assert_fails(done, "ulimit -v")
        self.assertEqual(codes, {0, 1})

    @unittest.skipIf(common.IS_SANITIZED, "the sanitizer's frames are larger")
    def test_a_small_stack_is_enough(self):
        path = self.write("job.toml", HYDROGEN)
        done = self.run_blockyard("run", path, "-w", 2, "--quiet",
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (128 << 10, 128 << 10)))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_index_with_many_values_costs_nothing(self):
        path = self.write("long.sial", SPARSE)
        result = self.folder / "result.json"
        done = self.run_blockyard("run", path, "-w", 1, "--memory", "200M", "--segments", "ao=3,4",
                                  "--json", result)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(result.read_text())
        self.assertEqual(found["scalars"]["total"], 2 * 7 * 9.0)
        if not common.IS_SANITIZED:
            self.assertLess(found["peak_rss_bytes"], 300 << 20)

    def test_procs_that_call_others_twice_are_reckoned_once(self):
        procs = [f"proc p{k}\nif x > 1.0\ncall p{k + 1}\nendif\ncall p{k + 1}\nendproc p{k}\n" for k in range(39, -1, -1)]
        path = self.write("calls.sial", "sial calls\nscalar x\nproc p40\nx += 1.0\nendproc p40\n" + "".join(procs) +
                          "call p0\nprint x\nendsial calls\n")
        self.assertIn("x = 1", self.run_well("run", path, "-w", 1).stdout)

    def test_a_segment_longer_than_the_memory_is_refused_with_its_array_and_line(self):
        path = self.write("wide.sial", LONG_SEGMENT)
        done = self.run_blockyard("run", path, "--memory", "1G", "--segments", "ao=1500000000")
        self.assert_fails(done, "too little memory", "largest static array: 's' (", "wide.sial:3)",
                          "of array 't' (", "wide.sial:4)", "--memory")

    def test_more_blocks_than_can_be_numbered_are_refused_with_array_and_line(self):
        path = self.write("beyond.sial", TOO_MANY)
        done = self.run_blockyard("run", path)
        self.assert_fails(done, "beyond.sial:4: array 'huge'", "2^62")

    def test_a_key_of_many_parts_is_refused_with_its_line(self):
        for text in ("a" + ".a" * 50000 + " = 1\n", "[" + "a" + ' . "a"' * 50000 + "]\n"):
            self.write("job.toml", "title = 'x'\n" + text)
            self.assert_fails(self.run_blockyard("run", "job.toml"), "job.toml:2", "dotted parts")

    def test_values_nested_deeply_are_refused_with_their_file(self):
        deep = "[" * 100000 + "]" * 100000
        self.write("deep.json", '{"molecule": {"symbols": ["He"], "geometry": %s}, "model": {}}' % deep)
        self.assert_fails(self.run_blockyard("run", "deep.json"), "deep.json: its JSON is nested too deeply")
        self.write("basis.json", '{"elements": {"1": {"electron_shells": %s}}}' % deep)
        self.write("basis.toml", HYDROGEN.replace('name = "sto-3g"', 'file = "basis.json"'))
        self.assert_fails(self.run_blockyard("run", "basis.toml"), "basis.json", "nested too deeply")
        self.write("job.toml", HYDROGEN)
        key = ".".join(["a"] * 60000)
        self.assert_fails(self.run_blockyard("run", "job.toml", "--set", key + "=1"), "dotted parts")
        self.assert_fails(self.run_blockyard("run", "job.toml", "--set", "molecule.charge={" + key + "=1}"),
                          "molecule.charge=")

    def test_an_angular_momentum_that_no_int_holds_is_refused(self):
        for momentum in ("4294967296", "-1", "18446744073709551615"):
            self.write("basis.json", '{"elements": {"1": {"electron_shells": [{"angular_momentum": [%s],'
                       '"exponents": ["1.0"], "coefficients": [["1.0"]]}]}}}' % momentum)
            self.write("basis.toml", HYDROGEN.replace('name = "sto-3g"', 'file = "basis.json"'))
            self.assert_fails(self.run_blockyard("run", "basis.toml"), momentum + " is not an angular momentum")

    def test_as_many_stray_ends_as_one_likes_are_findings(self):
        path = self.write("stray.sial", "sial stray\n" + "endif\n" * 50000 + "endsial stray\n")
        done = self.run_blockyard("check", path)
        self.assertEqual(done.returncode, 1, done.stderr[-500:])
        self.assertIn("stray.sial:2", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
