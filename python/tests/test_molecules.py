# SPDX-License-Identifier: Apache-2.0
"""A job may be a file, a text, a molecule of another package, or a dict."""
import json
import pickle
import types

import numpy as np
import pytest

import blockyard

ANGSTROM = [("O", (0.0, 0.0, 0.1173)), ("H", (0.0, 0.7572, -0.4692)), ("H", (0.0, -0.7572, -0.4692))]
LINES = "".join(f"{symbol} {x} {y} {z}\n" for symbol, (x, y, z) in ANGSTROM)
XYZ = f"3\nwater\n{LINES}"
TOML = f'[molecule]\ngeometry = """\n{LINES}"""\n[basis]\nname = "sto-3g"\n[method]\nname = "scf"\n'
ZMAT = f"water\n{LINES}\n*ACES2(CALC=SCF,BASIS=STO-3G,COORD=CARTESIAN,UNITS=ANGSTROM)\n\n"
BOHR = 1 / 0.529177210903
SCHEMA = {"symbols": ["O", "H", "H"], "geometry": [x * BOHR for _, place in ANGSTROM for x in place]}


class Atoms:
    """The parts of an ASE Atoms that are used."""

    def __init__(self, charges=(0, 0, 0), moments=(0, 0, 0), pbc=False):
        self.charges, self.moments, self.pbc = charges, moments, pbc

    def get_chemical_symbols(self):
        return [symbol for symbol, _ in ANGSTROM]

    def get_positions(self):
        return np.array([place for _, place in ANGSTROM])

    def get_initial_charges(self):
        return np.array(self.charges, dtype=float)

    def get_initial_magnetic_moments(self):
        return np.array(self.moments, dtype=float)

    def get_pbc(self):
        return np.array([self.pbc] * 3)


def scf(job, **more):
    return blockyard.run(job, method="scf", basis="sto-3g", workers=1, memory="256M", quiet=True, **more)


@pytest.fixture(scope="module")
def energy():
    return scf(ANGSTROM).energy


@pytest.mark.parametrize("job", [
    LINES, XYZ, TOML, ZMAT, SCHEMA, types.SimpleNamespace(**SCHEMA), Atoms(),
    {"geometry": LINES, "units": "angstrom"}, {"molecule": {"geometry": ANGSTROM}, "method": "mp2"},
    {"molecule": SCHEMA, "basis": {"name": "sto-3g"}},
    {"molecule": {"geometry": "O 0 0 0.1173\nH 0 y -0.4692\nH 0 -y -0.4692\n", "variables": {"y": 0.7572}}},
    {"molecule": SCHEMA, "model": {"method": "hf", "basis": "cc-pvdz"}, "driver": "energy"},
], ids=["lines", "xyz", "toml", "zmat", "qcschema", "object", "ase", "dict", "job", "job of qcschema", "variables",
        "qcschema input"])
def test_the_same_molecule_has_the_same_energy(job, energy):
    assert scf(job).energy == pytest.approx(energy, abs=1e-8)


def test_files_of_all_kinds_are_jobs(tmp_path, energy):
    for name, text in (("w.xyz", XYZ), ("ZMAT.w", ZMAT), ("w.toml", TOML),
                       ("w.json", json.dumps({"molecule": SCHEMA, "model": {"method": "hf", "basis": "sto-3g"}}))):
        path = tmp_path / name
        path.write_text(text)
        assert scf(path).energy == pytest.approx(energy, abs=1e-8), name


def test_a_text_of_a_dict_may_have_any_character(tmp_path, energy):
    file = tmp_path / "w\U0001f4a7\x7f.xyz"
    file.write_text(XYZ)
    assert scf({"molecule": {"file": file}}).energy == pytest.approx(energy, abs=1e-8)


def test_charge_and_multiplicity_are_keywords_or_of_the_atoms():
    cation = scf(LINES, charge=1, multiplicity=2)
    assert cation.geometry["charge"] == 1 and cation.geometry["multiplicity"] == 2
    assert cation.spin_square == pytest.approx(0.75, abs=0.05) and scf(LINES).spin_square is None
    told = scf(Atoms(charges=(1, 0, 0), moments=(1, 0, 0)))
    assert told.energy == pytest.approx(cation.energy, abs=1e-8)
    with pytest.raises(blockyard.InputError, match="periodic"):
        scf(Atoms(pbc=True))


