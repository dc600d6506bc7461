#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the libraries of Global Arrays into an empty folder, and compiles and runs programs with what
ga-config says there, linked statically and dynamically. Usage: check_install.py BUILD-FOLDER CMAKE"""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
PROJECT = """cmake_minimum_required(VERSION 3.20)
project(foreign C)
find_package(GlobalArrays 5.8 REQUIRED)
add_executable(foreign {source})
target_link_libraries(foreign GlobalArrays::ga)
"""


def words(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def main(build, cmake):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        words(cmake, "--install", build, "--component", "ga", "--prefix", str(folder))
        config = str(folder / "bin" / "ga-config")

        def compile_and_run(source, compiler, flags, extra=()):
            program = str(folder / pathlib.Path(source).stem)
            command = [*words(config, compiler), *extra, "-w", *words(config, *flags, "--cppflags"),
                       *words(config, *flags, "--fflags" if compiler == "--f77" else "--cflags"),
                       str(HERE / source), "-o", program, *words(config, *flags, "--ldflags"),
                       *words(config, *flags, "--libs")]
            if "--static" in flags:
                command = [word.replace("-lga", "-l:libga.a") for word in command]
            subprocess.run(command, check=True)
            subprocess.run([program], check=True, stdout=subprocess.DEVNULL)
            print(source, *flags, "ok")

        compile_and_run("onesided.c", "--cc", [])
        compile_and_run("onesided.c", "--cc", ["--static"])
        in_cxx = folder / "in_cxx.cpp"
        in_cxx.write_text('extern "C" {\n#include <ga.h>\n#include <macdecls.h>\n}\n')
        words(words(config, "--cc")[0].replace("mpicc", "mpicxx").replace("gcc", "g++"), "-fsyntax-only",
              *words(config, "--cppflags"), str(in_cxx))
        project = folder / "project"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(PROJECT.format(source=HERE / "onesided.c"))
        words(cmake, "-S", str(project), "-B", str(project), f"-DCMAKE_PREFIX_PATH={folder}")
        words(cmake, "--build", str(project))
        words(str(project / "foreign"))
        print("onesided.c by find_package ok")
        if pathlib.Path(words(config, "--f77")[0]).exists():
            compile_and_run("fortran.F", "--f77", ["--i8"], ["-cpp", "-fallow-argument-mismatch"])
        # What NWChem's makefiles ask: the last words are folders, and a folder stands for INTEGERs of 8 bytes.
        wide = str(folder / "i8" / "bin" / "ga-config")
        for question in ("--cppflags", "--fflags", "--libs"):
            if words(wide, question) != words(config, "--i8", question):
                sys.exit(f"i8/bin/ga-config {question} differs from that of ga-config --i8")
        headers, library = words(wide, "--cppflags")[-1], words(wide, "--ldflags")[-1]
        for flag, prefix, name in ((headers, "-I", "typesf2c.h"), (headers, "-I", "mafdecls.fh"),
                                   (headers, "-I", "global.fh"), (headers, "-I", "msgtypesf.h"), (library, "-L", "libga_i8.so")):
            if not flag.startswith(prefix) or not (pathlib.Path(flag[2:]) / name).exists():
                sys.exit(f"{name} is not in {flag}")
        if words(wide, "--enable-f77", "--use_scalapack", "--blas_size") != ["yes", "1", "4"]:
            sys.exit("i8/bin/ga-config denies Fortran, ScaLAPACK or a BLAS of 4 bytes")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
