# SPDX-License-Identifier: Apache-2.0
"""Writes a program in the style of ACES4 for the Lambda equations of CCSD and the dipole moment, some 3,400 lines.

The terms are those of rccsd.py differentiated backward, so that no term is derived twice.
Source: Salter, Trucks, Bartlett, J. Chem. Phys. 90, 1752 (1989).
"""

import re

import rccsd
from authors import HEAD, Author, as_typed, distributed, equations
from pieces import piece

NAMES = {name: names for name, names, _ in rccsd.INTERMEDIATES}
NAMES.update(t1="ai", t2="aibj")
ENERGY = [(2, "v.aibj"), (-1, "v.ajbi")]           # times tau
DIPOLE_ENERGY = [(2, "dmo.kc t1.ck")]
DIPOLE_SINGLES = [(1, "dmo.ai"), (1, "dmo.ac t1.ci"), (-1, "dmo.ki t1.ak"), (-1, "dmo.kc t1.ci t1.ak"),
                  (2, "dmo.kc t2.ckai"), (-1, "dmo.kc t2.ciak")]
DIPOLE_DOUBLES = [(2, "dmo.ac t2.cibj"), (-2, "dmo.ki t2.akbj"), (-2, "dmo.kc t1.ci t2.akbj"),
                  (-2, "dmo.kc t1.ak t2.cibj")]      # with their images: the multipliers are symmetric


def backward(outputs):
    """For (multiplier, names, terms): name of an array -> [(names, factor, product)] of its derivative."""
    result = {}
    for multiplier, names, terms in outputs:
        for factor, product in terms:
            parts = product.split()
            for k, part in enumerate(parts):
                array, of = part.split(".")
                if array in NAMES:
                    rest = [multiplier + "." + names] + parts[:k] + parts[k + 1:]
                    result.setdefault(array, []).append((of, factor, " ".join(rest)))
    return result


LAMBDA_DECLARATIONS = piece("lambda_declarations", diis_arrays=rccsd.DIIS_ARRAYS)

LAMBDA_MAIN = piece("lambda_main", diis_step=rccsd.DIIS_STEP.replace("keep_t", "keep_l"))


def program():
    author = Author()
    known = {name: names for name, names, _ in rccsd.INTERMEDIATES}
    bars = {"b_" + name: names for name, names in NAMES.items()}
    first = equations(author)
    image = [(2 * factor, product) for factor, product in rccsd.DOUBLES_WITH_IMAGE]
    found = backward([("l1", "ai", rccsd.SINGLES), ("l2", "aibj", image + rccsd.DOUBLES)])
    steps = ["  proc derivatives"]
    for name, names in bars.items():
        steps += rccsd.fill(name, names)
    steps += ["  sip_barrier"]
    steps += [author.product("b_tau", "aibj", factor, product) for factor, product in ENERGY]

    def add(terms):
        return [author.product("b_" + array, names, factor, product)
                for array in terms for names, factor, product in terms[array]]

    steps += add(found) + ["  sip_barrier"]
    for name, names, terms in reversed(rccsd.INTERMEDIATES):
        steps += add(backward([("b_" + name, names, terms)])) + ["  sip_barrier"]
    steps += ["  endproc derivatives", "  proc dipole_terms", *rccsd.fill("q1", "ai"), *rccsd.fill("q2", "aibj"),
              "  sip_barrier"]
    steps += [author.product("q1", "ai", *term) for term in DIPOLE_SINGLES]
    steps += [author.product("q2", "aibj", *term) for term in DIPOLE_DOUBLES]
    steps += ["  sip_barrier", "  endproc dipole_terms"]
    for name in ("z_ai", "w_ai", "z_aibj", "w_aibj", "z_ia"):
        author.temps[name] = name[2:]
    tail = re.sub(r"(?s)  PROC ENERGY.*?ENDPROC ENERGY\n", "", rccsd.TAIL)
    tail = re.sub(r"(\b|_)t([12])\b", r"\1l\2", tail[:tail.index("  restore_persistent v")])
    text = HEAD.replace("NAME", "RLAMBDA_RHF").splitlines() + LAMBDA_DECLARATIONS.splitlines()
    text += distributed(known) + distributed(bars) + author.declarations() + author.procedures()
    text += first + steps
    text += rccsd.diis("l1", "ai", "h1") + rccsd.diis("l2", "aibj", "h2")
    text += tail.splitlines() + LAMBDA_MAIN.splitlines()
    return as_typed(text, 1)
