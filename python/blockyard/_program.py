# SPDX-License-Identifier: Apache-2.0
"""A compiled SIAL program, and the results of one in a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _core, _errors
from ._arrays import BlockArray
from ._places import places
from ._result import Result, ToldResults
from .ga import GlobalArray


@dataclass(frozen=True)
class ArrayInfo:
    """An array as a program declares it.

    ``kind``: "static", "temp", "local", "distributed" or "served"; ``indexes``: names, the fastest
    first; ``is_written``: some statement puts to it.
    """

    kind: str
    indexes: tuple[str, ...]
    is_written: bool


class Program:
    """A compiled SIAL program. Made by ``Session.compile``.

    Attributes:
        name: after the word ``sial``.
        arrays: every array that is declared and used, by name.
        constants: names that a job must give (predefined ints and scalars).
    """

    def __init__(self, file: str, text: str | None, imports: Sequence[str]):
        self.file = file
        self._text = text
        self._imports = list(imports)
        compiled, found, told = _core.compile(file, self.places())
        if compiled is None:
            raise _errors.compile_error(found, told)
        _errors.warn_of(found)
        self._compiled = compiled
        self.name: str = compiled.name
        self.arrays = {name: ArrayInfo(kind, indexes, is_written)
                       for name, kind, indexes, is_written in compiled.arrays()}
        self.constants: list[str] = compiled.constants()

    def places(self) -> _core.Places:
        where = places(self._imports)
        if self._text is not None:
            where.add_text(self.file, self._text)
        return where

    @property
    def text(self) -> str:
        """The source."""
        if self._text is None:
            with open(self.file, encoding="utf-8") as source:
                return source.read()
        return self._text

    @property
    def bytecode(self) -> str:
        """The compiled program as text."""
        return self._compiled.print()

    def __repr__(self) -> str:
        return f"<SIAL program {self.name}>"


class SessionResult(Result):
    """The results of a program in a session. ``result["c"]`` is an array of the program at its end:
    a NumPy array if it is static, a ``BlockArray`` if it is distributed or served, or the global array
    of ``keep``.

    Attributes:
        lent_blocks, copied_blocks: the number of blocks of global arrays, in this process, that the servers used in
            place, and that were copied.
    """

    def __init__(self, results: _core.Results | ToldResults, text: str,
                 kept: Mapping[str, BlockArray | GlobalArray], exchanged: tuple[int, int] = (0, 0)):
        super().__init__(results, text)
        self.distributed = dict(kept)
        self.lent_blocks, self.copied_blocks = exchanged

    def __getitem__(self, name: str) -> BlockArray | Any:
        name = name.lower()
        if name in self.distributed:
            return self.distributed[name]
        return self.arrays[name]
