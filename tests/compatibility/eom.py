# SPDX-License-Identifier: Apache-2.0
"""Writes a program in the style of ACES4 for EOM-CCSD by Davidson's method with the super instructions meant
for it, some 3,200 lines.

The terms are those of rccsd.py differentiated forward, so that no term is derived twice: the matrix of derivatives
times a vector. Sources: Koch, Jensen, Jorgensen, Helgaker, J. Chem. Phys. 93, 3345 (1990); Stanton,
Bartlett, J. Chem. Phys. 98, 7029 (1993).
"""

import rccsd
from authors import HEAD, Author, as_typed, distributed, equations
from pieces import piece


def forward(terms, changed):
    """Terms of the derivative along the arrays `changed`: name -> name of its change."""
    result = []
    for factor, product in terms:
        parts = product.split()
        for k, part in enumerate(parts):
            array, of = part.split(".")
            if array in changed:
                result.append((factor, " ".join(parts[:k] + [changed[array] + "." + of] + parts[k + 1:])))
    return result


EOM_DECLARATIONS = piece("eom_declarations")

EOM_MAIN = piece("eom_main")


def program():
    author = Author()
    known = {name: names for name, names, _ in rccsd.INTERMEDIATES}
    changed = {"t1": "x1", "t2": "x2"} | {name: "d_" + name for name in known}
    first = equations(author)
    steps = ["  proc changes"]
    for name, names, terms in rccsd.INTERMEDIATES:
        steps += rccsd.fill("d_" + name, names) + ["  sip_barrier"]
        steps += [author.product("d_" + name, names, *term) for term in forward(terms, changed)]
        steps += ["  sip_barrier"]
    for target, names, terms in (("y1", "ai", rccsd.SINGLES), ("y2", "aibj", rccsd.DOUBLES),
                                 ("ys2", "aibj", rccsd.DOUBLES_WITH_IMAGE)):
        steps += [author.product(target, names, *term) for term in forward(terms, changed)]
    steps += ["  sip_barrier", "  endproc changes"]
    for name in ("z_ai", "w_ai", "z_aibj", "w_aibj"):
        author.temps[name] = name[2:]
    text = HEAD.replace("NAME", "EOM_CCSD_RHF_RIGHT").splitlines() + EOM_DECLARATIONS.splitlines()
    text += distributed(known) + distributed({"d_" + name: names for name, names in known.items()})
    text += author.declarations() + author.procedures() + first + steps + EOM_MAIN.splitlines()
    return as_typed(text, 2)
