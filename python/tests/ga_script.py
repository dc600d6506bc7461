# SPDX-License-Identifier: Apache-2.0
"""The checks that test_ga.py runs on ranks: ``python ga_script.py CHECK SEED``, in one process or under mpirun."""
import sys

import numpy as np

from blockyard import Error, ga

TYPES = ["f8", "f4", "i4", "i8", "c16", "c8", "u1", "?"]


def random_layout(numbers, shape, ranks):
    """Drawn alike at all ranks."""
    kind = numbers.integers(7)
    edges = [int(numbers.integers(1, extent + 1)) for extent in shape]
    grid = [1] * len(shape)
    grid[int(numbers.integers(len(shape)))] = ranks
    if kind == 0:
        return {}
    if kind == 1:
        return {"chunk": edges}
    if kind == 2:
        return {"layout": ga.cyclic(edges)}
    if kind == 3:
        return {"layout": ga.scalapack(edges, grid)}
    if kind == 4:
        return {"layout": ga.tiled(edges, grid)}
    if kind == 5:
        axis = int(numbers.integers(len(shape)))
        count = int(min(ranks, shape[axis]))
        cuts = sorted(numbers.choice(np.arange(1, shape[axis]), count - 1, replace=False).tolist()) if count > 1 else []
        return {"layout": ga.irregular([[0, *cuts] if d == axis else [0] for d in range(len(shape))])}
    holders = numbers.permutation(ranks)[:max(1, ranks - 1)].tolist()
    return {"layout": ga.regular().on(holders)}


