# SPDX-License-Identifier: Apache-2.0
"""Pieces of programs in the style of ACES4, as files that editors know: pieces/NAME.sialx."""

import pathlib
import string

FOLDER = pathlib.Path(__file__).parent / "pieces"


def piece(name, **others):
    """The text of a piece, with others where it says ${NAME}."""
    return string.Template((FOLDER / f"{name}.sialx").read_text(encoding="utf-8")).substitute(others)
