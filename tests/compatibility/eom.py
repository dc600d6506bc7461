# SPDX-License-Identifier: Apache-2.0
"""Writes a program in the style of ACES4 for EOM-CCSD by Davidson's method with the super instructions meant
for it, some 3,200 lines.

The terms are those of rccsd.py differentiated forward, so that no term is derived twice: the matrix of derivatives
times a vector. Sources: Koch, Jensen, Jorgensen, Helgaker, J. Chem. Phys. 93, 3345 (1990); Stanton,
Bartlett, J. Chem. Phys. 98, 7029 (1993).
"""

import rccsd
from authors import HEAD, Author, as_typed, distributed, equations


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


EOM_DECLARATIONS = """  predefined int eom_subspc
  predefined int eom_roots
  predefined scalar eom_tol
  index n = 1:eom_subspc
  index n1 = 1:eom_subspc
  index root = 1:eom_roots
  distributed x1[a,i]
  distributed x2[a,i,b,j]
  distributed y1[a,i]
  distributed y2[a,i,b,j]
  distributed ys2[a,i,b,j]
  distributed bv1[a,i,n]
  distributed sv1[a,i,n]
  served bv2[a,i,b,j,n]
  served sv2[a,i,b,j,n]
  distributed rr1[a,i]
  distributed rr2[a,i,b,j]
  static one[n]
  static guess[n,a,i]
  static hdiag[a,i]
  static my_g[n,n1]
  static gsave[n,n1]
  static amat[n,n1]
  static left[n,n1]
  static right[n,n1]
  static eig[n]
  temp g3[n,a,i]
  temp u3[n,a,i]
  temp g5[n,a,i,b,j]
  temp u5[n,a,i,b,j]
  temp b3[a,i,n]
  temp b5[a,i,b,j,n]
  int nvec
  int nold
  int nadd
  int todo
  scalar omega
  scalar norm
  scalar root_1
  scalar root_2
  scalar root_3
"""

