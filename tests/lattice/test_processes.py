#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A lattice in two processes, one of which fails or sees other files: the run ends everywhere, with one cause.

The environment: BLOCKYARD, TRIP (tests/faults/trip.c), MPIEXEC (empty: no MPI). A run that hangs is an error after LIMIT_SECONDS.
"""

import os
import subprocess
import unittest

import numpy as np
import samples
from test_hubbard import BLOCKYARD, LIMIT_SECONDS, MPIEXEC, LatticeTest

TRIP = os.environ["TRIP"]

JOB = """{top}
[lattice]
sites = [2, 1]
u = 2.0
beta = 2.0
[method]
{method}
samples = 64
frequencies = 2
[run]
bins = 4
{run}
"""
DCA = 'name = "dca"\niterations = 2\ntolerance = 0\npatch_points = 4\nself_energy_frequencies = 4'


def job(top="", method="", run=""):
    return JOB.format(top=top, method=method, run=run)


@unittest.skipUnless(MPIEXEC, "no MPI")
class Processes(LatticeTest):
    def setUp(self):
        super().setUp()
        for name in ("first", "second"):  # where process 0 and process 1 run
            (self.folder / name).mkdir()

    def write(self, text, *folders):
        for folder in folders:
            (self.folder / folder / "job.toml").write_text(text)

    def run_apart(self, *arguments, of_second=(), output="", **trip):
        """Each of two processes in its folder; `of_second`: more arguments there. `output`: where process 0 prints."""
        redirect = ["sh", "-c", f'exec "$@" > {output}', "sh"] if output else []
        settings = {f"TRIP_{key.upper()}": str(value) for key, value in trip.items()}
        if trip:
            settings["LD_PRELOAD"] = TRIP
        common = [BLOCKYARD, *map(str, arguments)]
        return subprocess.run([MPIEXEC, "-n", "1", "-wdir", self.folder / "first", *redirect, *common, ":", "-n", "1", "-wdir",
                               self.folder / "second", *common, *of_second], text=True, capture_output=True,
                              timeout=LIMIT_SECONDS, env={**os.environ, **settings}, check=False)

    def check_fails(self, done, *parts):
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("error: "), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def check_runs(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue((self.folder / "first/job.h5").exists())
        self.assertEqual(list((self.folder / "second").glob("*.h5")), [])

    def draw(self):
        problem = samples.Problem((2, 1), 1, 2.0, 2, 1, [(0, 0)]).band_g0()
        random = np.random.default_rng(5)
        for folder in ("first", "second"):
            problem.write(self.folder / folder / "samples.h5", [problem.draw(random, (2, 1), 1) for _ in range(4)])

    def test_a_folder_of_results_that_is_not_there(self):
        self.write(job(run='output = "nosuch/o.h5"'), "first", "second")
        self.check_fails(self.run_apart("run", "job.toml"), "nosuch")
        self.draw()
        self.check_fails(self.run_apart("accumulate", "samples.h5", "-o", "nosuch/o.h5"), "nosuch")

    def test_a_full_disk_where_process_0_prints(self):
        for text in (job(top='title = "the title"'), job(method=DCA)):
            self.write(text, "first", "second")
            self.check_fails(self.run_apart("run", "job.toml", output="/dev/full"), "cannot write the output")

    def test_a_self_energy_that_cannot_be_written_after_a_step(self):
        self.write(job(method=DCA), "first", "second")
        done = self.run_apart("run", "job.toml", call="rename", path="job.sigma.h5", at=1, errno=28)
        self.check_fails(done, "job.sigma.h5")

    def test_process_0_alone_reads_jobs_and_self_energies(self):
        self.write(job(method=DCA), "first")
        self.check_runs(self.run_apart("run", "job.toml"))
        (self.folder / "first/job.sigma.h5").rename(self.folder / "first/begin.h5")
        self.write(job(method=DCA + '\nrestart = "begin.h5"'), "first")
        self.check_runs(self.run_apart("run", "job.toml"))
        self.write(job(method=DCA + '\nrestart = "none.h5"'), "first")
        self.check_fails(self.run_apart("run", "job.toml"), "none.h5")
        (self.folder / "first/job.toml").rename(self.folder / "second/job.toml")
        self.check_fails(self.run_apart("run", "job.toml"), "job.toml")

    def test_a_checkpoint_that_one_process_does_not_see(self):
        for method in ("", DCA):
            self.write(job(method=method), "first")
            done = self.run_apart("run", "job.toml", "--checkpoint", "0s", call="rename", path="lattice-", at=1, signal=15)
            self.assertNotEqual(done.returncode, 0)
            self.check_fails(self.run_apart("resume", "job.checkpoint"), "cannot open job.checkpoint/lattice-")
            (self.folder / "first/job.checkpoint").rename(self.folder / "second/job.checkpoint")
            self.check_fails(self.run_apart("resume", "job.checkpoint"), "no complete checkpoint in job.checkpoint")
            (self.folder / "second/job.checkpoint").rename(self.folder / f"saved {len(method)}")

    def test_a_device_that_one_process_cannot_open(self):
        self.write(job(), "first", "second")
        self.draw()
        for command in (["run", "job.toml"], ["accumulate", "samples.h5", "-o", "o.h5"]):
            done = self.run_apart(*command, "--device", "sim", of_second=["--device-options", "nonsense=1"])
            self.check_fails(done, "nonsense")


if __name__ == "__main__":
    unittest.main()
