# SPDX-License-Identifier: Apache-2.0
"""The results of a run."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from . import _core, _errors
from ._files import write_file

_shown = 12
# Of methods whose energy is called otherwise, or that begin with a ground state.
_energy_keys = {"ccsd(t)": "ccsd_t", "ccsd-density": "ccsd", "cis": "scf", "cis(d)": "mp2", "eom-ccsd": "ccsd"}


class ToldResults:
    """Results that can travel: what process 0 of several tells the others, and what is pickled."""

    is_first = False  #: whether this is process 0
    here: "_core.Results | None" = None  #: what these were made of, in the process that has it

    def __init__(self, results: "_core.Results | ToldResults"):
        self.method: str = results.method
        self.seconds: float = results.seconds
        self.unconverged: str = results.unconverged
        self.timings: dict[str, float] = results.timings
        self.warnings: list[str] = results.warnings
        self.scalars: dict[str, float] = results.scalars
        self.complex_scalars: dict[str, complex] = results.complex_scalars
        self.ints: dict[str, int] = results.ints
        self._texts: dict[str, str] = {name: getattr(results, name)()
                       for name in ("summary", "profile", "report", "summary_json")}
        self._arrays = {name: results.array(name) for name in results.array_names()}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "here": None}

    def summary(self) -> str:
        return self._texts["summary"]

    def profile(self) -> str:
        return self._texts["profile"]

    def report(self) -> str:
        return self._texts["report"]

    def summary_json(self) -> str:
        return self._texts["summary_json"]

    def array_names(self) -> list[str]:
        return list(self._arrays)

    def array(self, name: str) -> np.ndarray:
        return self._arrays[name]


class Arrays(Mapping[str, np.ndarray]):
    """Static arrays at the end of a run, by name: NumPy views in Fortran order, created on access
    without a copy. They stay valid as long as they are referenced."""

    def __init__(self, results: _core.Results | ToldResults):
        self._results = results

    def __getitem__(self, name: str) -> np.ndarray:
        return self._results.array(name.lower())

    def __iter__(self) -> Iterator[str]:
        return iter(self._results.array_names())

    def __len__(self) -> int:
        return len(self._results.array_names())

    def __repr__(self) -> str:
        return f"<arrays {', '.join(self)}>"


class Result:
    """The results of a run. They can be pickled, including the report and the static arrays.

    Attributes:
        method: the requested method: "scf", "ccsd(t)"; "" for a job without a method.
        energies: by name ("scf", "mp2", "ccsd", ...), in hartree; empty for a job without a method.
        scalars, ints: values of the programs' variables at the end; those of later programs replace earlier ones.
        arrays: static arrays at the end, first index fastest (Fortran order).
        timings: wall time of each program, in seconds.
        seconds: wall time of the run.
        text: the output of the programs.
        warnings: warnings of the checking mode.
    """

    def __init__(self, results: _core.Results | ToldResults, text: str):
        self._results = results
        self._json: dict[str, Any] = json.loads(results.summary_json())
        self.text = text
        self.method: str = results.method
        self.energies: dict[str, float] = self._json.get("energies", {})
        self.scalars: dict[str, float | complex] = {**results.scalars, **results.complex_scalars}
        self.ints: dict[str, int] = results.ints
        self.arrays = Arrays(results)
        self.timings: dict[str, float] = results.timings
        self.seconds: float = results.seconds
        self.warnings: list[str] = results.warnings

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state.pop("report", None)  # made again from its text
        told = ToldResults(self._results)
        told.is_first = getattr(self._results, "is_first", True)
        state["_results"], state["arrays"] = told, Arrays(told)
        return state

    @property
    def energy(self) -> float:
        """Total energy of the method that was asked for, hartree; of a method for excited states that
        of the ground state it begins with. ValueError if there is none: a job without a method, or one
        that did not converge."""
        if not self.method:
            raise ValueError("the job has no method, so it has no energy: see scalars and arrays")
        key = _energy_keys.get(self.method, self.method)
        if key not in self.energies or not self.converged:
            raise ValueError(f"{self.method} has no energy, since the run did not converge: energies has the results so far")
        return self.energies[key]

    @property
    def dipole(self) -> np.ndarray:
        """Dipole moment [x, y, z], e bohr, of the method that was asked for where it has one, else of the
        last one before it that does (``dipoles`` says which there are). ValueError if there is none."""
        if not self.dipoles:
            raise ValueError("the job has no dipole moment: it has no method, or did not converge")
        key = _energy_keys.get(self.method, self.method)
        return np.array(self.dipoles.get(key, list(self.dipoles.values())[-1]))

    @property
    def converged(self) -> bool:
        """Whether every iteration of the method converged; True for programs of one's own."""
        converged = self._json.get("converged", True)
        return all(converged.values()) if isinstance(converged, dict) else bool(converged)

    @property
    def iterations(self) -> dict[str, int]:
        """Iterations that each part of the method took."""
        iterations: dict[str, int] = self._json.get("iterations", {})
        return iterations

    @property
    def spin_square(self) -> float | None:
        """<S^2> of an unrestricted SCF solution; None of a restricted closed shell."""
        spin_square: float | None = self._json.get("spin_square")
        return spin_square

    @property
    def dipoles(self) -> dict[str, list[float]]:
        """Dipole moments by method, e bohr, as [x, y, z]."""
        dipoles: dict[str, list[float]] = self._json.get("dipoles", {})
        return dipoles

    @property
    def geometry(self) -> dict[str, Any]:
        """``atoms``: symbols, with labels; ``bohr``: [x, y, z] of each; ``charge``, ``multiplicity``."""
        geometry: dict[str, Any] = self._json.get("geometry", {})
        return geometry

    @property
    def orbitals(self) -> list[dict[str, Any]]:
        """Orbital energies: of a closed shell one entry, else one of each ``spin``, with ``hartree``,
        ``occupied`` (how many are), ``homo`` and ``lumo``."""
        orbitals: list[dict[str, Any]] = self._json.get("orbitals", [])
        return orbitals

    @property
    def charges(self) -> dict[str, dict[str, list[float]]]:
        """By method the ``mulliken`` charge of each atom, e, and of open shells its ``spin``."""
        charges: dict[str, dict[str, list[float]]] = self._json.get("charges", {})
        return charges

    @property
    def diagnostics(self) -> dict[str, dict[str, float]]:
        """By method the diagnostics ``t1`` and ``d1`` of coupled cluster singles."""
        diagnostics: dict[str, dict[str, float]] = self._json.get("diagnostics", {})
        return diagnostics

    @property
    def excitations(self) -> dict[str, dict[str, list[float]]]:
        """Excited states by method: ``hartree`` above the ground state, lowest first, and more
        (docs/chemistry.md)."""
        excitations: dict[str, dict[str, list[float]]] = self._json.get("excitations", {})
        return excitations

    @property
    def json(self) -> str:
        """The output of ``--json``: energies, properties and states as text (docs/chemistry.md)."""
        return self._results.summary_json()

    @property
    def is_of_this_process(self) -> bool:
        """Whether this is where the run was told: False in all but the first process of an ``mpirun``."""
        return not isinstance(self._results, ToldResults) or self._results.is_first

    def _results_here(self) -> _core.Results:
        results = self._results.here if isinstance(self._results, ToldResults) else self._results
        if results is None:
            raise _errors.InputError("the result was pickled or came from another process, without its orbitals: ask there, or give "
                                     "blockyard.run the file (molden=, fcidump=, cube=, qcschema=)")
        return results

    def molden(self) -> str:
        """Geometry, basis set and SCF orbitals in the Molden format. InputError for a job without a method."""
        return self._results_here().molden()

    def fcidump(self) -> str:
        """The integrals over all orbitals but the frozen core, of a closed shell (FCIDUMP)."""
        return self._results_here().fcidump()

    def cube(self, what: str | int) -> str:
        """Values on a grid, in the format of Gaussian: "homo", "lumo", "density", "spin", the number of an
        orbital (5; of open shells "5b", "homo_beta", "lumo_beta")."""
        return self._results_here().cube(str(what))

    @property
    def qcschema_text(self) -> str:
        """The results in QCSchema, version 1, as text."""
        return self._results_here().qcschema()

    def qcschema(self) -> dict[str, Any]:
        """The results in QCSchema, version 1 (an AtomicResult, or what failed)."""
        schema: dict[str, Any] = json.loads(self.qcschema_text)
        return schema

    @cached_property
    def report(self) -> dict[str, Any]:
        """All that was measured and decided, as a dict: what ``--report`` writes (docs/report.md lists
        the keys)."""
        report: dict[str, Any] = json.loads(self._results.report())
        return report

    def write_report(self, path: str | os.PathLike[str]) -> None:
        """Writes the report: a page to look at if the name ends in ``.html``, else the JSON that
        ``blockyard report`` and ``blockyard compare`` read. Under ``mpirun`` process 0 writes.

        Raises StorageError.
        """
        if self.is_of_this_process:
            write_file(path, self._report_for(path))

    def _report_for(self, path: str | os.PathLike[str]) -> str:
        text, name = self._results.report(), os.fspath(path)
        return _core.report_page(text, name) if name.endswith(".html") else text

    def _trace(self) -> bytes:
        """What ``trace=`` writes."""
        return self._results_here().trace()

    @property
    def profile(self) -> str:
        """Where the time went, as text: waits by line and array, super instructions, transfers."""
        return self._results.profile()

    @property
    def summary(self) -> str:
        """Energies and times as the command line prints them."""
        return self._results.summary()

    def _repr_html_(self) -> str:
        """For notebooks: energies, dipole moment, excited states or variables, and times."""
        values = [(f"E({name})", f"{value:.10f}", "hartree") for name, value in self.energies.items()]
        values += [(f"dipole ({method})", " ".join(f"{x + 0.0:.5f}" for x in dipole), "e bohr")
                   for method, dipole in self.dipoles.items()]
        for method, states in self.excitations.items():
            strengths = [f", f = {one:.6f}" for one in states.get("oscillator", [])]
            values += [(f"{method}, state {n}", f"{energy:.8f}", f"hartree{strengths[n - 1] if strengths else ''}")
                       for n, energy in enumerate(states["hartree"], 1)]
        if not values:
            values = [(name, f"{value:.12g}", "") for name, value in
                      [*self.scalars.items(), *self.ints.items()][:_shown]]
        if not self.converged:
            values.insert(0, ("converged", "no", ""))
        values += [(name, f"{seconds:.3f}", "s") for name, seconds in self.timings.items()]
        values += [("all", f"{self.seconds:.3f}", "s")]
        cells = (f"<tr><th style='text-align: left'>{html.escape(name)}</th><td>{value} {unit}</td></tr>"
                 for name, value, unit in values)
        return f"<table>{''.join(cells)}</table>"

    def __repr__(self) -> str:
        what = [f"{name} {value:.10f}" for name, value in self.energies.items()]
        if not what:
            what = [f"{name} = {value:.10g}" for name, value in list(self.scalars.items())[:4]]
        return f"<blockyard.Result {', '.join(what)} ({self.seconds:.2f} s)>"
