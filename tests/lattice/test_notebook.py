#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cells of examples/hubbard/hubbard.ipynb, one after the other. The environment: BLOCKYARD."""

import json
import os
import pathlib

BLOCKYARD = pathlib.Path(os.environ["BLOCKYARD"])
NOTEBOOK = pathlib.Path(__file__).resolve().parents[2] / "examples/hubbard/hubbard.ipynb"

os.environ["PATH"] = f"{BLOCKYARD.parent}:{os.environ['PATH']}"
os.environ["MPLBACKEND"] = "Agg"
names = {}
for cell in json.loads(NOTEBOOK.read_text())["cells"]:
    if cell["cell_type"] == "code":
        exec(compile("".join(cell["source"]), f"{NOTEBOOK.name}, {cell['id']}", "exec"), names)
