#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that know nothing of Blockyard compute on a device of a server, and lose nothing when it goes."""

import contextlib
import ctypes.util
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

from cut import Proxy

BLOCKYARD = os.environ["BLOCKYARD"]
LIBRARY = os.environ["LIBRARY"]
LIBRARY_REMOTE = os.environ["LIBRARY_REMOTE"]  # with level 1
CALLER = os.environ["CALLER"]
LEVEL3_CALLER = os.environ["LEVEL3_CALLER"]
VECTORS_CALLER = os.environ["VECTORS_CALLER"]
LAPACK_CALLER = os.environ["LAPACK_CALLER"]
RULES_CALLER = os.environ["RULES_CALLER"]
FFTW_CALLER = os.environ["FFTW_CALLER"]  # empty: this machine has no FFTW to build it with
POISSON = os.environ["POISSON"]
TABLES = pathlib.Path(os.environ["TABLES"])
EXAMPLES = pathlib.Path(os.environ["EXAMPLES"])
JOB = EXAMPLES.parents[1] / "demo" / "h2o.toml"
LIMIT_SECONDS = 120

PRODUCT = """
import numpy
random = numpy.random.default_rng(3)
a, b = random.standard_normal((2, 500, 500))
exact = sum(numpy.outer(a[:, k], b[k, :]) for k in range(500))
print(numpy.abs(a @ b - exact).max() < 1e-10, numpy.abs(a.T @ b.T - exact.T).max() < 1e300)
"""


def has_numpy():
    return subprocess.run([sys.executable, "-c", "import numpy"], capture_output=True, check=False).returncode == 0


def has_tls():
    return bool(ctypes.util.find_library("ssl"))