EOM_MAIN = """
# smallest differences of orbital energies, as unit vectors
  PROC START
  do n
    one[n] = 1.0
  enddo n
  do a
  do i
    z_ai[a,i] = 1.0
    execute energy_denominator_rhf z_ai[a,i] fock_a
    do n
      where n == 1
      u3[n,a,i] = one[n]^z_ai[a,i]
      g3[n,a,i] = 1.0
      execute invert_diagonal g3[n,a,i] u3[n,a,i]
      z_ai[a,i] = g3[n,a,i]*one[n]
    enddo n
    z_ai[a,i] *= -1.0
    hdiag[a,i] = z_ai[a,i]
  enddo i
  enddo a
  execute cis_unit_guess guess hdiag
  nvec = 2*eom_roots + 2
  pardo a, i
    do n
      where n <= nvec
      g3[n,a,i] = guess[n,a,i]
      z_ai[a,i] = g3[n,a,i]*one[n]
      put bv1[a,i,n] = z_ai[a,i]
    enddo n
  endpardo a, i
  pardo a, i, b, j
    do n
      where n <= nvec
      prepare bv2[a,i,b,j,n] = 0.0
    enddo n
  endpardo a, i, b, j
  server_barrier
  ENDPROC START

  PROC TAKE_VECTOR
  pardo a, i
    get bv1[a,i,n]
    z_ai[a,i] = bv1[a,i,n]
    put x1[a,i] = z_ai[a,i]
    put y1[a,i] = 0.0
  endpardo a, i
  pardo a, i, b, j
    request bv2[a,i,b,j,n]
    z_aibj[a,i,b,j] = bv2[a,i,b,j,n]
    put x2[a,i,b,j] = z_aibj[a,i,b,j]
    put y2[a,i,b,j] = 0.0
    put ys2[a,i,b,j] = 0.0
  endpardo a, i, b, j
  sip_barrier
  ENDPROC TAKE_VECTOR

# minus denominators times the vector, and the image of ys2
  PROC KEEP_PRODUCT
  pardo a, i
    get x1[a,i]
    get y1[a,i]
    z_ai[a,i] = x1[a,i]
    w_ai[a,i] = 1.0
    execute energy_denominator_rhf w_ai[a,i] fock_a
    do n1
      where n1 == n
      u3[n1,a,i] = one[n1]^w_ai[a,i]
      g3[n1,a,i] = one[n1]^z_ai[a,i]
      execute invert_diagonal g3[n1,a,i] u3[n1,a,i]
      z_ai[a,i] = g3[n1,a,i]*one[n1]
    enddo n1
    w_ai[a,i] = y1[a,i]
    w_ai[a,i] -= z_ai[a,i]
    put sv1[a,i,n] = w_ai[a,i]
  endpardo a, i
  pardo a, i, b, j
    get x2[a,i,b,j]
    get y2[a,i,b,j]
    get ys2[a,i,b,j]
    get ys2[b,j,a,i]
    z_aibj[a,i,b,j] = x2[a,i,b,j]
    w_aibj[a,i,b,j] = 1.0
    execute energy_denominator_rhf w_aibj[a,i,b,j] fock_a
    do n1
      where n1 == n
      u5[n1,a,i,b,j] = one[n1]^w_aibj[a,i,b,j]
      g5[n1,a,i,b,j] = one[n1]^z_aibj[a,i,b,j]
      execute invert_diagonal g5[n1,a,i,b,j] u5[n1,a,i,b,j]
      z_aibj[a,i,b,j] = g5[n1,a,i,b,j]*one[n1]
    enddo n1
    w_aibj[a,i,b,j] = y2[a,i,b,j]
    w_aibj[a,i,b,j] -= z_aibj[a,i,b,j]
    z_aibj[a,i,b,j] = ys2[b,j,a,i]
    w_aibj[a,i,b,j] += z_aibj[a,i,b,j]
    w_aibj[a,i,b,j] += ys2[a,i,b,j]
    prepare sv2[a,i,b,j,n] = w_aibj[a,i,b,j]
  endpardo a, i, b, j
  server_barrier
  ENDPROC KEEP_PRODUCT

# gsave(n,n1) = vector n times product n1, what is new of it
  PROC PROJECT
  do n
  do n1
    my_g[n,n1] = 0.0
  enddo n1
  enddo n
  pardo a, i
    do n
      where n <= nvec
      get bv1[a,i,n]
      do n1
        where n1 <= nvec
        get sv1[a,i,n1]
        z_ai[a,i] = bv1[a,i,n]
        w_ai[a,i] = sv1[a,i,n1]
        dot = z_ai[a,i]*w_ai[a,i]
        my_g[n,n1] += dot
      enddo n1
    enddo n
  endpardo a, i
  pardo a, i, b, j
    do n
      where n <= nvec
      request bv2[a,i,b,j,n]
      do n1
        where n1 <= nvec
        request sv2[a,i,b,j,n1]
        z_aibj[a,i,b,j] = bv2[a,i,b,j,n]
        w_aibj[a,i,b,j] = sv2[a,i,b,j,n1]
        dot = z_aibj[a,i,b,j]*w_aibj[a,i,b,j]
        my_g[n,n1] += dot
      enddo n1
    enddo n
  endpardo a, i, b, j
  do n
  do n1
    amat[n,n1] = 0.0
    if n <= nvec
      if n1 <= nvec
        esum = 0.0
        dot = my_g[n,n1]
        collective esum += dot
        gsave[n,n1] = esum
        amat[n,n1] = esum
      endif
    endif
  enddo n1
  enddo n
  execute gen_eigen_calc amat left right eig
  ENDPROC PROJECT

# rr = sum over n of right(n,root) (product n - omega vector n)
  PROC RESIDUAL
  do n
    where n == root
    omega = eig[n]
  enddo n
  esum = 0.0
  pardo a, i
    z_ai[a,i] = 0.0
    do n1
    where n1 == root
    do n
      where n <= nold
      get bv1[a,i,n]
      get sv1[a,i,n]
      dot = right[n,n1]
      w_ai[a,i] = sv1[a,i,n]
      w_ai[a,i] *= dot
      z_ai[a,i] += w_ai[a,i]
      dot = dot * omega
      w_ai[a,i] = bv1[a,i,n]
      w_ai[a,i] *= dot
      z_ai[a,i] -= w_ai[a,i]
    enddo n
    enddo n1
    esum += z_ai[a,i]*z_ai[a,i]
    w_ai[a,i] = 1.0
    execute energy_denominator_rhf w_ai[a,i] fock_a
    do n
      where n == 1
      u3[n,a,i] = one[n]^w_ai[a,i]
      g3[n,a,i] = 1.0
      execute invert_diagonal g3[n,a,i] u3[n,a,i]
      g3[n,a,i] += omega
      u3[n,a,i] = one[n]^z_ai[a,i]
      execute invert_diagonal u3[n,a,i] g3[n,a,i]
      z_ai[a,i] = u3[n,a,i]*one[n]
    enddo n
    put rr1[a,i] = z_ai[a,i]
  endpardo a, i
  pardo a, i, b, j
    z_aibj[a,i,b,j] = 0.0
    do n1
    where n1 == root
    do n
      where n <= nold
      request bv2[a,i,b,j,n]
      request sv2[a,i,b,j,n]
      dot = right[n,n1]
      w_aibj[a,i,b,j] = sv2[a,i,b,j,n]
      w_aibj[a,i,b,j] *= dot
      z_aibj[a,i,b,j] += w_aibj[a,i,b,j]
      dot = dot * omega
      w_aibj[a,i,b,j] = bv2[a,i,b,j,n]
      w_aibj[a,i,b,j] *= dot
      z_aibj[a,i,b,j] -= w_aibj[a,i,b,j]
    enddo n
    enddo n1
    esum += z_aibj[a,i,b,j]*z_aibj[a,i,b,j]
    w_aibj[a,i,b,j] = 1.0
    execute energy_denominator_rhf w_aibj[a,i,b,j] fock_a
    do n
      where n == 1
      u5[n,a,i,b,j] = one[n]^w_aibj[a,i,b,j]
      g5[n,a,i,b,j] = 1.0
      execute invert_diagonal g5[n,a,i,b,j] u5[n,a,i,b,j]
      g5[n,a,i,b,j] += omega
      u5[n,a,i,b,j] = one[n]^z_aibj[a,i,b,j]
      execute invert_diagonal u5[n,a,i,b,j] g5[n,a,i,b,j]
      z_aibj[a,i,b,j] = u5[n,a,i,b,j]*one[n]
    enddo n
    put rr2[a,i,b,j] = z_aibj[a,i,b,j]
  endpardo a, i, b, j
  norm = 0.0
  collective norm += esum
  norm = sqrt(norm)
  sip_barrier
  ENDPROC RESIDUAL

# rr without what vector n has of it
  PROC ORTHOGONALIZE
  do n
    where n <= nvec
    esum = 0.0
    pardo a, i
      get rr1[a,i]
      get bv1[a,i,n]
      z_ai[a,i] = bv1[a,i,n]
      esum += rr1[a,i]*z_ai[a,i]
    endpardo a, i
    pardo a, i, b, j
      get rr2[a,i,b,j]
      request bv2[a,i,b,j,n]
      z_aibj[a,i,b,j] = bv2[a,i,b,j,n]
      esum += rr2[a,i,b,j]*z_aibj[a,i,b,j]
    endpardo a, i, b, j
    part = 0.0
    collective part += esum
    part *= -1.0
    sip_barrier
    pardo a, i
      get bv1[a,i,n]
      z_ai[a,i] = bv1[a,i,n]
      z_ai[a,i] *= part
      put rr1[a,i] += z_ai[a,i]
    endpardo a, i
    pardo a, i, b, j
      request bv2[a,i,b,j,n]
      z_aibj[a,i,b,j] = bv2[a,i,b,j,n]
      z_aibj[a,i,b,j] *= part
      put rr2[a,i,b,j] += z_aibj[a,i,b,j]
    endpardo a, i, b, j
    sip_barrier
  enddo n
  ENDPROC ORTHOGONALIZE

  PROC APPEND
  call orthogonalize
  call orthogonalize
  esum = 0.0
  pardo a, i
    get rr1[a,i]
    esum += rr1[a,i]*rr1[a,i]
  endpardo a, i
  pardo a, i, b, j
    get rr2[a,i,b,j]
    esum += rr2[a,i,b,j]*rr2[a,i,b,j]
  endpardo a, i, b, j
  part = 0.0
  collective part += esum
  part = 1.0/sqrt(part)
  nadd = nvec + 1
  do n
    where n == nadd
    pardo a, i
      get rr1[a,i]
      z_ai[a,i] = rr1[a,i]
      z_ai[a,i] *= part
      put bv1[a,i,n] = z_ai[a,i]
    endpardo a, i
    pardo a, i, b, j
      get rr2[a,i,b,j]
      z_aibj[a,i,b,j] = rr2[a,i,b,j]
      z_aibj[a,i,b,j] *= part
      prepare bv2[a,i,b,j,n] = z_aibj[a,i,b,j]
    endpardo a, i, b, j
  enddo n
  nvec = nadd
  sip_barrier
  ENDPROC APPEND

  execute get_my_rank me
  restore_persistent v "integrals"
  restore_persistent t1 "t1"
  restore_persistent t2 "t2"
  call equations
  call start
  nold = 0
  do kiter
    do n
      where n > nold
      where n <= nvec
      call take_vector
      call changes
      call keep_product
    enddo n
    nold = nvec
    call project
    todo = 0
    do root
      call residual
      if norm > eom_tol
        todo += 1
        if nvec < eom_subspc
          call append
        endif
      endif
    enddo root
    if nvec == nold
      exit
    endif
    if todo == 0
      exit
    endif
  enddo kiter
  if todo > 0
    if me == 0.0
      print "no room for more vectors"
    endif
    stop
  endif
  do n
    if n == 1
      root_1 = eig[n]
    endif
    if n == 2
      root_2 = eig[n]
    endif
    if n == 3
      root_3 = eig[n]
    endif
  enddo n
  print root_1
  print root_2
  print root_3
ENDSIAL EOM_CCSD_RHF_RIGHT
"""


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
