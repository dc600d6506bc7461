# SPDX-License-Identifier: Apache-2.0
"""Global arrays where NumPy's answer is easily missed."""
import collections
import copy
import math
import pickle

import numpy as np
import pytest

import blockyard
from blockyard import ga
from blockyard.ga import _indexing
from blockyard.ga._held import Held


def test_algebra_reads_the_lower_triangle():
    def work():
        m = np.tril(np.arange(1.0, 26).reshape(5, 5)) + 40 * np.eye(5)
        for order in "CF":
            for a in (ga.array(m, order=order), ga.array(m.T, order=order).T):
                found = np.linalg.eigh(a)
                np.testing.assert_allclose(found.eigenvalues, np.linalg.eigh(m).eigenvalues)
                np.testing.assert_allclose(np.abs(found.eigenvectors), np.abs(np.linalg.eigh(m).eigenvectors), atol=1e-12)
                x = ga.solve(a, np.ones(5), is_positive=True)
                np.testing.assert_allclose(x, np.linalg.solve(m + np.tril(m, -1).T, np.ones(5)))

    ga.launch(2, work)


def test_masks_and_increments_that_do_not_fit_are_refused():
    masked = np.ma.array([1.0, 2.0], mask=[False, True])

    def work():
        a, counter = ga.zeros(2), ga.zeros(1, "i4")
        for call in (lambda: ga.array(masked), lambda: ga.array(masked, "f4"), lambda: a.__setitem__(slice(None), masked),
                     lambda: a.add(np.s_[:], masked)):
            with pytest.raises(blockyard.InputError, match="masked"):
                call()
        with pytest.raises(OverflowError, match="int32"):
            counter.read_inc(0, 2**40)
        a[:] = np.ma.array([1.0, 2.0], mask=False)
        a.sync()
        assert a[1] == 2 and counter.read_inc(0, np.int64(0)) == 0

    ga.launch(2, work)


def test_copies_of_python_are_copies():
    def work():
        a = ga.array(np.arange(6.0))
        for made in (copy.copy(a), copy.deepcopy(a), copy.deepcopy([a])[0]):
            a[0] = 7
            a.sync()
            assert made[0] == 0 and made.shape == a.shape
            a.sync()
            a[0] = 0
            a.sync()
        with pytest.raises(TypeError, match="np.asarray"):
            pickle.dumps(a)
        assert a.astype(float, copy=False) is a and a.astype(float) is not a

    ga.launch(2, work)


def test_axes_and_types_of_reductions_are_those_of_numpy():
    def same(made, wanted):
        assert made.dtype == wanted.dtype and made.shape == wanted.shape
        np.testing.assert_array_equal(np.asarray(made), wanted)

    def work():
        x = np.array([[3.0, 1.0, 2.0], [0.5, 7.0, 1.0]], "f4")
        a = ga.array(x)
        for refused in (a.argmax, a.argmin, a.cumsum, a.cumprod):
            with pytest.raises(TypeError):
                refused(axis=(0, 1))
        assert np.argmax(ga.array(x[0]), axis=-1) == np.argmax(x[0], axis=-1)
        same(np.argmax(ga.array(x[0]), axis=0, keepdims=True), np.argmax(x[0], axis=0, keepdims=True))
        same(a.var(0, dtype="f8"), x.var(0, dtype="f8"))
        same(ga.array(x.astype("f8")).std(0, dtype="f4"), x.astype("f8").std(0, dtype="f4"))
        same(a.mean(0, dtype=int), x.mean(0, dtype=int))
        same(a.sum(dtype=complex), x.sum(dtype=complex))
        large = np.array([[1e8], [1], [1], [-1e8]], "f4")
        b = ga.array(large)
        for name in ("sum", "mean"):
            out = getattr(np, name)(large, axis=0, out=np.empty(1))
            same(getattr(b, name)(axis=0, out=ga.zeros(1)), out)
        for ufunc in (np.logical_or, np.maximum, np.add):
            same(ufunc.reduce(a, axis=0, out=ga.zeros(3)), ufunc.reduce(x, axis=0, out=np.empty(3)))

    ga.launch(2, work)


@pytest.mark.parametrize("kind", ["m8[s]", "M8[s]"])
def test_times_are_reduced(kind):
    def work():
        x = np.array([[3, 1, 2], [9, 4, 8]]).astype(kind)
        a = ga.array(x)
        for made, wanted in ((a.max(), x.max()), (a.min(0), x.min(0)), (a.argmax(1), x.argmax(1))):
            np.testing.assert_array_equal(np.asarray(made), wanted)
            assert made.dtype == wanted.dtype
        if kind[0] == "m":
            np.testing.assert_array_equal(a.sum(0), x.sum(0))
            np.testing.assert_array_equal(a.cumsum(0), x.cumsum(0))
            assert a.sum() == x.sum() and a.mean() == x.mean()

    ga.launch(2, work)


