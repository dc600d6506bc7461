# SPDX-License-Identifier: Apache-2.0
"""What a blockyard.Ring takes in, and until when."""
import numpy as np
import pytest

import blockyard
from test_ring import expect_good, with_mpi


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


ALTERNATING = """
import numpy as np
import blockyard

me, count = blockyard.processes()
gives = 60
with blockyard.Ring((5,)) as r, blockyard.Ring((6,), "i8") as q:

    @r.update
    def add(part, x):
        part += x.sum()

    @q.update
    def subtract(part, x):
        part -= x.sum()

    for k in range(gives):
        r.give(np.ones(3))
        if (k + me) % 2:
            q.give(np.ones(2, "i8"))
            q.give(np.ones(1, "i8"))
    assert (r.result() == 3 * gives * count).all() and (q.result() == -3 * gives // 2 * count).all()
print("good", flush=True)
"""


@with_mpi
def test_several_rings_are_filled_in_turn(tmp_path):
    (tmp_path / "alternating.py").write_text(ALTERNATING)
    expect_good(tmp_path / "alternating.py", 3)


FAILING = """
import numpy as np
import blockyard

me, count = blockyard.processes()
try:
    with blockyard.Ring((5,)) as r, blockyard.Ring((6,)) as q:

        @r.update
        def add(part, x):
            part += x.sum()

        @q.update
        def fail(part, x):
            raise RuntimeError("of q")

        if me:
            q.give(np.ones(2))
        r.finish()
        q.finish()
except (RuntimeError, blockyard.CommunicationError) as error:
    assert "of q" in str(error) or "another ring" in str(error), error
    print("good", flush=True)
"""


@with_mpi
def test_a_ring_that_waits_ends_with_the_error_of_another(tmp_path):
    (tmp_path / "failing.py").write_text(FAILING)
    expect_good(tmp_path / "failing.py", 2)
