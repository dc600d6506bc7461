#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the exported functions of the tables of routines, and the list of their names for the linker.

Usage: generate.py routines.txt fftw.txt EXPORTS.cpp EXPORTS.map
       generate.py routines.txt fftw.txt MORE.cpp ALL.map level1.txt: functions of the last table, names of all
"""
import pathlib
import sys

ELEMENTS = {"s": "float", "d": "double", "c": "c64", "z": "c128"}
REALS = {"s": "float", "d": "double", "c": "float", "z": "double"}


LEVEL3 = {"gemm", "gemmt", "symm", "hemm", "syrk", "herk", "syr2k", "her2k", "trmm", "trsm"}
LEVEL2 = {"gemv", "ger", "gerc", "symv", "hemv", "trmv", "trsv"}
BATCHES = {"gemm_batch": "GroupedBatch", "gemm_batch_strided": "StridedBatch"}
LEVEL1 = {"dot", "dotc", "axpy"}


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


FFTW_TYPES = {"i": "int", "e": "int", "u": "unsigned", "n": "const int*", "k": "const int*", "d": "const GuruAxis*",
              "g": "const GuruAxis64*", "r": "const void*", "w": "void*", "p": "void*"}
ARRAYS = ("in", "in_imaginary", "out", "out_imaginary")


SUBSTITUTED = ("gemm_batch_strided", "gemm_batch", "gemmtr", "gemmt", "gemm3m")  # by gemm, where a library has none of these


def substitute_of(symbol):
    """The argument of Entry: products by which the program's library can do the same."""
    for name in SUBSTITUTED:
        if name in symbol.lower():
            lower = symbol.lower().replace(name, "gemm")
            return f', "{lower if symbol != symbol.upper() else lower.upper()}"'
    return ""


def function(symbol, width, parameters, call, result="void", entry=None):
    """entry: the name that is looked up in the program's library, where it is another one."""
    listed = ", ".join(f"{kind} {name}" for kind, name in parameters)
    return (f'extern "C" __attribute__((visibility("default"))) {result} {symbol}({listed}) {{\n'
            f'  static constinit Entry entry("{entry or symbol}", {width}{substitute_of(symbol)});\n'
            f"  {call};\n}}\n")


def fortran(symbol, width, kind, arguments):
    names = [f"{name}_{k}" for k, (_, name) in enumerate(arguments)]
    lengths = [f"length{k}" for k in range(sum(kind == "f" for kind, _ in arguments))]
    parameters = [("const void*", name) for name in names] + [("std::size_t", name) for name in lengths]
    return function(symbol, width, parameters,
                    f"{kind}::fortran(entry, __builtin_return_address(0), {{{', '.join(names)}}}, "
                    f"{{{', '.join(lengths)}}})")


def cblas(symbol, width, kind, letter, arguments):
    parameters = [("int", "layout")] + [(cblas_type(kind, letter), name) for kind, name in arguments]
    passed = ", ".join(name for _, name in parameters)
    return function(symbol, width, parameters, f"{kind}::cblas(entry, __builtin_return_address(0), {passed})")


def read_transforms(path):
    """(function, [(kind, name)])"""
    for line in path.read_text().splitlines():
        if words := line.split("#")[0].split():
            yield words[0], [tuple(word.split(":")) for word in words[2:]]


def arrays_of(names):
    return "{" + ", ".join(name if name in names else "nullptr" for name in ARRAYS) + "}"


def told(function, names):
    """Lines that are needed before, and what the planner was told as Told."""
    sort = next((sort for sort in ("r2c", "c2r", "r2r") if f"_{sort}" in function), "c2c")
    each = [name for name in names if name in ("n0", "n1", "n2")]
    kinds = [name for name in names if name in ("kind0", "kind1", "kind2")]
    before = [f"const int n[] = {{{', '.join(each)}}};"] if each else []
    before += [f"const int kinds[] = {{{', '.join(kinds)}}};"] if kinds else []
    fields = [f".sort = Transform::Sort::{sort}"]
    fields += [".sign = sign"] if "sign" in names else []
    fields += [f".rank = {len(each) or 'rank'}"]
    fields += [".n = n"] if each or "n" in names else []
    if "count" in names:
        fields += [".count = count"]
        fields += [f".{side}_layout = {{{side}_whole, {side}_stride, {side}_next}}" for side in ("in", "out")]
    fields += [".kinds = kinds"] if kinds or "kinds" in names else []
    return before, "{" + ", ".join([*fields, f".arrays = {arrays_of(names)}"]) + "}"


