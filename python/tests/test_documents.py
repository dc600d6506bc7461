# SPDX-License-Identifier: Apache-2.0
import re
import subprocess
import sys

import pytest

from conftest import REPOSITORY



def examples_of(page):
    return re.findall(r"```python\n(.*?)```", (REPOSITORY / page).read_text(), re.DOTALL)


PAGES = {page: examples_of(page)
         for page in ("docs/python.md", "docs/coming_from/pyscf.md", "docs/coming_from/dask.md", "docs/ring.md")}
EXAMPLES = PAGES["docs/python.md"]


@pytest.mark.parametrize("page, number", [(page, k) for page, examples in PAGES.items() for k in range(len(examples))])
def test_the_examples_of_the_page_run(page, number, monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    exec(compile(PAGES[page][number], f"{page}, example {number + 1}", "exec"), {})


def test_a_function_that_knows_its_result_is_no_leak():
    done = subprocess.run([sys.executable, "-c", EXAMPLES[3]], capture_output=True, text=True)
    assert done.returncode == 0 and "leaked" not in done.stderr, done.stderr


@pytest.mark.parametrize("name", ["blockyard", "garray"])
def test_the_notebooks_run(name, tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(REPOSITORY / f"examples/{name}.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3",
                            resources={"metadata": {"path": tmp_path}}).execute()
    assert not list(tmp_path.iterdir())


def test_the_pages_have_their_examples():
    assert [len(examples) for examples in PAGES.values()] == [9, 1, 1, 1]
