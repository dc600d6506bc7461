# SPDX-License-Identifier: Apache-2.0
"""The tools around a job: its plan, its files for other programs, scans, resuming from a checkpoint."""

import json
import math
import os
import pickle
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest

import blockyard

H2 = "H 0 0 0\nH 0 0 0.74\n"
FEW = dict(basis="sto-3g", workers=1, memory="512M")
QUIET = dict(FEW, quiet=True)


@pytest.fixture(scope="module")
def h2():
    return blockyard.run(H2, method="mp2", **QUIET)


def test_files_for_other_programs_are_written(tmp_path, h2):
    files = {name: tmp_path / name for name in ("json", "molden", "fcidump", "qcschema")}
    page, cubes = tmp_path / "run.html", {"homo": tmp_path / "homo.cube", 2: tmp_path / "two.cube"}
    result = blockyard.run(H2, method="mp2", **QUIET, **files, report=page, cube=cubes)
    assert json.loads(files["json"].read_text())["energies"] == result.energies
    assert files["molden"].read_text() == result.molden()
    assert "[Molden Format]" in result.molden() and "[MO]" in result.molden()
    assert files["fcidump"].read_text() == result.fcidump() and "NORB=" in result.fcidump().replace(" ", "")
    assert json.loads(files["qcschema"].read_text())["return_result"] == pytest.approx(result.energy, abs=1e-12)
    assert result.qcschema()["success"] is True
    assert cubes["homo"].read_text() == result.cube("homo") != result.cube(2) == cubes[2].read_text()
    assert page.read_text().startswith("<!DOCTYPE html>") or "<html" in page.read_text()


def test_a_result_that_travelled_says_where_its_orbitals_are(h2):
    again = pickle.loads(pickle.dumps(h2))
    assert again.json == h2.json
    with pytest.raises(blockyard.InputError, match="another process"):
        again.molden()


@pytest.mark.parametrize("wrong, told", [
    (dict(cube={"hommo": "x.cube"}), "hommo"),
    (dict(cube={7: "x.cube"}), "from 1 to 2"),
    (dict(cube={"spin": "x.cube"}), "spin density"),
    (dict(molden="no/folder/x.molden"), "no/folder"),
    (dict(segments="bst"), "best"),
])
def test_wrong_wishes_are_refused_before_anything_runs(tmp_path, monkeypatch, capfd, wrong, told):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(blockyard.Error, match=told):
        blockyard.run(H2, method="scf", **FEW, **wrong)
    assert not os.listdir(tmp_path)
    assert capfd.readouterr().out == ""


def test_files_are_written_of_a_run_that_does_not_converge(tmp_path):
    file = tmp_path / "known.json"
    with pytest.raises(blockyard.NotConverged):
        blockyard.run(H2, method="mp2", scf_iterations=1, json=file, **QUIET)
    assert json.loads(file.read_text())["converged"] is False


def test_a_file_that_cannot_be_written_costs_no_other_and_no_result(tmp_path):
    files = {name: tmp_path / name for name in ("molden", "qcschema", "report")}
    with pytest.raises(blockyard.StorageError, match="/dev/full") as raised:
        blockyard.run(H2, method="scf", json="/dev/full", trace="/dev/full", **QUIET, **files)
    assert files["molden"].read_text() == raised.value.result.molden()
    assert json.loads(files["qcschema"].read_text())["return_result"] == pytest.approx(raised.value.result.energy, abs=1e-12)
    assert files["report"].exists()


def test_a_plan_is_that_of_the_command_line(water):
    plan = blockyard.plan(water, method="ccsd", workers=2, memory="1G", iterations={"ccsd_rhf": 7})
    assert plan.seconds > 0 and plan.fits and plan.process_bytes > 0
    assert [program["name"] for program in plan.programs][-1] == "ccsd_rhf"
    assert plan.segments and plan.segments == sorted(plan.segments, key=lambda trial: trial["seconds"])
    assert "ccsd_rhf" in str(plan)
    told = subprocess.run([sys.executable, "-m", "blockyard", "plan", str(water), "--method", "ccsd", "-w", "2", "--memory",
                           "1G", "--iterations", "ccsd_rhf=7", "--json", "-"], capture_output=True, text=True, check=True)
    command = json.loads(told.stdout)
    assert command["work"]["flops"] == plan.data["work"]["flops"]
    few = blockyard.plan(water, method="ccsd", workers=2, memory="1G", iterations=np.int64(2), try_segments=False)
    assert few.data["work"]["flops"] < plan.data["work"]["flops"] and few.segments == []


@pytest.mark.parametrize("wrong", [dict(iterations=0), dict(processes=0), dict(steps=0), dict(workers=-1),
                                   dict(iterations={"ccsd_rhf": "many"})])
def test_wrong_values_of_a_plan_are_refused(water, wrong):
    with pytest.raises(blockyard.InputError):
        blockyard.plan(water, **wrong)
    with pytest.raises(TypeError, match="frozen_core"):
        blockyard.plan(water, frozen_cor=1)


def test_the_best_segments_are_those_of_the_plan(water, capfd):
    best = blockyard.run(water, method="mp2", workers=1, memory="512M", segments="best", progress=False)
    assert capfd.readouterr().out.startswith("segments: ao ")
    assert best.energy == pytest.approx(blockyard.run(water, method="mp2", **QUIET).energy, abs=1e-9)
    with pytest.raises(blockyard.InputError, match="molecule"):
        blockyard.run("demo/norm.sial", segments="best")


