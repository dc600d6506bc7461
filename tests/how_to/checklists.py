#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what the checklist at the end of a page of docs/how_to/ says, on copies of the files that it
names, and compiles what the step asks for; then again with a step left out, which must be noticed.

checklists.py SOURCE COMPILE_COMMANDS PAGE...
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile


class Step:
    """One file of a checklist: texts that come before or after a place in it."""

    def __init__(self, path, *edits):
        self.path = path
        self.edits = edits  # (place, text): the text goes right after the place

    def perform(self, source, scratch):
        text = (scratch if (scratch / self.path).exists() else source).joinpath(self.path).read_text()
        for place, added in self.edits:
            assert text.count(place) == 1, f"{self.path}: {place!r} stands there {text.count(place)} times"
            text = text.replace(place, place + added)
        to = scratch / self.path
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(text)


class Recipe:
    """`compiled`: sources that compile with all steps. `noticed`: (step left out, source that then
    does not compile)."""

    def __init__(self, steps, compiled, noticed):
        self.steps = steps
        self.compiled = compiled
        self.noticed = noticed


RECIPES = {
    "opcode": Recipe(
        [Step("blockyard/program/opcode.h", ("  print_array,\n", "  sort_blocks,\n")),
         Step("blockyard/program/opcode.cpp",
              ("worker 0 prints static array a, then b more newlines\"},\n",
               '  {O::sort_blocks, "sort_blocks", {array, none, none}, "", "", next, writes, "sort"},\n')),
         Step("blockyard/program/file.h", ("uint32_t file_version = ", "1'"))],
        ["blockyard/program/opcode.cpp", "blockyard/program/file.cpp"],
        [("blockyard/program/opcode.cpp", "blockyard/program/opcode.cpp")]),
    "metric": Recipe(
        [Step("blockyard/wire/server_counts.h", ("  std::uint64_t puts = 0;\n", "  std::uint64_t refusals = 0;\n")),
         Step("blockyard/wire/server_counts.cpp",
              ("rows[] = {\n", '  {&C::refusals, "refusals", count, sum, "accesses that met another one"},\n')),
         Step("docs/report.md", ("| `puts` |", ""))],
        ["blockyard/wire/server_counts.cpp", "blockyard/wire/encode.cpp"],
        [("blockyard/wire/server_counts.cpp", "blockyard/wire/server_counts.cpp")]),
    "message": Recipe(
        [Step("blockyard/wire/messages.h",
              ("// Many in one.\n", "struct Refresh {\n  Ticket ticket = 0;\n"
               "  friend bool operator==(const Refresh&, const Refresh&) = default;\n};\n"),
              ("LoadBlocks, Batch, DoneMany", ", Refresh"),
              ('    {"DoneMany", "done"},\n', '    {"Refresh", "refresh"},\n')),
         Step("blockyard/wire/encode_test.cpp", ("DoneMany{{21, 22}}", ", Refresh{23}")),
         Step("docs/wire.md", ("| 22 | DoneMany |", ""))],
        ["blockyard/wire/encode.cpp"],
        [(('    {"DoneMany", "done"},\n'), "blockyard/wire/encode.cpp")]),
    "run_option": Recipe(
        [Step("blockyard/input/spec.h", ("  bool check = false;\n", "  bool boast = false;\n")),
         Step("blockyard/input/run_options.cpp",
              ('    RunOption{.key = "check",\n',
               '              .form = truth,\n              .help = "say how fast it is",\n'
               "              .read = read_truth<&Run::boast>,\n              .print = print<&Run::boast>},\n"
               '    RunOption{.key = "boast",\n')),
         Step("blockyard/job/job_bytes.cpp", ("run.pardo, run.check, ", "run.boast, ")),
         Step("blockyard/job/every_field_test.cpp", ("         check, ", "boast, ")),
         Step("docs/how_to/job_file.md", ("`check`", "")),
         Step("python/blockyard/_options.py", ("options of a run, then those of [method].\"\"\"\n\n", "    boast: bool | None\n"))],
        ["blockyard/input/run_options.cpp", "blockyard/job/job_bytes.cpp", "blockyard/job/every_field_test.cpp"],
        [("blockyard/job/every_field_test.cpp", "blockyard/job/every_field_test.cpp")]),
    "index_kind": Recipe(
        [Step("blockyard/array/index.h", ("moa, mob, la", ", xo"), ("kind_count = ", "1 + "), ('"mob", "la"', ', "xo"'),
              ('"mobindex", "laindex"', ', "xoindex"')),
         Step("docs/sial.md", ('"laindex"', ' | "xoindex"')),
         Step("docs/conf.py", ('"laindex"', ', "xoindex"')),
         Step("editors/vscode/syntaxes/sial.tmLanguage.json", ("|laindex", "|xoindex"))],
        ["blockyard/array/segments.cpp", "blockyard/sial/detail/parser.cpp", "blockyard/sial/detail/parser_declaration.cpp"],
        [('"mobindex", "laindex"', "blockyard/array/segments.cpp")]),
    "method": Recipe(
        [Step("blockyard/method/methods.cpp",
              ('      {.name = "lccd",', ' .restricted = {"scf_rhf", "transform_rhf", "mp2_rhf", "fast_rhf"}},\n'
               '      {.name = "fast",'))],
        ["blockyard/method/methods.cpp"], []),
    "super_instruction": Recipe(
        [Step("blockyard/super/general.cpp",
              ("void do_nothing(Operands, const Context&) {}\n",
               "\nvoid halve(Operands operands, const Context&) {\n"
               "  for (double& element : operands[0].values) element /= 2;\n}\n"),
              ("void add_general(Table& table) {\n", '  table.add({"halve", "u", halve, {}});\n'))],
        ["blockyard/super/general.cpp"], []),
}


