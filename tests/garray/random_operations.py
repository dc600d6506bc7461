# SPDX-License-Identifier: Apache-2.0
"""Collective operations of Global Arrays on operands of any layouts, for random_calls.py."""
import ctypes

import numpy as np

from random_arrays import BY_VALUE, Complex16, Complex8, by_value, close, letter, patch

FLOATING = ["f4", "f8", "c8", "c16"]
DOT = {"i4": "i", "i8": "l", "f4": "f", "f8": "d", "c8": "c", "c16": "z"}
GEMM = {"f4": "S", "f8": "D", "c8": "C", "c16": "Z"}


def kind_of(array):
    return array.model.dtype.str[1:]


def scalar(array, value):
    return np.asarray(value, array.model.dtype)


def unary(case):
    """On a patch or all of the array."""
    name = case.choice(["Zero", "Fill", "Scale", "Add_constant", "Abs_value", "Recip"])
    a = case.array(dtype=case.choice(["f8", "c16"]) if name == "Recip" else None, low=1 if name == "Recip" else -4)
    low, high, value = *case.box(a.model.shape), scalar(a, case.integer(-3, 3))
    is_whole = case.chance(0.3)
    ends = [] if is_whole else [low, high]
    where = Ellipsis if is_whole else patch(low, high)
    prefix = "NGA_" if name in ("Zero", "Fill", "Scale") and not is_whole else "GA_"
    arguments = [value] if name in ("Fill", "Scale", "Add_constant") else []
    case.ga(f"{prefix}{name}{'' if is_whole else '_patch'}", a.handle, *ends, *arguments)
    part = a.model[where]
    a.model[where] = {"Zero": lambda: part * 0, "Fill": lambda: part * 0 + value, "Scale": lambda: part * value,
                      "Add_constant": lambda: part + value, "Abs_value": lambda: np.abs(part).astype(part.dtype),
                      "Recip": lambda: 1 / part}[name]()
    return [a]


def placed(case, extents):
    """A shape that has room for a patch of these extents, and where that lies."""
    before = [case.integer(0, 3) for _ in extents]
    shape = tuple(b + n + case.integer(0, 3) for b, n in zip(before, extents))
    return shape, before, [b + n - 1 for b, n in zip(before, extents)]


def binary(case):
    """Two patches make a third one; or arrays do."""
    name = case.choice(["Add", "Elem_multiply", "Elem_divide", "Elem_maximum", "Elem_minimum"])
    dtype = case.choice(["f8", "f4", "c16"] if name == "Elem_divide" else ["f8", "i4", "i8", "f4"])
    is_whole = case.chance(0.4)
    extents = case.shape(case.integer(1, 4))
    places = [(extents, [0] * len(extents), [n - 1 for n in extents]) if is_whole else placed(case, extents)
              for _ in range(3)]
    a, b, c = (case.array(shape=place[0], dtype=dtype, low=1) for place in places)
    if is_whole and case.chance(0.3):
        c.destroy()
        c = a  # in place
    factors = [scalar(a, case.integer(-3, 3)) for _ in range(2)]
    boxes = [[] if is_whole else [low, high] for _, low, high in places]
    call = ("NGA_" if name == "Add" and not is_whole else "GA_") + name + ("" if is_whole else "_patch")
    if name == "Add":
        case.ga(call, factors[0], a.handle, *boxes[0], factors[1], b.handle, *boxes[1], c.handle, *boxes[2])
    else:
        case.ga(call, a.handle, *boxes[0], b.handle, *boxes[1], c.handle, *boxes[2])
    x, y = a.model[patch(*places[0][1:])], b.model[patch(*places[1][1:])]
    c.model[patch(*places[2][1:])] = {
        "Add": lambda: factors[0] * x + factors[1] * y, "Elem_multiply": lambda: x * y, "Elem_divide": lambda: x / y,
        "Elem_maximum": lambda: np.maximum(x, y), "Elem_minimum": lambda: np.minimum(x, y)}[name]()
    return [a, b] if c is a else [a, b, c]


