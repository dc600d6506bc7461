#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs from outside through the library: they must find what they find without it.

Usage: outside.py [NAME...]    BLOCKYARD names the program. `make test-offload` runs all, minutes each.
Programs that this machine does not have are skipped with a line. As many run at once as there are processors: a program
waits while its server computes.
"""

import concurrent.futures
import functools
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
PYTHONS = pathlib.Path(__file__).resolve().parents[2] / "build" / "outside"  # made by tools/setup_outside
CP2K_DATA = pathlib.Path("/usr/share/cp2k")
PSEUDOPOTENTIALS = pathlib.Path("/usr/share/espresso/pseudo")
LIBRARIES = next(iter(pathlib.Path("/usr/lib").glob("*/lapack/liblapack.so.3")), pathlib.Path("/missing/x/x")).parents[1]
TESTERS = LIBRARIES / "lapack"
BLAS_TESTERS = LIBRARIES / "blas"
SCALAPACK_TESTERS = LIBRARIES / "scalapack" / "openmpi-tests"
# Where their packages are; a link to one of them, by which Python finds it, comes with the headers alone.
SLEPC, PETSC = (next(pathlib.Path("/usr/lib").glob(f"{name}dir/{name}*/*-real"), pathlib.Path(f"/missing/{name}"))
                for name in ("slepc", "petsc"))
HPCC_OUTPUT = "hpccoutf.txt"
LIMIT_SECONDS = 3000
SETTINGS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "ESPRESSO_PSEUDO": str(PSEUDOPOTENTIALS),
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_hwloc_base_binding_policy": "none",
            "NPY_AVAILABLE_MEM": "4 GB"}  # NumPy's tests take what is free, three times over here


def outcome_of_tester(text):
    """What the testers of LAPACK count; ratios and times differ from run to run."""
    return [line.strip() for line in text.splitlines()
            if re.search(r"(?i)passed the|passed all|failed|illegal|incorrectly|inaccurate|suspect", line)]


def outcome_of_pytest(text):
    """How many passed, and which did not."""
    last = (text.splitlines() or [""])[-1]
    return sorted(re.findall(r"(\d+) (passed|failed|error|skipped)", last)) + sorted(
        re.findall(r"(?m)^(?:FAILED|ERROR) \S+", text)) if re.search("passed|skipped", last) else []


def outcome_of_scalapack(text):
    """Of each routine: tests, how many passed, failed, and were left out."""
    return re.findall(r"(?m)^ *\| +(P\w+(?: +\d+)+)", text)


def outcome_of_factors(text):
    """Of the testers of ScaLAPACK: how many tests passed, failed, and were left out."""
    return re.findall(r"(?m)^ *(\d+ tests .*)", text)


def outcome_of_hpcc(text):
    return sorted(set(re.findall(r"PASSED|FAILED|Failed.*|failed", text)))


def outcome_of_wisdom(text):
    return text.splitlines()


def outcome_of_plane_waves(text):
    """Total energies, to what their convergence leaves of them, and how many iterations it took."""
    return [f"{float(found):.6f}" for found in re.findall(r"(?m)^! +total energy += +(\S+)", text)] + [
        str(len(re.findall(r"iteration #", text)))]


def outcome_of_orbitals(text):
    """The energy, to what its convergence leaves of it, what is left of all forces, and the number of steps."""
    energy = re.search(r"Total FORCE_EVAL.*?(-?\d+\.\d+)", text)
    return energy and [f"{float(energy[1]):.8f}", *re.findall(r"SUM OF ATOMIC FORCES.*|SCF run converged in.*steps", text)]


class Program:
    """needs: a file without which it is not here. settings: of the environment. output: a file that it writes."""

    def __init__(self, name, command, outcome, given=None, before=None, needs=None, settings=None, output=None):
        self.name, self.command, self.outcome, self.given, self.before = name, command, outcome, given, before
        self.needs, self.settings, self.output = needs, settings or {}, output

    def run(self, folder, prefix=()):
        if self.before:
            self.before(folder)
        if self.output:
            (folder / self.output).unlink(missing_ok=True)
        given = open(self.given, encoding="ascii") if self.given else subprocess.DEVNULL
        done = subprocess.run([*prefix, *self.command], stdin=given, capture_output=True, text=True, cwd=folder,
                              timeout=LIMIT_SECONDS, check=False, env=os.environ | SETTINGS | self.settings)
        found = self.outcome((folder / self.output).read_text() if self.output else done.stdout)
        if not found:
            raise RuntimeError(f"{self.name} printed nothing to compare: {done.stdout[-500:]}{done.stderr[-500:]}")
        return done.returncode, found


# Not nep.in: it wants the same eigenvalues in the same order from two ways through matrices of different extents, which
# is a matter of rounding.
SPECTRA = ("sep", "se2", "svd")


def programs():
    yield from testers_of_blas()
    for letter in "sdcz":
        for given in SPECTRA:
            yield Program(f"xeigtst{letter}.{given}", [TESTERS / f"xeigtst{letter}"], outcome_of_tester,
                          TESTERS / f"{given}.in")
    for letter, given in (("s", "stest.in"), ("d", "dtest.in"), ("c", "ctest.in"), ("z", "ztest.in")):
        yield Program(f"xlintst{letter}", [TESTERS / f"xlintst{letter}"], outcome_of_tester, TESTERS / given)
    for name, given in (("ds", "dstest.in"), ("zc", "zctest.in")):
        yield Program(f"xlintst{name}", [TESTERS / f"xlintst{name}"], outcome_of_tester, TESTERS / given)
    for letter in "sdcz":
        yield Program(f"xlintstrf{letter}", [TESTERS / f"xlintstrf{letter}"], outcome_of_tester,
                      TESTERS / f"{letter}test_rfp.in")
    for name in ("linalg", "_core", "fft"):
        yield Program(f"numpy.{name}", ["/usr/bin/python3", "-m", "pytest", "-q", "-x", "--pyargs",
                                        f"numpy.{name.replace('_core', 'core')}",
                                        "-p", "no:cacheprovider", "-k", "not test_cython"], outcome_of_pytest)
    for name in ("linalg.tests.test_blas", "linalg.tests.test_lapack", "linalg.tests.test_solvers", "linalg.tests.test_decomp"):
        yield Program(f"scipy.{name}", ["/usr/bin/python3", "-m", "pytest", "-q", "-x", "--pyargs", f"scipy.{name}", "-p",
                                        "no:cacheprovider"], outcome_of_pytest)
    # Estimated plans: those that are timed differ from run to run.
    yield Program("fftw-wisdom", ["fftw-wisdom", "-n", "-e", "cof64", "rib8x8", "cob100x30"], outcome_of_wisdom)
    yield Program("hpcc", ["hpcc"], outcome_of_hpcc, before=lambda folder: write_hpcc(folder, 1), output=HPCC_OUTPUT)
    yield Program("hpcc.4", ["mpirun", "-n", "4", "hpcc"], outcome_of_hpcc, before=lambda folder: write_hpcc(folder, 2),
                  output=HPCC_OUTPUT)
    yield Program("octave", ["octave-cli", "--norc", EXAMPLES / "modes.m"], str.splitlines)
    yield Program("cp2k", ["cp2k.psmp", "-i", EXAMPLES / "water.inp"], outcome_of_orbitals, needs=CP2K_DATA,
                  settings={"CP2K_DATA_DIR": str(CP2K_DATA)})
    yield Program("petsc", ["/usr/bin/python3", pathlib.Path(__file__).with_name("solvers.py")], str.splitlines,
                  needs=SLEPC / "lib/python3/dist-packages/slepc4py", settings={"SLEPC_DIR": str(SLEPC), "PETSC_DIR": str(PETSC)})
    yield from testers_of_scalapack()
    yield Program("pw.x", ["pw.x", "-in", EXAMPLES / "silicon.in"], outcome_of_plane_waves)
    yield from other_libraries()
    yield from wheels()


OTHERS = (("reference", ("blas", "lapack")), ("blis", ("blis-pthread", "lapack")))


def settings_of(folders):
    return {"LD_LIBRARY_PATH": ":".join(str(LIBRARIES / folder) for folder in folders), "BLIS_NUM_THREADS": "1"}


def tester_of_blas(letter, ending, **more):
    return Program(f"xblat3{letter}{ending}", [BLAS_TESTERS / f"xblat3{letter}"], outcome_of_tester,
                   BLAS_TESTERS / f"{letter}blat3.in", output=f"{letter}blat3.out", **more)


def testers_of_blas():
    """Those of Fortran, and those of C, which call what only the reference has."""
    for letter in "sdcz":
        yield tester_of_blas(letter, "")
        yield Program(f"x{letter}cblat3", [BLAS_TESTERS / f"x{letter}cblat3"], outcome_of_tester,
                      BLAS_TESTERS / f"{letter}in3", settings=settings_of(("blas",)))


def testers_of_scalapack():
    """Level 3 on blocks that four processes have: each calls BLAS for its own, and all of them use one device.
    Factors, least squares and eigenvalues on one process: panels of two to eight columns.
    """
    for letter in "sdcz":
        given = SCALAPACK_TESTERS / "PBLAS" / f"P{letter.upper()}BLAS3TST.dat"
        yield Program(f"{letter}pb3tst", ["mpirun", "-n", "4", SCALAPACK_TESTERS / "PBLAS" / f"{letter}pb3tst"],
                      outcome_of_scalapack, needs=given, before=functools.partial(shutil.copy, given))
    for letter in "dz":
        for kind in ("lu", "llt", "ls", "inv", "qr", "hrd", "nep", "brd", "trd"):
            given = SCALAPACK_TESTERS / f"{kind.upper()}.dat"
            yield Program(f"x{letter}{kind}", ["mpirun", "-n", "1", SCALAPACK_TESTERS / f"x{letter}{kind}"],
                          outcome_of_factors, needs=given, before=functools.partial(write_one_grid, given))


def write_one_grid(given, folder):
    """The input with the first of its grids alone, one process: others that wait for it would take its processor."""
    text = re.sub(r"(?im)^\s*\d+(?=\s+number of process(?:or)? grids)", "1", given.read_text())
    (folder / given.name).write_text(text)


def other_libraries():
    """The same calls where the program's own library is another one."""
    for name, folders in OTHERS:
        blas = LIBRARIES / folders[0] / "libblas.so.3"
        settings = settings_of(folders)
        for letter in "sdcz":
            yield tester_of_blas(letter, f".{name}", needs=blas, settings=settings)
            yield Program(f"xlintst{letter}.{name}", [TESTERS / f"xlintst{letter}"], outcome_of_tester,
                          TESTERS / f"{letter}test.in", needs=blas, settings=settings)


