# SPDX-License-Identifier: Apache-2.0
"""Global arrays as arrays of SIAL programs: one store for both."""
import os
import subprocess
import sys

import numpy as np
import pytest

import blockyard
from blockyard import ga

from conftest import REPOSITORY, program

MPIEXEC = os.environ.get("MPIEXEC", "")
SEGMENTS = [4, 3, 5]
BEGINS = [0, 4, 7]

PRODUCT = program("product")


def tiles(ranks):
    """Blocks that are the segments of the program, dealt along the first axis."""
    return ga.tiled_irregular([BEGINS, BEGINS], (ranks, 1))


def product(ranks, order, kept_order="C"):
    """One rank runs a program on arrays of all ranks."""
    numbers = np.random.default_rng(7)
    a, b, s = (numbers.random((12, 12)) for _ in range(3))
    more = {"order": order, **({"layout": tiles(ranks)} if order == "F" else {})}
    given = {"a": ga.array(a, **more), "b": ga.array(b, **more), "s": ga.array(s)}
    kept = ga.full((12, 12), 9.0, order=kept_order)
    counts = None
    if ga.rank() == 0:
        with blockyard.Session(fabric="loopback", workers=2, memory="64M", quiet=True) as session:
            result = session.run(PRODUCT, arrays=given, keep={"c": kept}, segments={"ao": SEGMENTS})
        assert result["c"] is kept
        counts = result.lent_blocks, result.copied_blocks
    ga.sync()
    assert np.allclose(kept[...], a @ b + s)
    for name, values in (("a", a), ("b", b), ("s", s)):
        assert (given[name][...] == values).all(), "what was given is never changed"
    return counts


@pytest.mark.parametrize("ranks", [1, 3])
def test_tiles_that_are_segments_are_not_copied(ranks):
    for kept_order in "CF":
        assert ga.launch(ranks, product, ranks, "F", kept_order)[0] == (18, 1), "only the static array is copied"


@pytest.mark.parametrize("ranks", [1, 3])
def test_other_blocks_are_copied_when_they_are_wanted(ranks):
    lent, copied = ga.launch(ranks, product, ranks, "C")[0]
    assert lent == 0 and copied == 19


def test_a_program_that_puts_has_its_own_version():
    a = ga.array(np.ones((12, 12)), order="F", layout=tiles(1))
    c = ga.zeros((12, 12))
    with blockyard.Session(fabric="loopback", workers=1, memory="64M", quiet=True) as session:
        session["a"] = a
        session.segments = {"ao": SEGMENTS}
        session.run("""sial change
          aoindex i = 1:3
          aoindex j = 1:3
          distributed a[i,j]
          distributed c[i,j]
          pardo i,j
            where i == j
            put a[i,j] += 2.0
            put c[i,j] = 4.0
          endpardo i,j
        endsial change
        """, keep={"c": c, "a": (after := ga.zeros((12, 12)))})
        assert np.allclose(session.einsum("ij,jk->ik", a, a), 12), "einsum copies it"
    same = np.equal.outer(np.repeat([0, 1, 2], SEGMENTS), np.repeat([0, 1, 2], SEGMENTS))
    assert (a[...] == 1).all() and (c[...] == 4 * same).all() and (after[...] == 1 + 2 * same).all()


