#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A simulation that is stopped or killed at a chosen place resumes elsewhere, with the same bits.

The environment: BLOCKYARD, TRIP (tests/faults/trip.c), MPIEXEC (empty: no MPI). BLOCKYARD_FAULTS=full takes 50 seeds of
killed ranks, each of which has to end all within 10 seconds: `ninja ring_kills`.
"""

import contextlib
import os
import pathlib
import random
import subprocess
import tempfile
import threading
import time
import unittest

import h5py
import numpy as np

BLOCKYARD = os.environ["BLOCKYARD"]
TRIP = os.environ["TRIP"]
MPIEXEC = os.environ.get("MPIEXEC", "")
SEEDS = 50 if os.environ.get("BLOCKYARD_FAULTS") == "full" else 3
LIMIT_SECONDS = 300
TERM, KILL = 15, 9

JOB = """
[lattice]
sites = [2, 2]
u = 4.0
beta = 2.0
[method]
samples = 240
warm_up = 20
frequencies = 4
channels = ["pp_up_down", "ph_magnetic"]
[run]
ring = 2
bins = 4
sums = "exact"
"""


class Deaths:
    """When the processes of a run in a folder became fewer; seconds() from there to the end of the block."""

    def __init__(self, folder):
        self.folder, self.first, self.end = folder, None, None
        self.thread = threading.Thread(target=self.watch)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.end = time.monotonic()
        self.thread.join()

    def watch(self):
        most = 0
        while self.end is None and self.first is None:
            count = sum(map(self.is_ours, pathlib.Path("/proc").glob("[0-9]*")))
            if count < most:
                self.first = time.monotonic()
            most = max(most, count)
            time.sleep(0.02)

    def is_ours(self, process):
        try:
            return (os.readlink(process / "exe").endswith("/blockyard")
                    and os.readlink(process / "cwd") == str(self.folder))
        except OSError:
            return False

    def seconds(self):
        return self.end - (self.end if self.first is None else self.first)


class Checkpoints(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def blockyard(self, *arguments, processes=0, **trip):
        command = [BLOCKYARD, *map(str, arguments)]
        if processes:
            command = [MPIEXEC, "-n", str(processes), *command]
        settings = {f"TRIP_{key.upper()}": str(value) for key, value in trip.items()}
        if trip:
            settings["LD_PRELOAD"] = TRIP
        return subprocess.run(command, cwd=self.folder, text=True, capture_output=True, timeout=LIMIT_SECONDS,
                              env={**os.environ, **settings}, check=False)

    def write(self, text=JOB):
        (self.folder / "job.toml").write_text(text)

    def results(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertFalse((self.folder / "job.checkpoint").exists())
        with h5py.File(self.folder / "job.h5") as file:
            found = [file[name][...] for name in ("G", "G_error", "G4/pp_up_down", "G4_error/ph_magnetic")]
        (self.folder / "job.h5").unlink()
        return found

    def names(self):
        return sorted(path.name for path in (self.folder / "job.checkpoint").iterdir())

    def check_same(self, found, expected):
        for a, b in zip(found, expected):
            self.assertTrue(np.array_equal(a, b))

    def stop(self, signal, at, code, **trip):
        done = self.blockyard("run", "job.toml", "-w", 2, "--checkpoint", "0s", call="rename", path="lattice-", at=at,
                              signal=signal, **trip)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertFalse((self.folder / "job.h5").exists())
        return done

    def test_goes_on_with_other_ranks_and_rings(self):
        self.write()
        expected = self.results(self.blockyard("run", "job.toml", "-w", 2))
        for at, ways in ((1, [("-w", 3, "--ring", 3), ("-w", 1, "--ring", 1)]), (2, [("-w", 4, "--ring", 2)])):
            done = self.stop(TERM, at, 128 + TERM)
            self.assertIn("blockyard resume", done.stderr)
            saved = {name: (self.folder / "job.checkpoint" / name).read_bytes() for name in self.names()}
            for way in ways:
                (self.folder / "job.checkpoint").mkdir(exist_ok=True)
                for name, content in saved.items():
                    (self.folder / "job.checkpoint" / name).write_bytes(content)
                (self.folder / "job.toml").unlink(missing_ok=True)  # a checkpoint needs no other file
                with self.subTest(at=at, way=way):
                    self.check_same(self.results(self.blockyard("resume", "job.checkpoint", *way)), expected)
            self.write()

    def test_results_are_where_the_run_began_wherever_it_is_resumed(self):
        self.write()
        self.stop(TERM, 1, 128 + TERM)
        (self.folder / "other").mkdir()
        done = subprocess.run([BLOCKYARD, "resume", "../job.checkpoint", "-w", "2"], cwd=self.folder / "other", text=True,
                              capture_output=True, timeout=LIMIT_SECONDS, check=False)
        self.results(done)

    def test_a_folder_of_checkpoints_is_seen_from_the_job(self):
        (self.folder / "jobs").mkdir()
        self.write()
        expected = self.results(self.blockyard("run", "job.toml", "-w", 2))
        text = JOB + 'checkpoint = "0s"\ncheckpoint_dir = "kept"\n'
        (self.folder / "jobs" / "job.toml").write_text(text)
        done = self.blockyard("run", "jobs/job.toml", "-w", 2, call="rename", path="lattice-", at=1, signal=TERM)
        self.assertEqual(done.returncode, 128 + TERM, done.stderr)
        self.assertTrue((self.folder / "jobs" / "kept" / "lattice-000001").exists())
        self.check_same(self.results(self.blockyard("resume", "jobs/kept", "-w", 2)), expected)

    def test_a_killed_run_goes_on_from_the_checkpoint_before(self):
        self.write()
        expected = self.results(self.blockyard("run", "job.toml", "-w", 2))
        self.stop(KILL, 3, -KILL)
        self.assertEqual([name for name in self.names() if name != "lock"],
                         ["lattice-000001", "lattice-000002", "lattice-000003.part"])
        self.check_same(self.results(self.blockyard("resume", "job.checkpoint", "-w", 2)), expected)

    def test_goes_on_as_often_saved_as_before(self):
        self.write()
        self.stop(KILL, 3, -KILL)
        done = self.blockyard("resume", "job.checkpoint", call="rename", path="lattice-", at=1, signal=KILL)
        self.assertEqual(done.returncode, -KILL, "it took no checkpoint")

    def test_a_ring_asked_for_is_not_that_of_fewer_ranks(self):
        self.write()
        expected = self.results(self.blockyard("run", "job.toml", "-w", 2))
        self.stop(TERM, 1, 128 + TERM)
        done = self.blockyard("resume", "job.checkpoint", "-w", 4, "--ring", 4, "--checkpoint", "0s", call="rename",
                              path="lattice-", at=1, signal=TERM)
        self.assertEqual(done.returncode, 128 + TERM, done.stderr)
        self.check_same(self.results(self.blockyard("resume", "job.checkpoint", "-w", 2)), expected)

    def test_goes_on_on_a_device(self):
        """A slice comes from the device for a checkpoint, and goes to one when a run goes on; on another kind of device sums
        differ by rounding."""
        self.write()
        expected = self.results(self.blockyard("run", "job.toml", "-w", 2))
        self.stop(TERM, 1, 128 + TERM)
        done = self.blockyard("resume", "job.checkpoint", "-w", 3, "--ring", 2, "--device", "sim", "--device-options",
                              "seed=5", "--checkpoint", "0s")
        for a, b in zip(self.results(done), expected):
            self.assertLess(np.abs(a - b).max(), 1e-9 * np.abs(b).max())

    @unittest.skipUnless(MPIEXEC, "no MPI")
    def test_processes_go_on_from_threads(self):
        self.write()
        expected = self.results(self.blockyard("run", "job.toml", "-w", 2))
        self.stop(TERM, 1, 128 + TERM)
        self.check_same(self.results(self.blockyard("resume", "job.checkpoint", "--ring", 3, processes=3)), expected)

    def test_an_iteration_goes_on_where_it_was(self):
        """Within any step of the dynamical cluster approximation, and within the G4 after the last one."""
        self.write(JOB.replace("samples = 240", """name = "dca"
