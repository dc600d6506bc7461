# SPDX-License-Identifier: Apache-2.0
import fcntl
import gzip
import json
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import blockyard
from conftest import LONG, REPOSITORY, end_by


def test_a_job_gives_energies_that_the_command_line_gives(water):
    result = blockyard.run(water, method="mp2", workers=2, memory="1G", quiet=True)
    told = subprocess.run([os.environ["BLOCKYARD"], "run", str(water), "--quiet", "--json", "-"],
                          capture_output=True, text=True, check=True).stdout
    assert f"{result.energies['scf']:.8f}"[:11] in told
    assert result.energy == result.energies["mp2"]
    assert result.energies["mp2"] < result.energies["scf"]
    assert result.converged and result.iterations["scf"] > 1
    assert set(result.timings) == {"scf_rhf", "transform_rhf", "mp2_rhf"}
    assert result.report["programs"][0]["name"] == "scf_rhf"
    assert "mp2" in repr(result) and "energy" in result.text


def test_a_job_gives_properties_too(water):
    result = blockyard.run(water, method="scf", basis="sto-3g", workers=1, quiet=True)
    assert result.geometry["atoms"] == ["O", "H", "H"]
    assert result.orbitals[0]["occupied"] == 5 and result.orbitals[0]["homo"] < 0
    assert abs(sum(result.charges["scf"]["mulliken"])) < 1e-9
    assert result.diagnostics == {} and result.excitations == {}


def test_what_does_not_converge_is_told_with_what_is_known(tmp_path, water):
    job = tmp_path / "job.toml"
    job.write_text(water.read_text().replace("[method]", "[method]\nscf_iterations = 2"))
    with pytest.raises(blockyard.NotConverged, match="2 iterations") as raised:
        blockyard.run(job, method="mp2", workers=1, quiet=True)
    result = raised.value.result
    assert not result.converged and result.iterations == {"scf": 2} and "mp2" not in result.energies


def test_a_file_that_fails_at_the_end_costs_a_warning_and_no_result(tmp_path, monkeypatch):
    program, kept = tmp_path / "p.sial", tmp_path / "kept.h5"
    program.write_text("""sial p
  scalar x
  x = 2.5
  set_persistent x "x"
  println "now"
endsial p
""")
    # Once the program runs, something else takes the name of the file.
    monkeypatch.setattr("blockyard._run.Progress.write", lambda bar, text: kept.mkdir(exist_ok=True))
    with pytest.warns(RuntimeWarning, match="kept.h5"):
        result = blockyard.run(program, persistent=kept, workers=1)
    assert result.scalars["x"] == 2.5
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_program_gives_its_variables_and_static_arrays(tmp_path):
    program = tmp_path / "p.sial"
    program.write_text("""sial p
  predefined int n
  predefined scalar factor
  aoindex i = 1:n
  aoindex j = 1:n
  static s[i,j]
  scalar x
  int m
  do i
    do j
      s[i,j] = factor
    enddo j
  enddo i
  x = 3.0*factor
  m = n + 1
endsial p
""")
    result = blockyard.run(program, constants={"n": 2, "factor": 0.5}, segments={"ao": [2, 3]})
    assert result.scalars["x"] == 1.5 and result.ints["m"] == 3
    array = result.arrays["s"]
    assert array.shape == (5, 5) and array.flags.f_contiguous and np.all(array == 0.5)
    del result
    assert array.sum() == 12.5  # a view keeps what it shows
    with pytest.raises(KeyError):
        blockyard.run(program, constants={"n": 2, "factor": 1.0}, segments={"ao": [1, 1]}).arrays["t"]
    with pytest.raises(blockyard.InputError, match="constant facto: .* did you mean factor?"):
        blockyard.run(program, constants={"n": 2, "facto": 1.0}, segments={"ao": [1, 1]})
    with pytest.raises(blockyard.InputError, match="constant n = 2.5: this constant is an int"):
        blockyard.plan(program, constants={"n": 2.5, "factor": 1.0}, segments={"ao": [1, 1]})
    with pytest.raises(ValueError, match="no method"):
        blockyard.run(program, constants={"n": 1, "factor": 1.0}, segments={"ao": [1]}).energy


