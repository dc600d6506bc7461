#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what the pages of the documentation show, and compares what comes out.

Usage: run_docs.py [--write] PAGE...        BLOCKYARD names the program.
A code block after `<!-- file: NAME -->` is written to NAME. A block of the language `console` has commands (lines
that begin with `$ `), each with what it prints below it; a line `...` there stands for any lines, and numbers with a point may
differ in what is as small as rounding. Each page begins in an empty folder. --write puts what is printed now into the page, except below commands whose text has a `...`.
A block after `<!-- excerpt of PATH -->` stands in that file. A block of the language `sial` that no file comment precedes, and that is a whole program, has to compile.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCKYARD = pathlib.Path(os.environ["BLOCKYARD"]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT_SECONDS = 120
NUMBER = re.compile(r"-?\d+\.\d+(?:[eE][-+]?\d+)?")
ROUNDING = 1e-10  # as a share of a number: of sums whose order is free
FENCE = re.compile(r"(?:<!-- (file:|excerpt of) (\S+) -->\n)?```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def says(command, folder):
    environment = {**os.environ, "PATH": f"{BLOCKYARD.parent}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}", "DEMO": str(ROOT / "demo"),
                   "XDG_RUNTIME_DIR": str(folder), "COLUMNS": "80"}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, timeout=LIMIT_SECONDS,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return [line.rstrip() for line in done.stdout.splitlines()]


def unit_of(number):
    """What the last digit counts: 0.01 of 2.50."""
    digits, _, exponent = number.lower().partition("e")
    return 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))


def is_same_line(shown, said):
    """Whether the lines agree but for the last digits of their numbers."""
    if NUMBER.split(shown) != NUMBER.split(said):
        return False
    return all(abs(float(x) - float(y)) <= max(1.5 * unit_of(x), ROUNDING * abs(float(x)))
               for x, y in zip(NUMBER.findall(shown), NUMBER.findall(said)))


def is_like(shown, said):
    """Whether the lines agree; `...` in what is shown stands for any lines."""
    if not shown:
        return not said
    if shown[0] == "...":
        return any(is_like(shown[1:], said[k:]) for k in range(len(said) + 1))
    return bool(said) and is_same_line(shown[0], said[0]) and is_like(shown[1:], said[1:])


def console(text, folder, page, problems, writes):
    """The block as it should be."""
    out = []
    for part in re.split(r"^(?=\$ )", text, flags=re.MULTILINE):
        if not part.strip():
            continue
        command, *shown = part.rstrip("\n").split("\n")
        shown = [line.rstrip() for line in shown]
        said = says(command[2:], folder)
        if writes and "..." not in shown:
            shown = said
        elif not is_like(shown, said):
            problems.append(f"{page}: `{command}` prints\n  " + "\n  ".join(said) + "\nand not\n  " + "\n  ".join(shown))
        out += [command, *shown]
    return "\n".join(out) + "\n"


def check_compiles(text, folder, page, problems):
    (folder / "shown.sial").write_text(text)
    done = subprocess.run([BLOCKYARD, "check", "shown.sial"], cwd=folder, text=True, capture_output=True,
                          timeout=LIMIT_SECONDS, check=False)
    if done.returncode != 0:
        problems.append(f"{page}: this does not compile:\n{text}\n{done.stdout}{done.stderr}")


def do_page(path, writes):
    problems = []
    text = path.read_text()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def do_block(match):
            what, file, language, body = match.groups()
            if what == "excerpt of":
                if body not in (ROOT / file).read_text():
                    problems.append(f"{path.name}: this is not in {file}:\n{body}")
            elif file:
                (folder / file).write_text(body)
            elif language == "console":
                block = console(body, folder, path.name, problems, writes)
                return match[0].replace(body, block) if body else match[0]
            elif re.match(r"(import .*\n|#.*\n)*sial \w+", body):
                check_compiles(body, folder, path.name, problems)
            return match[0]

        new = FENCE.sub(do_block, text)
    if writes and new != text:
        path.write_text(new)
    return problems


def main(arguments):
    writes = "--write" in arguments
    pages = [pathlib.Path(name) for name in arguments if name != "--write"]
    problems = [problem for page in pages for problem in do_page(page, writes)]
    print("\n\n".join(problems) if problems else f"{len(pages)} pages do what they say")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
