# SPDX-License-Identifier: Apache-2.0
"""Writes a program in the style of ACES4 for CIS(D), after CIS: the correction of the lowest state.

Source: Head-Gordon, Rico, Oumi, Lee, Chem. Phys. Lett. 219, 21 (1994), with the spins summed.
"""

import rccsd
from authors import Author, as_typed, distributed

ARRAYS = {"x": "ai", "tt": "aibj", "u": "aibj", "half": "aibj", "m": "aibj", "y": "aibj", "w": "ck",
          "gva": "ac", "goo": "ki", "q1": "ai"}
FIRST = [("w", "ck", 2, "v.ckdl x.dl"), ("w", "ck", -1, "v.cldk x.dl"),
         ("half", "aibj", 1, "v.bjac x.ci"), ("half", "aibj", -1, "v.bjki x.ak"),
         ("gva", "ac", 1, "u.akdl v.ckdl"), ("goo", "ki", 1, "u.cidl v.ckdl")]
SECOND = [("q1", "ai", 1, "u.aick w.ck"), ("q1", "ai", -1, "gva.ac x.ci"),
          ("q1", "ai", -1, "goo.ki x.ak")]

HEAD = """import "qm_definitions.sialx"
SIAL RCIS_D_RHF
  special energy_denominator_rhf ur
  special energy_ty_denominator_rhf urr
  predefined int eom_roots
  index root = 1:eom_roots
  served v[p,q,r,s]
  distributed cisvec[a,i,root]
  static omegas[root]
  scalar omega
  scalar esum
  scalar part
  scalar correction
  scalar cis_d_energy
"""

MAIN = """
# u = 2 t(aibj) - t(ajbi), t of second order
  PROC SECOND_ORDER
  pardo a, i, b, j
    request v[a,i,b,j]
    z_aibj[a,i,b,j] = v[a,i,b,j]
    execute energy_denominator_rhf z_aibj[a,i,b,j] fock_a
    put tt[a,i,b,j] = z_aibj[a,i,b,j]
  endpardo a, i, b, j
  sip_barrier
  pardo a, i, b, j
    get tt[a,i,b,j]
    get tt[a,j,b,i]
    z_aibj[a,i,b,j] = 2.0*tt[a,i,b,j]
    w_aibj[a,i,b,j] = tt[a,j,b,i]
    z_aibj[a,i,b,j] -= w_aibj[a,i,b,j]
    put u[a,i,b,j] = z_aibj[a,i,b,j]
  endpardo a, i, b, j
  sip_barrier
  ENDPROC SECOND_ORDER

  PROC DOUBLES_OF_THE_STATE
  pardo a, i, b, j
    get half[a,i,b,j]
    get half[b,j,a,i]
    z_aibj[a,i,b,j] = half[b,j,a,i]
    z_aibj[a,i,b,j] += half[a,i,b,j]
    put m[a,i,b,j] = z_aibj[a,i,b,j]
    execute energy_ty_denominator_rhf z_aibj[a,i,b,j] fock_a omega
    put y[a,i,b,j] = z_aibj[a,i,b,j]
  endpardo a, i, b, j
  sip_barrier
  ENDPROC DOUBLES_OF_THE_STATE

  PROC SUM_UP
  esum = 0.0
  pardo a, i, b, j
    get m[a,i,b,j]
    get y[a,i,b,j]
    get y[a,j,b,i]
    z_aibj[a,i,b,j] = 2.0*y[a,i,b,j]
    w_aibj[a,i,b,j] = y[a,j,b,i]
    z_aibj[a,i,b,j] -= w_aibj[a,i,b,j]
    part = m[a,i,b,j]*z_aibj[a,i,b,j]
    esum += 0.5*part
  endpardo a, i, b, j
  pardo a, i
    get x[a,i]
    get q1[a,i]
    esum += x[a,i]*q1[a,i]
  endpardo a, i
  correction = 0.0
  collective correction += esum
  ENDPROC SUM_UP

  restore_persistent v "integrals"
  restore_persistent cisvec "cis vectors"
  restore_persistent omegas "cis energies"
  call second_order
  do root
    where root == 1
    omega = omegas[root]
    pardo a, i
      get cisvec[a,i,root]
      z_ai[a,i] = cisvec[a,i,root]
      put x[a,i] = z_ai[a,i]
    endpardo a, i
    sip_barrier
  enddo root
  call first_sums
  call doubles_of_the_state
  call second_sums
  call sum_up
  cis_d_energy = omega + correction
  print correction
  print cis_d_energy
ENDSIAL RCIS_D_RHF
"""


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
