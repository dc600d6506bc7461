# SPDX-License-Identifier: Apache-2.0
import gc
import os
import weakref

import numpy as np
import pytest

import blockyard

EXTENTS = dict(i=7, j=5, k=6, l=4, m=3, a=8, b=9, c=4, d=5, e=6, f=7, A=3)


@pytest.fixture
def session(tmp_path):
    with blockyard.Session(workers=2, memory="64M", scratch=tmp_path) as session:
        yield session


def operands_of(subscripts, seed=3):
    numbers = np.random.default_rng(seed)
    terms = subscripts.split("->")[0].replace("...", "lm").split(",")
    return [numbers.random(tuple(EXTENTS[letter] for letter in term)) for term in terms]


@pytest.mark.parametrize("subscripts", [
    "ij,jk->ik", "ij,jk", "ij,kj->ki", "ij->ji", "ij", "ji", "ii->i", "ii", "iij,jk->ik", "ij->", "ij->j",
    "i->", "i,i->i", "i,j->ij", "i,i", "ij,ij->", ",ij->ij", "bij,bjk->bik", "ij,jk,k->",
    "i,j,k->ijk", "ijk,kl,lm->mij", "ab,bc,cd,de->ae", "abef,efij->abij", "aebf,dfce->abcd",
    "Ab,bA->A", "ij,ij,k->k", "i,i,j,j->", "...ij,jk->...ik", "ij,jk,kl,lm,ma,ab,bc->ic"])
def test_it_gives_what_numpy_gives(session, subscripts):
    operands = operands_of(subscripts)
    expected = np.einsum(subscripts, *operands, optimize=True)
    result = session.einsum(subscripts, *operands)
    np.testing.assert_allclose(result, expected, rtol=1e-12)
    assert np.shape(result) == expected.shape
    if expected.ndim:
        assert result.flags.c_contiguous and "sial einsum" in result.sial


