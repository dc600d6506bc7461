# SPDX-License-Identifier: Apache-2.0
"""Arguments that name axes, as NumPy reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

try:
    from numpy.lib.array_utils import normalize_axis_tuple
except ImportError:  # before NumPy 2
    from numpy.core.numeric import normalize_axis_tuple  # type: ignore[no-redef,attr-defined,unused-ignore]


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """All of them for None. Raises NumPy's AxisError where there is no such axis, ValueError where one is named twice."""
    return tuple(range(ndim)) if axis is None else tuple(normalize_axis_tuple(axis, ndim))


def order_of(axes: Sequence[Any], ndim: int) -> tuple[int, ...]:
    """Of the arguments of ``transpose``. Raises also ValueError where there are not as many as axes."""
    given = axes[0] if len(axes) == 1 and not isinstance(axes[0], (int, np.integer)) else axes
    if len(axes) == 0 or given is None:
        return tuple(reversed(range(ndim)))
    order = axes_of(tuple(given), ndim)
    if len(order) != ndim:
        raise ValueError(f"the axes {order} are not those of an array of {ndim}")
    return order
