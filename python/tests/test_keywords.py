# SPDX-License-Identifier: Apache-2.0
"""Keywords of the functions that run jobs, against the table of options."""
import inspect
import re

import numpy as np
import pytest

import blockyard


def test_the_keywords_are_the_options_of_a_run():
    def keywords(function):
        return {"super" if name == "supers" else name for name in inspect.signature(function).parameters}

    options = {key: row for key, *row in blockyard._core.run_options()}
    of_method = {key for key, _ in blockyard._core.method_options()}
    assert set(options) | of_method <= keywords(blockyard.run) & keywords(blockyard.plan)
    assert {key for key, (*_, has_session, _) in options.items() if has_session} <= keywords(blockyard.Session)
    assert {key for key, (*_, is_of_resume) in options.items() if is_of_resume} <= keywords(blockyard.resume)
    for function in (blockyard.run, blockyard.plan, blockyard.resume, blockyard.Session):
        assert "**" not in str(inspect.signature(function)) and "{options}" not in function.__doc__


def test_the_documentation_has_each_option_with_its_help():
    told = " ".join(blockyard.run.__doc__.split())
    for key, form, text, default, *_ in blockyard._core.run_options():
        assert f"{'supers' if key == 'super' else key}: {text}" in told and default in told, key
    assert "device_memory: memory that a process uses on each device, such as 4G" in blockyard.Session.__doc__
    assert "pardo: " in blockyard.Session.__doc__ and "guess: " not in blockyard.Session.__doc__


@pytest.mark.parametrize("call", [lambda: blockyard.run("a.toml", work=2), lambda: blockyard.plan("a.toml", works=2),
                                  lambda: blockyard.resume("a.checkpoint", worker=2), lambda: blockyard.Session(pard="static")])
def test_a_keyword_that_is_unknown_is_refused_with_a_near_one(call):
    with pytest.raises(TypeError, match=r"\(\) has no keyword '\w+' \(did you mean '(workers|pardo)'\?\)"):
        call()


@pytest.mark.parametrize("told, of_python", [
    ("use --memory 6M or more, or fewer workers", 'use memory="6M" or more, or fewer workers'),
    ("give more --memory, smaller segments", "give more memory=, smaller segments"),
    ("--device foo: no such device; use --device none", 'device="foo": no such device; use device="none"'),
    ("--devices 5: there are 2", "devices=5: there are 2"),
    ("choose another folder with --checkpoint-dir", "choose another folder with checkpoint_dir="),
    ("add it to [constants] or with --set n=...", 'add it to [constants] or with constants={"n": ...}'),
    ("see [segments] or --segments ao=...", 'see [segments] or segments={"ao": ...}'),
    ("--fcidump holds all integrals", "fcidump= holds all integrals"),
    ("not what `blockyard run --report` writes", "not what `blockyard run --report` writes"), ("--listen", "--listen"),
    ("12 iterations (set with --iterations)", "12 iterations (set with iterations=)"),
    ("load your own with --super", "load your own with supers= or Session.super"), ("a -- b", "a -- b")])
def test_messages_name_keywords_in_place_of_options(told, of_python):
    assert blockyard._keywords.in_python(told) == of_python


def test_a_plan_takes_the_keywords_of_a_run():
    of_run = dict(method="scf", basis="sto-3g", workers=1, memory="64M", quiet=True, progress=False, report="not/written.json")
    plan = blockyard.plan("H 0 0 0\nH 0 0 0.74\n", **of_run)
    assert plan.fits and "(set with iterations=)" in str(plan) and "--" not in str(plan)


def test_a_path_alone_is_a_list_of_one(tmp_path):
    with pytest.raises(blockyard.InputError, match="/none.so: cannot open"):
        blockyard.run("H 0 0 0\nH 0 0 0.74\n", method="scf", basis="sto-3g", workers=1, supers="none.so")
    folder, program = tmp_path / "parts", tmp_path / "p.sial"
    folder.mkdir()
    (folder / "part.sial").write_text("sial part\nscalar x\nendsial part\n")
    program.write_text('import "part.sial"\nsial p\nx = 2.0\nendsial p\n')
    for imports in (folder, str(folder), [folder]):
        assert blockyard.run(program, imports=imports, workers=1, quiet=True).scalars["x"] == 2


def test_errors_name_keywords():
    program = "sial p\n  predefined int n\n  aoindex i = 1:n\n  distributed a[i]\n  pardo i\n    put a[i] = 1.0\n  endpardo i\nendsial p\n"
    with blockyard.Session(workers=1, memory="6M", quiet=True) as s:
        with pytest.raises(blockyard.InputError, match=r'with constants=\{"n": ...\}$'):
            s.run(program)
        with pytest.raises(blockyard.OutOfMemory, match=r'use memory="\d+M" or more'):
            s.run(program, constants={"n": 1}, segments={"ao": [20000000]})
        with pytest.raises(blockyard.OutOfMemory) as raised:
            np.asarray(s.array(np.ones((4, 4))) + 1)
    least = re.search(r'use memory="(\d+)M"', str(raised.value))[1]
    with blockyard.Session(workers=1, memory=f"{least}M", quiet=True) as s:
        np.testing.assert_array_equal(s.array(np.ones((4, 4))) + 1, np.full((4, 4), 2.0))
