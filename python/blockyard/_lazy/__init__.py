# SPDX-License-Identifier: Apache-2.0
"""Arrays to compute with: expressions that become one program when their values are needed."""

from .array import LazyArray, lazy

__all__ = ["LazyArray", "lazy"]
