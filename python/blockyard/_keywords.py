# SPDX-License-Identifier: Apache-2.0
"""Keywords that come from the tables of options: those of a run (blockyard/input/run_options.cpp) and of [method]
(blockyard/input/method_options.cpp). Their types are in ``_options``."""

from __future__ import annotations

import inspect
import os
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from . import _core, _errors

Function = TypeVar("Function", bound=Callable[..., Any])


class RunOption(NamedTuple):
    """A row of the table. ``form``: "count", "truth", "text", "time", "path", "paths", "count or text"."""

    key: str
    form: str
    help: str
    default: str
    is_of_session: bool
    is_of_resume: bool

    @property
    def keyword(self) -> str:
        """The name in Python: the key, with an s where the value is a list."""
        return f"{self.key}s" if self.form == "paths" else self.key

    def text(self, *, has_default: bool) -> str:
        """Its line of the documentation."""
        more = "; a number means seconds" if self.form == "time" else ""
        default = f" (default: {self.default})" if self.default and has_default else ""
        return f"{self.keyword}: {self.help}{more}{default}."


run_options = {option.keyword: option for option in map(RunOption._make, _core.run_options())}
method_options = dict(_core.method_options())
#: Of `blockyard run` and `blockyard plan` that are no rows of the table.
_named_alike = {"basis", "cube", "fcidump", "iterations", "json", "method", "molden", "qcschema", "report", "segments", "steps", "trace"}
#: What stands between backquotes is a command, and stays. A word after an option is its value where it begins with a digit.
_option = re.compile(r"`[^`]*`|--set (?P<constant>\w+)=\.\.\.|--segments (?P<kind>\w+)=\.\.\."
                     r"|--(?P<key>[a-z][a-z-]*[a-z])(?: (?P<value>\d[\w.]*|(?<=--device )[^\s:;,]+))?")


def takes(options: Any, *, has_defaults: bool = True) -> Callable[[Function], Function]:
    """Decorator of a function with ``**options``: its signature names the keys of ``options``, a TypedDict, and no private
    keywords, and its documentation describes those of a run, in place of ``{options}``, with their defaults if it has them."""
    def show(function: Function) -> Function:
        signature = inspect.signature(function)
        named = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD and p.name[0] != "_"]
        more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None,
                                  annotation=getattr(type_, "__forward_arg__", type_))
                for name, type_ in in_order(options.__annotations__)]
        function.__signature__ = signature.replace(parameters=[*named, *more])  # type: ignore[attr-defined]
        function.__doc__ = with_options(function.__doc__, options, has_defaults=has_defaults)
        return function

    return show


def in_order(types: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The keywords with their types, in the order of the tables."""
    return [(name, types[name]) for name in (*run_options, *method_options) if name in types]


def with_options(documentation: str | None, options: Any, *, has_defaults: bool = True) -> str | None:
    """A documentation with the lines of these options instead of ``{options}``."""
    lines = [textwrap.fill(run_options[name].text(has_default=has_defaults), 115, initial_indent=" " * 8, subsequent_indent=" " * 12)
             for name, _ in in_order(options.__annotations__) if name in run_options]
    return documentation and documentation.replace("        {options}", "\n".join(lines))


def in_python(text: str) -> str:
    """A message in which the options of the command line are the keywords of Python."""
    return _option.sub(_keyword_of, text)


def _keyword_of(found: re.Match[str]) -> str:
    if found["constant"]:
        return f'constants={{"{found["constant"]}": ...}}'
    if found["kind"]:
        return f'segments={{"{found["kind"]}": ...}}'
    name = (found["key"] or "").replace("-", "_")
    if name == "super":
        return "supers= or Session.super"
    if name not in run_options and name not in _named_alike:
        return found[0]
    value = found["value"] or ""
    return f"{name}={value}" if value.isdecimal() or not value else f'{name}="{value}"'


def refuse_unknown(function: Callable[..., Any], given: Iterable[str]) -> None:
    """Raises TypeError for a keyword that the function does not have."""
    known = inspect.signature(function).parameters
    for name in given:
        if name not in known:
            raise TypeError(f"{function.__name__}() has no keyword {name!r}{_errors.near(name, known)}")


def option_pairs(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The options of a run among these, as keys and texts in the order of the table: ``device`` comes before its options.
    A list is several pairs; None is left out."""
    return [(option.key, _text_of(option, value))
            for name, option in run_options.items() if options.get(name) is not None
            for value in (listed(options[name]) if option.form == "paths" else [options[name]])]


def listed(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str]:
    """A path that stands alone is a list of one, not of its letters."""
    return [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]


def _text_of(option: RunOption, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if option.form == "time" and not isinstance(value, str):
        return f"{value}s"
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)
