# SPDX-License-Identifier: Apache-2.0
"""Writes python/blockyard/_options.py, the types of keywords that are options, from the tables of the compiled part.
Usage, with the package in PYTHONPATH: python write_options.py. test_types.py compares the file with `text()`."""
from pathlib import Path

from blockyard import _keywords

FILE = Path(__file__).parents[1] / "blockyard/_options.py"
HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""Types of the keywords that are options of a run or of [method]. Made by python/tests/write_options.py from the
tables blockyard/input/run_options.cpp and method_options.cpp."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypedDict, Union

Path = Union[str, "os.PathLike[str]"]
'''
TYPES = {"count": "int", "truth": "bool", "truth or count": "bool | int", "text": "str", "word": "str", "number": "float",
         "time": "str | float", "path": "Path", "paths": "Sequence[Path]", "count or text": "int | str"}
# Session takes these by position, too.
BY_POSITION = ("workers", "memory", "scratch", "servers")


def options_class(name, base, text, forms):
    lines = [f"    {keyword}: {TYPES[form]} | None" for keyword, form in forms.items()]
    return "\n".join(["", "", f"class {name}({base}, total=False):", f'    """{text}"""', "", *lines, ""])


def text():
    def forms(is_wanted):
        return {name: option.form for name, option in _keywords.run_options.items() if is_wanted(option)}

    def is_of_session(option):
        return option.is_of_session and option.keyword not in BY_POSITION

    shared = forms(lambda option: is_of_session(option) and option.is_of_resume)

    def rest(names):
        return {name: form for name, form in names.items() if name not in shared}

    return (HEAD
            + options_class("SharedOptions", "TypedDict", "Keywords of Session, resume, run and plan.", shared)
            + options_class("SessionOptions", "SharedOptions",
                            "Keywords of Session, besides those that it takes by position.", rest(forms(is_of_session)))
            + options_class("ResumeOptions", "SharedOptions", "Keywords of resume.",
                            rest(forms(lambda option: option.is_of_resume)))
            + options_class("RunOptions", "SharedOptions",
                            "Keywords of run and plan: options of a run, then those of [method].",
                            rest(forms(lambda option: True) | _keywords.method_options)))


if __name__ == "__main__":
    FILE.write_text(text())
