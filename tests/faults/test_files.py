#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""None of the user's files is lost, replaced or left over: outputs, folders that runs share, streams, signals."""

import json
import os
import pathlib
import resource
import signal
import socket
import stat
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "jobs"))
import common  # pylint: disable=wrong-import-position

ENDLESS, SIZES = common.endless(2)
HELLO = 'sial hello\n  scalar x\n  x = 2.5\n  print "hello"\nendsial hello\n'
LARGE, LARGE_SIZES, LARGE_TOTAL = common.served_squares(30)
# More than a pipe holds: the run waits for its reader.
TALKATIVE = """sial talkative
index k = 1:3000
scalar x = 1.0
print "begun"
do k
  print "a line of some length, so that all of them together are more than the system keeps for a reader"
enddo k
set_persistent x "first"
endsial talkative
"""
QUIET = common.program("quiet", __file__)


class Files(common.JobTest):
    def start(self, *arguments, **options):
        return subprocess.Popen([common.BLOCKYARD, *map(str, arguments)], cwd=self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**os.environ, "TMPDIR": str(self.scratch)}, **options)

    def start_endless(self, *options):
        child = self.start("run", self.write("endless.sial", ENDLESS), *SIZES, "-w", 1, *options)
        self.assertEqual(child.stdout.readline(), "begun\n")
        return child

    def end(self, child, number):
        child.send_signal(number)
        _, errors = child.communicate(timeout=common.LIMIT_SECONDS)
        return errors


