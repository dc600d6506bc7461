#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a job reads is not written over, and is not read before it is known to be a file."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "jobs"))
import common  # pylint: disable=wrong-import-position


class Inputs(common.JobTest):
    def test_what_a_job_names_is_not_written_over(self):
        atom = "1\n\nHe 0 0 0\n"
        self.write("w.xyz", atom)
        helium = '[molecule]\nfile = "w.xyz"\n[basis]\n%s\n[method]\nname = "scf"\n[run]\nworkers = 1\n'
        self.write("b.nw", "basis\nHe S\n 1.0 1.0\nend\n")
        self.write("named.toml", helium % 'name = "sto-3g"')
        self.write("own.toml", helium % 'file = "b.nw"')
        self.write("atoms.toml", helium % 'name = "sto-3g"\natoms.He.file = "b.nw"')
        self.write("machine.toml", "cores = 4\n")
        self.run_well("run", "named.toml", "--save", "guess.h5")
        read = {name: (self.folder / name).read_bytes() for name in ("w.xyz", "b.nw", "machine.toml", "guess.h5")}
        for name, command in (("w.xyz", ("run", "named.toml", "--json", "w.xyz")),
                              ("w.xyz", ("run", "named.toml", "own.toml", "--json", "w.xyz")),
                              ("b.nw", ("run", "own.toml", "--molden", "b.nw")),
                              ("b.nw", ("run", "atoms.toml", "--molden", "b.nw")),
                              ("guess.h5", ("run", "named.toml", "--guess", "guess.h5", "--report", "guess.h5")),
                              ("machine.toml", ("plan", "named.toml", "--machine", "machine.toml", "--json",
                                                "machine.toml"))):
            with self.subTest(command=command):
                self.assert_fails(self.run_blockyard(*command), f"{name} would be written over, but it is read")
        for name, content in read.items():
            self.assertEqual((self.folder / name).read_bytes(), content)
        self.run_well("run", "named.toml", "--guess", "guess.h5", "--save", "guess.h5")

    def test_what_a_program_imports_is_not_written_over(self):
        (self.folder / "folder").mkdir()
        texts = {"main.sial": 'import "one.sial"\nsial main\n  x = 1.0\n  print x\nendsial main\n',
                 "one.sial": 'import "two.sial"\nsial one\nendsial one\n',
                 "folder/two.sial": "sial two\n  scalar x\nendsial two\n",
                 "broken.sial": 'import "one.sial"\nsial broken\n  y = \nendsial broken\n',
                 "job.toml": 'programs = ["main.sial"]\n[run]\nworkers = 1\n',
                 "broken.toml": 'programs = ["broken.sial"]\n'}
        for name, text in texts.items():
            self.write(name, text)
        find = ("-I", "folder")
        for command in (("run", "main.sial", "--json", "folder/two.sial", *find),
                        ("run", "main.sial", "--save", "./folder/two.sial", *find),
                        ("run", "job.toml", "--report", "folder/two.sial", *find),
                        ("run", "job.toml", "broken.toml", "--json", "folder/two.sial", *find),
                        ("run", "broken.toml", "job.toml", "--json", "folder/two.sial", *find),
                        ("run", "job.toml", "--scan", "run.seed=1,2", "--json", "folder/two.sial", *find),
                        ("plan", "job.toml", "--json", "folder/two.sial", *find),
                        ("compile", "main.sial", "-o", "folder/two.sial", *find)):
            with self.subTest(command=command):
                done = self.run_blockyard(*command)
                self.assert_fails(done, "folder/two.sial would be written over, but it is read")
                self.assertNotIn("main", done.stdout)
        for name, text in texts.items():
            self.assertEqual((self.folder / name).read_text(), text)

    def test_a_pipe_is_refused_before_it_is_read(self):
        os.mkfifo(self.folder / "pipe.toml")
        for command in ("run", "plan", "convert"):
            end = ("out.toml",) if command == "convert" else ()
            self.assert_fails(self.run_blockyard(command, "pipe.toml", *end), "pipe.toml is a pipe", "'-'")

    def test_an_input_that_fails_while_it_is_read_is_not_taken_for_a_shorter_one(self):
        self.write("w.xyz", "1\n\nHe 0 0 0\n")
        self.write("b.nw", "basis\nHe S\n 1.0 1.0\nend\n")
        self.write("a.sial", "sial a\nscalar x\nx = 1.0\nprint x\nendsial a\n")
        self.write("block.sial", "sial block\nspecial read_block_from_text_file w\nindex i = 1:1\nlocal a[i]\nallocate a[*]\n"
                                 "do i\nexecute read_block_from_text_file a[i]\nenddo i\nendsial block\n")
        self.write("a[1].txt", "1 2.5\n")
        self.write("job.toml", "# " + 70000 * "-" + '\nprograms = ["a.sial"]\n')
        self.write("helium.toml", '[molecule]\nfile = "w.xyz"\n[basis]\nfile = "b.nw"\n[method]\nname = "scf"\n')
        for name, at, command in (("job.toml", 2, ("run", "job.toml")), ("a.sial", 1, ("run", "a.sial")),
                                  ("a.sial", 1, ("check", "a.sial")), ("a.sial", 1, ("run", "job.toml")),
                                  ("w.xyz", 1, ("run", "helium.toml")), ("b.nw", 1, ("run", "helium.toml")),
                                  ("a[1].txt", 1, ("run", "block.sial", "-w", "1"))):
            with self.subTest(name=name, command=command):
                failing = {"LD_PRELOAD": os.environ["TRIP"], "TRIP_CALL": "read", "TRIP_AT": str(at), "TRIP_ERRNO": "5",
                           "TRIP_PATH": name}
                done = self.run_blockyard(*command, environment=failing)
                said = done.stdout + done.stderr  # of check: its findings
                self.assertEqual((done.returncode, said.count("error: ")), (1, 1), said)
                self.assertRegex(said, f"cannot read {re.escape(name)}: Input/output error")
                self.assertNotIn("bug", said)

    def test_a_closed_standard_input_is_not_an_empty_job(self):
        done = subprocess.run([common.BLOCKYARD, "run", "-"], cwd=self.folder, capture_output=True, text=True, check=False,
                              timeout=common.LIMIT_SECONDS, preexec_fn=lambda: os.close(0))
        self.assert_fails(done, "cannot read standard input: Bad file descriptor")


if __name__ == "__main__":
    unittest.main()
