# SPDX-License-Identifier: Apache-2.0
"""The calculator, with the real ASE. Reference values: PySCF 2.14.0, SCF converged to 1e-12 hartree."""

import numpy as np
import pytest

ase = pytest.importorskip("ase", reason="NOTICE: no package ase: the calculator is not tested")

from ase.units import Bohr, Hartree  # noqa: E402

from blockyard import InputError  # noqa: E402
from blockyard.ase import Blockyard  # noqa: E402

# With the angstrom of PySCF and Blockyard, which ASE's differs from by 2e-10
PLACES = np.array([[0, 0, 0.1173], [0, 0.7572, -0.4692], [0, -0.7572, -0.4692]]) / 0.52917721092 * Bohr


def test_energy_dipole_and_charges_of_water():
    water = ase.Atoms("OH2", PLACES)
    water.calc = Blockyard(method="ccsd", basis="cc-pvdz", frozen_core=1, run={"workers": 1})
    assert water.get_potential_energy() / Hartree == pytest.approx(-76.2380047126, abs=1e-8)
    assert np.linalg.norm(water.get_dipole_moment()) / Bohr == pytest.approx(0.8094280728, abs=1e-6)
    assert water.get_charges() == pytest.approx([-0.306050248, 0.153025124, 0.153025124], abs=1e-6)
    assert water.calc.blockyard_result.diagnostics["ccsd"]["t1"] == pytest.approx(0.005888954, abs=1e-6)
    water.positions[1, 1] += 0.1
    assert water.get_potential_energy() / Hartree > -76.2380047126


def test_what_is_wrong_is_said():
    with pytest.raises(InputError, match="6-31h"):
        ase.Atoms("He", calculator=Blockyard(basis="6-31h")).get_potential_energy()
    with pytest.raises(InputError, match="periodic"):
        ase.Atoms("He", cell=[9, 9, 9], pbc=True, calculator=Blockyard()).get_potential_energy()
    with pytest.raises(NotImplementedError):
        ase.Atoms("He", calculator=Blockyard()).get_forces()
