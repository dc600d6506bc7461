# SPDX-License-Identifier: Apache-2.0
"""Errors, by what a caller can do about them."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


class Error(Exception):
    """Base of all errors of Blockyard.

    Attributes:
        file: SIAL or job file where it happened, or None.
        line: line in it, from 1, or None.
        result: what the run returns otherwise, where only a file of it could not be written, or None.
    """

    file: str | None = None
    line: int | None = None
    result: Any = None


class InputError(Error, ValueError):
    """The input is wrong: a job file, a program at run time, a shape or a constant."""


class CompileError(InputError):
    """A SIAL program has errors. ``str()`` shows each with its line and a caret.

    Attributes:
        diagnostics: all findings, in the order of the source.
    """

    diagnostics: list["Diagnostic"]


class NotConverged(InputError):
    """The iterations of a method did not converge. ``str()`` says what to try.

    Attributes:
        result: a ``Result`` with the results so far; its ``converged`` is False.
    """


class OutOfMemory(Error, MemoryError):
    """The memory of the run is too small."""


class StorageError(Error, OSError):
    """A file cannot be read or written."""


class CommunicationError(Error, RuntimeError):
    """The ranks of a run cannot communicate, or the run was stopped from outside."""


class DeviceError(Error, RuntimeError):
    """An accelerator failed."""


class InternalError(Error, RuntimeError):
    """A bug of Blockyard. Please report it."""


@dataclass(frozen=True)
class Diagnostic:
    """One finding about a SIAL source. Lines and columns count from 1."""

    severity: str
    code: str
    file: str
    line: int
    column: int
    length: int
    message: str
    hint: str


def near(name: str, known: Iterable[str]) -> str:
    """The end of a message that suggests a similar name."""
    found = difflib.get_close_matches(name, list(known), 1)
    return f" (did you mean {found[0]!r}?)" if found else ""


# In the order of base::Errc.
_classes = (InputError, OutOfMemory, StorageError, CommunicationError, DeviceError, InternalError)
_place = re.compile(r"^([^\s:][^:\n]*):(\d+):")


def make(code: int, text: str) -> Error:
    """The exception for an error of the compiled part."""
    from ._keywords import in_python  # which needs the compiled part

    text = in_python(text)
    error = _classes[code](text)
    if found := _place.match(text):
        error.file, error.line = found[1], int(found[2])
    return error


def diagnostics(text: str) -> list[Diagnostic]:
    return [Diagnostic(**entry) for entry in json.loads(text)["diagnostics"]]


def compile_error(found: str, text: str) -> CompileError:
    error = CompileError(text.rstrip())
    error.diagnostics = diagnostics(found)
    first = next(d for d in error.diagnostics if d.severity == "error")
    error.file, error.line = first.file, first.line
    return error


def warn_of(found: str) -> None:
    """Passes the warnings of the compiler on to Python's."""
    import warnings

    for finding in diagnostics(found):
        if finding.severity == "warning":
            text = f"{finding.file}:{finding.line}: {finding.message}"
            warnings.warn(text, SialWarning, stacklevel=4)


class SialWarning(UserWarning):
    """A warning of the compiler about a program."""


class InputWarning(UserWarning):
    """An input has a keyword that is unknown or has no effect."""
