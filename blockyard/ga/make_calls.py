#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes of the table of C calls: the header ga.h, declarations of what does the calls, and the
exported symbols that pass them on. Usage: make_calls.py calls.txt ga.h.in FOLDER"""
import pathlib
import re
import sys

ENTRY = re.compile(r"(both|nga|ga)(\+?)\s+((?:long long|\w+)\*?)\s+(\w+)\((.*)\)(?: = (\w+))?$")
PARAMETER = re.compile(r"((?:const )?(?:long long|\w+)) (\**)(\w+)$")


def parameters(text):
    """(type, stars, name) of each."""
    return [PARAMETER.match(p).groups() for p in text.split(", ")] if text else []


def inner_type(kind, stars):
    """How the function that does the call sees a parameter."""
    if kind == "Int":
        return {"": "std::int64_t ", "*": "Ints ", "**": "IntLists "}[stars]
    if kind == "ga_nbhdl_t":
        return "Ints "
    return f"{kind} {stars}"


def read(path):
    calls = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        found = ENTRY.match(line)
        if not found:
            sys.exit(f"{path}:{number}: not a call: {line}")
        twins, wide, result, name, text, does = found.groups()
        calls.append((twins, wide, result, name, parameters(text), does or name.lower()))
    return calls


def names(call):
    """(exported name, width of Int) of all twins."""
    twins, wide, _, name, _, _ = call
    for prefix in {"ga": ["GA_"], "nga": ["NGA_"], "both": ["GA_", "NGA_"]}[twins]:
        yield prefix + name, "int"
        if wide:
            yield prefix + name + "64", "int64_t"


def prototype(call, name, width):
    result, params = call[2], call[4]
    text = ", ".join(f"{width if kind == 'Int' else kind} {stars}{param}"
                     for kind, stars, param in params)
    return f"{result} {name}({text or 'void'})"


def declaration(call):
    result, params, does = call[2], call[4], call[5]
    text = ", ".join(inner_type(kind, stars) + param for kind, stars, param in params)
    return f"{result} {does}({text});"


def definition(call, name, width):
    params, does = call[4], call[5]
    passed = ", ".join(param for _, _, param in params)
    return (f"{prototype(call, name, width)} {{\n"
            f"  return blockyard::ga::run({{\"{name}\", __builtin_return_address(0), {{false, sizeof(Integer)}}}}, "
            f"[&] {{ return blockyard::ga::calls::{does}({passed}); }});\n}}\n")


def main(table, template, folder):
    calls = read(pathlib.Path(table))
    folder = pathlib.Path(folder)
    twins = [(call, name, width) for call in calls for name, width in names(call)]
    prototypes = "\n".join(prototype(*twin) + ";" for twin in twins)
    header = pathlib.Path(template).read_text().replace("@CALLS@", prototypes)
    (folder / "ga.h").write_text(header)
    (folder / "ga_calls.h").write_text(
        "// Made of blockyard/ga/calls.txt.\n#pragma once\n\n#include <ga.h>\n\n#include <cstdint>\n\n"
        '#include "blockyard/ga/ints.h"\n\nnamespace blockyard::ga::calls {\n\n' +
        "\n".join(dict.fromkeys(declaration(call) for call in calls)) +
        "\n\n}  // namespace blockyard::ga::calls\n")
    (folder / "ga_calls.cpp").write_text(
        '// Made of blockyard/ga/calls.txt.\n#include "ga_calls.h"\n\n#include "blockyard/ga/edge.h"\n\n'
        'extern "C" {\n' + "\n".join(definition(*twin) for twin in twins) + "}\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
