#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the exported functions of the routine table, and the list of their names for the linker.

Usage: generate.py routines.txt EXPORTS.cpp EXPORTS.map
"""
import pathlib
import sys

ELEMENTS = {"s": "float", "d": "double", "c": "c64", "z": "c128"}


def read_table(path):
    """(routine, letters of element types, [(kind, name)])"""
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            arguments = [word.split(":") for word in words if ":" in word]
            yield words[0], [word for word in words[1:] if len(word) == 1], arguments


def fortran_names(name):
    """Each with the width of its integers; 0: a library decides."""
    for form in (f"{name}_", name, f"{name}__", name.upper()):
        yield form, 0
    yield from ((f"{name}_64_", 64), (f"{name}_64", 64), (f"scipy_{name}_", 32), (f"scipy_{name}_64_", 64))


def cblas_names(name):
    yield f"cblas_{name}", 0
    yield from ((f"cblas_{name}64_", 64), (f"cblas_{name}_64", 64), (f"scipy_cblas_{name}", 32),
                (f"scipy_cblas_{name}64_", 64))


def fortran_type(kind):
    return {"f": "const char*", "o": "void*"}.get(kind, "const void*")


def cblas_type(kind, element):
    """Integers travel in 64 bits, of which a callee with 32 reads the lower half."""
    if kind == "s":
        return element if element in ("float", "double") else "const void*"
    return {"f": "int", "n": "std::int64_t", "l": "std::int64_t", "o": "void*"}.get(kind, "const void*")


def write_function(out, symbol, width, template, parameters):
    listed = ", ".join(f"{kind} {name}" for kind, name in parameters)
    passed = ", ".join(name for _, name in parameters)
    out.append(f'extern "C" __attribute__((visibility("default"))) void {symbol}({listed}) {{\n'
               f'  static constinit Entry entry("{symbol}", {width});\n'
               f"  {template}(entry, __builtin_return_address(0), {passed});\n}}\n")


def main(table, source, names):
    out = ["// Made by generate.py from routines.txt.\n"]
    symbols = []
    routines = list(read_table(pathlib.Path(table)))
    out += [f'#include "blockyard/blas/shim/{routine}.h"\n' for routine, _, _ in routines]
    out.append("namespace {\nusing namespace blockyard::blas;\n")
    for routine, letters, arguments in routines:
        for letter in letters:
            element = ELEMENTS[letter]
            for symbol, width in fortran_names(letter + routine):
                parameters = [(fortran_type(kind), name) for kind, name in arguments]
                flags = sum(kind == "f" for kind, _ in arguments)
                parameters += [("std::size_t", f"length{k}") for k in range(flags)]
                write_function(out, symbol, width, f"fortran_{routine}<{element}>", parameters)
                symbols.append(symbol)
            for symbol, width in cblas_names(letter + routine):
                parameters = [("int", "layout")] + [(cblas_type(kind, element), name) for kind, name in arguments]
                write_function(out, symbol, width, f"cblas_{routine}<{element}>", parameters)
                symbols.append(symbol)
    out.append("}  // namespace\n")
    pathlib.Path(source).write_text("\n".join(out))
    pathlib.Path(names).write_text("{\n  global:\n" + "".join(f"    {name};\n" for name in symbols) +
                                   "  local: *;\n};\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
