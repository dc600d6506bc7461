# SPDX-License-Identifier: Apache-2.0
"""Runs the program of an expression."""

from __future__ import annotations

import math
import re
import string
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core, _errors
from .._arrays import Lending, even_segments, is_direct, overlap, require_writable
from .._einsum.run import execute_own, run_plan
from .._einsum.plan import MOST_ORDER, plan_einsum, means_of
from .._outputs import new_output, of_type, told_output
from .._run import PythonSuper
from .._sources import BlockSource, Target, is_same, is_wide
from .lower import Lowering, Program, Stored
from .nodes import Contract, Leaf, Map, Node, Operation, as_map, in_order, merged

if TYPE_CHECKING:
    from .._session import Session

_most_block = 1 << 20  # elements: where a product of blocks runs as fast as it can
_most_stream = 1 << 18  # where no block is used twice; more where a chunk has more
_parts = 6  # blocks of a worker for which there is to be room, where one begins to try
_share = 0.6  # of the memory is for blocks of the run; the rest for what NumPy makes of them


def compute(session: "Session", node: Node, out: Any = None) -> Any:
    """The values of a node as a NumPy array or a memory map, or `out`, into which they went."""
    is_alone = session.processes is None
    if out is not None and is_alone and node.ndim and isinstance(node, Leaf) and isinstance(node.array, BlockSource):
        node = as_map(node)  # block by block
    is_narrow = node.dtype.kind in "iu" and not is_wide(node.dtype)
    if out is not None and isinstance(node, Contract) and is_narrow and out.dtype != node.dtype:
        node = as_map(node)  # the lowest bits, as in NumPy, before they are converted
    if isinstance(node, Leaf) or _is_empty(node) or _is_of_numbers(node) or _most_axes(node) > MOST_ORDER:
        return _into(_own(node), out)
    assert isinstance(node, Operation)
    # Super instructions add up the integers of a block, einsum rounds them to double precision.
    is_product = isinstance(node, Contract) and (len(node.args) == 2 or not is_wide(node.dtype))
    if is_product and node.ndim and all(isinstance(arg, Leaf) for arg, _ in node.args):
        return _contract(session, node, out)  # type: ignore[arg-type]
    if out is not None:
        _check_out(node, out)
    node = merged(node)
    assert isinstance(node, Operation)
    writes = is_alone and node.ndim > 0
    if writes and out is None and _is_written_as(node):
        out = _new_output(session, node)
    goes_through = writes and out is not None and not is_direct(out, _element(node))
    target = Target(out, node.dtype) if goes_through else None
    program = Lowering(node, writes, target, is_alone).run()
    segments, job = _fit(session, program, target, lambda found: [_writer(program, found, target)] if target else [])
    lending = Lending(job)
    try:
        for leaf in program.leaves:
            array: Any = leaf.node.array  # type: ignore[attr-defined]
            lending.give(leaf.name, array.transpose(leaf.axes))
        if goes_through:
            execute_own(session, job)
            return out
        return _run(session, program, job, segments, node, out, writes)
    finally:
        lending.close()


def text_of(session: "Session", node: Node) -> str:
    """The program, with segments for the session's memory."""
    if not isinstance(node, Operation) or _is_empty(node):
        return ""
    node = merged(node)
    assert isinstance(node, Operation)
    is_alone = session.processes is None
    target = Target(np.empty(0, node.dtype), node.dtype) if is_alone and _is_written_as(node) else None
    program = Lowering(node, is_alone and node.ndim > 0, target, is_alone).run()
    return _text(program, _segments(program, _chunks(program, None), _most_block))


def _contract(session: "Session", node: Contract, out: Any) -> Any:
    letters = string.ascii_lowercase + string.ascii_uppercase
    inputs = ",".join("".join(letters[label] for label in labels) for _, labels in node.args)
    output = "".join(letters[label] for label in range(node.ndim))
    arrays = [arg.array for arg, _ in node.args]  # type: ignore[attr-defined]
    plan = plan_einsum(session, f"{inputs}->{output}", arrays)
    # What is read meanwhile, and what processes could not share, gets a copy.
    is_apart = isinstance(out, np.ndarray) and (
        plan.is_gathered and not is_direct(out, plan.element)
        or any(isinstance(one, np.ndarray) and overlap(out, one) for one in arrays))
    made = run_plan(session, plan, None if is_apart else out)
    return _into(made, out) if is_apart else made if out is None else out


def _own(node: Node) -> Any:
    """The values as NumPy computes them; of an operation no view of another array."""
    with np.errstate(all="ignore"):  # as in programs
        value = node.value()
    return value if isinstance(node, Leaf) or value.base is None else value.copy()


def _is_written_as(node: Operation) -> bool:
    """Whether super instructions write the result in its type, which is not that of the program."""
    return isinstance(node, Map) and node.ndim > 0 and node.dtype != _element(node)


