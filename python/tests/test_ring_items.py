# SPDX-License-Identifier: Apache-2.0
"""What a blockyard.Ring takes in, and until when."""
import numpy as np
import pytest

import blockyard


@pytest.mark.parametrize("dtype", ["U3", "M8[s]", ">f8", "?", [("n", "i4"), ("x", "f4")]])
def test_a_slice_has_elements_of_any_type(dtype):
    given = np.array([[1, 0], [2, 3]]).astype(dtype)
    with blockyard.Ring((2, 2), dtype, fabric="loopback") as r:
        @r.update
        def keep(part, x):
            part[...] = x

        r.give(given)
        whole = r.result()
    assert whole.dtype == given.dtype and np.array_equal(whole, given)


def test_nothing_is_given_after_the_result():
    with blockyard.Ring((2,), fabric="loopback") as r:
        r.update(lambda part, x: np.add(part, x, out=part))
        with pytest.raises(blockyard.InputError, match="call finish"):
            r.gather_into(np.zeros(2))
        r.give(np.ones(2))
        for _ in range(2):
            assert np.array_equal(r.result(), np.ones(2))
        for call in (lambda: r.give(np.ones(2)), r.serve):
            with pytest.raises(blockyard.InputError, match="takes no more items"):
                call()


def test_an_item_is_neither_masked_nor_kept():
    kept = []
    for given, match in ((np.ones(2), "keep a copy"), (np.ma.array([1.0, 2.0], mask=[0, 1]), "masked")):
        with pytest.raises((blockyard.InputError, TypeError), match=match):
            with blockyard.Ring((2,), fabric="loopback") as r:
                r.update(lambda part, x: kept.append(x[1:]))
                r.give(given)
