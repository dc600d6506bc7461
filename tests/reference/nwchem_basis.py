# SPDX-License-Identifier: Apache-2.0
"""Basis set files of share/basis as PySCF takes them."""

LETTERS = "spdfghik"


def read_nwchem(path):
    """Functions by symbol, [[l, [exponent, coefficient, ...], ...], ...], and effective cores by symbol,
    [electrons, [[l or -1, [terms of r^-2, of r^-1, ...]], ...]]."""
    functions, cores, rows, in_cores = {}, {}, None, False
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        if not words or words[0].lower() in ("basis", "end"):
            continue
        if words[0].lower() == "ecp":
            in_cores = True
        elif in_cores and len(words) == 3 and words[1] == "nelec":
            cores[words[0]] = [int(words[2]), []]
        elif in_cores and len(words) == 2:
            momentum = -1 if words[1].lower() == "ul" else LETTERS.index(words[1].lower())
            rows = [[] for _ in range(7)]
            cores[words[0]][1].append([momentum, rows])
        elif in_cores:
            rows[int(words[0])].append([float(words[1]), float(words[2])])
        elif len(words) == 2 and words[1].isalpha():
            rows = [[LETTERS.index(letter)] for letter in words[1].lower()]
            functions.setdefault(words[0], []).extend(rows)
        else:
            exponent, *coefficients = map(float, words)
            if len(rows) == 1:
                rows[0].append([exponent, *coefficients])
            else:
                for shell, coefficient in zip(rows, coefficients):
                    shell.append([exponent, coefficient])
    return functions, cores