def test_errors_say_where(tmp_path, water):
    program = tmp_path / "wrong.sial"
    program.write_text("sial wrong\n  scalar x\n  x = yy\nendsial wrong\n")
    with pytest.raises(blockyard.CompileError, match="not declared") as raised:
        blockyard.run(program)
    assert raised.value.line == 3 and raised.value.file == str(program)
    assert raised.value.diagnostics[0].column == 7
    program.write_text("sial wrong\n  aoindex i = 1:2\n  distributed a[i]\n  temp t[i]\n"
                       "  do i\n    get a[i]\n    t[i] = a[i]\n  enddo i\nendsial wrong\n")
    with pytest.raises(blockyard.InputError) as raised:
        blockyard.run(program, segments={"ao": [1, 2]})
    assert raised.value.line in (6, 7) and isinstance(raised.value, ValueError)
    with pytest.raises(blockyard.OutOfMemory):
        blockyard.run(program, segments={"ao": [4000000, 1]}, memory="8M", workers=1)
    with pytest.raises(blockyard.StorageError):
        blockyard.run(tmp_path / "none.toml")
    with pytest.raises(blockyard.InputError, match="unheard"):
        blockyard.run(water, method="unheard")
    with pytest.raises(TypeError):
        blockyard.run(program, constants={"x": "1"})


def test_warnings_of_the_compiler_are_warnings(tmp_path):
    program = tmp_path / "doubt.sial"
    program.write_text("sial doubt\n  scalar idle\n  scalar x\n  x = 1.0\nendsial doubt\n")
    with pytest.warns(blockyard.SialWarning, match="idle"):
        blockyard.run(program)


def test_progress_and_other_threads_go_on_meanwhile(tmp_path):
    program = tmp_path / "long.sial"
    program.write_text(LONG)
    seen, counted = [], 0
    stop = threading.Event()

    def count():
        nonlocal counted
        while not stop.wait(0.01):
            counted += 1

    def progress(done, of, name):
        seen.append((done, of, name))
        if counted > 3:
            raise LookupError("enough")

    thread = threading.Thread(target=count)
    thread.start()
    try:
        with pytest.raises(LookupError, match="enough"):
            blockyard.run(program, workers=1, quiet=True, progress=progress)
    finally:
        stop.set()
        thread.join()
    assert seen[0] == (0, 1, "long")


def test_a_bar_is_drawn_where_it_is_wanted(monkeypatch, capsys):
    from blockyard import _progress

    monkeypatch.setattr(_progress, "SILENT_SECONDS", 0.0)
    bar = _progress.Progress(True, ["first", "second"])
    bar.tick(1, 5)
    bar.write("text\n")
    bar.close()
    shown = capsys.readouterr()
    assert "second" in shown.err + shown.out and "text" in shown.out


def test_progress_knows_how_far_a_program_is(tmp_path):
    program = tmp_path / "pardos.sial"
    program.write_text("""sial pardos
  index i = 1:300
  index j = 1:100000
  scalar x
  pardo i
    do j
      x += 1.0
    enddo j
  endpardo i
endsial pardos
""")
    seen = []
    blockyard.run([program, program], workers=1, quiet=True, progress=lambda done, of, name, told: seen.append(told))
    shares = [told["done"] for told in seen]
    assert shares == sorted(shares) and 0 <= shares[0] and shares[-1] < 1
    assert any(0 < share < 0.5 for share in shares) and any(0.5 <= share < 1 for share in shares)
    assert any(told["seconds_left"] is not None for told in seen)


def test_time_left_is_shown(monkeypatch, capsys):
    from blockyard import _progress

    monkeypatch.setattr(_progress, "SILENT_SECONDS", -1.0)
    bar = _progress.Progress(True, ["first", "second"])
    bar._forecast = _progress.Forecast([1.0, 3.0], [10.0, 10.0])
    bar._begin -= 100.0
    bar.tick(0, 0)
    bar.tick(1, 5)
    shown = capsys.readouterr().err
    bar.close()
    assert "second (2 of 2)" in shown and " 62%" in shown and "about 60 s left" in shown
    assert [_progress._spell(s) for s in (0.6, 120, 7300)] == ["1 s", "2 min", "2 h 1 min"]


def test_time_left_of_a_resumed_run_counts_what_it_has_done_itself():
    from blockyard import _progress

    seen = []
    bar = _progress.Progress(lambda done, of, name, told: seen.append(told["seconds_left"]), ["first", "second"])
    bar._forecast = _progress.Forecast([1.0, 3.0], [10.0, 10.0])
    bar._begin -= 100.0
    bar.tick(1, 0)  # a quarter had been done before
    bar.tick(1, 5)
    assert seen == [None, pytest.approx(100, rel=0.1)]


