#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages about formats name the versions that the code writes. Usage: formats.py SOURCE_FOLDER"""

import pathlib
import re
import sys

VERSIONS = [  # page and what stands before the number there, the same of the source
    ("docs/disk.md", r'"BYCHECK\\n" version u32 \(', "blockyard/store/checkpoint_file.cpp", r"\bversion = "),
    ("docs/disk.md", r'"BYSPILL\\n".*\n\s+version\s+u32\s+', "blockyard/store/spill_file.cpp", r"\bversion = "),
    ("docs/bytecode.md", r"version of the format: ", "blockyard/program/file.h", r"\bfile_version = "),
]


def number_after(path, text):
    found = re.findall(text + r"(\d+)", path.read_text())
    if len(found) != 1:
        sys.exit(f"{path} has {len(found)} numbers after {text!r}; one was expected")
    return int(found[0])


def main(root):
    wrong = 0
    for page, there, source, here in VERSIONS:
        told, used = number_after(root / page, there), number_after(root / source, here)
        if told != used:
            print(f"{page} says version {told}, {source} has {used}")
            wrong += 1
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
