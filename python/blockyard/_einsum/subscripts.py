# SPDX-License-Identifier: Apache-2.0
"""The subscripts: letters of each operand and of the result."""

from __future__ import annotations

import numpy as np

from .. import _errors
from .terms import Term


def parse(subscripts: str, operands: list[np.ndarray]) -> tuple[list[str], str, list[np.ndarray]]:
    """Letters of each operand and of the result; an operand with a letter twice becomes a view of
    its diagonal."""
    if not isinstance(subscripts, str):
        raise TypeError("einsum: the first argument is a text like 'ij,jk->ik'; lists of numbers are not taken")
    text = subscripts.replace(" ", "")
    left, arrow, output = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(operands):
        raise _errors.InputError(f"einsum {subscripts}: {len(inputs)} terms, {len(operands)} operands")
    inputs, rest = _expand(inputs, operands, subscripts)
    if not arrow:
        counts = "".join(inputs)
        output = rest + "".join(sorted(c for c in set(counts) if counts.count(c) == 1 and c not in rest))
    else:
        output = output.replace("...", rest)
    known = set("".join(inputs))
    if not all(c.isascii() and c.isalpha() for c in known | set(output)):
        raise _errors.InputError(f"einsum {subscripts}: indexes are letters")
    if len(set(output)) != len(output) or not set(output) <= known:
        raise _errors.InputError(f"einsum {subscripts}: a letter of the result stands twice there, or "
                                 f"in no operand")
    views = []
    for n, (letters, array) in enumerate(zip(inputs, operands)):
        if len(letters) != array.ndim:
            raise _errors.InputError(f"einsum {subscripts}: operand {n + 1} has {array.ndim} indexes, "
                                     f"not {len(letters)}")
        unique = "".join(dict.fromkeys(letters))
        views.append(array if unique == letters else _diagonal(array, letters, subscripts))
        inputs[n] = unique
    _drop_ones(inputs, views)
    return inputs, output, views


def note_extents(extents: dict[str, int], letters: str, array: np.ndarray, subscripts: str) -> None:
    """Adds those of an operand. Raises InputError where a letter has another one already."""
    for letter, extent in zip(letters, array.shape):
        if extents.setdefault(letter, extent) != extent:
            raise _errors.InputError(f"einsum {subscripts}: '{letter}' is {extents[letter]} in one place and "
                                     f"{extent} in another")


def _diagonal(array: np.ndarray, letters: str, subscripts: str) -> np.ndarray:
    """Where a letter stands twice, both indexes are the same."""
    extents: dict[str, int] = {}
    note_extents(extents, letters, array, subscripts)
    return np.asarray(np.einsum(f"{letters}->{''.join(extents)}", array))


def _drop_ones(inputs: list[str], views: list[np.ndarray]) -> None:
    """As in NumPy, an extent of 1 goes with any other extent of the letter: the operand is taken not to
    have the letter. Changes both lists."""
    longer = {c for letters, array in zip(inputs, views) for c, extent in zip(letters, array.shape)
              if extent != 1}
    for n, (letters, array) in enumerate(zip(inputs, views)):
        keeps = [extent != 1 or c not in longer for c, extent in zip(letters, array.shape)]
        if not all(keeps):
            views[n] = np.asarray(array[tuple(slice(None) if keep else 0 for keep in keeps)])
            inputs[n] = "".join(c for c, keep in zip(letters, keeps) if keep)


def _expand(inputs: list[str], operands: list[np.ndarray],
            subscripts: str) -> tuple[list[str], str]:
    """Puts letters in place of an ellipsis."""
    if "..." not in "".join(inputs):
        return inputs, ""
    used = set("".join(inputs))
    free = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if c not in used]
    most = max(a.ndim - len(t) + 3 for t, a in zip(inputs, operands) if "..." in t)
    rest = "".join(free[:most])
    expanded = []
    for letters, array in zip(inputs, operands):
        hidden = array.ndim - len(letters) + 3
        if "..." in letters and hidden < 0:
            raise _errors.InputError(f"einsum {subscripts}: an operand has too few indexes")
        expanded.append(letters.replace("...", rest[most - hidden:]))
    return expanded, rest


def term_of(number: int, letters: str, array: np.ndarray) -> Term:
    """The operand with its letters in the order of memory, the fastest first."""
    order = sorted(range(array.ndim), key=lambda k: (abs(array.strides[k]), -k))
    return Term(f"op{number}", "".join(letters[k] for k in order), array.transpose(order))
