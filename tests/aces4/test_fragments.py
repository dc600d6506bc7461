#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The fragment programs of ACES4, unchanged, against the values of its C++ tests.

    test_fragments.py one|three|mpi [JOB...]

Their inputs stand in comments of test_qm_frag.cpp, as ZMATs with a section *FRAGLIST: the number of fragments and two
distances, the atoms in each, and the numbers of the atoms. ACES III made a job file of them; here it is a TOML file, with one
segment for the functions of each fragment, its occupied and its virtual orbitals.
"""

import pathlib
import re
import sys
import tempfile

import clone
from test_jobs import ATOM, check, zmats

BOHR = 0.529177249                     # angstrom, as ACES has it
FUNCTIONS = {"H": 2, "O": 9, "F": 9}   # 3-21G
ELECTRONS = {"H": 1, "O": 8, "F": 9}
LIMIT = 1e-8                           # hartree

# Values by the number of programs that have run. The C++ test names two more of the third, which the program no longer has;
# mcpt2_water_test wants scf_atom_lowmem, which is not there, and the lattice of 27 molecules takes long.
EXPECTED = {
    "fef_ccpt2_water_test": {1: [("total_scf_energy", -151.17093637179818)],
                             2: [("total_scf_energy", -151.18557576266943)],
                             3: [("dimer_doubles", -0.00045777487375), ("fragment_doubles", -0.25782252185281)]},
}


def fragments_of(text):
    """Distances, and for each fragment the numbers of its atoms from 1."""
    words = text.split("*FRAGLIST")[1].split()
    count, distances = int(words[0]), [float(word) for word in words[1:3]]
    # The list of lengths may be longer than the number of fragments: what counts is a line.
    lines = [line.split() for line in text.split("*FRAGLIST")[1].strip().split("\n")]
    lengths = [int(word) for word in lines[1]][:count]
    atoms = [[int(word) for word in line[:length]] for line, length in zip(lines[2:], lengths)]
    return distances, atoms


def array(name, extents, values):
    return f'{name} = {{ extents = {extents}, values = {values}, type = "int" }}\n'


def job_file(root, text, programs):
    (near, far), fragments = fragments_of(text)
    atoms = [line.split() for line in text.split("*ACES2")[0].split("\n") if ATOM.match(line.strip()) and len(line.split()) == 4]
    sizes = [sum(FUNCTIONS[atoms[atom - 1][0]] for atom in some) for some in fragments]
    occupied = [sum(ELECTRONS[atoms[atom - 1][0]] for atom in some) // 2 for some in fragments]
    orbitals = occupied + [size - some for size, some in zip(sizes, occupied)]
    count = len(fragments)
    names = re.findall(r"SIAL_PROGRAM\s*=\s*(\w+)\.siox", text)[:programs]
    paths = [str(root / "src" / "sialx" / "qm" / "fef-cc" / f"{name}.sialx") for name in names]
    longest = max(len(some) for some in fragments)
    members = [some[k] if k < len(some) else 0 for k in range(longest) for some in fragments]
    conv = dict(re.findall(r"(scf_conv|cc_conv)\s*=\s*(\d+)", text.lower()))
    ints = {"nfrags": count, "frag1_baocc": 1, "frag1_eaocc": 1, "frag1_bavirt": count + 1, "frag1_eavirt": count + 1,
            "frag1_norb": 1, "max_aoseg": max(sizes), "max_alphaseg": max(orbitals), "max_betaseg": max(orbitals)}
    for spin in "ab":
        ints |= {f"b{spin}occ": 1, f"e{spin}occ": count, f"b{spin}virt": count + 1, f"e{spin}virt": 2 * count}
    geometry = "\n".join(" ".join([atom[0], *(repr(float(x) / BOHR) for x in atom[1:])]) for atom in atoms)
    owners = list(range(1, count + 1))
    return (f"programs = {paths}\n".replace("'", '"') + f'[molecule]\nunits = "bohr"\ngeometry = """\n{geometry}\n"""\n'
            + '[basis]\nname = "3-21g"\nspherical = false\n'
            + f"[segments]\nao = {max(sizes)}\nmoa = {orbitals}\nmob = {orbitals}\n[constants]\n"
            + "".join(f"{name} = {value}\n" for name, value in ints.items())
            + f"r_thresh = {near}\nelst_thresh = {far}\nscf_conv = 1e-{conv['scf_conv']}\ncc_conv = 1e-{conv['cc_conv']}\n[arrays]\n"
            + array("natoms_frag", [count], [len(some) for some in fragments])
            + array("watom_frag", [count, longest], members)
            + "".join(array(f"w_frag_{kind}", [count], owners) for kind in ("ao", "aocc", "avirt", "bocc", "bvirt")))


def main():
    ranks, *only = sys.argv[1:]
    root = clone.root()
    inputs = zmats(root)
    failed = count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for job in only or EXPECTED:
            for programs, expected in EXPECTED[job].items():
                path = folder / f"{job}.toml"
                path.write_text(job_file(root, inputs[job], programs))
                try:
                    wrong = check(clone.run(folder, ranks, path), [(*one, LIMIT) for one in expected], "toml")
                except AssertionError as error:
                    wrong = [str(error)]
                print("WRONG" if wrong else "right", f"{job}, {programs} programs", *wrong, sep="\n    ", flush=True)
                count, failed = count + 1, failed + bool(wrong)
    print(f"{count - failed} of {count} runs right")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
