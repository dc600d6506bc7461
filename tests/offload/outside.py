#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs from outside through the library: they must find what they find without it.

Usage: outside.py [NAME...]    BLOCKYARD names the program. `make test-offload` runs all, minutes each.
Programs that this machine does not have are skipped with a line.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCKYARD = os.environ["BLOCKYARD"]
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "offload"
PSEUDOPOTENTIALS = pathlib.Path("/usr/share/espresso/pseudo")
TESTERS = next(iter(pathlib.Path("/usr/lib").glob("*/lapack/xlintstd")), pathlib.Path("/missing/x")).parent
LIMIT_SECONDS = 3000
SETTINGS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "ESPRESSO_PSEUDO": str(PSEUDOPOTENTIALS),
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_hwloc_base_binding_policy": "none"}


def outcome_of_tester(text):
    """What the testers of LAPACK count; ratios and times differ from run to run."""
    return [line.strip() for line in text.splitlines() if re.search(r"passed the|failed|illegal|incorrectly", line)]


def outcome_of_numpy(text):
    last = (text.splitlines() or [""])[-1]
    return re.findall(r"(\d+) (passed|failed|error)", last) if "passed" in last else []


def outcome_of_hpcc(folder):
    text = (folder / "hpccoutf.txt").read_text()
    return sorted(set(re.findall(r"(PASSED|FAILED|Failed|failed)", text)))


def outcome_of_wisdom(text):
    return text.splitlines()


def outcome_of_plane_waves(text):
    """Total energies, to what their convergence leaves of them, and how many iterations it took."""
    return [f"{float(found):.6f}" for found in re.findall(r"(?m)^! +total energy += +(\S+)", text)] + [
        str(len(re.findall(r"iteration #", text)))]


class Program:
    def __init__(self, name, command, outcome, given=None, before=None):
        self.name, self.command, self.outcome, self.given, self.before = name, command, outcome, given, before

    def run(self, folder, prefix=()):
        if self.before:
            self.before(folder)
        given = open(self.given, encoding="ascii") if self.given else subprocess.DEVNULL
        done = subprocess.run([*prefix, *self.command], stdin=given, capture_output=True, text=True, cwd=folder,
                              timeout=LIMIT_SECONDS, check=False, env=os.environ | SETTINGS)
        if self.outcome is outcome_of_hpcc:
            return done.returncode, outcome_of_hpcc(folder)
        found = self.outcome(done.stdout)
        if not found:
            raise RuntimeError(f"{self.name} printed nothing to compare: {done.stdout[-500:]}{done.stderr[-500:]}")
        return done.returncode, found


def programs():
    for letter, given in (("s", "stest.in"), ("d", "dtest.in"), ("c", "ctest.in"), ("z", "ztest.in")):
        yield Program(f"xlintst{letter}", [TESTERS / f"xlintst{letter}"], outcome_of_tester, TESTERS / given)
    for name, given in (("ds", "dstest.in"), ("zc", "zctest.in")):
        yield Program(f"xlintst{name}", [TESTERS / f"xlintst{name}"], outcome_of_tester, TESTERS / given)
    for letter in "sdcz":
        yield Program(f"xlintstrf{letter}", [TESTERS / f"xlintstrf{letter}"], outcome_of_tester,
                      TESTERS / f"{letter}test_rfp.in")
    for name in ("linalg", "_core.multiarray", "fft"):
        yield Program(f"numpy.{name}", ["/usr/bin/python3", "-m", "pytest", "-q", "-x", "--pyargs",
                                        f"numpy.{name.split('.')[0].replace('_core', 'core')}",
                                        "-p", "no:cacheprovider", "-k", "not test_cython"], outcome_of_numpy)
    for name in ("linalg.tests.test_blas", "linalg.tests.test_lapack", "linalg.tests.test_solvers", "linalg.tests.test_decomp"):
        yield Program(f"scipy.{name}", ["/usr/bin/python3", "-m", "pytest", "-q", "-x", "--pyargs", f"scipy.{name}", "-p",
                                        "no:cacheprovider"], outcome_of_numpy)
    # Estimated plans: those that are timed differ from run to run.
    yield Program("fftw-wisdom", ["fftw-wisdom", "-n", "-e", "cof64", "rib8x8", "cob100x30"], outcome_of_wisdom)
    inputs = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
    yield Program("hpcc", ["hpcc"], outcome_of_hpcc, before=lambda folder: write_hpcc(inputs, folder, 1))
    yield Program("hpcc.4", ["mpirun", "-n", "4", "hpcc"], outcome_of_hpcc, before=lambda folder: write_hpcc(inputs, folder, 2))
    yield Program("octave", ["octave-cli", "--norc", EXAMPLES / "modes.m"], str.splitlines)
    yield Program("pw.x", ["pw.x", "-in", EXAMPLES / "silicon.in"], outcome_of_plane_waves)


def write_hpcc(inputs, folder, side):
    """The example, on a square of processes."""
    lines = inputs.read_text().splitlines()
    for number, line in enumerate(lines):
        if re.search(r"\b[PQ]s$", line):
            lines[number] = f"{side}            {line[-2:]}"
        if re.search(r"\bNs$", line):
            lines[number] = "500         Ns"
    (folder / "hpccinf.txt").write_text("\n".join(lines) + "\n")


def is_here(program):
    if not shutil.which(str(program.command[0])):
        return False
    if program.name.startswith("hpcc"):
        return shutil.which("hpcc") is not None
    if program.name == "pw.x":
        return PSEUDOPOTENTIALS.is_dir()
    if program.name.startswith(("numpy", "scipy")):
        package = program.name.partition(".")[0]
        return subprocess.run(["/usr/bin/python3", "-c", f"import {package}, pytest, hypothesis"], capture_output=True,
                              check=False).returncode == 0
    return True


def main(names):
    failures = 0
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        address = f"unix:{folder}/socket"
        with subprocess.Popen([BLOCKYARD, "offload", "serve", "--device", "host", "--listen", address],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            server.stdout.readline()
            for program in programs():
                if names and program.name not in names:
                    continue
                if not is_here(program):
                    print(f"SKIPPED: {program.name}: it is not installed here", flush=True)
                    continue
                without = program.run(folder)
                for place in ("remote", "auto"):
                    report = folder / "report.json"
                    found = program.run(folder, [BLOCKYARD, "offload", "run", "--quiet", "--require", "--server", address,
                                                 "--place", place, "--report", str(report), "--"])
                    calls = sum(one["calls"] for one in json.loads(report.read_text())["routines"]
                                if one["place"] == "remote")
                    is_same = found == without
                    failures += not is_same
                    print(f"{program.name} {place}: {'as without' if is_same else 'DIFFERENT'}, {calls:.0f} calls on the "
                          "device", flush=True)
                    if not is_same:
                        print(f"  without: {without}\n  with:    {found}", flush=True)
            server.terminate()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
