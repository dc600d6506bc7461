# SPDX-License-Identifier: Apache-2.0
"""Transfers that were begun."""

from __future__ import annotations

from typing import Any

from .. import _core


class Later:
    """A transfer that was begun. ``result()`` waits for it."""

    def __init__(self, pending: _core.GaPending | None, result: Any):
        self._pending = pending
        self._result = result

    def done(self) -> bool:
        """Whether the elements are there (get), or the given array may be changed again (put, add)."""
        return self._pending is None or self._pending.test()

    def result(self) -> Any:
        """Waits. Returns the elements of a ``get_later``, else None."""
        if self._pending is not None:
            self._pending.wait()
            self._pending = None
        return self._result
