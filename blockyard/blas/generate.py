#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the exported functions of the routine table, and the list of their names for the linker.

Usage: generate.py routines.txt fftw.txt EXPORTS.cpp EXPORTS.map
"""
import pathlib
import sys

ELEMENTS = {"s": "float", "d": "double", "c": "c64", "z": "c128"}
REALS = {"s": "float", "d": "double", "c": "float", "z": "double"}


LEVEL3 = {"gemm", "symm", "hemm", "syrk", "herk", "syr2k", "her2k", "trmm", "trsm"}


def read_table(path):
    """(routine, what it is for us, letters of element types, [(kind, name)])"""
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            arguments = [word.split(":") for word in words if ":" in word]
            routine, _, meaning = words[0].partition("=")
            yield routine, meaning or routine, [word for word in words[1:] if len(word) == 1], arguments


def fortran_names(name):
    """Each with the width of its integers; 0: a library decides."""
    for form in (f"{name}_", name, f"{name}__", name.upper()):
        yield form, 0
    yield from ((f"{name}_64_", 64), (f"{name}_64", 64), (f"scipy_{name}_", 32), (f"scipy_{name}_64_", 64))


def cblas_names(name):
    yield f"cblas_{name}", 0
    yield from ((f"cblas_{name}64_", 64), (f"cblas_{name}_64", 64), (f"scipy_cblas_{name}", 32),
                (f"scipy_cblas_{name}64_", 64))


def cblas_type(kind, letter):
    """Integers travel in 64 bits, of which a callee with 32 reads the lower half."""
    if kind == "r" or (kind == "s" and letter in "sd"):
        return REALS[letter]
    return {"f": "int", "n": "std::int64_t", "l": "std::int64_t", "o": "void*"}.get(kind, "const void*")


FFTW_TYPES = {"i": "int", "u": "unsigned", "n": "const int*", "d": "const GuruAxis*", "g": "const GuruAxis64*",
              "r": "const void*", "w": "void*", "p": "void*"}


def function(symbol, width, parameters, call, result="void"):
    listed = ", ".join(f"{kind} {name}" for kind, name in parameters)
    return (f'extern "C" __attribute__((visibility("default"))) {result} {symbol}({listed}) {{\n'
            f'  static constinit Entry entry("{symbol}", {width});\n'
            f"  {call};\n}}\n")


def fortran(symbol, width, kind, arguments):
    names = [name for _, name in arguments]
    lengths = [f"length{k}" for k in range(sum(kind == "f" for kind, _ in arguments))]
    parameters = [("const void*", name) for name in names] + [("std::size_t", name) for name in lengths]
    return function(symbol, width, parameters,
                    f"{kind}::fortran(entry, __builtin_return_address(0), {{{', '.join(names)}}}, "
                    f"{{{', '.join(lengths)}}})")


def cblas(symbol, width, kind, letter, arguments):
    parameters = [("int", "layout")] + [(cblas_type(kind, letter), name) for kind, name in arguments]
    passed = ", ".join(name for _, name in parameters)
    return function(symbol, width, parameters, f"{kind}::cblas(entry, __builtin_return_address(0), {passed})")


def fftw(path):
    """(symbol, its function) for both precisions. execute_dft_r2c and its like take what execute_dft takes."""
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        name, returned, arguments = words[0], words[1], [word.split(":") for word in words[2:]]
        parameters = [(FFTW_TYPES[kind], argument) for kind, argument in arguments]
        passed = ", ".join(["entry", "__builtin_return_address(0)"] + [argument for _, argument in arguments])
        meaning = name.replace("guru64", "guru")
        meaning = "execute_dft" if meaning.startswith("execute_dft") else meaning
        for prefix, real in (("fftw", "double"), ("fftwf", "float")):
            symbol = f"{prefix}_{name}"
            yield symbol, function(symbol, 32, parameters, f"return Fftw<{real}>::{meaning}({passed})",
                                   "void*" if returned == "p" else "void")


def main(table, transforms, source, names):
    out = ["// Made by generate.py from routines.txt and fftw.txt.\n", '#include "blockyard/blas/shim/fftw.h"\n',
           '#include "blockyard/blas/shim/lapack.h"\n', '#include "blockyard/blas/shim/level3.h"\n',
           "namespace {\nusing namespace blockyard::blas;\n"]
    symbols = []
    for routine, meaning, letters, arguments in read_table(pathlib.Path(table)):
        is_level3 = meaning in LEVEL3
        for letter in letters:
            kind = f"{letter}{routine}_calls"
            slots = "".join(f", {'Slot' if is_level3 else 'Field'}::{name}" for _, name in arguments)
            template = "Level3" if is_level3 else "Lapack"
            what = f"Form::{meaning}" if is_level3 else f"Task::{meaning}"
            out.append(f"using {kind} = {template}<{ELEMENTS[letter]}, {what}{slots}>;\n")
            for symbol, width in fortran_names(letter + routine):
                out.append(fortran(symbol, width, kind, arguments))
                symbols.append(symbol)
            for symbol, width in cblas_names(letter + routine) if is_level3 else ():
                out.append(cblas(symbol, width, kind, letter, arguments))
                symbols.append(symbol)
    for symbol, text in fftw(pathlib.Path(transforms)):
        out.append(text)
        symbols.append(symbol)
    out.append("}  // namespace\n")
    pathlib.Path(source).write_text("\n".join(out))
    pathlib.Path(names).write_text("{\n  global:\n" + "".join(f"    {name};\n" for name in symbols) +
                                   "  local: *;\n};\n")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
