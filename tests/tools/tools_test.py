# SPDX-License-Identifier: Apache-2.0
"""The project's own checkers find what they should, and accept what they should."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAYERS = "base:\narray: base\nserver: base array\nworker: base array\nonly worker: mpi.h\n"


class Tool(unittest.TestCase):
    """Runs tools on a project of a few files in a folder of its own."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        shutil.copytree(ROOT / "tools", self.root / "tools",
                        ignore=shutil.ignore_patterns("__pycache__"))
        self.write("tools/layers.txt", LAYERS)
        self.write("tools/large_files.txt", "# path, reason\n")

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)
        return str(self.root / path)

    def run_tool(self, name, *arguments):
        return subprocess.run([sys.executable, self.root / "tools" / name, *arguments],
                              capture_output=True, text=True)

    def accepts(self, name, *arguments):
        done = self.run_tool(name, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refuses(self, name, text, *arguments):
        done = self.run_tool(name, *arguments)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(text, done.stderr)


class CheckLayers(Tool):
    def test_accepts_rooms_of_its_line_and_itself(self):
        self.write("blockyard/worker/a.cpp", '#include "blockyard/array/b.h"\n'
                   '#include "blockyard/worker/detail/c.h"\n#include <mpi.h>\n#include <vector>\n')
        self.accepts("check_layers")

    def test_names_place_rule_and_allowed_rooms(self):
        self.write("blockyard/worker/a.cpp", '\n#include "blockyard/server/b.h"\n')
        self.refuses("check_layers", "blockyard/worker/a.cpp:2: room 'worker' must not include "
                     "room 'server'; allowed: array base")

    def test_refuses_the_private_folder_of_another_room(self):
        self.write("blockyard/worker/a.cpp", '#include "blockyard/array/detail/b.h"\n')
        self.refuses("check_layers", "is private to room 'array'")

    def test_refuses_a_header_from_outside_in_the_wrong_room(self):
        self.write("blockyard/server/a.h", "#include <mpi.h>\n")
        self.refuses("check_layers", "<mpi.h> is only for worker")

    def test_refuses_half_a_path(self):
        self.write("blockyard/array/a.cpp", '#include "a.h"\n')
        self.refuses("check_layers", "write blockyard/<room>/")

    def test_refuses_a_room_without_a_line(self):
        self.write("blockyard/attic/a.cpp", "")
        self.refuses("check_layers", "room 'attic' has no line")

    def test_refuses_a_line_that_names_a_later_room(self):
        self.write("tools/layers.txt", "base: array\narray:\n")
        self.refuses("check_layers", "room 'base' names array, which stands on no earlier line")

    def test_refuses_a_private_name_of_another_room(self):
        self.write("blockyard/worker/a.cpp", "// array::detail::f\nint x = array::b::detail::f();\n")
        self.refuses("check_layers", "blockyard/worker/a.cpp:2: 'array::detail' is private to room")

    def test_files_of_a_room_see_those_of_earlier_rows(self):
        self.write("blockyard/array/README.md", "# array\n\n| file, lower first | idea |\n|---|---|\n"
                   "| `a.h` (`detail/x_*`) | |\n| `b.h` | |\n| `a.cpp` | |\n\nMore.\n")
        self.write("blockyard/array/detail/x_1.h", '#include "blockyard/array/a.h"\n')
        self.write("blockyard/array/b.cpp", '#include "blockyard/array/a.h"\n')
        self.write("blockyard/array/a.cpp", '#include "blockyard/array/b.h"\n')
        self.write("blockyard/array/a_test.cpp", '#include "blockyard/array/b.h"\n')
        self.accepts("check_layers")
        self.write("blockyard/array/a.h", '\n#include "blockyard/array/b.h"\n')
        self.refuses("check_layers", "blockyard/array/a.h:2: 'a.h' stands below 'b.h' in the order")
        self.write("blockyard/array/a.h", '#include "blockyard/array/c.h"\n')
        self.refuses("check_layers", "'c.h' has no place in the order")

    def test_a_plugin_sees_only_the_device_abi(self):
        self.write("plugins/device_x/a.cpp", '#include "blockyard/device/abi.h"\n')
        self.accepts("check_layers")
        self.write("plugins/device_x/b.cpp", '#include "blockyard/base/error.h"\n')
        self.refuses("check_layers", "plugins/device_x/b.cpp:1: a plugin may include only")


class CheckCommits(Tool):
    def commit(self, message):
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(self.root)]
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-F", "-"],
                       input=message, text=True, check=True)

    def test_accepts_a_short_imperative_subject_with_a_body(self):
        self.commit("Give the cache private entries\n\nPins outlived their frames.\n")
        self.accepts("check_commits", "HEAD")

    def test_names_each_fault_of_a_message(self):
        self.commit("Added " + "x" * 70 + ".\n")
        for fault in ("has 77 characters", "full stop", "'Added' is not imperative", "no body"):
            self.refuses("check_commits", fault, "HEAD")

    def test_says_that_it_skips_what_is_not_there(self):
        self.commit("One\n\nBody.\n")
        done = self.run_tool("check_commits", "0123456..HEAD")
        self.assertEqual(done.returncode, 0)
        self.assertIn("SKIPPED", done.stderr)


