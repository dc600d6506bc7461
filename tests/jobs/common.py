# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of jobs. The path of blockyard comes in the environment: BLOCKYARD. With BLOCKYARD_DEVICE
all runs that say nothing of a device use that kind, and must give the energies that the host gives."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

# A command in the background of a script begins with SIGINT ignored, and so would its children: the
# tests that interrupt a run would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)

BLOCKYARD = os.environ["BLOCKYARD"]
DEVICE = os.environ.get("BLOCKYARD_DEVICE", "")
IS_FULL = os.environ.get("BLOCKYARD_TESTS") == "full"  # as in make test-all: more cases of the same
IS_SANITIZED = os.environ.get("SANITIZED") == "1"
REFERENCES = pathlib.Path(__file__).parent.parent / "reference" / "energies.json"
LIMIT_HARTREE = 1e-8
SAME_HARTREE = 1e-9  # whatever computes
LIMIT_DIPOLE = 1e-6  # atomic units
ENERGIES = ["nuclear", "scf", "mp2", "ccsd", "triples_correction", "ccsd_t"]
LIMIT_SECONDS = 600  # a hang is an error; nothing here takes longer than a minute

WATER = """
[molecule]
geometry = \"\"\"
O 0 0 0.1173
H 0 0.7572 -0.4692
H 0 -0.7572 -0.4692
\"\"\"
"""


def program(name, test=__file__):
    """The text of programs/NAME.sial in the folder of a test."""
    return (pathlib.Path(test).parent / "programs" / f"{name}.sial").read_text(encoding="utf-8")


# Many workers add to the same blocks, values whose sum depends on their order.
SUMS = program("sums")


def endless(blocks):
    """A program over this many blocks that says it has begun and does not end, and its options."""
    program = f"""sial endless
aoindex i = 1:{blocks}
index k = 1:1000000000
distributed d[i]
temp t[i]
print "begun"
do k
  pardo i
    t[i] = 1.0
    put d[i] += t[i]
  endpardo i
  sip_barrier
enddo k
endsial endless
"""
    return program, ["--segments", "ao=" + ",".join(["1"] * blocks)]


def served_squares(blocks, extent=48):
    """A served array of blocks * blocks blocks of extent * extent elements, and the sum of its squares: the
    program (its first barrier comes before all else), its options, and what `total` becomes."""
    program = f"""sial large
aoindex i = 1:{blocks}
aoindex j = 1:{blocks}
served d[i,j]
temp t[i,j]
scalar part
scalar total
sip_barrier
pardo i, j
  t[i,j] = (scalar)(i + j)
  prepare d[i,j] = t[i,j]
endpardo i, j
server_barrier
pardo i, j
  request d[i,j]
  part += d[i,j] * d[i,j]
endpardo i, j
collective total += part
endsial large
"""
    total = sum((i + j) ** 2 for i in range(1, blocks + 1) for j in range(1, blocks + 1)) * extent**2
    return program, ["--segments", "ao=" + ",".join([str(extent)] * blocks)], total


def references():
    with open(REFERENCES, encoding="utf-8") as file:
        return json.load(file)["entries"]


class JobTest(unittest.TestCase):
    """A test in a folder of its own, where all runs also keep what they spill."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.scratch = self.folder / "scratch"
        self.scratch.mkdir()

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def run_blockyard(self, *arguments, environment=None, **options):
        """Runs a command and checks what every run promises: no scratch is left."""
        if uses_device(arguments):
            arguments = [*arguments, "--device", DEVICE]
        done = subprocess.run([BLOCKYARD, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=LIMIT_SECONDS, check=False,
                              env={**os.environ, "TMPDIR": str(self.scratch), "COLUMNS": "80", **(environment or {})}, **options)
        self.assertEqual(list(self.scratch.iterdir()), [], "something is left in the scratch folder")
        return done

    def run_well(self, *arguments):
        done = self.run_blockyard(*arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def results_of(self, *arguments):
        """The JSON of a run that ends well."""
        results = json.loads(self.run_well(*arguments, "--json", "-").stdout)
        if uses_device(arguments) and "--guess" not in arguments:
            self.assertGreater(sum(device["runs"] for device in results["devices"]), 0)
            host = self.results_of(*arguments, "--device", "none")
            for key, value in host["energies"].items():
                self.assertAlmostEqual(results["energies"][key], value, delta=SAME_HARTREE, msg=key)
        return results

    def assert_fails(self, done, *parts, code=1):
        """The run ended with this code and one error with all these parts."""
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("error: "), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)


def uses_device(arguments):
    return DEVICE and arguments[0] == "run" and "--device" not in arguments


def job_file(entry, method, options=""):
    atoms = "\n".join("{} {!r} {!r} {!r}".format(*atom) for atom in entry["geometry_angstrom"])
    spherical = "false" if entry["cart"] else "true"
    return (f'title = "{entry["molecule"]}"\n[molecule]\ngeometry = """\n{atoms}\n"""\n'
            f'charge = {entry["charge"]}\nmultiplicity = {entry["multiplicity"]}\n'
            f'[basis]\nname = "{entry["basis"]}"\nspherical = {spherical}\n'
            f'[method]\nname = "{method}"\nfrozen_core = {entry["frozen_core_orbitals"]}\n{options}\n')


class MoleculeTest(JobTest):
    """A test of molecules against the reference values."""

    def entry(self, molecule, basis, frozen=False, cart=False):
        return next(e for e in references() if e["molecule"] == molecule and
                    e["basis"] == basis and e["frozen_core"] == frozen and e["cart"] == cart)

    def compare(self, entry, results, keys):
        for key in keys:
            reference = entry[{"nuclear": "e_nuc", "triples_correction": "e_t"}.get(key, "e_" + key)]
            self.assertLess(abs(results["energies"][key] - reference), LIMIT_HARTREE,
                            f"{key} {results['energies'][key]} {reference}")

    def compare_dipole(self, entry, results, method, key):
        for value, reference in zip(results["dipoles"][method], entry[key]):
            self.assertLess(abs(value - reference), LIMIT_DIPOLE, key)

    def check_method(self, entry, method, keys, ways, options=""):
        """Each way is (workers, servers, more options)."""
        path = self.write("job.toml", job_file(entry, method, options))
        for workers, servers, more in ways:
            with self.subTest(workers=workers, servers=servers, options=more):
                results = self.results_of("run", path, "-w", workers, "-s", servers, *more)
                self.assertEqual(results["n_basis"], entry["nbf"])
                self.assertTrue(results["converged"])
                self.compare(entry, results, keys)
                if "dipole_scf_au" in entry:
                    self.compare_dipole(entry, results, "scf", "dipole_scf_au")
