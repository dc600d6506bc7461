#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SIAL programs run by themselves: results, files, super instructions, what is kept."""

import json
import os
import re
import pathlib
import unittest

import common

SIALIB = pathlib.Path(__file__).parents[2] / "sialib"

NORM = common.program("norm")

KEEP = common.program("keep")

TAKE = common.program("take")

SIZES = ["--set", "norb=2", "--segments", "ao=2,3"]


class Programs(common.JobTest):
    def test_final_scalars_ints_and_static_arrays_are_in_the_json(self):
        path = self.write("norm.sial", NORM)
        results = self.results_of("run", path, *SIZES)
        # Blocks of 2x2, 3x2, 2x3, 3x3 elements, each 1, 2, 3, ...
        self.assertEqual(results["scalars"]["square"], 30 + 91 + 91 + 285)
        self.assertEqual(results["ints"]["norb"], 2)
        self.assertEqual(results["arrays"]["s"]["extents"], [5, 5])
        columns = [results["arrays"]["s"]["values"][k:k + 5] for k in range(0, 25, 5)]
        self.assertEqual(columns[0], [1, 2, 1, 2, 3])
        self.assertEqual(columns[4], [5, 6, 7, 8, 9])

    def test_standard_output_is_what_the_program_prints(self):
        path = self.write("norm.sial", NORM)
        done = self.run_well("run", path, *SIZES, "--json", "r.json", "-w", 3)
        self.assertEqual(len(done.stdout.splitlines()), 1)
        self.assertIn("square = 497.0", done.stdout)
        self.assertEqual(json.loads((self.folder / "r.json").read_text())["title"], "norm")

    def test_a_small_or_large_scalar_prints_its_digits(self):
        path = self.write("p.sial", "sial p\n  scalar x = 1.5e-9\n  print x\n  print complex(-x, 0.25)\n  print 1e-4\n"
                          "  print 0.0\n  print 2e15/x\n  print 1e15 - 0.5\n  print 1.0/0.0\nendsial p\n")
        self.assertEqual(self.run_well("run", path).stdout.split("\n")[:7],
                         ["3:  x = 1.50000000000000e-09", "(-1.50000000000000e-09,0.25000000000000)", "0.00010000000000",
                          "0.00000000000000", "1.33333333333333e+24", "999999999999999.50000000000000", "inf"])

    def test_a_compiled_program_runs_like_its_source(self):
        path = self.write("norm.sial", NORM)
        self.run_well("compile", path, "-o", "norm.byx")
        results = self.results_of("run", "norm.byx", *SIZES)
        self.assertEqual(results["scalars"]["square"], 497)
        self.assertIn("pardo_begin", self.run_well("dump", "norm.byx").stdout)
        changed = bytearray((self.folder / "norm.byx").read_bytes())
        changed[-20] ^= 1
        (self.folder / "norm.byx").write_bytes(changed)
        self.assert_fails(self.run_blockyard("run", "norm.byx", *SIZES), "norm.byx")

    def test_a_job_file_lists_programs_and_their_constants(self):
        self.write("norm.sial", NORM)
        path = self.write("job.toml", 'programs = ["norm.sial"]\n[constants]\nnorb = 2\n'
                          "[segments]\nao = [2, 3]\n[run]\nworkers = 2\nmemory = \"100M\"\n")
        self.assertEqual(self.results_of("run", path)["scalars"]["square"], 497)
        # The command line wins.
        results = self.results_of("run", path, "-w", 1, "--set", "norb=1")
        self.assertEqual(results["scalars"]["square"], 30)
        self.assertEqual(results["workers"], 1)

    def test_a_missing_constant_is_named(self):
        path = self.write("norm.sial", NORM)
        self.assert_fails(self.run_blockyard("run", path, "--segments", "ao=2"), "norb")
        self.assert_fails(self.run_blockyard("run", path, "--set", "norb=2"), "ao")

    def test_diagnostics_come_before_the_run(self):
        path = self.write("wrong.sial", "sial wrong\nprint x\nendsial wrong\n")
        done = self.run_blockyard("run", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("wrong.sial:2:7: error:", done.stderr)

    def test_the_report_and_the_profile_hold_the_metrics(self):
        path = self.write("norm.sial", NORM)
        done = self.run_well("run", path, *SIZES, "-w", 2, "--report", "run.json", "--profile")
        report = json.loads((self.folder / "run.json").read_text())
        self.assertEqual(len(report["programs"][0]["workers"]), 2)
        gets = sum(worker["gets"] for worker in report["programs"][0]["workers"])
        self.assertEqual(gets, 4 + 2 * 4)
        self.assertEqual(sum(server["puts"] for server in report["servers"]), 4)
        self.assertIn("fill_block_sequential", done.stdout)
        lines = done.stdout[done.stdout.index("lines of all programs"):]
        seconds = [float(one) for one in re.findall(r"norm\.sial:\d+ +\d+ +([0-9.]+) s", lines)]
        self.assertGreater(len(seconds), 3)
        self.assertEqual(seconds, sorted(seconds, reverse=True))

    def test_what_is_kept_goes_to_the_next_program_and_to_the_next_job(self):
        keep, take = self.write("keep.sial", KEEP), self.write("take.sial", TAKE)
        # Sum over blocks i <= j of 3 (10 i + j) elements of the block.
        expected = 3 * (11 * 4 + 12 * 6 + 22 * 9)
        together = self.results_of("run", keep, take, *SIZES, "-w", 2)
        self.assertEqual(together["scalars"]["total"], expected)
        self.run_well("run", keep, *SIZES, "-w", 3, "-s", 2, "--persistent", "kept.h5")
        for workers, servers in ((1, 1), (2, 3)):
            results = self.results_of("run", take, *SIZES, "-w", workers, "-s", servers,
                                      "--persistent", "kept.h5")
            self.assertEqual(results["scalars"]["total"], expected)
            self.assertEqual(results["scalars"]["x"], 7.5)

    def test_a_later_run_takes_what_the_last_one_kept_though_a_program_of_it_took_that(self):
        keep, take = self.write("keep.sial", KEEP), self.write("take.sial", TAKE)
        self.run_well("run", keep, *SIZES, "--persistent", "kept.h5")
        doubled = self.write("doubled.sial", KEEP.replace("= 3.0", "= 6.0").replace("= 7.5", "= 15.0"))
        last = self.results_of("run", doubled, take, *SIZES, "--persistent", "kept.h5")
        self.run_well("run", doubled, take, *SIZES, "--persistent", "new.h5")
        for file in ("kept.h5", "new.h5"):
            results = self.results_of("run", take, *SIZES, "--persistent", file)
            self.assertEqual(results["scalars"]["x"], 15.0)
            self.assertEqual(results["scalars"]["total"], last["scalars"]["total"])

    def test_a_label_goes_to_an_array_of_another_kind(self):
        def swapped(text):
            return text.replace("matrix", "other").replace("blocks", "matrix").replace("other", "blocks")
        for text in (KEEP, swapped(KEEP)):
            self.run_well("run", self.write("keep.sial", text), *SIZES, "--persistent", "kept.h5")
        take = self.write("take.sial", swapped(TAKE))
        results = self.results_of("run", take, *SIZES, "--persistent", "kept.h5")
        self.assertEqual(results["scalars"]["total"], 3 * (11 * 4 + 12 * 6 + 22 * 9))

    def test_arrays_of_other_numbers_and_servers_take_what_is_kept(self):
        keep = self.write("keep.sial", KEEP)
        take = self.write("take.sial", TAKE.replace("distributed d", "distributed e[i,j]\ndistributed d"))
        for servers in (2, 3):
            with self.subTest(servers=servers):
                results = self.results_of("run", keep, take, *SIZES, "-w", 2, "-s", servers)
                self.assertEqual(results["scalars"]["total"], 3 * (11 * 4 + 12 * 6 + 22 * 9))

    def test_kept_arrays_are_read_by_h5py(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("h5py is not there")
        path = self.write("keep.sial", KEEP)
        self.run_well("run", path, *SIZES, "-w", 2, "--persistent", "kept.h5")
        with h5py.File(self.folder / "kept.h5") as file:
            found = {label: file["arrays/" + label][()] for label in ("matrix", "blocks")}
            found["number"] = file["scalars/number"][()]
        self.assertTrue((found["matrix"] == 3).all())
        self.assertEqual(found["matrix"].shape, (5, 5))
        self.assertEqual(float(found["number"]), 7.5)
        # HDF5 lists our indexes in reverse: [j, i].
        self.assertEqual(found["blocks"][3, 1], 12)
        self.assertEqual(found["blocks"][4, 4], 22)
        self.assertIn('"blocks"', self.run_well("dump", "kept.h5").stdout)

    def test_kept_scalars_that_others_changed_are_refused(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("h5py is not there")
        path = self.write("keep.sial", KEEP)
        self.run_well("run", path, *SIZES, "-w", 2, "--persistent", "kept.h5")
        kept = (self.folder / "kept.h5").read_bytes()
        changes = (("number", [7.5] * 3, "'number'", "has 3 values"), ("number", [7.5] * 1000, "has 1000 values"),
                   ("number", [], "has 0 values"), ("%zz", 1.0, '"%zz"'), ("a%4", 1.0, '"a%4"'))
        for name, values, *parts in changes:
            with self.subTest(name=name, count=str(values)[:20]):
                (self.folder / "kept.h5").write_bytes(kept)
                with h5py.File(self.folder / "kept.h5", "r+") as file:
                    if name in file["scalars"]:
                        del file["scalars"][name]
                    file["scalars"][name] = values
                self.assert_fails(self.run_blockyard("dump", "kept.h5"), "kept.h5", *parts)
                self.assert_fails(self.run_blockyard("run", path, *SIZES, "--persistent", "kept.h5"), "kept.h5", *parts)

    def test_a_user_library_adds_super_instructions(self):
        path = self.write("user.sial", """sial user
aoindex i = 1:1
special scaled_add ur
static x[i]
static y[i]
do i
  x[i] = 2.0
  y[i] = 1.0
  execute scaled_add y[i] x[i]
enddo i
endsial user
""")
        library = os.environ["SUPER_EXAMPLE"]
        results = self.results_of("run", path, "--segments", "ao=3", "--set", "factor=0.5",
                                  "--super", library, "-w", 2)
        self.assertEqual(results["arrays"]["y"]["values"], [2, 2, 2])
        self.assert_fails(self.run_blockyard("run", path, "--segments", "ao=3"), "scaled_add")
        self.assert_fails(self.run_blockyard("run", path, "--super", "none.so"), "none.so")

    def test_super_instructions_take_the_element_types_that_they_name(self):
        library = os.environ["SUPER_EXAMPLE"]
        text = """sial typed
special halve u
special scaled_add ur
aoindex i = 1:2
complex static c[i]
single static f[i]
complex scalar z
scalar re
scalar im
static t[i]
do i
  c[i] = complex(2.0, 4.0)
  f[i] = 3.0
  t[i] = 1.0
enddo i
z = complex(0.0, 1.0)
execute halve c
execute halve f
execute halve z
do i
  execute halve c[i]
  execute halve t[i]
  z += c[i]*c[i]
enddo i
re = real(z)
im = imag(z)
endsial typed
"""
        path = self.write("typed.sial", text)
        for ranks in (["-w", 1], ["-w", 2, "--check"]):
            results = self.results_of("run", path, "--segments", "ao=2,1", "--super", library, *ranks)
            self.assertEqual(results["arrays"]["f"]["values"], [1.5] * 3)
            self.assertEqual(results["arrays"]["t"]["values"], [0.5] * 3)
            self.assertEqual([results["scalars"][name] for name in ("re", "im")], [-2.25, 3.5])
        refused = self.write("refused.sial", text.replace("execute halve z", "execute scaled_add t c"))
        done = self.run_blockyard("run", refused, "--segments", "ao=2,1", "--super", library)
        self.assert_fails(done, "refused.sial:19: super instruction 'scaled_add' takes f64 here, but argument 2 "
                                "('c') is c128; copy it to a block or scalar of that type, with real() or imag()")

    def test_a_user_library_may_be_written_in_fortran(self):
        library = os.environ.get("SUPER_FORTRAN", "")
        if not library:
            self.skipTest("no Fortran compiler")
        path = self.write("user.sial", "sial user\naoindex i = 1:2\nspecial double u\nstatic x[i]\n"
                          "do i\n  x[i] = 1.5\n  execute double x[i]\nenddo i\nendsial user\n")
        results = self.results_of("run", path, "--segments", "ao=2,1", "--super", library)
        self.assertEqual(results["arrays"]["x"]["values"], [3, 3, 3])

    def test_a_super_instruction_compiled_for_aces4_runs(self):
        library = os.environ.get("SUPER_FORTRAN_ACES", "")
        if not library:
            self.skipTest("no Fortran compiler")
        path = self.write("user.sial", "sial user\naoindex i = 1:2\nspecial halve u\nstatic x[i]\n"
                          "do i\n  x[i] = 3.0\n  execute halve x[i]\nenddo i\nendsial user\n")
        results = self.results_of("run", path, "--segments", "ao=2,1", "--super", "aces4:" + library)
        self.assertEqual(results["arrays"]["x"]["values"], [3, 3, 1.5])
        self.assert_fails(self.run_blockyard("run", path, "--segments", "ao=2,1", "--super",
                                             library), "aces4:" + library)

    def test_every_way_to_deal_out_iterations_gives_the_same_result(self):
        path = self.write("norm.sial", NORM)
        for pardo in ("sequential", "static", "balanced", "dynamic"):
            for seed in (1, 2):
                results = self.results_of("run", path, *SIZES, "-w", 3, "-s", 2, "--pardo", pardo,
                                          "--seed", seed)
                self.assertEqual(results["scalars"]["square"], 497, pardo)


class Deterministic(common.JobTest):
    def totals(self, *options):
        path = self.write("sums.sial", common.SUMS)
        return {json.dumps(self.results_of("run", path, "-w", 4, "--segments", "ao=9,8,7,6",
                                           "--pardo", "dynamic", "--seed", seed, "--deterministic",
                                           *options)["scalars"]["total"])
                for seed in range(12)}

    def test_the_order_of_messages_does_not_change_a_bit(self):
        self.assertEqual(len(self.totals("-s", 1) | self.totals("-s", 3)), 1)

    def test_sums_that_do_not_fit_the_memory_have_the_same_bits(self):
        path = self.write("big.sial", common.SUMS.replace("1:4", "1:12"))
        totals = set()
        for seed, memory in ((1, "1G"), (2, "18M"), (3, "18M")):
            self.run_well("run", path, "-w", 3, "--segments", "ao=" + ",".join(["64"] * 12),
                          "--seed", seed, "--deterministic", "--memory", memory, "--json",
                          "out.json", "--report", "report.json")
            totals.add(json.dumps(json.loads((self.folder / "out.json").read_text())["scalars"]))
        self.assertEqual(len(totals), 1)
        report = json.loads((self.folder / "report.json").read_text())
        self.assertGreater(sum(server["spilled_bytes"] for server in report["servers"]), 0)


class SmallBlocks(common.JobTest):
    def test_blocks_of_one_element_do_not_go_to_disk_while_memory_is_free(self):
        path = self.write("small.sial", "sial small\nindex a = 1:40000\ndistributed d[a]\npardo a\nput d[a] = 1.0\nendpardo a\n"
                          "sip_barrier\nendsial small\n")
        self.run_well("run", path, "-w", 1, "-s", 1, "--memory", "1G", "--report", "report.json")
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual([server["spilled_bytes"] for server in report["servers"]], [0])


class Tools(common.JobTest):
    def test_fmt_changes_files_once(self):
        path = self.write("a.sial", "sial a\nscalar   x\n   x=1.0\nprint x\nendsial a\n")
        self.assertEqual(self.run_blockyard("fmt", "--check", path).returncode, 1)
        self.run_well("fmt", path)
        self.run_well("fmt", "--check", path)

    def test_the_library_is_in_the_layout_of_fmt(self):
        self.run_well("fmt", "--check", *SIALIB.glob("*.sial"))

    def test_check_tells_all_and_ends_with_1_for_errors_only(self):
        good = self.write("good.sial", "sial good\nprint \"x\"\nendsial good\n")
        self.run_well("check", good)
        bad = self.write("bad.sial", "sial bad\nprint x\nprint y\nendsial bad\n")
        done = self.run_blockyard("check", "--json", bad)
        self.assertEqual(done.returncode, 1)
        self.assertEqual([d["line"] for d in json.loads(done.stdout)["diagnostics"]], [2, 3])

    def test_stages_of_the_translation_can_be_seen(self):
        path = self.write("norm.sial", NORM)
        for stage in ("tokens", "ast", "checked", "program"):
            self.assertNotEqual(self.run_well("compile", "--print", stage, path).stdout, "")

    def test_the_table_of_instructions_is_printed(self):
        self.assertIn("pardo_begin", self.run_well("dump", "--opcodes").stdout)
        self.assertEqual(self.run_blockyard("dump").returncode, 2)

    def test_basis_sets_are_listed(self):
        self.assertIn("cc-pVDZ", self.run_well("basis").stdout)


if __name__ == "__main__":
    unittest.main()
