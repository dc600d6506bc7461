# SPDX-License-Identifier: Apache-2.0
import copy
import gc
import os
import pickle
import signal
import subprocess
import sys

import numpy as np
import pytest

import blockyard
from conftest import SEGMENTS, end_by, program, random

SQUARE = program("square")
SUPER = program("one")


@pytest.mark.parametrize("order", "CF")
def test_arrays_of_every_kind_go_in_and_come_out(session, order):
    a, b, s = random(12, 12, order=order), random(12, 12) + 1, random(12, 12, order=order)
    result = session.run(SQUARE, arrays={"a": a, "b": b, "s": s})
    c = result["c"]
    np.testing.assert_allclose(np.asarray(c), a @ b)
    np.testing.assert_allclose(result.scalars["trace"], (s * s).sum())
    np.testing.assert_array_equal(result["s"], s)
    assert c.shape == (12, 12) and c.segments == [[4, 3, 5], [4, 3, 5]]
    np.testing.assert_allclose(c.block(2, 3), (a @ b)[4:7, 7:])
    np.testing.assert_allclose(c[2:9, 3], (a @ b)[2:9, 3])
    blocks = dict(c.blocks())
    assert list(blocks)[:2] == [(1, 1), (2, 1)] and len(blocks) == 9
    np.testing.assert_allclose(sum(block.sum() for block in blocks.values()), (a @ b).sum())
    with pytest.raises(IndexError, match="segments 1 to 3"):
        c.block(0, 1)
    with pytest.raises(KeyError):
        result["nothing"]


@pytest.mark.parametrize("make", [
    lambda a: a[::-1, ::2], lambda a: a[:, ::2].astype(np.float32), lambda a: a[:, ::2].astype(">f8"),
    lambda a: (a[:, ::2] * 100).astype(np.int64), lambda a: (a[:, ::2] * 100).astype(np.int32),
    lambda a: a[::-1, ::-2], lambda a: a[::-1, ::2].astype(np.float32)[:, ::-1],
    lambda a: np.broadcast_to(a[0, ::2], (12, 12)), lambda a: a[:, ::2] > 0.5])
def test_any_real_array_is_taken_as_numpy_sees_it(session, make):
    a = make(random(12, 24))
    b = np.eye(12)
    c = session.run(SQUARE, arrays={"a": a, "b": b, "s": b})["c"]
    np.testing.assert_allclose(np.asarray(c), np.asarray(a, dtype=float))


def test_what_was_given_is_never_changed(session):
    a = random(12, 12)
    before = a.copy()
    program = session.compile("""sial add
  aoindex i = 1:3
  aoindex j = 1:3
  distributed a[i,j]
  static s[i,j]
  pardo i,j
    put a[i,j] += 1.0
  endpardo i,j
  do i
    do j
      s[i,j] *= 2.0
    enddo j
  enddo i
endsial add
""")
    assert program.arrays["a"].is_written and program.arrays["a"].indexes == ("i", "j")
    for _ in range(2):  # the second run also begins with the given values
        result = session.run(program, arrays={"a": a, "s": a})
        np.testing.assert_allclose(np.asarray(result["a"]), before + 1)
        np.testing.assert_allclose(result["s"], 2 * before)
    np.testing.assert_array_equal(a, before)


def test_an_array_of_one_run_is_given_to_the_next(session):
    session.arrays["B"] = np.eye(12)
    session["s"] = np.zeros((12, 12))
    c = session.run(SQUARE, arrays={"a": random(12, 12)})["c"]
    again = session.run(SQUARE, arrays={"a": c})["c"]
    np.testing.assert_allclose(np.asarray(again), random(12, 12))


