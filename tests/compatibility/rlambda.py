# SPDX-License-Identifier: Apache-2.0
"""Writes a program in the style of ACES4 for the Lambda equations of CCSD and the dipole moment, some 3,400 lines.

The terms are those of rccsd.py differentiated backward, so that no term is derived twice.
Source: Salter, Trucks, Bartlett, J. Chem. Phys. 90, 1752 (1989).
"""

import re

import rccsd
from authors import HEAD, Author, as_typed, distributed, equations

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


LAMBDA_DECLARATIONS = """  distributed l1[a,i]
  distributed l2[a,i,b,j]
  distributed r_l1[a,i]
  distributed r_l2[a,i,b,j]
  distributed q1[a,i]
  distributed q2[a,i,b,j]
""" + rccsd.DIIS_ARRAYS + """  static dmo[p,q]
  static oed_ovl[mu,nu]
  static dao[mu,nu]
  temp tmn[mu,nu]
  temp tmp[mu,q]
  temp tpq[p,q]
  int slot
  int stored
  scalar my_change
  scalar change
  scalar zmax
  scalar imax
  scalar nuc
  scalar code
  scalar dipole_x
  scalar dipole_y
  scalar dipole_z
"""

LAMBDA_MAIN = """
  PROC SYMMETRIZE
  pardo a, i
    get b_t1[a,i]
    put r_l1[a,i] = b_t1[a,i]
  endpardo a, i
  pardo a, i, b, j
    get b_t2[a,i,b,j]
    get b_t2[b,j,a,i]
    z_aibj[a,i,b,j] = b_t2[a,i,b,j]
    w_aibj[a,i,b,j] = b_t2[b,j,a,i]
    z_aibj[a,i,b,j] += w_aibj[a,i,b,j]
    z_aibj[a,i,b,j] *= 0.5
    put r_l2[a,i,b,j] = z_aibj[a,i,b,j]
  endpardo a, i, b, j
  sip_barrier
  ENDPROC SYMMETRIZE

# dmo = C(mu,p) D(mu,nu) C(nu,q)
  PROC DIPOLE_INTEGRALS
  do mu
  do nu
    execute compute_dipole_integrals tmn[mu,nu] nuc code
    dao[mu,nu] = tmn[mu,nu]
  enddo nu
  enddo mu
  do p
  do q
    dmo[p,q] = 0.0
    do mu
    do nu
      tmp[mu,q] = dao[mu,nu]*ca[nu,q]
      tpq[p,q] = ca[mu,p]*tmp[mu,q]
      dmo[p,q] += tpq[p,q]
    enddo nu
    enddo mu
  enddo q
  enddo p
  ENDPROC DIPOLE_INTEGRALS

# part = - 2 d(i,i) - 2 d(i,a) t(a,i) - l q
  PROC ONE_COMPONENT
  call dipole_integrals
  call dipole_terms
  esum = 0.0
  pardo a, i
    get l1[a,i]
    get q1[a,i]
    get t1[a,i]
    esum += l1[a,i]*q1[a,i]
    z_ia[i,a] = dmo[i,a]
    dot = z_ia[i,a]*t1[a,i]
    esum += 2.0*dot
  endpardo a, i
  pardo a, i, b, j
    get l2[a,i,b,j]
    get q2[a,i,b,j]
    esum += l2[a,i,b,j]*q2[a,i,b,j]
  endpardo a, i, b, j
  part = 0.0
  collective part += esum
  do i
  do mu
  do nu
    tmn[mu,nu] = ca[mu,i]*ca[nu,i]
    dot = tmn[mu,nu]*dao[mu,nu]
    part += 2.0*dot
  enddo nu
  enddo mu
  enddo i
  part = nuc - part
  sip_barrier
  ENDPROC ONE_COMPONENT

  execute get_my_rank me
  execute compute_int_scratchmem oed_ovl zmax imax
  restore_persistent v "integrals"
  restore_persistent t1 "t1"
  restore_persistent t2 "t2"
  pardo a, i
    put l1[a,i] = 0.0
  endpardo a, i
  pardo a, i, b, j
    put l2[a,i,b,j] = 0.0
  endpardo a, i, b, j
  sip_barrier
  call equations
  do kiter
    call derivatives
    call symmetrize
    call divide
""" + rccsd.DIIS_STEP.replace("keep_t", "keep_l") + """  enddo kiter
  if me == 0.0
    println "lambda is done"
  endif
  code = 1.0
  call one_component
  dipole_x = part
  code = 2.0
  call one_component
  dipole_y = part
  code = 3.0
  call one_component
  dipole_z = part
  print_scalar dipole_z
  set_persistent v "integrals"
  set_persistent t1 "t1"
  set_persistent t2 "t2"
ENDSIAL RLAMBDA_RHF
"""


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
