# SPDX-License-Identifier: Apache-2.0
"""The harness, with the real QCEngine. Reference values: PySCF 2.14.0."""

import pytest

qcengine = pytest.importorskip("qcengine", reason="NOTICE: no package qcengine: the harness is not tested")

import blockyard.qcengine  # noqa: E402

ANGSTROM = 1 / 0.52917721092
WATER = {"symbols": ["O", "H", "H"], "fix_com": True, "fix_orientation": True,
         "geometry": [part * ANGSTROM for part in (0, 0, 0.1173, 0, 0.7572, -0.4692, 0, -0.7572, -0.4692)]}


@pytest.fixture(autouse=True, scope="module")
def known():
    blockyard.qcengine.register()
    blockyard.qcengine.register()  # once more changes nothing


def compute(driver="energy", basis="cc-pvdz", **keywords):
    return qcengine.compute({"molecule": WATER, "driver": driver, "model": {"method": "ccsd", "basis": basis},
                             "keywords": keywords}, "blockyard", task_config={"ncores": 1, "memory": 1})


def test_an_energy():
    result = compute(frozen_core=1)
    assert result.success, result.error
    assert result.return_result == pytest.approx(-76.2380047126, abs=1e-8)
    assert result.properties.scf_total_energy == pytest.approx(-76.0267720533941, abs=1e-8)
    assert result.properties.scf_dipole_moment[2] == pytest.approx(-0.8094280728, abs=1e-6)


@pytest.mark.parametrize("wrong, part", [({"driver": "gradient"}, "derivatives"),
                                         ({"driver": "properties"}, "a result of properties"), ({"basis": "6-31h"}, "6-31h"),
                                         ({"cc_iterations": 2}, "did not converge")])
def test_what_fails_is_told(wrong, part):
    result = compute(**wrong)
    assert not result.success and part in result.error.error_message
    assert result.error.error_type == ("unknown_error" if part == "did not converge" else "input_error")
