# SPDX-License-Identifier: Apache-2.0
"""Masked arrays of NumPy, which no part of Blockyard computes with."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from . import _errors

T = TypeVar("T")


def unmasked(array: T) -> T:
    """The array itself. Raises InputError for a masked array of NumPy: what lies below a mask is no value."""
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        raise _errors.InputError("elements of the array are masked, and masks are not computed with: give array.filled(0), or "
                                 "another value for them")
    return array
