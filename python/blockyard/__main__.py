# SPDX-License-Identifier: Apache-2.0
"""``python -m blockyard`` is the command line."""

import os
import sys

from ._places import command


def main() -> None:
    program = command()
    if sys.stdout is not None:
        sys.stdout.flush()
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
