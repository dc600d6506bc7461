#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of options in docs/chemistry.md is that of `blockyard methods --markdown`. Usage: method_options.py [--write] PAGE."""

import os
import pathlib
import re
import subprocess
import sys

BLOCKYARD = os.environ["BLOCKYARD"]
TABLE = re.compile(r"(?<=<!-- made by tests/docs/method_options.py --write -->\n)(?:\|.*\n)*")


def main(arguments):
    path = pathlib.Path(arguments[-1])
    table = subprocess.run([BLOCKYARD, "methods", "--markdown"], text=True, capture_output=True, timeout=60, check=True).stdout
    text = path.read_text()
    new, count = TABLE.subn(lambda _: table, text)
    if count != 1:
        print(f"{path} has no place for the table")
        return 1
    if "--write" in arguments:
        path.write_text(new)
    elif new != text:
        print(f"{path} has other options than the program: run tests/docs/method_options.py --write {path}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
