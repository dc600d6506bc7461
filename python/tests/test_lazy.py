# SPDX-License-Identifier: Apache-2.0
"""Arrays to compute with have NumPy's own shapes, types and values."""
import gc
import pickle
import tracemalloc

import numpy as np
import pytest

import blockyard
from blockyard._lazy.nodes import in_order
from conftest import arrays_shown

DTYPES = ["f8", "f8", "f8", "f4", "c16", "c8", "i8", "?"]


@pytest.fixture(scope="module")
def session():
    with blockyard.Session(workers=2, memory="64M", quiet=True) as s:
        yield s


def given(rng, shape, dtype):
    values = rng.integers(-4, 5, size=shape) if dtype in ("i8", "?") else rng.normal(size=shape)
    if dtype[0] == "c":
        values = values + 1j * rng.normal(size=shape)
    array = np.asarray(values).astype(dtype)
    return np.asfortranarray(array) if rng.random() < 0.3 else array


class Writer:
    """Random expressions as text over names of arrays, each with its shape."""

    def __init__(self, rng):
        self.rng = rng
        self.arrays = {}

    def pick(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def leaf(self, shape):
        for name, array in self.arrays.items():
            if array.shape == shape and self.rng.random() < 0.4:
                return name
        name = f"x{len(self.arrays)}"
        self.arrays[name] = given(self.rng, shape, self.pick(*DTYPES))
        return name

    def write(self, shape, depth):
        if depth == 0:
            return self.leaf(shape)
        kinds = ["leaf", "binary", "binary", "unary", "scalar", "sum", "slice"]
        kinds += ["matmul", "transpose", "broadcast"] if len(shape) == 2 else ["matvec"] if len(shape) == 1 else []
        kind = self.pick(*kinds)
        n = int(self.rng.integers(1, 9))
        if kind == "binary":
            return f"({self.write(shape, depth - 1)} {self.pick('+', '-', '*')} {self.write(shape, depth - 1)})"
        if kind == "unary":
            text = self.write(shape, depth - 1)
            return self.pick(f"np.negative({text} * 1)", f"np.cos({text} * 0.1)", f"np.conj({text})", f"np.abs({text})",
                             f"({text} * 0.5).real", f"np.where({text} == 1, 2.0, {text})")
        if kind == "scalar":
            return self.pick(f"({self.write(shape, depth - 1)} * 2)", f"(1.5 - {self.write(shape, depth - 1)})",
                             f"({self.write(shape, depth - 1)} / 4.0)", f"({self.write(shape, depth - 1)} ** 2)")
        if kind == "sum":
            axis = int(self.rng.integers(len(shape) + 1))
            return f"{self.write((*shape[:axis], n, *shape[axis:]), depth - 1)}.sum({axis})"
        if kind == "slice" and shape:
            larger = self.write(tuple(2 * k + 1 for k in shape), depth - 1)
            return f"{larger}[{', '.join(self.pick(f'1:{k + 1}', f':{2 * k}:2', f'{2 * k}:0:-2') for k in shape)}]"
        if kind == "matmul":
            return f"({self.write((shape[0], n), depth - 1)} @ {self.write((n, shape[1]), depth - 1)})"
        if kind == "matvec":
            return f"({self.write((shape[0], n), depth - 1)} @ {self.write((n,), depth - 1)})"
        if kind == "transpose":
            return f"{self.write(shape[::-1], depth - 1)}.T"
        if kind == "broadcast":
            return f"({self.write(shape, depth - 1)} + {self.write(shape[1:], depth - 1)}[None, :])"
        return self.leaf(shape)


def same(made, wanted, text):
    made = np.asarray(made)
    assert made.shape == wanted.shape and made.dtype == wanted.dtype, text
    single = any(np.dtype(dtype) == wanted.dtype for dtype in ("f4", "c8", "f2"))
    scale = float(np.max(np.abs(wanted), initial=1.0))
    tolerance = 1e-4 if single else 1e-10
    assert np.allclose(made, wanted, rtol=tolerance, atol=tolerance * scale, equal_nan=True), text


@pytest.mark.parametrize("part", range(10))
def test_random_expressions_are_those_of_numpy(part, session):
    rng = np.random.default_rng(1000 + part)
    compared = 0
    while compared < 50:
        writer = Writer(rng)
        shape = tuple(int(n) for n in rng.integers(1, 9, size=rng.integers(0, 4)))
        text = writer.write(shape, int(rng.integers(1, 5)))
        try:
            with np.errstate(all="ignore"):
                wanted = np.asarray(eval(text, {"np": np, **writer.arrays}))
        except TypeError:  # what NumPy has not, as the difference of truths
            continue
        made = eval(text, {"np": np, **{name: session.array(array) for name, array in writer.arrays.items()}})
        single = any(array.dtype.itemsize == {"f": 4, "c": 8}.get(array.dtype.kind) for array in writer.arrays.values())
        if single:  # rounded where NumPy rounds, but for sums
            wanted = wanted.astype(wanted.dtype)
            assert np.allclose(np.asarray(made), wanted, rtol=2e-3, atol=2e-3 * float(np.max(np.abs(wanted), initial=1.0)),
                               equal_nan=True), text
            assert np.asarray(made).dtype == wanted.dtype, text
        else:
            same(made, wanted, text)
        compared += 1


def test_an_expression_is_one_program(session):
    rng = np.random.default_rng(7)
    a, b, c = rng.normal(size=(40, 30)), rng.normal(size=(30, 20)), rng.normal(size=(40, 20))
    x = session.array(a) @ session.array(b) * 2.0 + session.array(c)
    assert x.shape == (40, 20) and isinstance(x, blockyard.LazyArray)
    assert x.sial.count("endsial") == 1 and x.sial.count("endpardo") == 1
    same(x, a @ b * 2.0 + c, "one pardo")
    y = session.array(c)
    z = (y - y.mean(0)) / np.sqrt(((y - y.mean(0)) ** 2).mean(0))
    same(z, (c - c.mean(0)) / c.std(0), "standardised")
    assert float(session.array(c).norm()) == pytest.approx(np.linalg.norm(c))
    assert float(np.linalg.norm(session.array(c))) == pytest.approx(np.linalg.norm(c))


def test_functions_of_numpy_take_them(session):
    rng = np.random.default_rng(8)
    a, b = rng.normal(size=(6, 7, 8)), rng.normal(size=(8, 7))
    x, y = session.array(a), session.array(b)
    for function in (lambda p, q: np.tensordot(p, q, axes=([2, 1], [0, 1])), lambda p, q: np.einsum("ijk,kj->ij", p, q),
                     lambda p, q: np.sum(p, axis=(0, 2)), lambda p, q: np.transpose(p, (2, 0, 1)), lambda p, q: np.dot(p, q), lambda p, q: np.dot(p, q[:, 1]),
                     lambda p, q: p.mean(1, keepdims=True) - p, lambda p, q: np.max(p, axis=1), lambda p, q: np.linalg.svd(q)[1],
                     lambda p, q: np.stack([q, q]), lambda p, q: np.einsum("ijk,kj,lj->il", p, q, q), lambda p, q: p[[0, 2]],
                     lambda p, q: p @ q, lambda p, q: np.add.reduce(q), lambda p, q: np.multiply.outer(q, [1.0, 2.0]),
                     lambda p, q: p.std(0), lambda p, q: np.var(q, axis=1, ddof=1), lambda p, q: p.var(), lambda p, q: np.std(p, keepdims=True),
                     lambda p, q: p.max(1), lambda p, q: q.reshape(7, 8), lambda p, q: (q > 0).any(), lambda p, q: q.argmin(0),
                     lambda p, q: q.conjugate(), lambda p, q: q.compress([1, 0, 1], axis=0), lambda p, q: q.sum(initial=2.0),
                     lambda p, q: np.sum(q, where=np.ones((8, 7), bool)), lambda p, q: np.sum(q, where=q > 0), lambda p, q: (q > 0).conj(),
                     lambda p, q: np.add(q, 1, where=q > 0, out=np.zeros((8, 7))), lambda p, q: q[True], lambda p, q: q[False, 1:],
                     lambda p, q: q[..., None, 2], lambda p, q: p[1] @ q[:, 3], lambda p, q: np.maximum(q, 0)):
        same(function(x, y), np.asarray(function(a, b)), "function")
    with pytest.raises(ValueError, match="do not go together"):
        x @ x
    with pytest.raises(IndexError):
        y[9]
    with pytest.raises(AttributeError, match="shapes"):
        y.shapes
    assert isinstance(x.std(0), blockyard.LazyArray) and isinstance(np.var(x), blockyard.LazyArray)
    with pytest.raises(AttributeError, match="would change it"):
        y.sort()
    with pytest.raises(TypeError, match=r"a = a \+ b"):
        y += 1


def test_wrong_axes_are_refused(session):
    x = session.array(np.ones((2, 3)))
    for call in (lambda: x.transpose(0, 0), lambda: x.transpose(0, 3), lambda: x.transpose(()), lambda: x.sum((0, 0)),
                 lambda: x.sum(2), lambda: np.tensordot(x, x, axes=((5,), (1,))), lambda: np.tensordot(x, x, axes=(1, (0, 1)))):
        with pytest.raises(ValueError, match="axes|axis"):
            call()


def test_axes_of_no_or_one_element_are_summed_over(session):
    a, empty = np.random.default_rng(12).normal(size=(4, 5)), np.zeros((0, 3))
    for function in (lambda p: p[:, None].sum(1), lambda p: p.sum(0, keepdims=True).mean(0), lambda p: p[None].var(0),
                     lambda p: p[:1].sum(0), lambda p: p[:1, :1].sum(), lambda p: np.einsum("ijk->ik", p[:, None]),
                     lambda p: p[0, :1] @ p[0, :1]):
        same(function(session.array(a)), np.asarray(function(a)), "of one element")
    for function in (lambda p: p + 1.0, lambda p: p.sum(), lambda p: (p + 1).sum(0) * 2, lambda p: p.T @ p, lambda p: np.linalg.norm(p)):
        same(function(session.array(empty)), np.asarray(function(empty)), "of none")


def test_types_are_those_of_numpy(session):
    for dtype, value in (("i1", 100), ("u1", 100), ("i4", 70000)):  # which overflow
        a = np.full((3, 3), value, dtype)
        for function in (lambda p: p @ p, lambda p: (p @ p) @ p + 1, lambda p: p[0] @ p[0], lambda p: (p[0] @ p[0]) + p):
            same(function(session.array(a)), np.asarray(function(a)), "integers")
        same(session.einsum("ij,jk->ik", a, a), a @ a, "einsum")
        same(session.einsum("ij,ij->", a, a), np.einsum("ij,ij->", a, a), "einsum to a number")
        same(session.array(a) ** 2.0, a ** 2.0, "to a power")
    half = np.full((300, 300), 3.0, np.float16)  # whose sum overflows
    for function in (lambda p: p.mean(), lambda p: p.mean(0)):
        same(function(session.array(half)), np.asarray(function(half)), "half precision")
    assert session.array(half).var() == 0


def test_an_expression_may_be_deep(session):
    a = np.ones((3, 4))
    x = session.array(a)
    for _ in range(1500):
        x = x + 1.0
    same(x[1:], (a + 1500)[1:], "deep")


def test_what_a_program_left_can_be_computed_with():
    with blockyard.Session(workers=1, memory="64M", quiet=True) as s:
        made = s.run("""sial twice
  aoindex i = 1:2
  distributed a[i]
  distributed c[i]
  temp t[i]
  pardo i
    get a[i]
    t[i] = 2.0*a[i]
    put c[i] = t[i]
  endpardo i
endsial twice
""", arrays={"a": np.arange(5.0)}, segments={"ao": [3, 2]})["c"]
        assert 8.0 in made and 3.0 not in made and made.mean() == 4.0 and made.max() == 8.0 and made.size == 5
        with pytest.raises(TypeError, match="a = a \\+ b"):
            made += 1
        assert isinstance(made + 1, blockyard.LazyArray) and isinstance(made[1:3], np.ndarray)
        assert np.array_equal(np.asarray(made @ made), (np.arange(5.0) * 2) @ (np.arange(5.0) * 2))
        assert float(made.norm()) == pytest.approx(np.linalg.norm(np.arange(5.0) * 2)) and float(made.sum()) == 20.0
        copy = pickle.loads(pickle.dumps(made))
    assert isinstance(made + 1, np.ndarray) and np.array_equal(copy + 1, np.asarray(made) + 1)  # the session is closed


def test_memory_stays_near_its_limit(tmp_path):
    n = 2048
    big = np.lib.format.open_memmap(tmp_path / "a.npy", "w+", "f8", (n, n))  # 32 MiB
    big[...] = 1.0
    out = np.lib.format.open_memmap(tmp_path / "out.npy", "w+", "f8", (n, n))
    with blockyard.Session(workers=1, memory="16M", quiet=True) as s:
        x = s.array(big)
        gc.collect()
        tracemalloc.start()
        ((x + x.T) * 0.5 - x.mean(0)).compute(out=out)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 8 * 2**20 and np.all(out == 0)


def test_results_go_to_files(session, tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        a = np.random.default_rng(9).normal(size=(50, 40))
        given, out = file.create_dataset("a", data=a, chunks=(10, 10)), file.create_dataset("out", (40, 50), "f4")
        assert np.exp(session.array(given).T).compute(out=out) is out
        assert np.allclose(out[...], np.exp(a.T), rtol=1e-6)
        with pytest.raises(blockyard.InputError, match="shape"):
            session.array(given).compute(out=out)


def zarr_of(folder, name, array, chunks):
    zarr = pytest.importorskip("zarr")
    made = zarr.create_array(str(folder / f"{name}.zarr"), shape=array.shape, dtype=array.dtype, chunks=chunks,
                             overwrite=True)
    made[...] = array
    return made


def test_functions_of_elements_go_from_file_to_file_without_blocks(session, tmp_path):
    rng = np.random.default_rng(10)
    a, b = rng.normal(size=(70, 90)), rng.normal(size=(90, 70))
    for chunks, written in (((16, 32), (16, 32)), ((70, 7), (30, 90)), ((13, 40), (8, 8))):
        x, y = (session.array(zarr_of(tmp_path, name, array, chunks)) for name, array in (("a", a), ("b", b)))
        out = zarr_of(tmp_path, "out", np.zeros((70, 90), "f4"), written)
        assert (np.exp(x * 0.5) - y.T).compute(out=out) is out
        assert np.allclose(out[...], np.exp(a * 0.5) - b.T, rtol=1e-5, atol=1e-5)
        assert np.allclose(np.asarray(((x - y.T) ** 2).sum(0)), ((a - b.T) ** 2).sum(0))
    assert "distributed" not in (x + y.T).sial


def test_a_result_does_not_go_to_what_it_is_made_of(session, tmp_path):
    a = zarr_of(tmp_path, "a", np.ones((20, 20)), (8, 8))
    with pytest.raises(blockyard.InputError, match="overlaps"):
        (session.array(a).T + 1.0).compute(out=a)
    b = np.ones((4, 4))
    with pytest.raises(blockyard.InputError, match="overlaps"):
        (session.array(b).T + 1.0).compute(out=b)


def test_what_is_written_twice_is_computed_once(session):
    a = np.random.default_rng(11).normal(size=(30, 20))
    x = session.array(a)
    z = (x - x.mean(0)) / (((x - x.mean(0)) ** 2).mean(0) + 1.0)
    assert z.sial.count("endpardo") == 3 and z.sial.count("distributed") == 2  # the means; no differences
    same(z, (a - a.mean(0)) / (((a - a.mean(0)) ** 2).mean(0) + 1.0), "standardised")
    for _ in range(40):  # not computed 2^40 times
        x = x + x * 0.5
    same(x, a * 1.5**40, "doubled")


def nodes_of(x):
    return len(in_order(x._node))


def test_a_slice_has_no_more_nodes_than_its_array(session):
    a = np.random.default_rng(13).normal(size=(3, 4))
    x, y = session.array(a), session.array(a)
    for _ in range(10):
        x = x + x
    assert nodes_of(x) == 11 and nodes_of(x[0]) == 11 and nodes_of(x.T[1:, ::2]) == 11 and nodes_of(x[...]) == 11
    same(x[0], a[0] * 2**10, "doubled")
    for _ in range(10):
        y = y + y.T[:3, :1]
    one = a
    for _ in range(10):
        one = one + one.T[:3, :1]
    same(y, one, "with the first row")


def test_what_is_broadcast_has_no_more_nodes_than_its_array(session):
    a = np.random.default_rng(14).random(size=(3, 4)) + 1.0
    x = session.array(a)
    for n in range(10):
        x, a = x / x.sum(1, keepdims=True), a / a.sum(1, keepdims=True)
        assert nodes_of(x) == 3 * (n + 1) + 1  # the sum, with an axis of one element, the quotient
    same(x, a, "balanced")


def test_an_error_of_a_file_is_raised_as_it_is(session, torn_array):
    with pytest.raises(LookupError, match="torn") as raised:
        np.asarray(session.array(torn_array) + 1.0)
    assert not arrays_shown(raised.value)
