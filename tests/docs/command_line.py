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

Exit codes: 0; 1 for an error in the input or the run; 2 for a command line that makes no sense; 3 from `compare` where energies
differ; 130 and 143 after SIGINT and SIGTERM.
"""


def help_of(*command):
    done = subprocess.run([BLOCKYARD, *command, "--help"], text=True, capture_output=True, timeout=60, check=True)
    return re.sub(r"[ \t]+$", "", done.stdout, flags=re.MULTILINE).strip("\n")


def page():
    top = help_of()
    listed = top[top.index("Subcommands:"):] if "Subcommands:" in top else top[top.index("SUBCOMMANDS:"):]
    commands = re.findall(r"^  ([a-z]+) ", listed, flags=re.MULTILINE)
    text = HEAD + f"\n```\n{top}\n```\n"
    for command in commands:
        text += f"\n## blockyard {command}\n\n```\n{help_of(command)}\n```\n"
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
