#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Any failure ends the whole run, soon, with the cause and its place, and leaves no files."""

import os
import pathlib
import resource
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "jobs"))
import common  # pylint: disable=wrong-import-position

FAULTY = os.environ["SUPER_FAULTY"]

LARGE, LARGE_SIZES, LARGE_TOTAL = common.served_squares(50)


def with_small_files():
    """In the child: no file may become larger than 4 MiB, as on a disk that is full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, 4 << 20))


class Faults(common.JobTest):
    def program(self, statement, declaration):
        return self.write("p.sial", f"sial p\naoindex i = 1:3\nspecial {declaration}\ntemp t[i]\n"
                          f"pardo i\n  t[i] = 1.0\n  {statement}\nendpardo i\nsip_barrier\n"
                          "endsial p\n")

    def run_faulty(self, statement, declaration, *options):
        path = self.program(statement, declaration)
        return self.run_blockyard("run", path, "--segments", "ao=2,2,2", "-w", 3, "-s", 2, "--super",
                                  FAULTY, "--json", "out.json", *options)

    def test_a_failing_super_instruction_on_one_worker_ends_the_run_with_its_place(self):
        done = self.run_faulty("execute fail_on_worker_1", "fail_on_worker_1")
        self.assert_fails(done, "p.sial:7", "fail_on_worker_1", "the sun is in the wrong place")
        self.assertFalse((self.folder / "out.json").exists())

    def test_a_super_instruction_that_does_not_return_does_not_keep_a_failed_run_alive(self):
        path = self.write("p.sial", "sial p\naoindex i = 1:3\nspecial never_return_on_worker_1\n"
                          "scalar x\nint n\nexecute never_return_on_worker_1\ncollective x += 1.0\n"
                          "endsial p\n")
        command = [common.BLOCKYARD, "run", path, "--segments", "ao=2,2,2", "-w", "2", "--super",
                   FAULTY]
        with subprocess.Popen(command, cwd=self.folder, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "TMPDIR": str(self.scratch)}) as child:
            self.wait_for_scratch(child)
            child.send_signal(signal.SIGTERM)
            _, errors = child.communicate(timeout=common.LIMIT_SECONDS)
        self.assertEqual(child.returncode, 128 + signal.SIGTERM, errors)
        self.assertEqual(list(self.scratch.iterdir()), [])

    def test_a_changed_read_operand_is_found_in_the_checking_mode(self):
        done = self.run_faulty("execute write_to_read_operand t[i]", "write_to_read_operand r",
                               "--check")
        self.assert_fails(done, "p.sial:7", "write_to_read_operand")

    def test_another_signature_than_declared_is_found_before_the_first_iteration(self):
        done = self.run_faulty("execute write_to_read_operand t[i]", "write_to_read_operand w")
        self.assert_fails(done, "write_to_read_operand", "p.sial:3")

    def test_arrays_larger_than_memory_go_to_disk_and_come_back(self):
        path = self.write("large.sial", LARGE)
        results = self.results_of("run", path, *LARGE_SIZES, "--memory", "16M", "-w", 2, "-s", 2)
        self.assertEqual(results["scalars"]["total"], LARGE_TOTAL)

    def test_a_full_disk_ends_the_run_with_the_cause(self):
        path = self.write("large.sial", LARGE)
        done = self.run_blockyard("run", path, *LARGE_SIZES, "--memory", "16M", "-w", 2, "-s", 2,
                                  preexec_fn=with_small_files)
        self.assert_fails(done, "spill", "File too large")

    def test_a_scratch_folder_that_cannot_be_is_named(self):
        path = self.write("large.sial", LARGE)
        self.write("file", "")
        done = self.run_blockyard("run", path, *LARGE_SIZES, "--scratch", "file/inside")
        self.assert_fails(done, "file/inside", "--scratch")

    def test_a_closed_output_ends_the_run(self):
        path = self.write("p.sial", 'sial p\nprint "text"\nendsial p\n')
        read_end, write_end = os.pipe()
        os.close(read_end)
        with os.fdopen(write_end, "w") as stdout:
            done = subprocess.run([common.BLOCKYARD, "run", path], cwd=self.folder, stdout=stdout,
                                  stderr=subprocess.PIPE, text=True, check=False,
                                  timeout=common.LIMIT_SECONDS)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("cannot write the output", done.stderr)

    def wait_for_scratch(self, child):
        """Until the run has made its scratch folder: from then on it can be stopped."""
        while not any(self.scratch.iterdir()):
            if child.poll() is not None:
                self.fail(f"ended with {child.returncode} before it began: {child.stderr.read()}")

    def test_signals_end_the_run_and_leave_nothing(self):
        program, sizes = common.endless(1000)
        path = self.write("endless.sial", program)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM, signal.SIGUSR2,
                       signal.SIGXCPU, signal.SIGVTALRM, signal.SIGPROF, signal.SIGIO, signal.SIGPWR):
            command = [common.BLOCKYARD, "run", path, "-w", "2", *sizes]
            with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "TMPDIR": str(self.scratch)}) as child:
                self.assertEqual(child.stdout.readline(), "begun\n")
                child.send_signal(number)
                _, errors = child.communicate(timeout=common.LIMIT_SECONDS)
            self.assertEqual(child.returncode, 128 + number, errors)
            self.assertIn("interrupted" if number == signal.SIGINT else number.name, errors)
            self.assertEqual(list(self.scratch.iterdir()), [])

    def test_a_limit_of_file_sizes_is_an_error_of_every_command(self):
        path = self.write("hello.sial", "sial hello\n   scalar   x\n  x = 2.5\nendsial hello\n")
        job = self.write("job.toml", 'programs = ["hello.sial"]\n')
        self.run_well("run", job, "--report", "run.json")
        before = {entry.name: entry.read_bytes() for entry in self.folder.iterdir() if entry.is_file()}
        for command, part in ((["compile", path, "-o", "hello.byx"], "cannot write hello.byx"),
                              (["report", "run.json"], "cannot write run.html"),
                              (["convert", job, "other.toml"], "cannot write other.toml"),
                              (["plan", job, "--json", "plan.json"], "cannot write plan.json"),
                              (["fmt", path], "hello.sial"), (["run", job, "--json", "out.json"], "cannot write out.json")):
            with self.subTest(command=command):
                done = self.run_blockyard(*command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)))
                self.assert_fails(done, part, "File too large")
        self.assertEqual({entry.name: entry.read_bytes() for entry in self.folder.iterdir() if entry.is_file()}, before)


if __name__ == "__main__":
    unittest.main()