def _new_output(session: "Session", node: Operation) -> np.ndarray:
    session._made += 1
    size, (_, memory) = int(np.prod(node.shape, dtype=np.int64)) * node.dtype.itemsize, means_of(session)
    made = new_output(node.shape, "C", size <= memory // 2, session._folder, f"expression-{session._made}", None, node.dtype)
    assert made is not None
    return made


def _into(value: Any, out: Any) -> Any:
    if out is None:
        return value
    # HDF5 converts no real numbers to complex ones.
    out[...] = value if isinstance(out, np.ndarray) else np.asarray(value).astype(out.dtype, copy=False)
    return out


def _is_empty(node: Node) -> bool:
    """Whether it has, or is made of, an array without elements, of which a program has no blocks."""
    return any(0 in one.shape for one in in_order(node))


def _is_of_numbers(node: Node) -> bool:
    """Whether it is a function of numbers, for which no program is needed, and which that would round."""
    return all(one.ndim == 0 and not isinstance(one, Contract) for one in in_order(node))


def _most_axes(node: Node) -> int:
    return max(len(one.extents) if isinstance(one, Operation) else one.ndim for one in in_order(node))


def _check_out(node: Node, out: Any) -> None:
    """Raises InputError where an array that is read while the result is written is that of the result, or where it
    cannot be written."""
    require_writable(out)
    for leaf in _leaves(node):
        array = leaf.array
        if (is_same(array.root, out) if isinstance(array, BlockSource) else
                isinstance(out, np.ndarray) and overlap(out, array)):
            raise _errors.InputError("out overlaps an array of the expression, which is read meanwhile")


def _leaves(node: Node) -> list[Leaf]:
    return [one for one in in_order(node) if isinstance(one, Leaf)]


def _segments(program: Program, chunks: dict[int, int], most: int) -> dict[int, list[int]]:
    """By class: as few as there can be with blocks of at most `most` elements, along the edges of chunks of
    files, since a chunk is read as a whole."""
    longest = dict(program.extents)
    for block in program.blocks:
        while np.prod([longest[number] for number in block], dtype=float) > most:
            # That with the most chunks; none is cut before all others are as short as one of theirs.
            widest = max(block, key=lambda number: (longest[number] / max(1, chunks.get(number, 1)), longest[number]))
            if longest[widest] == 1:
                break
            chunk = chunks.get(widest, 1)
            least = chunk if longest[widest] > chunk else 1
            count = -(-program.extents[widest] // max(least, min(longest[widest] - 1, longest[widest] * 3 // 4)))
            longest[widest] = max(least, -(-program.extents[widest] // count))
    return {number: _along(extent, longest[number], chunks.get(number, 0)) for number, extent in program.extents.items()}


def _chunks(program: Program, target: Target | None) -> dict[int, int]:
    """By class, of the arrays in files: the largest that is read, and whole ones of the target."""
    chunks: dict[int, int] = {}
    for leaf in [*program.leaves, *program.passing]:
        array = leaf.node.array  # type: ignore[attr-defined]
        if isinstance(array, BlockSource):
            for number, axis in zip(program.class_of(leaf), leaf.axes):
                chunks[number] = max(chunks.get(number, 0), array.chunks[axis])
    if target is not None and target.chunks:
        root = program.made[-1]
        for number, axis in zip(program.class_of(root), root.axes):
            written = target.chunks[axis]
            chunks[number] = max(1, -(-chunks.get(number, 0) // written)) * written
    return {number: chunk for number, chunk in chunks.items() if chunk > 0}


def _along(extent: int, longest: int, chunk: int) -> list[int]:
    """Segments of at most `longest`: whole chunks, or parts of one."""
    if chunk < 2 or longest >= extent:
        return even_segments(extent, longest)
    if longest >= chunk:
        whole = longest // chunk * chunk
        return [min(whole, extent - begin) for begin in range(0, extent, whole)]
    return [part for begin in range(0, extent, chunk) for part in even_segments(min(chunk, extent - begin), longest)]


def _fit(session: "Session", program: Program, target: Target | None,
         supers: Callable[[dict[int, list[int]]], list[PythonSuper]]) -> tuple[dict[int, list[int]], _core.Job]:
    """The largest blocks that the memory plan of the run accepts. `supers`: those besides the
    program's, by the segments."""
    workers, memory = means_of(session)
    largest = max((float(np.prod([program.extents[n] for n in block], dtype=float)) for block in program.blocks),
                  default=1.0)
    chunks = _chunks(program, target)
    usual = _most_block
    if program.streams:
        usual = max([_most_stream, *(int(np.prod([min(chunks.get(n, 1), program.extents[n]) for n in block]))
                                     for block in program.blocks)])
    most = int(min(usual, memory / (8 * workers * _parts), max(1024.0, largest / (2 * workers))))
    while True:
        segments = _segments(program, chunks, most)
        for name, number in program.indexes.items():
            program.places.set(name, _first(segments)[number], segments[number])
        table = [extent for extents in segments.values() for extent in extents]
        try:
            job = session._prepare(session.compile(_text(program, segments)), None, {"ao": table} if table else None,
                                   memory=int(memory * _share), supers=[*program.supers, *supers(segments)])
            if program.streams:
                job.reuse_memory()
            return segments, job
        except _errors.OutOfMemory as error:
            if most < 16:
                raise _errors.OutOfMemory(_of_session(str(error))) from None
            most //= 2


def _of_session(text: str) -> str:
    """The memory that a run asks for, as memory of the session, of which it has a share."""
    return re.sub(r'memory="(\d+)M"', lambda found: f'memory="{math.ceil(int(found[1]) / _share)}M"', text)


def _first(segments: dict[int, list[int]]) -> dict[int, int]:
    """Number of the first segment of each class in the one table that has all."""
    first, at = {}, 1
    for number, extents in segments.items():
        first[number] = at
        at += len(extents)
    return first


def _text(program: Program, segments: dict[int, list[int]]) -> str:
    first = _first(segments)
    lines = ["sial expression"]
    for name, number in program.indexes.items():
        lines.append(f"  aoindex {name} = {first[number]}:{first[number] + len(segments[number]) - 1}")
    names: dict[int, str] = {}
    for name, number in program.indexes.items():
        names.setdefault(number, name)
    is_written = any("execute write_result" in line for line in program.lines)
    for stored in [*program.leaves, *program.made]:
        if stored.axes and stored in program.made and not any(f"put {stored.name}[" in line for line in program.lines):
            continue  # it is written where it is made
        lines.append(f"  {_declaration(program, stored, names, first, segments)}")
    if is_written:
        lines.append("  special write_result r")
    return "\n".join([*lines, *(f"  {line}" for line in [*program.declared, *program.lines]), "endsial expression", ""])


def _declaration(program: Program, stored: Stored, names: dict[int, str], first: dict[int, int],
                 segments: dict[int, list[int]]) -> str:
    word = "complex " if stored.is_complex else ""
    if not stored.axes:
        return f"{word}scalar {stored.name}"
    # Two axes of one class want two indexes of the same range.
    used: dict[int, int] = {}
    indexes = []
    for number in program.class_of(stored):
        others = [name for name, one in program.indexes.items() if one == number]
        indexes.append(others[used.get(number, 0) % len(others)])
        used[number] = used.get(number, 0) + 1
    return f"{word}distributed {stored.name}[{','.join(indexes)}]"


def _element(node: Operation) -> np.dtype:
    """What the program computes a node in."""
    return np.dtype(np.complex128 if node.dtype.kind == "c" else np.float64)


def _writer(program: Program, segments: dict[int, list[int]], target: Target) -> PythonSuper:
    """The super instruction write_result for arrays that Python writes."""
    first = _first(segments)
    classes = program.class_of(program.made[-1])
    begins = [np.cumsum([0, *segments[number]]) for number in classes]

    def write(views: list[np.ndarray], at: list[list[int]], worker: int, workers: int) -> None:
        places = [int(begin[k - first[number]]) for begin, k, number in zip(begins, at[0], classes)]
        target.put(places[::-1], views[0].transpose())

    return "write_result", "r", "any", write, "", ""


def _run(session: "Session", program: Program, job: _core.Job, segments: dict[int, list[int]], node: Operation,
         out: Any, writes: bool) -> Any:
    root = program.made[-1]
    first = _first(segments)
    classes = program.class_of(root)
    place: Any = out
    element = _element(node)
    if node.ndim and not (writes and is_direct(out, element)):
        session._made += 1
        size = int(np.prod(node.shape, dtype=np.int64)) * element.itemsize
        place = new_output(node.shape, "C", size <= job.memory_bytes // 2, session._folder,
                           f"expression-{session._made}", session.processes, element)
    if writes:
        job.write_to("write_result", place.T, [first[number] for number in classes],
                     [segments[number] for number in classes])
    elif node.ndim:
        job.keep(root.name, None if place is None else place.T)
    results, _ = execute_own(session, job)
    if not node.ndim:
        value = {**results.scalars, **results.complex_scalars}[root.name]
        return _into(of_type(np.asarray(value), node.dtype)[()], out)
    if out is None and isinstance(place, np.memmap):
        place = of_type(place, node.dtype, session.processes)
    made = told_output(place, session.processes)
    if out is None:
        return of_type(made, node.dtype)
    if out is not place:
        target = Target(out, node.dtype)
        rows = max(1, (1 << 20) // max(1, int(np.prod(node.shape[1:]))))
        for begin in range(0, node.shape[0], rows):
            target.put([begin, *[0] * (node.ndim - 1)], np.asarray(made[begin:begin + rows]))
    return out
