# SPDX-License-Identifier: Apache-2.0
"""The SIAL program of a plan."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .terms import Step, Term, index_name, operands_of

if TYPE_CHECKING:
    from .plan import Plan


def program_text(plan: Plan) -> str:
    lines = [f"# einsum {plan.subscripts}", "sial einsum"]
    for letter, first in plan.first_segments().items():
        lines.append(f"  aoindex {index_name(letter)} = {first}:{first + len(plan.segments[letter]) - 1}"
                     f"    # {plan.extents[letter]} elements")
    kind = element_words(plan.element)
    number_kind = "complex " if plan.element.kind == "c" else ""
    for term in plan.terms:
        lines.append(f"  {kind}distributed {term.spell()}" if term.letters else f"  {number_kind}scalar {term.name}")
    for number, (step, _) in enumerate(plan.made, 1):
        if step.result.letters:
            lines.append(f"  {kind}temp t{number}[{','.join(map(index_name, step.result.letters))}]")
        if step.result.name != "result" or plan.is_gathered:
            lines.append(f"  {kind}distributed {step.result.spell()}" if step.result.letters
                         else f"  {number_kind}scalar {step.result.name}")
    if any(step.summed and not step.result.letters for step in plan.order):
        lines.append(f"  {number_kind}scalar part")
    if not plan.output:
        lines.append(f"  {number_kind}scalar total")
    elif not plan.is_gathered:
        lines.append("  special write_result r")
    if any(step.is_sum for step in plan.order):
        lines.append("  special add_sum ur")
    lines += [f"  {term.name} = {_number_text(term.given)}" for term in plan.terms if not term.letters]
    for number, (step, loops) in enumerate(plan.made, 1):
        lines += _step_lines(number, step, loops, plan)
    return "\n".join(lines + ["endsial einsum", ""])


def element_words(dtype: np.dtype) -> str:
    """The words of a declaration."""
    return ("single " if dtype.itemsize == (8 if dtype.kind == "c" else 4) else "") + (
        "complex " if dtype.kind == "c" else "")


def _number_text(value: Any) -> str:
    number = complex(np.asarray(value)[()])
    real = _real_text(number.real)
    return f"complex({real}, {_real_text(number.imag)})" if np.iscomplexobj(value) else real


def _real_text(number: float) -> str:
    """SIAL has literals from 1e-308 to 1e308; all others are products."""
    if math.isnan(number):
        return "1e308*10.0 - 1e308*10.0"
    if math.isinf(number):
        return f"{math.copysign(1e308, number)!r}*10.0"
    if number == 0 or 1e-300 < abs(number) < 1e300:
        return repr(number)
    mantissa, exponent = math.frexp(number)
    half = exponent // 2
    return f"{math.ldexp(mantissa, half)!r}*{math.ldexp(1.0, exponent - half)!r}"


def _step_lines(number: int, step: Step, loops: str, plan: Plan) -> list[str]:
    terms = operands_of(step)
    product = "*".join(term.spell() if term.letters else term.name for term in terms)
    gets = [f"get {term.spell()}" for term in terms if term.letters]
    if not step.result.letters:
        return _scalar_lines(step, product, gets)
    made = Term(f"t{number}", step.result.letters).spell()
    outer = ",".join(map(index_name, loops))
    lines = [f"  pardo {outer}"]
    if step.summed:
        lines.append(f"    {made} = 0.0")
        lines += [f"    do {index_name(c)}" for c in step.summed[::-1]]
        lines += [f"      {text}" for text in [*gets, _added(step, made, product)]]
        lines += [f"    enddo {index_name(c)}" for c in step.summed]
    else:
        lines += [f"    {text}" for text in [*gets, f"{made} = {product}"]]
    if step.result.name == "result" and not plan.is_gathered:
        lines.append(f"    execute write_result {made}")
    else:
        lines.append(f"    put {step.result.spell()} = {made}")
    return lines + [f"  endpardo {outer}", "  sip_barrier"]


def _added(step: Step, to: str, product: str) -> str:
    return f"execute add_sum {to} {product}" if step.is_sum else f"{to} += {product}"


def _scalar_lines(step: Step, product: str, gets: list[str]) -> list[str]:
    """A full contraction: the sum over the workers of what each one has."""
    name = "total" if step.result.name == "result" else step.result.name
    if not step.summed:
        return [f"  {name} = {product}"]
    outer = ",".join(map(index_name, step.summed[::-1]))
    return ["  part = 0.0", f"  {name} = 0.0", f"  pardo {outer}",
            *[f"    {text}" for text in gets], f"    {_added(step, 'part', product)}", f"  endpardo {outer}",
            f"  collective {name} += part"]