def work_of(symbol, real, function, arguments):
    """What the C name and the Fortran names call."""
    names = [name for _, name in arguments]
    passed = ", ".join(["entry", "caller", *names])
    if function == "destroy_plan":
        lines = [f"return Fftw<{real}>::destroy_plan({passed});"]
    elif function.startswith("execute"):
        lines = [f"return Fftw<{real}>::execute(entry, caller, {arrays_of(names)}, {', '.join(names)});"]
    else:
        before, what = told(function, names)
        note = f"note_guru(made, {what}, dims, many, many_dims)" if "dims" in names else f"note(made, {what})"
        lines = [f"void* const made = Fftw<{real}>::call<void*>({passed});",
                 f"if (!Fftw<{real}>::is_to_note(entry, caller, made)) return made;",
                 *before, f"return Fftw<{real}>::{note};"]
    parameters = ", ".join(["Entry& entry", "const void* caller", *(f"{FFTW_TYPES[kind]} {name}" for kind, name in arguments)])
    result = "void*" if function.startswith("plan") else "void"
    return f"{result} {symbol}_work({parameters}) {{\n  " + "\n  ".join(lines) + "\n}\n"


def fortran_arguments(arguments):
    """Parameters, and what C wants of them: the first index is the fastest, all but arrays go by address."""
    numbered = {kind: [name for _, name in arguments if name in (f"{kind}0", f"{kind}1", f"{kind}2")]
                for kind in ("n", "kind")}
    turned = {name: other for names in numbered.values() for name, other in zip(names, reversed(names))}
    parameters, passed = [], []
    for kind, name in arguments:
        if kind == "d":
            rank = "rank" if name == "dims" else "many"
            parts = [f"{name}_n", f"{name}_in", f"{name}_out"]
            parameters += [("const int*", part) for part in parts]
            passed.append(f"guru_axes(*{rank}, {', '.join(parts)}).data()")
        elif kind == "p":
            parameters.append(("void**", name))
            passed.append(f"*{name}")
        elif kind in "rw":
            parameters.append((FFTW_TYPES[kind], name))
            passed.append(name)
        else:
            parameters.append(("const int*", turned.get(name, name)))
            passed.append({"n": f"Reversed({name}, *rank).data()", "k": f"Reversed({name}, *rank).data()",
                           "u": f"static_cast<unsigned>(*{name})"}.get(kind, f"*{name}"))
    return parameters, passed


def fftw(path):
    """(symbols, their functions) for both precisions."""
    for name, arguments in read_transforms(path):
        is_plan = name.startswith("plan")
        for prefix, letter, real in (("fftw", "d", "double"), ("fftwf", "s", "float")):
            symbol = f"{prefix}_{name}"
            text = work_of(symbol, real, name, arguments)
            parameters = [(FFTW_TYPES[kind], argument) for kind, argument in arguments]
            passed = ", ".join(["entry", "__builtin_return_address(0)"] + [argument for _, argument in arguments])
            text += function(symbol, 32, parameters, f"return {symbol}_work({passed})", "void*" if is_plan else "void")
            symbols = [symbol]
            for end in () if "guru64" in name else ("_", "__"):
                parameters, converted = fortran_arguments(arguments)
                parameters = [("void**", "plan")] * is_plan + parameters
                passed = ", ".join(["entry", "__builtin_return_address(0)", *converted])
                symbols.append(f"{letter}fftw_{name}{end}")
                text += function(symbols[-1], 32, parameters, f"{'*plan = ' if is_plan else ''}{symbol}_work({passed})",
                                 entry=symbol)
            yield symbols, text


CALLED = ("getrf", "potrf")  # of LAPACK, by their meaning: what a call is made of where it is cut


def invoke(kinds):
    """The functions of local_calls.h: kinds are letter, meaning and class of each routine."""
    for letter, element in ELEMENTS.items():
        mine = [(meaning, kind) for one, meaning, kind in kinds if one == letter]
        forms = "".join(f"    case Form::{meaning}: return {kind}::invoke(function, width, call);\n"
                        for meaning, kind in mine if meaning in LEVEL3)
        tasks = "".join(f"    case Task::{meaning}: return {kind}::invoke(function, call);\n"
                        for meaning, kind in mine if meaning in CALLED)
        yield (f"template <>\nvoid invoke_level3(void* function, int width, const Call<{element}>& call) {{\n"
               f"  switch (call.form) {{\n{forms}    default: return;\n  }}\n}}\n")
        yield (f"template <>\nvoid invoke_whole(void* function, const WholeCall<{element}>& call) {{\n"
               f"  switch (call.task) {{\n{tasks}    default: return;\n  }}\n}}\n")


