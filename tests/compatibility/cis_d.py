# SPDX-License-Identifier: Apache-2.0
"""Writes a program in the style of ACES4 for CIS(D), after CIS: the correction of the lowest state.

Source: Head-Gordon, Rico, Oumi, Lee, Chem. Phys. Lett. 219, 21 (1994), with the spins summed.
"""

import rccsd
from authors import Author, as_typed, distributed
from pieces import piece

ARRAYS = {"x": "ai", "tt": "aibj", "u": "aibj", "half": "aibj", "m": "aibj", "y": "aibj", "w": "ck",
          "gva": "ac", "goo": "ki", "q1": "ai"}
FIRST = [("w", "ck", 2, "v.ckdl x.dl"), ("w", "ck", -1, "v.cldk x.dl"),
         ("half", "aibj", 1, "v.bjac x.ci"), ("half", "aibj", -1, "v.bjki x.ak"),
         ("gva", "ac", 1, "u.akdl v.ckdl"), ("goo", "ki", 1, "u.cidl v.ckdl")]
SECOND = [("q1", "ai", 1, "u.aick w.ck"), ("q1", "ai", -1, "gva.ac x.ci"),
          ("q1", "ai", -1, "goo.ki x.ak")]

HEAD = piece("cis_d_head")

MAIN = piece("cis_d_main")


def program():
    author = Author()
    steps = ["  proc first_sums"]
    for name in ("w", "half", "gva", "goo", "q1"):
        steps += rccsd.fill(name, ARRAYS[name])
    steps += ["  sip_barrier", *[author.product(*term) for term in FIRST], "  sip_barrier",
              "  endproc first_sums", "  proc second_sums",
              *[author.product(*term) for term in SECOND], "  sip_barrier", "  endproc second_sums"]
    for name in ("z_ai", "z_aibj", "w_aibj"):
        author.temps[name] = name[2:]
    text = HEAD.splitlines() + distributed(ARRAYS) + author.declarations() + author.procedures()
    return as_typed(text + steps + MAIN.splitlines(), 4)