class Outputs(Files):
    def compiled(self, path):
        self.run_well("compile", self.write("hello.sial", HELLO), "-o", path)

    def test_links_and_permissions_stay(self):
        (self.folder / "private.byx").touch(mode=0o600)
        os.symlink("private.byx", self.folder / "link.byx")
        self.compiled("link.byx")
        self.assertTrue((self.folder / "link.byx").is_symlink())
        status = (self.folder / "private.byx").stat()
        self.assertEqual(stat.S_IMODE(status.st_mode), 0o600)
        self.assertGreater(status.st_size, 100)
        source = self.folder / "layout.sial"
        source.write_text(HELLO.replace("scalar x", "   scalar   x"))
        source.chmod(0o640)
        os.symlink("layout.sial", self.folder / "name.sial")
        self.run_well("fmt", "name.sial")
        self.assertEqual(source.read_text(), HELLO)
        self.assertEqual(stat.S_IMODE(source.stat().st_mode), 0o640)
        self.assertTrue((self.folder / "name.sial").is_symlink())

    def test_an_input_is_not_written_over(self):
        path = self.write("hello.sial", HELLO)
        self.assert_fails(self.run_blockyard("compile", path, "-o", "./hello.sial"), "hello.sial would be written over")
        os.symlink(path, self.folder / "link")
        for option in ("--json", "--report", "--trace", "--persistent"):
            self.assert_fails(self.run_blockyard("run", path, option, "link"), "link would be written over")
        self.assertEqual((self.folder / "hello.sial").read_text(), HELLO)
        done = self.run_blockyard("run", path, "--json", "out.json", "--report", "./out.json")
        self.assert_fails(done, "out.json is named for two outputs")
        self.run_well("run", path, "--json", "/dev/null", "--report", "/dev/null")
        done = self.run_blockyard("run", path, "--json", "-", "--qcschema", "-")
        self.assert_fails(done, "standard output (-) is named for two outputs")
        job = self.write("job.toml", 'programs = ["hello.sial"]\n')
        self.assert_fails(self.run_blockyard("plan", job, "--json", job), "job.toml would be written over")
        self.assert_fails(self.run_blockyard("dump", path, "--hdf5", path), "hello.sial would be written over")

    def test_a_persistent_file_that_cannot_be_locked_is_told_before_the_run(self):
        (self.folder / "kept.h5.lock").mkdir()
        done = self.run_blockyard("run", self.write("hello.sial", HELLO), "--persistent", "kept.h5")
        self.assert_fails(done, "kept.h5.lock")
        self.assertNotIn("hello", done.stdout)

    def test_an_empty_folder_for_checkpoints_stays_if_it_was_there(self):
        path = self.write("hello.sial", HELLO)
        (self.folder / "mine").mkdir()
        self.run_well("run", path, "--checkpoint-dir", "mine")
        self.run_well("run", path, "--checkpoint-dir", "new")
        self.assertTrue((self.folder / "mine").exists())
        self.assertFalse((self.folder / "new").exists())

    def test_a_compiled_program_may_have_any_name(self):
        self.compiled("hello.x")
        self.assertIn("hello", self.run_well("run", "hello.x").stdout)
        self.assertIn("print_text", self.run_well("dump", "hello.x").stdout)

    def test_what_is_not_a_regular_file_is_written_into(self):
        path = self.write("hello.sial", HELLO)
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        heard = []
        reader = threading.Thread(target=lambda: heard.append(fifo.read_text()))
        reader.start()
        self.run_well("run", path, "--json", fifo)
        reader.join()
        self.assertEqual(json.loads(heard[0])["scalars"]["x"], 2.5)
        self.assertTrue(stat.S_ISFIFO(fifo.stat().st_mode))
        done = self.run_well("run", path, "--quiet", "--json", "/dev/stdout")
        self.assertIn('"x": 2.5', done.stdout)
        self.compiled("/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))

    def test_a_full_disk_is_noticed_on_standard_output(self):
        path = self.write("hello.sial", HELLO)
        unused = self.write("unused.sial", HELLO.replace("x = 2.5", ""))
        for command in (["version"], ["--version"], ["--help"], ["run", "--help"], ["basis"],
                        ["fmt", "--stdout", path], ["compile", "--print", "ast", path], ["dump", "--opcodes"],
                        ["check", unused], ["run", path]):
            with self.subTest(command=command), open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([common.BLOCKYARD, *command], cwd=self.folder, stdout=full, text=True,
                                      stderr=subprocess.PIPE, check=False, timeout=common.LIMIT_SECONDS)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("No space left on device", done.stderr)

    def test_closed_streams_are_errors_and_never_files_of_ours(self):
        path = self.write("hello.sial", HELLO)
        for closed in ([1], [2], [0, 1, 2]):
            with self.subTest(closed=closed):
                command = [common.BLOCKYARD, "run", path, "--json", "out.json"]
                done = subprocess.run(command, cwd=self.folder, check=False, timeout=common.LIMIT_SECONDS,
                                      preexec_fn=lambda: [os.close(stream) for stream in closed])
                self.assertEqual(done.returncode, 1 if 1 in closed else 0)
        self.assertEqual(json.loads((self.folder / "out.json").read_text())["scalars"]["x"], 2.5)
        done = subprocess.run([common.BLOCKYARD, "run", "absent.sial"], check=False, cwd=self.folder,
                              timeout=common.LIMIT_SECONDS, preexec_fn=lambda: os.close(2))
        self.assertEqual(done.returncode, 1)

    def test_files_that_cannot_be_written_are_found_before_the_run(self):
        path = self.write("hello.sial", HELLO)
        for option in ("--persistent", "--json", "--report", "--trace"):
            done = self.run_blockyard("run", path, option, "absent/file")
            self.assert_fails(done, "cannot write absent/file")
            self.assertNotIn("hello", done.stdout)

    def run_tripping(self, name, call, at, *arguments):
        """The run fails since from its call number `at` on the disk of this output is full."""
        done = subprocess.run(
            [common.BLOCKYARD, "run", *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, check=False,
            env={**os.environ, "TMPDIR": str(self.scratch), "LD_PRELOAD": os.environ["TRIP"], "TRIP_CALL": call,
                 "TRIP_AT": str(at), "TRIP_ERRNO": "28", "TRIP_PATH": "." + name}, timeout=common.LIMIT_SECONDS)
        self.assert_fails(done, f"{name}: No space left on device")

    def test_a_file_that_fails_at_the_end_costs_only_itself(self):
        path = self.write("quiet.sial", QUIET)
        for failing, others in (("kept.h5", ["out.json", "run.json"]), ("out.json", ["kept.h5", "run.json"])):
            for name in others:
                (self.folder / name).unlink(missing_ok=True)
            self.run_tripping(failing, "rename", 1, path, *SIZES, "--persistent", "kept.h5", "--json", "out.json",
                              "--report", "run.json")
            for name in others:
                self.assertTrue((self.folder / name).exists(), name)

    def test_a_disk_that_is_full_while_hdf5_writes_costs_only_that_file(self):
        molecule = '[molecule]\ngeometry = """\nH 0 0 0\nH 0 0 0.74\n"""\n[basis]\nname = "sto-3g"\n'
        path = self.write("h2.toml", molecule + '[method]\nname = "ccsd"\n')
        quiet = self.write("quiet.sial", QUIET)
        for failing, arguments in (("saved.h5", (path, "--save", "saved.h5")),
                                   ("kept.h5", (quiet, *SIZES, "--persistent", "kept.h5"))):
            for at in (1, 2, 3, 5, 8, 13):
                with self.subTest(failing=failing, at=at):
                    (self.folder / "out.json").unlink(missing_ok=True)
                    self.run_tripping(failing, "pwrite", at, *arguments, "--json", "out.json")
                    self.assertTrue((self.folder / "out.json").exists())
                    self.assertEqual([path.name for path in self.folder.glob("*.h5")] +
                                     [path.name for path in self.folder.glob(".*")], [])


class Shared(Files):
    def test_top_removes_only_sockets_of_runs_that_are_gone(self):
        folder = self.folder / "runtime" / "blockyard"
        folder.mkdir(parents=True, mode=0o700)
        (folder / "1-0").write_text("a regular file")
        (folder / "notes.txt").write_text("another")
        precious = self.folder / "precious"
        precious.write_text("what a planted link leads to")
        os.symlink(precious, folder / "2-0")
        for name in ("3-0", "agent.socket"):
            with socket.socket(socket.AF_UNIX) as dead:
                dead.bind(str(folder / name))
        os.chmod(folder, 0o755)  # not ours alone: left untouched
        self.top()
        self.assertTrue((folder / "3-0").exists())
        os.chmod(folder, 0o700)
        self.assertIn("no blockyard runs", self.top())
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ["1-0", "2-0", "agent.socket", "notes.txt"])
        self.assertTrue(precious.exists())

    def top(self):
        done = subprocess.run([common.BLOCKYARD, "top", "--once"], text=True, capture_output=True, check=True,
                              env={**os.environ, "XDG_RUNTIME_DIR": str(self.folder / "runtime")},
                              timeout=common.LIMIT_SECONDS)
        return done.stdout

    def test_top_ends_by_a_signal_as_other_commands_do(self):
        with self.start("top", "--every", "0.1") as child:
            child.stdout.readline()
            self.end(child, signal.SIGTERM)
        self.assertEqual(child.returncode, 128 + signal.SIGTERM)

    def test_top_names_runs_that_do_not_answer_and_shows_no_control_characters(self):
        folder = self.folder / "runtime" / "blockyard"
        folder.mkdir(parents=True, mode=0o700)
        said = {"job": 8, "title": "water\u001b]0;owned\u0007", "program": "p", "workers": []}
        with socket.socket(socket.AF_UNIX) as stopped, socket.socket(socket.AF_UNIX) as full, \
                socket.socket(socket.AF_UNIX) as alive, socket.socket(socket.AF_UNIX) as earlier, \
                socket.socket(socket.AF_UNIX) as strange:
            for server, name in ((stopped, "6-1"), (full, "7-0"), (alive, "8-0"), (strange, "9-0")):
                server.bind(str(folder / name))
                server.listen(0)
            earlier.connect(str(folder / "7-0"))  # the only place in its queue

            def answer():
                for server, answered in ((alive, said), (strange, said | {"job": "nine", "workers": [3]})):
                    client, _ = server.accept()
                    client.sendall(json.dumps(answered).encode())
                    client.close()

            thread = threading.Thread(target=answer)
            thread.start()
            text = self.top()
            thread.join()
        self.assertIn("job 6, process 1: does not answer", text)
        self.assertIn("job 7, process 0: does not answer", text)
        self.assertIn("water?]0;owned?", text)
        self.assertNotIn("\u001b", text)

    def test_compare_shows_no_control_characters(self):
        path = self.write("hello.sial", HELLO)
        self.run_well("run", path, "--report", "run.json")
        report = json.loads((self.folder / "run.json").read_text())
        report["title"] = "water\u001b]0;owned\u0007"
        self.write("other.json", json.dumps(report))
        text = self.run_well("compare", "run.json", "other.json").stdout
        self.assertIn("water?]0;owned?", text)
        self.assertNotIn("\u001b", text)
        for key, value in (("programs", [{"name": 1}]), ("where", []), ("energies", 5)):
            self.write("strange.json", json.dumps(report | {key: value}))
            done = self.run_blockyard("compare", "run.json", "strange.json")
            self.assert_fails(done, "strange.json is not what `blockyard run --report` writes")
            self.assertNotIn("bug", done.stderr)

    def test_a_folder_of_checkpoints_has_one_run(self):
        with self.start_endless("--checkpoint-dir", "saved") as child:
            done = subprocess.run([common.BLOCKYARD, "run", "endless.sial", *SIZES, "--checkpoint-dir", "saved"],
                                  cwd=self.folder, capture_output=True, text=True, check=False,
                                  timeout=common.LIMIT_SECONDS)
            self.assert_fails(done, "saved is in use", f"process {child.pid} ", "--checkpoint-dir")
            self.end(child, signal.SIGTERM)
        self.assertTrue((self.folder / "saved" / "checkpoint-000001").is_dir())
        done = self.run_blockyard("run", "endless.sial", *SIZES, "--checkpoint-dir", "saved")
        self.assert_fails(done, "holds the checkpoints of another run")

    def test_a_killed_run_keeps_nobody_out_of_its_checkpoints(self):
        with self.start_endless("--checkpoint-dir", "saved", "--checkpoint", "1h") as child:
            child.kill()
        self.assertTrue((self.folder / "saved" / "lock").exists())
        self.run_well("run", self.write("hello.sial", HELLO), "--checkpoint-dir", "saved")
        self.assertFalse((self.folder / "saved").exists())

    def test_labels_that_another_run_kept_meanwhile_stay(self):
        first = self.write("talkative.sial", TALKATIVE)
        second = self.write("quiet.sial", QUIET)
        for _ in range(2):  # the file is made, then changed
            with self.start("run", first, *SIZES, "-w", 1, "--persistent", "kept.h5") as child:
                self.assertEqual(child.stdout.readline(), "begun\n")
                done = self.start("run", second, *SIZES, "--persistent", "kept.h5")
                _, errors = done.communicate(timeout=common.LIMIT_SECONDS)
                self.assertEqual(done.returncode, 0, errors)
                _, errors = child.communicate(timeout=common.LIMIT_SECONDS)
            self.assertEqual(child.returncode, 0, errors)
            text = self.run_well("dump", "kept.h5").stdout
            for label in ('scalar "first" = 1', 'scalar "second" = 2', '"matrix"', '"blocks" [1 1]: 2 of 2'):
                self.assertIn(label, text)
        self.assertFalse((self.folder / "kept.h5.lock").exists())


class Ends(Files):
    def test_what_a_killed_run_left_goes_at_the_next_start(self):
        path = self.write("large.sial", LARGE)
        done = subprocess.run([common.BLOCKYARD, "run", path, *LARGE_SIZES, "--memory", "8M", "-w", "1"],
                              cwd=self.folder, capture_output=True, text=True, check=False,
                              env={**os.environ, "TMPDIR": str(self.scratch), "LD_PRELOAD": os.environ["TRIP"],
                                   "TRIP_CALL": "pwrite", "TRIP_PATH": ".spill", "TRIP_AT": "9",
                                   "TRIP_SIGNAL": str(int(signal.SIGKILL))}, timeout=common.LIMIT_SECONDS)
        self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
        left = [path for folder in self.scratch.iterdir() for path in folder.iterdir()]
        self.assertEqual([path.name for path in left], ["lock"], "a spill file is left")
        with self.start_endless() as child:  # an active run's stays, a dead one's goes
            self.assertEqual(len(list(self.scratch.iterdir())), 1)
            other = self.start("run", self.write("hello.sial", HELLO))
            other.communicate(timeout=common.LIMIT_SECONDS)
            self.assertEqual(other.returncode, 0)
            self.assertEqual(len(list(self.scratch.iterdir())), 1)
            self.end(child, signal.SIGTERM)
        self.assertEqual(list(self.scratch.iterdir()), [])

    def test_an_interrupted_run_with_checkpoints_saves_and_says_how_to_go_on(self):
        for number, word in ((signal.SIGINT, "interrupted"), (signal.SIGHUP, "SIGHUP"), (signal.SIGXCPU, "SIGXCPU")):
            folder = f"saved-{int(number)}"
            with self.start_endless("--checkpoint-dir", folder) as child:
                errors = self.end(child, number)
            self.assertEqual(child.returncode, 128 + number, errors)
            self.assertIn(word, errors)
            self.assertIn("blockyard resume", errors)
            self.assertTrue((self.folder / folder / "checkpoint-000001").is_dir())

    def test_what_a_resumed_run_keeps_is_not_written_over_from_any_folder(self):
        with self.start_endless("--checkpoint-dir", "saved", "--persistent", "kept.h5") as child:
            self.end(child, signal.SIGTERM)
        (self.folder / "other").mkdir()
        done = subprocess.run([common.BLOCKYARD, "resume", "../saved", "--json", "../kept.h5"], text=True, check=False,
                              cwd=self.folder / "other", capture_output=True, timeout=common.LIMIT_SECONDS)
        self.assert_fails(done, "kept.h5 is named for two outputs")

    def test_a_hangup_that_the_caller_ignores_does_not_end_a_run(self):
        child = self.start("run", self.write("endless.sial", ENDLESS), *SIZES, "-w", 1,
                           preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        with child:
            self.assertEqual(child.stdout.readline(), "begun\n")
            child.send_signal(signal.SIGHUP)
            errors = self.end(child, signal.SIGTERM)
        self.assertEqual(child.returncode, 128 + signal.SIGTERM, errors)

    @unittest.skipIf(common.IS_SANITIZED, "sanitizers need the address space")
    def test_a_limit_of_address_space_or_data_does_not_keep_a_run_from_its_end(self):
        path = self.write("hello.sial", HELLO)
        for limited, mebibytes in ((resource.RLIMIT_AS, 195), (resource.RLIMIT_DATA, 98)):
            limit = (mebibytes << 20, mebibytes << 20)
            for command in (["version"], ["run", path], ["run", "absent.sial"]):
                with self.start(*command, preexec_fn=lambda: resource.setrlimit(limited, limit)) as child:
                    try:
                        child.communicate(timeout=common.LIMIT_SECONDS)
                    except subprocess.TimeoutExpired:
                        child.kill()
                        self.fail(f"{command} does not end")

    def test_few_descriptors_leave_no_scratch_folder(self):
        path = self.write("large.sial", LARGE)
        for count in (4, 5, 6, 8):
            done = self.run_blockyard("run", path, *LARGE_SIZES, "--memory", "8M", "-w", 1,
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count)))
            self.assertIn(done.returncode, (0, 1), done.stderr)