def template_of(meaning):
    """Of the shim: the class, the names of its arguments, what the routine is."""
    if meaning in LEVEL3:
        return "Level3", "Slot", f"Form::{meaning}"
    if meaning in LEVEL2 | LEVEL1:
        return "Vectors", "VectorSlot", f"VectorForm::{meaning}"
    return "Lapack", "Field", f"Task::{meaning}"


def value(symbol, width, letter, kind, arguments, is_cblas):
    """A function that returns a number."""
    if is_cblas:
        parameters = [(cblas_type(kind_of, letter), name) for kind_of, name in arguments]
        passed = ", ".join(["entry", "__builtin_return_address(0)"] + [name for _, name in arguments])
        return function(symbol, width, parameters, f"return {kind}::cblas_value({passed})", ELEMENTS[letter])
    parameters = [("const void*", name) for _, name in arguments]
    given = ", ".join(name for _, name in arguments)
    return function(symbol, width, parameters, f"return {kind}::value(entry, __builtin_return_address(0), {{{given}}})",
                    ELEMENTS[letter])


def level1(routine, meaning, letter, kind, arguments):
    """(symbol, function) of each form."""
    is_value = meaning != "axpy"
    for symbol, width in fortran_names(letter + routine):
        yield symbol, (value(symbol, width, letter, kind, arguments, False) if is_value
                       else fortran(symbol, width, kind, arguments))
    is_sub = is_value and letter in "cz"
    for symbol, width in cblas_names(letter + routine + ("_sub" if is_sub else "")):
        if is_value and not is_sub:
            yield symbol, value(symbol, width, letter, kind, arguments, True)
            continue
        parameters = [(cblas_type(kind_of, letter), name) for kind_of, name in arguments]
        parameters += [("void*", "result")] if is_sub else []
        passed = ", ".join(["entry", "__builtin_return_address(0)"] + [name for _, name in parameters])
        yield symbol, function(symbol, width, parameters, f"{kind + '_sub' if is_sub else kind}::cblas_plain({passed})")


def routines(table):
    """(letter, meaning, class, [(symbol, function)], its text) of each routine and element type."""
    for routine, meaning, letters, arguments in read_table(pathlib.Path(table)):
        for letter in letters:
            kind = f"{letter}{routine}_calls"
            template, slot, what = template_of(meaning)
            slots = "".join(f", {slot}::{name}" for _, name in arguments)
            using = f"using {kind} = {template}<{ELEMENTS[letter]}, {what}{slots}>;\n"
            if meaning in BATCHES:
                using = f"using {kind} = {BATCHES[meaning]}<{ELEMENTS[letter]}>;\n"
            if meaning in LEVEL1:
                if meaning != "axpy":
                    using += f"using {kind}_sub = {template}<{ELEMENTS[letter]}, {what}{slots}, {slot}::result>;\n"
                yield letter, routine, meaning, kind, using, list(level1(routine, meaning, letter, kind, arguments))
                continue
            made = [(symbol, fortran(symbol, width, kind, arguments)) for symbol, width in fortran_names(letter + routine)]
            if meaning in LEVEL3 | LEVEL2 or meaning in BATCHES:
                made += [(symbol, cblas(symbol, width, kind, letter, arguments))
                         for symbol, width in cblas_names(letter + routine)]
            yield letter, routine, meaning, kind, using, made


def main(table, transforms, source, names, *more):
    out = ["// Made by generate.py from " + ", ".join(pathlib.Path(one).name for one in (table, transforms, *more)) + ".\n",
           '#include "blockyard/blas/shim/batch.h"\n', '#include "blockyard/blas/shim/fftw.h"\n', '#include "blockyard/blas/shim/lapack.h"\n',
           '#include "blockyard/blas/shim/level3.h"\n', '#include "blockyard/blas/shim/vectors.h"\n',
           "namespace {\nusing namespace blockyard::blas;\n"]
    symbols, kinds = [], []
    for one in (table, *more):
        for letter, routine, meaning, kind, using, made in routines(one):
            symbols += [symbol for symbol, _ in made]
            if more and one == table:
                continue
            if routine == meaning or meaning not in LEVEL3:
                kinds.append((letter, meaning, kind))
            out += [using, *(text for _, text in made)]
    for names_of_it, text in fftw(pathlib.Path(transforms)):
        symbols += names_of_it
        out += [] if more else [text]
    out.append("}  // namespace\n")
    if not more:
        out += ["namespace blockyard::blas {\n", *invoke(kinds), "}  // namespace blockyard::blas\n"]
    pathlib.Path(source).write_text("\n".join(out))
    pathlib.Path(names).write_text("{\n  global:\n" + "".join(f"    {name};\n" for name in symbols) +
                                   "  local: *;\n};\n")


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    main(*sys.argv[1:])
