# SPDX-License-Identifier: Apache-2.0
"""``Session.einsum``: a contraction of arrays as a SIAL program."""

from .plan import Plan, plan_einsum
from .run import EinsumArray, run_plan

__all__ = ["EinsumArray", "Plan", "plan_einsum", "run_plan"]
