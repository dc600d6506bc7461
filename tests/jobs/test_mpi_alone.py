#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One of two processes fails between the steps that they take together, or sees other files: the run ends everywhere.

The environment: BLOCKYARD, MPIEXEC, TRIP (tests/faults/trip.c). A run that hangs is an error after LIMIT_SECONDS.
"""

import errno
import json
import os
import shutil
import signal
import subprocess
import unittest

import common

MPIEXEC = os.environ["MPIEXEC"]
TRIP = os.environ["TRIP"]
HYDROGEN = """[molecule]
geometry = '''
H 0 0 0
H 0 0 {r}
'''
[basis]
name = "sto-3g"
[method]
name = "scf"
"""
KEEPING = """sial keeping
scalar x
x = 42.0
set_persistent x "the x"
endsial keeping
"""
KEPT = """sial kept
scalar x
scalar total
restore_persistent x "the x"
collective total += x
print total
endsial kept
"""
COUNTING = """sial counting
scalar n
scalar total
n += 1.0
sip_barrier
n += 1.0
sip_barrier
n += 1.0
sip_barrier
n += 1.0
collective total += n
print total
endsial counting
"""
# What each worker has after its pardo is a part of the sums.
PARTS = """sial parts
index i = 1:6
int n
scalar part
scalar total
pardo i
n += 1
part += 1.0
endpardo i
sip_barrier
sip_barrier
sip_barrier
part += (scalar)n
collective total += part
print total
endsial parts
"""


class Alone(common.JobTest):
    def setUp(self):
        super().setUp()
        for name in ("first", "second"):  # where process 0 and process 1 run
            (self.folder / name).mkdir()

    def run_apart(self, *arguments, output="", **trip):
        """`output`: where process 0 prints."""
        redirect = ["sh", "-c", f'exec "$@" > {output}', "sh"] if output else []
        settings = {f"TRIP_{key.upper()}": str(value) for key, value in trip.items()}
        if trip:
            settings["LD_PRELOAD"] = TRIP
        one = [common.BLOCKYARD, *map(str, arguments)]
        return subprocess.run([MPIEXEC, "-n", "1", "-wdir", self.folder / "first", *redirect, *one, ":", "-n", "1", "-wdir",
                               self.folder / "second", *one], text=True, capture_output=True,
                              timeout=common.LIMIT_SECONDS, check=False,
                              env={**os.environ, "TMPDIR": str(self.scratch), **settings})

    def test_a_full_disk_where_process_0_prints(self):
        self.write("first/h2.toml", HYDROGEN.format(r=0.74))
        for scan in ((), ("--scan", "molecule.charge=0,0")):
            done = self.run_apart("run", "h2.toml", "-w", 1, *scan, output="/dev/full")
            self.assert_fails(done, "cannot write the output")

    def test_a_folder_of_results_that_process_0_alone_sees(self):
        self.write("first/h2.toml", HYDROGEN.format(r=0.74))
        command = ["run", "h2.toml", "-w", 1, "--scan", "molecule.charge=0,0", "--json", "out/all.json"]
        self.assert_fails(self.run_apart(*command), "out/all.json")
        (self.folder / "first/out").mkdir()
        done = self.run_apart(*command)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(json.loads((self.folder / "first/out/all.json").read_text())["jobs"]), 2)

    def test_a_signal_to_process_0_ends_a_list_in_all(self):
        """It comes when the first job is told, and the other process may be on the way to the next one."""
        self.write("first/h2.toml", HYDROGEN.format(r=0.74))
        done = self.run_apart("run", "h2.toml", "-w", 1, "--scan", "molecule.charge=0,0", rank=0, call="fflush", at=1,
                              signal=int(signal.SIGTERM))
        self.assertEqual(done.returncode, 128 + signal.SIGTERM, done.stdout + done.stderr)
        self.assertIn("stopped by signal 15", done.stderr)
        self.assertEqual(done.stdout.count("charge=0"), 1, done.stdout)

    def test_process_0_alone_reads_what_was_kept(self):
        """So that a run which replaces the file meanwhile cannot give workers different values."""
        self.write("keeping.sial", KEEPING)
        self.run_well("run", "keeping.sial", "-w", 1, "--persistent", "first/kept.h5")
        self.write("first/kept.sial", KEPT)
        done = self.run_apart("run", "kept.sial", "-w", 1, "--persistent", "kept.h5")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("total = 84.0", done.stdout)

    def test_process_0_alone_reads_a_guess(self):
        self.write("first/h2.toml", HYDROGEN.format(r=0.74))
        self.run_well("run", "first/h2.toml", "-w", 1, "--save", "first/h2.h5")
        done = self.run_apart("run", "h2.toml", "-w", 1, "--guess", "h2.h5")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def save(self, program, workers):
        """Two checkpoints of a run that was killed, in first/saved."""
        self.write("p.sial", program)
        settings = {"TRIP_CALL": "rename", "TRIP_PATH": ".part", "TRIP_AT": "3", "TRIP_SIGNAL": str(int(signal.SIGKILL))}
        done = subprocess.run([common.BLOCKYARD, "run", "p.sial", "-w", str(workers), "-s", "1", "--checkpoint", "0s",
                               "--checkpoint-dir", "first/saved"], cwd=self.folder, capture_output=True, text=True, check=False,
                              env={**os.environ, "TMPDIR": str(self.scratch), **settings, "LD_PRELOAD": TRIP},
                              timeout=common.LIMIT_SECONDS)
        self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)

    def test_process_0_alone_looks_for_the_newest_checkpoint(self):
        self.save(COUNTING, 2)
        shutil.copytree(self.folder / "first/saved", self.folder / "second/saved")
        shutil.rmtree(self.folder / "second/saved/checkpoint-000002")
        done = self.run_apart("resume", "saved")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("total = 8.0", done.stdout)

    def test_each_file_of_a_checkpoint_is_checked_by_one_process(self):
        """The other one, which needs no such file itself, does not notice that it cannot read it."""
        for process, file in ((0, "worker-1"), (1, "worker-2")):
            with self.subTest(process=process, file=file):
                self.save(COUNTING, 3)
                done = self.run_apart("resume", "saved", "-w", 1, rank=process, call="pread", path=file, at=1, errno=errno.EIO)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("total = 8.0", done.stdout)

    def test_a_file_of_a_checkpoint_that_one_process_finds_bad_is_refused_by_all(self):
        self.save(COUNTING, 2)
        good = self.folder / "first/saved/checkpoint-000002"
        for file in ("worker-0", "worker-1", "server-0"):
            with self.subTest(file=file):
                whole = (good / file).read_bytes()
                (good / file).write_bytes(whole[:-1])
                self.assert_fails(self.run_apart("resume", "saved"), f"{file} is not a valid checkpoint file: it is cut short",
                                  "there is also", "checkpoint-000001")
                (good / file).write_bytes(whole)

    def test_a_state_that_differs_where_one_process_compares_is_refused_by_all(self):
        self.save(PARTS, 3)
        self.assert_fails(self.run_apart("resume", "saved", "-w", 1), "written by 3 workers", "of int 'n', scalar 'part'", "-w 3")


if __name__ == "__main__":
    unittest.main()
