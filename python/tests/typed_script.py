# SPDX-License-Identifier: Apache-2.0
"""A user's script with types: test_types.py runs it, and checks it with ``mypy --strict``."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

import blockyard
from blockyard import ga

Matrix = npt.NDArray[np.float64]

PROGRAM = (Path(__file__).parent / "programs" / "scaled.sial").read_text(encoding="utf-8")


def scaled(session: blockyard.Session, a: Matrix, factor: float) -> Matrix:
    @session.super("scale", "ur")
    def scale(block: Matrix, by: float) -> None:
        block *= by

    program: blockyard.Program = session.compile(PROGRAM)
    result: blockyard.SessionResult = session.run(
        program, arrays={"a": a}, constants={"factor": factor}, segments={"ao": [2, 2]}, keep=["c"])
    c: blockyard.BlockArray = result["c"]
    sums: dict[tuple[int, ...], float] = {numbers: float(block.sum()) for numbers, block in c.blocks()}
    assert len(sums) == 4 and c.block(1, 2).shape == (2, 2) and c[0, 1] == factor * a[0, 1]
    scale(a, 1.0)
    whole: Matrix = np.asarray(c)
    return whole


def spread() -> float:
    a: ga.GlobalArray = ga.from_function(lambda i, j: i + j, (4, 6), chunk=(1, 6), name="a")
    if ga.rank() == 0:
        a.add(np.s_[1, :], np.ones(6), alpha=2)
    ga.sync()
    later: ga.Later = a.get_later(np.s_[0, :])
    group: ga.Group = a.group
    mine: Matrix = a.local
    group.sync()
    b = np.sqrt(a * a) + later.result()
    tasks: list[int] = [task for task in ga.counter(3)]
    return float(b.sum()) + mine.size * 0.0 + len(tasks) * 0.0


def main(job: Path, folder: Path) -> None:
    steps: list[str] = []

    def progress(done: int, of: int, name: str) -> None:
        steps.append(name)

    sums: list[float] = ga.launch(2, spread)
    assert sums[0] == sums[1] == 96 + 12 + 60
    try:
        blockyard.run(folder / "none.toml", progress=progress)
    except blockyard.Error as error:
        place: tuple[str | None, int | None] = (error.file, error.line)
        assert place == (None, None)
    water: blockyard.Result = blockyard.run(job, workers=1, memory="256M", quiet=True, trace=folder / "t.json.gz")
    energies: dict[str, float] = water.energies
    assert water.energy == energies["scf"] and water.report["energies"]
    water.write_report(folder / "water.html")
    a = np.arange(16.0).reshape(4, 4)
    with blockyard.Session(workers=2, memory=64 << 20, quiet=True, progress=False) as session:
        assert np.allclose(scaled(session, a, 2.0), 2 * a)
        plan: blockyard.Plan = session.einsum_plan("ij,jk->ik", a, a)
        product = session.einsum("ij,jk->ik", a, a, verbose=False)
        assert plan.sial == product.sial and product.shape == (4, 4) and product[0, 0] == (a @ a)[0, 0]
        trace: float = float(session.einsum("ii->", a))
        assert trace == np.trace(a)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
