# SPDX-License-Identifier: Apache-2.0
"""`blockyard accumulate` in a folder that is removed afterwards.

The environment: BLOCKYARD, MPIEXEC (empty: no MPI).
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import h5py

BLOCKYARD = os.environ["BLOCKYARD"]
MPIEXEC = os.environ.get("MPIEXEC", "")
LIMIT_SECONDS = 300


class AccumulateTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def blockyard(self, *arguments, processes=0):
        command = [BLOCKYARD, "accumulate", *map(str, arguments)]
        if processes:
            command = [MPIEXEC, "-n", str(processes), *command]
        return subprocess.run(command, cwd=self.folder, text=True, capture_output=True, timeout=LIMIT_SECONDS,
                              check=False)

    def accumulate(self, path, *arguments, processes=0):
        done = self.blockyard(path, "-o", "g4.h5", "--json", "out.json", *arguments, processes=processes)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = json.loads((self.folder / "out.json").read_text())
        with h5py.File(self.folder / "g4.h5") as file:
            found = {name: file["G4"][name][...] for name in file["G4"]}
            found["G"] = file["G"][...]
            found["errors"] = {name: file["G4_error"][name][...] for name in file.get("G4_error", ())}
        return found, report
