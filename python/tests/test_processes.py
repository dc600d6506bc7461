# SPDX-License-Identifier: Apache-2.0
"""Scripts under mpirun: the same API, the same results in every process, one error for all."""
import os
import signal
import subprocess
import sys
import textwrap

import pytest

from conftest import IS_FULL, LONG, end_by, program

MPIEXEC = os.environ.get("MPIEXEC", "")
pytestmark = pytest.mark.skipif(not MPIEXEC, reason="this build has no MPI")

SCRIPT = '''
import os
import numpy as np
import blockyard
from mpi4py import MPI

me, all = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
numbers = np.random.default_rng(3)
a, b = numbers.random((12, 12)), numbers.random((12, 12))
with blockyard.Session(workers=1, memory="64M", scratch=os.environ["FOLDER"]) as s:
    @s.super("twice", "u")
    def twice(block):
        block *= 2

    result = s.run(os.environ["SQUARE"], arrays={"a": a, "b": b}, segments={"ao": [4, 3, 5]})
    assert np.allclose(np.asarray(result["c"]), 2 * (a @ b)), me
    assert np.isclose(result.scalars["total"], ((2 * a @ b) ** 2).sum()), me
    assert len(list(result["c"].blocks())) == 9 and (result["s"] == 1).all() and "total" in result.text
    assert len(result.report["programs"][0]["workers"]) == all
    again = s.einsum("ij,jk->ik", result["c"], b)
    assert np.allclose(again, 2 * a @ b @ b) and ("put result" in again.sial) == (all > 1)
    assert np.isclose(s.einsum("ij,ji->", a, b), np.trace(a @ b))
    mine = np.zeros((12, 12))
    s.einsum("ij,kj->ki", a, b, out=mine)
    assert np.allclose(mine, b @ a.T)
with blockyard.Session(fabric="loopback", workers=1, memory="64M", quiet=True) as alone:
    assert np.allclose(alone.einsum("ij,jk->ik", a * me, b), me * (a @ b))
water = blockyard.run(os.environ["WATER"], workers=1, memory="64M", quiet=True, segments="best")
assert abs(water.energy + 74.96294) < 1e-4, water.energy
print("process", me, "of", all, "is content")
'''


def run_in(processes, script, folder, **more):
    (folder / "script.py").write_text(textwrap.dedent(script))
    environment = {**os.environ, "FOLDER": str(folder), **more}
    return subprocess.run([MPIEXEC, "-n", str(processes), sys.executable, "script.py"], cwd=folder,
                          env=environment, text=True, capture_output=True, timeout=120)


