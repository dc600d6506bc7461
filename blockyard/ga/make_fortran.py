#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes of a table of Fortran calls the exported symbols, for INTEGERs of 4 and of 8 bytes, and the header
global.fh where its template is given; else what is given is the header of C++ that the calls need.
Usage: make_fortran.py NAME_calls.txt global.fh.in|HEADER FOLDER"""
import pathlib
import re
import sys

ENTRY = re.compile(r"(both|two|nga|ga|plain)\s+(\w+)\s+([\w,]+)\((.*?)\)(?: = (.*))?$")
PARAMETER = re.compile(r"(?:([\w]+) (\*?))(\w+)$")
FORTRAN = {"logical": "logical", "integer": "integer", "double": "double precision",
           "float": "real", "SingleComplex": "complex", "DoubleComplex": "double complex"}
VALUES = {"int": "blockyard::base::to_int(*{0})", "Int": "static_cast<std::int64_t>(*{0})",
          "logical": "*{0} != 0 ? 1 : 0"}
PREFIXES = {"ga": ["ga_"], "nga": ["nga_"], "both": ["ga_", "nga_"], "two": ["ga_", "nga_"],
            "plain": [""]}


def parameters(text):
    return [PARAMETER.match(p).groups() for p in text.split(", ")] if text else []


def read(path):
    calls, undeclared = [], set()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("undeclared "):
            undeclared.update(line.split()[1:])
            continue
        found = ENTRY.match(line)
        if not found:
            sys.exit(f"{path}:{number}: not a call: {line}")
        who, result, names, text, does = found.groups()
        for name in names.split(","):
            for prefix in PREFIXES[who]:
                calls.append((prefix + name, result, parameters(text), does, names.split(",")[0],
                              prefix == "ga_", who == "plain"))
    return calls, undeclared


class Definition:
    """One exported function: what it takes, what it does first, what it passes on."""

    def __init__(self, call):
        self.name, self.result, params, does, first, self.is_flat, self.is_plain = call
        self.takes, self.lengths, self.before, self.passed, self.after = [], [], [], [], []
        self.target = None
        self.handle = ""  # of the array that the next subscripts are of
        for kind, stars, name in params:
            self.add(kind, stars, name)
        call_text = does or f"calls::{first}({', '.join(self.passed)})"
        self.does = call_text

    def add(self, kind, stars, name):
        if kind == "char":
            self.takes.append(f"const char* {name}_text")
            self.lengths.append(f"std::size_t {name}_length")
            value = f"trimmed({name}_text, {name}_length)"
            if stars:
                self.before.append(f"auto {name}_string = {value}; char* {name} = {name}_string.data();")
            else:
                self.before.append(f"const char {name} = {name}_length > 0 ? *{name}_text : ' ';")
            self.passed.append(name)
        elif kind == "text":
            self.takes.append(f"char* {name}")
            self.lengths.append(f"std::size_t {name}_length")
            self.target = f"fill_text({name}, {name}_length, {{}});"
        elif kind == "chars":
            self.takes.append(f"char* {name}_text")
            self.lengths.append(f"std::size_t {name}_length")
            self.passed.append(f"Chars{{{name}_text, {name}_length}}")
        elif kind == "Box" and self.is_flat:
            ends = [f"{name}{end}" for end in ("ilo", "ihi", "jlo", "jhi")]
            self.takes += [f"Integer* {end}" for end in ends]
            self.before.append(f"fortran::require_flat(static_cast<int>({self.handle}));")
            self.before.append(f"Integer {name}lo[] = {{*{ends[0]}, *{ends[2]}}}, "
                               f"{name}hi[] = {{*{ends[1]}, *{ends[3]}}};")
            self.passed += [name + "lo", name + "hi"]
        elif kind == "Box":
            self.takes += [f"Integer* {name}lo", f"Integer* {name}hi"]
            self.passed += [name + "lo", name + "hi"]
        elif kind == "At" and self.is_flat:
            self.takes += [f"Integer* {name}_i", f"Integer* {name}_j"]
            self.before.append(f"fortran::require_flat(static_cast<int>({self.handle}));")
            self.before.append(f"Integer {name}[] = {{*{name}_i, *{name}_j}};")
            self.passed.append(name)
        elif kind == "place":
            self.takes.append(f"AccessIndex* {name}_found")
            self.before.append(f"void* {name}_memory = nullptr; void* {name} = &{name}_memory;")
            self.after.append(f"*{name}_found = fortran::place_of(blockyard::base::to_int(*g_a_at), "
                              f"{name}_memory);")
            self.passed.append(name)
        elif kind == "new":
            self.takes.append(f"Integer* {name}")
            self.target = (f"*{name} = static_cast<Integer>({{}}); "
                           f"return Integer{{{{*{name} != 0 ? 1 : 0}}}};")
        elif kind == "tag":
            self.takes.append("Integer*")
        elif not stars and kind in VALUES:
            if name.startswith("g_"):
                self.handle = name
            self.takes.append(f"Integer* {name}_at")
            self.before.append(f"[[maybe_unused]] const auto {name} = {VALUES[kind].format(name + '_at')};")
            self.passed.append(name)
        else:
            self.takes.append(f"[[maybe_unused]] {'Integer' if kind in ('Int', 'At') else kind}* {name}")
            if kind == "Int":
                self.before.append(f"const Ints {name}_ints({name});")
            self.passed.append(name)

    def text(self):
        result = "Integer" if self.result in ("logical", "integer") else self.result
        if self.target:
            work = self.target.format(self.does)
        elif self.result == "void":
            work = f"{self.does}; " + " ".join(self.after)
        elif self.result == "logical":
            work = f"return static_cast<Integer>(({self.does}) != 0 ? 1 : 0);"
        elif self.result == "integer":
            work = f"return static_cast<Integer>({self.does});"
        else:
            work = f"return {self.does};"
        before = [line for line in self.before if "_ints(" not in line]
        named = {line.split()[2].split("(")[0]: line for line in self.before if "_ints(" in line}
        # A list that is asked with .set() is one of Ints, whatever its width.
        for name, line in named.items():
            bare = name.removesuffix("_ints")
            if f"{bare}.set(" in work:
                before.append(line)
                work = work.replace(f"{bare}.set(", f"{name}.set(")
        return (f"{result} {self.name}_({', '.join(self.takes + self.lengths)}) {{\n"
                f'  return blockyard::ga::run({{"{self.name}", __builtin_return_address(0), '
                f"{{true, sizeof(Integer)}}}}, [&] {{\n    " + "\n    ".join(before + [work]) + "\n  });\n}\n")


def source(calls, integer, table, needed):
    return (f"// Made of blockyard/ga/{table}.\n#include <ga_calls.h>\n#include <macdecls.h>\n\n"
            f'#include "blockyard/ga/edge.h"\n#include "{needed}"\n\n'
            "namespace {\n"
            "using namespace blockyard::ga;\nusing namespace blockyard::ga::calls;\n"
            f"using AccessIndex = long;\nstatic_assert(sizeof(Integer) == sizeof({integer}));\n}}\n\n"
            'extern "C" {\n' + "\n".join(Definition(call).text() for call in calls) + "}\n")


def declarations(calls, undeclared):
    lines = []
    for name, result, *_, is_plain in calls:
        if result != "void" and not is_plain and name not in undeclared:
            lines.append(f"      {FORTRAN[result]} {name}")
            lines.append(f"      external {name}")
    return "\n".join(lines)


def main(table, template, folder):
    """template: global.fh.in, or a header of C++ that the calls need."""
    table, folder = pathlib.Path(table), pathlib.Path(folder)
    calls, undeclared = read(table)
    needed = template
    if template.endswith(".fh.in"):
        needed = "blockyard/ga/fortran.h"
        header = pathlib.Path(template).read_text()
        (folder / "global.fh").write_text(header.replace("@CALLS@", declarations(calls, undeclared)))
    stem = table.name.removesuffix("_calls.txt")
    for integer, name in (("std::int32_t", "i4"), ("std::int64_t", "i8")):
        (folder / f"{stem}_{name}.cpp").write_text(source(calls, integer, table.name, needed))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