def wheels():
    """Python packages of PyPI, with BLAS, LAPACK and FFTW of their own; pyFFTW also with those of the system."""
    python = PYTHONS / "wheels" / "bin" / "python"
    for name in ("numpy.linalg", "numpy.fft", "numpy._core", "scipy.linalg.tests.test_blas", "scipy.linalg.tests.test_lapack",
                 "scipy.linalg.tests.test_decomp", "scipy.linalg.tests.test_basic"):
        yield Program(f"{name}.wheel", pytest_of(python, "--pyargs", name), outcome_of_pytest, needs=PYTHONS / "installed")
    for name in ("wheel", "source"):
        for part in ("complex", "real_forward", "real_backward", "partial", "call", "wisdom", "builders", "numpy_interface"):
            # From its folder of tests: next to it lies its source, which is not built.
            yield Program(f"pyfftw.{part}.{name}",
                          pytest_of(PYTHONS / ("wheels" if name == "wheel" else name) / "bin" / "python", "--rootdir",
                                    PYTHONS / "pyfftw" / "tests", "tests" + f"/test_pyfftw_{part}.py",
                                    # It compares times of planning, which other work on the machine changes.
                                    "-k", "not test_planning_time_limit"), outcome_of_pytest,
                          needs=PYTHONS / "installed", before=copy_tests_of_pyfftw)


