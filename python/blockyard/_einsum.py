# SPDX-License-Identifier: Apache-2.0
"""``Session.einsum``: a contraction of arrays as a SIAL program."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from . import _core, _errors
from ._arrays import Lending, even_segments, new_array
from ._run import execute

if TYPE_CHECKING:
    from ._session import Program, Session

# Rates to weigh plans against each other: of one core, and of a disk. What they are exactly matters
# little, since they choose among segment sizes only.
FLOPS = 3e10
DISK_BYTES = 6e8
COPY_BYTES = 4e9
BLOCK_SECONDS = 5e-5
LEAST_RUN_BYTES = 1 << 16
COPIED_RUN_BYTES = 1 << 9
MOST_ORDER = 8


class EinsumArray(np.ndarray):
    """A result of ``Session.einsum``: a NumPy array that knows where it came from."""

    plan: "Plan | None" = None

    @property
    def sial(self) -> str:
        """The program that made it."""
        if self.plan is None:
            raise AttributeError("this array is a part of a result: ask the whole one")
        return self.plan.sial


@dataclass(eq=False)
class Term:
    """An operand, or what a step makes: letters, the fastest first."""

    name: str
    letters: str
    array: np.ndarray | None = None

    def spell(self) -> str:
        return f"{self.name}[{','.join(map(_index, self.letters))}]"


@dataclass
class Step:
    left: Term
    right: Term | None
    result: Term
    summed: str


@dataclass
class Plan:
    """What an einsum does, before it does it.

    Attributes:
        subscripts: with "->".
        steps: the contractions in their order, as text.
        segments: elements of each segment, by letter.
        flops: of all contractions.
        operand_bytes, result_bytes: of the whole arrays.
        memory_bytes: what the run may use for blocks; needed_bytes: what it needs at the least.
        result_on_disk: whether the result goes to a file.
        seconds: a rough estimate, from assumed rates.
        sial: the program.
    """

    subscripts: str
    order: list[Step]
    terms: list[Term]
    output: str
    extents: dict[str, int]
    workers: int
    memory_bytes: int
    segments: dict[str, list[int]] = field(default_factory=dict)
    dtype: np.dtype = np.dtype(np.float64)
    sial: str = ""
    seconds: float = 0.0
    made: list[tuple[Step, str]] = field(default_factory=list, repr=False)

    @property
    def steps(self) -> list[str]:
        return [f"{s.left.letters[::-1]}{',' + s.right.letters[::-1] if s.right else ''}"
                f"->{s.result.letters[::-1]}" for s in self.order]

    @property
    def flops(self) -> float:
        return sum(_flops(step, self.extents) for step in self.order)

    @property
    def operand_bytes(self) -> int:
        return sum(term.array.nbytes for term in self.terms)

    @property
    def result_bytes(self) -> int:
        return 8 * _count(self.output, self.extents)

    @property
    def result_on_disk(self) -> bool:
        return self.result_bytes > self.memory_bytes // 2

    @property
    def needed_bytes(self) -> int:
        counts = {letter: len(extents) for letter, extents in self.segments.items()}
        return max(_need(step, self.extents, counts, self.workers) for step in self.order)

    def first_segments(self) -> dict[str, int]:
        """Number of the first segment of each letter: one table has those of all letters."""
        counts = [len(extents) for extents in self.segments.values()]
        return dict(zip(self.segments, itertools.accumulate(counts, initial=1)))

    def __str__(self) -> str:
        gib = 2**30
        lines = [f"einsum {self.subscripts}: {self.flops:.3g} flops, about {self.seconds:.1f} s",
                 f"  operands {self.operand_bytes / gib:.2f} GiB, result {self.result_bytes / gib:.2f} GiB"
                 + (" (to a file)" if self.result_on_disk else ""),
                 f"  memory: needs {self.needed_bytes / gib:.2f} GiB for blocks, may use "
                 f"{self.memory_bytes / gib:.2f} GiB; {self.workers} workers"]
        lines += [f"  step {n}: {text}" for n, text in enumerate(self.steps, 1)]
        lines += [f"  {letter}: {sum(extents)} in {len(extents)} segments of at most {max(extents)}"
                  for letter, extents in self.segments.items()]
        return "\n".join(lines)


def plan_einsum(session: "Session", subscripts: str, operands: list[np.ndarray]) -> Plan:
    inputs, output, operands = _parse(subscripts, operands)
    dtype = np.result_type(*operands)
    if dtype.kind not in "fiub":
        raise TypeError(f"einsum of {dtype}: blocks are float64; give real and imaginary part")
    terms = [_term(n, letters, array) for n, (letters, array) in enumerate(zip(inputs, operands), 1)]
    extents: dict[str, int] = {}
    for term in terms:
        for letter, extent in zip(term.letters, term.array.shape):
            if extents.setdefault(letter, extent) != extent:
                raise _errors.InputError(f"einsum {subscripts}: '{letter}' is {extents[letter]} in one "
                                         f"place and {extent} in another")
    # A letter of one operand alone that is summed is contracted with ones.
    for letter in extents:
        if letter not in output and sum(letter in term.letters for term in terms) == 1:
            terms.append(Term(f"ones_{_index(letter)}", letter, np.ones(extents[letter])))
    if len(terms) == 1 and not terms[0].letters:
        terms.append(Term("ones", "", np.ones(())))
    workers = session.workers or os.cpu_count() or 1
    memory = _core.memory_bytes(str(session.memory) if session.memory is not None else "")
    plan = Plan(f"{','.join(inputs)}->{output}", [], terms, output, extents, workers, memory,
                dtype=dtype)
    if 0 in extents.values():
        return plan
    plan.order = _order(terms, output, extents, memory)
    for step in plan.order:
        for term in (step.left, step.right, step.result):
            if term is not None and len(term.letters) > MOST_ORDER:
                raise _errors.InputError(f"einsum {subscripts}: an array of {len(term.letters)} "
                                         f"indexes; blocks have at most {MOST_ORDER}")
    _fit(session, plan)
    return plan


def _fit(session: "Session", plan: Plan) -> None:
    """Chooses the segments. The estimate of what they need is checked by the memory plan of the
    run itself, which knows the rest; if that says no, smaller ones are tried."""
    share = 0.85
    while True:
        plan.segments, plan.seconds = _segments(plan, int(plan.memory_bytes * share))
        plan.sial = _program(plan)
        try:
            _prepare(session, plan)
            return
        except _errors.OutOfMemory:
            share *= 0.8
            if share < 0.1:
                raise


def _prepare(session: "Session", plan: Plan) -> _core.Job:
    table = [extent for extents in plan.segments.values() for extent in extents]
    return session._prepare(session.compile(plan.sial), None, {"ao": table},
                            memory=plan.memory_bytes)


def run_plan(session: "Session", plan: Plan, out: np.ndarray | None) -> EinsumArray | float:
    shape = [plan.extents[letter] for letter in plan.output]
    if out is not None and (list(out.shape) != shape or out.dtype != np.float64):
        raise _errors.InputError(f"out must be float64 of shape {tuple(shape)}")
    array = out
    if array is None:
        session._made += 1
        array = new_array(shape, "C", not plan.result_on_disk, session._folder,
                          f"einsum-{session._made}")
    if plan.order:
        total = _run(session, plan, array)
        if not plan.output:
            array[...] = total
    elif out is not None:
        array[...] = 0.0
    if out is None and plan.dtype != np.float64:
        array = (np.rint(array) if plan.dtype.kind in "iu" else array).astype(plan.dtype)
    if not plan.output and out is None:
        return array[()]
    result = array.view(EinsumArray)
    result.plan = plan
    return result


def _run(session: "Session", plan: Plan, array: np.ndarray) -> float:
    job = _prepare(session, plan)
    lending = Lending(job)
    try:
        for term in plan.terms:
            if term.letters:
                lending.give(term.name, term.array)
        if plan.output:
            letters = plan.output[::-1]
            first = plan.first_segments()
            job.write_to("write_result", array.T, [first[letter] for letter in letters],
                         [plan.segments[letter] for letter in letters])
        results, _ = execute(job, quiet=True, progress=session.progress)
    finally:
        lending.close()
    return results.scalars.get("total", 0.0)


# The subscripts ---------------------------------------------------------------------------------


def _parse(subscripts: str, operands: list[np.ndarray]) -> tuple[list[str], str, list[np.ndarray]]:
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
        views.append(array if unique == letters else np.einsum(f"{letters}->{unique}", array))
        inputs[n] = unique
    return inputs, output, views


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


def _term(number: int, letters: str, array: np.ndarray) -> Term:
    """The operand with its letters in the order of memory, the fastest first."""
    order = sorted(range(array.ndim), key=lambda k: (abs(array.strides[k]), -k))
    return Term(f"op{number}", "".join(letters[k] for k in order), array.transpose(order))


def _index(letter: str) -> str:
    """SIAL does not know upper from lower case."""
    return letter if letter.islower() else f"{letter.lower()}_"


# The order of contractions ----------------------------------------------------------------------


def _count(letters: str, extents: dict[str, int]) -> int:
    return math.prod(extents[letter] for letter in letters)


def _flops(step: Step, extents: dict[str, int]) -> float:
    return 2.0 * _count("".join(dict.fromkeys(step.result.letters + step.summed)), extents)


def _order(terms: list[Term], output: str, extents: dict[str, int], memory: int) -> list[Step]:
    """Pairs of least cost: the best of all orders for a few operands, else the next best pair. The
    cost is the time of the flops, and of moving what is made in between: to disk if it is large."""
    if len(terms) == 1:
        return [Step(terms[0], None, Term("result", output[::-1]), "")]
    best = _best_tree if len(terms) <= 6 else _greedy_tree
    steps: list[Step] = []

    def build(tree) -> Term:
        if isinstance(tree, int):
            return terms[tree]
        left, right = build(tree[0]), build(tree[1])
        is_last = tree is root
        letters = output[::-1] if is_last else tree[2]
        summed = "".join(c for c in dict.fromkeys(left.letters + right.letters) if c not in letters)
        result = Term("result" if is_last else f"mid{len(steps) + 1}", letters)
        steps.append(Step(left, right, result, summed))
        return result

    root = best([term.letters for term in terms], output, extents, memory)
    build(root)
    return steps


def _pair(left: str, right: str, others: str) -> str:
    """Letters of a product that somebody still wants, in the order of the operands."""
    return "".join(c for c in dict.fromkeys(left + right) if c in others)


def _cost(left: str, right: str, made: str, extents: dict[str, int], memory: int) -> float:
    both = "".join(dict.fromkeys(left + right))
    size = 8 * _count(made, extents)
    rate = DISK_BYTES if size > memory // 2 else COPY_BYTES
    return 2.0 * _count(both, extents) / FLOPS + 2 * size / rate


def _best_tree(letters: list[str], output: str, extents: dict[str, int], memory: int):
    count = len(letters)
    everything = (1 << count) - 1

    def wanted(mask: int) -> str:
        return "".join(letters[n] for n in range(count) if not mask >> n & 1) + output

    found: dict[int, tuple[float, object, str]] = {1 << n: (0.0, n, letters[n]) for n in range(count)}
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


def _greedy_tree(letters: list[str], output: str, extents: dict[str, int], memory: int):
    left = [(n, text) for n, text in enumerate(letters)]
    while len(left) > 1:
        def cost(pair: tuple[int, int]) -> float:
            others = output + "".join(t for k, (_, t) in enumerate(left) if k not in pair)
            one, two = left[pair[0]][1], left[pair[1]][1]
            return _cost(one, two, _pair(one, two, others), extents, memory)

        i, j = min(itertools.combinations(range(len(left)), 2), key=cost)
        others = output + "".join(t for k, (_, t) in enumerate(left) if k not in (i, j))
        made = _pair(left[i][1], left[j][1], others)
        tree = (left[i][0], left[j][0], made)
        left = [entry for k, entry in enumerate(left) if k not in (i, j)] + [(tree, made)]
    return left[0][0]


# Sizes of segments ------------------------------------------------------------------------------


def _block(letters: str, extents: dict[str, int], counts: dict[str, int]) -> int:
    """Elements of the largest block."""
    return math.prod(-(-extents[c] // counts[c]) for c in letters)


def _terms_of(step: Step) -> list[Term]:
    return [term for term in (step.left, step.right) if term is not None]


def _need(step: Step, extents: dict[str, int], counts: dict[str, int], workers: int) -> int:
    """Bytes that a step needs: blocks of the workers, room to permute them, and what servers must
    hold at the least (a pool rounds up by an eighth)."""
    made = 8 * _block(step.result.letters, extents, counts)
    read = [8 * _block(term.letters, extents, counts) for term in _terms_of(step)]
    largest = max([*read, made if step.result.name != "result" else 0])
    return int(1.13 * (workers * (2 * made + 3 * sum(read)) + 8 * largest)) + workers * 2**22 + 2**21


def _is_on_disk(term: Term, plan: Plan) -> bool:
    if term.array is None:
        return 8 * _count(term.letters, plan.extents) > plan.memory_bytes // 2
    root = term.array
    while isinstance(root.base, np.ndarray):
        root = root.base
    return isinstance(root, np.memmap)


def _run_bytes(term: Term, plan: Plan, counts: dict[str, int]) -> int:
    """How much of a block lies in one piece."""
    run = 8
    for letter in term.letters:
        run *= -(-plan.extents[letter] // counts[letter])
        if counts[letter] > 1:
            break
    return run


def _panel(term: Term, step: Step, plan: Plan, counts: dict[str, int]) -> int:
    """Bytes of an operand for one block of the result: over all segments of what is summed."""
    return 8 * _block(term.letters, plan.extents, {**counts, **dict.fromkeys(step.summed, 1)})


def _read(term: Term, step: Step, plan: Plan, counts: dict[str, int],
          is_held: bool) -> tuple[float, bool]:
    """Time to read an operand as often as the step wants it, and whether it is first copied block by
    block: a block that lies in many pieces in the file is then read in one."""
    size = 8 * _count(term.letters, plan.extents)
    panel = _panel(term, step, plan, counts)
    is_split = any(counts[c] > 1 for c in step.summed if c in term.letters)
    again = math.prod(counts[c] for c in step.result.letters if c not in term.letters)
    times = 1 if is_held and (not is_split or panel < plan.memory_bytes // 8) else again
    if not _is_on_disk(term, plan):
        return size * times / COPY_BYTES, False
    if size < plan.memory_bytes // 8:
        return size / DISK_BYTES + size * times / COPY_BYTES, False
    if term.array is None:
        return size * times / DISK_BYTES, False
    # Pieces of a panel that lie side by side in the file are read close to each other, so that
    # the disk sees runs of the panel; copying them is slow all the same.
    near = dict.fromkeys(step.summed, 1) if panel < plan.memory_bytes // 5 else {}
    waste = LEAST_RUN_BYTES / _run_bytes(term, plan, {**counts, **near})
    waste += COPIED_RUN_BYTES / _run_bytes(term, plan, counts)
    direct = size * times / DISK_BYTES * (1 + waste)
    copied = size / DISK_BYTES * (2 + waste + times)
    return min((direct, False), (copied, True))


def _reading_seconds(step: Step, plan: Plan, counts: dict[str, int]) -> tuple[float, Term]:
    """Time to read the operands, and the one to hold: its letters are the outer ones of the loop
    over the result, so that it is read once if its panel stays in memory, while the other one is
    read again for each of its panels."""
    terms = _terms_of(step)
    return min(((sum(_read(term, step, plan, counts, term is held)[0] for term in terms), held)
                for held in terms), key=lambda pair: pair[0])


def _seconds(step: Step, plan: Plan, counts: dict[str, int]) -> float:
    """Time of a step for these numbers of segments: the longer of computing and reading, which go on
    at the same time."""
    extents, result = plan.extents, step.result.letters
    blocks = math.prod(counts[c] for c in result or step.summed)
    loops = blocks * (math.prod(counts[c] for c in step.summed) if result else 1)
    left = set(step.left.letters)
    right = set(step.right.letters) if step.right is not None else set()
    m, n, k = (_block(letters, extents, counts) for letters in (
        "".join(c for c in result if c in left - right),
        "".join(c for c in result if c in right - left), step.summed))
    efficiency = m / (m + 16) * n / (n + 16) * k / (k + 64) if step.right is not None else 0.05
    busy = -(-blocks // plan.workers) * plan.workers / blocks
    compute = _flops(step, extents) / (FLOPS * max(efficiency, 1e-3)) * busy / plan.workers
    made = 8 * _count(result, extents)
    moved, _ = _reading_seconds(step, plan, counts)
    if made > plan.memory_bytes // 2:
        moved += made / DISK_BYTES
    packed = 2 * made * math.prod(counts[c] for c in step.summed)
    for term in _terms_of(step):
        again = math.prod(counts[c] for c in result if c not in term.letters)
        packed += 8 * _count(term.letters, extents) * again
    compute += packed / COPY_BYTES / plan.workers
    return max(compute, moved) + 0.1 * min(compute, moved) + loops * BLOCK_SECONDS / plan.workers


def _segments(plan: Plan, most: int) -> tuple[dict[str, list[int]], float]:
    """Splits one index or two at a time, those that help most, until all fits and nothing gets
    faster. Fewer segments are better where it makes no difference."""
    counts = {letter: 1 for letter in plan.extents}

    def value(trial: dict[str, int]) -> tuple[bool, float]:
        need = max(_need(step, plan.extents, trial, plan.workers) for step in plan.order)
        time = sum(_seconds(step, plan, trial) for step in plan.order)
        return need > most, time * max(1.0, need / most) ** 2

    def splits(letter: str) -> list[int]:
        extent, count = plan.extents[letter], counts[letter]
        # Those after which the largest segment is smaller.
        smaller = -(-extent // count) - 1
        nexts = {-(-extent // smaller) if smaller else count, 2 * count, 4 * count}
        return [n for n in sorted(nexts) if count < n <= extent]

    best = value(counts)
    while True:
        trials = [{**counts, letter: n} for letter in counts for n in splits(letter)]
        trials += [{**counts, one: n, two: n2}
                   for one, two in itertools.combinations(counts, 2)
                   for n in splits(one) for n2 in splits(two)]
        if not trials:
            break
        trial = min(trials, key=value)
        if not best[0] and value(trial)[1] >= best[1] * 0.995:
            break
        counts, best = trial, value(trial)
    if best[0]:
        need = max(_need(step, plan.extents, counts, plan.workers) for step in plan.order)
        raise _errors.OutOfMemory(f"einsum needs {need / 2**20:.0f} MiB for blocks even with the "
                                  f"smallest segments, and may use {most / 2**20:.0f} MiB")
    _lay_out(plan, counts)
    return ({letter: even_segments(plan.extents[letter], -(-plan.extents[letter] // count))
             for letter, count in counts.items()}, best[1])


def _lay_out(plan: Plan, counts: dict[str, int]) -> None:
    """The steps of the program: the contractions, each after copies of operands that need one."""
    plan.made = []
    for step in plan.order:
        held = _reading_seconds(step, plan, counts)[1]
        terms = []
        for term in _terms_of(step):
            if _read(term, step, plan, counts, term is held)[1]:
                copy = Term(f"blocks_of_{term.name}", term.letters)
                plan.made.append((Step(term, None, copy, ""), term.name))
                terms.append(copy)
            else:
                terms.append(term)
        outer = terms[_terms_of(step).index(held)].name
        plan.made.append((Step(terms[0], terms[1] if len(terms) > 1 else None, step.result,
                               step.summed), outer))


# The program ------------------------------------------------------------------------------------


def _program(plan: Plan) -> str:
    lines = [f"# einsum {plan.subscripts}", "sial einsum"]
    for letter, first in plan.first_segments().items():
        lines.append(f"  aoindex {_index(letter)} = {first}:{first + len(plan.segments[letter]) - 1}"
                     f"    # {plan.extents[letter]} elements")
    for term in plan.terms:
        lines.append(f"  distributed {term.spell()}" if term.letters
                     else f"  scalar {term.name} = {float(term.array)!r}")
    for number, (step, _) in enumerate(plan.made, 1):
        if step.result.letters:
            lines.append(f"  temp t{number}[{','.join(map(_index, step.result.letters))}]")
        if step.result.name != "result":
            lines.append(f"  distributed {step.result.spell()}" if step.result.letters
                         else f"  scalar {step.result.name}")
    if not plan.output:
        lines += ["  scalar part", "  scalar total"]
    else:
        lines.append("  special write_result r")
    for number, (step, held) in enumerate(plan.made, 1):
        lines += _step_lines(number, step, held)
    return "\n".join(lines + ["endsial einsum", ""])


def _step_lines(number: int, step: Step, held: str) -> list[str]:
    terms = _terms_of(step)
    product = "*".join(term.spell() if term.letters else term.name for term in terms)
    gets = [f"get {term.spell()}" for term in terms if term.letters]
    if not step.result.letters:
        return _scalar_lines(step, product, gets)
    made = Term(f"t{number}", step.result.letters).spell()
    # The first index of a pardo runs fastest: those of what is held are the last.
    of_held = [term.letters for term in terms if term.name == held][0]
    inner = [c for term in terms if term.name != held for c in term.letters if c not in of_held]
    outer = ",".join(_index(c) for c in [*inner, *of_held] if c in step.result.letters)
    lines = [f"  pardo {outer}"]
    if step.summed:
        lines.append(f"    {made} = 0.0")
        lines += [f"    do {_index(c)}" for c in step.summed[::-1]]
        lines += [f"      {text}" for text in [*gets, f"{made} += {product}"]]
        lines += [f"    enddo {_index(c)}" for c in step.summed]
    else:
        lines += [f"    {text}" for text in [*gets, f"{made} = {product}"]]
    if step.result.name == "result":
        lines.append(f"    execute write_result {made}")
    else:
        lines.append(f"    put {step.result.spell()} = {made}")
    return lines + [f"  endpardo {outer}", "  sip_barrier"]


def _scalar_lines(step: Step, product: str, gets: list[str]) -> list[str]:
    """A full contraction: the sum over the workers of what each one has."""
    name = "total" if step.result.name == "result" else step.result.name
    if not step.summed:
        return [f"  {name} = {product}"]
    outer = ",".join(map(_index, step.summed[::-1]))
    return ["  part = 0.0" if name == "total" else f"  {name} = 0.0", f"  pardo {outer}",
            *[f"    {text}" for text in gets], f"    part += {product}", f"  endpardo {outer}",
            f"  collective {name} += part"]
