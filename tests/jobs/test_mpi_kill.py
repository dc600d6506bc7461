#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A process of mpirun is killed in the middle: the run ends everywhere, and can be resumed."""

import os
import pathlib
import select
import signal
import subprocess
import unittest

import common

MPIEXEC = os.environ["MPIEXEC"]
ROUNDS = 300  # of programs/counting.sial
# Every round adds 1 to each of 4 * 4 blocks of one element; a checkpoint is taken at each barrier.
COUNTING = common.program("counting")


def processes_of(folder):
    """Process ids by rank of the blockyards that run in a folder."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if not entry.name.isdigit() or os.readlink(entry / "cwd") != str(folder):
                continue
            if not os.readlink(entry / "exe").endswith("/blockyard"):
                continue
            environment = (entry / "environ").read_bytes().decode().split("\0")
            rank = next(word.split("=")[1] for word in environment
                        if word.startswith(("OMPI_COMM_WORLD_RANK=", "PMI_RANK=")))
            found[int(rank)] = int(entry.name)
        except (OSError, StopIteration):
            continue  # gone meanwhile, or not ours
    return found


class Kill(common.JobTest):
    def start(self):
        path = self.write("p.sial", COUNTING)
        return subprocess.Popen(
            [MPIEXEC, "-n", "3", common.BLOCKYARD, "run", path, "-w", "1", "-s", "1", "--segments",
             "ao=1,1,1,1", "--checkpoint", "0s", "--checkpoint-dir", "kept"],
            cwd=self.folder.resolve(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(self.scratch)})

    def kill_in_the_middle(self, rank):
        run = self.start()
        line = run.stdout.readline()
        self.assertIn("ready", line)
        processes = processes_of(self.folder.resolve())
        self.assertEqual(sorted(processes), [0, 1, 2])
        watched = [os.pidfd_open(process) for process in processes.values()]
        os.kill(processes[rank], signal.SIGKILL)
        output, errors = run.communicate(timeout=common.LIMIT_SECONDS)
        self.assertNotEqual(run.returncode, 0)
        self.assertRegex(output + errors, "(?i)signal.* 9|killed")  # MPICH tells it on the one
        for process in watched:  # mpirun told them to end, and does not wait for it
            self.assertEqual(select.select([process], [], [], common.LIMIT_SECONDS)[0], [process], "a process is left")
            os.close(process)
        self.assertEqual(processes_of(self.folder.resolve()), {}, "processes are left")
        for left in self.scratch.iterdir():  # a killed process cannot clean up after itself
            subprocess.run(["rm", "-rf", str(left)], check=True)
        done = self.run_well("resume", "kept", "-s", 2, "--json", "-")
        self.assertIn(str(float(16 * ROUNDS * ROUNDS)), done.stdout)

    def test_a_killed_worker_ends_the_run_and_a_checkpoint_goes_on(self):
        self.kill_in_the_middle(1)

    def test_a_killed_server_ends_the_run_and_a_checkpoint_goes_on(self):
        self.kill_in_the_middle(2)


if __name__ == "__main__":
    unittest.main()
