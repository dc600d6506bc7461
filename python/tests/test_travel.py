# SPDX-License-Identifier: Apache-2.0
"""Products of Session.einsum whose one operand travels, alone and under mpirun."""
import os
import subprocess
import sys

import pytest

from conftest import IS_FULL

MPIEXEC = os.environ.get("MPIEXEC", "")
SCRIPT = """
import os, sys, time
import h5py
import numpy as np
import blockyard
from blockyard._einsum import plan as planning

me, ranks = blockyard.processes()
kinds = ["f4", "f8", "c8", "c16"]
cases = [("ij,jk->ik", (23, 17), (17, 19)), ("ji,kj->ki", (17, 23), (19, 17)), ("abef,efij->iajb", (5, 4, 3, 6), (3, 6, 7, 2)),
         ("aib,bja->ij", (4, 11, 5), (5, 9, 4))]

def random(seed, shape, kind):
    made = np.random.default_rng(seed).standard_normal((2, *shape))
    return (made[0] + 1j * made[1]).astype(kind) if kind[0] == "c" else made[0].astype(kind)

def compare(got, text, *operands):
    want = np.einsum(text, *operands)
    assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, want.dtype)
    error = np.abs(got - want).max() / np.abs(want).max()
    assert error < (1e-5 if want.dtype.name in ("float32", "complex64") else 1e-12), (text, want.dtype, error)

with blockyard.Session(workers=2, memory="64M", scratch=os.environ["FOLDER"]) as s:
    for text, one, other in cases:
        a, b = random(1, one, "c16"), random(2, other, "f8")
        assert (s.einsum_plan(text, a, b).travel is not None) == (ranks > 1)
        compare(s.einsum(text, a, b), text, a, b)
    planning.is_better = lambda travel, plan: True
    for kind in kinds:
        for text, one, other in cases:
            a, b = random(3, one, kind), random(4, other, kind)
            compare(s.einsum(text, a, b), text, a, b)
    n = np.arange(35).reshape(5, 7)
    assert np.array_equal(s.einsum("ij,kj->ik", n, n), n @ n.T)
    a = random(5, (40, 30), "c8")
    # The same bits whatever the processes: each element is one sum, over all of its terms at once.
    first, again = s.einsum("ij,kj->ik", a, a), s.einsum("ij,kj->ik", a, a)
    assert np.array_equal(first, again)
    out = np.zeros((40, 40), "c8")
    assert s.einsum("ij,kj->ki", a, a, out=out).base is out
    compare(out, "ij,kj->ki", a, a)
    # A product that is not a plain one of two matrices is a program: letters in all three, sums of one, three operands.
    for text, operands in (("bij,bjk->bik", (random(6, (3, 4, 5), "c16"), random(7, (3, 5, 6), "c16"))),
                           ("ij,jk->i", (a, random(8, (30, 4), "c8"))), ("ij,jk,kl->il", (a, a.T, a)),
                           ("ij,ij->", (a, a))):
        assert s.einsum_plan(text, *operands).travel is None
        compare(np.asarray(s.einsum(text, *operands)), text, *operands)
    path = os.path.join(os.environ["FOLDER"], "a.h5")
    if me == 0:
        with h5py.File(path, "w") as file:
            file["a"] = a
    if s.processes is not None:
        s.processes.share(0)
    with h5py.File(path, "r") as file:
        compare(s.einsum("ij,kj->ik", file["a"], file["a"]), "ij,kj->ik", a, a)
    if ranks > 1:
        text = str(s.einsum_plan("ij,kj->ik", a, a))
        assert "op2 travels" in text or "op1 travels" in text, text
        assert np.allclose(s.einsum("ij,kj->ik", a, a, trace=os.path.join(os.environ["FOLDER"], "t.json")), first)
# A result larger than half the memory is a file, which process 0 keeps until the others have opened it.
a = random(9, (1500, 40), "f8")
load = np.load
np.load = lambda *given, **more: (time.sleep(0.3 if me else 0), load(*given, **more))[1]
with blockyard.Session(workers=1, memory="24M", scratch=os.environ["FOLDER"]) as s:
    plan = s.einsum_plan("ik,jk->ij", a, a)
    assert plan.result_on_disk and (plan.travel is not None) == (ranks > 1), plan
    c = s.einsum("ik,jk->ij", a, a)
    assert np.allclose(c, a @ a.T)
print("process", me, "of", ranks, "is content")
"""


@pytest.mark.parametrize("processes", [1, *(pytest.param(n, marks=pytest.mark.skipif(
    not MPIEXEC, reason="this build has no MPI")) for n in ((2, 3, 4) if IS_FULL else (2, 3)))])
def test_products_agree_with_numpy(processes, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, str(script)]
    if processes > 1:
        command = [MPIEXEC, "-n", str(processes), *command]
    done = subprocess.run(command, cwd=tmp_path, env={**os.environ, "FOLDER": str(tmp_path)}, text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("is content") == processes
