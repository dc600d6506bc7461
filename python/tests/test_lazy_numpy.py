# SPDX-License-Identifier: Apache-2.0
"""Arrays to compute with, and results, where NumPy's answer is easily missed."""
import copy
import pickle
import tracemalloc

import numpy as np
import pytest

import blockyard


@pytest.fixture(scope="module")
def session():
    with blockyard.Session(workers=1, memory="64M", quiet=True) as s:
        yield s


@pytest.mark.parametrize("dtype", ["i8", "u8"])
def test_integers_at_the_ends_of_their_range_stay_there(dtype, session):
    x, zeros = np.array([np.iinfo(dtype).max, np.iinfo(dtype).min, 5], dtype), np.zeros((4, 3), dtype)
    for made, wanted in ((session.array(x)[None, :] + session.array(zeros), x[None, :] + zeros),
                         (session.array(x)[:, None] + session.array(zeros.T), x[:, None] + zeros.T)):
        np.testing.assert_array_equal(np.asarray(made), wanted)
    whole = np.array([[np.iinfo(dtype).max], [0]], dtype)  # summed in double precision
    assert np.asarray(session.array(whole).sum(0))[0] == np.iinfo(dtype).max


@pytest.mark.parametrize("kind", ["h5py", "dask"])
def test_integers_of_files_are_not_rounded(kind, session, tmp_path):
    x, line = np.array([[2**60 + 1, 5, -2**62 - 3], [1, 2**53 + 1, 7]]), np.array([2**63 - 1, 0, 2**53 + 1], "u8")
    if kind == "h5py":
        file = pytest.importorskip("h5py").File(tmp_path / "a.h5", "w")
        given, of_line = (file.create_dataset(name, data=a, chunks=(1,) * a.ndim) for name, a in (("x", x), ("line", line)))
    else:
        given, of_line = (pytest.importorskip("dask.array").from_array(a, chunks=1) for a in (x, line))
    z, zeros = session.array(given), np.zeros((4, 3), "u8")
    for function in (lambda p: p[:, None], lambda p: p + 0, lambda p: p.T * 1, lambda p: np.where(p > 5, p, 0), lambda p: p[1] + p,
                     lambda p: p[:, :1] + p, lambda p: p == 2**53, lambda p: -p[::-1]):
        np.testing.assert_array_equal(np.asarray(function(z)), function(x))
    np.testing.assert_array_equal(np.asarray(session.array(of_line) + zeros), line + zeros)
    np.testing.assert_array_equal(np.asarray(session.array(of_line)[:, None] + zeros.T), line[:, None] + zeros.T)
    for made in (z, z + 0):
        np.testing.assert_array_equal(made.compute(out=np.zeros_like(x)), x)
    for product in (lambda: z @ z.T, lambda: session.einsum("ij->j", given), lambda: session.array(of_line) @ zeros.T):
        with pytest.raises(blockyard.InputError, match=r"rounds the integer \S+: .*astype"):
            np.asarray(product())
    np.testing.assert_array_equal(np.asarray(z.astype("f8") @ np.ones(3)), x.astype("f8") @ np.ones(3))


@pytest.mark.parametrize("function", [lambda p, q: np.tensordot(p, q, 0)[1, 2], lambda p, q: np.einsum("i,j->ij", p, q + 1)[1],
                                      lambda p, q: np.einsum("i,j->ij", p * 1j, q)[1, 1] + q, lambda p, q: np.einsum("i,i->i", p, p)[2]])
def test_a_row_or_an_element_of_an_outer_product(function, session):
    p, q = np.arange(3.0) + 1, np.arange(4.0) - 7
    np.testing.assert_array_equal(np.asarray(function(session.array(p), session.array(q))), function(p, q))