def pytest_of(python, *words):
    return [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]


def copy_tests_of_pyfftw(folder):
    shutil.copytree(PYTHONS / "pyfftw" / "tests", folder / "tests", dirs_exist_ok=True)


def write_hpcc(folder, side):
    """The example, on a square of processes."""
    text = (EXAMPLES / "hpccinf.txt").read_text()
    (folder / "hpccinf.txt").write_text(re.sub(r"(?m)^1( +[PQ])$", rf"{side}\1", text))


def is_here(program):
    if not shutil.which(str(program.command[0])) or program.needs and not program.needs.exists():
        return False
    if program.name.startswith("hpcc"):
        return shutil.which("hpcc") is not None
    if program.name == "pw.x":
        return PSEUDOPOTENTIALS.is_dir()
    if program.name.startswith(("numpy", "scipy")) and str(program.command[0]) == "/usr/bin/python3":
        package = program.name.partition(".")[0]
        return subprocess.run(["/usr/bin/python3", "-c", f"import {package}, pytest, hypothesis"], capture_output=True,
                              check=False).returncode == 0
    return True


def failures_of(program, folder, address):
    """In how many places its outcome is another one than without the library."""
    if not is_here(program):
        print(f"SKIPPED: {program.name}: it is not installed here", flush=True)
        return 0
    folder /= program.name
    folder.mkdir()
    try:
        without = program.run(folder)
        if without[0] != 0:
            print(f"{program.name}: ends with {without[0]} by itself", flush=True)
        return sum(not is_same_at(place, program, without, folder, address) for place in ("remote", "auto"))
    except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
        print(f"{program.name}: FAILED: {error}", flush=True)
        return 1


def is_same_at(place, program, without, folder, address):
    report = folder / "report.json"
    found = program.run(folder, [BLOCKYARD, "offload", "run", "--quiet", "--require", "--server", address, "--place", place,
                                 "--report", str(report), "--"])
    calls = sum(one["calls"] for one in json.loads(report.read_text())["routines"] if one["place"] == "remote")
    is_same = found == without
    print(f"{program.name} {place}: {'as without' if is_same else 'DIFFERENT'}, {calls:.0f} calls on the device", flush=True)
    if not is_same:
        print(f"  without: {without}\n  with:    {found}", flush=True)
    return is_same


def main(names):
    chosen = [program for program in programs() if not names or program.name in names]
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        address = f"unix:{folder}/socket"
        with subprocess.Popen([BLOCKYARD, "offload", "serve", "--device", "host", "--listen", address],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            server.stdout.readline()
            try:
                with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                    failures = sum(pool.map(lambda program: failures_of(program, folder, address), chosen))
            finally:
                server.terminate()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
