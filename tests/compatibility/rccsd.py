# SPDX-License-Identifier: Apache-2.0
"""Writes a closed-shell CCSD program in the style of ACES4: a procedure for each term of each
equation, thousands of lines.

Equations: Hirata, Podeszwa, Tobita, Bartlett, J. Chem. Phys. 120, 2581 (2004), spin-adapted, for
canonical orbitals. V(p,q,r,s) = (pq|rs). A term is (factor, names of the result, factors), where a
factor is an array with its names; names a-d are virtual, i-l occupied, and a name that the result
lacks is summed.
"""

from pieces import piece

# Intermediates: array, names, terms. "v", "t1", "t2" are integrals and amplitudes t1[a,i],
# t2[a,i,b,j].
INTERMEDIATES = [
    ("foo", "ki", [(2, "v.kcld t2.cidl"), (-1, "v.kdlc t2.cidl"), (2, "v.kcld t1.ci t1.dl"),
                   (-1, "v.kdlc t1.ci t1.dl")]),
    ("fvv", "ac", [(-2, "v.kcld t2.akdl"), (1, "v.kdlc t2.akdl"), (-2, "v.kcld t1.ak t1.dl"),
                   (1, "v.kdlc t1.ak t1.dl")]),
    ("fov", "kc", [(2, "v.kcld t1.dl"), (-1, "v.kdlc t1.dl")]),
    ("loo", "ki", [(1, "foo.ki"), (2, "v.lcki t1.cl"), (-1, "v.kcli t1.cl")]),
    ("lvv", "ac", [(1, "fvv.ac"), (2, "v.kdac t1.dk"), (-1, "v.kcad t1.dk")]),
    ("woooo", "klij", [(1, "v.kilj"), (1, "v.lcki t1.cj"), (1, "v.kclj t1.ci"),
                       (1, "v.kcld t2.cidj"), (1, "v.kcld t1.ci t1.dj")]),
    ("wvvvv", "abcd", [(1, "v.acbd"), (-1, "v.kdac t1.bk"), (-1, "v.kcbd t1.ak")]),
    ("wvoov", "akic", [(1, "v.kcai"), (1, "v.kcad t1.di"), (-1, "v.kcli t1.al"),
                       (-0.5, "v.ldkc t2.dial"), (-0.5, "v.lckd t2.aidl"),
                       (-1, "v.ldkc t1.di t1.al"), (1, "v.ldkc t2.aidl")]),
    ("wvovo", "akci", [(1, "v.kiac"), (1, "v.kdac t1.di"), (-1, "v.lcki t1.al"),
                       (-0.5, "v.lckd t2.dial"), (-1, "v.lckd t1.di t1.al")]),
    ("abic", "abic", [(1, "v.iacb"), (-1, "v.kibc t1.ak")]),
    ("akij", "akij", [(1, "v.iajk"), (1, "v.kcai t1.cj")]),
    ("tau", "aibj", [(1, "t2.aibj"), (1, "t1.ai t1.bj")]),
]
SINGLES = [(1, "fvv.ac t1.ci"), (-1, "foo.ki t1.ak"), (2, "fov.kc t2.ckai"),
           (-1, "fov.kc t2.ciak"), (1, "fov.kc t1.ci t1.ak"), (2, "v.kcai t1.ck"),
           (-1, "v.kiac t1.ck"), (2, "v.kdac t2.cidk"), (-1, "v.kcad t2.cidk"),
           (2, "v.kdac t1.dk t1.ci"), (-1, "v.kcad t1.dk t1.ci"), (-2, "v.lcki t2.akcl"),
           (1, "v.kcli t2.akcl"), (-2, "v.lcki t1.cl t1.ak"), (1, "v.kcli t1.cl t1.ak")]
# Terms that stand with their image (ai <-> bj), and those that stand alone.
DOUBLES_WITH_IMAGE = [(1, "abic.abic t1.cj"), (-1, "akij.akij t1.bk"), (1, "lvv.ac t2.cibj"),
                      (-1, "loo.ki t2.akbj"), (2, "wvoov.akic t2.ckbj"),
                      (-1, "wvovo.akci t2.ckbj"), (-1, "wvoov.akic t2.bkcj"),
                      (-1, "wvovo.bkci t2.akcj")]
DOUBLES = [(1, "v.iajb"), (1, "woooo.klij tau.akbl"), (1, "wvvvv.abcd tau.cidj")]


