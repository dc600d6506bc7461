# SPDX-License-Identifier: Apache-2.0
"""Writes a program in the style of ACES4 for linear coupled cluster (LCCSD).

Source: Bartlett, Annu. Rev. Phys. Chem. 32, 359 (1981): the terms of CCSD with one amplitude.
"""

import rccsd
from authors import Author, as_typed, distributed

LINEAR_SINGLES = [(2, "v.kcai t1.ck"), (-1, "v.kiac t1.ck"), (2, "v.kdac t2.cidk"), (-1, "v.kcad t2.cidk"),
                  (-2, "v.lcki t2.akcl"), (1, "v.kcli t2.akcl")]
LINEAR_DOUBLES = [(0.5, "v.iajb"), (0.5, "v.kilj t2.akbl"), (0.5, "v.acbd t2.cidj"), (2, "v.kcai t2.ckbj"),
                  (-1, "v.kiac t2.ckbj"), (-1, "v.kcai t2.bkcj"), (-1, "v.kibc t2.akcj"), (1, "v.iacb t1.cj"),
                  (-1, "v.iajk t1.bk")]             # with their images


def program():
    author = Author()
    steps = ["  proc equations", *rccsd.fill("r_t1", "ai"), *rccsd.fill("ys2", "aibj"), "  sip_barrier"]
    steps += [author.product("r_t1", "ai", *term) for term in LINEAR_SINGLES]
    steps += [author.product("ys2", "aibj", *term) for term in LINEAR_DOUBLES]
    steps += ["  sip_barrier", "  pardo a, i, b, j", "    get ys2[a,i,b,j]", "    get ys2[b,j,a,i]",
              "    z_aibj[a,i,b,j] = ys2[b,j,a,i]", "    z_aibj[a,i,b,j] += ys2[a,i,b,j]",
              "    put r_t2[a,i,b,j] = z_aibj[a,i,b,j]", "    put tau[a,i,b,j] = t2[a,i,b,j]",
              "  endpardo a, i, b, j", "  sip_barrier", "  endproc equations"]
    steps.insert(-4, "    get t2[a,i,b,j]")
    for name in ("z_ai", "w_ai", "z_aibj", "w_aibj"):
        author.temps[name] = name[2:]
    text = rccsd.HEAD.splitlines() + distributed({"tau": "aibj", "ys2": "aibj"})
    text += author.declarations() + author.procedures() + steps
    text += rccsd.diis("t1", "ai", "h1") + rccsd.diis("t2", "aibj", "h2") + rccsd.TAIL.splitlines()
    return as_typed([line.replace("ccsd_energy", "lccsd_energy") for line in text], 3)