def test_memory_maps_are_read_from_their_files_and_large_results_go_there(tmp_path):
    n, pieces = 1200, 4
    path = tmp_path / "a.npy"
    np.save(path, random(n, n))
    a = np.load(path, mmap_mode="r")
    text = """sial large
  aoindex i = 1:4
  aoindex j = 1:4
  distributed a[i,j]
  distributed c[i,j]
  pardo i,j
    get a[i,j]
    put c[i,j] = 2.0*a[i,j]
  endpardo i,j
endsial large
"""
    with blockyard.Session(workers=1, memory=16 * 2**20, scratch=tmp_path, quiet=True) as session:
        for array in (a, a.T, np.load(path, mmap_mode="c"), a[::2, ::2]):
            segments = {"ao": blockyard.even_segments(array.shape[0], array.shape[0] // pieces)}
            result = session.run(text, arrays={"a": array}, segments=segments)
            c = result["c"]
            assert (c.filename is not None) == (c.nbytes > 8 * 2**20)
            np.testing.assert_array_equal(np.asarray(c), 2 * np.asarray(array))
            assert copy.deepcopy(c).filename is None, "a copy is in memory"
            assert result.report["servers"][0]["peak_bytes"] < 16 * 2**20
    np.testing.assert_array_equal(c.block(1, 1), 2 * a[:300:2, :300:2])  # outlives the session
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npy"]


def test_blocks_nobody_wrote_are_zero_and_told(session):
    result = session.run("""sial part
  aoindex i = 1:3
  sparse distributed d[i]
  pardo i
    where i == 2
    put d[i] = 4.0
  endpardo i
endsial part
""")
    d = result["d"]
    assert np.asarray(d).tolist() == [0.0] * 4 + [4.0] * 3 + [0.0] * 5
    assert d.is_written(2) and not d.is_written(1)
    assert [numbers for numbers, _ in d.blocks()] == [(2,)]


TYPED = program("typed")


def test_arrays_have_the_types_of_the_program(session):
    a, b = random(12, 12) + 1j * random(12, 12), random(12, 12).astype(np.float32)
    for given, s in [(a, a), (a.astype(np.complex64), b), (b, a.real)]:  # converted as they are read
        result = session.run(TYPED, arrays={"a": given, "b": b, "s": s})
        c = np.asarray(result["c"])
        assert c.dtype == np.complex64
        np.testing.assert_allclose(c, given.conj() @ b, rtol=1e-5)
        np.testing.assert_allclose(result.scalars["trace"], (s * s).sum())
        assert result["s"].dtype == np.complex128
        np.testing.assert_array_equal(result["s"], s)


def test_wrong_arrays_are_refused(session):
    zeros = np.zeros((12, 12))
    rest = {"b": zeros, "s": zeros}
    with pytest.raises(blockyard.InputError, match="shape"):
        session.run(SQUARE, arrays={"a": np.zeros((12, 11)), **rest})
    with pytest.raises(blockyard.InputError, match="declare it 'complex'"):
        session.run(SQUARE, arrays={"a": zeros * 1j, **rest})
    with pytest.raises(blockyard.InputError, match="no static, distributed or served array 'q'"):
        session.run(SQUARE, arrays={"a": zeros, "q": zeros, **rest})
    for labels in ({"typo": 1.0}, {"typo": np.float64(1)}, {"typo": [1.0, 2.0]}):
        with pytest.raises(blockyard.InputError, match="restores no (scalar|array) from label \"typo\""):
            session.run(SQUARE, arrays={"a": zeros, **rest}, labels=labels)
    with pytest.raises(blockyard.InputError, match="to keep"):
        session.run(SQUARE, arrays={"a": zeros, **rest}, keep=["s"])
    with pytest.raises(blockyard.InputError, match="constant n: an int has 64 bits"):
        session.run(SQUARE, arrays={"a": zeros, **rest}, constants={"n": 2**63})
    with pytest.raises(blockyard.InputError, match="constant typo: the job has no predefined int or scalar"):
        session.run(SQUARE, arrays={"a": zeros, **rest}, constants={"typo": 1})
    session.constants["typo"] = 1  # for other programs
    session.run(SQUARE, arrays={"a": zeros, **rest})
    with pytest.raises(blockyard.CompileError, match="endsial"):
        session.compile("sial x\nscalar y\n")
    with pytest.raises(blockyard.CompileError, match="there is no file"):
        session.compile("nowhere.sial")


def test_masks_are_refused(session):
    eye, masked = np.eye(12), np.ma.masked_less(np.arange(144.0).reshape(12, 12), 5)
    for use in (lambda a: session.run(SQUARE, arrays={"a": a, "b": eye}, segments=SEGMENTS), lambda a: session.einsum("ij,jk->ik", a, eye),
                lambda a: float(session.array(a).sum()), lambda a: float((session.array(eye) + a).sum())):
        with pytest.raises(blockyard.InputError, match=r"filled\(0\)"):
            use(masked)
        use(masked.filled(0))
        use(np.ma.masked_less(np.ones((12, 12)), 0))  # of which nothing is masked


def test_what_is_no_number_is_refused(session):
    eye = np.eye(12)
    dates = np.full((12, 12), "2026-11-29", "datetime64[D]")
    for wrong in (dates, dates - dates, eye.astype(str), np.full((12, 12), None)):
        with pytest.raises(TypeError, match=r"array 'a' of the program has real or complex numbers, not (date|time|<U|obj)"):
            session.run(SQUARE, arrays={"a": wrong, "b": eye}, segments=SEGMENTS)


@pytest.mark.parametrize("wrong", [[], [6, 6.5], [0, 12], "12", 0, -12, 12.0, None])
def test_segments_are_lengths(session, wrong):
    with pytest.raises(blockyard.InputError, match="segments of ao.*even_segments"):
        session.run(SQUARE, arrays={"a": np.eye(12), "b": np.eye(12)}, segments={"ao": wrong, "mo": [12]})


def test_a_session_leaves_nothing_behind(tmp_path):
    with blockyard.Session(workers=1, memory="32M", scratch=tmp_path, quiet=True) as session:
        for _ in range(3):
            session.run(SUPER.replace("  special touch u\n", "").replace("execute touch t[i]", "t[i] *= 2.0"), segments=SEGMENTS)
        assert len(os.listdir(tmp_path)) == 1
    assert os.listdir(tmp_path) == []
    a = np.zeros((12, 12))
    references = sys.getrefcount(a)
    with blockyard.Session(workers=1, memory="32M", quiet=True) as session:
        session.run(SQUARE, arrays={"a": a, "b": a, "s": a}, segments=SEGMENTS)
    gc.collect()
    assert sys.getrefcount(a) == references


def test_a_session_stays_in_its_process(session):
    for make in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="belongs to its process"):
            make(session)


@pytest.mark.parametrize("run, value_of", [
    (lambda session, trace: session.run("sial p\nscalar x\nx = 2.0\nendsial p\n", trace=trace), lambda made: made.scalars["x"]),
    (lambda session, trace: session.einsum("i,i->", np.ones(2), np.ones(2), trace=trace), float)])
def test_a_trace_that_cannot_be_written_costs_no_result(session, run, value_of):
    with pytest.raises(blockyard.StorageError, match="/dev/full") as raised:
        run(session, "/dev/full")
    assert value_of(raised.value.result) == 2
    with pytest.raises(blockyard.StorageError, match="no/folder") as raised:
        run(session, "no/folder/trace.json.gz")
    assert raised.value.result is None, "it is refused before the run"


def test_a_relative_scratch_folder_stays_where_it_was(monkeypatch, tmp_path):
    for name in ("scratch", "elsewhere"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    with blockyard.Session(workers=1, memory="32M", scratch="scratch") as session:
        monkeypatch.chdir("elsewhere")
        assert session.einsum("ij->", np.ones((4, 4))) == 16
        assert len(list((tmp_path / "scratch").iterdir())) == 1
    assert not list((tmp_path / "scratch").iterdir()) and not list((tmp_path / "elsewhere").iterdir())


def test_a_session_that_nobody_closes_leaves_nothing_behind(tmp_path):
    session = blockyard.Session(workers=1, memory="32M", scratch=tmp_path)
    assert len(os.listdir(tmp_path)) == 1 and "memory='32M'" in repr(session)
    del session
    gc.collect()
    assert os.listdir(tmp_path) == []
    with blockyard.Session(scratch=tmp_path) as session:
        pass
    with pytest.raises(blockyard.InputError, match="closed"):
        session.einsum("i->", np.ones(3))
    assert "closed" in repr(session)


STUCK = """
import sys
import time
import blockyard
with blockyard.Session(workers=1, memory="32M", scratch=sys.argv[1], quiet=True) as session:
    session.segments["ao"] = [1] * 3

    @session.super("touch", "u")
    def touch(block):
        print("begun", flush=True)
        while session.is_stuck:
            pass

    session.is_stuck = True
    try:
        session.run(SUPER)
    except KeyboardInterrupt:
        print("stopped", flush=True)
    session.is_stuck = False
    session.run(SUPER)
"""


def test_ctrl_c_ends_a_super_instruction_that_does_not_return(tmp_path):
    code, told = end_by(signal.SIGINT, [sys.executable, "-c", f"SUPER = {SUPER!r}\n{STUCK}", tmp_path])
    assert code == 0 and "stopped" in told
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_a_script_leaves_nothing_behind(number, tmp_path):
    code, told = end_by(number, [sys.executable, "-c", f"SUPER = {SUPER!r}\n{STUCK.replace('pass', 'time.sleep(0.01)')}", tmp_path])
    assert code == 128 + number and "stopped" not in told
    assert os.listdir(tmp_path) == []


IGNORED = """
import gc
import signal
import sys
import time
import weakref
import blockyard

class Slow:
    pass

def wait(*_):
    print("begun", flush=True)
    while True:
        time.sleep(0.01)

session = blockyard.Session(workers=1, memory="32M", scratch=sys.argv[1])
slow = Slow()
if sys.argv[2] == "destructor":
    Slow.__del__ = wait
elif sys.argv[2] == "weak reference":
    kept = weakref.ref(slow, wait)
else:
    gc.callbacks.append(lambda *_: (gc.callbacks.clear(), wait()))
del slow
gc.collect()
while True:
    signal.pause()
"""


@pytest.mark.parametrize("where", ["destructor", "weak reference", "collector"])
def test_a_signal_whose_exception_python_ignores_ends_a_script(where, tmp_path):
    code, told = end_by(signal.SIGTERM, [sys.executable, "-c", IGNORED, tmp_path, where])
    assert code == 128 + signal.SIGTERM and told == ""
    assert os.listdir(tmp_path) == []


def test_signals_are_ours_until_the_last_session_ends():
    hook = sys.unraisablehook
    before = signal.getsignal(signal.SIGTERM)
    first, second = (blockyard.Session(workers=1, memory="32M") for _ in range(2))
    ours = signal.getsignal(signal.SIGTERM)
    first.close()
    assert ours != before and signal.getsignal(signal.SIGTERM) == ours
    assert sys.unraisablehook != hook
    second.close()
    assert signal.getsignal(signal.SIGTERM) == before and sys.unraisablehook == hook


FORK = """
import os, sys
from blockyard._outputs import new_output
made = new_output((4,), "C", False, sys.argv[1], "made", None)
if os.fork() == 0:
    sys.exit()
os.wait()
print(os.listdir(sys.argv[1]))
"""


def test_a_fork_that_ends_leaves_results_alone(tmp_path):
    done = subprocess.run([sys.executable, "-c", FORK, tmp_path], check=True, text=True, capture_output=True)
    assert done.stdout == "['made.npy']\n" and os.listdir(tmp_path) == []


COPY = """sial copied
  aoindex i = 1:2
  moindex j = 1:3
  moaindex k = 1:2
  distributed a[i,j,k]
  distributed c[i,j,k]
  pardo i,j,k
    get a[i,j,k]
    put c[i,j,k] = a[i,j,k]
  endpardo i,j,k
endsial copied
"""


@pytest.mark.parametrize("where", ["on the disk", "in the page cache"])
@pytest.mark.parametrize("view", [lambda a: a, lambda a: a.T, lambda a: a.transpose(1, 0, 2), lambda a: a[1:, ::2, 3:],
                                  lambda a: a[:, :, ::9], lambda a: a[::-1, :, ::-1]],
                         ids=["as it is", "reversed", "permuted", "a part", "far apart", "backwards"])
def test_blocks_of_a_memory_map_are_read_from_its_file(session, tmp_path, view, where):
    path = tmp_path / "a.npy"
    np.save(path, np.random.default_rng(2).random((61, 90, 103)))
    if where == "on the disk":
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    array = view(np.load(path, mmap_mode="r"))
    halves = [[n // 2, n - n // 2] for n in array.shape]
    thirds = [array.shape[1] // 3] * 2 + [array.shape[1] - 2 * (array.shape[1] // 3)]
    result = session.run(COPY, arrays={"a": array}, segments={"ao": halves[0], "mo": thirds, "moa": halves[2]})
    np.testing.assert_array_equal(np.asarray(result["c"]), array)