def copies(case):
    """Whole arrays, patches, transposes, and patches of other shapes with as many elements."""
    dtype, form = case.choice(["i4", "i8", "f4", "f8", "c8", "c16"]), case.integer(0, 3)
    extents = case.shape(2 if form in (1, 3) else None)
    if form == 0:
        a, b = case.array(shape=extents, dtype=dtype), case.array(shape=extents, dtype=dtype)
        case.ga("GA_Copy", a.handle, b.handle)
        b.model[...] = a.model
    elif form == 1:
        a, b = case.array(shape=extents, dtype=dtype), case.array(shape=extents[::-1], dtype=dtype)
        case.ga("GA_Transpose", a.handle, b.handle)
        b.model[...] = a.model.T
    else:
        others = extents[::-1] if form == 3 else (
            extents if case.chance(0.5) or len(extents) == 1 else
            (extents[0] * extents[1], *extents[2:]))
        (shape, *box), (other, *to) = placed(case, extents), placed(case, others)
        a, b = case.array(shape=shape, dtype=dtype), case.array(shape=other, dtype=dtype)
        case.ga("NGA_Copy_patch", letter("t" if form == 3 else "n"), a.handle, *box, b.handle, *to)
        part = a.model[patch(*box)]
        b.model[patch(*to)] = part.T if form == 3 else part.reshape(others)
    return [a, b]


def dots(case):
    dtype = case.choice(list(DOT))
    extents = case.shape()
    is_whole = case.chance(0.4)
    places = [(extents, [0] * len(extents), [n - 1 for n in extents]) if is_whole else placed(case, extents)
              for _ in range(2)]
    a, b = (case.array(shape=place[0], dtype=dtype) for place in places)
    result = BY_VALUE[dtype]
    if is_whole:
        found = case.ga(f"GA_{DOT[dtype].upper()}dot", a.handle, b.handle, result=result)
    else:
        found = case.ga(f"NGA_{DOT[dtype].upper()}dot_patch", a.handle, letter("n"), *places[0][1:], b.handle,
                        letter("n"), *places[1][1:], result=result)
    if result in (Complex8, Complex16):
        found = complex(found.real, found.imag)
    wanted = np.sum(a.model[patch(*places[0][1:])] * b.model[patch(*places[1][1:])])
    close(np.asarray(found, dtype), np.asarray(wanted, dtype))
    return [a, b]


def products(case):
    """op(A) op(B) of whole matrices, and of patches of them: as they are, transposed or adjoint."""
    dtype = case.choice(list(GEMM))
    m, n, k = (case.integer(1, 15) for _ in range(3))
    ops = [case.choice("nntc"), case.choice("nntc")]
    turned = [op != "n" for op in ops]
    letters = [letter(op) for op in ops]
    left, right = (k, m) if turned[0] else (m, k), (n, k) if turned[1] else (k, n)
    alpha, beta = case.integer(-2, 2), case.integer(-2, 2)
    form = case.integer(0, 2)
    places = [(extents, [0, 0], [e - 1 for e in extents]) if form == 0 else placed(case, extents)
              for extents in (left, right, (m, n))]
    a, b, c = (case.array(shape=place[0], dtype=dtype) for place in places)
    if form == 0:
        case.ga(f"GA_{GEMM[dtype]}gemm", *letters, m, n, k, by_value(scalar(a, alpha), dtype), a.handle, b.handle,
                by_value(scalar(a, beta), dtype), c.handle)
    # The patch of an operand that is to be transposed is given as one of its transpose.
    boxes = [(low[::-1], high[::-1]) if is_turned else (low, high)
             for (_, low, high), is_turned in zip(places, [*turned, False])]
    if form == 1:
        case.ga("NGA_Matmul_patch", *letters, scalar(a, alpha), scalar(a, beta), a.handle, *boxes[0], b.handle,
                *boxes[1], c.handle, *boxes[2])
    elif form == 2:
        ends = [[bound for pair in zip(low, high) for bound in pair] for low, high in boxes]
        case.ga("GA_Matmul_patch", *letters, scalar(a, alpha), scalar(a, beta), a.handle, *ends[0], b.handle, *ends[1],
                c.handle, *ends[2])
    x, y = a.model[patch(*places[0][1:])], b.model[patch(*places[1][1:])]
    where = patch(*places[2][1:])
    read = {"n": lambda matrix: matrix, "t": np.transpose, "c": lambda matrix: matrix.conj().T}
    c.model[where] = alpha * read[ops[0]](x) @ read[ops[1]](y) + beta * c.model[where]
    return [a, b, c]


