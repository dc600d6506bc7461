# SPDX-License-Identifier: Apache-2.0
"""The subscripts: letters of each operand and of the result."""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from .. import _errors
from .._sources import BlockSource, is_source, source_of
from .terms import Operand, Term


_letters = string.ascii_uppercase + string.ascii_lowercase  # by number, as in NumPy: an implicit output is sorted


def spell(subscripts: Any, operands: list[Any]) -> tuple[str, list[Operand]]:
    """Text and operands, also of the interleaved form: op1, [0, 1], op2, [1, ...], [0]."""
    if isinstance(subscripts, str):
        return subscripts, [_operand(operand) for operand in operands]
    flat = [subscripts, *operands]
    arrays, lists = flat[:len(flat) // 2 * 2:2], flat[1::2]
    output = flat[-1] if len(flat) % 2 else None
    if not lists or not all(isinstance(one, (list, tuple)) for one in [*lists, *([output] if output is not None else [])]):
        raise TypeError("einsum: give a text like 'ij,jk->ik' and the operands, or each operand and the list of its "
                        "indexes, as in einsum(a, [0, 1], b, [1, 2], [0, 2])")
    text = ",".join(_spell_list(one) for one in lists) + ("->" + _spell_list(output) if output is not None else "")
    return text, [_operand(array) for array in arrays]


def _spell_list(indexes: Any) -> str:
    text = ""
    for one in indexes:
        if one is not Ellipsis and not (isinstance(one, (int, np.integer)) and 0 <= one < len(_letters)):
            raise _errors.InputError(f"einsum: an index is a number from 0 to {len(_letters) - 1}, or ..., not {one!r}")
        text += "..." if one is Ellipsis else _letters[one]
    return text


def _operand(array: Any) -> Operand:
    if isinstance(array, BlockSource):
        return array
    return source_of(array) if is_source(array) else np.asarray(array)


def parse(subscripts: str, operands: list[Operand]) -> tuple[list[str], str, list[Operand]]:
    """Letters of each operand and of the result; an operand with a letter twice becomes a view of
    its diagonal."""
    text = subscripts.replace(" ", "")
    left, arrow, output = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(operands):
        raise _errors.InputError(f"einsum {subscripts}: {len(inputs)} terms, {len(operands)} operands")
    inputs, rest = _expand(inputs, operands, subscripts)
    if not arrow:
        counts = "".join(inputs)
        output = rest + "".join(sorted(c for c in set(counts) if counts.count(c) == 1 and c not in rest))
    elif rest and "..." not in output:
        raise _errors.InputError(f"einsum {subscripts}: the result lacks the '...' of an operand")
    else:
        output = output.replace("...", rest)
    known = set("".join(inputs))
    for c in "".join(inputs) + output:
        if not (c.isascii() and c.isalpha()):
            raise _errors.InputError(f"einsum {subscripts}: {c!r} is not an index: indexes are letters")
    for c in output:
        if output.count(c) > 1:
            raise _errors.InputError(f"einsum {subscripts}: '{c}' appears twice in the result")
        if c not in known:
            raise _errors.InputError(f"einsum {subscripts}: '{c}' of the result is in no operand")
    views = []
    for n, (letters, array) in enumerate(zip(inputs, operands)):
        if len(letters) != array.ndim:
            raise _errors.InputError(f"einsum {subscripts}: operand {n + 1} has {array.ndim} indexes, "
                                     f"not the {len(letters)} of '{letters}'")
        unique = "".join(dict.fromkeys(letters))
        views.append(array if unique == letters else _diagonal(array, letters, subscripts))
        inputs[n] = unique
    _drop_ones(inputs, views)
    return inputs, output, views


def note_extents(extents: dict[str, int], letters: str, array: Operand, subscripts: str) -> None:
    """Adds those of an operand. Raises InputError where a letter has another one already."""
    for letter, extent in zip(letters, array.shape):
        if extents.setdefault(letter, extent) != extent:
            raise _errors.InputError(f"einsum {subscripts}: '{letter}' is {extents[letter]} in one place and "
                                     f"{extent} in another")


def _diagonal(array: Operand, letters: str, subscripts: str) -> Operand:
    """Where a letter stands twice, both indexes are the same."""
    extents: dict[str, int] = {}
    note_extents(extents, letters, array, subscripts)
    if isinstance(array, BlockSource):
        return array.diagonal([list(extents).index(letter) for letter in letters])
    return np.asarray(np.einsum(f"{letters}->{''.join(extents)}", array))


def _drop_ones(inputs: list[str], views: list[Operand]) -> None:
    """As in NumPy, an extent of 1 goes with any other extent of the letter: the operand is taken not to
    have the letter. Changes both lists."""
    longer = {c for letters, array in zip(inputs, views) for c, extent in zip(letters, array.shape)
              if extent != 1}
    for n, (letters, array) in enumerate(zip(inputs, views)):
        keeps = [extent != 1 or c not in longer for c, extent in zip(letters, array.shape)]
        if not all(keeps):
            part = array[tuple(slice(None) if keep else 0 for keep in keeps)]
            views[n] = part if isinstance(part, BlockSource) else np.asarray(part)
            inputs[n] = "".join(c for c, keep in zip(letters, keeps) if keep)


def _expand(inputs: list[str], operands: list[Operand],
            subscripts: str) -> tuple[list[str], str]:
    """Puts letters in place of an ellipsis."""
    if "..." not in "".join(inputs):
        return inputs, ""
    used = set("".join(inputs))
    free = [c for c in _letters if c not in used]
    most = max(a.ndim - len(t) + 3 for t, a in zip(inputs, operands) if "..." in t)
    rest = "".join(free[:most])
    expanded = []
    for letters, array in zip(inputs, operands):
        hidden = array.ndim - len(letters) + 3
        if "..." in letters and hidden < 0:
            raise _errors.InputError(f"einsum {subscripts}: an operand has too few indexes")
        expanded.append(letters.replace("...", rest[most - hidden:]))
    return expanded, rest


def term_of(number: int, letters: str, array: Operand) -> Term:
    """The operand with its letters in the order of memory, the fastest first."""
    order = sorted(range(array.ndim), key=lambda k: (abs(array.strides[k]), -k))
    return Term(f"op{number}", "".join(letters[k] for k in order), array.transpose(order))
