# SPDX-License-Identifier: Apache-2.0
"""What the tests of whole programs in the style of ACES4 share. The path of blockyard comes in the environment: BLOCKYARD."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

BLOCKYARD = os.environ["BLOCKYARD"]
HERE = pathlib.Path(__file__).parent
ENTRIES = json.loads((HERE.parent / "reference" / "energies.json").read_text())["entries"]
LIMIT_SECONDS = 300
# The end of a ZMAT; lines of programs may follow.
SEGMENTS = """
*SIP
MAXMEM=800
SIP_MX_SEGSIZE={}
SIP_MX_OCC_SEGSIZE={}
SIP_MX_VIRT_SEGSIZE={}
"""


class ProgramsTest(unittest.TestCase):
    """A test in a folder of its own with the programs of chemistry/ and those that are `written`: name -> function."""

    written = {}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.programs = self.folder / "programs"
        shutil.copytree(HERE / "chemistry", self.programs)
        for name, write in self.written.items():
            (self.programs / f"{name}.sialx").write_text(write())

    def write_zmat(self, text, programs):
        lines = "".join(f"SIAL_PROGRAM = programs/{name}.siox\n" for name in programs)
        (self.folder / "ZMAT").write_text(text + lines)

    def blockyard(self, *words):
        done = subprocess.run([BLOCKYARD, *map(str, words)], capture_output=True, text=True,
                              timeout=LIMIT_SECONDS, check=False, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def results(self, *words):
        result = self.folder / "result.json"
        self.blockyard("run", *words, "--quiet", "--json", result)
        return json.loads(result.read_text())

    def scalars(self, *words):
        return self.results(*words)["scalars"]
