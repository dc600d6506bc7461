#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the public test programs of Global Arrays, unmodified, against our headers and runs them.

BLOCKYARD_GA_SOURCE names a clone of their repository; without it all is skipped (exit 77).
BLOCKYARD_GA_RANKS: numbers of processes, default "1,2,4". BLOCKYARD_GA_NODES=2: as if they were on two nodes.
Usage: run_public.py FOLDER-OF-LIBRARY FOLDER-OF-HEADERS
"""
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS = pathlib.Path(__file__).with_name("public_programs.txt")
SKIPPED = 77


# What their build writes into config.h: names of Fortran, and that there are BLAS and LAPACK.
CONFIG = """#define F77_FUNC_(name, NAME) name##_
#define F77_FUNC(name, NAME) name##_
#define HAVE_STDIO_H 1
#define HAVE_STDLIB_H 1
#define HAVE_ASSERT_H 1
#define HAVE_UNISTD_H 1
#define HAVE_STRING_H 1
#define HAVE_MATH_H 1
#define MSG_COMMS_MPI 1
#define SIZEOF_F77_INTEGER 4
#define HAVE_BLAS 1
#define HAVE_LAPACK 1
"""
CONFIG_OF_FORTRAN = "#define HAVE_BLAS 1\n#define HAVE_LAPACK 1\n"


def complaint(command):
    """The compiler's first error; nothing: there is none."""
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in done.stderr.splitlines() if "rror" in line or "undefined" in line]
    return None if done.returncode == 0 else (lines or ["no message"])[0]


def compiled(source, library, headers, output):
    """The error of compiling the program, or nothing. Fortran programs get the helpers next to them."""
    folder, place = source.parent, output.parent
    (place / "config.h").write_text(CONFIG)
    (place / "config.fh").write_text(CONFIG_OF_FORTRAN)
    include = [f"-I{path}" for path in (place, folder, folder.parent, folder.parent / "src",
                                        folder.parent.parent / "LinAlg" / "lapack+blas", library, headers)]
    flags = ["-w", "-O1", "-g", "-DMPI", "-DHAVE_CONFIG_H", *include]
    link = [f"-L{library}", "-lga", f"-Wl,-rpath,{library}", "-llapack", "-lblas", "-lm", "-o", str(output)]
    if source.suffix == ".c":  # with OpenMP; Fortran's large arrays would be on the stack by it
        return complaint(["mpicc", "-fopenmp", *flags, str(source), *link])
    util = place / "util.o"
    problem = complaint(["mpicc", *flags, "-c", str(folder / "util.c"), "-o", str(util)])
    helpers = [str(util), str(folder / "ffflush.F")]
    if any(word in source.read_text() for word in ("galinalg", "TEST_DGEMM")):
        helpers.append(str(folder / "testblas.F"))
    return problem or complaint(["mpif90", "-cpp", "-std=legacy", "-fallow-argument-mismatch",
                                 "-fno-aggressive-loop-optimizations", *flags,
                                 str(source), *helpers, *link])


def run(program, ranks):
    """The error, or nothing."""
    try:
        done = subprocess.run(["mpirun", "-n", str(ranks), str(program)], capture_output=True,
                              text=True, errors="replace", timeout=600, cwd=program.parent)
    except subprocess.TimeoutExpired:
        return "no end within 600 seconds"
    return None if done.returncode == 0 else f"exit {done.returncode}: {done.stderr[-300:]}"


def main(library, headers):
    source = os.environ.get("BLOCKYARD_GA_SOURCE")
    if not source:
        print("SKIPPED: BLOCKYARD_GA_SOURCE names no clone of the Global Arrays repository")
        return SKIPPED
    ranks = [int(n) for n in os.environ.get("BLOCKYARD_GA_RANKS", "1,2,4").split(",")]
    lines = [line.split() for line in PROGRAMS.read_text().splitlines()
             if line.strip() and not line.startswith("#")]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, *wanted in lines:
            path = pathlib.Path(source) / "global" / "testing" / name
            program = pathlib.Path(folder) / path.stem
            problem = compiled(path, pathlib.Path(library), pathlib.Path(headers), program)
            for n in [int(n) for n in wanted] or ranks:
                problem = problem or run(program, n)
            failed += problem is not None
            print(f"{name}: {problem or 'ok'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