class Compiler:
    """Compiles copies with the options of their originals, headers of the copies first."""

    def __init__(self, source, commands):
        self.source = source
        self.commands = {}
        for entry in json.loads(pathlib.Path(commands).read_text()):
            path = pathlib.Path(entry["file"])
            if path.is_relative_to(source):
                self.commands.setdefault(str(path.relative_to(source)), entry)

    def neighbour(self, path):
        """The options of another source of the folder: not every build compiles the tests of rooms."""
        folder = str(pathlib.Path(path).parent)
        return next(entry for other, entry in self.commands.items() if str(pathlib.Path(other).parent) == folder)

    def compile(self, path, scratch):
        entry = self.commands.get(path) or self.neighbour(path)
        words = shlex.split(entry["command"])
        begin = next(k for k, word in enumerate(words) if re.search(r"(^|/)([cg]\+\+|clang\+\+)", word))
        kept, skip = [], 0
        for word in words[begin:]:
            if skip:
                skip -= 1
            elif word in ("-o", "-c", "-include"):
                skip = 1
            elif "pch" not in word:
                kept.append(word)
        file = scratch / path if (scratch / path).exists() else self.source / path
        command = [kept[0], f"-I{scratch}", *kept[1:], "-fsyntax-only", str(file)]
        return subprocess.run(command, cwd=entry["directory"], capture_output=True, text=True, check=False)


def listed_files(page):
    """The files of the checklist, in its order."""
    text = page.read_text()
    head, found, rest = text.partition("\n## Checklist\n")
    assert found, f"{page} has no checklist"
    return re.findall(r"^- \[ \] `([^`]+)`", rest, re.MULTILINE)


def perform(recipe, source, scratch, without=None):
    for step in recipe.steps:
        if step.path == without:
            continue
        edits = [edit for edit in step.edits if edit[0] != without]
        Step(step.path, *edits).perform(source, scratch)


def check(name, source, compiler):
    recipe = RECIPES[name]
    listed = listed_files(source / "docs" / "how_to" / f"{name}.md")
    missing = [step.path for step in recipe.steps if step.path not in listed]
    assert not missing, f"the checklist of {name}.md does not name {missing}"
    unknown = [path for path in listed if not (source / path).exists()]
    assert not unknown, f"{name}.md names {unknown}, which is not there"
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        perform(recipe, source, scratch)
        for path in recipe.compiled:
            result = compiler.compile(path, scratch)
            assert result.returncode == 0, f"{name}: {path} does not compile after all steps:\n{result.stderr}"
    for without, path in recipe.noticed:
        with tempfile.TemporaryDirectory() as folder:
            scratch = pathlib.Path(folder)
            perform(recipe, source, scratch, without)
            result = compiler.compile(path, scratch)
            assert result.returncode != 0, f"{name}: nobody notices that {without!r} was forgotten"


def check_keywords(source):
    """Each kind of index is known wherever SIAL is shown."""
    header = (source / "blockyard/array/index.h").read_text()
    keywords = re.findall(r'"(\w*index)"', header)
    assert len(keywords) >= 6, "the keywords are read from index.h"
    for path in ("docs/sial.md", "docs/conf.py", "editors/vscode/syntaxes/sial.tmLanguage.json"):
        text = (source / path).read_text()
        missing = [keyword for keyword in keywords if not re.search(rf'["|(]{keyword}["|)]', text)]
        assert not missing, f"{path} lacks {missing}"


def main():
    source, commands, *pages = sys.argv[1:]
    compiler = Compiler(pathlib.Path(source), commands)
    for page in pages:
        check(page, pathlib.Path(source), compiler)
        if page == "index_kind":
            check_keywords(pathlib.Path(source))


if __name__ == "__main__":
    main()