def random_values(numbers, shape, dtype):
    values = numbers.integers(-4, 5, size=shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * numbers.integers(-4, 5, size=shape)
    return np.asarray(values).astype(dtype)


def random_slice(numbers, extent):
    def place():
        return None if numbers.random() < 0.2 else int(numbers.integers(-extent - 2, extent + 3))

    step = int(numbers.choice([1, 1, 1, 2, 3, -1, -2]))
    return slice(place(), place(), step)


def random_key(numbers, shape):
    """One-sided access knows what NumPy knows."""
    kind = numbers.integers(8)
    if kind == 0:
        return numbers.random(shape) < 0.3
    key = []
    for extent in shape:
        if kind == 1 and numbers.random() < 0.6:
            key.append(numbers.integers(-extent, extent, size=3))
        elif kind == 2 and numbers.random() < 0.4:
            key.append(numbers.random(extent) < 0.5)
            kind = 3
        elif numbers.random() < 0.3:
            key.append(int(numbers.integers(-extent, extent)))
        else:
            key.append(random_slice(numbers, extent))
    if numbers.random() < 0.3:
        at = int(numbers.integers(len(key) + 1))
        key = key[:at] + [...] + key[at + 1:]
    if numbers.random() < 0.2:
        key.insert(int(numbers.integers(len(key) + 1)), None)
    return tuple(key)


def close(found, wanted, what):
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape, (what, found.shape, wanted.shape)
    assert found.dtype == wanted.dtype, (what, found.dtype, wanted.dtype)
    tolerance = 1e-4 if wanted.dtype in (np.float32, np.complex64) else 1e-10
    assert np.allclose(found, wanted, rtol=tolerance, atol=tolerance, equal_nan=True), (what, found, wanted)


def drawn_array(numbers, axes=None, dtype=None):
    """A global array of any shape, type and layout, and what it holds."""
    axes = axes or int(numbers.choice([1, 1, 2, 2, 2, 3, 4]))
    shape = tuple(int(n) for n in numbers.integers(1, 9, size=axes))
    dtype = np.dtype(dtype or TYPES[int(numbers.integers(len(TYPES)))])
    more = random_layout(numbers, shape, ga.size())
    values = random_values(numbers, shape, dtype)
    a = ga.array(values, order="CF"[int(numbers.integers(2))], **more)
    if numbers.random() < 0.3:
        a, values = a.T, values.T
    return a, values


def one_sided(seed):
    """Gets, puts and adds of random patches agree with NumPy. One rank at a time writes."""
    numbers = np.random.default_rng(seed)
    for _ in range(6):
        a, model = drawn_array(numbers)
        for turn in range(8):
            key = random_key(numbers, model.shape)
            close(a[key], model[key], key)
            assert type(a[key]) is type(model[key]), key
            values = random_values(numbers, model[key].shape if numbers.random() < 0.7 else (), model.dtype)
            is_first = ga.rank() == turn % ga.size()
            is_added = np.dtype(model.dtype).kind in "ifc" and numbers.random() < 0.5
            ga.sync()
            if is_added:
                if is_first:
                    a.add(key, values, 2)
                np.add.at(model, key, 2 * values)
            else:
                if not isinstance(key, np.ndarray) and any(isinstance(k, np.ndarray) for k in key):
                    values = values.ravel()[:1].reshape(()) if values.size else np.zeros((), model.dtype)
                if is_first:
                    a[key] = values
                model[key] = values
            ga.sync()
            close(a[...], model, key)
        for where, block in a.blocks():
            close(block, model[where], where)
        ga.sync()
        assert sum(ga.init().gather(sum(block.size for _, block in a.blocks()))) == model.size


UFUNCS = [np.add, np.subtract, np.multiply, np.maximum, np.equal, np.less, np.hypot, np.arctan2]


def collective(seed):
    """Operators, ufuncs, reductions and products of any layouts agree with NumPy."""
    numbers = np.random.default_rng(seed)
    for _ in range(3):
        a, model = drawn_array(numbers, dtype=numbers.choice(["f8", "i8", "f4", "i4"]))
        b = ga.array(model[..., :1].copy(), **random_layout(numbers, model[..., :1].shape, ga.size()))
        for ufunc in numbers.choice(np.array(UFUNCS), 2):
            close(ufunc(a, b), ufunc(model, model[..., :1]), ufunc)
            close(ufunc(a, 2), ufunc(model, 2), ufunc)
            close(ufunc(model, a), ufunc(model, model), ufunc)
        quotient, rest = np.divmod(a, 3)
        close(quotient, model // 3, "divmod")
        close(rest, model % 3, "divmod")
        if len(set(model.shape)) == 1:
            np.subtract(a, a.T, out=a)
            model = model - model.T
            close(a, model, "out is the transpose of an operand")
        a += 1
        model = model + 1
        axis = int(numbers.integers(-model.ndim, model.ndim))
        for name in ("sum", "max", "min", "mean", "any", "all", "var"):
            close(getattr(a, name)(), getattr(model, name)(), name)
            close(getattr(a, name)(axis=axis), getattr(model, name)(axis=axis), (name, axis))
            close(getattr(a, name)(axis=axis, keepdims=True), getattr(model, name)(axis=axis, keepdims=True), name)
        close(np.cumsum(a, axis=axis), np.cumsum(model, axis=axis), "cumsum")
        assert a.argmax() == model.argmax() and a.argmin() == model.argmin()
        if model.ndim > 1:
            for name in ("argmax", "argmin"):
                close(getattr(np, name)(a, axis=axis), getattr(np, name)(model, axis=axis), (name, axis))
                close(getattr(a, name)(axis=axis, keepdims=True), getattr(model, name)(axis=axis, keepdims=True), name)
            if model.dtype.kind == "f":
                holes = np.where(model > 1, np.nan, model).astype(model.dtype)
                with_holes = np.where(a > 1, np.nan, a).astype(a.dtype)
                close(np.argmin(with_holes, axis=axis), np.argmin(holes, axis=axis), "argmin with NaN")
                close(np.nansum(with_holes, axis=axis), np.nansum(holes, axis=axis), "nansum")
        assert model.flat[0] in a and model.max() + 1 not in a
        close(np.isclose(a, 2), np.isclose(model, 2), "isclose")
        assert a.item(*(0,) * model.ndim) == model.flat[0]
        close(a.copy(order="F"), model, "copy")
        close(np.where(a > 1, a, 0), np.where(model > 1, model, 0), "where")
        close(np.round(a / 3, 1), np.round(model / 3, 1), "round")
        close(np.round(a), np.round(model), "round")
        close(np.ptp(a, axis=axis), np.ptp(model, axis=axis), "ptp")
        close(np.swapaxes(a, 0, axis), np.swapaxes(model, 0, axis), "swapaxes")
        for power in (None, 1, np.inf):
            close(np.linalg.norm(a, power, axis=axis), np.linalg.norm(model, power, axis=axis), "norm")
        order = numbers.permutation(model.ndim)
        close(a.transpose(*map(int, order)), model.transpose(order), "transpose")
    for _ in range(3):
        n, m, k = (int(x) for x in numbers.integers(1, 12, size=3))
        dtype = numbers.choice(["f8", "f4", "c16", "c8", "i8"])
        left, right = random_values(numbers, (n, m), dtype), random_values(numbers, (m, k), dtype)
        x, y = (ga.array(one, order="CF"[int(numbers.integers(2))], **random_layout(numbers, one.shape, ga.size()))
                for one in (left, right))
        close(x @ y, left @ right, "matmul")
        close(x @ right[:, 0], left @ right[:, 0], "matrix times vector")
        close(left[0] @ y, left[0] @ right, "vector times matrix")
        close(np.vdot(x, x), np.vdot(left, left), "vdot")
        close(np.linalg.norm(x), np.linalg.norm(left).astype(np.abs(left).dtype if dtype != "i8" else "f8"), "norm")
        close(ga.trace(x), np.trace(left), "trace")


def like_numpy(_):
    """Infinities, half precision, small integers, truths, wrong axes; NumPy's other keywords."""
    x, y = np.array([np.inf, -np.inf, np.nan, 1.0, 2.0]), np.array([np.inf, np.inf, np.nan, 1.0, np.inf])
    a, b = ga.array(x), ga.array(y)
    for more in ({}, {"equal_nan": True}):
        close(np.isclose(a, b, **more), np.isclose(x, y, **more), "isclose")
    assert not np.allclose(a, b) and np.allclose(a, a, equal_nan=True) and not np.allclose(a, x)
    close(np.isclose(a, y.tolist()), np.isclose(x, y), "isclose of a list")
    close(np.isclose(ga.array(np.array([3], "u1")), np.array([5], "u1"), 0, 2), np.array([True]), "isclose of unsigned")
    half = np.full((300, 300), 3, np.float16)
    h = ga.array(half)
    for axis in (None, 1):
        close(h.mean(axis=axis), half.mean(axis=axis), "mean of half precision")
        close(h.var(axis=axis), np.zeros_like(half.mean(axis=axis)), "var of half precision")
    with np.errstate(all="ignore"):
        close(ga.array(x[3:]).var(ddof=3), np.float64(np.inf), "var")
    for values in (np.full(4, 100, "i1"), np.array([True, True, False])):
        close(ga.array(values) @ values, values @ values, "product of vectors")
    close(np.clip(a, a_min=0, a_max=1), np.clip(x, 0, 1), "clip")
    close(a.clip(0, 1), x.clip(0, 1), "clip")
    ga.sync()
    a[:] = np.ones((1, 5))
    ga.sync()
    c = ga.ones((2, 3))
    close(np.transpose(c, (-1, 0)), np.ones((3, 2)), "transpose")
    for call in (lambda: c.transpose(0, 3), lambda: c.transpose(()), lambda: c.sum((0, 0)), lambda: c.sum(2),
                 lambda: ga.vdot(c, np.ones((1, 3)))):
        try:
            call()
        except ValueError:
            pass
        else:
            raise AssertionError("no error")
    ga.sync()


def main_path(_):
    """One of each, as a user begins."""
    me, all_ = ga.rank(), ga.size()
    a = ga.zeros((30, 20), "f8", name="fock")
    if me == all_ - 1:
        a[2:5, 7] = [1, 2, 3]
    ga.sync()
    assert a[3, 7] == 2.0 and (a[4:1:-1, 7] == [3, 2, 1]).all()
    a.add(np.s_[:, 1], 1.0)
    later = a.get_later(np.s_[1:3, :2])
    assert later.result().shape == (2, 2) and later.done()
    ga.sync()
    assert (a[:, 1] == all_).all() and a[10, 1].dtype == np.float64
    ga.sync()
    a.local[...] = me
    ga.sync()
    assert a[a.local_slice].shape == a.local.shape
    for member, where in a.distribution():
        assert (a[where] == member).all() and a.owner(*(part.start for part in where)) == member
    ga.sync()
    counter = ga.counter(40)
    done = sum(ga.init().gather(list(counter)), [])
    assert sorted(done) == list(range(40)), done
    counter.reset()
    assert counter._next[0] == 0
    numbers = ga.zeros(1, "i8")
    assert numbers.read_inc(0, 5) % 5 == 0
    ga.sync()
    assert numbers[0] == 5 * all_
    total, lock = ga.zeros(3, "u2"), ga.Lock()
    for _ in range(20):
        with lock:
            total[1] = total[1] + 1
    ga.sync()
    assert total[1] == 20 * all_
    assert ga.init().broadcast({"x": me}, root=all_ - 1) == {"x": all_ - 1}
    assert ga.init().reduce(me + 1, "max") == all_ and (ga.init().reduce(np.ones(3)) == all_).all()


def ghosts(_):
    """Periodic ghost cells, also of blocks narrower than the width."""
    values = np.arange(7 * 9.0).reshape(7, 9)
    for widths, more in (((1, 2), {}), ((3, 3), {}), ((0, 1), {"order": "F"})):
        a = ga.array(values, ghosts=widths, **more)
        a.update_ghosts()
        rows, columns = a.local_slice
        if a.local.size:
            wrapped = np.pad(values, [(9, 9), (9, 9)], mode="wrap")
            close(a.local_with_ghosts, wrapped[9 + rows.start - widths[0]:9 + rows.stop + widths[0],
                                               9 + columns.start - widths[1]:9 + columns.stop + widths[1]], widths)
        close(a * 2, values * 2, "ghosts take no part")
        close(a.T, values.T, "transpose")
        ga.sync()


def groups(_):
    """Arrays in groups, and groups of one."""
    me, all_ = ga.rank(), ga.size()
    parts = [list(range(0, all_, 2)), list(range(1, all_, 2))]
    for ranks in parts:
        if not ranks:
            continue
        group = ga.Group(ranks)
        assert group.size == len(ranks) and (group.rank >= 0) == (me in ranks)
        if me in ranks:
            a = ga.from_function(lambda i, j: i * 10 + j, (5, 6), "i4", group=group)
            close(a[...], np.fromfunction(lambda i, j: i * 10 + j, (5, 6), dtype="i4"), "group")
            assert int((a + 1).sum()) == int(np.asarray(a).sum()) + 30
            a.destroy()
            b = ga.empty((300, 300), group=group)
            b[...] = 1
            del b
            group.close()  # ends an array that is still being written
        else:
            try:
                group.sync()
            except Error as error:
                assert "is not a member of the group" in str(error)
            else:
                raise AssertionError("a rank that is not a member cannot sync")
    ga.sync()


def algebra(seed):
    """Systems, eigenproblems, scans."""
    numbers = np.random.default_rng(seed)
    for n in (1, 7, 20):
        m = numbers.random((n, n)) + n * np.eye(n)
        b = numbers.random((n, 3))
        for order in "CF":
            a = ga.array(m, order=order)
            close(ga.solve(a, b), np.linalg.solve(m, b), "solve")
            close(np.linalg.solve(a, ga.array(b[:, 0])), np.linalg.solve(m, b[:, 0]), "solve")
            s = ga.array(m + m.T, order=order)
            close(ga.solve(s, b, is_positive=True), np.linalg.solve(m + m.T, b), "solve")
            values, vectors = ga.eigh(s)
            close(values, np.linalg.eigvalsh(m + m.T), "eigh")
            close(s @ vectors, np.asarray(vectors) * values, "eigh")
            close(np.linalg.norm(a, 1), np.linalg.norm(m, 1), "norm")
            ga.sync()
    large = numbers.integers(3_000_000_000, 4_000_000_000, size=(6, 6))  # whose squares overflow
    for m, powers in ((large, (None, 1, np.inf)), (large[0], (None, 0, 1, 2, 3, np.inf)), (large > 3_500_000_000, (None, 1))):
        for power in powers:
            norm = np.linalg.norm(ga.array(m), power)
            assert norm.dtype == np.float64 and np.isclose(norm, np.linalg.norm(m, power)), (norm, power)
    ga.sync()
    x = numbers.random(50)
    flags = (numbers.random(50) < 0.2).astype("i4")
    flags[0] = 1
    a, f = ga.array(x), ga.array(flags)
    begins = np.flatnonzero(flags)
    segments = np.split(x, begins[1:])
    close(ga.scan_add(a, f), np.concatenate([np.cumsum(part) for part in segments]), "scan_add")
    close(ga.scan_copy(a, flags), x[begins[np.cumsum(flags) - 1]], "scan_copy")
    close(ga.pack(a, f), x[flags != 0], "pack")
    for _ in range(20):  # what comes from another node is there when the call returns
        some = (numbers.random(50) < 0.2).astype("i4")
        some[0] = 1
        close(ga.pack(a, some), x[some != 0], "pack again")
    into = ga.zeros(50)
    ga.unpack(ga.pack(a, f), into, f)
    close(into, np.where(flags, x, 0), "unpack")


def memory(_):
    """Arrays end when no rank holds them: many temporaries need the memory of a few."""
    a = ga.ones((200, 200))
    held = None
    for turn in range(30):
        b = a * turn + a
        if turn == 10:
            held = b._held.view([part.start for part in b.local_slice], [part.stop for part in b.local_slice])
    most = ga._world.world().core.held_bytes
    assert most <= 6 * 200 * 200 * 8, most
    del held
    b.destroy()
    b.destroy()
    try:
        b.sum()
    except Error as error:
        assert "was destroyed" in str(error)


def failures(_):
    """Errors say where and why, at all ranks; the arrays stay usable."""
    a = ga.zeros((4, 5), name="v")
    told = {
        "shapes (4, 5) (3,) do not fit": lambda: a + np.ones(3),
        "index 4 is outside 0..3 on axis 0 of array \"v\"": lambda: a[4],
        "array \"v\" has 2 axes, and 3 were indexed": lambda: a[1, 2, 3],
        "do not fit (5,) elements of array \"v\"": lambda: a.__setitem__(1, np.ones(4)),
        "read_inc is for int32 and int64": lambda: a.read_inc((0, 0)),
        "solve: array \"v\" of shape (4, 5) is not a square matrix": lambda: ga.solve(a, np.ones(4)),
        "would copy all of a global array": lambda: np.sort(a),
        "a global array has no 'reshape', which would copy or move all of it": lambda: a.reshape(20),
        "'GlobalArray' object has no attribute 'shap'": lambda: a.shap,
        "no norm 3 along axis = 0": lambda: np.linalg.norm(a, 3, axis=0),
        "global arrays do not support add.outer": lambda: np.add.outer(a, a),
        "an array has 1 to 7 axes": lambda: ga.zeros((3, 0)),
        "cannot lie in memory": lambda: ga.zeros(3, object),
        "edges of at least 1, not (0, 2)": lambda: ga.zeros((4, 5), layout=ga.cyclic((0, 2))),
        "blocks on axis 0 begin at (0, 9)": lambda: ga.zeros((4, 5), layout=ga.irregular([[0, 9], [0]])),
        "names a rank twice": lambda: ga.zeros((4, 5), layout=ga.regular().on([0, 0])),
        "only around blocks that are not dealt": lambda: ga.zeros((4, 5), layout=ga.cyclic((2, 2)), ghosts=1),
        "beyond all memory": lambda: ga.zeros((1 << 40, 1 << 40)),
        "root = 99 is outside": lambda: ga.init().broadcast(1, root=99),
        "grid (9, 9) is for 81 ranks": lambda: ga.zeros((4, 5), layout=ga.tiled((1, 1), (9, 9))),
        "has no ghost cells": lambda: a.update_ghosts(),
        "is singular": lambda: ga.solve(ga.zeros((3, 3)), np.ones(3)),
        "give axis=": lambda: a.cumsum(),
        "cannot be added to": lambda: ga.zeros(3, "u1").add(0, 1),
    }
    for text, call in told.items():
        try:
            call()
        except (Error, TypeError, IndexError, AttributeError) as error:
            assert text in str(error), (text, str(error))
        else:
            raise AssertionError(f"no error: {text}")
        ga.sync()
    if ga.size() > 1:
        # One rank's mistake in a collective call is told by all.
        try:
            ga.from_function(lambda i, j: 1 // (0 if ga.rank() == ga.size() - 1 else 1) + i + j, (64, 64))
        except ZeroDivisionError:
            assert ga.rank() == ga.size() - 1
        except Error as error:
            assert f"ga.from_function failed at rank {ga.size() - 1}: ZeroDivisionError" in str(error), error
        else:
            raise AssertionError("no error")
    ga.sync()


def dropped(_):
    """Transfers that nobody waits for: the memory that they work in is that of others then."""
    me, all_ = ga.rank(), ga.size()
    n = 200_000
    a = ga.zeros((all_, n), "f8", chunk=(1, n))
    there, here = (me + 1) % all_, (me - 1) % all_
    for number in range(4):
        a.put_later(np.s_[there, :], np.full(n, number + me))
        ga.sync()
        a.add_later(np.s_[there, :], np.full(n, 2.0))
        ga.sync()
        assert (a[me, :] == number + here + 2).all()
        a.get_later(np.s_[there, :])
        others = np.zeros(n)
        ga.sync()
        assert not others.any()
    ga.sync()


CHECKS = {one.__name__: one for one in (main_path, like_numpy, one_sided, dropped, collective, ghosts, groups, algebra, memory,
                                        failures)}

if __name__ == "__main__":
    for name in sys.argv[1].split(","):
        for number in range(int(sys.argv[2]), int(sys.argv[3])):
            CHECKS[name](number)
            if name not in ("one_sided", "collective", "algebra"):
                break
    ga.sync()
    print("rank", ga.rank(), "is content", flush=True)