def matrices(case):
    """Diagonals, rows, columns, norms, symmetrization."""
    name = case.choice(["Zero_diagonal", "Add_diagonal", "Set_diagonal", "Get_diag", "Shift_diagonal", "Scale_rows",
                        "Scale_cols", "Symmetrize", "Norm1", "Norm_infinity"])
    n, m = case.integer(1, 14), case.integer(1, 14)
    is_square = name == "Symmetrize"
    a = case.array(shape=(n, n if is_square else m), dtype=case.choice(["f8", "c16", "f4"]))
    diagonal = np.arange(min(a.model.shape))
    length = {"Scale_rows": a.model.shape[0], "Scale_cols": a.model.shape[1]}.get(name, len(diagonal))
    v = case.array(shape=(length,), dtype=a.model.dtype)
    on = (diagonal, diagonal)
    if name in ("Norm1", "Norm_infinity"):
        found = ctypes.c_double()
        case.ga(f"GA_{name}", a.handle, ctypes.byref(found))
        # Of the matrix whose columns are contiguous.
        close(np.asarray(found.value, a.model.real.dtype), np.linalg.norm(a.model, np.inf if name == "Norm1" else 1))
    elif name == "Symmetrize":
        case.ga("GA_Symmetrize", a.handle)
        a.model[...] = (a.model + a.model.T) / 2
    elif name == "Zero_diagonal":
        case.ga("GA_Zero_diagonal", a.handle)
        a.model[on] = 0
    elif name == "Shift_diagonal":
        case.ga("GA_Shift_diagonal", a.handle, scalar(a, 3))
        a.model[on] += 3
    else:
        case.ga(f"GA_{name}", a.handle, v.handle)
        if name == "Add_diagonal":
            a.model[on] += v.model
        elif name == "Set_diagonal":
            a.model[on] = v.model
        elif name == "Get_diag":
            v.model[...] = a.model[on]
        elif name == "Scale_rows":
            a.model *= v.model[:, None]
        else:
            a.model *= v.model
    return [a, v]


def picks(case):
    """The largest and the smallest element, medians, duplicates."""
    a = case.array(dtype=case.choice(["i4", "i8", "f4", "f8"]))
    name = case.choice(["max", "min"])
    value, index = scalar(a, 0), (ctypes.c_int * 7)()
    case.ga.c.NGA_Select_elem(a.handle, name.encode(), value.ctypes.data_as(ctypes.c_void_p), index)
    assert value == getattr(a.model, name)() == a.model[tuple(index[:a.model.ndim])], (value, list(index))
    b, c, m = (case.array(shape=a.model.shape, dtype=a.model.dtype) for _ in range(3))
    case.ga("GA_Median", a.handle, b.handle, c.handle, m.handle)
    m.model[...] = np.median([a.model, b.model, c.model], axis=0).astype(a.model.dtype)
    twin = case.ga("GA_Duplicate", a.handle, b"twin")
    assert case.ga("GA_Compare_distr", a.handle, twin) == 0
    case.ga("GA_Copy", m.handle, twin)
    case.ga("GA_Copy", twin, a.handle)
    case.ga("GA_Destroy", twin)
    a.model[...] = m.model
    return [a, b, c, m]


