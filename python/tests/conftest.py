# SPDX-License-Identifier: Apache-2.0
"""Tests of the package as users see it. A program that hangs fails its test by ctest's limit."""

from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def water(tmp_path):
    """A job file of water in a small basis."""
    job = tmp_path / "h2o.toml"
    job.write_text('''
[molecule]
geometry = """
O 0.0 0.0 0.1173
H 0.0 0.7572 -0.4692
H 0.0 -0.7572 -0.4692
"""
[basis]
name = "sto-3g"
[method]
name = "scf"
''')
    return job