def test_methods_and_arguments_of_numpy():
    def work():
        x = np.array([[1.5 + 1j, 0.25], [3j, -2.0], [0, 1]])
        a, few = ga.array(x), ga.array(np.array([1, 100, -100], "i1"))
        for made, wanted in ((a.conjugate(), x.conjugate()), (a.swapaxes(0, 1), x.swapaxes(0, 1)),
                             (a.real.round(1), x.real.round(1)), (np.count_nonzero(a, axis=0), np.count_nonzero(x, axis=0)),
                             (np.clip(few, -200, 300), [1, 100, -100]), (np.clip(few, 0, 128), [1, 100, 0])):
            np.testing.assert_array_equal(np.asarray(made), wanted)
        assert np.clip(few, -200, 300).dtype == few.dtype
        assert ga.array(x[:2]).trace() == x[:2].trace()
        for call in (lambda: np.where(a), lambda: np.full_like(a, 1, order="F")):
            with pytest.raises(TypeError, match="numpy.(where|full_like) of .*global array"):
                call()
        key = collections.namedtuple("Key", "i j")(1, slice(None))
        np.testing.assert_array_equal(a[key], x[key])
        np.testing.assert_array_equal(a[np.array(True)], x[np.array(True)])
        a.sync()
        a.local += 1
        a.sync()
        np.testing.assert_array_equal(np.asarray(a), x + 1)
        one = ga.zeros(1)  # of which a rank holds nothing
        one.local += 1
        one.sync()
        assert one[0] == 1
        with pytest.raises(AttributeError, match=r"a\.local\[\.\.\.\]"):
            a.local = np.zeros(a.local.shape, complex)

    ga.launch(2, work)


def test_types_of_truths_norms_and_deviations():
    def work():
        x, counts, single = np.array([True, False, True]), np.array([2, 3, 65535], "u2"), np.array([1, 0, 3], "f4")
        a, few, b = ga.array(x), ga.array(counts), ga.array(single)
        for made, wanted in ((np.vdot(a, few), np.vdot(x, counts)), (np.vdot(a, a), np.vdot(x, x)), (np.round(a), np.round(x)),
                             (np.linalg.norm(b, 0), np.linalg.norm(single, 0)), (few.std(dtype=int), counts.std(dtype=int)),
                             (b.std(), single.std()), (few.std(0), counts.std(0))):
            assert made.dtype == wanted.dtype
            np.testing.assert_array_equal(np.asarray(made), wanted)
        with pytest.raises(TypeError, match="decimals"):
            np.round(a, 1)

    ga.launch(2, work)


def test_indexes_of_a_few_elements_need_no_memory_for_the_others():
    vast = (1 << 60, 5)
    found = _indexing.parse(([[1], [-1]], [3, 4]), vast, "vast")
    assert found.shape == (2, 2) and found.at.tolist() == [[1, 3], [1, 4], [vast[0] - 1, 3], [vast[0] - 1, 4]]
    assert _indexing.parse((np.array([7], "u1"), 2), vast, "vast").at.tolist() == [[7, 2]]
    assert _indexing.parse([], vast[:1], "vast").shape == (0,)
    with pytest.raises(IndexError, match=r'index -6 is outside 0..4 on axis 1 of array "vast"'):
        _indexing.parse(([1], [0, -6]), vast, "vast")
    with pytest.raises(IndexError, match=r"shapes \(2,\) \(3,\) do not fit each other"):
        _indexing.parse(([1, 2], [0, 0, 0]), vast, "vast")


def test_a_cumulative_sum_reads_one_element_of_each_earlier_block(monkeypatch):
    foreign, view = [], Held.view

    def noted(self, where):
        if where not in self.slices():
            foreign.append(math.prod(part.stop - part.start for part in where))
        return view(self, where)

    monkeypatch.setattr(Held, "view", noted)
    x = np.arange(1000) % 7

    def work():
        for layout in (ga.regular(), ga.cyclic((25,))):
            a = ga.array(x, layout=layout)
            read = len(a.distribution())
            ga.sync()
            foreign.clear()
            ga.sync()
            found = np.cumsum(a)
            ga.sync()
            assert sum(foreign) <= ga.size() * read
            np.testing.assert_array_equal(found[...], np.cumsum(x))
            out = ga.empty(1000, "i4")
            np.cumsum(a, out=out)
            np.testing.assert_array_equal(out[...], np.cumsum(x))
            ga.sync()

    ga.launch(4, work)
