# SPDX-License-Identifier: Apache-2.0
"""The order of contractions."""

from __future__ import annotations

import itertools
from typing import Any, Union

from .. import _errors
from .rates import COPY_BYTES, DISK_BYTES, FLOPS
from .terms import Step, Term, count

# Number of an operand, or two trees and the letters of their product.
Tree = Union[int, "tuple[Tree, Tree, str]"]


Path = list[tuple[int, ...]]


def path_of(optimize: Any, operands: int) -> Path | None:
    """The meaning of NumPy's argument: None is our own choice, which "greedy" and "optimal" leave to us;
    False takes the operands as they come; a path of numpy.einsum_path is followed, as far as it says."""
    if optimize is True or optimize is None or optimize in ("greedy", "optimal"):
        return None
    if optimize is False:
        return [(0, operands - k - 1) if k else (0, 1) for k in range(operands - 1)]
    path = list(optimize) if isinstance(optimize, (list, tuple)) else []
    if path[:1] == ["einsum_path"] and all(isinstance(step, tuple) for step in path[1:]):
        return path[1:]
    raise _errors.InputError(f"optimize is True, False, 'greedy', 'optimal' or a path of numpy.einsum_path, not "
                             f"{optimize!r}")


def order_of(terms: list[Term], output: str, extents: dict[str, int], memory: int,
             path: Path | None, operands: int) -> list[Step]:
    """Pairs of least cost: the best of all orders for a few operands, else the next best pair. The
    cost is the time of the flops, and of moving what is made in between: to disk if it is large.
    `path`: the order to take of the first ``operands`` terms, after which there are only ones."""
    if len(terms) == 1:
        return [Step(terms[0], None, Term("result", output[::-1]), "".join(c for c in terms[0].letters if c not in output))]
    best = _best_tree if len(terms) <= 6 else _greedy_tree
    steps: list[Step] = []

    def build(tree: Tree) -> Term:
        if isinstance(tree, int):
            return terms[tree]
        left, right = build(tree[0]), build(tree[1])
        is_last = tree is root
        letters = output[::-1] if is_last else tree[2]
        summed = "".join(c for c in dict.fromkeys(left.letters + right.letters) if c not in letters)
        result = Term("result" if is_last else f"mid{len(steps) + 1}", letters)
        steps.append(Step(left, right, result, summed))
        return result

    letters = [term.letters for term in terms]
    root = _path_tree(letters, output, path, operands) if path is not None else best(letters, output, extents, memory)
    build(root)
    return steps


def _pair(left: str, right: str, others: str) -> str:
    """Letters of a product that are still needed, in the order of the operands."""
    return "".join(c for c in dict.fromkeys(left + right) if c in others)


def _cost(left: str, right: str, made: str, extents: dict[str, int], memory: int) -> float:
    both = "".join(dict.fromkeys(left + right))
    size = 8 * count(made, extents)
    rate = DISK_BYTES if size > memory // 2 else COPY_BYTES
    return 2.0 * count(both, extents) / FLOPS + 2 * size / rate


def _best_tree(letters: list[str], output: str, extents: dict[str, int], memory: int) -> Tree:
    count = len(letters)
    everything = (1 << count) - 1

    def wanted(mask: int) -> str:
        return "".join(letters[n] for n in range(count) if not mask >> n & 1) + output

    found: dict[int, tuple[float, Tree, str]] = {1 << n: (0.0, n, letters[n]) for n in range(count)}
    for size in range(2, count + 1):
        for members in itertools.combinations(range(count), size):
            mask = sum(1 << n for n in members)
            part = (mask - 1) & mask
            while part:
                rest = mask ^ part
                if part < rest:
                    one, two = found[part], found[rest]
                    made = _pair(one[2], two[2], wanted(mask))
                    cost = one[0] + two[0] + _cost(one[2], two[2], made, extents, memory)
                    if mask not in found or cost < found[mask][0]:
                        found[mask] = (cost, (one[1], two[1], made), made)
                part = (part - 1) & mask
    return found[everything][1]


def _path_tree(letters: list[str], output: str, path: Path, operands: int) -> Tree:
    """Operands that a step takes go, and what it makes comes last; more than two go pair by pair. A path knows nothing of
    the ones: each goes before it into the operand whose letter it sums."""
    left: list[tuple[Tree, str]] = [(n, text) for n, text in enumerate(letters[:operands])]
    for n in range(operands, len(letters)):
        k = next(k for k, text in enumerate(letters[:operands]) if letters[n] in text)
        others = output + "".join(text for m, (_, text) in enumerate(left) if m != k) + "".join(letters[n + 1:])
        made = _pair(left[k][1], letters[n], others)
        left[k] = ((left[k][0], n, made), made)
    for step in [*path, tuple(range(len(letters)))]:
        if any(not 0 <= number < len(left) for number in step) and len(left) > 1 and step in path:
            raise _errors.InputError(f"optimize: the step {step} takes operands of which there are {len(left)}")
        taken = [left[number] for number in step if number < len(left)]
        left = [entry for number, entry in enumerate(left) if number not in step]
        while len(taken) > 1:
            (one, first), (two, second), *taken = taken
            others = output + "".join(text for _, text in [*left, *taken])
            made = _pair(first, second, others)
            taken.append(((one, two, made), made))
        left += taken
    return left[0][0]


def _greedy_tree(letters: list[str], output: str, extents: dict[str, int], memory: int) -> Tree:
    left: list[tuple[Tree, str]] = [(n, text) for n, text in enumerate(letters)]
    while len(left) > 1:
        def cost(pair: tuple[int, int]) -> float:
            others = output + "".join(t for k, (_, t) in enumerate(left) if k not in pair)
            one, two = left[pair[0]][1], left[pair[1]][1]
            return _cost(one, two, _pair(one, two, others), extents, memory)

        i, j = min(itertools.combinations(range(len(left)), 2), key=cost)
        others = output + "".join(t for k, (_, t) in enumerate(left) if k not in (i, j))
        made = _pair(left[i][1], left[j][1], others)
        tree = (left[i][0], left[j][0], made)
        left = [*(entry for k, entry in enumerate(left) if k not in (i, j)), (tree, made)]
    return left[0][0]
