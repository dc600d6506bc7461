# SPDX-License-Identifier: Apache-2.0
"""Where the program, our SIAL programs and the basis sets lie: in the wheel, or in a clone."""

from __future__ import annotations

import os
from pathlib import Path

from . import _core

_package = Path(__file__).parent
_share = _package / "share" / "blockyard"


def places(imports: list[str] | None = None) -> _core.Places:
    result = _core.Places()
    if _share.is_dir():
        result.programs = str(_share / "sialib")
        result.basis_sets = str(_share / "basis")
    else:
        source = Path(_core.source_folder)
        result.programs = str(source / "sialib")
        result.basis_sets = str(source / "share" / "basis")
    result.plugins = str(_plugins())
    result.imports = [os.fspath(folder) for folder in imports or []]
    return result


def _plugins() -> Path:
    """The folder of device plug-ins: next to the program in a build, else in the library folder."""
    built = Path(_core.__file__).parent.parent.parent / "plugins"
    return built if built.is_dir() else _package / _core.plugin_folder


def command() -> str:
    """The program ``blockyard`` that came with this package."""
    for candidate in (_package / "bin" / "blockyard",
                      Path(_core.__file__).parent.parent.parent / "blockyard"):
        if candidate.is_file():
            return str(candidate)
    raise FileNotFoundError("the program blockyard is not next to the Python package")
