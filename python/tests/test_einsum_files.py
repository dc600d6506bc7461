# SPDX-License-Identifier: Apache-2.0
"""einsum of arrays in files and of other packages, block by block; other elements; NumPy's other forms."""
import subprocess
import sys

import numpy as np
import pytest

import blockyard
from conftest import arrays_shown

h5py = pytest.importorskip("h5py")


@pytest.fixture(scope="module")
def session():
    with blockyard.Session(workers=2, memory="64M", quiet=True) as s:
        yield s


def arrays_of(kind, folder, **given):
    """The arrays in HDF5, Zarr or dask."""
    if kind == "h5py":
        file = h5py.File(folder / "given.h5", "w")
        return [file.create_dataset(name, data=a, chunks=tuple(max(1, n // 3) for n in a.shape)) for name, a in given.items()]
    if kind == "zarr":
        zarr = pytest.importorskip("zarr")
        made = []
        for name, a in given.items():
            one = zarr.create_array(str(folder / f"{name}.zarr"), shape=a.shape, dtype=a.dtype,
                                    chunks=tuple(max(1, n // 3) for n in a.shape))
            one[...] = a
            made.append(one)
        return made
    dask = pytest.importorskip("dask.array")
    return [dask.from_array(a, chunks=tuple(max(1, n // 3) for n in a.shape)) * 1.0 for a in given.values()]


@pytest.mark.parametrize("kind", ["h5py", "zarr", "dask"])
def test_arrays_in_files_are_read_as_numpy_would(kind, session, tmp_path):
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(23, 17, 9)), rng.normal(size=(9, 23, 1, 9))
    given = arrays_of(kind, tmp_path, a=a, b=b)
    for text in ("ijk,kilk->jl", "ijk,kimk->jkm", "ijk,kilk->", "jik,kjl...->i..."):
        assert np.allclose(session.einsum(text, *given), np.einsum(text, a, b)), text
    assert np.allclose(session.einsum("iij->j", arrays_of(kind, tmp_path / "..", c=b[:, :9, 0])[0]),
                       np.einsum("iij->j", b[:, :9, 0][:, :, :]))


@pytest.mark.parametrize("kind", ["h5py", "zarr"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4"])
def test_results_go_to_files(kind, dtype, session, tmp_path):
    rng = np.random.default_rng(4)
    a = rng.integers(-9, 9, size=(31, 21)).astype(dtype)
    if np.dtype(dtype).kind == "c":
        a += np.dtype(dtype).type(1j) * rng.integers(-9, 9, size=a.shape)
    b = a.T.copy()
    (out,) = arrays_of(kind, tmp_path, out=np.zeros((31, 31), dtype))
    assert session.einsum("ij,jk->ki", a, b, out=out) is out
    assert np.allclose(out[...], (a @ b).T)
    with pytest.raises(blockyard.InputError, match="overlaps operand 1"):
        session.einsum("ij->ji", out, out=out)
    with pytest.raises(blockyard.InputError, match="shape"):
        session.einsum("ij,jk->i", a, b, out=out)
    if kind == "h5py":
        with pytest.raises(blockyard.InputError, match="overlaps operand 1"):
            session.einsum("ij->ji", out, out=out.file["out"])


@pytest.mark.parametrize("dtype", ["f4", "c8", "c16"])
def test_elements_are_computed_as_what_they_are(dtype, session):
    rng = np.random.default_rng(5)
    a, b, c = (rng.normal(size=(14, 14)).astype(dtype) for _ in range(3))
    if np.dtype(dtype).kind == "c":
        a, b = a + np.dtype(dtype).type(1j) * b, b - np.dtype(dtype).type(2j) * a
    plan = session.einsum_plan("ij,jk,kl->il", a, b, c)
    assert plan.element == np.dtype(dtype) and ("complex" in plan.sial) == (np.dtype(dtype).kind == "c")
    tolerance = 1e-5 if np.dtype(dtype).itemsize in (4, 8) and dtype != "f8" else 1e-12
    for text, operands in (("ij,jk,kl->il", (a, b, c)), ("ij,kj->", (a, b)), ("ii->i", (a,)), ("ij->j", (a,)),
                           ("ij,->ij", (a, np.dtype(dtype).type(2.5)))):
        made, wanted = session.einsum(text, *operands), np.einsum(text, *operands)
        assert np.asarray(made).dtype == wanted.dtype
        assert np.allclose(made, wanted, rtol=tolerance, atol=tolerance * 50), text
    mixed = session.einsum("ij,jk->ik", a, c.real.astype("f8"))
    assert mixed.dtype == np.result_type(a, np.float64) and np.allclose(mixed, a @ c.real, atol=1e-4)


def test_numpys_other_forms(session):
    rng = np.random.default_rng(6)
    a, b, c = rng.normal(size=(5, 7)), rng.normal(size=(7, 6)), rng.normal(size=(6, 4))
    wanted = a @ b @ c
    assert np.allclose(session.einsum(a, [0, 1], b, [1, 2], c, [2, 3], [0, 3]), wanted)
    assert np.allclose(session.einsum(a, [0, 1], b, [1, 2]), a @ b)
    assert np.allclose(session.einsum(a, [..., 1], b, [1, 2], [..., 2]), a @ b)
    for numbers in ([25, 26], [26, 25]):  # an implicit output is sorted by number
        assert np.array_equal(session.einsum(a, numbers), np.einsum(a, numbers))
    path, _ = np.einsum_path("ij,jk,kl->il", a, b, c)
    for optimize in (True, False, "greedy", "optimal", path, ["einsum_path", (0, 1, 2)]):
        assert np.allclose(session.einsum("ij,jk,kl->il", a, b, c, optimize=optimize), wanted)
    assert session.einsum_plan("ij,jk,kl->il", a, b, c, optimize=["einsum_path", (1, 2), (0, 1)]).steps[0].startswith("jk,kl")
    with pytest.raises(blockyard.InputError, match="optimize"):
        session.einsum("ij,jk->ik", a, b, optimize="best")


def test_a_path_counts_only_the_operands_of_the_user(session):
    a = np.random.default_rng(2).random((9, 9))
    for subscripts, wanted in (("ij,jk,kl->i", a @ a @ a.sum(1)), ("ij,kl->", a.sum() ** 2), ("ij->i", a.sum(1))):
        operands = [a] * (subscripts.count(",") + 1)
        path = np.einsum_path(subscripts, *operands)[0]
        assert session.einsum_plan(subscripts, *operands, optimize=path).flops < 9**3, "no step has three letters"
        for optimize in (path, False):
            assert np.allclose(session.einsum(subscripts, *operands, optimize=optimize), wanted)


@pytest.mark.parametrize("text, letter", [("ij,kj->ik", "'j'"), ("ij,jk->iz", "'z'"), ("ij,jk->ii", "'i'"),
                                          ("i1,jk->ik", "'1'"), ("ijk,jk->ik", "'ijk'")])
def test_errors_name_the_letter(text, letter, session):
    with pytest.raises(blockyard.InputError, match=letter):
        session.einsum(text, np.ones((3, 4)), np.ones((4, 5)))


def test_an_error_of_a_file_is_raised_as_it_is(session, torn_array):
    with pytest.raises(LookupError, match="torn") as raised:
        session.einsum("ij,jk->ik", torn_array, np.ones((4, 4)))
    assert not arrays_shown(raised.value)
    with pytest.raises(OSError, match="full") as raised:
        session.einsum("ij,jk->ik", np.ones((4, 4)), np.ones((4, 4)), out=torn_array)
    assert not arrays_shown(raised.value)


MEMORY = """
import sys, h5py, numpy as np, blockyard
n = int(sys.argv[2])
def peak():  # not ru_maxrss, which begins with what the parent had
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
file = h5py.File(sys.argv[1], "r+")
with blockyard.Session(workers=1, memory="32M", quiet=True) as s:
    s.einsum("ij,jk->ik", np.ones((8, 8)), np.ones((8, 8)))
    before = peak()
    s.einsum("ijk,ik->ij", file["a"], file["b"], out=file["c"])
    print((peak() - before) / 1024)
assert abs(file["c"][3, 5] - n) < 1e-9
"""


def test_memory_stays_near_its_limit(tmp_path):
    n = 256
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("a", (n, n, n), "f8", chunks=(16, 64, 64), fillvalue=1.0)  # 128 MiB, none on disk
        file.create_dataset("b", (n, n), "f8", fillvalue=1.0)
        file.create_dataset("c", (n, n), "f8")
    grown = float(subprocess.run([sys.executable, "-c", MEMORY, tmp_path / "a.h5", str(n)], check=True, text=True,
                                 capture_output=True).stdout)
    assert grown < 2 * 32
