# SPDX-License-Identifier: Apache-2.0
"""What the tests of offloaded programs share: the programs, servers, and how a program runs at one."""

import contextlib
import ctypes.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

BLOCKYARD = os.environ["BLOCKYARD"]
LIBRARY = os.environ["LIBRARY"]
LIBRARY_REMOTE = os.environ["LIBRARY_REMOTE"]  # with level 1
CALLER = os.environ["CALLER"]
LEVEL3_CALLER = os.environ["LEVEL3_CALLER"]
VECTORS_CALLER = os.environ["VECTORS_CALLER"]
LAPACK_CALLER = os.environ["LAPACK_CALLER"]
RULES_CALLER = os.environ["RULES_CALLER"]
FENCED_MEMORY = os.environ["FENCED_MEMORY"]  # loaded before a program: it cannot read past what it allocated
FAILING_MEMORY = os.environ["FAILING_MEMORY"]  # loaded before a program: one allocation of the library fails
FFTW_CALLER = os.environ["FFTW_CALLER"]  # empty: this machine has no FFTW to build it with
POISSON = os.environ["POISSON"]
TABLES = pathlib.Path(os.environ["TABLES"])
EXAMPLES = pathlib.Path(os.environ["EXAMPLES"])
JOB = EXAMPLES.parents[1] / "demo" / "h2o.toml"
LIMIT_SECONDS = 480 if os.environ.get("SANITIZER") else 120

PRODUCT = """
import numpy
random = numpy.random.default_rng(3)
a, b = random.standard_normal((2, 500, 500))
exact = sum(numpy.outer(a[:, k], b[k, :]) for k in range(500))
print(numpy.abs(a @ b - exact).max() < 1e-10, numpy.abs(a.T @ b.T - exact.T).max() < 1e300)
"""


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


def threads_of(parent):
    """The threads of all processes that came of one, as gdb shows them where it is there."""
    shown = []
    for child in children_of(parent):
        command = ["gdb", "-p", str(child), "-batch", "-ex", "thread apply all backtrace"]
        where = subprocess.run(command, capture_output=True, text=True, check=False).stdout if shutil.which("gdb") else ""
        with contextlib.suppress(OSError):
            words = pathlib.Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")
            shown += [f"{child}: {words}\n{where}", *threads_of(child)]
    return shown


def run_program(command, check=True, **more):
    """subprocess.run of a program that is given a time. One that takes longer is shown with its threads, where gdb is
    there, and killed with all that it started: a child that lived on would hold its pipes, and the test with them."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                          **more) as process:
        try:
            out, err = process.communicate(timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired as late:
            shown = threads_of(os.getpid())  # those of the server, too
            os.killpg(process.pid, signal.SIGKILL)
            raise AssertionError("\n".join([f"no end after {LIMIT_SECONDS} s", *shown])) from late
    if check and process.returncode != 0:
        raise AssertionError(f"{command}: exit status {process.returncode}\n{out}{err}")
    return subprocess.CompletedProcess(command, process.returncode, out, err)


class Server:
    """A server at a socket of its own, that listens when this is made."""

    def __init__(self, folder, *options, name="socket", preload=""):
        self.address = f"unix:{folder}/{name}"
        self.process = subprocess.Popen([BLOCKYARD, "offload", "serve", "--listen", self.address, *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        env=os.environ | ({"LD_PRELOAD": preload} if preload else {}))
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
        if os.environ.get("SANITIZER"):
            # Servers say nothing, and are killed.
            os.environ["TSAN_OPTIONS"] = f"{os.environ.get('TSAN_OPTIONS', '')} log_path={self.folder}/sanitizer"
            self.addCleanup(lambda: self.assertEqual([], [path.read_text() for path in self.folder.glob("sanitizer.*")]))

    def need_plain_build(self):
        """Skips, in a build with a sanitizer, what that does not suffer: a program without, a limit to its address space,
        threads of a child."""
        if os.environ.get("SANITIZER"):
            self.skipTest(f"the library has the {os.environ['SANITIZER']} sanitizer")

    def need_numpy(self):
        self.need_plain_build()
        if subprocess.run([sys.executable, "-c", "import numpy"], capture_output=True, check=False).returncode != 0:
            self.skipTest("this Python has no NumPy")

    def serve(self, *options, **more):
        server = Server(self.folder, *options, **more)
        self.addCleanup(lambda: server.process.poll() is None and server.end(signal.SIGKILL))
        return server

    def offload(self, *words, code=0, folder=None):
        done = run_program([BLOCKYARD, "offload", *map(str, words)], check=False, cwd=folder)
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