@pytest.mark.parametrize("processes", [1, 2, 3, 4] if IS_FULL else [1, 3])
def test_every_process_gets_the_results(processes, tmp_path, water):
    done = run_in(processes, SCRIPT, tmp_path, WATER=str(water), SQUARE=program("square_twice"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("is content") == processes
    assert "leak" not in done.stderr, done.stderr
    assert done.stdout.count("total") == 1, "what a program prints is printed once"
    assert not list(tmp_path.glob("blockyard-*")), "something is left in the scratch folder"


def test_einsum_takes_numbers_among_its_operands(tmp_path):
    done = run_in(2, '''
        import numpy as np
        import blockyard
        a = np.random.default_rng(1).random((5, 4))
        with blockyard.Session(workers=1, memory="24M") as s:
            assert np.allclose(s.einsum(",ij->ji", 2.5, a), 2.5 * a.T)
            assert s.einsum(",", np.array(3), 4) == 12
    ''', tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_results_larger_than_memory_are_one_file_for_all(tmp_path):
    done = run_in(2, '''
        import os
        import numpy as np
        import blockyard
        a = np.random.default_rng(1).random((1500, 40))
        with blockyard.Session(workers=1, memory="24M", scratch=os.environ["FOLDER"]) as s:
            c = s.einsum("ik,jk->ij", a, a)
            assert s.einsum_plan("ik,jk->ij", a, a).result_on_disk
            assert np.allclose(c, a @ a.T) and c.base.filename
    ''', tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_file_for_all_lasts_as_long_as_some_process_maps_it(tmp_path):
    done = run_in(2, '''
        import os
        from pathlib import Path
        import numpy as np
        import blockyard
        me = blockyard.processes()[0]
        folder = Path(os.environ["FOLDER"])
        def has_files(count):
            return me != 0 or len(list(folder.glob("blockyard-*/*.npy"))) == count
        a = np.random.default_rng(1).integers(0, 9, (1500, 40))
        with blockyard.Session(workers=1, memory="24M", scratch=folder) as s:
            held = None
            for b, count in ((a, 1), (a * 1.0, 2), (a, 2)):
                c = s.einsum("ik,jk->ij", b, b)
                assert has_files(count) and np.array_equal(c, b @ b.T) and c.dtype == b.dtype
                if me == 1:
                    held = c
                del c
            held = None
            x = np.arange(1500 * 1500).reshape(1500, 1500)
            y = np.asarray(s.array(x) + s.array(x))
            assert has_files(1) and np.array_equal(y, x + x)
    ''', tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_mpirun_leaves_nothing_behind(number, tmp_path):
    (tmp_path / "long.sial").write_text(LONG)
    (tmp_path / "scratch").mkdir()
    script = """
import blockyard
session = blockyard.Session(workers=1, memory="64M", scratch="scratch")
session.run("long.sial")
"""
    code, told = end_by(number, [MPIEXEC, "-n", "2", sys.executable, "-c", script], cwd=tmp_path)
    assert code != 0, told
    assert os.listdir(tmp_path / "scratch") == [], told


FAILURES = {
    "a program that does not compile": ('blockyard.Session().compile("sial p\\nx = 1\\nendsial p\\n")', "x"),
    "a job file that is not there": ('blockyard.run("none.toml")', "none.toml"),
    "an array that differs": ('blockyard.Session(memory="64M").einsum("ij,jk->ik", a + me, a)',
                              "operand 1 of einsum is not the same in process 1"),
    "an exception in one process": ('1 / 0 if me == 1 else blockyard.run(os.environ["WATER"])',
                                    "ZeroDivisionError"),
    "a super instruction that fails in one process": ("""
with blockyard.Session(workers=1, memory="64M") as s:
    @s.super("fail", "r", info=True)
    def fail(block, where):
        if where.worker == 1:
            raise ValueError("no such luck")
    s.run('''sial p
      special fail r
      aoindex i = 1:40
      temp t[i]
      pardo i
        t[i] = 1.0
        execute fail t[i]
      endpardo i
      sip_barrier
    endsial p
    ''', segments={"ao": [1] * 40})
""", "no such luck"),
}


@pytest.mark.parametrize("what", FAILURES)
def test_an_error_ends_all_processes(what, tmp_path, water):
    call, told = FAILURES[what]
    script = f"import os\nimport numpy as np\nimport blockyard\nme = int(os.environ.get('OMPI_COMM_WORLD_RANK', os.environ.get('PMI_RANK', 0)))\na = np.ones((4, 4))\n{call}\n"
    done = run_in(2, script, tmp_path, WATER=str(water))
    assert done.returncode == 1, done.stdout + done.stderr
    assert told in done.stderr, done.stderr


@pytest.mark.parametrize("start, output", [("blockyard.processes()", "open('/dev/full', 'w')"),
                                           ("ga.init(MPI.COMM_WORLD)", "None")])
def test_an_error_ends_all_processes_where_output_cannot_be_written(start, output, tmp_path):
    done = run_in(2, f"""
        import sys
        from mpi4py import MPI
        import blockyard
        from blockyard import ga
        {start}
        if MPI.COMM_WORLD.rank == 1:
            sys.stdout, sys.stderr = {output}, None
            print("lost")
            raise ValueError("lost as well")
        MPI.COMM_WORLD.barrier()
    """, tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr


def test_what_process_0_cannot_read_or_write_is_an_error_of_all(tmp_path):
    (tmp_path / "p.sial").write_text("sial p\nscalar x\nx = 1.0\nendsial p\n")
    done = run_in(2, """
        import blockyard
        me = blockyard.processes()[0]
        few = {"workers": 1, "memory": "64M", "quiet": True}
        with blockyard.Session(**few) as s:
            for attempt in (lambda: blockyard.run("none.toml", **few),
                            lambda: blockyard.run("p.sial", trace="p.json", json="p.json", **few),
                            lambda: blockyard.run("p.sial", trace="/dev/full", **few),
                            lambda: blockyard.run("p.sial", json="/dev/full", **few),
                            lambda: blockyard.run("p.sial", report="/dev/full" if me == 0 else None, **few),
                            lambda: s.run("p.sial", trace="/dev/full"),
                            lambda: blockyard.run("p.sial", segments="best", **few),
                            lambda: blockyard.run("H 0 0 0\\nH 0 0 0.7", basis="sto-3g", method="mp2",
                                                  segments="best", workers=1, memory="1M")):
                try:
                    attempt()
                except blockyard.Error as error:
                    print(error, flush=True)
            assert s.run("p.sial").scalars["x"] == 1
    """, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("none.toml") == 2 and done.stdout.count("named for two outputs") == 2, done.stdout
    assert done.stdout.count("segments best: only") == 2 and done.stdout.count("too little memory") == 2, done.stdout
    assert done.stdout.count("cannot write /dev/full: No space left on device") == 8, done.stdout