class Writer:
    """Collects declarations and procedures; upper and lower case and both notations take turns."""

    def __init__(self):
        self.temps = {}
        self.procs = []
        self.calls = {}

    def temp(self, names):
        """A temporary with these names, each declared once, and its selector."""
        name = "z_" + names if names else "z"
        self.temps[name] = names
        return name + "[" + ",".join(names) + "]"

    def term(self, target, names, factor, product, has_image, number):
        factors = [one.split(".") for one in product.split()]
        summed = sorted(set("".join(f[1] for f in factors)) - set(names))
        lines = [f"  pardo {', '.join(names)}"]
        result = self.temp(names)
        lines.append(f"    {result} = 0.0")
        for name in summed:
            lines.append(f"      DO {name.upper()}")
        blocks = []
        for array, of in factors:
            block = f"{array}[{','.join(of)}]"
            verb = "REQUEST" if array == "v" else "GET"
            lines.append(f"        {verb} {block}")
            blocks.append((block, of))
        lines += self.multiply(blocks, names, factor, result)
        for name in reversed(summed):
            lines.append(f"      ENDDO {name.upper()}")
        lines.append(f"    put {target}[{','.join(names)}] += {result}")
        if has_image:
            image = names[2] + names[3] + names[0] + names[1]
            copy = f"y_{image}[{','.join(image)}]"
            self.temps["y_" + image] = image
            lines.append(f"    {copy} = {result}")
            lines.append(f"    put {target}[{','.join(image)}] += {copy}")
        lines.append(f"  endpardo {', '.join(names)}")
        self.procs.append((f"{target}_term_{number}", lines))
        return f"  CALL {target.upper()}_TERM_{number}"

    def multiply(self, blocks, names, factor, result):
        """Lines that add factor * product of the blocks to the result, two blocks at a time."""
        lines = []
        while len(blocks) > 1:
            (right, r_names), (left, l_names) = blocks.pop(), blocks.pop()
            kept = [n for n in l_names + r_names if n in names or any(n in b[1] for b in blocks)]
            kept = "".join(dict.fromkeys(kept))
            out = f"x_{kept}[{','.join(kept)}]"
            self.temps["x_" + kept] = kept
            sign = "*" if set(l_names) & set(r_names) else "^"
            lines.append(f"        {out} = {left}{sign}{right}")
            blocks.append((out, kept))
        block, of = blocks[0]
        copy = f"w_{''.join(names)}[{','.join(names)}]"
        self.temps["w_" + "".join(names)] = "".join(names)
        lines.append(f"        {copy} = {block}")
        lines.append(f"        {copy} *= {float(factor)}")
        lines.append(f"        {result} += {copy}")
        return lines

    def array(self, target, names, terms, has_image=False):
        return [self.term(target, names, factor, product, has_image, number)
                for number, (factor, product) in enumerate(terms, 1)]


def fill(target, names):
    listed = ", ".join(names)
    return [f"  pardo {listed}", f"    put {target}[{','.join(names)}] = 0.0",
            f"  endpardo {listed}"]


def diis(target, names, history):
    """Keeps the new amplitudes and what changed, and adds the overlaps of errors to the matrix."""
    index = ",".join(names)
    return f"""
  PROC KEEP_{target.upper()}
  pardo {', '.join(names)}
    get {target}[{index}]
    get r_{target}[{index}]
    z_{names}[{index}] = r_{target}[{index}]
    w_{names}[{index}] = z_{names}[{index}]
    w_{names}[{index}] -= {target}[{index}]
    execute check_dconf w_{names}[{index}] largest
    if largest > my_change
      my_change = largest
    endif
    do hist
      where hist == slot
      put {history}[{index},hist] = z_{names}[{index}]
      put e_{history}[{index},hist] = w_{names}[{index}]
    enddo hist
  endpardo {', '.join(names)}
  ENDPROC KEEP_{target.upper()}

  PROC OVERLAP_{target.upper()}
  pardo {', '.join(names)}
    do hist
      where hist <= stored
      get e_{history}[{index},hist]
      do hist1
        where hist1 <= stored
        get e_{history}[{index},hist1]
        dot = e_{history}[{index},hist]*e_{history}[{index},hist1]
        my_bb[hist,hist1] += dot
      enddo hist1
    enddo hist
  endpardo {', '.join(names)}
  ENDPROC OVERLAP_{target.upper()}

  PROC MIX_{target.upper()}
  pardo {', '.join(names)}
    z_{names}[{index}] = 0.0
    do hist
      where hist <= stored
      get {history}[{index},hist]
      do hist1
        where hist1 == hist
        dot = bb[hist,hist1]
        w_{names}[{index}] = {history}[{index},hist]
        w_{names}[{index}] *= dot
        z_{names}[{index}] += w_{names}[{index}]
      enddo hist1
    enddo hist
    put {target}[{index}] = z_{names}[{index}]
  endpardo {', '.join(names)}
  ENDPROC MIX_{target.upper()}
""".splitlines()


# Vectors and errors of diis() below, and their overlaps.
DIIS_ARRAYS = piece("rccsd_diis_arrays")

HEAD = piece("rccsd_head", diis_arrays=DIIS_ARRAYS)

# After the new amplitudes t: keeps them, leaves the loop, or takes the next ones.
DIIS_STEP = piece("rccsd_diis_step")

TAIL = piece("rccsd_tail", diis_step=DIIS_STEP)


def program():
    writer = Writer()
    steps = []
    for target, names, terms in INTERMEDIATES:
        steps += fill(target, names) + ["  sip_barrier"]
        steps += writer.array(target, names, terms) + ["  sip_barrier"]
    for target, names in (("r_t1", "ai"), ("r_t2", "aibj")):
        steps += fill(target, names)
    steps.append("  sip_barrier")
    steps += writer.array("r_t1", "ai", SINGLES)
    steps += writer.array("r_t2", "aibj", DOUBLES_WITH_IMAGE, True)
    more = Writer()
    more.temps = writer.temps
    last = more.array("r_t2", "aibj", DOUBLES)
    more.procs = [("r_t2_alone_" + name.rsplit("_", 1)[1], lines) for name, lines in more.procs]
    steps += [line.replace("_TERM_", "_ALONE_") for line in last] + ["  sip_barrier"]
    text = HEAD.splitlines()
    for target, names, _ in INTERMEDIATES:
        text.append(f"  distributed {target}({','.join(names)})")
    for name, names in sorted(writer.temps.items()):
        text.append(f"  temp {name}({','.join(names)})")
    for name, lines in writer.procs + more.procs:
        text += ["#" + "-" * 60, f"  PROC {name.upper()}"] + lines + [f"  ENDPROC {name.upper()}"]
    text += ["  proc equations"] + steps + ["  endproc equations"]
    text += diis("t1", "ai", "h1") + diis("t2", "aibj", "h2")
    return "\n".join(text + TAIL.splitlines()) + "\n"


if __name__ == "__main__":
    print(program(), end="")
