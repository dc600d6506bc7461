# SPDX-License-Identifier: Apache-2.0
"""Writes terms of equations as people wrote them for ACES4: sums in loops, at the server, in rows of local
arrays, through contiguous regions; upper and lower case, both notations and stray comments in turn.
"""

import random
import re

import rccsd
from pieces import piece

class Author(rccsd.Writer):
    """Writes one term in one of several manners that authors had, in turn."""

    def __init__(self):
        super().__init__()
        self.locals = {}
        self.regions = {}
        self.turn = 0

    def product(self, target, names, factor, product):
        """A procedure that adds a term to the target; the line that calls it."""
        name = f"{target}_{len(self.procs) + 1}"
        self.turn += 1
        write = [self.sum_in_loops, self.sum_at_the_server, self.sum_in_a_local][self.turn % 3]
        if len(names) != 4 and self.turn % 3 == 2:
            write = self.sum_at_the_server
        self.procs.append((name, write(target, names, factor, product)))
        return f"  CALL {name.upper()}"

    @staticmethod
    def parts(product, names):
        factors = [one.split(".") for one in product.split()]
        return factors, sorted(set("".join(f[1] for f in factors)) - set(names))

    def fetch(self, factors):
        lines, blocks = [], []
        for array, of in factors:
            block = f"{array}[{','.join(of)}]"
            if array == "dmo":                                     # a static array
                block = f"s_{of}[{','.join(of)}]"
                self.temps["s_" + of] = of
                lines.append(f"        {block} = dmo[{','.join(of)}]")
            else:
                lines.append(f"        {'REQUEST' if array == 'v' else 'GET'} {block}")
            blocks.append((block, of))
        return lines, blocks

    def sum_in_loops(self, target, names, factor, product):
        factors, summed = self.parts(product, names)
        result = self.temp(names)
        lines = [f"  pardo {', '.join(names)}", f"    {result} = 0.0"]
        lines += [f"      DO {n}" for n in summed]
        fetch, blocks = self.fetch(factors)
        lines += fetch + self.multiply(blocks, names, factor, result)
        lines += [f"      ENDDO {n}" for n in reversed(summed)]
        return lines + [f"    put {target}[{','.join(names)}] += {result}",
                        f"  endpardo {', '.join(names)}"]

    def sum_at_the_server(self, target, names, factor, product):
        factors, summed = self.parts(product, names)
        listed = ", ".join([*names, *summed])
        result = self.temp(names)
        fetch, blocks = self.fetch(factors)
        lines = [f"  PARDO {listed}", *fetch, f"        {result} = 0.0"]
        lines += self.multiply(blocks, names, factor, result)
        return lines + [f"      PUT {target}[{','.join(names)}] += {result}", f"  ENDPARDO {listed}"]

    def sum_in_a_local(self, target, names, factor, product):
        """A row of the result is allocated, filled and sent; one factor goes through a region."""
        factors, summed = self.parts(product, names)
        row, rest = names[:2], names[2:]
        acc = f"acc_{names}"
        self.locals[acc] = names
        index = ",".join(names)
        some = ",".join(row) + ",*,*"
        lines = [f"  PARDO {', '.join(row)}", f"    ALLOCATE {acc}[{some}]"]
        loops = [*rest, *summed]
        lines += [f"      DO {n}" for n in loops]
        fetch, blocks = self.fetch(factors)
        lines += fetch
        block, of = blocks[0]
        region = f"reg_{of}"
        self.regions[region] = of
        bounds = ",".join(f"{n}:{n}" for n in of)
        copy = f"c_{of}[{','.join(of)}]"
        self.temps["c_" + of] = of
        lines += [f"        allocate contiguous {region}[{bounds}]",
                  f"        {region}[{bounds}] = {block}",
                  f"        {copy} = {region}[{bounds}]",
                  f"        deallocate contiguous {region}[{bounds}]"]
        blocks[0] = (copy, of)
        lines += self.multiply(blocks, names, factor, f"{acc}[{index}]")
        lines += [f"      ENDDO {n}" for n in reversed(loops)]
        lines += [f"      DO {n}" for n in rest] + [f"      PUT {target}[{index}] += {acc}[{index}]"]
        lines += [f"      ENDDO {n}" for n in reversed(rest)]
        return lines + [f"    DEALLOCATE {acc}[{some}]", f"  ENDPARDO {', '.join(row)}"]

    def declarations(self):
        lines = []
        for kind, arrays in (("temp", self.temps), ("local", self.locals),
                             ("contiguous local", self.regions)):
            for name, names in sorted(arrays.items()):
                lines.append(f"  {kind} {name}[{','.join(names)}]")
        return lines

    def procedures(self):
        lines = []
        for name, body in self.procs:
            lines += ["#" + "-" * 60, f"  PROC {name.upper()}"] + body + [f"  ENDPROC {name.upper()}"]
        return lines


def as_typed(lines, seed):
    """The lines as people typed them: letter case, brackets and blanks as the mood was."""
    mood = random.Random(seed)
    typed = []
    for line in lines:
        texts = re.split(r'("[^"]*"|#.*)', line)
        plain = line.split("#")[0]
        round_ones = mood.random() < 0.3 and ":" not in plain.split("=")[0] and "contiguous" not in plain \
            and "reg_" not in plain and not plain.strip().startswith("execute")
        upper = mood.random() < 0.4
        for k in range(0, len(texts), 2):
            texts[k] = texts[k].upper() if upper else texts[k]
            if round_ones:
                texts[k] = texts[k].replace("[", "(").replace("]", ")")
        line = "".join(texts)
        if mood.random() < 0.2:
            line = line.replace("  ", "\t", 1)
        if mood.random() < 0.1:
            line += "   # " + mood.choice(["", "see above", "do not change this", "*** fix me \"later\""])
        typed.append(line)
        if mood.random() < 0.05:
            typed.append("#")
    return "\n".join(typed) + "\n"


def equations(author):
    """A procedure that makes the intermediates of rccsd.py from t1 and t2."""
    lines = ["  proc equations"]
    for target, names, terms in rccsd.INTERMEDIATES:
        lines += rccsd.fill(target, names) + ["  sip_barrier"]
        lines += [author.product(target, names, factor, product) for factor, product in terms] + ["  sip_barrier"]
    return lines + ["  endproc equations"]


def distributed(arrays):
    return [f"  distributed {name}[{','.join(names)}]" for name, names in arrays.items()]


HEAD = piece("head")