class Names(Files):
    def test_errors_name_the_file(self):
        molecule = '[molecule]\ngeometry = """\nO 0 0 0\nH 0 zero 1\n"""\n[basis]\nname = "sto-3g"\n'
        self.write("broken.toml", molecule + '[method]\nname = "scf"\n')
        self.write("nothing.toml", 'title = "x"\n')
        odd = molecule.replace("H 0 zero 1\n", "H 0 0 1\n")
        self.write("odd.toml", odd + '[method]\nname = "scf"\n')
        (self.folder / "ZMAT").write_text("odd\nH 0 0 0\n\n*ACES2(BASIS=STO-3G)\n")
        self.write("damaged.spill", "BYSPILL\n" + "x" * 100)
        for command, parts in ((["run", "broken.toml"], ["broken.toml:2", "line 2: 'zero' is not a number"]),
                               (["run", "nothing.toml"], ["nothing.toml: nothing to run"]),
                               (["run", "odd.toml"], ["odd.toml: multiplicity 1 is impossible"]),
                               (["plan", "odd.toml"], ["odd.toml: multiplicity 1 is impossible"]),
                               (["run", "ZMAT"], ["ZMAT: multiplicity 1 is impossible"]),
                               (["dump", "damaged.spill"], ["damaged.spill is not a spill file"])):
            self.assert_fails(self.run_blockyard(*command), *parts)
        self.run_well("run", self.write("quiet.sial", QUIET), *SIZES, "--persistent", "kept.h5")
        kept = bytearray((self.folder / "kept.h5").read_bytes())
        (self.folder / "cut.h5").write_bytes(kept[:len(kept) // 2])
        self.assert_fails(self.run_blockyard("dump", "cut.h5"), "cut.h5")


if __name__ == "__main__":
    unittest.main()
