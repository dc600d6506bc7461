#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the basis set files of this folder from the Basis Set Exchange (package
basis_set_exchange 0.12). Needed only to add a set: neither the build nor the tests run it."""

import re
from pathlib import Path

import basis_set_exchange

HEAVIEST = 86  # radon

# The Pople sets are taken as version 0 of the exchange (the published digits, which PySCF, Psi4 and
# NWChem carry); version 1 holds the digits of Gaussian 09 and moves energies by 1e-8 hartree.
SETS = {
    "STO-3G": "0",
    "3-21G": "0",
    "6-31G": "0",
    "6-31G*": "0",
    "6-31G**": "0",
    "6-31+G*": "0",
    "6-31++G**": "0",
    "6-311G*": "0",
    "6-311G**": "0",
    "6-311+G**": "0",
    "6-311++G**": "0",
    "STO-6G": "0",
    "6-31+G": "0",
    "6-31++G": "0",
    "6-31+G**": "0",
    "6-31++G*": "0",
    "6-31G(2df,p)": "0",
    "6-311G": "0",
    "6-311+G": "0",
    "6-311++G": "0",
    "6-311+G*": "0",
    "6-311++G*": "0",
    "6-311+G(2d,p)": "0",
    "6-311G(2df,2pd)": "0",
    "6-311++G(2d,2p)": "0",
    "6-311++G(3df,3pd)": "0",
    "pcseg-1": "1",
    "pcseg-2": "1",
    "pcseg-3": "1",
    "cc-pVDZ": "1",
    "cc-pVTZ": "1",
    "cc-pVQZ": "1",
    "aug-cc-pVDZ": "1",
    "aug-cc-pVTZ": "1",
    "aug-cc-pVQZ": "1",
    "cc-pV5Z": "1",
    "aug-cc-pV5Z": "1",
    "cc-pCVDZ": "0",
    "cc-pCVTZ": "0",
    "cc-pCVQZ": "0",
    "aug-cc-pCVDZ": "0",
    "aug-cc-pCVTZ": "0",
    "aug-cc-pCVQZ": "0",
    "cc-pwCVDZ": "0",
    "cc-pwCVTZ": "0",
    "cc-pwCVQZ": "0",
    "cc-pV(D+d)Z": "1",
    "cc-pV(T+d)Z": "1",
    "cc-pV(Q+d)Z": "1",
    "aug-cc-pV(D+d)Z": "1",
    "aug-cc-pV(T+d)Z": "1",
    "aug-cc-pV(Q+d)Z": "1",
    "def2-TZVPPD": "1",
    "def2-QZVPP": "1",
    "def2-QZVPD": "1",
    "def2-QZVPPD": "1",
    "def2-SVP": "1",
    "def2-SVPD": "1",
    "def2-TZVP": "1",
    "def2-TZVPP": "1",
    "def2-TZVPD": "1",
    "def2-QZVP": "1",
    "LANL2DZ": "0",
    "SBKJC-VDZ": "0",
    "cc-pVDZ-PP": "0",
    "cc-pVTZ-PP": "0",
    "cc-pVQZ-PP": "0",
    "aug-cc-pVDZ-PP": "0",
    "aug-cc-pVTZ-PP": "0",
    "aug-cc-pVQZ-PP": "0",
    "cc-pVDZ-RIFIT": "1",
    "cc-pVTZ-RIFIT": "1",
    "cc-pVQZ-RIFIT": "1",
    "aug-cc-pVDZ-RIFIT": "1",
    "aug-cc-pVTZ-RIFIT": "1",
    "aug-cc-pVQZ-RIFIT": "1",
    "def2-SVP-RIFIT": "1",
    "def2-TZVP-RIFIT": "1",
    "def2-TZVPP-RIFIT": "1",
    "def2-QZVP-RIFIT": "1",
    "def2-SVPD-RIFIT": "1",
    "def2-TZVPD-RIFIT": "1",
    "def2-TZVPPD-RIFIT": "1",
}

# Not in the exchange: 3-21G with the diffuse functions that 6-31++G** has beyond 6-31G**, which were
# made for 3-21+G (Clark, Chandrasekhar, Spitznagel, Schleyer, J. Comput. Chem. 4, 294 (1983)).
DIFFUSE_SET = "3-21++G"


def file_name(name):
    return re.sub(r"[(),]", "", name.lower().replace("*", "s")) + ".nw"


def export(name, version, folder):
    known = basis_set_exchange.get_basis(name, version=version)["elements"]
    elements = [z for z in range(1, HEAVIEST + 1) if str(z) in known]
    # optimize_general drops a primitive from a contraction when it also stands alone: the span of
    # the functions is the same, the integrals are cheaper.
    text = basis_set_exchange.get_basis(
        name, elements=elements, version=version, fmt="nwchem", optimize_general=True, header=False
    )
    write(name, f"version {version} of the Basis Set Exchange", text, folder)


def write(name, source, text, folder):
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    head = [
        f"# {name}, {source}, NWChem format.",
        "# Licence BSD-3-Clause; source and references: README.md next to this file.",
    ]
    (folder / file_name(name)).write_text("\n".join(head + lines) + "\n")


def export_diffuse(folder):
    def elements(name):
        return basis_set_exchange.get_basis(name, version="0")["elements"]

    basis = basis_set_exchange.get_basis("3-21G", version="0")
    diffuse, plain = elements("6-31++G**"), elements("6-31G**")
    basis["elements"] = {z: basis["elements"][z] for z in diffuse if z in plain and int(z) <= 18}
    for z, element in basis["elements"].items():
        added = [s for s in diffuse[z]["electron_shells"] if s not in plain[z]["electron_shells"]]
        assert len(added) == 1 and len(added[0]["exponents"]) == 1
        element["electron_shells"] += added
    text = basis_set_exchange.writers.write_formatted_basis_str(basis, "nwchem")
    write(DIFFUSE_SET, "3-21G and diffuse functions of the Basis Set Exchange", text, folder)


if __name__ == "__main__":
    for set_name, set_version in SETS.items():
        export(set_name, set_version, Path(__file__).parent)
    export_diffuse(Path(__file__).parent)