class RunStages(Tool):
    def stages(self, *stages):
        script = self.root / "tools" / "run_stages"
        text = script.read_text()
        begin, end = text.index("STAGES = {"), text.index("\n}\n") + 3
        script.write_text(f"{text[:begin]}STAGES = {{'test': {list(stages)!r}}}\n{text[end:]}")

    def test_prints_what_each_stage_took_and_its_budget(self):
        self.stages(("quick", 1, [["true"]]), ("other", 2, [["true"]]))
        printed = self.accepts("run_stages", "test").splitlines()
        self.assertEqual([line.split()[0] for line in printed[1:]],
                         ["stage", "quick", "other", "together"])

    def test_stops_at_the_first_stage_that_fails(self):
        self.stages(("good", 1, [["true"]]), ("bad", 1, [["true"], ["false"]]), ("late", 1, [["true"]]))
        self.refuses("run_stages", "the stage 'bad' failed", "test")
        self.assertNotIn("late", self.run_tool("run_stages", "test").stdout)

    def test_fails_where_a_stage_exceeds_its_budget_by_half(self):
        self.stages(("greedy", -1, [["true"]]))
        self.refuses("run_stages", "the stage 'greedy' took 0.0 processor minutes", "test")


class CheckSizes(Tool):
    def test_long_is_a_notice_and_too_long_a_failure(self):
        self.write("blockyard/base/a.h", "\n" * 151)
        self.assertIn("notice: blockyard/base/a.h: 151 lines", self.run_tool("check_sizes").stderr)
        self.assertEqual(self.run_tool("check_sizes").returncode, 0)
        self.write("blockyard/base/a.cpp", "\n" * 801)
        self.refuses("check_sizes", "blockyard/base/a.cpp: 801 lines, more than 800")

    def test_a_table_is_excepted_only_with_a_reason(self):
        self.write("blockyard/base/a.cpp", "\n" * 801)
        self.write("tools/large_files.txt", "blockyard/base/a.cpp\n")
        self.refuses("check_sizes", "more than 800")
        self.write("tools/large_files.txt", "blockyard/base/a.cpp a table\n")
        self.accepts("check_sizes")


class Setup(Tool):
    def test_says_what_is_wrong_with_its_arguments(self):
        for arguments, said in ((["nosuch"], "no such group: 'nosuch'; there are"), (["--prefix"], "--prefix needs a folder"),
                                ([], "which packages? tools/setup.sh")):
            done = subprocess.run(["bash", self.root / "tools" / "setup.sh", *arguments], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertTrue(done.stderr.startswith("setup: " + said), done.stderr)


class CheckDocs(Tool):
    def test_finds_a_link_that_leads_nowhere(self):
        self.write("docs/a.md", "[good](b.md#part)\n[bad](c.md)\n")
        self.write("docs/b.md", "")
        self.refuses("check_docs", "docs/a.md:2: the link 'c.md' leads nowhere")

    def test_finds_a_shown_program_that_changed(self):
        self.write("p.sial", "# SPDX-License-Identifier: Apache-2.0\nsial p\n")
        self.write("a.md", "<!-- same as p.sial -->\n```\nsial p\n```\n")
        self.accepts("check_docs")
        self.write("a.md", "<!-- same as p.sial -->\n```\nsial q\n```\n")
        self.refuses("check_docs", "not the same as p.sial")


class CheckEnergies(Tool):
    def check(self, scf, method="scf"):
        result = self.write("r.json", json.dumps({"energies": {"nuclear": 1.0, "scf": scf}}))
        entry = {"molecule": "m", "basis": "b", "frozen_core": False, "cart": False,
                 "source": "s", "e_nuc": 1.0, "e_scf": -1.5, "e_mp2": -1.6}
        return self.run_tool("check_energies", result,
                             self.write("e.json", json.dumps({"entries": [entry]})), "m", "b", method)

    def test_accepts_the_last_digits_and_refuses_more(self):
        self.assertEqual(self.check(-1.5 + 9e-9).returncode, 0)
        self.assertNotEqual(self.check(-1.5 + 2e-8).returncode, 0)

    def test_refuses_what_is_no_number_or_missing(self):
        self.assertNotEqual(self.check(float("nan")).returncode, 0)
        self.assertNotEqual(self.check(-1.5, method="mp2").returncode, 0)


class NewRoom(Tool):
    def test_makes_a_room_that_the_checker_accepts(self):
        (self.root / "blockyard").mkdir()
        self.accepts("new_room", "ring", "base", "array")
        self.assertIn("ring:     base array\nonly worker", (self.root / "tools/layers.txt").read_text())
        self.assertTrue((self.root / "blockyard/ring/README.md").exists())
        self.accepts("check_layers")

    def test_refuses_unknown_rooms_and_taken_names(self):
        self.refuses("new_room", "no such room: attic", "ring", "attic")
        self.refuses("new_room", "exists", "base")


class CompareBench(Tool):
    def test_shows_figures_that_changed_by_the_median(self):
        def lines(*seconds):
            return "".join(json.dumps({"bench": "b", "case": "c", "seconds": s, "fixed": 1}) + "\n"
                           for s in seconds)
        old, new = self.write("old", lines(1.0, 1.0, 9.0)), self.write("new", lines(2.0))
        shown = self.accepts("compare_bench", old, new)
        self.assertRegex(shown, r"^b c seconds .* x 2\.000\n$")
        self.assertIn("b c fixed", self.accepts("compare_bench", old, new, "--all"))


if __name__ == "__main__":
    unittest.main()