def children_of(parent, words=""):
    """Processes of a parent whose command line has these words."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state = (folder / "stat").read_text()
            command = (folder / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
            if int(state.rpartition(")")[2].split()[1]) == parent and words in command:
                found.append(int(folder.name))
    return found


class Server:
    """A server at a socket of its own, that listens when this is made."""

    def __init__(self, folder, *options, name="socket"):
        self.address = f"unix:{folder}/{name}"
        self.process = subprocess.Popen([BLOCKYARD, "offload", "serve", "--listen", self.address, *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if "at unix:" not in self.process.stdout.readline():
            raise RuntimeError("the server did not start")

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.stdout.close()
        return self.process.wait(LIMIT_SECONDS)


class Offload(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def serve(self, *options, **more):
        server = Server(self.folder, *options, **more)
        self.addCleanup(lambda: server.process.poll() is None and server.end(signal.SIGKILL))
        return server

    def offload(self, *words, code=0, folder=None):
        done = subprocess.run([BLOCKYARD, "offload", *map(str, words)], capture_output=True, text=True,
                              timeout=LIMIT_SECONDS, check=False, cwd=folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def run_at(self, address, *program, place="remote", code=0, token=None):
        """The output of the program, and calls by place."""
        report = self.folder / "report.json"
        known_by = () if token is None else ("--token", token)
        done = self.offload("run", "--server", address, *known_by, "--place", place, "--report", report, "--", *program,
                            code=code)
        calls = {"local": 0, "remote": 0}
        for routine in json.loads(report.read_text())["routines"]:
            calls[routine["place"]] += routine["calls"]
            self.assertGreaterEqual(routine["bytes"], 0, routine)
        return done, calls

    def test_products_of_all_kinds_on_a_device(self):
        for device in ("host", "sim"):
            with self.subTest(device):
                server = self.serve("--device", device, name=device)
                done, calls = self.run_at(server.address, CALLER)
                self.assertEqual(done.stdout, "0 wrong\n")
                self.assertGreater(calls["remote"], 180)
                self.assertEqual(calls["local"], 0)
                self.assertEqual(server.end(), 0)

    def test_all_of_level_3_on_a_device(self):
        for device in ("host", "sim"):
            with self.subTest(device):
                server = self.serve("--device", device, name=device)
                done, calls = self.run_at(server.address, LEVEL3_CALLER)
                self.assertRegex(done.stdout, r"^\d+ calls, 0 wrong\n$")
                self.assertGreater(calls["remote"], 2000)
                self.assertEqual(calls["local"], 0)
                server.end()

    def test_levels_1_and_2_and_batches_on_a_device(self):
        self.assertRegex(subprocess.run([VECTORS_CALLER], check=True, capture_output=True, text=True,
                                        timeout=LIMIT_SECONDS).stdout, r", 0 wrong\n$")
        for device in ("host", "sim"):
            with self.subTest(device):
                server = self.serve("--device", device, name=device)
                done, calls = self.run_at(server.address, VECTORS_CALLER, "exact")
                self.assertRegex(done.stdout, r"^\d+ calls, 0 wrong\n$")
                found = json.loads((self.folder / "report.json").read_text())["routines"]
                self.assertLessEqual({"dgemv", "dger", "zgeru", "zgerc", "dsymv", "zhemv", "dtrmv", "dtrsv", "ddot", "zdotu",
                                      "zdotc", "daxpy", "dgemm"}, {one["routine"] for one in found})
                self.assertGreater(calls["remote"], 400)
                self.assertEqual(calls["local"], 0)
                server.end()
        server = self.serve("--client-memory", "16K", name="small")  # matrices have no room
        self.assertRegex(self.run_at(server.address, VECTORS_CALLER)[0].stdout, r", 0 wrong\n$")
        server.end()
        done, calls = self.run_at(f"unix:{self.folder}/nobody", VECTORS_CALLER)
        self.assertRegex(done.stdout, r", 0 wrong\n$")
        self.assertEqual(calls["remote"], 0)

    def test_products_from_two_ends(self):
        for device in ("host", "sim"):
            with self.subTest(device):
                server = self.serve("--device", device, name=device)
                done, calls = self.run_at(server.address, CALLER, place="both")
                self.assertEqual(done.stdout, "0 wrong\n")
                self.assertGreater(calls["remote"], 0)
                server.end()
        if has_numpy():
            server = self.serve()
            done, calls = self.run_at(server.address, sys.executable, "-c", PRODUCT, place="both")
            self.assertEqual(done.stdout, "True True\n")

    def test_whole_routines_of_lapack_on_a_device(self):
        server = self.serve("--device", "host")
        done, calls = self.run_at(server.address, LAPACK_CALLER)
        self.assertRegex(done.stdout, r"^\d+ tests, 0 wrong\n$")
        self.assertEqual(calls["local"], 4)  # getri of what has no inverse
        self.assertGreater(calls["remote"], 250)

    def test_calls_go_to_another_server_when_the_first_is_not_there(self):
        server = self.serve("--device", "sim")
        done, calls = self.run_at(f"unix:{self.folder}/nobody,1us,9GB/s@{server.address}#1", CALLER)
        self.assertEqual(done.stdout, "0 wrong\n")
        self.assertEqual(calls["local"], 0)
        told = [line for line in done.stderr.splitlines() if line.startswith("blockyard:")]
        self.assertEqual(len(told), 1, done.stderr)

    def test_one_call_is_computed_by_several_servers_also_when_one_is_lost(self):
        if not has_numpy():
            self.skipTest("this Python has no NumPy")
        one, two = (self.serve("--device", "sim", name=name) for name in ("one", "two"))
        for place in ("remote", "both"):
            for limit in (10**12, 1_000_000, 100_000):  # bytes after which the way to the second server breaks
                with self.subTest(place=place, limit=limit):
                    path = self.folder / f"{place}{limit}"
                    proxy = Proxy(path, self.folder / "two", limit)
                    try:
                        done = self.offload("run", "--server", f"{one.address},unix:{path}", "--place", place, "--log", "call",
                                            "--", sys.executable, "-c", PRODUCT.replace("500", "300"))
                    finally:
                        proxy.end()
                    self.assertEqual(done.stdout, "True True\n")
                    self.assertIn("on 2 devices", done.stderr)
        self.assertEqual((one.end(), two.end()), (0, 0))

    def test_clients_share_a_device_and_status_shows_it(self):
        if not has_numpy():
            self.skipTest("this Python has no NumPy")
        server = self.serve("--device", "host", "--memory", "9M")
        self.assertEqual(self.run_at(server.address, sys.executable, "-c", PRODUCT)[0].stdout, "True True\n")
        waits = PRODUCT + "import sys; sys.stdout.flush(); sys.stdin.readline()"
        program = subprocess.Popen([BLOCKYARD, "offload", "run", "--quiet", "--server", server.address, "--place", "remote",
                                    "--", sys.executable, "-c", waits], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.assertEqual(program.stdout.readline(), "True True\n")
        shown = json.loads(self.offload("status", "--server", server.address, "--json").stdout)["devices"][0]
        self.assertEqual(shown["limit_bytes"], 9 << 20)
        self.assertEqual(len(shown["clients"]), 1)
        client = shown["clients"][0]
        self.assertEqual((client["weight"], client["queued"]), (1, 0))
        self.assertGreater(client["used_seconds"], 0)
        self.assertGreater(client["memory_bytes"], 0)
        self.assertEqual(shown["used_bytes"], client["memory_bytes"])
        for rate in ("received_bytes_per_second", "sent_bytes_per_second", "device_seconds_per_second"):
            self.assertGreaterEqual(min(shown[rate], client[rate]), 0)
        self.assertIn("100 %", self.offload("status", "--server", server.address).stdout)
        self.assertIn('blockyard_offload_client_seconds{device="0",client="a client",number="0"} ',
                      self.offload("status", "--server", server.address, "--prometheus").stdout)
        # Another client needs nearly all there is: the first one gives back what it keeps.
        large = "import numpy; print((numpy.ones((64, 900)) @ numpy.ones((900, 900))).max())"
        self.assertEqual(self.run_at(server.address, sys.executable, "-c", large)[0].stdout, "900.0\n")
        while shown["clients"][0]["memory_bytes"] >= client["memory_bytes"]:
            shown = json.loads(self.offload("status", "--server", server.address, "--json").stdout)["devices"][0]
        program.communicate("\n", timeout=LIMIT_SECONDS)
        server.end()

    def test_what_surrounds_calls_in_programs_does_no_harm(self):
        """Refusals, NaN, threads, signals, closed streams, calls at the very end."""
        for device in ("host", "sim"):
            with self.subTest(device):
                server = self.serve("--device", device, name=device)
                done, calls = self.run_at(server.address, RULES_CALLER)
                self.assertEqual(done.stdout, "0 wrong\n")
                self.assertGreater(calls["remote"], 60)
                server.end()

    def test_transforms_on_a_device(self):
        if not FFTW_CALLER:
            self.skipTest("this machine has no libfftw3-dev")
        for device in ("host", "sim"):
            with self.subTest(device):
                server = self.serve("--device", device, name=device)
                done, calls = self.run_at(server.address, FFTW_CALLER)
                executions = re.fullmatch(r"(\d+) executions, \d+ tests, 0 wrong\n", done.stdout)
                self.assertTrue(executions, done.stdout)
                self.assertEqual(calls, {"local": 0, "remote": int(executions[1])})
                server.end()

    def test_what_a_device_does_not_know_is_computed_locally(self):
        server = self.serve("--device", "sim", "--only-device")  # has no QR, no eigenvalues
        done, calls = self.run_at(server.address, LAPACK_CALLER)
        self.assertRegex(done.stdout, r"^\d+ tests, 0 wrong\n$")
        self.assertGreater(calls["local"], 50)
        self.assertGreater(calls["remote"], 50)
        server.end()
        server = self.serve("--device", "sim")  # the processors of the server help out
        done, calls = self.run_at(server.address, LAPACK_CALLER)
        self.assertRegex(done.stdout, r"^\d+ tests, 0 wrong\n$")
        self.assertEqual(calls["local"], 4)  # getri of what has no inverse

    def test_what_has_no_room_on_the_device_is_computed_locally(self):
        server = self.serve("--client-memory", "16K")
        done, calls = self.run_at(server.address, CALLER)
        self.assertEqual(done.stdout, "0 wrong\n")
        self.assertGreater(calls["local"], 10)
        self.assertGreater(calls["remote"], 20)

    def test_what_has_no_room_as_a_whole_goes_in_pieces(self):
        """Operands, factors and transforms larger than the memory of the device."""
        for device in ("host", "sim"):
            for program, memory, routines in ((LEVEL3_CALLER, "40K", {"dgemm", "dtrsm", "dtrmm", "dsyrk", "dsymm", "zherk"}),
                                              (LAPACK_CALLER, "128K", {"dgetrf", "dpotrf", "dtrsm", "dgemm", "dsyrk", "zherk"}),
                                              (FFTW_CALLER, "8K", {"fftw_c2c", "fftw_r2c", "fftw_c2r", "fftw_r2r"})):
                if not program:
                    continue
                with self.subTest(device=device, program=program):
                    server = self.serve("--device", device, "--client-memory", memory, name=f"{device}{memory}")
                    done, _ = self.run_at(server.address, program, "large")
                    self.assertRegex(done.stdout, r", 0 wrong\n$")
                    found = json.loads((self.folder / "report.json").read_text())["routines"]
                    there = {one["routine"] for one in found if one["place"] == "remote"}
                    self.assertLessEqual(routines, there)
                    if program == FFTW_CALLER:
                        self.assertEqual({one["place"] for one in found}, {"remote"})
                    server.end()

    def test_a_transform_in_two_passes_moves_its_bytes_twice(self):
        if not FFTW_CALLER:
            self.skipTest("this machine has no libfftw3-dev")
        moved = []
        for memory in ("1M", "8K"):
            server = self.serve("--device", "sim", "--client-memory", memory, name=memory)
            self.run_at(server.address, FFTW_CALLER, "large")
            found = json.loads((self.folder / "report.json").read_text())["routines"]
            moved.append(sum(one["bytes"] for one in found))
            server.end()
        self.assertLess(moved[1] / moved[0], 2.2)
        self.assertGreater(moved[1] / moved[0], 1.5)

    def test_check_mode_compares_every_call_of_the_device(self):
        server = self.serve("--device", "host")
        for program in filter(None, (CALLER, LAPACK_CALLER, FFTW_CALLER, VECTORS_CALLER)):
            report = self.folder / "report.json"
            done = self.offload("run", "--server", server.address, "--place", "remote", "--check", "--report", report,
                                "--", program)
            self.assertRegex(done.stdout, r"\b0 wrong\n$")
            self.assertNotIn("is wrong", done.stderr)
            found = json.loads(report.read_text())
            self.assertEqual(sum(one["wrong"] for one in found["checks"]), 0, found["checks"])
            self.assertEqual(sum(one["calls"] for one in found["checks"]),
                             sum(one["calls"] for one in found["routines"] if one["place"] == "remote"))

    def test_the_report_tells_where_the_time_went_and_why(self):
        if not has_numpy():
            self.skipTest("this Python has no NumPy")
        steps = ("to_server", "to_device", "plan", "compute", "from_device", "from_server")
        twice = PRODUCT.replace("500", "150") + "print(numpy.abs(a @ b - exact).max() < 1e-10)"
        for device in ("host", "sim"):
            server = self.serve("--device", device, name=device)
            done, _ = self.run_at(server.address, sys.executable, "-c", twice)
            rows = json.loads((self.folder / "report.json").read_text())["routines"]
            self.assertEqual({(one["routine"], one["place"], one["why"], one["shape"]) for one in rows},
                             {("dgemm", "remote", "asked", "150 x 150 x 150")})
            row = {key: sum(one[key] for one in rows) for key in ("calls", "kept", "kept_bytes", "bytes", "compared", *steps)}
            self.assertEqual(row["calls"], 3)
            self.assertGreater(row["kept"], 0)  # operands of the third product
            self.assertGreaterEqual(row["kept_bytes"], 2 * 8 * 150**2)
            for step in ("to_server", "plan", "compute", "from_server"):
                self.assertGreater(row[step], 0, step)
            self.assertEqual(row["compared"], 0)
            self.assertRegex(done.stderr, r"routine +place +calls +seconds +moved +Gflop/s +kept +saved")
            if device == "sim":  # whose memory is not that of the server
                self.assertGreater(min(row["to_device"], row["from_device"]), 0)
            server.end()
        shown = self.offload("run", "--json", "--server", f"unix:{self.folder}/nobody", "--place", "remote", "--",
                             sys.executable, "-c", PRODUCT).stderr
        said = json.loads(shown[shown.index("{"):])
        self.assertEqual({(one["place"], one["why"]) for one in said["routines"]}, {("local", "no server")})
        page = self.folder / "report.html"
        subprocess.run([BLOCKYARD, "report", self.folder / "report.json"], check=True, capture_output=True, timeout=LIMIT_SECONDS)
        text = page.read_text()
        for words in ("<h2>Where the time goes</h2>", "<td>150 x 150 x 150", "<td>asked</td>", "from server"):
            self.assertIn(words, text)

    def test_serve_and_token_answer_in_json(self):
        said = json.loads(self.offload("token", "laptop", "--weight", "2", "--tokens", self.folder / "tokens", "--json",
                                       folder=self.folder).stdout)
        self.assertEqual(said, {"name": "laptop", "weight": 2.0, "tokens": f"{self.folder}/tokens", "token": "laptop.token"})
        self.assertEqual((self.folder / said["token"]).stat().st_mode & 0o777, 0o600)
        address = f"unix:{self.folder}/socket"
        with subprocess.Popen([BLOCKYARD, "offload", "serve", "--listen", address, "--device", "sim", "--json"],
                              stdout=subprocess.PIPE, text=True) as server:
            said = json.loads(server.stdout.readline())
            server.terminate()
        self.assertEqual((said["kind"], said["places"]), ("sim", [address]))
        self.assertGreater(said["devices"], 0)
        self.assertEqual(server.returncode, 0)

    def test_deterministic_mode_goes_by_what_was_measured_beforehand(self):
        if not has_numpy():
            self.skipTest("this Python has no NumPy")
        server = self.serve("--device", "host")
        cache = {"XDG_CACHE_HOME": str(self.folder)}

        def places():
            report = self.folder / "report.json"
            done = subprocess.run([BLOCKYARD, "offload", "run", "--server", server.address, "--deterministic", "--report",
                                   report, "--", sys.executable, "-c", PRODUCT], capture_output=True, text=True, timeout=LIMIT_SECONDS,
                                  check=True, env=os.environ | cache)
            self.assertEqual(done.stdout, "True True\n")
            return done.stderr, {(one["routine"], one["place"], one["shape"]): (one["calls"], one["why"])
                                 for one in json.loads(report.read_text())["routines"]}

        told, before = places()
        self.assertIn("offload calibrate", told)
        self.assertFalse([place for _, place, _ in before if place == "remote"])
        self.assertEqual({why for _, why in before.values()}, {"not measured"})
        done = subprocess.run([BLOCKYARD, "offload", "calibrate", "--server", server.address, "--json"],
                              capture_output=True, text=True, timeout=LIMIT_SECONDS, check=True, env=os.environ | cache)
        measured = json.loads(done.stdout)
        self.assertGreater(measured["up_bytes_a_second"], 0)
        self.assertEqual(list(measured["products"]), ["sgemm", "dgemm", "cgemm", "zgemm"])
        kept = pathlib.Path(measured["file"])
        text = kept.read_text()
        for factor, expected in ((1e6, "remote"), (1e-6, "local")):  # a device that is so much faster, or slower
            kept.write_text(re.sub(r"(?m)^(device_flops_a_second_.) (.*)$", lambda found, factor=factor:
                                   f"{found[1]} {float(found[2]) * factor:g}",
                                   re.sub(r"(?m)^(.*_bytes_a_second|latency_seconds) .*$", lambda found:
                                          f"{found[1]} {1e-9 if 'latency' in found[1] else 1e15}", text)))
            told, found = places()
            self.assertNotIn("offload calibrate", told)
            self.assertEqual({place for _, place, _ in found}, {expected})
            self.assertEqual({why for _, why in found.values()}, {{"remote": "faster", "local": "slower"}[expected]})
            self.assertEqual(found, places()[1])

    def test_the_child_of_a_fork_begins_anew(self):
        """BLOCKYARD_FORKS=1000 tries that many."""
        server = self.serve()
        done, _ = self.run_at(server.address, CALLER, "fork", os.environ.get("BLOCKYARD_FORKS", "30"))
        self.assertEqual(done.stdout, "0 wrong\n")
        self.assertEqual(server.end(), 0)

    def test_without_a_server_the_program_runs_as_ever_with_one_line(self):
        done, calls = self.run_at(f"unix:{self.folder}/nobody", CALLER)
        self.assertEqual(done.stdout, "0 wrong\n")
        self.assertEqual(calls["remote"], 0)
        told = [line for line in done.stderr.splitlines() if line.startswith("blockyard:")]
        self.assertEqual(len(told), 1, done.stderr)
        self.assertIn("no server answers at unix:", told[0])

    def test_who_requires_a_server_is_told_before_the_program_starts(self):
        done = self.offload("run", "--require", "--server", f"unix:{self.folder}/nobody", "--", CALLER, code=1)
        self.assertEqual(done.stdout, "")
        self.assertIn("no server answers", done.stderr)

    def test_a_server_that_is_killed_costs_no_result(self):
        server = self.serve("--device", "sim")
        program = subprocess.Popen([BLOCKYARD, "offload", "run", "--server", server.address, "--place", "remote", "--log",
                                    "call", "--", CALLER], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(40):  # calls that went to the device
            program.stderr.readline()
        server.end(signal.SIGKILL)
        out, _ = program.communicate(timeout=LIMIT_SECONDS)
        self.assertEqual(out, "0 wrong\n")
        self.assertEqual(program.returncode, 0)

    def test_a_device_whose_process_is_killed_comes_back_and_costs_no_result(self):
        """Those of other devices notice nothing; by seed: after how many calls it is killed."""
        server = self.serve("--device", "sim", "--isolation", "process")
        seeded = random.Random(22)

        def start(number):
            return subprocess.Popen([BLOCKYARD, "offload", "run", "--server", f"{server.address}#{number}", "--place",
                                     "remote", "--log", "call", "--report", self.folder / f"report{number}", "--", CALLER],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        for _ in range(2):
            programs = [start(0), start(1)]
            for _ in range(seeded.randrange(1, 120)):
                programs[0].stderr.readline()
            while not (process := children_of(server.process.pid, "--devices 0")):
                os.sched_yield()  # it is being started again
            os.kill(process[0], signal.SIGKILL)
            for program in programs:
                out, err = program.communicate(timeout=LIMIT_SECONDS)
                self.assertEqual(out, "0 wrong\n", err)
            routines = json.loads((self.folder / "report1").read_text())["routines"]
            self.assertEqual([routine for routine in routines if routine["place"] == "local"], [])
        for _ in range(100):  # until it is there again
            done, calls = self.run_at(server.address, CALLER)
            self.assertEqual(done.stdout, "0 wrong\n")
            if calls["local"] == 0:
                break
        self.assertEqual(calls["local"], 0)
        processes = children_of(server.process.pid)
        self.assertEqual(len(processes), 2)
        self.assertEqual(server.end(), 0)
        self.assertEqual([process for process in processes if os.path.exists(f"/proc/{process}")], [])

    def test_a_server_that_stops_costs_no_result(self):
        server = self.serve("--device", "sim")
        program = subprocess.Popen([BLOCKYARD, "offload", "run", "--server", server.address, "--place", "remote", "--log",
                                    "call", "--", CALLER], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(60):
            program.stderr.readline()
        server.process.send_signal(signal.SIGSTOP)
        try:
            out, _ = program.communicate(timeout=LIMIT_SECONDS)
        finally:
            server.process.send_signal(signal.SIGCONT)
        self.assertEqual(out, "0 wrong\n")
        self.assertEqual(program.returncode, 0)

    def test_a_link_that_breaks_anywhere_costs_no_result(self):
        """By seed: after how many bytes. BLOCKYARD_CUTS=200 tries that many."""
        server = self.serve("--device", "host")
        random_places = random.Random(22)
        for number in range(int(os.environ.get("BLOCKYARD_CUTS", "6"))):
            stalls = number % 3 == 2
            limit = random_places.randrange(1, 4_000_000) if number % 2 else random_places.randrange(1, 60_000)
            place = "both" if number % 4 == 3 else "remote"
            with self.subTest(number=number, limit=limit, stalls=stalls, place=place):
                path = self.folder / f"cut{number}"
                proxy = Proxy(path, self.folder / "socket", limit, stalls)
                try:
                    done, _ = self.run_at(f"unix:{path}", CALLER, place=place)
                    self.assertEqual(done.stdout, "0 wrong\n")
                finally:
                    proxy.end()
        self.assertEqual(server.end(), 0)

    def test_nothing_connects_before_a_call_is_worth_it(self):
        server = self.serve()
        _, calls = self.run_at(server.address, CALLER, place="auto")
        self.assertEqual(calls["remote"], 0)

    def test_numpy_computes_on_the_device(self):
        if not has_numpy():
            self.skipTest("this Python has no NumPy")
        server = self.serve()
        done, calls = self.run_at(server.address, sys.executable, "-c", PRODUCT)
        self.assertEqual(done.stdout, "True True\n")
        self.assertGreaterEqual(calls["remote"], 2)
        self.assertEqual(calls["local"], 0)

    def test_the_example_prints_its_values_and_what_went_where(self):
        if not has_numpy():
            self.skipTest("this Python has no NumPy")
        server = self.serve()
        done, calls = self.run_at(server.address, sys.executable, EXAMPLES / "svd.py", 400)
        self.assertEqual(done.stdout, "largest singular values: 1.000000 0.500000 0.250000 0.125000 0.062500\n")
        self.assertRegex(done.stderr, r"dgemm +remote +\d+")

    def test_the_example_with_fftw_prints_its_error(self):
        if not POISSON:
            self.skipTest("this machine has no libfftw3-dev")
        server = self.serve()
        done, calls = self.run_at(server.address, POISSON, 32)
        self.assertEqual(done.stdout, "largest error: below 1e-12\n")
        self.assertEqual(calls, {"local": 0, "remote": 2})

    def test_a_job_computes_on_the_devices_of_a_server(self):
        server = self.serve("--device", "sim")
        found = {}
        for device in ("none", f"remote://{server.address}"):
            path = self.folder / "out.json"
            subprocess.run([BLOCKYARD, "run", JOB, "--device", device, "--json", path, "--quiet"], check=True,
                           cwd=self.folder, timeout=LIMIT_SECONDS, capture_output=True)
            found[device] = json.loads(path.read_text())
            path.unlink()
        here, there = found.values()
        self.assertTrue(here["energies"])
        for name, energy in here["energies"].items():
            self.assertAlmostEqual(energy, there["energies"][name], delta=1e-9, msg=name)
        self.assertGreater(there["devices"][0]["runs"], 0)

    def test_the_exit_code_is_that_of_the_program(self):
        self.offload("run", "--quiet", "--", sys.executable, "-c", "import sys; sys.exit(7)", code=7)
        self.offload("run", "--quiet", "--", sys.executable, "-c", "import os; os.kill(os.getpid(), 9)", code=137)
        self.assertIn("cannot start", self.offload("run", "--quiet", "--", "/nowhere/x", code=127).stderr)

    def test_over_tcp_a_token_is_proven(self):
        def token(name):
            done = subprocess.run([BLOCKYARD, "offload", "token", name], cwd=self.folder, capture_output=True, text=True,
                                  check=True)
            self.assertIn(f"{name}.token", done.stdout)
            return self.folder / f"{name}.token"

        good = token("laptop")
        os.rename(self.folder / "tokens", self.folder / "of_the_server")
        stranger = token("stranger")
        secret = good.read_text().split()[1]
        self.assertEqual(good.stat().st_mode & 0o777, 0o600)
        server = self.serve("--listen", "127.0.0.1:0", "--tokens", self.folder / "of_the_server")
        address = server.process.stdout.readline().split()[-1]
        asked = self.offload("status", "--server", address, "--token", good)
        self.assertIn("host", asked.stdout)
        self.assertIn("not encrypted", asked.stdout)
        ways = [address]
        if has_tls():
            ways.append(f"tls:{address}")
            shown = self.offload("status", "--server", ways[1], "--token", good, "--json")
            self.assertTrue(json.loads(shown.stdout)["encrypted"])
        for way in ways:
            for options in ((), ("--token", stranger)):
                done = self.offload("status", "--server", way, *options, code=1)
                self.assertIn("token", done.stderr)
                self.assertNotIn(secret, done.stderr)
        self.assertEqual(self.offload("status", "--server", address, "--token", good).stdout, asked.stdout)
        server.end()

    def test_over_tls_nothing_else_is_let_in_and_products_are_right(self):
        if not has_tls():
            self.skipTest("this machine has no OpenSSL 3")
        subprocess.run([BLOCKYARD, "offload", "token", "laptop"], cwd=self.folder, capture_output=True, check=True)
        token = self.folder / "laptop.token"
        server = self.serve("--listen", "tls:127.0.0.1:0", "--tokens", self.folder / "tokens")
        address = server.process.stdout.readline().split()[-1]
        done, calls = self.run_at(address, CALLER, token=token)
        self.assertEqual(done.stdout, "0 wrong\n")
        self.assertGreater(calls["remote"], 180)
        done = self.offload("status", "--server", address.replace("tls:", "plain:"), "--token", token, code=1)
        self.assertIn("does not use TLS", done.stderr)
        host, port = address.replace("tls:", "").split(":")
        for sent in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x00\x05hello", b"\x16" * 100_000):
            with socket.create_connection((host, int(port))) as stranger:
                answer = b""
                with contextlib.suppress(ConnectionError):
                    stranger.sendall(sent)
                    while piece := stranger.recv(4096):
                        answer += piece
            self.assertLess(len(answer), 1000)
        self.offload("status", "--server", address, "--token", token)
        server.end()

    def test_over_ucx_a_token_is_proven_and_products_are_right(self):
        for name in ("stranger", "laptop"):
            (self.folder / "tokens").unlink(missing_ok=True)
            subprocess.run([BLOCKYARD, "offload", "token", name], cwd=self.folder, capture_output=True, check=True)
        tokens = ("--tokens", self.folder / "tokens")
        done = self.offload("serve", "--listen", "ucx://0.0.0.0:0", *tokens, code=2)
        self.assertIn("there is no TLS over UCX", done.stderr)
        try:
            server = self.serve("--listen", "ucx://127.0.0.1:0", *tokens)
        except RuntimeError:
            self.skipTest("this build or this machine has no UCX")
        address = server.process.stdout.readline().split()[-1]
        token = self.folder / "laptop.token"
        self.assertIn("not encrypted", self.offload("status", "--server", address, "--token", token).stdout)
        done = self.offload("status", "--server", address, "--token", self.folder / "stranger.token", code=1)
        self.assertIn("the token is not known there", done.stderr)
        done, calls = self.run_at(address, CALLER, token=token)
        self.assertEqual(done.stdout, "0 wrong\n")
        self.assertGreater(calls["remote"], 180)
        server.end()

    def test_several_sockets_carry_one_connection(self):
        server = self.serve()
        report = self.folder / "report.json"
        done = self.offload("run", "--server", server.address, "--sockets", "4", "--place", "remote", "--report", report, "--",
                            CALLER)
        self.assertEqual(done.stdout, "0 wrong\n")
        self.assertGreater(sum(one["calls"] for one in json.loads(report.read_text())["routines"]
                               if one["place"] == "remote"), 180)
        self.offload("status", "--server", server.address, "--sockets", "2")
        server.end()

    def test_a_server_that_nobody_wants_ends(self):
        server = self.serve("--idle", "0.3s")
        self.assertEqual(server.process.wait(LIMIT_SECONDS), 0)
        self.assertIn("no server answers", self.offload("status", "--server", server.address, code=1).stderr)

    def test_status_is_read_by_people_and_by_collectors(self):
        server = self.serve("--device", "sim", "--client-memory", "1M", "--threads", "1")
        asked = self.offload("status", "--server", server.address)
        self.assertRegex(asked.stdout, r"^0 +sim .* free; 0.000 s queued; busy 0 %, in 0 B/s, out 0 B/s\n")
        shown = json.loads(self.offload("status", "--server", server.address, "--json").stdout)
        self.assertEqual(shown["devices"][0]["memory_bytes"], 1 << 20)
        metrics = self.offload("status", "--server", server.address, "--prometheus").stdout
        self.assertIn('blockyard_offload_memory_bytes{device="0",kind="sim"} 1048576\n', metrics)
        self.assertIn('blockyard_offload_device_seconds_per_second{device="0",kind="sim"} 0.000000\n', metrics)
        for line in metrics.splitlines():
            self.assertRegex(line, r"^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{.*\})? [0-9.]+)$")
        self.offload("status", "--server", server.address, "--json", "--prometheus", code=2)
        server.end()

    def test_a_server_lends_the_devices_that_it_is_told_to(self):
        server = self.serve("--device", "sim", "--devices", "1", "--clients", "8")
        shown = json.loads(self.offload("status", "--server", server.address, "--json").stdout)
        self.assertEqual(len(shown["devices"]), 1)
        self.assertIn("no number 7", self.offload("serve", "--device", "sim", "--devices", "7", code=2).stderr)
        server.end()

    def test_a_socket_for_everybody_is_refused(self):
        done = self.offload("serve", "--listen", "0.0.0.0:0", code=2)
        self.assertRegex(done.stderr, "--tokens|--plain")  # --plain is named without a TLS library

    def test_the_libraries_export_their_tables_and_need_no_blas(self):
        self.check_exports(LIBRARY, "routines.txt")
        self.check_exports(LIBRARY_REMOTE, "routines.txt", "level1.txt")

    def check_exports(self, library, *tables):
        shown = subprocess.run(["readelf", "--dyn-syms", "--dynamic", "--wide", library], capture_output=True, text=True,
                               check=True).stdout
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", shown))
        self.assertLessEqual({name.split(".so")[0] for name in needed}, {"libc", "libm", "ld-linux-x86-64",
                                                                         "ld-linux-aarch64", "libgcc_s"})
        exported = {line.split()[7].split("@")[0] for line in shown.splitlines()
                    if re.match(r"\s+\d+: ", line) and line.split()[6] != "UND" and line.split()[4] in ("GLOBAL", "WEAK")}
        expected = set()
        for routine, has_c in self.routines(tables):
            expected.add(routine.upper())
            forms = ["{}_", "{}", "{}__", "{}_64_", "{}_64", "scipy_{}_", "scipy_{}_64_"]
            expected |= {form.format(routine) for form in forms}
            routine += "_sub" if routine[:4] in ("cdot", "zdot") else ""
            forms = []
            if has_c:
                forms += ["cblas_{}", "cblas_{}64_", "cblas_{}_64", "scipy_cblas_{}", "scipy_cblas_{}64_"]
            expected |= {form.format(routine) for form in forms}
        for line in (TABLES / "fftw.txt").read_text().splitlines():
            if words := line.split("#")[0].split():
                expected |= {f"fftw_{words[0]}", f"fftwf_{words[0]}"}
                if "guru64" not in words[0]:
                    expected |= {f"{letter}fftw_{words[0]}{end}" for letter in "ds" for end in ("_", "__")}
        self.assertEqual(exported, expected)

    @staticmethod
    def routines(tables):
        """Each with its element type, and whether C has a name for it."""
        for line in "\n".join((TABLES / table).read_text() for table in tables).splitlines():
            words = line.split("#")[0].split()
            for letter in words[1:]:
                if len(letter) == 1:
                    yield letter + words[0].split("=")[0], not any(word.endswith(":info") for word in words)


if __name__ == "__main__":
    unittest.main()
