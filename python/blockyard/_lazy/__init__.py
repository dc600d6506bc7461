# SPDX-License-Identifier: Apache-2.0
"""Arrays to compute with: expressions that become one program when somebody wants their values."""

from .array import LazyArray, lazy

__all__ = ["LazyArray", "lazy"]
