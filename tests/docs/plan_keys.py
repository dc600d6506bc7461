#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/plan.md has all keys of `blockyard plan --json`, and no others. Usage: plan_keys.py SOURCE_FOLDER; BLOCKYARD
names the program."""

import json
import os
import pathlib
import re
import subprocess
import sys

JOB = """[molecule]
geometry = "H 0 0 0\\nH 0 0 0.74"
[basis]
name = "sto-3g"
[method]
name = "scf"
"""
HEAD = "## Keys of the JSON\n"
NAMES = "super_calls"  # its keys are names of super instructions


def keys_of(value):
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    if not isinstance(value, dict):
        return set()
    return set(value).union(*(keys_of(inner) for key, inner in value.items() if key != NAMES))


def main(root):
    done = subprocess.run([os.environ["BLOCKYARD"], "plan", "-", "-w", "1", "--memory", "1G", "--json", "-"], input=JOB, text=True,
                          capture_output=True, timeout=120, check=True)
    made = keys_of(json.loads(done.stdout))
    page = (root / "docs" / "plan.md").read_text()
    section = page[page.index(HEAD) + len(HEAD):]
    rows = [line for line in section[:section.index("\n## ")].splitlines() if line.startswith("|")]
    told = {word for line in rows for word in re.findall(r"`(\w+)`", line)}
    if told == made:
        return 0
    print(f"docs/plan.md lacks {sorted(made - told)} and has {sorted(told - made)} too many")
    return 1


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
