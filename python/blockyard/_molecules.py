# SPDX-License-Identifier: Apache-2.0
"""The forms in which a user may give a job: files, texts, molecules of other packages, dicts."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core, _errors

Settings = list[tuple[str, str]]
#: The keys of [molecule] in a job file, also allowed in a dict.
_molecule_keys = ("geometry", "file", "units", "charge", "multiplicity", "variables")
_endings = "a job file (.toml), an .xyz file, a ZMAT, QCSchema (.json), a .dat file or SIAL programs (.sial, .byx)"


def read_spec(job: Any, programs: Sequence[str], settings: Settings) -> _core.Spec:
    """The job of all that ``blockyard.run`` takes; settings win over what it says."""
    told: list[str] = []
    if isinstance(job, (str, os.PathLike)):
        spec = _of_text(os.fspath(job), programs, settings, told)
    elif isinstance(job, Mapping):
        spec = _of_mapping(job, settings, told)
    elif hasattr(job, "get_chemical_symbols"):
        spec = _of_ase(job, settings)
    elif hasattr(job, "symbols") and hasattr(job, "geometry"):
        spec = _of_qcschema(_fields(job), settings)
    elif isinstance(job, (bytes, bytearray)) or not isinstance(job, Iterable):
        raise TypeError(f"a job is the name of {_endings}, the text of one, a molecule, a dict or a list of atoms, not {job!r}")
    else:
        entries = list(job)
        if entries and not isinstance(entries[0], (str, os.PathLike)):
            spec = _of_atoms(entries, settings)
        else:
            spec = _of_programs([os.fspath(entry) for entry in entries], settings)
    for warning in told:
        warnings.warn(warning, _errors.InputWarning, stacklevel=3)
    return spec


def name_of(job: Any) -> str:
    """The name for checkpoints."""
    if isinstance(job, (str, os.PathLike)) and "\n" not in os.fspath(job):
        return os.fspath(job)
    if isinstance(job, (list, tuple)) and job and isinstance(job[0], (str, os.PathLike)):
        return os.fspath(job[0])
    return "molecule"


def files_of(job: Any) -> list[str]:
    """The file that a job is given by, if it is one."""
    return [os.fspath(job)] if isinstance(job, (str, os.PathLike)) and "\n" not in os.fspath(job) else []


def setting_text(value: Any) -> str:
    """A value as a job file has it."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_quoted(str(key))} = {setting_text(v)}" for key, v in value.items()) + " }"
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(setting_text(entry) for entry in value) + "]"
    if not isinstance(value, (str, bool, int, float)):
        raise TypeError(f"a value of a job is a text, a number, True, False, a list or a dict, not {value!r}")
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