def test_mp2_of_the_library_runs_on_integrals_from_a_global_array():
    """They are made by all ranks; the program sialib/mp2_rhf.sial restores them as if a transformation had
    left them. Szabo, Ostlund, Modern Quantum Chemistry (1996), eq. 6.74."""
    segments, occupied = [2, 3, 2], 2  # of all orbitals; the first segment is occupied
    n = sum(segments)
    e = np.array([-2.0, -1.1, 0.4, 0.7, 1.2, 1.3, 2.0])

    def integral(p, q, r, s):
        """With the symmetry of (pq|rs) over real orbitals."""
        return 0.3 / (1 + abs((p + 0.5) * (q + 0.5) - (r + 0.5) * (s + 0.5)) + 0.1 * (p * q + r * s) + (p - q) ** 2 + (r - s) ** 2)

    v = integral(*np.ogrid[:n, :n, :n, :n])
    o, x = slice(0, occupied), slice(occupied, n)
    ov = v[x, o, x, o]
    gap = e[None, o, None, None] + e[None, None, None, o] - e[x, None, None, None] - e[None, None, x, None]
    wanted = (ov * (2 * ov - ov.transpose(0, 3, 2, 1)) / gap).sum()

    def energy():
        begins = [0, 2, 5]
        mo = ga.from_function(integral, (n,) * 4, order="F", name="mo",
                              layout=ga.tiled_irregular([begins] * 4, (1, ga.size(), 1, 1)))
        found = None
        if ga.rank() == 0:
            with blockyard.Session(fabric="loopback", workers=2, memory="64M", quiet=True) as session:
                program = session.compile(REPOSITORY / "sialib/mp2_rhf.sial", imports=[REPOSITORY / "sialib"])
                segment = {"ao": [n], "moa": segments, "mob": segments, "la": [1]}
                session.constants = {"norb": 1, "baocc": 1, "eaocc": 1, "bavirt": 2, "eavirt": 3, "ebvirt": 3,
                                     "fitting_segments": 1}
                left = {"fock_mo": np.diag(e), "scf_energy": -3.0, "nuclear_energy": 1.0}
                result = session.run(program, labels={"mo_integrals": mo, **left}, segments=segment, keep=[])
                assert (result.lent_blocks, result.copied_blocks) == (81, 0)
                with pytest.raises(blockyard.InputError, match='restores no array from label "none"'):
                    session.run(program, labels={"none": mo}, segments=segment)
            found = result.scalars["mp2_correlation"], result.scalars["mp2_energy"]
        ga.sync()
        return found

    correlation, total = ga.launch(2, energy)[0]
    assert np.isclose(correlation, wanted, rtol=1e-12) and np.isclose(total, wanted - 3) and wanted < 0


def test_what_does_not_fit_is_told():
    with blockyard.Session(fabric="loopback", workers=1, memory="64M", quiet=True) as session:
        session.segments = {"ao": SEGMENTS}
        good = {"a": np.ones((12, 12)), "b": np.ones((12, 12)), "s": np.ones((12, 12))}
        with pytest.raises(blockyard.InputError, match=r"'a' of the program has the shape \(12, 12\), the global array \"x\" \(12, 11\)"):
            session.run(PRODUCT, arrays={**good, "a": ga.zeros((12, 11), name="x")})
        with pytest.raises(blockyard.InputError, match=r"elements of type f64, the global array \"x\" of type int"):
            session.run(PRODUCT, arrays={**good, "b": ga.zeros((12, 12), "i4", name="x")})
        with pytest.raises(blockyard.InputError, match=r"has the shape \(12, 12\), the global array \"x\" \(3\)"):
            session.run(PRODUCT, arrays=good, keep={"c": ga.zeros(3, name="x")})
        with pytest.raises(TypeError, match="goes to a global array"):
            session.run(PRODUCT, arrays=good, keep={"c": np.zeros((12, 12))})


@pytest.mark.skipif(not MPIEXEC, reason="this build has no MPI")
def test_processes_share_their_arrays_with_a_run(tmp_path):
    (tmp_path / "script.py").write_text(f"""
import numpy as np
import blockyard
from blockyard import ga
numbers = np.random.default_rng(7)
a, b, s = (numbers.random((12, 12)) for _ in range(3))
tiles = ga.tiled_irregular([{BEGINS}, {BEGINS}], (ga.size(), 1))
given = dict(a=ga.array(a, order="F", layout=tiles), b=ga.array(b), s=ga.array(s))
kept = ga.full((12, 12), 9.0)
with blockyard.Session(workers=1, memory="64M", quiet=True) as session:
    result = session.run('''{PRODUCT}''', arrays=given, keep=dict(c=kept), segments=dict(ao={SEGMENTS}))
assert np.allclose(kept[...], a @ b + s) and result["c"] is kept
lent = ga.init().reduce(np.array([result.lent_blocks, result.copied_blocks]))
assert lent.tolist() == [9, 9 + ga.size()], lent
print("content", flush=True)
""")
    done = subprocess.run([MPIEXEC, "-n", "2", sys.executable, "script.py"], cwd=tmp_path, text=True,
                          capture_output=True, timeout=120)
    assert done.returncode == 0 and done.stdout.count("content") == 2, done.stdout + done.stderr
