#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Devices give the same numbers as the host, whatever their memory and whatever fails."""

import gzip
import itertools
import json
import os
import shutil
import signal
import subprocess
import unittest
import unittest.mock

import common
from common import SAME_HARTREE, job_file
from device_programs import HOST_RESULTS, LONG, MARKS, SHARED, STATIC

ALL = common.ENERGIES
NO_DRIVER = {"OCL_ICD_VENDORS": "/nowhere", "OPENCL_VENDOR_PATH": "/nowhere"}
KINDS = ["sim"] + (["opencl"] if os.environ.get("HAS_OPENCL") == "1" else [])


class Devices(common.MoleculeTest):
    def water(self, method="ccsd(t)"):
        return self.write("job.toml", job_file(self.entry("h2o_crawford", "sto-3g"), method))

    def run_with(self, path, *options, workers=1):
        """Results, and the sums of what the devices did."""
        results = self.results_of("run", path, "-w", workers, *options)
        counts = {}
        for device in results["devices"]:
            for key, value in device.items():
                if isinstance(value, (int, float)):
                    counts[key] = counts.get(key, 0) + value
        return results, counts

    def assert_same(self, results, host):
        for key in ALL:
            self.assertAlmostEqual(results["energies"][key], host["energies"][key],
                                   delta=SAME_HARTREE, msg=key)

    def test_coupled_cluster_on_devices(self):
        path = self.water()
        host = self.results_of("run", path, "--device", "none")
        self.assertEqual(host["devices"], [])
        for kind, in_place in itertools.product(KINDS, (False, True)):
            with_seed = "seed=5 " if kind == "sim" else ""
            for workers, options, more in ((1, "", []), (3, with_seed, []),
                                           (2, "", ["--device-memory", "20K"]), (2, "", ["--device-memory", "1K"]),
                                           (2, "", ["--placement", "learned", "--device-after", "0s"])):
                with self.subTest(kind=kind, in_place=in_place, workers=workers, options=more):
                    results, counts = self.run_with(path, "--device", kind, "--device-options",
                                                    f"{options}in_place={int(in_place)}", *more, workers=workers)
                    self.assert_same(results, host)
                    self.assertEqual(counts["failures"], 0)
                    if in_place:
                        for key in ("copies_to_device", "peer_copies", "evictions"):
                            self.assertEqual(counts[key], 0, key)
                        # Nothing but the numbers that statements make.
                        self.assertEqual(counts["bytes_from_device"], 8 * counts["copies_from_device"])
                        self.assertGreater(counts["saved_copies"], counts["runs"])
                    if "1K" in more and not in_place:
                        self.assertGreater(counts["fallbacks"], 0)
                    if "20K" in more and not in_place:
                        self.assertGreater(counts["evictions"], 0)
                    if not more:
                        self.assertGreater(counts["runs"], 1000)
                        self.assertEqual(counts["evictions"] + counts["fallbacks"], 0)

    @unittest.skipUnless("opencl" in KINDS, "no OpenCL")
    def test_a_processor_by_another_driver_works_in_place_unasked(self):
        _, counts = self.run_with(self.water("ccsd"), "--device", "opencl", workers=2)
        self.assertGreater(counts["runs"], 1000)
        self.assertEqual(counts["copies_to_device"], 0)

    def test_a_user_without_a_gpu_notices_nothing(self):
        path = self.water("scf")
        done = self.run_well("run", path)
        self.assertNotIn("device", done.stdout + done.stderr)

    def test_intents_save_transfers(self):
        path = self.water("ccsd")
        _, counts = self.run_with(path, "--device", "sim")
        _, naive = self.run_with(path, "--device", "sim", "--without-intents")
        moved = {key: (counts[key], naive[key]) for key in ("copies_to_device", "copies_from_device")}
        saved = 1 - sum(a for a, _ in moved.values()) / sum(b for _, b in moved.values())
        print(f"CCSD of water: {moved}: intents save {100 * saved:.0f} % of the copies; "
              f"{counts['saved_copies']} operands needed none")
        self.assertLess(*moved["copies_to_device"])
        # What a program puts is read by the host once, whether the device says what it wrote or not: the blocks that
        # it only read stay on it, as denominators have a device form.
        self.assertLessEqual(*moved["copies_from_device"])
        self.assertGreater(saved, 0.3)

    def test_coming_operands_are_copied_ahead(self):
        path = self.water("ccsd")
        host = self.results_of("run", path, "--device", "none")
        counts = {}
        for depth in ("0", "4"):
            results, counts[depth] = self.run_with(path, "--device", "sim", "--prefetch", depth, workers=2)
            self.assertAlmostEqual(results["energies"]["ccsd"], host["energies"]["ccsd"],
                                   delta=SAME_HARTREE)
        ahead, none = counts["4"], counts["0"]
        print(f"copied ahead: {ahead['ahead_copies']} of {ahead['copies_to_device']}, "
              f"unused {ahead['ahead_unused']}; without look-ahead {none['copies_to_device']}")
        self.assertEqual(none["ahead_copies"], 0)
        # How many depends on which blocks had arrived by then: 40 to 300.
        self.assertGreater(ahead["ahead_copies"], 10)
        self.assertLess(ahead["ahead_unused"], 0.05 * ahead["ahead_copies"])

    def test_a_time_line_has_a_track_for_each_lane(self):
        path = self.water("mp2")
        self.run_well("run", path, "-w", 1, "--device", "sim", "--trace", "trace.json.gz")
        with gzip.open(self.folder / "trace.json.gz", "rt", encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        tracks = {e["args"]["name"]: e["tid"] for e in events if e["name"] == "thread_name"}
        for lane in ("copies to the device", "copies from the device", "kernels 1", "kernels 2"):
            of_lane = [e for e in events if e["ph"] == "X" and e["tid"] == tracks[f"worker 0, {lane}"]]
            self.assertGreater(len(of_lane), 3, lane)
            self.assertEqual({e["cat"] for e in of_lane}, {"stream"})
            self.assertEqual(all(e["name"].startswith("copy ") for e in of_lane), "copies" in lane)

    def test_a_device_that_fails_never_gives_a_wrong_number(self):
        path = self.water("ccsd")
        host = self.results_of("run", path, "--device", "none")
        ended, went_on = 0, 0
        for option, in_place in itertools.product(("fail_call", "lose_call", "fail_after"), (0, 1)):
            for at in (1, 7, 100, 600, 2000, 9000, 50000):
                done = self.run_blockyard("run", path, "-w", 1, "--device", "sim", "--device-options",
                                          f"seed=3 {option}={at} in_place={in_place}", "--json", "-")
                with self.subTest(option=option, at=at, in_place=in_place):
                    if done.returncode != 0:
                        ended += 1
                        self.assert_fails(done, "device")
                        continue
                    results = json.loads(done.stdout)
                    self.assertAlmostEqual(results["energies"]["ccsd"], host["energies"]["ccsd"],
                                           delta=SAME_HARTREE)
                    failures = sum(device["failures"] for device in results["devices"])
                    self.assertEqual(failures > 0, "continues without device" in done.stderr)
                    went_on += failures > 0
        print(f"failures: {went_on} runs went on without the device, {ended} ended with an error")
        self.assertGreater(went_on, 12)

    def test_a_device_is_opened_only_for_enough_work(self):
        path = self.water("mp2")
        host = self.results_of("run", path, "--device", "none")
        for kind in KINDS:
            results = self.results_of("run", path, "--device", kind, "--placement", "learned",
                                      "--device-after", "1h", "--report", "report.json")
            self.assertEqual(results["devices"], [])
            self.assertAlmostEqual(results["energies"]["mp2"], host["energies"]["mp2"], delta=SAME_HARTREE)
            decisions = json.loads((self.folder / "report.json").read_text())["decisions"]
            self.assertIn("too little work", next(d["reason"] for d in decisions if d["what"] == "devices"))

    @unittest.skipUnless("opencl" in KINDS, "no OpenCL")
    def test_a_named_driver_that_does_not_work_ends_the_run_soon(self):
        """A program without work for a device, which would run for a day."""
        path = self.write("long.sial", LONG)
        with unittest.mock.patch.dict(os.environ, NO_DRIVER):
            done = self.run_blockyard("run", path, "--device", "opencl", "--placement", "learned",
                                      "--device-after", "0.01s")
        self.assert_fails(done, "no such device", "--device none")

    def test_a_driver_that_hangs_neither_keeps_a_run_nor_its_results(self):
        hang = ["--device", "sim", "--placement", "learned", "--device-after", "0.000001s",
                "--device-options", "hang_open=1"]
        done = self.run_well("run", self.water("ccsd"), *hang, "--json", "results.json")
        self.assertIn("still being loaded", done.stderr)
        results = json.loads((self.folder / "results.json").read_text())
        self.assertIn("ccsd", results["energies"])
        self.assertEqual(results["devices"], [])
        with subprocess.Popen([common.BLOCKYARD, "run", self.write("long.sial", LONG), *hang],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "TMPDIR": str(self.scratch)}) as child:
            self.assertEqual(child.stdout.readline(), "begun\n")
            child.send_signal(signal.SIGINT)
            _, errors = child.communicate(timeout=common.LIMIT_SECONDS)
        self.assertEqual(child.returncode, 128 + signal.SIGINT, errors)
        self.assertEqual(list(self.scratch.iterdir()), [])

    def test_a_run_that_waits_for_a_driver_can_be_stopped(self):
        """The last statement was done when the signal comes, and the driver never is."""
        path = self.write("short.sial", 'sial short\nprint "done"\nendsial short\n')
        for number, said in ((signal.SIGINT, "interrupted"), (signal.SIGTERM, "stopped by signal")):
            with subprocess.Popen([common.BLOCKYARD, "run", path, "--device", "sim", "--placement", "learned",
                                   "--device-after", "0.000001s", "--device-options", "hang_open=1"],
                                  cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "TMPDIR": str(self.scratch)}) as child:
                self.assertEqual(child.stdout.readline(), "done\n")
                child.send_signal(number)
                _, errors = child.communicate(timeout=common.LIMIT_SECONDS)
            self.assertEqual(child.returncode, 128 + number, errors)
            self.assertIn(said, errors)
            self.assertEqual(list(self.scratch.iterdir()), [])

    def test_a_run_can_be_stopped_where_its_programs_wait_for_a_driver(self):
        """Before the first program, and at a hint in one."""
        path = self.write("short.sial", 'sial short\nprint "begun"\ngpu_on\ngpu_off\nendsial short\n')
        hang = ["--device", "sim", "--device-options", "hang_open=1"]
        for more in ([], ["--placement", "learned", "--respect-gpu-hints"]):
            with subprocess.Popen([common.BLOCKYARD, "run", path, "-w", "2", *hang, *more],
                                  cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "TMPDIR": str(self.scratch)}) as child:
                if more:
                    self.assertEqual(child.stdout.readline(), "begun\n")
                while not list(self.scratch.iterdir()):  # made before the device is opened
                    self.assertIsNone(child.poll())
                child.send_signal(signal.SIGINT)
                _, errors = child.communicate(timeout=common.LIMIT_SECONDS)
            self.assertEqual(child.returncode, 128 + signal.SIGINT, errors)
            self.assertIn("interrupted", errors)
            self.assertEqual(list(self.scratch.iterdir()), [])

    def test_several_devices_share_the_work(self):
        path = self.water("ccsd")
        host = self.results_of("run", path, "--device", "none")
        for kind in KINDS:
            options = ["--device-options", "units=1"] if kind == "opencl" else []
            results = self.results_of("run", path, "-w", 4, "--device", kind, "--devices", 2, *options)
            self.assertAlmostEqual(results["energies"]["ccsd"], host["energies"]["ccsd"],
                                   delta=SAME_HARTREE)
            self.assertEqual(len(results["devices"]), 2)
            for device in results["devices"]:
                self.assertGreater(device["runs"], 100)

    def test_the_faster_device_gets_more_work(self):
        path = self.write("shared.sial", SHARED)
        for policy in ("balanced", "dynamic"):
            done = self.run_well("run", path, "-w", 2, "--device", "sim", "--devices", 2, "--segments", "ao=1",
                                 "--device-options", "slow=1000", "--pardo", policy, "--json", "results.json")
            self.assertRegex(done.stdout, r"\b1600\b")
            runs = {d["number"]: d["runs"]
                    for d in json.loads((self.folder / "results.json").read_text())["devices"]}
            print(policy, runs)
            self.assertEqual(sum(runs.values()), 800)
            if policy == "balanced":
                self.assertEqual(runs[0], runs[1])
            else:
                self.assertGreater(runs[0], runs[1])

    def test_blocks_of_static_arrays_go_to_the_device_when_they_changed(self):
        path = self.write("static.sial", STATIC)
        for kind, in_place in itertools.product(KINDS, (0, 1)):
            done = self.run_well("run", path, "-w", 1, "--device", kind, "--devices", 1, "--device-options",
                                 f"in_place={in_place}", "--segments", "ao=9,8", "--json", "results.json")
            self.assertRegex(done.stdout, r"\b13872\.0")
            device, = json.loads((self.folder / "results.json").read_text())["devices"]
            self.assertEqual(device["copies_to_device"], 0 if in_place else 3 * 4)

    def test_nothing_goes_to_the_device_for_what_the_host_computes(self):
        path = self.write("host_results.sial", HOST_RESULTS)
        for kind in KINDS:
            self.run_well("run", path, "-w", 1, "--device", kind, "--devices", 1, "--segments", "ao=2,3", "--json",
                          "results.json")
            device, = json.loads((self.folder / "results.json").read_text())["devices"]
            self.assertEqual([device[key] for key in ("copies_to_device", "saved_copies", "runs")], [0, 0, 0])

    def test_what_another_worker_has_on_a_device_comes_from_there(self):
        path = self.write("job.toml", job_file(self.entry("h2o", "cc-pvdz"), "mp2"))
        host = self.results_of("run", path, "--device", "none")
        for workers, devices in ((1, 1), (4, 1), (4, 2)):
            results, counts = self.run_with(path, "--device", "sim", "--devices", devices, workers=workers)
            self.assertAlmostEqual(results["energies"]["mp2"], host["energies"]["mp2"], delta=SAME_HARTREE)
            there = {key: (counts[f"peer_{key}"], counts[f"{key}_to_device"]) for key in ("copies", "bytes")}
            print(f"{workers} workers, {devices} devices: from peers, from the host: {there}")
            self.assertEqual(counts["peer_copies"] > 10, workers > 1)

    def test_a_run_that_lost_its_device_goes_on_without_it(self):
        path = self.water("ccsd")
        host = self.results_of("run", path, "--device", "none")
        lost = None
        for at in range(4000, 15000, 500):
            lost = self.run_blockyard("run", path, "-w", 1, "--device", "sim", "--device-options",
                                      f"lose_call={at}", "--checkpoint", "0s",
                                      "--checkpoint-dir", "kept")
            if lost.returncode != 0:
                break
        self.assert_fails(lost, "are lost with it", "resume from the last checkpoint")
        for more in (["--device", "none"], ["--device-options", "seed=2"]):
            shutil.copytree(self.folder / "kept", self.folder / "copy", dirs_exist_ok=True)
            results = self.results_of("resume", "copy", *more)
            self.assertAlmostEqual(results["energies"]["ccsd"], host["energies"]["ccsd"],
                                   delta=SAME_HARTREE)
            self.assertEqual(results["devices"] == [], "none" in more)
        self.assert_fails(self.run_blockyard("resume", "kept", "--device", "abacus"),
                          "not a kind of device")

    def test_marks_of_a_program_are_respected_where_asked(self):
        path = self.write("marks.sial", MARKS)
        for options, runs in ((["--placement", "learned", "--respect-gpu-hints"], 40),
                              (["--placement", "learned"], 0), ([], 60)):
            with self.subTest(options=options):
                done = self.run_well("run", path, "--device", "sim", "--segments",
                                     "ao=1", "-w", 1, *options, "--json", "results.json")
                self.assertRegex(done.stdout, r"d\[1\].*\b3\b")
                results = json.loads((self.folder / "results.json").read_text())
                self.assertEqual(sum(device["runs"] for device in results["devices"]), runs)

    def host_memory(self, path, *options):
        """Each worker's use of host memory with a device, in each program but the shortest."""
        self.run_well("run", path, "--devices", 1, "--report", "report.json", *options)
        for program in json.loads((self.folder / "report.json").read_text())["programs"]:
            if program["name"] == "mp2_rhf":  # asks for memory only twenty times
                continue
            for worker in program["workers"]:
                device = worker["device"]
                print(program["name"], {key: device[key] for key in device if key.startswith("host_")})
                yield device

    def test_host_memory_is_used_again(self):
        path = self.write("job.toml", job_file(self.entry("h2o", "cc-pvdz"), "ccsd"))
        for kind, in_place in itertools.product(KINDS, (0, 1)):
            # A frame that is released while the device works on it is not free at once: the transformation,
            # which asks for memory some hundred times in total, then needs a few more.
            least = 0.95 if in_place else 0.97
            for workers in (1, 2):
                for device in self.host_memory(path, "-w", workers, "--device", kind, "--device-options",
                                               f"in_place={in_place}"):
                    self.assertGreaterEqual(device["host_pool_hit_ratio"], least)

    def test_host_memory_is_locked_once(self):
        """Pages of 16 bytes: the blocks of a small molecule are larger than the least that is locked."""
        path = self.write("job.toml", job_file(self.entry("h2o", "cc-pvdz"), "ccsd"))
        for workers in (1, 2):
            for device in self.host_memory(path, "-w", workers, "--device", "sim",
                                           "--device-options", "page=16"):
                self.assertGreater(device["host_lock_hit_ratio"], 0.9)
                self.assertGreater(device["host_locked_bytes"], 0)

    def test_without_page_locks_pools_or_streams_the_numbers_are_the_same(self):
        path = self.water("ccsd")
        host = self.results_of("run", path, "--device", "none")
        results, counts = self.run_with(path, "--device", "sim", "--device-options", "page=16 seed=3",
                                        "--without-page-locks", "--without-pools", "--device-streams", 1, workers=2)
        for key, value in host["energies"].items():
            self.assertAlmostEqual(results["energies"][key], value, delta=SAME_HARTREE, msg=key)
        self.assertGreater(counts["runs"], 0)
        self.assertEqual(counts["pool_hit_ratio"], 0)
        self.assertEqual(counts["host_locked_bytes"], 0)

    def test_a_device_that_is_not_there(self):
        path = self.water("scf")
        self.assert_fails(self.run_blockyard("run", path, "--device", "abacus"),
                          "not a kind of device", "plug-in in")
        self.assert_fails(self.run_blockyard("run", path, "--device", "a/b"),
                          "not a kind of device", code=2)
        self.assert_fails(self.run_blockyard("run", path, "--device", "sim", "--devices", 9), "--devices 9")
        self.assert_fails(self.run_blockyard("run", path, "--device", "sim", "--device-options", "speed=9"),
                          "unknown option 'speed=9'")


if __name__ == "__main__":
    unittest.main()
