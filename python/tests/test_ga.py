# SPDX-License-Identifier: Apache-2.0
"""blockyard.ga on threads and on processes, against NumPy."""
import importlib.util
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import blockyard
from blockyard import ga

import ga_script
from conftest import REPOSITORY, end_by

MPIEXEC = os.environ.get("MPIEXEC", "")
needs_mpi = pytest.mark.skipif(not MPIEXEC, reason="this build has no MPI")
SCRIPT = Path(__file__).with_name("ga_script.py")


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("check", ga_script.CHECKS)
def test_threads_as_ranks(check, ranks):
    for seed in range(3 if check in ("one_sided", "collective") else 1):
        ga.launch(ranks, ga_script.CHECKS[check], 10 * ranks + seed)


def mpirun(processes, *command, **more):
    return subprocess.run([MPIEXEC, "-n", str(processes), sys.executable, *map(str, command)], text=True,
                          capture_output=True, timeout=120, **more)


@needs_mpi
@pytest.mark.parametrize("processes, nodes", [(2, 1), (4, 1), (2, 2), (3, 2)])
def test_processes_as_ranks(processes, nodes):
    done = mpirun(processes, SCRIPT, ",".join(ga_script.CHECKS), 100 * processes, 100 * processes + 2,
                  env={**os.environ, "BLOCKYARD_GA_NODES": str(nodes)})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "MPI_THREAD_MULTIPLE" not in done.stderr
    assert done.stdout.count("is content") == processes


def test_one_process_needs_no_launcher():
    done = subprocess.run([sys.executable, SCRIPT, "main_path,one_sided,collective", "0", "1"], text=True,
                          capture_output=True, timeout=120)
    assert done.returncode == 0 and "leak" not in done.stderr, done.stderr


def test_launch_gives_results_in_order_and_raises_the_first_exception():
    assert ga.launch(3, lambda x, *, y: (ga.rank(), ga.size(), x + y), 1, y=2) == [(0, 3, 3), (1, 3, 3), (2, 3, 3)]

    def fail():
        if ga.rank() == 1:
            raise LookupError("no such luck")
        ga.sync()

    with pytest.raises(LookupError, match="no such luck"):
        ga.launch(3, fail)


def test_a_group_numbers_its_members_as_they_are_listed():
    def work():
        group = ga.Group([2, 0])
        if group.rank >= 0:
            assert group.ranks == [2, 0] and group.rank == [2, 0].index(ga.rank()) and group.gather(ga.rank()) == [2, 0]
            assert group.broadcast(f"of {ga.rank()}") == "of 2"
            a = ga.from_function(lambda i: 10 * i, 7, "i4", group=group)
            assert (a.local == 10 * np.arange(7)[a.local_slice]).all() and a.local_slice[0].start == (4, 0)[ga.rank() // 2]
        else:
            assert group.ranks == [2, 0]
        ga.sync()

    ga.launch(3, work)
    with pytest.raises(blockyard.InputError, match="process 1 is in the list twice"):
        ga.launch(2, lambda: ga.Group([1, 1]))


def refused(kind, text, call):
    """The call raises such an exception with this text in it, which is not a pattern."""
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value), caught.value


@pytest.mark.parametrize("ranks", [1, 2])
def test_numbers_that_do_not_fit_are_refused(ranks):
    def work():
        small, ints, unsigned = ga.zeros(3, "i1"), ga.zeros(3, "i4"), ga.zeros(3, "u8")
        for value in (300, -129, 10**30, [1, 2, 300], np.int64(300)):
            refused(OverflowError, "out of bounds for int8", lambda: small.__setitem__(slice(None), value))
        refused(OverflowError, "Python integer -1 out of bounds for uint64", lambda: unsigned.fill(-1))
        refused(OverflowError, "Python integer 300 out of bounds for int8", lambda: ga.full(3, 300, "i1", ghosts=1))
        refused(OverflowError, "Python integer 300 out of bounds for int8", lambda: ga.array([1, 300], "i1"))
        refused(OverflowError, "Python integer 4294967296 out of bounds for int32", lambda: ints.add(0, 1 << 32))
        refused(OverflowError, "Python integer 4294967296 out of bounds for int32", lambda: ints.add(0, 1, 1 << 32))
        refused(ValueError, "NaN", lambda: ints.fill(np.nan))
        refused(TypeError, "complex", lambda: ga.zeros(3).__setitem__(0, 1j))
        refused(TypeError, "according to the rule 'same_kind'", lambda: ints.add(0, 0.5))
        refused(TypeError, "according to the rule 'same_kind'", lambda: ints.add(0, 1, 0.5))
        refused(TypeError, "alpha is one number, not an array of shape (2,)", lambda: ints.add([0, 1], [1, 2], [3, 4]))
        ints.add([], [])  # of a rank that has nothing to add
        ints.add(np.s_[0:0], np.zeros(0))
        ga.sync()
        assert not small[...].any() and not ints[...].any() and not unsigned[...].any()
        ga.sync()
        if ga.rank() == 0:
            small[:2] = np.array([300, -1])  # an array is cast
            ints[...] = 3.7
            ints.add(1, np.int64(2), np.float64(3) == 3)
            unsigned[...] = [1 << 63, 0, (1 << 64) - 1]
        ga.sync()
        assert small[...].tolist() == [44, -1, 0] and ints[...].tolist() == [3, 5, 3]
        assert unsigned[...].tolist() == [1 << 63, 0, (1 << 64) - 1]
        ga.sync()

    ga.launch(ranks, work)


