# SPDX-License-Identifier: Apache-2.0
"""A calculator for ASE, the Atomic Simulation Environment (``pip install ase``).

    from ase.build import molecule
    from blockyard.ase import Blockyard

    water = molecule("H2O")
    water.calc = Blockyard(method="ccsd(t)", basis="cc-pvdz", frozen_core=True)
    print(water.get_potential_energy(), water.get_dipole_moment())

There are no forces.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from ase.calculators.calculator import Calculator, all_changes
from ase.units import Bohr, Hartree

from ._result import Result
from ._run import run as run_job


class Blockyard(Calculator):  # type: ignore[misc]
    """Energies (eV), dipole moments (e Angstrom) and Mulliken charges (e) of molecules.

    Args:
        method: "scf", "mp2", "ccsd", "ccsd(t)", ...
        basis: name of a basis set.
        charge, multiplicity: of the molecule.
        run: keywords of ``blockyard.run``: ``{"memory": "4G", "workers": 4}``.
        options: keys of [method] in a job file: ``frozen_core=True``.

    ``blockyard_result`` is the whole ``Result`` of the last calculation.
    """

    implemented_properties: ClassVar[list[str]] = ["energy", "free_energy", "dipole", "charges"]
    blockyard_result: Result | None = None

    def __init__(self, method: str = "scf", basis: str = "cc-pvdz", charge: int = 0, multiplicity: int = 1,
                 run: dict[str, Any] | None = None, **options: Any):
        self._run = dict(run or {})
        super().__init__(method=method, basis=basis, charge=charge, multiplicity=multiplicity, options=options)

    def calculate(self, atoms: Any = None, properties: Any = ("energy",), system_changes: Any = all_changes) -> None:
        super().calculate(atoms, properties, system_changes)
        asked = dict(self.parameters)
        settings = {f"method.{key}": value for key, value in asked.pop("options", {}).items()}
        # Charge and multiplicity are those of the calculator, whatever the atoms begin with.
        atoms_now = self.atoms.copy()
        atoms_now.set_initial_charges(None)
        atoms_now.set_initial_magnetic_moments(None)
        result = run_job(atoms_now, settings=settings, quiet=True, progress=False, **asked, **self._run)
        self.blockyard_result = result
        energy = result.energy * Hartree
        method = next(name for name in ("ccsd", "scf") if name in result.dipoles)
        self.results = {"energy": energy, "free_energy": energy,
                        "dipole": np.array(result.dipoles[method]) * Bohr,
                        "charges": np.array(result.charges["scf"]["mulliken"])}