def _quoted(text: str) -> str:
    """A string of TOML, which forbids what JSON makes of characters beyond 16 bits, two surrogates, and a bare 0x7f."""
    _refuse_other_than_utf8(text)
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _refuse_other_than_utf8(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _errors.InputError(f"a job or its name must be UTF-8, not {os.fsencode(text)!r}") from None


def _of_text(text: str, programs: Sequence[str], settings: Settings, told: list[str]) -> _core.Spec:
    _refuse_other_than_utf8(text)
    if "\n" not in text:
        if text.endswith((".sial", ".byx", ".sialx", ".siox")):
            return _of_programs([text], settings)
        if _are_atoms(text) and not os.path.exists(text):
            return _core.Spec.geometry(text, "angstrom").with_settings(settings)
        if not _core.is_job_name(text) and not os.path.exists(text):
            raise _errors.StorageError(f"no such file {text}: a job is {_endings}, or the text of one (in lines)")
        return _core.Spec.read(text, list(programs), settings, told)
    first = text.split(None, 1)[0] if text.strip() else ""
    if first.lower() == "sial" or "\nsial " in text.lower():
        raise _errors.InputError("the text is a SIAL program: Session.run takes it, and blockyard.run its file")
    if not first.isdigit() and _are_atoms(text):
        return _core.Spec.geometry(text, "angstrom").with_settings(settings)
    return _core.Spec.parse(text, "job", settings, told)


def _are_atoms(text: str) -> bool:
    """Whether the first line is `symbol x y z`."""
    words = next((line.split() for line in text.splitlines() if line.strip()), [])
    return len(words) == 4 and words[0][0].isalpha() and all(_is_number(word) for word in words[1:])


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _of_programs(files: list[str], settings: Settings) -> _core.Spec:
    if not files:
        raise _errors.InputError(f"no job given: give {_endings}")
    for name in files:
        _refuse_other_than_utf8(name)
        if _core.is_job_name(name):
            raise _errors.InputError(f"{name}: a job file cannot be one of several")
    spec = _core.Spec()
    spec.title = ", ".join(files)
    spec.programs = files
    return spec.with_settings(settings) if settings else spec


def _of_mapping(job: Mapping[str, Any], settings: Settings, told: list[str]) -> _core.Spec:
    if "model" in job or "specification" in job:
        return _core.Spec.parse(json.dumps(job, default=_plain), "QCSchema", settings, told)
    if "symbols" in job:
        return _of_qcschema(job, settings)
    if "molecule" in job or "programs" in job:
        molecule = job.get("molecule")
        if isinstance(molecule, Mapping) and "symbols" in molecule:
            rest = {key: value for key, value in job.items() if key != "molecule"}
            return _of_qcschema(molecule, [*_flat(rest), *settings])
        return _core.Spec().with_settings([*_flat(job), *settings])
    if "geometry" in job or "file" in job:
        for key in job:
            if key not in _molecule_keys:
                raise _errors.InputError(f"molecule: no key {key!r}{_errors.near(key, _molecule_keys)}")
        return _core.Spec().with_settings([*_flat({"molecule": job}), *settings])
    raise _errors.InputError(
        "the dict is not a molecule: QCSchema has 'symbols' and 'geometry' (bohr), a job file a table 'molecule', and "
        f"a molecule 'geometry' (lines 'symbol x y z') or 'file'; here are {', '.join(map(str, job)) or 'no keys'}")


def _flat(job: Mapping[str, Any]) -> Settings:
    """Each table as one value: its keys may be wrong without one another."""
    settings: Settings = []
    for key, value in job.items():
        if key in ("method", "basis") and isinstance(value, str):
            value = {"name": value}
        if key == "molecule" and isinstance(value, Mapping) and not isinstance(value.get("geometry", ""), str):
            value = {**value, "geometry": _lines_of(value["geometry"])}
        settings.append((key, setting_text(value)))
    return settings


def _of_qcschema(molecule: Mapping[str, Any], settings: Settings) -> _core.Spec:
    symbols = [str(symbol) for symbol in molecule["symbols"]]
    places = np.asarray(molecule["geometry"], dtype=float)
    real = molecule.get("real")
    real = [True] * len(symbols) if real is None else list(real)
    if places.size != 3 * len(symbols) or len(real) != len(symbols):
        raise _errors.InputError(f"the molecule has {len(symbols)} symbols, {places.size} coordinates and {len(real)} "
                                 "entries of 'real': three coordinates belong to each symbol, in bohr")
    ghosts = [symbol if is_real else f"Gh({symbol})" for symbol, is_real in zip(symbols, real)]
    mine = [("molecule.charge", _integer(molecule.get("molecular_charge"), 0, "molecular_charge")),
            ("molecule.multiplicity", _integer(molecule.get("molecular_multiplicity"), 1, "molecular_multiplicity"))]
    return _geometry(zip(ghosts, places.reshape(-1, 3)), "bohr", [*mine, *settings])


def _of_ase(atoms: Any, settings: Settings) -> _core.Spec:
    """Charge and multiplicity are those of the initial charges and magnetic moments, where there are any."""
    if np.any(atoms.get_pbc()):
        raise _errors.InputError("the Atoms are periodic, and Blockyard computes molecules: set atoms.pbc = False")
    mine: Settings = []
    charge = float(np.sum(atoms.get_initial_charges()))
    moment = abs(float(np.sum(atoms.get_initial_magnetic_moments())))
    if charge:
        mine.append(("molecule.charge", _integer(charge, 0, "the sum of the initial charges")))
    if moment:
        mine.append(("molecule.multiplicity", _integer(moment + 1, 1, "the sum of the initial magnetic moments + 1")))
    return _geometry(zip(atoms.get_chemical_symbols(), atoms.get_positions()), "angstrom", [*mine, *settings])


def _of_atoms(entries: list[Any], settings: Settings) -> _core.Spec:
    """[("O", (0, 0, 0)), ...], in angstrom."""
    return _core.Spec.geometry(_lines_of(entries), "angstrom").with_settings(settings)


def _lines_of(atoms: Iterable[Any]) -> str:
    lines = []
    for atom in atoms:
        parts = list(atom) if isinstance(atom, (list, tuple)) else []
        place = parts[1] if len(parts) == 2 else parts[1:]
        if len(parts) not in (2, 4) or not isinstance(parts[0], str) or np.size(place) != 3:
            raise TypeError(f"an atom is (symbol, (x, y, z)), not {atom!r}")
        lines.append(" ".join([parts[0], *(repr(float(x)) for x in place)]))
    return "\n".join(lines) + "\n"


def _geometry(atoms: Iterable[tuple[str, Any]], units: str, settings: Settings) -> _core.Spec:
    lines = [" ".join([symbol, *(repr(float(x)) for x in place)]) for symbol, place in atoms]
    return _core.Spec.geometry("\n".join(lines) + "\n", units).with_settings(settings)


def _integer(value: Any, otherwise: int, name: str) -> str:
    number = float(otherwise if value is None else value)
    if abs(number - round(number)) > 1e-6:
        raise _errors.InputError(f"{name} is {number}, and must be an integer")
    return str(round(number))


def _fields(molecule: Any) -> dict[str, Any]:
    """A Molecule of QCElemental, whose attributes are called as the keys of QCSchema."""
    names = ("symbols", "geometry", "real", "molecular_charge", "molecular_multiplicity")
    return {name: getattr(molecule, name) for name in names if hasattr(molecule, name)}


def _plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"QCSchema has no values like {value!r}")