@pytest.mark.parametrize("order", "CF")
def test_a_view_of_the_array_can_be_assigned_to_it(order):
    def work():
        m = np.arange(12.0).reshape(3, 4)
        a = ga.array(m, order=order)
        a[...] = a.local[::-1]
        assert (a[...] == m[::-1]).all()
        a.add(np.s_[1:, 1:], a.local[:-1, :-1])
        m = m[::-1].copy()
        m[1:, 1:] += m[:-1, :-1].copy()
        assert (a[...] == m).all()
        v = ga.array(np.arange(5))
        v.put_later(np.s_[1:], v.local[:-1]).result()
        assert v[...].tolist() == [0, 0, 1, 2, 3]
        v[[4, 3, 2, 1, 0]] = v.local
        assert v[...].tolist() == [3, 2, 1, 0, 0]

    ga.launch(1, work)


@pytest.mark.parametrize("ranks", [1, 2])
def test_functions_of_numpy_give_what_numpy_gives(ranks):
    def work():
        numbers = np.random.default_rng(5)
        x = numbers.random((6, 4)) * 1e6
        a = ga.array(x)
        out = ga.zeros(4)
        assert a.std(axis=0, out=out) is out and np.allclose(out, x.std(axis=0))
        for decimals in (-5, -1, 0, 1, 3):
            assert (np.asarray(np.round(a, decimals)) == np.round(x, decimals)).all(), decimals
        assert np.round(ga.array([12350, -12350]), -2)[...].tolist() == np.round(np.array([12350, -12350]), -2).tolist()
        low, high = numbers.random((6, 4)) * 4e5, 4e5 + numbers.random((6, 4)) * 4e5
        wanted, g_high = np.clip(x, low, high), ga.array(high)
        assert (np.asarray(np.clip(a, ga.array(low), g_high, out=g_high)) == wanted).all() and (g_high[...] == wanted).all()
        assert (np.asarray(np.clip(x, None, ga.array(high))) == np.clip(x, None, high)).all()
        assert (np.asarray(x.clip(ga.array(low), ga.array(high))) == wanted).all()
        found = np.clip(ga.array([1, 2, 3]), 1, 2.5)
        assert found.dtype == np.float64 and found[...].tolist() == [1, 2, 2.5]
        m = numbers.random((4, 4)) + 4 * np.eye(4)
        right = numbers.random((4, 2)) + 1j * numbers.random((4, 2))
        for b in (right, right[:, 0], right.real):
            assert np.allclose(ga.solve(ga.array(m), b), np.linalg.solve(m, b)), b.dtype
            assert np.allclose(np.linalg.solve(m, ga.array(b)), np.linalg.solve(m, b))
        assert (np.asarray(np.outer([1, 2], ga.array([3, 4, 5]))) == np.outer([1, 2], [3, 4, 5])).all()
        days = np.array(["2020-01-03", "NaT", "2020-01-01", "NaT"], "M8[D]")
        assert ga.array(days).argmin() == ga.array(days).argmax() == 1
        assert ga.array(days[:1]).argmax() == 0 and ga.array(days[2::-2]).argmax() == 1
        refused(TypeError, "matmul of global arrays has no dtype=", lambda: np.matmul(a, x.T, dtype="f4"))
        ints = ga.zeros(4, "i4")
        for call in (a.sum, a.mean, a.max, a.var, a.std):
            refused(TypeError, "does not fit into out of type int32", lambda: call(axis=0, out=ints))
        refused(TypeError, "does not fit into out of type int32", lambda: a.cumsum(0, out=ga.zeros((6, 4), "i4")))
        assert (ga.array(x.astype("i8")).sum(axis=0, out=ints) is ints) and ints[0] == x.astype("i8")[:, 0].sum()
        assert (a.argmax(0, out=ints)[...] == x.argmax(0)).all() and not (a.sum(axis=0, out=out)[...] - x.sum(axis=0)).round(6).any()

    ga.launch(ranks, work)


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_mask_leaves_elements_of_every_output(ranks):
    def work():
        x, mask = np.arange(24.0).reshape(6, 4), np.arange(24).reshape(6, 4) % 3 == 0
        wanted = [np.full((6, 4), 7.0), np.full((6, 4), 8.0)]
        np.divmod(x, 5, out=tuple(wanted), where=mask)
        outs = [ga.full((6, 4), 7.0), ga.full((6, 4), 8.0, layout=ga.cyclic((1, 1)))]  # blocks that do not match
        np.divmod(ga.array(x), 5, out=tuple(outs), where=mask)
        for out, values in zip(outs, wanted):
            assert (out[...] == values).all()
        square = ga.array(x[:4])
        np.divmod(square.T, 5, out=(square, ga.full((4, 4), 8.0, layout=ga.cyclic((1, 1)))), where=mask[:4])
        assert (square[...] == np.where(mask[:4], x[:4].T // 5, x[:4])).all()

    ga.launch(ranks, work)


def test_a_failure_at_one_rank_ends_no_other():
    def fails(kind, text, call):
        if ga.rank() == 1:
            refused(kind, "", call)
        else:
            refused(blockyard.InputError, text, call)
        assert ga.init().reduce(1) == ga.size()

    def work():
        group = ga.init()
        huge = ga.array(np.diag([1.0, 1.0, 1e308, 1e308]), layout=ga.irregular([[0, 2], [0]]).on([0, 1]))
        with np.errstate(over="raise"):
            fails(FloatingPointError, "add failed at rank 1: FloatingPointError: overflow", lambda: huge.sum())
            fails(FloatingPointError, "trace failed at rank 1: FloatingPointError: overflow", lambda: ga.trace(huge))
        value = (lambda: 0) if ga.rank() == 1 else 0
        fails(Exception, "ga.broadcast failed at rank 1: ", lambda: group.broadcast(value, root=1))
        fails(Exception, "ga.gather failed at rank 1: ", lambda: group.gather(value))
        assert group.broadcast("news", 1) == "news" and group.gather(ga.rank()) == list(range(ga.size()))

    ga.launch(3, work)


def test_ranks_at_different_collectives_are_told_apart():
    def part():
        if ga.rank() == 0:
            ga.zeros(3)
        else:
            ga.sync()

    with pytest.raises(blockyard.InputError, match=r"\[0\] ga.empty, \[1\] ga.sync"):
        ga.launch(2, part)


def test_a_copy_of_more_than_half_the_memory_is_refused(monkeypatch):
    def copy():
        a = ga.zeros((2048, 2048), name="large")
        with pytest.raises(blockyard.OutOfMemory, match='"large" takes 33554432 bytes, more than half of the 50000000'):
            np.asarray(a)
        assert a[:1024].shape == (1024, 2048)

    monkeypatch.setattr(blockyard._core, "memory_left", lambda: (50_000_000, "this machine"))
    ga.launch(1, copy)


def test_an_array_that_is_too_large_is_an_error_at_all_ranks():
    def make():
        with pytest.raises(blockyard.OutOfMemory, match=r'ga.empty\("vast"\): process \d+ has no memory for its part'):
            ga.zeros((1 << 20, 1 << 20), name="vast")
        assert ga.ones(4).sum() == 4

    ga.launch(2, make)


@needs_mpi
def test_communicators_of_mpi4py(tmp_path):
    (tmp_path / "script.py").write_text("""
from mpi4py import MPI
from blockyard import ga
world = MPI.COMM_WORLD
part = world.Split(world.rank == 1)
if world.rank != 1:  # which takes no part in any of it
    assert ga.init(part).size == 3 and ga.ones(5).sum() == 5
    half = part.Split(part.rank % 2, -part.rank)  # in the opposite order
    a = ga.zeros((6, 6), "i4", group=half)
    assert a.group.size == half.size and a.group.rank == half.rank
    a.local[...] = part.rank
    a.sync()
    assert set(a[...].ravel().tolist()) == set(half.allgather(part.rank))
    assert ga.zeros(3, group=half).group is a.group and ga.zeros(3, group=part).group.size == part.size
    assert a.group.gather(part.rank) == half.allgather(part.rank)
    assert a.group.broadcast(part.rank, root=a.group.size - 1) == half.bcast(part.rank, half.size - 1)
    assert (a.group.rank in [member for member, _ in a.distribution()]) == bool(a.local.size)
world.Barrier()
print("content", flush=True)
""")
    done = mpirun(4, tmp_path / "script.py")
    assert done.returncode == 0 and done.stdout.count("content") == 4, done.stdout + done.stderr


@needs_mpi
def test_an_exception_in_one_process_ends_all(tmp_path):
    (tmp_path / "script.py").write_text("""
from blockyard import ga
a = ga.zeros(10)
if ga.rank() == 1:
    a[77]
ga.sync()
""")
    done = mpirun(2, tmp_path / "script.py")
    assert done.returncode == 1, done.stdout + done.stderr
    assert 'index 77 is outside 0..9 on axis 0 of array "array 1"' in done.stderr


def test_a_signal_ends_threads_that_wait():
    code, told = end_by(signal.SIGINT, [sys.executable, "-u", "-c", """
from blockyard import ga
def wait():
    group = ga.Group([0, 1])
    if ga.rank() == 0:
        print("begun", flush=True)
        group.sync()
ga.launch(3, lambda: wait() if ga.rank() == 0 else ga.Group([0, 1]) and ga.init().sync())
"""])
    assert code != 0 and "KeyboardInterrupt" in told, told


def test_no_rank_begins_where_not_all_can():
    done = subprocess.run([sys.executable, "-c", """
import threading
from blockyard import ga
start, begun = threading.Thread.start, []
def start_three(self):
    if self.name == "rank 3":
        raise RuntimeError("can't start new thread")
    start(self)
threading.Thread.start = start_three
try:
    ga.launch(4, lambda: begun.append(ga.rank()) or ga.sync())
except RuntimeError as error:
    print(error, begun)
for thread in threading.enumerate()[1:]:
    thread.join()
"""], capture_output=True, text=True, check=False)
    assert done.stdout == "can't start new thread []\n" and not done.stderr, done.stdout + done.stderr


def test_ctrl_c_waits_for_ranks_that_compute():
    code, told = end_by(signal.SIGINT, [sys.executable, "-u", "-c", """
import threading
from blockyard import ga
interrupted, ended = threading.Event(), []
def part():
    if ga.rank() == 0:
        print("begun", flush=True)
        interrupted.wait()
        ended.append(sum(range(10**7)))
    else:
        try:
            ga.sync()
        finally:
            interrupted.set()
try:
    ga.launch(2, part)
except KeyboardInterrupt:
    print("ended" if ended else "one is left")
"""])
    assert code == 0 and told.splitlines()[-1] == "ended", told


PAGE = (REPOSITORY / "docs/python_ga.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("ranks", [1, 4])
@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_the_examples_of_the_page_run(number, ranks):
    code = compile(EXAMPLES[number], f"docs/python_ga.md, example {number + 1}", "exec")
    if "ga.launch" in EXAMPLES[number]:
        exec(code, {})
    else:
        ga.launch(ranks, lambda: exec(code, {}))


def example(name):
    """A file of examples/garray as a module."""
    found = importlib.util.spec_from_file_location(name, REPOSITORY / f"examples/garray/{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_the_examples_compute_what_they_say():
    def work():
        plate, steps = example("jacobi").solve(16, 1e-6)
        u = plate[...]
        source = 4 * u - sum(np.roll(u, shift, axis) for shift in (1, -1) for axis in (0, 1))
        image = example("tasks").mandelbrot(48)
        a = np.random.default_rng(1).random((40, 30))
        left, values, right = example("svd").svd(ga.array(a), 5, turns=8)
        ga.sync()
        return source, image[...], values, ga.norm(ga.array(a) @ right - left * values)

    wanted = np.zeros((16, 16))
    wanted[4, 4], wanted[12, 12] = 1, -1
    singular = np.linalg.svd(np.random.default_rng(1).random((40, 30)))[1][:5]
    images = []
    for ranks in (1, 3):
        source, image, values, error = ga.launch(ranks, work)[0]
        assert np.allclose(source, wanted, atol=1e-5)
        assert np.allclose(values, singular, rtol=1e-4) and error < 1e-3
        images.append(image)
    assert (images[0] == images[1]).all() and images[0].max() == 200


@needs_mpi
def test_an_example_runs_under_mpirun():
    done = mpirun(2, REPOSITORY / "examples/garray/svd.py")
    assert done.returncode == 0 and done.stdout.count("2 ranks") == 1, done.stdout + done.stderr
