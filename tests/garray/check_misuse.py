#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each mistake of misuse.c ends its job with exit code 1 and a message that says what is wrong.
Usage: check_misuse.py MPIEXEC PROCESSES PROGRAM [CASE...]"""
import subprocess
import sys


def main(mpiexec, processes, program, *wanted):
    lines = subprocess.run([program], check=True, text=True, capture_output=True).stdout.splitlines()
    wrong = 0
    for name, text in (line.split("\t") for line in lines):
        if wanted and name not in wanted:
            continue
        try:
            done = subprocess.run([mpiexec, "-n", processes, program, name], text=True, capture_output=True,
                                  errors="replace", timeout=120)
            found, code = done.stderr, done.returncode
        except subprocess.TimeoutExpired as late:
            found, code = f"{late.stderr}", "no end"
        if code == 1 and text in found and "nobody complained" not in found:
            continue
        wrong += 1
        print(f"{name}: exit {code}, and not {text!r} in:\n{found[:800]}")
    print(f"{len(lines)} mistakes, {wrong} without the right end")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