@pytest.mark.parametrize("subscripts", ["abef,efij->abij", "aebf,dfce->abcd", "bij,bjk->bik", "ab,ab->"])
def test_it_is_right_in_an_eighth_of_the_memory_of_its_data(tmp_path, subscripts):
    terms, output = subscripts.split("->")
    extent = {4: 46, 3: 160, 2: 3000}[max(len(term) for term in terms.split(","))]
    numbers = np.random.default_rng(5)
    operands = []
    for n, term in enumerate(terms.split(",")):
        path = tmp_path / f"{n}.npy"
        np.save(path, numbers.random((extent,) * len(term)))
        operands.append(np.load(path, mmap_mode="r"))
    size = sum(operand.nbytes for operand in operands) + 8 * extent ** len(output)
    with blockyard.Session(workers=1, memory=size // 8, scratch=tmp_path) as session:
        result = session.einsum(subscripts, *operands)
        np.testing.assert_allclose(result, np.einsum(subscripts, *operands, optimize=True), rtol=1e-11)
        plan = session.einsum_plan(subscripts, *operands)
        assert plan.needed_bytes <= plan.memory_bytes
        if output:
            assert plan.result_on_disk == (8 * extent ** len(output) > plan.memory_bytes // 2)


def test_large_operands_are_read_from_their_files_as_they_lie_there(tmp_path):
    # Files with holes: no computation. The summed indexes stand in opposite orders in the two.
    operands = [np.lib.format.open_memmap(tmp_path / f"{n}.npy", mode="w+", dtype=float, shape=(120,) * 4) for n in "ab"]
    with blockyard.Session(workers=2, memory="1075M", scratch=tmp_path) as session:
        plan = session.einsum_plan("aebf,dfce->abcd", *operands)
    assert plan.steps == ["aebf,dfce->abcd"] and plan.result_on_disk
    assert "op1[f,e,b,a]" in plan.sial and "op2[f,e,d,c]" in plan.sial
    assert "blocks_of" not in plan.sial  # no copy before the first product
    assert plan.needed_bytes <= plan.memory_bytes


@pytest.mark.parametrize("offset", [0, 24, 4100])
def test_operands_are_read_from_any_place_of_a_file(tmp_path, offset):
    # Out of the page cache, so that they are read past it; permuted, and in pieces that several blocks share.
    operands = []
    for n in range(2):
        path = tmp_path / str(n)
        with open(path, "wb") as file:
            file.write(bytes(offset) + np.random.default_rng(n).random(32**4).tobytes())
            file.flush()
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        operands.append(np.memmap(path, float, "r", offset, shape=(32,) * 4))
    with blockyard.Session(workers=2, memory="12M", scratch=tmp_path) as session:
        result = session.einsum("aebf,dfce->abcd", *operands)
        assert "op2[f,e,d,c]" in result.sial
    expected = np.einsum("aebf,dfce->abcd", *map(np.array, operands), optimize=True)
    np.testing.assert_allclose(result, expected, rtol=1e-11)


def test_operands_of_other_types_and_layouts(session):
    a, b = operands_of("abef,efij->abij")
    for one in (a.astype(np.float32), np.asfortranarray(a), a[:, ::-1]):
        expected = np.einsum("abef,efij->abij", one, b, optimize=True)
        np.testing.assert_allclose(session.einsum("abef,efij->abij", one, b), expected, rtol=1e-6)
    whole = np.arange(20).reshape(4, 5)
    result = session.einsum("ij,kj->ik", whole, whole)
    assert result.dtype == whole.dtype
    np.testing.assert_array_equal(result, whole @ whole.T)
    singles = session.einsum("ij,jk->ik", np.ones((2, 3), np.float32), np.ones((3, 2), np.float32))
    assert singles.dtype == np.float32
    empty = session.einsum("ij,jk->ik", np.ones((2, 0)), np.ones((0, 3)))
    np.testing.assert_array_equal(empty, np.zeros((2, 3)))


@pytest.mark.parametrize("subscripts, shapes", [
    ("ij,jk->ik", [(7, 1), (5, 6)]), ("ij,ij->ij", [(1, 5), (7, 1)]), ("...j,...j->...", [(7, 1, 5), (3, 5)]),
    ("...i,i->...i", [(2, 3, 4), (1,)]), ("i,i->", [(1,), (6,)]), ("ij,j->i", [(3, 1), (0,)])])
def test_an_extent_of_one_goes_with_any_other(session, subscripts, shapes):
    numbers = np.random.default_rng(7)
    operands = [numbers.random(shape) for shape in shapes]
    expected = np.einsum(subscripts, *operands)
    result = session.einsum(subscripts, *operands)
    assert np.shape(result) == np.shape(expected)
    np.testing.assert_allclose(result, expected, rtol=1e-12)


def test_views_of_any_strides_and_scalars_are_operands(session):
    a, b = operands_of("ij,jk->ik")
    spread = np.broadcast_to(a[:, :1], a.shape)
    for one in (spread, np.hstack([a, a])[:, ::2], a[::-1], a.astype(np.float16), a > 0.5):
        expected = np.einsum("ij,jk->ik", one, b)
        np.testing.assert_allclose(session.einsum("ij,jk->ik", one, b), expected, rtol=1e-6)
    np.testing.assert_allclose(session.einsum(",ij,->ij", 2, a, 0.5), a)
    np.testing.assert_allclose(session.einsum("ij,jk->ik", a.tolist(), b), a @ b)
    assert session.einsum(",->", 2.0, 3.0) == 6.0
    for number in (np.nan, np.inf, -np.inf, 5e-324, -1.5e308):
        assert np.array_equal(session.einsum("i,j->ij", a[0], np.array([number])), a[0][:, None] * number, equal_nan=True)


def test_a_result_goes_where_one_wants_it(session, tmp_path):
    a, b = operands_of("ij,jk->ik")
    out = np.lib.format.open_memmap(tmp_path / "c.npy", mode="w+", dtype=float, shape=(7, 6))
    session.einsum("ij,jk->ik", a, b, out=out)
    np.testing.assert_allclose(np.load(tmp_path / "c.npy"), a @ b)
    strided = np.zeros((6, 14))[:, ::2].T
    assert session.einsum("ij,jk->ik", a, b, out=strided).base is not None
    np.testing.assert_allclose(strided, a @ b)
    with pytest.raises(blockyard.InputError, match="out"):
        session.einsum("ij,jk->ik", a, b, out=np.zeros((6, 7)))
    field = np.zeros((7, 6), "i4,f8")["f1"]
    session.einsum("ij,jk->ik", a, b, out=field)
    np.testing.assert_allclose(field, a @ b)
    field.flags.writeable = False
    with pytest.raises(blockyard.InputError, match="out is read-only"):
        session.einsum("ij,jk->ik", a, b, out=field)


def test_a_result_in_a_file_has_the_type_of_numpy_too(tmp_path):
    a = np.random.default_rng(3).random((2000, 30)).astype(np.float32)
    with blockyard.Session(workers=2, memory="16M", scratch=tmp_path) as session:
        result = session.einsum("ik,jk->ij", a, a)
        assert result.plan.result_on_disk and result.dtype == np.float32
        assert isinstance(result.base, np.memmap) and [len(files) for _, _, files in os.walk(tmp_path)] == [0, 1]
        np.testing.assert_allclose(result, a @ a.T, rtol=1e-5)
        del result  # and its file goes
        assert [len(files) for _, _, files in os.walk(tmp_path)] == [0, 0]
        whole = (a * 10).astype(np.int32)
        np.testing.assert_array_equal(session.einsum("ik,jk->ij", whole, whole), whole @ whole.T)


def test_a_result_does_not_go_where_an_operand_is(session, tmp_path):
    a = np.ones((7, 7))
    np.save(tmp_path / "a.npy", a)
    reads, writes = (np.load(tmp_path / "a.npy", mmap_mode=mode) for mode in ("r", "r+"))
    for operand, out in ((a, a), (a, a.T), (reads, writes)):
        with pytest.raises(blockyard.InputError, match="out overlaps operand 2"):
            session.einsum("ij,jk->ik", np.ones((7, 7)), operand, out=out)
    pair = np.zeros((2, 7, 7))
    session.einsum("ij->ji", pair[0], out=pair[1])
    session.einsum("ij->ij", writes[:3], out=writes[3:6])


def test_a_map_is_read_though_its_file_is_gone_or_another_one(session, tmp_path):
    old, new = np.random.default_rng(4).random((2, 60, 60))
    path = tmp_path / "a.npy"
    np.save(path, old)
    operand = np.load(path, mmap_mode="r")
    np.save(tmp_path / "b.npy", new)
    os.replace(tmp_path / "b.npy", path)
    np.testing.assert_array_equal(session.einsum("ij->ji", operand), old.T)
    path.unlink()
    np.testing.assert_array_equal(session.einsum("ij->ji", operand), old.T)


def test_the_run_of_a_result_can_be_looked_at(session, tmp_path):
    a = np.ones((40, 40))
    result = session.einsum("ij,jk->ik", a, a, trace=tmp_path / "t.json.gz")
    assert result.result.report["sources"]["einsum.sial"] == result.sial
    result.result.write_report(tmp_path / "run.html")
    assert (tmp_path / "t.json.gz").stat().st_size > 0 and "einsum.sial" in (tmp_path / "run.html").read_text()
    assert repr(result.plan).startswith("einsum ij,jk->ik")


def test_a_result_does_not_hold_its_operands(session):
    a = np.ones((40, 40))
    gone = weakref.ref(a)
    result = session.einsum("ij,jk->ik", a, a)
    del a
    gc.collect()
    assert gone() is None and result.plan.operand_bytes == 2 * 40 * 40 * 8


def test_super_instructions_of_a_user_are_not_those_of_einsum(session):
    session.super("write_result", "r")(lambda block: None)
    session.super("f2", "r")(lambda block: None)
    np.testing.assert_array_equal(session.einsum("ij->ji", np.ones((3, 2), np.float32), out=np.zeros((2, 3))), np.ones((2, 3)))
    np.testing.assert_array_equal(np.exp(session.array(np.zeros(3))), np.ones(3))


def test_several_operands_go_in_the_cheapest_order(session):
    thin, wide = np.ones((2, 400)), np.ones((400, 400))
    plan = session.einsum_plan("ij,jk,kl->il", thin, wide, wide)
    assert plan.steps[0] in ("ij,jk->ik", "ij,jk->ki") and plan.steps[1].endswith("->il")
    assert plan.flops == 2 * (2 * 2 * 400 * 400)
    assert "einsum ij,jk,kl->il" in str(plan) and "memory" in str(plan)


def test_wrong_subscripts_are_refused(session):
    a = np.ones((2, 3))
    for subscripts, operands, text in [
            ("ij,jk->ik", [a], "operands"), ("ii->i", [a], "'i' is 2 in one place and 3"), ("ij,jk->ik", [a, a], "'j' is 3"),
            ("ijk->i", [a], "indexes"), ("ij->iq", [a], "no operand"), ("ij->ii", [a], "twice"),
            ("i$->i", [a], "letters"), ("...i->i", [a], "lacks the '...'")]:
        with pytest.raises(blockyard.InputError, match=text):
            session.einsum(subscripts, *operands)
    for operands, text in [([a.astype(str)], "real or complex"), ([a.astype(object)], "object.*real"),
                           ([a.astype(np.longdouble)], "double precision")]:
        with pytest.raises(TypeError, match=text):
            session.einsum("ij->ji", *operands)
    with pytest.raises(TypeError, match="text like"):
        session.einsum(a, a)
    session.memory = "8M"
    with pytest.raises(blockyard.OutOfMemory):
        session.workers = 64
        session.einsum("ij->ji", a)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_sums_of_infinite_complex_numbers_are_no_products(dtype, session):
    x = np.array([[np.inf, 1, 4], [1j, complex(2, -np.inf), 0], [3, 5, 1]], dtype)
    for text in ("ij->", "ij->i", "ij->j", "ii->", "ij->ji", "ij"):
        np.testing.assert_array_equal(session.einsum(text, x), np.einsum(text, x), text)
    np.testing.assert_array_equal(session.einsum("i->", x.ravel(), out=np.zeros((), dtype)), x.sum())
    assert session.einsum("->", x[0, 0]) == x[0, 0]
    cube = np.arange(120, dtype=dtype).reshape(4, 5, 6)
    for text in ("ijk->ki", "ijk->k", "kji->j"):
        np.testing.assert_array_equal(session.einsum(text, cube), np.einsum(text, cube), text)