iterations = 3
tolerance = 1e-12
mix = 0.7
patch_points = 4
self_energy_frequencies = 6
samples = 80"""))

        def results(done):
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertFalse((self.folder / "job.checkpoint").exists())
            found = []
            for name in ("job.h5", "job.sigma.h5"):
                with h5py.File(self.folder / name) as file:
                    file.visititems(lambda _, one: found.append(one[...]) if isinstance(one, h5py.Dataset) else None)
                (self.folder / name).unlink()
            return found

        expected = results(self.blockyard("run", "job.toml", "-w", 2))
        # Each of the four simulations takes three checkpoints or more.
        for at in (1, 5, 11):
            with self.subTest(at=at):
                done = self.blockyard("run", "job.toml", "-w", 2, "--checkpoint", "0s", call="rename", path="lattice-",
                                      at=at, signal=TERM)
                self.assertEqual(done.returncode, 128 + TERM, done.stderr)
                found = results(self.blockyard("resume", "job.checkpoint", "-w", 3, "--ring", 3))
                self.assertEqual(len(found), len(expected))
                self.check_same(found, expected)

    def test_a_run_whose_results_could_not_be_written_goes_on(self):
        self.write()
        expected = self.results(self.blockyard("run", "job.toml", "-w", 2))
        done = self.blockyard("run", "job.toml", "-w", 2, "--checkpoint", "0s", "--json", "/dev/full")
        self.assertEqual((done.returncode, done.stderr), (1, "error: cannot write /dev/full: No space left on device\n"))
        self.check_same(self.results(self.blockyard("resume", "job.checkpoint", "-w", 3)), expected)

    def test_what_cannot_be_gone_on_from_is_refused(self):
        self.write()
        self.stop(TERM, 2, 128 + TERM)
        done = self.blockyard("run", "job.toml", "-w", 2, "--checkpoint", "10m")
        self.assertEqual(done.returncode, 1)
        self.assertIn("holds the checkpoints of another run", done.stderr)
        path = self.folder / "job.checkpoint" / max(self.names())
        whole = path.read_bytes()
        for at in np.random.default_rng(2).integers(0, len(whole), 8):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1:])
            done = self.blockyard("resume", path, "-w", 2)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(path.name, done.stderr)
            path.write_bytes(whole[:at])
            self.assertEqual(self.blockyard("resume", path, "-w", 2).returncode, 1)
        self.assertFalse((self.folder / "job.h5").exists())

    @unittest.skipUnless(MPIEXEC, "no MPI")
    def test_a_killed_rank_ends_all_and_leaves_no_file(self):
        self.write(JOB.replace("samples = 240", "samples = 1000000").replace("ring = 2", "ring = 3"))
        for seed in range(SEEDS):
            draw = random.Random(seed)
            rank, at = draw.randrange(3), draw.randrange(3000, 30000)
            with self.subTest(seed=seed, rank=rank, at=at):
                with Deaths(self.folder.resolve()) if SEEDS > 3 else contextlib.nullcontext() as deaths:
                    done = self.blockyard("run", "job.toml", processes=3, rank=rank, call="send", at=at, signal=KILL)
                if deaths:
                    self.assertLess(deaths.seconds(), 10)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("signal 9", done.stdout + done.stderr)
                self.assertEqual([path.name for path in self.folder.iterdir()], ["job.toml"])


if __name__ == "__main__":
    unittest.main()
