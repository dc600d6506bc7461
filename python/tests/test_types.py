# SPDX-License-Identifier: Apache-2.0
"""Types: of the package, of its compiled part, and as a user's type checker sees them."""
import ast
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import blockyard
import write_options
from conftest import REPOSITORY

SCRIPT = Path(__file__).parent / "typed_script.py"
needs_mypy = pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="no mypy")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """What mypy knows of the package and of NumPy, for all tests here: finding it out takes most of its time."""
    return tmp_path_factory.mktemp("mypy")


def passes(module, *arguments, folder, cache):
    """Runs it where the package is the one that is tested."""
    package = Path(blockyard.__file__).parents[1]
    done = subprocess.run([sys.executable, "-m", module, "--config-file", REPOSITORY / "pyproject.toml",
                           *map(str, arguments)], cwd=folder, text=True, capture_output=True,
                          env={**os.environ, "MYPYPATH": str(package), "MYPY_CACHE_DIR": str(cache)})
    assert done.returncode == 0, done.stdout + done.stderr


@needs_mypy
def test_the_package_is_typed(tmp_path, cache):
    passes("mypy", "-p", "blockyard", folder=tmp_path, cache=cache)


def parameters(function):
    """How many there are; `self` is one."""
    arguments = function.args
    return len(arguments.posonlyargs) + len(arguments.args)


def signature_of(compiled):
    """The first line of what nanobind tells: ``give(self, arg0: str, arg1: int, /) -> None``."""
    text = re.sub(r"ndarray\[[^\]]*\]", "ndarray", compiled.__doc__.splitlines()[0])
    return ast.parse(f"def {text}: ...").body[0]


def compare(stub, compiled, place, differences):
    declared = {node.name: node for node in stub if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    declared |= {node.target.id: node for node in stub if isinstance(node, ast.AnnAssign)}
    there = {name for name in vars(compiled) if not name.startswith("_")}
    differences += [f"{place}.{name}" for name in there ^ {name for name in declared if not name.startswith("_")}]
    for name in there & set(declared):
        node, value = declared[name], getattr(compiled, name)
        if isinstance(node, ast.ClassDef):
            compare(node.body, value, name, differences)
        elif isinstance(node, ast.FunctionDef) and not any(getattr(d, "id", "") == "property" for d in node.decorator_list):
            if parameters(node) != parameters(signature_of(value)):
                differences.append(f"{place}.{name}: {value.__doc__}")


def test_the_stubs_are_those_of_the_compiled_part():
    from blockyard import _core

    stub = ast.parse((REPOSITORY / "python/blockyard/_core.pyi").read_text()).body
    differences = []
    compare(stub, _core, "_core", differences)
    assert not differences


def test_the_types_of_options_are_those_of_the_tables():
    # If not: PYTHONPATH=build/.../python python python/tests/write_options.py
    assert write_options.FILE.read_text() == write_options.text()


@needs_mypy
def test_a_type_checker_finds_wrong_options(tmp_path, cache):
    calls = ["run('a.xyz', worker=2)", "plan('a.xyz', memory=2.5)", "resume('a', pardo='static')", "Session(guess='a.h5')",
             "run('a.xyz', roots='3')"]
    (tmp_path / "wrong.py").write_text("import blockyard\n" + "".join(f"blockyard.{call}\n" for call in calls))
    with pytest.raises(AssertionError) as found:
        passes("mypy", "--strict", tmp_path / "wrong.py", folder=tmp_path, cache=cache)
    assert set(re.findall(r"wrong.py:(\d+): error", str(found.value))) == {"2", "3", "4", "5", "6"}


@needs_mypy
def test_a_script_with_types_is_clean_and_runs(tmp_path, cache, water):
    passes("mypy", "--strict", SCRIPT, folder=tmp_path, cache=cache)
    subprocess.run([sys.executable, SCRIPT, water, tmp_path], check=True)