@pytest.mark.parametrize("home", ["", "/" + 300 * "x"])  # of the second the system says nothing but an error
def test_a_home_without_a_file_of_this_machine_is_no_error(home, monkeypatch, tmp_path):
    from blockyard import _progress

    (tmp_path / ".config" / "blockyard").mkdir(parents=True)
    (tmp_path / ".config" / "blockyard" / "machine.toml").write_text("of the current folder")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("HOME", home)
    assert _progress.machine_file() == ""


def test_a_plan_that_cannot_be_made_is_no_error(monkeypatch):
    from blockyard import _progress

    def fail(*_):
        raise PermissionError("machine.toml")

    monkeypatch.setattr(_progress._core, "plan_job", fail)
    assert _progress.Forecast.of(object(), 2).done(1, 0) == 0.5


def test_a_process_without_streams_runs_jobs(water, tmp_path):
    script = f"""
import sys
import blockyard
assert sys.stdout is None and sys.stderr is None
open({str(tmp_path / "energy")!r}, "w").write(str(blockyard.run({str(water)!r}, workers=1, segments="best").energy))
"""
    done = subprocess.run([sys.executable, "-c", script], preexec_fn=lambda: [os.close(stream) for stream in (1, 2)])
    assert done.returncode == 0 and float((tmp_path / "energy").read_text()) < -74
    done = subprocess.run([sys.executable, "-m", "blockyard", "convert", str(water), str(tmp_path / "out.toml")],
                          preexec_fn=lambda: [os.close(stream) for stream in (1, 2)])
    assert done.returncode == 0 and (tmp_path / "out.toml").exists()


def test_arguments_and_folders_need_not_be_utf8(water, tmp_path):
    script = f"""
import sys
import blockyard
assert blockyard.run({str(water)!r}, workers=1, quiet=True, report="run.json").energy < -74
assert " \\ufffd.dat" in open("run.json", encoding="utf-8").read()
for job in (sys.argv[1], [sys.argv[1]]):
    try:
        blockyard.run(job)
    except blockyard.InputError as error:
        assert "must be UTF-8, not b'\\\\xff.dat'" in str(error), error
    else:
        assert False
"""
    done = subprocess.run([sys.executable, "-c", script, b"\xff.dat"], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "XDG_RUNTIME_DIR": os.fsdecode(os.fsencode(tmp_path) + b"/\xff")})
    assert done.returncode == 0, done.stderr


def test_ctrl_c_stops_a_run_in_order(tmp_path):
    program = tmp_path / "long.sial"
    program.write_text(LONG)
    script = f"""
import blockyard, sys
try:
    blockyard.run({str(program)!r}, workers=2, scratch={str(tmp_path)!r})
except KeyboardInterrupt:
    print("stopped", flush=True)
    sys.exit(7)
"""
    code, told = end_by(signal.SIGINT, [sys.executable, "-c", script])
    assert code == 7 and "stopped" in told
    assert [path.name for path in tmp_path.iterdir()] == ["long.sial"]  # no files are left