def lines(case):
    """Segmented scans, pack and unpack, numbering."""
    n, dtype = case.integer(2, 60), case.choice(["i4", "i8", "f8", "c16"])
    a, b = case.array(shape=(n,), dtype=dtype), case.array(shape=(n,), dtype=dtype)
    flags = case.array(shape=(n,), dtype="i4", low=0, high=1)
    first = case.integer(0, n - 1)
    last = case.integer(first, n - 1)
    inside = slice(first, last + 1)
    name = case.choice(["Scan_add", "Scan_copy", "Pack", "Unpack", "Patch_enum"])
    set_ = np.flatnonzero(flags.model[inside]) + first
    count = (ctypes.c_int64 * 1)()
    if name == "Patch_enum":
        case.ga("GA_Patch_enum", a.handle, first, last, scalar(a, 5), scalar(a, 3))
        a.model[inside] = 5 + 3 * np.arange(last - first + 1)
    elif name == "Pack":
        case.ga("GA_Pack", a.handle, b.handle, flags.handle, first, last, count)
        b.model[:len(set_)] = a.model[set_]
    elif name == "Unpack":
        case.ga("GA_Unpack", a.handle, b.handle, flags.handle, first, last, count)
        b.model[set_] = a.model[:len(set_)]
    elif set_.size and set_[0] == first:
        is_exclusive = int(name == "Scan_add" and case.chance(0.4))
        more = [is_exclusive] if name == "Scan_add" else []
        case.ga(f"GA_{name}", a.handle, b.handle, flags.handle, first, last, *more)
        for begin, end in zip(set_, [*set_[1:], last + 1]):
            part = a.model[begin:end]
            sums = np.cumsum(part)
            b.model[begin:end] = part[0] if name == "Scan_copy" else sums - part if is_exclusive else sums
    if name in ("Pack", "Unpack"):
        assert count[0] == len(set_), (count[0], len(set_))
    return [a, b, flags]


def properties(case):
    """Read only, or with gets kept, and as before afterwards."""
    if case.group != -1:
        return []
    a = case.array(layout="regular")
    case.ga("GA_Set_property", a.handle, case.choice([b"read_only", b"read_cache"]))
    for _ in range(2):
        close(a.get(*a.whole()), a.model)
    case.sync()
    case.ga("GA_Unset_property", a.handle)
    case.ga("GA_Scale", a.handle, scalar(a, 2))
    a.model *= scalar(a, 2)
    return [a]


def reductions(case):
    """Values of all processes of the group, and one's bytes to all."""
    kind = case.choice(["d", "i", "l", "f", "z"])
    dtype = {"d": "f8", "i": "i4", "l": "i8", "f": "f4", "z": "c16"}[kind]
    name = case.choice(["+"] if kind == "z" else ["+", "*", "max", "min", "absmax", "absmin"])
    values = case.values((case.size, case.integer(1, 30)), dtype)
    mine = values[case.me].copy()
    case.ga(f"GA_Pgroup_{kind}gop", case.group, mine, mine.size, name.encode())
    close(mine, {"+": lambda: values.sum(axis=0), "*": lambda: values.prod(axis=0), "max": lambda: values.max(axis=0),
                 "min": lambda: values.min(axis=0), "absmax": lambda: np.abs(values).max(axis=0),
                 "absmin": lambda: np.abs(values).min(axis=0)}[name]().astype(dtype))
    root = case.integer(0, case.size - 1)
    mine = values[case.me].copy()
    case.ga("GA_Pgroup_brdcst", case.group, mine, mine.nbytes, root)
    close(mine, values[root])
    return []


CALLS = [unary, unary, binary, binary, copies, copies, dots, products, products, matrices, matrices, picks, lines,
         lines, properties, reductions]
