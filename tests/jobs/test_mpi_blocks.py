#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Blocks long enough to be lent: processes of a node read them in each other's memory."""

import json
import os
import resource
import subprocess
import unittest

import common

MPIEXEC = os.environ["MPIEXEC"]
BLOCKS, EXTENT, ROUNDS = 10, 80, 3
# In each round every block is changed, by adding, while copies of the round before were just released, half of
# them by another process; and read by all workers. The served array gets what was read.
PROGRAM = f"""sial lent
predefined int blocks
aoindex i = 1:blocks
aoindex j = 1:blocks
index n = 1:{ROUNDS}
distributed a[i,j]
served kept[i,j]
temp t[i,j]
scalar part
scalar total
part = 0.0
do n
  pardo j, i
    t[i,j] = (scalar)(i + j)
    put a[i,j] += t[i,j]
  endpardo j, i
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


def expected_total(workers, blocks=BLOCKS, extent=EXTENT):
    squares = extent**2 * sum((i + j)**2 for i in range(1, blocks + 1) for j in range(1, blocks + 1))
    return squares * (workers * sum(n * n for n in range(1, ROUNDS + 1)) + ROUNDS**2)


def without_shared_memory():
    """A limit on files, which memory that is shared would pass."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, 64 << 20))


class Blocks(common.JobTest):
    def run_job(self, processes, path, *options, **how):
        done = subprocess.run([MPIEXEC, "-n", str(processes), common.BLOCKYARD, "run", path, *options, "--json",
                               "out.json"], cwd=self.folder, text=True, capture_output=True,
                              timeout=common.LIMIT_SECONDS, check=False,
                              env={**os.environ, "TMPDIR": str(self.scratch)}, **how)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads((self.folder / "out.json").read_text(encoding="utf-8"))

    def run_program(self, processes, *options, blocks=BLOCKS, extent=EXTENT):
        path = self.write("lent.sial", PROGRAM)
        segments = ",".join([str(extent)] * blocks)
        return subprocess.run([MPIEXEC, "-n", str(processes), common.BLOCKYARD, "run", path, "--segments",
                               f"ao={segments}", "--set", f"blocks={blocks}", *options, "--json", "out.json",
                               "--report", "report.json"], cwd=self.folder, text=True,
                              capture_output=True, timeout=common.LIMIT_SECONDS, check=False,
                              env={**os.environ, "TMPDIR": str(self.scratch)})

    def total_of(self, processes, *options, **sizes):
        done = self.run_program(processes, *options, **sizes)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(list(self.scratch.glob("blockyard-*")), [], "something is left")
        return json.loads((self.folder / "out.json").read_text(encoding="utf-8"))

    def on_device(self, extent, options, blocks):
        """What the first device did in a run whose total is right."""
        results = self.total_of(2, "-w", "1", "--device", "sim", "--device-options", options, blocks=blocks,
                                extent=extent)
        self.assertEqual(results["scalars"]["total"], expected_total(2, blocks, extent))
        return results["devices"][0]

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

    def test_blocks_of_a_device_go_on_to_other_processes(self):
        """Lent when they are whole, or too long to be lent: in pieces as they come."""
        for blocks, extent, seed in ((BLOCKS, EXTENT, 5), (4, 520, 0), (4, 520, 5)):
            with self.subTest(extent=extent, seed=seed):
                device = self.on_device(extent, f"seed={seed}", blocks)
                self.assertEqual(device["failures"], 0)
                self.assertGreater(device["sent_blocks"], 5)
                self.assertEqual(device["sent_bytes"], device["sent_blocks"] * extent**2 * 8)
                if extent > EXTENT:
                    self.assertGreater(device["sent_pieces"], device["sent_blocks"])

    def test_blocks_that_a_device_writes_in_place_go_on_once_they_are_whole(self):
        for blocks, extent, seed in ((BLOCKS, EXTENT, 5), (4, 520, 0), (4, 520, 5)):
            with self.subTest(extent=extent, seed=seed):
                device = self.on_device(extent, f"in_place=1 seed={seed}", blocks)
                self.assertEqual(device["failures"] + device["sent_blocks"] + device["copies_to_device"], 0)
                self.assertGreater(device["direct_blocks"], 5)
                self.assertEqual(device["direct_bytes"], device["direct_blocks"] * extent**2 * 8)

    def test_blocks_go_from_the_device_where_mpi_reads_it(self):
        """The simulated device gives out where its memory really is, so that any MPI reads it."""
        for blocks, extent, seed, network in ((4, 520, 0, "on"), (4, 520, 5, "on"), (4, 520, 5, "off"),
                                              (BLOCKS, EXTENT, 5, "on")):
            with self.subTest(extent=extent, seed=seed, network=network):
                results = self.total_of(2, "-w", "1", "--device", "sim", "--device-network", network,
                                        "--device-options", f"seed={seed}", blocks=blocks, extent=extent)
                self.assertEqual(results["scalars"]["total"], expected_total(2, blocks, extent))
                device = results["devices"][0]
                self.assertEqual(device["failures"], 0)
                if network == "off" or extent == EXTENT:  # not asked for, or lent
                    self.assertEqual(device["direct_blocks"], 0)
                    self.assertGreater(device["sent_blocks"], 5)
                else:
                    self.assertGreater(device["direct_blocks"], 5)
                    self.assertEqual(device["direct_bytes"], device["direct_blocks"] * extent**2 * 8)
                    self.assertEqual(device["sent_blocks"], 0)

    def test_coupled_cluster_with_blocks_from_the_device(self):
        """Without shared memory all long blocks are messages."""
        job = self.write("job.toml", common.WATER + '[basis]\nname = "cc-pVDZ"\n[method]\nname = "ccsd"\n')
        host = self.run_job(1, job, "--device", "none")
        results = self.run_job(2, job, "-w", "1", "--device", "sim", "--device-network", "on",
                               preexec_fn=without_shared_memory)
        for key in ("scf", "mp2", "ccsd"):
            self.assertAlmostEqual(results["energies"][key], host["energies"][key], delta=1e-9)
        device = results["devices"][0]
        print({key: device[key] for key in device if key.startswith(("direct", "sent", "bytes_from"))})
        self.assertEqual(device["failures"] + device["sent_blocks"], 0)
        self.assertGreater(device["direct_blocks"], 20)

    def test_a_driver_that_hangs_keeps_no_process(self):
        done = self.run_program(2, "-w", "1", "--device", "sim", "--placement", "learned", "--device-after",
                                "0.000001s", "--device-options", "hang_open=1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("still being loaded", done.stderr)
        results = json.loads((self.folder / "out.json").read_text(encoding="utf-8"))
        self.assertEqual(results["scalars"]["total"], expected_total(2))
        self.assertEqual(list(self.scratch.glob("blockyard-*")), [], "something is left")

    def test_a_device_that_fails_while_it_sends_gives_no_wrong_number(self):
        for network, in_place in (("off", 0), ("on", 0), ("off", 1)):
            self.let_it_fail(network, in_place)

    def let_it_fail(self, network, in_place):
        ended, went_on, direct, failures = 0, 0, 0, 0
        for option, at in (("fail_call", 299), ("fail_call", 330), ("fail_after", 9), ("fail_after", 30),
                           ("lose_call", 400)):
            with self.subTest(option=option, at=at, network=network, in_place=in_place):
                done = self.run_program(2, "-w", "1", "--device", "sim", "--device-network", network,
                                        "--device-options", f"seed=3 {option}={at} in_place={in_place}",
                                        blocks=4, extent=520)
                if done.returncode != 0:
                    self.assertIn("device", done.stderr)
                    ended += 1
                    continue
                results = json.loads((self.folder / "out.json").read_text(encoding="utf-8"))
                self.assertEqual(results["scalars"]["total"], expected_total(2, 4, 520))
                # How many calls a run makes depends on when messages come: not each gets as far.
                failures += sum(device["failures"] for device in results["devices"])
                went_on += 1
                direct += sum(device["direct_blocks"] for device in results["devices"])
        print(f"failures, network {network}, in place {in_place}: {went_on} runs went on without the device, {ended} ended with an error")
        self.assertGreater(went_on, 0)
        self.assertGreater(failures, 0)
        self.assertEqual(direct > 0, network == "on" or in_place == 1)


if __name__ == "__main__":
    unittest.main()