def test_ctrl_c_stops_a_run_that_waits_for_another_one_to_write(tmp_path):
    program = tmp_path / "keep.sial"
    program.write_text('sial keep\nscalar x = 42.0\nprint "begun"\nset_persistent x "answer"\nendsial keep\n')
    script = f"""
import blockyard, sys
try:
    blockyard.run({str(program)!r}, workers=2, persistent={str(tmp_path / "kept.h5")!r})
except KeyboardInterrupt:
    sys.exit(7)
"""
    with (tmp_path / "kept.h5.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        code, told = end_by(signal.SIGINT, [sys.executable, "-u", "-c", script])
    assert code == 7, told
    assert not (tmp_path / "kept.h5").exists()


def test_a_run_tells_what_it_measured(water, tmp_path):
    trace = tmp_path / "t.json.gz"
    result = blockyard.run(water, workers=2, memory="256M", quiet=True, trace=trace)
    report = result.report
    assert report["programs"][0]["workers"][0]["line_times"] and report["decisions"]
    assert report["ranks"][0]["memory"] and any("scf" in text for text in report["sources"].values())
    assert "pytest" in report["where"]["command"]
    events = json.loads(gzip.decompress(trace.read_bytes()))["traceEvents"]
    assert any(event.get("cat") == "instruction" for event in events)
    result.write_report(tmp_path / "run.json")
    result.write_report(tmp_path / "run.html")
    assert json.loads((tmp_path / "run.json").read_text()) == report
    told = subprocess.run([os.environ["BLOCKYARD"], "compare", "run.json", "run.json"], cwd=tmp_path, text=True,
                          capture_output=True, check=True).stdout
    assert "nothing differs" in told
    page = (tmp_path / "run.html").read_text()
    assert page.startswith("<!doctype html>") and "scf_rhf" in page
    with pytest.raises(blockyard.StorageError, match="nowhere"):
        result.write_report(tmp_path / "nowhere" / "run.html")
    assert "E(scf)" in result._repr_html_() and "scf_rhf" in result._repr_html_()


def test_what_a_run_reads_is_not_written_over(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = {"main.sial": 'import "lib.sial"\nsial main\n  x = 1.0\nendsial main\n',
             "lib.sial": "sial lib\n  scalar x\nendsial lib\n",
             "job.toml": 'programs = ["main.sial"]\n'}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    for job, name in (("main.sial", "main.sial"), ("main.sial", "lib.sial"), ("job.toml", "job.toml"),
                      ("job.toml", "lib.sial"), (["main.sial"], "./lib.sial")):
        for option in ("json", "report", "trace", "persistent"):
            with pytest.raises(blockyard.InputError, match="would be written over, but it is read"):
                blockyard.run(job, workers=1, quiet=True, **{option: name})
    with pytest.raises(blockyard.InputError, match="out is named for two outputs"):
        blockyard.run("job.toml", json="out", trace="out")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == texts


def test_top_shows_runs_of_python(tmp_path):
    program = tmp_path / "long.sial"
    program.write_text(LONG)
    top = None

    def progress(done, of, name):
        nonlocal top
        top = top or subprocess.Popen([os.environ["BLOCKYARD"], "top", "--once", "--json", str(os.getpid())],
                                      stdout=subprocess.PIPE, text=True)
        if top.poll() is not None:
            raise LookupError("it has answered")

    with pytest.raises(LookupError):
        blockyard.run(program, workers=1, quiet=True, progress=progress)
    told = json.loads(top.communicate()[0])
    assert [(run["job"], run["program"]) for run in told["jobs"]] == [(os.getpid(), "long")]


def test_the_module_is_the_command_line():
    told = subprocess.run([sys.executable, "-m", "blockyard", "run", str(REPOSITORY / "demo/norm.sial"),
                           "--segments", "ao=2,2,1"], capture_output=True, text=True, check=True)
    assert "total = 6.25" in told.stdout
    wrong = subprocess.run([sys.executable, "-m", "blockyard", "frobnicate"], capture_output=True)
    assert wrong.returncode == 2


def test_options_of_a_run_reach_it(tmp_path, water):
    saved = tmp_path / "saved.h5"
    first = blockyard.run(water, method="scf", basis="sto-3g", workers=1, quiet=True, save=saved,
                          device="sim", devices=1, placement="device", device_options="seed=3",
                          device_memory="64M", device_after=0.5, device_network="auto", seed=7,
                          respect_gpu_hints=False, fabric_delay="1us", checkpoint=3600.0,
                          checkpoint_dir=tmp_path / "checkpoints")
    assert first.report["devices"][0]["kind"] == "sim"
    again = blockyard.run(water, method="scf", basis="sto-3g", workers=1, quiet=True, guess=saved,
                          device="none")
    assert again.iterations["scf"] < first.iterations["scf"]
    projected = blockyard.run(water, method="scf", basis="6-31g", workers=1, quiet=True, guess="basis:sto-3g")
    assert projected.converged and projected.energy < first.energy
    with pytest.raises(blockyard.InputError, match="not a kind of device|no kind of device"):
        blockyard.run(water, device="gpu", quiet=True)


def test_a_session_has_the_devices_of_a_run():
    with blockyard.Session(workers=1, memory="64M", quiet=True, device="sim", placement="device",
                           seed=3, prefetch=2, pardo="dynamic") as session:
        result = session.run("sial p\nscalar x\nx = 2.0\nendsial p\n")
        assert result.report["devices"][0]["kind"] == "sim"
