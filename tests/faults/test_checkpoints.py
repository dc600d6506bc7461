#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run that was stopped or killed anywhere resumes from its last checkpoint to the same results, and
a checkpoint that is not good is refused. BLOCKYARD_FAULTS=full tries all seeds, not a few of them."""

import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "jobs"))
import common  # pylint: disable=wrong-import-position

IS_FULL = os.environ.get("BLOCKYARD_FAULTS") == "full"
KILLS = range(50 if IS_FULL else 5)
ORDERS = range(200 if IS_FULL else 10)
ENERGY_TOLERANCE = 1e-10  # hartree

# Loops, calls, locals, temps, static arrays, labels and a barrier everywhere.
PROGRAM = common.program("program", __file__)
SECOND = common.program("second", __file__)
SIZES = ["--segments", "ao=2,3,2,3,2,3"]

FAILING = """sial p
scalar x
special ask_for_checkpoint
sip_barrier
execute ask_for_checkpoint
sip_barrier
sip_barrier
x = 0.0 - 1.0
x = sqrt(x)
endsial p
"""

PRINTING = """sial p
sip_barrier
sip_barrier
println "after it"
endsial p
"""

# Arrays of the other types, more than the servers have memory for.
TYPED = common.program("typed", __file__)
TYPED_EXTENT = 48
TYPED_SIZES = ["--segments", "ao=" + ",".join([str(TYPED_EXTENT)] * 20), "--memory", "12M"]
TYPED_TOTAL = TYPED_EXTENT**2 * sum((i + j + 0.5)**2 + (i - j + 2)**2 + (i * j)**2 + 4 * j for i in range(1, 21)
                                    for j in range(1, 21)) + TYPED_EXTENT * abs(0.5 + 2j)**2

LARGE, LARGE_SIZES, LARGE_TOTAL = common.served_squares(30)
LARGE_SIZES += ["--memory", "8M"]


def complete(number):
    """The fault that kills a run about to complete this checkpoint."""
    return {"call": "rename", "path": ".part", "at": number, "signal": int(signal.SIGKILL)}


class Checkpoints(common.JobTest):
    def setUp(self):
        super().setUp()
        self.files = [self.write("p.sial", PROGRAM), self.write("q.sial", SECOND)]
        self.saved = self.folder / "saved"

    def run_tripped(self, trip, *arguments):
        """A run in which something happens at a chosen call: see trip.c."""
        settings = {"TRIP_" + key.upper(): str(value) for key, value in trip.items()}
        done = subprocess.run([common.BLOCKYARD, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=common.LIMIT_SECONDS, check=False,
                              env={**os.environ, "TMPDIR": str(self.scratch), **settings,
                                   "LD_PRELOAD": os.environ["TRIP"]})
        for left in self.scratch.iterdir():  # a process that is killed cannot tidy up
            self.assertEqual(done.returncode, -signal.SIGKILL, left)
            shutil.rmtree(left)
        return done

    def run_saving(self, trip, *options):
        return self.run_tripped(trip, "run", *self.files, *SIZES, "-w", 3, "-s", 2,
                                "--checkpoint-dir", self.saved, *options)

    def reference(self):
        return self.results_of("run", *self.files, *SIZES, "-w", 3, "-s", 2)["scalars"]

    def resumed(self, *options, folder=None):
        """The scalars after going on from a copy, so that it can be done again."""
        with tempfile.TemporaryDirectory(dir=self.folder) as copies:
            copy = pathlib.Path(copies) / "copy"
            shutil.copytree(folder or self.saved, copy)
            return self.results_of("resume", copy, *options)["scalars"]

    def assert_same(self, scalars, reference):
        self.assertEqual(scalars.keys(), reference.keys())
        for name in ("total", "sum", "n", "before"):
            self.assertAlmostEqual(scalars[name] / reference[name], 1, delta=1e-12, msg=name)

    def complete(self):
        return sorted(path for path in self.saved.glob("checkpoint-*") if path.suffix != ".part")

    def has_one_for_the_batch_script(self):
        """Whether the script in docs/clusters.md would resume."""
        text = (pathlib.Path(__file__).parents[2] / "docs/clusters.md").read_text(encoding="utf-8")
        condition = re.search(r"^if (compgen .*); then$", text, re.MULTILINE)[1]
        return subprocess.run(["bash", "-c", condition.replace("job.checkpoint", str(self.saved))], check=False).returncode == 0

    def save_some(self):
        """A killed run that leaves two checkpoints."""
        self.run_saving(complete(6), "--checkpoint", "0s")
        self.assertEqual(len(self.complete()), 2)

    def test_a_run_that_saves_at_every_barrier_has_the_same_results_and_leaves_nothing(self):
        reference = self.reference()
        results = self.results_of("run", *self.files, *SIZES, "-w", 3, "-s", 2, "--checkpoint", "0s",
                                  "--checkpoint-dir", self.saved)
        self.assert_same(results["scalars"], reference)
        self.assertFalse(self.saved.exists())

    def test_a_run_ended_by_sigterm_goes_on_with_any_number_of_servers(self):
        reference = self.reference()
        # Locks are more or fewer as threads wait: far below the 4000 that a quiet machine takes, so that a barrier is left.
        for at in (100, 300, 600):
            done = self.run_saving({"call": "send", "at": at, "signal": 15})
            self.assert_fails(done, "blockyard resume", code=128 + signal.SIGTERM)
            self.assertEqual(len(self.complete()), 1)
            for servers in (1, 2, 5):
                self.assert_same(self.resumed("-s", servers), reference)
            shutil.rmtree(self.saved)

    def test_a_run_killed_at_every_checkpoint_goes_on_from_each_of_them(self):
        reference = self.reference()
        # 4 barriers in each of 5 iterations, one between the programs, one in the second.
        for at in range(1, 22) if IS_FULL else (1, 3, 4, 21):
            done = self.run_saving(complete(at + 1), "--checkpoint", "0s")
            self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
            self.assert_same(self.resumed("-s", 1 + at % 4), reference)
            for workers in (1, 5):
                with tempfile.TemporaryDirectory(dir=self.folder) as copy:
                    shutil.copytree(self.saved, copy, dirs_exist_ok=True)
                    done = self.run_blockyard("resume", copy, "-w", workers, "--json", "-")
                # Only the barrier before the collective sum has parts of a sum.
                if at % 4 != 0:
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assert_same(json.loads(done.stdout)["scalars"], reference)
                else:
                    self.assert_fails(done, "scalar 'part'", "-w 3")
            shutil.rmtree(self.saved)

    def test_workers_that_are_added_do_not_print(self):
        path = self.write("printing.sial", PRINTING)
        done = self.run_tripped(complete(2), "run", path, "-w", 1, "--checkpoint", "0s", "--checkpoint-dir", self.saved)
        self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
        done = self.run_blockyard("resume", self.saved, "-w", 4)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((done.stdout + done.stderr).count("after it"), 1, done.stdout)

    def test_a_run_killed_before_its_first_checkpoint_begins_again(self):
        self.run_saving(complete(1), "--checkpoint", "0s")
        self.assertFalse(self.has_one_for_the_batch_script())
        self.assert_fails(self.run_blockyard("resume", self.saved), "no complete checkpoint in", "start it again")
        self.assertEqual(self.run_saving({}, "--checkpoint", "0s").returncode, 0)
        self.assertFalse(self.saved.exists())
        self.save_some()
        self.assertTrue(self.has_one_for_the_batch_script())

    def test_states_of_many_workers_are_compared_with_few_files_open(self):
        path = self.write("p.sial", PRINTING)
        self.run_tripped(complete(2), "run", path, "-w", 60, "--checkpoint", "0s", "--checkpoint-dir", self.saved)
        self.assertEqual(len(list(self.saved.glob("checkpoint-000001/worker-*"))), 60)
        done = self.run_blockyard("resume", self.saved, "-w", 2,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50)))
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "after it"), done.stderr)

    def test_a_run_killed_at_any_message_goes_on(self):
        reference = self.reference()
        for seed in KILLS:
            at = random.Random(seed).randint(1, 6000)
            done = self.run_saving({"call": "send", "at": at, "signal": 9}, "--checkpoint", "0s",
                                   "--seed", seed)
            with self.subTest(seed=seed, at=at):
                if done.returncode == 0:
                    continue  # it was over before
                self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
                if self.saved.exists() and self.complete():
                    self.assert_same(self.resumed(), reference)
            shutil.rmtree(self.saved, ignore_errors=True)

    def test_a_run_killed_while_it_saves_keeps_the_checkpoint_before(self):
        reference = self.reference()
        for at in (1, 3, 6):
            done = self.run_saving({"call": "pwrite", "path": "checkpoint-000003", "at": at, "signal": 9},
                                   "--checkpoint", "0s")
            self.assertEqual(done.returncode, -signal.SIGKILL)
            self.assertEqual([path.name for path in self.complete()],
                             ["checkpoint-000001", "checkpoint-000002"])
            self.assert_same(self.resumed(), reference)
            shutil.rmtree(self.saved)

    def test_a_run_whose_results_are_not_written_can_be_resumed(self):
        reference = self.reference()
        for fault, code in (({"signal": 9}, -signal.SIGKILL), ({"errno": 28}, 1)):
            done = self.run_saving({"call": "rename", "path": ".lost.json", "at": 1, **fault}, "--checkpoint", "0s",
                                   "--json", "lost.json")
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual("blockyard resume" in done.stderr, code == 1, done.stderr)
            self.assert_same(self.resumed(), reference)
            shutil.rmtree(self.saved)

    def test_a_checkpoint_that_is_not_complete_goes_with_the_run_that_fails_or_with_the_next(self):
        self.run_saving({"call": "pwrite", "path": "worker-1", "errno": 28, "at": 1}, "--checkpoint", "0s")
        self.assertFalse(self.saved.exists())
        self.save_some()
        self.assertTrue((self.saved / "checkpoint-000006.part").exists())
        self.results_of("resume", self.saved, "--checkpoint", "1h")
        self.assertFalse(self.saved.exists())

    def test_a_disk_that_fails_during_a_checkpoint_ends_the_run_and_keeps_the_one_before(self):
        reference = self.reference()
        for call, error, text in (("pwrite", 28, "No space left"), ("pwrite", 5, "Input/output"),
                                  ("fsync", 5, "Input/output"), ("rename", 28, "No space left")):
            at = 20 if call == "fsync" else 1  # which counts those of all files
            done = self.run_saving({"call": call, "errno": error, "at": at,
                                    "path": "checkpoint-000003"}, "--checkpoint", "0s")
            self.assert_fails(done, text, "checkpoint")
            self.assert_same(self.resumed(), reference)
            shutil.rmtree(self.saved)

    def test_a_spill_file_that_fails_ends_the_run_and_a_checkpoint_before_stays_good(self):
        path = self.write("large.sial", LARGE)
        for trip, text in (({"call": "pwrite", "errno": 28}, "No space left"),
                           ({"call": "pwrite", "errno": 5}, "Input/output"),
                           ({"call": "pread", "errno": 5}, "Input/output"),
                           ({"call": "pread", "flip": 1}, "checksum")):
            done = self.run_tripped({**trip, "at": 9, "path": ".spill"}, "run", path, *LARGE_SIZES,
                                    "-w", 1, "-s", 2, "--checkpoint", "0s", "--checkpoint-dir",
                                    self.saved)
            self.assert_fails(done, text, "spill")
            self.assertEqual(self.resumed()["total"], LARGE_TOTAL)
            shutil.rmtree(self.saved)

    def test_blocks_of_every_type_are_spilled_and_saved_as_they_are(self):
        path = self.write("typed.sial", TYPED)
        whole = self.results_of("run", path, *TYPED_SIZES, "-w", 2, "-s", 2, "--report", "report.json")
        self.assertEqual(whole["scalars"]["total"], TYPED_TOTAL)
        report = json.loads((self.folder / "report.json").read_text())
        self.assertGreater(sum(server["spilled_bytes"] for server in report["servers"]), 0)
        for at in (2, 3):
            done = self.run_tripped(complete(at), "run", path, *TYPED_SIZES, "-w", 2, "-s", 2, "--checkpoint", "0s",
                                    "--checkpoint-dir", self.saved)
            self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
            for servers in (1, 3):
                self.assertEqual(self.resumed("-s", servers)["total"], TYPED_TOTAL)
            shutil.rmtree(self.saved)

    def test_a_full_disk_ends_the_run_with_the_cause(self):
        disk = self.folder / "disk"
        disk.mkdir()
        if os.geteuid() != 0 or subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=2m", "none", disk], check=False,
                capture_output=True).returncode != 0:
            self.skipTest("needs the right to mount a small disk")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        path = self.write("large.sial", LARGE)
        done = self.run_blockyard("run", path, *LARGE_SIZES, "-w", 1, "--checkpoint", "0s",
                                  "--checkpoint-dir", disk / "saved")
        self.assert_fails(done, "No space left", "checkpoint-000002")
        self.assertEqual(self.resumed(folder=disk / "saved")["total"], LARGE_TOTAL)

    def test_a_damaged_checkpoint_is_refused_with_the_reason(self):
        self.save_some()
        older, newest = self.complete()
        other = self.folder / "other"
        for part in ("manifest", "server-1", "worker-2"):
            whole = (newest / part).read_bytes()

            def expect(*reasons):
                done = self.run_blockyard("resume", self.saved)
                self.assert_fails(done, part, older.name, *reasons)

            for cut in (0, 20, len(whole) // 2, len(whole) - 1):
                (newest / part).write_bytes(whole[:cut])
                expect("cut short")
            for at in (2, len(whole) - 60, len(whole) - 2, len(whole) // 3):
                changed = bytearray(whole)
                changed[at] ^= 1
                (newest / part).write_bytes(changed)
                done = self.run_blockyard("resume", self.saved)
                self.assert_fails(done, part, "not a valid checkpoint file")
            (newest / part).unlink()
            expect("No such file")
            (newest / part).write_bytes((older / part).read_bytes())
            done = self.run_blockyard("resume", self.saved)
            self.assert_fails(done, "another checkpoint")
            (newest / part).write_bytes(whole)
        (newest / "server-0").rename(other)
        shutil.copy(newest / "server-1", newest / "server-0")
        done = self.run_blockyard("resume", self.saved)
        self.assert_fails(done, "of server-1, not of server-0")
        # The one before is still good.
        self.assert_same(self.resumed(folder=older), self.reference())

    def test_a_checkpoint_goes_by_any_name_of_its_folder(self):
        reference = self.reference()
        for name in ("{}/", "{}/."):
            with self.subTest(name=name):
                self.save_some()
                newest = name.format(self.complete()[-1])
                self.assert_same(self.results_of("resume", newest, "--checkpoint", "0s")["scalars"], reference)
                self.assertFalse(self.saved.exists())  # those of the resumed run were beside the old ones

    def test_a_run_goes_on_from_another_folder(self):
        (self.folder / "spilled").mkdir()
        self.run_saving(complete(6), "--checkpoint", "0s", "--scratch", "spilled")
        with tempfile.TemporaryDirectory() as elsewhere:
            done = subprocess.run([common.BLOCKYARD, "resume", self.saved], cwd=elsewhere, text=True, capture_output=True,
                                  timeout=common.LIMIT_SECONDS, check=False)
            self.assertEqual((done.returncode, os.listdir(elsewhere)), (0, []), done.stderr)

    def test_another_run_does_not_write_over_checkpoints(self):
        self.save_some()
        done = self.run_saving({})
        self.assert_fails(done, "holds the checkpoints of another run", "blockyard resume")
        done = self.run_blockyard("resume", self.folder)
        self.assert_fails(done, "no complete checkpoint")

    def test_sigusr1_takes_a_checkpoint_and_goes_on(self):
        path = self.write("failing.sial", FAILING)
        done = self.run_blockyard("run", path, "--super", os.environ["SUPER_FAULTY"],
                                  "--checkpoint-dir", self.saved)
        self.assert_fails(done, "sqrt")
        self.assertEqual([path.name for path in self.complete()], ["checkpoint-000001"])

    def test_the_order_of_messages_does_not_matter(self):
        reference = self.reference()
        for seed in ORDERS:
            results = self.results_of("run", *self.files, *SIZES, "-w", 3, "-s", 2, "--seed", seed)
            self.assert_same(results["scalars"], reference)


class WaterCheckpoints(common.JobTest):
    def test_coupled_cluster_goes_on_to_the_same_energies(self):
        job = self.write("h2o.toml", common.WATER + '[basis]\nname = "sto-3g"\n'
                         '[method]\nname = "ccsd"\n')
        reference = self.results_of("run", job, "-w", 2, "-s", 2)["energies"]
        saved = self.folder / "saved"
        for at in (2, 40, 70):
            done = subprocess.run(
                [common.BLOCKYARD, "run", job, "-w", "2", "-s", "2", "--checkpoint", "0s",
                 "--checkpoint-dir", saved], cwd=self.folder, capture_output=True, check=False,
                timeout=common.LIMIT_SECONDS,
                env={**os.environ, "TMPDIR": str(self.scratch), "LD_PRELOAD": os.environ["TRIP"],
                     "TRIP_CALL": "rename", "TRIP_PATH": ".part", "TRIP_AT": str(at), "TRIP_SIGNAL": "15"})
            self.assertEqual(done.returncode, 128 + signal.SIGTERM, done.stderr)
            energies = self.results_of("resume", saved, "-s", 1 + at % 3)["energies"]
            self.assertEqual(energies.keys(), reference.keys())
            for key, value in reference.items():
                self.assertAlmostEqual(energies[key], value, delta=ENERGY_TOLERANCE, msg=key)
            self.assertFalse(saved.exists())


if __name__ == "__main__":
    unittest.main()
