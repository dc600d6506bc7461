#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs in several processes: the same results as in one, and one clear error where one fails."""

import json
import os
import pathlib
import struct
import subprocess
import unittest

import common

MPIEXEC = os.environ["MPIEXEC"]
LIBRARY = pathlib.Path(__file__).parents[2]
WATER_CCSD = common.WATER + '[basis]\nname = "6-31G"\n[method]\nname = "ccsd"\n'
FAILING = common.program("failing")


NEAR = common.program("near")


class Mpi(common.JobTest):
    def run_in(self, processes, *arguments):
        done = subprocess.run([MPIEXEC, "-n", str(processes), common.BLOCKYARD,
                               *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=common.LIMIT_SECONDS, check=False,
                              env={**os.environ, "TMPDIR": str(self.scratch)})
        left = list(self.scratch.glob("blockyard-*"))
        self.assertEqual(left, [], "something is left in the scratch folder")
        return done

    def test_energies_do_not_depend_on_processes_workers_and_servers(self):
        path = self.write("water.toml", WATER_CCSD)
        expected = self.results_of("run", path, "-w", 1)["energies"]
        for processes, options in ((1, ["-w", 2]), (2, ["-w", 1]), (2, ["-w", 2, "-s", 1]),
                                   (4, ["-w", 1, "-s", 2])):
            with self.subTest(processes=processes, options=options):
                done = self.run_in(processes, "run", path, *options, "--json", "out.json")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                found = json.loads((self.folder / "out.json").read_text())["energies"]
                self.assertEqual(found.keys(), expected.keys())
                for name, value in expected.items():
                    self.assertAlmostEqual(found[name], value, delta=1e-10, msg=name)

    def test_lists_of_near_iterations_are_the_same_in_all_processes(self):
        path = self.write("near.sial", NEAR)
        arguments = ["run", path, "--segments", "ao=2,3,2,1,4,2", "--json", "out.json"]
        expected = self.results_of(*arguments[:-2], "-w", 1)["scalars"]
        self.assertEqual(expected["done"], 21)
        for processes, options in ((2, ["-w", 1]), (3, ["-w", 2]), (4, ["-w", 2, "-s", 2])):
            with self.subTest(processes=processes, options=options):
                done = self.run_in(processes, *arguments, *options)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                found = json.loads((self.folder / "out.json").read_text())["scalars"]
                self.assertEqual(found["done"], 21)
                self.assertAlmostEqual(found["square"] / expected["square"], 1, delta=1e-13)

    def test_deterministic_runs_have_the_same_bits_as_in_one_process(self):
        path = self.write("sums.sial", common.SUMS)
        options = ["run", path, "--segments", "ao=9,8,7,6", "--deterministic"]
        # More than four workers: some talk to worker 0 through others.
        totals = {json.dumps(self.results_of(*options, "-w", 6)["scalars"]["total"])}
        for processes, roles in ((2, ["-w", 3]), (3, ["-w", 2]), (3, ["-w", 3, "-s", 1])):
            done = self.run_in(processes, *options, *roles, "--json", "out.json")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            scalars = json.loads((self.folder / "out.json").read_text())["scalars"]
            totals.add(json.dumps(scalars["total"]))
        self.assertEqual(len(totals), 1, totals)

    def test_another_build_is_refused_at_the_start(self):
        build = bytearray(pathlib.Path(common.BLOCKYARD).read_bytes())
        head = struct.pack("<3I", 4, 20, 3) + b"GNU\0"  # of the note with the linker's build ID
        build[build.index(head) + len(head)] ^= 1
        other = self.folder / "blockyard"
        other.write_bytes(build)
        other.chmod(0o755)
        path = self.write("p.sial", 'sial p\nprint "text"\nendsial p\n')
        done = subprocess.run([MPIEXEC, "-n", "1", common.BLOCKYARD, "run", path, ":", "-n", "1",
                               str(other), "--library", str(LIBRARY), "run", path],
                              cwd=self.folder, text=True, capture_output=True,
                              timeout=common.LIMIT_SECONDS, check=False)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("another build of blockyard", done.stderr)
        self.assertNotIn("text", done.stdout)

    def test_memory_is_that_of_the_process_with_the_least(self):
        path = self.write("p.sial", 'sial p\nprint "text"\nendsial p\n')
        arguments = [common.BLOCKYARD, "run", path, "-w", "1", "--report", "report.json"]
        limited = ["sh", "-c", 'ulimit -v 3000000; exec "$@"', "sh"]
        done = subprocess.run([MPIEXEC, "-n", "1", *arguments, ":", "-n", "1", *limited, *arguments],
                              cwd=self.folder, text=True, capture_output=True,
                              timeout=common.LIMIT_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = json.loads((self.folder / "report.json").read_text())
        memory = next(one for one in found["decisions"] if one["what"] == "memory of a process")
        self.assertIn("(ulimit -v) leaves (process 1, on ", memory["reason"])

    def test_one_process_prints(self):
        path = self.write("p.sial", 'sial p\nprint "text"\nendsial p\n')
        done = self.run_in(2, "run", path, "-w", 2)
        self.assertEqual((done.returncode, done.stdout), (0, "text\n"), done.stderr)

    def test_one_process_needs_no_mpi(self):
        run = [common.BLOCKYARD, "run", self.write("p.sial", 'sial p\nprint "text"\nendsial p\n'), "-w", "1"]
        twice = subprocess.run([MPIEXEC, "-n", "1", "sh", "-c", '"$@" && "$@"', "sh", *run], text=True, capture_output=True,
                               timeout=common.LIMIT_SECONDS, check=False)
        self.assertEqual((twice.returncode, twice.stdout), (0, "text\ntext\n"), twice.stderr)
        for left_over in ({"PMI_RANK": "0"}, {"OMPI_COMM_WORLD_SIZE": "abc"}, {"PMI_SIZE": ""}):
            with self.subTest(left_over=left_over):
                done = self.run_blockyard(*run[1:], environment=left_over)
                self.assertEqual((done.returncode, done.stdout), (0, "text\n"), done.stderr)

    def test_an_error_ends_all_processes_with_its_cause_once(self):
        path = self.write("p.sial", FAILING)
        done = self.run_in(2, "run", path, "-w", 1, "--segments", "ao=2,2,2,2")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("error: "), 1, done.stderr)
        # A race where the put came first; else the block is not there yet when it is read.
        self.assertRegex(done.stderr, "error: .*p.sial:1[34]: ")

    def test_a_job_file_that_is_not_there_ends_all_processes(self):
        done = self.run_in(2, "run", "no.toml")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("no.toml", done.stderr)


if __name__ == "__main__":
    unittest.main()
