# SPDX-License-Identifier: Apache-2.0
"""Jobs of other packages' molecules: written as a job file, run, and gone."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ._result import Result
from ._run import run


def _value(value: Any) -> str:
    """As TOML has it: texts, numbers and truths are as in JSON."""
    return json.dumps(value)


def run_molecule(symbols: Sequence[str], bohr: Sequence[Sequence[float]], *, method: str, basis: str,
                 charge: int = 0, multiplicity: int = 1, options: Mapping[str, Any] | None = None,
                 **wishes: Any) -> Result:
    """Runs a method. ``options`` are keys of [method]; ``wishes`` keywords of ``blockyard.run``."""
    atoms = "\n".join(" ".join([symbol, *(repr(float(part)) for part in place)])
                      for symbol, place in zip(symbols, bohr))
    lines = ["[molecule]", f'geometry = """\n{atoms}\n"""', 'units = "bohr"', f"charge = {charge}",
             f"multiplicity = {multiplicity}", "[basis]", f"name = {_value(basis)}", "[method]",
             f"name = {_value(method)}"]
    lines += [f"{key} = {_value(value)}" for key, value in (options or {}).items()]
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder) / "molecule.toml"
        job.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return run(job, quiet=True, progress=False, **wishes)