def test_keys_of_the_method_are_keywords():
    few = dict(method="mp2", basis="sto-3g", workers=1, quiet=True)
    frozen = blockyard.run(XYZ, frozen_core=True, **few)
    assert frozen.energy > blockyard.run(XYZ, settings={"method.frozen_core": 0}, **few).energy
    assert frozen.method == "mp2" and frozen.energy == frozen.energies["mp2"]


@pytest.mark.parametrize("wrong, error, told", [
    ({"frozen_cor": 1}, TypeError, "did you mean 'frozen_core'"),
    ({"metod": "scf"}, TypeError, "did you mean 'method'"),
    ({"method": "ccds"}, blockyard.InputError, "ccsd"),
    ({"basis": "cc-pvdx"}, blockyard.InputError, "cc-pVDZ"),
    ({"device": "cudda"}, blockyard.InputError, "cuda"),
    ({"pardo": "dynamik"}, blockyard.InputError, "dynamic"),
    ({"workers": 0}, blockyard.InputError, "workers must be from 1"),
    ({"memory": "4X"}, blockyard.InputError, "memory"),
    ({"settings": {"method.frozn_core": 1}}, blockyard.InputError, "frozen_core"),
    ({"settings": {"frozen_core": 1}}, blockyard.InputError, "method.frozen_core"),
    ({"fabric": "mpj"}, ValueError, "loopback"),
])
def test_wrong_values_are_refused_with_near_names(wrong, error, told):
    with pytest.raises(error, match=told):
        blockyard.run(XYZ, **{"method": "scf", "basis": "sto-3g", "workers": 1, **wrong})


@pytest.mark.parametrize("job, told", [
    ({"geometri": LINES}, "not a molecule"), ({"geometry": LINES, "unit": "bohr"}, "did you mean 'units'"),
    ("water.xyz", "water.xyz"), ("sial p\nendsial p\n", "Session.run"), ({"symbols": ["H"], "geometry": [0.0]}, "three"),
    ([], "no job"), ("none.toml", "none.toml"),
])
def test_what_is_no_job_is_told(job, told):
    with pytest.raises((blockyard.InputError, blockyard.StorageError), match=told):
        scf(job)
    with pytest.raises(TypeError, match="symbol"):
        scf([("O", 1.0)])


def test_a_session_refuses_wrong_values_at_once():
    for wrong in ({"device": "cudda"}, {"pardo": "x"}, {"workers": 0}, {"memory": "much"}, {"placement": "here"}):
        with pytest.raises(blockyard.InputError):
            blockyard.Session(**wrong)


def test_results_travel_and_are_shown():
    result = blockyard.run(XYZ, method="mp2", basis="sto-3g", workers=1, quiet=True)
    copy = pickle.loads(pickle.dumps(result))
    assert copy.energy == result.energy and copy.text == result.text and copy.converged
    assert copy.report["programs"][0]["name"] == "scf_rhf" and list(copy.arrays) == list(result.arrays)
    assert result.dipole.shape == (3,) and abs(result.dipole[2]) > 0.1
    assert "dipole (scf)" in copy._repr_html_() and "E(mp2)" in copy._repr_html_()
    assert result.excitations == {}
    states = blockyard.run(XYZ, method="cis", basis="sto-3g", roots=2, workers=1, quiet=True)
    assert len(states.excitations["cis"]["hartree"]) == 2 and "cis, state 1" in states._repr_html_() and "f = " in states._repr_html_()
    assert states.energy == states.energies["scf"]


def test_what_has_not_converged_has_no_energy():
    with pytest.raises(blockyard.NotConverged) as caught:
        blockyard.run("He 0 0 0\nH 0 0 0.8\n", method="ccsd", basis="6-31g", charge=1, cc_iterations=2, workers=1, memory="256M",
                      quiet=True)
    assert "ccsd" in caught.value.result.energies
    with pytest.raises(ValueError, match="did not converge"):
        caught.value.result.energy


def test_one_line_is_an_atom_and_nothing_is_no_job():
    few = dict(method="scf", basis="6-31g", workers=1, memory="256M", quiet=True)
    assert blockyard.run("He 0 0 0", **few).energy == pytest.approx(-2.8551604261)
    for wrong in (None, 5, b"He 0 0 0"):
        with pytest.raises(TypeError, match="a job is"):
            blockyard.run(wrong, **few)
