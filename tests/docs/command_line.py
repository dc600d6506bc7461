#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/command_line.md is what --help says. Usage: command_line.py [--write] PAGE; BLOCKYARD names the program."""

import os
import pathlib
import re
import subprocess
import sys

BLOCKYARD = os.environ["BLOCKYARD"]
HEAD = """# Command line

What `blockyard --help` and `blockyard COMMAND --help` say. This page is made by `tests/docs/command_line.py --write`, and a test
compares it with the program.

Exit codes: 0; 1 for an error in the input or the run; 2 for an invalid command line; 3 from `compare` where energies
differ; 130 and 143 after SIGINT and SIGTERM.
"""


def help_of(*command):
    done = subprocess.run([BLOCKYARD, *command, "--help"], text=True, capture_output=True, timeout=60, check=True,
                          env={**os.environ, "COLUMNS": "80"})
    return re.sub(r"[ \t]+$", "", done.stdout, flags=re.MULTILINE).strip("\n")


def commands_in(text):
    found = re.search(r"^Commands:.*", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"^  ([a-z]+) ", found[0], flags=re.MULTILINE) if found else []


def page():
    top = help_of()
    text = HEAD + f"\n```\n{top}\n```\n"
    for command in commands_in(top):
        shown = help_of(command)
        text += f"\n## blockyard {command}\n\n```\n{shown}\n```\n"
        for inner in commands_in(shown):
            text += f"\n### blockyard {command} {inner}\n\n```\n{help_of(command, inner)}\n```\n"
    return text


def main(arguments):
    path = pathlib.Path(arguments[-1])
    if "--write" in arguments:
        path.write_text(page())
    elif path.read_text() != page():
        print(f"{path} is not what --help says: run tests/docs/command_line.py --write {path}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
