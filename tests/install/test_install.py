#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cmake --install` into a folder, and headers and examples/super_instructions built against it."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

CMAKE, BUILD, GENERATOR = os.environ["CMAKE"], os.environ["BUILD"], os.environ["GENERATOR"]
C, CXX = (os.environ["CC"], "c", "c11"), (os.environ["CXX"], "c++", "c++20")
ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT_SECONDS = 300


class Install(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.installed = cls.folder / "installed"
        cls.run_well(CMAKE, "--install", BUILD, "--prefix", cls.installed, "--component", "Unspecified")

    @classmethod
    def run_well(cls, *command, **options):
        done = subprocess.run([*map(str, command)], text=True, capture_output=True, timeout=LIMIT_SECONDS, check=False,
                              **options)
        if done.returncode != 0:
            raise AssertionError(f"{command}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def test_the_installed_program_finds_its_programs_and_basis_sets(self):
        moved = self.folder / "moved"
        shutil.copytree(self.installed, moved, symlinks=True)
        (self.folder / "h2.toml").write_text('[molecule]\ngeometry = """\nH 0 0 0\nH 0 0 1.4\n"""\nunits = "bohr"\n'
                                             '[basis]\nname = "sto-3g"\n[method]\nname = "scf"\n')
        output = self.run_well(moved / "bin" / "blockyard", "run", self.folder / "h2.toml")
        self.assertIn("SCF total                 -1.1167", output)
        self.assertIn("sto-3g", self.run_well(moved / "bin" / "blockyard", "basis").lower())

    def test_every_header_for_plug_ins_is_there_and_compiles_alone(self):
        for path in sorted((ROOT / "blockyard" / "device").glob("abi*.h")):
            with self.subTest(header=path.name):
                compiler, language, standard = CXX if "namespace" in path.read_text() else C
                self.run_well(compiler, f"-std={standard}", "-fsyntax-only", "-I", self.installed / "include", "-include",
                              f"blockyard/device/{path.name}", "-x", language, "/dev/null")

    def test_a_project_finds_the_package_and_adds_super_instructions(self):
        build = self.folder / "example"
        self.run_well(CMAKE, "-S", ROOT / "examples" / "super_instructions", "-B", build, "-G", GENERATOR,
                      f"-DCMAKE_PREFIX_PATH={self.installed}")
        self.run_well(CMAKE, "--build", build)
        self.run_well("ctest", "--test-dir", build, "--output-on-failure")


if __name__ == "__main__":
    unittest.main()
