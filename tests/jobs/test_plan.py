#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""blockyard plan against what a run counts; blockyard calibrate; their errors."""

import json
import unittest

import common

JOB = common.WATER + """
[basis]
name = "cc-pvdz"
[method]
name = "ccsd"
"""

LARGE = """
[molecule]
geometry = \"\"\"
%s
\"\"\"
[basis]
name = "cc-pvdz"
[method]
name = "ccsd"
""" % "\n".join(f"He 0 0 {3 * k}" for k in range(50))


class PlanTest(common.JobTest):
    def plan(self, *arguments):
        return json.loads(self.run_well("plan", *arguments, "--json", "-").stdout)

    def iterations_of(self, results):
        return [f"--iterations={name}_rhf={count}"
                for name, count in results["iterations"].items()]

    def run_and_plan(self, *arguments, job=JOB):
        """(programs of the plan, programs of the report): the same iterations in both."""
        job = self.write("water.toml", job)
        report = self.folder / "report.json"
        # A prefetched block counts as a hit: a plan counts what stayed from earlier.
        results = self.results_of("run", job, *arguments, "--prefetch", "0", "--report",
                                  str(report))
        plan = self.plan(job, *arguments, "--no-segments", *self.iterations_of(results))
        return plan, json.loads(report.read_text(encoding="utf-8"))

    def assert_same_work(self, plan, report, keys):
        self.assertEqual([program["name"] for program in plan["programs"]],
                         [program["name"] for program in report["programs"]])
        for planned, counted in zip(plan["programs"], report["programs"]):
            for key in keys:
                total = sum(worker[key] for worker in counted["workers"])
                self.assertEqual(planned["work"][key], total, (planned["name"], key))

    def test_a_plan_counts_what_a_run_on_one_worker_counts(self):
        plan, report = self.run_and_plan("-w", "1", "--memory", "1G")
        self.assert_same_work(plan, report,
                              ["flops", "iterations", "block_operations", "gets", "cache_hits"])
        moved = sum(program["work"]["local_bytes"] for program in plan["programs"])
        counted = sum(worker["bytes_received"] + worker["bytes_sent"]
                      for program in report["programs"] for worker in program["workers"])
        self.assertEqual(moved, counted)

    def test_a_plan_counts_what_a_run_on_three_workers_counts(self):
        plan, report = self.run_and_plan("-w", "3", "--memory", "1G")
        self.assert_same_work(plan, report, ["flops", "iterations", "block_operations", "gets"])

    def test_a_plan_says_what_a_run_in_little_memory_spills(self):
        job = JOB.replace("cc-pvdz", "cc-pvtz").replace("ccsd", "mp2")
        plan, report = self.run_and_plan("-w", "1", "--memory", "40M", job=job)
        self.assertFalse(plan["fits"])
        server = report["servers"][0]
        self.assertGreater(server["spilled_bytes"], 0)
        for key in ("spilled_bytes", "read_back_bytes"):
            self.assertAlmostEqual(plan["work"][key] / server[key], 1, delta=0.3, msg=key)

    def test_a_run_that_needs_the_disk_warns_at_its_start(self):
        job = self.write("water.toml", JOB.replace("cc-pvdz", "cc-pvtz").replace("ccsd", "mp2"))
        done = self.run_well("run", job, "-w", "1", "--memory", "40M")
        self.assertIn("warning: arrays take about", done.stderr)
        self.assertIn("the rest goes to disk; `blockyard plan` says how much is written", done.stderr)
        self.assertEqual(self.run_well("run", job, "-w", "1", "--memory", "1G").stderr, "")

    def test_a_large_job_is_sampled_and_says_how_well(self):
        job = self.write("large.toml", LARGE)
        plan = self.plan(job, "-n", "64", "-w", "2", "--memory", "4G", "--no-segments",
                         "--steps", "1e6")
        self.assertTrue(any(program["is_sampled"] for program in plan["programs"]))
        self.assertTrue(all(program["error"] < 0.2 for program in plan["programs"]))
        self.assertGreater(plan["work"]["fabric_bytes"], plan["work"]["local_bytes"])
        self.assertLess(plan["plan_seconds"], 60)

    def test_the_text_names_what_was_assumed_and_the_best_segments(self):
        text = self.run_well("plan", self.write("water.toml", JOB), "--memory", "1G").stdout
        for part in ("12 iterations (set with --iterations)", "everything stays in memory",
                     "this job", "best", "ccsd_rhf", "t2_history"):
            self.assertIn(part, text)

    def test_programs_without_a_molecule_have_plans_too(self):
        text = """sial norm
predefined int norb
aoindex i = 1:norb
distributed d[i,i]
pardo i
  put d[i,i] = 1.0
endpardo i
endsial norm
"""
        plan = self.plan(self.write("norm.sial", text), "--set", "norb=3", "--segments",
                         "ao=4,5,6", "--memory", "64M")
        self.assertEqual(plan["work"]["puts"], 3)
        self.assertEqual(plan["programs"][0]["arrays"][0]["written_bytes"], 8 * (16 + 25 + 36))
        self.assertEqual(plan["segments"], [])

    def test_wrong_use_is_refused(self):
        job = self.write("water.toml", JOB)
        self.assert_fails(self.run_blockyard("plan", job, "--iterations", "many"), "--iterations",
                          code=2)
        self.assert_fails(self.run_blockyard("plan", job, "--memory", "1M"), "too little memory")
        self.assert_fails(self.run_blockyard("plan", job, "--machine", "none.toml"), "none.toml")
        machine = self.write("machine.toml", "fabric_byte = 1e9\n")
        self.assert_fails(self.run_blockyard("plan", job, "--machine", machine), "machine.toml:1",
                          "fabric_bytes")

    def test_calibrate_writes_a_file_that_plan_reads(self):
        self.run_well("calibrate", "-o", "rates/machine.toml")
        plan = self.plan(self.write("water.toml", JOB), "--memory", "1G", "--no-segments",
                         "--machine", "rates/machine.toml")
        self.assertNotIn("assumed", plan["machine"])
        self.assertGreater(plan["seconds"], 0)
        self.assert_fails(self.run_blockyard("calibrate", "-o", "/proc/none/machine.toml"),
                          "/proc/none")


if __name__ == "__main__":
    unittest.main()
