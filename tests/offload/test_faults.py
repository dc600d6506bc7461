#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server, a device or a link that goes costs no result, and no more time than the call would have taken here."""

import functools
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

from cut import Proxy
from offloaded import (BLOCKYARD, CALLER, FAILING_MEMORY, FFTW_CALLER, LAPACK_CALLER, LEVEL3_CALLER, LIBRARY,
                       LIMIT_SECONDS, PRODUCT, VECTORS_CALLER, Offload, children_of,
                       run_program)


PROGRAMS = (CALLER, LEVEL3_CALLER, LAPACK_CALLER, FFTW_CALLER, VECTORS_CALLER)


class Faults(Offload):
    def test_calls_go_to_another_server_when_the_first_is_not_there(self):
        server = self.serve("--device", "sim")
        done, calls = self.run_at(f"unix:{self.folder}/nobody,1us,9GB/s@{server.address}#1", CALLER)
        self.assertEqual(done.stdout, "0 wrong\n")
        self.assertEqual(calls["local"], 0)
        told = [line for line in done.stderr.splitlines() if line.startswith("blockyard:")]
        self.assertEqual(len(told), 1, done.stderr)

    def test_one_call_is_computed_by_several_servers_also_when_one_is_lost(self):
        self.need_numpy()
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

    def test_what_has_no_room_on_the_device_is_computed_locally(self):
        server = self.serve("--client-memory", "16K")
        done, calls = self.run_at(server.address, CALLER)
        self.assertEqual(done.stdout, "0 wrong\n")
        self.assertGreater(calls["local"], 10)
        self.assertGreater(calls["remote"], 20)

    def test_an_allocation_that_fails_costs_no_result(self):
        self.need_plain_build()
        server = self.serve()
        for number in range(40, 280, 30):
            for check in ("0", "1"):
                with self.subTest(number=number, check=check):
                    done = run_program([CALLER], env=os.environ | {
                        "BLOCKYARD_OFFLOAD": server.address, "BLOCKYARD_OFFLOAD_PLACE": "remote", "BLOCKYARD_OFFLOAD_CHECK": check,
                        "FAILING_ALLOCATION": str(number), "LD_PRELOAD": f"{FAILING_MEMORY} {LIBRARY}"})
                    self.assertEqual(done.stdout, "0 wrong\n")

    def test_the_child_of_a_fork_begins_anew(self):
        """BLOCKYARD_FORKS=1000 tries that many."""
        self.need_plain_build()
        server = self.serve()
        done, _ = self.run_at(server.address, CALLER, "fork", os.environ.get("BLOCKYARD_FORKS", "30"))
        self.assertEqual(done.stdout, "0 wrong\n")
        self.assertEqual(server.end(), 0)

    def test_what_a_killed_program_had_is_free_though_its_child_lives_on(self):
        self.need_numpy()
        forks = PRODUCT + """
import os, signal
if os.fork() == 0:
    print(os.getppid(), flush=True)
    os.read(0, 1)
    os._exit(0)
signal.pause()
"""
        for kind in ("shared", "plain"):
            with self.subTest(kind=kind):
                server = self.serve(name=kind)
                address = server.address if kind == "shared" else f"plain:{server.address}"
                program = subprocess.Popen([BLOCKYARD, "offload", "run", "--quiet", "--server", address, "--place", "remote",
                                            "--", sys.executable, "-c", forks],
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                self.assertEqual(program.stdout.readline(), "True True\n")
                os.kill(int(program.stdout.readline()), signal.SIGKILL)
                used = 1
                while used:  # the child waits for its input all the while
                    device = json.loads(self.offload("status", "--server", server.address, "--json").stdout)["devices"][0]
                    used = device["used_bytes"] + len(device["clients"])
                program.communicate("\n", timeout=LIMIT_SECONDS)
                self.assertEqual(server.end(), 0)

    def test_a_library_in_a_folder_with_a_blank_or_a_colon_is_loaded(self):
        self.need_plain_build()
        for name in ("a b", "a:b"):
            folder = self.folder / name
            (folder / "plugins").mkdir(parents=True)
            shutil.copy(BLOCKYARD, folder)
            shutil.copy(LIBRARY, folder / "plugins")
            command = [folder / pathlib.Path(BLOCKYARD).name, "offload", "run", "--place", "local", "--",
                       "cat", "/proc/self/maps"]
            with self.subTest(name):
                done = run_program(command, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(pathlib.Path(LIBRARY).name, done.stdout)
                self.assertNotIn("preload", done.stderr)
                done = run_program(command, check=False, env={**os.environ, "TMPDIR": str(folder)})
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("TMPDIR", done.stderr)

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

    def test_a_fault_at_any_moment_costs_no_result(self):
        """By seed: which program, what breaks, and when. `make test-offload-faults` tries 200, and compares times too."""
        count = int(os.environ.get("BLOCKYARD_FAULTS", "8"))
        late = []
        for number in range(count):
            seeded = random.Random(number)
            fault = ("cut", "stall", "kill", "stop")[number % 4]
            device, place = seeded.choice(("host", "sim")), seeded.choice(("remote", "remote", "both"))
            program = seeded.choice([name for name in PROGRAMS if name]) if count > 8 else CALLER
            with self.subTest(number=number, fault=fault, device=device, place=place, program=program):
                by_calls = number % 8 >= 6  # after so many calls, and over shared memory, which the proxy cannot pass on
                run = self.run_until_killed if by_calls else self.run_behind_proxy
                took = run(fault, device, place, program, seeded)
                if count > 8:
                    local, remote = self.usual_seconds(program), self.usual_seconds(program, device, place)
                    late.append(took - local - remote)
                    print(f"{number}: {fault}, {device}, {place}, {os.path.basename(program)}: {took:.2f} s, without a fault "
                          f"{remote:.2f} s, without a device {local:.2f} s", flush=True)
        if late:
            late.sort()
            print(f"{len(late)} faults; beyond the program here and there: median {late[len(late) // 2]:.2f} s, "
                  f"worst {late[-1]:.2f} s")
            self.assertLess(late[-1], 2)

    def run_behind_proxy(self, fault, device, place, program, seeded):
        """Seconds that the program took whose link or server breaks after some of its bytes."""
        server = self.serve("--device", device, name="faulty")
        bytes_of = self.usual_bytes(program, device)
        limit = seeded.randrange(1, bytes_of) if seeded.random() < 0.7 else seeded.randrange(1, 60_000)
        signals = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP}
        then = (lambda: server.process.send_signal(signals[fault])) if fault in signals else None
        path = self.folder / "proxy"
        proxy = Proxy(path, self.folder / "faulty", limit, fault == "stall", then)
        try:
            began = time.monotonic()
            done = self.offload("run", "--server", f"unix:{path}", "--place", place, "--", program)
            took = time.monotonic() - began
        finally:
            proxy.end()
            path.unlink()
            server.end(signal.SIGKILL)
        self.assertRegex(done.stdout, r"\b0 wrong\n$")
        return took

    def run_until_killed(self, fault, device, place, program, seeded):
        server = self.serve("--device", device, name="faulty")
        began = time.monotonic()
        with subprocess.Popen([BLOCKYARD, "offload", "run", "--server", server.address, "--place", place, "--log", "call", "--",
                               program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
            for _ in range(seeded.randrange(1, 100)):
                running.stderr.readline()
            server.process.send_signal(signal.SIGKILL if fault == "kill" else signal.SIGSTOP)
            out, told = running.communicate(timeout=LIMIT_SECONDS)
            took = time.monotonic() - began
        server.end(signal.SIGKILL)
        self.assertRegex(out, r"\b0 wrong\n$", told)
        self.assertEqual(running.returncode, 0)
        return took

    @functools.cache
    def usual_bytes(self, program, device):
        server = self.serve("--device", device, name=f"usual_{device}")
        path = self.folder / "counted"
        proxy = Proxy(path, self.folder / f"usual_{device}", sys.maxsize)
        try:
            self.offload("run", "--server", f"unix:{path}", "--place", "remote", "--", program)
        finally:
            proxy.end()
            path.unlink()
            server.end(signal.SIGKILL)
        return proxy.carried

    @functools.cache
    def usual_seconds(self, program, device=None, place="local"):
        began = time.monotonic()
        if device:
            server = self.serve("--device", device, name="unbroken")
            self.offload("run", "--server", server.address, "--place", place, "--", program)
            server.end(signal.SIGKILL)
        else:
            run_program([program])
        return time.monotonic() - began


if __name__ == "__main__":
    unittest.main()
