#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Blocks long enough to be lent: processes of a node read them in each other's memory."""

import json
import os
import subprocess
import unittest

import common

MPIEXEC = os.environ["MPIEXEC"]
BLOCKS, EXTENT, ROUNDS = 10, 80, 3
# In each round every block is changed, by adding, while copies of the round before were just let go; and
# read by all workers. The served array gets what was read.
PROGRAM = f"""sial lent
aoindex i = 1:{BLOCKS}
aoindex j = 1:{BLOCKS}
index n = 1:{ROUNDS}
distributed a[i,j]
served kept[i,j]
temp t[i,j]
scalar part
scalar total
part = 0.0
do n
  pardo i, j
    t[i,j] = (scalar)(i + j)
    put a[i,j] += t[i,j]
  endpardo i, j
  sip_barrier
  do i
    do j
      get a[i,j]
      part += a[i,j] * a[i,j]
    enddo j
  enddo i
  pardo i, j
    get a[i,j]
    prepare kept[i,j] = a[i,j]
  endpardo i, j
  sip_barrier
enddo n
pardo i, j
  request kept[i,j]
  part += kept[i,j] * kept[i,j]
endpardo i, j
total = 0.0
collective total += part
print total
endsial lent
"""


def expected_total(workers):
    squares = EXTENT**2 * sum((i + j)**2 for i in range(1, BLOCKS + 1) for j in range(1, BLOCKS + 1))
    return squares * (workers * sum(n * n for n in range(1, ROUNDS + 1)) + ROUNDS**2)


class Blocks(common.JobTest):
    def total_of(self, processes, *options):
        path = self.write("lent.sial", PROGRAM)
        segments = ",".join([str(EXTENT)] * BLOCKS)
        done = subprocess.run([MPIEXEC, "-n", str(processes), common.BLOCKYARD, "run", path, "--segments",
                               f"ao={segments}", *options, "--json", "out.json",
                               "--report", "report.json"], cwd=self.folder, text=True,
                              capture_output=True, timeout=common.LIMIT_SECONDS, check=False,
                              env={**os.environ, "TMPDIR": str(self.scratch)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(list(self.scratch.glob("blockyard-*")), [], "something is left")
        return json.loads((self.folder / "out.json").read_text(encoding="utf-8"))

    def test_two_processes_read_and_change_them(self):
        for options in (["--fabric-delay", "20us,10GB/s"], ["--deterministic"]):
            with self.subTest(options=options):
                self.assertEqual(self.total_of(2, "-w", "1", *options)["scalars"]["total"], expected_total(2))

    def test_owners_spill_blocks_that_others_hold(self):
        results = self.total_of(2, "-w", "1", "--memory", "8M")
        self.assertEqual(results["scalars"]["total"], expected_total(2))
        report = json.loads((self.folder / "report.json").read_text(encoding="utf-8"))
        self.assertGreater(sum(server["spilled_bytes"] for server in report["servers"]), 0)
        self.assertGreater(sum(server["read_back_bytes"] for server in report["servers"]), 0)


if __name__ == "__main__":
    unittest.main()
