# SPDX-License-Identifier: Apache-2.0
import re
import subprocess
import sys

import pytest

from conftest import REPOSITORY

PAGE = (REPOSITORY / "docs/python.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_the_examples_of_the_page_run(number, monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    exec(compile(EXAMPLES[number], f"docs/python.md, example {number + 1}", "exec"), {})


def test_a_function_that_knows_its_result_is_no_leak():
    done = subprocess.run([sys.executable, "-c", EXAMPLES[2]], capture_output=True, text=True)
    assert done.returncode == 0 and "leaked" not in done.stderr, done.stderr


def test_the_notebook_runs(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(REPOSITORY / "examples/blockyard.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3",
                            resources={"metadata": {"path": tmp_path}}).execute()
    assert not list(tmp_path.iterdir())


def test_the_page_has_its_examples():
    assert len(EXAMPLES) == 4