def test_integers_of_numbers_are_not_rounded(session):
    x = np.uint64(2**63 + 5)
    assert np.asarray(session.array(x) | 3) == x | 3 and np.asarray(session.array(x) // 3 + 2) == x // 3 + 2


def test_numbers_have_an_axis_to_sum_over(session):
    number = session.array(np.array(2.5))
    for made, wanted in ((number.sum(0), 2.5), (number.sum(-1), 2.5), (np.sum(number, axis=0, keepdims=True), 2.5)):
        assert np.shape(made) == () and float(made) == wanted
    with pytest.raises(ValueError, match="axis"):
        number.mean(0)


def test_real_numbers_go_to_complex_elements_of_a_file(session, tmp_path):
    with pytest.importorskip("h5py").File(tmp_path / "a.h5", "w") as file:
        out, x = file.create_dataset("out", (3,), "c16"), np.arange(3.0)
        for made in (session.array(x), session.array(x) + 0, session.array(file.create_dataset("x", data=x))):
            assert made.compute(out=out) is out
            np.testing.assert_array_equal(out[...], x)


def peak_of(call):
    """Of the memory that a call takes, also for what it returns."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_results_are_neither_copied_nor_converted(session):
    a = np.random.default_rng(15).normal(size=(1024, 1024))
    x, whole = session.array(a), a.nbytes
    assert peak_of(lambda: (x * 2.0).compute()) < 1.7 * whole
    assert peak_of(lambda: (x > 0).compute()) < 0.7 * whole
    product, out = x @ x.T, np.empty_like(a)
    assert peak_of(lambda: product.compute(out=out)) < 0.7 * whole
    np.testing.assert_allclose(out, a @ a.T)
    with pytest.raises(blockyard.InputError, match="overlaps"):
        (x + 1.0).compute(out=a)
    np.testing.assert_allclose((x @ x.T).compute(out=a), out)  # NumPy's answer also where a copy is made


def test_sums_of_infinite_complex_numbers(session):
    x = np.array([[np.inf, 1], [1j, complex(2, -np.inf)]])
    for axis in (0, 1, None):
        np.testing.assert_array_equal(np.asarray(session.array(x).sum(axis)), x.sum(axis))


def test_values_are_not_those_of_the_cache(session):
    given = np.arange(4.0)
    for x in (session.array(given), session.array(given) + 1):
        before = np.array(x)
        x.compute()[0] = 7
        np.array(x)[0] = 7
        np.array(x, copy=True)[0] = 7
        np.asarray(x, dtype="f4")[0] = 7
        with pytest.raises(ValueError, match="read-only"):
            np.asarray(x)[0] = 7
        np.testing.assert_array_equal(np.asarray(x), before)
    np.testing.assert_array_equal(given, np.arange(4.0))


@pytest.mark.parametrize("values, dtype", [([200.0], "i1"), ([1j], "f8")])
def test_a_result_does_not_go_to_elements_of_another_kind(values, dtype, session):
    with pytest.raises(blockyard.InputError, match=np.dtype(dtype).name):
        (session.array(np.array(values)) * 1).compute(out=np.zeros(1, dtype))


def test_products_of_short_integers_overflow_as_in_numpy_also_on_their_way_to_out(session, tmp_path):
    x = np.array([[100, 7], [-90, 3]], "i1")
    for function in (lambda p: p @ p, lambda p: (p + p[0, 1]) @ p):
        wanted, z = function(x).astype("f8"), function(session.array(x))
        np.testing.assert_array_equal(z.compute(out=np.empty((2, 2))), wanted)
        with pytest.importorskip("h5py").File(tmp_path / "a.h5", "w") as file:
            np.testing.assert_array_equal(z.compute(out=file.create_dataset("out", (2, 2), "i4")), wanted)


def test_protocols_of_python(session):
    x = np.arange(6.0).reshape(2, 3)
    z = session.array(x)
    assert 3.0 in z and 9.0 not in z
    assert f"{z.sum():.3f}" == "15.000" and round(z.sum() / 7, 2) == round(x.sum() / 7, 2)
    np.testing.assert_array_equal(np.asarray(z == None), x == None)  # noqa: E711
    assert list(range(9))[session.array([1, 2]).sum()] == 3
    for refused in (lambda: list(z.sum()), lambda: round(z), lambda: f"{z:.3f}", lambda: range(z.sum())):
        with pytest.raises(TypeError):
            refused()
    for made in (copy.copy(z), copy.deepcopy(z * 2) / 2):
        np.testing.assert_array_equal(np.asarray(made), x)
    with pytest.raises(TypeError, match=r"compute\(\)"):
        pickle.dumps(z)


def test_types_that_are_asked_for(session):
    x = np.arange(6.0).reshape(2, 3)
    z = session.array(x)
    assert z.mean(axis=0, dtype="f4").dtype == np.float32
    assert z.astype("f8", copy=False) is z and z.astype("f4", copy=False).dtype == np.float32
    np.testing.assert_array_equal(session.array([1, 2, 3]).astype(str), np.array([1, 2, 3]).astype(str))


def test_a_shape_that_dask_does_not_know(session):
    dask = pytest.importorskip("dask.array")
    x = dask.from_array(np.arange(10.0), chunks=4)
    with pytest.raises(blockyard.InputError, match="compute_chunk_sizes"):
        session.array(x[x > 3])


def test_reductions_of_a_result_are_numbers(session):
    made = session.einsum("ij,jk->ik", np.eye(3), np.eye(3))
    assert isinstance(made, np.ndarray) and made.sial
    for one in (made.sum(), np.max(made), made.mean()):
        assert isinstance(one, np.floating)
    np.testing.assert_array_equal(made.sum(0), np.ones(3))


def test_a_result_of_a_program_has_python_s_protocols():
    x = blockyard._arrays.BlockArray("x", np.array([[2.0]]), [[1], [1]])
    assert len(x) == 1 and bool(x) and not bool(blockyard._arrays.BlockArray("x", np.zeros((1, 1)), [[1], [1]]))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(blockyard._arrays.BlockArray("x", np.zeros((2, 1)), [[2], [1]]))
    truth = blockyard._arrays.BlockArray("t", np.array([[True]]), [[1], [1]])
    assert np.sum(x, where=truth) == np.sum(np.ones((1, 1)) * 2, where=truth) == 2.0
    one = blockyard._arrays.BlockArray("x", np.array(2.0), [])
    assert (int(one), float(one), complex(one)) == (2, 2.0, 2.0)
    many = blockyard._arrays.BlockArray("x", np.array([[1.0, 2.0], [3.0, 4.0]]), [[2], [2]])
    assert 3 in many and 5 not in many
