# SPDX-License-Identifier: Apache-2.0
"""A harness for QCEngine (``pip install qcengine``, 0.50 or newer):

    import qcengine
    import blockyard.qcengine

    blockyard.qcengine.register()
    result = qcengine.compute({"molecule": water, "driver": "energy",
                               "model": {"method": "ccsd(t)", "basis": "cc-pvdz"},
                               "keywords": {"frozen_core": True}}, "blockyard")

``keywords`` are keys of [method] in a job file. The driver is "energy": there are no gradients, and the properties that
there are come with the energy.
"""

from __future__ import annotations

from typing import Any, ClassVar

import qcengine
from qcelemental.models.v2 import AtomicResult
from qcengine.exceptions import InputError, UnknownError
from qcengine.programs.model import ProgramHarness

from . import _errors
from . import __version__ as _version
from ._result import Result
from ._run import run

_properties = {"nuclear": "nuclear_repulsion_energy", "scf": "scf_total_energy",
               "mp2_correlation": "mp2_correlation_energy", "mp2": "mp2_total_energy",
               "ccsd_correlation": "ccsd_correlation_energy", "ccsd": "ccsd_total_energy",
               "ccsd_t": "ccsd_prt_pr_total_energy"}


class BlockyardHarness(ProgramHarness):  # type: ignore[misc]
    """Blockyard as a program of QCEngine."""

    _defaults: ClassVar[dict[str, Any]] = {"name": "Blockyard", "scratch": True, "thread_safe": False,
                                           "thread_parallel": True, "node_parallel": False, "managed_memory": True}

    @staticmethod
    def found(raise_error: bool = False) -> bool:
        return True  # this is it

    def get_version(self) -> str:
        return _version

    def compute(self, input_model: Any, config: Any) -> Any:
        wanted = input_model.specification
        if wanted.driver.value == "properties":
            raise InputError("driver properties asks for a result of properties, which Blockyard has none of: use energy, "
                             "whose properties have the dipole moment")
        if wanted.driver.value != "energy":
            raise InputError(f"Blockyard has no derivatives of the energy: driver {wanted.driver.value}")
        if not isinstance(wanted.model.basis, str):
            raise InputError("Blockyard takes the name of a basis set")
        molecule = input_model.molecule
        method = wanted.model.method.lower()
        try:
            result = run(molecule, method="scf" if method == "hf" else method, basis=wanted.model.basis,
                         settings={f"method.{key}": value for key, value in wanted.keywords.items()},
                         workers=config.ncores, memory=int(config.memory * 2**30),
                         scratch=config.scratch_directory, quiet=True, progress=False)
        except _errors.NotConverged as error:
            raise UnknownError(str(error)) from error
        except _errors.InputError as error:
            raise InputError(str(error)) from error
        except _errors.Error as error:
            raise UnknownError(str(error)) from error
        return AtomicResult(**_told(input_model, result))


def _told(input_model: Any, result: Result) -> dict[str, Any]:
    properties: dict[str, Any] = {"calcinfo_natom": len(result.geometry["atoms"]), "return_energy": result.energy,
                                  "calcinfo_nbasis": len(result.orbitals[0]["hartree"])}
    properties |= {name: result.energies[key] for key, name in _properties.items() if key in result.energies}
    properties |= {f"{method}_dipole_moment": dipole for method, dipole in result.dipoles.items()}
    return {"input_data": input_model, "molecule": input_model.molecule, "properties": properties,
            "return_result": result.energy, "success": True, "stdout": result.text,
            "provenance": {"creator": "Blockyard", "version": _version, "routine": "blockyard.qcengine"}}


def register() -> None:
    """Makes Blockyard known to QCEngine as "blockyard"."""
    if "blockyard" not in qcengine.list_all_programs():
        qcengine.register_program(BlockyardHarness())