def test_a_scan_has_a_result_for_each_value(tmp_path):
    job = tmp_path / "h2.toml"
    job.write_text('''
[molecule]
geometry = """
H 0 0 0
H 0 0 r
"""
variables = { r = 0.7 }
[basis]
name = "sto-3g"
[method]
name = "scf"
''')
    curve = blockyard.scan(job, {"molecule.variables.r": [0.7, 0.74, 0.0]}, workers=1, quiet=True)
    assert len(curve) == 3 and list(curve.values("molecule.variables.r")) == [0.7, 0.74, 0.0]
    assert curve.energies[:2] == pytest.approx([-1.117349, -1.116759], abs=1e-5)
    assert math.isnan(curve.energies[2]) and curve[2].result is None and curve[2].error is not None
    assert "molecule.variables.r" in str(curve) and "failed" in str(curve) and "<table>" in curve._repr_html_()
    both = blockyard.scan(H2, {"method.name": ["scf", "mp2"], "basis.name": ["sto-3g", "6-31g"]}, workers=1, quiet=True)
    assert [tuple(point.settings.values()) for point in both] == [
        ("scf", "sto-3g"), ("scf", "6-31g"), ("mp2", "sto-3g"), ("mp2", "6-31g")]
    assert both.energies[3] < both.energies[1] < both.energies[0]
    assert len(blockyard.scan(H2, {"basis.name": (name for name in ["sto-3g"])}, workers=1, quiet=True)) == 1
    (tmp_path / "one.sial").write_text("sial one\nscalar x\nx = 1.0\nendsial one\n")
    program = blockyard.scan(tmp_path / "one.sial", {"run.workers": [1]}, quiet=True)
    assert "nan" in str(program) and math.isnan(program[0].energy)
    with pytest.raises(blockyard.InputError, match="molden"):
        blockyard.scan(H2, {"basis.name": ["sto-3g"]}, molden="x")
    with pytest.raises(TypeError, match="list of values"):
        blockyard.scan(H2, {"basis.name": "sto-3g"})


def test_a_job_of_a_scan_keeps_what_it_leaves_to_itself(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "".join(f'[{name}]\n{key} = "{value}"\n' for name, key, value in (
        ("molecule", "geometry", H2.replace("\n", "\\n")), ("basis", "name", "sto-3g"), ("method", "name", "scf")))
    job = tmp_path / "h2.toml"
    job.write_text(text + '[run]\ncheckpoint = "0s"\n')
    for _ in range(2):
        scan = blockyard.scan(job, {"method.scf_iterations": [1, 50, 60]}, workers=1, quiet=True)
        assert [type(point.error) for point in scan] == [blockyard.NotConverged, type(None), type(None)], scan
        assert [path.name for path in tmp_path.glob("*.checkpoint*")] == ["h2.checkpoint"]
        shutil.rmtree("h2.checkpoint")
    job.write_text(text + '[run]\nsave = "kept.h5"\n')
    scan = blockyard.scan(job, {"method.scf_iterations": [50, 60]}, workers=1, quiet=True)
    assert scan[0].error is None and "kept.h5 is that of an earlier job" in str(scan[1].error)


RUNS = """
import sys
import blockyard

blockyard.run(sys.argv[1], method="ccsd", workers=2, checkpoint="0s", checkpoint_dir=sys.argv[2], quiet=True)
"""


ENDLESS = """
sial endless
index k = 1:1000000000
scalar x
do k
  x += 1.0
  sip_barrier
enddo k
endsial endless
"""

SIGNALS = """
import os
import signal
import sys

import blockyard

folder = sys.argv[1]
sent = []

def progress(done, of, name):
    taken = os.path.isdir(folder + "/checkpoint-000001")
    if taken and signal.SIGTERM not in sent:
        sent.append(signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
    elif not sent:
        sent.append(signal.SIGUSR1)
        os.kill(os.getpid(), signal.SIGUSR1)

blockyard.run(sys.argv[2], workers=2, checkpoint_dir=folder, progress=progress, quiet=True)
"""


def test_signals_take_checkpoints(tmp_path):
    folder, program = tmp_path / "saved", tmp_path / "endless.sial"
    program.write_text(ENDLESS)
    ended = subprocess.run([sys.executable, "-c", SIGNALS, str(folder), str(program)], capture_output=True, text=True)
    assert ended.returncode == 128 + signal.SIGTERM, ended.stderr
    assert f"blockyard resume {folder}" in ended.stderr and "Traceback" not in ended.stderr
    assert {"checkpoint-000001", "checkpoint-000002"} <= set(os.listdir(folder))


def test_a_run_goes_on_from_its_checkpoint(tmp_path, water):
    folder = tmp_path / "saved"
    # Killed when it is about to complete its third checkpoint: see tests/faults/trip.c.
    ended = subprocess.run([sys.executable, "-c", RUNS, str(water), str(folder)], capture_output=True, text=True,
                           env={**os.environ, "LD_PRELOAD": os.environ["TRIP"], "TRIP_CALL": "rename",
                                "TRIP_PATH": ".part", "TRIP_AT": "3", "TRIP_SIGNAL": str(int(signal.SIGKILL))})
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    molden = tmp_path / "h2o.molden"
    result = blockyard.resume(folder, quiet=True, memory="512M", device="none", molden=molden)
    assert result.energy == pytest.approx(blockyard.run(water, method="ccsd", workers=2, quiet=True).energy, abs=1e-9)
    assert molden.read_text() == result.molden()
    assert not folder.exists() or not os.listdir(folder)
    with pytest.raises(blockyard.Error, match="checkpoint"):
        blockyard.resume(folder)
