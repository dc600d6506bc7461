#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The promises of docs/clusters.md, on the cluster of cluster.py: run by `make test-cluster`.

BLOCKYARD names the program; BLOCKYARD_PYTHON, if it is set, a Python that has the package."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

BLOCKYARD = os.environ["BLOCKYARD"]
PYTHON = os.environ.get("BLOCKYARD_PYTHON", "")
LIMIT_SECONDS = 120

HYDROGEN = '[molecule]\ngeometry = """\nH 0 0 0\nH 0 0 1.4\n"""\nunits = "bohr"\n[basis]\nname = "sto-3g"\n' \
           '[method]\nname = "scf"\n'
ENERGY = -1.1167  # Szabo & Ostlund, Modern Quantum Chemistry, table 3.11

ROUNDS = 3000
SLOW = f"""sial slow
aoindex i = 1:4
index k = 1:{ROUNDS}
distributed a[i]
scalar part
scalar total
pardo i
  put a[i] = 0.0
endpardo i
sip_barrier
do k
  pardo i
    put a[i] += 1.0
  endpardo i
  sip_barrier
  if k == 10
    print k
  endif
enddo k
pardo i
  get a[i]
  part += a[i]*a[i]
endpardo i
collective total += part
print total
endsial slow
"""

SCRIPT = """
import os
import blockyard
with blockyard.Session(workers=1, memory="64M") as s:
    result = s.run('''sial who
scalar one
scalar all
one = 1.0
collective all += one
endsial who
''')
    if os.environ["PMIX_RANK"] == "0": print("workers", result.scalars["all"])
"""


class Cluster(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "h2.toml").write_text(HYDROGEN)
        (self.folder / "slow.sial").write_text(SLOW)

    def run_there(self, *command):
        return subprocess.run([*map(str, command)], cwd=self.folder, text=True, capture_output=True, check=False,
                              timeout=LIMIT_SECONDS)

    def run_well(self, *command):
        done = self.run_there(*command)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_the_hosts_are_two(self):
        self.assertEqual(sorted(self.run_well("srun", "-N2", "-n2", "hostname").split()), ["node1", "node2"])

    def test_srun_with_pmix_is_one_job_on_both_nodes(self):
        output = self.run_well("srun", "-N2", "-n4", "--mpi=pmix", BLOCKYARD, "run", "h2.toml", "-w", 1,
                               "--report", "report.json", "--json", "h2.json")
        self.assertEqual(output.count("SCF total"), 1, output)
        report, results = (json.loads((self.folder / name).read_text()) for name in ("report.json", "h2.json"))
        self.assertAlmostEqual(results["energies"]["scf"], ENERGY, places=3)
        self.assertEqual(len(report["programs"][0]["workers"]), 4)

    def test_srun_without_pmi_is_refused_by_each_process(self):
        done = self.run_there("srun", "-N2", "-n2", BLOCKYARD, "run", "h2.toml", "--json", "x.json")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("srun started 2 processes, but each of them sees none"), 2, done.stderr)
        self.assertNotIn("SCF total", done.stdout)
        self.assertFalse((self.folder / "x.json").exists())

    def test_one_process_of_srun_runs_alone(self):
        self.assertIn("SCF total", self.run_well("srun", "-n1", BLOCKYARD, "run", "h2.toml"))

    def batch(self, lines, *options):
        (self.folder / "job.sh").write_text("#!/bin/bash\n" + lines)
        return self.run_well("sbatch", "--parsable", "-o", "job.out", *options, "job.sh").strip()

    def test_a_batch_script_runs_mpirun_and_a_single_process(self):
        self.batch(f"set -e\nmpirun {BLOCKYARD} run h2.toml -w 1 --json both.json\n"
                   f"{BLOCKYARD} run h2.toml -w 1 --json alone.json\n", "-N2", "-n2", "--wait")
        for name in ("both.json", "alone.json"):
            self.assertAlmostEqual(json.loads((self.folder / name).read_text())["energies"]["scf"], ENERGY, places=3)

    def wait_for(self, happens):
        limit = time.monotonic() + LIMIT_SECONDS
        while not happens():
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.05)

    def test_a_signal_before_the_time_limit_leaves_a_checkpoint_to_resume(self):
        job = self.batch(f"srun --mpi=pmix {BLOCKYARD} run slow.sial -w 1 --segments ao=4*2 --checkpoint-dir saved\n",
                         "-N2", "-n2")
        out = self.folder / "job.out"
        self.wait_for(lambda: out.exists() and "k = 10" in out.read_text())
        self.run_well("scancel", "--signal=TERM", job)  # as sbatch --signal=TERM@120 sends it
        self.wait_for(lambda: not self.run_well("squeue", "-h", "-j", job, "-t", "R,CG").strip())
        self.assertNotIn("total = ", out.read_text())
        self.assertTrue(any((self.folder / "saved").iterdir()))
        output = self.run_well("srun", "-N2", "-n2", "--mpi=pmix", BLOCKYARD, "resume", "saved", "-w", 1)
        self.assertEqual(float(re.search(r"total = ([0-9.]+)", output)[1]), 8 * ROUNDS**2)

    @unittest.skipUnless(PYTHON, "SKIPPED: no Python with the package")
    def test_python_under_srun_is_one_run(self):
        (self.folder / "script.py").write_text(SCRIPT)
        output = self.run_well("srun", "-K", "-N2", "-n2", "--mpi=pmix", PYTHON, "script.py")
        self.assertEqual(output, "workers 2.0\n")
        done = self.run_there("srun", "-K", "-N2", "-n2", PYTHON, "script.py")
        self.assertIn("srun started 2 processes", done.stderr)


if __name__ == "__main__":
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    unittest.main()
